/* SPDX-License-Identifier: MIT */
/* When objects are due, and passes over those that are. */
#include "client.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000000)

/* ---- timers ------------------------------------------------------------------------------------------------------ */

#define LARGEST_DIFFERENCE 10

/* How much the API server's clock is ahead of this one, in seconds; there is one time in a process. */
static int64_t ahead;

/* Its answers show whole seconds, and come late: small differences mean nothing. */
void time_follow(int64_t seconds) {
  struct timespec clock;
  int64_t found;
  (void)clock_gettime(CLOCK_REALTIME, &clock);
  found = seconds - clock.tv_sec;
  found = llabs(found) > LARGEST_DIFFERENCE ? found : 0;
  if (seconds >= 0 && llabs(found - ahead) > LARGEST_DIFFERENCE) {
    say("the API server's clock differs by %lld seconds", (long long)found);
    ahead = found;
  }
}

/* Times of the API server are compared with this one, and others compare theirs with what a controller writes. */
rebal_time time_now(void) {
  struct timespec clock;
  (void)clock_gettime(CLOCK_REALTIME, &clock);
  return (rebal_time){clock.tv_sec + ahead, (int32_t)clock.tv_nsec, 1};
}

int64_t nanoseconds_of(const rebal_time *time) {
  const int64_t longest = INT64_MAX / SECOND - 1;
  return (time->seconds < longest ? time->seconds : longest) * SECOND + time->nanos;
}

static int64_t nanoseconds_now(void) {
  const rebal_time now = time_now();
  return nanoseconds_of(&now);
}

static struct timer *timer_of(struct timers *timers, uint32_t object) {
  if (object >= timers->n) {
    const size_t n = (size_t)object + object / 2 + 64;
    struct timer *list = realloc(timers->list, n * sizeof *list);
    if (list == NULL) {
      return NULL;
    }
    memset(list + timers->n, 0, (n - timers->n) * sizeof *list);
    timers->list = list;
    timers->n = n;
  }
  return &timers->list[object];
}

bool timers_set(struct timers *timers, uint32_t object, int64_t due) {
  struct timer *timer = timer_of(timers, object);
  if (timer != NULL) {
    *timer = (struct timer){due, 0};
  }
  return timer != NULL;
}

bool timers_back_off(struct timers *timers, uint32_t object) {
  struct timer *timer = timer_of(timers, object);
  if (timer != NULL) {
    timer->failures++;
    timer->due = nanoseconds_now() + rebal_queue_back_off_ns(timer->failures);
  }
  return timer != NULL;
}

bool timers_is_due(const struct timers *timers, uint32_t object) {
  return object < timers->n && timers->list[object].due != 0 && timers->list[object].due <= nanoseconds_now();
}

int timers_wait(const struct timers *timers, int longest) {
  const int64_t now = nanoseconds_now();
  int64_t next = now + longest * (SECOND / 1000);
  for (size_t i = 0; i < timers->n; i++) {
    if (timers->list[i].due > now && timers->list[i].due < next) {
      next = timers->list[i].due;
    }
  }
  return (int)((next - now + SECOND / 1000 - 1) / (SECOND / 1000));
}

void timers_close(struct timers *timers) {
  free(timers->list);
}

int64_t wake_time(const rebal_result *result) {
  const int64_t *kinds = rebal_result_i64(result, REBAL_ACTION_KIND, NULL);
  int64_t due = 0;
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
    rebal_time at;
    rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, i, &at);
    if (kinds[i] == REBAL_ACTION_KIND_WAKE && at.is_set && (due == 0 || nanoseconds_of(&at) < due)) {
      due = nanoseconds_of(&at);
    }
  }
  return due;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

bool passes_open(struct passes *passes, struct client *client) {
  *passes = (struct passes){.client = client};
  return rebal_ctx_new(NULL, NULL, &passes->ctx, NULL) == REBAL_OK &&
         rebal_result_new(NULL, &passes->result, NULL) == REBAL_OK &&
         rebal_observations_new(NULL, &passes->observations, NULL) == REBAL_OK;
}

void passes_close(struct passes *passes) {
  timers_close(&passes->timers);
  rebal_observations_free(passes->observations);
  rebal_result_free(passes->result);
  rebal_ctx_free(passes->ctx);
}

static const struct family family = {"librebalance_passes_total", "counter", "Passes over objects.", {"kind", "state"}};

static void make_pass(struct passes *passes, uint32_t object, step_function *step, void *user) {
  const rebal_store *store = client_store(passes->client);
  const rebal_time now = time_now();
  rebal_error err = REBAL_ERROR_INIT;
  int64_t state = REBAL_STEP_STATE_WAITING;
  int32_t code = REBAL_OK;
  rebal_observations_reset(passes->observations);
  passes->is_begun = false;
  while (code == REBAL_OK && state == REBAL_STEP_STATE_WAITING) {
    client_enter(passes->client);
    code = step(user, object, &now, &err);
    client_leave(passes->client);
    passes->is_begun = true;
    if (code == REBAL_OK) {
      state = rebal_result_i64(passes->result, REBAL_STEP_STATE, NULL)[0];
      code = client_carry_out(passes->client, passes->result, passes->observations, NULL);
    }
    if (code == REBAL_OK && passes->takes_all_to_succeed && client_refused(passes->client) > 0) {
      code = REBAL_EAGAIN;
    }
  }
  state = code == REBAL_OK ? state : REBAL_STEP_STATE_RETRY;
  metrics_add(client_metrics(passes->client), &family, rebal_store_identity(store, object, REBAL_IDENTITY_KIND, NULL),
              rebal_enum_name(REBAL_ENUM_STEP_STATE, state, NULL), 1);
  if (state != REBAL_STEP_STATE_RETRY) {
    (void)timers_set(&passes->timers, object, wake_time(passes->result));
    return;
  }
  (void)timers_back_off(&passes->timers, object);
  say("%s %s: %s", rebal_store_identity(store, object, REBAL_IDENTITY_KIND, NULL),
      rebal_store_identity(store, object, REBAL_IDENTITY_NAME, NULL),
      err.message[0] != '\0' ? err.message
      : code != REBAL_OK     ? rebal_strerror(code)
                             : rebal_result_text(passes->result, REBAL_STEP_MESSAGE, 0, NULL));
}

void passes_make(struct passes *passes, const char *kind, step_function *step, void *user) {
  const rebal_store *store = client_store(passes->client);
  uint32_t object = REBAL_NONE;
  while (client_leads(passes->client) && (object = rebal_store_next(store, kind, strlen(kind), object)) != REBAL_NONE) {
    if (timers_is_due(&passes->timers, object)) {
      make_pass(passes, object, step, user);
    }
  }
}
