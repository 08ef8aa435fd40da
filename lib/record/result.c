/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#define FIRST_TABLE REBAL_TABLE_DECISION
#define TABLES REBALI_RESULT_TABLES
/* Every result table of columns.def has an index. */
#define REBAL_TABLE(name, number) \
  _Static_assert((number) < FIRST_TABLE + TABLES || (number) >= REBALI_FIRST_INPUT, "no index for the table " #name);
#define REBAL_COLUMN(table, name, number, type, absent, source)
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN

struct held {
  void *object;
  void (*release)(void *object);
};

struct rebal_result {
  rebal_allocator allocator;
  struct rebali_arena bytes; /* texts and payloads */
  uint64_t used;             /* a bit for each table that may have rows */
  struct rebali_table tables[TABLES];
  const rebal_record **payloads; /* by row of ACTION */
  size_t n_payloads;             /* at most the rows of ACTION; rows beyond have none */
  size_t payloads_capacity;
  struct held held[REBALI_RESULT_HOLDS];
  size_t n_held;
  struct rebali_fingerprint inputs; /* signed: of all inputs except signed_object, which is held */
  const void *signed_object;
  struct rebali_fingerprint (*object_part)(const void *object); /* NULL: not signed */
};

_Static_assert(TABLES < 64, "tables in use are bits");
static int is_used(uint64_t used, uint32_t table) {
  return (int)(used >> table & 1u);
}

int32_t rebal_result_new(const rebal_allocator *allocator, rebal_result **out, rebal_error *err) {
  rebal_allocator memory;
  rebal_result *result;
  uint32_t i;
  int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is missing");
  }
  result = rebali_allocate_zero(&memory, 1, sizeof *result);
  if (result == NULL) {
    return rebali_fail_memory(err);
  }
  result->allocator = memory;
  rebali_arena_init(&result->bytes, &result->allocator, 0);
  for (i = 0; i < TABLES; i++) {
    rebali_table_init(&result->tables[i], FIRST_TABLE + i, &result->allocator, &result->bytes);
  }
  *out = result;
  return REBAL_OK;
}

/* Tables in use are few, so unused ones are skipped by the byte. */
static void clear_tables(rebal_result *result) {
  uint64_t used = result->used;

  for (uint32_t i = 0; used != 0; i++, used >>= 1) {
    while ((used & 255u) == 0) {
      used >>= 8;
      i += 8;
    }
    if ((used & 1u) != 0) {
      rebali_table_clear(&result->tables[i]);
    }
  }
}

void rebal_result_reset(rebal_result *result) {
  if (result == NULL) {
    return;
  }
  clear_tables(result);
  result->used = 0;
  while (result->n_held != 0) {
    const struct held held = result->held[--result->n_held];

    held.release(held.object);
  }
  result->n_payloads = 0;
  result->object_part = NULL;
  rebali_arena_reset(&result->bytes);
}

void rebal_result_free(rebal_result *result) {
  rebal_allocator memory;
  uint32_t i;

  if (result == NULL) {
    return;
  }
  rebal_result_reset(result);
  memory = result->allocator;
  for (i = 0; i < TABLES; i++) {
    rebali_table_dispose(&result->tables[i]);
  }
  rebali_arena_dispose(&result->bytes);
  rebali_release(&memory, result->payloads);
  rebali_release(&memory, result);
}

int32_t rebali_result_begin(rebal_result *result, rebal_error *err) {
  if (result == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "result is missing");
  }
  rebal_result_reset(result);
  return REBAL_OK;
}

void rebali_result_mark(const rebal_result *result, struct rebali_result_mark *mark) {
  mark->used = result->used;
  for (uint32_t i = 0; mark->used >> i != 0; i++) {
    mark->rows[i] = result->tables[i].rows;
  }
}

static size_t marked_rows(const struct rebali_result_mark *mark, uint32_t table) {
  return is_used(mark->used, table) ? mark->rows[table] : 0;
}

