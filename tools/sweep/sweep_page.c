/* SPDX-License-Identifier: MIT */
/* A sweep as a page: a heat map of losses and their effects. */
#include "sweep/sweep.h"

#include <stdio.h>

/* The value of a column of the map. */
enum column { UNPLACED, MISSING, MOVED, FULL, COLUMNS };

static int64_t value_of(const struct loss *loss, enum column column) {
  switch (column) {
    case UNPLACED:
      return loss->unplaced;
    case MISSING:
      return loss->missing;
    case MOVED:
      return loss->moved;
    default:
      return loss->full;
  }
}

/* The largest value of each column; at least 1,000 for the use of the fullest cluster. */
static void find_largest(const struct sweep *sweep, int64_t *largest) {
  for (int column = 0; column < COLUMNS; column++) {
    largest[column] = column == FULL ? 1000 : 1;
    for (size_t i = 0; i < sweep->n; i++) {
      const int64_t value = value_of(&sweep->losses[i], (enum column)column);
      largest[column] = value > largest[column] ? value : largest[column];
    }
  }
}

/* A cell with the darkness of its part of the largest value, in hundredths. */
static void heat_cell(struct output *out, enum column column, int64_t value, int64_t largest) {
  const int64_t part = value > INT64_MAX / 100 ? 100 : value * 100 / largest;
  put(out, "<td class=\"n heat\" style=\"--heat: ");
  put_integer(out, value > 0 && part == 0 ? 1 : part);
  put(out, "%\">");
  if (column == FULL) {
    sweep_put_percent(out, value);
  } else {
    put_integer(out, value);
  }
  put(out, "</td>");
}

enum status sweep_write_page(const struct sweep *sweep, struct output *out) {
  static const char *const headings[] = {
      "lost",  "name",    "#clusters", "#bindings not placed", "#replicas missing", "#moved",
      "#full", "fullest", "resource"};
  int64_t largest[COLUMNS];
  find_largest(sweep, largest);
  html_begin(out, "Sweep");
  put(out, "<h1>Sweep</h1>\n<p>");
  put_integer(out, (int64_t)sweep->n_bindings);
  put(out,
      " bindings. Each row is one loss; the darker a cell, the worse.</p>\n<div class=\"wide\"><table "
      "id=\"losses\">\n");
  HTML_HEADINGS(out, headings);
  for (size_t i = 0; i < sweep->n; i++) {
    const struct loss *loss = &sweep->losses[i];
    put(out, "<tr>");
    html_cell(out, enum_text(REBAL_ENUM_LOSS, loss->kind));
    html_cell(out, loss->name);
    html_number(out, loss->clusters);
    for (int column = 0; column < COLUMNS; column++) {
      heat_cell(out, (enum column)column, value_of(loss, (enum column)column), largest[column]);
    }
    html_cell(out, loss->fullest == REBAL_NONE ? "" : cluster_name(sweep->world, loss->fullest));
    html_cell(out, loss->resource);
    put(out, "</tr>\n");
  }
  put(out, "</table></div>\n");
  html_end(out);
  return STATUS_DONE;
}
