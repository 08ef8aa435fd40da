/* SPDX-License-Identifier: MIT */
/*
 * Texts of rows that change: an arena frees no single texts, so once a good part is dead the live texts move to another
 * arena. The two alternate, so after a while this needs no new memory.
 */
#include "fleet/row_set.h"

#define WORTH_IT ((size_t)64 * 1024)

/* Rounded as in the arena; the text was in memory, so the sum cannot overflow. */
static size_t bytes_of(struct rebali_text text) {
  return text.len == 0 ? 0 : (text.len + REBALI_ALIGNMENT) / REBALI_ALIGNMENT * REBALI_ALIGNMENT;
}

void rebali_row_set_drop_text(struct rebali_row_set *set, struct rebali_text text) {
  set->dead_bytes += bytes_of(text);
}

/* Moves the texts of a column to `to`, each into as many bytes as it had. Returns where the next ones go. */
static char *move_column(struct rebali_table *table, uint32_t column, char *to) {
  struct rebali_text *cells = table->columns[column & 255u];

  for (size_t row = 0; cells != NULL && row < table->rows; row++) {
    if (cells[row].len != 0) {
      memcpy(to, cells[row].bytes, cells[row].len + 1);
      cells[row].bytes = to;
      to += bytes_of(cells[row]);
    }
  }
  return to;
}

void rebali_row_set_move_texts(struct rebali_row_set *set) {
  const size_t living = set->texts.used - set->dead_bytes;
  struct rebali_arena emptied;
  char *to;

  if (!set->moves_texts || set->dead_bytes < WORTH_IT || set->dead_bytes < living / 2) {
    return;
  }
  to = rebali_arena_allocate(&set->spare, living, 1);
  if (to == NULL) {
    return; /* the next change tries again */
  }
  for (size_t i = 0; i < set->n_tables; i++) {
    for (size_t column = 0; column < set->tables[i].n_infos; column++) {
      if (set->tables[i].infos[column].type == REBAL_TYPE_TEXT) {
        to = move_column(&set->tables[i], set->tables[i].infos[column].id, to);
      }
    }
  }
  emptied = set->texts;
  set->texts = set->spare;
  set->dead_bytes = 0;
  rebali_arena_reset(&emptied);
  set->spare = emptied;
}
