/* SPDX-License-Identifier: MIT */
/* A recorded call, replayed in a fresh fleet, has the same rows and the same fingerprint. */
#include <rebalance/manifest.h>

#include "../../support/fleet_builder.h"
#include "../unit.h"

#include <stdio.h>

static uint32_t roll(uint32_t *state, uint32_t below) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % below;
}

/* ---- random calls ---- */

static const char *const names[] = {"m1", "m2", "m3", "m4"};

static void add_cluster(struct test_world *world, uint32_t *dice, const char *name) {
  static const char *const taints[] = {NULL, "k=v:NoSchedule", "k:NoExecute"};
  static const char *const zones[] = {NULL, "z1 z2"};
  static const char *const models[] = {NULL, "0:cpu=0,memory=0 1:cpu=1,memory=4Gi"};
  char allocatable[64];
  const uint32_t modelled = roll(dice, 2);
  struct test_cluster cluster = {.name = name,
                                 .allocated = "cpu=500m",
                                 .provider = "p",
                                 .labels = "env=prod tier=",
                                 .models = models[modelled],
                                 .modelings = modelled ? "0=1 1=2" : NULL};
  uint32_t cpu, memory, id;

  cluster.allocatable = roll(dice, 5) > 0 ? allocatable : NULL;
  cluster.region = roll(dice, 2) > 0 ? "west" : NULL;
  cluster.zones = zones[roll(dice, 2)];
  cluster.taints = taints[roll(dice, 3)];
  cluster.deleting = roll(dice, 6) == 0;
  cpu = roll(dice, 9000);
  memory = roll(dice, 9);
  (void)snprintf(allocatable, sizeof allocatable, "cpu=%um memory=%uGi pods=%u", (unsigned)cpu, (unsigned)memory,
                 (unsigned)roll(dice, 30));
  id = test_add_cluster(world, &cluster);
  if (roll(dice, 2) > 0) { /* not part of any record, and read by none of the calls */
    const struct test_node node = {.name = "n", .allocatable = "cpu=4 pods=9", .labels = "disk=ssd", .taints = "k:X"};
    const struct test_quota quota = {.namespace_ = "default", .hard = "pods=3", .used = "pods=1"};
    const uint32_t place = test_set_node(world, id, &node);
    uint32_t pod;

    test_set_quotas(world, id, &quota, 1);
    ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(world->fleet), REBAL_TABLE_POD, id, &pod, 1, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world->fleet), REBAL_POD_NODE, id, pod, place, NULL),
                     REBAL_OK);
  }
}

static uint32_t add_binding(struct test_world *world, uint32_t *dice, rebal_bindings *bindings, const char *key) {
  static const struct test_affinity near = {.name = "near", .expressions = "env:In:prod,test;tier:Exists"};
  static const struct test_affinity terms[] = {{.name = "first", .clusters = "m1 m9"}, {.name = "second"}};
  static const struct test_placement placements[] = {
      {.scheduling = "Duplicated", .tolerations = "k:Equal:v:NoSchedule"},
      {.scheduling = "Divided/Aggregated", .affinity = &near, .spreads = "cluster:1:2 region:1"},
      {.scheduling = "Divided/Weighted/AvailableReplicas", .terms = terms, .n_terms = 2},
      {.scheduling = "Divided/Weighted", .weights = "m1=1 m2+m3=3 *=2"},
  };
  const struct test_placement *placement = &placements[roll(dice, 4)];
  struct test_binding binding = {.key = key,
                                 .uid = "u",
                                 .placement = placement,
                                 .scheduled_at = 80,
                                 .condition_at = 80,
                                 .condition = "True/Success/earlier",
                                 .generation = 3,
                                 .observed_generation = 2,
                                 .friends = "web",
                                 .version = "7"};

  binding.replicas = roll(dice, 12);
  binding.request = roll(dice, 4) > 0 ? "cpu=250m memory=0.5Gi" : NULL;
  binding.targets = roll(dice, 2) > 0 ? "m1=2 m9=3" : NULL;
  binding.evicting = roll(dice, 4) == 0 ? "m2" : NULL;
  binding.components = roll(dice, 4) == 0 ? "driver=1 worker=3" : NULL;
  binding.observed = roll(dice, 2) > 0 ? "second" : NULL;
  binding.applied = roll(dice, 2) > 0 ? placement : NULL;
  binding.triggered_at = roll(dice, 3) == 0 ? 90 : 0;
  binding.unmanaged = roll(dice, 8) == 0;
  binding.suspended = roll(dice, 8) == 0;
  return test_add_binding(world, bindings, &binding);
}

