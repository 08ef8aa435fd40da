/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "admitting.h"

/* Two zones with a node each: that of a holds one pod, that of b two. */
struct zones {
  struct test_world world;
  struct admitting admitting;
  rebal_ledger *ledger;
  rebal_spread *spread;
  uint32_t requirements[2];
  uint32_t simulated[8];
};

static rebal_spread *adaptive_of(const char *subsets, int disables) {
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;

  start_spread(builder, "Deployment", NULL);
  put_subsets(builder, subsets);
  rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SCHEDULE_STRATEGY, NULL);
  put_text(builder, REBAL_SCHEDULE_STRATEGY_TYPE, "Adaptive");
  rebal_builder_begin(builder, REBAL_SCHEDULE_STRATEGY_ADAPTIVE, NULL);
  rebal_builder_i64(builder, REBAL_ADAPTIVE_STRATEGY_DISABLE_SIMULATION, disables, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
  rebal_builder_free(builder);
  return spread;
}

static rebal_spread *adaptive(int disables) {
  return adaptive_of("a=9,b=9,c=9", disables);
}

/* The ledger and the context use the allocator. */
static int32_t open_zones(struct zones *zones, const rebal_allocator *allocator, int disables, const char *batch) {
  struct admitting *admitting = &zones->admitting;

  test_world_open(&zones->world, NULL);
  (void)test_add_cluster(&zones->world, &(struct test_cluster){"m1", "pods=9"});
  (void)test_set_node(&zones->world, 0, &(struct test_node){"n1", "cpu=1 pods=9", "zone=a"});
  (void)test_set_node(&zones->world, 0, &(struct test_node){"n2", "cpu=2 pods=9", "zone=b"});
  zones->requirements[0] = test_request_handle(&zones->world, "cpu=1 @zone=a");
  zones->requirements[1] = test_request_handle(&zones->world, "cpu=1 @zone=b");
  test_freeze(&zones->world);
  open_admitting(admitting);
  rebal_pods_free(admitting->pods);
  rebal_ctx_free(admitting->ctx);
  admitting->ctx = NULL;
  ck_assert_int_eq(rebal_pods_new(zones->world.fleet, NULL, &admitting->pods, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(admitting->compat, REBAL_OPTION_SPREAD_SIMULATION, 1, NULL), REBAL_OK);
  admitting->replica_set = add_owner(admitting->pods, "apps/v1", "Deployment", "web", REBAL_NONE);
  add_batch(admitting, batch);
  zones->spread = adaptive(disables);
  if (rebal_ledger_new(zones->world.fleet, allocator, &zones->ledger, NULL) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebal_ctx_new(allocator, NULL, &admitting->ctx, NULL);
}

static void close_zones(struct zones *zones) {
  rebal_spread_free(zones->spread);
  close_admitting(&zones->admitting);
  rebal_ledger_free(zones->ledger);
  test_world_close(&zones->world);
}

/* Every pod needs a cpu of zone a in subset a, one of zone b in b; c is not simulated. NULL: without a ledger. */
static int32_t admit_zones(struct zones *zones, rebal_ledger *ledger) {
  const rebal_time now = {100, 0, 1};
  const rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                 .flags = REBAL_ADMIT_FLAG_EXPLAIN,
                                 .compat = zones->admitting.compat,
                                 .snapshot = zones->world.snapshot,
                                 .ledger = ledger,
                                 .simulated = zones->simulated,
                                 .simulated_stride = 2,
                                 .rows = zones->admitting.rows,
                                 .n_rows = zones->admitting.n};

  for (size_t i = 0; i < REBALI_COUNT(zones->simulated); i++) {
    zones->simulated[i] = zones->requirements[i % 2];
  }
  return rebal_spread_admit(zones->admitting.ctx, &zones->spread, 1, zones->admitting.pods, &now, &opts,
                            zones->admitting.result, NULL);
}

/* "key=what is needed@expiry", by key. */
static struct shown show_ledger(const struct zones *zones) {
  rebal_result *result = NULL;
  struct shown shown = {"", 0};

  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_read(zones->ledger, result, NULL), REBAL_OK);
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_SPENT); i++) {
    char piece[64];
    rebal_time expiry;

    rebal_result_time(result, REBAL_SPENT_EXPIRY, i, &expiry);
    snprintf(
        piece, sizeof piece, "%s%s=%c@%lld", i == 0 ? "" : " ", rebal_result_text(result, REBAL_SPENT_KEY, i, NULL),
        cell_of(result, REBAL_SPENT_REQUIREMENTS, i) == zones->requirements[0] ? 'a' : 'b', (long long)expiry.seconds);
    show(&shown, piece);
  }
  rebal_result_free(result);
  return shown;
}

