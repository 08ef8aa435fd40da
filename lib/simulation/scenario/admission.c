/* SPDX-License-Identifier: MIT */
/* What OpenKruise's admission refuses comes into no cluster that runs workloads (spec workloadspread 8, 13.7). */
#include "simulation/scenario/simulation.h"

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

/* One that the store has says which it is, and is no rival of its own. */
static int32_t validate(const struct place *place, const rebal_value *object, uint32_t stored, rebal_error *err) {
  struct rebali_server *server = &place->simulation->server;
  struct rebali_buffer *text = &server->scratch;
  rebal_error local = REBAL_ERROR_INIT;
  rebal_findings *findings = NULL;
  int32_t code;
  rebali_buffer_clear(text);
  rebali_print_json(text, place->is_update ? object : rebali_object(server, stored));
  code = text->failed ? REBAL_ENOMEM
                      : rebal_store_validate(server->store, text->bytes, text->len, stored,
                                             place->simulation->core.compat, &findings, &local);
  if (code == REBAL_OK) {
    code = tell(place, findings, err);
    rebal_findings_free(findings);
    return code;
  }
  return code == REBAL_ENOMEM ? rebali_fail_memory(err) : fail(place, code, local.field, local.message, err);
}

int rebali_is_admitted(const rebal_value *object) {
  static const char group[] = "apps.kruise.io/";
  const rebal_value *kind = rebali_find(object, "kind");
  return (rebali_reads(kind, "WorkloadSpread") || rebali_reads(kind, "UnitedDeployment")) &&
         strncmp(rebali_find_text(object, "apiVersion"), group, sizeof group - 1) == 0;
}

static int32_t admit_one(const struct place *place, const rebal_value *object, rebal_error *err) {
  const rebal_value *metadata = rebali_find(object, "metadata");
  const struct rebali_name name = {rebali_find_text(object, "kind"), rebali_find_text(metadata, "namespace"),
                                   rebali_find_text(metadata, "name")};
  const uint32_t stored = rebali_is_admitted(object) ? rebali_find_named(place->simulation, &name) : REBAL_NONE;
  return stored != REBAL_NONE ? validate(place, object, stored, err) : REBAL_OK;
}

/* An object, and the items of a List. */
static int32_t admit(const struct place *place, const rebal_value *object, rebal_error *err) {
  const rebal_value *items = rebali_find(object, "items");
  int32_t code = admit_one(place, object, err);
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(items); i++) {
    char field[64];
    struct place below = *place;
    (void)snprintf(field, sizeof field, "%s%sitems[%zu]", place->field, place->field[0] != '\0' ? "." : "", i);
    below.field = field;
    code = admit_one(&below, rebal_value_item(items, i), err);
  }
  return code;
}

int32_t rebali_admit_applied(rebal_simulation *simulation, uint32_t document, const char *field,
                             const rebal_value *object, int is_update, rebal_error *err) {
  const struct place place = {simulation, document, field, is_update};
  return simulation->scenario.workloads != NULL ? admit(&place, object, err) : REBAL_OK;
}

int32_t rebali_admit_objects(rebal_simulation *simulation, rebal_error *err) {
  const struct rebali_scenario *scenario = &simulation->scenario;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < scenario->n_admitted; i++) {
    code = rebali_admit_applied(simulation, scenario->admitted[i].number, "",
                                rebal_document_value(scenario->admitted[i].document, ""), 0, err);
  }
  return code;
}
