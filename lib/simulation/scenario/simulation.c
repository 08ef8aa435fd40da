/* SPDX-License-Identifier: MIT */
/* One run of one scenario: the public calls that run it and read from it. */
#include "simulation/scenario/simulation.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROUNDS 1000
#define DEFAULT_INSTANTS 1000000
#define DEFAULT_LOG_ROWS 1000000
#define DEFAULT_PODS 100000

static int32_t load_options(rebal_simulation *simulation, const rebal_simulation_opts *opts, rebal_error *err) {
  rebal_simulation_opts *own = &simulation->opts;
  int32_t code = rebali_options_load(own, sizeof *own, sizeof *own, opts, err);
  if (code == REBAL_OK && (own->flags & ~(uint32_t)REBAL_SIMULATION_FLAG_LEDGER) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "opts: unknown flags");
  }
  if (code == REBAL_OK && own->limits != NULL) {
    code = rebali_options_load(&simulation->limits, sizeof simulation->limits, sizeof simulation->limits, own->limits,
                               err);
    own->limits = &simulation->limits;
  }
  if (code != REBAL_OK) {
    return code;
  }
  own->max_pods = own->max_pods == 0 ? DEFAULT_PODS : own->max_pods < INT32_MAX ? own->max_pods : INT32_MAX;
  simulation->controllers.max_rounds = own->max_rounds > 0 ? own->max_rounds : DEFAULT_ROUNDS;
  simulation->controllers.max_instants = own->max_instants > 0 ? own->max_instants : DEFAULT_INSTANTS;
  simulation->server.log.max_rows = own->max_log_rows > 0 ? own->max_log_rows : DEFAULT_LOG_ROWS;
  return REBAL_OK;
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
    code = rebali_server_open(&simulation->server, simulation->opts.limits, err);
  }
  if (code == REBAL_OK) {
    code = rebali_core_open(&simulation->core, &simulation->server, err);
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
  rebali_controllers_dispose(&simulation->controllers);
  rebali_own_dispose(&simulation->own);
  rebali_members_dispose(&simulation->members);
  rebali_core_dispose(&simulation->core);
  rebali_server_dispose(&simulation->server);
  rebali_scenario_dispose(&simulation->scenario);
  rebal_compat_free(simulation->compat);
  free(simulation);
}

/* ---- a scenario -------------------------------------------------------------------------------------------------- */

/* An error of a controller is reported for the step during which it ran, or for the head. */
static void place_in_step(const rebal_simulation *simulation, uint32_t document, rebal_error *err) {
  if (err == NULL || err->struct_size < sizeof *err || (err->document != 0 && err->line != 0)) {
    return;
  }
  err->field[0] = '\0';
  rebali_scenario_place(&simulation->scenario, document, err);
}

static int32_t read_scenario(rebal_simulation *simulation, const char *text, size_t len, rebal_error *err) {
  struct rebali_scenario *scenario = &simulation->scenario;
  int32_t code = rebali_scenario_read(scenario, simulation->opts.limits, text, len, simulation->server.store, err);
  simulation->server.now = scenario->options.start;
  if (code == REBAL_OK) {
    code = rebali_scenario_compat(scenario, simulation->opts.compat, &simulation->compat, err);
  }
  simulation->core.compat = simulation->compat != NULL ? simulation->compat : simulation->opts.compat;
  scenario->options.failover.compat = simulation->core.compat;
  scenario->options.has_overcommit_protection =
      (uint32_t)rebali_scenario_has_ledger(scenario, (simulation->opts.flags & REBAL_SIMULATION_FLAG_LEDGER) != 0);
  return code;
}

