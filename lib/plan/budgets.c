/* SPDX-License-Identifier: MIT */
#include "plan/budgets.h"

/* Returns a number or a percentage of expected, rounded up; REBAL_ABSENT if the field is missing or malformed. */
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

static int32_t check_number(const rebal_record *record, uint32_t field, const char *name, size_t place,
                            rebal_error *err) {
  return rebali_record_get(record, 0, field) != REBAL_NONE && scaled(record, field, 0) == REBAL_ABSENT
             ? rebali_fail(err, REBAL_EINVAL, (int64_t)place, "%s of a budget is neither a number nor a percentage",
                           name)
             : REBAL_OK;
}

static int32_t check_budget(const struct rebali_budget *budget, size_t place, rebal_error *err) {
  int32_t code = check_number(budget->record, REBAL_BUDGET_MIN_AVAILABLE, "minAvailable", place, err);

  if (code == REBAL_OK) {
    code = check_number(budget->record, REBAL_BUDGET_MAX_UNAVAILABLE, "maxUnavailable", place, err);
  }
  return code == REBAL_OK && budget->selector != REBAL_NONE &&
                 !rebali_label_selector_valid(budget->record, budget->selector)
             ? rebali_fail(err, REBAL_EINVAL, (int64_t)place, "the selector of a budget is malformed")
             : code;
}

static int32_t read_budget(const struct rebali_budget_list *budgets, const rebal_snapshot *snapshot,
                           const rebal_record *record, size_t place, rebal_error *err) {
  struct rebali_budget *budget = &budgets->items[place];
  struct rebali_text cluster;

  if (record == NULL || rebal_record_object(record) != REBAL_OBJECT_BUDGET) {
    return rebali_fail(err, REBAL_EINVAL, (int64_t)place, "a record of the object BUDGET is needed");
  }
  cluster = rebali_record_field_text(record, 0, REBAL_BUDGET_CLUSTER);
  *budget = (struct rebali_budget){.record = record,
                                   .namespace_ = rebali_record_field_text(record, 0, REBAL_BUDGET_NAMESPACE),
                                   .name = rebali_record_field_text(record, 0, REBAL_BUDGET_NAME),
                                   .cluster = REBAL_NONE,
                                   .selector = rebali_record_get(record, 0, REBAL_BUDGET_SELECTOR)};
  if (cluster.len != 0) {
    budget->cluster = rebal_snapshot_find_cluster(snapshot, cluster.bytes, cluster.len);
  }
  budget->counts_nothing = budget->selector == REBAL_NONE || (cluster.len != 0 && budget->cluster == REBAL_NONE);
  budget->n_counters = budget->cluster != REBAL_NONE || budgets->is_over_clusters ? 1 : rebali_snapshot_rows(snapshot);
  return check_budget(budget, place, err);
}

int32_t rebali_budgets_read(struct rebali_budget_list *budgets, struct rebali_arena *arena,
                            const rebal_snapshot *snapshot, const rebal_record *const *records, uint64_t n,
                            rebal_error *err) {
  int32_t code = REBAL_OK;

  budgets->n = n > SIZE_MAX ? SIZE_MAX : (size_t)n;
  budgets->items = rebali_arena_allocate(arena, budgets->n, sizeof *budgets->items);
  if (budgets->items == NULL || rebali_selector_index_init(&budgets->index, arena, budgets->n) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < budgets->n && code == REBAL_OK; i++) {
    code = read_budget(budgets, snapshot, records == NULL ? NULL : records[i], i, err);
    if (code == REBAL_OK && !budgets->items[i].counts_nothing) {
      const struct rebali_budget *budget = &budgets->items[i];

      rebali_selector_index_add(&budgets->index, budget->namespace_, budget->record, budget->selector, i);
    }
  }
  rebali_selector_index_sort(&budgets->index);
  return code;
}

/* ---- budgets of a binding ---------------------------------------------------------------------------------------- */

const rebal_record *rebali_pod_labels(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row) {
  const int64_t handle = rebali_bindings_i64(bindings, REBAL_BINDING_POD_LABELS, row);

  return rebali_snapshot_record(snapshot, REBAL_OBJECT_LABELS, (uint32_t)handle);
}

void rebali_budgets_select(struct rebali_budget_list *budgets, const rebal_snapshot *snapshot,
                           const rebal_bindings *bindings, uint32_t row) {
  const struct rebali_text namespace_ = rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_NAMESPACE, row);
  const rebal_record *labels = budgets->n == 0 ? NULL : rebali_pod_labels(snapshot, bindings, row);

  budgets->is_known = labels != NULL;
  rebali_selector_index_find(&budgets->index, namespace_, labels);
}

/* ---- evictions --------------------------------------------------------------------------------------------------- */

int64_t rebali_budget_allows(const struct rebali_budget *budget, const struct rebali_budget_tally *tally) {
  const int64_t min_available = scaled(budget->record, REBAL_BUDGET_MIN_AVAILABLE, tally->expected);
  const int64_t max_unavailable = scaled(budget->record, REBAL_BUDGET_MAX_UNAVAILABLE, tally->expected);
  int64_t desired;

  if (min_available == REBAL_ABSENT && max_unavailable == REBAL_ABSENT) {
    return rebal_record_i64(budget->record, rebali_record_get(budget->record, 0, REBAL_BUDGET_DISRUPTIONS_ALLOWED));
  }
  desired = max_unavailable == REBAL_ABSENT     ? min_available
            : max_unavailable < tally->expected ? tally->expected - max_unavailable
                                                : 0;
  return tally->healthy > desired ? tally->healthy - desired : 0;
}
