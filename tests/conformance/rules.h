/* SPDX-License-Identifier: MIT */
/*
 * tests/conformance/rules.h - where our answer may differ from the recorded ones, by a rule in rules.txt beside the
 * vectors: one per line, "kind tag member". A case of that kind with that tag passes by rule if its outcome equals the
 * case's own member of that name (a second recorded answer); "*" lets any outcome pass.
 */
#ifndef RULES_H
#define RULES_H

#include <jansson.h>

struct rules;

/* NULL when the file cannot be read or a line is malformed. */
struct rules *rules_load(const char *path);
/* 1 when some rule lets the outcome pass. rules may be NULL. */
int rules_allow(const struct rules *rules, const char *kind, const json_t *test, const json_t *outcome);
void rules_free(struct rules *rules);

#endif
