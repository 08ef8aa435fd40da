/* SPDX-License-Identifier: MIT */
/* What one replica requests, read once from its interned requirements. */
#include "estimator/estimator.h"

static const struct rebali_text cpu_name = {"cpu", 3};

static int is_decimal(uint32_t format) {
  return format == REBAL_QUANTITY_FORMAT_DECIMAL_SI || format == REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT;
}

int32_t rebali_demand_read(struct rebali_arena *arena, const rebal_record *requirements, struct rebali_demand *out) {
  uint32_t node = REBAL_NONE;
  size_t count = 0;

  memset(out, 0, sizeof *out);
  out->pods = REBAL_NONE;
  out->charged_pods = REBAL_NONE;
  if (requirements == NULL) {
    return REBAL_OK;
  }
  out->stated = 1;
  count = rebali_record_count(requirements, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST);
  if (count == 0) {
    return REBAL_OK;
  }
  out->requests = rebali_arena_allocate_zero(arena, count, sizeof *out->requests);
  if (out->requests == NULL) {
    return REBAL_ENOMEM;
  }
  while ((node = rebal_record_next(requirements, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST, node)) != REBAL_NONE) {
    struct rebali_request *request = &out->requests[out->n_requests++];
    rebal_quantity amount;

    request->name = rebali_record_field_text(requirements, node, REBAL_AMOUNT_NAME);
    rebal_record_quantity(requirements, rebali_record_get(requirements, node, REBAL_AMOUNT_QUANTITY), &amount);
    request->resource = REBAL_NONE;
    request->charged = REBAL_NONE;
    request->is_cpu = rebali_text_equal(request->name, cpu_name);
    request->value = rebali_quantity_value(&amount);
    request->milli = rebali_quantity_milli(&amount);
    request->as_written = is_decimal(amount.format) ? request->milli : request->value;
    if (request->value > 0) {
      request->divisor = rebali_divisor_make(request->is_cpu ? request->milli : request->value);
    }
  }
  return REBAL_OK;
}

void rebali_demand_resolve(struct rebali_demand *demand, const rebal_snapshot *snapshot) {
  if (demand->pods == REBAL_NONE) {
    demand->pods = rebali_snapshot_resource(snapshot, REBALI_TEXT("pods"));
  }
  for (size_t i = 0; i < demand->n_requests; i++) {
    if (demand->requests[i].resource == REBAL_NONE) {
      demand->requests[i].resource = rebali_snapshot_resource(snapshot, demand->requests[i].name);
    }
  }
}

static void resolve_charge(uint32_t *charged, const rebal_ledger *ledger, struct rebali_text name) {
  if (*charged == REBAL_NONE) {
    *charged = rebali_ledger_find_name(ledger, name);
  }
}

void rebali_demand_resolve_charges(struct rebali_demand *demand, const rebal_ledger *ledger) {
  resolve_charge(&demand->charged_pods, ledger, REBALI_TEXT("pods"));
  for (size_t i = 0; i < demand->n_requests; i++) {
    resolve_charge(&demand->requests[i].charged, ledger, demand->requests[i].name);
  }
}
