/* SPDX-License-Identifier: MIT */
#include "running.h"

static const char text[] =
    HEAD("") STEP("say \\\"a\\\"") "after: 1500ms\nexpect:\n- {object: {kind: Pod, name: p}, absent: true}\n";

static const struct {
  uint32_t format;
  const char *written;
} logs[] = {
    {REBAL_LOG_FORMAT_TABLE,
     "== 2024-01-01T00:00:00Z  initial state\n\n== 2024-01-01T00:00:01.5Z  say \\\"a\\\"\n"
     "00:00:01.5Z  expect  Pod p  as expected: no such object\n\nexpectations: 1 held, 0 failed\n"},
    {REBAL_TEXT_FORMAT_JSON,
     "{\"kind\":\"SimulationLog\",\"rows\":[{\"kind\":\"step\",\"time\":\"2024-01-01T00:00:00Z\",\"step\":\"\","
     "\"controller\":\"scenario\",\"object\":\"\",\"change\":\"initial state\",\"reason\":\"\"},{\"kind\":\"step\","
     "\"time\":\"2024-01-01T00:00:01.5Z\",\"step\":\"say \\\\\\\"a\\\\\\\"\",\"controller\":\"scenario\","
     "\"object\":\"\",\"change\":\"say \\\\\\\"a\\\\\\\"\",\"reason\":\"\"},{\"kind\":\"held\","
     "\"time\":\"2024-01-01T00:00:01.5Z\","
     "\"step\":\"say \\\\\\\"a\\\\\\\"\",\"controller\":\"expect\",\"object\":\"Pod p\","
     "\"change\":\"as expected: no such object\",\"reason\":\"\"}],\"held\":1,\"failed\":0,\"overused\":0}\n"},
};

static rebal_text *write_log(uint32_t format, int32_t code) {
  rebal_simulation *simulation = run_scenario(text);
  rebal_text *log = NULL;
  ck_assert_int_eq(rebal_text_new(&log, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_simulation_write(simulation, format, log, NULL), code);
  rebal_simulation_free(simulation);
  return log;
}

START_TEST(test_formats) {
  rebal_text *log = write_log(logs[_i].format, REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(log, NULL), logs[_i].written);
  rebal_text_free(log);
}
END_TEST

/* What is written can be read, and holds the same. */
START_TEST(test_formats_agree) {
  static const uint32_t formats[] = {REBAL_TEXT_FORMAT_JSON_PRETTY, REBAL_TEXT_FORMAT_YAML};
  rebal_text *log = write_log(formats[_i], REBAL_OK), *again = NULL;
  size_t len;
  const char *bytes = rebal_text_bytes(log, &len);
  ck_assert_int_eq(rebal_text_new(&again, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_manifest_rewrite(bytes, len, NULL, again, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(again, NULL), logs[1].written);
  rebal_text_free(log);
  rebal_text_free(again);
}
END_TEST

START_TEST(test_unknown_format) {
  rebal_text_free(write_log(99, REBAL_EINVAL));
  rebal_text_free(write_log(REBAL_TEXT_FORMAT_JSON_PATCH, REBAL_EINVAL));
}
END_TEST

/* A table of a scenario in which all holds. */
static void assert_table_has(const char *scenario, const char *part, int is_present) {
  rebal_simulation *simulation = run_scenario(scenario);
  rebal_text *log = NULL;
  ck_assert_int_eq(rebal_text_new(&log, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_simulation_write(simulation, REBAL_LOG_FORMAT_TABLE, log, NULL), REBAL_OK);
  ck_assert_msg((strstr(rebal_text_bytes(log, NULL), part) != NULL) == is_present, "%s\n%s", part,
                rebal_text_bytes(log, NULL));
  rebal_text_free(log);
  rebal_simulation_free(simulation);
}

#define ABSENT(name) "expect: [{object: {kind: Pod, name: " name "}, absent: true}]\n"

/* Nothing of a scenario moves the cursor of a terminal. */
START_TEST(test_table_escapes_control_characters) {
  static const char scenario[] =
      HEAD("") STEP("\"st\\nart\"") ABSENT("\"we\\e[31mb\"") STEP("\"\\x7f\\u009b\\u00a0\"");
  assert_table_has(scenario, "Z  st\\x0aart\n", 1);
  assert_table_has(scenario, "Pod we\\x1b[31mb  as expected", 1);
  assert_table_has(scenario, "Z  \\x7f\\xc2\\x9b\xc2\xa0\n", 1);
}
END_TEST

/* The columns stand below each other in spite of what is escaped. */
START_TEST(test_table_aligns_what_is_escaped) {
  static const char scenario[] = HEAD("") STEP("s") ABSENT("\"a\\nb\"") STEP("t") ABSENT("c");
  assert_table_has(scenario, "Pod a\\x0ab  as expected", 1);
  assert_table_has(scenario, "Pod c       as expected", 1);
}
END_TEST

#define DAYS(advance) HEAD("") STEP("s") "advance: " advance "\n" ABSENT("p")

START_TEST(test_table_shows_the_day) {
  assert_table_has(DAYS("48h"), "  s\n-- 2024-01-03\n00:00:00Z  expect", 1);
  assert_table_has(DAYS("48h"), "-- 2024-01-01", 0);
  assert_table_has(DAYS("23h"), "--", 0);
  assert_table_has(HEAD("") STEP("s") "after: 48h\n" ABSENT("p"), "--", 0);
}
END_TEST

UNIT_CASE(log_write) {
  TCase *cases = tcase_create("log_write");
  tcase_add_loop_test(cases, test_formats, 0, (int)COUNT(logs));
  tcase_add_loop_test(cases, test_formats_agree, 0, 2);
  tcase_add_test(cases, test_unknown_format);
  tcase_add_test(cases, test_table_escapes_control_characters);
  tcase_add_test(cases, test_table_aligns_what_is_escaped);
  tcase_add_test(cases, test_table_shows_the_day);
  return cases;
}
