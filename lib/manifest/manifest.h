/* SPDX-License-Identifier: MIT */
/*
 * lib/manifest/manifest.h - private header of the module "manifest": Kubernetes text <-> jansson trees <-> objects.
 * Memory comes from malloc, since jansson and libyaml allow no other allocator in a process shared with other code.
 */
#ifndef REBALI_MANIFEST_H
#define REBALI_MANIFEST_H

#include "manifest/read/ids.h"
#include "manifest/text/text.h"

/* ---- texts of callers (argument_text.c) -------------------------------------------------------------------------- */

/*
 * Takes a text passed to a public function; every such text goes through here. NULL becomes "", REBAL_TERMINATED
 * becomes
 * the length. what names the text in messages. REBAL_EINVAL: NULL with a length; REBAL_ELIMIT: longer than
 * REBALI_TEXT_MAX.
 */
int32_t rebali_take_text(const char **text, size_t *len, const char *what, rebal_error *err);
/* The same for a text whose reader checks a limit of its own before it reads. */
int32_t rebali_take_stream(const char **text, size_t *len, const char *what, rebal_error *err);
/* The same for an id, which must be UTF-8. */
int32_t rebali_take_id(const char **id, size_t *len, rebal_error *err);
/* Converts a length of an option structure for rebali_take_text(). */
size_t rebali_text_len(uint64_t len);

/* ---- names ------------------------------------------------------------------------------------------------------- */

static inline const char *rebali_cluster_name(const rebal_snapshot *snapshot, uint32_t cluster, size_t *len) {
  return rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_NAME, REBAL_NONE, cluster, len);
}

/* ---- numbers (number.c) ----------------------------------------------------------------------------------------- */

/*
 * A number that does not fit an int64 integer (1.10, 1e3, 12345678901234567890) is an object with this one key, whose
 * value is the number's text. A text that holds this key is refused, so the form is unambiguous.
 */
#define REBALI_NUMBER_KEY "\x01"

/*
 * Returns 1 for a verbatim number and sets *text, unless text is NULL; it lives as long as the value. Else returns 0,
 * also for NULL.
 */
int rebali_number_is_verbatim(const json_t *value, const char **text);

/* Prints the decimal digits of an integer, terminated; returns their number. */
#define REBALI_INTEGER_SIZE 21
size_t rebali_integer_print(int64_t value, char *text);

/* Returns a new verbatim number; text is a number by the grammar of JSON. NULL without memory. */
json_t *rebali_number_new(const char *text, size_t len);

/* ---- field paths (path.c) --------------------------------------------------------------------------------------- */

/*
 * One step of a path. The steps lie on the C stack of the functions that walk down, so that nothing is allocated:
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
 * Writes the path's text, cut between characters if it exceeds the capacity; always terminated when capacity > 0. A
 * NULL
 * path is "". Returns the whole length. A key that is not a plain identifier (letter or _, then letters, digits, _ and
 * -)
 * is written as ["..."] with JSON escapes.
 */
size_t rebali_path_print(const struct rebali_path *path, char *buffer, size_t capacity);

/* Shortens steps such as ["name"] to .name in place, as rebali_path_print() writes them. */
void rebali_path_simplify(char *path);
/* Returns the length of the step at the start of path if it names this key, else 0. first: no '.' precedes it. */
size_t rebali_path_match_key(const char *path, int first, const char *key);

/* ---- schema of records (record_schema.c) ------------------------------------------------------------------------- */

