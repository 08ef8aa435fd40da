/* SPDX-License-Identifier: MIT */
#include "members.h"

#include "../../support/allocator.h"
#include "../../support/dice.h"

#define SEEDS 100
#define ROUNDS 12
#define CHANGES 4 /* in a round, at most */

#define CLUSTER(name, region)                                                                                   \
  "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: " name "}, spec: {region: " region \
  "}}\n---\n"
#define POD(name, cpu)                                                                                           \
  "{apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: x}, spec: {nodeName: node1, priority: " cpu \
  ", containers: [{name: c, resources: {requests: {cpu: \"" cpu "\"}}}]}}\n---\n"

static void put(rebal_store *store, const char *text) {
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_store_put(store, text, strlen(text), &err) == REBAL_OK, "%s", err.message);
}

/* "name=region" of each cluster by id. */
static void assert_regions(rebal_fleet *fleet, const char *expected) {
  rebal_snapshot *snapshot = NULL;
  char found[256] = "";
  size_t len = 0;
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  for (uint32_t id = 0; id < rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE); id++) {
    if (rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, id)) {
      len += (size_t)snprintf(
          found + len, sizeof found - len, "%s%s=%s", len > 0 ? " " : "",
          rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_NAME, REBAL_NONE, id, NULL),
          rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_REGION, REBAL_NONE, id, NULL));
    }
  }
  ck_assert_str_eq(found, expected);
  rebal_snapshot_unref(snapshot);
}

/* Priorities of the pods below the cluster, by row, and what they take of their node. */
static void assert_pods(rebal_fleet *fleet, const char *expected, int64_t used) {
  rebal_snapshot *snapshot = NULL;
  char found[256] = "";
  size_t len = 0;
  uint32_t cpu;
  ck_assert_int_eq(rebal_fleet_resource_id(fleet, "cpu", 3, &cpu, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  for (uint32_t row = 0; row < rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, 0); row++) {
    if (rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, 0, row)) {
      len += (size_t)snprintf(found + len, sizeof found - len, "%s%d", len > 0 ? " " : "",
                              (int)rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_POD_PRIORITY, 0, row));
    }
  }
  ck_assert_str_eq(found, expected);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATED, 0, 0, cpu), used);
  rebal_snapshot_unref(snapshot);
}

static void assert_has_nodes(rebal_fleet *fleet, uint32_t cluster) {
  rebal_snapshot *snapshot = NULL;
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, cluster),
                   1);
  rebal_snapshot_unref(snapshot);
}

