/* SPDX-License-Identifier: MIT */
/* The members of Pods by their types, and the reduction of a patch to them. */
#include "manifest/schema/pod_types.h"

#include "foundation/near.h"

#include <string.h>

static const struct rebali_pod_type types[] = {
#define REBALI_POD_TYPE(name, members) {name, members},
#include "manifest/schema/pod_types.def"
#undef REBALI_POD_TYPE
};

const struct rebali_pod_type *const rebali_pod_type = &types[0];

/* ---- the texts of members ---- */

/* An entry of a members text: the name, and the type after the colon. */
struct entry {
  struct rebali_text name;
  const char *type; /* ends at a space or at the end; "": of scalars */
};

/* Returns the text after the entry; NULL at the end. */
static const char *next_entry(const char *at, struct entry *out) {
  const size_t len = strcspn(at, " "), name_len = strcspn(at, " :");
  if (len == 0) {
    return NULL;
  }
  out->name = rebali_text(at, name_len);
  out->type = name_len < len ? at + name_len + 1 : "";
  return at + len + (at[len] == ' ');
}

static const struct rebali_pod_type *find_type(const char *name) {
  const size_t len = strcspn(name, " ");
  for (size_t i = 0; len > 0 && i < sizeof types / sizeof types[0]; i++) {
    if (strncmp(types[i].name, name, len) == 0 && types[i].name[len] == '\0') {
      return &types[i];
    }
  }
  return NULL;
}

int rebali_pod_type_member(const struct rebali_pod_type *type, const char *name, struct rebali_pod_member *out) {
  const size_t len = strlen(name);
  struct entry entry;
  for (const char *at = next_entry(type->members, &entry); at != NULL; at = next_entry(at, &entry)) {
    if (entry.name.len == len && memcmp(entry.name.bytes, name, len) == 0) {
      out->is_list = entry.type[0] == '[';
      out->type = find_type(entry.type + out->is_list);
      return 1;
    }
  }
  return 0;
}

struct rebali_text rebali_pod_type_near(const struct rebali_pod_type *type, const char *name) {
  struct entry entry;
  for (const char *at = next_entry(type->members, &entry); at != NULL; at = next_entry(at, &entry)) {
    if (rebali_is_near(rebali_text(name, strlen(name)), entry.name)) {
      return entry.name;
    }
  }
  return rebali_text("", 0);
}

/* ---- reduced patches ---- */

static int is_known(const json_t *value, const struct rebali_pod_type *type);

static int is_known_member(const char *key, const json_t *value, const struct rebali_pod_type *type) {
  struct rebali_pod_member member;
  return *key == '$' || (rebali_pod_type_member(type, key, &member) && is_known(value, member.type));
}

/* Returns 1 if every member below the value belongs to its type. */
static int is_known(const json_t *value, const struct rebali_pod_type *type) {
  json_t *walked = (json_t *)(uintptr_t)value, *member; /* jansson's iterators take no const */
  const char *key;
  for (size_t i = 0; type != NULL && i < json_array_size(value); i++) {
    if (!is_known(json_array_get(value, i), type)) {
      return 0;
    }
  }
  if (type != NULL) {
    json_object_foreach(walked, key, member) {
      if (!is_known_member(key, member, type)) {
        return 0;
      }
    }
  }
  return 1;
}

static json_t *keep_known(const json_t *value, const struct rebali_pod_type *type) {
  json_t *walked = (json_t *)(uintptr_t)value, *member, *kept;
  struct rebali_pod_member found = {NULL, 0};
  const char *key;
  int failed = 0;
  if (is_known(value, type)) {
    return json_incref(walked);
  }
  kept = json_is_array(value) ? json_array() : json_object();
  for (size_t i = 0; !failed && i < json_array_size(value); i++) {
    failed = json_array_append_new(kept, keep_known(json_array_get(value, i), type));
  }
  json_object_foreach(walked, key, member) {
    if (!failed && *key == '$') {
      failed = json_object_set_nocheck(kept, key, member);
    } else if (!failed && rebali_pod_type_member(type, key, &found)) {
      failed = json_object_set_new_nocheck(kept, key, keep_known(member, found.type));
    }
  }
  if (failed) {
    json_decref(kept);
    return NULL;
  }
  return kept;
}

json_t *rebali_pod_known(const json_t *patch) {
  return keep_known(patch, rebali_pod_type);
}
