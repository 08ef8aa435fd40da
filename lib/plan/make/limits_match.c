/* SPDX-License-Identifier: MIT */
/* Which limits count for a binding and its pairs, and how much they leave. */
#include "plan/make/limits.h"

static void add_active(struct rebali_move_limits *limits, size_t limit, enum rebali_counted_by by, size_t counter,
                       uint32_t only_cluster, int is_source) {
  limits->active[limits->n_active++] =
      (struct rebali_active_limit){limit, by, limits->items[limit].first + counter, only_cluster, is_source};
}

static int is_named(struct rebali_text namespace_, struct rebali_text name, struct rebali_text key) {
  if (namespace_.len == 0) {
    return rebali_text_equal(name, key);
  }
  return key.len == namespace_.len + 1 + name.len && key.bytes[namespace_.len] == '/' &&
         memcmp(key.bytes, namespace_.bytes, namespace_.len) == 0 &&
         rebali_text_equal(rebali_text(key.bytes + namespace_.len + 1, name.len), name);
}

static void match_cluster(struct rebali_move_limits *limits, size_t index) {
  const struct rebali_move_limit *limit = &limits->items[index];
  const int is_source = limit->scope == REBAL_LIMIT_SCOPE_SOURCE;

  if (limit->cluster != REBAL_NONE) {
    add_active(limits, index, REBALI_COUNTED_ONCE, 0, limit->cluster, is_source);
  } else {
    add_active(limits, index, is_source ? REBALI_COUNTED_BY_SOURCE : REBALI_COUNTED_BY_TARGET, 0, REBAL_NONE,
               is_source);
  }
}

/* Matches a limit whose subjects are bindings, namespaces or label values. */
static void match_subject(struct rebali_plan_call *call, size_t index, size_t row) {
  struct rebali_move_limits *limits = call->limits;
  const struct rebali_move_limit *limit = &limits->items[index];
  const struct rebali_plan_row *planned = &call->plan->rows[row];
  size_t counter = 0;
  int counts = 1;

  if (limit->ids != NULL) {
    counter = limit->ids[row];
    counts = limit->ids[row] != REBAL_NONE;
  } else if (!limit->has_subject) {
    counter = limit->scope == REBAL_LIMIT_SCOPE_BINDING ? row : 0;
  } else if (limit->scope == REBAL_LIMIT_SCOPE_BINDING) {
    counts = is_named(planned->namespace_, planned->name, limit->subject);
  } else if (limit->scope == REBAL_LIMIT_SCOPE_NAMESPACE) {
    counts = rebali_text_equal(planned->namespace_, limit->subject);
  } else {
    const struct rebali_text value =
        rebali_labels_value(rebali_pod_labels(call->snapshot, call->bindings, (uint32_t)row), limit->label);

    counts = value.bytes != NULL && rebali_text_equal(value, limit->subject);
  }
  if (counts) {
    add_active(limits, index, REBALI_COUNTED_ONCE, counter, REBAL_NONE, 0);
  }
}

static void match_budgets(struct rebali_plan_call *call, size_t row) {
  struct rebali_move_limits *limits = call->limits;
  struct rebali_budget_list *budgets = &limits->budgets;

  rebali_budgets_select(budgets, call->snapshot, call->bindings, (uint32_t)row);
  for (size_t i = 0; i < budgets->index.n_found; i++) {
    const struct rebali_budget *budget = &budgets->items[budgets->index.found[i]];

    add_active(limits, limits->n_given + budgets->index.found[i],
               budget->n_counters == 1 ? REBALI_COUNTED_ONCE : REBALI_COUNTED_BY_SOURCE, 0, budget->cluster, 1);
  }
}

void rebali_limits_match(struct rebali_plan_call *call, size_t row) {
  struct rebali_move_limits *limits = call->limits;

  limits->n_active = 0;
  for (size_t i = 0; i < limits->n_given; i++) {
    if (limits->items[i].scope == REBAL_LIMIT_SCOPE_SOURCE || limits->items[i].scope == REBAL_LIMIT_SCOPE_TARGET) {
      match_cluster(limits, i);
    } else {
      match_subject(call, i, row);
    }
  }
  match_budgets(call, row);
}

size_t rebali_active_counter(const struct rebali_move_limits *limits, const struct rebali_active_limit *active,
                             uint32_t source, uint32_t target) {
  if (active->only_cluster != REBAL_NONE && active->only_cluster != (active->is_source ? source : target)) {
    return REBALI_LIMIT_NONE;
  }
  if (limits->items[active->limit].budget != NULL && rebali_bit_get(limits->is_lost, source)) {
    return REBALI_LIMIT_NONE; /* lost replicas are not disrupted */
  }
  switch (active->by) {
    case REBALI_COUNTED_BY_SOURCE:
      return active->counter + source;
    case REBALI_COUNTED_BY_TARGET:
      return active->counter + target;
    default:
      return active->counter;
  }
}

int64_t rebali_limits_left(const struct rebali_move_limits *limits, uint32_t source, uint32_t target, size_t endless,
                           size_t *least) {
  int64_t left = INT64_MAX;
  size_t n_budgets = 0;
  size_t budget = REBALI_LIMIT_NONE;

  *least = REBALI_LIMIT_NONE;
  for (size_t i = 0; i < limits->n_active; i++) {
    const struct rebali_active_limit *active = &limits->active[i];
    const size_t counter = rebali_active_counter(limits, active, source, target);

    if (counter == REBALI_LIMIT_NONE || active->limit == endless) {
      continue;
    }
    if (limits->items[active->limit].budget != NULL) {
      n_budgets++;
      budget = budget == REBALI_LIMIT_NONE ? active->limit : budget;
    }
    if (limits->allowed[counter] - limits->used[counter] < left) {
      left = limits->allowed[counter] - limits->used[counter];
      *least = active->limit;
    }
  }
  if (n_budgets > 1 && limits->budgets.is_known && left > 0) {
    *least = budget; /* the disruption controller evicts no pod that two budgets select */
    left = 0;
  }
  return left;
}

void rebali_limits_note(struct rebali_move_limits *limits, uint32_t source, uint32_t target, int64_t left) {
  for (size_t i = 0; i < limits->n_active; i++) {
    struct rebali_move_limit *limit = &limits->items[limits->active[i].limit];
    const size_t counter = rebali_active_counter(limits, &limits->active[i], source, target);

    if (counter != REBALI_LIMIT_NONE &&
        (limit->budget != NULL || limits->allowed[counter] - limits->used[counter] == left)) {
      limit->cuts = 1;
    }
  }
}

void rebali_limits_charge(struct rebali_move_limits *limits, uint32_t source, uint32_t target, int64_t replicas) {
  for (size_t i = 0; i < limits->n_active; i++) {
    const size_t counter = rebali_active_counter(limits, &limits->active[i], source, target);

    if (counter != REBALI_LIMIT_NONE) {
      limits->used[counter] += replicas; /* at most the limit, or all that moves */
    }
  }
}

void rebali_limits_reset(struct rebali_move_limits *limits) {
  memset(limits->used, 0, limits->n_counters * sizeof *limits->used);
}
