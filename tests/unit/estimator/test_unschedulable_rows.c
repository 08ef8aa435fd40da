/* SPDX-License-Identifier: MIT */
#include "estimator/unschedulable_rows.h"

#include "../unit.h"
#include "member_rows.h"

#include <stdio.h>

#define ROWS 300u

static struct rebali_unschedulable_rows read(const struct test_world *world, struct rebali_arena *arena) {
  struct rebali_unschedulable_rows rows;

  ck_assert_int_eq(
      rebali_unschedulable_rows_read(world->snapshot, rebali_state_nodes(&world->snapshot->state, 0), arena, &rows),
      REBAL_OK);
  return rows;
}

/* Checks by the uid of the controller which pods are found, and their order. */
START_TEST(test_pods_are_found_by_their_controller) {
  uint32_t removed[ROWS];
  size_t counts[7] = {0};
  size_t n_removed = 0;
  size_t found = 0;
  struct test_world world;
  struct rebali_arena arena;
  struct rebali_unschedulable_rows rows;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  for (uint32_t i = 0; i < ROWS; i++) {
    char uid[8];
    const struct member_pod pod = {"default", "app=web", uid, i % 3 == 0 ? 0 : (int64_t)(ROWS - i)};
    uint32_t row;

    (void)snprintf(uid, sizeof uid, "rs-%u", (unsigned)(i % 7));
    row = member_add_pod(&world, 0, &pod);
    if (i % 11 == 0) {
      removed[n_removed++] = row;
    }
    counts[i % 7] += i % 3 != 0 && i % 11 != 0;
  }
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_POD, 0, removed, n_removed, NULL),
                   REBAL_OK);
  test_freeze(&world);
  rebali_arena_init(&arena, &world.fleet->store->allocator, 0);
  rows = read(&world, &arena);
  for (size_t i = 0; i < REBALI_COUNT(counts); i++) {
    char uid[8];
    const int len = snprintf(uid, sizeof uid, "rs-%u", (unsigned)i);
    const uint32_t controller = rebali_intern_find(world.fleet->store->texts, uid, (size_t)len);
    size_t n;
    const struct rebali_unschedulable_pod *pods = rebali_unschedulable_rows_pods(&rows, controller, &n);

    ck_assert_uint_eq(n, counts[i]);
    for (size_t p = 0; p < n; p++) {
      ck_assert_uint_eq(pods[p].controller, controller);
      ck_assert(p == 0 || pods[p - 1].since <= pods[p].since);
    }
    found += n;
  }
  ck_assert_uint_eq(found, rows.n_pods);
  rebali_arena_dispose(&arena);
  test_world_close(&world);
}
END_TEST

static void remove_row(struct test_world *world, uint32_t table, uint32_t row) {
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world->fleet), table, 0, &row, 1, NULL), REBAL_OK);
}

START_TEST(test_sets_are_found_by_their_controller) {
  static const struct member_set gone = {"default", "gone", "gone", "d-1", "app=web", "v1", 5};
  struct test_world world;
  struct rebali_arena arena;
  struct rebali_unschedulable_rows rows;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  for (unsigned int i = 0; i < 12; i++) {
    char name[8], controller[8];
    const struct member_set set = {"default", name, name, controller, "app=web", "v1", 5};

    (void)snprintf(name, sizeof name, "rs-%u", i);
    (void)snprintf(controller, sizeof controller, "d-%u", i % 4);
    (void)member_add_set(&world, 0, &set);
  }
  remove_row(&world, REBAL_TABLE_REPLICA_SET, member_add_set(&world, 0, &gone));
  test_freeze(&world);
  rebali_arena_init(&arena, &world.fleet->store->allocator, 0);
  rows = read(&world, &arena);
  ck_assert_uint_eq(rows.n_sets, 12);
  for (unsigned int i = 0; i < 4; i++) {
    char uid[8];
    const int len = snprintf(uid, sizeof uid, "d-%u", i);
    const uint32_t controller = rebali_intern_find(world.fleet->store->texts, uid, (size_t)len);
    size_t n;
    const struct rebali_unschedulable_set *sets = rebali_unschedulable_rows_sets(&rows, controller, &n);

    ck_assert_uint_eq(n, 3);
    for (size_t k = 0; k < n; k++) {
      ck_assert_uint_eq(sets[k].controller, controller);
    }
  }
  rebali_arena_dispose(&arena);
  test_world_close(&world);
}
END_TEST

