/* SPDX-License-Identifier: MIT */
#include "plain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  law try;
  unsigned long cases; /* LAWS_CASES replaces it; 0: one call tries them all */
  unsigned long each;  /* how many of them one seed makes; 0: one */
} laws[] = {
    {"permuting what has no order changes nothing", law_permutation, 1500},
    {"replicas are conserved", law_conservation, 3000},
    {"nothing new goes to a filtered cluster", law_filtered, 3000},
    {"a batch equals single calls", law_singles, 1500},
    {"a batch cut anywhere equals the whole, with a ledger", law_cuts, 1500},
    {"a second steady pass changes nothing", law_fixed_point, 3000},
    {"answers do not depend on the cache", law_caches, 1500},
    {"a warm cache follows the fleet", law_edits, 500},
    {"the phases one by one equal the whole", law_phases, 2000},
    {"the phases one by one equal the whole, with a ledger", law_phases_with_a_ledger, 1500},
    {"fresh is steady where nothing is assigned", law_fresh_is_steady, 2000},
    {"turns with every write observed equal those without", law_observed, 1500},
    {"affinity groups are walked as in a turn", law_groups_as_in_a_turn, 3000},
    {"affinity groups are walked one single group after another", law_groups_are_singles, 1500},
    {"one seat more takes none away", law_monotone, 5000},
    {"one seat more takes none away, between bounds", law_bounded_monotone, 5000},
    {"a plain scan divides alike", law_twin, 50000},
    {"a plain scan divides alike, between bounds", law_bounded_twin, 50000},
    {"division without bounds equals division by weight", law_no_bounds, 20000},
    {"dividing in two turns equals dividing in one", law_two_turns, 20000},
    {"every small division matches the definition", law_every_division, 0},
    {"every small division between bounds matches the definition", law_every_bound, 0},
    {"what fits is placed and the rest is missing", law_partial, 3000},
    {"what fits on nodes is what a plain scan of each finds", law_nodes, 24000, NODE_COMPARISONS},
    {"static weights within what is available", law_static_capacity, 3000},
    {"a plain scheduler answers alike", law_plain_scheduler, 12800, PLAIN_COMPARISONS},
    {"the phases, which examine every cluster, answer alike", law_phases_look_everywhere, 6400, PLAIN_COMPARISONS},
    {"updated caches answer as new ones", law_brought_up_to_date, 6400, PLAIN_COMPARISONS},
    {"ledgers and contexts that take turns answer as if they were new", law_ledgers_in_turn, 6400, PLAIN_COMPARISONS},
    {"a sweep equals deciding all bindings with each loss", law_sweep, 6400, PLAIN_COMPARISONS},
    {"limits grant what a plain second implementation grants", law_plan_grants, 6000},
    {"a shadow is the plan without that limit", law_plan_shadows, 1500},
    {"a larger total never moves less", law_plan_total, 1500},
    {"a plan's goal is what is scheduled row by row", law_plan_is_scheduled, 3000},
    {"a steady plan after an applied plan moves nothing", law_plan_rests, 3000},
    {"a least plan after an applied least plan moves nothing", law_plan_least_rests, 3000},
    {"plans do not depend on the order of clusters, nor on a cache", law_plan_order, 1500},
    {"a move by hand uses the same of limits as a plan of it", law_plan_try, 6000},
    {"headroom is what fits when one replica after another is tried", law_headroom, 6400, PLAIN_COMPARISONS},
    {"a move by hand is judged as by the phases", law_try, 6400, PLAIN_COMPARISONS},
    {"a counterfactual holds in a world with the change, and one less does not suffice", law_counterfactual, 500},
    {"a plain controller and admission of WorkloadSpreads answer alike", law_plain_spread, 16000, SPREAD_COMPARISONS},
    {"a WorkloadSpread and its copy behave alike", law_spread_fork, 4000, SPREAD_COMPARISONS},
    {"a loaded status equals the written one", law_spread_reload, 4000, SPREAD_COMPARISONS},
    {"a second pass over a WorkloadSpread changes nothing", law_spread_settles, 8000, SPREAD_COMPARISONS},
    {"the order of a WorkloadSpread's pods changes no sum", law_spread_order, 8000, SPREAD_COMPARISONS},
    {"a batch of pods that is cut anywhere gets the subsets of the whole", law_spread_cuts, 8000, SPREAD_COMPARISONS},
    {"WorkloadSpreads of other workloads change nothing", law_spread_strangers, 4000, SPREAD_COMPARISONS},
    {"deletion costs are ordered", law_spread_costs, 8000, SPREAD_COMPARISONS},
    {"a pass over a WorkloadSpread in turns equals one without", law_spread_turns, 4000, SPREAD_COMPARISONS},
    {"every small movement is the best of all placements", law_every_movement, 0},
    {"a plain scan of all placements finds no better movement", law_movement_try_all, 20000},
    {"a movement is proved", law_movement_is_proved, 10000},
    {"a movement that is changed is refused or not proved", law_movement_changed, 2000},
    {"no bound of a movement is above its cost", law_movement_bound, 5000},
    {"a movement in another order moves as much", law_movement_orders, 5000},
    {"the same movement has the same bytes", law_movement_again, 3000},
};

static unsigned long long number(const char *name, unsigned long long otherwise) {
  const char *text = getenv(name);

  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

int main(void) {
  const unsigned long long seed = number("LAWS_SEED", 1);
  const char *only = getenv("LAWS_ONLY");
  int failed = 0;

  for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
    const unsigned long long each = laws[i].each == 0 ? 1 : laws[i].each;
    const unsigned long long cases = laws[i].cases == 0 ? 1 : number("LAWS_CASES", laws[i].cases);
    const char *wrong = NULL;
    uint64_t drawn = 0; /* the same wherever the same cases were drawn */
    unsigned long long at;

    if (only != NULL && strstr(laws[i].name, only) == NULL) {
      continue;
    }
    for (at = seed; at < seed + (cases + each - 1) / each && wrong == NULL; at++) {
      struct dice dice = {at * UINT64_C(0x9e3779b97f4a7c15) + i};

      wrong = laws[i].try(&dice);
      drawn += dice.state;
    }
    if (wrong != NULL) {
      printf("FAIL %s: LAWS_SEED=%llu: %s\n", laws[i].name, at - 1, wrong);
      failed = 1;
    } else {
      printf("ok %s (%llu cases, %016" PRIx64 ")\n", laws[i].name, cases, drawn);
    }
  }
  return failed;
}
