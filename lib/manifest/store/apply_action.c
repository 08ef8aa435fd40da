/* SPDX-License-Identifier: MIT */
/* Carries out actions on the store as an API server would. */
#include "manifest/validate/checks.h"
#include "manifest/spread/kruise.h"

#include <string.h>

/* The action being carried out. */
struct run {
  rebal_store *store;
  const struct rebali_action_row *action;
  const rebal_time *now;
  rebal_observations *observations; /* NULL: not needed */
  uint32_t object;
  json_t *tree; /* of the object before the action */
};

static int32_t observe(const struct run *run, int32_t outcome, const json_t *tree, const rebal_record *fields,
                       const char *message, rebal_error *err) {
  const char *version = rebali_member_text(rebali_member(tree, "metadata"), "resourceVersion");
  if (run->observations == NULL) {
    return REBAL_OK;
  }
  return rebal_observations_add(run->observations,
                                &(rebal_observation){.struct_size = (uint32_t)sizeof(rebal_observation),
                                                     .outcome = outcome,
                                                     .ordinal = run->action->ordinal,
                                                     .resource_version = version,
                                                     .resource_version_len = strlen(version),
                                                     .fields = fields,
                                                     .message = message,
                                                     .message_len = strlen(message)},
                                err);
}

static int32_t refuse(const struct run *run, int32_t outcome, const char *before, const char *after, rebal_error *err) {
  struct rebali_buffer output = REBALI_BUFFER;
  int32_t result;
  rebali_buffer_text(&output, before);
  rebali_append_subject(&output, run->action->api_version, run->action->object_kind, run->action->name);
  rebali_buffer_text(&output, after);
  result = output.failed ? rebali_fail_memory(err) : observe(run, outcome, NULL, NULL, output.bytes, err);
  rebali_buffer_dispose(&output);
  return result;
}

static int32_t refuse_conflict(const struct run *run, rebal_error *err) {
  return refuse(run, REBAL_OBSERVED_CONFLICT, "Operation cannot be fulfilled on ",
                ": the object has been modified; please apply your changes to the latest version and try again", err);
}

static int meets_preconditions(const struct run *run, const json_t *tree) {
  const json_t *metadata = rebali_member(tree, "metadata");
  const struct rebali_action_row *action = run->action;
  return (action->uid[0] == '\0' || strcmp(action->uid, rebali_member_text(metadata, "uid")) == 0) &&
         (action->resource_version[0] == '\0' ||
          strcmp(action->resource_version, rebali_member_text(metadata, "resourceVersion")) == 0);
}

