/* SPDX-License-Identifier: MIT */
/* Logs made by hand: the breaches that the checker must find, and those that it must not. */
#include "histories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEB "ResourceBinding default/web"
#define TASK "{m1 Gracefully TaintUntolerated 1970-01-01T00:00:10Z}"
#define LATER "{m2 Gracefully TaintUntolerated 1970-01-01T00:00:10Z}"
#define BOTH "{m1 Gracefully TaintUntolerated, m2 Gracefully TaintUntolerated}"
#define FAILURE "{m1 Gracefully ApplicationFailure 1970-01-01T00:00:10Z, m3 Gracefully TaintUntolerated}"
#define PURGE "{m1 Directly TaintUntolerated 1970-01-01T00:00:10Z}"

/* Cluster, assigned, ready, running. */
#define SHARE(second, cluster, assigned, ready, running) \
  {FACT_SHARE, second, WEB, cluster, assigned, ready, running, 0, 0, ""}
#define COPY(second, cluster, assigned, ready, running) \
  {FACT_SHARE, second, "ResourceBinding default/copy-1", cluster, assigned, ready, running, 0, 0, ""}
#define COPY_PLACED(second) \
  {FACT_CONDITIONS, second, "ResourceBinding default/copy-1", "{Scheduled=True Success}", 0, 0, 0, 0, 0, ""}
#define COPY_TARGETS(second, targets) \
  {FACT_TARGETS, second, "ResourceBinding default/copy-1", targets, 0, 0, 0, 0, 0, ""}
#define COPY_WANTED(second, replicas) \
  {FACT_WANTED, second, "ResourceBinding default/copy-1", "", replicas, 0, 0, 0, 0, ""}
#define TASKS(second, tasks) {FACT_TASKS, second, WEB, tasks, 0, 0, 0, 0, 0, ""}
#define STATES(second, conditions) {FACT_CONDITIONS, second, WEB, conditions, 0, 0, 0, 0, 0, ""}
#define PLACED(second) STATES(second, "{Scheduled=True Success}")
#define REFUSED(second) STATES(second, "{Scheduled=False Unschedulable, FullyApplied=True X}")
#define LEAVES(second, cluster) {FACT_LEAVING, second, "Cluster " cluster, cluster, 0, 0, 0, 0, 0, ""}
#define TARGETS(second, targets) {FACT_TARGETS, second, WEB, targets, 0, 0, 0, 0, 0, ""}
#define DESCHEDULED(second) {FACT_DESCHEDULED, second, WEB, "", 0, 0, 0, 0, 0, ""}
/* Three replicas in m1 and one in m2, at rest; then a task for m1, whose copies are kept. */
#define START SHARE(0, "", 4, 4, 4), SHARE(0, "m1", 3, 3, 3), SHARE(0, "m2", 1, 1, 1)
#define EVICTED START, TASKS(10, TASK), SHARE(10, "m1", 0, 3, 3)

