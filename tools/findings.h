/* SPDX-License-Identifier: MIT */
/* tools/findings.h - findings that other verbs repeat (findings.c, ties.c). */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "rebalancectl.h"

/* The verbs whose results a finding changes. */
enum repeat { REPEAT_OF_SCHEDULE, REPEAT_OF_SPREAD };

/* Prints lines to standard error. */
enum status findings_report(const struct options *options, enum repeat repeat, const struct file *file);
/* The same for each file that was read into the store. */
enum status findings_report_loaded(const struct world *world, enum repeat repeat);
/* Sets another uid of the workload in unfrozen bindings that have none. Adds their number to *n. */
int32_t set_absent_uids(rebal_bindings *bindings, size_t *n, rebal_error *err);
/* The decisions with such uids; NULL if no uid is absent or there are too many bindings. */
enum status ties_decide(struct world *world, const uint32_t *objects, size_t n, struct decision **others);
/* Prints one line to standard error that names the bindings whose decisions differ. others NULL: does nothing. */
void ties_report(const struct world *world, const struct decision *decisions, const struct decision *others, size_t n);

#endif
