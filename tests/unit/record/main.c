/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(builder)          \
  UNIT(canonical)        \
  UNIT(enums)            \
  UNIT(expression)       \
  UNIT(label_selector)   \
  UNIT(observations)     \
  UNIT(record)           \
  UNIT(result)           \
  UNIT(result_columns)   \
  UNIT(schema)           \
  UNIT(selector_index)   \
  UNIT(step)             \
  UNIT(table)            \
  UNIT(taint)            \
  UNIT(tolerations)      \
  UNIT(version)          \
  UNIT(zones)

UNIT_MAIN("record", UNIT_CASES)
