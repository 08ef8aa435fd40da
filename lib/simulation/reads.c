/* SPDX-License-Identifier: MIT */
/* Objects as documents, which live until the controller that reads them is done. */
#include "simulation/server.h"

#include <stdlib.h>
#include <string.h>

/* Holds *out until the reads are released. It is NULL if the object does not exist, or without memory. */
static const rebal_value *hold(struct rebali_reads *reads, const rebal_store *store, uint32_t object,
                               rebal_document **out) {
  int32_t code = rebali_reserve_malloc(&reads->held, &reads->capacity, reads->n + 1, sizeof *reads->held, NULL);
  *out = NULL;
  if (code == REBAL_OK) {
    code = rebal_store_document(store, object, out, NULL);
  }
  if (code != REBAL_OK) {
    reads->has_failed |= code != REBAL_ENOTFOUND;
    return NULL;
  }
  reads->held[reads->n++] = *out;
  return rebal_document_value(*out, "");
}

const rebal_value *rebali_object(struct rebali_server *server, uint32_t object) {
  const uint64_t seen = rebal_store_change_count(server->store);
  const size_t place = object % REBALI_READS;
  rebal_document *document;
  if (server->reads.last[place].document != NULL && server->reads.last[place].object == object &&
      server->reads.last[place].seen == seen) {
    return rebal_document_value(server->reads.last[place].document, "");
  }
  if (hold(&server->reads, server->store, object, &document) == NULL) {
    return NULL;
  }
  server->reads.last[place].document = document;
  server->reads.last[place].object = object;
  server->reads.last[place].seen = seen;
  return rebal_document_value(document, "");
}

const rebal_value *rebali_field(struct rebali_server *server, uint32_t object, const char *path) {
  return rebali_object(server, object) != NULL
             ? rebal_document_value(server->reads.last[object % REBALI_READS].document, path)
             : NULL;
}

const char *rebali_field_text(struct rebali_server *server, uint32_t object, const char *path) {
  return rebal_value_text(rebali_field(server, object, path), NULL);
}

int64_t rebali_field_number(struct rebali_server *server, uint32_t object, const char *path, int64_t otherwise) {
  return rebali_number_or(rebali_field(server, object, path), otherwise);
}

/* Reads a number up to a million percent of 32-bit replicas. */
static int read_share(int64_t number, int is_percentage, int64_t total, int is_rounded_up, int64_t *out) {
  if (number < 0 || number > INT32_MAX) {
    return 0;
  }
  *out = is_percentage ? (number * total + (is_rounded_up ? 99 : 0)) / 100 : number;
  return 1;
}

static int read_percentage(const char *text, int64_t total, int is_rounded_up, int64_t *out) {
  const size_t len = strlen(text);
  const size_t digits = len > 1 && text[len - 1] == '%' ? len - 1 : len;
  int64_t number;
  return rebali_integer_parse(rebali_text(text, digits), &number) &&
         read_share(number, digits < len, total, is_rounded_up, out);
}

int64_t rebali_field_share(struct rebali_server *server, uint32_t object, const char *path, const char *otherwise,
                           int64_t total, int is_rounded_up) {
  const rebal_value *value = rebali_field(server, object, path);
  int64_t number, share = 0;
  const int is_read = rebali_number(value, &number)
                          ? read_share(number, 0, total, is_rounded_up, &share)
                          : read_percentage(rebal_value_text(value, NULL), total, is_rounded_up, &share);
  if (!is_read) {
    (void)read_percentage(otherwise, total, is_rounded_up, &share);
  }
  return share;
}

const rebal_value *rebali_read(struct rebali_server *server, const rebal_store *store, uint32_t object,
                               const char *path) {
  rebal_document *document;
  return hold(&server->reads, store, object, &document) != NULL ? rebal_document_value(document, path) : NULL;
}

void rebali_reads_release(struct rebali_server *server) {
  struct rebali_reads *reads = &server->reads;
  for (size_t i = 0; i < reads->n; i++) {
    rebal_document_free(reads->held[i]);
  }
  if (reads->n > 0) {
    memset(reads->last, 0, sizeof reads->last);
  }
  reads->n = 0;
}

