/* SPDX-License-Identifier: MIT */
/* A plan as JSON or YAML. */
#include "plan/plan.h"

#include <stdio.h>

struct member {
  const char *key;
  uint32_t column;
};

static void report_cells(const struct planned *planned, struct report *report, const struct member *members, size_t n,
                         size_t row) {
  for (size_t i = 0; i < n; i++) {
    const int64_t value = plan_cell(planned, members[i].column, row);
    if (value != REBAL_ABSENT) {
      report_integer(report, members[i].key, value);
    }
  }
}

#define CELLS(planned, report, members, row) \
  report_cells(planned, report, members, sizeof(members) / sizeof(members)[0], row)

static void report_limit_name(const struct planned *planned, struct report *report, const char *key, size_t limit) {
  struct output name;
  if (output_open(&name) != STATUS_DONE) {
    report->text.failed = 1;
    return;
  }
  plan_put_limit(planned, limit, &name);
  report_text(report, key, rebal_text_bytes(name.text, NULL));
  output_close(&name);
}

static void report_sums(const struct planned *planned, struct report *report) {
  report_map(report, "replicas");
  report_integer(report, "drift", plan_sum(planned, REBAL_PLANNED_DRIFT));
  report_integer(report, "moved", plan_sum(planned, REBAL_PLANNED_GRANTED));
  report_integer(report, "withheld", plan_sum(planned, REBAL_PLANNED_WITHHELD));
  report_integer(report, "driftLeft", plan_sum(planned, REBAL_PLANNED_DRIFT_LEFT));
  report_map_end(report);
}

static void report_proof(const struct planned *planned, struct report *report) {
  static const struct member members[] = {{"bindings", REBAL_PROOF_BINDINGS}, {"classes", REBAL_PROOF_CLASSES},
                                          {"placed", REBAL_PROOF_PLACED},     {"kept", REBAL_PROOF_KEPT},
                                          {"moved", REBAL_PROOF_MOVED},       {"gap", REBAL_PROOF_GAP}};
  if (plan_rows(planned, REBAL_TABLE_PROOF) == 0) {
    return;
  }
  report_map(report, "proof");
  CELLS(planned, report, members, 0);
  report_boolean(report, "exact", plan_cell(planned, REBAL_PROOF_EXACT, 0) != 0);
  report_boolean(report, "verified", planned->world->options->plan.is_verified);
  report_map_end(report);
}

/* Clusters in which a limit is used; *at is the first of them, then the one after the last. */
static void report_limit_uses(const struct planned *planned, struct report *report, size_t limit, size_t *at) {
  static const struct member members[] = {{"used", REBAL_LIMIT_USE_USED}, {"left", REBAL_LIMIT_USE_LEFT}};
  report_list(report, "clusters");
  for (; *at < planned->n_uses && planned->uses[*at].limit == limit; ++*at) {
    const size_t row = planned->uses[*at].row;
    report_map(report, NULL);
    report_text(report, "name", rebal_result_text(planned->world->result, REBAL_LIMIT_USE_SUBJECT, row, NULL));
    CELLS(planned, report, members, row);
    report_map_end(report);
  }
  report_list_end(report);
}

static void report_limits(const struct planned *planned, struct report *report) {
  static const struct member members[] = {{"allows", REBAL_LIMITED_REPLICAS},
                                          {"used", REBAL_LIMITED_USED},
                                          {"withheld", REBAL_LIMITED_WITHHELD},
                                          {"shadow", REBAL_LIMITED_SHADOW}};
  size_t use = 0;
  report_list(report, "limits");
  for (size_t row = 0; row < plan_rows(planned, REBAL_TABLE_LIMITED); row++) {
    report_map(report, NULL);
    report_limit_name(planned, report, "name", row);
    CELLS(planned, report, members, row);
    report_limit_uses(planned, report, row, &use);
    report_map_end(report);
  }
  report_list_end(report);
}

