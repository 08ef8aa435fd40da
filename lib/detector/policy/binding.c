/* SPDX-License-Identifier: MIT */
/* Writes bindings, and keeps parts of them in updates (rebalance-karmada(7) 14.5). */
#include "detector/policy/policy.h"
#include "manifest/spread/spread_feed.h"

#include <stdlib.h>
#include <string.h>

int32_t rebali_name_binding(const char *name, const char *kind, char **out, rebal_error *err) {
  size_t len = 0;
  int32_t result;
  (void)rebal_binding_name(name, strlen(name), kind, strlen(kind), NULL, 0, &len, NULL);
  *out = malloc(len + 1);
  if (*out == NULL) {
    return rebali_fail_memory(err);
  }
  result = rebal_binding_name(name, strlen(name), kind, strlen(kind), *out, len + 1, &len, err);
  if (result != REBAL_OK) {
    free(*out);
    *out = NULL;
  }
  return result;
}

static const char *binding_kind(const char *namespace_) {
  return namespace_[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding";
}

int32_t rebali_find_binding(rebal_detector *detector, const json_t *template_, uint32_t *binding, char **name,
                            rebal_error *err) {
  return rebali_find_binding_of(detector, rebali_metadata_text(template_, "namespace"),
                                rebali_member_text(template_, "kind"), rebali_metadata_text(template_, "name"), binding,
                                name, err);
}

int32_t rebali_find_binding_of(rebal_detector *detector, const char *namespace_, const char *kind, const char *of,
                               uint32_t *binding, char **name, rebal_error *err) {
  char *made = NULL;
  const int32_t result = rebali_name_binding(of, kind, &made, err);
  *binding = REBAL_NONE;
  if (result == REBAL_OK) {
    *binding = rebali_store_find_text(detector->store, REBALI_WORK_API, binding_kind(namespace_), namespace_, made);
  }
  if (name != NULL) {
    *name = made;
  } else {
    free(made);
  }
  return result;
}

/* ---- metadata ---- */

int32_t rebali_put_identity(json_t *binding, const json_t *template_, const char *name, rebal_error *err) {
  const char *namespace_ = rebali_metadata_text(template_, "namespace");
  int32_t result = rebali_put_text(binding, "apiVersion", REBALI_WORK_API, err);
  if (result == REBAL_OK) {
    result = rebali_put_text(binding, "kind", binding_kind(namespace_), err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_text(rebali_map_at(binding, "metadata"), "name", name, err);
  }
  return result == REBAL_OK && namespace_[0] != '\0'
             ? rebali_put_text(rebali_map_at(binding, "metadata"), "namespace", namespace_, err)
             : result;
}

static int is_namespaced(const json_t *template_) {
  return rebali_metadata_text(template_, "namespace")[0] != '\0';
}

/* A template without uid, as written by hand, owns nothing. */
static int32_t put_metadata(const struct rebali_binding_draft *draft, json_t *tree, rebal_error *err) {
  char scratch[64];
  int32_t result = REBAL_OK;
  if (rebali_metadata_text(draft->template_, "uid")[0] != '\0') {
    result = rebali_put_owner(rebali_map_at(tree, "metadata"), draft->template_, err);
  }
  if (result == REBAL_OK) {
    result = rebali_finalizer_put(
        tree,
        is_namespaced(draft->template_) ? REBALI_BINDING_FINALIZER : "karmada.io/cluster-resource-binding-controller",
        err);
  }
  return result == REBAL_OK ? rebali_claim_take_over(tree, draft->policy,
                                                     rebali_policy_id(draft->detector, draft->policy, scratch), err)
                            : result;
}

/* ---- spec ---- */

/* For which bindings a spec member is replaced: all, created ones, ResourceBindings. */
enum { OWNED_OF_ALL = 1, OWNED_OF_CREATED = 2, OWNED_OF_RESOURCES = 4, OWNED_WHOLE = 7 };

static const struct {
  const char *name;
  unsigned which;
} owned[] = {{"resource", OWNED_OF_ALL},
             {"replicas", OWNED_OF_ALL},
             {"replicaRequirements", OWNED_OF_ALL},
             {"placement", OWNED_OF_ALL},
             {"failover", OWNED_OF_ALL},
             {"schedulePriority", OWNED_OF_RESOURCES},
             {"schedulerName", OWNED_OF_ALL},
             {"workloadAffinityGroups", OWNED_OF_RESOURCES},
             {"propagateDeps", OWNED_OF_CREATED},
             {"conflictResolution", OWNED_OF_ALL},
             {"preserveResourcesOnDeletion", OWNED_OF_ALL},
             {"components", OWNED_OF_ALL}};

/* Replaces or removes members of a binding's spec by what was built. Other members of the spec belong to others. */
static int32_t put_owned(json_t *spec, const json_t *built, unsigned which, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < REBALI_COUNT(owned); i++) {
    json_t *member = rebali_member(built, owned[i].name);
    if ((owned[i].which & which) == 0) {
      continue;
    }
    if (member != NULL) {
      result = rebali_put(spec, owned[i].name, json_incref(member), err);
    } else {
      (void)json_object_del(spec, owned[i].name);
    }
  }
  return result;
}

/* Builds the suspension of a new spec: what was built, and the parts of the old one that are not the policy's. */
static int32_t put_suspension(json_t *spec, const json_t *old, const json_t *built, rebal_error *err) {
  const json_t *given = rebali_member(built, "suspension");
  const json_t *scheduling = rebali_member(rebali_member(old, "suspension"), "scheduling");
  json_t *suspension;
  (void)json_object_del(spec, "suspension");
  if (given == NULL && scheduling == NULL) {
    return REBAL_OK;
  }
  suspension = given != NULL ? rebali_copy(given) : json_object();
  if (rebali_put(spec, "suspension", suspension, err) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return scheduling != NULL ? rebali_put(suspension, "scheduling", json_incref((json_t *)(uintptr_t)scheduling), err)
                            : REBAL_OK;
}

/* Returns the owned members of a new or an updated binding of the template. */
static unsigned owned_members(const json_t *template_, int is_new) {
  return is_namespaced(template_) ? OWNED_WHOLE : is_new ? OWNED_OF_ALL | OWNED_OF_CREATED : OWNED_OF_ALL;
}

static int32_t put_spec(const struct rebali_binding_draft *draft, json_t *tree, rebal_error *err) {
  const json_t *old = rebali_member(draft->before, "spec");
  json_t *spec = old != NULL ? rebali_copy(old) : json_object();
  int32_t result = rebali_put(tree, "spec", spec, err);
  if (result == REBAL_OK) {
    result = put_owned(spec, draft->built, owned_members(draft->template_, draft->before == NULL), err);
  }
  return result == REBAL_OK ? put_suspension(spec, old, draft->built, err) : result;
}

/* ---- writing ---- */

/*
 * Tests whether another template owns the binding; the garbage collector then removes it. A template without uid may be
 * the owner.
 */
static int is_foreign(const json_t *binding, const json_t *template_) {
  const json_t *owner = rebali_controller_reference(binding);
  const char *uid = rebali_metadata_text(template_, "uid");
  return owner != NULL && uid[0] != '\0' && strcmp(rebali_member_text(owner, "uid"), uid) != 0;
}

int32_t rebali_draft_binding(const struct rebali_binding_draft *draft, json_t **tree, rebal_error *err) {
  json_t *made = draft->before != NULL ? rebali_editable(draft->before) : json_object();
  int32_t result =
      made != NULL ? rebali_put_identity(made, draft->template_, draft->name, err) : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = put_metadata(draft, made, err);
  }
  if (result == REBAL_OK) {
    result = put_spec(draft, made, err);
  }
  if (result != REBAL_OK) {
    json_decref(made);
    made = NULL;
  }
  *tree = made;
  return result;
}

static int32_t write_draft(const struct rebali_binding_draft *draft, rebal_detector_row *row, rebal_error *err) {
  json_t *tree = NULL;
  int32_t result = rebali_draft_binding(draft, &tree, err);
  if (result == REBAL_OK && draft->before != NULL) {
    row->outcome = json_equal(tree, draft->before) ? REBAL_DETECTOR_OUTCOME_UNCHANGED : REBAL_DETECTOR_OUTCOME_UPDATED;
    result = rebali_detector_write(draft->detector, row->binding, tree, draft->before, err);
  } else if (result == REBAL_OK) {
    row->outcome = REBAL_DETECTOR_OUTCOME_CREATED;
    result = rebali_metadata_create(tree, &draft->detector->now, err);
    if (result == REBAL_OK) {
      result = rebali_store_put(draft->detector->store, tree, &row->binding, err);
    }
  }
  json_decref(tree);
  return result;
}

/* Tests whether the reference omits a member when it writes. */
static int is_left_out(const char *name, const json_t *value) {
  return (json_is_false(value) && strcmp(name, "preserveResourcesOnDeletion") != 0) ||
         (json_is_number(value) && json_number_value(value) == 0) ||
         (json_is_string(value) && json_string_length(value) == 0) ||
         (json_is_array(value) && json_array_size(value) == 0);
}

/* Puts the binding without such members of its spec into *binding, as the reference reads it. */
static int32_t read_typed(json_t **binding, rebal_error *err) {
  json_t *spec = rebali_member(*binding, "spec"), *value, *typed = NULL, *own = NULL;
  const char *name;
  json_object_foreach(spec, name, value) {
    if (is_left_out(name, value)) {
      typed = typed != NULL ? typed : rebali_copy(*binding);
      own = own != NULL ? own : rebali_copy(spec);
      (void)json_object_del(own, name);
    }
  }
  if (own == NULL && typed == NULL) {
    return REBAL_OK;
  }
  if (own == NULL || typed == NULL) {
    json_decref(own);
    json_decref(typed);
    return rebali_fail_memory(err);
  }
  json_decref(*binding);
  *binding = typed;
  return rebali_put(typed, "spec", own, err);
}

int rebali_refuse_foreign(const struct rebali_binding_draft *draft, rebal_detector_row *row) {
  const json_t *owner = rebali_controller_reference(draft->before);
  if (draft->before == NULL || !is_foreign(draft->before, draft->template_)) {
    return 0;
  }
  row->outcome = REBAL_DETECTOR_OUTCOME_ERROR;
  rebali_detector_say(draft->detector, "the binding %s belongs to another object, %s %s %s", draft->name,
                      rebali_member_text(owner, "apiVersion"), rebali_member_text(owner, "kind"),
                      rebali_member_text(owner, "name"));
  return 1;
}

int32_t rebali_write_binding(rebal_detector *detector, const json_t *template_, const json_t *policy,
                             rebal_detector_row *row, rebal_error *err) {
  struct rebali_binding_draft draft = {.detector = detector, .template_ = template_, .policy = policy};
  json_t *built = NULL, *before = NULL;
  char *name = NULL;
  int32_t result = rebali_build_spec(detector, template_, policy, &built, err);
  row->outcome = REBAL_DETECTOR_OUTCOME_ERROR;
  if (result == REBAL_OK && built != NULL) {
    result = rebali_find_binding(detector, template_, &row->binding, &name, err);
  }
  if (result == REBAL_OK && row->binding != REBAL_NONE) {
    result = rebali_store_share(detector->store, row->binding, &before, err);
    result = result == REBAL_OK ? read_typed(&before, err) : result;
  }
  draft.built = built;
  draft.before = before;
  draft.name = name;
  if (result == REBAL_OK && built != NULL && !rebali_refuse_foreign(&draft, row)) {
    result = write_draft(&draft, row, err);
  }
  json_decref(before);
  json_decref(built);
  free(name);
  return result;
}
