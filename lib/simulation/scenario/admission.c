/* SPDX-License-Identifier: MIT */
/*
 * What admission refuses: OpenKruise's in a cluster that runs workloads (rebalance-workloadspread(7) 8, 13.7),
 * Karmada's of policies in every cluster.
 */
#include "simulation/scenario/simulation.h"

#include <stdio.h>
#include <string.h>

/* The location of an object: a document, and the path of the object in it. */
struct place {
  rebal_simulation *simulation;
  uint32_t document;
  const char *field;
  int is_update; /* validated before the store has it */
};

static int32_t fail(const struct place *place, int32_t code, const char *path, const char *message, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  (void)rebali_fail(&local, code, -1, "admission refuses it: %s", message);
  (void)snprintf(local.field, sizeof local.field, "%s", path);
  return rebali_scenario_pass(&place->simulation->scenario, place->document, place->field, &local, err);
}

/* Reports the first error, except in metadata, which an apply keeps. */
static int32_t report(const struct place *place, const rebal_findings *findings, rebal_error *err) {
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

/* By group and kind: those of OpenKruise where the cluster runs workloads, those of Karmada in every cluster. */
static const struct {
  const char *group, *kind;
  int is_of_workloads;
} admitted[] = {
    {"apps.kruise.io/", "WorkloadSpread", 1},
    {"apps.kruise.io/", "UnitedDeployment", 1},
    {"policy.karmada.io/", "PropagationPolicy", 0},
    {"policy.karmada.io/", "ClusterPropagationPolicy", 0},
};

/* Returns its index in the table, or REBALI_COUNT(admitted). */
static size_t find_admitted(const rebal_value *object) {
  const char *version = rebali_find_text(object, "apiVersion");
  size_t i = 0;
  while (i < REBALI_COUNT(admitted) && (!rebali_reads(rebali_find(object, "kind"), admitted[i].kind) ||
                                        strncmp(version, admitted[i].group, strlen(admitted[i].group)) != 0)) {
    i++;
  }
  return i;
}

int rebali_is_admitted(const struct rebali_scenario *scenario, const rebal_value *object) {
  const size_t i = find_admitted(object);
  return i < REBALI_COUNT(admitted) && (!admitted[i].is_of_workloads || scenario->workloads != NULL);
}

/* Validates an object. stored is the object if the store has it, which is not compared with itself. */
static int32_t validate(const struct place *place, const rebal_value *object, uint32_t stored, rebal_error *err) {
  struct rebali_server *server = &place->simulation->server;
  struct rebali_buffer *text = &server->scratch;
  rebal_error local = REBAL_ERROR_INIT;
  rebal_findings *findings = NULL;
  int32_t code;
  rebali_buffer_clear(text);
  rebali_print_json(text, place->is_update ? object : rebali_object(server, stored));
  if (text->failed) {
    return rebali_fail_memory(err);
  }
  code = admitted[find_admitted(object)].is_of_workloads
             ? rebal_store_validate(server->store, text->bytes, text->len, stored, place->simulation->core.compat,
                                    &findings, &local)
             : rebal_manifest_validate(text->bytes, text->len, server->limits, &findings, &local);
  if (code == REBAL_OK) {
    code = report(place, findings, err);
    rebal_findings_free(findings);
    return code;
  }
  return code == REBAL_ENOMEM ? rebali_fail_memory(err) : fail(place, code, local.field, local.message, err);
}

static int32_t admit_one(const struct place *place, const rebal_value *object, rebal_error *err) {
  const struct rebali_name name = rebali_name_of_object(object);
  const uint32_t stored = rebali_is_admitted(&place->simulation->scenario, object)
                              ? rebali_find_named(place->simulation, &name)
                              : REBAL_NONE;
  return stored != REBAL_NONE ? validate(place, object, stored, err) : REBAL_OK;
}

/* Validates an object, or the items of a List. */
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
  return admit(&place, object, err);
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
