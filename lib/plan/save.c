/* SPDX-License-Identifier: MIT */
/* Saves a plan as bytes. */
#include "plan/saved.h"

/* The clusters of a plan: their names, ascending, and the place of each id among them. */
struct clusters {
  uint32_t *ids; /* by place; space for twice as many */
  size_t n;
  uint32_t *places; /* by id; before sorting, 1 for each cluster that occurs */
};

static void mark(const rebal_plan *plan, uint32_t *marks) {
  for (size_t i = 0; i < plan->n_cells; i++) {
    marks[plan->cells[i].cluster] = 1; /* these include the clusters of moves and sums */
  }
  for (size_t i = 0; i < plan->n_drained; i++) {
    marks[plan->drained[i]] = 1;
  }
  for (size_t i = 0; i < plan->n_lost; i++) {
    marks[plan->lost[i]] = 1;
  }
}

static struct rebali_text name_of(const rebal_plan *plan, uint32_t cluster) {
  return rebali_intern_get(plan->store->names, cluster);
}

static int compare_names(const void *left, const void *right, const void *context) {
  return rebali_text_compare(name_of(context, *(const uint32_t *)left), name_of(context, *(const uint32_t *)right));
}

static int32_t list_clusters(const rebal_plan *plan, struct clusters *clusters) {
  const size_t known = rebali_store_known(&plan->store->known_names);

  clusters->places = rebali_allocate_zero(&plan->allocator, known + 1, sizeof *clusters->places);
  clusters->ids = rebali_allocate_zero(&plan->allocator, known + 1, 2 * sizeof *clusters->ids);
  if (clusters->places == NULL || clusters->ids == NULL) {
    return REBAL_ENOMEM;
  }
  mark(plan, clusters->places);
  for (size_t id = 0; id < known; id++) {
    if (clusters->places[id] != 0) {
      clusters->ids[clusters->n++] = (uint32_t)id;
    }
  }
  rebali_sort(clusters->ids, clusters->n, sizeof *clusters->ids, clusters->ids + clusters->n, compare_names, plan);
  for (size_t place = 0; place < clusters->n; place++) {
    clusters->places[clusters->ids[place]] = (uint32_t)place;
  }
  return REBAL_OK;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* Writes a column for each number of n structures. saving->values must have space for n. */
static void save_numbers(struct rebali_saving *saving, const struct rebali_saved_struct *saved, const void *items,
                         size_t n, const struct clusters *clusters) {
  for (size_t k = 0; k < saved->n; k++) {
    const struct rebali_saved_number *number = &saved->numbers[k];

    for (size_t i = 0; i < n; i++) {
      const int64_t value = rebali_saved_get(number, (const unsigned char *)items + i * saved->size);

      saving->values[i] = number->type == REBALI_SAVED_CLUSTER ? clusters->places[value] : value;
    }
    rebali_save_integers(saving, saving->values, n);
  }
}

static void save_plan(struct rebali_saving *saving, const rebal_plan *plan) {
  rebali_save_section(saving, REBALI_SAVED_PLAN_PLAN, 0, 0);
  rebali_save_u32(saving, (uint32_t)plan->mode);
  rebali_save_u64(saving, plan->inputs.high);
  rebali_save_u64(saving, plan->inputs.low);
  rebali_save_time(saving, &plan->now);
  rebali_save_u64(saving, (uint64_t)plan->progress_deadline_ns);
}

static void save_clusters(struct rebali_saving *saving, const rebal_plan *plan, const struct clusters *clusters) {
  rebali_save_section(saving, REBALI_SAVED_PLAN_CLUSTERS, 0, 0);
  rebali_save_u32(saving, (uint32_t)clusters->n);
  for (size_t i = 0; i < clusters->n; i++) {
    rebali_save_text(saving, name_of(plan, clusters->ids[i]));
  }
}

/* Sections count in 32 bits; save_all() has checked that this is enough. */
static void begin(struct rebali_saving *saving, uint32_t kind, size_t n) {
  rebali_save_section(saving, kind, 0, 0);
  rebali_save_u32(saving, (uint32_t)n);
}

static void save_rows(struct rebali_saving *saving, const rebal_plan *plan, const struct clusters *clusters) {
  begin(saving, REBALI_SAVED_PLAN_LIMITS, plan->n_limits);
  for (size_t i = 0; i < plan->n_limits; i++) {
    rebali_save_text(saving, plan->limits[i].subject);
  }
  save_numbers(saving, &rebali_saved_limit, plan->limits, plan->n_limits, clusters);
  begin(saving, REBALI_SAVED_PLAN_ROWS, plan->n_rows);
  for (size_t i = 0; i < plan->n_rows; i++) {
    rebali_save_text(saving, plan->rows[i].namespace_);
    rebali_save_text(saving, plan->rows[i].name);
    rebali_save_text(saving, plan->rows[i].uid);
    rebali_save_text(saving, plan->rows[i].message);
  }
  save_numbers(saving, &rebali_saved_row, plan->rows, plan->n_rows, clusters);
  begin(saving, REBALI_SAVED_PLAN_CELLS, plan->n_cells);
  save_numbers(saving, &rebali_saved_cell, plan->cells, plan->n_cells, clusters);
  begin(saving, REBALI_SAVED_PLAN_MOVES, plan->n_moves);
  save_numbers(saving, &rebali_saved_move, plan->moves, plan->n_moves, clusters);
}

static void save_uses(struct rebali_saving *saving, const rebal_plan *plan, const struct clusters *clusters) {
  begin(saving, REBALI_SAVED_PLAN_USES, plan->n_uses);
  for (size_t i = 0; i < plan->n_uses; i++) {
    rebali_save_text(saving, plan->uses[i].subject);
  }
  save_numbers(saving, &rebali_saved_use, plan->uses, plan->n_uses, clusters);
  begin(saving, REBALI_SAVED_PLAN_SUMS, plan->n_sums);
  save_numbers(saving, &rebali_saved_sum, plan->sums, plan->n_sums, clusters);
}

static int compare_places(const void *left, const void *right, const void *context) {
  const int64_t one = *(const int64_t *)left;
  const int64_t other = *(const int64_t *)right;

  (void)context;
  return (one > other) - (one < other);
}

/* Writes a list of ids. saving->values must have space for 2 * n. */
static void save_list(struct rebali_saving *saving, const uint32_t *ids, size_t n, const struct clusters *clusters) {
  for (size_t i = 0; i < n; i++) {
    saving->values[i] = clusters->places[ids[i]];
  }
  rebali_sort(saving->values, n, sizeof *saving->values, saving->values + n, compare_places, NULL);
  rebali_save_u32(saving, (uint32_t)n);
  rebali_save_integers(saving, saving->values, n);
}

static size_t larger(size_t left, size_t right) {
  return left > right ? left : right;
}

/* Allocates space for the longest column. */
static int32_t reserve(struct rebali_saving *saving, const rebal_plan *plan) {
  size_t most = larger(2 * plan->n_drained, 2 * plan->n_lost);

  most = larger(larger(most, larger(plan->n_cells, plan->n_moves)), larger(plan->n_rows, plan->n_limits));
  most = larger(most, larger(plan->n_uses, plan->n_sums));
  if (plan->least != NULL) {
    const rebal_movement *problem = &plan->least->problem;

    most = larger(most, larger((size_t)problem->offsets[problem->n_bindings], (size_t)problem->n_bindings));
  }
  return rebali_reserve(saving->allocator, &saving->values, &saving->values_capacity, most + 1, sizeof *saving->values);
}

static void save_all(struct rebali_saving *saving, const rebal_plan *plan, const struct clusters *clusters) {
  rebali_save_head(saving, REBALI_SAVED_PLAN_MAGIC, REBALI_SAVED_PLAN_VERSION);
  save_plan(saving, plan);
  save_clusters(saving, plan, clusters);
  save_rows(saving, plan, clusters);
  save_uses(saving, plan, clusters);
  rebali_save_section(saving, REBALI_SAVED_PLAN_CAUSES, 0, 0);
  save_list(saving, plan->drained, plan->n_drained, clusters);
  save_list(saving, plan->lost, plan->n_lost, clusters);
  if (plan->least != NULL) {
    rebali_plan_save_least(saving, plan->least);
  }
  rebali_save_end(saving);
}

static int is_too_large(const rebal_plan *plan) {
  return larger(larger(plan->n_cells, plan->n_moves), larger(plan->n_uses, plan->n_limits)) > UINT32_MAX;
}

int32_t rebal_plan_save(const rebal_plan *plan, void *buffer, size_t capacity, size_t *len, rebal_error *err) {
  struct rebali_saving saving = {.bytes = buffer, .capacity = capacity};
  struct clusters clusters = {NULL, 0, NULL};
  int32_t code;

  if (plan == NULL || len == NULL || (buffer == NULL && capacity != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", plan == NULL ? "plan" : len == NULL ? "len" : "buffer");
  }
  if (is_too_large(plan)) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "the plan has more rows than the format counts");
  }
  saving.allocator = &plan->allocator;
  code = list_clusters(plan, &clusters);
  code = code == REBAL_OK ? reserve(&saving, plan) : code;
  if (code == REBAL_OK) {
    save_all(&saving, plan, &clusters);
    code = rebali_saving_end(&saving, len, err);
  } else {
    code = rebali_fail_memory(err);
  }
  rebali_saving_dispose(&saving);
  rebali_release(&plan->allocator, clusters.ids);
  rebali_release(&plan->allocator, clusters.places);
  return code;
}
