/* SPDX-License-Identifier: MIT */
/* ClusterMatches (rebalance-karmada(7) 3.1). */
#include "phases_fixture.h"

#include "../unit.h"

#define US {"m1", .region = "us", .provider = "aws", .zones = "z1 z2", .labels = "env=prod empty= n=5"}
#define BARE {"m1"}

static const struct {
  struct test_cluster cluster;
  struct test_affinity affinity;
  int matches;
} rows[] = {
    {US, {0}, 1},
    {US, {.labels = ""}, 1},
    {BARE, {.labels = ""}, 1},
    {US, {.clusters = "m2 m1"}, 1},
    {US, {.clusters = "m2"}, 0},
    {US, {.clusters = "M1"}, 0},
    {US, {.clusters = "m*"}, 0},
    {US, {.clusters = "m1", .exclude = "m1"}, 0},
    {US, {.exclude = "m2"}, 1},
    {US, {.labels = "env=prod"}, 1},
    {US, {.labels = "env=test"}, 0},
    {US, {.labels = "env=prod n=6"}, 0},
    {US, {.labels = "empty="}, 1},
    {BARE, {.labels = "empty="}, 0},
    {US, {.labels = "bad_=x"}, 0},
    {US, {.labels = "env=bad/value"}, 0},
    {US, {.expressions = "env:In:test,prod"}, 1},
    {US, {.expressions = "env:In:test"}, 0},
    {US, {.expressions = "env:In"}, 0},
    {US, {.expressions = "env:NotIn:test"}, 1},
    {US, {.expressions = "env:NotIn:prod"}, 0},
    {US, {.expressions = "env:NotIn"}, 0},
    {US, {.expressions = "tier:NotIn:web"}, 1},
    {US, {.expressions = "env:Exists"}, 1},
    {US, {.expressions = "tier:Exists"}, 0},
    {US, {.expressions = "env:Exists:prod"}, 0},
    {US, {.expressions = "env:DoesNotExist"}, 0},
    {US, {.expressions = "tier:DoesNotExist"}, 1},
    {US, {.expressions = "tier:DoesNotExist:x"}, 0},
    {US, {.expressions = "bad key!:DoesNotExist"}, 0}, /* measured: malformed beats true */
    {US, {.expressions = "n:Gt:4"}, 0},                /* no operator of label selectors */
    {US, {.expressions = "env:in:prod"}, 0},
    {US, {.labels = "env=prod", .expressions = "tier:DoesNotExist;n:In:5"}, 1},
    {US, {.expressions = "example.com/x:DoesNotExist"}, 1},
    {US, {.expressions = "Example.com/x:DoesNotExist"}, 0},
    {US, {.fields = ""}, 1},
    {US, {.fields = "region:In:us,eu"}, 1},
    {US, {.fields = "region:In:eu"}, 0},
    {US, {.fields = "region:In"}, 0},            /* measured */
    {US, {.fields = "region:In:us,us east"}, 0}, /* measured */
    {US, {.fields = "region:NotIn:us east"}, 0}, /* measured */
    {BARE, {.fields = "region:NotIn:us east"}, 0},
    {US, {.fields = "region:NotIn:eu"}, 1},
    {BARE, {.fields = "region:NotIn:eu"}, 1},
    {BARE, {.fields = "region:In:us"}, 0},
    {US, {.fields = "provider:Exists"}, 1},
    {BARE, {.fields = "provider:Exists"}, 0},
    {BARE, {.fields = "provider:DoesNotExist"}, 1},
    {US, {.fields = "foo:NotIn:x"}, 1},
    {US, {.fields = "foo:In:x"}, 0},
    {US, {.fields = "foo:DoesNotExist"}, 1},
    {{"m1", .region = "7"}, {.fields = "region:Gt:6"}, 1},
    {{"m1", .region = "7"}, {.fields = "region:Gt:7"}, 0},
    {{"m1", .region = "7"}, {.fields = "region:Lt:8"}, 1},
    {{"m1", .region = "-7"}, {.fields = "region:Lt:8"}, 1}, /* the cluster's own value is not checked */
    {{"m1", .region = "7"}, {.fields = "region:Gt:-3"}, 0}, /* bad values */
    {{"m1", .region = "7"}, {.fields = "region:Gt:+3"}, 0},
    {{"m1", .region = "7"}, {.fields = "region:Gt:1,2"}, 0},
    {{"m1", .region = "7"}, {.fields = "region:Gt:six"}, 0},
    {US, {.fields = "region:Gt:6"}, 0},
    {BARE, {.fields = "region:Lt:6"}, 0},
    {US, {.fields = "region:Like:us"}, 0},
    {US, {.fields = "zone:In:z2,z3"}, 1},
    {US, {.fields = "zone:In:z3"}, 0},
    {US, {.fields = "zone:In"}, 0},
    {BARE, {.fields = "zone:In:z1"}, 0},
    {US, {.fields = "zone:NotIn:z3"}, 1},
    {US, {.fields = "zone:NotIn:z1"}, 0},
    {US, {.fields = "zone:NotIn"}, 1}, /* zones are compared as they are, without checks */
    {BARE, {.fields = "zone:NotIn:z1"}, 1},
    {{"m1", .zones = "bad!zone"}, {.fields = "zone:In:bad!zone"}, 1},
    {US, {.fields = "zone:Exists"}, 1},
    {US, {.fields = "zone:Exists:z9"}, 1},
    {BARE, {.fields = "zone:Exists"}, 0},
    {BARE, {.fields = "zone:DoesNotExist"}, 1},
    {US, {.fields = "zone:DoesNotExist"}, 0},
    {US, {.fields = "zone:Gt:1"}, 0},
    {US, {.fields = "zone:Other:z1"}, 0},
    {US, {.fields = "zone:In:z1;region:In:us;provider:In:aws"}, 1},
    {US, {.fields = "zone:In:z1;region:In:eu"}, 0},
    {US, {.labels = "env=prod", .fields = "region:In:us", .clusters = "m1", .exclude = "m2"}, 1},
};

START_TEST(test_matching) {
  struct test_world world;
  size_t n;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &rows[_i].cluster);
  test_freeze(&world);
  ck_assert_int_eq(
      rebal_match(world.ctx, world.snapshot, test_affinity_record(&world, &rows[_i].affinity), world.result, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_VERDICT_REJECTED_BY, &n)[0],
                   rows[_i].matches ? 0 : 1 << REBAL_FILTER_CLUSTER_AFFINITY);
  ck_assert_uint_eq(n, 1);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(affinity) {
  TCase *cases = tcase_create("affinity");

  tcase_add_loop_test(cases, test_matching, 0, (int)REBALI_COUNT(rows));
  return cases;
}
