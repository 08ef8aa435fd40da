/* SPDX-License-Identifier: MIT */
/* Makes and frees what tasks use, and adds what it holds to an answer. */
#include "parts.h"

void free_parts(struct parts *parts) {
  rebal_detector_free(parts->detector);
  rebal_simulation_free(parts->simulation);
  rebal_spread_feed_free(parts->feed);
  rebal_scheduler_feed_free(parts->scheduler);
  rebal_feed_free(parts->followed);
  for (size_t i = 0; i < COUNT(parts->documents); i++) {
    rebal_document_free(parts->documents[i]);
  }
  rebal_findings_free(parts->findings);
  rebal_observations_free(parts->observations);
  rebal_builder_free(parts->builder);
  rebal_result_free(parts->result);
  rebal_ledger_free(parts->ledger);
  rebal_compat_free(parts->compat);
  rebal_ctx_free(parts->ctx);
  rebal_snapshot_unref(parts->snapshot);
  rebal_bindings_free(parts->bindings);
  rebal_fleet_free(parts->fleet);
  rebal_watch_free(parts->watch);
  rebal_text_free(parts->text);
  rebal_store_free(parts->store);
}

int32_t open_text(struct parts *parts, rebal_error *err) {
  const int32_t code = rebal_store_new(NULL, &parts->store, err);
  return FIRST(code, rebal_text_new(&parts->text, err));
}

int32_t open_core(struct parts *parts, rebal_error *err) {
  int32_t code = open_text(parts, err);
  code = FIRST(code, rebal_fleet_new(NULL, &parts->fleet, err));
  code = FIRST(code, rebal_bindings_new(parts->fleet, NULL, &parts->bindings, err));
  code = FIRST(code, rebal_ctx_new(NULL, NULL, &parts->ctx, err));
  code = FIRST(code, rebal_builder_new(NULL, &parts->builder, err));
  code = FIRST(code, rebal_observations_new(NULL, &parts->observations, err));
  return FIRST(code, rebal_result_new(NULL, &parts->result, err));
}

int32_t load(struct parts *parts, const char *file, rebal_error *err) {
  return rebal_store_load(parts->store, example(file), REBAL_TERMINATED, err);
}

int32_t feed(struct parts *parts, rebal_error *err) {
  int32_t code = rebal_store_feed_clusters(parts->store, parts->fleet, &parts->followed, err);
  code = FIRST(code, rebal_store_feed_bindings(parts->store, parts->fleet, NULL, 0, parts->bindings, err));
  code = FIRST(code, rebal_bindings_freeze(parts->bindings, err));
  return FIRST(code, rebal_fleet_freeze(parts->fleet, &parts->snapshot, err));
}

int32_t apply(struct parts *parts, const char *text, rebal_error *err) {
  return rebal_store_apply(parts->store, text, REBAL_TERMINATED, &now, err);
}

int32_t report_store(const struct parts *parts, struct answer *answer, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t object = rebal_store_next(parts->store, NULL, 0, REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebal_store_next(parts->store, NULL, 0, object)) {
    rebal_text_reset(parts->text);
    code = rebal_store_write(parts->store, object, REBAL_TEXT_FORMAT_JSON, parts->text, err);
    if (code == REBAL_OK) {
      report(answer, rebal_text_bytes(parts->text, NULL));
    }
  }
  return code;
}

int32_t answer_text(struct parts *parts, struct answer *answer, int32_t code) {
  if (code == REBAL_OK) {
    report(answer, rebal_text_bytes(parts->text, NULL));
    rebal_text_reset(parts->text);
  }
  return code;
}
