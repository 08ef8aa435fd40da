/* SPDX-License-Identifier: MIT */
/* Random plans: a random fleet, causes, limits and budgets. */
#include "plans.h"

#include <stdio.h>
#include <string.h>

static void draw_limit(struct dice *dice, struct drawn_limit *limit, size_t n_clusters) {
  static const char *const namespaces[] = {NULL, "ns", "", "other"};
  static const char *const bindings[] = {NULL, NULL, "ns/b0", "ns/b1", "b1"};
  static const char *const values[] = {NULL, "web", "db", ""};

  memset(limit, 0, sizeof *limit);
  limit->limit.struct_size = (uint32_t)sizeof limit->limit;
  limit->limit.scope = 1 + (int32_t)roll(dice, 6);
  limit->limit.replicas = chance(dice, 80) ? roll(dice, 12) : 1000;
  (void)snprintf(limit->name, sizeof limit->name, "m%02u", (unsigned)roll(dice, (uint32_t)n_clusters));
  switch (limit->limit.scope) {
    case REBAL_LIMIT_SCOPE_SOURCE:
    case REBAL_LIMIT_SCOPE_TARGET:
      limit->limit.subject = chance(dice, 50) ? NULL : limit->name;
      break;
    case REBAL_LIMIT_SCOPE_NAMESPACE:
      limit->limit.subject = PICK(dice, namespaces);
      break;
    case REBAL_LIMIT_SCOPE_BINDING:
      limit->limit.subject = PICK(dice, bindings);
      break;
    case REBAL_LIMIT_SCOPE_LABEL:
      limit->limit.subject = PICK(dice, values);
      limit->limit.label = "app";
      limit->limit.label_len = 3;
      break;
    default:
      break;
  }
  limit->limit.subject_len = limit->limit.subject == NULL ? 0 : REBAL_TERMINATED;
}

static void draw_budget(struct dice *dice, struct drawn_budget *budget, size_t n_clusters) {
  static const char *const numbers[] = {"0", "1", "3", "40%", "100%", "7"};

  memset(budget, 0, sizeof *budget);
  budget->value = chance(dice, 30) ? NULL : chance(dice, 50) ? "web" : "db";
  budget->min_available = chance(dice, 50) ? PICK(dice, numbers) : NULL;
  budget->max_unavailable = budget->min_available == NULL && chance(dice, 80) ? PICK(dice, numbers) : NULL;
  budget->allowed = (int32_t)roll(dice, 5);
  if (chance(dice, 30)) {
    (void)snprintf(budget->cluster, sizeof budget->cluster, "m%02u", (unsigned)roll(dice, (uint32_t)n_clusters));
  }
}

