/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/spread.h - private header of the module "workloadspread": a WorkloadSpread compiled, and its
 * current status.
 */
#ifndef REBALI_SPREAD_H
#define REBALI_SPREAD_H

#include "record/labels.h"
#include "fleet/fleet.h"
#include "workloadspread/pods.h"

/*
 * ---- int-or-string (max_replicas.c); rebalance-workloadspread(7) 2.1
 * -----------------------------------------------------
 */

/* A number, or a text, of which both readings are precomputed: with one "%" at its end, and without any. */
struct rebali_limit {
  int is_present;
  int is_text;
  int ends_in_percent;
  int scaled_fails; /* the reading failed */
  int legacy_fails;
  int64_t number; /* of an integer */
  int64_t scaled_percent;
  int64_t legacy_percent;
  int64_t integer; /* int_value(): 0 for a text that is not a number */
};
/* Reads the INT_OR_TEXT at a node; REBAL_NONE: it is missing. */
struct rebali_limit rebali_limit_read(const rebal_record *record, uint32_t node);
/* Returns 0 if the limit, which must exist, cannot be read. Saturates where the reference's doubles end. */
int rebali_limit_scaled(const struct rebali_limit *limit, int32_t total, int64_t *out);
int rebali_limit_legacy(const struct rebali_limit *limit, int32_t total, int64_t *out);

/* ---- the object (spread_spec.c); texts point into the record ----------------------------------------------------- */

struct rebali_subset {
  struct rebali_text name;
  struct rebali_limit maximum;
  struct rebali_limit minimum;
  uint32_t node;     /* of the SUBSET in the record */
  uint32_t required; /* NODE_SELECTOR_TERM, or REBAL_NONE */
  uint32_t patch;    /* RAW, or REBAL_NONE */
  uint32_t bucket;   /* the first subset of that name, which also gets the pods of this one */
};
struct rebali_spread_spec {
  rebal_record *object; /* a copy */
  size_t capacity;      /* bytes for it */
  struct rebali_text name, namespace_, resource_version;
  struct rebali_subset *subsets;
  size_t n_subsets;
  size_t subsets_capacity;
  uint32_t *by_name; /* only if there are many subsets: sorted by name; followed by scratch of the same size */
  size_t names_capacity;
  struct rebali_text target_group, target_kind, target_name; /* of spec.targetRef */
  int has_target;
  int target_is_malformed; /* more than one "/" in its apiVersion */
  uint32_t filter;         /* TARGET_FILTER, or REBAL_NONE */
  uint32_t selector;       /* LABEL_SELECTOR of it, or REBAL_NONE */
  int selector_fails;      /* some requirement of it is malformed */
  int is_stateful_set;     /* whatever the group of the target's kind */
  int is_deleting;
  int simulates;            /* adaptive, and disableSimulationSchedule is not set */
  int has_percent;          /* some limit is a text that ends in "%" */
  int takes_all;            /* there is only one subset, without a limit */
  int keeps_metadata;       /* annotation ignore-patch-existing-pods-metadata */
  int64_t critical_seconds; /* 0: not adaptive, or not set */
};
/* Compiles a copy of a WORKLOAD_SPREAD. After REBAL_ENOMEM the spec may only be loaded or disposed of. */
int32_t rebali_spread_spec_load(struct rebali_spread_spec *spec, const rebal_allocator *allocator,
                                const rebal_record *object);
void rebali_spread_spec_dispose(struct rebali_spread_spec *spec, const rebal_allocator *allocator);
/* Returns the first subset of that name, testing the likely one first; REBAL_NONE: none. */
uint32_t rebali_spread_spec_find(const struct rebali_spread_spec *spec, struct rebali_text name, size_t likely);
/* Reads the text before the one "/", empty if there is none; returns 0 if there are several. */
int rebali_api_group(struct rebali_text api_version, struct rebali_text *group);
/* Copies a record into memory that grows as needed. REBAL_ENOMEM. */
int32_t rebali_record_keep(const rebal_allocator *allocator, rebal_record **copy, size_t *capacity,
                           const rebal_record *record);

/*
 * ---- the current status (status.c, status_load.c, status_write.c, in_flight.c) -------------------------------------
 */

