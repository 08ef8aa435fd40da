/* SPDX-License-Identifier: MIT */
/* tools/spread.h - the pods of a WorkloadSpread, step by step. */
#ifndef SPREAD_H
#define SPREAD_H

#include "rebalancectl.h"

#include <rebalance/simulation.h>
#include <rebalance/spreading.h>

/* Text at a path of an object. It outlives the object, because a story also contains deleted pods. */
static inline const char *story_text(const struct world *world, uint32_t object, const char *path) {
  return store_text(world->store, object, path, world->texts);
}

/* ---- the story: steps, each with its rows -------------------------------------------------------------------------
 *
 * Texts are owned by the story; "" if absent. Numbers are those of the columns they are named after.
 */

/* A requested creation or deletion of a pod. */
struct admitted {
  const char *name;
  const char *operation;
  const char *outcome;
  const char *subset;
  const char *passed_over; /* sentences, separated by spaces */
  const char *message;
  const char *patch; /* JSON patch */
  const char *pod;   /* JSON, after the patch */
  const char *first; /* of a deletion: why it is deleted before the next one */
};

/* A pod in a pass of the controller. */
struct grouped {
  const char *name;
  const char *version;
  const char *subset;
  const char *by;
  const char *why;
  const char *patch; /* JSON merge patch */
  int64_t score;
  int64_t cost;
  int is_stuck;
};

/* A subset, of one version or of all of them. */
struct counted {
  const char *name;
  const char *version; /* NULL: of all */
  int64_t wanted, active, missing, creating, deleting, schedulable, stuck;
};

/* A warning of a call: a row of rebalance-compat(7), and the number of replicas. */
struct caution {
  const char *name;
  int64_t replicas;
};

/* A change by a controller. */
struct happened {
  const char *controller, *object, *change, *reason;
};

struct step {
  uint32_t object; /* the WorkloadSpread */
  const char *title;
  const char *result; /* of a pass; NULL: not a pass */
  const char *reason;
  const char *message;
  rebal_time again; /* next pass of the controller; unset: no timer */
  struct admitted *admitted;
  size_t n_admitted;
  struct grouped *pods;
  size_t n_pods;
  struct counted *subsets;
  size_t n_subsets;
  struct happened *happened;
  size_t n_happened;
  struct caution *cautions;
  size_t n_cautions;
  int is_short; /* a pod is stuck, refused or in no subset, or the pass failed */
};

struct story {
  struct world *world;
  rebal_spread_feed *feed;
  uint32_t cluster; /* of the fleet, which has the nodes */
  rebal_time now;
  rebal_simulation *simulation; /* NULL: none runs */
  rebal_store *files;           /* the store of the files, while that of the simulation replaces it */
  struct step *steps;
  size_t n;
  char **texts;
  size_t n_texts;
  size_t capacity;
  const char **set_owners; /* uids, sorted; NULL: not listed yet */
  size_t n_set_owners;
  int has_refusals; /* of a rollout: a pod was refused */
  int is_missing;   /* a workload, among the files */
  int failed;       /* out of memory */
};

/* Prints the error of a call, with the place in the files of the object that it names. */
enum status complain_of_step(const struct story *story, const rebal_error *err);

/* ---- rows (spread_rows.c) ---- */

/* A copy of a text with the lifetime of the story. */
const char *keep(struct story *story, const char *text);
const char *keep_output(struct story *story, struct output *text);
/* Appends a step; NULL if out of memory. Invalidates pointers to earlier steps. */
struct step *step_begin(struct story *story, uint32_t object, const char *title);
/* Sets the title to what happened to pods: "2 pods are created". */
void step_count(struct story *story, struct step *step, uint64_t n, const char *done);
/* Does something not fit in an admission or in the last pass of a WorkloadSpread? */
int story_is_short(const struct story *story);
/* Is a pod, a row of the feed, neither finished nor being deleted? */
int is_active_pod(const struct story *story, uint32_t row);
/* Fills the step from the pass in world->result. */
enum status step_read_pass(struct story *story, struct step *step, rebal_spread *spread);
/* Sets the outcome of a pass from the step in world->result. */
void step_read_outcome(struct story *story, struct step *step);
/* Adds a row for a created or deleted pod; first: why it is deleted before the next one. */
enum status step_read_admission(struct story *story, struct step *step, const rebal_simulation_admission *pod,
                                const char *first);
void story_close(struct story *story);

/* ---- the workload (spread_workload.c) ---- */

/* A copy of the text at a path of an object, which stays valid after calls for the store. */
const char *text_of(struct story *story, uint32_t object, const char *path);
/* The workload of a WorkloadSpread, which the files must contain, with a uid. */
enum status workload_of(struct story *story, uint32_t object, uint32_t *workload);
/* Do the files contain the workload, and a ReplicaSet of a Deployment? Reports what is missing. */
int has_workload(struct story *story, uint32_t object);
int is_kind(const struct story *story, uint32_t object, const char *kind);
/* A member that is already JSON; none if the text is empty. */
void report_json(struct report *report, const char *key, const char *text);
/* Applies a JSON merge patch to a JSON text and appends the result. */
enum status merge(const char *text, const struct output *patch, struct output *out);
/* Does a simulation create pods for workloads of this kind without "kinds"? */
int is_known_kind(const char *kind);
/* Rejects a workload with more pods than are created for one. */
enum status check_replicas(struct story *story, uint32_t object);

/* ---- the files as a scenario (spread_scenario.c) ---- */

struct object_name {
  const char *kind, *namespace_, *name;
};
/* Copies, owned by the story. */
struct object_name name_of(struct story *story, uint32_t object);
uint32_t find_named(const rebal_store *store, const struct object_name *name);
uint32_t story_next_spread(const struct story *story, uint32_t after);
/* Appends the head and the objects of a scenario; in a paused one controllers run only when a step requests it. */
enum status scenario_begin(struct story *story, int is_paused, const char *ready_after, struct output *text);
/* Appends a document, and closes the report. */
enum status scenario_add(struct report *report, struct output *text);
enum status scenario_load(const struct story *story, const struct output *text, rebal_simulation **out);
/* Runs the scenario, whose store replaces that of the files until story_close(). */
enum status story_enter(struct story *story, const struct output *text);

/* ---- what happens (spread_story.c, spread_change.c, spread_rollout.c) ---- */

/* Feeds the objects of the store for the next calls. */
enum status story_open_feed(struct story *story);
/* Runs one pass of the controller without applying its actions. */
enum status story_look(struct story *story, uint32_t object, const char *title);
/* Runs one pass and applies its actions to the store. */
enum status story_pass(struct story *story, uint32_t object, const char *title);
/* Runs --create and --scale. */
enum status story_change(struct story *story, uint32_t object);
/* Runs --rollout. */
enum status story_roll_out(struct story *story, uint32_t object);

/* ---- output (spread_table.c, spread_report.c, spread_page.c) ---- */

void put_spread(struct output *out, const struct world *world, uint32_t object);
enum status spread_table(const struct story *story, struct output *out);
enum status spread_report(const struct story *story, struct output *out);
enum status spread_page(const struct story *story, struct output *out);

#endif
