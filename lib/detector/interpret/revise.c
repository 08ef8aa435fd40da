/* SPDX-License-Identifier: MIT */
/* Revises the number of replicas of objects (rebalance-karmada(7) 15.3, 15.4). */
#include "detector/interpret/interpret.h"

#include <string.h>

/*
 * Copies the object and replaces the member at a path by the value, which is taken over. The maps on the path must
 * exist.
 */
static json_t *replaced(struct rebali_interpreting *in, const json_t *object, const char *path, json_t *value) {
  json_t *copy = rebali_new_copy(in, object);
  const size_t len = strcspn(path, ".");
  char name[64] = "";
  memcpy(name, path, len < sizeof name ? len : 0);
  if (copy != NULL && path[len] == '.') {
    value = replaced(in, json_object_get(object, name), path + len + 1, value);
  }
  rebali_set(in, copy, name, value);
  return rebali_finished(in, copy);
}

/* Returns the object; only an existing number is replaced. */
json_t *rebali_typed_revise(struct rebali_interpreting *in, const json_t *object) {
  const char *path = in->kind->replicas_path;
  const json_t *value = object;
  char name[64];
  for (const char *at = path; value != NULL && *at != '\0'; at += at[0] == '.') {
    const size_t len = strcspn(at, ".");
    if (json_is_null(value)) {
      return rebali_share(object);
    }
    memcpy(name, at, len);
    name[len] = '\0';
    at += len;
    if (!rebali_is_map(value)) {
      rebali_interpreting_fail(in, REBAL_EPARSE, "the parent of %s is not a map", path);
      return NULL;
    }
    value = json_object_get(value, name);
  }
  if (value != NULL && !json_is_integer(value)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "%s is not an integer", path);
    return NULL;
  }
  return value == NULL ? rebali_share(object)
                       : replaced(in, object, path, rebali_new_integer(in, in->options->revise_to));
}

json_t *rebali_lua_revise(struct rebali_interpreting *in, const json_t *object) {
  json_t *revised, *returned;
  if (!rebali_is_map(rebali_lua_get(in, object, "spec"))) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "spec is not a map");
    return NULL;
  }
  revised = replaced(in, object, in->kind->replicas_path, rebali_new_integer(in, in->options->revise_to));
  returned = revised != NULL ? rebali_lua_object(in, revised) : NULL;
  json_decref(revised);
  return returned;
}

/* ---- RayService ---- */

static double replicas_of(struct rebali_interpreting *in, const json_t *groups, size_t i) {
  const json_t *replicas = rebali_lua_get(in, json_array_get(groups, i), "replicas");
  return replicas != NULL ? rebali_lua_summand(in, replicas) : 0;
}

/* Returns the share of group i of n; total: workers of all groups, left: what earlier groups left. */
static double share_of(struct rebali_interpreting *in, const json_t *groups, size_t i, double workers, double total,
                       double left) {
  const double n = (double)json_array_size(groups);
  if (workers <= 0) {
    return 0;
  }
  if (i + 1 == json_array_size(groups)) {
    return left;
  }
  if (total <= 0) {
    return rebali_floor(workers / n) + ((double)i < workers - n * rebali_floor(workers / n) ? 1 : 0);
  }
  return rebali_floor(workers * (replicas_of(in, groups, i) / total) + 0.5);
}

static json_t *revised_groups(struct rebali_interpreting *in, const json_t *groups, double workers) {
  json_t *list = rebali_new_list(in);
  double total = 0, left = workers;
  for (size_t i = 0; i < json_array_size(groups); i++) {
    total += replicas_of(in, groups, i);
  }
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(groups); i++) {
    const double share = share_of(in, groups, i, workers, total, left);
    json_t *group = rebali_new_copy(in, json_array_get(groups, i));
    rebali_set(in, group, "replicas", rebali_new_number(in, share));
    rebali_append(in, list, group);
    left -= share;
  }
  return rebali_finished(in, list);
}

json_t *rebali_ray_service_revise(struct rebali_interpreting *in, const json_t *object) {
  static const char path[] = "spec.rayClusterConfig.workerGroupSpecs";
  const json_t *groups = rebali_lua_list(in, rebali_lua_find(in, object, path));
  const double workers = in->options->revise_to > 1 ? (double)(in->options->revise_to - 1) : 0;
  json_t *revised = NULL, *returned;
  if (json_array_size(groups) == 0) {
    return in->result == REBAL_OK ? rebali_lua_object(in, object) : NULL;
  }
  revised = replaced(in, object, path, revised_groups(in, groups, workers));
  returned = revised != NULL ? rebali_lua_object(in, revised) : NULL;
  json_decref(revised);
  return returned;
}
