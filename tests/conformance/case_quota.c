/* SPDX-License-Identifier: MIT */
/* One write of a binding under FederatedResourceQuotas. */
#include "cases.h"

#include <string.h>

/* Statuses as the actions write them, by namespace and name of the quota. */
static json_t *written_statuses(const rebal_result *result) {
  const size_t n = rebal_result_count(result, REBAL_TABLE_ACTION);
  json_t *all = json_object();
  size_t row;

  for (row = 0; row < n; row++) {
    json_t *status = record_to_json(rebal_result_record(result, row));
    const json_t *used = json_object_get(status, "overallUsed");
    json_t *key = json_sprintf("%s/%s", rebal_result_text(result, REBAL_ACTION_NAMESPACE, row, NULL),
                               rebal_result_text(result, REBAL_ACTION_NAME, row, NULL));

    (void)json_object_set_new(all, json_string_value(key), used == NULL ? json_object() : json_deep_copy(used));
    json_decref(key);
    json_decref(status);
  }
  return all;
}

static json_t *report(const rebal_result *result) {
  const int is_denied = rebal_result_i64(result, REBAL_STEP_STATE, NULL)[0] == REBAL_STEP_STATE_RETRY;

  if (is_denied) {
    return json_pack("{s:b, s:i, s:s, s:s}", "allowed", 0, "code", 403, "reason", "QuotaExceeded", "message",
                     rebal_result_text(result, REBAL_STEP_MESSAGE, 0, NULL));
  }
  return rebal_result_count(result, REBAL_TABLE_ACTION) == 0
             ? json_pack("{s:b}", "allowed", 1)
             : json_pack("{s:b, s:o}", "allowed", 1, "written", written_statuses(result));
}

/* Row 0 is the binding as it is to be, row 1 as it is. */
static json_t *run_world(struct conformance *run, const struct world *world, const json_t *input) {
  rebal_federated_quota_opts opts = {.struct_size = sizeof opts, .compat = world->compat};
  struct record_list quotas;
  json_t *outcome = NULL;

  if (json_object_get(input, "old") != NULL) {
    opts.before = world->bindings;
    opts.before_row = 1;
  }
  if (!record_list_read(run, REBAL_OBJECT_FEDERATED_QUOTA, json_object_get(input, "quotas"), &quotas)) {
    opts.quotas = quotas.records;
    opts.n_quotas = quotas.n;
    if (!failed(run, rebal_federated_quota_check(run->ctx, world->bindings, 0, &opts, run->result, &run->err))) {
      outcome = report(run->result);
    }
  }
  record_list_dispose(&quotas);
  return outcome;
}

json_t *case_quota(struct conformance *run, const json_t *input) {
  json_t *old = json_object_get(input, "old");
  json_t *bindings = json_pack("[O]", json_object_get(input, "new"));
  struct world world;
  json_t *outcome = NULL;

  if (old != NULL) {
    (void)json_array_append(bindings, old);
  }
  if (!world_build(run, &world, NULL, bindings, NULL)) {
    outcome = run_world(run, &world, input);
  }
  rebal_result_reset(run->result);
  world_dispose(&world);
  json_decref(bindings);
  return outcome;
}

void blur_quota(json_t *outcome, const json_t *test) {
  const char *quota;
  json_t *used;

  (void)test;
  json_object_foreach(json_object_get(outcome, "written"), quota, used) {
    json_t *values = json_object();
    const char *name;
    json_t *amount;

    json_object_foreach(used, name, amount) {
      const char *text = json_string_value(amount);
      rebal_quantity quantity = {0, 0, 0};
      char plain[64];
      size_t len = 0;

      (void)rebal_quantity_parse(text, strlen(text), &quantity, NULL);
      quantity.format = REBAL_QUANTITY_FORMAT_DECIMAL_SI;
      (void)rebal_quantity_format(&quantity, plain, sizeof plain, &len, NULL);
      (void)json_object_set_new(values, name, json_stringn(plain, len));
    }
    (void)json_object_update(used, values);
    json_decref(values);
  }
}
