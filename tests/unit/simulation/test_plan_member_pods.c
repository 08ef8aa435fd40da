/* SPDX-License-Identifier: MIT */
/*
 * Random members: compares the pods that leave and the subsets of new pods with a plain implementation and a
 * simulation.
 */
#include "../../support/dice.h"
#include "plan_members.h"

#include <inttypes.h>
#include <stdlib.h>

#define CASES 1000
#define STORIES 150
#define MOST_PODS 12
#define MOST_SUBSETS 3

static struct dice dice;

/* ---- a member ---------------------------------------------------------------------------------------------------- */

struct drawn_pod {
  int number; /* in its name */
  int node;   /* 0: none */
  int phase;  /* 0 Pending, 1 Unknown, 2 Running */
  int is_ready, cost, restarts;
  int ready_age, age; /* powers of ten of seconds */
  int is_done;
};
struct drawn_member {
  struct drawn_pod pods[MOST_PODS];
  size_t n;
  int64_t before, after; /* x and y */
  size_t n_subsets;      /* 0: no WorkloadSpread */
  struct rebali_buffer text, objects;
};

static const char *const costs[] = {"-5", "0", "5", "100", "007", "1e3"};
static const int cost_numbers[] = {-5, 0, 5, 100, 0, 0};
static const char *const phases[] = {"Pending", "Unknown", "Running"};
static const int64_t ages[] = {1, 10, 100, 1000, 10000, 100000};

static void print_time(struct rebali_buffer *out, int age) {
  const rebal_time time = {member_now.seconds - ages[age], 0, 1};
  rebali_print_time(out, &time);
}

static void draw_pod(struct drawn_pod *pod, int number) {
  pod->number = number;
  pod->node = (int)roll(&dice, 4);
  pod->phase = chance(&dice, 70) ? 2 : (int)roll(&dice, 2);
  pod->is_ready = chance(&dice, 70);
  pod->cost = (int)roll(&dice, 6);
  pod->restarts = (int)roll(&dice, 3) / 2;
  pod->ready_age = (int)roll(&dice, 6);
  pod->age = (int)roll(&dice, 6);
  pod->is_done = chance(&dice, 10);
}

static void print_pod(const struct drawn_pod *pod, struct rebali_buffer *out) {
  rebali_buffer_format(out,
                       "---\n{apiVersion: v1, kind: Pod, metadata: {name: p-%02d, namespace: default, uid: \"%d\", "
                       "labels: {app: web, pod-template-hash: one}, ownerReferences: [" OWNER(
                           "ReplicaSet", "one", "s") "], annotations: {controller.kubernetes.io/pod-deletion-cost: "
                       "\"%s\"}, creationTimestamp: ",
                       pod->number, 99 - pod->number, costs[pod->cost]);
  print_time(out, pod->age);
  rebali_buffer_text(out, "}, spec: {");
  if (pod->node > 0) {
    rebali_buffer_format(out, "nodeName: node-%d", pod->node);
  }
  rebali_buffer_format(out,
                       "}, status: {phase: %s, containerStatuses: [{name: c, restartCount: %d}], conditions: [{type: "
                       "Ready, status: \"%s\", lastTransitionTime: ",
                       pod->is_done ? "Failed" : phases[pod->phase], pod->restarts, pod->is_ready ? "True" : "False");
  print_time(out, pod->ready_age);
  rebali_buffer_text(out, "}]}}\n");
}

/* 0: no limit. */
static void draw_limit(uint32_t kind, int is_story, struct rebali_buffer *out) {
  if (kind == 1) {
    rebali_buffer_format(out, ", maxReplicas: %u", roll(&dice, 4));
  } else if (kind == 2) {
    rebali_buffer_format(out, ", maxReplicas: %u%%", 25 * roll(&dice, is_story ? 3 : 5));
  }
}

