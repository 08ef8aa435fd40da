/* SPDX-License-Identifier: MIT */
/* rebalancectl replay: replays recorded calls. */
#include "rebalancectl.h"

#include <string.h>

struct replays {
  const struct options *options;
  struct report *report; /* NULL: lines of text */
  struct output *out;
  rebal_text *differences;
  int64_t n_same;
  int64_t n_different;
};

/* One line of a file. */
struct place {
  const struct file *file;
  uint32_t line;
};

/* Each difference is a line; its control characters are escaped. */
static void put_differences(const struct replays *replays, const struct place *place) {
  const char *text = rebal_text_bytes(replays->differences, NULL);
  put_escaped(replays->out, place->file->name);
  put(replays->out, ":");
  put_integer(replays->out, place->line);
  put(replays->out, ": differs\n");
  while (*text != '\0') {
    const size_t len = strcspn(text, "\n");
    put(replays->out, "  ");
    put_bytes(replays->out, text, len);
    put(replays->out, "\n");
    text += len + (text[len] == '\n');
  }
}

static void report_replay(const struct replays *replays, const struct place *place, int is_same) {
  report_map(replays->report, NULL);
  report_text(replays->report, "file", place->file->name);
  report_integer(replays->report, "line", place->line);
  report_boolean(replays->report, "same", is_same);
  report_text(replays->report, "differences", rebal_text_bytes(replays->differences, NULL));
  report_map_end(replays->report);
}

static enum status replay_line(struct replays *replays, const struct place *place, const char *line, size_t len) {
  const rebal_manifest_limits limits = input_limits(replays->options->max_input);
  rebal_error err = REBAL_ERROR_INIT;
  int32_t same = 0;
  if (line[strspn(line, " \t")] != '{') { /* a line has a character that is not blank */
    complain("%s:%u: not a record: expected a JSON object in one line", place->file->name, (unsigned)place->line);
    return STATUS_INPUT;
  }
  rebal_text_reset(replays->differences);
  if (rebal_manifest_replay_call(line, len, &limits, &same, NULL, NULL, replays->differences, &err) != REBAL_OK) {
    err.line = place->line; /* a record is one line */
    err.column = err.column != 0 ? err.column : 1;
    return complain_of_file(place->file->name, &err);
  }
  replays->n_same += same;
  replays->n_different += !same;
  if (replays->report != NULL) {
    report_replay(replays, place, same);
  } else if (!same) {
    put_differences(replays, place);
  }
  return STATUS_DONE;
}

static int is_blank(const char *line, size_t len) {
  for (size_t i = 0; i < len; i++) {
    if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r') {
      return 0;
    }
  }
  return 1;
}

static enum status replay_file(struct replays *replays, const char *name) {
  struct file file;
  struct place place = {&file, 1};
  size_t at = 0;
  enum status status = file_read(name, replays->options->max_input, &file);
  for (; status == STATUS_DONE && at < file.len; place.line++) {
    const char *line = file.bytes + at;
    const char *end = memchr(line, '\n', file.len - at);
    const size_t len = end != NULL ? (size_t)(end - line) : file.len - at;
    if (!is_blank(line, len)) {
      status = replay_line(replays, &place, line, len);
    }
    at += len + 1;
  }
  file_dispose(&file);
  return status;
}

static enum status replay_files(struct replays *replays) {
  enum status status = STATUS_DONE;
  for (size_t i = 0; status == STATUS_DONE && i < replays->options->n_files; i++) {
    status = replay_file(replays, replays->options->files[i]);
  }
  return status;
}

static enum status replay_as_text(struct replays *replays) {
  const enum status status = replay_files(replays);
  put_integer(replays->out, replays->n_same);
  put(replays->out, " same, ");
  put_integer(replays->out, replays->n_different);
  put(replays->out, " different\n");
  return status;
}

static enum status replay_as_report(struct replays *replays) {
  struct report report;
  enum status status = report_open(&report);
  if (status != STATUS_DONE) {
    return status;
  }
  replays->report = &report;
  report_map(&report, NULL);
  report_list(&report, "records");
  status = replay_files(replays);
  report_list_end(&report);
  report_integer(&report, "same", replays->n_same);
  report_integer(&report, "different", replays->n_different);
  report_map_end(&report);
  if (status == STATUS_DONE) {
    status = report_finish(&report, replays->options->format, replays->out);
  }
  report_close(&report);
  return status;
}

enum status replay_run(const struct options *options, struct output *out) {
  struct replays replays = {options, NULL, out, NULL, 0, 0};
  enum status status;
  if (rebal_text_new(&replays.differences, NULL) != REBAL_OK) {
    return complain_of_memory();
  }
  status = options->format == FORMAT_TABLE ? replay_as_text(&replays) : replay_as_report(&replays);
  rebal_text_free(replays.differences);
  return status == STATUS_DONE && replays.n_different > 0 ? STATUS_CANNOT : status;
}
