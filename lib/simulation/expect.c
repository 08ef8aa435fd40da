/* SPDX-License-Identifier: MIT */
/* Does what a step expects hold? */
#include "member.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One check: what was expected and what was found, in words. */
struct check {
  rebal_simulation *simulation;
  const struct rebali_expectation *expectation;
  uint32_t object;
  rebal_text *wanted, *found;
  int holds;
};

static int32_t read_replicas(struct rebali_slice targets, struct rebali_slice cluster, int64_t *replicas) {
  struct rebali_slice target;
  size_t at = 0;
  while (rebali_cursor_item(targets, &at, &target)) {
    const struct rebali_slice name = rebali_cursor_find(target, "name");
    if (name.len == cluster.len + 2 && memcmp(name.bytes + 1, cluster.bytes, cluster.len) == 0) {
      return rebali_cursor_integer(rebali_cursor_find(target, "replicas"), replicas) || ((*replicas = 0), 1);
    }
  }
  return 0;
}

static size_t count_items(struct rebali_slice list) {
  struct rebali_slice item;
  size_t at = 0, n = 0;
  while (rebali_cursor_item(list, &at, &item)) {
    n++;
  }
  return n;
}

static int32_t compare_placement(struct check *check, struct rebali_slice targets, rebal_error *err) {
  struct rebali_slice cluster, value;
  size_t at = 0, n = 0;
  int32_t code = rebali_print(check->wanted, err, "placement {");
  check->holds = 1;
  while (code == REBAL_OK && rebali_cursor_member(check->expectation->placement, &at, &cluster, &value)) {
    int64_t replicas = 0, wanted = 0;
    (void)rebali_cursor_integer(value, &wanted);
    if (!read_replicas(targets, cluster, &replicas) || replicas != wanted) {
      check->holds = 0;
    }
    code = rebali_print(check->wanted, err, "%s%.*s:%" PRId64, n++ > 0 ? ", " : "", REBALI_SLICE(cluster), wanted);
  }
  check->holds = check->holds && n == count_items(targets);
  if (code == REBAL_OK) {
    code = rebali_print(check->wanted, err, "}");
  }
  if (code == REBAL_OK && count_items(targets) == 0) {
    return rebali_print(check->found, err, "{}");
  }
  return code == REBAL_OK ? rebali_brief("@name:@replicas", targets, check->found, err) : code;
}

static int32_t check_placement(struct check *check, rebal_error *err) {
  uint32_t binding;
  char *targets;
  int32_t code = rebali_binding_of(check->simulation, check->object, &binding, err);
  if (code != REBAL_OK) {
    return code;
  }
  targets =
      binding != REBAL_NONE ? rebali_field_copy(check->simulation, binding, "spec.clusters") : rebali_bytes_copy("", 0);
  code = targets != NULL ? compare_placement(check, rebali_slice(targets[0] != '\0' ? targets : "[]"), err)
                         : rebali_fail_memory(err);
  free(targets);
  if (binding == REBAL_NONE) {
    check->holds = 0;
    rebal_text_reset(check->found);
    code = code == REBAL_OK ? rebali_print(check->found, err, "no binding") : code;
  }
  return code;
}

static int32_t check_field(struct check *check, rebal_error *err) {
  char *path = rebali_cursor_copy(check->expectation->field);
  char *wanted = rebali_cursor_copy(check->expectation->equals);
  char *found = path == NULL                  ? NULL
                : check->object != REBAL_NONE ? rebali_field_copy(check->simulation, check->object, path)
                                              : rebali_bytes_copy("", 0);
  int32_t code = wanted != NULL && found != NULL
                     ? rebali_print(check->wanted, err, "%s is %s", path, wanted[0] != '\0' ? wanted : "absent")
                     : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    check->holds = check->object != REBAL_NONE && strcmp(wanted, found) == 0;
    code = rebali_print(check->found, err, "%s",
                        check->object == REBAL_NONE ? "no such object"
                        : found[0] != '\0'          ? found
                                                    : "absent");
  }
  free(path);
  free(wanted);
  free(found);
  return code;
}

static int32_t check_pods(struct check *check, rebal_error *err) {
  uint32_t binding;
  int32_t code;
  if (rebali_cursor_find(check->expectation->pods, "cluster").len == 0) {
    return rebali_expected_counts_check(check->simulation, check->object, check->expectation->pods, &check->holds,
                                        check->wanted, check->found, err);
  }
  code = rebali_binding_of(check->simulation, check->object, &binding, err);
  return code == REBAL_OK ? rebali_expected_pods_check(check->simulation, binding, check->expectation->pods,
                                                       &check->holds, check->wanted, check->found, err)
                          : code;
}

static int32_t check_absent(struct check *check, rebal_error *err) {
  const int32_t code = rebali_print(check->wanted, err, "no such object");
  check->holds = check->object == REBAL_NONE;
  return code == REBAL_OK ? rebali_print(check->found, err, "%s", check->holds ? "none" : "the object") : code;
}

static char *event_member(const struct check *check, const char *name) {
  const struct rebali_slice value = rebali_cursor_find(check->expectation->event, name);
  return value.len > 0 ? rebali_cursor_copy(value) : rebali_bytes_copy("", 0);
}

