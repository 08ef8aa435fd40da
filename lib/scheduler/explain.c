/* SPDX-License-Identifier: MIT */
/* Why: what each stage of a pass found about each cluster, as rows and as counts. */
#include "scheduler/scheduler.h"

void rebali_explain_begin(struct rebali_explain *explain, rebal_result *result, uint64_t rows) {
  *explain = (struct rebali_explain){result, rows, NULL, 0};
}

int32_t rebali_explain_keep(struct rebali_pass *pass) {
  struct rebali_candidate *ranked =
      rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->n_candidates, sizeof *ranked);

  if (ranked == NULL) {
    return rebali_fail_memory(pass->err);
  }
  memcpy(ranked, pass->candidates, pass->n_candidates * sizeof *ranked);
  pass->explain->ranked = ranked;
  pass->explain->n_ranked = pass->n_candidates;
  return REBAL_OK;
}

/*
 * ---- rows
 * ---------------------------------------------------------------------------------------------------------------
 */

/* Sum over the entries that name the cluster; absent when there is none. 2^32 entries of int32 fit. */
static int64_t replicas_before(const struct rebali_pass *pass, uint32_t cluster) {
  int64_t sum = 0;

  if (cluster == REBAL_NONE || (pass->flags[cluster] & REBALI_IS_TARGET) == 0) {
    return REBAL_ABSENT;
  }
  for (size_t i = 0; i < pass->n_targets; i++) {
    if (rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, pass->target_rows[i]) == (int64_t)cluster) {
      sum += rebali_bindings_i64(pass->bindings, REBAL_TARGET_REPLICAS, pass->target_rows[i]);
    }
  }
  return sum;
}

/* The name of the group under trial, as DECISION tells it. */
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

/* A new row of a table; texts that are empty need no cell. */
static int32_t add_row(struct rebali_table *table, const struct integer_cell *integers, size_t n_integers,
                       const struct text_cell *texts, size_t n_texts) {
  size_t row;
  int32_t code = rebali_table_add(table, 1, &row);

  for (size_t i = 0; i < n_integers && code == REBAL_OK; i++) {
    code = rebali_table_set_i64(table, integers[i].column, row, integers[i].value);
  }
  for (size_t i = 0; i < n_texts && code == REBAL_OK; i++) {
    code = texts[i].value.len == 0 ? REBAL_OK : rebali_table_set_text(table, texts[i].column, row, texts[i].value);
  }
  return code;
}

int32_t rebali_telling_row(struct rebali_telling *telling, const struct rebali_reason *reason) {
  struct rebali_pass *pass = telling->pass;
  const struct rebali_candidate *candidate = reason->candidate;
  const struct integer_cell integers[] = {
      {REBAL_EXPLAIN_BINDING, (int64_t)pass->row},
      {REBAL_EXPLAIN_CLUSTER, (int64_t)reason->cluster},
      {REBAL_EXPLAIN_STAGE, telling->stage},
      {REBAL_EXPLAIN_VERDICT, reason->verdict},
      {REBAL_EXPLAIN_FIELD, (int64_t)reason->field},
      {REBAL_EXPLAIN_PLUGIN, reason->verdict == REBAL_WHY_REJECTED ? (int64_t)reason->plugin : REBAL_ABSENT},
      {REBAL_EXPLAIN_BEFORE, replicas_before(pass, reason->cluster)},
      {REBAL_EXPLAIN_AFTER, reason->verdict == REBAL_WHY_PLACED ? reason->after : REBAL_ABSENT},
      {REBAL_EXPLAIN_SCORE, candidate == NULL ? REBAL_ABSENT : candidate->score},
      {REBAL_EXPLAIN_LOCALITY, candidate == NULL ? REBAL_ABSENT : candidate->score - candidate->extra},
      {REBAL_EXPLAIN_EXTRA, candidate == NULL ? REBAL_ABSENT : candidate->extra},
      {REBAL_EXPLAIN_ALLOCATABLE, candidate == NULL ? REBAL_ABSENT : candidate->allocatable},
      {REBAL_EXPLAIN_AVAILABLE, candidate == NULL ? REBAL_ABSENT : candidate->available},
  };
  const struct text_cell texts[] = {
      {REBAL_EXPLAIN_AFFINITY_NAME, group_under_trial(pass)},
      {REBAL_EXPLAIN_EXPECTED, reason->expected},
      {REBAL_EXPLAIN_FOUND, reason->found},
      {REBAL_EXPLAIN_RESOURCE, reason->resource},
      {REBAL_EXPLAIN_GROUP, reason->group},
  };

  if (!rebali_telling_has_room(telling)) {
    return REBAL_OK;
  }
  pass->explain->room--;
  return add_row(rebali_result_table(pass->explain->result, REBAL_TABLE_EXPLAIN), integers, REBALI_COUNT(integers),
                 texts, REBALI_COUNT(texts)) == REBAL_OK
             ? REBAL_OK
             : rebali_fail_memory(pass->err);
}

