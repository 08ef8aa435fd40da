/* SPDX-License-Identifier: MIT */
#include "manifest/validate/validate.h"
#include "name_forms.h"
#include "reading.h"

#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN
#define LONG_LABEL SIXTY "abcd"
#define LONG_NAME SIXTY SIXTY SIXTY SIXTY TEN "abcd"

/* Of a name, a value and a subdomain, joined by "|". */
static const struct {
  const char *text, *name, *value, *subdomain;
} rows[] = {
    {"a", "", "", ""},
    {"A_b.c-d", "", "", SUBDOMAIN_FORM},
    {"", "name part must be non-empty|name part must " NAME_FORM, "", SUBDOMAIN_FORM},
    {"-a", "name part must " NAME_FORM, VALUE_FORM, SUBDOMAIN_FORM},
    {"\xC3\xA9", "name part must " NAME_FORM, VALUE_FORM, SUBDOMAIN_FORM},
    {SIXTY "abc", "", "", ""},
    {LONG_LABEL, "name part must be no more than 63 characters", "must be no more than 63 characters", ""},
    {LONG_LABEL "-", "name part must be no more than 63 characters|name part must " NAME_FORM,
     "must be no more than 63 characters|" VALUE_FORM, SUBDOMAIN_FORM},
    {"example.com/a", "", VALUE_FORM, SUBDOMAIN_FORM},
    {"/a", "prefix part must be non-empty", VALUE_FORM, SUBDOMAIN_FORM},
    {"/", "prefix part must be non-empty|name part must be non-empty|name part must " NAME_FORM, VALUE_FORM,
     SUBDOMAIN_FORM},
    {"Example/a", "prefix part " SUBDOMAIN_FORM, VALUE_FORM, SUBDOMAIN_FORM},
    {"a/b/c",
     "a qualified name must " NAME_FORM " with an optional DNS subdomain prefix and '/' (e.g. "
     "'example.com/MyName')",
     VALUE_FORM, SUBDOMAIN_FORM},
    {LONG_NAME, "name part must be no more than 63 characters", "must be no more than 63 characters",
     "must be no more than 253 characters"},
    {LONG_NAME "A/" LONG_LABEL "-",
     "prefix part must be no more than 253 characters|prefix part " SUBDOMAIN_FORM
     "|name part must be no more than 63 characters|name part must " NAME_FORM,
     "must be no more than 63 characters|" VALUE_FORM, "must be no more than 253 characters|" SUBDOMAIN_FORM},
};

static void assert_texts(const char *text, void (*state)(const char *, struct rebali_texts *), const char *wanted) {
  struct rebali_buffer out = REBALI_BUFFER;
  struct rebali_texts texts;
  state(text, &texts);
  rebali_buffer_text(&out, "");
  rebali_texts_join(&texts, "|", &out);
  ck_assert_msg(strcmp(out.bytes, wanted) == 0, "%s: %s instead of %s", text, out.bytes, wanted);
  rebali_buffer_dispose(&out);
}

START_TEST(test_texts) {
  assert_texts(rows[_i].text, rebali_texts_of_name, rows[_i].name);
  assert_texts(rows[_i].text, rebali_texts_of_value, rows[_i].value);
  assert_texts(rows[_i].text, rebali_texts_of_subdomain, rows[_i].subdomain);
}
END_TEST

static const struct {
  const char *selector, *stated;
} selectors[] = {
    {"{}", ""},
    {"{matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [b]}, {key: a, operator: Exists}]}", ""},
    {"{matchExpressions: [{key: a, operator: Gt, values: ['1']}]}", "\"Gt\" is not a valid label selector operator"},
    {"{matchExpressions: [{key: a, operator: \"a\\\"\\\\\\n\\e<\", values: ['1']}]}",
     "\"a\\\"\\\\\\n\\x1b<\" is not a valid label selector operator"},
    {"{matchExpressions: [{key: a, operator: NotIn}, {key: -, operator: In}]}",
     "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty"},
    {"{matchExpressions: [{key: a, operator: Exists, values: [b, 'c\"']}]}",
     "[values: Invalid value: []string{\"b\", \"c\\\"\"}: values set must be empty for exists and does not exist, "
     "values[1][a]: Invalid value: \"c\\\"\": " VALUE_FORM "]"},
    {"{matchLabels: {b: -, a: +, '': x}, matchExpressions: [{key: a, operator: Gt}]}",
     "key: Invalid value: \"\": name part must be non-empty; name part must " NAME_FORM},
    {"{matchLabels: {b: c, -: +}}",
     "[key: Invalid value: \"-\": name part must " NAME_FORM ", values[0][-]: Invalid value: \"+\": " VALUE_FORM "]"},
    {"{matchLabels: {b: " LONG_LABEL "-}}",
     "values[0][b]: Invalid value: \"" LONG_LABEL "-\": must be no more than 63 characters; " VALUE_FORM},
};

START_TEST(test_selectors) {
  struct rebali_buffer out = REBALI_BUFFER;
  json_t **documents = NULL;
  size_t n = 0;
  ck_assert_int_eq(rebali_text_read(selectors[_i].selector, strlen(selectors[_i].selector), NULL, &documents, &n, NULL),
                   REBAL_OK);
  rebali_buffer_text(&out, "");
  rebali_selector_text(documents[0], &out);
  ck_assert_msg(strcmp(out.bytes, selectors[_i].stated) == 0, "%s: %s", selectors[_i].selector, out.bytes);
  rebali_buffer_dispose(&out);
  rebali_documents_free(documents, n);
}
END_TEST

UNIT_CASE(validate_texts) {
  TCase *cases = tcase_create("validate_texts");
  tcase_add_loop_test(cases, test_texts, 0, (int)COUNT(rows));
  tcase_add_loop_test(cases, test_selectors, 0, (int)COUNT(selectors));
  return cases;
}
