/* SPDX-License-Identifier: MIT */
#include "running.h"

enum { OBJECTS = 97, ROUNDS = 50000 };

static uint32_t roll(uint32_t *state, uint32_t below) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % below;
}

/* Timers of two controllers. */
enum { HEAPS = 2 };

/* Compares the next and the due timers with an examination of every object. */
static void check(const struct rebali_server *server, const struct rebali_timers *timers) {
  rebal_time next = {0, 0, 0}, reported = rebali_timers_next(server);
  for (size_t heap = 0; heap < HEAPS; heap++) {
    struct rebali_ids due = {NULL, 0, 0};
    uint8_t is_reported[OBJECTS] = {0};
    ck_assert_int_eq(rebali_timers_due(&timers[heap], &server->now, &due, NULL), REBAL_OK);
    for (size_t i = 0; i < due.n; i++) {
      ck_assert_uint_eq(is_reported[due.list[i]]++, 0);
    }
    for (uint32_t i = 0; i < OBJECTS; i++) {
      const rebal_time at = rebali_timer_of(&timers[heap], i);
      ck_assert_int_eq(is_reported[i], rebali_timer_is_due(&timers[heap], i, &server->now));
      rebali_time_lower(&next, &at);
    }
    rebali_ids_dispose(&due);
  }
  ck_assert_uint_eq(reported.is_set, next.is_set);
  ck_assert_int_eq(reported.seconds, next.seconds);
}

START_TEST(test_as_an_examination_of_all) {
  struct rebali_server server = {.now = {50, 0, 1}};
  struct rebali_timers timers[HEAPS] = {{.next = NULL}, {.next = NULL}};
  uint32_t state = 1;
  for (size_t heap = 0; heap < HEAPS; heap++) {
    rebali_timers_open(&timers[heap], &server);
  }
  check(&server, timers);
  for (int i = 0; i < (int)unit_rounds(ROUNDS); i++) {
    const uint32_t object = roll(&state, OBJECTS);
    struct rebali_timers *heap = &timers[roll(&state, HEAPS)];
    const rebal_time due = {roll(&state, 100), 0, 1};
    switch (roll(&state, 5)) {
      case 0:
        ck_assert_int_eq(rebali_timer_set(heap, object, (rebal_time){0, 0, 0}, NULL), REBAL_OK);
        break;
      case 1:
        ck_assert_int_eq(rebali_timer_lower(heap, object, due, NULL), REBAL_OK);
        break;
      case 2:
        rebali_forget(&server, object);
        break;
      default:
        ck_assert_int_eq(rebali_timer_set(heap, object, due, NULL), REBAL_OK);
    }
    check(&server, timers);
  }
  for (size_t heap = 0; heap < HEAPS; heap++) {
    rebali_timers_dispose(&timers[heap]);
  }
}
END_TEST

UNIT_CASE(timers) {
  TCase *cases = tcase_create("timers");
  tcase_set_timeout(cases, UNIT_TWIN_SECONDS);
  tcase_add_test(cases, test_as_an_examination_of_all);
  return cases;
}
