/* SPDX-License-Identifier: MIT */
/* Lists the members of workload groups, by the text of the group. */
#include "fleet/fleet.h"

static const uint32_t columns[REBALI_BINDING_GROUPS] = {REBAL_BINDING_AFFINITY_GROUP,
                                                        REBAL_BINDING_ANTI_AFFINITY_GROUP};

struct grouping {
  const rebal_bindings *bindings;
  uint32_t column;
};

static struct rebali_text group_of(const struct grouping *grouping, uint32_t row) {
  return rebali_bindings_text(grouping->bindings, grouping->column, row);
}

static int compare(const void *left, const void *right, const void *context) {
  return rebali_text_compare(group_of(context, *(const uint32_t *)left), group_of(context, *(const uint32_t *)right));
}

static int is_member(const struct grouping *grouping, uint32_t row) {
  return group_of(grouping, row).len > 0 && !rebali_bindings_i64(grouping->bindings, REBAL_BINDING_CLUSTER_SCOPED, row);
}

static int32_t list_members(rebal_bindings *bindings, const struct grouping *grouping, size_t index) {
  const size_t rows = bindings->tables[0].rows;
  uint32_t *members;
  size_t n = 0;

  for (uint32_t row = 0; row < rows; row++) {
    n += (size_t)is_member(grouping, row);
  }
  if (n == 0) {
    return REBAL_OK;
  }
  members = rebali_allocate(&bindings->set.allocator, n, 2 * sizeof *members); /* the second half is for sorting */
  if (members == NULL) {
    return REBAL_ENOMEM;
  }
  n = 0;
  for (uint32_t row = 0; row < rows; row++) {
    if (is_member(grouping, row)) {
      members[n++] = row;
    }
  }
  rebali_sort(members, n, sizeof *members, members + n, compare, grouping);
  bindings->members[index] = members;
  bindings->n_members[index] = n;
  return REBAL_OK;
}

int32_t rebali_bindings_list_groups(rebal_bindings *bindings) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < REBALI_BINDING_GROUPS && code == REBAL_OK; i++) {
    const struct grouping grouping = {bindings, columns[i]};

    if (bindings->tables[0].columns[columns[i] & 255u] != NULL) {
      code = list_members(bindings, &grouping, i);
    }
  }
  return code;
}

void rebali_bindings_drop_groups(rebal_bindings *bindings) {
  for (size_t i = 0; i < REBALI_BINDING_GROUPS; i++) {
    rebali_release(&bindings->set.allocator, bindings->members[i]);
    bindings->members[i] = NULL;
    bindings->n_members[i] = 0;
  }
}

/* Returns the number of members whose group sorts before the text; with equal, also of those that equal it. */
static size_t count_before(const struct grouping *grouping, const uint32_t *members, size_t n, struct rebali_text group,
                           int equal) {
  size_t at;

  REBALI_BISECT(at, n, rebali_text_compare(group_of(grouping, members[at]), group) < equal);
  return at;
}

const uint32_t *rebali_bindings_group(const rebal_bindings *bindings, uint32_t column, struct rebali_text group,
                                      size_t *n) {
  const struct grouping grouping = {bindings, column};
  const size_t index = column == columns[1];
  const uint32_t *members = bindings == NULL ? NULL : bindings->members[index];
  size_t first;

  *n = 0;
  if (members == NULL || group.len == 0) {
    return NULL;
  }
  first = count_before(&grouping, members, bindings->n_members[index], group, 0);
  *n = count_before(&grouping, members, bindings->n_members[index], group, 1) - first;
  return members + first;
}
