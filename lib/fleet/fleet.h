/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/fleet.h - private header of the module "fleet": reading snapshots (snapshot.h), bindings and ledgers, and
 * the cache of values derived from them.
 */
#ifndef REBALI_FLEET_H
#define REBALI_FLEET_H

#include "fleet/row_set.h"
#include "fleet/snapshot.h"

/* ---- bindings (bindings.c) --------------------------------------------------------------------------------------- */

#define REBALI_BINDING_TABLES 7u /* BINDING and its child tables, which follow it */
#define REBALI_BINDING_GROUPS 2u /* columns that name a group: AFFINITY_GROUP, ANTI_AFFINITY_GROUP */

struct rebal_bindings {
  struct rebali_row_set set;
  struct rebal_cells handle;
  struct rebali_table tables[REBALI_BINDING_TABLES];
  uint32_t *parents[REBALI_BINDING_TABLES]; /* by child row */
  size_t parents_capacity[REBALI_BINDING_TABLES];
  uint32_t *first_child[REBALI_BINDING_TABLES]; /* frozen: by binding, one more than bindings; NULL without children */
  uint32_t *children[REBALI_BINDING_TABLES];    /* frozen: rows by parent */
  uint32_t *members[REBALI_BINDING_GROUPS];     /* frozen: bindings of a namespace by group, then by row */
  size_t n_members[REBALI_BINDING_GROUPS];
  uint32_t needed_rows; /* frozen: cluster ids are below this */
};

/* Returns the number of bindings in the set; NULL is an empty one. */
static inline size_t rebali_bindings_size(const rebal_bindings *bindings) {
  return bindings == NULL ? 0 : bindings->tables[0].rows;
}
/* The column must belong to a table of bindings, and the row must exist. */
static inline const struct rebali_table *rebali_bindings_rows(const rebal_bindings *bindings, uint32_t column) {
  return &bindings->tables[column / 256u - REBAL_TABLE_BINDING];
}
static inline int64_t rebali_bindings_i64(const rebal_bindings *bindings, uint32_t column, uint32_t row) {
  return rebali_table_i64(rebali_bindings_rows(bindings, column), column, row);
}
static inline struct rebali_text rebali_bindings_text(const rebal_bindings *bindings, uint32_t column, uint32_t row) {
  return rebali_table_text(rebali_bindings_rows(bindings, column), column, row);
}
static inline rebal_time rebali_bindings_time(const rebal_bindings *bindings, uint32_t column, uint32_t row) {
  return rebali_table_time(rebali_bindings_rows(bindings, column), column, row);
}
/* Returns the rows of a child table that belong to a binding, in the order they were added. */
static inline const uint32_t *rebali_bindings_children(const rebal_bindings *bindings, uint32_t table, uint32_t binding,
                                                       size_t *n) {
  const uint32_t index = table - REBAL_TABLE_BINDING;
  const uint32_t *first = bindings->first_child[index];

  *n = first == NULL ? 0 : first[binding + 1] - first[binding];
  return first == NULL ? NULL : bindings->children[index] + first[binding];
}
/* Lists the members of groups, for rebali_bindings_group(). Returns REBAL_ENOMEM. binding_groups.c */
int32_t rebali_bindings_list_groups(rebal_bindings *bindings);
void rebali_bindings_drop_groups(rebal_bindings *bindings);
/* Returns the bindings of a namespace whose cell in the column equals the text, in order; none for an empty text. */
const uint32_t *rebali_bindings_group(const rebal_bindings *bindings, uint32_t column, struct rebali_text group,
                                      size_t *n);
/*
 * Every call that takes bindings and a snapshot checks them with this. Both must be given, frozen and of one fleet, and
 * cluster ids of targets, tasks and status items must be below the snapshot's rows (else REBAL_EINVAL, REBAL_ESTATE,
 * REBAL_EMISMATCH).
 */
int32_t rebali_bindings_check(const rebal_bindings *bindings, const rebal_snapshot *snapshot, rebal_error *err);
/* Checks that bindings are frozen and of a fleet, as rebali_snapshot_fleet() identifies it. */
int32_t rebali_bindings_check_fleet(const rebal_bindings *bindings, const void *fleet, rebal_error *err);
/* Returns an action on the object of a binding's row, with kind, object reference and row set. */
struct rebali_action rebali_bindings_action(const rebal_bindings *bindings, uint32_t row, int64_t kind);
/* Returns the same for the resource of the binding, whose name may be empty. */
struct rebali_action rebali_bindings_resource_action(const rebal_bindings *bindings, uint32_t row, int64_t kind);

