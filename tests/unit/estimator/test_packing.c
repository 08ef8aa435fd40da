/* SPDX-License-Identifier: MIT */
/* First fit on runs of equal nodes (rebalance-karmada(7) 6.7) beside the same node by node, and its bounds. */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define MOST_AMOUNTS 3
#define MOST_NODES 1000
#define FEW_NODES 60
#define MOST_NEEDS 3

/* One case: nodes by group, sets placed beforehand one after the other, and the set that is counted. */
struct packing {
  size_t n_amounts;
  size_t n_groups;
  int64_t counts[6];
  int64_t groups[6][MOST_AMOUNTS];
  size_t n_held;
  struct rebali_need held[4];
  size_t n_needs;
  struct rebali_need needs[MOST_NEEDS];
  int64_t amounts[4 + MOST_NEEDS][MOST_AMOUNTS]; /* of held, then of needs */
  int64_t bound;
};

/* ---- node by node ---- */

struct node_list {
  size_t n;
  size_t n_amounts;
  int64_t amounts[MOST_NODES][MOST_AMOUNTS];
};

static int64_t fit_node(const struct node_list *list, size_t node, const int64_t *need) {
  int64_t best = INT64_MAX;

  for (size_t i = 0; i < list->n_amounts; i++) {
    const int64_t fit = need[i] > 0 ? list->amounts[node][i] / need[i] : INT64_MAX;

    best = fit < best ? fit : best;
  }
  return best;
}

static int place_component(struct node_list *list, const struct rebali_need *need) {
  int64_t left = need->replicas;

  for (size_t node = 0; node < list->n && left > 0; node++) {
    int64_t take = fit_node(list, node, need->amounts);

    take = take < left ? take : left;
    for (size_t i = 0; i < list->n_amounts; i++) {
      list->amounts[node][i] -= take * need->amounts[i];
    }
    left -= take;
  }
  return left == 0;
}

static int64_t count_plainly(const struct packing *packing) {
  struct node_list list = {.n_amounts = packing->n_amounts};
  int64_t sets = 0;

  for (size_t group = 0; group < packing->n_groups; group++) {
    for (int64_t i = 0; i < packing->counts[group]; i++) {
      memcpy(list.amounts[list.n++], packing->groups[group], sizeof list.amounts[0]);
    }
  }
  for (size_t i = 0; i < packing->n_held; i++) {
    (void)place_component(&list, &packing->held[i]);
  }
  while (sets < packing->bound) {
    for (size_t i = 0; i < packing->n_needs; i++) {
      if (!place_component(&list, &packing->needs[i])) {
        return sets;
      }
    }
    sets++;
  }
  return sets;
}

/* ---- by runs ---- */

static struct rebali_arena arena;

static int64_t count_by_runs(const struct packing *packing) {
  struct rebali_nodes nodes;
  int64_t sets = -1;

  rebali_arena_reset(&arena);
  rebali_nodes_init(&nodes, &arena, packing->n_amounts);
  for (size_t group = 0; group < packing->n_groups; group++) {
    ck_assert_int_eq(rebali_nodes_add(&nodes, packing->counts[group], packing->groups[group]), REBAL_OK);
  }
  for (size_t i = 0; i < packing->n_held; i++) {
    int64_t left = packing->held[i].replicas;

    ck_assert_int_eq(rebali_nodes_place(&nodes, nodes.first, packing->held[i].amounts, &left), REBAL_OK);
  }
  ck_assert_int_eq(rebali_nodes_count_sets(&nodes, packing->needs, packing->n_needs, packing->bound, &sets), REBAL_OK);
  return sets;
}

static uint64_t next_random(uint64_t *state, uint64_t below) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (*state >> 33) % below;
}

static void draw_need(uint64_t *random, struct packing *packing, struct rebali_need *need, int64_t *amounts) {
  amounts[0] = 1;
  for (size_t i = 1; i < packing->n_amounts; i++) {
    amounts[i] = (int64_t)next_random(random, 5);
  }
  need->amounts = amounts;
  need->replicas = 1 + (int64_t)next_random(random, 4);
}

static void draw(uint64_t *random, int64_t left, struct packing *packing) {
  memset(packing, 0, sizeof *packing);
  packing->n_amounts = 1 + (size_t)next_random(random, MOST_AMOUNTS);
  packing->n_groups = 1 + (size_t)next_random(random, 4);
  for (size_t group = 0; group < packing->n_groups; group++) {
    packing->counts[group] = 1 + (int64_t)next_random(random, (uint64_t)left / (packing->n_groups - group));
    left -= packing->counts[group];
    packing->groups[group][0] = (int64_t)next_random(random, 12);
    for (size_t i = 1; i < packing->n_amounts; i++) {
      packing->groups[group][i] = (int64_t)next_random(random, 14);
    }
  }
  packing->n_held = (size_t)next_random(random, 5);
  for (size_t i = 0; i < packing->n_held; i++) {
    draw_need(random, packing, &packing->held[i], packing->amounts[i]);
  }
  packing->n_needs = (size_t)next_random(random, MOST_NEEDS + 1);
  for (size_t i = 0; i < packing->n_needs; i++) {
    draw_need(random, packing, &packing->needs[i], packing->amounts[4 + i]);
  }
  packing->bound = next_random(random, 4) == 0 ? (int64_t)next_random(random, 9) : 100000;
}

