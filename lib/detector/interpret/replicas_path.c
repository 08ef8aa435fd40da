/* SPDX-License-Identifier: MIT */
/* Reads the replicas of kinds unknown to Karmada, at paths that the caller names. */
#include "detector/interpret/interpret.h"

#include <string.h>

/* Reads the next entry KIND=PATH of a comma-separated text; returns the rest. */
static struct rebali_text next_entry(struct rebali_text paths, struct rebali_text *kind, struct rebali_text *path) {
  const char *comma = memchr(paths.bytes, ',', paths.len), *sign;
  const size_t len = comma != NULL ? (size_t)(comma - paths.bytes) : paths.len;
  const size_t used = comma != NULL ? len + 1 : len;
  sign = memchr(paths.bytes, '=', len);
  *kind = rebali_text(paths.bytes, sign != NULL ? (size_t)(sign - paths.bytes) : len);
  *path = sign != NULL ? rebali_text(sign + 1, len - kind->len - 1) : rebali_text("", 0);
  return rebali_text(paths.bytes + used, paths.len - used);
}

int rebali_replicas_paths_are_valid(struct rebali_text paths) {
  struct rebali_text kind, path;
  while (paths.len > 0) {
    paths = next_entry(paths, &kind, &path);
    if (kind.len == 0 || path.len == 0 || path.len >= REBALI_REPLICAS_PATH_SIZE ||
        memchr(path.bytes, '\0', path.len) != NULL) {
      return 0;
    }
  }
  return 1;
}

/* Tests whether Foo or Foo.example.com, as kubectl writes kinds, names the object's kind. */
static int names(struct rebali_text given, const json_t *object) {
  const char *kind = rebali_member_text(object, "kind"), *api_version = rebali_member_text(object, "apiVersion");
  const size_t len = strlen(kind), group = rebali_group_len(api_version);
  if (given.len < len || memcmp(given.bytes, kind, len) != 0) {
    return 0;
  }
  return given.len == len ||
         (given.bytes[len] == '.' &&
          rebali_text_equal(rebali_text(given.bytes + len + 1, given.len - len - 1), rebali_text(api_version, group)));
}

int rebali_replicas_path(struct rebali_text paths, const json_t *object, char *path) {
  struct rebali_text kind, place;
  while (paths.len > 0) {
    paths = next_entry(paths, &kind, &place);
    if (names(kind, object)) {
      memcpy(path, place.bytes, place.len);
      path[place.len] = '\0';
      return 1;
    }
  }
  return 0;
}

/* Reads the number at the path, 0 if absent, and the requirements of the pod template beside it. */
json_t *rebali_replicas_at_path(struct rebali_interpreting *in, const json_t *object) {
  const char *path = in->kind->replicas_path, *last = strrchr(path, '.');
  const json_t *replicas = rebali_value_at(object, path), *holder, *pod_spec;
  char above[REBALI_REPLICAS_PATH_SIZE] = "";
  json_t *answer = rebali_new_map(in), *decoded;
  memcpy(above, path, last != NULL ? (size_t)(last - path) : 0);
  holder = rebali_value_at(object, above);
  pod_spec = rebali_value_at(holder, "template.spec");
  if (replicas != NULL &&
      (!json_is_integer(replicas) || json_integer_value(replicas) < 0 || json_integer_value(replicas) > INT32_MAX)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "%s is not a number of replicas", path);
  }
  rebali_set(in, answer, "replicas", rebali_new_integer(in, json_integer_value(replicas)));
  if (pod_spec != NULL && in->result == REBAL_OK) {
    decoded = rebali_decoded(in, REBALI_TYPE_POD_SPEC, pod_spec);
    rebali_set(in, answer, "requirements", decoded != NULL ? rebali_pod_requirements(in, decoded, 0) : NULL);
    json_decref(decoded);
  }
  return rebali_finished(in, answer);
}
