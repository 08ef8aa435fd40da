/* SPDX-License-Identifier: MIT */
/*
 * Picks the losses that may change a binding's answer: losses of clusters that the answer depends on (support.c), and
 * losses that change what fits into clusters beside the charges of earlier bindings (windows.c, offsets.c).
 */
#include "plan/whatif/whatif.h"

static void pick(struct rebali_sweep *sweep, uint32_t loss) {
  if (!rebali_bit_get(sweep->is_picked, loss)) {
    rebali_bit_set(sweep->is_picked, loss, 1);
    sweep->picked[sweep->n_picked++] = loss;
  }
}

/* ---- by lost clusters -------------------------------------------------------------------------------------------- */

static void pick_losses_of(struct rebali_sweep *sweep, uint32_t cluster) {
  for (size_t i = sweep->first_of[cluster]; i < sweep->first_of[cluster + 1]; i++) {
    pick(sweep, sweep->losses_of[i]);
  }
}

static void pick_by_loss(struct rebali_sweep *sweep) {
  for (size_t i = 0; i < sweep->present.n; i++) {
    pick_losses_of(sweep, sweep->present.clusters[i]);
  }
  for (size_t i = 0; i < sweep->base.n; i++) {
    pick_losses_of(sweep, sweep->base.clusters[i]);
  }
  for (size_t word = 0; sweep->support.more != NULL && word < sweep->support.words; word++) {
    for (uint64_t left = sweep->support.more[word]; left != 0; left &= left - 1) {
      pick_losses_of(sweep, (uint32_t)(word * 64 + rebali_bit_lowest(left)));
    }
  }
}

/* ---- by charges -------------------------------------------------------------------------------------------------- */

static void pick_charged(struct rebali_sweep *sweep) {
  for (size_t loss = 0; loss < sweep->end - sweep->first; loss++) {
    if (sweep->offsets.claims[loss] > 0) {
      pick(sweep, (uint32_t)loss);
    }
  }
}

/* Picks losses with which other bindings have other holdings in one of these clusters. */
static void pick_charged_in(struct rebali_sweep *sweep, const uint64_t *bits) {
  const struct rebali_offsets *offsets = &sweep->offsets;

  for (size_t word = 0; word < sweep->support.words; word++) {
    for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
      for (uint32_t at = offsets->first[word * 64 + rebali_bit_lowest(left)]; at != REBAL_NONE;
           at = offsets->list[at].next) {
        if (offsets->list[at].n_claims > 0) {
          pick(sweep, offsets->list[at].loss);
        }
      }
    }
  }
}

/* Returns what fits beside the additional amounts, or REBALI_FIT_UNTOLD, also if nothing limits it. */
static int64_t fit(const struct rebali_sweep *sweep, const struct rebali_fits *fits, uint32_t cluster,
                   const int64_t *more) {
  const int64_t replicas =
      rebali_fit_beside_more(&fits->estimation, cluster, more, more == NULL ? 0 : sweep->offsets.stride);

  return replicas < INT32_MAX ? replicas : REBALI_FIT_UNTOLD;
}

static int is_within(const struct rebali_window *window, int64_t replicas) {
  return replicas != REBALI_FIT_UNTOLD && replicas >= window->least && replicas <= window->most;
}

/* If the highest and the lowest amounts stay within the window, no loss leaves it. */
static void pick_outside(struct rebali_sweep *sweep, const struct rebali_fits *fits,
                         const struct rebali_window *window) {
  const struct rebali_offsets *offsets = &sweep->offsets;
  const size_t row = (size_t)window->cluster * offsets->stride;

  if (offsets->first[window->cluster] == REBAL_NONE ||
      (is_within(window, fit(sweep, fits, window->cluster, offsets->most + row)) &&
       is_within(window, fit(sweep, fits, window->cluster, offsets->least + row)))) {
    return;
  }
  for (uint32_t at = offsets->first[window->cluster]; at != REBAL_NONE; at = offsets->list[at].next) {
    const struct rebali_offset *offset = &offsets->list[at];

    if (offset->n_claims > 0 &&
        !(offset->is_exact &&
          is_within(window, fit(sweep, fits, window->cluster, offsets->amounts + at * offsets->stride)))) {
      pick(sweep, offset->loss);
    }
  }
}

/* Where no charge fell, no more can fit than before. */
static void pick_others(struct rebali_sweep *sweep, const struct rebali_fits *fits) {
  for (size_t word = 0; word < sweep->support.words; word++) {
    uint64_t left = sweep->support.feasible[word] & sweep->offsets.fallen[word];

    for (; left != 0; left &= left - 1) {
      const uint32_t cluster = (uint32_t)(word * 64 + rebali_bit_lowest(left));
      const int64_t replicas = fit(sweep, fits, cluster, NULL);
      const struct rebali_window window = {cluster, 0, replicas};

      pick_outside(sweep, fits, &window);
    }
  }
}

static int32_t pick_by_windows(struct rebali_pass *pass, void *user_data) {
  struct rebali_sweep *sweep = user_data;
  struct rebali_fits fits;
  const int32_t code = rebali_estimate_rows(
      pass->ctx, pass->snapshot, (uint32_t)rebali_bindings_i64(pass->bindings, REBAL_BINDING_REQUIREMENTS, pass->row),
      pass->opts->compat, pass->opts->ledger, &fits, pass->err);

  rebali_buffer_init(&pass->message, rebali_ctx_allocator(pass->ctx));
  if (code != REBAL_OK) {
    return code;
  }
  if (fits.has_models || rebali_snapshot_hides_amounts(pass->snapshot)) {
    pick_charged(sweep);
    return REBAL_OK;
  }
  /* A cluster without a limit offers as many as are wanted; with a limit it may offer more although more is charged. */
  if (sweep->support.has_others && rebali_fits_may_be_unlimited(&fits)) {
    pick_charged_in(sweep, sweep->support.feasible);
    return REBAL_OK;
  }
  for (size_t i = 0; i < sweep->support.n_windows; i++) {
    pick_outside(sweep, &fits, &sweep->support.windows[i]);
  }
  if (sweep->support.has_others) {
    pick_others(sweep, &fits);
  }
  return REBAL_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

void rebali_sweep_pick(struct rebali_sweep *sweep) {
  for (size_t i = 0; i < sweep->n_picked; i++) {
    rebali_bit_set(sweep->is_picked, sweep->picked[i], 0);
  }
  sweep->n_picked = 0;
  pick_by_loss(sweep);
}

int32_t rebali_sweep_pick_charged(struct rebali_sweep *sweep, uint32_t row) {
  const struct rebali_decision_request request = {.trigger = REBALI_TRIGGER_NONE, .decide = pick_by_windows};

  if (sweep->offsets.n == 0) {
    return REBAL_OK;
  }
  if (sweep->support.reads_capacity && sweep->support.feasible != NULL) {
    pick_charged_in(sweep, sweep->support.feasible);
  } else if (sweep->support.reads_capacity) {
    pick_charged(sweep);
  }
  return sweep->support.has_windows ? rebali_question_run(&sweep->question, row, &request, NULL, sweep) : REBAL_OK;
}
