/* SPDX-License-Identifier: MIT */
/* How a strategic merge patch treats what a Pod holds (spec workloadspread 9.1). */
#include "manifest/patch/strategic.h"

#include <string.h>

#define TYPE(name, list) static const struct rebali_merge_type name = {0, list, sizeof list / sizeof list[0]}
#define MAP(name, type) {name, 0, NULL, &(type)}
#define LIST(name, key, type) {name, 1, key, &(type)}
#define PLAIN_LIST(name, key) {name, 1, key, NULL}

static const struct rebali_merge_type scalars = {1, NULL, 0};

static const struct rebali_merge_member metadata_members[] = {
    MAP("annotations", scalars),
    MAP("labels", scalars),
    PLAIN_LIST("ownerReferences", "uid"),
    PLAIN_LIST("finalizers", NULL),
};
TYPE(metadata, metadata_members);

static const struct rebali_merge_member resources_members[] = {
    MAP("limits", scalars),
    MAP("requests", scalars),
};
TYPE(resources, resources_members);

static const struct rebali_merge_member selector_members[] = {
    MAP("matchLabels", scalars),
};
TYPE(selector, selector_members);

static const struct rebali_merge_member container_members[] = {
    PLAIN_LIST("env", "name"),
    MAP("resources", resources),
    PLAIN_LIST("ports", "containerPort"),
    PLAIN_LIST("volumeMounts", "mountPath"),
    PLAIN_LIST("volumeDevices", "devicePath"),
};
TYPE(container, container_members);

static const struct rebali_merge_member claim_spec_members[] = {
    MAP("resources", resources),
    MAP("selector", selector),
};
TYPE(claim_spec, claim_spec_members);

static const struct rebali_merge_member claim_template_members[] = {
    MAP("metadata", metadata),
    MAP("spec", claim_spec),
};
TYPE(claim_template, claim_template_members);

static const struct rebali_merge_member ephemeral_members[] = {
    MAP("volumeClaimTemplate", claim_template),
};
TYPE(ephemeral, ephemeral_members);

static const struct rebali_merge_member csi_members[] = {
    MAP("volumeAttributes", scalars),
};
TYPE(csi, csi_members);

static const struct rebali_merge_member flex_members[] = {
    MAP("options", scalars),
};
TYPE(flex, flex_members);

static const struct rebali_merge_member volume_members[] = {
    MAP("ephemeral", ephemeral),
    MAP("csi", csi),
    MAP("flexVolume", flex),
};
TYPE(volume, volume_members);

static const struct rebali_merge_member spread_members[] = {
    MAP("labelSelector", selector),
};
TYPE(spread, spread_members);

static const struct rebali_merge_member spec_members[] = {
    LIST("containers", "name", container),
    MAP("nodeSelector", scalars),
    LIST("volumes", "name", volume),
    LIST("initContainers", "name", container),
    LIST("ephemeralContainers", "name", container),
    LIST("topologySpreadConstraints", "topologyKey", spread),
    PLAIN_LIST("imagePullSecrets", "name"),
    PLAIN_LIST("hostAliases", "ip"),
    PLAIN_LIST("schedulingGates", "name"),
    PLAIN_LIST("resourceClaims", "name"),
    MAP("overhead", scalars),
    MAP("resources", resources),
};
TYPE(spec, spec_members);

static const struct rebali_merge_member status_members[] = {
    PLAIN_LIST("conditions", "type"),
    PLAIN_LIST("hostIPs", "ip"),
    PLAIN_LIST("podIPs", "ip"),
    PLAIN_LIST("resourceClaimStatuses", "name"),
};
TYPE(status, status_members);

static const struct rebali_merge_member pod_members[] = {
    MAP("metadata", metadata),
    MAP("spec", spec),
    MAP("status", status),
};
const struct rebali_merge_type rebali_merge_pod = {0, pod_members, sizeof pod_members / sizeof pod_members[0]};

const struct rebali_merge_member *rebali_merge_member_of(const struct rebali_merge_type *type, const char *name) {
  static const struct rebali_merge_member other = {NULL, 0, NULL, NULL};
  for (size_t i = 0; type != NULL && i < type->n_members; i++) {
    if (strcmp(type->members[i].name, name) == 0) {
      return &type->members[i];
    }
  }
  return &other;
}
