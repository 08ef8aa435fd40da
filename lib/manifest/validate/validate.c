/* SPDX-License-Identifier: MIT */
/* Checks every object of a text. */
#include "manifest/validate/validate.h"

#include <string.h>

/* State kept across objects. */
struct examination {
  struct rebali_check check;
  struct rebali_beside beside;
  const struct rebali_packed *packed;
  json_t *seen;     /* a member for each object */
  json_t *scenario; /* the head of a scenario, if the text is one */
};

static void put_key(struct rebali_buffer *key, const char *text) {
  rebali_buffer_text(key, text);
  rebali_buffer_text(key, "\n"); /* in no valid name */
}

/* The last check of an object, which gets its default namespace. */
static void check_duplicate(struct examination *examination, json_t *tree, const struct rebali_path *path) {
  const struct rebali_path metadata = rebali_path_key(path, "metadata"), at = rebali_path_key(&metadata, "name");
  const json_t *members = rebali_member(tree, "metadata");
  struct rebali_buffer key = REBALI_BUFFER;
  const char *name = rebali_member_text(members, "name"), *api_version = rebali_member_text(tree, "apiVersion");
  if (name[0] == '\0') {
    return;
  }
  if (rebali_admit_namespace(NULL, tree, NULL) != REBAL_OK) {
    examination->check.result = REBAL_ENOMEM;
    return;
  }
  rebali_buffer_append(&key, api_version, rebali_group_len(api_version));
  put_key(&key, "");
  put_key(&key, rebali_member_text(tree, "kind"));
  put_key(&key, rebali_member_text(members, "namespace"));
  put_key(&key, name);
  if (key.failed) {
    examination->check.result = REBAL_ENOMEM;
  } else if (json_object_get(examination->seen, key.bytes) != NULL) {
    rebali_find(&examination->check, REBAL_FINDING_DUPLICATE_OBJECT, &at, "%s %.200s occurs a second time",
                rebali_member_text(tree, "kind"), name);
  } else if (json_object_set_new_nocheck(examination->seen, key.bytes, json_true()) != 0) {
    examination->check.result = REBAL_ENOMEM;
  }
  rebali_buffer_dispose(&key);
}

/* Only kinds whose members are all known report unknown members. */
static void check_any(struct rebali_check *check, const json_t *tree, const struct rebali_path *path) {
  static const char *const keys[] = {"apiVersion", "kind", "metadata"};
  json_t *known = json_object();
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    json_t *value = rebali_member(tree, keys[i]);
    if (value != NULL && json_object_set_nocheck(known, keys[i], value) != 0) {
      check->result = REBAL_ENOMEM;
    }
  }
  if (known == NULL) {
    check->result = REBAL_ENOMEM;
  } else if (check->result == REBAL_OK) {
    rebali_check_shape(check, &rebali_shapes[REBALI_SHAPE_ANY_OBJECT], known, path);
  }
  json_decref(known);
}

/* Findings name the members in the spelling of the text. */
static void check_spread(struct examination *examination, const json_t *tree, const struct rebali_path *path) {
  const struct rebali_spread_names *names = rebali_spread_names(rebali_member_text(tree, "apiVersion"));
  struct rebali_spread_check spread = {&examination->check,
                                       tree,
                                       names,
                                       names,
                                       &examination->beside,
                                       NULL,
                                       rebali_check_option(&examination->check, "spread-long-wait")};
  rebali_check_spread(&spread, NULL, path);
  rebali_warn_spread(&spread, path);
}

/* Parts for which Karmada would call its interpreter, unlike this library. */
static void check_interpreter(struct rebali_check *check, const json_t *tree, const struct rebali_path *path) {
  const char *kind = rebali_member_text(tree, "kind");
  const json_t *target = rebali_member(rebali_member(tree, "spec"), "target");
  const struct rebali_path spec = rebali_path_key(path, "spec"), at = rebali_path_key(&spec, "target"),
                           webhooks = rebali_path_key(path, "webhooks");
  if (rebali_group_compare(rebali_member_text(tree, "apiVersion"), "config.karmada.io/v1alpha1") != 0) {
    return;
  }
  if (strcmp(kind, "ResourceInterpreterCustomization") == 0) {
    rebali_find(check, REBAL_FINDING_NOT_RUN, &at, "answers for %.80s of %.80s may differ",
                rebali_member_text(target, "kind"), rebali_member_text(target, "apiVersion"));
  } else if (strcmp(kind, "ResourceInterpreterWebhookConfiguration") == 0) {
    rebali_find(check, REBAL_FINDING_NOT_RUN, &webhooks, "answers for the kinds of these webhooks may differ");
  }
}

