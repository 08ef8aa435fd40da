/* SPDX-License-Identifier: MIT */
/*
 * Formats a row of EXPLAIN as one English sentence: a table of sentences, and the words that fill their placeholders.
 */
#include "scheduler/scheduler.h"

/* A row of EXPLAIN and the tables that its ids refer to. */
struct row {
  const rebal_snapshot *snapshot;
  const rebal_bindings *bindings;
  const rebal_result *result;
  size_t number;
};

static int64_t integer_of(const struct row *row, uint32_t column) {
  size_t n;

  return rebal_result_i64(row->result, column, &n)[row->number];
}

static struct rebali_text text_of(const struct row *row, uint32_t column) {
  size_t len;
  const char *bytes = rebal_result_text(row->result, column, row->number, &len);

  return rebali_text(bytes, len);
}

static void append(struct rebali_buffer *out, struct rebali_text text) {
  rebali_buffer_append(out, text.bytes, text.len);
}

static void append_words(struct rebali_buffer *out, const char *words) {
  rebali_buffer_append(out, words, strlen(words));
}

/* ---- the sentences ----------------------------------------------------------------------------------------------- */

#define ANY REBAL_ABSENT

/* The first sentence that fits a row is used. The last one fits every row. */
static const struct sentence {
  int64_t verdict;
  int64_t plugin; /* ANY, or the rejecting plugin */
  int64_t field;  /* ANY, or the field of the row */
  uint32_t needs; /* 0, or a column that must not be empty */
  const char *words;
} sentences[] = {
    {REBAL_WHY_FEASIBLE, ANY, ANY, 0, "{cluster} is feasible."},
    {REBAL_WHY_DELETING, ANY, ANY, 0, "{cluster} is being deleted."},
    {REBAL_WHY_REJECTED, REBAL_FILTER_API_ENABLEMENT, ANY, REBAL_EXPLAIN_FOUND,
     "{cluster} is rejected by {plugin}: it does not serve {expected}, of that version only {found}."},
    {REBAL_WHY_REJECTED, REBAL_FILTER_API_ENABLEMENT, ANY, 0,
     "{cluster} is rejected by {plugin}: it does not serve {expected}."},
    {REBAL_WHY_REJECTED, ANY, REBAL_AFFINITY_CLUSTER_NAMES, 0,
     "{cluster} is rejected by {plugin}: {field} lists only {expected}."},
    {REBAL_WHY_REJECTED, ANY, REBAL_AFFINITY_EXCLUDE, 0,
     "{cluster} is rejected by {plugin}: {field} lists {expected}."},
    {REBAL_WHY_REJECTED, ANY, REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, 0,
     "{cluster} is rejected by {plugin}: {expected} is malformed, so its labelSelector matches nothing."},
    {REBAL_WHY_REJECTED, ANY, REBAL_FIELD_SELECTOR_MATCH_EXPRESSIONS, 0,
     "{cluster} is rejected by {plugin}: {expected} is malformed, so its fieldSelector matches nothing."},
    {REBAL_WHY_REJECTED, REBAL_FILTER_CLUSTER_AFFINITY, ANY, REBAL_EXPLAIN_FOUND,
     "{cluster} is rejected by {plugin}: {field} requires {expected}, and it has {found}."},
    {REBAL_WHY_REJECTED, REBAL_FILTER_CLUSTER_AFFINITY, ANY, REBAL_EXPLAIN_EXPECTED,
     "{cluster} is rejected by {plugin}: {field} requires {expected}, and it has no such value."},
    {REBAL_WHY_REJECTED, REBAL_FILTER_CLUSTER_EVICTION, ANY, REBAL_EXPLAIN_FOUND,
     "{cluster} is rejected by {plugin}: the workload is being evicted from it ({found})."},
    {REBAL_WHY_REJECTED, ANY, REBAL_TASK_FROM_CLUSTER, 0,
     "{cluster} is rejected by {plugin}: the workload is being evicted from it."},
    {REBAL_WHY_REJECTED, REBAL_FILTER_SPREAD_CONSTRAINT, ANY, REBAL_EXPLAIN_EXPECTED,
     "{cluster} is rejected by {plugin}: it has no {expected}, which a spread constraint groups by."},
    {REBAL_WHY_REJECTED, ANY, REBAL_CLUSTER_TAINTS, REBAL_EXPLAIN_EXPECTED,
     "{cluster} is rejected by {plugin}: its taint {found} is not tolerated, only {expected}."},
    {REBAL_WHY_REJECTED, ANY, REBAL_CLUSTER_TAINTS, 0,
     "{cluster} is rejected by {plugin}: its taint {found} is not tolerated."},
    {REBAL_WHY_REJECTED, ANY, REBAL_BINDING_RESOURCE_VERSION, 0,
     "{cluster} is rejected by {plugin}: the copies of {found} in group {expected} cannot be compared."},
    {REBAL_WHY_REJECTED, ANY, REBAL_BINDING_AFFINITY_GROUP, 0,
     "{cluster} is rejected by {plugin}: {found} of group {expected} is placed, but not in this cluster."},
    {REBAL_WHY_REJECTED, ANY, REBAL_BINDING_ANTI_AFFINITY_GROUP, 0,
     "{cluster} is rejected by {plugin}: {found} of group {expected} is in this cluster."},
    {REBAL_WHY_REJECTED, REBAL_FILTER_EXTRA, ANY, REBAL_EXPLAIN_FOUND, "{cluster} is rejected by {plugin}: {found}."},
    {REBAL_WHY_REJECTED, ANY, ANY, 0, "{cluster} is rejected by {plugin}."},
    {REBAL_WHY_SCORED, ANY, ANY, REBAL_EXPLAIN_RESOURCE,
     "{cluster} scores {score} ({locality} for locality, {extra} by the caller) and has capacity for {available}, "
     "{allocatable} of them new: {resource} limits it."},
    {REBAL_WHY_SCORED, ANY, ANY, 0,
     "{cluster} scores {score} ({locality} for locality, {extra} by the caller), and nothing limits its capacity."},
    {REBAL_WHY_SELECTED, ANY, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD, 0,
     "Region {group} is selected: it scores {score} and has capacity for {available} ({found})."},
    {REBAL_WHY_SELECTED, ANY, ANY, REBAL_EXPLAIN_GROUP, "{cluster} is selected for region {group} ({found})."},
    {REBAL_WHY_SELECTED, ANY, ANY, 0, "{cluster} is selected ({found})."},
    {REBAL_WHY_BEYOND_MAX_GROUPS, ANY, ANY, REBAL_EXPLAIN_EXPECTED,
     "{cluster} is left out: {expected} allows only others ({found})."},
    {REBAL_WHY_BEYOND_MAX_GROUPS, ANY, ANY, 0,
     "{cluster} is left out: region {group} is represented by a better cluster ({found})."},
    {REBAL_WHY_GROUP_LEFT_OUT, ANY, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD, 0,
     "Region {group} is left out: it scores {score} and has capacity for {available} ({found}), and {expected} allows "
     "only other regions."},
    {REBAL_WHY_GROUP_LEFT_OUT, ANY, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS, 0,
     "Region {group} scores {score} and has capacity for {available} ({found}), but {expected} is required."},
    {REBAL_WHY_GROUP_LEFT_OUT, ANY, ANY, 0,
     "{cluster} is left out with region {group}: {expected} allows only other regions ({found})."},
    {REBAL_WHY_EXCHANGED, ANY, ANY, 0,
     "{cluster} is left out: a cluster with more capacity than its {available} took its place ({found})."},
    {REBAL_WHY_PLACED, ANY, REBAL_STATIC_WEIGHT_WEIGHT, REBAL_EXPLAIN_BEFORE,
     "{cluster} {change}: its weight is {found}."},
    {REBAL_WHY_PLACED, ANY, REBAL_STATIC_WEIGHT_WEIGHT, 0, "{cluster} gets {after}: its weight is {found}."},
    {REBAL_WHY_PLACED, ANY, REBAL_AFFINITY_OVERFLOW_AFFINITIES, REBAL_EXPLAIN_BEFORE,
     "{cluster} {change}, of what overflows into tier {found}."},
    {REBAL_WHY_PLACED, ANY, REBAL_AFFINITY_OVERFLOW_AFFINITIES, 0,
     "{cluster} gets {after} of what overflows into tier {found}."},
    {REBAL_WHY_PLACED, ANY, ANY, REBAL_EXPLAIN_BEFORE, "{cluster} {change}."},
    {REBAL_WHY_PLACED, ANY, ANY, 0, "{cluster} gets {after}."},
    {REBAL_WHY_NOT_NEEDED, ANY, REBAL_STATIC_WEIGHT_WEIGHT, REBAL_EXPLAIN_BEFORE,
     "{cluster} loses {before}: the share of its weight {found} is 0."},
    {REBAL_WHY_NOT_NEEDED, ANY, REBAL_STATIC_WEIGHT_WEIGHT, 0,
     "{cluster} gets nothing: the share of its weight {found} is 0."},
    {REBAL_WHY_NOT_NEEDED, ANY, ANY, REBAL_EXPLAIN_BEFORE, "{cluster} loses {before}: its share is 0."},
    {REBAL_WHY_NOT_NEEDED, ANY, ANY, 0, "{cluster} gets nothing: its share is 0."},
    {REBAL_WHY_DROPPED, ANY, ANY, 0, "{cluster} loses {before}: it is not selected any more."},
    {REBAL_WHY_REFUSED, ANY, ANY, 0, "{binding} is refused by the {stage} stage: {found}"},
};

