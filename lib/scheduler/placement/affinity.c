/* SPDX-License-Identifier: MIT */
/* One ClusterAffinity: compiled once, matched against clusters (rebalance-karmada(7) 3.1). */
#include "record/labels.h"
#include "scheduler/scheduler.h"

/* Compiles a matchLabels entry: In with one value. */
static int32_t compile_pair(struct rebali_arena *arena, const rebal_record *record, uint32_t node,
                            struct rebali_requirement *out) {
  struct rebali_text *value = rebali_arena_allocate(arena, 1, sizeof *value);

  if (value == NULL) {
    return REBAL_ENOMEM;
  }
  *value = rebali_record_field_text(record, node, REBAL_PAIR_VALUE);
  out->key = rebali_record_field_text(record, node, REBAL_PAIR_KEY);
  out->operation = REBALI_OPERATOR_IN;
  out->values = value;
  out->n_values = 1;
  out->sorted = NULL;
  return REBAL_OK;
}

static int32_t compile_selector(struct rebali_arena *arena, const rebal_record *record, uint32_t selector,
                                uint32_t pairs, uint32_t expressions, struct rebali_requirement **out, size_t *n) {
  const size_t count = (pairs != 0 ? rebali_record_count(record, selector, pairs) : 0) +
                       rebali_record_count(record, selector, expressions);
  uint32_t node = REBAL_NONE;
  int32_t code = REBAL_OK;

  if (count == 0) {
    return REBAL_OK;
  }
  *out = rebali_arena_allocate(arena, count, sizeof **out);
  if (*out == NULL) {
    return REBAL_ENOMEM;
  }
  while (pairs != 0 && code == REBAL_OK && (node = rebali_record_next(record, selector, pairs, node)) != REBAL_NONE) {
    code = compile_pair(arena, record, node, &(*out)[(*n)++]);
  }
  node = REBAL_NONE;
  while (code == REBAL_OK && (node = rebali_record_next(record, selector, expressions, node)) != REBAL_NONE) {
    code = rebali_expression_read(record, node, arena, &(*out)[(*n)++]);
  }
  return code;
}

static int is_zone(const struct rebali_requirement *requirement) {
  return rebali_text_equal(requirement->key, REBALI_TEXT("zone"));
}

/* Returns the first malformed requirement of the two selectors, or NULL if all are well formed. */
static const struct rebali_requirement *find_malformed(const struct rebali_affinity *affinity) {
  for (size_t i = 0; i < affinity->n_labels; i++) {
    if (!rebali_requirement_valid(&affinity->labels[i], 0)) {
      return &affinity->labels[i];
    }
  }
  for (size_t i = 0; i < affinity->n_fields; i++) {
    if (!is_zone(&affinity->fields[i]) && !rebali_requirement_valid(&affinity->fields[i], 1)) {
      return &affinity->fields[i];
    }
  }
  return NULL;
}

static int32_t compile_overflow(struct rebali_arena *arena, const rebal_record *record, uint32_t node,
                                size_t *n_bitsets, struct rebali_affinity *out) {
  const size_t count = rebali_record_count(record, node, REBAL_AFFINITY_OVERFLOW_AFFINITIES);
  uint32_t child = REBAL_NONE;
  int32_t code = REBAL_OK;

  out->overflow = rebali_arena_allocate(arena, count, sizeof *out->overflow);
  if (out->overflow == NULL) {
    return REBAL_ENOMEM;
  }
  while (code == REBAL_OK &&
         (child = rebali_record_next(record, node, REBAL_AFFINITY_OVERFLOW_AFFINITIES, child)) != REBAL_NONE) {
    /* Records nest at most 64 deep, so this recursion ends. */
    code = rebali_affinity_compile(arena, record, child, n_bitsets, &out->overflow[out->n_overflow++]);
  }
  return code;
}

/* Compiles a child of an affinity. The first child of a list stands for the whole list. */
static int32_t compile_member(struct rebali_arena *arena, const rebal_record *record, uint32_t node, uint32_t child,
                              size_t *n_bitsets, struct rebali_affinity *out) {
  const uint32_t field = rebali_record_node(record, child)->field;

  switch (field) {
    case REBAL_AFFINITY_AFFINITY_NAME:
      out->name = rebali_record_text(record, child);
      return REBAL_OK;
    case REBAL_AFFINITY_CLUSTER_NAMES:
      return out->n_cluster_names > 0
                 ? REBAL_OK
                 : rebali_texts_read(record, node, field, arena, &out->cluster_names, &out->n_cluster_names);
    case REBAL_AFFINITY_EXCLUDE:
      return out->n_exclude > 0 ? REBAL_OK
                                : rebali_texts_read(record, node, field, arena, &out->exclude, &out->n_exclude);
    case REBAL_AFFINITY_LABEL_SELECTOR:
      return compile_selector(arena, record, child, REBAL_LABEL_SELECTOR_MATCH_LABELS,
                              REBAL_LABEL_SELECTOR_MATCH_EXPRESSIONS, &out->labels, &out->n_labels);
    case REBAL_AFFINITY_FIELD_SELECTOR:
      return compile_selector(arena, record, child, 0, REBAL_FIELD_SELECTOR_MATCH_EXPRESSIONS, &out->fields,
                              &out->n_fields);
    case REBAL_AFFINITY_OVERFLOW_AFFINITIES:
      return out->n_overflow > 0 ? REBAL_OK : compile_overflow(arena, record, node, n_bitsets, out);
    default:
      return REBAL_OK;
  }
}

