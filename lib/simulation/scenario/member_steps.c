/* SPDX-License-Identifier: MIT */
/* What steps do to member clusters: to their nodes, to a whole cluster, to an application that runs in it. */
#include "simulation/scenario/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "scenario";
static const char reason[] = "set by the step";

/* One change, as written in the step. */
struct change {
  rebal_simulation *simulation;
  const struct rebali_scenario_step *step;
  const char *field;
  const rebal_value *map;
  const char *cluster;
  struct rebali_member *member;
  uint32_t node; /* index; REBAL_NONE: the change has no node */
  rebal_error *err;
};

/* ---- the log and the store --------------------------------------------------------------------------------------- */

static int32_t report(struct change *change, const char *text) {
  struct rebali_server *server = &change->simulation->server;
  struct rebali_buffer label = REBALI_BUFFER;
  int32_t code;
  if (change->node != REBAL_NONE) {
    rebali_buffer_format(&label, "Node %s/%s", change->cluster, rebali_member_node_name(change->member, change->node));
  } else {
    rebali_buffer_format(&label, "Cluster %s", change->cluster);
  }
  code = label.failed
             ? rebali_fail_memory(change->err)
             : rebali_log_report_of(server, REBAL_LOG_KIND_CHANGE, name, label.bytes, text, reason, change->err);
  rebali_buffer_dispose(&label);
  server->changes++;
  return code;
}

static int32_t patch_node(struct change *change, const struct rebali_buffer *patch, rebal_error *err) {
  struct rebali_member *member = change->member;
  member->is_stale = member->is_changed = 1;
  return patch->failed ? rebali_fail_memory(err)
                       : rebal_store_patch(member->store, member->nodes[change->node].object, patch->bytes, patch->len,
                                           &change->simulation->server.now, err);
}

static int32_t fail_step(const struct change *change, int32_t code, const char *message) {
  return rebali_scenario_fail(&change->simulation->scenario, change->step->document, change->field, change->err, code,
                              "%s", message);
}