/* Text that is appended when a tie was broken. */
static const struct tie_sentence {
  int64_t tie;
  int64_t field; /* ANY, or the field of the row */
  int64_t stage; /* ANY, or the stage of the row */
  const char *words;
} ties[] = {
    {REBAL_TIE_AVAILABLE, ANY, ANY, " {peer} has the same score, and more capacity."},
    {REBAL_TIE_CLUSTERS, ANY, ANY, " Region {peer} has the same score, and more clusters."},
    {REBAL_TIE_NAME, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD, ANY,
     " Region {peer} has the same score and as many clusters, and is first by name."},
    {REBAL_TIE_NAME, ANY, REBAL_STAGE_SELECT, " {peer} has the same score and capacity, and is first by name."},
    {REBAL_TIE_NAME, ANY, ANY, " {peer} had the same claim to the last replica, and is first by name."},
    {REBAL_TIE_NAME_DESCENDING, ANY, ANY,
     " {peer} had the same claim to the last replica, and is first by name in descending order, as the uid of the "
     "workload has it."},
    {REBAL_TIE_FEWER_REPLICAS, ANY, ANY, " {peer} had the same claim to the last replica, and fewer replicas."},
    {REBAL_TIE_RANK, ANY, ANY, " {peer} has as much capacity, and ranks higher."},
    {REBAL_TIE_LIST_ORDER, ANY, ANY, " {peer} has as many replicas, and is listed first."},
};

