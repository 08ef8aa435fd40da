/* SPDX-License-Identifier: MIT */
#include "detecting.h"

static int32_t open_with(rebal_store *store, rebal_detector_opts opts) {
  rebal_detector *detector = NULL;
  int32_t code;
  opts.struct_size = (uint32_t)sizeof opts;
  code = rebal_detector_new(store, &opts, &detector, NULL);
  ck_assert_int_eq(code == REBAL_OK, detector != NULL);
  rebal_detector_free(detector);
  return code;
}

START_TEST(test_options) {
  rebal_store *store = store_new();
  rebal_detector *detector = (rebal_detector *)store;
  const rebal_detector_opts no_opts = {.struct_size = 1};
  static const char *const namespaces[] = {"a", "b.*"};
  ck_assert_int_eq(rebal_detector_new(store, &no_opts, &detector, NULL), REBAL_EABI);
  ck_assert_ptr_null(detector);
  ck_assert_int_eq(rebal_detector_new(NULL, NULL, &detector, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_new(store, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(open_with(store, (rebal_detector_opts){.flags = UINT32_MAX}), REBAL_EINVAL);
  ck_assert_int_eq(open_with(store, (rebal_detector_opts){.gates = UINT32_MAX}), REBAL_EINVAL);
  ck_assert_int_eq(open_with(store, (rebal_detector_opts){.skipped_apis_len = 1}), REBAL_EINVAL);
  ck_assert_int_eq(open_with(store, (rebal_detector_opts){.replicas_paths = "Foo", .replicas_paths_len = 3}),
                   REBAL_EINVAL);
  ck_assert_int_eq(open_with(store, (rebal_detector_opts){.skipped_namespaces = namespaces, .n_skipped_namespaces = 2}),
                   REBAL_OK);
  rebal_detector_free(NULL);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_replicas_paths) {
  static const char text[] = OBJECT("example.com/v1", "Foo", "name: web, namespace: default", ", spec: {size: 4}")
      PP("a", "", "resourceSelectors: [{apiVersion: example.com/v1, kind: Foo}]");
  const rebal_detector_opts opts = {
      .struct_size = sizeof opts, .replicas_paths = "Foo=spec.size", .replicas_paths_len = REBAL_TERMINATED};
  rebal_store *store = store_of(text);
  rebal_detector_row row = {.struct_size = sizeof row};
  const rebal_time now = time_of(NOW);
  rebal_detector *detector;
  ck_assert_int_eq(rebal_detector_new(store, &opts, &detector, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_detector_template(detector, find(store, "Foo", "default", "web"), 0, &now, &row, NULL),
                   REBAL_OK);
  assert_member(store, row.binding, "spec.replicas", "4");
  rebal_detector_free(detector);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_arguments_of_passes) {
  struct detecting in;
  rebal_detector_row odd = {.struct_size = 1};
  const rebal_time unset = {0, 0, 0};
  uint32_t web, policy, precision;
  detecting_open(&in, WEB("") PP("a", "", DEPLOYMENTS), 0, 0);
  web = web_of(&in);
  policy = find(in.store, "PropagationPolicy", "default", "a");
  ck_assert_int_eq(rebal_detector_template(NULL, web, 0, &in.now, &in.row, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_template(in.detector, web, 0, NULL, &in.row, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_template(in.detector, web, 0, &unset, &in.row, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_template(in.detector, web, 0, &in.now, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_template(in.detector, web, 2, &in.now, &in.row, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_template(in.detector, web, 0, &in.now, &odd, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_detector_template(in.detector, REBAL_NONE, 0, &in.now, &in.row, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_detector_policy(NULL, policy, NULL, &in.now, &in.row, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_policy(in.detector, web, NULL, &in.now, &in.row, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_policy(in.detector, REBAL_NONE, NULL, &in.now, &in.row, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_detector_match(NULL, policy, web, &precision, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_match(in.detector, policy, web, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_match(in.detector, policy, REBAL_NONE, &precision, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_detector_match(in.detector, REBAL_NONE, web, &precision, NULL), REBAL_ENOTFOUND);
  detecting_close(&in);
}
END_TEST

START_TEST(test_lists) {
  struct detecting in;
  rebal_detector_entry entry = {.struct_size = sizeof entry}, odd = {.struct_size = 1};
  detecting_open(&in, WEB("") OBJECT("v1", "Namespace", "name: x", ""), 0, 0);
  ck_assert_int_eq(rebal_detector_wait(in.detector, find(in.store, "Namespace", "", "x"), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_detector_wait(in.detector, web_of(&in), NULL), REBAL_OK);
  assert_list(&in, REBAL_DETECTOR_LIST_WAITING, "v1/Namespace/x apps/v1/Deployment/default/web ");
  ck_assert_int_eq(rebal_store_remove(in.store, web_of(&in), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_detector_read(in.detector, REBAL_DETECTOR_LIST_WAITING, 1, &entry, NULL), REBAL_OK);
  ck_assert_uint_eq(entry.object, REBAL_NONE);
  ck_assert_uint_eq(rebal_detector_count(NULL, 0), 0);
  ck_assert_uint_eq(rebal_detector_count(in.detector, 3), 0);
  ck_assert_int_eq(rebal_detector_read(in.detector, REBAL_DETECTOR_LIST_WAITING, 2, &entry, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebal_detector_read(in.detector, 4, 0, &entry, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebal_detector_read(NULL, 0, 0, &entry, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_read(in.detector, REBAL_DETECTOR_LIST_WAITING, 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_read(in.detector, REBAL_DETECTOR_LIST_WAITING, 0, &odd, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_detector_clear(NULL, 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_clear(in.detector, 4, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_wait(NULL, 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_wait(in.detector, REBAL_NONE, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_detector_clear(in.detector, REBAL_DETECTOR_LIST_WAITING, NULL), REBAL_OK);
  assert_list(&in, REBAL_DETECTOR_LIST_WAITING, "");
  detecting_close(&in);
}
END_TEST

UNIT_CASE(detector) {
  TCase *cases = tcase_create("detector");
  tcase_add_test(cases, test_options);
  tcase_add_test(cases, test_replicas_paths);
  tcase_add_test(cases, test_arguments_of_passes);
  tcase_add_test(cases, test_lists);
  return cases;
}
