/* SPDX-License-Identifier: MIT */
/* lib/simulation/scenario/simulation.h - one run of one scenario: its state, and what steps do to it. */
#ifndef REBALI_SIMULATION_SIMULATION_H
#define REBALI_SIMULATION_SIMULATION_H

#include "simulation/scenario/scenario.h"

struct rebal_simulation {
  rebal_simulation_opts opts;
  rebal_manifest_limits limits; /* storage for limits in opts */
  rebal_compat *compat;         /* the caller's options changed by the head; NULL: the head has none */
  struct rebali_scenario scenario;
  struct rebali_server server;
  struct rebali_core core;
  struct rebali_members members;
  struct rebali_own own;
  struct rebali_controllers controllers;
  uint64_t held, failed; /* expectations */
  size_t next_step;
  int has_own; /* the scenario's own cluster runs workloads */
  int is_loaded, is_broken;
};

/* Run a step (step_run.c), and its changes of member clusters (member_steps.c). */
int32_t rebali_step_run(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err);
/* Applies one object at a field of the step; or expects a refusal (refusal.c). */
int32_t rebali_step_apply(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                          const rebal_value *object, const char *field, rebal_error *err);
int32_t rebali_step_apply_refused(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                                  const rebal_value *object, const char *field, rebal_error *err);
int32_t rebali_member_changes_run(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                                  rebal_error *err);
/* Makes the plan of the step, which the mover then carries out (plan_step.c). */
int32_t rebali_step_plan(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err);
/* Adds or removes a taint of a node; change is the map of the step's taint or untaint. */
int32_t rebali_node_taint(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                          const rebal_value *change, const struct rebali_taint_text *taint, int is_added,
                          rebal_error *err);
/*
 * Prints a patch of taints: removes those with a key and effect (no effect: any), then adds the new one if is_added is
 * set.
 */
void rebali_print_taints(struct rebali_buffer *out, const rebal_value *taints, const struct rebali_taint_text *taint,
                         int is_added, size_t *removed);
/* Checks what a step expects (expect.c, expect_pods.c). */
int32_t rebali_expect(rebal_simulation *simulation, const struct rebali_scenario_step *step, rebal_error *err);
/* Checks whether the object was refused as the step expects. message: that of the refusal; NULL: it was accepted. */
int32_t rebali_expect_refusal(rebal_simulation *simulation, const struct rebali_scenario_step *step,
                              const struct rebali_name *object, const char *message, rebal_error *err);
/* Checks the expected pods. wanted and found get both as text; object is that of the expectation. */
int32_t rebali_expected_pods_check(rebal_simulation *simulation, uint32_t object, const rebal_value *pods, int *holds,
                                   struct rebali_buffer *wanted, struct rebali_buffer *found, rebal_error *err);
/*
 * Reports the first error of admission in an object or the items of a List (admission.c). is_update: validated before
 * the store has it, for the objects that it replaces; otherwise validated as stored.
 */
int32_t rebali_admit_applied(rebal_simulation *simulation, uint32_t document, const char *field,
                             const rebal_value *object, int is_update, rebal_error *err);
/* Validates all initial objects, which are stored already. */
int32_t rebali_admit_objects(rebal_simulation *simulation, rebal_error *err);
/* Tests whether admission validates the object. */
int rebali_is_admitted(const struct rebali_scenario *scenario, const rebal_value *object);
/* Finds an object by name; a name without namespace is looked up without one, then in "default". */
uint32_t rebali_find_named(const rebal_simulation *simulation, const struct rebali_name *name);
/* Returns the name of an object that is applied. */
struct rebali_name rebali_name_of_object(const rebal_value *object);
/* Returns the name in a map that was read. */
struct rebali_name rebali_name_in(const rebal_value *map);
/* What follows the rows of the log. */
struct rebali_log_end {
  uint64_t held, failed; /* expectations */
  uint64_t overused;     /* clusters */
  const char *overuse;   /* which ones, and by how much */
};
/* Writes the log as a table or for programs (log_write.c). */
int32_t rebali_log_write(const struct rebali_change_rows *log, const struct rebali_log_end *end, uint32_t format,
                         rebal_text *out, rebal_error *err);

#endif
