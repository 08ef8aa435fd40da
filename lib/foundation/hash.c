/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#define FNV_OFFSET_32 UINT32_C(2166136261)
#define FNV_PRIME_32 UINT32_C(16777619)
#define FNV_PRIME_64 UINT64_C(1099511628211)

/* Odd constants with well spread bits: 2^64 divided by the golden ratio, and the finaliser of splitmix64. */
#define SPREAD UINT64_C(0x9E3779B97F4A7C15)
#define FINAL_1 UINT64_C(0xBF58476D1CE4E5B9)
#define FINAL_2 UINT64_C(0x94D049BB133111EB)

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * SPREAD;
  return hash ^ (hash >> 32);
}

uint64_t rebali_hash(const void *bytes, size_t len) {
  const unsigned char *at = bytes;
  uint64_t hash = (uint64_t)len * FINAL_1;
  uint64_t word;
  size_t left = len;

  for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
    memcpy(&word, at, sizeof word);
    hash = mix(hash, word);
  }
  if (left != 0) {
    word = 0;
    memcpy(&word, at, left);
    hash = mix(hash, word);
  }
  hash = (hash ^ (hash >> 30)) * FINAL_1;
  hash = (hash ^ (hash >> 27)) * FINAL_2;
  return hash ^ (hash >> 31);
}

uint32_t rebali_fnv1a32(const void *bytes, size_t len) {
  const unsigned char *at = bytes;
  uint32_t hash = FNV_OFFSET_32;
  size_t i;

  for (i = 0; i < len; i++) {
    hash = (hash ^ at[i]) * FNV_PRIME_32;
  }
  return hash;
}

uint64_t rebali_fnv1a64(uint64_t hash, const void *bytes, size_t len) {
  const unsigned char *at = bytes;

  for (size_t i = 0; i < len; i++) {
    hash = (hash ^ at[i]) * FNV_PRIME_64;
  }
  return hash;
}

char rebali_hash_letter(uint64_t number) {
  static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";

  return letters[number % REBALI_HASH_LETTERS];
}
