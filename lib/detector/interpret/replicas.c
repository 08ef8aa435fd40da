/* SPDX-License-Identifier: MIT */
/* Reads the replicas of workloads and the requirements of one replica (rebalance-karmada(7) 15.3, 15.4). */
#include "detector/interpret/interpret.h"

#include <string.h>

/* Builds the answer and takes the requirements over. */
static json_t *answer(struct rebali_interpreting *in, int32_t replicas, json_t *requirements) {
  json_t *map = rebali_new_map(in);
  rebali_set(in, map, "replicas", rebali_new_integer(in, replicas));
  rebali_set(in, map, "requirements", requirements);
  return rebali_finished(in, map);
}

/* ---- native kinds: the object is decoded ---- */

static json_t *typed_answer(struct rebali_interpreting *in, const json_t *object, int64_t replicas) {
  return answer(in, (int32_t)replicas, rebali_pod_requirements(in, rebali_value_at(object, in->kind->pod_path), 0));
}

json_t *rebali_typed_replicas(struct rebali_interpreting *in, const json_t *object) {
  return typed_answer(in, object, json_integer_value(rebali_value_at(object, in->kind->replicas_path)));
}

json_t *rebali_job_replicas(struct rebali_interpreting *in, const json_t *object) {
  const json_t *completions = rebali_value_at(object, "spec.completions");
  const int64_t replicas = json_integer_value(rebali_value_at(object, in->kind->replicas_path));
  const int is_limited = completions != NULL && json_integer_value(completions) < replicas;
  return typed_answer(in, object, is_limited ? json_integer_value(completions) : replicas);
}

json_t *rebali_one_pod(struct rebali_interpreting *in, const json_t *object) {
  return typed_answer(in, object, 1);
}

/* ---- kinds of scripts ---- */

static json_t *lua_answer(struct rebali_interpreting *in, const json_t *object, double replicas) {
  return answer(in, rebali_lua_int32(replicas),
                rebali_lua_requirements(in, rebali_lua_at(in, object, in->kind->pod_path)));
}

json_t *rebali_lua_replicas(struct rebali_interpreting *in, const json_t *object) {
  return lua_answer(in, object, rebali_lua_number(in, rebali_lua_at(in, object, in->kind->replicas_path)));
}

/* Returns spec.parallelism, or 1 if it is absent. */
static double parallelism_of(struct rebali_interpreting *in, const json_t *object) {
  const json_t *parallelism = rebali_lua_at(in, object, in->kind->replicas_path);
  return parallelism != NULL ? rebali_lua_number(in, parallelism) : 1;
}

json_t *rebali_lua_parallelism(struct rebali_interpreting *in, const json_t *object) {
  return lua_answer(in, object, parallelism_of(in, object));
}

json_t *rebali_one_replica(struct rebali_interpreting *in, const json_t *object) {
  return lua_answer(in, object, 1);
}

json_t *rebali_no_replicas(struct rebali_interpreting *in, const json_t *object) {
  (void)object;
  return answer(in, 0, NULL);
}

json_t *rebali_workflow_replicas(struct rebali_interpreting *in, const json_t *object) {
  static const char *const keys[] = {"affinity", "nodeSelector", "tolerations"};
  const double replicas = parallelism_of(in, object);
  json_t *pod_template = rebali_new_map(in), *pod_spec = rebali_new_map(in), *result;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    rebali_set(in, pod_spec, keys[i], rebali_share(rebali_lua_get(in, rebali_lua_get(in, object, "spec"), keys[i])));
  }
  rebali_set(in, pod_template, "spec", pod_spec);
  result = answer(in, rebali_lua_int32(replicas), rebali_lua_requirements(in, pod_template));
  json_decref(pod_template);
  return result;
}

/* ---- RayService ---- */

static int quantity_at(struct rebali_interpreting *in, const json_t *requirements, const char *name,
                       rebal_quantity *out) {
  const json_t *value = rebali_member(rebali_member(requirements, "resourceRequest"), name);
  if (value == NULL || in->result != REBAL_OK) {
    return 0;
  }
  in->result = rebali_read_quantity(value, NULL, out, in->err);
  return in->result == REBAL_OK;
}

/* Raises a resource of the requirements to the larger amount of both. The caller must own the requirements. */
static void raise(struct rebali_interpreting *in, json_t *requirements, const char *name, const json_t *other) {
  rebal_quantity mine, theirs;
  json_t *request;
  if (!quantity_at(in, other, name, &theirs) ||
      (quantity_at(in, requirements, name, &mine) && rebali_quantity_compare(&mine, &theirs) >= 0)) {
    return;
  }
  request = rebali_member(requirements, "resourceRequest");
  if (request == NULL) {
    request = rebali_new_map(in);
    rebali_set(in, requirements, "resourceRequest", request);
  }
  if (in->result == REBAL_OK) {
    rebali_set(in, request, name, rebali_share(rebali_member(rebali_member(other, "resourceRequest"), name)));
  }
}

json_t *rebali_ray_service_replicas(struct rebali_interpreting *in, const json_t *object) {
  const json_t *cluster = rebali_lua_find(in, object, "spec.rayClusterConfig");
  const json_t *head = rebali_lua_find(in, cluster, "headGroupSpec.template");
  const json_t *groups;
  json_t *requirements;
  double replicas = 1;
  if (head == NULL) {
    return answer(in, 0, NULL);
  }
  requirements = rebali_lua_requirements(in, head);
  groups = rebali_lua_list(in, rebali_lua_get(in, cluster, "workerGroupSpecs"));
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(groups); i++) {
    const json_t *group = json_array_get(groups, i);
    const json_t *count = rebali_lua_get(in, group, "replicas"), *pod_template = rebali_lua_get(in, group, "template");
    replicas += count != NULL ? rebali_lua_summand(in, count) : 0;
    if (pod_template != NULL) {
      json_t *needed = rebali_lua_requirements(in, pod_template);
      if (requirements != NULL) {
        raise(in, requirements, "cpu", needed);
        raise(in, requirements, "memory", needed);
      }
      json_decref(needed);
    }
  }
  return answer(in, rebali_lua_int32(replicas), requirements);
}
