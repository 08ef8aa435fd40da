/* SPDX-License-Identifier: MIT */
/* Orders a merged list (rebalance-workloadspread(7) 9.4). */
#include "manifest/patch/strategic.h"

#include <stdlib.h>
#include <string.h>

/* An item, and its position in both lists; their lengths if it is missing. */
struct placed {
  struct rebali_element element;
  size_t in_patch, in_server;
  size_t rank, tie; /* the group's sort keys; rank 0: missing in the group's list */
};

/* A sequence to merge: items of the patch, or those that only the server has. */
struct group {
  struct placed *at;
  size_t n;
};

#define FEW 20

/* Sorts by insertion, as the reference's sort treats items that it does not find in lists of up to 20 items. */
static void sort_few(struct group *group) {
  for (size_t i = 1; i < group->n; i++) {
    const struct placed moved = group->at[i];
    size_t to = i;
    while (to > 0 && (moved.rank == 0 || group->at[to - 1].rank == 0 || moved.rank < group->at[to - 1].rank)) {
      group->at[to] = group->at[to - 1];
      to--;
    }
    group->at[to] = moved;
  }
}

static int compare_placed(const void *left, const void *right) {
  const struct placed *placed = left, *other = right;
  if (placed->rank != other->rank) {
    return placed->rank < other->rank ? -1 : 1;
  }
  return (placed->tie > other->tie) - (placed->tie < other->tie);
}

/* by_patch: the group's list is the patch's, else the server's; none: its length. */
static void sort_group(struct group *group, int by_patch, size_t none) {
  for (size_t i = 0; i < group->n; i++) {
    struct placed *placed = &group->at[i];
    const size_t at = by_patch ? placed->in_patch : placed->in_server;
    placed->rank = at < none ? at + 1 : 0;
    placed->tie = at < none ? i : group->n - i;
  }
  if (group->n <= FEW) {
    sort_few(group);
  } else {
    qsort(group->at, group->n, sizeof *group->at, compare_placed); /* the order is total */
  }
}

static int is_deletion(const json_t *value) {
  const char *directive = json_string_value(json_object_get(value, REBALI_DIRECTIVE));
  return directive != NULL && strcmp(directive, "delete") == 0;
}

/* Moves deletions that were not carried out to the end; the rest keeps its order. Returns the length of the rest. */
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

/* Sort keys of the items, and 2 n blocks: first the patch's items, then the server's, then scratch space. */
struct places {
  struct rebali_index patch, server;
  struct placed *blocks;
};

static void place(struct rebali_elements *items, struct places *places) {
  const size_t n_patch = places->patch.elements->n, n_server = places->server.elements->n;
  struct placed *scratch = places->blocks + items->n;
  struct group mine = {places->blocks, 0}, theirs = {scratch, 0};
  for (size_t i = 0; i < items->n; i++) {
    const json_t *key = items->at[i].key;
    const struct placed placed = {items->at[i], rebali_index_find(&places->patch, key, 0),
                                  rebali_index_find(&places->server, key, 0), 0, 0};
    if (placed.in_patch < n_patch) {
      mine.at[mine.n++] = placed;
    } else {
      theirs.at[theirs.n++] = placed;
    }
  }
  if (theirs.n > 0) {
    theirs.at = memcpy(places->blocks + mine.n, scratch, theirs.n * sizeof *scratch);
  }
  order_group(&mine, 1, n_patch, scratch);
  order_group(&theirs, 0, n_server, scratch);
  merge_groups(&mine, &theirs, n_server, items);
}

int32_t rebali_strategic_order(struct rebali_elements *items, const struct rebali_elements *patch,
                               const struct rebali_elements *server, rebal_error *err) {
  struct placed few[16];
  struct places places = {{patch, NULL}, {server, NULL}, few};
  int32_t result = rebali_index_open(&places.patch, patch, err);
  if (result == REBAL_OK) {
    result = rebali_index_open(&places.server, server, err);
  }
  if (items->n > sizeof few / sizeof few[0] / 2) {
    places.blocks = items->n < SIZE_MAX / 2 / sizeof few[0] ? malloc(2 * items->n * sizeof few[0]) : NULL;
  }
  if (result == REBAL_OK && places.blocks == NULL) {
    result = rebali_fail_memory(err);
  }
  if (result == REBAL_OK) {
    place(items, &places);
  }
  rebali_index_close(&places.patch);
  rebali_index_close(&places.server);
  if (places.blocks != few) {
    free(places.blocks);
  }
  return result;
}
