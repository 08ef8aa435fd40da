/* SPDX-License-Identifier: MIT */
/* UnitedDeployments: which replicas each subset has, and what became of those it had. */
#include "kruise-united.h"

#include <rebalance/rebalance.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of workloads, and where their objects are. */
static const struct {
  const char *kind, *path, *plural;
} kinds[] = {{"Deployment.apps", "/apis/apps/v1", "deployments"},
             {"StatefulSet.apps", "/apis/apps/v1", "statefulsets"},
             {"CloneSet.apps.kruise.io", "/apis/apps.kruise.io/v1alpha1", "clonesets"},
             {"StatefulSet.apps.kruise.io", "/apis/apps.kruise.io/v1beta1", "statefulsets"}};

/* The workload of a subset. */
struct workload {
  uint32_t object; /* REBAL_NONE: it has none */
  size_t kind;
};

struct united {
  struct client *client;
  rebal_spread_feed *feed;
  struct passes passes;
  rebal_builder *builder;
  rebal_text *text, *other;
  uint64_t seen; /* changes of the store */

  /* Of the pass, by subset; amounts in one array as rebal_united_opts has them. */
  struct workload *workloads;
  int32_t *amounts;
  size_t n_subsets, subsets_capacity;
  uint32_t *rows;
  size_t n_rows, rows_capacity;
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The text at a path of an object, in out; "" when there is none. */
static const char *text_at(const struct united *united, uint32_t object, const char *path, rebal_text *out) {
  rebal_text_reset(out);
  (void)rebal_store_text(client_store(united->client), object, path, REBAL_TERMINATED, out, NULL);
  return rebal_text_bytes(out, NULL);
}

static int32_t number_at(const struct united *united, uint32_t object, const char *path) {
  return (int32_t)strtol(text_at(united, object, path, united->other), NULL, 10);
}

static const char *namespace_of(const struct united *united, uint32_t object) {
  return rebal_store_identity(client_store(united->client), object, REBAL_IDENTITY_NAMESPACE, NULL);
}

static bool is_controlled_by(const struct united *united, uint32_t object, const char *uid) {
  char path[80];
  for (int i = 0; i < 16; i++) {
    (void)snprintf(path, sizeof path, "metadata.ownerReferences[%d].uid", i);
    if (strcmp(text_at(united, object, path, united->other), uid) == 0) {
      (void)snprintf(path, sizeof path, "metadata.ownerReferences[%d].controller", i);
      return uid[0] != '\0' && strcmp(text_at(united, object, path, united->other), "true") == 0;
    }
  }
  return false;
}

/* ---- subsets and their workloads --------------------------------------------------------------------------------- */

static bool reserve_subsets(struct united *united, size_t n) {
  if (n > united->subsets_capacity || united->amounts == NULL) {
    free(united->workloads);
    free(united->amounts);
    united->workloads = calloc(n + 1, sizeof *united->workloads);
    united->amounts = calloc(4 * n + 1, sizeof *united->amounts);
    united->subsets_capacity = united->workloads != NULL && united->amounts != NULL ? n : 0;
  }
  united->n_subsets = n;
  return united->amounts != NULL && n <= united->subsets_capacity;
}

static uint32_t child(const rebal_record *record, uint32_t parent, uint32_t field) {
  return rebal_record_next(record, parent, field, REBAL_NONE);
}

/* The subset after one, REBAL_NONE: the first. */
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

/* The place of the subset with a name, or their number. */
static size_t find_subset(const rebal_record *record, const char *name) {
  size_t i = 0;
  for (uint32_t at = next_subset(record, REBAL_NONE); at != REBAL_NONE; at = next_subset(record, at)) {
    const uint32_t node = child(record, at, REBAL_UNITED_SUBSET_NAME);
    if (node != REBAL_NONE && strcmp(rebal_record_text(record, node, NULL), name) == 0) {
      break;
    }
    i++;
  }
  return i;
}

static void note_workload(struct united *united, size_t subset, uint32_t object, size_t kind) {
  const size_t n = united->n_subsets;
  int32_t *amounts = united->amounts + subset;
  united->workloads[subset] = (struct workload){object, kind};
  amounts[0] = REBAL_UNITED_STATE_EXISTS;
  amounts[n] = number_at(united, object, "spec.replicas");
  amounts[2 * n] = number_at(united, object, "status.replicas");
  amounts[3 * n] = number_at(united, object, "status.readyReplicas");
}

static bool find_workloads(struct united *united, uint32_t object, const rebal_record *record) {
  const rebal_store *store = client_store(united->client);
  const char *uid = text_at(united, object, "metadata.uid", united->text);
  if (!reserve_subsets(united, count_subsets(record))) {
    return false;
  }
  memset(united->amounts, 0, 4 * united->n_subsets * sizeof *united->amounts);
  for (size_t i = 0; i < united->n_subsets; i++) {
    united->workloads[i].object = REBAL_NONE;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    uint32_t workload = REBAL_NONE;
    while ((workload = rebal_store_next(store, kinds[i].kind, REBAL_TERMINATED, workload)) != REBAL_NONE) {
      if (strcmp(namespace_of(united, workload), namespace_of(united, object)) == 0 &&
          is_controlled_by(united, workload, uid)) {
        const size_t subset = find_subset(
            record, text_at(united, workload, "metadata.labels[\"apps.kruise.io/subset-name\"]", united->other));
        if (subset < united->n_subsets) {
          note_workload(united, subset, workload, i);
        }
      }
    }
  }
  return true;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/* Does the chain of controllers lead from a pod to the UnitedDeployment? */
static bool is_below(const struct united *united, uint32_t row, const char *name) {
  const rebal_cells *cells = rebal_pods_const_cells(rebal_spread_feed_pods(united->feed));
  int64_t owner = rebal_cells_get_i64(cells, REBAL_SPREAD_POD_CONTROLLER, REBAL_NONE, row);
  for (int i = 0; i < 8 && owner != REBAL_ABSENT; i++) {
    const char *kind = rebal_cells_get_text(cells, REBAL_OWNER_KIND, REBAL_NONE, (uint32_t)owner, NULL);
    if (strcmp(kind, "UnitedDeployment") == 0) {
      return strcmp(rebal_cells_get_text(cells, REBAL_OWNER_NAME, REBAL_NONE, (uint32_t)owner, NULL), name) == 0;
    }
    owner = rebal_cells_get_i64(cells, REBAL_OWNER_CONTROLLER, REBAL_NONE, (uint32_t)owner);
  }
  return false;
}

static bool find_pods(struct united *united, uint32_t object) {
  const rebal_store *store = client_store(united->client);
  const rebal_cells *cells = rebal_pods_const_cells(rebal_spread_feed_pods(united->feed));
  const size_t n = rebal_cells_bound(cells, REBAL_TABLE_SPREAD_POD, REBAL_NONE) + 1;
  uint32_t row = REBAL_NONE;
  if (n > united->rows_capacity) {
    free(united->rows);
    united->rows = calloc(n, sizeof *united->rows);
    united->rows_capacity = united->rows != NULL ? n : 0;
  }
  united->n_rows = 0;
  while (united->rows != NULL &&
         (row = rebal_cells_next(cells, REBAL_TABLE_SPREAD_POD, REBAL_NONE, row)) != REBAL_NONE) {
    if (strcmp(namespace_of(united, rebal_spread_feed_object(united->feed, row)), namespace_of(united, object)) == 0 &&
        is_below(united, row, rebal_store_identity(store, object, REBAL_IDENTITY_NAME, NULL))) {
      united->rows[united->n_rows++] = row;
    }
  }
  return united->rows != NULL;
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

static int32_t step(void *user, uint32_t object, const rebal_time *now, rebal_error *err) {
  struct united *united = user;
  rebal_united_opts opts = {.struct_size = sizeof opts};
  const rebal_record *record;
  int32_t code = rebal_store_record(client_store(united->client), object, united->builder, &record, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (!find_workloads(united, object, record) || !find_pods(united, object)) {
    return REBAL_ENOMEM;
  }
  opts.n = united->n_subsets;
  opts.states = (const uint32_t *)united->amounts;
  opts.replicas = united->amounts + opts.n;
  opts.observed = united->amounts + 2 * opts.n;
  opts.ready = united->amounts + 3 * opts.n;
  opts.rows = united->rows;
  opts.n_rows = united->n_rows;
  return rebal_united_step(united->passes.ctx, record, rebal_spread_feed_pods(united->feed), now, &opts,
                           united->passes.result, err);
}

static int32_t scale_one(const struct united *united, const struct workload *workload, int64_t replicas) {
  const char *name = rebal_store_identity(client_store(united->client), workload->object, REBAL_IDENTITY_NAME, NULL);
  char path[700], body[500];
  struct answer answer;
  int32_t code;
  (void)snprintf(path, sizeof path, "%s/namespaces/%s/%s/%s/scale", kinds[workload->kind].path,
                 namespace_of(united, workload->object), kinds[workload->kind].plural, name);
  (void)snprintf(body, sizeof body,
                 "{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
                 "\"%s\"},\"spec\":{\"replicas\":%" PRId64 "}}",
                 name, namespace_of(united, workload->object), replicas);
  if (!client_request(united->client, "PUT", path, body, &answer)) {
    return REBAL_ENOMEM;
  }
  code = answer.status == 200 ? REBAL_OK : REBAL_EAGAIN;
  if (code != REBAL_OK) {
    say_refused("Scale", name, answer.status, rebal_text_bytes(answer.body, NULL));
  }
  rebal_text_free(answer.body);
  return code;
}

/* Once the conditions are written. */
static int32_t scale(void *user, uint32_t object, const rebal_time *now, rebal_error *err) {
  const struct united *united = user;
  size_t n;
  const int64_t *subsets = rebal_result_i64(united->passes.result, REBAL_ALLOCATED_SUBSET, &n);
  const int64_t *replicas = rebal_result_i64(united->passes.result, REBAL_ALLOCATED_REPLICAS, NULL);
  int32_t code = REBAL_OK;
  (void)now;
  (void)err;
  if (text_at(united, object, "metadata.deletionTimestamp", united->text)[0] != '\0') {
    return REBAL_OK; /* its workloads go with it */
  }
  for (size_t i = 0; i < n; i++) {
    const struct workload *workload = &united->workloads[subsets[i]];
    if (workload->object != REBAL_NONE && replicas[i] != united->amounts[united->n_subsets + (size_t)subsets[i]]) {
      const int32_t one = client_leads(united->client) ? scale_one(united, workload, replicas[i]) : REBAL_EAGAIN;
      code = code == REBAL_OK ? one : code;
    }
  }
  return code;
}

/* A change in a namespace is about all of it; of a deleted object the namespace is unknown. */
static void note_change(struct united *united, uint32_t changed) {
  const rebal_store *store = client_store(united->client);
  const bool is_gone = rebal_store_identity(store, changed, REBAL_IDENTITY_KIND, NULL)[0] == '\0';
  uint32_t object = REBAL_NONE;
  while ((object = rebal_store_next(store, "UnitedDeployment", REBAL_TERMINATED, object)) != REBAL_NONE) {
    if (is_gone || strcmp(namespace_of(united, object), namespace_of(united, changed)) == 0) {
      (void)timers_set(&united->passes.timers, object, 1);
    }
  }
}

void united_make(struct united *united) {
  uint32_t changed;
  while ((changed = rebal_store_next_changed(client_store(united->client), &united->seen)) != REBAL_NONE) {
    note_change(united, changed);
  }
  passes_make(&united->passes, "UnitedDeployment", step, united);
}

int united_wait(const struct united *united, int longest) {
  return timers_wait(&united->passes.timers, longest);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

bool united_open(struct united **out, struct client *client, rebal_spread_feed *feed) {
  struct united *united = calloc(1, sizeof *united);
  *out = united;
  if (united == NULL || !passes_open(&united->passes, client)) {
    return false;
  }
  united->client = client;
  united->feed = feed;
  united->passes.takes_all_to_succeed = true;
  united->passes.finish = scale;
  return rebal_builder_new(NULL, &united->builder, NULL) == REBAL_OK &&
         rebal_text_new(&united->text, NULL) == REBAL_OK && rebal_text_new(&united->other, NULL) == REBAL_OK &&
         client_follow(client, "apps.kruise.io/v1beta1", "UnitedDeployment");
}

void united_close(struct united *united) {
  if (united == NULL) {
    return;
  }
  free(united->rows);
  free(united->amounts);
  free(united->workloads);
  rebal_text_free(united->other);
  rebal_text_free(united->text);
  rebal_builder_free(united->builder);
  passes_close(&united->passes);
  free(united);
}
