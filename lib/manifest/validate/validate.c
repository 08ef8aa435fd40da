/* SPDX-License-Identifier: MIT */
/* Every object of a text, examined. */
#include "manifest/validate/validate.h"

#include <string.h>

/* What goes on from object to object. */
struct examination {
  struct rebali_check check;
  struct rebali_beside beside;
  json_t *seen; /* a member for each object */
  int is_scenario;
};

static void put_key(struct rebali_buffer *key, const char *text) {
  rebali_buffer_text(key, text);
  rebali_buffer_text(key, "\n"); /* in no valid name */
}

/* The last look at an object, which gets the namespace it stands for. */
static void check_duplicate(struct examination *examination, json_t *tree, const struct rebali_path *path) {
  const struct rebali_path metadata = rebali_path_key(path, "metadata"), at = rebali_path_key(&metadata, "name");
  const json_t *members = rebali_member(tree, "metadata");
  struct rebali_buffer key = REBALI_BUFFER;
  const char *name = rebali_member_text(members, "name");
  if (name[0] == '\0') {
    return;
  }
  if (rebali_admit_namespace(tree, NULL) != REBAL_OK) {
    examination->check.result = REBAL_ENOMEM;
    return;
  }
  put_key(&key, rebali_member_text(tree, "kind"));
  put_key(&key, rebali_member_text(members, "namespace"));
  put_key(&key, name);
  if (key.failed) {
    examination->check.result = REBAL_ENOMEM;
  } else if (json_object_get(examination->seen, key.bytes) != NULL) {
    rebali_find(&examination->check, REBAL_FINDING_DUPLICATE_OBJECT, &at, "%s %.200s is there a second time",
                rebali_member_text(tree, "kind"), name);
  } else if (json_object_set_new_nocheck(examination->seen, key.bytes, json_true()) != 0) {
    examination->check.result = REBAL_ENOMEM;
  }
  rebali_buffer_dispose(&key);
}

/* Unknown members are the business of kinds of which everything is known. */
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

/* Findings lead to the members as the text spells them. */
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

static void check_object(struct examination *examination, json_t *tree, const struct rebali_path *path) {
  struct rebali_check *check = &examination->check;
  const struct rebali_kind *kind = rebali_kind_of(tree);
  const struct rebali_path version = rebali_path_key(path, "apiVersion");
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
  if (rebali_kind_is_other_version(tree)) {
    rebali_find(check, REBAL_FINDING_UNKNOWN_VERSION, &version, "only apiVersion, kind and metadata were looked at");
  }
  rebali_check_rules(check, path);
  if (kind != NULL && rebali_is_spread(tree)) {
    check_spread(examination, tree, path);
  } else if (kind != NULL && rebali_is_united(tree)) {
    rebali_check_united(check, tree, NULL, path);
  }
  check_duplicate(examination, tree, path);
}

/* What admission allows and reads is a matter of the options that a scenario is played with. */
int rebali_check_option(const struct rebali_check *check, const char *name) {
  const json_t *option = rebali_member(check->compat, name);
  return json_is_true(option) || (json_is_integer(option) && json_integer_value(option) != 0);
}

/* The head of a scenario and its steps are no objects; simulations examine them. */
static int tells_a_scenario(struct examination *examination, const json_t *tree) {
  const char *version = rebali_member_text(tree, "apiVersion"), *kind = rebali_member_text(tree, "kind");
  if (examination->check.document == 1) {
    examination->is_scenario = strcmp(version, "simulation.rebalance/v1") == 0 && strcmp(kind, "Scenario") == 0;
    if (examination->is_scenario) {
      examination->check.compat = rebali_member(rebali_member(tree, "options"), "compat");
    }
    return examination->is_scenario;
  }
  return examination->is_scenario && strcmp(kind, "Step") == 0;
}

static void check_document(struct examination *examination, json_t *tree) {
  const struct rebali_path items = rebali_path_key(NULL, "items");
  struct rebali_check *check = &examination->check;
  json_t *list = rebali_is_list(tree) ? rebali_member(tree, "items") : NULL;
  if (tells_a_scenario(examination, tree)) {
    return;
  }
  if (!rebali_is_list(tree)) {
    check_object(examination, tree, NULL);
  } else if (list != NULL && !json_is_array(list)) {
    rebali_find(check, REBAL_FINDING_WRONG_TYPE, &items, "expected a list");
  }
  for (size_t i = 0; i < json_array_size(list); i++) {
    const struct rebali_path at = rebali_path_index(&items, i);
    json_t *item = json_array_get(list, i);
    if (rebali_list_complete(tree, item, NULL) != REBAL_OK) {
      check->result = REBAL_ENOMEM;
    } else if (rebali_is_list(item)) {
      rebali_find(check, REBAL_FINDING_WRONG_TYPE, &at, "a List within a List");
    } else {
      check_object(examination, item, &at);
    }
  }
}

/* Every object of a document, for those beside it. */
static int32_t note_document(struct rebali_beside *beside, json_t *tree) {
  json_t *list = rebali_is_list(tree) ? rebali_member(tree, "items") : NULL;
  int32_t result = rebali_beside_add(beside, tree, NULL);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(list); i++) {
    json_t *item = json_array_get(list, i);
    result = rebali_list_complete(tree, item, NULL);
    result = result == REBAL_OK ? rebali_beside_add(beside, item, NULL) : result;
  }
  return result;
}

static int32_t examine(json_t *const *documents, size_t n, const char *text, size_t len, rebal_findings *findings) {
  struct examination examination = {{findings, 0, NULL, REBAL_OK, NULL}, {NULL, NULL, NULL, 0, 0}, json_object(), 0};
  int32_t result = examination.seen != NULL ? rebali_beside_open(&examination.beside, 0, NULL) : REBAL_ENOMEM;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = note_document(&examination.beside, documents[i]);
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    examination.check.document = (uint32_t)(i + 1);
    check_document(&examination, documents[i]);
    result = examination.check.result;
  }
  json_decref(examination.seen);
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
  rebal_findings *findings;
  json_t **documents = NULL;
  size_t n = 0;
  int32_t result;
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  result = rebali_take_stream(&text, &len, "text", err);
  if (result == REBAL_OK) {
    result = rebali_limits_read(limits, &loaded, err);
  }
  if (result == REBAL_OK) {
    result = rebali_text_read(text, len, &loaded, &documents, &n, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  findings = rebali_findings_new();
  result = findings != NULL ? examine(documents, n, text, len, findings) : REBAL_ENOMEM;
  rebali_documents_free(documents, n);
  if (result != REBAL_OK) {
    rebal_findings_free(findings);
    return rebali_fail(err, result, -1, "%s", rebal_strerror(result));
  }
  *out = findings;
  return REBAL_OK;
}
