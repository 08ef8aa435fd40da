/* SPDX-License-Identifier: MIT */
/*
 * lib/detector/detector.h - private header of the module "detector": what Karmada's control plane does between
 * templates and bindings. Trees are jansson's; functions do not change their arguments, and results may share parts
 * with them.
 */
#ifndef REBALI_DETECTOR_H
#define REBALI_DETECTOR_H

#include "manifest/manifest.h"

#include <rebalance/detector.h>

/* ---- interpreter (interpret/) ------------------------------------------------------------------------------------ */

/* The options of rebal_interpret() as trees; all zero: the defaults. */
struct rebali_interpret_options {
  uint32_t gates; /* bits 1 << REBAL_DETECTOR_GATE_*: gates with another value than the default */
  int64_t revise_to;
  rebal_time now;
  const json_t *items;               /* NULL: a nil list */
  struct rebali_text replicas_paths; /* KIND=PATH,KIND=PATH, checked; {NULL, 0}: none */
};

/* Returns the supported operations as bits 1 << REBAL_INTERPRET_*. */
uint32_t rebali_interpret_operations(const json_t *object, const struct rebali_interpret_options *options);

/*
 * Sets *answer to a new reference, or to NULL for no answer. Returns codes like rebal_interpret(); options NULL: the
 * defaults.
 */
int32_t rebali_interpret(const json_t *object, uint32_t operation, const struct rebali_interpret_options *options,
                         json_t **answer, rebal_error *err);

/*
 * Gets the replicas, and the requirements as a new reference or NULL, of an object that supports
 * REBAL_INTERPRET_REPLICAS.
 */
int32_t rebali_interpret_replicas(const json_t *object, const struct rebali_interpret_options *options,
                                  int32_t *replicas, json_t **requirements, rebal_error *err);

/* Gets the replicaRequirements of a pod's spec (rebalance-karmada(7) 15.2); *out is a new map, empty for none. */
int32_t rebali_requirements_of(const json_t *pod_spec, uint32_t gates, json_t **out, rebal_error *err);

#endif