START_TEST(test_clusters_follow_the_store) {
  rebal_store *store = store_of(CLUSTER("b", "east") CLUSTER("a", "west"));
  rebal_fleet *fleet = NULL;
  rebal_feed *feed = NULL;
  uint32_t other, known;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, "z", 1, &other, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, "a", 1, &known, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, known, 1, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_clusters(store, fleet, &feed, NULL), REBAL_OK);
  assert_regions(fleet, "a=west b=east");
  assert_has_nodes(fleet, known); /* it was not taken away in between */
  put(store, CLUSTER("c", "north") CLUSTER("a", "south"));
  ck_assert_int_eq(rebal_store_remove(store, find(store, "Cluster", "", "b"), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_clusters(store, fleet, &feed, NULL), REBAL_OK);
  assert_regions(fleet, "a=south c=north");
  ck_assert_int_eq(rebal_store_remove(store, find(store, "Cluster", "", "a"), NULL), REBAL_OK);
  put(store, CLUSTER("a", "up") "{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: d}}");
  ck_assert_int_eq(rebal_store_feed_clusters(store, fleet, &feed, NULL), REBAL_OK);
  assert_regions(fleet, "a=up c=north");
  rebal_feed_free(feed);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_a_refused_object_changes_nothing) {
  rebal_store *store = store_of(POD("a", "1") POD("b", "2"));
  rebal_fleet *fleet = fleet_of_member();
  rebal_feed *feed = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_store_feed_member(store, fleet, 0, &feed, &err), REBAL_OK);
  assert_pods(fleet, "1 2", 3000);
  put(store, POD("a", "-4") POD("c", "-5") POD("d", "8"));
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(rebal_store_feed_member(store, fleet, 0, &feed, &err), REBAL_ERANGE);
    ck_assert_str_eq(err.message, "Pod x/a: a request of a pod is negative");
    assert_pods(fleet, "1 2 8", 11000);
  }
  ck_assert_int_eq(rebal_store_remove(store, find(store, "Pod", "x", "a"), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_member(store, fleet, 0, &feed, &err), REBAL_ERANGE);
  ck_assert_str_eq(err.message, "Pod x/c: a request of a pod is negative");
  assert_pods(fleet, "2 8", 10000);
  put(store, POD("c", "16"));
  ck_assert_int_eq(rebal_store_feed_member(store, fleet, 0, &feed, &err), REBAL_OK);
  assert_pods(fleet, "2 8 16", 26000);
  rebal_feed_free(feed);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_a_feed_is_of_one_call) {
  rebal_store *store = store_of(POD("a", "1")), *other = store_new();
  rebal_fleet *fleet = fleet_of_member();
  rebal_feed *feed = NULL;
  uint32_t cluster;
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, "member2", 7, &cluster, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_member(store, fleet, 0, &feed, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_member(other, fleet, 0, &feed, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(rebal_store_feed_member(store, fleet, cluster, &feed, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(rebal_store_feed_clusters(store, fleet, &feed, NULL), REBAL_EMISMATCH);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &(const uint32_t){0}, 1, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_member(store, fleet, 0, &feed, NULL), REBAL_ENOTFOUND);
  rebal_feed_free(feed);
  rebal_feed_free(NULL);
  rebal_fleet_free(fleet);
  rebal_store_free(other);
  rebal_store_free(store);
}
END_TEST

/* ---- a fleet that followed random changes is the fleet that is fed from the same objects at once ---- */

/* Objects that the fleet refuses are not in good, which has their last state that it took. */
struct world {
  struct dice dice;
  rebal_store *store, *good;         /* clusters and bindings */
  rebal_store *member, *good_member; /* of the cluster c0 */
  rebal_fleet *fleet;
  rebal_feed *feed, *member_feed;
  uint32_t version;
};

/* ---- random objects ---- */

static const char *const taints[] = {"", "taints: [{key: k, effect: NoSchedule}]",
                                     "taints: [{key: l, effect: NoExecute}]"};
static const char *const labels[] = {"", ", labels: {a: x}", ", labels: {a: z, topology.kubernetes.io/zone: z1}",
                                     ", labels: {topology.kubernetes.io/zone: z2}"};
static const char *const apis[] = {
    "", ", apiEnablements: [{groupVersion: apps/v1, resources: [{name: deployments, kind: Deployment}]}]",
    ", apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}, {kind: StatefulSet}]}]"};
static const char *const summaries[] = {"", ", resourceSummary: {allocatable: {cpu: 8, memory: 8Gi, pods: 100}}",
                                        ", resourceSummary: {allocatable: {cpu: 16, pods: 50}, allocated: {cpu: 3}}"};
static const char *const amounts[] = {"", "allocatable: {cpu: 4, pods: 10}",
                                      "allocatable: {cpu: 2, memory: 4Gi, pods: 9}"};
static const char *const requests[] = {"cpu: 1", "cpu: 500m, memory: 1Gi", "memory: 2Gi"};
static const char *const statuses[] = {"phase: Running", "phase: Failed",
                                       ("conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, "
                                        "lastTransitionTime: \"2026-01-01T00:00:00Z\"}]")};

static void write_cluster(struct dice *dice, uint32_t version, char *out, size_t capacity) {
  const uint32_t number = roll(dice, 5);
  const char *label = PICK(dice, labels), *taint = PICK(dice, taints), *api = PICK(dice, apis);
  (void)snprintf(out, capacity,
                 "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: c%u, generation: %u%s}, "
                 "spec: {%s}, status: {kubernetesVersion: v1%s%s}}",
                 (unsigned)number, (unsigned)version, label, taint, api, PICK(dice, summaries));
}

static void write_node(struct dice *dice, uint32_t version, char *out, size_t capacity) {
  const uint32_t number = roll(dice, 5);
  const char *label = PICK(dice, labels), *taint = PICK(dice, taints);
  (void)snprintf(out, capacity,
                 "{apiVersion: v1, kind: Node, metadata: {name: n%u, generation: %u%s}, spec: {%s}, status: {%s}}",
                 (unsigned)number, (unsigned)version, label, taint, PICK(dice, amounts));
}

/* A pod that has ended takes nothing, whatever it requests. */
static void write_pod(struct dice *dice, uint32_t version, int is_refused, char *out, size_t capacity) {
  const uint32_t number = roll(dice, 6), node = roll(dice, 6);
  const char *request = is_refused ? "cpu: -1" : PICK(dice, requests);
  (void)snprintf(out, capacity,
                 "{apiVersion: v1, kind: Pod, metadata: {name: p%u, namespace: x, generation: %u}, spec: {nodeName: "
                 "n%u, containers: [{name: c, resources: {requests: {%s}}}]}, status: {%s}}",
                 (unsigned)number, (unsigned)version, (unsigned)node, request,
                 is_refused ? statuses[0] : PICK(dice, statuses));
}

static void write_other(struct dice *dice, uint32_t version, char *out, size_t capacity) {
  static const char *const forms[] = {
      ("{apiVersion: apps/v1, kind: Deployment, metadata: {name: d%u, namespace: x, uid: u%u}, spec: {selector: "
       "{matchLabels: {a: x}}, template: {metadata: {labels: {a: x}}}}}"),
      "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: d%u, namespace: x, uid: v%u}}",
      "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q%u, namespace: x}, status: {hard: {cpu: %u}}}",
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: m%u, namespace: x}, data: {v: \"%u\"}}",
  };
  const char *form = PICK(dice, forms);
  (void)snprintf(out, capacity, form, (unsigned)roll(dice, 3), (unsigned)version);
}

/* ---- random changes ---- */

static void remove_from(rebal_store *store, const char *kind, const char *namespace_, const char *name) {
  const uint32_t object = find(store, kind, namespace_, name);
  if (object != REBAL_NONE) {
    ck_assert_int_eq(rebal_store_remove(store, object, NULL), REBAL_OK);
  }
}

/* The cluster c0, whose members are fed, stays. */
static void remove_some(struct world *world) {
  static const struct {
    const char *kind, *namespace_, *letter;
  } kinds[] = {{"Cluster", "", "c"},     {"Node", "", "n"},        {"Pod", "x", "p"},
               {"Deployment", "x", "d"}, {"ReplicaSet", "x", "d"}, {"ResourceQuota", "x", "q"}};
  const uint32_t kind = roll(&world->dice, COUNT(kinds));
  char name[16];
  (void)snprintf(name, sizeof name, "%s%u", kinds[kind].letter, (unsigned)(roll(&world->dice, 5) + (kind == 0)));
  remove_from(kind == 0 ? world->store : world->member, kinds[kind].kind, kinds[kind].namespace_, name);
  remove_from(kind == 0 ? world->good : world->good_member, kinds[kind].kind, kinds[kind].namespace_, name);
}

/* Calls are repeated as long as they lack memory; each goes on where the last one stopped. */
static void follow(struct world *world) {
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t cluster = 0;
  int32_t code = REBAL_ENOMEM;
  for (int i = 0; i < 1000 && code == REBAL_ENOMEM; i++) {
    code = rebal_store_feed_clusters(world->store, world->fleet, &world->feed, &err);
    code = code == REBAL_OK ? rebal_fleet_cluster_id(world->fleet, "c0", 2, &cluster, NULL) : code;
    code = code == REBAL_OK ? rebal_store_feed_member(world->member, world->fleet, cluster, &world->member_feed, &err)
                            : code;
  }
  ck_assert_msg(code == REBAL_OK || code == REBAL_ERANGE, "%d: %s", (int)code, err.message);
}

static void change(struct world *world) {
  char text[512];
  const uint32_t kind = roll(&world->dice, 10);
  const int is_refused = kind == 4;
  world->version++;
  if (kind < 2) {
    remove_some(world);
    return;
  }
  if (kind < 4) {
    write_cluster(&world->dice, world->version, text, sizeof text);
    put(world->store, text);
    put(world->good, text);
    return;
  }
  if (is_refused) {
    follow(world); /* what it is refused after is in the fleet */
  }
  if (kind < 7) {
    write_pod(&world->dice, world->version, is_refused, text, sizeof text);
  } else if (kind < 8) {
    write_other(&world->dice, world->version, text, sizeof text);
  } else {
    write_node(&world->dice, world->version, text, sizeof text);
  }
  put(world->member, text);
  if (!is_refused) {
    put(world->good_member, text);
  }
}

/* ---- comparing ---- */

#define BINDING                                                                                                        \
  "{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: b, namespace: x}, spec: {replicas: " \
  "7, resource: {apiVersion: apps/v1, kind: Deployment, name: d0, namespace: x}, clusters: [{name: c1, replicas: 1}, " \
  "{name: c9, replicas: 2}], replicaRequirements: {resourceRequest: {cpu: 500m}}, placement: {replicaScheduling: "     \
  "{replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {dynamicWeight: "           \
  "AvailableReplicas}}}}}"

/* The decision for the binding, with the fingerprint of the whole call. */
static void decide(rebal_store *store, rebal_fleet *fleet, char *out, size_t capacity) {
  const rebal_schedule_opts opts = {.struct_size = sizeof opts, .flags = REBAL_SCHEDULE_FLAG_FINGERPRINT};
  rebal_bindings *bindings = NULL;
  rebal_snapshot *snapshot = NULL;
  rebal_result *result = NULL;
  rebal_ctx *ctx = NULL;
  uint64_t high, low;
  size_t n = 0, len = 0;
  const int64_t *clusters, *replicas;
  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_bindings(store, fleet, NULL, 0, bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_schedule(ctx, snapshot, bindings, &opts, result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_fingerprint(result, &high, &low, NULL), REBAL_OK);
  clusters = rebal_result_i64(result, REBAL_PLACED_CLUSTER, &n);
  replicas = rebal_result_i64(result, REBAL_PLACED_REPLICAS, NULL);
  for (size_t i = 0; i < n; i++) {
    len += (size_t)snprintf(out + len, capacity - len, "%s=%d ",
                            rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_NAME, REBAL_NONE,
                                                 (uint32_t)clusters[i], NULL),
                            (int)replicas[i]);
  }
  (void)snprintf(out + len, capacity - len, "%016llx%016llx", (unsigned long long)high, (unsigned long long)low);
  rebal_snapshot_unref(snapshot);
  rebal_bindings_free(bindings);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
}

static void decide_at_once(const struct world *world, char *out, size_t capacity) {
  rebal_fleet *fleet = NULL;
  uint32_t cluster;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_clusters(world->good, fleet, NULL, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, "c0", 2, &cluster, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_member(world->good_member, fleet, cluster, NULL, NULL), REBAL_OK);
  decide(world->good, fleet, out, capacity);
  rebal_fleet_free(fleet);
}

/* ---- the law ---- */

static void open_world(struct world *world, uint64_t seed, const rebal_allocator *allocator) {
  static const char first[] =
      "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: c0}}\n---\n" BINDING;
  *world = (struct world){.dice = {seed}, .store = store_of(first), .good = store_of(first)};
  world->member = store_new();
  world->good_member = store_new();
  ck_assert_int_eq(rebal_fleet_new(allocator, &world->fleet, NULL), REBAL_OK);
}

static void close_world(struct world *world) {
  rebal_feed_free(world->feed);
  rebal_feed_free(world->member_feed);
  rebal_fleet_free(world->fleet);
  rebal_store_free(world->store);
  rebal_store_free(world->good);
  rebal_store_free(world->member);
  rebal_store_free(world->good_member);
}

static void assert_rounds(struct world *world, uint64_t seed, int rounds) {
  char followed[512], at_once[512];
  for (int round = 0; round < rounds; round++) {
    for (uint32_t i = roll(&world->dice, CHANGES) + (round == 0 ? 10 : 0); i > 0; i--) {
      change(world);
    }
    follow(world);
    decide(world->store, world->fleet, followed, sizeof followed);
    decide_at_once(world, at_once, sizeof at_once);
    ck_assert_msg(strcmp(followed, at_once) == 0, "seed %llu, round %d: %s, at once %s", (unsigned long long)seed,
                  round, followed, at_once);
  }
}

START_TEST(test_following_is_feeding_at_once) {
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct world world;
    open_world(&world, seed, NULL);
    assert_rounds(&world, seed, ROUNDS);
    close_world(&world);
  }
}
END_TEST

/* The fleet lacks memory once, at each of many places. */
START_TEST(test_following_goes_on_after_a_lack_of_memory) {
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct test_allocator memory;
    struct world world;
    test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
    open_world(&world, seed, &memory.functions);
    for (int round = 0; round < 4; round++) {
      for (uint32_t i = roll(&world.dice, 8) + 1; i > 0; i--) {
        change(&world);
      }
      memory.fail_at = memory.requests + 1 + roll(&world.dice, 40);
      follow(&world);
      memory.fail_at = 0;
      assert_rounds(&world, seed, 1);
    }
    close_world(&world);
    ck_assert_uint_eq(memory.live, 0);
  }
}
END_TEST

UNIT_CASE(feed) {
  TCase *cases = tcase_create("feed");
  tcase_add_test(cases, test_clusters_follow_the_store);
  tcase_add_test(cases, test_a_refused_object_changes_nothing);
  tcase_add_test(cases, test_a_feed_is_of_one_call);
  tcase_add_test(cases, test_following_is_feeding_at_once);
  tcase_add_test(cases, test_following_goes_on_after_a_lack_of_memory);
  tcase_set_timeout(cases, 60);
  return cases;
}
