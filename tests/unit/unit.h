/* SPDX-License-Identifier: MIT */
/*
 * tests/unit/unit.h - how the unit tests of a module are organized.
 *
 * A module is a folder of lib and has one test program, tests/unit/unit-<module>. lib/<module>/<file>.c is tested by
 * tests/unit/<module>/test_<file>.c, which ends with its one test case:
 *
 *   UNIT_CASE(version) {
 *     TCase *cases = tcase_create("version");
 *     tcase_add_test(cases, test_version_is_the_headers);
 *     return cases;
 *   }
 *
 * tests/unit/<module>/main.c lists the cases, sorted, one per line:
 *
 *   #define UNIT_CASES(UNIT) \
 *     UNIT(sort)             \
 *     UNIT(version)
 *   UNIT_MAIN("base", UNIT_CASES)
 *
 * To run a single case: CK_RUN_CASE=version tests/unit/unit-record. Debuggers and valgrind need CK_FORK=no.
 */
#ifndef REBALI_UNIT_H
#define REBALI_UNIT_H

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Returns how many of `all` random inputs to try when a fast implementation is compared with its plain twin: a
 * hundredth, which is enough for daily runs and under valgrind, or all if UNIT_TWINS=all is in the environment (tier
 * twins of .ci/run). UNIT_TWIN_SECONDS is a timeout that suffices for all of them.
 */
#define UNIT_TWIN_SECONDS 900
static inline size_t unit_rounds(size_t all) {
  const char *wanted = getenv("UNIT_TWINS");

  return wanted != NULL && strcmp(wanted, "all") == 0 ? all : all / 100;
}

/*
 * Check records each assertion that holds, to report after which one a test crashed. In loops this takes nearly all of
 * the time, so only the first assertions of each file and test are recorded.
 */
#define UNIT_MARKS 100
static inline void unit_mark(const char *file, int line) {
  static int marks;

  if (marks < UNIT_MARKS) {
    marks++;
    _mark_point(file, line);
  }
}
#define _mark_point(file, line) unit_mark(file, line)

/* Adds a test that counts allocations. If each block of an arena is a chunk (tests/coverage), the counts differ. */
#ifdef REBALI_BLOCKS_ALONE
#define UNIT_ADD_COUNTING(cases, test) ((void)(test))
#else
#define UNIT_ADD_COUNTING(cases, test) tcase_add_test(cases, test)
#endif

#define UNIT_CASE(name)      \
  TCase *tcase_##name(void); \
  TCase *tcase_##name(void)

#define UNIT_DECLARE(name) TCase *tcase_##name(void);
#define UNIT_ADD(name) suite_add_tcase(suite, tcase_##name());

#define UNIT_MAIN(module, cases)                      \
  cases(UNIT_DECLARE) int main(void) {                \
    Suite *suite = suite_create(module);              \
    SRunner *runner;                                  \
    int failed;                                       \
    cases(UNIT_ADD) runner = srunner_create(suite);   \
    srunner_run_all(runner, CK_ENV);                  \
    failed = srunner_ntests_failed(runner);           \
    srunner_free(runner);                             \
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE; \
  }

#endif
