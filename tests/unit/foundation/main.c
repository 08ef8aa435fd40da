/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(arena)            \
  UNIT(bitset)           \
  UNIT(buffer)           \
  UNIT(digest)           \
  UNIT(duration)         \
  UNIT(error)            \
  UNIT(hash)             \
  UNIT(integer)          \
  UNIT(intern)           \
  UNIT(label)            \
  UNIT(memory)           \
  UNIT(near)             \
  UNIT(options)          \
  UNIT(quantity)         \
  UNIT(quantity_format)  \
  UNIT(quantity_parse)   \
  UNIT(ranking)          \
  UNIT(resource_list)    \
  UNIT(resource_name)    \
  UNIT(selector)         \
  UNIT(sort)             \
  UNIT(sort_keys)        \
  UNIT(text)             \
  UNIT(time)             \
  UNIT(toleration)       \
  UNIT(tree)             \
  UNIT(utf8)             \
  UNIT(wide)

UNIT_MAIN("foundation", UNIT_CASES)
