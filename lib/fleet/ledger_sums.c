/* SPDX-License-Identifier: MIT */
/*
 * Sums the charges to each cluster, by resource. Sums are exact: 2^32 requests of 2^31 replicas times 2^63 stay within
 * 127 bits.
 */
#include "fleet/fleet.h"

#define FIRST_STRIDE ((size_t)4) /* the pods, cpu, memory and one more */

static struct rebali_text name_of(const rebal_record *requirements, uint32_t request) {
  return rebali_record_field_text(requirements, request, REBAL_AMOUNT_NAME);
}

static uint32_t next_request(const rebal_record *requirements, uint32_t previous) {
  return rebal_record_next(requirements, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST, previous);
}

/* rebalance-karmada(7) 6.6 and 6.4. */
static int32_t read_price(struct rebali_sums *sums, const rebal_record *requirements, uint32_t request,
                          struct rebali_price *price) {
  const struct rebali_text name = name_of(requirements, request);
  rebal_quantity quantity = {0, 0, REBAL_QUANTITY_FORMAT_NONE};

  rebal_record_quantity(requirements, rebali_record_get(requirements, request, REBAL_AMOUNT_QUANTITY), &quantity);
  price->amount =
      rebali_text_equal(name, REBALI_TEXT("cpu")) ? rebali_quantity_milli(&quantity) : rebali_quantity_value(&quantity);
  price->as_written = rebali_amount_as_written(rebali_quantity_nanos(&quantity), quantity.format);
  return rebali_intern_add(sums->names, name.bytes, name.len, &price->name);
}

static int32_t read_prices(struct rebali_sums *sums, const rebal_record *requirements, struct rebali_prices **out) {
  const size_t n = rebali_record_count(requirements, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST);
  struct rebali_prices *prices =
      rebali_allocate_zero(sums->allocator, 1, sizeof *prices + n * sizeof prices->prices[0]);
  uint32_t request = REBAL_NONE;

  if (prices == NULL) {
    return REBAL_ENOMEM;
  }
  while ((request = next_request(requirements, request)) != REBAL_NONE) {
    struct rebali_price *price = &prices->prices[prices->n++];

    if (read_price(sums, requirements, request, price) != REBAL_OK) {
      rebali_release(sums->allocator, prices);
      return REBAL_ENOMEM;
    }
    prices->gives |= price->amount < 0;
  }
  *out = prices;
  return REBAL_OK;
}

/* Widens each row. On REBAL_ENOMEM nothing is changed. */
static int32_t widen_rows(const struct rebali_sums *sums, struct rebali_spent *spent, size_t stride) {
  struct rebali_spent wide = {NULL, spent->n, stride, 0};

  if (rebali_reserve(sums->allocator, &wide.amounts, &wide.capacity, spent->n * stride, sizeof *wide.amounts) !=
      REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t row = 0; row < spent->n; row++) {
    memset(wide.amounts + row * stride, 0, stride * sizeof *wide.amounts);
    memcpy(wide.amounts + row * stride, spent->amounts + row * spent->stride, spent->stride * sizeof *wide.amounts);
  }
  rebali_release(sums->allocator, spent->amounts);
  *spent = wide;
  return REBAL_OK;
}

