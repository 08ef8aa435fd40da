/* SPDX-License-Identifier: MIT */
#include "pass_fixture.h"

/* The first one of each pair is deleted first, for the one reason that the pair shows. */
static const struct {
  struct test_pod first;
  struct test_pod second;
} pairs[] = {
    {{.ready = 1}, {.node = "n1", .phase = REBAL_POD_PHASE_PENDING}},
    {{.phase = REBAL_POD_PHASE_PENDING, .ready = 1}, {.phase = REBAL_POD_PHASE_UNKNOWN}},
    {{.phase = REBAL_POD_PHASE_OTHER + 6}, {.phase = REBAL_POD_PHASE_UNKNOWN}},
    {{.phase = REBAL_POD_PHASE_UNKNOWN, .ready = 1}, {.phase = REBAL_POD_PHASE_RUNNING}},
    {{.restarts = 0}, {.restarts = 9, .ready = 1}},
    {{.ready = 1, .ready_since = 20}, {.ready = 1, .ready_since = 10, .restarts = 9}},
    {{.ready = 1}, {.ready = 1, .ready_since = 10}},
    {{.restarts = 3, .ready_since = 10}, {.restarts = 2, .ready_since = 20, .sidecar_restarts = 9}},
    {{.sidecar_restarts = 3, .created = 10}, {.sidecar_restarts = 2, .created = 20}},
    {{.created = 300}, {.created = 10}},
    {{.created = 257}, {.created = 256}},
    {{.created = 0}, {.created = 300}},
    {{.ready = 1, .ready_since = -62135596800}, {.ready = 1, .ready_since = 20}},
    {{.ready = 1, .ready_since = 20}, {.ready = 1, .ready_since = -62135596799}},
};

static void sort(const struct pass_fixture *fixture, uint32_t *places) {
  struct rebali_grouped members[64];
  rebal_allocator memory;
  struct rebali_arena arena;

  ck_assert_int_eq(rebali_allocator_load(&memory, NULL, NULL), REBAL_OK);
  rebali_arena_init(&arena, &memory, 0);
  for (size_t i = 0; i < fixture->n; i++) {
    members[i] = (struct rebali_grouped){.row = fixture->rows[i]};
    places[i] = (uint32_t)i;
  }
  ck_assert_int_eq(rebali_deletion_sort(fixture->pods, members, places, fixture->n, &arena), REBAL_OK);
  rebali_arena_dispose(&arena);
}

START_TEST(test_each_reason) {
  for (int turned = 0; turned < 2; turned++) {
    struct pass_fixture fixture;
    uint32_t places[64];

    pass_open(&fixture, spread_of("Deployment", "a", NULL), 2);
    pass_add(&fixture, turned ? &pairs[_i].second : &pairs[_i].first);
    pass_add(&fixture, turned ? &pairs[_i].first : &pairs[_i].second);
    sort(&fixture, places);
    ck_assert_uint_eq(places[0], (uint32_t)turned);
    ck_assert_uint_eq(places[1], (uint32_t)!turned);
    pass_close(&fixture);
  }
}
END_TEST

/* Parts of a second count, and pods that are alike keep their order. */
START_TEST(test_fractions_and_ties) {
  static const struct test_pod pod = {.ready = 1, .ready_since = 10, .created = 5};
  const rebal_time half = {10, 500000000, 1};
  const rebal_time created = {5, 1, 1};
  struct pass_fixture fixture;
  uint32_t places[64];

  pass_open(&fixture, spread_of("Deployment", "a", NULL), 4);
  for (int i = 0; i < 4; i++) {
    pass_add(&fixture, &pod);
  }
  ck_assert_int_eq(rebal_cells_set_time(rebal_pods_cells(fixture.pods), REBAL_SPREAD_POD_READY_SINCE, REBAL_NONE,
                                        fixture.rows[2], &half, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_time(rebal_pods_cells(fixture.pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE,
                                        fixture.rows[3], &created, NULL),
                   REBAL_OK);
  sort(&fixture, places);
  ck_assert_uint_eq(places[0], 2);
  ck_assert_uint_eq(places[1], 3);
  ck_assert_uint_eq(places[2], 0);
  ck_assert_uint_eq(places[3], 1);
  pass_close(&fixture);
}
END_TEST

/* Only the very first moment counts as missing; one nanosecond later is the earliest time. */
START_TEST(test_the_first_second) {
  static const struct test_pod pod = {.ready = 1, .ready_since = -62135596799};
  const rebal_time first[] = {{REBALI_FIRST_SECOND, 1, 1}, {REBALI_FIRST_SECOND, 0, 1}};
  struct pass_fixture fixture;
  uint32_t places[64];

  pass_open(&fixture, spread_of("Deployment", "a", NULL), 3);
  for (size_t i = 0; i < 3; i++) {
    pass_add(&fixture, &pod);
  }
  for (size_t i = 0; i < 2; i++) {
    ck_assert_int_eq(rebal_cells_set_time(rebal_pods_cells(fixture.pods), REBAL_SPREAD_POD_READY_SINCE, REBAL_NONE,
                                          fixture.rows[i], &first[i], NULL),
                     REBAL_OK);
  }
  sort(&fixture, places);
  ck_assert_uint_eq(places[0], 1);
  ck_assert_uint_eq(places[1], 2);
  ck_assert_uint_eq(places[2], 0);
  pass_close(&fixture);
}
END_TEST

UNIT_CASE(deletion_order) {
  TCase *cases = tcase_create("deletion_order");

  tcase_add_loop_test(cases, test_each_reason, 0, (int)REBALI_COUNT(pairs));
  tcase_add_test(cases, test_fractions_and_ties);
  tcase_add_test(cases, test_the_first_second);
  return cases;
}
