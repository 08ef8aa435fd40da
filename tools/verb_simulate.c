/* SPDX-License-Identifier: MIT */
/* rebalancectl simulate: a scenario and its transcript. */
#include "rebalancectl.h"

#include <rebalance/simulation.h>

static const uint32_t formats[] = {
    [FORMAT_TABLE] = REBAL_LOG_TABLE,
    [FORMAT_JSON] = REBAL_TEXT_JSON_PRETTY,
    [FORMAT_YAML] = REBAL_TEXT_YAML,
};

static enum status run_scenario(const struct options *options, const struct file *file, rebal_simulation *simulation,
                                struct output *out) {
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  rebal_error err = REBAL_ERROR_INIT;
  if (rebal_simulation_run(simulation, file->bytes, file->len, formats[options->format], out->text, &summary, &err) !=
      REBAL_OK) {
    return complain_of_file(file->name, &err);
  }
  return summary.failed > 0 ? STATUS_CANNOT : STATUS_DONE;
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
