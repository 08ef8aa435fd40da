/* SPDX-License-Identifier: MIT */
/* A run of the simulation as one page: no script, nothing from elsewhere, the same bytes for the same run. */
#include "view.h"

#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Simulation</title>\n<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }\n"
    "h2 { font-size: 1.1em; margin: 2em 0 .3em; overflow-wrap: anywhere; }\n"
    "svg { background: #8881; display: block; height: 12em; width: 100%; }\n"
    "svg rect { shape-rendering: crispEdges; }\n"
    ".starting { opacity: .4; }\n"
    ".step, .wanted { fill: none; vector-effect: non-scaling-stroke; }\n"
    ".step { stroke: #8888; stroke-dasharray: 3 3; }\n"
    ".wanted { stroke: currentColor; stroke-width: 1.5; }\n"
    ".ends { display: flex; font-size: .85em; justify-content: space-between; opacity: .75; }\n"
    ".key { border-radius: 2px; display: inline-block; height: .8em; margin: 0 .3em 0 1em; width: .8em; }\n"
    ".c0 { background: #3b7dd8; fill: #3b7dd8; } .c1 { background: #e0843a; fill: #e0843a; }\n"
    ".c2 { background: #3f9f66; fill: #3f9f66; } .c3 { background: #b5578f; fill: #b5578f; }\n"
    ".c4 { background: #8a6fd1; fill: #8a6fd1; } .c5 { background: #b8a02e; fill: #b8a02e; }\n"
    ".c6 { background: #38a3a5; fill: #38a3a5; } .c7 { background: #c8524d; fill: #c8524d; }\n"
    "table { border-collapse: collapse; font-size: .9em; width: 100%; }\n"
    "th, td { border-bottom: 1px solid #8884; padding: .2em .8em .2em 0; text-align: left; vertical-align: top; }\n"
    "td { overflow-wrap: anywhere; } .n { text-align: right; white-space: nowrap; }\n"
    "td:first-child { white-space: nowrap; }\n"
    "details { margin: .5em 0; } .failed { color: #c8524d; font-weight: bold; }\n"
    "</style>\n</head>\n<body>\n";

void put_html(struct output *out, const char *text) {
  static const struct {
    char byte;
    const char *shown;
  } marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  char *shown = escaped(text);
  if (shown == NULL) {
    out->failed = 1;
    return;
  }
  for (const char *at = shown; *at != '\0';) {
    const size_t plain = strcspn(at, "&<>\"'");
    put_bytes(out, at, plain);
    at += plain;
    for (size_t i = 0; *at != '\0' && i < sizeof marks / sizeof marks[0]; i++) {
      if (marks[i].byte == *at) {
        put(out, marks[i].shown);
        at++;
        break;
      }
    }
  }
  free(shown);
}

static void put_cell(struct output *out, const char *text, size_t len) {
  char *copy = strndup(text, len);
  put(out, "<td>");
  if (copy == NULL) {
    out->failed = 1;
  } else {
    put_html(out, copy);
  }
  put(out, "</td>");
  free(copy);
}

static void put_text_cell(struct output *out, const char *text) {
  put_cell(out, text, strlen(text));
}

static void put_number_cell(struct output *out, int64_t value) {
  put(out, "<td class=\"n\">");
  put_integer(out, value);
  put(out, "</td>");
}

static void write_summary(const rebal_simulation *simulation, const struct series *series, struct output *out) {
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  char text[TIME_CAPACITY];
  (void)rebal_simulation_summarize(simulation, &summary, NULL);
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
  put(out,
      " failed.</p>\n<p>Replicas by cluster, one upon the other; pale: not ready yet. The line is what is wanted, "
      "dotted lines are steps. A pause of more than a minute is drawn as a minute.</p>\n<p id=\"clusters\">");
  for (size_t i = 0; i < series->n_clusters; i++) {
    const char digit[2] = {(char)('0' + i % 8), '\0'};
    put(out, "<span class=\"key c");
    put(out, digit);
    put(out, "\"></span>");
    put_html(out, series->clusters[i]);
  }
  put(out, "</p>\n");
}

/* The numbers that the picture shows. */
static void write_numbers(const struct series *series, const struct point *points, size_t n, struct output *out) {
  char text[TIME_CAPACITY];
  put(out,
      "<details><summary>Numbers</summary>\n<table class=\"shares\">\n<tr><th>time</th><th>cluster</th>"
      "<th class=\"n\">assigned</th><th class=\"n\">ready</th><th class=\"n\">running</th></tr>\n");
  for (size_t i = 0; i < n; i++) {
    const int is_whole = points[i].cluster == series->n_clusters;
    put(out, is_whole ? "<tr class=\"whole\">" : "<tr>");
    put_text_cell(out, time_text(&series->moments[points[i].moment], text));
    put_text_cell(out, is_whole ? "wanted, and in all" : series->clusters[points[i].cluster]);
    put_number_cell(out, points[i].numbers.assigned);
    put_number_cell(out, points[i].numbers.ready);
    put_number_cell(out, points[i].numbers.running);
    put(out, "</tr>\n");
  }
  put(out, "</table></details>\n");
}

