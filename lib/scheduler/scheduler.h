/* SPDX-License-Identifier: MIT */
/* lib/scheduler/scheduler.h - private header of the module "scheduler": one binding against one snapshot. */
#ifndef REBALI_SCHEDULER_H
#define REBALI_SCHEDULER_H

#include "estimator/estimator.h"
#include "rebalance/scheduler.h"
#include "scheduler/placement/placement.h"

/* ---- one binding in progress (pass.c) ---------------------------------------------------------------------------- */

struct rebali_candidate {
  uint32_t cluster;
  int32_t overflow_order;
  int64_t score;
  int64_t available;   /* allocatable + assigned */
  int64_t extra;       /* the caller's part of the score */
  int32_t allocatable; /* from the estimators */
  int32_t limited_by;  /* REBALI_LIMITED_BY_*, or the index of the caller's estimator that set allocatable */
};
enum { REBALI_LIMITED_BY_NODES = -3, REBALI_LIMITED_BY_NONE = -2, REBALI_LIMITED_BY_LIBRARY = -1 };

struct rebali_target {
  uint32_t cluster;
  int32_t replicas;
};

/* Rows of VERDICT in a result: one for each cluster, starting at first. by_cluster holds the offset from first. */
struct rebali_verdicts {
  const rebal_result *result;
  size_t first;
  const uint32_t *by_cluster;
};
/*
 * Filter plugins in the order in which their reasons count: those of the reference, then the caller's, whose public
 * number leaves a gap for more of the former.
 */
enum { REBALI_FILTER_EXTRA = REBAL_FILTER_WORKLOAD_ANTI_AFFINITY + 1, REBALI_FILTERS };
static inline uint32_t rebali_filter_at(uint32_t place) {
  return place < REBALI_FILTER_EXTRA ? place : REBAL_FILTER_EXTRA;
}
/* Result of the filter plugins for a cluster. */
struct rebali_verdict {
  uint32_t rejected;     /* bits of plugins */
  uint32_t uncomparable; /* bits of the workload plugins that could not compare copies */
  int64_t taint;         /* index of the first untolerated taint, or REBAL_ABSENT */
};

/* Candidates with the same region, zone or provider (rebalance-karmada(7) 5.5, 5.6). */
struct rebali_topology_group {
  struct rebali_text name;
  const uint32_t *members; /* places among the candidates in their order, ascending */
  size_t n_members;
  size_t n_listed; /* of members: fewer than exist if more cannot matter */
  int64_t score;
  int64_t available;
  int is_chosen;
};
struct rebali_topology {
  struct rebali_topology_group *groups; /* by name */
  size_t n;
};

struct rebali_surcharge; /* of lib/estimator/fast */

/* A member of a workload affinity group, read from the newest copy. */
struct rebali_peer {
  const rebal_bindings *bindings;
  uint32_t row;
  int is_broken; /* the copies' resource versions cannot be compared */
};

/*
 * State of one attempt to schedule one binding. A refusal (no fit, unschedulable, error) is an answer: it sets outcome
 * and message, and the functions return REBAL_OK. Callers must check rebali_pass_refused().
 */
struct rebali_pass {
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  const rebal_schedule_opts *opts;
  const rebal_bindings *bindings;
  uint32_t row;
  rebal_error *err;
  const uint64_t *lost; /* bits by cluster row: clusters rejected like those in the caller's extra_reject; NULL: none */
  struct rebali_surcharge *beside; /* charges in addition to those of the ledger; NULL: none */
  int32_t trigger;                 /* REBALI_TRIGGER_* */
  int is_new;                      /* the binding has new_replicas and no targets or tasks */
  int32_t new_replicas;

