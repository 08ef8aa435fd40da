/* SPDX-License-Identifier: MIT */
#include "descheduler/descheduler.h"

static int32_t add_row(const struct rebali_deschedule_call *call, uint32_t binding, const struct rebali_lack *lack) {
  struct rebali_table *table = rebali_result_table(call->sweep.result, REBAL_TABLE_DESCHEDULED);
  const struct {
    uint32_t column;
    int64_t value;
  } cells[] = {{REBAL_DESCHEDULED_BINDING, binding},
               {REBAL_DESCHEDULED_CLUSTER, lack->cluster},
               {REBAL_DESCHEDULED_REPLICAS, lack->replicas},
               {REBAL_DESCHEDULED_READY, lack->ready},
               {REBAL_DESCHEDULED_UNDESIRED, rebali_lack_is_undesired(lack)},
               {REBAL_DESCHEDULED_UNSCHEDULABLE, lack->unschedulable},
               {REBAL_DESCHEDULED_ESTIMATOR, lack->source},
               {REBAL_DESCHEDULED_AFTER, lack->after}};
  size_t row;
  int32_t code = rebali_table_add(table, 1, &row);

  for (size_t i = 0; code == REBAL_OK && i < REBALI_COUNT(cells); i++) {
    code = rebali_table_set_i64(table, cells[i].column, row, cells[i].value);
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(call->sweep.err);
}

static int32_t add_rows(const struct rebali_deschedule_call *call, uint32_t binding) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < call->n_lacks; i++) {
    code = add_row(call, binding, &call->lacks[i]);
  }
  return code;
}

static int32_t patch(struct rebali_deschedule_call *call, uint32_t binding) {
  const rebal_record *payload;
  int32_t code;

  (void)rebal_builder_start(call->sweep.builder, REBAL_OBJECT_BINDING_SPEC, NULL);
  for (size_t i = 0; i < call->n_lacks; i++) {
    rebali_target_build(&call->sweep, call->lacks[i].target, call->lacks[i].after);
  }
  code = rebal_builder_finish(call->sweep.builder, &payload, call->sweep.err);
  return code != REBAL_OK
             ? code
             : rebali_sweep_act(&call->sweep, binding, REBAL_ACTION_PATCH_SPEC, REBAL_REPLACES_CLUSTERS, payload);
}

static int32_t tell(struct rebali_deschedule_call *call, uint32_t binding, int64_t moved) {
  struct rebali_buffer message;
  int32_t code;

  rebali_buffer_init(&message, rebali_ctx_allocator(call->ctx));
  rebali_buffer_format(&message, "Binding has been descheduled");
  for (size_t i = 0; i < call->n_lacks; i++) {
    const struct rebali_lack *lack = &call->lacks[i];

    if (lack->after != lack->replicas) {
      const struct rebali_text name = rebali_snapshot_name(call->sweep.snapshot, lack->cluster);

      rebali_buffer_format(&message, ", %d replica(s) in cluster(", (int)(lack->replicas - lack->after));
      rebali_buffer_append(&message, name.bytes, name.len);
      rebali_buffer_append(&message, ")", 1);
    }
  }
  rebali_buffer_format(&message, ", %lld total descheduled replica(s)", (long long)moved);
  code = message.failed
             ? rebali_fail_memory(call->sweep.err)
             : rebali_sweep_tell(&call->sweep, binding, REBALI_TEXT("Normal"), REBALI_TEXT("DescheduleBindingSucceed"),
                                 rebali_text(message.bytes, message.len));
  rebali_buffer_dispose(&message);
  return code;
}

int32_t rebali_deschedule_visit(struct rebali_sweep *sweep, uint32_t binding) {
  struct rebali_deschedule_call *call = (void *)sweep;
  int32_t code = REBAL_OK;
  int64_t moved;

  if ((call->opts.flags & REBAL_DESCHEDULE_GIVEN_BINDINGS) == 0 &&
      !rebali_deschedule_eligible(sweep->snapshot, sweep->bindings, binding)) {
    return rebali_sweep_step(sweep, REBAL_STEP_SKIPPED, REBAL_DESCHEDULE_NOT_ELIGIBLE, REBALI_TEXT(""), REBAL_ABSENT);
  }
  rebali_lacks_read(call, binding);
  moved = rebali_lacks_shrink(call);
  if (call->n_undesired != 0 || (call->opts.flags & REBAL_DESCHEDULE_EXPLAIN) != 0) {
    code = add_rows(call, binding);
  }
  if (code == REBAL_OK && moved != 0) {
    code = patch(call, binding);
    code = code == REBAL_OK ? tell(call, binding, moved) : code;
  }
  if (code != REBAL_OK) {
    return code;
  }
  return moved != 0 ? rebali_sweep_step(sweep, REBAL_STEP_DONE, REBAL_DESCHEDULE_MOVED, REBALI_TEXT(""), REBAL_ABSENT)
                    : rebali_sweep_step(sweep, REBAL_STEP_SKIPPED,
                                        call->n_undesired != 0 ? REBAL_DESCHEDULE_SCHEDULABLE : REBAL_DESCHEDULE_READY,
                                        REBALI_TEXT(""), REBAL_ABSENT);
}
