/* SPDX-License-Identifier: MIT */
/* Reads the options in the head of a scenario: what the controllers were started with. */
#include "simulation/scenario/scenario.h"

#include <stdio.h>
#include <string.h>

/* The numbers of options are below this. */
#define MOST_OPTIONS 64

static const char mode_name[] = "noExecuteTaintEvictionPurgeMode";

static const char *const option_members[] = {"deschedulerAnyKind",
                                             "deschedulerFromStatus",
                                             "deschedulingInterval",
                                             "enableDescheduler",
                                             "enableNoExecuteTaintEviction",
                                             "enableSchedulerEstimator",
                                             "gates",
                                             "gracefulEvictionTimeout",
                                             "level",
                                             "noExecuteTaintEvictionPurgeMode",
                                             "compat",
                                             "replicasPaths",
                                             "resourceEvictionInterval",
                                             "skippedPropagatingAPIs",
                                             "skippedPropagatingNamespaces",
                                             "unschedulableThreshold"};

static int32_t read_flags(struct rebali_options *options, const struct rebali_reading *reading) {
  const struct {
    const char *name;
    uint32_t *flags, bit;
  } flags[] = {{"enableNoExecuteTaintEviction", &options->failover.flags, REBAL_FAILOVER_FLAG_EVICT_BY_TAINT},
               {"enableDescheduler", &options->has_descheduler, 1},
               {"enableSchedulerEstimator", &options->has_estimators, 1},
               {"deschedulerAnyKind", &options->descheduler.flags, REBAL_DESCHEDULE_FLAG_ANY_KIND},
               {"deschedulerFromStatus", &options->descheduler.flags, REBAL_DESCHEDULE_FLAG_FROM_STATUS}};
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < REBALI_COUNT(flags); i++) {
    const rebal_value *value;
    code = rebali_reading_member(reading, flags[i].name, REBAL_VALUE_KIND_BOOLEAN, 0, &value);
    if (code == REBAL_OK && rebali_is_true(value)) {
      *flags[i].flags |= flags[i].bit;
    }
  }
  return code;
}

static int32_t read_spans(struct rebali_options *options, const struct rebali_reading *reading) {
  uint32_t ignored = 0;
  const struct {
    const char *name;
    int64_t *ns, least;
    uint32_t *flags, given;
  } spans[] = {{"gracefulEvictionTimeout", &options->failover.graceful_eviction_timeout_ns, 0, &options->failover.flags,
                REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN},
               {"resourceEvictionInterval", &options->failover.eviction_interval_ns, 0, &ignored, 0},
               {"deschedulingInterval", &options->descheduler.interval_ns, REBALI_SECOND_NS, &ignored, 0},
               {"unschedulableThreshold", &options->descheduler.threshold_ns, 0, &options->descheduler.flags,
                REBAL_DESCHEDULE_FLAG_THRESHOLD_GIVEN}};
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < REBALI_COUNT(spans); i++) {
    int64_t ns = -1;
    code = rebali_reading_duration(reading, spans[i].name, &ns);
    if (code == REBAL_OK && ns >= 0 && ns < spans[i].least) {
      return rebali_reading_fail(reading, spans[i].name, "an interval is 1s or longer");
    }
    if (code == REBAL_OK && ns >= 0) {
      *spans[i].ns = ns;
      *spans[i].flags |= spans[i].given;
    }
  }
  return code;
}

/*
 * Reads gates by name, each on or off. A scheduler without WorkloadAffinity ignores groups, but bindings have them
 * anyway.
 */
static int32_t read_gates(struct rebali_options *options, const struct rebali_reading *outer) {
  struct rebali_reading reading = *outer;
  int32_t code = rebali_reading_member(outer, "gates", REBAL_VALUE_KIND_MAP, 0, &reading.map);
  options->detector_gates = UINT32_C(1) << REBAL_DETECTOR_GATE_WORKLOAD_AFFINITY;
  reading.prefix = "options.gates.";
  for (const char *key = rebal_value_next_key(reading.map, NULL); code == REBAL_OK && key != NULL;
       key = rebal_value_next_key(reading.map, key)) {
    const rebal_value *value;
    int64_t gate = 0;
    if (rebal_enum_find(REBAL_ENUM_DETECTOR_GATE, key, strlen(key), &gate, NULL) != REBAL_OK) {
      return rebali_reading_fail(&reading, key, "there is no such gate");
    }
    code = rebali_reading_member(&reading, key, REBAL_VALUE_KIND_BOOLEAN, 1, &value);
    if (code == REBAL_OK) {
      const uint32_t bit = UINT32_C(1) << gate, on = rebali_is_true(value) ? bit : 0;
      options->detector_gates = (options->detector_gates & ~bit) | ((REBAL_DETECTOR_GATES_ON & bit) ^ on);
    }
  }
  return code;
}

/* Reads a list of texts. */
static int32_t read_texts(const struct rebali_reading *reading, const char *name, const rebal_value **out) {
  int32_t code = rebali_reading_member(reading, name, REBAL_VALUE_KIND_LIST, 0, out);
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(*out); i++) {
    if (rebal_value_kind(rebal_value_item(*out, i)) != REBAL_VALUE_KIND_TEXT) {
      code = rebali_reading_fail(reading, name, "expected a list of strings");
    }
  }
  return code;
}

/* Tests whether a detector accepts the options so far. */
static int32_t try_detector(const struct rebali_options *options, const struct rebali_reading *reading,
                            const char *name) {
  rebal_error fault = REBAL_ERROR_INIT;
  rebal_detector *detector = NULL;
  rebal_store *store = NULL;
  int32_t code = rebal_store_new(NULL, &store, &fault);
  if (code == REBAL_OK) {
    code = rebali_detector_make(store, options, &detector, &fault);
  }
  rebal_detector_free(detector);
  rebal_store_free(store);
  if (code == REBAL_OK || code == REBAL_ENOMEM) {
    return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(reading->err);
  }
  return rebali_reading_fail(reading, name, fault.message);
}

