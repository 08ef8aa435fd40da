/* SPDX-License-Identifier: MIT */
#include "karmada-failover-sightings.h"

#include <stdlib.h>

struct sighting {
  uint32_t object; /* the binding */
  int64_t cluster;
  rebal_time since;
};

static int32_t add_row(const struct sighting *sighting, uint32_t row, rebal_cells *cells, rebal_error *err) {
  uint32_t item;
  int32_t code = rebal_cells_add(cells, REBAL_TABLE_UNHEALTHY, row, &item, 1, err);
  if (code == REBAL_OK) {
    code = rebal_cells_set_i64(cells, REBAL_UNHEALTHY_CLUSTER, REBAL_NONE, item, sighting->cluster, err);
  }
  if (code == REBAL_OK) {
    code = rebal_cells_set_time(cells, REBAL_UNHEALTHY_SINCE, REBAL_NONE, item, &sighting->since, err);
  }
  return code;
}

int32_t sightings_feed(const struct sightings *sightings, const uint32_t *objects, size_t n, rebal_bindings *bindings,
                       rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < sightings->n; i++) {
    for (uint32_t row = 0; code == REBAL_OK && row < n; row++) {
      if (objects[row] == sightings->list[i].object) {
        code = add_row(&sightings->list[i], row, rebal_bindings_cells(bindings), err);
      }
    }
  }
  return code;
}

int32_t sightings_keep(struct sightings *sightings, const uint32_t *objects, size_t n, const bool *has_failed,
                       const rebal_result *result) {
  size_t n_kept;
  const int64_t *rows = rebal_result_i64(result, REBAL_UNHEALTHY_KEPT_BINDING, &n_kept);
  const int64_t *clusters = rebal_result_i64(result, REBAL_UNHEALTHY_KEPT_CLUSTER, &n_kept);
  struct sighting *longer = realloc(sightings->list, (sightings->n + n_kept + 1) * sizeof *longer);
  if (longer == NULL) {
    return REBAL_ENOMEM;
  }
  sightings->list = longer;
  for (size_t row = 0; row < n; row++) {
    if (!has_failed[row]) {
      sightings_forget(sightings, objects[row]);
    }
  }
  for (size_t i = 0; i < n_kept; i++) {
    if (!has_failed[rows[i]]) {
      struct sighting *sighting = &longer[sightings->n++];
      *sighting = (struct sighting){.object = objects[rows[i]], .cluster = clusters[i]};
      rebal_result_time(result, REBAL_UNHEALTHY_KEPT_SINCE, i, &sighting->since);
    }
  }
  return REBAL_OK;
}

void sightings_forget(struct sightings *sightings, uint32_t object) {
  size_t kept = 0;
  for (size_t i = 0; i < sightings->n; i++) {
    if (sightings->list[i].object != object) {
      sightings->list[kept++] = sightings->list[i];
    }
  }
  sightings->n = kept;
}

void sightings_free(struct sightings *sightings) {
  free(sightings->list);
}
