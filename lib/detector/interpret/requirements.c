/* SPDX-License-Identifier: MIT */
/* Computes the requirements of one replica of a pod template (rebalance-karmada(7) 15.2). */
#include "detector/interpret/interpret.h"

#include <string.h>

/* Amounts by resource in the order of first mention: cpu in thousandths, others in whole units. */

struct amounts {
  struct rebali_resource_list list; /* only units are used */
  struct rebali_interpreting *in;
};

/* Thousandths beyond int64 wrap. */
static int64_t milli_of(const rebal_quantity *quantity) {
  const uint64_t low = (uint64_t)quantity->units * 1000;
  if (quantity->nanos != 0 || (quantity->units <= INT64_MAX / 1000 && quantity->units >= INT64_MIN / 1000)) {
    return rebali_quantity_milli(quantity);
  }
  return low > INT64_MAX ? -1 - (int64_t)(UINT64_MAX - low) : (int64_t)low;
}

static int is_taken(const char *name) {
  const struct rebali_text text = rebali_text(name, strlen(name));
  return strcmp(name, "pods") == 0 || rebali_is_vector_resource(text);
}

static int64_t add_wrapping(int64_t left, int64_t right) {
  const uint64_t sum = (uint64_t)left + (uint64_t)right;
  return sum > INT64_MAX ? -1 - (int64_t)(UINT64_MAX - sum) : (int64_t)sum;
}

enum how { ADD, MAXIMUM };

static void put_amount(struct amounts *amounts, enum how how, const char *name, const json_t *value) {
  rebal_quantity quantity, *total;
  int64_t amount;
  if (amounts->in->result != REBAL_OK || !is_taken(name)) {
    return;
  }
  if (rebali_read_quantity(value, NULL, &quantity, NULL) != REBAL_OK) {
    rebali_interpreting_fail(amounts->in, REBAL_EPARSE, "expected a quantity such as 500m or 2Gi for %s", name);
    return;
  }
  total = rebali_resource_list_at(&amounts->list, rebali_text(name, strlen(name)));
  if (total == NULL) {
    rebali_made(amounts->in, NULL);
    return;
  }
  amount = strcmp(name, "cpu") == 0 ? milli_of(&quantity) : rebali_quantity_value(&quantity);
  if (how == ADD) {
    total->units = add_wrapping(total->units, amount);
  } else if (amount > total->units) {
    total->units = amount;
  }
}

static void put_all(struct amounts *amounts, enum how how, const json_t *list, const json_t *unless) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)list, name, value) {
    if (json_object_get(unless, name) == NULL) {
      put_amount(amounts, how, name, value);
    }
  }
}

/* Without a request the limit is used. */
static void put_containers(struct amounts *amounts, enum how how, const json_t *containers) {
  for (size_t i = 0; i < json_array_size(containers); i++) {
    const json_t *resources = rebali_member(json_array_get(containers, i), "resources");
    const json_t *requests = rebali_member(resources, "requests");
    put_all(amounts, how, requests, NULL);
    put_all(amounts, how, rebali_member(resources, "limits"), requests);
  }
}

