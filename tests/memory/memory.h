/* SPDX-License-Identifier: MIT */
/* What is tried while malloc fails, and the files it reads. */
#ifndef MEMORY_H
#define MEMORY_H

#include <rebalance/manifest.h>
#include <rebalance/rebalance.h>
#include <rebalance/scheduling.h>
#include <rebalance/simulation.h>
#include <rebalance/spreading.h>
#include <rebalance/watch.h>

/* A file of the examples, read before anything fails; terminated. */
const char *example(const char *name);

/* What a task has found out. It takes no memory of its own. */
struct answer {
  size_t len;
  char bytes[1 << 18];
};
void report(struct answer *answer, const char *text);

/* One use of the libraries from the first object to the last: the code of the first call that fails, or REBAL_OK. */
struct task {
  const char *name;
  int32_t (*run)(const struct task *task, struct answer *answer, rebal_error *err);
  const char *file; /* of a simulation: below examples/ */
};

extern const struct task tasks[];
extern const size_t n_tasks;

#endif
