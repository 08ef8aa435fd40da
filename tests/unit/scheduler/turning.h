/* SPDX-License-Identifier: MIT */
/* tests/unit/scheduler/turning.h - the actions of a scheduler's turn as text. */
#ifndef TURNING_H
#define TURNING_H

#include "phases_fixture.h"

/*
 * rebal_scheduler_step() at second 100, one line for each action:
 *   metadata                              the placement applied
 *   spec m1:2 m2:1                        all clusters; m1:0+driver=1+worker=3 with components
 *   event TYPE REASON MESSAGE             on the binding; the same event on the resource is not printed
 *   status generation=4 last=100 observing=NAME STATUS REASON MESSAGE since 100     unwritten fields are omitted
 */
const char *turn_actions(struct test_world *world, const rebal_schedule_opts *opts);

/* Sets the components ("driver=1 worker=3") of a target row. Must be called before the bindings are frozen. */
void turn_set_components(struct test_world *world, uint32_t target, const char *components);

#endif
