/* SPDX-License-Identifier: MIT */
/*
 * What each filter plugin examined when it rejects a cluster: the field that decided, the expected value and the value
 * found. If the plugin itself accepts the cluster, the verdict is the caller's and no field decided.
 */
#include "scheduler/scheduler.h"

static void append(struct rebali_buffer *out, struct rebali_text text) {
  rebali_buffer_append(out, text.bytes, text.len);
}

/* Appends an item to a list, after ", " unless it is the first. */
static void append_part(struct rebali_buffer *out, struct rebali_text text, size_t start) {
  if (out->len > start) {
    append(out, REBALI_TEXT(", "));
  }
  append(out, text);
}

static struct rebali_text cell_of(const rebal_record *record, uint32_t node, uint32_t field) {
  return rebali_record_field_text(record, node, field);
}

static struct rebali_text binding_text(const struct rebali_explanation *explanation, uint32_t column) {
  return rebali_bindings_text(explanation->pass->bindings, column, explanation->pass->row);
}

/* Lists the kinds that the cluster serves in the requested API version. */
static void describe_api(struct rebali_explanation *explanation, uint32_t cluster, struct rebali_reason *reason) {
  const rebal_record *apis =
      rebali_snapshot_cell_record(explanation->pass->snapshot, REBAL_CLUSTER_API_ENABLEMENTS, cluster);
  const struct rebali_text version = binding_text(explanation, REBAL_BINDING_RESOURCE_API_VERSION);
  uint32_t node = REBAL_NONE;

  reason->field = REBAL_BINDING_RESOURCE_API_VERSION;
  append(&explanation->expected, version);
  append(&explanation->expected, REBALI_TEXT(" "));
  append(&explanation->expected, binding_text(explanation, REBAL_BINDING_RESOURCE_KIND));
  while (apis != NULL && (node = rebal_record_next(apis, 0, REBAL_API_ENABLEMENTS_ENABLEMENT, node)) != REBAL_NONE) {
    uint32_t resource = REBAL_NONE;

    if (!rebali_text_equal(cell_of(apis, node, REBAL_API_ENABLEMENT_GROUP_VERSION), version)) {
      continue;
    }
    reason->field = REBAL_BINDING_RESOURCE_KIND;
    while ((resource = rebal_record_next(apis, node, REBAL_API_ENABLEMENT_RESOURCE, resource)) != REBAL_NONE) {
      append_part(&explanation->found, cell_of(apis, resource, REBAL_API_RESOURCE_KIND), 0);
    }
  }
}

/* ---- affinity ---------------------------------------------------------------------------------------------------- */

static void append_list(struct rebali_buffer *out, const struct rebali_text *texts, size_t n) {
  const size_t start = out->len;

  for (size_t i = 0; i < n; i++) {
    append_part(out, texts[i], start);
  }
}

/* Appends a requirement, such as "region In [eu, us]" or "tier Exists". */
static void append_requirement(struct rebali_buffer *out, const struct rebali_requirement *requirement) {
  append(out, requirement->key);
  append(out, REBALI_TEXT(" "));
  append(out, rebali_operator_text(requirement->operation));
  if (requirement->n_values > 0) {
    append(out, REBALI_TEXT(" ["));
    append_list(out, requirement->values, requirement->n_values);
    append(out, REBALI_TEXT("]"));
  }
}

static void append_zones(struct rebali_buffer *out, const rebal_snapshot *snapshot, uint32_t cluster) {
  const rebal_record *zones = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_ZONES, cluster);
  uint32_t node = REBAL_NONE;

  while (zones != NULL && (node = rebal_record_next(zones, 0, REBAL_TEXTS_ITEM, node)) != REBAL_NONE) {
    append_part(out, rebali_record_text(zones, node), 0);
  }
}

/* Appends the value of a key, such as "tier=bronze", or nothing if the key is missing. */
static void append_value(struct rebali_explanation *explanation, uint32_t cluster, uint32_t field,
                         struct rebali_text key) {
  const struct rebali_text value = rebali_affinity_value(explanation->pass->snapshot, cluster, field, key);

  if (value.bytes != NULL) {
    append(&explanation->found, key);
    append(&explanation->found, REBALI_TEXT("="));
    append(&explanation->found, value);
  }
}

