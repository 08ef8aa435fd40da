/* SPDX-License-Identifier: MIT */
/* The options of a scenario's head: what the controllers were started with. */
#include "simulation.h"

#include <stdio.h>

/* The numbers of options are below this. */
#define MOST_OPTIONS 64

static const char mode_name[] = "noExecuteTaintEvictionPurgeMode";

static const char *const option_members[] = {"deschedulerAnyKind",
                                             "deschedulerFromStatus",
                                             "deschedulingInterval",
                                             "enableDescheduler",
                                             "enableNoExecuteTaintEviction",
                                             "enableSchedulerEstimator",
                                             "gracefulEvictionTimeout",
                                             "level",
                                             "noExecuteTaintEvictionPurgeMode",
                                             "compat",
                                             "resourceEvictionInterval",
                                             "unschedulableThreshold"};

static int32_t read_flags(struct rebali_scenario *scenario, const struct rebali_reading *reading) {
  const struct {
    const char *name;
    uint32_t *flags, bit;
  } flags[] = {{"enableNoExecuteTaintEviction", &scenario->failover.flags, REBAL_FAILOVER_FLAG_EVICT_BY_TAINT},
               {"enableDescheduler", &scenario->has_descheduler, 1},
               {"enableSchedulerEstimator", &scenario->has_estimators, 1},
               {"deschedulerAnyKind", &scenario->descheduler.flags, REBAL_DESCHEDULE_FLAG_ANY_KIND},
               {"deschedulerFromStatus", &scenario->descheduler.flags, REBAL_DESCHEDULE_FLAG_FROM_STATUS}};
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < sizeof flags / sizeof flags[0]; i++) {
    struct rebali_slice value;
    code = rebali_reading_member(reading, flags[i].name, REBALI_JSON_BOOLEAN, 0, &value);
    if (code == REBAL_OK && rebali_slice_is(value, "true")) {
      *flags[i].flags |= flags[i].bit;
    }
  }
  return code;
}

static int32_t read_spans(struct rebali_scenario *scenario, const struct rebali_reading *reading) {
  uint32_t ignored = 0;
  const struct {
    const char *name;
    int64_t *ns, least;
    uint32_t *flags, given;
  } spans[] = {{"gracefulEvictionTimeout", &scenario->failover.graceful_eviction_timeout_ns, 0,
                &scenario->failover.flags, REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN},
               {"resourceEvictionInterval", &scenario->failover.eviction_interval_ns, 0, &ignored, 0},
               {"deschedulingInterval", &scenario->descheduler.interval_ns, REBALI_SECOND_NS, &ignored, 0},
               {"unschedulableThreshold", &scenario->descheduler.threshold_ns, 0, &scenario->descheduler.flags,
                REBAL_DESCHEDULE_FLAG_THRESHOLD_GIVEN}};
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < sizeof spans / sizeof spans[0]; i++) {
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

static int32_t read_mode(struct rebali_scenario *scenario, const struct rebali_reading *reading) {
  struct rebali_slice mode;
  const int32_t code = rebali_reading_member(reading, mode_name, REBALI_JSON_STRING, 0, &mode);
  if (code != REBAL_OK || mode.len == 0 || rebali_slice_is(mode, "\"Gracefully\"")) {
    return code;
  }
  if (!rebali_slice_is(mode, "\"Directly\"")) {
    return rebali_reading_fail(reading, mode_name, "the purge mode is Gracefully or Directly");
  }
  scenario->failover.flags |= REBAL_FAILOVER_FLAG_PURGE_DIRECTLY;
  return REBAL_OK;
}

/* The options of the caller, all of them by number. */
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
  const struct rebali_slice level = scenario->level;
  if (level.len == 0 || rebal_compat_set_level(compat, level.bytes + 1, level.len - 2, NULL) == REBAL_OK) {
    return REBAL_OK;
  }
  return rebali_scenario_fail(scenario, 1, "options.level", err, REBAL_EPARSE, "there is no such level");
}

static int32_t set_compat(const struct rebali_scenario *scenario, rebal_compat *compat, rebal_error *err) {
  struct rebali_slice key, value;
  size_t at = 0;
  while (rebali_cursor_member(scenario->compat, &at, &key, &value)) {
    char field[128];
    int64_t option = 0;
    (void)snprintf(field, sizeof field, "options.compat[\"%.*s\"]", REBALI_SLICE(key));
    if (rebal_enum_find(REBAL_ENUM_OPTION, key.bytes, key.len, &option, NULL) != REBAL_OK) {
      return rebali_scenario_fail(scenario, 1, field, err, REBAL_EPARSE, "there is no such option");
    }
    if (rebali_cursor_kind(value) != REBALI_JSON_BOOLEAN) {
      return rebali_scenario_fail(scenario, 1, field, err, REBAL_EPARSE, "true or false is expected");
    }
    if (rebal_compat_set(compat, (uint32_t)option, rebali_slice_is(value, "true"), err) != REBAL_OK) {
      return rebali_scenario_fail(scenario, 1, field, err, REBAL_EPARSE, "the option takes no such value");
    }
  }
  return REBAL_OK;
}

int32_t rebali_scenario_compat(const struct rebali_scenario *scenario, const rebal_compat *base, rebal_compat **out,
                               rebal_error *err) {
  int32_t code;
  *out = NULL;
  if (scenario->level.len == 0 && scenario->compat.len == 0) {
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

int32_t rebali_scenario_options(struct rebali_scenario *scenario, const struct rebali_reading *reading) {
  int32_t code = rebali_reading_known(reading, option_members, sizeof option_members / sizeof option_members[0]);
  scenario->failover.struct_size = sizeof scenario->failover;
  scenario->failover.eviction_interval_ns = REBALI_EVICTION_INTERVAL;
  scenario->descheduler.struct_size = sizeof scenario->descheduler;
  scenario->descheduler.interval_ns = REBALI_DESCHEDULING_INTERVAL;
  scenario->descheduler.threshold_ns = REBALI_UNSCHEDULABLE_THRESHOLD;
  if (code == REBAL_OK) {
    code = read_flags(scenario, reading);
  }
  if (code == REBAL_OK) {
    code = read_mode(scenario, reading);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "level", REBALI_JSON_STRING, 0, &scenario->level);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "compat", REBALI_JSON_MAP, 0, &scenario->compat);
  }
  return code == REBAL_OK ? read_spans(scenario, reading) : code;
}
