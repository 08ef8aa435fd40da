/* SPDX-License-Identifier: MIT */
/* Makes bindings of templates and policies with the detector of the manifest library. */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "detector";

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void join(const rebal_value *list, const char *separator, struct rebali_buffer *out) {
  for (size_t i = 0; i < rebal_value_count(list); i++) {
    rebali_buffer_text(out, i > 0 ? separator : "");
    rebali_buffer_text(out, rebal_value_text(rebal_value_item(list, i), NULL));
  }
}

/* Returns the texts of the list in an array that the caller frees; NULL without memory. */
static const char **list_texts(const rebal_value *list) {
  const size_t n = rebal_value_count(list);
  const char **texts = malloc((n + 1) * sizeof *texts);
  for (size_t i = 0; texts != NULL && i < n; i++) {
    texts[i] = rebal_value_text(rebal_value_item(list, i), NULL);
  }
  return texts;
}

int32_t rebali_detector_make(rebal_store *store, const struct rebali_options *options, rebal_detector **out,
                             rebal_error *err) {
  rebal_detector_opts opts = {
      .struct_size = sizeof opts, .flags = REBAL_DETECTOR_FLAG_ADMISSION, .gates = options->detector_gates};
  struct rebali_buffer apis = REBALI_BUFFER, paths = REBALI_BUFFER;
  const char **namespaces = list_texts(options->skipped_namespaces);
  int32_t code;
  join(options->skipped_apis, ";", &apis);
  join(options->replicas_paths, ",", &paths);
  if (namespaces == NULL || apis.failed || paths.failed) {
    code = rebali_fail_memory(err);
  } else {
    opts.n_skipped_namespaces = (uint32_t)rebal_value_count(options->skipped_namespaces);
    opts.skipped_namespaces = options->skipped_namespaces != NULL ? namespaces : NULL;
    opts.skipped_apis = apis.len > 0 ? apis.bytes : NULL;
    opts.skipped_apis_len = apis.len;
    opts.replicas_paths = paths.len > 0 ? paths.bytes : NULL;
    opts.replicas_paths_len = paths.len;
    code = rebal_detector_new(store, &opts, out, err);
  }
  rebali_buffer_dispose(&apis);
  rebali_buffer_dispose(&paths);
  free(namespaces);
  return code;
}

int32_t rebali_detector_open(struct rebali_detector *detector, struct rebali_core *core,
                             const struct rebali_options *options, rebal_error *err) {
  detector->core = core;
  return rebali_detector_make(core->server->store, options, &detector->state, err);
}

void rebali_detector_dispose(struct rebali_detector *detector) {
  rebal_detector_free(detector->state);
  rebali_ids_dispose(&detector->uncounted);
}

static const char *reason_of(struct rebali_server *server, uint32_t binding) {
  if (rebali_binding_is_managed(server, binding)) {
    return "a policy selects the workload";
  }
  return rebali_field(server, binding, "spec.requiredBy") != NULL ? "workloads depend on it"
                                                                  : "released by its policy or a dependent workload";
}

/* Logs an object; for templates and policies only claims are logged. */
static int32_t report(struct rebali_server *server, uint32_t object, rebal_error *err) {
  if (!rebali_exists(server, object)) {
    return REBAL_OK;
  }
  return rebali_object_is_binding(server, object)
             ? rebali_watch(server, object, name, reason_of(server, object), err)
             : rebali_watch_fields(server, object, name, "claimed by another policy, or released by its own", err);
}

/* Tests whether a template was written because a policy claimed it. */
static int is_claimed(struct rebali_server *server, uint32_t object) {
  return rebali_exists(server, object) && !rebali_object_is_binding(server, object);
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
    code = report(server, changed.list[i], err);
    if (code == REBAL_OK) {
      code = rebali_uncounted_report(detector, changed.list[i], err);
    }
    if (code == REBAL_OK && is_claimed(server, changed.list[i])) {
      code = rebali_unbound_report(detector, changed.list[i], 0, err);
    }
    rebali_reads_release(server);
  }
  rebali_ids_dispose(&changed);
  return code == REBAL_OK ? rebali_uninterpreted_report(detector, err) : code;
}