/* Opens the members and the scenario's own cluster. */
static int32_t open_clusters(rebal_simulation *simulation, rebal_error *err) {
  const struct rebali_scenario *scenario = &simulation->scenario;
  struct rebali_members *members = &simulation->members;
  struct rebali_own *own = &simulation->own;
  int32_t code;
  members->core = &simulation->core;
  members->options = scenario->members;
  members->n_options = scenario->n_members;
  members->ready_after_ns = own->ready_after_ns = scenario->ready_after_ns;
  members->report_after_ns = scenario->report_after_ns;
  members->max_pods = own->max_pods =
      scenario->max_pods > 0 ? (size_t)scenario->max_pods : (size_t)simulation->opts.max_pods;
  code = rebali_members_open(members, err);
  if (code != REBAL_OK && code != REBAL_ENOMEM) {
    rebali_scenario_place(scenario, 1, err);
  }
  simulation->has_own = scenario->workloads != NULL;
  simulation->controllers.is_paused = own->is_paused = scenario->is_paused;
  own->admissions.most = simulation->opts.max_admissions;
  return code == REBAL_OK && simulation->has_own ? rebali_own_open(own, &simulation->core, err) : code;
}

static int32_t load(rebal_simulation *simulation, const char *text, size_t len, rebal_error *err) {
  struct rebali_server *server = &simulation->server;
  int32_t code = read_scenario(simulation, text, len, err);
  if (code == REBAL_OK && !simulation->scenario.is_paused) {
    code = rebali_admit_objects(simulation, err);
  }
  if (code == REBAL_OK) {
    code = rebali_log_report_of(server, REBAL_LOG_KIND_STEP, "scenario", "", "initial state", "", err);
  }
  if (code == REBAL_OK) {
    code = rebali_watch_all(server, "scenario", "the scenario starts with it", err);
  }
  if (code == REBAL_OK) {
    code = open_clusters(simulation, err);
  }
  if (code == REBAL_OK) {
    code = rebali_controllers_open(&simulation->controllers, &simulation->members,
                                   simulation->has_own ? &simulation->own : NULL, &simulation->scenario.options, err);
  }
  if (code == REBAL_OK && simulation->members.n_with_nodes > 0) {
    /* the capacity of their nodes must be known before anything is scheduled */
    code = rebali_cluster_status_run(&simulation->controllers.cluster_status, err);
  }
  server->is_initial = 1;
  code = code == REBAL_OK ? rebali_settle(&simulation->controllers, err) : code;
  server->is_initial = 0;
  return code;
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
  code = rebali_reads_end(&simulation->server, load(simulation, text, len, err), err);
  simulation->is_broken = code != REBAL_OK;
  if (code != REBAL_OK && simulation->controllers.instants > 0) {
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
  code = rebali_reads_end(&simulation->server, rebali_step_run(simulation, step, err), err);
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

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int32_t check_out(const rebal_simulation *simulation, const void *out, size_t first, rebal_error *err) {
  return simulation == NULL || out == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "simulation and out are needed")
                                           : rebali_structure_check(out, first, err);
}

int32_t rebal_simulation_summarize(const rebal_simulation *simulation, rebal_simulation_summary *out,
                                   rebal_error *err) {
  rebal_simulation_summary summary;
  int32_t code;
  code = check_out(simulation, out, sizeof *out, err);
  if (code != REBAL_OK) {
    return code;
  }
  summary = (rebal_simulation_summary){0,
                                       0,
                                       simulation->server.now,
                                       simulation->next_step,
                                       simulation->controllers.instants,
                                       simulation->held,
                                       simulation->failed,
                                       simulation->server.log.n,
                                       simulation->controllers.history.n,
                                       simulation->own.admissions.n,
                                       rebali_overuse_count(&simulation->members)};
  rebali_structure_fill(out, &summary, sizeof summary);
  return REBAL_OK;
}

rebal_store *rebal_simulation_store(rebal_simulation *simulation) {
  return simulation != NULL && rebali_events_write(&simulation->server, NULL) == REBAL_OK ? simulation->server.store
                                                                                          : NULL;
}

int32_t rebal_simulation_log_read(const rebal_simulation *simulation, size_t row, rebal_simulation_entry *out,
                                  rebal_error *err) {
  const struct rebali_change_rows *log;
  rebal_simulation_entry entry;
  int32_t code;
  code = check_out(simulation, out, sizeof *out, err);
  if (code != REBAL_OK) {
    return code;
  }
  log = &simulation->server.log;
  if (row >= log->n) {
    return rebali_fail(err, REBAL_ERANGE, -1, "the log has %zu rows, no row %zu", log->n, row);
  }
  entry = (rebal_simulation_entry){.kind = log->rows[row].kind,
                                   .time = rebali_log_text(log, row, REBALI_LOG_TIME),
                                   .step = rebali_log_text(log, row, REBALI_LOG_STEP),
                                   .controller = rebali_log_text(log, row, REBALI_LOG_CONTROLLER),
                                   .object = rebali_log_text(log, row, REBALI_LOG_OBJECT),
                                   .change = rebali_log_text(log, row, REBALI_LOG_CHANGE),
                                   .reason = rebali_log_text(log, row, REBALI_LOG_REASON)};
  entry.time_len = strlen(entry.time);
  entry.step_len = strlen(entry.step);
  entry.controller_len = strlen(entry.controller);
  entry.object_len = strlen(entry.object);
  entry.change_len = strlen(entry.change);
  entry.reason_len = strlen(entry.reason);
  rebali_structure_fill(out, &entry, sizeof entry);
  return REBAL_OK;
}

int32_t rebal_simulation_write(const rebal_simulation *simulation, uint32_t format, rebal_text *out, rebal_error *err) {
  struct rebali_buffer overuse = REBALI_BUFFER;
  struct rebali_log_end end;
  int32_t code;
  if (simulation == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "simulation and out are needed");
  }
  rebali_overuse_print(&simulation->members, &overuse);
  end = (struct rebali_log_end){simulation->held, simulation->failed, rebali_overuse_count(&simulation->members),
                                rebali_printed(&overuse)};
  code = overuse.failed ? rebali_fail_memory(err) : rebali_log_write(&simulation->server.log, &end, format, out, err);
  rebali_buffer_dispose(&overuse);
  return code;
}

