/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(version)

UNIT_MAIN("base", UNIT_CASES)
