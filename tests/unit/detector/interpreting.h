/* SPDX-License-Identifier: MIT */
/* tests/unit/detector/interpreting.h - documents and trees in YAML for tests of the interpreter. */
#ifndef INTERPRETING_H
#define INTERPRETING_H

#include "detector/interpret/interpret.h"
#include "manifest/patch/document.h"

#include "../unit.h"

static inline json_t *tree_of(const char *yaml) {
  struct rebali_limits limits;
  json_t *tree = NULL;
  ck_assert_int_eq(rebali_limits_read(NULL, &limits, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_document_tree(yaml, strlen(yaml), &limits, &tree, NULL), REBAL_OK);
  return tree;
}

/* Asserts that the tree equals the YAML; NULL: no tree. Takes ownership of the tree. */
static inline void assert_tree(json_t *tree, const char *yaml) {
  json_t *expected = yaml != NULL ? tree_of(yaml) : NULL;
  struct rebali_buffer text = REBALI_BUFFER;
  if (tree != NULL) {
    (void)rebali_json_write(tree, REBALI_WRITE_SORTED, &text);
  }
  ck_assert_msg(tree == NULL ? expected == NULL : expected != NULL && json_equal(tree, expected), "expected %s, got %s",
                yaml != NULL ? yaml : "nothing", tree != NULL ? text.bytes : "nothing");
  rebali_buffer_dispose(&text);
  json_decref(tree);
  json_decref(expected);
}

#endif