void rebali_result_rewind(rebal_result *result, const struct rebali_result_mark *mark) {
  const size_t n_actions = marked_rows(mark, REBAL_TABLE_ACTION - FIRST_TABLE);

  for (uint32_t i = 0; i < TABLES; i++) {
    result->tables[i].rows = marked_rows(mark, i);
  }
  result->n_payloads = result->n_payloads < n_actions ? result->n_payloads : n_actions;
}

const rebal_allocator *rebali_result_allocator(const rebal_result *result) {
  return &result->allocator;
}

struct rebali_arena *rebali_result_arena(rebal_result *result) {
  return &result->bytes;
}

struct rebali_table *rebali_result_table(rebal_result *result, uint32_t table) {
  const uint32_t index = table - FIRST_TABLE; /* tables before the first one wrap to large numbers */

  if (index >= TABLES) {
    return NULL;
  }
  result->used |= (uint64_t)1 << index;
  return &result->tables[index];
}

static int32_t set_payload(rebal_result *result, size_t row, const rebal_record *payload) {
  if (rebali_reserve(&result->allocator, &result->payloads, &result->payloads_capacity, row + 1,
                     sizeof *result->payloads) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  while (result->n_payloads <= row) {
    result->payloads[result->n_payloads++] = NULL;
  }
  result->payloads[row] = payload;
  return REBAL_OK;
}

int32_t rebali_result_set_record(rebal_result *result, size_t row, const rebal_record *record) {
  const size_t size = rebali_record_size(record);
  void *copy = rebali_arena_allocate(&result->bytes, size, 1);

  if (copy == NULL) {
    return REBAL_ENOMEM;
  }
  memcpy(copy, record, size);
  return set_payload(result, row, copy);
}

int32_t rebali_result_share_record(rebal_result *result, size_t row, size_t other) {
  return set_payload(result, row, other < result->n_payloads ? result->payloads[other] : NULL);
}

int32_t rebali_result_hold(rebal_result *result, void *object, void (*release)(void *object)) {
  if (result->n_held == REBALI_RESULT_HOLDS) {
    return REBAL_ELIMIT;
  }
  result->held[result->n_held++] = (struct held){object, release};
  return REBAL_OK;
}

void *rebali_result_held(const rebal_result *result, void (*release)(void *object)) {
  for (size_t i = 0; result != NULL && i < result->n_held; i++) {
    if (result->held[i].release == release) {
      return result->held[i].object;
    }
  }
  return NULL;
}

void rebali_result_sign(rebal_result *result, struct rebali_fingerprint inputs, const void *object,
                        struct rebali_fingerprint (*object_part)(const void *object)) {
  result->inputs = inputs;
  result->signed_object = object;
  result->object_part = object_part;
}

int32_t rebal_result_fingerprint(const rebal_result *result, uint64_t *high, uint64_t *low, rebal_error *err) {
  struct rebali_digest digest;
  struct rebali_fingerprint whole;

  if (result == NULL || high == NULL || low == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "result or a place for the fingerprint is missing");
  }
  if (result->object_part == NULL) {
    return rebali_fail(err, REBAL_ESTATE, -1, "the result has no fingerprint: the call was not given the flag for it");
  }
  rebali_digest_begin(&digest, 0, 0);
  rebali_digest_fingerprint(&digest, result->inputs);
  rebali_digest_fingerprint(&digest, result->object_part(result->signed_object));
  whole = rebali_digest_end(&digest);
  *high = whole.high;
  *low = whole.low;
  return REBAL_OK;
}

