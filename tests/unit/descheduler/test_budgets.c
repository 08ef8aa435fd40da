/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define MOST 3

/* A budget of a table. */
struct budget {
  const char *namespace_;
  const char *selects; /* "app web": what the label app must be; "": every workload; NULL: none */
  int64_t allowed;     /* REBAL_ABSENT: not set */
  const char *cluster;
};

struct budgets {
  struct fixture fixture;
  rebal_builder *builders[MOST];
  const rebal_record *records[MOST];
};

static void put_selector(rebal_builder *builder, const char *selects) {
  const size_t key = strcspn(selects, " ");

  ck_assert_int_eq(rebal_builder_begin(builder, REBAL_BUDGET_SELECTOR, NULL), REBAL_OK);
  if (selects[0] != '\0') {
    ck_assert_int_eq(rebal_builder_begin(builder, REBAL_LABEL_SELECTOR_MATCH_LABELS, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_KEY, selects, key, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_VALUE, selects + key + 1, strlen(selects + key + 1), NULL),
                     REBAL_OK);
    ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
}

static void add(struct budgets *budgets, const struct budget *budget) {
  const size_t n = (size_t)budgets->fixture.opts.n_budgets++;
  rebal_builder *builder;

  ck_assert_uint_lt(n, MOST);
  ck_assert_int_eq(rebal_builder_new(NULL, &budgets->builders[n], NULL), REBAL_OK);
  builder = budgets->builders[n];
  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_BUDGET, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_builder_text(builder, REBAL_BUDGET_NAMESPACE, budget->namespace_, strlen(budget->namespace_), NULL),
      REBAL_OK);
  if (budget->selects != NULL) {
    put_selector(builder, budget->selects);
  }
  if (budget->allowed != REBAL_ABSENT) {
    ck_assert_int_eq(rebal_builder_i64(builder, REBAL_BUDGET_DISRUPTIONS_ALLOWED, budget->allowed, NULL), REBAL_OK);
  }
  if (budget->cluster != NULL) {
    ck_assert_int_eq(rebal_builder_text(builder, REBAL_BUDGET_CLUSTER, budget->cluster, strlen(budget->cluster), NULL),
                     REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &budgets->records[n], NULL), REBAL_OK);
  budgets->fixture.opts.budgets = budgets->records;
}

/* labels NULL: they are not known. */
static uint32_t add_binding(struct budgets *budgets, const char *key, const char *ready, const char *labels) {
  const struct test_binding binding = {.key = key, .targets = "m1=4 m2=4", .scheduled_at = NOW - 1000};
  struct fixture *fixture = &budgets->fixture;
  const uint32_t row = fixture_add(fixture, &binding, ready);

  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(fixture->world.bindings), REBAL_BINDING_POD_LABELS,
                                       REBAL_NONE, row, test_labels_handle(&fixture->world, labels), NULL),
                   REBAL_OK);
  return row;
}

static void open_budgets(struct budgets *budgets, const rebal_allocator *allocator) {
  memset(budgets, 0, sizeof *budgets);
  fixture_open(&budgets->fixture, allocator);
  budgets->fixture.opts.flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS;
}

static void close_budgets(struct budgets *budgets) {
  for (size_t i = 0; i < MOST; i++) {
    rebal_builder_free(budgets->builders[i]);
  }
  fixture_close(&budgets->fixture);
}

/*
 * shop/a with app=web would lose 3 in m1 and 2 in m2 by its status; shop/b, whose labels are not known, so that every
 * budget of shop may be its own, 1 in m2.
 */
static const struct {
  struct budget budgets[MOST];
  const char *after[2];
} cases[] = {
    {{{"shop", "", 9, NULL}}, {"m1:1 m2:2", "m1:4 m2:3"}},
    {{{"shop", "", 4, NULL}}, {"m1:1 m2:3", ""}},
    {{{"shop", "", 0, NULL}}, {"", ""}},
    {{{"shop", "", REBAL_ABSENT, NULL}}, {"", ""}},
    {{{"shop", NULL, 0, NULL}}, {"m1:1 m2:2", "m1:4 m2:3"}},
    {{{"bank", "", 0, NULL}}, {"m1:1 m2:2", "m1:4 m2:3"}},
    {{{"shop", "app web", 3, NULL}}, {"m1:1 m2:4", ""}},
    {{{"shop", "app db", 0, NULL}}, {"m1:1 m2:2", ""}},
    {{{"shop", "", 2, "m1"}}, {"m1:2 m2:2", "m1:4 m2:3"}},
    {{{"shop", "", 2, "m2"}}, {"m1:1 m2:2", ""}},
    {{{"shop", "", 0, "m9"}}, {"m1:1 m2:2", "m1:4 m2:3"}},
    {{{"shop", "", 3, NULL}, {"shop", "app web", 2, NULL}}, {"m1:2 m2:4", ""}},
    {{{"shop", "", 1, "m1"}, {"shop", "", 3, "m2"}, {"shop", "app web", 2, NULL}}, {"m1:3 m2:3", ""}},
    {{{"shop", "", 1, "m1"}, {"shop", "", 3, "m2"}, {"shop", "app web", 3, NULL}}, {"m1:3 m2:2", ""}},
};

