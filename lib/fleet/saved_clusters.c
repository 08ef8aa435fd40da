/* SPDX-License-Identifier: MIT */
/* Names of clusters and resources, and summaries, as bytes. */
#include "fleet/saved.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void save_names(struct rebali_saving *saving, const struct rebali_intern *names, uint32_t n) {
  rebali_save_u32(saving, n);
  for (uint32_t id = 0; id < n; id++) {
    rebali_save_text(saving, rebali_intern_get(names, id));
  }
}

/* Reads names that define ids, in the order of the ids. */
static int32_t load_names(struct rebali_loading *loading,
                          int32_t (*make)(rebal_fleet *fleet, const char *name, size_t len, uint32_t *id,
                                          rebal_error *err),
                          uint32_t *n, rebal_error *err) {
  int32_t code = rebali_load_count(loading, sizeof(uint32_t), n, err);

  for (uint32_t i = 0; i < *n && code == REBAL_OK; i++) {
    struct rebali_text name;
    uint32_t id = 0;

    code = rebali_load_text(loading, &name, err);
    if (code == REBAL_OK) {
      code = make(loading->fleet, name.bytes, name.len, &id, err);
    }
    if (code == REBAL_OK && id != i) {
      code = rebali_load_malformed(loading, "a name is stored twice", err);
    }
  }
  return code;
}

void rebali_save_clusters(struct rebali_saving *saving, const rebal_fleet *fleet) {
  const uint32_t n = fleet->state.n_rows;

  rebali_save_begin(saving, 0);
  rebali_save_section(saving, REBALI_SAVED_CLUSTERS, 0, 0);
  save_names(saving, fleet->store->names, n);
  for (uint32_t id = 0; id < n; id++) {
    rebali_save_add(saving, id, rebali_state_present(&fleet->state, id), 0);
  }
  rebali_save_integers(saving, saving->values, saving->n);
}

int32_t rebali_load_clusters(struct rebali_loading *loading, rebal_error *err) {
  uint32_t n = 0;
  int32_t code = load_names(loading, rebal_fleet_cluster_id, &n, err);

  if (code == REBAL_OK) {
    code = rebali_load_reserve(loading, n, err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_integers(loading, loading->values, n, err);
  }
  for (uint32_t i = 0; i < n && code == REBAL_OK; i++) {
    const struct rebali_text name = rebali_intern_get(loading->fleet->store->names, i);
    uint32_t id;

    code = loading->values[i] == 0 ? REBAL_OK : rebal_fleet_add_cluster(loading->fleet, name.bytes, name.len, &id, err);
  }
  return code;
}

void rebali_save_resources(struct rebali_saving *saving, const rebal_fleet *fleet) {
  rebali_save_section(saving, REBALI_SAVED_RESOURCES, 0, 0);
  save_names(saving, fleet->store->resources, rebali_store_known(&fleet->store->known_resources));
}

int32_t rebali_load_resources(struct rebali_loading *loading, rebal_error *err) {
  uint32_t n;

  return load_names(loading, rebal_fleet_resource_id, &n, err);
}

/* ---- summaries --------------------------------------------------------------------------------------------------- */

/* Saves one part of one resource. */
static void save_part(struct rebali_saving *saving, const rebal_fleet *fleet, uint32_t part, uint32_t resource) {
  const struct rebali_pages *pages = &fleet->state.capacities[resource].amounts;
  int64_t *formats;

  rebali_save_begin(saving, 0);
  for (uint32_t id = 0; id < fleet->state.n_rows; id++) {
    const struct rebali_amounts *amounts = rebali_pages_get(pages, id);

    if (amounts != NULL && (amounts->stated >> part & 1u) != 0) {
      rebali_save_add(saving, id, amounts->parts[part].units, amounts->parts[part].nanos);
    }
  }
  if (saving->n == 0) {
    return;
  }
  rebali_save_section(saving, REBALI_SAVED_AMOUNTS, part, resource);
  rebali_save_u32(saving, saving->n);
  rebali_save_integers(saving, saving->ids, saving->n);
  rebali_save_integers(saving, saving->values, saving->n);
  rebali_save_integers(saving, saving->nanos, saving->n);
  formats = saving->values;
  for (uint32_t i = 0; i < saving->n; i++) {
    const struct rebali_amounts *amounts = rebali_pages_get(pages, (uint32_t)saving->ids[i]);

    formats[i] = amounts->parts[part].format;
  }
  rebali_save_integers(saving, formats, saving->n);
}

void rebali_save_amounts(struct rebali_saving *saving, const rebal_fleet *fleet) {
  for (uint32_t resource = 0; resource < fleet->state.n_capacities; resource++) {
    for (uint32_t part = REBAL_CAPACITY_ALLOCATABLE; part <= REBAL_CAPACITY_ALLOCATING; part++) {
      save_part(saving, fleet, part, resource);
    }
  }
}

/* An invalid quantity is refused later. */
static rebal_quantity quantity_of(int64_t units, int64_t nanos, int64_t format) {
  return (rebal_quantity){units, nanos < INT32_MIN || nanos > INT32_MAX ? INT32_MIN : (int32_t)nanos,
                          format < 0 || format > UINT32_MAX ? UINT32_MAX : (uint32_t)format};
}

int32_t rebali_load_amounts(struct rebali_loading *loading, rebal_error *err) {
  int32_t code = rebali_load_ids(loading, err);
  const uint32_t n = loading->n;
  int64_t *formats = code == REBAL_OK ? rebali_allocate(loading->allocator, n, sizeof *formats) : NULL;

  if (code == REBAL_OK && formats == NULL && n != 0) {
    return rebali_fail_memory(err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_integers(loading, loading->values, n, err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_integers(loading, loading->nanos, n, err);
  }
  if (code == REBAL_OK) {
    code = rebali_load_integers(loading, formats, n, err);
  }
  for (uint32_t i = 0; i < n && code == REBAL_OK; i++) {
    const rebal_quantity amount = quantity_of(loading->values[i], loading->nanos[i], formats[i]);

    code =
        rebal_fleet_set_capacity(loading->fleet, loading->about[0], loading->ids[i], loading->about[1], &amount, err);
  }
  rebali_release(loading->allocator, formats);
  return code;
}