/* Bytes are written with binary suffixes. */
static rebal_quantity quantity_of(const char *name, int64_t amount) {
  const int is_bytes =
      strcmp(name, "memory") == 0 || strcmp(name, "ephemeral-storage") == 0 || strncmp(name, "hugepages-", 10) == 0;
  if (strcmp(name, "cpu") == 0) {
    return (rebal_quantity){amount / 1000, (int32_t)(amount % 1000) * 1000000, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  }
  return (rebal_quantity){amount, 0, is_bytes ? REBAL_QUANTITY_FORMAT_BINARY_SI : REBAL_QUANTITY_FORMAT_DECIMAL_SI};
}

static json_t *amount_text(struct rebali_interpreting *in, const char *name, int64_t amount, int is_lua) {
  rebal_quantity quantity = quantity_of(name, amount);
  char text[96];
  size_t len;
  if (in->result != REBAL_OK) {
    return NULL;
  }
  in->result = rebali_quantity_format(&quantity, text, sizeof text, &len, in->err);
  if (in->result == REBAL_OK && is_lua) { /* a text without a suffix is parsed as a decimal quantity */
    in->result = rebali_quantity_parse(text, len, &quantity, in->err);
    if (in->result == REBAL_OK) {
      in->result = rebali_quantity_format(&quantity, text, sizeof text, &len, in->err);
    }
  }
  return in->result == REBAL_OK ? rebali_new_text(in, text) : NULL;
}

/* Returns NULL if no amount is above 0. */
static json_t *write_amounts(struct amounts *amounts, int is_lua) {
  struct rebali_interpreting *in = amounts->in;
  json_t *map = NULL;
  for (size_t i = 0; in->result == REBAL_OK && i < amounts->list.n; i++) {
    const char *name = amounts->list.items[i].name.bytes;
    const int64_t amount = amounts->list.items[i].quantity.units;
    if (amount > 0) {
      map = map != NULL ? map : rebali_new_map(in);
      rebali_set(in, map, name, amount_text(in, name, amount, is_lua));
    }
  }
  return rebali_finished(in, map);
}

static json_t *request_of(struct rebali_interpreting *in, const json_t *pod_spec, int is_lua) {
  struct amounts amounts = {{NULL, NULL, 0, 0}, in};
  json_t *request;
  put_containers(&amounts, ADD, rebali_member(pod_spec, "containers"));
  put_containers(&amounts, MAXIMUM, rebali_member(pod_spec, "initContainers"));
  put_all(&amounts, ADD, rebali_member(pod_spec, "overhead"), NULL);
  if (in->result == REBAL_OK && rebali_resource_list_sort(&amounts.list) != REBAL_OK) {
    rebali_made(in, NULL);
  }
  request = write_amounts(&amounts, is_lua);
  rebali_resource_list_dispose(&amounts.list);
  return request;
}

json_t *rebali_node_claim(struct rebali_interpreting *in, const json_t *pod_spec) {
  const json_t *required =
      rebali_value_at(pod_spec, "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution");
  const json_t *selector = rebali_member(pod_spec, "nodeSelector"),
               *tolerations = rebali_member(pod_spec, "tolerations");
  json_t *claim;
  if (required == NULL && selector == NULL && json_array_size(tolerations) == 0) {
    return NULL;
  }
  claim = rebali_new_map(in);
  if (required != NULL) {
    rebali_set(in, claim, "hardNodeAffinity", rebali_encoded(in, REBALI_TYPE_NODE_SELECTOR, required));
  }
  if (json_object_size(selector) > 0) {
    rebali_set(in, claim, "nodeSelector", rebali_share(selector));
  }
  if (json_array_size(tolerations) > 0) {
    rebali_set(in, claim, "tolerations", rebali_share(tolerations));
  }
  return rebali_finished(in, claim);
}

json_t *rebali_pod_requirements(struct rebali_interpreting *in, const json_t *pod_spec, int is_lua) {
  json_t *claim = rebali_node_claim(in, pod_spec), *request = request_of(in, pod_spec, is_lua), *requirements = NULL;
  if (claim != NULL || request != NULL) {
    requirements = rebali_new_map(in);
    rebali_set(in, requirements, "nodeClaim", claim);
    rebali_set(in, requirements, "resourceRequest", request);
    if ((in->options->gates & UINT32_C(1) << REBAL_DETECTOR_GATE_RESOURCE_QUOTA_ESTIMATE) != 0) {
      rebali_set(in, requirements, "priorityClassName", rebali_share(rebali_member(pod_spec, "priorityClassName")));
    }
  }
  return rebali_finished(in, requirements);
}

json_t *rebali_lua_requirements(struct rebali_interpreting *in, const json_t *pod_template) {
  json_t *cleaned, *decoded, *requirements;
  if (in->result != REBAL_OK) {
    return NULL;
  }
  if (!rebali_is_map(pod_template) && !json_is_array(pod_template)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "expected a pod template");
    return NULL;
  }
  cleaned = rebali_lua_result(in, pod_template);
  decoded = cleaned != NULL ? rebali_decoded(in, REBALI_TYPE_POD_TEMPLATE, cleaned) : NULL;
  requirements = decoded != NULL ? rebali_pod_requirements(in, rebali_member(decoded, "spec"), 1) : NULL;
  json_decref(decoded);
  json_decref(cleaned);
  return requirements;
}

int32_t rebali_requirements_of(const json_t *pod_spec, uint32_t gates, json_t **out, rebal_error *err) {
  const struct rebali_interpret_options options = {gates, 0, {0, 0, 0}, NULL, {NULL, 0}};
  struct rebali_interpreting in = {REBAL_OK, err, NULL, &options};
  json_t *decoded = rebali_decoded(&in, REBALI_TYPE_POD_SPEC, pod_spec);
  *out = decoded != NULL ? rebali_pod_requirements(&in, decoded, 0) : NULL;
  json_decref(decoded);
  if (in.result == REBAL_OK && *out == NULL) {
    *out = rebali_new_map(&in);
  }
  return in.result;
}
