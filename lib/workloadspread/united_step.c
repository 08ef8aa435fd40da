/* SPDX-License-Identifier: MIT */
#include "workloadspread/united_step.h"

#include "fleet/fleet.h"
#include "workloadspread/pods.h"

#define DEFAULT_CRITICAL_SECONDS 30
#define DEFAULT_HOLD_SECONDS 300
#define RESCHEDULE REBALI_TEXT("reschedule")

void rebali_united_look_again(struct rebali_united_step *step, int64_t left_ns) {
  left_ns = left_ns == 0 ? 1 : left_ns;
  step->soonest_ns = left_ns < step->soonest_ns ? left_ns : step->soonest_ns;
}

struct rebali_action rebali_united_action(const struct rebali_united_step *step, int64_t kind) {
  const rebal_record *record = step->united.record;
  const uint32_t metadata = rebali_record_get(record, 0, REBAL_UNITED_DEPLOYMENT_METADATA);

  return (struct rebali_action){.kind = kind,
                                .api_version = REBALI_TEXT("apps.kruise.io/v1beta1"),
                                .object_kind = REBALI_TEXT("UnitedDeployment"),
                                .namespace_ = rebali_record_field_text(record, metadata, REBAL_METADATA_NAMESPACE),
                                .name = rebali_record_field_text(record, metadata, REBAL_METADATA_NAME),
                                .row = REBAL_ABSENT};
}

int32_t rebali_united_add_action(struct rebali_united_step *step, struct rebali_action action) {
  int32_t code;

  action.ordinal = (int64_t)rebal_result_count(step->united.result, REBAL_TABLE_ACTION);
  code = rebali_result_add_action(step->united.result, &action);
  return code == REBAL_OK ? REBAL_OK : rebali_fail(step->united.err, code, -1, "%s", rebal_strerror(code));
}

/* ---- inputs ---- */

static int64_t seconds_of(const rebal_record *record, uint32_t adaptive, uint32_t field, int64_t absent) {
  const uint32_t node = rebali_record_get(record, adaptive, field);

  return node == REBAL_NONE ? absent : rebal_record_i64(record, node);
}

static void read_strategy(struct rebali_united_step *step) {
  const rebal_record *record = step->united.record;
  const uint32_t spec = rebali_record_get(record, 0, REBAL_UNITED_DEPLOYMENT_SPEC);
  const uint32_t topology = rebali_record_get(record, spec, REBAL_UNITED_SPEC_TOPOLOGY);
  const uint32_t strategy = rebali_record_get(record, topology, REBAL_UNITED_TOPOLOGY_SCHEDULE_STRATEGY);
  const uint32_t adaptive = rebali_record_get(record, strategy, REBAL_SCHEDULE_STRATEGY_ADAPTIVE);

  step->critical_seconds =
      seconds_of(record, adaptive, REBAL_ADAPTIVE_STRATEGY_RESCHEDULE_CRITICAL_SECONDS, DEFAULT_CRITICAL_SECONDS);
  step->hold_seconds =
      seconds_of(record, adaptive, REBAL_ADAPTIVE_STRATEGY_UNSCHEDULABLE_DURATION, DEFAULT_HOLD_SECONDS);
}

static int32_t check_rows(const struct rebali_united_step *step) {
  for (size_t i = 0; step->rows != NULL && i < step->n_rows; i++) {
    if (!rebali_pods_has(step->pods, REBAL_TABLE_SPREAD_POD, step->rows[i])) {
      return rebali_fail(step->united.err, REBAL_ENOTFOUND, (int64_t)i, "there is no such pod");
    }
  }
  return REBAL_OK;
}

/* ---- state of the subsets ---- */

/* Default mode, before pods are examined: holds an unschedulable subset for a while, then tries it again. */
static int32_t recover(struct rebali_united_step *step, size_t subset) {
  struct rebali_united_condition *condition = &step->conditions[subset];
  const int64_t left = rebali_time_left_ns(step->now, &condition->since, step->hold_seconds);
  struct rebali_text message;

  if (!rebali_united_is_false(condition)) {
    return REBAL_OK;
  }
  if (left > 0) {
    step->united.subsets[subset].state |= REBAL_UNITED_STATE_UNSCHEDULABLE;
    rebali_united_look_again(step, left);
    return REBAL_OK;
  }
  rebali_buffer_format(&step->united.message, "unschedulable subset recovered after %lld.000000 seconds",
                       (long long)step->hold_seconds);
  message = rebali_arena_text(step->united.arena, rebali_text(step->united.message.bytes, step->united.message.len));
  if (step->united.message.failed || message.bytes == NULL) {
    return rebali_fail_memory(step->united.err);
  }
  step->united.message.len = 0;
  rebali_united_set_condition(step, subset, 1, REBALI_TEXT("recover"), message);
  return REBAL_OK;
}

/* Reads older conditions, before pods are examined. */
static int32_t start_subset(struct rebali_united_step *step, size_t subset) {
  struct rebali_united_subset *of = &step->united.subsets[subset];
  const int exists = (of->state & REBAL_UNITED_STATE_EXISTS) != 0;

  of->state = exists ? REBAL_UNITED_STATE_EXISTS : 0; /* the rest is computed here */
  of->reserved = 0;
  if (exists && step->united.reserves && rebali_united_is_false(&step->conditions[subset])) {
    of->state |= REBAL_UNITED_STATE_MARKED;
  }
  return exists && !step->united.reserves ? recover(step, subset) : REBAL_OK;
}

