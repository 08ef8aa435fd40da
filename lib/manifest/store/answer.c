/* SPDX-License-Identifier: MIT */
/* Takes an API server's answer to an action that was sent into the observations and the store. */
#include "manifest/patch/document.h"
#include "manifest/store/requests.h"

#include <stdio.h>
#include <string.h>

/* The answer being processed. */
struct answer {
  rebal_store *store;
  const struct rebali_action_row *action;
  rebal_observations *observations; /* may be NULL */
  int32_t status;
  json_t *body; /* NULL: unreadable */
};

static int32_t outcome_of(int32_t status) {
  static const struct {
    int32_t first, last, outcome;
  } ranges[] = {{200, 299, REBAL_OBSERVED_DONE},      {404, 404, REBAL_OBSERVED_NOT_FOUND},
                {409, 409, REBAL_OBSERVED_CONFLICT},  {408, 408, REBAL_OBSERVED_TRANSIENT},
                {429, 429, REBAL_OBSERVED_TRANSIENT}, {400, 499, REBAL_OBSERVED_DENIED}};
  for (size_t i = 0; i < REBALI_COUNT(ranges); i++) {
    if (status >= ranges[i].first && status <= ranges[i].last) {
      return ranges[i].outcome;
    }
  }
  return REBAL_OBSERVED_TRANSIENT;
}

/* Returns 1 if the body is the object of the action, not a Status or another object. */
static int is_the_object(const struct answer *answer) {
  const struct rebali_action_row *action = answer->action;
  const json_t *metadata = rebali_member(answer->body, "metadata");
  return strcmp(rebali_member_text(answer->body, "kind"), action->object_kind) == 0 &&
         strcmp(rebali_member_text(answer->body, "apiVersion"), action->api_version) == 0 &&
         strcmp(rebali_member_text(metadata, "namespace"), action->namespace_) == 0 &&
         rebali_member_text(metadata, "name")[0] != '\0' &&
         (action->name[0] == '\0' || strcmp(rebali_member_text(metadata, "name"), action->name) == 0);
}

/* An object deleted at once is returned in its last state; one that waits for finalizers has a deletionTimestamp. */
static int is_gone(const struct answer *answer) {
  return answer->action->kind == REBAL_ACTION_KIND_DELETE &&
         rebali_member(rebali_member(answer->body, "metadata"), "deletionTimestamp") == NULL;
}

/* Returns 1 if the object could be patched because the store had it. */
static int is_patch(const struct answer *answer) {
  return answer->action->kind == REBAL_ACTION_KIND_PATCH_SPEC ||
         answer->action->kind == REBAL_ACTION_KIND_PATCH_STATUS ||
         answer->action->kind == REBAL_ACTION_KIND_PATCH_METADATA;
}

/* A faster watch may have stored a later state, which is kept: also that the object is deleted. */
static int32_t put(const struct answer *answer, uint32_t *object, rebal_error *err) {
  const struct rebali_action_row *action = answer->action;
  const json_t *metadata = rebali_member(answer->body, "metadata");
  const char *version = rebali_member_text(metadata, "resourceVersion");
  int is_newer = 0;
  int32_t result = REBAL_OK;
  *object = rebali_store_find_text(answer->store, action->api_version, action->object_kind, action->namespace_,
                                   rebali_member_text(metadata, "name"));
  if (*object != REBAL_NONE) {
    result = rebali_object_is_newer(answer->store, *object, version, &is_newer, err);
  } else {
    is_newer = is_patch(answer);
  }
  if (result != REBAL_OK || is_newer) {
    return result;
  }
  result = rebali_store_put(answer->store, answer->body, object, err);
  return result == REBAL_OK ? rebali_own_write_note(answer->store, *object, version, err) : result;
}

/* Stores the server's current object; *object: REBAL_NONE if the answer has none. */
static int32_t keep(const struct answer *answer, uint32_t *object, rebal_error *err) {
  const struct rebali_action_row *action = answer->action;
  *object = REBAL_NONE;
  if (outcome_of(answer->status) != REBAL_OBSERVED_DONE || action->kind == REBAL_ACTION_KIND_EVICT) {
    return REBAL_OK;
  }
  if (!is_gone(answer)) {
    return is_the_object(answer) ? put(answer, object, err) : REBAL_OK;
  }
  *object =
      rebali_store_find_text(answer->store, action->api_version, action->object_kind, action->namespace_, action->name);
  if (*object != REBAL_NONE) {
    (void)rebal_store_remove(answer->store, *object, NULL); /* it exists */
    *object = REBAL_NONE;
  }
  return REBAL_OK;
}

