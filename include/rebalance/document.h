/* SPDX-License-Identifier: MIT */
/*
 * rebalance/document.h - values in documents and in objects of a store, read where they are (librebalance-manifest).
 *
 * Memory comes from malloc, as in manifest.h.
 */
#ifndef REBAL_DOCUMENT_H
#define REBAL_DOCUMENT_H

#include "manifest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A value in a document, which it belongs to. NULL: there is none, or null. */
typedef struct rebal_value rebal_value;

/** What a value is. */
enum rebal_value_kind {
  REBAL_VALUE_KIND_NONE = 0,   /**< nothing, or null */
  REBAL_VALUE_KIND_MAP = 1,
  REBAL_VALUE_KIND_LIST = 2,
  REBAL_VALUE_KIND_TEXT = 3,
  REBAL_VALUE_KIND_NUMBER = 4,
  REBAL_VALUE_KIND_BOOLEAN = 5
};
/**
 * The value at a field path of a document (spec.replicas, metadata.labels["a.b/c"], items[2].name), which ends with
 * NUL; "": the whole document. Since: 0.1
 */
REBAL_API const rebal_value *rebal_document_value(const rebal_document *document, const char *path);
/** REBAL_VALUE_KIND_*; NONE for NULL. Since: 0.1 */
REBAL_API uint32_t rebal_value_kind(const rebal_value *value);
/** Number of members of a map, or of items of a list; 0 for others. Since: 0.1 */
REBAL_API size_t rebal_value_count(const rebal_value *value);
/** The member of a map with a key, which ends with NUL. Since: 0.1 */
REBAL_API const rebal_value *rebal_value_member(const rebal_value *map, const char *key);
/** The key after previous (NULL: the first) of a map, in the order of the text; NULL at the end. Since: 0.1 */
REBAL_API const char *rebal_value_next_key(const rebal_value *map, const char *previous);
/** The i-th item of a list, from 0. Since: 0.1 */
REBAL_API const rebal_value *rebal_value_item(const rebal_value *list, size_t i);
/** The bytes of a text, terminated; "" for anything else. len may be NULL. Since: 0.1 */
REBAL_API const char *rebal_value_text(const rebal_value *value, size_t *len);
/** 1 and *out: an integer within int64_t, or a boolean as 0 or 1; else 0. Since: 0.1 */
REBAL_API int32_t rebal_value_integer(const rebal_value *value, int64_t *out);
/** Appends a text as it is, anything else as compact JSON, nothing for NULL. Since: 0.1 */
REBAL_API int32_t rebal_value_write(const rebal_value *value, rebal_text *out, rebal_error *err);
/**
 * An object as a document, which stays as it is when the object changes; *out is the caller's. REBAL_ENOTFOUND. Since:
 * 0.1
 */
REBAL_API int32_t rebal_store_document(const rebal_store *store, uint32_t object, rebal_document **out,
                                       rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
