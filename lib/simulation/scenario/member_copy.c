/* SPDX-License-Identifier: MIT */
/* Copies a member's objects, so that pods can be deleted and created in the copy. */
#include "simulation/scenario/plan_member.h"

#include <string.h>

#define BATCH ((size_t)1 << 20) /* bytes of text read at once */

/* Texts of the member were within its limits when it read them. */
static const rebal_manifest_limits no_limits = {sizeof no_limits, UINT32_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

/* Nodes hold pods of all namespaces; needed if admission depends on nodes. */
static int are_all_needed(const rebal_compat *compat) {
  int64_t is_simulated = 0;
  (void)rebal_compat_get(compat, REBAL_OPTION_SPREAD_SIMULATION, &is_simulated, NULL);
  return is_simulated != 0;
}

/* OpenKruise's settings have their own namespace. */
static int is_needed(const rebal_store *member, uint32_t object, const struct rebali_intern *namespaces) {
  size_t len;
  const char *namespace_ = rebal_store_identity(member, object, REBAL_IDENTITY_NAMESPACE, &len);
  const char *kind = rebal_store_identity(member, object, REBAL_IDENTITY_KIND, NULL);
  if (strcmp(kind, "Event") == 0) {
    return 0;
  }
  return len == 0 || namespaces == NULL || strcmp(kind, "ConfigMap") == 0 ||
         rebali_intern_find(namespaces, namespace_, len) != REBAL_NONE;
}

static int32_t put(struct rebali_member_copy *copy, rebal_text *text, size_t least, rebal_error *err) {
  size_t len;
  const char *bytes = rebal_text_bytes(text, &len);
  int32_t code = REBAL_OK;
  if (len > least) {
    code = rebal_store_put(copy->server.store, bytes, len, err);
    rebal_text_reset(text);
  }
  return code;
}

static int32_t write_line(const rebal_store *store, uint32_t object, rebal_text *text, rebal_error *err) {
  const int32_t code = rebal_store_write(store, object, REBAL_TEXT_FORMAT_JSON, text, err);
  return code == REBAL_OK ? rebal_text_append(text, "\n", 1, err) : code;
}

static int32_t copy_all(struct rebali_member_copy *copy, const struct rebali_intern *namespaces, rebal_text *text,
                        rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t object = rebal_store_next(copy->member, "", 0, REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebal_store_next(copy->member, "", 0, object)) {
    if (is_needed(copy->member, object, namespaces)) {
      code = write_line(copy->member, object, text, err);
      code = code == REBAL_OK ? put(copy, text, BATCH, err) : code;
    }
  }
  return code == REBAL_OK ? put(copy, text, 0, err) : code;
}

int32_t rebali_member_copy_open(struct rebali_member_copy *copy, const rebal_store *member,
                                const struct rebali_intern *namespaces, const rebal_time *now,
                                const rebal_compat *compat, rebal_error *err) {
  rebal_text *text = NULL;
  int32_t code;
  *copy = (struct rebali_member_copy){.member = member, .own = {.is_paused = 1, .max_pods = INT32_MAX}};
  copy->own.admissions.most = UINT64_MAX;
  code = rebali_server_open(&copy->server, &no_limits, err);
  copy->server.now = *now;
  copy->server.log.max_rows = UINT64_MAX;
  if (code == REBAL_OK) {
    code = rebali_core_open(&copy->core, &copy->server, err);
  }
  copy->core.compat = compat;
  if (code == REBAL_OK) {
    code = rebal_text_new(&text, err);
  }
  if (code == REBAL_OK) {
    code = copy_all(copy, are_all_needed(compat) ? NULL : namespaces, text, err);
  }
  rebal_text_free(text);
  return code == REBAL_OK ? rebali_own_open(&copy->own, &copy->core, err) : code;
}

void rebali_member_copy_dispose(struct rebali_member_copy *copy) {
  rebali_own_dispose(&copy->own);
  rebali_core_dispose(&copy->core);
  rebali_server_dispose(&copy->server);
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* Finds an object by kind and group, whatever the version. */
static int32_t find(const rebal_store *store, const char *api_version, const char *kind, const char *namespace_,
                    const char *name, uint32_t *out, rebal_error *err) {
  const char *slash = strchr(api_version, '/');
  struct rebali_buffer full = REBALI_BUFFER;
  rebali_buffer_format(&full, "%s.", kind);
  rebali_buffer_append(&full, api_version, slash != NULL ? (size_t)(slash - api_version) : 0);
  if (full.failed) {
    rebali_buffer_dispose(&full);
    return rebali_fail_memory(err);
  }
  *out = rebal_store_find(store, full.bytes, full.len, namespace_, strlen(namespace_), name, strlen(name));
  rebali_buffer_dispose(&full);
  return REBAL_OK;
}

int32_t rebali_member_workload(const rebal_store *store, const rebal_value *resource, uint32_t *out, rebal_error *err) {
  return find(store, rebali_find_text(resource, "apiVersion"), rebali_find_text(resource, "kind"),
              rebali_find_text(resource, "namespace"), rebali_find_text(resource, "name"), out, err);
}

static const char *part_of(const rebal_store *store, uint32_t object, uint32_t part) {
  return rebal_store_identity(store, object, part, NULL);
}

static int32_t find_same(const rebal_store *store, uint32_t object, const rebal_store *in, uint32_t *out,
                         rebal_error *err) {
  return find(in, part_of(store, object, REBAL_IDENTITY_API_VERSION), part_of(store, object, REBAL_IDENTITY_KIND),
              part_of(store, object, REBAL_IDENTITY_NAMESPACE), part_of(store, object, REBAL_IDENTITY_NAME), out, err);
}

uint32_t rebali_member_object(const struct rebali_member_copy *copy, uint32_t object) {
  const rebal_store *store = copy->server.store;
  const char *kind = part_of(store, object, REBAL_IDENTITY_KIND);
  const char *namespace_ = part_of(store, object, REBAL_IDENTITY_NAMESPACE);
  const char *name = part_of(store, object, REBAL_IDENTITY_NAME);
  return rebal_store_find(copy->member, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
}

int32_t rebali_member_copy_add(struct rebali_member_copy *copy, const rebal_store *store, uint32_t object,
                               uint32_t *out, rebal_error *err) {
  rebal_text *text = NULL;
  int32_t code = rebal_text_new(&text, err);
  if (code == REBAL_OK) {
    code = write_line(store, object, text, err);
  }
  if (code == REBAL_OK) {
    code = put(copy, text, 0, err);
  }
  rebal_text_free(text);
  return code == REBAL_OK ? find_same(store, object, copy->server.store, out, err) : code;
}
