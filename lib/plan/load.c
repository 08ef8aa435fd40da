/* SPDX-License-Identifier: MIT */
/*
 * Loads a plan from bytes. Bytes that no plan could produce are malformed, so calls read a loaded plan without further
 * checks.
 */
#include "plan/saved.h"

static struct rebali_plan_loading *of(struct rebali_loading *bytes) {
  return (struct rebali_plan_loading *)bytes;
}

int32_t rebali_plan_load_begin(struct rebali_plan_loading *loading, uint32_t kind, rebal_error *err) {
  const uint32_t *about = loading->bytes.about;

  if (kind != loading->last + 1 || (about[0] | about[1] | about[2]) != 0) {
    return rebali_load_malformed(&loading->bytes, "a section is not in its place", err);
  }
  loading->last = kind;
  return REBAL_OK;
}

int32_t rebali_plan_load_integers(struct rebali_plan_loading *loading, size_t n, int64_t least, int64_t most,
                                  rebal_error *err) {
  struct rebali_loading *bytes = &loading->bytes;
  int32_t code;

  if (rebali_reserve(bytes->allocator, &bytes->values, &bytes->values_capacity, n + 1, sizeof *bytes->values) !=
      REBAL_OK) {
    return rebali_fail_memory(err);
  }
  code = rebali_load_integers(bytes, bytes->values, n, err);
  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    if (bytes->values[i] < least || bytes->values[i] > most) {
      code = rebali_load_malformed(bytes, "a number is out of its range", err);
    }
  }
  return code;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static int32_t load_plan(struct rebali_loading *bytes, rebal_error *err) {
  rebal_plan *plan = of(bytes)->plan;
  uint32_t mode = 0;
  uint64_t deadline = 0;
  int32_t code = rebali_plan_load_begin(of(bytes), REBALI_SAVED_PLAN_PLAN, err);

  code = code == REBAL_OK ? rebali_load_u32(bytes, &mode, err) : code;
  code = code == REBAL_OK ? rebali_load_u64(bytes, &plan->inputs.high, err) : code;
  code = code == REBAL_OK ? rebali_load_u64(bytes, &plan->inputs.low, err) : code;
  code = code == REBAL_OK ? rebali_load_time(bytes, &plan->now, err) : code;
  code = code == REBAL_OK ? rebali_load_u64(bytes, &deadline, err) : code;
  code = code == REBAL_OK ? rebali_time_check(&plan->now, -1, err) : code;
  if (code == REBAL_OK && (mode > REBAL_PLAN_MODE_LEAST || deadline == 0 || deadline > INT64_MAX)) {
    code = rebali_load_malformed(bytes, "the mode or the deadline is out of range", err);
  }
  plan->mode = (int32_t)mode;
  plan->progress_deadline_ns = (int64_t)deadline;
  return code;
}

static int32_t load_clusters(struct rebali_loading *bytes, rebal_error *err) {
  struct rebali_plan_loading *loading = of(bytes);
  int32_t code = rebali_plan_load_begin(loading, REBALI_SAVED_PLAN_CLUSTERS, err);

  code = code == REBAL_OK ? rebali_load_count(bytes, sizeof(uint32_t), &loading->n_names, err) : code;
  if (code != REBAL_OK) {
    return code;
  }
  loading->names = rebali_allocate_zero(bytes->allocator, (size_t)loading->n_names + 1, sizeof *loading->names);
  if (loading->names == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t i = 0; i < loading->n_names && code == REBAL_OK; i++) {
    code = rebali_load_text(bytes, &loading->names[i], err);
    if (code == REBAL_OK &&
        rebali_text_compare(i == 0 ? REBALI_TEXT("") : loading->names[i - 1], loading->names[i]) >= 0) {
      code = rebali_load_malformed(bytes, "the names of the clusters do not ascend", err);
    }
  }
  return code;
}

/*
 * Begins a section of n structures, each of at least the given number of bytes. Returns a new array for them, or before
 * if it fails.
 */
static void *begin(struct rebali_plan_loading *loading, uint32_t kind, size_t each, size_t size, void *before,
                   size_t *n_out, int32_t *code, rebal_error *err) {
  uint32_t n = 0;
  void *items;

  *code = rebali_plan_load_begin(loading, kind, err);
  *code = *code == REBAL_OK ? rebali_load_count(&loading->bytes, each, &n, err) : *code;
  if (*code != REBAL_OK) {
    return before; /* not NULL if the section occurs twice */
  }
  items = rebali_allocate_zero(loading->bytes.allocator, (size_t)n + 1, size);
  *code = items == NULL ? rebali_fail_memory(err) : REBAL_OK;
  *n_out = items == NULL ? 0 : n;
  return items;
}

