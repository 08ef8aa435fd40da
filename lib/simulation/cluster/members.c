/* SPDX-License-Identifier: MIT */
/* Member clusters by name, and their nodes if they have any: Node objects in separate stores. */
#include "simulation/cluster/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- members by name --------------------------------------------------------------------------------------------- */

static size_t find_place(const struct rebali_members *members, const char *cluster) {
  size_t at;
  REBALI_BISECT(at, members->n, strcmp(members->list[at]->cluster, cluster) < 0);
  return at;
}

struct rebali_member *rebali_member_find(const struct rebali_members *members, const char *cluster) {
  const size_t at = find_place(members, cluster);
  return at < members->n && strcmp(members->list[at]->cluster, cluster) == 0 ? members->list[at] : NULL;
}

static const struct rebali_member_option *find_option(const struct rebali_members *members, const char *cluster) {
  for (size_t i = 0; i < members->n_options; i++) {
    if (strcmp(members->options[i].cluster, cluster) == 0) {
      return &members->options[i];
    }
  }
  return NULL;
}

static void dispose(struct rebali_member *member) {
  for (size_t i = 0; i < member->n_works; i++) {
    rebali_resource_list_dispose(&member->works[i]->taken);
    free(member->works[i]->pods.list);
    free(member->works[i]);
  }
  rebal_feed_free(member->feed);
  rebal_store_free(member->store);
  free(member->works);
  free(member->nodes);
  free(member->moves);
  free(member->base);
  free(member->modeled);
  free(member->reported);
  free(member->overuse);
  free(member->last_overuse);
  free(member->cluster);
  free(member);
}

struct rebali_member *rebali_member_make(struct rebali_members *members, const char *cluster, rebal_error *err) {
  const size_t at = find_place(members, cluster);
  const struct rebali_member_option *option = find_option(members, cluster);
  struct rebali_member *found = rebali_member_find(members, cluster);
  if (found != NULL) {
    return found;
  }
  found =
      rebali_reserve_malloc(&members->list, &members->capacity, members->n + 1, sizeof(*members->list), err) == REBAL_OK
          ? calloc(1, sizeof *found)
          : NULL;
  if (found == NULL || (found->cluster = rebali_text_copy(cluster)) == NULL) {
    free(found);
    (void)rebali_fail_memory(err);
    return NULL;
  }
  found->members = members;
  found->object = REBAL_NONE;
  found->ready_after_ns = option != NULL ? option->ready_after_ns : members->ready_after_ns;
  found->report_after_ns = option != NULL ? option->report_after_ns : members->report_after_ns;
  memmove(members->list + at + 1, members->list + at, (members->n - at) * sizeof(*members->list));
  members->list[at] = found;
  members->n++;
  return found;
}

/* Drops what another object with this name reported of its resources. */
static void forget_reports(struct rebali_member *member) {
  free(member->base);
  free(member->modeled);
  free(member->reported);
  free(member->overuse);
  member->base = member->modeled = member->reported = member->overuse = NULL;
  member->is_joined = 0;
}

struct rebali_member *rebali_member_register(struct rebali_members *members, uint32_t object, rebal_error *err) {
  struct rebali_member *member = rebali_member_make(members, rebali_name_of(members->core->server, object), err);
  if (member != NULL && member->object != object) {
    forget_reports(member);
    member->object = object;
  }
  return member;
}

void rebali_members_dispose(struct rebali_members *members) {
  for (size_t i = 0; i < members->n; i++) {
    dispose(members->list[i]);
  }
  for (uint32_t i = 0; i < members->bindings.n; i++) {
    struct rebali_bound *bound = rebali_bound_find(members, i);
    free(bound->works);
    free(bound->reported);
    free(bound->requests);
  }
  free(members->bindings.bytes);
  free(members->list);
  rebali_ids_dispose(&members->renewed);
}

int rebali_member_is_lost(const struct rebali_members *members, const char *cluster) {
  const struct rebali_member *member = rebali_member_find(members, cluster);
  return member != NULL && member->is_lost;
}

void rebali_member_forget(struct rebali_member *member) {
  forget_reports(member);
  member->is_lost = 0;
  member->object = REBAL_NONE;
  member->n_pods = 0;
  for (size_t i = 0; i < member->n_works; i++) {
    member->works[i]->pods.n = 0;
  }
}