/* Reads what is not propagated, and the paths of replicas of kinds that the interpreter does not know. */
static int32_t read_lists(struct rebali_options *options, const struct rebali_reading *reading) {
  const struct {
    const char *name;
    const rebal_value **list;
  } lists[] = {{"skippedPropagatingAPIs", &options->skipped_apis},
               {"skippedPropagatingNamespaces", &options->skipped_namespaces},
               {"replicasPaths", &options->replicas_paths}};
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < REBALI_COUNT(lists); i++) {
    code = read_texts(reading, lists[i].name, lists[i].list);
    if (code == REBAL_OK && *lists[i].list != NULL) {
      code = try_detector(options, reading, lists[i].name);
    }
  }
  return code;
}

static int32_t read_mode(struct rebali_options *options, const struct rebali_reading *reading) {
  const char *mode;
  const int32_t code = rebali_reading_text(reading, mode_name, 0, &mode);
  if (code != REBAL_OK || rebali_find(reading->map, mode_name) == NULL || strcmp(mode, "Gracefully") == 0) {
    return code;
  }
  if (strcmp(mode, "Directly") != 0) {
    return rebali_reading_fail(reading, mode_name, "the purge mode is Gracefully or Directly");
  }
  options->failover.flags |= REBAL_FAILOVER_FLAG_PURGE_DIRECTLY;
  return REBAL_OK;
}

/* Copies all options of the caller by number. */
static int32_t copy_compat(const rebal_compat *from, rebal_compat *to, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t option = 0; code == REBAL_OK && option < MOST_OPTIONS; option++) {
    int64_t value;
    if (rebal_compat_get(from, option, &value, NULL) == REBAL_OK) {
      code = rebal_compat_set(to, option, value, err);
    }
  }
  return code;
}

static int32_t set_level(const struct rebali_scenario *scenario, rebal_compat *compat, rebal_error *err) {
  const char *level = scenario->level;
  if (level == NULL || rebal_compat_set_level(compat, level, strlen(level), NULL) == REBAL_OK) {
    return REBAL_OK;
  }
  return rebali_scenario_fail(scenario, 1, "options.level", err, REBAL_EPARSE, "there is no such level");
}

static int32_t set_compat(const struct rebali_scenario *scenario, rebal_compat *compat, rebal_error *err) {
  for (const char *key = rebal_value_next_key(scenario->compat, NULL); key != NULL;
       key = rebal_value_next_key(scenario->compat, key)) {
    const rebal_value *value = rebali_find(scenario->compat, key);
    char field[128];
    int64_t option = 0;
    (void)snprintf(field, sizeof field, "options.compat[\"%s\"]", key);
    if (rebal_enum_find(REBAL_ENUM_OPTION, key, strlen(key), &option, NULL) != REBAL_OK) {
      return rebali_scenario_fail(scenario, 1, field, err, REBAL_EPARSE, "there is no such option");
    }
    if (rebal_value_kind(value) != REBAL_VALUE_KIND_BOOLEAN) {
      return rebali_scenario_fail(scenario, 1, field, err, REBAL_EPARSE, "expected true or false");
    }
    if (rebal_compat_set(compat, (uint32_t)option, rebali_is_true(value), err) != REBAL_OK) {
      return rebali_scenario_fail(scenario, 1, field, err, REBAL_EPARSE, "the option takes no such value");
    }
  }
  return REBAL_OK;
}

int32_t rebali_scenario_compat(const struct rebali_scenario *scenario, const rebal_compat *base, rebal_compat **out,
                               rebal_error *err) {
  int32_t code;
  *out = NULL;
  if (scenario->level == NULL && scenario->compat == NULL) {
    return REBAL_OK;
  }
  code = rebal_compat_new(NULL, out, err);
  if (code == REBAL_OK && base != NULL) {
    code = copy_compat(base, *out, err);
  }
  if (code == REBAL_OK) {
    code = set_level(scenario, *out, err);
  }
  return code == REBAL_OK ? set_compat(scenario, *out, err) : code;
}

int rebali_scenario_has_ledger(const struct rebali_scenario *scenario, int has_caller) {
  const rebal_value *value = rebali_find(scenario->compat, "gate-overcommit-protection");
  return value != NULL ? rebali_is_true(value) : has_caller;
}

int32_t rebali_scenario_options(struct rebali_scenario *scenario, const struct rebali_reading *reading) {
  struct rebali_options *options = &scenario->options;
  int32_t code = rebali_reading_known(reading, option_members, REBALI_COUNT(option_members));
  options->failover.struct_size = sizeof options->failover;
  options->failover.eviction_interval_ns = REBALI_EVICTION_INTERVAL;
  options->descheduler.struct_size = sizeof options->descheduler;
  options->descheduler.interval_ns = REBALI_DESCHEDULING_INTERVAL;
  options->descheduler.threshold_ns = REBALI_UNSCHEDULABLE_THRESHOLD;
  if (code == REBAL_OK) {
    code = read_flags(options, reading);
  }
  if (code == REBAL_OK) {
    code = read_mode(options, reading);
  }
  if (code == REBAL_OK) {
    code = read_gates(options, reading);
  }
  if (code == REBAL_OK) {
    code = read_lists(options, reading);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_text(reading, "level", 0, &scenario->level);
    scenario->level = rebali_find(reading->map, "level") != NULL ? scenario->level : NULL;
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "compat", REBAL_VALUE_KIND_MAP, 0, &scenario->compat);
  }
  return code == REBAL_OK ? read_spans(options, reading) : code;
}
