/* SPDX-License-Identifier: MIT */
/* The calls of the interpreter: an operation on one object, by the row of its kind. */
#include "detector/interpret/interpret.h"

#include "manifest/patch/document.h"

#include <string.h>

enum { OPERATIONS = REBAL_INTERPRET_DEPENDENCIES + 1 };

static const struct rebali_interpret_options defaults = {0, 0, {0, 0, 0}, NULL, {NULL, 0}};

static rebali_interpretation *rule_of(const struct rebali_interpreted *kind, uint32_t operation) {
  switch (operation) {
    case REBAL_INTERPRET_REPLICAS:
      return kind->replicas;
    case REBAL_INTERPRET_COMPONENTS:
      return kind->components;
    case REBAL_INTERPRET_REVISE:
      return kind->revise;
    case REBAL_INTERPRET_AGGREGATE:
      return kind->aggregate;
    case REBAL_INTERPRET_STATUS:
      return kind->status;
    case REBAL_INTERPRET_HEALTH:
      return kind->health;
    case REBAL_INTERPRET_DEPENDENCIES:
      return kind->dependencies;
    default:
      return rebali_none;
  }
}

/* ---- unknown kinds ---- */

/*
 * Returns the row of an object's kind. A kind missing from the table supports status, and replicas if the options name
 * it.
 */
static struct rebali_interpreted row_of(const json_t *object, const struct rebali_interpret_options *options,
                                        char *path) {
  const struct rebali_interpreted *known = rebali_interpreted_of(object);
  struct rebali_interpreted row = {rebali_member_text(object, "apiVersion"),
                                   rebali_member_text(object, "kind"),
                                   REBALI_TYPE_NONE,
                                   NULL,
                                   NULL,
                                   0,
                                   rebali_none,
                                   rebali_none,
                                   rebali_none,
                                   rebali_none,
                                   rebali_none,
                                   rebali_whole_status,
                                   rebali_none,
                                   NULL,
                                   REBALI_TYPE_NONE};
  if (known != NULL) {
    return *known;
  }
  if (options != NULL && rebali_replicas_path(options->replicas_paths, object, path)) {
    row.replicas_path = path;
    row.replicas = rebali_replicas_at_path;
    row.revise = rebali_typed_revise;
  }
  return row;
}

uint32_t rebali_interpret_operations(const json_t *object, const struct rebali_interpret_options *options) {
  char path[REBALI_REPLICAS_PATH_SIZE];
  const struct rebali_interpreted kind = row_of(object, options, path);
  uint32_t bits = kind.is_retained ? UINT32_C(1) << REBAL_INTERPRET_RETAIN : 0;
  for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
    if (rule_of(&kind, operation) != rebali_none) {
      bits |= UINT32_C(1) << operation;
    }
  }
  return bits;
}

/* Tests whether an operation reads the object as decoded by its type. */
static int is_decoded(const struct rebali_interpreted *kind, uint32_t operation) {
  return kind->type != REBALI_TYPE_NONE &&
         (operation == REBAL_INTERPRET_REPLICAS || operation == REBAL_INTERPRET_HEALTH ||
          operation == REBAL_INTERPRET_DEPENDENCIES);
}

int32_t rebali_interpret(const json_t *object, uint32_t operation, const struct rebali_interpret_options *options,
                         json_t **answer, rebal_error *err) {
  char path[REBALI_REPLICAS_PATH_SIZE];
  const struct rebali_interpreted kind = row_of(object, options, path);
  struct rebali_interpreting in = {REBAL_OK, err, &kind, options != NULL ? options : &defaults};
  rebali_interpretation *rule = rule_of(in.kind, operation);
  *answer = NULL;
  if (is_decoded(in.kind, operation) && rule != rebali_none) {
    json_t *decoded = rebali_decoded(&in, in.kind->type, object);
    *answer = decoded != NULL ? rule(&in, decoded) : NULL;
    json_decref(decoded);
  } else {
    *answer = rule(&in, object);
  }
  *answer = rebali_finished(&in, *answer);
  return in.result;
}

int32_t rebali_interpret_replicas(const json_t *object, const struct rebali_interpret_options *options,
                                  int32_t *replicas, json_t **requirements, rebal_error *err) {
  json_t *answer;
  const int32_t result = rebali_interpret(object, REBAL_INTERPRET_REPLICAS, options, &answer, err);
  *replicas = (int32_t)rebali_integer_of(answer, "replicas");
  *requirements = rebali_share(rebali_member(answer, "requirements"));
  json_decref(answer);
  return result;
}

/* ---- public calls ---- */

uint32_t rebal_interpret_operations(const rebal_document *object) {
  return object != NULL ? rebali_interpret_operations(object->tree, NULL) : 0;
}

static int32_t load_options(const rebal_interpret_opts *opts, struct rebali_interpret_options *out, rebal_error *err) {
  rebal_interpret_opts loaded;
  struct rebali_text text = {"", 0};
  int32_t result = rebali_options_load(&loaded, sizeof loaded, sizeof loaded, opts, err);
  if (result == REBAL_OK && (loaded.flags != 0 || loaded.gates >> REBAL_DETECTOR_GATE_PROPAGATE_DEPS >> 1 != 0)) {
    result = rebali_fail(err, REBAL_EINVAL, -1, "flags or gates hold an unknown bit");
  }
  if (result == REBAL_OK) {
    result = rebali_text_take(loaded.replicas_paths, loaded.replicas_paths_len, "replicas_paths", &text, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  if (!rebali_replicas_paths_are_valid(text)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "replicas_paths: expected KIND=PATH,KIND=PATH");
  }
  *out = (struct rebali_interpret_options){loaded.gates, loaded.revise_to, loaded.now,
                                           loaded.items != NULL ? loaded.items->tree : NULL, text};
  return REBAL_OK;
}

int32_t rebal_interpret(const rebal_document *object, uint32_t operation, const rebal_interpret_opts *opts,
                        rebal_document **answer, rebal_error *err) {
  struct rebali_interpret_options options;
  json_t *tree = NULL;
  int32_t result;
  if (object == NULL || answer == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "object and answer are needed");
  }
  *answer = NULL;
  result = load_options(opts, &options, err);
  if (result == REBAL_OK) {
    result = rebali_interpret(object->tree, operation, &options, &tree, err);
  }
  return result == REBAL_OK && tree != NULL ? rebali_document_new(tree, answer, err) : result;
}
