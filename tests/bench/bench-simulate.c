/* SPDX-License-Identifier: MIT */
/*
 * The cost of simulated days: `bench-simulate [BINDINGS [CLUSTERS [HOURS]]]`, by default 1,000, 50 and 24, with every
 * controller on. Every six hours a cluster is tainted and recovers, each hour workloads are scaled and others
 * rebalanced. It is run twice; both logs must be the same byte for byte.
 */
#define _POSIX_C_SOURCE 200809L
#include "measure.h"

#include <rebalance/simulation.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POLICIES 10
#define FAULTS_EVERY 6 /* hours */
#define SCALED 20
#define REBALANCED 10

struct size {
  uint32_t bindings, clusters, hours;
};

static void must(int is_fine, const char *what) {
  if (!is_fine) {
    (void)fprintf(stderr, "bench-simulate: %s\n", what);
    exit(EXIT_FAILURE);
  }
}

/* ---- the scenario ---- */

/* The last cluster is small and slow: its replicas are descheduled before they are ready. */
static void write_head(FILE *file, const struct size *size) {
  (void)fprintf(file,
                "{\"apiVersion\":\"simulation.rebalance/v1\",\"kind\":\"Scenario\",\"options\":{"
                "\"enableNoExecuteTaintEviction\":true,\"resourceEvictionInterval\":\"2s\","
                "\"enableDescheduler\":true,\"deschedulerFromStatus\":true},"
                "\"members\":{\"member-%" PRIu32 "\":{\"readyAfter\":\"7m\"}}}\n",
                size->clusters - 1);
}

