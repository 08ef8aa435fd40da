/* SPDX-License-Identifier: MIT */
/* A longer life with edits, evictions and nodes; its reports also have the status of each version. */
#include "cases.h"

#include "life.h"

json_t *case_story(struct conformance *run, const json_t *input) {
  return life_of(run, input, 1);
}
