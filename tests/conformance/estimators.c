/* SPDX-License-Identifier: MIT */
/* The members of a case about estimators: estimators, available and availableError. */
#include "conformance.h"

#include <stdlib.h>

/* Clusters that the map lacks get no answer; an estimator that failed answers for none. */
static int read_available(struct conformance *run, const struct world *world, const json_t *input,
                          struct estimators *out) {
  const uint32_t rows = rebal_cells_bound(rebal_snapshot_cells(world->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  const json_t *available = json_object_get(input, "available");
  uint32_t row;

  out->fits = malloc(((size_t)rows + 1) * sizeof *out->fits);
  if (out->fits == NULL) {
    run->fault = "no memory";
    return 1;
  }
  for (row = 0; row < rows; row++) {
    const json_t *fits = json_object_get(available, cluster_name(world->snapshot, row));

    out->fits[row] = fits == NULL ? REBAL_FITS_NO_OPINION : (int32_t)json_integer_value(fits);
    if (json_at(input, "availableError") != NULL) {
      out->fits[row] = REBAL_FITS_FAILED;
    }
  }
  out->estimator = (rebal_estimator){(uint32_t)sizeof out->estimator, 0, out->fits, rows, 0};
  out->list[0] = &out->estimator;
  return 0;
}

int estimators_read(struct conformance *run, const struct world *world, const json_t *input, rebal_schedule_opts *opts,
                    struct estimators *out) {
  const json_t *names = json_object_get(input, "estimators");

  out->fits = NULL;
  if (!array_has(names, "general")) {
    opts->flags |= REBAL_SCHEDULE_FLAG_NO_SUMMARY;
  }
  if (!array_has(names, "available")) {
    return 0;
  }
  opts->estimators = out->list;
  opts->n_estimators = 1;
  return read_available(run, world, input, out);
}

void estimators_dispose(struct estimators *estimators) {
  free(estimators->fits);
}
