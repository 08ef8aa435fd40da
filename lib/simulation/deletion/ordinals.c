/* SPDX-License-Identifier: MIT */
/* Which numbers the pods of a StatefulSet, of Kubernetes or of OpenKruise, have: rebalance-deletion-order(7) 5, 6. */
#include "simulation/deletion/deletion.h"

#include <stdlib.h>
#include <string.h>

static int read_range(const rebal_value *item, struct rebali_range *out) {
  const char *text = rebal_value_text(item, NULL), *dash = strchr(text, '-');
  if (rebali_number(item, &out->first)) {
    out->last = out->first;
    return 1;
  }
  return dash != NULL && rebali_integer_parse(rebali_text(text, (size_t)(dash - text)), &out->first) &&
         rebali_integer_parse(rebali_text(dash + 1, strlen(dash + 1)), &out->last) && out->first <= out->last;
}

static int32_t read_reserved(const rebal_value *list, struct rebali_ordinals *out, rebal_error *err) {
  const size_t n = rebal_value_count(list);
  out->reserved = n > 0 ? calloc(n, sizeof *out->reserved) : NULL;
  out->n_reserved = 0;
  if (n > 0 && out->reserved == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    if (!read_range(rebal_value_item(list, i), &out->reserved[i])) {
      return REBAL_OK;
    }
  }
  out->n_reserved = n;
  return REBAL_OK;
}

static const struct rebali_range *range_of(const struct rebali_ordinals *ordinals, int64_t ordinal) {
  for (size_t i = 0; i < ordinals->n_reserved; i++) {
    if (ordinal >= ordinals->reserved[i].first && ordinal <= ordinals->reserved[i].last) {
      return &ordinals->reserved[i];
    }
  }
  return NULL;
}

int64_t rebali_ordinals_skip(const struct rebali_ordinals *ordinals, int64_t ordinal) {
  const struct rebali_range *range;
  while ((range = range_of(ordinals, ordinal)) != NULL) {
    ordinal = range->last + 1;
  }
  return ordinal;
}

int rebali_ordinals_want(const struct rebali_ordinals *ordinals, int64_t ordinal) {
  return ordinal >= ordinals->start && ordinal < ordinals->end && range_of(ordinals, ordinal) == NULL;
}

int32_t rebali_ordinals_read(struct rebali_server *server, uint32_t workload, struct rebali_ordinals *out,
                             rebal_error *err) {
  const char *version = rebal_store_identity(server->store, workload, REBAL_IDENTITY_API_VERSION, NULL);
  int32_t code;
  out->is_advanced = strncmp(version, "apps.kruise.io/", 15) == 0;
  out->replicas = rebali_field_number(server, workload, "spec.replicas", 1);
  out->start = out->is_advanced ? 0 : rebali_field_number(server, workload, "spec.ordinals.start", 0);
  code = read_reserved(out->is_advanced ? rebali_field(server, workload, "spec.reserveOrdinals") : NULL, out, err);
  out->end = out->start;
  for (int64_t i = 0; i < out->replicas; i++) {
    out->end = rebali_ordinals_skip(out, out->end) + 1;
  }
  return code;
}

void rebali_ordinals_dispose(struct rebali_ordinals *ordinals) {
  free(ordinals->reserved);
}
