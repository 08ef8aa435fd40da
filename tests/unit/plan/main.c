/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(budgets)          \
  UNIT(least)            \
  UNIT(limits)           \
  UNIT(limits_read)      \
  UNIT(movement_load)    \
  UNIT(movement_start)   \
  UNIT(options)          \
  UNIT(repair)           \
  UNIT(verify)           \
  UNIT(wanted)

UNIT_MAIN("plan", UNIT_CASES)
