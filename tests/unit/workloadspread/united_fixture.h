/* SPDX-License-Identifier: MIT */
/*
 * tests/unit/workloadspread/united_fixture.h - a UnitedDeployment from a few words.
 *
 * Subsets are words: the name, then in this order its "=replicas", ">=minReplicas", "<=maxReplicas", and its workload
 * "[replicas/ready-reserved", followed by "u" if unschedulable and "m" if marked. Digits are a number, anything else
 * is a text, as are digits after "'": "a=25% b>=2<=50%[4/1-3um c='12".
 */
#ifndef UNITED_FIXTURE_H
#define UNITED_FIXTURE_H

#include "workloadspread/united.h"

#define UNITED_MAX 8
#define UNITED_NOW INT64_C(1000000) /* ages are relative to it */

enum united_strategy { FIXED, ADAPTIVE, RESERVING };

struct united_sample {
  enum united_strategy strategy;
  int64_t replicas; /* REBAL_ABSENT: none */
  const char *subsets;
  const char *answer; /* "3,3,4", or the message */
};

struct united_fixture {
  rebal_builder *builder;
  rebal_ctx *ctx;
  rebal_result *result;
  const rebal_record *record;
  uint32_t states[UNITED_MAX];
  int32_t replicas[UNITED_MAX];
  int32_t observed[UNITED_MAX];
  int32_t ready[UNITED_MAX];
  int32_t reserved[UNITED_MAX];
  rebal_united_opts opts;
  char answer[256];
};

/* Everything from one allocator, NULL: malloc. A REBAL_E* on failure; dispose in any case. */
int32_t united_new(struct united_fixture *fixture, const rebal_allocator *allocator,
                   const struct united_sample *sample);
/* The same with a status, see united_pass.h; "": none. */
int32_t united_new_with(struct united_fixture *fixture, const rebal_allocator *allocator,
                        const struct united_sample *sample, const char *status);
void united_dispose(struct united_fixture *fixture);
/* The result, in the form of the samples. */
const char *united_answer(struct united_fixture *fixture);
/* Allocates for each sample and compares. */
void united_give(const struct united_sample *samples, size_t n);
#define UNITED_GIVE(samples) united_give(samples, sizeof(samples) / sizeof(*(samples)))

#endif
