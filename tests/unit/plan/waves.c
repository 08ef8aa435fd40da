/* SPDX-License-Identifier: MIT */
#include "waves.h"

#include "../../support/allocator.h"
#include "../../support/words.h"

#include <stdio.h>

void waves_open(struct waves *waves, const char *pods) {
  memset(waves, 0, sizeof *waves);
  test_world_open(&waves->world, NULL);
  test_add_pods(&waves->world, pods);
  test_freeze(&waves->world);
  ck_assert_int_eq(rebali_plan_new(rebali_ctx_allocator(waves->world.ctx), rebali_snapshot_store(waves->world.snapshot),
                                   &waves->plan, NULL),
                   REBAL_OK);
  waves->plan->now = test_time(WAVES_MADE);
  waves->plan->progress_deadline_ns = 600 * REBALI_SECOND_NS;
  waves->plan->inputs = (struct rebali_fingerprint){1, 2};
  waves->plan->rows = waves->rows;
  waves->plan->cells = waves->cells;
  waves->plan->lost = waves->lost;
  waves->plan->drained = waves->drained;
  waves->seen = test_new_bindings(&waves->world);
  waves->opts.struct_size = (uint32_t)sizeof waves->opts;
  waves->now = test_time(WAVES_NOW);
}

void waves_close(struct waves *waves) {
  waves->plan->rows = NULL; /* they are no memory of the plan's */
  waves->plan->cells = NULL;
  rebal_plan_free(waves->plan);
  rebal_bindings_free(waves->seen);
  test_world_close(&waves->world);
}

static struct rebali_plan_cell *cell_of(struct waves *waves, struct rebali_plan_row *row, struct test_word name) {
  uint32_t cluster;
  size_t i = row->first_cell;

  ck_assert_int_eq(rebal_fleet_cluster_id(waves->world.fleet, name.text, name.len, &cluster, NULL), REBAL_OK);
  while (i < waves->plan->n_cells && waves->cells[i].cluster != cluster) {
    i++;
  }
  if (i == waves->plan->n_cells) {
    waves->plan->n_cells++;
    row->n_cells++;
    waves->cells[i] = (struct rebali_plan_cell){.cluster = cluster};
  }
  return &waves->cells[i];
}

struct rebali_plan_row *waves_plan(struct waves *waves, const char *name, int32_t replicas, const char *from,
                                   const char *to, int32_t max_surge, int32_t max_unavailable) {
  struct rebali_plan_row *row = &waves->rows[waves->plan->n_rows++];
  struct test_word rest = test_word(from), word;

  *row = (struct rebali_plan_row){.namespace_ = REBALI_TEXT("default"),
                                  .name = rebali_text(name, strlen(name)),
                                  .replicas = replicas,
                                  .max_surge = max_surge,
                                  .max_unavailable = max_unavailable,
                                  .first_cell = waves->plan->n_cells};
  while (test_next(&rest, ' ', &word)) {
    const struct test_word number = test_cut(&word, '=');
    struct rebali_plan_cell *cell = cell_of(waves, row, word);

    cell->present = (int32_t)test_number(number);
    cell->is_in |= REBALI_IN_PRESENT;
  }
  rest = test_word(to);
  while (test_next(&rest, ' ', &word)) {
    const struct test_word number = test_cut(&word, '=');
    struct rebali_plan_cell *cell = cell_of(waves, row, word);

    cell->planned = (int32_t)test_number(number);
    cell->is_in |= REBALI_IN_PLANNED;
  }
  return row;
}

void waves_lose(struct waves *waves, const char *cluster) {
  waves->lost[waves->plan->n_lost++] = test_cluster_id(&waves->world, cluster);
}

void waves_forget(struct waves *waves) {
  rebal_bindings_reset(waves->seen);
}

static void set(struct waves *waves, uint32_t column, uint32_t row, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(waves->seen), column, REBAL_NONE, row, value, NULL),
                   REBAL_OK);
}

static void add_item(struct waves *waves, uint32_t binding, struct test_word word) {
  struct test_word replicas = test_cut(&word, '=');
  struct test_word ready = test_cut(&replicas, '/');
  const struct test_word since = test_cut(&ready, '@');
  uint32_t cluster, item;

  ck_assert_int_eq(rebal_fleet_cluster_id(waves->world.fleet, word.text, word.len, &cluster, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(waves->seen), REBAL_TABLE_STATUS_ITEM, binding, &item, 1, NULL),
                   REBAL_OK);
  set(waves, REBAL_STATUS_ITEM_CLUSTER, item, cluster);
  if (replicas.len != 0) {
    set(waves, REBAL_STATUS_ITEM_REPLICAS, item, test_number(replicas));
  }
  if (ready.len != 0) {
    set(waves, REBAL_STATUS_ITEM_READY_REPLICAS, item, test_number(ready));
  }
  if (since.len != 0) {
    const rebal_time time = test_time(test_number(since));

    ck_assert_int_eq(
        rebal_cells_set_time(rebal_bindings_cells(waves->seen), REBAL_STATUS_ITEM_SINCE, REBAL_NONE, item, &time, NULL),
        REBAL_OK);
  }
}

