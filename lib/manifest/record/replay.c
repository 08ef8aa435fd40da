/* SPDX-License-Identifier: MIT */
/* Replays recorded calls. */
#include "manifest/record/call.h"

#include <stdlib.h>
#include <string.h>

int32_t rebali_replay_run(const struct rebali_replay *replay, rebal_result *result, rebal_error *err) {
  const rebal_estimate_opts estimate_opts = {.struct_size = sizeof estimate_opts,
                                             .flags = REBAL_ESTIMATE_FLAG_FINGERPRINT,
                                             .compat = replay->compat,
                                             .ledger = replay->ledger};
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(NULL, NULL, &ctx, err);
  if (code != REBAL_OK) {
    return code;
  }
  switch (replay->call) {
    case REBAL_CALL_DECIDE:
      code = rebal_decide(ctx, replay->snapshot, replay->bindings, &replay->opts, result, err);
      break;
    case REBAL_CALL_FILTER:
      code = rebal_filter(ctx, replay->snapshot, replay->bindings, &replay->opts, result, err);
      break;
    case REBAL_CALL_SCHEDULE:
      code = rebal_schedule(ctx, replay->snapshot, replay->bindings, &replay->opts, result, err);
      break;
    case REBAL_CALL_SCHEDULER_STEP:
      code = rebal_scheduler_step(ctx, replay->snapshot, replay->bindings, &replay->now, &replay->opts, result, err);
      break;
    case REBAL_CALL_ESTIMATE:
      code = rebal_estimate(ctx, replay->snapshot, replay->components.requirements[0], &estimate_opts, result, err);
      break;
    case REBAL_CALL_ESTIMATE_SETS:
      code = rebal_estimate_sets(ctx, replay->snapshot, replay->components.requirements, replay->components.replicas,
                                 replay->components.n, &estimate_opts, result, err);
      break;
    default:
      code = rebali_turn_run(replay, ctx, result, err);
      break;
  }
  rebal_ctx_free(ctx);
  return code;
}

/* ---- kind of a line ---- */

struct line {
  uint32_t call;
  const json_t *tree;
  const json_t *input;
};

static int has_tag(const json_t *line, const char *tag) {
  const json_t *tags = rebali_member(line, "tags");
  for (size_t i = 0; i < json_array_size(tags); i++) {
    const char *text = json_string_value(json_array_get(tags, i));
    if (text != NULL && strcmp(text, tag) == 0) {
      return 1;
    }
  }
  return 0;
}

/* The kind of a vector is part of its id. */
static uint32_t call_of_vector(const json_t *tree) {
  static const struct {
    const char *start;
    uint32_t call;
  } kinds[] = {
      {"schedule-", REBAL_CALL_SCHEDULE}, {"filter-", REBAL_CALL_FILTER}, {"estimate-general-", REBAL_CALL_ESTIMATE}};
  const char *id = rebali_member_text(tree, "id");
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strncmp(id, kinds[i].start, strlen(kinds[i].start)) == 0) {
      return kinds[i].call == REBAL_CALL_ESTIMATE && rebali_member(rebali_member(tree, "input"), "components") != NULL
                 ? REBAL_CALL_ESTIMATE_SETS
                 : kinds[i].call;
    }
  }
  return REBAL_CALL_NONE;
}

static int32_t open_line(const json_t *tree, struct line *line, rebal_error *err) {
  const struct rebali_path input_at = rebali_path_key(NULL, "input");
  const struct rebali_path call_at = rebali_path_key(NULL, "call");
  int32_t result = rebali_read_map(tree, NULL, err);
  if (result != REBAL_OK) {
    return result;
  }
  line->tree = tree;
  line->input = rebali_member(tree, "input");
  line->call =
      rebali_member(tree, "call") != NULL ? rebali_call_find(rebali_member_text(tree, "call")) : call_of_vector(tree);
  if (line->call == REBAL_CALL_NONE) {
    return rebali_fail_path(err, REBAL_EUNSUPPORTED, &call_at, "calls of this kind cannot be replayed");
  }
  return rebali_read_map(line->input, &input_at, err);
}

