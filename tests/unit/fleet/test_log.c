/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

#define ROWS 300u
#define VERSIONS 1500u

/* The actual changes: for each version the rows, and for each row its last version. */
struct model {
  uint64_t last[ROWS];
  uint32_t changes[VERSIONS + 2];
};

static size_t changes_after(const struct model *model, uint64_t since, uint64_t until) {
  size_t n = 0;

  for (uint64_t version = since + 1; version <= until; version++) {
    n += model->changes[version];
  }
  return n;
}

static void check_law(const struct rebali_log *log, const struct model *model, uint64_t since, uint64_t until) {
  unsigned char listed[ROWS] = {0};
  const uint32_t *rows = NULL;
  size_t n = 0;
  const int32_t code = rebali_log_changes(log, since, &rows, &n);

  if (code == REBAL_ENOTFOUND) {
    ck_assert_uint_gt(changes_after(model, since, until), REBALI_LOG_KEEP);
    return;
  }
  ck_assert_int_eq(code, REBAL_OK);
  ck_assert_uint_eq(n, changes_after(model, since, until));
  for (size_t i = 0; i < n; i++) {
    listed[rows[i]] = 1;
  }
  for (uint32_t row = 0; row < ROWS; row++) {
    ck_assert_int_eq(listed[row], model->last[row] > since);
  }
}

static void change_rows(struct rebali_log *log, const rebal_allocator *allocator, struct model *model, uint64_t version,
                        uint32_t *random) {
  const uint32_t n = next_random(random, 8) == 0 ? next_random(random, ROWS) : next_random(random, 4);

  for (uint32_t i = 0; i < n; i++) {
    const uint32_t row = next_random(random, ROWS);

    if (model->last[row] != version) {
      ck_assert_int_eq(rebali_log_reserve(allocator, log), REBAL_OK);
      rebali_log_add(log, version, row);
      model->last[row] = version;
      model->changes[version]++;
    }
  }
}

/* Compares with brute force while views of several ages are held. */
START_TEST(test_law) {
  static struct model model;
  static struct model held_model;
  struct test_allocator memory;
  struct rebali_log log = {NULL, 0, 0};
  struct rebali_log held = {NULL, 0, 0};
  uint64_t held_version = 0;
  uint32_t random = 1;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  for (uint64_t version = 1; version <= VERSIONS; version++) {
    change_rows(&log, &memory.functions, &model, version, &random);
    check_law(&log, &model, version - 1, version);
    check_law(&log, &model, next_random(&random, (uint32_t)version), version);
    check_law(&log, &model, version < 40 ? 0 : version - next_random(&random, 40), version);
    check_law(&held, &held_model, next_random(&random, (uint32_t)held_version + 1), held_version);
    if (version % 97 == 0) {
      rebali_log_drop(&memory.functions, &held);
      held = rebali_log_share(&log);
      held_model = model;
      held_version = version;
    }
  }
  ck_assert_int_eq(rebali_log_changes(&log, 0, &(const uint32_t *){NULL}, &(size_t){0}), REBAL_ENOTFOUND);
  rebali_log_drop(&memory.functions, &held);
  rebali_log_drop(&memory.functions, &log);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_empty_log) {
  const struct rebali_log log = {NULL, 0, 0};
  const uint32_t *rows = NULL;
  size_t n = 9;

  ck_assert_int_eq(rebali_log_changes(&log, 0, &rows, &n), REBAL_OK);
  ck_assert_uint_eq(n, 0);
}
END_TEST

/* A shared block is not changed if memory for the next change cannot be allocated. */
START_TEST(test_no_memory) {
  struct test_allocator memory;
  struct rebali_log log = {NULL, 0, 0};
  struct rebali_log held;
  const uint32_t *rows = NULL;
  size_t n = 0;
  uint32_t row = 0;

  test_allocator_init(&memory, 1, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_log_reserve(&memory.functions, &log), REBAL_ENOMEM);
  for (row = 0; row < 2 * REBALI_LOG_KEEP; row++) {
    ck_assert_int_eq(rebali_log_reserve(&memory.functions, &log), REBAL_OK);
    rebali_log_add(&log, 1, row);
  }
  held = rebali_log_share(&log);
  memory.fail_at = memory.requests + 1;
  ck_assert_int_eq(rebali_log_reserve(&memory.functions, &log), REBAL_ENOMEM);
  ck_assert_ptr_eq(log.block, held.block);
  ck_assert_int_eq(rebali_log_reserve(&memory.functions, &log), REBAL_OK);
  ck_assert_ptr_ne(log.block, held.block);
  ck_assert_int_eq(rebali_log_changes(&held, 0, &rows, &n), REBAL_OK);
  ck_assert_uint_eq(n, 2 * REBALI_LOG_KEEP);
  ck_assert_int_eq(rebali_log_changes(&log, 0, &rows, &n), REBAL_ENOTFOUND);
  rebali_log_drop(&memory.functions, &held);
  rebali_log_drop(&memory.functions, &log);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

UNIT_CASE(log) {
  TCase *cases = tcase_create("log");
  tcase_set_timeout(cases, 60);
  tcase_add_test(cases, test_law);
  tcase_add_test(cases, test_empty_log);
  tcase_add_test(cases, test_no_memory);
  return cases;
}
