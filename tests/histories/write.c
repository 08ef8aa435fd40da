/* SPDX-License-Identifier: MIT */
/* A history as a scenario for rebalancectl simulate. */
#include "histories.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state at the step that is written. */
struct writing {
  const struct history *history;
  char *out;
  size_t used;
  int is_faulty[MEMBERS], is_closed[MEMBERS], has_gone[MEMBERS], is_deleted[WORKLOADS];
  int is_lost[MEMBERS][NODES + 1], is_tainted[MEMBERS][NODES + 1]; /* by node; 0: the cluster itself */
  int is_failing[MEMBERS][WORKLOADS];
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

/* In one line, so that it can be nested anywhere. */
static void write_deployment(struct writing *writing, uint32_t i, uint32_t replicas) {
  const char *priority = writing->history->workloads[i].priority;
  print(writing,
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s-%" PRIu32 ", uid: u%" PRIu32
        "}, spec: {replicas: %" PRIu32
        ", template: {spec: {%s%s%scontainers: [{name: c, resources: {requests: {cpu: 10m}}}]}}}}\n",
        word(writing->history, i), i, i, replicas, priority != NULL ? "priorityClassName: " : "",
        priority != NULL ? priority : "", priority != NULL ? ", " : "");
}

static void write_head(struct writing *writing) {
  const struct history *history = writing->history;
  print(writing,
        "# History %" PRIu64
        "\napiVersion: simulation.rebalance/v1\nkind: Scenario\noptions: {enableNoExecuteTaintEviction: true,"
        " noExecuteTaintEvictionPurgeMode: %s, gracefulEvictionTimeout: %" PRIu32 "s%s%s",
        history->seed, history->purges_directly ? "Directly" : "Gracefully", history->timeout,
        history->is_strict ? ", level: repaired" : "",
        history->has_estimators ? ", enableSchedulerEstimator: true" : "");
  if (history->has_descheduler) {
    print(writing,
          ", enableDescheduler: true, deschedulingInterval: %" PRIu32 "s, unschedulableThreshold: %" PRIu32 "s%s",
          history->interval, history->threshold, history->reads_status ? ", deschedulerFromStatus: true" : "");
  }
  print(writing, "}\nmembers:\n");
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

/* The objects other than clusters and workloads. */
static void write_classes(struct writing *writing) {
  static const char *const classes[] = {"low", "high"};
  for (uint32_t i = 0; i < 2; i++) {
    print(writing,
          "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: %s}\nvalue: %" PRIu32 "\n",
          classes[i], 10 * (i + 1));
  }
  if (writing->history->evicts_lost) {
    print(writing,
          "---\napiVersion: policy.karmada.io/v1alpha1\nkind: ClusterTaintPolicy\nmetadata: {name: lost}\nspec:\n"
          "  addOnConditions: [{conditionType: Ready, operator: In, statusValues: [\"False\"]}]\n"
          "  removeOnConditions: [{conditionType: Ready, operator: In, statusValues: [\"True\"]}]\n"
          "  taints: [{key: lost, effect: NoExecute}]\n");
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

static void write_wishes(struct writing *writing, uint32_t i) {
  static const char *const modes[PURGINGS] = {"Gracefully", "Directly", "Never"};
  const char *priority = writing->history->workloads[i].priority;
  if (writing->history->workloads[i].fails_over) {
    const enum purging purging = writing->history->workloads[i].purging;
    print(writing,
          "  propagateDeps: true\n  failover: {application: {decisionConditions: {tolerationSeconds: %" PRIu32
          "}, purgeMode: %s",
          writing->history->unhealthy_for, modes[purging]);
    if (purging == GRACEFULLY) {
      print(writing, ", gracePeriodSeconds: %" PRIu32, writing->history->grace);
    }
    print(writing, "}}\n");
  }
  if (priority != NULL && writing->history->workloads[i].jumps_queue) {
    print(writing, "  schedulePriority: {priorityClassSource: KubePriorityClass, priorityClassName: %s}\n", priority);
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
      write_wishes(writing, i);
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

/* Sets the state and returns whether it changed. */
static int turns(int *is_so, int is_wanted) {
  const int changes = *is_so != is_wanted;
  *is_so = is_wanted;
  return changes;
}

static void write_node_step(struct writing *writing, const struct history_step *step) {
  static const char *const verbs[] = {"cordon", "uncordon", "drain", "nodeLost", "nodeBack", "taint", "untaint"};
  const uint32_t member = step->member, node = step->node;
  if (node > writing->history->members[member].n_nodes ||
      (step->kind == DRAIN && writing->is_lost[member][0]) || /* a lost cluster cannot be drained */
      (step->kind == NODE_LOST && !turns(&writing->is_lost[member][node], 1)) ||
      (step->kind == NODE_BACK && !turns(&writing->is_lost[member][node], 0)) ||
      (step->kind == TAINT_NODE && !turns(&writing->is_tainted[member][node], 1)) ||
      (step->kind == UNTAINT_NODE && !turns(&writing->is_tainted[member][node], 0))) {
    return;
  }
  if (step->kind == CAPACITY) {
    print(writing, "capacity: {cluster: m%" PRIu32 ", node: node-%" PRIu32 ", allocatable: {pods: \"%" PRIu32 "\"}}\n",
          member, node, step->replicas);
  } else {
    print(writing, "%s: {cluster: m%" PRIu32 ", node: node-%" PRIu32 "%s}\n", verbs[step->kind - CORDON], member, node,
          step->kind >= TAINT_NODE ? ", taint: \"bad:NoExecute\"" : "");
  }
}

static void write_member_step(struct writing *writing, const struct history_step *step) {
  const uint32_t member = step->member;
  if (step->kind == FAULT) {
    write_taint(writing, "taint", member, "fault:NoExecute");
    writing->is_faulty[member] = 1;
  } else if (step->kind == RECOVER && turns(&writing->is_faulty[member], 0)) {
    write_taint(writing, "untaint", member, "fault:NoExecute");
  } else if (step->kind == CLOSE) {
    write_taint(writing, "taint", member, "closed:NoSchedule");
    writing->is_closed[member] = 1;
  } else if (step->kind == OPEN && turns(&writing->is_closed[member], 0)) {
    write_taint(writing, "untaint", member, "closed:NoSchedule");
  } else if (step->kind == LEAVE) {
    print(writing, "delete: {kind: Cluster, name: m%" PRIu32 "}\n", member);
    writing->has_gone[member] = 1;
  } else if (step->kind == CLUSTER_LOST && turns(&writing->is_lost[member][0], 1)) {
    print(writing, "clusterLost: {cluster: m%" PRIu32 "}\n", member);
  } else if (step->kind == CLUSTER_BACK && turns(&writing->is_lost[member][0], 0)) {
    print(writing, "clusterBack: {cluster: m%" PRIu32 "}\n", member);
  } else if (step->kind >= CORDON && step->kind <= CAPACITY) {
    write_node_step(writing, step);
  }
}

/* The workload may be missing: the caller that runs the history must check. */
static void write_application_step(struct writing *writing, const struct history_step *step) {
  const int fails = step->kind == APP_FAILS;
  if (!writing->is_deleted[step->workload] && turns(&writing->is_failing[step->member][step->workload], fails)) {
    print(writing, "app: {cluster: m%" PRIu32 ", object: {kind: Deployment, name: %s-%" PRIu32 "}, health: %s}\n",
          step->member, word(writing->history, step->workload), step->workload, fails ? "Unhealthy" : "Healthy");
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
  static const char *const names[STEP_KINDS] = {
      "fault",      "recover",      "close",    "open",         "rescale",      "rebalance", "delete",
      "create",     "leave",        "cordon",   "uncordon",     "drain",        "node lost", "node back",
      "taint node", "untaint node", "capacity", "cluster lost", "cluster back", "app fails", "app recovers"};
  const int is_of_workload = (step->kind >= RESCALE && step->kind <= CREATE) || step->kind >= APP_FAILS;
  const int is_of_member = !is_of_workload || step->kind >= APP_FAILS;
  print(writing, "---\nkind: Step\nmetadata: {name: \"%" PRIu32 ". %s\"}\nafter: %" PRIu32 "s\n", number,
        names[step->kind], step->wait);
  if (step->is_void || (is_of_workload && !writing->history->workloads[step->workload].is_left) ||
      (is_of_member && (!writing->history->members[step->member].is_left || writing->has_gone[step->member]))) {
    return;
  }
  if (!is_of_workload) {
    write_member_step(writing, step);
  } else if (is_of_member) {
    write_application_step(writing, step);
  } else {
    write_workload_step(writing, step, number);
  }
}

uint32_t find_step(const char *scenario, uint32_t line) {
  static const char title[] = "metadata: {name: \"";
  uint32_t found = REBAL_NONE;
  for (uint32_t at = 1; scenario != NULL && at <= line; at++) {
    if (strncmp(scenario, title, sizeof title - 1) == 0) {
      const uint32_t number = (uint32_t)strtoul(scenario + sizeof title - 1, NULL, 10);
      found = number > 0 ? number - 1 : REBAL_NONE;
    }
    scenario = strchr(scenario, '\n');
    scenario += scenario != NULL;
  }
  return found;
}

void write_history(const struct history *history, char *out) {
  struct writing writing = {.history = history, .out = out};
  out[0] = '\0';
  write_head(&writing);
  write_classes(&writing);
  write_members(&writing);
  write_workloads(&writing);
  for (uint32_t i = 0; i < STEPS; i++) {
    if (history->steps[i].is_left) {
      write_step(&writing, &history->steps[i], i + 1);
    }
  }
  print(&writing, "---\nkind: Step\nmetadata: {name: rest}\nafter: 2m\n");
}
