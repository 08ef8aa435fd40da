/* SPDX-License-Identifier: MIT */
/* Bindings made from workloads and policies, as Karmada's detector does. */
#include "detector/detector.h"
#include "manifest/schema/kinds.h"

#include <stdlib.h>
#include <string.h>

#define PERMANENT_ID "propagationpolicy.karmada.io/permanent-id"
#define CLUSTER_PERMANENT_ID "clusterpropagationpolicy.karmada.io/permanent-id"

/* One workload with its policy. */
struct match {
  rebal_store *store;
  const json_t *workload;
  const json_t *policy;
  int is_cluster_policy;
};

static const json_t *metadata_of(const json_t *tree) {
  return rebali_member(tree, "metadata");
}

static const json_t *pod_spec_of(const json_t *workload) {
  return rebali_member(rebali_member(rebali_member(workload, "spec"), "template"), "spec");
}

static int has_replicas(const json_t *workload) {
  const char *kind = rebali_member_text(workload, "kind");
  return strcmp(rebali_member_text(workload, "apiVersion"), "apps/v1") == 0 &&
         (strcmp(kind, "Deployment") == 0 || strcmp(kind, "StatefulSet") == 0);
}

static int32_t put_resource(json_t *spec, const json_t *workload, rebal_error *err) {
  static const char *const members[] = {"namespace", "name", "uid", "resourceVersion"};
  json_t *resource = rebali_map_at(spec, "resource");
  int32_t result = rebali_put_text(resource, "apiVersion", rebali_member_text(workload, "apiVersion"), err);
  if (result == REBAL_OK) {
    result = rebali_put_text(resource, "kind", rebali_member_text(workload, "kind"), err);
  }
  for (size_t i = 0; result == REBAL_OK && i < sizeof members / sizeof members[0]; i++) {
    const char *text = rebali_member_text(metadata_of(workload), members[i]);
    if (text[0] != '\0') {
      result = rebali_put_text(resource, members[i], text, err);
    }
  }
  return result;
}

static int32_t put_replicas(json_t *spec, const json_t *workload, rebal_error *err) {
  const int64_t replicas =
      rebali_number_or_default(REBALI_SHAPE_WORKLOAD_SPEC, rebali_member(workload, "spec"), "replicas");
  json_t *requirements = NULL;
  int32_t result = rebali_put(spec, "replicas", json_integer(replicas), err);
  if (result == REBAL_OK) {
    result = rebali_requirements_of(pod_spec_of(workload), 0, &requirements, err);
  }
  return result == REBAL_OK ? rebali_put(spec, "replicaRequirements", requirements, err) : result;
}

static int32_t put_placement(json_t *spec, const json_t *policy_spec, rebal_error *err) {
  const json_t *given = rebali_member(policy_spec, "placement");
  json_t *placement = given != NULL ? json_deep_copy(given) : json_object();
  json_t *failover = rebali_member(policy_spec, "failover");
  int32_t result = rebali_put(spec, "placement", placement, err);
  if (result == REBAL_OK) {
    result = rebali_fill_defaults(&rebali_shapes[REBALI_SHAPE_PLACEMENT], placement, err);
  }
  if (result != REBAL_OK || failover == NULL) {
    return result;
  }
  failover = json_deep_copy(failover);
  result = rebali_put(spec, "failover", failover, err);
  return result == REBAL_OK ? rebali_fill_defaults(&rebali_shapes[REBALI_SHAPE_FAILOVER], failover, err) : result;
}

/* The value of the PriorityClass that the policy names, or lets the pods name. */
static int32_t put_priority(json_t *spec, const struct match *match, rebal_error *err) {
  const json_t *wish = rebali_member(rebali_member(match->policy, "spec"), "schedulePriority");
  const int is_pods = strcmp(rebali_member_text(wish, "priorityClassSource"), "PodPriorityClass") == 0;
  const char *name = rebali_member_text(is_pods ? pod_spec_of(match->workload) : wish, "priorityClassName");
  const uint32_t found = rebali_store_find_text(match->store, NULL, "PriorityClass", "", name);
  json_t *class = NULL;
  int32_t result = REBAL_OK;
  if (wish == NULL) {
    return REBAL_OK;
  }
  if (found != REBAL_NONE) {
    result = rebali_store_open(match->store, found, &class, err);
  }
  if (result == REBAL_OK) {
    const int64_t value = json_integer_value(rebali_member(class, "value"));
    result = rebali_put(rebali_map_at(spec, "schedulePriority"), "priority", json_integer(value), err);
  }
  json_decref(class);
  return result;
}

