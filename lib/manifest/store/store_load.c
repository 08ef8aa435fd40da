/* SPDX-License-Identifier: MIT */
/* Reads texts into a store, and locates refused objects. */
#include "manifest/manifest.h"

#include <string.h>

int32_t rebali_batch_fail_in_text(const struct rebali_staged_batch *batch, size_t document, const rebal_error *local,
                                  rebal_error *err) {
  uint32_t line = local->line, column = local->column;
  const uint32_t number = local->document != 0 ? local->document : (uint32_t)document;
  if (line == 0 && batch->text != NULL) {
    (void)rebali_locate(batch->text, batch->len, document, local->field, &line, &column);
  }
  (void)rebali_fail(err, local->code, -1, "%s", local->message);
  rebali_fail_field(err, local->field);
  rebali_fail_at(err, local->where, number, line, column);
  return local->code;
}

int32_t rebali_batch_fail(const struct rebali_staged_batch *batch, size_t entry, rebal_error *err, int32_t code,
                          const char *field, const char *message) {
  const struct rebali_staged *staged = &batch->entries[entry];
  const struct rebali_path items = rebali_path_key(NULL, "items");
  const struct rebali_path item = rebali_path_index(&items, staged->item);
  rebal_error local = REBAL_ERROR_INIT;
  size_t used = 0;
  (void)rebali_fail(&local, code, -1, "%s", message);
  if (staged->item != SIZE_MAX) {
    used = rebali_path_print(&item, local.field, sizeof local.field - 1);
    local.field[used++] = '.';
  }
  if (strlen(field) < sizeof local.field - used) {
    memcpy(local.field + used, field, strlen(field) + 1);
  }
  return rebali_batch_fail_in_text(batch, staged->document, &local, err);
}

/* Returns REBAL_EEXIST for the first object of the batch that the store has. */
static int32_t refuse_known(const struct rebali_staged_batch *batch, rebal_error *err) {
  for (size_t i = 0; i < batch->n; i++) {
    if (batch->entries[i].id != REBAL_NONE) {
      return rebali_batch_fail(batch, i, err, REBAL_EEXIST, "metadata.name", "the store has this object already");
    }
  }
  return REBAL_OK;
}

static int32_t read_text(rebal_store *store, const char *text, size_t len, int may_replace, rebal_error *err) {
  struct rebali_staged_batch batch;
  int32_t result;
  if (store == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store is needed");
  }
  result = rebali_take_stream(&text, &len, "text", err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_batch_read(&batch, store, text, len, err);
  if (result == REBAL_OK) {
    rebali_batch_match(&batch, store);
    result = may_replace ? REBAL_OK : refuse_known(&batch, err);
  }
  if (result == REBAL_OK) {
    result = rebali_store_take(store, &batch, err);
  }
  rebali_batch_dispose(&batch);
  return result;
}

int32_t rebal_store_load(rebal_store *store, const char *text, size_t len, rebal_error *err) {
  return read_text(store, text, len, 0, err);
}

int32_t rebal_store_put(rebal_store *store, const char *text, size_t len, rebal_error *err) {
  return read_text(store, text, len, 1, err);
}
