/* SPDX-License-Identifier: MIT */
/* Turns that wait for their writes: which actions come when, and how failed writes change the answer (2.5 to 2.7). */
#include "turning.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

static const struct test_cluster clusters[] = {{"m1", "pods=2"}, {"m2", "pods=5"}};
static const struct test_affinity m1 = {.clusters = "m1"};
static const struct test_affinity nowhere = {.clusters = "m9"};
static const struct test_placement on_m1 = {.affinity = &m1, .scheduling = "Divided/Aggregated"};
static const struct test_placement on_none = {.affinity = &nowhere, .scheduling = "Divided/Aggregated"};
static const struct test_affinity small_large[] = {{"small", .clusters = "m1"}, {"large", .clusters = "m2"}};
static const struct test_placement copies = {.affinity = &m1};
static const struct test_placement rising = {.terms = small_large, .n_terms = 2, .scheduling = "Divided/Aggregated"};

#define WORK(count, placement_) .replicas = count, .request = "", .placement = &placement_, .generation = 4
#define LACKING \
  "failed to assign replicas: failed to scale up: Clusters available replicas 2 are not enough to schedule."
#define NO_FIT "0/2 clusters are available: 2 cluster(s) did not match the placement cluster affinity constraint."
#define FAILED "event Warning ScheduleBindingFailed "
#define REPORTED(result) \
  "event Normal ScheduleBindingSucceed Binding has been scheduled successfully. Result: {" result "}\n"
#define SCHEDULED "status generation=4 last=100 True Success Binding has been scheduled successfully. since 100\n"
#define GROUP_FAILED \
  FAILED "failed to schedule ResourceBinding(default/web) with clusterAffiliates index(0): " LACKING "\n"
#define OVER "denied: over quota"

/* The outcome of a write; 0: not observed. */
struct seen {
  int32_t outcome;
  const char *message;
  const char *reason; /* of the API server's response; NULL: none */
};

#define DONE {REBAL_OBSERVED_DONE, "", NULL}
#define BROKEN(text) {REBAL_OBSERVED_TRANSIENT, text, NULL}
#define DENIED(text, why) {REBAL_OBSERVED_DENIED, text, why}

