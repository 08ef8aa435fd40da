/* SPDX-License-Identifier: MIT */
/* A plan as a page: replicas flowing between clusters, then the tables. */
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1000
#define BAR_WIDTH 12
#define ROW_GAP 8
#define HEIGHT 560
#define MOST_CLUSTERS 40 /* more than these, the rest is drawn as one */

/* What moves from one cluster to another, as places among those drawn. */
struct flow {
  size_t source, target;
  int64_t replicas;
};

struct picture {
  const struct planned *planned;
  size_t *places;                  /* by row of CLUSTER_USE: place among those drawn */
  size_t n_drawn;                  /* clusters, the rest as one included */
  size_t n_rest;                   /* clusters that are drawn as one */
  int64_t *before, *after;         /* by place, as all below */
  int64_t *left, *right;           /* top of the bars, in tenths of pixels as all lengths */
  int64_t *left_used, *right_used; /* replicas of them that flows have taken */
  int64_t space, most;             /* what all replicas of the side that has more are high, and how many they are */
  struct flow *flows;              /* by source and target, one for each pair */
  size_t n_flows;
  struct output *out;
};

/* ---- what is drawn ---- */

static int64_t moved(const struct planned *planned, size_t row) {
  return plan_cell(planned, REBAL_CLUSTER_USE_MOVED_OUT, row) + plan_cell(planned, REBAL_CLUSTER_USE_MOVED_IN, row);
}

struct ranked {
  int64_t moved;
  size_t row;
};

static int compare_ranked(const void *left, const void *right) {
  const struct ranked *one = left, *other = right;
  if (one->moved != other->moved) {
    return one->moved > other->moved ? -1 : 1;
  }
  return (one->row > other->row) - (one->row < other->row);
}

/* The clusters between which most moves, in the order of their names. */
static int choose_clusters(struct picture *picture) {
  const size_t n = plan_rows(picture->planned, REBAL_TABLE_CLUSTER_USE);
  struct ranked *ranked = malloc((n + 1) * sizeof *ranked);
  picture->places = calloc(n + 1, sizeof *picture->places);
  if (ranked == NULL || picture->places == NULL) {
    free(ranked);
    return 0;
  }
  for (size_t i = 0; i < n; i++) {
    ranked[i] = (struct ranked){moved(picture->planned, i), i};
  }
  qsort(ranked, n, sizeof *ranked, compare_ranked);
  for (size_t i = MOST_CLUSTERS; i < n; i++) {
    picture->places[ranked[i].row] = SIZE_MAX;
    picture->n_rest++;
  }
  free(ranked);
  for (size_t i = 0; i < n; i++) {
    picture->places[i] = picture->places[i] == SIZE_MAX ? SIZE_MAX : picture->n_drawn++;
  }
  for (size_t i = 0; i < n && picture->n_rest > 0; i++) {
    picture->places[i] = picture->places[i] == SIZE_MAX ? picture->n_drawn : picture->places[i];
  }
  picture->n_drawn += picture->n_rest > 0;
  return 1;
}

static int count_replicas(struct picture *picture) {
  const struct planned *planned = picture->planned;
  const size_t n = plan_rows(planned, REBAL_TABLE_CLUSTER_USE);
  picture->before = calloc(picture->n_drawn + 1, sizeof *picture->before);
  picture->after = calloc(picture->n_drawn + 1, sizeof *picture->after);
  picture->left = calloc(picture->n_drawn + 1, 4 * sizeof *picture->left);
  if (picture->before == NULL || picture->after == NULL || picture->left == NULL) {
    return 0;
  }
  picture->right = picture->left + picture->n_drawn + 1;
  picture->left_used = picture->right + picture->n_drawn + 1;
  picture->right_used = picture->left_used + picture->n_drawn + 1;
  for (size_t i = 0; i < n; i++) {
    picture->before[picture->places[i]] += plan_cell(planned, REBAL_CLUSTER_USE_BEFORE, i);
    picture->after[picture->places[i]] += plan_cell(planned, REBAL_CLUSTER_USE_AFTER, i);
  }
  return 1;
}

static int compare_flows(const void *left, const void *right) {
  const struct flow *one = left, *other = right;
  if (one->source != other->source) {
    return one->source < other->source ? -1 : 1;
  }
  return (one->target > other->target) - (one->target < other->target);
}

