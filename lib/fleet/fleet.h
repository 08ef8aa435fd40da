/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/fleet.h - private header of the room "fleet": reading snapshots (snapshot.h), bindings and ledgers, and
 * the cache of what is derived from them.
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
  size_t room_for_parents[REBALI_BINDING_TABLES];
  uint32_t *first_child[REBALI_BINDING_TABLES]; /* frozen: by binding, one more than there are; NULL without children */
  uint32_t *children[REBALI_BINDING_TABLES];    /* frozen: rows by parent */
  uint32_t *members[REBALI_BINDING_GROUPS];     /* frozen: bindings of a namespace by group, then by row */
  size_t n_members[REBALI_BINDING_GROUPS];
  uint32_t needed_rows; /* frozen: cluster ids are below this */
};

/* Bindings in the set; NULL is an empty one. */
static inline size_t rebali_bindings_size(const rebal_bindings *bindings) {
  return bindings == NULL ? 0 : bindings->tables[0].rows;
}
/* The column is one of a table of bindings, the row is there. */
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
/* Rows of a child table that belong to a binding, in the order they were added. */
static inline const uint32_t *rebali_bindings_children(const rebal_bindings *bindings, uint32_t table, uint32_t binding,
                                                       size_t *n) {
  const uint32_t index = table - REBAL_TABLE_BINDING;
  const uint32_t *first = bindings->first_child[index];

  *n = first == NULL ? 0 : first[binding + 1] - first[binding];
  return first == NULL ? NULL : bindings->children[index] + first[binding];
}
/* Lists the members of groups, for rebali_bindings_group(). REBAL_ENOMEM. binding_groups.c */
int32_t rebali_bindings_list_groups(rebal_bindings *bindings);
void rebali_bindings_drop_groups(rebal_bindings *bindings);
/* Bindings of a namespace whose cell in one of the two columns is this text, in their order; none of an empty text. */
const uint32_t *rebali_bindings_group(const rebal_bindings *bindings, uint32_t column, struct rebali_text group,
                                      size_t *n);
/*
 * Every call that takes bindings and a snapshot checks them with this: both there, frozen, of one fleet, and cluster
 * ids of targets, tasks and status items below the snapshot's rows (else REBAL_EINVAL, REBAL_ESTATE, REBAL_EMISMATCH).
 */
int32_t rebali_bindings_check(const rebal_bindings *bindings, const rebal_snapshot *snapshot, rebal_error *err);
/* Frozen and of a fleet, as rebali_snapshot_fleet() names it. */
int32_t rebali_bindings_check_fleet(const rebal_bindings *bindings, const void *fleet, rebal_error *err);
/* An action on the object of a binding's row: kind, object reference and row are set. */
struct rebali_action rebali_bindings_action(const rebal_bindings *bindings, uint32_t row, int64_t kind);
/* The same about the resource that the binding is for; its name may be empty. */
struct rebali_action rebali_bindings_resource_action(const rebal_bindings *bindings, uint32_t row, int64_t kind);

/*
 * ---- ledger (ledger.c); rebalance-karmada(7) 6.6
 * -------------------------------------------------------------------------
 */

/* Replicas of one pod template. */
struct rebali_component {
  uint32_t requirements; /* a handle, or REBAL_NONE */
  int32_t replicas;      /* not negative */
};
/* What is charged to a cluster under one resource name; saturating. */
struct rebali_charge {
  int64_t amount;     /* cpu in thousandths, other names in units (6.6) */
  int64_t as_written; /* decimal notations in thousandths, binary ones in units (6.4) */
};
/* An empty one of the fleet that has the store. */
int32_t rebali_ledger_new(const rebal_allocator *allocator, struct rebali_store *store, rebal_ledger **out,
                          rebal_error *err);
/* NULL ledger: nothing. Readers change nothing: any number of them at a time. */
struct rebali_charge rebali_ledger_charge(const rebal_ledger *ledger, uint32_t cluster, struct rebali_text name);
/* Replicas charged to the cluster in all. */
int64_t rebali_ledger_pods(const rebal_ledger *ledger, uint32_t cluster);
/* Names of resources that were ever charged, by index. */
uint32_t rebali_ledger_names(const rebal_ledger *ledger);
struct rebali_text rebali_ledger_name(const rebal_ledger *ledger, uint32_t index);
/* Index of a name; REBAL_NONE when it was never charged. */
uint32_t rebali_ledger_find_name(const rebal_ledger *ledger, struct rebali_text name);
/* Does the cluster carry any charge? */
int rebali_ledger_touches(const rebal_ledger *ledger, uint32_t cluster);
const void *rebali_ledger_fleet(const rebal_ledger *ledger);
/*
 * Who a ledger is, also when it is gone: as long as somebody keeps a reference, no other one has the same address.
 * identity.c
 */
