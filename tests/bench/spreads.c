/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#include "fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION "apps.kruise.io/v1alpha1"
#define WORKLOAD "web"
#define NAME_MAX_LEN 32
#define BEGINNING 1790000000 /* when the first pod was made */

static void put_text(rebal_builder *builder, uint32_t field, const char *text) {
  bench_must(rebal_builder_text(builder, field, text, strlen(text), NULL));
}

static void put_limit(rebal_builder *builder, uint32_t field, int64_t limit) {
  bench_must(rebal_builder_begin(builder, field, NULL));
  bench_must(rebal_builder_i64(builder, REBAL_INT_OR_TEXT_NUMBER, limit, NULL));
  bench_must(rebal_builder_end(builder, NULL));
}

static void put_pool(rebal_builder *builder, uint32_t pool) {
  char name[NAME_MAX_LEN];

  (void)snprintf(name, sizeof name, "pool-%u", (unsigned)pool);
  bench_must(rebal_builder_begin(builder, REBAL_SUBSET_REQUIRED_NODE_SELECTOR, NULL));
  bench_must(rebal_builder_begin(builder, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS, NULL));
  put_text(builder, REBAL_EXPRESSION_KEY, "example.com/pool");
  put_text(builder, REBAL_EXPRESSION_OPERATOR, "In");
  put_text(builder, REBAL_EXPRESSION_VALUES, name);
  bench_must(rebal_builder_end(builder, NULL));
  bench_must(rebal_builder_end(builder, NULL));
}

static void put_subset(rebal_builder *builder, const struct bench_spread_shape *shape, uint32_t subset) {
  char name[NAME_MAX_LEN];

  (void)snprintf(name, sizeof name, "subset-%u", (unsigned)subset);
  bench_must(rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SUBSETS, NULL));
  put_text(builder, REBAL_SUBSET_NAME, name);
  if (shape->by_pool) {
    put_pool(builder, subset);
  }
  put_limit(builder, REBAL_SUBSET_MAX_REPLICAS, shape->limit);
  bench_must(rebal_builder_end(builder, NULL));
}

const rebal_record *bench_spread_record(rebal_builder *builder, const struct bench_spread_shape *shape) {
  const rebal_record *record = NULL;

  bench_must(rebal_builder_start(builder, REBAL_OBJECT_WORKLOAD_SPREAD, NULL));
  bench_must(rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_METADATA, NULL));
  put_text(builder, REBAL_METADATA_NAME, "ws");
  put_text(builder, REBAL_METADATA_NAMESPACE, "shop");
  bench_must(rebal_builder_end(builder, NULL));
  bench_must(rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_SPEC, NULL));
  bench_must(rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_REF, NULL));
  put_text(builder, REBAL_REFERENCE_API_VERSION, API_VERSION);
  put_text(builder, REBAL_REFERENCE_KIND, "CloneSet");
  put_text(builder, REBAL_REFERENCE_NAME, WORKLOAD);
  bench_must(rebal_builder_end(builder, NULL));
  for (uint32_t i = 0; i < shape->subsets; i++) {
    put_subset(builder, shape, i);
  }
  bench_must(rebal_builder_end(builder, NULL));
  bench_must(rebal_builder_finish(builder, &record, NULL));
  return record;
}

const rebal_record *bench_united_record(rebal_builder *builder, uint32_t subsets) {
  const rebal_record *record = NULL;

  bench_must(rebal_builder_start(builder, REBAL_OBJECT_UNITED_DEPLOYMENT, NULL));
  bench_must(rebal_builder_begin(builder, REBAL_UNITED_DEPLOYMENT_SPEC, NULL));
  bench_must(rebal_builder_i64(builder, REBAL_UNITED_SPEC_REPLICAS, 100 * (int64_t)subsets, NULL));
  bench_must(rebal_builder_begin(builder, REBAL_UNITED_SPEC_TOPOLOGY, NULL));
  for (uint32_t i = 0; i < subsets; i++) {
    char name[NAME_MAX_LEN];

    (void)snprintf(name, sizeof name, "subset-%u", (unsigned)i);
    bench_must(rebal_builder_begin(builder, REBAL_UNITED_TOPOLOGY_SUBSETS, NULL));
    put_text(builder, REBAL_UNITED_SUBSET_NAME, name);
    put_limit(builder, REBAL_UNITED_SUBSET_MIN_REPLICAS, 50);
    put_limit(builder, REBAL_UNITED_SUBSET_MAX_REPLICAS, 120);
    bench_must(rebal_builder_end(builder, NULL));
  }
  bench_must(rebal_builder_end(builder, NULL));
  bench_must(rebal_builder_end(builder, NULL));
  bench_must(rebal_builder_finish(builder, &record, NULL));
  return record;
}

