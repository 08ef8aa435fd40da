/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/scenario/scenario.h - a scenario as written (rebalance-scenario(5)): its head, its objects, its steps,
 * and what these expect. Values belong to its documents.
 */
#ifndef REBALI_SIMULATION_SCENARIO_H
#define REBALI_SIMULATION_SCENARIO_H

#include "simulation/controllers/controllers.h"

/* Time between evictions by taints: the default of resource-eviction-rate, 0.5 (rebalance-karmada(7) 10.3). */
#define REBALI_EVICTION_INTERVAL (2 * REBALI_SECOND_NS)
/* Defaults of the descheduler (rebalance-karmada(7) 8). */
#define REBALI_DESCHEDULING_INTERVAL (120 * REBALI_SECOND_NS)
#define REBALI_UNSCHEDULABLE_THRESHOLD (300 * REBALI_SECOND_NS)

/* An object named by kind, namespace and name; the namespace may be "". */
struct rebali_name {
  const char *kind, *namespace_, *name;
};

#define REBALI_MEMBER_CHANGES 10

/* The members of a step; missing ones are NULL. */
struct rebali_scenario_step {
  uint32_t document;  /* from 1 */
  const char *name;   /* "" if it has none */
  rebal_time at;      /* unset: not given */
  int64_t after_ns;   /* before the changes; 0: at once */
  int64_t advance_ns; /* after the changes */
  const rebal_value *apply, *patch, *faults, *scale, *taint, *untaint, *delete, *create, *reconcile, *plan, *expect;
  const char *refused;                               /* expected refusal of the apply; NULL: none */
  const rebal_value *changes[REBALI_MEMBER_CHANGES]; /* of member clusters, by the table of member_steps.c */
};

/* A document with objects that OpenKruise's admission may refuse. */
struct rebali_admitted_document {
  uint32_t number;
  rebal_document *document;
};

struct rebali_scenario {
  char *text; /* as given, a copy */
  size_t text_len;
  rebal_document **documents; /* the head and the steps */
  size_t n_documents, documents_capacity;
  struct rebali_scenario_step *steps;
  size_t n_steps, steps_capacity;
  struct rebali_member_option *members;
  size_t n_members, members_capacity;
  struct rebali_admitted_document *admitted;
  size_t n_admitted, admitted_capacity;
  int64_t ready_after_ns, report_after_ns;
  int64_t max_pods; /* 0: the caller's limit */
  struct rebali_options options;
  const char *level;            /* of rebalance-compat(7); NULL: not given */
  const rebal_value *compat;    /* a map; NULL: not given */
  const rebal_value *workloads; /* a map; NULL: the scenario's own cluster runs nothing */
  int is_paused;                /* controllers run only in steps that run them */
};

/* One check, read from an item of expect. */
struct rebali_expectation {
  struct rebali_name object;    /* kind "": any */
  const rebal_value *placement; /* at least one of these is not NULL */
  const char *field;            /* "": none */
  const rebal_value *equals;
  const rebal_value *event;
  const rebal_value *pods;
  int is_absent;
};

/* ---- reading (scenario.c, scenario_options.c, steps.c, expectations.c) ------------------------------------------- */

/* Reads and checks a whole scenario and applies its objects to the store. Must be disposed of, also after an error. */
int32_t rebali_scenario_read(struct rebali_scenario *scenario, const rebal_manifest_limits *limits, const char *text,
                             size_t len, rebal_store *store, rebal_error *err);
void rebali_scenario_dispose(struct rebali_scenario *scenario);
/* Sets document, line and column of an error whose field is set. */
void rebali_scenario_place(const struct rebali_scenario *scenario, uint32_t document, rebal_error *err);
/* Fills err for a field of a document of the scenario, with line and column. */
int32_t rebali_scenario_fail(const struct rebali_scenario *scenario, uint32_t document, const char *field,
                             rebal_error *err, int32_t code, const char *format, ...) REBALI_PRINTF(6, 7);
/* Passes on an error of the store for objects at a field (such as apply) of a document. */
int32_t rebali_scenario_pass(const struct rebali_scenario *scenario, uint32_t document, const char *field,
                             const rebal_error *local, rebal_error *err);

