/* SPDX-License-Identifier: MIT */
/*
 * status.resourceSummary.allocatableModelings of a member whose Cluster has resource models: how many nodes are of each
 * grade by the amounts that pods leave (rebalance-karmada(7) 6.8). For a member without nodes only the counts of the
 * scenario are known: that many nodes with the least amounts of each grade, on which the pods of bindings are placed.
 */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PODS_OF_A_NODE 110 /* as estimators assume for a grade */

struct pod {
  uint32_t requirements, node; /* a handle; REBAL_NONE: no node */
  int64_t resources;           /* a handle */
};

/* One cluster in a fleet of its own. */
struct modeling {
  struct rebali_member *member;
  const rebal_record *models; /* of the core's fleet */
  size_t n_models;
  int64_t *counts; /* by model: nodes without pods */
  rebal_fleet *fleet;
  rebal_snapshot *snapshot;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_feed *feed;
  uint32_t cluster;
  struct pod *pods;
  size_t n_pods, pods_capacity;
  size_t n_nodes; /* created from counts */
  int64_t beyond; /* pods that fit on no such node */
};

static void dispose(struct modeling *modeling) {
  rebal_feed_free(modeling->feed);
  rebal_result_free(modeling->result);
  rebal_ctx_free(modeling->ctx);
  rebal_snapshot_unref(modeling->snapshot);
  rebal_fleet_free(modeling->fleet);
  free(modeling->counts);
  free(modeling->pods);
}

static rebal_cells *cells_of(const struct modeling *modeling) {
  return rebal_fleet_cells(modeling->fleet);
}

static int32_t freeze(struct modeling *modeling, rebal_error *err) {
  rebal_snapshot_unref(modeling->snapshot);
  modeling->snapshot = NULL;
  return rebal_fleet_freeze(modeling->fleet, &modeling->snapshot, err);
}

/* ---- the models -------------------------------------------------------------------------------------------------- */

static uint32_t next_model(const struct modeling *modeling, uint32_t model) {
  return rebal_record_next(modeling->models, 0, REBAL_RESOURCE_MODELS_MODEL, model);
}

static int64_t grade_of(const struct modeling *modeling, uint32_t model) {
  return rebal_record_i64(modeling->models,
                          rebal_record_next(modeling->models, model, REBAL_RESOURCE_MODEL_GRADE, REBAL_NONE));
}

/* Sets *out to NULL if the cluster has no models. */
static int32_t find_models(const struct rebali_member *member, const rebal_record **out, rebal_error *err) {
  struct rebali_core *core = member->members->core;
  const int32_t code = rebali_feed_clusters(core, err);
  if (code == REBAL_OK) {
    const rebal_cells *cells = rebal_snapshot_cells(core->snapshot);
    const uint32_t cluster = rebal_snapshot_find_cluster(core->snapshot, member->cluster, strlen(member->cluster));
    const int64_t handle = rebal_cells_get_i64(cells, REBAL_CLUSTER_RESOURCE_MODELS, REBAL_NONE, cluster);
    *out = rebal_cells_record(cells, REBAL_OBJECT_RESOURCE_MODELS, rebali_cell_id(handle));
  }
  return code;
}