/* ---- ledger (ledger.c); rebalance-karmada(7) 6.6 ----------------------------------------------------------------- */

/* Replicas of one pod template. */
struct rebali_component {
  uint32_t requirements; /* a handle, or REBAL_NONE */
  int32_t replicas;      /* not negative */
};
/* Charges to a cluster under one resource name; saturating. */
struct rebali_charge {
  int64_t amount;     /* cpu in thousandths, other names in units (6.6) */
  int64_t as_written; /* decimal notations in thousandths, binary ones in units (6.4) */
};
/* Creates an empty ledger of the fleet with this store. */
int32_t rebali_ledger_new(const rebal_allocator *allocator, struct rebali_store *store, rebal_ledger **out,
                          rebal_error *err);
/* A NULL ledger charges nothing. Readers change nothing; any number of them may run at a time. */
struct rebali_charge rebali_ledger_charge(const rebal_ledger *ledger, uint32_t cluster, struct rebali_text name);
/* Returns all replicas charged to the cluster. */
int64_t rebali_ledger_pods(const rebal_ledger *ledger, uint32_t cluster);
/* Names of resources that were ever charged, by index. */
uint32_t rebali_ledger_names(const rebal_ledger *ledger);
struct rebali_text rebali_ledger_name(const rebal_ledger *ledger, uint32_t index);
/* Returns the index of a name; REBAL_NONE if it was never charged. */
uint32_t rebali_ledger_find_name(const rebal_ledger *ledger, struct rebali_text name);
/* Returns whether the cluster has any charge. */
int rebali_ledger_touches(const rebal_ledger *ledger, uint32_t cluster);
const void *rebali_ledger_fleet(const rebal_ledger *ledger);
/*
 * The identity of a ledger, also after the ledger is freed: while a reference exists, no other identity has the same
 * address. identity.c
 */
struct rebali_identity;
int32_t rebali_identity_new(struct rebali_store *store, struct rebali_identity **out);
struct rebali_identity *rebali_identity_ref(struct rebali_identity *identity);
void rebali_identity_unref(struct rebali_identity *identity);
struct rebali_identity *rebali_ledger_identity(const rebal_ledger *ledger);
/*
 * Counts the changes of a cluster's charges: 0 at first, UINT32_MAX once that is reached. `fallen` is the last version
 * at which a charge may have decreased.
 */
struct rebali_spent_change {
  uint32_t version;
  uint32_t fallen;
};
/* Returns changes by cluster id, *n of them; later clusters were never charged. *falls counts possible decreases. */
const struct rebali_spent_change *rebali_ledger_changes(const rebal_ledger *ledger, uint32_t *n, uint64_t *falls);
/* Clusters in the order of their charges' changes, n so far. Entry i is at i % REBALI_JOURNAL_KEEPS until replaced. */
#define REBALI_JOURNAL_KEEPS 1024u
struct rebali_journal {
  uint64_t n;
  uint32_t clusters[REBALI_JOURNAL_KEEPS];
};
const struct rebali_journal *rebali_ledger_journal(const rebal_ledger *ledger);
/*
 * Charges by cluster id in whole pages: rows of a stride. The replicas come first, each of which is a pod, then the
 * amounts by name; saturating, in the unit of rebali_charge.amount. Rows from n on have no charges.
 */
struct rebali_spent {
  int64_t *amounts;
  size_t n;
  size_t stride; /* more than the number of names */
  size_t capacity;
};
/* Returns that of a ledger; valid until something is charged. */
const struct rebali_spent *rebali_ledger_spent(const rebal_ledger *ledger);
static inline int64_t rebali_spent_pods(const struct rebali_spent *spent, uint32_t cluster) {
  return cluster < spent->n ? spent->amounts[cluster * spent->stride] : 0;
}
/* REBAL_NONE is not the index of a name. */
static inline int64_t rebali_spent_amount(const struct rebali_spent *spent, uint32_t cluster, uint32_t name) {
  return cluster < spent->n && name != REBAL_NONE ? spent->amounts[cluster * spent->stride + 1 + name] : 0;
}
/* Holdings of one binding in one cluster. */
struct rebali_holding {
  struct rebali_text key;
  const struct rebali_component *components; /* of one set; some have replicas */
  size_t n_components;
};
/* Lists all holdings in a cluster, by key, in memory of the arena. Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_ledger_holdings(const rebal_ledger *ledger, uint32_t cluster, struct rebali_arena *arena,
                               const struct rebali_holding **holdings, size_t *n);
/* One set of components to be held in a cluster; without replicas it holds nothing. */
struct rebali_claim {
  uint32_t cluster;
  const struct rebali_component *components;
  size_t n_components;
};
/*
 * Replaces all holdings of the key. If a cluster occurs twice, the last claim is used. Ids and handles are the fleet's.
 * Returns REBAL_ENOMEM without filling an error; the ledger is then unchanged.
 */
