/* SPDX-License-Identifier: MIT */
/* Five tasks in C, as five-tasks.py in Python and five-tasks.go in Go. Arguments: clusters, binding, story. */
#include <rebalance/rebalance.h>
#include <rebalance/simulation.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rebal_error err = REBAL_ERROR_INIT;

static void must(int32_t code) {
  if (code != REBAL_OK) {
    (void)fprintf(stderr, "%s: %s\n", rebal_strerror(code), err.message);
    exit(1);
  }
}

/* Returns the whole file, terminated. The caller frees it. */
static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t len = 0, capacity = 4096;
  char *text = malloc(capacity);
  while (file != NULL && text != NULL && (len += fread(text + len, 1, capacity - len, file)) == capacity) {
    text = realloc(text, capacity *= 2);
  }
  if (file == NULL || text == NULL || ferror(file)) {
    (void)fprintf(stderr, "%s cannot be read\n", path);
    exit(1);
  }
  text[len] = '\0';
  (void)fclose(file);
  return text;
}

struct plane {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_ctx *ctx;
  rebal_result *result;
};

/* Reads both files into a store, and the store into a fleet and bindings. */
static struct plane open_plane(const char *clusters, const char *binding) {
  struct plane plane;
  must(rebal_store_new(NULL, &plane.store, &err));
  must(rebal_store_load(plane.store, clusters, REBAL_TERMINATED, &err));
  must(rebal_store_load(plane.store, binding, REBAL_TERMINATED, &err));
  must(rebal_fleet_new(NULL, &plane.fleet, &err));
  must(rebal_store_feed_clusters(plane.store, plane.fleet, NULL, &err));
  must(rebal_bindings_new(plane.fleet, NULL, &plane.bindings, &err));
  must(rebal_store_feed_bindings(plane.store, plane.fleet, NULL, 0, plane.bindings, &err));
  must(rebal_ctx_new(NULL, NULL, &plane.ctx, &err));
  must(rebal_result_new(NULL, &plane.result, &err));
  plane.snapshot = NULL;
  return plane;
}

static void close_plane(struct plane *plane) {
  rebal_snapshot_unref(plane->snapshot);
  rebal_result_free(plane->result);
  rebal_ctx_free(plane->ctx);
  rebal_bindings_free(plane->bindings);
  rebal_fleet_free(plane->fleet);
  rebal_store_free(plane->store);
}

static void schedule(struct plane *plane, const rebal_schedule_opts *opts) {
  must(rebal_bindings_freeze(plane->bindings, &err));
  must(rebal_fleet_freeze(plane->fleet, &plane->snapshot, &err));
  must(rebal_schedule(plane->ctx, plane->snapshot, plane->bindings, opts, plane->result, &err));
}

static void print_clusters(const struct plane *plane) {
  size_t n;
  const int64_t *clusters = rebal_result_i64(plane->result, REBAL_PLACED_CLUSTER, &n);
  const int64_t *replicas = rebal_result_i64(plane->result, REBAL_PLACED_REPLICAS, NULL);
  for (size_t i = 0; i < n; i++) {
    (void)printf(" %s=%lld",
                 rebal_cells_get_text(rebal_snapshot_cells(plane->snapshot), REBAL_CLUSTER_NAME, REBAL_NONE,
                                      (uint32_t)clusters[i], NULL),
                 (long long)replicas[i]);
  }
  (void)printf("\n");
}

/* Task 1: where do the replicas go? */
static void place(const char *clusters, const char *binding) {
  struct plane plane = open_plane(clusters, binding);
  schedule(&plane, NULL);
  (void)printf("placed:");
  print_clusters(&plane);
  close_plane(&plane);
}

/* Task 2: why there? */
static void explain(const char *clusters, const char *binding) {
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .explain_rows = 100};
  struct plane plane = open_plane(clusters, binding);
  char text[512];
  size_t len;
  schedule(&plane, &opts);
  for (size_t row = 0; row < rebal_result_count(plane.result, REBAL_TABLE_EXPLAIN); row++) {
    must(rebal_explain_text(plane.bindings, plane.result, REBAL_TABLE_EXPLAIN, row, text, sizeof text, &len, &err));
    (void)printf("why: %s\n", text);
  }
  close_plane(&plane);
}

/* Task 3: what would move if this workload was rebalanced now? */
static void rebalance(const char *clusters, const char *binding) {
  struct plane plane = open_plane(clusters, binding);
  rebal_time now;
  must(rebal_time_parse("2024-05-25T10:00:00Z", REBAL_TERMINATED, &now, &err));
  must(rebal_cells_set_time(rebal_bindings_cells(plane.bindings), REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, REBAL_NONE, 0,
                            &now, &err));
  schedule(&plane, NULL);
  (void)printf("rebalanced:");
  print_clusters(&plane);
  close_plane(&plane);
}

/* Task 4: what if member2 is lost? */
static void lose(const char *clusters, const char *binding) {
  struct plane plane = open_plane(clusters, binding);
  uint32_t member2;
  must(rebal_fleet_cluster_id(plane.fleet, "member2", REBAL_TERMINATED, &member2, &err));
  must(rebal_cells_remove(rebal_fleet_cells(plane.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &member2, 1, &err));
  schedule(&plane, NULL);
  (void)printf("without member2:");
  print_clusters(&plane);
  close_plane(&plane);
}

/* Task 5: play a story. */
static void play(const char *story) {
  rebal_simulation *simulation;
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  must(rebal_simulation_new(NULL, &simulation, &err));
  must(rebal_simulation_run(simulation, story, REBAL_TERMINATED, 0, NULL, &summary, &err));
  (void)printf("story: %llu steps, %llu expectations held, %llu failed\n", (unsigned long long)summary.steps,
               (unsigned long long)summary.held, (unsigned long long)summary.failed);
  rebal_simulation_free(simulation);
}

int main(int argc, char **argv) {
  char *clusters, *binding, *story;
  if (argc != 4) {
    (void)fprintf(stderr, "usage: five-tasks CLUSTERS BINDING STORY\n");
    return 2;
  }
  clusters = read_file(argv[1]);
  binding = read_file(argv[2]);
  story = read_file(argv[3]);
  place(clusters, binding);
  explain(clusters, binding);
  rebalance(clusters, binding);
  lose(clusters, binding);
  play(story);
  free(story);
  free(binding);
  free(clusters);
  return 0;
}