struct rebali_identity;
int32_t rebali_identity_new(struct rebali_store *store, struct rebali_identity **out);
struct rebali_identity *rebali_identity_ref(struct rebali_identity *identity);
void rebali_identity_unref(struct rebali_identity *identity);
struct rebali_identity *rebali_ledger_identity(const rebal_ledger *ledger);
/*
 * What happened to a cluster's charges, counted: at first 0, in the end always UINT32_MAX. `fallen` is the version at
 * which one may last have become less.
 */
struct rebali_spent_change {
  uint32_t version;
  uint32_t fallen;
};
/* By cluster id, *n of them; behind them no cluster was ever charged. *falls: how often some charge may have fallen. */
const struct rebali_spent_change *rebali_ledger_changes(const rebal_ledger *ledger, uint32_t *n, uint64_t *falls);
/* The clusters whose charges changed, in that order, n so far: entry i is at i % REBALI_JOURNAL_KEEPS for a while. */
#define REBALI_JOURNAL_KEEPS 1024u
struct rebali_journal {
  uint64_t n;
  uint32_t clusters[REBALI_JOURNAL_KEEPS];
};
const struct rebali_journal *rebali_ledger_journal(const rebal_ledger *ledger);
/*
 * What is charged, by cluster id in whole pages: rows of a stride, in which the replicas come first, each of which is a
 * pod, and then the amounts by name; saturating, in the unit of rebali_charge.amount. Behind n rows there is nothing.
 */
struct rebali_spent {
  int64_t *amounts;
  size_t n;
  size_t stride; /* more than there are names */
  size_t capacity;
};
/* That of a ledger, for as long as nothing is charged. */
const struct rebali_spent *rebali_ledger_spent(const rebal_ledger *ledger);
static inline int64_t rebali_spent_pods(const struct rebali_spent *spent, uint32_t cluster) {
  return cluster < spent->n ? spent->amounts[cluster * spent->stride] : 0;
}
/* REBAL_NONE is the index of no name. */
static inline int64_t rebali_spent_amount(const struct rebali_spent *spent, uint32_t cluster, uint32_t name) {
  return cluster < spent->n && name != REBAL_NONE ? spent->amounts[cluster * spent->stride + 1 + name] : 0;
}
/* What one binding holds in one cluster. */
struct rebali_holding {
  struct rebali_text key;
  const struct rebali_component *components; /* of one set; some have replicas */
  size_t n_components;
};
/* All that is held in a cluster, by key, in memory of the arena. REBAL_ENOMEM without filling an error. */
int32_t rebali_ledger_holdings(const rebal_ledger *ledger, uint32_t cluster, struct rebali_arena *arena,
                               const struct rebali_holding **holdings, size_t *n);
/* One set of components to be held in a cluster; without any replicas nothing. */
struct rebali_claim {
  uint32_t cluster;
  const struct rebali_component *components;
  size_t n_components;
};
/*
 * Replaces all that the key holds. A cluster named twice: the last claim. Ids and handles are the fleet's. REBAL_ENOMEM
 * without filling an error: the ledger is as it was.
 */
int32_t rebali_ledger_replace(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claim *claims, size_t n,
                              const rebal_time *expiry);
/*
 * The same of claims that are not made: the ledger learns their components and prices, and they become what a key with
 * them would hold; those without replicas go. REBAL_ENOMEM without filling an error.
 */
int32_t rebali_ledger_know(rebal_ledger *ledger, struct rebali_claim *claims, size_t *n);
/* What a key held in a cluster, for who takes a charge back. */
struct rebali_held {
  uint32_t set; /* REBAL_NONE: nothing */
  rebal_time expiry;
};
/* Replaces what the key holds in the cluster of a claim that is not empty, for the whole key's new expiry. As above. */
int32_t rebali_ledger_put(rebal_ledger *ledger, struct rebali_text key, const struct rebali_claim *claim,
                          const rebal_time *expiry, struct rebali_held *before);
/* As it was before the last charge that was put and is not taken back yet; needs no memory. */
void rebali_ledger_put_back(rebal_ledger *ledger, struct rebali_text key, uint32_t cluster,
                            const struct rebali_held *before);

/* ---- context and cache (ctx.c, cache.c) -------------------------------------------------------------------------- */