static void report_uses(const struct planned *planned, struct report *report) {
  static const struct member members[] = {{"before", REBAL_CLUSTER_USE_BEFORE},
                                          {"after", REBAL_CLUSTER_USE_AFTER},
                                          {"movedOut", REBAL_CLUSTER_USE_MOVED_OUT},
                                          {"movedIn", REBAL_CLUSTER_USE_MOVED_IN}};
  report_list(report, "clusters");
  for (size_t row = 0; row < plan_rows(planned, REBAL_TABLE_CLUSTER_USE); row++) {
    report_map(report, NULL);
    report_text(report, "name", plan_cluster(planned, REBAL_CLUSTER_USE_CLUSTER, row));
    CELLS(planned, report, members, row);
    report_map_end(report);
  }
  report_list_end(report);
}

static void report_waves(const struct planned *planned, struct report *report) {
  report_list(report, "waves");
  for (size_t i = 0; i < planned->waves.n_writes; i++) {
    const struct wave_write *write = &planned->waves.writes[i];
    report_map(report, NULL);
    report_integer(report, "wave", (int64_t)write->wave + 1);
    report_binding(report, planned->world, planned->objects[write->binding]);
    report_text(report, "cluster", cluster_name(planned->world, write->cluster));
    report_integer(report, "from", write->from);
    report_integer(report, "to", write->to);
    report_map_end(report);
  }
  report_list_end(report);
  report_list(report, "unfinished");
  for (size_t i = 0; i < planned->waves.n_ends; i++) {
    const struct wave_end *end = &planned->waves.ends[i];
    report_map(report, NULL);
    report_binding(report, planned->world, planned->objects[end->binding]);
    report_text(report, "state", enum_text(REBAL_ENUM_WAVE_STATE, end->state));
    report_text(report, "reason", enum_text(REBAL_ENUM_WAVE_REASON, end->reason));
    if (end->cluster != REBAL_NONE) {
      report_text(report, "cluster", cluster_name(planned->world, end->cluster));
    }
    report_map_end(report);
  }
  report_list_end(report);
}

static void begin_report(struct report *report, const void *user, int is_first) {
  const struct planned *planned = user;
  uint64_t high, low;
  char fingerprint[33];
  report_map(report, NULL);
  if (is_first) {
    rebal_plan_fingerprint(planned->plan, &high, &low);
    (void)snprintf(fingerprint, sizeof fingerprint, "%016llx%016llx", (unsigned long long)high,
                   (unsigned long long)low);
    report_text(report, "mode", enum_text(REBAL_ENUM_PLAN_MODE, planned->world->options->plan.opts.mode));
    report_text(report, "fingerprint", fingerprint);
    report_sums(planned, report);
    report_proof(planned, report);
    report_limits(planned, report);
    report_uses(planned, report);
    if (planned->world->options->plan.has_waves) {
      report_waves(planned, report);
    }
  }
  report_list(report, "bindings");
}

static void report_clusters(const struct planned *planned, struct report *report, size_t i) {
  static const struct member members[] = {{"present", REBAL_PLANNED_CLUSTER_PRESENT},
                                          {"wanted", REBAL_PLANNED_CLUSTER_WANTED},
                                          {"planned", REBAL_PLANNED_CLUSTER_PLANNED},
                                          {"ready", REBAL_PLANNED_CLUSTER_READY}};
  const size_t first = (size_t)plan_cell(planned, REBAL_PLANNED_FIRST_CLUSTER, i);
  const size_t n = (size_t)plan_cell(planned, REBAL_PLANNED_CLUSTERS, i);
  report_list(report, "clusters");
  for (size_t row = first; row < first + n; row++) {
    report_map(report, NULL);
    report_text(report, "name", plan_cluster(planned, REBAL_PLANNED_CLUSTER_CLUSTER, row));
    CELLS(planned, report, members, row);
    report_map_end(report);
  }
  report_list_end(report);
}

