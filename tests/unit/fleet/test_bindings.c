/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

static rebal_bindings *new_bindings(const rebal_fleet *fleet) {
  rebal_bindings *bindings = NULL;

  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  return bindings;
}

static uint32_t add_row(rebal_bindings *bindings, uint32_t table, uint32_t parent) {
  uint32_t row = REBAL_NONE;

  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), table, parent, &row, 1, NULL), REBAL_OK);
  return row;
}

START_TEST(test_children_keep_their_order) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = new_bindings(fleet);
  const uint32_t parents[6] = {2, 0, 2, 0, 2, 2};
  const uint32_t *rows;
  uint32_t ids[6] = {9, 9, 9, 9, 9, 9};
  size_t n = 9;

  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, ids, 3, NULL),
                   REBAL_OK);
  ck_assert(ids[0] == 0 && ids[1] == 1 && ids[2] == 2);
  ck_assert_int_eq(rebal_cells_add_children(rebal_bindings_cells(bindings), REBAL_TABLE_TARGET, parents, ids, 6, NULL),
                   REBAL_OK);
  ck_assert(ids[0] == 0 && ids[5] == 5);
  ck_assert_uint_eq(add_row(bindings, REBAL_TABLE_TARGET, 1), 6);
  ck_assert_uint_eq(add_row(bindings, REBAL_TABLE_COMPONENT, 2), 0);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  rows = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, 0, &n);
  ck_assert_uint_eq(n, 2);
  ck_assert(rows[0] == 1 && rows[1] == 3);
  rows = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, 1, &n);
  ck_assert_uint_eq(n, 1);
  ck_assert_uint_eq(rows[0], 6);
  rows = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, 2, &n);
  ck_assert_uint_eq(n, 4);
  ck_assert(rows[0] == 0 && rows[1] == 2 && rows[2] == 4 && rows[3] == 5);
  rebali_bindings_children(bindings, REBAL_TABLE_COMPONENT, 0, &n);
  ck_assert_uint_eq(n, 0);
  rebali_bindings_children(bindings, REBAL_TABLE_TASK, 2, &n);
  ck_assert_uint_eq(n, 0);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_counts) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = new_bindings(fleet);

  add_row(bindings, REBAL_TABLE_BINDING, REBAL_NONE);
  add_row(bindings, REBAL_TABLE_TASK, 0);
  add_row(bindings, REBAL_TABLE_TASK, 0);
  ck_assert_int_eq(rebal_cells_add_children(rebal_bindings_cells(bindings), REBAL_TABLE_TASK, NULL, NULL, 0, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE), 1);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_TASK, REBAL_NONE), 2);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, REBAL_NONE), 0);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_CLUSTER, REBAL_NONE), 0);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_DECISION, REBAL_NONE), 0);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(NULL), REBAL_TABLE_BINDING, REBAL_NONE), 0);
  rebal_bindings_free(bindings);
  rebal_bindings_free(NULL);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_refusals) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = NULL;
  const uint32_t parents[2] = {0, 1};
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t rows[2] = {9, 9};
  uint32_t row = 9;

  ck_assert_int_eq(rebal_bindings_new(NULL, NULL, &bindings, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, NULL, NULL), REBAL_EINVAL);
  bindings = new_bindings(fleet);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_CLUSTER, 0, &row, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_TARGET, 0, &row, 1, NULL),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, NULL, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(NULL), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL),
                   REBAL_EINVAL);
  add_row(bindings, REBAL_TABLE_BINDING, REBAL_NONE);
  ck_assert_int_eq(rebal_cells_add_children(rebal_bindings_cells(bindings), REBAL_TABLE_TARGET, parents, rows, 2, &err),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 1);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, REBAL_NONE), 0);
  ck_assert_int_eq(rebal_cells_add_children(rebal_bindings_cells(bindings), REBAL_TABLE_TARGET, NULL, rows, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_add_children(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, parents, rows, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, 0, rows, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, rows, UINT32_MAX, NULL),
      REBAL_ELIMIT);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, parents, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_ESTATE);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL),
                   REBAL_ESTATE);
  ck_assert_int_eq(rebal_bindings_freeze(NULL, NULL), REBAL_EINVAL);
  ck_assert_uint_eq(row, 9);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_check) {
  rebal_fleet *fleet = new_fleet();
  rebal_fleet *other = new_fleet();
  rebal_bindings *bindings = new_bindings(fleet);
  rebal_snapshot *old;
  rebal_snapshot *now;
  rebal_snapshot *foreign;
  uint32_t late = 0;

  add_cluster(fleet, "a");
  old = freeze(fleet);
  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, TEXT("late"), &late, NULL), REBAL_OK);
  now = freeze(fleet);
  foreign = freeze(other);
  add_row(bindings, REBAL_TABLE_BINDING, REBAL_NONE);
  add_row(bindings, REBAL_TABLE_TARGET, 0);
  add_row(bindings, REBAL_TABLE_TASK, 0);
  ck_assert_int_eq(rebali_bindings_check(bindings, now, NULL), REBAL_ESTATE);
  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TASK_FROM_CLUSTER, REBAL_NONE, 0, (int64_t)late, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_bindings_check(bindings, now, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_bindings_check(bindings, old, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(rebali_bindings_check(bindings, foreign, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(rebali_bindings_check(bindings, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_bindings_check(NULL, now, NULL), REBAL_EINVAL);
  rebal_bindings_reset(bindings);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_bindings_check(bindings, old, NULL), REBAL_OK);
  rebal_fleet_free(fleet);
  rebal_bindings_free(bindings);
  rebal_snapshot_unref(old);
  rebal_snapshot_unref(now);
  rebal_snapshot_unref(foreign);
  rebal_fleet_free(other);
}
END_TEST

START_TEST(test_reset) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = new_bindings(fleet);
  size_t n = 9;

  add_row(bindings, REBAL_TABLE_BINDING, REBAL_NONE);
  add_row(bindings, REBAL_TABLE_STATUS_ITEM, 0);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, 0, TEXT("web"), NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  rebal_bindings_reset(bindings);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE), 0);
  ck_assert_uint_eq(add_row(bindings, REBAL_TABLE_BINDING, REBAL_NONE), 0);
  ck_assert_uint_eq(rebali_bindings_text(bindings, REBAL_BINDING_NAME, 0).len, 0);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  rebali_bindings_children(bindings, REBAL_TABLE_STATUS_ITEM, 0, &n);
  ck_assert_uint_eq(n, 0);
  rebal_bindings_reset(NULL);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

static int32_t scenario(const rebal_allocator *allocator, void *user_data) {
  const rebal_time time = {5, 0, 1};
  rebal_bindings *bindings = NULL;
  uint32_t row = 0;
  int32_t code = rebal_bindings_new(user_data, allocator, &bindings, NULL);

  for (uint32_t i = 0; i < 20 && code == REBAL_OK; i++) {
    code = rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL);
    if (code == REBAL_OK) {
      code =
          rebal_cells_set_text(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, row, TEXT("web"), NULL);
    }
    if (code == REBAL_OK) {
      code = rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_TASK, row / 2, &row, 1, NULL);
    }
    if (code == REBAL_OK) {
      code = rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TASK_FROM_CLUSTER, REBAL_NONE, row, 0, NULL);
    }
    if (code == REBAL_OK) {
      code = rebal_cells_set_time(rebal_bindings_cells(bindings), REBAL_TASK_CREATION_TIMESTAMP, REBAL_NONE, row, &time,
                                  NULL);
    }
  }
  if (code == REBAL_OK) {
    code = rebal_bindings_freeze(bindings, NULL);
  }
  rebal_bindings_free(bindings);
  return code;
}

