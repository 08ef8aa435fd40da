/* SPDX-License-Identifier: MIT */
/*
 * lib/manifest/manifest.h - private header of the room "manifest": Kubernetes text <-> jansson trees <-> objects.
 * Memory comes from malloc, since jansson and libyaml allow no other in a process shared with strangers.
 */
#ifndef REBALI_MANIFEST_H
#define REBALI_MANIFEST_H

#include "manifest/read/ids.h"
#include "manifest/text/text.h"

/* ---- texts of callers (argument_text.c) -------------------------------------------------------------------------- */

/*
 * A text that a public function was given; every one goes through here: NULL becomes "", REBAL_TERMINATED the length.
 * what is its name in messages. REBAL_EINVAL: NULL with a length; REBAL_ELIMIT: longer than REBALI_TEXT_MAX.
 */
int32_t rebali_take_text(const char **text, size_t *len, const char *what, rebal_error *err);
/* The same for a text whose reader has a limit of its own, which it checks before it reads. */
int32_t rebali_take_stream(const char **text, size_t *len, const char *what, rebal_error *err);
/* The same for an id, which is UTF-8. */
int32_t rebali_take_id(const char **id, size_t *len, rebal_error *err);
/* A length of an option structure for rebali_take_text(). */
size_t rebali_text_len(uint64_t len);

/* ---- names ------------------------------------------------------------------------------------------------------- */

static inline const char *rebali_cluster_name(const rebal_snapshot *snapshot, uint32_t cluster, size_t *len) {
  return rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_NAME, REBAL_NONE, cluster, len);
}

/* ---- numbers (number.c) ----------------------------------------------------------------------------------------- */

/*
 * A number that is no int64 integer (1.10, 1e3, 12345678901234567890) is an object with this one key, whose value is
 * the number's text. A text that holds this key is refused, so that nothing else looks like one.
 */
#define REBALI_NUMBER_KEY "\x01"

/* 1 and the text (when asked for; it lives as long as the value) for a verbatim number, else 0. NULL value: 0. */
int rebali_number_is_verbatim(const json_t *value, const char **text);

/* The decimal digits of an integer, terminated; their number. */
#define REBALI_INTEGER_SIZE 21
size_t rebali_integer_print(int64_t value, char *text);

/* A new verbatim number; text is a number by the grammar of JSON. NULL without memory. */
json_t *rebali_number_new(const char *text, size_t len);

/* ---- field paths (path.c) --------------------------------------------------------------------------------------- */

/*
 * One step of a path; the steps lie on the C stack of the functions that walk down, so that nothing is allocated:
 *   struct rebali_path spec = rebali_path_key(NULL, "spec");
 *   struct rebali_path name = rebali_path_key(&spec, "name");
 */
struct rebali_path {
  const struct rebali_path *parent; /* NULL at the first step */
  const char *key;                  /* NULL for a list index */
  size_t index;
};

struct rebali_path rebali_path_key(const struct rebali_path *parent, const char *key);
struct rebali_path rebali_path_index(const struct rebali_path *parent, size_t index);

/*
 * Writes the path's text, cut between characters when there is no room; always terminated when capacity > 0. NULL path
 * = "". Returns the whole length. A key that is no plain identifier (letter or _, then letters, digits, _ and -) is
 * written as ["..."] with JSON escapes.
 */
size_t rebali_path_print(const struct rebali_path *path, char *buffer, size_t capacity);

/* Shortens steps such as ["name"] to .name in place, as rebali_path_print() writes them. */
void rebali_path_simplify(char *path);
/* Length of the step at the start of path that names this key, 0 when it names another. first: no '.' precedes it. */
size_t rebali_path_match_key(const char *path, int first, const char *key);

/* ---- schema of records (record_schema.c) ------------------------------------------------------------------------- */

/* What the reference does with a member that holds its type's zero value. */
enum rebali_zero {
  REBALI_ZERO_OMITTED, /* a value it leaves out: absent and zero are the same */
  REBALI_ZERO_WRITTEN, /* a value it always writes: absent and zero are the same */
  REBALI_ZERO_DISTINCT /* a pointer: absent differs from zero */
};

