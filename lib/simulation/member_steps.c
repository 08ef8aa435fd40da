/* SPDX-License-Identifier: MIT */
/* What steps do to member clusters: to their nodes, to a whole one, to an application that runs in one. */
#include "member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "scenario";
static const char reason[] = "the step says so";

/* One change, as the step says it. */
struct change {
  rebal_simulation *simulation;
  const struct rebali_scenario_step *step;
  const char *field;
  struct rebali_slice map;
  char *cluster;
  struct rebali_member *member;
  uint32_t node; /* index; REBAL_NONE: the change names none */
  rebal_error *err;
};

/* ---- the log and the store --------------------------------------------------------------------------------------- */

static int32_t tell(struct change *change, const char *text) {
  rebal_text *label = NULL;
  rebal_simulation *simulation = change->simulation;
  int32_t code = rebal_text_new(&label, change->err);
  if (code == REBAL_OK && change->node != REBAL_NONE) {
    const uint32_t object = change->member->nodes[change->node].object;
    code = rebali_print(label, change->err, "Node %s/%s", change->cluster,
                        rebal_store_identity(change->member->store, object, REBAL_IDENTITY_NAME, NULL));
  } else if (code == REBAL_OK) {
    code = rebali_print(label, change->err, "Cluster %s", change->cluster);
  }
  if (code == REBAL_OK) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_CHANGE, name, rebal_text_bytes(label, NULL), text, reason,
                             change->err);
  }
  rebal_text_free(label);
  simulation->changes++;
  return code;
}

static int32_t patch_node(struct change *change, const char *patch, size_t len) {
  change->member->is_stale = change->member->is_changed = 1;
  return rebal_store_patch(change->member->store, change->member->nodes[change->node].object, patch, len,
                           &change->simulation->now, change->err);
}

