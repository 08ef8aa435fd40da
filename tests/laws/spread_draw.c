/* SPDX-License-Identifier: MIT */
/* Random WorkloadSpreads with a history, and pods that come, change and go. */
#include "spreads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct spread_term spread_terms[] = {
    {NULL, NULL, NULL, NULL},
    {"zone:In:a", "zone", "In", "a"},
    {"zone:In:b", "zone", "In", "b"},
    {"zone:NotIn:a", "zone", "NotIn", "a"},
    {"disk:Exists", "disk", "Exists", ""},
    {"disk:DoesNotExist", "disk", "DoesNotExist", ""},
    {"size:Gt:3", "size", "Gt", "3"},
    {"size:Lt:9", "size", "Lt", "9"},
    {"size:Gt:x", "size", "Gt", "x"},
    {"", NULL, NULL, NULL},
};
enum { TERMS = 10 };

const struct spread_toleration spread_tolerations[] = {
    {NULL, NULL, NULL, NULL, NULL},       {"k:Exists", "k", "Exists", "", ""},
    {"k:Equal:v", "k", "Equal", "v", ""}, {"k:Equal:w", "k", "Equal", "w", ""},
    {":Exists", "", "Exists", "", ""},    {"k:Exists::NoExecute", "k", "Exists", "", "NoExecute"},
};
enum { TOLERATIONS = 6 };

const struct spread_taint spread_taints[] = {
    {NULL, NULL, NULL, NULL},
    {"k=v:NoSchedule", "k", "v", "NoSchedule"},
    {"k:NoExecute", "k", "", "NoExecute"},
    {"p=v:PreferNoSchedule", "p", "v", "PreferNoSchedule"},
};

const struct spread_claim spread_claims[SPREAD_CLAIMS] = {
    {{0, 0}, 0}, {{1, 0}, 0}, {{2, 0}, 1}, {{1, 6}, 0}, {{4, 3}, 4},
    {{0, 0}, 1}, {{0, 0}, 4}, {{0, 0}, 3}, {{8, 0}, 2}, {{7, 5}, 5},
};

static const char *const names[] = {"a", "b", "c", "d"}, *const known[] = {"a", "b", "c", "d", "x", "a", "b"},
                         *const versions[] = {"v1", "v2", "v1", "", "v10"}, *const ids[] = {"", "", "", "id1", "id2"};

static int64_t between(struct dice *dice, int64_t least, uint32_t n) {
  return least + roll(dice, n);
}

/* ---- nodes and pods ---------------------------------------------------------------------------------------------- */

static void draw_node(struct dice *dice, struct spread_case *drawn, struct spread_node *node, int is_present) {
  static const char *const labels[] = {
      "", "zone=a", "zone=b disk=ssd", "zone=a size=5", "size=2 disk=x", "zone=c size=x", "zone=a disk=hdd"};
  const uint32_t taints[] = {0, 0, 0, 1, 2, 3};

  (void)snprintf(node->name, sizeof node->name, "n%u", (unsigned)(node - drawn->nodes));
  node->labels = PICK(dice, labels);
  node->taint = taints[roll(dice, 6)];
  (void)rebal_fleet_node_id(drawn->world.fleet, drawn->cluster, node->name, strlen(node->name), &node->id, NULL);
  if (is_present) {
    const struct test_node row = {.name = node->name,
                                  .labels = node->labels[0] == '\0' ? NULL : node->labels,
                                  .taints = spread_taints[node->taint].text};

    (void)test_set_node(&drawn->world, drawn->cluster, &row);
  }
}

static void draw_annotation(struct dice *dice, struct spread_pod *pod) {
  const uint32_t way = roll(dice, 100);

  pod->matched = way < 60 ? REBAL_ANNOTATION_PRESENT : way < 65 ? REBAL_ANNOTATION_UNPARSABLE : REBAL_ANNOTATION_ABSENT;
  pod->spread = chance(dice, 95) ? "ws" : "other";
  pod->subset = chance(dice, 95) ? PICK(dice, known) : "";
  pod->id = PICK(dice, ids);
}

