/* SPDX-License-Identifier: MIT */
/* lib/foundation/near.h - which names a text may be a slip for. */
#ifndef REBALI_NEAR_H
#define REBALI_NEAR_H

#include "foundation/foundation.h"

/*
 * 1 when at most two letters, one in short names, were added, dropped, changed or swapped; capitals do not count. Of
 * long names one may also be the other with more behind it.
 */
int rebali_is_near(struct rebali_text text, struct rebali_text name);

#endif
