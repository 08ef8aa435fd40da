/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../../support/allocator.h"
#include "../unit.h"

static struct test_allocator memory;
static struct rebali_arena texts;
static struct rebali_table table;

static void setup(void) {
  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&texts, &memory.functions, 0);
  rebali_table_init(&table, REBAL_TABLE_TASK, &memory.functions, &texts);
}

static void teardown(void) {
  rebali_table_dispose(&table);
  rebali_arena_dispose(&texts);
  ck_assert_uint_eq(memory.live, 0);
}

static size_t add(size_t rows) {
  size_t first = 99;

  ck_assert_int_eq(rebali_table_add(&table, rows, &first), REBAL_OK);
  return first;
}

START_TEST(test_unset_cells_are_absent) {
  ck_assert_uint_eq(add(2), 0);
  ck_assert_uint_eq(add(3), 2);
  ck_assert_uint_eq(add(0), 5);
  ck_assert_uint_eq(table.rows, 5);
  ck_assert_int_eq(rebali_table_i64(&table, REBAL_TASK_FROM_CLUSTER, 4), REBAL_NONE);
  ck_assert_int_eq(rebali_table_i64(&table, REBAL_TASK_REPLICAS, 4), REBAL_ABSENT);
  ck_assert_uint_eq(rebali_table_text(&table, REBAL_TASK_REASON, 4).len, 0);
  ck_assert_str_eq(rebali_table_text(&table, REBAL_TASK_REASON, 4).bytes, "");
  ck_assert_uint_eq(rebali_table_time(&table, REBAL_TASK_CREATION_TIMESTAMP, 4).is_set, 0);
  ck_assert_uint_eq(memory.requests, 0);
}
END_TEST

START_TEST(test_cells_around_a_set_one_stay_absent) {
  const rebal_time now = {5, 6, 9};

  add(3);
  ck_assert_int_eq(rebali_table_set_i64(&table, REBAL_TASK_REPLICAS, 1, 7), REBAL_OK);
  ck_assert_int_eq(rebali_table_set_text(&table, REBAL_TASK_REASON, 1, REBALI_TEXT("why")), REBAL_OK);
  ck_assert_int_eq(rebali_table_set_time(&table, REBAL_TASK_CREATION_TIMESTAMP, 1, &now), REBAL_OK);
  add(100); /* grows */
  ck_assert_int_eq(rebali_table_i64(&table, REBAL_TASK_REPLICAS, 1), 7);
  ck_assert_str_eq(rebali_table_text(&table, REBAL_TASK_REASON, 1).bytes, "why");
  ck_assert_int_eq(rebali_table_time(&table, REBAL_TASK_CREATION_TIMESTAMP, 1).seconds, 5);
  ck_assert_uint_eq(rebali_table_time(&table, REBAL_TASK_CREATION_TIMESTAMP, 1).is_set, 1);
  ck_assert_int_eq(rebali_table_i64(&table, REBAL_TASK_REPLICAS, 0), REBAL_ABSENT);
  ck_assert_int_eq(rebali_table_i64(&table, REBAL_TASK_REPLICAS, 102), REBAL_ABSENT);
  ck_assert_str_eq(rebali_table_text(&table, REBAL_TASK_REASON, 2).bytes, "");
  ck_assert_str_eq(rebali_table_text(&table, REBAL_TASK_REASON, 102).bytes, "");
  ck_assert_uint_eq(rebali_table_time(&table, REBAL_TASK_CREATION_TIMESTAMP, 102).is_set, 0);
}
END_TEST

START_TEST(test_cells_can_be_emptied) {
  const rebal_time now = {5, 6, 1};
  const rebal_time unset = {5, 6, 0};

  add(1);
  (void)rebali_table_set_text(&table, REBAL_TASK_REASON, 0, REBALI_TEXT("why"));
  ck_assert_int_eq(rebali_table_set_text(&table, REBAL_TASK_REASON, 0, rebali_text(NULL, 0)), REBAL_OK);
  ck_assert_str_eq(rebali_table_text(&table, REBAL_TASK_REASON, 0).bytes, "");
  (void)rebali_table_set_time(&table, REBAL_TASK_CREATION_TIMESTAMP, 0, &now);
  ck_assert_int_eq(rebali_table_set_time(&table, REBAL_TASK_CREATION_TIMESTAMP, 0, &unset), REBAL_OK);
  ck_assert_int_eq(rebali_table_time(&table, REBAL_TASK_CREATION_TIMESTAMP, 0).seconds, 0);
}
END_TEST

