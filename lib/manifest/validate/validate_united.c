/* SPDX-License-Identifier: MIT */
/*
 * Admission of a UnitedDeployment: the replicas, names and strategy of its subsets (rebalance-workloadspread(7) 13.7).
 */
#include "manifest/validate/validate.h"

#include <string.h>

#define INVALID REBAL_CAUSE_INVALID
#define MOST_REPLICAS 1000000 /* for a subset without maxReplicas */

/* A UnitedDeployment being checked. */
struct united {
  struct rebali_check *check;
  const json_t *topology, *subsets, *replicas, *template;
  const struct rebali_path *list; /* of the subsets */
  int64_t total;                  /* total replicas; -1: not given */
};

/* Sums over its subsets. */
struct sums {
  size_t with_replicas, with_limits, with_maximum; /* subsets */
  int64_t replicas, minimum, maximum;
};

int rebali_is_united(const json_t *tree) {
  return strcmp(rebali_member_text(tree, "kind"), "UnitedDeployment") == 0 &&
         strncmp(rebali_member_text(tree, "apiVersion"), "apps.kruise.io/", 15) == 0;
}

/* ---- numbers (rebalance-workloadspread(7) 13.1) ---- */

/* Reads digits after an optional sign; returns NULL, or why the text is not a 32-bit number. */
static const char *read_integer(const char *text, size_t len, int64_t *out) {
  const int is_signed = len > 0 && (text[0] == '-' || text[0] == '+');
  int64_t value = 0;
  if (len == (size_t)is_signed) {
    return "invalid syntax";
  }
  for (size_t i = (size_t)is_signed; i < len; i++) {
    if (text[i] < '0' || text[i] > '9') {
      return "invalid syntax";
    }
    value = value > INT32_MAX ? value : value * 10 + (text[i] - '0');
  }
  *out = text[0] == '-' ? -value : value;
  return *out < INT32_MIN || *out > INT32_MAX ? "value out of range" : NULL;
}

static void fault(const struct united *united, const json_t *value, const struct rebali_path *path, const char *text) {
  rebali_fault(united->check, REBAL_FINDING_UNITED_REPLICAS, INVALID, value, path, "%s", text);
}

/* Returns 0 and reports the fault if the value cannot be read. */
static int64_t read_text(const struct united *united, const json_t *value, const struct rebali_path *path) {
  const char *text = json_string_value(value), *reason;
  const size_t len = strlen(text);
  int64_t percent = 0;
  if (united->total < 0) {
    rebali_fault(united->check, REBAL_FINDING_UNITED_REPLICAS, INVALID, value, path,
                 "subsetReplicas (%s) should not be string when unitedDeployment replicas is empty", text);
  } else if (len == 0 || text[len - 1] != '%') {
    rebali_fault(united->check, REBAL_FINDING_UNITED_REPLICAS, INVALID, value, path,
                 "subset replicas (%s) only support integer value or percentage value with a suffix '%%'", text);
  } else if ((reason = read_integer(text, len - 1, &percent)) != NULL) {
    rebali_fault(united->check, REBAL_FINDING_UNITED_REPLICAS, INVALID, value, path,
                 "subset replicas (%s) should be correct percentage integer: strconv.ParseInt: parsing \"%.*s\": %s",
                 text, (int)(len - 1), text, reason);
  } else if (percent < 0 || percent > 100) {
    rebali_fault(united->check, REBAL_FINDING_UNITED_REPLICAS, INVALID, value, path,
                 "subset replicas (%s) should be in range [0, 100]", text);
  } else {
    return (united->total * percent + 50) / 100;
  }
  return 0;
}

/* Returns the int32 of a number; other values were reported before. */
static int64_t integer_of(const json_t *value) {
  const int64_t number = json_is_integer(value) ? (int64_t)json_integer_value(value) : 0;
  return number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : number;
}

static int64_t read_number(const struct united *united, const json_t *value, const struct rebali_path *path) {
  const int64_t number = integer_of(value);
  if (json_is_string(value)) {
    return read_text(united, value, path);
  }
  if (number < 0) {
    rebali_fault(united->check, REBAL_FINDING_UNITED_REPLICAS, INVALID, value, path,
                 "subset replicas (%lld) should not be less than 0", (long long)number);
    return 0;
  }
  return number;
}

