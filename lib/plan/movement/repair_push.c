/* SPDX-License-Identifier: MIT */
/*
 * A blocking flow over arcs that go down one level and whose cost is the difference of prices. An arc is retried only
 * while it leads on (Dinitz).
 */
#include "plan/movement/movement.h"

struct walk {
  struct rebali_repair *repair;
  size_t source;
  size_t at; /* the last node */
  size_t n;  /* arcs on the path */
};

static int is_cluster(const struct walk *walk) {
  return walk->at < walk->repair->movement->n_clusters;
}

static size_t node_of(const struct rebali_movement *movement, uint32_t binding) {
  return movement->n_clusters + binding;
}

static size_t last_arc(const struct walk *walk) {
  const struct rebali_repair *repair = walk->repair;

  return is_cluster(walk) ? repair->column_offsets[walk->at + 1]
                          : (size_t)repair->movement->problem.offsets[walk->at - repair->movement->n_clusters + 1];
}

/* Tests whether the pair leads from the last node to one a level lower, along a shortest path; sets *to. */
static int leads_on(const struct walk *walk, uint32_t index, size_t *to) {
  const struct rebali_repair *repair = walk->repair;
  const struct rebali_movement *movement = repair->movement;
  const struct rebali_movement_pair *pair = &movement->pairs[index];
  const int from_cluster = is_cluster(walk);
  struct rebali_repair_capacity capacity;

  *to = from_cluster ? node_of(movement, pair->binding) : movement->problem.clusters[index];
  if (repair->nodes[*to].level + 1 != repair->nodes[walk->at].level) {
    return 0;
  }
  capacity = from_cluster ? rebali_repair_out_of(pair, rebali_movement_weight(movement, pair->binding))
                          : rebali_repair_into(pair, rebali_movement_weight(movement, pair->binding));
  return capacity.count > 0 && capacity.cost + movement->prices[*to] == movement->prices[walk->at];
}

/* Follows one arc. Returns 0 if the last node has no arc left. */
static int step(struct walk *walk) {
  struct rebali_repair *repair = walk->repair;
  uint32_t *next = &repair->next[walk->at];
  const size_t end = last_arc(walk);

  for (; *next < end; (*next)++) {
    const uint32_t index = is_cluster(walk) ? repair->columns[*next].pair : *next;
    size_t to;

    if (leads_on(walk, index, &to)) {
      repair->path[walk->n++] = index;
      walk->at = to;
      return 1;
    }
  }
  return 0;
}

/* Tests whether an arc of the path goes from a cluster to a binding. Arcs alternate. */
static int is_out(const struct walk *walk, size_t arc) {
  return (walk->source < walk->repair->movement->n_clusters) == (arc % 2 == 0);
}

static int64_t capacity_on(const struct walk *walk, size_t arc) {
  const struct rebali_movement_pair *pair = &walk->repair->movement->pairs[walk->repair->path[arc]];

  return (is_out(walk, arc) ? rebali_repair_out_of(pair, 0) : rebali_repair_into(pair, 0)).count;
}

/* Returns the node from which an arc of the path starts. */
static size_t tail_of(const struct walk *walk, size_t arc) {
  const struct rebali_movement *movement = walk->repair->movement;
  const uint32_t index = walk->repair->path[arc];

  return is_out(walk, arc) ? movement->problem.clusters[index] : node_of(movement, movement->pairs[index].binding);
}

static int64_t smaller(int64_t left, int64_t right) {
  return left < right ? left : right;
}

static void change_node(struct rebali_movement *movement, size_t node, int64_t count) {
  if (node >= movement->n_clusters) {
    movement->waiting[node - movement->n_clusters] += count;
  } else if (movement->left[node] != INT64_MAX) {
    movement->left[node] -= count;
  }
}

static int64_t capacity_of_path(const struct walk *walk) {
  const struct rebali_movement *movement = walk->repair->movement;
  int64_t count = rebali_repair_excess(movement, walk->source);

  if (is_cluster(walk)) {
    count = smaller(count, movement->left[walk->at]);
  }
  for (size_t arc = 0; arc < walk->n; arc++) {
    count = smaller(count, capacity_on(walk, arc));
  }
  return count;
}

/* Returns to the start of the first arc that no longer leads on; does nothing if all do. */
static void go_back(struct walk *walk) {
  struct walk before = *walk;

  for (before.n = 0; before.n < walk->n; before.n++) {
    size_t to;

    before.at = tail_of(walk, before.n);
    if (!leads_on(&before, walk->repair->path[before.n], &to)) {
      *walk = before;
      return;
    }
  }
}

/* Moves as many replicas as fit along the whole path. */
static void push(struct walk *walk) {
  struct rebali_movement *movement = walk->repair->movement;
  const int64_t count = capacity_of_path(walk);

  change_node(movement, walk->source, -count);
  if (is_cluster(walk)) {
    change_node(movement, walk->at, count);
  }
  for (size_t arc = 0; arc < walk->n; arc++) {
    movement->pairs[walk->repair->path[arc]].planned += (int32_t)(is_out(walk, arc) ? -count : count);
  }
  go_back(walk);
}

static int is_at_sink(const struct walk *walk) {
  const struct rebali_repair *repair = walk->repair;

  return repair->nodes[walk->at].level == 1 && (!is_cluster(walk) || repair->movement->left[walk->at] > 0);
}

static void push_from(struct rebali_repair *repair, size_t source) {
  struct walk walk = {repair, source, source, 0};

  while (rebali_repair_excess(repair->movement, source) > 0) {
    if (is_at_sink(&walk)) {
      push(&walk);
    } else if (repair->nodes[walk.at].level == 1 || !step(&walk)) {
      if (walk.n == 0) {
        return;
      }
      walk.n--;
      walk.at = tail_of(&walk, walk.n);
      repair->next[walk.at]++;
    }
  }
}

void rebali_repair_push(struct rebali_repair *repair) {
  const struct rebali_movement *movement = repair->movement;

  for (size_t node = 0; node < movement->n_clusters; node++) {
    repair->next[node] = repair->column_offsets[node];
  }
  for (size_t binding = 0; binding < movement->n_bindings; binding++) {
    repair->next[movement->n_clusters + binding] = (uint32_t)movement->problem.offsets[binding];
  }
  for (size_t node = 0; node < repair->n_nodes; node++) {
    if (repair->nodes[node].level != REBALI_NONE && rebali_repair_excess(movement, node) > 0) {
      push_from(repair, node);
    }
  }
}
