/* SPDX-License-Identifier: MIT */
/*
 * lib/scheduler/scheduler.h - private header of the room "scheduler": one binding against one snapshot.
 */
#ifndef REBALI_SCHEDULER_H
#define REBALI_SCHEDULER_H

#include "estimator/estimator.h"
#include "rebalance/scheduler.h"
#include "scheduler/placement/placement.h"

/* ---- one binding under way (pass.c) ------------------------------------------------------------------------------ */

struct rebali_candidate {
  uint32_t cluster;
  int32_t overflow_order;
  int64_t score;
  int64_t available;   /* allocatable + assigned */
  int64_t extra;       /* the caller's part of the score */
  int32_t allocatable; /* from the estimators */
  int32_t limited_by;  /* REBALI_LIMITED_BY_*, or the number of the caller's estimator that made it so small */
};
enum { REBALI_LIMITED_BY_NODES = -3, REBALI_LIMITED_BY_NOBODY = -2, REBALI_LIMITED_BY_LIBRARY = -1 };

struct rebali_target {
  uint32_t cluster;
  int32_t replicas;
};

/* Rows of VERDICT in a result: of row first on, one for each cluster; by_cluster tells which, counted from first. */
struct rebali_verdicts {
  const rebal_result *result;
  size_t first;
  const uint32_t *by_cluster;
};
/*
 * Filter plugins in the order in which their reasons count: those of the reference, then the caller's, whose number
 * leaves room for more of them.
 */
enum { REBALI_FILTER_EXTRA = REBAL_FILTER_WORKLOAD_ANTI_AFFINITY + 1, REBALI_FILTERS };
static inline uint32_t rebali_filter_at(uint32_t place) {
  return place < REBALI_FILTER_EXTRA ? place : REBAL_FILTER_EXTRA;
}
/* What the filter plugins say of a cluster. */
struct rebali_verdict {
  uint32_t rejected;     /* bits of plugins */
  uint32_t uncomparable; /* bits of the workload plugins that could not compare copies */
  int64_t taint;         /* index of the first untolerated one, or REBAL_ABSENT */
};

/* Candidates that have a region, a zone or a provider in common (rebalance-karmada(7) 5.5, 5.6). */
struct rebali_topology_group {
  struct rebali_text name;
  const uint32_t *members; /* places among the candidates in their order, ascending */
  size_t n_members;
  size_t n_listed; /* of members: fewer than there are when more cannot matter */
  int64_t score;
  int64_t available;
  int is_chosen;
};
struct rebali_topology {
  struct rebali_topology_group *groups; /* by name */
  size_t n;
};

struct rebali_surcharge; /* of lib/estimator/fast */

/* A member of a workload affinity group, as the newest copy shows it. */
struct rebali_peer {
  const rebal_bindings *bindings;
  uint32_t row;
  int is_broken; /* the copies' resource versions cannot be compared */
};

/*
 * Everything about one binding in one attempt. A refusal (no fit, unschedulable, error) is an answer: it sets outcome
 * and message, and the functions return REBAL_OK; their callers look at rebali_pass_refused().
 */
struct rebali_pass {
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  const rebal_schedule_opts *opts;
  const rebal_bindings *bindings;
  uint32_t row;
  rebal_error *err;
  const uint64_t *lost; /* bits by cluster row: clusters rejected as by the caller's extra_reject; NULL: none */
  struct rebali_surcharge *beside; /* what is charged beside what the ledger has; NULL: nothing */
  int32_t trigger;                 /* REBALI_TRIGGER_* */
  int is_new; /* the binding has new_replicas and nothing else that it was given: no targets, no tasks */
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
  uint64_t *targets;           /* bits by cluster row: named by a target */
  uint64_t *evicting;          /* by a task */
  int32_t *assigned;           /* by cluster row, of targets only: replicas of the first entry */
  const uint32_t *target_rows; /* rows of TARGET */
  size_t n_targets;
  int targets_are_plain;       /* each is of another cluster, none has fewer than 0 replicas */
  struct rebali_peer *friends; /* affinity group */
  size_t n_friends;
  struct rebali_peer *foes; /* anti-affinity group */
  size_t n_foes;

