/* SPDX-License-Identifier: MIT */
/*
 * Makes member clusters run what spec.clusters and the eviction tasks of each binding require, and reports it as the
 * binding's aggregated status.
 */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "members";

/* ---- wanted works ------------------------------------------------------------------------------------------------ */

/* Tests whether the binding is not dispatched to a cluster. */
static int is_suspended(const rebal_value *spec, const char *cluster) {
  const rebal_value *suspension = rebali_find(spec, "suspension");
  const rebal_value *names = rebali_find(rebali_find(suspension, "dispatchingOnClusters"), "clusterNames");
  return rebali_is_true(rebali_find(suspension, "dispatching")) || rebali_holds_text(names, cluster);
}

/* Returns the ready replicas of a cluster in the status of a binding; all of them if it is healthy without a number. */
static int64_t reported_ready(const struct rebali_members *members, uint32_t binding, const char *cluster) {
  const rebal_value *items = rebali_field(members->core->server, binding, "status.aggregatedStatus");
  for (size_t i = 0; i < rebal_value_count(items); i++) {
    const rebal_value *item = rebal_value_item(items, i);
    const int64_t all = rebali_reads(rebali_find(item, "health"), "Healthy") ? INT64_MAX : 0;
    if (rebali_reads(rebali_find(item, "clusterName"), cluster)) {
      return rebali_number_or(rebali_find(rebali_find(item, "status"), "readyReplicas"), all);
    }
  }
  return 0;
}

/* Nothing can run in a cluster that is not registered. Initial objects have run before. */
static int32_t want_target(struct rebali_members *members, uint32_t binding, const rebal_value *spec,
                           const rebal_value *target, int64_t replicas, rebal_error *err) {
  const char *cluster = rebali_find_text(target, "name");
  struct rebali_member *member;
  int is_known;
  int32_t code;
  if (rebali_find_object(members->core->server, "Cluster", "", cluster) == REBAL_NONE) {
    struct rebali_bound *bound = rebali_row(&members->bindings, binding, err);
    if (bound != NULL) {
      bound->lacks_works = 1;
    }
    return bound != NULL ? REBAL_OK : REBAL_ENOMEM;
  }
  member = rebali_member_make(members, cluster, err);
  if (member == NULL) {
    return REBAL_ENOMEM;
  }
  is_known = rebali_work_find(members, binding, cluster) != NULL;
  code = rebali_work_want(member, binding, replicas, is_suspended(spec, cluster), err);
  return code == REBAL_OK && members->core->server->is_initial && !is_known
             ? rebali_work_begin_ready(member, binding, reported_ready(members, binding, cluster), err)
             : code;
}

/* Pods stay in a cluster with an eviction task unless the task purges directly (rebalance-karmada(7) 10.4). */
static void keep_evicted(const struct rebali_members *members, uint32_t binding, const rebal_value *tasks) {
  struct rebali_bound *bound = rebali_bound_find(members, binding);
  for (size_t i = 0; i < rebal_value_count(tasks); i++) {
    const rebal_value *task = rebal_value_item(tasks, i);
    struct rebali_work *work = rebali_work_find(members, binding, rebali_find_text(task, "fromCluster"));
    if (rebali_reads(rebali_find(task, "purgeMode"), "Directly")) {
      continue;
    }
    if (work != NULL) {
      work->is_wanted = 1;
    } else if (bound != NULL) {
      bound->lacks_works = 1;
    }
  }
}

/* An attached binding has the clusters of the bindings that require it. */
static int32_t want_required(struct rebali_members *members, uint32_t binding, const rebal_value *spec,
                             rebal_error *err) {
  const rebal_value *required = rebali_find(spec, "requiredBy");
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(required); i++) {
    const rebal_value *clusters = rebali_find(rebal_value_item(required, i), "clusters");
    for (size_t j = 0; code == REBAL_OK && j < rebal_value_count(clusters); j++) {
      const rebal_value *target = rebal_value_item(clusters, j);
      const struct rebali_work *work = rebali_work_find(members, binding, rebali_find_text(target, "name"));
      if (work == NULL || !work->is_wanted) {
        code = want_target(members, binding, spec, target, 0, err);
      }
    }
  }
  return code;
}

