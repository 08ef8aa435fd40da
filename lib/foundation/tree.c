/* SPDX-License-Identifier: MIT */
#include "foundation/tree.h"

/* Acquire: the last other owner's reads happen before our writes. */
static int is_shared(const atomic_size_t *references) {
  return atomic_load_explicit(references, memory_order_acquire) > 1;
}

static void add_owner(atomic_size_t *references) {
  atomic_fetch_add_explicit(references, 1, memory_order_relaxed);
}

static int was_last(atomic_size_t *references) {
  return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

/* Leaves have their reference count at the same offset as nodes. */
static atomic_size_t *references_of(void *child) {
  return child;
}

static void unref_leaf(const rebal_allocator *allocator, const struct rebali_leaf_kind *kind,
                       struct rebali_tree_leaf *leaf) {
  if (leaf == NULL || !was_last(&leaf->references)) {
    return;
  }
  if (kind->drop != NULL) {
    kind->drop(allocator, leaf->bytes);
  }
  rebali_release(allocator, leaf);
}

/* Recurses at most 8 levels, as leaves are counted in 32 bits. */
static void unref_node(const rebal_allocator *allocator, const struct rebali_leaf_kind *kind,
                       struct rebali_tree_node *node, uint32_t height) {
  if (node == NULL || !was_last(&node->references)) {
    return;
  }
  for (size_t i = 0; i < REBALI_TREE_CHILDREN; i++) {
    if (height > 1) {
      unref_node(allocator, kind, node->children[i], height - 1);
    } else {
      unref_leaf(allocator, kind, node->children[i]);
    }
  }
  rebali_release(allocator, node);
}

/* Makes the node in a place unshared. */
static struct rebali_tree_node *own_node(const rebal_allocator *allocator, const struct rebali_leaf_kind *kind,
                                         void **place, uint32_t height) {
  struct rebali_tree_node *old = *place;
  struct rebali_tree_node *node;

  if (old != NULL && !is_shared(&old->references)) {
    return old;
  }
  node = rebali_allocate_zero(allocator, 1, sizeof *node);
  if (node == NULL) {
    return NULL;
  }
  atomic_init(&node->references, 1);
  for (size_t i = 0; old != NULL && i < REBALI_TREE_CHILDREN; i++) {
    node->children[i] = old->children[i];
    if (node->children[i] != NULL) {
      add_owner(references_of(node->children[i]));
    }
  }
  unref_node(allocator, kind, old, height);
  *place = node;
  return node;
}

static void fill_leaf(const struct rebali_leaf_kind *kind, struct rebali_tree_leaf *leaf,
                      const struct rebali_tree_leaf *old) {
  if (old != NULL) {
    memcpy(leaf->bytes, old->bytes, kind->bytes);
    if (kind->copied != NULL) {
      kind->copied(leaf->bytes);
    }
  } else if (kind->absent != NULL) {
    memcpy(leaf->bytes, kind->absent, kind->bytes);
  } else {
    memset(leaf->bytes, 0, kind->bytes);
  }
}

/* Does the same for a leaf. */
static struct rebali_tree_leaf *own_leaf(const rebal_allocator *allocator, const struct rebali_leaf_kind *kind,
                                         void **place) {
  struct rebali_tree_leaf *old = *place;
  struct rebali_tree_leaf *leaf;

  if (old != NULL && !is_shared(&old->references)) {
    return old;
  }
  leaf = rebali_allocate(allocator, 1, sizeof *leaf + kind->bytes);
  if (leaf == NULL) {
    return NULL;
  }
  atomic_init(&leaf->references, 1);
  fill_leaf(kind, leaf, old);
  unref_leaf(allocator, kind, old);
  *place = leaf;
  return leaf;
}

/* Adds roots until the leaf has a place. */
static int32_t grow(const rebal_allocator *allocator, struct rebali_tree *tree, uint32_t leaf) {
  while (tree->root == NULL || (uint64_t)leaf >> (tree->height * REBALI_TREE_BITS) != 0) {
    struct rebali_tree_node *root = rebali_allocate_zero(allocator, 1, sizeof *root);

    if (root == NULL) {
      return REBAL_ENOMEM;
    }
    atomic_init(&root->references, 1);
    root->children[0] = tree->root;
    tree->root = root;
    tree->height++;
  }
  return REBAL_OK;
}

void *rebali_tree_edit(const rebal_allocator *allocator, const struct rebali_leaf_kind *kind, struct rebali_tree *tree,
                       uint32_t leaf) {
  void *root;
  void **place = &root;
  struct rebali_tree_leaf *found;

  if (grow(allocator, tree, leaf) != REBAL_OK) {
    return NULL;
  }
  root = tree->root;
  for (uint32_t height = tree->height; height > 0; height--) {
    struct rebali_tree_node *node = own_node(allocator, kind, place, height);

    if (node == NULL) {
      return NULL;
    }
    if (height == tree->height) {
      tree->root = node;
    }
    place = &node->children[leaf >> ((height - 1) * REBALI_TREE_BITS) & (REBALI_TREE_CHILDREN - 1)];
  }
  found = own_leaf(allocator, kind, place);
  return found == NULL ? NULL : found->bytes;
}

struct rebali_tree rebali_tree_share(const struct rebali_tree *tree) {
  if (tree->root != NULL) {
    add_owner(&tree->root->references);
  }
  return *tree;
}

void rebali_tree_drop(const rebal_allocator *allocator, const struct rebali_leaf_kind *kind, struct rebali_tree *tree) {
  unref_node(allocator, kind, tree->root, tree->height);
  *tree = (struct rebali_tree){NULL, 0};
}
