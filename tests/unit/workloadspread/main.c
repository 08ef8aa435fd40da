/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(node_term)        \
  UNIT(quirks)           \
  UNIT(words)

UNIT_MAIN("workloadspread", UNIT_CASES)
