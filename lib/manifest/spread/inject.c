/* SPDX-License-Identifier: MIT */
/*
 * Injects a chosen subset into a pod (rebalance-workloadspread(7) 3.7): tolerations, node affinity, patch and
 * annotation.
 */
#include "manifest/spread/kruise.h"

#include <string.h>

/* ---- maps and lists of the pod's own, made where there are none: every step of the way is copied before it changes */

/* Replaces a member by a copy, or by an empty value if it is missing; *out belongs to the map. */
static int32_t put_copy(json_t *map, const char *key, const json_t *member, json_t *empty, json_t **out,
                        rebal_error *err) {
  *out = member != NULL ? rebali_copy(member) : json_incref(empty);
  json_decref(empty);
  return rebali_put(map, key, *out, err);
}

static int32_t own_map(json_t *map, const char *key, const struct rebali_path *path, json_t **out, rebal_error *err) {
  const json_t *member = rebali_member(map, key);
  if (member != NULL && !rebali_is_map(member)) {
    return rebali_fail_path(err, REBAL_EPARSE, path, "expected a map");
  }
  return put_copy(map, key, member, json_object(), out, err);
}

static int32_t own_list(json_t *map, const char *key, const struct rebali_path *parent, json_t **out,
                        rebal_error *err) {
  const json_t *member = rebali_member(map, key);
  const struct rebali_path path = rebali_path_key(parent, key);
  if (member != NULL && !json_is_array(member)) {
    return rebali_fail_path(err, REBAL_EPARSE, &path, "expected a list");
  }
  return put_copy(map, key, member, json_array(), out, err);
}

/* Appends the items of a member of from, if any, to the list in a member of map. */
static int32_t append_list(json_t *map, const char *key, const json_t *from, const char *from_key,
                           const struct rebali_path *path, rebal_error *err) {
  json_t *added = rebali_member(from, from_key), *list;
  int32_t result;
  if (json_array_size(added) == 0) {
    return REBAL_OK;
  }
  result = own_list(map, key, path, &list, err);
  return result != REBAL_OK || json_array_extend(list, added) == 0 ? result : rebali_fail_memory(err);
}

/* ---- node affinity ---- */

static int32_t narrow_term(json_t *terms, size_t i, const json_t *required, const struct rebali_path *path,
                           rebal_error *err) {
  static const char *const members[] = {"matchExpressions", "matchFields"};
  const struct rebali_path at = rebali_path_index(path, i);
  const json_t *old = json_array_get(terms, i);
  json_t *term;
  int32_t result = REBAL_OK;
  if (!rebali_is_map(old)) {
    return rebali_fail_path(err, REBAL_EPARSE, &at, "expected a map");
  }
  term = rebali_copy(old);
  if (term == NULL || json_array_set_new(terms, i, term) != 0) {
    return rebali_fail_memory(err);
  }
  for (size_t member = 0; result == REBAL_OK && member < sizeof members / sizeof members[0]; member++) {
    result = append_list(term, members[member], required, members[member], &at, err);
  }
  return result;
}

