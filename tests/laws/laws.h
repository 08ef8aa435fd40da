/* SPDX-License-Identifier: MIT */
/*
 * tests/laws/laws.h - laws that hold between answers, tried on random inputs through installed headers.
 *
 * A law is a function that draws a case and returns what is wrong with it (NULL: nothing). Each case has its own seed,
 * so that a failure is repeated with LAWS_SEED; LAWS_CASES sets how many cases are tried for each law, and LAWS_ONLY
 * selects laws by a part of their texts.
 */
#ifndef LAWS_H
#define LAWS_H

#include "../support/dice.h"
#include "../support/fleet_builder.h"

#include <stddef.h>
#include <stdint.h>

#define LAW_CLUSTERS 12 /* at most in a random fleet */
#define LAW_BINDINGS 6
#define LAW_TEXT 160

void shuffle(struct dice *dice, size_t *order, size_t n);

/* A random fleet and bindings as tables; the texts are stored here. */
struct drawn_cluster {
  struct test_cluster cluster;
  char name[8];
  char allocatable[64];
  char allocated[64];
};
struct drawn_placement {
  struct test_placement placement;
  struct test_affinity affinity;
  struct test_affinity terms[3];
  struct test_affinity overflow[2];
  char spreads[64];
  char weights[LAW_TEXT];
  char names[6][LAW_TEXT];
};
struct drawn_binding {
  struct test_binding binding;
  struct drawn_placement placement;
  char key[16];
  char targets[LAW_TEXT];
};
struct drawing {
  size_t n_clusters;
  struct drawn_cluster clusters[LAW_CLUSTERS];
  size_t n_bindings;
  struct drawn_binding bindings[LAW_BINDINGS];
  int models; /* some clusters estimate by models */
};
void draw(struct dice *dice, struct drawing *drawing, int models);
void draw_cluster(struct dice *dice, struct drawn_cluster *cluster, size_t number, int models);
void draw_binding(struct dice *dice, struct drawn_binding *binding, size_t number, size_t n_clusters);
/* A world of the drawing; clusters and bindings are added in the orders given (NULL: as drawn). */
void open_drawing(struct test_world *world, const struct drawing *drawing, const size_t *clusters,
                  const size_t *bindings);
void open_again(struct test_world *world, const struct drawing *drawing, size_t only_binding);

/* Answers of a call for all bindings, as texts: one each. */
struct answers {
  char text[LAW_BINDINGS][1024];
  size_t n;
};
/* rebal_schedule() with these options; NULL or the failure. */
const char *answer_all(struct test_world *world, rebal_ctx *ctx, const rebal_schedule_opts *opts,
                       struct answers *answers);
/* Returns where two lists of answers differ, or NULL. */
const char *compare_answers(const struct answers *left, const struct answers *right);
#define PHASES 4
int open_results(rebal_result *results[PHASES]); /* 0: no memory */
void close_results(rebal_result *results[PHASES]);
/* Filter, score, select, assign, each into a result of its own; the code of the first that fails. */
int32_t run_phases(struct test_world *world, const rebal_schedule_opts *opts, rebal_result *results[PHASES]);
/* Returns which cell of a table differs between two results, or NULL. */
const char *compare_table(const rebal_result *left, const rebal_result *right, uint32_t table);
/* Returns where the decisions and what is placed differ, or NULL. */
const char *compare_results(const rebal_result *left, const rebal_result *right);
/* Text for a failure, valid until the next one. */
const char *fault(const char *format, ...);

typedef const char *(*law)(struct dice *dice);

const char *law_permutation(struct dice *dice);
const char *law_conservation(struct dice *dice);
const char *law_filtered(struct dice *dice);
const char *law_singles(struct dice *dice);
const char *law_cuts(struct dice *dice);
const char *law_fixed_point(struct dice *dice);
const char *law_caches(struct dice *dice);
const char *law_edits(struct dice *dice);
const char *law_fresh_is_steady(struct dice *dice);
const char *law_phases(struct dice *dice);
const char *law_phases_with_a_ledger(struct dice *dice);
const char *law_observed(struct dice *dice);
const char *law_groups_as_in_a_turn(struct dice *dice);
const char *law_groups_are_singles(struct dice *dice);
const char *law_monotone(struct dice *dice);
const char *law_twin(struct dice *dice);
const char *law_bounded_monotone(struct dice *dice);
const char *law_bounded_twin(struct dice *dice);
const char *law_no_bounds(struct dice *dice);
const char *law_two_turns(struct dice *dice);
const char *law_every_division(struct dice *dice);
const char *law_every_bound(struct dice *dice);
const char *law_partial(struct dice *dice);
enum { NODE_COMPARISONS = 24 }; /* that one case makes */
const char *law_nodes(struct dice *dice);
const char *law_static_capacity(struct dice *dice);
const char *law_plain_scheduler(struct dice *dice);
const char *law_phases_look_everywhere(struct dice *dice);
const char *law_brought_up_to_date(struct dice *dice);
const char *law_sweep(struct dice *dice);
const char *law_headroom(struct dice *dice);
const char *law_try(struct dice *dice);
const char *law_counterfactual(struct dice *dice);
const char *law_ledgers_in_turn(struct dice *dice);
enum { SPREAD_COMPARISONS = 8 }; /* that one case makes */
const char *law_plain_spread(struct dice *dice);
const char *law_spread_fork(struct dice *dice);
const char *law_spread_reload(struct dice *dice);
const char *law_spread_settles(struct dice *dice);
const char *law_spread_order(struct dice *dice);
const char *law_spread_cuts(struct dice *dice);
const char *law_spread_strangers(struct dice *dice);
const char *law_spread_costs(struct dice *dice);
const char *law_spread_turns(struct dice *dice);
const char *law_every_movement(struct dice *dice);
const char *law_movement_try_all(struct dice *dice);
const char *law_movement_is_proved(struct dice *dice);
const char *law_movement_changed(struct dice *dice);
const char *law_movement_bound(struct dice *dice);
const char *law_movement_orders(struct dice *dice);
const char *law_movement_again(struct dice *dice);
const char *law_plan_grants(struct dice *dice);
const char *law_plan_shadows(struct dice *dice);
const char *law_plan_total(struct dice *dice);
const char *law_plan_is_scheduled(struct dice *dice);
const char *law_plan_rests(struct dice *dice);
const char *law_plan_least_rests(struct dice *dice);
const char *law_plan_try(struct dice *dice);
const char *law_plan_order(struct dice *dice);

#endif
