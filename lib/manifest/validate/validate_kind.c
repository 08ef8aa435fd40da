/* SPDX-License-Identifier: MIT */
/* Reports kinds and versions that a group does not have: such objects are ignored, and no selector matches them. */
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

/* Groups whose kinds are in the list above, or are in no group of the list. */
static const struct group {
  const char *name;
  const char *versions;  /* served versions of the kinds in the list */
  const char *preferred; /* the one named by discovery; NULL: it differs between kinds */
  int is_whole;          /* a kind that is not in the list does not exist, whatever its name */
} groups[] = {
    {"", "v1", "v1", 0},
    {"admissionregistration.k8s.io", "v1", "v1", 0},
    {"apiextensions.k8s.io", "v1", "v1", 0},
    {"apiregistration.k8s.io", "v1", "v1", 0},
    {"apps", "v1", "v1", 1},
    {"apps.karmada.io", "v1alpha1", "v1alpha1", 1},
    {"apps.kruise.io", "v1alpha1 v1beta1", NULL, 0},
    {"autoscaling", "v1 v2", "v2", 0},
    {"batch", "v1", "v1", 1},
    {"cluster.karmada.io", "v1alpha1", "v1alpha1", 1},
    {"extensions", "", NULL, 1}, /* its kinds have moved to other groups */
    {"networking.k8s.io", "v1", "v1", 0},
    {"node.k8s.io", "v1", "v1", 0},
    {"policy", "v1", "v1", 0},
    {"policy.karmada.io", "v1alpha1", "v1alpha1", 1},
    {"rbac.authorization.k8s.io", "v1", "v1", 1},
    {"scheduling.k8s.io", "v1", "v1", 0},
    {"storage.k8s.io", "v1", "v1", 0},
    {"work.karmada.io", "v1alpha1 v1alpha2", NULL, 1},
};

/* Kinds with names that no other group has. */
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

/* Returns the kind of the group with a name, or with a similar one. */
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

/* Returns the kind in any group; NULL if none has it. */
static const struct resource *find_anywhere(const char *kind) {
  for (size_t i = 0; i < REBALI_COUNT(resources); i++) {
    if (strcmp(resources[i].kind, kind) == 0) {
      return &resources[i];
    }
  }
  return NULL;
}

/* An object or, if selects has text, a selector of objects, identified by apiVersion and kind. */
struct named {
  struct rebali_check *check;
  const char *group, *version, *kind;
  const char *selects; /* "": it is an object */
};

static void find_home(const struct named *named, const struct resource *home, const struct rebali_path *path) {
  const struct group *group = find_group(home->group);
  const char *preferred = group != NULL ? group->preferred : NULL;
  if (preferred != NULL) {
    rebali_find(named->check, REBAL_FINDING_UNKNOWN_KIND, path, "%sa kind of %s%s%s", named->selects, home->group,
                home->group[0] != '\0' ? "/" : "", preferred);
  } else {
    rebali_find(named->check, REBAL_FINDING_UNKNOWN_KIND, path, "%sa kind of the group %s", named->selects,
                home->group);
  }
}

static void find_unknown(const struct named *named, const struct group *known, const struct rebali_path *path) {
  const struct resource *near = find_kind(named->group, named->kind, 1), *home = find_anywhere(named->kind);
  if (near != NULL) {
    rebali_find(named->check, REBAL_FINDING_UNKNOWN_KIND, path, "%sthe group has no such kind; did you mean \"%s\"?",
                named->selects, near->kind);
  } else if (home != NULL && (known != NULL || rebali_is_listed(named->kind, own_kinds))) {
    find_home(named, home, path);
  } else if (known != NULL && known->is_whole) {
    rebali_find(named->check, REBAL_FINDING_UNKNOWN_KIND, path, "%sthe group has no such kind", named->selects);
  }
}

/* Karmada sees each object in one version. */
static void check_version(const struct named *named, const struct group *known, const struct rebali_path *path) {
  if (known == NULL) {
    return;
  }
  if (!rebali_is_listed(named->version, known->versions)) {
    rebali_find(named->check, REBAL_FINDING_UNKNOWN_VERSION, path, "%sno version of the group that is served: %s",
                named->selects, known->versions);
  } else if (named->selects[0] != '\0' && known->preferred != NULL && strcmp(named->version, known->preferred) != 0) {
    rebali_find(named->check, REBAL_FINDING_UNKNOWN_VERSION, path, "%sKarmada sees the kind in version %s only",
                named->selects, known->preferred);
  }
}

static void check_names(struct rebali_check *check, const json_t *tree, const char *selects,
                        const struct rebali_path *path) {
  const struct rebali_path at_kind = rebali_path_key(path, "kind"), at_version = rebali_path_key(path, "apiVersion");
  const char *api_version = rebali_member_text(tree, "apiVersion"), *kind = rebali_member_text(tree, "kind");
  const char *slash = strchr(api_version, '/');
  char group[REBALI_GROUP_SIZE];
  const struct named named = {check, group, slash != NULL ? slash + 1 : api_version, kind, selects};
  const struct group *known;
  if (kind[0] == '\0' || api_version[0] == '\0' || !rebali_group_of(api_version, group)) {
    return;
  }
  known = find_group(group);
  if (find_kind(group, kind, 0) == NULL) {
    find_unknown(&named, known, &at_kind);
  } else if (selects[0] == '\0' && rebali_kind_is_other_version(tree)) {
    rebali_find(check, REBAL_FINDING_UNKNOWN_VERSION, &at_version, "only apiVersion, kind and metadata were checked");
  } else {
    check_version(&named, known, &at_version);
  }
}

void rebali_check_kind(struct rebali_check *check, const json_t *tree, const struct rebali_path *path) {
  check_names(check, tree, "", path);
}

void rebali_check_selected_kind(struct rebali_check *check, const json_t *selector, const struct rebali_path *path) {
  check_names(check, selector, "the selector matches nothing: ", path);
}