static int32_t open_models(struct modeling *modeling, rebal_error *err) {
  for (uint32_t model = next_model(modeling, REBAL_NONE); model != REBAL_NONE; model = next_model(modeling, model)) {
    modeling->n_models++;
  }
  modeling->counts = calloc(modeling->n_models + 1, sizeof *modeling->counts);
  return modeling->counts != NULL ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t open_fleet(struct modeling *modeling, rebal_error *err) {
  const char *cluster = modeling->member->cluster;
  uint32_t models = REBAL_NONE;
  int32_t code = rebal_fleet_new(NULL, &modeling->fleet, err);
  if (code == REBAL_OK) {
    code = rebal_ctx_new(NULL, NULL, &modeling->ctx, err);
  }
  if (code == REBAL_OK) {
    code = rebal_result_new(NULL, &modeling->result, err);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_add_cluster(modeling->fleet, cluster, strlen(cluster), &modeling->cluster, err);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_intern(modeling->fleet, modeling->models, &models, err);
  }
  if (code == REBAL_OK) {
    code = rebal_cells_set_i64(cells_of(modeling), REBAL_CLUSTER_RESOURCE_MODELS, REBAL_NONE, modeling->cluster, models,
                               err);
  }
  return code == REBAL_OK
             ? rebal_cells_set_i64(cells_of(modeling), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, modeling->cluster, 1, err)
             : code;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/* Adds amounts; malformed and negative quantities are left out. */
static int32_t add_amounts(rebal_builder *builder, uint32_t field, const rebal_value *requests, rebal_error *err) {
  for (const char *key = rebal_value_next_key(requests, NULL); key != NULL; key = rebal_value_next_key(requests, key)) {
    rebal_quantity quantity = {0, 0, REBAL_QUANTITY_FORMAT_NONE};
    const int32_t code = rebali_quantity_of(rebali_find(requests, key), &quantity, NULL);
    if (code == REBAL_ENOMEM) {
      return rebali_fail_memory(err);
    }
    if (code == REBAL_OK && quantity.units >= 0 && quantity.nanos >= 0) { /* the builder keeps a failure */
      rebal_builder_begin(builder, field, NULL);
      rebal_builder_text(builder, REBAL_AMOUNT_NAME, key, strlen(key), NULL);
      rebal_builder_quantity(builder, REBAL_AMOUNT_QUANTITY, &quantity, NULL);
      rebal_builder_end(builder, NULL);
    }
  }
  return REBAL_OK;
}

static int32_t intern(struct modeling *modeling, uint32_t *handle, rebal_error *err) {
  const rebal_record *record;
  const int32_t code = rebal_builder_finish(modeling->member->members->core->builder, &record, err);
  return code == REBAL_OK ? rebal_fleet_intern(modeling->fleet, record, handle, err) : code;
}

/* Adds what a pod of the work requests, and nothing else: nodes created from counts have no labels. */
static int32_t intern_pod(struct modeling *modeling, const struct rebali_work *work, struct pod *pod,
                          rebal_error *err) {
  struct rebali_core *core = modeling->member->members->core;
  const rebal_value *requests = rebali_field(core->server, work->binding, "spec.replicaRequirements.resourceRequest");
  uint32_t resources = REBAL_NONE;
  int32_t code;
  rebal_builder_start(core->builder, REBAL_OBJECT_REQUIREMENTS, NULL);
  code = add_amounts(core->builder, REBAL_REQUIREMENTS_RESOURCE_REQUEST, requests, err);
  if (code == REBAL_OK) {
    code = intern(modeling, &pod->requirements, err);
  }
  if (code == REBAL_OK) {
    rebal_builder_start(core->builder, REBAL_OBJECT_POD_RESOURCES, NULL);
    rebal_builder_begin(core->builder, REBAL_POD_RESOURCES_CONTAINERS, NULL);
    code = add_amounts(core->builder, REBAL_CONTAINER_RESOURCES_REQUESTS, requests, err);
    rebal_builder_end(core->builder, NULL);
  }
  if (code == REBAL_OK) {
    code = intern(modeling, &resources, err);
  }
  pod->resources = resources;
  return code;
}

static int32_t fail_limit(const struct modeling *modeling, const char *what, rebal_error *err) {
  return rebali_fail(err, REBAL_ELIMIT, -1, "%s: a member with resource models has at most %zu %s (maxPods)",
                     modeling->member->cluster, modeling->member->members->max_pods, what);
}

static int32_t add_pods(struct modeling *modeling, const struct pod *pod, int64_t n, rebal_error *err) {
  const size_t most = modeling->member->members->max_pods;
  int32_t code;
  if (n <= 0) {
    return REBAL_OK;
  }
  if (n > (int64_t)most - (int64_t)modeling->n_pods) {
    return fail_limit(modeling, "pods", err);
  }
  code = rebali_reserve_malloc(&modeling->pods, &modeling->pods_capacity, modeling->n_pods + (size_t)n,
                               sizeof *modeling->pods, err);
  for (int64_t i = 0; code == REBAL_OK && i < n; i++) {
    modeling->pods[modeling->n_pods++] = *pod;
  }
  return code;
}

/* Lists the pods. Those of members with nodes have a node, or none. */
static int32_t list_pods(struct modeling *modeling, rebal_error *err) {
  const struct rebali_member *member = modeling->member;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < member->n_works; i++) {
    const struct rebali_work *work = member->works[i];
    struct pod pod = {REBAL_NONE, REBAL_NONE, REBAL_ABSENT};
    code = work->is_dropped ? REBAL_OK : intern_pod(modeling, work, &pod, err);
    if (code == REBAL_OK && !work->is_dropped && member->store == NULL) {
      code = add_pods(modeling, &pod, work->replicas, err);
    }
    for (size_t j = 0; code == REBAL_OK && !work->is_dropped && member->store != NULL && j < work->pods.n; j++) {
      pod.node = work->pods.list[j].node;
      code = pod.node != REBAL_NONE ? add_pods(modeling, &pod, work->pods.list[j].count, err) : REBAL_OK;
    }
  }
  return code;
}

/* Charges the existing nodes with their pods. */
static int32_t charge_nodes(struct modeling *modeling, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < modeling->n_pods; i++) {
    const struct pod *pod = &modeling->pods[i];
    uint32_t row;
    if (pod->node == REBAL_NONE ||
        !rebal_cells_has(cells_of(modeling), REBAL_TABLE_NODE, modeling->cluster, pod->node)) {
      continue;
    }
    code = rebal_cells_add(cells_of(modeling), REBAL_TABLE_POD, modeling->cluster, &row, 1, err);
    if (code == REBAL_OK) {
      code = rebal_cells_set_i64(cells_of(modeling), REBAL_POD_RESOURCES, modeling->cluster, row, pod->resources, err);
    }
    if (code == REBAL_OK) {
      code = rebal_cells_set_i64(cells_of(modeling), REBAL_POD_NODE, modeling->cluster, row, pod->node, err);
    }
  }
  return code;
}

