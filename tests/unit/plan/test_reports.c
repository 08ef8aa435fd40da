/* SPDX-License-Identifier: MIT */
/*
 * Reports of Karmada's users: the result of rebal_schedule(), which equals that of its scheduler, is applied at once
 * and breaks the expectation; a plan of the same bindings is carried out and keeps it.
 */
#include "../../support/words.h"
#include "plan_fixture.h"
#include "waves.h"

#include <stdio.h>

#define MEMBERS 3
#define CLUSTERS "a=30 b=30 c=30"
#define FOREVER INT32_MAX

static const struct test_placement evenly = {.scheduling = "Divided/Weighted", .weights = "a=1 b=1"};
static const struct test_placement in_a = {.scheduling = "Divided/Weighted", .weights = "a=1"};
static const struct test_placement dynamic = {.scheduling = "Divided/Weighted/AvailableReplicas"};
static struct plan_fixture fixture;
static struct waves waves;

/* Members in which new replicas become ready when nothing else happens, as many as can run; of those that go, the first
 * are not ready. */
static struct {
  int32_t assigned[MEMBERS], ready[MEMBERS], can_run[MEMBERS];
  int32_t least, least_of_a, most_of_a;
} members;

static void setup(void) {
  plan_open(&fixture, CLUSTERS);
  waves_open(&waves, CLUSTERS);
  memset(&members, 0, sizeof members);
  for (size_t i = 0; i < MEMBERS; i++) {
    members.can_run[i] = FOREVER;
  }
}
static void teardown(void) {
  waves_close(&waves);
  plan_close(&fixture);
}

static int32_t count_ready(void) {
  return members.ready[0] + members.ready[1] + members.ready[2];
}

/* Applies a placement: "a=3 b=1", or "a:3 b:1" as the scheduler's results are written. */
static void assign(const char *placement, char separator) {
  struct test_word rest = test_word(placement), word;
  int32_t assigned[MEMBERS] = {0};

  while (test_next(&rest, ' ', &word)) {
    const struct test_word count = test_cut(&word, separator);

    ck_assert_uint_eq(word.len, 1);
    assigned[word.text[0] - 'a'] = (int32_t)test_number(count);
  }
  for (size_t i = 0; i < MEMBERS; i++) {
    members.assigned[i] = assigned[i];
    members.ready[i] = members.ready[i] < assigned[i] ? members.ready[i] : assigned[i];
  }
  members.least = count_ready() < members.least ? count_ready() : members.least;
  members.least_of_a = members.ready[0] < members.least_of_a ? members.ready[0] : members.least_of_a;
  members.most_of_a = assigned[0] > members.most_of_a ? assigned[0] : members.most_of_a;
}

static void settle(void) {
  for (size_t i = 0; i < MEMBERS; i++) {
    members.ready[i] = members.assigned[i] < members.can_run[i] ? members.assigned[i] : members.can_run[i];
  }
}

static void start(const char *placement) {
  assign(placement, '=');
  settle();
  members.least = count_ready();
  members.least_of_a = members.ready[0];
  members.most_of_a = members.assigned[0];
}

/* Applies the scheduler's result for the first binding of the world at once. */
static void schedule_at_once(const char *expected) {
  ck_assert_str_eq(test_schedule(&fixture.world, NULL, 0), expected);
  assign(expected, ':');
  settle();
}

static const char *step(int64_t replicas) {
  char targets[64], items[96];
  int target = 0, item = 0;

  targets[0] = '\0';
  for (size_t i = 0; i < MEMBERS; i++) {
    if (members.assigned[i] > 0) {
      target += snprintf(targets + target, sizeof targets - (size_t)target, "%s%c=%d", target == 0 ? "" : " ",
                         (char)('a' + i), (int)members.assigned[i]);
      item += snprintf(items + item, sizeof items - (size_t)item, "%s%c=%d/%d", item == 0 ? "" : " ", (char)('a' + i),
                       (int)members.assigned[i], (int)members.ready[i]);
    }
  }
  waves_forget(&waves);
  (void)waves_see_plainly(&waves, "default/web", replicas, targets, items);
  test_freeze(&waves.world);
  ck_assert_int_eq(rebal_bindings_freeze(waves.seen, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_plan_step(waves.world.ctx, waves.world.snapshot, waves.seen, fixture.plan, &fixture.now,
                                   &waves.opts, waves.world.result, NULL),
                   REBAL_OK);
  return waves_row(&waves, 0);
}

static void carry_out(int64_t replicas) {
  static const char moving[] = "moving ";
  const char *answer = step(replicas);

  for (int i = 0; strcmp(answer, "done") != 0; i++) {
    ck_assert_msg(i < 100, "%s", answer);
    if (strncmp(answer, moving, sizeof moving - 1) == 0) {
      assign(answer + sizeof moving - 1, '=');
    } else {
      ck_assert_msg(strncmp(answer, "waiting", 7) == 0, "%s", answer);
      settle();
    }
    answer = step(replicas);
  }
}

/* ---- #3272: never fewer than ten in total while replicas move ---------------------------------------------------- */

START_TEST(test_ten_stay_ready_while_they_move) {
  const struct test_binding web = {.replicas = 10, .request = "", .placement = &evenly, .targets = "a=10"};

  (void)plan_add(&fixture, &web);
  fixture.opts.flags = REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "a:10>5>5 b:->5>5");
  start("a=10");
  schedule_at_once("a:5 b:5");
  ck_assert_int_eq(members.least, 5);
  start("a=10");
  carry_out(10);
  ck_assert_int_eq(members.least, 10);
  ck_assert_int_eq(members.assigned[1], 5);
}
END_TEST

