/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT)   \
  UNIT(caller_estimates)   \
  UNIT(charged)            \
  UNIT(compat)             \
  UNIT(divisor)            \
  UNIT(estimate)           \
  UNIT(fits)               \
  UNIT(limiting_resource)  \
  UNIT(modelings)          \
  UNIT(models)             \
  UNIT(node_fit)           \
  UNIT(node_sets)          \
  UNIT(node_vector)        \
  UNIT(packing)            \
  UNIT(place)              \
  UNIT(quota)              \
  UNIT(remaining)          \
  UNIT(request)            \
  UNIT(rows)               \
  UNIT(sets)               \
  UNIT(summary)            \
  UNIT(unschedulable)      \
  UNIT(unschedulable_rows) \
  UNIT(vector)             \
  UNIT(walk)

UNIT_MAIN("estimator", UNIT_CASES)
