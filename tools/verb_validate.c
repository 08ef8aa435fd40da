/* SPDX-License-Identifier: MIT */
/* rebalancectl validate: what is wrong with objects, and what surprises. */
#include "rebalancectl.h"

struct counts {
  size_t errors, warnings;
};

static const char *severity_text(uint32_t severity) {
  return rebal_enum_name(REBAL_ENUM_SEVERITY, severity, NULL);
}

static void put_finding(const struct file *file, const rebal_findings *findings, size_t i, struct output *out) {
  const char *path = rebal_findings_path(findings, i, NULL);
  uint32_t line = 0, column = 0;
  (void)rebal_findings_place(findings, i, NULL, &line, &column, NULL);
  put_escaped(out, file->name);
  put(out, ":");
  put_integer(out, line);
  put(out, ":");
  put_integer(out, column);
  put(out, ": ");
  put(out, severity_text(rebal_findings_severity(findings, i)));
  put(out, ": ");
  put_escaped(out, path);
  put(out, path[0] != '\0' ? ": " : "");
  put_escaped(out, rebal_findings_message(findings, i, NULL));
  put(out, " [");
  put(out, rebal_findings_name(findings, i, NULL));
  put(out, "]\n");
}

static void report_finding(const struct file *file, const rebal_findings *findings, size_t i, struct report *report) {
  uint32_t document = 0, line = 0, column = 0;
  (void)rebal_findings_place(findings, i, &document, &line, &column, NULL);
  report_map(report, NULL);
  report_text(report, "file", file->name);
  report_integer(report, "document", document);
  report_integer(report, "line", line);
  report_integer(report, "column", column);
  report_text(report, "severity", severity_text(rebal_findings_severity(findings, i)));
  report_text(report, "code", rebal_findings_name(findings, i, NULL));
  report_text(report, "path", rebal_findings_path(findings, i, NULL));
  report_text(report, "message", rebal_findings_message(findings, i, NULL));
  report_map_end(report);
}

/* report NULL: a line for each finding. */
static enum status validate_file(const struct options *options, const char *name, struct counts *counts,
                                 struct report *report, struct output *out) {
  const rebal_manifest_limits limits = input_limits(options->max_input);
  rebal_error err = REBAL_ERROR_INIT;
  rebal_findings *findings = NULL;
  struct file file;
  enum status status = file_read(name, options->max_input, &file);
  if (status == STATUS_DONE && rebal_manifest_validate(file.bytes, file.len, &limits, &findings, &err) != REBAL_OK) {
    status = complain_of_file(file.name, &err);
  }
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    if (report != NULL) {
      report_finding(&file, findings, i, report);
    } else {
      put_finding(&file, findings, i, out);
    }
  }
  counts->errors += rebal_findings_count(findings, REBAL_SEVERITY_ERROR);
  counts->warnings += rebal_findings_count(findings, REBAL_SEVERITY_WARNING);
  rebal_findings_free(findings);
  file_dispose(&file);
  return status;
}

static enum status validate_files(const struct options *options, struct counts *counts, struct report *report,
                                  struct output *out) {
  enum status status = STATUS_DONE;
  for (size_t i = 0; status == STATUS_DONE && i < options->n_files; i++) {
    status = validate_file(options, options->files[i], counts, report, out);
  }
  return status;
}

static enum status write_report(const struct options *options, struct counts *counts, struct output *out) {
  struct report report;
  enum status status = report_open(&report);
  if (status != STATUS_DONE) {
    return status;
  }
  report_map(&report, NULL);
  report_list(&report, "findings");
  status = validate_files(options, counts, &report, out);
  report_list_end(&report);
  report_integer(&report, "errors", (int64_t)counts->errors);
  report_integer(&report, "warnings", (int64_t)counts->warnings);
  report_map_end(&report);
  if (status == STATUS_DONE) {
    status = report_finish(&report, options->format, out);
  }
  report_close(&report);
  return status;
}

enum status validate_run(const struct options *options, struct output *out) {
  struct counts counts = {0, 0};
  const enum status status = options->format == FORMAT_TABLE ? validate_files(options, &counts, NULL, out)
                                                             : write_report(options, &counts, out);
  if (status != STATUS_DONE) {
    return status;
  }
  return counts.errors > 0 || (options->is_strict && counts.warnings > 0) ? STATUS_CANNOT : STATUS_DONE;
}