static void write_cluster(FILE *file, const struct size *size, uint32_t i) {
  const int is_small = i + 1 == size->clusters;
  (void)fprintf(file,
                "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":{\"name\":"
                "\"member-%" PRIu32 "\",\"labels\":{\"tier\":\"%" PRIu32
                "\"}},\"spec\":{\"syncMode\":\"Push\","
                "\"region\":\"region-%" PRIu32
                "\"},\"status\":{\"apiEnablements\":[{\"groupVersion\":\"apps/v1\","
                "\"resources\":[{\"name\":\"deployments\",\"kind\":\"Deployment\"}]}],\"resourceSummary\":{"
                "\"allocatable\":{\"cpu\":\"%d\",\"memory\":\"4Ti\",\"pods\":\"%d\"}}}}\n",
                i, i % 5, i % 7, is_small ? 4 : 2000, is_small ? 40 : 10000);
}

static const char *const placements[] = {
    "\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\",\"replicaDivisionPreference\":\"Weighted\","
    "\"weightPreference\":{\"dynamicWeight\":\"AvailableReplicas\"}}",
    "\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\",\"replicaDivisionPreference\":\"Aggregated\"},"
    "\"spreadConstraints\":[{\"spreadByField\":\"cluster\",\"minGroups\":1,\"maxGroups\":5}]",
    "\"clusterAffinity\":{\"labelSelector\":{\"matchLabels\":{\"tier\":\"1\"}}},\"replicaScheduling\":{"
    "\"replicaSchedulingType\":\"Divided\",\"replicaDivisionPreference\":\"Weighted\"}",
    "\"clusterAffinity\":{\"labelSelector\":{\"matchLabels\":{\"tier\":\"2\"}}},\"spreadConstraints\":[{"
    "\"spreadByField\":\"cluster\",\"minGroups\":1,\"maxGroups\":2}],\"replicaScheduling\":{"
    "\"replicaSchedulingType\":\"Duplicated\"}",
    "\"clusterTolerations\":[{\"key\":\"fault\",\"operator\":\"Exists\",\"tolerationSeconds\":300}],"
    "\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\",\"replicaDivisionPreference\":\"Weighted\","
    "\"weightPreference\":{\"dynamicWeight\":\"AvailableReplicas\"}}",
};

static void write_policy(FILE *file, uint32_t i) {
  (void)fprintf(file,
                "{\"apiVersion\":\"policy.karmada.io/v1alpha1\",\"kind\":\"PropagationPolicy\",\"metadata\":{\"name\":"
                "\"policy-%" PRIu32
                "\",\"namespace\":\"default\"},\"spec\":{\"resourceSelectors\":[{\"apiVersion\":"
                "\"apps/v1\",\"kind\":\"Deployment\",\"labelSelector\":{\"matchLabels\":{\"policy\":\"%" PRIu32
                "\"}}}],\"propagateDeps\":true,%s\"placement\":{%s}}}\n",
                i, i,
                i % 2 == 0
                    ? "\"failover\":{\"application\":{\"decisionConditions\":{\"tolerationSeconds\":300},\"purgeMode\":"
                      "\"Gracefully\",\"gracePeriodSeconds\":60}},"
                    : "",
                placements[i % (sizeof placements / sizeof placements[0])]);
}

static void write_workload(FILE *file, uint32_t i, uint32_t replicas) {
  (void)fprintf(file,
                "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"work-%" PRIu32
                "\",\"namespace\":\"default\",\"labels\":{\"policy\":\"%" PRIu32 "\"}},\"spec\":{\"replicas\":%" PRIu32
                ",\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":"
                "\"%" PRIu32 "m\",\"memory\":\"%" PRIu32 "Mi\"}}}]}}}}",
                i, i % POLICIES, replicas, 100 + i % 4 * 50, 64 + i % 3 * 32);
}

static void open_step(FILE *file, uint32_t hour, uint32_t minute, const char *name) {
  (void)fprintf(file, "{\"kind\":\"Step\",\"metadata\":{\"name\":\"%s\"},\"at\":\"%" PRIu32 "h%" PRIu32 "m\"", name,
                hour, minute);
}

static void write_taint(FILE *file, const struct size *size, uint32_t hour, uint32_t minute, int is_over) {
  if (hour % FAULTS_EVERY == 0) {
    open_step(file, hour, minute, is_over ? "recovery" : "fault");
    (void)fprintf(file, ",\"%staint\":{\"cluster\":\"member-%" PRIu32 "\",\"taint\":\"fault:NoExecute\"}}\n",
                  is_over ? "un" : "", hour * 7 % size->clusters);
  }
}

static void write_hour(FILE *file, const struct size *size, uint32_t hour) {
  write_taint(file, size, hour, 5, 0);
  open_step(file, hour, 20, "scale");
  (void)fputs(",\"apply\":[", file);
  for (uint32_t i = 0; i < SCALED; i++) {
    const uint32_t workload = (hour * 131 + i * 37) % size->bindings;
    write_workload(file, workload, 1 + (workload + hour) % 20);
    (void)fputs(i + 1 < SCALED ? "," : "]}\n", file);
  }
  write_taint(file, size, hour, 35, 1);
  open_step(file, hour, 50, "rebalance");
  (void)fprintf(file,
                ",\"apply\":{\"apiVersion\":\"apps.karmada.io/v1alpha1\",\"kind\":\"WorkloadRebalancer\",\"metadata\":{"
                "\"name\":\"hour-%" PRIu32 "\"},\"spec\":{\"ttlSecondsAfterFinished\":60,\"workloads\":[",
                hour);
  for (uint32_t i = 0; i < REBALANCED; i++) {
    (void)fprintf(
        file,
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"namespace\":\"default\",\"name\":\"work-%" PRIu32
        "\"}%s",
        (hour * 61 + i * 17) % size->bindings, i + 1 < REBALANCED ? "," : "]}}}\n");
  }
}

static char *write_scenario(const struct size *size, size_t *len) {
  char *text = NULL;
  FILE *file = open_memstream(&text, len);
  must(file != NULL, "no memory");
  write_head(file, size);
  for (uint32_t i = 0; i < size->clusters; i++) {
    write_cluster(file, size, i);
  }
  for (uint32_t i = 0; i < POLICIES; i++) {
    write_policy(file, i);
  }
  for (uint32_t i = 0; i < size->bindings; i++) {
    write_workload(file, i, 1 + i % 20);
    (void)fputc('\n', file);
  }
  for (uint32_t hour = 0; hour < size->hours; hour++) {
    write_hour(file, size, hour);
  }
  open_step(file, size->hours, 0, "end");
  (void)fputs(
      ",\"expect\":[{\"object\":{\"kind\":\"Deployment\",\"name\":\"work-0\"},\"field\":\"kind\","
      "\"equals\":\"Deployment\"}]}\n",
      file);
  must(fclose(file) == 0, "no memory");
  return text;
}

/* ---- runs ---- */

struct run {
  double seconds;
  rebal_text *log;
  rebal_simulation_summary summary;
  size_t rows;
};

static void run_scenario(const char *text, size_t len, struct run *run) {
  const rebal_simulation_opts opts = {.struct_size = sizeof opts, .max_log_rows = 10000000};
  rebal_simulation *simulation = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  clock_t start;
  int32_t code;
  *run = (struct run){.summary = {.struct_size = sizeof run->summary}};
  must(rebal_text_new(&run->log, NULL) == REBAL_OK, "no memory");
  must(rebal_simulation_new(&opts, &simulation, NULL) == REBAL_OK, "no memory");
  start = clock();
  code = rebal_simulation_run(simulation, text, len, REBAL_TEXT_FORMAT_JSON, NULL, &run->summary, &err);
  run->seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  must(code == REBAL_OK, err.message);
  must(run->summary.failed == 0, "an expectation fails");
  must(rebal_simulation_write(simulation, REBAL_TEXT_FORMAT_JSON, run->log, NULL) == REBAL_OK, "no memory");
  run->rows = (size_t)run->summary.log_rows;
  rebal_simulation_free(simulation);
}

static uint32_t number(int argc, char **argv, int at, uint32_t otherwise) {
  const unsigned long given = argc > at ? strtoul(argv[at], NULL, 10) : otherwise;
  must(given >= 1 && given <= 100000, "the arguments are numbers from 1 to 100000");
  return (uint32_t)given;
}

int main(int argc, char **argv) {
  const struct size size = {number(argc, argv, 1, 1000), number(argc, argv, 2, 50), number(argc, argv, 3, 24)};
  size_t len = 0, first_len, second_len;
  char *text = write_scenario(&size, &len);
  struct run first, second;
  double yardstick;
  run_scenario(text, len, &first);
  yardstick = bench_yardstick_ns();
  run_scenario(text, len, &second);
  (void)printf("%" PRIu32 " bindings, %" PRIu32 " clusters, %" PRIu32
               " hours: %.2f s and %.2f s of one core, yardstick %.0f ns\n",
               size.bindings, size.clusters, size.hours, first.seconds, second.seconds, yardstick);
  (void)printf("%zu rows of the log, the controllers ran at %" PRIu64 " moments\n", first.rows, first.summary.instants);
  must(strcmp(rebal_text_bytes(first.log, &first_len), rebal_text_bytes(second.log, &second_len)) == 0 &&
           first_len == second_len,
       "the logs of two runs differ");
  rebal_text_free(first.log);
  rebal_text_free(second.log);
  free(text);
  return EXIT_SUCCESS;
}
