/* SPDX-License-Identifier: MIT */
#include "estimating.h"

#include "../unit.h"

int64_t estimate_in(struct test_world *world, uint32_t requirements, const rebal_estimate_opts *opts, size_t row) {
  size_t n;
  const int64_t *replicas;
  const int32_t code = rebal_estimate(world->ctx, world->snapshot, requirements, opts, world->result, &world->err);

  ck_assert_msg(code == REBAL_OK, "%s", world->err.message);
  replicas = rebal_result_i64(world->result, REBAL_ESTIMATE_REPLICAS, &n);
  ck_assert_uint_lt(row, n);
  return replicas[row];
}

#define MOST_COMPONENTS 8

struct handles {
  uint32_t requirements[MOST_COMPONENTS];
  int32_t replicas[MOST_COMPONENTS];
};

static struct handles handles_of(struct test_world *world, const struct test_component *components, size_t n) {
  struct handles handles;

  ck_assert_uint_le(n, MOST_COMPONENTS);
  for (size_t i = 0; i < n; i++) {
    handles.requirements[i] = test_request_handle(world, components[i].request);
    handles.replicas[i] = components[i].replicas;
  }
  return handles;
}

int64_t estimate_set_in(struct test_world *world, const struct test_component *components, size_t n,
                        const rebal_estimate_opts *opts, size_t row) {
  const struct handles handles = handles_of(world, components, n);
  const int32_t code = rebal_estimate_sets(world->ctx, world->snapshot, handles.requirements, handles.replicas, n, opts,
                                           world->result, &world->err);

  ck_assert_msg(code == REBAL_OK, "%s", world->err.message);
  ck_assert_uint_lt(row, rebal_result_count(world->result, REBAL_TABLE_ESTIMATE));
  return rebal_result_i64(world->result, REBAL_ESTIMATE_REPLICAS, NULL)[row];
}

int64_t estimate_set(const struct test_cluster *cluster, const struct test_component *components, size_t n,
                     const rebal_estimate_opts *opts) {
  struct test_world world;
  int64_t sets;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, cluster);
  test_freeze(&world);
  sets = estimate_set_in(&world, components, n, opts, 0);
  test_world_close(&world);
  return sets;
}

void charge_set(struct test_world *world, rebal_ledger *ledger, const char *key, uint32_t cluster,
                const struct test_component *components, size_t n) {
  const struct handles handles = handles_of(world, components, n);

  ck_assert_int_eq(test_charge_set(ledger, key, cluster, handles.requirements, handles.replicas, n, NULL), REBAL_OK);
}

int64_t estimate_one(const struct test_cluster *cluster, const char *request, const rebal_estimate_opts *opts) {
  struct test_world world;
  uint32_t requirements;
  int64_t replicas;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, cluster);
  requirements = test_request_handle(&world, request);
  test_freeze(&world);
  replicas = estimate_in(&world, requirements, opts, 0);
  test_world_close(&world);
  return replicas;
}