uint32_t bench_add_owner(rebal_pods *pods) {
  static const struct {
    uint32_t column;
    const char *text;
  } cells[] = {{REBAL_OWNER_API_VERSION, API_VERSION}, {REBAL_OWNER_KIND, "CloneSet"}, {REBAL_OWNER_NAME, WORKLOAD}};
  uint32_t owner;

  bench_must(rebal_cells_add(rebal_pods_cells(pods), REBAL_TABLE_OWNER, REBAL_NONE, &owner, 1, NULL));
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    bench_must(rebal_cells_set_text(rebal_pods_cells(pods), cells[i].column, REBAL_NONE, owner, cells[i].text,
                                    strlen(cells[i].text), NULL));
  }
  bench_must(rebal_cells_set_i64(rebal_pods_cells(pods), REBAL_OWNER_STATE, REBAL_NONE, owner, REBAL_OWNER_STATE_EXISTS,
                                 NULL));
  return owner;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* The content of a column of texts: a word, followed by a number that counts up to `turn`. */
struct words {
  uint32_t column;
  const char *word;
  uint32_t turn; /* 0: no number; UINT32_MAX: that of the subsets */
};
static const struct words texts[] = {
    {REBAL_SPREAD_POD_NAME, WORKLOAD "-", UINT32_MAX - 1},
    {REBAL_SPREAD_POD_UID, "6c1b0c4e-0f5d-4b6a-", UINT32_MAX - 1},
    {REBAL_SPREAD_POD_VERSION, "web-5d7f9c6b8", 0},
    {REBAL_SPREAD_POD_MATCHED_SPREAD, "ws", 0},
    {REBAL_SPREAD_POD_MATCHED_SUBSET, "subset-", UINT32_MAX},
};
static const struct {
  uint32_t column;
  int64_t number;
} numbers[] = {
    {REBAL_SPREAD_POD_VERSION_LABEL, REBAL_VERSION_LABEL_REVISION_HASH},
    {REBAL_SPREAD_POD_MATCHED_STATE, REBAL_ANNOTATION_PRESENT},
    {REBAL_SPREAD_POD_PHASE, REBAL_POD_PHASE_RUNNING},
    {REBAL_SPREAD_POD_READY, 1},
};
static const struct {
  uint32_t column;
  int64_t later; /* than the beginning, in seconds */
} times[] = {{REBAL_SPREAD_POD_CREATED, 0}, {REBAL_SPREAD_POD_READY_SINCE, 30}};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct bench_spread_columns {
  uint32_t n;
  char *bytes[COUNT(texts)];
  uint32_t *offsets[COUNT(texts)];
  rebal_time *times[COUNT(times)];
  int64_t *numbers[COUNT(numbers)];
  int64_t *owners;
  int64_t *nodes;
};

static void *zeroed_array(size_t n, size_t size) {
  void *const capacity = calloc(n + 1, size);

  bench_must(capacity == NULL ? REBAL_ENOMEM : REBAL_OK);
  return capacity;
}

static void make_texts(struct bench_spread_columns *columns, size_t i, uint32_t subsets) {
  const uint32_t turn = texts[i].turn == UINT32_MAX ? subsets : texts[i].turn;
  uint32_t len = 0;

  columns->bytes[i] = zeroed_array(columns->n, NAME_MAX_LEN);
  columns->offsets[i] = zeroed_array(columns->n, sizeof(uint32_t));
  for (uint32_t pod = 0; pod < columns->n; pod++) {
    char *const end = columns->bytes[i] + len;

    len += (uint32_t)(turn == 0 ? snprintf(end, NAME_MAX_LEN, "%s", texts[i].word)
                                : snprintf(end, NAME_MAX_LEN, "%s%u", texts[i].word, (unsigned)(pod % turn)));
    columns->offsets[i][pod + 1] = len;
  }
}

