/* SPDX-License-Identifier: MIT */
/* Checks what a step expects. */
#include "simulation/scenario/simulation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One check: the expected and the actual value as text. */
struct check {
  rebal_simulation *simulation;
  const struct rebali_expectation *expectation;
  uint32_t object;
  struct rebali_buffer wanted, found;
  int holds;
};

static const rebal_value *find_target(const rebal_value *targets, const char *cluster) {
  for (size_t i = 0; i < rebal_value_count(targets); i++) {
    if (rebali_reads(rebali_find(rebal_value_item(targets, i), "name"), cluster)) {
      return rebal_value_item(targets, i);
    }
  }
  return NULL;
}

static void compare_placement(struct check *check, const rebal_value *targets) {
  const rebal_value *placement = check->expectation->placement;
  size_t n = 0;
  rebali_buffer_text(&check->wanted, "placement {");
  check->holds = 1;
  for (const char *key = rebal_value_next_key(placement, NULL); key != NULL;
       key = rebal_value_next_key(placement, key)) {
    const rebal_value *target = find_target(targets, key);
    const int64_t wanted = rebali_number_or(rebali_find(placement, key), 0);
    check->holds &= target != NULL && rebali_number_or(rebali_find(target, "replicas"), 0) == wanted;
    rebali_buffer_format(&check->wanted, "%s%s:%" PRId64, n++ > 0 ? ", " : "", key, wanted);
  }
  check->holds = check->holds && n == rebal_value_count(targets);
  rebali_buffer_text(&check->wanted, "}");
  if (rebal_value_count(targets) == 0) {
    rebali_buffer_text(&check->found, "{}");
  } else {
    rebali_print_short(&check->found, "@name:@replicas", targets);
  }
}

static int32_t check_placement(struct check *check, rebal_error *err) {
  struct rebali_server *server = &check->simulation->server;
  uint32_t binding;
  const int32_t code = rebali_binding_of(server, check->object, &binding, err);
  if (code != REBAL_OK) {
    return code;
  }
  compare_placement(check, binding != REBAL_NONE ? rebali_field(server, binding, "spec.clusters") : NULL);
  if (binding == REBAL_NONE) {
    check->holds = 0;
    rebali_buffer_clear(&check->found);
    rebali_buffer_text(&check->found, "no binding");
  }
  return REBAL_OK;
}

static int32_t check_field(struct check *check, rebal_error *err) {
  struct rebali_buffer wanted = REBALI_BUFFER, found = REBALI_BUFFER;
  const char *field = check->expectation->field;
  int has_failed;
  rebali_print_value(&wanted, check->expectation->equals);
  rebali_print_value(
      &found, check->object != REBAL_NONE ? rebali_field(&check->simulation->server, check->object, field) : NULL);
  check->holds = check->object != REBAL_NONE && strcmp(rebali_printed(&wanted), rebali_printed(&found)) == 0;
  rebali_buffer_format(&check->wanted, "%s is %s", field, wanted.len > 0 ? wanted.bytes : "absent");
  rebali_buffer_text(&check->found, check->object == REBAL_NONE ? "no such object"
                                    : found.len > 0             ? found.bytes
                                                                : "absent");
  has_failed = wanted.failed || found.failed;
  rebali_buffer_dispose(&wanted);
  rebali_buffer_dispose(&found);
  return has_failed ? rebali_fail_memory(err) : REBAL_OK;
}

static void check_absent(struct check *check) {
  check->holds = check->object == REBAL_NONE;
  rebali_buffer_text(&check->wanted, "no such object");
  rebali_buffer_text(&check->found, check->holds ? "none" : "the object");
}

static void check_event(struct check *check) {
  const rebal_value *event = check->expectation->event, *given = rebali_find(event, "count");
  const char *type = rebali_find_text(event, "type"), *reason = rebali_find_text(event, "reason");
  const char *message = rebali_find_text(event, "message");
  const int is_named = check->expectation->object.kind[0] != '\0';
  const int64_t wanted = rebali_number_or(given, 1);
  int64_t count = 0;
  if (!is_named || check->object != REBAL_NONE) {
    count = rebali_event_count(&check->simulation->server, check->object, type, reason, message);
  }
  check->holds = given != NULL ? count == wanted : count > 0;
  rebali_buffer_format(&check->wanted, "event %s%s%s%s%s", type, type[0] != '\0' ? " " : "", reason,
                       message[0] != '\0' ? ": " : "", message);
  if (given != NULL) {
    rebali_buffer_format(&check->wanted, " x%" PRId64, wanted);
  }
  rebali_buffer_format(&check->found, "x%" PRId64, count);
}

