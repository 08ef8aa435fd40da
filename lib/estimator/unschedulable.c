/* SPDX-License-Identifier: MIT */
/*
 * Counts replicas that have been unschedulable for longer than a threshold, by the pods of a snapshot
 * (rebalance-karmada(7) 6.5.6).
 */
#include "record/labels.h"
#include "estimator/unschedulable_rows.h"
#include "fleet/every_binding.h"

#define DEFAULT_THRESHOLD_NS (300 * REBALI_SECOND_NS)

/* ---- one question ------------------------------------------------------------------------------------------------ */

static int32_t begin(struct rebali_unschedulable *query) {
  if (query->clusters != NULL) {
    return REBAL_OK;
  }
  rebali_buffer_init(&query->message, rebali_ctx_allocator(query->ctx));
  query->clusters = rebali_arena_allocate_zero(rebali_ctx_scratch(query->ctx), rebali_snapshot_rows(query->snapshot),
                                               sizeof(struct rebali_unschedulable_rows *));
  return query->clusters == NULL ? REBAL_ENOMEM : REBAL_OK;
}

/* NULL: no nodes or pods were read for the cluster. */
static const struct rebali_node_table *table_of(const rebal_snapshot *snapshot, uint32_t cluster) {
  const struct rebali_node_table *known = rebali_snapshot_nodes(snapshot, cluster);
  const struct rebali_node_table *table = known != NULL ? known : rebali_state_nodes(&snapshot->state, cluster);

  return known != NULL || (table != NULL && rebali_table_rows(table, REBAL_TABLE_WORKLOAD)->present != 0) ? table
                                                                                                          : NULL;
}

/* Opens the rows of a cluster, read once. Sets *out to NULL if the cluster is unknown. */
static int32_t open_cluster(struct rebali_unschedulable *query, uint32_t cluster,
                            const struct rebali_unschedulable_rows **out) {
  struct rebali_arena *arena = rebali_ctx_scratch(query->ctx);
  const struct rebali_node_table *table = table_of(query->snapshot, cluster);
  struct rebali_unschedulable_rows *rows;

  *out = query->clusters[cluster];
  if (*out != NULL || table == NULL) {
    return REBAL_OK;
  }
  rows = rebali_arena_allocate(arena, 1, sizeof *rows);
  if (rows == NULL || rebali_unschedulable_rows_read(query->snapshot, table, arena, rows) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  query->clusters[cluster] = rows;
  *out = rows;
  return REBAL_OK;
}

static const rebal_record *selector_of(const struct rebali_unschedulable *query,
                                       const struct rebali_unschedulable_workload *workload) {
  return rebali_snapshot_record(query->snapshot, REBAL_OBJECT_LABEL_SELECTOR, workload->selector);
}

/* A missing selector selects nothing, an empty one everything. */
static int selects(const struct rebali_unschedulable *query, const rebal_record *selector, uint32_t labels) {
  return selector != NULL && rebali_label_selector_matches(
                                 selector, 0, rebali_snapshot_record(query->snapshot, REBAL_OBJECT_LABELS, labels));
}

/*
 * Returns the uid of the oldest replica set with the workload's own template, among those that it controls and selects;
 * REBAL_NONE without one.
 */
static uint32_t find_new_set(const struct rebali_unschedulable *query, const struct rebali_unschedulable_rows *rows,
                             const struct rebali_unschedulable_workload *workload, const rebal_record *selector) {
  size_t n;
  const struct rebali_unschedulable_set *sets = rebali_unschedulable_rows_sets(rows, workload->uid, &n);

  for (size_t i = 0; i < n; i++) {
    if (sets[i].namespace_ == workload->name_space_id && sets[i].pod_template == workload->pod_template &&
        selects(query, selector, sets[i].labels)) {
      return sets[i].uid;
    }
  }
  return REBAL_NONE;
}

static void count_pods(const struct rebali_unschedulable *query, const struct rebali_unschedulable_rows *rows,
                       const struct rebali_unschedulable_workload *workload, uint32_t controller,
                       const rebal_record *selector, struct rebali_stuck *out) {
  size_t n;
  const struct rebali_unschedulable_pod *pods = rebali_unschedulable_rows_pods(rows, controller, &n);

  for (size_t i = 0; i < n; i++) {
    const rebal_time since = {pods[i].since, 0, 1};

    if (pods[i].namespace_ == workload->name_space_id && selects(query, selector, pods[i].labels) &&
        rebali_time_left_ns(query->now, &since, 0) < -query->threshold_ns) {
      out->replicas += out->replicas < INT32_MAX;
      out->since = out->since.is_set ? out->since : since;
    }
  }
}

static int is_deployment(struct rebali_text kind) {
  return rebali_text_equal(kind, REBALI_TEXT("Deployment"));
}

/* The resource of a binding. */
struct resource {
  struct rebali_text namespace_, name, kind;
};

static int32_t fail(struct rebali_unschedulable *query, const struct resource *resource, struct rebali_text why,
                    struct rebali_stuck *out) {
  const struct rebali_text parts[] = {REBALI_TEXT("kind("),
                                      resource->kind,
                                      REBALI_TEXT(") of workload("),
                                      resource->namespace_,
                                      REBALI_TEXT("/"),
                                      resource->name,
                                      REBALI_TEXT(") "),
                                      why};

  query->message.len = 0;
  for (size_t i = 0; i < REBALI_COUNT(parts); i++) {
    rebali_buffer_append(&query->message, parts[i].bytes, parts[i].len);
  }
  out->replicas = REBAL_FITS_FAILED;
  out->message = rebali_text(query->message.bytes, query->message.len);
  return query->message.failed ? REBAL_ENOMEM : REBAL_OK;
}

static int32_t count(struct rebali_unschedulable *query, const struct rebali_unschedulable_rows *rows,
                     const struct resource *resource, struct rebali_stuck *out) {
  const struct rebali_unschedulable_workload *workload =
      rebali_unschedulable_rows_workload(rows, resource->namespace_, resource->name, resource->kind);
  const rebal_record *selector = workload == NULL ? NULL : selector_of(query, workload);

  if (workload == NULL) {
    return fail(query, resource, REBALI_TEXT("is not in the cluster"), out);
  }
  if (selector != NULL && !rebali_label_selector_valid(selector, 0)) {
    return fail(query, resource, REBALI_TEXT("has a malformed selector"), out);
  }
  out->replicas = 0;
  count_pods(query, rows, workload,
             is_deployment(resource->kind) ? find_new_set(query, rows, workload, selector) : workload->uid, selector,
             out);
  return REBAL_OK;
}

int32_t rebali_unschedulable_query(struct rebali_unschedulable *query, const rebal_bindings *bindings, uint32_t binding,
                                   uint32_t cluster, struct rebali_stuck *out) {
  const struct resource resource = {rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_NAMESPACE, binding),
                                    rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_NAME, binding),
                                    rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_KIND, binding)};
  const struct rebali_unschedulable_rows *rows = NULL;
  int32_t code = begin(query);

  *out = (struct rebali_stuck){REBAL_FITS_NO_OPINION, {0, 0, 0}, REBALI_TEXT("")};
  if (code == REBAL_OK && rebali_snapshot_has(query->snapshot, cluster)) {
    code = open_cluster(query, cluster, &rows);
  }
  if (code != REBAL_OK || rows == NULL) {
    return code;
  }
  if (!query->any_kind && !is_deployment(resource.kind)) {
    return fail(query, &resource, REBALI_TEXT("is not supported"), out);
  }
  return count(query, rows, &resource, out);
}

