/* SPDX-License-Identifier: MIT */
/*
 * tools/rebalancectl.h - the command line over the library. It sees only the installed headers.
 *
 * A verb computes its whole answer into an output before a byte is written, so that a refused input leaves standard
 * output empty. Functions that give an enum status have told the user on standard error when it is STATUS_USAGE or
 * STATUS_INPUT.
 *
 * Included first: it says which POSIX the system's headers show.
 */
#ifndef REBALANCECTL_H
#define REBALANCECTL_H

#define _POSIX_C_SOURCE 200809L

#include <rebalance/descheduler.h>
#include <rebalance/detector.h>

/* Exit codes. */
enum status {
  STATUS_DONE = 0,
  STATUS_CANNOT = 1, /* answered: a workload does not fit, an expectation failed */
  STATUS_USAGE = 2,
  STATUS_INPUT = 3 /* input refused, or the answer could not be written */
};

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_YAML };

#include "detector.h"
#include "progress.h"

/* ---- messages (message.c) ---- */

/* One line on standard error; control characters of names and texts are escaped. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
/* FILE:LINE:COLUMN: field: message, as far as they are known. */
enum status complain_of_file(const char *file, const rebal_error *err);
/* A failure that no file explains. */
enum status complain_of_call(const rebal_error *err);
enum status complain_of_memory(void);
/* A copy in which nothing moves the cursor, to be freed; NULL when memory ran out. */
char *escaped(const char *text);
/* 1 when the character at bytes, *size bytes long, would act on a terminal. */
int is_control(const char *bytes, size_t len, size_t *size);

/* ---- the command line (options.c, help.c, main.c) ---- */

struct options {
  const struct verb *verb;      /* NULL: none, for --help and --version */
  const struct verb *explained; /* operand of help; NULL: the tool */
  enum format format;
  int has_format;
  int wants_help;
  int wants_version;
  int is_all;
  int is_write;
  int is_fresh;
  const char *spread; /* name of a WorkloadSpread; NULL: any */
  int has_create;
  uint64_t create; /* pods */
  int has_scale;
  uint64_t scale; /* replicas */
  int is_rollout;
  const char *object; /* operand in front of the files, for verbs with OPTIONS_BINDING */
  int is_strict;
  int is_check;
  int drops_comments;
  int has_compat_option;
  int has_ledger;     /* gate-overcommit-protection was set: decisions see what the ones before them took */
  const char *record; /* file for records; NULL: none */
  const char *html;   /* file for a page; NULL: none */
  const char *states; /* file for the objects after each step, "-": standard output; NULL: none */
  int is_watch;
  rebal_time now; /* given, or that of the clock */
  uint64_t max_input;
  rebal_compat *compat;
  rebal_deschedule_opts deschedule; /* what the options say of it, here and below */
  rebal_failover_opts failover;
  struct detector_words detector;
  rebal_time unhealthy_since; /* what is unhealthy has been for so long; unset: nobody knows */
  const char *namespace_;     /* of the bindings that are meant; NULL: any */
  const char *cluster;        /* that is explained; NULL: all */
  const char **files;
  size_t n_files;
  char **made; /* names of files of folders */
  size_t n_made;
  const char **members; /* NAME=FILE: what is below a cluster */
  size_t n_members;
  char fault[1024]; /* what is wrong with a value, where that is no fixed text */
};

/* Options a verb takes. */
enum option_set {
  OPTIONS_ANY = 1,
  OPTIONS_VALIDATE = 1024,
  OPTIONS_FMT = 2048,
  OPTIONS_INPUT = 2,
  OPTIONS_OUTPUT = 4,
  OPTIONS_ANSWER = 8,
  OPTIONS_WRITE = 16,
  OPTIONS_ALL = 32,
  OPTIONS_BINDING = 64, /* its first operand is a binding */
  OPTIONS_RECORD = 128,
  OPTIONS_COMPAT = 256,
  OPTIONS_DESCHEDULE = 4096,
  OPTIONS_FAILOVER = 8192,
  OPTIONS_SIMULATE = 16384,
  OPTIONS_MEMBER = 32768,
  OPTIONS_SPREAD = 65536,
  OPTIONS_HTML = 131072,
  OPTIONS_HELP = 262144, /* its operand is a verb */
  OPTIONS_NAMESPACE = 524288,
  OPTIONS_DETECTOR = 1048576 /* it makes bindings of workloads and policies */
};

struct option {
  const char *name;     /* without dashes */
  char letter;          /* '\0': none */
  uint32_t set;         /* OPTIONS_*: verbs with this bit take it */
  const char *argument; /* NULL: takes none */
  const char *summary;
  const char *(*apply)(struct options *options, const char *value); /* what is wrong with the value, NULL: nothing */
  size_t flag; /* without apply: offset of the int in struct options that becomes 1 */
};

struct output;
struct world;

struct verb {
  const char *name;
  const char *operands; /* in brackets: none means standard input */
  size_t max_operands;
  uint32_t options;
  const char *summary;
  const char *text; /* of its help */
  enum status (*run)(const struct options *options, struct output *out);
};

extern const struct verb verbs[];
extern const size_t n_verbs;
extern const struct option option_table[];
extern const size_t n_options;

enum status options_parse(struct options *options, int argc, char **argv);
void options_dispose(struct options *options);
/* verb NULL: the help of the tool. */
void help_write(const struct verb *verb, struct output *out);
enum status help_run(const struct options *options, struct output *out);
/* Name of the option of options.def, or of the level, at an index from 0; NULL after the last. */
const char *compat_option_name(size_t index);
const char *level_name(size_t index);

