/* SPDX-License-Identifier: MIT */
/* What a ledger charges to each cluster, by resource. */
#include "fleet/fleet.h"

/* Sums are exact: 2^32 requests of 2^31 replicas times 2^63 stay within 127 bits. */
int64_t rebali_sums_saturate(struct rebali_wide value) {
  return rebali_wide_divide_away(value, 1);
}

static const rebal_record *requirements_of(const struct rebali_sums *sums, const struct rebali_component *component) {
  return rebali_store_record(sums->store, rebali_store_kind(REBAL_OBJECT_REQUIREMENTS), component->requirements);
}

static struct rebali_text name_of(const rebal_record *requirements, uint32_t request) {
  return rebali_record_text(requirements, rebali_record_get(requirements, request, REBAL_AMOUNT_NAME));
}

static uint32_t next_request(const rebal_record *requirements, uint32_t previous) {
  return requirements == NULL ? REBAL_NONE
                              : rebal_record_next(requirements, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST, previous);
}

static int32_t reserve_rows(struct rebali_sums *sums, uint32_t cluster) {
  if (rebali_reserve(sums->allocator, &sums->rows, &sums->capacity, (size_t)cluster + 1, sizeof *sums->rows) !=
      REBAL_OK) {
    return REBAL_ENOMEM;
  }
  while (sums->n <= cluster) {
    memset(&sums->rows[sums->n++], 0, sizeof *sums->rows);
  }
  return REBAL_OK;
}

/* Knows the names that the requirements state, and counts them. */
static int32_t learn_names(struct rebali_sums *sums, const rebal_record *requirements, size_t *n) {
  uint32_t request;
  uint32_t name;

  for (request = next_request(requirements, REBAL_NONE); request != REBAL_NONE;
       request = next_request(requirements, request)) {
    const struct rebali_text text = name_of(requirements, request);

    if (rebali_intern_add(sums->names, text.bytes, text.len, &name) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    (*n)++;
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
    if (learn_names(sums, requirements_of(sums, &claim->components[i]), &wanted) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  if (rebali_reserve(sums->allocator, &row->sums, &row->room_for_sums, wanted, sizeof *row->sums) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_reserve(sums->allocator, &row->holders, &row->room_for_holders, row->n_holders + 1,
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

/* Spec karmada 6.6 and 6.4. */
static void apply_request(struct rebali_sums *sums, struct rebali_spent_row *row, const rebal_record *requirements,
                          uint32_t request, int64_t replicas, int sign) {
  const struct rebali_text text = name_of(requirements, request);
  struct rebali_sum *sum = find_sum(row, rebali_intern_find(sums->names, text.bytes, text.len));
  rebal_quantity quantity = {0, 0, REBAL_FORMAT_NONE};
  int64_t amount, as_written;

  rebal_record_quantity(requirements, rebali_record_get(requirements, request, REBAL_AMOUNT_QUANTITY), &quantity);
  amount =
      rebali_text_equal(text, REBALI_TEXT("cpu")) ? rebal_quantity_milli(&quantity) : rebal_quantity_value(&quantity);
  as_written = rebali_amount_as_written(rebali_quantity_nanos(&quantity), quantity.format);
  sum->amount = rebali_wide_add(sum->amount, rebali_wide_multiply(amount, replicas * sign));
  sum->as_written = rebali_wide_add(sum->as_written, rebali_wide_multiply(as_written, replicas * sign));
  sum->users = sign > 0 ? sum->users + 1 : sum->users - 1;
  if (sum->users == 0) {
    *sum = row->sums[--row->n_sums];
  }
}

void rebali_sums_apply(struct rebali_sums *sums, const struct rebali_claim *claim, int sign) {
  struct rebali_spent_row *row = &sums->rows[claim->cluster];

  for (size_t i = 0; i < claim->n_components; i++) {
    const struct rebali_component *component = &claim->components[i];
    const rebal_record *requirements = requirements_of(sums, component);
    uint32_t request;

    row->pods = rebali_wide_add(row->pods, rebali_wide_from((int64_t)component->replicas * sign));
    for (request = next_request(requirements, REBAL_NONE); request != REBAL_NONE;
         request = next_request(requirements, request)) {
      apply_request(sums, row, requirements, request, component->replicas, sign);
    }
  }
}

void rebali_sums_dispose(struct rebali_sums *sums) {
  size_t i;

  for (i = 0; i < sums->n; i++) {
    rebali_release(sums->allocator, sums->rows[i].sums);
    rebali_release(sums->allocator, sums->rows[i].holders);
  }
  rebali_release(sums->allocator, sums->rows);
  rebali_intern_free(sums->names);
}
