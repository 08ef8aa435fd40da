/* SPDX-License-Identifier: MIT */
/* Loads and checks the options of a plan. */
#include "plan/make/make.h"

#define DEFAULT_TOLERANCE 100
#define DEFAULT_PERCENT 25
#define DEFAULT_PROGRESS_DEADLINE_NS (600 * REBALI_SECOND_NS)

static const uint32_t flags = REBAL_PLAN_FLAG_TOLERANCE_GIVEN | REBAL_PLAN_FLAG_SURGE_GIVEN |
                              REBAL_PLAN_FLAG_SURGE_PERCENT | REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN |
                              REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT | REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS;

static int has_flag(const rebal_plan_opts *opts, uint32_t flag) {
  return (opts->flags & flag) != 0;
}

static int32_t check_tolerance(rebal_plan_opts *opts, rebal_error *err) {
  if (opts->mode < REBAL_PLAN_MODE_FRESH || opts->mode > REBAL_PLAN_MODE_LEAST) {
    return rebali_fail(err, REBAL_EINVAL, -1, "there is no mode %ld", (long)opts->mode);
  }
  if (opts->tolerance < 0 || opts->tolerance > 1000) {
    return rebali_fail(err, REBAL_ERANGE, -1, "the tolerance is %ld, expected 0 to 1000 permille",
                       (long)opts->tolerance);
  }
  if (opts->tolerance == 0 && !has_flag(opts, REBAL_PLAN_FLAG_TOLERANCE_GIVEN)) {
    opts->tolerance = DEFAULT_TOLERANCE;
  }
  return REBAL_OK;
}

/* Parameters that are not given default to a quarter of R, as in a Deployment. */
static void complete_parameters(rebal_plan_opts *opts) {
  if (opts->max_surge == 0 && !has_flag(opts, REBAL_PLAN_FLAG_SURGE_GIVEN)) {
    opts->max_surge = DEFAULT_PERCENT;
    opts->flags |= REBAL_PLAN_FLAG_SURGE_PERCENT;
  }
  if (opts->max_unavailable == 0 && !has_flag(opts, REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN)) {
    opts->max_unavailable = DEFAULT_PERCENT;
    opts->flags |= REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT;
  }
  if (opts->progress_deadline_ns == 0) {
    opts->progress_deadline_ns = DEFAULT_PROGRESS_DEADLINE_NS;
  }
}

static int32_t check_parameters(rebal_plan_opts *opts, rebal_error *err) {
  complete_parameters(opts);
  if (opts->max_surge < 0 || opts->max_unavailable < 0 || opts->progress_deadline_ns < 0) {
    return rebali_fail(err, REBAL_ERANGE, -1, "%s is negative",
                       opts->max_surge < 0         ? "max_surge"
                       : opts->max_unavailable < 0 ? "max_unavailable"
                                                   : "progress_deadline_ns");
  }
  if (opts->max_unavailable > 100 && has_flag(opts, REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT)) {
    return rebali_fail(err, REBAL_ERANGE, -1, "max_unavailable is %lld percent, at most 100 are possible",
                       (long long)opts->max_unavailable);
  }
  if (opts->max_surge == 0 && opts->max_unavailable == 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "max_surge and max_unavailable are both 0, so nothing could ever move");
  }
  return REBAL_OK;
}

void rebali_plan_parameters(const struct rebali_plan_call *call, struct rebali_plan_row *row) {
  const rebal_plan_opts *opts = &call->opts;
  const int64_t replicas = row->replicas;
  int64_t surge = opts->max_surge;
  int64_t unavailable = opts->max_unavailable;

  if (has_flag(opts, REBAL_PLAN_FLAG_SURGE_PERCENT)) {
    const int64_t parts = rebali_multiply_saturating(replicas, surge);

    surge = parts / 100 + (parts % 100 != 0);
  }
  if (has_flag(opts, REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT)) {
    unavailable = replicas * unavailable / 100; /* 31 bits times at most 100 */
  }
  if (surge == 0 && unavailable == 0) {
    unavailable = 1;
  }
  row->max_surge = surge > INT32_MAX ? INT32_MAX : (int32_t)surge;
  row->max_unavailable = unavailable > replicas ? row->replicas : (int32_t)unavailable;
}

