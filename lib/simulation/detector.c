/* SPDX-License-Identifier: MIT */
/* Bindings of workloads that policies select. */
#include "simulation.h"

int32_t rebali_detector_run(rebal_simulation *simulation, rebal_error *err) {
  const int32_t code = rebal_store_derive_bindings(simulation->store, &simulation->now, err);
  return code == REBAL_OK ? rebali_watch_all(simulation, "detector", "a policy selects the workload", err) : code;
}
