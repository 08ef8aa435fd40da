/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

#define FIRST_BUCKETS 64u

struct rebali_cache_entry {
  struct rebali_store *fleet; /* a reference, so that no other fleet gets its address */
  const struct rebali_derived *kind;
  struct rebali_text key; /* bytes follow the entry */
  uint64_t version; /* of the snapshot that the value is for */
  uint64_t call;    /* last call that used it */
  uint64_t bytes;
  void *value;
  struct rebali_cache_entry *next; /* of the same bucket */
  struct rebali_cache_entry *newer;
  struct rebali_cache_entry *older;
};

/* ---- table and list ---------------------------------------------------------------------------------------------- */

static size_t bucket_of(const struct rebali_cache *cache, const struct rebali_store *fleet,
                        const struct rebali_derived *kind, struct rebali_text key) {
  const uint64_t parts[3] = {(uint64_t)(uintptr_t)fleet, (uint64_t)(uintptr_t)kind, rebali_hash(key.bytes, key.len)};

  return (size_t)rebali_hash(parts, sizeof parts) & (cache->n_buckets - 1);
}

static struct rebali_cache_entry *find(const struct rebali_cache *cache, const struct rebali_store *fleet,
                                       const struct rebali_derived *kind, struct rebali_text key) {
  struct rebali_cache_entry *entry =
      cache->n_buckets == 0 ? NULL : cache->buckets[bucket_of(cache, fleet, kind, key)];

  while (entry != NULL && (entry->fleet != fleet || entry->kind != kind || !rebali_text_equal(entry->key, key))) {
    entry = entry->next;
  }
  return entry;
}

/* Room for one more entry: at most one for each bucket on average. */
static int32_t reserve_buckets(rebal_ctx *ctx) {
  struct rebali_cache *cache = &ctx->cache;
  const size_t n_old = cache->n_buckets;
  struct rebali_cache_entry **old = cache->buckets;
  struct rebali_cache_entry *entry;

  if (cache->entries < n_old) {
    return REBAL_OK;
  }
  cache->buckets = n_old > SIZE_MAX / 2 ? NULL
                                        : rebali_allocate_zero(&ctx->allocator, n_old == 0 ? FIRST_BUCKETS : n_old * 2,
                                                               sizeof(struct rebali_cache_entry *));
  if (cache->buckets == NULL) {
    cache->buckets = old;
    return REBAL_ENOMEM;
  }
  cache->n_buckets = n_old == 0 ? FIRST_BUCKETS : n_old * 2;
  for (entry = cache->oldest; entry != NULL; entry = entry->newer) {
    struct rebali_cache_entry **bucket = &cache->buckets[bucket_of(cache, entry->fleet, entry->kind, entry->key)];

    entry->next = *bucket;
    *bucket = entry;
  }
  rebali_release(&ctx->allocator, old);
  return REBAL_OK;
}

static void link_newest(struct rebali_cache *cache, struct rebali_cache_entry *entry) {
  entry->newer = NULL;
  entry->older = cache->newest;
  *(cache->newest == NULL ? &cache->oldest : &cache->newest->newer) = entry;
  cache->newest = entry;
}

static void unlink_entry(struct rebali_cache *cache, struct rebali_cache_entry *entry) {
  *(entry->newer == NULL ? &cache->newest : &entry->newer->older) = entry->older;
  *(entry->older == NULL ? &cache->oldest : &entry->older->newer) = entry->newer;
}

static void destroy(rebal_ctx *ctx, struct rebali_cache_entry *entry) {
  struct rebali_cache *cache = &ctx->cache;
  struct rebali_cache_entry **place = &cache->buckets[bucket_of(cache, entry->fleet, entry->kind, entry->key)];

  while (*place != entry) {
    place = &(*place)->next;
  }
  *place = entry->next;
  unlink_entry(cache, entry);
  cache->bytes -= entry->bytes;
  cache->entries--;
  entry->kind->destroy(ctx, entry->value);
  rebali_store_unref(entry->fleet);
  rebali_release(&ctx->allocator, entry);
}

void rebali_cache_clear(rebal_ctx *ctx) {
  while (ctx->cache.oldest != NULL) {
    destroy(ctx, ctx->cache.oldest);
  }
}

