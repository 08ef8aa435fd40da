/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/simulation.h - private header of the room "simulation". It knows the public headers and libc, nothing
 * else.
 */
#ifndef REBALI_SIMULATION_H
#define REBALI_SIMULATION_H

#include <rebalance/descheduler.h>
#include <rebalance/simulation.h>

#include "json.h"

#include <stddef.h>
#include <stdint.h>

/* The id or handle in a cell; REBAL_NONE: none. */
static inline uint32_t rebali_cell_id(int64_t value) {
  return value == REBAL_ABSENT ? REBAL_NONE : (uint32_t)value;
}

/* One eviction by taints in so long: the default of resource-eviction-rate, 0.5 (spec karmada 10.3). */
#define REBALI_EVICTION_INTERVAL (2 * REBALI_SECOND_NS)
/* Defaults of the descheduler (spec karmada 8). */
#define REBALI_DESCHEDULING_INTERVAL (120 * REBALI_SECOND_NS)
#define REBALI_UNSCHEDULABLE_THRESHOLD (300 * REBALI_SECOND_NS)

/* ---- text (report.c) --------------------------------------------------------------------------------------------- */

/* Appends formatted text. */
int32_t rebali_print(rebal_text *out, rebal_error *err, const char *format, ...) REBALI_PRINTF(3, 4);
/* A copy from malloc, terminated; NULL without memory. */
char *rebali_bytes_copy(const char *bytes, size_t len);

/* ---- time (clock.c) ---------------------------------------------------------------------------------------------- */

/*
 * Reads 30s, 1h30m, 500ms: whole numbers with h, m, s, ms. REBAL_EPARSE when it is none, REBAL_ERANGE beyond 878400h
 * (100 years).
 */
int32_t rebali_duration_parse(struct rebali_slice text, int64_t *ns);
/* Appends nanoseconds as 1h30m, 12s, 5ms. */
int32_t rebali_duration_print(int64_t ns, rebal_text *out, rebal_error *err);
int32_t rebali_time_print(const rebal_time *time, rebal_text *out, rebal_error *err);
/* *earliest becomes the earlier of both; unset times do not count. */
void rebali_time_lower(rebal_time *earliest, const rebal_time *time);
/* Is it set and not after now? */
int rebali_time_is_due(const rebal_time *time, const rebal_time *now);

/* ---- the scenario (scenario.c, step_read.c, expectation.c) ------------------------------------------------------- */

/* An object named by kind, namespace and name. */
struct rebali_name {
  struct rebali_slice kind, space, name; /* JSON strings; space may be absent */
};

#define REBALI_MEMBER_CHANGES 9

/* What a step says; slices point into the documents. */
struct rebali_scenario_step {
  uint32_t document; /* from 1 */
  struct rebali_slice name;
  rebal_time at;      /* unset: none */
  int64_t after_ns;   /* before the changes; 0: at once */
  int64_t advance_ns; /* after the changes */
  struct rebali_slice apply, scale, taint, untaint, delete, expect;
  struct rebali_slice changes[REBALI_MEMBER_CHANGES]; /* of member clusters, by the table of member_steps.c */
};

/* Members that a scenario's options say of one cluster. */
struct rebali_member_option {
  struct rebali_slice cluster; /* key, as between quotes */
  int64_t ready_after_ns;
  struct rebali_slice nodes; /* as they are written; absent: it has none that are known */
};

struct rebali_scenario {
  char *text; /* as given, a copy */
  size_t text_len;
  rebal_text *documents; /* one line of JSON each */
  struct rebali_scenario_step *steps;
  size_t n_steps, steps_capacity;
  struct rebali_member_option *members;
  size_t n_members, members_capacity;
  rebal_time start;
  int64_t ready_after_ns;
  int64_t max_pods; /* 0: the caller's limit */
  rebal_failover_opts failover;
  rebal_deschedule_opts descheduler;
  uint32_t has_descheduler;
  struct rebali_slice level, compat; /* of rebalance-compat(7): a JSON string, a map; absent: nothing said */
  uint32_t has_estimators;           /* of members with nodes, for the scheduler */
  struct rebali_slice workloads;     /* a map; absent: nothing of the scenario's own cluster runs */
};