/* Scratch of the running call: emptied by rebali_ctx_begin() and rebali_ctx_resume(). */
struct rebali_arena *rebali_ctx_scratch(rebal_ctx *ctx);
const rebal_allocator *rebali_ctx_allocator(const rebal_ctx *ctx);
/*
 * Start and end of a public call. Between them cached values stay where they are. REBAL_EINVAL for NULL, REBAL_ESTATE
 * when a call is running.
 */
int32_t rebali_ctx_begin(rebal_ctx *ctx, rebal_error *err);
/* As begin, of a context that was begun with and ended before in the same public call. */
void rebali_ctx_resume(rebal_ctx *ctx);
void rebali_ctx_end(rebal_ctx *ctx);

/*
 * Kinds of derived values. A key is the bytes of what the value is made for, aligned as their type wants. build makes
 * the value for a key from a snapshot; update re-evaluates some rows of a value made from an older snapshot of the same
 * fleet: in no order, a row perhaps several times, and all rows of the newer snapshot that the value does not cover are
 * among them. bytes tells its size, which may grow while it is used. A failed update leaves a value that will be
 * destroyed. reads: which changes of a row concern the value; when there were none, update is not called. renew (may be
 * NULL): re-evaluates all rows of a value made from an older snapshot, where too many changed to be named; without it
 * the value is built anew.
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
 * The value of (kind, key) for exactly this snapshot, from the cache, brought up to date, or built. It stays valid
 * until rebali_ctx_end() or until the same key is asked for with another snapshot. Eviction by the context's limits:
 * first what was not used for long.
 */
int32_t rebali_cache_get(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_derived *kind,
                         struct rebali_text key, void **value, rebal_error *err);

/* ---- options (compat.c) ------------------------------------------------------------------------------------------ */

/* By number; 0 where no option has the number. */
static const int64_t rebali_compat_defaults[] = {
#define REBAL_OPTION(name, number, absent, text, meaning) [number] = (absent),
#include "rebalance/options.def"
#undef REBAL_OPTION
};
struct rebal_compat {
  rebal_allocator allocator;
  int64_t values[REBALI_COUNT(rebali_compat_defaults)]; /* likewise */
};

/* Value of an option, 0 when there is none of that number; NULL: default. */
static inline int64_t rebali_compat_value(const rebal_compat *compat, uint32_t option) {
  const int64_t *values = compat == NULL ? rebali_compat_defaults : compat->values;

  return option < REBALI_COUNT(rebali_compat_defaults) ? values[option] : 0;
}

/* ---- fingerprints (fingerprint.c) -------------------------------------------------------------------------------- */

/* The content of a snapshot (an object_part of rebali_result_sign()). */
struct rebali_fingerprint rebali_snapshot_fingerprint(const void *snapshot);
/* The same of a call that reads neither nodes nor what is beside them: as if none were known. */
struct rebali_fingerprint rebali_clusters_fingerprint(const void *snapshot);
/* The nodes of a cluster, nothing when none is known; node_read.c. */
void rebali_digest_nodes(struct rebali_digest *digest, const rebal_snapshot *snapshot, uint32_t cluster);
/* Its rows in other tables, nothing when there are none; rows_read.c. */
void rebali_digest_rows(struct rebali_digest *digest, const rebal_snapshot *snapshot, uint32_t cluster);
/* The content of frozen bindings, rows first to end. */
void rebali_digest_bindings(struct rebali_digest *digest, const rebal_bindings *bindings, size_t first, size_t end);
/* Options that are not at their defaults. */
void rebali_digest_compat(struct rebali_digest *digest, const rebal_compat *compat);
void rebali_digest_time(struct rebali_digest *digest, const rebal_time *time);
/* What is charged, in whatever order it was; NULL is the same as nothing. */
struct rebali_fingerprint rebali_ledger_fingerprint(const rebal_ledger *ledger);

/* ---- inside the room: what a cell takes (column.c) --------------------------------------------------------------- */

/* type: REBAL_TYPE_TEXT, REBAL_TYPE_TIME, or REBAL_TYPE_INT64 for all that are set and read as integers. */
int rebali_column_is_set_as(const struct rebali_field_info *info, uint32_t type);
int32_t rebali_column_check(uint32_t column, uint32_t table, uint32_t type, const struct rebali_field_info **info,
                            rebal_error *err);
