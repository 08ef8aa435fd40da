/* SPDX-License-Identifier: MIT */
/* What a step expects of the pods of a workload in the scenario's own cluster: how many have which value of a field. */
#include "member.h"

#include "workloads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const members[] = {"by", "counts", "ready", "unschedulable"};
enum { MEMBERS = sizeof members / sizeof members[0] };

static const char matched[] = "metadata.annotations[\"apps.kruise.io/matched-workloadspread\"]";

static int32_t read_counts(const struct rebali_reading *reading, struct rebali_slice counts) {
  struct rebali_slice value, count;
  size_t at = 0;
  int64_t number;
  while (rebali_cursor_member(counts, &at, &value, &count)) {
    if (!rebali_cursor_integer(count, &number) || number < 1) {
      return rebali_reading_fail(reading, "counts", "each value has a whole number of pods, 1 or more");
    }
  }
  return REBAL_OK;
}

int32_t rebali_expected_counts_read(const struct rebali_reading *reading) {
  struct rebali_slice by, counts;
  int32_t code = rebali_reading_known(reading, members, MEMBERS);
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "by", REBALI_JSON_STRING, 0, &by);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "counts", REBALI_JSON_MAP, by.len > 0, &counts);
  }
  if (code == REBAL_OK && counts.len > 0 && by.len == 0) {
    code = rebali_reading_fail(reading, "by", "what counts are by is missing");
  }
  if (code == REBAL_OK && by.len > 0) {
    code = rebali_reading_path(reading, "by", by);
  }
  if (code == REBAL_OK) {
    code = read_counts(reading, counts);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_count(reading, "ready");
  }
  return code == REBAL_OK ? rebali_reading_count(reading, "unschedulable") : code;
}

/* Pods that have one value. */
struct group {
  char *value;
  int64_t n;
};

struct found {
  struct group *groups; /* by value */
  size_t n, capacity;
  int64_t ready, unschedulable;
};

static void dispose(struct found *found) {
  for (size_t i = 0; i < found->n; i++) {
    free(found->groups[i].value);
  }
  free(found->groups);
}

/* Counts a value, which becomes the group's or is freed. */
static int32_t add(struct found *found, char *value, rebal_error *err) {
  size_t at = 0;
  int32_t code;
  while (at < found->n && strcmp(found->groups[at].value, value) < 0) {
    at++;
  }
  if (at < found->n && strcmp(found->groups[at].value, value) == 0) {
    found->groups[at].n++;
    free(value);
    return REBAL_OK;
  }
  code = rebali_make_room(&found->groups, &found->capacity, found->n + 1, sizeof *found->groups, err);
  if (code != REBAL_OK) {
    free(value);
    return code;
  }
  memmove(found->groups + at + 1, found->groups + at, (found->n - at) * sizeof *found->groups);
  found->groups[at] = (struct group){value, 1};
  found->n++;
  return REBAL_OK;
}

/* The subset in an annotation, which may be any text; from malloc, NULL without memory. */
static char *subset_in(rebal_simulation *simulation, char *annotation) {
  const rebal_rewrite_opts opts = {.struct_size = sizeof opts, .limits = simulation->opts.limits};
  rebal_text *text = simulation->workloads->text;
  struct rebali_slice map = {NULL, 0};
  char *subset;
  int32_t code;
  if (annotation == NULL) {
    return NULL;
  }
  rebal_text_reset(text);
  code = rebal_manifest_rewrite(annotation, strlen(annotation), &opts, text, NULL);
  if (code == REBAL_ENOMEM) {
    free(annotation);
    return NULL;
  }
  if (code == REBAL_OK) {
    map.bytes = rebal_text_bytes(text, &map.len);
  }
  subset = rebali_cursor_kind(map) == REBALI_JSON_MAP ? rebali_cursor_copy(rebali_cursor_find(map, "subset"))
                                                      : rebali_bytes_copy("", 0);
  free(annotation);
  return subset;
}

