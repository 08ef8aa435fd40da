/* SPDX-License-Identifier: MIT */
/*
 * Bytes as pieces, each up to the next byte 0x1e: the first byte selects the action, the second the object of a store,
 * and the rest is the text. With its initial objects the store can schedule a Deployment to two clusters.
 */
#ifndef PIECES_H
#define PIECES_H

#include "law.h"

#include <rebalance/manifest.h>

#include <string.h>

#define END 0x1e
#define PIECES 24 /* of one input */

static const rebal_time now = {1773478800, 0, 1};

static const char start[] =
    "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m1}, status: {apiEnablements: "
    "[{groupVersion: apps/v1, resources: [{kind: Deployment, name: deployments}]}], resourceSummary: {allocatable: "
    "{cpu: '2', memory: 4Gi, pods: '110'}, allocated: {cpu: 100m, pods: '10'}}}}\n---\n"
    "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m2}, status: {apiEnablements: "
    "[{groupVersion: apps/v1, resources: [{kind: Deployment, name: deployments}]}], resourceSummary: {allocatable: "
    "{cpu: '2', memory: 4Gi, pods: '110'}, allocated: {cpu: 130m, pods: '13'}}}}\n---\n"
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: foo, namespace: default, uid: u1}, spec: {replicas: 3, "
    "selector: {matchLabels: {app: foo}}, template: {metadata: {labels: {app: foo}}, spec: {containers: [{name: foo, "
    "image: nginx, resources: {limits: {cpu: 10m}}}]}}}}\n---\n"
    "{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: pp, namespace: default}, spec: "
    "{placement: {replicaScheduling: {replicaDivisionPreference: Weighted, replicaSchedulingType: Divided, "
    "weightPreference: {dynamicWeight: AvailableReplicas}}}, resourceSelectors: [{apiVersion: apps/v1, kind: "
    "Deployment, name: foo, namespace: default}]}}\n";

static inline int32_t reported(int32_t code, const rebal_error *err) {
  law(code == REBAL_OK || (err->code == code && err->message[0] != '\0'));
  return code;
}

/* The object with this number in the order of the store, or REBAL_NONE. */
static inline uint32_t pick(const rebal_store *store, uint8_t number) {
  uint32_t object = rebal_store_next(store, NULL, 0, REBAL_NONE);

  for (uint32_t i = number % 8u; i > 0 && object != REBAL_NONE; i--) {
    object = rebal_store_next(store, NULL, 0, object);
  }
  return object;
}

struct piece {
  uint8_t what;
  uint32_t object; /* REBAL_NONE: there is none */
  const char *text;
  size_t len;
};

/* The next piece, of an input that is not empty. */
static inline struct piece next_piece(const rebal_store *store, const uint8_t **data, size_t *size) {
  const uint8_t *end = memchr(*data, END, *size);
  const size_t len = end == NULL ? *size : (size_t)(end - *data);
  const struct piece piece = {.what = len > 0 ? (*data)[0] : 0,
                              .object = pick(store, len > 1 ? (*data)[1] : 0),
                              .text = len > 2 ? (const char *)*data + 2 : "",
                              .len = len > 2 ? len - 2 : 0};

  *data += len + (end != NULL);
  *size -= len + (end != NULL);
  return piece;
}

/* A piece whose number is below 4 changes the store, as a caller or an API server would. */
static inline void change_store(rebal_store *store, const struct piece *piece, uint32_t number) {
  rebal_error err = REBAL_ERROR_INIT;

  if (number == 0) {
    (void)reported(rebal_store_put(store, piece->text, piece->len, &err), &err);
  } else if (number == 1) {
    (void)reported(rebal_store_apply(store, piece->text, piece->len, &now, &err), &err);
  } else if (number == 2 && piece->object != REBAL_NONE) {
    (void)reported(rebal_store_patch(store, piece->object, piece->text, piece->len, &now, &err), &err);
  } else if (number == 3 && piece->object != REBAL_NONE) {
    law(rebal_store_remove(store, piece->object, &err) == REBAL_OK);
  }
}

#endif