/* What a call takes besides snapshot and bindings. */
struct extras {
  int64_t reject[8];
  int64_t score[8];
  int32_t fits[2][8];
  rebal_estimator estimators[2];
  const rebal_estimator *list[2];
  rebal_time expiry;
  rebal_bindings *known;
  rebal_compat *compat;
  rebal_ledger *ledger;
};

static void charge(struct test_world *world, uint32_t *dice, struct extras *extras) {
  const uint32_t requirements[] = {test_request_handle(world, "cpu=1"), REBAL_NONE};
  const int32_t replicas[] = {(int32_t)roll(dice, 3), 1};

  ck_assert_int_eq(rebal_ledger_new(world->fleet, NULL, &extras->ledger, NULL), REBAL_OK);
  ck_assert_int_eq(test_charge_set(extras->ledger, "default/db", test_cluster_id(world, "m1"), requirements, replicas,
                                   2, &extras->expiry),
                   REBAL_OK);
  ck_assert_int_eq(
      test_charge_set(extras->ledger, "default/ab", test_cluster_id(world, "m2"), requirements, replicas, 1, NULL),
      REBAL_OK);
}

static void fill_extras(struct test_world *world, uint32_t *dice, struct extras *extras) {
  memset(extras, 0, sizeof *extras);
  extras->expiry = (rebal_time){500, 7, 1};
  for (size_t i = 0; i < 8; i++) {
    extras->reject[i] = roll(dice, 8) == 0;
    extras->score[i] = (int64_t)roll(dice, 90) - 40;
    extras->fits[0][i] = (int32_t)roll(dice, 9) - 1;
    extras->fits[1][i] = roll(dice, 9) == 0 ? REBAL_FITS_FAILED : (int32_t)roll(dice, 9);
  }
  for (size_t i = 0; i < 2; i++) {
    extras->estimators[i] = (rebal_estimator){sizeof(rebal_estimator), 0, extras->fits[i], 8, 0};
    extras->list[i] = &extras->estimators[i];
  }
  extras->compat = test_compat(REBAL_OPTION_GATE_WORKLOAD_AFFINITY, roll(dice, 2));
  ck_assert_int_eq(rebal_compat_set(extras->compat, REBAL_OPTION_INT32_WRAP, roll(dice, 2), NULL), REBAL_OK);
  extras->known = test_new_bindings(world);
  (void)add_binding(world, dice, extras->known, "default/friend");
  ck_assert_int_eq(rebal_bindings_freeze(extras->known, NULL), REBAL_OK);
  if (roll(dice, 2) > 0) {
    charge(world, dice, extras);
  }
}

static void drop_extras(struct extras *extras) {
  rebal_bindings_free(extras->known);
  rebal_compat_free(extras->compat);
  rebal_ledger_free(extras->ledger);
}

static rebal_schedule_opts make_opts(uint32_t *dice, const struct extras *extras) {
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_SCHEDULE_FLAG_FINGERPRINT};

  opts.flags |= roll(dice, 4) == 0 ? REBAL_SCHEDULE_FLAG_NO_SUMMARY : 0u;
  opts.flags |= roll(dice, 2) == 0 ? REBAL_SCHEDULE_FLAG_SINGLE_GROUP : 0u;
  opts.compat = extras->compat;
  opts.ledger = extras->ledger;
  opts.ledger_expiry = roll(dice, 2) > 0 ? &extras->expiry : NULL;
  opts.known = roll(dice, 2) > 0 ? extras->known : NULL;
  opts.extra_reject = roll(dice, 2) > 0 ? extras->reject : NULL;
  opts.extra_score = roll(dice, 2) > 0 ? extras->score : NULL;
  opts.extra_clusters = 8;
  opts.extra_reject_reason = "too dear";
  opts.extra_reject_reason_len = 8;
  opts.estimators = extras->list;
  opts.n_estimators = roll(dice, 3);
  opts.explain_rows = roll(dice, 2) * 50;
  return opts;
}