/* ---- outcomes ---- */

/* Steps and decisions are compared by their rows alone. */
static int has_outcome(uint32_t call) {
  return call != REBAL_CALL_DECIDE && call != REBAL_CALL_SCHEDULER_STEP && !rebali_call_is_step(call);
}

static int32_t answer_tree(const struct line *line, const struct rebali_answer *answer, json_t **out,
                           rebal_error *err) {
  json_t *rows = NULL, *accept = NULL, *error = NULL;
  char buffer[40];
  const char *fingerprint = rebali_fingerprint_text(answer->result, buffer, sizeof buffer);
  json_t *map = json_object();
  int32_t result = map != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (result == REBAL_OK && (rebali_member(line->tree, "result") != NULL || !has_outcome(line->call))) {
    result = rebali_answer_rows(answer, &rows, err);
    if (result == REBAL_OK) {
      result = rebali_put(map, "result", rows, err);
    }
  } else if (result == REBAL_OK) {
    result = rebali_answer_outcome(answer, &accept, &error, err);
    if (result == REBAL_OK && (accept != NULL || error != NULL)) {
      result = rebali_put(map, accept != NULL ? "accept" : "error", accept != NULL ? accept : error, err);
    }
  }
  if (result == REBAL_OK && fingerprint != NULL && rebali_member(line->tree, "fingerprint") != NULL) {
    result = rebali_put_text(map, "fingerprint", fingerprint, err);
  }
  if (result != REBAL_OK) {
    json_decref(map);
  } else {
    *out = map;
  }
  return result;
}

static int compare_names(const void *left, const void *right) {
  const json_t *const *a = left;
  const json_t *const *b = right;
  return strcmp(rebali_member_text(*a, "name"), rebali_member_text(*b, "name"));
}

/* Sorts the clusters of an entry of accept[] by name; an entry without such a list stays unchanged. */
static json_t *by_name(json_t *entry) {
  const json_t *clusters = rebali_member(entry, "clusters");
  const size_t n = json_array_size(clusters);
  json_t *copy, *list, **items;
  int failed;
  if (!rebali_is_map(entry) || (clusters != NULL && !json_is_array(clusters))) {
    return json_incref(entry);
  }
  copy = rebali_copy(entry);
  items = calloc(n + 1, sizeof(json_t *));
  list = json_array();
  failed = items == NULL || copy == NULL;
  for (size_t i = 0; !failed && i < n; i++) {
    items[i] = json_array_get(clusters, i);
  }
  if (!failed) {
    qsort(items, n, sizeof(json_t *), compare_names); /* names are unique */
  }
  for (size_t i = 0; !failed && i < n; i++) {
    failed = json_array_append(list, items[i]) != 0;
  }
  free(items);
  failed = json_object_set_new_nocheck(copy, "clusters", list) != 0 || failed;
  if (failed) {
    json_decref(copy);
    return NULL;
  }
  return copy;
}

/* Returns the answer that the line expects; if it accepts several, the one that was returned, else the first. */
static int32_t expected_accept(const struct line *line, const json_t *answer, json_t *map, rebal_error *err) {
  const json_t *came = rebali_member(answer, "accept");
  const json_t *accept = rebali_member(line->tree, "accept");
  json_t *stable = rebali_member(line->tree, "stable");
  const size_t n = json_array_size(accept);
  for (size_t i = n + (stable != NULL); i-- > 0;) {
    json_t *entry = by_name(i < n ? json_array_get(accept, i) : stable);
    const int is_same = json_equal(entry, came);
    if (entry == NULL) {
      return rebali_fail_memory(err);
    }
    if (is_same || i == 0) {
      return rebali_put(map, "accept", entry, err);
    }
    json_decref(entry);
  }
  return REBAL_OK;
}

