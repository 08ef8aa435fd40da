/* SPDX-License-Identifier: MIT */
/*
 * Custom rules in Karmada's pipeline. Jobs run only where a copy of their data is, which is one more filter, and of the
 * clusters that are left the cheap ones come first, which is one more score. Both are columns: a number for each job
 * and cluster. Everything else is Karmada's: its filters, its estimate of free capacity, its selection of at most
 * two clusters for each job, its division of the replicas.
 */
#include <rebalance/rebalance.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT(value) (value), strlen(value)

static const struct cluster {
  const char *name;
  int64_t pods;
  int64_t cents; /* what a pod costs in an hour */
  const char *data;
} clusters[] = {{"frankfurt", 40, 9, "orders sales"},
                {"oregon", 30, 3, "orders sales"},
                {"tokyo", 50, 2, "weather"},
                {"virginia", 60, 4, "orders"}};

static const struct job {
  const char *name;
  const char *data;
  int64_t replicas;
} jobs[] = {{"billing", "orders", 80}, {"audit", "sales", 60}, {"forecast", "weather", 8}, {"mirror", "pictures", 1}};

static rebal_error err = REBAL_ERROR_INIT;

static void must(int32_t code) {
  if (code != REBAL_OK) {
    (void)fprintf(stderr, "%s: %s\n", rebal_strerror(code), err.message);
    exit(1);
  }
}

/* The two rules. */
static int64_t far[COUNT(jobs)][COUNT(clusters)];    /* 1: the cluster has no copy of the job's data */
static int64_t thrift[COUNT(jobs)][COUNT(clusters)]; /* the cheaper, the more */

static void fill_columns(void) {
  for (size_t i = 0; i < COUNT(jobs); i++) {
    for (size_t k = 0; k < COUNT(clusters); k++) {
      far[i][k] = strstr(clusters[k].data, jobs[i].data) == NULL;
      thrift[i][k] = 100 - clusters[k].cents;
    }
  }
}

/* Failures of a builder stick, so only its end is checked. What many rows share is kept in the fleet. */
static uint32_t keep(rebal_fleet *fleet, rebal_builder *builder) {
  const rebal_record *record;
  uint32_t handle;

  must(rebal_builder_finish(builder, &record, &err));
  must(rebal_fleet_intern(fleet, record, &handle, &err));
  return handle;
}

/* Every cluster supports batch/v1 Jobs. */
static uint32_t describe_kinds(rebal_fleet *fleet, rebal_builder *builder) {
  (void)rebal_builder_start(builder, REBAL_OBJECT_API_ENABLEMENTS, NULL);
  (void)rebal_builder_begin(builder, REBAL_API_ENABLEMENTS_ENABLEMENT, NULL);
  (void)rebal_builder_text(builder, REBAL_API_ENABLEMENT_GROUP_VERSION, TEXT("batch/v1"), NULL);
  (void)rebal_builder_begin(builder, REBAL_API_ENABLEMENT_RESOURCE, NULL);
  (void)rebal_builder_text(builder, REBAL_API_RESOURCE_KIND, TEXT("Job"), NULL);
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_end(builder, NULL);
  return keep(fleet, builder);
}

/* Clusters get the ids 0, 1, ... in the order in which they are added; the columns count on it. */
static rebal_snapshot *describe_fleet(rebal_fleet *fleet, uint32_t kinds) {
  rebal_snapshot *snapshot;
  uint32_t pods, id;

  must(rebal_fleet_resource_id(fleet, TEXT("pods"), &pods, &err));
  for (size_t i = 0; i < COUNT(clusters); i++) {
    const rebal_quantity capacity = {clusters[i].pods, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};

    must(rebal_fleet_add_cluster(fleet, TEXT(clusters[i].name), &id, &err));
    must(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_API_ENABLEMENTS, REBAL_NONE, id, kinds, &err));
    must(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATABLE, id, pods, &capacity, &err));
  }
  must(rebal_fleet_freeze(fleet, &snapshot, &err));
  return snapshot;
}

/* At most two clusters for a job, its replicas kept together. */
static uint32_t describe_placement(rebal_fleet *fleet, rebal_builder *builder) {
  (void)rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, NULL);
  (void)rebal_builder_begin(builder, REBAL_PLACEMENT_SPREAD_CONSTRAINTS, NULL);
  (void)rebal_builder_text(builder, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD, TEXT("cluster"), NULL);
  (void)rebal_builder_i64(builder, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS, 1, NULL);
  (void)rebal_builder_i64(builder, REBAL_SPREAD_CONSTRAINT_MAX_GROUPS, 2, NULL);
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_begin(builder, REBAL_PLACEMENT_REPLICA_SCHEDULING, NULL);
  (void)rebal_builder_text(builder, REBAL_REPLICA_SCHEDULING_TYPE, TEXT("Divided"), NULL);
  (void)rebal_builder_text(builder, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE, TEXT("Aggregated"), NULL);
  (void)rebal_builder_end(builder, NULL);
  return keep(fleet, builder);
}