/* A pod in flight: in creatingPods or deletingPods of one entry. */
struct rebali_flight {
  struct rebali_text key;
  rebal_time since;
  uint32_t hash;
  uint32_t list;           /* REBALI_OVERALL, or the number of a list */
  uint32_t entry;          /* in the list */
  uint32_t is_deletion;    /* 0 or 1 */
  uint32_t next_of_entry;  /* the next older flight of the same entry and kind; REBAL_NONE: none */
  uint32_t next_of_bucket; /* the next older flight of the same bucket; REBAL_NONE: none */
};
/* One subset of a list, with the order and name of the status. */
struct rebali_entry_status {
  struct rebali_text name;
  uint32_t subset; /* index in spec of the subset with that name, or REBAL_NONE */
  uint32_t node;   /* SUBSET_STATUS in the status loaded last; REBAL_NONE: created since */
  int32_t replicas;
  int32_t missing;
  uint32_t first_flight[2]; /* creating, deleting */
  uint32_t n_flights[2];
  int is_false;       /* some condition Schedulable is False */
  int first_is_false; /* the first condition Schedulable is False */
};
enum rebali_list_state {
  REBALI_LIST_ABSENT,  /* the overall list if the status has none */
  REBALI_LIST_MADE,    /* made from spec without recorded pods: not part of the status yet */
  REBALI_LIST_EMPTIED, /* the same, but the status has the version, without subsets */
  REBALI_LIST_THERE
};
struct rebali_status_list {
  struct rebali_text version; /* empty for the overall list */
  struct rebali_entry_status *entries;
  size_t n;
  uint64_t *eligible; /* a bit for each entry: not false, and it lacks replicas or is unlimited */
  enum rebali_list_state state;
  int32_t made_for; /* replicas of the workload when the list was made */
  int changed;      /* since the status was loaded or the change was reported */
};
#define REBALI_OVERALL UINT32_MAX
#define REBALI_NOWHERE (UINT32_MAX - 1) /* no list */
#define REBALI_CREATING 0u
#define REBALI_DELETING 1u

struct rebali_spread_status {
  const rebal_allocator *allocator;
  const rebal_record *record; /* loaded last: own, or the object; NULL: none */
  uint32_t node;              /* SPREAD_STATUS in it, or REBAL_NONE */
  rebal_record *own;
  size_t capacity;
  struct rebali_arena arena; /* entries, and texts that are not in the record */
  struct rebali_status_list overall;
  struct rebali_status_list *lists; /* by number, in the order of creation */
  size_t n_lists;
  size_t lists_capacity;
  uint32_t *by_version; /* numbers of lists, sorted by bytes of the version */
  size_t order_capacity;
  uint32_t last; /* number of the list that was found last */
  struct rebali_flight *flights;
  size_t n_flights;
  size_t flights_capacity;
  uint32_t *buckets; /* newest flight by hash of the key; their number is a power of two or 0 */
  size_t n_buckets;
};

void rebali_status_init(struct rebali_spread_status *status, const rebal_allocator *allocator);
void rebali_status_dispose(struct rebali_spread_status *status);
/* Empties the status but keeps its memory. */
void rebali_status_clear(struct rebali_spread_status *status);
/*
 * Replaces the status by the SPREAD_STATUS at a node of a record, which must outlive it, or by none (REBAL_NONE). After
 * REBAL_ENOMEM the status may only be loaded or disposed of.
 */
int32_t rebali_status_load(struct rebali_spread_status *status, const struct rebali_spread_spec *spec,
                           const rebal_record *record, uint32_t node);
/*
 * Copies source, with all changes since its load, into a new status; record is the copy of source's. Errors as above.
 */
int32_t rebali_status_copy(struct rebali_spread_status *status, const struct rebali_spread_status *source,
                           const rebal_record *record);
/* Writes the fields of an open SPREAD_STATUS: all, or only versions that changed. The builder keeps failures. */
void rebali_status_write(const struct rebali_spread_status *status, int is_whole, rebal_builder *builder);
/* Writes the pods in flight of an entry into an open SUBSET_STATUS. */
void rebali_status_write_flights(const struct rebali_spread_status *status, const struct rebali_entry_status *entry,
                                 rebal_builder *builder);

/* Returns the number of a version's list, including made ones, or REBAL_NONE. The overall list has no number. */
uint32_t rebali_status_find(struct rebali_spread_status *status, struct rebali_text version);
struct rebali_status_list *rebali_status_list(struct rebali_spread_status *status, uint32_t number);
/* Adds a list without entries. version must outlive the status. REBAL_ENOMEM: unchanged. */
int32_t rebali_status_add_list(struct rebali_spread_status *status, struct rebali_text version, uint32_t *number);
/* Allocates entries of a list; only the memory of their bits is set. REBAL_ENOMEM: unchanged. */
int32_t rebali_status_add_entries(struct rebali_spread_status *status, struct rebali_status_list *list, size_t n);
/* Makes the list of a version from spec (3.6) for the given replicas of the workload. REBAL_ENOMEM: unchanged. */
int32_t rebali_status_make_list(struct rebali_spread_status *status, const struct rebali_spread_spec *spec,
                                struct rebali_text version, int32_t replicas, uint32_t *number);
/* The same for an existing list without recorded pods. */
int32_t rebali_status_remake_list(struct rebali_spread_status *status, const struct rebali_spread_spec *spec,
                                  uint32_t number, int32_t replicas);
/*
 * Aligns a list with the subsets of spec. New subsets get fresh entries; pods in flight in removed ones are no longer
 * found. Indexes of entries change: earlier changes cannot be undone. REBAL_ENOMEM: unchanged.
 */
