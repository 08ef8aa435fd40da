/* SPDX-License-Identifier: MIT */
/* Reads records of any kind from a text of their own. */
#include "manifest/patch/document.h"
#include "manifest/validate/validate.h"

/* Returns 0 for records whose members come from separate places of an object: they are read through a store only. */
static int has_text_form(uint32_t object) {
  static const uint32_t collected[] = {REBAL_OBJECT_POD_RESOURCES, REBAL_OBJECT_CONTAINER_RESOURCES,
                                       REBAL_OBJECT_QUOTAS, REBAL_OBJECT_QUOTA, REBAL_OBJECT_BUDGET};
  for (size_t i = 0; i < sizeof collected / sizeof collected[0]; i++) {
    if (collected[i] == object) {
      return 0;
    }
  }
  return 1;
}

static int32_t read_tree(rebal_builder *builder, uint32_t object, json_t *tree, const rebal_record **out,
                         rebal_error *err) {
  json_t *stored = NULL;
  int32_t result = object == REBAL_OBJECT_WORKLOAD_SPREAD ? rebali_spread_stored(tree, &stored, err) : REBAL_OK;
  if (result == REBAL_OK) {
    result = rebali_read_record(builder, object, stored != NULL ? stored : tree, NULL, out, err);
  }
  json_decref(stored);
  return result;
}

int32_t rebal_manifest_read_record(const char *text, size_t len, uint32_t object, const rebal_manifest_limits *limits,
                                   rebal_builder *builder, const rebal_record **out, rebal_error *err) {
  struct rebali_staged_batch batch = {.len = 0};
  rebal_error local = REBAL_ERROR_INIT;
  struct rebali_limits loaded;
  json_t *tree;
  int32_t result;
  if (builder == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "builder and out are needed");
  }
  if (!has_text_form(object)) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "records of this kind are read from objects of a store");
  }
  result = rebali_take_document(&text, &len, "text", limits, &loaded, &tree, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = read_tree(builder, object, tree, out, &local);
  json_decref(tree);
  if (result == REBAL_EPARSE || result == REBAL_ERANGE) {
    batch.text = text;
    batch.len = len;
    return rebali_batch_fail_in_text(&batch, 1, &local, err);
  }
  return result == REBAL_OK ? REBAL_OK : rebali_fail(err, result, -1, "%s", local.message);
}