int32_t rebali_telling_cluster(struct rebali_telling *telling, const struct rebali_reason *reason) {
  telling->counts[reason->verdict]++;
  return rebali_telling_row(telling, reason);
}

static int32_t write_counts(const struct rebali_telling *telling) {
  struct rebali_pass *pass = telling->pass;
  struct rebali_table *table = rebali_result_table(pass->explain->result, REBAL_TABLE_EXPLAIN_COUNT);
  const struct text_cell name = {REBAL_EXPLAIN_COUNT_AFFINITY_NAME, group_under_trial(pass)};

  for (int64_t verdict = 0; verdict < REBALI_VERDICTS; verdict++) {
    const struct integer_cell integers[] = {
        {REBAL_EXPLAIN_COUNT_BINDING, (int64_t)pass->row},
        {REBAL_EXPLAIN_COUNT_STAGE, telling->stage},
        {REBAL_EXPLAIN_COUNT_VERDICT, verdict},
        {REBAL_EXPLAIN_COUNT_CLUSTERS, telling->counts[verdict]},
    };

    if ((telling->counts[verdict] > 0 || (verdict == REBAL_WHY_REFUSED && rebali_pass_refused(pass))) &&
        add_row(table, integers, REBALI_COUNT(integers), &name, 1) != REBAL_OK) {
      return rebali_fail_memory(pass->err);
    }
  }
  return REBAL_OK;
}

/*
 * ---- the stages
 * ---------------------------------------------------------------------------------------------------------
 */

static int32_t tell_scores(struct rebali_telling *telling) {
  struct rebali_pass *pass = telling->pass;
  int32_t code = rebali_explain_keep(pass);

  for (size_t i = 0; i < pass->n_candidates && code == REBAL_OK; i++) {
    const struct rebali_candidate *candidate = &pass->candidates[i];
    const struct rebali_reason reason = {
        .cluster = candidate->cluster, .verdict = REBAL_WHY_SCORED, .candidate = candidate};

    code = rebali_telling_cluster(telling, &reason);
  }
  return code;
}

static int32_t tell_selection(struct rebali_telling *telling) {
  struct rebali_pass *pass = telling->pass;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < pass->n_candidates && code == REBAL_OK; i++) {
    const struct rebali_reason reason = {.cluster = pass->candidates[i].cluster, .verdict = REBAL_WHY_SELECTED};

    code = rebali_telling_cluster(telling, &reason);
  }
  return code;
}

static int32_t tell_assignment(struct rebali_telling *telling) {
  (void)telling;
  return REBAL_OK;
}

static int32_t tell_refusal(struct rebali_telling *telling) {
  const struct rebali_buffer *message = &telling->pass->message;
  const struct rebali_reason reason = {
      .cluster = REBAL_NONE, .verdict = REBAL_WHY_REFUSED, .found = rebali_text(message->bytes, message->len)};

  return rebali_telling_row(telling, &reason);
}

int32_t rebali_explain_stage(struct rebali_pass *pass, int64_t stage) {
  static int32_t (*const tellers[])(struct rebali_telling *) = {
      [REBAL_STAGE_FILTER] = rebali_tell_filter,
      [REBAL_STAGE_SCORE] = tell_scores,
      [REBAL_STAGE_SELECT] = tell_selection,
      [REBAL_STAGE_ASSIGN] = tell_assignment,
  };
  const int is_refused = rebali_pass_refused(pass);
  struct rebali_telling telling = {.pass = pass, .stage = stage};
  int32_t code = REBAL_OK;

  rebali_buffer_init(&telling.expected, rebali_ctx_allocator(pass->ctx));
  rebali_buffer_init(&telling.found, rebali_ctx_allocator(pass->ctx));
  if (!is_refused || stage == REBAL_STAGE_FILTER) {
    code = tellers[stage](&telling);
  }
  if (code == REBAL_OK && is_refused) {
    code = tell_refusal(&telling);
  }
  code = code == REBAL_OK ? write_counts(&telling) : code;
  rebali_buffer_dispose(&telling.expected);
  rebali_buffer_dispose(&telling.found);
  return code;
}
