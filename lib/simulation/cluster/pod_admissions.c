/* SPDX-License-Identifier: MIT */
/* Rows of created and deleted pods: their texts follow each other in one buffer, which begins with an empty text. */
#include "simulation/cluster/own.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void rebali_admission_begin(struct rebali_own *own, uint32_t operation, uint32_t owner, const char *before) {
  struct rebali_admissions *admissions = &own->admissions;
  if (admissions->most == 0) {
    return;
  }
  rebal_result_reset(own->result);
  if (admissions->text.len == 0) {
    rebali_buffer_append(&admissions->text, "", 1);
  }
  admissions->next =
      (struct rebali_admission_row){.time = own->core->server->now, .operation = operation, .owner = owner};
  rebali_admission_set(own, REBALI_ADMISSION_BEFORE, before);
}

void rebali_admission_set(struct rebali_own *own, enum rebali_admission_text which, const char *text) {
  struct rebali_admissions *admissions = &own->admissions;
  if (admissions->most > 0 && text[0] != '\0') {
    admissions->next.at[which] = admissions->text.len;
    rebali_buffer_append(&admissions->text, text, strlen(text) + 1);
  }
}

/* Prints the sentences of all rows of PASSED_OVER. */
static int32_t print_passed_over(const struct rebali_own *own, struct rebali_buffer *out, rebal_error *err) {
  const size_t n = rebal_result_count(own->result, REBAL_TABLE_PASSED_OVER);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    size_t len = 0;
    char *sentence = NULL;
    if (rebal_explain_text(NULL, own->result, REBAL_TABLE_PASSED_OVER, i, NULL, 0, &len, NULL) != REBAL_ENOMEM) {
      sentence = malloc(len + 1);
    }
    code = sentence != NULL
               ? rebal_explain_text(NULL, own->result, REBAL_TABLE_PASSED_OVER, i, sentence, len + 1, &len, err)
               : rebali_fail_memory(err);
    if (code == REBAL_OK) {
      rebali_buffer_format(out, "%s%s", i > 0 ? " " : "", sentence);
    }
    free(sentence);
  }
  return code == REBAL_OK && out->failed ? rebali_fail_memory(err) : code;
}

int32_t rebali_admission_end(struct rebali_own *own, uint32_t pod, const char *namespace_, const char *pod_name,
                             int is_refused, rebal_error *err) {
  struct rebali_admissions *admissions = &own->admissions;
  const int64_t outcome = rebali_cell(own->result, REBAL_ADMITTED_OUTCOME, 0);
  struct rebali_buffer passed_over = REBALI_BUFFER;
  int32_t code;
  if (admissions->most == 0) {
    return REBAL_OK;
  }
  if (admissions->n >= admissions->most) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "%" PRIu64 " admissions are kept, the most (max_admissions)",
                       admissions->most);
  }
  code =
      rebali_reserve_malloc(&admissions->rows, &admissions->capacity, admissions->n + 1, sizeof *admissions->rows, err);
  if (code == REBAL_OK) {
    code = print_passed_over(own, &passed_over, err);
  }
  rebali_admission_set(own, REBALI_ADMISSION_PASSED_OVER, rebali_printed(&passed_over));
  rebali_buffer_dispose(&passed_over);
  rebali_admission_set(own, REBALI_ADMISSION_NAMESPACE, namespace_);
  rebali_admission_set(own, REBALI_ADMISSION_NAME, pod_name);
  rebali_admission_set(own, REBALI_ADMISSION_SUBSET, rebali_admitted_subset(own, namespace_));
  if (code != REBAL_OK || admissions->text.failed) {
    return code != REBAL_OK ? code : rebali_fail_memory(err);
  }
  admissions->next.pod = pod;
  admissions->next.is_refused = is_refused;
  admissions->next.outcome = outcome == REBAL_ABSENT ? REBAL_ADMIT_OUTCOME_LEFT_ALONE : (uint32_t)outcome;
  admissions->rows[admissions->n++] = admissions->next;
  return REBAL_OK;
}

const char *rebali_admission_text(const struct rebali_admissions *admissions, size_t row,
                                  enum rebali_admission_text which) {
  return admissions->text.bytes + admissions->rows[row].at[which];
}

void rebali_admissions_dispose(struct rebali_admissions *admissions) {
  free(admissions->rows);
  rebali_buffer_dispose(&admissions->text);
}
