/* SPDX-License-Identifier: MIT */
/* Decides one binding of a sweep: without a loss, then with each loss that may change its answer. */
#include "plan/whatif/whatif.h"

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static struct rebali_numbers count(const struct rebali_sweep *sweep, int64_t outcome, int64_t sum, int64_t kept) {
  const int64_t missing = sweep->wanted > sum ? sweep->wanted - sum : 0;

  return (struct rebali_numbers){outcome, missing, rebali_layout_moved(sweep->present.sum, sum, kept)};
}

static int is_unplaced(const struct rebali_numbers *numbers) {
  return numbers->outcome != REBAL_OUTCOME_SCHEDULED && numbers->outcome != REBAL_OUTCOME_PARTIAL;
}

static int64_t amount_in(const struct rebali_sweep *sweep, const struct rebali_layout *layout, uint32_t cluster) {
  const int64_t replicas = layout->replicas[cluster];

  return replicas == REBALI_NOT_NAMED ? 0 : (sweep->is_set ? 1 : replicas);
}

/* ---- without a loss ---------------------------------------------------------------------------------------------- */

static int32_t add_use(struct rebali_sweep *sweep, uint32_t row, uint32_t cluster) {
  const struct rebali_use_change change = {
      0, row, cluster, sweep->is_set,
      amount_in(sweep, &sweep->base, cluster) - amount_in(sweep, &sweep->present, cluster)};

  return change.amount == 0 ? REBAL_OK : rebali_use_add(&sweep->use, &change);
}

