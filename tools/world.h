/* SPDX-License-Identifier: MIT */
/*
 * tools/world.h - the objects of the files, the results of controllers, and their output.
 *
 * Part of rebalancectl.h, which includes it last.
 */
#ifndef REBALANCECTL_WORLD_H
#define REBALANCECTL_WORLD_H

/* ---- members (member.c): objects of member clusters ---- */

struct members {
  rebal_store **stores; /* one for each --member */
  size_t n;
};

/* As struct option.apply. */
const char *apply_member(struct options *options, const char *value);
/* Reads the file of every --member. Must be closed in any case. */
enum status members_open(struct members *members, const struct options *options);
/* Attaches the objects to the clusters, which are those of the store. */
enum status members_feed(const struct members *members, const struct options *options, const rebal_store *store,
                         rebal_fleet *fleet);
void members_close(struct members *members);

/* ---- decisions (world.c, decide.c) ---- */

/* The objects of the files, and the bindings made from them. */
struct world {
  const struct options *options;
  rebal_store *store;
  rebal_detector *detector; /* of the store */
  struct loaded loaded;
  struct members members;
  rebal_fleet *fleet;
  rebal_snapshot *snapshot;     /* NULL before the first decision */
  rebal_bindings *known;        /* all bindings */
  rebal_bindings *some;         /* those decided, when they are not all */
  const rebal_bindings *chosen; /* those decided: one of the two above */
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_builder *builder;
  struct kept_text **texts; /* returned by world_text() */
  size_t *n_absent_uids;    /* NULL: absent uids of workloads stay absent; else see set_absent_uids() */
  uint64_t explain_rows;    /* rows of explanation of the next decisions in result */
};

/* Texts that stay valid until they are freed. */
struct kept_text;
/* The text of an object at a path, "" if absent; ends the program if out of memory. */
const char *store_text(const rebal_store *store, uint32_t object, const char *path, struct kept_text **texts);
void free_texts(struct kept_text *texts);

/* Opens an empty world. Call world_close() also after a failure. */
enum status world_new(struct world *world, const struct options *options);
/* Opens a world with the objects of the files. */
enum status world_load(struct world *world, const struct options *options);
/* Makes the bindings of n objects; NULL: of all. */
enum status world_derive(const struct world *world, const uint32_t *objects, size_t n);
/* Opens a world with the objects of the files and all bindings made from them. */
enum status world_open(struct world *world, const struct options *options);
void world_close(struct world *world);
/* Lists objects of a kind, by namespace and name. The caller frees the list. */
enum status world_objects(const struct world *world, const char *kind, uint32_t **objects, size_t *n);
/* Lists bindings of both kinds, in the order of the names of the kinds. The caller frees the list. */
enum status world_bindings(const struct world *world, uint32_t **objects, size_t *n);
struct binding_names;

/* An index of the names of n bindings, which must outlive it. Call names_close() in any case. */
enum status names_open(const struct world *world, const uint32_t *objects, size_t n, struct binding_names **out);
void names_close(struct binding_names *names);
/*
 * Finds the row of the binding of a name: its own or that of its workload, with or without namespace and kind. The name
 * is from an object of the files; REBAL_NONE: from the command line.
 */
enum status named_binding(struct binding_names *names, const char *word, uint32_t from, size_t *row);
/* Counts the bindings of such a name, and sets the row of the first. */
enum status names_count(struct binding_names *names, const char *word, size_t *n, size_t *row);
/*
 * The only binding of such a name, in a world that is loaded and not derived; REBAL_NONE: it matches none or
 * several (derive_meant.c). The bindings of other workloads are not made.
 */
enum status derive_meant(const struct world *world, const char *word, uint32_t *object);
/* Prints an error at a path of an object of the files, with its place, and returns STATUS_INPUT. */
enum status complain_of_object(const struct world *world, uint32_t object, const char *path, const char *fault);
/* Text at a path of an object; valid until the object changes. */
const char *world_text(const struct world *world, uint32_t object, const char *path);
/* Applies the actions of a step in world->result to the store. */
enum status world_carry_out(const struct world *world);
/* Appends kind namespace/name of an object. */
void put_object(struct output *out, const struct world *world, uint32_t object);
/* Appends the objects to out as YAML documents or a JSON List. */
enum status world_write(const struct world *world, const uint32_t *objects, size_t n, struct output *out);

struct target {
  uint32_t cluster;
  int32_t replicas;
};

struct targets {
  struct target *items;
  size_t n;
};

