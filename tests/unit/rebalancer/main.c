/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(binding_name)     \
  UNIT(bindings)         \
  UNIT(object)           \
  UNIT(quirks)           \
  UNIT(status)           \
  UNIT(step)             \
  UNIT(workloads)

UNIT_MAIN("rebalancer", UNIT_CASES)
