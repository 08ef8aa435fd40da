/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

#include <stdio.h>

static const struct request small[2] = {{"cpu", {0, 250500000, REBAL_QUANTITY_FORMAT_DECIMAL_SI}},
                                        {"memory", {1, 1, REBAL_QUANTITY_FORMAT_BINARY_SI}}};

/* Three clusters, cpu 0, memory 1; requirements 0 is small. */
static rebal_fleet *three_clusters(void) {
  rebal_fleet *fleet = new_fleet();

  add_cluster(fleet, "a");
  add_cluster(fleet, "b");
  add_cluster(fleet, "c");
  resource_of(fleet, "cpu");
  resource_of(fleet, "memory");
  ck_assert_uint_eq(requirements_of(fleet, small, 2), 0);
  return fleet;
}

static rebal_ledger *new_ledger(const rebal_fleet *fleet) {
  rebal_ledger *ledger = NULL;

  ck_assert_int_eq(rebal_ledger_new(fleet, NULL, &ledger, NULL), REBAL_OK);
  return ledger;
}

static int32_t charge_one(rebal_ledger *ledger, const char *key, uint32_t cluster, uint32_t requirements,
                          int32_t replicas, const rebal_time *expiry) {
  return test_charge_set(ledger, key, cluster, &requirements, &replicas, 1, expiry);
}

static void charge(rebal_ledger *ledger, const char *key, uint32_t cluster, int32_t replicas, int64_t expiry) {
  const rebal_time time = {expiry, 0, expiry != 0};

  ck_assert_int_eq(charge_one(ledger, key, cluster, 0, replicas, &time), REBAL_OK);
}

static int64_t pods_of(const rebal_ledger *ledger, uint32_t cluster) {
  return rebali_ledger_pods(ledger, cluster);
}

static int64_t cpu_of(const rebal_ledger *ledger, uint32_t cluster) {
  return rebali_ledger_charge(ledger, cluster, REBALI_TEXT("cpu")).amount;
}

/* Undoing a charge restores what was held before, also if that was nothing. */
START_TEST(test_put_back) {
  static const struct rebali_component replicas[3] = {{0, 5}, {0, 7}, {0, 1}};
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);
  const rebal_time until = {99, 0, 1};
  struct rebali_held before[3];

  charge(ledger, "ns/a", 1, 3, 50);
  charge(ledger, "ns/a", 2, 2, 50);
  for (size_t i = 0; i < 3; i++) {
    const struct rebali_claim claim = {i < 2 ? 1 : 0, &replicas[i], 1};

    ck_assert_int_eq(rebali_ledger_put(ledger, REBALI_TEXT("ns/a"), &claim, &until, &before[i]), REBAL_OK);
  }
  ck_assert_int_eq(pods_of(ledger, 0) * 100 + pods_of(ledger, 1) * 10 + pods_of(ledger, 2), 172);
  rebali_ledger_put_back(ledger, REBALI_TEXT("ns/a"), 0, &before[2]);
  ck_assert_int_eq(pods_of(ledger, 0) * 100 + pods_of(ledger, 1) * 10 + pods_of(ledger, 2), 72);
  rebali_ledger_put_back(ledger, REBALI_TEXT("ns/a"), 1, &before[1]);
  rebali_ledger_put_back(ledger, REBALI_TEXT("ns/a"), 1, &before[0]);
  ck_assert_int_eq(pods_of(ledger, 0) * 100 + pods_of(ledger, 1) * 10 + pods_of(ledger, 2), 32);
  ck_assert_int_eq(cpu_of(ledger, 1), INT64_C(3) * 251);
  ck_assert_int_eq(rebal_ledger_expire(ledger, &(rebal_time){51, 0, 1}, NULL), REBAL_OK); /* the former expiry */
  ck_assert_int_eq(pods_of(ledger, 1), 0);
  ck_assert_int_eq(
      rebali_ledger_put(ledger, REBALI_TEXT("ns/b"), &(struct rebali_claim){1, replicas, 1}, &until, &before[0]),
      REBAL_OK);
  rebali_ledger_put_back(ledger, REBALI_TEXT("ns/b"), 1, &before[0]);
  ck_assert(!rebali_ledger_touches(ledger, 1));
  ck_assert_uint_eq(rebali_ledger_accounts(ledger)->n, 0);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_amounts) {
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);
  struct rebali_charge memory;

  charge(ledger, "ns/a", 1, 3, 0);
  charge(ledger, "ns/b", 1, 4, 0);
  memory = rebali_ledger_charge(ledger, 1, REBALI_TEXT("memory"));
  ck_assert_int_eq(cpu_of(ledger, 1), INT64_C(7) * 251);
  ck_assert_int_eq(memory.amount, INT64_C(7) * 2);
  ck_assert_int_eq(memory.as_written, INT64_C(7) * 2);
  ck_assert_int_eq(rebali_ledger_charge(ledger, 1, REBALI_TEXT("pods")).amount, 0);
  ck_assert_int_eq(pods_of(ledger, 1), 7);
  ck_assert_int_eq(rebali_ledger_touches(ledger, 1), 1);
  ck_assert_int_eq(rebali_ledger_touches(ledger, 0), 0);
  ck_assert_int_eq(rebali_ledger_touches(ledger, 2), 0);
  ck_assert_int_eq(cpu_of(ledger, 2), 0);
  ck_assert_int_eq(pods_of(ledger, 2), 0);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