int32_t rebali_ledger_replace(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claim *claims, size_t n,
                              const rebal_time *expiry);
/*
 * Prepares claims without holding them: the ledger learns their components and prices. Reduces the claims to what a key
 * with them would hold; those without replicas are removed. Returns REBAL_ENOMEM without filling an error.
 */
int32_t rebali_ledger_know(rebal_ledger *ledger, struct rebali_claim *claims, size_t *n);
/* Holdings of a key in a cluster, to undo a charge. */
struct rebali_held {
  uint32_t set; /* REBAL_NONE: nothing */
  rebal_time expiry;
};
/* Replaces the key's holdings in the cluster of a non-empty claim, and the key's expiry. Errors as above. */
int32_t rebali_ledger_put(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claim *claim,
                          const rebal_time *expiry, struct rebali_held *before);
/* Undoes the last rebali_ledger_put() that is not undone yet; needs no memory. */
void rebali_ledger_put_back(rebal_ledger *ledger, struct rebali_text key, uint32_t cluster,
                            const struct rebali_held *before);

/* ---- context and cache (ctx.c, cache.c) -------------------------------------------------------------------------- */

/* Scratch memory of the running call, emptied by rebali_ctx_begin() and rebali_ctx_resume(). */
struct rebali_arena *rebali_ctx_scratch(rebal_ctx *ctx);
const rebal_allocator *rebali_ctx_allocator(const rebal_ctx *ctx);
/*
 * Start and end of a public call. Cached values do not move between them. Returns REBAL_EINVAL for NULL, REBAL_ESTATE
 * if a call is running.
 */
int32_t rebali_ctx_begin(rebal_ctx *ctx, rebal_error *err);
/* Like begin, for a context on which begin and end were called before in the same public call. */
void rebali_ctx_resume(rebal_ctx *ctx);
void rebali_ctx_end(rebal_ctx *ctx);

/*
 * Kinds of derived values. A key is the bytes of the value's inputs, aligned as their type requires.
 * build creates the value for a key from a snapshot. update re-evaluates at least one row of a value that was built
 * from an older snapshot of the same fleet. The rows have no order, may repeat, and include all rows of the newer one
 * that the value does not cover. bytes returns its size, which may grow in use. A value is destroyed if its update
 * fails. reads selects the changes of a row that affect the value; without any, update is not called. renew (may be
 * NULL) re-evaluates all rows of a value from an older snapshot if too many changed to be listed; without it the value
 * is rebuilt.
 */
struct rebali_derived {
  int32_t (*build)(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value, rebal_error *err);
  int32_t (*update)(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value, const uint32_t *rows,
                    size_t n, rebal_error *err);
  size_t (*bytes)(const void *value);
  void (*destroy)(const rebal_allocator *allocator, void *value);
  uint32_t reads;
  int32_t (*renew)(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value, rebal_error *err);
};
/*
 * Returns the value of (kind, key) for exactly this snapshot: cached, updated, or built. It stays valid until
 * rebali_ctx_end() or until the same key is requested with another snapshot. The context's limits evict values that
 * have been unused for long first.
 */
int32_t rebali_cache_get(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_derived *kind,
                         struct rebali_text key, void **value, rebal_error *err);

/* ---- options (compat.c) ------------------------------------------------------------------------------------------ */

/* By number; 0 if no option has the number. */
static const int64_t rebali_compat_defaults[] = {
#define REBAL_OPTION(name, number, absent, text, meaning) [number] = (absent),
#include "rebalance/options.def"
#undef REBAL_OPTION
};
struct rebal_compat {
  rebal_allocator allocator;
  int64_t values[REBALI_COUNT(rebali_compat_defaults)]; /* likewise */
};

