/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/every_binding.h - a public call that visits every binding: its inputs, and how a step writes its results.
 */
#ifndef REBALI_EVERY_BINDING_H
#define REBALI_EVERY_BINDING_H

#include "fleet/fleet.h"

struct rebali_every_binding {
  rebal_snapshot *snapshot;
  const rebal_bindings *bindings;
  const rebal_time *now;
  rebal_result *result;
  rebal_error *err;
  rebal_builder *builder; /* set while bindings are visited */
};

typedef int32_t (*rebali_every_binding_visit)(struct rebali_every_binding *every, uint32_t binding);

/* every_binding.c: checks the members except the builder. */
int32_t rebali_every_binding_check(const struct rebali_every_binding *every);
/* Empties the result and visits each binding in order. On failure the result is empty. */
int32_t rebali_every_binding_run(struct rebali_every_binding *every, rebali_every_binding_visit visit);

/* Writes a row of STEP. after_ns REBAL_ABSENT: no timer. */
int32_t rebali_every_binding_step(struct rebali_every_binding *every, int64_t state, int64_t reason,
                                  struct rebali_text message, int64_t after_ns);
/* Writes an action about a binding; ordinals count up over the whole call. payload may be NULL. */
int32_t rebali_every_binding_action(struct rebali_every_binding *every, uint32_t binding, int64_t kind,
                                    int64_t replaces, const rebal_record *payload);
/* Writes an event on the binding and on its resource. */
int32_t rebali_every_binding_event(struct rebali_every_binding *every, uint32_t binding, struct rebali_text type,
                                   struct rebali_text reason, struct rebali_text message);
/* Writes a WAKE after_ns from now for a binding. */
int32_t rebali_every_binding_wake(struct rebali_every_binding *every, uint32_t binding, int64_t after_ns);

/* ---- action_build.c: parts of payloads; errors of a builder persist until its finish ----------------------------- */

/* Appends a target of spec.clusters unchanged except for its replicas. */
void rebali_target_build(struct rebali_every_binding *every, uint32_t target, int64_t replicas);
/* Omits an empty text, REBAL_ABSENT and REBAL_NONE. */
void rebali_build_text(rebal_builder *builder, uint32_t field, struct rebali_text text);
void rebali_build_i64(rebal_builder *builder, uint32_t field, int64_t value);
void rebali_build_labels(struct rebali_every_binding *every, uint32_t field, int64_t handle);

#endif
