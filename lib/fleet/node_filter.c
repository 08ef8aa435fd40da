/* SPDX-License-Identifier: MIT */
/* Filters of nodes: compiled from records (by the writer), and evaluated for 64 nodes at a time (by any thread). */
#include "fleet/node_filter.h"

#include "record/labels.h"
#include "record/tolerations.h"

/* ---- compiling --------------------------------------------------------------------------------------------------- */

/* One value of a term that is a single In. */
struct option {
  uint32_t is_name;
  uint32_t key;
  uint32_t value;
};
struct compiler {
  struct rebali_store *store;
  const rebal_record *record;
  struct rebali_node_filter filter;
  struct rebali_buffer atoms;
  struct rebali_buffer terms;
  struct rebali_buffer values;
  struct rebali_buffer options; /* of all terms that are a single In */
  struct rebali_arena arena;    /* of one expression after the other */
  int failed;                   /* out of memory or ids */
};

static uint32_t id_of(struct compiler *compiler, struct rebali_text text) {
  uint32_t id = REBAL_NONE;

  compiler->failed |= rebali_intern_add(compiler->store->texts, text.bytes, text.len, &id) != REBAL_OK;
  return id;
}

static void add_value(struct compiler *compiler, struct rebali_text text) {
  const uint32_t id = id_of(compiler, text);

  rebali_buffer_append(&compiler->values, (const char *)&id, sizeof id);
}

static void add_atom(struct compiler *compiler, const struct rebali_node_filter_atom *atom) {
  rebali_buffer_append(&compiler->atoms, (const char *)atom, sizeof *atom);
}

static uint32_t count_values(const struct compiler *compiler) {
  return (uint32_t)(compiler->values.len / sizeof(uint32_t));
}

static uint32_t count_atoms(const struct compiler *compiler) {
  return (uint32_t)(compiler->atoms.len / sizeof(struct rebali_node_filter_atom));
}

/* nodeSelector: equality with any texts. */
static void compile_selector(struct compiler *compiler, uint32_t claim) {
  uint32_t pair = REBAL_NONE;

  while ((pair = rebali_record_next(compiler->record, claim, REBAL_NODE_CLAIM_NODE_SELECTOR, pair)) != REBAL_NONE) {
    const struct rebali_node_filter_atom atom = {
        0, id_of(compiler, rebali_record_field_text(compiler->record, pair, REBAL_PAIR_KEY)), REBALI_OPERATOR_IN,
        count_values(compiler), 1};

    add_value(compiler, rebali_record_field_text(compiler->record, pair, REBAL_PAIR_VALUE));
    add_atom(compiler, &atom);
  }
  compiler->filter.n_selected = count_atoms(compiler);
}

static int compare_values(const void *left, const void *right, const void *context) {
  const uint32_t a = *(const uint32_t *)left;
  const uint32_t b = *(const uint32_t *)right;

  (void)context;
  return (a > b) - (a < b);
}

static int compare_options(const void *left, const void *right, const void *context) {
  const struct option *a = left;
  const struct option *b = right;

  (void)context;
  if (a->is_name != b->is_name) {
    return a->is_name < b->is_name ? -1 : 1;
  }
  return a->key != b->key ? compare_values(&a->key, &b->key, NULL) : compare_values(&a->value, &b->value, NULL);
}

/* Sorts n elements at the end of a buffer. */
static void sort_last(struct compiler *compiler, struct rebali_buffer *buffer, size_t n, size_t size,
                      rebali_compare compare) {
  void *scratch = rebali_arena_allocate(&compiler->arena, n, size);

  compiler->failed |= buffer->failed || scratch == NULL;
  /* A buffer without elements has no bytes. */
  if (!compiler->failed && n > 0) {
    rebali_sort(buffer->bytes + (buffer->len - n * size), n, size, scratch, compare, NULL);
  }
}

static int compile_expressions(struct compiler *compiler, uint32_t term, uint32_t field) {
  const int is_field = field == REBAL_NODE_SELECTOR_TERM_MATCH_FIELDS;
  uint32_t node = REBAL_NONE;

  while ((node = rebali_record_next(compiler->record, term, field, node)) != REBAL_NONE) {
    struct rebali_requirement expression;
    struct rebali_node_filter_atom atom = {(uint32_t)is_field, REBAL_NONE, 0, count_values(compiler), 0};

    if (rebali_expression_read(compiler->record, node, &compiler->arena, &expression) != REBAL_OK) {
      compiler->failed = 1;
      return 0;
    }
    if (!rebali_node_expression_valid(&expression, is_field) || (is_field && !rebali_is_node_name(&expression))) {
      return 0;
    }
    atom.key = is_field ? REBAL_NONE : id_of(compiler, expression.key);
    atom.operation = (uint32_t)expression.operation;
    atom.n_values = (uint32_t)expression.n_values;
    for (size_t i = 0; i < expression.n_values; i++) {
      add_value(compiler, expression.values[i]);
    }
    sort_last(compiler, &compiler->values, atom.n_values, sizeof(uint32_t), compare_values);
    add_atom(compiler, &atom);
  }
  return 1;
}