/* How the reference treats a member that holds its type's zero value. */
enum rebali_zero {
  REBALI_ZERO_OMITTED, /* omitted: absent and zero are the same */
  REBALI_ZERO_WRITTEN, /* always written: absent and zero are the same */
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

/* Returns the fields of an object in the order in which the reference writes them. */
const struct rebali_field *rebali_schema_fields(uint32_t object, size_t *n);
enum rebali_zero rebali_field_zero(const struct rebali_field *field);
/*
 * Returns the field of an object that is a bare list or map in the API, without a member around it (TAINTS); else NULL.
 */
const struct rebali_field *rebali_field_bare(uint32_t object);

/* ---- trees (tree_value.c) -------------------------------------------------------------------------------------- */

/* Returns 1 for a map, 0 for verbatim numbers. */
int rebali_is_map(const json_t *value);
/* Returns the value, or NULL for null too: both mean absent. */
const json_t *rebali_present(const json_t *value);
/* Returns the member of a map; NULL if it is absent or null or if value is not a map. */
json_t *rebali_member(const json_t *value, const char *key);
/* Returns the text of a member, "" if it is not a text. */
const char *rebali_member_text(const json_t *value, const char *key);
/* Finds a member as Go's decoder does: ignores case, and the last match is used. */
json_t *rebali_folded_member(const json_t *value, const char *key);
/* Returns the first condition of a type in a list and sets *at to its index; NULL if there is none. */
const json_t *rebali_find_condition(const json_t *conditions, const char *type, size_t *at);
/* Returns the map in a member of a map; creates it if absent or of another type. NULL without memory. */
json_t *rebali_map_at(json_t *map, const char *key);
/*
 * Returns a copy that shares the values of its members or items, like json_copy(), but complete; NULL without memory.
 */
json_t *rebali_copy(const json_t *value);
/* Puts a new value (takes ownership) or text into a map; REBAL_ENOMEM also for a NULL map or value. */
int32_t rebali_put(json_t *map, const char *key, json_t *value, rebal_error *err);
int32_t rebali_put_text(json_t *map, const char *key, const char *text, rebal_error *err);
int32_t rebali_put_time(json_t *map, const char *key, const rebal_time *time, rebal_error *err);

#define REBALI_STEPS 8

/* The target of a path such as spec.suspension.scheduling. It points into itself and must not be copied. */
struct rebali_place {
  const json_t *value; /* NULL when absent or null */
  const struct rebali_path *path;
  struct rebali_path steps[REBALI_STEPS];
  const json_t *values[REBALI_STEPS]; /* after each step */
  size_t n_steps;
  char keys[128];
};

/* @returns REBAL_EPARSE if a step before the last holds anything but a map. */
int32_t rebali_walk(const json_t *tree, const struct rebali_path *root, const char *keys, struct rebali_place *place,
                    rebal_error *err);
/* The same, continuing from an earlier walk from the same tree and root; n_steps of the first place is 0. */
int32_t rebali_walk_on(const json_t *tree, const struct rebali_path *root, const char *keys, struct rebali_place *place,
                       rebal_error *err);

/* ---- reading values and records (value_read.c, record_read.c) -------------------------------------------------- */

/* Fills err with a message and the field of a path; returns code. */
int32_t rebali_fail_path(rebal_error *err, int32_t code, const struct rebali_path *path, const char *message);

/* The value must be present. REBAL_EPARSE for another type, REBAL_ERANGE for a number that does not fit. */
int32_t rebali_read_text(const json_t *value, const struct rebali_path *path, const char **text, size_t *len,
                         rebal_error *err);
int32_t rebali_read_integer(const json_t *value, uint32_t type, const struct rebali_path *path, int64_t *out,
                            rebal_error *err);
int32_t rebali_read_quantity(const json_t *value, const struct rebali_path *path, rebal_quantity *out,
                             rebal_error *err);
int32_t rebali_read_time(const json_t *value, const struct rebali_path *path, rebal_time *out, rebal_error *err);
int32_t rebali_read_list(const json_t *value, const struct rebali_path *path, rebal_error *err);
int32_t rebali_read_map(const json_t *value, const struct rebali_path *path, rebal_error *err);

/* Reads the members into the open object of a builder; builder NULL: only checks. */
int32_t rebali_read_object(rebal_builder *builder, uint32_t object, const json_t *tree, const struct rebali_path *path,
                           rebal_error *err);
/* Reads a whole record, bare objects as list or map; builder NULL: only checks. *out belongs to the builder. */
int32_t rebali_read_record(rebal_builder *builder, uint32_t object, const json_t *tree, const struct rebali_path *path,
                           const rebal_record **out, rebal_error *err);

/* ---- objects of records that are not maps in the API (record_value.c, json_text.c) ------------------------------- */

/* Returns 1 for INT_OR_TEXT and RAW, whose only field is the value itself. */
int rebali_object_is_value(uint32_t object);
/* Reads a value into the open object of a builder; builder NULL: only checks. */
int32_t rebali_read_value(rebal_builder *builder, uint32_t object, const json_t *value, const struct rebali_path *path,
                          rebal_error *err);
/* Builds the value of a record's node; null if nothing in it is set. REBAL_EPARSE: RAW does not hold JSON. */
int32_t rebali_value_tree(const rebal_record *record, uint32_t node, json_t **out, rebal_error *err);
/* Parses a terminated text of one JSON value; *out is a new reference. REBAL_EPARSE for YAML. */
int32_t rebali_json_text(const char *text, size_t len, json_t **out, rebal_error *err);

/* ---- writing records (record_write.c) -------------------------------------------------------------------------- */

/* Writes a record so that it reads back equal: exactly the members that are present. Bare objects are a list or map. */
int32_t rebali_record_tree_as_is(const rebal_record *record, json_t **out, rebal_error *err);
/* Returns the text of a set time, with its nanoseconds; NULL without memory. */
json_t *rebali_time_value(const rebal_time *time);
/* Builds the tree of a record's node as the reference writes it. */
int32_t rebali_record_tree(const rebal_record *record, uint32_t node, uint32_t object, json_t **out, rebal_error *err);

/* ---- applied placement (applied_placement.c) --------------------------------------------------------------------- */

#define REBALI_APPLIED_PLACEMENT "policy.karmada.io/applied-placement"
#define REBALI_PLAN_MARK "librebalance/plan"

/*
 * Reads an annotation's text, which must be JSON. *tree is a new reference, NULL unless *state is
 * REBAL_ANNOTATION_PRESENT. A NULL or empty text is REBAL_ANNOTATION_ABSENT.
 */
int32_t rebali_applied_read(const char *text, int64_t *state, json_t **tree, rebal_error *err);
/* Returns 1 if the reference's deep comparison finds two decoded placements equal (rebalance-karmada(7) 2.3). */
int rebali_strictly_equal(uint32_t object, const json_t *left, const json_t *right);
/* Appends the annotation's text for a placement. */
int32_t rebali_applied_write(const rebal_record *placement, struct rebali_buffer *output, rebal_error *err);

/* ---- columns (column.c) ---------------------------------------------------------------------------------------- */

/*
 * Where columns are written: a row of a fleet, a row of bindings, or nowhere if all are NULL (values are only checked).
 */
struct rebali_sink {
  rebal_fleet *fleet;       /* interns texts and assigns ids */
  rebal_bindings *bindings; /* NULL: the row belongs to the fleet */
  rebal_builder *builder;
  uint32_t row;
  uint32_t cluster; /* the row is in a table below this cluster; REBAL_NONE: it is not */
};

/* Describes how a column is read. */
struct rebali_column {
  uint32_t id;
  uint32_t type;   /* REBAL_TYPE_* */
  uint32_t object; /* of a handle */
  const char *path;
};

#define REBALI_TYPE_PRESENCE 255u /* a BOOLEAN: whether the path exists */

/* Reads n columns of a tree into the sink's row. */
int32_t rebali_columns_read(const struct rebali_sink *sink, const struct rebali_column *columns, size_t n,
                            const json_t *tree, const struct rebali_path *path, rebal_error *err);
int32_t rebali_sink_i64(const struct rebali_sink *sink, uint32_t column, int64_t value, rebal_error *err);
int32_t rebali_sink_text(const struct rebali_sink *sink, uint32_t column, const char *text, size_t len,
                         rebal_error *err);
int32_t rebali_sink_time(const struct rebali_sink *sink, uint32_t column, const rebal_time *time, rebal_error *err);
/* Adds a row to a table below the sink's cluster; it becomes the sink's row. */
int32_t rebali_sink_add(struct rebali_sink *sink, uint32_t table, rebal_error *err);

/*
 * ---- state that outlives an eviction (preserved_state.c, preserved_number.c); rebalance-karmada(7) 10.6
 * ------------------
 */

/*
 * Evaluates the rules of statePreservation on a cluster's raw status: sets the labels or the text of an error. Sets
 * nothing without rules or status, or if the sink only checks.
 */
int32_t rebali_preserve(const struct rebali_sink *sink, const json_t *rules, const json_t *status,
                        uint32_t labels_column, uint32_t error_column, rebal_error *err);
/* Appends a number as Go prints a double with %v; returns 0 if it is not a number or exceeds a double. */
int rebali_double_print(const json_t *value, struct rebali_buffer *out);

/* Columns of the row that an object makes, or of the rows that the items of its list make. */
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
/* pod_labels.c: reads the pod labels of a binding's workload if the store holds the workload and any budget. */
int32_t rebali_pod_labels_read(rebal_store *store, const struct rebali_sink *sink, const json_t *binding,
                               rebal_error *err);
/* budget.c: converts a PodDisruptionBudget to the form of the object BUDGET. */
int32_t rebali_budget_tree(const json_t *tree, json_t **out, rebal_error *err);
/* Reads an object of a member cluster into a new row below the sink's cluster, or checks it. */
typedef int32_t rebali_member_reader(struct rebali_sink *sink, const json_t *tree, const struct rebali_path *path,
                                     rebal_error *err);
rebali_member_reader rebali_node_read; /* member_node.c */
/* Replaces the state of the node that has the sink's row. */
int32_t rebali_node_replace(struct rebali_sink *sink, const json_t *tree, rebal_error *err);
rebali_member_reader rebali_pod_read;      /* member_pod.c */
rebali_member_reader rebali_workload_read; /* member_workload.c, as the next two */
rebali_member_reader rebali_replica_set_read;
/* Feeds all ResourceQuotas of a store (member_quota.c). */
int32_t rebali_quotas_feed(const struct rebali_sink *sink, rebal_store *member, rebal_error *err);
/* Sets a column to the uid of an object's controlling owner. */
int32_t rebali_read_controller(const struct rebali_sink *sink, uint32_t column, const json_t *tree, rebal_error *err);
/* Returns NULL if this kind is not read (member.c). */
rebali_member_reader *rebali_member_reader_of(const char *api_version, const char *kind);
/* Returns 1 for a binding of either kind, in the version that is read. */
int rebali_is_binding(const char *api_version, const char *kind);
/* Checks what the library reads of an object of any kind; metadata.name and kind must be present. */
int32_t rebali_object_check(const json_t *tree, const struct rebali_path *path, rebal_error *err);

/* ---- packed objects (object.c) ----------------------------------------------------------------------------------- */

struct rebali_object {
  char *kind; /* one block with the texts below */
  const char *namespace_;
  const char *name;
  const char *api_version;
  const char *text; /* compact JSON; NULL once deleted */
  size_t len;
};

/* Overwrites scratch. REBAL_ENOMEM, REBAL_ELIMIT. */
int32_t rebali_object_pack(const json_t *tree, struct rebali_buffer *scratch, struct rebali_object *out,
                           rebal_error *err);
/* Builds a new tree. REBAL_ENOMEM. */
int32_t rebali_object_open(const struct rebali_object *object, json_t **tree, rebal_error *err);
void rebali_object_dispose(struct rebali_object *object);
/* Drops the text and keeps the names. */
void rebali_object_forget(struct rebali_object *object);
/* Fills err with an error about an object of a store, including its name; returns code. */
int32_t rebali_fail_object(const struct rebali_object *object, int32_t code, const rebal_error *local,
                           rebal_error *err);
/* Appends deployments.apps "foo", as the API server's errors name an object (object_name_in_errors.c). */
void rebali_append_subject(struct rebali_buffer *output, const char *api_version, const char *kind, const char *name);
/* Orders by kind, namespace, name, API group. */
int rebali_object_compare(const struct rebali_object *left, const struct rebali_object *right);

/* ---- API groups and resources (resources.c) --------------------------------------------------------------------- */

#define REBALI_NAME_MAX 1024 /* bytes of a kind with its group, of a plural */

struct rebali_resource {
  const char *group; /* empty for the core group */
  const char *kind;
  const char *plural; /* in paths */
  int is_namespaced;
};

/* Returns the length of the group in an apiVersion in bytes; the core group's is empty. */
size_t rebali_group_len(const char *api_version);
/* Orders the groups of two apiVersions; 0: they are the same. */
int rebali_group_compare(const char *left, const char *right);
/* Finds a kind, added to store (or NULL) or built in, in the group of api_version; NULL if unknown. */
const struct rebali_resource *rebali_resource_find(const rebal_store *store, const char *api_version, const char *kind);
/* Returns 1 if a kind is namespaced, added to store (or NULL) or built in, in any group. */
int rebali_kind_is_namespaced(const rebal_store *store, const char *api_version, const char *kind);
/*
 * Returns 1 for objects of an API that no policy selects, whatever the detector's options (rebalance-karmada(7) 14.1).
 */
int rebali_is_never_propagated(const char *api_version, const char *kind);
void rebali_resources_dispose(rebal_store *store);

/* ---- store (store.c, store_batch.c) ---------------------------------------------------------------------------- */

/* A tree that the store caches; it must not be changed. */
struct rebali_kept {
  json_t *tree; /* NULL: the slot is empty */
  size_t bytes;
  uint32_t object;
};

/* A change of an object, identified by its number. */
struct rebali_change {
  uint64_t number;
  uint32_t object;
};

struct rebal_store {
  struct rebali_limits limits;
  struct rebali_object *objects; /* by id */
  size_t n_objects;
  size_t capacity;
  uint32_t *order; /* ids of present objects, by kind, namespace, name, API group */
  size_t n_order;
  size_t order_capacity;
  uint64_t *changed; /* by id: the number of its last change */
  size_t changed_capacity, log_capacity;
  struct rebali_change *log; /* in the order of changes; has twice the capacity */
  size_t n_log;
  uint64_t changes;
  struct rebali_kept *kept;          /* trees of objects by id modulo their number (store_kept.c); NULL: none yet */
  size_t kept_bytes;                 /* text of those objects */
  size_t kept_hand;                  /* the slot to evict next */
  struct rebali_resource *resources; /* added by the caller */
  size_t n_resources, resources_capacity;
  uint64_t *own_writes; /* by id: the version that a reply returned, until a watch has reached it; 0: none */
  size_t n_own_writes, own_writes_capacity;
};

/* An object read from a text, before it enters a store. */
struct rebali_staged {
  struct rebali_object object;
  size_t document;
  size_t item; /* index in a List; SIZE_MAX if it is not in one */
  uint32_t id; /* of the object it replaces; REBAL_NONE for a new one */
  int is_raw;  /* not yet checked (store_read.c) */
};

struct rebali_staged_batch {
  const char *text; /* as read; NULL if the objects come from no text */
  size_t len;
  struct rebali_staged *entries;
  size_t n;
  size_t capacity;
  struct rebali_buffer scratch;
  json_t *last; /* the tree of the last entry, as packed; NULL: unknown */
};

/* Returns 1 for a List, whose items are the objects. */
int rebali_is_list(const json_t *tree);
/* Returns 1 if a document, given its first members, may be a List, for sinks that take items one by one. */
int rebali_needs_items(const json_t *document);
/* Sets kind and apiVersion of an item of a typed list if it names none. */
int32_t rebali_list_complete(const json_t *list, json_t *item, rebal_error *err);

/* Checks an object of any kind, which must have kind, apiVersion and name, and sets its namespace if missing. */
int32_t rebali_object_admit(const rebal_store *store, json_t *tree, const struct rebali_path *path, rebal_error *err);
/* Reads and checks every object of a text for a store. The batch must be disposed of in any case. */
int32_t rebali_batch_read(struct rebali_staged_batch *batch, const rebal_store *store, const char *text, size_t len,
                          rebal_error *err);
/* Takes ownership of the tree, also on failure. */
int32_t rebali_batch_add(struct rebali_staged_batch *batch, json_t *tree, size_t document, size_t item,
                         rebal_error *err);
/* Packs the last entry again from a tree (or NULL), which must not be changed afterwards. */
void rebali_batch_repacked(struct rebali_staged_batch *batch, json_t *tree);
/* Drops all but the first n entries. */
void rebali_batch_cut(struct rebali_staged_batch *batch, size_t n);
void rebali_batch_dispose(struct rebali_staged_batch *batch);
/* Drops entries that repeat an earlier one. REBAL_ENOMEM. */
int32_t rebali_batch_drop_repeated(struct rebali_staged_batch *batch, rebal_error *err);
/* Fills err from a complete error and adds the field's position in the text. */
int32_t rebali_batch_fail_in_text(const struct rebali_staged_batch *batch, size_t document, const rebal_error *local,
                                  rebal_error *err);
/* Fills err for an entry, with the position of one of its fields. */
int32_t rebali_batch_fail(const struct rebali_staged_batch *batch, size_t entry, rebal_error *err, int32_t code,
                          const char *field, const char *message);

/* Finds each entry's object in the store: fills id. */
void rebali_batch_match(struct rebali_staged_batch *batch, const rebal_store *store);
/* Adds or replaces the objects of a batch, all or none. REBAL_EEXIST if an object occurs twice in the batch. */
int32_t rebali_store_take(rebal_store *store, struct rebali_staged_batch *batch, rebal_error *err);

/* Reads public limits and fills in defaults; NULL = all defaults. REBAL_EABI. */
int32_t rebali_limits_read(const rebal_manifest_limits *given, struct rebali_limits *out, rebal_error *err);
int rebali_store_has(const rebal_store *store, uint32_t object);
/* Builds a new tree of an object, NULL on failure. REBAL_ENOTFOUND, REBAL_ENOMEM. */
int32_t rebali_store_open(const rebal_store *store, uint32_t object, json_t **tree, rebal_error *err);
/* The same, but the tree is cached and shared by all callers: it must not be changed. Returns a new reference. */
int32_t rebali_store_share(rebal_store *store, uint32_t object, json_t **tree, rebal_error *err);
/* The same without caching, for passes over many objects: a tree costs more to cache than to build again. */
int32_t rebali_store_visit(const rebal_store *store, uint32_t object, json_t **tree, rebal_error *err);
/* Caches the object's new tree, which must not be changed any more. */
void rebali_store_keep(rebal_store *store, uint32_t object, const json_t *tree);
/* Drops the cached tree, which no longer matches the object. */
void rebali_store_forget(rebal_store *store, uint32_t object);
void rebali_store_forget_all(rebal_store *store);
/* Reserves memory for the changes of n objects. REBAL_ENOMEM. */
int32_t rebali_changes_reserve(rebal_store *store, size_t n, rebal_error *err);
/* Records a change of an object. */
void rebali_store_note(rebal_store *store, uint32_t object);
/* Finds the object of a kind in the group of api_version (NULL: any group); REBAL_NONE if there is none. */
uint32_t rebali_store_find_text(const rebal_store *store, const char *api_version, const char *kind,
                                const char *namespace_, const char *name);
/* Replaces an object by one with the same names, which is taken over. An identical text does not count as a change. */
void rebali_store_replace(rebal_store *store, uint32_t object, struct rebali_object *packed);
/* Creates or replaces an admitted object; the tree must not be changed afterwards. */
int32_t rebali_store_put(rebal_store *store, json_t *tree, uint32_t *object, rebal_error *err);
/* Replaces an object by a tree, which must not be changed afterwards. REBAL_ENOMEM, REBAL_ELIMIT. */
int32_t rebali_store_replace_tree(rebal_store *store, uint32_t object, const json_t *tree, rebal_error *err);

/* ---- changing objects (merge_patch.c, metadata.c, admission_defaults.c) ------------------------------------------ */

/* Merges a JSON merge patch into a map that is not shared; shared maps below it are copied first. */
int32_t rebali_merge(json_t *map, const json_t *patch, rebal_error *err);

/* Sets uid, creationTimestamp, generation and resourceVersion if absent. */
int32_t rebali_metadata_create(json_t *tree, const rebal_time *now, rebal_error *err);
/* Raises generation if the specs differ, and resourceVersion if anything differs from before. */
int32_t rebali_metadata_update(json_t *tree, const json_t *before, rebal_error *err);
/* Prints the uid for an object that has none; capacity at least 37. */
void rebali_uid_print(const json_t *tree, char *out, size_t capacity);
/* Hashes texts with FNV-1a, each followed by a NUL, and mixes so that every bit depends on every character. */
uint64_t rebali_hash_texts(uint64_t seed, const char *const *texts, size_t n);

#define REBALI_DEFAULT_NAMESPACE "default" /* for objects of namespaced kinds without a namespace */

/* store: supplies kinds that the caller added; or NULL. */
int32_t rebali_admit_namespace(const rebal_store *store, json_t *tree, rebal_error *err);
int rebali_lacks_namespace(const rebal_store *store, const json_t *tree);
/* Applies admission at the time now; before NULL: on creation. */
int32_t rebali_admit(json_t *tree, const json_t *before, const rebal_time *now, rebal_error *err);

/* ---- label selectors (label_match.c) ---------------------------------------------------------------------------- */

/* A NULL selector matches everything. An expression that Kubernetes would refuse matches nothing. */
int rebali_selector_matches(const json_t *selector, const json_t *labels);

/* ---- public text (text_object.c) ------------------------------------------------------------------------------- */

struct rebali_buffer *rebali_text_output(rebal_text *text);
/* Cuts what a failed append may have left after the first len bytes. Returns result, or REBAL_ENOMEM. */
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
  int64_t replaces;        /* bits: members of the payload that are replaced as a whole, even if empty */
};

/* REBAL_EINVAL if the row does not exist. */
int32_t rebali_action_load(const rebal_result *result, size_t row, struct rebali_action_row *out, rebal_error *err);
/*
 * Builds the members that an action sets, as a tree from the object's root: null removes a member (JSON merge patch),
 * lists are complete. PATCH_* and CREATE only.
 */
int32_t rebali_action_patch(const struct rebali_action_row *action, json_t **out, rebal_error *err);
/* Builds the Event of an action, without times and count. */
int32_t rebali_event_new(const struct rebali_action_row *action, json_t **out, rebal_error *err);
/* Records an EVENT action. */
int32_t rebali_event_record(rebal_store *store, const struct rebali_action_row *action, const rebal_time *now,
                            rebal_error *err);

#endif
