/* SPDX-License-Identifier: MIT */
/*
 * tests/histories/histories.h - random histories of the simulation, and a checker of the results that is independent of
 * the implementation: it uses only installed headers, and only the output of the run.
 */
#ifndef HISTORIES_H
#define HISTORIES_H

#include "../support/dice.h"

#include <rebalance/simulation.h>

/* ---- the facts of a run (facts.c) ---- */

enum fact_kind {
  FACT_SHARE,       /* numbers of a cluster; cluster "": of all, assigned is the total desired */
  FACT_WANTED,      /* assigned: spec.replicas from now on */
  FACT_TASKS,       /* text: the eviction tasks of a binding from now on, as the log writes them */
  FACT_CONDITIONS,  /* text: its conditions, likewise */
  FACT_DELETED,     /* the binding is gone; one of the same name is another */
  FACT_LEAVING,     /* a step begins to delete a cluster */
  FACT_TARGETS,     /* text: the clusters of a binding from now on, likewise */
  FACT_DESCHEDULED, /* the descheduler took replicas of a binding away */
  FACT_WARNING      /* text: it begins with the row of rebalance-compat(7) that accounts for a breach */
};

struct fact {
  enum fact_kind kind;
  int64_t second;
  const char *binding; /* a name with "/copy" is of a workload that every cluster has in full */
  const char *text;    /* or the cluster */
  int64_t assigned, ready, running;
  size_t step;         /* of the scenario; a moment ends where one begins */
  size_t round;        /* of the controllers, of shares alone */
  const char *lost_by; /* of a warning: the cluster; its name ends as those of tasks do */
};

struct facts {
  struct fact *list;
  size_t n, capacity;
  size_t steps;           /* that began */
  int64_t timeout, grace; /* of eviction tasks, in seconds: of most, and of those of applications that failed */
  int is_strict;          /* nothing may be removed before its replacement is ready */
};

/* Texts are the simulation's. 0: no memory. */
int facts_read(const rebal_simulation *simulation, struct facts *facts);
int facts_add(struct facts *facts, struct fact fact);

/* The tasks of a list such as {m1 Directly TaintUntolerated, m2 ...}, or its clusters, {m1:2}: "" after the last. */
const char *task_first(const char *tasks);
const char *task_next(const char *task);
/* The task of a cluster, whose name ends with a space, a colon or the text; NULL if it has none. */
const char *task_find(const char *tasks, const char *cluster);
int is_named(const char *task, const char *cluster);
int task_is_direct(const char *task);
/* In seconds; far in the future if the task has no time yet. */
int64_t task_created(const char *task);
int64_t task_timeout(const char *task, const struct facts *facts);

/* ---- the checker (checker.c) ---- */

enum breach_kind {
  BREACH_REMOVAL,      /* evicted copies were removed before a stated replacement was ready */
  BREACH_CLEARED,      /* copies were removed because the scheduler found no cluster at all */
  BREACH_CONSERVATION, /* replicas were lost, or are assigned twice */
  BREACH_EMPTY         /* nothing is left of a desired workload */
};

struct breach {
  enum breach_kind kind;
  int64_t second;
  const char *binding;
  const char *cluster; /* of a removal; its name ends as those of tasks do */
  const char *cause;   /* row of rebalance-compat(7) that accounts for it; "": none */
};

#define BREACHES 4096
struct breaches {
  struct breach list[BREACHES];
  size_t n; /* those beyond the list are left out */
};
/* 0: no memory. */
int check_facts(const struct facts *facts, struct breaches *breaches);
const char *breach_name(enum breach_kind kind);

/* ---- warnings (warnings.c) ---- */

/* The fault of a run, "" if there is none: runs that fail in the same way have the same kind. */
struct fault {
  char kind[256], text[512];
};
/* Does one warning in its moment account for each breach, and is each warning one of a breach? */
void check_warnings(const struct facts *facts, const struct breaches *breaches, struct fault *fault);

/* Logs made by hand, with breaches that the checker must find: NULL, or what it did not find. */
const char *check_planted(void);

/* ---- histories (draw.c, write.c, shrink.c) ---- */

#define MEMBERS 6
#define WORKLOADS 8
#define STEPS 40
#define NODES 3 /* of a member, at most */

enum step_kind {
  FAULT,
  RECOVER,
  CLOSE,
  OPEN,
  RESCALE,
  REBALANCE,
  DELETE,
  CREATE,
  LEAVE,
  CORDON,
  UNCORDON,
  DRAIN,
  NODE_LOST,
  NODE_BACK,
  TAINT_NODE,
  UNTAINT_NODE,
  CAPACITY,
  CLUSTER_LOST,
  CLUSTER_BACK,
  APP_FAILS,
  APP_RECOVERS,
  STEP_KINDS
};

struct history_step {
  int is_left; /* not dropped by shrinking */
  int is_void; /* only its time passes */
  enum step_kind kind;
  uint32_t wait; /* seconds before it */
  uint32_t member, workload, replicas;
  uint32_t node; /* from 1 */
};

enum purging { GRACEFULLY, DIRECTLY, NEVER, PURGINGS };

struct history {
  uint64_t seed;
  int is_strict; /* at the level "repaired", where nothing is removed before its replacement is ready */
  int purges_directly;
  int evicts_lost; /* a cluster that is lost gets a NoExecute taint */
  int has_estimators;
  int has_descheduler, reads_status;
  uint32_t interval, threshold; /* of the descheduler, in seconds */
  uint32_t unhealthy_for;       /* seconds after which an application fails over */
  uint32_t timeout, grace;      /* in seconds: of eviction tasks, and of those of applications that failed */
  struct {
    int is_left;
    uint32_t pods, ready_after;
    uint32_t n_nodes; /* 0: a cluster without nodes; else pods are those of each */
  } members[MEMBERS];
  struct {
    int is_left;
    uint32_t replicas;
    const char *placement;
    int is_copied;         /* every cluster has all */
    int32_t tolerated_for; /* seconds; below 0: not at all */
    int fails_over;        /* as an application */
    enum purging purging;
    const char *priority; /* class; NULL: none */
    int jumps_queue;      /* of the scheduler, by its priority */
  } workloads[WORKLOADS];
  struct history_step steps[STEPS];
};

void draw_history(uint64_t seed, struct history *history);
/* The history as a scenario; of a step that cannot be made any more only its time passes. */
#define SCENARIO_CAPACITY 65536
void write_history(const struct history *history, char *out);
/* The step that a line belongs to, REBAL_NONE if it belongs to none. */
uint32_t find_step(const char *scenario, uint32_t line);
/* Drops steps, workloads and members as long as the kind of the fault stays the same. */
void shrink_history(struct history *history, void (*run)(const struct history *history, struct fault *fault));
/* NULL, or its fault. */
const char *check_shrinking(void);

#endif
