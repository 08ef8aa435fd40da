/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(prepare)          \
  UNIT(budgets)          \
  UNIT(cells)            \
  UNIT(constraints)      \
  UNIT(counterfactual)   \
  UNIT(cycles)           \
  UNIT(grant)            \
  UNIT(guards)           \
  UNIT(headroom)         \
  UNIT(karmada)          \
  UNIT(least)            \
  UNIT(limits)           \
  UNIT(limits_read)      \
  UNIT(load)             \
  UNIT(make)             \
  UNIT(mark)             \
  UNIT(movement_load)    \
  UNIT(movement_start)   \
  UNIT(next)             \
  UNIT(offsets)          \
  UNIT(one_move)         \
  UNIT(options)          \
  UNIT(read)             \
  UNIT(reconsider)       \
  UNIT(repair)           \
  UNIT(reports)          \
  UNIT(save)             \
  UNIT(shadows)          \
  UNIT(step)             \
  UNIT(sums)             \
  UNIT(support)          \
  UNIT(sweep)            \
  UNIT(try)              \
  UNIT(use)              \
  UNIT(verify)           \
  UNIT(wanted)           \
  UNIT(windows)

UNIT_MAIN("plan", UNIT_CASES)