  const struct rebali_verdicts *verdicts; /* the caller's, of rebal_filter(); NULL: the plugins are asked */
  uint64_t *feasible;                     /* bits by cluster row: no filter plugin rejects it, and it stays */
  size_t words;                           /* of a bitset by cluster row */
  size_t n_feasible;
  struct rebali_candidate *candidates; /* feasible clusters, as far as they can matter */
  size_t n_candidates; /* the first of them that are still in the running: after a selection, the selected ones */
  size_t n_rated;      /* of them before a selection; 0: there was none */
  struct rebali_topology topologies[REBAL_SPREAD_BY_PROVIDER + 1]; /* by field, as far as a selection asked for them */
  int all_topologies;                                              /* also those that no selection looks at */
  int is_exchanged; /* a selection by cluster replaced one of the first candidates */
  int is_final;     /* only the assignment is an answer, and nobody asks why */
  struct rebali_target *placed;
  size_t n_placed;
  int with_components; /* the clusters placed take the components (rebalance-karmada(7) 7.1) */

  int64_t outcome;
  int64_t missing; /* replicas without room (option PARTIAL_PLACEMENT); the message says why */
  int64_t refusal; /* what outcome the reference's answer has when there is no room */
  struct rebali_buffer message;
  struct rebali_explain *explain; /* NULL: nobody asks why */
};

/* Is a fresh placement requested: as the binding says, in no case, or as if it just had been? */
enum { REBALI_TRIGGER_AS_GIVEN, REBALI_TRIGGER_NONE, REBALI_TRIGGER_NOW };

/* Reads the binding's row; the placement is set. Scratch memory of the context. */
int32_t rebali_pass_begin(struct rebali_pass *pass, struct rebali_text trial_name);
int32_t rebali_pass_refuse(struct rebali_pass *pass, int64_t outcome, const char *format, ...) REBALI_PRINTF(3, 4);
static inline int rebali_pass_refused(const struct rebali_pass *pass) {
  return pass->outcome != REBAL_OUTCOME_SCHEDULED && pass->outcome != REBAL_OUTCOME_PARTIAL;
}
/*
 * Does the answer replace spec.clusters? No fit is the one failure that does: it clears them
 * (rebalance-karmada(7) 2.5), unless evictions are to wait for a replacement.
 */
static inline int rebali_pass_is_written(const struct rebali_pass *pass) {
  return !rebali_pass_refused(pass) ||
         (pass->outcome == REBAL_OUTCOME_NO_CLUSTER_FIT &&
          (pass->n_targets == 0 || !rebali_compat_value(pass->opts->compat, REBAL_OPTION_STRICT_EVICTION)));
}
/* Are replicas divided at all, or is every candidate named without any (rebalance-karmada(7) 7.1)? */
int rebali_pass_is_divided(const struct rebali_pass *pass);
/* What is spent already, as far as it counts (rebalance-karmada(7) 6.6). */
static inline const rebal_ledger *rebali_pass_ledger(const struct rebali_pass *pass) {
  return rebali_compat_value(pass->opts->compat, REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION) ? pass->opts->ledger : NULL;
}
/* The refusal of a binding without placement (rebalance-karmada(7) 2.2); the message buffer is ready. */
int32_t rebali_pass_refuse_placement(struct rebali_pass *pass);
/* The components of the binding: scratch memory, NULL when there is none. */
struct rebali_component *rebali_pass_components(const struct rebali_pass *pass);
/* Replicas of the first target entry of the cluster, else 0 (rebalance-karmada(7) 1.3). */
static inline int32_t rebali_pass_assigned(const struct rebali_pass *pass, uint32_t cluster) {
  return rebali_bit_get(pass->targets, cluster) ? pass->assigned[cluster] : 0;
}
/* The cell of one of the caller's columns (rebal_schedule_opts.extra_*); 0 when there is none. */
static inline int64_t rebali_extra_cell(const struct rebali_pass *pass, const int64_t *column, uint32_t cluster) {
  return column == NULL || cluster >= pass->opts->extra_clusters
             ? 0
             : column[(size_t)pass->row * (size_t)pass->opts->extra_stride + cluster];
}
/* Spec karmada 2.3: strictly later than the last scheduling, and there was one. */
int rebali_reschedule_required(const rebal_bindings *bindings, uint32_t row);
static inline int rebali_pass_is_triggered(const struct rebali_pass *pass) {
  return pass->trigger == REBALI_TRIGGER_AS_GIVEN ? rebali_reschedule_required(pass->bindings, pass->row)
                                                  : pass->trigger == REBALI_TRIGGER_NOW;
}
int rebali_is_workload(const rebal_bindings *bindings, uint32_t row);
/*
 * The stages from first to last (REBAL_STAGE_*) of filter -> score -> select -> assign, for the group under trial (
 * rebalance-karmada(7) 2.8). What the stages before first leave is in the pass already.
 */