  const struct rebali_placement *placement;
  struct rebali_text trial_name;            /* affinity group under trial */
  const struct rebali_affinity *trial_term; /* NULL when clusterAffinity is used or no term has the name */
  int32_t replicas;
  size_t n_components;
  int is_multi_template; /* component sets are estimated (rebalance-karmada(7) 1.5) */
  int is_workload;
  int is_fresh;
  struct rebali_text uid;
  uint64_t *targets;           /* bits by cluster row: clusters of targets */
  uint64_t *evicting;          /* bits by cluster row: clusters of eviction tasks */
  int32_t *assigned;           /* by cluster row, valid only for targets: replicas of the first entry */
  const uint32_t *target_rows; /* rows of TARGET */
  size_t n_targets;
  int targets_are_plain;       /* clusters are distinct, no replicas are negative */
  struct rebali_peer *friends; /* affinity group */
  size_t n_friends;
  struct rebali_peer *foes; /* anti-affinity group */
  size_t n_foes;

  const struct rebali_verdicts *verdicts; /* the caller's, of rebal_filter(); NULL: the plugins are run */
  uint64_t *feasible;                     /* bits by cluster row: not rejected by a filter plugin, not deleting */
  size_t words;                           /* length of a bitset by cluster row */
  size_t n_feasible;
  struct rebali_candidate *candidates; /* feasible clusters, without those that cannot matter */
  size_t n_candidates;                 /* number of candidates still considered: after a selection, the selected ones */
  size_t n_rated;                      /* number of candidates before a selection; 0: no selection */
  struct rebali_topology topologies[REBAL_SPREAD_BY_PROVIDER + 1]; /* by field, only those that a selection used */
  int all_topologies;                                              /* also build those that no selection uses */
  int is_exchanged; /* a selection by cluster replaced one of the first candidates */
  int is_final;     /* only the assignment is an answer, and explain is NULL */
  struct rebali_target *placed;
  size_t n_placed;
  int with_components; /* the placed clusters get the components (rebalance-karmada(7) 7.1) */

  int64_t outcome;
  int64_t missing; /* replicas without capacity (option PARTIAL_PLACEMENT); the message has the reason */
  int64_t refusal; /* outcome of the reference's answer if capacity is lacking */
  struct rebali_buffer message;
  struct rebali_explain *explain; /* NULL: no explanation is requested */
};

/* Whether a fresh placement is requested: as in the binding, never, or as if just requested. */
enum { REBALI_TRIGGER_AS_GIVEN, REBALI_TRIGGER_NONE, REBALI_TRIGGER_NOW };

/* Reads the binding's row. The placement must be set. Uses scratch memory of the context. */
int32_t rebali_pass_begin(struct rebali_pass *pass, struct rebali_text trial_name);
int32_t rebali_pass_refuse(struct rebali_pass *pass, int64_t outcome, const char *format, ...) REBALI_PRINTF(3, 4);
static inline int rebali_pass_refused(const struct rebali_pass *pass) {
  return pass->outcome != REBAL_OUTCOME_SCHEDULED && pass->outcome != REBAL_OUTCOME_PARTIAL;
}
/*
 * Returns whether the answer replaces spec.clusters. No fit is the only failure that does: it clears them
 * (rebalance-karmada(7) 2.5), unless evictions must wait for a replacement.
 */
static inline int rebali_pass_is_written(const struct rebali_pass *pass) {
  return !rebali_pass_refused(pass) ||
         (pass->outcome == REBAL_OUTCOME_NO_CLUSTER_FIT &&
          (pass->n_targets == 0 || !rebali_compat_value(pass->opts->compat, REBAL_OPTION_STRICT_EVICTION)));
}
/*
 * Returns whether replicas are divided. If not, every candidate is named without replicas (rebalance-karmada(7) 7.1).
 */
