/* SPDX-License-Identifier: MIT */
#include "spread_feeds.h"

#include "fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 100u
#define NAME "web-%05u"
#define TEXT_MAX 1536
#define SPREAD                                                                                                         \
  "{\"apiVersion\":\"apps.kruise.io/"                                                                                  \
  "v1beta1\",\"kind\":\"WorkloadSpread\",\"metadata\":{\"name\":\"ws\",\"namespace\":"                                 \
  "\"shop\"},\"spec\":{\"targetRef\":{\"apiVersion\":\"apps.kruise.io/"                                                \
  "v1alpha1\",\"kind\":\"CloneSet\",\"name\":\"web\""                                                                  \
  "},\"subsets\":[{\"name\":\"fixed\",\"maxReplicas\":5000,\"patch\":{\"metadata\":{\"labels\":{\"subset\":\"fixed\"}" \
  "}"                                                                                                                  \
  "}},{\"name\":\"elastic\",\"patch\":{\"spec\":{\"containers\":[{\"name\":\"web\",\"resources\":{\"limits\":{"        \
  "\"cpu\":"                                                                                                           \
  "\"1\"}}}]}}}]}}\n"
#define CLONE_SET                                                                                                   \
  "{\"apiVersion\":\"apps.kruise.io/v1alpha1\",\"kind\":\"CloneSet\",\"metadata\":{\"name\":\"web\",\"namespace\":" \
  "\"shop\",\"uid\":\"u-web\"},\"spec\":{\"replicas\":%u}}\n"
#define NODE                                                                                                      \
  "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"node-%u\",\"labels\":{\"kubernetes.io/os\":" \
  "\"linux\"}}}\n"
#define POD                                                                                                            \
  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" NAME                                             \
  "\",\"namespace\":\"shop\",\"uid\":\"u-%u\","                                                                        \
  "\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"labels\":{\"app\":\"web\",\"controller-revision-hash\":\"web-"     \
  "5d7f\""                                                                                                             \
  "},\"ownerReferences\":[{\"apiVersion\":\"apps.kruise.io/v1alpha1\",\"kind\":\"CloneSet\",\"name\":\"web\",\"uid\":" \
  "\"u-web\",\"controller\":true}]},\"spec\":{\"nodeName\":\"node-%u\",\"containers\":[{\"name\":\"web\",\"image\":"   \
  "\"registry.example.com/shop/web:1.42.0\",\"env\":[{\"name\":\"MODE\",\"value\":\"production\"}],\"resources\":{"    \
  "\"requests\":{\"cpu\":\"500m\",\"memory\":\"512Mi\"},\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}}]},\"status\":" \
  "{"                                                                                                                  \
  "\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":"              \
  "\"2026-01-01T00:01:00Z\"}]}}\n"
#define CHANGE "{\"metadata\":{\"labels\":{\"round\":\"%u\"}}}"

static void load_objects(struct bench_feed *feed) {
  char *const text = malloc(((size_t)feed->pods + NODES + 2) * TEXT_MAX);
  size_t len = 0;

  bench_must(text == NULL ? REBAL_ENOMEM : REBAL_OK);
  len += (size_t)snprintf(text, TEXT_MAX, SPREAD CLONE_SET, (unsigned)feed->pods);
  for (unsigned i = 0; i < NODES; i++) {
    len += (size_t)snprintf(text + len, TEXT_MAX, NODE, i);
  }
  for (unsigned i = 0; i < feed->pods; i++) {
    len += (size_t)snprintf(text + len, TEXT_MAX, POD, i, i, i % NODES);
  }
  bench_must(rebal_store_load(feed->store, text, len, NULL));
  free(text);
}

void bench_feed_open(struct bench_feed *feed, uint32_t pods) {
  *feed = (struct bench_feed){.pods = pods};
  bench_must(rebal_store_new(NULL, &feed->store, NULL));
  load_objects(feed);
  bench_must(rebal_fleet_new(NULL, &feed->fleet, NULL));
  bench_must(rebal_fleet_add_cluster(feed->fleet, "member", 6, &feed->cluster, NULL));
  bench_must(rebal_ctx_new(NULL, NULL, &feed->ctx, NULL));
  bench_must(rebal_result_new(NULL, &feed->result, NULL));
  bench_feed_forget(feed);
  bench_feed_update(feed);
}

void bench_feed_close(struct bench_feed *feed) {
  rebal_spread_feed_free(feed->feed);
  rebal_result_free(feed->result);
  rebal_ctx_free(feed->ctx);
  rebal_fleet_free(feed->fleet);
  rebal_store_free(feed->store);
}

void bench_feed_forget(struct bench_feed *feed) {
  rebal_spread_feed_free(feed->feed);
  bench_must(rebal_spread_feed_new(feed->store, feed->fleet, feed->cluster, &feed->feed, NULL));
}

void bench_feed_change(struct bench_feed *feed) {
  static const rebal_time now = {1790003600, 0, 1};
  char name[16], patch[64];

  feed->changes++;
  (void)snprintf(name, sizeof name, NAME, (unsigned)(feed->changes * 7919u % feed->pods));
  (void)snprintf(patch, sizeof patch, CHANGE, (unsigned)feed->changes);
  bench_must(rebal_store_patch(feed->store, rebal_store_find(feed->store, "Pod", 3, "shop", 4, name, strlen(name)),
                               patch, strlen(patch), &now, NULL));
}

void bench_feed_update(struct bench_feed *feed) {
  bench_must(rebal_spread_feed_update(feed->feed, NULL));
}

void bench_feed_step(struct bench_feed *feed) {
  static const rebal_time now = {1790003600, 0, 1};
  const uint32_t spread = rebal_store_find(feed->store, "WorkloadSpread", 14, "shop", 4, "ws", 2);
  const int64_t *subsets;
  size_t n = 0;

  bench_must(rebal_spread_feed_step(feed->ctx, feed->feed, spread, &now, NULL, feed->result, NULL));
  subsets = rebal_result_i64(feed->result, REBAL_GROUPED_SUBSET, &n);
  if (n != feed->pods || subsets[0] != 1) {
    (void)fprintf(stderr, "bench-spread: %zu pods, the first in subset %ld\n", n, n > 0 ? (long)subsets[0] : -1L);
    exit(EXIT_FAILURE);
  }
}
