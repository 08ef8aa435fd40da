/* SPDX-License-Identifier: MIT */
/* lib/manifest/patch/document.h - parsed documents, and patches between two of them. */
#ifndef REBALI_MANIFEST_DOCUMENT_H
#define REBALI_MANIFEST_DOCUMENT_H

#include "manifest/manifest.h"

#include <rebalance/document.h>

struct rebal_document {
  json_t *tree; /* never changed; parts may be shared with other documents */
};

/* Parses the only document of a text into a new tree; a null document is null. */
int32_t rebali_document_tree(const char *text, size_t len, const struct rebali_limits *limits, json_t **out,
                             rebal_error *err);
/* The same for a text of a public function, by its limits (NULL: the defaults), which are written to *loaded. */
int32_t rebali_take_document(const char **text, size_t *len, const char *what, const rebal_manifest_limits *limits,
                             struct rebali_limits *loaded, json_t **out, rebal_error *err);
/* Makes a document of a tree; takes ownership, also on failure. */
int32_t rebali_document_new(json_t *tree, rebal_document **out, rebal_error *err);

/* Returns the value at a terminated field path (document_value.c); NULL if it is missing or null. */
const json_t *rebali_value_at(const json_t *value, const char *path);
/* Appends a text verbatim, any other value as compact JSON. */
int32_t rebali_value_append(const json_t *value, rebal_text *out, rebal_error *err);

/*
 * Applies a patch (REBAL_PATCH_*) to a tree and returns a new reference. is_own: no other reference to the tree exists;
 * it may be changed even if the patch fails.
 */
int32_t rebali_patch_tree(json_t *tree, int is_own, const json_t *patch, uint32_t kind,
                          const struct rebali_limits *limits, json_t **out, rebal_error *err);

/* Computes the JSON merge patch (RFC 7396) from before to after (merge_diff.c). */
int32_t rebali_merge_diff(const json_t *before, const json_t *after, json_t **out, rebal_error *err);
/* Computes the JSON patch (RFC 6902) from before to after (json_diff.c). */
int32_t rebali_json_diff(const json_t *before, const json_t *after, json_t **out, rebal_error *err);

/*
 * Returns 1 if two Pods are equal except for annotations (pod_equal.c). Null, empty lists and empty maps equal absent;
 * quantities are compared by their canonical text.
 */
int rebali_pod_equal(const json_t *left, const json_t *right);
/* Returns 1 if two pod templates are equal except for the label pod-template-hash. Quantities are compared by value. */
int rebali_template_equal(const json_t *left, const json_t *right);

#endif
