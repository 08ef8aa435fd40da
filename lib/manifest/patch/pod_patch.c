/* SPDX-License-Identifier: MIT */
/* Builds strategic merge patches from payloads POD_PATCH (rebalance-workloadspread(7) 4.2, 5, 13.6). */
#include "manifest/schema/pod_types.h"
#include "manifest/validate/checks.h"
#include "manifest/spread/kruise.h"

static uint32_t find(const rebal_record *payload, uint32_t field) {
  return rebal_record_next(payload, 0, field, REBAL_NONE);
}

/* Opens the metadata of the subset's patch as a map that is not shared; empty if there is none. */
static int32_t open_metadata(const rebal_record *payload, json_t **out, rebal_error *err) {
  const uint32_t node = find(payload, REBAL_POD_PATCH_SUBSET_PATCH);
  json_t *patch = NULL;
  const json_t *metadata;
  if (node != REBAL_NONE && rebali_value_tree(payload, node, &patch, err) == REBAL_ENOMEM) {
    return REBAL_ENOMEM;
  }
  metadata = rebali_member(patch, "metadata");
  *out = rebali_is_map(metadata) ? rebali_copy(metadata) : json_object();
  json_decref(patch);
  return *out != NULL ? REBAL_OK : rebali_fail_memory(err);
}

/* Puts a map that is not shared below metadata, in place of the existing value. */
static int32_t open_map(json_t *metadata, const char *key, json_t **out, rebal_error *err) {
  const json_t *there = rebali_member(metadata, key);
  *out = rebali_is_map(there) ? rebali_copy(there) : json_object();
  return rebali_put(metadata, key, *out, err);
}

static int32_t put_annotations(const rebal_record *payload, json_t *metadata, rebal_error *err) {
  const uint32_t spread = find(payload, REBAL_POD_PATCH_SPREAD), cost = find(payload, REBAL_POD_PATCH_DELETION_COST);
  json_t *annotations, *matched;
  int32_t result;
  if (spread == REBAL_NONE && cost == REBAL_NONE) {
    return REBAL_OK;
  }
  result = open_map(metadata, "annotations", &annotations, err);
  if (result == REBAL_OK && spread != REBAL_NONE) {
    result = rebali_matched_value(rebal_record_text(payload, spread, NULL),
                                  rebal_record_text(payload, find(payload, REBAL_POD_PATCH_SUBSET), NULL), "", &matched,
                                  err);
    if (result == REBAL_OK) {
      result = rebali_put(annotations, REBALI_MATCHED_SPREAD, matched, err);
    }
  }
  if (result == REBAL_OK && cost != REBAL_NONE) {
    result = rebali_put_text(annotations, REBALI_DELETION_COST, rebal_record_text(payload, cost, NULL), err);
  }
  return result;
}

static int32_t put_labels(const rebal_record *payload, json_t *metadata, rebal_error *err) {
  const uint32_t reserved = find(payload, REBAL_POD_PATCH_RESERVED);
  json_t *labels;
  int32_t result;
  if (reserved == REBAL_NONE) {
    return REBAL_OK;
  }
  result = open_map(metadata, "labels", &labels, err);
  return result == REBAL_OK ? rebali_put_text(labels, REBALI_RESERVED_POD,
                                              rebal_record_i64(payload, reserved) != 0 ? "true" : "false", err)
                            : result;
}

int32_t rebali_pod_patch(const rebal_record *payload, json_t **out, rebal_error *err) {
  json_t *metadata, *tree;
  int32_t result = open_metadata(payload, &metadata, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = put_annotations(payload, metadata, err);
  if (result == REBAL_OK) {
    result = put_labels(payload, metadata, err);
  }
  tree = json_object();
  if (result == REBAL_OK) {
    result = rebali_put(tree, "metadata", json_incref(metadata), err);
  }
  json_decref(metadata);
  if (result != REBAL_OK) {
    json_decref(tree);
    return result;
  }
  *out = tree;
  return REBAL_OK;
}

int32_t rebali_pod_patched(const json_t *pod, const json_t *patch, json_t **out, rebal_error *err) {
  const struct rebali_limits limits = rebali_limits_load(NULL);
  json_t *known = rebali_pod_known(patch), *merged, *typed;
  int32_t result = known != NULL ? rebali_patch_tree((json_t *)(uintptr_t)pod, 0, known, REBAL_PATCH_STRATEGIC, &limits,
                                                     &merged, err)
                                 : rebali_fail_memory(err);
  json_decref(known);
  if (result != REBAL_OK) {
    return result;
  }
  typed = rebali_typed(merged);
  *out = typed != NULL ? rebali_copy(typed) : NULL;
  json_decref(typed);
  json_decref(merged);
  return *out != NULL ? REBAL_OK : rebali_fail_memory(err);
}
