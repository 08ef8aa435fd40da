/* SPDX-License-Identifier: MIT */
/* lib/detector/interpret/interpret.h - the table of kinds and the functions that it names. */
#ifndef REBALI_DETECTOR_INTERPRET_H
#define REBALI_DETECTOR_INTERPRET_H

#include "detector/detector.h"
#include "manifest/patch/document.h"

/*
 * One call. The first failure is kept: after it the functions below do nothing and return NULL, 0 or an absent value,
 * so that formulas check once, at their end.
 */
struct rebali_interpreting {
  int32_t result; /* REBAL_OK, or the first failure */
  rebal_error *err;
  const struct rebali_interpreted *kind;
  const struct rebali_interpret_options *options;
};

/* ---- building (reading.c) ---- */

void rebali_interpreting_fail(struct rebali_interpreting *in, int32_t code, const char *format, ...)
    REBALI_PRINTF(3, 4);
/* Checks a new value that is NULL only without memory. */
json_t *rebali_made(struct rebali_interpreting *in, json_t *value);
json_t *rebali_new_map(struct rebali_interpreting *in);
json_t *rebali_new_list(struct rebali_interpreting *in);
json_t *rebali_new_integer(struct rebali_interpreting *in, int64_t value);
json_t *rebali_new_text(struct rebali_interpreting *in, const char *text);
/* Returns another reference; NULL for NULL. */
json_t *rebali_share(const json_t *value);
/* Copies a map or list; the copy shares the values of its members. */
json_t *rebali_new_copy(struct rebali_interpreting *in, const json_t *value);
/* Sets a member and takes the value over; NULL adds nothing. */
void rebali_set(struct rebali_interpreting *in, json_t *map, const char *key, json_t *value);
void rebali_append(struct rebali_interpreting *in, json_t *list, json_t *value);
/* Returns the tree; after a failure releases it and returns NULL. */
json_t *rebali_finished(const struct rebali_interpreting *in, json_t *tree);

/* ---- typed reading of Kubernetes' own kinds (types.def, typed.c) ---- */

enum rebali_type {
  REBALI_TYPE_NONE, /* kinds that Lua interprets */
#define TYPE(name) REBALI_TYPE_##name,
#define MEMBER(type, name, child, cardinality, flags)
#include "detector/interpret/types.def"
#undef TYPE
#undef MEMBER
  REBALI_TYPES
};

/*
 * Decodes a value as its type does: unknown members and nulls are dropped, also empty values unless they are POINTERs;
 * lists and maps are kept. Numbers are integers. An absent value is an empty struct. Returns a new reference; members
 * of a wrong type give NULL and a failure.
 */
json_t *rebali_decoded(struct rebali_interpreting *in, enum rebali_type type, const json_t *value);
/* Encodes the decoded value as its type does. */
json_t *rebali_encoded(struct rebali_interpreting *in, enum rebali_type type, const json_t *decoded);
/* Returns an integer of a decoded value; 0 if absent. */
int64_t rebali_integer_of(const json_t *decoded, const char *key);

/* ---- reading as Lua does (lua.c) ---- */

/* Returns value[key]. An absent value, a number and a boolean are failures; a text has no members. */
const json_t *rebali_lua_get(struct rebali_interpreting *in, const json_t *value, const char *key);
/* Returns the value at names joined by '.', like value.a.b. */
const json_t *rebali_lua_at(struct rebali_interpreting *in, const json_t *value, const char *path);
/* Like rebali_lua_at(), where the script tests each step: if a step is absent, so is the result. */
const json_t *rebali_lua_find(struct rebali_interpreting *in, const json_t *value, const char *path);
/* Returns the list that a loop iterates over; none if it is absent or a map. */
const json_t *rebali_lua_list(struct rebali_interpreting *in, const json_t *value);
int rebali_lua_is_number(const json_t *value);
/* Returns a number; another value is a failure. */
double rebali_lua_number(struct rebali_interpreting *in, const json_t *value);
/* Returns a number, also from a text that parses as one; another value is a failure. */
double rebali_lua_summand(struct rebali_interpreting *in, const json_t *value);
/* Returns 1 and sets *out for a number or a text that parses as one. */
int rebali_lua_to_number(const json_t *value, double *out);
/* num(v, d) of rebalance-karmada(7) 15.4. */
double rebali_lua_number_or(const json_t *value, double absent);
int rebali_lua_less(struct rebali_interpreting *in, const json_t *left, const json_t *right);
int rebali_lua_equal(const json_t *left, const json_t *right);
int rebali_lua_is_text(const json_t *value, const char *text);
/* Tests whether the value is one of the words of a list, separated by spaces. */
int rebali_lua_is_one_of(const json_t *value, const char *words);
/* Returns the largest integer that is not greater than a value. */
double rebali_floor(double value);
json_t *rebali_new_number(struct rebali_interpreting *in, double value);
/* Truncates toward zero; saturates. */
int32_t rebali_lua_int32(double value);
/* Returns a value without the empty lists and maps below it, as a script's result is converted. */
json_t *rebali_lua_result(struct rebali_interpreting *in, const json_t *value);
/* Returns a whole object as a script returns it: nulls are dropped, and maps with only nulls. */
json_t *rebali_lua_object(struct rebali_interpreting *in, const json_t *value);