int rebali_pass_is_divided(const struct rebali_pass *pass);
/* Returns the ledger if it is used (rebalance-karmada(7) 6.6), otherwise NULL. */
static inline const rebal_ledger *rebali_pass_ledger(const struct rebali_pass *pass) {
  return rebali_compat_value(pass->opts->compat, REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION) ? pass->opts->ledger : NULL;
}
/* Refuses a binding without placement (rebalance-karmada(7) 2.2). The message buffer must be initialized. */
int32_t rebali_pass_refuse_placement(struct rebali_pass *pass);
/* Returns the components of the binding in scratch memory, or NULL without memory. */
struct rebali_component *rebali_pass_components(const struct rebali_pass *pass);
/* Returns the replicas of the first target entry of the cluster, or 0 (rebalance-karmada(7) 1.3). */
static inline int32_t rebali_pass_assigned(const struct rebali_pass *pass, uint32_t cluster) {
  return rebali_bit_get(pass->targets, cluster) ? pass->assigned[cluster] : 0;
}
/* Returns the cell of one of the caller's columns (rebal_schedule_opts.extra_*), or 0 if it is missing. */
static inline int64_t rebali_extra_cell(const struct rebali_pass *pass, const int64_t *column, uint32_t cluster) {
  return column == NULL || cluster >= pass->opts->extra_clusters
             ? 0
             : column[(size_t)pass->row * (size_t)pass->opts->extra_stride + cluster];
}
/*
 * Returns whether rescheduling was requested strictly after the last scheduling, which must exist (rebalance-karmada(7)
 * 2.3).
 */
int rebali_reschedule_required(const rebal_bindings *bindings, uint32_t row);
static inline int rebali_pass_is_triggered(const struct rebali_pass *pass) {
  return pass->trigger == REBALI_TRIGGER_AS_GIVEN ? rebali_reschedule_required(pass->bindings, pass->row)
                                                  : pass->trigger == REBALI_TRIGGER_NOW;
}
int rebali_is_workload(const rebal_bindings *bindings, uint32_t row);
/*
 * Runs the stages from first to last (REBAL_STAGE_*) of filter -> score -> select -> assign, for the group under trial
 * (rebalance-karmada(7) 2.8). The pass must hold the results of the stages before first.
 */
int32_t rebali_pass_stages(struct rebali_pass *pass, uint32_t first, uint32_t last);
static inline int32_t rebali_pass_run(struct rebali_pass *pass) {
  return rebali_pass_stages(pass, REBAL_STAGE_FILTER, REBAL_STAGE_ASSIGN);
}
void rebali_pass_dispose(struct rebali_pass *pass);

/* ---- phases ------------------------------------------------------------------------------------------------------ */

/* filter.c: returns the bits of the plugins that reject. stop: ends at the first. */
uint32_t rebali_filter_cluster(const struct rebali_pass *pass, uint32_t cluster, int stop);
/* The same, with all data that the reasons need. */
struct rebali_verdict rebali_filter_judge(const struct rebali_pass *pass, uint32_t cluster);
/* Finds the feasible clusters, or refuses with the fit error. */
int32_t rebali_filter_run(struct rebali_pass *pass);
/*
 * filter_text.c: appends the plugin's reason for a cluster. broken_peer: the workload plugins could not compare
 * versions.
 */
void rebali_filter_text(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t plugin,
                        const rebal_record *placement, int64_t taint, int broken_peer, struct rebali_buffer *out);
int32_t rebali_filter_refuse(struct rebali_pass *pass);
/* workload_affinity.c: collects the members of both groups (rebalance-karmada(7) 3.7, 3.8). */
int32_t rebali_peers_collect(struct rebali_pass *pass);
int rebali_friends_reject(const struct rebali_pass *pass, uint32_t cluster, int *is_broken);
int rebali_foes_reject(const struct rebali_pass *pass, uint32_t cluster, int *is_broken);
/* Clears the bits of all clusters that a member of either group rejects. REBAL_ENOMEM without filling an error. */
int32_t rebali_peers_keep(const struct rebali_pass *pass, uint64_t *bits);
/* Returns the first member of the group that rejects the cluster, or NULL. */
const struct rebali_peer *rebali_rejecting_friend(const struct rebali_pass *pass, uint32_t cluster);
const struct rebali_peer *rebali_rejecting_foe(const struct rebali_pass *pass, uint32_t cluster);

