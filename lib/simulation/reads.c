/* SPDX-License-Identifier: MIT */
/* Texts of objects, which live until the controller that reads them is done. */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)64 << 10)

/* Texts one after another, each terminated. */
struct block {
  struct block *next;
  size_t used, capacity;
  char bytes[];
};

struct rebali_reads {
  rebal_text *text;     /* of the read at hand */
  struct block *blocks; /* the newest first */
  int has_failed;
};

struct rebali_reads *rebali_reads_new(void) {
  struct rebali_reads *reads = calloc(1, sizeof *reads);
  if (reads != NULL && rebal_text_new(&reads->text, NULL) != REBAL_OK) {
    free(reads);
    return NULL;
  }
  return reads;
}

/* Leaves one block for the next texts, or none. */
static void free_blocks(struct rebali_reads *reads, int keeps_one) {
  while (reads->blocks != NULL && (!keeps_one || reads->blocks->next != NULL || reads->blocks->capacity > BLOCK)) {
    struct block *next = reads->blocks->next;
    free(reads->blocks);
    reads->blocks = next;
  }
  if (reads->blocks != NULL) {
    reads->blocks->used = 0;
  }
}

void rebali_reads_free(struct rebali_reads *reads) {
  if (reads == NULL) {
    return;
  }
  free_blocks(reads, 0);
  rebal_text_free(reads->text);
  free(reads);
}

/* Where len more bytes can stay; NULL without memory. */
static char *reserve(struct rebali_reads *reads, size_t len) {
  struct block *block = reads->blocks;
  if (block == NULL || block->capacity - block->used < len) {
    const size_t capacity = len < BLOCK ? BLOCK : len; /* of a text in memory, so that the sum does not overflow */
    block = malloc(sizeof *block + capacity);
    if (block == NULL) {
      return NULL;
    }
    *block = (struct block){reads->blocks, 0, capacity};
    reads->blocks = block;
  }
  block->used += len;
  return block->bytes + block->used - len;
}

/* What tells an object apart needs no copy. */
static uint32_t identity_at(const char *path) {
  static const struct {
    const char *path;
    uint32_t part;
  } parts[] = {{"kind", REBAL_IDENTITY_KIND},
               {"metadata.name", REBAL_IDENTITY_NAME},
               {"metadata.namespace", REBAL_IDENTITY_NAMESPACE},
               {"apiVersion", REBAL_IDENTITY_API_VERSION}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (strcmp(parts[i].path, path) == 0) {
      return parts[i].part;
    }
  }
  return 0;
}

struct rebali_slice rebali_read(const rebal_simulation *simulation, const rebal_store *store, uint32_t object,
                                const char *path) {
  struct rebali_reads *reads = simulation->reads;
  const uint32_t part = identity_at(path);
  struct rebali_slice found = {"", 0};
  const char *bytes;
  char *copy = NULL;
  int32_t code;
  if (part != 0) {
    found.bytes = rebal_store_identity(store, object, part, &found.len);
    return found;
  }
  rebal_text_reset(reads->text);
  code = rebal_store_text(store, object, path, strlen(path), reads->text, NULL);
  if (code == REBAL_ENOTFOUND) {
    return found;
  }
  bytes = rebal_text_bytes(reads->text, &found.len);
  copy = code == REBAL_OK ? reserve(reads, found.len + 1) : NULL;
  if (copy == NULL) {
    reads->has_failed = 1;
    return (struct rebali_slice){"", 0};
  }
  memcpy(copy, bytes, found.len + 1);
  found.bytes = copy;
  return found;
}

struct rebali_slice rebali_field(const rebal_simulation *simulation, uint32_t object, const char *path) {
  return rebali_read(simulation, simulation->store, object, path);
}

void rebali_reads_fail(const rebal_simulation *simulation) {
  simulation->reads->has_failed = 1;
}

int32_t rebali_reads_end(rebal_simulation *simulation, int32_t code, rebal_error *err) {
  struct rebali_reads *reads = simulation->reads;
  const int has_failed = reads->has_failed;
  free_blocks(reads, 1);
  reads->has_failed = 0;
  return code == REBAL_OK && has_failed ? rebali_fail_memory(err) : code;
}
