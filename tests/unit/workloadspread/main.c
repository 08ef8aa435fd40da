/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(in_flight)        \
  UNIT(limit)            \
  UNIT(node_term)        \
  UNIT(pods)             \
  UNIT(pods_texts)       \
  UNIT(quirks)           \
  UNIT(spread)           \
  UNIT(spread_facts)     \
  UNIT(spread_spec)      \
  UNIT(status)           \
  UNIT(status_load)      \
  UNIT(status_write)     \
  UNIT(united)           \
  UNIT(united_fixed)     \
  UNIT(united_limits)    \
  UNIT(united_reserve)   \
  UNIT(words)

UNIT_MAIN("workloadspread", UNIT_CASES)