/* A pod was admitted before and was charged for zone b for a shorter time. */
static void charge_before(struct zones *zones) {
  const rebal_time expiry = {120, 0, 1};
  const int32_t replicas = 1;

  ck_assert_int_eq(test_charge_set(zones->ledger, "ns/p", 0, &zones->requirements[1], &replicas, 1, &expiry), REBAL_OK);
}

/* With the option pods go on to the first subset that has a node for them, beside those that are charged. */
static const struct {
  int has_option;
  int disables;
  int has_ledger;
  const char *rows;
  size_t passed_over;
  const char *spent;
} ways[] = {{0, 0, 1, "=0+ =0+ =0+ =0+", 0, ""},
            {1, 1, 1, "=0+ =0+ =0+ =0+", 0, ""},
            {1, 0, 0, "=0+ =0+ =0+ =0+", 0, ""},
            {1, 0, 1, "=0+ =1+ =1+ =2+", 4, "ns/p=a@130 ns/q=b@130 ns/r=b@130"}};

START_TEST(test_ways) {
  struct zones zones = {.ledger = NULL};
  const rebal_result *result;

  ck_assert_int_eq(open_zones(&zones, NULL, ways[_i].disables, "v+p,v+q,v+r,v+s"), REBAL_OK);
  result = zones.admitting.result;
  ck_assert_int_eq(rebal_compat_set(zones.admitting.compat, REBAL_OPTION_SPREAD_SIMULATION, ways[_i].has_option, NULL),
                   REBAL_OK);
  ck_assert_int_eq(admit_zones(&zones, ways[_i].has_ledger ? zones.ledger : NULL), REBAL_OK);
  ck_assert_str_eq(show_admitted(result).text, ways[_i].rows);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_PASSED_OVER), ways[_i].passed_over);
  for (size_t i = 0; i < ways[_i].passed_over; i++) {
    ck_assert_int_eq(cell_of(result, REBAL_PASSED_OVER_WHY, i), REBAL_PASS_OVER_NO_NODE);
  }
  ck_assert_str_eq(show_ledger(&zones).text, ways[_i].spent);
  close_zones(&zones);
}
END_TEST

/* Zone b is full by a charge to a pod that comes again: the charge is replaced, and the next pod fits. */
START_TEST(test_charged_again) {
  struct zones zones = {.ledger = NULL};

  ck_assert_int_eq(open_zones(&zones, NULL, 0, "v+#p,v+q,v+r,v+s"), REBAL_OK);
  charge_before(&zones);
  ck_assert_int_eq(admit_zones(&zones, zones.ledger), REBAL_OK);
  ck_assert_str_eq(show_admitted(zones.admitting.result).text, "=0+# =1+ =1+ =2+");
  ck_assert_str_eq(show_ledger(&zones).text, "ns/p=a@130 ns/q=b@130 ns/r=b@130");
  close_zones(&zones);
}
END_TEST

/* The last pod cannot be recorded: spread and ledger are as before, what the first one held included. */
START_TEST(test_undo) {
  struct zones zones = {.ledger = NULL};

  ck_assert_int_eq(open_zones(&zones, NULL, 0, "v+p,v+q,v+#"), REBAL_OK);
  charge_before(&zones);
  ck_assert_int_eq(admit_zones(&zones, zones.ledger), REBAL_EINVAL);
  ck_assert_str_eq(show_status(zones.spread).text, "");
  ck_assert_str_eq(show_ledger(&zones).text, "ns/p=b@120");
  close_zones(&zones);
}
END_TEST

