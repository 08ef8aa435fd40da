/* SPDX-License-Identifier: MIT */
/* Admission of OpenKruise's objects to a store (rebalance-workloadspread(7) 8, 13.7). */
#include "manifest/patch/document.h"
#include "manifest/validate/validate.h"

#include <string.h>

/* Adds all objects of a kind except one; namespace_ NULL: of any namespace. */
static int32_t add_kind(struct rebali_beside *beside, rebal_store *store, const char *kind, const char *namespace_,
                        uint32_t but, rebal_error *err) {
  const size_t len = strlen(kind);
  uint32_t object = rebal_store_next(store, kind, len, REBAL_NONE);
  int32_t result = REBAL_OK;
  for (; result == REBAL_OK && object != REBAL_NONE; object = rebal_store_next(store, kind, len, object)) {
    json_t *tree = NULL;
    if (object != but && (namespace_ == NULL || strcmp(store->objects[object].namespace_, namespace_) == 0)) {
      result = rebali_store_visit(store, object, &tree, err);
      result = result == REBAL_OK ? rebali_beside_add(beside, tree, err) : result;
      json_decref(tree);
    }
  }
  return result;
}

static int32_t add_target(struct rebali_beside *beside, rebal_store *store, const json_t *spread, rebal_error *err) {
  const json_t *target = rebali_member(rebali_member(spread, "spec"), "targetRef");
  const uint32_t object = rebali_store_find_text(
      store, json_string_value(rebali_member(target, "apiVersion")), rebali_member_text(target, "kind"),
      rebali_member_text(rebali_member(spread, "metadata"), "namespace"), rebali_member_text(target, "name"));
  json_t *tree = NULL;
  int32_t result = REBAL_OK;
  if (object != REBAL_NONE) {
    result = rebali_store_share(store, object, &tree, err);
    result = result == REBAL_OK ? rebali_beside_add(beside, tree, err) : result;
    json_decref(tree);
  }
  return result;
}

/* Decodes the object as the API server does before admission. */
static int32_t decode(const rebal_store *store, json_t *tree, rebal_error *err) {
  const uint32_t object =
      rebali_is_united(tree) ? (uint32_t)REBAL_OBJECT_UNITED_DEPLOYMENT : (uint32_t)REBAL_OBJECT_WORKLOAD_SPREAD;
  json_t *stored;
  int32_t result;
  if (!rebali_is_spread(tree) && !rebali_is_united(tree)) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "neither a WorkloadSpread nor a UnitedDeployment");
  }
  if (!rebali_is_map(rebali_member(tree, "metadata"))) {
    const struct rebali_path path = rebali_path_key(NULL, "metadata");
    return rebali_fail_path(err, REBAL_EPARSE, &path, "expected a map");
  }
  result = rebali_spread_stored(tree, &stored, err);
  if (result == REBAL_OK) {
    result = rebali_read_record(NULL, object, stored, NULL, NULL, err);
    json_decref(stored);
  }
  return result == REBAL_OK ? rebali_admit_namespace(store, tree, err) : result;
}

/* Checks a WorkloadSpread against the contents of the store. */
static int32_t examine_spread(rebal_store *store, struct rebali_check *check, const json_t *before, uint32_t old,
                              int is_patient, rebal_error *err) {
  const json_t *tree = check->tree;
  const char *space = rebali_member_text(rebali_member(tree, "metadata"), "namespace");
  struct rebali_beside beside;
  int32_t result = rebali_beside_open(&beside, 1, err);
  result = result == REBAL_OK ? add_target(&beside, store, tree, err) : result;
  result = result == REBAL_OK ? add_kind(&beside, store, "WorkloadSpread", space, old, err) : result;
  result = result == REBAL_OK ? add_kind(&beside, store, "ConfigMap", NULL, REBAL_NONE, err) : result;
  if (result == REBAL_OK) {
    struct rebali_spread_check spread = {
        check, tree,      rebali_spread_names(rebali_member_text(tree, "apiVersion")), rebali_spread_names(""), &beside,
        NULL,  is_patient};
    rebali_check_spread(&spread, before, NULL);
  }
  rebali_beside_close(&beside);
  return result;
}

static int32_t examine(rebal_store *store, const json_t *tree, const json_t *before, uint32_t own, int is_patient,
                       rebal_findings *findings, rebal_error *err) {
  struct rebali_check check = {findings, 1, tree, REBAL_OK, NULL};
  int32_t result = REBAL_OK;
  if (rebali_is_spread(tree)) {
    result = examine_spread(store, &check, before, own, is_patient, err);
  } else {
    rebali_check_united(&check, tree, before, NULL);
  }
  return result == REBAL_OK && check.result != REBAL_OK ? rebali_fail_memory(err) : result;
}

int32_t rebali_store_examine(rebal_store *store, json_t *tree, const json_t *before, uint32_t own, int is_patient,
                             rebal_findings **out, rebal_error *err) {
  rebal_findings *findings;
  int32_t result = decode(store, tree, err);
  if (result != REBAL_OK) {
    return result;
  }
  findings = rebali_findings_new();
  if (findings == NULL) {
    return rebali_fail_memory(err);
  }
  result = examine(store, tree, before, own, is_patient, findings, err);
  if (result != REBAL_OK) {
    rebal_findings_free(findings);
    return result;
  }
  *out = findings;
  return REBAL_OK;
}

int rebali_is_patient(const rebal_compat *compat) {
  int64_t is_patient = 0;
  if (compat != NULL) {
    (void)rebal_compat_get(compat, REBAL_OPTION_SPREAD_LONG_WAIT, &is_patient, NULL);
  }
  return is_patient != 0;
}

int32_t rebal_store_validate(rebal_store *store, const char *text, size_t len, uint32_t old, const rebal_compat *compat,
                             rebal_findings **out, rebal_error *err) {
  rebal_findings *findings = NULL;
  json_t *tree = NULL, *before = NULL;
  int32_t result;
  if (store == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and out are needed");
  }
  result = rebali_take_stream(&text, &len, "text", err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_document_tree(text, len, &store->limits, &tree, err);
  if (result == REBAL_OK && old != REBAL_NONE) {
    result = rebali_store_share(store, old, &before, err);
  }
  if (result == REBAL_OK) {
    result = rebali_store_examine(store, tree, before, old, rebali_is_patient(compat), &findings, err);
  }
  json_decref(before);
  if (result == REBAL_OK && rebali_findings_locate(findings, text, len) != REBAL_OK) {
    result = rebali_fail_memory(err);
  }
  json_decref(tree);
  if (result != REBAL_OK) {
    rebal_findings_free(findings);
    return result;
  }
  *out = findings;
  return REBAL_OK;
}
