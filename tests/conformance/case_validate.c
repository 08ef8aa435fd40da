/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <rebalance/manifest.h>
#include <stdlib.h>
#include <string.h>

static int put_object(struct conformance *run, rebal_store *store, const json_t *object) {
  char *text = json_dumps(object, JSON_COMPACT);
  const int failure = text == NULL || failed(run, rebal_store_load(store, text, strlen(text), &run->err));

  free(text);
  return failure;
}

static int put_objects(struct conformance *run, rebal_store *store, const json_t *objects) {
  const json_t *object;
  size_t i;

  json_array_foreach(objects, i, object) {
    if (put_object(run, store, object)) {
      return 1;
    }
  }
  return 0;
}

/* The object that an update replaces goes into the store last. */
static int open_store(struct conformance *run, const json_t *input, rebal_store **store, uint32_t *old) {
  const json_t *before = json_object_get(input, "oldWorkloadSpread");
  const char *name = text_at(before, "metadata.name"), *space = text_at(before, "metadata.namespace");

  *old = REBAL_NONE;
  if (failed(run, rebal_store_new(NULL, store, &run->err)) ||
      put_objects(run, *store, json_object_get(input, "objects")) ||
      put_objects(run, *store, json_object_get(input, "otherWorkloadSpreads"))) {
    return 1;
  }
  if (strcmp(text_at(input, "operation"), "Update") != 0) {
    return 0;
  }
  if (put_object(run, *store, before)) {
    return 1;
  }
  *old = rebal_store_find(*store, "WorkloadSpread", 14, space, strlen(space), name, strlen(name));
  return *old == REBAL_NONE;
}

static json_t *report(const rebal_findings *findings) {
  const size_t n = rebal_findings_count(findings, REBAL_SEVERITY_ERROR);
  json_t *errors = json_array();
  size_t i;

  for (i = 0; i < n; i++) {
    rebal_finding_row row = {.struct_size = sizeof row};

    (void)rebal_findings_read(findings, i, &row, NULL);
    (void)json_array_append_new(
        errors, json_pack("{s:s, s:s, s:s}", "type", rebal_enum_name(REBAL_ENUM_CAUSE, row.cause, NULL), "field",
                          row.path, "detail", row.message));
  }
  return json_pack("{s:b, s:o}", "allowed", n == 0, "errors", errors);
}

json_t *case_validate(struct conformance *run, const json_t *input) {
  char *text = json_dumps(json_object_get(input, "workloadSpread"), JSON_COMPACT);
  rebal_findings *findings = NULL;
  rebal_store *store = NULL;
  json_t *outcome = NULL;
  uint32_t old;

  if (!open_store(run, input, &store, &old) &&
      !failed(run, rebal_store_validate(store, text, strlen(text), old, NULL, &findings, &run->err))) {
    outcome = report(findings);
  }
  rebal_findings_free(findings);
  rebal_store_free(store);
  free(text);
  return outcome;
}
