/* SPDX-License-Identifier: MIT */
/* Checks node selector terms and tolerations as the API server does (rebalance-workloadspread(7) 8.3, 8.4). */
#include "manifest/validate/validate.h"

#include <string.h>

/* One requirement or toleration, with its path. */
struct item {
  struct rebali_check *check;
  uint32_t code;
  const json_t *tree;
  const struct rebali_path *path;
};

static void fault(const struct item *item, uint32_t cause, const char *member, const char *message) {
  const struct rebali_path at = rebali_path_key(item->path, member);
  const json_t *value =
      cause == REBAL_CAUSE_INVALID || cause == REBAL_CAUSE_UNSUPPORTED ? rebali_member(item->tree, member) : NULL;
  rebali_fault(item->check, item->code, cause, value, &at, "%s", message);
}

static void fault_texts(const struct item *item, const struct rebali_texts *texts, const json_t *value,
                        const struct rebali_path *at) {
  for (size_t i = 0; i < texts->n; i++) {
    rebali_fault(item->check, item->code, REBAL_CAUSE_INVALID, value, at, "%s", texts->at[i]);
  }
}

/* ---- node selector terms ---- */

static void check_key(const struct item *item) {
  const struct rebali_path at = rebali_path_key(item->path, "key");
  struct rebali_texts texts;
  rebali_texts_of_name(rebali_member_text(item->tree, "key"), &texts);
  fault_texts(item, &texts, rebali_member(item->tree, "key"), &at);
}

typedef void texts_of(const char *text, struct rebali_texts *out);

static void check_values(const struct item *item, texts_of *say) {
  const struct rebali_path values = rebali_path_key(item->path, "values");
  const json_t *list = rebali_member(item->tree, "values");
  struct rebali_texts texts;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct rebali_path at = rebali_path_index(&values, i);
    const json_t *value = json_array_get(list, i);
    say(json_is_string(value) ? json_string_value(value) : "", &texts);
    fault_texts(item, &texts, value, &at);
  }
}

static void check_expression(const struct item *item, int is_strict) {
  const char *name = rebali_member_text(item->tree, "operator");
  const size_t n = json_array_size(rebali_member(item->tree, "values"));
  if (rebali_is_listed(name, "In NotIn")) {
    if (n == 0) {
      fault(item, REBAL_CAUSE_REQUIRED, "values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (rebali_is_listed(name, "Exists DoesNotExist")) {
    if (n > 0) {
      fault(item, REBAL_CAUSE_FORBIDDEN, "values",
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (rebali_is_listed(name, "Gt Lt")) {
    if (n != 1) {
      fault(item, REBAL_CAUSE_REQUIRED, "values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    fault(item, REBAL_CAUSE_INVALID, "operator", "not a valid selector operator");
  }
  check_key(item);
  if (is_strict) {
    check_values(item, rebali_texts_of_value);
  }
}

static void check_field(const struct item *item) {
  if (!rebali_is_listed(rebali_member_text(item->tree, "operator"), "In NotIn")) {
    fault(item, REBAL_CAUSE_INVALID, "operator", "not a valid selector operator");
  } else if (json_array_size(rebali_member(item->tree, "values")) != 1) {
    fault(item, REBAL_CAUSE_REQUIRED, "values",
          "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (strcmp(rebali_member_text(item->tree, "key"), "metadata.name") != 0) {
    fault(item, REBAL_CAUSE_INVALID, "key", "not a valid field selector key");
  } else {
    check_values(item, rebali_texts_of_subdomain);
  }
}

void rebali_check_node_term(struct rebali_check *check, const json_t *term, int is_strict,
                            const struct rebali_path *path) {
  const struct rebali_path expressions = rebali_path_key(path, "matchExpressions");
  const struct rebali_path fields = rebali_path_key(path, "matchFields");
  const json_t *list = rebali_member(term, "matchExpressions");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct rebali_path at = rebali_path_index(&expressions, i);
    const struct item item = {check, REBAL_FINDING_NODE_TERM, json_array_get(list, i), &at};
    check_expression(&item, is_strict);
  }
  list = rebali_member(term, "matchFields");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct rebali_path at = rebali_path_index(&fields, i);
    const struct item item = {check, REBAL_FINDING_NODE_TERM, json_array_get(list, i), &at};
    check_field(&item);
  }
}

/* ---- tolerations ---- */

static void check_value(const struct item *item) {
  const struct rebali_path at = rebali_path_key(item->path, "operator");
  struct rebali_buffer message = REBALI_BUFFER;
  struct rebali_texts texts;
  rebali_texts_of_value(rebali_member_text(item->tree, "value"), &texts);
  if (texts.n == 0) {
    return;
  }
  rebali_texts_join(&texts, ";", &message);
  if (message.failed) {
    item->check->result = REBAL_ENOMEM;
  } else {
    rebali_fault(item->check, item->code, REBAL_CAUSE_INVALID, rebali_member(item->tree, "value"), &at, "%s",
                 message.bytes);
  }
  rebali_buffer_dispose(&message);
}

static void check_operator(const struct item *item) {
  const struct rebali_path at = rebali_path_key(item->path, "operator");
  const char *name = rebali_member_text(item->tree, "operator");
  if (name[0] == '\0' || strcmp(name, "Equal") == 0) {
    check_value(item);
  } else if (strcmp(name, "Exists") != 0) {
    fault(item, REBAL_CAUSE_UNSUPPORTED, "operator", "supported values: \"Equal\", \"Exists\"");
  } else if (*rebali_member_text(item->tree, "value") != '\0') {
    rebali_fault(item->check, item->code, REBAL_CAUSE_INVALID, rebali_member(item->tree, "value"), &at, "%s",
                 "value must be empty when `operator` is 'Exists'");
  }
}

static void check_toleration(const struct item *item) {
  const char *effect = rebali_member_text(item->tree, "effect");
  if (*rebali_member_text(item->tree, "key") != '\0') {
    check_key(item);
  } else if (strcmp(rebali_member_text(item->tree, "operator"), "Exists") != 0) {
    fault(item, REBAL_CAUSE_INVALID, "operator",
          "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
  }
  if (rebali_member(item->tree, "tolerationSeconds") != NULL && strcmp(effect, "NoExecute") != 0) {
    fault(item, REBAL_CAUSE_INVALID, "effect", "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  check_operator(item);
  if (effect[0] != '\0' && !rebali_is_listed(effect, "NoSchedule PreferNoSchedule NoExecute")) {
    fault(item, REBAL_CAUSE_UNSUPPORTED, "effect",
          "supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"");
  }
}

void rebali_check_tolerations(struct rebali_check *check, const json_t *list, const struct rebali_path *path) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct rebali_path at = rebali_path_index(path, i);
    const struct item item = {check, REBAL_FINDING_SPREAD_TOLERATION, json_array_get(list, i), &at};
    check_toleration(&item);
  }
}