/* Moves the last atom to the options if it is its whole term and an In. Returns whether it was moved. */
static int take_options(struct compiler *compiler, uint32_t first_atom) {
  const struct rebali_node_filter_atom *atom;

  if (compiler->atoms.failed || compiler->values.failed || count_atoms(compiler) != first_atom + 1) {
    return 0;
  }
  atom = (const struct rebali_node_filter_atom *)(const void *)compiler->atoms.bytes + first_atom;
  if (atom->operation != REBALI_OPERATOR_IN) {
    return 0;
  }
  for (uint32_t i = 0; i < atom->n_values; i++) {
    const uint32_t *values = (const void *)compiler->values.bytes;
    const struct option option = {atom->is_name, atom->key, values[atom->first_value + i]};

    rebali_buffer_append(&compiler->options, (const char *)&option, sizeof option);
  }
  return 1;
}

static void add_term(struct compiler *compiler, uint32_t first_atom) {
  const struct rebali_node_filter_term term = {first_atom, count_atoms(compiler) - first_atom};

  rebali_buffer_append(&compiler->terms, (const char *)&term, sizeof term);
  compiler->filter.n_terms++;
}

/* One of the terms must hold, so terms that are a single In of the same label become one with all their values. */
static void unite_options(struct compiler *compiler) {
  const size_t n = compiler->options.len / sizeof(struct option);
  const struct option *options;
  size_t next;

  sort_last(compiler, &compiler->options, n, sizeof *options, compare_options);
  options = (const void *)compiler->options.bytes;
  for (size_t i = 0; i < n && !compiler->failed; i = next) {
    struct rebali_node_filter_atom atom = {options[i].is_name, options[i].key, REBALI_OPERATOR_IN,
                                           count_values(compiler), 0};

    for (next = i; next < n && options[next].is_name == atom.is_name && options[next].key == atom.key; next++) {
      rebali_buffer_append(&compiler->values, (const char *)&options[next].value, sizeof options[next].value);
    }
    atom.n_values = (uint32_t)(next - i);
    add_atom(compiler, &atom);
    add_term(compiler, count_atoms(compiler) - 1);
  }
}

/* hardNodeAffinity: terms that never hold are omitted. */
static void compile_terms(struct compiler *compiler, uint32_t claim) {
  const uint32_t affinity = rebali_record_get(compiler->record, claim, REBAL_NODE_CLAIM_HARD_NODE_AFFINITY);
  uint32_t term = REBAL_NONE;

  while ((term = rebali_record_next(compiler->record, affinity, REBAL_NODE_SELECTOR_TERM, term)) != REBAL_NONE) {
    const size_t atoms = compiler->atoms.len;
    const size_t values = compiler->values.len;
    const uint32_t first_atom = count_atoms(compiler);

    compiler->filter.has_terms = 1;
    if (compile_expressions(compiler, term, REBAL_NODE_SELECTOR_TERM_MATCH_EXPRESSIONS) &&
        compile_expressions(compiler, term, REBAL_NODE_SELECTOR_TERM_MATCH_FIELDS) && compiler->atoms.len > atoms &&
        !take_options(compiler, first_atom)) {
      add_term(compiler, first_atom);
    } else {
      compiler->atoms.len = atoms;
      compiler->values.len = values;
    }
  }
  unite_options(compiler);
}

/* claim: node of the NODE_CLAIM or REBAL_NONE. */
static int tolerates(const rebal_record *record, uint32_t claim, const struct rebali_taint *taint) {
  return rebali_first_tolerating(record, claim, REBAL_NODE_CLAIM_TOLERATIONS, taint) != REBAL_NONE;
}