/* Reserves memory for the cluster and for all names. Fewer than 2^33 rows of fewer than 2^34 amounts: no size wraps. */
static int32_t reserve_spent(struct rebali_sums *sums, uint32_t cluster) {
  struct rebali_spent *spent = &sums->spent;
  const size_t n = ((size_t)cluster / REBALI_PAGE_ROWS + 1) * REBALI_PAGE_ROWS;
  size_t stride = spent->stride == 0 ? FIRST_STRIDE : spent->stride;

  while (stride <= rebali_intern_count(sums->names)) {
    stride *= 2;
  }
  if (stride != spent->stride && widen_rows(sums, spent, stride) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (n > SIZE_MAX / stride || rebali_reserve(sums->allocator, &spent->amounts, &spent->capacity, n * stride,
                                              sizeof *spent->amounts) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (spent->n < n) {
    memset(spent->amounts + spent->n * stride, 0, (n - spent->n) * stride * sizeof *spent->amounts);
    spent->n = n;
  }
  return REBAL_OK;
}

/* Learns what a replica takes; adds the number of resources to *n. Without requirements it is 0. */
static int32_t learn_prices(struct rebali_sums *sums, uint32_t requirements, size_t *n) {
  const uint32_t kind = rebali_store_kind(REBAL_OBJECT_REQUIREMENTS);

  if (requirements == REBAL_NONE) {
    return REBAL_OK;
  }
  if (rebali_reserve(sums->allocator, &sums->prices, &sums->prices_capacity, (size_t)requirements + 1,
                     sizeof(struct rebali_prices *)) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  while (sums->n_prices <= requirements) {
    sums->prices[sums->n_prices++] = NULL;
  }
  if (sums->prices[requirements] == NULL && read_prices(sums, rebali_store_record(sums->store, kind, requirements),
                                                        &sums->prices[requirements]) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *n += sums->prices[requirements]->n;
  return REBAL_OK;
}

static int32_t reserve_rows(struct rebali_sums *sums, uint32_t cluster) {
  if (rebali_reserve(sums->allocator, &sums->rows, &sums->capacity, (size_t)cluster + 1, sizeof *sums->rows) !=
          REBAL_OK ||
      rebali_reserve(sums->allocator, &sums->changes, &sums->changes_capacity, (size_t)cluster + 1,
                     sizeof *sums->changes) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  while (sums->n <= cluster) {
    memset(&sums->rows[sums->n], 0, sizeof *sums->rows);
    sums->changes[sums->n++] = (struct rebali_spent_change){0, 0};
  }
  return REBAL_OK;
}

int32_t rebali_sums_reserve(struct rebali_sums *sums, const struct rebali_claim *claim) {
  struct rebali_spent_row *row;
  size_t wanted;

  if (reserve_rows(sums, claim->cluster) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  row = &sums->rows[claim->cluster];
  wanted = row->n_sums;
  for (size_t i = 0; i < claim->n_components; i++) {
    if (learn_prices(sums, claim->components[i].requirements, &wanted) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  if (reserve_spent(sums, claim->cluster) != REBAL_OK ||
      rebali_reserve(sums->allocator, &row->sums, &row->sums_capacity, wanted, sizeof *row->sums) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_reserve(sums->allocator, &row->holders, &row->holders_capacity, row->n_holders + 1,
                        sizeof *row->holders);
}

static struct rebali_sum *find_sum(struct rebali_spent_row *row, uint32_t name) {
  size_t i = 0;

  while (i < row->n_sums && row->sums[i].name != name) {
    i++;
  }
  if (i == row->n_sums) {
    row->sums[row->n_sums++] = (struct rebali_sum){{0, 0}, {0, 0}, name, 0};
  }
  return &row->sums[i];
}

static void apply_price(struct rebali_sums *sums, uint32_t cluster, const struct rebali_price *price, int64_t replicas,
                        int sign) {
  struct rebali_spent_row *row = &sums->rows[cluster];
  struct rebali_sum *sum = find_sum(row, price->name);

  sum->amount = rebali_wide_add(sum->amount, rebali_wide_multiply(price->amount, replicas));
  sum->as_written = rebali_wide_add(sum->as_written, rebali_wide_multiply(price->as_written, replicas));
  sums->spent.amounts[cluster * sums->spent.stride + 1 + price->name] = rebali_wide_saturate(sum->amount);
  sum->users = sign > 0 ? sum->users + 1 : sum->users - 1;
  if (sum->users == 0) {
    *sum = row->sums[--row->n_sums];
  }
}

static void note_change(struct rebali_sums *sums, uint32_t cluster, int falls) {
  struct rebali_spent_change *change = &sums->changes[cluster];

  change->version += change->version != UINT32_MAX;
  sums->journal.clusters[sums->journal.n++ % REBALI_JOURNAL_KEEPS] = cluster;
  if (falls) {
    change->fallen = change->version;
    sums->falls++;
  }
}

void rebali_sums_apply(struct rebali_sums *sums, const struct rebali_claim *claim, int sign) {
  struct rebali_spent_row *row = &sums->rows[claim->cluster];
  int falls = sign < 0;

  for (size_t i = 0; i < claim->n_components; i++) {
    const struct rebali_component *component = &claim->components[i];
    const int64_t replicas = (int64_t)component->replicas * sign;
    const struct rebali_prices *prices =
        component->requirements == REBAL_NONE ? NULL : sums->prices[component->requirements];

    row->pods = rebali_wide_add(row->pods, rebali_wide_from(replicas));
    for (size_t k = 0; prices != NULL && k < prices->n; k++) {
      apply_price(sums, claim->cluster, &prices->prices[k], replicas, sign);
    }
    falls |= prices != NULL && prices->gives;
  }
  sums->spent.amounts[claim->cluster * sums->spent.stride] = rebali_wide_saturate(row->pods);
  note_change(sums, claim->cluster, falls);
}

void rebali_sums_dispose(struct rebali_sums *sums) {
  size_t i;

  for (i = 0; i < sums->n; i++) {
    rebali_release(sums->allocator, sums->rows[i].sums);
    rebali_release(sums->allocator, sums->rows[i].holders);
  }
  for (i = 0; i < sums->n_prices; i++) {
    rebali_release(sums->allocator, sums->prices[i]);
  }
  rebali_release(sums->allocator, sums->spent.amounts);
  rebali_release(sums->allocator, sums->prices);
  rebali_release(sums->allocator, sums->changes);
  rebali_release(sums->allocator, sums->rows);
  rebali_intern_free(sums->names);
}