int32_t rebal_simulation_share_read(const rebal_simulation *simulation, size_t row, rebal_simulation_share *out,
                                    rebal_error *err) {
  int32_t code;
  code = check_out(simulation, out, sizeof *out, err);
  if (code != REBAL_OK) {
    return code;
  }
  return rebali_replica_history_read(&simulation->controllers.history, row, out, err);
}

int32_t rebal_simulation_admission_read(const rebal_simulation *simulation, size_t row, rebal_simulation_admission *out,
                                        rebal_error *err) {
  const struct rebali_admissions *admissions;
  const struct rebali_admission_row *found;
  rebal_simulation_admission admission;
  int32_t code;
  code = check_out(simulation, out, sizeof *out, err);
  if (code != REBAL_OK) {
    return code;
  }
  admissions = &simulation->own.admissions;
  if (row >= admissions->n) {
    return rebali_fail(err, REBAL_ERANGE, -1, "there are %zu rows of admissions, no row %zu", admissions->n, row);
  }
  found = &admissions->rows[row];
  admission =
      (rebal_simulation_admission){.operation = found->operation,
                                   .time = found->time,
                                   .outcome = found->outcome,
                                   .is_refused = (uint32_t)found->is_refused,
                                   .pod = found->pod,
                                   .owner = found->owner,
                                   .namespace_ = rebali_admission_text(admissions, row, REBALI_ADMISSION_NAMESPACE),
                                   .name = rebali_admission_text(admissions, row, REBALI_ADMISSION_NAME),
                                   .subset = rebali_admission_text(admissions, row, REBALI_ADMISSION_SUBSET),
                                   .passed_over = rebali_admission_text(admissions, row, REBALI_ADMISSION_PASSED_OVER),
                                   .message = rebali_admission_text(admissions, row, REBALI_ADMISSION_MESSAGE),
                                   .before = rebali_admission_text(admissions, row, REBALI_ADMISSION_BEFORE),
                                   .after = rebali_admission_text(admissions, row, REBALI_ADMISSION_AFTER)};
  rebali_structure_fill(out, &admission, sizeof admission);
  return REBAL_OK;
}
