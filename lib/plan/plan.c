/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

int32_t rebali_plan_new(const rebal_allocator *allocator, struct rebali_store *store, rebal_plan **out,
                        rebal_error *err) {
  rebal_plan *plan = rebali_allocate_zero(allocator, 1, sizeof *plan);

  if (plan == NULL) {
    return rebali_fail_memory(err);
  }
  plan->allocator = *allocator;
  rebali_arena_init(&plan->arena, &plan->allocator, 0);
  plan->store = rebali_store_ref(store);
  *out = plan;
  return REBAL_OK;
}

void rebal_plan_free(rebal_plan *plan) {
  rebal_allocator allocator;

  if (plan == NULL) {
    return;
  }
  allocator = plan->allocator;
  rebali_release(&allocator, plan->rows);
  rebali_release(&allocator, plan->cells);
  rebali_release(&allocator, plan->moves);
  rebali_release(&allocator, plan->limits);
  rebali_release(&allocator, plan->uses);
  rebali_release(&allocator, plan->sums);
  rebali_arena_dispose(&plan->arena);
  rebali_store_unref(plan->store);
  rebali_release(&allocator, plan);
}

static int compare_ids(const void *left, const void *right, const void *context) {
  const uint32_t one = *(const uint32_t *)left;
  const uint32_t other = *(const uint32_t *)right;

  (void)context;
  return (one > other) - (one < other);
}

size_t rebali_plan_sort_ids(uint32_t *ids, size_t n) {
  size_t kept = 0;

  rebali_sort(ids, n, sizeof *ids, ids + n, compare_ids, NULL);
  for (size_t i = 0; i < n; i++) {
    if (kept == 0 || ids[i] != ids[kept - 1]) {
      ids[kept++] = ids[i];
    }
  }
  return kept;
}

struct rebali_text rebali_plan_key(struct rebali_text namespace_, struct rebali_text name, struct rebali_arena *arena) {
  const size_t separator = namespace_.len == 0 ? 0 : 1;
  const size_t len = namespace_.len + separator + name.len;
  char *const bytes = rebali_arena_allocate(arena, len + 1, 1);
  char *at = bytes;

  if (bytes == NULL) {
    return rebali_text(NULL, 0);
  }
  memcpy(at, namespace_.bytes, namespace_.len);
  at += namespace_.len;
  if (separator != 0) {
    *at++ = '/';
  }
  memcpy(at, name.bytes, name.len);
  at[name.len] = '\0';
  return rebali_text(bytes, len);
}

int rebali_plan_is_divided(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row) {
  const uint32_t handle = (uint32_t)rebali_bindings_i64(bindings, REBAL_BINDING_PLACEMENT, row);
  const rebal_record *placement = rebali_snapshot_record(snapshot, REBAL_OBJECT_PLACEMENT, handle);

  return placement != NULL &&
         rebali_text_equal(
             rebali_record_field_text(placement, rebali_record_get(placement, 0, REBAL_PLACEMENT_REPLICA_SCHEDULING),
                                      REBAL_REPLICA_SCHEDULING_TYPE),
             REBALI_TEXT("Divided"));
}

void rebal_plan_fingerprint(const rebal_plan *plan, uint64_t *high, uint64_t *low) {
  *high = plan == NULL ? 0 : plan->inputs.high;
  *low = plan == NULL ? 0 : plan->inputs.low;
}

int32_t rebal_plan_movement(const rebal_plan *plan, rebal_movement *problem, rebal_movement_answer *answer,
                            rebal_error *err) {
  int32_t code;

  if (plan == NULL || problem == NULL || answer == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL",
                       plan == NULL      ? "plan"
                       : problem == NULL ? "problem"
                                         : "answer");
  }
  code = rebali_structure_check(problem, sizeof *problem, err);
  code = code == REBAL_OK ? rebali_structure_check(answer, sizeof *answer, err) : code;
  if (code != REBAL_OK) {
    return code;
  }
  if (plan->least == NULL) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the plan is not of the mode LEAST");
  }
  rebali_structure_fill(problem, &plan->least->problem, sizeof *problem);
  rebali_structure_fill(answer, &plan->least->answer, sizeof *answer);
  return REBAL_OK;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static struct rebali_plan_sum *sum_of(const rebal_snapshot *snapshot, struct rebali_plan_sum *sums, uint32_t cluster) {
  struct rebali_plan_sum *sum = &sums[snapshot == NULL ? cluster : rebali_snapshot_rank(snapshot, cluster)];

  sum->cluster = cluster;
  return sum;
}

void rebali_plan_add_up(const rebal_plan *plan, const rebal_snapshot *snapshot, struct rebali_plan_sum *sums) {
  for (size_t i = 0; i < plan->n_cells; i++) {
    const struct rebali_plan_cell *cell = &plan->cells[i];
    struct rebali_plan_sum *sum = sum_of(snapshot, sums, cell->cluster);

    sum->before = rebali_add_saturating(sum->before, cell->present);
    sum->after = rebali_add_saturating(sum->after, cell->planned);
  }
  for (size_t i = 0; i < plan->n_moves; i++) {
    const struct rebali_plan_move *move = &plan->moves[i];
    struct rebali_plan_sum *source = sum_of(snapshot, sums, move->source);
    struct rebali_plan_sum *target = sum_of(snapshot, sums, move->target);

    source->moved_out = rebali_add_saturating(source->moved_out, move->replicas);
    target->moved_in = rebali_add_saturating(target->moved_in, move->replicas);
  }
}
