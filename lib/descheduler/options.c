/* SPDX-License-Identifier: MIT */
#include "descheduler/descheduler.h"

#define DEFAULT_INTERVAL_NS (120 * REBALI_SECOND_NS)
#define DEFAULT_THRESHOLD_NS (300 * REBALI_SECOND_NS)

static int32_t check_ranges(const struct rebali_deschedule_call *call) {
  const rebal_deschedule_opts *opts = &call->opts;
  const struct {
    const char *name;
    int64_t value;
  } members[] = {{"interval_ns", opts->interval_ns},
                 {"threshold_ns", opts->threshold_ns},
                 {"max_total", opts->max_total},
                 {"max_by_cluster", opts->max_by_cluster},
                 {"max_by_namespace", opts->max_by_namespace},
                 {"max_by_workload", opts->max_by_workload}};

  for (size_t i = 0; i < REBALI_COUNT(members); i++) {
    if (members[i].value < 0) {
      return rebali_fail(call->every.err, REBAL_ERANGE, -1, "%s is negative", members[i].name);
    }
  }
  return REBAL_OK;
}

int32_t rebali_deschedule_load(struct rebali_deschedule_call *call, const rebal_deschedule_opts *opts) {
  const uint32_t known = REBAL_DESCHEDULE_FLAG_GIVEN_BINDINGS | REBAL_DESCHEDULE_FLAG_EXPLAIN |
                         REBAL_DESCHEDULE_FLAG_ANY_KIND | REBAL_DESCHEDULE_FLAG_FROM_STATUS |
                         REBAL_DESCHEDULE_FLAG_THRESHOLD_GIVEN | REBAL_DESCHEDULE_FLAG_FROM_PODS;
  rebal_error *err = call->every.err;
  int32_t code = rebali_options_load(&call->opts, sizeof call->opts, sizeof call->opts, opts, err);

  if (code != REBAL_OK) {
    return code;
  }
  if ((call->opts.flags & ~known) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a flag is newer than this library");
  }
  code = check_ranges(call);
  if (call->opts.interval_ns == 0) {
    call->opts.interval_ns = DEFAULT_INTERVAL_NS;
  }
  if (call->opts.threshold_ns == 0 && (call->opts.flags & REBAL_DESCHEDULE_FLAG_THRESHOLD_GIVEN) == 0) {
    call->opts.threshold_ns = DEFAULT_THRESHOLD_NS;
  }
  if (code == REBAL_OK) {
    code = rebali_budgets_check(call);
  }
  return code == REBAL_OK ? rebali_estimators_check(call->opts.estimators, call->opts.n_estimators,
                                                    rebali_bindings_size(call->every.bindings), err)
                          : code;
}
