/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(annotation)       \
  UNIT(binding)          \
  UNIT(budget)           \
  UNIT(call_steps)       \
  UNIT(call_write)       \
  UNIT(carry_out)        \
  UNIT(cluster)          \
  UNIT(comment)          \
  UNIT(derive)           \
  UNIT(fail)             \
  UNIT(format)           \
  UNIT(json_patch)       \
  UNIT(json_read)        \
  UNIT(json_write)       \
  UNIT(kinds)            \
  UNIT(limits)           \
  UNIT(locate)           \
  UNIT(member)           \
  UNIT(member_pod)       \
  UNIT(member_quota)     \
  UNIT(member_workload)  \
  UNIT(metadata)         \
  UNIT(number)           \
  UNIT(object)           \
  UNIT(output)           \
  UNIT(path)             \
  UNIT(pod_labels)       \
  UNIT(preserve)         \
  UNIT(preserve_number)  \
  UNIT(render)           \
  UNIT(replay)           \
  UNIT(requirements)     \
  UNIT(scalar)           \
  UNIT(schema)           \
  UNIT(store)            \
  UNIT(store_apply)      \
  UNIT(store_changes)    \
  UNIT(store_kept)       \
  UNIT(store_load)       \
  UNIT(store_patch)      \
  UNIT(store_query)      \
  UNIT(store_read)       \
  UNIT(stream)           \
  UNIT(syntax)           \
  UNIT(text)             \
  UNIT(text_object)      \
  UNIT(tree)             \
  UNIT(utf8)             \
  UNIT(validate)         \
  UNIT(yaml_lines)       \
  UNIT(yaml_read)        \
  UNIT(yaml_write)

UNIT_MAIN("manifest", UNIT_CASES)