static int32_t load_schedule(struct rebali_plan_call *call) {
  rebal_schedule_opts *schedule = &call->schedule;
  size_t end;
  int32_t code = rebali_schedule_check(call->snapshot, call->bindings, call->opts.schedule, schedule, &end, call->err);

  if (code != REBAL_OK) {
    return code;
  }
  if (schedule->first_row != 0 || schedule->max_work != 0 || schedule->explain_rows != 0 ||
      schedule->observations != NULL || (schedule->flags & REBAL_SCHEDULE_FLAG_FINGERPRINT) != 0) {
    return rebali_fail(call->err, REBAL_EINVAL, -1,
                       "a plan schedules all bindings: schedule has first_row, max_work, explain_rows, observations or "
                       "a flag for a fingerprint");
  }
  schedule->struct_size = (uint32_t)sizeof *schedule; /* 0 if the caller passed none */
  if (schedule->ledger != NULL) {
    code = rebal_ledger_fork(schedule->ledger, &call->ledger, call->err);
  }
  return code;
}

/* Loads a list of clusters into the plan, ascending, each once, and into bitsets. */
static int32_t load_clusters(struct rebali_plan_call *call, const uint32_t *given, uint64_t n, const char *what,
                             uint64_t *also, uint32_t **out, size_t *n_out) {
  struct rebali_arena *arena = &call->plan->arena;
  uint32_t *ids;

  if (n != 0 && given == NULL) {
    return rebali_fail(call->err, REBAL_EINVAL, -1, "%s is NULL", what);
  }
  ids = n > SIZE_MAX / 2 ? NULL : rebali_arena_allocate(arena, (size_t)n, 2 * sizeof *ids);
  if (ids == NULL) {
    return rebali_fail_memory(call->err);
  }
  for (size_t i = 0; i < n; i++) {
    if (given[i] >= rebali_snapshot_rows(call->snapshot) || !rebali_snapshot_has(call->snapshot, given[i])) {
      return rebali_fail(call->err, REBAL_EINVAL, (int64_t)i, "%s has a cluster that is not in the fleet", what);
    }
    ids[i] = given[i];
    rebali_bit_set(call->is_rejected, given[i], 1);
    if (also != NULL) {
      rebali_bit_set(also, given[i], 1);
    }
  }
  *out = ids;
  *n_out = rebali_plan_sort_ids(ids, (size_t)n);
  return REBAL_OK;
}

static int32_t load_causes(struct rebali_plan_call *call) {
  const size_t words = REBALI_BITSET_WORDS(rebali_snapshot_rows(call->snapshot));
  rebal_plan *plan = call->plan;
  int32_t code;

  call->is_lost = rebali_arena_allocate_zero(&call->arena, words, sizeof *call->is_lost);
  call->is_rejected = rebali_arena_allocate_zero(&call->arena, words, sizeof *call->is_rejected);
  if (call->is_lost == NULL || call->is_rejected == NULL) {
    return rebali_fail_memory(call->err);
  }
  code =
      load_clusters(call, call->opts.drained, call->opts.n_drained, "drained", NULL, &plan->drained, &plan->n_drained);
  return code == REBAL_OK ? load_clusters(call, call->opts.lost, call->opts.n_lost, "lost", call->is_lost, &plan->lost,
                                          &plan->n_lost)
                          : code;
}

int32_t rebali_plan_load(struct rebali_plan_call *call, const rebal_plan_opts *opts) {
  int32_t code = rebali_options_load(&call->opts, sizeof call->opts, sizeof(rebal_plan_opts), opts, call->err);

  if (code == REBAL_OK && (call->opts.flags & ~flags) != 0) {
    code = rebali_fail(call->err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  code = code == REBAL_OK ? rebali_clock_check(call->now, call->err) : code;
  code = code == REBAL_OK ? check_tolerance(&call->opts, call->err) : code;
  code = code == REBAL_OK ? check_parameters(&call->opts, call->err) : code;
  code = code == REBAL_OK ? load_schedule(call) : code;
  if (code != REBAL_OK) {
    return code;
  }
  call->plan->now = *call->now;
  call->plan->mode = call->opts.mode;
  call->plan->progress_deadline_ns = call->opts.progress_deadline_ns;
  return load_causes(call);
}