int32_t rebali_pass_stages(struct rebali_pass *pass, uint32_t first, uint32_t last);
static inline int32_t rebali_pass_run(struct rebali_pass *pass) {
  return rebali_pass_stages(pass, REBAL_STAGE_FILTER, REBAL_STAGE_ASSIGN);
}
void rebali_pass_dispose(struct rebali_pass *pass);

/* ---- phases ------------------------------------------------------------------------------------------------------ */

/* filter.c: bits of the plugins that reject. stop: the first is enough. */
uint32_t rebali_filter_cluster(const struct rebali_pass *pass, uint32_t cluster, int stop);
/* The same with all that the reasons need. */
struct rebali_verdict rebali_filter_judge(const struct rebali_pass *pass, uint32_t cluster);
/* Finds the feasible clusters, or refuses with the fit error. */
int32_t rebali_filter_run(struct rebali_pass *pass);
/*
 * filter_text.c: the reason the plugin gives for a cluster. broken_peer: the workload plugins could not compare
 * versions.
 */
void rebali_filter_text(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t plugin,
                        const rebal_record *placement, int64_t taint, int broken_peer, struct rebali_buffer *out);
int32_t rebali_filter_refuse(struct rebali_pass *pass);
/* workload_affinity.c: rebalance-karmada(7) 3.7, 3.8. */
int32_t rebali_peers_collect(struct rebali_pass *pass);
int rebali_friends_reject(const struct rebali_pass *pass, uint32_t cluster, int *is_broken);
int rebali_foes_reject(const struct rebali_pass *pass, uint32_t cluster, int *is_broken);
/* Clears the bits of all clusters that a member of either group rejects. REBAL_ENOMEM without filling an error. */
int32_t rebali_peers_keep(const struct rebali_pass *pass, uint64_t *bits);
/* The first member of the group that rejects the cluster; NULL when none does. */
const struct rebali_peer *rebali_rejecting_friend(const struct rebali_pass *pass, uint32_t cluster);
const struct rebali_peer *rebali_rejecting_foe(const struct rebali_pass *pass, uint32_t cluster);

/* availability.c: the allocatable of each candidate, from all estimators (rebalance-karmada(7) 6.1). */
int32_t rebali_availability(struct rebali_pass *pass);
struct rebali_fits; /* of lib/estimator/fast */
/*
 * The library's own estimate for a bitset of n_wanted clusters (NULL: for all); its numbers are NULL when the options
 * leave it out.
 */
int32_t rebali_estimate_here(struct rebali_pass *pass, struct rebali_fits *fits, const uint64_t *wanted,
                             size_t n_wanted);
#define REBALI_LOCALITY_SCORE 100 /* of a cluster that the binding is in (rebalance-karmada(7) 4) */
/* candidates.c: scores, availability and order (rebalance-karmada(7) 4, 5.2). */
int32_t rebali_candidates_rate(struct rebali_pass *pass);
int rebali_candidate_compare(const void *left, const void *right, const void *snapshot);
/* Can the order of candidates be seen in the answer? If not, they stay as the filters leave them. */
int rebali_candidates_are_ordered(const struct rebali_pass *pass);
/* select.c and below: rebalance-karmada(7) 5.3 to 5.7. */
int32_t rebali_select(struct rebali_pass *pass);
int32_t rebali_select_by_cluster(struct rebali_pass *pass, const struct rebali_spread *cluster, int64_t need);
int32_t rebali_select_by_region(struct rebali_pass *pass, const struct rebali_spread *region,
                                const struct rebali_spread *cluster);

/*
 * topology.c: groups the candidates by a field that a constraint names, and scores the groups
 * (rebalance-karmada(7) 5.6).
 */
