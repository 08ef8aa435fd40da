/* SPDX-License-Identifier: MIT */
/*
 * What member clusters report of themselves: status.resourceSummary.allocated is the value of the scenario plus the
 * requests of the bindings' pods. Clusters that are being deleted are removed once nothing runs in them.
 */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>
#include <string.h>

static const char name[] = "members";

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* Adds a multiple to the sum of a resource. */
static int32_t add(struct rebali_resource_list *amounts, const char *resource, const rebal_quantity *quantity,
                   int64_t times, rebal_error *err) {
  rebal_quantity *sum = rebali_resource_list_at(amounts, rebali_text(resource, strlen(resource)));
  const rebal_quantity product = rebali_quantity_multiply(quantity, times);
  return sum != NULL ? rebali_quantity_add(sum, &product, sum, err) : rebali_fail_memory(err);
}

static int32_t add_map(struct rebali_resource_list *amounts, const rebal_value *map, int64_t times, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (const char *key = rebal_value_next_key(map, NULL); code == REBAL_OK && key != NULL;
       key = rebal_value_next_key(map, key)) {
    rebal_quantity quantity;
    code = rebali_quantity_of(rebali_find(map, key), &quantity, err);
    if (code == REBAL_OK) {
      code = add(amounts, key, &quantity, times, err);
    }
  }
  return code;
}

/* Adds a multiple of a map, given as JSON; NULL: nothing. */
static int32_t add_text(struct rebali_resource_list *amounts, const char *text, const char *path, int64_t times,
                        rebal_error *err) {
  rebal_document *document = NULL;
  int32_t code =
      text != NULL && text[0] != '\0' ? rebal_document_read(text, REBAL_TERMINATED, NULL, &document, err) : REBAL_OK;
  if (code == REBAL_OK) {
    code = add_map(amounts, rebal_document_value(document, path), times, err);
  }
  rebal_document_free(document);
  return code;
}

static int32_t add_replicas(const struct rebali_work *work, int64_t replicas, struct rebali_resource_list *amounts,
                            rebal_error *err) {
  const rebal_quantity one = {1, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const int32_t code = add_map(
      amounts,
      rebali_field(work->member->members->core->server, work->binding, "spec.replicaRequirements.resourceRequest"),
      replicas, err);
  return code == REBAL_OK ? add(amounts, "pods", &one, replicas, err) : code;
}

/* Computes again what the work takes if its replicas or the requests of its binding changed. */
static int32_t renew_taken(struct rebali_work *work, rebal_error *err) {
  const uint64_t reported_requests = rebali_bound_find(work->member->members, work->binding)->requests_reported;
  int32_t code;
  if (work->taken_as == reported_requests && work->taken_replicas == work->replicas) {
    return REBAL_OK;
  }
  rebali_resource_list_dispose(&work->taken);
  code = add_replicas(work, work->replicas, &work->taken, err);
  work->taken_as = code == REBAL_OK ? reported_requests : 0;
  work->taken_replicas = work->replicas;
  return code;
}

static int32_t add_taken(struct rebali_work *work, struct rebali_resource_list *amounts, rebal_error *err) {
  int32_t code = renew_taken(work, err);
  for (size_t i = 0; code == REBAL_OK && i < work->taken.n; i++) {
    code = add(amounts, work->taken.items[i].name.bytes, &work->taken.items[i].quantity, 1, err);
  }
  return code;
}

static int32_t print_amounts(const struct rebali_resource_list *amounts, struct rebali_buffer *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  rebali_buffer_text(out, "{");
  for (size_t i = 0; code == REBAL_OK && i < amounts->n; i++) {
    char text[80];
    size_t len;
    rebali_buffer_text(out, i > 0 ? "," : "");
    rebali_print_text(out, amounts->items[i].name.bytes);
    code = rebali_quantity_format(&amounts->items[i].quantity, text, sizeof text, &len, err);
    if (code == REBAL_OK) {
      rebali_buffer_format(out, ":\"%s\"", text);
    }
  }
  rebali_buffer_text(out, "}");
  return code == REBAL_OK && out->failed ? rebali_fail_memory(err) : code;
}

/* Returns the number of works with pods in a cluster. */
static size_t count_works(const struct rebali_member *member) {
  size_t n = 0;
  for (size_t i = 0; i < member->n_works; i++) {
    n += !member->works[i]->is_dropped;
  }
  return n;
}

/* Prints the cluster's amounts as JSON. Resources reported before stay, as 0: a merge patch removes nothing. */
static int32_t sum_up(struct rebali_member *member, struct rebali_buffer *out, rebal_error *err) {
  struct rebali_resource_list amounts = {NULL, NULL, 0, 0};
  int32_t code = add_text(&amounts, member->base, "", 1, err);
  if (code == REBAL_OK) {
    code = add_text(&amounts, member->reported, "allocated", 0, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < member->n_works; i++) {
    code = member->works[i]->is_dropped ? REBAL_OK : add_taken(member->works[i], &amounts, err);
  }
  rebali_buffer_text(out, "{\"allocated\":");
  if (code == REBAL_OK) {
    code = print_amounts(&amounts, out, err);
  }
  rebali_resource_list_dispose(&amounts);
  return code;
}

/* ---- members with nodes: their capacity, what pods with a node use, what those without one request --------------- */

static const char *part_name(size_t part) {
  return rebal_enum_name(REBAL_ENUM_CAPACITY, (int64_t)part, NULL);
}

static int32_t add_nodes(const struct rebali_member *member, struct rebali_resource_list *amounts, rebal_error *err) {
  struct rebali_server *server = member->members->core->server;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < member->n_nodes; i++) {
    code = add_map(amounts, rebali_read(server, member->store, member->nodes[i].object, "status.allocatable"), 1, err);
  }
  return code;
}

static int64_t count_pods(const struct rebali_work *work, int with_node) {
  int64_t n = 0;
  for (size_t i = 0; i < work->pods.n; i++) {
    n += (work->pods.list[i].node != REBAL_NONE) == with_node;
  }
  return n;
}

static int32_t add_pods(const struct rebali_member *member, int with_node, struct rebali_resource_list *amounts,
                        rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < member->n_works; i++) {
    const struct rebali_work *work = member->works[i];
    code = work->is_dropped ? REBAL_OK : add_replicas(work, count_pods(work, with_node), amounts, err);
  }
  return code;
}

