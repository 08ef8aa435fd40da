/* SPDX-License-Identifier: MIT */
/* tools/detector.h - which objects are propagated: options of Karmada's controllers. */
#ifndef REBALANCECTL_DETECTOR_H
#define REBALANCECTL_DETECTOR_H

struct options;
struct output;
struct world;

/* Values of the options; all zero: the defaults of the reference. */
struct detector_words {
  char *replicas_paths;     /* KIND=PATH,KIND=PATH; NULL: none, here and below */
  char *skipped_apis;       /* joined by semicolons */
  char *skipped_namespaces; /* joined by commas */
  uint32_t given_gates;     /* bits 1 << REBAL_DETECTOR_GATE_* of gates that --feature-gates names */
  uint32_t open_gates;      /* those of them that are on */
};

/* ---- options (detector_options.c) ---- */

/* As struct option.apply. */
const char *apply_feature_gates(struct options *options, const char *value);
const char *apply_replicas_path(struct options *options, const char *value);
const char *apply_skipped_apis(struct options *options, const char *value);
const char *apply_skipped_namespaces(struct options *options, const char *value);
void detector_words_dispose(struct detector_words *words);

/*
 * Creates a detector for a store. Gates that the scheduler has too, and --feature-gates does not name, are those of the
 * compatibility options.
 */
int32_t detector_open(const struct options *options, rebal_store *store, rebal_detector **out, rebal_error *err);

/* ---- what workloads depend on (attached.c) ---- */

/* Makes the bindings of the dependencies of scheduled workloads, and adds those that changed to the list. */
enum status attach_dependencies(const struct world *world, uint32_t **objects, size_t *n);

/* ---- workloads without a binding (unselected.c) ---- */

/* Prints lines to standard error that name the workloads without a binding; none if all have one. */
enum status report_unselected(const struct world *world);
/* The same for workloads whose bindings the detector did not update to their policies. */
enum status report_left(const struct world *world);
/* Appends why one of these workloads has no binding. */
enum status report_unbound(const struct world *world, uint32_t object, struct output *out);
int is_workload_kind(const struct world *world, uint32_t object);

/* ---- what the interpreter cannot determine (uncounted.c) ---- */

/* Prints lines for customizations that are not run, and for workloads whose replicas are unknown. */
enum status report_uninterpreted(const struct world *world);
/* Prints one line that names the workloads whose replicas a policy divides but are unknown. *n: so many of them. */
enum status report_uncounted(const struct world *world, size_t *n);

#endif