static const struct {
  struct test_binding binding;
  struct seen seen[3]; /* placement, clusters, name of the group */
  const char *first;
  const char *second;
  const char *answer;
  int state;
} turns[] = {
    {{WORK(2, on_m1)},
     {DONE, DONE},
     "metadata\nspec m1:2\n",
     REPORTED("m1:2") SCHEDULED,
     "m1:2",
     REBAL_STEP_STATE_DONE},
    /* unchanged data are not written, and the turn does not wait for them */
    {{WORK(2, on_m1), .applied = &on_m1},
     {DONE, DONE},
     "spec m1:2\n",
     REPORTED("m1:2") SCHEDULED,
     "m1:2",
     REBAL_STEP_STATE_DONE},
    /* one of the two writes decides for both, which are one write in the reference */
    {{WORK(2, on_m1)},
     {DONE, BROKEN("boom")},
     "metadata\nspec m1:2\n",
     FAILED "boom\nstatus False SchedulerError boom since 100\n",
     "error: boom",
     REBAL_STEP_STATE_RETRY},
    {{WORK(2, on_m1)},
     {BROKEN("boom"), DONE},
     "metadata\nspec m1:2\n",
     FAILED "boom\nstatus False SchedulerError boom since 100\n",
     "error: boom",
     REBAL_STEP_STATE_RETRY},
    /* an aggregate contains each text once */
    {{WORK(2, on_m1)},
     {BROKEN("a"), BROKEN("b")},
     "metadata\nspec m1:2\n",
     FAILED "[a, b]\nstatus False SchedulerError [a, b] since 100\n",
     "error: [a, b]",
     REBAL_STEP_STATE_RETRY},
    {{WORK(2, on_m1)},
     {BROKEN("a"), BROKEN("a")},
     "metadata\nspec m1:2\n",
     FAILED "a\nstatus False SchedulerError a since 100\n",
     "error: a",
     REBAL_STEP_STATE_RETRY},
    /* without a text the outcome supplies one */
    {{WORK(2, on_m1)},
     {{REBAL_OBSERVED_NOT_FOUND, "", NULL}, {REBAL_OBSERVED_CONFLICT, "", NULL}},
     "metadata\nspec m1:2\n",
     FAILED "[the binding is gone, the binding has changed]\n"
            "status False SchedulerError [the binding is gone, the binding has changed] since 100\n",
     "error: [the binding is gone, the binding has changed]",
     REBAL_STEP_STATE_RETRY},
    {{WORK(2, on_m1)},
     {BROKEN(""), DENIED("", NULL)},
     "metadata\nspec m1:2\n",
     FAILED "[the write failed, the write was denied]\n"
            "status False SchedulerError [the write failed, the write was denied] since 100\n",
     "error: [the write failed, the write was denied]",
     REBAL_STEP_STATE_RETRY},
    /* a quota has a reason of its own, with its own text */
    {{WORK(2, on_m1), .targets = "m2=1"},
     {DONE, DENIED(OVER, "QuotaExceeded")},
     "metadata\nspec m1:2\n",
     FAILED OVER "\nstatus False QuotaExceeded " OVER " since 100\n",
     "quota: " OVER,
     REBAL_STEP_STATE_RETRY},
    {{WORK(2, on_m1)},
     {BROKEN("a"), DENIED(OVER, "QuotaExceeded")},
     "metadata\nspec m1:2\n",
     FAILED "[a, " OVER "]\nstatus False QuotaExceeded " OVER " since 100\n",
     "quota: [a, " OVER "]",
     REBAL_STEP_STATE_RETRY},
    {{WORK(2, on_m1)},
     {DONE, DENIED(OVER, "Forbidden")},
     "metadata\nspec m1:2\n",
     FAILED OVER "\nstatus False SchedulerError " OVER " since 100\n",
     "error: " OVER,
     REBAL_STEP_STATE_RETRY},
    {{WORK(2, on_m1)},
     {DONE, {REBAL_OBSERVED_CONFLICT, OVER, "QuotaExceeded"}},
     "metadata\nspec m1:2\n",
     FAILED OVER "\nstatus False SchedulerError " OVER " since 100\n",
     "error: " OVER,
     REBAL_STEP_STATE_RETRY},
    /* no fit is not retried, unless clearing the clusters failed */
    {{WORK(2, on_none), .targets = "m1=1"},
     {DONE, DONE},
     "metadata\nspec\n",
     FAILED NO_FIT "\nstatus False NoClusterFit " NO_FIT " since 100\n",
     "fit: " NO_FIT,
     REBAL_STEP_STATE_DONE},
    {{WORK(2, on_none), .targets = "m1=1"},
     {DONE, DENIED(OVER, "QuotaExceeded")},
     "metadata\nspec\n",
     FAILED "[" NO_FIT ", " OVER "]\nstatus False NoClusterFit [" NO_FIT ", " OVER "] since 100\n",
     "fit: [" NO_FIT ", " OVER "]",
     REBAL_STEP_STATE_RETRY},
    /* 2.6: failed groups are reported once, and the name is a separate write */
    {{WORK(4, rising)},
     {DONE, DONE, DONE},
     GROUP_FAILED "metadata\nspec m2:4\nstatus observing=large\n",
     REPORTED("m2:4") SCHEDULED,
     "m2:4",
     REBAL_STEP_STATE_DONE},
    {{WORK(4, rising)},
     {DONE, DONE, BROKEN("boom")},
     GROUP_FAILED "metadata\nspec m2:4\nstatus observing=large\n",
     FAILED "boom\nstatus False SchedulerError boom since 100\n",
     "error: boom",
     REBAL_STEP_STATE_RETRY},
    {{WORK(4, rising)},
     {DONE, DENIED(OVER, "QuotaExceeded"), BROKEN("boom")},
     GROUP_FAILED "metadata\nspec m2:4\nstatus observing=large\n",
     FAILED "[" OVER ", boom]\nstatus False QuotaExceeded " OVER " since 100\n",
     "quota: [" OVER ", boom]",
     REBAL_STEP_STATE_RETRY},
    {{WORK(4, rising), .observed = "large"},
     {DONE, DONE, DONE},
     "metadata\nspec m2:4\n",
     REPORTED("m2:4") SCHEDULED,
     "m2:4",
     REBAL_STEP_STATE_DONE},
};

