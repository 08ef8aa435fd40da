/* SPDX-License-Identifier: MIT */
#include "turning.h"

#include "../../support/records.h"
#include "../../support/words.h"
#include "../unit.h"

#include <stdarg.h>
#include <stdio.h>

static char text[16384];
static size_t text_len;

static void say(const char *format, ...) REBALI_PRINTF(1, 2);
static void say(const char *format, ...) {
  va_list arguments;

  va_start(arguments, format);
  text_len += (size_t)vsnprintf(text + text_len, sizeof text - text_len, format, arguments);
  va_end(arguments);
  ck_assert_uint_lt(text_len, sizeof text);
}

static const char *text_at(const rebal_record *record, uint32_t node, uint32_t field) {
  return rebal_record_text(record, rebal_record_next(record, node, field, REBAL_NONE), NULL);
}

static void say_components(const rebal_record *spec, uint32_t target) {
  uint32_t node = REBAL_NONE;

  while ((node = rebal_record_next(spec, target, REBAL_TARGET_CLUSTER_COMPONENTS, node)) != REBAL_NONE) {
    const uint32_t replicas = rebal_record_next(spec, node, REBAL_TARGET_COMPONENT_REPLICAS, REBAL_NONE);

    say("+%s=%lld", text_at(spec, node, REBAL_TARGET_COMPONENT_NAME), (long long)rebal_record_i64(spec, replicas));
  }
}

static void say_spec(const rebal_record *spec) {
  uint32_t node = REBAL_NONE;

  say("spec");
  while ((node = rebal_record_next(spec, 0, REBAL_BINDING_SPEC_CLUSTERS, node)) != REBAL_NONE) {
    const uint32_t replicas = rebal_record_next(spec, node, REBAL_TARGET_CLUSTER_REPLICAS, REBAL_NONE);

    say(" %s:%lld", text_at(spec, node, REBAL_TARGET_CLUSTER_NAME), (long long)rebal_record_i64(spec, replicas));
    say_components(spec, node);
  }
}

static void say_condition(const rebal_record *status, uint32_t node) {
  rebal_time since;

  ck_assert_str_eq(text_at(status, node, REBAL_CONDITION_TYPE), "Scheduled");
  rebal_record_time(status, rebal_record_next(status, node, REBAL_CONDITION_LAST_TRANSITION_TIME, REBAL_NONE), &since);
  say(" %s %s %s since %lld", text_at(status, node, REBAL_CONDITION_STATUS),
      text_at(status, node, REBAL_CONDITION_REASON), text_at(status, node, REBAL_CONDITION_MESSAGE),
      (long long)since.seconds);
}

static void say_status(const rebal_record *status) {
  uint32_t node = REBAL_NONE;
  rebal_time last;

  say("status");
  while ((node = rebal_record_next(status, 0, 0, node)) != REBAL_NONE) {
    switch (rebal_record_field(status, node)) {
      case REBAL_BINDING_STATUS_SCHEDULER_OBSERVED_GENERATION:
        say(" generation=%lld", (long long)rebal_record_i64(status, node));
        break;
      case REBAL_BINDING_STATUS_SCHEDULER_OBSERVING_AFFINITY_NAME:
        if (rebal_record_next(status, 0, REBAL_BINDING_STATUS_LAST_SCHEDULED_TIME, REBAL_NONE) == REBAL_NONE) {
          say(" observing=%s", text_at(status, 0, REBAL_BINDING_STATUS_SCHEDULER_OBSERVING_AFFINITY_NAME));
        }
        break; /* else printed below, after the time */
      case REBAL_BINDING_STATUS_LAST_SCHEDULED_TIME:
        rebal_record_time(status, node, &last);
        say(" last=%lld", (long long)last.seconds);
        if (*text_at(status, 0, REBAL_BINDING_STATUS_SCHEDULER_OBSERVING_AFFINITY_NAME) != '\0') {
          say(" observing=%s", text_at(status, 0, REBAL_BINDING_STATUS_SCHEDULER_OBSERVING_AFFINITY_NAME));
        }
        break;
      case REBAL_BINDING_STATUS_CONDITIONS:
        say_condition(status, node);
        break;
      default:
        ck_abort_msg("a status field that the scheduler does not own");
    }
  }
}

