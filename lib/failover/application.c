/* SPDX-License-Identifier: MIT */
/* One pass of the failover of applications, except for building its tasks: rebalance-karmada(7) 10.5. */
#include "failover/application.h"

#define DEFAULT_TOLERATION 300

/* ---- status items ---- */

static int64_t item_cluster(const struct rebali_application *pass, size_t item) {
  return rebali_bindings_i64(pass->call.every.bindings, REBAL_STATUS_ITEM_CLUSTER, pass->items[item]);
}

static int has_health(const struct rebali_application *pass, size_t item, struct rebali_text health) {
  return rebali_text_equal(rebali_bindings_text(pass->call.every.bindings, REBAL_STATUS_ITEM_HEALTH, pass->items[item]),
                           health);
}

static struct rebali_binding_place *item_place(const struct rebali_application *pass, size_t item) {
  return rebali_place_of(&pass->call.places, item_cluster(pass, item));
}

/* Notes the first unhealthy item of each cluster that is not being evicted, and clusters with another health. */
static void note_health(const struct rebali_application *pass) {
  for (size_t i = pass->n_items; i-- > 0;) {
    struct rebali_binding_place *place = item_place(pass, i);

    if (has_health(pass, i, REBALI_TEXT("Unhealthy"))) {
      place->unhealthy = place->task == REBAL_NONE ? i : SIZE_MAX;
    } else if (has_health(pass, i, REBALI_TEXT("Healthy")) || has_health(pass, i, REBALI_TEXT("Unknown"))) {
      place->is_forgotten = 1;
    }
  }
}

static int is_unhealthy(const struct rebali_application *pass, size_t item) {
  return item_place(pass, item)->task == REBAL_NONE && has_health(pass, item, REBALI_TEXT("Unhealthy"));
}

/* ---- memory ---- */

static void note_memory(const struct rebali_application *pass) {
  const rebal_bindings *bindings = pass->call.every.bindings;

  for (size_t i = pass->n_memory; i-- > 0;) {
    rebali_place_of(&pass->call.places, rebali_bindings_i64(bindings, REBAL_UNHEALTHY_CLUSTER, pass->memory[i]))
        ->memory = pass->memory[i];
  }
}

/* Returns the remembered time since which a cluster is unhealthy; unset if it is not remembered. */
static rebal_time recorded(const struct rebali_application *pass, const struct rebali_binding_place *place) {
  const rebal_time none = {0, 0, 0};

  return place->memory == REBAL_NONE
             ? none
             : rebali_bindings_time(pass->call.every.bindings, REBAL_UNHEALTHY_SINCE, place->memory);
}

/* Returns whether the pass records the cluster at this item. Later items of the same cluster find it recorded. */
static int is_recorded_here(const struct rebali_application *pass, size_t item) {
  const struct rebali_binding_place *place = item_place(pass, item);

  return place->unhealthy == item && !recorded(pass, place).is_set;
}

/* Returns whether the toleration is strictly exceeded. The item is unhealthy and not recorded just here. */
static int is_over(const struct rebali_application *pass, size_t item, int64_t *seconds_left) {
  const rebal_time *now = pass->call.every.now;
  const rebal_time remembered = recorded(pass, item_place(pass, item));
  const rebal_time *since = remembered.is_set ? &remembered : now;
  const int64_t left_ns = rebali_time_left_ns(now, since, pass->toleration);
  const int64_t elapsed_ns = rebali_subtract_saturating(0, rebali_time_left_ns(now, since, 0));

  *seconds_left = pass->toleration - elapsed_ns / REBALI_SECOND_NS;
  return left_ns < 0;
}

/* ---- the pass ---- */

/* Collects the clusters to evict, in the order of items, and the seconds until the next one may be evicted. */
static int32_t look(struct rebali_application *pass) {
  pass->evictions = rebali_arena_allocate(rebali_ctx_scratch(pass->call.ctx), pass->n_items, sizeof *pass->evictions);
  if (pass->evictions == NULL) {
    return rebali_fail_memory(pass->call.every.err);
  }
  pass->wait = INT32_MAX;
  pass->n_evictions = 0;
  for (size_t i = 0; i < pass->n_items; i++) {
    int64_t left = pass->toleration;

    if (!is_unhealthy(pass, i)) {
      continue;
    }
    if (is_recorded_here(pass, i) || !is_over(pass, i, &left)) {
      pass->wait = left < pass->wait ? left : pass->wait;
      continue;
    }
    item_place(pass, i)->is_forgotten = 1;
    pass->evictions[pass->n_evictions++].cluster = (uint32_t)item_cluster(pass, i);
  }
  return REBAL_OK;
}

/* Returns whether the cluster is not among the remaining targets, or has an item with another health than Unhealthy. */
static int is_forgotten(const struct rebali_application *pass, int64_t cluster) {
  const struct rebali_binding_place *place = rebali_place_of(&pass->call.places, cluster);

  return place->target == REBAL_NONE || place->is_forgotten;
}

