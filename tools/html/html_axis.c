/* SPDX-License-Identifier: MIT */
/* Labels around a picture: numbers, times and names of steps. Text of the page, as the picture is stretched. */
#include "view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE AXIS_WIDTH /* 100 % */
#define MOST_NUMBERS 5   /* above 0 */
/* Widths in parts of the narrowest picture, of 50em: a time, a column of a name and the space after it. */
#define TIME_WIDTH 1000
#define COLUMN_WIDTH 95
#define SPACE 150
#define LONGEST_NAME 4500
#define MOST_TIMES 12
#define MOST_ROWS 20

/* A label of a moment: it begins at the moment, or ends at it near the right edge. */
struct label {
  int64_t place, from, to;
  size_t moment;
};

static void put_percent(struct output *out, const char *name, int64_t part, int64_t whole) {
  char text[64];
  const int64_t hundredths = part * 10000 / whole;
  (void)snprintf(text, sizeof text, "%s:%" PRId64 ".%02d%%", name, hundredths / 100, (int)(hundredths % 100));
  put(out, text);
}

/* The distance of numbers: 1, 2 or 5 times a power of ten. */
static int64_t number_step(int64_t highest) {
  int64_t step = 1;
  for (int i = 0; highest / step > MOST_NUMBERS; i++) {
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  }
  return step;
}

void html_axis_numbers(const struct axis *axis) {
  char text[32];
  const int width = snprintf(text, sizeof text, "%" PRId64, axis->highest);
  (void)snprintf(text, sizeof text, "%d", width + 1);
  put(axis->out, "<div class=\"numbers\" style=\"width:");
  put(axis->out, text);
  put(axis->out, "ch\">");
  for (int64_t number = 0, step = number_step(axis->highest); number <= axis->highest; number += step) {
    put(axis->out, "<span style=\"");
    put_percent(axis->out, "bottom", number, axis->highest);
    put(axis->out, "\">");
    put_integer(axis->out, number);
    put(axis->out, "</span>");
  }
  put(axis->out, "</div>\n");
}

void html_axis_grid(const struct axis *axis) {
  for (int64_t step = number_step(axis->highest), number = step; number < axis->highest; number += step) {
    put(axis->out, "<path class=\"grid\" d=\"M0 ");
    put_integer(axis->out, AXIS_HEIGHT - number * AXIS_HEIGHT / axis->highest);
    put(axis->out, " H10000\"/>\n");
  }
}

static struct label label_before(int64_t place, size_t moment, int64_t width) {
  return (struct label){place, place - width > 0 ? place - width : 0, place, moment};
}

static struct label label_at(int64_t place, size_t moment, int64_t width) {
  return place + width > WHOLE ? label_before(place, moment, width)
                               : (struct label){place, place, place + width, moment};
}

static int is_free(const struct label *labels, size_t n, const struct label *label) {
  for (size_t i = 0; i < n; i++) {
    if (label->from < labels[i].to && labels[i].from < label->to) {
      return 0;
    }
  }
  return 1;
}

/* Adds a label if there is space, before those of later moments. */
static void add_time(const struct axis *axis, size_t moment, struct label *labels, size_t *n) {
  struct label label = label_at(axis->places[moment], moment, TIME_WIDTH);
  size_t at = *n;
  for (size_t i = 0; i < *n; i++) {
    if (labels[i].moment == moment) {
      return;
    }
  }
  if (!is_free(labels, *n, &label) && axis->places[moment] >= TIME_WIDTH) {
    label = label_before(axis->places[moment], moment, TIME_WIDTH);
  }
  if (*n == MOST_TIMES || !is_free(labels, *n, &label)) {
    return;
  }
  for (; at > 0 && labels[at - 1].moment > moment; at--) {
    labels[at] = labels[at - 1];
  }
  labels[at] = label;
  ++*n;
}

static void open_label(struct output *out, const struct label *label) {
  put(out, label->from < label->place ? "<span class=\"last\" style=\"" : "<span style=\"");
  if (label->from < label->place) {
    put_percent(out, "right", WHOLE - label->place, WHOLE);
  } else {
    put_percent(out, "left", label->place, WHOLE);
  }
}

