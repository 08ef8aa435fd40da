/* SPDX-License-Identifier: MIT */
/* Reads pages of a list into the store: each page completely or not at all. */
#include "manifest/store/requests.h"

#include <string.h>

/* ---- one JSON text ---- */

struct reading {
  struct rebali_tree_sink sink; /* first: the functions below get its address */
  rebal_watch *watch;
  rebali_take_item *take_item;
  void *user_data;
  json_t *document;
};

static struct reading *reading_of(struct rebali_tree_sink *sink) {
  return (struct reading *)sink;
}

static int32_t take_document(struct rebali_tree_sink *sink, json_t *tree, rebal_error *err) {
  struct reading *reading = reading_of(sink);
  if (reading->document != NULL || !rebali_is_map(tree)) {
    json_decref(tree);
    return rebali_fail(err, REBAL_EPARSE, -1, "expected one JSON object");
  }
  reading->document = tree;
  return REBAL_OK;
}

static int32_t take_item(struct rebali_tree_sink *sink, const json_t *document, json_t *item, rebal_error *err) {
  struct reading *reading = reading_of(sink);
  (void)document;
  return reading->take_item(reading->watch, item, reading->user_data, err);
}

static int needs_items(const json_t *document) {
  (void)document;
  return 1;
}

int32_t rebali_watch_read(rebal_watch *watch, const char *bytes, size_t len, rebali_take_item *take, void *user_data,
                          json_t **document, rebal_error *err) {
  struct reading reading = {
      {take_document, take != NULL ? take_item : NULL, needs_items, NULL, NULL}, watch, take, user_data, NULL};
  struct rebali_source source;
  int32_t result = rebali_source_prepare(&source, bytes, len, &watch->store->limits, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_source_open(&source, &rebali_source_json, err);
  if (result == REBAL_OK) {
    result = rebali_tree_stream(&source, &reading.sink, err);
  }
  rebali_source_json.close(&source);
  if (result == REBAL_OK && reading.document == NULL) {
    result = rebali_fail(err, REBAL_EPARSE, -1, "expected one JSON object");
  }
  if (result != REBAL_OK) {
    json_decref(reading.document);
    return result;
  }
  *document = reading.document;
  return REBAL_OK;
}

/* ---- objects ---- */

static int32_t put_absent(json_t *object, const char *key, const char *text, rebal_error *err) {
  return rebali_member(object, key) != NULL ? REBAL_OK : rebali_put_text(object, key, text, err);
}

static int is_of_watch(const rebal_watch *watch, const json_t *object) {
  const char *namespace_ = rebali_member_text(rebali_member(object, "metadata"), "namespace");
  return strcmp(rebali_member_text(object, "kind"), watch->kind) == 0 &&
         strcmp(rebali_member_text(object, "apiVersion"), watch->api_version) == 0 &&
         (watch->namespace_[0] == '\0' || strcmp(namespace_, watch->namespace_) == 0);
}

/* Completes and checks an object. */
static int32_t admit(const rebal_watch *watch, json_t *object, rebal_error *err) {
  int32_t result;
  if (!rebali_is_map(object)) {
    return rebali_fail(err, REBAL_EPARSE, -1, "expected an object");
  }
  result = put_absent(object, "apiVersion", watch->api_version, err);
  if (result == REBAL_OK) {
    result = put_absent(object, "kind", watch->kind, err);
  }
  if (result == REBAL_OK && !is_of_watch(watch, object)) {
    result = rebali_fail(err, REBAL_EPARSE, -1, "expected %s %s%s%s", watch->api_version, watch->kind,
                         watch->namespace_[0] != '\0' ? " in " : "", watch->namespace_);
  }
  return result == REBAL_OK ? rebali_object_admit(watch->store, object, NULL, err) : result;
}

int32_t rebali_watch_admit(const rebal_watch *watch, json_t *object, rebal_error *err) {
  const json_t *metadata = rebali_member(object, "metadata");
  rebal_error local = REBAL_ERROR_INIT;
  const int32_t result = admit(watch, object, &local);
  if (result != REBAL_OK) {
    (void)rebali_fail(err, result, -1, "%s %s/%s: %s", watch->kind, rebali_member_text(metadata, "namespace"),
                      rebali_member_text(metadata, "name"), local.message);
    rebali_fail_field(err, local.field);
  }
  return result;
}

uint32_t rebali_watch_find(const rebal_watch *watch, const json_t *object) {
  const json_t *metadata = rebali_member(object, "metadata");
  return rebali_store_find_text(watch->store, watch->api_version, watch->kind,
                                rebali_member_text(metadata, "namespace"), rebali_member_text(metadata, "name"));
}

/* ---- pages ---- */

struct page {
  struct rebali_staged_batch batch;
  rebal_error *refusal;
};

/* If an object is refused, the store keeps its old one, which still exists in the cluster. */
static int32_t add_item(rebal_watch *watch, json_t *item, void *user_data, rebal_error *err) {
  struct page *page = user_data;
  rebal_error local = REBAL_ERROR_INIT;
  int32_t result = rebali_watch_admit(watch, item, &local);
  if (result == REBAL_OK) {
    return rebali_batch_add(&page->batch, item, 1, page->batch.n, err);
  }
  if (result == REBAL_ENOMEM) {
    (void)rebali_fail_memory(err);
  } else {
    const uint32_t object = rebali_watch_find(watch, item);
    if (page->refusal->code == REBAL_OK) {
      *page->refusal = local;
    }
    result = object != REBAL_NONE ? rebali_id_set_add(&watch->listed, object, err) : REBAL_OK;
  }
  json_decref(item);
  return result;
}

/* Items that are not objects stay in the document. */
static int32_t add_rest(rebal_watch *watch, const json_t *document, struct page *page, rebal_error *err) {
  const json_t *items = rebali_member(document, "items");
  int32_t result = REBAL_OK;
  if (items != NULL && !json_is_array(items)) {
    return rebali_fail(err, REBAL_EPARSE, -1, "items is not a list");
  }
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(items); i++) {
    result = add_item(watch, json_incref(json_array_get(items, i)), page, err);
  }
  return result;
}

