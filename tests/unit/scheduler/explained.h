/* SPDX-License-Identifier: MIT */
/* tests/unit/scheduler/explained.h - explanations as text. */
#ifndef EXPLAINED_H
#define EXPLAINED_H

#include "phases_fixture.h"

/* Options that ask for so many rows. */
rebal_schedule_opts explain_opts(uint64_t rows);
/* Every number and text of a table that says something: " 2=0 3=1" by column number; lives until the next call. */
const char *printed_table(const rebal_result *result, uint32_t table);
/* The sentences of all rows of EXPLAIN, each with a newline; lives until the next call. */
const char *explained_sentences(const struct test_world *world);
/* rebal_schedule() of one binding over clusters, as sentences. opts NULL: defaults with all rows. */
const char *schedule_explained(const struct test_cluster *clusters, size_t n, const struct test_binding *binding,
                               const rebal_schedule_opts *opts);

#endif
