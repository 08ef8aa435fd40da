/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

/* A full block drops half of its entries, so each change is moved at most once on average. */
#define BLOCK_ENTRIES (2u * REBALI_LOG_KEEP)

struct rebali_log_block {
  atomic_size_t references;
  uint64_t floor; /* last version whose changes were dropped */
  uint64_t versions[BLOCK_ENTRIES];
  uint32_t rows[BLOCK_ENTRIES];
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

/* Continues in a block that starts with the newer half; snapshots keep the old one. */
static int32_t drop_half(const rebal_allocator *allocator, struct rebali_log *log) {
  const size_t dropped = BLOCK_ENTRIES - REBALI_LOG_KEEP;
  struct rebali_log_block *old = log->block;
  struct rebali_log_block *block = old;

  if (atomic_load_explicit(&old->references, memory_order_acquire) > 1) {
    block = new_block(allocator);
    if (block == NULL) {
      return REBAL_ENOMEM;
    }
  }
  block->floor = old->versions[dropped - 1];
  memcpy(block->versions, old->versions + dropped, REBALI_LOG_KEEP * sizeof block->versions[0]);
  memcpy(block->rows, old->rows + dropped, REBALI_LOG_KEEP * sizeof block->rows[0]);
  if (block != old) {
    unref_block(allocator, old);
  }
  log->block = block;
  log->end = REBALI_LOG_KEEP;
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
  log->block->versions[log->end] = version;
  log->block->rows[log->end] = row;
  log->end++;
  log->last = version;
}

struct rebali_log rebali_log_share(const struct rebali_log *log) {
  if (log->block != NULL) {
    atomic_fetch_add_explicit(&log->block->references, 1, memory_order_relaxed);
  }
  return *log;
}

void rebali_log_drop(const rebal_allocator *allocator, struct rebali_log *log) {
  unref_block(allocator, log->block);
  *log = (struct rebali_log){NULL, 0, 0};
}

int32_t rebali_log_changes(const struct rebali_log *log, uint64_t since, const uint32_t **rows, size_t *n) {
  const struct rebali_log_block *block = log->block;
  size_t first = log->end;

  *rows = NULL;
  *n = 0;
  if (log->last <= since) {
    return REBAL_OK;
  }
  if (since < block->floor) {
    return REBAL_ENOTFOUND;
  }
  while (first > 0 && block->versions[first - 1] > since) {
    first--;
  }
  *rows = block->rows + first;
  *n = log->end - first;
  return REBAL_OK;
}
