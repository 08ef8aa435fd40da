/* SPDX-License-Identifier: MIT */
/* Rows of bindings for fleet_builder.h. */
#include "fleet_builder.h"
#include "records.h"
#include "words.h"

#include <string.h>

/* The bindings being filled; the first failure ends the program. */
struct filling {
  struct test_world *world;
  rebal_bindings *bindings;
  uint32_t row;
};

static void must(struct filling *filling, int32_t code) {
  if (code != REBAL_OK) {
    test_wrong(rebal_strerror(code), test_word(filling->world->err.message));
  }
}

static void set_i64(struct filling *filling, uint32_t column, uint32_t row, int64_t value) {
  must(filling, rebal_cells_set_i64(rebal_bindings_cells(filling->bindings), column, REBAL_NONE, row, value,
                                    &filling->world->err));
}

static void set_text(struct filling *filling, uint32_t column, struct test_word word) {
  must(filling, rebal_cells_set_text(rebal_bindings_cells(filling->bindings), column, REBAL_NONE, filling->row,
                                     word.text, word.len, &filling->world->err));
}

static void set_time(struct filling *filling, uint32_t column, int64_t seconds) {
  const rebal_time time = test_time(seconds);

  must(filling, rebal_cells_set_time(rebal_bindings_cells(filling->bindings), column, REBAL_NONE, filling->row, &time,
                                     &filling->world->err));
}

static uint32_t add_child(struct filling *filling, uint32_t table) {
  uint32_t child = REBAL_NONE;

  must(filling,
       rebal_cells_add(rebal_bindings_cells(filling->bindings), table, filling->row, &child, 1, &filling->world->err));
  return child;
}

/* "?" stands for a target without a cluster. */
static int64_t cluster_id(struct filling *filling, struct test_word name) {
  uint32_t id = REBAL_NONE;

  if (name.len == 1 && name.text[0] == '?') {
    return REBAL_NONE;
  }
  must(filling, rebal_fleet_cluster_id(filling->world->fleet, name.text, name.len, &id, &filling->world->err));
  return id;
}

static void add_targets(struct filling *filling, const char *targets) {
  struct test_word rest = test_word(targets);
  struct test_word name;

  while (test_next(&rest, ' ', &name)) {
    const struct test_word replicas = test_cut(&name, '=');
    const uint32_t child = add_child(filling, REBAL_TABLE_TARGET);

    set_i64(filling, REBAL_TARGET_CLUSTER, child, cluster_id(filling, name));
    set_i64(filling, REBAL_TARGET_REPLICAS, child, test_number(replicas));
  }
}

static void add_tasks(struct filling *filling, const char *clusters) {
  struct test_word rest = test_word(clusters);
  struct test_word name;

  while (test_next(&rest, ' ', &name)) {
    const uint32_t child = add_child(filling, REBAL_TABLE_TASK);

    set_i64(filling, REBAL_TASK_FROM_CLUSTER, child, cluster_id(filling, name));
  }
}

static void add_components(struct filling *filling, const char *components) {
  struct test_word rest = test_word(components);
  struct test_word name;

  while (test_next(&rest, ' ', &name)) {
    const struct test_word replicas = test_cut(&name, '=');
    const uint32_t child = add_child(filling, REBAL_TABLE_COMPONENT);

    must(filling, rebal_cells_set_text(rebal_bindings_cells(filling->bindings), REBAL_COMPONENT_NAME, REBAL_NONE, child,
                                       name.text, name.len, &filling->world->err));
    set_i64(filling, REBAL_COMPONENT_REPLICAS, child, test_number(replicas));
  }
}

