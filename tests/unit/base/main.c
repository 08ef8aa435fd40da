/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(arena)            \
  UNIT(bitset)           \
  UNIT(buffer)           \
  UNIT(builder)          \
  UNIT(canonical)        \
  UNIT(digest)           \
  UNIT(duration)         \
  UNIT(enums)            \
  UNIT(error)            \
  UNIT(hash)             \
  UNIT(integer)          \
  UNIT(intern)           \
  UNIT(label)            \
  UNIT(label_selector)   \
  UNIT(memory)           \
  UNIT(observations)     \
  UNIT(options)          \
  UNIT(quantity)         \
  UNIT(quantity_format)  \
  UNIT(quantity_parse)   \
  UNIT(ranking)          \
  UNIT(record)           \
  UNIT(result)           \
  UNIT(result_columns)   \
  UNIT(schema)           \
  UNIT(selector)         \
  UNIT(sort)             \
  UNIT(step)             \
  UNIT(table)            \
  UNIT(taint)            \
  UNIT(text)             \
  UNIT(time)             \
  UNIT(toleration)       \
  UNIT(tolerations)      \
  UNIT(tree)             \
  UNIT(version)          \
  UNIT(wide)

UNIT_MAIN("base", UNIT_CASES)
