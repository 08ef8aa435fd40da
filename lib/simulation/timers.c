/* SPDX-License-Identifier: MIT */
/* Heaps of times: each controller has its own. */
#include "simulation/server.h"

#include <stdlib.h>

#define FIRST_RETRY (REBALI_SECOND_NS / 200)
#define LAST_RETRY (1000 * REBALI_SECOND_NS)

static struct rebali_timer *timer_of(const struct rebali_timers *timers, uint32_t object) {
  return rebali_row_find(&timers->objects, object);
}

static int is_before(const struct rebali_timers *timers, uint32_t left, uint32_t right) {
  const struct rebali_timer *one = timer_of(timers, left), *other = timer_of(timers, right);
  const int32_t order = rebali_time_compare(&one->due, &other->due);
  if (order != 0 || one->order == other->order) {
    return order != 0 ? order < 0 : left < right;
  }
  return one->order < other->order;
}

static void put(struct rebali_timers *timers, size_t at, uint32_t object) {
  timers->heap.list[at] = object;
  timer_of(timers, object)->place = (uint32_t)at + 1;
}

/* Moves an object from a free place to its position. */
static void settle(struct rebali_timers *timers, size_t at, uint32_t object) {
  const struct rebali_ids *heap = &timers->heap;
  while (at > 0 && is_before(timers, object, heap->list[(at - 1) / 2])) {
    put(timers, at, heap->list[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  for (size_t child = 2 * at + 1; child < heap->n; child = 2 * at + 1) {
    if (child + 1 < heap->n && is_before(timers, heap->list[child + 1], heap->list[child])) {
      child++;
    }
    if (!is_before(timers, heap->list[child], object)) {
      break;
    }
    put(timers, at, heap->list[child]);
    at = child;
  }
  put(timers, at, object);
}

void rebali_timers_open(struct rebali_timers *timers, struct rebali_server *server) {
  timers->objects.size = sizeof(struct rebali_timer);
  timers->next = server->timers;
  server->timers = timers;
}

void rebali_timers_dispose(struct rebali_timers *timers) {
  rebali_ids_dispose(&timers->heap);
  free(timers->objects.bytes);
}

void rebali_timer_clear(struct rebali_timers *timers, uint32_t object) {
  struct rebali_timer *timer = timer_of(timers, object);
  size_t at;
  uint32_t last;
  if (timer == NULL) {
    return;
  }
  timer->due = (rebal_time){0, 0, 0};
  if (timer->place > 0) {
    at = timer->place - 1;
    last = timers->heap.list[--timers->heap.n];
    timer->place = 0;
    if (last != object) {
      settle(timers, at, last);
    }
  }
}

int32_t rebali_timer_set(struct rebali_timers *timers, uint32_t object, rebal_time due, rebal_error *err) {
  struct rebali_timer *timer;
  if (!due.is_set) {
    rebali_timer_clear(timers, object);
    return REBAL_OK;
  }
  timer = rebali_row(&timers->objects, object, err);
  if (timer == NULL || rebali_reserve_malloc(&timers->heap.list, &timers->heap.capacity, timers->heap.n + 1,
                                             sizeof *timers->heap.list, err) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  timer->due = due;
  settle(timers, timer->place > 0 ? timer->place - 1 : timers->heap.n++, object);
  return REBAL_OK;
}

int32_t rebali_timer_lower(struct rebali_timers *timers, uint32_t object, rebal_time due, rebal_error *err) {
  rebal_time earliest = rebali_timer_of(timers, object);
  rebali_time_lower(&earliest, &due);
  return rebali_timer_set(timers, object, earliest, err);
}

rebal_time rebali_timer_of(const struct rebali_timers *timers, uint32_t object) {
  const struct rebali_timer *timer = timer_of(timers, object);
  return timer != NULL ? timer->due : (rebal_time){0, 0, 0};
}

int rebali_timer_is_due(const struct rebali_timers *timers, uint32_t object, const rebal_time *now) {
  const rebal_time due = rebali_timer_of(timers, object);
  return rebali_time_is_due(&due, now);
}

static int is_due_at(const struct rebali_timers *timers, size_t at, const rebal_time *now) {
  return at < timers->heap.n && rebali_timer_is_due(timers, timers->heap.list[at], now);
}

/* If one is not due, none below it is. The new ids are places in the heap until all are found. */
int32_t rebali_timers_due(const struct rebali_timers *timers, const rebal_time *now, struct rebali_ids *out,
                          rebal_error *err) {
  const size_t first = out->n;
  int32_t code = is_due_at(timers, 0, now) ? rebali_ids_add(out, 0, err) : REBAL_OK;
  for (size_t i = first; code == REBAL_OK && i < out->n; i++) {
    const size_t child = 2 * (size_t)out->list[i] + 1;
    for (size_t j = child; code == REBAL_OK && j < child + 2; j++) {
      code = is_due_at(timers, j, now) ? rebali_ids_add(out, (uint32_t)j, err) : REBAL_OK;
    }
  }
  for (size_t i = first; i < out->n; i++) {
    out->list[i] = timers->heap.list[out->list[i]];
  }
  return code;
}

rebal_time rebali_timers_next(const struct rebali_server *server) {
  rebal_time next = {0, 0, 0};
  for (const struct rebali_timers *timers = server->timers; timers != NULL; timers = timers->next) {
    if (timers->heap.n > 0) {
      rebali_time_lower(&next, &timer_of(timers, timers->heap.list[0])->due);
    }
  }
  return next;
}

rebal_time rebali_retry_at(const struct rebali_server *server, uint32_t attempts) {
  const int64_t wait = attempts < 18 ? FIRST_RETRY << attempts : LAST_RETRY;
  return rebali_time_after(&server->now, wait < LAST_RETRY ? wait : LAST_RETRY);
}
