/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(budgets)          \
  UNIT(call)             \
  UNIT(caps)             \
  UNIT(compat)           \
  UNIT(eligible)         \
  UNIT(lacks)            \
  UNIT(options)          \
  UNIT(pods)             \
  UNIT(shrink)           \
  UNIT(step)             \
  UNIT(write)

UNIT_MAIN("descheduler", UNIT_CASES)
