/* SPDX-License-Identifier: MIT */
/* What a step expects of the pods of a workload in a member with nodes. */
#include "member.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const pods_members[] = {"cluster", "nodes", "ready", "since", "unschedulable"};
enum { PODS_MEMBERS = sizeof pods_members / sizeof pods_members[0] };

/* Only of members with nodes is it known where pods are. */
static int32_t read_cluster(const struct rebali_reading *reading) {
  const struct rebali_scenario *scenario = reading->scenario;
  struct rebali_slice value;
  const int32_t code = rebali_reading_member(reading, "cluster", REBALI_JSON_STRING, 1, &value);
  for (size_t i = 0; code == REBAL_OK && i < scenario->n_members; i++) {
    const struct rebali_slice cluster = scenario->members[i].cluster;
    if (scenario->members[i].nodes.len > 0 && cluster.len + 2 == value.len &&
        memcmp(cluster.bytes, value.bytes + 1, cluster.len) == 0) {
      return REBAL_OK;
    }
  }
  return code != REBAL_OK ? code
                          : rebali_reading_fail(reading, "cluster",
                                                "the scenario's members have none with nodes of "
                                                "this name");
}

static int32_t read_nodes(const struct rebali_reading *reading) {
  struct rebali_slice nodes, node, count;
  size_t at = 0;
  int64_t number = 0;
  int32_t code = rebali_reading_member(reading, "nodes", REBALI_JSON_MAP, 0, &nodes);
  while (code == REBAL_OK && rebali_cursor_member(nodes, &at, &node, &count)) {
    if (!rebali_cursor_integer(count, &number) || number < 1) {
      code = rebali_reading_fail(reading, "nodes", "each node has a whole number of pods, 1 or more");
    }
  }
  return code;
}

/* Something besides the cluster is expected. */
static int32_t check_not_idle(const struct rebali_reading *reading) {
  for (size_t i = 1; i < PODS_MEMBERS; i++) {
    if (rebali_cursor_find(reading->map, pods_members[i]).len > 0) {
      return REBAL_OK;
    }
  }
  return rebali_reading_fail(reading, "cluster",
                             "nothing is expected of the pods: one of ready, unschedulable, since and nodes is needed");
}

/* What only pods of the scenario's own cluster are asked for. */
static int32_t check_not_own(const struct rebali_reading *reading) {
  static const char *const own[] = {"by", "counts"};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    if (rebali_cursor_find(reading->map, own[i]).len > 0 && reading->scenario->workloads.len == 0) {
      return rebali_reading_fail(reading, own[i],
                                 "pods are counted where workloads run: `workloads: {}` is missing in the scenario's "
                                 "head");
    }
  }
  return REBAL_OK;
}

int32_t rebali_expected_pods_read(const struct rebali_reading *outer, struct rebali_slice *out) {
  struct rebali_reading reading = *outer;
  rebal_time since;
  char prefix[64];
  int32_t code = rebali_reading_member(outer, "pods", REBALI_JSON_MAP, 0, out);
  if (code != REBAL_OK || out->len == 0) {
    return code;
  }
  (void)snprintf(prefix, sizeof prefix, "%spods.", outer->prefix);
  reading.prefix = prefix;
  reading.map = *out;
  if (outer->scenario->workloads.len > 0 && rebali_cursor_find(*out, "cluster").len == 0) {
    return rebali_expected_counts_read(&reading);
  }
  code = check_not_own(&reading);
  if (code == REBAL_OK) {
    code = rebali_reading_known(&reading, pods_members, PODS_MEMBERS);
  }
  if (code == REBAL_OK) {
    code = read_cluster(&reading);
  }
  if (code == REBAL_OK) {
    code = check_not_idle(&reading);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_count(&reading, "ready");
  }
  if (code == REBAL_OK) {
    code = rebali_reading_count(&reading, "unschedulable");
  }
  if (code == REBAL_OK) {
    code = rebali_reading_time(&reading, "since", &since);
  }
  return code == REBAL_OK ? read_nodes(&reading) : code;
}

/* What there is. */
struct found {
  const struct rebali_member *member;
  int64_t ready, unschedulable;
  rebal_time since; /* of the pod that waits longest */
};

