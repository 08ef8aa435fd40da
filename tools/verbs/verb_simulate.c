/* SPDX-License-Identifier: MIT */
/* rebalancectl simulate: runs a scenario and prints its log, its states after each step, or a view of it. */
#include "findings.h"
#include "view.h"

#include <inttypes.h>
#include <string.h>

static const uint32_t formats[] = {
    [FORMAT_TABLE] = REBAL_LOG_FORMAT_TABLE,
    [FORMAT_JSON] = REBAL_TEXT_FORMAT_JSON_PRETTY,
    [FORMAT_YAML] = REBAL_TEXT_FORMAT_YAML,
};

static void put_summary(const rebal_simulation_summary *summary, struct output *out) {
  put(out, "\nexpectations: ");
  put_integer(out, (int64_t)summary->held);
  put(out, " held, ");
  put_integer(out, (int64_t)summary->failed);
  put(out, " failed\n");
  if (summary->overused > 0) {
    put(out, "clusters used beyond capacity: ");
    put_integer(out, (int64_t)summary->overused);
    put(out, "\n");
  }
}

struct shown {
  const rebal_simulation *simulation;
  const struct series *series;
};

static enum status append_page(const void *user, struct output *out) {
  const struct shown *shown = user;
  return html_write(shown->simulation, shown->series, out);
}

/* The output of --watch and --html. */
static enum status show(const struct options *options, const rebal_simulation *simulation,
                        const rebal_simulation_summary *summary, struct output *out) {
  struct series series;
  const struct shown shown = {simulation, &series};
  enum status status = series_open(simulation, &series);
  if (status == STATUS_DONE && options->html != NULL) {
    series_sort(&series, SERIES_BY_BINDING);
    status = html_save(options, append_page, &shown);
  }
  if (status == STATUS_DONE && options->is_watch) {
    series_sort(&series, SERIES_BY_MOMENT);
    status = watch_show(simulation, &series, out);
    put_summary(summary, out);
  }
  series_close(&series);
  return status;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static int writes_states_only(const struct options *options) {
  return options->states != NULL && strcmp(options->states, "-") == 0;
}

/* Appends a line of JSON: the number of a step, from 0, and all objects after it. */
static int32_t put_state(rebal_simulation *simulation, uint64_t step, struct output *states, rebal_error *err) {
  const rebal_store *store = rebal_simulation_store(simulation);
  const char *comma = "";
  int32_t code = store != NULL ? REBAL_OK : REBAL_ENOMEM;
  put(states, "{\"step\": ");
  put_integer(states, (int64_t)step);
  put(states, ", \"objects\": [");
  for (uint32_t object = rebal_store_next(store, "", 0, REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebal_store_next(store, "", 0, object)) {
    put(states, comma);
    comma = ", ";
    code = rebal_store_text(store, object, "", 0, states->text, err);
  }
  put(states, "]}\n");
  return code;
}

/* Shows the number of the next step and the virtual time as progress. */
static void report_progress(const rebal_simulation *simulation, uint64_t step) {
  const rebal_simulation_summary summary = summary_of(simulation);
  char text[TIME_CAPACITY];
  progress("simulating: step %" PRIu64 " from %s", step + 1, time_text(&summary.now, text));
}

/* Runs every step; appends a line to states after each if it is not NULL. */
static int32_t run_steps(const struct file *file, rebal_simulation *simulation, struct output *states,
                         rebal_error *err) {
  int32_t more = 1;
  int32_t code = rebal_simulation_load(simulation, file->bytes, file->len, err);
  for (uint64_t step = 0; code == REBAL_OK && more; step++) {
    report_progress(simulation, step);
    code = rebal_simulation_step(simulation, &more, err);
    if (code == REBAL_OK && more && states != NULL) {
      code = put_state(simulation, step, states, err);
    }
  }
  return code;
}

/* Output in addition to the log, or instead of it. */
static enum status write_views(const struct options *options, const rebal_simulation *simulation,
                               const struct output *states, struct output *out) {
  const rebal_simulation_summary summary = summary_of(simulation);
  rebal_error err = REBAL_ERROR_INIT;
  enum status status = STATUS_DONE;
  size_t len;
  const char *bytes = rebal_text_bytes(states->text, &len);
  if (states->failed) {
    return complain_of_memory();
  }
  if (writes_states_only(options)) {
    put_bytes(out, bytes, len);
  } else if (options->states != NULL) {
    status = file_write(options, options->states, states->text);
  }
  if (!writes_states_only(options) && !options->is_watch &&
      rebal_simulation_write(simulation, formats[options->format], out->text, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  if (status == STATUS_DONE && (options->is_watch || options->html != NULL)) {
    status = show(options, simulation, &summary, out);
  }
  return status == STATUS_DONE && summary.failed > 0 ? STATUS_CANNOT : status;
}

static enum status run_scenario(const struct options *options, const struct file *file, rebal_simulation *simulation,
                                struct output *out) {
  rebal_error err = REBAL_ERROR_INIT;
  struct output states;
  enum status status = output_open(&states);
  if (status != STATUS_DONE) {
    return status;
  }
  status = run_steps(file, simulation, options->states != NULL ? &states : NULL, &err) == REBAL_OK
               ? write_views(options, simulation, &states, out)
               : complain_of_file(file->name, &err);
  output_close(&states);
  return status;
}

enum status simulate_run(const struct options *options, struct output *out) {
  const rebal_manifest_limits limits = input_limits(options->max_input);
  const rebal_simulation_opts opts = {.struct_size = sizeof opts,
                                      .flags = options->has_ledger ? REBAL_SIMULATION_FLAG_LEDGER : 0,
                                      .limits = &limits,
                                      .compat = options->compat};
  rebal_simulation *simulation;
  rebal_error err = REBAL_ERROR_INIT;
  struct file file;
  enum status status = file_read(options->files[0], options->max_input, &file);
  if (status == STATUS_DONE && rebal_simulation_new(&opts, &simulation, &err) != REBAL_OK) {
    status = complain_of_call(&err);
  } else if (status == STATUS_DONE) {
    status = run_scenario(options, &file, simulation, out);
    rebal_simulation_free(simulation);
    if (status == STATUS_DONE || status == STATUS_CANNOT) {
      const enum status reported = findings_report(options, REPEAT_OF_SPREAD, &file);
      status = reported == STATUS_DONE ? status : reported;
    }
  }
  file_dispose(&file);
  return status;
}
