/* SPDX-License-Identifier: MIT */
/*
 * What a step expects of the pods of a workload: in a member with nodes, the node of each; in the scenario's own
 * cluster, how many have each value of a field.
 */
#include "simulation/scenario/simulation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const member_members[] = {"cluster", "nodes", "ready", "since", "unschedulable"};
static const char *const own_members[] = {"by", "counts", "ready", "unschedulable"};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Only members with nodes know where pods are. */
static int32_t read_cluster(const struct rebali_reading *reading) {
  const struct rebali_scenario *scenario = reading->scenario;
  const char *cluster;
  const int32_t code = rebali_reading_text(reading, "cluster", 1, &cluster);
  for (size_t i = 0; code == REBAL_OK && i < scenario->n_members; i++) {
    if (scenario->members[i].nodes != NULL && strcmp(scenario->members[i].cluster, cluster) == 0) {
      return REBAL_OK;
    }
  }
  return code != REBAL_OK ? code
                          : rebali_reading_fail(reading, "cluster",
                                                "the scenario's members have none with nodes of "
                                                "this name");
}

/* Reads a map whose values are numbers of pods. */
static int32_t read_numbers(const struct rebali_reading *reading, const char *name, const rebal_value *map,
                            const char *message) {
  for (const char *key = rebal_value_next_key(map, NULL); key != NULL; key = rebal_value_next_key(map, key)) {
    if (rebali_number_or(rebali_find(map, key), 0) < 1) {
      return rebali_reading_fail(reading, name, message);
    }
  }
  return REBAL_OK;
}

/* Checks that more than the cluster is expected. */
static int32_t check_not_idle(const struct rebali_reading *reading) {
  for (size_t i = 1; i < REBALI_COUNT(member_members); i++) {
    if (rebali_find(reading->map, member_members[i]) != NULL) {
      return REBAL_OK;
    }
  }
  return rebali_reading_fail(reading, "cluster",
                             "nothing is expected of the pods: one of ready, unschedulable, since and nodes is needed");
}

/* Refuses members that only apply to pods of the scenario's own cluster. */
static int32_t check_not_own(const struct rebali_reading *reading) {
  static const char *const own[] = {"by", "counts"};
  for (size_t i = 0; i < REBALI_COUNT(own); i++) {
    if (rebali_find(reading->map, own[i]) != NULL && reading->scenario->workloads == NULL) {
      return rebali_reading_fail(reading, own[i],
                                 "pods are counted where workloads run: `workloads: {}` is missing in the scenario's "
                                 "head");
    }
  }
  return REBAL_OK;
}

static int32_t read_numbers_of_both(const struct rebali_reading *reading) {
  const int32_t code = rebali_reading_count(reading, "ready");
  return code == REBAL_OK ? rebali_reading_count(reading, "unschedulable") : code;
}

static int32_t read_own(const struct rebali_reading *reading) {
  const rebal_value *by, *counts = NULL;
  int32_t code = rebali_reading_known(reading, own_members, REBALI_COUNT(own_members));
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "by", REBAL_VALUE_KIND_TEXT, 0, &by);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "counts", REBAL_VALUE_KIND_MAP, by != NULL, &counts);
  }
  if (code == REBAL_OK && counts != NULL && by == NULL) {
    code = rebali_reading_fail(reading, "by", "what counts are by is missing");
  }
  if (code == REBAL_OK && by != NULL) {
    code = rebali_reading_path(reading, "by", rebal_value_text(by, NULL));
  }
  if (code == REBAL_OK) {
    code = read_numbers(reading, "counts", counts, "each value has a whole number of pods, 1 or more");
  }
  return code == REBAL_OK ? read_numbers_of_both(reading) : code;
}

static int32_t read_member(const struct rebali_reading *reading) {
  const rebal_value *nodes = NULL;
  rebal_time since;
  int32_t code = check_not_own(reading);
  if (code == REBAL_OK) {
    code = rebali_reading_known(reading, member_members, REBALI_COUNT(member_members));
  }
  if (code == REBAL_OK) {
    code = read_cluster(reading);
  }
  if (code == REBAL_OK) {
    code = check_not_idle(reading);
  }
  if (code == REBAL_OK) {
    code = read_numbers_of_both(reading);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_time(reading, "since", &since);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "nodes", REBAL_VALUE_KIND_MAP, 0, &nodes);
  }
  return code == REBAL_OK ? read_numbers(reading, "nodes", nodes, "each node has a whole number of pods, 1 or more")
                          : code;
}

