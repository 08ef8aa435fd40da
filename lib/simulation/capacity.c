/* SPDX-License-Identifier: MIT */
/*
 * What member clusters report of themselves: status.resourceSummary.allocated is what the scenario says of it plus the
 * requests of the bindings' pods. Clusters that are being deleted go once nothing runs in them.
 */
#include "member.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "members";

/* null is 0, as it is to the API server. */
static int32_t read_amount(struct rebali_slice value, rebal_quantity *quantity, rebal_error *err) {
  char *text = rebali_cursor_copy(rebali_slice_is(value, "null") ? rebali_slice("0") : value);
  const int32_t code =
      text != NULL ? rebali_quantity_parse(text, strlen(text), quantity, err) : rebali_fail_memory(err);
  free(text);
  return code;
}

/* Adds times as much to the sum of a resource. */
static int32_t add(struct rebali_resource_list *amounts, const char *resource, const rebal_quantity *quantity,
                   int64_t times, rebal_error *err) {
  rebal_quantity *sum = rebali_resource_list_at(amounts, rebali_text(resource, strlen(resource)));
  const rebal_quantity product = rebali_quantity_multiply(quantity, times);
  return sum != NULL ? rebali_quantity_add(sum, &product, sum, err) : rebali_fail_memory(err);
}

static int32_t add_map(struct rebali_resource_list *amounts, struct rebali_slice map, int64_t times, rebal_error *err) {
  struct rebali_slice key, value;
  size_t at = 0;
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && rebali_cursor_member(map, &at, &key, &value)) {
    char *resource = rebali_cursor_copy((struct rebali_slice){key.bytes - 1, key.len + 2});
    rebal_quantity quantity;
    code = read_amount(value, &quantity, err);
    if (code == REBAL_OK) {
      code = resource != NULL ? add(amounts, resource, &quantity, times, err) : rebali_fail_memory(err);
    }
    free(resource);
  }
  return code;
}

static int32_t add_work(rebal_simulation *simulation, const struct rebali_work *work,
                        struct rebali_resource_list *amounts, rebal_error *err) {
  const rebal_quantity one = {1, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  char *requests = rebali_field_copy(simulation, work->binding, "spec.replicaRequirements.resourceRequest");
  const int32_t code =
      requests != NULL ? add_map(amounts, rebali_slice(requests), work->replicas, err) : rebali_fail_memory(err);
  free(requests);
  return code == REBAL_OK ? add(amounts, "pods", &one, work->replicas, err) : code;
}

/* What the work takes is what it took, unless its replicas changed or its binding asks for something else. */
static int32_t renew_taken(rebal_simulation *simulation, struct rebali_work *work, rebal_error *err) {
  const uint64_t told = simulation->tracked[work->binding].requests_told;
  int32_t code;
  if (work->taken_as == told && work->taken_replicas == work->replicas) {
    return REBAL_OK;
  }
  rebali_resource_list_dispose(&work->taken);
  code = add_work(simulation, work, &work->taken, err);
  work->taken_as = code == REBAL_OK ? told : 0;
  work->taken_replicas = work->replicas;
  return code;
}

static int32_t add_taken(rebal_simulation *simulation, struct rebali_work *work, struct rebali_resource_list *amounts,
                         rebal_error *err) {
  int32_t code = renew_taken(simulation, work, err);
  for (size_t i = 0; code == REBAL_OK && i < work->taken.n; i++) {
    code = add(amounts, work->taken.items[i].name.bytes, &work->taken.items[i].quantity, 1, err);
  }
  return code;
}

static int32_t write_amounts(const struct rebali_resource_list *amounts, rebal_text *out, rebal_error *err) {
  int32_t code = rebali_print(out, err, "{");
  for (size_t i = 0; code == REBAL_OK && i < amounts->n; i++) {
    char buffer[80];
    size_t len;
    if (i > 0) {
      code = rebali_print(out, err, ",");
    }
    if (code == REBAL_OK) {
      code = rebali_quote(rebali_slice(amounts->items[i].name.bytes), out, err);
    }
    if (code == REBAL_OK) {
      code = rebali_quantity_format(&amounts->items[i].quantity, buffer, sizeof buffer, &len, err);
    }
    if (code == REBAL_OK) {
      code = rebali_print(out, err, ":\"%s\"", buffer);
    }
  }
  return code == REBAL_OK ? rebali_print(out, err, "}") : code;
}

/*
 * The cluster's amounts as JSON; *n_works of how many works. What was reported before stays, as 0: a merge patch takes
 * nothing away.
 */
static int32_t sum_up(rebal_simulation *simulation, const struct rebali_tracked *tracked, size_t *n_works,
                      rebal_text *out, rebal_error *err) {
  struct rebali_resource_list amounts = {NULL, NULL, 0, 0};
  int32_t code = add_map(&amounts, rebali_slice(tracked->base), 1, err);
  if (code == REBAL_OK) {
    code = add_map(&amounts,
                   rebali_cursor_find(rebali_slice(tracked->reported != NULL ? tracked->reported : ""), "allocated"), 0,
                   err);
  }
  *n_works = 0;
  for (size_t i = tracked->first_work; code == REBAL_OK && i > 0; i = simulation->works[i - 1].next) {
    ++*n_works;
    code = add_taken(simulation, &simulation->works[i - 1], &amounts, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, "{\"allocated\":");
  }
  if (code == REBAL_OK) {
    code = write_amounts(&amounts, out, err);
  }
  rebali_resource_list_dispose(&amounts);
  return code == REBAL_OK ? rebali_print(out, err, "}") : code;
}

/* ---- members with nodes ---- */

/* Of a member with nodes: what its nodes hold, what others and its pods with a node use, what those without one ask. */
static const char *part_name(size_t part) {
  return rebal_enum_name(REBAL_ENUM_CAPACITY, (int64_t)part, NULL);
}

static int32_t add_nodes(const rebal_simulation *simulation, const struct rebali_member *member,
                         struct rebali_resource_list *amounts, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < member->n_nodes; i++) {
    code =
        add_map(amounts, rebali_read(simulation, member->store, member->nodes[i].object, "status.allocatable"), 1, err);
  }
  return code;
}

