/* SPDX-License-Identifier: MIT */
#include "suiting.h"

/* Nodes: n1 zone=a disk=ssd, n2 zone=b, n3 zone=a with the taint t; n4 does not exist. */
static const struct {
  struct subset subsets[3];
  struct test_pod pods[3];
  uint64_t unchanged; /* bits of the subsets, for all pods */
  const char *after;
  int64_t score; /* of the first one */
} rows[] = {
    {{{"a", .required = "zone=a"}, {"b", .required = "zone=b"}},
     {{"p1", .node = "n1"}, {"p2", .node = "n2"}, {"p3", .node = "n4"}},
     0,
     "p1@=a s, p2@=b s, p3@=- ",
     1},
    {{{"a"}}, {{"p1"}, {"p2", .spread = "other", .subset = "a", .node = "n1"}}, 0, "p2@=a s, p1@=- ", 1},
    /* The first of equal ones. */
    {{{"a", .required = "zone=a"}, {"b"}, {"c"}}, {{"p1", .node = "n2"}}, 0, "p1@=b s", 1},
    /* An empty term matches no node; it is ignored if the pod has terms of its own. */
    {{{"a", .required = ""}, {"b"}}, {{"p1", .node = "n1"}}, 0, "p1@=b s", 1},
    {{{"a", .required = ""}, {"b"}}, {{"p1", .node = "n1", .needs = "?zone:In:a"}}, 0, "p1@=a s", 1},
    {{{"a", .required = ""}, {"b"}}, {{"p1", .node = "n1", .needs = "?"}}, 0, "p1@=b s", 1},
    {{{"a", .required = "zone=a"}, {"b"}}, {{"p1", .node = "n1", .needs = "?"}}, 0, "p1@=a s", 1},
    /* The pod's own terms count where the subset has one. */
    {{{"a", .required = "zone=a"}, {"b"}}, {{"p1", .node = "n1", .needs = "?zone:In:b"}}, 0, "p1@=b s", 1},
    {{{"a", .required = "zone=a"}, {"b"}}, {{"p1", .node = "n1", .needs = "?zone:In:b ?disk:Exists"}}, 0, "p1@=a s", 1},
    {{{"a", .required = "zone=a"}}, {{"p1", .node = "n1", .needs = "@zone=b"}}, 0, "p1@=a s", 1},
    /* Every taint counts; the subset may tolerate it, or the pod. */
    {{{"a"}}, {{"p1", .node = "n3"}}, 0, "p1@=- ", REBAL_ABSENT},
    {{{"a"}, {"b", .tolerates = "t"}}, {{"p1", .node = "n3"}}, 0, "p1@=b s", 1},
    {{{"a"}}, {{"p1", .node = "n3", .needs = "~t:Exists"}}, 0, "p1@=a s", 1},
    /* 100 for each weight, 10 for a patch that changes nothing, 1 for capacity. */
    {{{"a"}, {"b", .preferred = "zone=a", .weight = 3}}, {{"p1", .node = "n1"}}, 0, "p1@=b s", 301},
    {{{"a"}, {"b", .preferred = "zone=b", .weight = 3}}, {{"p1", .node = "n1"}}, 0, "p1@=a s", 1},
    {{{"a"}, {"b", .preferred = "", .weight = 3}}, {{"p1", .node = "n1"}}, 0, "p1@=a s", 1},
    {{{"a"}, {"b", .patch = "{}"}}, {{"p1", .node = "n1"}}, 2, "p1@=b s", 11},
    {{{"a"}, {"b", .patch = "{}"}}, {{"p1", .node = "n1"}}, 1, "p1@=a s", 1},
    {{{"a", "0"}, {"b"}}, {{"p1", .node = "n1"}}, 0, "p1@=b s", 1},
    {{{"a", "0"}}, {{"p1", .node = "n1"}}, 0, "p1@=a s", 0},
    {{{"a", "x"}, {"b"}}, {{"p1", .node = "n1"}}, 0, "p1@=b s", 1},
    /* A preference that is malformed is worth nothing. */
    {{{"a"}, {"b", .preferred = "zone=a disk=!", .weight = 3}}, {{"p1", .node = "n1"}}, 0, "p1@=a s", 1},
    {{{"b", .preferred = "zone=a disk=!", .weight = 3}}, {{"p1", .node = "n1"}}, 0, "p1@=b s", 1},
    {{{"a", .preferred = "zone=a", .weight = -1}}, {{"p1", .node = "n1"}}, 0, "p1@=- ", REBAL_ABSENT},
    /* An adopted pod takes capacity from those after it, as does a pod that has a subset, whatever its state. */
    {{{"a", "1"}, {"b"}}, {{"p1", .node = "n1"}, {"p2", .node = "n1"}}, 0, "p1@=a s, p2@=b s", 1},
    {{{"a", "1"}, {"b"}},
     {{"p1", "a", .phase = REBAL_POD_PHASE_FAILED}, {"p2", .node = "n1"}},
     0,
     "p1@=a , p2@=b s",
     REBAL_ABSENT},
    /* A pod that has a subset stays there, on any node and beyond any limit. */
    {{{"a", "0", .required = "zone=a"}, {"b", .required = "zone=b"}},
     {{"p1", "a", .node = "n2"}, {"p2", .node = "n2"}},
     0,
     "p1@=a , p2@=b s",
     REBAL_ABSENT},
};

