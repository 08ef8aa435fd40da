/* SPDX-License-Identifier: MIT */
/*
 * What remains of resources beside the charges of a ledger, by row. The few amounts that a requirement requests are
 * adjacent, so an estimate of one row among many reads one place in memory. All requirements share the table, which
 * follows the ledger's journal of charged clusters. A resource gets a column when it is first requested.
 */
#include "estimator/fast/fits.h"

#define FIRST_COLUMNS ((size_t)4) /* the pods and three more */
#define MOST_COLUMNS ((size_t)16)

/* A value of the cache, by the identity of a ledger. */
struct table {
  struct rebali_identity *ledger;
  int64_t *amounts; /* 0 or more, in rows of a stride */
  size_t capacity;
  uint64_t *briefs; /* by row */
  size_t briefs_capacity;
  uint32_t rows;
  size_t stride;
  uint32_t resources[MOST_COLUMNS]; /* by column, the first are the pods */
  uint32_t charged[MOST_COLUMNS];   /* their indices among the ledger's names; not that of the pods */
  size_t n_columns;
  uint32_t *changed; /* rows that changed in the snapshot since it was last read */
  size_t n_changed;
  size_t changed_capacity;
  int all_changed;
  uint64_t noted;   /* position up to which the ledger's journal was followed */
  uint32_t n_names; /* number of the ledger's names that were examined */
};

/* ---- amounts ----------------------------------------------------------------------------------------------------- */

/* Charges of all rows: the ledger's, or none. */
struct source {
  const rebal_snapshot *snapshot;
  const rebal_ledger *ledger;
  const struct rebali_spent *spent;
};

static int64_t charge_of(const struct source *from, const struct table *table, size_t column, uint32_t row) {
  if (from->spent == NULL) {
    return 0;
  }
  return column == 0 ? rebali_spent_pods(from->spent, row)
                     : rebali_spent_amount(from->spent, row, table->charged[column]);
}

/* Nothing remains of a resource that is missing. If pods are missing, the row needs the plain estimate. */
static int64_t remaining_of(size_t column, int64_t rest, int64_t charge) {
  int64_t left;

  if (rest == REBALI_REST_UNSTATED) {
    return column == 0 ? REBALI_REMAINING_UNKNOWN : 0;
  }
  if (rest == REBALI_REST_UNKNOWN) {
    return REBALI_REMAINING_UNKNOWN;
  }
  left = rebali_subtract_saturating(rest, charge);
  return left >= REBALI_REST_MAX ? REBALI_REMAINING_UNKNOWN : left > 0 ? left : 0;
}

/* Must run after all amounts of the row are set. */
static void fill_brief(struct table *table, uint32_t row) {
  const size_t n = table->n_columns < REBALI_BRIEF_COLUMNS ? table->n_columns : REBALI_BRIEF_COLUMNS;
  uint64_t brief = REBALI_BRIEF_GUARDS;

  for (size_t i = 0; i < n; i++) {
    brief |= rebali_brief(table->amounts[row * table->stride + i], i);
  }
  table->briefs[row] = brief;
}

static void fill_row(const struct source *from, struct table *table, uint32_t row) {
  for (size_t i = 0; i < table->n_columns; i++) {
    const int64_t *rest = rebali_snapshot_rests(from->snapshot, row, table->resources[i]);

    table->amounts[row * table->stride + i] =
        remaining_of(i, rest == NULL ? REBALI_REST_UNSTATED : *rest, charge_of(from, table, i, row));
  }
  fill_brief(table, row);
}

static void fill_column(const struct source *from, struct table *table, size_t column) {
  for (uint32_t first = 0; first < table->rows; first += REBALI_PAGE_ROWS) {
    const int64_t *rests = rebali_snapshot_rests(from->snapshot, first, table->resources[column]);
    const uint32_t n = table->rows - first < REBALI_PAGE_ROWS ? table->rows - first : REBALI_PAGE_ROWS;

    for (uint32_t i = 0; i < n; i++) {
      table->amounts[(first + i) * table->stride + column] = remaining_of(
          column, rests == NULL ? REBALI_REST_UNSTATED : rests[i], charge_of(from, table, column, first + i));
    }
  }
}

static void fill_briefs(struct table *table) {
  for (uint32_t row = 0; row < table->rows; row++) {
    fill_brief(table, row);
  }
}

static void fill_all(const struct source *from, struct table *table) {
  for (size_t i = 0; i < table->n_columns; i++) {
    fill_column(from, table, i);
  }
  fill_briefs(table);
}

/* ---- values of the cache ----------------------------------------------------------------------------------------- */

static void table_destroy(const rebal_allocator *allocator, void *value) {
  struct table *table = value;

  rebali_identity_unref(table->ledger);
  rebali_release(allocator, table->amounts);
  rebali_release(allocator, table->briefs);
  rebali_release(allocator, table->changed);
  rebali_release(allocator, table);
}

