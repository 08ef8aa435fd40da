/* SPDX-License-Identifier: MIT */
/*
 * PodDisruptionBudgets: how many replicas that may be running a workload can lose. Removing pods that wait for a node
 * is not a disruption, so a budget applies only to removals by the status alone. If the labels of a workload's pods are
 * unknown, any budget of its namespace may select it.
 */
#include "record/labels.h"
#include "record/selector_index.h"
#include "descheduler/descheduler.h"

#define ELSEWHERE (REBAL_NONE - 1) /* of a cluster that is not in the snapshot */

struct budget {
  const rebal_record *record;
  struct rebali_text namespace_;
  uint32_t selector; /* node */
  uint32_t cluster;  /* REBAL_NONE: all clusters together */
  uint32_t group;
  int64_t left; /* of this budget alone; the taken count of its group is not subtracted */
};

/* The budgets of a namespace that count for the same cluster. No amount grows within a run, so least is exact. */
struct group {
  struct rebali_text namespace_;
  uint32_t cluster;
  int64_t least; /* the smallest left of its budgets */
  int64_t taken; /* by workloads with unknown labels: applies to every budget */
};

/* Budgets that select nothing, or count for a cluster that does not exist, are omitted. */
struct rebali_budgets {
  struct budget *items;               /* by namespace, then cluster */
  struct rebali_selector_index index; /* of items; with known labels, it has found those of the current binding */
  size_t n;
  struct group *groups; /* in the same order as items */
  size_t n_groups;
  struct rebali_text namespace_; /* of the current binding, like the member below */
  int is_known;                  /* its labels are known; otherwise whole groups count for it */
};