static int32_t add_pod(rebal_simulation *simulation, const char *by, uint32_t pod, struct found *found,
                       rebal_error *err) {
  char *value;
  found->unschedulable += rebali_field_is(simulation, pod, "status.conditions[0].reason", "Unschedulable");
  if (by[0] == '\0') {
    return REBAL_OK;
  }
  value = strcmp(by, "subset") == 0 ? subset_in(simulation, rebali_field_copy(simulation, pod, matched))
                                    : rebali_field_copy(simulation, pod, by);
  if (value != NULL && value[0] == '\0') {
    free(value);
    value = rebali_bytes_copy("none", 4);
  }
  return value != NULL ? add(found, value, err) : rebali_fail_memory(err);
}

/* The pods that the object controls, itself or through what it controls. */
static int32_t find_pods(rebal_simulation *simulation, const char *by, uint32_t object, struct found *found,
                         rebal_error *err) {
  struct rebali_owned_pods pods = {NULL, 0, 0};
  int32_t code = rebali_owned_pods_list(simulation, &pods, err);
  for (size_t i = 0; code == REBAL_OK && i < pods.n; i++) {
    const uint32_t owner = pods.list[i].owner;
    if (owner != REBAL_NONE && !pods.list[i].is_done &&
        (owner == object || rebali_is_controlled(simulation, owner, object))) {
      found->ready += pods.list[i].is_ready;
      code = add_pod(simulation, by, pods.list[i].object, found, err);
    }
  }
  rebali_owned_pods_dispose(&pods);
  return code;
}

static int is_number(struct rebali_slice pods, const char *name, int64_t found) {
  const struct rebali_slice value = rebali_cursor_find(pods, name);
  int64_t number;
  return value.len == 0 || (rebali_cursor_integer(value, &number) && number == found);
}

/* The number a value is expected to have, escaped or not; 0: it is not expected. */
static int64_t expected(struct rebali_slice counts, const char *wanted) {
  struct rebali_slice value, count;
  size_t at = 0;
  int64_t number = 0;
  while (rebali_cursor_member(counts, &at, &value, &count)) {
    if (rebali_cursor_reads((struct rebali_slice){value.bytes - 1, value.len + 2}, rebali_slice(wanted))) {
      return rebali_cursor_integer(count, &number) ? number : 0;
    }
  }
  return 0;
}

/* Exactly these values are expected. */
static int is_as_counted(struct rebali_slice counts, const struct found *found) {
  struct rebali_slice value, count;
  size_t at = 0, n = 0;
  while (rebali_cursor_member(counts, &at, &value, &count)) {
    n++;
  }
  for (size_t i = 0; i < found->n; i++) {
    if (expected(counts, found->groups[i].value) != found->groups[i].n) {
      return 0;
    }
  }
  return n == found->n;
}

static int32_t print_found(const struct found *found, int has_counts, rebal_text *out, rebal_error *err) {
  int32_t code = rebali_print(out, err, "%" PRId64 " ready, %" PRId64 " unschedulable%s", found->ready,
                              found->unschedulable, has_counts ? ", counts {" : "");
  for (size_t i = 0; code == REBAL_OK && has_counts && i < found->n; i++) {
    code = rebali_print(out, err, "%s%s:%" PRId64, i > 0 ? ", " : "", found->groups[i].value, found->groups[i].n);
  }
  return code == REBAL_OK && has_counts ? rebali_print(out, err, "}") : code;
}

int32_t rebali_expected_counts_check(rebal_simulation *simulation, uint32_t object, struct rebali_slice pods,
                                     int *holds, rebal_text *wanted, rebal_text *text, rebal_error *err) {
  const struct rebali_slice counts = rebali_cursor_find(pods, "counts");
  char *by = rebali_cursor_copy(rebali_cursor_find(pods, "by"));
  struct found found = {NULL, 0, 0, 0, 0};
  int32_t code = by != NULL ? rebali_print(wanted, err, "pods %.*s", REBALI_SLICE(pods)) : rebali_fail_memory(err);
  if (code == REBAL_OK && object != REBAL_NONE) {
    code = find_pods(simulation, by, object, &found, err);
  }
  *holds = object != REBAL_NONE && is_number(pods, "ready", found.ready) &&
           is_number(pods, "unschedulable", found.unschedulable) && (counts.len == 0 || is_as_counted(counts, &found));
  if (code == REBAL_OK) {
    code = object != REBAL_NONE ? print_found(&found, counts.len > 0, text, err)
                                : rebali_print(text, err, "no such object");
  }
  dispose(&found);
  free(by);
  return code;
}
