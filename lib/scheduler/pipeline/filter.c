/* SPDX-License-Identifier: MIT */
/* The filter plugins (rebalance-karmada(7) 3), in the fixed order in which their reasons count. */
#include "scheduler/scheduler.h"

static int is_target(const struct rebali_pass *pass, uint32_t cluster) {
  return rebali_bit_get(pass->targets, cluster);
}

static struct rebali_api api_of(const struct rebali_pass *pass) {
  return (struct rebali_api){rebali_bindings_text(pass->bindings, REBAL_BINDING_RESOURCE_API_VERSION, pass->row),
                             rebali_bindings_text(pass->bindings, REBAL_BINDING_RESOURCE_KIND, pass->row)};
}

static int rejects_api(const struct rebali_pass *pass, uint32_t cluster) {
  const struct rebali_api api = api_of(pass);

  return !is_target(pass, cluster) &&
         !rebali_api_is_listed(&api,
                               rebali_snapshot_cell_record(pass->snapshot, REBAL_CLUSTER_API_ENABLEMENTS, cluster));
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
  return rebali_bit_get(pass->evicting, cluster);
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
  return (pass->lost != NULL && rebali_bit_get(pass->lost, cluster)) ||
         rebali_extra_cell(pass, pass->opts->extra_reject, cluster) != 0;
}

uint32_t rebali_filter_cluster(const struct rebali_pass *pass, uint32_t cluster, int stop) {
  static int (*const plugins[REBALI_FILTERS])(const struct rebali_pass *, uint32_t) = {
      [REBAL_FILTER_API_ENABLEMENT] = rejects_api,          [REBAL_FILTER_CLUSTER_AFFINITY] = rejects_affinity,
      [REBAL_FILTER_CLUSTER_EVICTION] = rejects_evicting,   [REBAL_FILTER_SPREAD_CONSTRAINT] = rejects_spread,
      [REBAL_FILTER_TAINT_TOLERATION] = rejects_taints,     [REBAL_FILTER_WORKLOAD_AFFINITY] = rejects_friends,
      [REBAL_FILTER_WORKLOAD_ANTI_AFFINITY] = rejects_foes, [REBALI_FILTER_EXTRA] = rejects_extra,
  };
  uint32_t rejected = 0;

  if (pass->verdicts != NULL) {
    return rebali_filter_judge(pass, cluster).rejected;
  }
  for (uint32_t i = 0; i < REBALI_FILTERS && !(stop && rejected != 0); i++) {
    if (plugins[i](pass, cluster)) {
      rejected |= UINT32_C(1) << rebali_filter_at(i);
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
    verdict.taint = rebali_untolerated_taint(pass->snapshot, cluster, &pass->placement->tolerations);
  }
  (void)rebali_friends_reject(pass, cluster, &is_broken);
  verdict.uncomparable |= (uint32_t)(is_broken != 0) << REBAL_FILTER_WORKLOAD_AFFINITY;
  (void)rebali_foes_reject(pass, cluster, &is_broken);
  verdict.uncomparable |= (uint32_t)(is_broken != 0) << REBAL_FILTER_WORKLOAD_ANTI_AFFINITY;
  return verdict;
}

/* ---- all clusters at once ---------------------------------------------------------------------------------------- */

/* Sets the bits of clusters that the affinity under trial allows; without an affinity, of all clusters. */
static void set_affine(const struct rebali_pass *pass, uint64_t *bits) {
  const struct rebali_placement *placement = pass->placement;
  const struct rebali_affinity *affinity = placement->affinity != NULL ? placement->affinity : pass->trial_term;
  const int overflows = placement->affinity == NULL && pass->is_workload;

  if (affinity == NULL) {
    memset(bits, 0xff, pass->words * sizeof *bits);
    return;
  }
  memcpy(bits, placement->matches + affinity->bitset * placement->words, pass->words * sizeof *bits);
  for (size_t i = 0; overflows && i < affinity->n_overflow; i++) {
    const uint64_t *overflow = placement->matches + affinity->overflow[i].bitset * placement->words;

    for (size_t word = 0; word < pass->words; word++) {
      bits[word] |= overflow[word];
    }
  }
}

/* Keeps the clusters that no plugin of a placement rejects. Targets need neither the API nor tolerations. */
static void keep_standing(const struct rebali_pass *pass, const uint64_t *listed, uint64_t *bits) {
  const struct rebali_placement *placement = pass->placement;

  for (size_t i = 0; i < pass->words; i++) {
    const uint64_t excused = pass->targets[i] & placement->present[i] & placement->properties[i];

    bits[i] &= ((placement->standing[i] & listed[i]) | excused) & ~pass->evicting[i];
  }
}

static void clear_rejected(const struct rebali_pass *pass, uint64_t *bits) {
  for (size_t word = 0; pass->lost != NULL && word < pass->words; word++) {
    bits[word] &= ~pass->lost[word];
  }
  for (uint32_t cluster = 0; pass->opts->extra_reject != NULL && cluster < pass->words * 64; cluster++) {
    if (rebali_bit_get(bits, cluster) && rejects_extra(pass, cluster)) {
      rebali_bit_set(bits, cluster, 0);
    }
  }
}

static int32_t find_feasible(struct rebali_pass *pass) {
  const struct rebali_api api = api_of(pass);
  const uint64_t *listed;
  const int32_t code = rebali_api_rows(pass->ctx, pass->snapshot, &api, &listed, pass->err);

  if (code != REBAL_OK) {
    return code;
  }
  set_affine(pass, pass->feasible);
  keep_standing(pass, listed, pass->feasible);
  clear_rejected(pass, pass->feasible);
  return rebali_peers_keep(pass, pass->feasible) == REBAL_OK ? REBAL_OK : rebali_fail_memory(pass->err);
}

/* Reads the feasible clusters from an earlier result, which ran the plugins. */
static void read_feasible(const struct rebali_pass *pass, uint64_t *bits) {
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(pass->snapshot, &n_clusters);

  for (uint32_t i = 0; i < n_clusters; i++) {
    if (rebali_cluster_is_present(pass->snapshot, clusters[i]) &&
        read_verdict(pass->verdicts, clusters[i]).rejected == 0) {
      rebali_bit_set(bits, clusters[i], 1);
    }
  }
}

int32_t rebali_filter_run(struct rebali_pass *pass) {
  int32_t code = REBAL_OK;

  if (pass->verdicts != NULL) {
    read_feasible(pass, pass->feasible);
  } else {
    code = find_feasible(pass);
  }
  if (code != REBAL_OK) {
    return code;
  }
  pass->n_feasible = rebali_bits_count(pass->feasible, pass->words);
  return pass->n_feasible > 0 ? REBAL_OK : rebali_filter_refuse(pass);
}
