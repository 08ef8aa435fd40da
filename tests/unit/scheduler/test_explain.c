/* SPDX-License-Identifier: MIT */
/* Rows and counts of whole calls: what the limit of rows cuts, and that nothing else changes. */
#include "explained.h"

#include "../unit.h"

#include "../../support/allocator.h"

static const struct test_affinity near_and_far[] = {{.name = "near", .clusters = "m4 m5"},
                                                    {.name = "far", .clusters = "m1 m3"}};
static const struct test_placement grouped = {
    .terms = near_and_far, .n_terms = 2, .spreads = "cluster:1:1", .scheduling = "Divided/Aggregated"};
static const struct test_placement spread = {.spreads = "cluster:1:2", .scheduling = "Divided/Aggregated"};

static const struct test_cluster clusters[] = {{"m1", .allocatable = "pods=5"},
                                               {"m2", .allocatable = "pods=2"},
                                               {"m3", .allocatable = "pods=9"},
                                               {"m4", .deleting = 1},
                                               {"m5", .apis = "", .taints = "k:NoExecute"},
                                               {"m6", .allocatable = "pods=1"}};

static const struct test_binding bindings[] = {
    {.key = "a/one", .replicas = 4, .placement = &spread, .targets = "m6=1 m9=2"},
    {.key = "a/two", .replicas = 3, .placement = &grouped},
    {.key = "a/three", .replicas = 99, .placement = &spread},
    {.key = "a/four", .replicas = 2}};

static void open_world(struct test_world *world, const rebal_allocator *allocator) {
  test_world_open(world, allocator);
  for (size_t i = 0; i < REBALI_COUNT(clusters); i++) {
    (void)test_add_cluster(world, &clusters[i]);
  }
  for (size_t i = 0; i < REBALI_COUNT(bindings); i++) {
    (void)test_add_binding(world, NULL, &bindings[i]);
  }
  test_freeze(world);
}

/* Calls that explain; all fill the same tables. */
struct call {
  rebal_ctx *ctx;
  rebal_result *result;
};
typedef int32_t (*explained_call)(const struct test_world *world, const struct call *call,
                                  const rebal_schedule_opts *opts);

static int32_t schedule(const struct test_world *world, const struct call *call, const rebal_schedule_opts *opts) {
  return rebal_schedule(call->ctx, world->snapshot, world->bindings, opts, call->result, NULL);
}

static int32_t step(const struct test_world *world, const struct call *call, const rebal_schedule_opts *opts) {
  const rebal_time now = test_time(100);

  return rebal_scheduler_step(call->ctx, world->snapshot, world->bindings, &now, opts, call->result, NULL);
}

static const explained_call calls[] = {schedule, step};

static void must(explained_call query, const struct test_world *world, uint64_t rows) {
  const struct call call = {world->ctx, world->result};
  const rebal_schedule_opts opts = explain_opts(rows);

  ck_assert_int_eq(query(world, &call, &opts), REBAL_OK);
}

/* Returns all tables that a call fills as text, which the caller frees. */
static char *copy_tables(const rebal_result *result, const uint32_t *tables, size_t n) {
  char *copy = calloc(1, 1);

  for (size_t i = 0; i < n; i++) {
    const char *text = printed_table(result, tables[i]);

    ck_assert_ptr_nonnull(copy);
    copy = realloc(copy, strlen(copy) + strlen(text) + 1);
    strcat(copy, text);
  }
  return copy;
}

static const uint32_t answer_tables[] = {REBAL_TABLE_DECISION, REBAL_TABLE_PLACED, REBAL_TABLE_ACTION,
                                         REBAL_TABLE_STEP};
static const uint32_t explain_tables[] = {REBAL_TABLE_EXPLAIN, REBAL_TABLE_EXPLAIN_COUNT};

static int64_t cell(const rebal_result *result, uint32_t column, size_t row) {
  size_t n;

  return rebal_result_i64(result, column, &n)[row];
}

/* Returns the number of rows of a table that belong to a binding. */
static size_t rows_of(const rebal_result *result, uint32_t table, uint32_t column, int64_t binding) {
  size_t n = 0;

  for (size_t row = 0; row < rebal_result_count(result, table); row++) {
    n += cell(result, column, row) == binding;
  }
  return n;
}

