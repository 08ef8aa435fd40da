/* SPDX-License-Identifier: MIT */
#include "fleet/fleet.h"

static const uint32_t kinds[REBALI_KINDS] = {
    REBAL_OBJECT_LABELS,          REBAL_OBJECT_TEXTS,           REBAL_OBJECT_TAINTS,
    REBAL_OBJECT_API_ENABLEMENTS, REBAL_OBJECT_RESOURCE_MODELS, REBAL_OBJECT_MODELINGS,
    REBAL_OBJECT_PLACEMENT,       REBAL_OBJECT_REQUIREMENTS,    REBAL_OBJECT_TARGET_COMPONENTS,
    REBAL_OBJECT_POD_RESOURCES,   REBAL_OBJECT_LABEL_SELECTOR,  REBAL_OBJECT_CONDITIONS,
};

#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source)                                    \
  _Static_assert(REBAL_TABLE_##table != REBAL_TABLE_CLUSTER || (number) <= REBALI_CLUSTER_COLUMNS, \
                 "column number out of range: " #table " " #name);
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN

uint32_t rebali_store_kind(uint32_t object) {
  uint32_t kind = 0;

  while (kind < REBALI_KINDS && kinds[kind] != object) {
    kind++;
  }
  return kind;
}

static void describe_columns(struct rebali_store *store) {
  size_t n;
  const struct rebali_field_info *columns = rebali_object_fields(REBAL_TABLE_CLUSTER, &n);
  size_t i;

  for (i = 0; i < n; i++) {
    struct rebali_store_column *column = &store->columns[columns[i].id % 256u];

    column->absent = columns[i].type == REBAL_TYPE_TEXT ? (int64_t)REBAL_NONE : columns[i].absent;
    column->kind = columns[i].type == REBAL_TYPE_HANDLE ? rebali_store_kind(columns[i].child) : REBALI_KINDS;
  }
}

static void release_store(struct rebali_store *store) {
  const rebal_allocator allocator = store->allocator;
  size_t i;

  rebali_intern_free(store->names);
  rebali_intern_free(store->texts);
  rebali_intern_free(store->resources);
  rebali_intern_free(store->node_filters);
  for (i = 0; i < REBALI_KINDS; i++) {
    rebali_intern_free(store->records[i]);
  }
  rebali_release(&allocator, store);
}

static int32_t make_interns(struct rebali_store *store) {
  int32_t code = rebali_intern_new(&store->allocator, &store->names);
  size_t i;

  if (code == REBAL_OK) {
    code = rebali_intern_new(&store->allocator, &store->texts);
  }
  if (code == REBAL_OK) {
    code = rebali_intern_new(&store->allocator, &store->resources);
  }
  if (code == REBAL_OK) {
    code = rebali_intern_new(&store->allocator, &store->node_filters);
  }
  for (i = 0; i < REBALI_KINDS && code == REBAL_OK; i++) {
    code = rebali_intern_new(&store->allocator, &store->records[i]);
  }
  return code;
}

int32_t rebali_store_new(const rebal_allocator *allocator, struct rebali_store **out) {
  struct rebali_store *store = rebali_allocate_zero(allocator, 1, sizeof *store);
  int32_t code;
  size_t i;

  if (store == NULL) {
    return REBAL_ENOMEM;
  }
  store->allocator = *allocator;
  atomic_init(&store->references, 1);
  atomic_init(&store->known_names, 0);
  atomic_init(&store->known_resources, 0);
  for (i = 0; i < REBALI_KINDS; i++) {
    atomic_init(&store->known_records[i], 0);
  }
  describe_columns(store);
  code = make_interns(store);
  if (code != REBAL_OK) {
    release_store(store);
    return code;
  }
  *out = store;
  return REBAL_OK;
}

struct rebali_store *rebali_store_ref(struct rebali_store *store) {
  atomic_fetch_add_explicit(&store->references, 1, memory_order_relaxed);
  return store;
}

void rebali_store_unref(struct rebali_store *store) {
  if (store != NULL && atomic_fetch_sub_explicit(&store->references, 1, memory_order_acq_rel) == 1) {
    release_store(store);
  }
}

int32_t rebali_store_add(struct rebali_intern *intern, _Atomic uint32_t *known, const void *bytes, size_t len,
                         uint32_t *id, rebal_error *err) {
  const int32_t code = rebali_intern_add(intern, bytes, len, id);

  if (code == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  if (code != REBAL_OK) {
    return rebali_fail(err, code, -1, "no more ids for names, texts or records of this kind");
  }
  if (known != NULL) {
    atomic_store_explicit(known, rebali_intern_count(intern), memory_order_release);
  }
  return REBAL_OK;
}

const rebal_record *rebali_store_record(const struct rebali_store *store, uint32_t kind, uint32_t handle) {
  if (kind >= REBALI_KINDS || handle >= rebali_store_known(&store->known_records[kind])) {
    return NULL;
  }
  return (const void *)rebali_intern_get(store->records[kind], handle).bytes;
}

/* Resource names are few; a walk over them reads nothing that the writer moves. */
uint32_t rebali_store_resource(const struct rebali_store *store, struct rebali_text name) {
  const uint32_t n = rebali_store_known(&store->known_resources);
  uint32_t id;

  for (id = 0; id < n; id++) {
    if (rebali_text_equal(rebali_intern_get(store->resources, id), name)) {
      return id;
    }
  }
  return REBAL_NONE;
}
