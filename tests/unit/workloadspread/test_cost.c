/* SPDX-License-Identifier: MIT */
#include "pass_fixture.h"

/* Two pods in each of three subsets and one in none, each younger than those before it. */
static const struct test_pod six[] = {
    {"a1", "a", .version = "v1", .created = 1},
    {"a2", "a", .version = "v1", .created = 2},
    {"b1", "b", .version = "v1", .created = 3},
    {"b2", "b", .version = "v1", .created = 4},
    {"c1", "c", .version = "v1", .created = 5},
    {"c2", "c", .version = "v1", .created = 6},
    {"n1", .version = "v1"},
};

static void add_all(struct pass_fixture *fixture, const char *version) {
  for (size_t i = 0; i < REBALI_COUNT(six); i++) {
    struct test_pod pod = six[i];

    pod.version = version;
    pass_add(fixture, &pod);
  }
}

static const struct {
  const char *kind;
  const char *subsets;
  const char *version; /* v1 is the latest one */
  const char *pods;
} tables[] = {
    {"Deployment", "a=1,b=1,c", "v1",
     "a1@v1=a 300c, a2@v1=a -100c, b1@v1=b 200c, b2@v1=b -200c, c1@v1=c 100c, c2@v1=c 100c, n1@v1=- -400c"},
    {"Deployment", "a=1,b=1,c", "v0",
     "a1@v0=a 100c, a2@v0=a -300c, b1@v0=b 200c, b2@v0=b -200c, c1@v0=c 300c, c2@v0=c 300c, n1@v0=- -400c"},
    {"CloneSet", "a=2,b=0,c=50%", NULL,
     "a1@=a 300c, a2@=a 300c, b1@=b -200c, b2@=b -200c, c1@=c 100c, c2@=c 100c, n1@=- -400c"},
    /* Without "%" it counts here; a limit that is not a number, or is below 0, gives no costs. */
    {"ReplicaSet", "a=10,b=x,c=-1", "v1",
     "a1@v1=a 300c, a2@v1=a 300c, b1@v1=b , b2@v1=b , c1@v1=c , c2@v1=c , n1@v1=- -400c"},
    {"StatefulSet", "a=1,b=1,c", "v1", "a1@v1=a , a2@v1=a , b1@v1=b , b2@v1=b , c1@v1=c , c2@v1=c , n1@v1=- "},
};

START_TEST(test_table) {
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of(tables[_i].kind, tables[_i].subsets, NULL), 6);
  add_all(&fixture, tables[_i].version);
  pass_step(&fixture);
  ck_assert_str_eq(pass_pods(&fixture), tables[_i].pods);
  pass_close(&fixture);
}
END_TEST

/* A cost is written only if its text differs; inactive pods get none. */
START_TEST(test_what_is_written) {
  static const struct test_pod pods[] = {{"p1", "a", .cost = "100"},
                                         {"p2", "a", .cost = "+100"},
                                         {"p3", "a", .cost = "-100"},
                                         {"p4", "a", .deleting = 1},
                                         {"p5", "a", .phase = REBAL_POD_PHASE_FAILED},
                                         {"p6", "a", .cost = "0100"},
                                         {"p7", "a", .cost = "100 "},
                                         {"p8", "a", .cost = "-"},
                                         {"p9", "a", .cost = "1e2"}};
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Deployment", "a", NULL), 9);
  for (size_t i = 0; i < REBALI_COUNT(pods); i++) {
    pass_add(&fixture, &pods[i]);
  }
  pass_step(&fixture);
  ck_assert_str_eq(pass_pods(&fixture),
                   "p1@=a 100, p2@=a 100c, p3@=a 100c, p4@=a , p5@=a , p6@=a 100c, "
                   "p7@=a 100c, p8@=a 100c, p9@=a 100c");
  ck_assert_str_eq(pass_actions(&fixture), "patch p2, patch p3, patch p6, patch p7, patch p8, patch p9, status, done");
  ck_assert_ptr_eq(rebal_result_record(fixture.world.result, 0), rebal_result_record(fixture.world.result, 1));
  pass_close(&fixture);
}
END_TEST