/* Terms are alternatives: each is narrowed. */
static int32_t require(json_t *affinity, json_t *required, const struct rebali_path *parent, rebal_error *err) {
  static const char key[] = "requiredDuringSchedulingIgnoredDuringExecution", list[] = "nodeSelectorTerms";
  const struct rebali_path path = rebali_path_key(parent, key), at = rebali_path_key(&path, list);
  json_t *selector, *terms;
  int32_t result = own_map(affinity, key, &path, &selector, err);
  if (result == REBAL_OK) {
    result = own_list(selector, list, &path, &terms, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  if (json_array_size(terms) == 0) {
    return json_array_append(terms, required) == 0 ? REBAL_OK : rebali_fail_memory(err);
  }
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(terms); i++) {
    result = narrow_term(terms, i, required, &at, err);
  }
  return result;
}

static int32_t constrain(json_t *pod, const json_t *subset, rebal_error *err) {
  const struct rebali_path at_spec = rebali_path_key(NULL, "spec"), at_affinity = rebali_path_key(&at_spec, "affinity"),
                           path = rebali_path_key(&at_affinity, "nodeAffinity");
  json_t *spec, *affinity, *nodes, *required = rebali_member(subset, "requiredNodeSelector");
  int32_t result = own_map(pod, "spec", &at_spec, &spec, err);
  if (result == REBAL_OK) {
    result = append_list(spec, "tolerations", subset, "tolerations", &at_spec, err);
  }
  if (result == REBAL_OK) {
    result = own_map(spec, "affinity", &at_affinity, &affinity, err);
  }
  if (result == REBAL_OK) {
    result = own_map(affinity, "nodeAffinity", &path, &nodes, err);
  }
  if (result == REBAL_OK) {
    result = append_list(nodes, "preferredDuringSchedulingIgnoredDuringExecution", subset, "preferredNodeSelector",
                         &path, err);
  }
  return result == REBAL_OK && required != NULL ? require(nodes, required, &path, err) : result;
}

/* ---- patch ---- */

/* Another class has another priority, which is unknown here. */
static int32_t forget_priority(json_t *pod, const char *class_before, rebal_error *err) {
  const struct rebali_path path = rebali_path_key(NULL, "spec");
  json_t *spec = rebali_member(pod, "spec");
  int32_t result;
  if (strcmp(rebali_member_text(spec, "priorityClassName"), class_before) == 0 ||
      rebali_member(spec, "priority") == NULL) {
    return REBAL_OK;
  }
  result = own_map(pod, "spec", &path, &spec, err);
  if (result == REBAL_OK) {
    (void)json_object_del(spec, "priority");
  }
  return result;
}

/* Replaces the pod by the patched one, which is a map of its own. */
static int32_t patch_pod(json_t **pod, const json_t *patch, rebal_error *err) {
  json_t *own;
  int32_t result = rebali_pod_patched(*pod, patch, &own, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = forget_priority(own, rebali_member_text(rebali_member(*pod, "spec"), "priorityClassName"), err);
  if (result != REBAL_OK) {
    json_decref(own);
    return result;
  }
  json_decref(*pod);
  *pod = own;
  return REBAL_OK;
}

/* ---- annotation ---- */

static int32_t annotate(json_t *pod, const json_t *subset, const char *spread, const char *id, rebal_error *err) {
  const struct rebali_path at_metadata = rebali_path_key(NULL, "metadata"),
                           path = rebali_path_key(&at_metadata, "annotations");
  json_t *metadata, *annotations, *value;
  int32_t result = own_map(pod, "metadata", &at_metadata, &metadata, err);
  if (result == REBAL_OK) {
    result = own_map(metadata, "annotations", &path, &annotations, err);
  }
  if (result == REBAL_OK) {
    result = rebali_matched_value(spread, rebali_member_text(subset, "name"), id, &value, err);
  }
  return result == REBAL_OK ? rebali_put(annotations, REBALI_MATCHED_SPREAD, value, err) : result;
}

int32_t rebali_inject(const json_t *pod, const json_t *subset, const char *spread, const char *id, json_t **out,
                      rebal_error *err) {
  const json_t *patch = rebali_member(subset, "patch");
  json_t *injected;
  int32_t result;
  if (!rebali_is_map(pod)) {
    return rebali_fail(err, REBAL_EPARSE, -1, "expected a map");
  }
  injected = rebali_copy(pod);
  result = injected != NULL ? constrain(injected, subset, err) : rebali_fail_memory(err);
  if (result == REBAL_OK && patch != NULL) {
    result = patch_pod(&injected, patch, err);
  }
  if (result == REBAL_OK) {
    result = annotate(injected, subset, spread, id, err);
  }
  if (result != REBAL_OK) {
    json_decref(injected);
    return result;
  }
  *out = injected;
  return REBAL_OK;
}