int32_t rebali_reads_end(struct rebali_server *server, int32_t code, rebal_error *err) {
  const int has_failed = server->reads.has_failed;
  rebali_reads_release(server);
  server->reads.has_failed = 0;
  return has_failed ? rebali_fail_memory(err) : code;
}

const rebal_value *rebali_reference_of(struct rebali_server *server, uint32_t object) {
  const rebal_value *references = rebali_field(server, object, "metadata.ownerReferences");
  for (size_t i = 0; i < rebal_value_count(references); i++) {
    const rebal_value *item = rebal_value_item(references, i);
    if (rebali_is_true(rebali_find(item, "controller"))) {
      return item;
    }
  }
  return NULL;
}

/* ---- lookup ------------------------------------------------------------------------------------------------------ */

int rebali_object_is_binding(const struct rebali_server *server, uint32_t object) {
  const char *kind = rebali_kind_of(server, object);
  return strcmp(kind, "ResourceBinding") == 0 || strcmp(kind, "ClusterResourceBinding") == 0;
}

uint32_t rebali_find_object(const struct rebali_server *server, const char *kind, const char *namespace_,
                            const char *name) {
  return rebal_store_find(server->store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
}

uint32_t rebali_next_of(const struct rebali_server *server, const char *kind, uint32_t previous) {
  return rebal_store_next(server->store, kind, strlen(kind), previous);
}

/* Cluster-scoped ones come first, as in the store. */
uint32_t rebali_next_binding(const struct rebali_server *server, uint32_t previous) {
  static const char first[] = "ClusterResourceBinding", second[] = "ResourceBinding";
  if (!rebali_is_kind(server, previous, second)) {
    const uint32_t next = rebali_next_of(server, first, previous);
    return next != REBAL_NONE ? next : rebali_next_of(server, second, REBAL_NONE);
  }
  return rebali_next_of(server, second, previous);
}

int32_t rebali_binding_of(struct rebali_server *server, uint32_t object, uint32_t *binding, rebal_error *err) {
  const char *kind = rebali_kind_of(server, object), *name = rebali_name_of(server, object);
  const char *namespace_ = rebali_namespace_of(server, object);
  size_t len = 0;
  char *buffer;
  int32_t code;
  *binding = object;
  if (object == REBAL_NONE || rebali_object_is_binding(server, object)) {
    return REBAL_OK;
  }
  *binding = REBAL_NONE;
  (void)rebal_binding_name(name, strlen(name), kind, strlen(kind), NULL, 0, &len, NULL);
  buffer = malloc(len + 1);
  if (buffer == NULL) {
    return rebali_fail_memory(err);
  }
  code = rebal_binding_name(name, strlen(name), kind, strlen(kind), buffer, len + 1, &len, err);
  if (code == REBAL_OK) {
    *binding = rebali_find_object(server, namespace_[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding",
                                  namespace_, buffer);
  }
  free(buffer);
  return code;
}

uint32_t rebali_resource_of(struct rebali_server *server, uint32_t binding) {
  const rebal_value *resource = rebali_field(server, binding, "spec.resource");
  return rebali_find_object(server, rebali_find_text(resource, "kind"), rebali_find_text(resource, "namespace"),
                            rebali_find_text(resource, "name"));
}

int rebali_binding_is_managed(struct rebali_server *server, uint32_t binding) {
  static const char *const labels[] = {"propagationpolicy.karmada.io/permanent-id",
                                       "clusterpropagationpolicy.karmada.io/permanent-id",
                                       "binding.karmada.io/managed-by"};
  const rebal_value *values = rebali_field(server, binding, "metadata.labels");
  size_t i = 0;
  while (i < REBALI_COUNT(labels) && rebali_find_text(values, labels[i])[0] == '\0') {
    i++;
  }
  return i < REBALI_COUNT(labels);
}
