/* SPDX-License-Identifier: MIT */
/* The public phases: what each writes, what it reads of the one before, and mismatches between them. */
#include "phases_fixture.h"

#include "../unit.h"

#include <stdio.h>

static struct test_world world;
static rebal_result *verdicts, *scored, *selected;

static void open_results(void) {
  ck_assert_int_eq(rebal_result_new(NULL, &verdicts, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &scored, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &selected, NULL), REBAL_OK);
}

static void setup(void) {
  test_world_open(&world, NULL);
  open_results();
}

static void teardown(void) {
  rebal_result_free(verdicts);
  rebal_result_free(scored);
  rebal_result_free(selected);
  test_world_close(&world);
}

static int32_t filter(const rebal_schedule_opts *opts) {
  return rebal_filter(world.ctx, world.snapshot, world.bindings, opts, verdicts, &world.err);
}

static int32_t score(const rebal_result *earlier, const rebal_schedule_opts *opts) {
  return rebal_score(world.ctx, world.snapshot, world.bindings, earlier, opts, scored, &world.err);
}

static int32_t pick(const rebal_result *earlier, const rebal_schedule_opts *opts) {
  return rebal_select(world.ctx, world.snapshot, world.bindings, earlier, opts, selected, &world.err);
}

static int32_t assign(const rebal_result *earlier, const rebal_schedule_opts *opts) {
  return rebal_assign(world.ctx, world.snapshot, world.bindings, earlier, opts, world.result, &world.err);
}

static void run_all(const rebal_schedule_opts *opts) {
  ck_assert_int_eq(filter(opts), REBAL_OK);
  ck_assert_int_eq(score(verdicts, opts), REBAL_OK);
  ck_assert_int_eq(pick(scored, opts), REBAL_OK);
  ck_assert_int_eq(assign(selected, opts), REBAL_OK);
}

/* Returns rows of integer columns as text: "m1 100 5/m2 0 3"; the first column is a cluster's id. */
static const char *rows_text(const rebal_result *result, const uint32_t *columns, size_t n_columns) {
  static char text[2048];
  size_t n = 0;
  size_t len = 0;

  text[0] = '\0';
  (void)rebal_result_i64(result, columns[0], &n);
  for (size_t row = 0; row < n && len < sizeof text; row++) {
    len +=
        (size_t)snprintf(text + len, sizeof text - len, "%s%s", row == 0 ? "" : "/",
                         test_cluster_name(world.snapshot, (uint32_t)rebal_result_i64(result, columns[0], NULL)[row]));
    for (size_t c = 1; c < n_columns && len < sizeof text; c++) {
      len += (size_t)snprintf(text + len, sizeof text - len, " %lld",
                              (long long)rebal_result_i64(result, columns[c], NULL)[row]);
    }
  }
  return text;
}

static const char *scored_text(void) {
  static const uint32_t columns[] = {REBAL_SCORED_CLUSTER,       REBAL_SCORED_SCORE,       REBAL_SCORED_LOCALITY,
                                     REBAL_SCORED_EXTRA,         REBAL_SCORED_ALLOCATABLE, REBAL_SCORED_AVAILABLE,
                                     REBAL_SCORED_OVERFLOW_ORDER};

  return rows_text(scored, columns, REBALI_COUNT(columns));
}

static const char *selected_text(void) {
  static const uint32_t columns[] = {REBAL_SELECTED_CLUSTER, REBAL_SELECTED_SCORE, REBAL_SELECTED_ALLOCATABLE,
                                     REBAL_SELECTED_AVAILABLE, REBAL_SELECTED_OVERFLOW_ORDER};

  return rows_text(selected, columns, REBALI_COUNT(columns));
}

