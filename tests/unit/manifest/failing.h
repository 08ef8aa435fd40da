/* SPDX-License-Identifier: MIT */
/* One request of jansson for memory that fails: json_set_alloc_funcs(allocate, free). */
#ifndef FAILING_H
#define FAILING_H

#include <stdlib.h>

static size_t requests, fail_at; /* 0: never */

static inline void *allocate(size_t size) {
  return ++requests == fail_at ? NULL : malloc(size);
}

#endif