/* Builds a table without rows, which are filled when first read. */
static int32_t table_build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value,
                           rebal_error *err) {
  struct table *table = rebali_allocate_zero(rebali_ctx_allocator(ctx), 1, sizeof *table);
  uint64_t ledger;

  (void)snapshot;
  if (table == NULL) {
    return rebali_fail_memory(err);
  }
  memcpy(&ledger, key.bytes, sizeof ledger);
  table->ledger = rebali_identity_ref((struct rebali_identity *)(uintptr_t)ledger);
  table->resources[0] = REBAL_NONE;
  table->n_columns = 1;
  table->stride = FIRST_COLUMNS;
  table->all_changed = 1;
  *value = table;
  return REBAL_OK;
}

/* Only notes the rows: the ledger is not known here. */
static int32_t table_update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                            const uint32_t *rows, size_t n, rebal_error *err) {
  struct table *table = value;

  (void)key;
  table->all_changed = table->all_changed || table->n_changed + n > rebali_snapshot_rows(snapshot) / 2;
  if (table->all_changed) {
    return REBAL_OK;
  }
  if (rebali_reserve(rebali_ctx_allocator(ctx), &table->changed, &table->changed_capacity, table->n_changed + n,
                     sizeof *table->changed) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  memcpy(table->changed + table->n_changed, rows, n * sizeof *rows);
  table->n_changed += n;
  return REBAL_OK;
}

static size_t table_bytes(const void *value) {
  const struct table *table = value;

  return sizeof *table + table->capacity * sizeof *table->amounts + table->briefs_capacity * sizeof *table->briefs +
         table->changed_capacity * sizeof *table->changed;
}

static const struct rebali_derived table_kind = {
    table_build, table_update, table_bytes, table_destroy, REBALI_READS_CAPACITIES, NULL,
};

/* ---- keeping up -------------------------------------------------------------------------------------------------- */

/* Nothing remains of a resource that no cluster ever listed, whatever is charged. */
static uint32_t name_of(const struct source *from, uint32_t resource) {
  return resource == REBAL_NONE
             ? REBAL_NONE
             : rebali_ledger_find_name(from->ledger, rebali_snapshot_resource_name(from->snapshot, resource));
}

/* New names of the ledger were charged only to rows of its journal. */
static void follow_names(const struct source *from, struct table *table) {
  const uint32_t n = rebali_ledger_names(from->ledger);

  for (size_t i = 1; i < table->n_columns && table->n_names != n; i++) {
    table->charged[i] = name_of(from, table->resources[i]);
  }
  table->n_names = n;
}

/* Updates the rows that the ledger noted since; all if its journal does not reach back that far. */
static void follow_journal(const struct source *from, struct table *table) {
  const struct rebali_journal *journal = rebali_ledger_journal(from->ledger);

  table->all_changed = table->all_changed || journal->n - table->noted > REBALI_JOURNAL_KEEPS;
  for (uint64_t at = table->noted; at < journal->n && !table->all_changed; at++) {
    const uint32_t row = journal->clusters[at % REBALI_JOURNAL_KEEPS];

    if (row < table->rows) {
      fill_row(from, table, row);
    }
  }
  table->noted = journal->n;
}

static int32_t keep_up(rebal_ctx *ctx, const struct source *from, struct table *table) {
  const uint32_t rows = rebali_snapshot_rows(from->snapshot);

  if (rows != table->rows) {
    if (rebali_reserve(rebali_ctx_allocator(ctx), &table->amounts, &table->capacity, rows * table->stride,
                       sizeof *table->amounts) != REBAL_OK ||
        rebali_reserve(rebali_ctx_allocator(ctx), &table->briefs, &table->briefs_capacity, rows,
                       sizeof *table->briefs) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    table->rows = rows;
    table->all_changed = 1;
  }
  if (from->ledger != NULL) {
    follow_names(from, table);
    follow_journal(from, table);
  }
  for (size_t i = 0; i < table->n_changed && !table->all_changed; i++) {
    fill_row(from, table, table->changed[i]);
  }
  if (table->all_changed) {
    fill_all(from, table);
  }
  table->n_changed = 0;
  table->all_changed = 0;
  return REBAL_OK;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* Adds a column; rows may have to grow. */
static int32_t add_column(rebal_ctx *ctx, const struct source *from, struct table *table, uint32_t resource) {
  const int is_full = table->n_columns == table->stride;

  if (is_full && rebali_reserve(rebali_ctx_allocator(ctx), &table->amounts, &table->capacity,
                                table->rows * table->stride * 2, sizeof *table->amounts) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  table->resources[table->n_columns] = resource;
  table->charged[table->n_columns] = from->ledger == NULL ? REBAL_NONE : name_of(from, resource);
  table->n_columns++;
  if (is_full) {
    table->stride *= 2;
    fill_all(from, table);
  } else {
    fill_column(from, table, table->n_columns - 1);
    fill_briefs(table);
  }
  return REBAL_OK;
}

static size_t find_column(const struct table *table, uint32_t resource) {
  size_t i = 1;

  while (i < table->n_columns && table->resources[i] != resource) {
    i++;
  }
  return i;
}

/* Finds or adds the column of a resource. */
static int32_t take_column(rebal_ctx *ctx, const struct source *from, struct table *table, uint32_t resource,
                           size_t *column) {
  *column = find_column(table, resource);
  return *column < table->n_columns ? REBAL_OK : add_column(ctx, from, table, resource);
}

/* Returns whether pods named in requests count in addition to the pods themselves. */
static int names_pods(const struct rebali_demand *demand) {
  size_t i = 0;

  while (i < demand->n_requests && demand->requests[i].resource != demand->pods) {
    i++;
  }
  return i < demand->n_requests || demand->charged_pods != REBAL_NONE;
}

/* Finds or adds the columns of a demand, which must be few enough for an empty table. */
static int32_t take_columns(rebal_ctx *ctx, const struct source *from, struct table *table,
                            const struct rebali_demand *demand, struct rebali_remaining *out) {
  int32_t code = REBAL_OK;

  if (table->resources[0] != demand->pods) {
    table->resources[0] = demand->pods;
    fill_column(from, table, 0);
    fill_briefs(table);
  }
  if (table->n_columns + demand->n_requests > MOST_COLUMNS) {
    table->n_columns = 1; /* other columns return when a demand needs them */
  }
  for (size_t i = 0; i < demand->n_requests && code == REBAL_OK; i++) {
    if (demand->requests[i].value > 0) {
      out->items[out->n].divisor = demand->requests[i].divisor;
      out->items[out->n].most = INT64_MAX / demand->requests[i].value;
      code = take_column(ctx, from, table, demand->requests[i].resource, &out->items[out->n++].column);
    }
  }
  out->items[out->n++] = (struct rebali_remaining_item){.divisor = {.value = 1}, .most = INT64_MAX}; /* the pods */
  return code;
}

/* Nothing remains of resources that no cluster lists; only these may share a column. */
void rebali_remaining_want(struct rebali_remaining *remaining, int32_t replicas) {
  remaining->wanted = replicas;
  remaining->least = 0;
  for (size_t i = 0; i < remaining->n; i++) {
    const struct rebali_remaining_item *item = &remaining->items[i];
    const int64_t amount = replicas <= item->most ? item->divisor.value * replicas : INT64_MAX;

    if (item->column < REBALI_BRIEF_COLUMNS) {
      remaining->least |= rebali_brief(amount, item->column);
    }
  }
}

int64_t rebali_remaining_fit(const struct rebali_remaining *remaining, uint32_t row) {
  const int64_t *amounts = remaining->amounts + row * remaining->stride;
  int64_t fits = amounts[0]; /* the pods, which are the last item */

  if (fits == REBALI_REMAINING_UNKNOWN) {
    return fits;
  }
  for (size_t i = 0; i + 1 < remaining->n; i++) {
    const int64_t amount = amounts[remaining->items[i].column];
    int64_t fit;

    if (amount == REBALI_REMAINING_UNKNOWN) {
      return amount;
    }
    fit = rebali_divisor_divide(&remaining->items[i].divisor, amount);
    fits = fit < fits ? fit : fits;
  }
  return fits;
}

int32_t rebali_remaining_get(struct rebali_fits *fits, struct rebali_remaining *out) {
  const struct rebali_estimation *estimation = &fits->estimation;
  const struct rebali_demand *demand = estimation->demand;
  const rebal_ledger *ledger = estimation->rules.charge_summaries ? estimation->ledger : NULL;
  const struct source from = {estimation->snapshot, ledger, ledger == NULL ? NULL : rebali_ledger_spent(ledger)};
  const uint64_t key = ledger == NULL ? 0 : (uint64_t)(uintptr_t)rebali_ledger_identity(ledger);
  void *value = NULL;
  struct table *table;
  int32_t code;

  *out = (struct rebali_remaining){.amounts = NULL};
  if (estimation->set != NULL || names_pods(demand) || demand->n_requests >= MOST_COLUMNS ||
      rebali_snapshot_hides_amounts(estimation->snapshot)) {
    return REBAL_OK;
  }
  code = rebali_cache_get(fits->ctx, fits->snapshot, &table_kind, rebali_text((const char *)&key, sizeof key), &value,
                          NULL);
  if (code != REBAL_OK) {
    return code;
  }
  table = value;
  out->items = rebali_arena_allocate(estimation->arena, demand->n_requests + 1, sizeof *out->items);
  if (out->items == NULL || keep_up(fits->ctx, &from, table) != REBAL_OK ||
      take_columns(fits->ctx, &from, table, demand, out) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  out->amounts = table->amounts;
  out->stride = table->stride;
  out->briefs = table->briefs;
  return REBAL_OK;
}
