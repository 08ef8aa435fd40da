/* SPDX-License-Identifier: MIT */
/* tests/unit/scheduler/explained.h - explanations as text. */
#ifndef EXPLAINED_H
#define EXPLAINED_H

#include "phases_fixture.h"

/* Returns options that request a number of rows. */
rebal_schedule_opts explain_opts(uint64_t rows);
/* Returns the set numbers and texts of a table by column number: " 2=0 3=1"; valid until the next call. */
const char *printed_table(const rebal_result *result, uint32_t table);
/* Returns the sentences of all rows of EXPLAIN, each with a newline; valid until the next call. */
const char *explained_sentences(const struct test_world *world);
/* Calls rebal_schedule() for one binding over clusters and returns the sentences. opts NULL: defaults with all rows. */
const char *schedule_explained(const struct test_cluster *clusters, size_t n, const struct test_binding *binding,
                               const rebal_schedule_opts *opts);

#endif
