/* SPDX-License-Identifier: MIT */
/* A run of the simulation as one page: no scripts, no external resources, the same bytes for the same run. */
#include "view.h"

#include <stdio.h>
#include <string.h>

static void write_summary(const rebal_simulation *simulation, const struct series *series, struct output *out) {
  const rebal_simulation_summary summary = summary_of(simulation);
  char text[TIME_CAPACITY];
  put(out, "<h1>Simulation</h1>\n<p id=\"summary\">From ");
  put(out, time_text(&series->moments[0], text));
  put(out, " to ");
  put(out, time_text(&series->moments[series->n_moments - 1], text));
  put(out, ": ");
  put_integer(out, (int64_t)summary.steps);
  put(out, " steps, ");
  put_integer(out, (int64_t)summary.held);
  put(out, " expectations held, ");
  put_integer(out, (int64_t)summary.failed);
  put(out, " failed");
  if (summary.overused > 0) {
    put(out, ", ");
    put_integer(out, (int64_t)summary.overused);
    put(out, summary.overused > 1 ? " clusters used beyond their capacity" : " cluster used beyond its capacity");
  }
  put(out,
      ".</p>\n<p>Replicas by cluster, stacked; pale: not ready yet. The line shows the wanted replicas, "
      "dotted lines are steps. Pauses longer than a minute are drawn as a minute.</p>\n<p id=\"clusters\">");
  for (size_t i = 0; i < series->n_clusters; i++) {
    const char digit[2] = {(char)('0' + i % 8), '\0'};
    put(out, "<span class=\"key c");
    put(out, digit);
    put(out, "\"></span>");
    put_html(out, series->clusters[i]);
  }
  put(out, "</p>\n");
}

/* Selects the binding that the page shows: by CSS, as there is no script. Class names are numbers of bindings. */
static void write_choice(const struct series *series, struct output *out) {
  char text[256];
  if (series->n_bindings < 2) {
    return;
  }
  put(out,
      "<fieldset id=\"bindings\"><legend>Binding</legend>\n<label><input type=\"radio\" name=\"binding\" "
      "checked>all</label>\n");
  for (size_t i = 0; i < series->n_bindings; i++) {
    (void)snprintf(text, sizeof text, "<label><input type=\"radio\" name=\"binding\" id=\"b%zu\">", i);
    put(out, text);
    put_html(out, series->bindings[i]);
    put(out, "</label>\n");
  }
  put(out, "</fieldset>\n<style>\n");
  for (size_t i = 0; i < series->n_bindings; i++) {
    (void)snprintf(text, sizeof text, "body:has(#b%zu:checked) :is(section, tr.of):not(.b%zu) { display: none; }\n", i,
                   i);
    put(out, text);
  }
  put(out, "</style>\n");
}

/* Begins the row of an object; a row of a binding is shown if that binding is selected. */
static void begin_row(const struct series *series, const char *object, int has_failed, struct output *out) {
  const size_t binding = series_binding(series, object);
  if (binding == series->n_bindings) {
    put(out, has_failed ? "<tr class=\"failed\">" : "<tr>");
    return;
  }
  put(out, has_failed ? "<tr class=\"failed of b" : "<tr class=\"of b");
  put_integer(out, (int64_t)binding);
  put(out, "\">");
}

/* The numbers of the picture as a table. */
static void write_numbers(const struct series *series, const struct point *points, size_t n, struct output *out) {
  char text[TIME_CAPACITY];
  put(out,
      "<details><summary>Numbers</summary>\n<table class=\"shares\">\n<tr><th>time</th><th>cluster</th>"
      "<th class=\"n\">assigned</th><th class=\"n\">ready</th><th class=\"n\">running</th></tr>\n");
  for (size_t i = 0; i < n; i++) {
    const int is_whole = points[i].cluster == series->n_clusters;
    put(out, is_whole ? "<tr class=\"whole\">" : "<tr>");
    html_cell(out, time_text(&series->moments[points[i].moment], text));
    html_cell(out, is_whole ? "wanted, and total" : series->clusters[points[i].cluster]);
    html_number(out, points[i].numbers.assigned);
    html_number(out, points[i].numbers.ready);
    html_number(out, points[i].numbers.running);
    put(out, "</tr>\n");
  }
  put(out, "</table></details>\n");
}