/* ---- nodes that are only counted --------------------------------------------------------------------------------- */

/*
 * Reads how many nodes of each grade the scenario states. As for estimators, a negative count makes all of them
 * unusable.
 */
static int32_t read_counts(struct modeling *modeling, int *are_usable, rebal_error *err) {
  rebal_document *document = NULL;
  int32_t code = rebal_document_read(modeling->member->modeled, REBAL_TERMINATED, NULL, &document, err);
  const rebal_value *list = code == REBAL_OK ? rebal_document_value(document, "") : NULL;
  const size_t n = rebal_value_count(list);
  *are_usable = n > 0;
  for (size_t i = 0; i < n; i++) {
    const rebal_value *item = rebal_value_item(list, i);
    const int64_t count = rebali_number_or(rebali_find(item, "count"), 0);
    const int64_t grade = rebali_number_or(rebali_find(item, "grade"), 0);
    int64_t *found = NULL; /* if models share a grade, the last one counts */
    size_t at = 0;
    for (uint32_t model = next_model(modeling, REBAL_NONE); model != REBAL_NONE; model = next_model(modeling, model)) {
      found = grade_of(modeling, model) == grade ? &modeling->counts[at] : found;
      at++;
    }
    *are_usable &= count >= 0;
    if (found != NULL) {
      *found = rebali_add_saturating(*found, count);
    }
  }
  rebal_document_free(document);
  return code;
}