/* One check, read from an item of expect. */
struct rebali_expectation {
  struct rebali_name object;
  struct rebali_slice placement; /* one of these is there */
  struct rebali_slice field, equals;
  struct rebali_slice event;
  struct rebali_slice pods;
  int is_absent;
};

/* Reads and checks a whole scenario and applies its objects to the store. It is to be disposed of in any case. */
int32_t rebali_scenario_read(struct rebali_scenario *scenario, const rebal_manifest_limits *limits, const char *text,
                             size_t len, rebal_store *store, rebal_error *err);
void rebali_scenario_dispose(struct rebali_scenario *scenario);
/* Sets document, line and column of an error whose field is set. */
void rebali_scenario_place(const struct rebali_scenario *scenario, uint32_t document, rebal_error *err);
/* Fills err for a field of a document of the scenario, with line and column. */
int32_t rebali_scenario_fail(const struct rebali_scenario *scenario, uint32_t document, const char *field,
                             rebal_error *err, int32_t code, const char *format, ...) REBALI_PRINTF(6, 7);
/* Passes an error of the store on for objects that stand at a field (such as apply) of a document. */
int32_t rebali_scenario_pass(const struct rebali_scenario *scenario, uint32_t document, const char *field,
                             const rebal_error *local, rebal_error *err);

/* A reader of one map of the scenario. */
struct rebali_reading {
  const struct rebali_scenario *scenario;
  uint32_t document;
  const char *prefix; /* path of the map with a dot behind it, or "" */
  struct rebali_slice map;
  rebal_error *err;
};

/* REBAL_EPARSE for a member that is not among n names. */
int32_t rebali_reading_known(const struct rebali_reading *reading, const char *const *names, size_t n);
/* A member of a kind; *out.len 0 when absent and not needed. */
int32_t rebali_reading_member(const struct rebali_reading *reading, const char *name, enum rebali_json_kind kind,
                              int is_needed, struct rebali_slice *out);
int32_t rebali_reading_duration(const struct rebali_reading *reading, const char *name, int64_t *ns);
int32_t rebali_reading_time(const struct rebali_reading *reading, const char *name, rebal_time *out);
int32_t rebali_reading_fail(const struct rebali_reading *reading, const char *name, const char *message);
int32_t rebali_reading_name(const struct rebali_reading *reading, struct rebali_name *out);
/* REBAL_EPARSE for a string that is no field path; name is the member it stands in. */
int32_t rebali_reading_path(const struct rebali_reading *reading, const char *name, struct rebali_slice field);
/* A whole number that is not negative, where the member is there. */
int32_t rebali_reading_count(const struct rebali_reading *reading, const char *name);

/* Reads the options of the head (options.c). */
int32_t rebali_scenario_options(struct rebali_scenario *scenario, const struct rebali_reading *reading);
/*
 * The options of rebalance-compat(7) that the head names, upon those of the caller (NULL: defaults); NULL when it names
 * none. The caller's to free, also after an error.
 */
int32_t rebali_scenario_compat(const struct rebali_scenario *scenario, const rebal_compat *base, rebal_compat **out,
                               rebal_error *err);
/* REBAL_ERANGE for replicas below zero in a binding, or in one of a List (object_check.c). */
int32_t rebali_objects_check(const struct rebali_reading *outer);
/*
 * Where the cluster runs workloads: the first thing that OpenKruise's admission refuses in an object or the items of a
 * List (admission.c). is_update: before the store has it, of those that it replaces; else of what it made of it.
 */
int32_t rebali_admit_applied(rebal_simulation *simulation, uint32_t document, const char *field,
                             struct rebali_slice object, int is_update, rebal_error *err);
/* The same of all that the scenario starts with, which the store has. */
int32_t rebali_admit_objects(rebal_simulation *simulation, rebal_error *err);
/* Reads a document of kind Step. */
int32_t rebali_step_read(const struct rebali_scenario *scenario, uint32_t document, struct rebali_slice map,
                         const rebal_manifest_limits *limits, struct rebali_scenario_step *step, rebal_error *err);