int32_t rebali_status_align(struct rebali_spread_status *status, const struct rebali_spread_spec *spec, uint32_t number,
                            int32_t replicas);
/* Returns missingReplicas of a subset in a list without recorded pods. */
int32_t rebali_status_capacity(const struct rebali_limit *maximum, int32_t replicas);
/* Sets missingReplicas of an entry, and its bit. */
void rebali_status_set_missing(struct rebali_status_list *list, size_t entry, int32_t missing);

/* Returns the first entry of a list, by its order, that has the name in flight, or REBAL_NONE. */
uint32_t rebali_flight_find(const struct rebali_spread_status *status, uint32_t list, struct rebali_text key);
/* Returns the flight with that key in creatingPods or deletingPods of an entry, or REBAL_NONE. */
uint32_t rebali_flight_of(const struct rebali_spread_status *status, uint32_t list, uint32_t entry,
                          uint32_t is_deletion, struct rebali_text key);
/* Adds a flight, which must not exist yet. key must outlive the status. REBAL_ENOMEM: unchanged. */
int32_t rebali_flight_add(struct rebali_spread_status *status, uint32_t list, uint32_t entry, uint32_t is_deletion,
                          struct rebali_text key, const rebal_time *since);
/* Removes the flight that was added last. */
void rebali_flight_undo(struct rebali_spread_status *status);
void rebali_flight_clear(struct rebali_spread_status *status);
int32_t rebali_flight_copy(struct rebali_spread_status *status, const struct rebali_spread_status *source);

/* ---- the handle (spread.c) ----------------------------------------------------------------------- */

struct rebal_spread {
  rebal_allocator allocator;
  struct rebali_spread_spec spec;
  struct rebali_spread_status status;
  struct rebali_row_set facts; /* of the workload: one row of SPREAD_WORKLOAD */
  struct rebali_table fact_table;
  struct rebal_cells handle;
  /* Target of the next load, so that a failed load changes nothing and most loads need no new memory. */
  struct rebali_spread_spec next_spec;
  struct rebali_spread_status next_status;
  rebal_builder *builder; /* of actions, kept for its memory; NULL: not created yet */
};

/* Creates the builder if it does not exist. */
int32_t rebali_spread_open_builder(rebal_spread *spread, rebal_error *err);

/* Returns REBAL_SPREAD_WORKLOAD_*, an integer or a text. */
static inline int64_t rebali_fact(const rebal_spread *spread, uint32_t column) {
  return rebali_table_i64(&spread->fact_table, column, 0);
}
static inline struct rebali_text rebali_fact_text(const rebal_spread *spread, uint32_t column) {
  return rebali_table_text(&spread->fact_table, column, 0);
}
/* Replaces the status by a copy of a SPREAD_STATUS (NULL: none). REBAL_ENOMEM: unchanged. */
int32_t rebali_spread_put_status(rebal_spread *spread, const rebal_record *status);

/* ---- versions and owners (version.c, owners.c); rebalance-workloadspread(7) 2.2 to 2.5 ----------------------- */

#define REBALI_VERSION_IGNORED REBALI_TEXT("versionIgnored")

/* Returns whether pods of this kind of controller are distinguished by version. */
int rebali_kind_is_tracked(const rebal_compat *compat, struct rebali_text kind);
struct rebali_text rebali_pod_version(const rebal_pods *pods, const rebal_compat *compat, uint32_t row);
/* The same for a pod whose controller's kind is tracked. */
struct rebali_text rebali_version_of_label(const rebal_pods *pods, uint32_t row);
int rebali_pod_is_active(const rebal_pods *pods, uint32_t row);
/* Returns the row of the pod's controller, or REBAL_NONE. */
uint32_t rebali_pod_owner(const rebal_pods *pods, uint32_t row);

enum rebali_referral {
  REBALI_REFERS,
  REBALI_REFERS_NOT,
  REBALI_REFERS_MISSING, /* an object of the chain is missing */
  REBALI_REFERS_UNKNOWN, /* the state of an object of the chain is unknown */
  REBALI_REFERS_ERROR,
  REBALI_REFERS_FURTHER /* only used in owners.c */
};
/* Returns whether the owner leads to the spread's target. *owner becomes the row that decided it. */
enum rebali_referral rebali_spread_refers(const struct rebali_spread_spec *spec, const rebal_pods *pods,
                                          const rebal_record *white_list, uint32_t *owner);
/* Returns whether pods of this kind of owner are injected. */
int rebali_owner_is_supported(const rebal_pods *pods, const rebal_record *white_list, uint32_t owner);
/* Returns whether the target filter selects the pod. A malformed filter selects none. */
int rebali_spread_selects(const struct rebali_spread_spec *spec, const rebal_pods *pods, uint32_t row,
                          int at_admission);

#endif
