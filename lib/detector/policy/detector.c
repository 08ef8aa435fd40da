/* SPDX-License-Identifier: MIT */
/* A detector: its options, its lists, and the public calls. */
#include "detector/interpret/interpret.h"
#include "detector/policy/policy.h"
#include "manifest/patch/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

char *rebali_object_key(const char *api_version, const char *kind, const char *namespace_, const char *name) {
  struct rebali_buffer key = REBALI_BUFFER;
  rebali_buffer_format(&key, "%s/%s/%s%s%s", api_version, kind, namespace_, namespace_[0] != '\0' ? "/" : "", name);
  if (key.failed) {
    rebali_buffer_dispose(&key);
    return NULL;
  }
  return key.bytes;
}

int32_t rebali_list_add(struct rebali_list *list, char *key, uint32_t object, uint32_t flags, rebal_error *err) {
  int32_t result = key != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = rebali_reserve_malloc(&list->entries, &list->capacity, list->n + 1, sizeof *list->entries, err);
  }
  if (result != REBAL_OK) {
    free(key);
    return result;
  }
  list->entries[list->n++] = (struct rebali_listed){key, object, flags};
  return REBAL_OK;
}

int32_t rebali_list_add_object(rebal_detector *detector, uint32_t list, uint32_t object, uint32_t flags,
                               rebal_error *err) {
  const struct rebali_object *found = &detector->store->objects[object];
  return rebali_list_add(&detector->lists[list],
                         rebali_object_key(found->api_version, found->kind, found->namespace_, found->name), object,
                         flags, err);
}

size_t rebali_list_find(const struct rebali_list *list, uint32_t object) {
  size_t i = 0;
  while (i < list->n && list->entries[i].object != object) {
    i++;
  }
  return i;
}

void rebali_list_remove(struct rebali_list *list, size_t at) {
  free(list->entries[at].key);
  memmove(list->entries + at, list->entries + at + 1, (list->n - at - 1) * sizeof *list->entries);
  list->n--;
}

static void clear(struct rebali_list *list) {
  for (size_t i = 0; i < list->n; i++) {
    free(list->entries[i].key);
  }
  list->n = 0;
}

/* ---- shared functions -------- */

int rebali_gate_is_on(const rebal_detector *detector, uint32_t gate) {
  return ((REBAL_DETECTOR_GATES_ON ^ detector->gates) >> gate & 1) != 0;
}

void rebali_detector_say(rebal_detector *detector, const char *format, ...) {
  va_list arguments;
  char text[512];
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  rebali_buffer_clear(&detector->message);
  rebali_buffer_text(&detector->message, text);
}

const char *rebali_policy_id(const rebal_detector *detector, const json_t *policy, char *scratch) {
  const char *id = rebali_text_of(rebali_label(policy, rebali_policy_kind_of(policy)->id));
  if (id[0] != '\0' || (detector->flags & REBAL_DETECTOR_FLAG_ADMISSION) == 0) {
    return id;
  }
  id = rebali_metadata_text(policy, "uid");
  if (id[0] == '\0') {
    rebali_uid_print(policy, scratch, 64);
    id = scratch;
  }
  return id;
}

int32_t rebali_detector_write(rebal_detector *detector, uint32_t object, json_t *tree, const json_t *before,
                              rebal_error *err) {
  int32_t result;
  if (json_equal(tree, before)) {
    return REBAL_OK;
  }
  result = rebali_metadata_update(tree, before, err);
  return result == REBAL_OK ? rebali_store_replace_tree(detector->store, object, tree, err) : result;
}

/* Returns the first missing override that a policy depends on, or NULL. */
static const char *missing_override(const rebal_detector *detector, const json_t *policy) {
  const json_t *names = rebali_member(rebali_member(policy, "spec"), "dependentOverrides");
  const char *kind = rebali_policy_kind_of(policy)->override;
  for (size_t i = 0; i < json_array_size(names); i++) {
    const char *name = rebali_text_of(json_array_get(names, i));
    if (rebali_store_find_text(detector->store, REBALI_POLICY_API, kind, rebali_metadata_text(policy, "namespace"),
                               name) == REBAL_NONE) {
      return name;
    }
  }
  return NULL;
}

int rebali_has_overrides(const rebal_detector *detector, const json_t *policy) {
  return missing_override(detector, policy) == NULL;
}

int rebali_waits_for_overrides(rebal_detector *detector, const json_t *policy, rebal_detector_row *row) {
  const char *missing = missing_override(detector, policy);
  if (missing == NULL) {
    return 0;
  }
  row->outcome = REBAL_DETECTOR_OUTCOME_WAITING_OVERRIDES;
  rebali_detector_say(detector, "the %s %s that the policy depends on is missing",
                      rebali_policy_kind_of(policy)->override, missing);
  return 1;
}

