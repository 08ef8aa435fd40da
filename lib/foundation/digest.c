/* SPDX-License-Identifier: MIT */
/* SipHash-2-4 with a 128-bit result (Aumasson, Bernstein), incremental. Words are little-endian on every machine. */
#include "foundation/foundation.h"

static uint64_t rotate(uint64_t word, unsigned bits) {
  return (word << bits) | (word >> (64u - bits));
}

static void mix(uint64_t *state, unsigned rounds) {
  for (unsigned i = 0; i < rounds; i++) {
    state[0] += state[1];
    state[1] = rotate(state[1], 13) ^ state[0];
    state[0] = rotate(state[0], 32);
    state[2] += state[3];
    state[3] = rotate(state[3], 16) ^ state[2];
    state[0] += state[3];
    state[3] = rotate(state[3], 21) ^ state[0];
    state[2] += state[1];
    state[1] = rotate(state[1], 17) ^ state[2];
    state[2] = rotate(state[2], 32);
  }
}

static void absorb(uint64_t *state, uint64_t word) {
  state[3] ^= word;
  mix(state, 2);
  state[0] ^= word;
}

void rebali_digest_begin(struct rebali_digest *digest, uint64_t low_key, uint64_t high_key) {
  digest->state[0] = low_key ^ UINT64_C(0x736f6d6570736575);
  digest->state[1] = high_key ^ UINT64_C(0x646f72616e646f6d) ^ 0xee;
  digest->state[2] = low_key ^ UINT64_C(0x6c7967656e657261);
  digest->state[3] = high_key ^ UINT64_C(0x7465646279746573);
  digest->word = 0;
  digest->len = 0;
}

void rebali_digest_bytes(struct rebali_digest *digest, const void *bytes, size_t len) {
  const unsigned char *at = bytes;

  for (size_t i = 0; i < len; i++) {
    digest->word |= (uint64_t)at[i] << (digest->len % 8u * 8u);
    digest->len++;
    if (digest->len % 8u == 0) {
      absorb(digest->state, digest->word);
      digest->word = 0;
    }
  }
}

void rebali_digest_u64(struct rebali_digest *digest, uint64_t value) {
  const unsigned filled = (unsigned)(digest->len % 8u) * 8u;

  absorb(digest->state, digest->word | value << filled);
  digest->word = filled == 0 ? 0 : value >> (64u - filled);
  digest->len += 8;
}

void rebali_digest_text(struct rebali_digest *digest, struct rebali_text text) {
  rebali_digest_u64(digest, text.len);
  rebali_digest_bytes(digest, text.bytes, text.len);
}

static uint64_t squeeze(uint64_t *state, unsigned char mark, size_t word) {
  state[word] ^= mark;
  mix(state, 4);
  return state[0] ^ state[1] ^ state[2] ^ state[3];
}

struct rebali_fingerprint rebali_digest_end(struct rebali_digest *digest) {
  struct rebali_fingerprint fingerprint;

  absorb(digest->state, digest->word | digest->len << 56);
  fingerprint.high = squeeze(digest->state, 0xee, 2);
  fingerprint.low = squeeze(digest->state, 0xdd, 1);
  return fingerprint;
}

void rebali_digest_quantity(struct rebali_digest *digest, const rebal_quantity *quantity) {
  char text[96]; /* longer than any quantity */
  size_t len = 0;

  (void)rebali_quantity_format(quantity, text, sizeof text, &len, NULL);
  rebali_digest_text(digest, rebali_text(text, len));
}

void rebali_digest_fingerprint(struct rebali_digest *digest, struct rebali_fingerprint fingerprint) {
  rebali_digest_u64(digest, fingerprint.high);
  rebali_digest_u64(digest, fingerprint.low);
}

void rebali_fingerprint_add(struct rebali_fingerprint *sum, struct rebali_fingerprint member) {
  sum->high += member.high;
  sum->low += member.low;
}
