/* SPDX-License-Identifier: MIT */
/* A drawn WorkloadSpread for the library: its record, the facts of its workload, cells of pods. */
#include "spreads.h"

#include "../support/records.h"

#include <string.h>

static void put(rebal_builder *builder, uint32_t field, const char *text) {
  (void)rebal_builder_text(builder, field, text, strlen(text), NULL);
}

static void put_time(rebal_builder *builder, uint32_t field, int64_t seconds) {
  const rebal_time time = {seconds, 0, 1};

  (void)rebal_builder_time(builder, field, &time, NULL);
}

/* ---- spec -------------------------------------------------------------------------------------------------------- */

static void put_limit(rebal_builder *builder, uint32_t field, const struct spread_limit *limit) {
  if (!limit->is_present) {
    return;
  }
  (void)rebal_builder_begin(builder, field, NULL);
  if (limit->text != NULL) {
    put(builder, REBAL_INT_OR_TEXT_TEXT, limit->text);
  } else {
    (void)rebal_builder_i64(builder, REBAL_INT_OR_TEXT_NUMBER, limit->number, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
}

static void put_term(rebal_builder *builder, uint32_t field, uint32_t term) {
  (void)rebal_builder_begin(builder, field, NULL);
  test_put_expressions(builder, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS, test_word(spread_terms[term].text));
  (void)rebal_builder_end(builder, NULL);
}

static void put_subset(rebal_builder *builder, const struct spread_subset *subset) {
  (void)rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SUBSETS, NULL);
  put(builder, REBAL_SUBSET_NAME, subset->name);
  if (subset->required != 0) {
    put_term(builder, REBAL_SUBSET_REQUIRED_NODE_SELECTOR, subset->required);
  }
  for (size_t i = 0; i < 2; i++) {
    if (subset->preferred[i] != 0) {
      (void)rebal_builder_begin(builder, REBAL_SUBSET_PREFERRED_NODE_SELECTOR, NULL);
      (void)rebal_builder_i64(builder, REBAL_PREFERRED_TERM_WEIGHT, subset->weights[i], NULL);
      put_term(builder, REBAL_PREFERRED_TERM_PREFERENCE, subset->preferred[i]);
      (void)rebal_builder_end(builder, NULL);
    }
  }
  if (subset->toleration != 0) {
    test_put_tolerations(builder, REBAL_SUBSET_TOLERATIONS, test_word(spread_tolerations[subset->toleration].text));
  }
  put_limit(builder, REBAL_SUBSET_MAX_REPLICAS, &subset->limit);
  put_limit(builder, REBAL_SUBSET_MIN_REPLICAS, &subset->minimum);
  if (subset->has_patch) {
    (void)rebal_builder_begin(builder, REBAL_SUBSET_PATCH, NULL);
    put(builder, REBAL_RAW_JSON, "{}");
    (void)rebal_builder_end(builder, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
}

static void put_filter(rebal_builder *builder) {
  (void)rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_FILTER, NULL);
  (void)rebal_builder_begin(builder, REBAL_TARGET_FILTER_SELECTOR, NULL);
  test_put_pairs(builder, REBAL_LABEL_SELECTOR_MATCH_LABELS, "app=a");
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_end(builder, NULL);
}

static void put_strategy(rebal_builder *builder, int64_t critical_seconds) {
  (void)rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SCHEDULE_STRATEGY, NULL);
  put(builder, REBAL_SCHEDULE_STRATEGY_TYPE, "Adaptive");
  (void)rebal_builder_begin(builder, REBAL_SCHEDULE_STRATEGY_ADAPTIVE, NULL);
  (void)rebal_builder_i64(builder, REBAL_ADAPTIVE_STRATEGY_RESCHEDULE_CRITICAL_SECONDS, critical_seconds, NULL);
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_end(builder, NULL);
}

static void put_spec(rebal_builder *builder, const struct spread_case *drawn) {
  const struct spread_target *target = &drawn->target;

  if (target->kind != NULL) {
    (void)rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_REF, NULL);
    put(builder, REBAL_REFERENCE_API_VERSION, "apps/v1");
    put(builder, REBAL_REFERENCE_KIND, target->kind);
    put(builder, REBAL_REFERENCE_NAME, drawn->workload);
    (void)rebal_builder_end(builder, NULL);
  }
  if (target->has_filter) {
    put_filter(builder);
  }
  for (size_t i = 0; i < drawn->n_subsets; i++) {
    put_subset(builder, &drawn->subsets[i]);
  }
  if (target->critical_seconds != 0) {
    put_strategy(builder, target->critical_seconds);
  }
}

