/* SPDX-License-Identifier: MIT */
/* tools/findings.h - findings that other verbs repeat (findings.c, ties.c). */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "rebalancectl.h"

/* The answer of which verbs findings change. */
enum repeat { REPEAT_OF_SCHEDULE, REPEAT_OF_SPREAD };

/* Lines on standard error. */
enum status findings_tell(const struct options *options, enum repeat repeat, const struct file *file);
/* The same for each file that was read into the store. */
enum status findings_tell_loaded(const struct world *world, enum repeat repeat);
/* Gives bindings that are not frozen another uid of their workloads where they have none. *n: so many more. */
int32_t set_absent_uids(rebal_bindings *bindings, size_t *n, rebal_error *err);
/* What would be decided with such uids; NULL when none is absent, or there are too many bindings. */
enum status ties_decide(struct world *world, const uint32_t *objects, size_t n, struct decision **others);
/* One line on standard error that names the bindings of which the decisions differ. others NULL: none. */
void ties_tell(const struct world *world, const struct decision *decisions, const struct decision *others, size_t n);

#endif
