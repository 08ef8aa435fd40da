/* SPDX-License-Identifier: MIT */
/*
 * Every task of tasks.c with a malloc, calloc or realloc that fails, whoever calls it: jansson, libyaml and the C
 * library too. The k-th call fails alone; then the k-th and all after it. The task must return REBAL_ENOMEM or its
 * usual result, and leak nothing. Every k is tried if there are few, else a sample drawn with MEMORY_SEED.
 *
 *   memory [TASK]            MEMORY_SAMPLES=2000: size of the sample; MEMORY_ONLY=K: only this call
 */
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define CAN_FAIL 0 /* another malloc is in use already, or there is no other name for the one below */
#else
#define CAN_FAIL 1
#endif

#define FILES 64
#define FEW 8000
#define SAMPLES 40 /* of more than a few */

/* ---- malloc ------------------------------------------------------------------------------------------------------ */

static struct {
  int is_on, is_lasting;
  size_t calls, fails_at;
  long live; /* blocks */
} memory;

#if CAN_FAIL
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static int fails(void) {
  if (!memory.is_on) {
    return 0;
  }
  memory.calls++;
  return memory.is_lasting ? memory.calls >= memory.fails_at : memory.calls == memory.fails_at;
}

static void *counted(void *block, int is_new) {
  memory.live += memory.is_on && is_new && block != NULL;
  return block;
}

static void *failed(void) {
  errno = ENOMEM;
  return NULL;
}

/* The libraries see these instead of the C library's. */
#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size) {
  return fails() ? failed() : counted(__libc_malloc(size), 1);
}

EXPORTED void *calloc(size_t n, size_t size) {
  return fails() ? failed() : counted(__libc_calloc(n, size), 1);
}

EXPORTED void *realloc(void *block, size_t size) {
  return fails() ? failed() : counted(__libc_realloc(block, size), block == NULL);
}

EXPORTED void free(void *block) {
  memory.live -= memory.is_on && block != NULL;
  __libc_free(block);
}
#endif

/* ---- files ------------------------------------------------------------------------------------------------------- */

static struct {
  const char *name;
  char *bytes;
} files[FILES];

static char *read_file(const char *name) {
  const char *source = getenv("top_srcdir");
  char path[1024];
  char *bytes = calloc(1, 1 << 20);
  FILE *file;
  (void)snprintf(path, sizeof path, "%s/examples/%s", source != NULL ? source : ".", name);
  file = fopen(path, "rb");
  if (bytes == NULL || file == NULL || fread(bytes, 1, (1 << 20) - 1, file) == 0) {
    (void)fprintf(stderr, "%s cannot be read\n", path);
    exit(1);
  }
  (void)fclose(file);
  return bytes;
}

const char *example(const char *name) {
  size_t i = 0;
  while (i < FILES && files[i].name != NULL && strcmp(files[i].name, name) != 0) {
    i++;
  }
  if (files[i].name == NULL) {
    files[i].bytes = read_file(name);
    files[i].name = name;
  }
  return files[i].bytes;
}

static void free_files(void) {
  for (size_t i = 0; i < FILES; i++) {
    free(files[i].bytes);
  }
}

/* ---- tries ------------------------------------------------------------------------------------------------------- */

void report(struct answer *answer, const char *text) {
  const size_t len = strlen(text);
  if (answer->len + len + 2 > sizeof answer->bytes) {
    abort();
  }
  memcpy(answer->bytes + answer->len, text, len);
  answer->len += len;
  answer->bytes[answer->len++] = '\n';
}

static struct answer wanted, found; /* of the current task */

/* Returns the number of calls. fails_at SIZE_MAX: none fails. */
static size_t run(const struct task *task, size_t fails_at, int is_lasting, struct answer *answer, int32_t *code,
                  rebal_error *err) {
  answer->len = 0;
  memory.calls = 0;
  memory.live = 0;
  memory.fails_at = fails_at;
  memory.is_lasting = is_lasting;
  memory.is_on = 1;
  *code = task->run(task, answer, err);
  memory.is_on = 0;
  return memory.calls;
}

static int is_same(void) {
  return wanted.len == found.len && memcmp(wanted.bytes, found.bytes, wanted.len) == 0;
}

/* Returns 1 if the failure of one call, or of all from there on, is reported wrongly. */
static int try(const struct task *task, size_t fails_at, int is_lasting) {
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;
  (void)run(task, fails_at, is_lasting, &found, &code, &err);
  if (memory.live == 0 && ((code == REBAL_OK && is_same()) || (code == REBAL_ENOMEM && err.code == code))) {
    return 0;
  }
  (void)printf("%s: malloc %zu fails%s: code %d (%s: %s), %ld blocks leaked%s\n", task->name, fails_at,
               is_lasting ? " and all after it" : "", (int)code, rebal_strerror(err.code), err.message, memory.live,
               code == REBAL_OK && !is_same() ? ", another answer" : "");
  return 1;
}

static size_t number(const char *variable, size_t otherwise) {
  const char *text = getenv(variable);
  return text != NULL ? (size_t)strtoull(text, NULL, 10) : otherwise;
}

/* splitmix64 */
static uint64_t draw(uint64_t *state) {
  uint64_t value = (*state += UINT64_C(0x9E3779B97F4A7C15));
  value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
  return value ^ (value >> 31);
}

static size_t try_all(const struct task *task) {
  const size_t samples = number("MEMORY_SAMPLES", SAMPLES), only = number("MEMORY_ONLY", 0);
  uint64_t state = number("MEMORY_SEED", 1);
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;
  size_t faults = 0, calls, n;
  (void)run(task, SIZE_MAX, 0, &wanted, &code, &err); /* made once and kept, such as by the C library */
  calls = run(task, SIZE_MAX, 0, &wanted, &code, &err);
  if (code != REBAL_OK || memory.live != 0 || wanted.len == 0 || calls == 0) {
    (void)printf("%s: code %d: %s (%s), %ld blocks leaked\n", task->name, (int)code, err.message, err.field,
                 memory.live);
    return 1;
  }
  if (only > 0) {
    return (size_t)try(task, only, 0) + (size_t)try(task, only, 1);
  }
  n = calls <= FEW || calls <= samples ? calls : samples;
  for (size_t i = 0; i < n && faults < 20; i++) {
    const size_t fails_at = n == calls ? i + 1 : 1 + (size_t)(draw(&state) % calls);
    faults += (size_t)try(task, fails_at, 0) + (size_t)try(task, fails_at, 1);
  }
  (void)printf("%s: %zu calls, %zu tried, %zu faults\n", task->name, calls, n, faults);
  (void)fflush(stdout);
  return faults;
}

int main(int argc, char **argv) {
  size_t faults = 0;
  if (!CAN_FAIL) {
    (void)printf("the memory functions cannot be replaced here\n");
    return 77;
  }
  for (size_t i = 0; i < n_tasks; i++) {
    if (argc < 2 || strcmp(argv[1], tasks[i].name) == 0) {
      faults += try_all(&tasks[i]);
    }
  }
  free_files();
  return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
