/* SPDX-License-Identifier: MIT */
#include "running.h"

/* Every row as "second cluster assigned/ready/running"; "-" is the whole. */
static void write_shares(const rebal_simulation *simulation, char *out, size_t capacity) {
  rebal_simulation_share share = {.struct_size = sizeof share};
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < summary_of(simulation).share_rows; i++) {
    ck_assert_int_eq(rebal_simulation_share_read(simulation, i, &share, NULL), REBAL_OK);
    ck_assert_uint_le(share.log_rows, summary_of(simulation).log_rows);
    ck_assert_str_eq(share.binding, "ResourceBinding default/foo-deployment");
    used += (size_t)snprintf(out + used, capacity - used, "%d %s %d/%d/%d\n", (int)(share.time.seconds - 1704067200),
                             share.cluster[0] != '\0' ? share.cluster : "-", (int)share.assigned, (int)share.ready,
                             (int)share.running);
    ck_assert_uint_lt(used, capacity);
  }
}

static void assert_shares(const char *scenario, const char *expected) {
  char text[4096];
  rebal_simulation *simulation = run_scenario(scenario);
  write_shares(simulation, text, sizeof text);
  ck_assert_str_eq(text, expected);
  rebal_simulation_free(simulation);
}

#define PLACED(placement) "expect: [{object: {kind: Deployment, name: foo}, placement: " placement "}]\n"

START_TEST(test_pace) {
  assert_shares(HEAD("readyAfter: 5s\nmembers: {m2: {readyAfter: 20s}}\n") CLUSTER("m1") CLUSTER("m2") FOO("3")
                    POLICY("{" DYNAMIC "}") STEP("s") "after: 30s\n" PLACED("{m1: 2, m2: 1}"),
                "0 - 3/0/3\n0 m1 2/0/2\n0 m2 1/0/1\n"
                "5 - 3/2/3\n5 m1 2/2/2\n"
                "20 - 3/3/3\n20 m2 1/1/1\n");
}
END_TEST

/* The copies of a cluster that is left run on until the others are ready. One moment may have several rounds. */
START_TEST(test_eviction) {
  assert_shares(
      HEAD("readyAfter: 5s\n" EVICTING) CLUSTER("m1") CLUSTER("m2") FOO("2")
          POLICY("{spreadConstraints: [{maxGroups: 1, minGroups: 1, spreadByField: cluster}], " DYNAMIC "}")
              STEP("s") "after: 10s\ntaint: {cluster: m1, taint: \"k:NoExecute\"}\nadvance: 1m\n" PLACED("{m2: 2}"),
      "0 - 2/0/2\n0 m1 2/0/2\n"
      "5 - 2/2/2\n5 m1 2/2/2\n"
      "10 m1 0/2/2\n10 - 2/2/4\n10 m2 2/0/2\n"
      "15 - 2/4/4\n15 m2 2/2/2\n"
      "15 - 2/2/2\n15 m1 0/0/0\n");
}
END_TEST

START_TEST(test_deleted) {
  assert_shares(HEAD("") CLUSTER("m1") FOO("2") POLICY("{" DYNAMIC "}") STEP("there") PLACED("{m1: 2}")
                    STEP("s") "after: 20s\ndelete: {kind: Deployment, name: foo}\n",
                "0 - 2/0/2\n0 m1 2/0/2\n10 - 2/2/2\n10 m1 2/2/2\n20 - 0/0/0\n20 m1 0/0/0\n");
}
END_TEST

START_TEST(test_bad_arguments) {
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_simulation_share share = {.struct_size = sizeof share};
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_uint_eq(summary_of(simulation).share_rows, 0);
  ck_assert_int_eq(rebal_simulation_share_read(NULL, 0, &share, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_simulation_share_read(simulation, 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_simulation_share_read(simulation, 0, &share, &err), REBAL_ERANGE);
  ck_assert_str_eq(err.message, "there are 0 rows of shares, no row 0");
  share.struct_size = 4;
  ck_assert_int_eq(rebal_simulation_share_read(simulation, 0, &share, NULL), REBAL_EABI);
  rebal_simulation_free(simulation);
}
END_TEST

/* Sixteen rows of shares for each row that the log may have. */
START_TEST(test_full) {
  const rebal_simulation_opts opts = {.struct_size = sizeof opts, .max_log_rows = 100};
  rebal_simulation *simulation = new_simulation(&opts);
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_simulation_load(simulation, BASIC, strlen(BASIC), NULL), REBAL_OK);
  ck_assert_uint_eq(simulation->controllers.history.n, 3);
  simulation->controllers.history.n = 1600;
  simulation->controllers.history.seen = 0;
  for (uint32_t i = 0; i < simulation->controllers.history.holdings.n; i++) {
    struct rebali_binding_shares *shares = rebali_row_find(&simulation->controllers.history.holdings, i);
    shares->n = 0;
  }
  ck_assert_int_eq(rebali_replica_history_run(&simulation->controllers.history, &err), REBAL_ELIMIT);
  ck_assert_str_eq(err.message, "there are 1600 rows of shares: simulate less time or fewer changes");
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(replica_history) {
  TCase *cases = tcase_create("replica_history");
  tcase_add_test(cases, test_pace);
  tcase_add_test(cases, test_eviction);
  tcase_add_test(cases, test_deleted);
  tcase_add_test(cases, test_bad_arguments);
  tcase_add_test(cases, test_full);
  return cases;
}
