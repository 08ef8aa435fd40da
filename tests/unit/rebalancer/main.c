/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(binding_name)     \
  UNIT(bindings)         \
  UNIT(compat)           \
  UNIT(object)           \
  UNIT(status)           \
  UNIT(step)             \
  UNIT(workloads)

UNIT_MAIN("rebalancer", UNIT_CASES)
