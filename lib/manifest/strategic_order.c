/* SPDX-License-Identifier: MIT */
/* In which order a merged list comes out (spec workloadspread 9.4). */
#include "strategic.h"

#include <stdlib.h>
#include <string.h>

/* An item, and where both lists have it: their lengths when they do not. */
struct placed {
  struct rebali_element element;
  size_t in_patch, in_server;
};

/* What is to be merged: items of the patch, and those that only the server has. */
struct group {
  struct placed *at;
  size_t n;
};

/* Items that a list does not have come in front, the last one first. */
static int is_before(size_t left, size_t right, size_t none) {
  return left == none || right == none || left < right;
}

/* Insertion, which on lists of up to 20 items is what the reference's sort does. */
static void sort_group(struct group *group, int by_patch, size_t none) {
  for (size_t i = 1; i < group->n; i++) {
    const struct placed moved = group->at[i];
    const size_t key = by_patch ? moved.in_patch : moved.in_server;
    size_t to = i;
    for (; to > 0; to--) {
      const struct placed *other = &group->at[to - 1];
      if (!is_before(key, by_patch ? other->in_patch : other->in_server, none)) {
        break;
      }
      group->at[to] = *other;
    }
    group->at[to] = moved;
  }
}

static int is_deletion(const json_t *value) {
  const char *directive = json_string_value(json_object_get(value, REBALI_DIRECTIVE));
  return directive != NULL && strcmp(directive, "delete") == 0;
}

/* Moves deletions that nobody carried out to the end; the rest keeps its order. Returns how many the rest are. */
static size_t set_deletions_apart(struct group *group, struct placed *scratch) {
  size_t n = 0, n_deletions = 0;
  for (size_t i = 0; i < group->n; i++) {
    if (is_deletion(group->at[i].element.value)) {
      scratch[n_deletions++] = group->at[i];
    } else {
      group->at[n++] = group->at[i];
    }
  }
  if (n_deletions > 0) {
    memcpy(group->at + n, scratch, n_deletions * sizeof *scratch);
  }
  return n;
}

static void order_group(struct group *group, int by_patch, size_t none, struct placed *scratch) {
  struct group rest = {group->at, set_deletions_apart(group, scratch)};
  sort_group(&rest, by_patch, none);
}

static void merge_groups(const struct group *patch, const struct group *server, size_t none,
                         struct rebali_elements *out) {
  size_t i = 0, k = 0;
  while (i < patch->n || k < server->n) {
    const struct placed *mine = &patch->at[i], *theirs = &server->at[k];
    const int is_theirs = i == patch->n || (k < server->n && theirs->in_server != none && mine->in_server != none &&
                                            theirs->in_server < mine->in_server);
    out->at[i + k] = is_theirs ? theirs->element : mine->element;
    if (is_theirs) {
      k++;
    } else {
      i++;
    }
  }
}

/* The items of the patch lie at the front of the first half of blocks, the server's behind them, room in the second. */
static void place(struct rebali_elements *items, const struct rebali_elements *patch,
                  const struct rebali_elements *server, struct placed *blocks) {
  struct placed *scratch = blocks + items->n;
  struct group mine = {blocks, 0}, theirs = {scratch, 0};
  for (size_t i = 0; i < items->n; i++) {
    struct placed placed = {items->at[i], 0, 0};
    placed.in_patch = rebali_element_find(patch->at, patch->n, placed.element.key);
    placed.in_server = rebali_element_find(server->at, server->n, placed.element.key);
    if (placed.in_patch < patch->n) {
      mine.at[mine.n++] = placed;
    } else {
      theirs.at[theirs.n++] = placed;
    }
  }
  if (theirs.n > 0) {
    theirs.at = memcpy(blocks + mine.n, scratch, theirs.n * sizeof *scratch);
  }
  order_group(&mine, 1, patch->n, scratch);
  order_group(&theirs, 0, server->n, scratch);
  merge_groups(&mine, &theirs, server->n, items);
}

int32_t rebali_strategic_order(struct rebali_elements *items, const struct rebali_elements *patch,
                               const struct rebali_elements *server, rebal_error *err) {
  struct placed few[16], *blocks = few;
  if (items->n > sizeof few / sizeof few[0] / 2) {
    blocks = items->n < SIZE_MAX / 2 / sizeof *blocks ? malloc(2 * items->n * sizeof *blocks) : NULL;
  }
  if (blocks == NULL) {
    return rebali_manifest_fail_memory(err);
  }
  place(items, patch, server, blocks);
  if (blocks != few) {
    free(blocks);
  }
  return REBAL_OK;
}
