/* SPDX-License-Identifier: MIT */
#include "stores.h"

#include <stdio.h>

#define BINDING(owner, rules, items)                                                                         \
  "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: web, namespace: a}\nspec: " \
  "{failover: "                                                                                              \
  "{" owner ": {statePreservation: {rules: [" rules "]}}}}\nstatus: {aggregatedStatus: [" items "]}\n"
#define RULE(name, path) "{aliasLabelName: " name ", jsonPath: '" path "'}"
#define ITEM(status) "{clusterName: m, status: " status "}"
#define FAILED(path, trouble) "failed to execute jsonpath \"" path "\": " trouble
#define PLAIN "only plain paths such as {.a.b} are read"

static const struct {
  const char *rules, *status;
  const char *labels; /* "key=value ", or NULL */
  const char *error;
} cases_of_rules[] = {
    {RULE("k", "{.offset}"), "{offset: 95}", "k=95 ", ""},
    {RULE("k", "{.nested.id}"), "{nested: {id: x7}}", "k=x7 ", ""},
    {RULE("k", "{.ok}"), "{ok: true}", "k=true ", ""},
    {RULE("k", "{.bad}"), "{bad: false}", "k=false ", ""},
    {RULE("k", "{.none}"), "{none: null}", "k=null ", ""},
    {RULE("k", "{.size}"), "{size: 2097152}", "k=2.097152e+06 ", ""},
    {RULE("b", "{.x}") ", " RULE("a", "{.z}"), "{x: one, z: two}", "a=two b=one ", ""},
    {RULE("k", "{.x}") ", " RULE("k", "{.z}"), "{x: one, z: two}", "k=two ", ""},
    {RULE("k", "{.missing}"), "{}", NULL, FAILED("{.missing}", "missing is not found")},
    {RULE("k", "{.a.b}"), "{a: {c: 1}}", NULL, FAILED("{.a.b}", "b is not found")},
    {RULE("k", "{.a.b}"), "{a: text}", NULL, FAILED("{.a.b}", "b is not found")},
    {RULE("k", "{.a.b}"), "{a: null}", NULL, FAILED("{.a.b}", "b is not found")},
    {RULE("k", "{.a}"), "[a]", NULL, FAILED("{.a}", "a is not found")},
    {RULE("a", "{.x}") ", " RULE("b", "{.z}"), "{x: one}", NULL, FAILED("{.z}", "z is not found")},
    {RULE("k", "{.missing}") ", " RULE("k", "{.x}"), "{x: one}", NULL, FAILED("{.missing}", "missing is not found")},
    {RULE("k", "{.a}"), "{a: [1]}", NULL, FAILED("{.a}", "the value is not a string, boolean or number")},
    {RULE("k", "{.a}"), "{a: {b: 1}}", NULL, FAILED("{.a}", "the value is not a string, boolean or number")},
    {RULE("k", "{.a}"), "{a: 1e999}", NULL, FAILED("{.a}", "the value is not a string, boolean or number")},
    {RULE("k", "{.a[0]}"), "{a: [1]}", NULL, FAILED("{.a[0]}", PLAIN)},
    {RULE("k", "{..a}"), "{a: 1}", NULL, FAILED("{..a}", PLAIN)},
    {RULE("k", "{.a.}"), "{a: 1}", NULL, FAILED("{.a.}", PLAIN)},
    {RULE("k", "{.a}{.b}"), "{a: 1, b: 2}", NULL, FAILED("{.a}{.b}", PLAIN)},
    {RULE("k", ".a"), "{a: 1}", NULL, FAILED(".a", PLAIN)},
    {RULE("k", ""), "{a: 1}", NULL, FAILED("", PLAIN)},
};

/* A store fed into a fleet. */
struct fed {
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
};