static int64_t *make_numbers(uint32_t n, int64_t first, uint32_t turn) {
  int64_t *const cells = zeroed_array(n, sizeof *cells);

  for (uint32_t pod = 0; pod < n; pod++) {
    cells[pod] = first + pod % turn;
  }
  return cells;
}

static rebal_time *make_times(uint32_t n, int64_t later) {
  rebal_time *const cells = zeroed_array(n, sizeof *cells);

  for (uint32_t pod = 0; pod < n; pod++) {
    cells[pod] = (rebal_time){BEGINNING + later + (int64_t)(pod * UINT64_C(7919) % 3600), 0, 1};
  }
  return cells;
}

struct bench_spread_columns *bench_make_spread_columns(uint32_t owner, uint32_t subsets, uint32_t nodes, uint32_t n) {
  struct bench_spread_columns *const columns = zeroed_array(1, sizeof *columns);

  columns->n = n;
  for (size_t i = 0; i < COUNT(texts); i++) {
    make_texts(columns, i, subsets);
  }
  for (size_t i = 0; i < COUNT(numbers); i++) {
    columns->numbers[i] = make_numbers(n, numbers[i].number, 1);
  }
  for (size_t i = 0; i < COUNT(times); i++) {
    columns->times[i] = make_times(n, times[i].later);
  }
  columns->owners = make_numbers(n, owner, 1);
  columns->nodes = make_numbers(n, 0, nodes);
  return columns;
}

void bench_free_spread_columns(struct bench_spread_columns *columns) {
  for (size_t i = 0; i < COUNT(texts); i++) {
    free(columns->bytes[i]);
    free(columns->offsets[i]);
  }
  for (size_t i = 0; i < COUNT(numbers); i++) {
    free(columns->numbers[i]);
  }
  for (size_t i = 0; i < COUNT(times); i++) {
    free(columns->times[i]);
  }
  free(columns->owners);
  free(columns->nodes);
  free(columns);
}

void bench_put_spread_columns(rebal_pods *pods, const struct bench_spread_columns *columns, uint32_t *rows) {
  const uint32_t n = columns->n;

  bench_must(rebal_cells_add(rebal_pods_cells(pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, n, NULL));
  for (size_t i = 0; i < COUNT(texts); i++) {
    bench_must(rebal_cells_put_text(rebal_pods_cells(pods), texts[i].column, REBAL_NONE, rows, columns->bytes[i],
                                    columns->offsets[i], n, NULL));
  }
  for (size_t i = 0; i < COUNT(numbers); i++) {
    bench_must(
        rebal_cells_put_i64(rebal_pods_cells(pods), numbers[i].column, REBAL_NONE, rows, columns->numbers[i], n, NULL));
  }
  for (size_t i = 0; i < COUNT(times); i++) {
    bench_must(
        rebal_cells_put_time(rebal_pods_cells(pods), times[i].column, REBAL_NONE, rows, columns->times[i], n, NULL));
  }
  bench_must(rebal_cells_put_i64(rebal_pods_cells(pods), REBAL_SPREAD_POD_CONTROLLER, REBAL_NONE, rows, columns->owners,
                                 n, NULL));
  bench_must(
      rebal_cells_put_i64(rebal_pods_cells(pods), REBAL_SPREAD_POD_NODE, REBAL_NONE, rows, columns->nodes, n, NULL));
}

void bench_set_all(rebal_pods *pods, uint32_t column, const uint32_t *rows, uint32_t n, int64_t number) {
  int64_t *const cells = make_numbers(n, number, 1);

  bench_must(rebal_cells_put_i64(rebal_pods_cells(pods), column, REBAL_NONE, rows, cells, n, NULL));
  free(cells);
}
