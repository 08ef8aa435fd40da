/* SPDX-License-Identifier: MIT */
/* Kinds as kubectl spells them: in any case, in the plural, by a short name, with the group after a dot. */
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

/* Of a kind that is not listed: its name with an s. */
static int is_plural(const char *word, size_t len, const char *kind) {
  return len > 1 && lower(word[len - 1]) == 's' && is_folded(word, len - 1, kind);
}

int is_kind_name(const char *word, size_t len, const char *kind) {
  const char *dot = memchr(word, '.', len);
  len = dot != NULL ? (size_t)(dot - word) : len;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].kind, kind) == 0 &&
        (is_folded(word, len, kinds[i].plural) || is_folded(word, len, kinds[i].short_name))) {
      return 1;
    }
  }
  return is_folded(word, len, kind) || is_plural(word, len, kind);
}