/* One line of fields.def. */
struct rebali_field {
  uint32_t id;
  uint32_t object;
  uint32_t type;
  uint32_t cardinality;
  uint32_t child;
  const char *name;
};

/* The fields of an object in the order in which the reference writes them. */
const struct rebali_field *rebali_schema_fields(uint32_t object, size_t *n);
enum rebali_zero rebali_field_zero(const struct rebali_field *field);
/* The field of an object that is one list or map, which in the API has no member around it (TAINTS); else NULL. */
const struct rebali_field *rebali_field_bare(uint32_t object);

/* ---- trees (tree_value.c) -------------------------------------------------------------------------------------- */

/* 1 for a map; verbatim numbers are none. */
int rebali_is_map(const json_t *value);
/* NULL for null as well: both mean absent. */
const json_t *rebali_present(const json_t *value);
/* The member of a map, NULL when absent or null or when value is no map. */
json_t *rebali_member(const json_t *value, const char *key);
/* The text of a member, "" when it is no text. */
const char *rebali_member_text(const json_t *value, const char *key);
/* As Go's decoder finds a member: whatever the case of its letters, the last one. */
json_t *rebali_folded_member(const json_t *value, const char *key);
/* The first condition of a type in a list of them, NULL when there is none; its index goes to *at. */
const json_t *rebali_find_condition(const json_t *conditions, const char *type, size_t *at);
/* The map in a member of a map, made when absent or of another type; NULL without memory. */
json_t *rebali_map_at(json_t *map, const char *key);
/* A copy that shares what lies below its members or items, as json_copy() but whole; NULL without memory. */
json_t *rebali_copy(const json_t *value);
/* Puts a new value (taken over) or text into a map; REBAL_ENOMEM also for a NULL map or value. */
int32_t rebali_put(json_t *map, const char *key, json_t *value, rebal_error *err);
int32_t rebali_put_text(json_t *map, const char *key, const char *text, rebal_error *err);
int32_t rebali_put_time(json_t *map, const char *key, const rebal_time *time, rebal_error *err);

#define REBALI_STEPS 8

/* Where a path such as spec.suspension.scheduling leads; it points into itself and must not be copied. */
struct rebali_place {
  const json_t *value; /* NULL when absent or null */
  const struct rebali_path *path;
  struct rebali_path steps[REBALI_STEPS];
  const json_t *values[REBALI_STEPS]; /* behind each step */
  size_t n_steps;
  char keys[128];
};

/* @returns REBAL_EPARSE when a step before the last holds something else than a map. */
int32_t rebali_walk(const json_t *tree, const struct rebali_path *root, const char *keys, struct rebali_place *place,
                    rebal_error *err);
/* The same from where an earlier walk from the same tree and root has been; n_steps of the first place is 0. */
int32_t rebali_walk_on(const json_t *tree, const struct rebali_path *root, const char *keys, struct rebali_place *place,
                       rebal_error *err);

/* ---- reading values and records (value_read.c, record_read.c) -------------------------------------------------- */

/* Fills err with a message and the field a path leads to; returns code. */
int32_t rebali_fail_path(rebal_error *err, int32_t code, const struct rebali_path *path, const char *message);

/* The value is present. REBAL_EPARSE for another type, REBAL_ERANGE for a number that does not fit. */
int32_t rebali_read_text(const json_t *value, const struct rebali_path *path, const char **text, size_t *len,
                         rebal_error *err);
int32_t rebali_read_integer(const json_t *value, uint32_t type, const struct rebali_path *path, int64_t *out,
                            rebal_error *err);
int32_t rebali_read_quantity(const json_t *value, const struct rebali_path *path, rebal_quantity *out,
                             rebal_error *err);
int32_t rebali_read_time(const json_t *value, const struct rebali_path *path, rebal_time *out, rebal_error *err);
int32_t rebali_read_list(const json_t *value, const struct rebali_path *path, rebal_error *err);
int32_t rebali_read_map(const json_t *value, const struct rebali_path *path, rebal_error *err);

/* Reads the members of the open object of a builder; builder NULL: checks only. */
int32_t rebali_read_object(rebal_builder *builder, uint32_t object, const json_t *tree, const struct rebali_path *path,
                           rebal_error *err);
