/* SPDX-License-Identifier: MIT */
#include "../unit.h"

#define UNIT_CASES(UNIT) \
  UNIT(bindings)         \
  UNIT(cache)            \
  UNIT(capacity)         \
  UNIT(cells)            \
  UNIT(cells_rows)       \
  UNIT(column)           \
  UNIT(compat)           \
  UNIT(ctx)              \
  UNIT(fingerprint)      \
  UNIT(fleet)            \
  UNIT(fleet_cells)      \
  UNIT(interned_records) \
  UNIT(ledger)           \
  UNIT(ledger_accounts)  \
  UNIT(ledger_list)      \
  UNIT(ledger_sums)      \
  UNIT(log)              \
  UNIT(node_filter)      \
  UNIT(node_order)       \
  UNIT(node_table)       \
  UNIT(nodes)            \
  UNIT(order)            \
  UNIT(pages)            \
  UNIT(quotas)           \
  UNIT(read)             \
  UNIT(row_cells)        \
  UNIT(row_texts)        \
  UNIT(rows)             \
  UNIT(saved)            \
  UNIT(saved_bytes)      \
  UNIT(saved_rows)       \
  UNIT(snapshot)

UNIT_MAIN("fleet", UNIT_CASES)
