/* SPDX-License-Identifier: MIT */
/* Changes the objects of a step; the controllers do all that follows from it. */
#include "simulation/scenario/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "scenario";
static const char reason[] = "set by the step";

/* ---- apply ------------------------------------------------------------------------------------------------------- */

int32_t rebali_step_apply(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                          const rebal_value *object, const char *field, rebal_error *err) {
  struct rebali_server *server = &simulation->server;
  rebal_error local = REBAL_ERROR_INIT;
  int32_t code = rebali_admit_applied(simulation, step->document, field, object, 1, err);
  if (code != REBAL_OK) {
    return code;
  }
  rebali_buffer_clear(&server->scratch);
  rebali_print_json(&server->scratch, object);
  code = rebali_apply(server, &server->scratch, &local);
  return code == REBAL_OK ? rebali_admit_applied(simulation, step->document, field, object, 0, err)
                          : rebali_scenario_pass(&simulation->scenario, step->document, field, &local, err);
}

static int32_t apply_one(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                         const rebal_value *object, const char *field, rebal_error *err) {
  const int32_t code = step->refused != NULL ? rebali_step_apply_refused(simulation, step, object, field, err)
                                             : rebali_step_apply(simulation, step, object, field, err);
  return code == REBAL_OK ? rebali_watch_all(&simulation->server, name, "applied by the step", err) : code;
}

static int32_t apply(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  int32_t code = REBAL_OK;
  if (rebali_is_map(step->apply)) {
    return apply_one(simulation, step, step->apply, "apply", err);
  }
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(step->apply); i++) {
    char field[32];
    (void)snprintf(field, sizeof field, "apply[%zu]", i);
    code = apply_one(simulation, step, rebal_value_item(step->apply, i), field, err);
  }
  return code;
}

/* ---- taints ------------------------------------------------------------------------------------------------------ */

static int is_removed(const rebal_value *item, const struct rebali_taint_text *taint, int is_added) {
  return rebali_reads(rebali_find(item, "key"), taint->key) &&
         (taint->effect == NULL || rebali_reads(rebali_find(item, "effect"), taint->effect)) &&
         (is_added || taint->value == NULL || rebali_reads(rebali_find(item, "value"), taint->value));
}

void rebali_print_taints(struct rebali_buffer *out, const rebal_value *taints, const struct rebali_taint_text *taint,
                         int is_added, size_t *removed) {
  size_t n = 0;
  *removed = 0;
  rebali_buffer_clear(out);
  rebali_buffer_text(out, "{\"spec\":{\"taints\":[");
  for (size_t i = 0; i < rebal_value_count(taints); i++) {
    const rebal_value *item = rebal_value_item(taints, i);
    const int goes = is_removed(item, taint, is_added);
    *removed += (size_t)goes;
    if (!goes) {
      rebali_buffer_text(out, n++ > 0 ? "," : "");
      rebali_print_json(out, item);
    }
  }
  if (is_added) {
    rebali_buffer_text(out, n > 0 ? ",{\"key\":" : "{\"key\":");
    rebali_print_text(out, taint->key);
    if (taint->value != NULL && taint->value[0] != '\0') {
      rebali_print_member(out, "value", taint->value);
    }
    rebali_print_member(out, "effect", taint->effect);
    rebali_buffer_text(out, "}");
  }
  rebali_buffer_text(out, "]}}");
}

static int32_t patch_taints(rebal_simulation *simulation, const struct rebali_scenario_step *step, uint32_t cluster,
                            const struct rebali_taint_text *taint, int is_added, rebal_error *err) {
  struct rebali_server *server = &simulation->server;
  size_t removed = 0;
  int32_t code;
  rebali_print_taints(&server->scratch, rebali_field(server, cluster, "spec.taints"), taint, is_added, &removed);
  if (!is_added && removed == 0 && !server->reads.has_failed) {
    return rebali_scenario_fail(&simulation->scenario, step->document, "untaint.taint", err, REBAL_ENOTFOUND,
                                "the cluster has no such taint");
  }
  code = rebali_patch(server, cluster, &server->scratch, err);
  return code == REBAL_OK ? rebali_watch(server, cluster, name, reason, err) : code;
}

