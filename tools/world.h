/* SPDX-License-Identifier: MIT */
/*
 * tools/world.h - the objects of the files, what the controllers make of them, and how it is shown.
 *
 * Part of rebalancectl.h, which includes it last.
 */
#ifndef REBALANCECTL_WORLD_H
#define REBALANCECTL_WORLD_H

/* ---- members (member.c): what is below clusters ---- */

struct members {
  rebal_store **stores; /* one for each --member */
  size_t n;
};

/* As struct option.apply. */
const char *apply_member(struct options *options, const char *value);
/* Reads the file of every --member; to be closed whatever it returns. */
enum status members_open(struct members *members, const struct options *options);
/* Puts what was read below the clusters, which are those of the store. */
enum status members_feed(const struct members *members, const struct options *options, const rebal_store *store,
                         rebal_fleet *fleet);
void members_close(struct members *members);

/* ---- decisions (world.c, decide.c) ---- */

/* The objects of the files, and the bindings that follow from them. */
struct world {
  const struct options *options;
  rebal_store *store;
  rebal_detector *detector; /* beside the store */
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
  struct kept_text **texts; /* that world_text() gave */
  size_t *n_absent_uids;    /* NULL: uids of workloads that are absent stay so; else see set_absent_uids() */
  uint64_t explain_rows;    /* rows of explanation that the next decisions leave in result */
};

/* Texts that stay until they are freed. */
struct kept_text;
/* The text of an object at a path, "" when absent; the program ends when memory runs out. */
const char *store_text(const rebal_store *store, uint32_t object, const char *path, struct kept_text **texts);
void free_texts(struct kept_text *texts);

/* An empty world; world_close() also after a failure. */
enum status world_new(struct world *world, const struct options *options);
/* With the objects of the files. */
enum status world_load(struct world *world, const struct options *options);
/* Makes the bindings that follow from n objects; NULL: from all. */
enum status world_derive(const struct world *world, const uint32_t *objects, size_t n);
/* With the objects of the files and all bindings that follow from them. */
enum status world_open(struct world *world, const struct options *options);
void world_close(struct world *world);
/* Objects of a kind, by namespace and name; a list to be freed. */
enum status world_objects(const struct world *world, const char *kind, uint32_t **objects, size_t *n);
/* Bindings of both kinds, in the order of their kinds' names; a list to be freed. */
enum status world_bindings(const struct world *world, uint32_t **objects, size_t *n);
struct binding_names;

/* For words that mean one of n bindings, which must outlive it. names_close() always. */
enum status names_open(const struct world *world, const uint32_t *objects, size_t n, struct binding_names **out);
void names_close(struct binding_names *names);
/*
 * The row of the binding that a word means: its name or its workload's, with namespace and kind or without. The word is
 * of an object of the files; REBAL_NONE: of the command line.
 */
enum status named_binding(struct binding_names *names, const char *word, uint32_t from, size_t *row);
/* How many bindings such a word means, and the row of the first. */
enum status names_count(struct binding_names *names, const char *word, size_t *n, size_t *row);
/*
 * The one binding that such a word means, in a world that was loaded and not derived; REBAL_NONE: it means none or
 * several (derive_meant.c). The bindings of other workloads are not made.
 */
enum status derive_meant(const struct world *world, const char *word, uint32_t *object);
/* Says what is wrong at a path of an object of the files, with its place: STATUS_INPUT. */
enum status complain_of_object(const struct world *world, uint32_t object, const char *path, const char *fault);
/* Text at a path of an object; it holds until the object changes. */
const char *world_text(const struct world *world, uint32_t object, const char *path);
/* Carries out what a step left in world->result. */
enum status world_carry_out(const struct world *world);
/* Kind namespace/name of an object. */
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

/* What the scheduler makes of one binding. */
struct decision {
  uint32_t object;
  int64_t outcome; /* REBAL_OUTCOME_* */
  int64_t reason;  /* REBAL_REASON_* */
  int64_t missing; /* replicas without room, of an answer in part */
  int is_fresh;
  char *affinity;
  char *message;
  struct targets before;
  struct targets after;
};

/*
 * Takes the scheduler's turn for each of the bindings; with is_all schedules them whether or not they are due. What it
 * writes is carried out on the store when is_write is set. The decisions are the caller's, who frees them with
 * decisions_free().
 */
