/* SPDX-License-Identifier: MIT */
/* tests/unit/scheduler/drawing.h - fleets, placements and bindings drawn at random, the same in every run. */
#ifndef DRAWING_H
#define DRAWING_H

#include "phases_fixture.h"

enum { DRAWN_CLUSTERS = 150, DRAWN_BINDINGS = 32, DRAWN_PLACEMENTS = 8 };

struct drawing {
  struct test_world world;
  uint64_t state;
  uint32_t n; /* clusters that there ever were: m000 and on */
  uint32_t ids[DRAWN_CLUSTERS];
  uint8_t is_present[DRAWN_CLUSTERS];
  uint32_t placements[DRAWN_PLACEMENTS];
};

uint32_t draw(struct drawing *drawing, uint32_t below);
void drawing_open(struct drawing *drawing, uint64_t seed);
void drawing_close(struct drawing *drawing);
/* Some clusters change, some go, some come or come back; frozen. */
void drawing_change(struct drawing *drawing);
/* Other bindings, of placements drawn anew; frozen. */
void drawing_bind(struct drawing *drawing);
const struct rebali_placement *drawing_placement(struct drawing *drawing, rebal_ctx *ctx, uint32_t handle);

#endif
