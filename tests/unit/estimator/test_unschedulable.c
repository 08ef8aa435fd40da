/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "../unit.h"
#include "member_rows.h"

#include <stdio.h>

#define NOW 10000
#define LONG_AGO (NOW - 301) /* longer than the threshold's 5 minutes */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct test_binding web = {.targets = "m1=3"};
static const struct member_workload deployment = {NULL, "default", "web", "dep", "app=web", NULL, "v2"};
static const struct member_workload mail = {NULL, "default", "mail-2", "dep-2", "app=mail", NULL, "v2"};
static const struct member_set new_set = {"default", "web-2", "rs-2", "dep", "app=web", "v2", 200};
static const struct member_pod pending = {"default", "app=web", "rs-2", LONG_AGO};

/* Opens a world with cluster m1, the Deployment default/web, its new ReplicaSet, and a binding for it. */
static void open_web(struct test_world *world) {
  test_world_open(world, NULL);
  test_add_pods(world, "m1=10");
  (void)member_add_workload(world, 0, &deployment);
  (void)member_add_set(world, 0, &new_set);
  (void)test_add_binding(world, NULL, &web);
}

static int32_t query(struct test_world *world, const rebal_unschedulable_opts *opts) {
  const rebal_time now = test_time(NOW);

  if (world->snapshot == NULL) {
    test_freeze(world);
  }
  return rebal_unschedulable(world->ctx, world->snapshot, world->bindings, &now, opts, world->result, &world->err);
}

static int64_t cell(const struct test_world *world, uint32_t column, size_t row) {
  size_t n;
  const int64_t *cells = rebal_result_i64(world->result, column, &n);

  ck_assert_uint_lt(row, n);
  return cells[row];
}

static int64_t replicas_at(const struct test_world *world, size_t row) {
  return cell(world, REBAL_UNSCHEDULABLE_REPLICAS, row);
}

/* Returns the result for a world with one target, and closes the world. */
static int64_t replicas_of(struct test_world *world, const rebal_unschedulable_opts *opts) {
  int64_t replicas;

  ck_assert_int_eq(query(world, opts), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world->result, REBAL_TABLE_UNSCHEDULABLE), 1);
  replicas = replicas_at(world, 0);
  test_world_close(world);
  return replicas;
}

/* ---- which pods count -------------------------------------------------------------------------------------------- */

static const struct {
  struct member_pod pod;
  int64_t replicas;
} pods[] = {
    {{"default", "app=web", "rs-2", LONG_AGO}, 1},
    {{"default", "app=web tier=gold", "rs-2", 1}, 1},
    {{"default", "app=web", "rs-2", LONG_AGO + 1}, 0}, /* for exactly the threshold */
    {{"default", "app=web", "rs-2", NOW + 5}, 0},      /* the member's clock is ahead */
    {{"default", "app=web", "rs-2", 0}, 0},
    {{"other", "app=web", "rs-2", LONG_AGO}, 0},
    {{"default", "app=mail", "rs-2", LONG_AGO}, 0},
    {{"default", NULL, "rs-2", LONG_AGO}, 0},
    {{"default", "app=web", "rs-1", LONG_AGO}, 0},
    {{"default", "app=web", "dep", LONG_AGO}, 0},
    {{"default", "app=web", NULL, LONG_AGO}, 0},
};

START_TEST(test_pods_that_count) {
  struct test_world world;

  open_web(&world);
  (void)member_add_pod(&world, 0, &pods[_i].pod);
  ck_assert_int_eq(replicas_of(&world, NULL), pods[_i].replicas);
}
END_TEST

static const struct {
  rebal_unschedulable_opts opts;
  int64_t since;
  int64_t replicas;
} thresholds[] = {
    {{sizeof(rebal_unschedulable_opts), 0, 0}, LONG_AGO, 1},
    {{sizeof(rebal_unschedulable_opts), 0, 0}, LONG_AGO + 1, 0},
    {{sizeof(rebal_unschedulable_opts), REBAL_UNSCHEDULABLE_FLAG_THRESHOLD_GIVEN, 0}, NOW - 1, 1},
    {{sizeof(rebal_unschedulable_opts), REBAL_UNSCHEDULABLE_FLAG_THRESHOLD_GIVEN, 0}, NOW, 0},
    {{sizeof(rebal_unschedulable_opts), 0, -7}, NOW - 1, 1},
    {{sizeof(rebal_unschedulable_opts), 0, -7}, NOW, 0},
    {{sizeof(rebal_unschedulable_opts), 0, INT64_C(10000000000)}, NOW - 10, 0},
    {{sizeof(rebal_unschedulable_opts), 0, INT64_C(9999999999)}, NOW - 10, 1},
    {{sizeof(rebal_unschedulable_opts), 0, INT64_MIN}, NOW - 1, 1},
    {{sizeof(rebal_unschedulable_opts), 0, INT64_MAX}, 1, 0},
};