static struct fed feed(const char *text) {
  struct fed fed = {NULL, NULL, NULL};
  rebal_store *store = store_of(text);
  ck_assert_int_eq(rebal_fleet_new(NULL, &fed.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_new(fed.fleet, NULL, &fed.bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_bindings(store, fed.fleet, NULL, 0, fed.bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(fed.bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fed.fleet, &fed.snapshot, NULL), REBAL_OK);
  rebal_store_free(store);
  return fed;
}

static void fed_free(struct fed *fed) {
  rebal_snapshot_unref(fed->snapshot);
  rebal_bindings_free(fed->bindings);
  rebal_fleet_free(fed->fleet);
}

static void assert_labels(const struct fed *fed, uint32_t column, const char *wanted) {
  const int64_t handle = rebal_cells_get_i64(rebal_bindings_const_cells(fed->bindings), column, REBAL_NONE, 0);
  const rebal_record *labels =
      rebal_cells_record(rebal_snapshot_cells(fed->snapshot), REBAL_OBJECT_LABELS, rebali_cell_id(handle));
  char text[128] = "";
  uint32_t label = REBAL_NONE;
  size_t len = 0;
  ck_assert_int_eq(labels != NULL, wanted != NULL);
  while (labels != NULL && (label = rebal_record_next(labels, 0, REBAL_LABELS_LABEL, label)) != REBAL_NONE) {
    const uint32_t key = rebal_record_next(labels, label, REBAL_PAIR_KEY, REBAL_NONE);
    const uint32_t value = rebal_record_next(labels, label, REBAL_PAIR_VALUE, REBAL_NONE);
    len += (size_t)snprintf(text + len, sizeof text - len, "%s=%s ", rebal_record_text(labels, key, NULL),
                            rebal_record_text(labels, value, NULL));
  }
  ck_assert_str_eq(text, wanted != NULL ? wanted : "");
}

static const char *text_cell(const struct fed *fed, uint32_t column) {
  return rebal_cells_get_text(rebal_bindings_const_cells(fed->bindings), column, REBAL_NONE, 0, NULL);
}

static struct fed feed_rules(const char *owner, const char *rules, const char *items) {
  char text[1024];
  (void)snprintf(text, sizeof text, BINDING("%s", "%s", "%s"), owner, rules, items);
  return feed(text);
}

START_TEST(test_rules_give_labels_or_an_error) {
  char item[256];
  struct fed fed;
  (void)snprintf(item, sizeof item, ITEM("%s"), cases_of_rules[_i].status);
  fed = feed_rules("cluster", cases_of_rules[_i].rules, item);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(fed.bindings), REBAL_BINDING_PRESERVES_CLUSTER_STATE,
                                       REBAL_NONE, 0),
                   1);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(fed.bindings),
                                       REBAL_BINDING_PRESERVES_APPLICATION_STATE, REBAL_NONE, 0),
                   0);
  assert_labels(&fed, REBAL_STATUS_ITEM_CLUSTER_STATE, cases_of_rules[_i].labels);
  ck_assert_str_eq(text_cell(&fed, REBAL_STATUS_ITEM_CLUSTER_STATE_ERROR), cases_of_rules[_i].error);
  assert_labels(&fed, REBAL_STATUS_ITEM_APPLICATION_STATE, NULL);
  fed_free(&fed);
}
END_TEST

START_TEST(test_those_of_the_application_have_their_own_columns) {
  struct fed fed = feed_rules("application", RULE("k", "{.a}"), ITEM("{a: 1}"));
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(fed.bindings),
                                       REBAL_BINDING_PRESERVES_APPLICATION_STATE, REBAL_NONE, 0),
                   1);
  assert_labels(&fed, REBAL_STATUS_ITEM_APPLICATION_STATE, "k=1 ");
  assert_labels(&fed, REBAL_STATUS_ITEM_CLUSTER_STATE, NULL);
  fed_free(&fed);
}
END_TEST

START_TEST(test_without_rules_or_status_nothing_is_set) {
  static const struct {
    const char *rules, *item;
  } quiet[] = {{"", ITEM("{a: 1}")}, {RULE("k", "{.a}"), ITEM("null")}, {RULE("k", "{.a}"), "{clusterName: m}"}};
  struct fed fed = feed_rules("cluster", quiet[_i].rules, quiet[_i].item);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(fed.bindings), REBAL_BINDING_PRESERVES_CLUSTER_STATE,
                                       REBAL_NONE, 0),
                   *quiet[_i].rules != '\0');
  assert_labels(&fed, REBAL_STATUS_ITEM_CLUSTER_STATE, NULL);
  ck_assert_str_eq(text_cell(&fed, REBAL_STATUS_ITEM_CLUSTER_STATE_ERROR), "");
  fed_free(&fed);
}
END_TEST

UNIT_CASE(preserved_state) {
  TCase *cases = tcase_create("preserved_state");
  tcase_add_loop_test(cases, test_rules_give_labels_or_an_error, 0, (int)COUNT(cases_of_rules));
  tcase_add_test(cases, test_those_of_the_application_have_their_own_columns);
  tcase_add_loop_test(cases, test_without_rules_or_status_nothing_is_set, 0, 3);
  return cases;
}