static const struct planted {
  const char *name;
  struct fact facts[16];
  const char *expected; /* "second kind cluster cause" of each breach */
  const char *strict;   /* where the checker is strict; NULL: the same */
} planted[] = {
    {"a replacement that is ready",
     {EVICTED, SHARE(10, "m2", 4, 1, 4), SHARE(20, "m2", 4, 4, 4), TASKS(20, "none"), SHARE(20, "m1", 0, 0, 0)},
     "",
     NULL},
    {"a replacement that is not ready",
     {EVICTED, SHARE(10, "m2", 4, 1, 4), TASKS(20, "none"), SHARE(20, "m1", 0, 0, 0)},
     "20 0 m1 ;",
     NULL},
    {"copies that go before their task ends",
     {EVICTED, SHARE(10, "m2", 4, 1, 4), SHARE(20, "m1", 0, 0, 0)},
     "20 0 m1 ;",
     NULL},
    {"ready in the round in which the copies go is too late",
     {EVICTED, SHARE(10, "m2", 4, 1, 4), TASKS(20, "none"), SHARE(20, "m1", 0, 0, 0), SHARE(20, "m2", 4, 4, 4)},
     "20 0 m1 ;",
     NULL},
    {"ready as of fewer that were assigned",
     {EVICTED, SHARE(10, "m2", 4, 1, 1), TASKS(20, "none"), SHARE(20, "m1", 0, 0, 0)},
     "20 0 m1 health-is-stale;",
     NULL},
    {"ready, but for one that is assigned no longer",
     {EVICTED, SHARE(10, "m2", 4, 4, 5), TASKS(611, "none"), SHARE(611, "m1", 0, 0, 0)},
     "611 0 m1 times-out;",
     NULL},
    {"ready when the task times out, and more than the scheduler would leave",
     {EVICTED, SHARE(10, "m2", 4, 4, 4), SHARE(20, "", 3, 7, 7), REFUSED(20), TASKS(611, "none"),
      SHARE(611, "m1", 0, 0, 0)},
     "",
     NULL},
    {"a target that is not ready, given up in the round in which the task of another times out",
     {START, TASKS(10, TASK), SHARE(10, "m1", 0, 3, 3), SHARE(10, "m2", 1, 0, 1), SHARE(10, "m3", 4, 4, 4),
      TARGETS(611, "{m3:4}"), TASKS(611, "none"), SHARE(611, "m1", 0, 0, 0), SHARE(611, "m2", 0, 0, 0)},
     "",
     NULL},
    {"not ready when the task times out",
     {EVICTED, SHARE(10, "m2", 4, 1, 4), TASKS(611, "none"), SHARE(611, "m1", 0, 0, 0)},
     "611 0 m1 times-out;",
     NULL},
    {"the time of a failed application's task is its own",
     {START, TARGETS(10, "{m3:1}"), TASKS(10, FAILURE), SHARE(10, "m1", 0, 3, 3), SHARE(10, "m2", 4, 1, 4),
      TASKS(41, "none"), SHARE(41, "m1", 0, 0, 0)},
     "41 0 m1 times-out;41 0 m3 ;",
     NULL},
    {"ready, but fewer than wanted",
     {EVICTED, REFUSED(10), TASKS(20, "none"), SHARE(20, "m1", 0, 0, 0)},
     "10 2  keeps-shrunken;",
     "20 0 m1 ;"},
    {"refused once more",
     {EVICTED, REFUSED(10), REFUSED(15), STATES(16, "{Scheduled=False SchedulerError}")},
     "10 2  keeps-shrunken;16 2  keeps-shrunken;",
     ""},
    {"no cluster fits",
     {START, STATES(10, "{Scheduled=False NoClusterFit}"), SHARE(10, "m1", 0, 0, 0), SHARE(10, "m2", 0, 0, 0)},
     "10 1 m1 no-fit-clears;10 1 m2 no-fit-clears;",
     "10 1 m1 no-fit-clears;10 1 m2 no-fit-clears;10 3  ;"},
    {"nowhere",
     {SHARE(0, "", 3, 3, 3), SHARE(0, "m1", 3, 3, 3), TASKS(10, TASK), SHARE(10, "m1", 0, 3, 3), TASKS(20, "none"),
      SHARE(20, "m1", 0, 0, 0)},
     "20 0 m1 nowhere-is-healthy;",
     "20 0 m1 nowhere-is-healthy;20 3  ;"},
    {"nowhere, as the scheduler reports",
     {SHARE(0, "", 3, 3, 3), SHARE(0, "m1", 3, 3, 3), TASKS(10, TASK), SHARE(10, "m1", 0, 3, 3),
      STATES(10, "{Scheduled=False NoClusterFit}"), TASKS(20, "none"), SHARE(20, "m1", 0, 0, 0)},
     "20 0 m1 nowhere-is-healthy;",
     "20 0 m1 nowhere-is-healthy;20 3  ;"},
    {"cleared long after a task",
     {EVICTED, SHARE(10, "m2", 4, 4, 4), TASKS(20, "none"), SHARE(20, "m1", 0, 0, 0), SHARE(30, "m1", 2, 2, 2),
      SHARE(30, "m2", 2, 2, 2), STATES(40, "{Scheduled=False NoClusterFit}"), SHARE(40, "m1", 0, 0, 0)},
     "40 1 m1 no-fit-clears;",
     NULL},
    {"refused, evicted and placed again at one moment",
     {EVICTED, REFUSED(20), TASKS(20, "none"), SHARE(20, "m1", 3, 3, 3), PLACED(20)},
     "20 2  keeps-shrunken;",
     "20 0 m1 ;"},
    {"refused twice at one moment",
     {EVICTED, REFUSED(20), STATES(20, "{Scheduled=False SchedulerError}")},
     "20 2  keeps-shrunken;20 2  keeps-shrunken;",
     ""},
    {"refused after nothing was wanted",
     {SHARE(0, "", 0, 0, 0), PLACED(0), SHARE(5, "", 4, 0, 0), REFUSED(5)},
     "5 2  keeps-shrunken;",
     ""},
    {"refused before it was ever placed", {SHARE(0, "", 4, 0, 0), REFUSED(0)}, "", NULL},
    {"purged directly",
     {START, TASKS(10, PURGE), SHARE(10, "m1", 0, 0, 0), TASKS(20, "none")},
     "10 0 m1 purges-directly;",
     NULL},
    {"purged directly as soon as it was assigned",
     {START, TARGETS(10, "{m1:3, m2:1, m3:2}"), TASKS(10, "{m3 Directly TaintUntolerated}")},
     "10 0 m3 purges-directly;",
     NULL},
    {"assigned and evicted in one round",
     {START, TARGETS(10, "{m3:4}"), TASKS(10, "{m3 Gracefully TaintUntolerated 1970-01-01T00:00:10Z}"),
      SHARE(10, "m2", 4, 1, 4), SHARE(10, "m1", 0, 0, 0), TASKS(611, "none")},
     "611 0 m3 times-out;",
     NULL},
    {"cleared where nothing came to run",
     {START, SHARE(5, "m3", 2, 0, 0), SHARE(5, "m1", 1, 1, 1), STATES(10, "{Scheduled=False NoClusterFit}"),
      SHARE(10, "m3", 0, 0, 0)},
     "10 1 m3 no-fit-clears;",
     NULL},
    {"purged directly where nothing is assigned or ready any more",
     {START, SHARE(5, "m3", 0, 0, 2), TASKS(10, "{m3 Directly TaintUntolerated}")},
     "",
     NULL},
    {"descheduled where nothing is ready after no cluster fitted",
     {SHARE(0, "", 3, 0, 3), SHARE(0, "m1", 3, 0, 3), STATES(5, "{Scheduled=False NoClusterFit}"), DESCHEDULED(10),
      SHARE(10, "m1", 0, 0, 0)},
     "",
     NULL},
    {"gone where one was ready after no cluster fitted, descheduled or not",
     {SHARE(0, "", 3, 1, 3), SHARE(0, "m1", 3, 1, 3), STATES(5, "{Scheduled=False NoClusterFit}"), DESCHEDULED(10),
      SHARE(10, "m1", 0, 0, 0)},
     "10 1 m1 no-fit-clears;",
     "10 1 m1 no-fit-clears;10 3  ;"},
    {"descheduled, evicted all the same, and never ready",
     {SHARE(0, "", 3, 0, 3), SHARE(0, "m1", 3, 0, 3), REFUSED(5), DESCHEDULED(10), SHARE(10, "m1", 0, 0, 3),
      TASKS(10, TASK), TASKS(20, "none"), SHARE(20, "m1", 0, 0, 0)},
     "",
     NULL},
    {"ready by the time the task ends",
     {START, SHARE(5, "m3", 0, 0, 2), TASKS(10, "{m3 Gracefully TaintUntolerated 1970-01-01T00:00:10Z}"),
      SHARE(20, "m3", 0, 2, 2), SHARE(20, "m2", 1, 0, 1), TASKS(611, "none")},
     "611 0 m3 times-out;",
     NULL},
    {"purged directly where nothing is",
     {START, SHARE(5, "m3", 1, 1, 1), SHARE(5, "m1", 2, 2, 2), SHARE(7, "m3", 0, 0, 0), SHARE(7, "m1", 3, 3, 3),
      TASKS(10, "{m3 Directly TaintUntolerated}"), TASKS(20, "none")},
     "",
     NULL},
    {"wanted no longer",
     {EVICTED, SHARE(20, "", 0, 0, 0), SHARE(20, "m2", 0, 0, 0), TASKS(21, "none"), SHARE(21, "m1", 0, 0, 0)},
     "",
     NULL},
    {"moved without a task", {START, SHARE(10, "m1", 0, 0, 0), SHARE(10, "m2", 4, 1, 4)}, "", NULL},
    {"a task of long ago is none",
     {EVICTED, SHARE(10, "m2", 4, 4, 4), TASKS(20, "none"), SHARE(20, "m1", 0, 0, 0), SHARE(30, "m1", 2, 2, 2),
      SHARE(30, "m2", 2, 2, 2), SHARE(40, "m1", 0, 0, 0), SHARE(40, "m2", 4, 2, 4)},
     "",
     NULL},
    {"lost", {START, PLACED(0), SHARE(10, "m1", 2, 2, 2)}, "10 2  ;", NULL},
    {"lost after the scheduler refused", {START, REFUSED(5), SHARE(10, "m1", 2, 2, 2)}, "", "10 2  ;"},
    {"lost with a task of what was promised at once",
     {START, REFUSED(5), TASKS(10, LATER), SHARE(10, "m1", 0, 0, 0), SHARE(10, "m2", 0, 1, 1)},
     "",
     "10 2  ;"},
    {"lost likewise, from a cluster that is deleted",
     {START, REFUSED(5), LEAVES(6, "m1"), TASKS(10, LATER), SHARE(10, "m1", 0, 0, 0), SHARE(10, "m2", 0, 1, 1)},
     "",
     NULL},
    {"lost where another cluster is deleted",
     {START, REFUSED(5), LEAVES(6, "m1"), SHARE(10, "m1", 0, 0, 0), SHARE(10, "m2", 0, 0, 0)},
     "10 3  ;",
     "10 3  ;10 2  ;"},
    {"lost from a deleted cluster, where the scheduler reports all as placed",
     {START, PLACED(5), LEAVES(6, "m1"), SHARE(10, "m1", 0, 0, 0)},
     "10 2  ;",
     NULL},
    {"lost after a cluster was deleted",
     {START, REFUSED(5), LEAVES(6, "m1"), SHARE(6, "m1", 0, 0, 0), SHARE(6, "m3", 3, 3, 3), SHARE(10, "m3", 2, 2, 2)},
     "",
     "10 2  ;"},
    {"nothing left", {START, SHARE(10, "m1", 0, 0, 0), SHARE(10, "m2", 0, 0, 0)}, "10 3  ;", "10 3  ;10 2  ;"},
    {"nothing left but copies that are kept",
     {START, TASKS(10, BOTH), SHARE(10, "m1", 0, 3, 3), SHARE(10, "m2", 0, 1, 1)},
     "",
     NULL},
    {"what a task keeps, though less came to run",
     {START, REFUSED(5), SHARE(7, "m1", 1, 1, 1), SHARE(7, "m3", 2, 0, 0),
      TASKS(10, "{m3 Gracefully TaintUntolerated}"), SHARE(10, "m3", 0, 0, 0)},
     "",
     NULL},
    {"what a task kept, and its end with it, though less came to run",
     {START, REFUSED(5), SHARE(7, "m1", 1, 1, 1), SHARE(7, "m3", 2, 0, 0),
      TASKS(10, "{m3 Gracefully TaintUntolerated}"), SHARE(10, "m3", 0, 0, 0), TASKS(20, "none")},
     "",
     "20 0 m3 ;"},
    {"nothing left for a round",
     {START, SHARE(10, "m1", 0, 0, 0), SHARE(10, "m2", 0, 0, 0), PLACED(10), SHARE(10, "m3", 4, 0, 4)},
     "10 3  ;",
     NULL},
    {"nothing left after a removal of another round",
     {START, TASKS(10, PURGE), SHARE(10, "m1", 0, 0, 0), PLACED(10), SHARE(10, "m2", 0, 0, 0)},
     "10 0 m1 purges-directly;10 3  ;10 2  ;",
     NULL},
    {"nothing left, as nothing is wanted",
     {START, SHARE(10, "", 0, 0, 0), SHARE(10, "m1", 0, 0, 0), SHARE(10, "m2", 0, 0, 0)},
     "",
     NULL},
    {"nothing left, as the only cluster is deleted",
     {SHARE(0, "", 3, 3, 3), SHARE(0, "m1", 3, 3, 3), LEAVES(6, "m1"), SHARE(10, "m1", 0, 0, 0)},
     "",
     NULL},
    {"not ready, and descheduled",
     {SHARE(0, "", 4, 2, 4), SHARE(0, "m1", 3, 1, 3), SHARE(0, "m2", 1, 1, 1), REFUSED(5), DESCHEDULED(10),
      SHARE(10, "m1", 1, 1, 1)},
     "",
     NULL},
    {"not ready, and descheduled where no cluster fits",
     {SHARE(0, "", 4, 1, 4), SHARE(0, "m1", 3, 0, 3), SHARE(0, "m2", 1, 1, 1),
      STATES(5, "{Scheduled=False NoClusterFit}"), DESCHEDULED(10), SHARE(10, "m1", 0, 0, 0)},
     "",
     NULL},
    {"descheduled, and cleared at the same moment",
     {SHARE(0, "", 4, 1, 4), SHARE(0, "m1", 3, 0, 3), SHARE(0, "m2", 1, 1, 1), DESCHEDULED(10),
      SHARE(10, "m1", 0, 0, 0), STATES(10, "{Scheduled=False NoClusterFit}"), SHARE(10, "m2", 0, 0, 0)},
     "10 1 m2 no-fit-clears;",
     "10 1 m2 no-fit-clears;10 3  ;"},
    {"ready, and yet descheduled",
     {SHARE(0, "", 4, 3, 4), SHARE(0, "m1", 3, 2, 3), SHARE(0, "m2", 1, 1, 1), REFUSED(5), DESCHEDULED(10),
      SHARE(10, "m1", 1, 1, 1)},
     "",
     "10 2  ;"},
    {"nothing left, as nothing was ready when it was descheduled",
     {SHARE(0, "", 3, 0, 3), SHARE(0, "m1", 3, 0, 3), REFUSED(5), DESCHEDULED(10), SHARE(10, "m1", 0, 0, 0)},
     "",
     NULL},
    {"lost for a moment only", {START, SHARE(10, "m1", 2, 2, 2), SHARE(10, "m2", 2, 1, 2)}, "", NULL},
    {"never there", {SHARE(0, "", 4, 0, 0), SHARE(5, "m1", 2, 0, 2)}, "", NULL},
    {"scaled up without capacity", {START, SHARE(10, "", 9, 4, 4), REFUSED(10)}, "10 2  keeps-shrunken;", ""},
    {"not all, though all are reported as placed", {START, PLACED(10), SHARE(10, "", 9, 4, 4)}, "10 2  ;", NULL},
    {"assigned twice", {START, PLACED(10), SHARE(10, "m3", 1, 0, 1)}, "10 2  ;", NULL},
    {"copies everywhere",
     {COPY_TARGETS(0, "{m1:2, m2:2}"), COPY(0, "", 4, 0, 4), COPY(0, "m1", 2, 0, 2), COPY(0, "m2", 2, 0, 2),
      COPY_PLACED(0)},
     "",
     NULL},
    {"copies everywhere, and more of them",
     {COPY_TARGETS(0, "{m1:2, m2:2}"), COPY(0, "", 4, 0, 4), COPY(0, "m1", 2, 0, 2), COPY(0, "m2", 2, 0, 2),
      COPY_PLACED(0), COPY_WANTED(5, 4), COPY_TARGETS(5, "{m1:4}"), COPY(5, "m1", 4, 2, 4), COPY(5, "m2", 0, 2, 2)},
     "",
     NULL},
    {"copies that are too few in one cluster",
     {COPY_TARGETS(0, "{m1:2, m2:1}"), COPY(0, "", 4, 0, 3), COPY(0, "m1", 2, 0, 2), COPY(0, "m2", 1, 0, 1),
      COPY_PLACED(0)},
     "0 2  ;",
     NULL},
    {"copies of which twice as many are assigned as are wanted",
     {COPY_TARGETS(0, "{m1:2, m2:2}"), COPY(0, "", 2, 0, 4), COPY(0, "m1", 2, 0, 2), COPY(0, "m2", 2, 0, 2),
      COPY_PLACED(0)},
     "0 2  ;",
     NULL},
    {"the only copy is lost",
     {COPY(0, "", 2, 0, 2), COPY(0, "m1", 2, 0, 2), COPY_PLACED(0), COPY(5, "m1", 0, 0, 0)},
     "5 3  ;5 2  ;",
     NULL},
    {"a copy that is lost",
     {COPY(0, "", 2, 0, 2), COPY(0, "m1", 2, 0, 2), COPY_PLACED(0), COPY(5, "m1", 1, 0, 1)},
     "5 2  ;",
     NULL},
};

