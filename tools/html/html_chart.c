/* SPDX-License-Identifier: MIT */
/* Draws one binding as a picture: replicas by cluster, stacked, over time. */
#include "view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH AXIS_WIDTH
#define HEIGHT AXIS_HEIGHT
#define COLOURS 8
/* Minimum and maximum drawn length of a pause. */
#define SHORTEST_MS 500
#define LONGEST_MS 60000
/* Larger numbers are drawn as this one: times HEIGHT, the sum over a million clusters does not overflow. */
#define MOST INT64_C(4294967296)

/* A rectangle that is still growing: the numbers of a cluster since a moment. */
struct bar {
  int64_t from, base;
  struct numbers numbers;
  uint32_t moment;
};

struct chart {
  const struct series *series;
  struct output *out;
  int64_t *places;  /* of moments */
  struct bar *bars; /* by cluster */
  struct numbers *now;
  int64_t *heights; /* scratch, by cluster */
  int64_t highest;
};

static int64_t drawn(int64_t replicas) {
  return replicas < 0 ? 0 : replicas > MOST ? MOST : replicas;
}

static int64_t pause_of(const rebal_time *from, const rebal_time *to) {
  const int64_t seconds = to->seconds - from->seconds;
  const int64_t ms = seconds > LONGEST_MS ? LONGEST_MS : seconds * 1000 + (to->nanos - from->nanos) / 1000000;
  return ms < SHORTEST_MS ? SHORTEST_MS : ms > LONGEST_MS ? LONGEST_MS : ms;
}

static void place_moments(struct chart *chart) {
  const struct series *series = chart->series;
  int64_t sum = 0;
  for (size_t i = 1; i < series->n_moments; i++) {
    sum += pause_of(&series->moments[i - 1], &series->moments[i]); /* times WIDTH below 2^63 for 10^10 moments */
    chart->places[i] = sum;
  }
  for (size_t i = 0; i < series->n_moments && sum > 0; i++) {
    chart->places[i] = chart->places[i] * WIDTH / sum;
  }
}

static int64_t height_of(const struct chart *chart, int64_t replicas) {
  return replicas * HEIGHT / chart->highest;
}

static void put_number(struct output *out, const char *name, int64_t value) {
  put(out, " ");
  put(out, name);
  put(out, "=\"");
  put_integer(out, value);
  put(out, "\"");
}

static void put_time(struct output *out, const rebal_time *time) {
  char text[TIME_CAPACITY];
  put(out, time_text(time, text));
}

static void write_rectangle(const struct chart *chart, const char *kind, size_t cluster, int64_t to, int64_t low,
                            int64_t high) {
  const struct bar *bar = &chart->bars[cluster];
  char class[64];
  if (high <= low || to <= bar->from) {
    return;
  }
  (void)snprintf(class, sizeof class, "<rect class=\"%s c%zu\"", kind, cluster % COLOURS);
  put(chart->out, class);
  put_number(chart->out, "x", bar->from);
  put_number(chart->out, "y", HEIGHT - height_of(chart, high));
  put_number(chart->out, "width", to - bar->from);
  put_number(chart->out, "height", height_of(chart, high) - height_of(chart, low));
  put(chart->out, "><title>");
  put_html(chart->out, chart->series->clusters[cluster]);
  put(chart->out, ": ");
  put_integer(chart->out, bar->numbers.ready);
  put(chart->out, " of ");
  put_integer(chart->out, bar->numbers.running);
  put(chart->out, " ready from ");
  put_time(chart->out, &chart->series->moments[bar->moment]);
  put(chart->out, "</title></rect>\n");
}

/* Draws the bar of a cluster up to a place. */
static void end_bar(const struct chart *chart, size_t cluster, int64_t to) {
  const struct bar *bar = &chart->bars[cluster];
  const int64_t ready = bar->base + drawn(bar->numbers.ready);
  write_rectangle(chart, "ready", cluster, to, bar->base, ready);
  write_rectangle(chart, "starting", cluster, to, ready, bar->base + drawn(bar->numbers.running));
}

/* Starts the bars of a moment; unchanged bars are kept. */
static void stack(struct chart *chart, uint32_t moment) {
  const int64_t place = chart->places[moment];
  int64_t base = 0;
  for (size_t i = 0; i < chart->series->n_clusters; i++) {
    struct bar *bar = &chart->bars[i];
    const struct numbers *now = &chart->now[i];
    if (bar->base != base || bar->numbers.ready != now->ready || bar->numbers.running != now->running) {
      end_bar(chart, i, place);
      *bar = (struct bar){place, base, *now, moment};
    }
    base += drawn(now->running);
  }
}

