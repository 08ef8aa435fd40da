/* SPDX-License-Identifier: MIT */
/*
 * To be loaded before a program's libraries: each call of a function named below is first made some times while a
 * malloc fails, then for the program. A failing call must return REBAL_ENOMEM or the code of the real call, else the
 * program ends; the program's own tests show whether it had an effect on the result.
 *
 *   LD_PRELOAD=tests/memory/.libs/scarce.so tests/laws/laws        SCARCE_TRIES=2: tries before each call
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <rebalance/rebalance.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* ---- malloc ------------------------------------------------------------------------------------------------------ */

static struct {
  int is_counted; /* within a call */
  int is_lasting;
  size_t calls, fails_at; /* 0: none */
} memory;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);

static int fails(void) {
  if (!memory.is_counted) {
    return 0;
  }
  memory.calls++;
  return memory.fails_at != 0 &&
         (memory.is_lasting ? memory.calls >= memory.fails_at : memory.calls == memory.fails_at);
}

static void *failed(void) {
  errno = ENOMEM;
  return NULL;
}

EXPORTED void *malloc(size_t size) {
  return fails() ? failed() : __libc_malloc(size);
}

EXPORTED void *calloc(size_t n, size_t size) {
  return fails() ? failed() : __libc_calloc(n, size);
}

EXPORTED void *realloc(void *block, size_t size) {
  return fails() ? failed() : __libc_realloc(block, size);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

struct call {
  const char *name;
  void *real;
  size_t usual;  /* allocations of the latest call without failures */
  size_t tried;  /* number of tries */
  size_t failed; /* number of tries that returned REBAL_ENOMEM */
  struct call *next;
};

static struct call *calls; /* all functions that were called */
static int is_within;      /* a call that another makes is part of it */
static uint64_t state = 1;

static size_t draw(size_t below) {
  uint64_t value = (state += UINT64_C(0x9E3779B97F4A7C15));

  value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (size_t)((value ^ (value >> 31)) % below);
}

/* Functions that a program seldom calls are tried as thoroughly as others. */
static int tries(const struct call *call) {
  enum { SELDOM = 2000, EACH = 8 };
  const char *text = getenv("SCARCE_TRIES");

  return text != NULL ? atoi(text) : call->tried < SELDOM ? EACH : 1;
}

static void look_up(struct call *call, const char *name) {
  if (call->real == NULL) {
    call->name = name;
    call->real = dlsym(RTLD_NEXT, name);
    call->next = calls;
    calls = call;
  }
  if (call->real == NULL) {
    abort();
  }
}

static void begin(size_t fails_at) {
  memory.calls = 0;
  memory.fails_at = fails_at;
  memory.is_lasting = (int)draw(2);
  memory.is_counted = 1;
}

static void end_scarce(struct call *call, int32_t code, const rebal_error *err) {
  memory.is_counted = 0;
  call->tried++;
  call->failed += code == REBAL_ENOMEM;
  if (code == REBAL_ENOMEM && err->code != code) {
    (void)fprintf(stderr, "%s: REBAL_ENOMEM, but not in the error\n", call->name);
    abort();
  }
}

static void compare(const struct call *call, int32_t scarce, int32_t code) {
  if (scarce != REBAL_ENOMEM && scarce != code) {
    (void)fprintf(stderr, "%s: request %zu fails: code %d, and %d when none does\n", call->name, memory.fails_at,
                  (int)scarce, (int)code);
    abort();
  }
}

/* As rebali_fail() does, for an err of any size. */
static void give(rebal_error *err, const rebal_error *error) {
  const uint32_t size = err == NULL ? 0 : err->struct_size;

  if (size >= sizeof size) {
    memcpy(err, error, size < sizeof *error ? size : sizeof *error);
    err->struct_size = size;
  }
}

/* Reports the tries, so that a run without failures is noticed. */
__attribute__((destructor)) static void report(void) {
  const char *path = getenv("SCARCE_REPORT");
  FILE *file = path == NULL ? NULL : fopen(path, "a");

  for (const struct call *call = calls; file != NULL && call != NULL; call = call->next) {
    (void)fprintf(file, "%s %zu\n", call->name, call->failed);
  }
  if (file != NULL) {
    (void)fclose(file);
  }
}

/* Only tries that fail get a ledger of their own: their charges must not reach the program. */
static rebal_schedule_opts own_ledger(const rebal_schedule_opts *opts) {
  rebal_schedule_opts copy = {.struct_size = (uint32_t)sizeof copy};
  rebal_ledger *ledger = NULL;

  if (opts != NULL) {
    memcpy(&copy, opts, opts->struct_size < sizeof copy ? opts->struct_size : sizeof copy);
  }
  if (copy.ledger != NULL && rebal_ledger_fork(copy.ledger, &ledger, NULL) != REBAL_OK) {
    abort();
  }
  copy.ledger = ledger;
  return copy;
}

/* A call that changes an object ends with the first try that has enough memory. */
#define SCARCE_WITH(name, parameters, arguments, scarce, is_over, before, after) \
  EXPORTED int32_t name parameters {                                             \
    static struct call call;                                                     \
    int32_t(*real) parameters;                                                   \
    int32_t code = REBAL_ENOMEM, first = REBAL_ENOMEM;                           \
    look_up(&call, #name);                                                       \
    memcpy(&real, &call.real, sizeof real);                                      \
    if (is_within) {                                                             \
      return real arguments;                                                     \
    }                                                                            \
    is_within = 1;                                                               \
    for (int i = tries(&call); i > 0 && call.usual > 0; i--) {                   \
      rebal_error error = REBAL_ERROR_INIT;                                      \
      before;                                                                    \
      begin(1 + draw(call.usual));                                               \
      first = real scarce;                                                       \
      end_scarce(&call, first, &error);                                          \
      after;                                                                     \
      if (is_over && first != REBAL_ENOMEM) {                                    \
        is_within = 0;                                                           \
        give(err, &error);                                                       \
        return first;                                                            \
      }                                                                          \
    }                                                                            \
    begin(0);                                                                    \
    code = real arguments;                                                       \
    memory.is_counted = 0;                                                       \
    compare(&call, first, code);                                                 \
    call.usual = memory.calls;                                                   \
    is_within = 0;                                                               \
    return code;                                                                 \
  }
#define SCARCE(name, parameters, arguments, scarce) \
  SCARCE_WITH(name, parameters, arguments, scarce, 0, (void)0, (void)0)
#define SCARCE_CHANGE(name, parameters, arguments, scarce) \
  SCARCE_WITH(name, parameters, arguments, scarce, 1, (void)0, (void)0)
#define SCARCE_LEDGER(name, parameters, arguments, scarce)                                        \
  SCARCE_WITH(name, parameters, arguments, scarce, 0, rebal_schedule_opts own = own_ledger(opts), \
              rebal_ledger_free(own.ledger))
#include "scarce_calls.def"