static void draw_status(size_t n, struct rebali_buffer *out) {
  rebali_buffer_text(out, ", status: {versionedSubsetStatuses: {one: [");
  for (size_t i = 0; i < n; i++) {
    rebali_buffer_format(out, "%s{name: s%zu, replicas: 1, missingReplicas: %d", i > 0 ? ", " : "", i,
                         (int)roll(&dice, 5) - 1);
    rebali_buffer_text(out, chance(&dice, 20) ? ", conditions: [{type: Schedulable, status: \"False\"}]}" : "}");
  }
  rebali_buffer_text(out, "]}}");
}

/* Admission of a story accepts limits of one kind only, and none for the last subset. */
static void draw_spread(size_t n, int has_status, int is_story, struct rebali_buffer *out) {
  const uint32_t kind = 1 + roll(&dice, 2);
  rebali_buffer_text(out, "---\n{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: ws, "
                          "namespace: default}, spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, "
                          "subsets: [");
  for (size_t i = 0; i < n; i++) {
    rebali_buffer_format(out, "%s{name: s%zu", i > 0 ? ", " : "", i);
    draw_limit(!is_story ? roll(&dice, 3) : i + 1 < n ? kind : 0, is_story, out);
    rebali_buffer_text(out, "}");
  }
  rebali_buffer_text(out, "]}");
  if (has_status) {
    draw_status(n, out);
  }
  rebali_buffer_text(out, "}\n");
}

#define TEMPLATE(labels) "template: {metadata: {labels: {app: web" labels "}}, spec: {containers: [{name: c}]}}"
#define WEB_TEMPLATE TEMPLATE("")
#define SET_TEMPLATE TEMPLATE(", pod-template-hash: one")

static void print_workload(int64_t replicas, struct rebali_buffer *out) {
  static const char owner[] = OWNER("Deployment", "web", "d");
  rebali_buffer_format(out,
                       "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default, uid: "
                       "d}, spec: {replicas: %" PRId64 ", selector: {matchLabels: {app: web}}, " WEB_TEMPLATE "}}\n",
                       replicas);
  rebali_buffer_format(out,
                       "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: one, namespace: default, uid: s, "
                       "labels: {app: web, pod-template-hash: one}, ownerReferences: [%s]}, spec: {replicas: %" PRId64
                       ", selector: {matchLabels: {app: web}}, " SET_TEMPLATE "}}\n",
                       owner, replicas);
}

#define N "%" PRId64

/* y is the number that the weights give of all replicas. */
static void print_objects(struct drawn_member *drawn) {
  const int64_t all = drawn->before > drawn->after ? drawn->before : drawn->after;
  struct rebali_buffer here = REBALI_BUFFER;
  if (drawn->before > 0) {
    rebali_buffer_format(&here, IN("m1", "%" PRId64) ", ", drawn->before);
  }
  rebali_buffer_text(&drawn->objects, PLAN_CLUSTER("m1") PLAN_CLUSTER("m2"));
  rebali_buffer_format(
      &drawn->objects, BINDING("web", "apps/v1", "Deployment", N, "%s" IN("m2", N), N, N),
      all + 1, rebali_printed(&here), all + 1 - drawn->before, drawn->after, all + 1 - drawn->after);
  rebali_buffer_dispose(&here);
}

static void draw_member(struct drawn_member *drawn, uint64_t seed) {
  int64_t active = 0;
  dice.state = seed;
  *drawn = (struct drawn_member){.n = roll(&dice, MOST_PODS + 1), .text = REBALI_BUFFER, .objects = REBALI_BUFFER};
  for (size_t i = 0; i < drawn->n; i++) {
    draw_pod(&drawn->pods[i], (int)i);
    print_pod(&drawn->pods[i], &drawn->text);
    active += !drawn->pods[i].is_done;
  }
  drawn->before = active + (chance(&dice, 30) ? (int)roll(&dice, 3) - 1 : 0);
  drawn->before = drawn->before < 0 ? 0 : drawn->before;
  drawn->after = roll(&dice, MOST_PODS + 1);
  drawn->n_subsets = roll(&dice, MOST_SUBSETS + 1);
  print_workload(drawn->before, &drawn->text);
  if (drawn->n_subsets > 0) {
    draw_spread(drawn->n_subsets, chance(&dice, 50), 0, &drawn->text);
  }
  print_objects(drawn);
}