/* Returns the value of an option, 0 for an unknown number; NULL: default. */
static inline int64_t rebali_compat_value(const rebal_compat *compat, uint32_t option) {
  const int64_t *values = compat == NULL ? rebali_compat_defaults : compat->values;

  return option < REBALI_COUNT(rebali_compat_defaults) ? values[option] : 0;
}

/* ---- fingerprints (fingerprint.c) -------------------------------------------------------------------------------- */

/* Digests the content of a snapshot (an object_part of rebali_result_sign()). */
struct rebali_fingerprint rebali_snapshot_fingerprint(const void *snapshot);
/* For calls that read neither nodes nor anything else below clusters: as if none were known. */
struct rebali_fingerprint rebali_clusters_fingerprint(const void *snapshot);
/* Adds the nodes of a cluster; nothing if they are unknown. node_read.c */
void rebali_digest_nodes(struct rebali_digest *digest, const rebal_snapshot *snapshot, uint32_t cluster);
/* Adds the cluster's rows in other tables; nothing if there are none. rows_read.c */
void rebali_digest_rows(struct rebali_digest *digest, const rebal_snapshot *snapshot, uint32_t cluster);
/* Adds the content of frozen bindings, rows first to end. */
void rebali_digest_bindings(struct rebali_digest *digest, const rebal_bindings *bindings, size_t first, size_t end);
/* Adds the options that differ from their defaults. */
void rebali_digest_compat(struct rebali_digest *digest, const rebal_compat *compat);
void rebali_digest_time(struct rebali_digest *digest, const rebal_time *time);
/* Digests the charges, whatever their order; NULL equals an empty ledger. */
struct rebali_fingerprint rebali_ledger_fingerprint(const rebal_ledger *ledger);

/* ---- private: what a cell accepts (column.c) --------------------------------------------------------------------- */

/* type: REBAL_TYPE_TEXT, REBAL_TYPE_TIME, or REBAL_TYPE_INT64 for all that are set and read as integers. */
int rebali_column_is_set_as(const struct rebali_field_info *info, uint32_t type);
int32_t rebali_column_check(uint32_t column, uint32_t table, uint32_t type, const struct rebali_field_info **info,
                            rebal_error *err);
/* Returns whether it is an id of a cluster or a handle. REBALI_KEPT_ABSENT describes how those are kept. */
static inline int rebali_column_is_id(const struct rebali_field_info *info) {
  return info->type == REBAL_TYPE_CLUSTER || info->type == REBAL_TYPE_HANDLE;
}
/* Returns whether it holds the name under which a row was added. */
static inline int rebali_column_is_name(uint32_t column) {
  return column == REBAL_CLUSTER_NAME || column == REBAL_NODE_NAME || column == REBAL_RESOURCE_NAME;
}
/* Converts a caller's value to the form kept. Returns REBAL_ERANGE or REBAL_EINVAL if the column does not accept it. */
int32_t rebali_column_take(const struct rebali_field_info *info, const struct rebali_store *store, uint32_t row,
                           int64_t value, int64_t *kept, rebal_error *err);
/* Converts what a cell holds to the caller's form. */
static inline int64_t rebali_column_given(const struct rebali_field_info *info, int64_t kept) {
  return kept == (int64_t)REBAL_NONE && rebali_column_is_id(info) ? REBAL_ABSENT : kept;
}
/* Reads text i of a block; returns REBAL_EINVAL if the offsets decrease. */
int32_t rebali_column_text(const char *bytes, const uint32_t *offsets, size_t i, int64_t where,
                           struct rebali_text *text, rebal_error *err);

/* ---- private: the fleet (fleet.c) -------------------------------------------------------------------------------- */

struct rebal_fleet {
  struct rebali_store *store;
  struct rebal_cells handle;
  struct rebali_state state;
  size_t reserved_capacities;
  struct rebali_log logs[REBALI_READS_ALL]; /* for each way to read: [reads - 1] */
  uint64_t version;                         /* of the last snapshot */
  struct rebali_order *names;               /* as of the last snapshot, or NULL; the same for the next two */
  struct rebali_order *resources;
  struct rebali_order *clusters; /* present rows by name */
  int membership_changed;
  uint32_t *unordered; /* rows whose nodes were added or removed, or changed zone, since the last snapshot */
  size_t n_unordered;
  size_t unordered_capacity;
  struct rebali_takes **takes; /* what pods take, by handle of POD_RESOURCES + 1; NULL: not read yet */
  size_t n_takes;
  size_t takes_capacity;
};