static int32_t read_base(struct rebali_pass *pass, const struct rebali_failures *failures, void *user_data) {
  struct rebali_sweep *sweep = user_data;
  int32_t code = REBAL_OK;

  sweep->wanted = rebali_bindings_i64(pass->bindings, REBAL_BINDING_REPLICAS, pass->row);
  sweep->is_set = pass->is_multi_template && !rebali_pass_is_divided(pass);
  sweep->targets_are_plain = pass->targets_are_plain;
  sweep->is_charged = rebali_pass_is_written(pass) && rebali_pass_is_charged(pass);
  rebali_layout_answer(&sweep->base, pass, &sweep->present);
  sweep->base_kept = rebali_layout_kept(&sweep->present, &sweep->base);
  sweep->base_numbers = count(sweep, pass->outcome, sweep->base.sum, sweep->base_kept);
  for (size_t i = 0; i < sweep->base.n && code == REBAL_OK; i++) {
    code = add_use(sweep, pass->row, sweep->base.clusters[i]);
  }
  for (size_t i = 0; i < sweep->present.n && code == REBAL_OK; i++) {
    if (sweep->base.replicas[sweep->present.clusters[i]] == REBALI_NOT_NAMED) {
      code = add_use(sweep, pass->row, sweep->present.clusters[i]);
    }
  }
  if (code != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  return rebali_support_find(pass, failures, &sweep->turn, &sweep->support);
}

/* ---- with a loss ------------------------------------------------------------------------------------------------- */

static int32_t note(struct rebali_sweep *sweep, uint32_t row, uint32_t loss, const struct rebali_numbers *numbers,
                    int is_other) {
  struct rebali_totals *totals = &sweep->by_loss[loss];

  totals->unplaced += is_unplaced(numbers) - is_unplaced(&sweep->base_numbers);
  totals->missing += numbers->missing - sweep->base_numbers.missing;
  totals->moved += numbers->moved - sweep->base_numbers.moved;
  if ((sweep->opts.flags & REBAL_SWEEP_FLAG_BINDINGS) == 0 ||
      !(is_other || numbers->outcome != sweep->base_numbers.outcome)) {
    return REBAL_OK;
  }
  if (rebali_reserve(sweep->allocator, &sweep->affected, &sweep->affected_capacity, sweep->n_affected + 1,
                     sizeof *sweep->affected) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  sweep->affected[sweep->n_affected++] = (struct rebali_affected){loss, row, *numbers};
  return REBAL_OK;
}

static int32_t change(struct rebali_sweep *sweep, uint32_t row, uint32_t loss, uint32_t cluster) {
  const int64_t amount = amount_in(sweep, &sweep->trial, cluster) - amount_in(sweep, &sweep->base, cluster);

  if (amount == 0 || rebali_bit_get(sweep->lost, cluster)) {
    return REBAL_OK;
  }
  if (rebali_reserve(sweep->allocator, &sweep->changes, &sweep->changes_capacity, sweep->n_changes + 1,
                     sizeof *sweep->changes) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  sweep->changes[sweep->n_changes++] = (struct rebali_use_change){loss, row, cluster, sweep->is_set, amount};
  return REBAL_OK;
}

static int32_t list_changes(struct rebali_sweep *sweep, uint32_t row, uint32_t loss) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < sweep->trial.n && code == REBAL_OK; i++) {
    code = change(sweep, row, loss, sweep->trial.clusters[i]);
  }
  for (size_t i = 0; i < sweep->base.n && code == REBAL_OK; i++) {
    if (sweep->trial.replicas[sweep->base.clusters[i]] == REBALI_NOT_NAMED) {
      code = change(sweep, row, loss, sweep->base.clusters[i]);
    }
  }
  return code;
}

/* What the current binding holds, as claims of its key. */
struct charging {
  struct rebali_shift shift; /* key and charges without a loss */
  struct rebali_claims held; /* before the decision */
  int is_repeated;           /* an earlier binding had the same key */
};

struct trial {
  struct rebali_sweep *sweep;
  uint32_t loss;
  struct charging *charging; /* receives the charges; NULL: they go to the ledger, or are dropped */
};

/* Reads what the key would hold after the answer. */
static int32_t read_claims(const struct rebali_pass *pass, struct rebali_sweep *sweep, struct charging *charging) {
  struct rebali_claims *otherwise = &charging->shift.otherwise;
  struct rebali_claim *claims;

  *otherwise = charging->held;
  if (!rebali_pass_is_written(pass) || !rebali_pass_is_charged(pass)) {
    return REBAL_OK;
  }
  claims = rebali_pass_claims(pass);
  otherwise->n = pass->n_placed;
  if (claims == NULL || rebali_ledger_know(sweep->question.opts.ledger, claims, &otherwise->n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  otherwise->list = rebali_claims_copy(&sweep->turn, claims, otherwise->n);
  return otherwise->list == NULL ? REBAL_ENOMEM : REBAL_OK;
}

static int32_t read_trial(struct rebali_pass *pass, const struct rebali_failures *failures, void *user_data) {
  const struct trial *trial = user_data;
  struct rebali_sweep *sweep = trial->sweep;
  struct rebali_numbers numbers;
  int is_other;
  int32_t code = REBAL_OK;

  (void)failures;
  rebali_layout_answer(&sweep->trial, pass, &sweep->present);
  numbers = count(sweep, pass->outcome, sweep->trial.sum, rebali_layout_kept(&sweep->present, &sweep->trial));
  is_other = !rebali_layout_equal(&sweep->trial, &sweep->base);
  sweep->by_loss[trial->loss].decided++;
  code = note(sweep, pass->row, trial->loss, &numbers, is_other);
  if (code == REBAL_OK && is_other) {
    code = list_changes(sweep, pass->row, trial->loss);
  }
  if (code == REBAL_OK && trial->charging != NULL) {
    code = read_claims(pass, sweep, trial->charging);
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(pass->err);
}

/* Decides with a loss. If beside is NULL, the ledger is charged. */
static int32_t decide(struct rebali_sweep *sweep, uint32_t row, uint32_t loss, struct rebali_surcharge *beside,
                      struct charging *charging) {
  const struct rebali_decision_request request = {
      .lost = sweep->lost, .trigger = REBALI_TRIGGER_NONE, .is_charged = beside == NULL, .beside = beside};
  struct trial trial = {sweep, loss, beside == NULL ? NULL : charging};
  int32_t code;

  rebali_loss_mark(&sweep->losses.list[sweep->first + loss], sweep->lost, 1);
  code = rebali_question_run(&sweep->question, row, &request, read_trial, &trial);
  rebali_loss_mark(&sweep->losses.list[sweep->first + loss], sweep->lost, 0);
  return code;
}

/*
 * Computes the answer where it is every remaining feasible cluster. *is_known is 0 if none remains, because then other
 * groups are tried.
 */
static int32_t leave_out(struct rebali_sweep *sweep, uint32_t row, uint32_t loss, int *is_known) {
  const struct rebali_loss *lost = &sweep->losses.list[sweep->first + loss];
  const struct rebali_layout *base = &sweep->base;
  int64_t sum = base->sum, kept = sweep->base_kept;
  size_t n = 0;
  struct rebali_numbers numbers;

  *is_known = 0;
  for (size_t i = 0; sweep->support.is_copies && i < lost->n; i++) {
    const uint32_t cluster = lost->clusters[i];
    const int64_t replicas = base->replicas[cluster];
    const int64_t present = sweep->present.replicas[cluster];

    if (replicas != REBALI_NOT_NAMED) {
      n++;
      sum -= replicas;
      kept -= present < replicas ? (present > 0 ? present : 0) : replicas;
    }
  }
  if (!sweep->support.is_copies || n == base->n) {
    return REBAL_OK;
  }
  *is_known = 1;
  numbers = count(sweep, sweep->base_numbers.outcome, sum, kept);
  return note(sweep, row, loss, &numbers, n > 0);
}

/* ---- beside a ledger --------------------------------------------------------------------------------------------- */

static int32_t take_claims(struct rebali_sweep *sweep, struct rebali_text key, struct rebali_claims *out) {
  return rebali_claims_read(sweep->question.opts.ledger, key, &sweep->turn, out);
}

static int32_t begin_charging(struct rebali_sweep *sweep, uint32_t row, struct charging *charging) {
  const uint32_t n = rebali_intern_count(sweep->keys);
  const struct rebali_text key = rebali_ledger_key(sweep->question.bindings, row, &sweep->turn);
  uint32_t id;

  if (key.bytes == NULL || rebali_intern_add(sweep->keys, key.bytes, key.len, &id) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  charging->is_repeated = id < n;
  charging->shift.key = rebali_intern_get(sweep->keys, id);
  charging->shift.key_id = id;
  return take_claims(sweep, charging->shift.key, &charging->held);
}

/*
 * Decides with the charges of the loss beside the ledger, where these are enough. The binding itself has none of them,
 * and its answer names each cluster once.
 */
static int32_t decide_beside(struct rebali_sweep *sweep, uint32_t row, uint32_t loss, struct charging *charging,
                             int *is_decided) {
  struct rebali_surcharge *beside = rebali_offsets_take(&sweep->offsets, loss);
  int32_t code = REBAL_OK;

  beside->is_void |= charging->is_repeated || !sweep->targets_are_plain;
  if (!beside->is_void) {
    code = decide(sweep, row, loss, beside, charging);
  }
  *is_decided = !beside->is_void;
  rebali_offsets_let_go(&sweep->offsets, loss);
  return code;
}

/* Decides with a ledger that is temporarily charged as with the loss. */
static int32_t decide_otherwise(struct rebali_sweep *sweep, uint32_t row, uint32_t loss, struct charging *charging) {
  rebal_ledger *ledger = sweep->question.opts.ledger;
  int32_t code = rebali_shifts_apply(ledger, sweep->shifts[loss], 1);
  int32_t request;

  if (code != REBAL_OK) {
    return rebali_fail_memory(sweep->question.err);
  }
  request = decide(sweep, row, loss, NULL, NULL);
  if (request != REBAL_OK) {
    return request;
  }
  code = take_claims(sweep, charging->shift.key, &charging->shift.otherwise);
  code = code == REBAL_OK ? rebali_claims_write(ledger, charging->shift.key, &charging->held) : code;
  code = code == REBAL_OK ? rebali_shifts_apply(ledger, sweep->shifts[loss], 0) : code;
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(sweep->question.err);
}

static int32_t decide_charged(struct rebali_sweep *sweep, uint32_t row, uint32_t loss, struct charging *charging,
                              struct rebali_shift **shifts) {
  int is_decided;
  int32_t code = decide_beside(sweep, row, loss, charging, &is_decided);

  if (code == REBAL_OK && !is_decided) {
    code = decide_otherwise(sweep, row, loss, charging);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (!rebali_claims_equal(&charging->shift.otherwise, &charging->shift.base)) {
    charging->shift.next = NULL;
    code = rebali_shifts_add(&sweep->turn, shifts, &charging->shift);
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(sweep->question.err);
}

/* Updates the charges that later bindings see beside a loss. */
static int32_t change_offsets(struct rebali_sweep *sweep, uint32_t loss, const struct rebali_shift *shift, int change) {
  int32_t code;

  rebali_loss_mark(&sweep->losses.list[sweep->first + loss], sweep->lost, 1);
  code = rebali_offsets_add(&sweep->offsets, sweep->question.opts.ledger, loss, shift, change, sweep->lost);
  rebali_loss_mark(&sweep->losses.list[sweep->first + loss], sweep->lost, 0);
  return code;
}

/* Turns what was found for the picked losses into the charges that later bindings see. */
static int32_t keep_shifts(struct rebali_sweep *sweep, struct rebali_shift **found) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < sweep->n_picked && code == REBAL_OK; i++) {
    if (found[i] != NULL) {
      code = rebali_shifts_add(&sweep->arena, &sweep->shifts[sweep->picked[i]], found[i]);
      code = code == REBAL_OK ? change_offsets(sweep, sweep->picked[i], found[i], 1) : code;
    }
  }
  return code;
}

/*
 * Drops the shifts of an earlier binding with the same key. They stay for losses where no answer is written, neither
 * with the loss nor without it.
 */
static int32_t forget_shifts(struct rebali_sweep *sweep, uint32_t key_id) {
  int32_t code = REBAL_OK;

  for (uint32_t loss = 0; loss < sweep->end - sweep->first && code == REBAL_OK; loss++) {
    if (sweep->is_charged || rebali_bit_get(sweep->is_picked, loss)) {
      const struct rebali_shift *shift = rebali_shifts_forget(&sweep->shifts[loss], key_id);

      code = shift == NULL ? REBAL_OK : change_offsets(sweep, loss, shift, -1);
    }
  }
  return code;
}

/* If charging is NULL, there was never a ledger, and nothing is found. */
static int32_t decide_picked(struct rebali_sweep *sweep, uint32_t row, struct charging *charging,
                             struct rebali_shift **found) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < sweep->n_picked && code == REBAL_OK; i++) {
    int is_known = 0;

    if (leave_out(sweep, row, sweep->picked[i], &is_known) != REBAL_OK) {
      return rebali_fail_memory(sweep->question.err);
    }
    if (!is_known) {
      code = charging == NULL ? decide(sweep, row, sweep->picked[i], NULL, NULL)
                              : decide_charged(sweep, row, sweep->picked[i], charging, &found[i]);
    }
  }
  return code;
}

static int32_t decide_all_charged(struct rebali_sweep *sweep, uint32_t row, struct charging *charging) {
  rebal_ledger *ledger = sweep->question.opts.ledger;
  struct rebali_shift **found;
  int32_t code = take_claims(sweep, charging->shift.key, &charging->shift.base);

  code = code == REBAL_OK ? rebali_claims_write(ledger, charging->shift.key, &charging->held) : code;
  if (code != REBAL_OK) {
    return rebali_fail_memory(sweep->question.err);
  }
  rebali_sweep_pick(sweep);
  code = rebali_sweep_pick_charged(sweep, row);
  if (code != REBAL_OK) {
    return code;
  }
  found = rebali_arena_allocate_zero(&sweep->turn, sweep->n_picked, sizeof *found);
  if (found == NULL) {
    return rebali_fail_memory(sweep->question.err);
  }
  code = decide_picked(sweep, row, charging, found);
  if (code != REBAL_OK) {
    return code;
  }
  code = charging->is_repeated ? forget_shifts(sweep, charging->shift.key_id) : REBAL_OK;
  code = code == REBAL_OK ? rebali_claims_write(ledger, charging->shift.key, &charging->shift.base) : code;
  code = code == REBAL_OK ? keep_shifts(sweep, found) : code;
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(sweep->question.err);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int32_t decide_all(struct rebali_sweep *sweep, uint32_t row) {
  rebali_sweep_pick(sweep);
  return decide_picked(sweep, row, NULL, NULL);
}

int32_t rebali_sweep_binding(struct rebali_sweep *sweep, uint32_t row) {
  struct charging charging;
  int32_t code;

  rebali_arena_reset(&sweep->turn);
  memset(&charging, 0, sizeof charging);
  if (sweep->shifts != NULL && begin_charging(sweep, row, &charging) != REBAL_OK) {
    return rebali_fail_memory(sweep->question.err);
  }
  rebali_layout_targets(&sweep->present, sweep->question.bindings, row);
  code = rebali_question_decide(&sweep->question, row, NULL, read_base, sweep);
  if (code != REBAL_OK) {
    return code;
  }
  sweep->base_totals.unplaced += is_unplaced(&sweep->base_numbers);
  sweep->base_totals.missing += sweep->base_numbers.missing;
  sweep->base_totals.moved += sweep->base_numbers.moved;
  return sweep->shifts == NULL ? decide_all(sweep, row) : decide_all_charged(sweep, row, &charging);
}
