/* SPDX-License-Identifier: MIT */
/* Facts about the workload of a WorkloadSpread (rebalance-workloadspread(7) 2.5, 2.6): columns of SPREAD_WORKLOAD. */
#include "manifest/spread/spread_feed.h"

#include <string.h>

static int32_t set_i64(const struct rebali_fed_spread *fed, uint32_t column, int64_t value, rebal_error *err) {
  return rebal_cells_set_i64(rebal_spread_cells(fed->spread), column, REBAL_NONE, 0, value, err);
}

static int32_t set_text(const struct rebali_fed_spread *fed, uint32_t column, const char *text, rebal_error *err) {
  return rebal_cells_set_text(rebal_spread_cells(fed->spread), column, REBAL_NONE, 0, text, strlen(text), err);
}

/* ---- replicas ---- */

/* Sets a number, or the reason why it is missing. */
static int32_t set_outcome(const struct rebali_fed_spread *fed, uint32_t number, uint32_t message, int32_t value,
                           int32_t outcome, const rebal_error *why, rebal_error *err) {
  int32_t result;
  if (outcome == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  result = set_i64(fed, number, outcome == REBAL_OK ? value : 0, err);
  return result == REBAL_OK ? set_text(fed, message, outcome == REBAL_OK ? "" : why->message, err) : result;
}

static int32_t set_replicas(const rebal_spread_feed *feed, const struct rebali_fed_spread *fed, const json_t *spec,
                            const json_t *workload, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  int32_t value, outcome, has_paths;
  int32_t result = set_i64(fed, REBAL_SPREAD_WORKLOAD_REPLICAS, rebali_workload_replicas(spec, workload), err);
  if (result == REBAL_OK) {
    outcome = rebali_path_replicas(spec, workload, feed->white_list, &has_paths, &value, &local);
    result = set_outcome(fed, REBAL_SPREAD_WORKLOAD_PATH_REPLICAS, REBAL_SPREAD_WORKLOAD_PATH_ERROR, value, outcome,
                         &local, err);
  }
  if (result == REBAL_OK) {
    result = set_i64(fed, REBAL_SPREAD_WORKLOAD_HAS_PATHS, has_paths, err);
  }
  if (result == REBAL_OK) {
    outcome = rebali_admission_replicas(spec, workload, feed->white_list, &value, &local);
    result = set_outcome(fed, REBAL_SPREAD_WORKLOAD_ADMISSION_REPLICAS, REBAL_SPREAD_WORKLOAD_ADMISSION_ERROR, value,
                         outcome, &local, err);
  }
  return result;
}

/* ---- the latest version ---- */

struct latest {
  int64_t state;
  const char *version;
  size_t len;
};

static const char *hash_of(const json_t *tree) {
  return rebali_member_text(rebali_member(rebali_member(tree, "metadata"), "labels"), "pod-template-hash");
}

static const json_t *template_of(const json_t *tree) {
  return rebali_member(rebali_member(tree, "spec"), "template");
}

/* Returns the first ReplicaSet that has the template. */
static struct latest latest_of_deployment(const struct rebali_fed_workload *workload) {
  for (size_t i = 0; i < json_array_size(workload->replica_sets); i++) {
    const json_t *replica_set = json_array_get(workload->replica_sets, i);
    if (rebali_template_equal(template_of(replica_set), template_of(workload->tree))) {
      return (struct latest){REBAL_LATEST_STATE_KNOWN, hash_of(replica_set), strlen(hash_of(replica_set))};
    }
  }
  return (struct latest){REBAL_LATEST_STATE_MISSING, "", 0};
}

static int64_t integer_of(const json_t *map, const char *key) {
  return json_integer_value(rebali_member(map, key));
}

/* Returns the part after the last "-" of the revision being rolled out, once the controller has observed the spec. */
static struct latest latest_of_clone_set(const json_t *tree) {
  const json_t *status = rebali_member(tree, "status");
  const char *revision = rebali_member_text(status, "updateRevision"), *dash = strrchr(revision, '-');
  const char *version = dash != NULL ? dash + 1 : revision;
  if (integer_of(rebali_member(tree, "metadata"), "generation") > integer_of(status, "observedGeneration")) {
    return (struct latest){REBAL_LATEST_STATE_MISSING, "", 0};
  }
  return (struct latest){REBAL_LATEST_STATE_KNOWN, version, strlen(version)};
}

static struct latest latest_of(const struct rebali_fed_workload *workload) {
  const char *kind = rebali_member_text(workload->tree, "kind");
  if (workload->replica_sets != NULL) {
    return latest_of_deployment(workload);
  }
  if (strcmp(kind, "ReplicaSet") == 0) {
    return (struct latest){REBAL_LATEST_STATE_KNOWN, hash_of(workload->tree), strlen(hash_of(workload->tree))};
  }
  return strcmp(kind, "CloneSet") == 0 ? latest_of_clone_set(workload->tree)
                                       : (struct latest){REBAL_LATEST_STATE_NOT_TRACKED, "", 0};
}

static int32_t set_latest(const struct rebali_fed_spread *fed, const struct rebali_fed_workload *workload,
                          rebal_error *err) {
  const struct latest latest = latest_of(workload);
  const int32_t result = set_i64(fed, REBAL_SPREAD_WORKLOAD_LATEST_STATE, latest.state, err);
  return result == REBAL_OK ? rebal_cells_set_text(rebal_spread_cells(fed->spread), REBAL_SPREAD_WORKLOAD_LATEST,
                                                   REBAL_NONE, 0, latest.version, latest.len, err)
                            : result;
}

int32_t rebali_feed_facts(rebal_spread_feed *feed, const struct rebali_fed_spread *fed, const json_t *spec,
                          const struct rebali_fed_workload *workload, rebal_error *err) {
  const json_t *deleting = rebali_member(rebali_member(workload->tree, "metadata"), "deletionTimestamp");
  const int64_t state = workload->tree != NULL ? REBAL_OWNER_STATE_EXISTS : REBAL_OWNER_STATE_MISSING;
  int32_t result = set_i64(fed, REBAL_SPREAD_WORKLOAD_STATE, state, err);
  if (result == REBAL_OK) {
    result = set_i64(fed, REBAL_SPREAD_WORKLOAD_DELETING, deleting != NULL, err);
  }
  if (result == REBAL_OK) {
    result = set_replicas(feed, fed, spec, workload->tree, err);
  }
  return result == REBAL_OK ? set_latest(fed, workload, err) : result;
}
