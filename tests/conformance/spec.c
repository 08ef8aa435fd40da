/* SPDX-License-Identifier: MIT */
/* The part of a binding's spec in the outcome of cases of eviction. */
#include "conformance.h"

void spec_report(const json_t *spec, json_t *outcome) {
  const json_t *tasks = json_object_get(spec, "gracefulEvictionTasks");
  json_t *clusters = json_array();
  const json_t *cluster;
  size_t i;

  json_array_foreach(json_object_get(spec, "clusters"), i, cluster) {
    (void)json_array_append_new(clusters, json_pack("{s:s, s:I}", "name", text_at(cluster, "name"), "replicas",
                                                    (json_int_t)integer_at(cluster, "replicas", 0)));
  }
  (void)json_object_set_new(outcome, "clusters", clusters);
  if (json_array_size(tasks) != 0) {
    (void)json_object_set_new(outcome, "gracefulEvictionTasks", json_deep_copy(tasks));
  }
}
