/* SPDX-License-Identifier: MIT */
/*
 * tools/rebalancectl.h - the command line over the library. It includes only the installed headers.
 *
 * A verb computes its complete output before a byte is written, so that a rejected input leaves standard
 * output empty. Functions that return STATUS_USAGE or STATUS_INPUT have printed the error to standard error.
 *
 * Include it first: it selects the POSIX version of the system's headers.
 */
#ifndef REBALANCECTL_H
#define REBALANCECTL_H

#define _POSIX_C_SOURCE 200809L

#include <rebalance/descheduler.h>
#include <rebalance/plan.h>
#include <rebalance/detector.h>

/* Exit codes. */
enum status {
  STATUS_DONE = 0,
  STATUS_CANNOT = 1, /* a workload does not fit, or an expectation failed */
  STATUS_USAGE = 2,
  STATUS_INPUT = 3 /* bad input, or the output could not be written */
};

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_YAML };

#include "detector.h"
#include "progress.h"

/* ---- messages (message.c) ---- */

/* Prints a line to standard error; control characters of names and texts are escaped. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
/* Prints FILE:LINE:COLUMN: field: message, as far as they are known. */
enum status complain_of_file(const char *file, const rebal_error *err);
/* Prints an error that does not belong to a file. */
enum status complain_of_call(const rebal_error *err);
enum status complain_of_memory(void);
/* Returns a copy with control characters escaped, which the caller frees; NULL if out of memory. */
char *escaped(const char *text);
/* Is the character at bytes a control character? Sets *size to its length in bytes. */
int is_control(const char *bytes, size_t len, size_t *size);

/* ---- the command line (options.c, help.c, main.c) ---- */

/* Options of plan. */
struct plan_words {
  rebal_plan_opts opts; /* without the lists */
  const char **drained; /* names of clusters, here and below */
  size_t n_drained;
  const char **lost;
  size_t n_lost;
  rebal_limit limits[3]; /* by scope: total, each source, each target */
  int has_limit[3];
  int has_budgets;
  int is_verified;
  int has_waves;
  int is_explained;
};

struct options {
  const struct verb *verb;      /* NULL: none, for --help and --version */
  const struct verb *explained; /* operand of help; NULL: the tool */
  enum format format;
  int has_format;
  int is_help_requested;
  int is_version_requested;
  int is_all;
  int is_write;
  int is_fresh;
  const char *spread; /* name of a WorkloadSpread; NULL: any */
  int has_create;
  uint64_t create; /* pods */
  int has_scale;
  uint64_t scale; /* replicas */
  int is_rollout;
  const char *object; /* operand before the files, for verbs with OPTIONS_BINDING */
  int is_strict;
  int is_check;
  int drops_comments;
  int has_compat_option;
  int has_ledger;     /* gate-overcommit-protection is set: decisions use the capacity that earlier ones left */
  const char *record; /* file for records; NULL: none */
  const char *html;   /* file for a page; NULL: none */
  const char *states; /* file for the objects after each step, "-": standard output; NULL: none */
  int is_watch;
  rebal_time now; /* --now, or the time of the clock */
  uint64_t max_input;
  rebal_compat *compat;
  rebal_deschedule_opts deschedule; /* set by the options, here and below */
  rebal_failover_opts failover;
  struct detector_words detector;
  struct plan_words plan;
  uint32_t losses;            /* of sweep: sum of 1 << REBAL_LOSS_*; 0: each cluster */
  const char *pairs;          /* of sweep: file with sets of clusters; NULL: none */
  rebal_time unhealthy_since; /* start of unhealthy conditions; unset: unknown */
  const char *namespace_;     /* of the selected bindings; NULL: any */
  const char *cluster;        /* to explain; NULL: all */
  const char **files;
  size_t n_files;
  char **made; /* names of the files of directories */
  size_t n_made;
  const char **members; /* NAME=FILE: the objects of a cluster */
  size_t n_members;
  char fault[1024]; /* the error of a value, if it is not a constant text */
};

/* The options of a verb. */
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
  OPTIONS_PLAN = 2097152,
  OPTIONS_SWEEP = 4194304,
  OPTIONS_DETECTOR = 1048576 /* it creates bindings for workloads and policies */
};

struct option {
  const char *name;     /* without dashes */
  char letter;          /* '\0': none */
  uint32_t set;         /* OPTIONS_*: verbs with this bit accept it */
  const char *argument; /* NULL: takes none */
  const char *summary;
  const char *(*apply)(struct options *options, const char *value); /* returns the error of the value, NULL: none */
  size_t flag; /* without apply: offset of the int in struct options that is set to 1 */
};

struct output;
struct world;

struct verb {
  const char *name;
  const char *operands; /* in brackets: standard input if none is given */
  size_t max_operands;
  uint32_t options;
  const char *summary;
  const char *text; /* for its help */
  enum status (*run)(const struct options *options, struct output *out);
};

