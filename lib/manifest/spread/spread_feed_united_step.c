/* SPDX-License-Identifier: MIT */
/*
 * Runs a pass over a UnitedDeployment of the store, with the state of its workloads and pods
 * (rebalance-workloadspread(7) 13.1).
 */
#include "manifest/spread/spread_feed.h"

#include <stdlib.h>
#include <string.h>

/* The feed's data of a UnitedDeployment; arrays by subset. */
struct found {
  rebal_spread_feed *feed;
  const rebal_record *record;
  size_t n;
  uint32_t *states;
  int32_t *replicas, *observed, *ready;
  const char **api_versions, **kinds, **names, **uids;
  json_t *trees; /* of workloads: they hold the uids */
  uint32_t *rows;
  size_t n_rows, capacity;
};

/* ---- the UnitedDeployment ---- */

static uint32_t child(const rebal_record *record, uint32_t parent, uint32_t field) {
  return rebal_record_next(record, parent, field, REBAL_NONE);
}

static uint32_t metadata_of(const rebal_record *record) {
  return child(record, 0, REBAL_UNITED_DEPLOYMENT_METADATA);
}

static const char *text_of(const rebal_record *record, uint32_t parent, uint32_t field) {
  const uint32_t node = child(record, parent, field);
  return node != REBAL_NONE ? rebal_record_text(record, node, NULL) : "";
}

/* Returns the subset after one; REBAL_NONE: the first. */
static uint32_t next_subset(const rebal_record *record, uint32_t subset) {
  const uint32_t spec = child(record, 0, REBAL_UNITED_DEPLOYMENT_SPEC);
  const uint32_t topology = child(record, spec, REBAL_UNITED_SPEC_TOPOLOGY);
  return rebal_record_next(record, topology, REBAL_UNITED_TOPOLOGY_SUBSETS, subset);
}

static size_t count_subsets(const rebal_record *record) {
  size_t n = 0;
  for (uint32_t at = next_subset(record, REBAL_NONE); at != REBAL_NONE; at = next_subset(record, at)) {
    n++;
  }
  return n;
}

/* Returns the index of the first subset with a name, or the number of subsets. */
static size_t find_subset(const rebal_record *record, const char *name) {
  size_t i = 0;
  for (uint32_t at = next_subset(record, REBAL_NONE); at != REBAL_NONE; at = next_subset(record, at), i++) {
    if (strcmp(text_of(record, at, REBAL_UNITED_SUBSET_NAME), name) == 0) {
      break;
    }
  }
  return i;
}

/* ---- workloads ---- */

/* Reads a number below a member; a workload not defaulted by an API server has 1 replica. */
static int32_t read_amount(const json_t *tree, const char *part, const char *key, int32_t absent, int32_t *out,
                           rebal_error *err) {
  const struct rebali_path parent = rebali_path_key(NULL, part), path = rebali_path_key(&parent, key);
  const json_t *value = rebali_member(rebali_member(tree, part), key);
  int64_t number = absent;
  const int32_t result = value != NULL ? rebali_read_integer(value, REBAL_TYPE_INT32, &path, &number, err) : REBAL_OK;
  *out = (int32_t)number;
  return result;
}

static int32_t read_amounts(struct found *found, size_t subset, const json_t *tree, rebal_error *err) {
  int32_t result = read_amount(tree, "spec", "replicas", 1, &found->replicas[subset], err);
  if (result == REBAL_OK) {
    result = read_amount(tree, "status", "replicas", 0, &found->observed[subset], err);
  }
  return result == REBAL_OK ? read_amount(tree, "status", "readyReplicas", 0, &found->ready[subset], err) : result;
}

/* If a subset has several workloads, the first one is used. */
static int32_t note_workload(struct found *found, uint32_t object, json_t *tree, rebal_error *err) {
  const json_t *metadata = rebali_member(tree, "metadata");
  const char *name = rebali_member_text(rebali_member(metadata, "labels"), "apps.kruise.io/subset-name");
  const size_t subset = find_subset(found->record, name);
  const struct rebali_object *identity = rebali_feed_object(found->feed, object);
  rebal_error local = REBAL_ERROR_INIT;
  int32_t result;
  if (subset == found->n || found->states[subset] != 0) {
    return REBAL_OK;
  }
  result = read_amounts(found, subset, tree, &local);
  if (result != REBAL_OK) {
    return rebali_fail_object(identity, result, &local, err);
  }
  found->states[subset] = REBAL_UNITED_STATE_EXISTS;
  found->api_versions[subset] = identity->api_version;
  found->kinds[subset] = identity->kind;
  found->names[subset] = identity->name;
  found->uids[subset] = rebali_member_text(metadata, "uid");
  return json_array_append(found->trees, tree) == 0 ? REBAL_OK : rebali_fail_memory(err);
}

/* ---- pods ---- */

