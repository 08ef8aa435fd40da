/* SPDX-License-Identifier: MIT */
/* Decides which updates of a template matter, and which are Karmada's own (rebalance-karmada(7) 14.1). */
#include "detector/policy/policy.h"
#include "manifest/patch/document.h"

#include <string.h>

#define SKIP_AUTO_PROPAGATION "namespace.karmada.io/skip-auto-propagation"

static int is_own_key(const char *key, int is_label) {
  return strstr(key, ".karmada.io") != NULL && !(is_label && strcmp(key, SKIP_AUTO_PROPAGATION) == 0);
}

/* Removes Karmada's keys from a map of metadata. */
static void strip_keys(json_t *metadata, const char *name) {
  json_t *map = rebali_member(metadata, name), *value;
  const char *key;
  void *next;
  json_object_foreach_safe(map, next, key, value) {
    if (is_own_key(key, strcmp(name, "labels") == 0)) {
      (void)json_object_del(map, key);
    }
  }
  if (json_object_size(map) == 0) {
    (void)json_object_del(metadata, name);
  }
}

/* Strips an editable object of what does not matter; with is_users also of what Karmada changes. */
static void strip(json_t *object, int is_users) {
  json_t *metadata = rebali_member(object, "metadata");
  (void)json_object_del(object, "status");
  (void)json_object_del(metadata, "managedFields");
  (void)json_object_del(metadata, "resourceVersion");
  if (is_users) {
    (void)json_object_del(metadata, "generation");
    strip_keys(metadata, "labels");
    strip_keys(metadata, "annotations");
  }
}

static int32_t compare(const json_t *old, const json_t *now, int is_users, int32_t *differ, rebal_error *err) {
  json_t *left = rebali_editable(old), *right = rebali_editable(now);
  int32_t result = left != NULL && right != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    strip(left, is_users);
    strip(right, is_users);
    *differ = !json_equal(left, right);
  }
  json_decref(left);
  json_decref(right);
  return result;
}

int32_t rebali_change_of(const json_t *old, const json_t *now, int32_t *changed, int32_t *by_karmada,
                         rebal_error *err) {
  int32_t is_users = 0;
  int32_t result = compare(old, now, 0, changed, err);
  if (result == REBAL_OK && *changed) {
    result = compare(old, now, 1, &is_users, err);
  }
  *by_karmada = !is_users;
  return result;
}

json_t *rebali_change_strip(const json_t *object) {
  json_t *stripped = rebali_editable(object);
  if (stripped != NULL) {
    strip(stripped, 0);
  }
  return stripped;
}

int32_t rebal_document_change(const rebal_document *old, const rebal_document *now, int32_t *changed,
                              int32_t *by_karmada, rebal_error *err) {
  if (old == NULL || now == NULL || changed == NULL || by_karmada == NULL || !rebali_is_map(old->tree) ||
      !rebali_is_map(now->tree)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "old and now, which are maps, changed and by_karmada are needed");
  }
  return rebali_change_of(old->tree, now->tree, changed, by_karmada, err);
}