static void check_numbers(const struct united *united, size_t i, struct sums *sums) {
  const struct rebali_path at = rebali_path_index(united->list, i), replicas_at = rebali_path_key(&at, "replicas");
  const struct rebali_path minimum_at = rebali_path_key(&at, "minReplicas");
  const struct rebali_path maximum_at = rebali_path_key(&at, "maxReplicas");
  const json_t *subset = json_array_get(united->subsets, i), *replicas = rebali_member(subset, "replicas");
  const json_t *minimum = rebali_member(subset, "minReplicas"), *maximum = rebali_member(subset, "maxReplicas");
  int64_t least, most;
  sums->replicas += read_number(united, replicas, &replicas_at);
  least = read_number(united, minimum, &minimum_at);
  most = maximum != NULL ? read_number(united, maximum, &maximum_at) : MOST_REPLICAS;
  sums->with_replicas += replicas != NULL;
  sums->with_limits += minimum != NULL || maximum != NULL;
  sums->with_maximum += maximum != NULL;
  sums->minimum += least;
  sums->maximum += most;
  if (least > most) {
    rebali_fault(united->check, REBAL_FINDING_UNITED_REPLICAS, INVALID, minimum, &minimum_at,
                 "subset[%lu].minReplicas must be less than or equal to maxReplicas", (unsigned long)i);
  }
}

/* ---- sums ---- */

static void check_limits(const struct united *united, const struct sums *sums) {
  if (united->replicas == NULL) {
    fault(united, NULL, united->list, "spec.replicas must be not empty if you set subset.minReplicas/maxReplicas");
  }
  if (sums->with_maximum == json_array_size(united->subsets)) {
    fault(united, NULL, united->list, "at least one subset.maxReplicas must be empty");
  }
  if (sums->minimum > sums->maximum) {
    fault(united, NULL, united->list,
          "sum of indicated subset.minReplicas should not be greater than sum of indicated subset.maxReplicas");
  }
}

static void check_replicas(const struct united *united, const struct sums *sums) {
  const int all = sums->with_replicas == json_array_size(united->subsets);
  const long long sum = (long long)sums->replicas, total = (long long)united->total;
  if (united->replicas == NULL) {
    if (!all) {
      fault(united, NULL, united->list,
            "if UnitedDeployment replicas is not provided, replicas of all subsets should be provided");
    }
    return;
  }
  if (sum > total) {
    rebali_fault(united->check, REBAL_FINDING_UNITED_REPLICAS, INVALID, united->replicas, united->list,
                 "sum of indicated subset replicas %lld should not be greater than UnitedDeployment replicas %lld", sum,
                 total);
  }
  if (all && sums->with_replicas > 0 && sum != total) {
    rebali_fault(united->check, REBAL_FINDING_UNITED_REPLICAS, INVALID, united->replicas, united->list,
                 "if replicas of all subsets are provided, the sum of indicated subset replicas %lld should equal "
                 "UnitedDeployment replicas %lld",
                 sum, total);
  }
}

static void check_sums(const struct united *united) {
  struct sums sums = {0, 0, 0, 0, 0, 0};
  for (size_t i = 0; i < json_array_size(united->subsets); i++) {
    check_numbers(united, i, &sums);
  }
  if (sums.with_replicas > 0 && sums.with_limits > 0) {
    fault(united, NULL, united->list,
          "subset.Replicas and subset.MinReplicas/subset.MaxReplicas are mutually exclusive in a UnitedDeployment");
  } else if (sums.with_limits > 0) {
    check_limits(united, &sums);
  } else {
    check_replicas(united, &sums);
  }
}

/* ---- strategy and names ---- */

static void check_strategy(const struct united *united, const struct rebali_path *path) {
  const json_t *strategy = rebali_member(united->topology, "scheduleStrategy");
  const json_t *reserve = rebali_member(rebali_member(strategy, "adaptive"), "reserveUnschedulablePods");
  if (strcmp(rebali_member_text(strategy, "type"), "Adaptive") != 0) {
    return;
  }
  for (size_t i = 0; i < json_array_size(united->subsets); i++) {
    const struct rebali_path item = rebali_path_index(united->list, i), at = rebali_path_key(&item, "replicas");
    if (rebali_member(json_array_get(united->subsets, i), "replicas") != NULL) {
      rebali_fault(united->check, REBAL_FINDING_UNITED_REPLICAS, REBAL_CAUSE_FORBIDDEN, NULL, &at,
                   "specify replicas use minReplicas/maxReplicas to enable adaptive strategy");
    }
  }
  if (json_is_true(reserve) && (rebali_member(united->template, "statefulSetTemplate") != NULL ||
                                rebali_member(united->template, "advancedStatefulSetTemplate") != NULL)) {
    rebali_fault(united->check, REBAL_FINDING_SPREAD_STRATEGY, INVALID, strategy, path,
                 "only stateless workloads (Deployment and CloneSet) are supported by reserved rescheduling");
  }
}