/* The place at which a cluster is drawn. */
static size_t place_of(const struct picture *picture, const uint32_t *rows, uint32_t cluster) {
  return picture->places[rows[cluster]];
}

static int list_flows(struct picture *picture) {
  const struct planned *planned = picture->planned;
  const size_t n = plan_rows(planned, REBAL_TABLE_MOVE);
  const uint32_t bound =
      rebal_cells_bound(rebal_snapshot_cells(planned->world->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  uint32_t *rows = calloc((size_t)bound + 1, sizeof *rows);
  picture->flows = malloc((n + 1) * sizeof *picture->flows);
  if (rows == NULL || picture->flows == NULL) {
    free(rows);
    return 0;
  }
  for (size_t i = 0; i < plan_rows(planned, REBAL_TABLE_CLUSTER_USE); i++) {
    rows[plan_cell(planned, REBAL_CLUSTER_USE_CLUSTER, i)] = (uint32_t)i;
  }
  for (size_t i = 0; i < n; i++) {
    picture->flows[i] = (struct flow){place_of(picture, rows, id_of(plan_cell(planned, REBAL_MOVE_SOURCE, i))),
                                      place_of(picture, rows, id_of(plan_cell(planned, REBAL_MOVE_TARGET, i))),
                                      plan_cell(planned, REBAL_MOVE_REPLICAS, i)};
  }
  free(rows);
  qsort(picture->flows, n, sizeof *picture->flows, compare_flows);
  for (size_t i = 0; i < n; i++) {
    if (picture->n_flows > 0 && compare_flows(&picture->flows[picture->n_flows - 1], &picture->flows[i]) == 0) {
      picture->flows[picture->n_flows - 1].replicas += picture->flows[i].replicas;
    } else {
      picture->flows[picture->n_flows++] = picture->flows[i];
    }
  }
  return 1;
}

/* ---- the picture ---- */

static const char *name_of(const struct picture *picture, size_t place, char *buffer, size_t capacity) {
  const size_t n = plan_rows(picture->planned, REBAL_TABLE_CLUSTER_USE);
  if (picture->n_rest > 0 && place + 1 == picture->n_drawn) {
    (void)snprintf(buffer, capacity, "%zu other clusters", picture->n_rest);
    return buffer;
  }
  for (size_t i = 0; i < n; i++) {
    if (picture->places[i] == place) {
      return plan_cluster(picture->planned, REBAL_CLUSTER_USE_CLUSTER, i);
    }
  }
  return "";
}

/* A length in tenths of pixels; whole numbers are the same on every machine. */
static void put_length(struct output *out, int64_t tenths) {
  put_integer(out, tenths / 10);
  put(out, ".");
  put_integer(out, tenths % 10);
}

/* How high so many replicas are. */
static int64_t height_of(const struct picture *picture, int64_t replicas) {
  /* space is less than 2^13 */
  return picture->most > INT64_MAX >> 13 ? replicas / (picture->most / picture->space)
                                         : replicas * picture->space / picture->most;
}

static void lay_out(struct picture *picture) {
  picture->most = 1;
  for (int side = 0; side < 2; side++) {
    int64_t sum = 0;
    for (size_t i = 0; i < picture->n_drawn; i++) {
      sum += side == 0 ? picture->before[i] : picture->after[i]; /* fewer than 2^63, as those of a plan */
    }
    picture->most = sum > picture->most ? sum : picture->most;
  }
  picture->space = 10 * (HEIGHT - 20 - ROW_GAP * (int64_t)picture->n_drawn);
  for (int side = 0; side < 2; side++) {
    int64_t sum = 0;
    for (size_t i = 0; i < picture->n_drawn; i++) {
      (side == 0 ? picture->left : picture->right)[i] = 10 * (10 + ROW_GAP * (int64_t)i) + height_of(picture, sum);
      sum += side == 0 ? picture->before[i] : picture->after[i];
    }
  }
}

static void put_bar(const struct picture *picture, size_t place, int is_right) {
  char buffer[64];
  struct output *out = picture->out;
  const int64_t replicas = is_right ? picture->after[place] : picture->before[place];
  put(out, "<rect class=\"c");
  put_integer(out, (int64_t)(place % 8));
  put(out, "\" x=\"");
  put_integer(out, is_right ? WIDTH - 200 - BAR_WIDTH : 200);
  put(out, "\" y=\"");
  put_length(out, is_right ? picture->right[place] : picture->left[place]);
  put(out, "\" width=\"");
  put_integer(out, BAR_WIDTH);
  put(out, "\" height=\"");
  put_length(out, height_of(picture, replicas));
  put(out, "\"/><text x=\"");
  put_integer(out, is_right ? WIDTH - 190 : 190);
  put(out, "\" y=\"");
  put_length(out, (is_right ? picture->right[place] : picture->left[place]) + height_of(picture, replicas) / 2 + 40);
  put(out, is_right ? "\">" : "\" text-anchor=\"end\">");
  put_html(out, name_of(picture, place, buffer, sizeof buffer));
  put(out, ": ");
  put_integer(out, replicas);
  put(out, "</text>\n");
}

static void put_curve(struct output *out, int64_t from_y, int64_t to_y, int is_back) {
  const int64_t from = is_back ? WIDTH - 200 - BAR_WIDTH : 200 + BAR_WIDTH;
  const int64_t to = is_back ? 200 + BAR_WIDTH : WIDTH - 200 - BAR_WIDTH;
  put(out, is_back ? "L" : "M");
  put_integer(out, from);
  put(out, " ");
  put_length(out, from_y);
  put(out, "C");
  put_integer(out, WIDTH / 2);
  put(out, " ");
  put_length(out, from_y);
  put(out, " ");
  put_integer(out, WIDTH / 2);
  put(out, " ");
  put_length(out, to_y);
  put(out, " ");
  put_integer(out, to);
  put(out, " ");
  put_length(out, to_y);
}

/* A ribbon as thick as the replicas that move. */
static void put_flow(struct picture *picture, const struct flow *flow) {
  char source[64], target[64];
  struct output *out = picture->out;
  const int64_t left = picture->left[flow->source], right = picture->right[flow->target];
  const int64_t from = left + height_of(picture, picture->left_used[flow->source]);
  const int64_t to = right + height_of(picture, picture->right_used[flow->target]);
  int64_t from_end, to_end;
  picture->left_used[flow->source] += flow->replicas;
  picture->right_used[flow->target] += flow->replicas;
  from_end = left + height_of(picture, picture->left_used[flow->source]);
  to_end = right + height_of(picture, picture->right_used[flow->target]);
  put(out, "<path class=\"flow c");
  put_integer(out, (int64_t)(flow->source % 8));
  put(out, "\" d=\"");
  put_curve(out, from, to, 0);
  put_curve(out, to_end, from_end, 1);
  put(out, "Z\"><title>");
  put_html(out, name_of(picture, flow->source, source, sizeof source));
  put(out, " to ");
  put_html(out, name_of(picture, flow->target, target, sizeof target));
  put(out, ": ");
  put_integer(out, flow->replicas);
  put(out, "</title></path>\n");
}

static void draw(struct picture *picture) {
  struct output *out = picture->out;
  lay_out(picture);
  put(out, "<svg class=\"flows\" viewBox=\"0 0 ");
  put_integer(out, WIDTH);
  put(out, " ");
  put_integer(out, HEIGHT);
  put(out, "\" role=\"img\" aria-label=\"replicas by cluster, now on the left and planned on the right\">\n");
  for (size_t i = 0; i < picture->n_flows; i++) {
    put_flow(picture, &picture->flows[i]);
  }
  for (size_t i = 0; i < picture->n_drawn; i++) {
    put_bar(picture, i, 0);
    put_bar(picture, i, 1);
  }
  put(out, "</svg>\n");
}

/* ---- tables ---- */

static void write_limits(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"limit", "allows", "used", "withheld", "shadow"};
  static const uint32_t columns[] = {REBAL_LIMITED_REPLICAS, REBAL_LIMITED_USED, REBAL_LIMITED_WITHHELD,
                                     REBAL_LIMITED_SHADOW};
  if (plan_rows(planned, REBAL_TABLE_LIMITED) == 0) {
    return;
  }
  put(out, "<h2>Limits</h2>\n<table id=\"limits\">\n");
  HTML_HEADINGS(out, headings);
  for (size_t row = 0; row < plan_rows(planned, REBAL_TABLE_LIMITED); row++) {
    put(out, "<tr>");
    plan_put_limit(planned, row, cell);
    html_cell(out, rebal_text_bytes(cell->text, NULL));
    rebal_text_reset(cell->text);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
      html_number(out, plan_cell(planned, columns[i], row));
    }
    put(out, "</tr>\n");
  }
  put(out, "</table>\n");
}

