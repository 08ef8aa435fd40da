/* SPDX-License-Identifier: MIT */
/* When objects are due, a heap for each kind of timer: the earliest on top, of equals what entered the queue first. */
#include "simulation.h"

#include <stdlib.h>

static int is_before(const rebal_simulation *simulation, enum rebali_timer timer, uint32_t left, uint32_t right) {
  const struct rebali_tracked *one = &simulation->tracked[left], *other = &simulation->tracked[right];
  const int32_t order = rebali_time_compare(&one->due[timer], &other->due[timer]);
  if (order != 0 || one->order == other->order) {
    return order != 0 ? order < 0 : left < right;
  }
  return one->order < other->order;
}

static void put(rebal_simulation *simulation, enum rebali_timer timer, size_t at, uint32_t object) {
  simulation->timers[timer].list[at] = object;
  simulation->tracked[object].place[timer] = (uint32_t)at + 1;
}

/* Moves an object from a free place to where it belongs. */
static void settle(rebal_simulation *simulation, enum rebali_timer timer, size_t at, uint32_t object) {
  const struct rebali_ids *heap = &simulation->timers[timer];
  while (at > 0 && is_before(simulation, timer, object, heap->list[(at - 1) / 2])) {
    put(simulation, timer, at, heap->list[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  for (size_t child = 2 * at + 1; child < heap->n; child = 2 * at + 1) {
    if (child + 1 < heap->n && is_before(simulation, timer, heap->list[child + 1], heap->list[child])) {
      child++;
    }
    if (!is_before(simulation, timer, heap->list[child], object)) {
      break;
    }
    put(simulation, timer, at, heap->list[child]);
    at = child;
  }
  put(simulation, timer, at, object);
}

static void take_out(rebal_simulation *simulation, enum rebali_timer timer, uint32_t object) {
  struct rebali_ids *heap = &simulation->timers[timer];
  const size_t at = simulation->tracked[object].place[timer] - 1;
  const uint32_t last = heap->list[--heap->n];
  simulation->tracked[object].place[timer] = 0;
  if (last != object) {
    settle(simulation, timer, at, last);
  }
}

int32_t rebali_timers_reserve(rebal_simulation *simulation, size_t n) {
  for (size_t i = 0; i < REBALI_TIMER_COUNT; i++) {
    struct rebali_ids *heap = &simulation->timers[i];
    if (rebali_reserve(NULL, &heap->list, &heap->capacity, n, sizeof *heap->list) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

void rebali_timer_set(rebal_simulation *simulation, enum rebali_timer timer, uint32_t object, rebal_time due) {
  struct rebali_tracked *tracked = &simulation->tracked[object];
  size_t at;
  if (!due.is_set && tracked->place[timer] > 0) {
    take_out(simulation, timer, object);
  }
  tracked->due[timer] = due;
  if (due.is_set) {
    at = tracked->place[timer] > 0 ? tracked->place[timer] - 1 : simulation->timers[timer].n++;
    settle(simulation, timer, at, object);
  }
}

void rebali_timer_lower(rebal_simulation *simulation, enum rebali_timer timer, uint32_t object, rebal_time due) {
  rebal_time earliest = simulation->tracked[object].due[timer];
  rebali_time_lower(&earliest, &due);
  rebali_timer_set(simulation, timer, object, earliest);
}

void rebali_timers_forget(rebal_simulation *simulation, uint32_t object) {
  for (uint32_t i = 0; i < REBALI_TIMER_COUNT; i++) {
    rebali_timer_set(simulation, (enum rebali_timer)i, object, (rebal_time){0, 0, 0});
  }
}

rebal_time rebali_timers_next(const rebal_simulation *simulation) {
  rebal_time next = {0, 0, 0};
  for (size_t i = 0; i < REBALI_TIMER_COUNT; i++) {
    const struct rebali_ids *heap = &simulation->timers[i];
    if (heap->n > 0) {
      rebali_time_lower(&next, &simulation->tracked[heap->list[0]].due[i]);
    }
  }
  return next;
}

static int is_due(const rebal_simulation *simulation, enum rebali_timer timer, size_t at) {
  const struct rebali_ids *heap = &simulation->timers[timer];
  return at < heap->n && rebali_time_is_due(&simulation->tracked[heap->list[at]].due[timer], &simulation->now);
}

/* Below one that is not due nothing is. The new ids are places in the heap until all are found. */
int32_t rebali_timers_due(rebal_simulation *simulation, enum rebali_timer timer, struct rebali_ids *out,
                          rebal_error *err) {
  const size_t first = out->n;
  int32_t code = is_due(simulation, timer, 0) ? rebali_ids_add(out, 0, err) : REBAL_OK;
  for (size_t i = first; code == REBAL_OK && i < out->n; i++) {
    const size_t child = 2 * (size_t)out->list[i] + 1;
    for (size_t j = child; code == REBAL_OK && j < child + 2; j++) {
      code = is_due(simulation, timer, j) ? rebali_ids_add(out, (uint32_t)j, err) : REBAL_OK;
    }
  }
  for (size_t i = first; i < out->n; i++) {
    out->list[i] = simulation->timers[timer].list[out->list[i]];
  }
  return code;
}