/* ---- opening ---- */

static int32_t copy_paths(rebal_detector *detector, const rebal_detector_opts *loaded, rebal_error *err) {
  struct rebali_text text = {"", 0};
  int32_t result = rebali_text_take(loaded->replicas_paths, loaded->replicas_paths_len, "replicas_paths", &text, err);
  if (result != REBAL_OK || text.len == 0) {
    return result;
  }
  if (!rebali_replicas_paths_are_valid(text)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "replicas_paths: expected KIND=PATH,KIND=PATH");
  }
  detector->replicas_paths = malloc(text.len);
  if (detector->replicas_paths == NULL) {
    return rebali_fail_memory(err);
  }
  memcpy(detector->replicas_paths, text.bytes, text.len);
  detector->replicas_paths_len = text.len;
  return REBAL_OK;
}

static int32_t open(rebal_detector *detector, const rebal_detector_opts *opts, rebal_error *err) {
  rebal_detector_opts loaded;
  struct rebali_text apis = {"", 0};
  int32_t result = rebali_options_load(&loaded, sizeof loaded, sizeof loaded, opts, err);
  if (result == REBAL_OK && (loaded.flags & ~(uint32_t)REBAL_DETECTOR_FLAG_ADMISSION) != 0) {
    result = rebali_fail(err, REBAL_EINVAL, -1, "flags hold an unknown bit");
  }
  if (result == REBAL_OK && loaded.gates >> REBAL_DETECTOR_GATE_PROPAGATE_DEPS >> 1 != 0) {
    result = rebali_fail(err, REBAL_EINVAL, -1, "gates hold an unknown bit");
  }
  if (result == REBAL_OK) {
    result = rebali_text_take(loaded.skipped_apis, loaded.skipped_apis_len, "skipped_apis", &apis, err);
  }
  if (result == REBAL_OK) {
    result = rebali_skipped_open(&detector->skipped, loaded.skipped_namespaces, loaded.n_skipped_namespaces, apis.bytes,
                                 apis.len, err);
  }
  if (result == REBAL_OK) {
    result = copy_paths(detector, &loaded, err);
  }
  detector->flags = loaded.flags;
  detector->gates = loaded.gates;
  return result;
}

int32_t rebal_detector_new(rebal_store *store, const rebal_detector_opts *opts, rebal_detector **out,
                           rebal_error *err) {
  rebal_detector *detector;
  int32_t result;
  if (store == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and out are needed");
  }
  detector = calloc(1, sizeof *detector);
  if (detector == NULL) {
    return rebali_fail_memory(err);
  }
  detector->store = store;
  detector->message = (struct rebali_buffer)REBALI_BUFFER;
  result = open(detector, opts, err);
  if (result != REBAL_OK) {
    rebal_detector_free(detector);
    detector = NULL;
  }
  *out = detector;
  return result;
}

void rebal_detector_free(rebal_detector *detector) {
  if (detector == NULL) {
    return;
  }
  for (size_t i = 0; i < REBALI_LISTS; i++) {
    clear(&detector->lists[i]);
    free(detector->lists[i].entries);
  }
  for (size_t i = 0; i < 2; i++) {
    rebali_selection_clear(&detector->selections[i]);
  }
  for (size_t i = 0; i < detector->n_known; i++) {
    json_decref(detector->known[i].tree);
  }
  free(detector->known);
  rebali_skipped_close(&detector->skipped);
  rebali_buffer_dispose(&detector->message);
  free(detector->replicas_paths);
  free(detector);
}

/* ---- passes ---- */

static int32_t set_now(rebal_detector *detector, const rebal_time *now, rebal_error *err) {
  if (detector == NULL || now == NULL || !now->is_set) {
    return rebali_fail(err, REBAL_EINVAL, -1, "detector and now are needed");
  }
  detector->now = *now;
  return REBAL_OK;
}

static int32_t begin(rebal_detector *detector, uint32_t object, const rebal_detector_row *given,
                     rebal_detector_row *row, rebal_error *err) {
  int32_t result;
  if (detector == NULL || given == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "detector and row are needed");
  }
  result = rebali_structure_check(given, sizeof *given, err);
  if (result == REBAL_OK && !rebali_store_has(detector->store, object)) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  }
  rebali_buffer_clear(&detector->message);
  *row = (rebal_detector_row){0, 0, REBAL_NONE, REBAL_NONE, "", 0, 0, 0};
  return result;
}

static int32_t end(const rebal_detector *detector, rebal_detector_row *row, rebal_detector_row *out, rebal_error *err) {
  if (detector->message.failed) {
    return rebali_fail_memory(err);
  }
  if (detector->message.len > 0) {
    row->message = detector->message.bytes;
    row->message_len = detector->message.len;
  }
  rebali_structure_fill(out, row, sizeof *row);
  return REBAL_OK;
}