void draw_plan(struct dice *dice, struct drawn_plan *plan) {
  static const char *const labels[] = {NULL, "app=web", "app=web", "app=db", "tier=x", "app="};

  memset(plan, 0, sizeof *plan);
  draw(dice, &plan->drawing, 0);
  for (size_t i = 0; i < plan->drawing.n_bindings; i++) {
    struct test_binding *binding = &plan->drawing.bindings[i].binding;

    binding->triggered_at = 0;
    plan->labels[i] = PICK(dice, labels);
    for (size_t c = 0; c < LAW_CLUSTERS; c++) {
      plan->ready[i][c] = roll(dice, 7);
    }
  }
  plan->mode = chance(dice, 60) ? REBAL_PLAN_MODE_FRESH : REBAL_PLAN_MODE_STEADY;
  plan->has_ledger = chance(dice, 50);
  for (size_t c = 0; c < plan->drawing.n_clusters; c++) {
    plan->is_drained[c] = chance(dice, 15);
    plan->is_lost[c] = chance(dice, 10);
  }
  plan->n_limits = roll(dice, PLAN_LIMITS + 1);
  for (size_t i = 0; i < plan->n_limits; i++) {
    draw_limit(dice, &plan->limits[i], plan->drawing.n_clusters);
  }
  plan->n_budgets = chance(dice, 40) ? 1 + roll(dice, PLAN_BUDGETS) : 0;
  for (size_t i = 0; i < plan->n_budgets; i++) {
    draw_budget(dice, &plan->budgets[i], plan->drawing.n_clusters);
  }
  plan->over_clusters = chance(dice, 40);
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static int set(struct test_world *world, uint32_t column, uint32_t row, int64_t value) {
  return rebal_cells_set_i64(rebal_bindings_cells(world->bindings), column, REBAL_NONE, row, value, &world->err) ==
         REBAL_OK;
}

static int add_row(struct test_world *world, const struct drawn_plan *plan, size_t number) {
  rebal_cells *cells = rebal_bindings_cells(world->bindings);
  const uint32_t row = test_add_binding(world, NULL, &plan->drawing.bindings[number].binding);

  for (size_t c = 0; c < plan->drawing.n_clusters; c++) {
    uint32_t item;

    if (rebal_cells_add(cells, REBAL_TABLE_STATUS_ITEM, row, &item, 1, &world->err) != REBAL_OK ||
        !set(world, REBAL_STATUS_ITEM_CLUSTER, item, test_cluster_id(world, plan->drawing.clusters[c].name)) ||
        !set(world, REBAL_STATUS_ITEM_READY_REPLICAS, item, plan->ready[number][c])) {
      return 0;
    }
  }
  return set(world, REBAL_BINDING_POD_LABELS, row, test_labels_handle(world, plan->labels[number]));
}

static int put(rebal_builder *builder, uint32_t field, const char *text) {
  return text == NULL || rebal_builder_text(builder, field, text, strlen(text), NULL) == REBAL_OK;
}

static int build_budget(rebal_builder *builder, const struct drawn_budget *budget, const rebal_record **record) {
  int is_fine = rebal_builder_start(builder, REBAL_OBJECT_BUDGET, NULL) == REBAL_OK &&
                put(builder, REBAL_BUDGET_NAMESPACE, "ns") && put(builder, REBAL_BUDGET_NAME, "p") &&
                rebal_builder_begin(builder, REBAL_BUDGET_SELECTOR, NULL) == REBAL_OK;

  if (is_fine && budget->value != NULL) {
    is_fine = rebal_builder_begin(builder, REBAL_LABEL_SELECTOR_MATCH_LABELS, NULL) == REBAL_OK &&
              put(builder, REBAL_PAIR_KEY, "app") && put(builder, REBAL_PAIR_VALUE, budget->value) &&
              rebal_builder_end(builder, NULL) == REBAL_OK;
  }
  return is_fine && rebal_builder_end(builder, NULL) == REBAL_OK &&
         put(builder, REBAL_BUDGET_CLUSTER, budget->cluster[0] == '\0' ? NULL : budget->cluster) &&
         put(builder, REBAL_BUDGET_MIN_AVAILABLE, budget->min_available) &&
         put(builder, REBAL_BUDGET_MAX_UNAVAILABLE, budget->max_unavailable) &&
         rebal_builder_i64(builder, REBAL_BUDGET_DISRUPTIONS_ALLOWED, budget->allowed, NULL) == REBAL_OK &&
         rebal_builder_finish(builder, record, NULL) == REBAL_OK;
}

static void set_options(struct planned *planned) {
  const struct drawn_plan *plan = planned->drawn;

  planned->schedule = (rebal_schedule_opts){
      .struct_size = (uint32_t)sizeof planned->schedule, .compat = planned->compat, .ledger = planned->ledger};
  planned->opts = (rebal_plan_opts){.struct_size = (uint32_t)sizeof planned->opts,
                                    .mode = plan->mode,
                                    .schedule = &planned->schedule,
                                    .drained = planned->drained,
                                    .lost = planned->lost,
                                    .limits = planned->limits,
                                    .n_limits = plan->n_limits,
                                    .budgets = planned->budgets,
                                    .n_budgets = plan->n_budgets};
  planned->opts.flags = plan->over_clusters ? REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS : 0;
  for (size_t c = 0; c < plan->drawing.n_clusters; c++) {
    const uint32_t id = test_cluster_id(&planned->world, plan->drawing.clusters[c].name);

    if (plan->is_drained[c]) {
      planned->drained[planned->opts.n_drained++] = id;
    }
    if (plan->is_lost[c]) {
      planned->lost[planned->opts.n_lost++] = id;
    }
  }
  for (size_t i = 0; i < plan->n_limits; i++) {
    planned->limits[i] = &plan->limits[i].limit;
  }
}

int open_plan(struct planned *planned, const struct drawn_plan *plan, const size_t *clusters) {
  struct test_world *world = &planned->world;
  int is_fine = 1;

  memset(planned, 0, sizeof *planned);
  planned->drawn = plan;
  planned->now = (rebal_time){PLAN_LAW_NOW, 0, 1};
  test_world_open(world, NULL);
  for (size_t i = 0; i < plan->drawing.n_clusters; i++) {
    (void)test_add_cluster(world, &plan->drawing.clusters[clusters == NULL ? i : clusters[i]].cluster);
  }
  for (size_t i = 0; i < plan->drawing.n_bindings && is_fine; i++) {
    is_fine = add_row(world, plan, i);
  }
  planned->compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1);
  if (is_fine && plan->has_ledger) {
    is_fine = rebal_ledger_new(world->fleet, NULL, &planned->ledger, NULL) == REBAL_OK;
  }
  for (size_t i = 0; i < plan->n_budgets && is_fine; i++) {
    is_fine = rebal_builder_new(NULL, &planned->builders[i], NULL) == REBAL_OK &&
              build_budget(planned->builders[i], &plan->budgets[i], &planned->budgets[i]);
  }
  set_options(planned);
  test_freeze(world);
  return is_fine && rebal_result_new(NULL, &planned->rows, NULL) == REBAL_OK;
}