/* Does the step apply a cluster of this name, as between quotes? */
int rebali_step_has_cluster(const struct rebali_scenario_step *step, struct rebali_slice name);
/* Reads the i-th item of a step's expect. */
int32_t rebali_expectation_read(const struct rebali_scenario *scenario, const struct rebali_scenario_step *step,
                                size_t i, struct rebali_slice item, struct rebali_expectation *out, rebal_error *err);

/* A taint as kubectl writes it: key=value:Effect, key:Effect, key (untaint only). Slices of a malloc text. */
struct rebali_taint_text {
  char *text;
  struct rebali_slice key, value, effect;
};
int32_t rebali_taint_split(struct rebali_slice json, int needs_effect, struct rebali_taint_text *out, rebal_error *err);

/* ---- the log (log.c, log_write.c) -------------------------------------------------------------------------------- */

enum rebali_log_column {
  REBALI_LOG_TIME,
  REBALI_LOG_STEP,
  REBALI_LOG_CONTROLLER,
  REBALI_LOG_OBJECT,
  REBALI_LOG_CHANGE,
  REBALI_LOG_REASON,
  REBALI_LOG_COLUMNS
};

struct rebali_log_row {
  uint32_t kind;
  size_t at[REBALI_LOG_COLUMNS]; /* offsets of terminated texts */
};

struct rebali_simulation_log {
  struct rebali_log_row *rows;
  size_t n, capacity;
  uint64_t max_rows;
  rebal_text *text;
};

/* ---- state of the run -------------------------------------------------------------------------------------------- */

#define REBALI_WATCHED 11

/* Timers of one object, one for each controller that acts on it. */
enum rebali_timer {
  REBALI_TIMER_SCHEDULER,
  REBALI_TIMER_TAINT,
  REBALI_TIMER_GRACEFUL,
  REBALI_TIMER_REBALANCER,
  REBALI_TIMER_APPLICATION,
  REBALI_TIMER_POD,
  REBALI_TIMER_SPREAD,
  REBALI_TIMER_OWNER,
  REBALI_TIMER_COUNT
};

/* Since when an application is unhealthy in a cluster. */
struct rebali_sighting {
  char *cluster;
  rebal_time since;
};

/* What the failover of applications remembers of a binding. */
struct rebali_sightings {
  struct rebali_sighting *list;
  size_t n, capacity;
};

/* What the simulation keeps of an object, by the store's id. */
struct rebali_tracked {
  char *watched[REBALI_WATCHED];      /* fields as last logged */
  char *version;                      /* resourceVersion as last logged; NULL: never seen */
  rebal_time due[REBALI_TIMER_COUNT]; /* set by rebali_timer_set() alone */
  uint32_t place[REBALI_TIMER_COUNT]; /* in the heap of the timer, from 1; 0: not there */
  int64_t generation;                 /* last one that a controller was told of */
  uint32_t attempts;
  uint64_t order;            /* when it entered the scheduler's queue */
  rebal_time first_examined; /* a cluster with NoExecute taints: the 10 s count from here; off: when that was told */
  uint64_t examined_at;      /* changes of the simulation when its bindings were last examined */
  struct rebali_examination *examination;
  char *reported; /* what the member model last wrote */
  int is_stale;   /* a cluster: what runs in it may have changed since it was summed up */
  int is_joined;  /* a cluster: the members know of it */
  char *told;     /* a cluster: what the queue was told of it */
  struct rebali_sightings unhealthy;
  char *requests;         /* a binding: what one replica asks for, as JSON */
  uint64_t requests_told; /* counts how often that changed; 0: not known yet */
  size_t first_work;      /* a stale cluster: its first work, from 1 */
  char *base;             /* status.resourceSummary.allocated of the scenario, as JSON */
  uint64_t pods_made;     /* names of its pods so far, counted */
  char *revision; /* a workload when first seen: hash of its template and status.updateRevision; "": it has none */
};

/* Objects by id; to be disposed of. */
struct rebali_ids {
  uint32_t *list;
  size_t n, capacity;
};

/* A binding that a tainted cluster is examined for again. */
struct rebali_open {
  uint32_t binding;
  rebal_time due;
};

