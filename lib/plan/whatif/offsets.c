/* SPDX-License-Identifier: MIT */
/*
 * How much more is charged to clusters with a loss than without it: sums of shifts (shifts.c), by cluster. A binding
 * finds the losses that may concern it by the clusters whose capacity it reads. Charges of a lost cluster are never
 * read.
 */
#include "plan/whatif/whatif.h"

struct pair {
  uint32_t loss;
  uint32_t cluster;
};

int32_t rebali_offsets_init(struct rebali_offsets *offsets, const rebal_allocator *allocator,
                            struct rebali_arena *arena, size_t rows, size_t n_losses) {
  const size_t words = REBALI_BITSET_WORDS(rows) + 1;

  offsets->allocator = allocator;
  offsets->rows = rows;
  offsets->n_losses = n_losses;
  offsets->are_exact = 1;
  offsets->first = rebali_arena_allocate(arena, rows + 1, sizeof *offsets->first);
  offsets->held = rebali_arena_allocate_zero(arena, rows + 1, sizeof(struct rebali_component *));
  offsets->fallen = rebali_arena_allocate_zero(arena, words, sizeof *offsets->fallen);
  offsets->claims = rebali_arena_allocate_zero(arena, n_losses + 1, sizeof *offsets->claims);
  offsets->of_loss = rebali_arena_allocate_zero(arena, n_losses + 1, sizeof *offsets->of_loss);
  offsets->beside.rows = rebali_arena_allocate_zero(arena, words, sizeof *offsets->beside.rows);
  offsets->beside.places = rebali_arena_allocate(arena, rows + 1, sizeof *offsets->beside.places);
  if (offsets->claims == NULL || offsets->first == NULL || offsets->held == NULL || offsets->fallen == NULL ||
      offsets->of_loss == NULL || offsets->beside.rows == NULL || offsets->beside.places == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t row = 0; row < rows; row++) {
    offsets->first[row] = REBAL_NONE;
  }
  return rebali_intern_new(allocator, &offsets->pairs);
}

void rebali_offsets_dispose(struct rebali_offsets *offsets) {
  for (size_t loss = 0; offsets->of_loss != NULL && loss < offsets->n_losses; loss++) {
    rebali_release(offsets->allocator, offsets->of_loss[loss].list);
  }
  rebali_intern_free(offsets->pairs);
  rebali_release(offsets->allocator, offsets->list);
  rebali_release(offsets->allocator, offsets->amounts);
  rebali_release(offsets->allocator, offsets->most);
  rebali_release(offsets->allocator, offsets->least);
}

/* ---- capacity ---------------------------------------------------------------------------------------------------- */

/* Widens the stride of n rows; the rows after them are zero. Without memory no more offsets are added. */
static int32_t widen(const struct rebali_offsets *offsets, int64_t **amounts, size_t n, size_t capacity,
                     size_t stride) {
  int64_t *wide = capacity == 0 ? NULL : rebali_allocate_zero(offsets->allocator, capacity, stride * sizeof *wide);

  if (wide == NULL) {
    return capacity == 0 ? REBAL_OK : REBAL_ENOMEM;
  }
  for (size_t row = 0; row < n && *amounts != NULL; row++) {
    memcpy(wide + row * stride, *amounts + row * offsets->stride, offsets->stride * sizeof *wide);
  }
  rebali_release(offsets->allocator, *amounts);
  *amounts = wide;
  return REBAL_OK;
}

