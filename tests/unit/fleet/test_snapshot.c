/* SPDX-License-Identifier: MIT */
#include "making.h"

#include <pthread.h>
#include <stdio.h>

START_TEST(test_empty_fleet) {
  rebal_fleet *fleet = new_fleet();
  rebal_snapshot *snapshot = freeze(fleet);
  rebal_snapshot *second = freeze(fleet);
  uint32_t n = 9;
  size_t len = 9;

  ck_assert_uint_eq(rebal_snapshot_version(snapshot), 1);
  ck_assert_uint_eq(rebal_snapshot_version(second), 2);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE), 0);
  ck_assert_uint_eq(rebal_cells_count(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE), 0);
  rebali_snapshot_by_name(snapshot, &n);
  ck_assert_uint_eq(n, 0);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_NAME, REBAL_NONE, 0, &len), "");
  ck_assert_uint_eq(len, 0);
  ck_assert_uint_eq(rebal_snapshot_find_cluster(snapshot, TEXT("a")), REBAL_NONE);
  ck_assert_uint_eq(rebali_snapshot_resource(snapshot, REBALI_TEXT("cpu")), REBAL_NONE);
  ck_assert_ptr_eq(rebali_snapshot_fleet(snapshot), rebali_snapshot_fleet(second));
  rebal_snapshot_unref(snapshot);
  rebal_snapshot_unref(second);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_null_snapshot) {
  ck_assert_ptr_null(rebal_snapshot_ref(NULL));
  rebal_snapshot_unref(NULL);
  ck_assert_uint_eq(rebal_snapshot_version(NULL), 0);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(NULL), REBAL_TABLE_CLUSTER, REBAL_NONE), 0);
  ck_assert_uint_eq(rebal_cells_count(rebal_snapshot_cells(NULL), REBAL_TABLE_CLUSTER, REBAL_NONE), 0);
  ck_assert_int_eq(rebal_cells_has(rebal_snapshot_cells(NULL), REBAL_TABLE_CLUSTER, REBAL_NONE, 0), 0);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(NULL), REBAL_CLUSTER_NAME, REBAL_NONE, 0, NULL), "");
  ck_assert_uint_eq(rebal_snapshot_find_cluster(NULL, TEXT("a")), REBAL_NONE);
}
END_TEST

START_TEST(test_names_and_order) {
  rebal_fleet *fleet = new_fleet();
  rebal_snapshot *first;
  rebal_snapshot *second;
  const uint32_t *ids;
  uint32_t n = 0;
  uint32_t ghost = 0;

  add_cluster(fleet, "c");
  add_cluster(fleet, "a");
  first = freeze(fleet);
  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, TEXT("b"), &ghost, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &(const uint32_t){0}, 1, NULL),
      REBAL_OK);
  add_cluster(fleet, "aa");
  second = freeze(fleet);
  ids = rebali_snapshot_by_name(second, &n);
  ck_assert_uint_eq(n, 2);
  ck_assert_uint_eq(ids[0], 1);
  ck_assert_uint_eq(ids[1], 3);
  ck_assert_uint_eq(rebali_snapshot_rank(second, 1), 0);
  ck_assert_uint_eq(rebali_snapshot_rank(second, 3), 1);
  ck_assert_uint_eq(rebali_snapshot_rank(second, ghost), 2);
  ck_assert_uint_eq(rebali_snapshot_rank(second, 0), 3);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(second), REBAL_TABLE_CLUSTER, REBAL_NONE), 4);
  ck_assert_int_eq(rebal_cells_has(rebal_snapshot_cells(second), REBAL_TABLE_CLUSTER, REBAL_NONE, ghost), 0);
  ck_assert_uint_eq(rebal_snapshot_find_cluster(second, TEXT("b")), ghost);
  ck_assert_uint_eq(rebal_snapshot_find_cluster(second, NULL, 1), REBAL_NONE);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(second), REBAL_CLUSTER_NAME, REBAL_NONE, 3, NULL), "aa");
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(first), REBAL_TABLE_CLUSTER, REBAL_NONE), 2);
  ck_assert_uint_eq(rebal_cells_count(rebal_snapshot_cells(first), REBAL_TABLE_CLUSTER, REBAL_NONE), 2);
  ck_assert_int_eq(rebal_cells_has(rebal_snapshot_cells(first), REBAL_TABLE_CLUSTER, REBAL_NONE, 0), 1);
  ck_assert_int_eq(rebal_cells_has(rebal_snapshot_cells(first), REBAL_TABLE_CLUSTER, REBAL_NONE, 3), 0);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(first), REBAL_CLUSTER_NAME, REBAL_NONE, 3, NULL), "");
  ck_assert_uint_eq(rebal_snapshot_find_cluster(first, TEXT("b")), REBAL_NONE);
  rebal_snapshot_unref(first);
  rebal_fleet_free(fleet);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(second), REBAL_CLUSTER_NAME, REBAL_NONE, 1, NULL), "a");
  rebal_snapshot_unref(second);
}
END_TEST

