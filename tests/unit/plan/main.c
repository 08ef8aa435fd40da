/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(movement_load)    \
  UNIT(movement_start)   \
  UNIT(repair)           \
  UNIT(verify)           \
  UNIT(wanted)

UNIT_MAIN("plan", UNIT_CASES)