static void check_object(struct examination *examination, json_t *tree, const struct rebali_path *path) {
  struct rebali_check *check = &examination->check;
  const struct rebali_kind *kind = rebali_kind_of(tree);
  if (!rebali_is_map(tree)) {
    rebali_find(check, REBAL_FINDING_WRONG_TYPE, path, "expected a map");
    return;
  }
  check->tree = tree;
  if (kind != NULL) {
    rebali_check_shape(check, kind->shape, tree, path);
  } else {
    check_any(check, tree, path);
  }
  rebali_check_kind(check, tree, path);
  rebali_check_rules(check, path);
  check_interpreter(check, tree, path);
  rebali_check_workload(check, tree, path);
  if (kind != NULL && rebali_is_spread(tree)) {
    check_spread(examination, tree, path);
  } else if (kind != NULL && rebali_is_united(tree)) {
    rebali_check_united(check, tree, NULL, path);
  }
  check_duplicate(examination, tree, path);
}

/* The options of a scenario determine what admission allows and reads. */
int rebali_check_option(const struct rebali_check *check, const char *name) {
  const json_t *option = rebali_member(check->compat, name);
  return json_is_true(option) || (json_is_integer(option) && json_integer_value(option) != 0);
}

/* The head of a scenario and its steps are not objects; simulations check them. */
static int is_scenario(struct examination *examination, json_t *tree) {
  const char *version = rebali_member_text(tree, "apiVersion"), *kind = rebali_member_text(tree, "kind");
  if (examination->check.document > 1) {
    return examination->scenario != NULL && strcmp(kind, "Step") == 0;
  }
  if (strcmp(version, "simulation.rebalance/v1") != 0 || strcmp(kind, "Scenario") != 0) {
    return 0;
  }
  examination->scenario = json_incref(tree);
  examination->check.compat = rebali_member(rebali_member(tree, "options"), "compat");
  return 1;
}

/* Checks an item of a List, which completes it. */
static void check_item(struct examination *examination, const json_t *list, json_t *item, size_t index) {
  const struct rebali_path items = rebali_path_key(NULL, "items"), at = rebali_path_index(&items, index);
  struct rebali_check *check = &examination->check;
  if (rebali_list_complete(list, item, NULL) != REBAL_OK) {
    check->result = REBAL_ENOMEM;
  } else if (rebali_is_list(item)) {
    rebali_find(check, REBAL_FINDING_WRONG_TYPE, &at, "a List within a List");
  } else {
    check_object(examination, item, &at);
  }
}

static void check_list(struct examination *examination, const json_t *tree, size_t i) {
  const struct rebali_path items = rebali_path_key(NULL, "items");
  const json_t *list = rebali_member(tree, "items");
  const size_t apart = examination->packed->documents[i].n_items;
  struct rebali_check *check = &examination->check;
  if (list != NULL && !json_is_array(list)) {
    rebali_find(check, REBAL_FINDING_WRONG_TYPE, &items, "expected a list");
  }
  for (size_t k = 0; check->result == REBAL_OK && k < apart; k++) {
    json_t *item;
    check->result = rebali_packed_item(examination->packed, i, k, &item, NULL);
    if (check->result == REBAL_OK) {
      check_item(examination, tree, item, k);
    }
    json_decref(item);
  }
  for (size_t k = 0; k < json_array_size(list); k++) {
    check_item(examination, tree, json_array_get(list, k), apart + k);
  }
}

static void check_document(struct examination *examination, size_t i) {
  struct rebali_check *check = &examination->check;
  json_t *tree;
  check->document = (uint32_t)(i + 1);
  check->result = rebali_packed_document(examination->packed, i, &tree, NULL);
  if (check->result == REBAL_OK && !is_scenario(examination, tree)) {
    if (rebali_is_list(tree)) {
      check_list(examination, tree, i);
    } else {
      check->result = rebali_packed_restore(examination->packed, i, tree, NULL);
      if (check->result == REBAL_OK) {
        check_object(examination, tree, NULL);
      }
    }
  }
  json_decref(tree);
}

