/* SPDX-License-Identifier: MIT */
#include "workloadspread/united.h"

/* ---- inputs ---- */

static uint32_t topology_of(const rebal_record *record) {
  return rebali_record_get(record, rebali_record_get(record, 0, REBAL_UNITED_DEPLOYMENT_SPEC),
                           REBAL_UNITED_SPEC_TOPOLOGY);
}

static int32_t read_amount(const struct rebali_united *united, const int32_t *amounts, size_t i, int64_t *amount) {
  *amount = amounts == NULL ? 0 : amounts[i];
  return *amount >= 0 ? REBAL_OK : rebali_fail(united->err, REBAL_ERANGE, (int64_t)i, "an amount is negative");
}

static int32_t read_workload(const struct rebali_united *united, const rebal_united_opts *opts, size_t i) {
  struct rebali_united_subset *subset = &united->subsets[i];
  const uint32_t known = REBAL_UNITED_STATE_EXISTS | REBAL_UNITED_STATE_UNSCHEDULABLE | REBAL_UNITED_STATE_MARKED;
  const uint32_t state = i < opts->n && opts->states != NULL ? opts->states[i] : 0;
  const struct {
    const int32_t *amounts;
    int64_t *amount;
  } columns[] = {{opts->replicas, &subset->replicas},
                 {opts->observed, &subset->observed},
                 {opts->ready, &subset->ready},
                 {opts->reserved, &subset->reserved}};
  int32_t code = REBAL_OK;

  if ((state & ~known) != 0) {
    return rebali_fail(united->err, REBAL_EUNSUPPORTED, (int64_t)i, "a state is newer than this library");
  }
  if ((state & REBAL_UNITED_STATE_EXISTS) == 0) {
    return REBAL_OK;
  }
  subset->state = state;
  for (size_t j = 0; code == REBAL_OK && j < REBALI_COUNT(columns); j++) {
    code = read_amount(united, columns[j].amounts, i, columns[j].amount);
  }
  return code;
}

static int32_t read_subsets(struct rebali_united *united, const rebal_united_opts *opts) {
  const uint32_t topology = topology_of(united->record);
  uint32_t node = REBAL_NONE;
  int32_t code = REBAL_OK;
  size_t i = 0;

  united->n = rebali_record_count(united->record, topology, REBAL_UNITED_TOPOLOGY_SUBSETS);
  united->subsets = rebali_arena_allocate_zero(united->arena, united->n, sizeof *united->subsets);
  if (united->subsets == NULL) {
    return rebali_fail_memory(united->err);
  }
  while (code == REBAL_OK &&
         (node = rebali_record_next(united->record, topology, REBAL_UNITED_TOPOLOGY_SUBSETS, node)) != REBAL_NONE) {
    united->subsets[i].node = node;
    united->subsets[i].maximum = INT32_MAX;
    united->subsets[i].name = rebali_record_field_text(united->record, node, REBAL_UNITED_SUBSET_NAME);
    code = read_workload(united, opts, i++);
  }
  return code;
}

static int32_t read_spec(struct rebali_united *united) {
  const rebal_record *record = united->record;
  const uint32_t spec = rebali_record_get(record, 0, REBAL_UNITED_DEPLOYMENT_SPEC);
  const uint32_t replicas = rebali_record_get(record, spec, REBAL_UNITED_SPEC_REPLICAS);
  const uint32_t strategy = rebali_record_get(record, topology_of(record), REBAL_UNITED_TOPOLOGY_SCHEDULE_STRATEGY);
  const uint32_t adaptive = rebali_record_get(record, strategy, REBAL_SCHEDULE_STRATEGY_ADAPTIVE);
  const struct rebali_text type = rebali_record_field_text(record, strategy, REBAL_SCHEDULE_STRATEGY_TYPE);

  united->replicas = replicas == REBAL_NONE ? REBAL_ABSENT : rebal_record_i64(record, replicas);
  united->is_adaptive = rebali_text_equal(type, REBALI_TEXT("Adaptive"));
  united->reserves =
      united->is_adaptive &&
      rebal_record_i64(record,
                       rebali_record_get(record, adaptive, REBAL_ADAPTIVE_STRATEGY_RESERVE_UNSCHEDULABLE_PODS)) != 0;
  return united->replicas == REBAL_ABSENT || united->replicas >= 0
             ? REBAL_OK
             : rebali_fail(united->err, REBAL_ERANGE, -1, "spec.replicas is negative");
}