int32_t rebali_affinity_compile(struct rebali_arena *arena, const rebal_record *record, uint32_t node,
                                size_t *n_bitsets, struct rebali_affinity *out) {
  uint32_t child = REBAL_NONE;
  int32_t code = REBAL_OK;

  memset(out, 0, sizeof *out);
  out->bitset = (*n_bitsets)++;
  while (code == REBAL_OK && (child = rebali_record_next(record, node, 0, child)) != REBAL_NONE) {
    code = compile_member(arena, record, node, child, n_bitsets, out);
  }
  if (code == REBAL_OK) {
    out->malformed = find_malformed(out);
  }
  return code;
}

static int contains(const struct rebali_text *texts, size_t n, struct rebali_text text) {
  for (size_t i = 0; i < n; i++) {
    if (rebali_text_equal(texts[i], text)) {
      return 1;
    }
  }
  return 0;
}

/* Returns the value of a field. An empty field is not in the set, which differs from an empty value. */
static struct rebali_text field_value(const rebal_snapshot *snapshot, uint32_t cluster, struct rebali_text key) {
  struct rebali_text value = {NULL, 0};

  if (rebali_text_equal(key, REBALI_TEXT("region"))) {
    value = rebali_snapshot_text(snapshot, REBAL_CLUSTER_REGION, cluster);
  } else if (rebali_text_equal(key, REBALI_TEXT("provider"))) {
    value = rebali_snapshot_text(snapshot, REBAL_CLUSTER_PROVIDER, cluster);
  }
  return value.len == 0 ? (struct rebali_text){NULL, 0} : value;
}

struct rebali_text rebali_affinity_value(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t field,
                                         struct rebali_text key) {
  return field == REBAL_AFFINITY_FIELD_SELECTOR
             ? field_value(snapshot, cluster, key)
             : rebali_labels_value(rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_LABELS, cluster), key);
}

static const struct rebali_requirement *failing_label(const struct rebali_affinity *affinity,
                                                      const rebal_snapshot *snapshot, uint32_t cluster) {
  const rebal_record *labels = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_LABELS, cluster);

  for (size_t i = 0; i < affinity->n_labels; i++) {
    if (!rebali_requirement_matches(&affinity->labels[i], rebali_labels_value(labels, affinity->labels[i].key))) {
      return &affinity->labels[i];
    }
  }
  return NULL;
}

int rebali_labels_match(const void *affinity, const rebal_snapshot *snapshot, uint32_t cluster) {
  return failing_label(affinity, snapshot, cluster) == NULL;
}

uint32_t rebali_field_column(const struct rebali_requirement *requirement) {
  if (is_zone(requirement)) {
    return REBAL_CLUSTER_ZONES;
  }
  /* An unknown field is absent whichever column is read. */
  return rebali_text_equal(requirement->key, REBALI_TEXT("provider")) ? REBAL_CLUSTER_PROVIDER : REBAL_CLUSTER_REGION;
}

int rebali_field_matches(const void *requirement, const rebal_snapshot *snapshot, uint32_t cluster) {
  const struct rebali_requirement *field = requirement;

  return is_zone(field) ? rebali_requirement_matches_zones(
                              field, rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_ZONES, cluster))
                        : rebali_requirement_matches(field, field_value(snapshot, cluster, field->key));
}

static const struct rebali_requirement *failing_field(const struct rebali_affinity *affinity,
                                                      const rebal_snapshot *snapshot, uint32_t cluster) {
  for (size_t i = 0; i < affinity->n_fields; i++) {
    if (!rebali_field_matches(&affinity->fields[i], snapshot, cluster)) {
      return &affinity->fields[i];
    }
  }
  return NULL;
}

/* Returns the selector that a requirement belongs to. */
static struct rebali_mismatch selector_mismatch(const struct rebali_affinity *affinity,
                                                const struct rebali_requirement *requirement) {
  for (size_t i = 0; i < affinity->n_labels; i++) {
    if (requirement == &affinity->labels[i]) {
      return (struct rebali_mismatch){REBAL_AFFINITY_LABEL_SELECTOR, requirement};
    }
  }
  return (struct rebali_mismatch){REBAL_AFFINITY_FIELD_SELECTOR, requirement};
}

struct rebali_mismatch rebali_affinity_mismatch(const struct rebali_affinity *affinity, const rebal_snapshot *snapshot,
                                                uint32_t cluster) {
  const struct rebali_text name = rebali_snapshot_name(snapshot, cluster);
  const struct rebali_requirement *failing = affinity->malformed;

  if (failing == NULL && contains(affinity->exclude, affinity->n_exclude, name)) {
    return (struct rebali_mismatch){REBAL_AFFINITY_EXCLUDE, NULL};
  }
  failing = failing == NULL ? failing_label(affinity, snapshot, cluster) : failing;
  failing = failing == NULL ? failing_field(affinity, snapshot, cluster) : failing;
  if (failing != NULL) {
    return selector_mismatch(affinity, failing);
  }
  if (affinity->n_cluster_names > 0 && !contains(affinity->cluster_names, affinity->n_cluster_names, name)) {
    return (struct rebali_mismatch){REBAL_AFFINITY_CLUSTER_NAMES, NULL};
  }
  return (struct rebali_mismatch){0, NULL};
}

int rebali_affinity_matches(const struct rebali_affinity *affinity, const rebal_snapshot *snapshot, uint32_t cluster) {
  return rebali_affinity_mismatch(affinity, snapshot, cluster).field == 0;
}
