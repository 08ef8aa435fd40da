/* SPDX-License-Identifier: MIT */
/* What limits grant, computed a second, plain way (rebalance-plan(7) 4): every limit is examined for every pair. */
#include "plans.h"

#include <string.h>

struct pass {
  const struct planned *planned;
  struct twin *twin;
  size_t row;
  size_t first_cut; /* PLAN_LIMITS + PLAN_BUDGETS: none */
  size_t move;      /* the next one of the plan */
  const char *wrong;
};

enum { NO_COUNTER = -1, NO_LIMIT = PLAN_LIMITS + PLAN_BUDGETS };

static const char *namespace_of(const struct drawn_plan *plan, size_t row) {
  return strchr(plan->drawing.bindings[row].key, '/') == NULL ? "" : "ns";
}

/* The value of the label app; NULL: it has none, or its labels are not known. */
static const char *app_of(const struct drawn_plan *plan, size_t row) {
  return plan->labels[row] == NULL || strncmp(plan->labels[row], "app=", 4) != 0 ? NULL : plan->labels[row] + 4;
}

static int same(const char *left, const char *right) {
  return left != NULL && right != NULL && strcmp(left, right) == 0;
}

/* The first row that has the same namespace, or value of the label. */
static int first_alike(const struct drawn_plan *plan, size_t row,
                       const char *(*of)(const struct drawn_plan *, size_t)) {
  size_t first = 0;

  while (!same(of(plan, first), of(plan, row))) {
    first++;
  }
  return (int)first;
}

static int counter_of_limit(const struct planned *planned, const rebal_limit *limit, size_t row, int64_t source,
                            int64_t target) {
  const struct drawn_plan *plan = planned->drawn;
  const int64_t cluster = limit->scope == REBAL_LIMIT_SCOPE_SOURCE ? source : target;

  switch (limit->scope) {
    case REBAL_LIMIT_SCOPE_SOURCE:
    case REBAL_LIMIT_SCOPE_TARGET:
      return limit->subject == NULL ||
                     same(limit->subject, test_cluster_name(planned->world.snapshot, (uint32_t)cluster))
                 ? (int)cluster
                 : NO_COUNTER;
    case REBAL_LIMIT_SCOPE_NAMESPACE:
      return limit->subject == NULL || same(limit->subject, namespace_of(plan, row))
                 ? first_alike(plan, row, namespace_of)
                 : NO_COUNTER;
    case REBAL_LIMIT_SCOPE_BINDING:
      return limit->subject == NULL || same(limit->subject, plan->drawing.bindings[row].key) ? (int)row : NO_COUNTER;
    case REBAL_LIMIT_SCOPE_LABEL:
      return app_of(plan, row) == NULL || (limit->subject != NULL && !same(limit->subject, app_of(plan, row)))
                 ? NO_COUNTER
                 : first_alike(plan, row, app_of);
    default:
      return 0;
  }
}

static int is_lost(const struct planned *planned, int64_t cluster) {
  for (size_t i = 0; i < planned->opts.n_lost; i++) {
    if (planned->lost[i] == cluster) {
      return 1;
    }
  }
  return 0;
}

static int is_of_cluster(const struct planned *planned, const struct drawn_budget *budget, int64_t cluster) {
  return budget->cluster[0] == '\0' ||
         same(budget->cluster, test_cluster_name(planned->world.snapshot, (uint32_t)cluster));
}

static int selects(const struct drawn_plan *plan, const struct drawn_budget *budget, size_t row) {
  return strcmp(namespace_of(plan, row), "ns") == 0 &&
         (plan->labels[row] == NULL || budget->value == NULL || same(budget->value, app_of(plan, row)));
}

static int counter_of_budget(const struct planned *planned, const struct drawn_budget *budget, size_t row,
                             int64_t source) {
  if (!selects(planned->drawn, budget, row) || is_lost(planned, source) || !is_of_cluster(planned, budget, source)) {
    return NO_COUNTER;
  }
  return planned->drawn->over_clusters && budget->cluster[0] == '\0' ? 0 : (int)source;
}

static int counter_of(const struct pass *pass, size_t limit, int64_t source, int64_t target) {
  const struct drawn_plan *plan = pass->planned->drawn;

  return limit < plan->n_limits
             ? counter_of_limit(pass->planned, &plan->limits[limit].limit, pass->row, source, target)
             : counter_of_budget(pass->planned, &plan->budgets[limit - plan->n_limits], pass->row, source);
}

/* ---- budgets ----------------------------------------------------------------------------------------------------- */

