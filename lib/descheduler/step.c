/* SPDX-License-Identifier: MIT */
#include "descheduler/descheduler.h"

/* Returns the moment ns before now, but not before the start of year 1. */
static rebal_time time_before(const rebal_time *now, int64_t ns) {
  rebal_time time = *now;

  time.seconds -= ns / REBALI_SECOND_NS;
  time.nanos -= (int32_t)(ns % REBALI_SECOND_NS);
  if (time.nanos < 0) {
    time.nanos += (int32_t)REBALI_SECOND_NS;
    time.seconds--;
  }
  return time.seconds < REBALI_FIRST_SECOND ? (rebal_time){REBALI_FIRST_SECOND, 0, 1} : time;
}

/* Returns the time from which the unschedulable replicas count. */
static rebal_time since_of(const struct rebali_deschedule_call *call, uint32_t binding,
                           const struct rebali_lack *lack) {
  switch (lack->source) {
    case REBAL_DESCHEDULE_SOURCE_ESTIMATOR:
      return time_before(call->every.now, call->opts.threshold_ns);
    case REBAL_DESCHEDULE_SOURCE_PODS:
      return lack->since;
    case REBAL_DESCHEDULE_SOURCE_STATUS:
      return rebali_bindings_time(call->every.bindings, REBAL_BINDING_LAST_SCHEDULED_TIME, binding);
    default:
      return (rebal_time){0, 0, 0};
  }
}

static int32_t add_row(const struct rebali_deschedule_call *call, uint32_t binding, const struct rebali_lack *lack) {
  struct rebali_table *table = rebali_result_table(call->every.result, REBAL_TABLE_DESCHEDULED);
  const struct rebali_table_value cells[] = {
      {REBAL_DESCHEDULED_BINDING, binding},
      {REBAL_DESCHEDULED_CLUSTER, rebali_id_given(lack->cluster)},
      {REBAL_DESCHEDULED_REPLICAS, lack->replicas},
      {REBAL_DESCHEDULED_READY, lack->ready == REBALI_READY_UNKNOWN ? REBAL_ABSENT : lack->ready},
      {REBAL_DESCHEDULED_UNDESIRED, rebali_lack_is_undesired(lack)},
      {REBAL_DESCHEDULED_UNSCHEDULABLE, lack->unschedulable},
      {REBAL_DESCHEDULED_ESTIMATOR, lack->estimator},
      {REBAL_DESCHEDULED_AFTER, lack->after},
      {REBAL_DESCHEDULED_SOURCE, lack->source},
      {REBAL_DESCHEDULED_WITHHELD, lack->withheld},
      {REBAL_DESCHEDULED_WITHHELD_BY, lack->withheld_by}};
  const rebal_time since = since_of(call, binding, lack);
  size_t row;
  int32_t code = rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row);

  if (code == REBAL_OK) {
    code = rebali_table_set_time(table, REBAL_DESCHEDULED_SINCE, row, &since);
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(call->every.err);
}

static int32_t add_rows(const struct rebali_deschedule_call *call, uint32_t binding) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < call->n_lacks; i++) {
    code = add_row(call, binding, &call->lacks[i]);
  }
  return code;
}

/* Returns the replicas removed in total, and whether caps withhold any. */
static int64_t moved_of(const struct rebali_deschedule_call *call, int *is_withheld) {
  int64_t moved = 0; /* fewer than 2^32 targets lose at most 2^31 replicas each */

  *is_withheld = 0;
  for (size_t i = 0; i < call->n_lacks; i++) {
    moved += (int64_t)call->lacks[i].replicas - call->lacks[i].after;
    *is_withheld |= call->lacks[i].withheld != 0;
  }
  return moved;
}

static int32_t skip(struct rebali_every_binding *every, int64_t reason) {
  return rebali_every_binding_step(every, REBAL_STEP_STATE_SKIPPED, reason, REBALI_TEXT(""), REBAL_ABSENT);
}

/* Adds a row with the reason why the binding is excluded. */
static int32_t exclude(struct rebali_every_binding *every, int64_t exclusion) {
  const int32_t code = skip(every, REBAL_DESCHEDULE_REASON_NOT_ELIGIBLE);
  const size_t n = rebal_result_count(every->result, REBAL_TABLE_STEP);

  if (code == REBAL_OK) {
    *rebali_table_integers(rebali_result_table(every->result, REBAL_TABLE_STEP), REBAL_STEP_DETAIL, n - 1) = exclusion;
  }
  return code;
}

int32_t rebali_deschedule_visit(struct rebali_every_binding *every, uint32_t binding) {
  struct rebali_deschedule_call *call = (void *)every;
  const int64_t exclusion = rebali_deschedule_exclusion(call, binding);
  int is_withheld;
  int64_t moved;
  int32_t code;

  if (exclusion != REBAL_DESCHEDULE_EXCLUSION_NONE) {
    return exclude(every, exclusion);
  }
  code = rebali_lacks_read(call, binding);
  if (code != REBAL_OK) {
    return code;
  }
  rebali_lacks_shrink(call);
  code = rebali_caps_apply(call, binding);
  moved = moved_of(call, &is_withheld);
  if (code == REBAL_OK && (call->n_undesired != 0 || (call->opts.flags & REBAL_DESCHEDULE_FLAG_EXPLAIN) != 0)) {
    code = add_rows(call, binding);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (moved != 0) {
    return rebali_deschedule_write(call, binding, moved);
  }
  return skip(every, is_withheld              ? REBAL_DESCHEDULE_REASON_WITHHELD
                     : call->n_undesired != 0 ? REBAL_DESCHEDULE_REASON_SCHEDULABLE
                                              : REBAL_DESCHEDULE_REASON_READY);
}
