/* SPDX-License-Identifier: MIT */
/* karmada-planner-plan.h - the request, and the plan that is made from it. */
#ifndef KARMADA_PLANNER_PLAN_H
#define KARMADA_PLANNER_PLAN_H

#include "client/client.h"

#include <rebalance/rebalance.h>

/* By flags; numbers below 0 are not given. */
struct plan_request {
  const char *mode; /* "fresh", "steady" or "least" */
  struct texts drained, lost;
  struct amount due, tolerance; /* percentages */
  struct amount max_surge, max_unavailable;
  int64_t max_moves, max_per_source, max_per_target;
  int64_t progress_deadline;
};

#define REQUEST_FLAGS 11

/* The flags of a request, which has their defaults then. */
void request_flags(struct plan_request *request, struct flag *out);
/* Returns false after it has logged which flag has an invalid value. */
bool request_check(const struct plan_request *request);
/*
 * The plan for the objects, which are the rows of bindings and are fed anew where only those that are due are planned.
 * *n: how many are left. A cluster that does not exist is REBAL_EINVAL.
 */
int32_t request_plan(const struct plan_request *request, rebal_ctx *ctx, rebal_store *store, rebal_fleet *fleet,
                     rebal_bindings *bindings, uint32_t *objects, size_t n, rebal_plan **out, rebal_error *err);

/* The bindings of the store as they are now. */
int32_t bindings_feed(rebal_bindings *bindings, rebal_store *store, rebal_fleet *fleet, const uint32_t *objects,
                      size_t n, rebal_error *err);
/* Logs each binding that a plan changes, by rebal_plan_read(). */
void plan_say(const rebal_result *result, rebal_fleet *fleet);
/* The sums of a plan; request: the request as flags. */
void plan_put_sums(const rebal_result *result, const char *request, char *out, size_t capacity);

#endif
