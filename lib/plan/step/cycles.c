/* SPDX-License-Identifier: MIT */
/*
 * Dependencies between bindings in full clusters: a binding that a cluster has no capacity for waits for the planned
 * bindings that are to leave the cluster. Bindings and clusters are the nodes of one graph. A binding waits if it
 * depends, perhaps through others, on one that is under way. The strongly connected components of the rest are the
 * bindings that block each other.
 */
#include "plan/step/step.h"

/* Rows by cluster: entries of cluster c are items[first[c]] to items[first[c + 1]]. */
struct lists {
  uint32_t *first;
  uint32_t *items;
};

struct graph {
  struct rebali_wave_call *call;
  uint32_t n_clusters;
  struct lists leaving; /* rows that are to leave a cluster */
  struct lists wanting; /* blocked rows that need capacity there */
  uint32_t *stack;
  size_t n_stack;
};

static int is_kept_out(const struct rebali_wave_row *row) {
  return row->state == REBAL_WAVE_STATE_BLOCKED && row->reason == REBAL_WAVE_REASON_CAPACITY;
}

static int is_leaving(const struct rebali_wave_row *row, const struct rebali_wave_cell *cell) {
  (void)row;
  return !cell->is_lost && rebali_wave_leaves(cell);
}
/* Tests whether a row needs a cluster. A row that is kept out has capacity in no cluster. */
static int is_wanting(const struct rebali_wave_row *row, const struct rebali_wave_cell *cell) {
  return is_kept_out(row) && !cell->is_lost && rebali_wave_needs(cell);
}

static int32_t make_lists(const struct graph *graph, struct lists *lists,
                          int (*belongs)(const struct rebali_wave_row *row, const struct rebali_wave_cell *cell)) {
  const struct rebali_wave_call *call = graph->call;
  size_t n = 0;

  lists->first = rebali_arena_allocate_zero(call->arena, (size_t)graph->n_clusters + 2, sizeof *lists->first);
  for (size_t i = 0; lists->first != NULL && i < call->n_rows; i++) {
    for (size_t j = 0; j < call->rows[i].n_cells; j++) {
      if (belongs(&call->rows[i], &call->rows[i].cells[j])) {
        lists->first[call->rows[i].cells[j].cluster + 2]++;
        n++;
      }
    }
  }
  lists->items = rebali_arena_allocate(call->arena, n, sizeof *lists->items);
  if (lists->first == NULL || lists->items == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t c = 0; c < graph->n_clusters; c++) {
    lists->first[c + 2] += lists->first[c + 1];
  }
  for (size_t i = 0; i < call->n_rows; i++) {
    for (size_t j = 0; j < call->rows[i].n_cells; j++) {
      if (belongs(&call->rows[i], &call->rows[i].cells[j])) {
        lists->items[lists->first[call->rows[i].cells[j].cluster + 1]++] = (uint32_t)i;
      }
    }
  }
  return REBAL_OK;
}

/* ---- dependencies on what is under way --------------------------------------------------------------------------- */

static void wake_cluster(struct graph *graph, uint32_t cluster) {
  struct rebali_wave_row *rows = graph->call->rows;

  for (uint32_t i = graph->wanting.first[cluster]; i < graph->wanting.first[cluster + 1]; i++) {
    struct rebali_wave_row *row = &rows[graph->wanting.items[i]];

    if (row->state == REBAL_WAVE_STATE_BLOCKED) {
      row->state = REBAL_WAVE_STATE_WAITING;
      row->cluster = cluster;
      graph->stack[graph->n_stack++] = graph->wanting.items[i];
    }
  }
}

static int is_going(const struct rebali_wave_row *row) {
  return row->state == REBAL_WAVE_STATE_MOVING || row->state == REBAL_WAVE_STATE_WAITING;
}

/*
 * Wakes the rows that wait for this one. It frees capacity in a cluster if it is under way and leaves the cluster, or
 * if the member still has to stop surplus replicas.
 */
static void wake_followers(struct graph *graph, const struct rebali_wave_row *row) {
  for (size_t i = 0; i < row->n_cells; i++) {
    const struct rebali_wave_cell *cell = &row->cells[i];
    int64_t left_ns;

    if ((is_going(row) && is_leaving(row, cell)) ||
        (cell->reported > cell->present && rebali_wave_is_under_way(graph->call, cell, &left_ns))) {
      wake_cluster(graph, cell->cluster);
    }
  }
}

static void wake_all(struct graph *graph) {
  struct rebali_wave_call *call = graph->call;

  for (size_t i = 0; i < call->n_others; i++) {
    wake_followers(graph, &call->others[i]);
  }
  for (size_t i = 0; i < call->n_rows; i++) {
    wake_followers(graph, &call->rows[i]);
  }
  while (graph->n_stack > 0) {
    wake_followers(graph, &call->rows[graph->stack[--graph->n_stack]]);
  }
}

