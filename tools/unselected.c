/* SPDX-License-Identifier: MIT */
/* Workloads for which the detector does not create or update a binding, by the reason. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 5

/* Texts for one and for several objects with an outcome, in the order of output. */
static const struct reason {
  uint32_t outcome;
  const char *one, *several;
} reasons[] = {
    {REBAL_DETECTOR_OUTCOME_WAITING, "is selected by no policy", "are selected by no policy"},
    {REBAL_DETECTOR_OUTCOME_NAMESPACE, "is in a namespace that is not propagated",
     "are in namespaces that are not propagated"},
    {REBAL_DETECTOR_OUTCOME_API, "is of an API that is not propagated", "are of APIs that are not propagated"},
    {REBAL_DETECTOR_OUTCOME_CLAIMED_BY, "is propagated by the object that claims it",
     "are propagated by objects that claim them"},
    {REBAL_DETECTOR_OUTCOME_UNMATCHED, "is claimed by a policy that does not select it",
     "are claimed by policies that do not select them"},
    {REBAL_DETECTOR_OUTCOME_DELETING, "is claimed by a policy that is being deleted",
     "are claimed by policies that are being deleted"},
    {REBAL_DETECTOR_OUTCOME_WAITING_OVERRIDES, "waits for an override that its policy depends on",
     "wait for overrides that their policies depend on"},
    {REBAL_DETECTOR_OUTCOME_LAZY, "waits for its user to change it, as its policy is Lazy",
     "wait for their users to change them, as their policies are Lazy"},
    {REBAL_DETECTOR_OUTCOME_DONE, "shares the name of its binding with another",
     "share the names of their bindings with others"},
    {REBAL_DETECTOR_OUTCOME_ERROR, "has a policy that cannot be applied", "have policies that cannot be applied"},
};

enum { REASONS = sizeof reasons / sizeof reasons[0] };

/*
 * Kinds with a special meaning: Events are not propagated, a PriorityClass is read if a policy names it, and
 * UnschedulableReplicas contain the results of estimators.
 */
static const char *const special_kinds[] = {"Event", "PriorityClass", "UnschedulableReplicas"};

int is_workload_kind(const struct world *world, uint32_t object) {
  static const char own[] = "karmada.io";
  const char *version = world_text(world, object, "apiVersion");
  const size_t group = strcspn(version, "/"), own_len = sizeof own - 1;
  if (group >= own_len && strncmp(version + group - own_len, own, own_len) == 0) {
    return 0;
  }
  for (size_t i = 0; i < sizeof special_kinds / sizeof special_kinds[0]; i++) {
    if (strcmp(world_text(world, object, "kind"), special_kinds[i]) == 0) {
      return 0;
    }
  }
  return 1;
}

static int is_deleting(const struct world *world, uint32_t object) {
  return world_text(world, object, "metadata.deletionTimestamp")[0] != '\0';
}

/* ---- existing bindings ---- */

