/* SPDX-License-Identifier: MIT */
#include "pass_fixture.h"

/* The status before a pass over one pod of v1 in a, and the written one; "" for none. */
static const struct {
  const char *before;
  int is_adaptive;
  const char *after;
} statuses[] = {
    {"*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1", 0, ""},
    {NULL, 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    /* Each number, and each list. */
    {"*:a=0/1,b=0/-1|v1:a=1/1,b=0/-1", 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    {"*:a=1/2,b=0/-1|v1:a=1/1,b=0/-1", 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    {"*:a=1/1,b=0/-1|v1:a=1/1,b=0/3", 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    {"v1:a=1/1,b=0/-1", 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    {"*:a=1/1,b=0/-1", 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    /* Subsets that come, go, or move. */
    {"*:a=1/1|v1:a=1/1,b=0/-1", 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    {"*:a=1/1,b=0/-1,c=0/0|v1:a=1/1,b=0/-1", 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    {"*:a=1/1,b=0/-1|v1:b=0/-1,a=1/1", 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    {"*:a=1/1,a=1/1|v1:a=1/1,b=0/-1", 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    /* Pods in flight, and those that are not any more. */
    {"*:a=1/1,b=0/-1|v1:a=1/0+x@990,b=0/-1-y@990", 0, "*:a=1/1,b=0/-1|v1:a=1/0+x@990,b=0/-1"},
    {"*:a=1/1,b=0/-1|v1:a=1/0+x@990,b=0/-1", 0, ""},
    {"*:a=1/1,b=0/-1|v1:a=1/2-p1@990,b=0/-1", 0, ""},
    /* Versions that are removed; one without subsets was listed as well. */
    {"*:a=1/1,b=0/-1|v0:a=0/2,b=0/-1|v1:a=1/1,b=0/-1", 0, "*:a=1/1,b=0/-1|v0:|v1:a=1/1,b=0/-1"},
    {"*:a=1/1,b=0/-1|v0:|v1:a=1/1,b=0/-1", 0, "*:a=1/1,b=0/-1|v0:|v1:a=1/1,b=0/-1"},
    {"*:a=1/1,b=0/-1|v0:a=0/1+x@990,b=0/-1|v1:a=1/1,b=0/-1", 0, ""},
    /* Conditions: none without seconds; with seconds the only one. */
    {"*:a=1/1!,b=0/-1|v1:a=1/1,b=0/-1", 0, "*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1"},
    {"*:a=1/1,b=0/-1|v1:a=1/1,b=0/-1", 1, "*:a=1/1~,b=0/-1~|v1:a=1/1~,b=0/-1~"},
    {"*:a=1/1~~,b=0/-1~|v1:a=1/1~,b=0/-1~", 1, "*:a=1/1~,b=0/-1~|v1:a=1/1~,b=0/-1~"},
};

START_TEST(test_differs) {
  static const struct test_pod pod = {"p1", "a", .version = "v1"};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Job", "a=2,b", statuses[_i].before), 1);
  fixture.spread->spec.critical_seconds = statuses[_i].is_adaptive ? 20 : 0;
  pass_add(&fixture, &pod);
  pass_step(&fixture);
  ck_assert_str_eq(pass_status(&fixture), statuses[_i].after);
  /* The written status is up to date. */
  pass_step(&fixture);
  ck_assert_str_eq(pass_status(&fixture), "");
  pass_close(&fixture);
}
END_TEST

static int64_t observed_generation(const struct pass_fixture *fixture) {
  const rebal_record *status = pass_payload(fixture, REBAL_ACTION_KIND_PATCH_STATUS);

  return status == NULL ? REBAL_ABSENT
                        : rebal_record_i64(status, rebal_record_next(status, 0, REBAL_SPREAD_STATUS_OBSERVED_GENERATION,
                                                                     REBAL_NONE));
}

/* A new generation is observed though nothing else changes. */
START_TEST(test_generation) {
  rebal_builder *builder = new_builder();
  struct pass_fixture fixture;
  rebal_spread *spread = NULL;

  rebal_builder_start(builder, REBAL_OBJECT_WORKLOAD_SPREAD, NULL);
  rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_METADATA, NULL);
  rebal_builder_i64(builder, REBAL_METADATA_GENERATION, 5, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_STATUS, NULL);
  rebal_builder_i64(builder, REBAL_SPREAD_STATUS_OBSERVED_GENERATION, 4, NULL);
  put_status(builder, "*:a=0/-1");
  rebal_builder_end(builder, NULL);
  rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_SPEC, NULL);
  rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_REF, NULL);
  put_text(builder, REBAL_REFERENCE_KIND, "Job");
  rebal_builder_end(builder, NULL);
  put_subsets(builder, "a");
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
  pass_open(&fixture, spread, 1);
  pass_step(&fixture);
  ck_assert_int_eq(observed_generation(&fixture), 5);
  pass_step(&fixture);
  ck_assert_int_eq(observed_generation(&fixture), REBAL_ABSENT);
  pass_close(&fixture);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(new_status) {
  TCase *cases = tcase_create("new_status");

  tcase_add_loop_test(cases, test_differs, 0, (int)REBALI_COUNT(statuses));
  tcase_add_test(cases, test_generation);
  return cases;
}
