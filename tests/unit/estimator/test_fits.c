/* SPDX-License-Identifier: MIT */
/*
 * Compares vectors that catch up with a ledger and a fleet only for the rows that are read with their plain twin: every
 * cluster is estimated again, and all of them are sorted.
 */
#include "estimating.h"

#include "estimator/fast/fits.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

#define OPERATIONS 1000000
#define MOST_ROWS 250u
#define CLAIMS 6u

static struct test_world world;
static uint64_t random_state;
static rebal_ledger *ledger;
static int64_t now;
static int is_few; /* few distinct queries, repeated often, while charges mostly grow */
static uint32_t requests[9];
static rebal_compat *variants[4];

static uint32_t draw(uint32_t below) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(random_state >> 33) % below;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

static void set_some_cluster(void) {
  static const char *const modelings[] = {"0=3 1=2", "0=1", NULL};
  char name[16], amounts[80];
  struct test_cluster cluster = {.name = name, .allocatable = amounts};
  uint32_t id, pods = draw(60), cpu = draw(300), memory = draw(9000);

  (void)snprintf(name, sizeof name, "m%03u", (unsigned int)draw(MOST_ROWS - 10));
  (void)snprintf(amounts, sizeof amounts, "pods=%u cpu=%u00m memory=%uMi%s", (unsigned int)pods, (unsigned int)cpu,
                 (unsigned int)memory, draw(9) == 0 ? " example.com/x=4500m" : "");
  cluster.models = draw(5) == 0 ? "0:cpu=1,memory=1Gi 1:cpu=3,memory=2Gi" : NULL;
  cluster.modelings = modelings[draw(3)];
  id = test_cluster_id(&world, name);
  if (draw(12) == 0) { /* it may not exist */
    (void)rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &id, 1, NULL);
  } else {
    (void)rebal_fleet_add_cluster(world.fleet, name, strlen(name), &id, NULL);
    test_set_cluster(&world, id, &cluster);
  }
}

static struct rebali_component draw_component(void) {
  const uint32_t request = draw(12) == 0 ? REBAL_NONE : requests[draw(REBALI_COUNT(requests))];

  return (struct rebali_component){request, (int32_t)draw(draw(50) == 0 ? 100000 : 4)};
}

static rebal_time draw_expiry(void) {
  return draw(2) == 0 ? test_time(0) : test_time(now + draw(2000));
}

