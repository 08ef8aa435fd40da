/* SPDX-License-Identifier: MIT */
#include "reading.h"

static int32_t format(const char *text, uint32_t kind, rebal_text **out, rebal_error *err) {
  const rebal_rewrite_opts opts = {.struct_size = sizeof opts, .flags = REBAL_REWRITE_FLAG_CANONICAL, .format = kind};
  ck_assert_int_eq(rebal_text_new(out, NULL), REBAL_OK);
  return rebal_manifest_rewrite(text, strlen(text), &opts, *out, err);
}

static const struct {
  const char *text, *wanted; /* compact JSON, a line for each document */
} rows[] = {
    {"status: 1\nspec: 2\nz: 3\nmetadata: {namespace: b, name: a}\na: 4\nkind: K\napiVersion: v1\n",
     "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"namespace\":\"b\",\"name\":\"a\"},\"spec\":2,\"status\":1,"
     "\"z\":3,\"a\":4}\n"},
    {"{kind: Cluster, apiVersion: cluster.karmada.io/v1alpha1, metadata: {labels: {b: '1', a: '2'}, name: m, x: 1}, "
     "spec: {taints: [{effect: NoSchedule, key: k}, 5], id: i}}",
     "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":{\"name\":\"m\",\"labels\":"
     "{\"b\":\"1\",\"a\":\"2\"},\"x\":1},\"spec\":{\"id\":\"i\",\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"},"
     "5]"
     "}}\n"},
    {"{kind: Cluster, apiVersion: cluster.karmada.io/v1alpha1, spec: 5, metadata: [1]}",
     "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":[1],\"spec\":5}\n"},
    {"{kind: List, items: [5, {kind: WorkloadRebalancer, apiVersion: apps.karmada.io/v1alpha1, spec: "
     "{ttlSecondsAfterFinished: 1, workloads: []}}], apiVersion: v1}",
     "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[5,{\"apiVersion\":\"apps.karmada.io/v1alpha1\",\"kind\":"
     "\"WorkloadRebalancer\",\"spec\":{\"workloads\":[],\"ttlSecondsAfterFinished\":1}}]}\n"},
    {"{kind: ResourceBindingList, apiVersion: work.karmada.io/v1alpha1, items: [{spec: {clusters: [], resource: {name: "
     "a, kind: b}}}]}",
     "{\"apiVersion\":\"work.karmada.io/v1alpha1\",\"kind\":\"ResourceBindingList\",\"items\":[{\"spec\":{\"resource\":"
     "{\"kind\":\"b\",\"name\":\"a\"},\"clusters\":[]}}]}\n"},
    {"a: &x {c: 1.50, b: 1e400}\nd: *x\n---\n---\n[b, a]\n",
     "{\"a\":{\"c\":1.50,\"b\":1e400},\"d\":{\"c\":1.50,\"b\":1e400}}\n[\"b\",\"a\"]\n"},
};

START_TEST(test_members_are_put_in_order) {
  rebal_text *out, *again;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(format(rows[_i].text, REBAL_TEXT_FORMAT_JSON, &out, &err) == REBAL_OK, "%s", err.message);
  ck_assert_str_eq(rebal_text_bytes(out, NULL), rows[_i].wanted);
  for (uint32_t kind = REBAL_TEXT_FORMAT_JSON; kind <= REBAL_TEXT_FORMAT_YAML; kind++) {
    rebal_text *first;
    ck_assert_int_eq(format(rows[_i].text, kind, &first, NULL), REBAL_OK);
    ck_assert_int_eq(format(rebal_text_bytes(first, NULL), kind, &again, NULL), REBAL_OK);
    ck_assert_str_eq(rebal_text_bytes(again, NULL), rebal_text_bytes(first, NULL));
    rebal_text_free(first);
    rebal_text_free(again);
  }
  rebal_text_free(out);
}
END_TEST

START_TEST(test_what_cannot_be_formatted) {
  rebal_text *out;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(format("a: [", REBAL_TEXT_FORMAT_YAML, &out, &err), REBAL_EPARSE);
  ck_assert_uint_gt(err.line, 0);
  ck_assert_str_eq(rebal_text_bytes(out, NULL), "");
  rebal_text_free(out);
}
END_TEST

UNIT_CASE(canonical_form) {
  TCase *cases = tcase_create("canonical_form");
  tcase_add_loop_test(cases, test_members_are_put_in_order, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_what_cannot_be_formatted);
  return cases;
}
