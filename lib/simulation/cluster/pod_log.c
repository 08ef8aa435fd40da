/* SPDX-License-Identifier: MIT */
/* Logs what pods of the scenario's cluster did: consecutive pods that did the same share a row. */
#include "simulation/cluster/own.h"

#include <string.h>

/* Pods named in a row. */
#define NAMED 3

static int is_same(const struct rebali_buffer *text, const char *bytes) {
  return strcmp(rebali_printed(text), bytes) == 0;
}

static void set(struct rebali_buffer *text, const char *bytes) {
  rebali_buffer_clear(text);
  rebali_buffer_text(text, bytes);
}

static int has_failed(const struct rebali_pod_log *log) {
  return log->controller.failed || log->object.failed || log->change.failed || log->reason.failed || log->names.failed;
}

int32_t rebali_pod_log_report(struct rebali_own *own, rebal_error *err) {
  struct rebali_pod_log *log = &own->log;
  struct rebali_buffer *change = &own->core->server->scratch;
  if (log->n == 0) {
    return REBAL_OK;
  }
  rebali_buffer_clear(change);
  rebali_buffer_format(change, "%zu %s %s: %s", log->n, log->n == 1 ? "pod" : "pods", rebali_printed(&log->change),
                       rebali_printed(&log->names));
  if (log->n > NAMED) {
    rebali_buffer_format(change, " and %zu more", log->n - NAMED);
  }
  log->n = 0;
  return change->failed || has_failed(log)
             ? rebali_fail_memory(err)
             : rebali_log_report_of(own->core->server, REBAL_LOG_KIND_CHANGE, rebali_printed(&log->controller),
                                    rebali_printed(&log->object), change->bytes, rebali_printed(&log->reason), err);
}

/* Prints the controller of a pod as named in its reference, even if it was deleted; without one the pod. */
static void print_controller(struct rebali_server *server, uint32_t pod, struct rebali_buffer *out) {
  const rebal_value *reference = rebali_reference_of(server, pod);
  rebali_buffer_clear(out);
  if (reference == NULL) {
    rebali_print_label(server, out, pod);
  } else {
    rebali_buffer_format(out, "%s %s/%s", rebali_find_text(reference, "kind"), rebali_namespace_of(server, pod),
                         rebali_find_text(reference, "name"));
  }
}

int32_t rebali_pod_log_add(struct rebali_own *own, const char *controller, uint32_t pod, const char *change,
                           const char *reason, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  struct rebali_pod_log *log = &own->log;
  struct rebali_buffer owner = REBALI_BUFFER;
  int32_t code = REBAL_OK;
  print_controller(server, pod, &owner);
  if (log->n > 0 && !(is_same(&log->controller, controller) && is_same(&log->object, rebali_printed(&owner)) &&
                      is_same(&log->change, change) && is_same(&log->reason, reason))) {
    code = rebali_pod_log_report(own, err);
  }
  if (log->n == 0) {
    set(&log->controller, controller);
    set(&log->object, rebali_printed(&owner));
    set(&log->change, change);
    set(&log->reason, reason);
    rebali_buffer_clear(&log->names);
  }
  if (log->n < NAMED) {
    rebali_buffer_format(&log->names, "%s%s", log->n > 0 ? ", " : "", rebali_name_of(server, pod));
  }
  log->n++;
  if (code == REBAL_OK && (owner.failed || has_failed(log))) {
    code = rebali_fail_memory(err);
  }
  rebali_buffer_dispose(&owner);
  return code;
}

void rebali_pod_log_dispose(struct rebali_pod_log *log) {
  rebali_buffer_dispose(&log->controller);
  rebali_buffer_dispose(&log->object);
  rebali_buffer_dispose(&log->change);
  rebali_buffer_dispose(&log->reason);
  rebali_buffer_dispose(&log->names);
}
