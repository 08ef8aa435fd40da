/* SPDX-License-Identifier: MIT */
/*
 * tests/portability/check/check.h - what the unit tests use of Check, in plain C11: one process, no clock, no signals.
 * For targets that have no Check, such as Windows or musl; a test that fails ends by a jump, a crash ends the program.
 */
#ifndef SUBSTITUTE_CHECK_H
#define SUBSTITUTE_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__MINGW32__)
#define SUBSTITUTE_PRINTF(text, first) __attribute__((noreturn, format(gnu_printf, text, first)))
#define SUBSTITUTE_UNUSED __attribute__((unused))
#elif defined(__GNUC__)
#define SUBSTITUTE_PRINTF(text, first) __attribute__((noreturn, format(printf, text, first)))
#define SUBSTITUTE_UNUSED __attribute__((unused))
#else
#define SUBSTITUTE_PRINTF(text, first)
#define SUBSTITUTE_UNUSED
#endif

typedef struct TTest {
  const char *name;
  void (*run)(int _i);
} TTest;
typedef struct TCase TCase;
typedef struct Suite Suite;
typedef struct SRunner SRunner;

TCase *tcase_create(const char *name);
void tcase_add_loop_test(TCase *tcase, const TTest *test, int start, int end);
#define tcase_add_test(tcase, test) tcase_add_loop_test(tcase, test, 0, 1)
void tcase_add_checked_fixture(TCase *tcase, void (*setup)(void), void (*teardown)(void));
#define tcase_set_tags(tcase, tags) ((void)(tcase), (void)(tags))
#define tcase_set_timeout(tcase, seconds) ((void)(tcase), (void)(seconds))
Suite *suite_create(const char *name);
void suite_add_tcase(Suite *suite, TCase *tcase);
SRunner *srunner_create(Suite *suite);
#define CK_ENV 0
void srunner_run_all(SRunner *runner, int mode);
int srunner_ntests_failed(SRunner *runner);
void srunner_free(SRunner *runner);

/* Ends the test that runs. */
void substitute_fail(const char *file, int line, const char *format, ...) SUBSTITUTE_PRINTF(3, 4);
/* Left, relation and right of an assertion that does not hold. */
void substitute_integers(const char *file, int line, const char *text, intmax_t left, intmax_t right);
void substitute_numbers(const char *file, int line, const char *text, uintmax_t left, uintmax_t right);
void substitute_texts(const char *file, int line, const char *text, const char *left, const char *right);

static inline void _mark_point(const char *file, int line) {
  (void)file;
  (void)line;
}

#define START_TEST(test)                                  \
  static void test##_run(int _i SUBSTITUTE_UNUSED);       \
  static const TTest test##_record = {#test, test##_run}; \
  static const TTest *const test = &test##_record;        \
  static void test##_run(int _i SUBSTITUTE_UNUSED)
#define END_TEST

#define ck_assert_msg(held, ...) ((held) ? (void)0 : substitute_fail(__FILE__, __LINE__, __VA_ARGS__))
#define ck_assert(held) ((held) ? (void)0 : substitute_fail(__FILE__, __LINE__, "%s", #held))
#define ck_abort_msg(...) substitute_fail(__FILE__, __LINE__, __VA_ARGS__)

#define SUBSTITUTE_INTEGERS(x, relation, y)                                                         \
  do {                                                                                              \
    const intmax_t substitute_x = (x), substitute_y = (y);                                          \
    if (!(substitute_x relation substitute_y)) {                                                    \
      substitute_integers(__FILE__, __LINE__, #x " " #relation " " #y, substitute_x, substitute_y); \
    }                                                                                               \
  } while (0)
#define ck_assert_int_eq(x, y) SUBSTITUTE_INTEGERS(x, ==, y)
#define ck_assert_int_ne(x, y) SUBSTITUTE_INTEGERS(x, !=, y)
#define ck_assert_int_lt(x, y) SUBSTITUTE_INTEGERS(x, <, y)
#define ck_assert_int_le(x, y) SUBSTITUTE_INTEGERS(x, <=, y)
#define ck_assert_int_gt(x, y) SUBSTITUTE_INTEGERS(x, >, y)
#define ck_assert_int_ge(x, y) SUBSTITUTE_INTEGERS(x, >=, y)

#define SUBSTITUTE_NUMBERS(x, relation, y)                                                         \
  do {                                                                                             \
    const uintmax_t substitute_x = (x), substitute_y = (y);                                        \
    if (!(substitute_x relation substitute_y)) {                                                   \
      substitute_numbers(__FILE__, __LINE__, #x " " #relation " " #y, substitute_x, substitute_y); \
    }                                                                                              \
  } while (0)
#define ck_assert_uint_eq(x, y) SUBSTITUTE_NUMBERS(x, ==, y)
#define ck_assert_uint_ne(x, y) SUBSTITUTE_NUMBERS(x, !=, y)
#define ck_assert_uint_lt(x, y) SUBSTITUTE_NUMBERS(x, <, y)
#define ck_assert_uint_le(x, y) SUBSTITUTE_NUMBERS(x, <=, y)
#define ck_assert_uint_gt(x, y) SUBSTITUTE_NUMBERS(x, >, y)
#define ck_assert_uint_ge(x, y) SUBSTITUTE_NUMBERS(x, >=, y)

#define ck_assert_double_eq(x, y) ck_assert((x) == (y))
#define ck_assert_ptr_eq(x, y) ck_assert((const void *)(x) == (const void *)(y))
#define ck_assert_ptr_ne(x, y) ck_assert((const void *)(x) != (const void *)(y))
#define ck_assert_ptr_null(x) ck_assert((const void *)(x) == NULL)
#define ck_assert_ptr_nonnull(x) ck_assert((const void *)(x) != NULL)
#define ck_assert_mem_eq(x, y, len) ck_assert(memcmp(x, y, len) == 0)

/* A NULL is equal to no text, or (pstr) to another NULL only. */
#define SUBSTITUTE_TEXTS(x, y, nulls)                                                             \
  do {                                                                                            \
    const char *substitute_x = (x), *substitute_y = (y);                                          \
    if (substitute_x == NULL || substitute_y == NULL ? !(nulls) || substitute_x != substitute_y   \
                                                     : strcmp(substitute_x, substitute_y) != 0) { \
      substitute_texts(__FILE__, __LINE__, #x " == " #y, substitute_x, substitute_y);             \
    }                                                                                             \
  } while (0)
#define ck_assert_str_eq(x, y) SUBSTITUTE_TEXTS(x, y, 0)
#define ck_assert_pstr_eq(x, y) SUBSTITUTE_TEXTS(x, y, 1)
#define ck_assert_str_ne(x, y) ck_assert(strcmp(x, y) != 0)

#endif