/* ---- cycles: Tarjan's algorithm with an explicit stack, rows first, then clusters -------------------------------- */

struct visit {
  uint32_t index;  /* from 1; 0: not visited */
  uint32_t low;    /* smallest index that it reaches */
  uint32_t cursor; /* next cell of a row, or entry of a cluster's list */
  uint32_t is_open;
};

struct search {
  struct graph *graph;
  struct visit *visits;
  uint32_t *path, *open;
  size_t n_path, n_open;
  uint32_t n_visited;
};

/* Returns the next neighbour of a node, or REBAL_NONE after the last one. */
static uint32_t next_of(struct search *search, uint32_t node) {
  const struct rebali_wave_call *call = search->graph->call;
  const struct lists *leaving = &search->graph->leaving;
  struct visit *visit = &search->visits[node];

  if (node < call->n_rows) {
    const struct rebali_wave_row *row = &call->rows[node];

    while (visit->cursor < row->n_cells) {
      const struct rebali_wave_cell *cell = &row->cells[visit->cursor++];

      if (is_wanting(row, cell)) {
        return (uint32_t)call->n_rows + cell->cluster;
      }
    }
    return REBAL_NONE;
  }
  while (visit->cursor < leaving->first[node - call->n_rows + 1] - leaving->first[node - call->n_rows]) {
    const uint32_t row = leaving->items[leaving->first[node - call->n_rows] + visit->cursor++];

    if (is_kept_out(&call->rows[row])) {
      return row;
    }
  }
  return REBAL_NONE;
}

static void enter(struct search *search, uint32_t node) {
  search->visits[node] = (struct visit){++search->n_visited, search->n_visited, 0, 1};
  search->path[search->n_path++] = node;
  search->open[search->n_open++] = node;
}

/* Closes a component. If it has several rows, their cycle is the first of them. */
static void close(struct search *search, uint32_t root) {
  struct rebali_wave_call *call = search->graph->call;
  size_t from = search->n_open, n_rows = 0;
  uint32_t first = REBAL_NONE;

  do {
    const uint32_t node = search->open[--from];

    search->visits[node].is_open = 0;
    if (node < call->n_rows) {
      first = node < first ? node : first;
      n_rows++;
    }
  } while (search->open[from] != root);
  for (size_t i = from; n_rows > 1 && i < search->n_open; i++) {
    if (search->open[i] < call->n_rows) {
      call->rows[search->open[i]].cycle = first;
    }
  }
  search->n_open = from;
}

static void search_from(struct search *search, uint32_t start) {
  enter(search, start);
  while (search->n_path > 0) {
    const uint32_t node = search->path[search->n_path - 1];
    const uint32_t next = next_of(search, node);
    struct visit *visit = &search->visits[node];

    if (next != REBAL_NONE && search->visits[next].index == 0) {
      enter(search, next);
    } else if (next != REBAL_NONE) {
      visit->low = search->visits[next].is_open && search->visits[next].index < visit->low ? search->visits[next].index
                                                                                           : visit->low;
    } else {
      search->n_path--;
      if (visit->low == visit->index) {
        close(search, node);
      } else { /* not the start: that has the smallest index of its component */
        struct visit *above = &search->visits[search->path[search->n_path - 1]];

        above->low = visit->low < above->low ? visit->low : above->low;
      }
    }
  }
}

static int32_t find_cycles(struct graph *graph) {
  struct rebali_wave_call *call = graph->call;
  const size_t n = call->n_rows + graph->n_clusters;
  struct search search = {.graph = graph};

  search.visits = rebali_arena_allocate_zero(call->arena, n, sizeof *search.visits);
  search.path = rebali_arena_allocate(call->arena, n, sizeof *search.path);
  search.open = rebali_arena_allocate(call->arena, n, sizeof *search.open);
  if (search.visits == NULL || search.path == NULL || search.open == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < call->n_rows; i++) {
    if (is_kept_out(&call->rows[i]) && search.visits[i].index == 0) {
      search_from(&search, (uint32_t)i);
    }
  }
  return REBAL_OK;
}

int32_t rebali_wave_settle(struct rebali_wave_call *call) {
  struct graph graph = {.call = call, .n_clusters = rebali_snapshot_rows(call->every.snapshot)};
  size_t n = 0;

  for (size_t i = 0; i < call->n_rows; i++) {
    n += is_kept_out(&call->rows[i]) ? 1 : 0;
  }
  if (n == 0) {
    return REBAL_OK;
  }
  graph.stack = rebali_arena_allocate(call->arena, call->n_rows, sizeof *graph.stack);
  if (graph.stack == NULL || make_lists(&graph, &graph.leaving, is_leaving) != REBAL_OK ||
      make_lists(&graph, &graph.wanting, is_wanting) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  wake_all(&graph);
  return find_cycles(&graph);
}
