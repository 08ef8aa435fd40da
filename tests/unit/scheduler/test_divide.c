/* SPDX-License-Identifier: MIT */
/* The public division: names, earlier seats, what is left (rebalance-karmada(7) 7.7). */
#include "phases_fixture.h"

#include "../unit.h"

#include <stdio.h>

#define NONE INT32_MIN
#define MOST 5

struct parties {
  const char *names; /* one byte each */
  int64_t weights[MOST];
  int32_t before[MOST];
  int has_before;
};

static rebal_ctx *ctx;
static rebal_result *result;

static void setup(void) {
  ctx = test_context(NULL, 0, 0);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
}

static void teardown(void) {
  rebal_result_free(result);
  rebal_ctx_free(ctx);
}

static int32_t divide(const struct parties *parties, int32_t replicas, const char *uid, int32_t *left) {
  static const uint32_t offsets[MOST + 1] = {0, 1, 2, 3, 4, 5};

  const rebal_parties given = {sizeof given,           0,   parties->names, offsets, parties->weights,
                               strlen(parties->names), uid, strlen(uid)};
  const rebal_divide_opts opts = {.struct_size = sizeof opts, .before = parties->has_before ? parties->before : NULL};

  return rebal_divide(ctx, replicas, &given, &opts, result, left, NULL);
}

static const char *shares(const char *names) {
  static char text[128];
  size_t n, len = 0;
  const int64_t *party = rebal_result_i64(result, REBAL_SHARE_PARTY, &n);
  const int64_t *replicas = rebal_result_i64(result, REBAL_SHARE_REPLICAS, &n);

  text[0] = '\0';
  for (size_t i = 0; i < n; i++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%c%lld", i == 0 ? "" : " ", names[party[i]],
                            (long long)replicas[i]);
  }
  return text;
}

static const struct {
  struct parties parties;
  int32_t replicas;
  const char *uid;
  const char *shares;
  int32_t left;
} rows[] = {
    {{"abc", {1, 1, 1}}, 1, "a", "a1 b0 c0", 0}, /* measured */
    {{"abc", {1, 1, 1}}, 1, "b", "a0 b0 c1", 0}, /* measured */
    {{"ab", {1, 3}}, 9, "a", "a2 b7", 0},        /* measured */
    {{"ab", {1, 3}}, 9, "b", "a2 b7", 0},        /* measured */
    {{"ab", {3, 0}}, 5, "", "a5 b0", 0},         /* measured */
    {{"ab", {0, 0}}, 5, "", "", 5},              /* measured */
    {{"cba", {1, 1, 1}}, 1, "", "a1 b0 c0", 0},  /* by name, whatever the order of the input */
    {{"", {0}}, 5, "", "", 5},
    {{"ab", {1, 3}}, 0, "", "a0 b0", 0},
    {{"ab", {1, 3}, {2, 1}, 1}, 0, "", "a2 b1", 0},
    {{"ab", {1, 3}, {2, NONE}, 1}, 0, "", "a2", 0}, /* the earlier assignment as it was */
    {{"ab", {0, 0}, {2, NONE}, 1}, 4, "", "a2", 4},
    {{"ab", {1, 1}, {2, NONE}, 1}, 2, "", "a2 b2", 0},
    {{"abc", {5, 5, 0}, {NONE, NONE, 3}, 1}, 2, "", "a1 b1 c3", 0},
    {{"aba", {9, 1, 1}}, 4, "", "a2 b2", 0}, /* a name twice: the last weight */
    {{"ab", {-1, 3}}, 3, "", "a0 b3", 0},
    {{"ab", {-1, 1}}, 3, "", "", 3},                                  /* a sum of exactly 0 */
    {{"ab", {1, 1}, {1073741824, 0}, 1}, 1, "", "a1073741824 b1", 0}, /* the divisor wraps below 0 */
};

START_TEST(test_divisions) {
  int32_t left = -1;

  ck_assert_int_eq(divide(&rows[_i].parties, rows[_i].replicas, rows[_i].uid, &left), REBAL_OK);
  ck_assert_str_eq(shares(rows[_i].parties.names), rows[_i].shares);
  ck_assert_int_eq(left, rows[_i].left);
}
END_TEST

START_TEST(test_refused_arguments) {
  static const uint32_t offsets[] = {0, 1, 2};
  static const uint32_t backward[] = {0, 2, 1};
  static const int64_t weights[] = {1, 1};
  rebal_parties odd = {sizeof odd, 1, "ab", offsets, weights, 2, NULL, 0};
  rebal_parties many = {sizeof many, 0, "ab", offsets, weights, UINT64_MAX, NULL, 0};
  rebal_error err = REBAL_ERROR_INIT;
  int32_t left = -1;

  ck_assert_int_eq(rebal_divide(ctx, 1, &odd, NULL, result, &left, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_divide(ctx, 1, &many, NULL, result, &left, NULL), REBAL_ELIMIT);
  odd.struct_size = 8;
  ck_assert_int_eq(rebal_divide(ctx, 1, &odd, NULL, result, &left, NULL), REBAL_EABI);
#define PARTIES(names, offsets_, weights_) \
  &(rebal_parties){sizeof(rebal_parties), 0, names, offsets_, weights_, 2, NULL, 0}
#define DIVIDE(replicas, names, offsets_, weights_, result_, left_) \
  rebal_divide(ctx, replicas, PARTIES(names, offsets_, weights_), NULL, result_, left_, NULL)
  ck_assert_int_eq(DIVIDE(1, NULL, offsets, weights, result, &left), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, "ab", NULL, weights, result, &left), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, "ab", offsets, NULL, result, &left), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, "ab", offsets, weights, NULL, &left), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, "ab", offsets, weights, result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(DIVIDE(1, "ab", backward, weights, result, &left), REBAL_EINVAL);
  ck_assert_int_eq(rebal_divide(ctx, 10000001, PARTIES("ab", offsets, weights), NULL, result, &left, &err),
                   REBAL_ELIMIT);
  ck_assert_int_eq(err.where, -1);
  ck_assert_int_eq(rebal_divide(NULL, 1, PARTIES("ab", offsets, weights), NULL, result, &left, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_divide(ctx, 1, NULL, NULL, result, &left, NULL), REBAL_EINVAL);
  ck_assert_int_eq(left, -1);
  ck_assert_int_eq(DIVIDE(10000000, "ab", offsets, weights, result, &left), REBAL_OK);
  ck_assert_str_eq(shares("ab"), "a5000000 b5000000");
}
END_TEST

UNIT_CASE(divide) {
  TCase *cases = tcase_create("divide");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_divisions, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_refused_arguments);
  return cases;
}
