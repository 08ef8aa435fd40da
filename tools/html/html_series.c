/* SPDX-License-Identifier: MIT */
/* Sorts the shares of a simulation in the order in which they are drawn. */
#include "view.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *left, const void *right) {
  const char *const *a = left, *const *b = right;
  return strcmp(*a, *b);
}

static int compare_times(const void *left, const void *right) {
  return rebal_time_compare(left, right);
}

static int compare_numbers(uint32_t left, uint32_t right) {
  return left < right ? -1 : left > right;
}

static int compare_in_bindings(const void *left, const void *right) {
  const struct point *a = left, *b = right;
  const int order = compare_numbers(a->binding, b->binding), later = compare_numbers(a->moment, b->moment);
  return order != 0 ? order : later != 0 ? later : compare_numbers(a->cluster, b->cluster);
}

static int compare_in_moments(const void *left, const void *right) {
  const struct point *a = left, *b = right;
  const int order = compare_numbers(a->moment, b->moment);
  return order != 0 ? order : compare_in_bindings(left, right);
}

rebal_simulation_entry log_entry(const rebal_simulation *simulation, size_t row) {
  rebal_simulation_entry entry = {.struct_size = sizeof entry};
  (void)rebal_simulation_log_read(simulation, row, &entry, NULL);
  return entry;
}

rebal_simulation_summary summary_of(const rebal_simulation *simulation) {
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  (void)rebal_simulation_summarize(simulation, &summary, NULL);
  return summary;
}

rebal_time log_time(const rebal_simulation *simulation, size_t row) {
  const rebal_simulation_entry entry = log_entry(simulation, row);
  rebal_time time = {0, 0, 0};
  (void)rebal_time_parse(entry.time, (size_t)entry.time_len, &time, NULL);
  return time;
}

static rebal_simulation_share share_at(const rebal_simulation *simulation, size_t row) {
  rebal_simulation_share share = {.struct_size = sizeof share};
  (void)rebal_simulation_share_read(simulation, row, &share, NULL);
  return share;
}

/* Sorts and removes duplicates. */
static size_t unique_names(const char **names, size_t n) {
  size_t kept = 0;
  if (n > 0) {
    qsort(names, n, sizeof *names, compare_names);
  }
  for (size_t i = 0; i < n; i++) {
    if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0) {
      names[kept++] = names[i];
    }
  }
  return kept;
}

static uint32_t find_name(const char *const *names, size_t n, const char *name) {
  const char *const *found = n > 0 ? bsearch(&name, names, n, sizeof *names, compare_names) : NULL;
  return (uint32_t)(found != NULL ? (size_t)(found - names) : n);
}

size_t series_binding(const struct series *series, const char *name) {
  return find_name(series->bindings, series->n_bindings, name);
}

uint32_t series_moment(const struct series *series, const rebal_time *time) {
  size_t low = 0, high = series->n_moments;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (rebal_time_compare(&series->moments[middle], time) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (uint32_t)low;
}

static void collect_names(const rebal_simulation *simulation, struct series *series) {
  const size_t n = (size_t)summary_of(simulation).share_rows;
  for (size_t i = 0; i < n; i++) {
    const rebal_simulation_share share = share_at(simulation, i);
    series->bindings[i] = share.binding;
    if (share.cluster[0] != '\0') {
      series->clusters[series->n_clusters++] = share.cluster;
    }
  }
  series->n_clusters = unique_names(series->clusters, series->n_clusters);
  series->n_bindings = unique_names(series->bindings, n);
}

static void collect_moments(const rebal_simulation *simulation, struct series *series) {
  const rebal_simulation_summary summary = summary_of(simulation);
  const size_t n = (size_t)summary.share_rows, n_rows = (size_t)summary.log_rows;
  size_t used = 0, kept = 0;
  for (size_t i = 0; i < n; i++) {
    series->moments[used++] = share_at(simulation, i).time;
  }
  for (size_t i = 0; i < n_rows; i++) {
    if (log_entry(simulation, i).kind == REBAL_LOG_KIND_STEP) {
      series->moments[used++] = log_time(simulation, i);
    }
  }
  series->moments[used++] = summary.now;
  qsort(series->moments, used, sizeof *series->moments, compare_times);
  for (size_t i = 0; i < used; i++) {
    if (kept == 0 || rebal_time_compare(&series->moments[kept - 1], &series->moments[i]) != 0) {
      series->moments[kept++] = series->moments[i];
    }
  }
  series->n_moments = kept;
}

/* Keeps the last of several rows of a share at one moment. Its index plus 1 is kept by pair, 0: none. */
static void collect_points(const rebal_simulation *simulation, struct series *series, size_t *last) {
  const size_t n = (size_t)summary_of(simulation).share_rows;
  for (size_t i = 0; i < n; i++) {
    const rebal_simulation_share share = share_at(simulation, i);
    const struct point point = {series_moment(series, &share.time),
                                find_name(series->bindings, series->n_bindings, share.binding),
                                find_name(series->clusters, series->n_clusters, share.cluster),
                                {share.assigned, share.ready, share.running}};
    size_t *place = &last[point.binding * (series->n_clusters + 1) + point.cluster];
    if (*place == 0 || series->points[*place - 1].moment != point.moment) {
      *place = ++series->n_points;
    }
    series->points[*place - 1] = point;
  }
}

enum status series_open(const rebal_simulation *simulation, struct series *series) {
  const rebal_simulation_summary summary = summary_of(simulation);
  const size_t n = (size_t)summary.share_rows, n_rows = (size_t)summary.log_rows;
  size_t *last = NULL;
  *series = (struct series){.clusters = calloc(n + 1, sizeof *series->clusters)};
  series->bindings = calloc(n + 1, sizeof *series->bindings);
  series->moments = calloc(n + n_rows + 1, sizeof *series->moments);
  series->points = calloc(n + 1, sizeof *series->points);
  if (series->clusters != NULL && series->bindings != NULL && series->moments != NULL && series->points != NULL) {
    collect_names(simulation, series);
    collect_moments(simulation, series);
    last = calloc(series->n_bindings * (series->n_clusters + 1) + 1, sizeof *last);
  }
  if (last == NULL) {
    return complain_of_memory();
  }
  collect_points(simulation, series, last);
  free(last);
  return STATUS_DONE;
}

void series_sort(struct series *series, enum series_order order) {
  if (series->n_points > 0) {
    qsort(series->points, series->n_points, sizeof *series->points,
          order == SERIES_BY_BINDING ? compare_in_bindings : compare_in_moments);
  }
}

void series_close(struct series *series) {
  free(series->clusters);
  free(series->bindings);
  free(series->moments);
  free(series->points);
}