/* Applies the state of the pods. */
static void end_subset(struct rebali_united_step *step, size_t subset) {
  struct rebali_united_subset *of = &step->united.subsets[subset];

  if (step->united.reserves && of->state != 0) {
    of->state |= of->reserved > 0 ? (uint32_t)REBAL_UNITED_STATE_UNSCHEDULABLE : 0;
    rebali_united_set_condition(
        step, subset, of->reserved == 0, RESCHEDULE,
        of->reserved > 0 ? REBALI_TEXT("reserved pods found") : REBALI_TEXT("no reserved pods"));
  } else if (step->stuck[subset] > 0) {
    of->state |= REBAL_UNITED_STATE_UNSCHEDULABLE;
    rebali_united_set_condition(step, subset, 0, RESCHEDULE, REBALI_TEXT("timeout pending pods found"));
    rebali_united_look_again(step, rebali_multiply_saturating(step->hold_seconds, REBALI_SECOND_NS));
  }
}

/* Marks a subset that just left the reserve and grows again: its new pods are uncertain again. */
static void mark_grown(struct rebali_united_step *step) {
  for (size_t i = 0; i < step->united.n; i++) {
    const struct rebali_united_subset *of = &step->united.subsets[i];

    if ((of->state & REBAL_UNITED_STATE_MARKED) != 0 && (of->state & REBAL_UNITED_STATE_UNSCHEDULABLE) == 0 &&
        of->allocated > of->replicas) {
      rebali_united_set_condition(step, i, 0, RESCHEDULE, REBALI_TEXT("subset just recovered scaled up"));
    }
  }
}

static int32_t find_out(struct rebali_united_step *step) {
  int32_t code;

  read_strategy(step);
  code = rebali_united_read_conditions(step);
  for (size_t i = 0; code == REBAL_OK && i < step->united.n; i++) {
    code = start_subset(step, i);
  }
  if (code == REBAL_OK) {
    code = rebali_united_examine_pods(step);
  }
  for (size_t i = 0; code == REBAL_OK && i < step->united.n; i++) {
    end_subset(step, i);
  }
  return code;
}

/* ---- the pass ---- */

static int32_t write(struct rebali_united_step *step, const rebal_united_opts *opts) {
  struct rebali_action wake = rebali_united_action(step, REBAL_ACTION_KIND_WAKE);
  int32_t code = REBAL_OK;

  if (step->united.is_adaptive) {
    mark_grown(step);
    code = rebali_united_write_conditions(step);
  }
  if (code == REBAL_OK) {
    code = rebali_united_scale(step, opts);
  }
  if (code != REBAL_OK || step->soonest_ns == INT64_MAX) {
    return code;
  }
  wake.not_before = rebali_time_after(step->now, step->soonest_ns);
  return rebali_united_add_action(step, wake);
}

static int32_t pass(struct rebali_united_step *step, const rebal_united_opts *opts) {
  rebal_united_opts known;
  int32_t code = rebali_united_load(&step->united, opts, &known);

  if (code == REBAL_OK) {
    step->rows = known.rows;
    code = rebali_pods_count_given(step->pods, known.rows, known.n_rows, &step->n_rows, step->united.err);
  }
  if (code == REBAL_OK) {
    code = check_rows(step);
  }
  if (code == REBAL_OK && step->united.is_adaptive) {
    code = find_out(step);
  }
  if (code == REBAL_OK) {
    code = rebali_united_decide(&step->united);
  }
  if (code == REBAL_OK && step->united.reason != REBAL_UNITED_REASON_ALLOCATED) {
    rebal_result_reset(step->united.result); /* also deletes labels */
    step->soonest_ns = INT64_MAX;
  } else if (code == REBAL_OK) {
    code = write(step, &known);
  }
  return code == REBAL_OK
             ? rebali_united_report(&step->united, step->soonest_ns == INT64_MAX ? REBAL_ABSENT : step->soonest_ns)
             : code;
}

static int32_t begin(const struct rebali_united_step *step, rebal_ctx *ctx) {
  int32_t code = rebali_clock_check(step->now, step->united.err);

  if (code == REBAL_OK && step->pods == NULL) {
    code = rebali_fail(step->united.err, REBAL_EINVAL, -1, "pods are missing");
  }
  if (code == REBAL_OK) {
    code = rebali_result_begin(step->united.result, step->united.err);
  }
  return code == REBAL_OK ? rebali_ctx_begin(ctx, step->united.err) : code;
}

int32_t rebal_united_step(rebal_ctx *ctx, const rebal_record *united, const rebal_pods *pods, const rebal_time *now,
                          const rebal_united_opts *opts, rebal_result *result, rebal_error *err) {
  struct rebali_united_step step = {
      .united = {.record = united, .result = result, .err = err}, .pods = pods, .now = now, .soonest_ns = INT64_MAX};
  int32_t code = begin(&step, ctx);

  if (code != REBAL_OK) {
    return code;
  }
  step.united.arena = rebali_ctx_scratch(ctx);
  rebali_buffer_init(&step.united.message, rebali_ctx_allocator(ctx));
  code = rebal_builder_new(rebali_ctx_allocator(ctx), &step.builder, err);
  if (code == REBAL_OK) {
    code = pass(&step, opts);
  }
  rebal_builder_free(step.builder);
  rebali_buffer_dispose(&step.united.message);
  rebali_ctx_end(ctx);
  if (code != REBAL_OK) {
    rebal_result_reset(result);
  }
  return code;
}
