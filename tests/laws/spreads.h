/* SPDX-License-Identifier: MIT */
/*
 * tests/laws/spreads.h - a WorkloadSpread, pods and nodes in plain texts and numbers, and a controller that scans all
 * of them each time (rebalance-workloadspread(7) 4 to 6).
 *
 * A case opens a world with nodes once, then answers rounds: a spread is drawn or continues with its status, some pods
 * change, time passes. The results of the plain controller and of the library are compared as text.
 */
#ifndef LAWS_SPREADS_H
#define LAWS_SPREADS_H

#include "laws.h"

enum {
  SPREAD_SUBSETS = 4,
  SPREAD_PODS = 14,
  SPREAD_COMERS = 6, /* pods of one batch of admission */
  SPREAD_NODES = 4,
  SPREAD_ENTRIES = 6,  /* of a list of the status */
  SPREAD_LISTS = 12,   /* versions in the status */
  SPREAD_FLIGHTS = 40, /* creatingPods or deletingPods of an entry */
  SPREAD_CLAIMS = 10,
  SPREAD_ROUNDS = SPREAD_COMPARISONS,
  SPREAD_TEXT = 48000
};

/* A term with one expression, or none; number 0 in a table of terms is an absent term. */
struct spread_term {
  const char *text; /* of test_put_expressions() */
  const char *key, *operator, * value;
};
struct spread_toleration {
  const char *text; /* of test_put_tolerations() */
  const char *key, *operator, * value, *effect;
};
struct spread_taint {
  const char *text;
  const char *key, *value, *effect;
};
/* What a pod requires: up to two alternative terms and a toleration. */
struct spread_claim {
  uint32_t terms[2];
  uint32_t toleration;
};
extern const struct spread_term spread_terms[];
extern const struct spread_toleration spread_tolerations[];
extern const struct spread_taint spread_taints[];
extern const struct spread_claim spread_claims[SPREAD_CLAIMS];

struct spread_limit {
  int is_present;
  const char *text; /* NULL: a number */
  int64_t number;
};
struct spread_subset {
  const char *name;
  struct spread_limit limit;
  struct spread_limit minimum; /* option SPREAD_MIN_REPLICAS */
  uint32_t required;
  uint32_t preferred[2];
  int64_t weights[2];
  uint32_t toleration;
  int has_patch;
};

struct spread_flight {
  const char *key; /* of the pod, or a constant */
  int64_t since;
};
struct spread_condition {
  const char *status; /* NULL: there is none */
  const char *reason, *message;
  int64_t since;
};
enum { SPREAD_CREATING, SPREAD_DELETING };
struct spread_entry {
  const char *name;
  int64_t replicas, missing;
  struct spread_flight flights[2][SPREAD_FLIGHTS];
  size_t n_flights[2];
  struct spread_condition condition;
  int has_other_condition;
};
struct spread_list {
  const char *version;
  int is_null;
  size_t n;
  struct spread_entry entries[SPREAD_ENTRIES];
};
struct spread_status {
  int64_t generation;
  struct spread_list overall;
  size_t n;
  struct spread_list lists[SPREAD_LISTS]; /* by version */
};

struct spread_pod {
  char name[8];
  uint32_t row;
  uint32_t owner; /* number of an owner; 2: none */
  int64_t label;  /* REBAL_VERSION_LABEL_* */
  const char *version;
  int64_t matched;
  const char *spread, *subset, *id;
  uint32_t node; /* number; SPREAD_NODES: one that does not exist; above: none */
  uint32_t claim;
  uint32_t app; /* 0: no label */
  const char *cost;
  int64_t created, ready_since; /* 0: unset */
  int64_t phase;
  int is_ready, is_deleting, is_unschedulable;
  int64_t restarts, sidecar_restarts;
  uint64_t unchanged; /* a bit for each subset */
  int64_t operation;
  const char *admission_id;
};

struct spread_node {
  char name[8];
  uint32_t id;
  const char *labels;
  uint32_t taint;
};

/* The workload, and members of spec beside the subsets. */
struct spread_target {
  const char *kind; /* NULL: there is no target */
  int is_deleting;
  int has_filter; /* of pods with the label app=a */
  int64_t critical_seconds;
  int64_t state, workload_is_deleting, replicas, has_paths, path_replicas;
  const char *path_error;
  int64_t latest_state;
  const char *latest;
  int64_t admission_replicas;
  const char *admission_error;
};

