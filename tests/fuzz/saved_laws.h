/* SPDX-License-Identifier: MIT */
/* Laws of saving a fleet. */
#ifndef SAVED_LAWS_H
#define SAVED_LAWS_H

#include "law.h"

#include <rebalance/rebalance.h>

#include <stdlib.h>

/* The bytes, which the caller frees. The size returned without a buffer must be the size written. */
static inline unsigned char *save(const rebal_fleet *fleet, const rebal_bindings *bindings, const rebal_ledger *ledger,
                                  size_t *len) {
  unsigned char *bytes;
  size_t written = 0;

  law(rebal_fleet_save(fleet, bindings, ledger, NULL, 0, len, NULL) == REBAL_OK);
  bytes = malloc(*len);
  law(bytes != NULL);
  law(rebal_fleet_save(fleet, bindings, ledger, bytes, *len, &written, NULL) == REBAL_OK && written == *len);
  return bytes;
}

#endif
