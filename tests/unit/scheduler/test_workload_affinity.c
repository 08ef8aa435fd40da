/* SPDX-License-Identifier: MIT */
/* Affinity and anti-affinity between workloads (rebalance-karmada(7) 3.7, 3.8). */
#include "phases_fixture.h"

#include "../unit.h"

#include <stdio.h>

#define FRIENDS (1 << REBAL_FILTER_WORKLOAD_AFFINITY)
#define FOES (1 << REBAL_FILTER_WORKLOAD_ANTI_AFFINITY)
#define US .key = "ns/us", .placement = &duplicated

/* Our binding, another known one, and its newer copy (key NULL: none); what rejects m1. */
static const struct {
  struct test_binding us;
  struct test_binding other;
  struct test_binding copy;
  int64_t rejected;
} rows[] = {
    {{US, .friends = "g"}, {"ns/x", .friends = "g", .targets = "m1=1"}, {0}, 0},
    {{US, .friends = "g"}, {"ns/x", .friends = "g", .targets = "m2=1"}, {0}, FRIENDS},
    {{US, .friends = "g"}, {"ns/x", .friends = "g"}, {0}, 0}, /* not placed yet */
    {{US, .friends = "g"}, {"ns/x", .friends = "g", .targets = "?=1 m1=1"}, {0}, 0},
    {{US, .foes = "g"}, {"ns/x", .foes = "g", .targets = "?=1"}, {0}, 0},
    {{US, .friends = "g"}, {"ns/x", .friends = "h", .targets = "m2=1"}, {0}, 0},
    {{US, .friends = "g"}, {"other/x", .friends = "g", .targets = "m2=1"}, {0}, 0},
    {{US, .friends = "g"}, {"ns/us", .friends = "g", .targets = "m2=1"}, {0}, 0}, /* ourselves */
    {{US, .friends = "g", .targets = "m1=0"}, {"ns/x", .friends = "g", .targets = "m2=1"}, {0}, 0},
    {{US}, {"ns/x", .friends = "g", .targets = "m2=1"}, {0}, 0},
    {{US, .friends = "g"}, {"x", .friends = "g", .targets = "m2=1"}, {0}, 0}, /* cluster scoped: not known */
    {{US, .foes = "g"}, {"ns/x", .foes = "g", .targets = "m1=0"}, {0}, FOES},
    {{US, .foes = "g"}, {"ns/x", .foes = "g", .targets = "m2=1"}, {0}, 0},
    {{US, .foes = "g"}, {"ns/x", .friends = "g", .targets = "m1=1"}, {0}, 0},
    {{US, .foes = "g", .targets = "m1=0"}, {"ns/x", .foes = "g", .targets = "m1=1"}, {0}, 0},
    /* the newer copy counts, older and equal ones do not; versions are numbers */
    {{US, .friends = "g"},
     {"ns/x", .friends = "g", .targets = "m2=1", .version = "9"},
     {"ns/x", .friends = "g", .targets = "m1=1", .version = "10"},
     0},
    {{US, .friends = "g"},
     {"ns/x", .friends = "g", .targets = "m2=1", .version = "10"},
     {"ns/x", .friends = "g", .targets = "m1=1", .version = "9"},
     FRIENDS},
    {{US, .friends = "g"},
     {"ns/x", .friends = "g", .targets = "m2=1", .version = "10"},
     {"ns/x", .friends = "g", .targets = "m1=1", .version = "10"},
     FRIENDS},
    {{US, .friends = "g"},
     {"ns/x", .friends = "g", .targets = "m2=1", .version = "9"},
     {"ns/x", .friends = "h", .targets = "m2=1", .version = "10"},
     0}, /* it left the group */
    {{US, .friends = "g"},
     {"ns/x", .friends = "g", .targets = "m2=1", .version = "9"},
     {"ns/y", .friends = "g", .targets = "m1=1", .version = "10"},
     FRIENDS},
    {{US, .foes = "g"},
     {"ns/x", .foes = "g", .version = "9"},
     {"ns/x", .foes = "g", .targets = "m1=1", .version = "10"},
     FOES},
};

static const struct test_cluster two[] = {{"m1"}, {"m2"}};

