/* SPDX-License-Identifier: MIT */
/* Kinds and versions that the group of an object does not have: nothing reads such objects as they look. */
#include "foundation/near.h"
#include "manifest/validate/validate.h"

#include <string.h>

static const struct resource {
  const char *group, *kind;
} resources[] = {
#define RESOURCE(group, kind, plural, is_namespaced) {group, kind},
#include "manifest/store/resources.def"
#undef RESOURCE
    {"work.karmada.io", "Work"},
};

/* Groups of which the list above has every kind, and the versions that are served. */
static const struct group {
  const char *name, *versions;
  int is_whole; /* an unknown kind is none, whatever its name */
} groups[] = {
    {"", "v1", 0},
    {"apps", "v1", 1},
    {"batch", "v1", 1},
    {"apps.karmada.io", "v1alpha1", 1},
    {"cluster.karmada.io", "v1alpha1", 1},
    {"policy.karmada.io", "v1alpha1", 1},
    {"work.karmada.io", "v1alpha1 v1alpha2", 1},
    {"apps.kruise.io", "v1alpha1 v1beta1", 0},
};

/* Kinds whose names no other group has. */
static const char own_kinds[] =
    "ClusterPropagationPolicy ClusterResourceBinding PropagationPolicy ResourceBinding "
    "WorkloadRebalancer WorkloadSpread UnitedDeployment";

static const struct group *find_group(const char *name) {
  for (size_t i = 0; i < REBALI_COUNT(groups); i++) {
    if (strcmp(groups[i].name, name) == 0) {
      return &groups[i];
    }
  }
  return NULL;
}

/* The kind of the group that a name is, or may be a slip for. */
static const struct resource *find_kind(const char *group, const char *kind, int is_near) {
  const struct rebali_text text = rebali_text(kind, strlen(kind));
  for (size_t i = 0; i < REBALI_COUNT(resources); i++) {
    const struct resource *resource = &resources[i];
    if (strcmp(resource->group, group) == 0 &&
        (is_near ? rebali_is_near(text, rebali_text(resource->kind, strlen(resource->kind)))
                 : strcmp(resource->kind, kind) == 0)) {
      return resource;
    }
  }
  return NULL;
}

/* The group that has a kind of its own. */
static const char *home_of(const char *kind) {
  size_t i = 0;
  while (i + 1 < REBALI_COUNT(resources) && strcmp(resources[i].kind, kind) != 0) {
    i++;
  }
  return resources[i].group;
}

static void find_unknown(struct rebali_check *check, const char *group, const char *kind,
                         const struct rebali_path *path) {
  const struct resource *near = find_kind(group, kind, 1);
  const struct group *known = find_group(group);
  if (near != NULL) {
    rebali_find(check, REBAL_FINDING_UNKNOWN_KIND, path, "the group has no such kind; is \"%s\" meant?", near->kind);
  } else if (rebali_is_listed(kind, own_kinds)) {
    rebali_find(check, REBAL_FINDING_UNKNOWN_KIND, path, "a kind of the group %s", home_of(kind));
  } else if (known != NULL && known->is_whole) {
    rebali_find(check, REBAL_FINDING_UNKNOWN_KIND, path, "the group has no such kind");
  }
}

void rebali_check_kind(struct rebali_check *check, const json_t *tree, const struct rebali_path *path) {
  const struct rebali_path at_kind = rebali_path_key(path, "kind"), at_version = rebali_path_key(path, "apiVersion");
  const char *api_version = rebali_member_text(tree, "apiVersion"), *kind = rebali_member_text(tree, "kind");
  const char *slash = strchr(api_version, '/'), *version = slash != NULL ? slash + 1 : api_version;
  char group[REBALI_GROUP_SIZE];
  const struct group *known;
  if (kind[0] == '\0' || api_version[0] == '\0' || !rebali_group_of(api_version, group)) {
    return;
  }
  known = find_group(group);
  if (find_kind(group, kind, 0) == NULL) {
    find_unknown(check, group, kind, &at_kind);
  } else if (rebali_kind_is_other_version(tree)) {
    rebali_find(check, REBAL_FINDING_UNKNOWN_VERSION, &at_version, "only apiVersion, kind and metadata were looked at");
  } else if (known != NULL && !rebali_is_listed(version, known->versions)) {
    rebali_find(check, REBAL_FINDING_UNKNOWN_VERSION, &at_version, "no version of the group that is served: %s",
                known->versions);
  }
}