/* availability.c: computes the allocatable of each candidate from all estimators (rebalance-karmada(7) 6.1). */
int32_t rebali_availability(struct rebali_pass *pass);
struct rebali_fits; /* of lib/estimator/fast */
/*
 * Computes the library's own estimate for a bitset of n_wanted clusters (NULL: for all). Its numbers are NULL if the
 * options disable it.
 */
int32_t rebali_estimate_here(struct rebali_pass *pass, struct rebali_fits *fits, const uint64_t *wanted,
                             size_t n_wanted);
#define REBALI_LOCALITY_SCORE 100 /* of a cluster in which the binding is placed (rebalance-karmada(7) 4) */
/* candidates.c: computes scores, availability and order (rebalance-karmada(7) 4, 5.2). */
int32_t rebali_candidates_rate(struct rebali_pass *pass);
int rebali_candidate_compare(const void *left, const void *right, const void *snapshot);
/* Returns whether the order of candidates is visible in the answer. If not, they stay in the order of the filters. */
int rebali_candidates_are_ordered(const struct rebali_pass *pass);
/* select.c and below: selects clusters (rebalance-karmada(7) 5.3 to 5.7). */
int32_t rebali_select(struct rebali_pass *pass);
int32_t rebali_select_by_cluster(struct rebali_pass *pass, const struct rebali_spread *cluster, int64_t need);
int32_t rebali_select_by_region(struct rebali_pass *pass, const struct rebali_spread *region,
                                const struct rebali_spread *cluster);

/*
 * topology.c: groups the candidates by a field that a constraint names, and scores the groups
 * (rebalance-karmada(7) 5.6).
 */
int32_t rebali_topology_build(struct rebali_pass *pass, const struct rebali_spread *spread);
/* Parameters of group scores. */
struct rebali_scale {
  int is_duplicated;
  int64_t replicas;
  int64_t target; /* replicas that a group should hold */
  int64_t least;  /* clusters that a group should have */
};
struct rebali_scale rebali_topology_scale(const struct rebali_pass *pass, const struct rebali_spread *spread);
void rebali_topology_score(const struct rebali_pass *pass, const struct rebali_scale *scale,
                           struct rebali_topology *topology);

struct rebali_group {
  int64_t value;  /* clusters */
  int64_t weight; /* score */
  size_t index;   /* the caller's index */
};
#define REBALI_MAX_GROUPS 20
/*
 * select_paths.c: selects the best path of groups (rebalance-karmada(7) 5.7). Groups must be sorted by name, and so
 * must their indexes; the call reorders them. chosen has space for n and receives the indexes of the groups of the best
 * path, best first; *n_chosen is 0 if no path is feasible. REBAL_ELIMIT beyond REBALI_MAX_GROUPS groups unless all are
 * needed.
 */
int32_t rebali_select_groups(struct rebali_arena *arena, struct rebali_group *groups, size_t n, int64_t min_groups,
                             int64_t max_groups, int64_t goal, size_t *chosen, size_t *n_chosen);

/* webster.c: rebalance-karmada(7) 7.7. */
struct rebali_party {
  uint32_t rank; /* order of names */
  int32_t seats; /* in: earlier seats; out: all seats */
  int64_t votes;
};
#define REBALI_MAX_SEATS 10000000
/*
 * Hands out seats among parties (of different ranks), to each at most its limit (NULL: no limits). heap has space for
 * n. Returns the seats left over. rebali_webster() hands out none if the sum of votes, which wraps, is 0.
 */
int32_t rebali_webster(struct rebali_party *parties, const int32_t *limits, size_t n, int32_t seats, int descending,
                       uint32_t *heap);
int32_t rebali_webster_within(struct rebali_party *parties, const int32_t *limits, size_t n, int32_t seats,
                              int descending, uint32_t *heap);
/*
 * Ties, after seats were handed out among parties that had none. rebali_webster_last() returns the party that got the
 * last seat, or n. rebali_webster_tie() returns why the next seat of another party comes after that seat, REBAL_TIE_*,
 * or REBAL_ABSENT if their quotients differ.
 */
