/* SPDX-License-Identifier: MIT */
/* lib/manifest/schema/kinds.h - the members of Kubernetes objects (members.def) as tables. */
#ifndef REBALI_MANIFEST_KINDS_H
#define REBALI_MANIFEST_KINDS_H

#include "manifest/manifest.h"

/* Types besides REBAL_TYPE_*. */
#define REBALI_TYPE_INT_OR_TEXT 253u /* an int32 or a text */
#define REBALI_TYPE_ANY 254u         /* any value */

#define REBALI_REQUIRED 1u   /* absent is refused */
#define REBALI_NONEMPTY 2u   /* an empty text, list or map is refused */
#define REBALI_UNSIGNED 4u   /* a number below 0 is refused */
#define REBALI_POSITIVE 8u   /* a number below 1 is refused */
#define REBALI_MAY_EMPTY 16u /* the empty text is allowed besides the values listed */
#define REBALI_OPTIONAL 32u  /* not a member of the API: it counts with the option in values */
#define REBALI_WRITTEN 64u   /* the reference writes it even if zero */
#define REBALI_POINTER 128u  /* absent and zero differ */
#define REBALI_MERGED 256u   /* a strategic merge patch merges the list by its key */

enum rebali_shape_id {
  REBALI_SHAPE_NONE,
#define REBALI_SHAPE(shape) REBALI_SHAPE_##shape,
#include "manifest/schema/members.def"
  REBALI_SHAPES
};

struct rebali_shape;

struct rebali_object_member {
  const char *name;
  uint32_t type;        /* REBAL_TYPE_*, INT_OR_TEXT or ANY */
  uint32_t cardinality; /* REBAL_CARDINALITY_*; a MAP's values have the type */
  uint32_t flags;
  const struct rebali_shape *child; /* of an OBJECT, or of the map that a MAP is; NULL: no members are known */
  const char *values;               /* the allowed texts, separated by spaces; NULL: any */
  size_t max_len;                   /* of a text in characters; 0: any */
  const char *key;                  /* merge key of a list that is MERGED; NULL for scalars */
};

/* Members in the order of the API's types. */
struct rebali_shape {
  const struct rebali_object_member *members;
  size_t n;
};

/* By enum rebali_shape_id. */
extern const struct rebali_shape rebali_shapes[];

struct rebali_kind {
  const char *api_version;
  const char *kind;
  const struct rebali_shape *shape; /* of the whole object */
};

/* Returns the kinds whose every member is known. */
const struct rebali_kind *rebali_kinds(size_t *n);
/* Returns NULL for another kind, or for an unknown version. */
const struct rebali_kind *rebali_kind_of(const json_t *tree);
/* Returns 1 if the kind is one of these, in an unknown version. */
int rebali_kind_is_other_version(const json_t *tree);
/* Returns NULL if there is none. */
const struct rebali_object_member *rebali_shape_member(const struct rebali_shape *shape, const char *name);
/* Returns the member of a record's object (REBAL_OBJECT_*); NULL if no shape is read as such records, or lacks it. */
const struct rebali_object_member *rebali_record_member(uint32_t object, const char *name);

/* ---- defaults of admission (defaults.c) ---- */

/* Fills in the defaults below a value of a shape, or below each item of a list of such; NULL is fine. */
int32_t rebali_fill_defaults(const struct rebali_shape *shape, json_t *tree, rebal_error *err);
/* Returns the text of a member of a shape's map after admission. */
const char *rebali_text_or_default(enum rebali_shape_id shape, const json_t *map, const char *name);
int64_t rebali_number_or_default(enum rebali_shape_id shape, const json_t *map, const char *name);

/* ---- objects as stored (admission_defaults.c) ---- */

/* Copies the spec of a policy without its selectors: *spec is a new tree. */
int32_t rebali_admitted_policy_spec(const json_t *policy, json_t **spec, rebal_error *err);
/* Applies admission to a template, only as far as its replicas are concerned: *out is a new reference. */
int32_t rebali_admitted_template(const json_t *template_, json_t **out, rebal_error *err);

#endif
