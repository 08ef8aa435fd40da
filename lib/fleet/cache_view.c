/* SPDX-License-Identifier: MIT */
/* What a context derived, published: entries that nobody changes any more, owned by any number of views. */
#include "fleet/fleet.h"

struct rebal_cache_view {
  atomic_size_t references;
  struct rebali_memory *memory; /* a reference: where the view comes from */
  uint64_t bytes;
  size_t n;
  struct rebali_cache_entry **entries; /* the newest first */
  struct rebali_cache_entry **slots;   /* by hash, open addressing; NULL: empty */
  size_t mask;                         /* number of slots, a power of two and more than n, less one */
};

/* ---- one view ---------------------------------------------------------------------------------------------------- */

/* Room for n entries. NULL: no memory. */
static rebal_cache_view *new_view(struct rebali_memory *memory, size_t n) {
  rebal_cache_view *view = rebali_allocate_zero(&memory->allocator, 1, sizeof *view);
  size_t n_slots = 2;

  if (view == NULL) {
    return NULL;
  }
  while (n_slots / 2 < n) {
    n_slots *= 2; /* entries are in memory: there are fewer than SIZE_MAX / 4 */
  }
  view->entries = rebali_allocate_zero(&memory->allocator, n + n_slots, sizeof(struct rebali_cache_entry *));
  if (view->entries == NULL) {
    rebali_release(&memory->allocator, view);
    return NULL;
  }
  view->slots = view->entries + n;
  view->mask = n_slots - 1;
  view->memory = rebali_memory_ref(memory);
  atomic_init(&view->references, 1);
  return view;
}

/* Takes over a reference. */
static void add(rebal_cache_view *view, struct rebali_cache_entry *entry) {
  size_t at = (size_t)entry->hash & view->mask;

  while (view->slots[at] != NULL) {
    at = (at + 1) & view->mask;
  }
  view->slots[at] = entry;
  view->entries[view->n++] = entry;
  view->bytes += entry->bytes;
}

const struct rebali_cache_entry *rebali_cache_view_find(const rebal_cache_view *view, uint64_t hash,
                                                        const struct rebali_store *fleet,
                                                        const struct rebali_derived *kind, struct rebali_text key) {
  size_t at = (size_t)hash & view->mask;

  while (view->slots[at] != NULL && !rebali_cache_entry_is(view->slots[at], hash, fleet, kind, key)) {
    at = (at + 1) & view->mask;
  }
  return view->slots[at];
}

rebal_cache_view *rebal_cache_view_ref(rebal_cache_view *view) {
  if (view != NULL) {
    atomic_fetch_add_explicit(&view->references, 1, memory_order_relaxed);
  }
  return view;
}

void rebal_cache_view_unref(rebal_cache_view *view) {
  struct rebali_memory *memory;

  if (view == NULL || atomic_fetch_sub_explicit(&view->references, 1, memory_order_acq_rel) != 1) {
    return;
  }
  memory = view->memory;
  for (size_t i = 0; i < view->n; i++) {
    rebali_cache_entry_unref(view->entries[i]);
  }
  rebali_release(&memory->allocator, view->entries);
  rebali_release(&memory->allocator, view);
  rebali_memory_unref(memory);
}

void rebal_cache_view_size(const rebal_cache_view *view, uint64_t *bytes, uint64_t *values) {
  if (bytes != NULL) {
    *bytes = view == NULL ? 0 : view->bytes;
  }
  if (values != NULL) {
    *values = view == NULL ? 0 : view->n;
  }
}

/* ---- publishing -------------------------------------------------------------------------------------------------- */

/* Within the limits of the context that publishes? */
static int has_room(const rebal_cache_view *view, const struct rebali_cache *cache,
                    const struct rebali_cache_entry *entry) {
  return view->n < cache->max_entries && view->bytes <= cache->max_bytes &&
         entry->bytes <= cache->max_bytes - view->bytes;
}

/* What finds no room stays with the context. */
static void move_entries(rebal_cache_view *view, struct rebali_cache *cache, const rebal_snapshot *snapshot) {
  struct rebali_cache_entry *entry = cache->newest;

  while (entry != NULL) {
    struct rebali_cache_entry *older = entry->older;

    if (rebali_cache_entry_is_sealed(entry, snapshot) && has_room(view, cache, entry)) {
      rebali_cache_take(cache, entry);
      add(view, entry);
    }
    entry = older;
  }
}

static int is_missing(const rebal_cache_view *view, const struct rebali_cache_entry *entry) {
  return rebali_cache_view_find(view, entry->hash, entry->fleet, entry->kind, entry->key) == NULL;
}

/* What the view before has and the new one has not, within the limits. */
static void inherit(rebal_cache_view *view, const rebal_cache_view *before, const struct rebali_cache *cache,
                    const rebal_snapshot *snapshot) {
  for (size_t i = 0; before != NULL && i < before->n; i++) {
    struct rebali_cache_entry *entry = before->entries[i];

    if (has_room(view, cache, entry) && rebali_cache_entry_is_sealed(entry, snapshot) && is_missing(view, entry)) {
      add(view, rebali_cache_entry_ref(entry));
    }
  }
}

/* Within a call. */
static int32_t publish(rebal_ctx *ctx, rebal_snapshot *snapshot, rebal_cache_view **out, rebal_error *err) {
  const rebal_cache_view *before = ctx->view;
  rebal_cache_view *view;
  int32_t code = rebali_cache_seal(ctx, snapshot, err);

  if (code != REBAL_OK) {
    return code;
  }
  view = new_view(ctx->memory, (size_t)ctx->cache.entries + (before == NULL ? 0 : before->n));
  if (view == NULL) {
    return rebali_fail_memory(err);
  }
  move_entries(view, &ctx->cache, snapshot);
  inherit(view, before, &ctx->cache, snapshot);
  rebal_cache_view_unref(ctx->view);
  ctx->view = rebal_cache_view_ref(view);
  *out = view;
  return REBAL_OK;
}

int32_t rebal_cache_publish(rebal_ctx *ctx, rebal_snapshot *snapshot, rebal_cache_view **out, rebal_error *err) {
  int32_t code;

  if (snapshot == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", snapshot == NULL ? "snapshot" : "out");
  }
  code = rebali_ctx_begin(ctx, err);
  if (code == REBAL_OK) {
    code = publish(ctx, snapshot, out, err);
    rebali_ctx_end(ctx);
  }
  return code;
}

int32_t rebal_ctx_adopt(rebal_ctx *ctx, rebal_cache_view *view, rebal_error *err) {
  rebal_cache_view *before;

  if (ctx == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "ctx is NULL");
  }
  if (ctx->running) {
    return rebali_fail(err, REBAL_ESTATE, -1, "a call with this context is running");
  }
  before = ctx->view;
  ctx->view = rebal_cache_view_ref(view);
  rebal_cache_view_unref(before);
  return REBAL_OK;
}