rebal_time rebali_members_next(const struct rebali_members *members) {
  rebal_time next = {0, 0, 0};
  for (size_t i = 0; i < members->n; i++) {
    if (!members->list[i]->is_lost) {
      rebali_time_lower(&next, &members->list[i]->next);
    }
  }
  return next;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

const char *rebali_member_node_name(const struct rebali_member *member, uint32_t node) {
  return rebal_store_identity(member->store, member->nodes[node].object, REBAL_IDENTITY_NAME, NULL);
}

uint32_t rebali_member_node_of(const struct rebali_member *member, const char *name) {
  for (uint32_t i = 0; i < member->n_nodes; i++) {
    if (strcmp(rebali_member_node_name(member, i), name) == 0) {
      return i;
    }
  }
  return REBAL_NONE;
}

int32_t rebali_member_feed(struct rebali_member *member, uint32_t *cluster, rebal_error *err) {
  struct rebali_core *core = member->members->core;
  const rebal_cells *cells = rebal_snapshot_cells(core->snapshot);
  int64_t has_nodes;
  int32_t code;
  *cluster = rebal_snapshot_find_cluster(core->snapshot, member->cluster, strlen(member->cluster));
  if (!rebal_cells_has(cells, REBAL_TABLE_CLUSTER, REBAL_NONE, *cluster)) {
    *cluster = REBAL_NONE; /* bindings may name clusters that do not exist */
    return REBAL_OK;
  }
  has_nodes = rebal_cells_get_i64(cells, REBAL_CLUSTER_HAS_NODES, REBAL_NONE, *cluster);
  if (!member->is_changed && has_nodes == 1) {
    return REBAL_OK;
  }
  if (has_nodes == 0) {
    rebal_feed_free(member->feed); /* the cluster is new, or was registered again */
    member->feed = NULL;
  }
  code = rebal_store_feed_member(member->store, core->fleet, *cluster, &member->feed, err);
  if (code == REBAL_OK) {
    code = rebali_feed_clusters(core, err);
  }
  member->is_changed &= code != REBAL_OK;
  return code;
}

/* ---- the nodes at the start -------------------------------------------------------------------------------------- */

static void print_part(struct rebali_buffer *out, const rebal_value *node, const char *key, const char *before) {
  const rebal_value *value = rebali_find(node, key);
  if (value != NULL) {
    rebali_buffer_format(out, "%s\"%s\":", before, key);
    rebali_print_json(out, value);
  }
}

static void print_node(struct rebali_buffer *out, const rebal_value *node, const char *name) {
  rebali_buffer_clear(out);
  rebali_buffer_text(out, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":");
  rebali_print_text(out, name);
  print_part(out, node, "labels", ",");
  rebali_buffer_text(out, "},\"spec\":{\"podCIDR\":\"\"");
  print_part(out, node, "taints", ",");
  print_part(out, node, "unschedulable", ",");
  print_part(out, node, "allocatable", "},\"status\":{");
  rebali_buffer_text(out, "}}");
}

/* Fills an error at the field of the head that holds a node. */
static int32_t fail_node(const struct rebali_member *member, size_t index, int32_t code, const char *message,
                         rebal_error *err) {
  char field[sizeof err->field];
  (void)snprintf(field, sizeof field, "members[\"%s\"].nodes[%zu]", member->cluster, index);
  (void)rebali_fail(err, code, -1, "%s", message);
  rebali_fail_field(err, field);
  return code;
}

static int32_t add_node(struct rebali_member *member, const rebal_value *node, size_t index, const char *name,
                        rebal_error *err) {
  struct rebali_server *server = member->members->core->server;
  struct rebali_buffer *out = &server->scratch;
  rebal_error local = REBAL_ERROR_INIT;
  int32_t code;
  if (rebal_store_find(member->store, "Node", 4, "", 0, name, strlen(name)) != REBAL_NONE) {
    char message[sizeof err->message];
    (void)snprintf(message, sizeof message, "there are two nodes %s", name);
    return fail_node(member, index, REBAL_EEXIST, message, err);
  }
  print_node(out, node, name);
  if (out->failed) {
    return rebali_fail_memory(err);
  }
  code = rebal_store_apply(member->store, out->bytes, out->len, &server->now, &local);
  member->n_nodes += code == REBAL_OK;
  return code == REBAL_OK ? code : fail_node(member, index, code, local.message, err);
}

/* Adds one node, or name-1, name-2 and so on. */
static int32_t add_nodes(struct rebali_member *member, const rebal_value *node, size_t index, rebal_error *err) {
  const rebal_value *given = rebali_find(node, "count");
  const int64_t count = rebali_number_or(given, 1);
  struct rebali_buffer name = REBALI_BUFFER;
  int32_t code = REBAL_OK;
  for (int64_t i = 1; code == REBAL_OK && i <= count; i++) {
    rebali_buffer_clear(&name);
    rebali_buffer_text(&name, rebali_find_text(node, "name"));
    if (given != NULL) {
      rebali_buffer_format(&name, "-%" PRId64, i);
    }
    code = name.failed ? rebali_fail_memory(err) : add_node(member, node, index, name.bytes, err);
  }
  rebali_buffer_dispose(&name);
  return code;
}

/* Lists the nodes. Rows of the fleet are in the order in which the store feeds Nodes. */
static int32_t list_nodes(struct rebali_member *member, rebal_error *err) {
  size_t n = 0;
  member->nodes = calloc(member->n_nodes + 1, sizeof *member->nodes);
  if (member->nodes == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t object = rebal_store_next(member->store, "Node", 4, REBAL_NONE); object != REBAL_NONE;
       object = rebal_store_next(member->store, "Node", 4, object)) {
    member->nodes[n++] = (struct rebali_member_node){object, 0};
  }
  return REBAL_OK;
}

static int32_t open_member(struct rebali_members *members, const struct rebali_member_option *option,
                           rebal_error *err) {
  struct rebali_member *member = rebali_member_make(members, option->cluster, err);
  int32_t code = member != NULL ? rebal_store_new(members->core->server->limits, &member->store, err) : REBAL_ENOMEM;
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(option->nodes); i++) {
    code = add_nodes(member, rebal_value_item(option->nodes, i), i, err);
  }
  if (code == REBAL_OK) {
    member->is_stale = member->is_changed = member->is_unsummed = 1;
    members->n_with_nodes++;
    code = list_nodes(member, err);
  }
  return code;
}

int32_t rebali_members_open(struct rebali_members *members, rebal_error *err) {
  int32_t code = REBAL_OK;
  members->bindings.size = sizeof(struct rebali_bound);
  for (size_t i = 0; code == REBAL_OK && i < members->n_options; i++) {
    if (members->options[i].nodes != NULL) {
      code = open_member(members, &members->options[i], err);
    }
  }
  return code;
}
