/* SPDX-License-Identifier: MIT */
/* Which fields of which objects the log follows, and how changes of them are logged. */
#include "simulation/server.h"

#include <stdlib.h>
#include <string.h>

#define WATCHED 14

/* The last state of an object in the log. */
struct rebali_shown {
  char *version; /* resourceVersion; NULL: not seen yet */
  char *fields[WATCHED];
};

/* Only the label is logged: the values are too long for a line, or add nothing. */
#define UNSHOWN 1u
/* Logged only if no earlier field shows a change of the object. */
#define DETAIL 2u
/* Not logged for a new object: the initial state is in the scenario. */
#define LATER 4u
/* Logged only if the previous value was another one. */
#define MOVED 8u
/* For a map: without the keys that Karmada sets on templates. */
#define USERS 16u

struct watched_field {
  const char *path;
  const char *label;  /* NULL: the path is logged */
  const char *format; /* for the items of a list (rebali_print_short()) */
  uint32_t flags;
};

struct watched_kind {
  const char *kind;
  struct watched_field fields[WATCHED];
};

#define SPEC {"metadata.generation", "spec changed", NULL, UNSHOWN | DETAIL}

#define CLAIMS                                                                                                 \
  {"metadata.annotations[\"propagationpolicy.karmada.io/name\"]", "PropagationPolicy", NULL, LATER | MOVED}, { \
    "metadata.annotations[\"clusterpropagationpolicy.karmada.io/name\"]", "ClusterPropagationPolicy", NULL,    \
        LATER | MOVED                                                                                          \
  }

#define BINDING_FIELDS                                                                                                \
  {                                                                                                                   \
      {"spec.replicas", NULL, NULL, 0},                                                                               \
      {"metadata.annotations[\"policy.karmada.io/applied-placement\"]", "applied placement recorded", NULL, UNSHOWN}, \
      CLAIMS,                                                                                                         \
      {"spec.clusters", NULL, "@name:@replicas", 0},                                                                  \
      {"spec.requiredBy", NULL, "@namespace/@name", 0},                                                               \
      {"spec.gracefulEvictionTasks", NULL, "@fromCluster?purgeMode?reason?creationTimestamp", 0},                     \
      {"spec.rescheduleTriggeredAt", NULL, NULL, 0},                                                                  \
      {"status.conditions", NULL, "@type=@status?reason", 0},                                                         \
      {"status.aggregatedStatus", NULL, "@clusterName:@status.readyReplicas/@status.replicas ready, @health", 0},     \
      {"status.schedulerObservedGeneration", NULL, NULL, 0},                                                          \
      {"status.conditions", "condition messages", "@type: @message", DETAIL},                                         \
      SPEC,                                                                                                           \
      {"status.lastScheduledTime", NULL, NULL, DETAIL},                                                               \
  }

static const struct watched_kind kinds[] = {
    {"ResourceBinding", BINDING_FIELDS},
    {"ClusterResourceBinding", BINDING_FIELDS},
    {"Cluster",
     {{"spec.taints", NULL, "@key!value:@effect?timeAdded", 0},
      {"metadata.labels", NULL, NULL, 0},
      {"metadata.deletionTimestamp", NULL, NULL, 0},
      {"status.conditions", NULL, "@type=@status?reason", LATER},
      {"status.resourceSummary.allocatable", "allocatable", NULL, LATER},
      {"status.resourceSummary.allocated", "allocated", NULL, 0},
      {"status.resourceSummary.allocating", "allocating", NULL, LATER},
      {"status.resourceSummary.allocatableModelings", "nodes by grade", "@grade:@count", LATER},
      {"status.conditions", "condition messages", "@type: @message?lastTransitionTime", DETAIL},
      SPEC,
      {"metadata.annotations", "annotations changed", NULL, UNSHOWN | LATER}}},
    {"WorkloadRebalancer",
     {{"spec.ttlSecondsAfterFinished", NULL, NULL, 0},
      {"status.observedWorkloads", NULL, "@workload.kind?workload.namespace @workload.name?result?reason", 0},
      {"status.finishTime", NULL, NULL, 0},
      {"status.observedGeneration", NULL, NULL, 0},
      SPEC}},
    {"WorkloadSpread",
     {{"status.subsetStatuses", "subsets", "@name @replicas active @missingReplicas missing", LATER},
      SPEC,
      {"status.versionedSubsetStatuses", "pods that come and go noted", NULL, UNSHOWN | LATER | DETAIL},
      {"metadata.labels", NULL, NULL, LATER},
      {"metadata.annotations", "annotations changed", NULL, UNSHOWN | LATER}}},
    {"",
     {{"spec.replicas", NULL, NULL, 0},
      {"value", NULL, NULL, LATER},
      CLAIMS,
      SPEC,
      {"metadata.labels", NULL, NULL, LATER | USERS},
      {"metadata.annotations", "annotations changed", NULL, UNSHOWN | LATER | USERS}}},
};

