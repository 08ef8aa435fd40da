/* SPDX-License-Identifier: MIT */
/* Reads single objects of a store: members, text, records. */
#include "detector/detector.h"
#include "manifest/patch/document.h"
#include "manifest/validate/validate.h"

#include <string.h>

/* Returns a name that an object keeps beside its text. */
static const char *name_at(const struct rebali_object *object, const char *path, size_t len) {
#define IS(name) (len == sizeof(name) - 1 && memcmp(path, name, sizeof(name) - 1) == 0)
  return IS("kind")                 ? object->kind
         : IS("apiVersion")         ? object->api_version
         : IS("metadata.name")      ? object->name
         : IS("metadata.namespace") ? object->namespace_
                                    : NULL;
#undef IS
}

const char *rebal_store_identity(const rebal_store *store, uint32_t object, uint32_t part, size_t *len) {
  const char *text = "";
  if (store != NULL && rebali_store_has(store, object)) {
    const struct rebali_object *found = &store->objects[object];
    text = part == REBAL_IDENTITY_API_VERSION ? found->api_version
           : part == REBAL_IDENTITY_KIND      ? found->kind
           : part == REBAL_IDENTITY_NAMESPACE ? found->namespace_
           : part == REBAL_IDENTITY_NAME      ? found->name
                                              : "";
  }
  if (len != NULL) {
    *len = strlen(text);
  }
  return text;
}

/* The path is a terminated copy. */
static int32_t append_at(const rebal_store *store, uint32_t object, const char *path, rebal_text *out,
                         rebal_error *err) {
  const json_t *value;
  json_t *tree;
  /* Cached trees are not part of the store's contents. */
  int32_t result = rebali_store_share((rebal_store *)(uintptr_t)store, object, &tree, err);
  if (result != REBAL_OK) {
    return result;
  }
  value = rebali_value_at(tree, path);
  result = value != NULL ? rebali_value_append(value, out, err)
                         : rebali_fail(err, REBAL_ENOTFOUND, -1, "the object has nothing at %s", path);
  json_decref(tree);
  return result;
}

int32_t rebal_store_text(const rebal_store *store, uint32_t object, const char *path, size_t path_len, rebal_text *out,
                         rebal_error *err) {
  struct rebali_buffer copy = REBALI_BUFFER;
  const char *name;
  int32_t result = rebali_take_text(&path, &path_len, "path", err);
  if (result != REBAL_OK) {
    return result;
  }
  if (store == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and out are needed");
  }
  if (!rebali_store_has(store, object)) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  }
  name = name_at(&store->objects[object], path, path_len);
  if (name != NULL) {
    return name[0] != '\0' ? rebal_text_append(out, name, strlen(name), err)
                           : rebali_fail(err, REBAL_ENOTFOUND, -1, "the object has no namespace");
  }
  rebali_buffer_append(&copy, path, path_len);
  result = copy.failed ? rebali_fail_memory(err) : append_at(store, object, copy.bytes, out, err);
  rebali_buffer_dispose(&copy);
  return result;
}

int32_t rebal_store_write(const rebal_store *store, uint32_t object, uint32_t format, rebal_text *out,
                          rebal_error *err) {
  json_t *tree;
  int32_t result;
  if (store == NULL || out == NULL || format == REBAL_TEXT_FORMAT_JSON_PATCH) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store, out and a format for objects are needed");
  }
  result = rebali_store_open(store, object, &tree, err);
  if (result == REBAL_OK) {
    result = rebali_tree_write(tree, format, out, err);
  }
  json_decref(tree);
  return result;
}

static const struct {
  const char *kind;
  uint32_t object;
} records[] = {
    {"WorkloadRebalancer", REBAL_OBJECT_WORKLOAD_REBALANCER}, {"ResourceBinding", REBAL_OBJECT_BINDING},
    {"ClusterResourceBinding", REBAL_OBJECT_BINDING},         {"PodDisruptionBudget", REBAL_OBJECT_BUDGET},
    {"ClusterTaintPolicy", REBAL_OBJECT_TAINT_POLICY},        {"FederatedResourceQuota", REBAL_OBJECT_FEDERATED_QUOTA},
    {"WorkloadSpread", REBAL_OBJECT_WORKLOAD_SPREAD},         {"UnitedDeployment", REBAL_OBJECT_UNITED_DEPLOYMENT},
};

/*
 * The members of a budget's record are in several places of the object; those of a WorkloadSpread may be spelled
 * differently.
 */
static int32_t read_record(rebal_builder *builder, uint32_t object, json_t *tree, const rebal_record **out,
                           rebal_error *err) {
  json_t *form = NULL;
  int32_t result = object == REBAL_OBJECT_BUDGET            ? rebali_budget_tree(tree, &form, err)
                   : object == REBAL_OBJECT_WORKLOAD_SPREAD ? rebali_spread_stored(tree, &form, err)
                                                            : REBAL_OK;
  if (result == REBAL_OK) {
    result = rebali_read_record(builder, object, form != NULL ? form : tree, NULL, out, err);
  }
  json_decref(form);
  return result;
}

int32_t rebal_store_record(const rebal_store *store, uint32_t object, rebal_builder *builder, const rebal_record **out,
                           rebal_error *err) {
  json_t *tree;
  int32_t result;
  if (store == NULL || builder == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store, builder and out are needed");
  }
  result = rebali_store_open(store, object, &tree, err);
  for (size_t i = 0; result == REBAL_OK && i < sizeof records / sizeof records[0]; i++) {
    if (strcmp(records[i].kind, store->objects[object].kind) == 0) {
      result = read_record(builder, records[i].object, tree, out, err);
      json_decref(tree);
      return result;
    }
  }
  json_decref(tree);
  return result != REBAL_OK ? result : rebali_fail(err, REBAL_EUNSUPPORTED, -1, "objects of this kind are no records");
}

static const json_t *pod_spec_of(const char *kind, const json_t *object) {
  const json_t *spec = rebali_member(object, "spec");
  return strcmp(kind, "Pod") == 0 ? spec : rebali_member(rebali_member(spec, "template"), "spec");
}

int32_t rebal_store_requirements(const rebal_store *store, uint32_t object, rebal_builder *builder,
                                 const rebal_record **out, rebal_error *err) {
  const struct rebali_path path = rebali_path_key(NULL, "spec");
  json_t *tree, *requirements = NULL;
  int32_t result;
  if (store == NULL || builder == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store, builder and out are needed");
  }
  result = rebali_store_has(store, object) ? rebali_store_share((rebal_store *)(uintptr_t)store, object, &tree, err)
                                           : rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_requirements_of(pod_spec_of(store->objects[object].kind, tree), 0, &requirements, err);
  if (result == REBAL_OK) {
    result = rebali_read_record(builder, REBAL_OBJECT_REQUIREMENTS, requirements, &path, out, err);
    json_decref(requirements);
  }
  json_decref(tree);
  return result;
}
