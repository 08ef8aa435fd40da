/* SPDX-License-Identifier: MIT */
/* Overflow tiers (rebalance-karmada(7) 7.8): each tier is filled before the next is used. */
#include "scheduler/scheduler.h"

/* Collects the candidates of one tier in their order, and adds up what they offer. */
static size_t gather(const struct rebali_pass *pass, int32_t order, struct rebali_candidate *out, int64_t *capacity) {
  size_t n = 0;

  *capacity = 0;
  for (size_t i = 0; i < pass->n_candidates; i++) {
    if (pass->candidates[i].overflow_order == order) {
      *capacity += pass->candidates[i].available; /* 2^32 candidates of 2^32 each fit */
      out[n++] = pass->candidates[i];
    }
  }
  return n;
}

static int32_t last_tier(const struct rebali_pass *pass) {
  int32_t last = 0;

  for (size_t i = 0; i < pass->n_candidates; i++) {
    last = pass->candidates[i].overflow_order > last ? pass->candidates[i].overflow_order : last;
  }
  return last;
}

int32_t rebali_assign_tiers(struct rebali_pass *pass) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  struct rebali_assignment tier = {NULL, 0, 0, NULL, 0, 0};
  const struct rebali_rules rules = rebali_rules_read(pass->opts->compat);
  const int32_t last = last_tier(pass);
  int64_t remaining = pass->replicas;
  size_t n_placed = 0;

  tier.candidates = rebali_arena_allocate(scratch, pass->n_candidates, sizeof *tier.candidates);
  tier.out = rebali_arena_allocate(scratch, pass->n_candidates + pass->n_targets, sizeof *tier.out);
  if (tier.candidates == NULL || tier.out == NULL) {
    return rebali_fail_memory(pass->err);
  }
  for (int32_t order = 0; order <= last; order++) {
    int64_t capacity;
    int32_t code;

    tier.n_candidates = gather(pass, order, tier.candidates, &capacity);
    if (tier.n_candidates == 0) {
      continue;
    }
    if (capacity < 0 && !rules.wrap) {
      capacity = 0; /* wrapped numbers of the reference allow the next tiers more than remains to be placed */
    }
    tier.replicas = rebali_rules_cast(&rules, remaining < capacity ? remaining : capacity);
    code = rebali_assign_tier(pass, &tier);
    if (code != REBAL_OK || rebali_pass_refused(pass)) {
      return code;
    }
    memcpy(pass->placed + n_placed, tier.out, tier.n_out * sizeof *tier.out);
    n_placed += tier.n_out;
    remaining -= tier.replicas - tier.missing;
    if (remaining <= 0) {
      break;
    }
  }
  if (remaining > 0) {
    const int32_t code =
        !rebali_partial_is_first(pass)
            ? REBAL_OK
            : rebali_pass_refuse(pass, REBAL_OUTCOME_UNSCHEDULABLE,
                                 "failed to assign replicas: Clusters available replicas are not enough to schedule.");

    if (code != REBAL_OK || !rebali_partial_accept(pass)) {
      return code;
    }
  }
  pass->n_placed = n_placed;
  rebali_partial_settle(pass, remaining > 0 ? remaining : 0);
  return REBAL_OK;
}
