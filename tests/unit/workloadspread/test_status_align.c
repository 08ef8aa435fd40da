/* SPDX-License-Identifier: MIT */
#include "admitting.h"

/* Option SPREAD_BY_SPEC; the workload has 10 replicas. */
static const struct {
  const char *subsets;
  const char *status;
  const char *batch;
  const char *rows;
  const char *after;
} batches[] = {
    {"a=3,b=3", "v:a=0/3,b=0/3", "v+p", "=0+", "v:a=0/2+p@100,b=0/3"},
    {"a=3,b=3", "v:b=1/2,a=2/1+x@1", "v+p,v+x", "=0+ =0", "v:a=2/0+p@100+x@1,b=1/2"},
    {"a=3,b=20%", "v:a=3/0", "v+p,v+q,v+r", "=1+ =1+ 0", "v:a=3/0,b=0/0+p@100+q@100"},
    {"a=1,b=1", "v:x=1/5+p@1-q@1,b=1/0+r@1,a=1/0", "v+r,v+p,v-q@x", "=1 0 -", "v:a=1/0,b=1/0+r@1"},
    {"a=2,b=2", "v:x=0/5,b=1/1!,a=1/1", "v+p,v+q,v-y@b", "=0+ 0 -1+", "v:a=1/0+p@100,b=1/2-y@100!"},
    {"a=2,b=2", "w:b=0/2,a=0/2", "v+p", "=0+", "v:a=0/1+p@100,b=0/2|w:b=0/2,a=0/2"},
};

START_TEST(test_batches) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", batches[_i].subsets, batches[_i].status);

  open_admitting(&world);
  ck_assert_int_eq(rebal_compat_set(world.compat, REBAL_QUIRK_SPREAD_BY_SPEC, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_set_i64(spread, REBAL_SPREAD_WORKLOAD_ADMISSION_REPLICAS, 10, NULL), REBAL_OK);
  add_batch(&world, batches[_i].batch);
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, batches[_i].rows);
  ck_assert_str_eq(show_status(spread).text, batches[_i].after);
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

UNIT_CASE(status_align) {
  TCase *cases = tcase_create("status_align");

  tcase_add_loop_test(cases, test_batches, 0, (int)REBALI_COUNT(batches));
  return cases;
}