static int32_t change_taint(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                            const rebal_value *change, const char *field, int is_added, rebal_error *err) {
  const uint32_t cluster = rebali_find_object(&simulation->server, "Cluster", "", rebali_find_text(change, "cluster"));
  struct rebali_taint_text taint;
  int32_t code;
  if (cluster == REBAL_NONE) {
    return rebali_scenario_fail(&simulation->scenario, step->document, field, err, REBAL_ENOTFOUND,
                                "there is no such cluster");
  }
  code = rebali_taint_split(rebali_find_text(change, "taint"), is_added, &taint, err);
  if (code == REBAL_OK) {
    code = rebali_find(change, "node") != NULL ? rebali_node_taint(simulation, step, change, &taint, is_added, err)
                                               : patch_taints(simulation, step, cluster, &taint, is_added, err);
    free(taint.text);
  }
  return code;
}

static int32_t change_taints(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                             const rebal_value *changes, int is_added, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < rebali_change_count(changes); i++) {
    char prefix[32], field[48];
    rebali_change_prefix(changes, is_added ? "taint" : "untaint", i, prefix, sizeof prefix);
    (void)snprintf(field, sizeof field, "%scluster", prefix);
    code = change_taint(simulation, step, rebali_change_at(changes, i), field, is_added, err);
  }
  return code;
}

/* ---- other changes ----------------------------------------------------------------------------------------------- */

struct rebali_name rebali_name_of_object(const rebal_value *object) {
  const rebal_value *metadata = rebali_find(object, "metadata");
  return (struct rebali_name){rebali_find_text(object, "kind"), rebali_find_text(metadata, "namespace"),
                              rebali_find_text(metadata, "name")};
}

struct rebali_name rebali_name_in(const rebal_value *map) {
  return (struct rebali_name){rebali_find_text(map, "kind"), rebali_find_text(map, "namespace"),
                              rebali_find_text(map, "name")};
}

uint32_t rebali_find_named(const rebal_simulation *simulation, const struct rebali_name *name_of) {
  const struct rebali_server *server = &simulation->server;
  const uint32_t found = rebali_find_object(server, name_of->kind, name_of->namespace_, name_of->name);
  return found == REBAL_NONE && name_of->namespace_[0] == '\0'
             ? rebali_find_object(server, name_of->kind, "default", name_of->name)
             : found;
}

/* Marks a cluster as being deleted; it is removed when it is empty. */
static int32_t mark_cluster(struct rebali_server *server, uint32_t cluster, rebal_error *err) {
  struct rebali_buffer *patch = &server->scratch;
  int32_t code;
  rebali_buffer_clear(patch);
  rebali_buffer_text(patch, "{\"metadata\":{\"deletionTimestamp\":\"");
  rebali_print_time(patch, &server->now);
  rebali_buffer_text(patch, "\"}}");
  code = rebali_patch(server, cluster, patch, err);
  return code == REBAL_OK ? rebali_watch(server, cluster, name, reason, err) : code;
}

/* Deletes a workload and its binding, which it owns. */
static int32_t delete_with_binding(struct rebali_server *server, uint32_t object, rebal_error *err) {
  uint32_t binding = REBAL_NONE;
  int32_t code = rebali_binding_of(server, object, &binding, err);
  if (code == REBAL_OK) {
    code = rebali_remove(server, object, name, reason, err);
  }
  if (code == REBAL_OK && binding != REBAL_NONE && binding != object) {
    code = rebali_remove(server, binding, "garbage-collector", "its workload is gone", err);
  }
  return code;
}

static int32_t delete_pod(struct rebali_own *own, uint32_t pod, rebal_error *err) {
  int32_t code = rebali_pod_delete(own, pod, name, reason, err);
  if (code == REBAL_OK) {
    code = rebali_pod_log_report(own, err);
  }
  return code == REBAL_OK ? rebali_webhook_report(own, err) : code;
}

