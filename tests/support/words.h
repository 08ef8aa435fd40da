/* SPDX-License-Identifier: MIT */
/* tests/support/words.h - the small language of the tables in fleet_builder.h. */
#ifndef TEST_WORDS_H
#define TEST_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct test_word {
  const char *text;
  size_t len;
};

/* The next piece of *rest up to a separator, which is passed; 0 at the end. Pieces may be empty, a rest may not. */
int test_next(struct test_word *rest, char separator, struct test_word *out);
/* All of a text; NULL is empty. */
struct test_word test_word(const char *text);
/* Cuts word at the first separator: word keeps the part before it. Returns the part after it; len 0: none. */
struct test_word test_cut(struct test_word *word, char separator);
int64_t test_number(struct test_word word);
/* Ends the program: the table is wrong. */
void test_wrong(const char *what, struct test_word word);

#endif