size_t rebali_webster_last(const struct rebali_party *parties, size_t n, int descending);
int64_t rebali_webster_tie(const struct rebali_party *party, const struct rebali_party *last, int descending);
/* Returns whether the uid reverses the order of names. */
int rebali_uid_descends(struct rebali_text uid);

/* assign.c, assign_dynamic.c, assign_tiers.c: assigns replicas (rebalance-karmada(7) 7.1 to 7.10). */
int32_t rebali_assign(struct rebali_pass *pass);
/*
 * Returns whether any affinity with the trial's name has overflow affinities, so that tiers are divided
 * (rebalance-karmada(7) 7.8, 12.1).
 */
int rebali_pass_has_overflow(const struct rebali_pass *pass);
struct rebali_assignment {
  struct rebali_candidate *candidates;
  size_t n_candidates;
  int32_t replicas;
  struct rebali_target *out; /* space for candidates and targets */
  size_t n_out;
  int64_t missing; /* replicas without capacity, if an answer in part is accepted */
};
int32_t rebali_assign_tier(struct rebali_pass *pass, struct rebali_assignment *assignment);
int32_t rebali_assign_static(struct rebali_pass *pass, struct rebali_assignment *assignment);
int32_t rebali_assign_dynamic(struct rebali_pass *pass, struct rebali_assignment *assignment);
int32_t rebali_assign_tiers(struct rebali_pass *pass);
/*
 * assign_partial.c: called directly after a refusal for lack of capacity. With the option PARTIAL_PLACEMENT, undoes the
 * refusal so that the pass continues with what fits, and returns 1; the message stays. rebali_partial_is_first() is
 * called before: only the first lack of capacity needs a refusal.
 */
int rebali_partial_accept(struct rebali_pass *pass);
static inline int rebali_partial_is_first(const struct rebali_pass *pass) {
  return pass->outcome != REBAL_OUTCOME_PARTIAL;
}
/* Ends an assignment that was accepted in part: SCHEDULED if all replicas fit, the refusal if none do. */
void rebali_partial_settle(struct rebali_pass *pass, int64_t missing);

/*
 * Divides seats by weight over distinct clusters and writes them by name. If a cluster occurs twice, its last weight
 * and its first limit are used.
 */
struct rebali_weight {
  uint32_t cluster;
  int32_t limit; /* INT32_MAX: none */
  int64_t weight;
};
int32_t rebali_divide_clusters(struct rebali_pass *pass, int32_t seats, const struct rebali_weight *weights, size_t n,
                               struct rebali_target *out, size_t *n_out);
/* assign_static.c: lists the candidates with a weight. weights has n_candidates entries. Returns their number. */
size_t rebali_static_weigh(const struct rebali_pass *pass, const struct rebali_candidate *candidates,
                           size_t n_candidates, struct rebali_weight *weights);

/* divide.c: a public division. */
struct rebali_division {
  int32_t seats;
  rebal_parties parties;
  rebal_divide_opts opts;
  struct rebali_text uid;
  int is_bounded;
};
/* The parties of a division by name, each name once. */
struct rebali_party_list {
  struct rebali_party *parties;
  size_t *first_index; /* index of the party's first input */
  size_t *last_index;  /* index of the party's last input, whose cells are used */
  uint8_t *had_seats;  /* the party is in the earlier assignment */
  uint32_t *heap;      /* scratch for dividing */
  size_t n;
  int64_t sum; /* sum of weights, wrapping */
  int any_had_seats;
};
/* divide_bounded.c: hands out the seats. REBAL_ENOMEM. */
int32_t rebali_divide_within(struct rebali_arena *scratch, const struct rebali_division *division,
                             struct rebali_party_list *list, int descending, int32_t *left);

/* ---- explanations ------------------------------------------------------------------------------------------------ */