static void set_identity(struct filling *filling, const struct test_binding *binding) {
  struct test_word group = test_word(binding->kind == NULL ? "apps/v1=Deployment" : binding->kind);
  const struct test_word kind = test_cut(&group, '=');
  struct test_word first = test_word(binding->key == NULL ? "default/web" : binding->key);
  const int is_namespaced = strchr(first.text, '/') != NULL;
  const struct test_word second = test_cut(&first, '/');

  set_text(filling, REBAL_BINDING_NAMESPACE, is_namespaced ? first : test_word(NULL));
  set_text(filling, REBAL_BINDING_NAME, is_namespaced ? second : first);
  set_text(filling, REBAL_BINDING_RESOURCE_NAMESPACE, is_namespaced ? first : test_word(NULL));
  set_i64(filling, REBAL_BINDING_CLUSTER_SCOPED, filling->row, !is_namespaced);
  set_text(filling, REBAL_BINDING_RESOURCE_API_VERSION, group);
  set_text(filling, REBAL_BINDING_RESOURCE_KIND, kind);
  set_text(filling, REBAL_BINDING_RESOURCE_NAME, is_namespaced ? second : first);
  set_text(filling, REBAL_BINDING_RESOURCE_UID, test_word(binding->uid));
  set_text(filling, REBAL_BINDING_RESOURCE_VERSION, test_word(binding->version));
  set_text(filling, REBAL_BINDING_SCHEDULER_NAME, test_word(binding->scheduler));
  set_text(filling, REBAL_BINDING_AFFINITY_GROUP, test_word(binding->friends));
  set_text(filling, REBAL_BINDING_ANTI_AFFINITY_GROUP, test_word(binding->foes));
  set_i64(filling, REBAL_BINDING_GENERATION, filling->row, binding->generation);
  set_i64(filling, REBAL_BINDING_DELETING, filling->row, binding->deleting);
  set_i64(filling, REBAL_BINDING_SCHEDULING_SUSPENDED, filling->row, binding->suspended);
  set_i64(filling, REBAL_BINDING_MANAGED, filling->row, !binding->unmanaged);
}

static void set_status(struct filling *filling, const struct test_binding *binding) {
  struct test_word status = test_word(binding->condition);
  struct test_word reason = test_cut(&status, '/');
  const struct test_word message = test_cut(&reason, '/');

  set_text(filling, REBAL_BINDING_OBSERVED_AFFINITY_NAME, test_word(binding->observed));
  set_i64(filling, REBAL_BINDING_OBSERVED_GENERATION, filling->row, binding->observed_generation);
  set_time(filling, REBAL_BINDING_LAST_SCHEDULED_TIME, binding->scheduled_at);
  set_time(filling, REBAL_BINDING_CONDITION_TRANSITION_TIME, binding->condition_at);
  set_text(filling, REBAL_BINDING_CONDITION_STATUS, status);
  set_text(filling, REBAL_BINDING_CONDITION_REASON, reason);
  set_text(filling, REBAL_BINDING_CONDITION_MESSAGE, message);
}

static void set_applied(struct filling *filling, const struct test_binding *binding) {
  const int is_plain = binding->applied != NULL && binding->applied_state == 0;

  set_i64(filling, REBAL_BINDING_APPLIED_STATE, filling->row,
          is_plain ? REBAL_ANNOTATION_PRESENT : binding->applied_state);
  set_i64(filling, REBAL_BINDING_APPLIED_PLACEMENT, filling->row,
          test_placement_handle(filling->world, binding->applied));
  set_i64(filling, REBAL_BINDING_APPLIED_STRICTLY_EQUAL, filling->row, is_plain);
}

uint32_t test_add_binding(struct test_world *world, rebal_bindings *bindings, const struct test_binding *binding) {
  struct filling filling = {world, bindings == NULL ? world->bindings : bindings, 0};

  must(&filling, rebal_cells_add(rebal_bindings_cells(filling.bindings), REBAL_TABLE_BINDING, REBAL_NONE, &filling.row,
                                 1, &world->err));
  set_identity(&filling, binding);
  set_i64(&filling, REBAL_BINDING_REPLICAS, filling.row, binding->replicas);
  set_i64(&filling, REBAL_BINDING_REQUIREMENTS, filling.row, test_request_handle(world, binding->request));
  set_i64(&filling, REBAL_BINDING_PLACEMENT, filling.row, test_placement_handle(world, binding->placement));
  set_time(&filling, REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, binding->triggered_at);
  set_status(&filling, binding);
  set_applied(&filling, binding);
  add_targets(&filling, binding->targets);
  add_tasks(&filling, binding->evicting);
  add_components(&filling, binding->components);
  return filling.row;
}
