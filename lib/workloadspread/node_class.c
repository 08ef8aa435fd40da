/* SPDX-License-Identifier: MIT */
#include "record/tolerations.h"
#include "workloadspread/node_class.h"

struct rebali_subset_terms {
  struct rebali_tolerations tolerations;
  int has_required;
  struct rebali_node_term required;
  struct rebali_node_term *preferred; /* those that are not empty and have a weight */
  int64_t *weights;
  size_t n_preferred;
};
/* Terms of a claim. */
struct rebali_pod_terms {
  struct rebali_tolerations tolerations;
  struct rebali_node_term *required;
  size_t n_required;
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Reads a term that may be evaluated, and adds its keys to the others. */
static int32_t read_term(struct rebali_node_classes *classes, const rebal_record *record, uint32_t node,
                         struct rebali_node_term *term) {
  const int32_t code = rebali_node_term_read(record, node, &classes->keys, term);

  if (code == REBAL_OK) {
    classes->needs_name |= rebali_node_term_needs_name(term);
  }
  return code;
}

static int32_t read_preferred(struct rebali_node_classes *classes, const rebal_record *record, uint32_t subset,
                              struct rebali_subset_terms *terms) {
  const size_t n = rebali_record_count(record, subset, REBAL_SUBSET_PREFERRED_NODE_SELECTOR);
  uint32_t node = REBAL_NONE;

  terms->preferred = rebali_arena_allocate(classes->arena, n, sizeof *terms->preferred);
  terms->weights = rebali_arena_allocate(classes->arena, n, sizeof *terms->weights);
  if (terms->preferred == NULL || terms->weights == NULL) {
    return REBAL_ENOMEM;
  }
  while ((node = rebali_record_next(record, subset, REBAL_SUBSET_PREFERRED_NODE_SELECTOR, node)) != REBAL_NONE) {
    const int64_t weight = rebal_record_i64(record, rebali_record_get(record, node, REBAL_PREFERRED_TERM_WEIGHT));
    struct rebali_node_term *term = &terms->preferred[terms->n_preferred];

    if (read_term(classes, record, rebali_record_get(record, node, REBAL_PREFERRED_TERM_PREFERENCE), term) !=
        REBAL_OK) {
      return REBAL_ENOMEM;
    }
    terms->weights[terms->n_preferred] = weight;
    terms->n_preferred += weight != 0 && !rebali_node_term_is_empty(term);
  }
  return REBAL_OK;
}

static int32_t read_subset(struct rebali_node_classes *classes, const struct rebali_subset *subset,
                           struct rebali_subset_terms *terms) {
  const rebal_record *record = classes->spec->object;

