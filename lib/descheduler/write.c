/* SPDX-License-Identifier: MIT */
/* The write for a binding that loses replicas, and the report after it has succeeded or failed. */
#include "descheduler/descheduler.h"

static int32_t patch(struct rebali_deschedule_call *call, uint32_t binding) {
  const rebal_record *payload;
  int32_t code;

  (void)rebal_builder_start(call->every.builder, REBAL_OBJECT_BINDING_SPEC, NULL);
  for (size_t i = 0; i < call->n_lacks; i++) {
    rebali_target_build(&call->every, call->lacks[i].target, call->lacks[i].after);
  }
  code = rebal_builder_finish(call->every.builder, &payload, call->every.err);
  return code != REBAL_OK ? code
                          : rebali_every_binding_action(&call->every, binding, REBAL_ACTION_KIND_PATCH_SPEC,
                                                        REBAL_REPLACES_CLUSTERS, payload);
}

static int32_t report_success(struct rebali_deschedule_call *call, uint32_t binding, int64_t moved) {
  struct rebali_buffer message;
  int32_t code;

  rebali_buffer_init(&message, rebali_ctx_allocator(call->ctx));
  rebali_buffer_format(&message, "Binding has been descheduled");
  for (size_t i = 0; i < call->n_lacks; i++) {
    const struct rebali_lack *lack = &call->lacks[i];

    if (lack->after != lack->replicas) {
      const struct rebali_text name = rebali_snapshot_name(call->every.snapshot, lack->cluster);

      rebali_buffer_format(&message, ", %d replica(s) in cluster(", (int)(lack->replicas - lack->after));
      rebali_buffer_append(&message, name.bytes, name.len);
      rebali_buffer_append(&message, ")", 1);
    }
  }
  rebali_buffer_format(&message, ", %lld total descheduled replica(s)", (long long)moved);
  code = message.failed ? rebali_fail_memory(call->every.err)
                        : rebali_every_binding_event(&call->every, binding, REBALI_TEXT("Normal"),
                                                     REBALI_TEXT("DescheduleBindingSucceed"),
                                                     rebali_text(message.bytes, message.len));
  rebali_buffer_dispose(&message);
  return code;
}

static int32_t report_failed_write(struct rebali_deschedule_call *call, uint32_t binding, struct rebali_text message) {
  const int32_t code = rebali_every_binding_event(&call->every, binding, REBALI_TEXT("Warning"),
                                                  REBALI_TEXT("DescheduleBindingFailed"), message);

  return code == REBAL_OK ? rebali_every_binding_step(&call->every, REBAL_STEP_STATE_RETRY,
                                                      REBAL_DESCHEDULE_REASON_MOVED, message, REBAL_ABSENT)
                          : code;
}

int32_t rebali_deschedule_write(struct rebali_deschedule_call *call, uint32_t binding, int64_t moved) {
  const struct rebali_observation *written = rebali_observation_find(call->opts.observations, binding);
  const int is_waiting = call->opts.observations != NULL && written == NULL;
  int32_t code = REBAL_OK;

  if (written != NULL && written->outcome != REBAL_OBSERVED_DONE) {
    return report_failed_write(
        call, binding, written->message.len != 0 ? written->message : REBALI_TEXT("the binding was not written"));
  }
  if (written == NULL) {
    code = patch(call, binding);
  }
  if (code == REBAL_OK && !is_waiting) {
    code = report_success(call, binding, moved);
  }
  return code == REBAL_OK
             ? rebali_every_binding_step(&call->every, is_waiting ? REBAL_STEP_STATE_WAITING : REBAL_STEP_STATE_DONE,
                                         REBAL_DESCHEDULE_REASON_MOVED, REBALI_TEXT(""), REBAL_ABSENT)
             : code;
}