START_TEST(test_runs_equal_nodes) {
  uint64_t random = 5;
  struct packing packing;

  for (size_t i = 0; i < unit_rounds(1000000); i++) {
    draw(&random, i % 200 != 0 ? FEW_NODES : MOST_NODES, &packing);
    ck_assert_int_eq(count_by_runs(&packing), count_plainly(&packing));
  }
}
END_TEST

/* ---- measured and bounded ---- */

#define CPU 1000

static const struct {
  int64_t requests[2]; /* of two components of one replica */
  int64_t sets;
} golden[] = {{{1, 3}, 1}, {{4, 1}, 1}, {{1, 4}, 0}};

/* Spec karmada 6.7: a node of 4 cpu, one of 1, ten pods each. */
START_TEST(test_order_of_components_matters) {
  struct packing packing = {.n_amounts = 2, .n_groups = 2, .counts = {1, 1}, .groups = {{10, 4 * CPU}, {10, CPU}}};
  const int64_t small[2] = {1, CPU};
  struct rebali_nodes nodes;
  int64_t left = 1;

  packing.n_needs = 2;
  packing.bound = INT32_MAX;
  for (size_t i = 0; i < 2; i++) {
    packing.amounts[i][0] = 1;
    packing.amounts[i][1] = golden[_i].requests[i] * CPU;
    packing.needs[i] = (struct rebali_need){packing.amounts[i], 1, REBAL_NONE};
  }
  ck_assert_int_eq(count_by_runs(&packing), golden[_i].sets);
  /* What was placed of a set that does not fit stays: the first node keeps 3 cpu. */
  rebali_nodes_init(&nodes, &arena, 2);
  ck_assert_int_eq(rebali_nodes_add(&nodes, 1, packing.groups[0]), REBAL_OK);
  ck_assert_int_eq(rebali_nodes_place(&nodes, nodes.first, small, &left), REBAL_OK);
  ck_assert_int_eq(nodes.first->amounts[1], 3 * CPU);
  ck_assert_int_eq(left, 0);
}
END_TEST

/* Sets that fit into so many equal nodes: many nodes give what a few give, times as many. */
static const struct {
  int64_t node[MOST_AMOUNTS];
  struct {
    int64_t amounts[MOST_AMOUNTS];
    int64_t replicas;
  } needs[MOST_NEEDS];
  size_t n_needs;
} patterns[] = {
    {{110, 8, 16}, {{{1, 2, 1}, 1}, {{1, 1, 4}, 1}}, 2},
    {{110, 5, 0}, {{{1, 3, 0}, 1}, {{1, 1, 0}, 1}}, 2},
    {{110, 7, 64}, {{{1, 1, 9}, 3}, {{1, 2, 1}, 1}}, 2},
    {{110, 64, 256}, {{{1, 3, 7}, 2}, {{1, 5, 11}, 1}, {{1, 1, 1}, 7}}, 3},
    {{110, 4000, 16384}, {{{1, 500, 1024}, 1}, {{1, 250, 2048}, 3}}, 2},
    {{10, 3, 0}, {{{1, 0, 0}, 2}, {{1, 1, 0}, 1}}, 2},
};

START_TEST(test_patterns_are_followed) {
  struct packing packing = {.n_amounts = 3, .n_groups = 1, .bound = INT32_MAX};
  int64_t few, many;

  packing.n_needs = patterns[_i].n_needs;
  memcpy(packing.groups[0], patterns[_i].node, sizeof packing.groups[0]);
  for (size_t i = 0; i < packing.n_needs; i++) {
    packing.needs[i] = (struct rebali_need){patterns[_i].needs[i].amounts, patterns[_i].needs[i].replicas, REBAL_NONE};
  }
  for (int64_t n = 1; n <= MOST_NODES; n += n < FEW_NODES ? 1 : 47) {
    packing.counts[0] = n;
    ck_assert_int_eq(count_by_runs(&packing), count_plainly(&packing));
  }
  packing.counts[0] = INT64_C(1) << 17;
  few = count_by_runs(&packing);
  packing.counts[0] = INT64_C(1) << 24;
  many = count_by_runs(&packing);
  /* The seam at the end of the nodes is the only difference, and it is short. */
  ck_assert_int_lt(many - few * 128, 10000);
  ck_assert_int_gt(many - few * 128, -10000);
  packing.counts[0] = INT64_MAX;
  ck_assert_int_eq(count_by_runs(&packing), INT32_MAX);
}
END_TEST

