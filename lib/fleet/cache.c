/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

#define FIRST_BUCKETS 64u
#define SPREAD UINT64_C(0x9E3779B97F4A7C15) /* odd: 2^64 divided by the golden ratio */

/* ---- table and list ---------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * SPREAD;
  return hash ^ hash >> 32;
}

/* Keys are a few words, plus half a word at most. This loop is written for them; rebali_hash() is for texts. */
static uint64_t hash_of(const struct rebali_store *fleet, const struct rebali_derived *kind, struct rebali_text key) {
  uint64_t hash = mix((uint64_t)(uintptr_t)fleet, (uint64_t)(uintptr_t)kind);
  const char *at = key.bytes;
  size_t left = key.len;
  uint64_t word;
  uint32_t half;

  for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
    memcpy(&word, at, sizeof word);
    hash = mix(hash, word);
  }
  if (left == sizeof half) {
    memcpy(&half, at, sizeof half);
    return mix(hash, half);
  }
  return left == 0 ? hash : mix(hash, rebali_hash(at, left));
}

static inline int same_key(struct rebali_text left, struct rebali_text right) {
  uint64_t a, b;
  size_t at = 0;

  if (left.len != right.len) {
    return 0;
  }
  for (; left.len - at >= sizeof a; at += sizeof a) {
    memcpy(&a, left.bytes + at, sizeof a);
    memcpy(&b, right.bytes + at, sizeof b);
    if (a != b) {
      return 0;
    }
  }
  return at == left.len || memcmp(left.bytes + at, right.bytes + at, left.len - at) == 0;
}

static struct rebali_cache_entry **bucket_of(const struct rebali_cache *cache, uint64_t hash) {
  return &cache->buckets[(size_t)hash & (cache->n_buckets - 1)];
}

/* Returns NULL if there is none. */
static struct rebali_cache_entry *find(const struct rebali_cache *cache, uint64_t hash,
                                       const struct rebali_store *fleet, const struct rebali_derived *kind,
                                       struct rebali_text key) {
  struct rebali_cache_entry *entry = cache->n_buckets == 0 ? NULL : *bucket_of(cache, hash);

  while (entry != NULL &&
         (entry->hash != hash || entry->fleet != fleet || entry->kind != kind || !same_key(entry->key, key))) {
    entry = entry->next;
  }
  return entry;
}

static void link_bucket(struct rebali_cache *cache, struct rebali_cache_entry *entry) {
  struct rebali_cache_entry **bucket = bucket_of(cache, entry->hash);

  entry->next = *bucket;
  *bucket = entry;
}

/* Reserves buckets for one more entry: at most one entry per bucket on average. */
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
    link_bucket(cache, entry);
  }
  rebali_release(&ctx->allocator, old);
  return REBAL_OK;
}

static void link_newest(struct rebali_cache *cache, struct rebali_cache_entry *entry) {
  entry->placed = cache->call;
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
  struct rebali_cache_entry **place = bucket_of(cache, entry->hash);

  while (*place != entry) {
    place = &(*place)->next;
  }
  *place = entry->next;
  unlink_entry(cache, entry);
  cache->bytes -= entry->bytes;
  cache->entries--;
  entry->kind->destroy(&ctx->allocator, entry->value);
  rebali_store_unref(entry->fleet);
  rebali_release(&ctx->allocator, entry);
}

void rebali_cache_clear(rebal_ctx *ctx) {
  while (ctx->cache.oldest != NULL) {
    destroy(ctx, ctx->cache.oldest);
  }
}

/*
 * A use does not move an entry in the list. An entry that would be dropped, but was used after it was placed, is placed
 * again here. That happens to an entry once in a call, so the loop ends: all entries after the first one placed in this
 * call were placed in it too.
 */
