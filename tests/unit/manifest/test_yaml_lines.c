/* SPDX-License-Identifier: MIT */
#include "reading.h"

#include <stdlib.h>

/* Compact JSON of each document as a kind of source reads it, a space between; NULL when it refuses. By free(). */
static char *read_by(const struct rebali_source_kind *kind, const char *text, size_t len) {
  struct rebali_output output = {NULL, 0, 0, 0};
  struct rebali_source source;
  json_t **documents = NULL;
  size_t n = 0;
  int32_t result = rebali_source_prepare(&source, text, len, NULL, NULL);
  ck_assert_int_eq(result, REBAL_OK);
  result = rebali_source_open(&source, kind, NULL);
  ck_assert_int_eq(result, REBAL_OK);
  result = rebali_tree_read(&source, &documents, &n, NULL);
  kind->close(&source);
  if (result != REBAL_OK) {
    return NULL;
  }
  rebali_output_text(&output, "");
  for (size_t i = 0; i < n; i++) {
    rebali_output_text(&output, i > 0 ? " " : "");
    ck_assert_int_eq(rebali_json_write(documents[i], 0, &output), REBAL_OK);
  }
  rebali_documents_free(documents, n);
  return output.bytes;
}

/* What is written by programs, so that it is to be read the fast way. */
static const struct {
  const char *text, *json;
} taken[] = {
    {"", ""},
    {"# nothing\n", ""},
    {"---\n", ""},
    {"---\n---\na: 1\n---\n", "{\"a\":1}"},
    {"a: 1\n---\nb: 2", "{\"a\":1} {\"b\":2}"},
    {"a:\n  b: x\n  c:\nd: null\n", "{\"a\":{\"b\":\"x\",\"c\":null},\"d\":null}"},
    {"a:\n- b: 1\n  c: 2\n-\n- - d\n  - e\nf:\n  - g\n",
     "{\"a\":[{\"b\":1,\"c\":2},null,[\"d\",\"e\"]],\"f\":[\"g\"]}"},
    {"- a:\n  - b\n  c: d\n-   e: f\n    g:\n", "[{\"a\":[\"b\"],\"c\":\"d\"},{\"e\":\"f\",\"g\":null}]"},
    {"a: {}\nb: []\nc:\n- {}\n", "{\"a\":{},\"b\":[],\"c\":[{}]}"},
    {"'a b': 'it''s'\n\"c\": \"\\\"q\\\" \\\\ \\n\"\n", "{\"a b\":\"it's\",\"c\":\"\\\"q\\\" \\\\ \\n\"}"},
    {"a: one\n  two\n    three\nb: 'four\n  five'\nc: \"six\n  seven\"\n",
     "{\"a\":\"one two three\",\"b\":\"four five\",\"c\":\"six seven\"}"},
    {"a: b # no\n", NULL},
    {"a: b\n  # yes\n# yes\nc: 'd # e'\n", "{\"a\":\"b\",\"c\":\"d # e\"}"},
    {"a: http://b:80/c#d\n\n\nb: -1\nc: --x\n", "{\"a\":\"http://b:80/c#d\",\"b\":-1,\"c\":\"--x\"}"},
    {"a: yes\nb: 0x10\nc: 1.50\nd: '1'\n", "{\"a\":true,\"b\":16,\"c\":1.50,\"d\":\"1\"}"},
    {"\xC3\xA4: \xE4\xBD\xA0\n", "{\"\xC3\xA4\":\"\xE4\xBD\xA0\"}"},
    {"a: |\n  b\n", NULL},
    {"a: &x b\n", NULL},
    {"a: [b]\n", NULL},
    {"a:\n  b\n", NULL},
    {"a: b: c\n", NULL},
    {"a: b\n- c\n", NULL},
    {"a: b\n  c: d\n", NULL},
    {"a:\n    b: c\n  d: e\n", NULL},
    {"- a\nb: c\n", NULL},
    {"a:\t1\n", NULL},
    {"a: 1\r\n", NULL},
    {"a : 1\n", NULL},
    {"a: 1 \n", NULL},
    {"a: 'b\n", NULL},
    {"a: 'b' c\n", NULL},
    {"a: \"\\x41\"\n", NULL},
    {"a: \xE2\x80\xA8\n", NULL},
    {"# \x7F\na: 1\n", NULL},
    {" a: 1\n", NULL},
    {"a: 1\n...\n", NULL},
    {"--- a\n", NULL},
    {"%YAML 1.1\n---\na: 1\n", NULL},
    {"a: 1\na: 2\n", NULL},
    {"{a: 1}\n", NULL},
    {"just words\n", NULL},
};

