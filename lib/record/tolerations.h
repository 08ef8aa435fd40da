/* SPDX-License-Identifier: MIT */
/*
 * lib/record/tolerations.h - lists of tolerations: those below parent in a field of a record.
 */
#ifndef REBALI_TOLERATIONS_H
#define REBALI_TOLERATIONS_H

#include "record/record.h"

#define REBALI_FEW_TOLERATIONS 32u /* more are indexed when their record is finished */

/* The first that tolerates the taint, or REBAL_NONE. */
uint32_t rebali_first_tolerating(const rebal_record *record, uint32_t parent, uint32_t field,
                                 const struct rebali_taint *taint);
/*
 * Those that tolerate the taint, REBALI_FEW_TOLERATIONS at most, in any order; returns how many. Of those that tolerate
 * the same taints as one before them some are left out.
 */
size_t rebali_tolerating(const rebal_record *record, uint32_t parent, uint32_t field, const struct rebali_taint *taint,
                         uint32_t *found);

/* The same, read; record stays where it is. */
struct rebali_tolerations {
  struct rebali_toleration *items;
  size_t n;
  const rebal_record *record;
  uint32_t parent;
  uint32_t field;
};
/* REBAL_ENOMEM is the only failure. */
int32_t rebali_tolerations_read(struct rebali_arena *arena, const rebal_record *record, uint32_t parent, uint32_t field,
                                struct rebali_tolerations *out);
int rebali_is_tolerated(const struct rebali_tolerations *tolerations, const struct rebali_taint *taint);

/* Makes the index of lists of many tolerations in a record that was just written; REBAL_ENOMEM is the only failure. */
int32_t rebali_tolerations_index(rebal_record *record, struct rebali_drafts *scratch);

#endif
