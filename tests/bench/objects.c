/* SPDX-License-Identifier: MIT */
#include "objects.h"

#include <inttypes.h>

#define API_SETS 5
#define GRADES 9
#define GROUPS 31
#define KINDS 122
#define PLACEMENTS 40
#define REGIONS 8
#define TAINTED 17

/* Total and unit of what a cluster has; a cluster has taken 10 to 69 percent of it. */
static const struct {
  const char *name;
  unsigned total;
  const char *unit;
} resources[] = {{"cpu", 2000, ""}, {"ephemeral-storage", 16384, "Gi"}, {"memory", 8192, "Gi"}, {"pods", 12000, ""}};
#define RESOURCES (sizeof resources / sizeof resources[0])

static uint64_t random_number(uint64_t object, uint64_t draw) {
  uint64_t z = object * UINT64_C(0x9e3779b97f4a7c15) + draw * UINT64_C(0xd1b54a32d192ed03) + 1;

  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static void write_uid(FILE *file, uint64_t object, uint64_t kind) {
  const uint64_t high = random_number(object, kind), low = random_number(object, kind + 1);

  (void)fprintf(file, "%08" PRIx64 "-%04" PRIx64 "-4%03" PRIx64 "-8%03" PRIx64 "-%012" PRIx64, high >> 32,
                high >> 16 & 0xFFFF, high & 0xFFF, low >> 52, low & UINT64_C(0xFFFFFFFFFFFF));
}

/* The first group holds what is scheduled, the last one differs between the sets. */
static void write_apis(FILE *file, unsigned set) {
  unsigned kind = 0;

  for (unsigned group = 0; group < GROUPS; group++) {
    const unsigned end = KINDS * (group + 1) / GROUPS;

    if (group == 0) {
      (void)fputs("{\"groupVersion\":\"apps/v1\",\"resources\":[{\"kind\":\"Deployment\",\"name\":\"deployments\"}",
                  file);
    } else {
      (void)fprintf(file, ",{\"groupVersion\":\"group%02u.example.io/v%u\",\"resources\":[", group,
                    group + 1 == GROUPS ? set + 1 : 1);
      (void)fprintf(file, "{\"kind\":\"Kind%03u\",\"name\":\"kind%03us\"}", kind, kind);
    }
    for (kind++; kind < end; kind++) {
      (void)fprintf(file, ",{\"kind\":\"Kind%03u\",\"name\":\"kind%03us\"}", kind, kind);
    }
    (void)fputs("]}", file);
  }
}

/* draw NULL: all of it. */
static void write_resources(FILE *file, uint32_t cluster, const char *part, const uint32_t *draw) {
  (void)fprintf(file, "\"%s\":{", part);
  for (size_t i = 0; i < RESOURCES; i++) {
    const unsigned percent =
        draw == NULL ? 100 : 10 + (unsigned)(random_number(cluster, i + (uint64_t)*draw * RESOURCES) % 60);

    (void)fprintf(file, "%s\"%s\":\"%u%s\"", i > 0 ? "," : "", resources[i].name, resources[i].total * percent / 100,
                  resources[i].unit);
  }
  (void)fputc('}', file);
}

/* Grades of nodes with twice the cpu and memory of the grade before, as the reference makes them by default. */
static void write_models(FILE *file) {
  (void)fputs("\"resourceModels\":[", file);
  for (unsigned grade = 0; grade < GRADES; grade++) {
    (void)fprintf(file,
                  "%s{\"grade\":%u,\"ranges\":[{\"max\":\"%u\",\"min\":\"%u\",\"name\":\"cpu\"},{\"max\":\"%uGi\","
                  "\"min\":\"%uGi\",\"name\":\"memory\"}]}",
                  grade > 0 ? "," : "", grade, 1u << grade, grade > 0 ? 1u << (grade - 1) : 0, 4u << grade,
                  grade > 0 ? 4u << (grade - 1) : 0);
  }
  (void)fputs("],", file);
}

static void write_modelings(FILE *file, uint32_t cluster, uint32_t draw) {
  (void)fputs(",\"allocatableModelings\":[", file);
  for (unsigned grade = 0; grade < GRADES; grade++) {
    (void)fprintf(file, "%s{\"count\":%u,\"grade\":%u}", grade > 0 ? "," : "",
                  (unsigned)(random_number(cluster, 100 + grade + (uint64_t)draw * GRADES) % 30), grade);
  }
  (void)fputc(']', file);
}

static void write_cluster(FILE *file, uint32_t cluster, uint32_t draw, int has_models) {
  const unsigned set = (unsigned)(random_number(cluster, UINT64_MAX) % 240), region = cluster % REGIONS;

  (void)fputs(
      "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":{"
      "\"creationTimestamp\":\"2026-03-14T09:00:00Z\",\"generation\":1,",
      file);
  (void)fprintf(file, "\"labels\":{\"rack\":\"%u\",\"stage\":\"%u\",\"team\":\"%u\",\"tier\":\"%u\"},", set / 60,
                set / 3 % 4, set / 12 % 5, set % 3);
  (void)fprintf(file, "\"name\":\"member%04" PRIu32 "\",\"resourceVersion\":\"%" PRIu32 "\",\"uid\":\"", cluster,
                cluster + 1000 + draw * 10000);
  write_uid(file, cluster, 10);
  (void)fprintf(file,
                "\"},\"spec\":{\"apiEndpoint\":\"https://10.0.0.1:6443\",\"id\":\"%" PRIu32
                "\",\"provider\":\"provider%" PRIu32 "\",\"region\":\"region%u\",",
                cluster, cluster % 3, region);
  if (has_models) {
    write_models(file);
  }
  (void)fputs("\"secretRef\":{\"name\":\"member\",\"namespace\":\"karmada-cluster\"},\"syncMode\":\"Push\",", file);
  if (cluster % TAINTED == 0) {
    (void)fputs("\"taints\":[{\"effect\":\"NoSchedule\",\"key\":\"maintenance\"}],", file);
  }
  (void)fprintf(file, "\"zones\":[\"region%u-a\",\"region%u-b\"]},\"status\":{\"apiEnablements\":[", region, region);
  write_apis(file, cluster % API_SETS);
  (void)fputs(
      "],\"conditions\":[{\"lastTransitionTime\":\"2026-03-14T09:00:00Z\",\"message\":\"cluster is healthy and "
      "ready to accept workloads\",\"reason\":\"ClusterReady\",\"status\":\"True\",\"type\":\"Ready\"}],"
      "\"kubernetesVersion\":\"v1.31.0\",\"nodeSummary\":{\"readyNum\":100,\"totalNum\":100},"
      "\"resourceSummary\":{",
      file);
  write_resources(file, cluster, "allocatable", NULL);
  if (has_models) {
    write_modelings(file, cluster, draw);
  }
  (void)fputc(',', file);
  write_resources(file, cluster, "allocated", &draw);
  (void)fputs("}}}", file);
}

void bench_write_cluster(FILE *file, uint32_t cluster) {
  write_cluster(file, cluster, 0, 0);
}

void bench_write_watched_cluster(FILE *file, uint32_t cluster, uint32_t draw) {
  write_cluster(file, cluster, draw, 1);
}

/* One of few, as policies are: by free replicas, by static weights, or to a few clusters of a few regions. */
static void write_placement(FILE *file, unsigned placement) {
  (void)fprintf(file,
                "{\"clusterAffinity\":{\"labelSelector\":{\"matchExpressions\":[{\"key\":\"stage\",\"operator\":\"In\","
                "\"values\":[\"%u\",\"%u\"]}]}},\"clusterTolerations\":[{\"effect\":\"NoExecute\",\"key\":"
                "\"cluster.karmada.io/not-ready\",\"operator\":\"Exists\",\"tolerationSeconds\":300},{\"effect\":"
                "\"NoExecute\",\"key\":\"cluster.karmada.io/unreachable\",\"operator\":\"Exists\","
                "\"tolerationSeconds\":300}],\"replicaScheduling\":{\"replicaDivisionPreference\":",
                placement % 4, placement / 4 % 4);
  if (placement % 3 == 0) {
    (void)fputs(
        "\"Aggregated\",\"replicaSchedulingType\":\"Divided\"},\"spreadConstraints\":[{\"maxGroups\":4,"
        "\"minGroups\":2,\"spreadByField\":\"region\"},{\"maxGroups\":8,\"minGroups\":3,\"spreadByField\":"
        "\"cluster\"}]}",
        file);
  } else if (placement % 3 == 1) {
    (void)fputs(
        "\"Weighted\",\"replicaSchedulingType\":\"Divided\",\"weightPreference\":{\"dynamicWeight\":"
        "\"AvailableReplicas\"}}}",
        file);
  } else {
    (void)fprintf(file,
                  "\"Weighted\",\"replicaSchedulingType\":\"Divided\",\"weightPreference\":{\"staticWeightList\":["
                  "{\"targetCluster\":{\"clusterNames\":[\"member%04u\"]},\"weight\":3},"
                  "{\"targetCluster\":{\"labelSelector\":{\"matchLabels\":{\"tier\":\"%u\"}}},\"weight\":1}]}}}",
                  placement, placement / 3 % 3);
  }
}

static void write_metadata(FILE *file, uint32_t binding, unsigned placement) {
  (void)fputs("{\"annotations\":{\"propagationpolicy.karmada.io/name\":", file);
  (void)fprintf(file, "\"policy-%02u\",\"propagationpolicy.karmada.io/namespace\":\"team-%02u\"},", placement,
                binding % 50);
  (void)fputs(
      "\"creationTimestamp\":\"2026-03-14T09:00:00Z\",\"finalizers\":[\"karmada.io/binding-controller\"],"
      "\"generation\":3,\"labels\":{\"propagationpolicy.karmada.io/permanent-id\":\"",
      file);
  write_uid(file, placement, 20);
  (void)fputs("\",\"resourcebinding.karmada.io/permanent-id\":\"", file);
  write_uid(file, binding, 30);
  (void)fprintf(file,
                "\"},\"name\":\"service-%05" PRIu32
                "-deployment\",\"namespace\":\"team-%02u\",\"ownerReferences\":[{"
                "\"apiVersion\":\"apps/v1\",\"blockOwnerDeletion\":true,\"controller\":true,\"kind\":\"Deployment\","
                "\"name\":\"service-%05" PRIu32 "\",\"uid\":\"",
                binding, binding % 50, binding);
  write_uid(file, binding, 40);
  (void)fprintf(file, "\"}],\"resourceVersion\":\"%" PRIu32 "\",\"uid\":\"", binding + 100000);
  write_uid(file, binding, 50);
  (void)fputs("\"}", file);
}

static void write_targets(FILE *file, uint32_t binding, uint32_t n_clusters) {
  (void)fputs("\"clusters\":[", file);
  for (uint64_t i = 0; i < 4; i++) {
    (void)fprintf(file, "%s{\"name\":\"member%04" PRIu64 "\",\"replicas\":%" PRIu64 "}", i > 0 ? "," : "",
                  (random_number(binding, 60) + i * 7) % n_clusters, i + 1);
  }
  (void)fputs("],", file);
}

void bench_write_binding(FILE *file, uint32_t binding, uint32_t n_clusters) {
  const unsigned placement = (unsigned)(random_number(binding, 70) % PLACEMENTS);

  (void)fputs("{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\",\"metadata\":", file);
  write_metadata(file, binding, placement);
  (void)fputs(",\"spec\":{", file);
  write_targets(file, binding, n_clusters);
  (void)fputs("\"conflictResolution\":\"Abort\",\"placement\":", file);
  write_placement(file, placement);
  (void)fprintf(file,
                ",\"replicaRequirements\":{\"resourceRequest\":{\"cpu\":\"%um\",\"memory\":\"%uMi\"}},"
                "\"replicas\":%u,\"resource\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"name\":"
                "\"service-%05" PRIu32 "\",\"namespace\":\"team-%02u\",\"resourceVersion\":\"%" PRIu32 "\",\"uid\":\"",
                100 * (1 + binding % 10), 256 * (1 + binding % 4), 12 + binding % 20, binding, binding % 50,
                binding + 50000);
  write_uid(file, binding, 40);
  (void)fputs(
      "\"},\"schedulerName\":\"default-scheduler\"},\"status\":{\"conditions\":[{\"lastTransitionTime\":"
      "\"2026-03-14T09:00:01Z\",\"message\":\"Binding has been scheduled successfully.\",\"reason\":"
      "\"Success\",\"status\":\"True\",\"type\":\"Scheduled\"}],\"lastScheduledTime\":"
      "\"2026-03-14T09:00:01Z\",\"schedulerObservedGeneration\":2}}",
      file);
}