START_TEST(test_records_through_cells) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t labels = labels_of(fleet, "k", "v");
  rebal_snapshot *snapshot;
  const rebal_record *record;
  uint32_t newer;

  set_i64(fleet, REBAL_CLUSTER_LABELS, a, (int64_t)labels);
  snapshot = freeze(fleet);
  newer = labels_of(fleet, "k", "w");
  record = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_LABELS, a);
  ck_assert_ptr_eq(record, rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, labels));
  ck_assert_ptr_eq(record, rebali_snapshot_record(snapshot, REBAL_OBJECT_LABELS, labels));
  ck_assert_ptr_null(rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_TAINTS, a));
  ck_assert_ptr_null(rebali_snapshot_record(snapshot, REBAL_OBJECT_LABELS, REBAL_NONE));
  ck_assert_ptr_null(rebali_snapshot_record(snapshot, REBAL_OBJECT_LABELS, newer + 1));
  ck_assert_ptr_nonnull(rebali_snapshot_record(snapshot, REBAL_OBJECT_LABELS, newer));
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

/* ---- copy on write ----------------------------------------------------------------------------------------------- */

#define ROWS 700u
#define HELD 6u

/* What a snapshot must show, kept beside it. */
struct model {
  int present[ROWS];
  int64_t deleting[ROWS];
  int64_t summary[ROWS];
  int64_t amount[ROWS]; /* -1: not stated */
  char region[ROWS][4];
};

struct held {
  rebal_snapshot *snapshot;
  struct model model;
};

static void edit_row(rebal_fleet *fleet, struct model *model, uint32_t row, uint32_t *random) {
  const rebal_quantity amount = {(int64_t)next_random(random, 5), 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  char name[16];
  uint32_t id;

  if (!model->present[row]) {
    const int len = snprintf(name, sizeof name, "c%u", (unsigned)row);

    ck_assert_int_eq(rebal_fleet_add_cluster(fleet, name, (size_t)len, &id, NULL), REBAL_OK);
    ck_assert_uint_eq(id, row);
    model->present[row] = 1;
    return;
  }
  switch (next_random(random, 5)) {
    case 0:
      ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &row, 1, NULL),
                       REBAL_OK);
      model->present[row] = 0;
      model->deleting[row] = 0;
      model->summary[row] = 0;
      model->amount[row] = -1;
      model->region[row][0] = '\0';
      break;
    case 1:
      model->deleting[row] = (int64_t)next_random(random, 2);
      set_i64(fleet, REBAL_CLUSTER_DELETING, row, model->deleting[row]);
      break;
    case 2:
      snprintf(model->region[row], sizeof model->region[row], "r%u", (unsigned)next_random(random, 9));
      ck_assert_int_eq(rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, row,
                                            TEXT(model->region[row]), NULL),
                       REBAL_OK);
      break;
    case 3:
      ck_assert_int_eq(rebal_fleet_clear_capacity(fleet, row, NULL), REBAL_OK);
      model->amount[row] = -1;
      model->summary[row] = 0;
      break;
    default:
      ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATABLE, row, 0, &amount, NULL), REBAL_OK);
      model->amount[row] = amount.units;
      model->summary[row] = 1;
  }
}

static void check_shows(const rebal_snapshot *snapshot, const struct model *model) {
  uint32_t present = 0;

  for (uint32_t row = 0; row < ROWS; row++) {
    rebal_quantity amount = {-1, 0, 0};
    const int stated = rebali_snapshot_capacity(snapshot, REBAL_CAPACITY_ALLOCATABLE, row, 0, &amount);

    ck_assert_int_eq(rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, row),
                     model->present[row]);
    ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, row), model->deleting[row]);
    ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, row), model->summary[row]);
    ck_assert_str_eq(rebali_snapshot_text(snapshot, REBAL_CLUSTER_REGION, row).bytes, model->region[row]);
    ck_assert_int_eq(stated, model->amount[row] != -1);
    ck_assert_int_eq(amount.units, model->amount[row]);
    present += (uint32_t)model->present[row];
  }
  ck_assert_uint_eq(rebal_cells_count(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE), present);
}

static void start_model(rebal_fleet *fleet, struct model *model) {
  char name[16];

  resource_of(fleet, "cpu");
  memset(model, 0, sizeof *model);
  for (uint32_t row = 0; row < ROWS; row++) {
    snprintf(name, sizeof name, "c%u", (unsigned)row);
    ck_assert_uint_eq(add_cluster(fleet, name), row);
    model->present[row] = 1;
    model->amount[row] = -1;
  }
}