int32_t rebali_topology_build(struct rebali_pass *pass, const struct rebali_spread *spread);
/* How groups are scored. */
struct rebali_scale {
  int is_duplicated;
  int64_t replicas;
  int64_t target; /* replicas a group should hold */
  int64_t least;  /* clusters it should have */
};
struct rebali_scale rebali_topology_scale(const struct rebali_pass *pass, const struct rebali_spread *spread);
void rebali_topology_score(const struct rebali_pass *pass, const struct rebali_scale *scale,
                           struct rebali_topology *topology);

struct rebali_group {
  int64_t value;  /* clusters */
  int64_t weight; /* score */
  size_t index;   /* the caller's number */
};
#define REBALI_MAX_GROUPS 20
/*
 * select_paths.c: rebalance-karmada(7) 5.7. Groups come by name, which their indexes do too; they are put into another
 * order. chosen has room for n and receives the indexes of the groups of the best path, best first; *n_chosen 0 when no
 * path is feasible. REBAL_ELIMIT beyond REBALI_MAX_GROUPS groups that are not all needed.
 */
int32_t rebali_select_groups(struct rebali_arena *arena, struct rebali_group *groups, size_t n, int64_t min_groups,
                             int64_t max_groups, int64_t goal, size_t *chosen, size_t *n_chosen);

/* webster.c: rebalance-karmada(7) 7.7. */
struct rebali_party {
  uint32_t rank; /* order of names */
  int32_t seats; /* earlier ones in, all out */
  int64_t votes;
};
#define REBALI_MAX_SEATS 10000000
/*
 * Hands out seats among parties (of different ranks), to none more than its limit (NULL: no limits). heap has room
 * for n. Returns the seats left over. rebali_webster() hands out none when the sum of votes, which wraps, is 0.
 */
int32_t rebali_webster(struct rebali_party *parties, const int32_t *limits, size_t n, int32_t seats, int descending,
                       uint32_t *heap);
int32_t rebali_webster_within(struct rebali_party *parties, const int32_t *limits, size_t n, int32_t seats,
                              int descending, uint32_t *heap);
/*
 * Ties, after seats were handed out among parties that had none: the party that got the last seat, n when none did; and
 * what put the next seat of another one after that seat, REBAL_TIE_*, or REBAL_ABSENT where their quotients differ.
 */
size_t rebali_webster_last(const struct rebali_party *parties, size_t n, int descending);
int64_t rebali_webster_tie(const struct rebali_party *party, const struct rebali_party *last, int descending);
/* Does the uid turn the order of names round? */
int rebali_uid_descends(struct rebali_text uid);

/* assign.c, assign_dynamic.c, assign_tiers.c: rebalance-karmada(7) 7.1 to 7.10. */
int32_t rebali_assign(struct rebali_pass *pass);
/*
 * Has any affinity of the trial's name overflow affinities, so that tiers are divided (rebalance-karmada(7) 7.8, 12.1)?
 */
int rebali_pass_has_overflow(const struct rebali_pass *pass);
struct rebali_assignment {
  struct rebali_candidate *candidates;
  size_t n_candidates;
  int32_t replicas;
  struct rebali_target *out; /* room for candidates and targets */
  size_t n_out;
  int64_t missing; /* replicas without room, when an answer in part is accepted */
};
int32_t rebali_assign_tier(struct rebali_pass *pass, struct rebali_assignment *assignment);
int32_t rebali_assign_static(struct rebali_pass *pass, struct rebali_assignment *assignment);
int32_t rebali_assign_dynamic(struct rebali_pass *pass, struct rebali_assignment *assignment);
int32_t rebali_assign_tiers(struct rebali_pass *pass);
/*
 * assign_partial.c: right after a refusal for lack of room. With the option PARTIAL_PLACEMENT the refusal is taken back
 * and the pass goes on with what fits; its message stays. Returns whether it is so. is_first: before the refusal, which
 * only the first lack of room needs.
 */
int rebali_partial_accept(struct rebali_pass *pass);
static inline int rebali_partial_is_first(const struct rebali_pass *pass) {
  return pass->outcome != REBAL_OUTCOME_PARTIAL;
}
/* The end of an assignment that was accepted in part: SCHEDULED when all fits, the refusal when nothing does. */
void rebali_partial_settle(struct rebali_pass *pass, int64_t missing);

