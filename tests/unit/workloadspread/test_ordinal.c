/* SPDX-License-Identifier: MIT */
#include "admitting.h"

static const struct {
  const char *name;
  int32_t ordinal;
} ordinals[] = {{"x-0", 0},
                {"x-12", 12},
                {"-5", 5},
                {"x-1-2", 2},
                {"x", -1},
                {"", -1},
                {"12", -1},
                {"x-", -1},
                {"x-1a", -1},
                {"x-007", 7},
                {"x--3", 3},
                {"x-2147483647", INT32_MAX},
                {"x-2147483648", -1},
                {"x-99999999999999999999", -1}};

START_TEST(test_ordinals) {
  ck_assert_int_eq(rebali_ordinal(rebali_text(ordinals[_i].name, strlen(ordinals[_i].name))), ordinals[_i].ordinal);
}
END_TEST

/* Spec workloadspread 3.5: nothing is recorded, whatever the lists of versions hold. */
static const struct {
  const char *subsets;
  const char *status;
  const char *batch;
  const char *rows;
} batches[] = {
    {"a=0,b=2", "", "v+x-0,v+x-1,v+x-2,v+x,v+#id,v+x-2147483648", "=1 =1 0 =0 =0 =0"},
    {"a=2,b=2,c", "", "v+x-0,v+x-1,v+x-2,v+x-3,v+x-4,v+x-2147483647", "=0 =0 =1 =1 =2 =2"},
    {"a=2,b=2", "*:a=0/0!,b=0/0", "v+x-0,v+x-1,v+x-2", "=1 =1 0"},
    {"a=2,b=2", "*:b=0/0,a=0/0~!", "v+x-0,v+x-2", "=0 =1"},
    {"a=2,b=2", "v:a=0/0!,b=0/0", "v+x-0", "=0"},
    {"a=2,b=2", "*:x=0/0!", "v+x-0", "=0"},
    {"a=50%,b=3", "", "v+x-0", "=1"},
    {"a=-1,b=1", "", "v+x,v+x-0", "=1 0"},
    {"a=2,b", "", "v-x-0@a", "-"},
};

START_TEST(test_batches) {
  struct admitting world;
  rebal_spread *spread = spread_of("StatefulSet", batches[_i].subsets, batches[_i].status);

  open_admitting(&world);
  world.replica_set = add_owner(world.pods, "apps/v1", "StatefulSet", "web", REBAL_NONE);
  add_batch(&world, batches[_i].batch);
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, batches[_i].rows);
  ck_assert_str_eq(show_status(spread).text, batches[_i].status);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ACTION), 0);
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

UNIT_CASE(ordinal) {
  TCase *cases = tcase_create("ordinal");

  tcase_add_loop_test(cases, test_ordinals, 0, (int)REBALI_COUNT(ordinals));
  tcase_add_loop_test(cases, test_batches, 0, (int)REBALI_COUNT(batches));
  return cases;
}
