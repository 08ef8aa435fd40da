/* SPDX-License-Identifier: MIT */
/* Builds the spec of the binding of a template and its policy (rebalance-karmada(7) 14.4). */
#include "detector/policy/policy.h"
#include "manifest/schema/kinds.h"

#include <string.h>

struct build {
  rebal_detector *detector;
  const json_t *template_, *policy_spec;
  json_t *spec;
  int is_namespaced, has_failed; /* failed as the reference does, with a message */
  rebal_error *err;
};

static int32_t put_resource(struct build *in) {
  return rebali_put_resource(in->spec, in->template_, 1, in->err);
}

/* Notes the failure of the interpreter; without memory the call fails. */
static int32_t settle(struct build *in, int32_t result, const rebal_error *local) {
  if (result == REBAL_OK || result == REBAL_ENOMEM) {
    return result == REBAL_OK ? REBAL_OK : rebali_fail_memory(in->err);
  }
  in->has_failed = 1;
  rebali_detector_say(in->detector, "%s", local->message);
  return REBAL_OK;
}

static int32_t put_components(struct build *in, const struct rebali_interpret_options *options) {
  rebal_error local = {.struct_size = sizeof local};
  json_t *components = NULL;
  int32_t result =
      settle(in, rebali_interpret(in->template_, REBAL_INTERPRET_COMPONENTS, options, &components, &local), &local);
  if (result == REBAL_OK && json_array_size(components) > 0) {
    return rebali_put(in->spec, "components", components, in->err);
  }
  json_decref(components);
  return result;
}

/* Takes the requirements over. If a quota is estimated, those without a namespace get the template's. */
static int32_t put_requirements(struct build *in, json_t *requirements) {
  const char *namespace_ = rebali_metadata_text(in->template_, "namespace");
  if (rebali_gate_is_on(in->detector, REBAL_DETECTOR_GATE_RESOURCE_QUOTA_ESTIMATE) && namespace_[0] != '\0' &&
      rebali_member_text(requirements, "namespace")[0] == '\0') {
    json_t *own = rebali_copy(requirements);
    int32_t result = rebali_put_text(own, "namespace", namespace_, in->err);
    json_decref(requirements);
    if (result != REBAL_OK) {
      json_decref(own);
      return result;
    }
    requirements = own;
  }
  return rebali_put(in->spec, "replicaRequirements", requirements, in->err);
}

static int32_t put_replicas(struct build *in, const struct rebali_interpret_options *options) {
  rebal_error local = {.struct_size = sizeof local};
  json_t *requirements = NULL;
  int32_t replicas = 0;
  int32_t result =
      settle(in, rebali_interpret_replicas(in->template_, options, &replicas, &requirements, &local), &local);
  if (result == REBAL_OK && !in->has_failed && replicas != 0) {
    result = rebali_put(in->spec, "replicas", json_integer(replicas), in->err);
  }
  if (result == REBAL_OK && !in->has_failed && requirements != NULL) {
    return put_requirements(in, requirements);
  }
  json_decref(requirements);
  return result;
}

static int is_admitted(const struct build *in) {
  return (in->detector->flags & REBAL_DETECTOR_FLAG_ADMISSION) != 0;
}

static int32_t put_interpreted(struct build *in) {
  const struct rebali_interpret_options options = {
      .gates = in->detector->gates,
      .replicas_paths = {in->detector->replicas_paths, in->detector->replicas_paths_len},
  };
  const json_t *given = in->template_;
  const uint32_t operations = rebali_interpret_operations(given, &options);
  json_t *stored = NULL;
  int32_t result = is_admitted(in) ? rebali_admitted_template(given, &stored, in->err) : REBAL_OK;
  in->template_ = stored != NULL ? stored : given;
  if (result != REBAL_OK) {
    in->template_ = given;
  } else if (rebali_gate_is_on(in->detector, REBAL_DETECTOR_GATE_MULTIPLE_POD_TEMPLATES) &&
             (operations & UINT32_C(1) << REBAL_INTERPRET_COMPONENTS) != 0) {
    result = put_components(in, &options);
  } else if ((operations & UINT32_C(1) << REBAL_INTERPRET_REPLICAS) != 0) {
    result = put_replicas(in, &options);
  }
  in->template_ = given;
  json_decref(stored);
  return result;
}

static int32_t put_copies(struct build *in) {
  static const char *const texts[] = {"schedulerName", "conflictResolution"};
  const json_t *placement = rebali_member(in->policy_spec, "placement");
  const json_t *failover = rebali_member(in->policy_spec, "failover");
  const json_t *preserve = rebali_member(in->policy_spec, "preserveResourcesOnDeletion");
  int32_t result =
      rebali_put(in->spec, "placement", placement != NULL ? json_deep_copy(placement) : json_object(), in->err);
  if (result == REBAL_OK && failover != NULL) {
    result = rebali_put(in->spec, "failover", json_deep_copy(failover), in->err);
  }
  for (size_t i = 0; result == REBAL_OK && i < REBALI_COUNT(texts); i++) {
    if (rebali_member_text(in->policy_spec, texts[i])[0] != '\0') {
      result = rebali_put_text(in->spec, texts[i], rebali_member_text(in->policy_spec, texts[i]), in->err);
    }
  }
  if (result == REBAL_OK && json_is_true(rebali_member(in->policy_spec, "propagateDeps"))) {
    result = rebali_put(in->spec, "propagateDeps", json_true(), in->err);
  }
  if (result == REBAL_OK && preserve != NULL) {
    result = rebali_put(in->spec, "preserveResourcesOnDeletion", json_deep_copy(preserve), in->err);
  }
  return result;
}

