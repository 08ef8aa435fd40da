/* SPDX-License-Identifier: MIT */
/*
 * PodDisruptionBudgets as limits on what leaves a cluster (spec plan 4): the disruption controller's arithmetic over
 * replicas instead of pods. They guard evictions, so a scale-down is never held back, nor is what is lost already. A
 * workload whose pods' labels are not known may be in any budget of its namespace.
 */
#include "plan/make/limits.h"

/* A number or a percentage of what is expected, rounded up; REBAL_ABSENT: no such field, or it cannot be read. */
static int64_t scaled(const rebal_record *record, uint32_t field, int64_t expected) {
  struct rebali_text text = rebali_record_field_text(record, 0, field);
  const int is_percent = text.len != 0 && text.bytes[text.len - 1] == '%';
  int64_t value;

  text.len -= (size_t)is_percent;
  if (!rebali_integer_parse(text, &value) || value < 0) {
    return REBAL_ABSENT;
  }
  if (is_percent) {
    const int64_t parts = rebali_multiply_saturating(expected, value);

    value = parts / 100 + (parts % 100 != 0);
  }
  return value;
}

static int32_t check_number(const struct rebali_plan_call *call, const rebal_record *record, uint32_t field,
                            const char *name, size_t place) {
  return rebali_record_get(record, 0, field) != REBAL_NONE && scaled(record, field, 0) == REBAL_ABSENT
             ? rebali_fail(call->err, REBAL_EINVAL, (int64_t)place,
                           "%s of a budget is neither a number nor a percentage", name)
             : REBAL_OK;
}

static int32_t check_budget(const struct rebali_plan_call *call, const struct rebali_move_limit *limit, size_t place) {
  int32_t code = check_number(call, limit->budget, REBAL_BUDGET_MIN_AVAILABLE, "minAvailable", place);

  if (code == REBAL_OK) {
    code = check_number(call, limit->budget, REBAL_BUDGET_MAX_UNAVAILABLE, "maxUnavailable", place);
  }
  return code == REBAL_OK && limit->selector != REBAL_NONE &&
                 !rebali_label_selector_valid(limit->budget, limit->selector)
             ? rebali_fail(call->err, REBAL_EINVAL, (int64_t)place, "the selector of a budget is malformed")
             : code;
}

static int32_t read_budget(struct rebali_plan_call *call, struct rebali_move_limit *limit, size_t place) {
  const rebal_record *record = call->opts.budgets == NULL ? NULL : call->opts.budgets[place];
  struct rebali_text cluster;

  if (record == NULL || rebal_record_object(record) != REBAL_OBJECT_BUDGET) {
    return rebali_fail(call->err, REBAL_EINVAL, (int64_t)place, "a record of the object BUDGET is needed");
  }
  limit->scope = REBAL_LIMIT_SCOPE_BUDGET;
  limit->tokens = REBAL_ABSENT;
  limit->budget = record;
  limit->namespace_ = rebali_record_field_text(record, 0, REBAL_BUDGET_NAMESPACE);
  limit->subject = rebali_record_field_text(record, 0, REBAL_BUDGET_NAME);
  limit->selector = rebali_record_get(record, 0, REBAL_BUDGET_SELECTOR);
  cluster = rebali_record_field_text(record, 0, REBAL_BUDGET_CLUSTER);
  limit->cluster =
      cluster.len == 0 ? REBAL_NONE : rebal_snapshot_find_cluster(call->snapshot, cluster.bytes, cluster.len);
  limit->counts_nothing = limit->selector == REBAL_NONE || (cluster.len != 0 && limit->cluster == REBAL_NONE);
  return check_budget(call, limit, place);
}

static int compare_namespaces(const void *left, const void *right, const void *context) {
  const struct rebali_move_limit *items = context;

  return rebali_text_compare(items[*(const size_t *)left].namespace_, items[*(const size_t *)right].namespace_);
}

int32_t rebali_plan_budgets_read(struct rebali_plan_call *call) {
  struct rebali_move_limits *limits = call->limits;
  const size_t n = limits->n - limits->n_given;
  int32_t code = REBAL_OK;

  limits->budgets = rebali_arena_allocate(&call->arena, n, 2 * sizeof *limits->budgets);
  if (limits->budgets == NULL) {
    return rebali_fail_memory(call->err);
  }
  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    struct rebali_move_limit *limit = &limits->items[limits->n_given + i];

    code = read_budget(call, limit, i);
    if (code == REBAL_OK && !limit->counts_nothing) {
      limits->budgets[limits->n_budgets++] = limits->n_given + i;
    }
  }
  rebali_sort(limits->budgets, limits->n_budgets, sizeof *limits->budgets, limits->budgets + n, compare_namespaces,
              limits->items);
  return code;
}

