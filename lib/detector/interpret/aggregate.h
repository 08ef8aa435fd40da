/* SPDX-License-Identifier: MIT */
/* lib/detector/interpret/aggregate.h - functions shared by the rules that aggregate the status of members. */
#ifndef REBALI_DETECTOR_AGGREGATE_H
#define REBALI_DETECTOR_AGGREGATE_H

#include "detector/interpret/interpret.h"

/* Returns the decoded status of each item, null if an item has none; type is that of the statuses. */
json_t *rebali_item_statuses(struct rebali_interpreting *in, enum rebali_type type);
/* Returns the status of the object, which is decoded as a whole. */
json_t *rebali_old_status(struct rebali_interpreting *in, const json_t *object);
/* Sets an integer of a decoded struct; 0 is left out. */
void rebali_set_integer(struct rebali_interpreting *in, json_t *decoded, const char *key, int64_t value);
/* Sets members of a decoded status to the sums over statuses, which wrap like int32. */
void rebali_set_sums(struct rebali_interpreting *in, json_t *status, const json_t *statuses, const char *const *keys,
                     size_t n);
/*
 * Returns the object with a status, or unchanged if that equals the old one. Takes over both decoded statuses. NULL
 * after a failure.
 */
json_t *rebali_settled(struct rebali_interpreting *in, const json_t *object, json_t *old, json_t *status);
/* Returns the object with a status, which is taken over. */
json_t *rebali_with_status(struct rebali_interpreting *in, const json_t *object, json_t *status);

#endif
