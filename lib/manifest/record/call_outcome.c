/* SPDX-License-Identifier: MIT */
/* Answers in the form of the conformance vectors. */
#include "manifest/record/call.h"

#include <stdlib.h>
#include <string.h>

static int64_t cell(const rebal_result *result, uint32_t column, size_t row) {
  size_t n;
  const int64_t *values = rebal_result_i64(result, column, &n);
  return values != NULL && row < n ? values[row] : 0;
}

static const char *name_of(const struct rebali_answer *answer, uint32_t column, size_t row) {
  return rebali_cluster_name(answer->snapshot, rebali_cell_id(cell(answer->result, column, row)), NULL);
}

/* Inserts into a list of clusters, which is sorted by name. */
static int32_t insert_by_name(json_t *list, json_t *item, rebal_error *err) {
  size_t at = json_array_size(list);
  while (at > 0 &&
         strcmp(rebali_member_text(json_array_get(list, at - 1), "name"), rebali_member_text(item, "name")) > 0) {
    at--;
  }
  return json_array_insert_new(list, at, item) == 0 ? REBAL_OK : rebali_fail_memory(err);
}

/* ---- rebal_schedule() ---- */

static json_t *components_tree(const struct rebali_answer *answer) {
  json_t *list = json_array();
  uint32_t row = REBAL_NONE;
  while ((row = rebal_cells_next(rebal_bindings_const_cells(answer->bindings), REBAL_TABLE_COMPONENT, answer->row,
                                 row)) != REBAL_NONE) {
    json_t *item = json_pack(
        "{s:s, s:I}", "name",
        rebal_cells_get_text(rebal_bindings_const_cells(answer->bindings), REBAL_COMPONENT_NAME, REBAL_NONE, row, NULL),
        "replicas",
        (json_int_t)rebal_cells_get_i64(rebal_bindings_const_cells(answer->bindings), REBAL_COMPONENT_REPLICAS,
                                        REBAL_NONE, row));
    if (json_array_append_new(list, item) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

static int32_t put_placed(const struct rebali_answer *answer, size_t row, json_t *clusters, rebal_error *err) {
  json_t *item = json_pack("{s:s, s:I}", "name", name_of(answer, REBAL_PLACED_CLUSTER, row), "replicas",
                           (json_int_t)cell(answer->result, REBAL_PLACED_REPLICAS, row));
  int32_t result = item != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (result == REBAL_OK && cell(answer->result, REBAL_PLACED_WITH_COMPONENTS, row) != 0) {
    result = rebali_put(item, "components", components_tree(answer), err);
  }
  if (result != REBAL_OK) {
    json_decref(item);
    return result;
  }
  return insert_by_name(clusters, item, err);
}

static int32_t schedule_outcome(const struct rebali_answer *answer, size_t decision, json_t **accept, json_t **error,
                                rebal_error *err) {
  static const char *const kinds[] = {[REBAL_OUTCOME_NO_CLUSTER_FIT] = "FitError",
                                      [REBAL_OUTCOME_UNSCHEDULABLE] = "Unschedulable",
                                      [REBAL_OUTCOME_SCHEDULER_ERROR] = "Error"};
  const int64_t outcome = cell(answer->result, REBAL_DECISION_OUTCOME, decision);
  const size_t first = (size_t)cell(answer->result, REBAL_DECISION_FIRST_PLACED, decision);
  const size_t n = (size_t)cell(answer->result, REBAL_DECISION_PLACED, decision);
  json_t *clusters;
  int32_t result = REBAL_OK;
  if (outcome >= REBAL_OUTCOME_NO_CLUSTER_FIT && outcome <= REBAL_OUTCOME_SCHEDULER_ERROR) {
    *error = json_pack("{s:s, s:s}", "kind", kinds[outcome], "message",
                       rebal_result_text(answer->result, REBAL_DECISION_MESSAGE, decision, NULL));
    return *error != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  clusters = json_array();
  for (size_t row = first; result == REBAL_OK && row < first + n; row++) {
    result = put_placed(answer, row, clusters, err);
  }
  *accept = result == REBAL_OK ? json_pack("{s:O}", "clusters", clusters) : NULL;
  json_decref(clusters);
  return result == REBAL_OK && *accept == NULL ? rebali_fail_memory(err) : result;
}

/* ---- rebal_filter() ---- */

static int is_reported(const struct rebali_answer *answer, size_t row, uint32_t plugin) {
  int64_t with_workloads = 0;
  if (plugin == REBAL_FILTER_EXTRA) {
    return (cell(answer->result, REBAL_VERDICT_REJECTED_BY, row) >> REBAL_FILTER_EXTRA & 1) != 0;
  }
  (void)rebal_compat_get(answer->compat, REBAL_OPTION_GATE_WORKLOAD_AFFINITY, &with_workloads, NULL);
  return with_workloads != 0 ||
         (plugin != REBAL_FILTER_WORKLOAD_AFFINITY && plugin != REBAL_FILTER_WORKLOAD_ANTI_AFFINITY);
}

static int32_t put_plugin(const struct rebali_answer *answer, size_t row, uint32_t plugin, json_t *map,
                          rebal_error *err) {
  char *reason;
  size_t len = 0;
  json_t *verdict;
  int32_t result = rebal_filter_reason(answer->bindings, answer->result, row, plugin, NULL, 0, &len, err);
  if (result != REBAL_OK) {
    return result;
  }
  reason = malloc(len + 1);
  if (reason == NULL) {
    return rebali_fail_memory(err);
  }
  result = rebal_filter_reason(answer->bindings, answer->result, row, plugin, reason, len + 1, &len, err);
  if (result == REBAL_OK) {
    verdict = len == 0 ? json_pack("{s:s}", "code", "Success")
                       : json_pack("{s:s, s:[s]}", "code", "Unschedulable", "reasons", reason);
    result = rebali_put(map, rebal_enum_name(REBAL_ENUM_FILTER, plugin, NULL), verdict, err);
  }
  free(reason);
  return result;
}

static int32_t put_verdict(const struct rebali_answer *answer, size_t row, json_t *clusters, rebal_error *err) {
  json_t *map = json_object();
  int32_t result = map != NULL ? REBAL_OK : rebali_fail_memory(err);
  json_t *item;
  for (uint32_t plugin = 0; result == REBAL_OK && plugin <= REBAL_FILTER_EXTRA; plugin++) {
    if (rebal_enum_name(REBAL_ENUM_FILTER, plugin, NULL) != NULL && is_reported(answer, row, plugin)) {
      result = put_plugin(answer, row, plugin, map, err);
    }
  }
  item = result == REBAL_OK
             ? json_pack("{s:s, s:O}", "name", name_of(answer, REBAL_VERDICT_CLUSTER, row), "plugins", map)
             : NULL;
  json_decref(map);
  return result == REBAL_OK ? insert_by_name(clusters, item, err) : result;
}

static int32_t put_estimate(const struct rebali_answer *answer, size_t row, json_t *clusters, rebal_error *err) {
  json_t *item = json_pack("{s:s, s:I}", "name", name_of(answer, REBAL_ESTIMATE_CLUSTER, row),
                           answer->call == REBAL_CALL_ESTIMATE ? "replicas" : "sets",
                           (json_int_t)cell(answer->result, REBAL_ESTIMATE_REPLICAS, row));
  return insert_by_name(clusters, item, err);
}

/* Builds one item for each row of a table about the binding. */
static int32_t list_outcome(const struct rebali_answer *answer, json_t **accept, rebal_error *err) {
  const int is_filter = answer->call == REBAL_CALL_FILTER;
  const size_t n = rebal_result_count(answer->result, is_filter ? REBAL_TABLE_VERDICT : REBAL_TABLE_ESTIMATE);
  json_t *clusters = json_array();
  int32_t result = clusters != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t row = 0; result == REBAL_OK && row < n; row++) {
    if (!is_filter) {
      result = put_estimate(answer, row, clusters, err);
    } else if (cell(answer->result, REBAL_VERDICT_BINDING, row) == answer->row) {
      result = put_verdict(answer, row, clusters, err);
    }
  }
  *accept = result == REBAL_OK ? json_pack("{s:O}", "clusters", clusters) : NULL;
  json_decref(clusters);
  return result == REBAL_OK && *accept == NULL ? rebali_fail_memory(err) : result;
}

int32_t rebali_answer_outcome(const struct rebali_answer *answer, json_t **accept, json_t **error, rebal_error *err) {
  const size_t n = rebal_result_count(answer->result, REBAL_TABLE_DECISION);
  size_t decision = 0;
  *accept = *error = NULL;
  if (answer->call == REBAL_CALL_FILTER || rebali_call_estimates(answer->call)) {
    return list_outcome(answer, accept, err);
  }
  while (decision < n && cell(answer->result, REBAL_DECISION_BINDING, decision) != answer->row) {
    decision++;
  }
  if (answer->call != REBAL_CALL_SCHEDULE || decision == n) {
    return REBAL_OK;
  }
  return schedule_outcome(answer, decision, accept, error, err);
}