static int32_t load_numbers(struct rebali_plan_loading *loading, const struct rebali_saved_struct *saved, void *items,
                            size_t n, rebal_error *err) {
  int32_t code = REBAL_OK;

  for (size_t k = 0; k < saved->n && code == REBAL_OK; k++) {
    const struct rebali_saved_number *number = &saved->numbers[k];
    const int64_t most = number->type == REBALI_SAVED_CLUSTER ? (int64_t)loading->n_names - 1 : number->most;

    code = rebali_plan_load_integers(loading, n, number->least, most, err);
    for (size_t i = 0; i < n && code == REBAL_OK; i++) {
      rebali_saved_set(number, (unsigned char *)items + i * saved->size, loading->bytes.values[i]);
    }
  }
  return code;
}

static int32_t load_text(struct rebali_plan_loading *loading, struct rebali_text *out, rebal_error *err) {
  struct rebali_text text;
  const int32_t code = rebali_load_text(&loading->bytes, &text, err);

  if (code == REBAL_OK) {
    *out = rebali_arena_text(&loading->plan->arena, text);
  }
  return code == REBAL_OK && out->bytes == NULL ? rebali_fail_memory(err) : code;
}

static int32_t load_limits(struct rebali_loading *bytes, rebal_error *err) {
  rebal_plan *plan = of(bytes)->plan;
  int32_t code;

  plan->limits = begin(of(bytes), REBALI_SAVED_PLAN_LIMITS, sizeof(uint32_t), sizeof *plan->limits, plan->limits,
                       &plan->n_limits, &code, err);
  for (size_t i = 0; i < plan->n_limits && code == REBAL_OK; i++) {
    code = load_text(of(bytes), &plan->limits[i].subject, err);
  }
  code = code == REBAL_OK ? load_numbers(of(bytes), &rebali_saved_limit, plan->limits, plan->n_limits, err) : code;
  for (size_t i = 0; i < plan->n_limits && code == REBAL_OK; i++) {
    const struct rebali_plan_limit *limit = &plan->limits[i];

    if ((limit->tokens < 0 && limit->tokens != REBAL_ABSENT) ||
        (limit->tokens == REBAL_ABSENT) != !limit->tokens_at.is_set) {
      code = rebali_load_malformed(bytes, "a limit has no such tokens", err);
    } else if (limit->tokens_at.is_set) {
      code = rebali_time_check(&limit->tokens_at, -1, err);
    }
  }
  return code;
}

static int32_t load_rows(struct rebali_loading *bytes, rebal_error *err) {
  rebal_plan *plan = of(bytes)->plan;
  int32_t code;

  plan->rows = begin(of(bytes), REBALI_SAVED_PLAN_ROWS, 4 * sizeof(uint32_t), sizeof *plan->rows, plan->rows,
                     &plan->n_rows, &code, err);
  for (size_t i = 0; i < plan->n_rows && code == REBAL_OK; i++) {
    struct rebali_plan_row *row = &plan->rows[i];

    code = load_text(of(bytes), &row->namespace_, err);
    code = code == REBAL_OK ? load_text(of(bytes), &row->name, err) : code;
    code = code == REBAL_OK ? load_text(of(bytes), &row->uid, err) : code;
    code = code == REBAL_OK ? load_text(of(bytes), &row->message, err) : code;
  }
  return code == REBAL_OK ? load_numbers(of(bytes), &rebali_saved_row, plan->rows, plan->n_rows, err) : code;
}

static int32_t load_cells(struct rebali_loading *bytes, rebal_error *err) {
  rebal_plan *plan = of(bytes)->plan;
  int32_t code;

  plan->cells = begin(of(bytes), REBALI_SAVED_PLAN_CELLS, rebali_saved_cell.n, sizeof *plan->cells, plan->cells,
                      &plan->n_cells, &code, err);
  return code == REBAL_OK ? load_numbers(of(bytes), &rebali_saved_cell, plan->cells, plan->n_cells, err) : code;
}

static int32_t load_moves(struct rebali_loading *bytes, rebal_error *err) {
  rebal_plan *plan = of(bytes)->plan;
  int32_t code;

  plan->moves = begin(of(bytes), REBALI_SAVED_PLAN_MOVES, rebali_saved_move.n, sizeof *plan->moves, plan->moves,
                      &plan->n_moves, &code, err);
  return code == REBAL_OK ? load_numbers(of(bytes), &rebali_saved_move, plan->moves, plan->n_moves, err) : code;
}

