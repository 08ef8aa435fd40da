/* SPDX-License-Identifier: MIT */
/* Writes numbers into the fleet and the bindings, and reads answers as numbers. */
#include "plain.h"

#include <stdio.h>
#include <string.h>

static rebal_quantity quantity_of(size_t resource, int64_t amount) {
  const int64_t thousandths = resource == PLAIN_CPU ? 1000 : 1;

  return (rebal_quantity){amount / thousandths, (int32_t)(amount % thousandths) * 1000000,
                          REBAL_QUANTITY_FORMAT_DECIMAL_SI};
}

/* Derived from the amount, so that the same is written again. */
static rebal_quantity odd_quantity(int64_t amount) {
  const int32_t nanos = (int32_t)(amount * 7919 % 1000000000);

  switch (amount % 5) {
    case 0:
      return (rebal_quantity){amount, 0, REBAL_QUANTITY_FORMAT_BINARY_SI};
    case 1:
      return (rebal_quantity){amount, nanos, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
    case 2:
      return (rebal_quantity){-amount, -nanos, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
    case 3:
      return (rebal_quantity){INT64_MAX - amount, nanos, REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT};
    default:
      return (rebal_quantity){amount, 1, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  }
}

static void write_amounts(struct plain_case *drawn, const struct plain_cluster *cluster) {
  rebal_fleet *fleet = drawn->world.fleet;

  (void)rebal_fleet_clear_capacity(fleet, cluster->id, NULL);
  for (size_t i = 0; i < PLAIN_RESOURCES; i++) {
    const int64_t amounts[] = {cluster->allocatable[i], cluster->allocated[i]};
    const uint32_t parts[] = {REBAL_CAPACITY_ALLOCATABLE, REBAL_CAPACITY_ALLOCATED};

    for (size_t k = 0; k < 2; k++) {
      const rebal_quantity quantity = drawn->has_odd_amounts ? odd_quantity(amounts[k]) : quantity_of(i, amounts[k]);

      if (amounts[k] >= 0) {
        (void)rebal_fleet_set_capacity(fleet, parts[k], cluster->id, drawn->handles.resources[i], &quantity, NULL);
      }
    }
  }
  (void)rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_HAS_SUMMARY, REBAL_NONE, cluster->id,
                            cluster->has_summary, NULL);
}

static void write_text(struct plain_case *drawn, const struct plain_cluster *cluster, uint32_t column, char letter,
                       uint32_t number) {
  char text[12];
  const int len = number == 0 ? 0 : snprintf(text, sizeof text, "%c%u", letter, (unsigned)number);

  (void)rebal_cells_set_text(rebal_fleet_cells(drawn->world.fleet), column, REBAL_NONE, cluster->id, text, (size_t)len,
                             NULL);
}

void plain_write_cluster(struct plain_case *drawn, struct plain_cluster *cluster, int only_amounts) {
  rebal_fleet *fleet = drawn->world.fleet;

  if (!cluster->is_present || cluster->id == REBAL_NONE) {
    (void)rebal_fleet_add_cluster(fleet, cluster->name, strlen(cluster->name), &cluster->id, NULL);
  }
  write_amounts(drawn, cluster);
  if (only_amounts) {
    return;
  }
  write_text(drawn, cluster, REBAL_CLUSTER_REGION, 'r', cluster->region);
  write_text(drawn, cluster, REBAL_CLUSTER_PROVIDER, 'p', cluster->provider);
  (void)rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_ZONES, REBAL_NONE, cluster->id,
                            drawn->handles.zones[cluster->zones], NULL);
  (void)rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_LABELS, REBAL_NONE, cluster->id,
                            drawn->handles.tiers[cluster->tier], NULL);
  (void)rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_TAINTS, REBAL_NONE, cluster->id,
                            drawn->handles.taints[cluster->taint], NULL);
  (void)rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_API_ENABLEMENTS, REBAL_NONE, cluster->id,
                            drawn->handles.apis[cluster->apis], NULL);
  (void)rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, cluster->id,
                            cluster->is_deleting, NULL);
}

