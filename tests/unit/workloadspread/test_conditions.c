/* SPDX-License-Identifier: MIT */
#include "pass_fixture.h"

/* Adaptive, with so many seconds (below 0: not set). */
static rebal_spread *adaptive(const char *type, const char *subsets, int64_t seconds, const char *status) {
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;

  start_spread(builder, "Job", status);
  put_subsets(builder, subsets);
  rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SCHEDULE_STRATEGY, NULL);
  put_text(builder, REBAL_SCHEDULE_STRATEGY_TYPE, type);
  rebal_builder_begin(builder, REBAL_SCHEDULE_STRATEGY_ADAPTIVE, NULL);
  if (seconds >= 0) {
    rebal_builder_i64(builder, REBAL_ADAPTIVE_STRATEGY_RESCHEDULE_CRITICAL_SECONDS, seconds, NULL);
  }
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
  rebal_builder_free(builder);
  return spread;
}

#define WAITS .phase = REBAL_POD_PHASE_PENDING, .unschedulable = 1

/* Subset a of two with 20 seconds: the pod that waits, and the result. */
static const struct {
  struct test_pod pod;
  const char *after;
  const char *actions;
} waits[] = {
    {{"p1", "a", .created = 979, WAITS}, "*:a=1/-1!,b=0/-1~|versionIgnored:a=1/-1!,b=0/-1~", "status, delete p1, done"},
    {{"p1", "a", .created = 980, WAITS}, "*:a=1/-1~,b=0/-1~|versionIgnored:a=1/-1~,b=0/-1~", "status, done"},
    {{"p1", "a", .created = 981, WAITS}, "*:a=1/-1~,b=0/-1~|versionIgnored:a=1/-1~,b=0/-1~", "status, wake 1, done"},
    /* A pod without a creation time has waited forever. */
    {{"p1", "a", WAITS}, "*:a=1/-1!,b=0/-1~|versionIgnored:a=1/-1!,b=0/-1~", "status, delete p1, done"},
    {{"p1", "a", .phase = REBAL_POD_PHASE_PENDING}, "*:a=1/-1~,b=0/-1~|versionIgnored:a=1/-1~,b=0/-1~", "status, done"},
    {{"p1", "a", .unschedulable = 1}, "*:a=1/-1~,b=0/-1~|versionIgnored:a=1/-1~,b=0/-1~", "status, done"},
    {{"p1", "a", .node = "n1", WAITS}, "*:a=1/-1~,b=0/-1~|versionIgnored:a=1/-1~,b=0/-1~", "status, done"},
    {{"p1", "a", .deleting = 1, WAITS}, "*:a=0/-1~,b=0/-1~|versionIgnored:a=0/-1~,b=0/-1~", "status, done"},
    /* The last subset is never given up, and a pod in none is left alone. */
    {{"p1", "b", WAITS}, "*:a=0/-1~,b=1/-1~|versionIgnored:a=0/-1~,b=1/-1~", "status, done"},
    {{"p1", "x", WAITS}, "*:a=0/-1~,b=0/-1~|versionIgnored:a=0/-1~,b=0/-1~", "status, done"},
};

START_TEST(test_stuck) {
  struct pass_fixture fixture;

  pass_open(&fixture, adaptive("Adaptive", "a,b", 20, NULL), 2);
  pass_add(&fixture, &waits[_i].pod);
  pass_step(&fixture);
  ck_assert_str_eq(pass_status(&fixture), waits[_i].after);
  ck_assert_str_eq(pass_actions(&fixture), waits[_i].actions);
  pass_close(&fixture);
}
END_TEST