/* Returns 1 if the object controls the pod in a row. Its uid is among those of the pod's owners. */
static int is_controller(const rebal_spread_feed *feed, uint32_t row, const struct rebali_object *object) {
  const rebal_cells *cells = rebal_pods_const_cells(feed->pods);
  const int64_t owner = rebal_cells_get_i64(cells, REBAL_SPREAD_POD_CONTROLLER, REBAL_NONE, row);
  return owner != REBAL_ABSENT &&
         strcmp(rebal_cells_get_text(cells, REBAL_OWNER_KIND, REBAL_NONE, (uint32_t)owner, NULL), object->kind) == 0 &&
         strcmp(rebal_cells_get_text(cells, REBAL_OWNER_NAME, REBAL_NONE, (uint32_t)owner, NULL), object->name) == 0;
}

static int32_t add_pods(struct found *found, uint32_t owner, const struct rebali_children *children, rebal_error *err) {
  const struct rebali_object *object = rebali_feed_object(found->feed, owner);
  int32_t result =
      rebali_reserve_malloc(&found->rows, &found->capacity, found->n_rows + children->n, sizeof *found->rows, err);
  for (size_t i = 0; result == REBAL_OK && i < children->n; i++) {
    const uint32_t row = found->feed->fed[children->objects[i]].row;
    if (row != REBAL_NONE && is_controller(found->feed, row, object)) {
      found->rows[found->n_rows++] = row;
    }
  }
  return result;
}

static int32_t note_owner(void *user, uint32_t object, json_t *tree, const struct rebali_children *children,
                          rebal_error *err) {
  struct found *found = user;
  int32_t result = REBAL_OK;
  if (rebali_is_subset_workload(found->feed, object)) {
    result = note_workload(found, object, tree, err);
  }
  return result == REBAL_OK && children != NULL ? add_pods(found, object, children, err) : result;
}

/* ---- the pass ---- */

static int32_t reserve(struct found *found, rebal_error *err) {
  const size_t n = found->n + 1;
  found->states = calloc(n, sizeof *found->states);
  found->replicas = calloc(3 * n, sizeof *found->replicas);
  found->names = calloc(4 * n, sizeof *found->names);
  found->trees = json_array();
  if (found->states == NULL || found->replicas == NULL || found->names == NULL || found->trees == NULL) {
    return rebali_fail_memory(err);
  }
  found->observed = found->replicas + n;
  found->ready = found->replicas + 2 * n;
  found->api_versions = found->names + n;
  found->kinds = found->names + 2 * n;
  found->uids = found->names + 3 * n;
  return REBAL_OK;
}

static void release(struct found *found) {
  free(found->states);
  free(found->replicas);
  free((void *)found->names);
  free(found->rows);
  json_decref(found->trees);
}

static int32_t find(struct found *found, uint32_t object, rebal_error *err) {
  int32_t result = rebal_store_record(found->feed->store, object, found->feed->builder, &found->record, err);
  if (result == REBAL_OK) {
    found->n = count_subsets(found->record);
    result = reserve(found, err);
  }
  return result == REBAL_OK ? rebali_united_walk(found->feed, rebali_feed_object(found->feed, object)->namespace_,
                                                 text_of(found->record, metadata_of(found->record), REBAL_METADATA_UID),
                                                 REBAL_NONE, note_owner, found, err)
                            : result;
}

/* The workloads of a UnitedDeployment being deleted are deleted too, and not scaled. */
static void fill(const struct found *found, rebal_united_opts *own) {
  static const uint32_t none[1]; /* in a pass, NULL means all pods */
  own->struct_size = (uint32_t)sizeof *own;
  own->n = found->n;
  own->states = found->states;
  own->replicas = found->replicas;
  own->observed = found->observed;
  own->ready = found->ready;
  own->rows = found->n_rows > 0 ? found->rows : none;
  own->n_rows = found->n_rows;
  if (child(found->record, metadata_of(found->record), REBAL_METADATA_DELETION_TIMESTAMP) == REBAL_NONE) {
    own->api_versions = found->api_versions;
    own->kinds = found->kinds;
    own->names = found->names;
    own->uids = found->uids;
  }
}

/* The caller's options may only have flags. */
static int32_t load_options(const rebal_united_opts *opts, rebal_united_opts *own, rebal_error *err) {
  const int32_t result = rebali_options_load(own, sizeof *own, sizeof *own, opts, err);
  if (result == REBAL_OK && (own->n != 0 || own->rows != NULL)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the options have %s of their own", own->n != 0 ? "subsets" : "rows");
  }
  return result;
}

int32_t rebal_spread_feed_united_step(rebal_ctx *ctx, rebal_spread_feed *feed, uint32_t object, const rebal_time *now,
                                      const rebal_united_opts *opts, rebal_result *result, rebal_error *err) {
  struct found found = {.feed = feed};
  rebal_united_opts own;
  int32_t code;
  if (feed == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "feed is needed");
  }
  if (object >= feed->n_fed || !feed->fed[object].is_united) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the feed has no such UnitedDeployment");
  }
  code = load_options(opts, &own, err);
  if (code == REBAL_OK) {
    code = find(&found, object, err);
  }
  if (code == REBAL_OK) {
    fill(&found, &own);
    code = rebal_united_step(ctx, found.record, feed->pods, now, &own, result, err);
  }
  release(&found);
  return code;
}