static void add_nodes(struct pass_fixture *fixture) {
  pass_add_node(fixture, "n1", "zone=a disk=ssd", NULL);
  pass_add_node(fixture, "n2", "zone=b", NULL);
  pass_add_node(fixture, "n3", "zone=a", "t=1:PreferNoSchedule");
}

START_TEST(test_row) {
  uint64_t unchanged[8];
  struct pass_fixture fixture;

  pass_open(&fixture, spread_with(rows[_i].subsets, 3), 10);
  add_nodes(&fixture);
  for (size_t i = 0; i < 3 && rows[_i].pods[i].name != NULL; i++) {
    pass_add(&fixture, &rows[_i].pods[i]);
  }
  for (size_t i = 0; i < REBALI_COUNT(unchanged); i++) {
    unchanged[i] = rows[_i].unchanged;
  }
  fixture.opts.unchanged = unchanged;
  fixture.opts.unchanged_stride = 1;
  pass_step(&fixture);
  ck_assert_str_eq(pass_pods(&fixture), rows[_i].after);
  ck_assert_int_eq(pass_cell(&fixture, REBAL_GROUPED_SCORE, 0), rows[_i].score);
  pass_close(&fixture);
}
END_TEST

/* Versions have capacity of their own, unless an option shares it: then the older one takes first. */
START_TEST(test_versions) {
  static const struct subset subsets[] = {{"a", "1"}, {"b"}};
  static const struct test_pod pods[] = {{"p1", .version = "v2", .node = "n1"}, {"p2", .version = "v1", .node = "n1"}};
  static const struct {
    uint32_t option;
    const char *pods;
  } options[] = {{0, "p2@v1=a s, p1@v2=a s"}, {REBAL_OPTION_SPREAD_ALL_VERSIONS, "p2@v1=a s, p1@v2=b s"}};

  for (size_t i = 0; i < REBALI_COUNT(options); i++) {
    rebal_compat *compat = test_compat(options[i].option, 1);
    struct pass_fixture fixture;

    pass_open(&fixture, spread_with(subsets, 2), 10);
    fixture.opts.compat = compat;
    add_nodes(&fixture);
    pass_add(&fixture, &pods[0]);
    pass_add(&fixture, &pods[1]);
    pass_step(&fixture);
    ck_assert_str_eq(pass_pods(&fixture), options[i].pods);
    pass_close(&fixture);
    rebal_compat_free(compat);
  }
}
END_TEST

