/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../../support/records.h"
#include "../../support/words.h"
#include "../unit.h"

#include <stdio.h>

void plan_open(struct plan_fixture *fixture, const char *pods) {
  memset(fixture, 0, sizeof *fixture);
  test_world_open(&fixture->world, NULL);
  test_add_pods(&fixture->world, pods);
  fixture->now = test_time(PLAN_NOW);
  fixture->opts.struct_size = (uint32_t)sizeof fixture->opts;
  fixture->schedule.struct_size = (uint32_t)sizeof fixture->schedule;
  fixture->opts.schedule = &fixture->schedule;
  fixture->opts.limits = fixture->limit_list;
  fixture->opts.budgets = fixture->budget_list;
  fixture->opts.drained = fixture->drained;
  fixture->opts.lost = fixture->lost;
  ck_assert_int_eq(rebal_result_new(NULL, &fixture->rows, NULL), REBAL_OK);
}

uint32_t plan_add_movable(struct plan_fixture *fixture, const char *key) {
  static const struct test_placement even = {.scheduling = "Divided/Weighted", .weights = "m3+m4=1"};
  const struct test_binding binding = {
      .key = key, .uid = "u", .replicas = 8, .placement = &even, .targets = "m1=4 m2=4", .scheduled_at = PLAN_NOW - 1};

  return plan_add(fixture, &binding);
}

void plan_open_movable(struct plan_fixture *fixture) {
  plan_open(fixture, "m1=10 m2=10 m3=10 m4=10");
  (void)plan_add_movable(fixture, "ns1/a");
  (void)plan_add_movable(fixture, "ns1/b");
  (void)plan_add_movable(fixture, "ns2/a");
  (void)plan_add_movable(fixture, "a");
}

void plan_close(struct plan_fixture *fixture) {
  rebal_plan_free(fixture->plan);
  rebal_result_free(fixture->rows);
  for (size_t i = 0; i < PLAN_LISTS; i++) {
    rebal_builder_free(fixture->builders[i]);
  }
  test_world_close(&fixture->world);
}

uint32_t plan_add(struct plan_fixture *fixture, const struct test_binding *binding) {
  return test_add_binding(&fixture->world, NULL, binding);
}

void plan_set_ready(struct plan_fixture *fixture, uint32_t binding, const char *ready) {
  rebal_cells *cells = rebal_bindings_cells(fixture->world.bindings);
  struct test_word rest = test_word(ready);
  struct test_word word;

  while (test_next(&rest, ' ', &word)) {
    const struct test_word count = test_cut(&word, '=');
    char name[64];
    uint32_t item;

    (void)snprintf(name, sizeof name, "%.*s", (int)word.len, word.text);
    ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_STATUS_ITEM, binding, &item, 1, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_cells_set_i64(cells, REBAL_STATUS_ITEM_CLUSTER, REBAL_NONE, item,
                                         test_cluster_id(&fixture->world, name), NULL),
                     REBAL_OK);
    ck_assert_int_eq(
        rebal_cells_set_i64(cells, REBAL_STATUS_ITEM_READY_REPLICAS, REBAL_NONE, item, test_number(count), NULL),
        REBAL_OK);
  }
}

void plan_drain(struct plan_fixture *fixture, const char *cluster) {
  ck_assert_uint_lt(fixture->opts.n_drained, PLAN_LISTS);
  fixture->drained[fixture->opts.n_drained++] = test_cluster_id(&fixture->world, cluster);
}

void plan_lose(struct plan_fixture *fixture, const char *cluster) {
  ck_assert_uint_lt(fixture->opts.n_lost, PLAN_LISTS);
  fixture->lost[fixture->opts.n_lost++] = test_cluster_id(&fixture->world, cluster);
}

rebal_limit *plan_limit(struct plan_fixture *fixture, int32_t scope, const char *subject, int64_t replicas) {
  const size_t n = (size_t)fixture->opts.n_limits++;

  ck_assert_uint_lt(n, PLAN_LISTS);
  fixture->limits[n] = (rebal_limit){.struct_size = (uint32_t)sizeof(rebal_limit),
                                     .scope = scope,
                                     .subject = subject,
                                     .subject_len = subject == NULL ? 0 : REBAL_TERMINATED,
                                     .replicas = replicas};
  fixture->limit_list[n] = &fixture->limits[n];
  return &fixture->limits[n];
}

