/* SPDX-License-Identifier: MIT */
#include "running.h"

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

START_TEST(test_brief_writes_lists_for_people) {
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_brief(briefs[_i].format, rebali_slice(briefs[_i].json), text, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), briefs[_i].text);
  rebal_text_free(text);
}
END_TEST

UNIT_CASE(brief) {
  TCase *cases = tcase_create("brief");
  tcase_add_loop_test(cases, test_brief_writes_lists_for_people, 0, (int)COUNT(briefs));
  return cases;
}
