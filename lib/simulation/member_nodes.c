/* SPDX-License-Identifier: MIT */
/* Member clusters with nodes: what the head of a scenario says of them becomes Node objects in stores of their own. */
#include "member.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 5000

static const char *const node_members[] = {"allocatable", "count", "labels", "name", "taints", "unschedulable"};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Is what the store does not look at, since it makes no Node of it, as it should be? */
static int32_t check_node(const struct rebali_reading *reading) {
  struct rebali_slice value;
  int64_t count = 1;
  int32_t code = rebali_reading_known(reading, node_members, sizeof node_members / sizeof node_members[0]);
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "name", REBALI_JSON_STRING, 1, &value);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "allocatable", REBALI_JSON_MAP, 1, &value);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "count", REBALI_JSON_NUMBER, 0, &value);
  }
  if (code == REBAL_OK && value.len > 0 && (!rebali_cursor_integer(value, &count) || count < 1 || count > MOST_NODES)) {
    code = rebali_reading_fail(reading, "count", "a whole number from 1 to 5000 is expected");
  }
  return code;
}

int32_t rebali_member_nodes_read(const struct rebali_reading *outer, struct rebali_slice *out) {
  struct rebali_slice item;
  size_t at = 0;
  int32_t code = rebali_reading_member(outer, "nodes", REBALI_JSON_LIST, 0, out);
  for (size_t i = 0; code == REBAL_OK && rebali_cursor_item(*out, &at, &item); i++) {
    struct rebali_reading reading = *outer;
    char prefix[160];
    (void)snprintf(prefix, sizeof prefix, "%snodes[%zu].", outer->prefix, i);
    reading.prefix = prefix;
    reading.map = item;
    code = rebali_cursor_kind(item) == REBALI_JSON_MAP ? check_node(&reading)
                                                       : rebali_reading_fail(outer, "nodes", "a node is a map");
  }
  return code;
}

/* ---- members by name --------------------------------------------------------------------------------------------- */

static size_t find_place(const rebal_simulation *simulation, const char *cluster) {
  size_t at = 0;
  while (at < simulation->n_members && strcmp(simulation->members[at].cluster, cluster) < 0) {
    at++;
  }
  return at;
}

struct rebali_member *rebali_member_find(const rebal_simulation *simulation, const char *cluster) {
  const size_t at = find_place(simulation, cluster);
  return at < simulation->n_members && strcmp(simulation->members[at].cluster, cluster) == 0 ? &simulation->members[at]
                                                                                             : NULL;
}

struct rebali_member *rebali_member_make(rebal_simulation *simulation, const char *cluster) {
  const size_t at = find_place(simulation, cluster);
  struct rebali_member *found = rebali_member_find(simulation, cluster);
  char *name;
  if (found != NULL) {
    return found;
  }
  name = rebali_bytes_copy(cluster, strlen(cluster));
  if (name == NULL || rebali_make_room(&simulation->members, &simulation->members_capacity, simulation->n_members + 1,
                                       sizeof *simulation->members, NULL) != REBAL_OK) {
    free(name);
    return NULL;
  }
  found = &simulation->members[at];
  memmove(found + 1, found, (simulation->n_members - at) * sizeof *found);
  simulation->n_members++;
  *found = (struct rebali_member){.cluster = name, .max_pods = rebali_max_pods(simulation)};
  return found;
}

void rebali_member_dispose(struct rebali_member *member) {
  free(member->cluster);
  rebal_feed_free(member->feed);
  rebal_store_free(member->store);
  free(member->nodes);
  free(member->pods);
  free(member->moves);
}

int rebali_member_is_lost(const rebal_simulation *simulation, const char *cluster) {
  const struct rebali_member *member = rebali_member_find(simulation, cluster);
  return member != NULL && member->is_lost;
}

void rebali_member_forget(struct rebali_member *member) {
  if (member != NULL) {
    member->is_lost = 0;
    member->n_pods = 0;
  }
}

void rebali_member_touch(const rebal_simulation *simulation, const char *cluster) {
  struct rebali_member *member = rebali_member_find(simulation, cluster);
  if (member != NULL) {
    member->is_stale = 1;
  }
}

/* ---- the nodes at the start -------------------------------------------------------------------------------------- */

static int32_t write_member(struct rebali_slice item, const char *key, const char *before, rebal_text *out,
                            rebal_error *err) {
  const struct rebali_slice value = rebali_cursor_find(item, key);
  return value.len > 0 ? rebali_print(out, err, "%s\"%s\":%.*s", before, key, REBALI_SLICE(value)) : REBAL_OK;
}