static const rebal_record *reason_record(struct test_world *world, const char *reason) {
  const rebal_record *record = NULL;

  if (reason != NULL) {
    (void)rebal_builder_start(world->builder, REBAL_OBJECT_CONDITION, NULL);
    (void)rebal_builder_text(world->builder, REBAL_CONDITION_REASON, reason, strlen(reason), NULL);
    ck_assert_int_eq(rebal_builder_finish(world->builder, &record, NULL), REBAL_OK);
  }
  return record;
}

/* Observes the patches in the result. */
static void observe(struct test_world *world, rebal_observations *observations, const struct seen *seen) {
  static const int64_t kinds[] = {REBAL_ACTION_KIND_PATCH_METADATA, REBAL_ACTION_KIND_PATCH_SPEC,
                                  REBAL_ACTION_KIND_PATCH_STATUS};
  size_t n;
  const int64_t *given = rebal_result_i64(world->result, REBAL_ACTION_KIND, &n);
  const int64_t *ordinals = rebal_result_i64(world->result, REBAL_ACTION_ORDINAL, &n);

  for (size_t row = 0; row < n; row++) {
    for (size_t i = 0; i < REBALI_COUNT(kinds); i++) {
      if (given[row] == kinds[i] && seen[i].outcome != 0) {
        const rebal_observation observation = {.struct_size = sizeof observation,
                                               .outcome = seen[i].outcome,
                                               .ordinal = ordinals[row],
                                               .fields = reason_record(world, seen[i].reason),
                                               .message = seen[i].message,
                                               .message_len = strlen(seen[i].message)};

        ck_assert_int_eq(rebal_observations_add(observations, &observation, NULL), REBAL_OK);
      }
    }
  }
}

static int64_t state_of(const struct test_world *world, size_t row) {
  size_t n;

  return rebal_result_i64(world->result, REBAL_STEP_STATE, &n)[row];
}

struct waiting {
  struct test_world world;
  rebal_observations *observations;
  rebal_schedule_opts opts;
};

static void waiting_open(struct waiting *waiting, const struct test_binding *bindings, size_t n) {
  test_world_open(&waiting->world, NULL);
  for (size_t i = 0; i < REBALI_COUNT(clusters); i++) {
    (void)test_add_cluster(&waiting->world, &clusters[i]);
  }
  for (size_t i = 0; i < n; i++) {
    (void)test_add_binding(&waiting->world, NULL, &bindings[i]);
  }
  test_freeze(&waiting->world);
  ck_assert_int_eq(rebal_observations_new(NULL, &waiting->observations, NULL), REBAL_OK);
  waiting->opts = (rebal_schedule_opts){.struct_size = sizeof waiting->opts, .observations = waiting->observations};
}

static void waiting_close(struct waiting *waiting) {
  rebal_observations_free(waiting->observations);
  test_world_close(&waiting->world);
}

START_TEST(test_turns) {
  struct waiting waiting;

  waiting_open(&waiting, &turns[_i].binding, 1);
  ck_assert_str_eq(turn_actions(&waiting.world, &waiting.opts), turns[_i].first);
  ck_assert_int_eq(state_of(&waiting.world, 0), REBAL_STEP_STATE_WAITING);
  observe(&waiting.world, waiting.observations, turns[_i].seen);
  ck_assert_str_eq(turn_actions(&waiting.world, &waiting.opts), turns[_i].second);
  ck_assert_str_eq(test_answer(waiting.world.result, waiting.world.snapshot, 0), turns[_i].answer);
  ck_assert_int_eq(state_of(&waiting.world, 0), turns[_i].state);
  waiting_close(&waiting);
}
END_TEST

START_TEST(test_without_a_write_there_is_nothing_to_wait_for) {
  static const struct test_binding binding = {WORK(4, on_m1)};
  struct waiting waiting;

  waiting_open(&waiting, &binding, 1);
  ck_assert_str_eq(turn_actions(&waiting.world, &waiting.opts),
                   FAILED LACKING "\nstatus False Unschedulable " LACKING " since 100\n");
  ck_assert_int_eq(state_of(&waiting.world, 0), REBAL_STEP_STATE_RETRY);
  waiting_close(&waiting);
}
END_TEST

