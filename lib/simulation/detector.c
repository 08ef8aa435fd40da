/* SPDX-License-Identifier: MIT */
/* Bindings of workloads that policies select. */
#include "simulation.h"

/* What controllers write: no binding follows from it. One that is gone may have been anything. */
static int is_written(rebal_simulation *simulation, uint32_t object) {
  static const char *const kinds[] = {"ResourceBinding", "ClusterResourceBinding", "Event", "Cluster",
                                      "WorkloadRebalancer"};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (rebali_field_is(simulation, object, "kind", kinds[i])) {
      return 1;
    }
  }
  return 0;
}

static int has_new(rebal_simulation *simulation) {
  const int is_first = simulation->detected == 0;
  uint32_t id = rebal_store_next_changed(simulation->store, &simulation->detected);
  while (id != REBAL_NONE && is_written(simulation, id)) {
    id = rebal_store_next_changed(simulation->store, &simulation->detected);
  }
  simulation->detected = rebal_store_change_count(simulation->store);
  return id != REBAL_NONE || is_first;
}

int32_t rebali_detector_run(rebal_simulation *simulation, rebal_error *err) {
  int32_t code;
  if (!has_new(simulation)) {
    return REBAL_OK;
  }
  code = rebal_store_derive_bindings(simulation->store, &simulation->now, err);
  return code == REBAL_OK ? rebali_watch_all(simulation, "detector", "a policy selects the workload", err) : code;
}
