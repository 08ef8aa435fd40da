/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

static const struct sample full = {
    .workloads = {{"apps/v1", "Deployment", "shop", "web", "", ""}, {"v1", "Node", "", "n1", "", ""}},
    .observed = {{"apps/v1", "Deployment", "shop", "old", "Failed", "ReferencedBindingNotFound"}},
    .generation = 4,
    .observed_generation = 3,
    .finish_time = 1500,
    .ttl = 60};

static struct fixture fixture;
static struct rebali_arena arena;
static rebal_allocator memory;

static void setup(void) {
  ck_assert_int_eq(rebali_allocator_load(&memory, NULL, NULL), REBAL_OK);
  rebali_arena_init(&arena, &memory, 0);
  ck_assert_int_eq(fixture_new(&fixture, NULL, &full), REBAL_OK);
}

static void teardown(void) {
  fixture_dispose(&fixture);
  rebali_arena_dispose(&arena);
}

static int is(struct rebali_text text, const char *expected) {
  return rebali_text_equal(text, rebali_text(expected, strlen(expected)));
}

START_TEST(test_every_field_is_read) {
  struct rebali_rebalancer object;

  ck_assert_int_eq(rebali_rebalancer_read(fixture.rebalancer, &arena, &object, NULL), REBAL_OK);
  ck_assert(is(object.name, "demo") && is(object.resource_version, "7"));
  ck_assert_int_eq(object.generation, 4);
  ck_assert_int_eq(object.created.seconds, CREATED);
  ck_assert(object.has_ttl);
  ck_assert_int_eq(object.ttl_seconds, 60);
  ck_assert_uint_eq(object.n_workloads, 2);
  ck_assert(is(object.workloads[0].api_version, "apps/v1") && is(object.workloads[0].kind, "Deployment"));
  ck_assert(is(object.workloads[0].namespace_, "shop") && is(object.workloads[0].name, "web"));
  ck_assert(is(object.workloads[1].namespace_, ""));
  ck_assert_uint_eq(object.status.observed.n, 1);
  ck_assert(is(object.status.observed.items[0].workload.name, "old"));
  ck_assert(is(object.status.observed.items[0].result, "Failed"));
  ck_assert(is(object.status.observed.items[0].reason, "ReferencedBindingNotFound"));
  ck_assert_int_eq(object.status.generation, 3);
  ck_assert_int_eq(object.status.finish_time.seconds, 1500);
}
END_TEST

START_TEST(test_absent_parts_are_empty) {
  const rebal_time created = {CREATED, 0, 1};
  struct rebali_rebalancer object;

  (void)rebal_builder_start(fixture.builder, REBAL_OBJECT_WORKLOAD_REBALANCER, NULL);
  (void)rebal_builder_begin(fixture.builder, REBAL_WORKLOAD_REBALANCER_METADATA, NULL);
  (void)rebal_builder_time(fixture.builder, REBAL_METADATA_CREATION_TIMESTAMP, &created, NULL);
  (void)rebal_builder_end(fixture.builder, NULL);
  ck_assert_int_eq(rebal_builder_finish(fixture.builder, &fixture.rebalancer, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_rebalancer_read(fixture.rebalancer, &arena, &object, NULL), REBAL_OK);
  ck_assert(!object.has_ttl && !object.status.finish_time.is_set);
  ck_assert_uint_eq(object.n_workloads + object.status.observed.n, 0);
}
END_TEST

START_TEST(test_another_record_is_refused) {
  struct rebali_rebalancer object;

  ck_assert_int_eq(fixture_found(&fixture, 0, "1", 0), REBAL_OK);
  ck_assert_int_eq(rebali_rebalancer_read(NULL, &arena, &object, NULL), REBAL_EINVAL);
  (void)rebal_builder_start(fixture.builder, REBAL_OBJECT_EVENT, NULL);
  ck_assert_int_eq(rebal_builder_finish(fixture.builder, &fixture.rebalancer, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_rebalancer_read(fixture.rebalancer, &arena, &object, NULL), REBAL_EINVAL);
}
END_TEST

START_TEST(test_a_creation_time_is_required) {
  struct rebali_rebalancer object;
  rebal_error err = REBAL_ERROR_INIT;

  (void)rebal_builder_start(fixture.builder, REBAL_OBJECT_WORKLOAD_REBALANCER, NULL);
  ck_assert_int_eq(rebal_builder_finish(fixture.builder, &fixture.rebalancer, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_rebalancer_read(fixture.rebalancer, &arena, &object, &err), REBAL_EINVAL);
  ck_assert_ptr_nonnull(strstr(err.message, "metadata.creationTimestamp"));
}
END_TEST

UNIT_CASE(object) {
  TCase *cases = tcase_create("object");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_every_field_is_read);
  tcase_add_test(cases, test_absent_parts_are_empty);
  tcase_add_test(cases, test_another_record_is_refused);
  tcase_add_test(cases, test_a_creation_time_is_required);
  return cases;
}
