/* SPDX-License-Identifier: MIT */
/* rebalancectl simulate: a scenario and its transcript, or what it looks like. */
#include "view.h"

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
}

static enum status write_page(const struct options *options, const rebal_simulation *simulation,
                              const struct series *series) {
  struct output page;
  enum status status = output_open(&page);
  if (status == STATUS_DONE) {
    status = html_write(simulation, series, &page);
  }
  if (status == STATUS_DONE) {
    status = file_write(options, options->html, page.text);
  }
  output_close(&page);
  return status;
}

/* What --watch and --html ask for. */
static enum status show(const struct options *options, const rebal_simulation *simulation,
                        const rebal_simulation_summary *summary, struct output *out) {
  struct series series;
  enum status status = series_open(simulation, &series);
  if (status == STATUS_DONE && options->html != NULL) {
    series_sort(&series, SERIES_BY_BINDING);
    status = write_page(options, simulation, &series);
  }
  if (status == STATUS_DONE && options->is_watch) {
    series_sort(&series, SERIES_BY_MOMENT);
    status = watch_show(simulation, &series, out);
    put_summary(summary, out);
  }
  series_close(&series);
  return status;
}

static enum status run_scenario(const struct options *options, const struct file *file, rebal_simulation *simulation,
                                struct output *out) {
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  rebal_error err = REBAL_ERROR_INIT;
  enum status status = STATUS_DONE;
  if (rebal_simulation_run(simulation, file->bytes, file->len, formats[options->format],
                           options->is_watch ? NULL : out->text, &summary, &err) != REBAL_OK) {
    return complain_of_file(file->name, &err);
  }
  if (options->is_watch || options->html != NULL) {
    status = show(options, simulation, &summary, out);
  }
  return status == STATUS_DONE && summary.failed > 0 ? STATUS_CANNOT : status;
}

enum status simulate_run(const struct options *options, struct output *out) {
  const rebal_manifest_limits limits = input_limits(options->max_input);
  const rebal_simulation_opts opts = {.struct_size = sizeof opts, .limits = &limits, .compat = options->compat};
  rebal_simulation *simulation;
  rebal_error err = REBAL_ERROR_INIT;
  struct file file;
  enum status status = file_read(options->files[0], options->max_input, &file);
  if (status == STATUS_DONE && rebal_simulation_new(&opts, &simulation, &err) != REBAL_OK) {
    status = complain_of_call(&err);
  } else if (status == STATUS_DONE) {
    status = run_scenario(options, &file, simulation, out);
    rebal_simulation_free(simulation);
  }
  file_dispose(&file);
  return status;
}
