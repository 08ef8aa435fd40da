/* SPDX-License-Identifier: MIT */
/* What workloads are read and written by: fields, patches, references of owners. */
#include "workloads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t rebali_print_text(rebal_text *out, rebal_error *err, const char *before, struct rebali_slice text) {
  const int32_t code = rebali_print(out, err, "%s", before);
  return code == REBAL_OK ? rebali_quote(text, out, err) : code;
}

int32_t rebali_quote_field(rebal_simulation *simulation, uint32_t object, const char *path, rebal_text *out,
                           rebal_error *err) {
  return rebali_quote(rebali_field(simulation, object, path), out, err);
}

int32_t rebali_print_map(rebal_simulation *simulation, uint32_t object, const char *path, rebal_text *out,
                         rebal_error *err) {
  const struct rebali_slice map = rebali_field(simulation, object, path);
  return rebali_cursor_kind(map) == REBALI_JSON_MAP ? rebal_text_append(out, map.bytes, map.len, err)
                                                    : rebali_print(out, err, "{}");
}

int32_t rebali_print_owner(rebal_simulation *simulation, uint32_t owner, rebal_text *out, rebal_error *err) {
  static const struct {
    const char *before, *path;
  } members[] = {{"\"ownerReferences\":[{\"apiVersion\":", "apiVersion"},
                 {",\"kind\":", "kind"},
                 {",\"name\":", "metadata.name"},
                 {",\"uid\":", "metadata.uid"}};
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < sizeof members / sizeof members[0]; i++) {
    code = rebali_print(out, err, "%s", members[i].before);
    if (code == REBAL_OK) {
      code = rebali_quote_field(simulation, owner, members[i].path, out, err);
    }
  }
  return code == REBAL_OK ? rebali_print(out, err, ",\"controller\":true,\"blockOwnerDeletion\":true}]") : code;
}

int32_t rebali_merge_text(rebal_simulation *simulation, rebal_text *text, const rebal_text *patch, rebal_error *err) {
  rebal_text *merged = NULL;
  rebal_document *document = NULL;
  size_t len = 0;
  const char *bytes = rebal_text_bytes(patch, &len);
  int32_t code = rebal_text_new(&merged, err);
  if (code == REBAL_OK) {
    code = rebal_document_read(bytes, len, simulation->opts.limits, &document, err);
  }
  bytes = rebal_text_bytes(text, &len);
  if (code == REBAL_OK) {
    code = rebal_manifest_patch(bytes, len, simulation->opts.limits, document, REBAL_PATCH_MERGE,
                                REBAL_TEXT_FORMAT_JSON, merged, err);
  }
  if (code == REBAL_OK) {
    rebal_text_reset(text);
    bytes = rebal_text_bytes(merged, &len);
    code = rebal_text_append(text, bytes, len, err);
  }
  rebal_document_free(document);
  rebal_text_free(merged);
  return code;
}

struct rebali_slice rebali_reference_of(rebal_simulation *simulation, uint32_t object) {
  const struct rebali_slice references = rebali_field(simulation, object, "metadata.ownerReferences");
  struct rebali_slice item;
  size_t at = 0;
  while (rebali_cursor_kind(references) == REBALI_JSON_LIST && rebali_cursor_item(references, &at, &item)) {
    if (rebali_slice_is(rebali_cursor_find(item, "controller"), "true")) {
      return item;
    }
  }
  return (struct rebali_slice){NULL, 0};
}

int rebali_is_controlled(rebal_simulation *simulation, uint32_t object, uint32_t owner) {
  uint32_t found = REBAL_NONE;
  int is_orphan;
  return rebali_controller_of(simulation, object, &found, &is_orphan, NULL) == REBAL_OK && found == owner;
}

/* In the namespace, or in none, as an object of a kind that nobody knows may be. */
static uint32_t find_owner(rebal_simulation *simulation, uint32_t object, const char *kind, const char *name,
                           const char *uid) {
  char *space = rebali_field_copy(simulation, object, "metadata.namespace");
  uint32_t found = REBAL_NONE;
  if (space != NULL) {
    found = rebal_store_find(simulation->store, kind, strlen(kind), space, strlen(space), name, strlen(name));
  }
  if (found == REBAL_NONE) {
    found = rebal_store_find(simulation->store, kind, strlen(kind), "", 0, name, strlen(name));
  }
  free(space);
  return found != REBAL_NONE && rebali_field_is(simulation, found, "metadata.uid", uid) ? found : REBAL_NONE;
}