static int32_t follow(struct rebali_members *members, uint32_t binding, rebal_error *err) {
  const rebal_value *spec = rebali_field(members->core->server, binding, "spec");
  const rebal_value *targets = rebali_find(spec, "clusters");
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(targets); i++) {
    const rebal_value *target = rebal_value_item(targets, i);
    code = want_target(members, binding, spec, target, rebali_number_or(rebali_find(target, "replicas"), 0), err);
  }
  if (code == REBAL_OK) {
    code = want_required(members, binding, spec, err);
  }
  keep_evicted(members, binding, rebali_find(spec, "gracefulEvictionTasks"));
  return code;
}

/* Marks all works of a binding as not wanted. Its pods may get other nodes. */
static void begin(const struct rebali_members *members, uint32_t binding) {
  struct rebali_bound *bound = rebali_bound_find(members, binding);
  for (size_t i = 0; bound != NULL && i < bound->n; i++) {
    struct rebali_work *work = bound->works[i];
    if (members->n_with_nodes > 0) {
      rebali_capacity_touch(work->member);
      work->member->is_stale = 1;
    }
    work->is_wanted = 0;
  }
  if (bound != NULL) {
    bound->lacks_works = 0;
  }
}

/* Updates the works of a binding that changed or was deleted. */
static int32_t renew(struct rebali_members *members, uint32_t object, struct rebali_ids *bindings, rebal_error *err) {
  int32_t code = REBAL_OK;
  begin(members, object);
  if (rebali_object_is_binding(members->core->server, object)) {
    code = follow(members, object, err);
    if (code == REBAL_OK) {
      code = rebali_ids_add(bindings, object, err);
    }
  }
  if (code == REBAL_OK) {
    rebali_works_drop(members, object);
  }
  return code;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/*
 * A report comes with a delay after the first change that it contains, and holds the state at that time. A lost member
 * reports nothing.
 */
static void bring_report(struct rebali_work *work) {
  const rebal_time *now = &work->member->members->core->server->now;
  struct rebali_report *report = &work->report;
  const int is_new =
      work->is_applied && (!report->is_made || report->replicas != work->replicas || report->ready != work->ready);
  if (!is_new || (work->member->is_lost && work->member->report_after_ns > 0)) {
    report->due.is_set = 0;
    return;
  }
  if (!report->due.is_set) {
    report->due = rebali_time_after(now, work->member->report_after_ns);
  }
  if (rebali_time_is_due(&report->due, now)) {
    *report = (struct rebali_report){work->replicas, work->ready, 1, {0, 0, 0}};
  }
}

/* Returns the time of the next report of the binding's works; unset: none. */
static rebal_time bring_reports(const struct rebali_bound *bound) {
  rebal_time next = {0, 0, 0};
  for (size_t i = 0; bound != NULL && i < bound->n; i++) {
    bring_report(bound->works[i]);
    rebali_time_lower(&next, &bound->works[i]->report.due);
  }
  return next;
}

/* Jobs have no rule of health: once reported, they are healthy (rebalance-karmada(7) 15.3). */
static const char *health_of(const struct rebali_report *report, int is_job) {
  return !report->is_made ? "Unknown" : is_job || report->ready == report->replicas ? "Healthy" : "Unhealthy";
}

static void print_count(struct rebali_buffer *out, const char *before, int64_t count) {
  rebali_buffer_text(out, before);
  rebali_buffer_append_i64(out, count);
}

/* Prints the collected status of the workload (rebalance-karmada(7) 15.5). */
static void print_status(const struct rebali_report *report, int is_job, struct rebali_buffer *out) {
  if (is_job) {
    print_count(out, ",\"status\":{\"active\":", report->replicas);
  } else {
    print_count(out, ",\"status\":{\"replicas\":", report->replicas);
    print_count(out, ",\"readyReplicas\":", report->ready);
    print_count(out, ",\"availableReplicas\":", report->ready);
    print_count(out, ",\"updatedReplicas\":", report->replicas);
  }
  rebali_buffer_text(out, "}");
}

/* Prints an item for each work. Only a work that was reported has a status. */
static void print_items(const struct rebali_bound *bound, int is_job, struct rebali_buffer *out) {
  rebali_buffer_text(out, "[");
  for (size_t i = 0; bound != NULL && i < bound->n; i++) {
    const struct rebali_work *work = bound->works[i];
    const struct rebali_report *report = &work->report;
    rebali_buffer_format(out, "%s{\"applied\":%s", i > 0 ? "," : "", work->is_applied ? "true" : "false");
    rebali_print_member(out, "clusterName", work->member->cluster);
    rebali_print_member(out, "health", health_of(report, is_job));
    if (report->is_made) {
      print_status(report, is_job, out);
    }
    rebali_buffer_text(out, "}");
  }
  rebali_buffer_text(out, "]");
}

/* Tests whether there is an applied work for each cluster of the binding. */
static int is_fully_applied(const struct rebali_bound *bound) {
  int holds = bound->n > 0 && !bound->lacks_works;
  for (size_t i = 0; holds && i < bound->n; i++) {
    holds = bound->works[i]->is_applied;
  }
  return holds;
}

/* Prints other conditions, then FullyApplied, which keeps its time while its status stays. */
static void print_conditions(struct rebali_server *server, uint32_t binding, int is_applied,
                             struct rebali_buffer *out) {
  const rebal_value *conditions = rebali_field(server, binding, "status.conditions"), *kept = NULL;
  const char *status = is_applied ? "True" : "False";
  rebali_buffer_text(out, ",\"conditions\":[");
  for (size_t i = 0; i < rebal_value_count(conditions); i++) {
    const rebal_value *condition = rebal_value_item(conditions, i);
    if (!rebali_reads(rebali_find(condition, "type"), "FullyApplied")) {
      rebali_print_json(out, condition);
      rebali_buffer_text(out, ",");
    } else if (rebali_reads(rebali_find(condition, "status"), status)) {
      kept = condition;
    }
  }
  if (kept != NULL) {
    rebali_print_json(out, kept);
  } else {
    rebali_buffer_format(out, "{\"type\":\"FullyApplied\",\"status\":\"%s\"", status);
    rebali_print_member(out, "reason", is_applied ? "FullyAppliedSuccess" : "FullyAppliedFailed");
    rebali_print_member(out, "message",
                        is_applied ? "All works have been successfully applied"
                                   : "Failed to apply all works, see status.aggregatedStatus for details");
    rebali_buffer_text(out, ",\"lastTransitionTime\":\"");
    rebali_print_time(out, &server->now);
    rebali_buffer_text(out, "\"}");
  }
  rebali_buffer_text(out, "]");
}

static int32_t patch_status(struct rebali_server *server, uint32_t binding, const struct rebali_bound *bound,
                            rebal_error *err) {
  struct rebali_buffer *patch = &server->scratch;
  rebali_buffer_clear(patch);
  rebali_buffer_format(patch, "{\"status\":{\"aggregatedStatus\":%s", bound->reported);
  print_conditions(server, binding, bound->is_fully_applied, patch);
  rebali_buffer_text(patch, "}}");
  return rebali_patch(server, binding, patch, err);
}

/* Records the events of the reference's binding-status controller, on the binding and on its resource. */
static int32_t report_status(struct rebali_server *server, uint32_t binding, rebal_error *err) {
  static const char controller[] = "binding-status", event[] = "AggregateStatusSucceed";
  const char *namespace_ = rebali_namespace_of(server, binding);
  const uint32_t resource = rebali_resource_of(server, binding);
  struct rebali_buffer message = REBALI_BUFFER;
  int32_t code;
  rebali_buffer_format(&message, "Update %s(%s%s%s) with AggregatedStatus successfully.",
                       rebali_kind_of(server, binding), namespace_, namespace_[0] != '\0' ? "/" : "",
                       rebali_name_of(server, binding));
  code = message.failed ? rebali_fail_memory(err)
                        : rebali_event_report(server, binding, controller, "Normal", event, message.bytes, err);
  if (code == REBAL_OK && resource != REBAL_NONE) {
    code = rebali_event_report(server, resource, controller, "Normal", event,
                               "Update Resource with AggregatedStatus successfully.", err);
  }
  rebali_buffer_dispose(&message);
  return code;
}

/* Tests whether this was last written. A binding that never had a work has no status. */
static int is_known(const struct rebali_bound *bound, const char *items) {
  return bound->reported == NULL
             ? strcmp(items, "[]") == 0
             : strcmp(items, bound->reported) == 0 && bound->is_fully_applied == is_fully_applied(bound);
}

static int32_t report(struct rebali_binding_status *status, uint32_t binding, rebal_error *err) {
  struct rebali_members *members = status->members;
  struct rebali_server *server = members->core->server;
  struct rebali_bound *bound = rebali_row(&members->bindings, binding, err);
  struct rebali_buffer items = REBALI_BUFFER;
  int32_t code = bound != NULL ? rebali_timer_set(&status->timers, binding, bring_reports(bound), err) : REBAL_ENOMEM;
  print_items(bound, strcmp(rebali_field_text(server, binding, "spec.resource.kind"), "Job") == 0, &items);
  if (code == REBAL_OK && items.failed) {
    code = rebali_fail_memory(err);
  }
  if (code != REBAL_OK || is_known(bound, items.bytes)) {
    rebali_buffer_dispose(&items);
    return code;
  }
  free(bound->reported);
  bound->reported = items.bytes; /* from malloc */
  bound->is_fully_applied = is_fully_applied(bound);
  code = patch_status(server, binding, bound, err);
  if (code == REBAL_OK) {
    code = rebali_watch(server, binding, name, "pods started, became ready, or went", err);
  }
  return code == REBAL_OK ? report_status(server, binding, err) : code;
}

/* Reports the bindings whose pods may have changed, in the order of the store. */
static int32_t report_all(struct rebali_binding_status *status, struct rebali_ids *bindings, rebal_error *err) {
  struct rebali_server *server = status->members->core->server;
  int32_t code = rebali_ids_sort(server, bindings, err);
  for (size_t i = 0; code == REBAL_OK && i < bindings->n; i++) {
    code = report(status, bindings->list[i], err);
    rebali_reads_release(server);
  }
  return code;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

/* A new cluster runs what was assigned to it before, so all bindings are examined. */
static int32_t note_new_clusters(struct rebali_members *members, const struct rebali_ids *changed, rebal_error *err) {
  const struct rebali_server *server = members->core->server;
  int is_new = 0;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < changed->n; i++) {
    if (rebali_is_kind(server, changed->list[i], "Cluster")) {
      struct rebali_member *member = rebali_member_register(members, changed->list[i], err);
      code = member != NULL ? REBAL_OK : REBAL_ENOMEM;
      if (member != NULL) {
        is_new |= !member->is_joined;
        member->is_joined = 1;
      }
    }
  }
  for (uint32_t binding = rebali_next_binding(server, REBAL_NONE); is_new && code == REBAL_OK && binding != REBAL_NONE;
       binding = rebali_next_binding(server, binding)) {
    code = rebali_ids_add(&members->renewed, binding, err);
  }
  return code;
}

static int32_t renew_all(struct rebali_members *members, struct rebali_ids *changed, struct rebali_ids *bindings,
                         rebal_error *err) {
  int32_t code = note_new_clusters(members, changed, err);
  for (size_t i = 0; code == REBAL_OK && i < members->renewed.n; i++) {
    code = rebali_ids_add(changed, members->renewed.list[i], err);
  }
  if (code == REBAL_OK && members->renewed.n > 0) {
    code = rebali_ids_sort(members->core->server, changed, err);
  }
  members->renewed.n = 0;
  for (size_t i = 0; code == REBAL_OK && i < changed->n; i++) {
    code = renew(members, changed->list[i], bindings, err);
    rebali_reads_release(members->core->server);
  }
  return code;
}

int32_t rebali_binding_status_run(struct rebali_binding_status *status, rebal_error *err) {
  struct rebali_members *members = status->members;
  const struct rebali_server *server = members->core->server;
  struct rebali_ids changed, bindings = {NULL, 0, 0};
  int32_t code = rebali_changes_take(server, &status->seen, &changed, err);
  if (code == REBAL_OK) {
    code = renew_all(members, &changed, &bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebali_members_settle(members, &bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebali_timers_due(&status->timers, &server->now, &bindings, err);
  }
  if (code == REBAL_OK) {
    code = report_all(status, &bindings, err);
  }
  rebali_ids_dispose(&changed);
  rebali_ids_dispose(&bindings);
  status->seen = rebal_store_change_count(server->store); /* its own writes require nothing */
  return code;
}