static void fill(struct budgets *budgets, size_t i, const rebal_allocator *allocator) {
  open_budgets(budgets, allocator);
  (void)add_binding(budgets, "shop/a", "m1=1 m2=2", "app=web");
  (void)add_binding(budgets, "shop/b", "m1=4 m2=3", NULL);
  for (size_t k = 0; k < MOST && cases[i].budgets[k].namespace_ != NULL; k++) {
    add(budgets, &cases[i].budgets[k]);
  }
}

START_TEST(test_the_status_is_held_back) {
  struct budgets budgets;

  fill(&budgets, (size_t)_i, NULL);
  for (size_t twice = 0; twice < 2; twice++) { /* a run keeps nothing of the one before */
    ck_assert_int_eq(fixture_run(&budgets.fixture), REBAL_OK);
    for (uint32_t row = 0; row < 2; row++) {
      ck_assert_str_eq(fixture_clusters(&budgets.fixture, row), cases[_i].after[row]);
    }
    for (size_t row = 0; row < 4; row++) {
      const int64_t withheld = fixture_cell(&budgets.fixture, REBAL_DESCHEDULED_WITHHELD, row);

      ck_assert_int_eq(fixture_cell(&budgets.fixture, REBAL_DESCHEDULED_WITHHELD_BY, row),
                       withheld != 0 ? REBAL_DESCHEDULE_CAP_BUDGET : REBAL_DESCHEDULE_CAP_NONE);
    }
  }
  close_budgets(&budgets);
}
END_TEST

/*
 * As above, with shop/b first and shop/c like it: replicas that one loses count against the budgets of the others,
 * whether labels are known or not.
 */
static const struct {
  struct budget budgets[MOST];
  const char *after[3];
} turns[] = {
    {{{"shop", "app web", 4, NULL}, {"shop", "", 9, NULL}}, {"m1:4 m2:3", "m1:1 m2:4", ""}},
    {{{"shop", "app web", 6, NULL}, {"shop", "", 9, NULL}}, {"m1:4 m2:3", "m1:1 m2:2", ""}},
    {{{"shop", "app web", 7, NULL}, {"shop", "", 9, NULL}}, {"m1:4 m2:3", "m1:1 m2:2", "m1:4 m2:3"}},
    {{{"shop", "app web", 3, "m2"}, {"shop", "", 9, NULL}}, {"m1:4 m2:3", "m1:1 m2:2", ""}},
    {{{"shop", "app web", 4, "m2"}, {"shop", "", 9, NULL}}, {"m1:4 m2:3", "m1:1 m2:2", "m1:4 m2:3"}},
    {{{"shop", "app db", 1, "m2"}, {"shop", "app web", 9, NULL}}, {"m1:4 m2:3", "m1:1 m2:2", ""}},
    {{{"shop", "app db", 2, NULL}, {"shop", "app da", 9, NULL}}, {"m1:4 m2:3", "m1:1 m2:2", "m1:4 m2:3"}},
};

START_TEST(test_workloads_with_and_without_known_labels) {
  struct budgets budgets;

  open_budgets(&budgets, NULL);
  (void)add_binding(&budgets, "shop/b", "m1=4 m2=3", NULL);
  (void)add_binding(&budgets, "shop/a", "m1=1 m2=2", "app=web");
  (void)add_binding(&budgets, "shop/c", "m1=4 m2=3", NULL);
  for (size_t k = 0; k < MOST && turns[_i].budgets[k].namespace_ != NULL; k++) {
    add(&budgets, &turns[_i].budgets[k]);
  }
  ck_assert_int_eq(fixture_run(&budgets.fixture), REBAL_OK);
  for (uint32_t row = 0; row < 3; row++) {
    ck_assert_str_eq(fixture_clusters(&budgets.fixture, row), turns[_i].after[row]);
  }
  close_budgets(&budgets);
}
END_TEST

