/* SPDX-License-Identifier: MIT */
/* rebalancectl fmt: streams in canonical form. */
#include "rebalancectl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file and its canonical form. */
struct formatted {
  struct file file;
  rebal_text *text;
  uint32_t notation; /* REBAL_TEXT_FORMAT_YAML or REBAL_TEXT_FORMAT_JSON_PRETTY */
};

/* JSON if it is requested, or if the file starts like JSON. */
static uint32_t notation_of(const struct options *options, const struct file *file) {
  size_t at = 0;
  if (options->has_format) {
    return options->format == FORMAT_JSON ? REBAL_TEXT_FORMAT_JSON_PRETTY : REBAL_TEXT_FORMAT_YAML;
  }
  if (file->len >= 3 && memcmp(file->bytes, "\xEF\xBB\xBF", 3) == 0) {
    at = 3;
  }
  while (at < file->len && memchr(" \t\r\n", file->bytes[at], 4) != NULL) {
    at++;
  }
  return at < file->len && (file->bytes[at] == '{' || file->bytes[at] == '[') ? REBAL_TEXT_FORMAT_JSON_PRETTY
                                                                              : REBAL_TEXT_FORMAT_YAML;
}

static int is_changed(const struct formatted *formatted) {
  size_t len;
  const char *bytes = rebal_text_bytes(formatted->text, &len);
  return len != formatted->file.len || memcmp(bytes, formatted->file.bytes, len) != 0;
}

/* The canonical form has no comments; a file with comments is overwritten only with --drop-comments. */
static enum status keep_comments(const struct options *options, const struct file *file) {
  const rebal_manifest_limits limits = input_limits(options->max_input);
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t line = 0, column = 0;
  if (options->drops_comments || (!options->is_write && !options->is_check)) {
    return STATUS_DONE;
  }
  if (rebal_manifest_find_comment(file->bytes, file->len, &limits, &line, &column, &err) != REBAL_OK) {
    return complain_of_file(file->name, &err);
  }
  if (line == 0) {
    return STATUS_DONE;
  }
  complain("%s:%u:%u: comments would be lost (--drop-comments)", file->name, (unsigned)line, (unsigned)column);
  return STATUS_INPUT;
}

static enum status format_file(const struct options *options, const char *name, struct formatted *formatted) {
  const rebal_manifest_limits limits = input_limits(options->max_input);
  rebal_rewrite_opts opts = {.struct_size = sizeof opts, .flags = REBAL_REWRITE_FLAG_CANONICAL, .limits = &limits};
  rebal_error err = REBAL_ERROR_INIT;
  struct file *file = &formatted->file;
  enum status status = file_read(name, options->max_input, file);
  if (status == STATUS_DONE && rebal_text_new(&formatted->text, NULL) != REBAL_OK) {
    status = complain_of_memory();
  }
  if (status != STATUS_DONE) {
    return status;
  }
  opts.format = formatted->notation = notation_of(options, file);
  if (rebal_manifest_rewrite(file->bytes, file->len, &opts, formatted->text, &err) != REBAL_OK) {
    return complain_of_file(file->name, &err);
  }
  status = keep_comments(options, file);
  if (!options->is_write && !options->is_check) {
    file_dispose(file); /* no comparison needs it */
  }
  return status;
}

/* Joins the files to one stream: YAML documents are separated from what precedes and follows them. */
static void put_stream(struct formatted *formatted, size_t n, struct output *out) {
  for (size_t i = 0; i < n; i++) {
    size_t len;
    const char *bytes = rebal_text_bytes(formatted[i].text, &len);
    if (i > 0 &&
        (formatted[i].notation == REBAL_TEXT_FORMAT_YAML || formatted[i - 1].notation == REBAL_TEXT_FORMAT_YAML)) {
      put(out, "---\n");
    }
    put_bytes(out, bytes, len);
    rebal_text_free(formatted[i].text); /* to avoid two copies of the text */
    formatted[i].text = NULL;
  }
}

/* The only stream becomes the output without a copy, as it may be large. */
static void give_stream(struct formatted *formatted, struct output *out) {
  rebal_text *empty = out->text;
  out->text = formatted->text;
  formatted->text = empty;
}

static enum status put_changed(const struct formatted *formatted, size_t n, struct output *out) {
  enum status status = STATUS_DONE;
  for (size_t i = 0; i < n; i++) {
    if (is_changed(&formatted[i])) {
      put_escaped(out, formatted[i].file.name);
      put(out, "\n");
      status = STATUS_CANNOT;
    }
  }
  return status;
}

static enum status write_changed(const struct formatted *formatted, size_t n) {
  enum status status = STATUS_DONE;
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    if (is_changed(&formatted[i])) {
      size_t len;
      const char *bytes = rebal_text_bytes(formatted[i].text, &len);
      status = file_replace(formatted[i].file.name, bytes, len);
    }
  }
  return status;
}

enum status fmt_run(const struct options *options, struct output *out) {
  struct formatted *formatted = calloc(options->n_files, sizeof *formatted);
  enum status status = formatted != NULL ? STATUS_DONE : complain_of_memory();
  size_t n = 0;
  while (status == STATUS_DONE && n < options->n_files) {
    status = format_file(options, options->files[n], &formatted[n]);
    n++;
  }
  if (status == STATUS_DONE && options->is_check) {
    status = put_changed(formatted, n, out);
  } else if (status == STATUS_DONE && options->is_write) {
    status = write_changed(formatted, n);
  } else if (status == STATUS_DONE && n == 1) {
    give_stream(formatted, out);
  } else if (status == STATUS_DONE) {
    put_stream(formatted, n, out);
  }
  for (size_t i = 0; i < n; i++) {
    rebal_text_free(formatted[i].text);
    file_dispose(&formatted[i].file);
  }
  free(formatted);
  return status;
}