START_TEST(test_old_snapshots_stay) {
  static struct held held[HELD];
  static struct model model;
  rebal_fleet *fleet = new_fleet();
  uint32_t random = 3;

  start_model(fleet, &model);
  for (uint32_t round = 0; round < 120; round++) {
    struct held *place = &held[next_random(&random, HELD)];

    for (uint32_t edits = next_random(&random, 20); edits > 0; edits--) {
      edit_row(fleet, &model, next_random(&random, ROWS), &random);
    }
    rebal_snapshot_unref(place->snapshot);
    place->snapshot = freeze(fleet);
    place->model = model;
    for (uint32_t i = 0; i < HELD; i++) {
      if (held[i].snapshot != NULL) {
        check_shows(held[i].snapshot, &held[i].model);
      }
    }
  }
  rebal_fleet_free(fleet);
  for (uint32_t i = 0; i < HELD; i++) {
    check_shows(held[i].snapshot, &held[i].model);
    rebal_snapshot_unref(held[i].snapshot);
  }
}
END_TEST

/* ---- threads ----------------------------------------------------------------------------------------------------- */

#define THREAD_ROWS 300u
#define READINGS 150u

struct reader {
  pthread_t thread;
  rebal_snapshot *snapshot; /* one owner is the thread */
  int64_t expected;
  int faults;
};

static int64_t sum_of(rebal_snapshot *snapshot) {
  int64_t sum = 0;

  for (uint32_t row = 0; row < rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
       row++) {
    rebal_quantity amount = {0, 0, 0};
    size_t len;
    const char *name = rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_NAME, REBAL_NONE, row, &len);

    rebali_snapshot_capacity(snapshot, REBAL_CAPACITY_ALLOCATED, row, 0, &amount);
    sum += rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, row) + 2 * amount.units;
    sum += rebal_snapshot_find_cluster(snapshot, name, len) != row;
    sum += (int64_t)rebali_snapshot_text(snapshot, REBAL_CLUSTER_REGION, row).len;
    sum += rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_LABELS, row) != NULL;
  }
  return sum;
}

static void *read_again_and_again(void *argument) {
  struct reader *reader = argument;

  for (uint32_t i = 0; i < READINGS; i++) {
    rebal_snapshot *mine = rebal_snapshot_ref(reader->snapshot);

    reader->faults += sum_of(mine) != reader->expected;
    rebal_snapshot_unref(mine);
  }
  rebal_snapshot_unref(reader->snapshot);
  return NULL;
}

static void edit_for_threads(rebal_fleet *fleet, uint32_t *random) {
  const rebal_quantity amount = {(int64_t)next_random(random, 50), 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const uint32_t row = next_random(random, THREAD_ROWS);
  char text[16];

  snprintf(text, sizeof text, "%u", (unsigned)next_random(random, 100000));
  set_i64(fleet, REBAL_CLUSTER_DELETING, row, (int64_t)next_random(random, 2));
  set_i64(fleet, REBAL_CLUSTER_LABELS, row, (int64_t)labels_of(fleet, "k", text));
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, row, TEXT(text), NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, row, 0, &amount, NULL), REBAL_OK);
}

/* Two threads read snapshots, give and take references, while the fleet goes on. */
START_TEST(test_readers_beside_the_writer) {
  rebal_fleet *fleet = new_fleet();
  struct reader readers[2];
  uint32_t random = 9;
  char name[16];

  resource_of(fleet, "cpu");
  for (uint32_t row = 0; row < THREAD_ROWS; row++) {
    snprintf(name, sizeof name, "c%u", (unsigned)row);
    add_cluster(fleet, name);
  }
  for (uint32_t edits = 0; edits < 2 * THREAD_ROWS; edits++) {
    edit_for_threads(fleet, &random);
  }
  for (size_t i = 0; i < 2; i++) {
    edit_for_threads(fleet, &random);
    readers[i].snapshot = freeze(fleet);
    readers[i].expected = sum_of(readers[i].snapshot);
    readers[i].faults = 0;
    ck_assert_int_eq(pthread_create(&readers[i].thread, NULL, read_again_and_again, &readers[i]), 0);
  }
  for (uint32_t round = 0; round < 400; round++) {
    uint32_t ghost;

    snprintf(name, sizeof name, "d%u", (unsigned)round);
    ck_assert_int_eq(rebal_fleet_cluster_id(fleet, TEXT(name), &ghost, NULL), REBAL_OK);
    edit_for_threads(fleet, &random);
    rebal_snapshot_unref(freeze(fleet));
  }
  rebal_fleet_free(fleet);
  for (size_t i = 0; i < 2; i++) {
    ck_assert_int_eq(pthread_join(readers[i].thread, NULL), 0);
    ck_assert_int_eq(readers[i].faults, 0);
  }
}
END_TEST

UNIT_CASE(snapshot) {
  TCase *cases = tcase_create("snapshot");
  tcase_set_timeout(cases, 60);
  tcase_add_test(cases, test_empty_fleet);
  tcase_add_test(cases, test_null_snapshot);
  tcase_add_test(cases, test_names_and_order);
  tcase_add_test(cases, test_records_through_cells);
  tcase_add_test(cases, test_old_snapshots_stay);
  tcase_add_test(cases, test_readers_beside_the_writer);
  return cases;
}