static int32_t make_call(struct test_world *world, uint32_t call, const rebal_time *now,
                         const rebal_schedule_opts *opts) {
  switch (call) {
    case REBAL_CALL_DECIDE:
      return rebal_decide(world->ctx, world->snapshot, world->bindings, opts, world->result, &world->err);
    case REBAL_CALL_FILTER:
      return rebal_filter(world->ctx, world->snapshot, world->bindings, opts, world->result, &world->err);
    case REBAL_CALL_SCHEDULE:
      return rebal_schedule(world->ctx, world->snapshot, world->bindings, opts, world->result, &world->err);
    default:
      return rebal_scheduler_step(world->ctx, world->snapshot, world->bindings, now, opts, world->result, &world->err);
  }
}

/* The line of a random call of the kind. */
static void record(uint32_t seed, uint32_t call, rebal_text *line) {
  const rebal_time now = {100, 0, 1};
  uint32_t dice = seed;
  struct test_world world;
  struct extras extras;
  rebal_schedule_opts opts;
  rebal_ledger *before = NULL;
  rebal_recorded_call made = {.struct_size = sizeof made, .call = call};

  test_world_open(&world, NULL);
  for (size_t i = roll(&dice, 4) + 1; i-- > 0;) {
    add_cluster(&world, &dice, names[i]);
  }
  (void)add_binding(&world, &dice, NULL, roll(&dice, 5) > 0 ? "default/web" : "web");
  fill_extras(&world, &dice, &extras);
  opts = make_opts(&dice, &extras);
  test_freeze(&world);
  if (opts.ledger != NULL) {
    ck_assert_int_eq(rebal_ledger_fork(opts.ledger, &before, NULL), REBAL_OK);
  }
  ck_assert_msg(make_call(&world, call, &now, &opts) == REBAL_OK, "%s", world.err.message);
  opts.ledger = before;
  made.snapshot = world.snapshot;
  made.bindings = world.bindings;
  made.now = &now;
  made.schedule_opts = &opts;
  made.result = world.result;
  ck_assert_msg(rebal_manifest_dump_call(&made, line, &world.err) == REBAL_OK, "%s", world.err.message);
  rebal_ledger_free(before);
  drop_extras(&extras);
  test_world_close(&world);
}

static int32_t replay(const rebal_text *line, rebal_text *differences) {
  rebal_error err = REBAL_ERROR_INIT;
  int32_t same = -1;
  size_t len;
  const char *bytes = rebal_text_bytes(line, &len);

  rebal_text_reset(differences);
  ck_assert_msg(rebal_manifest_replay_call(bytes, len, NULL, &same, NULL, NULL, differences, &err) == REBAL_OK,
                "%s: %s\n%s", err.field, err.message, bytes);
  return same;
}

#define CASES 60

