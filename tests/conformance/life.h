/* SPDX-License-Identifier: MIT */
/* tests/conformance/life.h - the life of a workload in steps (life.c). */
#ifndef LIFE_H
#define LIFE_H

#include "conformance.h"

/* The outcome of a case: a report for each step; of a reconcile with the lists of each version, or without them. */
json_t *life_of(struct conformance *run, const json_t *input, int with_versions);

#endif