/* Is it an id of a cluster or a handle? Those are kept as REBALI_KEPT_ABSENT says. */
static inline int rebali_column_is_id(const struct rebali_field_info *info) {
  return info->type == REBAL_TYPE_CLUSTER || info->type == REBAL_TYPE_HANDLE;
}
/* Does it hold the name under which a row was added? */
static inline int rebali_column_is_name(uint32_t column) {
  return column == REBAL_CLUSTER_NAME || column == REBAL_NODE_NAME || column == REBAL_RESOURCE_NAME;
}
/* What a caller's value is kept as; REBAL_ERANGE, REBAL_EINVAL: the column does not take it. */
int32_t rebali_column_take(const struct rebali_field_info *info, const struct rebali_store *store, uint32_t row,
                           int64_t value, int64_t *kept, rebal_error *err);
/* What a caller gets for what a cell holds. */
static inline int64_t rebali_column_given(const struct rebali_field_info *info, int64_t kept) {
  return kept == (int64_t)REBAL_NONE && rebali_column_is_id(info) ? REBAL_ABSENT : kept;
}
/* Text i of a block; REBAL_EINVAL when the offsets fall. */
int32_t rebali_column_text(const char *bytes, const uint32_t *offsets, size_t i, int64_t where,
                           struct rebali_text *text, rebal_error *err);

/* ---- inside the room: the fleet (fleet.c) ------------------------------------------------------------------------ */

struct rebal_fleet {
  struct rebali_store *store;
  struct rebal_cells handle;
  struct rebali_state state;
  size_t room_for_capacities;
  struct rebali_log logs[REBALI_READS_ALL]; /* for each way to read: [reads - 1] */
  uint64_t version;                         /* of the last snapshot */
  struct rebali_order *names;               /* as of the last snapshot, or NULL; the same for the next two */
  struct rebali_order *resources;
  struct rebali_order *clusters; /* present rows by name */
  int membership_changed;
  uint32_t *unordered; /* rows whose nodes came, went or moved to another zone since the last snapshot */
  size_t n_unordered;
  size_t room_for_unordered;
  struct rebali_takes **takes; /* what pods take, by handle of POD_RESOURCES + 1; NULL: not asked for yet */
  size_t n_takes;
  size_t room_for_takes;
};

/* What a pod takes of its node; the pod itself is one of "pods". */
struct rebali_take {
  int64_t amount; /* at least 0: thousandths of cpu, units of all else */
  uint32_t resource;
  uint32_t reserved;
};
struct rebali_takes {
  size_t n;
  struct rebali_take takes[];
};
/* resources: a handle or REBAL_NONE. REBAL_ERANGE: a negative request, or they are beyond int64; REBAL_ENOMEM. */
int32_t rebali_fleet_takes(rebal_fleet *fleet, uint32_t resources, const struct rebali_takes **takes, rebal_error *err);

/* Gets a row ready for a change of what: after it, one such rebali_fleet_changed() cannot fail. NULL: no memory. */
struct rebali_row *rebali_fleet_touch(rebal_fleet *fleet, uint32_t row, uint32_t what);
/* what: bits of REBALI_READS_*. */
void rebali_fleet_changed(rebal_fleet *fleet, struct rebali_row *cell, uint32_t row, uint32_t what);
/* Sets a cell of a present row, noting a change if it is one. */
int32_t rebali_fleet_write(rebal_fleet *fleet, uint32_t column, uint32_t row, int64_t value, rebal_error *err);
int32_t rebali_fleet_present(const rebal_fleet *fleet, uint32_t cluster, rebal_error *err);
/* The cluster is as before its first node, HAS_NODES apart; with write 0 that only cannot fail then. REBAL_ENOMEM. */
int32_t rebali_fleet_drop_nodes(rebal_fleet *fleet, uint32_t cluster, int write);
/* Removes all amounts of a row that was touched; with write 0 only makes their pages writable. REBAL_ENOMEM. */
int32_t rebali_capacity_empty(rebal_fleet *fleet, struct rebali_row *changed, uint32_t row, int write);

/* ---- inside the room: bindings (bindings.c) -------------------------------------------------------------------- */

/* An empty set of bindings of a fleet, which has the store. */
int32_t rebali_bindings_new(struct rebali_store *store, const rebal_allocator *memory, rebal_bindings **out,
                            rebal_error *err);
/* REBAL_EINVAL for NULL, REBAL_ESTATE once frozen. */
int32_t rebali_bindings_open(const rebal_bindings *bindings, rebal_error *err);

/* ---- inside the room: parts of a ledger (ledger_accounts.c, ledger_sums.c) --------------------------------------- */