START_TEST(test_thresholds) {
  struct member_pod pod = pending;
  struct test_world world;

  pod.since = thresholds[_i].since;
  open_web(&world);
  (void)member_add_pod(&world, 0, &pod);
  ck_assert_int_eq(replicas_of(&world, &thresholds[_i].opts), thresholds[_i].replicas);
}
END_TEST

START_TEST(test_the_first_of_them_is_the_start) {
  static const int64_t since[] = {LONG_AGO - 5, LONG_AGO - 90, NOW - 1, LONG_AGO};
  struct member_pod pod = pending;
  struct test_world world;
  rebal_time since_when;

  open_web(&world);
  for (size_t i = 0; i < COUNT(since); i++) {
    pod.since = since[i];
    (void)member_add_pod(&world, 0, &pod);
  }
  ck_assert_int_eq(query(&world, NULL), REBAL_OK);
  ck_assert_int_eq(replicas_at(&world, 0), 3);
  rebal_result_time(world.result, REBAL_UNSCHEDULABLE_SINCE, 0, &since_when);
  ck_assert_int_eq(since_when.seconds, LONG_AGO - 90);
  test_world_close(&world);
}
END_TEST

/* ---- the new ReplicaSet ------------------------------------------------------------------------------------------ */

/* A ReplicaSet beside the new one, and which of them owns the pods that are counted. */
static const struct {
  struct member_set set;
  const char *counts;
} sets[] = {
    {{"default", "web-1", "rs-1", "dep", "app=web", "v1", 100}, "rs-2"}, /* an earlier template */
    {{"default", "web-0", "rs-0", "dep", "app=web", "v2", 100}, "rs-0"}, /* older */
    {{"default", "web-0", "rs-0", "dep", "app=web", "v2", 0}, "rs-0"},   /* older than all with a known time */
    {{"default", "web-3", "rs-3", "dep", "app=web", "v2", 300}, "rs-2"}, /* younger */
    {{"default", "web-1", "rs-1", "dep", "app=web", "v2", 200}, "rs-1"}, /* equally old, first by name */
    {{"default", "web-3", "rs-3", "dep", "app=web", "v2", 200}, "rs-2"},
    {{"other", "web-0", "rs-0", "dep", "app=web", "v2", 100}, "rs-2"},
    {{"default", "web-0", "rs-0", "dep", "app=mail", "v2", 100}, "rs-2"},
    {{"default", "web-0", "rs-0", "another", "app=web", "v2", 100}, "rs-2"},
    {{"default", "web-0", "rs-0", NULL, "app=web", "v2", 100}, "rs-2"},
};

START_TEST(test_new_sets) {
  static const char *const uids[] = {"rs-0", "rs-1", "rs-2", "rs-3"};
  struct test_world world;
  int64_t wanted = 0;

  open_web(&world);
  (void)member_add_set(&world, 0, &sets[_i].set);
  for (size_t i = 0; i < COUNT(uids); i++) {
    struct member_pod pod = pending;

    pod.controller = uids[i];
    for (size_t copies = 0; copies <= i; copies++) {
      (void)member_add_pod(&world, 0, &pod);
    }
    wanted = strcmp(uids[i], sets[_i].counts) == 0 ? (int64_t)i + 1 : wanted;
  }
  ck_assert_int_eq(replicas_of(&world, NULL), wanted);
}
END_TEST

START_TEST(test_without_a_new_set_nothing_waits) {
  struct member_workload changed = deployment;
  struct test_world world;

  changed.pod_template = "v3";
  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  (void)member_add_workload(&world, 0, &changed);
  (void)member_add_set(&world, 0, &new_set);
  (void)member_add_pod(&world, 0, &pending);
  (void)test_add_binding(&world, NULL, &web);
  ck_assert_int_eq(replicas_of(&world, NULL), 0);
}
END_TEST

/* ---- workloads --------------------------------------------------------------------------------------------------- */