static int32_t write_node(struct rebali_slice item, const char *name, rebal_text *out, rebal_error *err) {
  int32_t code;
  rebal_text_reset(out);
  code = rebali_print(out, err, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":");
  if (code == REBAL_OK) {
    code = rebali_quote(rebali_slice(name), out, err);
  }
  if (code == REBAL_OK) {
    code = write_member(item, "labels", ",", out, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, "},\"spec\":{\"podCIDR\":\"\"");
  }
  if (code == REBAL_OK) {
    code = write_member(item, "taints", ",", out, err);
  }
  if (code == REBAL_OK) {
    code = write_member(item, "unschedulable", ",", out, err);
  }
  if (code == REBAL_OK) {
    code = write_member(item, "allocatable", "},\"status\":{", out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "}}") : code;
}

static int32_t add_node(rebal_simulation *simulation, struct rebali_member *member, struct rebali_slice item,
                        const char *field, const char *name, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  size_t len;
  const char *bytes;
  int32_t code;
  if (rebal_store_find(member->store, "Node", 4, "", 0, name, strlen(name)) != REBAL_NONE) {
    return rebali_scenario_fail(&simulation->scenario, 1, field, err, REBAL_EEXIST, "there are two nodes %s", name);
  }
  code = write_node(item, name, simulation->scratch, err);
  if (code != REBAL_OK) {
    return code;
  }
  bytes = rebal_text_bytes(simulation->scratch, &len);
  code = rebal_store_apply(member->store, bytes, len, &simulation->now, &local);
  if (code != REBAL_OK) {
    local.field[0] = '\0';
    return rebali_scenario_pass(&simulation->scenario, 1, field, &local, err);
  }
  member->n_nodes++;
  return REBAL_OK;
}

/* One node, or name-1, name-2 and so on. */
static int32_t add_nodes(rebal_simulation *simulation, struct rebali_member *member, struct rebali_slice item,
                         const char *field, rebal_error *err) {
  const struct rebali_slice given = rebali_cursor_find(item, "count");
  char *base = rebali_cursor_copy(rebali_cursor_find(item, "name"));
  char *name = base != NULL ? malloc(strlen(base) + 24) : NULL;
  int64_t count = 1;
  int32_t code = name != NULL ? REBAL_OK : rebali_fail_memory(err);
  (void)rebali_cursor_integer(given, &count);
  for (int64_t i = 1; code == REBAL_OK && i <= count; i++) {
    if (given.len > 0) {
      (void)snprintf(name, strlen(base) + 24, "%s-%" PRId64, base, i);
    } else {
      (void)snprintf(name, strlen(base) + 24, "%s", base);
    }
    code = add_node(simulation, member, item, field, name, err);
  }
  free(base);
  free(name);
  return code;
}

/* Rows of the fleet are in the order in which the store tells Nodes. */
static int32_t list_nodes(struct rebali_member *member, rebal_error *err) {
  size_t n = 0;
  member->nodes = calloc(member->n_nodes > 0 ? member->n_nodes : 1, sizeof *member->nodes);
  if (member->nodes == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t object = rebal_store_next(member->store, "Node", 4, REBAL_NONE); object != REBAL_NONE;
       object = rebal_store_next(member->store, "Node", 4, object)) {
    member->nodes[n++] = (struct rebali_member_node){object, 0};
  }
  return REBAL_OK;
}

static int32_t open_member(rebal_simulation *simulation, const struct rebali_member_option *option, rebal_error *err) {
  char *cluster = rebali_cursor_copy((struct rebali_slice){option->cluster.bytes - 1, option->cluster.len + 2});
  struct rebali_member *member = cluster != NULL ? rebali_member_make(simulation, cluster) : NULL;
  struct rebali_slice item;
  size_t at = 0;
  int32_t code =
      member != NULL ? rebal_store_new(simulation->opts.limits, &member->store, err) : rebali_fail_memory(err);
  for (size_t i = 0; code == REBAL_OK && rebali_cursor_item(option->nodes, &at, &item); i++) {
    char field[sizeof err->field];
    (void)snprintf(field, sizeof field, "members[\"%.*s\"].nodes[%zu]", REBALI_SLICE(option->cluster), i);
    code = add_nodes(simulation, member, item, field, err);
  }
  if (code == REBAL_OK) {
    member->is_stale = member->is_changed = 1;
    code = list_nodes(member, err);
  }
  free(cluster);
  return code;
}

int32_t rebali_members_open(rebal_simulation *simulation, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < simulation->scenario.n_members; i++) {
    if (simulation->scenario.members[i].nodes.len > 0) {
      code = open_member(simulation, &simulation->scenario.members[i], err);
    }
  }
  return code;
}
