/* SPDX-License-Identifier: MIT */
#include "manifest/spread/kruise.h"
#include "stores.h"

static void assert_list(json_t *list, const char *wanted) {
  struct rebali_buffer text = REBALI_BUFFER;
  ck_assert_int_eq(rebali_json_write(list, 0, &text), REBAL_OK);
  ck_assert_str_eq(text.bytes, wanted);
  rebali_buffer_dispose(&text);
  json_decref(list);
}

static const struct {
  const char *text, *list; /* list NULL: refused */
  const char *message;
} rows[] = {
    {"", "{}", NULL},
    {"{}", "{}", NULL},
    {"null", "{}", NULL},
    {"{\"workloads\":null}", "{}", NULL},
    {"{\"workloads\":[{\"Group\":\"g.io\",\"Version\":\"v1\",\"Kind\":\"K\",\"replicasPath\":\"spec.n\"}]}",
     "{\"workloads\":[{\"Group\":\"g.io\",\"Version\":\"v1\",\"Kind\":\"K\",\"replicasPath\":\"spec.n\"}]}", NULL},
    {"{\"WORKLOADS\":[{\"gROUP\":\"g\",\"kind\":\"K\",\"replicaspath\":\"n\",\"more\":1,\"Version\":null}]}",
     "{\"workloads\":[{\"Group\":\"g\",\"Kind\":\"K\",\"replicasPath\":\"n\"}]}", NULL},
    {"{\"workloads\":[{\"kind\":\"A\",\"Kind\":\"B\"}]}", "{\"workloads\":[{\"Kind\":\"B\"}]}", NULL},
    {"{\"workloads\":[null,{\"subresources\":[{\"kind\":\"A\",\"subResources\":[{\"kind\":\"B\"}]}]}]}",
     "{\"workloads\":[{},{\"subResources\":[{\"Kind\":\"A\"}]}]}", NULL},
    {"[]", NULL, "the text of the white list is not a map"},
    {"5", NULL, "the text of the white list is not a map"},
    {"{\"workloads\":{}}", NULL, "workloads of the white list is not a list"},
    {"{\"workloads\":[5]}", NULL, "an entry of the white list is not a map"},
    {"{\"workloads\":[{\"Kind\":5}]}", NULL, "Kind of the white list is not a text"},
    {"{\"workloads\":[{\"subResources\":5}]}", NULL, "subResources of the white list is not a list"},
    {"{\"workloads\":[", NULL, ""},
};

START_TEST(test_texts) {
  rebal_error err = REBAL_ERROR_INIT;
  json_t *list = NULL;
  const int32_t code = rebali_white_list_tree(rows[_i].text, strlen(rows[_i].text), &list, &err);
  ck_assert_msg(code == (rows[_i].list != NULL ? REBAL_OK : REBAL_EPARSE), "%s: %d", rows[_i].text, code);
  if (code == REBAL_OK) {
    assert_list(list, rows[_i].list);
  } else {
    ck_assert_msg(strstr(err.message, rows[_i].message) != NULL, "%s: %s", rows[_i].text, err.message);
    ck_assert_ptr_null(list);
  }
}
END_TEST

#define CONFIG(namespace, name, text)                                                                              \
  "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: " namespace ", name: " name                         \
                                                                           "}\ndata:\n"                            \
                                                                           "  "                                    \
                                                                           "WorkloadSpread_Watch_Custom_Workload_" \
                                                                           "WhiteList: '" text "'\n"

START_TEST(test_the_config_map) {
  static const struct {
    const char *objects, *list;
  } stores[] = {
      {"{apiVersion: v1, kind: Secret, metadata: {name: kruise-configuration}}", "{}"},
      {CONFIG("a", "other", "{\"workloads\":[{\"Kind\":\"A\"}]}"), "{}"},
      {CONFIG("a", "other", "{\"workloads\":[{\"Kind\":\"A\"}]}")
           CONFIG("kruise-system", "kruise-configuration", "{\"workloads\":[{\"Kind\":\"B\"}]}"),
       "{\"workloads\":[{\"Kind\":\"B\"}]}"},
      {CONFIG("a", "kruise-configuration", "")
           CONFIG("b", "kruise-configuration", "{\"workloads\":[{\"Kind\":\"B\"}]}"),
       "{\"workloads\":[{\"Kind\":\"B\"}]}"},
      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: kruise-configuration}}", "{}"},
  };
  for (size_t i = 0; i < COUNT(stores); i++) {
    rebal_store *store = store_of(stores[i].objects);
    json_t *list = NULL;
    ck_assert_int_eq(rebali_white_list_find(store, &list, NULL), REBAL_OK);
    assert_list(list, stores[i].list);
    rebal_store_free(store);
  }
}
END_TEST

START_TEST(test_a_config_map_that_is_not_a_white_list) {
  rebal_store *store = store_of(CONFIG("a", "kruise-configuration", "[]"));
  json_t *list = NULL;
  ck_assert_int_eq(rebali_white_list_find(store, &list, NULL), REBAL_EPARSE);
  ck_assert_ptr_null(list);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_it_is_a_record) {
  static const char text[] = "{\"workloads\":[{\"kind\":\"K\",\"subresources\":[{\"group\":\"g\"}]}]}";
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  json_t *list = NULL, *again = NULL;
  ck_assert_int_eq(rebali_white_list_tree(text, sizeof text - 1, &list, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_read_record(builder, REBAL_OBJECT_WHITE_LIST, list, NULL, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_record_tree_as_is(record, &again, NULL), REBAL_OK);
  ck_assert(json_equal(list, again));
  json_decref(list);
  json_decref(again);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(white_list) {
  TCase *cases = tcase_create("white_list");
  tcase_add_loop_test(cases, test_texts, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_the_config_map);
  tcase_add_test(cases, test_a_config_map_that_is_not_a_white_list);
  tcase_add_test(cases, test_it_is_a_record);
  return cases;
}
