/* SPDX-License-Identifier: MIT */
/* API groups, and the names of kinds in paths of an API server. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

static const struct rebali_resource known[] = {
#define RESOURCE(group, kind, plural, is_namespaced) {group, kind, plural, is_namespaced},
#include "manifest/store/resources.def"
#undef RESOURCE
};

enum { KNOWN = sizeof known / sizeof known[0] };

size_t rebali_group_len(const char *api_version) {
  const char *slash = strchr(api_version, '/');
  return slash != NULL ? (size_t)(slash - api_version) : 0;
}

int rebali_group_compare(const char *left, const char *right) {
  const size_t left_len = rebali_group_len(left), right_len = rebali_group_len(right);
  const int order = strncmp(left, right, left_len < right_len ? left_len : right_len);
  return order != 0 ? order : (left_len > right_len) - (left_len < right_len);
}

static int is_of(const struct rebali_resource *resource, const char *group, size_t len, const char *kind) {
  return strcmp(resource->kind, kind) == 0 && strncmp(resource->group, group, len) == 0 && resource->group[len] == '\0';
}

const struct rebali_resource *rebali_resource_find(const rebal_store *store, const char *api_version,
                                                   const char *kind) {
  const size_t len = rebali_group_len(api_version);
  for (size_t i = store != NULL ? store->n_resources : 0; i-- > 0;) { /* the last one added is used */
    if (is_of(&store->resources[i], api_version, len, kind)) {
      return &store->resources[i];
    }
  }
  for (size_t i = 0; i < KNOWN; i++) {
    if (is_of(&known[i], api_version, len, kind)) {
      return &known[i];
    }
  }
  return NULL;
}

int rebali_kind_is_namespaced(const rebal_store *store, const char *api_version, const char *kind) {
  const size_t len = rebali_group_len(api_version);
  for (size_t i = store != NULL ? store->n_resources : 0; i-- > 0;) {
    if (is_of(&store->resources[i], api_version, len, kind)) {
      return store->resources[i].is_namespaced;
    }
  }
  for (size_t i = 0; i < KNOWN; i++) {
    if (strcmp(known[i].kind, kind) == 0) {
      return known[i].is_namespaced;
    }
  }
  return 0;
}

/* ---- APIs that are never propagated ---- */

/* A NULL version or kind means all of them. */
static const struct {
  const char *group, *version, *kind;
} unpropagated[] = {
    {"apps.karmada.io", NULL, NULL},
    {"autoscaling.karmada.io", NULL, NULL},
    {"cluster.karmada.io", NULL, NULL},
    {"config.karmada.io", NULL, NULL},
    {"coordination.k8s.io", "v1", NULL},
    {"events.k8s.io", NULL, NULL},
    {"networking.karmada.io", NULL, NULL},
    {"policy.karmada.io", NULL, NULL},
    {"remedy.karmada.io", NULL, NULL},
    {"work.karmada.io", NULL, NULL},
    {"", "v1", "Event"},
};

int rebali_is_never_propagated(const char *api_version, const char *kind) {
  const size_t len = rebali_group_len(api_version);
  const char *version = api_version + len + (api_version[len] == '/');
  for (size_t i = 0; i < REBALI_COUNT(unpropagated); i++) {
    if (strncmp(unpropagated[i].group, api_version, len) == 0 && unpropagated[i].group[len] == '\0' &&
        (unpropagated[i].version == NULL || strcmp(unpropagated[i].version, version) == 0) &&
        (unpropagated[i].kind == NULL || strcmp(unpropagated[i].kind, kind) == 0)) {
      return 1;
    }
  }
  return 0;
}

/* ---- kinds added by the caller ---- */

static char *copy_text(char *at, const char *text, size_t len) {
  if (len > 0) {
    memcpy(at, text, len);
  }
  at[len] = '\0';
  return at + len + 1;
}

/* Stores the three texts in one block, the group first. */
static int32_t add(rebal_store *store, const char *kind, size_t kind_len, const char *plural, size_t plural_len,
                   int32_t is_namespaced, rebal_error *err) {
  const char *dot = memchr(kind, '.', kind_len);
  const size_t len = dot != NULL ? (size_t)(dot - kind) : kind_len;
  const size_t group_len = dot != NULL ? kind_len - len - 1 : 0;
  struct rebali_resource added = {.is_namespaced = is_namespaced != 0};
  int32_t result = rebali_reserve_malloc(&store->resources, &store->resources_capacity, store->n_resources + 1,
                                         sizeof *store->resources, err);
  char *block = result == REBAL_OK ? malloc(kind_len + plural_len + 3) : NULL, *at;
  if (block == NULL) {
    return rebali_fail_memory(err);
  }
  added.group = block;
  added.kind = at = copy_text(block, dot != NULL ? dot + 1 : "", group_len);
  added.plural = at = copy_text(at, kind, len);
  (void)copy_text(at, plural, plural_len);
  store->resources[store->n_resources++] = added;
  return REBAL_OK;
}

int32_t rebal_store_add_resource(rebal_store *store, const char *kind, size_t kind_len, const char *plural,
                                 size_t plural_len, int32_t is_namespaced, rebal_error *err) {
  int32_t result = rebali_take_text(&kind, &kind_len, "kind", err);
  if (result == REBAL_OK) {
    result = rebali_take_text(&plural, &plural_len, "plural", err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  if (store == NULL || kind_len == 0 || plural_len == 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store, kind and plural are needed");
  }
  if (kind[0] == '.' || memchr(kind, '\0', kind_len) != NULL || memchr(plural, '\0', plural_len) != NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "expected a kind such as CronTab.stable.example.com");
  }
  if (kind_len > REBALI_NAME_MAX || plural_len > REBALI_NAME_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "a name of more than %d bytes", REBALI_NAME_MAX);
  }
  return add(store, kind, kind_len, plural, plural_len, is_namespaced, err);
}

void rebali_resources_dispose(rebal_store *store) {
  for (size_t i = 0; i < store->n_resources; i++) {
    free((char *)(uintptr_t)store->resources[i].group);
  }
  free(store->resources);
}