START_TEST(test_a_row_can_be_emptied) {
  const rebal_time time = {5, 6, 1};

  add(3);
  for (size_t row = 0; row < 3; row++) {
    ck_assert_int_eq(rebali_table_set_i64(&table, REBAL_TASK_REPLICAS, row, 8), REBAL_OK);
    ck_assert_int_eq(rebali_table_set_text(&table, REBAL_TASK_REASON, row, REBALI_TEXT("why")), REBAL_OK);
    ck_assert_int_eq(rebali_table_set_time(&table, REBAL_TASK_CREATION_TIMESTAMP, row, &time), REBAL_OK);
  }
  rebali_table_clear_row(&table, 1);
  for (size_t row = 0; row < 3; row++) {
    ck_assert_int_eq(rebali_table_i64(&table, REBAL_TASK_REPLICAS, row), row == 1 ? REBAL_ABSENT : 8);
    ck_assert_uint_eq(rebali_table_text(&table, REBAL_TASK_REASON, row).len, row == 1 ? 0 : 3);
    ck_assert_uint_eq(rebali_table_time(&table, REBAL_TASK_CREATION_TIMESTAMP, row).is_set, row != 1);
  }
}
END_TEST

START_TEST(test_clear_keeps_memory_and_no_value) {
  add(8);
  (void)rebali_table_set_i64(&table, REBAL_TASK_REPLICAS, 3, 7);
  rebali_table_clear(&table);
  ck_assert_uint_eq(table.rows, 0);
  memory.requests = 0;
  ck_assert_uint_eq(add(8), 0);
  ck_assert_int_eq(rebali_table_i64(&table, REBAL_TASK_REPLICAS, 3), REBAL_ABSENT);
  ck_assert_int_eq(rebali_table_set_i64(&table, REBAL_TASK_REPLICAS, 3, 8), REBAL_OK);
  ck_assert_uint_eq(memory.requests, 0);
}
END_TEST

START_TEST(test_result_tables_have_their_integers) {
  rebali_table_init(&table, REBAL_TABLE_VERDICT, &memory.functions, &texts);
  add(2);
  ck_assert_ptr_nonnull(table.columns[REBAL_VERDICT_TAINT % 256]);
  ck_assert_int_eq(((const int64_t *)table.columns[REBAL_VERDICT_TAINT % 256])[1], REBAL_ABSENT);
}
END_TEST

START_TEST(test_other_tables_wait_for_a_cell) {
  static const uint32_t others[] = {REBAL_TABLE_BINDING, REBAL_TABLE_SPREAD_POD};

  rebali_table_init(&table, others[_i], &memory.functions, &texts);
  add(2);
  ck_assert_uint_eq(memory.requests, 0);
}
END_TEST