static void dispose(struct drawn_member *drawn) {
  rebali_buffer_dispose(&drawn->text);
  rebali_buffer_dispose(&drawn->objects);
}

/* ---- the plain implementation ------------------------------------------------------------------------------------ */

static const struct drawn_member *at_hand;

static int64_t rank_of(const struct drawn_pod *pod) {
  int64_t rank = 0;
  for (size_t i = 0; i < at_hand->n; i++) {
    rank += !at_hand->pods[i].is_done && at_hand->pods[i].node == pod->node;
  }
  return rank;
}

/* Pods that leave first are less; times are either equal or far apart. */
static int64_t before_of(const struct drawn_pod *one, const struct drawn_pod *other) {
  const int64_t differences[] = {
      (one->node > 0) - (other->node > 0), one->phase - other->phase, one->is_ready - other->is_ready,
      cost_numbers[one->cost] - cost_numbers[other->cost], rank_of(other) - rank_of(one),
      one->is_ready && other->is_ready ? one->ready_age - other->ready_age : 0, other->restarts - one->restarts,
      one->age - other->age, one->number - other->number};
  size_t i = 0;
  while (i + 1 < COUNT(differences) && differences[i] == 0) {
    i++;
  }
  return differences[i];
}

static void print_leaving(const struct drawn_member *drawn, struct rebali_buffer *out) {
  const int64_t n = drawn->before - drawn->after;
  const struct drawn_pod *order[MOST_PODS];
  int64_t active = 0, going, first;
  for (size_t i = 0; i < drawn->n; i++) {
    if (!drawn->pods[i].is_done) {
      int64_t at = active++;
      while (at > 0 && before_of(&drawn->pods[i], order[at - 1]) < 0) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = &drawn->pods[i];
    }
  }
  going = active > drawn->after ? active - drawn->after : 0;
  first = going > n ? going - n : 0;
  for (int64_t i = 0; i < n; i++) {
    rebali_buffer_text(out, i > 0 ? ", " : "");
    if (first + i < going) {
      rebali_buffer_format(out, "leaves p-%02d", order[first + i]->number);
    } else {
      rebali_buffer_text(out, "leaves-unknown");
    }
  }
}

/* The inputs and the result of the admission of pods of one version. */
struct admission {
  rebal_fleet *fleet;
  rebal_spread_feed *feed;
  rebal_store *store;
  rebal_pods *pods;
  rebal_ctx *ctx;
  rebal_result *result;
  uint32_t set;
};

static uint32_t add_row(struct admission *admission, uint32_t table) {
  uint32_t row;
  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(admission->pods), table, REBAL_NONE, &row, 1, NULL), REBAL_OK);
  return row;
}

static void set(struct admission *admission, uint32_t column, uint32_t row, int64_t value) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_pods_cells(admission->pods), column, REBAL_NONE, row, value, NULL),
                   REBAL_OK);
}

static void set_text(struct admission *admission, uint32_t column, uint32_t row, const char *text) {
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_pods_cells(admission->pods), column, REBAL_NONE, row, text, strlen(text), NULL),
      REBAL_OK);
}

static uint32_t add_owner(struct admission *admission, const char *kind, const char *name, int64_t controller) {
  const uint32_t row = add_row(admission, REBAL_TABLE_OWNER);
  set_text(admission, REBAL_OWNER_API_VERSION, row, "apps/v1");
  set_text(admission, REBAL_OWNER_KIND, row, kind);
  set_text(admission, REBAL_OWNER_NAME, row, name);
  set(admission, REBAL_OWNER_STATE, row, REBAL_OWNER_STATE_EXISTS);
  set(admission, REBAL_OWNER_CONTROLLER, row, controller);
  return row;
}

