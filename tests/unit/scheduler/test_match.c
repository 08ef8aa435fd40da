/* SPDX-License-Identifier: MIT */
/* The public filter calls: rows, arguments, buffers. */
#include "phases_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

static const struct test_affinity here = {.clusters = "m1"};
static const struct test_placement at_here = {.affinity = &here};
static const struct test_cluster clusters[] = {{"m2", .taints = "p:Other a:NoSchedule"}, {"m1", .deleting = 1}};
static struct test_world world;

static void setup(void) {
  static const struct test_binding bindings[] = {{.placement = &at_here}, {.key = "b", .placement = &at_here}};

  test_world_open(&world, NULL);
  for (size_t i = 0; i < 2; i++) {
    (void)test_add_cluster(&world, &clusters[i]);
    (void)test_add_binding(&world, NULL, &bindings[i]);
  }
  test_freeze(&world);
}

static void teardown(void) {
  test_world_close(&world);
}

static int64_t cell(uint32_t column, size_t row) {
  size_t n;
  const int64_t *values = rebal_result_i64(world.result, column, &n);

  ck_assert_uint_lt(row, n);
  return values[row];
}

START_TEST(test_a_row_for_each_binding_and_cluster) {
  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_VERDICT), 4);
  for (size_t row = 0; row < 4; row++) {
    const int is_m2 = row % 2 == 1; /* by name, deleting clusters too */

    ck_assert_int_eq(cell(REBAL_VERDICT_BINDING, row), (int64_t)row / 2);
    ck_assert_int_eq(cell(REBAL_VERDICT_CLUSTER, row), is_m2 ? 0 : 1);
    ck_assert_int_eq(cell(REBAL_VERDICT_TAINT, row), is_m2 ? 1 : REBAL_ABSENT);
    ck_assert_int_eq(cell(REBAL_VERDICT_REJECTED_BY, row),
                     is_m2 ? 1 << REBAL_FILTER_CLUSTER_AFFINITY | 1 << REBAL_FILTER_TAINT_TOLERATION : 0);
    ck_assert_int_eq(cell(REBAL_VERDICT_UNCOMPARABLE, row), 0);
  }
}
END_TEST

START_TEST(test_matches_of_one_affinity) {
  const rebal_record *record = test_affinity_record(&world, &here);

  ck_assert_int_eq(rebal_match(world.ctx, world.snapshot, record, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_VERDICT), 2);
  ck_assert_int_eq(cell(REBAL_VERDICT_REJECTED_BY, 0), 0);
  ck_assert_int_eq(cell(REBAL_VERDICT_REJECTED_BY, 1), 1 << REBAL_FILTER_CLUSTER_AFFINITY);
  ck_assert_int_eq(cell(REBAL_VERDICT_BINDING, 1), 0);
}
END_TEST