static const struct {
  struct member_workload workload;
  int64_t replicas;
  const char *message;
} workloads[] = {
    {{NULL, "default", "web", "dep", "app=web", NULL, "v2"}, 1, ""},
    {{NULL, "default", "web", "dep", "app=web", "app", "v2"}, 1, ""},
    {{NULL, "default", "web", "dep", "app=web", "tier", "v2"}, 0, ""},
    {{NULL, "default", "web", "dep", "", NULL, "v2"}, 1, ""},   /* empty: matches everything */
    {{NULL, "default", "web", "dep", NULL, NULL, "v2"}, 0, ""}, /* missing: matches nothing */
    {{NULL, "default", "web", NULL, "app=web", NULL, "v2"}, 0, ""},
    {{NULL, "default", "web", "dep", NULL, "no/key/at/all", "v2"},
     REBAL_FITS_FAILED,
     "kind(Deployment) of workload(default/web) has a malformed selector"},
    {{NULL, "default", "mail", "dep", "app=web", NULL, "v2"},
     REBAL_FITS_FAILED,
     "kind(Deployment) of workload(default/web) is not in the cluster"},
    {{NULL, "other", "web", "dep", "app=web", NULL, "v2"},
     REBAL_FITS_FAILED,
     "kind(Deployment) of workload(default/web) is not in the cluster"},
    {{"StatefulSet", "default", "web", "dep", "app=web", NULL, "v2"},
     REBAL_FITS_FAILED,
     "kind(Deployment) of workload(default/web) is not in the cluster"},
};

START_TEST(test_workloads) {
  struct test_world world;
  size_t len = 0;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  (void)member_add_workload(&world, 0, &workloads[_i].workload);
  (void)member_add_set(&world, 0, &new_set);
  (void)member_add_pod(&world, 0, &pending);
  (void)test_add_binding(&world, NULL, &web);
  ck_assert_int_eq(query(&world, NULL), REBAL_OK);
  ck_assert_int_eq(replicas_at(&world, 0), workloads[_i].replicas);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_UNSCHEDULABLE_MESSAGE, 0, &len), workloads[_i].message);
  ck_assert_uint_eq(len, strlen(workloads[_i].message));
  test_world_close(&world);
}
END_TEST

/* A StatefulSet controls its pods itself. */
START_TEST(test_other_kinds_count_on_request) {
  static const struct member_workload set = {"StatefulSet", "default", "web", "sts", "app=web", NULL, "v2"};
  static const struct member_pod pod = {"default", "app=web", "sts", LONG_AGO};
  static const rebal_unschedulable_opts any = {sizeof any, REBAL_UNSCHEDULABLE_FLAG_ANY_KIND, 0};
  const struct test_binding binding = {.kind = "apps/v1=StatefulSet", .targets = "m1=1"};
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  (void)member_add_workload(&world, 0, &set);
  (void)member_add_pod(&world, 0, &pod);
  (void)test_add_binding(&world, NULL, &binding);
  ck_assert_int_eq(query(&world, NULL), REBAL_OK);
  ck_assert_int_eq(replicas_at(&world, 0), REBAL_FITS_FAILED);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_UNSCHEDULABLE_MESSAGE, 0, NULL),
                   "kind(StatefulSet) of workload(default/web) is not supported");
  ck_assert_int_eq(replicas_of(&world, &any), 1);
}
END_TEST

/* Deployments of other groups are Deployments. */
START_TEST(test_only_the_kind_counts) {
  const struct test_binding binding = {.kind = "example.com/v1=Deployment", .targets = "m1=1"};
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  (void)member_add_workload(&world, 0, &deployment);
  (void)member_add_set(&world, 0, &new_set);
  (void)member_add_pod(&world, 0, &pending);
  (void)test_add_binding(&world, NULL, &binding);
  ck_assert_int_eq(replicas_of(&world, NULL), 1);
}
END_TEST

/* ---- batches ----------------------------------------------------------------------------------------------------- */

