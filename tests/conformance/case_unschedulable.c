/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <rebalance/manifest.h>
#include <stdlib.h>
#include <string.h>

#define CLUSTER "member1"
#define SECOND_NS INT64_C(1000000000)

/* The only binding: the workload's, placed in the only cluster. */
static json_t *binding_of(const json_t *workload) {
  return json_pack(
      "{s:s, s:s, s:{s:s, s:s}, s:{s:{s:s, s:s, s:s, s:s}, s:[{s:s}]}}", "apiVersion", "work.karmada.io/v1alpha2",
      "kind", "ResourceBinding", "metadata", "name", "binding", "namespace", text_at(workload, "metadata.namespace"),
      "spec", "resource", "apiVersion", text_at(workload, "apiVersion"), "kind", text_at(workload, "kind"), "namespace",
      text_at(workload, "metadata.namespace"), "name", text_at(workload, "metadata.name"), "clusters", "name", CLUSTER);
}

/* All objects of the member, as a list. */
static char *member_text(const json_t *input) {
  static const char *const lists[] = {"replicaSets", "pods"};
  json_t *items = json_pack("[O]", json_object_get(input, "workload"));
  json_t *list;
  char *text;
  size_t i;

  for (i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    (void)json_array_extend(items, json_object_get(input, lists[i]));
  }
  list = json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", items);
  text = json_dumps(list, JSON_COMPACT);
  json_decref(list);
  return text;
}

static int feed_member(struct conformance *run, const struct world *world, const json_t *input) {
  rebal_store *member = NULL;
  char *text = member_text(input);
  const int failure = text == NULL || failed(run, rebal_store_new(NULL, &member, &run->err)) ||
                      failed(run, rebal_store_load(member, text, strlen(text), &run->err)) ||
                      failed(run, rebal_store_feed_member(member, world->fleet, 0, NULL, &run->err));

  rebal_store_free(member);
  free(text);
  return failure;
}

static json_t *answer(struct conformance *run, const struct world *world, const json_t *input) {
  const rebal_time now = time_at(input, "now");
  const rebal_unschedulable_opts opts = {(uint32_t)sizeof opts, REBAL_UNSCHEDULABLE_FLAG_THRESHOLD_GIVEN,
                                         integer_at(input, "thresholdSeconds", 0) * SECOND_NS};
  const int64_t *replicas;
  size_t len = 0;

  if (failed(run,
             rebal_unschedulable(run->ctx, world->snapshot, world->bindings, &now, &opts, run->result, &run->err))) {
    return NULL;
  }
  replicas = rebal_result_i64(run->result, REBAL_UNSCHEDULABLE_REPLICAS, NULL);
  if (rebal_result_count(run->result, REBAL_TABLE_UNSCHEDULABLE) != 1) {
    return fault(run, "there is not one answer");
  }
  return replicas[0] == REBAL_FITS_FAILED
             ? json_pack("{s:{s:s, s:s}}", "error", "kind", "Error", "message",
                         rebal_result_text(run->result, REBAL_UNSCHEDULABLE_MESSAGE, 0, &len))
             : json_pack("{s:I}", "unschedulable", (json_int_t)replicas[0]);
}

json_t *case_unschedulable(struct conformance *run, const json_t *input) {
  json_t *clusters = json_pack("[{s:{s:s}}]", "metadata", "name", CLUSTER);
  json_t *binding = binding_of(json_object_get(input, "workload"));
  struct world world;
  json_t *outcome = NULL;

  if (!world_open(run, &world, clusters, NULL) && !binding_read(run, &world, binding) &&
      !feed_member(run, &world, input) && !world_freeze(run, &world)) {
    outcome = answer(run, &world, input);
  }
  rebal_result_reset(run->result);
  world_dispose(&world);
  json_decref(binding);
  json_decref(clusters);
  return outcome;
}
