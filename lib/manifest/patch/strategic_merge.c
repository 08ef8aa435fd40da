/* SPDX-License-Identifier: MIT */
/*
 * Strategic merge patches of maps (rebalance-workloadspread(7) 9.2). Recursion is as deep as the trees, whose depth
 * their
 * reader limits.
 */
#include "manifest/patch/strategic.h"

#include <string.h>

/* The map being built: the original until something changes. */
struct draft {
  json_t *map; /* owned */
  int is_own;  /* may it be changed? */
  const json_t *patch;
  const struct rebali_shape *shape;
  const struct rebali_path *path;
  json_t *ordered; /* names of lists whose order was given, as the keys of a map; NULL: none */
  rebal_error *err;
};

int rebali_is_own(const json_t *value, int is_own) {
  return is_own && value != NULL && value->refcount == 1;
}

/* ---- changing the draft ---- */

static int32_t open_draft(struct draft *draft) {
  json_t *copy;
  if (draft->is_own) {
    return REBAL_OK;
  }
  copy = rebali_copy(draft->map);
  if (copy == NULL) {
    return rebali_fail_memory(draft->err);
  }
  json_decref(draft->map);
  draft->map = copy;
  draft->is_own = 1;
  return REBAL_OK;
}

/* Takes ownership of the value, also on failure. */
static int32_t put(struct draft *draft, const char *key, json_t *value) {
  const int32_t result = open_draft(draft);
  if (result != REBAL_OK) {
    json_decref(value);
    return result;
  }
  return rebali_put(draft->map, key, value, draft->err);
}

static int32_t drop(struct draft *draft, const char *key) {
  int32_t result = REBAL_OK;
  if (json_object_get(draft->map, key) != NULL) {
    result = open_draft(draft);
    (void)json_object_del(draft->map, key);
  }
  return result;
}

/* Puts the merged value of a member; takes ownership of the value. */
static int32_t put_merged(struct draft *draft, const char *key, const json_t *before, json_t *value) {
  if (value == before) {
    json_decref(value);
    return REBAL_OK;
  }
  return put(draft, key, value);
}

/* ---- directives ---- */

/* "$patch": the patch replaces the whole map. */
static int32_t obey(const struct draft *draft, const json_t *directive, json_t **out) {
  const char *text = json_string_value(directive);
  if (text != NULL && strcmp(text, "delete") == 0) {
    *out = json_object();
  } else if (text != NULL && strcmp(text, "replace") == 0) {
    *out = rebali_copy(draft->patch);
    (void)json_object_del(*out, REBALI_DIRECTIVE);
  } else {
    return rebali_refuse_directive(draft->patch, draft->path, draft->err);
  }
  return *out != NULL ? REBAL_OK : rebali_fail_memory(draft->err);
}

static int is_directive_of_lists(const char *key) {
  return rebali_directive_name(key, REBALI_ELEMENT_ORDER) != NULL ||
         rebali_directive_name(key, REBALI_DELETE_SCALARS) != NULL;
}

/* Makes the texts of a list the keys of a map. */
static int32_t read_names(const json_t *list, json_t **out, rebal_error *err) {
  json_t *names = json_object();
  int failed = names == NULL;
  for (size_t i = 0; !failed && i < json_array_size(list); i++) {
    const char *name = json_string_value(json_array_get(list, i));
    failed = name != NULL && json_object_set_new_nocheck(names, name, json_null()) != 0;
  }
  if (failed) {
    json_decref(names);
    return rebali_fail_memory(err);
  }
  *out = names;
  return REBAL_OK;
}

/* Drops members of the original that are not listed. */
static int32_t drop_others(struct draft *draft, const json_t *names) {
  const int32_t result = open_draft(draft);
  void *at = result == REBAL_OK ? json_object_iter(draft->map) : NULL;
  while (at != NULL) {
    const char *key = json_object_iter_key(at);
    at = json_object_iter_next(draft->map, at);
    if (json_object_get(names, key) == NULL) {
      (void)json_object_del(draft->map, key);
    }
  }
  return result;
}

