/* SPDX-License-Identifier: MIT */
#include "admitting.h"

/* Rows as "subset:why/missing", a name of the status alone in brackets. */
static struct shown show_passed(const rebal_result *result) {
  struct shown shown = {"", 0};

  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_PASSED_OVER); i++) {
    const char *name = rebal_result_text(result, REBAL_PASSED_OVER_SUBSET_NAME, i, NULL);
    const int is_former = cell_of(result, REBAL_PASSED_OVER_SUBSET, i) == REBAL_ABSENT;
    char piece[64];

    snprintf(piece, sizeof piece, is_former ? "%s[%s]:%lld/%lld" : "%s%s:%lld/%lld", i == 0 ? "" : " ", name,
             (long long)cell_of(result, REBAL_PASSED_OVER_WHY, i),
             (long long)cell_of(result, REBAL_PASSED_OVER_MISSING, i));
    show(&shown, piece);
  }
  return shown;
}

static const struct {
  uint32_t option;
  const char *kind;
  const char *subsets;
  const char *status;
  const char *batch;
  const char *passed;
} looks[] = {
    {0, "Deployment", "a=1,b=1,c=1", "", "v+p", ""},
    {0, "Deployment", "a=1,b=1,c=1", "", "v+p,v+q", "a:1/0"},
    {0, "Deployment", "a=x,b=-2,c=0,d=50,e", "v:a=0/0,b=0/-2,c=0/0,d=0/5!,e=0/-1", "v+p", "a:3/0 b:3/-2 c:1/0 d:2/5"},
    {0, "Deployment", "a=0", "v:x=0/0,a=0/0", "v+p", "[x]:1/0 a:1/0"},
    {0, "Deployment", "a=1,b=1", "v:a=0/0,b=0/0+p@1", "v+p", ""},
    {0, "Deployment", "a=1,b=1", "", "v-p@a", ""},
    {REBAL_OPTION_SPREAD_ALL_VERSIONS, "Deployment", "a=2,b", "v:a=2/0,b=0/-1", "w+p", "a:6/2"},
    {REBAL_OPTION_SPREAD_MIN_REPLICAS, "Deployment", "a=2,b>1", "", "w+p,w+q", "a:7/2"},
    {0, "StatefulSet", "a=2,b=1,c=5,d=1", "*:b=0/0!", "v+x-9,v+x-4", "a:4/2 b:2/2 c:4/7 d:4/8 a:4/2 b:2/2"},
};

START_TEST(test_looks) {
  struct admitting world;
  rebal_spread *spread = spread_of(looks[_i].kind, looks[_i].subsets, looks[_i].status);

  open_admitting(&world);
  if (looks[_i].option != 0) {
    ck_assert_int_eq(rebal_compat_set(world.compat, looks[_i].option, 1, NULL), REBAL_OK);
  }
  if (strcmp(looks[_i].kind, "StatefulSet") == 0) {
    world.replica_set = add_owner(world.pods, "apps/v1", "StatefulSet", "web", REBAL_NONE);
  }
  add_batch(&world, looks[_i].batch);
  ck_assert_int_eq(admit_all(&world, spread, REBAL_ADMIT_FLAG_EXPLAIN), REBAL_OK);
  ck_assert_str_eq(show_passed(world.result).text, looks[_i].passed);
  for (size_t i = 0; i < rebal_result_count(world.result, REBAL_TABLE_PASSED_OVER); i++) {
    ck_assert_int_eq(cell_of(world.result, REBAL_PASSED_OVER_SPREAD, i), 0);
    ck_assert_int_lt(cell_of(world.result, REBAL_PASSED_OVER_POD, i), (int64_t)world.n);
  }
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

/* Not requested: there are no rows. */
START_TEST(test_not_evaluated) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=0,b=0", NULL);

  open_admitting(&world);
  add_batch(&world, "v+p");
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_PASSED_OVER), 0);
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

UNIT_CASE(pass_over) {
  TCase *cases = tcase_create("pass_over");

  tcase_add_loop_test(cases, test_looks, 0, (int)REBALI_COUNT(looks));
  tcase_add_test(cases, test_not_evaluated);
  return cases;
}
