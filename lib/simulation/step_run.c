/* SPDX-License-Identifier: MIT */
/* What a step does to the objects; all that follows from it is done by the controllers. */
#include "member.h"

#include "workloads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "scenario";
static const char reason[] = "the step says so";

static int32_t apply_one(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                         struct rebali_slice object, const char *field, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  int32_t code = rebali_admit_applied(simulation, step->document, field, object, 1, err);
  if (code != REBAL_OK) {
    return code;
  }
  code = rebal_store_apply(simulation->store, object.bytes, object.len, &simulation->now, &local);
  if (code != REBAL_OK) {
    return rebali_scenario_pass(&simulation->scenario, step->document, field, &local, err);
  }
  code = rebali_admit_applied(simulation, step->document, field, object, 0, err);
  return code == REBAL_OK ? rebali_watch_all(simulation, name, "applied by the step", err) : code;
}

static int32_t apply(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  struct rebali_slice item;
  size_t at = 0;
  int32_t code = REBAL_OK;
  if (rebali_cursor_kind(step->apply) == REBALI_JSON_MAP) {
    return apply_one(simulation, step, step->apply, "apply", err);
  }
  for (size_t i = 0; code == REBAL_OK && rebali_cursor_item(step->apply, &at, &item); i++) {
    char field[32];
    (void)snprintf(field, sizeof field, "apply[%zu]", i);
    code = apply_one(simulation, step, item, field, err);
  }
  return code;
}

static int is_same(struct rebali_slice taint, const char *member, struct rebali_slice wanted) {
  const struct rebali_slice value = rebali_cursor_find(taint, member);
  return value.len == wanted.len + 2 && memcmp(value.bytes + 1, wanted.bytes, wanted.len) == 0;
}

