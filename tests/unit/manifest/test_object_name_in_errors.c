/* SPDX-License-Identifier: MIT */
#include "../unit.h"
#include "manifest/manifest.h"

START_TEST(test_objects_as_errors_name_them) {
  struct rebali_buffer out = REBALI_BUFFER;
  rebali_append_subject(&out, "apps/v1", "ReplicaSet", "a");
  rebali_buffer_text(&out, " ");
  rebali_append_subject(&out, "v1", "Pod", "b-0");
  rebali_buffer_text(&out, " ");
  rebali_append_subject(&out, "", "", "");
  ck_assert_str_eq(out.bytes, "replicasets.apps \"a\" pods \"b-0\" s \"\"");
  rebali_buffer_dispose(&out);
}
END_TEST

UNIT_CASE(object_name_in_errors) {
  TCase *cases = tcase_create("object_name_in_errors");
  tcase_add_test(cases, test_objects_as_errors_name_them);
  return cases;
}