/* By subset, then by version; a limit that cannot be read saves them all. */
START_TEST(test_order_of_deletions) {
  static const struct test_pod pods[] = {{"p1", "b", .version = "v1", WAITS},
                                         {"p2", "a", .version = "v2", WAITS},
                                         {"p3", "a", .version = "v1", WAITS},
                                         {"p4", "b", .version = "v1", WAITS},
                                         {"p5", "c", .version = "v1", WAITS}};
  struct pass_fixture fixture;

  pass_open(&fixture, adaptive("Adaptive", "a,b,c", 20, NULL), 2);
  for (size_t i = 0; i < REBALI_COUNT(pods); i++) {
    pass_add(&fixture, &pods[i]);
  }
  pass_step(&fixture);
  ck_assert_str_eq(pass_actions(&fixture), "status, delete p3, delete p2, delete p1, delete p4, done");
  ck_assert_str_eq(pass_pods(&fixture), "p3@v1=a x, p1@v1=b x, p4@v1=b x, p5@v1=c , p2@v2=a x");
  ck_assert_str_eq(rebal_result_text(fixture.world.result, REBAL_ACTION_UID, 1, NULL), "p3");
  pass_use(&fixture, adaptive("Adaptive", "a,b=x,c", 20, NULL), 2);
  pass_step(&fixture);
  ck_assert_str_eq(pass_actions(&fixture), "done");
  ck_assert_str_eq(pass_pods(&fixture), "p3@v1=a , p1@v1=b , p4@v1=b , p5@v1=c , p2@v2=a ");
  pass_close(&fixture);
}
END_TEST

/* Without seconds, or in another strategy, there are no conditions. */
START_TEST(test_not_adaptive) {
  static const struct {
    const char *type;
    int64_t seconds;
  } strategies[] = {{"Adaptive", -1}, {"Adaptive", 0}, {"Fixed", 20}, {"", 20}};
  static const struct test_pod pod = {"p1", "a", .version = "v1", WAITS};

  for (size_t i = 0; i < REBALI_COUNT(strategies); i++) {
    struct pass_fixture fixture;

    pass_open(&fixture,
              adaptive(strategies[i].type, "a,b", strategies[i].seconds, "*:a=1/-1!,b=0/-1|v1:a=1/-1!,b=0/-1"), 2);
    pass_add(&fixture, &pod);
    pass_step(&fixture);
    ck_assert_str_eq(pass_status(&fixture), "*:a=1/-1,b=0/-1|v1:a=1/-1,b=0/-1");
    ck_assert_str_eq(pass_actions(&fixture), "status, done");
    pass_close(&fixture);
  }
}
END_TEST

/* ---- a condition's life ------------------------------------------------------------------------------------------ */

static const struct {
  const char *status;
  const char *reason;
  int64_t since;
  int is_stuck;
  uint32_t option;
  const char *after; /* "status reason since" */
  const char *actions;
} lives[] = {
    /* Three subsets with 200 seconds. */
    {"False", "PodUnschedulable", 701, 0, 0, "False PodUnschedulable 701", "status, wake 1, done"},
    {"False", "PodUnschedulable", 700, 0, 0, "False PodUnschedulable 700", "status, done"},
    {"False", "PodUnschedulable", 699, 0, 0, "True Sufficient 1000", "event RecoverSchedulable, status, done"},
    {"False", "PodUnschedulable", 0, 0, 0, "True Sufficient 1000", "event RecoverSchedulable, status, done"},
    {"False", "PodUnschedulable", 1, 1, 0, "False PodUnschedulable 1", "status, delete p1, done"},
    {"False", "Other", 1, 1, 0, "False PodUnschedulable 1", "status, delete p1, done"},
    {"True", "Sufficient", 1, 1, 0, "False PodUnschedulable 1000", "status, delete p1, done"},
    {"True", "Sufficient", 1, 0, 0, "True Sufficient 1", "status, done"},
    {"True", "Other", 1, 0, 0, "True Other 1", "status, done"},
    {"Unknown", "Other", 1, 0, 0, "Unknown Other 1", "status, done"},
    /* Each is tried once before the first is tried again: 200 * 2 + 5 seconds. */
    {"False", "PodUnschedulable", 699, 0, REBAL_OPTION_SPREAD_LONG_WAIT, "False PodUnschedulable 699",
     "status, wake 104, done"},
    {"False", "PodUnschedulable", 594, 0, REBAL_OPTION_SPREAD_LONG_WAIT, "True Sufficient 1000",
     "event RecoverSchedulable, status, done"},
};