static enum status write_binding(const rebal_simulation *simulation, const struct series *series,
                                 const struct point *points, size_t n, struct output *out) {
  enum status status;
  put(out, "<section class=\"b");
  put_integer(out, points[0].binding);
  put(out, "\">\n<h2>");
  put_html(out, series->bindings[points[0].binding]);
  put(out, "</h2>\n");
  status = html_chart(simulation, series, points, n, out);
  write_numbers(series, points, n, out);
  put(out, "</section>\n");
  return status;
}

/* Writes "spec.clusters: {..}" or "{..} -> {..}" as two cells. */
static void write_move(const struct series *series, const rebal_simulation_entry *entry, const char *targets,
                       struct output *out) {
  const char *arrow = strstr(targets, " -> ");
  begin_row(series, entry->object, 0, out);
  html_cell(out, entry->time);
  html_words(out, entry->object, strlen(entry->object));
  html_words(out, targets, arrow != NULL ? (size_t)(arrow - targets) : 0);
  targets = arrow != NULL ? arrow + 4 : targets;
  html_words(out, targets, strlen(targets));
  html_words(out, entry->controller, strlen(entry->controller));
  html_cell(out, entry->reason);
  put(out, "</tr>\n");
}

static void write_moves(const rebal_simulation *simulation, const struct series *series, struct output *out) {
  static const char field[] = "spec.clusters: ";
  const size_t n = (size_t)summary_of(simulation).log_rows;
  put(out,
      "<h2>Moves</h2>\n<div class=\"wide\"><table "
      "id=\"moves\">\n<tr><th>time</th><th>binding</th><th>before</th><th>after</th>"
      "<th>controller</th><th>why</th></tr>\n");
  for (size_t i = 0; i < n; i++) {
    const rebal_simulation_entry entry = log_entry(simulation, i);
    if (entry.kind == REBAL_LOG_KIND_CHANGE && strncmp(entry.change, field, sizeof field - 1) == 0) {
      write_move(series, &entry, entry.change + sizeof field - 1, out);
    }
  }
  put(out, "</table></div>\n");
}

/* A note about replicas that are removed before their replacements are ready. */
static int is_breach(const rebal_simulation_entry *entry) {
  return entry->kind == REBAL_LOG_KIND_NOTE && strncmp(entry->change, "breach: ", 8) == 0;
}

struct kinds {
  uint32_t first, second;
};

/* Rows of the log of two kinds; breaches are listed with the events. */
static void write_rows(const rebal_simulation *simulation, const struct series *series, const char *id,
                       struct kinds kinds, struct output *out) {
  const size_t n = (size_t)summary_of(simulation).log_rows;
  put(out, "<div class=\"wide\"><table id=\"");
  put(out, id);
  put(out, "\">\n<tr><th>time</th><th>step</th><th>object</th><th>what</th></tr>\n");
  for (size_t i = 0; i < n; i++) {
    const rebal_simulation_entry entry = log_entry(simulation, i);
    const uint32_t kind = entry.kind;
    if (kind != kinds.first && kind != kinds.second && !(kinds.first == REBAL_LOG_KIND_EVENT && is_breach(&entry))) {
      continue;
    }
    begin_row(series, entry.object, kind == REBAL_LOG_KIND_FAILED, out);
    html_cell(out, entry.time);
    html_cell(out, entry.step);
    html_words(out, entry.object, strlen(entry.object));
    html_cell(out, strncmp(entry.change, "event ", 6) == 0 ? entry.change + 6 : entry.change);
    put(out, "</tr>\n");
  }
  put(out, "</table></div>\n");
}

enum status html_write(const rebal_simulation *simulation, const struct series *series, struct output *out) {
  enum status status = STATUS_DONE;
  size_t n;
  html_begin(out, "Simulation");
  write_summary(simulation, series, out);
  write_choice(series, out);
  for (size_t i = 0; status == STATUS_DONE && i < series->n_points; i += n) {
    for (n = 1; i + n < series->n_points && series->points[i + n].binding == series->points[i].binding; n++) {
    }
    status = write_binding(simulation, series, series->points + i, n, out);
  }
  write_moves(simulation, series, out);
  put(out, "<h2>Events and breaches</h2>\n");
  write_rows(simulation, series, "events", (struct kinds){REBAL_LOG_KIND_EVENT, REBAL_LOG_KIND_EVENT}, out);
  put(out, "<h2>Expectations</h2>\n");
  write_rows(simulation, series, "expectations", (struct kinds){REBAL_LOG_KIND_HELD, REBAL_LOG_KIND_FAILED}, out);
  html_end(out);
  return out->failed && status == STATUS_DONE ? complain_of_memory() : status;
}
