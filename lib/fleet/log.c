/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

/* Half of a block is dropped when it is full, so that each change is moved at most once on average. */
#define BLOCK_ENTRIES (2u * REBALI_LOG_KEEP)

struct entry {
  uint64_t version;
  uint32_t row;
  uint32_t reserved;
};

struct rebali_log_block {
  atomic_size_t references;
  uint64_t floor; /* last version of which changes were dropped */
  struct entry entries[BLOCK_ENTRIES];
};

static void unref_block(const rebal_allocator *allocator, struct rebali_log_block *block) {
  if (block != NULL && atomic_fetch_sub_explicit(&block->references, 1, memory_order_acq_rel) == 1) {
    rebali_release(allocator, block);
  }
}

static struct rebali_log_block *new_block(const rebal_allocator *allocator) {
  struct rebali_log_block *block = rebali_allocate(allocator, 1, sizeof *block);

  if (block != NULL) {
    atomic_init(&block->references, 1);
    block->floor = 0;
  }
  return block;
}

/* Goes on in a block that starts with the newer half; snapshots keep the old one. */
static int32_t drop_half(const rebal_allocator *allocator, struct rebali_log *log) {
  struct rebali_log_block *old = log->block;
  struct rebali_log_block *block = old;

  if (atomic_load_explicit(&old->references, memory_order_acquire) > 1) {
    block = new_block(allocator);
    if (block == NULL) {
      return REBAL_ENOMEM;
    }
  }
  block->floor = old->entries[BLOCK_ENTRIES - REBALI_LOG_KEEP - 1].version;
  memcpy(block->entries, old->entries + (BLOCK_ENTRIES - REBALI_LOG_KEEP), REBALI_LOG_KEEP * sizeof block->entries[0]);
  if (block != old) {
    unref_block(allocator, old);
  }
  *log = (struct rebali_log){block, REBALI_LOG_KEEP};
  return REBAL_OK;
}

int32_t rebali_log_reserve(const rebal_allocator *allocator, struct rebali_log *log) {
  if (log->block == NULL) {
    log->block = new_block(allocator);
    return log->block == NULL ? REBAL_ENOMEM : REBAL_OK;
  }
  return log->end < BLOCK_ENTRIES ? REBAL_OK : drop_half(allocator, log);
}

void rebali_log_add(struct rebali_log *log, uint64_t version, uint32_t row) {
  log->block->entries[log->end] = (struct entry){version, row, 0};
  log->end++;
}

struct rebali_log rebali_log_share(const struct rebali_log *log) {
  if (log->block != NULL) {
    atomic_fetch_add_explicit(&log->block->references, 1, memory_order_relaxed);
  }
  return *log;
}

void rebali_log_drop(const rebal_allocator *allocator, struct rebali_log *log) {
  unref_block(allocator, log->block);
  *log = (struct rebali_log){NULL, 0};
}

static int compare_rows(const void *left, const void *right, const void *context) {
  const uint32_t a = *(const uint32_t *)left;
  const uint32_t b = *(const uint32_t *)right;

  (void)context;
  return a < b ? -1 : a > b;
}

/* Sorts and drops what is there twice; returns how many are left. */
static size_t sort_rows(uint32_t *rows, size_t n, uint32_t *scratch) {
  size_t kept = 0;
  size_t i;

  rebali_sort(rows, n, sizeof *rows, scratch, compare_rows, NULL);
  for (i = 0; i < n; i++) {
    if (kept == 0 || rows[kept - 1] != rows[i]) {
      rows[kept++] = rows[i];
    }
  }
  return kept;
}

int32_t rebali_log_changes(const struct rebali_log *log, uint64_t since, struct rebali_arena *arena,
                           const uint32_t **rows, size_t *n) {
  size_t first = log->end;
  uint32_t *found;
  size_t i;

  if (log->block != NULL && since < log->block->floor) {
    return REBAL_ENOTFOUND;
  }
  while (first > 0 && log->block->entries[first - 1].version > since) {
    first--;
  }
  *n = log->end - first;
  *rows = NULL;
  if (*n == 0) {
    return REBAL_OK;
  }
  found = rebali_arena_allocate(arena, 2 * *n, sizeof *found);
  if (found == NULL) {
    return REBAL_ENOMEM;
  }
  for (i = 0; i < *n; i++) {
    found[i] = log->block->entries[first + i].row;
  }
  *n = sort_rows(found, *n, found + *n);
  *rows = found;
  return REBAL_OK;
}