/* ---- status ------------------------------------------------------------------------------------------------------ */

static void put_condition(rebal_builder *builder, const char *type, const struct spread_condition *condition) {
  (void)rebal_builder_begin(builder, REBAL_SUBSET_STATUS_CONDITIONS, NULL);
  put(builder, REBAL_CONDITION_TYPE, type);
  put(builder, REBAL_CONDITION_STATUS, condition->status);
  put_time(builder, REBAL_CONDITION_LAST_TRANSITION_TIME, condition->since);
  put(builder, REBAL_CONDITION_REASON, condition->reason);
  put(builder, REBAL_CONDITION_MESSAGE, condition->message);
  (void)rebal_builder_end(builder, NULL);
}

static void put_entry(rebal_builder *builder, uint32_t field, const struct spread_entry *entry) {
  static const uint32_t fields[] = {REBAL_SUBSET_STATUS_CREATING_PODS, REBAL_SUBSET_STATUS_DELETING_PODS};
  static const struct spread_condition other = {"False", "Reason", "", 5};

  (void)rebal_builder_begin(builder, field, NULL);
  put(builder, REBAL_SUBSET_STATUS_NAME, entry->name);
  (void)rebal_builder_i64(builder, REBAL_SUBSET_STATUS_REPLICAS, entry->replicas, NULL);
  if (entry->has_other_condition) {
    put_condition(builder, "Other", &other);
  }
  if (entry->condition.status != NULL) {
    put_condition(builder, "Schedulable", &entry->condition);
  }
  (void)rebal_builder_i64(builder, REBAL_SUBSET_STATUS_MISSING_REPLICAS, entry->missing, NULL);
  for (size_t way = 0; way < 2; way++) {
    for (size_t i = 0; i < entry->n_flights[way]; i++) {
      (void)rebal_builder_begin(builder, fields[way], NULL);
      put(builder, REBAL_MOMENT_KEY, entry->flights[way][i].key);
      put_time(builder, REBAL_MOMENT_TIME, entry->flights[way][i].since);
      (void)rebal_builder_end(builder, NULL);
    }
  }
  (void)rebal_builder_end(builder, NULL);
}

static void put_status(rebal_builder *builder, const struct spread_status *status) {
  (void)rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_STATUS, NULL);
  (void)rebal_builder_i64(builder, REBAL_SPREAD_STATUS_OBSERVED_GENERATION, status->generation, NULL);
  for (size_t i = 0; i < status->overall.n; i++) {
    put_entry(builder, REBAL_SPREAD_STATUS_SUBSETS, &status->overall.entries[i]);
  }
  for (size_t i = 0; i < status->n; i++) {
    (void)rebal_builder_begin(builder, REBAL_SPREAD_STATUS_VERSIONS, NULL);
    put(builder, REBAL_VERSION_STATUS_VERSION, status->lists[i].version);
    for (size_t k = 0; k < status->lists[i].n; k++) {
      put_entry(builder, REBAL_VERSION_STATUS_SUBSETS, &status->lists[i].entries[k]);
    }
    (void)rebal_builder_end(builder, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
}

const rebal_record *spread_record(struct spread_case *drawn) {
  rebal_builder *builder = drawn->world.builder;

  (void)rebal_builder_start(builder, REBAL_OBJECT_WORKLOAD_SPREAD, NULL);
  (void)rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_METADATA, NULL);
  put(builder, REBAL_METADATA_NAME, drawn->name);
  put(builder, REBAL_METADATA_NAMESPACE, "ns");
  (void)rebal_builder_i64(builder, REBAL_METADATA_GENERATION, drawn->generation, NULL);
  if (drawn->target.is_deleting) {
    put_time(builder, REBAL_METADATA_DELETION_TIMESTAMP, 1);
  }
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_SPEC, NULL);
  put_spec(builder, drawn);
  (void)rebal_builder_end(builder, NULL);
  put_status(builder, &drawn->status);
  return test_finish(builder);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void pod_text(const struct spread_case *drawn, uint32_t column, uint32_t row, const char *text) {
  (void)rebal_cells_set_text(rebal_pods_cells(drawn->pods), column, REBAL_NONE, row, text, strlen(text), NULL);
}