int32_t rebal_detector_template(rebal_detector *detector, uint32_t object, uint32_t flags, const rebal_time *now,
                                rebal_detector_row *row, rebal_error *err) {
  rebal_detector_row filled;
  int32_t result = set_now(detector, now, err);
  if (result == REBAL_OK) {
    result = begin(detector, object, row, &filled, err);
  }
  if (result == REBAL_OK && (flags & ~(uint32_t)REBAL_DETECTOR_PASS_BY_KARMADA) != 0) {
    result = rebali_fail(err, REBAL_EINVAL, -1, "flags hold an unknown bit");
  }
  if (result == REBAL_OK) {
    result = rebali_detector_pass(detector, object, flags, &filled, err);
  }
  return result == REBAL_OK ? end(detector, &filled, row, err) : result;
}

int32_t rebal_detector_policy(rebal_detector *detector, uint32_t object, const rebal_document *old,
                              const rebal_time *now, rebal_detector_row *row, rebal_error *err) {
  rebal_detector_row filled;
  int32_t result = set_now(detector, now, err);
  if (result == REBAL_OK) {
    result = begin(detector, object, row, &filled, err);
  }
  if (result == REBAL_OK && !rebali_object_is_policy(&detector->store->objects[object])) {
    result = rebali_fail(err, REBAL_EINVAL, -1, "the object is not a policy");
  }
  if (result == REBAL_OK) {
    result = rebali_policy_event(detector, object, old != NULL ? old->tree : NULL, &filled, err);
  }
  return result == REBAL_OK ? end(detector, &filled, row, err) : result;
}

int32_t rebal_detector_look(rebal_detector *detector, uint32_t object, rebal_detector_row *row, rebal_error *err) {
  rebal_detector_row filled;
  json_t *tree = NULL;
  int32_t result = begin(detector, object, row, &filled, err);
  if (result == REBAL_OK) {
    result = rebali_store_share(detector->store, object, &tree, err);
  }
  if (result == REBAL_OK) {
    result = rebali_look(detector, tree, &filled, err);
  }
  json_decref(tree);
  return result == REBAL_OK ? end(detector, &filled, row, err) : result;
}

int32_t rebal_detector_match(rebal_detector *detector, uint32_t policy, uint32_t object, uint32_t *precision,
                             rebal_error *err) {
  json_t *selecting = NULL, *selected = NULL;
  int32_t result;
  if (detector == NULL || precision == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "detector and precision are needed");
  }
  result = rebali_store_has(detector->store, policy) && rebali_store_has(detector->store, object)
               ? rebali_store_share(detector->store, policy, &selecting, err)
               : rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  if (result == REBAL_OK) {
    result = rebali_store_share(detector->store, object, &selected, err);
  }
  if (result == REBAL_OK) {
    *precision = rebali_policy_precision(selecting, selected);
  }
  json_decref(selecting);
  json_decref(selected);
  return result;
}

/* ---- reading the lists ---- */

size_t rebal_detector_count(const rebal_detector *detector, uint32_t list) {
  return detector != NULL && list < REBALI_LIST_FAILED ? detector->lists[list].n : 0;
}

int32_t rebal_detector_read(const rebal_detector *detector, uint32_t list, size_t i, rebal_detector_entry *out,
                            rebal_error *err) {
  rebal_detector_entry entry;
  const struct rebali_listed *listed;
  int32_t result;
  if (detector == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "detector and out are needed");
  }
  result = rebali_structure_check(out, sizeof *out, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (i >= rebal_detector_count(detector, list)) {
    return rebali_fail(err, REBAL_ERANGE, -1, "the list has no such entry");
  }
  listed = &detector->lists[list].entries[i];
  entry = (rebal_detector_entry){
      0, listed->flags, rebali_store_has(detector->store, listed->object) ? listed->object : REBAL_NONE,
      0, listed->key,   strlen(listed->key)};
  rebali_structure_fill(out, &entry, sizeof entry);
  return REBAL_OK;
}

int32_t rebal_detector_clear(rebal_detector *detector, uint32_t list, rebal_error *err) {
  if (detector == NULL || list >= REBALI_LIST_FAILED) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a detector and one of its lists are needed");
  }
  clear(&detector->lists[list]);
  return REBAL_OK;
}

int32_t rebal_detector_wait(rebal_detector *detector, uint32_t object, rebal_error *err) {
  struct rebali_list *waiting;
  if (detector == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a detector is needed");
  }
  if (!rebali_store_has(detector->store, object)) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  }
  waiting = &detector->lists[REBAL_DETECTOR_LIST_WAITING];
  return rebali_list_find(waiting, object) < waiting->n
             ? REBAL_OK
             : rebali_list_add_object(detector, REBAL_DETECTOR_LIST_WAITING, object, 0, err);
}