struct spread_case {
  struct test_world world;
  const rebal_compat *compat; /* NULL: defaults */
  const rebal_observations *observations;
  const char *name;     /* of the WorkloadSpread */
  const char *workload; /* that it is for */
  rebal_pods *pods;
  rebal_spread *spread;
  uint32_t cluster;
  uint32_t owners[3];  /* of a kind whose versions are tracked, one whose are not, and the target of the spread */
  int64_t owner_state; /* of the first, which the last one controls */
  uint32_t claims[SPREAD_CLAIMS];
  int64_t apps[3];
  size_t n_nodes;
  struct spread_node nodes[SPREAD_NODES + 1];
  size_t n_subsets;
  struct spread_subset subsets[SPREAD_SUBSETS];
  struct spread_target target;
  struct spread_status status;
  int64_t generation;
  size_t n_pods;
  struct spread_pod drawn[SPREAD_PODS];
  struct spread_pod *list[SPREAD_PODS]; /* in the caller's order */
  size_t n_comers;
  struct spread_pod comers[SPREAD_COMERS];
  rebal_time now;
  uint64_t unchanged[SPREAD_PODS + SPREAD_COMERS]; /* by row */
};

/* spread_draw.c: an opened world with nodes and pods; a spread with its status; what changes from round to round. */
void spread_open(struct dice *dice, struct spread_case *drawn);
void spread_close(struct spread_case *drawn);
void spread_draw(struct dice *dice, struct spread_case *drawn);
void spread_change(struct dice *dice, struct spread_case *drawn);
void spread_draw_comers(struct dice *dice, struct spread_case *drawn);
/* spread_write.c: the same for the library. */
const rebal_record *spread_record(struct spread_case *drawn);
void spread_write_pod(struct spread_case *drawn, const struct spread_pod *pod);
void spread_write_owners(struct spread_case *drawn);
void spread_write_facts(struct spread_case *drawn);
/* Admits comers from one on, up to n. */
int32_t spread_admit(struct spread_case *drawn, rebal_spread *const *spreads, size_t n_spreads, size_t from, size_t n,
                     rebal_result *result);
int32_t spread_step(struct spread_case *drawn, rebal_spread *spread, rebal_result *result);

/* A text that grows; ends the program if it does not fit. */
struct spread_printed {
  char text[SPREAD_TEXT];
  size_t len;
};
void spread_start(struct spread_printed *printed);
void spread_print(struct spread_printed *printed, const char *format, ...);
/* The result of a pass, by the library (spread_print.c), and by the plain controller (plain_spread.c), which also
   updates the status. */
void spread_print_counts(const struct spread_case *drawn, const rebal_result *result, struct spread_printed *printed);
void spread_print_result(const struct spread_case *drawn, const rebal_result *result, struct spread_printed *printed);
/* The text of a version that a row of GROUPED has; "" without counts. */
const char *spread_version_name(const rebal_result *result, long long version);
/* Rows of ADMITTED, then actions; both are appended. */
void spread_print_actions(const rebal_result *result, struct spread_printed *printed);
void spread_print_admitted(const struct spread_case *drawn, const rebal_result *result, struct spread_printed *printed);
void spread_print_record(const rebal_record *status, struct spread_printed *printed);
void spread_print_status(const struct spread_status *status, struct spread_printed *printed);
void plain_spread_step(struct spread_case *drawn, struct spread_printed *printed);
/* The same of all comers (plain_admit.c). */
void plain_spread_admit(struct spread_case *drawn, struct spread_printed *printed);
const char *plain_version(const struct spread_case *drawn, const struct spread_pod *pod);
/* Is an option set? */
int plain_option(const struct spread_case *drawn, uint32_t option);

/* The same limit as the reference reads it in two ways; 0: it cannot be read. */
int plain_scaled(const struct spread_limit *limit, int64_t replicas, int64_t *out);
int plain_legacy(const struct spread_limit *limit, int64_t replicas, int64_t *out);
/* -1: the pod may not be in the subset; else the score of its node (plain_adopt.c). */
int64_t plain_preference(const struct spread_case *drawn, const struct spread_pod *pod,
                         const struct spread_subset *subset);

/* spread_rounds.c: the current case, shared by the laws. */
extern struct spread_case at_hand;
typedef const char *(*spread_law)(struct dice *dice);
/* Tries a law on all rounds of a new case, with defaults, with some options. */
const char *spread_defaults(struct dice *dice, spread_law law_of_a_round);
const char *spread_options(struct dice *dice, spread_law law_of_a_round);
/* Where two texts begin to differ, or NULL. */
const char *spread_compare(const char *left, const char *right);
/* Replaces the text by the status of a spread. Returns NULL or the failure. */
const char *spread_print_spread(const rebal_spread *spread, struct spread_printed *printed);
/* A pass as text, with the status after it. */
const char *spread_step_and_print(rebal_spread *spread, struct spread_printed *printed);
/* Cells of the result of the world, and its rows of GROUPED. */
int64_t spread_cell(uint32_t column, size_t row);
size_t spread_grouped(void);

#endif
