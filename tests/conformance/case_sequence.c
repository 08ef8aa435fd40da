/* SPDX-License-Identifier: MIT */
/* A life in steps; its reports have the status of all pods. */
#include "cases.h"

#include "life.h"

json_t *case_sequence(struct conformance *run, const json_t *input) {
  return life_of(run, input, 0);
}