static int32_t load_uses(struct rebali_loading *bytes, rebal_error *err) {
  rebal_plan *plan = of(bytes)->plan;
  int32_t code;

  plan->uses = begin(of(bytes), REBALI_SAVED_PLAN_USES, sizeof(uint32_t), sizeof *plan->uses, plan->uses, &plan->n_uses,
                     &code, err);
  for (size_t i = 0; i < plan->n_uses && code == REBAL_OK; i++) {
    code = load_text(of(bytes), &plan->uses[i].subject, err);
  }
  code = code == REBAL_OK ? load_numbers(of(bytes), &rebali_saved_use, plan->uses, plan->n_uses, err) : code;
  for (size_t i = 0; i < plan->n_uses && code == REBAL_OK; i++) {
    code =
        plan->uses[i].limit < plan->n_limits ? REBAL_OK : rebali_load_malformed(bytes, "a limit does not exist", err);
  }
  return code;
}

static int32_t load_sums(struct rebali_loading *bytes, rebal_error *err) {
  rebal_plan *plan = of(bytes)->plan;
  int32_t code;

  plan->sums = begin(of(bytes), REBALI_SAVED_PLAN_SUMS, rebali_saved_sum.n, sizeof *plan->sums, plan->sums,
                     &plan->n_sums, &code, err);
  code = code == REBAL_OK ? load_numbers(of(bytes), &rebali_saved_sum, plan->sums, plan->n_sums, err) : code;
  for (size_t i = 1; i < plan->n_sums && code == REBAL_OK; i++) {
    code = plan->sums[i - 1].cluster < plan->sums[i].cluster
               ? REBAL_OK
               : rebali_load_malformed(bytes, "the clusters of sums do not ascend", err);
  }
  return code;
}

/* Reads places of clusters, ascending. */
static int32_t load_list(struct rebali_plan_loading *loading, uint32_t **out, size_t *n_out, rebal_error *err) {
  uint32_t n = 0;
  int32_t code = rebali_load_count(&loading->bytes, 1, &n, err);

  code = code == REBAL_OK ? rebali_plan_load_integers(loading, n, 0, (int64_t)loading->n_names - 1, err) : code;
  if (code != REBAL_OK) {
    return code;
  }
  *out = rebali_arena_allocate(&loading->plan->arena, n, 2 * sizeof **out);
  if (*out == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t i = 0; i < n; i++) {
    (*out)[i] = (uint32_t)loading->bytes.values[i];
    if (i > 0 && (*out)[i - 1] >= (*out)[i]) {
      return rebali_load_malformed(&loading->bytes, "drained or lost clusters do not ascend", err);
    }
  }
  *n_out = n;
  return REBAL_OK;
}

static int32_t load_causes(struct rebali_loading *bytes, rebal_error *err) {
  rebal_plan *plan = of(bytes)->plan;
  int32_t code = rebali_plan_load_begin(of(bytes), REBALI_SAVED_PLAN_CAUSES, err);

  code = code == REBAL_OK ? load_list(of(bytes), &plan->drained, &plan->n_drained, err) : code;
  return code == REBAL_OK ? load_list(of(bytes), &plan->lost, &plan->n_lost, err) : code;
}

/* ---- whole plan -------------------------------------------------------------------------------------------------- */

static int32_t (*const readers[])(struct rebali_loading *loading, rebal_error *err) = {
    [REBALI_SAVED_PLAN_PLAN] = load_plan,     [REBALI_SAVED_PLAN_CLUSTERS] = load_clusters,
    [REBALI_SAVED_PLAN_LIMITS] = load_limits, [REBALI_SAVED_PLAN_ROWS] = load_rows,
    [REBALI_SAVED_PLAN_CELLS] = load_cells,   [REBALI_SAVED_PLAN_MOVES] = load_moves,
    [REBALI_SAVED_PLAN_USES] = load_uses,     [REBALI_SAVED_PLAN_SUMS] = load_sums,
    [REBALI_SAVED_PLAN_CAUSES] = load_causes, [REBALI_SAVED_PLAN_LEAST] = rebali_plan_load_least,
};
static const struct rebali_saved_frame frame = {REBALI_SAVED_PLAN_MAGIC, "not a saved plan", REBALI_SAVED_PLAN_VERSION,
                                                REBALI_COUNT(readers), readers};