static int64_t count_pods(const struct rebali_member *member, uint32_t binding, int with_node) {
  int64_t n = 0;
  for (size_t i = 0; i < member->n_pods; i++) {
    n += member->pods[i].binding == binding && (member->pods[i].node != REBAL_NONE) == with_node;
  }
  return n;
}

static int32_t add_pods(rebal_simulation *simulation, const struct rebali_member *member, int with_node,
                        struct rebali_resource_list *amounts, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < simulation->n_works; i++) {
    struct rebali_work work = simulation->works[i];
    if (strcmp(work.cluster, member->cluster) == 0) {
      work.replicas = count_pods(member, work.binding, with_node);
      code = add_work(simulation, &work, amounts, err);
    }
  }
  return code;
}

static int32_t sum_up_part(rebal_simulation *simulation, const struct rebali_tracked *tracked,
                           const struct rebali_member *member, size_t part, rebal_text *out, rebal_error *err) {
  const struct rebali_slice reported = rebali_slice(tracked->reported != NULL ? tracked->reported : "");
  struct rebali_resource_list amounts = {NULL, NULL, 0, 0};
  int32_t code = add_map(&amounts, rebali_cursor_find(reported, part_name(part)), 0, err);
  if (code == REBAL_OK && part == 1) {
    code = add_map(&amounts, rebali_slice(tracked->base), 1, err);
  }
  if (code == REBAL_OK) {
    code = part == 0 ? add_nodes(simulation, member, &amounts, err)
                     : add_pods(simulation, member, part == 1, &amounts, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, "%s\"%s\":", part > 0 ? "," : "{", part_name(part));
  }
  if (code == REBAL_OK) {
    code = write_amounts(&amounts, out, err);
  }
  rebali_resource_list_dispose(&amounts);
  return code;
}

