/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/plan.h - private header of the room "plan": what would move.
 */
#ifndef REBALI_PLAN_H
#define REBALI_PLAN_H

#include "fleet/fleet.h"
#include "rebalance/plan.h"

/* ---- limits of the numbers of a movement ------------------------------------------------------------------------- */

#define REBALI_MOVEMENT_COUNT INT32_MAX             /* replicas of one binding */
#define REBALI_MOVEMENT_REPLICAS (INT64_C(1) << 40) /* of all bindings */
#define REBALI_MOVEMENT_COST (INT64_C(1) << 53)     /* prices are at most twice as much */

#endif
