/* SPDX-License-Identifier: MIT */
/* Resource lists for sums: quantities by name. They are short, so names are found by linear search. */
#include "foundation/foundation.h"

void rebali_resource_list_init(struct rebali_resource_list *amounts, const rebal_allocator *allocator) {
  *amounts = (struct rebali_resource_list){allocator, NULL, 0, 0};
}

/* Returns the index of a name; n if it is missing. */
static size_t place_of(const struct rebali_resource_list *amounts, struct rebali_text name) {
  size_t i = 0;

  while (i < amounts->n && !rebali_text_equal(amounts->items[i].name, name)) {
    i++;
  }
  return i;
}

const rebal_quantity *rebali_resource_list_find(const struct rebali_resource_list *amounts, struct rebali_text name) {
  const size_t i = place_of(amounts, name);

  return i < amounts->n ? &amounts->items[i].quantity : NULL;
}

rebal_quantity *rebali_resource_list_at(struct rebali_resource_list *amounts, struct rebali_text name) {
  const size_t i = place_of(amounts, name);
  char *copy;

  if (i < amounts->n) {
    return &amounts->items[i].quantity;
  }
  copy = rebali_allocate(amounts->allocator, name.len + 1, 1);
  if (copy == NULL || rebali_reserve(amounts->allocator, &amounts->items, &amounts->capacity, i + 1,
                                     sizeof *amounts->items) != REBAL_OK) {
    rebali_release(amounts->allocator, copy);
    return NULL;
  }
  if (name.len != 0) {
    memcpy(copy, name.bytes, name.len);
  }
  copy[name.len] = '\0';
  amounts->items[i] = (struct rebali_resource_amount){rebali_text(copy, name.len), {0, 0, REBAL_QUANTITY_FORMAT_NONE}};
  amounts->n++;
  return &amounts->items[i].quantity;
}

static int compare_names(const void *left, const void *right, const void *context) {
  const struct rebali_resource_amount *first = left, *second = right;

  (void)context;
  return rebali_text_compare(first->name, second->name);
}

int32_t rebali_resource_list_sort(struct rebali_resource_list *amounts) {
  struct rebali_resource_amount *scratch;

  if (amounts->n < 2) {
    return REBAL_OK;
  }
  scratch = rebali_allocate(amounts->allocator, amounts->n, sizeof *scratch);
  if (scratch == NULL) {
    return REBAL_ENOMEM;
  }
  rebali_sort(amounts->items, amounts->n, sizeof *scratch, scratch, compare_names, NULL);
  rebali_release(amounts->allocator, scratch);
  return REBAL_OK;
}

void rebali_resource_list_dispose(struct rebali_resource_list *amounts) {
  for (size_t i = 0; i < amounts->n; i++) {
    rebali_release(amounts->allocator, (void *)(uintptr_t)amounts->items[i].name.bytes);
  }
  rebali_release(amounts->allocator, amounts->items);
  rebali_resource_list_init(amounts, amounts->allocator);
}
