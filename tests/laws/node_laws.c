/* SPDX-License-Identifier: MIT */
/*
 * What fits on nodes, compared with a plain scan of each node that places one pod after the other
 * (rebalance-karmada(7) 6.5).
 */
#include "laws.h"

#include <stdio.h>
#include <string.h>

enum {
  NODES = 150,
  PODS = 300,
  ROUNDS = 6,
  EDITS = 12,
  QUESTIONS = NODE_COMPARISONS / ROUNDS,
  COMPONENTS = 3,
  HOLDINGS = 3,
  ZONES = 3,
  DISKS = 3,  /* 0: no label */
  TAINTS = 3, /* 0: none, 1: NoSchedule, 2: PreferNoSchedule */
};

struct plain_node {
  int is_present;
  uint32_t zone; /* 0: none */
  uint32_t disk;
  uint32_t taint;
  int is_cordoned;
  int64_t cpu; /* in thousandths, as everywhere here */
  int64_t pods;
};
struct plain_pod {
  int is_present;
  uint32_t row;
  uint32_t node;
  int64_t cpu;
};
struct plain_request {
  uint32_t handle;
  int64_t cpu;
  uint32_t disk; /* 0: any */
  int not_disk;  /* any but that one, or none */
  int tolerates; /* the taint, and a cordon */
};
struct capacity {
  int64_t cpu[NODES];
  int64_t pods[NODES];
};
struct node_case {
  struct test_world world;
  uint32_t resources[2];
  struct plain_node nodes[NODES];
  struct plain_pod pods[PODS];
  uint32_t arrived[NODES]; /* those that exist, in their order */
  size_t n_arrived;
  struct plain_request held[HOLDINGS];
  int32_t held_replicas[HOLDINGS]; /* 0: the key holds nothing */
};

/* ---- edits ------------------------------------------------------------------------------------------------------- */

static void leave(struct node_case *drawn, uint32_t node) {
  size_t at = 0;

  while (at < drawn->n_arrived && drawn->arrived[at] != node) {
    at++;
  }
  if (at < drawn->n_arrived) {
    drawn->n_arrived--;
    memmove(&drawn->arrived[at], &drawn->arrived[at + 1], (drawn->n_arrived - at) * sizeof drawn->arrived[0]);
  }
}

static void edit_node(struct dice *dice, struct node_case *drawn, uint32_t number) {
  static const char *const taints[] = {NULL, "k=v:NoSchedule", "k=v:PreferNoSchedule"};
  struct plain_node *node = &drawn->nodes[number];
  const struct plain_node before = *node;
  char name[16], amounts[64], labels[96] = "";
  size_t len = 0;

  node->is_present = 1;
  node->zone = chance(dice, 70) ? before.zone : roll(dice, ZONES + 1);
  node->disk = roll(dice, DISKS);
  node->taint = chance(dice, 80) ? 0 : roll(dice, TAINTS);
  node->is_cordoned = chance(dice, 10);
  node->cpu = 500 * (int64_t)roll(dice, 20);
  node->pods = roll(dice, 9);
  if (!before.is_present || (before.zone != 0 && before.zone != node->zone)) { /* the first zone moves no node */
    leave(drawn, number);
    drawn->arrived[drawn->n_arrived++] = number;
  }
  (void)snprintf(name, sizeof name, "n%u", (unsigned)number);
  (void)snprintf(amounts, sizeof amounts, "cpu=%ldm pods=%ld", (long)node->cpu, (long)node->pods);
  if (node->zone != 0) {
    len = (size_t)snprintf(labels, sizeof labels, "topology.kubernetes.io/zone=z%u ", (unsigned)node->zone);
  }
  if (node->disk != 0) {
    (void)snprintf(labels + len, sizeof labels - len, "disk=%u", (unsigned)node->disk);
  }
  (void)test_set_node(&drawn->world, 0,
                      &(struct test_node){name, amounts, labels, taints[node->taint], node->is_cordoned});
}