/* What the taint manager keeps of a tainted cluster. */
struct rebali_examination {
  struct rebali_open *open;
  size_t n_open, open_capacity;
  uint64_t seen; /* changes of the store */
  int is_whole;  /* all bindings in it are examined next */
};

/* Replicas that become ready together. */
struct rebali_starting {
  int64_t replicas;
  rebal_time ready_at;
};

/* The pods of one binding in one cluster. */
struct rebali_work {
  uint32_t binding;
  char *cluster;
  int64_t replicas, ready;
  struct rebali_starting *starting; /* oldest first */
  size_t n_starting, starting_capacity;
  int is_wanted;                     /* scratch of one pass */
  int is_crashing;                   /* none of its pods becomes ready */
  int64_t pending;                   /* pods without a node, as told last */
  uint32_t object;                   /* the cluster's id in the store; REBAL_NONE: not known yet */
  size_t next;                       /* the next one in its cluster, from 1; scratch of one pass */
  struct rebali_resource_list taken; /* by its replicas in all */
  int64_t taken_replicas;            /* of so many */
  uint64_t taken_as;                 /* by what its binding asked for then */
};

/* What a binding has in one cluster; by column: assigned, ready, running. */
struct rebali_share {
  size_t cluster;  /* offset of its name */
  int64_t told[3]; /* in the last row */
  int64_t now[3];
};

/* The shares of one object, by cluster; none when it is no binding. */
struct rebali_object_shares {
  size_t label; /* offset; 0: not there yet */
  struct rebali_share *list;
  size_t n, capacity;
};

struct rebali_share_row {
  rebal_time time;
  uint64_t log_rows;
  size_t binding; /* offset of its label */
  struct rebali_share share;
};

struct rebali_shares {
  struct rebali_share_row *rows;
  size_t n, capacity;
  struct rebali_object_shares *holdings; /* by the store's id */
  size_t n_holdings, holdings_capacity;
  rebal_text *names; /* terminated, "" at 0 */
  uint64_t seen;     /* changes of the store */
};

struct rebali_member;
struct rebali_workloads;

struct rebal_simulation {
  rebal_simulation_opts opts;
  rebal_manifest_limits limits; /* what opts point to, when they do */
  rebal_compat *compat;         /* what the head makes of the caller's; NULL: says nothing of it */
  struct rebali_scenario scenario;
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_feed *feed; /* of its clusters */
  rebal_ctx *ctx;
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_snapshot *queued; /* the clusters as the scheduler's queue saw them last */
  rebal_result *result;
  rebal_builder *builder;
  rebal_observations *observations;
  rebal_text *scratch; /* of the function at hand */
  struct rebali_reads *reads;
  struct rebali_simulation_log log;
  struct rebali_shares shares;
  struct rebali_tracked *tracked;
  size_t n_tracked, tracked_capacity;
  struct rebali_work *works;
  size_t n_works, works_capacity;
  struct rebali_member *members; /* by cluster */
  size_t n_members, members_capacity;
  struct rebali_workloads *workloads; /* NULL: none run */
  struct rebali_ids renewed;          /* bindings that the members are to look at, whether they changed or not */
  rebal_time now;
  uint64_t changes; /* counts what happened; a round without is the last */
  uint64_t order;
  /* Changes of the store that these have seen: the log, the fleet, the queue, the members, their capacity, the
     descheduler, the failover of applications, the taint manager, the evictions, the detector, the taints by
     conditions. */
  uint64_t watched, observed, followed, summed, descheduled, failed_over, examined, assessed, detected;
  uint64_t conditioned;
  struct rebali_ids timers[REBALI_TIMER_COUNT]; /* heaps */
  struct rebali_ids tainted;                    /* clusters that the taint manager looks at */
  uint64_t requests_told;
  rebal_time next_eviction;     /* the pace of evictions by taints */
  rebal_time next_descheduling; /* unset: never */
  struct rebali_ids lacking;    /* bindings that lacked ready replicas when the descheduler looked last */
  int has_new_clusters;         /* that the queue has not been told of */
  uint64_t instants, held, failed;
  size_t next_step;
  int is_loaded, is_broken;
};

