/* SPDX-License-Identifier: MIT */
/* lib/manifest/validate/shapes.h - how shapes are written down, and the ones that tables of kinds share. */
#ifndef REBALI_MANIFEST_SHAPES_H
#define REBALI_MANIFEST_SHAPES_H

#include "manifest/validate/kinds.h"

#define SHAPE(members) {members, sizeof(members) / sizeof(members[0])}

#define ONE(name, type, flags) {name, REBAL_TYPE_##type, REBAL_CARDINALITY_ONE, flags, NULL, NULL, 0}
#define TEXT(name, flags, values, max_len) {name, REBAL_TYPE_TEXT, REBAL_CARDINALITY_ONE, flags, NULL, values, max_len}
#define MAP(name, type) {name, REBAL_TYPE_##type, REBAL_CARDINALITY_MAP, 0, NULL, NULL, 0}
#define REQUIRED_MAP(name, type) {name, REBAL_TYPE_##type, REBAL_CARDINALITY_MAP, REBALI_REQUIRED, NULL, NULL, 0}
#define TEXTS(name, flags) {name, REBAL_TYPE_TEXT, REBAL_CARDINALITY_LIST, flags, NULL, NULL, 0}
#define OBJECT(name, shape, flags) {name, REBAL_TYPE_OBJECT, REBAL_CARDINALITY_ONE, flags, &shape, NULL, 0}
#define OBJECTS(name, shape, flags) {name, REBAL_TYPE_OBJECT, REBAL_CARDINALITY_LIST, flags, &shape, NULL, 0}
#define INT_OR_TEXT(name) {name, REBALI_TYPE_INT_OR_TEXT, REBAL_CARDINALITY_ONE, 0, NULL, NULL, 0}
#define ANY(name) {name, REBALI_TYPE_ANY, REBAL_CARDINALITY_ONE, 0, NULL, NULL, 0}
#define OPTIONAL(name, option) {name, REBALI_TYPE_INT_OR_TEXT, REBAL_CARDINALITY_ONE, REBALI_OPTIONAL, NULL, option, 0}

#define IDENTITY                                                                                                    \
  ONE("apiVersion", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY), ONE("kind", TEXT, REBALI_REQUIRED | REBALI_NONEMPTY), \
      OBJECT("metadata", rebali_shape_metadata, REBALI_REQUIRED)

/* kinds.c */
extern const struct rebali_shape rebali_shape_metadata, rebali_shape_condition, rebali_shape_toleration,
    rebali_shape_label_selector, rebali_shape_node_term;

/* kinds_kruise.c: whole objects */
extern const struct rebali_shape rebali_shape_spread, rebali_shape_first_spread, rebali_shape_united;

#endif
