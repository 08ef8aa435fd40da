/* SPDX-License-Identifier: MIT */
/* Which fields of which objects the log follows, and what changed in them. */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

/* The label alone says what happened: the values are too long to be read in a line, or say nothing. */
#define UNSHOWN 1u
/* Told only where no field in front of it says what changed in an object. */
#define DETAIL 2u
/* Not told of an object that is new: what a scenario begins with stands in it. */
#define LATER 4u

struct watched_field {
  const char *path;
  const char *label;  /* NULL: the path */
  const char *format; /* of the items of a list (brief.c) */
  uint32_t flags;
};

struct watched_kind {
  const char *kind;
  struct watched_field fields[REBALI_WATCHED];
};

#define SPEC {"metadata.generation", "spec changed", NULL, UNSHOWN | DETAIL}

#define BINDING_FIELDS                                                                                                \
  {                                                                                                                   \
      {"spec.replicas", NULL, NULL, 0},                                                                               \
      {"metadata.annotations[\"policy.karmada.io/applied-placement\"]", "applied placement recorded", NULL, UNSHOWN}, \
      {"spec.clusters", NULL, "@name:@replicas", 0},                                                                  \
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
      SPEC,
      {"metadata.labels", NULL, NULL, LATER},
      {"metadata.annotations", "annotations changed", NULL, UNSHOWN | LATER}}},
};

static const struct watched_kind *find_kind(rebal_simulation *simulation, uint32_t object) {
  const struct rebali_slice kind = rebali_field(simulation, object, "kind");
  size_t i = 0;
  while (kinds[i].kind[0] != '\0' && !rebali_slice_is(kind, kinds[i].kind)) {
    i++;
  }
  return &kinds[i];
}

char *rebali_field_copy(rebal_simulation *simulation, uint32_t object, const char *path) {
  const struct rebali_slice value = rebali_field(simulation, object, path);
  char *copy = rebali_bytes_copy(value.bytes, value.len);
  if (copy == NULL) {
    rebali_reads_fail(simulation);
  }
  return copy;
}

int64_t rebali_field_integer(rebal_simulation *simulation, uint32_t object, const char *path) {
  int64_t number = 0;
  return rebali_cursor_integer(rebali_field(simulation, object, path), &number) ? number : 0;
}

int rebali_field_is(rebal_simulation *simulation, uint32_t object, const char *path, const char *text) {
  return rebali_slice_is(rebali_field(simulation, object, path), text);
}

char *rebali_object_label(rebal_simulation *simulation, uint32_t object) {
  rebal_text *text = NULL;
  char *copy = NULL;
  struct rebali_slice part;
  int32_t code = rebal_text_new(&text, NULL);
  if (code == REBAL_OK) {
    part = rebali_field(simulation, object, "kind");
    code = rebali_print(text, NULL, "%.*s ", REBALI_SLICE(part));
  }
  if (code == REBAL_OK) {
    part = rebali_field(simulation, object, "metadata.namespace");
    code = rebali_print(text, NULL, "%.*s%s", REBALI_SLICE(part), part.len > 0 ? "/" : "");
  }
  if (code == REBAL_OK) {
    part = rebali_field(simulation, object, "metadata.name");
    code = rebali_print(text, NULL, "%.*s", REBALI_SLICE(part));
  }
  if (code == REBAL_OK) {
    copy = rebali_bytes_copy(rebal_text_bytes(text, &part.len), strlen(rebal_text_bytes(text, NULL)));
  }
  if (copy == NULL) {
    rebali_reads_fail(simulation);
  }
  rebal_text_free(text);
  return copy;
}

struct rebali_tracked *rebali_track(rebal_simulation *simulation, uint32_t object) {
  while (object >= simulation->n_tracked) {
    const int32_t code = rebali_make_room(&simulation->tracked, &simulation->tracked_capacity,
                                          simulation->n_tracked + 1, sizeof *simulation->tracked, NULL);
    if (code != REBAL_OK) {
      return NULL;
    }
    if (rebali_timers_reserve(simulation, simulation->n_tracked + 1) != REBAL_OK) {
      return NULL;
    }
    simulation->tracked[simulation->n_tracked++] = (struct rebali_tracked){.version = NULL};
  }
  return &simulation->tracked[object];
}

void rebali_tracked_dispose(struct rebali_tracked *tracked) {
  for (size_t i = 0; i < REBALI_WATCHED; i++) {
    free(tracked->watched[i]);
  }
  free(tracked->version);
  free(tracked->reported);
  free(tracked->base);
  free(tracked->requests);
  free(tracked->told);
  free(tracked->revision);
  rebali_sightings_dispose(&tracked->unhealthy);
  rebali_examination_free(tracked->examination);
  *tracked = (struct rebali_tracked){.version = NULL};
}

/* The field as the log shows it, in malloc memory; NULL without memory. */
static char *show(rebal_simulation *simulation, uint32_t object, const struct watched_field *watched) {
  const struct rebali_slice value = rebali_field(simulation, object, watched->path);
  rebal_text *text = NULL;
  char *copy = NULL;
  size_t len;
  const char *bytes;
  if (watched->format == NULL) {
    return rebali_bytes_copy(value.bytes, value.len);
  }
  if (rebal_text_new(&text, NULL) == REBAL_OK && rebali_brief(watched->format, value, text, NULL) == REBAL_OK) {
    bytes = rebal_text_bytes(text, &len);
    copy = rebali_bytes_copy(bytes, len);
  }
  rebal_text_free(text);
  return copy;
}