/* A text of a row that exists, REBALI_LOG_*. */
const char *rebali_log_text(const rebal_simulation *simulation, size_t row, size_t column);
/* Appends a row at now and of the step at hand. REBAL_ELIMIT when the log is full. */
int32_t rebali_log_append(rebal_simulation *simulation, uint32_t kind, const char *controller, const char *object,
                          const char *change, const char *reason, rebal_error *err);

/* ---- what changed in the store (changes.c) ----------------------------------------------------------------------- */

int32_t rebali_ids_add(struct rebali_ids *ids, uint32_t object, rebal_error *err);
/* By kind, namespace and name, each once; those that are gone first, by id. */
int32_t rebali_ids_sort(rebal_simulation *simulation, struct rebali_ids *ids, rebal_error *err);
void rebali_ids_dispose(struct rebali_ids *ids);
/* What changed after *since, which moves to now; sorted. To be disposed of in any case. */
int32_t rebali_changes_take(rebal_simulation *simulation, uint64_t *since, struct rebali_ids *out, rebal_error *err);
int rebali_object_is_there(rebal_simulation *simulation, uint32_t object);
/* Is it of either kind of binding? */
int rebali_object_is_binding(rebal_simulation *simulation, uint32_t object);

/* ---- timers (timers.c) ------------------------------------------------------------------------------------------- */

/* Makes room for the timers of n objects: REBAL_ENOMEM or REBAL_OK. */
int32_t rebali_timers_reserve(rebal_simulation *simulation, size_t n);
/* Of a tracked object; unset: none. */
void rebali_timer_set(rebal_simulation *simulation, enum rebali_timer timer, uint32_t object, rebal_time due);
/* The earlier of what is set and this. */
void rebali_timer_lower(rebal_simulation *simulation, enum rebali_timer timer, uint32_t object, rebal_time due);
void rebali_timers_forget(rebal_simulation *simulation, uint32_t object);
/* The earliest of all; unset: none. */
rebal_time rebali_timers_next(const rebal_simulation *simulation);
/* Adds the objects that are due, in no order. */
int32_t rebali_timers_due(rebal_simulation *simulation, enum rebali_timer timer, struct rebali_ids *out,
                          rebal_error *err);

/* ---- reading objects (reads.c) ---------------------------------------------------------------------------------- */

struct rebali_reads;
struct rebali_reads *rebali_reads_new(void);
void rebali_reads_free(struct rebali_reads *reads);
/*
 * The text of a store's object at a path, valid until rebali_reads_end(); len 0 when absent. It is that too when memory
 * runs out, which sticks: rebali_reads_end() says so, and nothing of what was made of it may be shown before.
 */
struct rebali_slice rebali_read(const rebal_simulation *simulation, const rebal_store *store, uint32_t object,
                                const char *path);
/* The same of the simulation's own store. */
struct rebali_slice rebali_field(const rebal_simulation *simulation, uint32_t object, const char *path);
/* A read failed some other way. */
void rebali_reads_fail(const rebal_simulation *simulation);
/* Gives back what was read. Returns code or, when that is REBAL_OK and a read failed, REBAL_ENOMEM. */
int32_t rebali_reads_end(rebal_simulation *simulation, int32_t code, rebal_error *err);

/* ---- changes (watch.c) ------------------------------------------------------------------------------------------- */

/* The tracked object with this id, made when new; NULL without memory. */
struct rebali_tracked *rebali_track(rebal_simulation *simulation, uint32_t object);
void rebali_tracked_dispose(struct rebali_tracked *tracked);
/* A field of an object as a copy from malloc; NULL without memory, "" when absent. */
char *rebali_field_copy(rebal_simulation *simulation, uint32_t object, const char *path);
int64_t rebali_field_integer(rebal_simulation *simulation, uint32_t object, const char *path);
int rebali_field_is(rebal_simulation *simulation, uint32_t object, const char *path, const char *text);
/* Kind namespace/name of an object as a copy from malloc. */
char *rebali_object_label(rebal_simulation *simulation, uint32_t object);
/* Logs every watched field of the object that differs from what was logged last; counts as a change. */
int32_t rebali_watch(rebal_simulation *simulation, uint32_t object, const char *controller, const char *reason,
                     rebal_error *err);