/* ---- other objects ---- */

static int32_t note_item(struct rebali_beside *beside, const json_t *list, json_t *item, int is_second) {
  const int32_t result = rebali_list_complete(list, item, NULL);
  return result == REBAL_OK ? rebali_beside_note(beside, item, is_second, NULL) : result;
}

static int32_t note_document(struct examination *examination, size_t i, int is_second) {
  const struct rebali_packed *packed = examination->packed;
  json_t *tree, *list;
  int32_t result = rebali_packed_document(packed, i, &tree, NULL);
  if (result == REBAL_OK) {
    result = rebali_beside_note(&examination->beside, tree, is_second, NULL);
  }
  list = result == REBAL_OK && rebali_is_list(tree) ? rebali_member(tree, "items") : NULL;
  for (size_t k = 0; result == REBAL_OK && list != NULL && k < packed->documents[i].n_items; k++) {
    json_t *item;
    result = rebali_packed_item(packed, i, k, &item, NULL);
    if (result == REBAL_OK) {
      result = note_item(&examination->beside, tree, item, is_second);
    }
    json_decref(item);
  }
  for (size_t k = 0; result == REBAL_OK && k < json_array_size(list); k++) {
    result = note_item(&examination->beside, tree, json_array_get(list, k), is_second);
  }
  json_decref(tree);
  return result;
}

/* Only WorkloadSpreads depend on other objects: without them this would be read in vain. */
static int mentions_spreads(const struct rebali_packed *packed) {
  static const char kind[] = "\"WorkloadSpread\"";
  int is_found = 0;
  for (size_t i = 0; !is_found && i < packed->n; i++) {
    is_found = strstr(packed->text.bytes + packed->documents[i].text, kind) != NULL;
  }
  for (size_t i = 0; !is_found && i < packed->n_items; i++) {
    is_found = strstr(packed->text.bytes + packed->items[i], kind) != NULL;
  }
  return is_found;
}

/* Reads WorkloadSpreads before workloads, of which only their targets are kept. */
static int32_t note_all(struct examination *examination) {
  int32_t result = rebali_beside_open(&examination->beside, 0, NULL);
  const int passes = mentions_spreads(examination->packed) ? 2 : 0;
  for (int pass = 0; pass < passes; pass++) {
    for (size_t i = 0; result == REBAL_OK && i < examination->packed->n; i++) {
      result = note_document(examination, i, pass == 1);
    }
  }
  return result;
}

static int32_t examine(const struct rebali_packed *packed, const char *text, size_t len, rebal_findings *findings) {
  struct examination examination = {
      .check = {findings, 0, NULL, REBAL_OK, NULL}, .packed = packed, .seen = json_object()};
  int32_t result = examination.seen != NULL ? note_all(&examination) : REBAL_ENOMEM;
  for (size_t i = 0; result == REBAL_OK && i < packed->n; i++) {
    check_document(&examination, i);
    result = examination.check.result;
  }
  json_decref(examination.seen);
  json_decref(examination.scenario);
  rebali_beside_close(&examination.beside);
  if (result == REBAL_OK) {
    result = rebali_findings_locate(findings, text, len);
    rebali_findings_sort(findings);
  }
  return result;
}

int32_t rebal_manifest_validate(const char *text, size_t len, const rebal_manifest_limits *limits, rebal_findings **out,
                                rebal_error *err) {
  struct rebali_limits loaded;
  struct rebali_packed packed;
  rebal_findings *findings;
  int32_t result;
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  result = rebali_take_stream(&text, &len, "text", err);
  if (result == REBAL_OK) {
    result = rebali_limits_read(limits, &loaded, err);
  }
  if (result == REBAL_OK) {
    result = rebali_packed_read(&packed, text, len, &loaded, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  findings = rebali_findings_new();
  result = findings != NULL ? examine(&packed, text, len, findings) : REBAL_ENOMEM;
  rebali_packed_dispose(&packed);
  if (result != REBAL_OK) {
    rebal_findings_free(findings);
    return rebali_fail(err, result, -1, "%s", rebal_strerror(result));
  }
  *out = findings;
  return REBAL_OK;
}