static void write_moves(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"binding", "from", "to", "replicas"};
  put(out, "<h2>Moves</h2>\n<table id=\"moves\">\n");
  HTML_HEADINGS(out, headings);
  for (size_t row = 0; row < plan_rows(planned, REBAL_TABLE_MOVE); row++) {
    put(out, "<tr>");
    put_object(cell, planned->world, planned->objects[plan_cell(planned, REBAL_MOVE_BINDING, row)]);
    html_cell(out, rebal_text_bytes(cell->text, NULL));
    rebal_text_reset(cell->text);
    html_cell(out, plan_cluster(planned, REBAL_MOVE_SOURCE, row));
    html_cell(out, plan_cluster(planned, REBAL_MOVE_TARGET, row));
    html_number(out, plan_cell(planned, REBAL_MOVE_REPLICAS, row));
    put(out, "</tr>\n");
  }
  put(out, "</table>\n");
}

static void write_replicas(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"binding", "cluster", "replica", "pod", "spread", "subset", "why"};
  if (planned->n_replicas == 0) {
    return;
  }
  put(out, "<h2>Pods</h2>\n<table id=\"pods\">\n");
  HTML_HEADINGS(out, headings);
  for (size_t i = 0; i < planned->n_replicas; i++) {
    const struct member_replica *replica = &planned->replicas[i];
    put(out, "<tr>");
    put_object(cell, planned->world, planned->objects[replica->binding]);
    html_cell(out, rebal_text_bytes(cell->text, NULL));
    rebal_text_reset(cell->text);
    html_cell(out, cluster_name(planned->world, replica->cluster));
    html_cell(out, enum_text(REBAL_ENUM_MEMBER_REPLICA, replica->state));
    html_cell(out, replica_pod(planned, replica));
    html_cell(out, replica_spread(planned, replica));
    html_cell(out, replica_subset(planned, replica));
    html_cell(out, deletion_reason(replica->rule));
    put(out, "</tr>\n");
  }
  put(out, "</table>\n");
}