static void pod_time(const struct spread_case *drawn, uint32_t column, uint32_t row, int64_t seconds) {
  const rebal_time time = test_time(seconds);

  (void)rebal_cells_set_time(rebal_pods_cells(drawn->pods), column, REBAL_NONE, row, &time, NULL);
}

void spread_write_pod(struct spread_case *drawn, const struct spread_pod *pod) {
  const struct {
    uint32_t column;
    int64_t value;
  } cells[] = {
      {REBAL_SPREAD_POD_CONTROLLER, pod->owner < 2 ? drawn->owners[pod->owner] : REBAL_NONE},
      {REBAL_SPREAD_POD_LABELS, drawn->apps[pod->app]},
      {REBAL_SPREAD_POD_VERSION_LABEL, pod->label},
      {REBAL_SPREAD_POD_MATCHED_STATE, pod->matched},
      {REBAL_SPREAD_POD_DELETING, pod->is_deleting},
      {REBAL_SPREAD_POD_PHASE, pod->phase},
      {REBAL_SPREAD_POD_NODE, pod->node <= SPREAD_NODES ? drawn->nodes[pod->node].id : REBAL_NONE},
      {REBAL_SPREAD_POD_READY, pod->is_ready},
      {REBAL_SPREAD_POD_UNSCHEDULABLE, pod->is_unschedulable},
      {REBAL_SPREAD_POD_RESTARTS, pod->restarts},
      {REBAL_SPREAD_POD_SIDECAR_RESTARTS, pod->sidecar_restarts},
      {REBAL_SPREAD_POD_REQUIREMENTS, drawn->claims[pod->claim]},
      {REBAL_SPREAD_POD_OPERATION, pod->operation},
  };
  const int is_matched = pod->matched == REBAL_ANNOTATION_PRESENT;

  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    (void)rebal_cells_set_i64(rebal_pods_cells(drawn->pods), cells[i].column, REBAL_NONE, pod->row, cells[i].value,
                              NULL);
  }
  pod_text(drawn, REBAL_SPREAD_POD_NAME, pod->row, pod->name);
  pod_text(drawn, REBAL_SPREAD_POD_UID, pod->row, pod->name);
  pod_text(drawn, REBAL_SPREAD_POD_VERSION, pod->row, pod->version);
  pod_text(drawn, REBAL_SPREAD_POD_MATCHED_SPREAD, pod->row, is_matched ? pod->spread : "");
  pod_text(drawn, REBAL_SPREAD_POD_MATCHED_SUBSET, pod->row, is_matched ? pod->subset : "");
  pod_text(drawn, REBAL_SPREAD_POD_MATCHED_ID, pod->row, is_matched ? pod->id : "");
  pod_text(drawn, REBAL_SPREAD_POD_DELETION_COST, pod->row, pod->cost);
  pod_text(drawn, REBAL_SPREAD_POD_ADMISSION_ID, pod->row, pod->admission_id == NULL ? "" : pod->admission_id);
  pod_time(drawn, REBAL_SPREAD_POD_CREATED, pod->row, pod->created);
  pod_time(drawn, REBAL_SPREAD_POD_READY_SINCE, pod->row, pod->ready_since);
}

static void fact_text(const struct spread_case *drawn, uint32_t column, const char *text) {
  (void)rebal_cells_set_text(rebal_spread_cells(drawn->spread), column, REBAL_NONE, 0, text, strlen(text), NULL);
}

static void owner_text(const struct spread_case *drawn, uint32_t column, size_t owner, const char *text) {
  (void)rebal_cells_set_text(rebal_pods_cells(drawn->pods), column, REBAL_NONE, drawn->owners[owner], text,
                             strlen(text), NULL);
}

