/* SPDX-License-Identifier: MIT */
/*
 * lib/simulation/core.h - between the store and the step functions of the core: feeds objects, carries out actions
 * (core.c).
 */
#ifndef REBALI_SIMULATION_CORE_H
#define REBALI_SIMULATION_CORE_H

#include "simulation/server.h"

/* Returns the id or handle in a cell; REBAL_NONE: none. */
static inline uint32_t rebali_cell_id(int64_t value) {
  return value == REBAL_ABSENT ? REBAL_NONE : (uint32_t)value;
}

/* The inputs and results of step functions. */
struct rebali_core {
  struct rebali_server *server;
  const rebal_compat *compat;
  rebal_fleet *fleet;
  rebal_feed *feed; /* of its clusters */
  rebal_ctx *ctx;
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_result *result;
  rebal_builder *builder;
  rebal_observations *observations;
  struct rebali_ids fed; /* the bindings fed last */
  uint64_t fed_at;       /* changes of the store at that time; 0: not fed any more */
};

int32_t rebali_core_open(struct rebali_core *core, struct rebali_server *server, rebal_error *err);
void rebali_core_dispose(struct rebali_core *core);

/* Feeds the clusters and n bindings of the store and freezes both. */
int32_t rebali_feed(struct rebali_core *core, const uint32_t *objects, size_t n, rebal_error *err);
/* The two halves of rebali_feed(); between them rows can be added to the bindings. */
int32_t rebali_feed_rows(struct rebali_core *core, const uint32_t *objects, size_t n, rebal_error *err);
int32_t rebali_feed_freeze(struct rebali_core *core, rebal_error *err);
/* Feeds the clusters, and no bindings. */
int32_t rebali_feed_clusters(struct rebali_core *core, rebal_error *err);

/* Returns a cell of the result, or REBAL_ABSENT if it has no such row. */
int64_t rebali_cell(const rebal_result *result, uint32_t column, size_t row);
/* Returns the object of an action of the result, or REBAL_NONE if it is not in the store. */
uint32_t rebali_action_object(const struct rebali_core *core, size_t action);
/* Carries out an action of the result and logs it; observations may be NULL. WAKE does nothing. */
int32_t rebali_carry_out(struct rebali_core *core, size_t action, const char *controller, const char *reason,
                         rebal_observations *observations, rebal_error *err);
/* Tests whether the first step of the result must be called again. */
int rebali_is_waiting(const struct rebali_core *core);
/* Carries out all of its actions and logs its warnings, unless an observed step must be called again. */
int32_t rebali_carry_out_all(struct rebali_core *core, const char *controller, const char *reason,
                             rebal_observations *observations, rebal_error *err);
/*
 * Like rebali_carry_out_all() without observations, for an object with a timer: if a write fails, it is due again after
 * a back-off.
 */
int32_t rebali_carry_out_timed(struct rebali_core *core, struct rebali_timers *timers, uint32_t object,
                               const char *controller, const char *reason, rebal_error *err);
/* Logs the warnings of the result: replicas that are removed, or stay away, because the reference does so. */
int32_t rebali_warnings_report(struct rebali_core *core, const char *controller, rebal_error *err);
/* Returns the earliest WAKE among the actions; unset if there is none. */
rebal_time rebali_wake_of(const struct rebali_core *core);
/*
 * Like rebali_wake_of(), but one second late, for spans that must be exceeded: at the very end of a span a step of the
 * reference neither acts nor sets another timer, and no timer in the reference expires exactly then.
 */
rebal_time rebali_late_wake_of(const struct rebali_core *core);

#endif