static const struct {
  int64_t binding;
  const char *group;
  int64_t stage;
  int64_t verdict;
  int64_t clusters;
} counts[] = {
    {0, "", REBAL_STAGE_FILTER, REBAL_WHY_FEASIBLE, 4},
    {0, "", REBAL_STAGE_FILTER, REBAL_WHY_REJECTED, 1},
    {0, "", REBAL_STAGE_FILTER, REBAL_WHY_DELETING, 1},
    {0, "", REBAL_STAGE_SCORE, REBAL_WHY_SCORED, 4},
    {0, "", REBAL_STAGE_SELECT, REBAL_WHY_SELECTED, 2},
    {0, "", REBAL_STAGE_SELECT, REBAL_WHY_BEYOND_MAX_GROUPS, 2},
    {0, "", REBAL_STAGE_ASSIGN, REBAL_WHY_PLACED, 2},
    {0, "", REBAL_STAGE_ASSIGN, REBAL_WHY_DROPPED, 1},
    {1, "near", REBAL_STAGE_FILTER, REBAL_WHY_REJECTED, 5},
    {1, "near", REBAL_STAGE_FILTER, REBAL_WHY_DELETING, 1},
    {1, "near", REBAL_STAGE_FILTER, REBAL_WHY_REFUSED, 0},
    {1, "far", REBAL_STAGE_FILTER, REBAL_WHY_FEASIBLE, 2},
    {1, "far", REBAL_STAGE_FILTER, REBAL_WHY_REJECTED, 3},
    {1, "far", REBAL_STAGE_FILTER, REBAL_WHY_DELETING, 1},
    {1, "far", REBAL_STAGE_SCORE, REBAL_WHY_SCORED, 2},
    {1, "far", REBAL_STAGE_SELECT, REBAL_WHY_SELECTED, 1},
    {1, "far", REBAL_STAGE_SELECT, REBAL_WHY_BEYOND_MAX_GROUPS, 1},
    {1, "far", REBAL_STAGE_ASSIGN, REBAL_WHY_PLACED, 1},
    {2, "", REBAL_STAGE_FILTER, REBAL_WHY_FEASIBLE, 4},
    {2, "", REBAL_STAGE_FILTER, REBAL_WHY_REJECTED, 1},
    {2, "", REBAL_STAGE_FILTER, REBAL_WHY_DELETING, 1},
    {2, "", REBAL_STAGE_SCORE, REBAL_WHY_SCORED, 4},
    {2, "", REBAL_STAGE_SELECT, REBAL_WHY_REFUSED, 0},
};

/* Both groups are tried, whatever the number of rows. A binding without placement reaches no stage. */
static void check_counts(explained_call query, uint64_t rows) {
  struct test_world world;

  open_world(&world, NULL);
  must(query, &world, rows);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_EXPLAIN_COUNT), REBALI_COUNT(counts));
  for (size_t row = 0; row < REBALI_COUNT(counts); row++) {
    ck_assert_int_eq(cell(world.result, REBAL_EXPLAIN_COUNT_BINDING, row), counts[row].binding);
    ck_assert_str_eq(rebal_result_text(world.result, REBAL_EXPLAIN_COUNT_AFFINITY_NAME, row, NULL), counts[row].group);
    ck_assert_int_eq(cell(world.result, REBAL_EXPLAIN_COUNT_STAGE, row), counts[row].stage);
    ck_assert_int_eq(cell(world.result, REBAL_EXPLAIN_COUNT_VERDICT, row), counts[row].verdict);
    ck_assert_int_eq(cell(world.result, REBAL_EXPLAIN_COUNT_CLUSTERS, row), counts[row].clusters);
  }
  test_world_close(&world);
}

START_TEST(test_counts) {
  for (size_t i = 0; i < REBALI_COUNT(calls); i++) {
    check_counts(calls[i], (uint64_t)_i);
  }
}
END_TEST

/* Each binding gets its first rows up to the limit; the answer is that of a call without explanation. */
START_TEST(test_rows_are_capped) {
  struct test_world world, whole;
  char *plain, *answer;

  open_world(&world, NULL);
  open_world(&whole, NULL);
  must(calls[_i], &world, 0);
  plain = copy_tables(world.result, answer_tables, REBALI_COUNT(answer_tables));
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_EXPLAIN), 0);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_EXPLAIN_COUNT), 0);
  must(calls[_i], &whole, UINT64_MAX);
  for (uint64_t most = 1; most < 40; most++) {
    must(calls[_i], &world, most);
    answer = copy_tables(world.result, answer_tables, REBALI_COUNT(answer_tables));
    ck_assert_str_eq(answer, plain);
    free(answer);
    for (int64_t binding = 0; binding < (int64_t)REBALI_COUNT(bindings); binding++) {
      const size_t all = rows_of(whole.result, REBAL_TABLE_EXPLAIN, REBAL_EXPLAIN_BINDING, binding);

      ck_assert_uint_eq(rows_of(world.result, REBAL_TABLE_EXPLAIN, REBAL_EXPLAIN_BINDING, binding),
                        all < most ? all : most);
    }
    ck_assert_int_eq(cell(world.result, REBAL_EXPLAIN_CLUSTER, 0), cell(whole.result, REBAL_EXPLAIN_CLUSTER, 0));
  }
  free(plain);
  test_world_close(&whole);
  test_world_close(&world);
}
END_TEST