static int32_t set_amount(struct modeling *modeling, const char *resource, size_t len, const rebal_quantity *amount,
                          const uint32_t *nodes, size_t n, rebal_error *err) {
  rebal_quantity *amounts = malloc((n + 1) * sizeof *amounts);
  uint32_t id = REBAL_NONE;
  int32_t code =
      amounts != NULL ? rebal_fleet_resource_id(modeling->fleet, resource, len, &id, err) : rebali_fail_memory(err);
  for (size_t i = 0; amounts != NULL && i < n; i++) {
    amounts[i] = *amount;
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_put_node_amounts(modeling->fleet, modeling->cluster, id, nodes, amounts, n, err);
  }
  free(amounts);
  return code;
}

/* Gives the nodes the least amounts of the model. */
static int32_t fill_nodes(struct modeling *modeling, uint32_t model, const uint32_t *nodes, size_t n,
                          rebal_error *err) {
  const rebal_record *models = modeling->models;
  const rebal_quantity pods = {PODS_OF_A_NODE, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  int32_t code = REBAL_OK;
  for (uint32_t range = rebal_record_next(models, model, REBAL_RESOURCE_MODEL_RANGE, REBAL_NONE);
       code == REBAL_OK && range != REBAL_NONE;
       range = rebal_record_next(models, model, REBAL_RESOURCE_MODEL_RANGE, range)) {
    rebal_quantity least = {0, 0, REBAL_QUANTITY_FORMAT_NONE};
    size_t len;
    const char *resource =
        rebal_record_text(models, rebal_record_next(models, range, REBAL_MODEL_RANGE_NAME, REBAL_NONE), &len);
    rebal_record_quantity(models, rebal_record_next(models, range, REBAL_MODEL_RANGE_MIN, REBAL_NONE), &least);
    code = set_amount(modeling, resource, len, &least, nodes, n, err);
  }
  return code == REBAL_OK ? set_amount(modeling, "pods", 4, &pods, nodes, n, err) : code;
}

/* Moves nodes of a model from its count into the fleet, at most as many as there are pods. */
static int32_t add_nodes(struct modeling *modeling, uint32_t model, int64_t *count, rebal_error *err) {
  const size_t n = *count < (int64_t)modeling->n_pods ? (size_t)*count : modeling->n_pods;
  uint32_t *nodes = NULL;
  int32_t code = REBAL_OK;
  if (n > modeling->member->members->max_pods - modeling->n_nodes) {
    return fail_limit(modeling, "nodes that its pods may take", err);
  }
  nodes = malloc((n + 1) * sizeof *nodes);
  code = nodes != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    char name[32];
    const int len = snprintf(name, sizeof name, "%zu", modeling->n_nodes + i);
    code = rebal_fleet_add_node(modeling->fleet, modeling->cluster, name, (size_t)len, &nodes[i], err);
  }
  if (code == REBAL_OK && n > 0) {
    code = fill_nodes(modeling, model, nodes, n, err);
  }
  free(nodes);
  modeling->n_nodes += n;
  *count -= (int64_t)n;
  return code;
}

/* Adds nodes in the order of the models. */
static int32_t add_all_nodes(struct modeling *modeling, rebal_error *err) {
  int32_t code = REBAL_OK;
  size_t at = 0;
  for (uint32_t model = next_model(modeling, REBAL_NONE); code == REBAL_OK && model != REBAL_NONE;
       model = next_model(modeling, model)) {
    code = add_nodes(modeling, model, &modeling->counts[at++], err);
  }
  return code == REBAL_OK ? freeze(modeling, err) : code;
}

/* Gives each pod, in the order of bindings, the first node on which it fits. */
static int32_t place(struct modeling *modeling, rebal_error *err) {
  uint32_t *requirements = malloc((modeling->n_pods + 1) * sizeof *requirements);
  int32_t code = requirements != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; code == REBAL_OK && i < modeling->n_pods; i++) {
    requirements[i] = modeling->pods[i].requirements;
  }
  if (code == REBAL_OK) {
    code = rebal_place_pods(modeling->ctx, modeling->snapshot, modeling->cluster, requirements, modeling->n_pods, NULL,
                            modeling->result, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < modeling->n_pods; i++) {
    modeling->pods[i].node = rebali_cell_id(rebali_cell(modeling->result, REBAL_SEATED_NODE, i));
    modeling->beyond += modeling->pods[i].node == REBAL_NONE;
  }
  free(requirements);
  return code;
}

