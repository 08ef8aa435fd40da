/* SPDX-License-Identifier: MIT */
/* One run of one scenario: what it is made of, and the public calls that move it. */
#include "member.h"

#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROUNDS 1000
#define DEFAULT_INSTANTS 1000000
#define DEFAULT_LOG_ROWS 1000000
#define DEFAULT_PODS 100000

static int32_t load_options(rebal_simulation *simulation, const rebal_simulation_opts *opts, rebal_error *err) {
  rebal_simulation_opts *own = &simulation->opts;
  int32_t code = rebali_options_load(own, sizeof *own, sizeof *own, opts, err);
  if (code == REBAL_OK && own->limits != NULL) {
    code = rebali_options_load(&simulation->limits, sizeof simulation->limits, sizeof simulation->limits, own->limits,
                               err);
    own->limits = &simulation->limits;
  }
  if (code != REBAL_OK) {
    return code;
  }
  own->max_rounds = own->max_rounds > 0 ? own->max_rounds : DEFAULT_ROUNDS;
  own->max_instants = own->max_instants > 0 ? own->max_instants : DEFAULT_INSTANTS;
  own->max_pods = own->max_pods == 0 ? DEFAULT_PODS : own->max_pods < INT32_MAX ? own->max_pods : INT32_MAX;
  simulation->log.max_rows = own->max_log_rows > 0 ? own->max_log_rows : DEFAULT_LOG_ROWS;
  return REBAL_OK;
}

size_t rebali_max_pods(const rebal_simulation *simulation) {
  return simulation->scenario.max_pods > 0 ? (size_t)simulation->scenario.max_pods : (size_t)simulation->opts.max_pods;
}

static int32_t make_parts(rebal_simulation *simulation, rebal_error *err) {
  int32_t code = rebal_store_new(simulation->opts.limits, &simulation->store, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_new(NULL, &simulation->fleet, err);
  }
  if (code == REBAL_OK) {
    code = rebal_ctx_new(NULL, NULL, &simulation->ctx, err);
  }
  if (code == REBAL_OK) {
    code = rebal_bindings_new(simulation->fleet, NULL, &simulation->bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebal_result_new(NULL, &simulation->result, err);
  }
  if (code == REBAL_OK) {
    code = rebal_builder_new(NULL, &simulation->builder, err);
  }
  if (code == REBAL_OK) {
    code = rebal_observations_new(NULL, &simulation->observations, err);
  }
  if (code == REBAL_OK) {
    code = rebal_text_new(&simulation->scratch, err);
  }
  if (code == REBAL_OK) {
    code = rebal_text_new(&simulation->log.text, err);
  }
  if (code == REBAL_OK) {
    code = rebal_text_new(&simulation->shares.names, err);
  }
  return code == REBAL_OK ? rebal_text_append(simulation->shares.names, "", 1, err) : code;
}

int32_t rebal_simulation_new(const rebal_simulation_opts *opts, rebal_simulation **out, rebal_error *err) {
  rebal_simulation *simulation;
  int32_t code;
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  simulation = calloc(1, sizeof *simulation);
  if (simulation == NULL) {
    return rebali_fail_memory(err);
  }
  code = load_options(simulation, opts, err);
  if (code == REBAL_OK) {
    simulation->reads = rebali_reads_new();
    code = simulation->reads != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  if (code == REBAL_OK) {
    code = make_parts(simulation, err);
  }
  if (code != REBAL_OK) {
    rebal_simulation_free(simulation);
  } else {
    *out = simulation;
  }
  return code;
}

void rebal_simulation_free(rebal_simulation *simulation) {
  if (simulation == NULL) {
    return;
  }
  for (size_t i = 0; i < simulation->n_tracked; i++) {
    rebali_tracked_dispose(&simulation->tracked[i]);
  }
  for (size_t i = 0; i < simulation->n_works; i++) {
    rebali_work_dispose(&simulation->works[i]);
  }
  for (size_t i = 0; i < simulation->n_members; i++) {
    rebali_member_dispose(&simulation->members[i]);
  }
  free(simulation->members);
  rebali_workloads_free(simulation->workloads);
  rebali_ids_dispose(&simulation->renewed);
  rebali_scenario_dispose(&simulation->scenario);
  rebali_shares_dispose(&simulation->shares);
  free(simulation->tracked);
  free(simulation->works);
  rebali_ids_dispose(&simulation->lacking);
  rebali_ids_dispose(&simulation->tainted);
  for (size_t i = 0; i < REBALI_TIMER_COUNT; i++) {
    rebali_ids_dispose(&simulation->timers[i]);
  }
  free(simulation->log.rows);
  rebal_text_free(simulation->log.text);
  rebal_text_free(simulation->scratch);
  rebali_reads_free(simulation->reads);
  rebal_observations_free(simulation->observations);
  rebal_builder_free(simulation->builder);
  rebal_result_free(simulation->result);
  rebal_bindings_free(simulation->bindings);
  rebal_snapshot_unref(simulation->snapshot);
  rebal_snapshot_unref(simulation->queued);
  rebal_ctx_free(simulation->ctx);
  rebal_compat_free(simulation->compat);
  rebal_feed_free(simulation->feed);
  rebal_fleet_free(simulation->fleet);
  rebal_store_free(simulation->store);
  free(simulation);
}

/* An error of a controller belongs to the step that let it run, or to the head. */
static void place_in_step(const rebal_simulation *simulation, uint32_t document, rebal_error *err) {
  if (err == NULL || err->struct_size < sizeof *err || (err->document != 0 && err->line != 0)) {
    return;
  }
  err->field[0] = '\0';
  rebali_scenario_place(&simulation->scenario, document, err);
}

int32_t rebal_simulation_load(rebal_simulation *simulation, const char *text, size_t len, rebal_error *err) {
  int32_t code;
  if (simulation == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "simulation is needed");
  }
  if (simulation->is_loaded) {
    return rebali_fail(err, REBAL_ESTATE, -1, "a scenario was loaded before, or refused");
  }
  simulation->is_loaded = simulation->is_broken = 1;
  code = rebali_scenario_read(&simulation->scenario, simulation->opts.limits, text, len, simulation->store, err);
  simulation->now = simulation->scenario.start;
  if (code == REBAL_OK) {
    code = rebali_scenario_compat(&simulation->scenario, simulation->opts.compat, &simulation->compat, err);
  }
  if (simulation->compat != NULL) {
    simulation->opts.compat = simulation->compat;
  }
  simulation->scenario.failover.compat = simulation->opts.compat;
  simulation->next_descheduling = simulation->scenario.start;
  simulation->next_descheduling.is_set = simulation->scenario.has_descheduler;
  if (code == REBAL_OK) {
    code = rebali_admit_objects(simulation, err);
  }
  if (code == REBAL_OK) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_STEP, "scenario", "", "initial state", "", err);
  }
  if (code == REBAL_OK) {
    code = rebali_watch_all(simulation, "scenario", "the scenario starts with it", err);
  }
  if (code == REBAL_OK) {
    code = rebali_members_open(simulation, err);
  }
  if (code == REBAL_OK) {
    code = rebali_workloads_open(simulation, err);
  }
  if (code == REBAL_OK && simulation->n_members > 0) {
    code = rebali_capacity_run(simulation, err); /* what their nodes hold is known before anything is scheduled */
  }
  if (code == REBAL_OK) {
    code = rebali_settle(simulation, err);
  }
  code = rebali_reads_end(simulation, code, err);
  simulation->is_broken = code != REBAL_OK;
  if (code != REBAL_OK && simulation->instants > 0) {
    place_in_step(simulation, 1, err);
  }
  return code;
}