static int32_t put_group(json_t *spec, const json_t *workload, const char *wish, const char *group, rebal_error *err) {
  const json_t *affinity = rebali_member(rebali_member(rebali_member(spec, "placement"), "workloadAffinity"), wish);
  const char *key = rebali_member_text(affinity, "groupByLabelKey");
  const char *value = json_string_value(rebali_member(rebali_member(metadata_of(workload), "labels"), key));
  if (key[0] == '\0' || value == NULL) {
    return REBAL_OK;
  }
  return rebali_put(rebali_map_at(spec, "workloadAffinityGroups"), group, json_sprintf("%s=%s", key, value), err);
}

/* Members of a policy's spec that a binding carries as they are. */
static const char *const copied[] = {"schedulerName", "suspension", "propagateDeps", "conflictResolution",
                                     "preserveResourcesOnDeletion"};

static int32_t make_spec(const struct match *match, json_t *spec, rebal_error *err) {
  const json_t *policy_spec = rebali_member(match->policy, "spec");
  int32_t result = put_resource(spec, match->workload, err);
  if (result == REBAL_OK && has_replicas(match->workload)) {
    result = put_replicas(spec, match->workload, err);
  }
  if (result == REBAL_OK) {
    result = put_placement(spec, policy_spec, err);
  }
  for (size_t i = 0; result == REBAL_OK && i < sizeof copied / sizeof copied[0]; i++) {
    if (rebali_member(policy_spec, copied[i]) != NULL) {
      result = rebali_put(spec, copied[i], json_deep_copy(rebali_member(policy_spec, copied[i])), err);
    }
  }
  if (result == REBAL_OK) {
    result = put_priority(spec, match, err);
  }
  if (result == REBAL_OK) {
    result = put_group(spec, match->workload, "affinity", "affinityGroup", err);
  }
  if (result == REBAL_OK) {
    result = put_group(spec, match->workload, "antiAffinity", "antiAffinityGroup", err);
  }
  return result;
}

/* Members the detector owns; what else a binding's spec holds belongs to others and stays. */
static const char *const owned[] = {"resource",      "replicas",           "replicaRequirements",
                                    "placement",     "failover",           "schedulePriority",
                                    "schedulerName", "suspension",         "workloadAffinityGroups",
                                    "propagateDeps", "conflictResolution", "preserveResourcesOnDeletion"};

/* Puts the derived members into a copy of the old spec. A new resourceVersion of the workload alone is no change. */
static int32_t merge_spec(json_t *spec, const json_t *old, json_t *derived, rebal_error *err) {
  json_t *resource = rebali_member(derived, "resource");
  json_t *version = rebali_member(resource, "resourceVersion");
  json_t *old_version = rebali_member(rebali_member(old, "resource"), "resourceVersion");
  int32_t result = REBAL_OK;
  json_incref(version);
  if (old_version != NULL) {
    result = rebali_put(resource, "resourceVersion", json_incref(old_version), err);
  }
  for (size_t i = 0; result == REBAL_OK && i < sizeof owned / sizeof owned[0]; i++) {
    json_t *member = rebali_member(derived, owned[i]);
    if (member != NULL) {
      result = rebali_put(spec, owned[i], json_incref(member), err);
    } else {
      (void)json_object_del(spec, owned[i]);
    }
  }
  if (result == REBAL_OK && version != NULL && old_version != NULL && !json_equal(spec, old)) {
    result = rebali_put(resource, "resourceVersion", json_incref(version), err);
  }
  json_decref(version);
  return result;
}

