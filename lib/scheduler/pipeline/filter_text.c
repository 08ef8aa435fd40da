/* SPDX-License-Identifier: MIT */
/* Messages of the filters: the reason for one cluster, and the fit error over all (rebalance-karmada(7) 3.2 to 3.9). */
#include "scheduler/scheduler.h"

static void append_text(struct rebali_buffer *out, struct rebali_text text) {
  rebali_buffer_append(out, text.bytes, text.len);
}

/* Appends the first constraint whose property the cluster lacks. */
static void append_property(const rebal_snapshot *snapshot, uint32_t cluster, const rebal_record *placement,
                            struct rebali_buffer *out) {
  static const struct {
    struct rebali_text field;
    struct rebali_text text;
  } properties[] = {
      {{"provider", 8}, {"cluster(s) did not have provider property", 41}},
      {{"region", 6}, {"cluster(s) did not have region property", 39}},
      {{"zone", 4}, {"cluster(s) did not have zones property", 38}},
  };
  uint32_t node = REBAL_NONE;

  while (placement != NULL &&
         (node = rebali_record_next(placement, 0, REBAL_PLACEMENT_SPREAD_CONSTRAINTS, node)) != REBAL_NONE) {
    const struct rebali_text field = rebali_record_field_text(placement, node, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD);

    for (size_t i = 0; i < REBALI_COUNT(properties); i++) {
      if (rebali_text_equal(field, properties[i].field) &&
          !rebali_cluster_has_property(snapshot, cluster, rebali_spread_field_parse(field))) {
        append_text(out, properties[i].text);
        return;
      }
    }
  }
}

/* Appends nothing if the taint was removed after the cluster was rejected. */
static void append_taint(const rebal_snapshot *snapshot, uint32_t cluster, int64_t index, struct rebali_buffer *out) {
  const rebal_record *taints = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_TAINTS, cluster);
  struct rebali_text value;
  uint32_t node = REBAL_NONE;

  for (int64_t i = 0; taints != NULL && i <= index; i++) {
    node = rebali_record_next(taints, 0, REBAL_TAINTS_TAINT, node);
  }
  if (taints == NULL || node == REBAL_NONE) {
    return;
  }
  value = rebali_record_field_text(taints, node, REBAL_TAINT_VALUE);
  append_text(out, REBALI_TEXT("cluster(s) had untolerated taint {"));
  append_text(out, rebali_record_field_text(taints, node, REBAL_TAINT_KEY));
  if (value.len > 0) {
    append_text(out, REBALI_TEXT("="));
    append_text(out, value);
  }
  append_text(out, REBALI_TEXT(":"));
  append_text(out, rebali_record_field_text(taints, node, REBAL_TAINT_EFFECT));
  append_text(out, REBALI_TEXT("}"));
}

void rebali_filter_text(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t plugin,
                        const rebal_record *placement, int64_t taint, int broken_peer, struct rebali_buffer *out) {
  static const struct rebali_text texts[REBALI_FILTERS] = {
      [REBAL_FILTER_API_ENABLEMENT] = {"cluster(s) did not have the API resource", 40},
      [REBAL_FILTER_CLUSTER_AFFINITY] = {"cluster(s) did not match the placement cluster affinity constraint", 66},
      [REBAL_FILTER_CLUSTER_EVICTION] = {"cluster(s) is in the process of eviction", 40},
      [REBAL_FILTER_WORKLOAD_AFFINITY] = {"ResourceBinding with the same affinity group does not target this cluster",
                                          73},
      [REBAL_FILTER_WORKLOAD_ANTI_AFFINITY] = {"cluster already has workload with the same anti-affinity group", 62},
      [REBALI_FILTER_EXTRA] = {"cluster(s) were rejected by the caller", 38},
  };

  if (broken_peer) {
    append_text(out, REBALI_TEXT("failed to compare resource versions for ResourceBinding"));
  } else if (plugin == REBAL_FILTER_SPREAD_CONSTRAINT) {
    append_property(snapshot, cluster, placement, out);
  } else if (plugin == REBAL_FILTER_TAINT_TOLERATION) {
    append_taint(snapshot, cluster, taint, out);
  } else {
    append_text(out, texts[plugin == REBAL_FILTER_EXTRA ? REBALI_FILTER_EXTRA : plugin]);
  }
}

/* ---- the fit error: a histogram of reasons ----------------------------------------------------------------------- */

struct reason {
  struct rebali_text text;
  uint32_t count;
};

static int compare_texts(const void *left, const void *right, const void *context) {
  (void)context;
  return rebali_text_compare(*(const struct rebali_text *)left, *(const struct rebali_text *)right);
}

