/* SPDX-License-Identifier: MIT */
/* Shared by the tests of admission: WorkloadSpreads and their findings. */
#ifndef SPREADS_H
#define SPREADS_H

#include "stores.h"

#define SPREAD_OF(version, name) \
  "{apiVersion: apps.kruise.io/" version ", kind: WorkloadSpread, metadata: {name: " name ", namespace: ns}, spec: {"
#define SPREAD SPREAD_OF("v1beta1", "ws")
#define TARGET "targetRef: {apiVersion: apps/v1, kind: Deployment, name: demo}, "
#define SUBSETS(items) SPREAD TARGET "subsets: [" items "]}}"
#define DEPLOYMENT                                                                                          \
  "{apiVersion: apps/v1, kind: Deployment, metadata: {name: demo, namespace: ns}, spec: {template: {spec: " \
  "{containers: "                                                                                           \
  "[{name: main, image: a}]}}}}\n---\n"

/* All findings, one per line: cause, path and text. The caller frees it with free(). */
static inline char *findings_text(const rebal_findings *findings) {
  static const char *const causes[] = {"none", "required", "invalid", "unsupported", "forbidden", "internal"};
  struct rebali_buffer out = REBALI_BUFFER;
  rebali_buffer_text(&out, "");
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    rebal_finding_row row = {.struct_size = sizeof row};
    ck_assert_int_eq(rebal_findings_read(findings, i, &row, NULL), REBAL_OK);
    rebali_buffer_text(&out, causes[row.cause]);
    rebali_buffer_text(&out, " ");
    rebali_buffer_text(&out, row.path);
    rebali_buffer_text(&out, ": ");
    rebali_buffer_text(&out, row.message);
    rebali_buffer_text(&out, "\n");
  }
  return out.bytes;
}

/* A row of the tests of admission: existing objects, the new object, expected findings. */
struct admission_row {
  const char *objects, *text, *stated;
};

static inline void assert_stated(rebal_store *store, const char *text, uint32_t old, const char *stated) {
  rebal_findings *findings = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t result = rebal_store_validate(store, text, strlen(text), old, NULL, &findings, &err);
  char *found;
  ck_assert_msg(result == REBAL_OK, "%s: %s (%s)", text, err.message, err.field);
  found = findings_text(findings);
  ck_assert_msg(strcmp(found, stated) == 0, "%s\ngives\n%sinstead of\n%s", text, found, stated);
  free(found);
  rebal_findings_free(findings);
}

static inline void assert_row(const struct admission_row *row) {
  rebal_store *store = row->objects[0] != '\0' ? store_of(row->objects) : store_new();
  assert_stated(store, row->text, REBAL_NONE, row->stated);
  rebal_store_free(store);
}

#endif
