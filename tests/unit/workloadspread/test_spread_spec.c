/* SPDX-License-Identifier: MIT */
#include "making.h"

static const struct rebali_spread_spec *spec_of(const rebal_spread *spread) {
  return &spread->spec;
}

START_TEST(test_subsets) {
  rebal_spread *spread = spread_of("Deployment", "a=3,b=30%,a,c", NULL);
  const struct rebali_spread_spec *spec = spec_of(spread);

  ck_assert_uint_eq(spec->n_subsets, 4);
  ck_assert_int_eq(spec->subsets[0].maximum.number, 3);
  ck_assert_int_eq(spec->subsets[1].maximum.is_text, 1);
  ck_assert_int_eq(spec->subsets[2].maximum.is_present, 0);
  ck_assert_uint_eq(spec->subsets[1].bucket, 1);
  ck_assert_uint_eq(spec->subsets[2].bucket, 0);
  ck_assert_uint_eq(spec->subsets[3].bucket, 3);
  ck_assert_uint_eq(spec->subsets[0].required, REBAL_NONE);
  ck_assert_uint_eq(spec->subsets[0].patch, REBAL_NONE);
  ck_assert_int_eq(spec->subsets[0].minimum.is_present, 0);
  ck_assert_int_eq(spec->has_percent, 1);
  ck_assert_int_eq(spec->takes_all, 0);
  rebal_spread_free(spread);
}
END_TEST

/* Wherever the search for a name starts, the first subset that has it is found. */
START_TEST(test_find) {
  rebal_spread *spread = spread_of("Deployment", "a=3,b=30%,a,c", NULL);

  for (size_t likely = 0; likely < 6; likely++) {
    ck_assert_uint_eq(rebali_spread_spec_find(spec_of(spread), REBALI_TEXT("a"), likely), 0);
    ck_assert_uint_eq(rebali_spread_spec_find(spec_of(spread), REBALI_TEXT("c"), likely), 3);
    ck_assert_uint_eq(rebali_spread_spec_find(spec_of(spread), REBALI_TEXT("d"), likely), REBAL_NONE);
  }
  rebal_spread_free(spread);
}
END_TEST

/* More subsets than are scanned. */
START_TEST(test_find_among_many) {
  rebal_spread *spread = spread_of("Deployment", "t,s,r,q,p,o,n,m,l,k,j,i,h,g,f,e,d,c,b,a,t,b,z", NULL);
  const struct rebali_spread_spec *spec = spec_of(spread);

  ck_assert_uint_eq(spec->n_subsets, 23);
  for (uint32_t i = 0; i < 23; i++) {
    ck_assert_uint_eq(spec->subsets[i].bucket, i == 20 ? 0 : i == 21 ? 18 : i);
    ck_assert_uint_eq(rebali_spread_spec_find(spec, spec->subsets[i].name, SIZE_MAX), spec->subsets[i].bucket);
    ck_assert_uint_eq(rebali_spread_spec_find(spec, spec->subsets[i].name, i), spec->subsets[i].bucket);
  }
  ck_assert_uint_eq(rebali_spread_spec_find(spec, REBALI_TEXT(""), 0), REBAL_NONE);
  ck_assert_uint_eq(rebali_spread_spec_find(spec, REBALI_TEXT("aa"), 3), REBAL_NONE);
  ck_assert_uint_eq(rebali_spread_spec_find(spec, REBALI_TEXT("zz"), 22), REBAL_NONE);
  rebal_spread_free(spread);
}
END_TEST

START_TEST(test_target_and_metadata) {
  rebal_spread *spread = spread_of("Deployment", "a", NULL);
  const struct rebali_spread_spec *spec = spec_of(spread);

  ck_assert_int_eq(spec->has_target, 1);
  ck_assert_int_eq(spec->target_is_malformed, 0);
  ck_assert(rebali_text_equal(spec->target_group, REBALI_TEXT("apps")));
  ck_assert(rebali_text_equal(spec->target_kind, REBALI_TEXT("Deployment")));
  ck_assert(rebali_text_equal(spec->target_name, REBALI_TEXT("web")));
  ck_assert(rebali_text_equal(spec->name, REBALI_TEXT("ws")));
  ck_assert(rebali_text_equal(spec->namespace_, REBALI_TEXT("ns")));
  ck_assert(rebali_text_equal(spec->resource_version, REBALI_TEXT("7")));
  ck_assert_int_eq(spec->takes_all, 1);
  ck_assert_int_eq(spec->has_percent, 0);
  ck_assert_int_eq(spec->is_deleting, 0);
  ck_assert_int_eq(spec->keeps_metadata, 0);
  ck_assert_int_eq(spec->critical_seconds, 0);
  rebal_spread_free(spread);
  spread = spread_of(NULL, "a=1", NULL);
  ck_assert_int_eq(spread->spec.has_target, 0);
  ck_assert_int_eq(spread->spec.takes_all, 0);
  rebal_spread_free(spread);
}
END_TEST

