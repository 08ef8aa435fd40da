/* SPDX-License-Identifier: MIT */
/* lib/manifest/patch/document.h - parsed documents, and patches between two of them. */
#ifndef REBALI_MANIFEST_DOCUMENT_H
#define REBALI_MANIFEST_DOCUMENT_H

#include "manifest/manifest.h"

#include <rebalance/document.h>

struct rebal_document {
  json_t *tree; /* never changed; parts may be shared with other documents */
};

/* The one document of a text as a new tree; null where the text says null. */
int32_t rebali_document_tree(const char *text, size_t len, const struct rebali_limits *limits, json_t **out,
                             rebal_error *err);
/* The same for a text that a public function was given, by its limits (NULL: the defaults), which *loaded receives. */
int32_t rebali_take_document(const char **text, size_t *len, const char *what, const rebal_manifest_limits *limits,
                             struct rebali_limits *loaded, json_t **out, rebal_error *err);
/* A document of a tree, which is taken over, also on failure. */
int32_t rebali_document_new(json_t *tree, rebal_document **out, rebal_error *err);

/* The value at a field path, which is terminated (document_value.c); NULL: there is none, or null. */
const json_t *rebali_value_at(const json_t *value, const char *path);
/* Appends a text as it is, anything else as compact JSON. */
int32_t rebali_value_append(const json_t *value, rebal_text *out, rebal_error *err);

/*
 * A patch (REBAL_PATCH_*) carried out on a tree: a new reference. is_own: nobody else has the tree, which may be
 * changed even when the patch fails.
 */
int32_t rebali_patch_tree(json_t *tree, int is_own, const json_t *patch, uint32_t kind,
                          const struct rebali_limits *limits, json_t **out, rebal_error *err);

/* The JSON merge patch (RFC 7396) that makes after of before (merge_diff.c). */
int32_t rebali_merge_diff(const json_t *before, const json_t *after, json_t **out, rebal_error *err);
/* The JSON patch (RFC 6902) that makes after of before (json_diff.c). */
int32_t rebali_json_diff(const json_t *before, const json_t *after, json_t **out, rebal_error *err);

/*
 * Are two Pods the same, annotations aside (pod_equal.c)? Null, empty lists and empty maps are as good as absent;
 * quantities are compared by their canonical text.
 */
int rebali_pod_equal(const json_t *left, const json_t *right);
/* Are two templates of Pods the same, the label pod-template-hash aside? Quantities are compared by their value. */
int rebali_template_equal(const json_t *left, const json_t *right);

#endif
