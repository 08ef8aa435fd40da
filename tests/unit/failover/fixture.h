/* SPDX-License-Identifier: MIT */
/* tests/unit/failover/fixture.h - three clusters and one binding, changed by each test, then frozen and evaluated. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "failover/failover.h"

#define NOW 10000 /* seconds since 1970 of every call */

/* A failed call leaves its code here and makes the later ones do nothing. */
struct fixture {
  int32_t code;
  rebal_builder *builder;
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_ctx *ctx;
  rebal_snapshot *snapshot; /* made by fixture_freeze() */
  rebal_result *result;
  rebal_failover_opts opts; /* taint eviction is on */
  uint32_t clusters[3];     /* member1, member2, member3 */
  uint32_t binding;         /* shop/web, resourceVersion 5, generation 1 observed, no applied placement */
};

struct fixture_taint {
  const char *key;
  const char *effect;
  int64_t time_added; /* 0: none */
};

/* seconds REBAL_ABSENT: without end. */
struct fixture_toleration {
  const char *key;
  int64_t seconds;
};

void fixture_start(struct fixture *fixture, const rebal_allocator *allocator);
void fixture_dispose(struct fixture *fixture);

/* Adds another binding like the first; later additions belong to it. */
void fixture_binding(struct fixture *fixture);
/* Taints of member1. */
void fixture_taints(struct fixture *fixture, const struct fixture_taint *taints, size_t n);
/* Conditions of a cluster as "Ready=False Reachable=True". */
void fixture_conditions(struct fixture *fixture, uint32_t cluster, const char *conditions);
/* The taints written to a cluster as "a:NoExecute@-10 b=v:NoSchedule@0 ", times relative to NOW; "-": none. */
const char *fixture_written_taints(const struct fixture *fixture, uint32_t cluster, char *buffer, size_t size);
/* The applied placement: each toleration is {key, Exists}, or tolerates everything when key is "". */
void fixture_applied(struct fixture *fixture, const struct fixture_toleration *tolerations, size_t n);
void fixture_target(struct fixture *fixture, uint32_t cluster, int64_t replicas);
/* Adds a task with a creation time (0: none). Returns its row. */
uint32_t fixture_task(struct fixture *fixture, uint32_t cluster, int64_t created);
/* Returns its row. */
uint32_t fixture_health(struct fixture *fixture, uint32_t cluster, const char *health);
/* Since when a cluster is unhealthy, as kept by an earlier pass. */
void fixture_unhealthy(struct fixture *fixture, uint32_t cluster, int64_t since);
void fixture_set(struct fixture *fixture, uint32_t column, uint32_t row, int64_t value);
void fixture_set_text(struct fixture *fixture, uint32_t column, uint32_t row, const char *value);
/* Handle of labels with the one entry key=value. */
uint32_t fixture_labels(struct fixture *fixture, const char *key, const char *value);

void fixture_freeze(struct fixture *fixture);

/* Row of the n-th action of a kind, or SIZE_MAX. */
size_t fixture_action(const struct fixture *fixture, int64_t kind, size_t n);
int64_t fixture_cell(const struct fixture *fixture, uint32_t column);
/* The patch as text: "member2:3 member3:0 | member1(Gracefully)" - targets, then tasks with purge mode; "": none. */
const char *fixture_patch(const struct fixture *fixture, char *buffer, size_t size);

#endif