static int32_t compare_event(struct check *check, const char *type, const char *reason, const char *message,
                             rebal_error *err) {
  const struct rebali_slice given = rebali_cursor_find(check->expectation->event, "count");
  const int is_named = check->expectation->object.kind.len > 0;
  int64_t count = 0, wanted = 1;
  int32_t code;
  if (!is_named || check->object != REBAL_NONE) {
    count = rebali_event_count(check->simulation, check->object, type, reason, message);
  }
  (void)rebali_cursor_integer(given, &wanted);
  check->holds = given.len > 0 ? count == wanted : count > 0;
  code = rebali_print(check->wanted, err, "event %s%s%s%s%s", type, type[0] != '\0' ? " " : "", reason,
                      message[0] != '\0' ? ": " : "", message);
  if (code == REBAL_OK && given.len > 0) {
    code = rebali_print(check->wanted, err, " x%" PRId64, wanted);
  }
  return code == REBAL_OK ? rebali_print(check->found, err, "x%" PRId64, count) : code;
}

static int32_t check_event(struct check *check, rebal_error *err) {
  char *type = event_member(check, "type"), *reason = event_member(check, "reason");
  char *message = event_member(check, "message");
  const int32_t code = type != NULL && reason != NULL && message != NULL
                           ? compare_event(check, type, reason, message, err)
                           : rebali_fail_memory(err);
  free(type);
  free(reason);
  free(message);
  return code;
}

static int32_t run_check(struct check *check, rebal_error *err) {
  if (check->expectation->placement.len > 0) {
    return check_placement(check, err);
  }
  if (check->expectation->field.len > 0) {
    return check_field(check, err);
  }
  if (check->expectation->pods.len > 0) {
    return check_pods(check, err);
  }
  return check->expectation->is_absent ? check_absent(check, err) : check_event(check, err);
}

static int32_t print_object(const struct rebali_name *name, rebal_text *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  if (name->kind.len == 0) {
    return rebali_print(out, err, "any object");
  }
  code = rebali_cursor_text(name->kind, out, err);
  if (code == REBAL_OK) {
    code = rebali_print(out, err, " ");
  }
  if (code == REBAL_OK && name->space.len > 0) {
    code = rebali_cursor_text(name->space, out, err);
  }
  if (code == REBAL_OK && name->space.len > 0) {
    code = rebali_print(out, err, "/");
  }
  return code == REBAL_OK ? rebali_cursor_text(name->name, out, err) : code;
}

/* The object as it is, or as it was named; from malloc, NULL without memory. */
static char *label_of(const struct check *check, rebal_error *err) {
  rebal_text *scratch = check->simulation->scratch;
  const char *bytes;
  size_t len;
  if (check->object != REBAL_NONE) {
    return rebali_object_label(check->simulation, check->object);
  }
  rebal_text_reset(scratch);
  if (print_object(&check->expectation->object, scratch, err) != REBAL_OK) {
    return NULL;
  }
  bytes = rebal_text_bytes(scratch, &len);
  return rebali_bytes_copy(bytes, len);
}

static int32_t log_check(struct check *check, rebal_error *err) {
  rebal_simulation *simulation = check->simulation;
  char *label = label_of(check, err);
  int32_t code = label != NULL ? REBAL_OK : rebali_fail_memory(err);
  rebal_text_reset(simulation->scratch);
  if (code == REBAL_OK) {
    code = rebali_print(simulation->scratch, err, "%s: %s", check->holds ? "as expected" : "EXPECTED",
                        rebal_text_bytes(check->wanted, NULL));
  }
  if (code == REBAL_OK && !check->holds) {
    code = rebali_print(simulation->scratch, err, ", found %s", rebal_text_bytes(check->found, NULL));
  }
  if (code == REBAL_OK) {
    code = rebali_log_append(simulation, check->holds ? REBAL_LOG_KIND_HELD : REBAL_LOG_KIND_FAILED, "expect", label,
                             rebal_text_bytes(simulation->scratch, NULL), "", err);
  }
  free(label);
  return code;
}

static int32_t expect_one(rebal_simulation *simulation, const struct rebali_expectation *expectation,
                          rebal_error *err) {
  struct check check = {simulation, expectation, REBAL_NONE, NULL, NULL, 0};
  int32_t code = rebal_text_new(&check.wanted, err);
  if (code == REBAL_OK) {
    code = rebal_text_new(&check.found, err);
  }
  if (code == REBAL_OK && expectation->object.kind.len > 0) {
    code = rebali_name_find(simulation, &expectation->object, &check.object, err);
  }
  if (code == REBAL_OK) {
    code = run_check(&check, err);
  }
  if (code == REBAL_OK) {
    code = log_check(&check, err);
  }
  if (code == REBAL_OK) {
    simulation->held += (uint64_t)check.holds;
    simulation->failed += (uint64_t)!check.holds;
  }
  rebal_text_free(check.wanted);
  rebal_text_free(check.found);
  return code;
}

int32_t rebali_expect(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  struct rebali_expectation expectation;
  struct rebali_slice item;
  size_t at = 0;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && rebali_cursor_item(step->expect, &at, &item); i++) {
    code = rebali_expectation_read(&simulation->scenario, step, i, item, &expectation, err);
    if (code == REBAL_OK) {
      code = expect_one(simulation, &expectation, err);
    }
  }
  return code;
}
