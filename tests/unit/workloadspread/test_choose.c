/* SPDX-License-Identifier: MIT */
#include "admitting.h"

/* Rules of rebalance-workloadspread(7) 3.4 and 3.6, and its table 10; now is 100.5 s. */
static const struct admitted_batch batches[] = {
    /* A fresh list; each pod sees those before it. */
    {"a=2,b", "", "v+p,v+q,v+r", "=0+ =0+ =1", "v:a=0/0+p@100+q@100,b=0/-1"},
    {"a=1,b=1", "", "v+p,v+q,v+r", "=0+ =1+ 0", "v:a=0/0+p@100,b=0/0+q@100"},
    {"a=0,b=0", "", "v+p", "0", ""},
    {"a=-1,b=1", "", "v+p", "=0", ""},
    {"a=-2,b=1", "", "v+p", "=1+", "v:a=0/-2,b=0/0+p@100"},
    {"a=50,b=1", "v:", "v+p", "=0+", "v:a=0/49+p@100,b=0/1"},
    {"a=x,b=1", "", "v+p", "=1+", "v:a=0/0,b=0/0+p@100"},
    {"a=30%,b", "", "v+p,v+q,v+r,v+s", "=0+ =0+ =0+ =1", "v:a=0/0+p@100+q@100+r@100,b=0/-1"},
    {"", "", "v+p", "0", ""},
    /* One subset without a limit takes all; nothing is recorded, whatever the status holds. */
    {"a", "v:a=0/0!", "v+p,v-q@a", "=0 -0", "v:a=0/0!"},
    /* Versions have lists of their own; pods without one share one. */
    {"a=1,b", "v:a=1/0,b=0/-1", "v+p,w+q,+r", "=1 =0+ =0+",
     "v:a=1/0,b=0/-1|versionIgnored:a=0/0+r@100,b=0/-1|w:a=0/0+q@100,b=0/-1"},
    /* A condition False closes a subset, in this list alone. */
    {"a=5,b=5", "*:a=0/5!,b=0/5|v:a=0/5!,b=0/5", "v+p,w+q", "=1+ =0+",
     "*:a=0/5!,b=0/5|v:a=0/5!,b=0/4+p@100|w:a=0/4+q@100,b=0/5"},
    /* The same pod again gets the same subset, also from where it is being deleted. */
    {"a=1,b=1", "v:a=0/0+p@1,b=0/1", "v+p,v+q,v+q", "=0 =1+ =1", "v:a=0/0+p@1,b=0/0+q@100"},
    {"a=1,b=1", "v:a=0/1,b=0/1-p@1", "v+p", "=1", "v:a=0/1,b=0/1-p@1"},
    {"a=1,b=1", "v:a=0/1-p@1,b=0/1+p@1", "v+p", "=0", "v:a=0/1-p@1,b=0/1+p@1"},
    /* By id; the same id twice is one entry, but takes two places. */
    {"a=3,b", "", "v+#id,v+#id", "=0+# =0+#", "v:a=0/1+id@100,b=0/-1"},
    {"a=3,b", "v:a=0/3+id@1", "v+#id", "=0+#", "v:a=0/2+id@100"},
    /* The status decides the subsets and their order; a former one is recorded. */
    {"a=3,b=3", "v:b=0/1,a=0/1", "v+p,v+q,v+r", "=1+ =0+ 0", "v:b=0/0+p@100,a=0/0+q@100"},
    {"a=3", "v:x=0/1,a=0/1", "v+p,v+q", "f+ =0+", "v:x=0/0+p@100,a=0/0+q@100"},
    {"a=3,c", "v:x=0/-1", "v+p", "f", "v:x=0/-1"},
    /* A deleted pod releases its place, once, without an upper bound; not where there is no limit. */
    {"a=3,b", "v:a=3/0,b=1/-1", "v-p@a,v-p@a,v-q@b,v-r@c,v+s", "-0+ - -1 - =0+", "v:a=3/0+s@100-p@100,b=1/-1"},
    {"a=3,b", "v:a=3/0+p@1,b=1/-1", "v-p@a", "-", "v:a=3/0+p@1,b=1/-1"},
    {"a=3,b", "v:a=0/3,b=1/-1", "v-p@a", "-0+", "v:a=0/4-p@100,b=1/-1"},
    {"a=3,b", "v:a=0/-2,b=0/-1", "v-p@a", "-0+", "v:a=0/-2-p@100,b=0/-1"},
    {"a=3,b", "v:a=0/2147483647,b=0/-1", "v-p@a", "-0+", "v:a=0/-2147483648-p@100,b=0/-1"},
    /* Also from a list that did not exist; if nothing is recorded, it does not exist afterwards either. */
    {"a=3,b", "", "v-p@a", "-0+", "v:a=0/4-p@100,b=0/-1"},
    {"a=3,b", "", "v-p@b,v-p@c", "-1 -", ""},
};

START_TEST(test_batches) {
  expect_batch(0, &batches[_i]);
}
END_TEST

/* A batch that is cut anywhere gives the same answers. */
START_TEST(test_cut_batches) {
  struct admitting world;
  size_t n;

  open_admitting(&world);
  add_batch(&world, batches[_i].batch);
  n = world.n;
  for (size_t cut_at = 0; cut_at <= n; cut_at++) {
    rebal_spread *whole = spread_of("Deployment", batches[_i].subsets, batches[_i].status);
    rebal_spread *parts = spread_of("Deployment", batches[_i].subsets, batches[_i].status);
    struct shown rows = {"", 0};

    ck_assert_int_eq(admit_some(&world, &parts, 1, 0, cut_at, 0), REBAL_OK);
    rows = show_admitted(world.result);
    ck_assert_int_eq(admit_some(&world, &parts, 1, cut_at, n - cut_at, 0), REBAL_OK);
    show(&rows, cut_at == 0 || cut_at == n ? "" : " ");
    show(&rows, show_admitted(world.result).text);
    ck_assert_int_eq(admit_some(&world, &whole, 1, 0, n, 0), REBAL_OK);
    ck_assert_str_eq(rows.text, show_admitted(world.result).text);
    ck_assert_str_eq(show_status(parts).text, show_status(whole).text);
    rebal_spread_free(parts);
    rebal_spread_free(whole);
  }
  close_admitting(&world);
}
END_TEST