int32_t rebali_budgets_check(const struct rebali_deschedule_call *call) {
  const rebal_deschedule_opts *opts = &call->opts;

  if (opts->n_budgets != 0 && opts->budgets == NULL) {
    return rebali_fail(call->every.err, REBAL_EINVAL, -1, "budgets is NULL");
  }
  for (size_t i = 0; i < opts->n_budgets; i++) {
    const rebal_record *record = opts->budgets[i];
    uint32_t selector;

    if (rebal_record_object(record) != REBAL_OBJECT_BUDGET) {
      return rebali_fail(call->every.err, REBAL_EINVAL, (int64_t)i, "a record of the object BUDGET is needed");
    }
    selector = rebali_record_get(record, 0, REBAL_BUDGET_SELECTOR);
    if (selector != REBAL_NONE && !rebali_label_selector_valid(record, selector)) {
      return rebali_fail(call->every.err, REBAL_EINVAL, (int64_t)i, "the selector of a budget is malformed");
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
  cluster = rebal_snapshot_find_cluster(call->every.snapshot, name.bytes, name.len);
  return cluster != REBAL_NONE ? cluster : ELSEWHERE;
}

static int32_t allocate(struct rebali_deschedule_call *call, size_t n) {
  struct rebali_arena *scratch = rebali_ctx_scratch(call->ctx);
  struct rebali_budgets *budgets = rebali_arena_allocate_zero(scratch, 1, sizeof *budgets);

  if (budgets == NULL) {
    return rebali_fail_memory(call->every.err);
  }
  budgets->items = rebali_arena_allocate(scratch, n, 2 * sizeof *budgets->items); /* second half: scratch for sorting */
  budgets->groups = rebali_arena_allocate(scratch, n, sizeof *budgets->groups);
  call->budgets = budgets;
  return budgets->items != NULL && budgets->groups != NULL &&
                 rebali_selector_index_init(&budgets->index, scratch, n) == REBAL_OK
             ? REBAL_OK
             : rebali_fail_memory(call->every.err);
}

static int compare_groups(struct rebali_text namespace_, uint32_t cluster, struct rebali_text other_namespace,
                          uint32_t other_cluster) {
  const int order = rebali_text_compare(namespace_, other_namespace);

  return order != 0 ? order : (cluster > other_cluster) - (cluster < other_cluster);
}

static int compare_budgets(const void *left, const void *right, const void *context) {
  const struct budget *one = left;
  const struct budget *other = right;

  (void)context;
  return compare_groups(one->namespace_, one->cluster, other->namespace_, other->cluster);
}

static void read_budgets(struct rebali_deschedule_call *call, size_t n) {
  struct rebali_budgets *budgets = call->budgets;

  for (size_t i = 0; i < n; i++) {
    const rebal_record *record = call->opts.budgets[i];
    const struct budget budget = {
        .record = record,
        .namespace_ = rebali_record_field_text(record, 0, REBAL_BUDGET_NAMESPACE),
        .selector = rebali_record_get(record, 0, REBAL_BUDGET_SELECTOR),
        .cluster = cluster_of(call, record),
        .left = rebal_record_i64(record, rebali_record_get(record, 0, REBAL_BUDGET_DISRUPTIONS_ALLOWED))};

    if (budget.selector != REBAL_NONE && budget.cluster != ELSEWHERE) {
      budgets->items[budgets->n++] = budget;
    }
  }
  rebali_sort(budgets->items, budgets->n, sizeof *budgets->items, budgets->items + n, compare_budgets, NULL);
}

static void fill_groups(struct rebali_budgets *budgets) {
  for (size_t i = 0; i < budgets->n; i++) {
    struct budget *budget = &budgets->items[i];
    struct group *group;

    if (i == 0 || compare_budgets(budget - 1, budget, NULL) != 0) {
      budgets->groups[budgets->n_groups++] = (struct group){budget->namespace_, budget->cluster, budget->left, 0};
    }
    budget->group = (uint32_t)(budgets->n_groups - 1); /* a record has more than one byte */
    group = &budgets->groups[budget->group];
    group->least = budget->left < group->least ? budget->left : group->least;
  }
}

static void fill_index(struct rebali_budgets *budgets) {
  for (size_t i = 0; i < budgets->n; i++) {
    const struct budget *budget = &budgets->items[i];

    rebali_selector_index_add(&budgets->index, budget->namespace_, budget->record, budget->selector, i);
  }
  rebali_selector_index_sort(&budgets->index);
}

int32_t rebali_budgets_begin(struct rebali_deschedule_call *call) {
  const size_t n = (size_t)call->opts.n_budgets; /* a list of pointers in memory */
  const int32_t code = allocate(call, n);

  if (code == REBAL_OK) {
    read_budgets(call, n);
    fill_groups(call->budgets);
    fill_index(call->budgets);
  }
  return code;
}

void rebali_budgets_match(struct rebali_deschedule_call *call, uint32_t binding) {
  const rebal_bindings *bindings = call->every.bindings;
  const int64_t handle = rebali_bindings_i64(bindings, REBAL_BINDING_POD_LABELS, binding);
  const rebal_record *labels = rebali_snapshot_record(call->every.snapshot, REBAL_OBJECT_LABELS, (uint32_t)handle);
  struct rebali_budgets *budgets = call->budgets;

  if (budgets == NULL) {
    return;
  }
  budgets->namespace_ = rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_NAMESPACE, binding);
  budgets->is_known = handle != REBAL_NONE;
  if (budgets->is_known) {
    rebali_selector_index_find(&budgets->index, budgets->namespace_, labels);
  }
}

/*
 * Returns whether the lost replicas may be running. Estimators and pods name replicas that wait, and no cluster is left
 * with fewer replicas than are ready.
 */
static int may_run(const struct rebali_lack *lack) {
  return lack->source == REBAL_DESCHEDULE_SOURCE_STATUS;
}

/* Returns the group of the current namespace for a cluster, or NULL. */
static struct group *find_group(const struct rebali_budgets *budgets, uint32_t cluster) {
  struct group *groups = budgets->groups;
  size_t at = 0;

  REBALI_BISECT(at, budgets->n_groups,
                compare_groups(groups[at].namespace_, groups[at].cluster, budgets->namespace_, cluster) < 0);
  return at < budgets->n_groups &&
                 compare_groups(groups[at].namespace_, groups[at].cluster, budgets->namespace_, cluster) == 0
             ? &groups[at]
             : NULL;
}

static int counts(const struct budget *budget, const struct rebali_lack *lack) {
  return budget->cluster == REBAL_NONE || budget->cluster == lack->cluster;
}

int64_t rebali_budgets_left(const struct rebali_deschedule_call *call, const struct rebali_lack *lack) {
  const struct rebali_budgets *budgets = call->budgets;
  int64_t least = INT64_MAX;

  if (budgets == NULL || !may_run(lack)) {
    return least;
  }
  for (size_t i = 0; i < budgets->index.n_found; i++) {
    const struct budget *budget = &budgets->items[budgets->index.found[i]];
    const int64_t left = budget->left - budgets->groups[budget->group].taken;

    least = counts(budget, lack) && left < least ? left : least;
  }
  for (size_t i = 0; !budgets->is_known && i < 2; i++) {
    const struct group *group = find_group(budgets, i == 0 ? REBAL_NONE : lack->cluster);

    least = group != NULL && group->least - group->taken < least ? group->least - group->taken : least;
  }
  return least;
}

void rebali_budgets_take(struct rebali_deschedule_call *call, const struct rebali_lack *lack, int64_t taken) {
  struct rebali_budgets *budgets = call->budgets;

  if (budgets == NULL || !may_run(lack)) {
    return;
  }
  for (size_t i = 0; i < budgets->index.n_found; i++) {
    struct budget *budget = &budgets->items[budgets->index.found[i]];
    struct group *group = &budgets->groups[budget->group];

    if (counts(budget, lack)) {
      budget->left -= taken;
      group->least = budget->left < group->least ? budget->left : group->least;
    }
  }
  for (size_t i = 0; !budgets->is_known && i < 2; i++) {
    struct group *group = find_group(budgets, i == 0 ? REBAL_NONE : lack->cluster);

    if (group != NULL) {
      group->taken += taken;
    }
  }
}
