/* SPDX-License-Identifier: MIT */
#include "phases_fixture.h"

#include "../unit.h"

#include <stdio.h>

const struct test_placement duplicated = {.scheduling = "Duplicated"};
const struct test_placement aggregated = {.scheduling = "Divided/Aggregated"};
const struct test_placement dynamic_weight = {.scheduling = "Divided/Weighted/AvailableReplicas"};
const struct test_placement equal_weight = {.scheduling = "Divided/Weighted"};

void phases_open(struct phases_fixture *fixture, const struct test_cluster *clusters, size_t n,
                 const struct test_binding *binding) {
  struct rebali_pass *pass = &fixture->pass;

  memset(fixture, 0, sizeof *fixture);
  test_world_open(&fixture->world, NULL);
  test_world_fill(&fixture->world, clusters, n, binding);
  pass->ctx = fixture->world.ctx;
  pass->snapshot = fixture->world.snapshot;
  pass->bindings = fixture->world.bindings;
  pass->opts = &fixture->opts;
  pass->err = &fixture->world.err;
  ck_assert_int_eq(rebali_ctx_begin(pass->ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_placement_get(pass->ctx, pass->snapshot,
                                        (uint32_t)rebali_bindings_i64(pass->bindings, REBAL_BINDING_PLACEMENT, 0),
                                        &pass->placement, NULL),
                   REBAL_OK);
  phases_again(fixture);
}

void phases_again(struct phases_fixture *fixture) {
  struct rebali_pass *pass = &fixture->pass;

  ck_assert_int_eq(
      rebali_pass_begin(pass, rebali_bindings_text(pass->bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, 0)), REBAL_OK);
}

void phases_close(struct phases_fixture *fixture) {
  rebali_pass_dispose(&fixture->pass);
  rebali_ctx_end(fixture->pass.ctx);
  test_world_close(&fixture->world);
}

void phases_run(struct phases_fixture *fixture, int phases) {
  int32_t (*const steps[])(struct rebali_pass *) = {rebali_filter_run, rebali_candidates_rate, rebali_select,
                                                    rebali_assign};

  for (int i = 0; i < phases && !rebali_pass_refused(&fixture->pass); i++) {
    ck_assert_msg(steps[i](&fixture->pass) == REBAL_OK, "%s", fixture->world.err.message);
  }
}

const char *phases_candidates(const struct phases_fixture *fixture) {
  static char text[1024];
  const struct rebali_pass *pass = &fixture->pass;
  size_t len = 0;

  text[0] = '\0';
  if (rebali_pass_refused(pass)) {
    (void)snprintf(text, sizeof text, "%.*s", (int)pass->message.len, pass->message.bytes);
    return text;
  }
  for (size_t i = 0; i < pass->n_candidates && len < sizeof text; i++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i == 0 ? "" : " ",
                            test_cluster_name(pass->snapshot, pass->candidates[i].cluster));
  }
  return text;
}

static const char *schedule_world(struct test_world *world, const rebal_schedule_opts *opts) {
  const char *answer;

  test_freeze(world);
  answer = test_schedule(world, opts, 0);
  test_world_close(world);
  return answer;
}

const char *schedule_pods(const char *pods, const struct test_binding *binding, const rebal_schedule_opts *opts) {
  struct test_world world;

  test_world_open(&world, NULL);
  test_add_pods(&world, pods);
  (void)test_add_binding(&world, NULL, binding);
  return schedule_world(&world, opts);
}

const char *schedule_clusters(const struct test_cluster *clusters, size_t n, const struct test_binding *binding,
                              const rebal_schedule_opts *opts) {
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, n, binding);
  return schedule_world(&world, opts);
}

const rebal_schedule_opts *with_option(uint32_t option, int64_t value) {
  static rebal_schedule_opts opts;
  static rebal_compat *compat;

  rebal_compat_free(compat);
  compat = test_compat(option, value);
  memset(&opts, 0, sizeof opts);
  opts.struct_size = (uint32_t)sizeof opts;
  opts.compat = compat;
  return &opts;
}
