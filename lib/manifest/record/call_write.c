/* SPDX-License-Identifier: MIT */
/* Writes a call as JSON lines: the input of each binding answered, and the answer. */
#include "manifest/record/call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments of a call ---- */

/* Loads the options that the caller's version has; later members get defaults. */
static rebal_schedule_opts schedule_opts_of(const rebal_recorded_call *call) {
  rebal_schedule_opts opts;
  memset(&opts, 0, sizeof opts);
  if (call->schedule_opts != NULL) {
    const size_t size = call->schedule_opts->struct_size;
    memcpy(&opts, call->schedule_opts, size < sizeof opts ? size : sizeof opts);
  }
  return opts;
}

static const rebal_ledger *ledger_of(const rebal_recorded_call *call) {
  if (rebali_call_estimates(call->call)) {
    return call->estimate_opts != NULL ? call->estimate_opts->ledger : NULL;
  }
  return schedule_opts_of(call).ledger;
}

static const rebal_compat *compat_of(const rebal_recorded_call *call) {
  if (rebali_call_estimates(call->call)) {
    return call->estimate_opts != NULL ? call->estimate_opts->compat : NULL;
  }
  if (rebali_call_is_step(call->call)) {
    return rebali_turn_compat(call);
  }
  return schedule_opts_of(call).compat;
}

