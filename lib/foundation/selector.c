/* SPDX-License-Identifier: MIT */
/* Requirements of label and field selectors; rebalance-karmada(7) 3.1. */
#include "foundation/foundation.h"

static const char *const OPERATORS[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};

enum rebali_operator rebali_operator_parse(struct rebali_text text) {
  size_t i;

  for (i = 0; i < REBALI_COUNT(OPERATORS); i++) {
    if (rebali_text_equal(text, rebali_text(OPERATORS[i], strlen(OPERATORS[i])))) {
      return (enum rebali_operator)i;
    }
  }
  return REBALI_OPERATOR_UNKNOWN;
}

struct rebali_text rebali_operator_text(enum rebali_operator operation) {
  return operation == REBALI_OPERATOR_UNKNOWN ? REBALI_TEXT("(unknown operator)")
                                              : rebali_text(OPERATORS[operation], strlen(OPERATORS[operation]));
}

static int has_valid_values(const struct rebali_requirement *requirement) {
  size_t i;

  for (i = 0; i < requirement->n_values; i++) {
    if (!rebali_is_label_value(requirement->values[i])) {
      return 0;
    }
  }
  return 1;
}

static int has_valid_count(const struct rebali_requirement *requirement, int numeric) {
  int64_t bound;

  switch (requirement->operation) {
    case REBALI_OPERATOR_IN:
    case REBALI_OPERATOR_NOT_IN:
      return requirement->n_values > 0;
    case REBALI_OPERATOR_EXISTS:
    case REBALI_OPERATOR_DOES_NOT_EXIST:
      return requirement->n_values == 0;
    case REBALI_OPERATOR_GREATER:
    case REBALI_OPERATOR_LESS:
      return numeric && requirement->n_values == 1 && rebali_integer_parse(requirement->values[0], &bound);
    case REBALI_OPERATOR_UNKNOWN:
      break;
  }
  return 0;
}

int rebali_requirement_valid(const struct rebali_requirement *requirement, int numeric) {
  return rebali_is_qualified_name(requirement->key) && has_valid_count(requirement, numeric) &&
         has_valid_values(requirement);
}

int rebali_requirement_lists(const struct rebali_requirement *requirement, struct rebali_text value) {
  const struct rebali_text *const sorted = requirement->sorted;
  const size_t n = requirement->n_values;
  size_t i;

  if (sorted != NULL) {
    REBALI_BISECT(i, n, rebali_text_compare(sorted[i], value) < 0);
    return i < n && rebali_text_equal(sorted[i], value);
  }
  for (i = 0; i < n; i++) {
    if (rebali_text_equal(requirement->values[i], value)) {
      return 1;
    }
  }
  return 0;
}

/*
 * Returns -1, 0 or 1 if the value is below, at or above the bound; 0 also if either is not an integer, which never
 * matches.
 */
static int compare_with_bound(const struct rebali_requirement *requirement, struct rebali_text value) {
  int64_t number;
  int64_t bound;

  if (value.bytes == NULL || requirement->n_values != 1 || !rebali_integer_parse(value, &number) ||
      !rebali_integer_parse(requirement->values[0], &bound)) {
    return 0;
  }
  return (number > bound) - (number < bound);
}

int rebali_requirement_matches(const struct rebali_requirement *requirement, struct rebali_text value) {
  const int present = value.bytes != NULL;

  switch (requirement->operation) {
    case REBALI_OPERATOR_IN:
      return present && rebali_requirement_lists(requirement, value);
    case REBALI_OPERATOR_NOT_IN:
      return !present || !rebali_requirement_lists(requirement, value);
    case REBALI_OPERATOR_EXISTS:
      return present;
    case REBALI_OPERATOR_DOES_NOT_EXIST:
      return !present;
    case REBALI_OPERATOR_GREATER:
      return compare_with_bound(requirement, value) > 0;
    case REBALI_OPERATOR_LESS:
      return compare_with_bound(requirement, value) < 0;
    case REBALI_OPERATOR_UNKNOWN:
      break;
  }
  return 0;
}
