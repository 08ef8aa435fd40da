/* SPDX-License-Identifier: MIT */
/* Options of calls as members of a case's input: featureGates, enableEmptyWorkloadPropagation, and "options". */
#include "manifest/record/call.h"

#include <string.h>

static const struct option {
  uint32_t id;
  const char *name;
  int64_t absent;
} options[] = {
#define REBAL_OPTION(name, number, absent, text, meaning) {number, #name, absent},
#include <rebalance/options.def>
#undef REBAL_OPTION
};

enum { OPTIONS = sizeof options / sizeof options[0] };

/* Names and defaults that the vectors define; a path names the member of the input. */
static const struct {
  uint32_t id;
  const char *path;
  int64_t absent;
} known[] = {
    {REBAL_OPTION_GATE_RESOURCE_MODELS, "featureGates.CustomizedClusterResourceModeling", 1},
    {REBAL_OPTION_GATE_WORKLOAD_AFFINITY, "featureGates.WorkloadAffinity", 0},
    {REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, "featureGates.MultiplePodTemplatesScheduling", 0},
    {REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, "featureGates.SchedulingOvercommitProtection", 0},
    {REBAL_OPTION_GATE_STATEFUL_FAILOVER, "featureGates.StatefulFailoverInjection", 0},
    {REBAL_OPTION_GATE_GRACEFUL_EVICTION, "featureGates.GracefulEviction", 1},
    {REBAL_OPTION_EMPTY_WORKLOAD_PROPAGATION, "enableEmptyWorkloadPropagation", 0},
    {REBAL_OPTION_INT32_WRAP, "options.INT32_WRAP", 1},
};

struct place {
  char path[96];
  int64_t absent;
};

static struct place place_of(const struct option *option) {
  struct place place = {"options.", option->absent};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (known[i].id == option->id) {
      place.absent = known[i].absent;
      memcpy(place.path, known[i].path, strlen(known[i].path) + 1);
      return place;
    }
  }
  (void)strncat(place.path, option->name, sizeof place.path - strlen(place.path) - 1);
  return place;
}

int32_t rebali_options_write(const rebal_compat *compat, json_t *input, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < OPTIONS; i++) {
    const struct place place = place_of(&options[i]);
    int64_t value = 0;
    result = rebal_compat_get(compat, options[i].id, &value, err);
    if (result == REBAL_OK && value != place.absent) {
      const char *key;
      json_t *map = rebali_map_above(input, place.path, &key);
      result = rebali_put(map, key, json_boolean(value != 0), err);
    }
  }
  return result;
}

int32_t rebali_options_read(const json_t *input, rebal_compat *compat, rebal_error *err) {
  const struct rebali_path root = rebali_path_key(NULL, "input");
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < OPTIONS; i++) {
    const struct place at = place_of(&options[i]);
    int64_t value = at.absent;
    struct rebali_place place;
    result = rebali_walk(input, &root, at.path, &place, err);
    if (result == REBAL_OK && place.value != NULL) {
      result = rebali_read_integer(place.value, REBAL_TYPE_BOOLEAN, place.path, &value, err);
    }
    if (result == REBAL_OK) {
      result = rebal_compat_set(compat, options[i].id, value, err);
    }
  }
  return result;
}