static int32_t put_clusters(const rebal_snapshot *snapshot, json_t *input, rebal_error *err) {
  const uint32_t rows = rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  json_t *list = json_array();
  int32_t result = rebali_put(input, "clusters", list, err);
  for (uint32_t cluster = 0; result == REBAL_OK && cluster < rows; cluster++) {
    json_t *tree = NULL;
    if (!rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, cluster)) {
      continue;
    }
    result = rebali_cluster_tree(snapshot, cluster, &tree, err);
    if (result == REBAL_OK && json_array_append_new(list, tree) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  return result;
}

static int32_t put_set(const rebal_snapshot *snapshot, const rebal_bindings *bindings, const char *key, json_t *input,
                       rebal_error *err) {
  const size_t n = rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE);
  json_t *list = n > 0 ? json_array() : NULL;
  int32_t result = n > 0 ? rebali_put(input, key, list, err) : REBAL_OK;
  for (uint32_t row = 0; result == REBAL_OK && row < n; row++) {
    json_t *tree = NULL;
    result = rebali_binding_tree(snapshot, bindings, row, &tree, err);
    if (result == REBAL_OK && json_array_append_new(list, tree) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  return result;
}

static int32_t put_extra(const rebal_snapshot *snapshot, const rebal_schedule_opts *opts, const int64_t *column,
                         uint32_t row, const char *key, json_t *input, rebal_error *err) {
  const struct rebali_strip strip = {column != NULL ? column + row * opts->extra_stride : NULL, NULL,
                                     column != NULL ? opts->extra_clusters : 0, 0};
  return column != NULL ? rebali_put(input, key, rebali_strip_tree(snapshot, &strip), err) : REBAL_OK;
}

/* Writes "general" and one map per other estimator; "available" if the vectors' member can express it. */
static int32_t put_estimators(const rebal_snapshot *snapshot, const rebal_schedule_opts *opts, uint32_t row,
                              json_t *input, rebal_error *err) {
  json_t *names = json_array();
  json_t *answers = json_array();
  int32_t result = names != NULL && answers != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (result == REBAL_OK && (opts->flags & REBAL_SCHEDULE_FLAG_NO_SUMMARY) == 0 &&
      json_array_append_new(names, json_string("general")) != 0) {
    result = rebali_fail_memory(err);
  }
  for (uint64_t i = 0; result == REBAL_OK && i < opts->n_estimators; i++) {
    const rebal_estimator *estimator = opts->estimators[i];
    const struct rebali_strip strip = {NULL, estimator->fits != NULL ? estimator->fits + row * estimator->stride : NULL,
                                       estimator->fits != NULL ? estimator->clusters : 0, REBAL_FITS_NO_OPINION};
    if (json_array_append_new(answers, rebali_strip_tree(snapshot, &strip)) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  if (result == REBAL_OK && json_array_size(answers) == 1) {
    result = json_array_append_new(names, json_string("available")) == 0
                 ? rebali_put(input, "available", json_incref(json_array_get(answers, 0)), err)
                 : rebali_fail_memory(err);
  } else if (result == REBAL_OK && json_array_size(answers) > 1) {
    result = rebali_put(input, "answers", json_incref(answers), err);
  }
  if (result == REBAL_OK) {
    result = rebali_put(input, "estimators", json_incref(names), err);
  }
  json_decref(names);
  json_decref(answers);
  return result;
}

static int32_t put_time(json_t *input, const char *key, const rebal_time *time, rebal_error *err) {
  return time != NULL && time->is_set ? rebali_put(input, key, rebali_time_value(time), err) : REBAL_OK;
}

static int32_t put_text(json_t *input, const char *key, const char *text, uint64_t len, rebal_error *err) {
  size_t taken = rebali_text_len(len);
  int32_t result;
  if (text == NULL) {
    return REBAL_OK;
  }
  result = rebali_take_text(&text, &taken, key, err);
  return result == REBAL_OK ? rebali_put(input, key, json_stringn_nocheck(text, taken), err) : result;
}

static int32_t put_schedule(const rebal_recorded_call *call, uint32_t row, json_t *input, rebal_error *err) {
  const rebal_schedule_opts opts = schedule_opts_of(call);
  const struct {
    const char *key;
    const rebal_bindings *set;
  } sets[] = {{"bindings", opts.known}, {"assigning", opts.assigning}};
  json_t *binding = NULL;
  int32_t result = rebali_binding_tree(call->snapshot, call->bindings, row, &binding, err);
  if (result == REBAL_OK) {
    result = rebali_put(input, "binding", binding, err);
  }
  for (size_t i = 0; result == REBAL_OK && i < sizeof sets / sizeof sets[0]; i++) {
    result = put_set(call->snapshot, sets[i].set, sets[i].key, input, err);
  }
  if (result == REBAL_OK) {
    result = put_extra(call->snapshot, &opts, opts.extra_reject, row, "extraReject", input, err);
  }
  if (result == REBAL_OK) {
    result = put_extra(call->snapshot, &opts, opts.extra_score, row, "extraScore", input, err);
  }
  if (result == REBAL_OK) {
    result = put_text(input, "extraRejectReason", opts.extra_reject_reason, opts.extra_reject_reason_len, err);
  }
  if (result == REBAL_OK) {
    result = put_text(input, "schedulerName", opts.scheduler_name, opts.scheduler_name_len, err);
  }
  if (result == REBAL_OK && opts.explain_rows > 0) {
    result = rebali_put(input, "explainRows",
                        json_integer((json_int_t)(opts.explain_rows > INT64_MAX ? INT64_MAX : opts.explain_rows)), err);
  }
  if (result == REBAL_OK && (opts.flags & REBAL_SCHEDULE_FLAG_SINGLE_GROUP) != 0) {
    result = rebali_put(input, "singleGroup", json_true(), err);
  }
  if (result == REBAL_OK) {
    result = put_time(input, "ledgerExpiry", opts.ledger_expiry, err);
  }
  if (result == REBAL_OK) {
    result = put_time(input, "now", call->call == REBAL_CALL_SCHEDULER_STEP ? call->now : NULL, err);
  }
  return result == REBAL_OK ? put_estimators(call->snapshot, &opts, row, input, err) : result;
}

static const rebal_record *requirements_of(const rebal_recorded_call *call, size_t component) {
  return rebal_cells_record(rebal_snapshot_cells(call->snapshot), REBAL_OBJECT_REQUIREMENTS,
                            call->requirements[component]);
}

static int32_t put_requirements(const rebal_recorded_call *call, json_t *input, rebal_error *err) {
  json_t *tree = NULL;
  int32_t result = REBAL_OK;
  if (call->n_components != 1) {
    return rebali_fail(err, REBAL_EINVAL, -1, "an estimate of replicas is for one component");
  }
  if (requirements_of(call, 0) != NULL) {
    result = rebali_record_tree_as_is(requirements_of(call, 0), &tree, err);
    result = result == REBAL_OK ? rebali_put(input, "replicaRequirements", tree, err) : result;
  }
  return result;
}

static int32_t put_components(const rebal_recorded_call *call, json_t *input, rebal_error *err) {
  json_t *list = json_array();
  int32_t result = rebali_put(input, "components", list, err);
  if (result == REBAL_OK && call->replicas == NULL && call->n_components > 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the replicas of the components are needed");
  }
  for (size_t i = 0; result == REBAL_OK && i < call->n_components; i++) {
    if (json_array_append_new(list, rebali_component_tree(call->replicas[i], requirements_of(call, i))) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  return result;
}

static int32_t put_ledger(const rebal_recorded_call *call, json_t *input, rebal_error *err) {
  json_t *tree = NULL;
  int32_t result;
  if (ledger_of(call) == NULL) {
    return REBAL_OK;
  }
  result = rebali_ledger_tree(call->snapshot, ledger_of(call), &tree, err);
  return result == REBAL_OK ? rebali_put(input, "assumed", tree, err) : result;
}

static int32_t fill_input(const rebal_recorded_call *call, uint32_t row, json_t *input, rebal_error *err) {
  int32_t result = put_clusters(call->snapshot, input, err);
  if (result == REBAL_OK) {
    result = rebali_options_write(compat_of(call), input, err);
  }
  if (result == REBAL_OK) {
    result = put_ledger(call, input, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  if (call->call == REBAL_CALL_ESTIMATE_SETS) {
    return put_components(call, input, err);
  }
  if (rebali_call_is_step(call->call)) {
    return rebali_turn_write(call, row, input, err);
  }
  return call->call == REBAL_CALL_ESTIMATE ? put_requirements(call, input, err) : put_schedule(call, row, input, err);
}

/* ---- one line ---- */

static int32_t put_id(const rebal_recorded_call *call, uint32_t row, int is_single, json_t *line, rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  const char *id = call->id != NULL ? call->id : "recorded";
  size_t len = call->id != NULL ? rebali_text_len(call->id_len) : REBAL_TERMINATED;
  char suffix[32];
  int32_t result = rebali_take_text(&id, &len, "id", err);
  if (result != REBAL_OK) {
    return result;
  }
  rebali_buffer_append(&text, id, len);
  (void)snprintf(suffix, sizeof suffix, "-%" PRIu32, row);
  rebali_buffer_text(&text, is_single ? "" : suffix);
  result =
      text.failed ? rebali_fail_memory(err) : rebali_put(line, "id", json_stringn_nocheck(text.bytes, text.len), err);
  rebali_buffer_dispose(&text);
  return result;
}

static int32_t put_answer(const rebal_recorded_call *call, uint32_t row, json_t *line, rebal_error *err) {
  const struct rebali_answer answer = {call->call, call->snapshot, call->bindings, compat_of(call), call->result, row};
  json_t *rows = NULL, *accept = NULL, *error = NULL;
  int32_t result = rebali_answer_rows(&answer, &rows, err);
  if (result == REBAL_OK) {
    result = rebali_put(line, "result", rows, err);
  }
  if (result == REBAL_OK) {
    result = rebali_answer_outcome(&answer, &accept, &error, err);
  }
  if (result == REBAL_OK && accept != NULL) {
    result = rebali_put(line, "accept", json_pack("[O]", accept), err);
  }
  if (result == REBAL_OK && error != NULL) {
    result = rebali_put(line, "error", json_incref(error), err);
  }
  json_decref(accept);
  json_decref(error);
  return result;
}

static int32_t fill_line(const rebal_recorded_call *call, uint32_t row, int is_single, json_t *line, rebal_error *err) {
  char buffer[40];
  const char *fingerprint = is_single ? rebali_fingerprint_text(call->result, buffer, sizeof buffer) : NULL;
  json_t *input = json_object();
  int32_t result = rebali_put(line, "input", input, err);
  if (result == REBAL_OK) {
    result = put_id(call, row, is_single, line, err);
  }
  if (result == REBAL_OK) {
    result = rebali_put(line, "tags", json_pack("[s]", "recorded"), err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_text(line, "call", rebali_call_name(call->call), err);
  }
  if (result == REBAL_OK && fingerprint != NULL) {
    result = rebali_put_text(line, "fingerprint", fingerprint, err);
  }
  if (result == REBAL_OK) {
    result = fill_input(call, row, input, err);
  }
  return result == REBAL_OK ? put_answer(call, row, line, err) : result;
}

static int32_t write_line(const rebal_recorded_call *call, uint32_t row, int is_single, struct rebali_buffer *out,
                          rebal_error *err) {
  json_t *line = json_object();
  int32_t result = line != NULL ? fill_line(call, row, is_single, line, err) : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = rebali_json_write(line, REBALI_WRITE_SORTED, out);
    if (result != REBAL_OK) {
      (void)rebali_fail(err, result, -1, "the record cannot be written");
    }
  }
  rebali_buffer_text(out, "\n");
  json_decref(line);
  return result;
}

/* ---- the whole call ---- */

/* Records do not contain nodes and pods. */
static int needs_nodes(const rebal_recorded_call *call) {
  if (rebali_call_estimates(call->call)) {
    return call->estimate_opts != NULL && (call->estimate_opts->flags & REBAL_ESTIMATE_FLAG_NODES) != 0;
  }
  return (schedule_opts_of(call).flags & REBAL_SCHEDULE_FLAG_NODES) != 0;
}

/* Options unknown to this library could not be recorded. */
static int32_t check_options(const rebal_recorded_call *call, rebal_error *err) {
  rebal_schedule_opts schedule;
  rebal_estimate_opts estimate;
  rebal_deschedule_opts deschedule;
  rebal_failover_opts failover;
  int32_t code = rebali_options_load(&schedule, sizeof schedule, sizeof schedule, call->schedule_opts, err);
  if (code == REBAL_OK) {
    code = rebali_options_load(&estimate, sizeof estimate, sizeof estimate, call->estimate_opts, err);
  }
  if (code == REBAL_OK) {
    code = rebali_options_load(&deschedule, sizeof deschedule, sizeof deschedule, call->deschedule_opts, err);
  }
  return code == REBAL_OK ? rebali_options_load(&failover, sizeof failover, sizeof failover, call->failover_opts, err)
                          : code;
}

static int32_t check(const rebal_recorded_call *call, rebal_error *err) {
  const int32_t code = check_options(call, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (call->reserved0 != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "reserved0 is not 0");
  }
  if (rebali_call_name(call->call) == NULL) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no such call can be recorded");
  }
  if (call->snapshot == NULL || call->result == NULL ||
      (rebali_call_estimates(call->call) ? call->requirements == NULL && call->n_components > 0
                                         : call->bindings == NULL) ||
      (call->call == REBAL_CALL_SCHEDULER_STEP && call->now == NULL)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the call's snapshot, bindings, time and result are needed");
  }
  if (rebali_call_is_step(call->call)) {
    return rebali_turn_check(call, err);
  }
  if (schedule_opts_of(call).observations != NULL) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "turns with observations are not recorded");
  }
  if (needs_nodes(call)) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "calls that estimate by nodes are not recorded");
  }
  return REBAL_OK;
}

/* Counts the bindings answered: all from first_row on, or at most max_work. */
static size_t count_rows(const rebal_recorded_call *call, const rebal_schedule_opts *opts) {
  const size_t n = rebal_cells_count(rebal_bindings_const_cells(call->bindings), REBAL_TABLE_BINDING, REBAL_NONE);
  const size_t left = opts->first_row < n ? n - (size_t)opts->first_row : 0;
  if (rebali_call_estimates(call->call)) {
    return 1;
  }
  return opts->max_work != 0 && opts->max_work < left ? (size_t)opts->max_work : left;
}

static int32_t dump(const rebal_recorded_call *call, rebal_text *out, rebal_error *err) {
  const rebal_schedule_opts opts = schedule_opts_of(call);
  struct rebali_buffer lines = REBALI_BUFFER;
  int32_t result = REBAL_OK;
  size_t n;
  n = count_rows(call, &opts);
  if (n > 1 && ledger_of(call) != NULL) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "with a ledger a call that answers one binding is recorded");
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = write_line(call, (uint32_t)(opts.first_row + i), n == 1, &lines, err);
  }
  if (result == REBAL_OK && lines.failed) {
    result = rebali_fail_memory(err);
  }
  if (result == REBAL_OK) {
    result = rebal_text_append(out, lines.bytes != NULL ? lines.bytes : "", lines.len, err);
  }
  rebali_buffer_dispose(&lines);
  return result;
}

int32_t rebal_manifest_dump_call(const rebal_recorded_call *call, rebal_text *out, rebal_error *err) {
  rebal_recorded_call loaded;
  int32_t result = call == NULL || out == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "call and out are needed")
                                               : rebali_options_load(&loaded, sizeof loaded, sizeof loaded, call, err);
  if (result == REBAL_OK) {
    result = check(&loaded, err);
  }
  return result == REBAL_OK ? dump(&loaded, out, err) : result;
}
