/* SPDX-License-Identifier: MIT */
/* What a member cluster holds, object by object, into the fleet's tables below its id (spec karmada 6.5). */
#include "manifest.h"

#include <string.h>

/* Kinds that are read, in the order in which they go in: nodes come before the pods that are bound to them. */
static const struct rebali_member_kind kinds[] = {
    {"v1", "Node", rebali_node_read},
    {"v1", "Pod", rebali_pod_read},
    {"apps/v1", "Deployment", rebali_workload_read},
    {"apps/v1", "StatefulSet", rebali_workload_read},
    {"batch/v1", "Job", rebali_workload_read},
    {"apps/v1", "ReplicaSet", rebali_replica_set_read},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

rebali_member_reader *rebali_member_reader_of(const char *api_version, const char *kind) {
  for (size_t i = 0; i < KINDS; i++) {
    if (strcmp(kinds[i].api_version, api_version) == 0 && strcmp(kinds[i].kind, kind) == 0) {
      return kinds[i].read;
    }
  }
  return NULL;
}

/* The object behind what went wrong with it, which the error of a store's text would have told by its place. */
int32_t rebali_fail_object(const struct rebali_object *object, int32_t code, const rebal_error *local,
                           rebal_error *err) {
  (void)rebali_manifest_fail(err, code, "%s %s%s%s: %s", object->kind, object->namespace_name,
                             *object->namespace_name != '\0' ? "/" : "", object->name, local->message);
  rebali_manifest_fail_field(err, local->field);
  return code;
}

static int32_t feed_object(rebal_store *store, const struct rebali_sink *sink, rebali_member_reader *read,
                           uint32_t object, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  struct rebali_sink row = *sink;
  json_t *tree;
  int32_t result = rebali_store_share(store, object, &tree, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = read(&row, tree, NULL, &local);
  json_decref(tree);
  return result == REBAL_OK ? REBAL_OK : rebali_fail_object(&store->objects[object], result, &local, err);
}

static int32_t feed_kind(rebal_store *store, const struct rebali_sink *sink, const struct rebali_member_kind *kind,
                         rebal_error *err) {
  const size_t len = strlen(kind->kind);
  int32_t result = REBAL_OK;
  for (uint32_t object = rebal_store_next(store, kind->kind, len, REBAL_NONE);
       result == REBAL_OK && object != REBAL_NONE; object = rebal_store_next(store, kind->kind, len, object)) {
    if (strcmp(store->objects[object].api_version, kind->api_version) == 0) {
      result = feed_object(store, sink, kind->read, object, err);
    }
  }
  return result;
}

int32_t rebal_store_feed_member(rebal_store *member, rebal_fleet *fleet, uint32_t cluster, rebal_error *err) {
  struct rebali_sink sink = {fleet, NULL, NULL, REBAL_NONE, cluster};
  int32_t result;
  if (member == NULL || fleet == NULL) {
    return rebali_manifest_fail(err, REBAL_EINVAL, "member and fleet are needed");
  }
  result = rebal_builder_new(NULL, &sink.builder, err);
  if (result == REBAL_OK) {
    result = rebal_fleet_clear_nodes(fleet, cluster, err);
  }
  if (result != REBAL_OK) {
    rebal_builder_free(sink.builder);
    return result;
  }
  result = rebal_fleet_set_i64(fleet, REBAL_CLUSTER_HAS_NODES, cluster, 1, err);
  for (size_t i = 0; result == REBAL_OK && i < KINDS; i++) {
    result = feed_kind(member, &sink, &kinds[i], err);
  }
  if (result == REBAL_OK) {
    result = rebali_quotas_feed(&sink, member, err);
  }
  if (result != REBAL_OK) {
    (void)rebal_fleet_clear_nodes(fleet, cluster, NULL); /* what it writes was made writable by the first time */
  }
  rebal_builder_free(sink.builder);
  return result;
}
