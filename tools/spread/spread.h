/* SPDX-License-Identifier: MIT */
/* tools/spread.h - what becomes of the pods of a WorkloadSpread, step by step. */
#ifndef SPREAD_H
#define SPREAD_H

#include "rebalancectl.h"

#include <rebalance/simulation.h>
#include <rebalance/spreading.h>

/* Text at a path of an object, which stays whatever becomes of the object: stories speak of pods that are gone. */
static inline const char *story_text(const struct world *world, uint32_t object, const char *path) {
  return store_text(world->store, object, path, world->texts);
}

/* ---- the story: steps, each with its rows -------------------------------------------------------------------------
 *
 * Texts belong to the story; "" where there is none. Numbers are those of the columns they are named after.
 */

/* A pod that was asked to be created or deleted. */
struct admitted {
  const char *name;
  const char *operation;
  const char *outcome;
  const char *subset;
  const char *passed_over; /* sentences, each with a space behind it but the last */
  const char *message;
  const char *patch; /* JSON patch */
  const char *pod;   /* JSON, as it goes on */
  const char *first; /* of a deletion: why it goes before the next one */
};

/* A pod as a pass of the controller sees it. */
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

/* What a call warned of: a row of rebalance-compat(7), and how many replicas. */
struct caution {
  const char *name;
  int64_t replicas;
};

/* What a controller did. */
struct happened {
  const char *controller, *object, *change, *reason;
};

struct step {
  uint32_t object; /* the WorkloadSpread */
  const char *title;
  const char *result; /* of a pass; NULL: it is none */
  const char *reason;
  const char *message;
  rebal_time again; /* when the controller looks again; unset: no timer */
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
  rebal_store *files;           /* the store of the files, while that of the simulation has its place */
  struct step *steps;
  size_t n;
  char **texts;
  size_t n_texts;
  size_t capacity;
  const char **set_owners; /* uids, sorted; NULL: not listed yet */
  size_t n_set_owners;
  int has_refusals; /* of a rollout: a pod was refused */
  int is_missing;   /* a workload, among the files */
  int failed;       /* memory ran out */
};

/* A failed call, with the place in the files of the object that it names. */
enum status complain_of_step(const struct story *story, const rebal_error *err);

/* ---- rows (spread_rows.c) ---- */

/* A copy of a text, which lives as long as the story. */
const char *keep(struct story *story, const char *text);
const char *keep_output(struct story *story, struct output *text);
/* A step behind the others; NULL when memory ran out. Steps before it may have moved. */
struct step *step_begin(struct story *story, uint32_t object, const char *title);
/* The title says what became of pods: "2 pods are created". */
void step_count(struct story *story, struct step *step, uint64_t n, const char *done);
/* Does something not fit: in an admission, or in the last pass of a WorkloadSpread? */
int story_is_short(const struct story *story);
/* Is a pod, a row of the feed, neither finished nor on its way out? */
int is_active_pod(const struct story *story, uint32_t row);
/* Fills the step with the pass that is left in world->result. */
enum status step_read_pass(struct story *story, struct step *step, rebal_spread *spread);
/* What came of a pass, from the step in world->result. */
void step_read_outcome(struct story *story, struct step *step);
/* A row for a pod that was created or deleted; first: why it goes before the next one. */
enum status step_read_admission(struct story *story, struct step *step, const rebal_simulation_admission *pod,
                                const char *first);
void story_close(struct story *story);

/* ---- the workload (spread_workload.c) ---- */

/* A copy of a text at a path of an object, which calls for the store leave where it is. */
const char *text_of(struct story *story, uint32_t object, const char *path);
/* The workload of a WorkloadSpread, which the files must hold, with a uid. */
enum status workload_of(struct story *story, uint32_t object, uint32_t *workload);
/* Do the files hold the workload, and of a Deployment a ReplicaSet? What is missing is told. */
int has_workload(struct story *story, uint32_t object);
int is_kind(const struct story *story, uint32_t object, const char *kind);
/* A member that is JSON already; none when the text is empty. */
void report_json(struct report *report, const char *key, const char *text);
/* Appends what a JSON merge patch makes of a JSON text. */
enum status merge(const char *text, const struct output *patch, struct output *out);
/* Has a simulation pods for workloads of this kind without being told to? */
int is_known_kind(const char *kind);
/* Refuses a workload that has more pods than are made for one. */
enum status check_replicas(struct story *story, uint32_t object);

/* ---- the files as a scenario (spread_scenario.c) ---- */

struct object_name {
  const char *kind, *namespace_, *name;
};
/* Copies, which the story keeps. */
struct object_name name_of(struct story *story, uint32_t object);
uint32_t find_named(const rebal_store *store, const struct object_name *name);
uint32_t story_next_spread(const struct story *story, uint32_t after);
/* Appends the head and the objects of a scenario; a paused one gives its controllers no time. */
enum status scenario_begin(struct story *story, int is_paused, const char *ready_after, struct output *text);
/* Appends a document, and closes the report. */
enum status scenario_add(struct report *report, struct output *text);
enum status scenario_load(const struct story *story, const struct output *text, rebal_simulation **out);
/* Runs the scenario, whose store takes the place of that of the files until story_close(). */
enum status story_enter(struct story *story, const struct output *text);

/* ---- what happens (spread_story.c, spread_change.c, spread_rollout.c) ---- */

/* What is known of the objects of the store from now on. */
enum status story_open_feed(struct story *story);
/* One pass of the controller, which nothing is made of. */
enum status story_look(struct story *story, uint32_t object, const char *title);
/* The same, carried out on the store. */
enum status story_pass(struct story *story, uint32_t object, const char *title);
/* What --create and --scale ask for. */
enum status story_change(struct story *story, uint32_t object);
/* What --rollout asks for. */
enum status story_roll_out(struct story *story, uint32_t object);

/* ---- how it is told (spread_table.c, spread_report.c, spread_page.c) ---- */

void put_spread(struct output *out, const struct world *world, uint32_t object);
enum status spread_table(const struct story *story, struct output *out);
enum status spread_report(const struct story *story, struct output *out);
enum status spread_page(const struct story *story, struct output *out);

#endif