/* The same for every object that changed since this was called last. */
int32_t rebali_watch_all(rebal_simulation *simulation, const char *controller, const char *reason, rebal_error *err);
/* What it looks like is not logged; counts as a change. */
int32_t rebali_watch_quietly(rebal_simulation *simulation, uint32_t object, rebal_error *err);
/* Deletes an object, and nothing is logged; the same and logs it. */
int32_t rebali_remove_quietly(rebal_simulation *simulation, uint32_t object, rebal_error *err);
int32_t rebali_remove(rebal_simulation *simulation, uint32_t object, const char *controller, const char *reason,
                      rebal_error *err);
/* People's notation of a JSON value, nothing for an empty list; brief.c says what a format is, NULL: as it is. */
int32_t rebali_brief(const char *format, struct rebali_slice value, rebal_text *out, rebal_error *err);

/* ---- controllers (controllers.c and one file each) --------------------------------------------------------------- */

/* Runs the controllers until all rest. */
int32_t rebali_settle(rebal_simulation *simulation, rebal_error *err);
/* Lets time pass until then, running the controllers whenever one of them is due. */
int32_t rebali_advance(rebal_simulation *simulation, const rebal_time *until, rebal_error *err);

int32_t rebali_detector_run(rebal_simulation *simulation, rebal_error *err);
int32_t rebali_queue_run(rebal_simulation *simulation, rebal_error *err);
int32_t rebali_condition_taints_run(rebal_simulation *simulation, rebal_error *err);
int32_t rebali_taint_manager_run(rebal_simulation *simulation, rebal_error *err);
int32_t rebali_application_failover_run(rebal_simulation *simulation, rebal_error *err);
void rebali_sightings_dispose(struct rebali_sightings *sightings);
void rebali_examination_free(struct rebali_examination *examination);
int32_t rebali_graceful_run(rebal_simulation *simulation, rebal_error *err);
int32_t rebali_rebalancers_run(rebal_simulation *simulation, rebal_error *err);
int32_t rebali_members_run(rebal_simulation *simulation, rebal_error *err);
int32_t rebali_capacity_run(rebal_simulation *simulation, rebal_error *err);
int32_t rebali_descheduler_run(rebal_simulation *simulation, rebal_error *err);
/* Owners of pods, who gives pods nodes, and who looks after WorkloadSpreads; only where the head has workloads. */
int32_t rebali_workloads_run(rebal_simulation *simulation, rebal_error *err);
int32_t rebali_pod_scheduler_run(rebal_simulation *simulation, rebal_error *err);
int32_t rebali_spread_controller_run(rebal_simulation *simulation, rebal_error *err);
/* No controller, but who looks at the end of each round at what bindings have (shares.c). */
int32_t rebali_shares_run(rebal_simulation *simulation, rebal_error *err);
void rebali_shares_dispose(struct rebali_shares *shares);

/* Tells the scheduler's queue what changed since it was told last (queue_events.c). */
int32_t rebali_queue_observe(rebal_simulation *simulation, rebal_error *err);
void rebali_enqueue(rebal_simulation *simulation, uint32_t object);

/* The next binding of either kind after previous; REBAL_NONE at the end. */
uint32_t rebali_next_binding(const rebal_simulation *simulation, uint32_t previous);
uint32_t rebali_next_of(const rebal_simulation *simulation, const char *kind, uint32_t previous);
/* Pods that workloads, or a member with nodes, may have. */
size_t rebali_max_pods(const rebal_simulation *simulation);
/* Feeds the clusters and n bindings of the store into the core and freezes both; objects NULL: all bindings. */
int32_t rebali_feed(rebal_simulation *simulation, const uint32_t *objects, size_t n, rebal_error *err);
/* The two halves of it, between which rows can be added below the bindings. */
int32_t rebali_feed_rows(rebal_simulation *simulation, const uint32_t *objects, size_t n, rebal_error *err);
int32_t rebali_feed_freeze(rebal_simulation *simulation, rebal_error *err);
/* Carries out an action of simulation->result and logs what came of it; observations may be NULL. WAKE does nothing. */
int32_t rebali_carry_out(rebal_simulation *simulation, size_t action, const char *controller, const char *reason,
                         rebal_observations *observations, rebal_error *err);
