/* SPDX-License-Identifier: MIT */
/* Aggregates the status of Kruise's workloads as Karmada's scripts do (rebalance-karmada(7) 15.7). */
#include "detector/interpret/aggregate.h"

#include <string.h>

/* What a script adds up, and the texts of which it takes the last. */
struct workload {
  const char *sums[8], *texts[4];
  const char *hash;   /* a text that becomes the number 0 if no item has it; NULL: none */
  int keeps_texts;    /* a nil list leaves texts unchanged */
  int demands_status; /* an item without a status is never current */
  int has_conditions;
};

static const json_t *status_of(struct rebali_interpreting *in, size_t i) {
  return rebali_lua_get(in, json_array_get(in->options->items, i), "status");
}

static const json_t *member_of(struct rebali_interpreting *in, const json_t *status, const char *key) {
  return status != NULL ? rebali_lua_get(in, status, key) : NULL;
}

static void set_sum(struct rebali_interpreting *in, json_t *status, const char *key) {
  double sum = 0;
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(in->options->items); i++) {
    const json_t *value = member_of(in, status_of(in, i), key);
    sum += value != NULL ? rebali_lua_summand(in, value) : 0;
  }
  rebali_set(in, status, key, rebali_new_number(in, sum));
}

/* Sets the last value that is not an empty text. absent, which is taken over, is used if there is none. */
static void set_last(struct rebali_interpreting *in, json_t *status, const char *key, json_t *absent) {
  const json_t *last = absent;
  for (size_t i = 0; i < json_array_size(in->options->items); i++) {
    const json_t *value = member_of(in, status_of(in, i), key);
    if (value != NULL && !rebali_lua_is_text(value, "")) {
      last = value;
    }
  }
  rebali_set(in, status, key, rebali_share(last));
  json_decref(absent);
}

/* An absent number is 0. */
static const json_t *or_zero(const json_t *value, const json_t *zero) {
  return value != NULL ? value : zero;
}

static int are_current(struct rebali_interpreting *in, const struct workload *workload, const json_t *generation,
                       const json_t *zero) {
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(in->options->items); i++) {
    const json_t *status = status_of(in, i);
    const json_t *seen = or_zero(member_of(in, status, "resourceTemplateGeneration"), zero);
    const json_t *own = or_zero(member_of(in, status, "generation"), zero);
    if ((status == NULL && workload->demands_status) || !rebali_lua_equal(seen, generation) ||
        !rebali_lua_equal(own, or_zero(member_of(in, status, "observedGeneration"), zero))) {
      return 0;
    }
  }
  return 1;
}

static void set_generation(struct rebali_interpreting *in, const struct workload *workload, const json_t *object,
                           json_t *status) {
  json_t *zero = rebali_new_integer(in, 0);
  const json_t *generation = or_zero(rebali_lua_find(in, object, "metadata.generation"), zero);
  const int is_current = are_current(in, workload, generation, zero);
  rebali_set(in, status, "observedGeneration",
             rebali_share(is_current ? generation : or_zero(rebali_member(status, "observedGeneration"), zero)));
  json_decref(zero);
}

/* Sets the last condition of each type, in the order in which the types first occur. */
static void set_conditions(struct rebali_interpreting *in, json_t *status) {
  json_t *list = rebali_new_list(in);
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(in->options->items); i++) {
    const json_t *conditions = rebali_lua_list(in, member_of(in, status_of(in, i), "conditions"));
    for (size_t at = 0; in->result == REBAL_OK && at < json_array_size(conditions); at++) {
      json_t *condition = json_array_get(conditions, at);
      size_t place;
      if (rebali_find_condition(list, rebali_member_text(condition, "type"), &place) == NULL) {
        rebali_append(in, list, json_incref(condition));
      } else if (json_array_set(list, place, condition) != 0) {
        rebali_made(in, NULL);
      }
    }
  }
  if (json_array_size(list) > 0) {
    rebali_set(in, status, "conditions", list);
  } else {
    json_decref(list);
  }
}

static json_t *aggregate(struct rebali_interpreting *in, const json_t *object, const struct workload *workload) {
  const json_t *old = rebali_lua_get(in, object, "status");
  json_t *status = old != NULL ? rebali_new_copy(in, old) : rebali_new_map(in), *whole, *returned;
  for (size_t i = 0; workload->sums[i] != NULL; i++) {
    set_sum(in, status, workload->sums[i]);
  }
  set_generation(in, workload, object, status);
  for (size_t i = 0; workload->texts[i] != NULL && !(workload->keeps_texts && in->options->items == NULL); i++) {
    set_last(in, status, workload->texts[i], rebali_new_text(in, ""));
  }
  if (workload->hash != NULL) {
    set_last(in, status, workload->hash, rebali_new_integer(in, 0));
  }
  if (workload->has_conditions) {
    set_conditions(in, status);
  }
  whole = rebali_with_status(in, object, status);
  returned = whole != NULL ? rebali_lua_object(in, whole) : NULL;
  json_decref(whole);
  return returned;
}

json_t *rebali_clone_set_aggregate(struct rebali_interpreting *in, const json_t *object) {
  static const struct workload workload = {{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
                                            "updatedReadyReplicas", "expectedUpdatedReplicas", NULL},
                                           {"updateRevision", "currentRevision", "labelSelector", NULL},
                                           NULL,
                                           1,
                                           0,
                                           0};
  return aggregate(in, object, &workload);
}

json_t *rebali_lua_stateful_set_aggregate(struct rebali_interpreting *in, const json_t *object) {
  static const struct workload workload = {{"replicas", "readyReplicas", "currentReplicas", "updatedReplicas",
                                            "availableReplicas", "updatedReadyReplicas", NULL},
                                           {"updateRevision", "currentRevision", NULL},
                                           NULL,
                                           0,
                                           0,
                                           0};
  return aggregate(in, object, &workload);
}

json_t *rebali_lua_daemon_set_aggregate(struct rebali_interpreting *in, const json_t *object) {
  static const struct workload workload = {
      {"currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled", "numberReady",
       "updatedNumberScheduled", "numberUnavailable", NULL},
      {NULL},
      "daemonSetHash",
      0,
      0,
      0};
  return aggregate(in, object, &workload);
}

json_t *rebali_united_deployment_aggregate(struct rebali_interpreting *in, const json_t *object) {
  static const struct workload workload = {
      {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas", NULL},
      {NULL},
      NULL,
      0,
      1,
      1};
  return aggregate(in, object, &workload);
}
