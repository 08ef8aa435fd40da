/* SPDX-License-Identifier: MIT */
/*
 * lib/detector/detector.h - private header of the room "detector": what Karmada's control plane does between templates
 * and bindings. Trees are jansson's; none that is given is changed, and answers may share parts with them.
 */
#ifndef REBALI_DETECTOR_H
#define REBALI_DETECTOR_H

#include "manifest/manifest.h"

#include <rebalance/detector.h>

/* ---- interpreter (interpret/) ------------------------------------------------------------------------------------ */

/* The options of rebal_interpret() as trees; all zero: the defaults. */
struct rebali_interpret_options {
  uint32_t gates; /* bits 1 << REBAL_DETECTOR_GATE_*: not at their default */
  int64_t revise_to;
  rebal_time now;
  const json_t *items;               /* NULL: a nil list */
  struct rebali_text replicas_paths; /* KIND=PATH,KIND=PATH, checked; {NULL, 0}: none */
};

/* Bits 1 << REBAL_INTERPRET_*. */
uint32_t rebali_interpret_operations(const json_t *object, const struct rebali_interpret_options *options);

/* *answer is a new reference, or NULL for no answer. Results as rebal_interpret(); options NULL: the defaults. */
int32_t rebali_interpret(const json_t *object, uint32_t operation, const struct rebali_interpret_options *options,
                         json_t **answer, rebal_error *err);

/* Replicas, and requirements as a new reference or NULL, of an object that answers REBAL_INTERPRET_REPLICAS. */
int32_t rebali_interpret_replicas(const json_t *object, const struct rebali_interpret_options *options,
                                  int32_t *replicas, json_t **requirements, rebal_error *err);

/* The replicaRequirements of a pod's spec (rebalance-karmada(7) 15.2); *out is a new map, empty for none. */
int32_t rebali_requirements_of(const json_t *pod_spec, uint32_t gates, json_t **out, rebal_error *err);

#endif