/* Removes nodes on which no other pod can run: they are of no grade, and would stop the count. */
static int32_t remove_full(struct modeling *modeling, rebal_error *err) {
  uint32_t *used = calloc(modeling->n_nodes + 1, sizeof *used);
  int32_t code = used != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; code == REBAL_OK && i < modeling->n_pods; i++) {
    if (modeling->pods[i].node != REBAL_NONE) {
      used[modeling->pods[i].node]++;
    }
  }
  for (uint32_t i = 0; code == REBAL_OK && i < modeling->n_nodes; i++) {
    if (used[i] >= PODS_OF_A_NODE) {
      code = rebal_cells_remove(cells_of(modeling), REBAL_TABLE_NODE, modeling->cluster, &i, 1, err);
    }
  }
  free(used);
  return code;
}

static int32_t model_counts(struct modeling *modeling, int *are_usable, rebal_error *err) {
  int32_t code = read_counts(modeling, are_usable, err);
  if (code != REBAL_OK || !*are_usable) {
    return code;
  }
  code = list_pods(modeling, err);
  if (code == REBAL_OK) {
    code = add_all_nodes(modeling, err);
  }
  if (code == REBAL_OK) {
    code = place(modeling, err);
  }
  return code == REBAL_OK ? remove_full(modeling, err) : code;
}

/* ---- nodes that are known ---------------------------------------------------------------------------------------- */

/* Node ids are indexes into the member's nodes. */
static int32_t model_nodes(struct modeling *modeling, rebal_error *err) {
  const int32_t code =
      rebal_store_feed_member(modeling->member->store, modeling->fleet, modeling->cluster, &modeling->feed, err);
  return code == REBAL_OK ? list_pods(modeling, err) : code;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static int32_t print_counts(struct modeling *modeling, struct rebali_buffer *out, rebal_error *err) {
  size_t n;
  int32_t code = charge_nodes(modeling, err);
  if (code == REBAL_OK) {
    code = freeze(modeling, err);
  }
  if (code == REBAL_OK) {
    code = rebal_model_nodes(modeling->ctx, modeling->snapshot, modeling->cluster, modeling->result, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  n = rebal_result_count(modeling->result, REBAL_TABLE_MODELED);
  rebali_buffer_text(out, ",\"allocatableModelings\":[");
  for (size_t i = 0; i < n; i++) {
    const int64_t count =
        rebali_add_saturating(modeling->counts[i], rebali_cell(modeling->result, REBAL_MODELED_COUNT, i));
    rebali_buffer_format(out, "%s{\"grade\":%" PRId64 ",\"count\":%" PRId64 "}", i > 0 ? "," : "",
                         rebali_cell(modeling->result, REBAL_MODELED_GRADE, i), count);
  }
  rebali_buffer_text(out, "]");
  return REBAL_OK;
}

int32_t rebali_models_print(struct rebali_member *member, struct rebali_buffer *out, rebal_error *err) {
  struct modeling modeling = {.member = member};
  int are_usable = 1;
  int32_t code;
  member->beyond_models = 0;
  if ((member->store == NULL && member->modeled[0] == '\0') ||
      rebal_value_count(rebali_field(member->members->core->server, member->object, "spec.resourceModels")) == 0) {
    return REBAL_OK;
  }
  code = find_models(member, &modeling.models, err);
  if (code != REBAL_OK || modeling.models == NULL) {
    return code;
  }
  code = open_models(&modeling, err);
  if (code == REBAL_OK) {
    code = open_fleet(&modeling, err);
  }
  if (code == REBAL_OK) {
    code = member->store != NULL ? model_nodes(&modeling, err) : model_counts(&modeling, &are_usable, err);
  }
  if (code == REBAL_OK && are_usable) {
    code = print_counts(&modeling, out, err);
    member->beyond_models = modeling.beyond;
  }
  dispose(&modeling);
  return code;
}
