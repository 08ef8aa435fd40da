/* SPDX-License-Identifier: MIT */
/* tests/unit/manifest/validating.h - what validation finds in a text, a line for each finding. */
#ifndef VALIDATING_H
#define VALIDATING_H

#include "manifest/validate/checks.h"
#include "reading.h"

/* print: appends the line of a finding, and may assert more about it. */
static inline void assert_found(const char *text, const char *found,
                                void (*print)(const rebal_finding_row *row, struct rebali_buffer *output)) {
  struct rebali_buffer output = REBALI_BUFFER;
  rebal_findings *findings = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_manifest_validate(text, strlen(text), NULL, &findings, &err) == REBAL_OK, "%s", err.message);
  rebali_buffer_text(&output, "");
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    rebal_finding_row row = {.struct_size = sizeof row};
    ck_assert_int_eq(rebal_findings_read(findings, i, &row, NULL), REBAL_OK);
    print(&row, &output);
  }
  ck_assert_msg(strcmp(output.bytes, found) == 0, "%s\nfinds\n%sinstead of\n%s", text, output.bytes, found);
  rebali_buffer_dispose(&output);
  rebal_findings_free(findings);
}

#endif
