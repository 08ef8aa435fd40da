/* SPDX-License-Identifier: MIT */
/* Tables with columns two spaces apart. */
#include "rebalancectl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void table_open(struct table *table, const char *const *headings, size_t columns) {
  *table = (struct table){headings, columns, NULL, 0, 0, 0};
}

void table_close(struct table *table) {
  for (size_t i = 0; i < table->n; i++) {
    free(table->cells[i]);
  }
  free(table->cells);
  table->cells = NULL;
  table->n = table->capacity = 0;
}

void table_cell(struct table *table, const char *text) {
  char *copy;
  if (table->failed) {
    return;
  }
  if (table->n == table->capacity) {
    const size_t capacity = table->capacity != 0 ? table->capacity * 2 : 64;
    char **cells = realloc(table->cells, capacity * sizeof *cells);
    if (cells == NULL) {
      table->failed = 1;
      return;
    }
    table->cells = cells;
    table->capacity = capacity;
  }
  copy = escaped(text[0] != '\0' ? text : "-");
  if (copy == NULL) {
    table->failed = 1;
  } else {
    table->cells[table->n++] = copy;
  }
}

void table_cell_of(struct table *table, struct output *cell) {
  if (cell->failed) {
    table->failed = 1;
  }
  table_cell(table, rebal_text_bytes(cell->text, NULL));
  rebal_text_reset(cell->text);
}

/* A wider cell overflows its column; otherwise one workload in all clusters would make every row as wide. */
#define WIDEST 80

static size_t column_width(const struct table *table, size_t column) {
  size_t width = text_width(table->headings[column]);
  for (size_t i = column; i < table->n; i += table->columns) {
    const size_t cell = text_width(table->cells[i]);
    width = cell > width && cell <= WIDEST ? cell : width;
  }
  return width;
}

/* The last column is not padded. */
static void write_cell(const struct table *table, const size_t *widths, size_t column, const char *text,
                       struct output *out) {
  put(out, text);
  if (column + 1 == table->columns) {
    put(out, "\n");
    return;
  }
  put(out, "  ");
  for (size_t width = text_width(text); width < widths[column]; width++) {
    put(out, " ");
  }
}

void table_write(const struct table *table, struct output *out) {
  size_t *widths = malloc(table->columns * sizeof *widths);
  if (table->failed || widths == NULL) {
    out->failed = 1;
  } else {
    for (size_t column = 0; column < table->columns; column++) {
      widths[column] = column_width(table, column);
    }
    for (size_t column = 0; column < table->columns; column++) {
      write_cell(table, widths, column, table->headings[column], out);
    }
    for (size_t i = 0; i < table->n; i++) {
      write_cell(table, widths, i % table->columns, table->cells[i], out);
    }
  }
  free(widths);
}
