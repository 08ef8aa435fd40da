/* SPDX-License-Identifier: MIT */
/* The JSON patch (RFC 6902) between two trees. In lists, common items at both ends are kept. */
#include "manifest/patch/document.h"

#include <stdio.h>
#include <string.h>

struct diff {
  json_t *operations;
  struct rebali_buffer pointer; /* to the value being compared */
  rebal_error *err;
};

/* ---- pointers (RFC 6901) ---- */

static void enter_key(struct diff *diff, const char *key) {
  rebali_buffer_text(&diff->pointer, "/");
  for (; *key != '\0'; key++) {
    const size_t run = strcspn(key, "~/");
    rebali_buffer_append(&diff->pointer, key, run);
    key += run;
    if (*key == '\0') {
      return;
    }
    rebali_buffer_text(&diff->pointer, *key == '~' ? "~0" : "~1");
  }
}

static void enter_index(struct diff *diff, size_t index) {
  char text[24];
  (void)snprintf(text, sizeof text, "/%zu", index);
  rebali_buffer_text(&diff->pointer, text);
}

static void leave(struct diff *diff, size_t len) {
  diff->pointer.len = len;
}

/* ---- operations ---- */

/* value NULL: the operation has no value. */
static int32_t add_operation(struct diff *diff, const char *name, const json_t *value) {
  json_t *operation = json_object();
  const char *pointer = diff->pointer.bytes != NULL ? diff->pointer.bytes : "";
  int32_t result = diff->pointer.failed ? rebali_fail_memory(diff->err) : REBAL_OK;
  if (result == REBAL_OK) {
    result = rebali_put_text(operation, "op", name, diff->err);
  }
  if (result == REBAL_OK) {
    result = rebali_put(operation, "path", json_stringn_nocheck(pointer, diff->pointer.len), diff->err);
  }
  if (result == REBAL_OK && value != NULL) {
    result = rebali_put(operation, "value", json_incref((json_t *)(uintptr_t)value), diff->err);
  }
  if (result != REBAL_OK) {
    json_decref(operation);
    return result;
  }
  return json_array_append_new(diff->operations, operation) == 0 ? REBAL_OK : rebali_fail_memory(diff->err);
}

static int32_t compare(struct diff *diff, const json_t *before, const json_t *after);

/* ---- maps ---- */

static int32_t compare_member(struct diff *diff, const char *key, const json_t *before, const json_t *after) {
  const size_t len = diff->pointer.len;
  int32_t result;
  if (before == after) {
    return REBAL_OK;
  }
  enter_key(diff, key);
  if (before == NULL) {
    result = add_operation(diff, "add", after);
  } else {
    result = after == NULL ? add_operation(diff, "remove", NULL) : compare(diff, before, after);
  }
  leave(diff, len);
  return result;
}

/* One map is usually a copy of the other in the same order: while the names match, no lookup is needed. */
static int32_t compare_maps(struct diff *diff, const json_t *before, const json_t *after) {
  json_t *old = (json_t *)(uintptr_t)before, *new = (json_t *)(uintptr_t)after; /* jansson's iterators take no const */
  void *left = json_object_iter(old), *right = json_object_iter(new);
  int32_t result = REBAL_OK;
  while (result == REBAL_OK && left != NULL && right != NULL &&
         strcmp(json_object_iter_key(left), json_object_iter_key(right)) == 0) {
    result =
        compare_member(diff, json_object_iter_key(left), json_object_iter_value(left), json_object_iter_value(right));
    left = json_object_iter_next(old, left);
    right = json_object_iter_next(new, right);
  }
  for (; result == REBAL_OK && left != NULL; left = json_object_iter_next(old, left)) {
    const char *key = json_object_iter_key(left);
    result = compare_member(diff, key, json_object_iter_value(left), json_object_get(after, key));
  }
  for (; result == REBAL_OK && right != NULL; right = json_object_iter_next(new, right)) {
    const char *key = json_object_iter_key(right);
    if (json_object_get(before, key) == NULL) {
      result = compare_member(diff, key, NULL, json_object_iter_value(right));
    }
  }
  return result;
}

/* ---- lists ---- */

/* Counts the equal items at the end of two lists, after the first skipped ones. */
static size_t common_end(const json_t *before, const json_t *after, size_t skipped) {
  const size_t n_before = json_array_size(before), n_after = json_array_size(after);
  size_t n = 0;
  while (skipped + n < n_before && skipped + n < n_after &&
         json_equal(json_array_get(before, n_before - 1 - n), json_array_get(after, n_after - 1 - n))) {
    n++;
  }
  return n;
}

static size_t common_start(const json_t *before, const json_t *after) {
  const size_t n_before = json_array_size(before), n_after = json_array_size(after);
  size_t n = 0;
  while (n < n_before && n < n_after && json_equal(json_array_get(before, n), json_array_get(after, n))) {
    n++;
  }
  return n;
}

/* Handles one item: compares it if name is NULL, else adds the operation of that name. */
static int32_t compare_item(struct diff *diff, size_t index, const char *name, const json_t *before,
                            const json_t *after) {
  const size_t len = diff->pointer.len;
  int32_t result;
  enter_index(diff, index);
  result = name != NULL ? add_operation(diff, name, after) : compare(diff, before, after);
  leave(diff, len);
  return result;
}

static int32_t compare_lists(struct diff *diff, const json_t *before, const json_t *after) {
  const size_t start = common_start(before, after), end = common_end(before, after, start);
  const size_t n_before = json_array_size(before) - end, n_after = json_array_size(after) - end;
  const size_t n_both = n_before < n_after ? n_before : n_after;
  int32_t result = REBAL_OK;
  for (size_t i = start; result == REBAL_OK && i < n_both; i++) {
    result = compare_item(diff, i, NULL, json_array_get(before, i), json_array_get(after, i));
  }
  for (size_t i = n_before; result == REBAL_OK && i > n_both; i--) {
    result = compare_item(diff, i - 1, "remove", NULL, NULL);
  }
  for (size_t i = n_both; result == REBAL_OK && i < n_after; i++) {
    result = compare_item(diff, i, "add", NULL, json_array_get(after, i));
  }
  return result;
}

static int32_t compare(struct diff *diff, const json_t *before, const json_t *after) {
  if (before == after) {
    return REBAL_OK;
  }
  if (rebali_is_map(before) && rebali_is_map(after)) {
    return compare_maps(diff, before, after);
  }
  if (json_is_array(before) && json_is_array(after)) {
    return compare_lists(diff, before, after);
  }
  return json_equal(before, after) ? REBAL_OK : add_operation(diff, "replace", after);
}

int32_t rebali_json_diff(const json_t *before, const json_t *after, json_t **out, rebal_error *err) {
  struct diff diff = {json_array(), REBALI_BUFFER, err};
  const int32_t result = diff.operations != NULL ? compare(&diff, before, after) : rebali_fail_memory(err);
  rebali_buffer_dispose(&diff.pointer);
  if (result != REBAL_OK) {
    json_decref(diff.operations);
    return result;
  }
  *out = diff.operations;
  return REBAL_OK;
}
