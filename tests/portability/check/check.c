/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MANY 256

struct entry {
  const TTest *test;
  int start;
  int end;
};
struct TCase {
  const char *name;
  struct entry entries[MANY];
  size_t n_entries;
  void (*setup[MANY])(void);
  void (*teardown[MANY])(void);
  size_t n_fixtures;
};
struct Suite {
  const char *name;
  TCase *cases[MANY];
  size_t n_cases;
};
struct SRunner {
  Suite *suite;
  int run;
  int failed;
};

static jmp_buf end_of_test;

static void *made(size_t size) {
  void *memory = calloc(1, size);

  if (memory == NULL) {
    abort();
  }
  return memory;
}

/* The next of a fixed number of places; ends a program with more. */
static size_t next(size_t *n) {
  if (*n == MANY) {
    abort();
  }
  return (*n)++;
}

TCase *tcase_create(const char *name) {
  TCase *tcase = made(sizeof *tcase);

  tcase->name = name;
  return tcase;
}

void tcase_add_loop_test(TCase *tcase, const TTest *test, int start, int end) {
  tcase->entries[next(&tcase->n_entries)] = (struct entry){test, start, end};
}

void tcase_add_checked_fixture(TCase *tcase, void (*setup)(void), void (*teardown)(void)) {
  const size_t at = next(&tcase->n_fixtures);

  tcase->setup[at] = setup;
  tcase->teardown[at] = teardown;
}

Suite *suite_create(const char *name) {
  Suite *suite = made(sizeof *suite);

  suite->name = name;
  return suite;
}

void suite_add_tcase(Suite *suite, TCase *tcase) {
  suite->cases[next(&suite->n_cases)] = tcase;
}

SRunner *srunner_create(Suite *suite) {
  SRunner *runner = made(sizeof *runner);

  runner->suite = suite;
  return runner;
}

/* Runs a test. Returns 0 if an assertion failed, which has printed a message. */
static int held(const TCase *tcase, const TTest *test, int number) {
  if (setjmp(end_of_test) != 0) {
    return 0;
  }
  for (size_t i = 0; i < tcase->n_fixtures; i++) {
    if (tcase->setup[i] != NULL) {
      tcase->setup[i]();
    }
  }
  test->run(number);
  for (size_t i = tcase->n_fixtures; i > 0; i--) {
    if (tcase->teardown[i - 1] != NULL) {
      tcase->teardown[i - 1]();
    }
  }
  return 1;
}

static void run_case(SRunner *runner, const TCase *tcase) {
  for (size_t i = 0; i < tcase->n_entries; i++) {
    const struct entry *entry = &tcase->entries[i];

    for (int number = entry->start; number < entry->end; number++) {
      runner->run++;
      if (!held(tcase, entry->test, number)) {
        runner->failed++;
        (void)printf("  in %s:%s:%d\n", tcase->name, entry->test->name, number);
      }
    }
  }
}

void srunner_run_all(SRunner *runner, int mode) {
  const char *only = getenv("CK_RUN_CASE");

  (void)mode;
  for (size_t i = 0; i < runner->suite->n_cases; i++) {
    if (only == NULL || strcmp(only, runner->suite->cases[i]->name) == 0) {
      run_case(runner, runner->suite->cases[i]);
    }
  }
  (void)printf("%s: %d tests, %d failed\n", runner->suite->name, runner->run, runner->failed);
}

/* A program that ran nothing fails. */
int srunner_ntests_failed(SRunner *runner) {
  return runner->run == 0 ? 1 : runner->failed;
}

void srunner_free(SRunner *runner) {
  for (size_t i = 0; i < runner->suite->n_cases; i++) {
    free(runner->suite->cases[i]);
  }
  free(runner->suite);
  free(runner);
}

void substitute_fail(const char *file, int line, const char *format, ...) {
  va_list arguments;

  (void)printf("%s:%d: ", file, line);
  va_start(arguments, format);
  (void)vprintf(format, arguments);
  va_end(arguments);
  (void)printf("\n");
  (void)fflush(stdout);
  longjmp(end_of_test, 1);
}

void substitute_integers(const char *file, int line, const char *text, intmax_t left, intmax_t right) {
  substitute_fail(file, line, "%s: %" PRIdMAX " and %" PRIdMAX, text, left, right);
}

void substitute_numbers(const char *file, int line, const char *text, uintmax_t left, uintmax_t right) {
  substitute_fail(file, line, "%s: %" PRIuMAX " and %" PRIuMAX, text, left, right);
}

void substitute_texts(const char *file, int line, const char *text, const char *left, const char *right) {
  substitute_fail(file, line, "%s: \"%s\" and \"%s\"", text, left == NULL ? "(null)" : left,
                  right == NULL ? "(null)" : right);
}
