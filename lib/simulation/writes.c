/* SPDX-License-Identifier: MIT */
/* The server as a whole, writes to its objects, and rows of the log about them. */
#include "simulation/server.h"

#include <stdlib.h>
#include <string.h>

int32_t rebali_server_open(struct rebali_server *server, const rebal_manifest_limits *limits, rebal_error *err) {
  server->limits = limits;
  server->step = "";
  return rebal_store_new(limits, &server->store, err);
}

void rebali_server_dispose(struct rebali_server *server) {
  rebali_reads_release(server);
  free(server->reads.held);
  for (uint32_t i = 0; i < server->shown.n; i++) {
    rebali_watch_forget(server, i);
  }
  free(server->shown.bytes);
  rebali_events_dispose(&server->events);
  rebali_log_dispose(&server->log);
  rebali_buffer_dispose(&server->scratch);
  free(server->faults.list);
  rebal_store_free(server->store);
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

int32_t rebali_patch(struct rebali_server *server, uint32_t object, const struct rebali_buffer *patch,
                     rebal_error *err) {
  return patch->failed ? rebali_fail_memory(err)
                       : rebal_store_patch(server->store, object, patch->bytes, patch->len, &server->now, err);
}

int32_t rebali_apply(struct rebali_server *server, const struct rebali_buffer *objects, rebal_error *err) {
  return objects->failed ? rebali_fail_memory(err)
                         : rebal_store_apply(server->store, objects->bytes, objects->len, &server->now, err);
}

int32_t rebali_merge_text(const struct rebali_server *server, struct rebali_buffer *text,
                          const struct rebali_buffer *patch, rebal_error *err) {
  rebal_text *merged = NULL;
  rebal_document *document = NULL;
  int32_t code = text->failed || patch->failed ? rebali_fail_memory(err) : rebal_text_new(&merged, err);
  if (code == REBAL_OK) {
    code = rebal_document_read(patch->bytes, patch->len, server->limits, &document, err);
  }
  if (code == REBAL_OK) {
    code = rebal_manifest_patch(text->bytes, text->len, server->limits, document, REBAL_PATCH_MERGE,
                                REBAL_TEXT_FORMAT_JSON, merged, err);
  }
  if (code == REBAL_OK) {
    rebali_buffer_clear(text);
    rebali_buffer_text(text, rebal_text_bytes(merged, NULL));
    code = text->failed ? rebali_fail_memory(err) : REBAL_OK;
  }
  rebal_document_free(document);
  rebal_text_free(merged);
  return code;
}

void rebali_forget(struct rebali_server *server, uint32_t object) {
  for (struct rebali_timers *timers = server->timers; timers != NULL; timers = timers->next) {
    rebali_timer_clear(timers, object);
  }
  rebali_watch_forget(server, object);
  server->changes++;
}

int32_t rebali_remove_quietly(struct rebali_server *server, uint32_t object, rebal_error *err) {
  const int32_t code = rebal_store_remove(server->store, object, err);
  rebali_forget(server, object);
  return code;
}

int32_t rebali_remove(struct rebali_server *server, uint32_t object, const char *controller, const char *reason,
                      rebal_error *err) {
  struct rebali_buffer label = REBALI_BUFFER;
  int32_t code;
  rebali_print_label(server, &label, object);
  code = label.failed ? rebali_fail_memory(err) : rebali_remove_quietly(server, object, err);
  if (code == REBAL_OK) {
    code = rebali_log_report_of(server, REBAL_LOG_KIND_CHANGE, controller, label.bytes, "deleted", reason, err);
  }
  rebali_buffer_dispose(&label);
  return code;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

void rebali_print_label(const struct rebali_server *server, struct rebali_buffer *out, uint32_t object) {
  const char *namespace_ = rebali_namespace_of(server, object);
  rebali_buffer_text(out, rebali_kind_of(server, object));
  rebali_buffer_text(out, " ");
  rebali_buffer_text(out, namespace_);
  rebali_buffer_text(out, namespace_[0] != '\0' ? "/" : "");
  rebali_buffer_text(out, rebali_name_of(server, object));
}

int32_t rebali_log_report_of(struct rebali_server *server, uint32_t kind, const char *controller, const char *object,
                             const char *change, const char *reason, rebal_error *err) {
  const char *const texts[REBALI_LOG_COLUMNS] = {
      [REBALI_LOG_STEP] = server->step, [REBALI_LOG_CONTROLLER] = controller, [REBALI_LOG_OBJECT] = object,
      [REBALI_LOG_CHANGE] = change,     [REBALI_LOG_REASON] = reason,
  };
  return rebali_log_append(&server->log, kind, &server->now, texts, err);
}

int32_t rebali_log_report(struct rebali_server *server, uint32_t kind, const char *controller, uint32_t object,
                          const char *change, const char *reason, rebal_error *err) {
  struct rebali_buffer label = REBALI_BUFFER;
  int32_t code;
  rebali_print_label(server, &label, object);
  code = label.failed ? rebali_fail_memory(err)
                      : rebali_log_report_of(server, kind, controller, label.bytes, change, reason, err);
  rebali_buffer_dispose(&label);
  return code;
}
