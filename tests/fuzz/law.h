/* SPDX-License-Identifier: MIT */
/* A law of a fuzz target: one that does not hold ends the program, and the fuzzer keeps the input. */
#ifndef FUZZ_LAW_H
#define FUZZ_LAW_H

#include <stdlib.h>

static inline void law(int holds) {
  if (!holds) {
    abort();
  }
}

#endif