/*
 * explain_text.c: formats a row of EXPLAIN as a sentence. The buffer records its own failure. REBAL_EINVAL,
 * REBAL_EMISMATCH.
 */
int32_t rebali_explain_text(const rebal_bindings *bindings, const rebal_result *result, size_t row,
                            struct rebali_buffer *out, rebal_error *err);

/* Why a cluster comes after another that was equal so far. */
struct rebali_tie {
  int64_t by; /* REBAL_TIE_*, or 0: none */
  uint32_t peer;
};

/* Explanation of one binding in progress: rebali_pass.explain, if requested. */
struct rebali_explain {
  rebal_result *result;
  uint64_t rows_left;      /* rows of EXPLAIN that may still be written */
  const int64_t *before;   /* replicas by cluster row; REBAL_ABSENT for clusters without the binding */
  struct rebali_tie *ties; /* of the assignment, by cluster row; NULL: none */
};

/* explain.c */
void rebali_explain_begin(struct rebali_explain *explain, rebal_result *result, uint64_t rows);
/* Explains the result of a stage (REBAL_STAGE_*) that has just ended, refused or not. pass->explain must be set. */
int32_t rebali_explain_stage(struct rebali_pass *pass, uint32_t stage);

/* A stage of a pass being explained. */
#define REBALI_VERDICTS (REBAL_WHY_DROPPED + 1)
struct rebali_explanation {
  struct rebali_pass *pass;
  uint32_t stage;
  int64_t counts[REBALI_VERDICTS]; /* number of clusters by verdict */
  struct rebali_buffer expected;   /* texts of the current row */
  struct rebali_buffer found;
};
/* Content of a row, besides binding, group and stage. */
struct rebali_reason {
  uint32_t cluster;
  uint32_t plugin; /* of REBAL_WHY_REJECTED */
  uint32_t field;  /* 0: none */
  int64_t verdict;
  struct rebali_text expected, found, resource, group, peer;
  int64_t tie;                                /* REBAL_TIE_*, or 0: none */
  const struct rebali_candidate *candidate;   /* its scores are written; may be NULL */
  const struct rebali_topology_group *region; /* the same for a row on a region */
  int64_t after;                              /* of REBAL_WHY_PLACED */
};
/* Returns whether another row may be written. If not, its texts are not needed. */
static inline int rebali_explanation_has_capacity(const struct rebali_explanation *explanation) {
  return explanation->pass->explain->rows_left > 0;
}
/* Writes a row, unless the limit is reached. */
int32_t rebali_explanation_row(struct rebali_explanation *explanation, const struct rebali_reason *reason);
/* Writes a row and counts its verdict for the cluster. */
int32_t rebali_explanation_cluster(struct rebali_explanation *explanation, const struct rebali_reason *reason);
/* explain_filter.c, explain_plugin.c */
int32_t rebali_explain_filter(struct rebali_explanation *explanation);
/* Reports what the rejecting plugin examined, expected and found. The texts are in the buffers of the argument. */
void rebali_explain_rejection(struct rebali_explanation *explanation, uint32_t plugin, uint32_t cluster,
                              struct rebali_reason *reason);
/* explain_score.c */
int32_t rebali_explain_scores(struct rebali_explanation *explanation);
/* explain_select.c, explain_region.c */
int32_t rebali_explain_selection(struct rebali_explanation *explanation);
/* Explains only the regions, if they were found before the refusal. */
int32_t rebali_explain_refused_selection(struct rebali_explanation *explanation);
int32_t rebali_explain_regions(struct rebali_explanation *explanation, const struct rebali_spread *region,
                               const struct rebali_spread *cluster);
/* explain_assign.c */
int32_t rebali_explain_assignment(struct rebali_explanation *explanation);

/*
 * explain_tie.c: records ties of an assignment. rebali_note_division() does so after a division, rebali_note_cut() for
 * clusters that offer as much as the last one needed; offers from n_taken on are not used. pass->explain must be set.
 */
