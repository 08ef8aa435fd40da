/* SPDX-License-Identifier: MIT */
/* Compares estimates of many rows, and of one beside charges, with a plain twin that estimates each cluster alone. */
#include "estimating.h"

#include "estimator/fast/fits.h"

#include "../unit.h"

#include <stdio.h>

#define ROWS 1000u /* four pages; the first and the third have only ordinary amounts */
#define REQUESTS 1000u

static struct test_world world;
static uint64_t random_state;

static uint32_t draw(uint32_t below) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(random_state >> 33) % below;
}

/* Draws an amount: whole or not, small or at the limits of the range, sometimes negative. */
static rebal_quantity draw_amount(void) {
  static const int32_t steps[] = {1000000000, 1000000, 1};
  rebal_quantity amount = {(int64_t)draw(1000), 0, 0};

  amount.format = draw(4);
  switch (draw(8)) {
    case 0:
      amount.units = (int64_t)draw(1u << 30);
      amount.units <<= draw(33);
      break;
    case 1:
      amount.units = INT64_MAX - draw(2);
      break;
    case 2:
      amount.units = 0;
      break;
    case 3:
      amount.units <<= 30;
      break;
    default:
      break;
  }
  amount.nanos = (int32_t)draw(1000000000);
  amount.nanos -= amount.nanos % steps[draw(8) == 0 ? 2 : draw(2)];
  if (draw(20) == 0) {
    amount.units = -amount.units;
    amount.nanos = -amount.nanos;
  }
  return amount;
}

static const char *const names[] = {"pods", "cpu", "memory", "example.com/gpu"};

/* Draws an amount that is whole and mostly more than is used; few pods, sometimes memory in bytes. */
static rebal_quantity draw_ordinary(uint32_t row, uint32_t index) {
  const uint32_t amount = index % 3 != REBAL_CAPACITY_ALLOCATABLE ? draw(500) : row % 97 == 3 ? 0 : 2000u - draw(1000);
  const int64_t unit = index / 3 == 2 && row % 64 == 1 ? INT64_C(1) << 30 : 1;

  return (rebal_quantity){amount / (index / 3 == 0 ? 16 : 1) * unit, 0, 1};
}

static void add_amount(uint32_t row, uint32_t index, int is_ordinary) {
  const rebal_quantity ordinary = draw_ordinary(row, index);
  const rebal_quantity amount = is_ordinary ? ordinary : draw_amount();
  const rebal_quantity *stated = is_ordinary || draw(9) != 0 ? &amount : NULL;
  uint32_t resource;

  ck_assert_int_eq(rebal_fleet_resource_id(world.fleet, names[index / 3], strlen(names[index / 3]), &resource, NULL),
                   REBAL_OK);
  if (is_ordinary || draw(3) != 0) {
    ck_assert_int_eq(rebal_fleet_set_capacity(world.fleet, index % 3, row, resource, stated, NULL), REBAL_OK);
  }
}

/* Amounts may be hidden because the summary is missing. */
static void add_clusters(int may_hide) {
  for (uint32_t row = 0; row < ROWS; row++) {
    const int is_ordinary = row / REBALI_PAGE_ROWS % 2 == 0;
    char name[16];
    struct test_cluster cluster = {.name = name};

    cluster.allocatable = !is_ordinary && draw(20) == 0 ? NULL : "pods=100 cpu=100 memory=100Gi";
    cluster.models = !is_ordinary && draw(100) == 0 ? "0:cpu=1 1:cpu=2" : NULL;
    cluster.modelings = !is_ordinary && draw(100) == 0 ? "0=3 1=2" : NULL;
    (void)snprintf(name, sizeof name, "m%u", (unsigned int)row);
    (void)test_add_cluster(&world, &cluster);
    for (uint32_t i = 0; cluster.allocatable != NULL && i < REBALI_COUNT(names) * 3; i++) {
      add_amount(row, i, is_ordinary);
    }
    if (may_hide && draw(50) == 0) {
      ck_assert_int_eq(
          rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_CLUSTER_HAS_SUMMARY, REBAL_NONE, row, 0, NULL),
          REBAL_OK);
    }
    if (!is_ordinary && draw(50) == 0) {
      ck_assert_int_eq(
          rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &row, 1, NULL), REBAL_OK);
    }
  }
}

