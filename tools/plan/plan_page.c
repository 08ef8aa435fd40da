/* SPDX-License-Identifier: MIT */
/* A plan as a page: flows of replicas between clusters, then tables. */
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH PLAN_PICTURE_WIDTH
#define BAR_WIDTH 12
#define ROW_GAP 8
#define HEIGHT 560
#define MOST_CLUSTERS 40 /* the rest is drawn as one */

/* Replicas that move from one cluster to another, as places among the drawn clusters. */
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
  int64_t *left_used, *right_used; /* replicas of them that flows have used */
  int64_t space, most;             /* height and number of replicas of the side that has more */
  struct flow *flows;              /* by source and target, one for each pair */
  size_t n_flows;
  struct output *out;
};

/* ---- drawn clusters ---- */

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

/* Selects the clusters with the most moved replicas, in the order of their names. */
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

void plan_put_length(struct output *out, int64_t tenths) {
  put_integer(out, tenths / 10);
  put(out, ".");
  put_integer(out, tenths % 10);
}

/* The height of a number of replicas. */
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
  plan_put_length(out, is_right ? picture->right[place] : picture->left[place]);
  put(out, "\" width=\"");
  put_integer(out, BAR_WIDTH);
  put(out, "\" height=\"");
  plan_put_length(out, height_of(picture, replicas));
  put(out, "\"/><text x=\"");
  put_integer(out, is_right ? WIDTH - 190 : 190);
  put(out, "\" y=\"");
  plan_put_length(out,
                  (is_right ? picture->right[place] : picture->left[place]) + height_of(picture, replicas) / 2 + 40);
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
  plan_put_length(out, from_y);
  put(out, "C");
  put_integer(out, WIDTH / 2);
  put(out, " ");
  plan_put_length(out, from_y);
  put(out, " ");
  put_integer(out, WIDTH / 2);
  put(out, " ");
  plan_put_length(out, to_y);
  put(out, " ");
  put_integer(out, to);
  put(out, " ");
  plan_put_length(out, to_y);
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
  put(out, "<div class=\"wide\"><svg class=\"flows\" viewBox=\"0 0 ");
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
  put(out, "</svg></div>\n");
}

/* ---- tables ---- */

static void write_limits(const struct planned *planned, struct output *out, struct output *cell) {
  static const char *const headings[] = {"limit", "allows", "#used", "#withheld", "#shadow"};
  static const uint32_t columns[] = {REBAL_LIMITED_USED, REBAL_LIMITED_WITHHELD, REBAL_LIMITED_SHADOW};
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
    plan_put_allowed(planned, row, cell);
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
  static const char *const headings[] = {"binding", "from", "to", "#replicas"};
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

/* ---- bindings that do not reach their planned state ---- */

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

/* ---- bindings that are not placed, and the page ---- */

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

static void write_names(const char *const *names, size_t n, const char *what, struct output *out) {
  put(out, n > 0 ? what : "");
  for (size_t i = 0; i < n; i++) {
    put(out, i > 0 ? ", " : " ");
    put_html(out, names[i]);
  }
}

/* Appends the mode, the drained and lost clusters, and the time of the plan. */
static void write_question(const struct planned *planned, struct output *out) {
  static const char *const modes[] = {"as if every workload was scheduled afresh",
                                      "as the scheduler decides untriggered", "moving as little as possible"};
  const struct plan_words *words = &planned->world->options->plan;
  char text[TIME_CAPACITY];
  put(out, "<h1>Plan</h1>\n<p>");
  put_integer(out, (int64_t)planned->n);
  put(out, planned->n == 1 ? " binding, " : " bindings, ");
  put(out, modes[words->opts.mode]);
  write_names(words->drained, words->n_drained, "; drained:", out);
  write_names(words->lost, words->n_lost, "; lost:", out);
  put(out, "; ");
  put(out, time_text(&planned->world->options->now, text));
  put(out, ".</p>\n");
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
    write_question(planned, out);
    write_sums(planned, out);
    draw(&picture);
    status = plan_write_wave_picture(planned, out, &cell);
    write_ends(planned, out, &cell);
    write_limits(planned, out, &cell);
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