static rebal_bindings *describe_jobs(rebal_fleet *fleet, uint32_t placement) {
  rebal_bindings *bindings;
  uint32_t row;

  must(rebal_bindings_new(fleet, NULL, &bindings, &err));
  for (size_t i = 0; i < COUNT(jobs); i++) {
    must(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, &err));
    must(rebal_cells_set_text(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, row, TEXT(jobs[i].name),
                              &err));
    must(rebal_cells_set_text(rebal_bindings_cells(bindings), REBAL_BINDING_RESOURCE_API_VERSION, REBAL_NONE, row,
                              TEXT("batch/v1"), &err));
    must(rebal_cells_set_text(rebal_bindings_cells(bindings), REBAL_BINDING_RESOURCE_KIND, REBAL_NONE, row, TEXT("Job"),
                              &err));
    must(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, row, jobs[i].replicas,
                             &err));
    must(
        rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_BINDING_PLACEMENT, REBAL_NONE, row, placement, &err));
  }
  must(rebal_bindings_freeze(bindings, &err));
  return bindings;
}

static void print_scores(const rebal_result *scored) {
  const int64_t *rows = rebal_result_i64(scored, REBAL_SCORED_BINDING, NULL);
  const int64_t *ids = rebal_result_i64(scored, REBAL_SCORED_CLUSTER, NULL);
  const int64_t *scores = rebal_result_i64(scored, REBAL_SCORED_SCORE, NULL);

  for (size_t i = 0; i < rebal_result_count(scored, REBAL_TABLE_SCORED); i++) {
    (void)printf("%s may go to %s: score %d\n", jobs[rows[i]].name, clusters[ids[i]].name, (int)scores[i]);
  }
}

static void print_answers(const rebal_result *assigned) {
  const int64_t *counts = rebal_result_i64(assigned, REBAL_DECISION_PLACED, NULL);
  const int64_t *ids = rebal_result_i64(assigned, REBAL_PLACED_CLUSTER, NULL);
  const int64_t *replicas = rebal_result_i64(assigned, REBAL_PLACED_REPLICAS, NULL);

  for (size_t i = 0; i < COUNT(jobs); i++) {
    (void)printf("%s:", jobs[i].name);
    for (int64_t left = counts[i]; left > 0; left--, ids++, replicas++) {
      (void)printf(" %s=%d", clusters[*ids].name, (int)*replicas);
    }
    (void)printf("%s%s\n", counts[i] == 0 ? " " : "", rebal_result_text(assigned, REBAL_DECISION_MESSAGE, i, NULL));
  }
}

int main(void) {
  static const char reason[] = "cluster(s) had no copy of the data";
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                    .extra_reject = far[0],
                                    .extra_score = thrift[0],
                                    .extra_clusters = COUNT(clusters),
                                    .extra_stride = COUNT(clusters),
                                    .extra_reject_reason = reason,
                                    .extra_reject_reason_len = sizeof reason - 1};
  rebal_result *results[4]; /* verdicts, scored, selected, assigned */
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_builder *builder;
  rebal_fleet *fleet;
  rebal_ctx *ctx;

  fill_columns();
  must(rebal_fleet_new(NULL, &fleet, &err));
  must(rebal_ctx_new(NULL, NULL, &ctx, &err));
  must(rebal_builder_new(NULL, &builder, &err));
  bindings = describe_jobs(fleet, describe_placement(fleet, builder));
  snapshot = describe_fleet(fleet, describe_kinds(fleet, builder));
  rebal_builder_free(builder);
  for (size_t i = 0; i < COUNT(results); i++) {
    must(rebal_result_new(NULL, &results[i], &err));
  }

  must(rebal_filter(ctx, snapshot, bindings, &opts, results[0], &err));
  must(rebal_score(ctx, snapshot, bindings, results[0], &opts, results[1], &err));
  print_scores(results[1]);
  must(rebal_select(ctx, snapshot, bindings, results[1], &opts, results[2], &err));
  must(rebal_assign(ctx, snapshot, bindings, results[2], &opts, results[3], &err));
  print_answers(results[3]);

  for (size_t i = 0; i < COUNT(results); i++) {
    rebal_result_free(results[i]);
  }
  rebal_bindings_free(bindings);
  rebal_snapshot_unref(snapshot);
  rebal_ctx_free(ctx);
  rebal_fleet_free(fleet);
  return 0;
}
