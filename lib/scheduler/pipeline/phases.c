/* SPDX-License-Identifier: MIT */
/* How phases read earlier results and write their own, row by row. */
#include "scheduler/scheduler.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Rows of a table that belong to one binding. Every call writes them contiguously, bindings in ascending order. */
struct slice {
  size_t first;
  size_t n;
};

static size_t lower_bound(const int64_t *bindings, size_t n, int64_t binding) {
  size_t at;

  REBALI_BISECT(at, n, bindings[at] < binding);
  return at;
}

static struct slice rows_of(const rebal_result *result, uint32_t column, uint32_t binding) {
  size_t n;
  const int64_t *bindings = rebal_result_i64(result, column, &n);
  struct slice slice = {0, 0};

  if (bindings != NULL) {
    slice.first = lower_bound(bindings, n, (int64_t)binding);
    slice.n = lower_bound(bindings, n, (int64_t)binding + 1) - slice.first;
  }
  return slice;
}

static int32_t fail_mismatch(struct rebali_pass *pass) {
  return rebali_fail(pass->err, REBAL_EMISMATCH, (int64_t)pass->row,
                     "the earlier result is of other bindings or of another snapshot");
}

static int is_known(const struct rebali_pass *pass, int64_t cluster) {
  return cluster < (int64_t)rebali_snapshot_rows(pass->snapshot) &&
         rebali_snapshot_has(pass->snapshot, (uint32_t)cluster);
}

static int32_t take_verdicts(struct rebali_pass *pass, const rebal_result *earlier) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  const struct slice slice = rows_of(earlier, REBAL_VERDICT_BINDING, pass->row);
  const int64_t *clusters = rebal_result_i64(earlier, REBAL_VERDICT_CLUSTER, NULL);
  struct rebali_verdicts *verdicts = rebali_arena_allocate(scratch, 1, sizeof *verdicts);
  uint32_t *by_cluster =
      rebali_arena_allocate_zero(scratch, rebali_snapshot_rows(pass->snapshot) + 1, sizeof *by_cluster);

  if (verdicts == NULL || by_cluster == NULL) {
    return rebali_fail_memory(pass->err);
  }
  if (slice.n != rebali_snapshot_count(pass->snapshot)) {
    return fail_mismatch(pass);
  }
  for (size_t i = 0; i < slice.n; i++) {
    if (!is_known(pass, clusters[slice.first + i])) {
      return fail_mismatch(pass);
    }
    by_cluster[clusters[slice.first + i]] = (uint32_t)i; /* fewer than 2^32 clusters */
  }
  *verdicts = (struct rebali_verdicts){earlier, slice.first, by_cluster};
  pass->verdicts = verdicts;
  return REBAL_OK;
}

/* Reads the outcome of an earlier phase for the binding. */
static int32_t take_decision(struct rebali_pass *pass, const rebal_result *earlier) {
  const struct slice slice = rows_of(earlier, REBAL_DECISION_BINDING, pass->row);
  const char *message;
  size_t len;

  if (slice.n != 1) {
    return fail_mismatch(pass);
  }
  message = rebal_result_text(earlier, REBAL_DECISION_MESSAGE, slice.first, &len);
  rebali_buffer_append(&pass->message, message, len);
  pass->outcome = rebal_result_i64(earlier, REBAL_DECISION_OUTCOME, NULL)[slice.first];
  pass->missing = rebal_result_i64(earlier, REBAL_DECISION_MISSING, NULL)[slice.first];
  pass->refusal = REBAL_OUTCOME_SCHEDULER_ERROR; /* of a selection accepted in part */
  return pass->message.failed ? rebali_fail_memory(pass->err) : REBAL_OK;
}

/* Columns of a table that hold the members of a candidate; 0 for a column that the table lacks. */
struct candidate_columns {
  uint32_t binding, cluster, score, extra, allocatable, available, overflow_order;
};
static const struct candidate_columns scored_columns = {
    REBAL_SCORED_BINDING,     REBAL_SCORED_CLUSTER,   REBAL_SCORED_SCORE,         REBAL_SCORED_EXTRA,
    REBAL_SCORED_ALLOCATABLE, REBAL_SCORED_AVAILABLE, REBAL_SCORED_OVERFLOW_ORDER};
static const struct candidate_columns selected_columns = {
    REBAL_SELECTED_BINDING,     REBAL_SELECTED_CLUSTER,   REBAL_SELECTED_SCORE,         0,
    REBAL_SELECTED_ALLOCATABLE, REBAL_SELECTED_AVAILABLE, REBAL_SELECTED_OVERFLOW_ORDER};

static int64_t read_cell(const rebal_result *result, uint32_t column, size_t row) {
  return column == 0 ? 0 : rebal_result_i64(result, column, NULL)[row];
}

