/* SPDX-License-Identifier: MIT */
/* Any text as a scenario: it is refused with a place, or it runs, twice the same. */
#include "law.h"

#include <rebalance/simulation.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int32_t run(const uint8_t *data, size_t size, rebal_text *log) {
  const rebal_manifest_limits limits = {sizeof limits, 32, 1 << 20, 20000, 2000};
  const rebal_simulation_opts opts = {
      .struct_size = sizeof opts, .max_rounds = 50, .max_instants = 100, .max_log_rows = 2000, .limits = &limits};
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  rebal_simulation *simulation;
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;
  law(rebal_simulation_new(&opts, &simulation, NULL) == REBAL_OK);
  code = rebal_simulation_load(simulation, (const char *)data, size, &err); /* the objects among the documents */
  law(code == REBAL_OK || (err.code == code && err.message[0] != '\0'));
  code = rebal_simulation_run(simulation, (const char *)data, size, REBAL_TEXT_FORMAT_JSON, log, &summary, &err);
  law(code == REBAL_OK || (err.code == code && err.message[0] != '\0'));
  law(code != REBAL_OK || summary.instants > 0);
  rebal_simulation_free(simulation);
  return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rebal_text *first = NULL;
  rebal_text *second = NULL;
  size_t len, again;
  const char *bytes;
  law(rebal_text_new(&first, NULL) == REBAL_OK && rebal_text_new(&second, NULL) == REBAL_OK);
  law(run(data, size, first) == run(data, size, second));
  bytes = rebal_text_bytes(first, &len);
  (void)rebal_text_bytes(second, &again);
  law(len == again && memcmp(bytes, rebal_text_bytes(second, NULL), len) == 0);
  rebal_text_free(first);
  rebal_text_free(second);
  return 0;
}
