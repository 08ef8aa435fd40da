/* SPDX-License-Identifier: MIT */
/* tests/unit/plan/rich_plan.h - a plan that has something in each of its parts. */
#ifndef RICH_PLAN_H
#define RICH_PLAN_H

#include "plan_fixture.h"

#include "../unit.h"

static const rebal_time rich_tokens_at = {PLAN_NOW - 50, 0, 1};

static inline void rich_add(struct plan_fixture *fixture, const char *key, const struct test_placement *placement,
                            const char *targets, const char *ready, const char *labels) {
  const struct test_binding binding = {.key = key,
                                       .uid = "u",
                                       .replicas = 8,
                                       .request = "",
                                       .placement = placement,
                                       .targets = targets,
                                       .scheduled_at = PLAN_NOW - 100};
  const uint32_t row = plan_add(fixture, &binding);

  plan_set_ready(fixture, row, ready);
  plan_set_labels(fixture, row, labels);
}

static inline void rich_limits(struct plan_fixture *fixture) {
  rebal_limit *limit = plan_limit(fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 12);

  limit->interval_ns = INT64_C(10000000000);
  limit->tokens = 3;
  limit->tokens_at = &rich_tokens_at;
  (void)plan_limit(fixture, REBAL_LIMIT_SCOPE_SOURCE, NULL, 3);
  (void)plan_limit(fixture, REBAL_LIMIT_SCOPE_TARGET, "m2", 4);
  (void)plan_limit(fixture, REBAL_LIMIT_SCOPE_NAMESPACE, NULL, 6);
  (void)plan_limit(fixture, REBAL_LIMIT_SCOPE_BINDING, NULL, 5);
  limit = plan_limit(fixture, REBAL_LIMIT_SCOPE_LABEL, NULL, 7);
  limit->label = "app";
  limit->label_len = 3;
  plan_budget(fixture, &(const struct plan_budget){"ns/p", "app=web", .max_unavailable = "60%"});
}

/* Not made yet. allocator: of the context and the result. */
static inline void rich_open(struct plan_fixture *fixture, int32_t mode) {
  static const struct test_placement dynamic = {.scheduling = "Divided/Weighted/AvailableReplicas"};
  static const struct test_placement two = {.scheduling = "Divided/Weighted/AvailableReplicas",
                                            .spreads = "cluster:2:2"};
  static const struct test_placement copies = {.scheduling = "Duplicated"};
  static const struct test_affinity nowhere_ = {.clusters = "m9"};
  static const struct test_placement nowhere = {.affinity = &nowhere_, .scheduling = "Duplicated"};

  plan_open(fixture, "m4=20 m3=20 m2=20 m1=20");
  rich_add(fixture, "ns/a", &dynamic, "m1=4 gone=4", "m1=3", "app=web");
  rich_add(fixture, "ns/b", &two, "m1=4 m4=4", "m1=4 m4=4", "app=db");
  rich_add(fixture, "c", &copies, "m1=8", "", NULL);
  rich_add(fixture, "ns/d", &nowhere, "m1=8", "", NULL);
  rich_limits(fixture);
  fixture->opts.mode = mode;
  plan_drain(fixture, "m4");
  plan_lose(fixture, "m1");
}

struct rich_bytes {
  unsigned char *at;
  size_t len;
};

static inline struct rich_bytes rich_save(const rebal_plan *plan) {
  struct rich_bytes bytes = {NULL, 0};
  size_t len = 0;

  ck_assert_int_eq(rebal_plan_save(plan, NULL, 0, &bytes.len, NULL), REBAL_OK);
  bytes.at = malloc(bytes.len);
  ck_assert_ptr_nonnull(bytes.at);
  ck_assert_int_eq(rebal_plan_save(plan, bytes.at, bytes.len, &len, NULL), REBAL_OK);
  ck_assert_uint_eq(len, bytes.len);
  return bytes;
}

#endif