/* As written, decimal amounts are counted in thousandths, binary ones in units (rebalance-karmada(7) 6.6). */
START_TEST(test_amounts_as_written) {
  static const struct request requests[3] = {{"cpu", {1, 0, REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT}},
                                             {"memory", {5, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI}},
                                             {"storage", {5, 0, REBAL_QUANTITY_FORMAT_BINARY_SI}}};
  rebal_fleet *fleet = three_clusters();
  const uint32_t requirements = requirements_of(fleet, requests, 3);
  rebal_ledger *ledger = new_ledger(fleet);

  ck_assert_int_eq(charge_one(ledger, "ns/a", 0, requirements, 3, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_ledger_charge(ledger, 0, REBALI_TEXT("cpu")).as_written, 3000);
  ck_assert_int_eq(rebali_ledger_charge(ledger, 0, REBALI_TEXT("memory")).amount, 15);
  ck_assert_int_eq(rebali_ledger_charge(ledger, 0, REBALI_TEXT("memory")).as_written, 15000);
  ck_assert_int_eq(rebali_ledger_charge(ledger, 0, REBALI_TEXT("storage")).as_written, 15);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

/* A set is charged and removed as a whole, and read back unchanged by key. */
START_TEST(test_component_sets) {
  static const uint32_t requirements[3] = {0, REBAL_NONE, 0};
  static const int32_t replicas[3] = {2, 5, 0};
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);
  const struct rebali_holding *holdings;
  struct rebali_arena arena;
  size_t n;

  rebali_arena_init(&arena, &((const struct rebali_store *)rebali_ledger_fleet(ledger))->allocator, 0);
  charge(ledger, "ns/b", 1, 1, 0);
  ck_assert_int_eq(test_charge_set(ledger, "ns/a", 1, requirements, replicas, 3, NULL), REBAL_OK);
  charge(ledger, "ns/c", 1, 4, 0);
  ck_assert_int_eq(pods_of(ledger, 1), 12);
  ck_assert_int_eq(cpu_of(ledger, 1), INT64_C(7) * 251);
  ck_assert_int_eq(rebali_ledger_holdings(ledger, 1, &arena, &holdings, &n), REBAL_OK);
  ck_assert_uint_eq(n, 3);
  for (size_t i = 0; i < n; i++) {
    ck_assert_int_eq(holdings[i].key.bytes[3], (char)('a' + (int)i));
  }
  ck_assert_uint_eq(holdings[0].n_components, 3);
  for (size_t i = 0; i < 3; i++) {
    ck_assert_uint_eq(holdings[0].components[i].requirements, requirements[i]);
    ck_assert_int_eq(holdings[0].components[i].replicas, replicas[i]);
  }
  ck_assert_int_eq(rebali_ledger_holdings(ledger, 0, &arena, &holdings, &n), REBAL_OK);
  ck_assert_uint_eq(n, 0);
  ck_assert_int_eq(test_charge_set(ledger, "ns/a", 1, requirements + 2, replicas + 2, 1, NULL), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 1), 5);
  ck_assert_int_eq(test_charge_set(ledger, "ns/c", 1, NULL, NULL, 0, NULL), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 1), 1);
  rebali_arena_dispose(&arena);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_replaces) {
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);

  charge(ledger, "ns/a", 0, 3, 0);
  charge(ledger, "ns/a", 0, 5, 0);
  ck_assert_int_eq(pods_of(ledger, 0), 5);
  ck_assert_int_eq(charge_one(ledger, "ns/a", 0, REBAL_NONE, 2, NULL), REBAL_OK);
  ck_assert_int_eq(cpu_of(ledger, 0), 0);
  ck_assert_int_eq(pods_of(ledger, 0), 2);
  charge(ledger, "ns/a", 0, 0, 0);
  ck_assert_int_eq(rebali_ledger_touches(ledger, 0), 0);
  charge(ledger, "ns/a", 0, 0, 0);
  ck_assert_int_eq(pods_of(ledger, 0), 0);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_release) {
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);

  charge(ledger, "ns/a", 0, 1, 0);
  charge(ledger, "ns/a", 1, 2, 0);
  charge(ledger, "ns/a", 2, 3, 0);
  charge(ledger, "ns/b", 2, 4, 0);
  ck_assert_int_eq(rebal_ledger_release(ledger, TEXT("ns/a"), 1, NULL), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 0), 1);
  ck_assert_int_eq(pods_of(ledger, 1), 0);
  ck_assert_int_eq(pods_of(ledger, 2), 7);
  ck_assert_int_eq(rebal_ledger_release(ledger, TEXT("ns/a"), REBAL_NONE, NULL), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 0), 0);
  ck_assert_int_eq(pods_of(ledger, 2), 4);
  ck_assert_int_eq(rebal_ledger_release(ledger, TEXT("ns/a"), REBAL_NONE, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_release(ledger, TEXT("ns/a"), 2, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_release(ledger, TEXT("ns/b"), 0, NULL), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 2), 4);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_expiry_is_the_bindings) {
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);
  rebal_time now = {100, 0, 1};

  charge(ledger, "ns/never", 0, 1, 0);
  charge(ledger, "ns/a", 0, 10, 100);
  charge(ledger, "ns/b", 0, 100, 100);
  charge(ledger, "ns/b", 1, 100, 300);
  charge(ledger, "ns/c", 2, 5, 90);
  charge(ledger, "ns/c", 1, 0, 300);
  ck_assert_int_eq(rebal_ledger_expire(ledger, &now, NULL), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 0), 111);
  ck_assert_int_eq(pods_of(ledger, 2), 5);
  now.nanos = 1;
  ck_assert_int_eq(rebal_ledger_expire(ledger, &now, NULL), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 0), 101);
  ck_assert_int_eq(pods_of(ledger, 1), 100);
  now.seconds = 301;
  ck_assert_int_eq(rebal_ledger_expire(ledger, &now, NULL), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 0), 1);
  ck_assert_int_eq(pods_of(ledger, 1), 0);
  ck_assert_int_eq(pods_of(ledger, 2), 0);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_fork_is_independent) {
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);
  const rebal_time now = {200, 0, 1};
  rebal_ledger *fork = NULL;

  charge(ledger, "ns/a", 0, 1, 100);
  charge(ledger, "ns/b", 1, 2, 0);
  ck_assert_int_eq(rebal_ledger_fork(ledger, &fork, NULL), REBAL_OK);
  ck_assert_ptr_eq(rebali_ledger_fleet(fork), rebali_ledger_fleet(ledger));
  charge(ledger, "ns/a", 0, 50, 0);
  ck_assert_int_eq(pods_of(fork, 0), 1);
  ck_assert_int_eq(pods_of(fork, 1), 2);
  ck_assert_int_eq(rebal_ledger_expire(fork, &now, NULL), REBAL_OK);
  ck_assert_int_eq(pods_of(fork, 0), 0);
  ck_assert_int_eq(pods_of(ledger, 0), 50);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
  ck_assert_int_eq(pods_of(fork, 1), 2);
  rebal_ledger_free(fork);
}
END_TEST

