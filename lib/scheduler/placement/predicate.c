/* SPDX-License-Identifier: MIT */
/*
 * Predicates on a column, evaluated for all clusters. Cells are ids and handles of interned values, so clusters with
 * the same cell share an answer, and no text is compared twice.
 */
#include "scheduler/placement/placement.h"

#define KNOWN 256u      /* cells remembered at a time, indexed by their low bits; a power of two */
#define KNOWN_OF_FEW 8u /* the same for at most 64 rows */

struct walk {
  const struct rebali_predicate *predicate;
  const rebal_snapshot *snapshot;
  int64_t cells[KNOWN];  /* -1: none, as no id is negative */
  uint64_t holds[KNOWN]; /* all bits or none */
  size_t mask;
};

static uint64_t evaluate(const struct walk *walk, uint32_t cluster) {
  return walk->predicate->holds(walk->predicate->subject, walk->snapshot, cluster) ? UINT64_MAX : 0;
}

/* Returns the bits of n rows (at most 64) from first on. */
static uint64_t bits_of(struct walk *walk, uint32_t first, uint32_t n) {
  int64_t absent;
  const int64_t *cells = rebali_snapshot_page(walk->snapshot, walk->predicate->column, first, &absent);
  uint64_t bits = 0;

  if (cells == NULL) {
    return evaluate(walk, first);
  }
  for (uint64_t i = 0, bit = 1; i < n; i++, bit += bit) {
    const size_t at = (size_t)cells[i] & walk->mask;

    if (walk->cells[at] != cells[i]) {
      walk->cells[at] = cells[i];
      walk->holds[at] = evaluate(walk, first + (uint32_t)i);
    }
    bits |= walk->holds[at] & bit;
  }
  return bits;
}

void rebali_predicate_keep(const struct rebali_predicate *predicate, const rebal_snapshot *snapshot, uint64_t *bits) {
  const uint32_t rows = rebali_snapshot_rows(snapshot);
  struct walk walk;

  walk.predicate = predicate;
  walk.snapshot = snapshot;
  walk.mask = (rows <= 64 ? KNOWN_OF_FEW : KNOWN) - 1;
  for (size_t i = 0; i <= walk.mask; i++) {
    walk.cells[i] = -1;
  }
  for (uint32_t first = 0; first < rows; first += 64) {
    uint64_t *word = &bits[first / 64];

    if (*word != 0) {
      *word &= bits_of(&walk, first, rows - first < 64 ? rows - first : 64);
    }
  }
}

void rebali_rows_existing(const rebal_snapshot *snapshot, uint64_t *bits) {
  const uint32_t rows = rebali_snapshot_rows(snapshot);
  uint32_t n;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n);

  if (n < rows) {
    for (uint32_t i = 0; i < n; i++) {
      rebali_bit_set(bits, clusters[i], 1);
    }
    return;
  }
  for (uint32_t i = 0; i < rows / 64; i++) {
    bits[i] = UINT64_MAX;
  }
  if (rows % 64 != 0) {
    bits[rows / 64] = (UINT64_C(1) << rows % 64) - 1;
  }
}

int32_t rebali_bitsets_grow(struct rebali_arena *arena, uint64_t **bits, size_t n, size_t rows, size_t *words) {
  const size_t needed = REBALI_BITSET_WORDS(rows);
  const size_t wanted = needed < 2 * *words ? 2 * *words : needed + 1; /* loses at most as much outgrown memory */
  uint64_t *grown;

  if (needed <= *words && *bits != NULL) {
    return REBAL_OK;
  }
  grown = rebali_arena_allocate_zero(arena, n, wanted * sizeof *grown); /* a quarter of the rows, which are in memory */
  if (grown == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; *bits != NULL && i < n; i++) {
    memcpy(grown + i * wanted, *bits + i * *words, *words * sizeof *grown);
  }
  *bits = grown;
  *words = wanted;
  return REBAL_OK;
}
