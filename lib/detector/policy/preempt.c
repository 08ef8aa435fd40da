/* SPDX-License-Identifier: MIT */
/* Policies that take over templates of others (rebalance-karmada(7) 14.6). */
#include "detector/policy/policy.h"

#include <string.h>

struct preemption {
  rebal_detector *detector;
  const json_t *policy;
  uint32_t object; /* the template */
  json_t *tree;    /* a reference */
  rebal_detector_row *row;
  rebal_error *err;
};

static void fail(struct preemption *in, const char *what, const char *name) {
  in->row->outcome = REBAL_DETECTOR_OUTCOME_ERROR;
  rebali_detector_say(in->detector, "%s %s", what, name);
}

/* Tests whether the API server serves the kind, as far as a store can show: its own kinds, and those of its objects. */
static int is_known(const rebal_store *store, const char *api_version, const char *kind) {
  for (uint32_t id = rebal_store_next(store, kind, strlen(kind), REBAL_NONE); id != REBAL_NONE;
       id = rebal_store_next(store, kind, strlen(kind), id)) {
    if (strcmp(store->objects[id].api_version, api_version) == 0) {
      return 1;
    }
  }
  return rebali_resource_find(store, api_version, kind) != NULL;
}

/* Claims the template from the policy of a kind that its annotations name, if the priority is higher. */
static int32_t contest(struct preemption *in, const struct rebali_policy_kind *kind, int *has_failed) {
  const char *namespace_ = rebali_claimed_namespace(in->tree, kind), *name = rebali_claimed_name(in->tree, kind);
  uint32_t found;
  json_t *rival;
  int64_t priority;
  int32_t result;
  if (name[0] == '\0' || (kind->claimed_namespace[0] != '\0' && namespace_[0] == '\0') ||
      (strcmp(name, rebali_metadata_text(in->policy, "name")) == 0 &&
       strcmp(namespace_, rebali_metadata_text(in->policy, "namespace")) == 0)) {
    return REBAL_OK;
  }
  found = rebali_claimed_policy(in->detector, in->tree, kind);
  if (found == REBAL_NONE) {
    *has_failed = 1;
    fail(in, "there is no policy", name);
    return REBAL_OK;
  }
  result = rebali_store_share(in->detector->store, found, &rival, in->err);
  if (result != REBAL_OK) {
    return result;
  }
  priority = rebali_policy_priority(rival);
  json_decref(rival);
  return rebali_policy_priority(in->policy) > priority
             ? rebali_claim_template(in->detector, in->object, &in->tree, in->policy, in->err)
             : REBAL_OK;
}

static int32_t take(struct preemption *in) {
  const struct rebali_policy_kind *kind = rebali_policy_kind_of(in->policy);
  const struct rebali_policy_kind *global = &rebali_policy_kinds[REBALI_GLOBAL];
  int has_failed = 0;
  int32_t result = contest(in, kind, &has_failed);
  if (result != REBAL_OK || has_failed || kind == global || rebali_claimed_name(in->tree, global)[0] == '\0') {
    return result;
  }
  return rebali_claim_template(in->detector, in->object, &in->tree, in->policy, in->err);
}

int32_t rebali_preempt(rebal_detector *detector, const json_t *policy, rebal_detector_row *row, rebal_error *err) {
  const json_t *selectors = rebali_member(rebali_member(policy, "spec"), "resourceSelectors");
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(selectors); i++) {
    const json_t *selector = json_array_get(selectors, i);
    const char *kind = rebali_member_text(selector, "kind"), *name = rebali_member_text(selector, "name");
    const char *api_version = rebali_member_text(selector, "apiVersion");
    struct preemption in = {.detector = detector, .policy = policy, .row = row, .err = err};
    if (!is_known(detector->store, api_version, kind)) {
      fail(&in, "no object is known of the kind", kind);
      continue;
    }
    in.object =
        rebali_store_find_text(detector->store, api_version, kind, rebali_member_text(selector, "namespace"), name);
    if (in.object == REBAL_NONE) {
      continue;
    }
    result = rebali_store_share(detector->store, in.object, &in.tree, err);
    if (result == REBAL_OK && !rebali_is_deleting(in.tree)) {
      result = take(&in);
    }
    json_decref(in.tree);
  }
  return result;
}