/* Uses no resource before the first. */
static uint32_t draw_request(size_t first) {
  static const char *const suffixes[] = {"", "", "m", "n", "k", "Mi", "Gi", "e3"};
  char text[160] = "";

  for (size_t i = first + draw(2); i < REBALI_COUNT(names); i += 1 + draw(2)) {
    const size_t len = strlen(text);
    const char *sign = draw(30) == 0 ? "-" : "";
    const uint32_t units = draw(draw(4) == 0 ? 1u << 30 : 300);

    (void)snprintf(text + len, sizeof text - len, "%s%s=%s%u%s", len == 0 ? "" : " ", names[i], sign,
                   (unsigned int)units, suffixes[draw(REBALI_COUNT(suffixes))]);
  }
  if (draw(8) == 0) {
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%smissing.com/x=1", *text == '\0' ? "" : " ");
  }
  return draw(30) == 0 ? REBAL_NONE : test_request_handle(&world, text);
}

/* Returns a query for one component, and reads its demand into *demand. */
static struct rebali_estimation query(const struct rebali_component *component, struct rebali_demand *demand,
                                      struct rebali_rules rules) {
  struct rebali_estimation estimation = {.arena = rebali_ctx_scratch(world.ctx), .snapshot = world.snapshot};

  estimation.components = component;
  estimation.n_components = 1;
  estimation.demand = demand;
  estimation.rules = rules;
  ck_assert_int_eq(
      rebali_demand_read(estimation.arena,
                         rebali_snapshot_record(world.snapshot, REBAL_OBJECT_REQUIREMENTS, component->requirements),
                         demand),
      REBAL_OK);
  rebali_demand_resolve(demand, world.snapshot);
  return estimation;
}

static void estimate_plainly(struct rebali_estimation *estimation, int32_t *plain) {
  int32_t code = REBAL_OK;

  for (uint32_t row = 0; row < ROWS && code == REBAL_OK; row++) {
    code = rebali_fit_replicas(estimation, row, &plain[row]);
  }
  ck_assert_int_eq(code, REBAL_OK);
}

static void expect_rows(uint32_t handle) {
  static int32_t rows[ROWS], plain[ROWS];
  const struct rebali_component component = {handle, 1};
  const int use_models = draw(4) != 0, wrap = draw(4) == 0;
  struct rebali_demand demand;
  struct rebali_estimation estimation = query(&component, &demand, (struct rebali_rules){use_models, wrap, 0});
  const uint32_t first = draw(ROWS);
  const uint32_t end = first + 1 + draw(ROWS - first);

  ck_assert_int_eq(rebali_fit_rows(&estimation, 0, ROWS, rows), REBAL_OK);
  estimate_plainly(&estimation, plain);
  ck_assert_mem_eq(rows, plain, sizeof rows);
  memset(rows, 0, sizeof rows);
  ck_assert_int_eq(rebali_fit_rows(&estimation, first, end, rows), REBAL_OK);
  ck_assert_mem_eq(rows, plain + first, (end - first) * sizeof rows[0]);
}

/* Checks some rows without models, in one call and without a ledger. */
static void expect_listed(uint32_t handle) {
  static int32_t listed[ROWS], plain[ROWS];
  const struct rebali_component component = {handle, 1};
  const uint32_t one_in = 1 + draw(20);
  const int use_models = draw(4) != 0, wrap = draw(4) == 0;
  struct rebali_demand demand;
  struct rebali_estimation estimation = query(&component, &demand, (struct rebali_rules){use_models, wrap, 0});
  uint32_t rows[ROWS];
  size_t n = 0;

  for (uint32_t row = 0; row < ROWS; row++) {
    rows[n] = row;
    n += draw(one_in) == 0 && !rebali_is_modelled(&estimation, row);
  }
  ck_assert_int_eq(rebali_fit_listed(&estimation, rows, n, listed), REBAL_OK);
  estimate_plainly(&estimation, plain);
  for (size_t i = 0; i < n; i++) {
    ck_assert_int_eq(listed[i], plain[rows[i]]);
  }
}

