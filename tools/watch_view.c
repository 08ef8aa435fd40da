/* SPDX-License-Identifier: MIT */
/*
 * Shows a run moment by moment: on a terminal a table that is redrawn for each moment with a change, otherwise
 * a line for each binding and moment. The run is complete before the first byte is written.
 */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLEAR "\033[H\033[2J"
#define FRAME_NS 300000000

struct watching {
  const rebal_simulation *simulation;
  const struct series *series;
  struct numbers *now; /* by binding and cluster; the last cluster is the whole */
  size_t row;          /* of the log, the first that is not shown yet */
};

static const struct numbers *numbers_of(const struct watching *watching, size_t binding) {
  return watching->now + binding * (watching->series->n_clusters + 1);
}

/* 2/3: ready and assigned; 3 leaving: running although nothing is assigned. */
static void put_share(struct output *out, const struct numbers *numbers) {
  if (numbers->assigned > 0) {
    put_integer(out, numbers->ready);
    put(out, "/");
    put_integer(out, numbers->assigned);
  } else if (numbers->running > 0) {
    put_integer(out, numbers->running);
    put(out, " leaving");
  }
}

static void put_moment(const struct watching *watching, size_t moment, struct output *out) {
  char text[TIME_CAPACITY];
  put(out, time_text(&watching->series->moments[moment], text));
}

/* Appends a line with the replicas of a binding from a moment on. */
static void put_line(const struct watching *watching, size_t moment, size_t binding, struct output *out) {
  const struct series *series = watching->series;
  const struct numbers *numbers = numbers_of(watching, binding);
  const char *between = ": ";
  put_moment(watching, moment, out);
  put(out, "  ");
  put_escaped(out, series->bindings[binding]);
  put(out, "  ");
  put_integer(out, numbers[series->n_clusters].ready);
  put(out, " ready, ");
  put_integer(out, numbers[series->n_clusters].assigned);
  put(out, " wanted");
  for (size_t i = 0; i < series->n_clusters; i++) {
    if (numbers[i].assigned > 0 || numbers[i].running > 0) {
      put(out, between);
      put_escaped(out, series->clusters[i]);
      put(out, " ");
      put_share(out, &numbers[i]);
      between = ", ";
    }
  }
  put(out, "\n");
}

static void put_row(const struct watching *watching, size_t binding, struct table *table, struct output *cell) {
  const struct series *series = watching->series;
  const struct numbers *numbers = numbers_of(watching, binding);
  table_cell(table, series->bindings[binding]);
  put_integer(cell, numbers[series->n_clusters].assigned);
  table_cell_of(table, cell);
  for (size_t i = 0; i < series->n_clusters; i++) {
    put_share(cell, &numbers[i]);
    table_cell_of(table, cell);
  }
}

/* Appends the moves and events of the log up to a moment that were not shown yet. */
static void put_news(struct watching *watching, size_t moment, struct output *out) {
  const rebal_simulation *simulation = watching->simulation;
  const size_t n = (size_t)summary_of(simulation).log_rows;
  for (; watching->row < n; watching->row++) {
    const rebal_simulation_entry entry = log_entry(simulation, watching->row);
    const rebal_time time = log_time(simulation, watching->row);
    if (rebal_time_compare(&time, &watching->series->moments[moment]) > 0) {
      return;
    }
    if (entry.kind == REBAL_LOG_KIND_STEP || strncmp(entry.change, "spec.clusters: ", 15) == 0) {
      put(out, entry.kind == REBAL_LOG_KIND_STEP ? "== " : "   ");
      put_escaped(out, entry.object);
      put(out, entry.kind == REBAL_LOG_KIND_STEP ? "" : "  ");
      put_escaped(out, entry.change);
      put(out, "\n");
    }
  }
}

/* Draws the table of all bindings at a moment over the terminal. */
static enum status draw(struct watching *watching, size_t moment, const char **headings) {
  const struct timespec pause = {0, FRAME_NS};
  struct output out, cell;
  struct table table;
  enum status status = output_open(&out);
  if (status == STATUS_DONE && (status = output_open(&cell)) == STATUS_DONE) {
    table_open(&table, headings, watching->series->n_clusters + 2);
    for (size_t i = 0; i < watching->series->n_bindings; i++) {
      put_row(watching, i, &table, &cell);
    }
    put(&out, CLEAR);
    put_moment(watching, moment, &out);
    put(&out, "\n\n");
    table_write(&table, &out);
    put(&out, "\n");
    put_news(watching, moment, &out);
    table_close(&table);
    output_close(&cell);
    (void)fputs(rebal_text_bytes(out.text, NULL), stdout);
    (void)fflush(stdout);
    (void)nanosleep(&pause, NULL);
    status = out.failed ? complain_of_memory() : STATUS_DONE;
  }
  output_close(&out);
  return status;
}

/* Appends lines for the bindings that changed at a moment, from its n points. */
static void put_lines(struct watching *watching, const struct point *points, size_t n, struct output *out) {
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || points[i].binding != points[i - 1].binding) {
      put_line(watching, points[i].moment, points[i].binding, out);
    }
  }
}

static enum status show(struct watching *watching, const char **headings, struct output *out) {
  const struct series *series = watching->series;
  const int is_terminal = isatty(STDOUT_FILENO);
  enum status status = STATUS_DONE;
  size_t n;
  progress_stop(); /* its timer would interrupt pauses */
  headings[0] = "BINDING";
  headings[1] = "WANTED";
  for (size_t i = 0; i < series->n_clusters; i++) {
    headings[i + 2] = series->clusters[i];
  }
  for (size_t i = 0; status == STATUS_DONE && i < series->n_points; i += n) {
    const struct point *points = series->points + i;
    for (n = 0; i + n < series->n_points && points[n].moment == points->moment; n++) {
      watching->now[points[n].binding * (series->n_clusters + 1) + points[n].cluster] = points[n].numbers;
    }
    if (is_terminal) {
      status = draw(watching, points->moment, headings);
    } else {
      put_lines(watching, points, n, out);
    }
  }
  return status;
}

enum status watch_show(const rebal_simulation *simulation, const struct series *series, struct output *out) {
  struct watching watching = {.simulation = simulation, .series = series};
  const char **headings = calloc(series->n_clusters + 2, sizeof *headings);
  enum status status;
  watching.now = calloc(series->n_bindings * (series->n_clusters + 1) + 1, sizeof *watching.now);
  status = headings != NULL && watching.now != NULL ? show(&watching, headings, out) : complain_of_memory();
  free(headings);
  free(watching.now);
  return status;
}
