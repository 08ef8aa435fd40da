/* SPDX-License-Identifier: MIT */
/* A history as a scenario for rebalancectl simulate. */
#include "histories.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What stands at the step that is written. */
struct writing {
  const struct history *history;
  char *out;
  size_t used;
  int is_faulty[MEMBERS], is_closed[MEMBERS], has_gone[MEMBERS], is_deleted[WORKLOADS];
  int is_lost[MEMBERS][NODES + 1]; /* by node */
};

__attribute__((format(printf, 2, 3))) static void print(struct writing *writing, const char *format, ...) {
  va_list arguments;
  int n;
  va_start(arguments, format);
  n = vsnprintf(writing->out + writing->used, SCENARIO_CAPACITY - writing->used, format, arguments);
  va_end(arguments);
  writing->used += n > 0 && (size_t)n < SCENARIO_CAPACITY - writing->used ? (size_t)n : 0;
}

static const char *word(const struct history *history, uint32_t workload) {
  return history->workloads[workload].is_copied ? "copy" : "app";
}

/* In one line, so that it can stand anywhere. */
static void write_deployment(struct writing *writing, uint32_t i, uint32_t replicas) {
  print(writing,
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s-%" PRIu32 ", uid: u%" PRIu32
        "}, spec: {replicas: %" PRIu32
        ", template: {spec: {containers: [{name: c, resources: {requests: {cpu: 10m}}}]}}}}\n",
        word(writing->history, i), i, i, replicas);
}

static void write_head(struct writing *writing) {
  const struct history *history = writing->history;
  print(writing,
        "# History %" PRIu64
        "\napiVersion: simulation.rebalance/v1\nkind: Scenario\noptions: {enableNoExecuteTaintEviction: true,"
        " noExecuteTaintEvictionPurgeMode: %s, gracefulEvictionTimeout: %" PRIu32 "s%s}\nmembers:\n",
        history->seed, history->purges_directly ? "Directly" : "Gracefully", history->timeout,
        history->is_strict ? ", level: repaired" : "");
  for (uint32_t i = 0; i < MEMBERS; i++) {
    if (history->members[i].is_left) {
      print(writing, "  m%" PRIu32 ": {readyAfter: %" PRIu32 "s", i, history->members[i].ready_after);
      if (history->members[i].n_nodes > 0) {
        print(writing, ", nodes: [{name: node, count: %" PRIu32 ", allocatable: {cpu: \"64\", pods: \"%" PRIu32 "\"}}]",
              history->members[i].n_nodes, history->members[i].pods);
      }
      print(writing, "}\n");
    }
  }
}

static void write_members(struct writing *writing) {
  for (uint32_t i = 0; i < MEMBERS; i++) {
    if (writing->history->members[i].is_left) {
      print(writing,
            "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m%" PRIu32
            "}\nspec: {syncMode: Push}\nstatus:\n"
            "  apiEnablements: [{groupVersion: apps/v1, resources: [{name: deployments, kind: Deployment}]}]\n"
            "  resourceSummary: {allocatable: {cpu: \"64\", pods: \"%" PRIu32 "\"}}\n",
            i, writing->history->members[i].pods);
    }
  }
}

static void write_tolerations(struct writing *writing, int32_t tolerated_for) {
  if (tolerated_for >= 0) {
    print(writing,
          ", clusterTolerations: [{key: fault, operator: Exists, effect: NoExecute, tolerationSeconds: %" PRId32 "}]",
          tolerated_for);
  }
}

static void write_workloads(struct writing *writing) {
  const struct history *history = writing->history;
  for (uint32_t i = 0; i < WORKLOADS; i++) {
    if (history->workloads[i].is_left) {
      print(writing, "---\n");
      write_deployment(writing, i, history->workloads[i].replicas);
      print(writing,
            "---\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: p%" PRIu32
            "}\nspec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: %s-%" PRIu32
            "}]\n  placement: %s",
            i, word(history, i), i, history->workloads[i].placement);
      write_tolerations(writing, history->workloads[i].tolerated_for);
      print(writing, "}\n");
    }
  }
}

static void write_taint(struct writing *writing, const char *verb, uint32_t member, const char *taint) {
  print(writing, "%s: {cluster: m%" PRIu32 ", taint: \"%s\"}\n", verb, member, taint);
}