static const struct watched_field *fields_of(const char *kind) {
  size_t i = 0;
  while (kinds[i].kind[0] != '\0' && strcmp(kind, kinds[i].kind) != 0) {
    i++;
  }
  return kinds[i].fields;
}

/* ---- short notation ---------------------------------------------------------------------------------------------- */

static void print_member(struct rebali_buffer *out, const rebal_value *item, const char *path, size_t len, char mark) {
  while (len > 0) {
    const char *dot = memchr(path, '.', len);
    const size_t step = dot != NULL ? (size_t)(dot - path) : len;
    char key[40];
    if (step >= sizeof key) {
      return;
    }
    memcpy(key, path, step);
    key[step] = '\0';
    item = rebali_find(item, key);
    path += step + (dot != NULL);
    len -= step + (dot != NULL);
  }
  if (item == NULL) {
    return;
  }
  if (mark != '@') {
    rebali_buffer_text(out, mark == '?' ? " " : "=");
  }
  rebali_print_value(out, item);
}

/* Returns the length of the letters and dots at the start of a text. */
static size_t match_name(const char *text) {
  size_t len = 0;
  while ((text[len] >= 'a' && text[len] <= 'z') || (text[len] >= 'A' && text[len] <= 'Z') || text[len] == '.') {
    len++;
  }
  return len;
}

static void print_item(struct rebali_buffer *out, const char *format, const rebal_value *item) {
  while (*format != '\0') {
    const size_t plain = strcspn(format, "@?!");
    size_t name;
    rebali_buffer_append(out, format, plain);
    format += plain;
    if (*format == '\0') {
      return;
    }
    name = match_name(format + 1);
    print_member(out, item, format + 1, name, *format);
    format += 1 + name;
  }
}