/* The Deployment is already scaled to y. */
static void open_admission(struct admission *admission, const struct drawn_member *drawn) {
  char patch[64];
  uint32_t nodes;
  admission->store = store_of(rebali_printed(&drawn->text));
  const uint32_t web = rebal_store_find(admission->store, "Deployment", 10, "default", 7, "web", 3);
  (void)snprintf(patch, sizeof patch, "{\"spec\":{\"replicas\":%" PRId64 "}}", drawn->after);
  ck_assert_int_eq(rebal_store_patch(admission->store, web, patch, strlen(patch), &member_now, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_new(NULL, &admission->fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_cluster(admission->fleet, "m1", 2, &nodes, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_feed_new(admission->store, admission->fleet, nodes, &admission->feed, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_feed_update(admission->feed, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_pods_new(admission->fleet, NULL, &admission->pods, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &admission->ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &admission->result, NULL), REBAL_OK);
  admission->set = add_owner(admission, "ReplicaSet", "one", add_owner(admission, "Deployment", "web", REBAL_ABSENT));
}

static void close_admission(struct admission *admission) {
  rebal_result_free(admission->result);
  rebal_ctx_free(admission->ctx);
  rebal_pods_free(admission->pods);
  rebal_spread_feed_free(admission->feed);
  rebal_fleet_free(admission->fleet);
  rebal_store_free(admission->store);
}

/* The subset of one more pod; REBAL_ABSENT: none. */
static int64_t admit(struct admission *admission, rebal_spread *spread, int64_t number) {
  const uint32_t row = add_row(admission, REBAL_TABLE_SPREAD_POD);
  const rebal_admit_opts opts = {.struct_size = sizeof opts, .rows = &row, .n_rows = 1};
  char id[32];
  (void)snprintf(id, sizeof id, "new-%" PRId64, number);
  set_text(admission, REBAL_SPREAD_POD_ADMISSION_ID, row, id);
  set(admission, REBAL_SPREAD_POD_CONTROLLER, row, admission->set);
  set(admission, REBAL_SPREAD_POD_VERSION_LABEL, row, REBAL_VERSION_LABEL_TEMPLATE_HASH);
  set_text(admission, REBAL_SPREAD_POD_VERSION, row, "one");
  ck_assert_int_eq(rebal_spread_admit(admission->ctx, &spread, 1, admission->pods, &member_now, &opts,
                                      admission->result, NULL),
                   REBAL_OK);
  return rebal_result_i64(admission->result, REBAL_ADMITTED_SUBSET, NULL)[0];
}

static void print_arriving(const struct drawn_member *drawn, struct rebali_buffer *out) {
  const int64_t n = drawn->after - drawn->before;
  int64_t active = 0, created, row = 0;
  struct admission admission;
  rebal_spread *spread;
  for (size_t i = 0; i < drawn->n; i++) {
    active += !drawn->pods[i].is_done;
  }
  created = drawn->after > active ? drawn->after - active : 0;
  open_admission(&admission, drawn);
  spread = rebal_spread_feed_spread(admission.feed,
                                    rebal_store_next(admission.store, "WorkloadSpread", 14, REBAL_NONE));
  for (; row < n - created; row++) {
    rebali_buffer_format(out, "%sruns", row > 0 ? ", " : "");
  }
  for (int64_t i = 0; i < created; i++) {
    const int64_t subset = spread != NULL ? admit(&admission, spread, i) : REBAL_ABSENT;
    if (i < created - n) {
      continue;
    }
    rebali_buffer_text(out, row++ > 0 ? ", " : "");
    if (subset == REBAL_ABSENT) {
      rebali_buffer_text(out, spread != NULL ? "no-subset" : "no-spread");
    } else {
      rebali_buffer_format(out, "in-subset ws/%" PRId64, subset);
    }
  }
  close_admission(&admission);
}

static size_t n_leaving, n_arriving; /* rows of all cases */

START_TEST(test_plain_second_way) {
  for (uint64_t seed = 1; seed <= CASES; seed++) {
    struct drawn_member drawn;
    struct plan_world world;
    struct member_answer answer;
    struct rebali_buffer wanted = REBALI_BUFFER, found = REBALI_BUFFER;
    draw_member(&drawn, seed);
    at_hand = &drawn;
    open_plan_world(&world, rebali_printed(&drawn.objects), rebali_printed(&drawn.text));
    query_member(&world, &answer);
    print_answer(&world, &answer, &found);
    if (drawn.after < drawn.before) {
      print_leaving(&drawn, &wanted);
      n_leaving += answer.n;
      ck_assert_uint_eq(answer.n, (uint64_t)(drawn.before - drawn.after));
    } else if (drawn.after > drawn.before) {
      print_arriving(&drawn, &wanted);
      n_arriving += answer.n;
      ck_assert_uint_eq(answer.n, (uint64_t)(drawn.after - drawn.before));
    }
    if (strcmp(rebali_printed(&wanted), rebali_printed(&found)) != 0) {
      (void)fprintf(stderr, "%s", rebali_printed(&drawn.text));
      ck_abort_msg("seed %" PRIu64 ": %s instead of %s", seed, rebali_printed(&found), rebali_printed(&wanted));
    }
    rebali_buffer_dispose(&wanted);
    rebali_buffer_dispose(&found);
    close_plan_world(&world);
    dispose(&drawn);
  }
  ck_assert_uint_gt(n_leaving, CASES);
  ck_assert_uint_gt(n_arriving, CASES);
}
END_TEST

/* ---- a simulation ------------------------------------------------------------------------------------------------ */

#define SCALE "scale: {kind: Deployment, name: web, replicas: "

/* The member as a cluster with all controllers, scaled some times, and at last to y at the time of the plan. */
static size_t print_story(struct drawn_member *drawn, const int64_t *sizes, size_t n) {
  struct rebali_buffer *out = &drawn->text;
  rebali_buffer_text(out, "{apiVersion: simulation.rebalance/v1, kind: Scenario, start: 2024-01-01T11:00:00Z, "
                          "workloads: {}, readyAfter: 30s}\n");
  rebali_buffer_format(out,
                       "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default, uid: "
                       "d}, spec: {replicas: %" PRId64 ", selector: {matchLabels: {app: web}}, " WEB_TEMPLATE "}}\n",
                       sizes[0]);
  draw_spread(drawn->n_subsets, 0, 1, out);
  for (size_t i = 1; i < n; i++) {
    rebali_buffer_format(out, "---\n{kind: Step, after: 5m, " SCALE "%" PRId64 "}}\n",
                         sizes[i]);
  }
  rebali_buffer_text(out, "---\n{kind: Step, at: 2024-01-01T12:00:00Z}\n");
  rebali_buffer_format(out, "---\n{kind: Step, " SCALE "%" PRId64 "}}\n",
                       drawn->after);
  return n;
}

static size_t draw_story(struct drawn_member *drawn, uint64_t seed) {
  int64_t sizes[4];
  const size_t n = 1 + seed % COUNT(sizes);
  dice.state = seed;
  *drawn = (struct drawn_member){.text = REBALI_BUFFER, .objects = REBALI_BUFFER};
  for (size_t i = 0; i < n; i++) {
    sizes[i] = 1 + roll(&dice, 8);
  }
  drawn->before = sizes[n - 1];
  drawn->after = 1 + roll(&dice, 9);
  drawn->n_subsets = 1 + roll(&dice, MOST_SUBSETS);
  print_objects(drawn);
  return print_story(drawn, sizes, n);
}

/* The outcome of the pods from a row on, as print_answer() writes it. */
static void print_done(const rebal_simulation *simulation, size_t first, struct rebali_buffer *out) {
  rebal_simulation_admission row = {.struct_size = sizeof row};
  for (size_t i = first; rebal_simulation_admission_read(simulation, i, &row, NULL) == REBAL_OK; i++) {
    rebali_buffer_text(out, i > first ? ", " : "");
    if (row.operation == REBAL_OPERATION_DELETE) {
      rebali_buffer_format(out, "leaves %s", row.name);
    } else if (row.subset[0] != '\0') {
      rebali_buffer_format(out, "in-subset ws/%s", row.subset + 1); /* its name is s and the number */
    } else {
      rebali_buffer_text(out, "no-subset");
    }
  }
}

/* The subsets of leaving pods are not compared here. */
static void forget_subsets(struct member_answer *answer) {
  for (size_t i = 0; i < answer->n; i++) {
    answer->subsets[i] = answer->states[i] == REBAL_MEMBER_REPLICA_LEAVES ? REBAL_NONE : answer->subsets[i];
  }
}

START_TEST(test_simulation_does_so) {
  for (uint64_t seed = 1; seed <= STORIES; seed++) {
    const rebal_simulation_opts opts = {.struct_size = sizeof opts, .max_admissions = 1000};
    rebal_simulation *simulation = new_simulation(&opts);
    struct drawn_member drawn;
    struct plan_world world;
    struct member_answer answer;
    struct rebali_buffer reported = REBALI_BUFFER, done = REBALI_BUFFER;
    rebal_error err = REBAL_ERROR_INIT;
    rebal_store *empty;
    size_t steps, first;
    int32_t more;
    steps = draw_story(&drawn, seed);
    ck_assert_msg(rebal_simulation_load(simulation, drawn.text.bytes, drawn.text.len, &err) == REBAL_OK, "%s at %s",
                  err.message, err.field);
    for (size_t i = 0; i < steps; i++) {
      ck_assert_int_eq(rebal_simulation_step(simulation, &more, NULL), REBAL_OK);
    }
    open_plan_world(&world, rebali_printed(&drawn.objects), "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}");
    empty = world.member;
    world.member = rebal_simulation_store(simulation);
    query_member(&world, &answer);
    forget_subsets(&answer);
    print_answer(&world, &answer, &reported);
    world.member = empty;
    first = (size_t)summary_of(simulation).admission_rows;
    ck_assert_int_eq(rebal_simulation_step(simulation, &more, NULL), REBAL_OK);
    ck_assert_int_eq(more, 1);
    print_done(simulation, first, &done);
    ck_assert_msg(strcmp(rebali_printed(&reported), rebali_printed(&done)) == 0, "seed %" PRIu64 ": %s, but %s", seed,
                  rebali_printed(&reported), rebali_printed(&done));
    rebali_buffer_dispose(&reported);
    rebali_buffer_dispose(&done);
    close_plan_world(&world);
    dispose(&drawn);
    rebal_simulation_free(simulation);
  }
}
END_TEST

/* ---- many pods, and pods that wait ------------------------------------------------------------------------------- */

#define CROWD 1100

/* A ReplicaSet deletes 500 pods in one pass, which changes the ranks of the others. */
START_TEST(test_more_than_a_pass) {
  struct drawn_member drawn = {.before = CROWD, .after = 1, .text = REBALI_BUFFER, .objects = REBALI_BUFFER};
  static uint32_t pods[CROWD], states[CROWD];
  static int is_gone[CROWD];
  rebal_member_rows rows = {.struct_size = sizeof rows, .capacity = CROWD, .states = states, .pods = pods};
  struct plan_world world;
  for (int i = 0; i < CROWD; i++) {
    const struct drawn_pod pod = {.number = i, .node = i % 3, .phase = 2, .is_ready = i % 2, .age = i % 6};
    print_pod(&pod, &drawn.text);
  }
  print_workload(CROWD, &drawn.text);
  print_objects(&drawn);
  open_plan_world(&world, rebali_printed(&drawn.objects), rebali_printed(&drawn.text));
  ck_assert_int_eq(rebal_plan_member(world.plan, world.store, world.cluster, world.member, &member_now, NULL, &rows,
                                     NULL),
                   REBAL_OK);
  ck_assert_uint_eq(rows.n, CROWD - 1);
  for (size_t i = 0; i < rows.n; i++) {
    const char *name = rebal_store_identity(world.member, pods[i], REBAL_IDENTITY_NAME, NULL);
    ck_assert_uint_eq(states[i], REBAL_MEMBER_REPLICA_LEAVES);
    ck_assert_int_eq(is_gone[atoi(name + 2)]++, 0);
  }
  close_plan_world(&world);
  dispose(&drawn);
}
END_TEST

UNIT_CASE(plan_member_pods) {
  TCase *tests = tcase_create("plan_member_pods");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_plain_second_way);
  tcase_add_test(tests, test_simulation_does_so);
  tcase_add_test(tests, test_more_than_a_pass);
  return tests;
}