static int64_t scale(const char *number, int64_t expected) {
  const int64_t value = strtol(number, NULL, 10);

  return strchr(number, '%') == NULL ? value : (expected * value + 99) / 100;
}

static int64_t allow(const struct drawn_budget *budget, int64_t expected, int64_t healthy) {
  int64_t desired;

  if (budget->min_available == NULL && budget->max_unavailable == NULL) {
    return budget->allowed;
  }
  desired = budget->min_available != NULL ? scale(budget->min_available, expected)
                                          : expected - scale(budget->max_unavailable, expected);
  desired = desired < 0 ? 0 : desired;
  return healthy > desired ? healthy - desired : 0;
}

/* What the budget allows by counter: sums over the bindings that it certainly selects. */
static void allow_budget(const struct planned *planned, const struct drawn_budget *budget, int64_t *left) {
  const struct drawn_plan *plan = planned->drawn;
  const int is_over_all = plan->over_clusters && budget->cluster[0] == '\0';
  int64_t expected[TWIN_COUNTERS] = {0}, healthy[TWIN_COUNTERS] = {0};
  const size_t n = rebal_result_count(planned->rows, REBAL_TABLE_PLANNED_CLUSTER);

  for (size_t i = 0; i < n; i++) {
    const size_t row = (size_t)plan_value(planned, REBAL_PLANNED_CLUSTER_BINDING, i);
    const int64_t cluster = plan_value(planned, REBAL_PLANNED_CLUSTER_CLUSTER, i);
    const int64_t present = plan_value(planned, REBAL_PLANNED_CLUSTER_PRESENT, i);

    if (plan->labels[row] != NULL && selects(plan, budget, row) && is_of_cluster(planned, budget, cluster)) {
      expected[is_over_all ? 0 : cluster] += present == REBAL_ABSENT ? 0 : present;
      healthy[is_over_all ? 0 : cluster] += plan_value(planned, REBAL_PLANNED_CLUSTER_READY, i);
    }
  }
  for (size_t c = 0; c < TWIN_COUNTERS; c++) {
    left[c] = allow(budget, expected[c], healthy[c]);
  }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* How many of a pair are granted, and which limit cut it. */
static int64_t cut(struct pass *pass, int64_t source, int64_t target, int64_t wanted) {
  const struct drawn_plan *plan = pass->planned->drawn;
  const size_t n = plan->n_limits + plan->n_budgets;
  int64_t least = INT64_MAX;
  size_t who = NO_LIMIT, budgets = 0, first_budget = NO_LIMIT;

  for (size_t i = 0; i < n; i++) {
    const int counter = counter_of(pass, i, source, target);

    if (counter != NO_COUNTER) {
      who = pass->twin->left[i][counter] < least ? i : who;
      least = pass->twin->left[i][counter] < least ? pass->twin->left[i][counter] : least;
      first_budget = i >= plan->n_limits && budgets++ == 0 ? i : first_budget;
    }
  }
  if (budgets > 1 && plan->labels[pass->row] != NULL && least > 0) {
    least = 0;
    who = first_budget;
  }
  if (least >= wanted) {
    return wanted;
  }
  pass->first_cut = pass->first_cut == NO_LIMIT ? who : pass->first_cut;
  for (size_t i = 0; i < n; i++) {
    const int counter = counter_of(pass, i, source, target);

    pass->twin->cuts[i] |=
        counter != NO_COUNTER && (pass->twin->left[i][counter] == least || (budgets > 1 && i >= plan->n_limits));
  }
  return least;
}

static void charge(struct pass *pass, int64_t source, int64_t target, int64_t replicas) {
  for (size_t i = 0; i < pass->planned->drawn->n_limits + pass->planned->drawn->n_budgets; i++) {
    const int counter = counter_of(pass, i, source, target);

    if (counter != NO_COUNTER) {
      pass->twin->left[i][counter] -= replicas;
      if (pass->twin->left[i][counter] < 0) {
        pass->wrong = fault("limit %u is exceeded", (unsigned)i);
      }
    }
  }
}

/* The next move of the plan must be this one. */
static void expect_move(struct pass *pass, int64_t source, int64_t target, int64_t replicas) {
  const struct planned *planned = pass->planned;
  const size_t move = pass->move++;

  if (plan_value(planned, REBAL_MOVE_BINDING, move) != (int64_t)pass->row ||
      plan_value(planned, REBAL_MOVE_SOURCE, move) != source ||
      plan_value(planned, REBAL_MOVE_TARGET, move) != target ||
      plan_value(planned, REBAL_MOVE_REPLICAS, move) != replicas) {
    pass->wrong = fault("move %u of binding %u is not %lld from %lld to %lld", (unsigned)move, (unsigned)pass->row,
                        (long long)replicas, (long long)source, (long long)target);
  }
}

static int64_t replicas_of(const struct planned *planned, uint32_t column, size_t cell) {
  const int64_t replicas = plan_value(planned, column, cell);

  return replicas == REBAL_ABSENT ? 0 : replicas;
}

/* All pairs of a row, one replica of surplus after the other; the rest is scaled. */
static void grant_row(struct pass *pass) {
  const struct planned *planned = pass->planned;
  const size_t first = (size_t)plan_value(planned, REBAL_PLANNED_FIRST_CLUSTER, pass->row);
  const size_t n = (size_t)plan_value(planned, REBAL_PLANNED_CLUSTERS, pass->row);
  const int is_whole = plan_value(planned, REBAL_PLANNED_WHOLE, pass->row) != 0;
  int64_t surplus[TWIN_COUNTERS], lack[TWIN_COUNTERS], y[TWIN_COUNTERS], granted = 0;
  struct twin before = *pass->twin;

  for (size_t i = 0; i < n; i++) {
    const int64_t x = replicas_of(planned, REBAL_PLANNED_CLUSTER_PRESENT, first + i);
    const int64_t w = replicas_of(planned, REBAL_PLANNED_CLUSTER_WANTED, first + i);

    y[i] = x;
    surplus[i] = x > w ? x - w : 0;
    lack[i] = w > x ? w - x : 0;
  }
  pass->first_cut = NO_LIMIT;
  for (size_t s = 0, t = 0; s < n && t < n;) {
    const int64_t source = plan_value(planned, REBAL_PLANNED_CLUSTER_CLUSTER, first + s);
    const int64_t target = plan_value(planned, REBAL_PLANNED_CLUSTER_CLUSTER, first + t);
    const int64_t pair = surplus[s] < lack[t] ? surplus[s] : lack[t];
    const int64_t moved = pair == 0 ? 0 : cut(pass, source, target, pair);

    surplus[s] -= pair;
    lack[t] -= pair;
    if (moved > 0) {
      charge(pass, source, target, moved);
      granted += moved;
      y[s] -= is_whole ? 0 : moved;
      y[t] += is_whole ? 0 : moved;
      if (!is_whole) {
        expect_move(pass, source, target, moved);
      }
    }
    s += surplus[s] == 0;
    t += t < n && lack[t] == 0;
  }
  if (is_whole) {
    memcpy(before.cuts, pass->twin->cuts, sizeof before.cuts);
    *pass->twin = before;
    granted = 0;
  }
  for (size_t i = 0; i < n; i++) {
    if (replicas_of(planned, REBAL_PLANNED_CLUSTER_PLANNED, first + i) != y[i] - surplus[i] + lack[i]) {
      pass->wrong = fault("binding %u: planned replicas of cluster %u", (unsigned)pass->row, (unsigned)i);
    }
  }
  pass->twin->granted += granted;
  if (granted != plan_value(planned, REBAL_PLANNED_GRANTED, pass->row) || (is_whole && pass->first_cut == NO_LIMIT) ||
      plan_value(planned, REBAL_PLANNED_LIMITED_BY, pass->row) !=
          (pass->first_cut == NO_LIMIT ? REBAL_ABSENT : (int64_t)pass->first_cut)) {
    pass->wrong = fault("binding %u is granted or limited otherwise", (unsigned)pass->row);
  }
}

const char *compare_twin(const struct planned *planned, struct twin *twin) {
  const struct drawn_plan *plan = planned->drawn;
  struct pass pass = {.planned = planned, .twin = twin};

  memset(twin, 0, sizeof *twin);
  for (size_t i = 0; i < plan->n_limits; i++) {
    for (size_t c = 0; c < TWIN_COUNTERS; c++) {
      twin->left[i][c] = plan->limits[i].limit.replicas;
    }
  }
  for (size_t i = 0; i < plan->n_budgets; i++) {
    allow_budget(planned, &plan->budgets[i], twin->left[plan->n_limits + i]);
  }
  for (pass.row = 0; pass.row < plan->drawing.n_bindings && pass.wrong == NULL; pass.row++) {
    grant_row(&pass);
  }
  return pass.wrong != NULL || pass.move == rebal_result_count(planned->rows, REBAL_TABLE_MOVE)
             ? pass.wrong
             : fault("%u moves, not %u", (unsigned)rebal_result_count(planned->rows, REBAL_TABLE_MOVE),
                     (unsigned)pass.move);
}
