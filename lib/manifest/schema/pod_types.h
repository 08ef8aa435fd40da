/* SPDX-License-Identifier: MIT */
/* lib/manifest/schema/pod_types.h - every member of a Pod (pod_types.def), used to read patches. */
#ifndef REBALI_MANIFEST_POD_TYPES_H
#define REBALI_MANIFEST_POD_TYPES_H

#include "manifest/manifest.h"

struct rebali_pod_type {
  const char *name;
  const char *members;
};

/* A member with an object, or a list of objects, of a type; NULL: of scalars. */
struct rebali_pod_member {
  const struct rebali_pod_type *type;
  int is_list;
};

/* The type of a whole Pod. */
extern const struct rebali_pod_type *const rebali_pod_type;
/* Returns 0 if the type has no such member. */
int rebali_pod_type_member(const struct rebali_pod_type *type, const char *name, struct rebali_pod_member *out);
/* Returns the member that an unknown name may be a typo of; of length 0 if there is none. */
struct rebali_text rebali_pod_type_near(const struct rebali_pod_type *type, const char *name);

/*
 * Drops the members of a patch that Pods lack: returns a new reference, of the patch itself if it has none of them;
 * NULL without memory. Directives stay.
 */
json_t *rebali_pod_known(const json_t *patch);

#endif