static int64_t resources_of(struct test_world *world, int64_t cpu) {
  const rebal_quantity amount = {cpu / 1000, (int32_t)(cpu % 1000) * 1000000, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const rebal_record *record = NULL;
  uint32_t handle = REBAL_NONE;

  (void)rebal_builder_start(world->builder, REBAL_OBJECT_POD_RESOURCES, NULL);
  (void)rebal_builder_begin(world->builder, REBAL_POD_RESOURCES_OVERHEAD, NULL);
  (void)rebal_builder_text(world->builder, REBAL_AMOUNT_NAME, "cpu", 3, NULL);
  (void)rebal_builder_quantity(world->builder, REBAL_AMOUNT_QUANTITY, &amount, NULL);
  (void)rebal_builder_end(world->builder, NULL);
  (void)rebal_builder_finish(world->builder, &record, NULL);
  (void)rebal_fleet_intern(world->fleet, record, &handle, NULL);
  return handle;
}

/* Adds a pod, also to a node that is absent, or removes it. */
static void edit_pod(struct dice *dice, struct node_case *drawn, struct plain_pod *pod, uint32_t n_nodes) {
  rebal_fleet *const fleet = drawn->world.fleet;

  if (pod->is_present) {
    (void)rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_POD, 0, &pod->row, 1, NULL);
    pod->is_present = 0;
    return;
  }
  *pod = (struct plain_pod){1, 0, roll(dice, n_nodes), 0};
  pod->cpu = 250 * (int64_t)roll(dice, 9);
  if (rebal_cells_add(rebal_fleet_cells(fleet), REBAL_TABLE_POD, 0, &pod->row, 1, NULL) == REBAL_OK) {
    char name[16];
    uint32_t id = REBAL_NONE;
    int64_t resources = resources_of(&drawn->world, pod->cpu);
    int64_t node;

    (void)snprintf(name, sizeof name, "n%u", (unsigned)pod->node);
    (void)rebal_fleet_node_id(fleet, 0, name, strlen(name), &id, NULL);
    node = id;
    (void)rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_POD_RESOURCES, 0, &pod->row, &resources, 1, NULL);
    (void)rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_POD_NODE, 0, &pod->row, &node, 1, NULL);
  }
}

static void edit(struct dice *dice, struct node_case *drawn, uint32_t n_nodes) {
  const uint32_t number = roll(dice, n_nodes);
  char name[16];
  uint32_t id;

  if (chance(dice, 50)) {
    edit_pod(dice, drawn, &drawn->pods[roll(dice, PODS)], n_nodes);
  } else if (drawn->nodes[number].is_present && chance(dice, 20)) {
    (void)snprintf(name, sizeof name, "n%u", (unsigned)number);
    (void)rebal_fleet_node_id(drawn->world.fleet, 0, name, strlen(name), &id, NULL);
    (void)rebal_cells_remove(rebal_fleet_cells(drawn->world.fleet), REBAL_TABLE_NODE, 0, &id, 1, NULL);
    drawn->nodes[number].is_present = 0;
    leave(drawn, number);
  } else {
    edit_node(dice, drawn, number);
  }
}

static struct plain_request draw_request(struct dice *dice, struct test_world *world) {
  struct plain_request request = {.cpu = 500 * (int64_t)roll(dice, 4)};
  char text[128];
  size_t len = (size_t)snprintf(text, sizeof text, "cpu=%ldm", (long)request.cpu);

  request.disk = roll(dice, DISKS);
  request.not_disk = chance(dice, 30);
  request.tolerates = chance(dice, 30);
  if (request.disk != 0) {
    len += (size_t)snprintf(text + len, sizeof text - len, request.not_disk ? " ?disk:NotIn:%u" : " @disk=%u",
                            (unsigned)request.disk);
  }
  (void)snprintf(text + len, sizeof text - len, "%s",
                 request.tolerates ? " ~k:Exists ~node.kubernetes.io/unschedulable:Exists" : "");
  request.handle = test_request_handle(world, text);
  return request;
}

/* ---- the plain way ----------------------------------------------------------------------------------------------- */

