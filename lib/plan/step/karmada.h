/* SPDX-License-Identifier: MIT */
/* lib/plan/step/karmada.h - the protocol of writing beside Karmada's scheduler (rebalance-plan(7) 8). */
#ifndef REBALI_PLAN_KARMADA_H
#define REBALI_PLAN_KARMADA_H

#include "failover/failover.h"
#include "plan/step/step.h"

#define REBALI_PLAN_ANNOTATION REBALI_TEXT("librebalance/plan")
#define REBALI_PLAN_PRODUCER REBALI_TEXT("librebalance-plan")

static inline int rebali_task_is_ours(const rebal_bindings *bindings, uint32_t task) {
  return rebali_text_equal(rebali_bindings_text(bindings, REBAL_TASK_PRODUCER, task), REBALI_PLAN_PRODUCER);
}

/* ---- the mark (mark.c) ------------------------------------------------------------------------------------------- */

enum {
  REBALI_PHASE_NONE,      /* the mark of another writer */
  REBALI_PHASE_SUSPENDED, /* scheduling is suspended, nothing has been moved */
  REBALI_PHASE_MOVING,    /* scheduling is suspended, some replicas have been moved */
  REBALI_PHASE_DIRECT,    /* not suspended: the sum stays the same */
  REBALI_PHASE_DRAIN      /* not suspended: tasks keep the replicas that leave */
};

struct rebali_mark {
  int is_present;
  uint32_t phase;
  struct rebali_fingerprint plan;
  uint64_t digest; /* of the state left by the write */
  rebal_time time;
};

void rebali_mark_read(struct rebali_text text, struct rebali_mark *mark);
void rebali_mark_write(const struct rebali_mark *mark, struct rebali_buffer *out);
/* Returns the digest of the binding as it is, or with a patch as it will be. */
uint64_t rebali_mark_digest(const struct rebali_wave_call *call, const struct rebali_wave_row *row,
                            const struct rebali_patch *patch);

/* karmada.c: like rebali_wave_next(), with what to write beside the clusters. Returns REBAL_ENOMEM without memory. */
int32_t rebali_karmada_next(struct rebali_wave_call *call, struct rebali_wave_row *row);
/* guard.c: returns the reason why nothing may be started now, or 0. */
int64_t rebali_karmada_guard(const struct rebali_wave_call *call, const struct rebali_wave_row *row);

#endif