enum status decide(struct world *world, const uint32_t *objects, size_t n, int is_all, int is_write,
                   struct decision **decisions);
/* Are bindings beside one that is decided read? By workload affinity, fingerprints of records and failover. */
int are_others_read(const struct options *options);
/* The two halves of decide(): the library's view of the store as it is, and the turns on it. */
enum status world_feed(struct world *world, const uint32_t *objects, size_t n);
/* Fills world->result by rebal_schedule() when is_all is set, else by rebal_scheduler_step(). */
int32_t world_schedule(const struct world *world, int is_all, const rebal_schedule_opts *opts, rebal_error *err);
enum status decide_fed(struct world *world, const uint32_t *objects, size_t n, int is_all, int is_write,
                       struct decision **decisions);
void decisions_free(struct decision *decisions, size_t n);
/* Writes the calls that decide() makes to the file of --record, each binding's on a line (record.c). */
enum status record_calls(const struct world *world, const uint32_t *objects, size_t n);
/* The same for steps of other controllers; records is NULL without --record, and freed with rebal_text_free(). */
enum status records_open(const struct options *options, rebal_text **records);
/* The call of a step that left its answer in world->result: the rest of it is given. */
enum status records_add(const struct world *world, rebal_recorded_call *made, rebal_text *records);
enum status records_finish(const struct options *options, const rebal_text *records);
/* 1 when the scheduler looked for room and did not find all of it. */
int is_refused(const struct decision *decision);
/* The name of an enumerator (REBAL_ENUM_*), "Unknown" for one that the library does not know. */
const char *enum_text(uint32_t enumeration, int64_t number);
const char *cluster_name(const struct world *world, uint32_t cluster);
/* The id in a cell; REBAL_NONE: none. */
static inline uint32_t id_of(int64_t value) {
  return value == REBAL_ABSENT ? REBAL_NONE : (uint32_t)value;
}

/* ---- decisions as they are read (decision.c) ---- */

/* A table with a row for each. */
enum status decisions_write(const struct world *world, const struct decision *decisions, size_t n, struct output *out);
/* The members that name a binding and its workload. */
void report_binding(struct report *report, const struct world *world, uint32_t object);
/* key as in report_map(). */
void report_decision(struct report *report, const char *key, const struct world *world,
                     const struct decision *decision);

/* ---- steps of controllers (controller_step.c) ---- */

/* A cell of world->result. */
int64_t result_integer(const struct world *world, uint32_t column, size_t row);
/* The first action of a kind for each of n rows of bindings, NO_ACTION where there is none; to be freed. */
#define NO_ACTION SIZE_MAX
size_t *actions_of_rows(const struct world *world, int64_t kind, size_t n);
/* A moment as RFC 3339; "" when it is unset. buffer has TIME_CAPACITY bytes. */
#define TIME_CAPACITY 48
const char *time_text(const rebal_time *time, char *buffer);
/* Every binding of the files, or of --namespace; there must be one. A list to be freed. */
enum status some_bindings(const struct world *world, uint32_t **objects, size_t *n);

/* ---- what estimators say of replicas that cannot be scheduled (unschedulable.c) ---- */

struct estimators;

/* Reads the objects of kind UnschedulableReplicas; objects are the rows of the bindings. estimators_free() always. */
enum status estimators_read(const struct world *world, const uint32_t *objects, size_t n, struct estimators **out);
void estimators_free(struct estimators *estimators);
/* As the library takes them; they live as long as estimators. */
const rebal_estimator *const *estimators_list(const struct estimators *estimators, size_t *n);
const char *estimator_name(const struct estimators *estimators, int64_t index);

/* ---- PodDisruptionBudgets (budgets.c) ---- */

struct budgets {
  rebal_builder **builders; /* each has its record's memory */
  const rebal_record **records;
  size_t n;
};

/* budgets_free() always. */
enum status budgets_read(const struct world *world, struct budgets *budgets);
void budgets_free(struct budgets *budgets);

/* ---- what steps warn of (warnings.c) ---- */

/* A row of table WARNING. */
struct warning {
  uint32_t object;
  size_t row;
  size_t order;  /* among all warnings */
  char *cluster; /* "" when all of the binding is meant */
  const char *controller;
  char *name; /* a row of rebalance-compat(7) */
  int64_t replicas;
};

