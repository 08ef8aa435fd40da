/* SPDX-License-Identifier: MIT */
/* What OpenKruise's admission refuses comes into no cluster that runs workloads (spec workloadspread 8, 13.7). */
#include "simulation.h"

#include <stdio.h>
#include <string.h>

/* Where an object stands: a document, and the path in front of its own. */
struct place {
  rebal_simulation *simulation;
  uint32_t document;
  const char *field;
  int is_update; /* it is looked at before the store has it */
};

static int32_t fail(const struct place *place, int32_t code, const char *path, const char *message, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  (void)rebali_fail(&local, code, -1, "admission refuses it: %s", message);
  (void)snprintf(local.field, sizeof local.field, "%s", path);
  return rebali_scenario_pass(&place->simulation->scenario, place->document, place->field, &local, err);
}

/* The first error, but for the metadata, which an apply keeps. */
static int32_t tell(const struct place *place, const rebal_findings *findings, rebal_error *err) {
  const size_t n = rebal_findings_count(findings, 0);
  for (size_t i = 0; i < n; i++) {
    rebal_finding_row row = {.struct_size = sizeof row};
    const int32_t code = rebal_findings_read(findings, i, &row, err);
    if (code != REBAL_OK) {
      return code;
    }
    if (row.severity == REBAL_SEVERITY_ERROR && strncmp(row.path, "metadata.", 9) != 0) {
      return fail(place, REBAL_EINVAL, row.path, row.message, err);
    }
  }
  return REBAL_OK;
}

static int32_t validate(const struct place *place, struct rebali_slice text, uint32_t old, rebal_error *err) {
  rebal_simulation *simulation = place->simulation;
  rebal_error local = REBAL_ERROR_INIT;
  rebal_findings *findings = NULL;
  int32_t code =
      rebal_store_validate(simulation->store, text.bytes, text.len, old, simulation->opts.compat, &findings, &local);
  if (code == REBAL_OK) {
    code = tell(place, findings, err);
    rebal_findings_free(findings);
    return code;
  }
  return code == REBAL_ENOMEM ? rebali_fail_memory(err) : fail(place, code, local.field, local.message, err);
}

/* One that the store has says which it is, and is no rival of its own. */
static int32_t validate_stored(const struct place *place, uint32_t object, rebal_error *err) {
  rebal_simulation *simulation = place->simulation;
  struct rebali_slice text = {NULL, 0};
  int32_t code;
  rebal_text_reset(simulation->scratch);
  code = rebal_store_write(simulation->store, object, REBAL_TEXT_FORMAT_JSON, simulation->scratch, err);
  text.bytes = rebal_text_bytes(simulation->scratch, &text.len);
  return code == REBAL_OK ? validate(place, text, object, err) : code;
}

static int is_admitted(struct rebali_slice object) {
  static const char group[] = "\"apps.kruise.io/";
  const struct rebali_slice kind = rebali_cursor_find(object, "kind"), api = rebali_cursor_find(object, "apiVersion");
  return (rebali_slice_is(kind, "\"WorkloadSpread\"") || rebali_slice_is(kind, "\"UnitedDeployment\"")) &&
         api.len >= sizeof group && memcmp(api.bytes, group, sizeof group - 1) == 0;
}

static int32_t admit_one(const struct place *place, struct rebali_slice object, rebal_error *err) {
  const struct rebali_slice metadata = rebali_cursor_find(object, "metadata");
  const struct rebali_name name = {rebali_cursor_find(object, "kind"), rebali_cursor_find(metadata, "namespace"),
                                   rebali_cursor_find(metadata, "name")};
  uint32_t stored = REBAL_NONE;
  const int32_t code = is_admitted(object) ? rebali_name_find(place->simulation, &name, &stored, err) : REBAL_OK;
  if (code != REBAL_OK || stored == REBAL_NONE) {
    return code;
  }
  return place->is_update ? validate(place, object, stored, err) : validate_stored(place, stored, err);
}

/* An object, and the items of a List. */
static int32_t admit(const struct place *place, struct rebali_slice object, rebal_error *err) {
  const struct rebali_slice items = rebali_cursor_find(object, "items");
  struct rebali_slice item;
  size_t at = 0;
  int32_t code = admit_one(place, object, err);
  for (size_t i = 0; code == REBAL_OK && rebali_cursor_item(items, &at, &item); i++) {
    char field[64];
    struct place below = *place;
    (void)snprintf(field, sizeof field, "%s%sitems[%zu]", place->field, place->field[0] != '\0' ? "." : "", i);
    below.field = field;
    code = admit_one(&below, item, err);
  }
  return code;
}

int32_t rebali_admit_applied(rebal_simulation *simulation, uint32_t document, const char *field,
                             struct rebali_slice object, int is_update, rebal_error *err) {
  const struct place place = {simulation, document, field, is_update};
  return simulation->scenario.workloads.len > 0 ? admit(&place, object, err) : REBAL_OK;
}

int32_t rebali_admit_objects(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_slice rest = {NULL, 0};
  int32_t code = REBAL_OK;
  rest.bytes = rebal_text_bytes(simulation->scenario.documents, &rest.len);
  for (uint32_t document = 1; code == REBAL_OK && rest.len > 0; document++) {
    const char *end = memchr(rest.bytes, '\n', rest.len);
    const struct rebali_slice line = {rest.bytes, (size_t)(end - rest.bytes)};
    code = rebali_slice_is(rebali_cursor_find(line, "kind"), "\"Step\"")
               ? REBAL_OK
               : rebali_admit_applied(simulation, document, "", line, 0, err);
    rest = (struct rebali_slice){end + 1, rest.len - line.len - 1};
  }
  return code;
}