/* Where no pattern shows in time, the sets placed so far are the answer. */
START_TEST(test_sets_without_a_pattern) {
  static const int64_t large[2] = {1, 1};
  struct packing packing = {.n_amounts = 2, .n_groups = 1, .counts = {INT64_MAX}, .groups = {{INT64_MAX, INT64_MAX}}};

  /* One node-sized run that never comes back: each set leaves another amount on the first node. */
  packing.counts[0] = 1;
  packing.needs[0] = (struct rebali_need){large, 1, REBAL_NONE};
  packing.needs[1] = (struct rebali_need){large, 2, REBAL_NONE};
  packing.n_needs = 2;
  packing.bound = INT32_MAX;
  ck_assert_int_eq(count_by_runs(&packing), REBALI_SETS_TRIED);
  packing.n_needs = 1; /* the closed form needs no pattern */
  ck_assert_int_eq(count_by_runs(&packing), INT32_MAX);
  packing.n_needs = 0;
  ck_assert_int_eq(count_by_runs(&packing), INT32_MAX);
}
END_TEST

START_TEST(test_many_replicas_of_a_set) {
  static const int64_t one_cpu[2] = {1, 1};
  static const int64_t two_cpu[2] = {1, 2};
  struct packing packing = {
      .n_amounts = 2, .n_groups = 2, .counts = {INT32_MAX, INT32_MAX}, .groups = {{110, 3}, {110, 30}}};

  packing.needs[0] = (struct rebali_need){one_cpu, INT32_MAX, REBAL_NONE};
  packing.needs[1] = (struct rebali_need){two_cpu, INT32_MAX, REBAL_NONE};
  packing.n_needs = 2;
  packing.bound = INT32_MAX;
  ck_assert_int_eq(count_by_runs(&packing), 11); /* 33 cpu of each pair of nodes; a set takes 3 of them */
  packing.counts[0] = packing.counts[1] = packing.needs[0].replicas = packing.needs[1].replicas = 300;
  ck_assert_int_eq(count_by_runs(&packing), 11);
  ck_assert_int_eq(count_plainly(&packing), 11);
}
END_TEST

/* Each set touches 2^60 nodes, of which there are 11 times as many but one: the count of them saturates. */
START_TEST(test_more_nodes_touched_than_can_be_counted) {
  static const int64_t one_cpu[2] = {1, 1};
  static const int64_t a_pod[2] = {1, 0};
  struct packing packing = {.n_amounts = 2,
                            .n_groups = 2,
                            .counts = {INT64_C(3) << 60, INT64_MAX},
                            .groups = {{100, 1}, {101, 1}},
                            .n_needs = 2,
                            .bound = 100};

  packing.needs[0] = (struct rebali_need){one_cpu, INT64_C(1) << 60, REBAL_NONE};
  packing.needs[1] = (struct rebali_need){a_pod, 1, REBAL_NONE};
  ck_assert_int_eq(count_by_runs(&packing), 10);
}
END_TEST

static int32_t pack(const rebal_allocator *allocator, void *user_data) {
  const struct packing *packing = user_data;
  struct rebali_arena own;
  struct rebali_nodes nodes;
  int64_t sets;
  int64_t left = 40;
  int32_t code;

  rebali_arena_init(&own, allocator, 0);
  rebali_nodes_init(&nodes, &own, packing->n_amounts);
  code = rebali_nodes_add(&nodes, 1000, packing->groups[0]);
  for (int i = 0; i < 200 && code == REBAL_OK; i++) {
    code = rebali_nodes_add(&nodes, 1 + i, packing->groups[i % 2]);
  }
  code = code == REBAL_OK ? rebali_nodes_place(&nodes, nodes.first, packing->needs[0].amounts, &left) : code;
  code = code == REBAL_OK ? rebali_nodes_count_sets(&nodes, packing->needs, packing->n_needs, INT32_MAX, &sets) : code;
  rebali_arena_dispose(&own);
  return code;
}

START_TEST(test_out_of_memory) {
  static const int64_t one_cpu[2] = {1, 1};
  static const int64_t two_cpu[2] = {1, 2};
  struct packing packing = {.n_amounts = 2, .groups = {{110, 7}, {110, 30}}};

  packing.needs[0] = (struct rebali_need){one_cpu, 3, REBAL_NONE};
  packing.needs[1] = (struct rebali_need){two_cpu, 1, REBAL_NONE};
  packing.n_needs = 2;
  ck_assert_pstr_eq(test_torture(pack, &packing), NULL);
}
END_TEST

static struct test_world world;

static void setup(void) {
  test_world_open(&world, NULL);
  rebali_arena_init(&arena, rebali_ctx_allocator(world.ctx), 0);
}

static void teardown(void) {
  rebali_arena_dispose(&arena);
  test_world_close(&world);
}

UNIT_CASE(packing) {
  TCase *cases = tcase_create("packing");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_set_timeout(cases, UNIT_TWIN_SECONDS);
  tcase_add_test(cases, test_runs_equal_nodes);
  tcase_add_loop_test(cases, test_order_of_components_matters, 0, (int)REBALI_COUNT(golden));
  tcase_add_loop_test(cases, test_patterns_are_followed, 0, (int)REBALI_COUNT(patterns));
  tcase_add_test(cases, test_sets_without_a_pattern);
  tcase_add_test(cases, test_many_replicas_of_a_set);
  tcase_add_test(cases, test_more_nodes_touched_than_can_be_counted);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
