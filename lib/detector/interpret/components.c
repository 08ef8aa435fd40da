/* SPDX-License-Identifier: MIT */
/* Reads the components of workloads with several pod templates (rebalance-karmada(7) 15.4). */
#include "detector/interpret/interpret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Appends a component; name and requirements are taken over. */
static void add(struct rebali_interpreting *in, json_t *list, json_t *name, double replicas, json_t *requirements) {
  json_t *component = rebali_new_map(in);
  rebali_set(in, component, "name", name);
  rebali_set(in, component, "replicaRequirements", requirements);
  rebali_set(in, component, "replicas", rebali_new_integer(in, rebali_lua_int32(replicas)));
  rebali_append(in, list, component);
}

static json_t *requirements_of(struct rebali_interpreting *in, const json_t *pod_template) {
  return pod_template != NULL ? rebali_lua_requirements(in, pod_template) : NULL;
}

/* Returns the text of a member; if it is absent or empty, another name with a number. */
static json_t *name_of(struct rebali_interpreting *in, const json_t *map, const char *key, const char *prefix,
                       size_t number) {
  const json_t *given = rebali_lua_get(in, map, key);
  char name[40];
  if (json_string_length(given) > 0) {
    return rebali_share(given);
  }
  (void)snprintf(name, sizeof name, "%s%zu", prefix, number);
  return rebali_new_text(in, name);
}

json_t *rebali_volcano_components(struct rebali_interpreting *in, const json_t *object) {
  const json_t *tasks = rebali_lua_list(in, rebali_lua_find(in, object, "spec.tasks"));
  json_t *list = rebali_new_list(in);
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(tasks); i++) {
    const json_t *task = json_array_get(tasks, i);
    add(in, list, name_of(in, task, "name", "task-", i),
        rebali_lua_number_or(rebali_lua_get(in, task, "minAvailable"), 1),
        rebali_lua_requirements(in, rebali_lua_get(in, task, "template")));
  }
  return rebali_finished(in, list);
}

/* ---- replica specs by name ---- */

static void add_spec(struct rebali_interpreting *in, json_t *list, const char *name, const json_t *spec,
                     double absent) {
  const double replicas = rebali_lua_number_or(rebali_lua_get(in, spec, "replicas"), absent);
  add(in, list, rebali_new_text(in, name), replicas, requirements_of(in, rebali_lua_get(in, spec, "template")));
}

/* names are the keys of the members; component names are in lower case. */
static json_t *listed_specs(struct rebali_interpreting *in, const json_t *object, const char *const *names, size_t n) {
  const json_t *specs = rebali_lua_find(in, object, in->kind->pod_path);
  json_t *list = rebali_new_list(in);
  for (size_t i = 0; in->result == REBAL_OK && specs != NULL && i < n; i++) {
    const json_t *spec = rebali_lua_get(in, specs, names[i]);
    char name[16] = "";
    for (size_t at = 0; names[i][at] != '\0' && at + 1 < sizeof name; at++) {
      name[at] = names[i][at];
      if (name[at] >= 'A' && name[at] <= 'Z') {
        name[at] = (char)(name[at] - 'A' + 'a');
      }
    }
    if (spec != NULL) {
      add_spec(in, list, name, spec, 1);
    }
  }
  return rebali_finished(in, list);
}

json_t *rebali_pytorch_components(struct rebali_interpreting *in, const json_t *object) {
  static const char *const names[] = {"Master", "Worker"};
  return listed_specs(in, object, names, sizeof names / sizeof names[0]);
}

json_t *rebali_tf_components(struct rebali_interpreting *in, const json_t *object) {
  static const char *const names[] = {"PS", "Worker", "Chief", "Master", "Evaluator"};
  return listed_specs(in, object, names, sizeof names / sizeof names[0]);
}

json_t *rebali_mpi_components(struct rebali_interpreting *in, const json_t *object) {
  const json_t *specs = rebali_lua_find(in, object, in->kind->pod_path);
  json_t *list = rebali_new_list(in);
  const char **names = NULL;
  size_t n = 0;
  if (rebali_is_map(specs) && in->result == REBAL_OK) {
    in->result = rebali_object_keys(specs, REBALI_WRITE_SORTED, &names, &n);
    if (in->result != REBAL_OK) {
      in->result = rebali_fail_memory(in->err);
    }
  }
  for (size_t i = 0; in->result == REBAL_OK && i < n; i++) {
    const json_t *spec = rebali_member(specs, names[i]);
    if (spec != NULL && rebali_lua_get(in, spec, "template") != NULL) {
      add_spec(in, list, names[i], spec, strcasecmp(names[i], "worker") == 0 ? 0 : 1);
    }
  }
  free(names);
  return rebali_finished(in, list);
}

/* ---- Ray ---- */

json_t *rebali_ray_components(struct rebali_interpreting *in, const json_t *object) {
  const json_t *cluster = rebali_lua_find(in, object, in->kind->pod_path);
  const json_t *head = rebali_lua_find(in, cluster, "headGroupSpec.template");
  const json_t *groups = rebali_lua_list(in, rebali_lua_find(in, cluster, "workerGroupSpecs"));
  json_t *list = rebali_new_list(in);
  if (head != NULL) {
    add(in, list, rebali_new_text(in, "ray-head"), 1, rebali_lua_requirements(in, head));
  }
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(groups); i++) {
    const json_t *group = json_array_get(groups, i), *replicas = rebali_lua_get(in, group, "replicas");
    add(in, list, name_of(in, group, "groupName", "worker-", i + 1),
        replicas != NULL ? rebali_lua_number(in, replicas) : 0,
        requirements_of(in, rebali_lua_get(in, group, "template")));
  }
  return rebali_finished(in, list);
}