/* Checks rows one by one, beside the charges of a ledger. */
static void expect_charged(uint32_t handle, const rebal_ledger *ledger) {
  static int32_t plain[ROWS];
  const struct rebali_component component = {handle, 1};
  const int use_models = draw(4) != 0, wrap = draw(4) == 0, charge_summaries = draw(8) != 0;
  struct rebali_demand demand;
  struct rebali_estimation estimation =
      query(&component, &demand, (struct rebali_rules){use_models, wrap, charge_summaries});
  int32_t charged;

  estimation.ledger = ledger;
  rebali_demand_resolve_charges(&demand, ledger);
  estimate_plainly(&estimation, plain);
  for (uint32_t row = 0; row < ROWS; row++) {
    ck_assert_int_eq(rebali_fit_charged(&estimation, row, &charged), REBAL_OK);
    ck_assert_int_eq(charged, plain[row]);
  }
}

static void charge_some(rebal_ledger *ledger, size_t first) {
  for (uint32_t i = draw(40); i > 0; i--) {
    const uint32_t handle = draw_request(first);
    const int32_t replicas = (int32_t)draw(draw(2000) == 0 ? 1u << 30 : 3);
    char key[16];

    (void)snprintf(key, sizeof key, "d/%u", (unsigned int)draw(500));
    ck_assert_int_eq(test_charge_set(ledger, key, draw(ROWS), &handle, &replicas, 1, NULL), REBAL_OK);
  }
}

START_TEST(test_same_as_one_by_one) {
  random_state = 1;
  test_world_open(&world, NULL);
  add_clusters(1);
  for (size_t i = 0; i < unit_rounds(REQUESTS); i++) {
    const uint32_t handle = draw_request(0);

    if (i == 0) {
      test_freeze(&world);
    }
    ck_assert_int_eq(rebali_ctx_begin(world.ctx, NULL), REBAL_OK);
    expect_rows(handle);
    rebali_ctx_end(world.ctx);
  }
  test_world_close(&world);
}
END_TEST

START_TEST(test_a_fleet_that_states_nothing) {
  random_state = 2;
  test_world_open(&world, NULL);
  for (uint32_t row = 0; row < ROWS; row++) {
    char name[16];

    (void)snprintf(name, sizeof name, "m%u", (unsigned int)row);
    (void)test_cluster_id(&world, name);
  }
  test_freeze(&world);
  expect_rows(REBAL_NONE);
  expect_rows(test_request_handle(&world, "cpu=1"));
  expect_listed(REBAL_NONE);
  expect_listed(test_request_handle(&world, "cpu=1"));
  test_world_close(&world);
}
END_TEST

/* Charges of one ledger sometimes request pods by name, those of the other never do. */
static void compare_beside_charges(int may_hide) {
  rebal_ledger *ledgers[2] = {NULL, NULL};

  random_state = 3;
  test_world_open(&world, NULL);
  add_clusters(may_hide);
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledgers[0], NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledgers[1], NULL), REBAL_OK);
  for (size_t i = 0; i < unit_rounds(REQUESTS) * 2; i++) {
    charge_some(ledgers[i % 2], i % 2);
    ck_assert_int_eq(rebali_ctx_begin(world.ctx, NULL), REBAL_OK);
    expect_listed(draw_request(0));
    expect_charged(draw_request(0), ledgers[i % 2]);
    rebali_ctx_end(world.ctx);
  }
  rebal_ledger_free(ledgers[0]);
  rebal_ledger_free(ledgers[1]);
  test_world_close(&world);
}

START_TEST(test_same_beside_charges) {
  compare_beside_charges(0);
  compare_beside_charges(1);
}
END_TEST

UNIT_CASE(rows) {
  TCase *cases = tcase_create("rows");

  tcase_set_timeout(cases, UNIT_TWIN_SECONDS);
  tcase_add_test(cases, test_same_as_one_by_one);
  tcase_add_test(cases, test_same_beside_charges);
  tcase_add_test(cases, test_a_fleet_that_states_nothing);
  return cases;
}
