/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(fail)             \
  UNIT(json_read)        \
  UNIT(json_write)       \
  UNIT(limits)           \
  UNIT(locate)           \
  UNIT(number)           \
  UNIT(output)           \
  UNIT(path)             \
  UNIT(scalar)           \
  UNIT(text)             \
  UNIT(tree)             \
  UNIT(utf8)             \
  UNIT(yaml_read)        \
  UNIT(yaml_write)

UNIT_MAIN("manifest", UNIT_CASES)