  *terms = (struct rebali_subset_terms){.has_required = subset->required != REBAL_NONE};
  if (rebali_tolerations_read(classes->arena, record, subset->node, REBAL_SUBSET_TOLERATIONS, &terms->tolerations) !=
          REBAL_OK ||
      (terms->has_required && read_term(classes, record, subset->required, &terms->required) != REBAL_OK)) {
    return REBAL_ENOMEM;
  }
  return read_preferred(classes, record, subset->node, terms);
}

static int32_t read_claim(struct rebali_node_classes *classes, uint32_t requirements, struct rebali_pod_terms *terms) {
  const rebal_record *record = rebali_snapshot_record(classes->snapshot, REBAL_OBJECT_REQUIREMENTS, requirements);
  const uint32_t claim = rebali_record_get(record, 0, REBAL_REQUIREMENTS_NODE_CLAIM);
  const uint32_t affinity = rebali_record_get(record, claim, REBAL_NODE_CLAIM_HARD_NODE_AFFINITY);
  uint32_t node = REBAL_NONE;

  *terms = (struct rebali_pod_terms){.n_required = 0};
  terms->required = rebali_arena_allocate(
      classes->arena, rebali_record_count(record, affinity, REBAL_NODE_SELECTOR_TERM), sizeof *terms->required);
  if (terms->required == NULL || rebali_tolerations_read(classes->arena, record, claim, REBAL_NODE_CLAIM_TOLERATIONS,
                                                         &terms->tolerations) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  while ((node = rebali_record_next(record, affinity, REBAL_NODE_SELECTOR_TERM, node)) != REBAL_NONE) {
    if (read_term(classes, record, node, &terms->required[terms->n_required++]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

int32_t rebali_node_classes_open(struct rebali_node_classes *classes, const struct rebali_spread_spec *spec,
                                 const rebal_snapshot *snapshot, uint32_t cluster, struct rebali_arena *arena) {
  *classes = (struct rebali_node_classes){
      .arena = arena,
      .spec = spec,
      .snapshot = snapshot,
      .table = rebali_snapshot_nodes(snapshot, cluster),
      .subsets = rebali_arena_allocate(arena, spec->n_subsets, sizeof *classes->subsets),
      .keys = rebali_text_numbers(arena),
      .claims = rebali_text_numbers(arena),
      .classes = rebali_text_numbers(arena),
      .pairs = rebali_text_numbers(arena),
  };
  if (classes->subsets == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < spec->n_subsets; i++) {
    if (read_subset(classes, &spec->subsets[i], &classes->subsets[i]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

/* ---- claims, classes and pairs are texts of numbers -------------------------------------------------------------- */

/* Sets *number to the number of a list of n integers, which is copied if new. */
static int32_t add_numbers(struct rebali_text_numbers *texts, const uint32_t *numbers, size_t n, uint32_t *number) {
  const struct rebali_text text = rebali_text((const char *)numbers, n * sizeof *numbers);
  struct rebali_text copy;

  *number = rebali_text_numbers_find(texts, text);
  if (*number != REBAL_NONE) {
    return REBAL_OK;
  }
  copy = rebali_arena_text(texts->arena, text);
  return copy.bytes == NULL ? REBAL_ENOMEM : rebali_text_numbers_add(texts, copy, number);
}

/* Reserves one more element of a growing array in the arena. */
static void *grow(struct rebali_arena *arena, void *array, size_t *capacity, size_t n, size_t size) {
  const size_t wanted = n < 4 ? 8 : n * 2;
  void *larger;

  if (n < *capacity) {
    return array;
  }
  larger = rebali_arena_allocate(arena, wanted, size);
  if (larger != NULL && n != 0) {
    memcpy(larger, array, n * size);
  }
  *capacity = larger == NULL ? *capacity : wanted;
  return larger;
}

int32_t rebali_node_classes_claim(struct rebali_node_classes *classes, uint32_t requirements, uint32_t *claim) {
  const uint32_t known = classes->claims.n;
  struct rebali_pod_terms *terms;

  if (add_numbers(&classes->claims, &requirements, 1, claim) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (*claim < known) {
    return REBAL_OK;
  }
  terms = grow(classes->arena, classes->pod_terms, &classes->claims_capacity, known, sizeof *terms);
  if (terms == NULL) {
    return REBAL_ENOMEM;
  }
  classes->pod_terms = terms;
  return read_claim(classes, requirements, &terms[known]);
}

/* Finds the values of a key; NULL if no node has such a label. */
static const struct rebali_tree *find_values(const struct rebali_node_classes *classes, struct rebali_text key) {
  const struct rebali_intern *texts = rebali_snapshot_store(classes->snapshot)->texts;

  for (size_t i = 0; i < classes->table->n_labels; i++) {
    if (rebali_text_equal(rebali_intern_get(texts, classes->table->labels[i].key), key)) {
      return &classes->table->labels[i].values;
    }
  }
  return NULL;
}

/* Prepares queries. All keys must be known. */
static int32_t begin_classes(struct rebali_node_classes *classes) {
  classes->values = rebali_arena_allocate(classes->arena, classes->keys.n, sizeof *classes->values);
  classes->class_of = rebali_arena_allocate(classes->arena, classes->table->rows, sizeof *classes->class_of);
  if (classes->values == NULL || classes->class_of == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t i = 0; i < classes->keys.n; i++) {
    classes->values[i] = find_values(classes, classes->keys.texts[i]);
  }
  memset(classes->class_of, 0xff, classes->table->rows * sizeof *classes->class_of);
  return REBAL_OK;
}

/*
 * Finds the class of a node: ids of its values (REBAL_NONE: no label) by key, its taints, and its name if that matters.
 */
static int32_t find_class(struct rebali_node_classes *classes, uint32_t node) {
  const struct rebali_node_leaf *leaf = rebali_nodes_leaf(classes->table, node / REBALI_NODES);
  const uint32_t n_keys = classes->keys.n;
  uint32_t *requested = rebali_arena_allocate(classes->arena, (size_t)n_keys + 2, sizeof *requested);

  if (requested == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t i = 0; i < n_keys; i++) {
    const struct rebali_value_leaf *values =
        classes->values[i] == NULL ? NULL : rebali_tree_get(classes->values[i], node / REBALI_NODES);

    requested[i] = values == NULL ? REBAL_NONE : values->values[node % REBALI_NODES];
  }
  requested[n_keys] = leaf->taints[node % REBALI_NODES];
  requested[n_keys + 1] = classes->needs_name ? leaf->names[node % REBALI_NODES] : REBAL_NONE;
  return add_numbers(&classes->classes, requested, (size_t)n_keys + 2, &classes->class_of[node]);
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

/* A class as texts. */
struct judged {
  struct rebali_text *values; /* by key */
  struct rebali_text name;
  const rebal_record *taints; /* NULL: none */
};

/* All taints count, regardless of their effect. */
static int tolerates(const struct judged *judged, const struct rebali_subset_terms *subset,
                     const struct rebali_pod_terms *pod) {
  uint32_t node = REBAL_NONE;

  while ((node = rebali_record_next(judged->taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(judged->taints, node);

    if (!rebali_is_tolerated(&pod->tolerations, &taint) && !rebali_is_tolerated(&subset->tolerations, &taint)) {
      return 0;
    }
  }
  return 1;
}

static int holds(const struct judged *judged, const struct rebali_node_term *term) {
  return rebali_node_term_holds(term, judged->values, judged->name);
}

/* The subset's term is combined with each of the pod's. Without it the pod's terms are ignored. */
static int is_required(const struct judged *judged, const struct rebali_subset_terms *subset,
                       const struct rebali_pod_terms *pod) {
  const int has_terms = !rebali_node_term_is_empty(&subset->required);
  int any = pod->n_required == 0 && has_terms;

  if (!subset->has_required) {
    return 1;
  }
  for (size_t i = 0; i < pod->n_required && !any; i++) {
    const struct rebali_node_term *term = &pod->required[i];

    any = (has_terms || !rebali_node_term_is_empty(term)) && holds(judged, term);
  }
  return any && holds(judged, &subset->required);
}

static int64_t preference(const struct judged *judged, const struct rebali_subset_terms *subset) {
  int64_t sum = 0;

  for (size_t i = 0; i < subset->n_preferred; i++) {
    if (holds(judged, &subset->preferred[i])) {
      sum = rebali_add_saturating(sum, subset->weights[i]);
    }
  }
  return sum;
}

static int32_t judge(struct rebali_node_classes *classes, uint32_t class_number, uint32_t claim, int64_t *scores) {
  const struct rebali_store *store = rebali_snapshot_store(classes->snapshot);
  const uint32_t *requested = (const void *)classes->classes.texts[class_number].bytes;
  const uint32_t n_keys = classes->keys.n;
  struct judged judged = {rebali_arena_allocate(classes->arena, n_keys, sizeof *judged.values),
                          {NULL, 0},
                          rebali_snapshot_record(classes->snapshot, REBAL_OBJECT_TAINTS, requested[n_keys])};

  if (judged.values == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t i = 0; i < n_keys; i++) {
    judged.values[i] =
        requested[i] == REBAL_NONE ? (struct rebali_text){NULL, 0} : rebali_intern_get(store->texts, requested[i]);
  }
  if (requested[n_keys + 1] != REBAL_NONE) {
    judged.name = rebali_intern_get(store->texts, requested[n_keys + 1]);
  }
  for (size_t i = 0; i < classes->spec->n_subsets; i++) {
    const struct rebali_subset_terms *subset = &classes->subsets[i];
    const struct rebali_pod_terms *pod = &classes->pod_terms[claim];

    scores[i] = tolerates(&judged, subset, pod) && is_required(&judged, subset, pod) ? preference(&judged, subset)
                                                                                     : REBAL_ABSENT;
  }
  return REBAL_OK;
}

static int32_t judge_pair(struct rebali_node_classes *classes, uint32_t class_number, uint32_t claim) {
  const size_t n = classes->pairs.n - 1;
  int64_t *scores = rebali_arena_allocate(classes->arena, classes->spec->n_subsets, sizeof *scores);
  const int64_t **all = grow(classes->arena, classes->scores, &classes->pairs_capacity, n, sizeof *all);

  if (scores == NULL || all == NULL) {
    return REBAL_ENOMEM;
  }
  classes->scores = all;
  classes->scores[n] = scores;
  return judge(classes, class_number, claim, scores);
}

int32_t rebali_node_classes_query(struct rebali_node_classes *classes, uint32_t node, uint32_t claim,
                                  const int64_t **scores) {
  const uint32_t known = classes->pairs.n;
  uint32_t pair[2];
  uint32_t number;

  if (classes->class_of == NULL && begin_classes(classes) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (classes->class_of[node] == REBAL_NONE && find_class(classes, node) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  pair[0] = classes->class_of[node];
  pair[1] = claim;
  if (add_numbers(&classes->pairs, pair, 2, &number) != REBAL_OK ||
      (number == known && judge_pair(classes, pair[0], claim) != REBAL_OK)) {
    return REBAL_ENOMEM;
  }
  *scores = classes->scores[number];
  return REBAL_OK;
}
