/* SPDX-License-Identifier: MIT */
/* What the numbers of the explanation tables mean in words. */
#include "rebalancectl.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const stages[] = {
    [REBAL_STAGE_FILTER] = "Filter",
    [REBAL_STAGE_SCORE] = "Score",
    [REBAL_STAGE_SELECT] = "Select",
    [REBAL_STAGE_ASSIGN] = "Assign",
};

static const char *const verdicts[] = {
    [REBAL_WHY_FEASIBLE] = "Feasible",
    [REBAL_WHY_REJECTED] = "Rejected",
    [REBAL_WHY_DELETING] = "Deleting",
    [REBAL_WHY_SCORED] = "Scored",
    [REBAL_WHY_SELECTED] = "Selected",
    [REBAL_WHY_BEYOND_MAX_GROUPS] = "BeyondMaxGroups",
    [REBAL_WHY_GROUP_LEFT_OUT] = "GroupLeftOut",
    [REBAL_WHY_EXCHANGED] = "Exchanged",
    [REBAL_WHY_PLACED] = "Placed",
    [REBAL_WHY_NOT_NEEDED] = "NotNeeded",
    [REBAL_WHY_REFUSED] = "Refused",
    [REBAL_WHY_DROPPED] = "Dropped",
};

static const char *const plugins[REBAL_FILTER_COUNT] = {
#define REBAL_PLUGIN(plugin, text) [REBAL_FILTER_##plugin] = (text),
#include <rebalance/plugins.def>
#undef REBAL_PLUGIN
};

/* Columns whose numbers have words. */
static const struct words {
  uint32_t column;
  const char *const *texts;
  size_t n;
} words[] = {
    {REBAL_EXPLAIN_STAGE, stages, COUNT(stages)},       {REBAL_EXPLAIN_COUNT_STAGE, stages, COUNT(stages)},
    {REBAL_EXPLAIN_VERDICT, verdicts, COUNT(verdicts)}, {REBAL_EXPLAIN_COUNT_VERDICT, verdicts, COUNT(verdicts)},
    {REBAL_EXPLAIN_PLUGIN, plugins, COUNT(plugins)},
};

/* Every column with the name that reports give it. */
static const struct column {
  uint32_t id;
  const char *name;
} columns[] = {
#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source) {REBAL_##table##_##name, #name},
#include <rebalance/columns.def>
#undef REBAL_TABLE
#undef REBAL_COLUMN
};

int64_t explain_integer(const struct world *world, uint32_t column, size_t row) {
  size_t n;
  const int64_t *values = rebal_result_i64(world->result, column, &n);
  return values != NULL && row < n ? values[row] : REBAL_ABSENT;
}

const char *explain_text(const struct world *world, uint32_t column, size_t row) {
  const int64_t value = explain_integer(world, column, row);
  const char *name = "";
  for (size_t i = 0; i < COUNT(words); i++) {
    if (words[i].column == column) {
      name = value >= 0 && (uint64_t)value < words[i].n ? words[i].texts[value] : "";
      return name != NULL ? name : "";
    }
  }
  if (column == REBAL_EXPLAIN_CLUSTER) {
    return cluster_name(world, (uint32_t)value);
  }
  if (column == REBAL_EXPLAIN_FIELD) {
    (void)rebal_describe((uint32_t)value, NULL, NULL, NULL, &name, NULL);
    return name;
  }
  return rebal_result_text(world->result, column, row, NULL);
}

int explain_is_number(uint32_t column) {
  uint32_t type = REBAL_TYPE_NONE;
  for (size_t i = 0; i < COUNT(words); i++) {
    if (words[i].column == column) {
      return 0;
    }
  }
  (void)rebal_describe(column, &type, NULL, NULL, NULL, NULL);
  return type != REBAL_TYPE_TEXT && column != REBAL_EXPLAIN_CLUSTER && column != REBAL_EXPLAIN_FIELD;
}

/* AFFINITY_NAME as affinityName. */
const char *explain_key(uint32_t column, char *buffer, size_t capacity) {
  const char *name = "";
  size_t len = 0;
  for (size_t i = 0; i < COUNT(columns); i++) {
    name = columns[i].id == column ? columns[i].name : name;
  }
  for (size_t i = 0; name[i] != '\0' && len + 1 < capacity; i++) {
    const int starts_word = i > 0 && name[i - 1] == '_';
    if (name[i] != '_') {
      buffer[len++] = starts_word ? name[i] : (char)(name[i] - 'A' + 'a');
    }
  }
  buffer[len] = '\0';
  return buffer;
}
