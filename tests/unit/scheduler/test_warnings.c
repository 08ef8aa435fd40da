/* SPDX-License-Identifier: MIT */
#include "turning.h"

#include <stdio.h>

#include "../../support/allocator.h"
#include "../unit.h"

#define WANTED .replicas = 9, .request = "", .placement = &aggregated, .applied = &aggregated
#define LACKING "False/Unschedulable/failed to assign replicas: failed to scale up: no capacity"

static const struct test_cluster clusters[] = {{"m1", "pods=2"}, {"m2", "pods=1"}, {"m3", "pods=0"}};
static const struct test_affinity none = {.clusters = "m9"};
static const struct test_placement nowhere = {.scheduling = "Divided/Aggregated", .affinity = &none};
static const struct test_placement nowhere_copied = {.affinity = &none};
static char text[256];

/* Returns the rows of WARNING: "m1 no-fit-clears 3; ", with "-" for no cluster. */
static const char *reported(const struct test_world *world) {
  const int64_t *of = rebal_result_i64(world->result, REBAL_WARNING_CLUSTER, NULL);
  const int64_t *replicas = rebal_result_i64(world->result, REBAL_WARNING_REPLICAS, NULL);
  size_t len = 0;

  text[0] = '\0';
  for (size_t row = 0; row < rebal_result_count(world->result, REBAL_TABLE_WARNING); row++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s %s %d; ",
                            of[row] == REBAL_ABSENT ? "-" : test_cluster_name(world->snapshot, (uint32_t)of[row]),
                            rebal_result_text(world->result, REBAL_WARNING_ROW_NAME, row, NULL), (int)replicas[row]);
  }
  return text;
}

static const struct {
  struct test_binding binding;
  const char *reported;
} turns[] = {
    {{WANTED, .targets = "m1=2 m2=1", .evicting = "m3"}, "- keeps-shrunken 6; "},
    {{WANTED, .targets = "m1=2", .condition = "True/Success/"}, "- keeps-shrunken 7; "},
    {{WANTED, .scheduled_at = 50}, "- keeps-shrunken 9; "},
    {{WANTED}, ""},                                          /* it was never placed */
    {{WANTED, .targets = "m1=2", .condition = LACKING}, ""}, /* reported before */
    {{WANTED, .targets = "m1=2", .condition = "False/NoClusterFit/"}, "- keeps-shrunken 7; "},
    {{WANTED, .targets = "m1=9"}, ""},                                                 /* nothing to do */
    {{.replicas = 3, .request = "", .placement = &aggregated, .targets = "m1=2"}, ""}, /* it fits */
    {{.replicas = 9, .request = "", .placement = &nowhere, .targets = "m1=6 m2=0 m3=3"},
     "m1 no-fit-clears 6; m3 no-fit-clears 3; "},
    {{.replicas = 9, .request = "", .placement = &nowhere}, ""},
    {{.placement = &nowhere_copied, .targets = "m1=0"}, "m1 no-fit-clears 0; "}, /* no workload: nothing is counted */
};

START_TEST(test_what_a_turn_does_to_running_replicas) {
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &turns[_i].binding);
  (void)turn_actions(&world, NULL);
  ck_assert_str_eq(reported(&world), turns[_i].reported);
  test_world_close(&world);
}
END_TEST

/* With the option, targets stay until there are others, so no warning is needed. */
START_TEST(test_strict_eviction_keeps_the_clusters) {
  const rebal_schedule_opts *opts = with_option(REBAL_OPTION_STRICT_EVICTION, 1);
  struct test_world world;
  const char *actions;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &turns[_i].binding);
  actions = turn_actions(&world, opts);
  ck_assert_str_eq(reported(&world), "");
  if (turns[_i].binding.placement != &aggregated) {
    ck_assert_ptr_nonnull(strstr(actions, "False NoClusterFit "));
    ck_assert_int_eq(strstr(actions, "metadata") == NULL, turns[_i].binding.targets != NULL);
    ck_assert_ptr_null(strstr(actions, "spec"));
  }
  test_world_close(&world);
}
END_TEST

/* A warning is repeated whenever the action it belongs to is repeated. */
START_TEST(test_rows_come_with_their_action) {
  const struct test_binding binding = {.replicas = 9, .request = "", .placement = &nowhere, .targets = "m1=9"};
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_observations *observations;
  struct test_world world;

  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  opts.observations = observations;
  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &binding);
  for (int64_t ordinal = 0; ordinal < 2; ordinal++) {
    ck_assert_ptr_nonnull(strstr(turn_actions(&world, &opts), "spec"));
    ck_assert_str_eq(reported(&world), "m1 no-fit-clears 9; ");
    ck_assert_int_eq(test_observe(observations, ordinal, REBAL_OBSERVED_DONE, NULL), REBAL_OK);
  }
  ck_assert_ptr_null(strstr(turn_actions(&world, &opts), "spec"));
  ck_assert_str_eq(reported(&world), "");
  rebal_observations_free(observations);
  test_world_close(&world);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  const struct test_world *world = user_data;
  const rebal_time now = test_time(100);
  rebal_result *result = NULL;
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code =
      code == REBAL_OK ? rebal_scheduler_step(ctx, world->snapshot, world->bindings, &now, NULL, result, NULL) : code;
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_WARNING) > 0, code == REBAL_OK);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, REBALI_COUNT(clusters), &turns[_i == 0 ? 0 : 8].binding);
  ck_assert_pstr_eq(test_torture(story, &world), NULL);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(warnings) {
  TCase *cases = tcase_create("warnings");
  tcase_add_loop_test(cases, test_what_a_turn_does_to_running_replicas, 0, (int)REBALI_COUNT(turns));
  tcase_add_loop_test(cases, test_strict_eviction_keeps_the_clusters, 0, (int)REBALI_COUNT(turns));
  tcase_add_test(cases, test_rows_come_with_their_action);
  tcase_add_loop_test(cases, test_no_memory_is_an_answer, 0, 2);
  return cases;
}