/* What a pod takes of its node; the pod itself counts as one of "pods". */
struct rebali_take {
  int64_t amount; /* at least 0: thousandths of cpu, units of all others */
  uint32_t resource;
  uint32_t reserved;
};
struct rebali_takes {
  size_t n;
  struct rebali_take takes[];
};
/*
 * resources: a handle or REBAL_NONE. Returns REBAL_ERANGE for a negative request or a sum beyond int64, or
 * REBAL_ENOMEM.
 */
int32_t rebali_fleet_takes(rebal_fleet *fleet, uint32_t resources, const struct rebali_takes **takes, rebal_error *err);

/*
 * Prepares a row for a change of what. One such rebali_fleet_changed() then cannot fail. Returns NULL without memory.
 */
struct rebali_row *rebali_fleet_touch(rebal_fleet *fleet, uint32_t row, uint32_t what);
/* what: bits of REBALI_READS_*. */
void rebali_fleet_changed(rebal_fleet *fleet, struct rebali_row *cell, uint32_t row, uint32_t what);
/* Sets a cell of a present row, and notes a change of its value. */
int32_t rebali_fleet_write(rebal_fleet *fleet, uint32_t column, uint32_t row, int64_t value, rebal_error *err);
int32_t rebali_fleet_present(const rebal_fleet *fleet, uint32_t cluster, rebal_error *err);
/*
 * Drops all nodes of the cluster but keeps HAS_NODES. If write is 0, only ensures that this cannot fail. REBAL_ENOMEM.
 */
int32_t rebali_fleet_drop_nodes(rebal_fleet *fleet, uint32_t cluster, int write);
/* Removes all amounts of a touched row; if write is 0, only makes their pages writable. Returns REBAL_ENOMEM. */
int32_t rebali_capacity_empty(rebal_fleet *fleet, struct rebali_row *changed, uint32_t row, int write);

/* ---- private: bindings (bindings.c) ---------------------------------------------------------------------------- */

/* Creates an empty set of bindings of the fleet with this store. */
int32_t rebali_bindings_new(struct rebali_store *store, const rebal_allocator *memory, rebal_bindings **out,
                            rebal_error *err);
/* Returns REBAL_EINVAL for NULL, REBAL_ESTATE if frozen. */
int32_t rebali_bindings_open(const rebal_bindings *bindings, rebal_error *err);

/* ---- private: parts of a ledger (ledger_accounts.c, ledger_sums.c) ----------------------------------------------- */

/* Holdings of one binding in one cluster. */
struct rebali_entry {
  uint32_t cluster;
  uint32_t set;    /* rebali_ledger_set() */
  uint32_t holder; /* index among the holders of the cluster */
};
/* Holdings of one binding. */
struct rebali_account {
  struct rebali_text key; /* bytes follow the account */
  rebal_time expiry;
  struct rebali_entry *entries;
  size_t n_entries;
  size_t capacity;
  size_t place; /* index in the list of accounts */
};
/* An account among others of the same hash or of neighbouring ones. */
struct rebali_account_slot {
  uint32_t hash;  /* low bits of the key's hash */
  uint32_t place; /* index in the list + 1; 0: empty */
};
/* All accounts: a list in no particular order, and a table by key. */
struct rebali_accounts {
  const rebal_allocator *allocator;
  struct rebali_account **list;
  size_t n; /* at most 2^31: 32 bits of a hash distinguish twice as many slots */
  size_t capacity;
  struct rebali_account_slot *slots; /* open addressing */
  size_t n_slots;
};
/* Returns the accounts of a ledger; NULL for none. */
const struct rebali_accounts *rebali_ledger_accounts(const rebal_ledger *ledger);
/* Returns the components of a set of the ledger; valid as long as the ledger. */
const struct rebali_component *rebali_ledger_set(const rebal_ledger *ledger, uint32_t set, size_t *n);
/* Returns what a replica takes, by the ledger's names; NULL: such requirements were never charged. */
const struct rebali_prices *rebali_ledger_prices(const rebal_ledger *ledger, uint32_t requirements);
struct rebali_account *rebali_accounts_find(const struct rebali_accounts *accounts, struct rebali_text key);
/* The key must not have an account. Returns NULL without memory. */
struct rebali_account *rebali_accounts_add(struct rebali_accounts *accounts, struct rebali_text key);
void rebali_accounts_remove(struct rebali_accounts *accounts, struct rebali_account *account);
void rebali_accounts_dispose(struct rebali_accounts *accounts);

