/* SPDX-License-Identifier: MIT */
#include "admitting.h"

#define BY_SPEC REBAL_OPTION_SPREAD_BY_SPEC

/* The workload has 10 replicas. Without the option (0) the list of the status decides. */
static const struct {
  uint32_t option;
  struct admitted_batch batch;
} batches[] = {
    {BY_SPEC, {"a=3,b=3", "v:a=0/3,b=0/3", "v+p", "=0+", "v:a=0/2+p@100,b=0/3"}},
    {0, {"a=3,b=3", "v:b=1/2,a=2/1+x@1", "v+p,v+x", "=1+ =0", "v:b=1/1+p@100,a=2/1+x@1"}},
    {BY_SPEC, {"a=3,b=3", "v:b=1/2,a=2/1+x@1", "v+p,v+x", "=0+ =0", "v:a=2/0+p@100+x@1,b=1/2"}},
    {0, {"a=3,b=20%", "v:a=3/0", "v+p,v+q,v+r", "0 0 0", "v:a=3/0"}},
    {BY_SPEC, {"a=3,b=20%", "v:a=3/0", "v+p,v+q,v+r", "=1+ =1+ 0", "v:a=3/0,b=0/0+p@100+q@100"}},
    {0, {"a=1", "v:x=1/5,a=1/0", "v+p", "f+", "v:x=1/4+p@100,a=1/0"}},
    {BY_SPEC, {"a=1", "v:x=1/5,a=1/0", "v+p", "0", "v:a=1/0"}},
    {BY_SPEC, {"a=1,b=1", "v:x=1/5+p@1-q@1,b=1/0+r@1,a=1/0", "v+r,v+p,v-q@x", "=1 0 -", "v:a=1/0,b=1/0+r@1"}},
    {BY_SPEC, {"a=2,b=2", "v:x=0/5,b=1/1!,a=1/1", "v+p,v+q,v-y@b", "=0+ 0 -1+", "v:a=1/0+p@100,b=1/2-y@100!"}},
    {BY_SPEC, {"a=2,b=2", "w:b=0/2,a=0/2", "v+p", "=0+", "v:a=0/1+p@100,b=0/2|w:b=0/2,a=0/2"}},
};

START_TEST(test_batches) {
  expect_batch(batches[_i].option, &batches[_i].batch);
}
END_TEST

UNIT_CASE(status_align) {
  TCase *cases = tcase_create("status_align");

  tcase_add_loop_test(cases, test_batches, 0, (int)REBALI_COUNT(batches));
  return cases;
}
