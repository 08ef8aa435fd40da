/* SPDX-License-Identifier: MIT */
/*
 * lib/foundation/tree.h - a long vector of equally large blocks, of which versions share what they have in common.
 */
#ifndef REBALI_TREE_H
#define REBALI_TREE_H

#include "foundation/foundation.h"

#include <stdatomic.h>

#define REBALI_TREE_BITS 4u
#define REBALI_TREE_CHILDREN (1u << REBALI_TREE_BITS)

/* A block, and what its owners agree about. */
struct rebali_tree_leaf {
  atomic_size_t references;
  uint64_t bytes[];
};
struct rebali_tree_node {
  atomic_size_t references;
  void *children[REBALI_TREE_CHILDREN]; /* nodes, or leaves in the lowest ones; NULL: never edited */
};

/* What all leaves of a tree are. Blocks that refer to others count their references here; NULL where they do not. */
struct rebali_leaf_kind {
  size_t bytes;
  const void *absent;                                          /* a new block; NULL: zeros */
  void (*copied)(void *block);                                 /* the block is a copy of one that stays */
  void (*drop)(const rebal_allocator *allocator, void *block); /* its memory goes */
};

/*
 * Starts as zeros. Whoever holds the last reference to a node or leaf writes in place; others copy the way to the leaf,
 * which is as long as the tree is high. One writer at a time for a tree; trees that share may be used by different
 * threads.
 */
struct rebali_tree {
  struct rebali_tree_node *root;
  uint32_t height; /* of nodes: there are 16^height places */
};

/* A block; NULL: it was never edited. */
static inline const void *rebali_tree_get(const struct rebali_tree *tree, uint32_t leaf) {
  const struct rebali_tree_node *node = tree->root;
  uint32_t shift = tree->height * REBALI_TREE_BITS;
  const struct rebali_tree_leaf *found;

  if ((uint64_t)leaf >> shift != 0 || node == NULL) {
    return NULL;
  }
  for (shift -= REBALI_TREE_BITS; shift != 0 && node != NULL; shift -= REBALI_TREE_BITS) {
    node = node->children[leaf >> shift & (REBALI_TREE_CHILDREN - 1)];
  }
  found = node == NULL ? NULL : node->children[leaf & (REBALI_TREE_CHILDREN - 1)];
  return found == NULL ? NULL : found->bytes;
}

/* The block for writing. NULL: no memory, no block has changed. */
void *rebali_tree_edit(const rebal_allocator *allocator, const struct rebali_leaf_kind *kind, struct rebali_tree *tree,
                       uint32_t leaf);
/* One more owner of the blocks as they are now. */
struct rebali_tree rebali_tree_share(const struct rebali_tree *tree);
/* The tree is then as at the start. */
void rebali_tree_drop(const rebal_allocator *allocator, const struct rebali_leaf_kind *kind, struct rebali_tree *tree);

#endif