/* Fills cells [row, row + n). */
static int32_t fill_actions(struct rebali_table *table, size_t row, size_t n, const struct rebali_action *action) {
  const struct {
    uint32_t column;
    struct rebali_text text;
  } texts[] = {
      {REBAL_ACTION_API_VERSION, action->api_version},
      {REBAL_ACTION_OBJECT_KIND, action->object_kind},
      {REBAL_ACTION_NAMESPACE, action->namespace_},
      {REBAL_ACTION_NAME, action->name},
      {REBAL_ACTION_UID, action->uid},
      {REBAL_ACTION_RESOURCE_VERSION, action->resource_version},
  };

  for (size_t i = 0; i < REBALI_COUNT(texts); i++) {
    if (rebali_table_fill_text(table, texts[i].column, row, n, texts[i].text) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  for (size_t i = row; i < row + n; i++) {
    *rebali_table_integers(table, REBAL_ACTION_KIND, i) = action->kind;
    *rebali_table_integers(table, REBAL_ACTION_ORDINAL, i) = action->ordinal;
    *rebali_table_integers(table, REBAL_ACTION_ROW, i) = action->row;
    *rebali_table_integers(table, REBAL_ACTION_REPLACES, i) = action->replaces;
    if (rebali_table_set_time(table, REBAL_ACTION_NOT_BEFORE, i, &action->not_before) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

int32_t rebali_result_add_actions(rebal_result *result, const struct rebali_action *action, size_t n, size_t *first) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_ACTION);

  if (rebali_table_append(table, n, first) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (fill_actions(table, *first, n, action) != REBAL_OK) {
    table->rows = *first; /* the next action reuses this row */
    return REBAL_ENOMEM;
  }
  return REBAL_OK;
}

int32_t rebali_result_add_action(rebal_result *result, const struct rebali_action *action) {
  size_t row;

  if (rebali_result_add_actions(result, action, 1, &row) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (action->payload != NULL && rebali_result_set_record(result, row, action->payload) != REBAL_OK) {
    rebali_result_table(result, REBAL_TABLE_ACTION)->rows = row;
    return REBAL_ENOMEM;
  }
  return REBAL_OK;
}

/* Returns the column of a result for reading if it has one of this type and the row exists; else NULL. */
static const struct rebali_table *readable(const rebal_result *result, uint32_t column, uint32_t type, size_t row) {
  const struct rebali_field_info *info = rebali_field_find(column);

  if (result == NULL || info == NULL || info->type != type || row >= rebal_result_count(result, info->object)) {
    return NULL;
  }
  return &result->tables[info->object - FIRST_TABLE];
}

size_t rebal_result_count(const rebal_result *result, uint32_t table) {
  if (result == NULL || table < FIRST_TABLE || table - FIRST_TABLE >= TABLES) {
    return 0;
  }
  return result->tables[table - FIRST_TABLE].rows;
}

const int64_t *rebal_result_i64(const rebal_result *result, uint32_t column, size_t *n) {
  const struct rebali_field_info *info = rebali_field_find(column);
  const struct rebali_table *table = info == NULL ? NULL : readable(result, column, info->type, 0);
  const int64_t *cells = NULL;

  if (table != NULL && info->type != REBAL_TYPE_TEXT && info->type != REBAL_TYPE_TIME) {
    cells = table->columns[column & 255u];
  }
  if (n != NULL) {
    *n = cells == NULL ? 0 : table->rows;
  }
  return cells;
}

const char *rebal_result_text(const rebal_result *result, uint32_t column, size_t row, size_t *len) {
  const struct rebali_table *table = readable(result, column, REBAL_TYPE_TEXT, row);
  const struct rebali_text text = table == NULL ? REBALI_TEXT("") : rebali_table_text(table, column, row);

  if (len != NULL) {
    *len = text.len;
  }
  return text.bytes;
}

void rebal_result_time(const rebal_result *result, uint32_t column, size_t row, rebal_time *out) {
  const struct rebali_table *table = readable(result, column, REBAL_TYPE_TIME, row);

  if (out != NULL) {
    *out = table == NULL ? (rebal_time){0, 0, 0} : rebali_table_time(table, column, row);
  }
}

const rebal_record *rebal_result_record(const rebal_result *result, size_t row) {
  return result == NULL || row >= result->n_payloads ? NULL : result->payloads[row];
}