static void draw_pod(struct dice *dice, const struct spread_case *drawn, struct spread_pod *pod) {
  static const char *const costs[] = {"", "", "100", "200", "-100", "-200", "300", "7", "+100"};
  static const int64_t phases[] = {REBAL_POD_PHASE_RUNNING, REBAL_POD_PHASE_RUNNING, REBAL_POD_PHASE_RUNNING,
                                   REBAL_POD_PHASE_PENDING, REBAL_POD_PHASE_PENDING, REBAL_POD_PHASE_UNKNOWN,
                                   REBAL_POD_PHASE_OTHER,   REBAL_POD_PHASE_FAILED,  REBAL_POD_PHASE_SUCCEEDED,
                                   REBAL_POD_PHASE_RUNNING};

  pod->owner = chance(dice, 85) ? 0 : 1 + roll(dice, 2);
  pod->label = chance(dice, 85) ? REBAL_VERSION_LABEL_TEMPLATE_HASH : roll(dice, 3);
  pod->version = pod->label == REBAL_VERSION_LABEL_NONE            ? ""
                 : pod->label == REBAL_VERSION_LABEL_TEMPLATE_HASH ? PICK(dice, versions)
                 : chance(dice, 50)                                ? "web-v1"
                                                                   : "v2";
  draw_annotation(dice, pod);
  pod->node = roll(dice, SPREAD_NODES + 3);
  pod->claim = chance(dice, 50) ? 0 : roll(dice, SPREAD_CLAIMS);
  pod->app = roll(dice, 3);
  pod->cost = PICK(dice, costs);
  pod->created = chance(dice, 95) ? between(dice, drawn->now.seconds - 60, 70) : 0;
  pod->ready_since = chance(dice, 80) ? between(dice, drawn->now.seconds - 10, 10) : 0;
  pod->phase = phases[roll(dice, 10)];
  pod->is_ready = chance(dice, 60);
  pod->is_deleting = chance(dice, 8);
  pod->is_unschedulable = chance(dice, 50);
  pod->restarts = chance(dice, 20) ? roll(dice, 3) : 0;
  pod->sidecar_restarts = chance(dice, 10) ? roll(dice, 3) : 0;
  pod->unchanged = roll(dice, 16);
}

static void shuffle_pods(struct dice *dice, struct spread_case *drawn) {
  size_t order[SPREAD_PODS];

  shuffle(dice, order, drawn->n_pods);
  for (size_t i = 0; i < drawn->n_pods; i++) {
    drawn->list[i] = &drawn->drawn[order[i]];
  }
}

/* ---- status ------------------------------------------------------------------------------------------------------ */

static void draw_flights(struct dice *dice, const struct spread_case *drawn, struct spread_entry *entry, size_t way) {
  static const char *const keys[] = {"gone1", "gone2", "id1", "id2", "aaa"};
  const char *used[8];
  const uint32_t n = chance(dice, 50) ? 0 : roll(dice, 5);

  entry->n_flights[way] = 0;
  for (uint32_t i = 0; i < n; i++) {
    const char *key = chance(dice, 60) ? drawn->drawn[roll(dice, SPREAD_PODS)].name : PICK(dice, keys);
    size_t same = 0;

    while (same < entry->n_flights[way] && strcmp(used[same], key) != 0) {
      same++;
    }
    if (same == entry->n_flights[way]) {
      used[same] = key;
      entry->flights[way][entry->n_flights[way]++] =
          (struct spread_flight){key, between(dice, drawn->now.seconds - 40, 42)};
    }
  }
}

static int compare_flights(const void *left, const void *right) {
  return strcmp(((const struct spread_flight *)left)->key, ((const struct spread_flight *)right)->key);
}

static void draw_entry(struct dice *dice, const struct spread_case *drawn, struct spread_entry *entry) {
  static const char *const reasons[] = {"Sufficient", "PodUnschedulable", "Other"}, *const messages[] = {"", "", "m"};

  memset(entry, 0, sizeof *entry);
  entry->name = PICK(dice, known);
  entry->replicas = roll(dice, 5);
  entry->missing = between(dice, -1, 6);
  for (size_t way = 0; way < 2; way++) {
    draw_flights(dice, drawn, entry, way);
    qsort(entry->flights[way], entry->n_flights[way], sizeof entry->flights[way][0], compare_flights);
  }
  if (chance(dice, 60)) {
    entry->condition.status = chance(dice, 50) ? "True" : "False";
    entry->condition.reason = PICK(dice, reasons);
    entry->condition.message = PICK(dice, messages);
    entry->condition.since = between(dice, drawn->now.seconds - 310, 315);
  }
  entry->has_other_condition = chance(dice, 10);
}

static void draw_list(struct dice *dice, const struct spread_case *drawn, const char *version,
                      struct spread_list *list) {
  list->version = version;
  list->n = chance(dice, 50) ? drawn->n_subsets : roll(dice, SPREAD_ENTRIES);
  list->is_null = list->n == 0;
  for (size_t i = 0; i < list->n; i++) {
    draw_entry(dice, drawn, &list->entries[i]);
    if (chance(dice, 80) && i < drawn->n_subsets) {
      list->entries[i].name = drawn->subsets[i].name;
    }
  }
}

