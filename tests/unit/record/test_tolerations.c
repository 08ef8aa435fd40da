/* SPDX-License-Identifier: MIT */
#include "record/tolerations.h"

#include "../../support/allocator.h"

#include "../unit.h"

#include <stdio.h>

static rebal_builder *builder;

static void setup(void) {
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
}

static void teardown(void) {
  rebal_builder_free(builder);
}

static uint64_t state = 1;

static unsigned draw(unsigned below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(state >> 33) % below;
}

/* One of "", "a0", "a1" ... */
static struct rebali_text draw_text(char *place, unsigned below) {
  const unsigned number = draw(below);

  return number == 0 ? REBALI_TEXT("") : rebali_text(place, (size_t)sprintf(place, "a%u", number));
}

static int32_t put_text(uint32_t field, struct rebali_text text) {
  return text.len == 0 && draw(2) == 0 ? REBAL_OK : rebal_builder_text(builder, field, text.bytes, text.len, NULL);
}

static int32_t put_toleration(uint32_t field, unsigned below) {
  static const char *const operators[] = {"Equal", "Exists", "", "Gt"};
  const char *operation = operators[draw(16) == 0 ? 3 : draw(3)];
  char key[16], value[16], effect[16];
  int32_t code = rebal_builder_begin(builder, field, NULL);

  code = code != REBAL_OK ? code : put_text(REBAL_TOLERATION_KEY, draw_text(key, below));
  code = code != REBAL_OK ? code : put_text(REBAL_TOLERATION_OPERATOR, rebali_text(operation, strlen(operation)));
  code = code != REBAL_OK ? code : put_text(REBAL_TOLERATION_VALUE, draw_text(value, 3));
  code = code != REBAL_OK ? code : put_text(REBAL_TOLERATION_EFFECT, draw_text(effect, 4));
  return code != REBAL_OK ? code : rebal_builder_end(builder, NULL);
}