static void put(rebal_builder *builder, uint32_t field, const char *text) {
  if (text != NULL) {
    ck_assert_int_eq(rebal_builder_text(builder, field, text, strlen(text), NULL), REBAL_OK);
  }
}

void plan_build_budget(const struct plan_budget *budget, rebal_builder **out, const rebal_record **record) {
  struct test_word namespace_ = test_word(budget->key);
  const struct test_word name = test_cut(&namespace_, '/');
  rebal_builder *builder;

  ck_assert_int_eq(rebal_builder_new(NULL, out, NULL), REBAL_OK);
  builder = *out;
  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_BUDGET, NULL), REBAL_OK);
  test_put_text(builder, REBAL_BUDGET_NAMESPACE, namespace_);
  test_put_text(builder, REBAL_BUDGET_NAME, name);
  if (budget->selects != NULL) {
    ck_assert_int_eq(rebal_builder_begin(builder, REBAL_BUDGET_SELECTOR, NULL), REBAL_OK);
    test_put_pairs(builder, REBAL_LABEL_SELECTOR_MATCH_LABELS, budget->selects);
    ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  }
  put(builder, REBAL_BUDGET_CLUSTER, budget->cluster);
  put(builder, REBAL_BUDGET_MIN_AVAILABLE, budget->min_available);
  put(builder, REBAL_BUDGET_MAX_UNAVAILABLE, budget->max_unavailable);
  if (budget->allowed != NULL) {
    ck_assert_int_eq(
        rebal_builder_i64(builder, REBAL_BUDGET_DISRUPTIONS_ALLOWED, test_number(test_word(budget->allowed)), NULL),
        REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, record, NULL), REBAL_OK);
}

void plan_budget(struct plan_fixture *fixture, const struct plan_budget *budget) {
  const size_t n = (size_t)fixture->opts.n_budgets++;

  ck_assert_uint_lt(n, PLAN_LISTS);
  plan_build_budget(budget, &fixture->builders[n], &fixture->budget_list[n]);
}

void plan_set_labels(struct plan_fixture *fixture, uint32_t binding, const char *labels) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(fixture->world.bindings), REBAL_BINDING_POD_LABELS,
                                       REBAL_NONE, binding, test_labels_handle(&fixture->world, labels), NULL),
                   REBAL_OK);
}

int32_t plan_make(struct plan_fixture *fixture) {
  struct test_world *world = &fixture->world;
  int32_t code;

  if (world->snapshot == NULL) {
    test_freeze(world);
  }
  rebal_plan_free(fixture->plan);
  fixture->plan = NULL;
  code = rebal_plan_make(world->ctx, world->snapshot, world->bindings, &fixture->now, &fixture->opts, &fixture->plan,
                         &world->err);
  return code == REBAL_OK ? rebal_plan_read(fixture->plan, fixture->rows, &world->err) : code;
}

