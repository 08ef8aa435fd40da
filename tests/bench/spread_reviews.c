/* SPDX-License-Identifier: MIT */
#include "spread_reviews.h"

#include "fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 8192
#define OWNER "\"apiVersion\":\"apps.kruise.io/v1alpha1\",\"kind\":\"CloneSet\",\"name\":\"web\""
#define CLONE_SET                                                                                                   \
  "{\"apiVersion\":\"apps.kruise.io/v1alpha1\",\"kind\":\"CloneSet\",\"metadata\":{\"name\":\"web\",\"namespace\":" \
  "\"%s\",\"uid\":\"u-web\"},\"spec\":{\"replicas\":200}}\n"
#define SUBSET                                                                                                    \
  "{\"name\":\"%s\",\"requiredNodeSelectorTerm\":{\"matchExpressions\":[{\"key\":\"topology.kubernetes.io/zone\"" \
  ",\"operator\":\"In\",\"values\":[\"zone-a\",\"zone-b\"]}]},\"tolerations\":[{\"key\":\"example.com/elastic\"," \
  "\"operator\":\"Exists\"}],\"maxReplicas\":100%s}"
#define SPREAD                                                                                            \
  "{\"apiVersion\":\"apps.kruise.io/v1beta1\",\"kind\":\"WorkloadSpread\",\"metadata\":{\"name\":\"ws\"," \
  "\"namespace\":\"%s\"},\"spec\":{\"targetRef\":{" OWNER "},\"subsets\":[" SUBSET "," SUBSET "]}}\n"
#define PATCH                                                                                                        \
  ",\"patch\":{\"metadata\":{\"labels\":{\"subset\":\"fixed\"},\"annotations\":{\"example.com/billing\":\"spot\"}}," \
  "\"spec\":{\"containers\":[{\"name\":\"web\",\"env\":[{\"name\":\"MODE\",\"value\":\"elastic\"}],\"resources\":{"  \
  "\"limits\":{\"cpu\":\"2\"}}}]}}"
#define REVIEW                                                                                                        \
  "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"6f9cfa2d-5b4e-4c0d-"   \
  "8c53-df4b1e0d7a10\",\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},\"resource\":{\"group\":\"\","   \
  "\"version\":\"v1\",\"resource\":\"pods\"},\"requestKind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},"   \
  "\"requestResource\":{\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"},\"namespace\":\"%s\",\"operation\":" \
  "\"CREATE\",\"userInfo\":{\"username\":\"system:serviceaccount:kruise-system:kruise-manager\",\"uid\":\"a1\","      \
  "\"groups\":[\"system:serviceaccounts\",\"system:authenticated\"]},\"object\":%s,\"oldObject\":null,\"dryRun\":"    \
  "false,\"options\":{\"kind\":\"CreateOptions\",\"apiVersion\":\"meta.k8s.io/v1\"}}}"
#define POD                                                                                                           \
  "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"generateName\":\"web-\",\"namespace\":\"%s\",\"labels\":{" \
  "\"app\":\"web\",\"tier\":\"front\",\"controller-revision-hash\":\"web-5d7f\"},\"annotations\":{\"prometheus.io/"   \
  "port\":\"9100\",\"prometheus.io/scrape\":\"true\"},\"ownerReferences\":[{" OWNER                                   \
  ",\"uid\":\"u-web\","                                                                                               \
  "\"controller\":true,\"blockOwnerDeletion\":true}]},\"spec\":{\"volumes\":[{\"name\":\"config\",\"configMap\":{"    \
  "\"name\":\"web\",\"defaultMode\":420}},{\"name\":\"kube-api-access\",\"projected\":{\"sources\":[{"                \
  "\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}}],\"defaultMode\":420}}],\"containers\":[" \
  "{\"name\":\"web\",\"image\":\"registry.example.com/shop/web:1.42.0\",\"ports\":[{\"name\":\"http\","               \
  "\"containerPort\":8080,\"protocol\":\"TCP\"}],\"env\":[{\"name\":\"MODE\",\"value\":\"production\"},{\"name\":"    \
  "\"CACHE_URL\",\"value\":\"redis://cache:6379\"}],\"resources\":{\"requests\":{\"cpu\":\"500m\",\"memory\":"        \
  "\"512Mi\"},\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}},\"volumeMounts\":[{\"name\":\"config\",\"mountPath\":"   \
  "\"/etc/web\",\"readOnly\":true},{\"name\":\"kube-api-access\",\"readOnly\":true,\"mountPath\":\"/var/run/"         \
  "secrets/kubernetes.io/serviceaccount\"}],\"terminationMessagePath\":\"/dev/termination-log\","                     \
  "\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":\"IfNotPresent\"}],\"restartPolicy\":\"Always\","        \
  "\"terminationGracePeriodSeconds\":30,\"dnsPolicy\":\"ClusterFirst\",\"serviceAccountName\":\"web\","               \
  "\"securityContext\":{},\"schedulerName\":\"default-scheduler\",\"tolerations\":[{\"key\":\"node.kubernetes.io/"    \
  "not-ready\",\"operator\":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0,"          \
  "\"enableServiceLinks\":true,\"preemptionPolicy\":\"PreemptLowerPriority\"},\"status\":{}}"