/* In a subset without a limit nothing is recorded, but the charge needs a key. */
START_TEST(test_without_limit) {
  struct zones zones = {.ledger = NULL};

  ck_assert_int_eq(open_zones(&zones, NULL, 0, "v+p,v+#"), REBAL_OK);
  rebal_spread_free(zones.spread);
  zones.spread = adaptive_of("a,b=1", 0);
  zones.admitting.n = 1;
  ck_assert_int_eq(admit_zones(&zones, zones.ledger), REBAL_OK);
  ck_assert_str_eq(show_admitted(zones.admitting.result).text, "=0");
  ck_assert_str_eq(show_ledger(&zones).text, "ns/p=a@130");
  ck_assert_int_eq(rebal_ledger_release(zones.ledger, "ns/p", 4, REBAL_NONE, NULL), REBAL_OK);
  zones.admitting.rows[0] = zones.admitting.rows[1];
  ck_assert_int_eq(admit_zones(&zones, zones.ledger), REBAL_EINVAL);
  close_zones(&zones);
}
END_TEST

/* Nothing is known of the cluster's nodes: no subset is passed over. */
START_TEST(test_no_nodes) {
  struct zones zones = {.ledger = NULL};

  ck_assert_int_eq(open_zones(&zones, NULL, 0, "v+p,v+q"), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_clear_nodes(zones.world.fleet, 0, NULL), REBAL_OK);
  test_freeze(&zones.world);
  ck_assert_int_eq(admit_zones(&zones, zones.ledger), REBAL_OK);
  ck_assert_str_eq(show_admitted(zones.admitting.result).text, "=0+ =0+");
  close_zones(&zones);
}
END_TEST

/* Pods p, q, r and s, of which the first three fill both zones. */
static const struct {
  const char *subsets;
  const char *status; /* NULL: none */
  uint32_t option;
  int has_b; /* what pods need in b is known */
  const char *rows;
  const char *spent;
} fills[] = {
    {"a=9,b=9", NULL, 0, 1, "=0+ =1+ =1+ 0", "ns/p=a@130 ns/q=b@130 ns/r=b@130"},
    {"a=9,b=9", NULL, 0, 0, "=0+ =1+ =1+ =1+", "ns/p=a@130"},
    /* A former subset is not simulated, and neither is one that is full by its limit. */
    {"a=9,b=9", "v:x=0/1,a=0/9,b=0/9", 0, 1, "f+ =0+ =1+ =1+", "ns/q=a@130 ns/r=b@130 ns/s=b@130"},
    {"a=0,b=9", NULL, 0, 1, "=1+ =1+ 0 0", "ns/p=b@130 ns/q=b@130"},
    /* A minimum counts as far as there is a node for it; then it is the first subset with one. */
    {"a=9,b=9>1", NULL, REBAL_OPTION_SPREAD_MIN_REPLICAS, 1, "=1+ =0+ =1+ 0", "ns/p=b@130 ns/q=a@130 ns/r=b@130"},
    {"a=9>2,b=9", NULL, REBAL_OPTION_SPREAD_MIN_REPLICAS, 1, "=0+ =1+ =1+ 0", "ns/p=a@130 ns/q=b@130 ns/r=b@130"},
};

START_TEST(test_fills) {
  struct zones zones = {.ledger = NULL};
  rebal_builder *builder = new_builder();

  ck_assert_int_eq(open_zones(&zones, NULL, 0, "v+p,v+q,v+r,v+s"), REBAL_OK);
  rebal_spread_free(zones.spread);
  zones.spread = adaptive_of(fills[_i].subsets, 0);
  if (fills[_i].status != NULL) {
    ck_assert_int_eq(rebal_spread_load_status(zones.spread, status_record(builder, fills[_i].status), NULL), REBAL_OK);
  }
  if (fills[_i].option != 0) {
    ck_assert_int_eq(rebal_compat_set(zones.admitting.compat, fills[_i].option, 1, NULL), REBAL_OK);
  }
  zones.requirements[1] = fills[_i].has_b ? zones.requirements[1] : REBAL_NONE;
  ck_assert_int_eq(admit_zones(&zones, zones.ledger), REBAL_OK);
  ck_assert_str_eq(show_admitted(zones.admitting.result).text, fills[_i].rows);
  ck_assert_str_eq(show_ledger(&zones).text, fills[_i].spent);
  rebal_builder_free(builder);
  close_zones(&zones);
}
END_TEST

