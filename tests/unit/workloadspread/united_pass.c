/* SPDX-License-Identifier: MIT */
#include "united_pass.h"

#include "../unit.h"

#include <stdio.h>

/* ---- pods ---- */

/* The next piece of a word, terminated; text moves past the separator. */
static const char *piece(const char **text, char *buffer, size_t size) {
  const size_t len = strcspn(*text, ": ");

  ck_assert_uint_lt(len, size);
  memcpy(buffer, *text, len);
  buffer[len] = '\0';
  *text += len + ((*text)[len] == ':' ? 1 : 0);
  return buffer;
}

static void set_text(rebal_pods *pods, uint32_t column, uint32_t row, const char *text) {
  ck_assert_int_eq(rebal_cells_set_text(rebal_pods_cells(pods), column, REBAL_NONE, row, text, strlen(text), NULL),
                   REBAL_OK);
}

static void set(rebal_pods *pods, uint32_t column, uint32_t row, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(pods), column, REBAL_NONE, row, value, NULL), REBAL_OK);
}

/* pending, stuck (and unschedulable), gone (stuck, being deleted), seated (stuck, but on a node), running, ready */
static void set_state(rebal_pods *pods, uint32_t row, const char *state) {
  const size_t len = strcspn(state, "0123456789");
  const rebal_time since = {UNITED_NOW - strtoll(state + len, NULL, 10), 0, 1};
  const int is_ready = strncmp(state, "ready", len) == 0;
  const int is_pending = !is_ready && strncmp(state, "running", len) != 0;

  set(pods, REBAL_SPREAD_POD_PHASE, row, is_pending ? REBAL_POD_PHASE_PENDING : REBAL_POD_PHASE_RUNNING);
  set(pods, REBAL_SPREAD_POD_UNSCHEDULABLE, row, is_pending && strncmp(state, "pending", len) != 0);
  set(pods, REBAL_SPREAD_POD_DELETING, row, strncmp(state, "gone", len) == 0);
  set(pods, REBAL_SPREAD_POD_NODE, row, strncmp(state, "seated", len) == 0 ? 0 : REBAL_ABSENT);
  set(pods, REBAL_SPREAD_POD_READY, row, is_ready);
  ck_assert_int_eq(
      rebal_cells_set_time(rebal_pods_cells(pods), is_ready ? REBAL_SPREAD_POD_READY_SINCE : REBAL_SPREAD_POD_CREATED,
                           REBAL_NONE, row, &since, NULL),
      REBAL_OK);
}