int32_t rebali_note_division(struct rebali_pass *pass, const struct rebali_party *parties, const int32_t *limits,
                             size_t n);
int32_t rebali_note_cut(struct rebali_pass *pass, const struct rebali_weight *offers, size_t n, size_t n_taken,
                        int64_t by);

/* decide.c: returns REBAL_REASON_* (rebalance-karmada(7) 2.2, 2.3). Inputs and placement of the pass must be set. */
int64_t rebali_decide_reason(const struct rebali_pass *pass);

/* options.c: loads and checks the inputs common to all calls of the module. *end is the last row to answer plus one. */
int32_t rebali_schedule_check(rebal_snapshot *snapshot, const rebal_bindings *bindings, const rebal_schedule_opts *opts,
                              rebal_schedule_opts *known, size_t *end, rebal_error *err);

/*
 * batch.c: begins the result and calls answer for each binding, between rebali_ctx_begin() and rebali_ctx_end(), with a
 * pass that has its inputs and the compiled placement (NULL if the binding has none).
 */
struct rebali_batch {
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  const rebal_bindings *bindings;
  const rebal_schedule_opts *opts;
  rebal_result *result;
  rebal_error *err;
  const char *call;      /* name of the public call */
  const rebal_time *now; /* NULL if the call has none */
};
/* fingerprint.c: signs the result, before the ledger changes. Rows first_row to end are answered. */
void rebali_batch_sign(const struct rebali_batch *batch, const rebal_schedule_opts *opts, size_t end);
typedef int32_t (*rebali_answer)(struct rebali_pass *pass, rebal_result *result, void *user_data);
int32_t rebali_batch_run(const struct rebali_batch *batch, rebali_answer answer, void *user_data);
/* phases.c: how the public phases use each other's results. */
struct rebali_phase {
  uint32_t first; /* first stage after an earlier result; without one the pass begins with the filters */
  uint32_t last;
  /* Reads the preceding phase's result for the binding. REBAL_EMISMATCH: the result does not fit. */
  int32_t (*take)(struct rebali_pass *pass, const rebal_result *earlier);
  /* Writes the phase's part of DECISION and PLACED; NULL: nothing. REBAL_ENOMEM. */
  int32_t (*write)(const struct rebali_pass *pass, rebal_result *result);
};
extern const struct rebali_phase rebali_phase_score, rebali_phase_select, rebali_phase_assign;
/* decision.c: writes a finished pass into DECISION and PLACED. */
int32_t rebali_result_decision(rebal_result *result, const struct rebali_pass *pass, int64_t reason);
/*
 * decision.c: replaces the binding's charge in the ledger of the call, if any, by what was placed, even if nothing was
 * (rebalance-karmada(7) 6.6). Must be the last step for a binding: on failure nothing is charged.
 */
int32_t rebali_ledger_spend(const struct rebali_pass *pass);
/* Returns whether placed replicas are charged at all. */
int rebali_pass_is_charged(const struct rebali_pass *pass);
/*
 * Returns the n_placed claims that rebali_ledger_spend() charges, in memory of the running call, or NULL without
 * memory.
 */
struct rebali_claim *rebali_pass_claims(const struct rebali_pass *pass);
/* Returns the key of a charge: namespace/name, in memory of the arena; bytes is NULL without memory. */
struct rebali_text rebali_ledger_key(const rebal_bindings *bindings, uint32_t row, struct rebali_arena *arena);

/* ---- the scheduler's turn for a binding (step.c and below) ------------------------------------------------------- */

/* An affinity group that was tried and failed. */
struct rebali_failure {
  size_t group;
  int64_t outcome;
  struct rebali_text message;
  struct rebali_failure *next;
};
/* Failures of one binding, in the order of the groups. */
struct rebali_failures {
  struct rebali_failure *first;
  struct rebali_failure **end;
  size_t n;
};

