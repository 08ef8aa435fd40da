/* SPDX-License-Identifier: MIT */
/* Which policy takes a workload: an index of selectors, since clusters have as many policies as workloads. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

enum rank { RANK_NONE = 0, RANK_ALL = 1, RANK_LABELS = 2, RANK_NAME = 3 };

/* What is known from the claim's key is not looked at again. */
static enum rank rank_claim(const struct rebali_policy_claim *claim, const json_t *workload) {
  const json_t *labels = rebali_member(rebali_member(workload, "metadata"), "labels");
  const json_t *selector = claim->selector;
  if (strcmp(rebali_member_text(selector, "apiVersion"), rebali_member_text(workload, "apiVersion")) != 0) {
    return RANK_NONE;
  }
  if (claim->name[0] != '\0') {
    return RANK_NAME;
  }
  if (rebali_member(selector, "labelSelector") == NULL) {
    return RANK_ALL;
  }
  return rebali_selector_matches(rebali_member(selector, "labelSelector"), labels) ? RANK_LABELS : RANK_NONE;
}

static int compare_keys(const struct rebali_policy_claim *left, const struct rebali_policy_claim *right) {
  int order = strcmp(left->namespace_, right->namespace_);
  if (order == 0) {
    order = strcmp(left->kind, right->kind);
  }
  return order != 0 ? order : strcmp(left->name, right->name);
}

static int compare_claims(const void *left, const void *right) {
  return compare_keys(left, right);
}

/* ---- the index ---- */

static int32_t add_claim(struct rebali_claims *claims, const struct rebali_policy_claim *claim, rebal_error *err) {
  const int32_t result = rebali_make_room(&claims->items, &claims->capacity, claims->n + 1, sizeof *claims->items, err);
  if (result != REBAL_OK) {
    return result;
  }
  claims->items[claims->n++] = *claim;
  return REBAL_OK;
}

/* A policy with a namespace takes nothing outside it, whatever its selectors say. */
static int32_t add_policy(struct rebali_claims *claims, const json_t *policy, size_t place, rebal_error *err) {
  const json_t *spec = rebali_member(policy, "spec");
  const json_t *selectors = rebali_member(spec, "resourceSelectors");
  const char *own = rebali_member_text(rebali_member(policy, "metadata"), "namespace");
  const int64_t priority = json_integer_value(rebali_member(spec, "priority"));
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(selectors); i++) {
    const json_t *selector = json_array_get(selectors, i);
    const char *wanted = rebali_member_text(selector, "namespace");
    const struct rebali_policy_claim claim = {.policy = policy,
                                              .selector = selector,
                                              .namespace_ = wanted[0] != '\0' ? wanted : own,
                                              .kind = rebali_member_text(selector, "kind"),
                                              .name = rebali_member_text(selector, "name"),
                                              .priority = priority,
                                              .place = place};
    if (own[0] == '\0' || strcmp(claim.namespace_, own) == 0) {
      result = add_claim(claims, &claim, err);
    }
  }
  return result;
}

/* Takes the policy over, which claims point into. */
static int32_t keep_policy(struct rebali_claims *claims, json_t *policy, rebal_error *err) {
  if (claims->policies == NULL) {
    claims->policies = json_array();
  }
  return json_array_append_new(claims->policies, policy) == 0 ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t add_policies(const rebal_store *store, const char *kind, struct rebali_claims *claims,
                            rebal_error *err) {
  size_t place = 0;
  int32_t result = REBAL_OK;
  for (uint32_t id = rebal_store_next(store, kind, strlen(kind), REBAL_NONE); result == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next(store, kind, strlen(kind), id)) {
    json_t *policy;
    result = rebali_store_open(store, id, &policy, err);
    if (result == REBAL_OK) {
      result = keep_policy(claims, policy, err);
    }
    if (result == REBAL_OK && rebali_member(rebali_member(policy, "metadata"), "deletionTimestamp") == NULL) {
      result = add_policy(claims, policy, place++, err);
    }
  }
  if (claims->n > 1) {
    qsort(claims->items, claims->n, sizeof *claims->items, compare_claims); /* equals are told apart when found */
  }
  return result;
}

int32_t rebali_policies_open(struct rebali_policies *policies, const rebal_store *store, rebal_error *err) {
  int32_t result;
  *policies = (struct rebali_policies){{NULL, 0, 0, NULL}, {NULL, 0, 0, NULL}};
  result = add_policies(store, "PropagationPolicy", &policies->namespaced, err);
  return result == REBAL_OK ? add_policies(store, "ClusterPropagationPolicy", &policies->cluster, err) : result;
}

void rebali_policies_close(struct rebali_policies *policies) {
  free(policies->namespaced.items);
  free(policies->cluster.items);
  json_decref(policies->namespaced.policies);
  json_decref(policies->cluster.policies);
}

/* ---- the choice ---- */

struct choice {
  const struct rebali_policy_claim *claim;
  enum rank rank;
};

static int is_better(const struct rebali_policy_claim *claim, enum rank rank, const struct choice *best) {
  if (rank != best->rank) {
    return rank > best->rank;
  }
  if (rank == RANK_NONE) {
    return 0;
  }
  return claim->priority != best->claim->priority ? claim->priority > best->claim->priority
                                                  : claim->place < best->claim->place;
}

/* The first claim that is not before the key. */
static size_t find_first(const struct rebali_claims *claims, const struct rebali_policy_claim *key) {
  size_t at;
  REBALI_BISECT(at, claims->n, compare_keys(&claims->items[at], key) < 0);
  return at;
}

static void choose(const struct rebali_claims *claims, const struct rebali_policy_claim *key, const json_t *workload,
                   struct choice *best) {
  for (size_t i = find_first(claims, key); i < claims->n && compare_keys(&claims->items[i], key) == 0; i++) {
    const enum rank rank = rank_claim(&claims->items[i], workload);
    if (is_better(&claims->items[i], rank, best)) {
      *best = (struct choice){&claims->items[i], rank};
    }
  }
}

/* Claims by name first: no other outranks them. */
static const json_t *find_among(const struct rebali_claims *claims, const json_t *workload) {
  const json_t *metadata = rebali_member(workload, "metadata");
  const char *const names[] = {rebali_member_text(metadata, "name"), ""};
  const char *const spaces[] = {rebali_member_text(metadata, "namespace"), ""};
  struct choice best = {NULL, RANK_NONE};
  for (size_t i = 0; best.claim == NULL && i < 2; i++) {
    for (size_t k = 0; k < 2; k++) {
      const struct rebali_policy_claim key = {
          .namespace_ = spaces[k], .kind = rebali_member_text(workload, "kind"), .name = names[i]};
      choose(claims, &key, workload, &best);
    }
  }
  return best.claim != NULL ? best.claim->policy : NULL;
}

const json_t *rebali_policies_find(const struct rebali_policies *policies, const json_t *workload) {
  const json_t *policy = find_among(&policies->namespaced, workload);
  return policy != NULL ? policy : find_among(&policies->cluster, workload);
}