static int32_t fail_step(const struct change *change, int32_t code, const char *message) {
  return rebali_scenario_fail(&change->simulation->scenario, change->step->document, change->field, change->err, code,
                              "%s", message);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static int32_t set_cordon(struct change *change, int is_cordoned) {
  char patch[64];
  const int len = snprintf(patch, sizeof patch, "{\"spec\":{\"unschedulable\":%s}}", is_cordoned ? "true" : "null");
  return patch_node(change, patch, (size_t)len);
}

static int32_t cordon(struct change *change) {
  const int32_t code = set_cordon(change, 1);
  return code == REBAL_OK ? tell(change, "cordoned") : code;
}

static int32_t uncordon(struct change *change) {
  const int32_t code = set_cordon(change, 0);
  return code == REBAL_OK ? tell(change, "uncordoned") : code;
}

static int32_t drain(struct change *change) {
  int32_t code = change->member->is_lost
                     ? fail_step(change, REBAL_ESTATE, "the cluster is lost: nobody drains anything in it")
                     : set_cordon(change, 1);
  if (code == REBAL_OK) {
    code = tell(change, "drained");
  }
  if (code == REBAL_OK) {
    code = rebali_pods_leave(change->member, change->node, change->err);
  }
  return code == REBAL_OK ? rebali_pods_tell(change->simulation, change->member, change->err) : code;
}

/* One taint comes, or goes where there is one. */
static int32_t set_taint(struct change *change, const struct rebali_taint_text *taint, int is_added, size_t *removed) {
  rebal_text *out = change->simulation->scratch;
  const struct rebali_slice taints =
      rebali_read(change->simulation, change->member->store, change->member->nodes[change->node].object, "spec.taints");
  const char *bytes;
  size_t len;
  int32_t code;
  rebal_text_reset(out);
  code = rebali_taints_write(taints, taint, is_added, removed, out, change->err);
  if (code == REBAL_OK) {
    bytes = rebal_text_bytes(out, &len);
    code = patch_node(change, bytes, len);
  }
  rebali_pods_judge(change->simulation, change->member, change->node);
  return code;
}

/* The taints of a node that answers nobody; nothing changes where that is so already. */
static int32_t set_lost(struct change *change, int is_lost) {
  static const char *const effects[] = {"NoSchedule", "NoExecute"};
  size_t removed;
  int32_t code = REBAL_OK;
  if (change->member->nodes[change->node].is_lost == is_lost) {
    return REBAL_OK;
  }
  for (size_t i = 0; code == REBAL_OK && i < 2; i++) {
    const struct rebali_taint_text taint = {
        NULL, rebali_slice("node.kubernetes.io/unreachable"), {NULL, 0}, rebali_slice(effects[i])};
    code = set_taint(change, &taint, is_lost, &removed);
  }
  rebali_pods_hold(change->simulation, change->member, change->node, is_lost);
  return code;
}

static int32_t lose_node(struct change *change) {
  const int32_t code = set_lost(change, 1);
  return code == REBAL_OK ? tell(change, "lost") : code;
}

static int32_t regain_node(struct change *change) {
  const int32_t code = set_lost(change, 0);
  return code == REBAL_OK ? tell(change, "back") : code;
}

static int32_t set_capacity(struct change *change) {
  const struct rebali_slice amounts = rebali_cursor_find(change->map, "allocatable");
  rebal_text *out = change->simulation->scratch;
  rebal_error local = REBAL_ERROR_INIT;
  size_t len;
  const char *bytes;
  int32_t code;
  rebal_text_reset(out);
  code = rebali_print(out, change->err, "{\"status\":{\"allocatable\":%.*s}}", REBALI_SLICE(amounts));
  if (code != REBAL_OK) {
    return code;
  }
  bytes = rebal_text_bytes(out, &len);
  change->member->is_stale = change->member->is_changed = 1;
  code = rebal_store_patch(change->member->store, change->member->nodes[change->node].object, bytes, len,
                           &change->simulation->now, &local);
  if (code != REBAL_OK) {
    local.field[0] = '\0';
    return rebali_scenario_pass(&change->simulation->scenario, change->step->document, change->field, &local,
                                change->err);
  }
  rebal_text_reset(out);
  code = rebali_print(out, change->err, "allocatable: %.*s", REBALI_SLICE(amounts));
  return code == REBAL_OK ? tell(change, rebal_text_bytes(out, NULL)) : code;
}

/* ---- a whole cluster --------------------------------------------------------------------------------------------- */

static uint32_t find_cluster(const struct change *change) {
  return rebal_store_find(change->simulation->store, "Cluster", 7, "", 0, change->cluster, strlen(change->cluster));
}

/* The condition Ready as the reference's controllers write it, the others as they are. */
static int32_t set_ready(struct change *change, const char *status, const char *why, const char *message) {
  rebal_simulation *simulation = change->simulation;
  const uint32_t object = find_cluster(change);
  char *conditions = rebali_field_copy(simulation, object, "status.conditions");
  rebal_text *out = simulation->scratch;
  struct rebali_slice item;
  size_t at = 0, len;
  const char *bytes;
  int32_t code = conditions != NULL ? REBAL_OK : rebali_fail_memory(change->err);
  rebal_text_reset(out);
  if (code == REBAL_OK) {
    code = rebali_print(out, change->err, "{\"status\":{\"conditions\":[");
  }
  while (code == REBAL_OK && rebali_cursor_item(rebali_slice(conditions), &at, &item)) {
    if (!rebali_slice_is(rebali_cursor_find(item, "type"), "\"Ready\"")) {
      code = rebali_print(out, change->err, "%.*s,", REBALI_SLICE(item));
    }
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, change->err,
                        "{\"type\":\"Ready\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\","
                        "\"lastTransitionTime\":\"",
                        status, why, message);
  }
  if (code == REBAL_OK) {
    code = rebali_time_print(&simulation->now, out, change->err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, change->err, "\"}]}}");
  }
  free(conditions);
  bytes = rebal_text_bytes(out, &len);
  if (code == REBAL_OK) {
    code = rebal_store_patch(simulation->store, object, bytes, len, &simulation->now, change->err);
  }
  return code == REBAL_OK ? rebali_watch(simulation, object, name, reason, change->err) : code;
}

static int32_t lose_cluster(struct change *change) {
  const int pulls = rebali_field_is(change->simulation, find_cluster(change), "spec.syncMode", "Pull");
  const int32_t code = pulls ? set_ready(change, "Unknown", "ClusterStatusUnknown",
                                         "Cluster status controller stopped posting cluster status.")
                             : set_ready(change, "False", "ClusterNotReachable", "cluster is not reachable");
  change->member->is_lost = 1;
  return code == REBAL_OK ? tell(change, "lost, what runs in it stays as it was reported last") : code;
}

static int32_t regain_cluster(struct change *change) {
  int32_t code = set_ready(change, "True", "ClusterReady", "cluster is healthy and ready to accept workloads");
  change->member->is_lost = 0;
  change->member->is_stale = 1;
  for (size_t i = 0; code == REBAL_OK && i < change->simulation->n_works; i++) {
    const struct rebali_work *work = &change->simulation->works[i];
    if (strcmp(work->cluster, change->cluster) == 0) {
      code = rebali_ids_add(&change->simulation->renewed, work->binding, change->err);
    }
  }
  return code == REBAL_OK ? tell(change, "back") : code;
}

