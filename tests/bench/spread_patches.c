/* SPDX-License-Identifier: MIT */
#include "spread_patches.h"

#include "fleet.h"

#include <string.h>

static const char pod_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-6c9f5-x7k2p\",\"generateName\":\"web-6c9f5-"
    "\","
    "\"namespace\":\"shop\",\"uid\":\"0c4a1be2-6f0e-4a1c-9a53-3f1f8d6b7e21\",\"labels\":{\"app\":\"web\",\"tier\":"
    "\"front\","
    "\"pod-template-hash\":\"6c9f5\"},\"annotations\":{\"prometheus.io/port\":\"9100\",\"prometheus.io/"
    "scrape\":\"true\"},"
    "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"web-6c9f5\",\"uid\":"
    "\"f1a7e7a6-58e2-4d16-8e0e-0a6c5b8b9d10\",\"controller\":true,\"blockOwnerDeletion\":true}]},\"spec\":{"
    "\"containers\":["
    "{\"name\":\"web\",\"image\":\"registry.example.com/shop/"
    "web:1.42.0\",\"ports\":[{\"name\":\"http\",\"containerPort\":8080,"
    "\"protocol\":\"TCP\"}],\"env\":[{\"name\":\"MODE\",\"value\":\"production\"},{\"name\":\"CACHE_URL\",\"value\":"
    "\"redis://"
    "cache:6379\"}],\"resources\":{\"requests\":{\"cpu\":\"500m\",\"memory\":\"512Mi\"},\"limits\":{\"cpu\":\"1\","
    "\"memory\":\"1Gi\"}},\"volumeMounts\":[{\"name\":\"config\",\"mountPath\":\"/etc/"
    "web\",\"readOnly\":true}]},{\"name\":"
    "\"metrics\",\"image\":\"registry.example.com/base/"
    "exporter:0.9\",\"ports\":[{\"containerPort\":9100,\"protocol\":\"TCP\"}],"
    "\"resources\":{\"requests\":{\"cpu\":\"50m\",\"memory\":\"64Mi\"}}}],\"volumes\":[{\"name\":\"config\","
    "\"configMap\":"
    "{\"name\":\"web\"}}],\"tolerations\":[{\"key\":\"node.kubernetes.io/"
    "not-ready\",\"operator\":\"Exists\",\"effect\":"
    "\"NoExecute\",\"tolerationSeconds\":300}],\"nodeSelector\":{\"kubernetes.io/"
    "os\":\"linux\"},\"serviceAccountName\":"
    "\"web\",\"terminationGracePeriodSeconds\":30,\"restartPolicy\":\"Always\",\"dnsPolicy\":\"ClusterFirst\"}}";
static const char patch_text[] =
    "{\"metadata\":{\"labels\":{\"subset\":\"elastic\"},\"annotations\":{\"example.com/billing\":\"spot\"}},\"spec\":"
    "{\"priorityClassName\":\"low\",\"containers\":[{\"name\":\"web\",\"env\":[{\"name\":\"MODE\",\"value\":"
    "\"elastic\"}],"
    "\"resources\":{\"limits\":{\"cpu\":\"2\"}}}],\"tolerations\":[{\"key\":\"example.com/elastic\",\"operator\":"
    "\"Exists\"}]}}";

void bench_patches_open(struct bench_patches *patches) {
  bench_must(rebal_document_read(pod_text, strlen(pod_text), NULL, &patches->pod, NULL));
  bench_must(rebal_document_read(patch_text, strlen(patch_text), NULL, &patches->patch, NULL));
  bench_must(rebal_text_new(&patches->out, NULL));
}

void bench_patches_close(struct bench_patches *patches) {
  rebal_document_free(patches->pod);
  rebal_document_free(patches->patch);
  rebal_text_free(patches->out);
}

void bench_patches_merge(struct bench_patches *patches) {
  for (size_t i = 0; i < BENCH_MERGES; i++) {
    rebal_document *merged;

    bench_must(rebal_document_patch(patches->pod, patches->patch, REBAL_PATCH_STRATEGIC, &merged, NULL));
    rebal_document_free(merged);
  }
}

void bench_patches_merge_bytes(struct bench_patches *patches) {
  for (size_t i = 0; i < BENCH_MERGES; i++) {
    rebal_text_reset(patches->out);
    bench_must(rebal_manifest_patch(pod_text, strlen(pod_text), NULL, patches->patch, REBAL_PATCH_STRATEGIC,
                                    REBAL_TEXT_FORMAT_JSON, patches->out, NULL));
  }
}
