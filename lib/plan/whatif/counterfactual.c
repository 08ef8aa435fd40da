/* SPDX-License-Identifier: MIT */
/* Finds the single changes that would have a cluster chosen, or let a binding fit. */
#include "plan/whatif/counterfactual.h"

#define COST_OF_KIND 1000000

static int64_t how_much(const struct rebali_counterfactual *change) {
  const int64_t before = change->before == REBAL_ABSENT ? 0 : change->before;
  const int64_t more = change->after == REBAL_ABSENT ? 0 : rebali_subtract_saturating(change->after, before);
  const int64_t amount = more < 0 ? -more : more; /* only groups become fewer, by 64 at most */

  return change->kind != REBAL_SINGLE_CHANGE_CAPACITY ? amount : amount / change->unit + (amount % change->unit != 0);
}

static int64_t cost_of(const struct rebali_counterfactual *change) {
  const int64_t amount = how_much(change);

  return (int64_t)(change->kind - REBAL_SINGLE_CHANGE_NOTHING) * COST_OF_KIND +
         (amount < COST_OF_KIND ? amount : COST_OF_KIND - 1);
}

static struct rebali_text cluster_name(const rebal_snapshot *snapshot, uint32_t cluster) {
  return cluster == REBAL_NONE ? REBALI_TEXT("") : rebali_snapshot_name(snapshot, cluster);
}

/* For one name, smaller bounds are listed first; the sort is stable. */
static int compare_changes(const void *left, const void *right, const void *context) {
  const struct rebali_counterfactual *a = left, *b = right;
  int order = (a->cost > b->cost) - (a->cost < b->cost);

  if (order == 0) {
    order = rebali_text_compare(cluster_name(context, a->cluster), cluster_name(context, b->cluster));
  }
  return order != 0 ? order : rebali_text_compare(a->name, b->name);
}

/* Keeps the changes that meet the goal. */
static int32_t try_all(struct rebali_trial *trial, struct rebali_counterfactuals *changes) {
  size_t n = 0;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < changes->n && code == REBAL_OK; i++) {
    struct rebali_counterfactual *change = &changes->list[i];
    int found = 0;

    code = rebali_counterfactual_search(trial, change, &found);
    if (code == REBAL_OK && found) {
      change->cost = cost_of(change);
      changes->list[n++] = *change;
    }
  }
  changes->n = n;
  return code;
}

static int32_t sort_changes(struct rebali_trial *trial, struct rebali_counterfactuals *changes) {
  struct rebali_counterfactual *scratch = rebali_arena_allocate(&trial->arena, changes->n, sizeof *scratch);

  if (scratch == NULL) {
    return rebali_fail_memory(trial->question.err);
  }
  rebali_sort(changes->list, changes->n, sizeof *scratch, scratch, compare_changes, trial->snapshot);
  return REBAL_OK;
}

static int32_t write_row(const struct rebali_trial *trial, rebal_result *result,
                         const struct rebali_counterfactual *change) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_COUNTERFACTUAL);
  size_t row;

  if (rebali_table_append(table, 1, &row) != REBAL_OK ||
      rebali_table_set_text(table, REBAL_COUNTERFACTUAL_NAME, row, change->name) != REBAL_OK) {
    return rebali_fail_memory(trial->question.err);
  }
  *rebali_table_integers(table, REBAL_COUNTERFACTUAL_KIND, row) = change->kind;
  *rebali_table_integers(table, REBAL_COUNTERFACTUAL_CLUSTER, row) = rebali_id_given(change->cluster);
  *rebali_table_integers(table, REBAL_COUNTERFACTUAL_BEFORE, row) = change->before;
  *rebali_table_integers(table, REBAL_COUNTERFACTUAL_AFTER, row) = change->after;
  *rebali_table_integers(table, REBAL_COUNTERFACTUAL_COST, row) = change->cost;
  *rebali_table_integers(table, REBAL_COUNTERFACTUAL_REPLICAS, row) = change->replicas;
  return REBAL_OK;
}

static int32_t write_nothing(const struct rebali_trial *trial, rebal_result *result) {
  const struct rebali_counterfactual nothing = {.kind = REBAL_SINGLE_CHANGE_NOTHING,
                                                .cluster = REBAL_NONE,
                                                .name = REBALI_TEXT(""),
                                                .before = REBAL_ABSENT,
                                                .after = REBAL_ABSENT,
                                                .replicas = trial->replicas};

  return write_row(trial, result, &nothing);
}

static int32_t write_changes(struct rebali_trial *trial, const rebal_allocator *allocator, rebal_result *result) {
  struct rebali_counterfactuals changes = {.list = NULL};
  int32_t code = rebali_counterfactuals_list(trial, allocator, &changes);

  code = code == REBAL_OK ? try_all(trial, &changes) : code;
  code = code == REBAL_OK ? sort_changes(trial, &changes) : code;
  for (size_t i = 0; i < changes.n && code == REBAL_OK; i++) {
    if (trial->opts.max_answers == 0 || i < trial->opts.max_answers) {
      code = write_row(trial, result, &changes.list[i]);
    }
  }
  rebali_release(allocator, changes.list);
  return code;
}

static int32_t run(struct rebali_trial *trial, const rebal_allocator *allocator, rebal_result *result) {
  int32_t code = rebali_trial_decide(trial, NULL);

  if (code != REBAL_OK) {
    return code;
  }
  return trial->is_met ? write_nothing(trial, result) : write_changes(trial, allocator, result);
}

int32_t rebal_counterfactual(rebal_ctx *ctx, const rebal_fleet *fleet, const rebal_bindings *bindings, uint32_t row,
                             uint32_t cluster, const rebal_counterfactual_opts *opts, rebal_result *result,
                             rebal_error *err) {
  struct rebali_trial trial = {.question = {.err = err}, .row = row, .goal = cluster};
  int32_t code = rebali_ctx_begin(ctx, err);

  if (code != REBAL_OK) {
    return code;
  }
  rebali_ctx_end(ctx);
  code = rebali_trial_open(&trial, ctx, fleet, bindings, opts);
  if (code != REBAL_OK) {
    return code;
  }
  code = rebali_result_begin(result, err);
  if (code == REBAL_OK) {
    code = run(&trial, rebali_ctx_allocator(ctx), result);
    if (code != REBAL_OK) {
      rebal_result_reset(result);
    }
  }
  rebali_trial_close(&trial);
  return code;
}
