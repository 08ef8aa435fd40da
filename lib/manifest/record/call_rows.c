/* SPDX-License-Identifier: MIT */
/* All rows of a result about one binding, with the names of columns.def: what a replay compares. */
#include "manifest/record/call.h"

#include <string.h>

static int64_t cell(const rebal_result *result, uint32_t column, size_t row) {
  size_t n;
  const int64_t *values = rebal_result_i64(result, column, &n);
  return values != NULL && row < n ? values[row] : REBAL_ABSENT;
}

/* Returns the column of a table that names the binding; 0 if rows are found otherwise. */
static uint32_t binding_column(uint32_t table) {
  size_t n;
  const struct rebali_cell *cells = rebali_cells_of(table, &n, NULL);
  for (size_t i = 0; i < n; i++) {
    if (strcmp(cells[i].name, table == REBAL_TABLE_ACTION ? "ROW" : "BINDING") == 0) {
      return cells[i].id;
    }
  }
  return 0;
}

/* Returns the row of DECISION about a binding; the number of rows if there is none. */
static size_t decision_of(const struct rebali_answer *answer) {
  const size_t n = rebal_result_count(answer->result, REBAL_TABLE_DECISION);
  size_t row = 0;
  while (row < n && cell(answer->result, REBAL_DECISION_BINDING, row) != answer->row) {
    row++;
  }
  return row;
}

/*
 * Rows of STEP are in the order of the bindings answered, as those of DECISION are; without DECISION all bindings were
 * answered. An action without a binding belongs to every one.
 */
static int is_ours(const struct rebali_answer *answer, uint32_t table, size_t row) {
  const uint32_t column = binding_column(table);
  const size_t decision = decision_of(answer);
  const int64_t first = cell(answer->result, REBAL_DECISION_FIRST_PLACED, decision);
  if (table == REBAL_TABLE_PLACED) {
    return (int64_t)row >= first && (int64_t)row < first + cell(answer->result, REBAL_DECISION_PLACED, decision);
  }
  if (table == REBAL_TABLE_STEP) {
    return row == (rebali_call_is_step(answer->call) ? answer->row : decision);
  }
  return column == 0 || cell(answer->result, column, row) == answer->row ||
         (table == REBAL_TABLE_ACTION && cell(answer->result, column, row) == REBAL_ABSENT);
}

/* The position of a row is not part of the answer. */
static int is_position(uint32_t column) {
  return column == REBAL_DECISION_FIRST_PLACED || column == REBAL_ACTION_ORDINAL ||
         column == binding_column(column / 256);
}

static json_t *integer_value(const struct rebali_answer *answer, uint32_t type, int64_t value) {
  size_t len;
  const char *name;
  if (type != REBAL_TYPE_CLUSTER) {
    return json_integer(value);
  }
  name = rebali_cluster_name(answer->snapshot, (uint32_t)value, &len);
  return json_stringn_nocheck(name, len);
}

/* *out stays NULL for an absent cell. */
static int32_t value_of(const struct rebali_answer *answer, const struct rebali_cell *column, size_t row, json_t **out,
                        rebal_error *err) {
  rebal_description about = {.struct_size = sizeof about};
  int32_t result = rebal_describe(column->id, &about, err);
  *out = NULL;
  if (result != REBAL_OK) {
    return result;
  }
  if (about.type == REBAL_TYPE_TEXT) {
    size_t len;
    const char *text = rebal_result_text(answer->result, column->id, row, &len);
    if (len == 0) {
      return REBAL_OK;
    }
    *out = json_stringn_nocheck(text, len);
  } else if (about.type == REBAL_TYPE_TIME) {
    rebal_time time;
    rebal_result_time(answer->result, column->id, row, &time);
    if (!time.is_set) {
      return REBAL_OK;
    }
    *out = rebali_time_value(&time);
  } else {
    const int64_t value = cell(answer->result, column->id, row);
    if (value == column->absent) {
      return REBAL_OK;
    }
    *out = integer_value(answer, about.type, value);
  }
  return *out != NULL ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t row_tree(const struct rebali_answer *answer, uint32_t table, size_t row, json_t **out,
                        rebal_error *err) {
  size_t n;
  const struct rebali_cell *columns = rebali_cells_of(table, &n, NULL);
  const rebal_record *payload = table == REBAL_TABLE_ACTION ? rebal_result_record(answer->result, row) : NULL;
  json_t *map = json_object();
  int32_t result = map != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    json_t *value = NULL;
    if (!is_position(columns[i].id)) {
      result = value_of(answer, &columns[i], row, &value, err);
    }
    if (result == REBAL_OK && value != NULL) {
      result = rebali_put(map, columns[i].name, value, err);
    }
  }
  if (result == REBAL_OK && payload != NULL) {
    json_t *value = NULL;
    result = rebali_record_tree_as_is(payload, &value, err);
    if (result == REBAL_OK) {
      result = rebali_put(map, "payload", value, err);
    }
  }
  if (result != REBAL_OK) {
    json_decref(map);
  } else {
    *out = map;
  }
  return result;
}

static int32_t table_tree(const struct rebali_answer *answer, uint32_t table, json_t *list, rebal_error *err) {
  const size_t n = rebal_result_count(answer->result, table);
  int32_t result = REBAL_OK;
  for (size_t row = 0; result == REBAL_OK && row < n; row++) {
    json_t *tree = NULL;
    if (!is_ours(answer, table, row)) {
      continue;
    }
    result = row_tree(answer, table, row, &tree, err);
    if (result == REBAL_OK && json_array_append_new(list, tree) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  return result;
}

int32_t rebali_answer_rows(const struct rebali_answer *answer, json_t **out, rebal_error *err) {
  static const uint32_t tables[] = {
#define REBAL_TABLE(name, number) number,
#define REBAL_COLUMN(table, name, number, type, absent, source)
#include <rebalance/columns.def>
#undef REBAL_TABLE
#undef REBAL_COLUMN
  };
  json_t *map = json_object();
  int32_t result = map != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < sizeof tables / sizeof tables[0]; i++) {
    const char *name = "";
    size_t n;
    json_t *list = json_array();
    (void)rebali_cells_of(tables[i], &n, &name);
    result = table_tree(answer, tables[i], list, err);
    if (result == REBAL_OK && json_array_size(list) > 0) {
      result = rebali_put(map, name, json_incref(list), err);
    }
    json_decref(list);
  }
  if (result != REBAL_OK) {
    json_decref(map);
  } else {
    *out = map;
  }
  return result;
}