static int32_t keep(struct rebali_application *pass, int64_t cluster, const rebal_time *since, int forgets) {
  struct rebali_table *table = rebali_result_table(pass->call.every.result, REBAL_TABLE_UNHEALTHY_KEPT);
  const struct rebali_table_value cells[] = {{REBAL_UNHEALTHY_KEPT_BINDING, pass->binding},
                                             {REBAL_UNHEALTHY_KEPT_CLUSTER, rebali_id_given(cluster)}};
  size_t row;

  if (forgets && is_forgotten(pass, cluster)) {
    return REBAL_OK;
  }
  return rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row) == REBAL_OK &&
                 rebali_table_set_time(table, REBAL_UNHEALTHY_KEPT_SINCE, row, since) == REBAL_OK
             ? REBAL_OK
             : rebali_fail_memory(pass->call.every.err);
}

/* Writes what was remembered, then what this pass records. */
static int32_t remember(struct rebali_application *pass, int forgets) {
  const rebal_bindings *bindings = pass->call.every.bindings;
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < pass->n_memory; i++) {
    const rebal_time since = rebali_bindings_time(bindings, REBAL_UNHEALTHY_SINCE, pass->memory[i]);

    if (since.is_set) {
      code = keep(pass, rebali_bindings_i64(bindings, REBAL_UNHEALTHY_CLUSTER, pass->memory[i]), &since, forgets);
    }
  }
  for (size_t i = 0; code == REBAL_OK && i < pass->n_items; i++) {
    if (is_recorded_here(pass, i)) {
      code = keep(pass, item_cluster(pass, i), pass->call.every.now, forgets);
    }
  }
  return code;
}

static int32_t carry_on(struct rebali_application *pass) {
  const int64_t after_ns =
      pass->wait <= 0 || pass->wait == INT32_MAX ? REBAL_ABSENT : pass->wait * REBALI_SECOND_NS; /* below 2^62 */
  int32_t code =
      pass->n_evictions == 0 ? REBAL_OK : rebali_evict(&pass->call, pass->binding, pass->evictions, pass->n_evictions);

  if (code == REBAL_OK) {
    code = remember(pass, 1);
  }
  if (code == REBAL_OK && after_ns != REBAL_ABSENT) {
    code = rebali_every_binding_wake(&pass->call.every, pass->binding, after_ns);
  }
  return code == REBAL_OK
             ? rebali_every_binding_step(&pass->call.every, REBAL_STEP_STATE_DONE, 0, REBALI_TEXT(""), after_ns)
             : code;
}

static int applies(const struct rebali_application *pass) {
  const rebal_bindings *bindings = pass->call.every.bindings;

  return rebali_bindings_i64(bindings, REBAL_BINDING_HAS_APPLICATION_FAILOVER, pass->binding) && pass->n_items > 0 &&
         !rebali_bindings_i64(bindings, REBAL_BINDING_HEALTH_UNKNOWN_KIND, pass->binding) &&
         (rebali_bindings_i64(bindings, REBAL_BINDING_CLUSTER_SCOPED, pass->binding) ||
          rebali_bindings_i64(bindings, REBAL_BINDING_PROPAGATE_DEPS, pass->binding));
}

static int32_t step_binding(struct rebali_every_binding *every, uint32_t binding) {
  struct rebali_application *pass = (void *)every;
  const rebal_bindings *bindings = every->bindings;
  int32_t code;

  pass->binding = binding;
  pass->items = rebali_bindings_children(bindings, REBAL_TABLE_STATUS_ITEM, binding, &pass->n_items);
  pass->memory = rebali_bindings_children(bindings, REBAL_TABLE_UNHEALTHY, binding, &pass->n_memory);
  pass->toleration = rebali_bindings_i64(bindings, REBAL_BINDING_APPLICATION_TOLERATION_SECONDS, binding);
  pass->toleration = pass->toleration == REBAL_ABSENT ? DEFAULT_TOLERATION : pass->toleration;
  if (!applies(pass)) {
    return rebali_every_binding_step(every, REBAL_STEP_STATE_SKIPPED, 0, REBALI_TEXT(""), REBAL_ABSENT);
  }
  code = rebali_places_read(&pass->call, binding);
  if (code == REBAL_OK) {
    note_health(pass);
    note_memory(pass);
    code = look(pass);
  }
  if (code != REBAL_OK) {
    return code;
  }
  rebali_application_fill(pass);
  if (pass->call.message.len == 0 && !pass->call.message.failed) {
    return carry_on(pass);
  }
  code = remember(pass, 0);
  return code == REBAL_OK ? rebali_failover_retry(&pass->call, 0) : code;
}

int32_t rebal_application_failover_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                        const rebal_time *now, const rebal_failover_opts *opts, rebal_result *result,
                                        rebal_error *err) {
  struct rebali_application pass = {
      .call = {.every = {snapshot, bindings, now, result, err, NULL}, .ctx = ctx, .cluster = REBAL_NONE}};

  return rebali_failover_run(&pass.call, opts, step_binding);
}