static uint32_t find_cluster(const struct change *change) {
  return rebali_find_object(&change->simulation->server, "Cluster", "", change->cluster);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static int32_t set_cordon(struct change *change, int is_cordoned) {
  struct rebali_buffer *patch = &change->simulation->server.scratch;
  rebali_buffer_clear(patch);
  rebali_buffer_format(patch, "{\"spec\":{\"unschedulable\":%s}}", is_cordoned ? "true" : "null");
  return patch_node(change, patch, change->err);
}

static int32_t cordon(struct change *change) {
  const int32_t code = set_cordon(change, 1);
  return code == REBAL_OK ? report(change, "cordoned") : code;
}

static int32_t uncordon(struct change *change) {
  const int32_t code = set_cordon(change, 0);
  return code == REBAL_OK ? report(change, "uncordoned") : code;
}

static int32_t drain(struct change *change) {
  int32_t code = change->member->is_lost
                     ? fail_step(change, REBAL_ESTATE, "the cluster is lost: its nodes cannot be drained")
                     : set_cordon(change, 1);
  if (code == REBAL_OK) {
    code = report(change, "drained");
  }
  if (code == REBAL_OK) {
    code = rebali_works_leave(change->member, change->node, change->err);
  }
  return code == REBAL_OK ? rebali_moves_report(change->member, change->err) : code;
}

/* Adds a taint, or removes it if it exists. */
static int32_t set_taint(struct change *change, const struct rebali_taint_text *taint, int is_added, size_t *removed) {
  struct rebali_server *server = &change->simulation->server;
  const struct rebali_member *member = change->member;
  int32_t code;
  rebali_print_taints(&server->scratch,
                      rebali_read(server, member->store, member->nodes[change->node].object, "spec.taints"), taint,
                      is_added, removed);
  code = patch_node(change, &server->scratch, change->err);
  rebali_pods_judge(change->member, change->node);
  return code;
}

/* Sets or removes the taints of an unreachable node. If nothing differs, nothing is written. */
static int32_t set_lost(struct change *change, int is_lost) {
  static const char *const effects[] = {"NoSchedule", "NoExecute"};
  size_t removed;
  int32_t code = REBAL_OK;
  if (change->member->nodes[change->node].is_lost == is_lost) {
    return REBAL_OK;
  }
  for (size_t i = 0; code == REBAL_OK && i < 2; i++) {
    const struct rebali_taint_text taint = {NULL, "node.kubernetes.io/unreachable", NULL, effects[i]};
    code = set_taint(change, &taint, is_lost, &removed);
  }
  rebali_works_hold(change->member, change->node, is_lost);
  return code;
}

static int32_t lose_node(struct change *change) {
  const int32_t code = set_lost(change, 1);
  return code == REBAL_OK ? report(change, "lost") : code;
}

static int32_t regain_node(struct change *change) {
  const int32_t code = set_lost(change, 0);
  return code == REBAL_OK ? report(change, "back") : code;
}

/* ---- amounts and other status ------------------------------------------------------------------------------------ */

/* Passes on an error of the store for a value of the change. */
static int32_t pass(const struct change *change, rebal_error *local, const char *member) {
  char field[64];
  (void)snprintf(field, sizeof field, "%s.%s", change->field, member);
  if (local->code == REBAL_ENOMEM) {
    return rebali_fail_memory(change->err);
  }
  local->field[0] = '\0';
  return rebali_scenario_pass(&change->simulation->scenario, change->step->document, field, local, change->err);
}

/* Prints a patch of the status around the values of the change. */
static void print_status(struct change *change, const char *before, const char *member, const char *after) {
  struct rebali_buffer *out = &change->simulation->server.scratch;
  rebali_buffer_clear(out);
  rebali_buffer_text(out, before);
  rebali_print_json(out, rebali_find(change->map, member));
  rebali_buffer_text(out, after);
}

static int32_t set_capacity(struct change *change) {
  struct rebali_server *server = &change->simulation->server;
  struct rebali_buffer *out = &server->scratch;
  rebal_error local = REBAL_ERROR_INIT;
  const uint32_t object = find_cluster(change);
  int32_t code;
  if (change->node == REBAL_NONE && change->member->store != NULL) {
    return fail_step(change, REBAL_EINVAL, "the cluster has nodes: the change names one of them");
  }
  if (change->node != REBAL_NONE) {
    print_status(change, "{\"status\":{\"allocatable\":", "allocatable", "}}");
    code = patch_node(change, out, &local);
  } else {
    print_status(change, "{\"status\":{\"resourceSummary\":{\"allocatable\":", "allocatable", "}}}");
    code = rebali_patch(server, object, out, &local);
  }
  if (code != REBAL_OK) {
    return pass(change, &local, "allocatable");
  }
  rebali_buffer_clear(out);
  rebali_buffer_text(out, "allocatable: ");
  rebali_print_json(out, rebali_find(change->map, "allocatable"));
  return out->failed ? rebali_fail_memory(change->err) : report(change, out->bytes);
}

/* Sets the base of later sums; it stays if the status has no such value. */
static int32_t set_base(struct change *change, char **base, const rebal_value *value) {
  struct rebali_buffer text = REBALI_BUFFER;
  if (value == NULL) {
    return REBAL_OK;
  }
  rebali_print_json(&text, value);
  rebali_buffer_text(&text, "");
  if (text.failed) {
    rebali_buffer_dispose(&text);
    return rebali_fail_memory(change->err);
  }
  free(*base);
  *base = text.bytes; /* from malloc */
  free(change->member->reported);
  change->member->reported = NULL;
  rebali_capacity_touch(change->member);
  return REBAL_OK;
}

/*
 * Sets the bases from the new status: what others use in the cluster, and the nodes that they leave. The use by the
 * cluster's own pods is added or subtracted when it is summed up again.
 */
static int32_t set_bases(struct change *change, const rebal_value *summary) {
  const int32_t code = set_base(change, &change->member->base, rebali_find(summary, "allocated"));
  return code == REBAL_OK ? set_base(change, &change->member->modeled, rebali_find(summary, "allocatableModelings"))
                          : code;
}

static int32_t set_status(struct change *change) {
  struct rebali_server *server = &change->simulation->server;
  const rebal_value *summary = rebali_find(rebali_find(change->map, "status"), "resourceSummary");
  const uint32_t object = find_cluster(change);
  rebal_error local = REBAL_ERROR_INIT;
  int32_t code;
  if (change->member->is_lost) {
    return fail_step(change, REBAL_ESTATE, "the cluster is lost: it reports nothing");
  }
  if (change->member->store != NULL && summary != NULL) {
    return fail_step(change, REBAL_EINVAL, "the cluster has nodes: its resourceSummary is what they hold");
  }
  print_status(change, "{\"status\":", "status", "}");
  code = rebali_patch(server, object, &server->scratch, &local);
  if (code != REBAL_OK) {
    return pass(change, &local, "status");
  }
  code = set_bases(change, summary);
  return code == REBAL_OK ? rebali_watch(server, object, name, "the cluster reports it", change->err) : code;
}

/* ---- a whole cluster --------------------------------------------------------------------------------------------- */

/* Sets the condition Ready as the reference's controllers write it; other conditions stay. */
static int32_t set_ready(struct change *change, const char *status, const char *why, const char *message) {
  struct rebali_server *server = &change->simulation->server;
  const uint32_t object = find_cluster(change);
  const rebal_value *conditions = rebali_field(server, object, "status.conditions");
  struct rebali_buffer *out = &server->scratch;
  int32_t code;
  rebali_buffer_clear(out);
  rebali_buffer_text(out, "{\"status\":{\"conditions\":[");
  for (size_t i = 0; i < rebal_value_count(conditions); i++) {
    const rebal_value *item = rebal_value_item(conditions, i);
    if (!rebali_reads(rebali_find(item, "type"), "Ready")) {
      rebali_print_json(out, item);
      rebali_buffer_text(out, ",");
    }
  }
  rebali_buffer_format(out,
                       "{\"type\":\"Ready\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\","
                       "\"lastTransitionTime\":\"",
                       status, why, message);
  rebali_print_time(out, &server->now);
  rebali_buffer_text(out, "\"}]}}");
  code = rebali_patch(server, object, out, change->err);
  return code == REBAL_OK ? rebali_watch(server, object, name, reason, change->err) : code;
}

static int32_t lose_cluster(struct change *change) {
  const int pulls =
      strcmp(rebali_field_text(&change->simulation->server, find_cluster(change), "spec.syncMode"), "Pull") == 0;
  const int32_t code = pulls ? set_ready(change, "Unknown", "ClusterStatusUnknown",
                                         "Cluster status controller stopped posting cluster status.")
                             : set_ready(change, "False", "ClusterNotReachable", "cluster is not reachable");
  change->member->is_lost = 1;
  return code == REBAL_OK ? report(change, "lost, what runs in it stays as it was reported last") : code;
}

static int32_t regain_cluster(struct change *change) {
  struct rebali_member *member = change->member;
  int32_t code = set_ready(change, "True", "ClusterReady", "cluster is healthy and ready to accept workloads");
  member->is_lost = 0;
  member->is_stale = member->is_moved = 1;
  for (size_t i = 0; code == REBAL_OK && i < member->n_works; i++) {
    if (!member->works[i]->is_dropped) {
      code = rebali_ids_add(&member->members->renewed, member->works[i]->binding, change->err);
    }
  }
  return code == REBAL_OK ? report(change, "back") : code;
}

/* ---- an application ---------------------------------------------------------------------------------------------- */

static int32_t set_health(struct change *change) {
  rebal_simulation *simulation = change->simulation;
  const struct rebali_name target = rebali_name_in(rebali_find(change->map, "object"));
  const int is_healthy = rebali_reads(rebali_find(change->map, "health"), "Healthy");
  uint32_t binding = REBAL_NONE;
  struct rebali_work *work = NULL;
  int32_t code = rebali_binding_of(&simulation->server, rebali_find_named(simulation, &target), &binding, change->err);
  if (code == REBAL_OK) {
    work = rebali_work_find(&simulation->members, binding, change->cluster);
  }
  if (code != REBAL_OK || work == NULL) {
    return code != REBAL_OK ? code : fail_step(change, REBAL_ENOTFOUND, "there is no such application in the cluster");
  }
  rebali_work_set_health(work, is_healthy);
  code = rebali_ids_add(&simulation->members.renewed, binding, change->err);
  return code == REBAL_OK ? report(change, is_healthy ? "an application recovers in it" : "an application fails in it")
                          : code;
}

/* ---- all changes ------------------------------------------------------------------------------------------------- */

/* In the order in which a step does them. Besides the cluster, a change may have a node and a map. */
enum { NO_NODE, NODE, NODE_IF_ANY };
static const struct {
  const char *name;
  int32_t (*run)(struct change *change);
  int node;
  const char *map; /* NULL: none */
} changes[REBALI_MEMBER_CHANGES] = {
    {"clusterStatus", set_status, NO_NODE, "status"},
    {"capacity", set_capacity, NODE_IF_ANY, "allocatable"},
    {"cordon", cordon, NODE, NULL},
    {"uncordon", uncordon, NODE, NULL},
    {"drain", drain, NODE, NULL},
    {"nodeLost", lose_node, NODE, NULL},
    {"nodeBack", regain_node, NODE, NULL},
    {"clusterLost", lose_cluster, NO_NODE, NULL},
    {"clusterBack", regain_cluster, NO_NODE, NULL},
    {"app", set_health, NO_NODE, "object"},
};

static int32_t read_application(const struct rebali_reading *outer) {
  static const char *const object_members[] = {"kind", "name", "namespace"};
  struct rebali_reading reading = *outer;
  struct rebali_name object;
  const char *health;
  char prefix[96];
  int32_t code = rebali_reading_text(outer, "health", 1, &health);
  if (code == REBAL_OK && strcmp(health, "Healthy") != 0 && strcmp(health, "Unhealthy") != 0) {
    code = rebali_reading_fail(outer, "health", "the health is Healthy or Unhealthy");
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(outer, "object", REBAL_VALUE_KIND_MAP, 1, &reading.map);
  }
  (void)snprintf(prefix, sizeof prefix, "%sobject.", outer->prefix);
  reading.prefix = prefix;
  if (code == REBAL_OK) {
    code = rebali_reading_known(&reading, object_members, REBALI_COUNT(object_members));
  }
  return code == REBAL_OK ? rebali_reading_name(&reading, &object) : code;
}

static int32_t read_change(const struct rebali_reading *reading, size_t which) {
  const int is_app = changes[which].run == set_health;
  const char *allowed[4] = {"cluster"};
  const rebal_value *value;
  size_t n = 1;
  int32_t code;
  if (changes[which].node != NO_NODE) {
    allowed[n++] = "node";
  }
  if (changes[which].map != NULL) {
    allowed[n++] = changes[which].map;
  }
  if (is_app) {
    allowed[n++] = "health";
  }
  code = rebali_reading_known(reading, allowed, n);
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "cluster", REBAL_VALUE_KIND_TEXT, 1, &value);
  }
  if (code == REBAL_OK && changes[which].node != NO_NODE) {
    code = rebali_reading_member(reading, "node", REBAL_VALUE_KIND_TEXT, changes[which].node == NODE, &value);
  }
  if (code == REBAL_OK && changes[which].map != NULL && !is_app) {
    code = rebali_reading_member(reading, changes[which].map, REBAL_VALUE_KIND_MAP, 1, &value);
  }
  return code == REBAL_OK && is_app ? read_application(reading) : code;
}

