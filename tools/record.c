/* SPDX-License-Identifier: MIT */
/* Records of library calls for rebalancectl replay, and other output files. */
#include "rebalancectl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Under any name, so that a forgotten argument of --record does not overwrite a file of objects. */
static int is_input(const struct options *options, const char *name) {
  struct stat written, file;
  if (stat(name, &written) != 0 || !S_ISREG(written.st_mode)) {
    return 0;
  }
  for (size_t i = 0; i < options->n_files; i++) {
    if (stat(options->files[i], &file) == 0 && file.st_dev == written.st_dev && file.st_ino == written.st_ino) {
      return 1;
    }
  }
  return 0;
}

enum status file_write(const struct options *options, const char *name, const rebal_text *text) {
  size_t len;
  const char *bytes = rebal_text_bytes(text, &len);
  FILE *file;
  int is_written;
  if (is_input(options, name)) {
    complain("%s: input file, not overwritten", name);
    return STATUS_INPUT;
  }
  file = fopen(name, "w");
  is_written = file != NULL && fwrite(bytes, 1, len, file) == len;
  if ((file != NULL && fclose(file) != 0) || !is_written) {
    complain("%s: %s", name, strerror(errno));
    return STATUS_INPUT;
  }
  return STATUS_DONE;
}

/* One call per binding, so that each line has a fingerprint. */
static int32_t record(const struct world *world, size_t row, uint32_t object, rebal_text *records, rebal_error *err) {
  const int is_all = world->options->is_all;
  const rebal_schedule_opts opts = {.struct_size = sizeof opts,
                                    .flags = REBAL_SCHEDULE_FLAG_FINGERPRINT,
                                    .compat = world->options->compat,
                                    .known = world->known,
                                    .first_row = row,
                                    .max_work = 1};
  rebal_recorded_call made = {.struct_size = sizeof made,
                              .call = is_all ? REBAL_CALL_SCHEDULE : REBAL_CALL_SCHEDULER_STEP,
                              .snapshot = world->snapshot,
                              .bindings = world->chosen,
                              .now = &world->options->now,
                              .schedule_opts = &opts,
                              .result = world->result};
  struct output id;
  int32_t result;
  if (output_open(&id) != STATUS_DONE) {
    return REBAL_ENOMEM;
  }
  put_object(&id, world, object);
  result = world_schedule(world, is_all, &opts, err);
  if (result == REBAL_OK) {
    size_t len;
    made.id = rebal_text_bytes(id.text, &len);
    made.id_len = len;
    result = rebal_manifest_dump_call(&made, records, err);
  }
  output_close(&id);
  return result;
}

enum status records_open(const struct options *options, rebal_text **records) {
  rebal_error err = REBAL_ERROR_INIT;
  *records = NULL;
  if (options->record == NULL) {
    return STATUS_DONE;
  }
  if (is_input(options, options->record)) {
    complain("%s: input file, not overwritten by records", options->record);
    return STATUS_INPUT;
  }
  return rebal_text_new(records, &err) == REBAL_OK ? STATUS_DONE : complain_of_call(&err);
}

enum status records_add(const struct world *world, rebal_recorded_call *made, rebal_text *records) {
  rebal_error err = REBAL_ERROR_INIT;
  if (records == NULL) {
    return STATUS_DONE;
  }
  made->struct_size = sizeof *made;
  made->snapshot = world->snapshot;
  made->bindings = world->chosen;
  made->now = &world->options->now;
  made->result = world->result;
  return rebal_manifest_dump_call(made, records, &err) == REBAL_OK ? STATUS_DONE : complain_of_call(&err);
}

enum status records_finish(const struct options *options, const rebal_text *records) {
  return records != NULL ? file_write(options, options->record, records) : STATUS_DONE;
}

enum status record_calls(const struct world *world, const uint32_t *objects, size_t n) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_text *records;
  int32_t result = REBAL_OK;
  enum status status = records_open(world->options, &records);
  for (size_t i = 0; status == STATUS_DONE && result == REBAL_OK && i < n; i++) {
    result = record(world, i, objects[i], records, &err);
  }
  if (status == STATUS_DONE) {
    status = result == REBAL_OK ? records_finish(world->options, records) : complain_of_call(&err);
  }
  rebal_text_free(records);
  return status;
}
