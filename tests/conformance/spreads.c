/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#include <stdlib.h>
#include <string.h>

int spreads_open(struct conformance *run, struct spreads *spreads) {
  *spreads = (struct spreads){.cluster = REBAL_NONE, .object = REBAL_NONE};
  return failed(run, rebal_store_new(NULL, &spreads->store, &run->err)) ||
         failed(run, rebal_fleet_new(NULL, &spreads->fleet, &run->err)) ||
         failed(run, rebal_fleet_add_cluster(spreads->fleet, "here", 4, &spreads->cluster, &run->err)) ||
         failed(run,
                rebal_spread_feed_new(spreads->store, spreads->fleet, spreads->cluster, &spreads->feed, &run->err));
}

void spreads_dispose(struct spreads *spreads) {
  rebal_spread_feed_free(spreads->feed);
  rebal_fleet_free(spreads->fleet);
  rebal_store_free(spreads->store);
}

/* ---- objects ---- */

int spreads_load(struct conformance *run, const struct spreads *spreads, const json_t *objects) {
  json_t *list = json_is_array(objects) ? json_pack("{s:s, s:s, s:O}", "apiVersion", "v1", "kind", "List", "items",
                                                    (json_t *)(uintptr_t)objects)
                                        : json_deep_copy(objects);
  char *text = list != NULL ? json_dumps(list, JSON_COMPACT) : NULL;
  const int32_t code =
      text != NULL ? rebal_store_load(spreads->store, text, strlen(text), &run->err) : (int32_t)REBAL_OK;

  free(text);
  json_decref(list);
  return failed(run, code);
}

uint32_t spreads_find(const struct spreads *spreads, const json_t *object) {
  const char *kind = text_at(object, "kind");
  const char *namespace_ = text_at(object, "metadata.namespace");
  const char *name = text_at(object, "metadata.name");

  return rebal_store_find(spreads->store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
}

json_t *spreads_read(const struct spreads *spreads, uint32_t object) {
  rebal_text *text = NULL;
  json_t *tree = NULL;
  size_t len;

  if (rebal_text_new(&text, NULL) == REBAL_OK &&
      rebal_store_write(spreads->store, object, REBAL_TEXT_FORMAT_JSON, text, NULL) == REBAL_OK) {
    const char *bytes = rebal_text_bytes(text, &len);

    tree = json_loadb(bytes, len, 0, NULL);
  }
  rebal_text_free(text);
  return tree;
}

/* ---- a pass ---- */

static int step(struct conformance *run, struct spreads *spreads, const rebal_time *now) {
  int32_t code = rebal_spread_feed_update(spreads->feed, &run->err);

  if (code == REBAL_OK) {
    code = rebal_spread_feed_step(run->ctx, spreads->feed, spreads->object, now, NULL, run->result, &run->err);
  }
  return failed(run, code);
}

int spreads_carry_out(struct conformance *run, const struct spreads *spreads, const rebal_time *now) {
  const size_t n = rebal_result_count(run->result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = rebal_store_carry_out(spreads->store, run->result, i, now, NULL, &run->err);
  }
  return failed(run, code);
}

/* By a pod's label, if there are no counts because the latest version is unknown. */
static const char *version_of_label(const rebal_pods *pods, uint32_t row) {
  const char *version =
      rebal_cells_get_text(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_VERSION, REBAL_NONE, row, NULL);
  const char *dash = strrchr(version, '-');

  switch (rebal_cells_get_i64(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_VERSION_LABEL, REBAL_NONE, row)) {
    case REBAL_VERSION_LABEL_TEMPLATE_HASH:
      return version;
    case REBAL_VERSION_LABEL_REVISION_HASH:
      return dash != NULL ? dash + 1 : version;
    default:
      return "versionIgnored";
  }
}

static const char *version_of(const rebal_result *result, const rebal_pods *pods, int64_t version, uint32_t row) {
  size_t n;
  const int64_t *versions = rebal_result_i64(result, REBAL_SUBSET_COUNT_VERSION, &n);

  for (size_t i = 0; i < n; i++) {
    if (versions[i] == version) {
      return rebal_result_text(result, REBAL_SUBSET_COUNT_VERSION_NAME, i, NULL);
    }
  }
  return version_of_label(pods, row);
}

static void report_pod_rows(struct conformance *run, const struct spreads *spreads, json_t *out) {
  const rebal_spread *spread = rebal_spread_feed_spread(spreads->feed, spreads->object);
  const rebal_pods *pods = rebal_spread_feed_pods(spreads->feed);
  size_t n;
  const int64_t *rows = rebal_result_i64(run->result, REBAL_GROUPED_POD, &n);
  const int64_t *versions = rebal_result_i64(run->result, REBAL_GROUPED_VERSION, NULL);
  const int64_t *subsets = rebal_result_i64(run->result, REBAL_GROUPED_SUBSET, NULL);
  const int64_t *stuck = rebal_result_i64(run->result, REBAL_GROUPED_STUCK, NULL);

  for (size_t i = 0; i < n; i++) {
    const uint32_t row = (uint32_t)rows[i];
    const char *version = version_of(run->result, pods, versions[i], row);
    json_t *pod = json_pack("{s:s}", "subset",
                            subsets[i] != REBAL_ABSENT ? rebal_spread_subset_name(spread, (uint32_t)subsets[i], NULL)
                                                       : "kruise.io/workloadspread-fake-subset-name");

    if (strcmp(version, "versionIgnored") != 0) {
      (void)json_object_set_new(pod, "version", json_string(version));
    }
    if (stuck[i]) {
      (void)json_object_set_new(pod, "deleted", json_true());
    }
    (void)json_object_set_new(
        out, rebal_cells_get_text(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, row, NULL), pod);
  }
}

int spreads_reconcile(struct conformance *run, struct spreads *spreads, const rebal_time *now, json_t *pods) {
  if (step(run, spreads, now)) {
    return 1;
  }
  if (pods != NULL) {
    report_pod_rows(run, spreads, pods);
  }
  return spreads_carry_out(run, spreads, now);
}

int spreads_report(const struct conformance *run, json_t *outcome) {
  const int64_t state = rebal_result_i64(run->result, REBAL_STEP_STATE, NULL)[0];
  const int64_t after = rebal_result_i64(run->result, REBAL_STEP_AFTER_NS, NULL)[0];
  const int64_t second = 1000000000;

  if (state == REBAL_STEP_STATE_RETRY) {
    (void)json_object_set_new(outcome, "error",
                              json_string(rebal_result_text(run->result, REBAL_STEP_MESSAGE, 0, NULL)));
  } else if (after != REBAL_ABSENT) {
    (void)json_object_set_new(
        outcome, "requeueAfterSeconds",
        after % second == 0 ? json_integer(after / second) : json_real((double)after / (double)second));
  }
  return state == REBAL_STEP_STATE_DONE;
}