static int32_t run_check(struct check *check, rebal_error *err) {
  const struct rebali_expectation *expectation = check->expectation;
  if (expectation->placement != NULL) {
    return check_placement(check, err);
  }
  if (expectation->field[0] != '\0') {
    return check_field(check, err);
  }
  if (expectation->pods != NULL) {
    return rebali_expected_pods_check(check->simulation, check->object, expectation->pods, &check->holds,
                                      &check->wanted, &check->found, err);
  }
  if (expectation->is_absent) {
    check_absent(check);
  } else {
    check_event(check);
  }
  return REBAL_OK;
}

/* Prints the object, or its name if it is missing. */
static void print_object(const struct check *check, struct rebali_buffer *out) {
  const struct rebali_name *name = &check->expectation->object;
  if (check->object != REBAL_NONE) {
    rebali_print_label(&check->simulation->server, out, check->object);
  } else if (name->kind[0] == '\0') {
    rebali_buffer_text(out, "any object");
  } else {
    rebali_buffer_format(out, "%s %s%s%s", name->kind, name->namespace_, name->namespace_[0] != '\0' ? "/" : "",
                         name->name);
  }
}

static int32_t log_check(struct check *check, rebal_error *err) {
  struct rebali_server *server = &check->simulation->server;
  struct rebali_buffer label = REBALI_BUFFER, *change = &server->scratch;
  int32_t code = REBAL_OK;
  print_object(check, &label);
  rebali_buffer_clear(change);
  rebali_buffer_format(change, "%s: %s", check->holds ? "as expected" : "EXPECTED", rebali_printed(&check->wanted));
  if (!check->holds) {
    rebali_buffer_format(change, ", found %s", rebali_printed(&check->found));
  }
  if (label.failed || change->failed || check->wanted.failed || check->found.failed) {
    code = rebali_fail_memory(err);
  } else {
    code = rebali_log_report_of(server, check->holds ? REBAL_LOG_KIND_HELD : REBAL_LOG_KIND_FAILED, "expect",
                                label.bytes, change->bytes, "", err);
  }
  rebali_buffer_dispose(&label);
  return code;
}

/* Logs and counts the check, and disposes of it. */
static int32_t finish(struct check *check, int32_t code, rebal_error *err) {
  if (code == REBAL_OK) {
    code = log_check(check, err);
  }
  if (code == REBAL_OK) {
    check->simulation->held += (uint64_t)check->holds;
    check->simulation->failed += (uint64_t)!check->holds;
  }
  rebali_buffer_dispose(&check->wanted);
  rebali_buffer_dispose(&check->found);
  return code;
}

static int32_t expect_one(rebal_simulation *simulation, const struct rebali_expectation *expectation,
                          rebal_error *err) {
  struct check check = {simulation, expectation, REBAL_NONE, REBALI_BUFFER, REBALI_BUFFER, 0};
  int32_t code = rebali_events_write_of(&simulation->server, expectation->object.kind, err);
  if (code == REBAL_OK && expectation->object.kind[0] != '\0') {
    check.object = rebali_find_named(simulation, &expectation->object);
  }
  if (code == REBAL_OK) {
    code = run_check(&check, err);
  }
  return finish(&check, code, err);
}

int32_t rebali_expect_refusal(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                              const struct rebali_name *object, const char *message, rebal_error *err) {
  const struct rebali_expectation expectation = {.object = *object};
  struct check check = {simulation, &expectation, REBAL_NONE, REBALI_BUFFER, REBALI_BUFFER, 0};
  check.holds = message != NULL && strstr(message, step->refused) != NULL;
  rebali_buffer_format(&check.wanted, "refused%s%s", step->refused[0] != '\0' ? ": " : "", step->refused);
  rebali_buffer_text(&check.found, message != NULL ? message : "accepted");
  return finish(&check, REBAL_OK, err);
}

int32_t rebali_expect(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  struct rebali_expectation expectation;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(step->expect); i++) {
    code = rebali_expectation_read(&simulation->scenario, step, i, &expectation, err);
    if (code == REBAL_OK) {
      code = expect_one(simulation, &expectation, err);
    }
  }
  return code;
}