/* The decision of the scheduler for one binding. */
struct decision {
  uint32_t object;
  int64_t outcome; /* REBAL_OUTCOME_* */
  int64_t reason;  /* REBAL_REASON_* */
  int64_t missing; /* replicas without capacity, of a partial placement */
  int is_fresh;
  char *affinity;
  char *message;
  struct targets before;
  struct targets after;
};

/*
 * Runs a scheduler step for each of the bindings; with is_all schedules them whether or not they are due. With
 * is_write applies its actions to the store. The caller frees the decisions with
 * decisions_free().
 */
enum status decide(struct world *world, const uint32_t *objects, size_t n, int is_all, int is_write,
                   struct decision **decisions);
/* Does a decision read other bindings? Workload affinity, fingerprints of records and failover do. */
int are_others_read(const struct options *options);
/* The two parts of decide(): the snapshot of the store, and the scheduler steps on it. */
enum status world_feed(struct world *world, const uint32_t *objects, size_t n);
/* Fills world->result by rebal_schedule() when is_all is set, else by rebal_scheduler_step(). */
int32_t world_schedule(const struct world *world, int is_all, const rebal_schedule_opts *opts, rebal_error *err);
enum status decide_fed(struct world *world, const uint32_t *objects, size_t n, int is_all, int is_write,
                       struct decision **decisions);
void decisions_free(struct decision *decisions, size_t n);
/* Writes the calls of decide() to the file of --record, one line per binding (record.c). */
enum status record_calls(const struct world *world, const uint32_t *objects, size_t n);
/* The same for steps of other controllers; records is NULL without --record, else freed with rebal_text_free(). */
enum status records_open(const struct options *options, rebal_text **records);
/* Records the call of a step with its result in world->result. */
enum status records_add(const struct world *world, rebal_recorded_call *made, rebal_text *records);
enum status records_finish(const struct options *options, const rebal_text *records);
/* Did the scheduler not find capacity for all replicas? */
int is_refused(const struct decision *decision);
/* The name of an enumerator (REBAL_ENUM_*), "Unknown" if the library does not define it. */
const char *enum_text(uint32_t enumeration, int64_t number);
const char *cluster_name(const struct world *world, uint32_t cluster);
/* The id in a cell; REBAL_NONE: none. */
static inline uint32_t id_of(int64_t value) {
  return value == REBAL_ABSENT ? REBAL_NONE : (uint32_t)value;
}

/* ---- output of decisions (decision.c) ---- */

/* Appends a table with a row for each. */
enum status decisions_write(const struct world *world, const struct decision *decisions, size_t n, struct output *out);
/* Writes the members that name a binding and its workload. */
void report_binding(struct report *report, const struct world *world, uint32_t object);
/* key as in report_map(). */
void report_decision(struct report *report, const char *key, const struct world *world,
                     const struct decision *decision);

/* ---- steps of controllers (controller_step.c) ---- */

/* A cell of world->result. */
int64_t result_integer(const struct world *world, uint32_t column, size_t row);
/* The first action of a kind for each of n rows of bindings, NO_ACTION if none. The caller frees the list. */
#define NO_ACTION SIZE_MAX
size_t *actions_of_rows(const struct world *world, int64_t kind, size_t n);
/* A time as RFC 3339; "" if it is unset. buffer has TIME_CAPACITY bytes. */
#define TIME_CAPACITY 48
const char *time_text(const rebal_time *time, char *buffer);
/* Lists every binding of the files, or of --namespace; at least one must exist. The caller frees the list. */
enum status some_bindings(const struct world *world, uint32_t **objects, size_t *n);

/* ---- unschedulable replicas reported by estimators (unschedulable.c) ---- */

struct estimators;

/* Reads the UnschedulableReplicas; objects are the rows of the bindings. Call estimators_free() in any case. */
enum status estimators_read(const struct world *world, const uint32_t *objects, size_t n, struct estimators **out);
void estimators_free(struct estimators *estimators);
/* The arguments for the library, with the lifetime of estimators. */
const rebal_estimator *const *estimators_list(const struct estimators *estimators, size_t *n);
const char *estimator_name(const struct estimators *estimators, int64_t index);

/* ---- PodDisruptionBudgets (budgets.c) ---- */

struct budgets {
  rebal_builder **builders; /* each owns the memory of its record */
  const rebal_record **records;
  size_t n;
};

/* Call budgets_free() in any case. */
enum status budgets_read(const struct world *world, struct budgets *budgets);
void budgets_free(struct budgets *budgets);

/* ---- warnings of steps (warnings.c) ---- */