START_TEST(test_every_target_of_every_binding_is_queried) {
  const struct test_binding first = {.targets = "m2=1 m1=3 m3=1 gone=1"};
  const struct test_binding second = {.key = "default/mail", .targets = "m1=1"};
  static const struct {
    int64_t binding, replicas;
    const char *cluster;
  } wanted[] = {{0, REBAL_FITS_NO_OPINION, "m2"},
                {0, 2, "m1"},
                {0, REBAL_FITS_FAILED, "m3"},
                {0, REBAL_FITS_NO_OPINION, "gone"},
                {1, REBAL_FITS_FAILED, "m1"}};
  struct test_world world;
  uint32_t removed;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10 m2=10 m3=10");
  (void)member_add_workload(&world, 0, &deployment);
  (void)member_add_set(&world, 0, &new_set);
  (void)member_add_pod(&world, 0, &pending);
  removed = member_add_pod(&world, 0, &pending);
  (void)member_add_pod(&world, 0, &pending);
  (void)member_add_workload(&world, 2, &mail);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_POD, 0, &removed, 1, NULL), REBAL_OK);
  (void)test_add_binding(&world, NULL, &first);
  (void)test_add_binding(&world, NULL, &second);
  ck_assert_int_eq(query(&world, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_UNSCHEDULABLE), COUNT(wanted));
  for (size_t i = 0; i < COUNT(wanted); i++) {
    ck_assert_int_eq(cell(&world, REBAL_UNSCHEDULABLE_BINDING, i), wanted[i].binding);
    ck_assert_int_eq(replicas_at(&world, i), wanted[i].replicas);
    ck_assert_str_eq(test_cluster_name(world.snapshot, (uint32_t)cell(&world, REBAL_UNSCHEDULABLE_CLUSTER, i)),
                     wanted[i].cluster);
  }
  test_world_close(&world);
}
END_TEST

/* If the nodes of a cluster are known but it has no such workload, the result is a failure, not a missing opinion. */
START_TEST(test_a_cluster_whose_nodes_are_known_has_an_opinion) {
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, 0, 1, NULL),
                   REBAL_OK);
  (void)test_add_binding(&world, NULL, &web);
  ck_assert_int_eq(replicas_of(&world, NULL), REBAL_FITS_FAILED);
}
END_TEST

START_TEST(test_options_are_checked) {
  static const rebal_unschedulable_opts newer = {sizeof newer, 4, 0};
  static const rebal_unschedulable_opts odd = {1, 0, 0};
  struct test_world world;

  open_web(&world);
  ck_assert_int_eq(query(&world, &newer), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(query(&world, &odd), REBAL_EABI);
  test_world_close(&world);
}
END_TEST

/* Nothing was read from m2, and only a pod from m3. */
START_TEST(test_a_cluster_of_which_nothing_is_known) {
  const struct test_binding both = {.targets = "m1=3 m2=3 m3=3"};
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10 m2=10 m3=10");
  (void)member_add_workload(&world, 0, &deployment);
  (void)member_add_pod(&world, 2, &pending);
  (void)test_add_binding(&world, NULL, &both);
  ck_assert_int_eq(query(&world, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_UNSCHEDULABLE), 3);
  ck_assert_int_eq(replicas_at(&world, 0), 0);
  ck_assert_int_eq(replicas_at(&world, 1), REBAL_FITS_NO_OPINION);
  ck_assert_int_eq(replicas_at(&world, 2), REBAL_FITS_NO_OPINION);
  test_world_close(&world);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  const rebal_time now = test_time(NOW);
  const struct test_world *world = user_data;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  if (code == REBAL_OK) {
    code = rebal_unschedulable(ctx, world->snapshot, world->bindings, &now, NULL, result, NULL);
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_UNSCHEDULABLE), code == REBAL_OK ? 2 : 0);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  const struct test_binding other = {.key = "default/mail", .targets = "m1=1"};
  struct test_world world;

  open_web(&world);
  (void)member_add_pod(&world, 0, &pending);
  (void)test_add_binding(&world, NULL, &other);
  test_freeze(&world);
  ck_assert_pstr_eq(test_torture(story, &world), NULL);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(unschedulable) {
  TCase *cases = tcase_create("unschedulable");
  tcase_add_loop_test(cases, test_pods_that_count, 0, (int)COUNT(pods));
  tcase_add_loop_test(cases, test_thresholds, 0, (int)COUNT(thresholds));
  tcase_add_test(cases, test_the_first_of_them_is_the_start);
  tcase_add_loop_test(cases, test_new_sets, 0, (int)COUNT(sets));
  tcase_add_test(cases, test_without_a_new_set_nothing_waits);
  tcase_add_loop_test(cases, test_workloads, 0, (int)COUNT(workloads));
  tcase_add_test(cases, test_other_kinds_count_on_request);
  tcase_add_test(cases, test_only_the_kind_counts);
  tcase_add_test(cases, test_every_target_of_every_binding_is_queried);
  tcase_add_test(cases, test_a_cluster_whose_nodes_are_known_has_an_opinion);
  tcase_add_test(cases, test_a_cluster_of_which_nothing_is_known);
  tcase_add_test(cases, test_options_are_checked);
  tcase_add_test(cases, test_no_memory_is_an_answer);
  return cases;
}
