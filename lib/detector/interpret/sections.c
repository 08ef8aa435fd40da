/* SPDX-License-Identifier: MIT */
/* Reads the requirements of workloads with sections instead of pod templates (rebalance-karmada(7) 15.4). */
#include "detector/interpret/interpret.h"

#include <string.h>

void rebali_set_quantity(struct rebali_interpreting *in, json_t *request, const char *name, const json_t *value) {
  rebal_quantity quantity;
  char text[96];
  size_t len;
  if (value == NULL || in->result != REBAL_OK) {
    return;
  }
  in->result = rebali_read_quantity(value, NULL, &quantity, in->err);
  if (in->result == REBAL_OK) {
    in->result = rebali_quantity_format(&quantity, text, sizeof text, &len, in->err);
  }
  if (in->result == REBAL_OK) {
    rebali_set(in, request, name, rebali_new_text(in, text));
  }
}

static json_t *claim_of(struct rebali_interpreting *in, const json_t *section) {
  static const char *const keys[] = {"affinity", "nodeSelector", "tolerations"};
  json_t *given = rebali_new_map(in), *cleaned = NULL, *decoded = NULL, *claim = NULL;
  const json_t *required = rebali_lua_find(in, section, "affinity.nodeAffinity");
  for (size_t i = 0; section != NULL && i < sizeof keys / sizeof keys[0]; i++) {
    rebali_set(in, given, keys[i], rebali_share(rebali_lua_get(in, section, keys[i])));
  }
  required = rebali_lua_find(in, required, "requiredDuringSchedulingIgnoredDuringExecution");
  if (in->result == REBAL_OK && (required != NULL || rebali_member(given, "nodeSelector") != NULL ||
                                 rebali_member(given, "tolerations") != NULL)) {
    cleaned = rebali_lua_result(in, given);
    decoded = cleaned != NULL ? rebali_decoded(in, REBALI_TYPE_POD_SPEC, cleaned) : NULL;
    claim = decoded != NULL ? rebali_node_claim(in, decoded) : NULL;
    claim = claim != NULL || in->result != REBAL_OK ? claim : rebali_new_map(in);
  }
  json_decref(given);
  json_decref(cleaned);
  json_decref(decoded);
  return claim;
}

json_t *rebali_section_requirements(struct rebali_interpreting *in, json_t *request, const json_t *section) {
  json_t *requirements = rebali_new_map(in), *claim = claim_of(in, section);
  const json_t *priority = section != NULL ? rebali_lua_get(in, section, "priorityClassName") : NULL;
  rebali_set(in, requirements, "nodeClaim", claim);
  if (json_object_size(request) > 0) {
    rebali_set(in, requirements, "resourceRequest", request);
  } else {
    json_decref(request);
  }
  if (priority != NULL && !json_is_string(priority)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "priorityClassName is not a string");
  }
  if (json_string_length(priority) > 0) {
    rebali_set(in, requirements, "priorityClassName", rebali_share(priority));
  }
  return rebali_finished(in, requirements);
}