static int has_content(const struct row *row, uint32_t column) {
  const struct rebali_field_info *info = rebali_field_find(column);

  return info->type == REBAL_TYPE_TEXT ? text_of(row, column).len > 0 : integer_of(row, column) != REBAL_ABSENT;
}

static int fits(const struct sentence *sentence, const struct row *row) {
  return sentence->verdict == integer_of(row, REBAL_EXPLAIN_VERDICT) &&
         (sentence->plugin == ANY || sentence->plugin == integer_of(row, REBAL_EXPLAIN_PLUGIN)) &&
         (sentence->field == ANY || sentence->field == integer_of(row, REBAL_EXPLAIN_FIELD)) &&
         (sentence->needs == 0 || has_content(row, sentence->needs));
}

/* ---- the gaps ---------------------------------------------------------------------------------------------------- */

static void fill_cluster(const struct row *row, uint32_t column, struct rebali_buffer *out) {
  append(out, rebali_snapshot_name(row->snapshot, (uint32_t)integer_of(row, column)));
}

/* Appends namespace/name, or the name alone. */
static void fill_binding(const struct row *row, uint32_t column, struct rebali_buffer *out) {
  const uint32_t binding = (uint32_t)integer_of(row, column);
  const struct rebali_text namespace_ = rebali_bindings_text(row->bindings, REBAL_BINDING_NAMESPACE, binding);

  append(out, namespace_);
  append_words(out, namespace_.len > 0 ? "/" : "");
  append(out, rebali_bindings_text(row->bindings, REBAL_BINDING_NAME, binding));
}

