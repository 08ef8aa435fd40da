/* SPDX-License-Identifier: MIT */
/* Random numbers of one case: the same from the same seed on every machine. */
#ifndef DICE_H
#define DICE_H

#include <stddef.h>
#include <stdint.h>

struct dice {
  uint64_t state;
};

uint32_t roll(struct dice *dice, uint32_t below);
int chance(struct dice *dice, uint32_t percent);
/* One of several texts. */
const char *pick(struct dice *dice, const char *const *texts, size_t n);
#define PICK(dice, texts) pick(dice, texts, sizeof(texts) / sizeof((texts)[0]))

#endif
