/* SPDX-License-Identifier: MIT */
/*
 * A store between texts and decisions. Texts are put, applied or patches; then controllers run on the store and their
 * actions are carried out. Whatever comes, a store that is written can be loaded again and is the same, the library
 * refuses none of its own actions, and a turn that is run twice has the same actions.
 */
#include "pieces.h"

#include <rebalance/detector.h>
#include <rebalance/document.h>
#include <rebalance/rebalance.h>
#include <rebalance/watch.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct line {
  rebal_store *store;
  rebal_detector *detector;
  rebal_text *text, *other;
  rebal_fleet *fleet;
  rebal_feed *feed;
  rebal_bindings *bindings;
  rebal_ctx *ctx;
  rebal_result *results[2];
  rebal_snapshot *snapshot; /* of the current turn */
  const char *answer;       /* of an API server, to every action: the newest text */
  size_t answer_len;
  rebal_observations *observations;
};

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static void write_store(const rebal_store *store, rebal_text *out) {
  rebal_text_reset(out);
  for (uint32_t object = rebal_store_next(store, NULL, 0, REBAL_NONE); object != REBAL_NONE;
       object = rebal_store_next(store, NULL, 0, object)) {
    law(rebal_text_append(out, "---\n", 4, NULL) == REBAL_OK);
    law(rebal_store_write(store, object, REBAL_TEXT_FORMAT_YAML, out, NULL) == REBAL_OK);
  }
}

static void check_written(const struct line *line) {
  rebal_store *again = NULL;
  const char *bytes, *others;
  size_t len, n;

  write_store(line->store, line->text);
  bytes = rebal_text_bytes(line->text, &len);
  law(rebal_store_new(NULL, &again, NULL) == REBAL_OK);
  law(rebal_store_load(again, bytes, len, NULL) == (len == 0 ? REBAL_EPARSE : REBAL_OK)); /* all may be removed */
  write_store(again, line->other);
  others = rebal_text_bytes(line->other, &n);
  law(n == len && memcmp(bytes, others, n) == 0);
  rebal_store_free(again);
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* Returns 1 if bindings and snapshot are those of the store; 0 if a feed refused them with a reason. */
static int begin_turn(struct line *line) {
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code = reported(rebal_detector_derive(line->detector, NULL, 0, &now, &err), &err);

  rebal_bindings_reset(line->bindings);
  code = reported(rebal_store_feed_clusters(line->store, line->fleet, &line->feed, &err), &err);
  if (code == REBAL_OK) {
    code = reported(rebal_store_feed_bindings(line->store, line->fleet, NULL, 0, line->bindings, &err), &err);
  }
  if (code == REBAL_OK) {
    law(rebal_bindings_freeze(line->bindings, &err) == REBAL_OK);
    law(rebal_fleet_freeze(line->fleet, &line->snapshot, &err) == REBAL_OK);
  }
  return code == REBAL_OK;
}

static void end_turn(struct line *line) {
  rebal_snapshot_unref(line->snapshot);
  line->snapshot = NULL;
}

/* Every action of a step can be written as a request; those on objects of the store are carried out. */
static void carry_out(struct line *line, const rebal_result *result) {
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
    rebal_request request = {.struct_size = (uint32_t)sizeof request};
    rebal_error err = REBAL_ERROR_INIT;

    rebal_text_reset(line->text);
    (void)reported(rebal_store_render_action(line->store, result, i, NULL, line->text, &request, &err), &err);
    (void)reported(
        rebal_store_take_answer(line->store, result, i, 409, line->answer, line->answer_len, line->observations, &err),
        &err);
    (void)reported(rebal_store_carry_out(line->store, result, i, &now, NULL, &err), &err);
  }
}

static int32_t schedule(struct line *line, rebal_result *result, rebal_error *err) {
  return rebal_scheduler_step(line->ctx, line->snapshot, line->bindings, &now, NULL, result, err);
}

static int32_t deschedule(struct line *line, rebal_result *result, rebal_error *err) {
  return rebal_deschedule_step(line->ctx, line->snapshot, line->bindings, &now, NULL, result, err);
}

static int32_t evict(struct line *line, rebal_result *result, rebal_error *err) {
  return rebal_graceful_eviction_step(line->ctx, line->snapshot, line->bindings, &now, NULL, result, err);
}

static int32_t taint(struct line *line, rebal_result *result, rebal_error *err) {
  return rebal_condition_taints_step(line->ctx, line->snapshot, &now, NULL, result, err);
}

