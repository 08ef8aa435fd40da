/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/make/grant.h - grants moves binding by binding, and computes what would be granted without one of the
 * limits.
 */
#ifndef REBALI_PLAN_GRANT_H
#define REBALI_PLAN_GRANT_H

#include "plan/make/limits.h"

/* One pass over the bindings. */
struct rebali_grant {
  struct rebali_plan_call *call;
  size_t endless; /* the limit that is lifted in this pass, or REBALI_LIMIT_NONE */
  int is_final;   /* lists moves and notes limits that cut */
  /* of the current binding */
  struct rebali_plan_row *row;
  struct rebali_plan_cell *cells;
  int64_t granted;
  size_t first_cut; /* the limit that cut first, or REBALI_LIMIT_NONE */
};

/* grant.c: grants the next binding. The counters must hold what earlier bindings used. */
int32_t rebali_grant_row(struct rebali_grant *grant, size_t index);
/* shadows.c: fills the shadow of each limit that cut something. Rows are as granted last; y is overwritten. */
int32_t rebali_plan_shadows(struct rebali_plan_call *call, int64_t *shadows);

#endif
