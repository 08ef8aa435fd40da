/* SPDX-License-Identifier: MIT */
#include "dice.h"

uint32_t roll(struct dice *dice, uint32_t below) {
  dice->state = dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((dice->state >> 33) % below);
}

int chance(struct dice *dice, uint32_t percent) {
  return roll(dice, 100) < percent;
}

const char *pick(struct dice *dice, const char *const *texts, size_t n) {
  return texts[roll(dice, (uint32_t)n)];
}