/* ---- what they allow --------------------------------------------------------------------------------------------- */

/*
 * Replicas of the workloads that a budget selects, by its counters. What is lost is expected still where a budget
 * counts over all clusters; the cluster it was in has no controller that could count.
 */
struct tally {
  int64_t expected, healthy;
};

static void tally_row(const struct rebali_plan_call *call, const struct rebali_move_limit *limit, size_t row,
                      struct tally *tallies) {
  const rebal_plan *plan = call->plan;
  const struct rebali_plan_cell *cells = plan->cells + plan->rows[row].first_cell;
  const int is_over_all = (call->opts.flags & REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS) != 0;

  for (size_t i = 0; i < plan->rows[row].n_cells; i++) {
    const uint32_t cluster = cells[i].cluster;

    if (limit->cluster == REBAL_NONE ? is_over_all || !rebali_bit_get(call->is_lost, cluster)
                                     : limit->cluster == cluster) {
      struct tally *tally = &tallies[limit->n_counters == 1 ? 0 : cluster];

      tally->expected += cells[i].present; /* sums of less than 2^32 times 2^31 */
      tally->healthy += cells[i].ready;
    }
  }
}

static int64_t allowed_of(const rebal_record *record, const struct tally *tally) {
  const int64_t min_available = scaled(record, REBAL_BUDGET_MIN_AVAILABLE, tally->expected);
  const int64_t max_unavailable = scaled(record, REBAL_BUDGET_MAX_UNAVAILABLE, tally->expected);
  int64_t desired;

  if (min_available == REBAL_ABSENT && max_unavailable == REBAL_ABSENT) {
    return rebal_record_i64(record, rebali_record_get(record, 0, REBAL_BUDGET_DISRUPTIONS_ALLOWED));
  }
  desired = max_unavailable == REBAL_ABSENT     ? min_available
            : max_unavailable < tally->expected ? tally->expected - max_unavailable
                                                : 0;
  return tally->healthy > desired ? tally->healthy - desired : 0;
}

static void tally_all(struct rebali_plan_call *call, struct tally **tallies) {
  struct rebali_move_limits *limits = call->limits;

  for (size_t row = 0; row < call->plan->n_rows; row++) {
    const rebal_record *labels = rebali_pod_labels(call, row);
    size_t n;
    const size_t first = rebali_budgets_of(
        limits, rebali_bindings_text(call->bindings, REBAL_BINDING_RESOURCE_NAMESPACE, (uint32_t)row), &n);

    for (size_t i = first; labels != NULL && i < first + n; i++) {
      const struct rebali_move_limit *limit = &limits->items[limits->budgets[i]];

      if (rebali_budget_selects(limit, labels)) {
        tally_row(call, limit, row, tallies[limits->budgets[i] - limits->n_given]);
      }
    }
  }
}

/* replicas: the least of the clusters in which it selects something. */
static void allow(struct rebali_move_limits *limits, struct rebali_move_limit *limit, const struct tally *tallies) {
  int64_t least = INT64_MAX;

  for (size_t c = 0; c < limit->n_counters; c++) {
    const int64_t allowed = allowed_of(limit->budget, &tallies[c]);

    limits->allowed[limit->first + c] = allowed;
    least = (limit->n_counters == 1 || tallies[c].expected > 0) && allowed < least ? allowed : least;
  }
  limit->replicas = least == INT64_MAX ? 0 : least;
}

int32_t rebali_plan_budgets_allow(struct rebali_plan_call *call) {
  struct rebali_move_limits *limits = call->limits;
  const size_t n = limits->n - limits->n_given;
  struct tally **tallies = rebali_arena_allocate(&call->arena, n, sizeof *tallies);

  for (size_t i = 0; i < n && tallies != NULL; i++) {
    tallies[i] =
        rebali_arena_allocate_zero(&call->arena, limits->items[limits->n_given + i].n_counters, sizeof **tallies);
    if (tallies[i] == NULL) {
      tallies = NULL;
    }
  }
  if (tallies == NULL) {
    return rebali_fail_memory(call->err);
  }
  tally_all(call, tallies);
  for (size_t i = 0; i < n; i++) {
    struct rebali_move_limit *limit = &limits->items[limits->n_given + i];

    allow(limits, limit, tallies[i]);
  }
  return REBAL_OK;
}