uint32_t plain_target_id(const struct plain_case *drawn, const struct plain_target *target) {
  return target->cluster >= drawn->n_clusters ? drawn->outsiders[target->cluster - drawn->n_clusters]
                                              : drawn->clusters[target->cluster].id;
}

/* A target whose cluster is not in the fleet yet is left out. */
static void write_targets(struct plain_case *drawn, struct plain_binding *binding, uint32_t row) {
  rebal_bindings *bindings = drawn->world.bindings;
  size_t kept = 0;

  for (size_t i = 0; i < binding->n_targets; i++) {
    const struct plain_target target = binding->targets[i];
    const uint32_t id = plain_target_id(drawn, &target);
    uint32_t child;

    if (id == REBAL_NONE) {
      continue;
    }
    (void)rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_TARGET, row, &child, 1, NULL);
    (void)rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TARGET_CLUSTER, REBAL_NONE, child, id, NULL);
    (void)rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TARGET_REPLICAS, REBAL_NONE, child, target.replicas,
                              NULL);
    binding->targets[kept++] = target;
  }
  binding->n_targets = kept;
}

static void write_evicting(const struct plain_case *drawn, const struct plain_binding *binding, char *text,
                           size_t capacity) {
  size_t len = 0;

  text[0] = '\0';
  for (size_t i = 0; i < binding->n_evicting; i++) {
    len += (size_t)snprintf(text + len, capacity - len, "%s%s", i == 0 ? "" : " ",
                            drawn->clusters[binding->evicting[i]].name);
  }
}

void plain_write_bindings(struct plain_case *drawn) {
  rebal_bindings_free(drawn->known);
  drawn->known = drawn->world.bindings;
  (void)rebal_bindings_freeze(drawn->known, NULL); /* unless it was */
  drawn->world.bindings = test_new_bindings(&drawn->world);
  for (size_t i = 0; i < PLAIN_BINDINGS; i++) {
    struct plain_binding *binding = &drawn->bindings[i];
    char evicting[64], key[16];
    const struct test_binding table = {.key = key,
                                       .kind = binding->is_job ? "batch/v1=Job" : NULL,
                                       .uid = binding->uid,
                                       .replicas = binding->replicas,
                                       .request = binding->request->text,
                                       .placement = &binding->placement->table,
                                       .evicting = evicting,
                                       .triggered_at = binding->is_fresh ? 11 : 0,
                                       .scheduled_at = 10,
                                       .friends = binding->friends,
                                       .version = "1"};

    (void)snprintf(key, sizeof key, "default/b%u", (unsigned)i);
    write_evicting(drawn, binding, evicting, sizeof evicting);
    write_targets(drawn, binding, test_add_binding(&drawn->world, NULL, &table));
  }
}

static uint32_t number_of(const struct plain_case *drawn, int64_t id) {
  uint32_t number = 0;

  while (drawn->clusters[number].id != id) {
    number++;
  }
  return number;
}

void plain_keep_answer(struct plain_case *drawn, size_t row) {
  const rebal_result *result = drawn->world.result;
  const size_t first = (size_t)rebal_result_i64(result, REBAL_DECISION_FIRST_PLACED, NULL)[row];
  const size_t n = (size_t)rebal_result_i64(result, REBAL_DECISION_PLACED, NULL)[row];
  const int64_t *clusters = rebal_result_i64(result, REBAL_PLACED_CLUSTER, NULL);
  const int64_t *replicas = rebal_result_i64(result, REBAL_PLACED_REPLICAS, NULL);

  if (rebal_result_i64(result, REBAL_DECISION_OUTCOME, NULL)[row] != REBAL_OUTCOME_SCHEDULED) {
    return;
  }
  drawn->bindings[row].n_targets = 0;
  for (size_t i = first; i < first + n; i++) {
    drawn->bindings[row].targets[drawn->bindings[row].n_targets++] =
        (struct plain_target){number_of(drawn, clusters[i]), replicas[i]};
  }
}
