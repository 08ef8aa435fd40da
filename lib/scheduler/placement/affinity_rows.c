/* SPDX-License-Identifier: MIT */
/* One ClusterAffinity matched against all clusters at once: names are looked up, selectors evaluated by column. */
#include "scheduler/placement/placement.h"

static void set_named(const struct rebali_text *names, size_t n, const rebal_snapshot *snapshot, uint64_t *bits,
                      int value) {
  for (size_t i = 0; i < n; i++) {
    const uint32_t cluster = rebal_snapshot_find_cluster(snapshot, names[i].bytes, names[i].len);

    if (cluster != REBAL_NONE) {
      rebali_bit_set(bits, cluster, value && rebali_snapshot_has(snapshot, cluster));
    }
  }
}

void rebali_affinity_rows(const struct rebali_affinity *affinity, const rebal_snapshot *snapshot,
                          const uint64_t *existing, uint64_t *bits, size_t words) {
  if (affinity->malformed != NULL || affinity->n_cluster_names > 0) {
    memset(bits, 0, words * sizeof *bits);
  } else {
    memcpy(bits, existing, words * sizeof *bits);
  }
  if (affinity->malformed != NULL) {
    return;
  }
  set_named(affinity->cluster_names, affinity->n_cluster_names, snapshot, bits, 1);
  set_named(affinity->exclude, affinity->n_exclude, snapshot, bits, 0);
  if (affinity->n_labels > 0) {
    const struct rebali_predicate labels = {REBAL_CLUSTER_LABELS, rebali_labels_match, affinity};

    rebali_predicate_keep(&labels, snapshot, bits);
  }
  for (size_t i = 0; i < affinity->n_fields; i++) {
    const struct rebali_predicate field = {rebali_field_column(&affinity->fields[i]), rebali_field_matches,
                                           &affinity->fields[i]};

    rebali_predicate_keep(&field, snapshot, bits);
  }
}