uint32_t waves_see(struct waves *waves, const struct test_binding *binding, const char *items) {
  const uint32_t row = test_add_binding(&waves->world, waves->seen, binding);
  struct test_word rest = test_word(items), word;

  while (test_next(&rest, ' ', &word)) {
    add_item(waves, row, word);
  }
  return row;
}

uint32_t waves_see_plainly(struct waves *waves, const char *key, int64_t replicas, const char *targets,
                           const char *items) {
  const struct test_binding binding = {.key = key, .replicas = replicas, .targets = targets, .version = "7"};

  return waves_see(waves, &binding, items);
}

int32_t waves_step(struct waves *waves) {
  test_freeze(&waves->world);
  (void)rebal_bindings_freeze(waves->seen, NULL);
  return rebal_plan_step(waves->world.ctx, waves->world.snapshot, waves->seen, waves->plan, &waves->now, &waves->opts,
                         waves->world.result, &waves->world.err);
}

static int32_t step_with(const rebal_allocator *allocator, void *user_data) {
  struct waves *waves = user_data;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  if (code == REBAL_OK) {
    code = rebal_result_new(allocator, &result, NULL);
  }
  if (code == REBAL_OK) {
    code =
        rebal_plan_step(ctx, waves->world.snapshot, waves->seen, waves->plan, &waves->now, &waves->opts, result, NULL);
  }
  if (code != REBAL_OK && result != NULL &&
      (rebal_result_count(result, REBAL_TABLE_WAVE) != 0 || rebal_result_count(result, REBAL_TABLE_ACTION) != 0)) {
    code = REBAL_EINVAL; /* what failed left something */
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

const char *waves_torture(struct waves *waves) {
  return test_torture(step_with, waves);
}

int64_t waves_cell(struct waves *waves, uint32_t column, size_t row) {
  size_t n;
  const int64_t *cells = rebal_result_i64(waves->world.result, column, &n);

  ck_assert_uint_lt(row, n);
  return cells[row];
}

size_t waves_action(struct waves *waves, int64_t ordinal) {
  for (size_t i = 0; i < rebal_result_count(waves->world.result, REBAL_TABLE_ACTION); i++) {
    if (waves_cell(waves, REBAL_ACTION_ORDINAL, i) == ordinal) {
      return i;
    }
  }
  return SIZE_MAX;
}

/* The targets of a payload. */
static int write_targets(const rebal_record *payload, char *text, size_t size) {
  uint32_t node = REBAL_NONE;
  int len = 0;

  while ((node = rebal_record_next(payload, 0, REBAL_BINDING_SPEC_CLUSTERS, node)) != REBAL_NONE) {
    const uint32_t replicas = rebali_record_get(payload, node, REBAL_TARGET_CLUSTER_REPLICAS);

    len += snprintf(text + len, size - (size_t)len, " %s=%lld",
                    rebal_record_text(payload, rebali_record_get(payload, node, REBAL_TARGET_CLUSTER_NAME), NULL),
                    (long long)rebal_record_i64(payload, replicas));
  }
  return len;
}

const char *waves_row(struct waves *waves, size_t row) {
  static char text[512];
  const char *reason = rebal_enum_name(REBAL_ENUM_WAVE_REASON, waves_cell(waves, REBAL_WAVE_REASON, row), NULL);
  const int64_t cluster = waves_cell(waves, REBAL_WAVE_CLUSTER, row);
  const size_t action = waves_action(waves, (int64_t)row);
  int len = snprintf(text, sizeof text, "%s%s%s%s%s",
                     rebal_enum_name(REBAL_ENUM_WAVE_STATE, waves_cell(waves, REBAL_WAVE_STATE, row), NULL),
                     *reason == '\0' ? "" : " ", reason, cluster == REBAL_ABSENT ? "" : " ",
                     cluster == REBAL_ABSENT ? "" : test_cluster_name(waves->world.snapshot, (uint32_t)cluster));

  if (action != SIZE_MAX) {
    len += write_targets(rebal_result_record(waves->world.result, action), text + len, sizeof text - (size_t)len);
  }
  if (waves_cell(waves, REBAL_WAVE_FOREIGN, row) != 0) {
    (void)snprintf(text + len, sizeof text - (size_t)len, " foreign");
  }
  return text;
}

const char *waves_answer(struct waves *waves, const char *targets, const char *items) {
  waves_forget(waves);
  (void)waves_see_plainly(waves, "default/web", waves->rows[0].replicas, targets, items);
  ck_assert_int_eq(waves_step(waves), REBAL_OK);
  return waves_row(waves, 0);
}