/* Writes 2026-03-14T09:00:00Z as the time of day, and the date if it differs from the one before. */
static void put_moment(struct output *out, const char *text, char *day) {
  const size_t len = strcspn(text, "T"), end = strcspn(text, "Z");
  if (text[len] == '\0') {
    put_html(out, text);
    return;
  }
  put_bytes(out, text + len + 1, end - len - 1);
  if (strncmp(day, text, len) != 0) {
    (void)snprintf(day, TIME_CAPACITY, "%.*s", (int)len, text);
    put(out, "<br>");
    put_html(out, day);
  }
}

void html_axis_times(const struct axis *axis) {
  const size_t n_rows = (size_t)summary_of(axis->simulation).log_rows;
  struct label labels[MOST_TIMES];
  char text[TIME_CAPACITY], day[TIME_CAPACITY] = "";
  size_t n = 0;
  add_time(axis, 0, labels, &n);
  add_time(axis, axis->series->n_moments - 1, labels, &n);
  for (size_t i = 0; i < n_rows && n < MOST_TIMES; i++) {
    if (log_entry(axis->simulation, i).kind == REBAL_LOG_KIND_STEP) {
      const rebal_time time = log_time(axis->simulation, i);
      add_time(axis, series_moment(axis->series, &time), labels, &n);
    }
  }
  for (size_t i = 1; i < axis->series->n_moments && n < MOST_TIMES; i++) {
    add_time(axis, i, labels, &n);
  }
  put(axis->out, "<div class=\"times\">");
  for (size_t i = 0; i < n; i++) {
    open_label(axis->out, &labels[i]);
    put(axis->out, "\">");
    put_moment(axis->out, time_text(&axis->series->moments[labels[i].moment], text), day);
    put(axis->out, "</span>");
  }
  put(axis->out, "</div>\n");
}

/* ---- names of steps: each in the first row that has space ---- */

struct rows {
  int64_t ends[MOST_ROWS]; /* steps are in order, but labels near the right edge extend to the left */
  size_t n;
};

static size_t find_row(struct rows *rows, const struct label *label) {
  size_t row = 0;
  while (row < rows->n && rows->ends[row] > label->from) {
    row++;
  }
  if (row == MOST_ROWS) {
    return row;
  }
  rows->n = row == rows->n ? row + 1 : rows->n;
  rows->ends[row] = label->to;
  return row;
}

static void put_name(const struct axis *axis, const char *name, const struct label *label, size_t row) {
  char top[48];
  (void)snprintf(top, sizeof top, ";top:%zu.%zuem\" title=\"", row * 14 / 10, row * 14 % 10);
  open_label(axis->out, label);
  put(axis->out, top);
  put_html(axis->out, name);
  put(axis->out, "\">");
  put_html(axis->out, name);
  put(axis->out, "</span>");
}

void html_axis_steps(const struct axis *axis) {
  const size_t n = (size_t)summary_of(axis->simulation).log_rows;
  struct rows rows = {{0}, 0};
  char height[32];
  put(axis->out, "<div class=\"names\">");
  for (size_t i = 0; i < n; i++) {
    const rebal_simulation_entry entry = log_entry(axis->simulation, i);
    if (entry.kind == REBAL_LOG_KIND_STEP) {
      const rebal_time time = log_time(axis->simulation, i);
      const size_t moment = series_moment(axis->series, &time);
      const int64_t columns = (int64_t)text_width(entry.change);
      const int64_t width = columns < LONGEST_NAME / COLUMN_WIDTH ? columns * COLUMN_WIDTH : LONGEST_NAME;
      const struct label label = label_at(axis->places[moment], moment, width + SPACE);
      const size_t row = find_row(&rows, &label);
      if (row < MOST_ROWS) {
        put_name(axis, entry.change, &label, row);
      }
    }
  }
  (void)snprintf(height, sizeof height, "%zu.%zuem", rows.n * 14 / 10, rows.n * 14 % 10);
  put(axis->out, "<div style=\"height:");
  put(axis->out, height);
  put(axis->out, "\"></div></div>\n");
}