int32_t rebal_simulation_step(rebal_simulation *simulation, int32_t *more, rebal_error *err) {
  const struct rebali_scenario_step *step;
  int32_t code;
  if (simulation == NULL || more == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "simulation and more are needed");
  }
  if (!simulation->is_loaded || simulation->is_broken) {
    return rebali_fail(err, REBAL_ESTATE, -1, "the simulation has no scenario, or failed before");
  }
  *more = simulation->next_step < simulation->scenario.n_steps;
  if (!*more) {
    return REBAL_OK;
  }
  step = &simulation->scenario.steps[simulation->next_step];
  code = rebali_reads_end(simulation, rebali_step_run(simulation, step, err), err);
  simulation->is_broken = code != REBAL_OK;
  if (code != REBAL_OK) {
    place_in_step(simulation, step->document, err);
  }
  return code;
}

int32_t rebal_simulation_run(rebal_simulation *simulation, const char *text, size_t len, uint32_t format,
                             rebal_text *out, rebal_simulation_summary *summary, rebal_error *err) {
  int32_t more = 1;
  int32_t written = REBAL_OK;
  int32_t code = rebal_simulation_load(simulation, text, len, err);
  while (code == REBAL_OK && more) {
    code = rebal_simulation_step(simulation, &more, err);
  }
  if (simulation != NULL && out != NULL) {
    written = rebal_simulation_write(simulation, format, out, code == REBAL_OK ? err : NULL);
  }
  if (code == REBAL_OK) {
    code = written;
  }
  if (simulation != NULL && summary != NULL) {
    written = rebal_simulation_summarize(simulation, summary, code == REBAL_OK ? err : NULL);
  }
  return code == REBAL_OK ? written : code;
}

int32_t rebal_simulation_summarize(const rebal_simulation *simulation, rebal_simulation_summary *out,
                                   rebal_error *err) {
  if (simulation == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "simulation and out are needed");
  }
  if (out->struct_size < sizeof *out) {
    return rebali_fail(err, REBAL_EABI, -1, "summary: the structure's size is not one this library knows");
  }
  *out = (rebal_simulation_summary){out->struct_size,     0,
                                    simulation->now,      simulation->next_step,
                                    simulation->instants, simulation->held,
                                    simulation->failed,   simulation->log.n,
                                    simulation->shares.n};
  return REBAL_OK;
}

rebal_store *rebal_simulation_store(rebal_simulation *simulation) {
  return simulation != NULL ? simulation->store : NULL;
}