/* What one binding holds in one cluster. */
struct rebali_entry {
  uint32_t cluster;
  uint32_t set;    /* rebali_ledger_set() */
  uint32_t holder; /* index among the holders of the cluster */
};
/* What one binding holds. */
struct rebali_account {
  struct rebali_text key; /* bytes follow the account */
  rebal_time expiry;
  struct rebali_entry *entries;
  size_t n_entries;
  size_t capacity;
  size_t place; /* in the list of accounts */
};
/* An account among others of the same hash or of neighbouring ones. */
struct rebali_account_slot {
  uint32_t hash;  /* low bits of the key's */
  uint32_t place; /* in the list, from 1; 0: empty */
};
/* All accounts: a list in no particular order, and a table by key. */
struct rebali_accounts {
  const rebal_allocator *allocator;
  struct rebali_account **list;
  size_t n; /* at most 2^31: twice as many slots are told apart by 32 bits of a hash */
  size_t capacity;
  struct rebali_account_slot *slots; /* open addressing */
  size_t n_slots;
};
/* Those of a ledger; NULL for none. */
const struct rebali_accounts *rebali_ledger_accounts(const rebal_ledger *ledger);
/* The components of a set of the ledger's; valid as long as it. */
const struct rebali_component *rebali_ledger_set(const rebal_ledger *ledger, uint32_t set, size_t *n);
/* What a replica takes, by the ledger's names; NULL: none with such requirements was ever charged. */
const struct rebali_prices *rebali_ledger_prices(const rebal_ledger *ledger, uint32_t requirements);
struct rebali_account *rebali_accounts_find(const struct rebali_accounts *accounts, struct rebali_text key);
/* The key has no account yet. NULL: no memory. */
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
  int gives; /* some amount is negative: who takes it leaves more than there was */
  struct rebali_price prices[];
};
/* One resource name that requirements of the ledger state. */
struct rebali_sum {
  struct rebali_wide amount; /* exact, so that taking away undoes adding; the next one too */
  struct rebali_wide as_written;
  uint32_t name;  /* id in the ledger's names */
  uint32_t users; /* requests that state it */
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
  size_t room_for_sums;
  struct rebali_holder *holders; /* in no particular order */
  size_t n_holders;
  size_t room_for_holders;
  struct rebali_wide pods;
  uint64_t replaced; /* the last replacing that added to it */
};
/* By cluster id. */
struct rebali_sums {
  const rebal_allocator *allocator;
  struct rebali_store *store;
  struct rebali_intern *names;
  struct rebali_prices **prices; /* by handle of requirements; NULL: not asked for yet */
  size_t n_prices;
  size_t room_for_prices;
  struct rebali_spent_row *rows;
  size_t n;
  size_t capacity;
  struct rebali_spent_change *changes; /* by cluster id too */
  size_t room_for_changes;
  uint64_t falls;
  struct rebali_spent spent; /* the amounts of rows once more, side by side to be read */
  struct rebali_journal journal;
};
/* Makes room for one more holder in the cluster's row. REBAL_ENOMEM. */
int32_t rebali_sums_reserve(struct rebali_sums *sums, const struct rebali_claim *claim);
/* Adds (sign 1) or takes away (sign -1) what a claim spends; for adding room was made. */
void rebali_sums_apply(struct rebali_sums *sums, const struct rebali_claim *claim, int sign);
void rebali_sums_dispose(struct rebali_sums *sums);

/* ---- inside the room: the cache (cache.c) ------------------------------------------------------------------------ */

/* A value of a context. */
struct rebali_cache_entry {
  struct rebali_cache_entry *next; /* of the same bucket */
  uint64_t hash;                   /* of the next three */
  struct rebali_store *fleet;      /* a reference, so that no other fleet gets its address */
  const struct rebali_derived *kind;
  struct rebali_text key; /* bytes follow the entry */
  uint64_t changed;       /* version of the last change that the value knows of, among those it reads */
  uint64_t call;          /* last call that used it */
  uint64_t placed;        /* call in which it got its place in the list */
  void *value;
  uint64_t bytes;
  struct rebali_cache_entry *newer;
  struct rebali_cache_entry *older;
};

/* Entries by (fleet, kind, key), and all of them roughly in the order of their use. */
struct rebali_cache {
  struct rebali_cache_entry **buckets;
  size_t n_buckets; /* a power of two, or 0 */
  struct rebali_cache_entry *newest;
  struct rebali_cache_entry *oldest;
  uint64_t bytes;
  uint64_t entries;
  uint64_t max_bytes;
  uint64_t max_entries;
  uint64_t call; /* counts calls: entries used in this one stay */
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
/* Drops entries until the limits hold; those used in this call only when also_used. */
void rebali_cache_trim(rebal_ctx *ctx, int also_used);
void rebali_cache_clear(rebal_ctx *ctx);

#endif
