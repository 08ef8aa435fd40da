/* SPDX-License-Identifier: MIT */
/* Templates and policies become bindings, as the detector of the manifests' library does it. */
#include "simulation/controllers/controllers.h"

static const char name[] = "detector";

int32_t rebali_detector_open(struct rebali_detector *detector, struct rebali_core *core,
                             const struct rebali_options *options, rebal_error *err) {
  const rebal_detector_opts opts = {
      .struct_size = sizeof opts, .flags = REBAL_DETECTOR_FLAG_ADMISSION, .gates = options->detector_gates};
  detector->core = core;
  return rebal_detector_new(core->server->store, &opts, &detector->state, err);
}

void rebali_detector_dispose(struct rebali_detector *detector) {
  rebal_detector_free(detector->state);
}

static const char *reason_of(struct rebali_server *server, uint32_t binding) {
  if (rebali_binding_is_managed(server, binding)) {
    return "a policy selects the workload";
  }
  return rebali_field(server, binding, "spec.requiredBy") != NULL ? "workloads depend on it"
                                                                  : "its policy, or what depends on it, lets it go";
}

/* Of templates and policies the claims alone are logged. */
static int32_t tell(struct rebali_server *server, uint32_t object, rebal_error *err) {
  if (!rebali_is_there(server, object)) {
    return REBAL_OK;
  }
  return rebali_object_is_binding(server, object)
             ? rebali_watch(server, object, name, reason_of(server, object), err)
             : rebali_watch_fields(server, object, name, "another policy takes it, or its own lets it go", err);
}

int32_t rebali_detector_run(struct rebali_detector *detector, rebal_error *err) {
  struct rebali_server *server = detector->core->server;
  struct rebali_ids changed = {NULL, 0, 0};
  uint64_t before = rebal_store_change_count(server->store);
  int32_t code = rebal_detector_run(detector->state, &server->now, err);
  if (code == REBAL_OK) {
    code = rebali_changes_take(server, &before, &changed, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    code = tell(server, changed.list[i], err);
    rebali_reads_release(server);
  }
  rebali_ids_dispose(&changed);
  return code;
}
