/* SPDX-License-Identifier: MIT */
#include "admitting.h"

/* Three spreads: of a Job, of the Deployment, and of it again. */
struct three {
  struct admitting world;
  rebal_spread *spreads[3];
};

static void open_three(struct three *three) {
  open_admitting(&three->world);
  three->spreads[0] = spread_of("Job", "a=9,b", NULL);
  three->spreads[1] = spread_of("Deployment", "a=9,b", NULL);
  three->spreads[2] = spread_of("Deployment", "a=9,b", NULL);
}

static void close_three(struct three *three) {
  for (size_t i = 0; i < 3; i++) {
    rebal_spread_free(three->spreads[i]);
  }
  close_admitting(&three->world);
}

/* Rows as text, and the spread of each. */
static struct shown admit_three(struct three *three) {
  struct shown shown;

  ck_assert_int_eq(admit_some(&three->world, three->spreads, 3, 0, three->world.n, 0), REBAL_OK);
  shown = show_admitted(three->world.result);
  for (size_t i = 0; i < rebal_result_count(three->world.result, REBAL_TABLE_ADMITTED); i++) {
    const int64_t spread = cell_of(three->world.result, REBAL_ADMITTED_SPREAD, i);
    char piece[32];

    snprintf(piece, sizeof piece, " %lld", (long long)spread);
    show(&shown, spread == REBAL_ABSENT ? " none" : piece);
  }
  return shown;
}

START_TEST(test_first_that_fits) {
  struct three three;

  open_three(&three);
  add_batch(&three.world, "v+p,v+q");
  ck_assert_str_eq(admit_three(&three).text, "=0+ =0+ 1 1");
  close_three(&three);
}
END_TEST

/* Pods without an owner, or with one of an unsupported kind, and those that are finished or terminating. */
START_TEST(test_left_alone) {
  struct three three;
  rebal_pods *pods;

  open_three(&three);
  pods = three.world.pods;
  set_i64(pods, REBAL_SPREAD_POD_CONTROLLER, add_pod(&three.world, "v", "p"), REBAL_ABSENT);
  set_i64(pods, REBAL_SPREAD_POD_CONTROLLER, add_pod(&three.world, "v", "q"),
          add_owner(pods, "x.io/v1", "Game", "web", REBAL_NONE));
  set_i64(pods, REBAL_SPREAD_POD_PHASE, add_pod(&three.world, "v", "r"), REBAL_POD_PHASE_FAILED);
  set_i64(pods, REBAL_SPREAD_POD_DELETING, add_pod(&three.world, "v", "s"), 1);
  set_i64(pods, REBAL_SPREAD_POD_CONTROLLER, add_pod(&three.world, "v", "t"),
          add_owner(pods, "apps/v1", "StatefulSet", "web", REBAL_NONE));
  ck_assert_str_eq(admit_three(&three).text, ". . . . . none none none none none");
  close_three(&three);
}
END_TEST

/* A missing owner refuses the pod, whichever spread needs it; later pods are not affected. */
START_TEST(test_owner_missing) {
  struct three three;
  uint32_t owner;

  open_three(&three);
  owner = add_owner(three.world.pods, "apps/v1", "ReplicaSet", "gone", REBAL_NONE);
  set_i64(three.world.pods, REBAL_OWNER_STATE, owner, REBAL_OWNER_STATE_MISSING);
  set_i64(three.world.pods, REBAL_SPREAD_POD_CONTROLLER, add_pod(&three.world, "v", "p"), owner);
  set_i64(three.world.pods, REBAL_SPREAD_POD_CONTROLLER, add_pod(&three.world, "v", "q"), owner);
  add_pod(&three.world, "v", "r");
  ck_assert_str_eq(admit_three(&three).text, "! ! =0+ none none 1");
  ck_assert_int_eq(cell_of(three.world.result, REBAL_ADMITTED_OWNER, 0), owner);
  ck_assert_int_eq(cell_of(three.world.result, REBAL_ADMITTED_OWNER, 1), owner);
  ck_assert_int_eq(cell_of(three.world.result, REBAL_ADMITTED_OWNER, 2), REBAL_ABSENT);
  close_three(&three);
}
END_TEST

/* An owner that has not been read ends the call: the pods before are admitted. */
START_TEST(test_owner_unknown) {
  struct three three;

  open_three(&three);
  add_pod(&three.world, "v", "p");
  set_i64(three.world.pods, REBAL_SPREAD_POD_CONTROLLER, add_pod(&three.world, "v", "q"),
          add_owner(three.world.pods, "apps/v1", "ReplicaSet", "new", REBAL_NONE));
  set_i64(three.world.pods, REBAL_OWNER_STATE, 2, REBAL_OWNER_STATE_UNKNOWN);
  add_pod(&three.world, "v", "r");
  ck_assert_str_eq(admit_three(&three).text, "=0+ ? 1 none");
  ck_assert_int_eq(cell_of(three.world.result, REBAL_ADMITTED_OWNER, 1), 2);
  ck_assert_str_eq(show_status(three.spreads[1]).text, "v:a=0/8+p@100,b=0/-1");
  close_three(&three);
}
END_TEST