#define NAMESPACE "shop"

static char *make_review(void) {
  char *text = malloc(TEXT_MAX), pod[TEXT_MAX / 2];

  bench_must(text != NULL ? REBAL_OK : REBAL_ENOMEM);
  (void)snprintf(pod, sizeof pod, POD, NAMESPACE);
  (void)snprintf(text, TEXT_MAX, REVIEW, NAMESPACE, pod);
  return text;
}

void bench_reviews_open(struct bench_reviews *reviews, int is_patched) {
  char text[TEXT_MAX];
  uint32_t cluster;

  *reviews = (struct bench_reviews){.text = make_review()};
  (void)snprintf(text, sizeof text, CLONE_SET SPREAD, NAMESPACE, NAMESPACE, "fixed", is_patched ? PATCH : "", "elastic",
                 "");
  bench_must(rebal_store_new(NULL, &reviews->store, NULL));
  bench_must(rebal_store_load(reviews->store, text, strlen(text), NULL));
  bench_must(rebal_fleet_new(NULL, &reviews->fleet, NULL));
  bench_must(rebal_fleet_add_cluster(reviews->fleet, "member", 6, &cluster, NULL));
  bench_must(rebal_ctx_new(NULL, NULL, &reviews->ctx, NULL));
  bench_must(rebal_result_new(NULL, &reviews->result, NULL));
  bench_must(rebal_text_new(&reviews->out, NULL));
  bench_must(rebal_spread_feed_new(reviews->store, reviews->fleet, cluster, &reviews->feed, NULL));
  bench_must(rebal_spread_feed_update(reviews->feed, NULL));
}

void bench_reviews_close(struct bench_reviews *reviews) {
  free(reviews->text);
  rebal_spread_feed_free(reviews->feed);
  rebal_text_free(reviews->out);
  rebal_result_free(reviews->result);
  rebal_ctx_free(reviews->ctx);
  rebal_fleet_free(reviews->fleet);
  rebal_store_free(reviews->store);
}

void bench_reviews_forget(struct bench_reviews *reviews) {
  rebal_spread *const *spreads = rebal_spread_feed_namespace(reviews->feed, NAMESPACE, sizeof NAMESPACE - 1, NULL);

  bench_must(rebal_spread_load_status(spreads[0], NULL, NULL));
}

void bench_reviews_answer(struct bench_reviews *reviews) {
  static const rebal_time now = {1790003600, 0, 1};
  const rebal_pod_request request = {
      .struct_size = (uint32_t)sizeof request, .text = reviews->text, .text_len = REBAL_TERMINATED};
  size_t len;

  rebal_text_reset(reviews->out);
  bench_must(
      rebal_spread_feed_review(reviews->ctx, reviews->feed, &request, &now, NULL, reviews->result, reviews->out, NULL));
  if (strstr(rebal_text_bytes(reviews->out, &len), "JSONPatch") == NULL) {
    (void)fprintf(stderr, "bench-spread: no patch in %s\n", rebal_text_bytes(reviews->out, &len));
    exit(EXIT_FAILURE);
  }
}
