/* SPDX-License-Identifier: MIT */
/*
 * PodDisruptionBudgets: how many replicas that may run a workload can lose. Pods that wait for a node are no
 * disruption, so a budget holds back only what the status alone says, and what an estimator says against it.
 */
#include "record/labels.h"
#include "descheduler/descheduler.h"

#define ELSEWHERE (REBAL_NONE - 1) /* of a cluster that the snapshot does not have */

struct rebali_budget {
  const rebal_record *record;
  struct rebali_text namespace_;
  uint32_t selector; /* node, REBAL_NONE: selects nothing */
  uint32_t cluster;  /* REBAL_NONE: all clusters together */
  int64_t left;
  int is_ours; /* it counts for the binding at hand */
};

int32_t rebali_budgets_check(const struct rebali_deschedule_call *call) {
  const rebal_deschedule_opts *opts = &call->opts;

  if (opts->n_budgets != 0 && opts->budgets == NULL) {
    return rebali_fail(call->sweep.err, REBAL_EINVAL, -1, "budgets is NULL");
  }
  for (size_t i = 0; i < opts->n_budgets; i++) {
    const rebal_record *record = opts->budgets[i];
    uint32_t selector;

    if (rebal_record_object(record) != REBAL_OBJECT_BUDGET) {
      return rebali_fail(call->sweep.err, REBAL_EINVAL, (int64_t)i, "a record of the object BUDGET is needed");
    }
    selector = rebali_record_get(record, 0, REBAL_BUDGET_SELECTOR);
    if (selector != REBAL_NONE && !rebali_label_selector_valid(record, selector)) {
      return rebali_fail(call->sweep.err, REBAL_EINVAL, (int64_t)i, "the selector of a budget is malformed");
    }
  }
  return REBAL_OK;
}

static uint32_t cluster_of(const struct rebali_deschedule_call *call, const rebal_record *record) {
  const struct rebali_text name = rebali_record_field_text(record, 0, REBAL_BUDGET_CLUSTER);
  uint32_t cluster;

  if (name.len == 0) {
    return REBAL_NONE;
  }
  cluster = rebal_snapshot_find_cluster(call->sweep.snapshot, name.bytes, name.len);
  return cluster != REBAL_NONE ? cluster : ELSEWHERE;
}

int32_t rebali_budgets_begin(struct rebali_deschedule_call *call) {
  const size_t n = (size_t)call->opts.n_budgets; /* a list of pointers is in memory */

  call->budgets = rebali_arena_allocate(rebali_ctx_scratch(call->ctx), n, sizeof *call->budgets);
  if (call->budgets == NULL) {
    return rebali_fail_memory(call->sweep.err);
  }
  for (size_t i = 0; i < n; i++) {
    const rebal_record *record = call->opts.budgets[i];

    call->budgets[i] = (struct rebali_budget){
        .record = record,
        .namespace_ = rebali_record_field_text(record, 0, REBAL_BUDGET_NAMESPACE),
        .selector = rebali_record_get(record, 0, REBAL_BUDGET_SELECTOR),
        .cluster = cluster_of(call, record),
        .left = rebal_record_i64(record, rebali_record_get(record, 0, REBAL_BUDGET_DISRUPTIONS_ALLOWED))};
  }
  return REBAL_OK;
}

/* A workload whose pods' labels are not known may be in any budget of its namespace. */
static int selects(const struct rebali_budget *budget, struct rebali_text namespace_, int is_known,
                   const rebal_record *labels) {
  return budget->selector != REBAL_NONE && rebali_text_equal(budget->namespace_, namespace_) &&
         (!is_known || rebali_label_selector_matches(budget->record, budget->selector, labels));
}

void rebali_budgets_match(struct rebali_deschedule_call *call, uint32_t binding) {
  const rebal_bindings *bindings = call->sweep.bindings;
  const int64_t handle = rebali_bindings_i64(bindings, REBAL_BINDING_POD_LABELS, binding);
  const struct rebali_text namespace_ = rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_NAMESPACE, binding);
  const rebal_record *labels = rebali_snapshot_record(call->sweep.snapshot, REBAL_OBJECT_LABELS, (uint32_t)handle);

  for (size_t i = 0; i < call->opts.n_budgets; i++) {
    call->budgets[i].is_ours = selects(&call->budgets[i], namespace_, handle != REBAL_NONE, labels);
  }
}

static int counts(const struct rebali_budget *budget, const struct rebali_lack *lack) {
  return budget->is_ours && (budget->cluster == REBAL_NONE || budget->cluster == lack->cluster);
}

/* May what the cluster loses run? More ready replicas than there should be contradict an estimator. */
static int may_run(const struct rebali_lack *lack) {
  return lack->source == REBAL_DESCHEDULE_SOURCE_STATUS || lack->ready > lack->replicas;
}

int64_t rebali_budgets_left(const struct rebali_deschedule_call *call, const struct rebali_lack *lack) {
  int64_t left = INT64_MAX;

  for (size_t i = 0; may_run(lack) && i < call->opts.n_budgets; i++) {
    if (counts(&call->budgets[i], lack) && call->budgets[i].left < left) {
      left = call->budgets[i].left;
    }
  }
  return left;
}

void rebali_budgets_take(struct rebali_deschedule_call *call, const struct rebali_lack *lack, int64_t taken) {
  for (size_t i = 0; may_run(lack) && i < call->opts.n_budgets; i++) {
    if (counts(&call->budgets[i], lack)) {
      call->budgets[i].left -= taken;
    }
  }
}