static void fill_plugin(const struct row *row, uint32_t column, struct rebali_buffer *out) {
  const int64_t plugin = integer_of(row, column);

  append_words(out, plugin == REBAL_FILTER_EXTRA ? "the caller" : rebal_enum_name(REBAL_ENUM_FILTER, plugin, NULL));
}

static void fill_stage(const struct row *row, uint32_t column, struct rebali_buffer *out) {
  static const char *const names[] = {
      [REBAL_STAGE_FILTER] = "filter",
      [REBAL_STAGE_SCORE] = "score",
      [REBAL_STAGE_SELECT] = "select",
      [REBAL_STAGE_ASSIGN] = "assign",
  };

  append_words(out, names[integer_of(row, column)]);
}

static void fill_field(const struct row *row, uint32_t column, struct rebali_buffer *out) {
  append_words(out, rebali_field_find((uint32_t)integer_of(row, column))->text);
}

static void fill_text(const struct row *row, uint32_t column, struct rebali_buffer *out) {
  append(out, text_of(row, column));
}

static void fill_integer(const struct row *row, uint32_t column, struct rebali_buffer *out) {
  rebali_buffer_append_i64(out, integer_of(row, column));
}

static void fill_replicas(const struct row *row, uint32_t column, struct rebali_buffer *out) {
  fill_integer(row, column, out);
  append_words(out, integer_of(row, column) == 1 ? " replica" : " replicas");
}

static void fill_change(const struct row *row, uint32_t column, struct rebali_buffer *out) {
  if (integer_of(row, REBAL_EXPLAIN_BEFORE) == integer_of(row, column)) {
    append_words(out, "keeps ");
  } else {
    append_words(out, "goes from ");
    fill_replicas(row, REBAL_EXPLAIN_BEFORE, out);
    append_words(out, " to ");
  }
  fill_replicas(row, column, out);
}

static const struct gap {
  struct rebali_text name;
  uint32_t column;
  void (*fill)(const struct row *row, uint32_t column, struct rebali_buffer *out);
} gaps[] = {
    {{"after", 5}, REBAL_EXPLAIN_AFTER, fill_replicas},
    {{"allocatable", 11}, REBAL_EXPLAIN_ALLOCATABLE, fill_integer},
    {{"available", 9}, REBAL_EXPLAIN_AVAILABLE, fill_replicas},
    {{"before", 6}, REBAL_EXPLAIN_BEFORE, fill_replicas},
    {{"binding", 7}, REBAL_EXPLAIN_BINDING, fill_binding},
    {{"change", 6}, REBAL_EXPLAIN_AFTER, fill_change},
    {{"cluster", 7}, REBAL_EXPLAIN_CLUSTER, fill_cluster},
    {{"expected", 8}, REBAL_EXPLAIN_EXPECTED, fill_text},
    {{"extra", 5}, REBAL_EXPLAIN_EXTRA, fill_integer},
    {{"field", 5}, REBAL_EXPLAIN_FIELD, fill_field},
    {{"found", 5}, REBAL_EXPLAIN_FOUND, fill_text},
    {{"group", 5}, REBAL_EXPLAIN_GROUP, fill_text},
    {{"locality", 8}, REBAL_EXPLAIN_LOCALITY, fill_integer},
    {{"peer", 4}, REBAL_EXPLAIN_PEER, fill_text},
    {{"plugin", 6}, REBAL_EXPLAIN_PLUGIN, fill_plugin},
    {{"resource", 8}, REBAL_EXPLAIN_RESOURCE, fill_text},
    {{"score", 5}, REBAL_EXPLAIN_SCORE, fill_integer},
    {{"stage", 5}, REBAL_EXPLAIN_STAGE, fill_stage},
};