/* What one replica takes of one resource. */
struct rebali_price {
  int64_t amount; /* as in struct rebali_charge */
  int64_t as_written;
  uint32_t name; /* id in the ledger's names */
  uint32_t reserved;
};
/* What one replica with some requirements takes. */
struct rebali_prices {
  size_t n;
  int gives; /* some amount is negative: a replica increases what remains */
  struct rebali_price prices[];
};
/* One resource name in requirements of the ledger. */
struct rebali_sum {
  struct rebali_wide amount; /* exact, so subtraction undoes addition; the next one too */
  struct rebali_wide as_written;
  uint32_t name;  /* id in the ledger's names */
  uint32_t users; /* requests that list it */
};
/* A binding that holds something in a cluster. */
struct rebali_holder {
  struct rebali_account *account;
  size_t entry; /* index in the account */
};
/* Everything charged to one cluster. */
struct rebali_spent_row {
  struct rebali_sum *sums;
  size_t n_sums;
  size_t sums_capacity;
  struct rebali_holder *holders; /* in no particular order */
  size_t n_holders;
  size_t holders_capacity;
  struct rebali_wide pods;
  uint64_t replaced; /* number of the last replacement that added to it */
};
/* By cluster id. */
struct rebali_sums {
  const rebal_allocator *allocator;
  struct rebali_store *store;
  struct rebali_intern *names;
  struct rebali_prices **prices; /* by handle of requirements; NULL: not read yet */
  size_t n_prices;
  size_t prices_capacity;
  struct rebali_spent_row *rows;
  size_t n;
  size_t capacity;
  struct rebali_spent_change *changes; /* by cluster id too */
  size_t changes_capacity;
  uint64_t falls;
  struct rebali_spent spent; /* a copy of the amounts of rows, adjacent for reading */
  struct rebali_journal journal;
};
/* Reserves memory for one more holder in the cluster's row. Returns REBAL_ENOMEM. */
int32_t rebali_sums_reserve(struct rebali_sums *sums, const struct rebali_claim *claim);
/* Adds (sign 1) or subtracts (sign -1) what a claim takes; memory for adding must be reserved. */
void rebali_sums_apply(struct rebali_sums *sums, const struct rebali_claim *claim, int sign);
void rebali_sums_dispose(struct rebali_sums *sums);

/* ---- private: the cache (cache.c) -------------------------------------------------------------------------------- */

/* A value of a context. */
struct rebali_cache_entry {
  struct rebali_cache_entry *next; /* of the same bucket */
  uint64_t hash;                   /* hash of the next three */
  struct rebali_store *fleet;      /* a reference, so no other fleet gets its address */
  const struct rebali_derived *kind;
  struct rebali_text key; /* bytes follow the entry */
  uint64_t changed;       /* version of the last change in the value, among those it reads */
  uint64_t call;          /* last call that used it */
  uint64_t placed;        /* call in which it was placed in the list */
  void *value;
  uint64_t bytes;
  struct rebali_cache_entry *newer;
  struct rebali_cache_entry *older;
};

/* Entries by (fleet, kind, key), in a list roughly in order of use. */
struct rebali_cache {
  struct rebali_cache_entry **buckets;
  size_t n_buckets; /* a power of two, or 0 */
  struct rebali_cache_entry *newest;
  struct rebali_cache_entry *oldest;
  uint64_t bytes;
  uint64_t entries;
  uint64_t max_bytes;
  uint64_t max_entries;
  uint64_t call; /* counts calls: entries used in the current one stay */
};

struct rebal_ctx {
  rebal_allocator allocator;
  struct rebali_arena scratch;
  struct rebali_cache cache;
  int keeps_nothing;
  int running;
};

static inline int rebali_cache_is_over(const struct rebali_cache *cache) {
  return cache->bytes > cache->max_bytes || cache->entries > cache->max_entries;
}
/* Drops entries until the limits are met; those used in this call only if also_used is set. */
void rebali_cache_trim(rebal_ctx *ctx, int also_used);
void rebali_cache_clear(rebal_ctx *ctx);

#endif