static uint32_t draw_cluster(void) {
  return draw(rebal_cells_bound(rebal_snapshot_cells(world.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE));
}

static void replace_some(const char *key) {
  struct rebali_component components[CLAIMS];
  struct rebali_claim claims[CLAIMS];
  const size_t n = draw(CLAIMS + 1);
  const rebal_time expiry = draw_expiry();

  for (size_t i = 0; i < n; i++) {
    components[i] = draw_component();
    claims[i] = (struct rebali_claim){draw_cluster(), &components[i], 1};
  }
  ck_assert_int_eq(rebali_ledger_replace(ledger, rebali_text(key, strlen(key)), claims, n, &expiry), REBAL_OK);
  if (draw(4) == 0) { /* repeating it changes nothing */
    ck_assert_int_eq(rebali_ledger_replace(ledger, rebali_text(key, strlen(key)), claims, n, &expiry), REBAL_OK);
  }
}

static void charge_some(const char *key) {
  const struct rebali_component first = draw_component(), second = draw_component();
  const uint32_t handles[2] = {first.requirements, second.requirements};
  const int32_t replicas[2] = {first.replicas, second.replicas};
  const rebal_time expiry = draw_expiry();
  const size_t n = 1 + draw(2);

  ck_assert_int_eq(test_charge_set(ledger, key, draw_cluster(), handles, replicas, n, &expiry), REBAL_OK);
}

static void fork_it(void) {
  rebal_ledger *fork = NULL;

  ck_assert_int_eq(rebal_ledger_fork(ledger, &fork, NULL), REBAL_OK);
  rebal_ledger_free(ledger); /* another ledger may get its address */
  ledger = fork;
}

static void happen(void) {
  const rebal_time clock = test_time(++now);
  char key[16];

  (void)snprintf(key, sizeof key, "d/%u", (unsigned int)draw(60));
  switch (draw(10)) {
    case 0:
      ck_assert_int_eq(
          rebal_ledger_release(ledger, key, strlen(key), draw(2) == 0 ? REBAL_NONE : draw(MOST_ROWS), NULL), REBAL_OK);
      break;
    case 1:
    case 2:
    case 3:
      replace_some(key);
      break;
    default:
      charge_some(key);
      break;
  }
  if (draw(500) == 0) {
    ck_assert_int_eq(rebal_ledger_expire(ledger, &clock, NULL), REBAL_OK);
  }
  if (draw(3000) == 0) {
    fork_it();
  }
  if (draw(100) == 0) {
    set_some_cluster();
    test_freeze(&world);
  }
}

/* ---- queries, and the plain twin --------------------------------------------------------------------------------- */

struct query {
  struct rebali_component components[2];
  size_t n;
  int is_set;
  const rebal_compat *compat;
};

static struct query draw_question(void) {
  struct query query = {.is_set = draw(4) == 0};

  query.compat = variants[draw(3) == 0 ? draw(4) : 0];
  if (is_few) {
    return (struct query){.components = {{requests[draw(2)], 1}}, .n = 1};
  }
  query.n = query.is_set ? 1 + draw(2) : 1;
  for (size_t i = 0; i < query.n; i++) {
    query.components[i].requirements = requests[draw(REBALI_COUNT(requests))];
    query.components[i].replicas = query.is_set ? 1 + (int32_t)draw(2) : 1;
  }
  return query;
}

static int32_t estimate(const struct query *query, struct rebali_fits *fits) {
  return query->is_set ? rebali_estimate_sets(world.ctx, world.snapshot, query->components, query->n, query->compat,
                                              ledger, fits, NULL)
                       : rebali_estimate_rows(world.ctx, world.snapshot, query->components[0].requirements,
                                              query->compat, ledger, fits, NULL);
}

static void estimate_plainly(const struct query *query, int32_t *rows) {
  struct rebali_estimation estimation = {.arena = rebali_ctx_scratch(world.ctx), .snapshot = world.snapshot};
  struct rebali_demand demand;
  struct rebali_set set;
  int32_t code = REBAL_OK;

  estimation.components = query->components;
  estimation.n_components = query->n;
  estimation.demand = &demand;
  estimation.rules = rebali_rules_read(query->compat);
  estimation.ledger = ledger;
  ck_assert_int_eq(rebali_demand_read(estimation.arena,
                                      rebali_snapshot_record(world.snapshot, REBAL_OBJECT_REQUIREMENTS,
                                                             query->components[0].requirements),
                                      &demand),
                   REBAL_OK);
  rebali_demand_resolve(&demand, world.snapshot);
  ck_assert_int_eq(rebali_set_read(estimation.arena, world.snapshot, query->components, query->n, &set), REBAL_OK);
  rebali_set_resolve(&set, world.snapshot);
  estimation.set = query->is_set ? &set : NULL;
  for (uint32_t row = 0;
       row < rebal_cells_bound(rebal_snapshot_cells(world.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE) &&
       code == REBAL_OK;
       row++) {
    code = query->is_set ? rebali_fit_sets(&estimation, row, &rows[row])
                         : rebali_fit_replicas(&estimation, row, &rows[row]);
  }
  ck_assert_int_eq(code, REBAL_OK);
}

static int compare_keys(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left;
  const uint64_t b = *(const uint64_t *)right;

  return a < b ? -1 : a > b;
}

/* Checks the first n of some rows, in order. */
static void expect_walk(struct rebali_fits *fits, const int32_t *plain, size_t n) {
  uint64_t wanted[REBALI_BITSET_WORDS(MOST_ROWS)] = {0};
  const uint32_t one_in = 1 + draw(draw(2) == 0 ? 1 : 24);
  const int descending = (int)draw(2);
  struct rebali_fits_walk walk;
  uint64_t expected[MOST_ROWS];
  size_t n_expected = 0;

  for (uint32_t row = 0; row < rebal_cells_bound(rebal_snapshot_cells(world.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
       row++) {
    if (draw(one_in) == 0) {
      rebali_bit_set(wanted, row, 1);
      expected[n_expected++] =
          rebali_ranking_key(plain[row], rebali_ranking_turn(rebali_snapshot_rank(world.snapshot, row), descending));
    }
  }
  qsort(expected, n_expected, sizeof expected[0], compare_keys);
  ck_assert_int_eq(rebali_fits_walk_begin(&walk, fits, wanted, n_expected, descending, draw(10)), REBAL_OK);
  for (size_t i = 0; i < n && i <= n_expected; i++) {
    uint32_t row;
    int32_t value;

    ck_assert_int_eq(rebali_fits_walk_next(&walk, &row, &value), i < n_expected ? REBAL_OK : REBAL_ENOTFOUND);
    if (i < n_expected) {
      ck_assert_uint_eq(rebali_ranking_turn(rebali_snapshot_rank(world.snapshot, row), descending),
                        rebali_ranking_place(expected[i]));
      ck_assert_int_eq(value, rebali_ranking_value(expected[i]));
    }
  }
}

static void expect_answers(void) {
  const struct query query = draw_question();
  const uint32_t rows = rebal_cells_bound(rebal_snapshot_cells(world.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  int32_t plain[MOST_ROWS];
  struct rebali_fits fits;

  ck_assert_int_eq(rebali_ctx_begin(world.ctx, NULL), REBAL_OK);
  estimate_plainly(&query, plain);
  ck_assert_int_eq(estimate(&query, &fits), REBAL_OK);
  for (uint32_t i = draw(6); i > 0; i--) {
    const uint32_t row = draw(rows);

    ck_assert_int_eq(rebali_fits_of(&fits, row), plain[row]);
  }
  expect_walk(&fits, plain, draw(4) == 0 ? MOST_ROWS : draw(12));
  if (draw(3) == 0) {
    ck_assert_int_eq(rebali_fits_all(&fits), REBAL_OK);
    ck_assert_mem_eq(fits.replicas, plain, rows * sizeof plain[0]);
    expect_walk(&fits, plain, MOST_ROWS);
  }
  rebali_ctx_end(world.ctx);
}

static void setup(void) {
  static const char *const texts[] = {
      "cpu=100m memory=64Mi", "cpu=1", "memory=100Mi",       "cpu=250m memory=1Gi pods=1", "example.com/x=1",
      "cpu=0.0001",           "",      "cpu=-1 memory=10Mi", "missing.com/x=1 cpu=1"};

  random_state = 1;
  now = 1;
  test_world_open(&world, NULL);
  for (uint32_t i = 0; i < 400; i++) {
    set_some_cluster();
  }
  for (size_t i = 0; i < REBALI_COUNT(texts); i++) {
    requests[i] = test_request_handle(&world, texts[i]);
  }
  test_freeze(&world);
  variants[1] = test_compat(REBAL_OPTION_GATE_RESOURCE_MODELS, 0);
  variants[2] = test_compat(REBAL_OPTION_INT32_WRAP, 1);
  variants[3] = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 0);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
}

static void teardown(void) {
  for (size_t i = 1; i < REBALI_COUNT(variants); i++) {
    rebal_compat_free(variants[i]);
  }
  rebal_ledger_free(ledger);
  test_world_close(&world);
}

START_TEST(test_same_as_anew) {
  for (int i = 0; i < OPERATIONS; i++) {
    happen();
    if (draw(200) == 0) {
      expect_answers();
    }
  }
}
END_TEST

/* A cluster whose charges changed too often to be counted is estimated at each read. */
START_TEST(test_the_last_version) {
  struct rebali_spent_change *changes;
  uint32_t n;
  uint64_t falls;

  test_charge(ledger, "a/b", 0, requests[0], 1);
  (void)rebali_ledger_changes(ledger, &n, &falls);
  ck_assert_uint_eq(n, 1);
  memcpy(&changes, &(const struct rebali_spent_change *){rebali_ledger_changes(ledger, &n, &falls)}, sizeof changes);
  changes[0].version = UINT32_MAX - 2;
  for (int i = 0; i < 300; i++) {
    test_charge(ledger, "a/b", 0, requests[i % 3], (int32_t)draw(9));
    ck_assert_uint_ge(changes[0].version, UINT32_MAX - 2);
    expect_answers();
  }
  ck_assert_uint_eq(changes[0].version, UINT32_MAX);
}
END_TEST

static int32_t walk_twice(const rebal_allocator *allocator, void *user_data) {
  static const uint64_t wanted[REBALI_BITSET_WORDS(MOST_ROWS) + 1] = {UINT32_MAX, 0xFFFF};
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  (void)user_data;
  for (int i = 0; i < 4 && code == REBAL_OK; i++) {
    const int is_table = i >= 2; /* few rows, no models */
    struct rebali_fits fits;
    struct rebali_fits_walk walk;
    uint32_t row;
    int32_t value;

    ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
    code = rebali_estimate_rows(ctx, world.snapshot, requests[0], variants[is_table], ledger, &fits, NULL);
    code = code == REBAL_OK
               ? rebali_fits_walk_begin(&walk, &fits, wanted + is_table, is_table ? 16 : MOST_ROWS, i % 2, 5)
               : code;
    while (code == REBAL_OK) {
      code = rebali_fits_walk_next(&walk, &row, &value);
    }
    code = code == REBAL_ENOTFOUND ? rebali_fits_all(&fits) : code;
    rebali_ctx_end(ctx);
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  for (int i = 0; i < 200; i++) {
    happen();
  }
  ck_assert_pstr_eq(test_torture(walk_twice, NULL), NULL);
}
END_TEST

START_TEST(test_few_questions_repeated) {
  is_few = 1;
  for (int i = 0; i < (int)unit_rounds(300000); i++) {
    if (draw(20) == 0) {
      happen();
    } else {
      const uint32_t first = draw(30) == 0 ? 7 : draw(3), second = draw(3), n = 1 + draw(2);
      const uint32_t handles[2] = {requests[first], requests[second]};
      const int32_t replicas[2] = {1, 2};
      char key[24];

      (void)snprintf(key, sizeof key, "%c/%d", (int)('a' + draw(20)), i);
      ck_assert_int_eq(test_charge_set(ledger, key, draw_cluster(), handles, replicas, n, NULL), REBAL_OK);
    }
    if (draw(8) == 0) {
      set_some_cluster();
      test_freeze(&world);
    }
    expect_answers();
  }
  is_few = 0;
}
END_TEST

#define RESOURCES 40u

static void set_resourceful_cluster(void) {
  static const char *const units[] = {"", "500m", "Ei"};
  char amounts[RESOURCES * 24], name[16];
  size_t len = (size_t)snprintf(amounts, sizeof amounts, "pods=50 cpu=%u", (unsigned int)draw(60));

  for (unsigned int i = 0; i < RESOURCES; i++) {
    len += (size_t)snprintf(amounts + len, sizeof amounts - len, " r%u=%u%s", i, (unsigned int)draw(90),
                            units[i % 11 == 0 ? 2 : i % 9 == 0]);
  }
  (void)snprintf(name, sizeof name, "m%03u", (unsigned int)draw(MOST_ROWS - 10));
  (void)rebal_fleet_add_cluster(world.fleet, name, strlen(name), &(uint32_t){0}, NULL);
  test_set_cluster(&world, test_cluster_id(&world, name), &(struct test_cluster){.name = name, .allocatable = amounts});
}

/* More resources than the table of remaining amounts has columns, and amounts that the table does not hold. */
START_TEST(test_columns_come_and_go) {
  uint32_t handles[RESOURCES];
  char text[24];

  for (unsigned int i = 0; i < RESOURCES; i++) {
    (void)snprintf(text, sizeof text, "r%u=%u cpu=1", i, 1 + i % 3);
    handles[i] = test_request_handle(&world, text);
  }
  variants[0] = variants[1]; /* with models there is no table */
  for (int i = 0; i < 3200; i++) {
    requests[i % 3] = handles[draw(RESOURCES)];
    if (i < 200 || draw(9) == 0) {
      set_resourceful_cluster();
      test_freeze(&world);
    }
    test_charge(ledger, i % 2 == 0 ? "a/0" : "a/1", draw_cluster(), requests[i / 3 % 3], i / 9 % 9);
    expect_answers();
  }
  variants[0] = NULL;
}
END_TEST

static void set_clusters(uint32_t first, uint32_t end, const char *allocatable) {
  for (uint32_t i = first; i < end; i++) {
    char name[16];
    uint32_t id;

    (void)snprintf(name, sizeof name, "n%04u", (unsigned int)i);
    (void)rebal_fleet_add_cluster(world.fleet, name, strlen(name), &id, NULL); /* it may exist */
    test_set_cluster(&world, test_cluster_id(&world, name),
                     &(struct test_cluster){.name = name, .allocatable = allocatable});
  }
}

static int32_t fits_in(const char *name) {
  const uint32_t row = test_cluster_id(&world, name);
  struct rebali_fits fits;
  int32_t replicas;

  ck_assert_int_eq(rebali_ctx_begin(world.ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_estimate_rows(world.ctx, world.snapshot, requests[1], NULL, ledger, &fits, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_fits_all(&fits), REBAL_OK);
  replicas = rebali_fits_of(&fits, row);
  rebali_ctx_end(world.ctx);
  return replicas;
}

/* An order that was built while nothing was charged is not kept up to date once there are charges. */
START_TEST(test_order_from_before_charges) {
  const uint32_t giver = test_request_handle(&world, "cpu=-100");
  struct rebali_fits fits;
  const uint64_t *keys;
  size_t n;

  set_clusters(0, 256, "cpu=100 pods=1000");
  set_clusters(256, 1000, "cpu=50 pods=1000");
  test_freeze(&world);
  ck_assert_int_eq(rebali_ctx_begin(world.ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_estimate_rows(world.ctx, world.snapshot, requests[1], NULL, ledger, &fits, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_fits_best(&fits, 0, 256, &keys, &n), REBAL_OK);
  rebali_ctx_end(world.ctx);
  for (uint32_t i = 256; i < 1000; i++) {
    char name[16];

    (void)snprintf(name, sizeof name, "n%04u", (unsigned int)i);
    test_charge(ledger, name, test_cluster_id(&world, name), giver, 1);
  }
  ck_assert_int_eq(fits_in("n0999"), 150);
  set_clusters(256, 1000, "cpu=10 pods=1000");
  test_freeze(&world);
  ck_assert_int_eq(fits_in("n0999"), 110);
  set_clusters(256, 1000, "cpu=150 pods=1000");
  test_freeze(&world);
  ck_assert_int_eq(fits_in("n0999"), 250);
  ck_assert_int_eq(fits_in("n0000"), 100);
}
END_TEST

/* ---- without a ledger: changed rows are estimated when they are wanted ------------------------------------------- */

static uint32_t bound_of_rows(void) {
  return rebal_cells_bound(rebal_snapshot_cells(world.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
}

static void expect_best(struct rebali_fits *fits, const int32_t *plain, int descending) {
  uint64_t expected[MOST_ROWS];
  const uint64_t *keys;
  size_t n;

  for (uint32_t row = 0; row < bound_of_rows(); row++) {
    expected[row] =
        rebali_ranking_key(plain[row], rebali_ranking_turn(rebali_snapshot_rank(world.snapshot, row), descending));
  }
  qsort(expected, bound_of_rows(), sizeof expected[0], compare_keys);
  ck_assert_int_eq(rebali_fits_best(fits, descending, 1 + draw(draw(3) == 0 ? MOST_ROWS : 9), &keys, &n), REBAL_OK);
  ck_assert_mem_eq(keys, expected, n * sizeof *keys);
}

/* Catches up with a few or many rows and checks these. */
static void expect_wanted(struct rebali_fits *fits, const int32_t *plain) {
  uint64_t wanted[REBALI_BITSET_WORDS(MOST_ROWS)] = {0};
  const uint32_t one_in = draw(2) == 0 ? 2 : 12 + draw(100);
  size_t n = 0;

  for (uint32_t row = 0; row < bound_of_rows(); row++) {
    if (draw(one_in) == 0) {
      rebali_bit_set(wanted, row, 1);
      n++;
    }
  }
  ck_assert_int_eq(rebali_fits_catch_up(fits, wanted, n), REBAL_OK);
  for (uint32_t row = 0; row < bound_of_rows(); row++) {
    if (rebali_bit_get(wanted, row)) {
      ck_assert_int_eq(rebali_fits_of(fits, row), plain[row]);
      ck_assert(plain[row] != INT32_MAX || rebali_fits_may_be_unlimited(fits));
    }
  }
}

/* No, few and many changes, and more than rows, between queries of which some are rare. */
START_TEST(test_rows_are_put_right_when_wanted) {
  static const uint32_t changes[] = {0, 1, 3, 12, 60, 400};

  rebal_ledger_free(ledger);
  ledger = NULL;
  for (int i = 0; i < 3000; i++) {
    const struct query query = draw_question();
    int32_t plain[MOST_ROWS];
    struct rebali_fits fits;

    for (uint32_t k = changes[draw(REBALI_COUNT(changes))]; k > 0; k--) {
      set_some_cluster();
    }
    test_freeze(&world);
    ck_assert_int_eq(rebali_ctx_begin(world.ctx, NULL), REBAL_OK);
    estimate_plainly(&query, plain);
    ck_assert_int_eq(estimate(&query, &fits), REBAL_OK);
    expect_wanted(&fits, plain);
    if (draw(2) == 0) {
      expect_best(&fits, plain, (int)draw(2));
    }
    if (draw(3) == 0) {
      ck_assert_int_eq(rebali_fits_all(&fits), REBAL_OK);
      ck_assert_mem_eq(fits.replicas, plain, bound_of_rows() * sizeof plain[0]);
      expect_walk(&fits, plain, MOST_ROWS);
      expect_best(&fits, plain, 0);
      expect_best(&fits, plain, 1);
    }
    rebali_ctx_end(world.ctx);
  }
}
END_TEST

static void freeze_with(uint32_t end, const char *allocatable) {
  set_clusters(0, end, allocatable);
  test_freeze(&world);
}

/* Few or all rows are outdated, or there are more changes than rows; some or all rows are read, and in order. */
static int32_t follow(const rebal_allocator *allocator, void *user_data) {
  static const uint64_t wanted[REBALI_BITSET_WORDS(1000)] = {UINT32_MAX, UINT32_MAX};
  static const char *const amounts[] = {"cpu=10 pods=100", "cpu=20 pods=100", "cpu=30 pods=100", "cpu=5 pods=100"};
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  (void)user_data;
  freeze_with(300, "cpu=1 pods=100");
  for (size_t i = 0; i < REBALI_COUNT(amounts) && code == REBAL_OK; i++) {
    struct rebali_fits fits;
    const uint64_t *keys;
    size_t n;

    freeze_with(300, amounts[i]);
    if (i == 2) {
      freeze_with(300, amounts[0]);
      freeze_with(300, amounts[i]);
    }
    ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
    code = rebali_estimate_rows(ctx, world.snapshot, requests[0], NULL, NULL, &fits, NULL);
    code = code == REBAL_OK && i != 1 ? rebali_fits_catch_up(&fits, wanted, 64) : code;
    code = code == REBAL_OK ? rebali_fits_best(&fits, 0, 9, &keys, &n) : code;
    rebali_ctx_end(ctx);
  }
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_out_of_memory_when_rows_are_put_right) {
  freeze_with(300, "cpu=1 pods=100");
  ck_assert_pstr_eq(test_torture(follow, NULL), NULL);
}
END_TEST

UNIT_CASE(fits) {
  TCase *cases = tcase_create("fits");

  tcase_set_timeout(cases, 240);
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_same_as_anew);
  tcase_add_test(cases, test_few_questions_repeated);
  tcase_add_test(cases, test_columns_come_and_go);
  tcase_add_test(cases, test_the_last_version);
  tcase_add_test(cases, test_order_from_before_charges);
  tcase_add_test(cases, test_out_of_memory);
  tcase_add_test(cases, test_rows_are_put_right_when_wanted);
  tcase_add_test(cases, test_out_of_memory_when_rows_are_put_right);
  return cases;
}