/* ---- #7662: only what cannot run is moved, and what is ready stays where it is ----------------------------------- */

/* Six of ten run in a, which is full; a reschedule is triggered, or not. */
static void add_stuck(int64_t triggered_at) {
  const struct test_binding web = {.replicas = 10,
                                   .request = "",
                                   .placement = &dynamic,
                                   .applied = &dynamic,
                                   .targets = "a=10",
                                   .scheduled_at = PLAN_NOW - 1000,
                                   .triggered_at = triggered_at};

  plan_close(&fixture);
  plan_open(&fixture, "a=0 b=30 c=30");
  plan_set_ready(&fixture, plan_add(&fixture, &web), "a=6");
  members.can_run[0] = 6;
  start("a=10");
}

START_TEST(test_only_what_cannot_run_moves) {
  const rebal_deschedule_opts deschedule = {.struct_size = (uint32_t)sizeof deschedule,
                                            .flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS};

  add_stuck(PLAN_NOW);
  test_freeze(&fixture.world);
  schedule_at_once("a:2 b:4 c:4");
  ck_assert_int_eq(members.least_of_a, 2);
  add_stuck(0);
  fixture.opts.mode = REBAL_PLAN_MODE_STEADY;
  fixture.opts.deschedule = &deschedule;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "a:10>6>6 b:->2>2 c:->2>2");
  ck_assert_str_eq(plan_moves(&fixture, 0), "a-b:2 a-c:2");
  carry_out(10);
  ck_assert_int_eq(members.least_of_a, 6);
  ck_assert_int_eq(count_ready(), 10);
}
END_TEST

/* ---- #7805: replicas and weights are edited together, in either order -------------------------------------------- */

/* One edit is seen before the other. */
static void edit(int64_t replicas, const struct test_placement *placement, const char *targets, const char *expected) {
  const struct test_binding web = {
      .replicas = replicas, .request = "", .placement = placement, .applied = &evenly, .targets = targets};

  plan_close(&fixture);
  plan_open(&fixture, CLUSTERS);
  (void)plan_add(&fixture, &web);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  schedule_at_once(expected);
}

START_TEST(test_edits_are_planned_on_their_final_state) {
  const struct test_binding web = {
      .replicas = 5, .request = "", .placement = &in_a, .applied = &evenly, .targets = "a=5 b=5"};

  start("a=5 b=5");
  edit(5, &evenly, "a=5 b=5", "a:3 b:2");
  edit(5, &in_a, "a=3 b=2", "a:5");
  ck_assert_int_eq(members.least_of_a, 3); /* replicas first: half of them are removed and added again */
  start("a=5 b=5");
  edit(10, &in_a, "a=5 b=5", "a:10");
  edit(5, &in_a, "a=10", "a:5");
  ck_assert_int_eq(members.most_of_a, 10); /* weights first: twice as many as ever needed */
  plan_close(&fixture);
  plan_open(&fixture, CLUSTERS);
  (void)plan_add(&fixture, &web);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "a:5>5>5 b:5>->-");
  ck_assert_str_eq(plan_moves(&fixture, 0), "");
  start("a=5 b=5");
  carry_out(5);
  ck_assert_int_eq(members.least_of_a, 5);
  ck_assert_int_eq(members.most_of_a, 5);
  ck_assert_int_eq(members.assigned[1], 0);
}
END_TEST

UNIT_CASE(reports) {
  TCase *cases = tcase_create("reports");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_ten_stay_ready_while_they_move);
  tcase_add_test(cases, test_only_what_cannot_run_moves);
  tcase_add_test(cases, test_edits_are_planned_on_their_final_state);
  return cases;
}
