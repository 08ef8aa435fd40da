/* SPDX-License-Identifier: MIT */
/* tests/laws/division.h - a division by the library, and one by a plain scan of all parties for each seat. */
#ifndef LAWS_DIVISION_H
#define LAWS_DIVISION_H

#include "laws.h"

#define DIVISION_PARTIES 24

struct division {
  char names[DIVISION_PARTIES * 2]; /* two bytes each, all different */
  uint32_t offsets[DIVISION_PARTIES + 1];
  size_t n;
  int64_t weights[DIVISION_PARTIES];
  int32_t seats;
  const char *uid;
  int has_before; /* plain division only */
  int32_t before[DIVISION_PARTIES];
  int is_bounded; /* with the columns that bounds points at */
  rebal_divide_opts bounds;
  int32_t minimums[DIVISION_PARTIES];
  int32_t maximums[DIVISION_PARTIES];
  int32_t capacities[DIVISION_PARTIES];
  int32_t current[DIVISION_PARTIES];
};

/* One for each party, in the order of the input. */
struct shares {
  int64_t seats[DIVISION_PARTIES];
  uint8_t named[DIVISION_PARTIES];
  int32_t left;
};

/* Names a, b, ... in the order given (NULL: ascending). */
void name_parties(struct division *division, size_t n, const size_t *order);
/* Divides by the library. Returns what is wrong with the answer, or NULL. */
const char *divide(const struct division *division, struct shares *shares);
/* Divides by the definition: seat after seat to the best party. */
void divide_plainly(const struct division *division, struct shares *shares);
/* Returns where the library differs, or NULL. */
const char *compare_shares(const struct division *division, const struct shares *ours, const struct shares *plain);
/* What a party must and may have, by the contract of rebal_divide(). */
int64_t lower_bound(const struct division *division, size_t party);
int64_t upper_bound(const struct division *division, size_t party);

#endif