/* A row of table WARNING. */
struct warning {
  uint32_t object;
  size_t row;
  size_t order;  /* among all warnings */
  char *cluster; /* "" for the whole binding */
  const char *controller;
  char *name; /* a row of rebalance-compat(7) */
  int64_t replicas;
};

struct warnings {
  struct warning *items;
  size_t n;
};

/* Appends the warnings in world->result; objects are the rows of the bindings. Call warnings_free() in any case. */
enum status warnings_note(const struct world *world, const uint32_t *objects, const char *controller,
                          struct warnings *warnings);
/* Sorts by binding; those of one binding stay in the order in which they were added. */
void warnings_sort(struct warnings *warnings);
void warnings_free(struct warnings *warnings);
/* Appends a table below another one; nothing if there are none. */
enum status warnings_write(const struct world *world, const struct warnings *warnings, struct output *out);
/* Writes the member "warnings", a list. */
void report_warnings(struct report *report, const struct world *world, const struct warnings *warnings);

/* ---- failover (unhealthy.c, failover_turns.c) ---- */

/* What one controller does to a binding in one cluster. */
struct turn {
  uint32_t object;
  size_t row;
  size_t order;  /* among all turns */
  char *cluster; /* "" for the whole binding, here and below */
  const char *controller;
  const char *result;
  int64_t replicas; /* REBAL_ABSENT: unknown */
  rebal_time next;  /* next check of the controller; unset: no timer */
  char *message;
};

struct turns {
  struct turn *items;
  size_t n;
  size_t capacity;
};

/* Adds the unhealthy applications with their start time to the state of application failover. Ids are below n. */
int32_t remember_unhealthy(const rebal_time *since, uint32_t n, rebal_bindings *bindings, rebal_error *err);
/* Runs all controllers in order on the store; turns are sorted by binding. Call turns_free() in any case. */
enum status failover_turns(struct world *world, const uint32_t *objects, size_t n, struct turns *turns,
                           struct warnings *warnings, rebal_text *records);
void turns_free(struct turns *turns);
/* Appends why there are no turns. */
enum status failover_write_nothing(const struct world *world, const uint32_t *objects, size_t n, struct output *out);

/* ---- explanations (explain_cells.c, explain_policy.c, explain_report.c) ---- */

/* A cell of EXPLAIN or EXPLAIN_COUNT in world->result; REBAL_ABSENT if absent. */
int64_t explain_integer(const struct world *world, uint32_t column, size_t row);
/* The same as a name, for columns that are not plain numbers; empty if absent. */
const char *explain_text(const struct world *world, uint32_t column, size_t row);
int explain_is_number(uint32_t column);
/* The name of a column in reports. */
const char *explain_key(uint32_t column, char *buffer, size_t capacity);
/* Is the row of the cluster of --cluster? A row without a cluster is of all. */
int explain_is_shown(const struct world *world, size_t row);
/* The policy of the workload of a binding, and why it was selected: as a line, as a map "policy"; none if unknown. */
enum status explain_put_policy(const struct world *world, uint32_t binding, struct output *line);
enum status explain_report_policy(const struct world *world, uint32_t binding, struct report *report);
/* due: the decision of the scheduler without --all. */
enum status explain_report(const struct world *world, const struct decision *due, const struct decision *decision,
                           struct output *out);

/* ---- changes (changes.c) ---- */

/* One cluster before and after a decision. */
struct change {
  uint32_t cluster;
  int was_present;
  int is_present;
  int32_t before;
  int32_t after;
};

/* Sorted by the names of clusters. The caller frees the list; NULL if out of memory. */
struct change *changes_of(const struct world *world, const struct decision *decision, size_t *n);
/* Replicas that leave one cluster and appear in another. */
int64_t moved_replicas(const struct change *changes, size_t n);

/* ---- rebalancers (apply_rebalancer.c) ---- */

/* A workload in the status of a WorkloadRebalancer. */
struct workload {
  char *api_version;
  char *kind;
  char *namespace_;
  char *name;
  char *result;
  char *reason;
  uint32_t triggered; /* its binding, when this run triggered it; else REBAL_NONE */
};

/* The result of one WorkloadRebalancer. */
struct rebalancer {
  uint32_t object;
  int is_deleted; /* its TTL has expired */
  struct workload *workloads;
  size_t n;
  uint32_t *triggered; /* bindings */
  size_t n_triggered;
};

/* Runs the WorkloadRebalancer on the store until it is finished. Reads rebalancer->object and sets the rest. */
enum status rebalancer_carry_out(struct world *world, struct rebalancer *rebalancer);
void rebalancer_dispose(struct rebalancer *rebalancer);

#endif
