/* SPDX-License-Identifier: MIT */
/* The order in which pods are packed onto nodes (rebalance-karmada(7) 6.5.3): one node of each zone in turn. */
#include "fleet/nodes.h"

struct place {
  uint32_t row;
  uint32_t sequence;
  struct rebali_zone zone;
  uint32_t turn;  /* number of earlier nodes in the zone */
  uint32_t group; /* sequence of the zone's first node */
};

static int by_number(uint32_t left, uint32_t right) {
  return left < right ? -1 : left > right;
}

static int by_zone(const void *left, const void *right, const void *context) {
  const struct place *one = left;
  const struct place *other = right;
  const int regions = by_number(one->zone.region, other->zone.region);
  const int zones = regions != 0 ? regions : by_number(one->zone.zone, other->zone.zone);

  (void)context;
  return zones != 0 ? zones : by_number(one->sequence, other->sequence);
}

static int by_turn(const void *left, const void *right, const void *context) {
  const struct place *one = left;
  const struct place *other = right;
  const int turns = by_number(one->turn, other->turn);

  (void)context;
  return turns != 0 ? turns : by_number(one->group, other->group);
}

/* Returns the value of the first of two keys that the node has. */
static uint32_t value_of(const rebal_fleet *fleet, const struct rebali_node_table *table, uint32_t node,
                         struct rebali_text older, struct rebali_text newer) {
  const struct rebali_text keys[2] = {older, newer};

  for (size_t i = 0; i < REBALI_COUNT(keys); i++) {
    const uint32_t key = rebali_intern_find(fleet->store->texts, keys[i].bytes, keys[i].len);
    const struct rebali_value_leaf *leaf = rebali_nodes_values(table, key, node / REBALI_NODES);
    const uint32_t value = leaf == NULL ? REBAL_NONE : leaf->values[node % REBALI_NODES];

    if (value != REBAL_NONE) {
      return rebali_intern_get(fleet->store->texts, value).len == 0 ? REBAL_NONE : value;
    }
  }
  return REBAL_NONE;
}

struct rebali_zone rebali_nodes_zone(const rebal_fleet *fleet, const struct rebali_node_table *table, uint32_t node) {
  return (struct rebali_zone){
      value_of(fleet, table, node, REBALI_TEXT("failure-domain.beta.kubernetes.io/region"),
               REBALI_TEXT("topology.kubernetes.io/region")),
      value_of(fleet, table, node, REBALI_TEXT("failure-domain.beta.kubernetes.io/zone"),
               REBALI_TEXT("topology.kubernetes.io/zone")),
  };
}

int32_t rebali_node_may_move(const struct rebali_node_change *change, rebal_error *err) {
  rebal_fleet *fleet = change->fleet;

  if (change->table->next_sequence == UINT32_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many nodes came to the cluster");
  }
  return rebali_reserve(&fleet->store->allocator, &fleet->unordered, &fleet->unordered_capacity, fleet->n_unordered + 1,
                        sizeof *fleet->unordered) == REBAL_OK
             ? REBAL_OK
             : rebali_fail_memory(err);
}

void rebali_nodes_disorder(const struct rebali_node_change *change) {
  if (!change->table->is_unordered) {
    change->fleet->unordered[change->fleet->n_unordered++] = change->cluster;
    change->table->is_unordered = 1;
  }
}

void rebali_node_come_last(const struct rebali_node_change *change) {
  change->leaf->sequence[rebali_node_place(change)] = change->table->next_sequence++;
  rebali_nodes_disorder(change);
}

/* A node without a zone keeps its position when it gets its first zone: nodes are added before their labels. */
void rebali_node_moved(const struct rebali_node_change *change, struct rebali_zone from) {
  const struct rebali_zone to = rebali_nodes_zone(change->fleet, change->table, change->node);

  if (from.region == to.region && from.zone == to.zone) {
    return;
  }
  if (from.region == REBAL_NONE && from.zone == REBAL_NONE) {
    rebali_nodes_disorder(change);
  } else {
    rebali_node_come_last(change);
  }
}

static uint32_t list_places(const rebal_fleet *fleet, const struct rebali_node_table *table, struct place *places) {
  uint32_t n = 0;

  for (uint32_t row = 0; row < table->rows; row++) {
    if (rebali_nodes_present(table, row)) {
      places[n++] = (struct place){row, rebali_nodes_leaf(table, row / REBALI_NODES)->sequence[row % REBALI_NODES],
                                   rebali_nodes_zone(fleet, table, row), 0, 0};
    }
  }
  return n;
}

/* The places must be sorted by zone. */
static void take_turns(struct place *places, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const struct place *before = i == 0 ? NULL : &places[i - 1];
    const int goes_on =
        before != NULL && before->zone.region == places[i].zone.region && before->zone.zone == places[i].zone.zone;

    places[i].turn = goes_on ? before->turn + 1 : 0;
    places[i].group = goes_on ? before->group : places[i].sequence;
  }
}

static int32_t order_table(const rebal_fleet *fleet, struct rebali_node_table *table) {
  const rebal_allocator *allocator = &fleet->store->allocator;
  struct rebali_order *order = rebali_order_reserve(allocator, table->rows);
  struct place *places = rebali_allocate(allocator, table->rows, 2 * sizeof *places); /* half is for sorting */
  uint32_t n;

  if (order == NULL || places == NULL) {
    rebali_order_unref(allocator, order);
    rebali_release(allocator, places);
    return REBAL_ENOMEM;
  }
  n = list_places(fleet, table, places);
  rebali_sort(places, n, sizeof *places, places + table->rows, by_zone, NULL);
  take_turns(places, n);
  rebali_sort(places, n, sizeof *places, places + table->rows, by_turn, NULL);
  for (uint32_t i = 0; i < n; i++) {
    order->ids[i] = places[i].row;
  }
  order->n = n;
  rebali_release(allocator, places);
  rebali_order_unref(allocator, table->order);
  table->order = order;
  table->is_unordered = 0;
  return REBAL_OK;
}

int32_t rebali_fleet_order_nodes(rebal_fleet *fleet) {
  while (fleet->n_unordered != 0) {
    const uint32_t cluster = fleet->unordered[fleet->n_unordered - 1];
    const struct rebali_node_table *seen = rebali_state_nodes(&fleet->state, cluster);

    /*
     * The table may be gone or replaced by one that is ordered. One that is not has changed since the last snapshot, so
     * no snapshot shares it or its leaf, and the call only returns it.
     */
    if (seen != NULL && seen->is_unordered && order_table(fleet, rebali_fleet_nodes(fleet, cluster)) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    fleet->n_unordered--;
  }
  return REBAL_OK;
}
