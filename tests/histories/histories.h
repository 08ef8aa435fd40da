/* SPDX-License-Identifier: MIT */
/*
 * tests/histories/histories.h - random histories of the simulation, and a checker of what it did that knows nothing of
 * how: only installed headers, and only what the run tells.
 */
#ifndef HISTORIES_H
#define HISTORIES_H

#include "../support/dice.h"

#include <rebalance/simulation.h>

/* ---- what a run tells (facts.c) ---- */

enum fact_kind {
  FACT_SHARE,       /* numbers of a cluster; of cluster "": of all, assigned is what is wanted in all */
  FACT_WANTED,      /* assigned: spec.replicas from now on */
  FACT_TASKS,       /* text: the eviction tasks of a binding from now on, as the log writes them */
  FACT_CONDITIONS,  /* text: its conditions, likewise */
  FACT_DELETED,     /* the binding is gone; one of the same name is another */
  FACT_LEAVING,     /* a step begins to delete a cluster */
  FACT_TARGETS,     /* text: the clusters of a binding from now on, likewise */
  FACT_DESCHEDULED, /* the descheduler took replicas of a binding away */
  FACT_WARNING      /* text: it begins with the row of rebalance-compat(7) that owns to a breach */
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
  int is_strict;          /* nothing is to be removed before its replacement is ready */
};

/* Texts are the simulation's. 0: no memory. */
int facts_read(const rebal_simulation *simulation, struct facts *facts);
int facts_add(struct facts *facts, struct fact fact);

/* The tasks of a list such as {m1 Directly TaintUntolerated, m2 ...}, or its clusters, {m1:2}: "" behind the last. */
const char *task_first(const char *tasks);
const char *task_next(const char *task);
/* That of a cluster, whose name ends with a space, a colon or the text; NULL when it has none. */
const char *task_find(const char *tasks, const char *cluster);
int is_named(const char *task, const char *cluster);
int task_is_direct(const char *task);
/* In seconds; far off before its time starts. */
int64_t task_created(const char *task);
int64_t task_timeout(const char *task, const struct facts *facts);

/* ---- the checker (checker.c) ---- */

enum breach_kind {
  BREACH_REMOVAL,      /* evicted copies went before a stated replacement was ready */
  BREACH_CLEARED,      /* copies went because the scheduler found no cluster at all */
  BREACH_CONSERVATION, /* replicas were lost, or are assigned twice */
  BREACH_EMPTY         /* nothing is left of a workload that is wanted */
};

struct breach {
  enum breach_kind kind;
  int64_t second;
  const char *binding;
  const char *cluster; /* of a removal; its name ends as those of tasks do */
  const char *cause;   /* row of rebalance-compat(7) that owns to it; "": none */
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

/* What is wrong with a run, "" when nothing is: runs that fail in one way have one kind. */
struct fault {
  char kind[256], text[512];
};
/* Is each breach owned to by one warning in its moment, and each warning one of a breach? */
void check_warnings(const struct facts *facts, const struct breaches *breaches, struct fault *fault);

/* Logs made by hand, with breaches in them that the checker must find: NULL, or what it did not. */
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
  int is_void; /* it waits only */
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
/* The history as a scenario; a step that cannot be made any more waits only. */
#define SCENARIO_CAPACITY 65536
void write_history(const struct history *history, char *out);
/* The step that a line of it belongs to, REBAL_NONE when it is of none. */
uint32_t find_step(const char *scenario, uint32_t line);
/* Drops steps, workloads and members as long as the kind of the fault stays the same. */
void shrink_history(struct history *history, void (*run)(const struct history *history, struct fault *fault));
/* NULL, or what it does wrong. */
const char *check_shrinking(void);

#endif