enum status schedule_run(const struct options *options, struct output *out);
enum status explain_run(const struct options *options, struct output *out);
enum status rebalance_run(const struct options *options, struct output *out);
enum status deschedule_run(const struct options *options, struct output *out);
enum status failover_run(const struct options *options, struct output *out);
enum status spread_run(const struct options *options, struct output *out);
enum status simulate_run(const struct options *options, struct output *out);
enum status replay_run(const struct options *options, struct output *out);
enum status validate_run(const struct options *options, struct output *out);
enum status fmt_run(const struct options *options, struct output *out);

/* ---- names as kubectl has them (kind_names.c, folder.c) ---- */

/* Is the word this kind, its plural or its short name, in any case, with its group or without? */
int is_kind_name(const char *word, size_t len, const char *kind, const char *api_version);
/* Puts the files of each folder among the files in its place. */
enum status open_folders(struct options *options);
/* Is the object in the namespace that the command line gives, if it gives one? */
int is_in_namespace(const struct world *world, uint32_t object);

/* ---- values of options (option_values.c): as struct option.apply ---- */

const char *apply_any_kind(struct options *options, const char *value);
const char *apply_from_status(struct options *options, const char *value);
const char *apply_interval(struct options *options, const char *value);
const char *apply_threshold(struct options *options, const char *value);
const char *apply_max_total(struct options *options, const char *value);
const char *apply_max_by_cluster(struct options *options, const char *value);
const char *apply_max_by_namespace(struct options *options, const char *value);
const char *apply_max_by_workload(struct options *options, const char *value);
const char *apply_evict_by_taint(struct options *options, const char *value);
const char *apply_purge_directly(struct options *options, const char *value);
const char *apply_eviction_timeout(struct options *options, const char *value);
const char *apply_eviction_interval(struct options *options, const char *value);
const char *apply_unhealthy_since(struct options *options, const char *value);
/* Pods that are asked for, or replicas of a workload whose pods are made. */
#define MOST_PODS 100000
#define PODS_ARE_MEANT "a number from 0 to 100000 is meant"
const char *apply_create(struct options *options, const char *value);
const char *apply_scale(struct options *options, const char *value);
const char *apply_spread(struct options *options, const char *value);

/* ---- output (output.c) ---- */

struct output {
  rebal_text *text;
  int failed; /* memory ran out; later writes do nothing */
};

enum status output_open(struct output *out);
void output_close(struct output *out);
void put(struct output *out, const char *text);
void put_bytes(struct output *out, const char *bytes, size_t len);
/* In which nothing moves the cursor. */
void put_escaped(struct output *out, const char *text);
void put_integer(struct output *out, int64_t value);
/* Writes all to standard output; the status given, or that of the failure. */
enum status output_finish(const struct output *out, enum status status);

/* ---- reports (report.c): written as JSON, turned into the format asked for ---- */

struct report {
  struct output text;
  int needs_comma;
};

enum status report_open(struct report *report);
void report_close(struct report *report);
/* key NULL: an element of a list, or the document. */
void report_map(struct report *report, const char *key);
void report_map_end(struct report *report);
void report_list(struct report *report, const char *key);
void report_list_end(struct report *report);
void report_text(struct report *report, const char *key, const char *text);
void report_integer(struct report *report, const char *key, int64_t value);
void report_boolean(struct report *report, const char *key, int value);
/* A value that is JSON already. */
void report_verbatim(struct report *report, const char *key, const char *bytes, size_t len);
/* Appends the document as FORMAT_JSON or FORMAT_YAML. */
enum status report_finish(struct report *report, enum format format, struct output *out);

/* A document whose last member is a list of n elements, which are too many to be turned into a format at once. */
struct long_report {
  /* As far as the list is open; before it no other list, unless is_first. */
  void (*begin)(struct report *report, const void *user, int is_first);
  enum status (*element)(struct report *report, const void *user, size_t i);
  const void *user;
  size_t n;
};

enum status report_long(const struct long_report *parts, enum format format, struct output *out);

/* ---- tables (table.c, width.c) ---- */

struct table {
  const char *const *headings;
  size_t columns;
  char **cells;
  size_t n;
  size_t capacity;
  int failed;
};

void table_open(struct table *table, const char *const *headings, size_t columns);
/* Appends a cell, row by row; an empty one is shown as "-". Control characters are escaped. */
void table_cell(struct table *table, const char *text);
/* Appends a cell made of an output, which it empties. */
void table_cell_of(struct table *table, struct output *cell);
void table_write(const struct table *table, struct output *out);
void table_close(struct table *table);
/* Columns of a terminal that a text takes. */
size_t text_width(const char *text);

/* ---- input (input.c, load.c) ---- */

struct file {
  const char *name; /* as messages show it */
  char *bytes;
  size_t len;
};

/* "-" is standard input. A file of more than max bytes is refused while it is read. */
enum status file_read(const char *name, uint64_t max, struct file *out);
void file_dispose(struct file *file);
/* Writes bytes over a file, wholly or not at all (replace.c). */
enum status file_replace(const char *name, const char *bytes, size_t len);
/* Writes a text to a file, which is none of the files that are read (record.c). */
enum status file_write(const struct options *options, const char *name, const rebal_text *text);
/* What the library may accept when files of max bytes may be read. */
rebal_manifest_limits input_limits(uint64_t max);
/* Files that were read into a store. */
struct loaded {
  struct file *files;
  size_t *counts; /* objects of the store before each file was read; ids count up from 0 */
  size_t n;
};

/* Reads every file into the store; loaded_free() also after a failure. */
enum status load_files(const struct options *options, rebal_store *store, struct loaded *loaded);
void loaded_free(struct loaded *loaded);

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
enum status explain_report(const struct world *world, const struct decision *decision, struct output *out);

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
