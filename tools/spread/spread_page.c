/* SPDX-License-Identifier: MIT */
/* A story of a WorkloadSpread as one page. */
#include "html/html.h"
#include "spread/spread.h"

#include <string.h>

#define BAR 1000

static void number_cell(struct output *out, int64_t value) {
  if (value == REBAL_ABSENT) {
    html_cell(out, "");
  } else {
    html_number(out, value);
  }
}

/* -1: unlimited. */
static void limit_cell(struct output *out, int64_t value) {
  if (value == -1) {
    html_cell(out, "unlimited");
  } else {
    number_cell(out, value);
  }
}

/* ---- subsets: their pods and limits ---- */

/* The largest number of all bars. */
static int64_t largest(const struct story *story) {
  int64_t most = 1;
  for (size_t i = 0; i < story->n; i++) {
    for (size_t k = 0; k < story->steps[i].n_subsets; k++) {
      const struct counted *row = &story->steps[i].subsets[k];
      most = row->active > most ? row->active : most;
      most = row->wanted > most ? row->wanted : most; /* absent: less than any number */
    }
  }
  return most;
}

/* most is at most 2^31: nothing overflows. */
static void write_bar(const struct counted *row, size_t subset, int64_t most, struct output *out) {
  put(out, "<td><svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\"><rect class=\"c");
  put_integer(out, (int64_t)(subset % 8));
  put(out, "\" height=\"10\" width=\"");
  put_integer(out, row->active * BAR / most);
  put(out, "\"><title>");
  put_html(out, row->name);
  put(out, ": ");
  put_integer(out, row->active);
  put(out, "</title></rect>");
  if (row->wanted >= 0) {
    put(out, "<path class=\"wanted\" d=\"M");
    put_integer(out, row->wanted * BAR / most);
    put(out, " 0v10\"/>");
  }
  put(out, "</svg></td>");
}

static void write_subsets(const struct step *step, int64_t most, struct output *out) {
  static const char *const headings[] = {"subset",  "version",  "",         "wanted",      "active",
                                         "missing", "creating", "deleting", "schedulable", "stuck"};
  size_t subset = 0;
  put(out, "<table class=\"subsets\">\n");
  HTML_HEADINGS(out, headings);
  for (size_t i = 0; i < step->n_subsets; i++) {
    const struct counted *row = &step->subsets[i];
    const char *before = i > 0 ? step->subsets[i - 1].version : row->version;
    const int is_first =
        i == 0 || (before == NULL) != (row->version == NULL) || (before != NULL && strcmp(before, row->version) != 0);
    subset = is_first ? 0 : subset + 1;
    put(out, "<tr>");
    html_cell(out, row->name);
    html_cell(out, row->version != NULL ? row->version : "all");
    write_bar(row, subset, most, out);
    limit_cell(out, row->wanted);
    html_number(out, row->active);
    limit_cell(out, row->missing);
    html_number(out, row->creating);
    html_number(out, row->deleting);
    html_cell(out, row->schedulable == REBAL_ABSENT ? "" : row->schedulable != 0 ? "True" : "False");
    html_number(out, row->stuck);
    put(out, "</tr>\n");
  }
  put(out, "</table>\n");
}

/* ---- pods ---- */

static void write_pods(const struct step *step, struct output *out) {
  static const char *const headings[] = {"pod", "version", "subset", "by", "cost", "why", "patch"};
  put(out, "<details open><summary>Pods</summary>\n<table class=\"pods\">\n");
  HTML_HEADINGS(out, headings);
  for (size_t i = 0; i < step->n_pods; i++) {
    const struct grouped *row = &step->pods[i];
    put(out, row->is_stuck || row->subset[0] == '\0' ? "<tr class=\"failed\">" : "<tr>");
    html_cell(out, row->name);
    html_cell(out, row->version);
    html_cell(out, row->subset);
    html_cell(out, row->by);
    number_cell(out, row->cost);
    html_cell(out, row->is_stuck ? "Stuck" : row->why);
    html_cell(out, row->patch);
    put(out, "</tr>\n");
  }
  put(out, "</table></details>\n");
}

static void write_admitted(const struct step *step, struct output *out) {
  static const char *const headings[] = {"pod", "operation", "outcome", "subset", "why", "patch"};
  put(out, "<table class=\"admitted\">\n");
  HTML_HEADINGS(out, headings);
  for (size_t i = 0; i < step->n_admitted; i++) {
    const struct admitted *row = &step->admitted[i];
    put(out, "<tr>");
    html_cell(out, row->name);
    html_cell(out, row->operation);
    html_cell(out, row->outcome);
    html_cell(out, row->subset);
    put(out, "<td>");
    put_html(out, row->passed_over);
    put(out, " ");
    put_html(out, row->message);
    put_html(out, row->first);
    put(out, "</td>");
    html_cell(out, row->patch);
    put(out, "</tr>\n");
  }
  put(out, "</table>\n");
}

static void write_happened(const struct step *step, struct output *out) {
  static const char *const headings[] = {"controller", "object", "change", "why"};
  put(out, "<table class=\"happened\">\n");
  HTML_HEADINGS(out, headings);
  for (size_t i = 0; i < step->n_happened; i++) {
    const struct happened *row = &step->happened[i];
    put(out, "<tr>");
    html_cell(out, row->controller);
    html_cell(out, row->object);
    html_cell(out, row->change);
    html_cell(out, row->reason);
    put(out, "</tr>\n");
  }
  put(out, "</table>\n");
}

/* ---- the page ---- */

static void write_end(const struct step *step, struct output *out) {
  char again[TIME_CAPACITY];
  put(out, "<p>");
  put(out, step->result);
  put(out, step->reason[0] != '\0' ? " " : "");
  put(out, step->reason);
  put(out, step->message[0] != '\0' ? ": " : "");
  put_html(out, step->message);
  put(out, step->again.is_set ? ". Next pass: " : ". Next pass: when something changes");
  put(out, time_text(&step->again, again));
  put(out, "</p>\n");
}

static void write_step(const struct step *step, int64_t most, struct output *out) {
  put(out, "<section>\n<h2>");
  put_html(out, step->title);
  put(out, "</h2>\n");
  if (step->n_happened > 0) {
    write_happened(step, out);
  }
  if (step->n_admitted > 0) {
    write_admitted(step, out);
  }
  if (step->n_subsets > 0) {
    write_subsets(step, most, out);
  }
  if (step->n_pods > 0) {
    write_pods(step, out);
  }
  if (step->result != NULL) {
    write_end(step, out);
  }
  put(out, "</section>\n");
}

/* Appends a heading where another WorkloadSpread begins. */
static void write_name(const struct story *story, size_t i, struct output *name, struct output *out) {
  if (i > 0 && story->steps[i].object == story->steps[i - 1].object) {
    return;
  }
  put_spread(name, story->world, story->steps[i].object);
  put(out, "<h1>");
  put_html(out, rebal_text_bytes(name->text, NULL));
  put(out, "</h1>\n");
  rebal_text_reset(name->text);
}

enum status spread_page(const struct story *story, struct output *out) {
  const int64_t most = largest(story);
  struct output name;
  enum status status = output_open(&name);
  if (status != STATUS_DONE) {
    return status;
  }
  html_begin(out, "WorkloadSpread");
  for (size_t i = 0; i < story->n; i++) {
    write_name(story, i, &name, out);
    write_step(&story->steps[i], most, out);
  }
  html_end(out);
  out->failed |= name.failed;
  output_close(&name);
  return out->failed ? complain_of_memory() : STATUS_DONE;
}