static int has_replicas_only_where_it_is(const struct rebali_plan_cell *cell) {
  return (cell->present == 0 || (cell->is_in & REBALI_IN_PRESENT) != 0) &&
         (cell->wanted == 0 || (cell->is_in & REBALI_IN_WANTED) != 0) &&
         (cell->planned == 0 || (cell->is_in & REBALI_IN_PLANNED) != 0) && cell->ready <= cell->present;
}

static int are_cells(const rebal_plan *plan, const struct rebali_plan_row *row) {
  const struct rebali_plan_cell *cells = plan->cells + row->first_cell;

  for (size_t i = 0; i < row->n_cells; i++) {
    if (!has_replicas_only_where_it_is(&cells[i]) || (i > 0 && cells[i - 1].cluster >= cells[i].cluster)) {
      return 0;
    }
  }
  return 1;
}

static int has_cell(const rebal_plan *plan, const struct rebali_plan_row *row, uint32_t cluster) {
  const struct rebali_plan_cell *cells = plan->cells + row->first_cell;
  size_t at;

  REBALI_BISECT(at, row->n_cells, cells[at].cluster < cluster);
  return at < row->n_cells && cells[at].cluster == cluster;
}

static int are_moves(const rebal_plan *plan, const struct rebali_plan_row *row) {
  int64_t sum = 0; /* less than 2^32 times 2^31 */

  for (size_t i = row->first_move; i < row->first_move + row->n_moves; i++) {
    const struct rebali_plan_move *move = &plan->moves[i];

    sum += move->replicas;
    if (move->source == move->target || !has_cell(plan, row, move->source) || !has_cell(plan, row, move->target)) {
      return 0;
    }
  }
  return sum == row->granted && row->granted <= row->drift && row->drift - row->granted == row->withheld;
}

/* Tests whether the counts of a row equal what its cells add up to. */
static int are_counts(const rebal_plan *plan, const struct rebali_plan_row *row) {
  struct rebali_moved wanted = {0, 0, 0}, left = {0, 0, 0};
  int64_t change; /* of 32-bit sums */

  for (size_t i = row->first_cell; i < row->first_cell + row->n_cells; i++) {
    rebali_moved_add(&wanted, plan->cells[i].present, plan->cells[i].wanted);
    rebali_moved_add(&left, plan->cells[i].planned, plan->cells[i].wanted);
  }
  change = left.before - wanted.before;
  return row->drift == rebali_moved_end(&wanted) && row->drift_left == rebali_moved_end(&left) &&
         row->added == (change > 0 ? change : 0) && row->removed == (change < 0 ? -change : 0);
}

/* Checks that the rows divide cells and moves among them, and that each row is one that a plan could hold. */
static int32_t check_rows(struct rebali_plan_loading *loading, rebal_error *err) {
  rebal_plan *plan = loading->plan;
  size_t n_cells = 0, n_moves = 0;

  for (size_t i = 0; i < plan->n_rows; i++) {
    struct rebali_plan_row *row = &plan->rows[i];

    row->first_cell = n_cells;
    row->first_move = n_moves;
    if (row->n_cells > plan->n_cells - n_cells || row->n_moves > plan->n_moves - n_moves) {
      return rebali_load_malformed(&loading->bytes, "rows have more clusters or moves than there are", err);
    }
    n_cells += row->n_cells;
    n_moves += row->n_moves;
    if (!are_cells(plan, row) || !are_moves(plan, row) || !are_counts(plan, row) ||
        (row->limited_by != REBAL_ABSENT && (row->limited_by < 0 || row->limited_by >= (int64_t)plan->n_limits))) {
      return rebali_load_malformed(&loading->bytes, "a row contradicts its clusters or moves", err);
    }
  }
  return n_cells == plan->n_cells && n_moves == plan->n_moves
             ? REBAL_OK
             : rebali_load_malformed(&loading->bytes, "there are clusters or moves of no row", err);
}