/* Evicting pods that wait for a node is not a disruption. */
START_TEST(test_what_waits_is_not_a_disruption) {
  const struct budget none = {"shop", "", 0, NULL};
  struct budgets budgets;

  open_budgets(&budgets, NULL);
  (void)add_binding(&budgets, "shop/a", "m1=1 m2=5", "app=web");
  (void)add_binding(&budgets, "shop/b", "", "app=web");
  fixture_answer(&budgets.fixture, "m1=2 m2=2");
  add(&budgets, &none);
  ck_assert_int_eq(fixture_run(&budgets.fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&budgets.fixture, 0), "m1:2 m2:4");
  ck_assert_str_eq(fixture_clusters(&budgets.fixture, 1), "m1:2 m2:2");
  close_budgets(&budgets);
}
END_TEST

/* Replicas kept by a cap do not count against a budget, and replicas kept by a budget do not count against a cap. */
START_TEST(test_with_caps) {
  const struct budget five = {"shop", "", 5, NULL};
  struct budgets budgets;

  open_budgets(&budgets, NULL);
  (void)add_binding(&budgets, "shop/a", "m1=1 m2=2", "app=web");
  (void)add_binding(&budgets, "shop/b", "m1=1 m2=3", "app=web");
  add(&budgets, &five);
  budgets.fixture.opts.max_by_cluster = 4;
  budgets.fixture.opts.max_by_workload = 2;
  ck_assert_int_eq(fixture_run(&budgets.fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&budgets.fixture, 0), "m1:2 m2:4");
  ck_assert_str_eq(fixture_clusters(&budgets.fixture, 1), "m1:2 m2:4");
  budgets.fixture.opts.max_by_workload = 0;
  budgets.fixture.opts.max_total = 6;
  ck_assert_int_eq(fixture_run(&budgets.fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&budgets.fixture, 0), "m1:1 m2:2");
  ck_assert_str_eq(fixture_clusters(&budgets.fixture, 1), "");
  ck_assert_int_eq(fixture_cell(&budgets.fixture, REBAL_DESCHEDULED_WITHHELD_BY, 2), REBAL_DESCHEDULE_CAP_BUDGET);
  close_budgets(&budgets);
}
END_TEST

START_TEST(test_budgets_that_are_none) {
  const struct budget good = {"shop", "", 1, NULL}, malformed = {"shop", "app not/a/value", 1, NULL};
  struct budgets budgets;
  rebal_deschedule_opts *opts = &budgets.fixture.opts;

  open_budgets(&budgets, NULL);
  (void)add_binding(&budgets, "shop/a", "m1=1 m2=2", "app=web");
  add(&budgets, &good);
  opts->budgets = NULL;
  ck_assert_int_eq(fixture_run(&budgets.fixture), REBAL_EINVAL);
  opts->budgets = budgets.records;
  ck_assert_int_eq(fixture_run(&budgets.fixture), REBAL_OK);
  add(&budgets, &malformed);
  ck_assert_int_eq(fixture_run(&budgets.fixture), REBAL_EINVAL);
  ck_assert_int_eq(budgets.fixture.world.err.where, 1);
  budgets.records[1] = NULL;
  ck_assert_int_eq(fixture_run(&budgets.fixture), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_start(budgets.builders[1], REBAL_OBJECT_LABEL_SELECTOR, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(budgets.builders[1], &budgets.records[1], NULL), REBAL_OK);
  ck_assert_int_eq(fixture_run(&budgets.fixture), REBAL_EINVAL);
  close_budgets(&budgets);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  const rebal_time now = test_time(NOW);
  struct budgets budgets;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code;

  (void)user_data;
  fill(&budgets, 12, NULL);
  test_freeze(&budgets.fixture.world);
  code = rebal_ctx_new(allocator, NULL, &ctx, NULL);
  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  if (code == REBAL_OK) {
    code = rebal_deschedule_step(ctx, budgets.fixture.world.snapshot, budgets.fixture.world.bindings, &now,
                                 &budgets.fixture.opts, result, NULL);
  }
  ck_assert(code == REBAL_OK || result == NULL || rebal_result_count(result, REBAL_TABLE_STEP) == 0);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  close_budgets(&budgets);
  return code;
}

START_TEST(test_every_failing_allocation) {
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
}
END_TEST

UNIT_CASE(budgets) {
  TCase *tests = tcase_create("budgets");
  tcase_add_loop_test(tests, test_the_status_is_held_back, 0, (int)REBALI_COUNT(cases));
  tcase_add_loop_test(tests, test_workloads_with_and_without_known_labels, 0, (int)REBALI_COUNT(turns));
  tcase_add_test(tests, test_what_waits_is_not_a_disruption);
  tcase_add_test(tests, test_with_caps);
  tcase_add_test(tests, test_budgets_that_are_none);
  tcase_add_test(tests, test_every_failing_allocation);
  return tests;
}