/* Reads a whole record, bare objects as list or map; builder NULL: checks only. *out belongs to the builder. */
int32_t rebali_read_record(rebal_builder *builder, uint32_t object, const json_t *tree, const struct rebali_path *path,
                           const rebal_record **out, rebal_error *err);

/* ---- objects of records that are no map in the API (record_value.c, json_text.c) -------------------------------- */

/* INT_OR_TEXT and RAW: their one field is the value itself. */
int rebali_object_is_value(uint32_t object);
/* Reads a value into the open object of a builder; builder NULL: checks only. */
int32_t rebali_read_value(rebal_builder *builder, uint32_t object, const json_t *value, const struct rebali_path *path,
                          rebal_error *err);
/* The value of a record's node; one in which nothing is set is null. REBAL_EPARSE: RAW holds no JSON. */
int32_t rebali_value_tree(const rebal_record *record, uint32_t node, json_t **out, rebal_error *err);
/* The one JSON value of a text, which is terminated; a new reference. REBAL_EPARSE for YAML. */
int32_t rebali_json_text(const char *text, size_t len, json_t **out, rebal_error *err);

/* ---- writing records (record_write.c) -------------------------------------------------------------------------- */

/* A record that reads back equal: every member that is there and no other. Bare objects are a list or map. */
int32_t rebali_record_tree_as_is(const rebal_record *record, json_t **out, rebal_error *err);
/* The text of a set time, with its nanoseconds; NULL without memory. */
json_t *rebali_time_value(const rebal_time *time);
/* The tree of a record's node as the reference writes it. */
int32_t rebali_record_tree(const rebal_record *record, uint32_t node, uint32_t object, json_t **out, rebal_error *err);

/* ---- applied placement (applied_placement.c) --------------------------------------------------------------------- */

#define REBALI_APPLIED_PLACEMENT "policy.karmada.io/applied-placement"
#define REBALI_PLAN_MARK "librebalance/plan"

/*
 * Reads an annotation's text, JSON alone. *tree is a new reference, NULL unless *state is REBAL_ANNOTATION_PRESENT;
 * text NULL or empty is REBAL_ANNOTATION_ABSENT.
 */
int32_t rebali_applied_read(const char *text, int64_t *state, json_t **tree, rebal_error *err);
/*
 * Are both trees the same as the reference's deep comparison of two read placements sees them
 * (rebalance-karmada(7) 2.3)?
 */
int rebali_strictly_equal(uint32_t object, const json_t *left, const json_t *right);
/* Appends the annotation's text for a placement. */
int32_t rebali_applied_write(const rebal_record *placement, struct rebali_buffer *output, rebal_error *err);

/* ---- columns (column.c) ---------------------------------------------------------------------------------------- */

/* Where columns go: a row of a fleet, a row of bindings, or nowhere when all are NULL (values are only checked). */
struct rebali_sink {
  rebal_fleet *fleet;       /* interns, gives ids */
  rebal_bindings *bindings; /* NULL: the row is the fleet's */
  rebal_builder *builder;
  uint32_t row;
  uint32_t cluster; /* the row is one below this cluster; REBAL_NONE: it is none */
};

/* How a column is read. */
struct rebali_column {
  uint32_t id;
  uint32_t type;   /* REBAL_TYPE_* */
  uint32_t object; /* of a handle */
  const char *path;
};

#define REBALI_TYPE_PRESENCE 255u /* a BOOLEAN: is the path there? */

/* Reads n columns of a tree into the sink's row. */
int32_t rebali_columns_read(const struct rebali_sink *sink, const struct rebali_column *columns, size_t n,
                            const json_t *tree, const struct rebali_path *path, rebal_error *err);
int32_t rebali_sink_i64(const struct rebali_sink *sink, uint32_t column, int64_t value, rebal_error *err);
int32_t rebali_sink_text(const struct rebali_sink *sink, uint32_t column, const char *text, size_t len,
                         rebal_error *err);
int32_t rebali_sink_time(const struct rebali_sink *sink, uint32_t column, const rebal_time *time, rebal_error *err);
/* A new row of a table below the sink's cluster, which becomes the sink's row. */
int32_t rebali_sink_add(struct rebali_sink *sink, uint32_t table, rebal_error *err);

