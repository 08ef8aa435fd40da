/* SPDX-License-Identifier: MIT */
/* What a record holds, and what cannot be recorded. */
#include <rebalance/manifest.h>

#include "../../support/fleet_builder.h"
#include "../unit.h"

static const struct test_placement everywhere = {.scheduling = "Duplicated"};

/* A world of one cluster with bindings that fit, answered. */
static void open_answered(struct test_world *world, size_t bindings, rebal_schedule_opts *opts) {
  test_world_open(world, NULL);
  test_add_pods(world, "m1=9");
  for (size_t i = 0; i < bindings; i++) {
    (void)test_add_binding(world, NULL,
                           &(struct test_binding){.key = "default/web", .replicas = 2, .placement = &everywhere});
  }
  test_freeze(world);
  ck_assert_int_eq(rebal_schedule(world->ctx, world->snapshot, world->bindings, opts, world->result, NULL), REBAL_OK);
}

static rebal_recorded_call recorded(const struct test_world *world, const rebal_schedule_opts *opts) {
  return (rebal_recorded_call){.struct_size = sizeof(rebal_recorded_call),
                               .call = REBAL_CALL_SCHEDULE,
                               .snapshot = world->snapshot,
                               .bindings = world->bindings,
                               .schedule_opts = opts,
                               .result = world->result};
}

static const char one_line[] =
    "{\"accept\":[{\"clusters\":[{\"name\":\"m1\",\"replicas\":2}]}],\"call\":\"rebal_schedule\",\"id\":\"recorded\","
    "\"input\":{\"binding\":{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\",\"metadata\":{"
    "\"labels\":{\"binding.karmada.io/managed-by\":\"recorded\"},\"name\":\"web\",\"namespace\":\"default\"},\"spec\":{"
    "\"placement\":{\"replicaScheduling\":{\"replicaSchedulingType\":\"Duplicated\"}},\"replicas\":2,\"resource\":{"
    "\"apiVersion\":\"apps/"
    "v1\",\"kind\":\"Deployment\",\"name\":\"web\",\"namespace\":\"default\"}}},\"clusters\":[{\"apiVersion\":"
    "\"cluster.karmada.io/v1alpha1"
    "\",\"kind\":\"Cluster\",\"metadata\":{\"name\":\"m1\"},\"status\":{\"apiEnablements\":[{\"groupVersion\":"
    "\"apps/v1\",\"resources\":[{\"kind\":\"Deployment\"}]}],\"resourceSummary\":{\"allocatable\":{\"pods\":\"9\"}}}}],"
    "\"estimators\":[\"general\"],\"featureGates\":{\"SchedulingOvercommitProtection\":true},\"options\":{"
    "\"INT32_WRAP\":false}},\"result\":{\"DECISION\":[{\"OUTCOME\":1,\"PLACED\":1,\"REASON\":2}],\"PLACED\":[{"
    "\"CLUSTER\":\"m1\",\"REPLICAS\":2}]},\"tags\":[\"recorded\"]}\n";

START_TEST(test_one_line) {
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct test_world world;
  rebal_recorded_call call;
  rebal_text *out = NULL;

  open_answered(&world, 1, &opts);
  call = recorded(&world, &opts);
  ck_assert_int_eq(rebal_text_new(&out, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_dump_call(&call, out, NULL), REBAL_OK);
  ck_assert_msg(strcmp(rebal_text_bytes(out, NULL), one_line) == 0, "%s", rebal_text_bytes(out, NULL));
  rebal_text_free(out);
  test_world_close(&world);
}
END_TEST

START_TEST(test_a_line_for_each_binding) {
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .first_row = 1, .max_work = 2};
  struct test_world world;
  rebal_recorded_call call;
  rebal_text *out = NULL;
  const char *bytes;

  open_answered(&world, 4, &opts);
  call = recorded(&world, &opts);
  call.id = "mine";
  call.id_len = 4;
  ck_assert_int_eq(rebal_text_new(&out, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_dump_call(&call, out, NULL), REBAL_OK);
  bytes = rebal_text_bytes(out, NULL);
  ck_assert_ptr_nonnull(strstr(bytes, "\"id\":\"mine-1\""));
  ck_assert_ptr_nonnull(strstr(bytes, "\"id\":\"mine-2\""));
  ck_assert_ptr_null(strstr(bytes, "\"id\":\"mine-3\""));
  rebal_text_free(out);
  test_world_close(&world);
}
END_TEST

START_TEST(test_refused) {
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct test_world world;
  rebal_recorded_call good;
  rebal_recorded_call call;
  rebal_observations *observations = NULL;
  rebal_text *out = NULL;

  open_answered(&world, 2, &opts);
  good = recorded(&world, &opts);
  ck_assert_int_eq(rebal_text_new(&out, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_dump_call(NULL, out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_dump_call(&good, NULL, NULL), REBAL_EINVAL);
  call = good;
  call.struct_size = 4;
  ck_assert_int_eq(rebal_manifest_dump_call(&call, out, NULL), REBAL_EABI);
  call = good;
  call.reserved0 = 1;
  ck_assert_int_eq(rebal_manifest_dump_call(&call, out, NULL), REBAL_EINVAL);
  call = good;
  call.call = 77;
  ck_assert_int_eq(rebal_manifest_dump_call(&call, out, NULL), REBAL_EUNSUPPORTED);
  call = good;
  call.result = NULL;
  ck_assert_int_eq(rebal_manifest_dump_call(&call, out, NULL), REBAL_EINVAL);
  call = good;
  call.call = REBAL_CALL_SCHEDULER_STEP; /* without a clock */
  ck_assert_int_eq(rebal_manifest_dump_call(&call, out, NULL), REBAL_EINVAL);
  call.call = REBAL_CALL_ESTIMATE; /* of no component */
  ck_assert_int_eq(rebal_manifest_dump_call(&call, out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  opts.observations = observations;
  ck_assert_int_eq(rebal_manifest_dump_call(&good, out, NULL), REBAL_EUNSUPPORTED);
  opts.observations = NULL;
  opts.flags = REBAL_SCHEDULE_FLAG_NODES;
  ck_assert_int_eq(rebal_manifest_dump_call(&good, out, NULL), REBAL_EUNSUPPORTED);
  opts.flags = 0;
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &opts.ledger, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_dump_call(&good, out, NULL), REBAL_EUNSUPPORTED);
  ck_assert_str_eq(rebal_text_bytes(out, NULL), "");
  rebal_ledger_free(opts.ledger);
  rebal_observations_free(observations);
  rebal_text_free(out);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(call_write) {
  TCase *cases = tcase_create("call_write");
  tcase_add_test(cases, test_one_line);
  tcase_add_test(cases, test_a_line_for_each_binding);
  tcase_add_test(cases, test_refused);
  return cases;
}
