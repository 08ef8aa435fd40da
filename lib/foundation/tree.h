/* SPDX-License-Identifier: MIT */
/* lib/foundation/tree.h - a long vector of equally large blocks, whose versions share unchanged parts. */
#ifndef REBALI_TREE_H
#define REBALI_TREE_H

#include "foundation/foundation.h"

#include <stdatomic.h>

#define REBALI_TREE_BITS 4u
#define REBALI_TREE_CHILDREN (1u << REBALI_TREE_BITS)

/* A block with its reference count. */
struct rebali_tree_leaf {
  atomic_size_t references;
  uint64_t bytes[];
};
struct rebali_tree_node {
  atomic_size_t references;
  void *children[REBALI_TREE_CHILDREN]; /* nodes, or leaves at the lowest level; NULL: never edited */
};

/* The kind of all leaves of a tree. Blocks that refer to others count those references here; else NULL. */
struct rebali_leaf_kind {
  size_t bytes;
  const void *absent;                                          /* a new block; NULL: zeros */
  void (*copied)(void *block);                                 /* called if the block is a copy of one that stays */
  void (*drop)(const rebal_allocator *allocator, void *block); /* called before the memory of a block is freed */
};

/*
 * Starts as zeros. The owner of the last reference to a node or leaf writes in place; others copy the path to the leaf,
 * whose length is the height of the tree. A tree must have one writer at a time; trees that share parts may be used by
 * different threads.
 */
struct rebali_tree {
  struct rebali_tree_node *root;
  uint32_t height; /* of nodes: the capacity is 16^height leaves */
};

/* Returns a block; NULL if it was never edited. */
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

/* Returns the block for writing. NULL without memory; no block is changed. */
void *rebali_tree_edit(const rebal_allocator *allocator, const struct rebali_leaf_kind *kind, struct rebali_tree *tree,
                       uint32_t leaf);
/* Adds an owner of the blocks as they are now. */
struct rebali_tree rebali_tree_share(const struct rebali_tree *tree);
/* Drops all blocks and resets the tree to its initial state. */
void rebali_tree_drop(const rebal_allocator *allocator, const struct rebali_leaf_kind *kind, struct rebali_tree *tree);

#endif