/* "$retainKeys": other members set by the patch are errors, other members of the original are dropped. */
static int32_t retain_keys(struct draft *draft) {
  const json_t *list = json_object_get(draft->patch, REBALI_RETAIN_KEYS);
  json_t *walked = (json_t *)(uintptr_t)draft->patch, *value, *names = NULL; /* jansson's iterators take no const */
  const char *key;
  int32_t result;
  if (list == NULL) {
    return REBAL_OK;
  }
  if (!json_is_array(list)) {
    return rebali_refuse(draft->path, draft->err, "invalid patch format of retainKeys");
  }
  result = read_names(list, &names, draft->err);
  if (result != REBAL_OK) {
    return result;
  }
  json_object_foreach(walked, key, value) {
    if (result == REBAL_OK && !json_is_null(value) && !is_directive_of_lists(key) && value != list &&
        json_object_get(names, key) == NULL) {
      result = rebali_refuse(draft->path, draft->err, "invalid patch format of retainKeys");
    }
  }
  if (result == REBAL_OK) {
    result = drop_others(draft, names);
  }
  json_decref(names);
  return result;
}

static int32_t note_ordered(struct draft *draft, const char *name) {
  if (draft->ordered == NULL) {
    draft->ordered = json_object();
  }
  return rebali_put(draft->ordered, name, json_null(), draft->err);
}

static int32_t set_element_order(struct draft *draft, const char *name, const json_t *order) {
  json_t *list = NULL;
  int32_t result = note_ordered(draft, name);
  if (result == REBAL_OK) {
    result = rebali_strategic_element_order(draft->map, draft->is_own, draft->patch, name, order, draft->shape,
                                            draft->path, &list, draft->err);
  }
  return list != NULL ? put_merged(draft, name, json_object_get(draft->map, name), list) : result;
}