/* A reader of one map of the scenario (reading.c). */
struct rebali_reading {
  const struct rebali_scenario *scenario;
  uint32_t document;
  const char *prefix; /* path of the map followed by a dot, or "" */
  const rebal_value *map;
  rebal_error *err;
};

/* Returns REBAL_EPARSE if a member is not among n names. */
int32_t rebali_reading_known(const struct rebali_reading *reading, const char *const *names, size_t n);
/* Gets a member of a kind (REBAL_VALUE_KIND_*); *out is NULL if it is absent and not required. */
int32_t rebali_reading_member(const struct rebali_reading *reading, const char *name, uint32_t kind, int is_needed,
                              const rebal_value **out);
/* Gets a text; "" if it is absent. */
int32_t rebali_reading_text(const struct rebali_reading *reading, const char *name, int is_needed, const char **out);
int32_t rebali_reading_duration(const struct rebali_reading *reading, const char *name, int64_t *ns);
int32_t rebali_reading_time(const struct rebali_reading *reading, const char *name, rebal_time *out);
int32_t rebali_reading_fail(const struct rebali_reading *reading, const char *name, const char *message);
int32_t rebali_reading_name(const struct rebali_reading *reading, struct rebali_name *out);
/* Returns REBAL_EPARSE if a text is not a field path; name is the member that holds it. */
int32_t rebali_reading_path(const struct rebali_reading *reading, const char *name, const char *path);
/* Checks that a member, if present, is an integer of at least 0. */
int32_t rebali_reading_count(const struct rebali_reading *reading, const char *name);

/* Reads the options of the head. */
int32_t rebali_scenario_options(struct rebali_scenario *scenario, const struct rebali_reading *reading);
/*
 * Returns the options of rebalance-compat(7) that the head names, on top of the caller's (NULL: defaults); NULL if it
 * names none. The caller frees them, also after an error.
 */
int32_t rebali_scenario_compat(const struct rebali_scenario *scenario, const rebal_compat *base, rebal_compat **out,
                               rebal_error *err);
/*
 * Tests whether the scheduler has a ledger. The option is on by default, but then counts only an existing ledger: a
 * head that names the option decides, otherwise the caller.
 */
int rebali_scenario_has_ledger(const struct rebali_scenario *scenario, int has_caller);
/* Reads a document of kind Step. */
int32_t rebali_step_read(const struct rebali_scenario *scenario, uint32_t document, const rebal_value *map,
                         const rebal_manifest_limits *limits, struct rebali_scenario_step *step, rebal_error *err);
/* Tests whether the step applies a cluster of this name. */
int rebali_step_has_cluster(const struct rebali_scenario_step *step, const char *name);
/* Reads the plan of a step (plan_step.c); drain and lose are lists of names, or NULL. */
struct rebali_plan_words {
  rebal_plan_opts opts; /* without the limit */
  rebal_limit limit;
  int has_limit;
  const rebal_value *drain, *lose;
};
int32_t rebali_plan_words_read(const struct rebali_reading *reading, struct rebali_plan_words *out);
/* Reads the changes of members in a step into step->changes. */
const char *rebali_member_change_name(size_t which);
int32_t rebali_member_changes_read(const struct rebali_reading *outer, struct rebali_scenario_step *step);
/* Reads the i-th item of a step's expect. */
int32_t rebali_expectation_read(const struct rebali_scenario *scenario, const struct rebali_scenario_step *step,
                                size_t i, struct rebali_expectation *out, rebal_error *err);
/* Reads what a step expects of pods (expect_pods.c). */
int32_t rebali_expected_pods_read(const struct rebali_reading *outer, const rebal_value **out);

/* Changes of a step: one map, or a list of maps; the prefix of one in errors is "taint." or "taint[1].". */
size_t rebali_change_count(const rebal_value *value);
const rebal_value *rebali_change_at(const rebal_value *value, size_t i);
void rebali_change_prefix(const rebal_value *value, const char *member, size_t i, char *prefix, size_t size);

/*
 * A taint as kubectl writes it: key=value:Effect, key:Effect, key (untaint only). Members are parts of a text from
 * malloc.
 */
struct rebali_taint_text {
  char *text;
  const char *key;
  const char *value, *effect; /* NULL: not given */
};
int32_t rebali_taint_split(const char *text, int needs_effect, struct rebali_taint_text *out, rebal_error *err);

#endif
