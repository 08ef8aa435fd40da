/* SPDX-License-Identifier: MIT */
/* Injection by a WorkloadSpread of the core. */
#include "manifest/patch/document.h"
#include "manifest/spread/kruise.h"

/* Returns the node of a subset of a WorkloadSpread's record; REBAL_NONE if there is none. */
static uint32_t find_subset(const rebal_record *object, uint32_t subset) {
  const uint32_t spec = rebal_record_next(object, 0, REBAL_WORKLOAD_SPREAD_SPEC, REBAL_NONE);
  uint32_t node = rebal_record_next(object, spec, REBAL_SPREAD_SPEC_SUBSETS, REBAL_NONE);
  for (; node != REBAL_NONE && subset > 0; subset--) {
    node = rebal_record_next(object, spec, REBAL_SPREAD_SPEC_SUBSETS, node);
  }
  return node;
}

static const char *name_of(const rebal_record *object) {
  const uint32_t metadata = rebal_record_next(object, 0, REBAL_WORKLOAD_SPREAD_METADATA, REBAL_NONE);
  return rebal_record_text(object, rebal_record_next(object, metadata, REBAL_METADATA_NAME, REBAL_NONE), NULL);
}

int rebali_subset_has_patch(const rebal_spread *spread, uint32_t subset) {
  const rebal_record *object = rebal_spread_object(spread);
  return rebal_record_next(object, find_subset(object, subset), REBAL_SUBSET_PATCH, REBAL_NONE) != REBAL_NONE;
}

int32_t rebali_inject_subset(const rebal_spread *spread, uint32_t subset, const char *id, size_t id_len,
                             const json_t *pod, json_t **out, rebal_error *err) {
  const rebal_record *object = rebal_spread_object(spread);
  json_t *tree, *terminated = json_stringn_nocheck(id, id_len);
  int32_t result = terminated != NULL
                       ? rebali_record_tree(object, find_subset(object, subset), REBAL_OBJECT_SUBSET, &tree, err)
                       : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = rebali_inject(pod, tree, name_of(object), json_string_value(terminated), out, err);
    json_decref(tree);
  }
  json_decref(terminated);
  return result;
}

int32_t rebal_document_inject(const rebal_document *pod, const rebal_spread *spread, uint32_t subset, const char *id,
                              size_t id_len, rebal_document **out, rebal_error *err) {
  json_t *injected;
  int32_t result;
  if (pod == NULL || spread == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "pod, spread and out are needed");
  }
  if (subset >= rebal_spread_subset_count(spread)) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "there is no such subset");
  }
  result = rebali_take_id(&id, &id_len, err);
  if (result == REBAL_OK) {
    result = rebali_inject_subset(spread, subset, id, id_len, pod->tree, &injected, err);
  }
  return result == REBAL_OK ? rebali_document_new(injected, out, err) : result;
}
