/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(budgets)          \
  UNIT(call)             \
  UNIT(caps)             \
  UNIT(eligible)         \
  UNIT(lacks)            \
  UNIT(options)          \
  UNIT(pods)             \
  UNIT(quirks)           \
  UNIT(shrink)           \
  UNIT(step)             \
  UNIT(write)

UNIT_MAIN("descheduler", UNIT_CASES)