/* The writes of a turn, with consecutive ordinals. The turn waits for those before the status. */
enum rebali_write { REBALI_WRITE_PLACEMENT, REBALI_WRITE_CLUSTERS, REBALI_WRITE_AFFINITY_NAME, REBALI_WRITE_STATUS };

struct rebali_turn {
  struct rebali_pass *pass;
  rebal_result *result;
  rebal_builder *builder;
  rebal_time now;
  int64_t reason; /* REBAL_REASON_* */
  struct rebali_failures failures;
  int64_t next_event;  /* ordinal of the next event; ordinals count from the binding's first */
  int64_t first_write; /* ordinal of REBALI_WRITE_PLACEMENT */
  int is_needed[REBALI_WRITE_STATUS];
  int has_failed_write;
  struct rebali_text quota_message; /* message of a write that a quota denied */
};

/* step.c: returns whether this scheduler is responsible and scheduling is not suspended (rebalance-karmada(7) 2.1). */
int rebali_is_scheduled_by(const rebal_bindings *bindings, uint32_t row, const rebal_schedule_opts *opts);

/*
 * schedule.c: runs all phases for one binding, as rebal_schedule() does. Inputs and placement must be set. failures
 * receives the groups that were tried before the answer, or all groups if each fails; it is empty if no groups are
 * tried in order.
 */
int32_t rebali_schedule_pass(struct rebali_pass *pass, struct rebali_failures *failures);
/* affinity_groups.c: returns the group to try first. */
size_t rebali_groups_first(const struct rebali_pass *pass);
/*
 * affinity_groups.c: returns the first term with the observed name, or 0 (affinityIndex of rebalance-karmada(7) 2.4).
 */
size_t rebali_groups_index(const struct rebali_placement *placement, struct rebali_text observed);
/*
 * Tries the groups of a placement, which must have some, beginning with rebali_groups_first(). The pass holds the
 * answer (rebalance-karmada(7) 2.6). Fills *failures with the groups before it, or with all groups if each fails.
 */
int32_t rebali_groups_try(struct rebali_pass *pass, struct rebali_failures *failures);

/*
 * write_back.c: writes of a turn, as actions (rebalance-karmada(7) 2.5 to 2.7). An event is also sent to the resource.
 */
int32_t rebali_write_event(struct rebali_turn *turn, const char *type, const char *reason, struct rebali_text message);
int32_t rebali_write_generation(struct rebali_turn *turn);
/* Writes the Scheduled condition, on success also generation and time. Writes nothing if all is unchanged. */
int32_t rebali_write_status(struct rebali_turn *turn, struct rebali_text message);
/* Adds one of the writes that the turn waits for. */
int32_t rebali_write_give(struct rebali_turn *turn, enum rebali_write write);
/*
 * warnings.c: adds rows of WARNING for targets that the answer clears, and for replicas that a workload keeps lacking.
 */
int32_t rebali_warn_cleared(struct rebali_turn *turn);
int32_t rebali_warn_shrunken(struct rebali_turn *turn);
/* Returns the observation of a write, or NULL. */
const struct rebali_observation *rebali_write_observed(const struct rebali_turn *turn, enum rebali_write write);

/* writes.c: determines the writes that the answer of the pass needs; the functions below read their results. */
void rebali_writes_plan(struct rebali_turn *turn);
/* Returns whether any of them has been observed. */
int rebali_writes_begun(const struct rebali_turn *turn);
/* Adds the writes that are not observed. *is_waiting: the turn must wait for one. */
int32_t rebali_writes_give(struct rebali_turn *turn, int *is_waiting);
/* Returns whether this turn has written the clusters of the answer successfully (rebalance-karmada(7) 6.6). */
int rebali_writes_landed(const struct rebali_turn *turn);
/* Turns failed writes into the outcome and message of the pass (rebalance-karmada(7) 2.5 to 2.7). */
int32_t rebali_writes_judge(struct rebali_turn *turn);
/* Does the same for a failed status write, which ends the turn; it is retried whatever the decision. */
int32_t rebali_status_judge(struct rebali_turn *turn);

#endif
