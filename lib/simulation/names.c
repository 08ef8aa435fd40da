/* SPDX-License-Identifier: MIT */
/* Objects that steps and expectations name. */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

/* Without a namespace: cluster scoped, then in the namespace "default". */
static uint32_t find(const rebal_simulation *simulation, const char *kind, const char *space, const char *name) {
  uint32_t found = rebal_store_find(simulation->store, kind, strlen(kind), space, strlen(space), name, strlen(name));
  if (found == REBAL_NONE && space[0] == '\0') {
    found = rebal_store_find(simulation->store, kind, strlen(kind), "default", 7, name, strlen(name));
  }
  return found;
}

int32_t rebali_name_find(rebal_simulation *simulation, const struct rebali_name *name, uint32_t *object,
                         rebal_error *err) {
  char *kind = rebali_cursor_copy(name->kind);
  char *space = rebali_cursor_copy(name->space.len > 0 ? name->space : rebali_slice("\"\""));
  char *text = rebali_cursor_copy(name->name);
  const int has_all = kind != NULL && space != NULL && text != NULL;
  if (has_all) {
    *object = find(simulation, kind, space, text);
  }
  free(kind);
  free(space);
  free(text);
  return has_all ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t find_binding(rebal_simulation *simulation, const char *kind, const char *space, const char *name,
                            uint32_t *binding, rebal_error *err) {
  size_t len = 0;
  char *buffer;
  int32_t code;
  (void)rebal_binding_name(name, strlen(name), kind, strlen(kind), NULL, 0, &len, NULL);
  buffer = malloc(len + 1);
  if (buffer == NULL) {
    return rebali_fail_memory(err);
  }
  code = rebal_binding_name(name, strlen(name), kind, strlen(kind), buffer, len + 1, &len, err);
  kind = space[0] != '\0' ? "ResourceBinding" : "ClusterResourceBinding";
  if (code == REBAL_OK) {
    *binding = rebal_store_find(simulation->store, kind, strlen(kind), space, strlen(space), buffer, len);
  }
  free(buffer);
  return code;
}

int32_t rebali_binding_of(rebal_simulation *simulation, uint32_t object, uint32_t *binding, rebal_error *err) {
  char *kind, *space, *name;
  int32_t code;
  *binding = object;
  if (object == REBAL_NONE || rebali_field_is(simulation, object, "kind", "ResourceBinding") ||
      rebali_field_is(simulation, object, "kind", "ClusterResourceBinding")) {
    return REBAL_OK;
  }
  *binding = REBAL_NONE;
  kind = rebali_field_copy(simulation, object, "kind");
  space = rebali_field_copy(simulation, object, "metadata.namespace");
  name = rebali_field_copy(simulation, object, "metadata.name");
  code = kind != NULL && space != NULL && name != NULL ? find_binding(simulation, kind, space, name, binding, err)
                                                       : rebali_fail_memory(err);
  free(kind);
  free(space);
  free(name);
  return code;
}