const char *rebali_member_change_name(size_t which) {
  return changes[which].name;
}

size_t rebali_change_count(const rebal_value *value) {
  return rebali_is_list(value) ? rebal_value_count(value) : value != NULL;
}

const rebal_value *rebali_change_at(const rebal_value *value, size_t i) {
  return rebali_is_list(value) ? rebal_value_item(value, i) : value;
}

void rebali_change_prefix(const rebal_value *value, const char *member, size_t i, char *prefix, size_t size) {
  if (rebali_is_list(value)) {
    (void)snprintf(prefix, size, "%s[%zu].", member, i);
  } else {
    (void)snprintf(prefix, size, "%s.", member);
  }
}

int32_t rebali_member_changes_read(const struct rebali_reading *outer, struct rebali_scenario_step *step) {
  int32_t code = REBAL_OK;
  for (size_t which = 0; which < REBALI_MEMBER_CHANGES; which++) {
    const rebal_value *value = rebali_find(outer->map, changes[which].name);
    struct rebali_reading reading = *outer;
    step->changes[which] = value;
    for (size_t i = 0; code == REBAL_OK && i < rebali_change_count(value); i++) {
      char prefix[48];
      rebali_change_prefix(value, changes[which].name, i, prefix, sizeof prefix);
      reading.prefix = prefix;
      reading.map = rebali_change_at(value, i);
      code = rebali_is_map(reading.map)
                 ? read_change(&reading, which)
                 : rebali_reading_fail(outer, changes[which].name, "expected a map or a list of maps");
    }
  }
  return code;
}

