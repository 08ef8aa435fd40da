/* SPDX-License-Identifier: MIT */
/* tools/view.h - views of a run of the simulation. */
#ifndef VIEW_H
#define VIEW_H

#include "html/html.h"

#include <rebalance/simulation.h>

/* ---- replicas of each binding in each cluster, by moment (html_series.c) ---- */

struct numbers {
  int64_t assigned, ready, running;
};

/* Numbers from a moment on. */
struct point {
  uint32_t moment, binding;
  uint32_t cluster; /* n_clusters: the sum of all, with the wanted replicas as assigned */
  struct numbers numbers;
};

/* Texts are owned by the simulation. */
struct series {
  const char **clusters, **bindings; /* by name */
  size_t n_clusters, n_bindings;
  rebal_time *moments; /* of changes, steps and the end; ascending */
  size_t n_moments;
  struct point *points;
  size_t n_points;
};

/* Call series_close() also after a failure. */
enum status series_open(const rebal_simulation *simulation, struct series *series);
void series_close(struct series *series);
/* Points by binding, moment and cluster, or by moment, binding and cluster. */
enum series_order { SERIES_BY_BINDING, SERIES_BY_MOMENT };
void series_sort(struct series *series, enum series_order order);
uint32_t series_moment(const struct series *series, const rebal_time *time);
/* The number of a binding; n_bindings if there is no such binding. */
size_t series_binding(const struct series *series, const char *name);
/* The time of a row of the log; unset if it has none. */
rebal_simulation_entry log_entry(const rebal_simulation *simulation, size_t row);
rebal_time log_time(const rebal_simulation *simulation, size_t row);
rebal_simulation_summary summary_of(const rebal_simulation *simulation);

/* ---- words (deletion_reason.c) ---- */

/* By REBAL_DELETION_RULE_*; "" for none. */
const char *deletion_reason(uint32_t rule);

/* ---- pages and tables ---- */

/* Appends a self-contained page (html_page.c); points are by binding. */
enum status html_write(const rebal_simulation *simulation, const struct series *series, struct output *out);
/* Appends the picture of one binding from its n points (html_chart.c). */
enum status html_chart(const rebal_simulation *simulation, const struct series *series, const struct point *points,
                       size_t n, struct output *out);

/* The labels around a picture (html_axis.c); places are of moments, of AXIS_WIDTH. */
#define AXIS_WIDTH 10000
#define AXIS_HEIGHT 2000
struct axis {
  const rebal_simulation *simulation;
  const struct series *series;
  const int64_t *places;
  int64_t highest; /* number of replicas at the top */
  struct output *out;
};
void html_axis_numbers(const struct axis *axis);
/* Appends the lines in the picture. */
void html_axis_grid(const struct axis *axis);
/* Appends as many times as fit: the ends, steps, then other moments. */
void html_axis_times(const struct axis *axis);
void html_axis_steps(const struct axis *axis);

/* Prints lines for each moment; on a terminal an animated table (watch_view.c). Points are by moment. */
enum status watch_show(const rebal_simulation *simulation, const struct series *series, struct output *out);

#endif
