/* SPDX-License-Identifier: MIT */
/*
 * Dijkstra's search from the sink against the arcs; prices make all costs at least 0. Nodes at the current distance
 * wait in a queue, by level, all others in a heap.
 */
#include "plan/movement/movement.h"

/* ---- heap: by distance, then level; the order of equal ones does not matter to the answer ----------------------- */

static int comes_before(const struct rebali_repair *repair, uint32_t left, uint32_t right) {
  const struct rebali_repair_node *a = &repair->nodes[left], *b = &repair->nodes[right];

  return a->distance != b->distance ? a->distance < b->distance : a->level < b->level;
}

static void put(struct rebali_repair *repair, size_t place, uint32_t node) {
  repair->heap[place] = node;
  repair->nodes[node].place = (uint32_t)place;
}

static void rise(struct rebali_repair *repair, size_t place) {
  const uint32_t node = repair->heap[place];

  while (place > 0 && comes_before(repair, node, repair->heap[(place - 1) / 2])) {
    put(repair, place, repair->heap[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(repair, place, node);
}

static void sink(struct rebali_repair *repair, size_t place) {
  const uint32_t node = repair->heap[place];

  for (size_t child = 2 * place + 1; child < repair->n_heap; child = 2 * place + 1) {
    child += child + 1 < repair->n_heap && comes_before(repair, repair->heap[child + 1], repair->heap[child]);
    if (!comes_before(repair, repair->heap[child], node)) {
      break;
    }
    put(repair, place, repair->heap[child]);
    place = child;
  }
  put(repair, place, node);
}

static void heap_remove(struct rebali_repair *repair, size_t place) {
  repair->nodes[repair->heap[place]].place = REBALI_NONE;
  repair->n_heap--;
  if (place < repair->n_heap) {
    put(repair, place, repair->heap[repair->n_heap]);
    rise(repair, place);
    sink(repair, repair->nodes[repair->heap[place]].place);
  }
}

/* Inserts the node, or moves it up; if it is in the heap, its distance or level was greater. */
static void heap_put(struct rebali_repair *repair, uint32_t node) {
  if (repair->nodes[node].place == REBALI_NONE) {
    put(repair, repair->n_heap, node);
    repair->n_heap++;
  }
  rise(repair, repair->nodes[node].place);
}

/* ---- search ------------------------------------------------------------------------------------------------------ */

static int64_t smaller(int64_t left, int64_t right) {
  return left < right ? left : right;
}

struct search {
  struct rebali_repair *repair;
  int64_t distance; /* reached so far */
  size_t head;      /* of the queue */
  size_t n_wanted;  /* nodes with an excess that are not settled yet */
  int64_t give_up;  /* distance at which the first binding gives up replicas; INT64_MAX: none is left to reach */
};

static void reach(struct search *search, uint32_t node, int64_t distance, uint32_t level) {
  struct rebali_repair *repair = search->repair;
  struct rebali_repair_node *to = &repair->nodes[node];

  if (distance > to->distance || (distance == to->distance && level >= to->level)) {
    return;
  }
  to->distance = distance;
  to->level = level;
  if (distance > search->distance) {
    heap_put(repair, node);
    return;
  }
  if (to->place != REBALI_NONE) {
    heap_remove(repair, to->place);
  }
  repair->queue[repair->n_queue++] = node;
}

/* Tests whether no arc from one node can shorten the path of the other. Costs are at least 0. This skips most pairs. */
static int is_near(const struct rebali_repair_node *node, const struct rebali_repair_node *from) {
  return node->distance < from->distance || (node->distance == from->distance && node->level <= from->level + 1);
}

/* Reaches bindings that could place a replica in the cluster. */
static void reach_from_cluster(struct search *search, uint32_t cluster) {
  const struct rebali_repair *repair = search->repair;
  const struct rebali_movement *movement = repair->movement;
  const struct rebali_repair_node from = repair->nodes[cluster];

  for (uint32_t at = repair->column_offsets[cluster]; at < repair->column_offsets[cluster + 1]; at++) {
    const struct rebali_repair_arc *arc = &repair->columns[at];
    const uint32_t node = (uint32_t)movement->n_clusters + arc->binding;
    const struct rebali_movement_pair *pair = &movement->pairs[arc->pair];

    if (!is_near(&repair->nodes[node], &from) && pair->planned < pair->most) {
      const int64_t cost = rebali_repair_into(pair, rebali_movement_weight(movement, arc->binding)).cost;

      reach(search, node, from.distance + cost + movement->prices[cluster] - movement->prices[node], from.level + 1);
    }
  }
}

/* Reaches clusters that could return a replica to the binding. */
static void reach_from_binding(struct search *search, uint32_t node) {
  const struct rebali_repair *repair = search->repair;
  const struct rebali_movement *movement = repair->movement;
  const size_t binding = node - movement->n_clusters;
  const int64_t weight = rebali_movement_weight(movement, binding);
  const struct rebali_repair_node from = repair->nodes[node];

  for (size_t at = (size_t)movement->problem.offsets[binding]; at < movement->problem.offsets[binding + 1]; at++) {
    const struct rebali_movement_pair *pair = &movement->pairs[at];
    const uint32_t cluster = movement->problem.clusters[at];

    if (!is_near(&repair->nodes[cluster], &from) && pair->planned > 0) {
      const int64_t cost = rebali_repair_out_of(pair, weight).cost;

      reach(search, cluster, from.distance + cost + movement->prices[node] - movement->prices[cluster], from.level + 1);
    }
  }
}

/*
 * Few searches get to the cost at which a binding gives up replicas, so these arcs are relaxed only then: all at once,
 * before the first node at that distance.
 */
static void reach_by_giving_up(struct search *search) {
  struct rebali_repair *repair = search->repair;
  const struct rebali_movement *movement = repair->movement;
  const int64_t distance = search->head < repair->n_queue ? search->distance
                           : repair->n_heap > 0           ? repair->nodes[repair->heap[0]].distance
                                                          : INT64_MAX;

  if (search->give_up > distance) {
    return;
  }
  search->give_up = INT64_MAX;
  for (uint32_t node = (uint32_t)movement->n_clusters; node < repair->n_nodes; node++) {
    if (!rebali_bit_get(repair->settled, node)) {
      reach(search, node, movement->unplaced_cost - movement->prices[node], 1);
    }
  }
}

/*
 * Takes the next node by distance and level. While a node with an excess is not settled there is one: each binding can
 * give up replicas, and a cluster over capacity has replicas of bindings.
 */
static uint32_t take(struct search *search) {
  struct rebali_repair *repair = search->repair;
  uint32_t first;

  reach_by_giving_up(search);
  first = repair->heap[0];
  if (search->head < repair->n_queue &&
      (repair->n_heap == 0 || !comes_before(repair, first, repair->queue[search->head]))) {
    return repair->queue[search->head++];
  }
  search->distance = repair->nodes[first].distance;
  heap_remove(repair, 0);
  return first;
}

static void settle_all(struct search *search) {
  struct rebali_repair *repair = search->repair;

  while (search->n_wanted > 0) {
    const uint32_t node = take(search);

    rebali_bit_set(repair->settled, node, 1);
    search->n_wanted -= rebali_repair_excess(repair->movement, node) > 0;
    if (node < repair->movement->n_clusters) {
      reach_from_cluster(search, node);
    } else {
      reach_from_binding(search, node);
    }
  }
}

static void begin(struct search *search) {
  struct rebali_repair *repair = search->repair;
  const struct rebali_movement *movement = repair->movement;

  memset(repair->settled, 0, REBALI_BITSET_WORDS(repair->n_nodes) * sizeof *repair->settled);
  repair->n_queue = repair->n_heap = 0;
  for (uint32_t node = 0; node < repair->n_nodes; node++) {
    repair->nodes[node] = (struct rebali_repair_node){INT64_MAX, REBALI_NONE, REBALI_NONE};
    search->n_wanted += rebali_repair_excess(movement, node) > 0;
    if (node >= movement->n_clusters) {
      search->give_up = smaller(search->give_up, movement->unplaced_cost - movement->prices[node]);
    }
  }
  for (uint32_t cluster = 0; cluster < movement->n_clusters; cluster++) {
    if (movement->left[cluster] > 0) {
      reach(search, cluster, 0, 1); /* its price is 0 while capacity is left */
    }
  }
}

/*
 * Unsettled nodes are at least as far away as the last settled one. No path costs twice the unplaced cost. Only
 * clusters that can hold nothing have no path, so their prices stop there.
 */
static void raise_prices(struct rebali_repair *repair, int64_t furthest) {
  struct rebali_movement *movement = repair->movement;

  for (size_t node = 0; node < repair->n_nodes; node++) {
    int64_t *price = &movement->prices[node];

    if (rebali_bit_get(repair->settled, node)) {
      *price += repair->nodes[node].distance;
    } else {
      *price = smaller(*price + furthest, 2 * movement->unplaced_cost);
      repair->nodes[node].level = REBALI_NONE;
    }
  }
}

int rebali_repair_search(struct rebali_repair *repair) {
  struct search search = {repair, 0, 0, 0, INT64_MAX};

  begin(&search);
  if (search.n_wanted == 0) {
    return 0;
  }
  settle_all(&search);
  raise_prices(repair, search.distance);
  return 1;
}
