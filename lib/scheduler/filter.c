/* SPDX-License-Identifier: MIT */
/* The filter plugins (spec karmada 3), in the fixed order in which their reasons count. */
#include "scheduler/scheduler.h"

static int is_target(const struct rebali_pass *pass, uint32_t cluster) {
  return (pass->flags[cluster] & REBALI_IS_TARGET) != 0;
}

/*
 * group/version as the reference prints it after parsing; more than one '/' gives nothing, which no enablement lists.
 */
static struct rebali_text group_version(struct rebali_text api_version) {
  const char *slash = api_version.len == 0 ? NULL : memchr(api_version.bytes, '/', api_version.len);

  if (slash == NULL) {
    return api_version;
  }
  if (memchr(slash + 1, '/', api_version.len - (size_t)(slash + 1 - api_version.bytes)) != NULL) {
    return REBALI_TEXT("");
  }
  return slash == api_version.bytes ? rebali_text(slash + 1, api_version.len - 1) : api_version;
}

static int lists_kind(const rebal_record *apis, uint32_t enablement, struct rebali_text kind) {
  uint32_t resource = REBAL_NONE;

  while ((resource = rebal_record_next(apis, enablement, REBAL_API_ENABLEMENT_RESOURCE, resource)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_text(apis, rebali_record_get(apis, resource, REBAL_API_RESOURCE_KIND)), kind)) {
      return 1;
    }
  }
  return 0;
}

static int lists_api(const struct rebali_pass *pass, const rebal_record *apis) {
  const struct rebali_text kind = rebali_bindings_text(pass->bindings, REBAL_BINDING_RESOURCE_KIND, pass->row);
  const struct rebali_text wanted =
      group_version(rebali_bindings_text(pass->bindings, REBAL_BINDING_RESOURCE_API_VERSION, pass->row));
  uint32_t node = REBAL_NONE;

  while (apis != NULL && (node = rebal_record_next(apis, 0, REBAL_API_ENABLEMENTS_ENABLEMENT, node)) != REBAL_NONE) {
    const uint32_t version = rebali_record_get(apis, node, REBAL_API_ENABLEMENT_GROUP_VERSION);

    if (rebali_text_equal(rebali_record_text(apis, version), wanted) && lists_kind(apis, node, kind)) {
      return 1;
    }
  }
  return 0;
}

static int rejects_api(const struct rebali_pass *pass, uint32_t cluster) {
  return !is_target(pass, cluster) &&
         !lists_api(pass, rebali_snapshot_cell_record(pass->snapshot, REBAL_CLUSTER_API_ENABLEMENTS, cluster));
}

static int rejects_affinity(const struct rebali_pass *pass, uint32_t cluster) {
  const struct rebali_placement *placement = pass->placement;

  if (placement->affinity != NULL) {
    return !rebali_placement_matches(placement, placement->affinity, cluster);
  }
  if (pass->trial_term == NULL || rebali_placement_matches(placement, pass->trial_term, cluster)) {
    return 0;
  }
  for (size_t i = 0; pass->is_workload && i < pass->trial_term->n_overflow; i++) {
    if (rebali_placement_matches(placement, &pass->trial_term->overflow[i], cluster)) {
      return 0;
    }
  }
  return 1;
}

static int rejects_evicting(const struct rebali_pass *pass, uint32_t cluster) {
  return (pass->flags[cluster] & REBALI_IS_EVICTING) != 0;
}

static int rejects_spread(const struct rebali_pass *pass, uint32_t cluster) {
  return !rebali_bit_get(pass->placement->properties, cluster);
}

static int rejects_taints(const struct rebali_pass *pass, uint32_t cluster) {
  return !is_target(pass, cluster) && !rebali_bit_get(pass->placement->tolerated, cluster);
}

static int rejects_friends(const struct rebali_pass *pass, uint32_t cluster) {
  int is_broken;

  return rebali_friends_reject(pass, cluster, &is_broken);
}

static int rejects_foes(const struct rebali_pass *pass, uint32_t cluster) {
  int is_broken;

  return rebali_foes_reject(pass, cluster, &is_broken);
}

static int rejects_extra(const struct rebali_pass *pass, uint32_t cluster) {
  return rebali_extra_cell(pass, pass->opts->extra_reject, cluster) != 0;
}

