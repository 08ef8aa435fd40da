/* SPDX-License-Identifier: MIT */
/* Lists the objects that pods of a workload need, as references (rebalance-karmada(7) 15.6). */
#include "detector/interpret/interpret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names found, without duplicates: keys of maps. */
struct found {
  json_t *config_maps, *secrets, *claims;
  const char *account;
  int demands_names; /* an empty name is a failure */
};

static void note(struct rebali_interpreting *in, const struct found *found, json_t *set, const json_t *holder,
                 const char *key) {
  const char *name = rebali_member_text(holder, key);
  if (holder == NULL) {
    return;
  }
  if (*name != '\0') {
    rebali_set(in, set, name, json_true());
  } else if (found->demands_names) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "a dependency has no name");
  }
}

static void scan_containers(struct rebali_interpreting *in, struct found *found, const json_t *containers) {
  for (size_t i = 0; i < json_array_size(containers); i++) {
    const json_t *env = rebali_member(json_array_get(containers, i), "env");
    const json_t *from = rebali_member(json_array_get(containers, i), "envFrom");
    for (size_t at = 0; at < json_array_size(env); at++) {
      const json_t *source = rebali_member(json_array_get(env, at), "valueFrom");
      note(in, found, found->config_maps, rebali_member(source, "configMapKeyRef"), "name");
      note(in, found, found->secrets, rebali_member(source, "secretKeyRef"), "name");
    }
    for (size_t at = 0; at < json_array_size(from); at++) {
      note(in, found, found->config_maps, rebali_member(json_array_get(from, at), "configMapRef"), "name");
      note(in, found, found->secrets, rebali_member(json_array_get(from, at), "secretRef"), "name");
    }
  }
}

static void scan_plain_volume(struct rebali_interpreting *in, struct found *found, const json_t *volume) {
  const json_t *sources = rebali_value_at(volume, "projected.sources");
  note(in, found, found->config_maps, rebali_member(volume, "configMap"), "name");
  note(in, found, found->secrets, rebali_member(volume, "secret"), "secretName");
  for (size_t i = 0; i < json_array_size(sources); i++) {
    note(in, found, found->config_maps, rebali_member(json_array_get(sources, i), "configMap"), "name");
    note(in, found, found->secrets, rebali_member(json_array_get(sources, i), "secret"), "name");
  }
}

static void scan_volume(struct rebali_interpreting *in, struct found *found, const json_t *volume) {
  static const char *const referring[] = {"cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"};
  scan_plain_volume(in, found, volume);
  note(in, found, found->claims, rebali_member(volume, "persistentVolumeClaim"), "claimName");
  note(in, found, found->secrets, rebali_member(volume, "azureFile"), "secretName");
  note(in, found, found->secrets, rebali_value_at(volume, "csi.nodePublishSecretRef"), "name");
  for (size_t i = 0; i < sizeof referring / sizeof referring[0]; i++) {
    note(in, found, found->secrets, rebali_member(rebali_member(volume, referring[i]), "secretRef"), "name");
  }
}

static void scan_pod(struct rebali_interpreting *in, struct found *found, const json_t *pod_spec) {
  const json_t *volumes = rebali_member(pod_spec, "volumes");
  const json_t *pulling = rebali_member(pod_spec, "imagePullSecrets");
  scan_containers(in, found, rebali_member(pod_spec, "containers"));
  scan_containers(in, found, rebali_member(pod_spec, "initContainers"));
  scan_containers(in, found, rebali_member(pod_spec, "ephemeralContainers"));
  for (size_t i = 0; i < json_array_size(volumes); i++) {
    scan_volume(in, found, json_array_get(volumes, i));
  }
  for (size_t i = 0; i < json_array_size(pulling); i++) {
    note(in, found, found->secrets, json_array_get(pulling, i), "name");
  }
  found->account = rebali_member_text(pod_spec, "serviceAccountName");
}

static struct found found_new(struct rebali_interpreting *in) {
  return (struct found){rebali_new_map(in), rebali_new_map(in), rebali_new_map(in), "", 0};
}

static void found_dispose(struct found *found) {
  json_decref(found->config_maps);
  json_decref(found->secrets);
  json_decref(found->claims);
}