START_TEST(test_missing_rows_are_not_found) {
  static const struct member_pod orphan = {"default", "app=web", NULL, 5};
  static const struct member_set set = {"default", "a", "rs", NULL, "app=web", "v1", 5};
  struct test_world world;
  struct rebali_arena arena;
  struct rebali_unschedulable_rows rows;
  size_t n;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  (void)member_add_pod(&world, 0, &orphan);
  (void)member_add_set(&world, 0, &set);
  test_freeze(&world);
  rebali_arena_init(&arena, &world.fleet->store->allocator, 0);
  rows = read(&world, &arena);
  (void)rebali_unschedulable_rows_pods(&rows, REBAL_NONE, &n);
  ck_assert_uint_eq(n, 0);
  (void)rebali_unschedulable_rows_sets(&rows, REBAL_NONE, &n);
  ck_assert_uint_eq(n, 0);
  (void)rebali_unschedulable_rows_sets(&rows, 0, &n);
  ck_assert_uint_eq(n, 0);
  ck_assert_ptr_null(rebali_unschedulable_rows_workload(&rows, REBALI_TEXT("a"), REBALI_TEXT("b"), REBALI_TEXT("c")));
  rebali_arena_dispose(&arena);
  test_world_close(&world);
}
END_TEST

START_TEST(test_workloads_are_found_by_name) {
  static const struct member_workload gone = {"Deployment", "a", "gone", "", NULL, NULL, NULL};
  static const char *const spaces[] = {"b", "a", ""};
  static const char *const names[] = {"web", "mail", "db", "we", "webs"};
  static const char *const kinds[] = {"StatefulSet", "Deployment"};
  struct test_world world;
  struct rebali_arena arena;
  struct rebali_unschedulable_rows rows;

  test_world_open(&world, NULL);
  test_add_pods(&world, "m1=10");
  for (size_t i = 0; i < 30; i++) {
    const struct member_workload workload = {kinds[i % 2], spaces[i / 2 % 3], names[i / 6], "", NULL, NULL, NULL};

    (void)member_add_workload(&world, 0, &workload);
  }
  remove_row(&world, REBAL_TABLE_WORKLOAD, member_add_workload(&world, 0, &gone));
  test_freeze(&world);
  rebali_arena_init(&arena, &world.fleet->store->allocator, 0);
  rows = read(&world, &arena);
  ck_assert_uint_eq(rows.n_workloads, 30);
  for (size_t i = 0; i < 30; i++) {
    const struct rebali_text space = rebali_text(spaces[i / 2 % 3], strlen(spaces[i / 2 % 3]));
    const struct rebali_text name = rebali_text(names[i / 6], strlen(names[i / 6]));
    const struct rebali_text kind = rebali_text(kinds[i % 2], strlen(kinds[i % 2]));
    const struct rebali_unschedulable_workload *found = rebali_unschedulable_rows_workload(&rows, space, name, kind);

    ck_assert_ptr_nonnull(found);
    ck_assert(rebali_text_equal(found->namespace_, space) && rebali_text_equal(found->name, name) &&
              rebali_text_equal(found->kind, kind));
  }
  ck_assert_ptr_null(
      rebali_unschedulable_rows_workload(&rows, REBALI_TEXT("a"), REBALI_TEXT("w"), REBALI_TEXT("Deployment")));
  rebali_arena_dispose(&arena);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(unschedulable_rows) {
  TCase *cases = tcase_create("unschedulable_rows");
  tcase_add_test(cases, test_pods_are_found_by_their_controller);
  tcase_add_test(cases, test_sets_are_found_by_their_controller);
  tcase_add_test(cases, test_missing_rows_are_not_found);
  tcase_add_test(cases, test_workloads_are_found_by_name);
  return cases;
}
