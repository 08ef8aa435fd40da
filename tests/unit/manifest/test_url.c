/* SPDX-License-Identifier: MIT */
#include "manifest/store/requests.h"
#include "stores.h"

START_TEST(test_all_but_unreserved_characters_are_encoded) {
  struct rebali_buffer out = REBALI_BUFFER;
  rebali_url_encode(&out, "aZ09-._~", 8);
  rebali_url_encode(&out, " /?&=+%\0\xc3\xbc", 10);
  ck_assert_str_eq(out.bytes, "aZ09-._~%20%2F%3F%26%3D%2B%25%00%C3%BC");
  rebali_buffer_dispose(&out);
}
END_TEST

static const struct {
  struct rebali_url url;
  const char *path;
} paths[] = {
    {{"v1", "Pod", "", "", ""}, "/api/v1/pods"},
    {{"v1", "Pod", "x", "p", "eviction"}, "/api/v1/namespaces/x/pods/p/eviction"},
    {{"v1", "Node", "x", "n", ""}, "/api/v1/nodes/n"},
    {{"apps/v1", "Deployment", "x", "", ""}, "/apis/apps/v1/namespaces/x/deployments"},
    {{"work.karmada.io/v1alpha2", "ClusterResourceBinding", "", "a:b", "status"},
     "/apis/work.karmada.io/v1alpha2/clusterresourcebindings/a%3Ab/status"},
};

START_TEST(test_paths) {
  struct rebali_buffer out = REBALI_BUFFER;
  ck_assert_int_eq(rebali_url_path(NULL, &paths[_i].url, &out, NULL), REBAL_OK);
  ck_assert_str_eq(out.bytes, paths[_i].path);
  rebali_buffer_dispose(&out);
}
END_TEST

START_TEST(test_unknown_kinds_have_no_path) {
  const struct rebali_url url = {"example.com/v1", "Pod", "", "", ""};
  struct rebali_buffer out = REBALI_BUFFER;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebali_url_path(NULL, &url, &out, &err), REBAL_EUNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(err.message, "Pod in example.com/v1"));
  rebali_buffer_dispose(&out);
}
END_TEST

START_TEST(test_empty_parameters_are_left_out) {
  struct rebali_buffer out = REBALI_BUFFER;
  struct rebali_query query = {0};
  rebali_url_query(&out, &query, "a", "", 0);
  rebali_url_query(&out, &query, "b", "1&2", 3);
  rebali_url_query(&out, &query, "c", "3", 1);
  ck_assert_str_eq(out.bytes, "?b=1%262&c=3");
  rebali_buffer_dispose(&out);
}
END_TEST

UNIT_CASE(url) {
  TCase *cases = tcase_create("url");
  tcase_add_test(cases, test_all_but_unreserved_characters_are_encoded);
  tcase_add_loop_test(cases, test_paths, 0, (int)COUNT(paths));
  tcase_add_test(cases, test_unknown_kinds_have_no_path);
  tcase_add_test(cases, test_empty_parameters_are_left_out);
  return cases;
}
