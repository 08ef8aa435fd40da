/* SPDX-License-Identifier: MIT */
/* tests/conformance/admissions.h - one pod of a case admitted by the WorkloadSpreads beside it. */
#ifndef ADMISSIONS_H
#define ADMISSIONS_H

#include "spreads.h"

struct admission {
  struct spreads spreads;
  rebal_text *text; /* the pod as it goes on */
  rebal_time now;
};

/* To be disposed of whatever it returns: 1 for a failure; run->result has the row of the case's pod. */
int admission_run(struct conformance *run, struct admission *admission, uint32_t operation, const json_t *input);
void admission_dispose(struct admission *admission);
/* A cell of that row. */
int64_t admission_cell(const struct conformance *run, uint32_t column);
/* Carries the action out and adds the status that it writes, when there is one, to the outcome. */
int admission_report_status(struct conformance *run, const struct admission *admission, json_t *outcome);

#endif
