/* SPDX-License-Identifier: MIT */
/* The clusters of each region as bitsets, kept in the context's cache, so that counting clusters is counting bits. */
#include "scheduler/fast/shortlist.h"

static void destroy(const rebal_allocator *allocator, void *value) {
  struct rebali_regions *regions = value;

  rebali_release(allocator, regions->bits);
  rebali_release(allocator, regions);
}

/*
 * Grows the arrays. New rows are in no region. Both arrays are one block; a word of bits goes with 64 bytes of of_row.
 */
static int32_t grow(const rebal_allocator *allocator, struct rebali_regions *regions, size_t rows) {
  const size_t words = REBALI_BITSET_WORDS(rows) * 2;
  uint64_t *bits;
  uint8_t *of_row;

  if (rows <= regions->words * 64) {
    return REBAL_OK;
  }
  bits = rebali_allocate_zero(allocator, words, REBALI_MAX_REGIONS * sizeof *bits + 64);
  if (bits == NULL) {
    return REBAL_ENOMEM;
  }
  of_row = (uint8_t *)(bits + REBALI_MAX_REGIONS * words);
  memset(of_row, REBALI_NO_REGION, words * 64);
  if (regions->words > 0) {
    for (size_t i = 0; i < regions->n; i++) {
      memcpy(bits + i * words, regions->bits + i * regions->words, regions->words * sizeof *bits);
    }
    memcpy(of_row, regions->of_row, regions->words * 64);
  }
  rebali_release(allocator, regions->bits);
  regions->bits = bits;
  regions->of_row = of_row;
  regions->words = words;
  return REBAL_OK;
}

static uint8_t add_region(struct rebali_regions *regions, int64_t text, struct rebali_text name) {
  const size_t at = regions->n;
  size_t place = at;

  if (name.len == 0) {
    return REBALI_NO_REGION;
  }
  if (at == REBALI_MAX_REGIONS) {
    regions->are_too_many = 1;
    return REBALI_NO_REGION;
  }
  regions->n++;
  regions->texts[at] = text;
  regions->names[at] = name;
  for (; place > 0 && rebali_text_compare(name, regions->names[regions->by_name[place - 1]]) < 0; place--) {
    regions->by_name[place] = regions->by_name[place - 1];
  }
  regions->by_name[place] = (uint8_t)at;
  return (uint8_t)at;
}

/* Returns the number of a cluster's region, by the id of its name. Adds a number if there is space. */
static uint8_t number_of(struct rebali_regions *regions, const rebal_snapshot *snapshot, uint32_t row) {
  const int64_t text = rebali_snapshot_i64(snapshot, REBAL_CLUSTER_REGION, row);

  for (size_t at = 0; at < regions->n; at++) {
    if (regions->texts[at] == text) {
      return (uint8_t)at;
    }
  }
  return add_region(regions, text, rebali_snapshot_text(snapshot, REBAL_CLUSTER_REGION, row));
}

static int32_t update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                      const uint32_t *rows, size_t n, rebal_error *err) {
  struct rebali_regions *regions = value;

  (void)key;
  if (grow(rebali_ctx_allocator(ctx), regions, rebali_snapshot_rows(snapshot)) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    const uint32_t row = rows[i];
    const uint8_t before = regions->of_row[row];
    const uint8_t now = number_of(regions, snapshot, row);

    if (before != REBALI_NO_REGION) {
      rebali_bit_set(regions->bits + before * regions->words, row, 0);
    }
    if (now != REBALI_NO_REGION) {
      rebali_bit_set(regions->bits + now * regions->words, row, 1);
    }
    regions->of_row[row] = now;
  }
  return REBAL_OK;
}

static int32_t build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value, rebal_error *err) {
  struct rebali_regions *regions = rebali_allocate_zero(rebali_ctx_allocator(ctx), 1, sizeof *regions);
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n);

  if (regions == NULL) {
    return rebali_fail_memory(err);
  }
  if (update(ctx, snapshot, key, regions, clusters, n, err) != REBAL_OK) {
    destroy(rebali_ctx_allocator(ctx), regions);
    return REBAL_ENOMEM;
  }
  *value = regions;
  return REBAL_OK;
}

static size_t bytes(const void *value) {
  const struct rebali_regions *regions = value;

  return sizeof *regions + regions->words * (REBALI_MAX_REGIONS * sizeof(uint64_t) + 64);
}

static const struct rebali_derived kind = {build, update, bytes, destroy, REBALI_READS_CELLS, NULL};

int32_t rebali_regions_get(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_regions **out,
                           rebal_error *err) {
  void *value = NULL;
  const int32_t code = rebali_cache_get(ctx, snapshot, &kind, REBALI_TEXT(""), &value, err);

  *out = value;
  return code;
}
