/* SPDX-License-Identifier: MIT */
/* Explanations of a pass: what each stage found about each cluster, as rows and as counts. */
#include "scheduler/scheduler.h"

void rebali_explain_begin(struct rebali_explain *explain, rebal_result *result, uint64_t rows) {
  *explain = (struct rebali_explain){result, rows, NULL, NULL};
}

/* Sums the replicas over the entries of spec.clusters, once for each binding. 2^32 entries of int32 fit. */
static int32_t count_before(struct rebali_pass *pass) {
  const size_t rows = rebali_snapshot_rows(pass->snapshot);
  int64_t *before = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), rows, sizeof *before);

  if (before == NULL) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t row = 0; row < rows; row++) {
    before[row] = rebali_bit_get(pass->targets, row) ? 0 : REBAL_ABSENT;
  }
  for (size_t i = 0; i < pass->n_targets; i++) {
    const int64_t cluster = rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, pass->target_rows[i]);

    if (cluster != REBAL_NONE) {
      before[cluster] += rebali_bindings_i64(pass->bindings, REBAL_TARGET_REPLICAS, pass->target_rows[i]);
    }
  }
  pass->explain->before = before;
  return REBAL_OK;
}

/* Returns the name of the group under trial, as written in DECISION. */
static struct rebali_text group_under_trial(const struct rebali_pass *pass) {
  return pass->trial_term == NULL ? REBALI_TEXT("") : pass->trial_name;
}

struct integer_cell {
  uint32_t column;
  int64_t value;
};
struct text_cell {
  uint32_t column;
  struct rebali_text value;
};

