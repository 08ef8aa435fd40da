/* SPDX-License-Identifier: MIT */
/*
 * lib/record/tolerations.h - lists of tolerations: those below parent in a field of a record.
 */
#ifndef REBALI_TOLERATIONS_H
#define REBALI_TOLERATIONS_H

#include "record/record.h"

#define REBALI_FEW_TOLERATIONS 32u /* longer lists are indexed when their record is finished */

/* Returns the first toleration of the taint, or REBAL_NONE. */
uint32_t rebali_first_tolerating(const rebal_record *record, uint32_t parent, uint32_t field,
                                 const struct rebali_taint *taint);
/*
 * Lists tolerations of the taint, REBALI_FEW_TOLERATIONS at most, in any order; returns how many. Some that tolerate
 * the same taints as an earlier one are omitted.
 */
size_t rebali_tolerating(const rebal_record *record, uint32_t parent, uint32_t field, const struct rebali_taint *taint,
                         uint32_t *found);

/* A list of tolerations, read; the record must not move. */
struct rebali_tolerations {
  struct rebali_toleration *items;
  size_t n;
  const rebal_record *record;
  uint32_t parent;
  uint32_t field;
};
/* REBAL_ENOMEM is the only error. */
int32_t rebali_tolerations_read(struct rebali_arena *arena, const rebal_record *record, uint32_t parent, uint32_t field,
                                struct rebali_tolerations *out);
int rebali_is_tolerated(const struct rebali_tolerations *tolerations, const struct rebali_taint *taint);

/* Indexes lists of many tolerations in a record that was just written. REBAL_ENOMEM is the only error. */
int32_t rebali_tolerations_index(rebal_record *record, struct rebali_drafts *scratch);

#endif