/* "region r1 2000 8 2 chosen/zone z 0 4 1": name, score, available, clusters. */
static const char *groups_text(void) {
  static const char *const fields[] = {"", "cluster", "region", "zone", "provider"};
  static char text[1024];
  size_t len = 0;

  text[0] = '\0';
  for (size_t row = 0; row < rebal_result_count(selected, REBAL_TABLE_GROUP) && len < sizeof text; row++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%s %s %lld %lld %lld%s", row == 0 ? "" : "/",
                            fields[rebal_result_i64(selected, REBAL_GROUP_FIELD, NULL)[row]],
                            rebal_result_text(selected, REBAL_GROUP_NAME, row, NULL),
                            (long long)rebal_result_i64(selected, REBAL_GROUP_SCORE, NULL)[row],
                            (long long)rebal_result_i64(selected, REBAL_GROUP_AVAILABLE, NULL)[row],
                            (long long)rebal_result_i64(selected, REBAL_GROUP_CLUSTERS, NULL)[row],
                            rebal_result_i64(selected, REBAL_GROUP_CHOSEN, NULL)[row] ? " chosen" : "");
  }
  return text;
}

/* ---- what each phase writes -------------------------------------------------------------------------------------- */

static const struct test_cluster places[] = {
    {"a", "pods=4", .region = "r1", .zones = "z1 z2", .provider = "p"},
    {"b", "pods=6", .region = "r2", .zones = "z2", .provider = "p"},
    {"c", "pods=9", .region = "r1", .zones = "z1", .provider = "q"},
    {"d", "pods=2", .region = "r3", .zones = "z3", .provider = "q", .deleting = 1},
};

START_TEST(test_what_is_scored) {
  static const struct test_affinity over[] = {{.clusters = "b"}};
  static const struct test_affinity terms[] = {{"near", .clusters = "a c", .overflow = over, .n_overflow = 1}};
  static const struct test_placement placement = {.terms = terms, .n_terms = 1, .scheduling = "Divided/Aggregated"};
  static const struct test_binding binding = {.replicas = 3, .placement = &placement, .targets = "a=1 b=2"};
  static const int64_t extra[] = {-7, 50, 3, 0};
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .extra_score = extra, .extra_clusters = 4};

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  ck_assert_int_eq(filter(&opts), REBAL_OK);
  for (int given = 0; given <= 1; given++) {
    ck_assert_int_eq(score(given ? verdicts : NULL, &opts), REBAL_OK);
    ck_assert_str_eq(scored_text(), "a 93 100 -7 4 5 0/c 3 0 3 9 9 0/b 150 100 50 6 8 1");
    ck_assert_uint_eq(rebal_result_count(scored, REBAL_TABLE_PLACED), 0);
    ck_assert_str_eq(test_answer(scored, world.snapshot, 0), "");
  }
}
END_TEST

static const struct {
  const char *spreads;
  const char *scheduling;
  const char *groups;
  const char *selected;
} selections[] = {
    {"region:1:1 cluster:1:2 zone:1:9 provider:1:9", "Divided/Aggregated",
     "region r1 6000 13 2 chosen/region r2 6000 6 1/zone z1 6000 13 2/zone z2 6000 10 2/provider p 6000 10 2/"
     "provider q 6000 9 1",
     "c 0 9 9 0/a 0 4 4 0"},
    /* by name; groups that no constraint selects by are not listed */
    {"region:2:2", "Duplicated", "region r1 1000 13 2 chosen/region r2 1000 6 1 chosen", "c 0 9 9 0/b 0 6 6 0"},
    {"zone:1:9 cluster:1:1", "Divided/Aggregated", "zone z1 6000 13 2/zone z2 6000 10 2", "c 0 9 9 0"},
    {"cluster:1:1", "Divided/Aggregated", "", "c 0 9 9 0"},
    {"zone:1:9 cluster:1:1", "Divided/Weighted", "", "c 0 9 9 0/b 0 6 6 0/a 0 4 4 0"},
    {NULL, "Divided/Aggregated", "", "c 0 9 9 0/b 0 6 6 0/a 0 4 4 0"},
    /* refused: the groups show why */
    {"region:3:3", "Divided/Aggregated", "region r1 2000 13 2/region r2 2000 6 1", ""},
    {"zone:1:9", "Divided/Aggregated", "zone z1 6000 13 2/zone z2 6000 10 2", ""},
};