int32_t rebali_controller_of(rebal_simulation *simulation, uint32_t object, uint32_t *owner, int *is_orphan,
                             rebal_error *err) {
  const struct rebali_slice reference = rebali_reference_of(simulation, object);
  char *kind, *name, *uid;
  int has_all;
  *owner = REBAL_NONE;
  *is_orphan = 0;
  if (reference.len == 0) {
    return REBAL_OK;
  }
  kind = rebali_cursor_copy(rebali_cursor_find(reference, "kind"));
  name = rebali_cursor_copy(rebali_cursor_find(reference, "name"));
  uid = rebali_cursor_copy(rebali_cursor_find(reference, "uid"));
  has_all = kind != NULL && name != NULL && uid != NULL;
  if (has_all) {
    *owner = find_owner(simulation, object, kind, name, uid);
  }
  *is_orphan = *owner == REBAL_NONE;
  free(kind);
  free(name);
  free(uid);
  if (!has_all) {
    rebali_reads_fail(simulation);
  }
  return has_all ? REBAL_OK : rebali_fail_memory(err);
}

/* FNV-1a of 64 bits, in the letters that Kubernetes writes hashes with. */
void rebali_template_hash(struct rebali_slice text, char *out) {
  static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < text.len; i++) {
    hash = (hash ^ (unsigned char)text.bytes[i]) * UINT64_C(1099511628211);
  }
  for (size_t i = 0; i < 10; i++) {
    out[i] = letters[hash % (sizeof letters - 1)];
    hash /= sizeof letters - 1;
  }
  out[10] = '\0';
}

/* Letters of a hash. */
#define HASH 10

/* The text behind the hash; a status that is behind the spec tells of a former template. */
static char *first_revision(rebal_simulation *simulation, uint32_t workload) {
  const struct rebali_slice revision = rebali_field(simulation, workload, "status.updateRevision");
  const int64_t generation = rebali_field_integer(simulation, workload, "metadata.generation");
  const int64_t observed = rebali_integer_or(simulation, workload, "status.observedGeneration", generation);
  char *first;
  if (revision.len == 0 || observed < generation) {
    return rebali_bytes_copy("", 0);
  }
  first = malloc(HASH + revision.len + 1);
  if (first != NULL) {
    rebali_template_hash(rebali_field(simulation, workload, "spec.template"), first);
    (void)snprintf(first + HASH, revision.len + 1, "%.*s",
                   REBALI_SLICE(rebali_field(simulation, workload, "status.updateRevision")));
  }
  return first;
}

int32_t rebali_revision_remember(rebal_simulation *simulation, uint32_t workload, rebal_error *err) {
  struct rebali_tracked *tracked = rebali_track(simulation, workload);
  if (tracked != NULL && tracked->revision == NULL) {
    tracked->revision = first_revision(simulation, workload);
  }
  return tracked != NULL && tracked->revision != NULL ? REBAL_OK : rebali_fail_memory(err);
}

void rebali_revision_of(rebal_simulation *simulation, uint32_t workload, char *out) {
  const char *first = workload < simulation->n_tracked ? simulation->tracked[workload].revision : NULL;
  struct rebali_slice name;
  char hash[HASH + 1];
  rebali_template_hash(rebali_field(simulation, workload, "spec.template"), hash);
  if (first != NULL && strncmp(first, hash, HASH) == 0) {
    (void)snprintf(out, 64, "%s", first + HASH);
    return;
  }
  name = rebali_field(simulation, workload, "metadata.name");
  (void)snprintf(out, 64, "%.*s-%s", name.len < 52 ? (int)name.len : 52, name.bytes, hash);
}

int64_t rebali_integer_or(rebal_simulation *simulation, uint32_t object, const char *path, int64_t other) {
  int64_t number;
  return rebali_cursor_integer(rebali_field(simulation, object, path), &number) ? number : other;
}

/* A number up to a million percent, of replicas that are 32 bits. */
static int read_share(struct rebali_slice text, int64_t total, int is_rounded_up, int64_t *out) {
  struct rebali_slice digits = text;
  int64_t number;
  const int is_percentage = text.len > 1 && text.bytes[text.len - 1] == '%';
  digits.len -= (size_t)is_percentage;
  if (!rebali_cursor_integer(digits, &number) || number < 0 || number > INT32_MAX) {
    return 0;
  }
  *out = is_percentage ? (number * total + (is_rounded_up ? 99 : 0)) / 100 : number;
  return 1;
}

int64_t rebali_share_of(rebal_simulation *simulation, uint32_t object, const char *path, struct rebali_slice other,
                        int64_t total, int is_rounded_up) {
  int64_t share = 0;
  if (!read_share(rebali_field(simulation, object, path), total, is_rounded_up, &share)) {
    (void)read_share(other, total, is_rounded_up, &share);
  }
  return share;
}

int32_t rebali_patch_quietly(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  size_t len;
  const char *bytes = rebal_text_bytes(simulation->workloads->text, &len);
  const int32_t code = rebal_store_patch(simulation->store, object, bytes, len, &simulation->now, err);
  return code == REBAL_OK ? rebali_watch_quietly(simulation, object, err) : code;
}
