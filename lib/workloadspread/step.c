/* SPDX-License-Identifier: MIT */
/* One pass of the controller: rebalance-workloadspread(7) 4 to 7. */
#include "record/labels.h"
#include "workloadspread/pass.h"

static int32_t check(const rebal_ctx *ctx, const rebal_snapshot *snapshot, uint32_t cluster, const rebal_spread *spread,
                     const rebal_pods *pods, rebal_error *err) {
  if (ctx == NULL || spread == NULL || pods == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", ctx == NULL ? "ctx" : spread == NULL ? "spread" : "pods");
  }
  if (snapshot != NULL && rebali_snapshot_store(snapshot) != pods->set.store) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "pods and snapshot are of different fleets");
  }
  if (snapshot != NULL && !rebali_snapshot_has(snapshot, cluster)) {
    return rebali_fail(err, REBAL_ENOTFOUND, (int64_t)cluster, "no cluster has the id %lu", (unsigned long)cluster);
  }
  return REBAL_OK;
}

/* ---- the workload (2.6) ------------------------------------------------------------------------------------------ */

static int64_t fact(const struct rebali_spread_pass *pass, uint32_t column) {
  return rebali_fact(pass->spread, column);
}

/* Returns whether pods are examined. A Job is used to its end, whatever its parallelism. */
static int has_pods(const struct rebali_spread_pass *pass) {
  if (fact(pass, REBAL_SPREAD_WORKLOAD_STATE) != REBAL_OWNER_STATE_EXISTS) {
    return 0;
  }
  return rebali_text_equal(pass->spread->spec.target_kind, REBALI_TEXT("Job")) ||
         (fact(pass, REBAL_SPREAD_WORKLOAD_DELETING) == 0 && fact(pass, REBAL_SPREAD_WORKLOAD_REPLICAS) != 0);
}

static int32_t replicas_of(const struct rebali_spread_pass *pass) {
  if (fact(pass, REBAL_SPREAD_WORKLOAD_STATE) == REBAL_OWNER_STATE_EXISTS &&
      fact(pass, REBAL_SPREAD_WORKLOAD_HAS_PATHS) != 0) {
    return (int32_t)fact(pass, REBAL_SPREAD_WORKLOAD_PATH_REPLICAS);
  }
  return has_pods(pass) ? (int32_t)fact(pass, REBAL_SPREAD_WORKLOAD_REPLICAS) : 0;
}

static int replicas_fail(const struct rebali_spread_pass *pass) {
  return fact(pass, REBAL_SPREAD_WORKLOAD_STATE) == REBAL_OWNER_STATE_EXISTS &&
         fact(pass, REBAL_SPREAD_WORKLOAD_HAS_PATHS) != 0 &&
         rebali_fact_text(pass->spread, REBAL_SPREAD_WORKLOAD_PATH_ERROR).len != 0;
}

/* Pods cannot be selected by an invalid selector. */
static int selector_fails(const struct rebali_spread_pass *pass) {
  const uint32_t selector = rebali_pass_selector(pass);

  return selector != REBAL_NONE && !rebali_label_selector_valid(pass->spread->spec.object, selector);
}

static int lacks_latest(const struct rebali_spread_pass *pass) {
  return rebali_pass_has_costs(pass) && fact(pass, REBAL_SPREAD_WORKLOAD_STATE) == REBAL_OWNER_STATE_EXISTS &&
         rebali_pass_latest_state(pass) == REBAL_LATEST_STATE_MISSING;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

/* Computes subsets, costs and counts, as far as the workload is known. */
static int32_t look(struct rebali_spread_pass *pass, const uint32_t *rows, size_t n) {
  int32_t code = rebali_pass_group(pass, rows, has_pods(pass) ? n : 0);

  if (code == REBAL_OK) {
    code = rebali_pass_adopt(pass);
  }
  if (code == REBAL_OK) {
    code = rebali_pass_fill_buckets(pass);
  }
  pass->lacks_latest = lacks_latest(pass);
  if (code == REBAL_OK && !pass->lacks_latest && rebali_pass_has_costs(pass)) {
    code = rebali_pass_cost(pass);
  }
  if (code == REBAL_OK && !pass->lacks_latest) {
    code = rebali_pass_count(pass);
  }
  return code;
}

static int32_t run(struct rebali_spread_pass *pass, const uint32_t *rows, size_t n) {
  const rebal_spread *spread = pass->spread;
  int32_t code;

  if (!spread->spec.has_target) {
    return rebali_pass_end(pass, REBAL_STEP_STATE_SKIPPED, REBAL_SPREAD_REASON_NO_TARGET, REBALI_TEXT(""));
  }
  if (spread->spec.is_deleting) {
    return rebali_pass_end(pass, REBAL_STEP_STATE_SKIPPED, REBAL_SPREAD_REASON_DELETING, REBALI_TEXT(""));
  }
  if (replicas_fail(pass)) {
    return rebali_pass_end(pass, REBAL_STEP_STATE_RETRY, REBAL_SPREAD_REASON_NO_REPLICAS,
                           rebali_fact_text(spread, REBAL_SPREAD_WORKLOAD_PATH_ERROR));
  }
  if (selector_fails(pass)) {
    return rebali_pass_end(pass, REBAL_STEP_STATE_RETRY, REBAL_SPREAD_REASON_NO_REPLICAS,
                           REBALI_TEXT("the selector of targetFilter is not valid"));
  }
  pass->replicas = replicas_of(pass);
  code = look(pass, rows, n);
  if (code == REBAL_OK) {
    code = rebali_pass_report_pods(pass);
  }
  if (code == REBAL_OK && !pass->lacks_latest) {
    code = rebali_pass_report_counts(pass);
  }
  return code == REBAL_OK ? rebali_pass_act(pass) : code;
}

int32_t rebal_spread_step(rebal_ctx *ctx, rebal_snapshot *snapshot, rebal_spread *spread, const rebal_pods *pods,
                          const rebal_time *now, const rebal_spread_opts *opts, rebal_result *result,
                          rebal_error *err) {
  struct rebali_spread_pass pass = {
      .spread = spread, .pods = pods, .snapshot = snapshot, .result = result, .err = err, .soonest_ns = INT64_MAX};
  size_t n = 0;
  int32_t code = rebali_options_load(&pass.opts, sizeof pass.opts, sizeof pass.opts, opts, err);

  if (code == REBAL_OK && (pass.opts.flags & ~(uint32_t)REBAL_SPREAD_FLAG_NO_POD_ACTIONS) != 0) {
    code = rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a flag of the pass is not known");
  }
  if (code == REBAL_OK && pass.opts.reserved0 != 0) {
    code = rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (code == REBAL_OK) {
    code = rebali_clock_check(now, err);
  }
  if (code == REBAL_OK) {
    pass.cluster = pass.opts.cluster;
    code = check(ctx, snapshot, pass.cluster, spread, pods, err);
  }
  if (code == REBAL_OK) {
    code = rebali_pods_count_given(pods, pass.opts.rows, pass.opts.n_rows, &n, err);
  }
  if (code == REBAL_OK) {
    code = rebali_answer_begin(ctx, snapshot, result, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  pass.now = *now;
  pass.arena = rebali_ctx_scratch(ctx);
  pass.last_event = &pass.events;
  code = rebali_spread_open_builder(spread, err);
  if (code == REBAL_OK) {
    pass.builder = spread->builder;
    code = run(&pass, pass.opts.rows, n);
  }
  return rebali_answer_end(ctx, result, code);
}
