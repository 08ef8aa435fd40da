/* SPDX-License-Identifier: MIT */
#include "patching.h"

#include "manifest/patch/strategic.h"

/* The table of rebalance-workloadspread(7) 9.1: a path, and the key of a merged list; "-": of scalars; NULL: atomic. */
static const struct {
  const char *path, *key;
} rows[] = {
    {"metadata.ownerReferences", "uid"},
    {"metadata.finalizers", "-"},
    {"metadata.managedFields", NULL},
    {"spec.containers", "name"},
    {"spec.initContainers", "name"},
    {"spec.ephemeralContainers", "name"},
    {"spec.containers.env", "name"},
    {"spec.containers.ports", "containerPort"},
    {"spec.initContainers.volumeMounts", "mountPath"},
    {"spec.ephemeralContainers.volumeDevices", "devicePath"},
    {"spec.containers.envFrom", NULL},
    {"spec.containers.args", NULL},
    {"spec.containers.resources.claims", NULL},
    {"spec.volumes", "name"},
    {"spec.volumes.ephemeral.volumeClaimTemplate.metadata.finalizers", "-"},
    {"spec.resourceClaims", "name"},
    {"spec.imagePullSecrets", "name"},
    {"spec.hostAliases", "ip"},
    {"spec.hostAliases.hostnames", NULL},
    {"spec.topologySpreadConstraints", "topologyKey"},
    {"spec.topologySpreadConstraints.matchLabelKeys", NULL},
    {"spec.schedulingGates", "name"},
    {"spec.tolerations", NULL},
    {"spec.readinessGates", NULL},
    {"status.conditions", "type"},
    {"status.hostIPs", "ip"},
    {"status.podIPs", "ip"},
    {"status.resourceClaimStatuses", "name"},
    {"status.containerStatuses", NULL},
    {"conditions", NULL},
};

static const struct rebali_object_member *walk(const char *path) {
  const struct rebali_object_member *member = NULL;
  const struct rebali_shape *shape = &rebali_shapes[REBALI_SHAPE_POD];
  while (*path != '\0') {
    char name[64];
    const size_t len = strcspn(path, ".");
    memcpy(name, path, len);
    name[len] = '\0';
    member = rebali_merge_member_of(shape, name);
    shape = member->child;
    path += len + (path[len] == '.');
  }
  return member;
}

START_TEST(test_lists) {
  const struct rebali_object_member *member = walk(rows[_i].path);
  const char *key = rows[_i].key;
  ck_assert_int_eq(rebali_is_merged_list(member), key != NULL);
  ck_assert_pstr_eq(member->key, key == NULL || strcmp(key, "-") == 0 ? NULL : key);
}
END_TEST

START_TEST(test_scalar_maps) {
  static const char *const paths[] = {
      "metadata.labels",
      "metadata.annotations",
      "spec.nodeSelector",
      "spec.overhead",
      "spec.resources.limits",
      "spec.containers.resources.requests",
      "spec.topologySpreadConstraints.labelSelector.matchLabels",
      "spec.volumes.csi.volumeAttributes",
      "spec.volumes.flexVolume.options",
      "spec.volumes.ephemeral.volumeClaimTemplate.spec.resources.limits",
      "spec.volumes.ephemeral.volumeClaimTemplate.spec.selector.matchLabels",
  };
  ck_assert_ptr_eq(walk(paths[_i])->child, &rebali_shapes[REBALI_SHAPE_SCALARS]);
}
END_TEST

UNIT_CASE(strategic_schema) {
  TCase *cases = tcase_create("strategic_schema");
  tcase_add_loop_test(cases, test_lists, 0, (int)COUNT(rows));
  tcase_add_loop_test(cases, test_scalar_maps, 0, 11);
  return cases;
}