START_TEST(test_random_calls) {
  rebal_text *line = NULL;
  rebal_text *differences = NULL;

  ck_assert_int_eq(rebal_text_new(&line, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_new(&differences, NULL), REBAL_OK);
  for (uint32_t seed = 1; seed <= CASES; seed++) {
    rebal_text_reset(line);
    record(seed, (uint32_t)_i, line);
    ck_assert_msg(replay(line, differences) == 1, "seed %u\n%s%s", (unsigned)seed, rebal_text_bytes(differences, NULL),
                  rebal_text_bytes(line, NULL));
    ck_assert_ptr_nonnull(strstr(rebal_text_bytes(line, NULL), "\"fingerprint\":\""));
  }
  rebal_text_free(line);
  rebal_text_free(differences);
}
END_TEST

START_TEST(test_random_estimates) {
  const int32_t replicas[] = {1, 2};

  for (uint32_t seed = 1; seed <= CASES; seed++) {
    rebal_estimate_opts opts = {.struct_size = sizeof opts, .flags = REBAL_ESTIMATE_FLAG_FINGERPRINT};
    uint32_t dice = seed;
    rebal_recorded_call made = {.struct_size = sizeof made, .replicas = replicas, .id = "e", .id_len = 1};
    uint32_t requirements[2];
    struct test_world world;
    struct extras extras;
    rebal_text *line = NULL;
    rebal_text *differences = NULL;

    test_world_open(&world, NULL);
    add_cluster(&world, &dice, "m2");
    add_cluster(&world, &dice, "m1");
    fill_extras(&world, &dice, &extras);
    requirements[0] = test_request_handle(&world, "cpu=300m memory=1Gi");
    requirements[1] = roll(&dice, 2) > 0 ? requirements[0] : REBAL_NONE;
    test_freeze(&world);
    opts.ledger = extras.ledger;
    opts.compat = extras.compat;
    made.call = _i == 0 ? REBAL_CALL_ESTIMATE : REBAL_CALL_ESTIMATE_SETS;
    made.n_components = _i == 0 ? 1 : 2;
    made.snapshot = world.snapshot;
    made.estimate_opts = &opts;
    made.requirements = _i == 0 ? &requirements[1] : requirements;
    made.result = world.result;
    ck_assert_int_eq(
        _i == 0 ? rebal_estimate(world.ctx, world.snapshot, requirements[1], &opts, world.result, NULL)
                : rebal_estimate_sets(world.ctx, world.snapshot, requirements, replicas, 2, &opts, world.result, NULL),
        REBAL_OK);
    ck_assert_int_eq(rebal_text_new(&line, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_text_new(&differences, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_manifest_dump_call(&made, line, NULL), REBAL_OK);
    ck_assert_int_eq(replay(line, differences), 1);
    rebal_text_free(line);
    rebal_text_free(differences);
    drop_extras(&extras);
    test_world_close(&world);
  }
}
END_TEST

/* ---- lines by hand ---- */

#define CLUSTERS                                                                                                     \
  "\"clusters\":[{\"metadata\":{\"name\":\"m2\"}},{\"metadata\":{\"name\":\"m1\"},\"status\":{\"apiEnablements\":[{" \
  "\"groupVersion\":\"v1\",\"resources\":[{\"name\":\"pods\",\"kind\":\"Pod\"}]}]}}]"
#define BINDING                                                                                          \
  "\"binding\":{\"kind\":\"ResourceBinding\",\"metadata\":{\"name\":\"web\",\"namespace\":\"default\"}," \
  "\"spec\":{\"replicas\":2,\"resource\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\"},\"placement\":{}}}"
#define INPUT "\"input\":{" CLUSTERS "," BINDING ",\"estimators\":[\"general\"]}"
#define GROUPS(more)                                                                      \
  "\"input\":{" CLUSTERS                                                                  \
  ",\"binding\":{\"kind\":\"ResourceBinding\",\"metadata\":{\"name\":\"web\"},\"spec\":{" \
  "\"replicas\":2,\"resource\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\"},\"placement\":{"  \
  "\"clusterAffinities\":[{\"affinityName\":\"a\",\"clusterNames\":[\"m2\"]},"            \
  "{\"affinityName\":\"b\",\"clusterNames\":[\"m1\"]}]}}}" more "}"

static const struct {
  const char *line;
  int32_t code;
  int32_t same;
  const char *text; /* within the differences, or the field of the error */
} lines[] = {
    {"{\"id\":\"schedule-1\"," INPUT ",\"accept\":[{\"clusters\":[{\"name\":\"m1\",\"replicas\":2}]}]}", REBAL_OK, 1,
     ""},
    {"{\"id\":\"schedule-1\"," INPUT
     ",\"accept\":[{\"clusters\":[]},{\"clusters\":[{\"name\":\"m1\",\"replicas\":2}]}]}",
     REBAL_OK, 1, ""},
    {"{\"id\":\"schedule-1\"," INPUT ",\"accept\":[{\"clusters\":[{\"name\":\"m1\",\"replicas\":3}]}]}", REBAL_OK, 0,
     "accept.clusters[0].replicas: recorded 3, now 2\n"},
    /* a vector is of one group; a call walks the groups unless singleGroup is set */
    {"{\"id\":\"schedule-1\"," GROUPS("") ",\"accept\":[]}", REBAL_OK, 0, "error: recorded nothing, now {"},
    {"{\"call\":\"rebal_schedule\"," GROUPS("") ",\"accept\":[{\"clusters\":[{\"name\":\"m1\",\"replicas\":2}]}]}",
     REBAL_OK, 1, ""},
    {"{\"call\":\"rebal_schedule\"," GROUPS(",\"singleGroup\":true") ",\"accept\":[]}", REBAL_OK, 0,
     "error: recorded nothing, now {"},
    {"{\"call\":\"rebal_schedule\"," GROUPS(",\"singleGroup\":2") "}", REBAL_EPARSE, 0, "input.singleGroup"},
    {"{\"id\":\"schedule-1\"," INPUT ",\"error\":{\"kind\":\"FitError\"}}", REBAL_OK, 0, "error: recorded {\"kind\""},
    {"{\"call\":\"rebal_decide\"," INPUT ",\"result\":{\"DECISION\":[{\"OUTCOME\":1,\"REASON\":2}]}}", REBAL_OK, 1, ""},
    {"{\"call\":\"rebal_decide\"," INPUT ",\"result\":{\"DECISION\":[{\"OUTCOME\":2,\"REASON\":2}]}}", REBAL_OK, 0,
     "result.DECISION[0].OUTCOME: recorded 2, now 1\n"},
    {"{\"call\":\"rebal_decide\"," INPUT ",\"result\":{},\"fingerprint\":\"00\"}", REBAL_OK, 0,
     "fingerprint: recorded \"00\", now \""},
    {"{\"call\":\"rebal_decide\"," INPUT "}", REBAL_OK, 0, "result: recorded nothing, now {"},
    {"{\"call\":\"rebal_decide\"," INPUT ",\"accept\":[]}", REBAL_OK, 0, "result: recorded nothing, now {"},
    {"{\"id\":\"schedule-1\"," INPUT "}", REBAL_OK, 0, "accept: recorded nothing, now {"},
    {"{\"id\":\"schedule-1\"," INPUT ",\"accept\":[5]}", REBAL_OK, 0, "accept: recorded 5, now {"},
    {"{\"id\":\"schedule-1\"," INPUT ",\"accept\":[{\"clusters\":5}]}", REBAL_OK, 0,
     "accept.clusters: recorded 5, now ["},
    {"{\"call\":\"rebal_match\"," INPUT "}", REBAL_EUNSUPPORTED, 0, "call"},
    {"{\"id\":\"dispense-1\"," INPUT "}", REBAL_EUNSUPPORTED, 0, "call"},
    {"{\"call\":\"rebal_decide\"}", REBAL_EPARSE, 0, "input"},
    {"{\"call\":\"rebal_decide\",\"input\":{}}", REBAL_EPARSE, 0, "input.binding"},
    {"{\"call\":\"rebal_decide\",\"input\":{\"clusters\":[{\"metadata\":{}}]}}", REBAL_EPARSE, 0,
     "input.clusters[0].metadata.name"},
    {"{\"call\":\"rebal_decide\",\"input\":{\"clusters\":[{\"metadata\":{\"name\":\"\"}}]}}", REBAL_EINVAL, 0,
     "input.clusters[0].metadata.name"},
    {"{\"call\":\"rebal_decide\",\"input\":{" BINDING ",\"now\":\"soon\"}}", REBAL_EPARSE, 0, "input.now"},
    {"{\"call\":\"rebal_decide\",\"input\":{" BINDING ",\"explainRows\":-1}}", REBAL_ERANGE, 0, "input.explainRows"},
    {"{\"call\":\"rebal_decide\",\"input\":{" CLUSTERS "," BINDING ",\"answers\":[{\"m1\":2147483648}]}}", REBAL_ERANGE,
     0, "input.answers[0].m1"},
    {"{\"call\":\"rebal_decide\",\"input\":{" CLUSTERS "," BINDING ",\"extraScore\":{\"m1\":\"x\"}}}", REBAL_EPARSE, 0,
     "input.extraScore.m1"},
    {"{\"call\":\"rebal_decide\",\"input\":{" BINDING ",\"options\":{\"INT32_WRAP\":2}}}", REBAL_EPARSE, 0,
     "input.options.INT32_WRAP"},
    {"{\"call\":\"rebal_decide\",\"input\":{" BINDING ",\"assumed\":{\"m1\":[{\"components\":[{\"replicas\":-1}]}]}}}",
     REBAL_ERANGE, 0, "input.assumed.m1[0].components[0].replicas"},
    {"[]", REBAL_EPARSE, 0, ""},
    {"{} {}", REBAL_EPARSE, 0, ""},
    {"", REBAL_EPARSE, 0, ""},
    {"{", REBAL_EPARSE, 0, ""},
};

START_TEST(test_lines) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_text *differences = NULL;
  int32_t same = 0;
  int32_t code;

  ck_assert_int_eq(rebal_text_new(&differences, NULL), REBAL_OK);
  code = rebal_manifest_replay_call(lines[_i].line, strlen(lines[_i].line), NULL, &same, NULL, NULL, differences, &err);
  ck_assert_msg(code == lines[_i].code, "%d: %s: %s", (int)code, err.field, err.message);
  if (code == REBAL_OK) {
    ck_assert_msg(same == lines[_i].same, "%s", rebal_text_bytes(differences, NULL));
    ck_assert_msg(strstr(rebal_text_bytes(differences, NULL), lines[_i].text) != NULL, "%s",
                  rebal_text_bytes(differences, NULL));
  } else {
    ck_assert_str_eq(err.field, lines[_i].text);
    ck_assert_int_eq(err.column > 0, lines[_i].line[0] != '\0'); /* the error has a place */
  }
  rebal_text_free(differences);
}
END_TEST

START_TEST(test_both_outcomes) {
  const char *line = lines[2].line;
  rebal_text *recorded = NULL;
  rebal_text *replayed = NULL;
  int32_t same = 1;

  ck_assert_int_eq(rebal_text_new(&recorded, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_new(&replayed, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_replay_call(line, strlen(line), NULL, &same, recorded, replayed, NULL, NULL),
                   REBAL_OK);
  ck_assert_int_eq(same, 0);
  ck_assert_str_eq(rebal_text_bytes(recorded, NULL), "{\"accept\":{\"clusters\":[{\"name\":\"m1\",\"replicas\":3}]}}");
  ck_assert_str_eq(rebal_text_bytes(replayed, NULL), "{\"accept\":{\"clusters\":[{\"name\":\"m1\",\"replicas\":2}]}}");
  ck_assert_int_eq(rebal_manifest_replay_call(NULL, 1, NULL, &same, NULL, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_replay_call(line, strlen(line), NULL, NULL, NULL, NULL, NULL, NULL), REBAL_EINVAL);
  rebal_text_free(recorded);
  rebal_text_free(replayed);
}
END_TEST

UNIT_CASE(replay) {
  TCase *cases = tcase_create("replay");
  tcase_add_loop_test(cases, test_random_calls, REBAL_CALL_DECIDE, REBAL_CALL_SCHEDULER_STEP + 1);
  tcase_add_loop_test(cases, test_random_estimates, 0, 2);
  tcase_add_loop_test(cases, test_lines, 0, sizeof lines / sizeof lines[0]);
  tcase_add_test(cases, test_both_outcomes);
  return cases;
}
