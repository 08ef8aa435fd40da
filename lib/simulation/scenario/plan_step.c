/* SPDX-License-Identifier: MIT */
/* The plan of a step: reads its options, and makes it of the bindings that exist when the step runs. */
#include "simulation/scenario/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const members[] = {"drain", "lose", "maxMoves", "maxSurge", "maxUnavailable", "mode"};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int32_t read_mode(const struct rebali_reading *reading, int32_t *mode) {
  const char *text;
  int64_t found = REBAL_PLAN_MODE_FRESH;
  const int32_t code = rebali_reading_text(reading, "mode", 0, &text);
  if (code != REBAL_OK) {
    return code;
  }
  if (rebali_find(reading->map, "mode") != NULL &&
      rebal_enum_find(REBAL_ENUM_PLAN_MODE, text, strlen(text), &found, NULL) != REBAL_OK) {
    return rebali_reading_fail(reading, "mode", "the mode is fresh, steady or least");
  }
  *mode = (int32_t)found;
  return REBAL_OK;
}

static int32_t read_clusters(const struct rebali_reading *reading, const char *name, const rebal_value **out) {
  int32_t code = rebali_reading_member(reading, name, REBAL_VALUE_KIND_LIST, 0, out);
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(*out); i++) {
    if (rebal_value_kind(rebal_value_item(*out, i)) != REBAL_VALUE_KIND_TEXT) {
      code = rebali_reading_fail(reading, name, "expected names of clusters");
    }
  }
  return code;
}

/* Reads digits and a percent sign, up to a million percent. */
static int read_percentage(const char *text, int64_t *out) {
  const size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 7 || strcmp(text + digits, "%") != 0) {
    return 0;
  }
  *out = strtoll(text, NULL, 10);
  return 1;
}

/* Reads a number of replicas, or a percentage. */
static int32_t read_share(const struct rebali_reading *reading, const char *name, uint32_t given, uint32_t percent,
                          uint32_t *flags, int64_t *out) {
  const rebal_value *value = rebali_find(reading->map, name);
  if (value == NULL) {
    return REBAL_OK;
  }
  *flags |= given;
  if (read_percentage(rebal_value_text(value, NULL), out)) {
    *flags |= percent;
    return REBAL_OK;
  }
  return rebali_number(value, out) && *out >= 0 && *out <= INT32_MAX
             ? REBAL_OK
             : rebali_reading_fail(reading, name,
                                   "expected a number of replicas such as 2, or a percentage such as \"10%\"");
}

static int32_t check_shares(const struct rebali_reading *reading, const rebal_plan_opts *opts) {
  const uint32_t both = REBAL_PLAN_FLAG_SURGE_GIVEN | REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN;
  if ((opts->flags & both) == both && opts->max_surge == 0 && opts->max_unavailable == 0) {
    return rebali_reading_fail(reading, "maxUnavailable", "maxSurge and maxUnavailable are not both 0");
  }
  if ((opts->flags & REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT) != 0 && opts->max_unavailable > 100) {
    return rebali_reading_fail(reading, "maxUnavailable", "at most 100% are not ready");
  }
  return REBAL_OK;
}

static int32_t read_limits(const struct rebali_reading *reading, struct rebali_plan_words *out) {
  rebal_plan_opts *opts = &out->opts;
  int32_t code = rebali_reading_count(reading, "maxMoves");
  out->has_limit = rebali_find(reading->map, "maxMoves") != NULL;
  out->limit = (rebal_limit){.struct_size = sizeof out->limit,
                             .scope = REBAL_LIMIT_SCOPE_TOTAL,
                             .replicas = rebali_number_or(rebali_find(reading->map, "maxMoves"), 0)};
  if (code == REBAL_OK) {
    code = read_share(reading, "maxSurge", REBAL_PLAN_FLAG_SURGE_GIVEN, REBAL_PLAN_FLAG_SURGE_PERCENT, &opts->flags,
                      &opts->max_surge);
  }
  if (code == REBAL_OK) {
    code = read_share(reading, "maxUnavailable", REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN, REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT,
                      &opts->flags, &opts->max_unavailable);
  }
  return code == REBAL_OK ? check_shares(reading, opts) : code;
}

int32_t rebali_plan_words_read(const struct rebali_reading *reading, struct rebali_plan_words *out) {
  int32_t code = rebali_reading_known(reading, members, REBALI_COUNT(members));
  *out = (struct rebali_plan_words){.opts = {.struct_size = sizeof out->opts}};
  if (code == REBAL_OK) {
    code = read_mode(reading, &out->opts.mode);
  }
  if (code == REBAL_OK) {
    code = read_clusters(reading, "drain", &out->drain);
  }
  if (code == REBAL_OK) {
    code = read_clusters(reading, "lose", &out->lose);
  }
  return code == REBAL_OK ? read_limits(reading, out) : code;
}

/* ---- the plan of a step ------------------------------------------------------------------------------------------ */

static int32_t find_clusters(rebal_simulation *simulation, const struct rebali_scenario_step *step, const char *name,
                             const rebal_value *list, struct rebali_ids *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(list); i++) {
    const char *cluster = rebal_value_text(rebal_value_item(list, i), NULL);
    char field[48];
    (void)snprintf(field, sizeof field, "plan.%s[%zu]", name, i);
    code =
        rebali_find_object(&simulation->server, "Cluster", "", cluster) != REBAL_NONE
            ? rebali_ids_add(out, rebal_snapshot_find_cluster(simulation->core.snapshot, cluster, strlen(cluster)), err)
            : rebali_scenario_fail(&simulation->scenario, step->document, field, err, REBAL_ENOTFOUND,
                                   "there is no such cluster");
  }
  return code;
}

static int32_t start(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                     struct rebali_plan_words *words, rebal_error *err) {
  const rebal_limit *const limits[] = {&words->limit};
  rebal_error local = REBAL_ERROR_INIT;
  int32_t code;
  words->opts.limits = limits;
  words->opts.n_limits = (uint64_t)words->has_limit;
  code = rebali_plan_mover_start(&simulation->controllers.mover, &words->opts, &local);
  return code == REBAL_OK ? REBAL_OK : rebali_scenario_pass(&simulation->scenario, step->document, "plan", &local, err);
}

int32_t rebali_step_plan(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  const struct rebali_reading reading = {&simulation->scenario, step->document, "plan.", step->plan, err};
  struct rebali_ids drained = {NULL, 0, 0}, lost = {NULL, 0, 0};
  struct rebali_plan_words words;
  int32_t code = rebali_plan_words_read(&reading, &words);
  if (code == REBAL_OK) {
    code = rebali_plan_mover_feed(&simulation->controllers.mover, err);
  }
  if (code == REBAL_OK) {
    code = find_clusters(simulation, step, "drain", words.drain, &drained, err);
  }
  if (code == REBAL_OK) {
    code = find_clusters(simulation, step, "lose", words.lose, &lost, err);
  }
  words.opts.drained = drained.list;
  words.opts.n_drained = drained.n;
  words.opts.lost = lost.list;
  words.opts.n_lost = lost.n;
  if (code == REBAL_OK) {
    code = start(simulation, step, &words, err);
  }
  rebali_ids_dispose(&drained);
  rebali_ids_dispose(&lost);
  return code;
}