/* ---- waves on a time axis ---- */

#define LINE 20
#define MOST_LINES 200 /* bindings that are drawn; the table of waves has all */

/* What one write of a binding does, as words. */
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

/* Lines of the bindings that are written, in their order; SIZE_MAX: none. */
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

static void put_line_names(const struct planned *planned, const size_t *lines, struct output *out,
                           struct output *cell) {
  for (size_t i = 0; i < planned->n; i++) {
    if (lines[i] < MOST_LINES) {
      put_object(cell, planned->world, planned->objects[i]);
      put(out, "<text x=\"290\" text-anchor=\"end\" y=\"");
      put_integer(out, (int64_t)lines[i] * LINE + 15);
      put(out, "\">");
      put_html(out, rebal_text_bytes(cell->text, NULL));
      put(out, "</text>\n");
      rebal_text_reset(cell->text);
    }
  }
}

static void put_marks(const struct planned *planned, const size_t *lines, struct output *out) {
  const struct waves *waves = &planned->waves;
  const int64_t wide = 10 * (WIDTH - 300) / (int64_t)waves->n;
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
    put_length(out, 3000 + 10 * (WIDTH - 300) * (int64_t)write->wave / (int64_t)waves->n);
    put(out, "\" y=\"");
    put_integer(out, (int64_t)lines[write->binding] * LINE + 3);
    put(out, "\" width=\"");
    put_length(out, wide > 60 ? wide - 20 : wide);
    put(out, "\" height=\"14\"><title>wave ");
    put_integer(out, (int64_t)write->wave + 1);
    put(out, ": ");
    i = put_write(planned, i, out);
    put(out, "</title></rect>\n");
  }
}

