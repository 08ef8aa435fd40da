/* SPDX-License-Identifier: MIT */
/* members.def as tables, and the kinds that use them (rebalance-karmada(7) 1.2 to 1.4, 9). */
#include "manifest/schema/kinds.h"

#include <string.h>

/* ---- shapes ---- */

#define CHILD(shape) (REBALI_SHAPE_##shape == REBALI_SHAPE_NONE ? NULL : &rebali_shapes[REBALI_SHAPE_##shape])

enum {
  TYPE_TEXT = REBAL_TYPE_TEXT,
  TYPE_INT32 = REBAL_TYPE_INT32,
  TYPE_COUNT32 = REBAL_TYPE_COUNT32,
  TYPE_INT64 = REBAL_TYPE_INT64,
  TYPE_BOOLEAN = REBAL_TYPE_BOOLEAN,
  TYPE_QUANTITY = REBAL_TYPE_QUANTITY,
  TYPE_TIME = REBAL_TYPE_TIME,
  TYPE_OBJECT = REBAL_TYPE_OBJECT,
  TYPE_INT_OR_TEXT = REBALI_TYPE_INT_OR_TEXT,
  TYPE_ANY = REBALI_TYPE_ANY
};

static const struct rebali_object_member members[] = {
#define REBALI_MEMBER(shape, name, type, cardinality, child, flags) \
  {name, TYPE_##type, REBAL_CARDINALITY_##cardinality, flags, CHILD(child), NULL, 0, NULL},
#define REBALI_TEXT_MEMBER(shape, name, flags, values, max_len) \
  {name, TYPE_TEXT, REBAL_CARDINALITY_ONE, flags, NULL, values, max_len, NULL},
#define REBALI_MERGED_LIST(shape, name, type, child, key) \
  {name, TYPE_##type, REBAL_CARDINALITY_LIST, REBALI_MERGED, CHILD(child), NULL, 0, key},
#define REBALI_OPTION_MEMBER(shape, name, type, option) \
  {name, TYPE_##type, REBAL_CARDINALITY_ONE, REBALI_OPTIONAL, NULL, option, 0, NULL},
#include "manifest/schema/members.def"
};

/* AT: the place of a shape's first member. LAST: that of its last member, after which the next shape begins. */
enum place {
  PLACE_BEFORE = -1
#define REBALI_SHAPE(shape) , AT_##shape, LAST_##shape = AT_##shape - 1
#define REBALI_MEMBER(shape, name, type, cardinality, child, flags) +1
#define REBALI_TEXT_MEMBER(shape, name, flags, values, max_len) +1
#define REBALI_MERGED_LIST(shape, name, type, child, key) +1
#define REBALI_OPTION_MEMBER(shape, name, type, option) +1
#include "manifest/schema/members.def"
};

const struct rebali_shape rebali_shapes[REBALI_SHAPES] = {
    {NULL, 0},
#define REBALI_SHAPE(shape) {members + AT_##shape, LAST_##shape - AT_##shape + 1},
#include "manifest/schema/members.def"
};

static const struct rebali_shape *record_shape(uint32_t object) {
  switch (object) {
#define REBALI_RECORD_SHAPE(shape, object) \
  case REBAL_OBJECT_##object:              \
    return &rebali_shapes[REBALI_SHAPE_##shape];
#include "manifest/schema/members.def"
    default:
      return &rebali_shapes[REBALI_SHAPE_NONE];
  }
}

const struct rebali_object_member *rebali_shape_member(const struct rebali_shape *shape, const char *name) {
  for (size_t i = 0; i < shape->n; i++) {
    if (strcmp(shape->members[i].name, name) == 0) {
      return &shape->members[i];
    }
  }
  return NULL;
}

const struct rebali_object_member *rebali_record_member(uint32_t object, const char *name) {
  return rebali_shape_member(record_shape(object), name);
}

/* ---- the kinds ---- */

static const struct rebali_kind kinds[] = {
    {"cluster.karmada.io/v1alpha1", "Cluster", &rebali_shapes[REBALI_SHAPE_CLUSTER]},
    {"work.karmada.io/v1alpha2", "ResourceBinding", &rebali_shapes[REBALI_SHAPE_BINDING]},
    {"work.karmada.io/v1alpha2", "ClusterResourceBinding", &rebali_shapes[REBALI_SHAPE_BINDING]},
    {"work.karmada.io/v1alpha1", "ResourceBinding", &rebali_shapes[REBALI_SHAPE_BINDING_V1ALPHA1]},
    {"work.karmada.io/v1alpha1", "ClusterResourceBinding", &rebali_shapes[REBALI_SHAPE_BINDING_V1ALPHA1]},
    {"policy.karmada.io/v1alpha1", "PropagationPolicy", &rebali_shapes[REBALI_SHAPE_PROPAGATION_POLICY]},
    {"policy.karmada.io/v1alpha1", "ClusterPropagationPolicy", &rebali_shapes[REBALI_SHAPE_PROPAGATION_POLICY]},
    {"policy.karmada.io/v1alpha1", "ClusterTaintPolicy", &rebali_shapes[REBALI_SHAPE_TAINT_POLICY]},
    {"policy.karmada.io/v1alpha1", "FederatedResourceQuota", &rebali_shapes[REBALI_SHAPE_FEDERATED_QUOTA]},
    {"apps.karmada.io/v1alpha1", "WorkloadRebalancer", &rebali_shapes[REBALI_SHAPE_WORKLOAD_REBALANCER]},
    {"apps.kruise.io/v1beta1", "WorkloadSpread", &rebali_shapes[REBALI_SHAPE_WORKLOAD_SPREAD]},
    {"apps.kruise.io/v1alpha1", "WorkloadSpread", &rebali_shapes[REBALI_SHAPE_SPREAD_V1ALPHA1]},
    {"apps.kruise.io/v1beta1", "UnitedDeployment", &rebali_shapes[REBALI_SHAPE_UNITED_DEPLOYMENT]},
    {"apps.kruise.io/v1alpha1", "UnitedDeployment", &rebali_shapes[REBALI_SHAPE_UNITED_DEPLOYMENT]},
};

const struct rebali_kind *rebali_kinds(size_t *n) {
  *n = sizeof kinds / sizeof kinds[0];
  return kinds;
}

static int is_group_of(const char *api_version, const struct rebali_kind *kind) {
  const size_t len = strcspn(kind->api_version, "/");
  return strncmp(api_version, kind->api_version, len) == 0 && api_version[len] == '/';
}

const struct rebali_kind *rebali_kind_of(const json_t *tree) {
  const char *api_version = rebali_member_text(tree, "apiVersion"), *kind = rebali_member_text(tree, "kind");
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].kind, kind) == 0 && strcmp(kinds[i].api_version, api_version) == 0) {
      return &kinds[i];
    }
  }
  return NULL;
}

int rebali_kind_is_other_version(const json_t *tree) {
  const char *api_version = rebali_member_text(tree, "apiVersion"), *kind = rebali_member_text(tree, "kind");
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].kind, kind) == 0 && is_group_of(api_version, &kinds[i])) {
      return rebali_kind_of(tree) == NULL;
    }
  }
  return 0;
}
