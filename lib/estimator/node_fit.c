/* SPDX-License-Identifier: MIT */
/* Estimates replicas of one template on real nodes, 64 nodes at a time (rebalance-karmada(7) 6.5.2). */
#include "estimator/node.h"

int32_t rebali_node_question_read(struct rebali_node_question *question, struct rebali_arena *arena,
                                  const rebal_snapshot *snapshot, const struct rebali_component *components, size_t n,
                                  const rebal_ledger *ledger) {
  size_t n_amounts;

  memset(question, 0, sizeof *question);
  question->arena = arena;
  question->snapshot = snapshot;
  question->ledger = ledger;
  if (rebali_needs_read(&question->needs, arena, snapshot, components, n, ledger) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  n_amounts = question->needs.n_names + 1;
  question->resources = rebali_arena_allocate(arena, n_amounts, sizeof *question->resources);
  question->divisors = rebali_arena_allocate_zero(arena, n_amounts, sizeof *question->divisors);
  if (question->resources == NULL || question->divisors == NULL) {
    return REBAL_ENOMEM;
  }
  question->resources[0] = rebali_snapshot_resource(snapshot, REBALI_TEXT("pods"));
  for (size_t i = 1; i < n_amounts; i++) {
    const int64_t need = question->needs.n == 0 ? 0 : question->needs.items[0].amounts[i];

    question->resources[i] = rebali_snapshot_resource(snapshot, question->needs.names[i - 1]);
    if (need > 0) {
      question->divisors[i] = rebali_divisor_make(need);
    }
  }
  return REBAL_OK;
}

void rebali_node_free(const struct rebali_node_table *table, uint32_t resource, uint32_t leaf,
                      int64_t amounts[REBALI_NODES]) {
  const struct rebali_amount_leaf *found = resource == REBAL_NONE ? NULL : rebali_nodes_amounts(table, resource, leaf);

  if (found == NULL) {
    memset(amounts, 0, REBALI_NODES * sizeof *amounts);
    return;
  }
  for (uint32_t i = 0; i < REBALI_NODES; i++) {
    const int64_t all = found->allocatable[i];
    const int64_t used = found->used[i]; /* never below 0, so the difference is between numbers from 0 on */

    amounts[i] = all > used ? all - used : 0;
  }
}

/* Replaces each number of replicas by what the free amount of one resource allows, if that is less. */
static void limit(const struct rebali_divisor *divisor, const int64_t *amounts, int64_t *fits) {
  const struct rebali_divisor by = *divisor;
  uint64_t seen = 0;

  for (uint32_t i = 0; i < REBALI_NODES; i++) {
    seen |= (uint64_t)amounts[i];
  }
  if (rebali_divisor_multiplies(&by, seen)) {
    for (uint32_t i = 0; i < REBALI_NODES; i++) {
      const int64_t fit = rebali_divisor_multiply(&by, (uint64_t)amounts[i]);

      fits[i] = fit < fits[i] ? fit : fits[i];
    }
    return;
  }
  for (uint32_t i = 0; i < REBALI_NODES; i++) {
    const int64_t fit = amounts[i] / by.value;

    fits[i] = fit < fits[i] ? fit : fits[i];
  }
}

int64_t rebali_node_leaf_fit(const struct rebali_node_question *question, const struct rebali_node_table *table,
                             uint32_t leaf) {
  const uint32_t requirements = question->needs.items[0].requirements;
  uint64_t left = rebali_node_filter_word(question->snapshot,
                                          rebali_snapshot_node_filter(question->snapshot, requirements), table, leaf);
  int64_t fits[REBALI_NODES];
  int64_t amounts[REBALI_NODES];
  int64_t sum = 0;

  if (left == 0) {
    return 0;
  }
  rebali_node_free(table, question->resources[0], leaf, fits);
  for (size_t i = 1; i <= question->needs.n_names; i++) {
    if (question->divisors[i].value > 0) {
      rebali_node_free(table, question->resources[i], leaf, amounts);
      limit(&question->divisors[i], amounts, fits);
    }
  }
  for (; left != 0; left &= left - 1) {
    sum = rebali_add_saturating(sum, rebali_node_counts(question, fits[rebali_bit_lowest(left)]));
  }
  return sum;
}

int32_t rebali_node_sum_answer(const struct rebali_node_question *question, int64_t sum) {
  const int64_t answer = question->is_set ? sum / question->needs.items[0].replicas : sum;

  if (!question->is_set && question->wrap) {
    return rebali_low_int32(answer);
  }
  return answer > INT32_MAX ? INT32_MAX : (int32_t)answer; /* without wrapping nothing is below 0 */
}
