/* SPDX-License-Identifier: MIT */
/* Reads workloads and ReplicaSets of a member cluster into rows (rebalance-karmada(7) 6.5.6). */
#include "manifest/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct rebali_column workload_columns[] = {
    {REBAL_WORKLOAD_NAMESPACE, REBAL_TYPE_TEXT, 0, "metadata.namespace"},
    {REBAL_WORKLOAD_NAME, REBAL_TYPE_TEXT, 0, "metadata.name"},
    {REBAL_WORKLOAD_KIND, REBAL_TYPE_TEXT, 0, "kind"},
    {REBAL_WORKLOAD_UID, REBAL_TYPE_TEXT, 0, "metadata.uid"},
    {REBAL_WORKLOAD_SELECTOR, REBAL_TYPE_HANDLE, REBAL_OBJECT_LABEL_SELECTOR, "spec.selector"},
};

static const struct rebali_column set_columns[] = {
    {REBAL_REPLICA_SET_NAMESPACE, REBAL_TYPE_TEXT, 0, "metadata.namespace"},
    {REBAL_REPLICA_SET_NAME, REBAL_TYPE_TEXT, 0, "metadata.name"},
    {REBAL_REPLICA_SET_UID, REBAL_TYPE_TEXT, 0, "metadata.uid"},
    {REBAL_REPLICA_SET_LABELS, REBAL_TYPE_HANDLE, REBAL_OBJECT_LABELS, "metadata.labels"},
    {REBAL_REPLICA_SET_CREATED, REBAL_TYPE_TIME, 0, "metadata.creationTimestamp"},
};

int32_t rebali_read_controller(const struct rebali_sink *sink, uint32_t column, const json_t *tree, rebal_error *err) {
  const json_t *owners = rebali_member(rebali_member(tree, "metadata"), "ownerReferences");
  for (size_t i = 0; i < json_array_size(owners); i++) {
    const json_t *owner = json_array_get(owners, i);
    if (json_is_true(rebali_member(owner, "controller"))) {
      const char *uid = rebali_member_text(owner, "uid");
      return rebali_sink_text(sink, column, uid, strlen(uid), err);
    }
  }
  return REBAL_OK;
}

/* ---- templates ---- */

/* Copies a map, and also a member of it if it is a map; *out is the member's copy. NULL without memory. */
static json_t *copy_with(const json_t *map, const char *key, json_t **out) {
  json_t *copy = rebali_copy(map);
  json_t *member = rebali_member(copy, key);
  *out = rebali_is_map(member) ? rebali_copy(member) : NULL;
  if (rebali_is_map(member) && json_object_set_new_nocheck(copy, key, *out) != 0) {
    json_decref(copy);
    return NULL;
  }
  return copy;
}

/* Copies the template without the label by which Deployments distinguish their ReplicaSets. */
static json_t *drop_hash(const json_t *template) {
  json_t *metadata, *labels = NULL;
  json_t *copy = copy_with(template, "metadata", &metadata);
  json_t *inner = metadata != NULL ? copy_with(metadata, "labels", &labels) : NULL;
  if (copy == NULL || (metadata != NULL && inner == NULL)) {
    json_decref(copy);
    return NULL;
  }
  (void)json_object_del(labels, "pod-template-hash");
  if (inner != NULL && json_object_set_new_nocheck(copy, "metadata", inner) != 0) {
    json_decref(copy);
    return NULL;
  }
  return copy;
}

/* Prints a 128-bit hash in place of the template: the fleet never releases texts. */
static int32_t print_template(const json_t *template, char *out, size_t capacity, rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  json_t *tree = drop_hash(template);
  int32_t result = tree != NULL ? rebali_json_write(tree, REBALI_WRITE_SORTED, &text) : REBAL_ENOMEM;
  if (result == REBAL_OK) {
    const char *const texts[] = {text.bytes};
    (void)snprintf(out, capacity, "%016" PRIx64 "%016" PRIx64, rebali_hash_texts(0, texts, 1),
                   rebali_hash_texts(1, texts, 1));
  }
  json_decref(tree);
  rebali_buffer_dispose(&text);
  return result == REBAL_OK ? REBAL_OK : rebali_fail(err, result, -1, "%s", rebal_strerror(result));
}

static int32_t read_template(const struct rebali_sink *sink, uint32_t column, const json_t *tree,
                             const struct rebali_path *path, rebal_error *err) {
  struct rebali_place place;
  char text[33];
  int32_t result = rebali_walk(tree, path, "spec.template", &place, err);
  if (result != REBAL_OK || place.value == NULL) {
    return result;
  }
  result = rebali_read_map(place.value, place.path, err);
  if (result != REBAL_OK || sink->fleet == NULL) {
    return result;
  }
  result = print_template(place.value, text, sizeof text, err);
  return result == REBAL_OK ? rebali_sink_text(sink, column, text, strlen(text), err) : result;
}

/* ---- rows ---- */

int32_t rebali_workload_read(struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                             rebal_error *err) {
  int32_t result = rebali_sink_add(sink, REBAL_TABLE_WORKLOAD, err);
  if (result == REBAL_OK) {
    result = rebali_columns_read(sink, workload_columns, sizeof workload_columns / sizeof workload_columns[0], tree,
                                 path, err);
  }
  return result == REBAL_OK ? read_template(sink, REBAL_WORKLOAD_TEMPLATE, tree, path, err) : result;
}

int32_t rebali_replica_set_read(struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                                rebal_error *err) {
  int32_t result = rebali_sink_add(sink, REBAL_TABLE_REPLICA_SET, err);
  if (result == REBAL_OK) {
    result = rebali_columns_read(sink, set_columns, sizeof set_columns / sizeof set_columns[0], tree, path, err);
  }
  if (result == REBAL_OK) {
    result = rebali_read_controller(sink, REBAL_REPLICA_SET_CONTROLLER_UID, tree, err);
  }
  return result == REBAL_OK ? read_template(sink, REBAL_REPLICA_SET_TEMPLATE, tree, path, err) : result;
}
