/* SPDX-License-Identifier: MIT */
#include "manifest/schema/pod_types.h"
#include "failing.h"
#include "patching.h"

#include <string.h>

static const struct rebali_pod_type *type_at(const char *first, const char *second) {
  struct rebali_pod_member member = {rebali_pod_type, 0};
  ck_assert(rebali_pod_type_member(rebali_pod_type, first, &member));
  return second == NULL || rebali_pod_type_member(member.type, second, &member) ? member.type : NULL;
}

START_TEST(test_members) {
  struct rebali_pod_member member;
  ck_assert_str_eq(type_at("spec", NULL)->name, "PodSpec");
  ck_assert_str_eq(type_at("spec", "containers")->name, "Container");
  ck_assert_ptr_null(type_at("spec", "nodeName"));
  ck_assert(rebali_pod_type_member(type_at("spec", NULL), "volumes", &member) && member.is_list);
  ck_assert(rebali_pod_type_member(type_at("spec", NULL), "affinity", &member) && !member.is_list);
  ck_assert(!rebali_pod_type_member(type_at("spec", NULL), "volume", &member));
  ck_assert(!rebali_pod_type_member(type_at("spec", NULL), "", &member));
}
END_TEST

/* A type that is misspelt in the list would let everything below it through. */
START_TEST(test_each_type_is_present) {
  static const char *const members[] = {
#define REBALI_POD_TYPE(name, members) members,
#include "manifest/schema/pod_types.def"
#undef REBALI_POD_TYPE
  };
  for (size_t i = 0; i < COUNT(members); i++) {
    const struct rebali_pod_type type = {"", members[i]};
    for (const char *at = members[i]; *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
      char name[80];
      struct rebali_pod_member member;
      const size_t len = strcspn(at, " :");
      memcpy(name, at, len);
      name[len] = '\0';
      ck_assert_msg(rebali_pod_type_member(&type, name, &member), "%s", name);
      ck_assert_msg((at[len] == ':') == (member.type != NULL), "%s", name);
    }
  }
}
END_TEST

START_TEST(test_near) {
  struct rebali_text near = rebali_pod_type_near(type_at("spec", NULL), "toleration");
  ck_assert_uint_eq(near.len, strlen("tolerations"));
  ck_assert_int_eq(memcmp(near.bytes, "tolerations", near.len), 0);
  ck_assert_uint_eq(rebali_pod_type_near(type_at("spec", NULL), "zebra").len, 0);
}
END_TEST

static const struct {
  const char *patch, *known; /* NULL: the same */
} patches[] = {
    {"{\"spec\":{\"containers\":[{\"name\":\"a\",\"$patch\":\"delete\"}]}}", NULL},
    {"{\"spec\":{\"nosuch\":{\"a\":1},\"hostname\":\"a\"}}", "{\"spec\":{\"hostname\":\"a\"}}"},
    {"{\"spec\":{\"containers\":[{\"limit\":1,\"name\":\"a\"},{}]}}",
     "{\"spec\":{\"containers\":[{\"name\":\"a\"},{}]}}"},
    {"{\"metadata\":{\"labels\":{\"limit\":\"x\"}}}", NULL},
    {"{\"x\":1,\"$retainKeys\":[\"spec\"]}", "{\"$retainKeys\":[\"spec\"]}"},
    {"[1]", NULL},
    {"\"text\"", NULL},
};

START_TEST(test_what_is_left) {
  json_t *patch = NULL, *known;
  char *text;
  ck_assert_int_eq(rebali_json_text(patches[_i].patch, strlen(patches[_i].patch), &patch, NULL), REBAL_OK);
  known = rebali_pod_known(patch);
  ck_assert(patches[_i].known != NULL || known == patch);
  text = json_dumps(known, JSON_COMPACT | JSON_ENCODE_ANY);
  ck_assert_str_eq(text, patches[_i].known != NULL ? patches[_i].known : patches[_i].patch);
  free(text);
  json_decref(known);
  json_decref(patch);
}
END_TEST

/* All that is known of the patch, or nothing. */
START_TEST(test_without_memory) {
  static const char text[] = "{\"spec\":{\"containers\":[{\"limit\":1,\"name\":\"a\"},{}]},\"$patch\":\"merge\"}";
  json_t *patch = NULL, *known = NULL;
  json_set_alloc_funcs(allocate, free);
  fail_at = 0;
  ck_assert_int_eq(rebali_json_text(text, strlen(text), &patch, NULL), REBAL_OK);
  for (size_t place = 1; known == NULL; place++) {
    requests = 0;
    fail_at = place;
    known = rebali_pod_known(patch);
    fail_at = 0;
    ck_assert_msg((known == NULL) == (requests >= place), "request %zu", place);
    ck_assert(known != NULL || place < 100);
  }
  ck_assert_uint_gt(requests, 10);
  json_decref(known);
  json_decref(patch);
  json_set_alloc_funcs(malloc, free);
}
END_TEST

UNIT_CASE(pod_types) {
  TCase *cases = tcase_create("pod_types");
  tcase_add_test(cases, test_members);
  tcase_add_test(cases, test_each_type_is_present);
  tcase_add_test(cases, test_near);
  tcase_add_loop_test(cases, test_what_is_left, 0, (int)COUNT(patches));
  tcase_add_test(cases, test_without_memory);
  return cases;
}
