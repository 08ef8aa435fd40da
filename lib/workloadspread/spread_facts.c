/* SPDX-License-Identifier: MIT */
/* What is known of the workload of a WorkloadSpread: one row of SPREAD_WORKLOAD, in memory that is used again. */
#include "workloadspread/spread.h"

void rebali_facts_init(struct rebali_facts *facts) {
  size_t n;
  const struct rebali_field_info *columns = rebali_object_fields(REBAL_TABLE_SPREAD_WORKLOAD, &n);

  for (size_t i = 0; i < n; i++) {
    facts->numbers[columns[i].id & 255u] = columns[i].absent;
  }
}

void rebali_facts_dispose(struct rebali_facts *facts, const rebal_allocator *allocator) {
  for (size_t i = 0; i < REBALI_COUNT(facts->texts); i++) {
    rebali_release(allocator, facts->texts[i].bytes);
  }
}

static int32_t set_text(struct rebali_facts *facts, const rebal_allocator *allocator, size_t number,
                        struct rebali_text text) {
  if (text.len == SIZE_MAX || rebali_reserve(allocator, &facts->texts[number].bytes, &facts->texts[number].capacity,
                                             text.len + 1, 1) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (text.len != 0) {
    memmove(facts->texts[number].bytes, text.bytes, text.len);
  }
  facts->texts[number].bytes[text.len] = '\0';
  facts->texts[number].len = text.len;
  return REBAL_OK;
}

int32_t rebali_facts_copy(struct rebali_facts *facts, const struct rebali_facts *source,
                          const rebal_allocator *allocator) {
  memcpy(facts->numbers, source->numbers, sizeof facts->numbers);
  for (size_t i = 0; i < REBALI_COUNT(facts->texts); i++) {
    const struct rebali_text text = rebali_text(source->texts[i].bytes, source->texts[i].len);

    if (text.len != 0 && set_text(facts, allocator, i, text) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

static int32_t check(const rebal_spread *spread, uint32_t column, uint32_t type, const struct rebali_field_info **info,
                     rebal_error *err) {
  return spread == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "spread is NULL")
                        : rebali_column_check(column, REBAL_TABLE_SPREAD_WORKLOAD, type, info, err);
}

int32_t rebal_spread_set_i64(rebal_spread *spread, uint32_t column, int64_t value, rebal_error *err) {
  const struct rebali_field_info *info = NULL;
  int32_t code = check(spread, column, REBAL_TYPE_INT64, &info, err);

  if (code == REBAL_OK) {
    code = rebali_column_accepts(info, NULL, 0, value, err); /* no column of the table holds ids */
  }
  if (code == REBAL_OK) {
    spread->facts.numbers[column & 255u] = value;
  }
  return code;
}

int32_t rebal_spread_set_text(rebal_spread *spread, uint32_t column, const char *text, size_t len, rebal_error *err) {
  const struct rebali_field_info *info = NULL;
  struct rebali_text taken;
  int32_t code = check(spread, column, REBAL_TYPE_TEXT, &info, err);

  if (code == REBAL_OK) {
    code = rebali_text_take(text, len, "the text", &taken, err);
  }
  if (code == REBAL_OK &&
      set_text(&spread->facts, &spread->allocator, column & 255u, taken) != REBAL_OK) {
    code = rebali_fail_memory(err);
  }
  return code;
}