static void append_reason(struct rebali_pass *pass, uint32_t cluster, struct rebali_buffer *out) {
  const struct rebali_verdict verdict = rebali_filter_judge(pass, cluster);
  uint32_t i = 0, plugin;

  while (i + 1 < REBALI_FILTERS && (verdict.rejected >> rebali_filter_at(i) & 1u) == 0) {
    i++;
  }
  plugin = rebali_filter_at(i);
  if (plugin == REBAL_FILTER_EXTRA && pass->opts->extra_reject_reason != NULL) {
    append_text(out, rebali_text(pass->opts->extra_reject_reason, (size_t)pass->opts->extra_reject_reason_len));
    return;
  }
  rebali_filter_text(pass->snapshot, cluster, plugin, pass->placement->record, verdict.taint,
                     (int)(verdict.uncomparable >> plugin & 1u), out);
}

/* Collects the reasons. Deleting clusters have none. reasons has space for every cluster. */
static int32_t collect(struct rebali_pass *pass, struct reason *reasons, size_t *n) {
  struct rebali_buffer text;
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(pass->snapshot, &n_clusters);
  int failed;

  *n = 0;
  rebali_buffer_init(&text, rebali_ctx_allocator(pass->ctx));
  for (uint32_t i = 0; i < n_clusters && !text.failed; i++) {
    size_t at = 0;

    if (rebali_snapshot_i64(pass->snapshot, REBAL_CLUSTER_DELETING, clusters[i])) {
      continue;
    }
    text.len = 0;
    append_reason(pass, clusters[i], &text);
    while (at < *n && !rebali_text_equal(reasons[at].text, rebali_text(text.bytes, text.len))) {
      at++;
    }
    if (at == *n) {
      reasons[at].text = rebali_arena_text(rebali_ctx_scratch(pass->ctx), rebali_text(text.bytes, text.len));
      reasons[at].count = 0;
      text.failed |= reasons[at].text.bytes == NULL;
      (*n)++;
    }
    reasons[at].count++;
  }
  failed = text.failed; /* disposing resets it */
  rebali_buffer_dispose(&text);
  return failed ? rebali_fail_memory(pass->err) : REBAL_OK;
}

/* Appends "<count> <reason>" items, sorted as texts: "10 ..." comes before "2 ...". */
static int32_t append_histogram(struct rebali_pass *pass, const struct reason *reasons, size_t n) {
  struct rebali_arena *scratch = rebali_ctx_scratch(pass->ctx);
  struct rebali_text *lines = rebali_arena_allocate(scratch, n, 2 * sizeof *lines); /* second half: to sort */
  struct rebali_buffer line;
  int failed;

  if (lines == NULL) {
    return rebali_fail_memory(pass->err);
  }
  rebali_buffer_init(&line, rebali_ctx_allocator(pass->ctx));
  for (size_t i = 0; i < n; i++) {
    line.len = 0;
    rebali_buffer_append_i64(&line, reasons[i].count);
    append_text(&line, REBALI_TEXT(" "));
    append_text(&line, reasons[i].text);
    lines[i] = rebali_arena_text(scratch, rebali_text(line.bytes, line.len));
    line.failed |= lines[i].bytes == NULL;
  }
  failed = line.failed; /* disposing resets it */
  rebali_buffer_dispose(&line);
  if (failed) {
    return rebali_fail_memory(pass->err);
  }
  rebali_sort(lines, n, sizeof *lines, lines + n, compare_texts, NULL);
  for (size_t i = 0; i < n; i++) {
    append_text(&pass->message, i == 0 ? REBALI_TEXT("") : REBALI_TEXT(", "));
    append_text(&pass->message, lines[i]);
  }
  return REBAL_OK;
}

int32_t rebali_filter_refuse(struct rebali_pass *pass) {
  const uint32_t n_clusters = rebali_snapshot_count(pass->snapshot);
  struct reason *reasons =
      rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), (size_t)n_clusters + 1, sizeof *reasons);
  size_t n = 0;
  int32_t code = reasons == NULL ? rebali_fail_memory(pass->err) : collect(pass, reasons, &n);

  if (code == REBAL_OK) {
    code =
        rebali_pass_refuse(pass, REBAL_OUTCOME_NO_CLUSTER_FIT, "0/%u clusters are available: ", (unsigned)n_clusters);
  }
  if (code == REBAL_OK && n > 0) {
    code = append_histogram(pass, reasons, n);
  }
  if (code == REBAL_OK) {
    append_text(&pass->message, n > 0 ? REBALI_TEXT(".") : REBALI_TEXT("no cluster exists."));
    code = pass->message.failed ? rebali_fail_memory(pass->err) : REBAL_OK;
  }
  return code;
}
