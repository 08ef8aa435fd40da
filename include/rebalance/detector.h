/* SPDX-License-Identifier: MIT */
/*
 * rebalance/detector.h - what Karmada's control plane does between templates and bindings (librebalance-manifest).
 *
 * Memory comes from malloc, as in manifest.h. Documents are not changed, and may be used by several threads at a time.
 */
#ifndef REBAL_DETECTOR_H
#define REBAL_DETECTOR_H

#include "manifest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Feature gates of Karmada that change the answers of this header. */
enum rebal_detector_gate {
  REBAL_DETECTOR_GATE_POLICY_PREEMPTION = 0,       /**< default: off */
  REBAL_DETECTOR_GATE_PRIORITY_SCHEDULING = 1,     /**< default: on */
  REBAL_DETECTOR_GATE_MULTIPLE_POD_TEMPLATES = 2,  /**< default: off */
  REBAL_DETECTOR_GATE_WORKLOAD_AFFINITY = 3,       /**< default: off */
  REBAL_DETECTOR_GATE_RESOURCE_QUOTA_ESTIMATE = 4, /**< default: off */
  REBAL_DETECTOR_GATE_PROPAGATE_DEPS = 5           /**< default: on */
};

/* ---- interpreter ------------------------------------------------------------------------------------------------- */

/** The operations of Karmada's resource interpreter; the text is the reference's name. */
enum rebal_interpret {
  REBAL_INTERPRET_REPLICAS = 0,    /**< replicas and what one of them needs */
  REBAL_INTERPRET_COMPONENTS = 1,  /**< the same for each of several pod templates */
  REBAL_INTERPRET_REVISE = 2,      /**< the object with another number of replicas */
  REBAL_INTERPRET_RETAIN = 3,      /**< only listed: members that a member cluster's object keeps */
  REBAL_INTERPRET_AGGREGATE = 4,   /**< the object with the status of all clusters */
  REBAL_INTERPRET_STATUS = 5,      /**< what is collected of the status in a cluster */
  REBAL_INTERPRET_HEALTH = 6,      /**< is it healthy? */
  REBAL_INTERPRET_DEPENDENCIES = 7 /**< objects that its pods need */
};

/** Options of rebal_interpret(); all zero: the defaults. Since: 0.1 */
typedef struct rebal_interpret_opts {
  uint32_t struct_size;
  uint32_t flags;              /**< must be 0 */
  uint32_t gates;              /**< bits 1 << REBAL_DETECTOR_GATE_* of gates that are not at their default */
  int32_t revise_to;           /**< REVISE: the number of replicas */
  rebal_time now;              /**< AGGREGATE: the time of conditions that begin; unset: they have none */
  const rebal_document *items; /**< AGGREGATE: list of {clusterName, status}; NULL: a nil list */
  const char *replicas_paths;  /**< KIND=PATH,KIND=PATH: replicas of kinds that Karmada does not know; NULL: none */
  uint64_t replicas_paths_len; /**< bytes, or REBAL_TERMINATED */
} rebal_interpret_opts;

/**
 * Returns the operations that Karmada answers for an object by itself, as bits 1 << REBAL_INTERPRET_*: by native code
 * or by the customizations that it bundles, for exactly this apiVersion and kind. A user's
 * ResourceInterpreterCustomization objects and webhooks are not known here. Since: 0.1
 */
REBAL_API uint32_t rebal_interpret_operations(const rebal_document *object);

/**
 * Answers one operation on an object as Karmada does. *answer is the caller's, NULL when the answer is nothing:
 * REPLICAS {replicas, requirements}, COMPONENTS a list of {name, replicas, replicaRequirements}, REVISE and AGGREGATE
 * the whole object, STATUS what is collected of a status, HEALTH a boolean, DEPENDENCIES a list of references.
 * Defaults that the API server fills in are not applied: absent replicas are 0. opts NULL: the defaults.
 * @returns REBAL_EUNSUPPORTED: the kind does not answer the operation, or how is not known; REBAL_EPARSE, REBAL_ERANGE:
 * the reference fails on this object; REBAL_EINVAL, REBAL_EABI, REBAL_ENOMEM.
 * Since: 0.1
 */
REBAL_API int32_t rebal_interpret(const rebal_document *object, uint32_t operation, const rebal_interpret_opts *opts,
                                  rebal_document **answer, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