/* A malformed expression reads no value of the cluster. */
static void describe_selector(struct rebali_explanation *explanation, uint32_t cluster,
                              const struct rebali_mismatch *mismatch, int is_malformed, struct rebali_reason *reason) {
  const struct rebali_text key = mismatch->requirement->key;

  append_requirement(&explanation->expected, mismatch->requirement);
  if (is_malformed) {
    reason->field = mismatch->field == REBAL_AFFINITY_LABEL_SELECTOR ? REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS
                                                                     : REBAL_FIELD_SELECTOR_MATCH_EXPRESSIONS;
  } else if (mismatch->field == REBAL_AFFINITY_FIELD_SELECTOR && rebali_text_equal(key, REBALI_TEXT("zone"))) {
    append_zones(&explanation->found, explanation->pass->snapshot, cluster);
  } else {
    append_value(explanation, cluster, mismatch->field, key);
  }
}

/* Describes the affinity under trial. If it has overflow affinities, its own part is described. */
static void describe_affinity(struct rebali_explanation *explanation, uint32_t cluster, struct rebali_reason *reason) {
  const struct rebali_pass *pass = explanation->pass;
  const struct rebali_affinity *affinity =
      pass->placement->affinity != NULL ? pass->placement->affinity : pass->trial_term;
  const struct rebali_mismatch mismatch = affinity == NULL
                                              ? (struct rebali_mismatch){0, NULL}
                                              : rebali_affinity_mismatch(affinity, pass->snapshot, cluster);

  reason->field = mismatch.field;
  if (mismatch.field == 0) {
    return;
  }
  if (mismatch.requirement != NULL) {
    describe_selector(explanation, cluster, &mismatch, mismatch.requirement == affinity->malformed, reason);
    return;
  }
  append(&explanation->found, rebali_snapshot_name(pass->snapshot, cluster));
  if (mismatch.field == REBAL_AFFINITY_EXCLUDE) {
    append_list(&explanation->expected, affinity->exclude, affinity->n_exclude);
  } else {
    append_list(&explanation->expected, affinity->cluster_names, affinity->n_cluster_names);
  }
}

/* ---- the other plugins ------------------------------------------------------------------------------------------- */

/* Reports the reason of the first task that evicts from the cluster. */
static void describe_eviction(struct rebali_explanation *explanation, uint32_t cluster, struct rebali_reason *reason) {
  const struct rebali_pass *pass = explanation->pass;
  size_t n;
  const uint32_t *rows = rebali_bindings_children(pass->bindings, REBAL_TABLE_TASK, pass->row, &n);

  for (size_t i = 0; i < n; i++) {
    if (rebali_bindings_i64(pass->bindings, REBAL_TASK_FROM_CLUSTER, rows[i]) == (int64_t)cluster) {
      reason->field = REBAL_TASK_FROM_CLUSTER;
      append(&explanation->found, rebali_bindings_text(pass->bindings, REBAL_TASK_REASON, rows[i]));
      return;
    }
  }
}

/* Reports the first constraint whose property the cluster lacks. */
static void describe_property(struct rebali_explanation *explanation, uint32_t cluster, struct rebali_reason *reason) {
  static const struct {
    uint32_t column; /* 0: clusters need no property for it */
    struct rebali_text name;
  } properties[REBAL_SPREAD_BY_PROVIDER + 1] = {
      [REBAL_SPREAD_BY_REGION] = {REBAL_CLUSTER_REGION, {"region", 6}},
      [REBAL_SPREAD_BY_ZONE] = {REBAL_CLUSTER_ZONES, {"zone", 4}},
      [REBAL_SPREAD_BY_PROVIDER] = {REBAL_CLUSTER_PROVIDER, {"provider", 8}},
  };
  const struct rebali_placement *placement = explanation->pass->placement;

  for (size_t i = 0; i < placement->n_spreads; i++) {
    const uint32_t field = placement->spreads[i].field;

    if (properties[field].column != 0 && !rebali_cluster_has_property(explanation->pass->snapshot, cluster, field)) {
      reason->field = properties[field].column;
      append(&explanation->expected, properties[field].name);
      return;
    }
  }
}

static void append_taint(struct rebali_buffer *out, struct rebali_text key, struct rebali_text value,
                         struct rebali_text effect) {
  append(out, key);
  if (value.len > 0) {
    append(out, REBALI_TEXT("="));
    append(out, value);
  }
  if (effect.len > 0) {
    append(out, REBALI_TEXT(":"));
    append(out, effect);
  }
}