static void report_moves(const struct planned *planned, struct report *report, size_t i) {
  const size_t first = (size_t)plan_cell(planned, REBAL_PLANNED_FIRST_MOVE, i);
  const size_t n = (size_t)plan_cell(planned, REBAL_PLANNED_MOVES, i);
  report_list(report, "moves");
  for (size_t row = first; row < first + n; row++) {
    report_map(report, NULL);
    report_text(report, "from", plan_cluster(planned, REBAL_MOVE_SOURCE, row));
    report_text(report, "to", plan_cluster(planned, REBAL_MOVE_TARGET, row));
    report_integer(report, "replicas", plan_cell(planned, REBAL_MOVE_REPLICAS, row));
    report_map_end(report);
  }
  report_list_end(report);
}

static size_t first_replica(const struct planned *planned, size_t binding) {
  size_t low = 0, high = planned->n_replicas;
  while (low < high) {
    const size_t at = low + (high - low) / 2;
    if (planned->replicas[at].binding < binding) {
      low = at + 1;
    } else {
      high = at;
    }
  }
  return low;
}

static void report_filled(struct report *report, const char *key, const char *text) {
  if (text[0] != '\0') {
    report_text(report, key, text);
  }
}

/* Only with members, so that the output without members does not change. */
static void report_replicas(const struct planned *planned, struct report *report, size_t binding) {
  if (planned->world->members.n == 0) {
    return;
  }
  report_list(report, "pods");
  for (size_t i = first_replica(planned, binding); i < planned->n_replicas && planned->replicas[i].binding == binding;
       i++) {
    const struct member_replica *replica = &planned->replicas[i];
    report_map(report, NULL);
    report_text(report, "cluster", cluster_name(planned->world, replica->cluster));
    report_text(report, "replica", enum_text(REBAL_ENUM_MEMBER_REPLICA, replica->state));
    report_filled(report, "pod", replica_pod(planned, replica));
    report_filled(report, "spread", replica_spread(planned, replica));
    report_filled(report, "subset", replica_subset(planned, replica));
    if (replica->rule != REBAL_DELETION_RULE_NONE) {
      report_text(report, "rule", enum_text(REBAL_ENUM_DELETION_RULE, replica->rule));
    }
    report_map_end(report);
  }
  report_list_end(report);
}

static enum status write_binding(struct report *report, const void *user, size_t i) {
  static const struct member members[] = {{"replicas", REBAL_PLANNED_REPLICAS},
                                          {"drift", REBAL_PLANNED_DRIFT},
                                          {"moved", REBAL_PLANNED_GRANTED},
                                          {"withheld", REBAL_PLANNED_WITHHELD},
                                          {"added", REBAL_PLANNED_ADDED},
                                          {"removed", REBAL_PLANNED_REMOVED},
                                          {"driftLeft", REBAL_PLANNED_DRIFT_LEFT},
                                          {"maxSurge", REBAL_PLANNED_MAX_SURGE},
                                          {"maxUnavailable", REBAL_PLANNED_MAX_UNAVAILABLE}};
  const struct planned *planned = user;
  const char *message = rebal_result_text(planned->world->result, REBAL_PLANNED_MESSAGE, i, NULL);
  const int64_t limit = plan_cell(planned, REBAL_PLANNED_LIMITED_BY, i);
  report_map(report, NULL);
  report_binding(report, planned->world, planned->objects[i]);
  report_text(report, "result", enum_text(REBAL_ENUM_OUTCOME, plan_cell(planned, REBAL_PLANNED_OUTCOME, i)));
  if (message[0] != '\0') {
    report_text(report, "message", message);
  }
  CELLS(planned, report, members, i);
  if (limit != REBAL_ABSENT) {
    report_limit_name(planned, report, "limitedBy", (size_t)limit);
    report_boolean(report, "whole", plan_cell(planned, REBAL_PLANNED_WHOLE, i) != 0);
  }
  report_clusters(planned, report, i);
  report_moves(planned, report, i);
  report_replicas(planned, report, i);
  report_map_end(report);
  return STATUS_DONE;
}

enum status plan_write_report(const struct planned *planned, struct output *out) {
  const struct long_report parts = {begin_report, write_binding, planned, planned->n};
  return report_long(&parts, planned->world->options->format, out);
}