static void write_rebalancer(struct writing *writing, uint32_t number, uint32_t workload) {
  print(writing,
        "apply:\n  apiVersion: apps.karmada.io/v1alpha1\n  kind: WorkloadRebalancer\n  metadata: {name: r%" PRIu32
        "}\n  spec: {workloads: [{apiVersion: apps/v1, kind: Deployment, name: %s-%" PRIu32 ", namespace: default}]}\n",
        number, word(writing->history, workload), workload);
}

static void write_node_step(struct writing *writing, const struct history_step *step) {
  static const char *const verbs[] = {"cordon", "uncordon", "drain", "nodeLost", "nodeBack"};
  int *is_lost = &writing->is_lost[step->member][step->node];
  if (step->node > writing->history->members[step->member].n_nodes || (step->kind == NODE_BACK && !*is_lost) ||
      (step->kind == NODE_LOST && *is_lost)) {
    return;
  }
  print(writing, "%s: {cluster: m%" PRIu32 ", node: node-%" PRIu32 "}\n", verbs[step->kind - CORDON], step->member,
        step->node);
  *is_lost = step->kind == NODE_LOST || (*is_lost && step->kind != NODE_BACK);
}

static void write_member_step(struct writing *writing, const struct history_step *step) {
  const uint32_t member = step->member;
  if (step->kind == FAULT) {
    write_taint(writing, "taint", member, "fault:NoExecute");
    writing->is_faulty[member] = 1;
  } else if (step->kind == RECOVER && writing->is_faulty[member]) {
    write_taint(writing, "untaint", member, "fault:NoExecute");
    writing->is_faulty[member] = 0;
  } else if (step->kind == CLOSE) {
    write_taint(writing, "taint", member, "closed:NoSchedule");
    writing->is_closed[member] = 1;
  } else if (step->kind == OPEN && writing->is_closed[member]) {
    write_taint(writing, "untaint", member, "closed:NoSchedule");
    writing->is_closed[member] = 0;
  } else if (step->kind == LEAVE) {
    print(writing, "delete: {kind: Cluster, name: m%" PRIu32 "}\n", member);
    writing->has_gone[member] = 1;
  } else if (step->kind >= CORDON) {
    write_node_step(writing, step);
  }
}

static void write_workload_step(struct writing *writing, const struct history_step *step, uint32_t number) {
  const uint32_t workload = step->workload;
  if (step->kind == DELETE && !writing->is_deleted[workload]) {
    print(writing, "delete: {kind: Deployment, name: %s-%" PRIu32 "}\n", word(writing->history, workload), workload);
    writing->is_deleted[workload] = 1;
  } else if ((step->kind == RESCALE && !writing->is_deleted[workload]) ||
             (step->kind == CREATE && writing->is_deleted[workload])) {
    print(writing, "apply: ");
    write_deployment(writing, workload, step->replicas);
    writing->is_deleted[workload] = 0;
  } else if (step->kind == REBALANCE) {
    write_rebalancer(writing, number, workload);
  }
}

static void write_step(struct writing *writing, const struct history_step *step, uint32_t number) {
  static const char *const names[STEP_KINDS] = {"fault",     "recover", "close",     "open",     "rescale",
                                                "rebalance", "delete",  "create",    "leave",    "cordon",
                                                "uncordon",  "drain",   "node lost", "node back"};
  print(writing, "---\nkind: Step\nmetadata: {name: \"%" PRIu32 ". %s\"}\nafter: %" PRIu32 "s\n", number,
        names[step->kind], step->wait);
  if (step->kind >= RESCALE && step->kind <= CREATE) {
    if (writing->history->workloads[step->workload].is_left) {
      write_workload_step(writing, step, number);
    }
  } else if (writing->history->members[step->member].is_left && !writing->has_gone[step->member]) {
    write_member_step(writing, step);
  }
}

void write_history(const struct history *history, char *out) {
  struct writing writing = {.history = history, .out = out};
  out[0] = '\0';
  write_head(&writing);
  write_members(&writing);
  write_workloads(&writing);
  for (uint32_t i = 0; i < STEPS; i++) {
    if (history->steps[i].is_left) {
      write_step(&writing, &history->steps[i], i + 1);
    }
  }
  print(&writing, "---\nkind: Step\nmetadata: {name: rest}\nafter: 2m\n");
}