/*
 * Divides seats by weight over distinct clusters and writes them by name; of a cluster named twice the last weight and
 * the first limit hold.
 */
struct rebali_weight {
  uint32_t cluster;
  int32_t limit; /* INT32_MAX: none */
  int64_t weight;
};
int32_t rebali_divide_clusters(struct rebali_pass *pass, int32_t seats, const struct rebali_weight *weights, size_t n,
                               struct rebali_target *out, size_t *n_out);
/* assign_static.c: the candidates that weigh something, and what; weights has n_candidates entries. How many? */
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
/* Its parties by name, each name once. */
struct rebali_party_list {
  struct rebali_party *parties;
  size_t *first_index; /* where the party stands in the input */
  size_t *last_index;  /* whose cells hold */
  uint8_t *had_seats;  /* it was in the earlier assignment */
  uint32_t *heap;      /* room for dividing */
  size_t n;
  int64_t sum; /* of weights, wrapping */
  int any_had_seats;
};
/* divide_bounded.c: gives the seats. REBAL_ENOMEM. */
int32_t rebali_divide_within(struct rebali_arena *scratch, const struct rebali_division *division,
                             struct rebali_party_list *list, int descending, int32_t *left);

/* ---- explanations ------------------------------------------------------------------------------------------------ */

/* explain_text.c: a row of EXPLAIN as a sentence; the buffer holds its own failure. REBAL_EINVAL, REBAL_EMISMATCH. */
int32_t rebali_explain_text(const rebal_bindings *bindings, const rebal_result *result, size_t row,
                            struct rebali_buffer *out, rebal_error *err);

/* What put a cluster after another one that was equal till then. */
struct rebali_tie {
  int64_t by; /* REBAL_TIE_*, or 0: none */
  uint32_t peer;
};

/* What is told about one binding while it is answered: rebali_pass.explain, when somebody asks why. */
struct rebali_explain {
  rebal_result *result;
  uint64_t room;           /* rows of EXPLAIN that may still be written */
  const int64_t *before;   /* replicas by cluster row; REBAL_ABSENT where the binding has none */
  struct rebali_tie *ties; /* of the assignment, by cluster row; NULL: there were none */
};

/* explain.c */
void rebali_explain_begin(struct rebali_explain *explain, rebal_result *result, uint64_t rows);
/*
 * Tells what a stage (REBAL_STAGE_*) that has just ended made of the clusters, whether it refused or not. Only with
 * pass->explain.
 */
int32_t rebali_explain_stage(struct rebali_pass *pass, uint32_t stage);

/* One stage of a pass being told. */
#define REBALI_VERDICTS (REBAL_WHY_DROPPED + 1)
struct rebali_telling {
  struct rebali_pass *pass;
  uint32_t stage;
  int64_t counts[REBALI_VERDICTS]; /* clusters by verdict */
  struct rebali_buffer expected;   /* texts of the row being made */
  struct rebali_buffer found;
};
/* What a row says beside binding, group and stage. */
struct rebali_reason {
  uint32_t cluster;
  uint32_t plugin; /* of REBAL_WHY_REJECTED */
  uint32_t field;  /* 0: none */
  int64_t verdict;
  struct rebali_text expected, found, resource, group, peer;
  int64_t tie;                                /* REBAL_TIE_*, or 0: none */
  const struct rebali_candidate *candidate;   /* the row has its scores; may be NULL */
  const struct rebali_topology_group *region; /* the same of a row on a region */
  int64_t after;                              /* of REBAL_WHY_PLACED */
};
/* May a row still be written? Texts that nobody reads need not be made. */
static inline int rebali_telling_has_room(const struct rebali_telling *telling) {
  return telling->pass->explain->room > 0;
}
/* Writes a row, when there is room. */
int32_t rebali_telling_row(struct rebali_telling *telling, const struct rebali_reason *reason);
/* The same, for the row that counts for its cluster. */
int32_t rebali_telling_cluster(struct rebali_telling *telling, const struct rebali_reason *reason);
/* explain_filter.c, explain_plugin.c */
int32_t rebali_tell_filter(struct rebali_telling *telling);
/* What the plugin that rejects the cluster looked at, wanted and found; the texts are in the buffers of telling. */
void rebali_tell_rejection(struct rebali_telling *telling, uint32_t plugin, uint32_t cluster,
                           struct rebali_reason *reason);
