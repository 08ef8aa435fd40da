/* SPDX-License-Identifier: MIT */
/* Which clusters list an API: kinds are distinguished, and each has its own bits. */
#include "phases_fixture.h"

#include "../unit.h"

static const struct test_cluster clusters[] = {
    {"m0", .apis = "apps/v1=Deployment"},
    {"m1", .apis = "v1=ConfigMap,Secret apps/v1=StatefulSet"},
    {"m2", .apis = ""},
    {"m3", .apis = "a/b/c=X v1=a"},
};

static const struct {
  struct rebali_api api;
  uint64_t bits;
} rows[] = {
    {{{"apps/v1", 7}, {"Deployment", 10}}, 1},
    {{{"apps/v1", 7}, {"StatefulSet", 11}}, 2},
    {{{"v1", 2}, {"Secret", 6}}, 2},
    {{{"/v1", 3}, {"Secret", 6}}, 2},
    {{{"v1", 2}, {"Secre", 5}}, 0},
    {{{"v1", 2}, {"Deployment", 10}}, 0},
    {{{"a/b/c", 5}, {"X", 1}}, 0}, /* not a group and version */
    {{{"v1", 2}, {"a", 1}}, 8},
    {{{"v", 1}, {"1a", 2}}, 0}, /* the same text, split elsewhere */
    {{{"", 0}, {"v1a", 3}}, 0},
    {{{NULL, 0}, {NULL, 0}}, 0},
};

START_TEST(test_bits) {
  struct test_world world;

  test_world_open(&world, NULL);
  for (size_t i = 0; i < REBALI_COUNT(clusters); i++) {
    (void)test_add_cluster(&world, &clusters[i]);
  }
  test_freeze(&world);
  ck_assert_int_eq(rebali_ctx_begin(world.ctx, NULL), REBAL_OK);
  for (size_t i = 0; i < 2 * REBALI_COUNT(rows); i++) { /* the second time from the cache */
    const uint64_t *bits = NULL;

    ck_assert_int_eq(rebali_api_rows(world.ctx, world.snapshot, &rows[i % REBALI_COUNT(rows)].api, &bits, NULL),
                     REBAL_OK);
    ck_assert_uint_eq(bits[0], rows[i % REBALI_COUNT(rows)].bits);
  }
  rebali_ctx_end(world.ctx);
  test_world_close(&world);
}
END_TEST

START_TEST(test_no_enablements) {
  ck_assert_int_eq(rebali_api_is_listed(&rows[0].api, NULL), 0);
}
END_TEST

UNIT_CASE(api_enablement) {
  TCase *cases = tcase_create("api_enablement");

  tcase_add_test(cases, test_bits);
  tcase_add_test(cases, test_no_enablements);
  return cases;
}