static int64_t judge(struct test_world *world, size_t i, int64_t gate) {
  rebal_schedule_opts opts = *with_option(REBAL_OPTION_GATE_WORKLOAD_AFFINITY, gate);
  rebal_bindings *known = test_new_bindings(world);
  rebal_bindings *copies = test_new_bindings(world);
  int64_t rejected;
  size_t n;

  test_world_fill(world, two, 2, &rows[i].us);
  (void)test_add_binding(world, known, &rows[i].other);
  if (rows[i].copy.key != NULL) {
    (void)test_add_binding(world, copies, &rows[i].copy);
  }
  ck_assert_int_eq(rebal_bindings_freeze(known, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(copies, NULL), REBAL_OK);
  opts.known = known;
  opts.assigning = copies;
  ck_assert_int_eq(rebal_filter(world->ctx, world->snapshot, world->bindings, &opts, world->result, NULL), REBAL_OK);
  rejected = rebal_result_i64(world->result, REBAL_VERDICT_REJECTED_BY, &n)[0];
  ck_assert_int_eq(strstr(test_schedule(world, &opts, 0), "m1:") != NULL, rejected == 0); /* all clusters at once */
  rebal_bindings_free(known);
  rebal_bindings_free(copies);
  return rejected;
}

START_TEST(test_groups) {
  for (int64_t gate = 0; gate < 2; gate++) {
    struct test_world world;

    test_world_open(&world, NULL);
    ck_assert_int_eq(judge(&world, (size_t)_i, gate), gate ? rows[_i].rejected : 0);
    test_world_close(&world);
  }
}
END_TEST

static const char *const wrong_versions[][2] = {{"9", "x"},  {"x", "9"}, {"9", "1x"}, {"9", "1/"},
                                                {"09", "9"}, {"0", "9"}, {"", "9"},   {"9", NULL}};

START_TEST(test_versions_that_cannot_be_compared) {
  static const struct test_binding us = {US, .friends = "g", .foes = "f"};
  const struct test_binding other = {"ns/x", .friends = "g", .foes = "f", .targets = "m1=1",
                                     .version = wrong_versions[_i][0]};
  const struct test_binding copy = {"ns/x", .friends = "g", .foes = "f", .targets = "m1=1",
                                    .version = wrong_versions[_i][1]};
  rebal_schedule_opts opts = *with_option(REBAL_OPTION_GATE_WORKLOAD_AFFINITY, 1);
  struct test_world world;
  rebal_bindings *sets[2];
  char text[128];
  size_t n, len;

  test_world_open(&world, NULL);
  test_world_fill(&world, two, 2, &us);
  for (size_t i = 0; i < 2; i++) {
    sets[i] = test_new_bindings(&world);
    (void)test_add_binding(&world, sets[i], i == 0 ? &other : &copy);
    ck_assert_int_eq(rebal_bindings_freeze(sets[i], NULL), REBAL_OK);
  }
  opts.known = sets[0];
  opts.assigning = sets[1];
  ck_assert_int_eq(rebal_filter(world.ctx, world.snapshot, world.bindings, &opts, world.result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_VERDICT_UNCOMPARABLE, &n)[0], FRIENDS | FOES);
  ck_assert_int_eq(rebal_filter_reason(world.bindings, world.result, 0, REBAL_FILTER_WORKLOAD_AFFINITY, text,
                                       sizeof text, &len, NULL),
                   REBAL_OK);
  ck_assert_str_eq(text, "failed to compare resource versions for ResourceBinding");
  ck_assert_str_eq(test_schedule(&world, &opts, 0),
                   "fit: 0/2 clusters are available: 2 failed to compare resource versions for ResourceBinding.");
  rebal_bindings_free(sets[0]);
  rebal_bindings_free(sets[1]);
  test_world_close(&world);
}
END_TEST

/* The members are found whatever rows are between them, in the order of their rows. */
START_TEST(test_many_groups) {
  static const char *const groups[] = {"", "a", "b", "ba", "c"}; /* some begin with another */
  struct test_world world;
  rebal_bindings *known;

  test_world_open(&world, NULL);
  test_world_fill(&world, two, 2, &rows[0].us);
  known = test_new_bindings(&world);
  for (uint32_t i = 0; i < 60; i++) {
    char key[16];
    struct test_binding binding = {key, .friends = groups[i * 3 % 5], .foes = groups[i % 5]};

    (void)snprintf(key, sizeof key, i % 6 == 5 ? "x%u" : "ns/x%u", (unsigned)i); /* without a namespace: no member */
    (void)test_add_binding(&world, known, &binding);
  }
  ck_assert_int_eq(rebal_bindings_freeze(known, NULL), REBAL_OK);
  for (size_t group = 0; group < REBALI_COUNT(groups); group++) {
    const struct rebali_text text = rebali_text(groups[group], strlen(groups[group]));
    size_t n_friends, n_foes, friends_found = 0, foes_found = 0;
    const uint32_t *friends = rebali_bindings_group(known, REBAL_BINDING_AFFINITY_GROUP, text, &n_friends);
    const uint32_t *foes = rebali_bindings_group(known, REBAL_BINDING_ANTI_AFFINITY_GROUP, text, &n_foes);

    for (uint32_t i = 0; i < 60; i++) {
      if (group != 0 && i % 6 != 5 && i * 3 % 5 == group) {
        ck_assert_uint_lt(friends_found, n_friends);
        ck_assert_uint_eq(friends[friends_found++], i);
      }
      if (group != 0 && i % 6 != 5 && i % 5 == group) {
        ck_assert_uint_lt(foes_found, n_foes);
        ck_assert_uint_eq(foes[foes_found++], i);
      }
    }
    ck_assert_uint_eq(friends_found, n_friends);
    ck_assert_uint_eq(foes_found, n_foes);
  }
  rebal_bindings_free(known);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(workload_affinity) {
  TCase *cases = tcase_create("workload_affinity");

  tcase_add_loop_test(cases, test_groups, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_many_groups);
  tcase_add_loop_test(cases, test_versions_that_cannot_be_compared, 0, (int)REBALI_COUNT(wrong_versions));
  return cases;
}
