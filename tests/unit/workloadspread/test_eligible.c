/* SPDX-License-Identifier: MIT */
#include "admitting.h"

#define MINIMUM REBAL_OPTION_SPREAD_MIN_REPLICAS
#define VERSIONS REBAL_OPTION_SPREAD_ALL_VERSIONS

/* The workload has 10 replicas. */
static const struct {
  uint32_t option; /* 0: none */
  struct admitted_batch batch;
} batches[] = {
    /* minReplicas of later subsets are filled before more goes to the first one, as far as there is capacity. */
    {0, {"a=5,b>2", "", "v+p,v+q,v+r,v+s", "=0+ =0+ =0+ =0+", "v:a=0/1+p@100+q@100+r@100+s@100,b=0/-1"}},
    {MINIMUM, {"a=5,b>2", "", "v+p,v+q,v+r,v+s", "=1+ =1+ =0+ =0+", "v:a=0/3+r@100+s@100,b=0/-1+p@100+q@100"}},
    {MINIMUM, {"a=5>1,b=5>20%", "", "v+p,v+q,v+r,v+s", "=0+ =1+ =1+ =0+", "v:a=0/3+p@100+s@100,b=0/3+q@100+r@100"}},
    {MINIMUM, {"a=5,b=1>3", "", "v+p,v+q", "=1+ =0+", "v:a=0/4+q@100,b=0/0+p@100"}},
    {MINIMUM, {"a=5,b=5>3", "v:a=0/5,b=2/3-x@1", "v+p,v+q,v+r", "=1+ =1+ =0+", "v:a=0/4+r@100,b=2/1+p@100+q@100-x@1"}},
    {MINIMUM, {"a=5,b=5>3", "v:a=0/5,b=0/5!", "v+p", "=0+", "v:a=0/4+p@100,b=0/5!"}},
    {MINIMUM, {"a=5,b=5>x", "v:a=0/5,b=0/5,c=0/5", "v+p", "=0+", "v:a=0/4+p@100,b=0/5,c=0/5"}},
    {MINIMUM, {"a=0,b=0>1", "", "v+p", "0", ""}},
    /* For the minimums, a pod that leaves a subset without a limit is recorded too. */
    {0, {"a=5,b>2", "v:a=0/5,b=2/-1", "v-x@b,v+p", "-1 =0+", "v:a=0/4+p@100,b=2/-1"}},
    {MINIMUM, {"a=5,b>2", "v:a=0/5,b=2/-1", "v-x@b,v+p", "-1+ =1+", "v:a=0/5,b=2/-1+p@100-x@100"}},
    /* Pods of all versions count together. */
    {0, {"a=2,b=9", "v:a=2/0,b=0/9", "w+p", "=0+", "v:a=2/0,b=0/9|w:a=0/1+p@100,b=0/9"}},
    {VERSIONS, {"a=2,b=9", "v:a=2/0,b=0/9", "w+p", "=1+", "v:a=2/0,b=0/9|w:a=0/2,b=0/8+p@100"}},
    {VERSIONS, {"a=2,b=9", "v:a=1/0,b=0/9", "w+p,w+q", "=0+ =1+", "v:a=1/0,b=0/9|w:a=0/1+p@100,b=0/8+q@100"}},
    {VERSIONS,
     {"a=2,b=9", "u:a=1/1-x@1,b=0/9|v:a=1/0,b=0/9", "w+p,w+q", "=0+ =1+",
      "u:a=1/1-x@1,b=0/9|v:a=1/0,b=0/9|w:a=0/1+p@100,b=0/8+q@100"}},
    {VERSIONS, {"a=20%,b", "v:a=2/0,b=9/-1", "w+p", "=1", "v:a=2/0,b=9/-1"}},
    /* Capacity that another version released is available to all, and capacity of the list alone does not count. */
    {0, {"a=2,b", "u:a=1/0,b=0/-1|v:a=1/0,b=0/-1", "u-x@a,v+p", "-0+ =1", "u:a=1/1-x@100,b=0/-1|v:a=1/0,b=0/-1"}},
    {VERSIONS,
     {"a=2,b", "u:a=1/0,b=0/-1|v:a=1/0,b=0/-1", "u-x@a,v+p,v+q", "-0+ =0+ =1",
      "u:a=1/1-x@100,b=0/-1|v:a=1/0+p@100,b=0/-1"}},
    {VERSIONS, {"a=2,b", "u:a=0/2,b=0/-1|v:a=1/0!,b=0/-1", "v+p", "=1", "u:a=0/2,b=0/-1|v:a=1/0!,b=0/-1"}},
    {VERSIONS, {"a=2,b=0", "v:x=5/0|w:x=0/1,a=0/0", "w+p", "f+", "v:x=5/0|w:x=0/0+p@100,a=0/0"}},
    {VERSIONS, {"a=5,b=9", "v:a=5/0|w:a=0/3,b=0/0", "w+p", "=1+", "v:a=5/0|w:a=0/3,b=0/0+p@100"}},
};

START_TEST(test_batches) {
  expect_batch(batches[_i].option, &batches[_i].batch);
}
END_TEST

UNIT_CASE(eligible) {
  TCase *cases = tcase_create("eligible");

  tcase_add_loop_test(cases, test_batches, 0, (int)REBALI_COUNT(batches));
  return cases;
}