/* An owner that cannot be read does not lead to the target. */
START_TEST(test_owner_failed) {
  struct three three;

  open_three(&three);
  set_i64(three.world.pods, REBAL_OWNER_STATE, three.world.replica_set, REBAL_OWNER_STATE_FAILED);
  add_pod(&three.world, "v", "p");
  ck_assert_str_eq(admit_three(&three).text, ". none");
  close_three(&three);
}
END_TEST

/* A spread without a target or being deleted takes no new pods, and needs no owner. */
START_TEST(test_spreads_that_do_not_count) {
  struct three three;
  rebal_builder *builder = new_builder();
  const rebal_time then = {1, 0, 1};

  open_three(&three);
  rebal_spread_free(three.spreads[1]);
  three.spreads[1] = spread_of(NULL, "a=9,b", NULL);
  rebal_builder_start(builder, REBAL_OBJECT_WORKLOAD_SPREAD, NULL);
  rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_METADATA, NULL);
  rebal_builder_time(builder, REBAL_METADATA_DELETION_TIMESTAMP, &then, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_SPEC, NULL);
  rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_REF, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_spread_load(three.spreads[0], finish(builder), NULL), REBAL_OK);
  add_pod(&three.world, "v", "p");
  ck_assert_str_eq(admit_three(&three).text, "=0+ 2");
  set_i64(three.world.pods, REBAL_OWNER_STATE, three.world.replica_set, REBAL_OWNER_STATE_MISSING);
  ck_assert_int_eq(admit_some(&three.world, three.spreads, 2, 0, 1, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(three.world.result).text, ".");
  rebal_builder_free(builder);
  close_three(&three);
}
END_TEST

/* A deleted pod is matched by its annotation alone, even to a spread of another workload or being deleted. */
START_TEST(test_going) {
  struct three three;
  struct admitting *world = &three.world;
  uint32_t row;

  open_three(&three);
  let_go(world, add_pod(world, "v", "p"), "ws", "a");
  let_go(world, add_pod(world, "v", "q"), "other", "a");
  row = add_pod(world, "v", "r");
  let_go(world, row, "ws", "a");
  set_i64(world->pods, REBAL_SPREAD_POD_MATCHED_STATE, row, REBAL_ANNOTATION_UNPARSABLE);
  row = add_pod(world, "v", "s");
  let_go(world, row, "ws", "a");
  set_i64(world->pods, REBAL_SPREAD_POD_CONTROLLER, row, REBAL_ABSENT);
  row = add_pod(world, "v", "t");
  let_go(world, row, "ws", "a");
  set_i64(world->pods, REBAL_SPREAD_POD_PHASE, row, REBAL_POD_PHASE_SUCCEEDED);
  row = add_pod(world, "v", "u");
  let_go(world, row, "ws", "a");
  set_i64(world->pods, REBAL_SPREAD_POD_OPERATION, row, REBAL_OPERATION_EVICT);
  ck_assert_str_eq(admit_three(&three).text, "-0+ . . . . -0+ 0 none none none none 0");
  ck_assert_str_eq(show_status(three.spreads[0]).text, "v:a=0/11-p@100-u@100,b=0/-1");
  close_three(&three);
}
END_TEST

/* The reference crashes here: a spread without a target has no places. */
START_TEST(test_going_without_target) {
  struct three three;

  open_three(&three);
  rebal_spread_free(three.spreads[0]);
  three.spreads[0] = spread_of(NULL, "a=9,b", "v:a=1/8,b=0/-1");
  let_go(&three.world, add_pod(&three.world, "v", "p"), "ws", "a");
  ck_assert_str_eq(admit_three(&three).text, ". none");
  ck_assert_str_eq(show_status(three.spreads[0]).text, "v:a=1/8,b=0/-1");
  close_three(&three);
}
END_TEST

UNIT_CASE(matching) {
  TCase *cases = tcase_create("matching");

  tcase_add_test(cases, test_first_that_fits);
  tcase_add_test(cases, test_left_alone);
  tcase_add_test(cases, test_owner_missing);
  tcase_add_test(cases, test_owner_unknown);
  tcase_add_test(cases, test_owner_failed);
  tcase_add_test(cases, test_spreads_that_do_not_count);
  tcase_add_test(cases, test_going);
  tcase_add_test(cases, test_going_without_target);
  return cases;
}
