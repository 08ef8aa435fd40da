/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

#define APPLIED_M2(metadata, spec)                                                            \
  "- {apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m2, " metadata \
  "}, spec: {syncMode: Push" spec "}}\n"
#define LOST(name) STEP(name) "after: 1m\nclusterLost: {cluster: m1}\n"

/* Every kind of change of a cluster and of objects that only steps write. */
static const char changing[] = NODES_HEAD("") BARE("m1") CLUSTER("m2") WORKLOAD("foo", "1", "400m", "") TO("foo", "m1")
    "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 10\n" STEP(
        "apply") "apply:\n" APPLIED_M2("annotations: {a: b}", "")
        APPLIED_M2("annotations: {a: b}, labels: {zone: z}", "")
            APPLIED_M2("annotations: {a: b}, labels: {zone: z}", ", provider: p")
    "- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 20}\n"
    "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo, labels: {a: b}, annotations: {a: b}}}\n" LOST(
        "lost") LOST("lost again")
        STEP("back") "clusterBack: {cluster: m1}\ncapacity: {cluster: m1, node: a, allocatable: {cpu: 2}}\n";

static const struct {
  const char *controller, *object, *change;
} rows[] = {
    {"members", "Cluster m1", "allocatable: {\"cpu\":\"2\",\"pods\":\"20\"}"},
    {"members", "Cluster m1", "allocatable: {\"cpu\":\"2\",\"pods\":\"20\"} -> {\"cpu\":\"3\",\"pods\":\"20\"}"},
    {"members", "Cluster m1", "allocated: {} -> {\"cpu\":\"400m\",\"pods\":\"1\"}"},
    {"scenario", "Cluster m1", "status.conditions: {Ready=False ClusterNotReachable}"},
    {"scenario", "Cluster m1",
     "condition messages: {Ready: cluster is not reachable 2024-01-01T00:01:00Z} -> {Ready: cluster is not reachable "
     "2024-01-01T00:02:00Z}"},
    {"scenario", "Cluster m1", "status.conditions: {Ready=False ClusterNotReachable} -> {Ready=True ClusterReady}"},
    {"scenario", "Cluster m2", "annotations changed"},
    {"scenario", "Cluster m2", "metadata.labels: {\"zone\":\"z\"}"},
    {"scenario", "Cluster m2", "spec changed"},
    {"scenario", "PriorityClass high", "value: 10 -> 20"},
    {"scenario", "Deployment default/foo", "metadata.labels: {\"a\":\"b\"}"},
    {"scenario", "Deployment default/foo", "annotations changed"},
};

static size_t count_exactly(const rebal_simulation *simulation, size_t row) {
  size_t n = 0;
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    n += strcmp(log_entry(simulation, i).controller,
                rows[row].controller) == 0 &&
         strcmp(log_entry(simulation, i).object, rows[row].object) == 0 &&
         strcmp(log_entry(simulation, i).change, rows[row].change) == 0;
  }
  return n;
}

/* Each row states the change and its reason. */
START_TEST(test_what_changes) {
  rebal_simulation *simulation = new_simulation(NULL);
  ck_assert_int_eq(rebal_simulation_run(simulation, changing, strlen(changing), REBAL_LOG_FORMAT_TABLE, NULL, NULL,
                                        NULL), REBAL_OK);
  for (size_t i = 0; i < COUNT(rows); i++) {
    ck_assert_msg(count_exactly(simulation, i) == 1, "%s: %zu times", rows[i].change, count_exactly(simulation, i));
  }
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    ck_assert_msg(strcmp(log_entry(simulation, i).change, "changed") != 0, "%s",
                  log_entry(simulation, i).object);
    if (log_entry(simulation, i).kind == REBAL_LOG_KIND_CHANGE) {
      ck_assert_str_ne(log_entry(simulation, i).reason, "");
    }
  }
  rebal_simulation_free(simulation);
}
END_TEST

/* The log does not repeat the initial state of a scenario. */
START_TEST(test_a_new_cluster) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") CLUSTER("m1") "  conditions: [{type: Ready, status: \"True\"}]\n" STEP(
          "s") "expect:\n" FIELD("kind: Cluster, name: m1", "status.conditions[0].type", "Ready"));
  ck_assert_uint_eq(count_rows(simulation, "scenario", "created"), 1);
  ck_assert_uint_eq(count_rows(simulation, "scenario", "allocatable"), 0);
  ck_assert_uint_eq(count_rows(simulation, "scenario", "conditions"), 0);
  rebal_simulation_free(simulation);
}
END_TEST

static const struct {
  const char *format, *json, *text;
} briefs[] = {
    {"@name:@replicas", "[{\"name\":\"m1\",\"replicas\":2},{\"name\":\"m2\",\"replicas\":0}]", "{m1:2, m2:0}"},
    {"@name", "[]", ""},
    {"@key!value:@effect?timeAdded", "[{\"key\":\"k\",\"effect\":\"NoExecute\"}]", "{k:NoExecute}"},
    {"@key!value:@effect?timeAdded", "[{\"key\":\"k\",\"value\":\"v\",\"effect\":\"E\",\"timeAdded\":\"t\"}]",
     "{k=v:E t}"},
    {"@a.b.c", "[{\"a\":{\"b\":{\"c\":\"x\\ny\"}}}]", "{x\ny}"},
    {"@a.b", "[{\"a\":1}]", "{}"},
    {"@a", "{\"a\":1}", "{\"a\":1}"},
    {NULL, "[1]", "[1]"},
};

START_TEST(test_lists_for_people) {
  struct rebali_buffer text = REBALI_BUFFER;
  rebal_document *document = NULL;
  ck_assert_int_eq(rebal_document_read(briefs[_i].json, REBAL_TERMINATED, NULL, &document, NULL), REBAL_OK);
  rebali_print_short(&text, briefs[_i].format, rebal_document_value(document, ""));
  ck_assert_str_eq(rebali_printed(&text), briefs[_i].text);
  rebal_document_free(document);
  rebali_buffer_dispose(&text);
}
END_TEST

UNIT_CASE(change_log) {
  TCase *cases = tcase_create("change_log");
  tcase_add_test(cases, test_what_changes);
  tcase_add_test(cases, test_a_new_cluster);
  tcase_add_loop_test(cases, test_lists_for_people, 0, (int)COUNT(briefs));
  return cases;
}
