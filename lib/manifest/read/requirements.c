/* SPDX-License-Identifier: MIT */
/* What one replica of a pod template needs, as Karmada's interpreter for native workloads says it. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

enum how { ADD, MAXIMUM };

static int32_t put_amount(struct rebali_resource_list *amounts, enum how how, const char *name, const json_t *value,
                          rebal_error *err) {
  const struct rebali_path path = rebali_path_key(NULL, name);
  rebal_quantity quantity;
  rebal_quantity *total;
  const int32_t result = rebali_read_quantity(value, &path, &quantity, err);
  if (result != REBAL_OK) {
    return result;
  }
  total = rebali_resource_list_at(amounts, rebali_text(name, strlen(name)));
  if (total == NULL) {
    return rebali_fail_memory(err);
  }
  if (how == ADD) {
    return rebali_quantity_add(total, &quantity, total, err);
  }
  if (rebali_quantity_compare(&quantity, total) > 0) {
    *total = quantity;
  }
  return REBAL_OK;
}

static int32_t put_all(struct rebali_resource_list *amounts, enum how how, const json_t *list, const json_t *unless,
                       rebal_error *err) {
  const char *name;
  json_t *value;
  int32_t result = REBAL_OK;
  json_object_foreach((json_t *)(uintptr_t)list, name, value) {
    if (rebali_member(unless, name) == NULL) {
      result = put_amount(amounts, how, name, value, err);
    }
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

/* A limit is a request where none is given: the default of the API server. */
static int32_t put_containers(struct rebali_resource_list *amounts, enum how how, const json_t *containers,
                              rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(containers); i++) {
    const json_t *resources = rebali_member(json_array_get(containers, i), "resources");
    const json_t *requests = rebali_member(resources, "requests");
    result = put_all(amounts, how, requests, NULL, err);
    if (result == REBAL_OK) {
      result = put_all(amounts, how, rebali_member(resources, "limits"), requests, err);
    }
  }
  return result;
}

/* Amounts are whole, cpu in thousandths; bytes are written with binary suffixes. */
static rebal_quantity normalise(const char *name, const rebal_quantity *quantity) {
  const int is_bytes =
      strcmp(name, "memory") == 0 || strcmp(name, "ephemeral-storage") == 0 || strncmp(name, "hugepages-", 10) == 0;
  const int64_t milli = rebali_quantity_milli(quantity);
  if (strcmp(name, "cpu") == 0) {
    return (rebal_quantity){milli / 1000, (int32_t)(milli % 1000) * 1000000, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  }
  return (rebal_quantity){rebali_quantity_value(quantity), 0,
                          is_bytes ? REBAL_QUANTITY_FORMAT_BINARY_SI : REBAL_QUANTITY_FORMAT_DECIMAL_SI};
}

static int32_t write_amounts(const struct rebali_resource_list *amounts, json_t *out, rebal_error *err) {
  static const rebal_quantity zero = {0, 0, REBAL_QUANTITY_FORMAT_NONE};
  json_t *map = NULL;
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < amounts->n; i++) {
    const rebal_quantity quantity = normalise(amounts->items[i].name.bytes, &amounts->items[i].quantity);
    char text[96];
    size_t len;
    if (rebali_quantity_compare(&quantity, &zero) <= 0) {
      continue;
    }
    if (map == NULL) {
      map = rebali_map_at(out, "resourceRequest");
    }
    result = rebali_quantity_format(&quantity, text, sizeof text, &len, err);
    if (result == REBAL_OK) {
      result = rebali_put_text(map, amounts->items[i].name.bytes, text, err);
    }
  }
  return result;
}

static int32_t put_request(const json_t *pod_spec, json_t *out, rebal_error *err) {
  struct rebali_resource_list amounts = {NULL, NULL, 0, 0};
  int32_t result = put_containers(&amounts, ADD, rebali_member(pod_spec, "containers"), err);
  if (result == REBAL_OK) {
    result = put_containers(&amounts, MAXIMUM, rebali_member(pod_spec, "initContainers"), err);
  }
  if (result == REBAL_OK) {
    result = put_all(&amounts, ADD, rebali_member(pod_spec, "overhead"), NULL, err);
  }
  if (result == REBAL_OK && rebali_resource_list_sort(&amounts) != REBAL_OK) {
    result = rebali_fail_memory(err);
  }
  if (result == REBAL_OK) {
    result = write_amounts(&amounts, out, err);
  }
  rebali_resource_list_dispose(&amounts);
  return result;
}

static int32_t put_claim(const json_t *pod_spec, json_t *out, rebal_error *err) {
  const json_t *affinity = rebali_member(rebali_member(pod_spec, "affinity"), "nodeAffinity");
  const struct {
    const char *key;
    json_t *value;
  } members[] = {{"hardNodeAffinity", rebali_member(affinity, "requiredDuringSchedulingIgnoredDuringExecution")},
                 {"nodeSelector", rebali_member(pod_spec, "nodeSelector")},
                 {"tolerations", rebali_member(pod_spec, "tolerations")}};
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < sizeof members / sizeof members[0]; i++) {
    if (members[i].value != NULL) {
      result = rebali_put(rebali_map_at(out, "nodeClaim"), members[i].key, json_deep_copy(members[i].value), err);
    }
  }
  return result;
}

int32_t rebali_requirements_of(const json_t *pod_spec, json_t **out, rebal_error *err) {
  json_t *requirements = json_object();
  int32_t result = requirements != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = put_claim(pod_spec, requirements, err);
  }
  if (result == REBAL_OK) {
    result = put_request(pod_spec, requirements, err);
  }
  if (result != REBAL_OK) {
    json_decref(requirements);
  } else {
    *out = requirements;
  }
  return result;
}