/* One node of each zone in turn, zones in the order of their first nodes. */
static size_t order_nodes(const struct node_case *drawn, uint32_t *order) {
  uint32_t zones[ZONES + 1];
  size_t n_zones = 0, n = 0;

  for (size_t i = 0; i < drawn->n_arrived; i++) {
    size_t at = 0;

    while (at < n_zones && zones[at] != drawn->nodes[drawn->arrived[i]].zone) {
      at++;
    }
    zones[at] = drawn->nodes[drawn->arrived[i]].zone;
    n_zones += at == n_zones;
  }
  for (size_t turn = 0; n < drawn->n_arrived; turn++) {
    for (size_t zone = 0; zone < n_zones; zone++) {
      size_t seen = 0;

      for (size_t i = 0; i < drawn->n_arrived; i++) {
        if (drawn->nodes[drawn->arrived[i]].zone == zones[zone] && seen++ == turn) {
          order[n++] = drawn->arrived[i];
        }
      }
    }
  }
  return n;
}

static void find_capacity(const struct node_case *drawn, struct capacity *capacity) {
  for (uint32_t i = 0; i < NODES; i++) {
    capacity->cpu[i] = drawn->nodes[i].cpu;
    capacity->pods[i] = drawn->nodes[i].pods;
  }
  for (size_t i = 0; i < PODS; i++) {
    if (drawn->pods[i].is_present) {
      capacity->cpu[drawn->pods[i].node] -= drawn->pods[i].cpu;
      capacity->pods[drawn->pods[i].node]--;
    }
  }
}

static int accepts(const struct plain_node *node, const struct plain_request *request) {
  const int disk_fits = request->disk == 0 || (node->disk == request->disk) != request->not_disk;

  return disk_fits && (request->tolerates || (node->taint != 1 && !node->is_cordoned));
}

static int place_one(const struct node_case *drawn, struct capacity *capacity, const uint32_t *order, size_t n,
                     const struct plain_request *request) {
  for (size_t i = 0; i < n; i++) {
    const uint32_t node = order[i];

    if (accepts(&drawn->nodes[node], request) && capacity->pods[node] > 0 &&
        (request->cpu == 0 || capacity->cpu[node] >= request->cpu)) {
      capacity->pods[node]--;
      capacity->cpu[node] -= request->cpu;
      return 1;
    }
  }
  return 0;
}

/* The number of whole sets that are placed, at most `most`; one that does not fit stays partly placed. */
static int64_t place_sets(const struct node_case *drawn, struct capacity *capacity,
                          const struct plain_request *requests, const int32_t *replicas, size_t n_requests,
                          int64_t most) {
  uint32_t order[NODES];
  const size_t n = order_nodes(drawn, order);

  for (int64_t sets = 0; sets < most; sets++) {
    for (size_t i = 0; i < n_requests; i++) {
      for (int32_t k = 0; k < replicas[i]; k++) {
        if (!place_one(drawn, capacity, order, n, &requests[i])) {
          return sets;
        }
      }
    }
  }
  return most;
}

static int64_t plain_answer(const struct node_case *drawn, int with_ledger, const struct plain_request *requests,
                            const int32_t *replicas, size_t n_requests) {
  struct capacity capacity;
  int32_t all = 0;

  find_capacity(drawn, &capacity);
  for (size_t i = 0; with_ledger && i < HOLDINGS; i++) {
    (void)place_sets(drawn, &capacity, &drawn->held[i], &drawn->held_replicas[i], 1, 1);
  }
  for (size_t i = 0; i < n_requests; i++) {
    all += replicas[i];
  }
  return drawn->n_arrived == 0 ? 0
         : all == 0            ? INT32_MAX
                               : place_sets(drawn, &capacity, requests, replicas, n_requests, INT32_MAX);
}

/* ---- the law ----------------------------------------------------------------------------------------------------- */

struct node_request {
  struct plain_request requests[COMPONENTS];
  uint32_t handles[COMPONENTS];
  int32_t replicas[COMPONENTS];
  size_t n;
  int is_set;
};

