/* SPDX-License-Identifier: MIT */
/*
 * Places the pods of the scenario's own cluster on its Nodes; without Nodes on a single one that fits all. Pods get
 * ready after a delay.
 */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "pod-scheduler";

/* ---- writes to a pod --------------------------------------------------------------------------------------------- */

static void print_condition(const struct rebali_server *server, const char *type, const char *status,
                            struct rebali_buffer *out) {
  rebali_buffer_format(out, "{\"type\":\"%s\",\"status\":%s,\"lastTransitionTime\":\"", type, status);
  rebali_print_time(out, &server->now);
  rebali_buffer_text(out, "\"}");
}

static int32_t patch(struct rebali_own *own, uint32_t pod, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  const int32_t code = rebali_patch(server, pod, &own->other, err);
  return code == REBAL_OK ? rebali_watch_quietly(server, pod, err) : code;
}

static int32_t set_unschedulable(struct rebali_own *own, uint32_t pod, rebal_error *err) {
  rebali_buffer_clear(&own->other);
  rebali_buffer_text(&own->other, "{\"status\":{\"conditions\":[");
  print_condition(own->core->server, "PodScheduled", "\"False\",\"reason\":\"Unschedulable\"", &own->other);
  rebali_buffer_text(&own->other, "]}}");
  return patch(own, pod, err);
}

static int32_t set_ready(struct rebali_own *own, uint32_t pod, rebal_error *err) {
  rebali_buffer_clear(&own->other);
  rebali_buffer_text(&own->other, "{\"status\":{\"phase\":\"Running\",\"conditions\":[");
  print_condition(own->core->server, "PodScheduled", "\"True\"", &own->other);
  rebali_buffer_text(&own->other, ",");
  print_condition(own->core->server, "Ready", "\"True\"", &own->other);
  rebali_buffer_text(&own->other, "]}}");
  return patch(own, pod, err);
}

static int32_t set_node(struct rebali_own *own, uint32_t pod, const char *node, rebal_error *err) {
  rebali_buffer_clear(&own->other);
  rebali_buffer_text(&own->other, "{\"spec\":{\"nodeName\":");
  rebali_print_text(&own->other, node);
  rebali_buffer_text(&own->other, "},\"status\":{\"conditions\":[");
  print_condition(own->core->server, "PodScheduled", "\"True\"", &own->other);
  rebali_buffer_text(&own->other, "]}}");
  return patch(own, pod, err);
}

/* ---- placement --------------------------------------------------------------------------------------------------- */

static int32_t seat(struct rebali_own *own, struct rebali_pod *pod, const char *node, rebal_error *err) {
  struct rebali_buffer change = REBALI_BUFFER;
  int32_t code = set_node(own, pod->object, node, err);
  rebali_buffer_format(&change, "placed on node %s", node);
  if (code == REBAL_OK && change.failed) {
    code = rebali_fail_memory(err);
  }
  if (code == REBAL_OK) {
    pod->has_node = 1;
    rebali_pod_start(pod, &own->core->server->now, own->ready_after_ns, 1);
    code = rebali_pod_log_add(own, name, pod->object, change.bytes, "the first that may take it", err);
  }
  rebali_buffer_dispose(&change);
  return code;
}

/* Logged once: the pod continues to wait. */
static int32_t leave(struct rebali_own *own, uint32_t pod, rebal_error *err) {
  int32_t code;
  if (rebal_value_count(rebali_field(own->core->server, pod, "status.conditions")) > 0) {
    return REBAL_OK;
  }
  code = set_unschedulable(own, pod, err);
  return code == REBAL_OK
             ? rebali_pod_log_add(own, name, pod, "unschedulable", "no node may take it and has capacity", err)
             : code;
}

/* Reads what a pod requests, as a handle of the cluster's fleet. */
static int32_t read_requirements(struct rebali_own *own, struct rebali_pod *pod, rebal_error *err) {
  const rebal_record *record;
  const int32_t code =
      rebal_store_requirements(own->core->server->store, pod->object, own->core->builder, &record, err);
  return code == REBAL_OK ? rebal_fleet_intern(own->fleet, record, &pod->requirements, err) : code;
}

static int32_t take_seats(struct rebali_own *own, const rebal_snapshot *snapshot, const struct rebali_seats *seats,
                          rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < seats->n; i++) {
    const uint32_t node = rebali_cell_id(rebali_cell(own->core->result, REBAL_SEATED_NODE, i));
    code =
        node != REBAL_NONE
            ? seat(own, seats->pods[i],
                   rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_NODE_NAME, own->nodes, node, NULL), err)
            : leave(own, seats->pods[i]->object, err);
    rebali_reads_release(own->core->server);
  }
  return code;
}