/* Checks that each cluster of a cell has sums, and no other cluster has. */
static int32_t check_sums(struct rebali_plan_loading *loading, rebal_error *err) {
  const rebal_plan *plan = loading->plan;
  struct rebali_plan_sum *sums =
      rebali_allocate_zero(loading->bytes.allocator, (size_t)loading->n_names + 1, sizeof *sums);
  size_t n = 0;
  int are_equal = 1;

  if (sums == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t i = 0; i < loading->n_names; i++) {
    sums[i].cluster = REBAL_NONE;
  }
  rebali_plan_add_up(plan, NULL, sums);
  for (uint32_t i = 0; i < loading->n_names; i++) {
    if (sums[i].cluster != REBAL_NONE) {
      const struct rebali_plan_sum *sum = n < plan->n_sums ? &plan->sums[n] : &sums[loading->n_names];

      are_equal &= sum->cluster == i && sum->before == sums[i].before && sum->after == sums[i].after &&
                   sum->moved_out == sums[i].moved_out && sum->moved_in == sums[i].moved_in;
      n++;
    }
  }
  rebali_release(loading->bytes.allocator, sums);
  return are_equal && n == plan->n_sums
             ? REBAL_OK
             : rebali_load_malformed(&loading->bytes, "the sums of clusters are not those of the rows", err);
}

/* Replaces places among the names by ids. The lists are then sorted by id; they have space for sorting. */
static void set_ids(rebal_plan *plan, const uint32_t *ids) {
  struct {
    uint32_t *items;
    size_t n;
  } lists[] = {{plan->drained, plan->n_drained}, {plan->lost, plan->n_lost}};

  for (size_t i = 0; i < plan->n_cells; i++) {
    plan->cells[i].cluster = ids[plan->cells[i].cluster];
  }
  for (size_t i = 0; i < plan->n_moves; i++) {
    plan->moves[i].source = ids[plan->moves[i].source];
    plan->moves[i].target = ids[plan->moves[i].target];
  }
  for (size_t i = 0; i < plan->n_sums; i++) {
    plan->sums[i].cluster = ids[plan->sums[i].cluster];
  }
  for (size_t k = 0; k < REBALI_COUNT(lists); k++) {
    for (size_t i = 0; i < lists[k].n; i++) {
      lists[k].items[i] = ids[lists[k].items[i]];
    }
    (void)rebali_plan_sort_ids(lists[k].items, lists[k].n); /* names are unique, so ids are too */
  }
}

/* Looks up the ids of the fleet. Comes last, so that malformed bytes add no names to it. */
static int32_t find_clusters(struct rebali_plan_loading *loading, rebal_error *err) {
  uint32_t *ids = rebali_allocate_zero(loading->bytes.allocator, (size_t)loading->n_names + 1, sizeof *ids);
  int32_t code = ids == NULL ? rebali_fail_memory(err) : REBAL_OK;

  for (uint32_t i = 0; i < loading->n_names && code == REBAL_OK; i++) {
    code = rebal_fleet_cluster_id(loading->bytes.fleet, loading->names[i].bytes, loading->names[i].len, &ids[i], err);
  }
  if (code == REBAL_OK) {
    set_ids(loading->plan, ids);
  }
  rebali_release(loading->bytes.allocator, ids);
  return code;
}

static int32_t load_all(struct rebali_plan_loading *loading, size_t len, rebal_error *err) {
  int32_t code = rebali_load_all(&loading->bytes, &frame, len, err);

  if (code == REBAL_OK && loading->last != (loading->plan->mode == REBAL_PLAN_MODE_LEAST ? REBALI_SAVED_PLAN_LEAST
                                                                                         : REBALI_SAVED_PLAN_CAUSES)) {
    code = rebali_load_malformed(&loading->bytes, "a section is missing", err);
  }
  code = code == REBAL_OK ? check_rows(loading, err) : code;
  code = code == REBAL_OK ? check_sums(loading, err) : code;
  return code == REBAL_OK ? find_clusters(loading, err) : code;
}

int32_t rebal_plan_load(rebal_fleet *fleet, const rebal_allocator *allocator, const void *bytes, size_t len,
                        rebal_plan **out, rebal_error *err) {
  rebal_allocator memory;
  struct rebali_plan_loading loading = {.bytes = {.bytes = bytes, .end = len, .allocator = &memory, .fleet = fleet}};
  int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code == REBAL_OK && (fleet == NULL || out == NULL || (bytes == NULL && len != 0))) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : out == NULL ? "out" : "bytes");
  }
  code = code == REBAL_OK ? rebali_plan_new(&memory, fleet->store, &loading.plan, err) : code;
  if (code != REBAL_OK) {
    return code;
  }
  code = load_all(&loading, len, err);
  rebali_release(&memory, loading.names);
  rebali_loading_dispose(&loading.bytes);
  if (code == REBAL_OK) {
    *out = loading.plan;
  } else {
    rebal_plan_free(loading.plan);
  }
  return code;
}