/* The text of a fit error depends on the order of plugins in the reference. */
static int32_t expected_error(const struct line *line, const json_t *answer, json_t *map, rebal_error *err) {
  const json_t *error = rebali_member(line->tree, "error");
  const json_t *came = rebali_member(answer, "error");
  const json_t *messages = rebali_member(error, "messages");
  const json_t *message = rebali_member(error, "message");
  for (size_t i = 0; i < json_array_size(messages); i++) {
    if (message == NULL || json_equal(json_array_get(messages, i), rebali_member(came, "message"))) {
      message = json_array_get(messages, i);
    }
  }
  if (message == NULL && has_tag(line->tree, "fit-message-open")) {
    message = rebali_member(came, "message");
  }
  return rebali_put(map, "error",
                    message != NULL
                        ? json_pack("{s:s, s:O}", "kind", rebali_member_text(error, "kind"), "message", message)
                        : json_pack("{s:s}", "kind", rebali_member_text(error, "kind")),
                    err);
}

static int32_t expected_tree(const struct line *line, const json_t *answer, json_t **out, rebal_error *err) {
  static const char *const members[] = {"result", "fingerprint"};
  json_t *map = json_object();
  int32_t result = map != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < sizeof members / sizeof members[0]; i++) {
    json_t *value = rebali_member(line->tree, members[i]);
    if (value != NULL) {
      result = rebali_put(map, members[i], json_incref(value), err);
    }
  }
  if (result == REBAL_OK && rebali_member(line->tree, "result") == NULL) {
    result = rebali_member(line->tree, "error") != NULL ? expected_error(line, answer, map, err)
                                                        : expected_accept(line, answer, map, err);
  }
  if (result != REBAL_OK) {
    json_decref(map);
  } else {
    *out = map;
  }
  return result;
}

/* ---- differences ---- */

static void put_value(const json_t *value, struct rebali_buffer *out) {
  if (value == NULL) {
    rebali_buffer_text(out, "nothing");
  } else if (rebali_json_write(value, REBALI_WRITE_SORTED, out) != REBAL_OK) {
    out->failed = 1;
  }
}

static void put_difference(const struct rebali_path *path, const json_t *recorded, const json_t *replayed,
                           struct rebali_buffer *out) {
  char text[256];
  (void)rebali_path_print(path, text, sizeof text);
  rebali_buffer_text(out, text);
  rebali_buffer_text(out, ": recorded ");
  put_value(recorded, out);
  rebali_buffer_text(out, ", now ");
  put_value(replayed, out);
  rebali_buffer_text(out, "\n");
}

static void put_differences(const struct rebali_path *path, const json_t *recorded, const json_t *replayed,
                            struct rebali_buffer *out) {
  const char *key;
  json_t *value;
  if (json_equal(recorded, replayed)) {
    return;
  }
  if (json_is_array(recorded) && json_is_array(replayed)) {
    const size_t n = json_array_size(recorded), m = json_array_size(replayed);
    for (size_t i = 0; i < n || i < m; i++) {
      const struct rebali_path at = rebali_path_index(path, i);
      put_differences(&at, json_array_get(recorded, i), json_array_get(replayed, i), out);
    }
    return;
  }
  if (!json_is_object(recorded) || !json_is_object(replayed)) {
    put_difference(path, recorded, replayed, out);
    return;
  }
  json_object_foreach((json_t *)(uintptr_t)recorded, key, value) {
    const struct rebali_path at = rebali_path_key(path, key);
    put_differences(&at, value, json_object_get(replayed, key), out);
  }
  json_object_foreach((json_t *)(uintptr_t)replayed, key, value) {
    const struct rebali_path at = rebali_path_key(path, key);
    if (json_object_get(recorded, key) == NULL) {
      put_difference(&at, NULL, value, out);
    }
  }
}

/* ---- the call ---- */

struct texts {
  rebal_text *recorded;
  rebal_text *replayed;
  rebal_text *differences;
};

