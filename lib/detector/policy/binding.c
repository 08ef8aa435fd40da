/* SPDX-License-Identifier: MIT */
/* The binding written, and what an update of it keeps (spec karmada 14.5). */
#include "detector/policy/policy.h"
#include "manifest/spread/spread_feed.h"

#include <stdlib.h>
#include <string.h>

/* What is put together. */
struct draft {
  rebal_detector *detector;
  const json_t *template_, *policy;
  const json_t *before; /* NULL: there was none */
  json_t *tree;
  int is_namespaced;
  rebal_error *err;
};

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

const char *rebali_binding_kind(const json_t *template_) {
  return rebali_metadata_text(template_, "namespace")[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding";
}

int32_t rebali_find_binding(rebal_detector *detector, const json_t *template_, uint32_t *binding, char **name,
                            rebal_error *err) {
  char *made = NULL;
  const int32_t result =
      rebali_name_binding(rebali_metadata_text(template_, "name"), rebali_member_text(template_, "kind"), &made, err);
  *binding = REBAL_NONE;
  if (result == REBAL_OK) {
    *binding = rebali_store_find_text(detector->store, REBALI_WORK_API, rebali_binding_kind(template_),
                                      rebali_metadata_text(template_, "namespace"), made);
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
    result = rebali_put_text(binding, "kind", rebali_binding_kind(template_), err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_text(rebali_map_at(binding, "metadata"), "name", name, err);
  }
  return result == REBAL_OK && namespace_[0] != '\0'
             ? rebali_put_text(rebali_map_at(binding, "metadata"), "namespace", namespace_, err)
             : result;
}

static int32_t put_metadata(const struct draft *draft) {
  char scratch[64];
  int32_t result = rebali_put_owner(rebali_map_at(draft->tree, "metadata"), draft->template_, draft->err);
  if (result == REBAL_OK) {
    result = rebali_finalizer_put(
        draft->tree, draft->is_namespaced ? REBALI_BINDING_FINALIZER : "karmada.io/cluster-resource-binding-controller",
        draft->err);
  }
  return result == REBAL_OK
             ? rebali_claim_take_over(draft->tree, draft->policy,
                                      rebali_policy_id(draft->detector, draft->policy, scratch), draft->err)
             : result;
}

/* ---- spec ---- */

static const struct {
  const char *name;
  unsigned which;
} owned[] = {{"resource", REBALI_OWNED_OF_ALL},
             {"replicas", REBALI_OWNED_OF_ALL},
             {"replicaRequirements", REBALI_OWNED_OF_ALL},
             {"placement", REBALI_OWNED_OF_ALL},
             {"failover", REBALI_OWNED_OF_ALL},
             {"schedulePriority", REBALI_OWNED_OF_RESOURCES},
             {"schedulerName", REBALI_OWNED_OF_ALL},
             {"workloadAffinityGroups", REBALI_OWNED_OF_RESOURCES},
             {"propagateDeps", REBALI_OWNED_OF_CREATED},
             {"conflictResolution", REBALI_OWNED_OF_ALL},
             {"preserveResourcesOnDeletion", REBALI_OWNED_OF_ALL},
             {"components", REBALI_OWNED_OF_ALL}};

int32_t rebali_put_owned(json_t *spec, const json_t *built, unsigned which, rebal_error *err) {
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

int32_t rebali_put_suspension(json_t *spec, const json_t *old, const json_t *built, rebal_error *err) {
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

unsigned rebali_owned_members(const json_t *template_, int is_new) {
  return rebali_metadata_text(template_, "namespace")[0] != '\0' ? REBALI_OWNED_WHOLE
         : is_new                                                ? REBALI_OWNED_OF_ALL | REBALI_OWNED_OF_CREATED
                                                                 : REBALI_OWNED_OF_ALL;
}

static int32_t put_spec(const struct draft *draft, const json_t *built) {
  const json_t *old = rebali_member(draft->before, "spec");
  const unsigned which = rebali_owned_members(draft->template_, draft->before == NULL);
  json_t *spec = old != NULL ? rebali_copy(old) : json_object();
  int32_t result = rebali_put(draft->tree, "spec", spec, draft->err);
  if (result == REBAL_OK) {
    result = rebali_put_owned(spec, built, which, draft->err);
  }
  return result == REBAL_OK ? rebali_put_suspension(spec, old, built, draft->err) : result;
}

/* ---- writing ---- */

int rebali_binding_is_foreign(const json_t *binding, const json_t *template_) {
  const json_t *owner = rebali_controller_reference(binding);
  return owner != NULL && strcmp(rebali_member_text(owner, "uid"), rebali_metadata_text(template_, "uid")) != 0;
}

static int32_t fill(const struct draft *draft, const char *name, const json_t *built) {
  int32_t result = rebali_put_identity(draft->tree, draft->template_, name, draft->err);
  if (result == REBAL_OK) {
    result = put_metadata(draft);
  }
  return result == REBAL_OK ? put_spec(draft, built) : result;
}

static int32_t write_draft(struct draft *draft, const char *name, const json_t *built, rebal_detector_row *row) {
  int32_t result;
  draft->tree = draft->before != NULL ? rebali_editable(draft->before) : json_object();
  result = draft->tree != NULL ? fill(draft, name, built) : rebali_fail_memory(draft->err);
  if (result == REBAL_OK && draft->before != NULL) {
    row->outcome =
        json_equal(draft->tree, draft->before) ? REBAL_DETECTOR_OUTCOME_UNCHANGED : REBAL_DETECTOR_OUTCOME_UPDATED;
    result = rebali_detector_write(draft->detector, row->binding, draft->tree, draft->before, draft->err);
  } else if (result == REBAL_OK) {
    row->outcome = REBAL_DETECTOR_OUTCOME_CREATED;
    result = rebali_metadata_create(draft->tree, &draft->detector->now, draft->err);
    if (result == REBAL_OK) {
      result = rebali_store_put(draft->detector->store, draft->tree, &row->binding, draft->err);
    }
  }
  json_decref(draft->tree);
  return result;
}

/* Members that the reference leaves out of what it writes. */
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

int32_t rebali_write_binding(rebal_detector *detector, const json_t *template_, const json_t *policy,
                             rebal_detector_row *row, rebal_error *err) {
  struct draft draft = {.detector = detector,
                        .template_ = template_,
                        .policy = policy,
                        .is_namespaced = rebali_metadata_text(template_, "namespace")[0] != '\0',
                        .err = err};
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
  if (result == REBAL_OK && before != NULL && rebali_binding_is_foreign(before, template_)) {
    rebali_detector_say(detector, "the binding %s belongs to another object of this name", name);
  } else if (result == REBAL_OK && built != NULL) {
    draft.before = before;
    result = write_draft(&draft, name, built, row);
  }
  json_decref(before);
  json_decref(built);
  free(name);
  return result;
}