/* explain_score.c */
int32_t rebali_tell_scores(struct rebali_telling *telling);
/* explain_select.c, explain_region.c */
int32_t rebali_tell_selection(struct rebali_telling *telling);
/* The regions alone, where they were found before the refusal. */
int32_t rebali_tell_refused_selection(struct rebali_telling *telling);
int32_t rebali_tell_regions(struct rebali_telling *telling, const struct rebali_spread *region,
                            const struct rebali_spread *cluster);
/* explain_assign.c */
int32_t rebali_tell_assignment(struct rebali_telling *telling);

/*
 * explain_tie.c: notes ties of an assignment: of a division that has ended, and of clusters that offer as much as the
 * last one of those that are enough. From n_taken on the offers are left out. Only with pass->explain.
 */
int32_t rebali_note_division(struct rebali_pass *pass, const struct rebali_party *parties, const int32_t *limits,
                             size_t n);
int32_t rebali_note_cut(struct rebali_pass *pass, const struct rebali_weight *offers, size_t n, size_t n_taken,
                        int64_t by);

/* decide.c: rebalance-karmada(7) 2.2, 2.3; of a pass, its inputs and the placement. */
int64_t rebali_decide_reason(const struct rebali_pass *pass);

/* options.c: loads and checks what every call of the room takes; *end is one behind the last row to answer. */
int32_t rebali_schedule_check(rebal_snapshot *snapshot, const rebal_bindings *bindings, const rebal_schedule_opts *opts,
                              rebal_schedule_opts *known, size_t *end, rebal_error *err);

/*
 * batch.c: begins the result and calls answer for one binding after the other, each between rebali_ctx_begin() and
 * rebali_ctx_end(), with a pass in which inputs are set and the compiled placement too (NULL when the binding has
 * none).
 */
struct rebali_batch {
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  const rebal_bindings *bindings;
  const rebal_schedule_opts *opts;
  rebal_result *result;
  rebal_error *err;
  const char *call;      /* name of the public call */
  const rebal_time *now; /* NULL when the call has none */
};
/* fingerprint.c: signs the result, before the ledger changes; rows first_row to end are answered. */
void rebali_batch_sign(const struct rebali_batch *batch, const rebal_schedule_opts *opts, size_t end);
typedef int32_t (*rebali_answer)(struct rebali_pass *pass, rebal_result *result, void *user_data);
int32_t rebali_batch_run(const struct rebali_batch *batch, rebali_answer answer, void *user_data);
/* phases.c: how the public phases take up each other's results. */
struct rebali_phase {
  uint32_t first; /* stage to begin with when there is an earlier result; else the pass begins with the filters */
  uint32_t last;
  /* Reads what the phase before found about the binding. REBAL_EMISMATCH: its result does not fit. */
  int32_t (*take)(struct rebali_pass *pass, const rebal_result *earlier);
  /* Writes what the phase adds to DECISION and PLACED; NULL: nothing. REBAL_ENOMEM. */
  int32_t (*write)(const struct rebali_pass *pass, rebal_result *result);
};
extern const struct rebali_phase rebali_phase_score, rebali_phase_select, rebali_phase_assign;
/* decision.c: writes a finished pass into DECISION and PLACED. */
int32_t rebali_result_decision(rebal_result *result, const struct rebali_pass *pass, int64_t reason);
/*
 * decision.c: what the binding holds in the ledger of the call, when there is one, becomes what was placed, also when
 * that is nothing (rebalance-karmada(7) 6.6). The last thing done for a binding: when it fails nothing is charged.
 */
int32_t rebali_ledger_spend(const struct rebali_pass *pass);
/* Is what was placed charged at all? */
int rebali_pass_is_charged(const struct rebali_pass *pass);
/* What that call charges, n_placed of them; memory of the running call. NULL: there is none. */
struct rebali_claim *rebali_pass_claims(const struct rebali_pass *pass);
/* Under which key: namespace/name, in memory of the arena; bytes is NULL without memory. */
struct rebali_text rebali_ledger_key(const rebal_bindings *bindings, uint32_t row, struct rebali_arena *arena);

/* ---- the scheduler's turn for a binding (step.c and below) ------------------------------------------------------- */

