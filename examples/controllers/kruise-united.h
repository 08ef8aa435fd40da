/* SPDX-License-Identifier: MIT */
/*
 * kruise-united.h - UnitedDeployments beside kruise-spread-controller.
 *
 * Gives the subsets' workloads their replicas, pods the label of the reserve, and subsets their condition Schedulable.
 * Workloads, their templates and revisions, and the rest of the status are another controller's.
 */
#ifndef KRUISE_UNITED_H
#define KRUISE_UNITED_H

#include "client/client.h"

struct united;

/* Follows UnitedDeployments; the feed has their pods. false: it said why. */
bool united_open(struct united **out, struct client *client, rebal_spread_feed *feed);
void united_close(struct united *united);
/* Makes a pass over each that is due, with the feed as it is. */
void united_make(struct united *united);
/* Milliseconds until the next one is due, at most so many. */
int united_wait(const struct united *united, int longest);

#endif