START_TEST(test_only_what_is_not_observed_is_given_again) {
  static const struct test_binding binding = {WORK(4, rising)};
  static const struct seen placement[3] = {DONE}, rest[3] = {{0}, DONE, DONE};
  struct waiting waiting;

  waiting_open(&waiting, &binding, 1);
  (void)turn_actions(&waiting.world, &waiting.opts);
  observe(&waiting.world, waiting.observations, placement);
  ck_assert_str_eq(turn_actions(&waiting.world, &waiting.opts), "spec m2:4\nstatus observing=large\n");
  ck_assert_int_eq(state_of(&waiting.world, 0), REBAL_STEP_STATE_WAITING);
  observe(&waiting.world, waiting.observations, rest);
  ck_assert_str_eq(turn_actions(&waiting.world, &waiting.opts), REPORTED("m2:4") SCHEDULED);
  /* the status is observed too: the turn is over */
  observe(&waiting.world, waiting.observations, rest);
  ck_assert_str_eq(turn_actions(&waiting.world, &waiting.opts), "");
  ck_assert_int_eq(state_of(&waiting.world, 0), REBAL_STEP_STATE_DONE);
  waiting_close(&waiting);
}
END_TEST

START_TEST(test_an_observed_generation_is_not_written_again) {
  static const struct test_binding binding = {WORK(2, on_m1), .applied = &on_m1, .targets = "m1=2"};
  static const struct seen status[3] = {{0}, {0}, DONE};
  struct waiting waiting;

  waiting_open(&waiting, &binding, 1);
  ck_assert_str_eq(turn_actions(&waiting.world, &waiting.opts), "status generation=4\n");
  ck_assert_int_eq(state_of(&waiting.world, 0), REBAL_STEP_STATE_DONE);
  observe(&waiting.world, waiting.observations, status);
  ck_assert_str_eq(turn_actions(&waiting.world, &waiting.opts), "");
  waiting_close(&waiting);
}
END_TEST

/* The reference retries if it could not write a status, and keeps what it wrote before (2.7). */
static const struct {
  struct test_binding binding;
  struct seen writes[3];
  struct seen status[3];
  const char *answer;
} unwritten[] = {
    {{WORK(2, on_m1)}, {DONE, DONE}, {{0}, {0}, DENIED("no", NULL)}, "error: no"},
    {{WORK(9, on_m1)}, {{0}}, {{0}, {0}, BROKEN("no")}, "error: no"},
    {{WORK(2, on_none), .targets = "m1=1"}, {DONE, DONE}, {{0}, {0}, BROKEN("")}, "error: the write failed"},
    {{WORK(2, on_m1), .applied = &on_m1, .targets = "m1=2"}, {{0}}, {{0}, {0}, BROKEN("no")}, "error: no"},
};

START_TEST(test_a_status_that_is_not_written_is_tried_again) {
  struct waiting waiting;

  waiting_open(&waiting, &unwritten[_i].binding, 1);
  (void)turn_actions(&waiting.world, &waiting.opts);
  observe(&waiting.world, waiting.observations, unwritten[_i].writes);
  if (unwritten[_i].writes[0].outcome != 0) {
    (void)turn_actions(&waiting.world, &waiting.opts);
  }
  observe(&waiting.world, waiting.observations, unwritten[_i].status);
  ck_assert_str_eq(turn_actions(&waiting.world, &waiting.opts), "");
  ck_assert_int_eq(state_of(&waiting.world, 0), REBAL_STEP_STATE_RETRY);
  ck_assert_str_eq(test_answer(waiting.world.result, waiting.world.snapshot, 0), unwritten[_i].answer);
  waiting_close(&waiting);
}
END_TEST