static int32_t plan(struct line *line, rebal_result *result, rebal_error *err) {
  const rebal_plan_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_plan *made = NULL;
  int32_t code = rebal_plan_make(line->ctx, line->snapshot, line->bindings, &now, &opts, &made, err);

  if (code == REBAL_OK) {
    code = rebal_plan_step(line->ctx, line->snapshot, line->bindings, made, &now, NULL, result, err);
  }
  rebal_plan_free(made);
  return code;
}

static void turn(struct line *line, int32_t (*step)(struct line *line, rebal_result *result, rebal_error *err)) {
  rebal_error err = REBAL_ERROR_INIT;

  if (begin_turn(line)) {
    const int32_t code = reported(step(line, line->results[0], &err), &err);

    law(reported(step(line, line->results[1], &err), &err) == code);
    if (code == REBAL_OK) {
      law(rebal_result_count(line->results[0], REBAL_TABLE_ACTION) ==
          rebal_result_count(line->results[1], REBAL_TABLE_ACTION));
      carry_out(line, line->results[0]);
    }
  }
  end_turn(line);
}

/* ---- the target -------------------------------------------------------------------------------------------------- */

/* A text before it is put. */
static void examine_object(const struct line *line, const char *text, size_t len) {
  rebal_document *document = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t row = 0, column = 0;

  rebal_text_reset(line->text);
  if (reported(rebal_document_read(text, len, NULL, &document, &err), &err) == REBAL_OK) {
    /* null is a document, but not one of a stream */
    const int is_present = rebal_value_kind(rebal_document_value(document, "")) != REBAL_VALUE_KIND_NONE;

    law(rebal_document_write(document, REBAL_TEXT_FORMAT_JSON, line->text, NULL) == REBAL_OK);
    law(rebal_manifest_locate(text, len, 1, "spec.clusters[0]", REBAL_TERMINATED, &row, &column, NULL) ==
        (is_present ? REBAL_OK : REBAL_ENOTFOUND));
    law((row > 0) == is_present && (column > 0) == is_present);
  }
  rebal_document_free(document);
}

static void do_piece(struct line *line, const struct piece *piece) {
  static int32_t (*const steps[])(struct line *, rebal_result *, rebal_error *) = {
      [4] = deschedule, [5] = evict, [6] = taint, [7] = plan, [9] = schedule};
  const uint32_t number = piece->what % 10u;
  rebal_error err = REBAL_ERROR_INIT;

  line->answer = piece->text;
  line->answer_len = piece->len;
  if (number == 0) {
    examine_object(line, piece->text, piece->len);
  }
  if (number < 4) {
    change_store(line->store, piece, number);
  } else if (number == 8) {
    rebal_text_reset(line->text);
    (void)reported(rebal_store_review(line->store, piece->text, piece->len, NULL, line->text, &err), &err);
  } else {
    turn(line, steps[number]);
  }
}

static void open_line(struct line *line) {
  const rebal_detector_opts derives = {.struct_size = sizeof derives, .flags = REBAL_DETECTOR_FLAG_ADMISSION};

  memset(line, 0, sizeof *line);
  law(rebal_store_new(NULL, &line->store, NULL) == REBAL_OK && rebal_text_new(&line->text, NULL) == REBAL_OK);
  law(rebal_text_new(&line->other, NULL) == REBAL_OK && rebal_fleet_new(NULL, &line->fleet, NULL) == REBAL_OK);
  law(rebal_bindings_new(line->fleet, NULL, &line->bindings, NULL) == REBAL_OK);
  line->answer = "";
  law(rebal_observations_new(NULL, &line->observations, NULL) == REBAL_OK);
  law(rebal_ctx_new(NULL, NULL, &line->ctx, NULL) == REBAL_OK);
  law(rebal_result_new(NULL, &line->results[0], NULL) == REBAL_OK);
  law(rebal_result_new(NULL, &line->results[1], NULL) == REBAL_OK);
  law(rebal_store_load(line->store, start, REBAL_TERMINATED, NULL) == REBAL_OK);
  law(rebal_detector_new(line->store, &derives, &line->detector, NULL) == REBAL_OK);
}

static void close_line(struct line *line) {
  rebal_result_free(line->results[1]);
  rebal_result_free(line->results[0]);
  rebal_observations_free(line->observations);
  rebal_ctx_free(line->ctx);
  rebal_bindings_free(line->bindings);
  rebal_feed_free(line->feed);
  rebal_fleet_free(line->fleet);
  rebal_detector_free(line->detector);
  rebal_text_free(line->other);
  rebal_text_free(line->text);
  rebal_store_free(line->store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct line line;

  open_line(&line);
  for (int pieces = 0; size > 0 && pieces < PIECES; pieces++) {
    const struct piece piece = next_piece(line.store, &data, &size);

    do_piece(&line, &piece);
  }
  turn(&line, schedule);
  check_written(&line);
  close_line(&line);
  return 0;
}