int32_t plan_make_with(const rebal_allocator *allocator, void *user_data) {
  const struct plan_fixture *fixture = user_data;
  const struct test_world *world = &fixture->world;
  const rebal_ctx_opts uncached = {(uint32_t)sizeof uncached, REBAL_CTX_FLAG_NO_CACHE, 0, 0};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  rebal_plan *plan = NULL;
  int32_t code = rebal_ctx_new(allocator, &uncached, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK
             ? rebal_plan_make(ctx, world->snapshot, world->bindings, &fixture->now, &fixture->opts, &plan, NULL)
             : code;
  code = code == REBAL_OK ? rebal_plan_read(plan, result, NULL) : code;
  rebal_plan_free(plan);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

int64_t plan_cell(const struct plan_fixture *fixture, uint32_t column, size_t row) {
  size_t n;
  const int64_t *cells = rebal_result_i64(fixture->rows, column, &n);

  ck_assert_uint_lt(row, n);
  return cells[row];
}

static void print_count(struct plan_fixture *fixture, size_t *len, uint32_t column, size_t row, const char *before) {
  const int64_t count = plan_cell(fixture, column, row);

  *len += (size_t)(count == REBAL_ABSENT ? snprintf(fixture->text + *len, sizeof fixture->text - *len, "%s-", before)
                                         : snprintf(fixture->text + *len, sizeof fixture->text - *len, "%s%lld", before,
                                                    (long long)count));
  ck_assert_uint_lt(*len, sizeof fixture->text);
}

static void print_name(struct plan_fixture *fixture, size_t *len, uint32_t column, size_t row, const char *before) {
  *len += (size_t)snprintf(fixture->text + *len, sizeof fixture->text - *len, "%s%s", before,
                           test_cluster_name(fixture->world.snapshot, (uint32_t)plan_cell(fixture, column, row)));
  ck_assert_uint_lt(*len, sizeof fixture->text);
}

const char *plan_row(struct plan_fixture *fixture, size_t binding) {
  const size_t first = (size_t)plan_cell(fixture, REBAL_PLANNED_FIRST_CLUSTER, binding);
  const size_t n = (size_t)plan_cell(fixture, REBAL_PLANNED_CLUSTERS, binding);
  size_t len = 0;

  fixture->text[0] = '\0';
  for (size_t row = first; row < first + n; row++) {
    print_name(fixture, &len, REBAL_PLANNED_CLUSTER_CLUSTER, row, row == first ? "" : " ");
    print_count(fixture, &len, REBAL_PLANNED_CLUSTER_PRESENT, row, ":");
    print_count(fixture, &len, REBAL_PLANNED_CLUSTER_WANTED, row, ">");
    print_count(fixture, &len, REBAL_PLANNED_CLUSTER_PLANNED, row, ">");
  }
  return fixture->text;
}

const char *plan_moves(struct plan_fixture *fixture, size_t binding) {
  const size_t first = (size_t)plan_cell(fixture, REBAL_PLANNED_FIRST_MOVE, binding);
  const size_t n = (size_t)plan_cell(fixture, REBAL_PLANNED_MOVES, binding);
  size_t len = 0;

  fixture->text[0] = '\0';
  for (size_t row = first; row < first + n; row++) {
    print_name(fixture, &len, REBAL_MOVE_SOURCE, row, row == first ? "" : " ");
    print_name(fixture, &len, REBAL_MOVE_TARGET, row, "-");
    print_count(fixture, &len, REBAL_MOVE_REPLICAS, row, ":");
  }
  return fixture->text;
}

const char *plan_limited(struct plan_fixture *fixture, size_t limit) {
  size_t len = 0;

  print_count(fixture, &len, REBAL_LIMITED_USED, limit, "used ");
  print_count(fixture, &len, REBAL_LIMITED_WITHHELD, limit, " withheld ");
  print_count(fixture, &len, REBAL_LIMITED_SHADOW, limit, " shadow ");
  if (plan_cell(fixture, REBAL_LIMITED_TOKENS, limit) != REBAL_ABSENT) {
    print_count(fixture, &len, REBAL_LIMITED_TOKENS, limit, " tokens ");
  }
  return fixture->text;
}

const char *plan_uses(struct plan_fixture *fixture, size_t limit) {
  const size_t n = rebal_result_count(fixture->rows, REBAL_TABLE_LIMIT_USE);
  size_t len = 0;

  fixture->text[0] = '\0';
  for (size_t row = 0; row < n; row++) {
    if ((size_t)plan_cell(fixture, REBAL_LIMIT_USE_LIMIT, row) == limit) {
      len += (size_t)snprintf(fixture->text + len, sizeof fixture->text - len, "%s%s", len == 0 ? "" : " ",
                              rebal_result_text(fixture->rows, REBAL_LIMIT_USE_SUBJECT, row, NULL));
      print_count(fixture, &len, REBAL_LIMIT_USE_USED, row, ":");
      print_count(fixture, &len, REBAL_LIMIT_USE_LEFT, row, "+");
    }
  }
  return fixture->text;
}