/* The binding of a namespace and name, or REBAL_NONE. */
static uint32_t find_binding(const struct world *world, const char *namespace_, const char *name) {
  const char *kind = namespace_[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding";
  return rebal_store_find(world->store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
}

/* Rows of bindings by object, to avoid reading their members again. */
struct rows {
  uint32_t *at; /* REBAL_NONE: none */
  size_t n;
};

static int rows_open(struct rows *rows, const struct world *world) {
  const rebal_cells *cells = rebal_bindings_const_cells(world->known);
  const size_t n = rebal_cells_count(cells, REBAL_TABLE_BINDING, REBAL_NONE);
  uint32_t object = REBAL_NONE;
  rows->n = 0;
  while ((object = rebal_store_next(world->store, "", 0, object)) != REBAL_NONE) {
    rows->n = object >= rows->n ? (size_t)object + 1 : rows->n;
  }
  rows->at = malloc((rows->n + 1) * sizeof *rows->at);
  if (rows->at == NULL) {
    return 0;
  }
  memset(rows->at, 0xFF, rows->n * sizeof *rows->at); /* REBAL_NONE */
  for (uint32_t row = 0; row < n; row++) {
    object = find_binding(world, rebal_cells_get_text(cells, REBAL_BINDING_NAMESPACE, REBAL_NONE, row, NULL),
                          rebal_cells_get_text(cells, REBAL_BINDING_NAME, REBAL_NONE, row, NULL));
    if (object != REBAL_NONE) {
      rows->at[object] = row;
    }
  }
  return 1;
}

/* Is the text of the binding equal to that of the workload? */
static int is_same(const struct world *world, const struct rows *rows, uint32_t binding, uint32_t column,
                   const char *path, const char *text) {
  const rebal_cells *cells = rebal_bindings_const_cells(world->known);
  const uint32_t row = rows->at[binding];
  return strcmp(row != REBAL_NONE ? rebal_cells_get_text(cells, column, REBAL_NONE, row, NULL)
                                  : world_text(world, binding, path),
                text) == 0;
}

/* The name of the binding of a workload, which the caller frees; NULL if out of memory. */
static char *binding_name(const char *name, const char *kind) {
  size_t len = 0;
  char *made;
  (void)rebal_binding_name(name, strlen(name), kind, strlen(kind), NULL, 0, &len, NULL);
  made = malloc(len + 1);
  if (made != NULL && rebal_binding_name(name, strlen(name), kind, strlen(kind), made, len + 1, &len, NULL) < 0) {
    free(made);
    made = NULL;
  }
  return made;
}

/* Does the workload have a binding, from a policy or from the files? */
static int has_binding(const struct world *world, const struct rows *rows, uint32_t object, int *failed) {
  char *name = binding_name(world_text(world, object, "metadata.name"), world_text(world, object, "kind"));
  const uint32_t binding =
      name != NULL ? find_binding(world, world_text(world, object, "metadata.namespace"), name) : REBAL_NONE;
  *failed |= name == NULL;
  free(name);
  return binding != REBAL_NONE &&
         is_same(world, rows, binding, REBAL_BINDING_RESOURCE_API_VERSION, "spec.resource.apiVersion",
                 world_text(world, object, "apiVersion")) &&
         is_same(world, rows, binding, REBAL_BINDING_RESOURCE_KIND, "spec.resource.kind",
                 world_text(world, object, "kind"));
}

/* ---- the lines ---- */

/* The objects of one reason. */
struct reported {
  struct output names;
  size_t n;
};

static size_t reason_of(uint32_t outcome) {
  size_t i = 0;
  while (i + 1 < REASONS && reasons[i].outcome != outcome) {
    i++;
  }
  return i;
}

/* The message of the detector, such as what is missing. */
static void put_message(struct output *out, const rebal_detector_row *row) {
  if (row->message[0] != '\0') {
    put(out, " (");
    put_escaped(out, row->message);
    put(out, ")");
  }
}

static enum status note(const struct world *world, uint32_t object, struct reported *reported) {
  rebal_detector_row row = {.struct_size = sizeof row};
  rebal_error err = REBAL_ERROR_INIT;
  struct reported *one;
  if (rebal_detector_look(world->detector, object, &row, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  one = &reported[reason_of(row.outcome)];
  if (one->n++ < MAX_NAMES) {
    put(&one->names, one->n > 1 ? ", " : " ");
    put_object(&one->names, world, object);
    put_message(&one->names, &row);
  }
  return STATUS_DONE;
}

enum status report_unbound(const struct world *world, uint32_t object, struct output *out) {
  rebal_detector_row row = {.struct_size = sizeof row};
  rebal_error err = REBAL_ERROR_INIT;
  if (rebal_detector_look(world->detector, object, &row, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  put_object(out, world, object);
  put(out, " ");
  put(out, reasons[reason_of(row.outcome)].one);
  put_message(out, &row);
  return STATUS_DONE;
}

/* ---- all of them ---- */

static enum status note_unbound(const struct world *world, struct reported *reported) {
  struct rows rows = {NULL, 0};
  enum status status = rows_open(&rows, world) ? STATUS_DONE : complain_of_memory();
  uint32_t object = REBAL_NONE;
  int failed = 0;
  while (status == STATUS_DONE && !failed && (object = rebal_store_next(world->store, "", 0, object)) != REBAL_NONE) {
    if (is_workload_kind(world, object) && !has_binding(world, &rows, object, &failed) && !is_deleting(world, object)) {
      status = note(world, object, reported);
    }
  }
  free(rows.at);
  return failed ? complain_of_memory() : status;
}

static enum status note_left(const struct world *world, struct reported *reported) {
  const size_t n = rebal_detector_count(world->detector, REBAL_DETECTOR_LIST_LEFT);
  enum status status = STATUS_DONE;
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    rebal_detector_entry entry = {.struct_size = sizeof entry};
    rebal_error err = REBAL_ERROR_INIT;
    if (rebal_detector_read(world->detector, REBAL_DETECTOR_LIST_LEFT, i, &entry, &err) != REBAL_OK) {
      status = complain_of_call(&err);
    } else if (is_workload_kind(world, entry.object) && !is_deleting(world, entry.object)) {
      status = note(world, entry.object, reported);
    }
  }
  return status;
}

/* bound: the text before the reason, for one object and for several. */
static void report(const struct reason *reason, const char *const bound[2], struct reported *reported) {
  const size_t n = reported->n;
  if (n > MAX_NAMES) {
    put(&reported->names, " and ");
    put_integer(&reported->names, (int64_t)(n - MAX_NAMES));
    put(&reported->names, " more");
  }
  if (n > 0 && !reported->names.failed) {
    complain("rebalancectl: %zu %s %s%s:%s", n, n == 1 ? "object" : "objects", bound[n != 1],
             n == 1 ? reason->one : reason->several, rebal_text_bytes(reported->names.text, NULL));
  }
}

/* Prints a line for each reason of the objects that note() finds. */
static enum status report_reasons(const struct world *world, const char *const bound[2],
                                  enum status (*note_them)(const struct world *world, struct reported *reported)) {
  struct reported reported[REASONS] = {{{NULL, 0}, 0}};
  enum status status = STATUS_DONE;
  for (size_t i = 0; status == STATUS_DONE && i < REASONS; i++) {
    status = output_open(&reported[i].names);
  }
  if (status == STATUS_DONE) {
    status = note_them(world, reported);
  }
  for (size_t i = 0; i < REASONS; i++) {
    if (status == STATUS_DONE) {
      report(&reasons[i], bound, &reported[i]);
    }
    if (reported[i].names.failed && status == STATUS_DONE) {
      status = complain_of_memory();
    }
    output_close(&reported[i].names);
  }
  return status;
}

enum status report_unselected(const struct world *world) {
  static const char *const unbound[] = {"", ""};
  return report_reasons(world, unbound, note_unbound);
}

enum status report_left(const struct world *world) {
  static const char *const bound[] = {"keeps its binding, because it ", "keep their bindings, because they "};
  return report_reasons(world, bound, note_left);
}
