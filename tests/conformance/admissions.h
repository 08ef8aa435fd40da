/* SPDX-License-Identifier: MIT */
/* tests/conformance/admissions.h - one pod of a case admitted by the WorkloadSpreads beside it. */
#ifndef ADMISSIONS_H
#define ADMISSIONS_H

#include "spreads.h"

struct admission {
  struct spreads spreads;
  rebal_text *text; /* the pod after admission */
  rebal_time now;
};

/* Must be disposed of whatever it returns. Returns 1 on failure; run->result has the row of the case's pod. */
int admission_run(struct conformance *run, struct admission *admission, uint32_t operation, const json_t *input);
void admission_dispose(struct admission *admission);
/* A cell of that row. */
int64_t admission_cell(const struct conformance *run, uint32_t column);
/* Carries the action out, if there is one, and adds the status that it writes to the outcome. */
int admission_report_status(struct conformance *run, const struct admission *admission, json_t *outcome);

#endif