static void draw_status(struct dice *dice, struct spread_case *drawn) {
  static const char *const listed[] = {"", "v1", "v2", "v3", "versionIgnored"}; /* by their bytes */
  struct spread_status *status = &drawn->status;

  status->generation = roll(dice, 3);
  status->n = 0;
  draw_list(dice, drawn, "", &status->overall);
  for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++) {
    if (chance(dice, 40)) {
      draw_list(dice, drawn, listed[i], &status->lists[status->n]);
      status->n += status->lists[status->n].n != 0;
    }
  }
}

/* ---- the spread -------------------------------------------------------------------------------------------------- */

static struct spread_limit draw_limit(struct dice *dice) {
  static const char *const texts[] = {"30%", "50%", "100%", "0%", "34%", "3", "x", "-5%", "5%%", "%"};
  struct spread_limit limit = {chance(dice, 85), NULL, 0};

  if (chance(dice, 25)) {
    limit.text = texts[chance(dice, 85) ? roll(dice, 5) : roll(dice, 10)];
  } else {
    limit.number = chance(dice, 97) ? between(dice, 0, 6) : -1;
  }
  return limit;
}

static void draw_subset(struct dice *dice, struct spread_subset *subset, const char *name) {
  *subset = (struct spread_subset){.name = name, .limit = draw_limit(dice)};
  if (chance(dice, 30)) {
    subset->minimum = draw_limit(dice);
  }
  if (chance(dice, 40)) {
    subset->required = 1 + roll(dice, TERMS - 1);
  }
  for (size_t i = 0; i < 2; i++) {
    subset->preferred[i] = chance(dice, 30) ? 1 + roll(dice, TERMS - 1) : 0;
    subset->weights[i] = roll(dice, 4) * 10;
  }
  subset->toleration = chance(dice, 30) ? 1 + roll(dice, TOLERATIONS - 1) : 0;
  subset->has_patch = chance(dice, 50);
}

static void draw_target(struct dice *dice, struct spread_case *drawn) {
  static const char *const kinds[] = {"Deployment", "ReplicaSet", "CloneSet", "Deployment", "Job", "StatefulSet"};
  struct spread_target *target = &drawn->target;

  target->kind = chance(dice, 99) ? PICK(dice, kinds) : NULL;
  target->is_deleting = chance(dice, 1);
  target->has_filter = chance(dice, 15);
  target->critical_seconds = chance(dice, 60) ? between(dice, -1, chance(dice, 80) ? 50 : 200) : 0;
}

static void draw_facts(struct dice *dice, struct spread_case *drawn) {
  static const char *const latest[] = {"v1", "v2", "", "v3", "versionIgnored"};
  struct spread_target *target = &drawn->target;

  target->state = chance(dice, 97) ? REBAL_OWNER_STATE_EXISTS : REBAL_OWNER_STATE_MISSING;
  target->workload_is_deleting = chance(dice, 2);
  target->replicas = chance(dice, 97) ? between(dice, 0, 13) : -1;
  target->has_paths = chance(dice, 10);
  target->path_replicas = roll(dice, 10);
  target->path_error = chance(dice, 5) ? "no such path" : "";
  target->latest_state = chance(dice, 80)   ? REBAL_LATEST_STATE_KNOWN
                         : chance(dice, 80) ? REBAL_LATEST_STATE_NOT_TRACKED
                                            : REBAL_LATEST_STATE_MISSING;
  target->latest = PICK(dice, latest);
  target->admission_replicas = roll(dice, 10);
  target->admission_error = chance(dice, 3) ? "no such path" : "";
}

void spread_draw(struct dice *dice, struct spread_case *drawn) {
  drawn->n_subsets = 1 + roll(dice, SPREAD_SUBSETS);
  for (size_t i = 0; i < drawn->n_subsets; i++) {
    draw_subset(dice, &drawn->subsets[i], names[i]);
  }
  drawn->generation = roll(dice, 3);
  draw_target(dice, drawn);
  draw_facts(dice, drawn);
  draw_status(dice, drawn);
  rebal_spread_free(drawn->spread);
  drawn->spread = NULL;
  (void)rebal_spread_new(NULL, spread_record(drawn), &drawn->spread, NULL);
  spread_write_facts(drawn);
}

void spread_change(struct dice *dice, struct spread_case *drawn) {
  static const int64_t steps[] = {0, 1, 5, 15, 16, 30, 31, 60, 300, 301};

  drawn->now.seconds += steps[roll(dice, 10)];
  for (size_t i = 0; i < SPREAD_PODS; i++) {
    if (chance(dice, 25)) {
      draw_pod(dice, drawn, &drawn->drawn[i]);
      spread_write_pod(drawn, &drawn->drawn[i]);
    }
  }
  drawn->n_pods = chance(dice, 95) ? roll(dice, SPREAD_PODS + 1) : 0;
  shuffle_pods(dice, drawn);
  if (chance(dice, 30)) {
    spread_draw(dice, drawn);
  } else if (chance(dice, 30)) {
    draw_facts(dice, drawn);
    spread_write_facts(drawn);
  }
}