static int32_t sum_up_part(const struct rebali_member *member, size_t part, struct rebali_buffer *out,
                           rebal_error *err) {
  struct rebali_resource_list amounts = {NULL, NULL, 0, 0};
  int32_t code = add_text(&amounts, member->reported, part_name(part), 0, err);
  if (code == REBAL_OK && part == 1) {
    code = add_text(&amounts, member->base, "", 1, err);
  }
  if (code == REBAL_OK) {
    code = part == 0 ? add_nodes(member, &amounts, err) : add_pods(member, part == 1, &amounts, err);
  }
  rebali_buffer_format(out, "%s\"%s\":", part > 0 ? "," : "{", part_name(part));
  if (code == REBAL_OK) {
    code = print_amounts(&amounts, out, err);
  }
  rebali_resource_list_dispose(&amounts);
  return code;
}

static int32_t sum_up_nodes(const struct rebali_member *member, struct rebali_buffer *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i <= REBAL_CAPACITY_ALLOCATING; i++) {
    code = sum_up_part(member, i, out, err);
  }
  return code;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/* Without nodes nothing is reported before the first pod is created. */
static int32_t report(struct rebali_member *member, const char *amounts, rebal_error *err) {
  struct rebali_server *server = member->members->core->server;
  const int has_nodes = member->store != NULL;
  struct rebali_buffer *patch = &server->scratch;
  int32_t code;
  if (member->reported == NULL ? !has_nodes && count_works(member) == 0 : strcmp(member->reported, amounts) == 0) {
    return REBAL_OK;
  }
  free(member->reported);
  member->reported = rebali_text_copy(amounts);
  rebali_buffer_clear(patch);
  rebali_buffer_format(patch, "{\"status\":{\"resourceSummary\":%s}}", amounts);
  code = member->reported != NULL ? rebali_patch(server, member->object, patch, err) : rebali_fail_memory(err);
  return code == REBAL_OK
             ? rebali_watch(server, member->object, name,
                            has_nodes ? "what its nodes hold and its pods request" : "pods of bindings came or went",
                            err)
             : code;
}

static int32_t read_base(struct rebali_member *member, rebal_error *err) {
  struct rebali_server *server = member->members->core->server;
  struct rebali_buffer base = REBALI_BUFFER, modeled = REBALI_BUFFER;
  if (member->base != NULL && member->modeled != NULL) {
    return REBAL_OK;
  }
  rebali_print_json(&base, rebali_field(server, member->object, "status.resourceSummary.allocated"));
  rebali_print_json(&modeled, rebali_field(server, member->object, "status.resourceSummary.allocatableModelings"));
  if (!base.failed && !modeled.failed) {
    member->base = member->base != NULL ? member->base : rebali_text_copy(rebali_printed(&base));
    member->modeled = member->modeled != NULL ? member->modeled : rebali_text_copy(rebali_printed(&modeled));
  }
  rebali_buffer_dispose(&base);
  rebali_buffer_dispose(&modeled);
  return member->base != NULL && member->modeled != NULL ? REBAL_OK : rebali_fail_memory(err);
}