static void fill_gap(const struct row *row, struct rebali_text name, struct rebali_buffer *out) {
  for (size_t i = 0; i < REBALI_COUNT(gaps); i++) {
    if (rebali_text_equal(gaps[i].name, name)) {
      gaps[i].fill(row, gaps[i].column, out);
    }
  }
}

/* Appends a sentence with its placeholders filled. Every placeholder in the table has its closing brace. */
static void say(const struct row *row, const char *words, struct rebali_buffer *out) {
  const char *const end = words + strlen(words);

  while (words < end) {
    const char *gap = memchr(words, '{', (size_t)(end - words));
    const char *close = gap == NULL ? NULL : memchr(gap, '}', (size_t)(end - gap));

    rebali_buffer_append(out, words, (size_t)((gap == NULL ? end : gap) - words));
    if (close == NULL) {
      return;
    }
    fill_gap(row, rebali_text(gap + 1, (size_t)(close - gap - 1)), out);
    words = close + 1;
  }
}

static void say_tie(const struct row *row, struct rebali_buffer *out) {
  for (size_t i = 0; i < REBALI_COUNT(ties); i++) {
    if (ties[i].tie == integer_of(row, REBAL_EXPLAIN_TIE) &&
        (ties[i].field == ANY || ties[i].field == integer_of(row, REBAL_EXPLAIN_FIELD)) &&
        (ties[i].stage == ANY || ties[i].stage == integer_of(row, REBAL_EXPLAIN_STAGE))) {
      say(row, ties[i].words, out);
      return;
    }
  }
}

static void say_row(const struct row *row, struct rebali_buffer *out) {
  const struct rebali_text group = text_of(row, REBAL_EXPLAIN_AFFINITY_NAME);
  size_t i = 0;

  if (group.len > 0) {
    append_words(out, "Affinity group ");
    append(out, group);
    append_words(out, ": ");
  }
  while (i + 1 < REBALI_COUNT(sentences) && !fits(&sentences[i], row)) {
    i++;
  }
  say(row, sentences[i].words, out);
  say_tie(row, out);
}

/* Checks whether row and bindings belong together, as far as possible. */
static int32_t check(const struct row *row, rebal_error *err) {
  if (row->bindings == NULL || row->number >= rebal_result_count(row->result, REBAL_TABLE_EXPLAIN)) {
    return rebali_fail(err, REBAL_EINVAL, (int64_t)row->number, "no such explanation");
  }
  if (integer_of(row, REBAL_EXPLAIN_BINDING) >= (int64_t)rebali_bindings_size(row->bindings)) {
    return rebali_fail(err, REBAL_EMISMATCH, (int64_t)row->number, "the explanation is on other bindings");
  }
  return REBAL_OK;
}

int32_t rebali_explain_text(const rebal_bindings *bindings, const rebal_result *result, size_t row,
                            struct rebali_buffer *out, rebal_error *err) {
  const struct row explained = {rebali_result_snapshot(result), bindings, result, row};
  const int32_t code = check(&explained, err);

  if (code == REBAL_OK) {
    say_row(&explained, out);
  }
  return code;
}
