/* SPDX-License-Identifier: MIT */
#include "estimating.h"

#include "../unit.h"

int64_t estimate_in(struct test_world *world, uint32_t requirements, const rebal_estimate_opts *opts, size_t row) {
  size_t n;
  const int64_t *replicas;
  const int32_t code =
      rebal_estimate(world->ctx, world->snapshot, requirements, opts, world->result, &world->err);

  ck_assert_msg(code == REBAL_OK, "%s", world->err.message);
  replicas = rebal_result_i64(world->result, REBAL_ESTIMATE_REPLICAS, &n);
  ck_assert_uint_lt(row, n);
  return replicas[row];
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
