/* SPDX-License-Identifier: MIT */
/* FlinkDeployment: a job manager and task managers (rebalance-karmada(7) 15.4). */
#include "detector/interpret/interpret.h"

static const char *const managers[] = {"jobManager", "taskManager"};

static double job_managers(struct rebali_interpreting *in, const json_t *object) {
  return rebali_lua_number_or(rebali_lua_find(in, object, "spec.jobManager.replicas"), 1);
}

/* Returns the given number, or as many as the parallelism needs with this many slots each. */
static double task_managers(struct rebali_interpreting *in, const json_t *object) {
  const json_t *configuration = rebali_lua_find(in, object, "spec.flinkConfiguration");
  double replicas, parallelism, slots;
  if (rebali_lua_to_number(rebali_lua_find(in, object, "spec.taskManager.replicas"), &replicas)) {
    return replicas;
  }
  if (!rebali_lua_to_number(rebali_lua_find(in, object, "spec.job.parallelism"), &parallelism) ||
      configuration == NULL ||
      !rebali_lua_to_number(rebali_lua_get(in, configuration, "taskmanager.numberOfTaskSlots"), &slots) ||
      (!(slots < 0) && !(slots > 0))) {
    return 1;
  }
  return -rebali_floor(-parallelism / slots);
}

static json_t *component(struct rebali_interpreting *in, const json_t *object, const char *name, const char *section,
                         double replicas) {
  const json_t *manager = rebali_lua_find(in, rebali_lua_get(in, object, "spec"), section);
  const json_t *resource = rebali_lua_find(in, manager, "resource");
  json_t *one = rebali_new_map(in), *request = rebali_new_map(in), *requirements;
  rebali_set_quantity(in, request, "cpu", rebali_lua_find(in, resource, "cpu"));
  rebali_set_quantity(in, request, "memory", rebali_lua_find(in, resource, "memory"));
  requirements = rebali_section_requirements(in, request, rebali_lua_find(in, object, "spec.podTemplate.spec"));
  rebali_set(in, one, "name", rebali_new_text(in, name));
  rebali_set(in, one, "replicas", rebali_new_integer(in, rebali_lua_int32(replicas)));
  rebali_set(in, one, "replicaRequirements", requirements);
  return rebali_finished(in, one);
}

json_t *rebali_flink_components(struct rebali_interpreting *in, const json_t *object) {
  json_t *list = rebali_new_list(in);
  rebali_append(in, list, component(in, object, "jobmanager", managers[0], job_managers(in, object)));
  rebali_append(in, list, component(in, object, "taskmanager", managers[1], task_managers(in, object)));
  return rebali_finished(in, list);
}

static const json_t *resource_of(struct rebali_interpreting *in, const json_t *object, size_t manager,
                                 const char *name) {
  const json_t *section = rebali_lua_find(in, rebali_lua_find(in, object, "spec"), managers[manager]);
  return rebali_lua_find(in, rebali_lua_find(in, section, "resource"), name);
}

/* Returns the larger cpu, compared as numbers. */
static const json_t *larger_cpu(struct rebali_interpreting *in, const json_t *object) {
  const json_t *job = resource_of(in, object, 0, "cpu"), *task = resource_of(in, object, 1, "cpu");
  if (job == NULL || task == NULL) {
    return job != NULL ? job : task;
  }
  return rebali_lua_summand(in, job) > rebali_lua_summand(in, task) ? job : task;
}

/* Returns the larger memory, compared as quantities; if equal, that of the task manager. */
static const json_t *larger_memory(struct rebali_interpreting *in, const json_t *object) {
  const json_t *job = resource_of(in, object, 0, "memory"), *task = resource_of(in, object, 1, "memory");
  rebal_quantity one, other;
  if (job == NULL || task == NULL || in->result != REBAL_OK) {
    return job != NULL ? job : task;
  }
  in->result = rebali_read_quantity(job, NULL, &one, in->err);
  if (in->result == REBAL_OK) {
    in->result = rebali_read_quantity(task, NULL, &other, in->err);
  }
  return in->result == REBAL_OK && rebali_quantity_compare(&one, &other) > 0 ? job : task;
}

json_t *rebali_flink_replicas(struct rebali_interpreting *in, const json_t *object) {
  const double replicas = job_managers(in, object) + task_managers(in, object);
  const json_t *namespace_ = rebali_lua_find(in, object, "metadata.namespace");
  json_t *map = rebali_new_map(in), *request = rebali_new_map(in), *requirements;
  rebali_set_quantity(in, request, "cpu", larger_cpu(in, object));
  rebali_set_quantity(in, request, "memory", larger_memory(in, object));
  requirements = rebali_section_requirements(in, request, rebali_lua_find(in, object, "spec.podTemplate.spec"));
  if (json_string_length(namespace_) > 0) {
    rebali_set(in, requirements, "namespace", rebali_share(namespace_));
  }
  rebali_set(in, map, "replicas", rebali_new_integer(in, rebali_lua_int32(replicas)));
  rebali_set(in, map, "requirements", requirements);
  return rebali_finished(in, map);
}