static int32_t add_pod(rebal_pods *pods, const char **text) {
  char buffer[32];
  uint32_t row;
  const int32_t code = rebal_cells_add(rebal_pods_cells(pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &row, 1, NULL);

  if (code != REBAL_OK) {
    return code;
  }
  set_text(pods, REBAL_SPREAD_POD_NAME, row, piece(text, buffer, sizeof buffer));
  set_text(pods, REBAL_SPREAD_POD_UID, row, "uid");
  set_text(pods, REBAL_SPREAD_POD_UNITED_SUBSET, row, piece(text, buffer, sizeof buffer));
  set_state(pods, row, piece(text, buffer, sizeof buffer));
  set_text(pods, REBAL_SPREAD_POD_UNITED_REVISION, row, piece(text, buffer, sizeof buffer));
  if (*piece(text, buffer, sizeof buffer) != '-') {
    set(pods, REBAL_SPREAD_POD_RESERVED, row, *buffer - '0');
  }
  *text += strspn(*text, " ");
  return REBAL_OK;
}

/* ---- a pass ---- */

int32_t united_world_new(struct united_world *world, const rebal_allocator *allocator, const struct united_pass *pass) {
  const struct united_sample sample = {pass->strategy, pass->replicas, pass->subsets, pass->answer};
  const char *text = pass->pods;
  int32_t code;

  memset(world, 0, sizeof *world);
  world->now = (rebal_time){UNITED_NOW, 0, 1};
  code = united_new_with(&world->fixture, allocator, &sample, pass->status);
  code = code != REBAL_OK ? code : rebal_fleet_new(NULL, &world->fleet, NULL);
  code = code != REBAL_OK ? code : rebal_pods_new(world->fleet, NULL, &world->pods, NULL);
  code = code != REBAL_OK ? code : rebal_ctx_new(allocator, NULL, &world->ctx, NULL);
  while (code == REBAL_OK && *text != '\0') {
    code = add_pod(world->pods, &text);
  }
  return code;
}

void united_world_dispose(struct united_world *world) {
  united_dispose(&world->fixture);
  rebal_pods_free(world->pods);
  rebal_fleet_free(world->fleet);
  rebal_ctx_free(world->ctx);
  memset(world, 0, sizeof *world);
}

int32_t united_step(struct united_world *world) {
  struct united_fixture *fixture = &world->fixture;

  return rebal_united_step(world->ctx, fixture->record, world->pods, &world->now, &fixture->opts, fixture->result,
                           NULL);
}

size_t united_action(const struct united_world *world, int64_t kind, size_t n) {
  const int64_t *kinds = rebal_result_i64(world->fixture.result, REBAL_ACTION_KIND, NULL);
  const size_t count = rebal_result_count(world->fixture.result, REBAL_TABLE_ACTION);

  for (size_t row = 0; row < count; row++) {
    if (kinds[row] == kind && n-- == 0) {
      return row;
    }
  }
  return SIZE_MAX;
}

/* ---- the results, in the form of the passes ---- */

static void say_labels(const struct united_world *world, char *out, size_t size) {
  size_t len = 0;
  size_t row;

  out[0] = '\0';
  for (size_t i = 0; (row = united_action(world, REBAL_ACTION_KIND_PATCH_METADATA, i)) != SIZE_MAX; i++) {
    const rebal_record *patch = rebal_result_record(world->fixture.result, row);

    len += (size_t)snprintf(out + len, size - len, "%s%s=%d", i == 0 ? "" : " ",
                            rebal_result_text(world->fixture.result, REBAL_ACTION_NAME, row, NULL),
                            (int)rebal_record_i64(patch, rebali_record_get(patch, 0, REBAL_POD_PATCH_RESERVED)));
  }
}

static const char *member(const rebal_record *record, uint32_t node, uint32_t field) {
  return rebal_record_text(record, rebali_record_get(record, node, field), NULL);
}

static size_t say_condition(const rebal_record *status, uint32_t node, char *out, size_t size) {
  rebal_time since;

  if (strcmp(member(status, node, REBAL_CONDITION_TYPE), "Schedulable") != 0) {
    return (size_t)snprintf(out, size, "&");
  }
  rebal_record_time(status, rebali_record_get(status, node, REBAL_CONDITION_LAST_TRANSITION_TIME), &since);
  return (size_t)snprintf(out, size, "=%s,%s,%d,%s", member(status, node, REBAL_CONDITION_STATUS),
                          member(status, node, REBAL_CONDITION_REASON), (int)(UNITED_NOW - since.seconds),
                          member(status, node, REBAL_CONDITION_MESSAGE));
}

static void say_conditions(const rebal_record *status, char *out, size_t size) {
  uint32_t entry = REBAL_NONE;
  size_t len = 0;

  out[0] = '\0';
  while ((entry = rebal_record_next(status, 0, REBAL_UNITED_STATUS_SUBSETS, entry)) != REBAL_NONE) {
    uint32_t node = REBAL_NONE;

    len += (size_t)snprintf(out + len, size - len, "%s%s", len == 0 ? "" : "; ",
                            member(status, entry, REBAL_UNITED_SUBSET_STATUS_NAME));
    while ((node = rebal_record_next(status, entry, REBAL_UNITED_SUBSET_STATUS_CONDITIONS, node)) != REBAL_NONE) {
      len += say_condition(status, node, out + len, size - len);
    }
  }
}

static void check_timer(const struct united_world *world, int64_t after) {
  const int64_t after_ns = rebal_result_i64(world->fixture.result, REBAL_STEP_AFTER_NS, NULL)[0];
  const size_t wake = united_action(world, REBAL_ACTION_KIND_WAKE, 0);
  rebal_time at;

  if (after == 0) {
    ck_assert_int_eq(after_ns, REBAL_ABSENT);
    ck_assert_uint_eq(wake, SIZE_MAX);
    return;
  }
  ck_assert_int_eq(after_ns, after * REBALI_SECOND_NS);
  rebal_result_time(world->fixture.result, REBAL_ACTION_NOT_BEFORE, wake, &at);
  ck_assert_int_eq(at.seconds, UNITED_NOW + after);
}

static void pass_gives(const struct united_pass *pass) {
  struct united_world world;
  char labels[256];
  char conditions[512];
  size_t status;

  ck_assert_int_eq(united_world_new(&world, NULL, pass), REBAL_OK);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_str_eq(united_answer(&world.fixture), pass->answer);
  say_labels(&world, labels, sizeof labels);
  ck_assert_str_eq(labels, pass->labels);
  status = united_action(&world, REBAL_ACTION_KIND_PATCH_STATUS, 0);
  ck_assert_int_eq(status != SIZE_MAX, pass->conditions != NULL);
  if (pass->conditions != NULL) {
    say_conditions(rebal_result_record(world.fixture.result, status), conditions, sizeof conditions);
    ck_assert_str_eq(conditions, pass->conditions);
  }
  check_timer(&world, pass->after);
  united_world_dispose(&world);
}

void united_pass(const struct united_pass *passes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    pass_gives(&passes[i]);
  }
}