START_TEST(test_what_is_selected) {
  const struct test_placement placement = {.spreads = selections[_i].spreads, .scheduling = selections[_i].scheduling};
  const struct test_binding binding = {.replicas = 6, .placement = &placement};

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  ck_assert_int_eq(score(NULL, NULL), REBAL_OK);
  for (int given = 0; given <= 1; given++) {
    ck_assert_int_eq(pick(given ? scored : NULL, NULL), REBAL_OK);
    ck_assert_str_eq(groups_text(), selections[_i].groups);
    ck_assert_str_eq(selected_text(), selections[_i].selected);
    ck_assert_uint_eq(rebal_result_count(selected, REBAL_TABLE_DECISION), 1);
  }
}
END_TEST

START_TEST(test_replicas_are_assigned) {
  static const struct test_placement placement = {.spreads = "cluster:1:2", .scheduling = "Divided/Aggregated"};
  static const struct test_binding binding = {.replicas = 12, .placement = &placement};

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  ck_assert_int_eq(pick(NULL, NULL), REBAL_OK);
  for (int given = 0; given <= 1; given++) {
    ck_assert_int_eq(assign(given ? selected : NULL, NULL), REBAL_OK);
    ck_assert_str_eq(test_answer(world.result, world.snapshot, 0), "b:5 c:7");
  }
}
END_TEST

/* ---- refusals, several bindings ---------------------------------------------------------------------------------- */

/* Bindings c to f are refused by the filters, the selection, the assignment, and for lack of a placement. */
static void fill_several(void) {
  static const struct test_affinity nowhere = {.clusters = "m9"};
  static const struct test_placement unmatched = {.affinity = &nowhere};
  static const struct test_placement spread = {.spreads = "cluster:5:5", .scheduling = "Duplicated"};
  static const struct test_binding bindings[] = {
      {.key = "ns/a", .replicas = 2, .placement = &duplicated},
      {.key = "ns/b", .replicas = 3, .placement = &aggregated},
      {.key = "ns/c", .replicas = 1, .placement = &unmatched},
      {.key = "ns/d", .replicas = 1, .placement = &spread},
      {.key = "ns/e", .replicas = 99, .placement = &aggregated},
      {.key = "ns/f", .replicas = 1},
      {.key = "ns/g", .replicas = 1, .placement = &equal_weight},
  };

  for (size_t i = 0; i < REBALI_COUNT(places); i++) {
    (void)test_add_cluster(&world, &places[i]);
  }
  for (size_t i = 0; i < REBALI_COUNT(bindings); i++) {
    (void)test_add_binding(&world, NULL, &bindings[i]);
  }
  test_freeze(&world);
}

#define NOT_ENOUGH                                                                                                  \
  "unschedulable: failed to assign replicas: failed to scale up: Clusters available replicas 19 are not enough to " \
  "schedule."

START_TEST(test_refusals_are_passed_on) {
  static const char *const answers[] = {
      "c:2 b:2 a:2",
      "c:3",
      "fit: 0/4 clusters are available: 3 cluster(s) did not match the placement cluster affinity constraint.",
      "error: failed to select clusters: the number of feasible clusters is less than spreadConstraint.MinGroups",
      NOT_ENOUGH,
      "error: failed to get placement from resourceBinding(ns/f)",
      "a:1",
  };

  fill_several();
  run_all(NULL);
  ck_assert_uint_eq(rebal_result_count(verdicts, REBAL_TABLE_VERDICT), 6 * 4);
  for (size_t i = 0; i < REBALI_COUNT(answers); i++) {
    ck_assert_str_eq(test_answer(world.result, world.snapshot, i), answers[i]);
    ck_assert_str_eq(test_answer(scored, world.snapshot, i), i == 2 || i == 5 ? answers[i] : "");
    ck_assert_str_eq(test_answer(selected, world.snapshot, i), i == 2 || i == 3 || i == 5 ? answers[i] : "");
  }
}
END_TEST

