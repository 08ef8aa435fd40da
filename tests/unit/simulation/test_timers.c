/* SPDX-License-Identifier: MIT */
#include "running.h"

enum { OBJECTS = 97, ROUNDS = 50000 };

static uint32_t roll(uint32_t *state, uint32_t below) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % below;
}

static int is_set_and_due(const rebal_simulation *simulation, uint32_t object, enum rebali_timer timer) {
  return rebali_time_is_due(&simulation->tracked[object].due[timer], &simulation->now);
}

/* Next and due against a look at every object. */
static void check(rebal_simulation *simulation) {
  rebal_time next = {0, 0, 0}, told = rebali_timers_next(simulation);
  for (uint32_t timer = 0; timer < REBALI_TIMER_COUNT; timer++) {
    struct rebali_ids due = {NULL, 0, 0};
    uint8_t is_told[OBJECTS] = {0};
    ck_assert_int_eq(rebali_timers_due(simulation, (enum rebali_timer)timer, &due, NULL), REBAL_OK);
    for (size_t i = 0; i < due.n; i++) {
      ck_assert_uint_eq(is_told[due.list[i]]++, 0);
    }
    for (uint32_t i = 0; i < OBJECTS; i++) {
      ck_assert_int_eq(is_told[i], is_set_and_due(simulation, i, (enum rebali_timer)timer));
      rebali_time_lower(&next, &simulation->tracked[i].due[timer]);
    }
    rebali_ids_dispose(&due);
  }
  ck_assert_uint_eq(told.is_set, next.is_set);
  ck_assert_int_eq(told.seconds, next.seconds);
}

START_TEST(test_as_a_look_at_all_of_them) {
  rebal_simulation *simulation = new_simulation(NULL);
  uint32_t state = 1;
  ck_assert_ptr_nonnull(rebali_track(simulation, OBJECTS - 1));
  simulation->now = (rebal_time){50, 0, 1};
  check(simulation);
  for (int i = 0; i < (int)unit_rounds(ROUNDS); i++) {
    const uint32_t object = roll(&state, OBJECTS);
    const enum rebali_timer timer = (enum rebali_timer)roll(&state, REBALI_TIMER_COUNT);
    const rebal_time due = {roll(&state, 100), 0, 1};
    switch (roll(&state, 5)) {
      case 0:
        rebali_timer_set(simulation, timer, object, (rebal_time){0, 0, 0});
        break;
      case 1:
        rebali_timer_lower(simulation, timer, object, due);
        break;
      case 2:
        rebali_timers_forget(simulation, object);
        break;
      default:
        rebali_timer_set(simulation, timer, object, due);
    }
    check(simulation);
  }
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(timers) {
  TCase *cases = tcase_create("timers");
  tcase_set_timeout(cases, UNIT_TWIN_SECONDS);
  tcase_add_test(cases, test_as_a_look_at_all_of_them);
  return cases;
}