/* ---- an application ---------------------------------------------------------------------------------------------- */

static int32_t set_health(struct change *change) {
  const struct rebali_slice map = rebali_cursor_find(change->map, "object");
  const struct rebali_name target = {rebali_cursor_find(map, "kind"), rebali_cursor_find(map, "namespace"),
                                     rebali_cursor_find(map, "name")};
  const int is_healthy = rebali_slice_is(rebali_cursor_find(change->map, "health"), "\"Healthy\"");
  rebal_simulation *simulation = change->simulation;
  uint32_t object, binding = REBAL_NONE;
  struct rebali_work *work = NULL;
  int32_t code = rebali_name_find(simulation, &target, &object, change->err);
  if (code == REBAL_OK) {
    code = rebali_binding_of(simulation, object, &binding, change->err);
  }
  if (code == REBAL_OK) {
    work = rebali_work_find(simulation, binding, change->cluster);
  }
  if (code != REBAL_OK || work == NULL) {
    return code != REBAL_OK ? code : fail_step(change, REBAL_ENOTFOUND, "there is no such application in the cluster");
  }
  code = rebali_work_set_health(simulation, work, is_healthy, change->err);
  if (code == REBAL_OK) {
    code = rebali_ids_add(&simulation->renewed, binding, change->err);
  }
  return code == REBAL_OK ? tell(change, is_healthy ? "an application recovers in it" : "an application fails in it")
                          : code;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

/* In the order in which a step does them. */
enum { WITH_NODE = 1, WITH_AMOUNTS = 2, WITH_APPLICATION = 4 };
static const struct {
  const char *name;
  int32_t (*run)(struct change *change);
  int needs;
} changes[REBALI_MEMBER_CHANGES] = {
    {"capacity", set_capacity, WITH_NODE | WITH_AMOUNTS},
    {"cordon", cordon, WITH_NODE},
    {"uncordon", uncordon, WITH_NODE},
    {"drain", drain, WITH_NODE},
    {"nodeLost", lose_node, WITH_NODE},
    {"nodeBack", regain_node, WITH_NODE},
    {"clusterLost", lose_cluster, 0},
    {"clusterBack", regain_cluster, 0},
    {"app", set_health, WITH_APPLICATION},
};

static int32_t read_application(const struct rebali_reading *outer) {
  static const char *const object_members[] = {"kind", "name", "namespace"};
  struct rebali_reading reading = *outer;
  struct rebali_name object;
  struct rebali_slice health;
  char prefix[96];
  int32_t code = rebali_reading_member(outer, "health", REBALI_JSON_STRING, 1, &health);
  if (code == REBAL_OK && !rebali_slice_is(health, "\"Healthy\"") && !rebali_slice_is(health, "\"Unhealthy\"")) {
    code = rebali_reading_fail(outer, "health", "the health is Healthy or Unhealthy");
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(outer, "object", REBALI_JSON_MAP, 1, &reading.map);
  }
  (void)snprintf(prefix, sizeof prefix, "%sobject.", outer->prefix);
  reading.prefix = prefix;
  if (code == REBAL_OK) {
    code = rebali_reading_known(&reading, object_members, sizeof object_members / sizeof object_members[0]);
  }
  return code == REBAL_OK ? rebali_reading_name(&reading, &object) : code;
}

static int32_t read_change(const struct rebali_reading *reading, size_t which) {
  static const char *const members[] = {"cluster", "node", "allocatable", "object", "health"};
  const int needs = changes[which].needs;
  const char *allowed[5];
  struct rebali_slice value;
  size_t n = 0;
  int32_t code;
  for (size_t i = 0; i < 5; i++) {
    if (i == 0 || (i == 1 && (needs & WITH_NODE) != 0) || (i == 2 && (needs & WITH_AMOUNTS) != 0) ||
        (i > 2 && (needs & WITH_APPLICATION) != 0)) {
      allowed[n++] = members[i];
    }
  }
  code = rebali_reading_known(reading, allowed, n);
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "cluster", REBALI_JSON_STRING, 1, &value);
  }
  if (code == REBAL_OK && (needs & WITH_NODE) != 0) {
    code = rebali_reading_member(reading, "node", REBALI_JSON_STRING, 1, &value);
  }
  if (code == REBAL_OK && (needs & WITH_AMOUNTS) != 0) {
    code = rebali_reading_member(reading, "allocatable", REBALI_JSON_MAP, 1, &value);
  }
  return code == REBAL_OK && (needs & WITH_APPLICATION) != 0 ? read_application(reading) : code;
}

const char *rebali_member_change_name(size_t which) {
  return changes[which].name;
}