int32_t rebali_expected_pods_read(const struct rebali_reading *outer, const rebal_value **out) {
  struct rebali_reading reading = *outer;
  char prefix[64];
  const int32_t code = rebali_reading_member(outer, "pods", REBAL_VALUE_KIND_MAP, 0, out);
  if (code != REBAL_OK || *out == NULL) {
    return code;
  }
  (void)snprintf(prefix, sizeof prefix, "%spods.", outer->prefix);
  reading.prefix = prefix;
  reading.map = *out;
  return outer->scenario->workloads != NULL && rebali_find(*out, "cluster") == NULL ? read_own(&reading)
                                                                                    : read_member(&reading);
}

/* ---- actual pods ------------------------------------------------------------------------------------------------- */

/* Pods with the same value of a field, or on the same node. */
struct group {
  char *value;
  int64_t n;
};

struct found {
  struct group *groups; /* by value */
  size_t n, capacity;
  int64_t ready, unschedulable;
  rebal_time since; /* of the pod that has waited longest */
};

static void dispose(struct found *found) {
  for (size_t i = 0; i < found->n; i++) {
    free(found->groups[i].value);
  }
  free(found->groups);
}

static int32_t add(struct found *found, const char *value, rebal_error *err) {
  size_t at = 0;
  char *copy;
  while (at < found->n && strcmp(found->groups[at].value, value) < 0) {
    at++;
  }
  if (at < found->n && strcmp(found->groups[at].value, value) == 0) {
    found->groups[at].n++;
    return REBAL_OK;
  }
  copy = rebali_text_copy(value);
  if (copy == NULL ||
      rebali_reserve_malloc(&found->groups, &found->capacity, found->n + 1, sizeof *found->groups, err) != REBAL_OK) {
    free(copy);
    return rebali_fail_memory(err);
  }
  memmove(found->groups + at + 1, found->groups + at, (found->n - at) * sizeof *found->groups);
  found->groups[at] = (struct group){copy, 1};
  found->n++;
  return REBAL_OK;
}

static int is_number(const rebal_value *pods, const char *name, int64_t found) {
  const rebal_value *value = rebali_find(pods, name);
  int64_t number;
  return value == NULL || (rebali_number(value, &number) && number == found);
}

static int is_since(const rebal_value *pods, const rebal_time *found) {
  const rebal_value *value = rebali_find(pods, "since");
  size_t len;
  const char *text = rebal_value_text(value, &len);
  rebal_time time;
  return value == NULL || (rebali_time_parse(text, len, &time, NULL) == REBAL_OK && found->is_set &&
                           rebali_time_compare(&time, found) == 0);
}

/* Tests whether the counted values are exactly these. */
static int is_as_counted(const rebal_value *counts, const struct found *found) {
  for (size_t i = 0; i < found->n; i++) {
    if (rebali_number_or(rebali_find(counts, found->groups[i].value), 0) != found->groups[i].n) {
      return 0;
    }
  }
  return rebal_value_count(counts) == found->n;
}

static void print_found(const struct found *found, const char *groups, struct rebali_buffer *out) {
  rebali_buffer_format(out, "%" PRId64 " ready, %" PRId64 " unschedulable", found->ready, found->unschedulable);
  if (found->since.is_set) {
    rebali_buffer_text(out, " since ");
    rebali_print_time(out, &found->since);
  }
  if (groups == NULL) {
    return;
  }
  rebali_buffer_format(out, ", %s {", groups);
  for (size_t i = 0; i < found->n; i++) {
    rebali_buffer_format(out, "%s%s:%" PRId64, i > 0 ? ", " : "", found->groups[i].value, found->groups[i].n);
  }
  rebali_buffer_text(out, "}");
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

static int32_t count_in_member(const struct rebali_work *work, struct found *found, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && work != NULL && i < work->pods.n; i++) {
    const struct rebali_pod *pod = &work->pods.list[i];
    rebali_time_lower(&found->since, &pod->since);
    if (pod->node != REBAL_NONE) {
      code = add(found, rebali_member_node_name(work->member, pod->node), err);
    }
  }
  found->ready = work != NULL ? rebali_pods_ready(&work->pods) : 0;
  found->unschedulable = work != NULL ? rebali_pods_pending(&work->pods) : 0;
  return code;
}

static int32_t check_member(rebal_simulation *simulation, uint32_t binding, const rebal_value *pods, int *holds,
                            struct rebali_buffer *out, rebal_error *err) {
  const char *cluster = rebali_find_text(pods, "cluster");
  const rebal_value *nodes = rebali_find(pods, "nodes");
  struct found found = {NULL, 0, 0, 0, 0, {0, 0, 0}};
  const int32_t code = count_in_member(rebali_work_find(&simulation->members, binding, cluster), &found, err);
  *holds = binding != REBAL_NONE && rebali_member_find(&simulation->members, cluster) != NULL &&
           is_number(pods, "ready", found.ready) && is_number(pods, "unschedulable", found.unschedulable) &&
           is_since(pods, &found.since) && (nodes == NULL || is_as_counted(nodes, &found));
  if (binding != REBAL_NONE) {
    print_found(&found, nodes != NULL ? "nodes" : NULL, out);
  } else {
    rebali_buffer_text(out, "no binding");
  }
  dispose(&found);
  return code;
}

