/* SPDX-License-Identifier: MIT */
/* Writes the rows of a sweep: sorts what was found by binding into the order of losses. */
#include "plan/whatif/whatif.h"

/*
 * Sorts n items by loss, stable: those of a loss are at places first[loss] to first[loss + 1]. loss_of reads the loss
 * of an item.
 */
static int32_t by_loss(struct rebali_arena *arena, const void *items, size_t n, size_t n_losses,
                       uint32_t (*loss_of)(const void *items, size_t i), size_t **first, size_t **order) {
  size_t *begins = rebali_arena_allocate_zero(arena, n_losses + 2, sizeof *begins);
  size_t *places = rebali_arena_allocate(arena, n, sizeof *places);

  if (begins == NULL || places == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    begins[loss_of(items, i) + 2]++;
  }
  for (size_t loss = 2; loss < n_losses + 2; loss++) {
    begins[loss] += begins[loss - 1];
  }
  for (size_t i = 0; i < n; i++) {
    places[begins[loss_of(items, i) + 1]++] = i;
  }
  *first = begins;
  *order = places;
  return REBAL_OK;
}

static uint32_t loss_of_change(const void *items, size_t i) {
  return ((const struct rebali_use_change *)items)[i].loss;
}

static uint32_t loss_of_affected(const void *items, size_t i) {
  return ((const struct rebali_affected *)items)[i].loss;
}

/* Sorts the changes by loss. */
static int32_t sort_changes(struct rebali_sweep *sweep, size_t **first, struct rebali_use_change **changes) {
  const size_t n_losses = sweep->end - sweep->first;
  size_t *order;

  *changes = rebali_arena_allocate(&sweep->arena, sweep->n_changes, sizeof **changes);
  if (*changes == NULL ||
      by_loss(&sweep->arena, sweep->changes, sweep->n_changes, n_losses, loss_of_change, first, &order) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < sweep->n_changes; i++) {
    (*changes)[i] = sweep->changes[order[i]];
  }
  return REBAL_OK;
}

static int32_t write_loss(struct rebali_sweep *sweep, struct rebali_table *table, size_t loss,
                          const struct rebali_fullest *full) {
  const struct rebali_loss *lost = &sweep->losses.list[sweep->first + loss];
  const struct rebali_totals *more = &sweep->by_loss[loss];
  const struct rebali_totals *base = &sweep->base_totals;
  size_t row;

  if (rebali_table_append(table, 1, &row) != REBAL_OK ||
      rebali_table_set_text(table, REBAL_SWEPT_NAME, row, lost->name) != REBAL_OK ||
      rebali_table_set_text(table, REBAL_SWEPT_RESOURCE, row,
                            full->cluster == REBAL_NONE ? REBALI_TEXT("")
                                                        : rebali_snapshot_resource_name(sweep->question.snapshot,
                                                                                        full->resource)) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *rebali_table_integers(table, REBAL_SWEPT_LOSS, row) = (int64_t)(sweep->first + loss);
  *rebali_table_integers(table, REBAL_SWEPT_KIND, row) = lost->kind;
  *rebali_table_integers(table, REBAL_SWEPT_SET, row) = rebali_id_given(lost->set);
  *rebali_table_integers(table, REBAL_SWEPT_CLUSTERS, row) = (int64_t)lost->n;
  *rebali_table_integers(table, REBAL_SWEPT_UNPLACED, row) = base->unplaced + more->unplaced;
  *rebali_table_integers(table, REBAL_SWEPT_MISSING, row) = base->missing + more->missing;
  *rebali_table_integers(table, REBAL_SWEPT_MOVED, row) = base->moved + more->moved;
  *rebali_table_integers(table, REBAL_SWEPT_FULLEST, row) = rebali_id_given(full->cluster);
  *rebali_table_integers(table, REBAL_SWEPT_FULL, row) = full->cluster == REBAL_NONE ? 0 : full->permille;
  *rebali_table_integers(table, REBAL_SWEPT_DECIDED, row) = more->decided;
  return REBAL_OK;
}

static int32_t write_losses(struct rebali_sweep *sweep, struct rebali_table *table) {
  struct rebali_use_change *changes;
  size_t *first;
  int32_t code = sort_changes(sweep, &first, &changes);

  code = code == REBAL_OK ? rebali_use_rank(&sweep->use) : code;
  for (size_t loss = 0; loss < sweep->end - sweep->first && code == REBAL_OK; loss++) {
    struct rebali_fullest full;

    rebali_loss_mark(&sweep->losses.list[sweep->first + loss], sweep->lost, 1);
    code = rebali_use_fullest(&sweep->use, changes + first[loss], first[loss + 1] - first[loss], sweep->lost, &full);
    rebali_loss_mark(&sweep->losses.list[sweep->first + loss], sweep->lost, 0);
    code = code == REBAL_OK ? write_loss(sweep, table, loss, &full) : code;
  }
  return code;
}

static int32_t write_affected(struct rebali_sweep *sweep, struct rebali_table *table) {
  size_t *first, *order;
  size_t row;

  if (by_loss(&sweep->arena, sweep->affected, sweep->n_affected, sweep->end - sweep->first, loss_of_affected, &first,
              &order) != REBAL_OK ||
      rebali_table_append(table, sweep->n_affected, &row) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < sweep->n_affected; i++) {
    const struct rebali_affected *affected = &sweep->affected[order[i]];

    *rebali_table_integers(table, REBAL_AFFECTED_LOSS, i) = (int64_t)(sweep->first + affected->loss);
    *rebali_table_integers(table, REBAL_AFFECTED_BINDING, i) = affected->binding;
    *rebali_table_integers(table, REBAL_AFFECTED_OUTCOME, i) = affected->numbers.outcome;
    *rebali_table_integers(table, REBAL_AFFECTED_MISSING, i) = affected->numbers.missing;
    *rebali_table_integers(table, REBAL_AFFECTED_MOVED, i) = affected->numbers.moved;
  }
  return REBAL_OK;
}

int32_t rebali_sweep_write(struct rebali_sweep *sweep, rebal_result *result) {
  int32_t code = write_losses(sweep, rebali_result_table(result, REBAL_TABLE_SWEPT));

  if (code == REBAL_OK && sweep->n_affected > 0) {
    code = write_affected(sweep, rebali_result_table(result, REBAL_TABLE_AFFECTED));
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(sweep->question.err);
}
