/* SPDX-License-Identifier: MIT */
#include "member_rows.h"

#include "../../support/records.h"
#include "../unit.h"

/* A row under construction. */
struct row {
  struct test_world *world;
  uint32_t cluster;
  uint32_t id;
};

static struct row add_row(struct test_world *world, uint32_t cluster, uint32_t table) {
  struct row row = {world, cluster, REBAL_NONE};

  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(world->fleet), table, cluster, &row.id, 1, NULL), REBAL_OK);
  return row;
}

static void put_text(const struct row *row, uint32_t column, const char *text) {
  const uint32_t offsets[] = {0, text == NULL ? 0 : (uint32_t)strlen(text)};

  ck_assert_int_eq(rebal_cells_put_text(rebal_fleet_cells(row->world->fleet), column, row->cluster, &row->id, text,
                                        offsets, 1, NULL),
                   REBAL_OK);
}

static void put_i64(const struct row *row, uint32_t column, int64_t value) {
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(row->world->fleet), column, row->cluster, &row->id, &value, 1, NULL),
      REBAL_OK);
}

static void put_time(const struct row *row, uint32_t column, int64_t seconds) {
  const rebal_time time = test_time(seconds);

  ck_assert_int_eq(
      rebal_cells_put_time(rebal_fleet_cells(row->world->fleet), column, row->cluster, &row->id, &time, 1, NULL),
      REBAL_OK);
}

/* A selector by labels and by the key of one more that has to be there. */
static int64_t selector_handle(struct test_world *world, const char *labels, const char *key) {
  if (labels == NULL && key == NULL) {
    return REBAL_NONE;
  }
  ck_assert_int_eq(rebal_builder_start(world->builder, REBAL_OBJECT_LABEL_SELECTOR, NULL), REBAL_OK);
  test_put_pairs(world->builder, REBAL_LABEL_SELECTOR_MATCH_LABELS, labels == NULL ? "" : labels);
  if (key != NULL) {
    ck_assert_int_eq(rebal_builder_begin(world->builder, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_text(world->builder, REBAL_EXPRESSION_KEY, key, strlen(key), NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_text(world->builder, REBAL_EXPRESSION_OPERATOR, "Exists", 6, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_end(world->builder, NULL), REBAL_OK);
  }
  return test_intern(world);
}

uint32_t member_add_workload(struct test_world *world, uint32_t cluster, const struct member_workload *workload) {
  const struct row row = add_row(world, cluster, REBAL_TABLE_WORKLOAD);

  put_text(&row, REBAL_WORKLOAD_KIND, workload->kind == NULL ? "Deployment" : workload->kind);
  put_text(&row, REBAL_WORKLOAD_NAMESPACE, workload->namespace_);
  put_text(&row, REBAL_WORKLOAD_NAME, workload->name);
  put_text(&row, REBAL_WORKLOAD_UID, workload->uid);
  put_text(&row, REBAL_WORKLOAD_TEMPLATE, workload->pod_template);
  put_i64(&row, REBAL_WORKLOAD_SELECTOR, selector_handle(world, workload->selector, workload->expression));
  return row.id;
}

uint32_t member_add_set(struct test_world *world, uint32_t cluster, const struct member_set *set) {
  const struct row row = add_row(world, cluster, REBAL_TABLE_REPLICA_SET);

  put_text(&row, REBAL_REPLICA_SET_NAMESPACE, set->namespace_);
  put_text(&row, REBAL_REPLICA_SET_NAME, set->name);
  put_text(&row, REBAL_REPLICA_SET_UID, set->uid);
  put_text(&row, REBAL_REPLICA_SET_CONTROLLER_UID, set->controller);
  put_text(&row, REBAL_REPLICA_SET_TEMPLATE, set->pod_template);
  put_i64(&row, REBAL_REPLICA_SET_LABELS, test_labels_handle(world, set->labels));
  put_time(&row, REBAL_REPLICA_SET_CREATED, set->created);
  return row.id;
}

uint32_t member_add_pod(struct test_world *world, uint32_t cluster, const struct member_pod *pod) {
  const struct row row = add_row(world, cluster, REBAL_TABLE_POD);

  put_text(&row, REBAL_POD_NAMESPACE, pod->namespace_);
  put_text(&row, REBAL_POD_CONTROLLER_UID, pod->controller);
  put_i64(&row, REBAL_POD_LABELS, test_labels_handle(world, pod->labels));
  put_time(&row, REBAL_POD_UNSCHEDULABLE_SINCE, pod->since);
  return row.id;
}