/* A list in which nothing is recorded follows the workload's replicas; an existing one stays. */
START_TEST(test_replicas_change) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=50%,b=0", "w:a=0/1,b=0/0");

  open_admitting(&world);
  add_batch(&world, "v+p,w+q");
  ck_assert_int_eq(admit_some(&world, &spread, 1, 0, 1, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, "0");
  ck_assert_int_eq(rebal_cells_set_i64(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_ADMISSION_REPLICAS, REBAL_NONE,
                                       0, 10, NULL),
                   REBAL_OK);
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, "=0+ =0+");
  ck_assert_str_eq(show_status(spread).text, "v:a=0/4+p@100,b=0/0|w:a=0/0+q@100,b=0/0");
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

/* Without replicas no list can be made: pods are refused, except those of existing lists. */
START_TEST(test_replicas_unknown) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=50%,b", "w:a=0/1,b=0/-1");

  open_admitting(&world);
  ck_assert_int_eq(rebal_cells_set_text(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_ADMISSION_ERROR, REBAL_NONE,
                                        0, "why", 3, NULL),
                   REBAL_OK);
  add_batch(&world, "v+p,w+q,v-r@a");
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, "e =0+ e");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ADMITTED_MESSAGE, 0, NULL), "why");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ADMITTED_MESSAGE, 1, NULL), "");
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

START_TEST(test_former_subset_is_named) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=1,b=1", "w:gone=0/1");

  open_admitting(&world);
  add_batch(&world, "w+q");
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ADMITTED_SUBSET_NAME, 0, NULL), "gone");
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

/* More subsets than a word has bits. */
START_TEST(test_many_subsets) {
  struct admitting world;
  char subsets[1024] = "";
  rebal_spread *spread;

  for (size_t i = 0; i < 70; i++) {
    sprintf(subsets + strlen(subsets), "%ss%zu=%d", i == 0 ? "" : ",", i, i == 66);
  }
  spread = spread_of("Deployment", subsets, NULL);
  open_admitting(&world);
  add_batch(&world, "v+p,v+q");
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, "=66+ 0");
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

/* With the option a deletion releases no more capacity than the limit has, and there is no warning. */
START_TEST(test_capped_capacity) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=3,b=50%", "w:a=3/0,b=0/9,x=0/1");

  open_admitting(&world);
  ck_assert_int_eq(rebal_compat_set(world.compat, REBAL_OPTION_SPREAD_CAPPED_ROOM, 1, NULL), REBAL_OK);
  add_batch(&world, "v-p@a,w-q@a,w-r@b,w-s@x");
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, "-0+ -0+ -1+ -+");
  ck_assert_str_eq(show_status(spread).text, "v:a=0/3-p@100,b=0/0|w:a=3/1-q@100,b=0/9-r@100,x=0/2-s@100");
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_WARNING), 0);
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

/* The status has numbers of a limit that spec no longer has: each deletion releases capacity. */
START_TEST(test_capped_capacity_without_limit) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a,b=x", "v:a=1/7,b=1/7");

  open_admitting(&world);
  ck_assert_int_eq(rebal_compat_set(world.compat, REBAL_OPTION_SPREAD_CAPPED_ROOM, 1, NULL), REBAL_OK);
  add_batch(&world, "v-p@a,v-q@b");
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, "-0+ -1+");
  ck_assert_str_eq(show_status(spread).text, "v:a=1/8-p@100,b=1/8-q@100");
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

/* Without it, a list that had to be made first has capacity for one pod too many, and there is a warning. */
START_TEST(test_capacity_beyond_limit) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=3,b", "w:a=3/0,b=0/-1");

  open_admitting(&world);
  add_batch(&world, "w-q@a,v-p@a,v-r@a");
  ck_assert_int_eq(admit_some(&world, &spread, 1, 0, 1, 0), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_WARNING), 0);
  ck_assert_int_eq(admit_some(&world, &spread, 1, 1, 2, 0), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_WARNING), 1);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_WARNING_ROW_NAME, 0, NULL), "room-beyond-limit");
  ck_assert_int_eq(cell_of(world.result, REBAL_WARNING_BINDING, 0), 0);
  ck_assert_str_eq(show_status(spread).text, "v:a=0/5-p@100-r@100,b=0/-1|w:a=3/1-q@100,b=0/-1");
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

UNIT_CASE(choose) {
  TCase *cases = tcase_create("choose");

  tcase_add_loop_test(cases, test_batches, 0, (int)REBALI_COUNT(batches));
  tcase_add_loop_test(cases, test_cut_batches, 0, (int)REBALI_COUNT(batches));
  tcase_add_test(cases, test_replicas_change);
  tcase_add_test(cases, test_replicas_unknown);
  tcase_add_test(cases, test_former_subset_is_named);
  tcase_add_test(cases, test_many_subsets);
  tcase_add_test(cases, test_capped_capacity);
  tcase_add_test(cases, test_capped_capacity_without_limit);
  tcase_add_test(cases, test_capacity_beyond_limit);
  return cases;
}
