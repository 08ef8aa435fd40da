/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(attached)         \
  UNIT(binding)          \
  UNIT(build)            \
  UNIT(change)           \
  UNIT(derive)           \
  UNIT(detector)         \
  UNIT(event)            \
  UNIT(expression)       \
  UNIT(interpret)        \
  UNIT(look)             \
  UNIT(lua)              \
  UNIT(match)            \
  UNIT(preempt)          \
  UNIT(replicas_path)    \
  UNIT(requirements)     \
  UNIT(rest)             \
  UNIT(run)              \
  UNIT(skipped)          \
  UNIT(template)         \
  UNIT(typed)

UNIT_MAIN("detector", UNIT_CASES)