static int64_t library_answer(struct node_case *drawn, rebal_ctx *ctx, const struct node_request *query,
                              const rebal_estimate_opts *opts) {
  struct test_world *world = &drawn->world;
  const int32_t code = query->is_set
                           ? rebal_estimate_sets(ctx, world->snapshot, query->handles, query->replicas, query->n, opts,
                                                 world->result, &world->err)
                           : rebal_estimate(ctx, world->snapshot, query->handles[0], opts, world->result, &world->err);

  return code == REBAL_OK ? rebal_result_i64(world->result, REBAL_ESTIMATE_REPLICAS, NULL)[0] : code - 1000;
}

static void draw_pod_request(struct dice *dice, struct test_world *world, struct node_request *query) {
  query->is_set = chance(dice, 60);
  query->n = query->is_set ? roll(dice, COMPONENTS + 1) : 1;
  for (size_t i = 0; i < query->n; i++) {
    query->requests[i] = draw_request(dice, world);
    query->handles[i] = query->requests[i].handle;
    query->replicas[i] = query->is_set ? (int32_t)roll(dice, 4) : 1;
  }
}

/* Compares the answers of the context that cached earlier requests and of a new one. */
static const char *compare(struct dice *dice, struct node_case *drawn, const rebal_ledger *ledger) {
  const rebal_estimate_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                    .flags = REBAL_ESTIMATE_FLAG_NODES,
                                    .ledger = chance(dice, 40) ? ledger : NULL};
  struct node_request query;

  draw_pod_request(dice, &drawn->world, &query);
  test_freeze(&drawn->world);
  for (int is_new = 0; is_new < 2; is_new++) {
    rebal_ctx *const ctx = is_new ? test_context(NULL, 0, 0) : drawn->world.ctx;
    const int64_t ours = library_answer(drawn, ctx, &query, &opts);
    const int64_t plain = plain_answer(drawn, opts.ledger != NULL, query.requests, query.replicas, query.n);

    if (is_new) {
      rebal_ctx_free(ctx);
    }
    if (ours != plain) {
      return fault("%s of %u on %u nodes%s%s: %lld, plainly %lld", query.is_set ? "sets" : "replicas",
                   (unsigned)query.n, (unsigned)drawn->n_arrived, is_new ? ", in a new context" : "",
                   opts.ledger != NULL ? ", with a ledger" : "", (long long)ours, (long long)plain);
    }
  }
  return NULL;
}

static void hold(struct dice *dice, struct node_case *drawn, rebal_ledger *ledger) {
  for (size_t i = 0; i < HOLDINGS; i++) {
    const char key[] = {'n', '/', (char)('a' + i), '\0'};

    drawn->held[i] = draw_request(dice, &drawn->world);
    drawn->held_replicas[i] = (int32_t)roll(dice, 5);
    (void)test_charge_set(ledger, key, 0, &drawn->held[i].handle, &drawn->held_replicas[i], 1, NULL);
  }
}

const char *law_nodes(struct dice *dice) {
  static struct node_case drawn;
  const uint32_t n_nodes = chance(dice, 20) ? NODES : 1 + roll(dice, 12);
  rebal_ledger *ledger = NULL;
  const char *wrong = NULL;

  memset(&drawn, 0, sizeof drawn);
  test_world_open(&drawn.world, NULL);
  (void)test_add_cluster(&drawn.world, &(struct test_cluster){"m1"});
  (void)rebal_cells_set_i64(rebal_fleet_cells(drawn.world.fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, 0, 1, NULL);
  if (rebal_ledger_new(drawn.world.fleet, NULL, &ledger, NULL) != REBAL_OK) {
    wrong = "no ledger";
  }
  for (size_t round = 0; wrong == NULL && round < ROUNDS; round++) {
    for (uint32_t i = roll(dice, round == 0 ? 4 * n_nodes : EDITS); i > 0; i--) {
      edit(dice, &drawn, n_nodes);
    }
    hold(dice, &drawn, ledger);
    for (size_t i = 0; wrong == NULL && i < QUESTIONS; i++) {
      wrong = compare(dice, &drawn, ledger);
    }
  }
  rebal_ledger_free(ledger);
  test_world_close(&drawn.world);
  return wrong;
}