static size_t count_facts(const struct planted *log) {
  size_t n = 0;
  while (n < sizeof log->facts / sizeof log->facts[0] && log->facts[n].binding != NULL) {
    n++;
  }
  return n;
}

static void write_found(const struct breaches *breaches, char *out, size_t capacity) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < breaches->n && used < capacity; i++) {
    const struct breach *breach = &breaches->list[i];
    used += (size_t)snprintf(out + used, capacity - used, "%d %d %.*s %s;", (int)breach->second, (int)breach->kind,
                             (int)strcspn(breach->cluster, " :"), breach->cluster, breach->cause);
  }
}

static const char *check_log(const struct planted *log, int is_strict) {
  static char wrong[512];
  const char *expected = is_strict && log->strict != NULL ? log->strict : log->expected;
  struct fact list[16];
  const struct facts facts = {list, count_facts(log), 0, 0, 600, 30, is_strict};
  struct breaches breaches;
  char found[256];
  memcpy(list, log->facts, sizeof list);
  if (!check_facts(&facts, &breaches)) {
    return "no memory";
  }
  write_found(&breaches, found, sizeof found);
  (void)snprintf(wrong, sizeof wrong, "%s%s: found '%s' instead of '%s'", log->name, is_strict ? ", strictly" : "",
                 found, expected);
  return strcmp(found, expected) != 0 ? wrong : NULL;
}

const char *check_planted(void) {
  const char *wrong = NULL;
  for (size_t i = 0; wrong == NULL && i < 2 * (sizeof planted / sizeof planted[0]); i++) {
    wrong = check_log(&planted[i / 2], i % 2 == 1);
  }
  return wrong;
}