/*
 * ---- state that outlives an eviction (preserved_state.c, preserved_number.c); rebalance-karmada(7) 10.6
 * ------------------
 */

/*
 * What the rules of statePreservation give for the raw status of a cluster: the labels, or the text of an error. Sets
 * nothing without rules or without a status, or where the sink is a check.
 */
int32_t rebali_preserve(const struct rebali_sink *sink, const json_t *rules, const json_t *status,
                        uint32_t labels_column, uint32_t error_column, rebal_error *err);
/* Appends a number as Go prints a double with %v; 0 when it is no number, or beyond a double. */
int rebali_double_print(const json_t *value, struct rebali_buffer *out);

/* Columns of the rows that an object, or each item of a list in it, is. */
struct rebali_row_columns {
  uint32_t table;
  const char *path; /* of the list */
  const struct rebali_column *columns;
  size_t n;
};

#define REBALI_SUMMARY_PARTS 3
struct rebali_summary_part {
  uint32_t part; /* REBAL_CAPACITY_* */
  const char *path;
};

extern const struct rebali_row_columns rebali_cluster_rows;                         /* cluster.c */
extern const struct rebali_summary_part rebali_summary_parts[REBALI_SUMMARY_PARTS]; /* cluster.c */

#define REBALI_BINDING_ROWS 8
#define REBALI_BINDING_CONDITION 1 /* the Scheduled condition */
#define REBALI_BINDING_CHILDREN 2  /* from here on: child tables */
/* binding.c; the first is the binding */
extern const struct rebali_row_columns rebali_binding_rows[REBALI_BINDING_ROWS];

#define REBALI_MANAGED_BY "binding.karmada.io/managed-by"

/* ---- kinds (cluster.c, binding.c, member.c, read_checks.c) ------------------------------------------------------- */

/* Reads an object into the sink's row, or checks it. */
int32_t rebali_cluster_read(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                            rebal_error *err);
int32_t rebali_binding_read(const struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                            rebal_error *err);
/* pod_labels.c: labels of the pods of a binding's workload, where the store has it and some budget. */
int32_t rebali_pod_labels_read(rebal_store *store, const struct rebali_sink *sink, const json_t *binding,
                               rebal_error *err);
/* budget.c: a PodDisruptionBudget in the form of the object BUDGET. */
int32_t rebali_budget_tree(const json_t *tree, json_t **out, rebal_error *err);
/* Reads an object of a member cluster into a new row below the sink's cluster, or checks it. */
typedef int32_t rebali_member_reader(struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                                     rebal_error *err);
rebali_member_reader rebali_node_read; /* member_node.c */
/* Another state of a node that has the sink's row. */
int32_t rebali_node_replace(struct rebali_sink *sink, const json_t *tree, rebal_error *err);
rebali_member_reader rebali_pod_read;      /* member_pod.c */
rebali_member_reader rebali_workload_read; /* member_workload.c, as the next two */
rebali_member_reader rebali_replica_set_read;
/* All ResourceQuotas of a store (member_quota.c). */
int32_t rebali_quotas_feed(const struct rebali_sink *sink, rebal_store *member, rebal_error *err);
/* Sets a column to the uid of the owner that controls an object. */
int32_t rebali_read_controller(const struct rebali_sink *sink, uint32_t column, const json_t *tree, rebal_error *err);
/* NULL: nothing is read of this kind (member.c). */
rebali_member_reader *rebali_member_reader_of(const char *api_version, const char *kind);
/* 1 for a binding of either kind, in the version that is read. */
int rebali_is_binding(const char *api_version, const char *kind);
/* Checks what the library reads of an object of any kind; metadata.name and kind are there. */
int32_t rebali_object_check(const json_t *tree, const struct rebali_path *path, rebal_error *err);

/* ---- objects at rest (object.c) --------------------------------------------------------------------------------- */

struct rebali_object {
  char *kind; /* one block with the texts below */
  const char *namespace_;
  const char *name;
  const char *api_version;
  const char *text; /* compact JSON; NULL once deleted */
  size_t len;
};