/* ---- the scenario's own cluster ---------------------------------------------------------------------------------- */

/* Prints the subset in an annotation, which may hold any text. */
static int32_t print_subset(struct rebali_server *server, uint32_t pod, struct rebali_buffer *out, rebal_error *err) {
  const rebal_value *annotations = rebali_field(server, pod, "metadata.annotations");
  const char *text = rebali_find_text(annotations, "apps.kruise.io/matched-workloadspread");
  rebal_document *document = NULL;
  const int32_t code =
      text[0] != '\0' ? rebal_document_read(text, REBAL_TERMINATED, server->limits, &document, NULL) : REBAL_OK;
  if (code == REBAL_OK) {
    rebali_print_value(out, rebal_document_value(document, "subset"));
  }
  rebal_document_free(document);
  return code == REBAL_ENOMEM ? rebali_fail_memory(err) : REBAL_OK;
}

/* How the pods of an owner are counted. */
struct counting {
  rebal_simulation *simulation;
  uint32_t object;
  const char *by; /* "": not grouped */
  struct found found;
};

static int32_t count_pod(struct counting *counting, const struct rebali_pod *pod, rebal_error *err) {
  struct rebali_server *server = &counting->simulation->server;
  struct rebali_buffer value = REBALI_BUFFER;
  int32_t code = REBAL_OK;
  counting->found.ready += pod->is_ready;
  counting->found.unschedulable +=
      strcmp(rebali_field_text(server, pod->object, "status.conditions[0].reason"), "Unschedulable") == 0;
  if (counting->by[0] == '\0') {
    return REBAL_OK;
  }
  if (strcmp(counting->by, "subset") == 0) {
    code = print_subset(server, pod->object, &value, err);
  } else {
    rebali_print_value(&value, rebali_field(server, pod->object, counting->by));
  }
  if (code == REBAL_OK) {
    code = value.failed ? rebali_fail_memory(err) : add(&counting->found, value.len > 0 ? value.bytes : "none", err);
  }
  rebali_buffer_dispose(&value);
  return code;
}

/* Counts the pods that the object controls, directly or through what it controls. */
static int32_t count_pods(void *user, struct rebali_pods *pods, uint32_t owner, rebal_error *err) {
  struct counting *counting = user;
  int is_orphan;
  int32_t code = REBAL_OK;
  if (owner == REBAL_NONE || (owner != counting->object && rebali_controller_of(&counting->simulation->server, owner,
                                                                                &is_orphan) != counting->object)) {
    return REBAL_OK;
  }
  for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
    code = pods->list[i].is_done ? REBAL_OK : count_pod(counting, &pods->list[i], err);
  }
  return code;
}

static int32_t check_own(rebal_simulation *simulation, uint32_t object, const rebal_value *pods, int *holds,
                         struct rebali_buffer *out, rebal_error *err) {
  const rebal_value *counts = rebali_find(pods, "counts");
  struct counting counting = {simulation, object, rebali_find_text(pods, "by"), {NULL, 0, 0, 0, 0, {0, 0, 0}}};
  int32_t code = rebali_own_update(&simulation->own, err);
  if (code == REBAL_OK && object != REBAL_NONE) {
    code = rebali_own_each(&simulation->own, count_pods, &counting, err);
  }
  *holds = object != REBAL_NONE && is_number(pods, "ready", counting.found.ready) &&
           is_number(pods, "unschedulable", counting.found.unschedulable) &&
           (counts == NULL || is_as_counted(counts, &counting.found));
  if (object != REBAL_NONE) {
    print_found(&counting.found, counts != NULL ? "counts" : NULL, out);
  } else {
    rebali_buffer_text(out, "no such object");
  }
  dispose(&counting.found);
  return code;
}

int32_t rebali_expected_pods_check(rebal_simulation *simulation, uint32_t object, const rebal_value *pods, int *holds,
                                   struct rebali_buffer *wanted, struct rebali_buffer *found, rebal_error *err) {
  uint32_t binding;
  int32_t code;
  rebali_buffer_text(wanted, "pods ");
  rebali_print_json(wanted, pods);
  if (rebali_find(pods, "cluster") == NULL) {
    return check_own(simulation, object, pods, holds, found, err);
  }
  code = rebali_binding_of(&simulation->server, object, &binding, err);
  return code == REBAL_OK ? check_member(simulation, binding, pods, holds, found, err) : code;
}