/* The same for all of its actions, unobserved. */
int32_t rebali_carry_out_all(rebal_simulation *simulation, const char *controller, const char *reason,
                             rebal_error *err);
/* The object that an action of simulation->result is about; REBAL_NONE when it is not in the store. */
uint32_t rebali_action_object(const rebal_simulation *simulation, size_t action);
/* Logs what simulation->result warns of (warnings.c). */
int32_t rebali_warnings_tell(rebal_simulation *simulation, const char *controller, rebal_error *err);
/* The object that a binding is for; REBAL_NONE when it is not in the store. */
uint32_t rebali_resource_of(rebal_simulation *simulation, uint32_t binding);
/* The earliest WAKE among the actions; unset when none. */
rebal_time rebali_wake_of(const rebal_simulation *simulation);
/*
 * The same a second late, for spans that have to be exceeded: at their very end a step of the reference neither acts
 * nor
 * sets another timer, and no timer there comes at the very moment.
 */
rebal_time rebali_late_wake_of(const rebal_simulation *simulation);

/* Pods of works (works.c). */
/* The place of a binding's first work; those of one binding stand together. */
size_t rebali_works_of(const rebal_simulation *simulation, uint32_t binding);
struct rebali_work *rebali_work_find(rebal_simulation *simulation, uint32_t binding, const char *cluster);
int32_t rebali_work_want(rebal_simulation *simulation, uint32_t binding, const char *cluster, int64_t replicas,
                         rebal_error *err);
/* Replicas whose time has come are ready; their bindings are added. */
int32_t rebali_works_ripen(rebal_simulation *simulation, struct rebali_ids *bindings, rebal_error *err);
/*
 * Replicas of a binding that have waited for a node of the cluster since before a time; REBAL_FITS_NO_OPINION where
 * the cluster has no nodes that anybody could ask, REBAL_FITS_FAILED where it is lost.
 */
int64_t rebali_pending_replicas(const rebal_simulation *simulation, uint32_t binding, const char *cluster,
                                const rebal_time *before);
void rebali_work_remove(rebal_simulation *simulation, size_t index);
void rebali_work_dispose(struct rebali_work *work);
/* How long pods of a cluster take to become ready, in nanoseconds. */
int64_t rebali_ready_after(const rebal_simulation *simulation, const char *cluster);
/* From now on its pods are not ready, or become so again. */
int32_t rebali_work_set_health(rebal_simulation *simulation, struct rebali_work *work, int is_healthy,
                               rebal_error *err);

/* What runs in a cluster is to be summed up again. */
void rebali_capacity_touch(rebal_simulation *simulation, const char *cluster);

/* ---- steps (step_run.c, expect.c) -------------------------------------------------------------------------------- */

/* A patch of taints: without those of a key and effect (no effect: any), then the new one when it is added. */
int32_t rebali_taints_write(struct rebali_slice taints, const struct rebali_taint_text *taint, int is_added,
                            size_t *removed, rebal_text *out, rebal_error *err);
int32_t rebali_step_run(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err);
int32_t rebali_expect(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err);
/* The object of a name; a name without namespace is looked for without one, then in "default". */
int32_t rebali_name_find(rebal_simulation *simulation, const struct rebali_name *name, uint32_t *object,
                         rebal_error *err);
/* The binding of a workload, or the object itself when it is one; REBAL_NONE when there is none. */
int32_t rebali_binding_of(rebal_simulation *simulation, uint32_t object, uint32_t *binding, rebal_error *err);
/* Records an event on an object as the recorders of Kubernetes do, a repeated one counted, and logs it. */
int32_t rebali_event_tell(rebal_simulation *simulation, uint32_t object, const char *controller, const char *type,
                          const char *reason, const char *message, rebal_error *err);
/* How often an event was recorded on an object (REBAL_NONE: any); empty texts match everything. */
int64_t rebali_event_count(rebal_simulation *simulation, uint32_t object, const char *type, const char *reason,
                           const char *message);

#endif