static const rebal_record *placement(size_t n, unsigned below) {
  const rebal_record *record = NULL;

  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, NULL), REBAL_OK);
  for (size_t i = 0; i < n; i++) {
    ck_assert_int_eq(put_toleration(REBAL_PLACEMENT_CLUSTER_TOLERATIONS, below), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  return record;
}

static uint32_t plain_first(const rebal_record *record, uint32_t parent, uint32_t field,
                            const struct rebali_taint *taint, uint32_t node) {
  while ((node = rebal_record_next(record, parent, field, node)) != REBAL_NONE) {
    const struct rebali_toleration toleration = rebali_toleration_read(record, node);

    if (rebali_tolerates(&toleration, taint)) {
      break;
    }
  }
  return node;
}

static int tolerates_same(const rebal_record *record, uint32_t left, uint32_t right) {
  const struct rebali_toleration a = rebali_toleration_read(record, left), b = rebali_toleration_read(record, right);
  const int exists = rebali_text_equal(a.operation, REBALI_TEXT("Exists"));

  return rebali_text_equal(a.key, b.key) && rebali_text_equal(a.effect, b.effect) &&
         exists == rebali_text_equal(b.operation, REBALI_TEXT("Exists")) &&
         (exists || rebali_text_equal(a.value, b.value));
}

/* Finds each toleration of the taint, or an earlier one that tolerates the same, and no other. */
static void check_found(const rebal_record *record, uint32_t parent, uint32_t field, const struct rebali_taint *taint) {
  uint32_t found[REBALI_FEW_TOLERATIONS], node = REBAL_NONE;
  const size_t n = rebali_tolerating(record, parent, field, taint, found);

  for (size_t i = 0; i < n; i++) {
    const struct rebali_toleration toleration = rebali_toleration_read(record, found[i]);

    ck_assert(rebali_tolerates(&toleration, taint));
  }
  while ((node = plain_first(record, parent, field, taint, node)) != REBAL_NONE) {
    size_t i = 0;

    while (i < n && (found[i] > node || !tolerates_same(record, found[i], node))) {
      i++;
    }
    ck_assert_uint_lt(i, n);
  }
}

static void check_list(const rebal_record *record, uint32_t parent, uint32_t field, unsigned below) {
  const rebal_allocator *memory = NULL;
  rebal_allocator loaded;
  struct rebali_arena arena;
  struct rebali_tolerations read;

  ck_assert_int_eq(rebali_allocator_load(&loaded, memory, NULL), REBAL_OK);
  rebali_arena_init(&arena, &loaded, 0);
  ck_assert_int_eq(rebali_tolerations_read(&arena, record, parent, field, &read), REBAL_OK);
  ck_assert_uint_eq(read.n, rebali_record_count(record, parent, field));
  for (unsigned i = 0; i < 60; i++) {
    char key[16], value[16], effect[16];
    const struct rebali_text drawn_key = draw_text(key, below + 1), drawn_value = draw_text(value, 4);
    const struct rebali_taint taint = {drawn_key, drawn_value, draw_text(effect, 4), {0, 0, 0}};
    const uint32_t first = plain_first(record, parent, field, &taint, REBAL_NONE);

    ck_assert_uint_eq(rebali_first_tolerating(record, parent, field, &taint), first);
    ck_assert_int_eq(rebali_is_tolerated(&read, &taint), first != REBAL_NONE);
    check_found(record, parent, field, &taint);
  }
  rebali_arena_dispose(&arena);
}

/* Short lists are walked, long ones are searched, with the same results. */
START_TEST(test_as_one_by_one) {
  static const size_t sizes[] = {0, 1, 8, 32, 33, 34, 64, 200};

  for (unsigned round = 0; round < 40; round++) {
    const size_t n = sizes[round % REBALI_COUNT(sizes)];
    const unsigned below = 1 + draw(round % 3 == 0 ? 3 : 80);

    check_list(placement(n, below), 0, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, below);
  }
}
END_TEST

/* Lists in one record, each after other fields; a copy of one of their parents has its own index. */
START_TEST(test_lists_below_parents_and_their_copies) {
  rebal_builder *other;
  const rebal_record *record, *copy;
  uint32_t subset = REBAL_NONE, found = REBAL_NONE;

  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_SPREAD_SPEC, NULL), REBAL_OK);
  for (unsigned i = 0; i < 3; i++) {
    ck_assert_int_eq(rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SUBSETS, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_text(builder, REBAL_SUBSET_NAME, "s", REBAL_TERMINATED, NULL), REBAL_OK);
    for (unsigned k = 0; k < 50 * i; k++) {
      ck_assert_int_eq(put_toleration(REBAL_SUBSET_TOLERATIONS, 20), REBAL_OK);
    }
    ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &other, NULL), REBAL_OK);
  while ((subset = rebal_record_next(record, 0, REBAL_SPREAD_SPEC_SUBSETS, subset)) != REBAL_NONE) {
    check_list(record, subset, REBAL_SUBSET_TOLERATIONS, 20);
    ck_assert_int_eq(rebal_builder_start(other, REBAL_OBJECT_SPREAD_SPEC, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_copy(other, REBAL_SPREAD_SPEC_SUBSETS, record, subset, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_finish(other, &copy, NULL), REBAL_OK);
    found = rebal_record_next(copy, 0, REBAL_SPREAD_SPEC_SUBSETS, REBAL_NONE);
    check_list(copy, found, REBAL_SUBSET_TOLERATIONS, 20);
  }
  rebal_builder_free(other);
}
END_TEST

/* Many tolerations that do not match, and a missing record. */
START_TEST(test_none_tolerates) {
  const struct rebali_taint taint = {REBALI_TEXT("k"), REBALI_TEXT("v"), REBALI_TEXT("NoExecute"), {0, 0, 0}};
  const rebal_record *record;
  uint32_t found[REBALI_FEW_TOLERATIONS];

  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, NULL), REBAL_OK);
  for (unsigned i = 0; i < 100; i++) {
    ck_assert_int_eq(rebal_builder_begin(builder, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_text(builder, REBAL_TOLERATION_OPERATOR, "Lt", 2, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert_uint_eq(rebali_first_tolerating(record, 0, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, &taint), REBAL_NONE);
  ck_assert_uint_eq(rebali_tolerating(record, 0, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, &taint, found), 0);
  ck_assert_uint_eq(rebali_first_tolerating(NULL, 0, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, &taint), REBAL_NONE);
}
END_TEST

static int32_t build_many(const rebal_allocator *allocator, void *user_data) {
  const rebal_record *record;
  int32_t code = rebal_builder_new(allocator, &builder, NULL);

  (void)user_data;
  state = 1;
  code = code != REBAL_OK ? code : rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, NULL);
  for (unsigned i = 0; i < 100 && code == REBAL_OK; i++) {
    code = put_toleration(REBAL_PLACEMENT_CLUSTER_TOLERATIONS, 20);
  }
  code = code != REBAL_OK ? code : rebal_builder_finish(builder, &record, NULL);
  rebal_builder_free(builder);
  builder = NULL;
  return code;
}

START_TEST(test_memory_runs_out) {
  rebal_builder_free(builder);
  builder = NULL;
  ck_assert_pstr_eq(test_torture(build_many, NULL), NULL);
}
END_TEST

UNIT_CASE(tolerations) {
  TCase *cases = tcase_create("tolerations");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_as_one_by_one);
  tcase_add_test(cases, test_lists_below_parents_and_their_copies);
  tcase_add_test(cases, test_none_tolerates);
  tcase_add_test(cases, test_memory_runs_out);
  return cases;
}
