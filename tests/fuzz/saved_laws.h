/* SPDX-License-Identifier: MIT */
/* What must hold whenever a fleet is saved. */
#ifndef SAVED_LAWS_H
#define SAVED_LAWS_H

#include "law.h"

#include <rebalance/rebalance.h>

#include <stdlib.h>

/* Its bytes, which the caller frees; the size that is told before they are written is theirs. */
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
