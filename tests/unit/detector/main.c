/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(interpret)        \
  UNIT(lua)              \
  UNIT(replicas_path)    \
  UNIT(requirements)     \
  UNIT(typed)

UNIT_MAIN("detector", UNIT_CASES)
