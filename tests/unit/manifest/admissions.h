/* SPDX-License-Identifier: MIT */
/* Shared by the tests of admission by a feed. */
#ifndef ADMISSIONS_H
#define ADMISSIONS_H

#include "feeds.h"

#define DEMO OBJECT_OF("apps/v1", "ReplicaSet", "demo") ", uid: u}, spec: {replicas: 4}}\n"
#define OF_DEMO OWNED_BY("apps/v1", "ReplicaSet", "demo", "u")
#define DEMO_POD(rest) "{apiVersion: v1, kind: Pod, metadata: {namespace: ns" OF_DEMO rest "}}"
#define DEMO_SPREAD(subsets)                                                                                           \
  OBJECT_OF("apps.kruise.io/v1beta1", "WorkloadSpread", "ws")                                                          \
  ", resourceVersion: '3'}, spec: {targetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: demo}, subsets: [" subsets \
  "]}}\n"
#define MATCHED_BY(subset) \
  ", annotations: {apps.kruise.io/matched-workloadspread: '{\"name\":\"ws\",\"subset\":\"" subset "\"}'}"

struct admission {
  struct feeding feeding;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_text *text;
  rebal_error err;
};

static inline struct admission admission_open(const char *objects) {
  struct admission admission = {.feeding = feeding_open(objects), .err = REBAL_ERROR_INIT};
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &admission.ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &admission.result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_new(&admission.text, NULL), REBAL_OK);
  return admission;
}

static inline void admission_close(struct admission *admission) {
  rebal_text_free(admission->text);
  rebal_result_free(admission->result);
  rebal_ctx_free(admission->ctx);
  feeding_close(&admission->feeding);
}

static inline const char *admission_text(const struct admission *admission) {
  return rebal_text_bytes(admission->text, NULL);
}

/* A cell of the only row of ADMITTED; REBAL_ABSENT if there is none. */
static inline int64_t admission_cell(const struct admission *admission, uint32_t column) {
  size_t n;
  const int64_t *cells = rebal_result_i64(admission->result, column, &n);
  return n == 1 ? cells[0] : REBAL_ABSENT;
}

/* The feed must have as many pods as the store: admitted pods are not kept. */
static inline void assert_no_row_is_left(const struct admission *admission) {
  size_t n = 0;
  for (uint32_t i = rebal_store_next(admission->feeding.store, "Pod", 3, REBAL_NONE); i != REBAL_NONE;
       i = rebal_store_next(admission->feeding.store, "Pod", 3, i)) {
    n++;
  }
  ck_assert_uint_eq(
      rebal_cells_count(rebal_pods_const_cells(admission->feeding.feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE), n);
}

/* Carries the status out on the store. */
static inline void admission_write(const struct admission *admission) {
  const rebal_time now = time_of(NOW);
  ck_assert_uint_eq(rebal_result_count(admission->result, REBAL_TABLE_ACTION), 1);
  ck_assert_int_eq(rebal_store_carry_out(admission->feeding.store, admission->result, 0, &now, NULL, NULL), REBAL_OK);
}

#endif
