/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT)   \
  UNIT(affinity)           \
  UNIT(affinity_groups)    \
  UNIT(api_enablement)     \
  UNIT(assign)             \
  UNIT(assign_dynamic)     \
  UNIT(assign_partial)     \
  UNIT(assign_static)      \
  UNIT(assign_tiers)       \
  UNIT(availability)       \
  UNIT(batch)              \
  UNIT(candidates)         \
  UNIT(compat)             \
  UNIT(compat_turn)        \
  UNIT(decide)             \
  UNIT(decision)           \
  UNIT(divide)             \
  UNIT(divide_bounded)     \
  UNIT(explain)            \
  UNIT(explain_plugin)     \
  UNIT(explain_select)     \
  UNIT(explain_text)       \
  UNIT(federated_quota)    \
  UNIT(filter)             \
  UNIT(filter_text)        \
  UNIT(fingerprint)        \
  UNIT(match)              \
  UNIT(options)            \
  UNIT(pass)               \
  UNIT(phases)             \
  UNIT(placement)          \
  UNIT(placement_columns)  \
  UNIT(placement_defaults) \
  UNIT(placement_rows)     \
  UNIT(placement_weights)  \
  UNIT(predicate)          \
  UNIT(queue)              \
  UNIT(reports)            \
  UNIT(requeue)            \
  UNIT(requeue_bindings)   \
  UNIT(schedule)           \
  UNIT(select)             \
  UNIT(select_cluster)     \
  UNIT(select_paths)       \
  UNIT(select_region)      \
  UNIT(shortlist)          \
  UNIT(step)               \
  UNIT(topology)           \
  UNIT(warnings)           \
  UNIT(webster)            \
  UNIT(workload_affinity)  \
  UNIT(write_back)         \
  UNIT(writes)

UNIT_MAIN("scheduler", UNIT_CASES)