static int32_t report(const json_t *recorded, const json_t *replayed, const struct texts *texts, rebal_error *err) {
  struct rebali_buffer differences = REBALI_BUFFER;
  int32_t result = REBAL_OK;
  if (texts->recorded != NULL) {
    result = rebali_tree_write(recorded, REBAL_TEXT_FORMAT_JSON, texts->recorded, err);
  }
  if (result == REBAL_OK && texts->replayed != NULL) {
    result = rebali_tree_write(replayed, REBAL_TEXT_FORMAT_JSON, texts->replayed, err);
  }
  if (result == REBAL_OK && texts->differences != NULL) {
    put_differences(NULL, recorded, replayed, &differences);
    result = differences.failed
                 ? rebali_fail_memory(err)
                 : rebal_text_append(texts->differences, differences.bytes != NULL ? differences.bytes : "",
                                     differences.len, err);
  }
  rebali_buffer_dispose(&differences);
  return result;
}

static int32_t compare(const struct line *line, const struct rebali_replay *replay, const rebal_result *result,
                       int32_t *same, const struct texts *texts, rebal_error *err) {
  const struct rebali_answer answer = {line->call, replay->snapshot, replay->bindings, replay->compat, result, 0};
  json_t *recorded = NULL, *replayed = NULL;
  int32_t code = answer_tree(line, &answer, &replayed, err);
  if (code == REBAL_OK) {
    code = expected_tree(line, replayed, &recorded, err);
  }
  if (code == REBAL_OK) {
    *same = json_equal(recorded, replayed);
    code = report(recorded, replayed, texts, err);
  }
  json_decref(recorded);
  json_decref(replayed);
  return code;
}

static int32_t replay_tree(const json_t *tree, int32_t *same, const struct texts *texts, rebal_error *err) {
  struct rebali_replay replay;
  struct line line;
  rebal_result *result = NULL;
  int32_t code = open_line(tree, &line, err);
  if (code != REBAL_OK) {
    return code;
  }
  code = rebali_replay_read(&replay, line.call, line.input, err);
  if (rebali_member(tree, "call") == NULL) {
    replay.opts.flags |= REBAL_SCHEDULE_FLAG_SINGLE_GROUP; /* the vectors are passes of the algorithm */
  }
  if (code == REBAL_OK) {
    code = rebal_result_new(NULL, &result, err);
  }
  if (code == REBAL_OK) {
    code = rebali_replay_run(&replay, result, err);
  }
  if (code == REBAL_OK) {
    code = compare(&line, &replay, result, same, texts, err);
  }
  rebal_result_free(result);
  rebali_replay_dispose(&replay);
  return code;
}

/* Fills the caller's error from a complete one, with the field's position in the line. */
static int32_t fail_in_line(const char *line, size_t len, const rebal_error *local, rebal_error *err) {
  uint32_t at = local->line, column = local->column;
  if (at == 0) {
    (void)rebali_locate(line, len, 1, local->field, &at, &column);
  }
  (void)rebali_fail(err, local->code, -1, "%s", local->message);
  rebali_fail_field(err, local->field);
  rebali_fail_at(err, local->where, 1, at, column);
  return local->code;
}

int32_t rebal_manifest_replay_call(const char *line, size_t len, const rebal_manifest_limits *limits, int32_t *same,
                                   rebal_text *recorded, rebal_text *replayed, rebal_text *differences,
                                   rebal_error *err) {
  const struct texts texts = {recorded, replayed, differences};
  rebal_error local = REBAL_ERROR_INIT;
  struct rebali_limits known;
  json_t **documents = NULL;
  size_t n = 0;
  int32_t result;
  if (same == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a place for the verdict is needed");
  }
  result = rebali_take_stream(&line, &len, "line", err);
  if (result == REBAL_OK) {
    result = rebali_limits_read(limits, &known, err);
  }
  if (result == REBAL_OK) {
    result = rebali_text_read(line, len, &known, &documents, &n, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  result = n == 1 ? replay_tree(documents[0], same, &texts, &local)
                  : rebali_fail(&local, REBAL_EPARSE, -1, "expected one record");
  rebali_documents_free(documents, n);
  local.code = result;
  return result == REBAL_OK ? result : fail_in_line(line, len, &local, err);
}
