/* SPDX-License-Identifier: MIT */
/* lib/detector/interpret/aggregate.h - what the rules that aggregate status of members share. */
#ifndef REBALI_DETECTOR_AGGREGATE_H
#define REBALI_DETECTOR_AGGREGATE_H

#include "detector/interpret/interpret.h"

/* The decoded status of each item, null where an item has none; type: that of the statuses. */
json_t *rebali_item_statuses(struct rebali_interpreting *in, enum rebali_type type);
/* The decoded status of the object, which is decoded as a whole. */
json_t *rebali_old_status(struct rebali_interpreting *in, const json_t *object);
/* Sets an integer of a decoded struct; 0 is left out. */
void rebali_set_integer(struct rebali_interpreting *in, json_t *decoded, const char *key, int64_t value);
/* Sets members of a decoded status to the sums over statuses; they wrap as int32 does. */
void rebali_set_sums(struct rebali_interpreting *in, json_t *status, const json_t *statuses, const char *const *keys,
                     size_t n);
/*
 * The object with a status, or as it is when that equals the old one; both are decoded and taken over. A failed
 * reading gives NULL.
 */
json_t *rebali_settled(struct rebali_interpreting *in, const json_t *object, json_t *old, json_t *status);
/* The object with a status, which is taken over. */
json_t *rebali_with_status(struct rebali_interpreting *in, const json_t *object, json_t *status);

#endif