/* Added cell by cell and appended by column: the same rows, and as few requests for memory. */
START_TEST(test_appended_rows_are_added_rows) {
  struct test_allocator plain_memory;
  struct rebali_arena plain_texts;
  struct rebali_table plain;
  size_t first = 99, plain_first = 99;

  test_allocator_init(&plain_memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&plain_texts, &plain_memory.functions, 0);
  rebali_table_init(&plain, REBAL_TABLE_PLACED, &plain_memory.functions, &plain_texts);
  rebali_table_init(&table, REBAL_TABLE_PLACED, &memory.functions, &texts);
  for (size_t n = 0; n < 50; n++) {
    ck_assert_int_eq(rebali_table_append(&table, n, &first), REBAL_OK);
    ck_assert_int_eq(rebali_table_add(&plain, n, &plain_first), REBAL_OK);
    ck_assert_uint_eq(first, plain_first);
    for (size_t i = 0; i < n; i++) {
      rebali_table_integers(&table, REBAL_PLACED_CLUSTER, first)[i] = (int64_t)(n * i);
      rebali_table_integers(&table, REBAL_PLACED_REPLICAS, first)[i] = (int64_t)i;
      rebali_table_integers(&table, REBAL_PLACED_WITH_COMPONENTS, first)[i] = 0;
      ck_assert_int_eq(rebali_table_set_i64(&plain, REBAL_PLACED_CLUSTER, first + i, (int64_t)(n * i)), REBAL_OK);
      ck_assert_int_eq(rebali_table_set_i64(&plain, REBAL_PLACED_REPLICAS, first + i, (int64_t)i), REBAL_OK);
    }
  }
  ck_assert_uint_eq(table.rows, plain.rows);
  for (size_t row = 0; row < table.rows; row++) {
    ck_assert_int_eq(rebali_table_i64(&table, REBAL_PLACED_CLUSTER, row),
                     rebali_table_i64(&plain, REBAL_PLACED_CLUSTER, row));
    ck_assert_int_eq(rebali_table_i64(&table, REBAL_PLACED_REPLICAS, row),
                     rebali_table_i64(&plain, REBAL_PLACED_REPLICAS, row));
    ck_assert_int_eq(rebali_table_i64(&table, REBAL_PLACED_WITH_COMPONENTS, row),
                     rebali_table_i64(&plain, REBAL_PLACED_WITH_COMPONENTS, row));
  }
  ck_assert_uint_eq(memory.requests, plain_memory.requests);
  rebali_table_dispose(&plain);
  rebali_arena_dispose(&plain_texts);
}
END_TEST

/* A text column comes to be with its first text; rows appended later are set, with or without one. */
START_TEST(test_appended_texts) {
  static const char *const message[] = {"", "", "why", "", "so", ""};
  size_t row;

  rebali_table_init(&table, REBAL_TABLE_DECISION, &memory.functions, &texts);
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < REBALI_COUNT(message); i++) {
      ck_assert_int_eq(rebali_table_append(&table, 1, &row), REBAL_OK);
      ck_assert_int_eq(
          rebali_table_set_text(&table, REBAL_DECISION_MESSAGE, row, rebali_text(message[i], strlen(message[i]))),
          REBAL_OK);
      ck_assert_int_eq(table.columns[REBAL_DECISION_MESSAGE % 256] == NULL, round == 0 && i < 2);
    }
    for (size_t i = 0; i < REBALI_COUNT(message); i++) {
      ck_assert_str_eq(rebali_table_text(&table, REBAL_DECISION_MESSAGE, i).bytes, message[i]);
    }
    rebali_table_clear(&table);
    rebali_arena_reset(&texts);
  }
}
END_TEST

START_TEST(test_a_failed_append_changes_nothing) {
  size_t row = 99;

  rebali_table_init(&table, REBAL_TABLE_PLACED, &memory.functions, &texts);
  memory.fail_at = 1;
  for (size_t made = 0; made < 3; made++) { /* each try makes one column more */
    memory.requests = 0;
    memory.fail_at = made == 0 ? 1 : 2;
    ck_assert_int_eq(rebali_table_append(&table, 5, &row), REBAL_ENOMEM);
    ck_assert_uint_eq(table.rows, 0);
    ck_assert_uint_eq(row, 99);
  }
  memory.fail_at = 0;
  ck_assert_int_eq(rebali_table_append(&table, 5, &row), REBAL_OK);
  ck_assert_uint_eq(row, 0);
  ck_assert_int_eq(rebali_table_append(&table, SIZE_MAX, &row), REBAL_ENOMEM);
  ck_assert_int_eq(rebali_table_append(&table, 0, NULL), REBAL_OK);
  ck_assert_uint_eq(table.rows, 5);
}
END_TEST

START_TEST(test_too_many_rows) {
  size_t first;

  add(1);
  (void)rebali_table_set_i64(&table, REBAL_TASK_REPLICAS, 0, 7);
  ck_assert_int_eq(rebali_table_add(&table, SIZE_MAX, &first), REBAL_ENOMEM);
  ck_assert_int_eq(rebali_table_add(&table, SIZE_MAX / 4, &first), REBAL_ENOMEM);
  ck_assert_uint_eq(table.rows, 1);
  ck_assert_int_eq(rebali_table_i64(&table, REBAL_TASK_REPLICAS, 0), 7);
}
END_TEST