static int32_t admit_with(struct zones *zones, const rebal_admit_opts *opts) {
  const rebal_time now = {100, 0, 1};

  return rebal_spread_admit(zones->admitting.ctx, &zones->spread, 1, zones->admitting.pods, &now, opts,
                            zones->admitting.result, NULL);
}

START_TEST(test_refused) {
  const uint32_t unknown = 77;
  struct zones zones = {.ledger = NULL};
  struct test_world other;
  rebal_ledger *foreign = NULL;
  rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts, .simulated = &unknown, .simulated_stride = 1};

  ck_assert_int_eq(open_zones(&zones, NULL, 0, "v+p"), REBAL_OK);
  test_world_open(&other, NULL);
  (void)test_add_cluster(&other, &(struct test_cluster){"m1", "pods=9"});
  test_freeze(&other);
  ck_assert_int_eq(rebal_ledger_new(other.fleet, NULL, &foreign, NULL), REBAL_OK);
  opts.snapshot = zones.world.snapshot;
  ck_assert_int_eq(admit_with(&zones, &opts), REBAL_EINVAL); /* the handle */
  opts.simulated_stride = UINT64_MAX;
  ck_assert_int_eq(admit_with(&zones, &opts), REBAL_ELIMIT);
  opts.simulated = NULL;
  ck_assert_int_eq(admit_with(&zones, &opts), REBAL_EINVAL);
  opts.simulated_stride = 0;
  opts.cluster = 1;
  ck_assert_int_eq(admit_with(&zones, &opts), REBAL_ENOTFOUND);
  opts.cluster = 0;
  opts.ledger = foreign;
  ck_assert_int_eq(admit_with(&zones, &opts), REBAL_EMISMATCH);
  opts.ledger = NULL;
  opts.snapshot = other.snapshot;
  ck_assert_int_eq(admit_with(&zones, &opts), REBAL_EMISMATCH);
  opts.snapshot = NULL;
  opts.reserved0 = 1;
  ck_assert_int_eq(admit_with(&zones, &opts), REBAL_EUNSUPPORTED);
  opts.reserved0 = 0;
  ck_assert_int_eq(admit_with(&zones, &opts), REBAL_OK);
  opts.snapshot = zones.world.snapshot; /* without numbers nothing is simulated */
  opts.compat = zones.admitting.compat;
  ck_assert_int_eq(admit_with(&zones, &opts), REBAL_OK);
  ck_assert_str_eq(show_admitted(zones.admitting.result).text, "=0");
  rebal_ledger_free(foreign);
  test_world_close(&other);
  close_zones(&zones);
}
END_TEST

static int32_t admit_and_compare(const rebal_allocator *allocator, void *user_data) {
  struct zones zones = {.ledger = NULL};
  int32_t code = open_zones(&zones, allocator, 0, "v+p,v+q,v+r,v+s");

  (void)user_data;
  if (code == REBAL_OK) {
    const rebal_time expiry = {120, 0, 1};
    const int32_t replicas = 1;

    code = test_charge_set(zones.ledger, "ns/p", 0, &zones.requirements[1], &replicas, 1, &expiry);
  }
  if (code == REBAL_OK) {
    code = admit_zones(&zones, zones.ledger);
    ck_assert_str_eq(show_ledger(&zones).text, code == REBAL_OK ? "ns/p=a@130 ns/q=b@130 ns/r=b@130" : "ns/p=b@120");
    ck_assert_int_eq(show_status(zones.spread).text[0] == '\0', code != REBAL_OK);
  }
  close_zones(&zones);
  return code;
}

START_TEST(test_failing_memory) {
  ck_assert_pstr_eq(test_torture(admit_and_compare, NULL), NULL);
}
END_TEST

UNIT_CASE(simulate) {
  TCase *cases = tcase_create("simulate");

  tcase_add_loop_test(cases, test_ways, 0, (int)REBALI_COUNT(ways));
  tcase_add_test(cases, test_charged_again);
  tcase_add_test(cases, test_undo);
  tcase_add_test(cases, test_without_limit);
  tcase_add_test(cases, test_no_nodes);
  tcase_add_loop_test(cases, test_fills, 0, (int)REBALI_COUNT(fills));
  tcase_add_test(cases, test_refused);
  tcase_add_test(cases, test_failing_memory);
  return cases;
}