/* Logs one field when it differs from what was logged last. */
static int32_t log_field(rebal_simulation *simulation, const char *label, const struct watched_field *watched,
                         const char *before, const char *after, const char *controller, const char *reason,
                         rebal_error *err) {
  const char *name = watched->label != NULL ? watched->label : watched->path;
  int32_t code;
  if (strcmp(before, after) == 0) {
    return REBAL_OK;
  }
  rebal_text_reset(simulation->scratch);
  if ((watched->flags & UNSHOWN) != 0) {
    code = rebali_print(simulation->scratch, err, "%s", name);
  } else if (before[0] == '\0') {
    code = rebali_print(simulation->scratch, err, "%s: %s", name, after);
  } else {
    code = rebali_print(simulation->scratch, err, "%s: %s -> %s", name, before, after[0] != '\0' ? after : "none");
  }
  return code == REBAL_OK ? rebali_log_append(simulation, REBAL_LOG_KIND_CHANGE, controller, label,
                                              rebal_text_bytes(simulation->scratch, NULL), reason, err)
                          : code;
}

static int32_t log_fields(rebal_simulation *simulation, uint32_t object, const char *label, const char *controller,
                          const char *reason, rebal_error *err) {
  const struct watched_field *fields = find_kind(simulation, object)->fields;
  const size_t n_rows = simulation->log.n;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < REBALI_WATCHED && fields[i].path != NULL; i++) {
    char *after = show(simulation, object, &fields[i]), **before = &simulation->tracked[object].watched[i];
    if (after == NULL) {
      return rebali_fail_memory(err);
    }
    if ((*before != NULL || (fields[i].flags & (DETAIL | LATER)) == 0) &&
        ((fields[i].flags & DETAIL) == 0 || simulation->log.n == n_rows)) {
      code = log_field(simulation, label, &fields[i], *before != NULL ? *before : "", after, controller, reason, err);
    }
    free(*before);
    *before = after;
  }
  return code;
}

int32_t rebali_watch(rebal_simulation *simulation, uint32_t object, const char *controller, const char *reason,
                     rebal_error *err) {
  struct rebali_tracked *tracked = rebali_track(simulation, object);
  char *version = rebali_field_copy(simulation, object, "metadata.resourceVersion");
  const int is_new = tracked != NULL && tracked->version == NULL;
  const size_t n_rows = simulation->log.n;
  char *label;
  int32_t code = REBAL_OK;
  if (tracked == NULL || version == NULL || (!is_new && strcmp(version, tracked->version) == 0)) {
    free(version);
    return tracked == NULL || version == NULL ? rebali_fail_memory(err) : REBAL_OK;
  }
  free(tracked->version);
  tracked->version = version;
  simulation->changes++;
  if (rebali_field_is(simulation, object, "kind", "Event")) {
    return REBAL_OK; /* who recorded it logs it */
  }
  label = rebali_object_label(simulation, object);
  if (label == NULL) {
    return rebali_fail_memory(err);
  }
  if (is_new) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_CHANGE, controller, label, "created", reason, err);
  }
  if (code == REBAL_OK) {
    code = log_fields(simulation, object, label, controller, reason, err);
  }
  if (code == REBAL_OK && simulation->log.n == n_rows) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_CHANGE, controller, label, "changed", reason, err);
  }
  free(label);
  return code;
}

int32_t rebali_watch_all(rebal_simulation *simulation, const char *controller, const char *reason, rebal_error *err) {
  struct rebali_ids changed;
  int32_t code = rebali_changes_take(simulation, &simulation->watched, &changed, err);
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (rebali_object_is_there(simulation, changed.list[i])) {
      code = rebali_watch(simulation, changed.list[i], controller, reason, err);
    }
  }
  rebali_ids_dispose(&changed);
  return code;
}

int32_t rebali_watch_quietly(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  struct rebali_tracked *tracked = rebali_track(simulation, object);
  char *version = rebali_field_copy(simulation, object, "metadata.resourceVersion");
  if (tracked == NULL || version == NULL) {
    free(version);
    return rebali_fail_memory(err);
  }
  free(tracked->version);
  tracked->version = version;
  simulation->changes++;
  return REBAL_OK;
}

int32_t rebali_remove_quietly(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  const int32_t code = rebal_store_remove(simulation->store, object, err);
  if (code == REBAL_OK && object < simulation->n_tracked) {
    rebali_timers_forget(simulation, object);
    rebali_tracked_dispose(&simulation->tracked[object]);
  }
  simulation->changes++;
  return code;
}

int32_t rebali_remove(rebal_simulation *simulation, uint32_t object, const char *controller, const char *reason,
                      rebal_error *err) {
  char *label = rebali_object_label(simulation, object);
  int32_t code = label != NULL ? rebali_remove_quietly(simulation, object, err) : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_CHANGE, controller, label, "deleted", reason, err);
  }
  free(label);
  return code;
}