/* Reads the fields of the observation; of a denial the server's reason. *fields belongs to the builder, NULL: none. */
static int32_t read_fields(const struct answer *answer, uint32_t object, rebal_builder *builder,
                           const rebal_record **fields, rebal_error *err) {
  const char *reason = rebali_member_text(answer->body, "reason");
  json_t *condition;
  int32_t result;
  if (answer->action->kind == REBAL_ACTION_KIND_READ && object != REBAL_NONE) {
    result = rebal_store_record(answer->store, object, builder, fields, err);
    return result == REBAL_EUNSUPPORTED ? REBAL_OK : result;
  }
  if (outcome_of(answer->status) != REBAL_OBSERVED_DENIED || reason[0] == '\0') {
    return REBAL_OK;
  }
  condition = json_pack("{s:s}", "reason", reason);
  result = condition != NULL ? rebali_read_record(builder, REBAL_OBJECT_CONDITION, condition, NULL, fields, err)
                             : rebali_fail_memory(err);
  json_decref(condition);
  return result;
}

static int32_t add(const struct answer *answer, const rebal_record *fields, rebal_error *err) {
  const char *version = rebali_member_text(rebali_member(answer->body, "metadata"), "resourceVersion");
  const char *body_message = rebali_member_text(answer->body, "message");
  rebal_observation observation = {.struct_size = sizeof observation,
                                   .outcome = outcome_of(answer->status),
                                   .ordinal = answer->action->ordinal,
                                   .fields = fields};
  char status[32] = "no answer";
  if (answer->status != 0) {
    (void)snprintf(status, sizeof status, "HTTP status %d", (int)answer->status);
  }
  if (observation.outcome == REBAL_OBSERVED_DONE) {
    observation.resource_version = version[0] != '\0' ? version : NULL;
    observation.resource_version_len = strlen(version);
  } else {
    observation.message = body_message[0] != '\0' ? body_message : status;
    observation.message_len = strlen(observation.message);
  }
  return rebal_observations_add(answer->observations, &observation, err);
}

static int32_t observe(const struct answer *answer, uint32_t object, rebal_error *err) {
  const rebal_record *fields = NULL;
  rebal_builder *builder;
  int32_t result;
  if (answer->observations == NULL) {
    return REBAL_OK;
  }
  result = rebal_builder_new(NULL, &builder, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = read_fields(answer, object, builder, &fields, err);
  if (result == REBAL_OK) {
    result = add(answer, fields, err);
  }
  rebal_builder_free(builder);
  return result;
}

/* An unreadable body is ignored: only the status counts then. */
static int32_t read_body(struct answer *answer, struct rebali_text text, rebal_error *err) {
  rebal_error why = REBAL_ERROR_INIT;
  int32_t result;
  if (text.len == 0) {
    return REBAL_OK;
  }
  result = rebali_document_tree(text.bytes, text.len, &answer->store->limits, &answer->body, &why);
  return result == REBAL_ENOMEM ? rebali_fail_memory(err) : REBAL_OK;
}

/* An object that the store refuses is not kept; the action's outcome is observed all the same. */
static int32_t take(const struct answer *answer, rebal_error *err) {
  uint32_t object = REBAL_NONE;
  int32_t kept, result = REBAL_OK;
  kept = keep(answer, &object, err);
  if (kept != REBAL_ENOMEM) {
    result = observe(answer, object, err);
  }
  return result == REBAL_OK ? kept : result;
}

int32_t rebal_store_take_answer(rebal_store *store, const rebal_result *result, size_t action, int32_t http_status,
                                const char *body, size_t body_len, rebal_observations *observations, rebal_error *err) {
  struct rebali_action_row loaded;
  struct answer answer = {store, &loaded, observations, http_status, NULL};
  struct rebali_text text = {"", 0};
  int32_t code;
  if (store == NULL || result == NULL || http_status < 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store, result and a status are needed");
  }
  code = rebali_text_take(body, body_len, "body", &text, err);
  if (code == REBAL_OK) {
    code = rebali_action_load(result, action, &loaded, err);
  }
  if (code != REBAL_OK || loaded.kind == REBAL_ACTION_KIND_WAKE || loaded.kind == REBAL_ACTION_KIND_EVENT) {
    return code;
  }
  if (loaded.kind == REBAL_ACTION_KIND_LIST) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a list is taken by a watch");
  }
  code = read_body(&answer, text, err);
  if (code == REBAL_OK) {
    code = take(&answer, err);
  }
  json_decref(answer.body);
  return code;
}