static int32_t write_taint(const struct rebali_taint_text *taint, rebal_text *out, rebal_error *err) {
  int32_t code = rebali_print(out, err, "{\"key\":");
  if (code == REBAL_OK) {
    code = rebali_quote(taint->key, out, err);
  }
  if (code == REBAL_OK && taint->value.len > 0) {
    code = rebali_print(out, err, ",\"value\":");
  }
  if (code == REBAL_OK && taint->value.len > 0) {
    code = rebali_quote(taint->value, out, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, ",\"effect\":");
  }
  if (code == REBAL_OK) {
    code = rebali_quote(taint->effect, out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "}") : code;
}

int32_t rebali_taints_write(struct rebali_slice taints, const struct rebali_taint_text *taint, int is_added,
                            size_t *removed, rebal_text *out, rebal_error *err) {
  struct rebali_slice item;
  size_t at = 0, n = 0;
  int32_t code = rebali_print(out, err, "{\"spec\":{\"taints\":[");
  *removed = 0;
  while (code == REBAL_OK && rebali_cursor_item(taints, &at, &item)) {
    const int goes = is_same(item, "key", taint->key) &&
                     (taint->effect.bytes == NULL || is_same(item, "effect", taint->effect)) &&
                     (is_added || taint->value.bytes == NULL || is_same(item, "value", taint->value));
    *removed += (size_t)goes;
    if (!goes) {
      code = rebali_print(out, err, "%s%.*s", n++ > 0 ? "," : "", REBALI_SLICE(item));
    }
  }
  if (code == REBAL_OK && is_added && n > 0) {
    code = rebali_print(out, err, ",");
  }
  if (code == REBAL_OK && is_added) {
    code = write_taint(taint, out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "]}}") : code;
}

static int32_t patch_taints(rebal_simulation *simulation, const struct rebali_scenario_step *step, uint32_t cluster,
                            const struct rebali_taint_text *taint, int is_added, rebal_error *err) {
  char *taints = rebali_field_copy(simulation, cluster, "spec.taints");
  size_t removed = 0, len;
  const char *bytes;
  int32_t code = taints != NULL ? REBAL_OK : rebali_fail_memory(err);
  rebal_text_reset(simulation->scratch);
  if (code == REBAL_OK) {
    code = rebali_taints_write(rebali_slice(taints), taint, is_added, &removed, simulation->scratch, err);
  }
  free(taints);
  if (code == REBAL_OK && !is_added && removed == 0) {
    return rebali_scenario_fail(&simulation->scenario, step->document, "untaint.taint", err, REBAL_ENOTFOUND,
                                "the cluster has no such taint");
  }
  bytes = rebal_text_bytes(simulation->scratch, &len);
  if (code == REBAL_OK) {
    code = rebal_store_patch(simulation->store, cluster, bytes, len, &simulation->now, err);
  }
  return code == REBAL_OK ? rebali_watch(simulation, cluster, name, reason, err) : code;
}

static int32_t change_taints(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                             struct rebali_slice change, const char *field, int is_added, rebal_error *err) {
  const struct rebali_name target = {rebali_slice("\"Cluster\""), {NULL, 0}, rebali_cursor_find(change, "cluster")};
  struct rebali_taint_text taint;
  uint32_t cluster;
  int32_t code = rebali_name_find(simulation, &target, &cluster, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (cluster == REBAL_NONE) {
    return rebali_scenario_fail(&simulation->scenario, step->document, field, err, REBAL_ENOTFOUND,
                                "there is no such cluster");
  }
  code = rebali_taint_split(rebali_cursor_find(change, "taint"), is_added, &taint, err);
  if (code == REBAL_OK) {
    code = rebali_cursor_find(change, "node").len > 0
               ? rebali_node_taint(simulation, step, change, &taint, is_added, err)
               : patch_taints(simulation, step, cluster, &taint, is_added, err);
    free(taint.text);
  }
  return code;
}

/* A cluster goes when nothing is left in it; what is asked for is its end. */
static int32_t mark_cluster(rebal_simulation *simulation, uint32_t cluster, rebal_error *err) {
  size_t len;
  const char *bytes;
  int32_t code;
  rebal_text_reset(simulation->scratch);
  code = rebali_print(simulation->scratch, err, "{\"metadata\":{\"deletionTimestamp\":\"");
  if (code == REBAL_OK) {
    code = rebali_time_print(&simulation->now, simulation->scratch, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(simulation->scratch, err, "\"}}");
  }
  bytes = rebal_text_bytes(simulation->scratch, &len);
  if (code == REBAL_OK) {
    code = rebal_store_patch(simulation->store, cluster, bytes, len, &simulation->now, err);
  }
  return code == REBAL_OK ? rebali_watch(simulation, cluster, name, reason, err) : code;
}

/* The binding of a workload is owned by it. */
static int32_t delete_with_binding(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  uint32_t binding = REBAL_NONE;
  int32_t code = rebali_binding_of(simulation, object, &binding, err);
  if (code == REBAL_OK) {
    code = rebali_remove(simulation, object, name, reason, err);
  }
  if (code == REBAL_OK && binding != REBAL_NONE && binding != object) {
    code = rebali_remove(simulation, binding, "garbage-collector", "its workload is gone", err);
  }
  return code;
}

static int32_t delete(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  const struct rebali_name target = {rebali_cursor_find(step->delete, "kind"),
                                     rebali_cursor_find(step->delete, "namespace"),
                                     rebali_cursor_find(step->delete, "name")};
  uint32_t object;
  const int32_t code = rebali_name_find(simulation, &target, &object, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (object == REBAL_NONE) {
    return rebali_scenario_fail(&simulation->scenario, step->document, "delete", err, REBAL_ENOTFOUND,
                                "there is no such object");
  }
  if (simulation->workloads != NULL && rebali_field_is(simulation, object, "kind", "Pod")) {
    int32_t deleted = rebali_pod_delete(simulation, object, name, reason, err);
    if (deleted == REBAL_OK) {
      deleted = rebali_news_tell(simulation, err);
    }
    return deleted == REBAL_OK ? rebali_webhook_tell(simulation, err) : deleted;
  }
  return rebali_field_is(simulation, object, "kind", "Cluster") ? mark_cluster(simulation, object, err)
                                                                : delete_with_binding(simulation, object, err);
}

static int32_t scale(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  const struct rebali_name target = {rebali_cursor_find(step->scale, "kind"),
                                     rebali_cursor_find(step->scale, "namespace"),
                                     rebali_cursor_find(step->scale, "name")};
  uint32_t object;
  size_t len;
  const char *bytes;
  int32_t code = rebali_name_find(simulation, &target, &object, err);
  if (code == REBAL_OK && object == REBAL_NONE) {
    return rebali_scenario_fail(&simulation->scenario, step->document, "scale", err, REBAL_ENOTFOUND,
                                "there is no such object");
  }
  rebal_text_reset(simulation->scratch);
  if (code == REBAL_OK) {
    code = rebali_print(simulation->scratch, err, "{\"spec\":{\"replicas\":%.*s}}",
                        REBALI_SLICE(rebali_cursor_find(step->scale, "replicas")));
  }
  bytes = rebal_text_bytes(simulation->scratch, &len);
  if (code == REBAL_OK) {
    code = rebal_store_patch(simulation->store, object, bytes, len, &simulation->now, err);
  }
  return code == REBAL_OK ? rebali_watch(simulation, object, name, "scaled by the step", err) : code;
}

static int32_t change(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  int32_t code = apply(simulation, step, err);
  if (code == REBAL_OK && step->scale.len > 0) {
    code = scale(simulation, step, err);
  }
  if (code == REBAL_OK && step->taint.len > 0) {
    code = change_taints(simulation, step, step->taint, "taint.cluster", 1, err);
  }
  if (code == REBAL_OK && step->untaint.len > 0) {
    code = change_taints(simulation, step, step->untaint, "untaint.cluster", 0, err);
  }
  if (code == REBAL_OK && step->delete.len > 0) {
    code = delete (simulation, step, err);
  }
  return code == REBAL_OK ? rebali_member_changes_run(simulation, step, err) : code;
}

/* Time passes until the step is due. */
static int32_t come_to(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  const rebal_time until = step->at.is_set ? step->at : rebali_time_after(&simulation->now, step->after_ns);
  if (rebali_time_compare(&until, &simulation->now) < 0) {
    return rebali_scenario_fail(&simulation->scenario, step->document, "at", err, REBAL_ERANGE,
                                "the step is before the one in front of it");
  }
  return rebali_advance(simulation, &until, err);
}

static int32_t announce(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  char *title = rebali_cursor_copy(step->name.len > 0 ? step->name : rebali_slice("\"step\""));
  const int32_t code = title != NULL ? rebali_log_append(simulation, REBAL_LOG_KIND_STEP, name, "", title, "", err)
                                     : rebali_fail_memory(err);
  free(title);
  return code;
}

int32_t rebali_step_run(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err) {
  rebal_time until;
  int32_t code = come_to(simulation, step, err);
  simulation->next_step++;
  if (code == REBAL_OK) {
    code = announce(simulation, step, err);
  }
  if (code == REBAL_OK) {
    code = change(simulation, step, err);
  }
  if (code == REBAL_OK) {
    code = rebali_settle(simulation, err);
  }
  if (code == REBAL_OK && step->advance_ns > 0) {
    until = rebali_time_after(&simulation->now, step->advance_ns);
    code = rebali_advance(simulation, &until, err);
  }
  return code == REBAL_OK ? rebali_expect(simulation, step, err) : code;
}
