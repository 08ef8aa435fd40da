/* SPDX-License-Identifier: MIT */
/*
 * Selectors: each line of the input is a label "l key value", an expression "e key operator values..." or a field
 * expression "f key operator values..."; one cluster carries the labels. Laws: an affinity and its negation never both
 * match, and more expressions never match more.
 */
#include "law.h"
#include "rebalance/rebalance.h"

#include <string.h>

#define MOST_WORDS 8
#define MOST_LINES 32

struct line {
  const char *words[MOST_WORDS];
  size_t lens[MOST_WORDS];
  size_t n;
};

static size_t split(const char *text, size_t size, struct line *lines) {
  size_t n = 0;
  size_t at = 0;

  while (at < size && n < MOST_LINES) {
    struct line *line = &lines[n++];

    line->n = 0;
    while (at < size && text[at] != '\n') {
      size_t end = at;

      while (end < size && text[end] != ' ' && text[end] != '\n') {
        end++;
      }
      if (line->n < MOST_WORDS) {
        line->words[line->n] = text + at;
        line->lens[line->n++] = end - at;
      }
      at = end < size && text[end] == ' ' ? end + 1 : end;
    }
    at++;
  }
  return n;
}

static int is_a(const struct line *line, char kind) {
  return line->n >= 3 && line->lens[0] == 1 && line->words[0][0] == kind;
}

static void add_expression(rebal_builder *builder, uint32_t field, const struct line *line, int negate) {
  static const char *const pairs[][2] = {{"In", "NotIn"}, {"Exists", "DoesNotExist"}};
  const char *operation = line->words[2];
  size_t len = line->lens[2];

  for (size_t i = 0; negate && i < 4; i++) {
    const char *name = pairs[i / 2][i % 2];

    if (len == strlen(name) && memcmp(operation, name, len) == 0) {
      operation = pairs[i / 2][1 - i % 2];
      len = strlen(operation);
      break;
    }
  }
  (void)rebal_builder_begin(builder, field, NULL);
  (void)rebal_builder_text(builder, REBAL_EXPRESSION_KEY, line->words[1], line->lens[1], NULL);
  (void)rebal_builder_text(builder, REBAL_EXPRESSION_OPERATOR, operation, len, NULL);
  for (size_t i = 3; i < line->n; i++) {
    (void)rebal_builder_text(builder, REBAL_EXPRESSION_VALUES, line->words[i], line->lens[i], NULL);
  }
  (void)rebal_builder_end(builder, NULL);
}

/* The affinity of the lines from first to last, of one kind. */
static int32_t build(rebal_builder *builder, const struct line *lines, size_t first, size_t last, int negate,
                     const rebal_record **out) {
  static const struct {
    char kind;
    uint32_t selector;
    uint32_t expression;
  } selectors[] = {
      {'e', REBAL_AFFINITY_LABEL_SELECTOR, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS},
      {'f', REBAL_AFFINITY_FIELD_SELECTOR, REBAL_FIELD_SELECTOR_MATCH_EXPRESSIONS},
  };

  (void)rebal_builder_start(builder, REBAL_OBJECT_AFFINITY, NULL);
  for (size_t s = 0; s < sizeof selectors / sizeof selectors[0]; s++) {
    (void)rebal_builder_begin(builder, selectors[s].selector, NULL);
    for (size_t i = first; i < last; i++) {
      if (is_a(&lines[i], selectors[s].kind)) {
        add_expression(builder, selectors[s].expression, &lines[i], negate);
      }
    }
    (void)rebal_builder_end(builder, NULL);
  }
  return rebal_builder_finish(builder, out, NULL);
}

static int32_t set_labels(rebal_fleet *fleet, rebal_builder *builder, const struct line *lines, size_t n) {
  const rebal_record *labels;
  uint32_t cluster, handle;

  (void)rebal_builder_start(builder, REBAL_OBJECT_LABELS, NULL);
  for (size_t i = 0; i < n; i++) {
    if (is_a(&lines[i], 'l')) {
      (void)rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL);
      (void)rebal_builder_text(builder, REBAL_PAIR_KEY, lines[i].words[1], lines[i].lens[1], NULL);
      (void)rebal_builder_text(builder, REBAL_PAIR_VALUE, lines[i].words[2], lines[i].lens[2], NULL);
      (void)rebal_builder_end(builder, NULL);
    }
  }
  if (rebal_builder_finish(builder, &labels, NULL) != REBAL_OK) {
    return REBAL_EINVAL; /* a key twice */
  }
  law(rebal_fleet_add_cluster(fleet, "member1", 7, &cluster, NULL) == REBAL_OK);
  law(rebal_fleet_intern(fleet, labels, &handle, NULL) == REBAL_OK);
  law(rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, cluster, "eu", 2, NULL) ==
      REBAL_OK);
  return rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_LABELS, REBAL_NONE, cluster, handle, NULL);
}

/* -1 when the input makes no affinity. */
static int matches(rebal_ctx *ctx, rebal_snapshot *snapshot, rebal_builder *builder, rebal_result *result,
                   const struct line *lines, size_t first, size_t last, int negate) {
  const rebal_record *affinity;
  size_t n = 0;

  if (build(builder, lines, first, last, negate, &affinity) != REBAL_OK) {
    return -1;
  }
  law(rebal_match(ctx, snapshot, affinity, result, NULL) == REBAL_OK);
  law(rebal_result_count(result, REBAL_TABLE_VERDICT) == 1);
  return rebal_result_i64(result, REBAL_VERDICT_REJECTED_BY, &n)[0] == 0;
}

static void check(rebal_ctx *ctx, rebal_snapshot *snapshot, rebal_builder *builder, rebal_result *result,
                  const struct line *lines, size_t n) {
  const int all = matches(ctx, snapshot, builder, result, lines, 0, n, 0);

  for (size_t i = 0; i < n; i++) {
    const int holds = matches(ctx, snapshot, builder, result, lines, i, i + 1, 0);

    if (is_a(&lines[i], 'e') || is_a(&lines[i], 'f')) {
      law(all != 1 || holds == 1);
    }
    if (is_a(&lines[i], 'e') && memchr("IND", lines[i].lens[2] == 0 ? '?' : lines[i].words[2][0], 3) != NULL) {
      const int opposite = matches(ctx, snapshot, builder, result, lines, i, i + 1, 1);

      law(opposite != 1 || holds != 1 || lines[i].lens[2] < 2);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct line lines[MOST_LINES];
  const size_t n = split((const char *)data, size, lines);
  rebal_fleet *fleet = NULL;
  rebal_builder *builder = NULL;
  rebal_snapshot *snapshot = NULL;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;

  law(rebal_fleet_new(NULL, &fleet, NULL) == REBAL_OK && rebal_builder_new(NULL, &builder, NULL) == REBAL_OK);
  if (set_labels(fleet, builder, lines, n) == REBAL_OK) {
    law(rebal_fleet_freeze(fleet, &snapshot, NULL) == REBAL_OK && rebal_ctx_new(NULL, NULL, &ctx, NULL) == REBAL_OK);
    law(rebal_result_new(NULL, &result, NULL) == REBAL_OK);
    check(ctx, snapshot, builder, result, lines, n);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_snapshot_unref(snapshot);
  rebal_builder_free(builder);
  rebal_fleet_free(fleet);
  return 0;
}