static const struct {
  const char *api_version;
  const char *group;
  int is_good;
} groups[] = {{"apps/v1", "apps", 1}, {"v1", "", 1}, {"", "", 1}, {"a/b/c", "a", 0}, {"/v1", "", 1}, {"a/", "a", 1}};

START_TEST(test_groups) {
  struct rebali_text group;

  ck_assert_int_eq(rebali_api_group(rebali_text(groups[_i].api_version, strlen(groups[_i].api_version)), &group),
                   groups[_i].is_good);
  ck_assert(rebali_text_equal(group, rebali_text(groups[_i].group, strlen(groups[_i].group))));
}
END_TEST

/* An object that is being deleted, with an annotation and a strategy. */
static rebal_spread *other_spread(const char *value, const char *type) {
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;
  const rebal_time then = {1, 0, 1};

  rebal_builder_start(builder, REBAL_OBJECT_WORKLOAD_SPREAD, NULL);
  rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_METADATA, NULL);
  rebal_builder_time(builder, REBAL_METADATA_DELETION_TIMESTAMP, &then, NULL);
  rebal_builder_begin(builder, REBAL_METADATA_ANNOTATIONS, NULL);
  put_text(builder, REBAL_PAIR_KEY, "another"); /* before the other one, by its bytes */
  put_text(builder, REBAL_PAIR_VALUE, "true");
  rebal_builder_end(builder, NULL);
  rebal_builder_begin(builder, REBAL_METADATA_ANNOTATIONS, NULL);
  put_text(builder, REBAL_PAIR_KEY, "workloadspread.kruise.io/ignore-patch-existing-pods-metadata");
  put_text(builder, REBAL_PAIR_VALUE, value);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_SPEC, NULL);
  rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SCHEDULE_STRATEGY, NULL);
  put_text(builder, REBAL_SCHEDULE_STRATEGY_TYPE, type);
  rebal_builder_begin(builder, REBAL_SCHEDULE_STRATEGY_ADAPTIVE, NULL);
  rebal_builder_i64(builder, REBAL_ADAPTIVE_STRATEGY_RESCHEDULE_CRITICAL_SECONDS, 30, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
  rebal_builder_free(builder);
  return spread;
}

static const struct {
  const char *annotation;
  const char *strategy;
  int keeps;
  int64_t seconds;
} others[] = {{"true", "Adaptive", 1, 30},
              {"TRue", "Fixed", 1, 0},
              {"tru", "", 0, 0},
              {"truer", "adaptive", 0, 0},
              {"", "Adaptive", 0, 30}};

START_TEST(test_annotation_and_strategy) {
  rebal_spread *spread = other_spread(others[_i].annotation, others[_i].strategy);

  ck_assert_int_eq(spread->spec.is_deleting, 1);
  ck_assert_int_eq(spread->spec.keeps_metadata, others[_i].keeps);
  ck_assert_int_eq(spread->spec.critical_seconds, others[_i].seconds);
  rebal_spread_free(spread);
}
END_TEST

UNIT_CASE(spread_spec) {
  TCase *cases = tcase_create("spread_spec");

  tcase_add_test(cases, test_subsets);
  tcase_add_test(cases, test_find);
  tcase_add_test(cases, test_find_among_many);
  tcase_add_test(cases, test_target_and_metadata);
  tcase_add_loop_test(cases, test_groups, 0, (int)REBALI_COUNT(groups));
  tcase_add_loop_test(cases, test_annotation_and_strategy, 0, (int)REBALI_COUNT(others));
  return cases;
}