/* ---- requirements (requirements.c) ---- */

/* Returns the requirements of a decoded pod spec; NULL: none. is_lua: quantities were written and parsed again. */
json_t *rebali_pod_requirements(struct rebali_interpreting *in, const json_t *pod_spec, int is_lua);
/* Returns the nodeClaim of a decoded pod spec; NULL: none. */
json_t *rebali_node_claim(struct rebali_interpreting *in, const json_t *pod_spec);
/* accurate(t) of rebalance-karmada(7) 15.2. */
json_t *rebali_lua_requirements(struct rebali_interpreting *in, const json_t *pod_template);

/*
 * Builds requirements as a script does (sections.c): nodeSelector, tolerations and affinity of a section (NULL: none)
 * become the nodeClaim, which exists even if they are empty; priorityClassName is copied if it is not empty.
 */
json_t *rebali_section_requirements(struct rebali_interpreting *in, json_t *request, const json_t *section);
/* Adds a quantity to a request; NULL adds nothing. */
void rebali_set_quantity(struct rebali_interpreting *in, json_t *request, const char *name, const json_t *value);

/* ---- the table (kinds.def, kinds.c) ---- */

typedef json_t *rebali_interpretation(struct rebali_interpreting *in, const json_t *object);

struct rebali_interpreted {
  const char *api_version, *kind;
  enum rebali_type type;     /* native kinds: members that it names are checked, and objects are decoded */
  const char *replicas_path; /* for REPLICAS and REVISE */
  const char *pod_path;      /* of a pod template; native: of a pod spec */
  int is_retained;
  rebali_interpretation *replicas, *components, *revise, *health, *aggregate, *status, *dependencies;
  const char *health_words;
  enum rebali_type status_type; /* native kinds */
};

/* For kinds missing from the table that replicas_paths of the options names (replicas_path.c). */
rebali_interpretation rebali_replicas_at_path;
/* Tests whether every entry of KIND=PATH,KIND=PATH is complete, and no path is too long. */
int rebali_replicas_paths_are_valid(struct rebali_text paths);
#define REBALI_REPLICAS_PATH_SIZE 64
/* Copies the path of an object's kind, terminated; returns 0 if the kind is not named. */
int rebali_replicas_path(struct rebali_text paths, const json_t *object, char *path);

/* The rules of the table. none: the operation is not supported. unspecified: not by this library. */
/* replicas.c */
rebali_interpretation rebali_typed_replicas, rebali_job_replicas, rebali_one_pod, rebali_lua_replicas,
    rebali_lua_parallelism, rebali_no_replicas, rebali_workflow_replicas, rebali_one_replica,
    rebali_ray_service_replicas;

/* revise.c */
rebali_interpretation rebali_typed_revise, rebali_lua_revise, rebali_ray_service_revise;

/* health.c */
rebali_interpretation rebali_deployment_health, rebali_replica_set_health, rebali_daemon_set_health, rebali_pod_health,
    rebali_service_health, rebali_balancer_health, rebali_claim_health, rebali_budget_health, rebali_generation_health,
    rebali_united_deployment_health, rebali_lua_daemon_set_health, rebali_broadcast_job_health,
    rebali_sidecar_set_health, rebali_workflow_health, rebali_notebook_health, rebali_true_condition_health,
    rebali_flink_health, rebali_phase_health, rebali_not_failed_health, rebali_begun_health, rebali_ray_cluster_health,
    rebali_ray_job_health, rebali_spark_health, rebali_ready_health, rebali_kyverno_health;

/* aggregate */
rebali_interpretation rebali_deployment_aggregate, rebali_stateful_set_aggregate, rebali_replica_set_aggregate,
    rebali_daemon_set_aggregate, rebali_job_aggregate, rebali_cron_job_aggregate, rebali_pod_aggregate,
    rebali_service_aggregate, rebali_balancer_aggregate, rebali_claim_aggregate, rebali_volume_aggregate,
    rebali_budget_aggregate, rebali_autoscaler_aggregate, rebali_clone_set_aggregate, rebali_lua_stateful_set_aggregate,
    rebali_united_deployment_aggregate, rebali_lua_daemon_set_aggregate;

/* status.c */
rebali_interpretation rebali_deployment_status, rebali_stateful_set_status, rebali_replica_set_status,
    rebali_daemon_set_status, rebali_job_status, rebali_whole_status, rebali_service_status, rebali_budget_status,
    rebali_autoscaler_status;

/* dependencies.c */
rebali_interpretation rebali_pod_dependencies, rebali_stateful_set_dependencies, rebali_ingress_dependencies,
    rebali_service_import_dependencies, rebali_lua_dependencies, rebali_lua_listed_dependencies,
    rebali_sidecar_set_dependencies, rebali_cron_template_dependencies;

/* kinds.c */
rebali_interpretation rebali_none, rebali_unspecified;

/* flink.c */
rebali_interpretation rebali_flink_replicas, rebali_flink_components;

/* components.c */
rebali_interpretation rebali_volcano_components, rebali_pytorch_components, rebali_tf_components, rebali_mpi_components,
    rebali_ray_components;

/* spark.c */
rebali_interpretation rebali_spark_components;

/* Returns NULL for an unknown kind. */
const struct rebali_interpreted *rebali_interpreted_of(const json_t *object);

#endif
