/* SPDX-License-Identifier: MIT */
#include "reading.h"

/* Each document of a text is an object that comes back as it was. */
static const char *const objects[] = {
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"}}",
    "{\"a\":null,\"b\":[true,false,[],{}],\"c\":\"<\\u0001 \\\" \xC3\xA4\"}",
    "{\"a\":1.50,\"b\":12345678901234567890,\"c\":-9223372036854775808,\"d\":1e400}",
    "{\"z\":1,\"a\":{\"y\":2,\"b\":3}}",
};

START_TEST(test_objects_come_back) {
  struct rebali_buffer scratch = REBALI_BUFFER;
  struct rebali_object packed;
  json_t **documents = NULL, *opened = NULL;
  size_t n = 0;
  ck_assert_int_eq(rebali_text_read(objects[_i], strlen(objects[_i]), NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 1);
  ck_assert_int_eq(rebali_object_pack(documents[0], &scratch, &packed, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_object_open(&packed, &opened, NULL), REBAL_OK);
  ck_assert(json_equal(documents[0], opened));
  rebali_buffer_clear(&scratch);
  ck_assert_int_eq(rebali_json_write(opened, 0, &scratch), REBAL_OK);
  ck_assert_str_eq(scratch.bytes, packed.text); /* members in the same order too */
  json_decref(opened);
  rebali_object_dispose(&packed);
  rebali_buffer_dispose(&scratch);
  rebali_documents_free(documents, n);
}
END_TEST

static struct rebali_object object_of(const char *text) {
  struct rebali_buffer scratch = REBALI_BUFFER;
  struct rebali_object packed;
  json_t **documents = NULL;
  size_t n = 0;
  ck_assert_int_eq(rebali_text_read(text, strlen(text), NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_object_pack(documents[0], &scratch, &packed, NULL), REBAL_OK);
  rebali_buffer_dispose(&scratch);
  rebali_documents_free(documents, n);
  return packed;
}

START_TEST(test_names_stand_beside_the_text) {
  struct rebali_object object = object_of(objects[0]);
  ck_assert_str_eq(object.kind, "Node");
  ck_assert_str_eq(object.namespace_, "b");
  ck_assert_str_eq(object.name, "a");
  ck_assert_str_eq(object.api_version, "v1");
  ck_assert_str_eq(object.text, objects[0]);
  ck_assert_uint_eq(object.len, strlen(objects[0]));
  rebali_object_forget(&object);
  ck_assert_ptr_null(object.text);
  ck_assert_str_eq(object.kind, "Node");
  ck_assert_str_eq(object.namespace_, "b");
  ck_assert_str_eq(object.name, "a");
  ck_assert_str_eq(object.api_version, "v1");
  rebali_object_dispose(&object);
  ck_assert_ptr_null(object.kind);
}
END_TEST

START_TEST(test_objects_are_ordered_by_kind_namespace_name_group) {
  static const char *const ordered[] = {
      "{kind: A, metadata: {namespace: z, name: z}}",
      "{kind: B, metadata: {name: z}}",
      "{kind: B, metadata: {namespace: a, name: a}}",
      "{kind: B, metadata: {namespace: a, name: b}}",
      "{kind: B, apiVersion: x/v2, metadata: {namespace: a, name: b}}",
      "{kind: B, apiVersion: x.y/v1, metadata: {namespace: a, name: b}}",
  };
  for (size_t i = 0; i < COUNT(ordered); i++) {
    for (size_t k = 0; k < COUNT(ordered); k++) {
      struct rebali_object left = object_of(ordered[i]), right = object_of(ordered[k]);
      const int order = rebali_object_compare(&left, &right);
      ck_assert((order < 0) == (i < k) && (order > 0) == (i > k));
      rebali_object_dispose(&left);
      rebali_object_dispose(&right);
    }
  }
}
END_TEST

UNIT_CASE(object) {
  TCase *cases = tcase_create("object");
  tcase_add_loop_test(cases, test_objects_come_back, 0, (int)COUNT(objects));
  tcase_add_test(cases, test_names_stand_beside_the_text);
  tcase_add_test(cases, test_objects_are_ordered_by_kind_namespace_name_group);
  return cases;
}