/* Reports the first untolerated taint, and all tolerations. */
static void describe_taint(struct rebali_explanation *explanation, uint32_t cluster, struct rebali_reason *reason) {
  const struct rebali_pass *pass = explanation->pass;
  const struct rebali_placement *placement = pass->placement;
  const rebal_record *taints = rebali_snapshot_cell_record(pass->snapshot, REBAL_CLUSTER_TAINTS, cluster);
  const int64_t index = rebali_untolerated_taint(pass->snapshot, cluster, &placement->tolerations);
  uint32_t node = REBAL_NONE;

  for (int64_t i = 0; taints != NULL && i <= index; i++) {
    node = rebal_record_next(taints, 0, REBAL_TAINTS_TAINT, node);
  }
  if (taints != NULL && node != REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(taints, node);

    reason->field = REBAL_CLUSTER_TAINTS;
    append_taint(&explanation->found, taint.key, taint.value, taint.effect);
  }
  for (size_t i = 0; i < placement->tolerations.n; i++) {
    const struct rebali_toleration *toleration = &placement->tolerations.items[i];

    append_part(&explanation->expected, toleration->key.len == 0 ? REBALI_TEXT("*") : toleration->key, 0);
    append_taint(&explanation->expected, REBALI_TEXT(""), toleration->value, toleration->effect);
  }
}

static void describe_peer(struct rebali_explanation *explanation, const struct rebali_peer *peer, uint32_t column,
                          struct rebali_reason *reason) {
  append(&explanation->expected, binding_text(explanation, column));
  if (peer != NULL) {
    reason->field = peer->is_broken ? (uint32_t)REBAL_BINDING_RESOURCE_VERSION : column;
    append(&explanation->found, rebali_bindings_text(peer->bindings, REBAL_BINDING_NAMESPACE, peer->row));
    append(&explanation->found, REBALI_TEXT("/"));
    append(&explanation->found, rebali_bindings_text(peer->bindings, REBAL_BINDING_NAME, peer->row));
  }
}

static void describe_friend(struct rebali_explanation *explanation, uint32_t cluster, struct rebali_reason *reason) {
  describe_peer(explanation, rebali_rejecting_friend(explanation->pass, cluster), REBAL_BINDING_AFFINITY_GROUP, reason);
}

static void describe_foe(struct rebali_explanation *explanation, uint32_t cluster, struct rebali_reason *reason) {
  describe_peer(explanation, rebali_rejecting_foe(explanation->pass, cluster), REBAL_BINDING_ANTI_AFFINITY_GROUP,
                reason);
}

static void describe_extra(struct rebali_explanation *explanation, uint32_t cluster, struct rebali_reason *reason) {
  const rebal_schedule_opts *opts = explanation->pass->opts;

  (void)cluster;
  (void)reason;
  if (opts->extra_reject_reason != NULL) {
    rebali_buffer_append(&explanation->found, opts->extra_reject_reason, (size_t)opts->extra_reject_reason_len);
  }
}

void rebali_explain_rejection(struct rebali_explanation *explanation, uint32_t plugin, uint32_t cluster,
                              struct rebali_reason *reason) {
  static void (*const plugins[REBALI_FILTERS])(struct rebali_explanation *, uint32_t, struct rebali_reason *) = {
      [REBAL_FILTER_API_ENABLEMENT] = describe_api,         [REBAL_FILTER_CLUSTER_AFFINITY] = describe_affinity,
      [REBAL_FILTER_CLUSTER_EVICTION] = describe_eviction,  [REBAL_FILTER_SPREAD_CONSTRAINT] = describe_property,
      [REBAL_FILTER_TAINT_TOLERATION] = describe_taint,     [REBAL_FILTER_WORKLOAD_AFFINITY] = describe_friend,
      [REBAL_FILTER_WORKLOAD_ANTI_AFFINITY] = describe_foe, [REBALI_FILTER_EXTRA] = describe_extra,
  };

  explanation->expected.len = 0;
  explanation->found.len = 0;
  plugins[plugin == REBAL_FILTER_EXTRA ? REBALI_FILTER_EXTRA : plugin](explanation, cluster, reason);
  reason->expected = rebali_text(explanation->expected.bytes, explanation->expected.len);
  reason->found = rebali_text(explanation->found.bytes, explanation->found.len);
}