/* Adds a row to a table. Empty texts get no cell. */
static int32_t add_row(const struct rebali_pass *pass, uint32_t table, const struct integer_cell *integers,
                       size_t n_integers, const struct text_cell *texts, size_t n_texts) {
  struct rebali_table *rows = rebali_result_table(pass->explain->result, table);
  size_t row;
  int32_t code = rebali_table_add(rows, 1, &row);

  for (size_t i = 0; i < n_integers && code == REBAL_OK; i++) {
    code = rebali_table_set_i64(rows, integers[i].column, row, integers[i].value);
  }
  for (size_t i = 0; i < n_texts && code == REBAL_OK; i++) {
    code = texts[i].value.len == 0 ? REBAL_OK : rebali_table_set_text(rows, texts[i].column, row, texts[i].value);
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(pass->err);
}

int32_t rebali_explanation_row(struct rebali_explanation *explanation, const struct rebali_reason *reason) {
  const struct rebali_pass *pass = explanation->pass;
  const struct rebali_candidate *scores = reason->candidate;
  const struct rebali_topology_group *region = reason->region;
  const int64_t before = reason->cluster == REBAL_NONE ? REBAL_ABSENT : pass->explain->before[reason->cluster];
  const struct integer_cell integers[] = {
      {REBAL_EXPLAIN_BINDING, (int64_t)pass->row},
      {REBAL_EXPLAIN_CLUSTER, rebali_id_given(reason->cluster)},
      {REBAL_EXPLAIN_STAGE, (int64_t)explanation->stage},
      {REBAL_EXPLAIN_VERDICT, reason->verdict},
      {REBAL_EXPLAIN_FIELD, (int64_t)reason->field},
      {REBAL_EXPLAIN_PLUGIN, reason->verdict == REBAL_WHY_REJECTED ? (int64_t)reason->plugin : REBAL_ABSENT},
      {REBAL_EXPLAIN_BEFORE, before},
      {REBAL_EXPLAIN_AFTER, reason->verdict == REBAL_WHY_PLACED ? reason->after : REBAL_ABSENT},
      {REBAL_EXPLAIN_SCORE, region != NULL   ? region->score
                            : scores == NULL ? REBAL_ABSENT
                                             : scores->score},
      {REBAL_EXPLAIN_LOCALITY, scores == NULL ? REBAL_ABSENT : scores->score - scores->extra},
      {REBAL_EXPLAIN_EXTRA, scores == NULL ? REBAL_ABSENT : scores->extra},
      {REBAL_EXPLAIN_ALLOCATABLE, scores == NULL ? REBAL_ABSENT : scores->allocatable},
      {REBAL_EXPLAIN_AVAILABLE, region != NULL   ? region->available
                                : scores == NULL ? REBAL_ABSENT
                                                 : scores->available},
      {REBAL_EXPLAIN_TIE, reason->tie == 0 ? REBAL_ABSENT : reason->tie},
  };
  const struct text_cell texts[] = {
      {REBAL_EXPLAIN_AFFINITY_NAME, group_under_trial(pass)},
      {REBAL_EXPLAIN_EXPECTED, reason->expected},
      {REBAL_EXPLAIN_FOUND, reason->found},
      {REBAL_EXPLAIN_RESOURCE, reason->resource},
      {REBAL_EXPLAIN_GROUP, reason->group},
      {REBAL_EXPLAIN_PEER, reason->peer},
  };

  if (!rebali_explanation_has_capacity(explanation)) {
    return REBAL_OK;
  }
  pass->explain->rows_left--;
  return add_row(pass, REBAL_TABLE_EXPLAIN, integers, REBALI_COUNT(integers), texts, REBALI_COUNT(texts));
}

int32_t rebali_explanation_cluster(struct rebali_explanation *explanation, const struct rebali_reason *reason) {
  explanation->counts[reason->verdict]++;
  return rebali_explanation_row(explanation, reason);
}

static int32_t report_refused(struct rebali_explanation *explanation) {
  const struct rebali_buffer *message = &explanation->pass->message;
  const struct rebali_reason reason = {
      .cluster = REBAL_NONE, .verdict = REBAL_WHY_REFUSED, .found = rebali_text(message->bytes, message->len)};

  return rebali_explanation_row(explanation, &reason);
}

/*
 * Writes the counts. A refusal is counted although it concerns no cluster, so it is visible when its row did not fit.
 */
static int32_t write_counts(const struct rebali_explanation *explanation) {
  const struct rebali_pass *pass = explanation->pass;
  const struct text_cell name = {REBAL_EXPLAIN_COUNT_AFFINITY_NAME, group_under_trial(pass)};
  int32_t code = REBAL_OK;

  for (int64_t verdict = 0; verdict < REBALI_VERDICTS && code == REBAL_OK; verdict++) {
    const struct integer_cell integers[] = {
        {REBAL_EXPLAIN_COUNT_BINDING, (int64_t)pass->row},
        {REBAL_EXPLAIN_COUNT_STAGE, (int64_t)explanation->stage},
        {REBAL_EXPLAIN_COUNT_VERDICT, verdict},
        {REBAL_EXPLAIN_COUNT_CLUSTERS, explanation->counts[verdict]},
    };

    if (explanation->counts[verdict] > 0 || (verdict == REBAL_WHY_REFUSED && rebali_pass_refused(pass))) {
      code = add_row(pass, REBAL_TABLE_EXPLAIN_COUNT, integers, REBALI_COUNT(integers), &name, 1);
    }
  }
  return code;
}

int32_t rebali_explain_stage(struct rebali_pass *pass, uint32_t stage) {
  static int32_t (*const explainers[])(struct rebali_explanation *) = {
      [REBAL_STAGE_FILTER] = rebali_explain_filter,
      [REBAL_STAGE_SCORE] = rebali_explain_scores,
      [REBAL_STAGE_SELECT] = rebali_explain_selection,
      [REBAL_STAGE_ASSIGN] = rebali_explain_assignment,
  };
  const int is_refused = rebali_pass_refused(pass);
  struct rebali_explanation explanation = {.pass = pass, .stage = stage};
  int32_t code = pass->explain->before == NULL ? count_before(pass) : REBAL_OK;

  rebali_buffer_init(&explanation.expected, rebali_ctx_allocator(pass->ctx));
  rebali_buffer_init(&explanation.found, rebali_ctx_allocator(pass->ctx));
  if (code == REBAL_OK && (!is_refused || stage == REBAL_STAGE_FILTER)) { /* a refusal leaves the stage incomplete */
    code = explainers[stage](&explanation);
  } else if (code == REBAL_OK && stage == REBAL_STAGE_SELECT) {
    code = rebali_explain_refused_selection(&explanation);
  }
  if (code == REBAL_OK && is_refused) {
    code = report_refused(&explanation);
  }
  code = code == REBAL_OK ? write_counts(&explanation) : code;
  rebali_buffer_dispose(&explanation.expected);
  rebali_buffer_dispose(&explanation.found);
  return code;
}