static int32_t put_suspension(struct build *in) {
  static const char *const members[] = {"dispatching", "dispatchingOnClusters"};
  const json_t *given = rebali_member(in->policy_spec, "suspension");
  json_t *suspension = given != NULL ? rebali_map_at(in->spec, "suspension") : NULL;
  int32_t result = given != NULL && suspension == NULL ? rebali_fail_memory(in->err) : REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < REBALI_COUNT(members); i++) {
    const json_t *member = rebali_member(given, members[i]);
    if (member != NULL) {
      result = rebali_put(suspension, members[i], json_deep_copy(member), in->err);
    }
  }
  return result;
}

static int32_t fail_priority(struct build *in, const char *text, const char *name) {
  in->has_failed = 1;
  rebali_detector_say(in->detector, text, name);
  return REBAL_OK;
}

/* Sets the value of the PriorityClass that the policy names. */
static int32_t put_class(struct build *in, const char *name) {
  const uint32_t found = rebali_store_find_text(in->detector->store, NULL, "PriorityClass", "", name);
  json_t *class = NULL;
  json_t *priority = rebali_map_at(in->spec, "schedulePriority");
  int64_t value;
  int32_t result = priority != NULL ? REBAL_OK : rebali_fail_memory(in->err);
  if (result == REBAL_OK && found == REBAL_NONE) {
    return fail_priority(in, "priorityclasses.scheduling.k8s.io \"%s\" not found", name);
  }
  if (result == REBAL_OK) {
    result = rebali_store_share(in->detector->store, found, &class, in->err);
  }
  value = json_integer_value(rebali_member(class, "value"));
  json_decref(class);
  return result == REBAL_OK && value != 0 ? rebali_put(priority, "priority", json_integer(value), in->err) : result;
}

static int32_t put_priority(struct build *in) {
  const json_t *wish = rebali_member(in->policy_spec, "schedulePriority");
  const char *source = rebali_member_text(wish, "priorityClassSource");
  if (!rebali_gate_is_on(in->detector, REBAL_DETECTOR_GATE_PRIORITY_SCHEDULING) || wish == NULL || !in->is_namespaced ||
      in->has_failed) {
    return REBAL_OK;
  }
  if (strcmp(source, "KubePriorityClass") != 0) {
    return fail_priority(in, "priority classes of the source %s are not supported", source);
  }
  return put_class(in, rebali_member_text(wish, "priorityClassName"));
}

static int32_t put_group(struct build *in, const char *wish, const char *group) {
  const json_t *placement = rebali_member(in->policy_spec, "placement");
  const json_t *affinity = rebali_member(rebali_member(placement, "workloadAffinity"), wish);
  const char *key = rebali_member_text(affinity, "groupByLabelKey");
  const char *value = json_string_value(rebali_label(in->template_, key));
  if (affinity == NULL || value == NULL) {
    return REBAL_OK;
  }
  return rebali_put(rebali_map_at(in->spec, "workloadAffinityGroups"), group, json_sprintf("%s=%s", key, value),
                    in->err);
}

static int32_t put_groups(struct build *in) {
  int32_t result;
  if (!rebali_gate_is_on(in->detector, REBAL_DETECTOR_GATE_WORKLOAD_AFFINITY) || !in->is_namespaced) {
    return REBAL_OK;
  }
  result = put_group(in, "affinity", "affinityGroup");
  return result == REBAL_OK ? put_group(in, "antiAffinity", "antiAffinityGroup") : result;
}

int32_t rebali_build_spec(rebal_detector *detector, const json_t *template_, const json_t *policy, json_t **spec,
                          rebal_error *err) {
  static int32_t (*const steps[])(struct build *) = {put_resource,   put_interpreted, put_copies,
                                                     put_suspension, put_priority,    put_groups};
  struct build in = {.detector = detector,
                     .template_ = template_,
                     .policy_spec = rebali_member(policy, "spec"),
                     .spec = json_object(),
                     .is_namespaced = rebali_metadata_text(template_, "namespace")[0] != '\0',
                     .err = err};
  json_t *admitted = NULL;
  int32_t result = is_admitted(&in) ? rebali_admitted_policy_spec(policy, &admitted, err) : REBAL_OK;
  in.policy_spec = admitted != NULL ? admitted : in.policy_spec;
  for (size_t i = 0; result == REBAL_OK && i < REBALI_COUNT(steps); i++) {
    result = steps[i](&in);
  }
  json_decref(admitted);
  *spec = NULL;
  if (result == REBAL_OK && !in.has_failed) {
    *spec = in.spec;
  } else {
    json_decref(in.spec);
  }
  return result;
}