static int32_t set_element_orders(struct draft *draft) {
  json_t *walked = (json_t *)(uintptr_t)draft->patch, *order; /* jansson's iterators take no const */
  const char *key;
  json_object_foreach(walked, key, order) {
    const char *name = rebali_directive_name(key, REBALI_ELEMENT_ORDER);
    const int32_t result = name != NULL ? set_element_order(draft, name, order) : REBAL_OK;
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

static int32_t delete_scalars(struct draft *draft) {
  json_t *walked = (json_t *)(uintptr_t)draft->patch, *scalars; /* jansson's iterators take no const */
  const char *key;
  json_object_foreach(walked, key, scalars) {
    const char *name = rebali_directive_name(key, REBALI_DELETE_SCALARS);
    const json_t *list = name != NULL ? json_object_get(draft->map, name) : NULL;
    const struct rebali_path at = rebali_path_key(draft->path, name);
    json_t *rest;
    int32_t result;
    if (!json_is_array(list) || !json_is_array(scalars)) {
      continue;
    }
    result = rebali_strategic_delete(list, scalars, &at, &rest, draft->err);
    if (result == REBAL_OK) {
      result = put_merged(draft, name, list, rest);
    }
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

/* Returns 1 if the directives have handled the member. */
static int is_done(const struct draft *draft, const char *key) {
  return is_directive_of_lists(key) || strcmp(key, REBALI_RETAIN_KEYS) == 0 ||
         json_object_get(draft->ordered, key) != NULL;
}

/* ---- members ---- */

static int is_same_scalar(const json_t *left, const json_t *right) {
  return !json_is_array(left) && !rebali_is_map(left) && json_equal(left, right);
}

/* Both must be maps or both lists. */
static int32_t merge_containers(struct draft *draft, const char *key, const json_t *before, const json_t *value) {
  const struct rebali_path at = rebali_path_key(draft->path, key);
  const struct rebali_object_member *member = rebali_merge_member_of(draft->shape, key);
  const int is_own = rebali_is_own(before, draft->is_own);
  json_t *merged, *target = (json_t *)(uintptr_t)before;
  int32_t result;
  if (draft->shape == &rebali_shapes[REBALI_SHAPE_SCALARS]) {
    return rebali_refuse_scalar_map(&at, draft->err);
  }
  if (rebali_is_map(value)) {
    result = rebali_strategic_merge(target, is_own, value, rebali_is_merged_list(member) ? NULL : member->child, &at,
                                    &merged, draft->err);
  } else if (rebali_is_merged_list(member)) {
    result = rebali_strategic_lists(before, is_own, value, member, &at, &merged, NULL, draft->err);
  } else {
    merged = json_incref(json_equal(before, value) ? target : (json_t *)(uintptr_t)value);
    result = REBAL_OK;
  }
  return result == REBAL_OK ? put_merged(draft, key, before, merged) : result;
}

static int32_t put_clean(struct draft *draft, const char *key, const json_t *before, const json_t *value) {
  json_t *clean;
  const int32_t result = rebali_strategic_clean(value, &clean, draft->err);
  if (result != REBAL_OK) {
    return result;
  }
  if (clean == NULL) {
    return before != NULL ? drop(draft, key) : REBAL_OK;
  }
  return put(draft, key, clean);
}

static int32_t merge_member(struct draft *draft, const char *key, const json_t *value) {
  const json_t *before = json_object_get(draft->map, key);
  const enum rebali_value_type type = rebali_value_type(value);
  if (type == REBALI_VALUE_NULL) {
    return drop(draft, key);
  }
  if (before == NULL || rebali_value_type(before) != type) {
    return put_clean(draft, key, before, value);
  }
  if (type == REBALI_VALUE_MAP || type == REBALI_VALUE_LIST) {
    return merge_containers(draft, key, before, value);
  }
  return is_same_scalar(before, value) ? REBAL_OK : put(draft, key, json_incref((json_t *)(uintptr_t)value));
}

static int has_directive(const json_t *patch) {
  json_t *walked = (json_t *)(uintptr_t)patch, *value; /* jansson's iterators take no const */
  const char *key;
  json_object_foreach(walked, key, value) {
    if (key[0] == '$') {
      return 1;
    }
  }
  return 0;
}

static int32_t merge_members(struct draft *draft, int has_directives) {
  json_t *walked = (json_t *)(uintptr_t)draft->patch, *value; /* jansson's iterators take no const */
  const char *key;
  json_object_foreach(walked, key, value) {
    int32_t result = REBAL_OK;
    if (!has_directives || !is_done(draft, key)) {
      result = merge_member(draft, key, value);
    }
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

static int32_t obey_others(struct draft *draft) {
  int32_t result = retain_keys(draft);
  if (result == REBAL_OK) {
    result = set_element_orders(draft);
  }
  return result == REBAL_OK ? delete_scalars(draft) : result;
}

int32_t rebali_strategic_merge(json_t *map, int is_own, const json_t *patch, const struct rebali_shape *shape,
                               const struct rebali_path *path, json_t **out, rebal_error *err) {
  struct draft draft = {map, is_own, patch, shape, path, NULL, err};
  const int has_directives = has_directive(patch);
  const json_t *directive = has_directives ? json_object_get(patch, REBALI_DIRECTIVE) : NULL;
  int32_t result;
  if (directive != NULL) {
    return obey(&draft, directive, out);
  }
  (void)json_incref(map);
  result = has_directives ? obey_others(&draft) : REBAL_OK;
  if (result == REBAL_OK) {
    result = merge_members(&draft, has_directives);
  }
  json_decref(draft.ordered);
  if (result != REBAL_OK) {
    json_decref(draft.map);
    return result;
  }
  *out = draft.map;
  return REBAL_OK;
}