static int32_t take_batch(rebal_watch *watch, struct page *page, rebal_error *err) {
  int32_t result;
  rebali_batch_match(&page->batch, watch->store);
  result = rebali_store_take(watch->store, &page->batch, err);
  for (size_t i = 0; result == REBAL_OK && i < page->batch.n; i++) {
    result = rebali_id_set_add(&watch->listed, page->batch.entries[i].id, err);
    if (result == REBAL_OK) {
      result = rebali_id_set_add(&watch->given, page->batch.entries[i].id, err);
    }
  }
  return result;
}

static int32_t take_list(rebal_watch *watch, const json_t *document, struct page *page, rebal_error *err) {
  const json_t *metadata = rebali_member(document, "metadata");
  int32_t result;
  if (strcmp(rebali_member_text(document, "kind"), "Status") == 0) {
    rebali_watch_note_status(watch, document);
    return REBAL_OK;
  }
  if (rebali_member_text(metadata, "resourceVersion")[0] == '\0') {
    return rebali_fail(err, REBAL_EPARSE, -1, "expected a list with a resourceVersion");
  }
  result = add_rest(watch, document, page, err);
  if (result == REBAL_OK) {
    result = take_batch(watch, page, err);
  }
  if (result == REBAL_OK) {
    result = rebali_watch_set(&watch->version, rebali_member_text(metadata, "resourceVersion"), err);
  }
  return result == REBAL_OK ? rebali_watch_set(&watch->token, rebali_member_text(metadata, "continue"), err) : result;
}

int32_t rebali_watch_take_page(rebal_watch *watch, rebal_error *refusal, rebal_error *err) {
  const char *bytes = watch->buffer.bytes != NULL ? watch->buffer.bytes : "";
  struct page page = {{.text = bytes, .len = watch->buffer.len}, refusal};
  json_t *document = NULL;
  int32_t result = rebali_watch_read(watch, bytes, watch->buffer.len, add_item, &page, &document, err);
  if (result == REBAL_OK) {
    result = take_list(watch, document, &page, err);
  }
  json_decref(document);
  rebali_batch_dispose(&page.batch);
  return result;
}
