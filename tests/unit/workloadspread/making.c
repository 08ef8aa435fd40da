/* SPDX-License-Identifier: MIT */
#include "making.h"

void cut(const char **at, const char *ends, char *piece) {
  const size_t len = strcspn(*at, ends);

  ck_assert_uint_lt(len, 60);
  memcpy(piece, *at, len);
  piece[len] = '\0';
  *at += len;
}