/* Finds the object that a member of the step names. */
static int32_t find(rebal_simulation *simulation, const struct rebali_scenario_step *step, const char *member,
                    const rebal_value *map, uint32_t *out, rebal_error *err) {
  const struct rebali_name target = rebali_name_in(map);
  const int32_t code = rebali_events_write_of(&simulation->server, target.kind, err);
  if (code != REBAL_OK) {
    return code;
  }
  *out = rebali_find_named(simulation, &target);
  return *out != REBAL_NONE ? REBAL_OK
                            : rebali_scenario_fail(&simulation->scenario, step->document, member, err, REBAL_ENOTFOUND,
                                                   "there is no such object");
}

static int32_t delete(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  struct rebali_server *server = &simulation->server;
  uint32_t object;
  const int32_t code = find(simulation, step, "delete", step->delete, &object, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (simulation->has_own && rebali_is_kind(server, object, "Pod")) {
    return delete_pod(&simulation->own, object, err);
  }
  if (rebali_is_kind(server, object, "Event")) {
    rebali_event_forget(server, object);
  }
  return rebali_is_kind(server, object, "Cluster") ? mark_cluster(server, object, err)
                                                   : delete_with_binding(server, object, err);
}

static int32_t scale(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  struct rebali_server *server = &simulation->server;
  struct rebali_buffer *patch = &server->scratch;
  uint32_t object;
  int32_t code = find(simulation, step, "scale", step->scale, &object, err);
  if (code != REBAL_OK) {
    return code;
  }
  rebali_buffer_clear(patch);
  rebali_buffer_format(patch, "{\"spec\":{\"%s\":", rebali_is_kind(server, object, "Job") ? "parallelism" : "replicas");
  rebali_print_json(patch, rebali_find(step->scale, "replicas"));
  rebali_buffer_text(patch, "}}");
  code = rebali_patch(server, object, patch, err);
  return code == REBAL_OK ? rebali_watch(server, object, name, "scaled by the step", err) : code;
}

/* Tests whether admission would accept the patched object. */
static int32_t admit_patched(rebal_simulation *simulation, const struct rebali_scenario_step *step, uint32_t object,
                             rebal_error *err) {
  struct rebali_server *server = &simulation->server;
  struct rebali_buffer text = REBALI_BUFFER;
  rebal_document *document = NULL;
  int32_t code = REBAL_OK;
  rebali_print_json(&text, rebali_object(server, object));
  code = rebali_merge_text(server, &text, &server->scratch, err);
  if (code == REBAL_OK) {
    code = rebal_document_read(text.bytes, text.len, server->limits, &document, err);
  }
  if (code == REBAL_OK) {
    code = rebali_admit_applied(simulation, step->document, "patch.merge", rebal_document_value(document, ""), 1, err);
  }
  rebal_document_free(document);
  rebali_buffer_dispose(&text);
  return code;
}

static void print_merge(rebal_simulation *simulation, const struct rebali_scenario_step *step) {
  rebali_buffer_clear(&simulation->server.scratch);
  rebali_print_json(&simulation->server.scratch, rebali_find(step->patch, "merge"));
}

static int32_t patch(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  struct rebali_server *server = &simulation->server;
  rebal_error local = REBAL_ERROR_INIT;
  uint32_t object;
  int32_t code = find(simulation, step, "patch", step->patch, &object, err);
  if (code == REBAL_OK && rebali_is_admitted(&simulation->scenario, rebali_object(server, object))) {
    print_merge(simulation, step);
    code = admit_patched(simulation, step, object, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  print_merge(simulation, step);
  code = rebali_patch(server, object, &server->scratch, &local);
  return code == REBAL_OK ? rebali_watch(server, object, name, "patched by the step", err)
                          : rebali_scenario_pass(&simulation->scenario, step->document, "patch.merge", &local, err);
}

/* ---- controllers of a paused scenario ---------------------------------------------------------------------------- */

/* Finds the workload that a member of the step names, whose kind must have pods. */
static int32_t find_workload(rebal_simulation *simulation, const struct rebali_scenario_step *step, const char *member,
                             const rebal_value *map, uint32_t *out, rebal_error *err) {
  const int32_t code = find(simulation, step, member, map, out, err);
  return code != REBAL_OK ||
                 rebali_workload_is_known(&simulation->controllers.workloads, rebali_kind_of(&simulation->server, *out))
             ? code
             : rebali_scenario_fail(&simulation->scenario, step->document, member, err, REBAL_EINVAL,
                                    "no controller of the scenario looks after this kind");
}

static int32_t create(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  uint32_t object;
  const int32_t code = find_workload(simulation, step, "create", step->create, &object, err);
  return code == REBAL_OK ? rebali_workload_create(&simulation->own, object,
                                                   rebali_number_or(rebali_find(step->create, "pods"), 0), err)
                          : code;
}

static int32_t reconcile(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  uint32_t object;
  int32_t code;
  if (rebali_reads(rebali_find(step->reconcile, "kind"), "WorkloadSpread")) {
    code = find(simulation, step, "reconcile", step->reconcile, &object, err);
    return code == REBAL_OK ? rebali_spread_controller_pass(&simulation->controllers.spreads, object, err) : code;
  }
  code = find_workload(simulation, step, "reconcile", step->reconcile, &object, err);
  return code == REBAL_OK ? rebali_workload_reconcile(&simulation->own, object, err) : code;
}

static int32_t run_controllers(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                               rebal_error *err) {
  int32_t code = REBAL_OK;
  if (step->create != NULL) {
    code = create(simulation, step, err);
  }
  return code == REBAL_OK && step->reconcile != NULL ? reconcile(simulation, step, err) : code;
}

static int32_t set_faults(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  uint32_t object;
  const int32_t code = find(simulation, step, "failWrites", step->faults, &object, err);
  return code == REBAL_OK ? rebali_fault_set(&simulation->server, object,
                                             rebali_fault_find(rebali_find_text(step->faults, "answer")),
                                             rebali_number_or(rebali_find(step->faults, "times"), 1), err)
                          : code;
}

/* ---- all changes ------------------------------------------------------------------------------------------------- */

static int32_t change(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  int32_t code = apply(simulation, step, err);
  if (code == REBAL_OK && step->patch != NULL) {
    code = patch(simulation, step, err);
  }
  if (code == REBAL_OK && step->scale != NULL) {
    code = scale(simulation, step, err);
  }
  if (code == REBAL_OK && step->taint != NULL) {
    code = change_taints(simulation, step, step->taint, 1, err);
  }
  if (code == REBAL_OK && step->untaint != NULL) {
    code = change_taints(simulation, step, step->untaint, 0, err);
  }
  if (code == REBAL_OK && step->delete != NULL) {
    code = delete (simulation, step, err);
  }
  if (code == REBAL_OK) {
    code = rebali_member_changes_run(simulation, step, err);
  }
  if (code == REBAL_OK && step->faults != NULL) {
    code = set_faults(simulation, step, err);
  }
  if (code == REBAL_OK) {
    code = run_controllers(simulation, step, err);
  }
  return code == REBAL_OK && step->plan != NULL ? rebali_step_plan(simulation, step, err) : code;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* Lets time pass until the step is due. */
static int32_t come_to(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  const rebal_time *now = &simulation->server.now;
  const rebal_time until = step->at.is_set ? step->at : rebali_time_after(now, step->after_ns);
  if (rebali_time_compare(&until, now) < 0) {
    return rebali_scenario_fail(&simulation->scenario, step->document, "at", err, REBAL_ERANGE,
                                "the step is earlier than the previous step");
  }
  return rebali_advance(&simulation->controllers, &until, err);
}

int32_t rebali_step_run(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  struct rebali_server *server = &simulation->server;
  rebal_time until;
  int32_t code = come_to(simulation, step, err);
  simulation->next_step++;
  server->step = step->name;
  if (code == REBAL_OK) {
    code = rebali_log_report_of(server, REBAL_LOG_KIND_STEP, name, "", step->name[0] != '\0' ? step->name : "step", "",
                                err);
  }
  if (code == REBAL_OK) {
    code = change(simulation, step, err);
  }
  if (code == REBAL_OK) {
    code = rebali_settle(&simulation->controllers, err);
  }
  if (code == REBAL_OK && step->advance_ns > 0) {
    until = rebali_time_after(&server->now, step->advance_ns);
    code = rebali_advance(&simulation->controllers, &until, err);
  }
  return code == REBAL_OK ? rebali_expect(simulation, step, err) : code;
}