int32_t rebali_united_load(struct rebali_united *united, const rebal_united_opts *opts, rebal_united_opts *known) {
  int32_t code = rebali_options_load(known, sizeof *known, sizeof *known, opts, united->err);

  if (code == REBAL_OK && known->flags != 0) {
    code = rebali_fail(united->err, REBAL_EUNSUPPORTED, -1, "a flag is newer than this library");
  }
  if (code == REBAL_OK && rebal_record_object(united->record) != REBAL_OBJECT_UNITED_DEPLOYMENT) {
    code = rebali_fail(united->err, REBAL_EINVAL, -1, "the record is not a UnitedDeployment");
  }
  if (code == REBAL_OK) {
    code = read_spec(united);
  }
  return code == REBAL_OK ? read_subsets(united, known) : code;
}

/* ---- which algorithm (13.2) ---- */

static int has_limits(const struct rebali_united *united) {
  for (size_t i = 0; i < united->n; i++) {
    if (rebali_record_get(united->record, united->subsets[i].node, REBAL_UNITED_SUBSET_MIN_REPLICAS) != REBAL_NONE ||
        rebali_record_get(united->record, united->subsets[i].node, REBAL_UNITED_SUBSET_MAX_REPLICAS) != REBAL_NONE) {
      return 1;
    }
  }
  return 0;
}

int32_t rebali_united_decide(struct rebali_united *united) {
  if (!united->is_adaptive && !has_limits(united)) {
    return rebali_united_fix(united);
  }
  rebali_united_read_limits(united);
  if (united->reason != REBAL_UNITED_REASON_ALLOCATED) {
    return REBAL_OK;
  }
  if (united->reserves) {
    return rebali_united_substitute(united);
  }
  if (united->is_adaptive) {
    rebali_united_narrow_limits(united);
  }
  rebali_united_fill(united);
  return REBAL_OK;
}

/* ---- result ---- */

static void write_row(struct rebali_table *table, size_t row, size_t i, const struct rebali_united_subset *subset) {
  const struct {
    uint32_t column;
    int64_t value;
  } cells[] = {{REBAL_ALLOCATED_SUBSET, (int64_t)i},
               {REBAL_ALLOCATED_REPLICAS, subset->allocated},
               {REBAL_ALLOCATED_MINIMUM, subset->minimum == 0 ? REBAL_ABSENT : subset->minimum},
               {REBAL_ALLOCATED_MAXIMUM, subset->maximum == INT32_MAX ? REBAL_ABSENT : subset->maximum},
               {REBAL_ALLOCATED_FLAGS, subset->state},
               {REBAL_ALLOCATED_RESERVED, subset->reserved}};

  for (size_t j = 0; j < REBALI_COUNT(cells); j++) {
    *rebali_table_integers(table, cells[j].column, row + i) = cells[j].value;
  }
}

int32_t rebali_united_report(struct rebali_united *united, int64_t after_ns) {
  const int is_allocated = united->reason == REBAL_UNITED_REASON_ALLOCATED;
  const struct rebali_step step = {is_allocated ? REBAL_STEP_STATE_DONE : REBAL_STEP_STATE_RETRY, united->reason,
                                   rebali_text(united->message.bytes, united->message.len), after_ns};
  struct rebali_table *table = rebali_result_table(united->result, REBAL_TABLE_ALLOCATED);
  size_t row;

  if (united->message.failed || rebali_result_add_step(united->result, &step) != REBAL_OK) {
    return rebali_fail_memory(united->err);
  }
  if (!is_allocated || united->n == 0) {
    return REBAL_OK;
  }
  if (rebali_table_append(table, united->n, &row) != REBAL_OK) {
    return rebali_fail_memory(united->err);
  }
  for (size_t i = 0; i < united->n; i++) {
    write_row(table, row, i, &united->subsets[i]);
  }
  return REBAL_OK;
}

int32_t rebal_united_allocate(rebal_ctx *ctx, const rebal_record *united, const rebal_united_opts *opts,
                              rebal_result *result, rebal_error *err) {
  struct rebali_united call = {.record = united, .result = result, .err = err};
  rebal_united_opts known;
  int32_t code = rebali_result_begin(result, err);

  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  call.arena = rebali_ctx_scratch(ctx);
  rebali_buffer_init(&call.message, rebali_ctx_allocator(ctx));
  code = rebali_united_load(&call, opts, &known);
  if (code == REBAL_OK) {
    code = rebali_united_decide(&call);
  }
  if (code == REBAL_OK) {
    code = rebali_united_report(&call, REBAL_ABSENT);
  }
  rebali_buffer_dispose(&call.message);
  return rebali_answer_end(ctx, result, code);
}