static enum status write_waves(const struct planned *planned, struct output *out, struct output *cell) {
  size_t *lines;
  size_t n;
  if (planned->waves.n == 0) {
    return STATUS_DONE;
  }
  lines = malloc((planned->n + 1) * sizeof *lines);
  if (lines == NULL) {
    return complain_of_memory();
  }
  n = number_lines(planned, lines);
  put(out, "<h2>Waves</h2>\n<p>");
  put_integer(out, (int64_t)planned->waves.n);
  put(out,
      " from left to right, each sent when the replicas of the one before are ready.</p>\n"
      "<svg class=\"flows waves\" role=\"img\" aria-label=\"writes of each binding by wave\" viewBox=\"0 0 ");
  put_integer(out, WIDTH);
  put(out, " ");
  put_integer(out, (int64_t)(n < MOST_LINES ? n : MOST_LINES) * LINE + 4);
  put(out, "\">\n");
  put_line_names(planned, lines, out, cell);
  put_marks(planned, lines, out);
  put(out, "</svg>\n");
  free(lines);
  return STATUS_DONE;
}

static void write_ends(const struct planned *planned, struct output *out, struct output *cell) {
  if (planned->waves.n_ends == 0) {
    return;
  }
  put(out,
      "<h2>Not finished</h2>\n<table id=\"unfinished\">\n"
      "<tr><th>binding</th><th>state</th><th>reason</th><th>cluster</th></tr>\n");
  for (size_t i = 0; i < planned->waves.n_ends; i++) {
    const struct wave_end *end = &planned->waves.ends[i];
    put(out, "<tr class=\"failed\">");
    put_object(cell, planned->world, planned->objects[end->binding]);
    html_cell(out, rebal_text_bytes(cell->text, NULL));
    rebal_text_reset(cell->text);
    html_cell(out, enum_text(REBAL_ENUM_WAVE_STATE, end->state));
    html_cell(out, enum_text(REBAL_ENUM_WAVE_REASON, end->reason));
    html_cell(out, end->cluster == REBAL_NONE ? "" : cluster_name(planned->world, end->cluster));
    put(out, "</tr>\n");
  }
  put(out, "</table>\n");
}

/* ---- what is not placed, and the whole ---- */

static void write_refused(const struct planned *planned, struct output *out, struct output *cell) {
  int is_open = 0;
  for (size_t i = 0; i < planned->n; i++) {
    if (plan_cell(planned, REBAL_PLANNED_OUTCOME, i) == REBAL_OUTCOME_SCHEDULED) {
      continue;
    }
    put(out, is_open ? "" : "<h2>Not placed</h2>\n<table id=\"refused\">\n<tr><th>binding</th><th>why</th></tr>\n");
    is_open = 1;
    put(out, "<tr class=\"failed\">");
    put_object(cell, planned->world, planned->objects[i]);
    html_cell(out, rebal_text_bytes(cell->text, NULL));
    rebal_text_reset(cell->text);
    html_cell(out, rebal_result_text(planned->world->result, REBAL_PLANNED_MESSAGE, i, NULL));
    put(out, "</tr>\n");
  }
  put(out, is_open ? "</table>\n" : "");
}

static void write_sums(const struct planned *planned, struct output *out) {
  put(out, "<p>");
  put_integer(out, plan_sum(planned, REBAL_PLANNED_GRANTED));
  put(out, " replicas move, limits withhold ");
  put_integer(out, plan_sum(planned, REBAL_PLANNED_WITHHELD));
  put(out, ". Now on the left, planned on the right.</p>\n");
}

enum status plan_write_page(const struct planned *planned, struct output *out) {
  struct picture picture = {.planned = planned, .out = out};
  struct output cell;
  enum status status = output_open(&cell);
  if (status == STATUS_DONE && (!choose_clusters(&picture) || !count_replicas(&picture) || !list_flows(&picture))) {
    status = complain_of_memory();
  }
  if (status == STATUS_DONE) {
    html_begin(out, "Plan");
    write_sums(planned, out);
    draw(&picture);
    write_limits(planned, out, &cell);
    status = write_waves(planned, out, &cell);
    write_ends(planned, out, &cell);
    write_moves(planned, out, &cell);
    write_replicas(planned, out, &cell);
    write_refused(planned, out, &cell);
    html_end(out);
  }
  free(picture.places);
  free(picture.before);
  free(picture.after);
  free(picture.left);
  free(picture.flows);
  output_close(&cell);
  return status;
}
