/* SPDX-License-Identifier: MIT */
/* Compares versions of a tree with plain arrays. */
#include "foundation/tree.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define LEAVES 300u /* two levels, sometimes a third */
#define VERSIONS 4u
#define WORDS 3u
#define FAR 70000u

static uint64_t random_state;

static uint32_t draw(uint32_t below) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(random_state >> 33) % below;
}

/* The number of live copies of leaves. */
static int64_t copies;

static void note_copy(void *block) {
  (void)block;
  copies++;
}

static void note_drop(const rebal_allocator *allocator, void *block) {
  (void)allocator;
  (void)block;
  copies--;
}

static const uint64_t absent[WORDS] = {7, 8, 9};
static const struct rebali_leaf_kind kind = {sizeof absent, absent, note_copy, note_drop};
static const struct rebali_leaf_kind zeros = {sizeof absent, NULL, NULL, NULL};

/* Writes a value; returns 0 if out of memory. */
static int write_at(const rebal_allocator *allocator, struct rebali_tree *tree, uint32_t leaf, uint64_t value) {
  const int is_new = rebali_tree_get(tree, leaf) == NULL;
  uint64_t *block = rebali_tree_edit(allocator, &kind, tree, leaf);

  if (block == NULL) {
    return 0;
  }
  copies += is_new;
  if (is_new) {
    ck_assert_mem_eq(block, absent, sizeof absent);
  }
  block[0] = value;
  return 1;
}

struct version {
  struct rebali_tree tree;
  uint64_t plain[LEAVES + 1]; /* 0: never edited; the last one is far away */
};

static uint32_t leaf_of(size_t place) {
  return place == LEAVES ? FAR : (uint32_t)place;
}

static void expect_version(const struct version *version) {
  for (size_t i = 0; i <= LEAVES; i++) {
    const uint64_t *block = rebali_tree_get(&version->tree, leaf_of(i));

    ck_assert_int_eq(block == NULL, version->plain[i] == 0);
    if (block != NULL) {
      ck_assert_uint_eq(block[0], version->plain[i]);
      ck_assert_uint_eq(block[2], 9);
    }
  }
  ck_assert_ptr_null(rebali_tree_get(&version->tree, UINT32_MAX));
}

/* Edits random versions; sometimes a version is replaced by a copy of another. */
START_TEST(test_versions) {
  static struct version versions[VERSIONS];
  struct test_allocator memory;

  random_state = 1;
  copies = 0;
  memset(versions, 0, sizeof versions);
  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  for (uint64_t i = 1; i <= 20000; i++) {
    struct version *version = &versions[draw(VERSIONS)];
    const size_t place = draw(2000) == 0 ? LEAVES : draw(draw(2) == 0 ? 3 : LEAVES);

    if (draw(20) == 0) {
      struct version *other = &versions[draw(VERSIONS)];
      const struct rebali_tree shared = rebali_tree_share(&other->tree);

      rebali_tree_drop(&memory.functions, &kind, &version->tree);
      memmove(version->plain, other->plain, sizeof version->plain);
      version->tree = shared;
    } else {
      ck_assert(write_at(&memory.functions, &version->tree, leaf_of(place), i));
      version->plain[place] = i;
    }
    if (draw(50) == 0) {
      expect_version(version);
    }
  }
  for (size_t i = 0; i < VERSIONS; i++) {
    expect_version(&versions[i]);
    rebali_tree_drop(&memory.functions, &kind, &versions[i].tree);
    ck_assert_ptr_null(versions[i].tree.root);
  }
  ck_assert_int_eq(copies, 0);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_only_the_way_is_copied) {
  struct test_allocator memory;
  struct rebali_tree tree = {NULL, 0};
  struct rebali_tree shared;
  uint64_t *block;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_ptr_nonnull(rebali_tree_edit(&memory.functions, &zeros, &tree, 0));
  block = rebali_tree_edit(&memory.functions, &zeros, &tree, 100);
  ck_assert_uint_eq(block[0], 0);
  ck_assert_ptr_eq(rebali_tree_edit(&memory.functions, &zeros, &tree, 100), block);
  shared = rebali_tree_share(&tree);
  ck_assert_ptr_ne(rebali_tree_edit(&memory.functions, &zeros, &tree, 100), block);
  ck_assert_ptr_eq(rebali_tree_get(&shared, 100), block);
  ck_assert_ptr_eq(rebali_tree_get(&shared, 0), rebali_tree_get(&tree, 0));
  rebali_tree_drop(&memory.functions, &zeros, &shared);
  block = rebali_tree_edit(&memory.functions, &zeros, &tree, 0);
  ck_assert_ptr_eq(rebali_tree_get(&tree, 0), block);
  rebali_tree_drop(&memory.functions, &zeros, &tree);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

/* Below a root of three levels only the first and the last node exist. */
START_TEST(test_blocks_below_an_absent_node) {
  struct test_allocator memory;
  struct rebali_tree tree = {NULL, 0};

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_ptr_null(rebali_tree_get(&tree, 0));
  ck_assert_ptr_nonnull(rebali_tree_edit(&memory.functions, &zeros, &tree, 0));
  ck_assert_ptr_nonnull(rebali_tree_edit(&memory.functions, &zeros, &tree, 4095));
  ck_assert_uint_eq(tree.height, 3);
  for (uint32_t leaf = 0; leaf < 5000; leaf++) {
    ck_assert_int_eq(rebali_tree_get(&tree, leaf) != NULL, leaf == 0 || leaf == 4095);
  }
  rebali_tree_drop(&memory.functions, &zeros, &tree);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

/* Edits three blocks of a tree, then two of them again in another version. */
static int32_t edit_some(const rebal_allocator *allocator, void *user_data) {
  static const uint32_t leaves[] = {0, 70, 5000, 70, 0};
  struct rebali_tree tree = {NULL, 0};
  struct rebali_tree shared = {NULL, 0};
  int32_t code = REBAL_OK;

  (void)user_data;
  for (uint64_t i = 0; i < 5 && code == REBAL_OK; i++) {
    if (i == 3) {
      shared = rebali_tree_share(&tree);
    }
    code = write_at(allocator, &tree, leaves[i], i) ? REBAL_OK : REBAL_ENOMEM;
    for (uint64_t k = 0; k < 3 && i >= 3; k++) {
      ck_assert_uint_eq(*(const uint64_t *)rebali_tree_get(&shared, leaves[k]), k);
    }
  }
  rebali_tree_drop(allocator, &kind, &shared);
  rebali_tree_drop(allocator, &kind, &tree);
  return code;
}

START_TEST(test_torture_tree) {
  ck_assert_pstr_eq(test_torture(edit_some, NULL), NULL);
}
END_TEST

UNIT_CASE(tree) {
  TCase *cases = tcase_create("tree");

  tcase_add_test(cases, test_versions);
  tcase_add_test(cases, test_only_the_way_is_copied);
  tcase_add_test(cases, test_blocks_below_an_absent_node);
  tcase_add_test(cases, test_torture_tree);
  return cases;
}
