/* SPDX-License-Identifier: MIT */
/* What the description of the cases of WorkloadSpread (tests/vectors/kruise/README.md) leaves open in an outcome. */
#include "cases.h"

#include <string.h>

static int is_one_of(const char *const *names, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(names[i], name) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Does a member mean the same as none? */
static int means_nothing(const char *key, const json_t *value) {
  static const char *const maps[] = {"status",        "resources",        "strategy",     "updateStrategy",
                                     "scaleStrategy", "scheduleStrategy", "creatingPods", "deletingPods"};
  const int is_empty_map = json_is_object(value) && json_object_size(value) == 0;
  const int is_empty_text = json_is_string(value) && json_string_length(value) == 0;

  return json_is_null(value) || (is_empty_map && is_one_of(maps, sizeof maps / sizeof maps[0], key)) ||
         (is_empty_text && strcmp(key, "message") == 0);
}

/* Drops members that mean the same as none, at any depth but below "patch". */
static void drop_nothings(json_t *value) {
  const char *key;
  json_t *member;
  void *next;
  size_t i;

  json_object_foreach_safe(value, next, key, member) {
    if (!json_is_null(member) && strcmp(key, "patch") == 0) {
      continue;
    }
    drop_nothings(member);
    if (means_nothing(key, member)) {
      (void)json_object_del(value, key);
    }
  }
  json_array_foreach(value, i, member) {
    drop_nothings(member);
  }
}

void blur_error(json_t *outcome, const json_t *test) {
  (void)test;
  if (json_object_get(outcome, "error") != NULL) {
    (void)json_object_set_new(outcome, "error", json_true());
  }
}

void blur_kruise(json_t *outcome, const json_t *test) {
  json_t *step;
  size_t i;

  drop_nothings(outcome);
  blur_error(outcome, test);
  json_array_foreach(json_object_get(outcome, "steps"), i, step) {
    blur_error(step, test);
  }
}

void blur_validate(json_t *outcome, const json_t *test) {
  json_t *error;
  size_t i;

  (void)test;
  json_array_foreach(json_object_get(outcome, "errors"), i, error) {
    (void)json_object_del(error, "message");
  }
}