/* The rows of a binding whose first group does not fit, by group and stage; rows of clusters are in their order. */
START_TEST(test_groups_in_turn) {
  static const struct test_cluster two[] = {{"m1", .allocatable = "pods=5"}, {"m4", .deleting = 1}};
  const rebal_schedule_opts opts = explain_opts(UINT64_MAX);
  const rebal_time now = test_time(100);
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, two, 2, &bindings[1]);
  ck_assert_int_eq(
      rebal_scheduler_step(world.ctx, world.snapshot, world.bindings, &now, &opts, world.result, &world.err), REBAL_OK);
  ck_assert_str_eq(
      explained_sentences(&world),
      "Affinity group near: m1 is rejected by ClusterAffinity: clusterNames lists only m4, m5.\n"
      "Affinity group near: m4 is being deleted.\n"
      "Affinity group near: a/two is refused by the filter stage: 0/2 clusters are available: 1 cluster(s) did not "
      "match the placement cluster affinity constraint.\n"
      "Affinity group far: m1 is feasible.\n"
      "Affinity group far: m4 is being deleted.\n"
      "Affinity group far: m1 scores 0 (0 for locality, 0 by the caller) and has capacity for 5 replicas, 5 of them "
      "new: "
      "pods limits it.\n"
      "Affinity group far: m1 is selected (rank 1).\n"
      "Affinity group far: m1 gets 3 replicas.\n");
  test_world_close(&world);
}
END_TEST

/* Without explanations there is no cost: a warm call allocates no memory, before and after a call that explains. */
START_TEST(test_off_costs_nothing) {
  static const struct test_binding fits = {.replicas = 4, .placement = &spread, .targets = "m6=1 m9=2"};
  struct test_allocator memory;
  struct test_world world;
  size_t request, requested_to_explain;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  test_world_open(&world, &memory.functions);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &fits);
  must(schedule, &world, 0);
  must(schedule, &world, 0);
  request = memory.requests;
  must(schedule, &world, 0);
  ck_assert_uint_eq(memory.requests, request);
  must(schedule, &world, UINT64_MAX);
  requested_to_explain = memory.requests - request;
  ck_assert_uint_gt(requested_to_explain, 0);
  must(schedule, &world, 0);
  request = memory.requests;
  must(schedule, &world, 0);
  ck_assert_uint_eq(memory.requests, request);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_EXPLAIN), 0);
  test_world_close(&world);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_caches_make_no_difference) {
  struct test_world world;
  rebal_ctx *bare = test_context(NULL, REBAL_CTX_FLAG_NO_CACHE, 0);
  const rebal_schedule_opts opts = explain_opts(UINT64_MAX);
  char *reported, *explained_bare;

  open_world(&world, NULL);
  must(calls[_i], &world, UINT64_MAX);
  must(calls[_i], &world, UINT64_MAX);
  reported = copy_tables(world.result, explain_tables, REBALI_COUNT(explain_tables));
  ck_assert_int_eq(calls[_i](&world, &(struct call){bare, world.result}, &opts), REBAL_OK);
  explained_bare = copy_tables(world.result, explain_tables, REBALI_COUNT(explain_tables));
  ck_assert_str_eq(explained_bare, reported);
  free(reported);
  free(explained_bare);
  rebal_ctx_free(bare);
  test_world_close(&world);
}
END_TEST

