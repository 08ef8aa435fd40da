/* SPDX-License-Identifier: MIT */
/* All documents of a text at once. */
#include "manifest/manifest.h"

#include <stdlib.h>

void rebali_documents_free(json_t **documents, size_t n) {
  for (size_t i = 0; i < n; i++) {
    json_decref(documents[i]);
  }
  free(documents);
}

struct collection {
  struct rebali_tree_sink sink; /* first: the functions below get its address */
  json_t **documents;
  size_t n, capacity;
};

static int32_t collect(struct rebali_tree_sink *sink, json_t *tree, rebal_error *err) {
  struct collection *collection = (struct collection *)sink;
  if (rebali_reserve_malloc(&collection->documents, &collection->capacity, collection->n + 1, sizeof tree, err) !=
      REBAL_OK) {
    json_decref(tree);
    return REBAL_ENOMEM;
  }
  collection->documents[collection->n++] = tree;
  return REBAL_OK;
}

static void restart(struct rebali_tree_sink *sink) {
  struct collection *collection = (struct collection *)sink;
  rebali_documents_free(collection->documents, collection->n);
  collection->documents = NULL;
  collection->n = collection->capacity = 0;
}

static const struct rebali_tree_sink collector = {.document = collect, .restart = restart};

static int32_t settle(struct collection *collection, int32_t result, json_t ***documents, size_t *n) {
  if (result == REBAL_OK) {
    *documents = collection->documents;
    *n = collection->n;
  } else {
    restart(&collection->sink);
  }
  return result;
}

int32_t rebali_tree_read(struct rebali_source *source, json_t ***documents, size_t *n, rebal_error *err) {
  struct collection collection = {collector, NULL, 0, 0};
  return settle(&collection, rebali_tree_stream(source, &collection.sink, err), documents, n);
}

int32_t rebali_text_read(const char *bytes, size_t len, const struct rebali_limits *limits, json_t ***documents,
                         size_t *n, rebal_error *err) {
  struct collection collection = {collector, NULL, 0, 0};
  return settle(&collection, rebali_text_stream(bytes, len, limits, &collection.sink, err), documents, n);
}

int32_t rebali_text_read_wanted(const char *bytes, size_t len, const struct rebali_limits *limits,
                                const struct rebali_wanted *wanted, json_t **out) {
  struct collection collection = {collector, NULL, 0, 0};
  struct rebali_source source;
  int32_t result = rebali_source_prepare(&source, bytes, len, limits, NULL);
  if (result != REBAL_OK || !rebali_source_is_json(&source)) {
    return result != REBAL_OK ? result : REBAL_EUNSUPPORTED;
  }
  collection.sink.wanted = wanted;
  result = rebali_source_open(&source, &rebali_source_json, NULL);
  if (result == REBAL_OK) {
    result = rebali_tree_stream(&source, &collection.sink, NULL);
  }
  source.kind->close(&source);
  if (result == REBAL_OK && collection.n != 1) {
    result = REBAL_EUNSUPPORTED;
  }
  if (result == REBAL_OK) {
    *out = json_incref(collection.documents[0]);
  }
  restart(&collection.sink);
  return result;
}