static void check_form(const struct united *united, const json_t *name, const struct rebali_path *path) {
  struct rebali_buffer why = REBALI_BUFFER;
  struct rebali_texts texts;
  rebali_texts_of_label(json_string_value(name), &texts);
  rebali_texts_join(&texts, ", ", &why);
  if (why.failed) {
    united->check->result = REBAL_ENOMEM;
  } else if (texts.n > 0) {
    rebali_fault(united->check, REBAL_FINDING_SPREAD_SUBSET, INVALID, name, path, "invalid subset name %s", why.bytes);
  }
  rebali_buffer_dispose(&why);
}

static void check_name(const struct united *united, size_t i, json_t *names) {
  const struct rebali_path item = rebali_path_index(united->list, i), at = rebali_path_key(&item, "name");
  const json_t *value = rebali_member(json_array_get(united->subsets, i), "name");
  const char *name = rebali_member_text(json_array_get(united->subsets, i), "name");
  if (name[0] == '\0') {
    rebali_fault(united->check, REBAL_FINDING_SPREAD_SUBSET, REBAL_CAUSE_REQUIRED, NULL, &at, "a subset needs a name");
    return;
  }
  if (json_object_get(names, name) != NULL) {
    rebali_fault(united->check, REBAL_FINDING_SPREAD_SUBSET, INVALID, value, &at, "duplicated subset name %s", name);
  } else if (json_object_set_new_nocheck(names, name, json_true()) != 0) {
    united->check->result = REBAL_ENOMEM;
  }
  check_form(united, value, &at);
}

/* ---- updates ---- */

static const json_t *find_subset(const json_t *subsets, const char *name) {
  for (size_t i = 0; i < json_array_size(subsets); i++) {
    if (strcmp(rebali_member_text(json_array_get(subsets, i), "name"), name) == 0) {
      return json_array_get(subsets, i);
    }
  }
  return NULL;
}

/* Members that determine the nodes of a subset's pods must not change. */
static void check_subset_update(const struct united *united, const json_t *before) {
  static const char *const members[] = {"nodeSelectorTerm", "tolerations"};
  for (size_t i = 0; i < json_array_size(united->subsets); i++) {
    const struct rebali_path item = rebali_path_index(united->list, i);
    const json_t *subset = json_array_get(united->subsets, i);
    const json_t *old = find_subset(before, rebali_member_text(subset, "name"));
    for (size_t j = 0; old != NULL && j < sizeof members / sizeof members[0]; j++) {
      const struct rebali_path at = rebali_path_key(&item, members[j]);
      if (!rebali_is_same(rebali_member(subset, members[j]), rebali_member(old, members[j]))) {
        rebali_fault(united->check, REBAL_FINDING_IMMUTABLE_FIELD, REBAL_CAUSE_FORBIDDEN, NULL, &at,
                     "may not be changed in an update");
      }
    }
  }
}

void rebali_check_united(struct rebali_check *check, const json_t *tree, const json_t *old,
                         const struct rebali_path *path) {
  const struct rebali_path at = rebali_path_key(path, "spec"), topology = rebali_path_key(&at, "topology");
  const struct rebali_path list = rebali_path_key(&topology, "subsets");
  const struct rebali_path strategy = rebali_path_key(&topology, "scheduleStrategy");
  const json_t *spec = rebali_member(tree, "spec"), *replicas = rebali_member(spec, "replicas");
  const json_t *found = rebali_member(spec, "topology");
  const struct united united = {check,
                                found,
                                rebali_member(found, "subsets"),
                                replicas,
                                rebali_member(spec, "template"),
                                &list,
                                replicas != NULL ? integer_of(replicas) : -1};
  json_t *names = json_object();
  check_sums(&united);
  check_strategy(&united, &strategy);
  for (size_t i = 0; i < json_array_size(united.subsets); i++) {
    check_name(&united, i, names);
  }
  json_decref(names);
  if (old != NULL) {
    rebali_check_update(check, tree, old, path);
    check_subset_update(&united, rebali_member(rebali_member(rebali_member(old, "spec"), "topology"), "subsets"));
  }
}
