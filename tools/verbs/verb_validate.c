/* SPDX-License-Identifier: MIT */
/* rebalancectl validate: errors of objects, and warnings. */
#include "rebalancectl.h"

struct counts {
  size_t errors, warnings;
  struct world world; /* the objects of all files */
  int is_apart;       /* the objects cannot be read together */
};

static void put_finding(const struct file *file, const rebal_finding_row *finding, struct output *out) {
  put_escaped(out, file->name);
  put(out, ":");
  put_integer(out, finding->line);
  put(out, ":");
  put_integer(out, finding->column);
  put(out, ": ");
  put(out, enum_text(REBAL_ENUM_SEVERITY, finding->severity));
  put(out, ": ");
  put_escaped(out, finding->path);
  put(out, finding->path[0] != '\0' ? ": " : "");
  put_escaped(out, finding->message);
  put(out, " [");
  put(out, enum_text(REBAL_ENUM_FINDING, finding->code));
  put(out, "]\n");
}

static void report_finding(const struct file *file, const rebal_finding_row *finding, struct report *report) {
  report_map(report, NULL);
  report_text(report, "file", file->name);
  report_integer(report, "document", finding->document);
  report_integer(report, "line", finding->line);
  report_integer(report, "column", finding->column);
  report_text(report, "severity", enum_text(REBAL_ENUM_SEVERITY, finding->severity));
  report_text(report, "code", enum_text(REBAL_ENUM_FINDING, finding->code));
  report_text(report, "path", finding->path);
  report_text(report, "message", finding->message);
  report_map_end(report);
}

/* report NULL: prints a line for each finding. */
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
    rebal_finding_row finding = {.struct_size = sizeof finding};
    (void)rebal_findings_read(findings, i, &finding, NULL);
    if (report != NULL) {
      report_finding(&file, &finding, report);
    } else {
      put_finding(&file, &finding, out);
    }
  }
  if (status == STATUS_DONE && !counts->is_apart) {
    counts->is_apart = rebal_store_load(counts->world.store, file.bytes, file.len, NULL) != REBAL_OK;
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
  size_t n_uncounted = 0;
  for (size_t i = 0; status == STATUS_DONE && i < options->n_files; i++) {
    status = validate_file(options, options->files[i], counts, report, out);
  }
  if (status == STATUS_DONE && !counts->is_apart) {
    status = report_uncounted(&counts->world, &n_uncounted);
    counts->warnings += n_uncounted;
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
  struct counts counts = {.is_apart = 0};
  enum status status = world_new(&counts.world, options);
  if (status == STATUS_DONE) {
    status = options->format == FORMAT_TABLE ? validate_files(options, &counts, NULL, out)
                                             : write_report(options, &counts, out);
  }
  world_close(&counts.world);
  if (status != STATUS_DONE) {
    return status;
  }
  return counts.errors > 0 || (options->is_strict && counts.warnings > 0) ? STATUS_CANNOT : STATUS_DONE;
}