static int32_t take_candidates(struct rebali_pass *pass, const rebal_result *earlier,
                               const struct candidate_columns *columns) {
  const struct slice slice = rows_of(earlier, columns->binding, pass->row);
  int32_t code = take_decision(pass, earlier);

  if (code != REBAL_OK) {
    return code;
  }
  if (slice.n > rebali_snapshot_count(pass->snapshot)) {
    return fail_mismatch(pass);
  }
  for (size_t i = 0; i < slice.n; i++) {
    const size_t row = slice.first + i;

    if (!is_known(pass, read_cell(earlier, columns->cluster, row))) {
      return fail_mismatch(pass);
    }
    pass->candidates[i] = (struct rebali_candidate){
        .cluster = (uint32_t)read_cell(earlier, columns->cluster, row),
        .overflow_order = (int32_t)read_cell(earlier, columns->overflow_order, row),
        .score = read_cell(earlier, columns->score, row),
        .available = read_cell(earlier, columns->available, row),
        .extra = read_cell(earlier, columns->extra, row),
        .allocatable = (int32_t)read_cell(earlier, columns->allocatable, row),
    };
  }
  pass->n_feasible = slice.n;
  pass->n_candidates = slice.n;
  return REBAL_OK;
}

static int32_t take_scored(struct rebali_pass *pass, const rebal_result *earlier) {
  return take_candidates(pass, earlier, &scored_columns);
}

static int32_t take_selected(struct rebali_pass *pass, const rebal_result *earlier) {
  return take_candidates(pass, earlier, &selected_columns);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static int32_t write_scored(const struct rebali_pass *pass, rebal_result *result) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_SCORED);
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < pass->n_candidates && code == REBAL_OK; i++) {
    const struct rebali_candidate *candidate = &pass->candidates[i];
    const struct rebali_table_value cells[] = {
        {REBAL_SCORED_BINDING, pass->row},
        {REBAL_SCORED_CLUSTER, candidate->cluster},
        {REBAL_SCORED_SCORE, candidate->score},
        {REBAL_SCORED_LOCALITY, candidate->score - candidate->extra},
        {REBAL_SCORED_EXTRA, candidate->extra},
        {REBAL_SCORED_ALLOCATABLE, candidate->allocatable},
        {REBAL_SCORED_AVAILABLE, candidate->available},
        {REBAL_SCORED_OVERFLOW_ORDER, candidate->overflow_order},
    };
    size_t row;

    code = rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row);
  }
  return code;
}

static int32_t write_groups(const struct rebali_pass *pass, rebal_result *result) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_GROUP);
  int32_t code = REBAL_OK;

  for (uint32_t field = 0; field < REBALI_COUNT(pass->topologies); field++) {
    for (size_t i = 0; i < pass->topologies[field].n && code == REBAL_OK; i++) {
      const struct rebali_topology_group *group = &pass->topologies[field].groups[i];
      const struct rebali_table_value cells[] = {
          {REBAL_GROUP_BINDING, pass->row},
          {REBAL_GROUP_FIELD, field},
          {REBAL_GROUP_SCORE, group->score},
          {REBAL_GROUP_AVAILABLE, group->available},
          {REBAL_GROUP_CLUSTERS, (int64_t)group->n_members},
          {REBAL_GROUP_CHOSEN, group->is_chosen},
      };
      size_t row;

      code = rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row);
      code = code == REBAL_OK ? rebali_table_set_text(table, REBAL_GROUP_NAME, row, group->name) : code;
    }
  }
  return code;
}

/* Groups of a refused selection explain the refusal. */
static int32_t write_selected(const struct rebali_pass *pass, rebal_result *result) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_SELECTED);
  const size_t n = rebali_pass_refused(pass) ? 0 : pass->n_candidates;
  int32_t code = write_groups(pass, result);

  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    const struct rebali_candidate *candidate = &pass->candidates[i];
    const struct rebali_table_value cells[] = {
        {REBAL_SELECTED_BINDING, pass->row},
        {REBAL_SELECTED_CLUSTER, candidate->cluster},
        {REBAL_SELECTED_SCORE, candidate->score},
        {REBAL_SELECTED_ALLOCATABLE, candidate->allocatable},
        {REBAL_SELECTED_AVAILABLE, candidate->available},
        {REBAL_SELECTED_OVERFLOW_ORDER, candidate->overflow_order},
    };
    size_t row;

    code = rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row);
  }
  return code;
}

const struct rebali_phase rebali_phase_score = {REBAL_STAGE_FILTER, REBAL_STAGE_SCORE, take_verdicts, write_scored};
const struct rebali_phase rebali_phase_select = {REBAL_STAGE_SELECT, REBAL_STAGE_SELECT, take_scored, write_selected};
const struct rebali_phase rebali_phase_assign = {REBAL_STAGE_ASSIGN, REBAL_STAGE_ASSIGN, take_selected, NULL};
