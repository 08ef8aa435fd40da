/* SPDX-License-Identifier: MIT */
/*
 * What fits on nodes, by cluster row, kept in the context's cache. If the result is a sum over nodes, a row keeps the
 * sum of each leaf, so a changed node requires one leaf to be evaluated again.
 */
#include "estimator/node.h"

#define OF_SETS UINT64_C(1)
#define WRAPS UINT64_C(2)

/* The key; its bytes have no padding. */
struct node_key {
  uint64_t rules;
  struct rebali_component components[];
};

/* The cached state of a cluster. */
struct node_row {
  uint64_t seen;     /* snapshot version of the leaves in the sums */
  uint32_t n_leaves; /* leaves that have sums */
  uint32_t reserved;
  int64_t *sums;
  size_t sums_capacity;
};
struct node_vector {
  uint32_t rows;
  int32_t *answers;
  size_t answers_capacity;
  struct node_row *states;
  size_t states_capacity;
  size_t bytes; /* of all sums */
};

static int32_t read_question(rebal_ctx *ctx, const rebal_snapshot *snapshot, struct rebali_text key,
                             const rebal_ledger *ledger, struct rebali_node_question *out) {
  const struct node_key *known = (const void *)key.bytes;
  const size_t n = (key.len - sizeof *known) / sizeof known->components[0];
  const int32_t code = rebali_node_question_read(out, rebali_ctx_scratch(ctx), snapshot, known->components, n, ledger);

  out->is_set = (known->rules & OF_SETS) != 0;
  out->wrap = (known->rules & WRAPS) != 0;
  return code;
}

static void vector_destroy(const rebal_allocator *allocator, void *value) {
  struct node_vector *vector = value;

  for (uint32_t row = 0; row < vector->rows; row++) {
    rebali_release(allocator, vector->states[row].sums);
  }
  rebali_release(allocator, vector->states);
  rebali_release(allocator, vector->answers);
  rebali_release(allocator, vector);
}

static int32_t add_rows(const rebal_allocator *allocator, struct node_vector *vector, uint32_t wanted) {
  if (rebali_reserve(allocator, &vector->answers, &vector->answers_capacity, wanted, sizeof *vector->answers) !=
          REBAL_OK ||
      rebali_reserve(allocator, &vector->states, &vector->states_capacity, wanted, sizeof *vector->states) !=
          REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (; vector->rows < wanted; vector->rows++) {
    vector->answers[vector->rows] = REBAL_FITS_NO_OPINION;
    vector->states[vector->rows] = (struct node_row){0, 0, 0, NULL, 0};
  }
  return REBAL_OK;
}

/*
 * Sums leaves that changed since the row was examined, and new ones. Nodes that were dropped entirely have no leaves.
 */
static int32_t sum_leaves(const rebal_allocator *allocator, struct node_vector *vector,
                          const struct rebali_node_question *question, const struct rebali_node_table *table,
                          uint32_t row) {
  struct node_row *state = &vector->states[row];
  const uint32_t n = rebali_nodes_leaves(table);
  const size_t sums_capacity = state->sums_capacity;
  int64_t sum = 0;

  if (rebali_reserve(allocator, &state->sums, &state->sums_capacity, n, sizeof *state->sums) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  vector->bytes += (state->sums_capacity - sums_capacity) * sizeof *state->sums;
  for (uint32_t leaf = 0; leaf < n; leaf++) {
    if (leaf >= state->n_leaves || rebali_nodes_leaf(table, leaf)->version > state->seen) {
      state->sums[leaf] = rebali_node_leaf_fit(question, table, leaf);
    }
    sum = rebali_add_saturating(sum, state->sums[leaf]);
  }
  state->n_leaves = n;
  vector->answers[row] = rebali_node_sum_answer(question, sum);
  return REBAL_OK;
}

/* A template without replicas fits without limit, but not on a cluster without nodes. */
static int32_t answer_nothing(const struct rebali_node_table *table) {
  uint32_t n;

  (void)rebali_nodes_order(table, &n);
  return n == 0 ? 0 : INT32_MAX;
}

static int32_t answer_row(const rebal_allocator *allocator, struct node_vector *vector,
                          struct rebali_node_question *question, uint32_t row) {
  const struct rebali_node_table *table =
      rebali_snapshot_has(question->snapshot, row) ? rebali_snapshot_nodes(question->snapshot, row) : NULL;
  int32_t code = REBAL_OK;

  if (table == NULL) {
    vector->states[row].n_leaves = 0;
    vector->answers[row] = REBAL_FITS_NO_OPINION;
  } else if (question->needs.n == 0) {
    vector->answers[row] = answer_nothing(table);
  } else if (rebali_node_is_sum(question)) {
    code = sum_leaves(allocator, vector, question, table, row);
  } else if (vector->states[row].seen != rebal_snapshot_version(question->snapshot)) { /* else it was listed twice */
    code = rebali_node_pack(question, row, table, &vector->answers[row]);
  }
  vector->states[row].seen = rebal_snapshot_version(question->snapshot);
  return code;
}

static int32_t vector_update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                             const uint32_t *rows, size_t n, rebal_error *err) {
  const rebal_allocator *allocator = rebali_ctx_allocator(ctx);
  struct node_vector *vector = value;
  struct rebali_node_question question;
  int32_t code = read_question(ctx, snapshot, key, NULL, &question);

  if (code == REBAL_OK) {
    code = add_rows(allocator, vector, rebali_snapshot_rows(snapshot));
  }
  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    code = answer_row(allocator, vector, &question, rows[i]);
  }
  return code == REBAL_OK ? code : rebali_fail_memory(err);
}

