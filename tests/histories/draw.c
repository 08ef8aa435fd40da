/* SPDX-License-Identifier: MIT */
/* A random history: small enough for faults to meet, with capacities that are sometimes too small. */
#include "histories.h"

#include <string.h>

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof((array)[0]))

static const char *const placements[] = {
    "{replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted,"
    " weightPreference: {dynamicWeight: AvailableReplicas}}",
    "{replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}",
    "{replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted}",
    "{spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 2}],"
    " replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted,"
    " weightPreference: {dynamicWeight: AvailableReplicas}}",
    "{clusterAffinities: [{affinityName: first, clusterNames: [m0, m1]}, {affinityName: second}],"
    " replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}",
    "{replicaScheduling: {replicaSchedulingType: Duplicated}",
};

static void draw_steps(struct dice *dice, struct history *history, uint32_t n_members, uint32_t n_workloads) {
  static const uint32_t waits[] = {0, 0, 0, 1, 3, 7, 10, 15, 40, 70};
  const uint32_t n = 5 + roll(dice, STEPS - 4);
  for (uint32_t i = 0; i < n; i++) {
    struct history_step *step = &history->steps[i];
    step->is_left = 1;
    step->kind = (enum step_kind)roll(dice, STEP_KINDS);
    if ((step->kind == LEAVE && !chance(dice, 20)) || (step->kind >= APP_FAILS && !chance(dice, 40))) {
      step->kind = chance(dice, 50) ? FAULT : RECOVER;
    }
    step->wait = chance(dice, 2) ? 605 : waits[roll(dice, COUNT(waits))];
    step->member = roll(dice, n_members);
    step->workload = roll(dice, n_workloads);
    step->replicas = roll(dice, 13);
    step->node = 1 + roll(dice, NODES);
  }
}

static void draw_controllers(struct dice *dice, struct history *history) {
  static const uint32_t intervals[] = {15, 30, 120}, thresholds[] = {0, 20, 60, 300}, times[] = {0, 20, 60, 300};
  history->purges_directly = chance(dice, 25);
  history->timeout = chance(dice, 50) ? 60 : 600;
  history->grace = chance(dice, 50) ? 30 : 200;
  history->evicts_lost = chance(dice, 50);
  history->has_estimators = chance(dice, 40);
  history->has_descheduler = chance(dice, 40);
  history->reads_status = chance(dice, 40);
  history->interval = intervals[roll(dice, COUNT(intervals))];
  history->threshold = thresholds[roll(dice, COUNT(thresholds))];
  history->unhealthy_for = times[roll(dice, COUNT(times))];
}

static void draw_workload(struct dice *dice, struct history *history, uint32_t i) {
  const uint32_t placement = roll(dice, COUNT(placements)), priority = roll(dice, 6);
  history->workloads[i].is_left = 1;
  history->workloads[i].replicas = 1 + roll(dice, 12);
  history->workloads[i].placement = placements[placement];
  history->workloads[i].is_copied = placement + 1 == COUNT(placements);
  history->workloads[i].tolerated_for = chance(dice, 8) ? (int32_t)roll(dice, 3) * 30 : -1;
  history->workloads[i].fails_over = chance(dice, 25);
  history->workloads[i].purging = (enum purging)roll(dice, PURGINGS);
  history->workloads[i].priority = priority == 0 ? "high" : priority == 1 ? "low" : NULL;
  history->workloads[i].jumps_queue = chance(dice, 50);
}

void draw_history(uint64_t seed, struct history *history) {
  struct dice dice = {seed * UINT64_C(0x9e3779b97f4a7c15)};
  const uint32_t n_members = 2 + roll(&dice, MEMBERS - 1), n_workloads = 1 + roll(&dice, WORKLOADS);
  memset(history, 0, sizeof *history);
  history->seed = seed;
  history->is_strict = seed % 4 == 0;
  draw_controllers(&dice, history);
  for (uint32_t i = 0; i < n_members; i++) {
    history->members[i].is_left = 1;
    history->members[i].pods = chance(&dice, 40) ? 4 + roll(&dice, 10) : 100;
    history->members[i].n_nodes = chance(&dice, 30) ? 1 + roll(&dice, NODES) : 0;
    history->members[i].ready_after = chance(&dice, 15) ? 300 : 1 + roll(&dice, 30);
  }
  for (uint32_t i = 0; i < n_workloads; i++) {
    draw_workload(&dice, history, i);
  }
  draw_steps(&dice, history, n_members, n_workloads);
}