static enum status write_binding(const rebal_simulation *simulation, const struct series *series,
                                 const struct point *points, size_t n, struct output *out) {
  char text[TIME_CAPACITY];
  enum status status;
  put(out, "<section>\n<h2>");
  put_html(out, series->bindings[points[0].binding]);
  put(out, "</h2>\n");
  status = html_chart(simulation, series, points, n, out);
  put(out, "<div class=\"ends\"><span>");
  put(out, time_text(&series->moments[0], text));
  put(out, "</span><span>");
  put(out, time_text(&series->moments[series->n_moments - 1], text));
  put(out, "</span></div>\n");
  write_numbers(series, points, n, out);
  put(out, "</section>\n");
  return status;
}

static const char *log_text(const rebal_simulation *simulation, size_t row, uint32_t column) {
  return rebal_simulation_log_text(simulation, row, column, NULL);
}

/* spec.clusters: {..} or {..} -> {..}, as two cells. */
static void write_move(const rebal_simulation *simulation, size_t row, const char *targets, struct output *out) {
  const char *arrow = strstr(targets, " -> ");
  put(out, "<tr>");
  put_text_cell(out, log_text(simulation, row, REBAL_LOG_TIME));
  put_text_cell(out, log_text(simulation, row, REBAL_LOG_OBJECT));
  put_cell(out, targets, arrow != NULL ? (size_t)(arrow - targets) : 0);
  put_text_cell(out, arrow != NULL ? arrow + 4 : targets);
  put_text_cell(out, log_text(simulation, row, REBAL_LOG_CONTROLLER));
  put_text_cell(out, log_text(simulation, row, REBAL_LOG_REASON));
  put(out, "</tr>\n");
}

static void write_moves(const rebal_simulation *simulation, struct output *out) {
  static const char field[] = "spec.clusters: ";
  const size_t n = rebal_simulation_log_count(simulation);
  put(out,
      "<h2>Moves</h2>\n<table id=\"moves\">\n<tr><th>time</th><th>binding</th><th>before</th><th>after</th>"
      "<th>who</th><th>why</th></tr>\n");
  for (size_t i = 0; i < n; i++) {
    const char *change = log_text(simulation, i, REBAL_LOG_CHANGE);
    if (rebal_simulation_log_kind(simulation, i) == REBAL_LOG_KIND_CHANGE &&
        strncmp(change, field, sizeof field - 1) == 0) {
      write_move(simulation, i, change + sizeof field - 1, out);
    }
  }
  put(out, "</table>\n");
}

/* A note of replicas that go before anything stands in for them. */
static int is_breach(const rebal_simulation *simulation, size_t row) {
  return rebal_simulation_log_kind(simulation, row) == REBAL_LOG_KIND_NOTE &&
         strncmp(log_text(simulation, row, REBAL_LOG_CHANGE), "breach: ", 8) == 0;
}

/* Rows of the log of two kinds; breaches stand among the events. */
static void write_rows(const rebal_simulation *simulation, const char *id, uint32_t first, uint32_t second,
                       struct output *out) {
  const size_t n = rebal_simulation_log_count(simulation);
  put(out, "<table id=\"");
  put(out, id);
  put(out, "\">\n<tr><th>time</th><th>step</th><th>object</th><th>what</th></tr>\n");
  for (size_t i = 0; i < n; i++) {
    const uint32_t kind = rebal_simulation_log_kind(simulation, i);
    const char *change = log_text(simulation, i, REBAL_LOG_CHANGE);
    if (kind != first && kind != second && !(first == REBAL_LOG_KIND_EVENT && is_breach(simulation, i))) {
      continue;
    }
    put(out, kind == REBAL_LOG_KIND_FAILED ? "<tr class=\"failed\">" : "<tr>");
    put_text_cell(out, log_text(simulation, i, REBAL_LOG_TIME));
    put_text_cell(out, log_text(simulation, i, REBAL_LOG_STEP));
    put_text_cell(out, log_text(simulation, i, REBAL_LOG_OBJECT));
    put_text_cell(out, strncmp(change, "event ", 6) == 0 ? change + 6 : change);
    put(out, "</tr>\n");
  }
  put(out, "</table>\n");
}

enum status html_write(const rebal_simulation *simulation, const struct series *series, struct output *out) {
  enum status status = STATUS_DONE;
  size_t n;
  put(out, head);
  write_summary(simulation, series, out);
  for (size_t i = 0; status == STATUS_DONE && i < series->n_points; i += n) {
    for (n = 1; i + n < series->n_points && series->points[i + n].binding == series->points[i].binding; n++) {
    }
    status = write_binding(simulation, series, series->points + i, n, out);
  }
  write_moves(simulation, out);
  put(out, "<h2>Events, and breaches</h2>\n");
  write_rows(simulation, "events", REBAL_LOG_KIND_EVENT, REBAL_LOG_KIND_EVENT, out);
  put(out, "<h2>Expectations</h2>\n");
  write_rows(simulation, "expectations", REBAL_LOG_KIND_HELD, REBAL_LOG_KIND_FAILED, out);
  put(out, "</body>\n</html>\n");
  return out->failed && status == STATUS_DONE ? complain_of_memory() : status;
}