/* Versions in turn, the latest one by its text; a workload that is gone has no pods at all. */
START_TEST(test_latest) {
  static const struct test_pod pods[] = {{"p1", "a", .version = "v2"}, {"p2", "a", .version = ""}, {"p3", "a"}};
  static const struct {
    int64_t state;
    const char *latest;
    uint32_t option;
    const char *pods;
  } latest[] = {
      {REBAL_LATEST_STATE_KNOWN, "v2", 0, "p2@=a 100c, p1@v2=a 200c, p3@=a 100c"},
      {REBAL_LATEST_STATE_KNOWN, "", 0, "p2@=a 200c, p1@v2=a 100c, p3@=a 100c"},
      {REBAL_LATEST_STATE_NOT_TRACKED, "", 0, "p2@=a 100c, p1@v2=a 100c, p3@=a 200c"},
      {REBAL_LATEST_STATE_KNOWN, "", REBAL_OPTION_SPREAD_REPLICA_SET_ORDER, "p2@=a 200c, p1@v2=a 100c, p3@=a 200c"},
  };

  for (size_t i = 0; i < REBALI_COUNT(latest); i++) {
    rebal_compat *compat = test_compat(latest[i].option, 1);
    struct pass_fixture fixture;

    pass_open(&fixture, spread_of("Deployment", "a,b", NULL), 5);
    fixture.opts.compat = compat;
    for (size_t j = 0; j < REBALI_COUNT(pods); j++) {
      pass_add(&fixture, &pods[j]);
    }
    pass_fact(&fixture, REBAL_SPREAD_WORKLOAD_LATEST_STATE, latest[i].state);
    rebal_cells_set_text(rebal_spread_cells(fixture.spread), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0,
                         latest[i].latest, strlen(latest[i].latest), NULL);
    pass_step(&fixture);
    ck_assert_str_eq(pass_pods(&fixture), latest[i].pods);
    pass_close(&fixture);
    rebal_compat_free(compat);
  }
}
END_TEST

/* Costs with each option. */
START_TEST(test_options) {
  static const struct test_pod pods[] = {
      {"a1", "a", .version = "v1", .created = 1}, {"a2", "a", .version = "v1", .created = 2},
      {"a3", "a", .version = "v1", .created = 3}, {"b1", "b", .version = "v1", .created = 4},
      {"b2", "b", .version = "v0", .created = 5}, {"b3", "b", .version = "v0", .created = 6}};
  static const struct {
    uint32_t option;
    const char *kind;
    const char *pods;
  } options[] = {
      {0, "Deployment", "b2@v0=b 200c, b3@v0=b 200c, a1@v1=a 200c, a2@v1=a 200c, a3@v1=a -100c, b1@v1=b 100c"},
      {0, "Job", "b2@v0=b , b3@v0=b , a1@v1=a , a2@v1=a , a3@v1=a , b1@v1=b "},
      {REBAL_OPTION_SPREAD_COST_ANY_KIND, "Job",
       "b2@v0=b 200c, b3@v0=b 200c, a1@v1=a 200c, a2@v1=a 200c, a3@v1=a -100c, b1@v1=b 100c"},
      /* n (L - places from the end) + n - i. */
      {REBAL_OPTION_SPREAD_EVEN_SCALE_IN, "Deployment",
       "b2@v0=b 6c, b3@v0=b 4c, a1@v1=a 6c, a2@v1=a 4c, a3@v1=a -100c, b1@v1=b 5c"},
      /* One is too many of three: an older one. */
      {REBAL_OPTION_SPREAD_ALL_VERSIONS, "Deployment",
       "b2@v0=b 200c, b3@v0=b -100c, a1@v1=a 200c, a2@v1=a 200c, a3@v1=a -100c, b1@v1=b 100c"},
  };

  for (size_t i = 0; i < REBALI_COUNT(options); i++) {
    rebal_compat *compat = test_compat(options[i].option, 1);
    struct pass_fixture fixture;

    pass_open(&fixture, spread_of(options[i].kind, "a=2,b=2", NULL), 5);
    fixture.opts.compat = compat;
    for (size_t j = 0; j < REBALI_COUNT(pods); j++) {
      pass_add(&fixture, &pods[j]);
    }
    pass_step(&fixture);
    ck_assert_str_eq(pass_pods(&fixture), options[i].pods);
    pass_close(&fixture);
    rebal_compat_free(compat);
  }
}
END_TEST

/* The oldest pod of b, and all that are left of a, are its minimum. */
START_TEST(test_minimum) {
  static const struct {
    uint32_t option;
    const char *pods;
  } options[] = {
      {0, "a1@v1=a 200c, a2@v1=a -100c, b1@v1=b 100c, b2@v1=b 100c"},
      {REBAL_OPTION_SPREAD_MIN_REPLICAS, "a1@v1=a 402?c, a2@v1=a -100c, b1@v1=b 401?c, b2@v1=b 100c"},
      {REBAL_OPTION_SPREAD_EVEN_SCALE_IN, "a1@v1=a 6c, a2@v1=a -100c, b1@v1=b 5c, b2@v1=b 3c"},
  };

  for (size_t i = 0; i < REBALI_COUNT(options); i++) {
    rebal_compat *compat = test_compat(options[i].option, 1);
    rebal_builder *builder = new_builder();
    rebal_spread *spread = NULL;
    struct pass_fixture fixture;

    start_spread(builder, "Deployment", NULL);
    for (int subset = 0; subset < 2; subset++) {
      rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SUBSETS, NULL);
      put_text(builder, REBAL_SUBSET_NAME, subset == 0 ? "a" : "b");
      if (subset == 0) {
        put_limit(builder, REBAL_SUBSET_MAX_REPLICAS, "1");
      }
      put_limit(builder, REBAL_SUBSET_MIN_REPLICAS, subset == 0 ? "5" : "25%");
      rebal_builder_end(builder, NULL);
    }
    rebal_builder_end(builder, NULL);
    ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
    pass_open(&fixture, spread, 4);
    fixture.opts.compat = compat;
    for (size_t j = 0; j < 4; j++) {
      pass_add(&fixture, &six[j]);
    }
    pass_step(&fixture);
    ck_assert_str_eq(pass_pods(&fixture), options[i].pods);
    pass_close(&fixture);
    rebal_builder_free(builder);
    rebal_compat_free(compat);
  }
}
END_TEST