/* scratch is emptied and written to. REBAL_ENOMEM, REBAL_ELIMIT. */
int32_t rebali_object_pack(const json_t *tree, struct rebali_buffer *scratch, struct rebali_object *out,
                           rebal_error *err);
/* A new tree. REBAL_ENOMEM. */
int32_t rebali_object_open(const struct rebali_object *object, json_t **tree, rebal_error *err);
void rebali_object_dispose(struct rebali_object *object);
/* Keeps the names alone. */
void rebali_object_forget(struct rebali_object *object);
/* Fills err with what went wrong with an object of a store, which it names; returns code. */
int32_t rebali_fail_object(const struct rebali_object *object, int32_t code, const rebal_error *local,
                           rebal_error *err);
/* Appends deployments.apps "foo", as the API server's errors name an object (object_name_in_errors.c). */
void rebali_append_subject(struct rebali_buffer *output, const char *api_version, const char *kind, const char *name);
/* By kind, namespace, name, API group. */
int rebali_object_compare(const struct rebali_object *left, const struct rebali_object *right);

/* ---- API groups and resources (resources.c) --------------------------------------------------------------------- */

#define REBALI_NAME_MAX 1024 /* bytes of a kind with its group, of a plural */

struct rebali_resource {
  const char *group; /* of the core group empty */
  const char *kind;
  const char *plural; /* in paths */
  int is_namespaced;
};

/* Bytes of the group in an apiVersion; the core group's is empty. */
size_t rebali_group_len(const char *api_version);
/* The order of the groups of two apiVersions; 0: they are the same. */
int rebali_group_compare(const char *left, const char *right);
/* A kind that store (or NULL) was given, or one of the table, in the group of api_version; NULL when it is neither. */
const struct rebali_resource *rebali_resource_find(const rebal_store *store, const char *api_version, const char *kind);
/* Has an object of the kind a namespace? A kind that store (or NULL) was given, or of the table, whatever its group. */
int rebali_kind_is_namespaced(const rebal_store *store, const char *api_version, const char *kind);
/* 1 for objects of an API that no policy takes, whatever the options of the detector (rebalance-karmada(7) 14.1). */
int rebali_is_never_propagated(const char *api_version, const char *kind);
void rebali_resources_dispose(rebal_store *store);

/* ---- store (store.c, store_batch.c) ---------------------------------------------------------------------------- */

/* A tree that the store keeps; it is never changed. */
struct rebali_kept {
  json_t *tree; /* NULL: the place is empty */
  size_t bytes;
  uint32_t object;
};

/* A change of an object, by its number. */
struct rebali_change {
  uint64_t number;
  uint32_t object;
};

struct rebal_store {
  struct rebali_limits limits;
  struct rebali_object *objects; /* by id */
  size_t n_objects;
  size_t capacity;
  uint32_t *order; /* ids that are present, by kind, namespace, name, API group */
  size_t n_order;
  size_t order_capacity;
  uint64_t *changed; /* by id: the number of its last change */
  size_t changed_capacity, log_capacity;
  struct rebali_change *log; /* in the order of changes; with twice the capacity */
  size_t n_log;
  uint64_t changes;
  struct rebali_kept *kept;          /* trees of objects by id modulo their number (store_kept.c); NULL: none yet */
  size_t kept_bytes;                 /* text of those objects */
  size_t kept_hand;                  /* the place that makes room next */
  struct rebali_resource *resources; /* added by the caller */
  size_t n_resources, resources_capacity;
  uint64_t *own_writes; /* by id: the version that an answer brought, until a watch has come as far; 0: none */
  size_t n_own_writes, own_writes_capacity;
};

/* One object read from a text, on its way into a store. */
struct rebali_staged {
  struct rebali_object object;
  size_t document;
  size_t item; /* index in a List; SIZE_MAX when it stands alone */
  uint32_t id; /* of the object it replaces; REBAL_NONE for a new one */
  int is_raw;  /* not checked yet (store_read.c) */
};

struct rebali_staged_batch {
  const char *text; /* as read; NULL when the objects come from no text */
  size_t len;
  struct rebali_staged *entries;
  size_t n;
  size_t capacity;
  struct rebali_buffer scratch;
  json_t *last; /* the tree of the last entry, as it is packed; NULL: not known */
};