/* Places pods. Those that have a node are charged in the snapshot. */
static int32_t place(struct rebali_own *own, const struct rebali_seats *seats, rebal_error *err) {
  rebal_snapshot *snapshot = NULL;
  int32_t code = rebal_store_feed_member(own->core->server->store, own->fleet, own->nodes, &own->nodes_feed, err);
  for (size_t i = 0; code == REBAL_OK && i < seats->n; i++) {
    code = read_requirements(own, seats->pods[i], err);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(own->fleet, &snapshot, err);
  }
  if (code == REBAL_OK) {
    code = rebali_seats_find(seats, own->core, snapshot, own->nodes, 0, REBAL_NONE, 0, err);
  }
  if (code == REBAL_OK) {
    code = take_seats(own, snapshot, seats, err);
  }
  rebal_snapshot_unref(snapshot);
  return code;
}

static int32_t list_waiting(void *user, struct rebali_pods *pods, uint32_t owner, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
    if (!pods->list[i].has_node && !pods->list[i].is_done) {
      code = rebali_seats_add(user, &pods->list[i], owner, err);
    }
  }
  return code;
}

static int32_t place_all(struct rebali_own *own, rebal_error *err) {
  struct rebali_seats seats = {NULL, NULL, 0, 0, 0};
  int32_t code = rebali_own_each(own, list_waiting, &seats, err);
  if (code == REBAL_OK) {
    code = rebali_seats_sort(&seats, err);
  }
  if (code == REBAL_OK && seats.n > 0 && rebali_next_of(own->core->server, "Node", REBAL_NONE) != REBAL_NONE) {
    code = place(own, &seats, err);
  } else {
    for (size_t i = 0; code == REBAL_OK && i < seats.n; i++) {
      code = seat(own, seats.pods[i], "node-0", err);
      rebali_reads_release(own->core->server);
    }
  }
  rebali_seats_dispose(&seats);
  return code;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* Pods that get ready now, and the time of the next one. */
struct ripening {
  const rebal_time *now;
  struct rebali_ids due;
  rebal_time next;
};

static int32_t find_due(void *user, struct rebali_pods *pods, uint32_t owner, rebal_error *err) {
  struct ripening *ripening = user;
  int32_t code = REBAL_OK;
  (void)owner;
  for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
    if (rebali_time_is_due(&pods->list[i].ready_at, ripening->now)) {
      code = rebali_ids_add(&ripening->due, pods->list[i].object, err);
    }
  }
  (void)rebali_pods_ripen(pods, ripening->now);
  rebali_pods_next(pods, &ripening->next);
  return code;
}

/* Makes the pods ready whose time has come. */
static int32_t ripen(struct rebali_own *own, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  struct ripening ripening = {&server->now, {NULL, 0, 0}, {0, 0, 0}};
  int32_t code = rebali_own_each(own, find_due, &ripening, err);
  own->next = ripening.next;
  if (code == REBAL_OK) {
    code = rebali_ids_sort(server, &ripening.due, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < ripening.due.n; i++) {
    code = set_ready(own, ripening.due.list[i], err);
    if (code == REBAL_OK) {
      code = rebali_pod_log_add(own, "kubelet", ripening.due.list[i], "ready", "", err);
    }
    rebali_reads_release(server);
  }
  rebali_ids_dispose(&ripening.due);
  return code;
}

static int32_t find_next(void *user, struct rebali_pods *pods, uint32_t owner, rebal_error *err) {
  (void)owner;
  (void)err;
  rebali_pods_next(pods, user);
  return REBAL_OK;
}

int32_t rebali_pod_scheduler_run(struct rebali_pod_scheduler *scheduler, rebal_error *err) {
  struct rebali_own *own = scheduler->own;
  const struct rebali_server *server = own != NULL ? own->core->server : NULL;
  int32_t code;
  if (own == NULL ||
      (scheduler->seen == rebal_store_change_count(server->store) && !rebali_time_is_due(&own->next, &server->now))) {
    return REBAL_OK;
  }
  code = rebali_own_update(own, err);
  if (code == REBAL_OK) {
    code = ripen(own, err);
  }
  if (code == REBAL_OK && scheduler->seen != rebal_store_change_count(server->store)) {
    code = place_all(own, err);
  }
  scheduler->seen = rebal_store_change_count(server->store);
  own->next = (rebal_time){0, 0, 0};
  (void)rebali_own_each(own, find_next, &own->next, err);
  return code == REBAL_OK ? rebali_pod_log_report(own, err) : code;
}