static int32_t put_labels(json_t *metadata, const struct match *match, rebal_error *err) {
  const char *key = match->is_cluster_policy ? CLUSTER_PERMANENT_ID : PERMANENT_ID;
  const json_t *policy = metadata_of(match->policy);
  const char *id = rebali_member_text(rebali_member(policy, "labels"), key);
  json_t *labels = rebali_member(metadata, "labels");
  char made[64];
  labels = rebali_is_map(labels) ? rebali_copy(labels) : json_object();
  if (id[0] == '\0') {
    id = rebali_member_text(policy, "uid");
  }
  if (id[0] == '\0') {
    rebali_uid_print(match->policy, made, sizeof made);
    id = made;
  }
  if (labels != NULL) {
    (void)json_object_del(labels, match->is_cluster_policy ? PERMANENT_ID : CLUSTER_PERMANENT_ID);
  }
  if (rebali_put(metadata, "labels", labels, err) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_put_text(labels, key, id, err);
}

static int32_t put_annotations(json_t *metadata, const struct match *match, rebal_error *err) {
  json_t *annotations = rebali_member(metadata, "annotations");
  const json_t *policy = metadata_of(match->policy);
  int32_t result;
  annotations = rebali_is_map(annotations) ? rebali_copy(annotations) : json_object();
  result = rebali_put(metadata, "annotations", annotations, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (match->is_cluster_policy) {
    return rebali_put_text(annotations, "clusterpropagationpolicy.karmada.io/name", rebali_member_text(policy, "name"),
                           err);
  }
  result = rebali_put_text(annotations, "propagationpolicy.karmada.io/namespace",
                           rebali_member_text(policy, "namespace"), err);
  if (result == REBAL_OK) {
    result = rebali_put_text(annotations, "propagationpolicy.karmada.io/name", rebali_member_text(policy, "name"), err);
  }
  return result;
}

/* tree: a new map that becomes the binding; before NULL: there was none. */
static int32_t fill(const struct match *match, const char *name, const json_t *before, json_t *tree, json_t *derived,
                    rebal_error *err) {
  const char *namespace_ = rebali_member_text(metadata_of(match->workload), "namespace");
  const json_t *old_metadata = metadata_of(before), *old_spec = rebali_member(before, "spec");
  json_t *metadata = old_metadata != NULL ? rebali_copy(old_metadata) : json_object();
  json_t *spec = old_spec != NULL ? rebali_copy(old_spec) : json_object();
  int32_t result = rebali_put_text(tree, "apiVersion", "work.karmada.io/v1alpha2", err);
  if (result == REBAL_OK) {
    result = rebali_put_text(tree, "kind", namespace_[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding", err);
  }
  /* Both are taken over, whatever failed before. */
  if (rebali_put(tree, "metadata", metadata, err) != REBAL_OK) {
    result = REBAL_ENOMEM;
  }
  if (rebali_put(tree, "spec", spec, err) != REBAL_OK) {
    result = REBAL_ENOMEM;
  }
  if (result == REBAL_OK) {
    result = rebali_put_text(metadata, "name", name, err);
  }
  if (result == REBAL_OK && namespace_[0] != '\0') {
    result = rebali_put_text(metadata, "namespace", namespace_, err);
  }
  if (result == REBAL_OK) {
    result = put_labels(metadata, match, err);
  }
  if (result == REBAL_OK) {
    result = put_annotations(metadata, match, err);
  }
  if (result == REBAL_OK) {
    result = make_spec(match, derived, err);
  }
  return result == REBAL_OK ? merge_spec(spec, old_spec, derived, err) : result;
}

static int32_t make_binding(const struct match *match, const rebal_time *now, struct rebali_staged_batch *batch,
                            const char *name, rebal_error *err) {
  const char *namespace_ = rebali_member_text(metadata_of(match->workload), "namespace");
  const char *kind = namespace_[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding";
  const uint32_t found = rebali_store_find_text(match->store, "work.karmada.io/v1alpha2", kind, namespace_, name);
  json_t *before = NULL, *tree, *derived = json_object();
  int32_t result = found != REBAL_NONE ? rebali_store_visit(match->store, found, &before, err) : REBAL_OK;
  tree = before != NULL ? rebali_copy(before) : json_object();
  if (result == REBAL_OK) {
    result = fill(match, name, before, tree, derived, err);
  }
  json_decref(derived);
  if (result == REBAL_OK && before == NULL) {
    result = rebali_metadata_create(tree, now, err);
  } else if (result == REBAL_OK) {
    result = rebali_metadata_update(tree, before, err);
  }
  json_decref(before);
  if (result != REBAL_OK) {
    json_decref(tree);
    return result;
  }
  return rebali_batch_add(batch, tree, 0, SIZE_MAX, err);
}

/* The name of a workload's binding, from malloc. */
static int32_t name_binding(const char *name, const char *kind, char **out, rebal_error *err) {
  size_t len = 0;
  int32_t result;
  (void)rebal_binding_name(name, strlen(name), kind, strlen(kind), NULL, 0, &len, NULL);
  *out = malloc(len + 1);
  if (*out == NULL) {
    return rebali_fail_memory(err);
  }
  result = rebal_binding_name(name, strlen(name), kind, strlen(kind), *out, len + 1, &len, err);
  if (result != REBAL_OK) {
    free(*out);
    *out = NULL;
  }
  return result;
}

static int32_t derive_one(const struct match *match, const rebal_time *now, struct rebali_staged_batch *batch,
                          rebal_error *err) {
  char *buffer;
  int32_t result = name_binding(rebali_member_text(metadata_of(match->workload), "name"),
                                rebali_member_text(match->workload, "kind"), &buffer, err);
  if (result == REBAL_OK) {
    result = make_binding(match, now, batch, buffer, err);
  }
  free(buffer);
  return result;
}

/* Objects of Karmada's own groups and events are not propagated. */
static int is_workload(const struct rebali_object *object) {
  const char *version = object->api_version;
  const size_t group = strcspn(version, "/"), own = strlen("karmada.io");
  return strcmp(object->kind, "Event") != 0 && (group < own || strncmp(version + group - own, "karmada.io", own) != 0);
}

static int32_t derive_workload(const struct rebali_policies *policies, rebal_store *store, const json_t *tree,
                               const rebal_time *now, struct rebali_staged_batch *batch, rebal_error *err) {
  const int is_deleting = rebali_member(metadata_of(tree), "deletionTimestamp") != NULL;
  const json_t *policy = is_deleting ? NULL : rebali_policies_find(policies, tree);
  const struct match match = {store, tree, policy,
                              strcmp(rebali_member_text(policy, "kind"), "ClusterPropagationPolicy") == 0};
  return policy != NULL ? derive_one(&match, now, batch, err) : REBAL_OK;
}

/* What all bindings are made with. */
static int is_rule(const char *kind) {
  return strcmp(kind, "PropagationPolicy") == 0 || strcmp(kind, "ClusterPropagationPolicy") == 0 ||
         strcmp(kind, "PriorityClass") == 0;
}

static int is_binding(const char *kind) {
  return strcmp(kind, "ResourceBinding") == 0 || strcmp(kind, "ClusterResourceBinding") == 0;
}

/* The workload that a binding of the store was made for, by what it says; REBAL_NONE when that is not certain. */
static int32_t find_workload(rebal_store *store, uint32_t binding, uint32_t *workload, rebal_error *err) {
  const struct rebali_object *object = &store->objects[binding];
  const json_t *resource;
  json_t *tree;
  char *name = NULL;
  int32_t result = rebali_store_share(store, binding, &tree, err);
  *workload = REBAL_NONE;
  if (result != REBAL_OK) {
    return result;
  }
  resource = rebali_member(rebali_member(tree, "spec"), "resource");
  if (strcmp(rebali_member_text(resource, "namespace"), object->namespace_) == 0 &&
      rebali_member_text(resource, "name")[0] != '\0') {
    result = name_binding(rebali_member_text(resource, "name"), rebali_member_text(resource, "kind"), &name, err);
  }
  if (name != NULL && strcmp(name, object->name) == 0) {
    *workload = rebali_store_find_text(store, json_string_value(rebali_member(resource, "apiVersion")),
                                       rebali_member_text(resource, "kind"), object->namespace_,
                                       rebali_member_text(resource, "name"));
  }
  free(name);
  json_decref(tree);
  return result;
}

/*
 * Marks the workloads whose bindings may not be what they should be since the last time: of those that changed, and
 * those whose binding did. *all: it may be any of them.
 */
static int32_t find_due(rebal_store *store, uint8_t *is_due, int *all, rebal_error *err) {
  uint64_t seen = store->derived;
  int32_t result = REBAL_OK;
  *all = store->derived == 0;
  for (uint32_t id = rebal_store_next_changed(store, &seen); result == REBAL_OK && !*all && id != REBAL_NONE;
       id = rebal_store_next_changed(store, &seen)) {
    const int is_there = rebali_store_has(store, id);
    uint32_t workload = id;
    *all = is_rule(store->objects[id].kind) || (!is_there && is_binding(store->objects[id].kind));
    if (!*all && is_there && is_binding(store->objects[id].kind)) {
      result = find_workload(store, id, &workload, err);
      *all = workload == REBAL_NONE;
    }
    if (!*all) {
      is_due[workload] = 1;
    }
  }
  return result;
}

static int32_t derive_due(rebal_store *store, const uint8_t *is_due, int all, const rebal_time *now,
                          struct rebali_staged_batch *batch, rebal_error *err) {
  struct rebali_policies policies;
  int32_t result = rebali_policies_open(&policies, store, err);
  for (size_t i = 0; result == REBAL_OK && i < store->n_order; i++) {
    const uint32_t object = store->order[i];
    json_t *tree = NULL;
    if ((all || is_due[object]) && is_workload(&store->objects[object])) {
      result = rebali_store_visit(store, object, &tree, err);
    }
    if (result == REBAL_OK && tree != NULL) {
      result = derive_workload(&policies, store, tree, now, batch, err);
    }
    json_decref(tree);
  }
  rebali_policies_close(&policies);
  return result;
}

int32_t rebal_store_derive_bindings(rebal_store *store, const rebal_time *now, rebal_error *err) {
  struct rebali_staged_batch batch = {.n = 0};
  uint8_t *is_due;
  int all = 0;
  int32_t result;
  if (store == NULL || now == NULL || !now->is_set) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and now are needed");
  }
  if (store->derived == store->changes) {
    return REBAL_OK;
  }
  is_due = calloc(store->n_objects, sizeof *is_due);
  result = is_due != NULL ? find_due(store, is_due, &all, err) : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = derive_due(store, is_due, all, now, &batch, err);
  }
  if (result == REBAL_OK) {
    rebali_batch_match(&batch, store);
    result = rebali_store_take(store, &batch, err);
  }
  if (result == REBAL_OK) {
    store->derived = store->changes; /* what was just made is made the same again */
  }
  rebali_batch_dispose(&batch);
  free(is_due);
  return result;
}