void rebali_cache_trim(rebal_ctx *ctx, int also_used) {
  struct rebali_cache *cache = &ctx->cache;

  while (cache->oldest != NULL && rebali_cache_is_over(cache)) {
    struct rebali_cache_entry *entry = cache->oldest;

    if (entry->placed < entry->call) {
      unlink_entry(cache, entry);
      link_newest(cache, entry);
    } else if (also_used || entry->call != cache->call) {
      destroy(ctx, entry);
    } else {
      return;
    }
  }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void measure(struct rebali_cache *cache, struct rebali_cache_entry *entry) {
  cache->bytes -= entry->bytes;
  entry->bytes = (uint64_t)entry->kind->bytes(entry->value) + sizeof *entry + entry->key.len;
  cache->bytes += entry->bytes;
}

/*
 * Returns whether the changes that affect a value can be listed and are no more than rows. Changes of nodes are always
 * worth listing: only changed parts are examined, even if a row is listed often.
 */
static int are_named(rebal_snapshot *snapshot, const struct rebali_cache_entry *entry, const uint32_t **rows,
                     size_t *n) {
  return rebali_snapshot_changes(snapshot, entry->changed, entry->kind->reads, rows, n) == REBAL_OK &&
         (*n <= rebali_snapshot_rows(snapshot) || (entry->kind->reads & REBALI_READS_NODES) != 0);
}

/* Updates an outdated value. Sets *stale if that is impossible and the value must be rebuilt. */
static int32_t catch_up(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_cache_entry *entry, uint64_t changed,
                        int *stale, rebal_error *err) {
  const struct rebali_derived *kind = entry->kind;
  const uint32_t *rows;
  size_t n;
  int32_t code = REBAL_OK;

  *stale = entry->changed > changed;
  if (!*stale && are_named(snapshot, entry, &rows, &n)) {
    code = kind->update(ctx, snapshot, entry->key, entry->value, rows, n, err);
  } else if (!*stale && kind->renew != NULL) {
    code = kind->renew(ctx, snapshot, entry->key, entry->value, err);
  } else {
    *stale = 1;
    return REBAL_OK;
  }
  if (code == REBAL_OK) {
    entry->changed = changed;
    measure(&ctx->cache, entry);
  }
  return code;
}

/* Creates an entry with its own copy of the key. Returns NULL without memory. */
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

static int32_t add(rebal_ctx *ctx, rebal_snapshot *snapshot, uint64_t hash, const struct rebali_derived *kind,
                   struct rebali_text key, void **value, rebal_error *err) {
  struct rebali_cache *cache = &ctx->cache;
  struct rebali_cache_entry *entry = new_entry(&ctx->allocator, key);
  int32_t code;

  if (entry == NULL) {
    return rebali_fail_memory(err);
  }
  /* Building may get other values from the cache, so buckets are reserved afterwards. */
  code = kind->build(ctx, snapshot, key, &entry->value, err);
  if (code == REBAL_OK && reserve_buckets(ctx) != REBAL_OK) {
    kind->destroy(&ctx->allocator, entry->value);
    code = rebali_fail_memory(err);
  }
  if (code != REBAL_OK) {
    rebali_release(&ctx->allocator, entry);
    return code;
  }
  entry->hash = hash;
  entry->fleet = rebali_store_ref(rebali_snapshot_store(snapshot));
  entry->kind = kind;
  entry->changed = rebali_snapshot_changed(snapshot, kind->reads);
  entry->call = cache->call;
  link_bucket(cache, entry);
  link_newest(cache, entry);
  cache->entries++;
  measure(cache, entry);
  *value = entry->value;
  return REBAL_OK;
}

int32_t rebali_cache_get(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_derived *kind,
                         struct rebali_text key, void **value, rebal_error *err) {
  struct rebali_cache *cache = &ctx->cache;
  const struct rebali_store *fleet = rebali_snapshot_store(snapshot);
  const uint64_t hash = hash_of(fleet, kind, key);
  const uint64_t changed = rebali_snapshot_changed(snapshot, kind->reads);
  struct rebali_cache_entry *entry = find(cache, hash, fleet, kind, key);
  int stale = entry == NULL;
  int32_t code = REBAL_OK;

  if (entry != NULL && entry->call != cache->call) {
    entry->call = cache->call;
    measure(cache, entry); /* the last call that used it may have made it grow */
  }
  if (entry != NULL && entry->changed != changed) {
    code = catch_up(ctx, snapshot, entry, changed, &stale, err);
    if (code != REBAL_OK || stale) {
      destroy(ctx, entry);
    }
  }
  if (code == REBAL_OK && stale) {
    code = add(ctx, snapshot, hash, kind, key, value, err);
  } else if (code == REBAL_OK) {
    *value = entry->value;
  }
  if (rebali_cache_is_over(cache)) {
    rebali_cache_trim(ctx, 0);
  }
  return code;
}