/* Two bindings compete for capacity: the second is decided once the write of the first is observed. */
START_TEST(test_a_ledger_is_charged_when_the_clusters_are_written) {
  static const struct test_binding bindings[] = {{.key = "ns/a", WORK(2, on_m1), .applied = &on_m1},
                                                 {.key = "ns/b", WORK(2, on_m1), .applied = &on_m1}};
  static const struct seen seen[][3] = {{{0}, DONE}, {{0}, BROKEN("boom")}};
  static const char *const second[] = {
      "unschedulable: failed to assign replicas: failed to scale up: Clusters "
      "available replicas 0 are not enough to schedule.",
      "m1:2"};
  struct waiting waiting;

  waiting_open(&waiting, bindings, REBALI_COUNT(bindings));
  ck_assert_int_eq(rebal_ledger_new(waiting.world.fleet, NULL, &waiting.opts.ledger, NULL), REBAL_OK);
  ck_assert_str_eq(turn_actions(&waiting.world, &waiting.opts), "spec m1:2\n");
  ck_assert_uint_eq(rebal_result_count(waiting.world.result, REBAL_TABLE_STEP), 1);
  ck_assert_uint_eq(rebal_result_count(waiting.world.result, REBAL_TABLE_DECISION), 1);
  observe(&waiting.world, waiting.observations, seen[_i]);
  (void)turn_actions(&waiting.world, &waiting.opts);
  ck_assert_str_eq(test_answer(waiting.world.result, waiting.world.snapshot, 1), second[_i]);
  ck_assert_int_eq(state_of(&waiting.world, 0), _i == 0 ? REBAL_STEP_STATE_DONE : REBAL_STEP_STATE_RETRY);
  ck_assert_int_eq(state_of(&waiting.world, 1), _i == 0 ? REBAL_STEP_STATE_RETRY : REBAL_STEP_STATE_WAITING);
  rebal_ledger_free(waiting.opts.ledger);
  waiting_close(&waiting);
}
END_TEST

/* The ledger follows the writes, whatever else happens in the turn (rebalance-karmada(7) 6.6). */
#define KEY .key = "ns/a"
static const struct {
  struct test_binding binding;
  struct seen seen[3]; /* empty: without observations all writes succeed */
  const char *before;  /* amounts held in m1 and m2 */
  const char *after;
} charges[] = {
    /* nothing to write: existing pods are not charged */
    {{KEY, WORK(2, copies), .applied = &copies, .targets = "m1=2"}, {{0}}, "", ""},
    {{KEY, WORK(2, copies), .targets = "m1=2"}, {{0}}, "", "m1=2"},
    {{KEY, WORK(2, copies), .applied = &copies, .targets = "m1=1"}, {{0}}, "", "m1=2"},
    {{KEY, WORK(4, rising)}, {DONE, DONE, DONE}, "", "m2=4"},
    {{KEY, WORK(4, rising)}, {DONE, DONE, BROKEN("boom")}, "", "m2=4"},
    {{KEY, WORK(4, rising)}, {DONE, BROKEN("boom"), DONE}, "m1=1", "m1=1"},
    /* clusters that are cleared hold nothing */
    {{KEY, WORK(2, on_none), .targets = "m1=1"}, {DONE, DONE}, "m1=1", ""},
    {{KEY, WORK(2, on_none), .targets = "m1=1"}, {DONE, BROKEN("boom")}, "m1=1", "m1=1"},
    {{KEY, WORK(2, on_none), .targets = "m1=1"}, {{0}}, "m1=1", ""},
    {{KEY, WORK(9, on_m1), .targets = "m1=1"}, {{0}}, "m1=1", "m1=1"},
};

static const char *held(struct test_world *world, const rebal_ledger *ledger) {
  static char text[64];
  size_t n, len = 0;

  ck_assert_int_eq(rebal_ledger_read(ledger, world->result, NULL), REBAL_OK);
  text[0] = '\0';
  for (size_t i = 0; i < rebal_result_count(world->result, REBAL_TABLE_SPENT); i++) {
    const uint32_t cluster = (uint32_t)rebal_result_i64(world->result, REBAL_SPENT_CLUSTER, &n)[i];

    len += (size_t)snprintf(text + len, sizeof text - len, "%s%s=%lld", i == 0 ? "" : " ",
                            test_cluster_name(world->snapshot, cluster),
                            (long long)rebal_result_i64(world->result, REBAL_SPENT_REPLICAS, &n)[i]);
  }
  return text;
}

START_TEST(test_a_ledger_follows_the_writes) {
  const int is_observed = charges[_i].seen[0].outcome != 0;
  struct waiting waiting;

  waiting_open(&waiting, &charges[_i].binding, 1);
  ck_assert_int_eq(rebal_ledger_new(waiting.world.fleet, NULL, &waiting.opts.ledger, NULL), REBAL_OK);
  if (charges[_i].before[0] != '\0') {
    test_charge(waiting.opts.ledger, "ns/a", test_cluster_id(&waiting.world, "m1"), REBAL_NONE, 1);
  }
  waiting.opts.observations = is_observed ? waiting.observations : NULL;
  (void)turn_actions(&waiting.world, &waiting.opts);
  if (is_observed) {
    observe(&waiting.world, waiting.observations, charges[_i].seen);
    ck_assert_str_eq(held(&waiting.world, waiting.opts.ledger), charges[_i].before);
    (void)turn_actions(&waiting.world, &waiting.opts);
  }
  ck_assert_str_eq(held(&waiting.world, waiting.opts.ledger), charges[_i].after);
  rebal_ledger_free(waiting.opts.ledger);
  waiting_close(&waiting);
}
END_TEST