void rebali_print_short(struct rebali_buffer *out, const char *format, const rebal_value *value) {
  const size_t n = rebal_value_count(value);
  if (format == NULL || !rebali_is_list(value)) {
    rebali_print_value(out, value);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    rebali_buffer_text(out, i > 0 ? ", " : "{");
    print_item(out, format, rebal_value_item(value, i));
  }
  rebali_buffer_text(out, n > 0 ? "}" : "");
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* The texts of the object that is examined. */
struct look {
  struct rebali_server *server;
  uint32_t object;
  const char *controller, *reason;
  struct rebali_buffer label, after, change;
};

static int32_t report(struct look *look, const char *change, rebal_error *err) {
  return rebali_log_report_of(look->server, REBAL_LOG_KIND_CHANGE, look->controller, look->label.bytes, change,
                              look->reason, err);
}

static int32_t report_field(struct look *look, const struct watched_field *watched, const char *before,
                            rebal_error *err) {
  const char *name = watched->label != NULL ? watched->label : watched->path, *after = rebali_printed(&look->after);
  rebali_buffer_clear(&look->change);
  if ((watched->flags & UNSHOWN) != 0) {
    rebali_buffer_text(&look->change, name);
  } else if (before[0] == '\0') {
    rebali_buffer_format(&look->change, "%s: %s", name, after);
  } else {
    rebali_buffer_format(&look->change, "%s: %s -> %s", name, before, after[0] != '\0' ? after : "none");
  }
  return look->change.failed ? rebali_fail_memory(err) : report(look, look->change.bytes, err);
}

static void print_field(struct rebali_buffer *out, const struct watched_field *watched, const rebal_value *value) {
  const char *between = "{";
  if ((watched->flags & USERS) == 0) {
    rebali_print_short(out, watched->format, value);
    return;
  }
  for (const char *key = rebal_value_next_key(value, NULL); key != NULL; key = rebal_value_next_key(value, key)) {
    if (strstr(key, ".karmada.io/") == NULL) {
      rebali_buffer_text(out, between);
      rebali_print_text(out, key);
      rebali_buffer_text(out, ":");
      rebali_print_json(out, rebal_value_member(value, key));
      between = ",";
    }
  }
  rebali_buffer_text(out, between[0] == ',' ? "}" : "");
}

/* Logs a change of one field. n_rows is the number of log rows before the first field. */
static int32_t examine_field(struct look *look, const struct watched_field *watched, char **before, size_t n_rows,
                             rebal_error *err) {
  const struct rebali_change_rows *log = &look->server->log;
  const int is_reported = (*before != NULL || (watched->flags & (DETAIL | LATER)) == 0) &&
                          ((watched->flags & DETAIL) == 0 || log->n == n_rows) &&
                          ((watched->flags & MOVED) == 0 || *before == NULL || (*before)[0] != '\0');
  const char *old = *before != NULL ? *before : "";
  int32_t code = REBAL_OK;
  char *after;
  rebali_buffer_clear(&look->after);
  print_field(&look->after, watched, rebali_field(look->server, look->object, watched->path));
  if (look->after.failed) {
    return rebali_fail_memory(err);
  }
  if (strcmp(old, rebali_printed(&look->after)) == 0 && *before != NULL) {
    return REBAL_OK;
  }
  if (is_reported && strcmp(old, rebali_printed(&look->after)) != 0) {
    code = report_field(look, watched, old, err);
  }
  after = rebali_text_copy(rebali_printed(&look->after));
  free(*before);
  *before = after;
  return code != REBAL_OK || after != NULL ? code : rebali_fail_memory(err);
}

/* Logs the changed fields. With is_whole, a change that no field shows is logged, too. */
static int32_t examine_fields(struct look *look, int is_new, int is_whole, rebal_error *err) {
  const struct watched_field *fields = fields_of(rebali_kind_of(look->server, look->object));
  struct rebali_shown *shown = rebali_row_find(&look->server->shown, look->object);
  const size_t n_rows = look->server->log.n;
  int32_t code = is_new && is_whole ? report(look, "created", err) : REBAL_OK;
  const size_t n_before = look->server->log.n;
  for (size_t i = 0; code == REBAL_OK && i < WATCHED && fields[i].path != NULL; i++) {
    code = examine_field(look, &fields[i], &shown->fields[i], n_before, err);
  }
  return code == REBAL_OK && is_whole && look->server->log.n == n_rows ? report(look, "changed", err) : code;
}

/* Tests whether the object is as it was when it was last logged. If not, its version is stored. */
static int32_t is_as_shown(struct rebali_server *server, uint32_t object, int *is_new, int *is_same, rebal_error *err) {
  const char *version = rebali_field_text(server, object, "metadata.resourceVersion");
  struct rebali_shown *shown;
  char *copy;
  server->shown.size = sizeof *shown;
  shown = rebali_row(&server->shown, object, err);
  if (shown == NULL || server->reads.has_failed) {
    return rebali_fail_memory(err);
  }
  *is_new = shown->version == NULL;
  *is_same = !*is_new && strcmp(version, shown->version) == 0;
  if (*is_same) {
    return REBAL_OK;
  }
  copy = rebali_text_copy(version);
  free(shown->version);
  shown->version = copy;
  return copy != NULL ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t watch(struct rebali_server *server, uint32_t object, const char *controller, const char *reason,
                     int is_whole, rebal_error *err) {
  struct look look = {server, object, controller, reason, REBALI_BUFFER, REBALI_BUFFER, REBALI_BUFFER};
  int is_new, is_same;
  int32_t code = is_as_shown(server, object, &is_new, &is_same, err);
  if (code != REBAL_OK || is_same) {
    return code;
  }
  server->changes++;
  if (rebali_is_kind(server, object, "Event")) {
    return REBAL_OK; /* the recorder logs it */
  }
  rebali_print_label(server, &look.label, object);
  code = look.label.failed ? rebali_fail_memory(err) : examine_fields(&look, is_new, is_whole, err);
  rebali_buffer_dispose(&look.label);
  rebali_buffer_dispose(&look.after);
  rebali_buffer_dispose(&look.change);
  return code;
}

int32_t rebali_watch(struct rebali_server *server, uint32_t object, const char *controller, const char *reason,
                     rebal_error *err) {
  return watch(server, object, controller, reason, 1, err);
}

int32_t rebali_watch_fields(struct rebali_server *server, uint32_t object, const char *controller, const char *reason,
                            rebal_error *err) {
  return watch(server, object, controller, reason, 0, err);
}

int32_t rebali_watch_all(struct rebali_server *server, const char *controller, const char *reason, rebal_error *err) {
  struct rebali_ids changed;
  int32_t code = rebali_changes_take(server, &server->watched, &changed, err);
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (rebali_exists(server, changed.list[i])) {
      code = rebali_watch(server, changed.list[i], controller, reason, err);
    }
  }
  rebali_ids_dispose(&changed);
  return code;
}

int32_t rebali_watch_quietly(struct rebali_server *server, uint32_t object, rebal_error *err) {
  int is_new, is_same;
  server->changes++;
  return is_as_shown(server, object, &is_new, &is_same, err);
}

void rebali_watch_forget(struct rebali_server *server, uint32_t object) {
  struct rebali_shown *shown = rebali_row_find(&server->shown, object);
  if (shown == NULL) {
    return;
  }
  for (size_t i = 0; i < WATCHED; i++) {
    free(shown->fields[i]);
  }
  free(shown->version);
  *shown = (struct rebali_shown){.version = NULL};
}
