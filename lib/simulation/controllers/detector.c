/* SPDX-License-Identifier: MIT */
/* Bindings of workloads that policies select. */
#include "simulation/controllers/controllers.h"

#include <string.h>

/* What controllers write: no binding follows from it. One that is gone may have been anything. */
static int is_written(const char *kind) {
  static const char *const kinds[] = {"ResourceBinding", "ClusterResourceBinding", "Event", "Cluster",
                                      "WorkloadRebalancer"};
  size_t i = 0;
  while (i < REBALI_COUNT(kinds) && strcmp(kind, kinds[i]) != 0) {
    i++;
  }
  return i < REBALI_COUNT(kinds);
}

int32_t rebali_detector_run(struct rebali_detector *detector, rebal_error *err) {
  struct rebali_server *server = detector->core->server;
  const int is_first = detector->seen == 0;
  uint32_t id = rebal_store_next_changed(server->store, &detector->seen);
  int32_t code;
  while (id != REBAL_NONE && is_written(rebali_kind_of(server, id))) {
    id = rebal_store_next_changed(server->store, &detector->seen);
  }
  detector->seen = rebal_store_change_count(server->store);
  if (id == REBAL_NONE && !is_first) {
    return REBAL_OK;
  }
  code = rebal_store_derive_bindings(server->store, NULL, 0, &server->now, err);
  return code == REBAL_OK ? rebali_watch_all(server, "detector", "a policy selects the workload", err) : code;
}