START_TEST(test_a_failed_add_changes_nothing) {
  size_t first;

  add(8);
  (void)rebali_table_set_i64(&table, REBAL_TASK_REPLICAS, 7, 7);
  (void)rebali_table_set_text(&table, REBAL_TASK_REASON, 7, REBALI_TEXT("why"));
  memory.requests = 0;
  memory.fail_at = 2; /* one column has grown by then */
  ck_assert_int_eq(rebali_table_add(&table, 1, &first), REBAL_ENOMEM);
  ck_assert_uint_eq(table.rows, 8);
  memory.fail_at = 0;
  ck_assert_uint_eq(add(1), 8);
  ck_assert_int_eq(rebali_table_i64(&table, REBAL_TASK_REPLICAS, 7), 7);
  ck_assert_int_eq(rebali_table_i64(&table, REBAL_TASK_REPLICAS, 8), REBAL_ABSENT);
  ck_assert_str_eq(rebali_table_text(&table, REBAL_TASK_REASON, 7).bytes, "why");
}
END_TEST

static int32_t fill(const rebal_allocator *allocator, void *user_data) {
  const rebal_time now = {5, 6, 1};
  struct rebali_arena arena;
  struct rebali_table tasks;
  size_t row = 0;
  int32_t code = REBAL_OK;

  (void)user_data;
  rebali_arena_init(&arena, allocator, 0);
  rebali_table_init(&tasks, REBAL_TABLE_TASK, allocator, &arena);
  while (code == REBAL_OK && row < 20) {
    if (rebali_table_add(&tasks, 1, &row) != REBAL_OK ||
        rebali_table_set_i64(&tasks, REBAL_TASK_REPLICAS, row, 1) != REBAL_OK ||
        rebali_table_set_text(&tasks, REBAL_TASK_REASON, row, REBALI_TEXT("why")) != REBAL_OK ||
        rebali_table_set_time(&tasks, REBAL_TASK_CREATION_TIMESTAMP, row, &now) != REBAL_OK) {
      code = REBAL_ENOMEM;
    }
  }
  rebali_table_dispose(&tasks);
  rebali_arena_dispose(&arena);
  return code;
}

START_TEST(test_out_of_memory) {
  ck_assert_pstr_eq(test_torture(fill, NULL), NULL);
}
END_TEST

/* Every column by its line of the list: an id that callers fill in is kept as REBAL_NONE. */
START_TEST(test_what_each_unset_cell_holds) {
  static const struct {
    uint32_t column, table;
    int64_t absent;
    int is_id;
  } columns[] = {
#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source) \
  {REBAL_##table##_##name, REBAL_TABLE_##table, absent, REBALI_ID_##type},
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN
  };

  for (size_t i = 0; i < REBALI_COUNT(columns); i++) {
    const int is_filled = columns[i].table < REBAL_TABLE_DECISION || columns[i].table >= REBALI_FIRST_INPUT;

    ck_assert_int_eq(rebali_column_absent(columns[i].column),
                     is_filled && columns[i].is_id ? (int64_t)REBAL_NONE : columns[i].absent);
  }
  ck_assert_int_eq(rebali_column_absent(0), 0);
  ck_assert_int_eq(rebali_column_absent(REBAL_TABLE_TASK * 256 + 255), 0);
}
END_TEST

UNIT_CASE(table) {
  TCase *cases = tcase_create("table");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_unset_cells_are_absent);
  tcase_add_test(cases, test_cells_around_a_set_one_stay_absent);
  tcase_add_test(cases, test_cells_can_be_emptied);
  tcase_add_test(cases, test_a_row_can_be_emptied);
  tcase_add_test(cases, test_clear_keeps_memory_and_no_value);
  tcase_add_test(cases, test_result_tables_have_their_integers);
  tcase_add_loop_test(cases, test_other_tables_wait_for_a_cell, 0, 2);
  tcase_add_test(cases, test_appended_rows_are_added_rows);
  tcase_add_test(cases, test_appended_texts);
  tcase_add_test(cases, test_a_failed_append_changes_nothing);
  tcase_add_test(cases, test_too_many_rows);
  tcase_add_test(cases, test_a_failed_add_changes_nothing);
  tcase_add_test(cases, test_out_of_memory);
  tcase_add_test(cases, test_what_each_unset_cell_holds);
  return cases;
}
