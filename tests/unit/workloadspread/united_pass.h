/* SPDX-License-Identifier: MIT */
/*
 * tests/unit/workloadspread/united_pass.h - a pass over a UnitedDeployment and its pods.
 *
 * The status is words: the name of a subset, "&" when it has another condition, "=status,reason,age" of the condition
 * Schedulable, "!" for the condition Updated of the object, at the end "?" for rescheduleCriticalSeconds and
 * unschedulableDuration (0: none): "a=False,reschedule,100 b& !True,all,40 ?10,60". Pods are words of name, subset, how
 * it is with its age, revision and label: "p:a:stuck31:new:- q:b:ready301:old:1".
 */
#ifndef UNITED_PASS_H
#define UNITED_PASS_H

#include "united_fixture.h"

struct united_pass {
  enum united_strategy strategy;
  int64_t replicas;
  const char *subsets;
  const char *status;
  const char *pods;
  const char *answer;
  const char *labels;     /* of pods that change: "p=1 q=0" */
  const char *conditions; /* "a=False,reschedule,0,reserved pods found; b"; NULL: no status is written */
  int64_t after;          /* seconds; 0: no timer */
};

struct united_world {
  struct united_fixture fixture;
  rebal_fleet *fleet;
  rebal_pods *pods;
  rebal_ctx *ctx;
  rebal_time now;
};

/* As united_new(), with pods. */
int32_t united_world_new(struct united_world *world, const rebal_allocator *allocator, const struct united_pass *pass);
void united_world_dispose(struct united_world *world);
int32_t united_step(struct united_world *world);
/* Row of the n-th action of a kind, or SIZE_MAX. */
size_t united_action(const struct united_world *world, int64_t kind, size_t n);
/* Makes each pass and compares. */
void united_pass(const struct united_pass *passes, size_t n);
#define UNITED_PASS(passes) united_pass(passes, sizeof(passes) / sizeof(*(passes)))

#endif