/* Compiles the filter of the record with this handle into bytes. */
static void compile(struct compiler *compiler, uint32_t handle, struct rebali_buffer *out) {
  const struct rebali_taint unschedulable = {
      REBALI_TEXT("node.kubernetes.io/unschedulable"), REBALI_TEXT(""), REBALI_TEXT("NoSchedule"), {0, 0, 0}};
  const uint32_t claim = rebali_record_get(compiler->record, 0, REBAL_REQUIREMENTS_NODE_CLAIM);

  compiler->filter.requirements = handle;
  compiler->filter.tolerates_unschedulable = (uint32_t)tolerates(compiler->record, claim, &unschedulable);
  compile_selector(compiler, claim);
  compile_terms(compiler, claim);
  compiler->filter.n_atoms = count_atoms(compiler);
  compiler->filter.n_values = count_values(compiler);
  rebali_buffer_append(out, (const char *)&compiler->filter, sizeof compiler->filter);
  rebali_buffer_append(out, compiler->atoms.bytes, compiler->atoms.len);
  rebali_buffer_append(out, compiler->terms.bytes, compiler->terms.len);
  rebali_buffer_append(out, compiler->values.bytes, compiler->values.len);
  /* compile_terms() sorts the options, which notes their failure. */
  out->failed |= compiler->failed || compiler->atoms.failed || compiler->terms.failed || compiler->values.failed;
}

/* Handles are ids of filters too: each filter contains its own, so no two are equal. */
static int32_t add_claim(struct rebali_store *store, const rebal_record *record, uint32_t handle) {
  struct compiler compiler = {.store = store, .record = record};
  struct rebali_buffer out;
  uint32_t id;
  int32_t code;

  rebali_buffer_init(&compiler.atoms, &store->allocator);
  rebali_buffer_init(&compiler.terms, &store->allocator);
  rebali_buffer_init(&compiler.values, &store->allocator);
  rebali_buffer_init(&compiler.options, &store->allocator);
  rebali_arena_init(&compiler.arena, &store->allocator, 0);
  rebali_buffer_init(&out, &store->allocator);
  compile(&compiler, handle, &out);
  code = out.failed ? REBAL_ENOMEM : rebali_intern_add(store->node_filters, out.bytes, out.len, &id);
  rebali_buffer_dispose(&compiler.atoms);
  rebali_buffer_dispose(&compiler.terms);
  rebali_buffer_dispose(&compiler.values);
  rebali_buffer_dispose(&compiler.options);
  rebali_arena_dispose(&compiler.arena);
  rebali_buffer_dispose(&out);
  return code;
}

int32_t rebali_node_filters_complete(struct rebali_store *store, rebal_error *err) {
  const uint32_t kind = rebali_store_kind(REBAL_OBJECT_REQUIREMENTS);
  const uint32_t n = rebali_intern_count(store->records[kind]);

  for (uint32_t handle = rebali_intern_count(store->node_filters); handle < n; handle++) {
    const rebal_record *record = (const void *)rebali_intern_get(store->records[kind], handle).bytes;

    if (add_claim(store, record, handle) != REBAL_OK) {
      return rebali_fail_memory(err);
    }
  }
  atomic_store_explicit(&store->known_records[kind], n, memory_order_release);
  return REBAL_OK;
}

const struct rebali_node_filter *rebali_snapshot_node_filter(const rebal_snapshot *snapshot, uint32_t requirements) {
  const struct rebali_store *store = rebali_snapshot_store(snapshot);

  return rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, requirements) == NULL
             ? NULL
             : (const void *)rebali_intern_get(store->node_filters, requirements).bytes;
}

/* ---- evaluation -------------------------------------------------------------------------------------------------- */

/* Returns whether the value is one of n in ascending order. */
static inline int is_listed(const uint32_t *values, uint32_t n, uint32_t value) {
  int listed = 0;

  if (n > REBALI_FEW_VALUES) {
    size_t at;

    REBALI_BISECT(at, n, values[at] < value);
    return at < n && values[at] == value;
  }
  for (uint32_t i = 0; i < n; i++) {
    listed |= values[i] == value;
  }
  return listed;
}

/* Returns whether the atom holds for a value, REBAL_NONE for none. */
static int holds(const struct rebali_store *store, const struct rebali_node_filter_atom *atom, const uint32_t *values,
                 uint32_t value) {
  if (atom->operation == REBALI_OPERATOR_GREATER || atom->operation == REBALI_OPERATOR_LESS) {
    const struct rebali_text bound = rebali_intern_get(store->texts, values[0]);
    const struct rebali_requirement requirement = {bound, (enum rebali_operator)atom->operation, &bound, 1, NULL};

    return value != REBAL_NONE && rebali_requirement_matches(&requirement, rebali_intern_get(store->texts, value));
  }
  switch ((enum rebali_operator)atom->operation) {
    case REBALI_OPERATOR_IN:
      return is_listed(values, atom->n_values, value);
    case REBALI_OPERATOR_NOT_IN:
      return !is_listed(values, atom->n_values, value);
    default:
      return (value != REBAL_NONE) == (atom->operation == REBALI_OPERATOR_EXISTS);
  }
}