/* 1 for a List, whose items are the objects. */
int rebali_is_list(const json_t *tree);
/* 1 for a document, of which the first members are given, that may be a List: for sinks that want items one by one. */
int rebali_wants_items(const json_t *document);
/* Gives an item of a list of one kind, which names none, its kind and apiVersion. */
int32_t rebali_list_complete(const json_t *list, json_t *item, rebal_error *err);

/* Checks an object of any kind, which is to have kind, apiVersion and name, and gives it the namespace it lacks. */
int32_t rebali_object_admit(const rebal_store *store, json_t *tree, const struct rebali_path *path, rebal_error *err);
/* Reads and checks every object of a text for a store. The batch is to be disposed of in any case. */
int32_t rebali_batch_read(struct rebali_staged_batch *batch, const rebal_store *store, const char *text, size_t len,
                          rebal_error *err);
/* Takes the tree over, also on failure. */
int32_t rebali_batch_add(struct rebali_staged_batch *batch, json_t *tree, size_t document, size_t item,
                         rebal_error *err);
/* The last entry is packed anew, from a tree (or NULL), which is no longer changed. */
void rebali_batch_repacked(struct rebali_staged_batch *batch, json_t *tree);
/* Drops all but the first n entries. */
void rebali_batch_cut(struct rebali_staged_batch *batch, size_t n);
void rebali_batch_dispose(struct rebali_staged_batch *batch);
/* Entries that repeat an earlier one are left out. REBAL_ENOMEM. */
int32_t rebali_batch_drop_repeated(struct rebali_staged_batch *batch, rebal_error *err);
/* Fills err from one that is complete, with the place of its field in the text. */
int32_t rebali_batch_fail_in_text(const struct rebali_staged_batch *batch, size_t document, const rebal_error *local,
                                  rebal_error *err);
/* Fills err for an entry: the place of a field of it. */
int32_t rebali_batch_fail(const struct rebali_staged_batch *batch, size_t entry, rebal_error *err, int32_t code,
                          const char *field, const char *message);

/* Looks for each entry's object in the store: fills id. */
void rebali_batch_match(struct rebali_staged_batch *batch, const rebal_store *store);
/* Takes the objects of a batch, all or none: adds or replaces them. REBAL_EEXIST for an object twice in the batch. */
int32_t rebali_store_take(rebal_store *store, struct rebali_staged_batch *batch, rebal_error *err);

/* Public limits with defaults filled in; NULL = all defaults. REBAL_EABI. */
int32_t rebali_limits_read(const rebal_manifest_limits *given, struct rebali_limits *out, rebal_error *err);
int rebali_store_has(const rebal_store *store, uint32_t object);
/* A new tree of an object, NULL on failure. REBAL_ENOTFOUND, REBAL_ENOMEM. */
int32_t rebali_store_open(const rebal_store *store, uint32_t object, json_t **tree, rebal_error *err);
/* The same, but one tree for all who ask, kept for the next: it is not to be changed. Another reference to it. */
int32_t rebali_store_share(rebal_store *store, uint32_t object, json_t **tree, rebal_error *err);
/* The same without keeping it, for passes over many objects: a tree costs more to keep than to make again. */
int32_t rebali_store_visit(const rebal_store *store, uint32_t object, json_t **tree, rebal_error *err);
/* The object's new tree, which nobody changes any more, is kept for the next who asks. */
void rebali_store_keep(rebal_store *store, uint32_t object, const json_t *tree);
/* The kept tree is no longer that of the object. */
void rebali_store_forget(rebal_store *store, uint32_t object);
void rebali_store_forget_all(rebal_store *store);
/* Makes room for the changes of n objects. REBAL_ENOMEM. */
int32_t rebali_changes_reserve(rebal_store *store, size_t n, rebal_error *err);
/* Counts a change of an object. */
void rebali_store_note(rebal_store *store, uint32_t object);
/* The object of a kind in the group of api_version (NULL: of any group); REBAL_NONE when there is none. */
uint32_t rebali_store_find_text(const rebal_store *store, const char *api_version, const char *kind,
                                const char *namespace_, const char *name);
