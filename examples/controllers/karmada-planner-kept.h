/* SPDX-License-Identifier: MIT */
/*
 * karmada-planner-kept.h - the ConfigMap that keeps a plan while it is carried out, so that another copy, or this one
 * after its end, goes on with it.
 */
#ifndef KARMADA_PLANNER_KEPT_H
#define KARMADA_PLANNER_KEPT_H

#include "client/client.h"

#include <rebalance/rebalance.h>

/* What an operator requests by the annotation librebalance/plan-control of the ConfigMap. */
enum control { CONTROL_GO_ON, CONTROL_STOP, CONTROL_BACK };

/* The ConfigMap. All zero but for the name: nothing is known of it. */
struct kept {
  const char *name; /* NAMESPACE/NAME */
  char uid[64];     /* "": there is none */
  char version[64]; /* its resourceVersion */
  enum control control;
  char request[1000]; /* of which the plan was made, as flags */
  char result[1000];  /* "": the plan is not over */
  rebal_plan *plan;   /* NULL: it is over, or the data are not a plan */
};

/* Reads it. Returns false if the API server did not answer; then nothing has changed. */
bool kept_read(struct kept *kept, struct client *client, rebal_fleet *fleet);
/*
 * Writes it with a plan, or (NULL) with what came of its plan, and without annotations, unless someone else wrote it
 * meanwhile. REBAL_ELIMIT: the plan is too large; REBAL_EAGAIN: it has logged why.
 */
int32_t kept_write(const struct kept *kept, struct client *client, const char *request, const rebal_plan *plan,
                   const char *result, rebal_error *err);
void kept_forget(struct kept *kept);

#endif