START_TEST(test_refused_matches) {
  const rebal_record *record = test_affinity_record(&world, &here);
  const rebal_record *placement = rebal_cells_record(rebal_fleet_cells(world.fleet), REBAL_OBJECT_PLACEMENT, 0);

  ck_assert_int_eq(rebal_match(world.ctx, NULL, record, world.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_match(world.ctx, world.snapshot, NULL, world.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_match(world.ctx, world.snapshot, placement, world.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_match(NULL, world.snapshot, record, world.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_match(world.ctx, world.snapshot, record, NULL, NULL), REBAL_EINVAL);
}
END_TEST

START_TEST(test_a_binding_without_placement_has_no_verdicts) {
  static const struct test_binding binding = {.replicas = 1};
  rebal_bindings *bindings = test_new_bindings(&world);

  (void)test_add_binding(&world, bindings, &binding);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_VERDICT), 0);
  rebal_bindings_free(bindings);
}
END_TEST

static int32_t reason(size_t row, uint32_t plugin, char *buffer, size_t capacity, size_t *len) {
  return rebal_filter_reason(world.bindings, world.result, row, plugin, buffer, capacity, len, NULL);
}

START_TEST(test_reasons_and_buffers) {
  char text[64] = "untouched";
  size_t len = 0;

  ck_assert_int_eq(reason(0, 0, text, sizeof text, &len), REBAL_EINVAL); /* nothing was filtered yet */
  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_int_eq(reason(4, REBAL_FILTER_TAINT_TOLERATION, text, sizeof text, &len), REBAL_EINVAL);
  ck_assert_int_eq(reason(1, REBAL_FILTER_WORKLOAD_ANTI_AFFINITY + 1, text, sizeof text, &len), REBAL_EINVAL);
  ck_assert_int_eq(reason(1, REBAL_FILTER_TAINT_TOLERATION, text, 10, &len), REBAL_ERANGE);
  ck_assert_uint_eq(len, 47);
  ck_assert_str_eq(text, "untouched");
  ck_assert_int_eq(reason(1, REBAL_FILTER_TAINT_TOLERATION, NULL, 0, &len), REBAL_OK);
  ck_assert_int_eq(reason(1, REBAL_FILTER_TAINT_TOLERATION, text, sizeof text, &len), REBAL_OK);
  ck_assert_str_eq(text, "cluster(s) had untolerated taint {a:NoSchedule}");
  ck_assert_int_eq(reason(0, REBAL_FILTER_TAINT_TOLERATION, text, sizeof text, &len), REBAL_OK);
  ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(test_verdicts_of_other_bindings) {
  struct test_world other;
  char text[64];
  size_t len;

  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, world.bindings, NULL, world.result, NULL), REBAL_OK);
  test_world_open(&other, NULL);
  test_freeze(&other);
  ck_assert_int_eq(rebal_filter_reason(other.bindings, world.result, 1, 1, text, sizeof text, &len, NULL),
                   REBAL_EMISMATCH);
  test_world_close(&other);
}
END_TEST

/* The text is allocated from the result. */
START_TEST(test_a_reason_without_memory) {
  struct test_allocator memory;
  rebal_result *verdicts = NULL;
  char text[64] = "untouched";
  size_t len = 9;

  test_allocator_init(&memory, 0, TEST_FAIL_FROM_THEN);
  ck_assert_int_eq(rebal_result_new(&memory.functions, &verdicts, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, world.bindings, NULL, verdicts, NULL), REBAL_OK);
  memory.fail_at = memory.requests + 1;
  ck_assert_int_eq(
      rebal_filter_reason(world.bindings, verdicts, 1, REBAL_FILTER_TAINT_TOLERATION, text, sizeof text, &len, NULL),
      REBAL_ENOMEM);
  ck_assert_str_eq(text, "untouched");
  ck_assert_uint_eq(len, 9);
  memory.fail_at = 0;
  ck_assert_int_eq(
      rebal_filter_reason(world.bindings, verdicts, 1, REBAL_FILTER_TAINT_TOLERATION, text, sizeof text, &len, NULL),
      REBAL_OK);
  ck_assert_str_eq(text, "cluster(s) had untolerated taint {a:NoSchedule}");
  rebal_result_free(verdicts);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

/* If the binding no longer explains a rejection, the reason is empty. */
START_TEST(test_verdicts_of_a_placement_that_changed) {
  static const struct test_placement by_region = {.spreads = "region:1:1"};
  static const struct test_placement by_cluster = {.spreads = "cluster:1:1"};
  static const struct {
    const struct test_placement *placement;
    const char *text;
  } later[] = {{&by_region, "cluster(s) did not have region property"}, {&by_cluster, ""}, {NULL, ""}};
  rebal_bindings *bindings = test_new_bindings(&world);

  (void)test_add_binding(&world, bindings, &(struct test_binding){.placement = &by_region});
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, bindings, NULL, world.result, NULL), REBAL_OK);
  rebal_bindings_free(bindings);
  for (size_t i = 0; i < REBALI_COUNT(later); i++) {
    char text[64] = "untouched";
    size_t len = 9;

    bindings = test_new_bindings(&world);
    (void)test_add_binding(&world, bindings, &(struct test_binding){.placement = later[i].placement});
    ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
    ck_assert_int_eq(
        rebal_filter_reason(bindings, world.result, 0, REBAL_FILTER_SPREAD_CONSTRAINT, text, sizeof text, &len, NULL),
        REBAL_OK);
    ck_assert_str_eq(text, later[i].text);
    ck_assert_uint_eq(len, strlen(later[i].text));
    rebal_bindings_free(bindings);
  }
}
END_TEST

/* The result holds the last reference. */
START_TEST(test_a_reason_after_the_snapshot_is_gone) {
  char before[256], after[256];
  size_t len;

  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, world.bindings, NULL, world.result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_filter_reason(world.bindings, world.result, 1, 1, before, sizeof before, &len, NULL),
                   REBAL_OK);
  rebal_snapshot_unref(world.snapshot);
  world.snapshot = NULL;
  rebal_ctx_clear(world.ctx);
  ck_assert_int_eq(rebal_filter_reason(world.bindings, world.result, 1, 1, after, sizeof after, &len, NULL), REBAL_OK);
  ck_assert_str_eq(after, before);
}
END_TEST

UNIT_CASE(match) {
  TCase *cases = tcase_create("match");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_a_row_for_each_binding_and_cluster);
  tcase_add_test(cases, test_matches_of_one_affinity);
  tcase_add_test(cases, test_refused_matches);
  tcase_add_test(cases, test_a_binding_without_placement_has_no_verdicts);
  tcase_add_test(cases, test_reasons_and_buffers);
  tcase_add_test(cases, test_a_reason_without_memory);
  tcase_add_test(cases, test_verdicts_of_other_bindings);
  tcase_add_test(cases, test_verdicts_of_a_placement_that_changed);
  tcase_add_test(cases, test_a_reason_after_the_snapshot_is_gone);
  return cases;
}