/* An affinity group that was tried and failed. */
struct rebali_failure {
  size_t group;
  int64_t outcome;
  struct rebali_text message;
  struct rebali_failure *next;
};
/* Those of one binding, in the order of the groups. */
struct rebali_failures {
  struct rebali_failure *first;
  struct rebali_failure **end;
  size_t n;
};

/* The writes of a turn; their ordinals follow each other. The turn waits for those in front of the status. */
enum rebali_write { REBALI_WRITE_PLACEMENT, REBALI_WRITE_CLUSTERS, REBALI_WRITE_AFFINITY_NAME, REBALI_WRITE_STATUS };

struct rebali_turn {
  struct rebali_pass *pass;
  rebal_result *result;
  rebal_builder *builder;
  rebal_time now;
  int64_t reason; /* REBAL_REASON_* */
  struct rebali_failures failures;
  int64_t next_event;  /* ordinal of the event that comes next; ordinals count from the binding's first */
  int64_t first_write; /* ordinal of REBALI_WRITE_PLACEMENT */
  int is_needed[REBALI_WRITE_STATUS];
  int has_failed_write;
  struct rebali_text quota_message; /* the text of a write that a quota denied */
};

/* step.c: is it this scheduler's, and not suspended (rebalance-karmada(7) 2.1)? */
int rebali_is_scheduled_by(const rebal_bindings *bindings, uint32_t row, const rebal_schedule_opts *opts);

/*
 * schedule.c: all phases for one binding, as rebal_schedule() runs them; inputs and placement are set. failures has the
 * groups that were tried before the answer, or all when each fails; it is empty where no groups are tried in order.
 */
int32_t rebali_schedule_pass(struct rebali_pass *pass, struct rebali_failures *failures);
/* affinity_groups.c: the group that is tried first. */
size_t rebali_groups_first(const struct rebali_pass *pass);
/* affinity_groups.c: the first term of the name observed, else 0 (affinityIndex of rebalance-karmada(7) 2.4). */
size_t rebali_groups_index(const struct rebali_placement *placement, struct rebali_text observed);
/*
 * Tries the groups of a placement that has some, from the one that is due; the pass is the answer
 * (rebalance-karmada(7) 2.6). Fills *failures with the groups before it, or with all groups when each fails.
 */
int32_t rebali_groups_try(struct rebali_pass *pass, struct rebali_failures *failures);

/* write_back.c: what a turn writes, as actions (rebalance-karmada(7) 2.5 to 2.7). An event goes to the resource too. */
int32_t rebali_write_event(struct rebali_turn *turn, const char *type, const char *reason, struct rebali_text message);
int32_t rebali_write_generation(struct rebali_turn *turn);
/* The Scheduled condition; on success also generation and time. Nothing when all is so already. */
int32_t rebali_write_status(struct rebali_turn *turn, struct rebali_text message);
/* One of the writes that the turn waits for. */
int32_t rebali_write_give(struct rebali_turn *turn, enum rebali_write write);
/* warnings.c: rows of WARNING, for the targets that the answer clears, and for what a workload lacks that stays so. */
int32_t rebali_warn_cleared(struct rebali_turn *turn);
int32_t rebali_warn_shrunken(struct rebali_turn *turn);
/* What is known of a write; NULL when nothing. */
const struct rebali_observation *rebali_write_observed(const struct rebali_turn *turn, enum rebali_write write);

/* writes.c: which writes the answer of the pass needs, and what came of them. */
void rebali_writes_plan(struct rebali_turn *turn);
/* Has any of them been observed? */
int rebali_writes_begun(const struct rebali_turn *turn);
/* Gives those that are not observed; *is_waiting: the turn has to wait for one. */
int32_t rebali_writes_give(struct rebali_turn *turn, int *is_waiting);
/* Are the clusters of the answer written now, by a write of this turn that succeeded (rebalance-karmada(7) 6.6)? */
int rebali_writes_landed(const struct rebali_turn *turn);
/* Failed writes become the outcome and message of the pass (rebalance-karmada(7) 2.5 to 2.7). */
int32_t rebali_writes_judge(struct rebali_turn *turn);
/* The same of a status that was not written, which ends the turn and is tried again whatever was decided. */
int32_t rebali_status_judge(struct rebali_turn *turn);

#endif
