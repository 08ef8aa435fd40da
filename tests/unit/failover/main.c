/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(application)      \
  UNIT(call)             \
  UNIT(compat)           \
  UNIT(condition_taints) \
  UNIT(cool_down)        \
  UNIT(eviction)         \
  UNIT(graceful)         \
  UNIT(pace)             \
  UNIT(replacement)      \
  UNIT(taint_policies)   \
  UNIT(task)             \
  UNIT(verdict)

UNIT_MAIN("failover", UNIT_CASES)