void rebali_cache_trim(rebal_ctx *ctx, int also_used) {
  struct rebali_cache *cache = &ctx->cache;

  /* The list is in the order of use: behind the first entry used in this call come only such. */
  while (cache->oldest != NULL && (cache->bytes > cache->max_bytes || cache->entries > cache->max_entries) &&
         (also_used || cache->oldest->call != cache->call)) {
    destroy(ctx, cache->oldest);
  }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void measure(struct rebali_cache *cache, struct rebali_cache_entry *entry) {
  cache->bytes -= entry->bytes;
  entry->bytes = (uint64_t)entry->kind->bytes(entry->value) + sizeof *entry + entry->key.len;
  cache->bytes += entry->bytes;
}

static void use(struct rebali_cache *cache, struct rebali_cache_entry *entry) {
  entry->call = cache->call;
  unlink_entry(cache, entry);
  link_newest(cache, entry);
}

/* Brings a value up to date. *stale: that cannot be done, it must be built anew. */
static int32_t catch_up(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_cache_entry *entry, int *stale,
                        rebal_error *err) {
  const uint64_t version = rebal_snapshot_version(snapshot);
  const uint32_t *rows = NULL;
  size_t n = 0;
  int32_t code;

  *stale = entry->version > version;
  if (entry->version >= version) {
    return REBAL_OK;
  }
  code = rebali_snapshot_changes(snapshot, entry->version, &ctx->scratch, &rows, &n);
  if (code == REBAL_ENOTFOUND) {
    *stale = 1;
    return REBAL_OK;
  }
  if (code != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  code = entry->kind->update(ctx, snapshot, entry->key, entry->value, rows, n, err);
  if (code == REBAL_OK) {
    entry->version = version;
    measure(&ctx->cache, entry);
  }
  return code;
}

/* An entry with its own copy of the key. NULL: no memory. */
static struct rebali_cache_entry *new_entry(const rebal_allocator *allocator, struct rebali_text key) {
  struct rebali_cache_entry *entry =
      key.len > SIZE_MAX - sizeof *entry ? NULL : rebali_allocate_zero(allocator, 1, sizeof *entry + key.len);

  if (entry != NULL) {
    char *bytes = (char *)(entry + 1);

    memcpy(bytes, key.bytes, key.len);
    entry->key = rebali_text(bytes, key.len);
  }
  return entry;
}

static int32_t add(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_store *fleet,
                   const struct rebali_derived *kind, struct rebali_text key, void **value, rebal_error *err) {
  struct rebali_cache *cache = &ctx->cache;
  struct rebali_cache_entry *entry = new_entry(&ctx->allocator, key);
  struct rebali_cache_entry **bucket;
  int32_t code;

  if (entry == NULL) {
    return rebali_fail_memory(err);
  }
  /* Building may ask the cache for other values, so the room for this one is made afterwards. */
  code = kind->build(ctx, snapshot, key, &entry->value, err);
  if (code == REBAL_OK && reserve_buckets(ctx) != REBAL_OK) {
    kind->destroy(ctx, entry->value);
    code = rebali_fail_memory(err);
  }
  if (code != REBAL_OK) {
    rebali_release(&ctx->allocator, entry);
    return code;
  }
  entry->fleet = rebali_store_ref(fleet);
  entry->kind = kind;
  entry->version = rebal_snapshot_version(snapshot);
  entry->call = cache->call;
  bucket = &cache->buckets[bucket_of(cache, fleet, kind, key)];
  entry->next = *bucket;
  *bucket = entry;
  link_newest(cache, entry);
  cache->entries++;
  measure(cache, entry);
  *value = entry->value;
  return REBAL_OK;
}

int32_t rebali_cache_get(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_derived *kind,
                         struct rebali_text key, void **value, rebal_error *err) {
  struct rebali_store *fleet = rebali_snapshot_store(snapshot);
  struct rebali_cache_entry *entry = find(&ctx->cache, fleet, kind, key);
  int stale = 1;
  int32_t code = REBAL_OK;

  if (entry != NULL) {
    use(&ctx->cache, entry);
    code = catch_up(ctx, snapshot, entry, &stale, err);
    if (code == REBAL_OK && !stale) {
      *value = entry->value;
    } else {
      destroy(ctx, entry);
    }
  }
  if (code == REBAL_OK && stale) {
    code = add(ctx, snapshot, fleet, kind, key, value, err);
  }
  rebali_cache_trim(ctx, 0);
  return code;
}
