/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const struct rebali_wanted container_members[] = {{"name", NULL}, {NULL, NULL}};
static const struct rebali_wanted members[] = {{"a", NULL}, {"list", container_members}, {NULL, NULL}};

#define TEN_KEYS(digit)                                                                                            \
  "\"" digit "0\":0,\"" digit "1\":0,\"" digit "2\":0,\"" digit "3\":0,\"" digit "4\":0,\"" digit "5\":0,\"" digit \
  "6\":0,\"" digit "7\":0,\"" digit "8\":0,\"" digit "9\":0,"
#define THIRTY_KEYS(letter) TEN_KEYS(letter "a") TEN_KEYS(letter "b") TEN_KEYS(letter "c")
#define MANY_KEYS THIRTY_KEYS("a") THIRTY_KEYS("b") THIRTY_KEYS("c") THIRTY_KEYS("d") THIRTY_KEYS("e")

static const struct {
  const char *text, *json; /* NULL: the text has to be read whole */
  int32_t code;
} texts[] = {
    {"{\"a\":{\"x\":[1]},\"b\":{\"x\":[1]}}", "{\"a\":{\"x\":[1]},\"b\":null}", REBAL_OK},
    {"{\"b\":1,\"c\":\"\\n\",\"ab\":[],\"\":{}}", "{\"b\":null,\"c\":null,\"ab\":null,\"\":null}", REBAL_OK},
    {"{\"list\":[{\"name\":\"n\",\"env\":[{\"name\":1}]},3],\"b\":[[]]}",
     "{\"list\":[{\"name\":\"n\",\"env\":null},3],\"b\":null}", REBAL_OK},
    {"{\"b\":{\"x\":1,\"y\":{\"x\":1},\"z\":{\"x\":1}}}", "{\"b\":null}", REBAL_OK},
    {"[{\"a\":1,\"b\":1}]", "[{\"a\":1,\"b\":null}]", REBAL_OK},
    {"{\"b\":{\"x\":1,\"y\":{\"x\":1},\"x\":2}}", NULL, REBAL_EPARSE},
    {"{\"b\":[{\"x\":1,\"x\":2}]}", NULL, REBAL_EPARSE},
    {"{\"b\":1,\"b\":2}", NULL, REBAL_EPARSE},
    {"{\"b\":[1,]}", NULL, REBAL_EPARSE},
    {"{\"b\":01}", NULL, REBAL_EPARSE},
    {"{\"b\":[\"\\x\"]}", NULL, REBAL_EPARSE},
    {"{\"b\":[[[[[[[[1]]]]]]]]}", NULL, REBAL_ELIMIT},
    {"{\"b\":{\"\\u0061\":1}}", NULL, REBAL_EUNSUPPORTED},
    {"{\"b\":{" MANY_KEYS "\"x\":1}}", NULL, REBAL_EUNSUPPORTED},
    {"{} {}", NULL, REBAL_EUNSUPPORTED},
    {"a: 1", NULL, REBAL_EUNSUPPORTED},
    {"", NULL, REBAL_EUNSUPPORTED},
};

START_TEST(test_members_that_are_wanted) {
  const struct rebali_limits limits = {SIZE_MAX, 8, SIZE_MAX, SIZE_MAX};
  struct rebali_buffer output = REBALI_BUFFER;
  json_t *tree = NULL;
  ck_assert_int_eq(rebali_text_read_wanted(texts[_i].text, strlen(texts[_i].text), &limits, members, &tree),
                   texts[_i].code);
  if (texts[_i].json != NULL) {
    ck_assert_int_eq(rebali_json_write(tree, 0, &output), REBAL_OK);
    ck_assert_str_eq(output.bytes, texts[_i].json);
  } else {
    ck_assert_ptr_null(tree);
  }
  rebali_buffer_dispose(&output);
  json_decref(tree);
}
END_TEST

UNIT_CASE(skip_value) {
  TCase *cases = tcase_create("skip_value");
  tcase_add_loop_test(cases, test_members_that_are_wanted, 0, (int)COUNT(texts));
  return cases;
}