static int32_t vector_build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value,
                            rebal_error *err) {
  const rebal_allocator *allocator = rebali_ctx_allocator(ctx);
  struct node_vector *vector = rebali_allocate_zero(allocator, 1, sizeof *vector);
  struct rebali_node_question question;
  int32_t code = vector == NULL ? REBAL_ENOMEM : read_question(ctx, snapshot, key, NULL, &question);

  if (code == REBAL_OK) {
    code = add_rows(allocator, vector, rebali_snapshot_rows(snapshot));
  }
  for (uint32_t row = 0; code == REBAL_OK && row < vector->rows; row++) {
    code = answer_row(allocator, vector, &question, row);
  }
  if (code != REBAL_OK) {
    if (vector != NULL) {
      vector_destroy(allocator, vector);
    }
    return rebali_fail_memory(err);
  }
  *value = vector;
  return REBAL_OK;
}

static size_t vector_bytes(const void *value) {
  const struct node_vector *vector = value;

  return sizeof *vector + vector->answers_capacity * sizeof *vector->answers +
         vector->states_capacity * sizeof *vector->states + vector->bytes;
}

static const struct rebali_derived vector_kind = {
    vector_build, vector_update, vector_bytes, vector_destroy, REBALI_READS_NODES, NULL,
};

/* Returns the namespace of the question; a single template has it in its own requirements. */
static struct rebali_text name_space_of(const rebal_snapshot *snapshot, const struct rebali_node_request *request) {
  const rebal_record *requirements =
      request->is_set ? NULL
                      : rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, request->components->requirements);

  return request->is_set ? request->namespace_
                         : rebali_record_field_text(requirements, 0, REBAL_REQUIREMENTS_NAMESPACE);
}

/* Applies what no cached value has: quotas and the holdings of a ledger. */
static int32_t estimate_further(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_node_request *request,
                                struct rebali_text key, const struct rebali_rules *rules, const rebal_ledger *ledger,
                                struct rebali_node_answers *out) {
  out->use_quotas = rules->use_quotas;
  out->quotas = (struct rebali_quota_question){rebali_ctx_scratch(ctx),
                                               snapshot,
                                               request->components,
                                               request->n,
                                               name_space_of(snapshot, request),
                                               rules->charge_summaries ? ledger : NULL,
                                               NULL,
                                               0};
  memset(&out->question, 0, sizeof out->question);
  return ledger == NULL || !rules->charge_summaries ? REBAL_OK
                                                    : read_question(ctx, snapshot, key, ledger, &out->question);
}

int32_t rebali_node_estimate(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_node_request *request,
                             const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_node_answers *out,
                             rebal_error *err) {
  const struct rebali_rules rules = rebali_rules_read(compat);
  const size_t len = sizeof(struct node_key) + request->n * sizeof *request->components;
  struct node_key *key = rebali_arena_allocate(rebali_ctx_scratch(ctx), 1, len);
  void *value = NULL;
  int32_t code;

  if (key == NULL) {
    return rebali_fail_memory(err);
  }
  key->rules = (request->is_set ? OF_SETS : 0) | (rules.wrap ? WRAPS : 0);
  if (request->n != 0) {
    memcpy(key->components, request->components, request->n * sizeof *request->components);
  }
  code = rebali_cache_get(ctx, snapshot, &vector_kind, rebali_text((const char *)key, len), &value, err);
  if (code != REBAL_OK) {
    return code;
  }
  out->answers = ((const struct node_vector *)value)->answers;
  code = estimate_further(ctx, snapshot, request, rebali_text((const char *)key, len), &rules, ledger, out);
  return code == REBAL_OK ? code : rebali_fail_memory(err);
}

/* Uses nodes alone. */
static int32_t place_beside(struct rebali_node_question *question, uint32_t row, int32_t *answer) {
  return question->ledger == NULL || question->needs.n == 0 || !rebali_ledger_touches(question->ledger, row)
             ? REBAL_OK
             : rebali_node_pack(question, row, rebali_snapshot_nodes(question->snapshot, row), answer);
}

int32_t rebali_node_answer(struct rebali_node_answers *answers, uint32_t row, int32_t *answer) {
  int32_t limit = INT32_MAX;
  int32_t code;

  *answer = answers->answers[row];
  if (*answer == REBAL_FITS_NO_OPINION) {
    return REBAL_OK;
  }
  code = place_beside(&answers->question, row, answer);
  if (code == REBAL_OK && answers->use_quotas) {
    code = rebali_quota_limit(&answers->quotas, row, &limit);
  }
  *answer = limit < *answer ? limit : *answer;
  return code;
}