/* One map, or a list of them. */
static int next_map(struct rebali_slice value, size_t *at, struct rebali_slice *map) {
  if (rebali_cursor_kind(value) == REBALI_JSON_LIST) {
    return rebali_cursor_item(value, at, map);
  }
  *map = value;
  return (*at)++ == 0 && value.len > 0;
}

int32_t rebali_member_changes_read(const struct rebali_reading *outer, struct rebali_scenario_step *step) {
  int32_t code = REBAL_OK;
  for (size_t which = 0; which < REBALI_MEMBER_CHANGES; which++) {
    struct rebali_reading reading = *outer;
    struct rebali_slice map;
    size_t at = 0;
    step->changes[which] = rebali_cursor_find(outer->map, changes[which].name);
    for (size_t i = 0; code == REBAL_OK && next_map(step->changes[which], &at, &map); i++) {
      char prefix[48];
      const int is_list = rebali_cursor_kind(step->changes[which]) == REBALI_JSON_LIST;
      (void)snprintf(prefix, sizeof prefix, is_list ? "%s[%zu]." : "%s.", changes[which].name, i);
      reading.prefix = prefix;
      reading.map = map;
      code = rebali_cursor_kind(map) == REBALI_JSON_MAP
                 ? read_change(&reading, which)
                 : rebali_reading_fail(outer, changes[which].name, "a map or a list of maps is expected");
    }
  }
  return code;
}

/* The member and the node that the change names. */
static int32_t find_target(struct change *change, int with_node) {
  char *node;
  if (find_cluster(change) == REBAL_NONE) {
    return fail_step(change, REBAL_ENOTFOUND, "there is no such cluster");
  }
  change->member = with_node ? rebali_member_find(change->simulation, change->cluster)
                             : rebali_member_make(change->simulation, change->cluster);
  if (!with_node) {
    return change->member != NULL ? REBAL_OK : rebali_fail_memory(change->err);
  }
  node = rebali_cursor_copy(rebali_cursor_find(change->map, "node"));
  if (node == NULL) {
    return rebali_fail_memory(change->err);
  }
  for (size_t i = 0; change->member != NULL && i < change->member->n_nodes; i++) {
    size_t len;
    const char *found =
        rebal_store_identity(change->member->store, change->member->nodes[i].object, REBAL_IDENTITY_NAME, &len);
    if (len == strlen(node) && memcmp(found, node, len) == 0) {
      change->node = (uint32_t)i;
    }
  }
  free(node);
  return change->node != REBAL_NONE ? REBAL_OK : fail_step(change, REBAL_ENOTFOUND, "the cluster has no such node");
}

static int32_t run_change(struct change *change, size_t which) {
  int32_t code;
  change->cluster = rebali_cursor_copy(rebali_cursor_find(change->map, "cluster"));
  if (change->cluster == NULL) {
    return rebali_fail_memory(change->err);
  }
  code = find_target(change, (changes[which].needs & WITH_NODE) != 0);
  if (code == REBAL_OK) {
    code = changes[which].run(change);
  }
  free(change->cluster);
  return code;
}

int32_t rebali_member_changes_run(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                                  rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t which = 0; which < REBALI_MEMBER_CHANGES; which++) {
    struct rebali_slice map;
    size_t at = 0;
    while (code == REBAL_OK && next_map(step->changes[which], &at, &map)) {
      struct change change = {simulation, step, changes[which].name, map, NULL, NULL, REBAL_NONE, err};
      code = run_change(&change, which);
    }
  }
  return code;
}

int32_t rebali_node_taint(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                          struct rebali_slice change_map, const struct rebali_taint_text *taint, int is_added,
                          rebal_error *err) {
  struct change change = {simulation, step, is_added ? "taint.node" : "untaint.node", change_map, NULL, NULL,
                          REBAL_NONE, err};
  size_t removed = 0;
  int32_t code;
  change.cluster = rebali_cursor_copy(rebali_cursor_find(change_map, "cluster"));
  code = change.cluster != NULL ? find_target(&change, 1) : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = set_taint(&change, taint, is_added, &removed);
  }
  if (code == REBAL_OK && !is_added && removed == 0) {
    code = fail_step(&change, REBAL_ENOTFOUND, "the node has no such taint");
  }
  if (code == REBAL_OK) {
    rebal_text_reset(simulation->scratch);
    code = rebali_print(simulation->scratch, err, "%s %s", is_added ? "tainted" : "untainted", taint->text);
  }
  if (code == REBAL_OK) {
    code = tell(&change, rebal_text_bytes(simulation->scratch, NULL));
  }
  free(change.cluster);
  return code;
}
