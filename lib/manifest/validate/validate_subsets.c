/* SPDX-License-Identifier: MIT */
/* Checks the subsets of a WorkloadSpread, in the order of admission (rebalance-workloadspread(7) 8.2 B). */
#include "manifest/validate/validate.h"

#include <string.h>

#define INVALID REBAL_CAUSE_INVALID

/* State kept across subsets. */
struct walk {
  const struct rebali_spread_check *spread;
  json_t *names;
  const json_t *first; /* the first maxReplicas */
  int64_t sum;         /* of percentages */
  int is_over;         /* nothing more is checked */
};

static const json_t *find_subsets(const json_t *tree) {
  return rebali_member(rebali_member(tree, "spec"), "subsets");
}

static void check_name(struct walk *walk, const json_t *subset, const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "name");
  const json_t *value = rebali_member(subset, "name");
  const char *name = rebali_member_text(subset, "name");
  struct rebali_check *check = walk->spread->check;
  if (name[0] == '\0') {
    rebali_fault(check, REBAL_FINDING_SPREAD_SUBSET, INVALID, value, &at, "%s",
                 walk->spread->beside->is_whole ? "" : "a subset needs a name"); /* admission has no message for it */
  } else if (json_object_get(walk->names, name) != NULL) {
    rebali_fault(check, REBAL_FINDING_SPREAD_SUBSET, INVALID, value, &at, "duplicated subset name %s", name);
  } else if (json_object_set_new_nocheck(walk->names, name, json_true()) != 0) {
    check->result = REBAL_ENOMEM;
  }
}

static void check_preferred(struct rebali_check *check, const json_t *list, const struct rebali_path *path) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct rebali_path item = rebali_path_index(path, i), at = rebali_path_key(&item, "weight");
    const struct rebali_path preference = rebali_path_key(&item, "preference");
    const json_t *term = json_array_get(list, i), *weight = rebali_member(term, "weight");
    const json_int_t value = json_is_integer(weight) ? json_integer_value(weight) : 0;
    if (value < 1 || value > 100) {
      rebali_fault(check, REBAL_FINDING_NODE_TERM, INVALID, weight, &at, "must be in the range 1-100");
    }
    rebali_check_node_term(check, rebali_member(term, "preference"), 0, &preference);
  }
}

/* ---- maxReplicas ---- */

int64_t rebali_limit_percent(const json_t *limit) {
  const char *text = json_string_value(limit);
  int64_t value = 0;
  int sign = 0, has_digit = 0;
  if (text == NULL) {
    return json_is_integer(limit) && json_integer_value(limit) >= 0 ? (int64_t)json_integer_value(limit) : -1;
  }
  for (; *text != '\0'; text++) {
    if (*text >= '0' && *text <= '9') {
      if (value > (INT64_MAX - (*text - '0')) / 10) {
        return -1;
      }
      value = value * 10 + (*text - '0');
      has_digit = 1;
    } else if ((*text == '+' || *text == '-') && sign == 0 && !has_digit) {
      sign = *text == '-' ? -1 : 1;
    } else if (*text != '%') {
      return -1;
    }
  }
  return !has_digit || (sign < 0 && value > 0) ? -1 : value;
}

static const char *refuse_limit(struct walk *walk, const json_t *limit) {
  const json_t *target = rebali_member(rebali_member(walk->spread->tree, "spec"), "targetRef");
  const int is_text = json_is_string(limit);
  const int64_t value = rebali_limit_percent(limit);
  walk->first = walk->first != NULL ? walk->first : limit;
  if (is_text != json_is_string(walk->first)) {
    return "the maxReplicas type of all subsets must be the same";
  }
  if (is_text && strcmp(rebali_member_text(target, "kind"), "StatefulSet") == 0) {
    return "the maxReplicas type must be Int for StatefulSet";
  }
  if (value < 0) {
    return "maxReplicas is not valid for subset";
  }
  if (is_text && value > 100 - walk->sum) {
    return "the sum of all subset's maxReplicas exceeds 100% is no permitted";
  }
  walk->sum += is_text ? value : 0;
  return NULL;
}

static void check_limit(struct walk *walk, const json_t *limit, const struct rebali_path *path) {
  const char *message = refuse_limit(walk, limit);
  if (message != NULL) {
    rebali_fault(walk->spread->check, REBAL_FINDING_MAX_REPLICAS, INVALID, limit, path, "%s", message);
    walk->is_over = 1;
  }
}

/* ---- subsets ---- */

static void check_subset(struct walk *walk, const json_t *subset, const struct rebali_path *path) {
  const struct rebali_spread_check *spread = walk->spread;
  const struct rebali_path required = rebali_path_key(path, spread->shown->required);
  const struct rebali_path preferred = rebali_path_key(path, spread->shown->preferred);
  const struct rebali_path tolerations = rebali_path_key(path, "tolerations"), patch = rebali_path_key(path, "patch");
  const struct rebali_path limit = rebali_path_key(path, "maxReplicas");
  check_name(walk, subset, path);
  rebali_check_node_term(spread->check, rebali_member(subset, spread->read->required), 1, &required);
  check_preferred(spread->check, rebali_member(subset, spread->read->preferred), &preferred);
  rebali_check_tolerations(spread->check, rebali_member(subset, "tolerations"), &tolerations);
  if (spread->workload != NULL && rebali_member(subset, "patch") != NULL) {
    rebali_check_patch(spread, rebali_member(subset, "patch"), &patch);
  }
  if (rebali_member(subset, "maxReplicas") != NULL) {
    check_limit(walk, rebali_member(subset, "maxReplicas"), &limit);
  }
}

static void check_sum(const struct walk *walk, const json_t *subsets, const struct rebali_path *list) {
  const struct rebali_path item = rebali_path_index(list, 0), at = rebali_path_key(&item, "maxReplicas");
  const json_t *last = json_array_get(subsets, json_array_size(subsets) - 1);
  if (!walk->is_over && json_is_string(walk->first) && walk->sum < 100 && rebali_member(last, "maxReplicas") != NULL) {
    rebali_fault(walk->spread->check, REBAL_FINDING_MAX_REPLICAS, INVALID,
                 rebali_member(json_array_get(subsets, 0), "maxReplicas"), &at, "%s",
                 "maxReplicas sum of all subsets must equal 100% when type is specified as percent");
  }
}

void rebali_check_subsets(const struct rebali_spread_check *spread, const struct rebali_path *path) {
  const struct rebali_path list = rebali_path_key(path, "subsets");
  const json_t *subsets = find_subsets(spread->tree);
  struct walk walk = {spread, NULL, NULL, 0, 0};
  if (json_array_size(subsets) == 0) {
    rebali_fault(spread->check, REBAL_FINDING_SPREAD_SUBSET, REBAL_CAUSE_REQUIRED, NULL, &list,
                 "subsets number must >= 1 in WorkloadSpread");
    return;
  }
  walk.names = json_object();
  for (size_t i = 0; !walk.is_over && i < json_array_size(subsets); i++) {
    const struct rebali_path at = rebali_path_index(&list, i);
    check_subset(&walk, json_array_get(subsets, i), &at);
  }
  check_sum(&walk, subsets, &list);
  json_decref(walk.names);
}
