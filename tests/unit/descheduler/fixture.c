/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

#include <stdio.h>

const struct test_placement fixture_aggregated = {.scheduling = "Divided/Aggregated"};

void fixture_open(struct fixture *fixture, const rebal_allocator *allocator) {
  memset(fixture, 0, sizeof *fixture);
  test_world_open(&fixture->world, allocator);
  test_add_pods(&fixture->world, "m1=100 m2=100 m3=100");
  fixture->opts.struct_size = (uint32_t)sizeof fixture->opts;
  fixture->opts.estimators = fixture->list;
}

void fixture_close(struct fixture *fixture) {
  test_world_close(&fixture->world);
}

/* The next word of "m1=2 m2=! m3": its cluster's number and its value, absent when it has none; 0 at the end. */
static int next_word(const char **text, uint32_t *cluster, int64_t *value, int64_t absent) {
  unsigned number;
  int len = 0;

  if (sscanf(*text, " m%u%n", &number, &len) != 1) {
    return 0;
  }
  *cluster = number - 1;
  *value = absent;
  *text += len;
  if (**text == '=') {
    char *end;

    *value = (*text)[1] == '!' ? REBAL_FITS_FAILED : strtol(*text + 1, &end, 10);
    *text += strcspn(*text, " ");
  }
  return 1;
}

uint32_t fixture_add(struct fixture *fixture, const struct test_binding *binding, const char *ready) {
  struct test_binding added = *binding;
  uint32_t row;
  uint32_t cluster;
  int64_t value;

  if (added.applied == NULL && added.applied_state == 0) {
    added.applied = &fixture_aggregated;
  }
  row = test_add_binding(&fixture->world, NULL, &added);
  while (next_word(&ready, &cluster, &value, REBAL_ABSENT)) {
    rebal_bindings *bindings = fixture->world.bindings;
    uint32_t item;

    ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_STATUS_ITEM, row, &item, 1, NULL),
                     REBAL_OK);
    ck_assert_int_eq(
        rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_STATUS_ITEM_CLUSTER, REBAL_NONE, item, cluster, NULL),
        REBAL_OK);
    ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_STATUS_ITEM_READY_REPLICAS, REBAL_NONE,
                                         item, value, NULL),
                     REBAL_OK);
  }
  return row;
}

void fixture_answer(struct fixture *fixture, const char *answers) {
  const size_t number = (size_t)fixture->opts.n_estimators++;
  int32_t *cells = fixture->cells[number];
  uint32_t cluster;
  int64_t value;

  for (size_t i = 0; i < CLUSTERS; i++) {
    cells[i] = REBAL_FITS_NO_OPINION;
  }
  while (next_word(&answers, &cluster, &value, REBAL_FITS_NO_OPINION)) {
    cells[cluster] = (int32_t)value;
  }
  fixture->estimators[number] = (rebal_estimator){(uint32_t)sizeof(rebal_estimator), 0, cells, CLUSTERS, 0};
  fixture->list[number] = &fixture->estimators[number];
}

int32_t fixture_run(struct fixture *fixture) {
  const rebal_time now = test_time(NOW);
  struct test_world *world = &fixture->world;

  if (world->snapshot == NULL) {
    test_freeze(world);
  }
  return rebal_deschedule_step(world->ctx, world->snapshot, world->bindings, &now, &fixture->opts, world->result,
                               &world->err);
}

size_t fixture_action(const struct fixture *fixture, int64_t kind, int64_t binding, size_t n) {
  const size_t count = rebal_result_count(fixture->world.result, REBAL_TABLE_ACTION);

  for (size_t row = 0; row < count; row++) {
    if (fixture_cell(fixture, REBAL_ACTION_KIND, row) == kind &&
        fixture_cell(fixture, REBAL_ACTION_ROW, row) == binding && n-- == 0) {
      return row;
    }
  }
  return SIZE_MAX;
}

int64_t fixture_cell(const struct fixture *fixture, uint32_t column, size_t row) {
  size_t n;
  const int64_t *cells = rebal_result_i64(fixture->world.result, column, &n);

  ck_assert_uint_lt(row, n);
  return cells[row];
}

const char *fixture_clusters(const struct fixture *fixture, uint32_t binding) {
  static char text[256];
  const size_t action = fixture_action(fixture, REBAL_ACTION_KIND_PATCH_SPEC, binding, 0);
  const rebal_record *spec = rebal_result_record(fixture->world.result, action);
  uint32_t node = REBAL_NONE;
  size_t len = 0;

  text[0] = '\0';
  while (spec != NULL && (node = rebal_record_next(spec, 0, REBAL_BINDING_SPEC_CLUSTERS, node)) != REBAL_NONE) {
    const uint32_t name = rebali_record_get(spec, node, REBAL_TARGET_CLUSTER_NAME);
    const int64_t replicas = rebal_record_i64(spec, rebali_record_get(spec, node, REBAL_TARGET_CLUSTER_REPLICAS));

    len += (size_t)snprintf(text + len, sizeof text - len, "%s%s:%d", len == 0 ? "" : " ",
                            rebal_record_text(spec, name, NULL), (int)replicas);
  }
  return text;
}

const char *fixture_once(const char *targets, const char *ready, const char *first, const char *second) {
  const struct test_binding binding = {.replicas = 10, .targets = targets};
  const char *const answers[] = {first, second};
  struct fixture fixture;
  const char *clusters;
  uint32_t row;

  fixture_open(&fixture, NULL);
  row = fixture_add(&fixture, &binding, ready);
  for (size_t i = 0; i < REBALI_COUNT(answers); i++) {
    if (answers[i] != NULL) {
      fixture_answer(&fixture, answers[i]);
    }
  }
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  clusters = fixture_clusters(&fixture, row);
  fixture_close(&fixture);
  return clusters;
}