static void draw_bars(struct chart *chart, const struct point *points, size_t n) {
  const size_t n_clusters = chart->series->n_clusters;
  for (size_t i = 0; i < n; i++) {
    if (points[i].cluster < n_clusters) {
      chart->now[points[i].cluster] = points[i].numbers;
    }
    if (i + 1 == n || points[i + 1].moment != points[i].moment) {
      stack(chart, points[i].moment);
    }
  }
  for (size_t i = 0; i < n_clusters; i++) {
    end_bar(chart, i, WIDTH);
  }
}

/* Draws the line of wanted replicas. */
static void draw_wanted(const struct chart *chart, const struct point *points, size_t n) {
  int64_t height = HEIGHT;
  int is_begun = 0;
  put(chart->out, "<path class=\"wanted\" d=\"");
  for (size_t i = 0; i < n; i++) {
    if (points[i].cluster == chart->series->n_clusters) {
      height = HEIGHT - height_of(chart, drawn(points[i].numbers.assigned));
      put(chart->out, is_begun ? " H" : "M");
      put_integer(chart->out, chart->places[points[i].moment]);
      put(chart->out, is_begun ? " V" : " ");
      put_integer(chart->out, height);
      is_begun = 1;
    }
  }
  put(chart->out, is_begun ? " H10000\"><title>wanted</title></path>\n" : "M0 2000\"/>\n");
}

static void draw_steps(const struct chart *chart, const rebal_simulation *simulation) {
  const size_t n = (size_t)summary_of(simulation).log_rows;
  for (size_t i = 0; i < n; i++) {
    if (log_entry(simulation, i).kind == REBAL_LOG_KIND_STEP) {
      const rebal_time time = log_time(simulation, i);
      put(chart->out, "<path class=\"step\" d=\"M");
      put_integer(chart->out, chart->places[series_moment(chart->series, &time)]);
      put(chart->out, " 0 V2000\"><title>");
      put_html(chart->out, log_entry(simulation, i).change);
      put(chart->out, "</title></path>\n");
    }
  }
}

/* The largest number of the line of wanted replicas and of the stacks after each moment. */
static int64_t highest_of(const struct chart *chart, const struct point *points, size_t n) {
  int64_t highest = 1, pile = 0;
  for (size_t i = 0; i < n; i++) {
    const struct point *point = &points[i];
    if (point->cluster == chart->series->n_clusters) {
      const int64_t wanted = drawn(point->numbers.assigned);
      highest = wanted > highest ? wanted : highest;
    } else {
      pile += drawn(point->numbers.running) - chart->heights[point->cluster];
      chart->heights[point->cluster] = drawn(point->numbers.running);
    }
    if ((i + 1 == n || points[i + 1].moment != point->moment) && pile > highest) {
      highest = pile;
    }
  }
  return highest;
}

static void write_picture(struct chart *chart, const rebal_simulation *simulation, const struct point *points,
                          size_t n) {
  const struct axis axis = {simulation, chart->series, chart->places, chart->highest, chart->out};
  put(chart->out, "<div class=\"wide\"><div class=\"chart\">\n");
  html_axis_numbers(&axis);
  put(chart->out,
      "<div class=\"picture\">\n<svg viewBox=\"0 0 10000 2000\" preserveAspectRatio=\"none\" "
      "role=\"img\" aria-label=\"replicas by cluster over time\">\n");
  draw_bars(chart, points, n);
  html_axis_grid(&axis);
  draw_steps(chart, simulation);
  draw_wanted(chart, points, n);
  put(chart->out, "</svg>\n");
  html_axis_times(&axis);
  html_axis_steps(&axis);
  put(chart->out, "</div></div></div>\n");
}

enum status html_chart(const rebal_simulation *simulation, const struct series *series, const struct point *points,
                       size_t n, struct output *out) {
  struct chart chart = {.series = series, .out = out};
  enum status status = STATUS_DONE;
  chart.places = calloc(series->n_moments + 1, sizeof *chart.places);
  chart.bars = calloc(series->n_clusters + 1, sizeof *chart.bars);
  chart.now = calloc(series->n_clusters + 1, sizeof *chart.now);
  chart.heights = calloc(series->n_clusters + 1, sizeof *chart.heights);
  if (chart.places == NULL || chart.bars == NULL || chart.now == NULL || chart.heights == NULL) {
    status = complain_of_memory();
  } else {
    chart.highest = highest_of(&chart, points, n);
    place_moments(&chart);
    write_picture(&chart, simulation, points, n);
  }
  free(chart.places);
  free(chart.bars);
  free(chart.now);
  free(chart.heights);
  return status;
}