/* Any rows of an earlier result can be answered. */
START_TEST(test_some_of_the_rows) {
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .first_row = 1, .max_work = 1};

  fill_several();
  run_all(NULL);
  ck_assert_int_eq(score(verdicts, &opts), REBAL_OK);
  ck_assert_int_eq(pick(scored, &opts), REBAL_OK);
  ck_assert_int_eq(assign(selected, &opts), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_DECISION), 1);
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 0), "c:3");
}
END_TEST

/* ---- the caller's columns ---------------------------------------------------------------------------------------- */

START_TEST(test_the_caller_rejects_and_scores) {
  static const struct test_placement placement = {.spreads = "cluster:1:1", .scheduling = "Duplicated"};
  static const struct test_binding binding = {.replicas = 1, .placement = &placement};
  static const int64_t reject[] = {0, 1}; /* no cells from cluster c on */
  static const int64_t everyone[] = {1, 1, 1, 1};
  static const int64_t scores[] = {0, 90, -1};
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .extra_reject = reject, .extra_clusters = 2};

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  run_all(&opts);
  ck_assert_str_eq(scored_text(), "c 0 0 0 9 9 0/a 0 0 0 4 4 0");
  opts.extra_score = scores;
  opts.extra_clusters = 3;
  opts.extra_reject = NULL;
  run_all(&opts);
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 0), "b:1");
  opts.extra_clusters = 4;
  opts.extra_score = NULL;
  opts.extra_reject = everyone;
  run_all(&opts);
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 0),
                   "fit: 0/4 clusters are available: 3 cluster(s) were rejected by the caller.");
  opts.extra_reject_reason = "cluster(s) far from the datum";
  opts.extra_reject_reason_len = 19;
  run_all(&opts);
  ck_assert_str_eq(test_answer(world.result, world.snapshot, 0),
                   "fit: 0/4 clusters are available: 3 cluster(s) far from.");
  ck_assert_str_eq(test_schedule(&world, &opts, 0), "fit: 0/4 clusters are available: 3 cluster(s) far from.");
}
END_TEST

START_TEST(test_the_reason_of_the_caller) {
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};
  static const int64_t reject[] = {0, -1, 0, 0};
  const rebal_schedule_opts opts = {.struct_size = sizeof opts,
                                    .extra_reject = reject,
                                    .extra_clusters = 4,
                                    .extra_reject_reason = "mine",
                                    .extra_reject_reason_len = 4};
  char text[64];
  size_t len;

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  ck_assert_int_eq(filter(&opts), REBAL_OK);
  for (size_t row = 0; row < 2; row++) {
    ck_assert_int_eq(
        rebal_filter_reason(world.bindings, verdicts, row, REBAL_FILTER_EXTRA, text, sizeof text, &len, NULL),
        REBAL_OK);
    ck_assert_str_eq(text, row == 1 ? "cluster(s) were rejected by the caller" : "");
    ck_assert_int_eq(rebal_result_i64(verdicts, REBAL_VERDICT_REJECTED_BY, NULL)[row], row == 1 ? INT64_C(1) << 31 : 0);
  }
}
END_TEST

/* The verdicts of one affinity count as those of a single binding; a deleting cluster stays excluded. */
START_TEST(test_verdicts_of_a_match) {
  static const struct test_affinity affinity = {.clusters = "b d"};
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};
  const rebal_record *record;

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  record = test_affinity_record(&world, &affinity);
  ck_assert_int_eq(rebal_match(world.ctx, world.snapshot, record, verdicts, NULL), REBAL_OK);
  ck_assert_int_eq(score(verdicts, NULL), REBAL_OK);
  ck_assert_str_eq(scored_text(), "b 0 0 0 6 6 0");
}
END_TEST