START_TEST(test_torture_bindings) {
  rebal_fleet *fleet = new_fleet();

  add_cluster(fleet, "a");
  ck_assert_pstr_eq(test_torture(scenario, fleet), NULL);
  rebal_fleet_free(fleet);
}
END_TEST

/* A freeze that failed can be tried again. */
START_TEST(test_freeze_again) {
  rebal_fleet *fleet = new_fleet();
  size_t fail;

  for (fail = 1; fail <= 2; fail++) {
    struct test_allocator memory;
    rebal_bindings *bindings = NULL;
    size_t n = 0;

    test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
    ck_assert_int_eq(rebal_bindings_new(fleet, &memory.functions, &bindings, NULL), REBAL_OK);
    add_row(bindings, REBAL_TABLE_BINDING, REBAL_NONE);
    add_row(bindings, REBAL_TABLE_TARGET, 0);
    memory.fail_at = memory.requests + fail;
    ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_ENOMEM);
    ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
    rebali_bindings_children(bindings, REBAL_TABLE_TARGET, 0, &n);
    ck_assert_uint_eq(n, 1);
    rebal_bindings_free(bindings);
    ck_assert_uint_eq(memory.live, 0);
  }
  rebal_fleet_free(fleet);
}
END_TEST

/* Actions about a binding, and about what it is for. */
START_TEST(test_actions) {
  static const struct {
    uint32_t column;
    const char *text;
  } cells[] = {{REBAL_BINDING_NAMESPACE, "ns"},
               {REBAL_BINDING_NAME, "web-deployment"},
               {REBAL_BINDING_RESOURCE_API_VERSION, "apps/v1"},
               {REBAL_BINDING_RESOURCE_KIND, "Deployment"},
               {REBAL_BINDING_RESOURCE_NAMESPACE, "ns"},
               {REBAL_BINDING_RESOURCE_NAME, "web"},
               {REBAL_BINDING_RESOURCE_UID, "u"}};
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = new_bindings(fleet);
  struct rebali_action action;

  (void)add_row(bindings, REBAL_TABLE_BINDING, REBAL_NONE);
  for (size_t i = 0; i < REBALI_COUNT(cells); i++) {
    ck_assert_int_eq(rebal_cells_set_text(rebal_bindings_cells(bindings), cells[i].column, REBAL_NONE, 0, cells[i].text,
                                          strlen(cells[i].text), NULL),
                     REBAL_OK);
  }
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  action = rebali_bindings_action(bindings, 0, REBAL_ACTION_KIND_EVENT);
  ck_assert(rebali_text_equal(action.object_kind, REBALI_TEXT("ResourceBinding")));
  ck_assert(rebali_text_equal(action.name, REBALI_TEXT("web-deployment")));
  action = rebali_bindings_resource_action(bindings, 0, REBAL_ACTION_KIND_EVENT);
  ck_assert_int_eq(action.kind, REBAL_ACTION_KIND_EVENT);
  ck_assert(rebali_text_equal(action.api_version, REBALI_TEXT("apps/v1")));
  ck_assert(rebali_text_equal(action.object_kind, REBALI_TEXT("Deployment")));
  ck_assert(rebali_text_equal(action.namespace_, REBALI_TEXT("ns")));
  ck_assert(rebali_text_equal(action.name, REBALI_TEXT("web")));
  ck_assert(rebali_text_equal(action.uid, REBALI_TEXT("u")));
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(bindings) {
  TCase *cases = tcase_create("bindings");
  tcase_add_test(cases, test_children_keep_their_order);
  tcase_add_test(cases, test_counts);
  tcase_add_test(cases, test_actions);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_check);
  tcase_add_test(cases, test_reset);
  tcase_add_test(cases, test_torture_bindings);
  tcase_add_test(cases, test_freeze_again);
  return cases;
}
