/* SPDX-License-Identifier: MIT */
/* lib/foundation/near.h - finds names that a text may be a typo of. */
#ifndef REBALI_NEAR_H
#define REBALI_NEAR_H

#include "foundation/foundation.h"

/*
 * Returns 1 if at most two letters, or one in short names, were added, dropped, changed or swapped; case is ignored.
 * One of two long names may also be a prefix of the other.
 */
int rebali_is_near(struct rebali_text text, struct rebali_text name);

#endif
