/* SPDX-License-Identifier: MIT */
/* What a step owns to: replicas that go, or stay away, because the reference does so (table WARNING). */
#include "simulation.h"

#include <inttypes.h>
#include <stdlib.h>

/* The first action on the binding of a row; whoever warns of a binding writes to it. n when there is none. */
static size_t find_action(const rebal_simulation *simulation, int64_t row) {
  size_t n = 0, i = 0;
  const int64_t *rows = rebal_result_i64(simulation->result, REBAL_ACTION_ROW, &n);
  const int64_t *kinds = rebal_result_i64(simulation->result, REBAL_ACTION_KIND, &n);
  while (i < n &&
         (rows[i] != row || (kinds[i] != REBAL_ACTION_KIND_PATCH_SPEC && kinds[i] != REBAL_ACTION_KIND_PATCH_STATUS))) {
    i++;
  }
  return i;
}

static int32_t describe(rebal_simulation *simulation, int64_t cluster, int64_t replicas, rebal_error *err) {
  size_t len = 0;
  const char *name = cluster != REBAL_ABSENT
                         ? rebal_cells_get_text(rebal_snapshot_cells(simulation->snapshot), REBAL_CLUSTER_NAME,
                                                REBAL_NONE, (uint32_t)cluster, &len)
                         : "";
  rebal_text_reset(simulation->scratch);
  if (len == 0) {
    return rebali_print(simulation->scratch, err, "breach: %" PRId64 " replicas have no cluster", replicas);
  }
  if (replicas == 0) {
    return rebali_print(simulation->scratch, err, "breach: what runs in %.*s goes", (int)len, name);
  }
  return rebali_print(simulation->scratch, err, "breach: %" PRId64 " replicas go from %.*s", replicas, (int)len, name);
}

static int32_t warn(rebal_simulation *simulation, size_t i, const char *controller, rebal_error *err) {
  size_t n = 0;
  const int64_t row = rebal_result_i64(simulation->result, REBAL_WARNING_BINDING, &n)[i];
  const int64_t cluster = rebal_result_i64(simulation->result, REBAL_WARNING_CLUSTER, &n)[i];
  const int64_t replicas = rebal_result_i64(simulation->result, REBAL_WARNING_REPLICAS, &n)[i];
  const size_t action = find_action(simulation, row);
  const uint32_t object = rebali_action_object(simulation, action);
  char *label;
  rebal_text *reason = NULL;
  int32_t code;
  if (object == REBAL_NONE) {
    return REBAL_OK;
  }
  label = rebali_object_label(simulation, object);
  code = label != NULL ? rebal_text_new(&reason, err) : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = describe(simulation, cluster, replicas, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(reason, err, "%s: see rebalance-compat(7)",
                        rebal_result_text(simulation->result, REBAL_WARNING_ROW_NAME, i, NULL));
  }
  if (code == REBAL_OK) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_NOTE, controller, label,
                             rebal_text_bytes(simulation->scratch, NULL), rebal_text_bytes(reason, NULL), err);
  }
  rebal_text_free(reason);
  free(label);
  return code;
}

int32_t rebali_warnings_tell(rebal_simulation *simulation, const char *controller, rebal_error *err) {
  const size_t n = rebal_result_count(simulation->result, REBAL_TABLE_WARNING);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = warn(simulation, i, controller, err);
  }
  return code;
}