/* ---- references ---- */

static json_t *reference(struct rebali_interpreting *in, const char *api_version, const char *kind,
                         const char *namespace_) {
  json_t *map = rebali_new_map(in);
  rebali_set(in, map, "apiVersion", rebali_new_text(in, api_version));
  rebali_set(in, map, "kind", rebali_new_text(in, kind));
  if (*namespace_ != '\0') {
    rebali_set(in, map, "namespace", rebali_new_text(in, namespace_));
  }
  return map;
}

static void add(struct rebali_interpreting *in, json_t *list, const char *kind, const char *namespace_,
                const char *name) {
  json_t *map = reference(in, "v1", kind, namespace_);
  rebali_set(in, map, "name", rebali_new_text(in, name));
  rebali_append(in, list, map);
}

static void add_all(struct rebali_interpreting *in, json_t *list, const char *kind, const char *namespace_,
                    const json_t *set) {
  const char **names = NULL;
  size_t n = 0;
  if (in->result == REBAL_OK && rebali_object_keys(set, REBALI_WRITE_SORTED, &names, &n) != REBAL_OK) {
    in->result = rebali_fail_memory(in->err);
  }
  for (size_t i = 0; i < n; i++) {
    add(in, list, kind, namespace_, names[i]);
  }
  free(names);
}

/* Lists by kind, then by name. */
static json_t *listed(struct rebali_interpreting *in, const struct found *found, const char *namespace_) {
  json_t *list = rebali_new_list(in);
  add_all(in, list, "ConfigMap", namespace_, found->config_maps);
  add_all(in, list, "Secret", namespace_, found->secrets);
  if (*found->account != '\0' && strcmp(found->account, "default") != 0) {
    add(in, list, "ServiceAccount", namespace_, found->account);
  }
  add_all(in, list, "PersistentVolumeClaim", namespace_, found->claims);
  return rebali_finished(in, list);
}

static const char *namespace_of(const json_t *object) {
  return rebali_member_text(rebali_member(object, "metadata"), "namespace");
}

/* ---- native kinds ---- */

/* Leaves out claims created from the templates. */
static json_t *needed_by_pod(struct rebali_interpreting *in, const json_t *pod_spec, const char *namespace_,
                             const json_t *claim_templates) {
  struct found found = found_new(in);
  json_t *list;
  scan_pod(in, &found, pod_spec);
  for (size_t i = 0; i < json_array_size(claim_templates); i++) {
    const json_t *metadata = rebali_member(json_array_get(claim_templates, i), "metadata");
    (void)json_object_del(found.claims, rebali_member_text(metadata, "name"));
  }
  list = listed(in, &found, namespace_);
  found_dispose(&found);
  return list;
}

json_t *rebali_pod_dependencies(struct rebali_interpreting *in, const json_t *object) {
  return needed_by_pod(in, rebali_value_at(object, in->kind->pod_path), namespace_of(object), NULL);
}

json_t *rebali_stateful_set_dependencies(struct rebali_interpreting *in, const json_t *object) {
  return needed_by_pod(in, rebali_value_at(object, in->kind->pod_path), namespace_of(object),
                       rebali_value_at(object, "spec.volumeClaimTemplates"));
}

json_t *rebali_ingress_dependencies(struct rebali_interpreting *in, const json_t *object) {
  const json_t *entries = rebali_value_at(object, "spec.tls");
  json_t *list = rebali_new_list(in);
  for (size_t i = 0; i < json_array_size(entries); i++) {
    const char *name = rebali_member_text(json_array_get(entries, i), "secretName");
    if (*name == '\0') {
      rebali_interpreting_fail(in, REBAL_EPARSE, "a dependency has no name");
    }
    add(in, list, "Secret", namespace_of(object), name);
  }
  return rebali_finished(in, list);
}