void spread_write_owners(struct spread_case *drawn) {
  static const char *const texts[3][3] = {
      {"apps/v1", "ReplicaSet", "rs"}, {"apps.kruise.io/v1alpha1", "CloneSet", "other"}, {"apps/v1", "none", "web"}};

  (void)rebal_cells_add(rebal_pods_cells(drawn->pods), REBAL_TABLE_OWNER, REBAL_NONE, drawn->owners, 3, NULL);
  for (size_t i = 0; i < 3; i++) {
    owner_text(drawn, REBAL_OWNER_API_VERSION, i, texts[i][0]);
    owner_text(drawn, REBAL_OWNER_KIND, i, texts[i][1]);
    owner_text(drawn, REBAL_OWNER_NAME, i, texts[i][2]);
    (void)rebal_cells_set_i64(rebal_pods_cells(drawn->pods), REBAL_OWNER_STATE, REBAL_NONE, drawn->owners[i],
                              REBAL_OWNER_STATE_EXISTS, NULL);
  }
  (void)rebal_cells_set_i64(rebal_pods_cells(drawn->pods), REBAL_OWNER_CONTROLLER, REBAL_NONE, drawn->owners[0],
                            drawn->owners[2], NULL);
}

void spread_write_facts(struct spread_case *drawn) {
  const struct spread_target *target = &drawn->target;
  const struct {
    uint32_t column;
    int64_t value;
  } facts[] = {
      {REBAL_SPREAD_WORKLOAD_STATE, target->state},
      {REBAL_SPREAD_WORKLOAD_DELETING, target->workload_is_deleting},
      {REBAL_SPREAD_WORKLOAD_REPLICAS, target->replicas},
      {REBAL_SPREAD_WORKLOAD_PATH_REPLICAS, target->path_replicas},
      {REBAL_SPREAD_WORKLOAD_HAS_PATHS, target->has_paths},
      {REBAL_SPREAD_WORKLOAD_LATEST_STATE, target->latest_state},
      {REBAL_SPREAD_WORKLOAD_ADMISSION_REPLICAS, target->admission_replicas},
  };

  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
    (void)rebal_cells_set_i64(rebal_spread_cells(drawn->spread), facts[i].column, REBAL_NONE, 0, facts[i].value, NULL);
  }
  fact_text(drawn, REBAL_SPREAD_WORKLOAD_PATH_ERROR, target->path_error);
  fact_text(drawn, REBAL_SPREAD_WORKLOAD_LATEST, target->latest);
  fact_text(drawn, REBAL_SPREAD_WORKLOAD_ADMISSION_ERROR, target->admission_error);
  owner_text(drawn, REBAL_OWNER_KIND, 2, target->kind == NULL ? "none" : target->kind);
}

int32_t spread_admit(struct spread_case *drawn, rebal_spread *const *spreads, size_t n_spreads, size_t from, size_t n,
                     rebal_result *result) {
  uint32_t rows[SPREAD_COMERS];
  const rebal_admit_opts opts = {.struct_size = sizeof opts, .compat = drawn->compat, .rows = rows, .n_rows = n - from};

  for (size_t i = from; i < n; i++) {
    rows[i - from] = drawn->comers[i].row;
  }
  return rebal_spread_admit(drawn->world.ctx, spreads, n_spreads, drawn->pods, &drawn->now, &opts, result,
                            &drawn->world.err);
}

int32_t spread_step(struct spread_case *drawn, rebal_spread *spread, rebal_result *result) {
  uint32_t rows[SPREAD_PODS];
  const rebal_spread_opts opts = {.struct_size = sizeof opts,
                                  .compat = drawn->compat,
                                  .unchanged = drawn->unchanged,
                                  .unchanged_stride = 1,
                                  .rows = rows,
                                  .n_rows = drawn->n_pods,
                                  .cluster = drawn->cluster,
                                  .observations = drawn->observations};

  for (size_t i = 0; i < drawn->n_pods; i++) {
    rows[i] = drawn->list[i]->row;
    drawn->unchanged[rows[i]] = drawn->list[i]->unchanged;
  }
  return rebal_spread_step(drawn->world.ctx, drawn->world.snapshot, spread, drawn->pods, &drawn->now, &opts, result,
                           &drawn->world.err);
}
