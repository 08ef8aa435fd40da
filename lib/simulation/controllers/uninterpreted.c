/* SPDX-License-Identifier: MIT */
/* What the detector does not handle: replicas of unknown kinds, customizations, and workloads without a binding. */
#include "simulation/controllers/controllers.h"

#include <string.h>

static const char name[] = "detector";

/* ---- replicas ---------------------------------------------------------------------------------------------------- */

static uint32_t find_template(struct rebali_server *server, uint32_t binding) {
  const char *kind = rebali_field_text(server, binding, "spec.resource.kind");
  const char *namespace_ = rebali_field_text(server, binding, "spec.resource.namespace");
  const char *of = rebali_field_text(server, binding, "spec.resource.name");
  return rebal_store_find(server->store, kind, strlen(kind), namespace_, strlen(namespace_), of, strlen(of));
}

static int is_listed(const struct rebali_ids *ids, uint32_t object) {
  size_t i = 0;
  while (i < ids->n && ids->list[i] != object) {
    i++;
  }
  return i < ids->n;
}

int32_t rebali_uncounted_report(struct rebali_detector *detector, uint32_t binding, rebal_error *err) {
  struct rebali_server *server = detector->core->server;
  rebal_detector_row row = {.struct_size = sizeof row};
  uint32_t template_;
  int32_t code;
  if (!rebali_exists(server, binding) || !rebali_object_is_binding(server, binding) ||
      rebali_number_or(rebali_field(server, binding, "spec.replicas"), 0) != 0 ||
      is_listed(&detector->uncounted, binding)) {
    return REBAL_OK;
  }
  template_ = find_template(server, binding);
  if (template_ == REBAL_NONE) {
    return REBAL_OK;
  }
  code = rebal_detector_look(detector->state, template_, &row, err);
  if (code != REBAL_OK || (row.flags & REBAL_DETECTOR_NOTE_NO_REPLICAS) == 0) {
    return code;
  }
  code = rebali_ids_add(&detector->uncounted, binding, err);
  return code == REBAL_OK ? rebali_log_report(server, REBAL_LOG_KIND_NOTE, name, binding, "has no replicas",
                                              "its policy divides them, but where the kind has them is not known "
                                              "(replicasPaths)",
                                              err)
                          : code;
}

/* ---- customizations ---------------------------------------------------------------------------------------------- */

static int32_t report(struct rebali_server *server, uint32_t object, const char *kinds, const char *of,
                      rebal_error *err) {
  struct rebali_buffer reason = REBALI_BUFFER;
  int32_t code;
  rebali_buffer_format(&reason, "answers for %s%s%s may differ", kinds, of[0] != '\0' ? " of " : "", of);
  code = reason.failed ? rebali_fail_memory(err)
                       : rebali_log_report(server, REBAL_LOG_KIND_NOTE, name, object, "is not run", reason.bytes, err);
  rebali_buffer_dispose(&reason);
  return code;
}

/* Logs the kinds of a webhook rule, and their groups. */
static int32_t report_rule(struct rebali_server *server, uint32_t object, const rebal_value *rule, rebal_error *err) {
  struct rebali_buffer kinds = REBALI_BUFFER, groups = REBALI_BUFFER;
  int32_t code;
  rebali_print_value(&kinds, rebali_find(rule, "kinds"));
  rebali_print_value(&groups, rebali_find(rule, "apiGroups"));
  code = kinds.failed || groups.failed ? rebali_fail_memory(err)
                                       : report(server, object, rebali_printed(&kinds), rebali_printed(&groups), err);
  rebali_buffer_dispose(&kinds);
  rebali_buffer_dispose(&groups);
  return code;
}

static int32_t report_webhooks(struct rebali_server *server, uint32_t object, rebal_error *err) {
  const rebal_value *webhooks = rebali_field(server, object, "webhooks");
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(webhooks); i++) {
    const rebal_value *rules = rebali_find(rebal_value_item(webhooks, i), "rules");
    for (size_t j = 0; code == REBAL_OK && j < rebal_value_count(rules); j++) {
      code = report_rule(server, object, rebal_value_item(rules, j), err);
    }
  }
  return code;
}

static int32_t report_customization(struct rebali_server *server, uint32_t object, rebal_error *err) {
  if (rebali_is_kind(server, object, "ResourceInterpreterCustomization")) {
    return report(server, object, rebali_field_text(server, object, "spec.target.kind"),
                  rebali_field_text(server, object, "spec.target.apiVersion"), err);
  }
  return rebali_is_kind(server, object, "ResourceInterpreterWebhookConfiguration")
             ? report_webhooks(server, object, err)
             : REBAL_OK;
}

/* ---- workloads without binding ----------------------------------------------------------------------------------- */

static int has_policies(struct rebali_server *server) {
  static const char *const kinds[] = {"PropagationPolicy", "ClusterPropagationPolicy"};
  return rebal_store_next(server->store, kinds[0], strlen(kinds[0]), REBAL_NONE) != REBAL_NONE ||
         rebal_store_next(server->store, kinds[1], strlen(kinds[1]), REBAL_NONE) != REBAL_NONE;
}

int32_t rebali_unbound_report(struct rebali_detector *detector, uint32_t object, int is_new, rebal_error *err) {
  static const struct {
    uint32_t outcome;
    int is_new;
    const char *event, *reason;
  } rows[] = {
      {REBAL_DETECTOR_OUTCOME_LAZY, 0, "waits", "its policy is Lazy: it is bound when its user changes it"},
      {REBAL_DETECTOR_OUTCOME_NAMESPACE, 1, "is not propagated",
       "its namespace is skipped (skippedPropagatingNamespaces)"},
      {REBAL_DETECTOR_OUTCOME_API, 1, "is not propagated", "its API is skipped (skippedPropagatingAPIs)"},
  };
  struct rebali_server *server = detector->core->server;
  rebal_detector_row row = {.struct_size = sizeof row};
  int32_t code;
  if ((rebali_field(server, object, "spec.replicas") == NULL &&
       rebali_field(server, object, "spec.template") == NULL) ||
      !has_policies(server)) {
    return REBAL_OK;
  }
  code = rebal_detector_look(detector->state, object, &row, err);
  for (size_t i = 0; code == REBAL_OK && i < REBALI_COUNT(rows); i++) {
    if (rows[i].outcome == row.outcome && rows[i].is_new == is_new && row.binding == REBAL_NONE) {
      code = rebali_log_report(server, REBAL_LOG_KIND_NOTE, name, object, rows[i].event, rows[i].reason, err);
    }
  }
  return code;
}

/* ---- new objects ------------------------------------------------------------------------------------------------- */

int32_t rebali_uninterpreted_report(struct rebali_detector *detector, rebal_error *err) {
  struct rebali_server *server = detector->core->server;
  const uint32_t known = detector->known;
  int32_t code = REBAL_OK;
  for (uint32_t object = rebal_store_next_changed(server->store, &detector->seen);
       code == REBAL_OK && object != REBAL_NONE; object = rebal_store_next_changed(server->store, &detector->seen)) {
    detector->known = object >= detector->known ? object + 1 : detector->known;
    if (!rebali_exists(server, object)) {
      continue;
    }
    code = report_customization(server, object, err);
    if (code == REBAL_OK && object >= known && !rebali_object_is_binding(server, object)) {
      code = rebali_unbound_report(detector, object, 1, err);
    }
    rebali_reads_release(server);
  }
  return code;
}