void rebali_unschedulable_end(struct rebali_unschedulable *query) {
  if (query->clusters != NULL) {
    rebali_buffer_dispose(&query->message);
  }
}

/* ---- the public call --------------------------------------------------------------------------------------------- */

/* Callbacks get the address of the first member, which is that of the call. */
struct call {
  struct rebali_every_binding every;
  struct rebali_unschedulable query;
};

static int32_t add_row(const struct call *call, uint32_t binding, uint32_t cluster, const struct rebali_stuck *stuck) {
  struct rebali_table *table = rebali_result_table(call->every.result, REBAL_TABLE_UNSCHEDULABLE);
  size_t row;

  if (rebali_table_add(table, 1, &row) != REBAL_OK ||
      rebali_table_set_i64(table, REBAL_UNSCHEDULABLE_BINDING, row, binding) != REBAL_OK ||
      rebali_table_set_i64(table, REBAL_UNSCHEDULABLE_CLUSTER, row, rebali_id_given(cluster)) != REBAL_OK ||
      rebali_table_set_i64(table, REBAL_UNSCHEDULABLE_REPLICAS, row, stuck->replicas) != REBAL_OK ||
      rebali_table_set_time(table, REBAL_UNSCHEDULABLE_SINCE, row, &stuck->since) != REBAL_OK ||
      rebali_table_set_text(table, REBAL_UNSCHEDULABLE_MESSAGE, row, stuck->message) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return REBAL_OK;
}

static int32_t visit(struct rebali_every_binding *every, uint32_t binding) {
  struct call *call = (void *)every;
  size_t n;
  const uint32_t *targets = rebali_bindings_children(every->bindings, REBAL_TABLE_TARGET, binding, &n);
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const uint32_t cluster = (uint32_t)rebali_bindings_i64(every->bindings, REBAL_TARGET_CLUSTER, targets[i]);
    struct rebali_stuck stuck;

    code = rebali_unschedulable_query(&call->query, every->bindings, binding, cluster, &stuck);
    if (code == REBAL_OK) {
      code = add_row(call, binding, cluster, &stuck);
    }
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(every->err);
}

static int32_t load(const rebal_unschedulable_opts *opts, struct rebali_unschedulable *query, rebal_error *err) {
  const uint32_t known = REBAL_UNSCHEDULABLE_FLAG_ANY_KIND | REBAL_UNSCHEDULABLE_FLAG_THRESHOLD_GIVEN;
  rebal_unschedulable_opts given;
  const int32_t code = rebali_options_load(&given, sizeof given, sizeof given, opts, err);

  if (code != REBAL_OK) {
    return code;
  }
  if ((given.flags & ~known) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a flag is newer than this library");
  }
  query->any_kind = (given.flags & REBAL_UNSCHEDULABLE_FLAG_ANY_KIND) != 0;
  query->threshold_ns = given.threshold_ns < 0 ? 0 : given.threshold_ns;
  if (given.threshold_ns == 0 && (given.flags & REBAL_UNSCHEDULABLE_FLAG_THRESHOLD_GIVEN) == 0) {
    query->threshold_ns = DEFAULT_THRESHOLD_NS;
  }
  return REBAL_OK;
}

int32_t rebal_unschedulable(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                            const rebal_time *now, const rebal_unschedulable_opts *opts, rebal_result *result,
                            rebal_error *err) {
  struct call call = {.every = {snapshot, bindings, now, result, err, NULL},
                      .query = {.ctx = ctx, .snapshot = snapshot, .now = now}};
  int32_t code = rebali_every_binding_check(&call.every);

  if (code == REBAL_OK) {
    code = load(opts, &call.query, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code == REBAL_OK) {
    code = rebali_every_binding_run(&call.every, visit);
    rebali_unschedulable_end(&call.query);
    rebali_ctx_end(ctx);
  }
  return code;
}
