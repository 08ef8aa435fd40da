/* SPDX-License-Identifier: MIT */
#include "manifest/spread/kruise.h"
#include "reading.h"

static const struct {
  const char *text;
  int64_t state;
  const char *spread, *subset, *id;
} rows[] = {
    {NULL, REBAL_ANNOTATION_ABSENT, "", "", ""},
    {"", REBAL_ANNOTATION_ABSENT, "", "", ""},
    {"{\"name\":\"ws\",\"subset\":\"zone-a\"}", REBAL_ANNOTATION_PRESENT, "ws", "zone-a", ""},
    {"{\"name\":\"ws\",\"subset\":\"zone-a\",\"uid\":\"0f\"}", REBAL_ANNOTATION_PRESENT, "ws", "zone-a", "0f"},
    {" { \"NAME\" : \"w\\u003cs\", \"Subset\": null, \"more\": 5 } ", REBAL_ANNOTATION_PRESENT, "w<s", "", ""},
    {"{}", REBAL_ANNOTATION_PRESENT, "", "", ""},
    {"null", REBAL_ANNOTATION_UNPARSABLE, "", "", ""},
    {"[]", REBAL_ANNOTATION_UNPARSABLE, "", "", ""},
    {"5", REBAL_ANNOTATION_UNPARSABLE, "", "", ""},
    {"1.5", REBAL_ANNOTATION_UNPARSABLE, "", "", ""},
    {"zone-a", REBAL_ANNOTATION_UNPARSABLE, "", "", ""},
    {"{\"name\":\"ws\"", REBAL_ANNOTATION_UNPARSABLE, "", "", ""},
    {"{\"name\":5,\"subset\":\"a\"}", REBAL_ANNOTATION_UNPARSABLE, "", "", ""},
    {"{\"name\":\"ws\",\"subset\":{}}", REBAL_ANNOTATION_UNPARSABLE, "", "", ""},
    {"{\"name\":\"ws\",\"subset\":\"a\",\"uid\":1}", REBAL_ANNOTATION_UNPARSABLE, "", "", ""},
};

START_TEST(test_reading) {
  struct rebali_matched matched;
  const char *text = rows[_i].text;
  ck_assert_int_eq(rebali_matched_open(text, text != NULL ? strlen(text) : 0, &matched, NULL), REBAL_OK);
  ck_assert_msg(matched.state == rows[_i].state, "%s: state %d", text, (int)matched.state);
  ck_assert_str_eq(matched.spread, rows[_i].spread);
  ck_assert_str_eq(matched.subset, rows[_i].subset);
  ck_assert_str_eq(matched.id, rows[_i].id);
  rebali_matched_close(&matched);
}
END_TEST

START_TEST(test_writing) {
  static const struct {
    const char *spread, *subset, *id, *text;
  } written[] = {
      {"ws", "zone-a", "", "{\"name\":\"ws\",\"subset\":\"zone-a\"}"},
      {"ws", "zone-a", "0f", "{\"name\":\"ws\",\"subset\":\"zone-a\",\"uid\":\"0f\"}"},
      {"ws", "<a&b>\xe2\x80\xa8\"", "", "{\"name\":\"ws\",\"subset\":\"\\u003ca\\u0026b\\u003e\\u2028\\\"\"}"},
  };
  for (size_t i = 0; i < COUNT(written); i++) {
    struct rebali_matched matched;
    json_t *value = NULL;
    ck_assert_int_eq(rebali_matched_value(written[i].spread, written[i].subset, written[i].id, &value, NULL), REBAL_OK);
    ck_assert_str_eq(json_string_value(value), written[i].text);
    ck_assert_int_eq(rebali_matched_open(json_string_value(value), json_string_length(value), &matched, NULL),
                     REBAL_OK);
    ck_assert_int_eq(matched.state, REBAL_ANNOTATION_PRESENT);
    ck_assert_str_eq(matched.subset, written[i].subset);
    rebali_matched_close(&matched);
    json_decref(value);
  }
}
END_TEST

UNIT_CASE(matched_subset) {
  TCase *cases = tcase_create("matched_subset");
  tcase_add_loop_test(cases, test_reading, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_writing);
  return cases;
}