/* Neighbours often have the same value: each run of equal values is evaluated once. */
static uint64_t atom_word(const struct rebali_store *store, const struct rebali_node_filter_atom *atom,
                          const uint32_t *values, const uint32_t *found) {
  uint64_t word = 0;
  uint32_t last = REBAL_NONE;
  uint64_t verdict = (uint64_t)holds(store, atom, values, REBAL_NONE);

  if (found == NULL) {
    return verdict ? UINT64_MAX : 0;
  }
  for (uint32_t i = 0; i < REBALI_NODES; i++) {
    if (found[i] != last) {
      last = found[i];
      verdict = (uint64_t)holds(store, atom, values, last);
    }
    word |= verdict << i;
  }
  return word;
}

static int tolerates_all(const rebal_snapshot *snapshot, const rebal_record *requirements, uint32_t taints) {
  const rebal_record *list = rebali_snapshot_record(snapshot, REBAL_OBJECT_TAINTS, taints);
  const uint32_t claim = rebali_record_get(requirements, 0, REBAL_REQUIREMENTS_NODE_CLAIM);
  uint32_t node = REBAL_NONE;

  while (list != NULL && (node = rebali_record_next(list, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(list, node);
    const enum rebali_effect effect = rebali_effect_parse(taint.effect);

    if ((effect == REBALI_EFFECT_NO_SCHEDULE || effect == REBALI_EFFECT_NO_EXECUTE) &&
        !tolerates(requirements, claim, &taint)) {
      return 0;
    }
  }
  return 1;
}

static uint64_t taint_word(const rebal_snapshot *snapshot, const rebal_record *requirements,
                           const struct rebali_node_leaf *leaf) {
  uint64_t word = 0;
  uint64_t verdict = 1;
  uint32_t last = REBAL_NONE;

  for (uint32_t i = 0; i < REBALI_NODES; i++) {
    if (leaf->taints[i] != last && rebali_bit_get(&leaf->present, i)) {
      last = leaf->taints[i];
      verdict = (uint64_t)tolerates_all(snapshot, requirements, last);
    }
    word |= verdict << i;
  }
  return word;
}

static uint64_t atoms_word(const struct rebali_store *store, const struct rebali_node_filter *filter, uint32_t first,
                           uint32_t n, const struct rebali_node_table *table, uint32_t leaf) {
  const struct rebali_node_filter_atom *atoms = (const void *)(filter + 1);
  const struct rebali_node_filter_term *terms = (const void *)(atoms + filter->n_atoms);
  const uint32_t *values = (const void *)(terms + filter->n_terms);
  uint64_t word = UINT64_MAX;

  for (uint32_t i = first; i < first + n && word != 0; i++) {
    const struct rebali_value_leaf *labels = atoms[i].is_name ? NULL : rebali_nodes_values(table, atoms[i].key, leaf);
    const uint32_t *found = atoms[i].is_name ? rebali_nodes_leaf(table, leaf)->names
                            : labels == NULL ? NULL
                                             : labels->values;

    word &= atom_word(store, &atoms[i], values + atoms[i].first_value, found);
  }
  return word;
}

uint64_t rebali_node_filter_word(const rebal_snapshot *snapshot, const struct rebali_node_filter *filter,
                                 const struct rebali_node_table *table, uint32_t leaf) {
  const struct rebali_store *store = rebali_snapshot_store(snapshot);
  const struct rebali_node_leaf *nodes = rebali_nodes_leaf(table, leaf);
  const rebal_record *record =
      filter == NULL ? NULL : rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, filter->requirements);
  uint64_t word = nodes->present;
  uint64_t any = 0;

  if (filter == NULL || !filter->tolerates_unschedulable) {
    word &= ~nodes->unschedulable;
  }
  word &= taint_word(snapshot, record, nodes);
  if (filter == NULL) {
    return word;
  }
  word &= atoms_word(store, filter, 0, filter->n_selected, table, leaf);
  for (uint32_t i = 0; i < filter->n_terms && word != 0; i++) {
    const struct rebali_node_filter_atom *atoms = (const void *)(filter + 1);
    const struct rebali_node_filter_term *term =
        (const struct rebali_node_filter_term *)(const void *)(atoms + filter->n_atoms) + i;

    any |= atoms_word(store, filter, term->first_atom, term->n_atoms, table, leaf);
  }
  return filter->has_terms ? word & any : word;
}
