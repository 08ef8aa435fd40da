/* SPDX-License-Identifier: MIT */
/* What a ledger charges to each cluster, by resource. */
#include "fleet/fleet.h"

/* Sums are exact: 2^32 entries of 2^31 replicas times 2^63 stay within 127 bits. */
static int64_t saturate(struct rebali_wide value) {
  if (value.high == (value.low >> 63 != 0 ? -1 : 0)) {
    return value.low >> 63 != 0 ? -(int64_t)~value.low - 1 : (int64_t)value.low;
  }
  return value.high < 0 ? INT64_MIN : INT64_MAX;
}

int64_t rebali_sums_pods(const struct rebali_spent_row *row) {
  return saturate(row->pods);
}

static struct rebali_text name_of(const rebal_record *requirements, uint32_t request) {
  return rebali_record_text(requirements, rebali_record_get(requirements, request, REBAL_AMOUNT_NAME));
}

/* Spec karmada 6.6: cpu counts in thousandths, everything else in units. */
static int64_t amount_of(const rebal_record *requirements, uint32_t request, struct rebali_text name) {
  rebal_quantity amount;

  rebal_record_quantity(requirements, rebali_record_get(requirements, request, REBAL_AMOUNT_QUANTITY), &amount);
  return rebali_text_equal(name, REBALI_TEXT("cpu")) ? rebal_quantity_milli(&amount) : rebal_quantity_value(&amount);
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
    sums->rows[sums->n++] = (struct rebali_spent_row){NULL, NULL, 0, 0, 0, {0, 0}, 0, 0};
  }
  return REBAL_OK;
}

int32_t rebali_sums_reserve(struct rebali_sums *sums, uint32_t cluster, const rebal_record *requirements) {
  struct rebali_spent_row *row;
  uint32_t request;
  uint32_t name;
  size_t wanted;

  if (reserve_rows(sums, cluster) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  row = &sums->rows[cluster];
  wanted = row->n;
  for (request = next_request(requirements, REBAL_NONE); request != REBAL_NONE;
       request = next_request(requirements, request)) {
    const struct rebali_text text = name_of(requirements, request);

    if (rebali_intern_add(sums->names, text.bytes, text.len, &name) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    wanted++;
  }
  if (rebali_reserve(sums->allocator, &row->sums, &row->sums_capacity, wanted, sizeof *row->sums) != REBAL_OK ||
      rebali_reserve(sums->allocator, &row->charges, &row->charges_capacity, wanted, sizeof *row->charges) !=
          REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return REBAL_OK;
}

static size_t find_sum(const struct rebali_spent_row *row, uint32_t name) {
  size_t i = 0;

  while (i < row->n && row->sums[i].name != name) {
    i++;
  }
  return i;
}

/* Moves the charge at place to where its resource belongs; names the fleet does not know come last. */
static void settle(struct rebali_spent_row *row, size_t place) {
  const struct rebali_charge charge = row->charges[place];
  const struct rebali_sum sum = row->sums[place];

  while (place > 0 && row->charges[place - 1].resource > charge.resource) {
    row->charges[place] = row->charges[place - 1];
    row->sums[place] = row->sums[place - 1];
    place--;
  }
  row->charges[place] = charge;
  row->sums[place] = sum;
}

static size_t append_sum(const struct rebali_sums *sums, struct rebali_spent_row *row, uint32_t name) {
  const uint32_t resource = rebali_store_resource(sums->store, rebali_intern_get(sums->names, name));

  row->sums[row->n] = (struct rebali_sum){{0, 0}, name, 0};
  row->charges[row->n] = (struct rebali_charge){resource, 0};
  row->n++;
  settle(row, row->n - 1);
  return find_sum(row, name);
}

static void remove_sum(struct rebali_spent_row *row, size_t place) {
  row->n--;
  for (; place < row->n; place++) {
    row->sums[place] = row->sums[place + 1];
    row->charges[place] = row->charges[place + 1];
  }
}

static void apply_request(struct rebali_sums *sums, struct rebali_spent_row *row, const rebal_record *requirements,
                          uint32_t request, int64_t replicas) {
  const struct rebali_text text = name_of(requirements, request);
  const uint32_t name = rebali_intern_find(sums->names, text.bytes, text.len);
  size_t place = find_sum(row, name);
  struct rebali_sum *sum;

  if (place == row->n) {
    place = append_sum(sums, row, name);
  }
  sum = &row->sums[place];
  sum->amount = rebali_wide_add(sum->amount, rebali_wide_multiply(amount_of(requirements, request, text), replicas));
  sum->users = replicas > 0 ? sum->users + 1 : sum->users - 1;
  row->charges[place].amount = saturate(sum->amount);
  if (sum->users == 0) {
    remove_sum(row, place);
  }
}

void rebali_sums_apply(struct rebali_sums *sums, const struct rebali_entry *entry, int sign) {
  const rebal_record *requirements =
      rebali_store_record(sums->store, rebali_store_kind(REBAL_OBJECT_REQUIREMENTS), entry->requirements);
  struct rebali_spent_row *row = &sums->rows[entry->cluster];
  const int64_t replicas = (int64_t)entry->replicas * sign;
  uint32_t request;

  row->entries = sign > 0 ? row->entries + 1 : row->entries - 1;
  row->pods = rebali_wide_add(row->pods, rebali_wide_from(replicas));
  for (request = next_request(requirements, REBAL_NONE); request != REBAL_NONE;
       request = next_request(requirements, request)) {
    apply_request(sums, row, requirements, request, replicas);
  }
}

void rebali_sums_resolve(const struct rebali_sums *sums, uint32_t cluster) {
  struct rebali_spent_row *row = &sums->rows[cluster];
  const uint32_t known = rebali_store_known(&sums->store->known_resources);
  size_t i;

  if (row->seen_resources == known) {
    return;
  }
  for (i = 0; i < row->n; i++) {
    if (row->charges[i].resource == REBAL_NONE) {
      row->charges[i].resource =
          rebali_store_resource(sums->store, rebali_intern_get(sums->names, row->sums[i].name));
      settle(row, i);
    }
  }
  row->seen_resources = known;
}

void rebali_sums_dispose(struct rebali_sums *sums) {
  size_t i;

  for (i = 0; i < sums->n; i++) {
    rebali_release(sums->allocator, sums->rows[i].sums);
    rebali_release(sums->allocator, sums->rows[i].charges);
  }
  rebali_release(sums->allocator, sums->rows);
  rebali_intern_free(sums->names);
}
