/* SPDX-License-Identifier: MIT */
/* tests/unit/estimator/member_rows.h - workloads, ReplicaSets and pods below a cluster, from terse tables. */
#ifndef MEMBER_ROWS_H
#define MEMBER_ROWS_H

#include "../../support/fleet_builder.h"

/* Names left out are empty, and so are "uid"s: nothing is set. */
struct member_workload {
  const char *kind; /* NULL: Deployment */
  const char *namespace_;
  const char *name;
  const char *uid;
  const char *selector;   /* matchLabels: "app=web"; NULL: none */
  const char *expression; /* key that has to be there; NULL: none */
  const char *pod_template;
};
struct member_set {
  const char *namespace_;
  const char *name;
  const char *uid;
  const char *controller;
  const char *labels;
  const char *pod_template;
  int64_t created; /* seconds; 0: unset */
};
struct member_pod {
  const char *namespace_;
  const char *labels;
  const char *controller;
  int64_t since; /* seconds; 0: it does not wait for a node */
};

/* Each gives the id of its row. */
uint32_t member_add_workload(struct test_world *world, uint32_t cluster, const struct member_workload *workload);
uint32_t member_add_set(struct test_world *world, uint32_t cluster, const struct member_set *set);
uint32_t member_add_pod(struct test_world *world, uint32_t cluster, const struct member_pod *pod);

#endif