/* Each phase called alone explains its own stages, with the same text as the whole call. */
START_TEST(test_phases_alone) {
  const rebal_schedule_opts opts = explain_opts(UINT64_MAX);
  rebal_result *results[4];
  struct test_world world;
  char *whole, *parts[4];

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &bindings[0]);
  must(schedule, &world, UINT64_MAX);
  whole = copy_tables(world.result, explain_tables, 1);
  for (size_t i = 0; i < REBALI_COUNT(results); i++) {
    ck_assert_int_eq(rebal_result_new(NULL, &results[i], NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, world.bindings, &opts, results[0], NULL), REBAL_OK);
  ck_assert_int_eq(rebal_score(world.ctx, world.snapshot, world.bindings, results[0], &opts, results[1], NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_select(world.ctx, world.snapshot, world.bindings, results[1], &opts, results[2], NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_assign(world.ctx, world.snapshot, world.bindings, results[2], &opts, results[3], NULL),
                   REBAL_OK);
  for (size_t i = 0; i < REBALI_COUNT(parts); i++) {
    parts[i] = copy_tables(results[i], explain_tables, 1);
    rebal_result_free(results[i]);
  }
  /* Scoring filters by the verdicts that are passed to it, and explains them again. */
  ck_assert_int_eq(strncmp(parts[1], parts[0], strlen(parts[0])), 0);
  free(parts[0]);
  parts[0] = calloc(1, strlen(parts[1]) + strlen(parts[2]) + strlen(parts[3]) + 1);
  for (size_t i = 1; i < REBALI_COUNT(parts); i++) {
    strcat(parts[0], parts[i]);
    free(parts[i]);
  }
  ck_assert_str_eq(parts[0], whole);
  free(parts[0]);
  free(whole);
  test_world_close(&world);
}
END_TEST

/* A verdict of the caller is based on no field. */
START_TEST(test_verdicts_of_the_caller) {
  static const struct test_cluster one[] = {{"m1", .apis = "", .taints = "k:NoExecute"}};
  static const struct test_affinity elsewhere = {.clusters = "m2"};
  static const struct test_placement strict = {.affinity = &elsewhere, .spreads = "region:1:1"};
  static const struct test_placement lax = {0};
  static const struct test_binding refused = {.placement = &strict, .evicting = "m1", .friends = "a", .foes = "b"};
  static const struct test_binding accepted = {.placement = &lax, .targets = "m1=1"};
  const rebal_schedule_opts opts = explain_opts(UINT64_MAX);
  struct test_world world, other;

  test_world_open(&world, NULL);
  test_world_fill(&world, one, 1, &refused);
  test_world_open(&other, NULL);
  test_world_fill(&other, one, 1, &accepted);
  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_score(other.ctx, other.snapshot, other.bindings, world.result, &opts, other.result, NULL),
                   REBAL_OK);
  ck_assert_str_eq(explained_sentences(&other),
                   "m1 is rejected by APIEnablement: it does not serve apps/v1 Deployment.\n"
                   "m1 is rejected by ClusterAffinity.\n"
                   "m1 is rejected by ClusterEviction.\n"
                   "m1 is rejected by SpreadConstraint.\n"
                   "m1 is rejected by TaintToleration: its taint k:NoExecute is not tolerated.\n"
                   "default/web is refused by the filter stage: 0/1 clusters are available: 1 cluster(s) did not have "
                   "the API resource.\n");
  test_world_close(&other);
  test_world_close(&world);
}
END_TEST

struct torture {
  const struct test_world *world;
  explained_call query;
};

static int32_t explain_twice(const rebal_allocator *allocator, void *user_data) {
  const struct torture *torture = user_data;
  const rebal_schedule_opts opts = explain_opts(UINT64_MAX);
  struct call call = {NULL, NULL};
  int32_t code = rebal_ctx_new(allocator, NULL, &call.ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &call.result, NULL) : code;
  for (int round = 0; round < 2 && code == REBAL_OK; round++) {
    code = torture->query(torture->world, &call, &opts);
  }
  rebal_result_free(call.result);
  rebal_ctx_free(call.ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  struct test_world world;
  struct torture torture = {&world, calls[_i]};

  open_world(&world, NULL);
  ck_assert_pstr_eq(test_torture(explain_twice, &torture), NULL);
  test_world_close(&world);
}
END_TEST

START_TEST(test_weights_out_of_memory) {
  static const struct test_placement weighted = {.scheduling = "Divided/Weighted", .weights = "m1=1"};
  static const struct test_binding binding = {.replicas = 2, .placement = &weighted};
  struct test_world world;
  struct torture torture = {&world, calls[0]};

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &binding);
  ck_assert_pstr_eq(test_torture(explain_twice, &torture), NULL);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(explain) {
  TCase *cases = tcase_create("explain");

  tcase_add_loop_test(cases, test_counts, 1, 4);
  tcase_add_loop_test(cases, test_rows_are_capped, 0, (int)REBALI_COUNT(calls));
  tcase_add_test(cases, test_groups_in_turn);
  tcase_add_test(cases, test_phases_alone);
  tcase_add_test(cases, test_verdicts_of_the_caller);
  UNIT_ADD_COUNTING(cases, test_off_costs_nothing);
  tcase_add_loop_test(cases, test_caches_make_no_difference, 0, (int)REBALI_COUNT(calls));
  tcase_add_loop_test(cases, test_out_of_memory, 0, (int)REBALI_COUNT(calls));
  tcase_add_test(cases, test_weights_out_of_memory);
  return cases;
}