/* Beside a subset with a minimum another one has none, or none that can be read. */
START_TEST(test_minimum_of_one) {
  static const char *const subsets[] = {"a=1,b>1", "a=1>x,b>1", "a=1>-1,b>1"};
  rebal_compat *compat = test_compat(REBAL_OPTION_SPREAD_MIN_REPLICAS, 1);
  struct pass_fixture fixture;

  pass_open(&fixture, spread_of("Deployment", subsets[_i], NULL), 4);
  fixture.opts.compat = compat;
  for (size_t i = 0; i < 4; i++) {
    pass_add(&fixture, &six[i]);
  }
  pass_step(&fixture);
  ck_assert_str_eq(pass_pods(&fixture), "a1@v1=a 200c, a2@v1=a -100c, b1@v1=b 401?c, b2@v1=b 100c");
  pass_close(&fixture);
  rebal_compat_free(compat);
}
END_TEST

/* Pods of a CloneSet are of one version, whatever its revisions; with the option the new one shrinks last. */
START_TEST(test_clone_sets) {
  static const struct test_pod pods[] = {
      {"p1", "a", .version = "web-v0"}, {"p2", "b", .version = "web-v0"}, {"p3", "b", .version = "web-v1"}};
  static const struct {
    uint32_t option;
    int64_t latest;
    const char *pods;
    const char *actions;
    const char *message;
  } sets[] = {
      {0, REBAL_LATEST_STATE_KNOWN, "p1@=a 200c, p2@=b 100c, p3@=b 100c", "patch p1, patch p2, patch p3, status, done",
       ""},
      {0, REBAL_LATEST_STATE_MISSING, "p1@=a 200c, p2@=b 100c, p3@=b 100c",
       "patch p1, patch p2, patch p3, status, done", ""},
      {REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS, REBAL_LATEST_STATE_KNOWN, "p1@v0=a 100c, p2@v0=b 200c, p3@v1=b 100c",
       "patch p1, patch p2, patch p3, status, done", ""},
      {REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS, REBAL_LATEST_STATE_MISSING, "p1@=a , p2@=b , p3@=b ", "retry",
       "CloneSet.apps \"ns/web latest version\" not found"},
  };

  for (size_t i = 0; i < REBALI_COUNT(sets); i++) {
    rebal_compat *compat = test_compat(sets[i].option, 1);
    struct pass_fixture fixture;

    pass_open(&fixture, spread_of("CloneSet", "a,b", NULL), 3);
    fixture.opts.compat = compat;
    pass_text(&fixture, REBAL_OWNER_KIND, fixture.owner, "CloneSet");
    pass_fact(&fixture, REBAL_SPREAD_WORKLOAD_LATEST_STATE, sets[i].latest);
    for (size_t j = 0; j < REBALI_COUNT(pods); j++) {
      pass_add(&fixture, &pods[j]);
      pass_set(&fixture, REBAL_SPREAD_POD_VERSION_LABEL, fixture.rows[j], REBAL_VERSION_LABEL_REVISION_HASH);
    }
    pass_step(&fixture);
    ck_assert_str_eq(pass_pods(&fixture), sets[i].pods);
    ck_assert_str_eq(pass_actions(&fixture), sets[i].actions);
    ck_assert_str_eq(rebal_result_text(fixture.world.result, REBAL_STEP_MESSAGE, 0, NULL), sets[i].message);
    pass_close(&fixture);
    rebal_compat_free(compat);
  }
}
END_TEST

START_TEST(test_cost_text) {
  static const struct {
    int64_t cost;
    const char *text;
  } texts[] = {{0, "0"}, {100, "100"}, {-300, "-300"}, {INT64_MAX, "9223372036854775807"}};
  char digits[24];

  for (size_t i = 0; i < REBALI_COUNT(texts); i++) {
    ck_assert(
        rebali_text_equal(rebali_cost_text(texts[i].cost, digits), rebali_text(texts[i].text, strlen(texts[i].text))));
  }
}
END_TEST

UNIT_CASE(cost) {
  TCase *cases = tcase_create("cost");

  tcase_add_loop_test(cases, test_table, 0, (int)REBALI_COUNT(tables));
  tcase_add_test(cases, test_what_is_written);
  tcase_add_test(cases, test_latest);
  tcase_add_test(cases, test_options);
  tcase_add_test(cases, test_minimum);
  tcase_add_loop_test(cases, test_minimum_of_one, 0, 3);
  tcase_add_test(cases, test_clone_sets);
  tcase_add_test(cases, test_cost_text);
  return cases;
}