/* Replaces an object by one with the same names, which is taken over. The same text is no change. */
void rebali_store_replace(rebal_store *store, uint32_t object, struct rebali_object *packed);
/* Creates or replaces an object that was admitted; the tree is not to be changed from then on. */
int32_t rebali_store_put(rebal_store *store, json_t *tree, uint32_t *object, rebal_error *err);
/* Replaces an object by a tree, which is not to be changed from then on. REBAL_ENOMEM, REBAL_ELIMIT. */
int32_t rebali_store_replace_tree(rebal_store *store, uint32_t object, const json_t *tree, rebal_error *err);

/* ---- changing objects (merge_patch.c, metadata.c, admission_defaults.c) ------------------------------------------ */

/* Merges a JSON merge patch into a map that is not shared; maps below it may be shared and are copied first. */
int32_t rebali_merge(json_t *map, const json_t *patch, rebal_error *err);

/* Gives uid, creationTimestamp, generation and resourceVersion where absent. */
int32_t rebali_metadata_create(json_t *tree, const rebal_time *now, rebal_error *err);
/* Raises generation, when the specs differ, and resourceVersion of what replaces before, unless nothing differs. */
int32_t rebali_metadata_update(json_t *tree, const json_t *before, rebal_error *err);
/* The uid an object gets when it has none; capacity at least 37. */
void rebali_uid_print(const json_t *tree, char *out, size_t capacity);
/* FNV-1a over texts, each followed by a NUL, and finished so that every bit depends on every character. */
uint64_t rebali_hash_texts(uint64_t seed, const char *const *texts, size_t n);

#define REBALI_DEFAULT_NAMESPACE "default" /* of objects of namespaced kinds that name none */

/* store: with kinds that the caller added; or NULL. */
int32_t rebali_admit_namespace(const rebal_store *store, json_t *tree, rebal_error *err);
int rebali_lacks_namespace(const rebal_store *store, const json_t *tree);
/* What admission does at now; before NULL: on creation. */
int32_t rebali_admit(json_t *tree, const json_t *before, const rebal_time *now, rebal_error *err);

/* ---- label selectors (label_match.c) ---------------------------------------------------------------------------- */

/* NULL selector: it takes everything. An expression that Kubernetes would refuse takes nothing. */
int rebali_selector_matches(const json_t *selector, const json_t *labels);

/* ---- public text (text_object.c) ------------------------------------------------------------------------------- */

struct rebali_buffer *rebali_text_output(rebal_text *text);
/* Cuts what a failed append may have left behind the first len bytes. Returns result, or REBAL_ENOMEM. */
int32_t rebali_text_settle(rebal_text *text, size_t len, int32_t result, rebal_error *err);
/* Writes a tree in a public format. */
int32_t rebali_tree_write(const json_t *tree, uint32_t format, rebal_text *out, rebal_error *err);

/* ---- actions (action.c, event.c) ------------------------------------------------------------------------------- */

/* One row of REBAL_TABLE_ACTION. */
struct rebali_action_row {
  int64_t kind;
  int64_t ordinal;
  const char *api_version, *object_kind, *namespace_, *name, *uid, *resource_version;
  const rebal_record *payload;
  uint32_t payload_object; /* 0: no payload */
  int64_t replaces;        /* bits: members of the payload that are replaced whole, empty included */
};

/* REBAL_EINVAL when there is no such row. */
int32_t rebali_action_load(const rebal_result *result, size_t row, struct rebali_action_row *out, rebal_error *err);
/*
 * What an action sets, as a tree of members from the object's root down: null removes a member (JSON merge patch),
 * lists are whole. PATCH_* and CREATE only.
 */
int32_t rebali_action_patch(const struct rebali_action_row *action, json_t **out, rebal_error *err);
/* The Event of an action, without times and count. */
int32_t rebali_event_new(const struct rebali_action_row *action, json_t **out, rebal_error *err);
/* Records an EVENT action. */
int32_t rebali_event_record(rebal_store *store, const struct rebali_action_row *action, const rebal_time *now,
                            rebal_error *err);

#endif