static int32_t sum_up_nodes(rebal_simulation *simulation, const struct rebali_tracked *tracked,
                            const struct rebali_member *member, size_t *n_works, rebal_text *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  *n_works = 0;
  for (size_t i = 0; i < simulation->n_works; i++) {
    *n_works += strcmp(simulation->works[i].cluster, member->cluster) == 0;
  }
  for (size_t i = 0; code == REBAL_OK && i <= REBAL_CAPACITY_ALLOCATING; i++) {
    code = sum_up_part(simulation, tracked, member, i, out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "}") : code;
}

/* Of a cluster that tells its nodes; NULL: it is none, or nothing is heard of it. */
static struct rebali_member *member_of(rebal_simulation *simulation, uint32_t object) {
  size_t len;
  const char *cluster = rebal_store_identity(simulation->store, object, REBAL_IDENTITY_NAME, &len);
  return len > 0 ? rebali_member_find(simulation, cluster) : NULL;
}

/* ---- reports ---- */

static int32_t patch(rebal_simulation *simulation, uint32_t object, const char *amounts, const char *reason,
                     rebal_error *err) {
  size_t len;
  const char *bytes;
  int32_t code;
  rebal_text_reset(simulation->scratch);
  code = rebali_print(simulation->scratch, err, "{\"status\":{\"resourceSummary\":%s}}", amounts);
  bytes = rebal_text_bytes(simulation->scratch, &len);
  if (code == REBAL_OK) {
    code = rebal_store_patch(simulation->store, object, bytes, len, &simulation->now, err);
  }
  return code == REBAL_OK ? rebali_watch(simulation, object, name, reason, err) : code;
}

/* Without nodes nothing is reported before the first pod came. */
static int32_t report(rebal_simulation *simulation, uint32_t object, struct rebali_tracked *tracked,
                      const char *amounts, int has_nodes, int is_worth_it, rebal_error *err) {
  const char *reason = has_nodes ? "what its nodes hold, and what its pods ask for" : "pods of bindings came or went";
  if (tracked->reported == NULL ? !is_worth_it : strcmp(tracked->reported, amounts) == 0) {
    return REBAL_OK;
  }
  free(tracked->reported);
  tracked->reported = rebali_bytes_copy(amounts, strlen(amounts));
  return tracked->reported != NULL ? patch(simulation, object, amounts, reason, err) : rebali_fail_memory(err);
}

static int32_t look_at(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  struct rebali_member *member = simulation->n_members > 0 ? member_of(simulation, object) : NULL;
  const int has_nodes = member != NULL && member->store != NULL;
  struct rebali_tracked *tracked = rebali_track(simulation, object);
  rebal_text *amounts = NULL;
  size_t n_works = 0;
  int32_t code = tracked != NULL ? rebal_text_new(&amounts, err) : rebali_fail_memory(err);
  if (code == REBAL_OK && tracked->base == NULL) {
    tracked->base = rebali_field_copy(simulation, object, "status.resourceSummary.allocated");
    code = tracked->base != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  if (code == REBAL_OK) {
    code = has_nodes ? sum_up_nodes(simulation, tracked, member, &n_works, amounts, err)
                     : sum_up(simulation, tracked, &n_works, amounts, err);
  }
  if (code == REBAL_OK && !(member != NULL && member->is_lost) &&
      (has_nodes || !rebali_field_is(simulation, object, "status.resourceSummary", ""))) {
    code =
        report(simulation, object, tracked, rebal_text_bytes(amounts, NULL), has_nodes, has_nodes || n_works > 0, err);
  }
  if (code == REBAL_OK && n_works == 0 && !rebali_field_is(simulation, object, "metadata.deletionTimestamp", "")) {
    code = rebali_remove(simulation, object, name, "the cluster was deleted and nothing runs in it", err);
    rebali_member_forget(member);
  }
  rebal_text_free(amounts);
  return code;
}

void rebali_capacity_touch(rebal_simulation *simulation, const char *cluster) {
  const uint32_t object = rebal_store_find(simulation->store, "Cluster", 7, "", 0, cluster, strlen(cluster));
  if (object < simulation->n_tracked) {
    simulation->tracked[object].is_stale = 1;
  }
}

/* What a replica of the binding asks for may be something else. */
static int32_t note_binding(rebal_simulation *simulation, uint32_t binding, rebal_error *err) {
  struct rebali_tracked *tracked = rebali_track(simulation, binding);
  char *requests = rebali_field_copy(simulation, binding, "spec.replicaRequirements.resourceRequest");
  if (tracked == NULL || requests == NULL) {
    free(requests);
    return rebali_fail_memory(err);
  }
  if (tracked->requests != NULL && strcmp(tracked->requests, requests) == 0) {
    free(requests);
    return REBAL_OK;
  }
  free(tracked->requests);
  tracked->requests = requests;
  tracked->requests_told = ++simulation->requests_told;
  for (size_t i = rebali_works_of(simulation, binding);
       i < simulation->n_works && simulation->works[i].binding == binding; i++) {
    rebali_capacity_touch(simulation, simulation->works[i].cluster);
  }
  return REBAL_OK;
}

static int32_t note_changed(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids changed;
  int32_t code = rebali_changes_take(simulation, &simulation->summed, &changed, err);
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (rebali_field_is(simulation, changed.list[i], "kind", "Cluster")) {
      struct rebali_tracked *tracked = rebali_track(simulation, changed.list[i]);
      if (tracked == NULL) {
        code = rebali_fail_memory(err);
      } else {
        tracked->is_stale = 1;
      }
    } else if (rebali_object_is_binding(simulation, changed.list[i])) {
      code = note_binding(simulation, changed.list[i], err);
    }
  }
  rebali_ids_dispose(&changed);
  return code;
}

/* The works of each stale cluster, in their order. A cluster that goes has none. */
static void link_works(rebal_simulation *simulation) {
  for (size_t i = simulation->n_works; i-- > 0;) {
    struct rebali_work *work = &simulation->works[i];
    if (work->object == REBAL_NONE) {
      work->object = rebal_store_find(simulation->store, "Cluster", 7, "", 0, work->cluster, strlen(work->cluster));
    }
    if (work->object < simulation->n_tracked && simulation->tracked[work->object].is_stale) {
      work->next = simulation->tracked[work->object].first_work;
      simulation->tracked[work->object].first_work = i + 1;
    }
  }
}

int32_t rebali_capacity_run(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids stale = {NULL, 0, 0};
  int32_t code = note_changed(simulation, err);
  for (uint32_t object = rebali_next_of(simulation, "Cluster", REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_of(simulation, "Cluster", object)) {
    if (object < simulation->n_tracked && simulation->tracked[object].is_stale) {
      simulation->tracked[object].first_work = 0;
      code = rebali_ids_add(&stale, object, err);
    }
  }
  if (stale.n > 0) {
    link_works(simulation);
  }
  for (size_t i = 0; code == REBAL_OK && i < stale.n; i++) {
    simulation->tracked[stale.list[i]].is_stale = 0;
    code = look_at(simulation, stale.list[i], err);
  }
  rebali_ids_dispose(&stale);
  simulation->summed = rebal_store_change_count(simulation->store); /* its own reports change nothing in it */
  return code;
}
