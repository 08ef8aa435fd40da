/* SPDX-License-Identifier: MIT */
/*
 * rebalance/document.h - read access to values in documents and in objects of a store (librebalance-manifest).
 *
 * A value belongs to its document and is valid as long as it. Memory comes from malloc, as in manifest.h.
 */
#ifndef REBAL_DOCUMENT_H
#define REBAL_DOCUMENT_H

#include "manifest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A value in a document, which owns it. NULL: the value is missing or null. */
typedef struct rebal_value rebal_value;

/** Types of values. */
enum rebal_value_kind {
  REBAL_VALUE_KIND_NONE = 0,   /**< nothing, or null */
  REBAL_VALUE_KIND_MAP = 1,
  REBAL_VALUE_KIND_LIST = 2,
  REBAL_VALUE_KIND_TEXT = 3,
  REBAL_VALUE_KIND_NUMBER = 4,
  REBAL_VALUE_KIND_BOOLEAN = 5
};
/**
 * Returns the value at a field path of a document (spec.replicas, metadata.labels["a.b/c"], items[2].name), which ends
 * with NUL; "" is the whole document. NULL: no value, or null. Since: 0.1
 */
REBAL_API const rebal_value *rebal_document_value(const rebal_document *document, const char *path);
/** Returns the type of a value: REBAL_VALUE_KIND_*; NONE for NULL. Since: 0.1 */
REBAL_API uint32_t rebal_value_kind(const rebal_value *value);
/** Returns the number of members of a map or items of a list; 0 for other types. Since: 0.1 */
REBAL_API size_t rebal_value_count(const rebal_value *value);
/** Returns the member of a map with a key, which ends with NUL; NULL if it is missing, or null. Since: 0.1 */
REBAL_API const rebal_value *rebal_value_member(const rebal_value *map, const char *key);
/** Returns the key after previous (NULL: the first) of a map, in the order of the text; NULL at the end. Since: 0.1 */
REBAL_API const char *rebal_value_next_key(const rebal_value *map, const char *previous);
/** Returns the i-th item of a list, from 0; NULL if it is missing, or null. Since: 0.1 */
REBAL_API const rebal_value *rebal_value_item(const rebal_value *list, size_t i);
/** Returns the bytes of a text, terminated; "" for other types. len may be NULL. Since: 0.1 */
REBAL_API const char *rebal_value_text(const rebal_value *value, size_t *len);
/** Reads an integer within int64_t, or a boolean as 0 or 1, into *out. Returns 1, or 0 for other values. Since: 0.1 */
REBAL_API int32_t rebal_value_integer(const rebal_value *value, int64_t *out);
/** Appends a text as it is, other values as compact JSON, nothing for NULL. Since: 0.1 */
REBAL_API int32_t rebal_value_write(const rebal_value *value, rebal_text *out, rebal_error *err);
/**
 * Returns an object as a document, which does not change with the object. Free *out with rebal_document_free().
 * REBAL_ENOTFOUND: the object does not exist. Since: 0.1
 */
REBAL_API int32_t rebal_store_document(const rebal_store *store, uint32_t object, rebal_document **out,
                                       rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