/* Finds the member and the node of the change. */
static int32_t find_target(struct change *change, int with_node) {
  struct rebali_members *members = &change->simulation->members;
  const uint32_t object = find_cluster(change);
  if (object == REBAL_NONE) {
    return fail_step(change, REBAL_ENOTFOUND, "there is no such cluster");
  }
  if (!with_node) {
    change->member = rebali_member_make(members, change->cluster, change->err);
    return change->member != NULL ? REBAL_OK : REBAL_ENOMEM;
  }
  change->member = rebali_member_find(members, change->cluster);
  if (change->member != NULL && change->member->store != NULL) {
    change->node = rebali_member_node_of(change->member, rebali_find_text(change->map, "node"));
  }
  return change->node != REBAL_NONE ? REBAL_OK : fail_step(change, REBAL_ENOTFOUND, "the cluster has no such node");
}

int32_t rebali_member_changes_run(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                                  rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t which = 0; which < REBALI_MEMBER_CHANGES; which++) {
    for (size_t i = 0; code == REBAL_OK && i < rebali_change_count(step->changes[which]); i++) {
      struct change change = {simulation, step, changes[which].name, rebali_change_at(step->changes[which], i),
                              NULL,       NULL, REBAL_NONE,          err};
      change.cluster = rebali_find_text(change.map, "cluster");
      code = find_target(&change, changes[which].node == NODE || rebali_find(change.map, "node") != NULL);
      code = code == REBAL_OK ? changes[which].run(&change) : code;
    }
  }
  return code;
}

int32_t rebali_node_taint(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                          const rebal_value *change_map, const struct rebali_taint_text *taint, int is_added,
                          rebal_error *err) {
  struct change change = {simulation,
                          step,
                          is_added ? "taint.node" : "untaint.node",
                          change_map,
                          rebali_find_text(change_map, "cluster"),
                          NULL,
                          REBAL_NONE,
                          err};
  struct rebali_buffer text = REBALI_BUFFER;
  size_t removed = 0;
  int32_t code = find_target(&change, 1);
  if (code == REBAL_OK) {
    code = set_taint(&change, taint, is_added, &removed);
  }
  if (code == REBAL_OK && !is_added && removed == 0) {
    code = fail_step(&change, REBAL_ENOTFOUND, "the node has no such taint");
  }
  rebali_buffer_format(&text, "%s %s", is_added ? "tainted" : "untainted", rebali_find_text(change_map, "taint"));
  if (code == REBAL_OK) {
    code = text.failed ? rebali_fail_memory(err) : report(&change, text.bytes);
  }
  rebali_buffer_dispose(&text);
  return code;
}