START_TEST(test_the_common_part_is_taken) {
  char *found = read_by(&rebali_source_yaml_lines, taken[_i].text, strlen(taken[_i].text));
  if (taken[_i].json == NULL) {
    ck_assert_msg(found == NULL, "%s is read as %s", taken[_i].text, found);
  } else {
    ck_assert_msg(found != NULL, "%s is refused", taken[_i].text);
    ck_assert_str_eq(found, taken[_i].json);
  }
  free(found);
}
END_TEST

/* ---- whatever is taken is what libyaml reads ---- */

#define ROUNDS 300000

static uint32_t draw(uint64_t *state, uint32_t n) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 33) % n;
}

/* The first ones of each list are tame: they are often taken. */
#define TAME 8
static const char *const indents[] = {"", "", "", "  ", "  ", "", "    ", "", "   ", "\t", " "};
static const char *const dashes[] = {"", "", "", "", "- ", "- ", "", "-   ", "- - ", "-"};
static const char *const keys[] = {"a: ", "b: ",     "c: ", "d:\n  e: ", "'f': ", "g: ",  "h:\n- ",
                                   "i:",  "\"j\": ", "",    "k :",       "<<: ",  "- : ", "? "};
static const char *const values[] = {"1",        "x y",
                                     "'q'",      "\"r\"",
                                     "{}",       "",
                                     "x#y",      "long\n      line",
                                     "'s''t'",   "\"u\\\"v\\n\"",
                                     "[]",       "null",
                                     "~",        "-1",
                                     "-",        "- w",
                                     "a:b",      "a: b",
                                     "x #c",     "#",
                                     "'y",       "z'",
                                     "\"y",      "z\"",
                                     "|",        ">-",
                                     "&n m",     "*n",
                                     "!!str 1",  "[1, 2]",
                                     ":",        "::",
                                     "yes",      "0o7",
                                     "1e3",      "\\/",
                                     "\"\\/\"",  "x ",
                                     "'x' ",     "%",
                                     "@x",       "--",
                                     "\xC3\xA4", "\xE2\x80\xA8",
                                     "\xC2\x85", "\x7F",
                                     "...",      "---",
                                     ".5",       "?x",
                                     ":x",       "x:",
                                     "'a\n  b'", "\"a\n   b\"",
                                     "x\n",      "'a\n'"};
static const char *const ends[] = {"\n", "\n",          "\n",     "\n",      "\n",   "\n\n", "\n# c\n",
                                   "\n", "\n    # c\n", "\n  \n", "\n---\n", "\r\n", ""};

#define PICK(list) (list)[draw(state, is_tame ? TAME : (uint32_t)COUNT(list))]

static void make_text(uint64_t *state, char *text, size_t capacity) {
  const uint32_t n = 1 + draw(state, 5);
  size_t len = 0;
  for (uint32_t i = 0; i < n; i++) {
    const int is_tame = draw(state, 8) > 0;
    len += (size_t)snprintf(text + len, capacity - len, "%s%s%s%s%s", PICK(indents), PICK(dashes), PICK(keys),
                            PICK(values), PICK(ends));
  }
}

START_TEST(test_whatever_is_taken_is_read_alike_by_libyaml) {
  uint64_t state = 1;
  char text[1024];
  size_t n_taken = 0;
  for (int i = 0; i < ROUNDS; i++) {
    char *fast, *plain;
    make_text(&state, text, sizeof text);
    fast = read_by(&rebali_source_yaml_lines, text, strlen(text));
    if (fast == NULL) {
      continue;
    }
    plain = read_by(&rebali_source_yaml, text, strlen(text));
    ck_assert_msg(plain != NULL, "libyaml refuses\n%s\nread as %s", text, fast);
    ck_assert_msg(strcmp(fast, plain) == 0, "%s\nread as    %s\ninstead of %s", text, fast, plain);
    n_taken++;
    free(plain);
    free(fast);
  }
  ck_assert_uint_gt(n_taken, ROUNDS / 20);
}
END_TEST

UNIT_CASE(yaml_lines) {
  TCase *cases = tcase_create("yaml_lines");
  tcase_set_timeout(cases, 600);
  tcase_add_loop_test(cases, test_the_common_part_is_taken, 0, (int)COUNT(taken));
  tcase_add_test(cases, test_whatever_is_taken_is_read_alike_by_libyaml);
  return cases;
}
