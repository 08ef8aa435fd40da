/* SPDX-License-Identifier: MIT */
/* The waves of a plan on a time axis. */
#include "plan/plan.h"

#include <stdlib.h>

#define WIDTH PLAN_PICTURE_WIDTH
#define LINE 20
#define NAME_BYTE 8    /* usual maximum width of a byte of a name */
#define MOST_LINES 200 /* bindings that are drawn */

/* Appends the effect of one write of a binding. */
static size_t put_write(const struct planned *planned, size_t first, struct output *out) {
  const struct waves *waves = &planned->waves;
  size_t i = first;
  for (; i < waves->n_writes && waves->writes[i].wave == waves->writes[first].wave &&
         waves->writes[i].binding == waves->writes[first].binding;
       i++) {
    put(out, i > first ? ", " : "");
    put_html(out, cluster_name(planned->world, waves->writes[i].cluster));
    put(out, " ");
    put_integer(out, waves->writes[i].from);
    put(out, " to ");
    put_integer(out, waves->writes[i].to);
  }
  return i;
}

/* The lines of the written bindings, in their order; SIZE_MAX: none. */
static size_t number_lines(const struct planned *planned, size_t *lines) {
  size_t n = 0;
  for (size_t i = 0; i < planned->n; i++) {
    lines[i] = SIZE_MAX;
  }
  for (size_t i = 0; i < planned->waves.n_writes; i++) {
    lines[planned->waves.writes[i].binding] = 0;
  }
  for (size_t i = 0; i < planned->n; i++) {
    lines[i] = lines[i] == SIZE_MAX ? SIZE_MAX : n++;
  }
  return n;
}

/* The width of the names, up to three fifths of the picture. */
static int64_t width_of_names(const struct planned *planned, const size_t *lines, struct output *cell) {
  int64_t widest = 150;
  for (size_t i = 0; i < planned->n; i++) {
    size_t len;
    if (lines[i] < MOST_LINES) {
      put_object(cell, planned->world, planned->objects[i]);
      (void)rebal_text_bytes(cell->text, &len);
      widest = (int64_t)len * NAME_BYTE > widest ? (int64_t)len * NAME_BYTE : widest;
      rebal_text_reset(cell->text);
    }
  }
  return widest < WIDTH * 3 / 5 ? widest : WIDTH * 3 / 5;
}

static void put_line_names(const struct planned *planned, const size_t *lines, struct output *out,
                           struct output *cell) {
  for (size_t i = 0; i < planned->n; i++) {
    if (lines[i] < MOST_LINES) {
      put_object(cell, planned->world, planned->objects[i]);
      put(out, "<text x=\"0\" y=\"");
      put_integer(out, ((int64_t)lines[i] + 1) * LINE + 15);
      put(out, "\">");
      put_html(out, rebal_text_bytes(cell->text, NULL));
      put(out, "</text>\n");
      rebal_text_reset(cell->text);
    }
  }
}

/* The left edge of a wave, in tenths. */
static int64_t start_of(const struct waves *waves, int64_t names, size_t wave) {
  return 10 * names + 10 * (WIDTH - names) * (int64_t)wave / (int64_t)waves->n;
}

/* Draws the numbers of waves above the marks, as many as fit. */
static void put_axis(const struct waves *waves, int64_t names, struct output *out) {
  const size_t most = (size_t)((WIDTH - names) / 40), step = (waves->n + most - 1) / most;
  for (size_t wave = 0; wave < waves->n; wave += step) {
    put(out, "<text x=\"");
    plan_put_length(out, start_of(waves, names, wave));
    put(out, "\" y=\"15\">");
    put_integer(out, (int64_t)wave + 1);
    put(out, "</text>\n");
  }
}

static void put_marks(const struct planned *planned, const size_t *lines, int64_t names, struct output *out) {
  const struct waves *waves = &planned->waves;
  const int64_t wide = 10 * (WIDTH - names) / (int64_t)waves->n;
  size_t i = 0;
  while (i < waves->n_writes) {
    const struct wave_write *write = &waves->writes[i];
    if (lines[write->binding] >= MOST_LINES) {
      i++;
      continue;
    }
    put(out, "<rect class=\"wave ");
    put(out, write->to < write->from ? "c1" : "c0");
    put(out, "\" x=\"");
    plan_put_length(out, start_of(waves, names, write->wave));
    put(out, "\" y=\"");
    put_integer(out, ((int64_t)lines[write->binding] + 1) * LINE + 3);
    put(out, "\" width=\"");
    plan_put_length(out, wide > 60 ? wide - 20 : wide);
    put(out, "\" height=\"14\"><title>wave ");
    put_integer(out, (int64_t)write->wave + 1);
    put(out, ": ");
    i = put_write(planned, i, out);
    put(out, "</title></rect>\n");
  }
}

static void write_legend(const struct planned *planned, size_t n_lines, struct output *out) {
  put(out, "<h2>Waves</h2>\n<p>");
  put_integer(out, (int64_t)planned->waves.n);
  put(out,
      " from left to right, each sent once the replicas of the one before are ready.<span class=\"key c0\"></span>adds"
      "<span class=\"key c1\"></span>removes");
  if (n_lines > MOST_LINES) {
    put(out, ". Of ");
    put_integer(out, (int64_t)n_lines);
    put(out, " bindings the first ");
    put_integer(out, MOST_LINES);
  }
  put(out, "</p>\n");
}

enum status plan_write_wave_picture(const struct planned *planned, struct output *out, struct output *cell) {
  size_t *lines;
  size_t n;
  int64_t names;
  if (planned->waves.n == 0) {
    return STATUS_DONE;
  }
  lines = malloc((planned->n + 1) * sizeof *lines);
  if (lines == NULL) {
    return complain_of_memory();
  }
  n = number_lines(planned, lines);
  names = width_of_names(planned, lines, cell);
  write_legend(planned, n, out);
  put(out,
      "<div class=\"wide\"><svg class=\"flows waves\" role=\"img\" aria-label=\"writes of each binding by wave\" "
      "viewBox=\"0 0 ");
  put_integer(out, WIDTH);
  put(out, " ");
  put_integer(out, ((int64_t)(n < MOST_LINES ? n : MOST_LINES) + 1) * LINE + 4);
  put(out, "\">\n");
  put_axis(&planned->waves, names, out);
  put_line_names(planned, lines, out, cell);
  put_marks(planned, lines, names, out);
  put(out, "</svg></div>\n");
  free(lines);
  return STATUS_DONE;
}
