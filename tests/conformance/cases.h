/* SPDX-License-Identifier: MIT */
/* tests/conformance/cases.h - the functions of kinds.def. */
#ifndef CASES_H
#define CASES_H

#include "conformance.h"

json_t *case_affinities(struct conformance *run, const json_t *input);
json_t *case_aggregate_status(struct conformance *run, const json_t *input);
json_t *case_allocator(struct conformance *run, const json_t *input);
json_t *case_change(struct conformance *run, const json_t *input);
json_t *case_condition_taints(struct conformance *run, const json_t *input);
json_t *case_delete(struct conformance *run, const json_t *input);
json_t *case_deletion_order(struct conformance *run, const json_t *input);
json_t *case_deschedule(struct conformance *run, const json_t *input);
json_t *case_dispense(struct conformance *run, const json_t *input);
json_t *case_estimate_general(struct conformance *run, const json_t *input);
json_t *case_estimate_node(struct conformance *run, const json_t *input);
json_t *case_eviction_graceful(struct conformance *run, const json_t *input);
json_t *case_eviction_taint(struct conformance *run, const json_t *input);
json_t *case_failover(struct conformance *run, const json_t *input);
json_t *case_filter(struct conformance *run, const json_t *input);
json_t *case_inject(struct conformance *run, const json_t *input);
json_t *case_interpret(struct conformance *run, const json_t *input);
json_t *case_least_move(struct conformance *run, const json_t *input);
json_t *case_matches(struct conformance *run, const json_t *input);
json_t *case_queue(struct conformance *run, const json_t *input);
json_t *case_quota(struct conformance *run, const json_t *input);
json_t *case_rebalancer(struct conformance *run, const json_t *input);
json_t *case_policy(struct conformance *run, const json_t *input);
json_t *case_policy_event(struct conformance *run, const json_t *input);
json_t *case_reconcile(struct conformance *run, const json_t *input);
json_t *case_requeue(struct conformance *run, const json_t *input);
json_t *case_schedule(struct conformance *run, const json_t *input);
json_t *case_sequence(struct conformance *run, const json_t *input);
json_t *case_smp(struct conformance *run, const json_t *input);
json_t *case_spread(struct conformance *run, const json_t *input);
json_t *case_story(struct conformance *run, const json_t *input);
json_t *case_trigger(struct conformance *run, const json_t *input);
json_t *case_unschedulable(struct conformance *run, const json_t *input);
json_t *case_validate(struct conformance *run, const json_t *input);

/* Only the presence of an error is compared. */
void blur_detector(json_t *outcome, const json_t *test);
void blur_eviction_taint(json_t *outcome, const json_t *test);
/* Only the presence of an error is compared; quantities by value. */
void blur_interpret(json_t *outcome, const json_t *test);
/* Quantities of written statuses are compared by value. */
void blur_quota(json_t *outcome, const json_t *test);
void blur_requeue(json_t *outcome, const json_t *test);
void blur_deletion_order(json_t *outcome, const json_t *test);
void blur_schedule(json_t *outcome, const json_t *test);

/* Cases of WorkloadSpread (kruise.c). Texts of errors are those of Go libraries: only their presence is compared. */
void blur_error(json_t *outcome, const json_t *test);
/* The same, also for steps; members that mean the same as none are left out. */
void blur_kruise(json_t *outcome, const json_t *test);
/* Of errors type, field and detail are compared. */
void blur_validate(json_t *outcome, const json_t *test);

#endif
