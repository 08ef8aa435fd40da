/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(actions)          \
  UNIT(admit)            \
  UNIT(adopt)            \
  UNIT(choose)           \
  UNIT(compat)           \
  UNIT(conditions)       \
  UNIT(cost)             \
  UNIT(count)            \
  UNIT(deletion_order)   \
  UNIT(eligible)         \
  UNIT(explain_text)     \
  UNIT(group)            \
  UNIT(in_flight)        \
  UNIT(matching)         \
  UNIT(max_replicas)     \
  UNIT(new_status)       \
  UNIT(node_class)       \
  UNIT(node_term)        \
  UNIT(ordinal)          \
  UNIT(owners)           \
  UNIT(pass_over)        \
  UNIT(pods)             \
  UNIT(reports)          \
  UNIT(rows)             \
  UNIT(simulate)         \
  UNIT(spread)           \
  UNIT(spread_spec)      \
  UNIT(status)           \
  UNIT(status_align)     \
  UNIT(status_load)      \
  UNIT(status_write)     \
  UNIT(step)             \
  UNIT(text_numbers)     \
  UNIT(united)           \
  UNIT(united_condition) \
  UNIT(united_fixed)     \
  UNIT(united_limits)    \
  UNIT(united_pods)      \
  UNIT(united_reserve)   \
  UNIT(united_scale)     \
  UNIT(united_step)      \
  UNIT(version)

UNIT_MAIN("workloadspread", UNIT_CASES)
