/* SPDX-License-Identifier: MIT */
/* Explains why no failover controller acts: taints that evict nothing, and unhealthy bindings that do not fail over. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

/* Bindings that are assigned to a cluster. */
struct present {
  int64_t staying, leaving; /* being deleted */
};

static int has_text(const struct world *world, uint32_t object, const char *path, const char *text) {
  return strstr(world_text(world, object, path), text) != NULL;
}

static int is_in(const struct world *world, size_t row, uint32_t cluster) {
  const rebal_cells *cells = rebal_bindings_const_cells(world->chosen);
  uint32_t target = REBAL_NONE;
  while ((target = rebal_cells_next(cells, REBAL_TABLE_TARGET, (uint32_t)row, target)) != REBAL_NONE) {
    if (id_of(rebal_cells_get_i64(cells, REBAL_TARGET_CLUSTER, REBAL_NONE, target)) == cluster) {
      return 1;
    }
  }
  return 0;
}

static struct present count_present(const struct world *world, const uint32_t *objects, size_t n, const char *name) {
  const uint32_t cluster = rebal_snapshot_find_cluster(world->snapshot, name, strlen(name));
  struct present present = {0, 0};
  for (size_t row = 0; row < n; row++) {
    if (is_in(world, row, cluster)) {
      const int is_leaving = world_text(world, objects[row], "metadata.deletionTimestamp")[0] != '\0';
      present.leaving += is_leaving;
      present.staying += !is_leaving;
    }
  }
  return present;
}

static void put_count(struct output *out, int64_t n, const char *one, const char *many) {
  put_integer(out, n);
  put(out, n == 1 ? one : many);
}

/* A cluster with taints. */
static void write_cluster(const struct world *world, const char *name, int evicts, const struct present *present,
                          struct output *out) {
  const int is_by_taint = (world->options->failover.flags & REBAL_FAILOVER_FLAG_EVICT_BY_TAINT) != 0;
  put(out, "- Cluster ");
  put_escaped(out, name);
  if (!evicts) {
    put(out, " has taints, but none is NoExecute; other effects evict nothing.\n");
  } else if (!is_by_taint) {
    put(out, " has a NoExecute taint, which evicts nothing without --evict-by-taint.\n");
  } else if (present->staying + present->leaving == 0) {
    put(out, " has a NoExecute taint, but no binding is assigned to it.\n");
  } else {
    put(out, " has a NoExecute taint: ");
    put_count(out, present->staying, " binding in it tolerates it forever", " bindings in it tolerate it forever");
    if (present->leaving > 0) {
      put(out, ", ");
      put_count(out, present->leaving, " is being deleted", " are being deleted");
    }
    put(out, ".\n");
  }
}

/* Bindings that are unhealthy in a cluster, by the reason why they do not fail over. */
struct unhealthy {
  int64_t all, without_failover, without_dependencies;
};

static struct unhealthy count_unhealthy(const struct world *world, const uint32_t *objects, size_t n) {
  struct unhealthy unhealthy = {0, 0, 0};
  for (size_t row = 0; row < n; row++) {
    if (has_text(world, objects[row], "status.aggregatedStatus", "\"health\":\"Unhealthy\"")) {
      const int is_requested = world_text(world, objects[row], "spec.failover.application")[0] != '\0';
      unhealthy.all++;
      unhealthy.without_failover += !is_requested;
      unhealthy.without_dependencies += is_requested && !has_text(world, objects[row], "spec.propagateDeps", "true");
    }
  }
  return unhealthy;
}

static void write_unhealthy(int64_t n, const char *what, struct output *out) {
  if (n > 0) {
    put(out, "- ");
    put_count(out, n, " binding is unhealthy in a cluster, but has no ",
              " bindings are unhealthy in a cluster, but have no ");
    put(out, what);
    put(out, ".\n");
  }
}

enum status failover_write_nothing(const struct world *world, const uint32_t *objects, size_t n, struct output *out) {
  const struct unhealthy unhealthy = count_unhealthy(world, objects, n);
  uint32_t *clusters = NULL;
  size_t n_clusters = 0;
  const enum status status = world_objects(world, "Cluster", &clusters, &n_clusters);
  put(out, "Nothing to do: no NoExecute taint evicts a binding, no application is ");
  put(out, unhealthy.all > 0 ? "unhealthy with failover enabled" : "unhealthy");
  put(out, ", and no eviction task is open.\n");
  for (size_t i = 0; i < n_clusters; i++) {
    const char *name = world_text(world, clusters[i], "metadata.name");
    if (has_text(world, clusters[i], "spec.taints", "{")) {
      const struct present present = count_present(world, objects, n, name);
      write_cluster(world, name, has_text(world, clusters[i], "spec.taints", "\"effect\":\"NoExecute\""), &present,
                    out);
    }
  }
  write_unhealthy(unhealthy.without_failover, "spec.failover.application", out);
  write_unhealthy(unhealthy.without_dependencies, "spec.propagateDeps, which its failover needs", out);
  free(clusters);
  return status;
}