void close_plan(struct planned *planned) {
  rebal_plan_free(planned->plan);
  rebal_result_free(planned->rows);
  rebal_ledger_free(planned->ledger);
  rebal_compat_free(planned->compat);
  for (size_t i = 0; i < PLAN_BUDGETS; i++) {
    rebal_builder_free(planned->builders[i]);
  }
  free(planned->bytes);
  test_world_close(&planned->world);
}

const char *make_plan(struct planned *planned) {
  struct test_world *world = &planned->world;

  rebal_plan_free(planned->plan);
  free(planned->bytes);
  planned->plan = NULL;
  planned->bytes = NULL;
  if (rebal_plan_make(world->ctx, world->snapshot, world->bindings, &planned->now, &planned->opts, &planned->plan,
                      &world->err) != REBAL_OK ||
      rebal_plan_read(planned->plan, planned->rows, &world->err) != REBAL_OK ||
      rebal_plan_save(planned->plan, NULL, 0, &planned->len, &world->err) != REBAL_OK) {
    return fault("rebal_plan_make: %s", world->err.message);
  }
  planned->bytes = malloc(planned->len);
  if (planned->bytes == NULL ||
      rebal_plan_save(planned->plan, planned->bytes, planned->len, &planned->len, &world->err) != REBAL_OK) {
    return "a plan cannot be saved";
  }
  return NULL;
}

int64_t plan_value(const struct planned *planned, uint32_t column, size_t row) {
  size_t n;
  const int64_t *cells = rebal_result_i64(planned->rows, column, &n);

  return row < n ? cells[row] : REBAL_ABSENT;
}

int64_t plan_total(const struct planned *planned) {
  int64_t total = 0;

  for (size_t i = 0; i < planned->drawn->drawing.n_bindings; i++) {
    total += plan_value(planned, REBAL_PLANNED_GRANTED, i);
  }
  return total;
}