/* Prints its resourceSummary, without what it can offer if no nodes determine that. */
static int32_t print_summary(struct rebali_member *member, struct rebali_buffer *out, rebal_error *err) {
  int32_t code = member->store != NULL ? sum_up_nodes(member, out, err) : sum_up(member, out, err);
  if (code == REBAL_OK) {
    code = rebali_models_print(member, out, err);
  }
  rebali_buffer_text(out, "}");
  return code == REBAL_OK && out->failed ? rebali_fail_memory(err) : code;
}

static int32_t examine_object(struct rebali_member *member, rebal_error *err) {
  struct rebali_server *server = member->members->core->server;
  struct rebali_buffer amounts = REBALI_BUFFER;
  int32_t code = read_base(member, err);
  if (code == REBAL_OK) {
    code = print_summary(member, &amounts, err);
  }
  if (code == REBAL_OK && !member->is_lost &&
      (member->store != NULL || rebali_field(server, member->object, "status.resourceSummary") != NULL)) {
    code = report(member, amounts.bytes, err);
    if (code == REBAL_OK && member->reported != NULL) {
      code = rebali_overuse_report(member, amounts.bytes, err);
    }
  }
  if (code == REBAL_OK && count_works(member) == 0 &&
      rebali_field(server, member->object, "metadata.deletionTimestamp") != NULL) {
    code = rebali_remove(server, member->object, name, "the cluster was deleted and nothing runs in it", err);
    rebali_member_forget(member);
  }
  rebali_buffer_dispose(&amounts);
  return code;
}

/* Notes that the requests of a replica of the binding may have changed. */
static int32_t note_binding(struct rebali_members *members, uint32_t binding, rebal_error *err) {
  struct rebali_bound *bound = rebali_row(&members->bindings, binding, err);
  struct rebali_buffer requests = REBALI_BUFFER;
  if (bound == NULL) {
    return REBAL_ENOMEM;
  }
  rebali_print_json(&requests,
                    rebali_field(members->core->server, binding, "spec.replicaRequirements.resourceRequest"));
  rebali_buffer_text(&requests, "");
  if (requests.failed) {
    rebali_buffer_dispose(&requests);
    return rebali_fail_memory(err);
  }
  if (bound->requests != NULL && strcmp(bound->requests, requests.bytes) == 0) {
    rebali_buffer_dispose(&requests);
    return REBAL_OK;
  }
  free(bound->requests);
  bound->requests = requests.bytes; /* from malloc */
  bound->requests_reported = ++members->requests_reported;
  for (size_t i = 0; i < bound->n; i++) {
    rebali_capacity_touch(bound->works[i]->member);
  }
  return REBAL_OK;
}

static int32_t note_changed(struct rebali_cluster_status *status, rebal_error *err) {
  struct rebali_members *members = status->members;
  struct rebali_server *server = members->core->server;
  struct rebali_ids changed;
  int32_t code = rebali_changes_take(server, &status->seen, &changed, err);
  for (size_t i = 0; code == REBAL_OK && i < changed.n; i++) {
    if (rebali_is_kind(server, changed.list[i], "Cluster")) {
      struct rebali_member *member = rebali_member_register(members, changed.list[i], err);
      code = member != NULL ? REBAL_OK : REBAL_ENOMEM;
      if (member != NULL) {
        rebali_capacity_touch(member);
      }
    } else if (rebali_object_is_binding(server, changed.list[i])) {
      code = note_binding(members, changed.list[i], err);
    }
    rebali_reads_release(server);
  }
  rebali_ids_dispose(&changed);
  return code;
}

int32_t rebali_cluster_status_run(struct rebali_cluster_status *status, rebal_error *err) {
  struct rebali_members *members = status->members;
  struct rebali_server *server = members->core->server;
  int32_t code = note_changed(status, err);
  for (size_t i = 0; code == REBAL_OK && i < members->n; i++) {
    struct rebali_member *member = members->list[i];
    if (member->is_unsummed && rebali_is_kind(server, member->object, "Cluster")) {
      member->is_unsummed = 0;
      code = examine_object(member, err);
      rebali_reads_release(server);
    }
  }
  status->seen = rebal_store_change_count(server->store); /* its own reports change nothing here */
  return code;
}