extern const struct verb verbs[];
extern const size_t n_verbs;
extern const struct option option_table[];
extern const size_t n_options;

enum status options_parse(struct options *options, int argc, char **argv);
void options_dispose(struct options *options);
/* Appends the help of a verb. verb NULL: the help of the tool. */
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
enum status sweep_run(const struct options *options, struct output *out);
enum status plan_run(const struct options *options, struct output *out);
enum status replay_run(const struct options *options, struct output *out);
enum status validate_run(const struct options *options, struct output *out);
enum status fmt_run(const struct options *options, struct output *out);

/* ---- kinds and files as in kubectl (kind_names.c, directory.c) ---- */

/* Is the word this kind, its plural or its short name, in any case, with or without its group? */
int is_kind_name(const char *word, size_t len, const char *kind, const char *api_version);
/* Replaces each directory in the list of files by its files. */
enum status open_directories(struct options *options);
/* Is the object in the namespace of the command line, if one is given? */
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
/* The same of plans (plan/plan_options.c). */
const char *apply_fresh(struct options *options, const char *value);
const char *apply_steady(struct options *options, const char *value);
const char *apply_least(struct options *options, const char *value);
const char *apply_drain(struct options *options, const char *value);
const char *apply_lose(struct options *options, const char *value);
const char *apply_max_moves(struct options *options, const char *value);
const char *apply_max_per_source(struct options *options, const char *value);
const char *apply_max_per_target(struct options *options, const char *value);
const char *apply_tolerance(struct options *options, const char *value);
const char *apply_max_surge(struct options *options, const char *value);
const char *apply_max_unavailable(struct options *options, const char *value);
/* Of sweep (sweep/sweep_losses.c). */
const char *apply_losses(struct options *options, const char *value);
const char *apply_evict_by_taint(struct options *options, const char *value);
const char *apply_purge_directly(struct options *options, const char *value);
const char *apply_eviction_timeout(struct options *options, const char *value);
const char *apply_eviction_interval(struct options *options, const char *value);
const char *apply_unhealthy_since(struct options *options, const char *value);
/* Maximum number of requested pods, or of replicas of a workload whose pods are created. */
#define MOST_PODS 100000
#define PODS_EXPECTED "expected a number from 0 to 100000"
const char *apply_create(struct options *options, const char *value);
const char *apply_scale(struct options *options, const char *value);
const char *apply_spread(struct options *options, const char *value);

/* ---- output (output.c) ---- */

struct output {
  rebal_text *text;
  int failed; /* out of memory; later writes do nothing */
};

enum status output_open(struct output *out);
void output_close(struct output *out);
void put(struct output *out, const char *text);
void put_bytes(struct output *out, const char *bytes, size_t len);
/* Appends a text with control characters escaped. */
void put_escaped(struct output *out, const char *text);
void put_integer(struct output *out, int64_t value);
/* Writes everything to standard output. Returns the given status, or that of the failure. */
enum status output_finish(const struct output *out, enum status status);

/* ---- reports (report.c): written as JSON, converted to the requested format ---- */

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
/* A value that is already JSON. */
void report_verbatim(struct report *report, const char *key, const char *bytes, size_t len);
/* Appends the document as FORMAT_JSON or FORMAT_YAML. */
enum status report_finish(struct report *report, enum format format, struct output *out);

/* A document whose last member is a list of n elements, too many to be converted at once. */
struct long_report {
  /* Up to the open list; no other list may precede it unless is_first. */
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
/* Appends a cell, row by row; an empty one is printed as "-". Control characters are escaped. */
void table_cell(struct table *table, const char *text);
/* Appends the text of an output as a cell, and empties the output. */
void table_cell_of(struct table *table, struct output *cell);
void table_write(const struct table *table, struct output *out);
void table_close(struct table *table);
/* The width of a text in columns of a terminal. */
size_t text_width(const char *text);

/* ---- input (input.c, load.c) ---- */

struct file {
  const char *name; /* as in messages */
  char *bytes;
  size_t len;
};

/* "-" is standard input. A file of more than max bytes is rejected while it is read. */
enum status file_read(const char *name, uint64_t max, struct file *out);
void file_dispose(struct file *file);
/* Replaces the content of a file atomically (replace.c). */
enum status file_replace(const char *name, const char *bytes, size_t len);
/* Writes a text to a file, which must not be an input file (record.c). */
enum status file_write(const struct options *options, const char *name, const rebal_text *text);
/* The limits of the library for files of up to max bytes. */
rebal_manifest_limits input_limits(uint64_t max);
/* The files read into a store. */
struct loaded {
  struct file *files;
  size_t *counts; /* objects of the store before each file was read; ids count up from 0 */
  size_t n;
};

/* Reads every file into the store. Call loaded_free() also after a failure. */
enum status load_files(const struct options *options, rebal_store *store, struct loaded *loaded);
void loaded_free(struct loaded *loaded);

#include "world.h"

#endif