static const rebal_record *old_status(rebal_builder *builder, int life) {
  const rebal_time since = test_time(lives[life].since);

  rebal_builder_start(builder, REBAL_OBJECT_SPREAD_STATUS, NULL);
  rebal_builder_begin(builder, REBAL_SPREAD_STATUS_SUBSETS, NULL);
  put_text(builder, REBAL_SUBSET_STATUS_NAME, "a");
  rebal_builder_begin(builder, REBAL_SUBSET_STATUS_CONDITIONS, NULL);
  put_text(builder, REBAL_CONDITION_TYPE, "Other");
  rebal_builder_end(builder, NULL);
  rebal_builder_begin(builder, REBAL_SUBSET_STATUS_CONDITIONS, NULL);
  put_text(builder, REBAL_CONDITION_TYPE, "Schedulable");
  put_text(builder, REBAL_CONDITION_STATUS, lives[life].status);
  put_text(builder, REBAL_CONDITION_REASON, lives[life].reason);
  rebal_builder_time(builder, REBAL_CONDITION_LAST_TRANSITION_TIME, &since, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  return finish(builder);
}

static const char *show_condition(const rebal_record *status) {
  static char text[100];
  const uint32_t entry = rebal_record_next(status, 0, REBAL_SPREAD_STATUS_SUBSETS, REBAL_NONE);
  const uint32_t condition = rebal_record_next(status, entry, REBAL_SUBSET_STATUS_CONDITIONS, REBAL_NONE);
  rebal_time since;

  ck_assert_uint_eq(rebal_record_next(status, entry, REBAL_SUBSET_STATUS_CONDITIONS, condition), REBAL_NONE);
  rebal_record_time(status, rebal_record_next(status, condition, REBAL_CONDITION_LAST_TRANSITION_TIME, REBAL_NONE),
                    &since);
  (void)snprintf(
      text, sizeof text, "%s %s %lld",
      rebal_record_text(status, rebal_record_next(status, condition, REBAL_CONDITION_STATUS, REBAL_NONE), NULL),
      rebal_record_text(status, rebal_record_next(status, condition, REBAL_CONDITION_REASON, REBAL_NONE), NULL),
      (long long)since.seconds);
  return text;
}

START_TEST(test_life) {
  static const struct test_pod pod = {"p1", "a", WAITS};
  rebal_compat *compat = test_compat(lives[_i].option, 1);
  rebal_builder *builder = new_builder();
  struct pass_fixture fixture;

  pass_open(&fixture, adaptive("Adaptive", "a,b,c", 200, NULL), 2);
  fixture.opts.compat = compat;
  ck_assert_int_eq(rebal_spread_load_status(fixture.spread, old_status(builder, _i), NULL), REBAL_OK);
  if (lives[_i].is_stuck) {
    pass_add(&fixture, &pod);
  }
  pass_step(&fixture);
  ck_assert_str_eq(show_condition(pass_payload(&fixture, REBAL_ACTION_KIND_PATCH_STATUS)), lives[_i].after);
  ck_assert_str_eq(pass_actions(&fixture), lives[_i].actions);
  if (lives[_i].after[0] == 'T' && lives[_i].status[0] == 'F') {
    ck_assert_str_eq(pass_events(&fixture),
                     "Subset a of WorkloadSpread ns/ws is recovered from unschedulable to schedulable; ");
  }
  pass_step(&fixture);
  ck_assert_ptr_null(pass_payload(&fixture, REBAL_ACTION_KIND_PATCH_STATUS));
  pass_close(&fixture);
  rebal_builder_free(builder);
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_join) {
  const struct rebali_text none = {NULL, 0};
  const struct rebali_text parts[] = {REBALI_TEXT("a"), none, REBALI_TEXT("bc"), REBALI_TEXT("")};
  rebal_allocator memory;
  struct rebali_arena arena;
  struct rebali_text joined;

  ck_assert_int_eq(rebali_allocator_load(&memory, NULL, NULL), REBAL_OK);
  rebali_arena_init(&arena, &memory, 0);
  joined = rebali_pass_join(&arena, parts, REBALI_COUNT(parts));
  ck_assert(rebali_text_equal(joined, REBALI_TEXT("abc")));
  joined = rebali_pass_join(&arena, parts + 1, 1);
  ck_assert_ptr_nonnull(joined.bytes);
  ck_assert_uint_eq(joined.len, 0);
  rebali_arena_dispose(&arena);
}
END_TEST

UNIT_CASE(conditions) {
  TCase *cases = tcase_create("conditions");

  tcase_add_loop_test(cases, test_stuck, 0, (int)REBALI_COUNT(waits));
  tcase_add_test(cases, test_order_of_deletions);
  tcase_add_test(cases, test_not_adaptive);
  tcase_add_test(cases, test_join);
  tcase_add_loop_test(cases, test_life, 0, (int)REBALI_COUNT(lives));
  return cases;
}
