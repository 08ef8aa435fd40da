/* SPDX-License-Identifier: MIT */
/* Kinds as kubectl accepts them: in any case, in the plural, by a short name, with the group after a dot. */
#include "rebalancectl.h"

#include <string.h>

static const struct {
  const char *kind, *plural, *short_name;
} kinds[] = {
    {"ClusterResourceBinding", "clusterresourcebindings", "crb"},
    {"ConfigMap", "configmaps", "cm"},
    {"CronJob", "cronjobs", "cj"},
    {"CustomResourceDefinition", "customresourcedefinitions", "crd"},
    {"DaemonSet", "daemonsets", "ds"},
    {"Deployment", "deployments", "deploy"},
    {"Endpoints", "endpoints", "ep"},
    {"HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa"},
    {"Ingress", "ingresses", "ing"},
    {"LimitRange", "limitranges", "limits"},
    {"Namespace", "namespaces", "ns"},
    {"NetworkPolicy", "networkpolicies", "netpol"},
    {"PersistentVolume", "persistentvolumes", "pv"},
    {"PersistentVolumeClaim", "persistentvolumeclaims", "pvc"},
    {"Pod", "pods", "po"},
    {"PodDisruptionBudget", "poddisruptionbudgets", "pdb"},
    {"PriorityClass", "priorityclasses", "pc"},
    {"ReplicaSet", "replicasets", "rs"},
    {"ReplicationController", "replicationcontrollers", "rc"},
    {"ResourceBinding", "resourcebindings", "rb"},
    {"ResourceQuota", "resourcequotas", "quota"},
    {"Service", "services", "svc"},
    {"ServiceAccount", "serviceaccounts", "sa"},
    {"StatefulSet", "statefulsets", "sts"},
    {"StorageClass", "storageclasses", "sc"},
};

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int is_folded(const char *word, size_t len, const char *text) {
  if (strlen(text) != len) {
    return 0;
  }
  for (size_t i = 0; i < len; i++) {
    if (lower(word[i]) != lower(text[i])) {
      return 0;
    }
  }
  return 1;
}

/* The plural of a kind that is not listed: its name with an s. */
static int is_plural(const char *word, size_t len, const char *kind) {
  return len > 1 && lower(word[len - 1]) == 's' && is_folded(word, len - 1, kind);
}

/* Is the text after the first dot the group, or the version and the group? */
static int is_group(const char *text, size_t len, const char *api_version) {
  const char *slash = strchr(api_version, '/');
  const size_t group = slash != NULL ? (size_t)(slash - api_version) : 0;
  const char *dot = memchr(text, '.', len);
  const size_t version = dot != NULL ? (size_t)(dot - text) : 0;
  if (group == 0) {
    return strlen(api_version) == len && memcmp(text, api_version, len) == 0;
  }
  if (len == group && memcmp(text, api_version, len) == 0) {
    return 1;
  }
  return dot != NULL && len - version - 1 == group && memcmp(dot + 1, api_version, group) == 0 &&
         strlen(slash + 1) == version && memcmp(slash + 1, text, version) == 0;
}

int is_kind_name(const char *word, size_t len, const char *kind, const char *api_version) {
  const char *dot = memchr(word, '.', len);
  if (dot != NULL && !is_group(dot + 1, len - (size_t)(dot + 1 - word), api_version)) {
    return 0;
  }
  len = dot != NULL ? (size_t)(dot - word) : len;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].kind, kind) == 0 &&
        (is_folded(word, len, kinds[i].plural) || is_folded(word, len, kinds[i].short_name))) {
      return 1;
    }
  }
  return is_folded(word, len, kind) || is_plural(word, len, kind);
}
