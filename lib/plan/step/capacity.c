/* SPDX-License-Identifier: MIT */
/*
 * What fits into a cluster beside the replicas of all bindings there: for each the larger of what is assigned and what
 * the member still reports. Summaries count what members report, unless the caller states that they do not.
 */
#include "plan/step/step.h"
#include "scheduler/scheduler.h"

static const rebal_time never = {0, 0, 0};

static int32_t charge_of(const struct rebali_wave_call *call, const struct rebali_wave_cell *cell) {
  const int32_t assigned = cell->next > cell->present ? cell->next : cell->present;

  if ((call->opts.flags & REBAL_PLAN_STEP_FLAG_OWN_NOT_COUNTED) != 0) {
    return assigned > cell->reported ? assigned : cell->reported;
  }
  return assigned > cell->reported ? assigned - cell->reported : 0;
}

/* Lists the components of one set. Each cluster with replicas holds a set. */
static int32_t list_components(const struct rebali_wave_call *call, uint32_t binding,
                               struct rebali_component **components, size_t *n) {
  const rebal_bindings *bindings = call->every.bindings;
  const uint32_t *rows = rebali_bindings_children(bindings, REBAL_TABLE_COMPONENT, binding, n);

  *components = rebali_arena_allocate(call->arena, *n, sizeof **components);
  for (size_t i = 0; *components != NULL && i < *n; i++) {
    (*components)[i] =
        (struct rebali_component){(uint32_t)rebali_bindings_i64(bindings, REBAL_COMPONENT_REQUIREMENTS, rows[i]),
                                  (int32_t)rebali_bindings_i64(bindings, REBAL_COMPONENT_REPLICAS, rows[i])};
  }
  return *components == NULL ? REBAL_ENOMEM : REBAL_OK;
}

static int32_t charge(struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  const uint32_t requirements =
      (uint32_t)rebali_bindings_i64(call->every.bindings, REBAL_BINDING_REQUIREMENTS, row->binding);
  struct rebali_component *shares = rebali_arena_allocate(call->arena, row->n_cells, sizeof *shares);
  struct rebali_claim *claims = rebali_arena_allocate(call->arena, row->n_cells, sizeof *claims);
  const struct rebali_text key = rebali_ledger_key(call->every.bindings, row->binding, call->arena);
  struct rebali_component *set;
  size_t n_set, n = 0;

  if (shares == NULL || claims == NULL || key.bytes == NULL ||
      list_components(call, row->binding, &set, &n_set) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < row->n_cells; i++) {
    const int32_t replicas = charge_of(call, &row->cells[i]);

    if (replicas != 0) {
      shares[n] = (struct rebali_component){requirements, replicas};
      claims[n] = (struct rebali_claim){row->cells[i].cluster, n_set > 0 ? set : &shares[n], n_set > 0 ? n_set : 1};
      n++;
    }
  }
  return rebali_ledger_replace(call->ledger, key, claims, n, &never);
}

int32_t rebali_wave_charge_all(struct rebali_wave_call *call) {
  int32_t code = call->opts.ledger != NULL
                     ? rebal_ledger_fork(call->opts.ledger, &call->ledger, NULL)
                     : rebali_ledger_new(rebali_ctx_allocator(call->ctx), rebali_snapshot_store(call->every.snapshot),
                                         &call->ledger, NULL);

  for (size_t i = 0; code == REBAL_OK && i < call->n_rows; i++) {
    code = call->rows[i].n_cells > 0 ? charge(call, &call->rows[i]) : REBAL_OK;
  }
  for (size_t i = 0; code == REBAL_OK && i < call->n_others; i++) {
    code = charge(call, &call->others[i]);
  }
  return code;
}

int32_t rebali_wave_charge_added(struct rebali_wave_call *call, const struct rebali_wave_row *row) {
  return charge(call, row);
}

/*
 * Begins an estimate of one replica after the other, so that charges count whatever the feature gates of the scheduler
 * are.
 */
static int32_t begin(struct rebali_wave_call *call, const struct rebali_component *component,
                     struct rebali_demand *demand, struct rebali_estimation *estimation) {
  const rebal_snapshot *snapshot = call->every.snapshot;

  if (rebali_demand_read(call->arena,
                         rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, component->requirements),
                         demand) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  rebali_demand_resolve(demand, snapshot);
  rebali_demand_resolve_charges(demand, call->ledger);
  *estimation = (struct rebali_estimation){.arena = call->arena,
                                           .snapshot = snapshot,
                                           .components = component,
                                           .n_components = 1,
                                           .demand = demand,
                                           .rules = rebali_rules_read(call->opts.compat),
                                           .ledger = call->ledger};
  estimation->rules.charge_summaries = 1;
  estimation->rules.wrap = 0;
  return REBAL_OK;
}

int32_t rebali_wave_find_capacity(struct rebali_wave_call *call, struct rebali_wave_row *row, int *any) {
  const struct rebali_component component = {
      (uint32_t)rebali_bindings_i64(call->every.bindings, REBAL_BINDING_REQUIREMENTS, row->binding), 1};
  const int is_any = (call->opts.flags & REBAL_PLAN_STEP_FLAG_ANY_CAPACITY) != 0;
  struct rebali_demand demand;
  struct rebali_estimation estimation = {.arena = NULL};

  *any = 0;
  for (size_t i = 0; i < row->n_cells; i++) {
    struct rebali_wave_cell *cell = &row->cells[i];
    const int32_t wanted = cell->to - cell->present;
    const int32_t held = cell->reported > cell->present ? cell->reported - cell->present : 0;
    int32_t fits = 0;

    if (wanted <= 0) {
      continue;
    }
    if (!is_any && held < wanted &&
        ((estimation.arena == NULL && begin(call, &component, &demand, &estimation) != REBAL_OK) ||
         rebali_fit_replicas(&estimation, cell->cluster, &fits) != REBAL_OK)) {
      return REBAL_ENOMEM;
    }
    cell->capacity = is_any || held >= wanted || fits >= wanted - held ? wanted : held + fits;
    *any |= cell->capacity > 0;
  }
  return REBAL_OK;
}