struct warnings {
  struct warning *items;
  size_t n;
};

/* Appends those in world->result; objects are the rows of the bindings. warnings_free() always. */
enum status warnings_note(const struct world *world, const uint32_t *objects, const char *controller,
                          struct warnings *warnings);
/* By binding; of one binding as they came. */
void warnings_sort(struct warnings *warnings);
void warnings_free(struct warnings *warnings);
/* A table below another one; nothing when there are none. */
enum status warnings_write(const struct world *world, const struct warnings *warnings, struct output *out);
/* The member "warnings", a list. */
void report_warnings(struct report *report, const struct world *world, const struct warnings *warnings);

/* ---- failover (unhealthy.c, failover_turns.c) ---- */

/* What one controller does about a binding in one cluster. */
struct turn {
  uint32_t object;
  size_t row;
  size_t order;  /* among all turns */
  char *cluster; /* "" when all of the binding is meant, here and below */
  const char *controller;
  const char *result;
  int64_t replicas; /* REBAL_ABSENT: nobody knows */
  rebal_time next;  /* when the controller looks again; unset: no timer */
  char *message;
};

struct turns {
  struct turn *items;
  size_t n;
  size_t capacity;
};

/* What is unhealthy was so since a moment, as the failover of applications remembers it. Clusters: ids are below n. */
int32_t remember_unhealthy(const rebal_time *since, uint32_t n, rebal_bindings *bindings, rebal_error *err);
/* The turns of all controllers, one after the other, carried out on the store; by binding. turns_free() always. */
enum status failover_turns(struct world *world, const uint32_t *objects, size_t n, struct turns *turns,
                           struct warnings *warnings, rebal_text *records);
void turns_free(struct turns *turns);
/* Why there are no turns. */
enum status failover_write_nothing(const struct world *world, const uint32_t *objects, size_t n, struct output *out);

/* ---- explanations (explain_cells.c, explain_policy.c, explain_report.c) ---- */

/* A cell of EXPLAIN or EXPLAIN_COUNT in world->result; REBAL_ABSENT where there is none. */
int64_t explain_integer(const struct world *world, uint32_t column, size_t row);
/* The same in words, for columns that are no plain numbers; empty where there is none. */
const char *explain_text(const struct world *world, uint32_t column, size_t row);
int explain_is_number(uint32_t column);
/* The name of a column in reports. */
const char *explain_key(uint32_t column, char *buffer, size_t capacity);
/* Is the row of the cluster of --cluster? A row of no cluster is of all. */
int explain_is_shown(const struct world *world, size_t row);
/* The policy of a binding's workload, and what was decisive: as a line, as a map "policy"; none where none is known. */
enum status explain_put_policy(const struct world *world, uint32_t binding, struct output *line);
enum status explain_report_policy(const struct world *world, uint32_t binding, struct report *report);
/* due: what the scheduler does by itself. */
enum status explain_report(const struct world *world, const struct decision *due, const struct decision *decision,
                           struct output *out);

/* ---- changes (changes.c) ---- */

/* One cluster before and after a decision. */
struct change {
  uint32_t cluster;
  int was_there;
  int is_there;
  int32_t before;
  int32_t after;
};

/* By the clusters' names; a list to be freed, NULL when memory ran out. */
struct change *changes_of(const struct world *world, const struct decision *decision, size_t *n);
/* Replicas that leave one cluster and appear in another. */
int64_t moved_replicas(const struct change *changes, size_t n);

/* ---- rebalancers (apply_rebalancer.c) ---- */

/* A workload that a WorkloadRebalancer names, as its status tells of it. */
struct workload {
  char *api_version;
  char *kind;
  char *namespace_;
  char *name;
  char *result;
  char *reason;
  uint32_t triggered; /* its binding, when this run triggered it; else REBAL_NONE */
};

/* What one WorkloadRebalancer did. */
struct rebalancer {
  uint32_t object;
  int is_deleted; /* its time to live is over */
  struct workload *workloads;
  size_t n;
  uint32_t *triggered; /* bindings */
  size_t n_triggered;
};

/* Runs the WorkloadRebalancer on the store until it rests. rebalancer->object is given, the rest is filled. */
enum status rebalancer_carry_out(struct world *world, struct rebalancer *rebalancer);
void rebalancer_dispose(struct rebalancer *rebalancer);

#endif