uint32_t rebali_filter_cluster(const struct rebali_pass *pass, uint32_t cluster, int stop) {
  static int (*const plugins[REBAL_FILTER_COUNT])(const struct rebali_pass *, uint32_t) = {
      [REBAL_FILTER_API_ENABLEMENT] = rejects_api,          [REBAL_FILTER_CLUSTER_AFFINITY] = rejects_affinity,
      [REBAL_FILTER_CLUSTER_EVICTION] = rejects_evicting,   [REBAL_FILTER_SPREAD_CONSTRAINT] = rejects_spread,
      [REBAL_FILTER_TAINT_TOLERATION] = rejects_taints,     [REBAL_FILTER_WORKLOAD_AFFINITY] = rejects_friends,
      [REBAL_FILTER_WORKLOAD_ANTI_AFFINITY] = rejects_foes, [REBAL_FILTER_EXTRA] = rejects_extra,
  };
  uint32_t rejected = 0;

  if (pass->verdicts != NULL) {
    return rebali_filter_judge(pass, cluster).rejected;
  }
  for (uint32_t plugin = 0; plugin < REBAL_FILTER_COUNT && !(stop && rejected != 0); plugin++) {
    if (plugins[plugin](pass, cluster)) {
      rejected |= UINT32_C(1) << plugin;
    }
  }
  return rejected;
}

static struct rebali_verdict read_verdict(const struct rebali_verdicts *verdicts, uint32_t cluster) {
  const size_t row = verdicts->first + verdicts->by_cluster[cluster];

  return (struct rebali_verdict){
      .rejected = (uint32_t)rebal_result_i64(verdicts->result, REBAL_VERDICT_REJECTED_BY, NULL)[row],
      .uncomparable = (uint32_t)rebal_result_i64(verdicts->result, REBAL_VERDICT_UNCOMPARABLE, NULL)[row],
      .taint = rebal_result_i64(verdicts->result, REBAL_VERDICT_TAINT, NULL)[row],
  };
}

struct rebali_verdict rebali_filter_judge(const struct rebali_pass *pass, uint32_t cluster) {
  struct rebali_verdict verdict;
  int is_broken;

  if (pass->verdicts != NULL) {
    return read_verdict(pass->verdicts, cluster);
  }
  verdict = (struct rebali_verdict){rebali_filter_cluster(pass, cluster, 0), 0, REBAL_ABSENT};
  if (verdict.rejected >> REBAL_FILTER_TAINT_TOLERATION & 1u) {
    verdict.taint =
        rebali_untolerated_taint(pass->snapshot, cluster, pass->placement->tolerations, pass->placement->n_tolerations);
  }
  (void)rebali_friends_reject(pass, cluster, &is_broken);
  verdict.uncomparable |= (uint32_t)(is_broken != 0) << REBAL_FILTER_WORKLOAD_AFFINITY;
  (void)rebali_foes_reject(pass, cluster, &is_broken);
  verdict.uncomparable |= (uint32_t)(is_broken != 0) << REBAL_FILTER_WORKLOAD_ANTI_AFFINITY;
  return verdict;
}

/*
 * What the API sets met last say, so that clusters with one set have it read once; a set stands where its handle
 * points to.
 */
#define KNOWN_APIS 16
struct known_apis {
  struct {
    int64_t handle;
    int is_known;
    int is_listed;
  } sets[KNOWN_APIS];
};

static int knows_api(const struct rebali_pass *pass, struct known_apis *known, uint32_t cluster) {
  const int64_t handle = rebali_snapshot_i64(pass->snapshot, REBAL_CLUSTER_API_ENABLEMENTS, cluster);
  const size_t at = (size_t)((uint64_t)handle % KNOWN_APIS);

  if (!known->sets[at].is_known || known->sets[at].handle != handle) {
    known->sets[at].handle = handle;
    known->sets[at].is_known = 1;
    known->sets[at].is_listed =
        lists_api(pass, rebali_snapshot_cell_record(pass->snapshot, REBAL_CLUSTER_API_ENABLEMENTS, cluster));
  }
  return known->sets[at].is_listed;
}

/* Does no plugin reject the cluster? The same as asking them all, which is left to verdicts, copies and the caller. */
static int passes(const struct rebali_pass *pass, struct known_apis *known, uint32_t cluster) {
  if (pass->verdicts != NULL || pass->n_friends > 0 || pass->n_foes > 0 || pass->opts->extra_reject != NULL) {
    return rebali_filter_cluster(pass, cluster, 1) == 0;
  }
  return !rejects_spread(pass, cluster) && !rejects_taints(pass, cluster) && !rejects_evicting(pass, cluster) &&
         !rejects_affinity(pass, cluster) && (is_target(pass, cluster) || knows_api(pass, known, cluster));
}

int32_t rebali_filter_run(struct rebali_pass *pass) {
  uint32_t n_clusters;
  struct known_apis known;
  const uint32_t *clusters = rebali_snapshot_by_name(pass->snapshot, &n_clusters);

  memset(&known, 0, sizeof known);
  for (uint32_t i = 0; i < n_clusters; i++) {
    if (!rebali_snapshot_i64(pass->snapshot, REBAL_CLUSTER_DELETING, clusters[i]) &&
        passes(pass, &known, clusters[i])) {
      rebali_bit_set(pass->feasible, clusters[i], 1);
      pass->n_feasible++;
    }
  }
  return pass->n_feasible > 0 ? REBAL_OK : rebali_filter_refuse(pass);
}
