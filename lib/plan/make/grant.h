/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/make/grant.h - what limits grant, binding by binding, and what more they would grant without one of them.
 */
#ifndef REBALI_PLAN_GRANT_H
#define REBALI_PLAN_GRANT_H

#include "plan/make/limits.h"

/* One way through bindings. */
struct rebali_grant {
  struct rebali_plan_call *call;
  size_t endless; /* the limit that has no end this time, or REBALI_LIMIT_NONE */
  int is_final;   /* moves are listed, and limits that cut are noted */
  /* of the binding at hand */
  struct rebali_plan_row *row;
  struct rebali_plan_cell *cells;
  int64_t granted;
  size_t first_cut; /* the limit that cut first, or REBALI_LIMIT_NONE */
};

/* grant.c: grants the next binding; the counters that it uses hold what those before it used. */
int32_t rebali_grant_row(struct rebali_grant *grant, size_t index);
/* shadows.c: fills the shadow of each limit that cut something; rows are as granted at last, and y is used up. */
int32_t rebali_plan_shadows(struct rebali_plan_call *call, int64_t *shadows);

#endif
