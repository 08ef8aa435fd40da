/* SPDX-License-Identifier: MIT */
/* Resource models (rebalance-karmada(7) 6.3.1): the summary caps pods alone. */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../unit.h"

static const struct {
  const char *models;
  const char *modelings;
  const char *request;
  int64_t replicas; /* of 1000 pods */
} rows[] = {
    {"0:cpu=1", "0=1", "cpu=100m", 10},
    {"0:cpu=1", "0=1", "cpu=1m", 110},          /* a node has 110 pods */
    {"0:cpu=1,pods=500", "0=1", "cpu=1m", 110}, /* whatever its range holds */
    {"0:cpu=1", "0=2", "", 220},
    {"0:cpu=1", "0=20", "", 1000},
    {"0:cpu=1 0:cpu=2", "0=1", "cpu=1", 2}, /* the last model of a grade is used */
    {"0:cpu=2 0:cpu=1", "0=1", "cpu=1", 1},
    {"0:cpu=1 1:cpu=4", "1=2 0=1 1=1", "cpu=1", 13},                /* counts of a grade add up */
    {"2:cpu=4 0:cpu=9 1:cpu=2 0:cpu=1", "1=2 0=1 2=1", "cpu=1", 9}, /* in any order */
    {"0:cpu=1", "0=1 7=5", "cpu=1", 1},                             /* a grade that only the status lists */
    {"0:cpu=1", "7=5", "cpu=1", 0},
    {"0:cpu=1,cpu=3", "0=1", "cpu=1", 3},
    {"0:cpu=1", "0=1", "memory=1", 0},
    {"0:cpu=1", "0=1", "cpu=500m storage=1 foo=1 pods=3", 2}, /* names outside the vector form */
    {"0:cpu=1,memory=1Gi", "0=1", "memory=1000M", 1},
    {"0:hugepages-2Mi=4", "0=1", "hugepages-2Mi=1", 4},
    {"0:example.com/x=1500m", "0=1", "example.com/x=1", 2}, /* counted in whole units, rounded up */
    {"0:cpu=1", "0=9223372036854775807", "cpu=100m", 1000}, /* saturates */
    {"0:cpu=1 1:cpu=2 2:cpu=3 3:cpu=4 4:cpu=5 5:cpu=6 6:cpu=7 7:cpu=8 8:cpu=9 9:cpu=10 10:cpu=11 11:cpu=12 12:cpu=13 "
     "13:cpu=14 14:cpu=15 15:cpu=16 16:cpu=17",
     "0=1 16=2", "cpu=1", 35}, /* any number of grades */
};

START_TEST(test_models) {
  const struct test_cluster cluster = {
      .name = "m", .allocatable = "pods=1000", .models = rows[_i].models, .modelings = rows[_i].modelings};

  ck_assert_int_eq(estimate_one(&cluster, rows[_i].request, NULL), rows[_i].replicas);
}
END_TEST

START_TEST(test_models_that_cannot_be_used) {
  static const struct test_cluster clusters[] = {
      {"m", "cpu=5 pods=9", .modelings = "0=1"},
      {"m", "cpu=5 pods=9", .models = "", .modelings = "0=1"},
      {"m", "cpu=5 pods=9", .models = "0:cpu=1", .modelings = "3=-1"},
      {"m", "cpu=5 pods=9", .models = "0:cpu=1", .modelings = ""},
  };

  ck_assert_int_eq(estimate_one(&clusters[_i], "cpu=1", NULL), 5);
}
END_TEST

UNIT_CASE(models) {
  TCase *cases = tcase_create("models");

  tcase_add_loop_test(cases, test_models, 0, (int)REBALI_COUNT(rows));
  tcase_add_loop_test(cases, test_models_that_cannot_be_used, 0, 4);
  return cases;
}