static int32_t carry_read(const struct run *run, rebal_error *err) {
  const rebal_record *fields = NULL;
  rebal_builder *builder;
  int32_t result = rebal_builder_new(NULL, &builder, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebal_store_record(run->store, run->object, builder, &fields, err);
  if (result == REBAL_OK || result == REBAL_EUNSUPPORTED) {
    result = observe(run, REBAL_OBSERVED_DONE, run->tree, fields, "", err);
  }
  rebal_builder_free(builder);
  return result;
}

static int32_t carry_delete(const struct run *run, rebal_error *err) {
  const int32_t result = observe(run, REBAL_OBSERVED_DONE, run->tree, NULL, "", err);
  return result == REBAL_OK ? rebal_store_remove(run->store, run->object, err) : result;
}

static int32_t carry_create(const struct run *run, rebal_error *err) {
  json_t *tree = NULL;
  uint32_t object = REBAL_NONE;
  int32_t result = rebali_action_patch(run->action, &tree, err);
  if (result == REBAL_OK) {
    result = rebali_metadata_create(tree, run->now, err);
  }
  if (result == REBAL_OK) {
    result = rebali_store_put(run->store, tree, &object, err);
  }
  if (result == REBAL_OK) {
    result = observe(run, REBAL_OBSERVED_DONE, tree, NULL, "", err);
    if (result != REBAL_OK) {
      (void)rebal_store_remove(run->store, object, NULL);
    }
  }
  json_decref(tree);
  return result;
}

static int32_t patch_tree(const struct run *run, json_t *tree, const json_t *before, rebal_error *err) {
  json_t *metadata = rebali_member(before, "metadata");
  json_t *patch = NULL;
  int32_t result = rebali_action_patch(run->action, &patch, err);
  if (result == REBAL_OK) {
    result = rebali_conditions_merge(run->action, before, patch, err);
  }
  if (result == REBAL_OK && metadata != NULL) {
    result = rebali_put(tree, "metadata", rebali_copy(metadata), err);
  }
  if (result == REBAL_OK) {
    result = rebali_merge(tree, patch, err);
  }
  if (result == REBAL_OK) {
    result = rebali_metadata_update(tree, before, err);
  }
  json_decref(patch);
  return result;
}

static int32_t carry_merge(const struct run *run, json_t **out, rebal_error *err) {
  json_t *tree = rebali_copy(run->tree);
  int32_t result = tree != NULL ? patch_tree(run, tree, run->tree, err) : rebali_fail_memory(err);
  if (result != REBAL_OK) {
    json_decref(tree);
    return result;
  }
  *out = tree;
  return REBAL_OK;
}

/* A pod's metadata is patched by a user's patch, which may be refused. */
static int32_t carry_pod_patch(const struct run *run, json_t **out, rebal_error *err) {
  json_t *patch, *tree;
  int32_t result = rebali_action_patch(run->action, &patch, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_pod_patched(run->tree, patch, &tree, err);
  json_decref(patch);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_admit_patched(tree, run->tree, run->now, err);
  if (result != REBAL_OK) {
    json_decref(tree);
    return result;
  }
  *out = tree;
  return REBAL_OK;
}

/* Observes the failure of a pod's patch. */
static int32_t refuse_pod_patch(const struct run *run, const rebal_error *why, rebal_error *err) {
  if (why->code == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  return why->code == REBAL_EMISMATCH ? refuse_conflict(run, err)
                                      : observe(run, REBAL_OBSERVED_DENIED, NULL, NULL, why->message, err);
}

static int32_t carry_patch(const struct run *run, rebal_error *err) {
  rebal_error why = REBAL_ERROR_INIT;
  json_t *tree = NULL;
  int32_t result;
  if (run->action->payload_object == REBAL_OBJECT_POD_PATCH) {
    result = carry_pod_patch(run, &tree, &why);
    if (result != REBAL_OK) {
      return refuse_pod_patch(run, &why, err);
    }
  } else {
    result = carry_merge(run, &tree, err);
  }
  if (result == REBAL_OK) {
    result = observe(run, REBAL_OBSERVED_DONE, tree, NULL, "", err);
  }
  if (result == REBAL_OK) {
    result = rebali_store_replace_tree(run->store, run->object, tree, err);
  }
  json_decref(tree);
  return result;
}

static int32_t carry_out_on_tree(const struct run *run, rebal_error *err) {
  const int64_t kind = run->action->kind;
  if (kind == REBAL_ACTION_KIND_READ) {
    return carry_read(run, err);
  }
  if (!meets_preconditions(run, run->tree)) {
    return refuse_conflict(run, err);
  }
  return kind == REBAL_ACTION_KIND_DELETE || kind == REBAL_ACTION_KIND_EVICT ? carry_delete(run, err)
                                                                             : carry_patch(run, err);
}

static int32_t carry_out(struct run *run, rebal_error *err) {
  const struct rebali_action_row *action = run->action;
  int32_t result;
  run->object =
      rebali_store_find_text(run->store, action->api_version, action->object_kind, action->namespace_, action->name);
  if (action->kind == REBAL_ACTION_KIND_CREATE) {
    return run->object == REBAL_NONE ? carry_create(run, err)
                                     : refuse(run, REBAL_OBSERVED_CONFLICT, "", " already exists", err);
  }
  if (run->object == REBAL_NONE) {
    return refuse(run, REBAL_OBSERVED_NOT_FOUND, "", " not found", err);
  }
  result = rebali_store_share(run->store, run->object, &run->tree, err);
  if (result == REBAL_OK) {
    result = carry_out_on_tree(run, err);
  }
  json_decref(run->tree);
  return result;
}

int32_t rebal_store_carry_out(rebal_store *store, const rebal_result *result, size_t action, const rebal_time *now,
                              rebal_observations *observations, rebal_error *err) {
  struct rebali_action_row loaded;
  struct run run = {store, &loaded, now, observations, REBAL_NONE, NULL};
  int32_t code;
  if (store == NULL || result == NULL || now == NULL || !now->is_set) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store, result and now are needed");
  }
  code = rebali_action_load(result, action, &loaded, err);
  if (code != REBAL_OK || loaded.kind == REBAL_ACTION_KIND_WAKE) {
    return code;
  }
  if (loaded.kind == REBAL_ACTION_KIND_EVENT) {
    return rebali_event_record(store, &loaded, now, err);
  }
  if (loaded.kind < REBAL_ACTION_KIND_READ || loaded.kind > REBAL_ACTION_KIND_SCALE ||
      loaded.kind == REBAL_ACTION_KIND_LIST) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "the store does not carry out actions of this kind");
  }
  return carry_out(&run, err);
}
