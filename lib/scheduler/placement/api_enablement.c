/* SPDX-License-Identifier: MIT */
/*
 * Clusters that list an API (rebalance-karmada(7) 3.2): for each kind of the bindings, a bitset in the context's cache.
 */
#include "scheduler/placement/placement.h"

/*
 * Formats group/version as the reference prints it after parsing. More than one '/' gives an empty text, which no
 * enablement lists.
 */
static struct rebali_text group_version(struct rebali_text api_version) {
  const char *slash = api_version.len == 0 ? NULL : memchr(api_version.bytes, '/', api_version.len);

  if (slash == NULL) {
    return api_version;
  }
  if (memchr(slash + 1, '/', api_version.len - (size_t)(slash + 1 - api_version.bytes)) != NULL) {
    return REBALI_TEXT("");
  }
  return slash == api_version.bytes ? rebali_text(slash + 1, api_version.len - 1) : api_version;
}

static int lists_kind(const rebal_record *apis, uint32_t enablement, struct rebali_text kind) {
  uint32_t resource = REBAL_NONE;

  while ((resource = rebali_record_next(apis, enablement, REBAL_API_ENABLEMENT_RESOURCE, resource)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_field_text(apis, resource, REBAL_API_RESOURCE_KIND), kind)) {
      return 1;
    }
  }
  return 0;
}

int rebali_api_is_listed(const struct rebali_api *api, const rebal_record *enablements) {
  const struct rebali_text wanted = group_version(api->api_version);
  uint32_t node = REBAL_NONE;

  while (enablements != NULL &&
         (node = rebali_record_next(enablements, 0, REBAL_API_ENABLEMENTS_ENABLEMENT, node)) != REBAL_NONE) {
    const uint32_t version = rebali_record_get(enablements, node, REBAL_API_ENABLEMENT_GROUP_VERSION);

    if (rebali_text_equal(rebali_record_text(enablements, version), wanted) &&
        lists_kind(enablements, node, api->kind)) {
      return 1;
    }
  }
  return 0;
}

/* ---- all clusters ------------------------------------------------------------------------------------------------ */

/* The key of a bitset. Its texts follow, padded with zeros to a multiple of 8 bytes. */
struct key {
  uint64_t api_version_len;
  uint64_t kind_len;
};

/* The cached value, which is part of its arena. */
struct api_rows {
  struct rebali_arena arena;
  uint64_t *listed;
  size_t words;
};

static struct rebali_api api_of(struct rebali_text key) {
  const struct key *lengths = (const void *)key.bytes;
  const char *texts = key.bytes + sizeof *lengths;

  return (struct rebali_api){rebali_text(texts, (size_t)lengths->api_version_len),
                             rebali_text(texts + lengths->api_version_len, (size_t)lengths->kind_len)};
}

static int lists(const void *api, const rebal_snapshot *snapshot, uint32_t cluster) {
  return rebali_api_is_listed(api, rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_API_ENABLEMENTS, cluster));
}

static int32_t update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                      const uint32_t *rows, size_t n, rebal_error *err) {
  const struct rebali_api api = api_of(key);
  struct api_rows *found = value;

  (void)ctx;
  if (rebali_bitsets_grow(&found->arena, &found->listed, 1, rebali_snapshot_rows(snapshot), &found->words) !=
      REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    rebali_bit_set(found->listed, rows[i], rebali_snapshot_has(snapshot, rows[i]) && lists(&api, snapshot, rows[i]));
  }
  return REBAL_OK;
}

static void destroy(const rebal_allocator *allocator, void *value) {
  struct rebali_arena arena = ((struct api_rows *)value)->arena;

  (void)allocator;
  rebali_arena_dispose(&arena);
}

static int32_t build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value, rebal_error *err) {
  const struct rebali_api api = api_of(key);
  const struct rebali_predicate predicate = {REBAL_CLUSTER_API_ENABLEMENTS, lists, &api};
  struct rebali_arena arena;
  struct api_rows *made;

  rebali_arena_init(&arena, rebali_ctx_allocator(ctx), 0);
  made = rebali_arena_allocate_zero(&arena, 1, sizeof *made);
  if (made == NULL) {
    return rebali_fail_memory(err);
  }
  made->arena = arena;
  if (update(ctx, snapshot, key, made, NULL, 0, err) != REBAL_OK) {
    destroy(rebali_ctx_allocator(ctx), made);
    return REBAL_ENOMEM;
  }
  rebali_rows_existing(snapshot, made->listed);
  rebali_predicate_keep(&predicate, snapshot, made->listed);
  *value = made;
  return REBAL_OK;
}

static size_t bytes(const void *value) {
  return ((const struct api_rows *)value)->arena.used;
}

static const struct rebali_derived derived = {build, update, bytes, destroy, REBALI_READS_CELLS, NULL};

/* Makes the key. REBAL_ENOMEM without filling an error. */
static int32_t make_key(struct rebali_arena *scratch, const struct rebali_api *api, struct rebali_text *key) {
  const size_t len = api->api_version.len + api->kind.len; /* both are in memory */
  const size_t padded = (len + 7u) / 8u * 8u;
  struct key *lengths = rebali_arena_allocate(scratch, 1, sizeof *lengths + padded);
  char *texts = (char *)(lengths + 1);

  if (lengths == NULL) {
    return REBAL_ENOMEM;
  }
  *lengths = (struct key){api->api_version.len, api->kind.len};
  if (api->api_version.len > 0) {
    memcpy(texts, api->api_version.bytes, api->api_version.len);
  }
  if (api->kind.len > 0) {
    memcpy(texts + api->api_version.len, api->kind.bytes, api->kind.len);
  }
  memset(texts + len, 0, padded - len);
  *key = rebali_text((const char *)lengths, sizeof *lengths + padded);
  return REBAL_OK;
}

int32_t rebali_api_rows(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_api *api, const uint64_t **bits,
                        rebal_error *err) {
  struct rebali_text key;
  void *value = NULL;
  int32_t code;

  if (make_key(rebali_ctx_scratch(ctx), api, &key) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  code = rebali_cache_get(ctx, snapshot, &derived, key, &value, err);
  *bits = code == REBAL_OK ? ((struct api_rows *)value)->listed : NULL;
  return code;
}