START_TEST(test_refusals) {
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = NULL;
  const rebal_time bad = {0, -1, 1};
  const rebal_time unset = {0, 0, 0};
  const uint32_t none = REBAL_NONE;
  const int32_t one = 1;

  ck_assert_int_eq(rebal_ledger_new(NULL, NULL, &ledger, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ledger_new(fleet, NULL, NULL, NULL), REBAL_EINVAL);
  ledger = new_ledger(fleet);
  ck_assert_int_eq(charge_one(ledger, "", 0, 0, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(charge_one(ledger, NULL, 0, 0, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(charge_one(NULL, "a", 0, 0, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(charge_one(ledger, "a", 3, 0, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(charge_one(ledger, "a", 0, 1, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(charge_one(ledger, "a", 0, 0, -1, NULL), REBAL_ERANGE);
  ck_assert_int_eq(charge_one(ledger, "a", 0, 0, 1, &bad), REBAL_ERANGE);
  ck_assert_int_eq(test_charge_set(ledger, "a", 0, NULL, &one, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(test_charge_set(ledger, "a", 0, &none, NULL, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ledger_release(NULL, TEXT("a"), 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ledger_expire(ledger, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ledger_expire(ledger, &unset, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ledger_expire(NULL, &unset, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ledger_fork(NULL, &ledger, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ledger_fork(ledger, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(pods_of(ledger, 0), 0);
  ck_assert_int_eq(pods_of(NULL, 0), 0);
  ck_assert_int_eq(cpu_of(NULL, 0), 0);
  ck_assert_int_eq(rebali_ledger_touches(NULL, 0), 0);
  ck_assert_ptr_null(rebali_ledger_fleet(NULL));
  rebal_ledger_free(ledger);
  rebal_ledger_free(NULL);
  rebal_fleet_free(fleet);
}
END_TEST

/* Sums that are kept up to date equal recomputed sums, whatever happened in between. */
START_TEST(test_law) {
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);
  int32_t held[30][3] = {{0}};
  uint32_t random = 23;
  char key[16];

  for (uint32_t round = 0; round < 3000; round++) {
    const uint32_t number = next_random(&random, 30);
    const uint32_t cluster = next_random(&random, 3);
    const int32_t replicas = (int32_t)next_random(&random, 6);
    int64_t expected = 0;

    snprintf(key, sizeof key, "ns/%u", (unsigned)number);
    charge(ledger, key, cluster, replicas, 0);
    held[number][cluster] = replicas;
    for (uint32_t i = 0; i < 30; i++) {
      expected += held[i][cluster];
    }
    ck_assert_int_eq(pods_of(ledger, cluster), expected);
    ck_assert_int_eq(cpu_of(ledger, cluster), 251 * expected);
    ck_assert_int_eq(rebali_ledger_touches(ledger, cluster), expected != 0);
  }
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

static int32_t scenario(const rebal_allocator *allocator, void *user_data) {
  static const uint32_t requirements[2] = {0, REBAL_NONE};
  const int32_t replicas[2] = {1, 2};
  rebal_ledger *ledger = NULL;
  rebal_ledger *fork = NULL;
  int32_t code = rebal_ledger_new(user_data, allocator, &ledger, NULL);
  char key[16];

  for (uint32_t i = 0; i < 40 && code == REBAL_OK; i++) {
    (void)snprintf(key, sizeof key, "ns/%u", (unsigned)i);
    code = test_charge_set(ledger, key, i % 3, requirements, replicas, 1 + i % 2, NULL);
    if (code == REBAL_OK) {
      code = test_charge_set(ledger, key, (i + 1) % 3, requirements, replicas, 2, NULL);
    }
  }
  if (code == REBAL_OK) {
    code = rebal_ledger_fork(ledger, &fork, NULL);
  }
  rebal_ledger_free(fork);
  rebal_ledger_free(ledger);
  return code;
}

START_TEST(test_torture_ledger) {
  rebal_fleet *fleet = three_clusters();

  ck_assert_pstr_eq(test_torture(scenario, fleet), NULL);
  rebal_fleet_free(fleet);
}
END_TEST

/* A charge that runs out of memory changes nothing. */
START_TEST(test_failed_charge_changes_nothing) {
  rebal_fleet *fleet = three_clusters();

  for (size_t fail = 1; fail < 10; fail++) {
    struct test_allocator memory;
    rebal_ledger *ledger = NULL;
    int32_t code;

    test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
    ck_assert_int_eq(rebal_ledger_new(fleet, &memory.functions, &ledger, NULL), REBAL_OK);
    charge(ledger, "ns/a", 0, 3, 0);
    memory.fail_at = memory.requests + fail;
    code = charge_one(ledger, "ns/b", 2, 0, 4, NULL);
    memory.fail_at = 0;
    ck_assert_int_eq(pods_of(ledger, 0), 3);
    ck_assert_int_eq(pods_of(ledger, 2), code == REBAL_OK ? 4 : 0);
    charge(ledger, "ns/b", 2, 4, 0);
    ck_assert_int_eq(pods_of(ledger, 2), 4);
    rebal_ledger_free(ledger);
    ck_assert_uint_eq(memory.live, 0);
  }
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_a_key_is_replaced_whole) {
  const struct rebali_component sets[3] = {{REBAL_NONE, 4}, {REBAL_NONE, 0}, {REBAL_NONE, 5}};
  const struct rebali_claim claims[3] = {{1, &sets[0], 1}, {2, &sets[1], 1}, {1, &sets[1], 2}};
  const rebal_time never = {0, 0, 0};
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);

  charge(ledger, "d/a", 0, 7, 0);
  charge(ledger, "d/b", 0, 2, 0);
  ck_assert_int_eq(rebali_ledger_replace(ledger, REBALI_TEXT("d/a"), claims, 3, &never), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 0), 2);
  ck_assert_int_eq(pods_of(ledger, 1), 5);
  ck_assert_int_eq(pods_of(ledger, 2), 0);
  ck_assert_int_eq(rebali_ledger_replace(ledger, REBALI_TEXT("d/a"), claims + 1, 1, &never), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 1), 0);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

static struct rebali_spent_change change_of(const rebal_ledger *ledger, uint32_t cluster, uint64_t *falls) {
  uint32_t n;
  const struct rebali_spent_change *changes = rebali_ledger_changes(ledger, &n, falls);

  return cluster < n ? changes[cluster] : (struct rebali_spent_change){0, 0};
}

START_TEST(test_changes_are_counted) {
  static const struct request gift = {"cpu", {-1, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI}};
  const struct rebali_component set = {0, 4};
  const struct rebali_claim claim = {1, &set, 1};
  const rebal_time never = {0, 0, 0};
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);
  const uint32_t gives = requirements_of(fleet, &gift, 1);
  uint64_t falls;

  ck_assert_int_eq(rebali_ledger_replace(ledger, REBALI_TEXT("d/a"), &claim, 1, &never), REBAL_OK);
  ck_assert_uint_eq(change_of(ledger, 1, &falls).version, 1);
  ck_assert_uint_eq(change_of(ledger, 1, &falls).fallen, 0);
  ck_assert_uint_eq(change_of(ledger, 0, &falls).version, 0);
  ck_assert_int_eq(rebali_ledger_replace(ledger, REBALI_TEXT("d/a"), &claim, 1, &never), REBAL_OK);
  ck_assert_uint_eq(change_of(ledger, 1, &falls).version, 1); /* held already */
  ck_assert_uint_eq(falls, 0);
  ck_assert_int_eq(charge_one(ledger, "d/b", 1, gives, 1, NULL), REBAL_OK);
  ck_assert_uint_eq(change_of(ledger, 1, &falls).fallen, 2);
  ck_assert_uint_eq(falls, 1);
  ck_assert_int_eq(rebal_ledger_release(ledger, TEXT("d/a"), REBAL_NONE, NULL), REBAL_OK);
  ck_assert_uint_eq(change_of(ledger, 1, &falls).fallen, 3);
  ck_assert_uint_eq(falls, 2);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_an_identity_outlives_its_ledger) {
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);
  struct rebali_identity *identity = rebali_identity_ref(rebali_ledger_identity(ledger));

  rebal_ledger_free(ledger);
  for (int i = 0; i < 100; i++) {
    ledger = new_ledger(fleet);
    ck_assert_ptr_ne(rebali_ledger_identity(ledger), identity);
    rebal_ledger_free(ledger);
  }
  rebal_fleet_free(fleet);
  rebali_identity_unref(identity);
  rebali_identity_unref(NULL);
  ck_assert_ptr_null(rebali_identity_ref(NULL));
}
END_TEST

START_TEST(test_a_failed_replacement_changes_nothing) {
  const struct rebali_component sets[3] = {{0, 4}, {0, 1}, {REBAL_NONE, 2}};
  const struct rebali_claim claims[2] = {{1, &sets[0], 1}, {2, &sets[1], 2}};
  const rebal_time never = {0, 0, 0};
  rebal_fleet *fleet = three_clusters();
  struct test_allocator memory;
  rebal_ledger *ledger = NULL;
  int32_t code = REBAL_ENOMEM;
  size_t k;

  for (k = 1; code == REBAL_ENOMEM; k++) {
    test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
    ck_assert_int_eq(rebal_ledger_new(fleet, &memory.functions, &ledger, NULL), REBAL_OK);
    charge(ledger, "d/a", 0, 7, 0);
    memory.fail_at = memory.requests + k;
    code = rebali_ledger_replace(ledger, k % 2 == 0 ? REBALI_TEXT("d/a") : REBALI_TEXT("d/b"), claims, 2, &never);
    ck_assert_int_eq(pods_of(ledger, 1), code == REBAL_OK ? 4 : 0);
    ck_assert_int_eq(pods_of(ledger, 2), code == REBAL_OK ? 3 : 0);
    ck_assert(code == REBAL_OK || pods_of(ledger, 0) == 7);
    rebal_ledger_free(ledger);
    ck_assert_uint_eq(memory.live, 0);
  }
  ck_assert_int_eq(code, REBAL_OK);
  ck_assert_uint_gt(k, 3);
  rebal_fleet_free(fleet);
}
END_TEST

/* Sets without components are equal. */
START_TEST(test_sets_without_components) {
  const struct rebali_component four = {0, 4};
  const struct rebali_claim claims[3] = {{0, NULL, 0}, {1, NULL, 0}, {2, &four, 1}};
  const rebal_time never = {0, 0, 0};
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);
  rebal_result *result = NULL;

  charge(ledger, "d/a", 1, 7, 0);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_ledger_replace(ledger, REBALI_TEXT("d/a"), claims, 3, &never), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 0), 0);
  ck_assert_int_eq(pods_of(ledger, 1), 0);
  ck_assert_int_eq(pods_of(ledger, 2), 4);
  ck_assert_int_eq(rebal_ledger_read(ledger, result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_SPENT), 1);
  ck_assert_int_eq(rebali_ledger_replace(ledger, REBALI_TEXT("d/a"), claims, 2, &never), REBAL_OK);
  ck_assert_int_eq(pods_of(ledger, 2), 0);
  rebal_result_free(result);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

/* The smallest negative amount counts as -1, in whole units and as written. */
START_TEST(test_small_negative_amounts) {
  static const struct request requests[2] = {{"cpu", {0, -1, REBAL_QUANTITY_FORMAT_DECIMAL_SI}},
                                             {"memory", {0, -1, REBAL_QUANTITY_FORMAT_BINARY_SI}}};
  rebal_fleet *fleet = three_clusters();
  rebal_ledger *ledger = new_ledger(fleet);

  for (size_t i = 0; i < 2; i++) {
    const struct rebali_text name = rebali_text(requests[i].name, strlen(requests[i].name));
    const uint32_t requirements = requirements_of(fleet, &requests[i], 1);

    ck_assert_int_eq(charge_one(ledger, "ns/a", 0, requirements, 3, NULL), REBAL_OK);
    ck_assert_int_eq(rebali_ledger_charge(ledger, 0, name).amount, -3);
    ck_assert_int_eq(rebali_ledger_charge(ledger, 0, name).as_written, -3);
    ck_assert_int_eq(rebali_ledger_prices(ledger, requirements)->gives, 1);
    ck_assert_ptr_null(rebali_ledger_prices(ledger, requirements + 1000));
  }
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(ledger) {
  TCase *cases = tcase_create("ledger");
  tcase_add_test(cases, test_put_back);
  tcase_add_test(cases, test_amounts);
  tcase_add_test(cases, test_amounts_as_written);
  tcase_add_test(cases, test_component_sets);
  tcase_add_test(cases, test_replaces);
  tcase_add_test(cases, test_release);
  tcase_add_test(cases, test_expiry_is_the_bindings);
  tcase_add_test(cases, test_fork_is_independent);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_law);
  tcase_add_test(cases, test_torture_ledger);
  tcase_add_test(cases, test_failed_charge_changes_nothing);
  tcase_add_test(cases, test_a_key_is_replaced_whole);
  tcase_add_test(cases, test_changes_are_counted);
  tcase_add_test(cases, test_an_identity_outlives_its_ledger);
  tcase_add_test(cases, test_a_failed_replacement_changes_nothing);
  tcase_add_test(cases, test_sets_without_components);
  tcase_add_test(cases, test_small_negative_amounts);
  return cases;
}
