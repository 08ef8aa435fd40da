/* SPDX-License-Identifier: MIT */
/* Limits of what one run may remove: in total, from a cluster, of a namespace, of a workload, and by budgets. */
#include "descheduler/descheduler.h"

struct cap {
  int64_t kind; /* REBAL_DESCHEDULE_CAP_* */
  int64_t most; /* 0: none */
  int64_t *taken;
};

int32_t rebali_caps_begin(struct rebali_deschedule_call *call) {
  const rebal_allocator *allocator = rebali_ctx_allocator(call->ctx);
  const uint32_t rows = rebali_snapshot_rows(call->every.snapshot);

  if (call->opts.max_by_cluster != 0) {
    call->taken.by_cluster =
        rebali_arena_allocate_zero(rebali_ctx_scratch(call->ctx), rows, sizeof *call->taken.by_cluster);
    if (call->taken.by_cluster == NULL) {
      return rebali_fail_memory(call->every.err);
    }
  }
  if (call->opts.max_by_namespace != 0 && rebali_intern_new(allocator, &call->taken.namespaces) != REBAL_OK) {
    return rebali_fail_memory(call->every.err);
  }
  return call->opts.n_budgets != 0 ? rebali_budgets_begin(call) : REBAL_OK;
}

void rebali_caps_end(struct rebali_deschedule_call *call) {
  rebali_intern_free(call->taken.namespaces);
  rebali_release(rebali_ctx_allocator(call->ctx), call->taken.by_namespace);
}

/* Returns the replicas removed of the binding's namespace. NULL without memory. */
static int64_t *find_namespace(struct rebali_deschedule_call *call, uint32_t binding) {
  const struct rebali_text name = rebali_bindings_text(call->every.bindings, REBAL_BINDING_RESOURCE_NAMESPACE, binding);
  struct rebali_taken *taken = &call->taken;
  const uint32_t known = rebali_intern_count(taken->namespaces);
  uint32_t id;

  if (rebali_reserve(rebali_ctx_allocator(call->ctx), &taken->by_namespace, &taken->namespaces_capacity,
                     (size_t)known + 1, sizeof *taken->by_namespace) != REBAL_OK ||
      rebali_intern_add(taken->namespaces, name.bytes, name.len, &id) != REBAL_OK) {
    return NULL;
  }
  if (id == known) {
    taken->by_namespace[id] = 0;
  }
  return &taken->by_namespace[id];
}

/* Applies the tightest cap, of equally tight ones the first. */
static void cut(struct rebali_deschedule_call *call, struct rebali_lack *lack, const struct cap *caps, size_t n) {
  const int64_t budget = rebali_budgets_left(call, lack);
  const int64_t wanted = (int64_t)lack->replicas - lack->after;
  int64_t allowed = wanted;

  for (size_t i = 0; i < n; i++) {
    if (caps[i].most != 0 && caps[i].most - *caps[i].taken < allowed) {
      allowed = caps[i].most - *caps[i].taken;
      lack->withheld_by = caps[i].kind;
    }
  }
  if (budget < allowed) {
    allowed = budget;
    lack->withheld_by = REBAL_DESCHEDULE_CAP_BUDGET;
  }
  lack->withheld = (int32_t)(wanted - allowed); /* of 32-bit replicas */
  lack->after += lack->withheld;
  for (size_t i = 0; i < n; i++) {
    if (caps[i].most != 0) {
      *caps[i].taken += allowed;
    }
  }
  rebali_budgets_take(call, lack, allowed);
}

int32_t rebali_caps_apply(struct rebali_deschedule_call *call, uint32_t binding) {
  const rebal_deschedule_opts *opts = &call->opts;
  int64_t of_workload = 0;
  int is_matched = 0;
  struct cap caps[] = {{REBAL_DESCHEDULE_CAP_TOTAL, opts->max_total, &call->taken.total},
                       {REBAL_DESCHEDULE_CAP_CLUSTER, opts->max_by_cluster, NULL},
                       {REBAL_DESCHEDULE_CAP_NAMESPACE, opts->max_by_namespace, NULL},
                       {REBAL_DESCHEDULE_CAP_WORKLOAD, opts->max_by_workload, &of_workload}};

  if (opts->max_by_namespace != 0) {
    caps[2].taken = find_namespace(call, binding);
    if (caps[2].taken == NULL) {
      return rebali_fail_memory(call->every.err);
    }
  }
  for (size_t i = 0; i < call->n_lacks; i++) {
    struct rebali_lack *lack = &call->lacks[i];

    if (lack->after != lack->replicas) { /* only with a known cluster */
      if (!is_matched) {
        rebali_budgets_match(call, binding);
        is_matched = 1;
      }
      caps[1].taken = opts->max_by_cluster != 0 ? &call->taken.by_cluster[lack->cluster] : NULL;
      cut(call, lack, caps, REBALI_COUNT(caps));
    }
  }
  return REBAL_OK;
}