json_t *rebali_service_import_dependencies(struct rebali_interpreting *in, const json_t *object) {
  static const char prefix[] = "derived-";
  const char *name = rebali_member_text(rebali_member(object, "metadata"), "name");
  const size_t size = sizeof prefix + strlen(name);
  char *derived = malloc(size);
  json_t *list = rebali_new_list(in), *slice, *labels, *selector;
  if (derived == NULL) {
    rebali_made(in, NULL);
    return rebali_finished(in, list);
  }
  (void)snprintf(derived, size, "%s%s", prefix, name);
  if (!rebali_is_label_value(rebali_text(derived, size - 1))) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "\"%.80s\" is not a valid label value", derived);
  }
  add(in, list, "Service", namespace_of(object), derived);
  labels = rebali_new_map(in);
  rebali_set(in, labels, "kubernetes.io/service-name", rebali_new_text(in, derived));
  selector = rebali_new_map(in);
  rebali_set(in, selector, "matchLabels", labels);
  slice = reference(in, "discovery.k8s.io/v1", "EndpointSlice", namespace_of(object));
  rebali_set(in, slice, "labelSelector", selector);
  rebali_append(in, list, slice);
  free(derived);
  return rebali_finished(in, list);
}

/* ---- Kruise ---- */

/* Reads a pod template as a script passes it. */
static json_t *needed_by_template(struct rebali_interpreting *in, const json_t *object, const json_t *pod_template) {
  const json_t *given = rebali_lua_find(in, object, "metadata.namespace");
  const char *namespace_ = given != NULL ? json_string_value(given) : "default";
  json_t *cleaned, *decoded, *list;
  if (in->result == REBAL_OK && !rebali_is_map(pod_template) && !json_is_array(pod_template)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "expected a pod template");
  }
  if (in->result != REBAL_OK) {
    return NULL;
  }
  cleaned = rebali_lua_result(in, pod_template);
  decoded = cleaned != NULL ? rebali_decoded(in, REBALI_TYPE_POD_TEMPLATE, cleaned) : NULL;
  list = decoded != NULL ? needed_by_pod(in, rebali_member(decoded, "spec"), namespace_ != NULL ? namespace_ : "", NULL)
                         : NULL;
  json_decref(cleaned);
  json_decref(decoded);
  return list;
}

json_t *rebali_lua_listed_dependencies(struct rebali_interpreting *in, const json_t *object) {
  return needed_by_template(in, object, rebali_lua_at(in, object, in->kind->pod_path));
}

/* A script cannot return an empty list, so it is an error. */
static json_t *not_empty(struct rebali_interpreting *in, json_t *list) {
  if (json_array_size(list) == 0) {
    rebali_interpreting_fail(in, REBAL_EPARSE,
                             "the pod template has no dependencies, and Karmada's script cannot return an empty list");
  }
  return rebali_finished(in, list);
}

json_t *rebali_lua_dependencies(struct rebali_interpreting *in, const json_t *object) {
  return not_empty(in, rebali_lua_listed_dependencies(in, object));
}

json_t *rebali_cron_template_dependencies(struct rebali_interpreting *in, const json_t *object) {
  const json_t *outer = rebali_lua_at(in, object, "spec.template");
  const json_t *broadcast = rebali_lua_get(in, outer, "broadcastJobTemplate");
  const json_t *job = rebali_lua_get(in, outer, "jobTemplate");
  return not_empty(
      in, needed_by_template(in, object, rebali_lua_at(in, broadcast != NULL ? broadcast : job, "spec.template")));
}

json_t *rebali_sidecar_set_dependencies(struct rebali_interpreting *in, const json_t *object) {
  struct found found = found_new(in);
  json_t *cleaned = rebali_lua_result(in, rebali_lua_get(in, object, "spec")), *decoded = NULL, *list;
  const json_t *volumes;
  found.demands_names = 1;
  if (cleaned != NULL) {
    decoded = rebali_decoded(in, REBALI_TYPE_POD_SPEC, cleaned);
  }
  volumes = rebali_member(decoded, "volumes");
  scan_containers(in, &found, rebali_member(decoded, "containers"));
  for (size_t i = 0; i < json_array_size(volumes); i++) {
    scan_plain_volume(in, &found, json_array_get(volumes, i));
  }
  list = listed(in, &found, namespace_of(object));
  found_dispose(&found);
  json_decref(cleaned);
  json_decref(decoded);
  return list;
}