/* Reserves space for all names of the ledger. */
static int32_t reserve_names(struct rebali_offsets *offsets, const rebal_ledger *ledger) {
  const size_t n = (size_t)rebali_ledger_names(ledger) + 1;
  size_t stride = 4;

  if (n <= offsets->stride) {
    return REBAL_OK;
  }
  while (stride < n) {
    stride *= 2;
  }
  if (widen(offsets, &offsets->amounts, offsets->n, offsets->capacity, stride) != REBAL_OK ||
      widen(offsets, &offsets->most, offsets->rows, offsets->rows, stride) != REBAL_OK ||
      widen(offsets, &offsets->least, offsets->rows, offsets->rows, stride) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  offsets->amounts_capacity = offsets->capacity * stride;
  offsets->stride = stride;
  return REBAL_OK;
}

static int32_t add_offset(struct rebali_offsets *offsets, const struct pair *pair) {
  struct rebali_offsets_list *of_loss = &offsets->of_loss[pair->loss];

  if (rebali_reserve(offsets->allocator, &of_loss->list, &of_loss->capacity, of_loss->n + 1, sizeof *of_loss->list) !=
          REBAL_OK ||
      rebali_reserve(offsets->allocator, &offsets->list, &offsets->capacity, offsets->n + 1, sizeof *offsets->list) !=
          REBAL_OK ||
      rebali_reserve(offsets->allocator, &offsets->amounts, &offsets->amounts_capacity,
                     (offsets->n + 1) * offsets->stride, sizeof *offsets->amounts) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  memset(offsets->amounts + offsets->n * offsets->stride, 0, offsets->stride * sizeof *offsets->amounts);
  offsets->list[offsets->n] = (struct rebali_offset){pair->loss, offsets->first[pair->cluster], 0, 1};
  of_loss->list[of_loss->n++] = (struct rebali_offset_of){pair->cluster, (uint32_t)offsets->n};
  offsets->first[pair->cluster] = (uint32_t)offsets->n++;
  return REBAL_OK;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* Adds to an amount. The highest and lowest values ever reached are kept only to exclude what is impossible. */
static void add_amount(struct rebali_offsets *offsets, size_t place, uint32_t cluster, size_t column, int64_t more) {
  int64_t *amount = &offsets->amounts[place * offsets->stride + column];
  int64_t *most = &offsets->most[cluster * offsets->stride + column];
  int64_t *least = &offsets->least[cluster * offsets->stride + column];

  *amount = rebali_add_saturating(*amount, more);
  *most = *amount > *most ? *amount : *most;
  *least = *amount < *least ? *amount : *least;
  offsets->list[place].is_exact &= *amount < INT64_MAX / 2 && *amount > -(INT64_MAX / 2);
  offsets->are_exact &= offsets->list[place].is_exact;
  if (*amount < 0) {
    rebali_bit_set(offsets->fallen, cluster, 1);
  }
}

static int32_t add_claim(struct rebali_offsets *offsets, const rebal_ledger *ledger, uint32_t loss,
                         const struct rebali_claim *claim, int sign, int change) {
  const struct pair pair = {loss, claim->cluster};
  uint32_t place;

  if (rebali_intern_add(offsets->pairs, &pair, sizeof pair, &place) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (place == offsets->n && add_offset(offsets, &pair) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  offsets->list[place].n_claims += change;
  offsets->claims[loss] += change;
  for (size_t i = 0; i < claim->n_components; i++) {
    const struct rebali_component *component = &claim->components[i];
    const int64_t replicas = (int64_t)component->replicas * sign;
    const struct rebali_prices *prices =
        component->requirements == REBAL_NONE ? NULL : rebali_ledger_prices(ledger, component->requirements);

    add_amount(offsets, place, claim->cluster, 0, replicas);
    for (size_t k = 0; prices != NULL && k < prices->n; k++) {
      add_amount(offsets, place, claim->cluster, 1 + prices->prices[k].name,
                 rebali_multiply_saturating(prices->prices[k].amount, replicas));
    }
  }
  return REBAL_OK;
}

/* Adds the claims of one list that are missing from the other one. */
static int32_t add_others(struct rebali_offsets *offsets, const rebal_ledger *ledger, uint32_t loss,
                          const struct rebali_claims *claims, const struct rebali_claims *without, int sign, int change,
                          const uint64_t *lost) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < without->n; i++) {
    if (without->list[i].cluster < offsets->rows) {
      offsets->held[without->list[i].cluster] = without->list[i].components;
    }
  }
  for (size_t i = 0; i < claims->n && code == REBAL_OK; i++) {
    const struct rebali_claim *claim = &claims->list[i];

    if (claim->cluster < offsets->rows && !rebali_bit_get(lost, claim->cluster) &&
        offsets->held[claim->cluster] != claim->components) {
      code = add_claim(offsets, ledger, loss, claim, sign, change);
    }
  }
  for (size_t i = 0; i < without->n; i++) {
    if (without->list[i].cluster < offsets->rows) {
      offsets->held[without->list[i].cluster] = NULL;
    }
  }
  return code;
}

int32_t rebali_offsets_add(struct rebali_offsets *offsets, const rebal_ledger *ledger, uint32_t loss,
                           const struct rebali_shift *shift, int change, const uint64_t *lost) {
  int32_t code = reserve_names(offsets, ledger);

  code = code == REBAL_OK ? add_others(offsets, ledger, loss, &shift->otherwise, &shift->base, change, change, lost)
                          : code;
  return code == REBAL_OK ? add_others(offsets, ledger, loss, &shift->base, &shift->otherwise, -change, change, lost)
                          : code;
}

/* ---- beside the ledger ------------------------------------------------------------------------------------------- */

struct rebali_surcharge *rebali_offsets_take(struct rebali_offsets *offsets, uint32_t loss) {
  const struct rebali_offsets_list *of_loss = &offsets->of_loss[loss];
  struct rebali_surcharge *beside = &offsets->beside;

  beside->fallen = offsets->fallen;
  beside->amounts = offsets->amounts;
  beside->stride = offsets->stride;
  beside->is_void = !offsets->are_exact;
  for (size_t i = 0; i < of_loss->n; i++) {
    rebali_bit_set(beside->rows, of_loss->list[i].cluster, 1);
    beside->places[of_loss->list[i].cluster] = of_loss->list[i].place;
  }
  return beside;
}

void rebali_offsets_let_go(struct rebali_offsets *offsets, uint32_t loss) {
  const struct rebali_offsets_list *of_loss = &offsets->of_loss[loss];

  for (size_t i = 0; i < of_loss->n; i++) {
    rebali_bit_set(offsets->beside.rows, of_loss->list[i].cluster, 0);
  }
}
