/* SPDX-License-Identifier: MIT */
/* Lists the labels that the selectors of a placement require. */
#include "plan/whatif/counterfactual.h"

static int compare_wishes(const void *left, const void *right, const void *context) {
  const struct rebali_wish *a = left, *b = right;
  const int by_key = rebali_text_compare(a->key, b->key);

  (void)context;
  if (by_key != 0) {
    return by_key;
  }
  return a->has_value != b->has_value ? a->has_value - b->has_value : rebali_text_compare(a->value, b->value);
}

/* Reads one selector. If out is NULL, only counts. */
static size_t read_selector(const rebal_record *record, uint32_t selector, struct rebali_wish *out) {
  uint32_t node = REBAL_NONE;
  size_t n = 0;

  while ((node = rebali_record_next(record, selector, REBAL_LABEL_SELECTOR_MATCH_LABELS, node)) != REBAL_NONE) {
    if (out != NULL) {
      out[n] = (struct rebali_wish){rebali_record_field_text(record, node, REBAL_PAIR_KEY),
                                    rebali_record_field_text(record, node, REBAL_PAIR_VALUE), 1};
    }
    n++;
  }
  node = REBAL_NONE;
  while ((node = rebali_record_next(record, selector, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, node)) != REBAL_NONE) {
    const struct rebali_text key = rebali_record_field_text(record, node, REBAL_EXPRESSION_KEY);
    uint32_t value = rebali_record_get(record, node, REBAL_EXPRESSION_VALUES);

    do {
      if (out != NULL) {
        out[n] = (struct rebali_wish){key, rebali_record_text(record, value), value != REBAL_NONE};
      }
      n++;
      value = value == REBAL_NONE ? value : rebali_record_next(record, node, REBAL_EXPRESSION_VALUES, value);
    } while (value != REBAL_NONE);
  }
  return n;
}

static size_t read_placement(const rebal_record *placement, struct rebali_wish *out) {
  size_t n = 0;

  for (uint32_t node = 1; node < placement->n_nodes; node++) {
    if (rebal_record_field(placement, node) == REBAL_AFFINITY_LABEL_SELECTOR) {
      n += read_selector(placement, node, out == NULL ? NULL : out + n);
    }
  }
  return n;
}

int32_t rebali_wishes_list(struct rebali_arena *arena, const rebal_record *placement, struct rebali_wish **out,
                           size_t *n) {
  const size_t all = read_placement(placement, NULL);
  struct rebali_wish *list = rebali_arena_allocate(arena, all, 2 * sizeof *list); /* the second half is for sorting */

  *out = list;
  *n = 0;
  if (list == NULL) {
    return REBAL_ENOMEM;
  }
  (void)read_placement(placement, list);
  rebali_sort(list, all, sizeof *list, list + all, compare_wishes, NULL);
  for (size_t i = 0; i < all; i++) {
    if (i == 0 || compare_wishes(&list[i - 1], &list[i], NULL) != 0) {
      list[(*n)++] = list[i];
    }
  }
  return REBAL_OK;
}
