/* SPDX-License-Identifier: MIT */
/* Converts numbers of the explanation tables to names. */
#include "rebalancectl.h"

#include <string.h>

static rebal_description describe(uint32_t id) {
  rebal_description about = {.struct_size = sizeof about, .name = "", .identifier = ""};
  (void)rebal_describe(id, &about, NULL);
  return about;
}

int64_t explain_integer(const struct world *world, uint32_t column, size_t row) {
  size_t n;
  const int64_t *values = rebal_result_i64(world->result, column, &n);
  return values != NULL && row < n ? values[row] : REBAL_ABSENT;
}

const char *explain_text(const struct world *world, uint32_t column, size_t row) {
  const int64_t value = explain_integer(world, column, row);
  const uint32_t enumeration = describe(column).enumeration;
  if (enumeration != REBAL_ENUM_NONE) {
    const char *name = rebal_enum_name(enumeration, value, NULL);
    return name != NULL ? name : "";
  }
  if (column == REBAL_EXPLAIN_CLUSTER) {
    return cluster_name(world, id_of(value));
  }
  if (column == REBAL_EXPLAIN_FIELD) {
    return describe((uint32_t)value).name;
  }
  return rebal_result_text(world->result, column, row, NULL);
}

int explain_is_number(uint32_t column) {
  const rebal_description about = describe(column);
  return about.enumeration == REBAL_ENUM_NONE && about.type != REBAL_TYPE_TEXT && column != REBAL_EXPLAIN_CLUSTER &&
         column != REBAL_EXPLAIN_FIELD;
}

/* AFFINITY_NAME as affinityName. */
const char *explain_key(uint32_t column, char *buffer, size_t capacity) {
  const char *name = describe(column).identifier;
  size_t len = 0;
  for (size_t i = 0; name[i] != '\0' && len + 1 < capacity; i++) {
    const int starts_word = i > 0 && name[i - 1] == '_';
    if (name[i] != '_') {
      buffer[len++] = starts_word ? name[i] : (char)(name[i] - 'A' + 'a');
    }
  }
  buffer[len] = '\0';
  return buffer;
}

int explain_is_shown(const struct world *world, size_t row) {
  const char *cluster = world->options->cluster;
  const int64_t found = explain_integer(world, REBAL_EXPLAIN_CLUSTER, row);
  return cluster == NULL || found == REBAL_ABSENT || strcmp(cluster_name(world, id_of(found)), cluster) == 0;
}