static int32_t take_two_calls(const rebal_allocator *allocator, void *user_data) {
  static const struct seen seen[3] = {BROKEN("a"), DENIED(OVER, "QuotaExceeded"), BROKEN("b")};
  const rebal_time now = test_time(100);
  struct waiting *waiting = user_data;
  struct test_world *world = &waiting->world;
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  rebal_observations_reset(waiting->observations);
  for (int call = 0; call < 2 && code == REBAL_OK; call++) {
    code = rebal_scheduler_step(ctx, world->snapshot, world->bindings, &now, &waiting->opts, world->result, NULL);
    if (code == REBAL_OK && call == 0) {
      observe(world, waiting->observations, seen);
    }
  }
  if (code == REBAL_OK) {
    ck_assert_str_eq(test_answer(world->result, world->snapshot, 0), "quota: [a, " OVER ", b]");
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_without_memory) {
  static const struct test_binding binding = {WORK(4, rising)};
  struct waiting waiting;

  waiting_open(&waiting, &binding, 1);
  ck_assert_pstr_eq(test_torture(take_two_calls, &waiting), NULL);
  waiting_close(&waiting);
}
END_TEST

/* The status cannot be written, for a reason that takes memory. */
static int32_t fail_to_write_a_status(const rebal_allocator *allocator, void *user_data) {
  static char why[3000];
  struct waiting *waiting = user_data;
  struct test_world *world = &waiting->world;
  const rebal_time now = test_time(100);
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  memset(why, 'w', sizeof why - 1);
  rebal_observations_reset(waiting->observations);
  for (int64_t ordinal = 0; ordinal < 8; ordinal++) {
    ck_assert_int_eq(
        test_observe(waiting->observations, ordinal, ordinal < 2 ? REBAL_OBSERVED_DONE : REBAL_OBSERVED_DENIED, why),
        REBAL_OK);
  }
  if (code == REBAL_OK) {
    rebal_result_reset(world->result);
    code = rebal_scheduler_step(ctx, world->snapshot, world->bindings, &now, &waiting->opts, world->result, NULL);
    ck_assert_uint_eq(rebal_result_count(world->result, REBAL_TABLE_STEP), code == REBAL_OK);
  }
  if (code == REBAL_OK) {
    ck_assert_int_eq(state_of(world, 0), REBAL_STEP_STATE_RETRY);
    ck_assert_str_eq(rebal_result_text(world->result, REBAL_DECISION_MESSAGE, 0, NULL), why);
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_a_status_that_fails_without_memory) {
  static const struct test_binding binding = {WORK(2, on_m1)};
  struct waiting waiting;

  waiting_open(&waiting, &binding, 1);
  ck_assert_pstr_eq(test_torture(fail_to_write_a_status, &waiting), NULL);
  waiting_close(&waiting);
}
END_TEST

UNIT_CASE(writes) {
  TCase *cases = tcase_create("writes");

  tcase_set_timeout(cases, 60);
  tcase_add_loop_test(cases, test_turns, 0, (int)REBALI_COUNT(turns));
  tcase_add_test(cases, test_without_a_write_there_is_nothing_to_wait_for);
  tcase_add_test(cases, test_only_what_is_not_observed_is_given_again);
  tcase_add_test(cases, test_an_observed_generation_is_not_written_again);
  tcase_add_loop_test(cases, test_a_status_that_is_not_written_is_tried_again, 0, (int)REBALI_COUNT(unwritten));
  tcase_add_loop_test(cases, test_a_ledger_is_charged_when_the_clusters_are_written, 0, 2);
  tcase_add_loop_test(cases, test_a_ledger_follows_the_writes, 0, (int)REBALI_COUNT(charges));
  tcase_add_test(cases, test_without_memory);
  tcase_add_test(cases, test_a_status_that_fails_without_memory);
  return cases;
}
