/* SPDX-License-Identifier: MIT */
/* tools/detector.h - which objects are propagated, as the options of Karmada's controllers say it. */
#ifndef REBALANCECTL_DETECTOR_H
#define REBALANCECTL_DETECTOR_H

struct options;
struct output;
struct world;

/* What the options say; all zero: the reference's defaults. */
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
 * A detector beside a store. Gates that the scheduler has too, and --feature-gates does not name, are those of the
 * compatibility options.
 */
int32_t detector_open(const struct options *options, rebal_store *store, rebal_detector **out, rebal_error *err);

/* ---- what workloads depend on (attached.c) ---- */

/* Once the workloads have their clusters: makes the bindings of what they depend on, and adds those that changed. */
enum status attach_dependencies(const struct world *world, uint32_t **objects, size_t *n);

/* ---- workloads without an answer (unselected.c) ---- */

/* Lines on standard error that name the workloads for which there is no binding; none when all have one. */
enum status tell_unselected(const struct world *world);
/* Those whose bindings are not what their policies say, as the detector leaves them. */
enum status tell_left(const struct world *world);
/* Appends one of them and the reason. */
enum status tell_unbound(const struct world *world, uint32_t object, struct output *out);
int is_workload_kind(const struct world *world, uint32_t object);

/* ---- what the interpreter does not know (uncounted.c) ---- */

/* Lines for both: customizations that are not run, and the next. */
enum status tell_uninterpreted(const struct world *world);
/* One line that names the workloads whose replicas a policy divides and nobody knows, *n; of the bindings decided. */
enum status tell_uncounted(const struct world *world, size_t *n);

#endif