/* ---- mismatches -------------------------------------------------------------------------------------------------- */

START_TEST(test_a_result_is_not_read_and_filled) {
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  run_all(NULL);
  ck_assert_int_eq(score(scored, NULL), REBAL_EINVAL);
  ck_assert_int_eq(pick(selected, NULL), REBAL_EINVAL);
  ck_assert_int_eq(assign(world.result, NULL), REBAL_EINVAL);
  ck_assert_uint_eq(rebal_result_count(selected, REBAL_TABLE_SELECTED), 3); /* and it is unchanged */
}
END_TEST

START_TEST(test_results_of_something_else) {
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};
  static const struct test_cluster fifth = {"e", "pods=1"};

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  ck_assert_int_eq(score(verdicts, NULL), REBAL_EMISMATCH); /* no verdicts */
  ck_assert_int_eq(pick(verdicts, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(assign(verdicts, NULL), REBAL_EMISMATCH);
  run_all(NULL);
  (void)test_add_cluster(&world, &fifth);
  test_freeze(&world);
  ck_assert_int_eq(score(verdicts, NULL), REBAL_EMISMATCH); /* a cluster without verdict */
  ck_assert_int_eq(world.err.where, 0);
  ck_assert_uint_eq(rebal_result_count(scored, REBAL_TABLE_DECISION), 0);
}
END_TEST

/* A cluster that was removed cannot be selected or assigned to. */
START_TEST(test_results_of_an_older_snapshot) {
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  run_all(NULL);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE,
                                      &(const uint32_t){test_cluster_id(&world, "b")}, 1, NULL),
                   REBAL_OK);
  test_freeze(&world);
  ck_assert_int_eq(assign(selected, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(pick(scored, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(score(verdicts, NULL), REBAL_EMISMATCH);
}
END_TEST

/* Bindings after those of the earlier call have no rows there. */
START_TEST(test_results_of_fewer_bindings) {
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};
  const rebal_schedule_opts first = {.struct_size = sizeof first, .max_work = 1};

  for (size_t i = 0; i < REBALI_COUNT(places); i++) {
    (void)test_add_cluster(&world, &places[i]);
  }
  (void)test_add_binding(&world, NULL, &binding);
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  run_all(&first);
  ck_assert_int_eq(assign(selected, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(world.err.where, 1);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_DECISION), 1); /* the first is answered */
  ck_assert_int_eq(pick(scored, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(score(verdicts, NULL), REBAL_EMISMATCH);
}
END_TEST

/* As many clusters as before, but one was replaced. */
START_TEST(test_results_of_as_many_other_clusters) {
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};
  static const struct test_cluster fifth = {"e", "pods=1"};

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  run_all(NULL);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE,
                                      &(const uint32_t){test_cluster_id(&world, "b")}, 1, NULL),
                   REBAL_OK);
  (void)test_add_cluster(&world, &fifth);
  test_freeze(&world);
  ck_assert_int_eq(assign(selected, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(pick(scored, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(score(verdicts, NULL), REBAL_EMISMATCH);
}
END_TEST

/* More candidates than there are clusters, and clusters of another fleet. */
START_TEST(test_results_of_another_fleet) {
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};
  struct test_world small;
  const int32_t expected = REBAL_EMISMATCH;

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  run_all(NULL);
  test_world_open(&small, NULL);
  test_world_fill(&small, places, 1, &binding);
  ck_assert_int_eq(rebal_score(small.ctx, small.snapshot, small.bindings, verdicts, NULL, small.result, NULL),
                   expected);
  ck_assert_int_eq(rebal_select(small.ctx, small.snapshot, small.bindings, scored, NULL, small.result, NULL), expected);
  ck_assert_int_eq(rebal_assign(small.ctx, small.snapshot, small.bindings, selected, NULL, small.result, NULL),
                   expected);
  test_world_close(&small);
}
END_TEST

/* As many candidates as there are clusters, but a cluster that the snapshot never had. */
START_TEST(test_results_about_a_later_cluster) {
  static const struct test_affinity third = {.clusters = "c"};
  static const struct test_placement on_third = {.affinity = &third};
  static const struct test_binding binding = {.replicas = 1, .placement = &on_third};
  struct test_world small;

  test_world_fill(&world, places, REBALI_COUNT(places), &binding);
  run_all(NULL);
  test_world_open(&small, NULL);
  test_world_fill(&small, places, 1, &binding);
  ck_assert_int_eq(rebal_assign(small.ctx, small.snapshot, small.bindings, selected, NULL, small.result, NULL),
                   REBAL_EMISMATCH);
  test_world_close(&small);
}
END_TEST

/* Verdicts refer to a taint that the cluster no longer has. */
START_TEST(test_a_taint_that_is_gone) {
  static const struct test_binding binding = {.replicas = 1, .placement = &duplicated};
  static const struct test_cluster tainted = {"m1", "pods=1", .taints = "k=v:NoSchedule"};
  static const char *const taints[] = {"k=v:NoSchedule", "", NULL};
  static const char *const parts[] = {"had untolerated taint {k=v:NoSchedule}", "1 ", "1 "};

  for (size_t i = 0; i < REBALI_COUNT(taints); i++) {
    struct test_world changed;
    rebal_schedule_opts opts = {.struct_size = sizeof opts, .explain_rows = 9};
    rebal_result *judged = NULL;
    const char *answer;

    test_world_open(&changed, NULL);
    test_world_fill(&changed, &tainted, 1, &binding);
    ck_assert_int_eq(rebal_result_new(NULL, &judged, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_filter(changed.ctx, changed.snapshot, changed.bindings, NULL, judged, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(changed.fleet), REBAL_CLUSTER_TAINTS, REBAL_NONE, 0,
                                         test_taints_handle(&changed, taints[i]), NULL),
                     REBAL_OK);
    test_freeze(&changed);
    ck_assert_int_eq(rebal_score(changed.ctx, changed.snapshot, changed.bindings, judged, &opts, changed.result, NULL),
                     REBAL_OK);
    answer = test_answer(changed.result, changed.snapshot, 0);
    ck_assert_msg(strstr(answer, parts[i]) != NULL && (i == 0 || strstr(answer, "taint") == NULL), "%s", answer);
    rebal_result_free(judged);
    test_world_close(&changed);
  }
}
END_TEST

UNIT_CASE(phases) {
  TCase *cases = tcase_create("phases");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_what_is_scored);
  tcase_add_loop_test(cases, test_what_is_selected, 0, (int)REBALI_COUNT(selections));
  tcase_add_test(cases, test_replicas_are_assigned);
  tcase_add_test(cases, test_refusals_are_passed_on);
  tcase_add_test(cases, test_some_of_the_rows);
  tcase_add_test(cases, test_the_caller_rejects_and_scores);
  tcase_add_test(cases, test_the_reason_of_the_caller);
  tcase_add_test(cases, test_verdicts_of_a_match);
  tcase_add_test(cases, test_a_result_is_not_read_and_filled);
  tcase_add_test(cases, test_results_of_something_else);
  tcase_add_test(cases, test_results_of_an_older_snapshot);
  tcase_add_test(cases, test_results_of_fewer_bindings);
  tcase_add_test(cases, test_results_of_as_many_other_clusters);
  tcase_add_test(cases, test_results_of_another_fleet);
  tcase_add_test(cases, test_results_about_a_later_cluster);
  tcase_add_test(cases, test_a_taint_that_is_gone);
  return cases;
}