/* Bits of subsets beyond the stride are not set. */
START_TEST(test_few_bits) {
  static const struct subset subsets[] = {{"a"}, {"b", .patch = "{}"}};
  static const struct test_pod pod = {"p1", .node = "n1"};
  const uint64_t unchanged[] = {2};

  for (uint32_t stride = 0; stride < 2; stride++) {
    struct pass_fixture fixture;

    pass_open(&fixture, spread_with(subsets, 2), 10);
    add_nodes(&fixture);
    pass_add(&fixture, &pod);
    ck_assert_uint_eq(fixture.rows[0], 0);
    fixture.opts.unchanged = unchanged;
    fixture.opts.unchanged_stride = stride;
    pass_step(&fixture);
    ck_assert_str_eq(pass_pods(&fixture), stride == 0 ? "p1@=a s" : "p1@=b s");
    pass_close(&fixture);
  }
}
END_TEST

/* A number that is not the id of a node names no node, whatever its low bits are. */
START_TEST(test_node_of_many_bits) {
  static const struct subset subsets[] = {{"a"}};
  static const struct test_pod pod = {"p1", .node = "n1"};
  static const int64_t beside[] = {INT64_C(1) << 32, INT64_MAX - UINT32_MAX, -1, INT64_MIN + 1};

  for (size_t i = 0; i <= REBALI_COUNT(beside); i++) {
    struct pass_fixture fixture;

    pass_open(&fixture, spread_with(subsets, 1), 10);
    add_nodes(&fixture);
    pass_add(&fixture, &pod);
    if (i < REBALI_COUNT(beside)) {
      pass_set(&fixture, REBAL_SPREAD_POD_NODE, fixture.rows[0],
               beside[i] < 0 ? beside[i] : beside[i] + pass_node(&fixture, "n1"));
    }
    pass_step(&fixture);
    ck_assert_str_eq(pass_pods(&fixture), i < REBALI_COUNT(beside) ? "p1@=- " : "p1@=a s");
    pass_close(&fixture);
  }
}
END_TEST

/* The patch of an adopted pod: its subset, and the subset's patch unless the spread keeps metadata. */
START_TEST(test_patch) {
  static const struct subset subsets[] = {{"a", .patch = "{\"metadata\":{}}"}};
  static const struct test_pod pods[] = {{"p1", .node = "n1"}, {"p2", .node = "n1"}};
  struct pass_fixture fixture;
  const rebal_record *payload;
  uint32_t patch;

  pass_open(&fixture, spread_with(subsets, 1), 10);
  add_nodes(&fixture);
  pass_add(&fixture, &pods[0]);
  pass_add(&fixture, &pods[1]);
  pass_step(&fixture);
  ck_assert_str_eq(pass_actions(&fixture), "patch p1, patch p2, status, done");
  payload = rebal_result_record(fixture.world.result, 0);
  ck_assert_ptr_eq(rebal_result_record(fixture.world.result, 1), payload);
  ck_assert_str_eq(rebal_record_text(payload, rebal_record_next(payload, 0, REBAL_POD_PATCH_SPREAD, REBAL_NONE), NULL),
                   "ws");
  ck_assert_str_eq(rebal_record_text(payload, rebal_record_next(payload, 0, REBAL_POD_PATCH_SUBSET, REBAL_NONE), NULL),
                   "a");
  ck_assert_uint_eq(rebal_record_next(payload, 0, REBAL_POD_PATCH_DELETION_COST, REBAL_NONE), REBAL_NONE);
  patch = rebal_record_next(payload, 0, REBAL_POD_PATCH_SUBSET_PATCH, REBAL_NONE);
  ck_assert_str_eq(rebal_record_text(payload, rebal_record_next(payload, patch, REBAL_RAW_JSON, REBAL_NONE), NULL),
                   "{\"metadata\":{}}");
  fixture.spread->spec.keeps_metadata = 1;
  pass_step(&fixture);
  payload = rebal_result_record(fixture.world.result, 0);
  ck_assert_uint_eq(rebal_record_next(payload, 0, REBAL_POD_PATCH_SUBSET_PATCH, REBAL_NONE), REBAL_NONE);
  pass_close(&fixture);
}
END_TEST

UNIT_CASE(adopt) {
  TCase *cases = tcase_create("adopt");

  tcase_add_loop_test(cases, test_row, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_versions);
  tcase_add_test(cases, test_few_bits);
  tcase_add_test(cases, test_node_of_many_bits);
  tcase_add_test(cases, test_patch);
  return cases;
}