void spread_draw_comers(struct dice *dice, struct spread_case *drawn) {
  static const char *const unnamed[] = {"id1", "id2", "id3", "id4"};
  static const int64_t states[] = {REBAL_OWNER_STATE_MISSING, REBAL_OWNER_STATE_UNKNOWN, REBAL_OWNER_STATE_FAILED};

  drawn->owner_state = chance(dice, 90) ? REBAL_OWNER_STATE_EXISTS : states[roll(dice, 3)];
  (void)rebal_cells_set_i64(rebal_pods_cells(drawn->pods), REBAL_OWNER_STATE, REBAL_NONE, drawn->owners[0],
                            drawn->owner_state, NULL);
  drawn->n_comers = roll(dice, SPREAD_COMERS + 1);
  for (size_t i = 0; i < drawn->n_comers; i++) {
    struct spread_pod *pod = &drawn->comers[i];

    draw_pod(dice, drawn, pod);
    pod->operation = chance(dice, 70) ? REBAL_OPERATION_CREATE : 1 + roll(dice, 2);
    pod->name[0] = '\0';
    if (pod->operation != REBAL_OPERATION_CREATE || chance(dice, 70)) {
      const char *form = chance(dice, 80) ? "p-%u" : "p%u";

      (void)snprintf(pod->name, sizeof pod->name, form, (unsigned)roll(dice, 30));
    }
    pod->admission_id = PICK(dice, unnamed);
    pod->phase = chance(dice, 95) ? REBAL_POD_PHASE_PENDING : pod->phase;
    spread_write_pod(drawn, pod);
  }
}

static void open_pods(struct dice *dice, struct spread_case *drawn) {
  uint32_t rows[SPREAD_PODS];

  (void)rebal_pods_new(drawn->world.fleet, NULL, &drawn->pods, NULL);
  spread_write_owners(drawn);
  (void)rebal_cells_add(rebal_pods_cells(drawn->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, SPREAD_PODS, NULL);
  for (size_t i = 0; i < SPREAD_PODS; i++) {
    struct spread_pod *pod = &drawn->drawn[i];

    (void)snprintf(pod->name, sizeof pod->name, "p-%u", (unsigned)i);
    pod->row = rows[i];
    draw_pod(dice, drawn, pod);
    spread_write_pod(drawn, pod);
  }
  (void)rebal_cells_add(rebal_pods_cells(drawn->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, SPREAD_COMERS, NULL);
  for (size_t i = 0; i < SPREAD_COMERS; i++) {
    drawn->comers[i].row = rows[i];
  }
}

void spread_open(struct dice *dice, struct spread_case *drawn) {
  static const struct test_cluster cluster = {"m1"};
  char claim[64];

  memset(drawn, 0, sizeof *drawn);
  test_world_open(&drawn->world, NULL);
  drawn->name = "ws";
  drawn->workload = "web";
  drawn->cluster = test_add_cluster(&drawn->world, &cluster);
  drawn->now = test_time(1000000);
  drawn->now.nanos = chance(dice, 25) ? 500000000 : 0;
  drawn->n_nodes = roll(dice, SPREAD_NODES + 1);
  for (size_t i = 0; i <= SPREAD_NODES; i++) {
    draw_node(dice, drawn, &drawn->nodes[i], i < drawn->n_nodes);
  }
  for (size_t i = 0; i < SPREAD_CLAIMS; i++) {
    claim[0] = '\0';
    for (size_t k = 0; k < 2; k++) {
      if (spread_claims[i].terms[k] != 0) {
        (void)snprintf(claim + strlen(claim), sizeof claim - strlen(claim), " ?%s",
                       spread_terms[spread_claims[i].terms[k]].text);
      }
    }
    if (spread_claims[i].toleration != 0) {
      (void)snprintf(claim + strlen(claim), sizeof claim - strlen(claim), " ~%s",
                     spread_tolerations[spread_claims[i].toleration].text);
    }
    drawn->claims[i] = i == 0 ? REBAL_NONE : test_request_handle(&drawn->world, claim + (claim[0] == ' '));
  }
  drawn->apps[0] = REBAL_NONE;
  drawn->apps[1] = test_labels_handle(&drawn->world, "app=a");
  drawn->apps[2] = test_labels_handle(&drawn->world, "app=b");
  open_pods(dice, drawn);
  test_freeze(&drawn->world);
}

void spread_close(struct spread_case *drawn) {
  rebal_spread_free(drawn->spread);
  rebal_pods_free(drawn->pods);
  test_world_close(&drawn->world);
}
