/* SPDX-License-Identifier: MIT */
/*
 * Texts of pods that live on: an arena takes nothing back, so once a good part of it is dead the living ones move into
 * another. The two take turns, so that after a while this asks for no memory.
 */
#include "workloadspread/pods.h"

#define WORTH_IT ((size_t)64 * 1024)

/* Moves the texts of a column to `to`, each into as many bytes as it had; where the next ones go. */
static char *move_column(struct rebali_table *table, uint32_t column, char *to) {
  struct rebali_text *cells = table->columns[column & 255u];

  for (size_t row = 0; cells != NULL && row < table->rows; row++) {
    if (cells[row].len != 0) {
      memcpy(to, cells[row].bytes, cells[row].len + 1);
      cells[row].bytes = to;
      to += rebali_row_set_bytes(cells[row]);
    }
  }
  return to;
}

void rebali_pods_move_texts(rebal_pods *pods) {
  struct rebali_row_set *set = &pods->set;
  const size_t living = set->texts.used - set->dead_bytes;
  struct rebali_arena emptied;
  char *to;

  if (set->dead_bytes < WORTH_IT || set->dead_bytes < living / 2) {
    return;
  }
  to = rebali_arena_allocate(&pods->spare, living, 1);
  if (to == NULL) {
    return; /* the next change tries again */
  }
  for (size_t i = 0; i < REBALI_POD_TABLES; i++) {
    for (size_t column = 0; column < pods->tables[i].n_infos; column++) {
      if (pods->tables[i].infos[column].type == REBAL_TYPE_TEXT) {
        to = move_column(&pods->tables[i], pods->tables[i].infos[column].id, to);
      }
    }
  }
  emptied = set->texts;
  set->texts = pods->spare;
  set->dead_bytes = 0;
  rebali_arena_reset(&emptied);
  pods->spare = emptied;
}
