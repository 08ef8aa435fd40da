/* SPDX-License-Identifier: MIT */
/* Adds, removes and counts rows of a set. */
#include "fleet/row_set.h"

void rebali_row_set_open(struct rebali_row_set *set) {
  rebali_arena_init(&set->texts, &set->allocator, 0);
  rebali_arena_init(&set->spare, &set->allocator, 0);
  for (uint32_t i = 0; i < set->n_tables; i++) {
    rebali_table_init(&set->tables[i], set->first + i, &set->allocator, &set->texts);
  }
}

void rebali_row_set_reset(struct rebali_row_set *set) {
  for (uint32_t i = 0; i < set->n_tables; i++) {
    rebali_table_clear(&set->tables[i]);
    if (set->slots != NULL && set->slots[i].words != 0) {
      memset(set->slots[i].present, 0, set->slots[i].words * sizeof *set->slots[i].present);
      set->slots[i].n_free = 0;
    }
  }
  rebali_arena_reset(&set->texts);
  set->dead_bytes = 0;
  set->is_frozen = 0;
}

void rebali_row_set_dispose(struct rebali_row_set *set) {
  for (uint32_t i = 0; i < set->n_tables; i++) {
    rebali_table_dispose(&set->tables[i]);
    if (set->slots != NULL) {
      rebali_release(&set->allocator, set->slots[i].present);
      rebali_release(&set->allocator, set->slots[i].free_rows);
    }
  }
  rebali_arena_dispose(&set->texts);
  rebali_arena_dispose(&set->spare);
  rebali_store_unref(set->store);
}

/* Reserves memory for n more rows; bits after the rows are 0. */
static int32_t reserve_slots(struct rebali_row_set *set, uint32_t index, size_t rows) {
  struct rebali_row_slots *slots = &set->slots[index];
  const size_t words = slots->words;

  if (rebali_reserve(&set->allocator, &slots->present, &slots->words, REBALI_BITSET_WORDS(rows),
                     sizeof *slots->present) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (slots->words != words) {
    memset(slots->present + words, 0, (slots->words - words) * sizeof *slots->present);
  }
  return rebali_reserve(&set->allocator, &slots->free_rows, &slots->free_capacity, rows, sizeof *slots->free_rows);
}

int32_t rebali_row_set_add(struct rebali_row_set *set, uint32_t table, uint32_t *rows, size_t n, rebal_error *err) {
  const uint32_t index = table - set->first;
  struct rebali_row_slots *slots = set->slots == NULL ? NULL : &set->slots[index];
  const size_t n_free = slots == NULL ? 0 : slots->n_free;
  const size_t n_used = n < n_free ? n : n_free;
  size_t first = set->tables[index].rows;

  if (n - n_used > REBALI_MAX_ROWS - first) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "more than 2^32 - 2 rows in a table");
  }
  if ((slots != NULL && reserve_slots(set, index, first + n - n_used) != REBAL_OK) ||
      rebali_table_add(&set->tables[index], n - n_used, &first) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    rows[i] = i < n_used ? slots->free_rows[--slots->n_free] : (uint32_t)(first + i - n_used);
    if (slots != NULL) {
      rebali_bit_set(slots->present, rows[i], 1);
    }
  }
  return REBAL_OK;
}

static void remove_row(struct rebali_row_set *set, uint32_t index, uint32_t row) {
  struct rebali_table *table = &set->tables[index];
  struct rebali_row_slots *slots = &set->slots[index];

  for (size_t i = 0; i < table->n_infos; i++) {
    if (table->infos[i].type == REBAL_TYPE_TEXT) {
      rebali_row_set_drop_text(set, rebali_table_text(table, table->infos[i].id, row));
    }
  }
  rebali_table_clear_row(table, row);
  rebali_bit_set(slots->present, row, 0);
  slots->free_rows[slots->n_free++] = row;
}

int32_t rebali_row_set_remove(struct rebali_row_set *set, uint32_t table, const uint32_t *rows, size_t n,
                              rebal_error *err) {
  int32_t code = REBAL_OK;

  if (set->slots == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "rows of %s cannot be removed", set->name);
  }
  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    if (rebali_row_set_has(set, table, rows[i])) {
      remove_row(set, table - set->first, rows[i]);
    } else {
      code = rebali_fail(err, REBAL_ENOTFOUND, (int64_t)rows[i], "there is no row %lu", (unsigned long)rows[i]);
    }
  }
  rebali_row_set_move_texts(set);
  return code;
}

size_t rebali_row_set_count(const struct rebali_row_set *set, uint32_t table) {
  const uint32_t index = table - set->first;

  return set->tables[index].rows - (set->slots == NULL ? 0 : set->slots[index].n_free);
}

uint32_t rebali_row_set_from(const struct rebali_row_set *set, uint32_t table, size_t row) {
  const uint32_t index = table - set->first;
  const size_t rows = set->tables[index].rows;

  if (row >= rows) {
    return REBAL_NONE;
  }
  if (set->slots == NULL) {
    return (uint32_t)row;
  }
  for (size_t word = row / 64u; word < REBALI_BITSET_WORDS(rows); word++) {
    const uint64_t skipped = word == row / 64u ? ((uint64_t)1 << row % 64u) - 1 : 0;
    const uint64_t bits = set->slots[index].present[word] & ~skipped;

    if (bits != 0) {
      return (uint32_t)(word * 64u + rebali_bit_lowest(bits));
    }
  }
  return REBAL_NONE;
}
