/* SPDX-License-Identifier: MIT */
/* A life in steps, as its status tells of all pods. */
#include "cases.h"

#include "life.h"

json_t *case_sequence(struct conformance *run, const json_t *input) {
  return life_of(run, input, 0);
}