/* Returns whether the action is an event on the resource that repeats the preceding one on the binding. */
static int is_repeated(const struct test_world *world, size_t row) {
  const rebal_result *result = world->result;
  const char *kind = rebal_result_text(result, REBAL_ACTION_OBJECT_KIND, row, NULL);

  if (strcmp(kind, "ResourceBinding") == 0 || strcmp(kind, "ClusterResourceBinding") == 0) {
    return 0;
  }
  ck_assert_uint_gt(row, 0);
  ck_assert(rebal_record_equal(rebal_result_record(result, row), rebal_result_record(result, row - 1)));
  return 1;
}

static void say_action(const struct test_world *world, size_t row) {
  size_t n;
  const int64_t kind = rebal_result_i64(world->result, REBAL_ACTION_KIND, &n)[row];
  const int64_t replaces = rebal_result_i64(world->result, REBAL_ACTION_REPLACES, &n)[row];
  const rebal_record *payload = rebal_result_record(world->result, row);

  ck_assert_int_eq(replaces, kind == REBAL_ACTION_KIND_PATCH_SPEC ? REBAL_REPLACES_CLUSTERS : 0);
  switch (kind) {
    case REBAL_ACTION_KIND_PATCH_METADATA:
      ck_assert_uint_eq(rebal_record_object(payload), REBAL_OBJECT_PLACEMENT);
      say("metadata");
      break;
    case REBAL_ACTION_KIND_PATCH_SPEC:
      say_spec(payload);
      break;
    case REBAL_ACTION_KIND_PATCH_STATUS:
      say_status(payload);
      break;
    case REBAL_ACTION_KIND_EVENT:
      say("event %s %s %s", text_at(payload, 0, REBAL_EVENT_TYPE), text_at(payload, 0, REBAL_EVENT_REASON),
          text_at(payload, 0, REBAL_EVENT_MESSAGE));
      break;
    default:
      ck_abort_msg("an action that the scheduler does not take");
  }
  say("\n");
}

const char *turn_actions(struct test_world *world, const rebal_schedule_opts *opts) {
  const rebal_time now = test_time(100);
  const int32_t code =
      rebal_scheduler_step(world->ctx, world->snapshot, world->bindings, &now, opts, world->result, &world->err);

  ck_assert_msg(code == REBAL_OK, "%s", world->err.message);
  text[0] = '\0';
  text_len = 0;
  for (size_t row = 0; row < rebal_result_count(world->result, REBAL_TABLE_ACTION); row++) {
    if (!is_repeated(world, row)) {
      say_action(world, row);
    }
  }
  return text;
}

void turn_set_components(struct test_world *world, uint32_t target, const char *components) {
  struct test_word rest = test_word(components), name, replicas;
  const rebal_record *record;
  uint32_t handle;

  (void)rebal_builder_start(world->builder, REBAL_OBJECT_TARGET_COMPONENTS, NULL);
  while (test_next(&rest, ' ', &name)) {
    replicas = test_cut(&name, '=');
    (void)rebal_builder_begin(world->builder, REBAL_TARGET_COMPONENTS_COMPONENT, NULL);
    test_put_text(world->builder, REBAL_TARGET_COMPONENT_NAME, name);
    (void)rebal_builder_i64(world->builder, REBAL_TARGET_COMPONENT_REPLICAS, test_number(replicas), NULL);
    (void)rebal_builder_end(world->builder, NULL);
  }
  ck_assert_int_eq(rebal_builder_finish(world->builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(world->fleet, record, &handle, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(world->bindings), REBAL_TARGET_COMPONENTS, REBAL_NONE,
                                       target, handle, NULL),
                   REBAL_OK);
}