static struct found count(rebal_simulation *simulation, uint32_t binding, const char *cluster) {
  struct found found = {rebali_member_find(simulation, cluster), 0, 0, {0, 0, 0}};
  for (size_t i = 0; found.member != NULL && i < found.member->n_pods; i++) {
    const struct rebali_pod *pod = &found.member->pods[i];
    if (pod->binding == binding) {
      found.ready += pod->is_ready;
      found.unschedulable += pod->since.is_set;
      rebali_time_lower(&found.since, &pod->since);
    }
  }
  return found;
}

static int64_t count_on(const struct found *found, uint32_t binding, uint32_t node) {
  int64_t n = 0;
  for (size_t i = 0; i < found->member->n_pods; i++) {
    n += found->member->pods[i].binding == binding && found->member->pods[i].node == node;
  }
  return n;
}

/* Nodes with pods, by name: exactly these are expected. */
static int32_t compare_nodes(const struct found *found, uint32_t binding, struct rebali_slice wanted, int *holds,
                             rebal_text *out, rebal_error *err) {
  struct rebali_slice node, number;
  size_t at = 0, n = 0, n_wanted = 0;
  int32_t code = rebali_print(out, err, ", nodes {");
  while (rebali_cursor_member(wanted, &at, &node, &number)) {
    n_wanted++;
  }
  for (size_t i = 0; code == REBAL_OK && found->member != NULL && i < found->member->n_nodes; i++) {
    const int64_t pods = count_on(found, binding, (uint32_t)i);
    const char *name =
        rebal_store_identity(found->member->store, found->member->nodes[i].object, REBAL_IDENTITY_NAME, NULL);
    int64_t expected = 0;
    if (pods == 0) {
      continue;
    }
    *holds &= rebali_cursor_integer(rebali_cursor_find(wanted, name), &expected) && expected == pods;
    code = rebali_print(out, err, "%s%s:%" PRId64, n++ > 0 ? ", " : "", name, pods);
  }
  *holds &= n == n_wanted;
  return code == REBAL_OK ? rebali_print(out, err, "}") : code;
}

static int32_t print_found(const struct found *found, rebal_text *out, rebal_error *err) {
  int32_t code =
      rebali_print(out, err, "%" PRId64 " ready, %" PRId64 " unschedulable", found->ready, found->unschedulable);
  if (code == REBAL_OK && found->since.is_set) {
    code = rebali_print(out, err, " since ");
  }
  return code == REBAL_OK && found->since.is_set ? rebali_time_print(&found->since, out, err) : code;
}

static int is_number(struct rebali_slice pods, const char *name, int64_t found) {
  const struct rebali_slice value = rebali_cursor_find(pods, name);
  int64_t number;
  return value.len == 0 || (rebali_cursor_integer(value, &number) && number == found);
}

static int is_since(struct rebali_slice pods, const rebal_time *found) {
  const struct rebali_slice value = rebali_cursor_find(pods, "since");
  rebal_time time;
  return value.len == 0 || (rebali_time_parse(value.bytes + 1, value.len - 2, &time, NULL) == REBAL_OK &&
                            found->is_set && rebali_time_compare(&time, found) == 0);
}

int32_t rebali_expected_pods_check(rebal_simulation *simulation, uint32_t binding, struct rebali_slice pods, int *holds,
                                   rebal_text *wanted, rebal_text *text, rebal_error *err) {
  const struct rebali_slice nodes = rebali_cursor_find(pods, "nodes");
  char *cluster = rebali_cursor_copy(rebali_cursor_find(pods, "cluster"));
  struct found found;
  int32_t code = cluster != NULL ? rebali_print(wanted, err, "pods %.*s", REBALI_SLICE(pods)) : rebali_fail_memory(err);
  if (code != REBAL_OK) {
    free(cluster);
    return code;
  }
  found = count(simulation, binding, cluster);
  free(cluster);
  *holds = binding != REBAL_NONE && found.member != NULL && is_number(pods, "ready", found.ready) &&
           is_number(pods, "unschedulable", found.unschedulable) && is_since(pods, &found.since);
  code = binding != REBAL_NONE ? print_found(&found, text, err) : rebali_print(text, err, "no binding");
  return code == REBAL_OK && binding != REBAL_NONE && nodes.len > 0
             ? compare_nodes(&found, binding, nodes, holds, text, err)
             : code;
}
