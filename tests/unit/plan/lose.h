/* SPDX-License-Identifier: MIT */
/* tests/unit/plan/lose.h - a sweep that loses one cluster, beside an empty ledger. */
#ifndef LOSE_H
#define LOSE_H

#include "../../support/fleet_builder.h"
#include "../unit.h"

/* In a frozen world; the result names the bindings that the loss affects. schedule NULL: no options. */
static inline void lose(struct test_world *world, uint32_t cluster, const rebal_schedule_opts *schedule) {
  static const uint32_t offsets[] = {0, 1};
  rebal_schedule_opts beside = {.struct_size = (uint32_t)sizeof beside};
  const rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                 .kinds = 1u << REBAL_LOSS_SET,
                                 .flags = REBAL_SWEEP_FLAG_BINDINGS,
                                 .schedule = &beside,
                                 .set_clusters = &cluster,
                                 .set_offsets = offsets,
                                 .n_sets = 1};

  if (schedule != NULL) {
    beside = *schedule;
  }
  ck_assert_int_eq(rebal_ledger_new(world->fleet, NULL, &beside.ledger, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_sweep(world->ctx, world->snapshot, world->bindings, &opts, world->result, &world->err),
                   REBAL_OK);
  rebal_ledger_free(beside.ledger);
}

#endif
