/* SPDX-License-Identifier: MIT */
/* Prints the findings of validate that change the result of another verb to standard error. */
#include "findings.h"

#include <string.h>

#define MAX_FINDINGS 5 /* of a file; validate lists all */

struct repeated {
  uint32_t code;
  uint32_t option;    /* that makes the finding void; 0: none */
  const char *within; /* a part of the path; NULL: any path */
};

static const struct repeated of_schedule[] = {{REBAL_FINDING_UNKNOWN_MEMBER, REBAL_OPTION_SPREAD_MIN_REPLICAS, NULL},
                                              {REBAL_FINDING_UNKNOWN_VERSION, 0, NULL},
                                              {REBAL_FINDING_UNKNOWN_KIND, 0, NULL},
                                              {REBAL_FINDING_UNKNOWN_VALUE, 0, NULL},
                                              {REBAL_FINDING_FIELD_SELECTOR, 0, NULL},
                                              {REBAL_FINDING_MATCHES_NOTHING, 0, NULL},
                                              {REBAL_FINDING_TOLERATES_NOTHING, 0, NULL},
                                              {REBAL_FINDING_LABELS_UNREAD, 0, NULL},
                                              {REBAL_FINDING_NOT_PROPAGATED, 0, NULL},
                                              {REBAL_FINDING_MISSING_MEMBER, 0, "spec.resourceSelectors["}};

static const struct repeated of_spread[] = {
    {REBAL_FINDING_UNKNOWN_MEMBER, REBAL_OPTION_SPREAD_MIN_REPLICAS, NULL},
    {REBAL_FINDING_UNKNOWN_VERSION, 0, NULL},
    {REBAL_FINDING_UNKNOWN_KIND, 0, NULL},
    {REBAL_FINDING_FILTER_WITHOUT_SELECTOR, 0, NULL},
    {REBAL_FINDING_PERCENT_SIGN, 0, NULL},
    {REBAL_FINDING_EMPTY_PATH, 0, NULL},
    {REBAL_FINDING_PATCH_UNMERGEABLE, 0, NULL},
    {REBAL_FINDING_PATCH_REFUSED, 0, NULL},
    {REBAL_FINDING_PATCH_DROPPED, 0, NULL},
    {REBAL_FINDING_SHRINKS_FROM_FRONT, REBAL_OPTION_SPREAD_REPLICA_SET_ORDER, NULL},
    {REBAL_FINDING_NODES_UNREAD, REBAL_OPTION_SPREAD_SIMULATION, NULL}};

static int is_on(const struct options *options, uint32_t option) {
  int64_t value = 0;
  return option != 0 && rebal_compat_get(options->compat, option, &value, NULL) == REBAL_OK && value != 0;
}

static int is_repeated(const struct options *options, enum repeat repeat, const rebal_finding_row *finding) {
  const struct repeated *list = repeat == REPEAT_OF_SCHEDULE ? of_schedule : of_spread;
  const size_t n = repeat == REPEAT_OF_SCHEDULE ? sizeof of_schedule / sizeof of_schedule[0]
                                                : sizeof of_spread / sizeof of_spread[0];
  for (size_t i = 0; i < n; i++) {
    if (list[i].code == finding->code && (list[i].within == NULL || strstr(finding->path, list[i].within) != NULL)) {
      return !is_on(options, list[i].option);
    }
  }
  return 0;
}

static void report(const struct file *file, const rebal_finding_row *finding) {
  complain("%s:%u:%u: %s: %s%s%s [%s]", file->name, (unsigned)finding->line, (unsigned)finding->column,
           enum_text(REBAL_ENUM_SEVERITY, finding->severity), finding->path, finding->path[0] != '\0' ? ": " : "",
           finding->message, enum_text(REBAL_ENUM_FINDING, finding->code));
}

enum status findings_report(const struct options *options, enum repeat repeat, const struct file *file) {
  const rebal_manifest_limits limits = input_limits(options->max_input);
  rebal_error err = REBAL_ERROR_INIT;
  rebal_findings *findings = NULL;
  size_t n = 0;
  progress("checking %s", file->name);
  if (rebal_manifest_validate(file->bytes, file->len, &limits, &findings, &err) != REBAL_OK) {
    return err.code == REBAL_ENOMEM ? complain_of_memory()
                                    : STATUS_DONE; /* reading the file reports it with its place */
  }
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    rebal_finding_row finding = {.struct_size = sizeof finding};
    (void)rebal_findings_read(findings, i, &finding, NULL);
    if (is_repeated(options, repeat, &finding) && n++ < MAX_FINDINGS) {
      report(file, &finding);
    }
  }
  if (n > MAX_FINDINGS) {
    complain("%s: %zu more; rebalancectl validate lists them", file->name, n - MAX_FINDINGS);
  }
  rebal_findings_free(findings);
  return STATUS_DONE;
}

enum status findings_report_loaded(const struct world *world, enum repeat repeat) {
  const struct options *options = world->options;
  enum status status = STATUS_DONE;
  for (size_t i = 0; status == STATUS_DONE && i < world->loaded.n; i++) {
    struct file *file = &world->loaded.files[i];
    const int is_present = file->bytes != NULL;
    if (!is_present) {
      status = file_read(options->files[i], options->max_input, file);
    }
    if (status == STATUS_DONE) {
      status = findings_report(options, repeat, file);
    }
    if (!is_present) {
      file_dispose(file);
    }
  }
  return status;
}
