/* SPDX-License-Identifier: MIT */
/* Answers AdmissionReviews about pods (admission.k8s.io) from a feed (rebalance-workloadspread(7) 3.1). */
#include "manifest/spread/review.h"
#include "manifest/spread/spread_feed.h"

#include <string.h>

/* ---- the request ---- */

/* Members read by the rows of a pod, by injection without a patch, by rebali_object_check(), and below. */
static const struct rebali_wanted container_members[] = {
    {"name", NULL}, {"resources", NULL}, {"restartPolicy", NULL}, {NULL, NULL}};
static const struct rebali_wanted spec_members[] = {{"tolerations", NULL},
                                                    {"affinity", NULL},
                                                    {"nodeName", NULL},
                                                    {"nodeSelector", NULL},
                                                    {"overhead", NULL},
                                                    {"priority", NULL},
                                                    {"containers", container_members},
                                                    {"initContainers", container_members},
                                                    {NULL, NULL}};
static const struct rebali_wanted object_members[] = {
    {"apiVersion", NULL}, {"kind", NULL},          {"metadata", NULL}, {"spec", spec_members},
    {"status", NULL},     {"deleteOptions", NULL}, {NULL, NULL}};
static const struct rebali_wanted request_members[] = {{"uid", NULL},
                                                       {"resource", NULL},
                                                       {"subResource", NULL},
                                                       {"name", NULL},
                                                       {"namespace", NULL},
                                                       {"operation", NULL},
                                                       {"object", object_members},
                                                       {"oldObject", object_members},
                                                       {"dryRun", NULL},
                                                       {"options", NULL},
                                                       {NULL, NULL}};
static const struct rebali_wanted review_members[] = {
    {"apiVersion", NULL}, {"kind", NULL}, {"request", request_members}, {NULL, NULL}};

/* The subject of a request. */
struct question {
  json_t *pod;        /* a new reference; NULL: the request is of no concern */
  uint32_t operation; /* REBAL_OPERATION_* */
  int is_missing;     /* the pod to evict does not exist */
};

static int is_dry_run(const json_t *request) {
  const json_t *options = rebali_member(request, "options");
  const json_t *deletion = rebali_member(rebali_member(request, "object"), "deleteOptions");
  return json_is_true(rebali_member(request, "dryRun")) || json_array_size(rebali_member(options, "dryRun")) > 0 ||
         json_array_size(rebali_member(deletion, "dryRun")) > 0;
}

static int is_about_pods(const json_t *request) {
  const json_t *resource = rebali_member(request, "resource");
  return *rebali_member_text(resource, "group") == '\0' &&
         strcmp(rebali_member_text(resource, "resource"), "pods") == 0;
}

/* Finds the pod that an Eviction names. */
static int32_t find_evicted(rebal_store *store, const json_t *request, struct question *out, rebal_error *err) {
  uint32_t object = rebali_store_find_text(store, "v1", "Pod", rebali_member_text(request, "namespace"),
                                           rebali_member_text(request, "name"));
  out->operation = REBAL_OPERATION_EVICT;
  out->is_missing = object == REBAL_NONE;
  return out->is_missing ? REBAL_OK : rebali_store_share(store, object, &out->pod, err);
}

static int32_t understand(rebal_store *store, const json_t *request, struct question *out, rebal_error *err) {
  const char *operation = rebali_member_text(request, "operation");
  const char *part = rebali_member_text(request, "subResource");
  const int is_creation = strcmp(operation, "CREATE") == 0;
  *out = (struct question){NULL, REBAL_OPERATION_CREATE, 0};
  if (!is_about_pods(request) || is_dry_run(request)) {
    return REBAL_OK;
  }
  if (is_creation && strcmp(part, "eviction") == 0) {
    return find_evicted(store, request, out, err);
  }
  if (is_creation && *part == '\0') {
    out->pod = json_incref(rebali_member(request, "object"));
  } else if (strcmp(operation, "DELETE") == 0 && *part == '\0') {
    out->operation = REBAL_OPERATION_DELETE;
    out->pod = json_incref(rebali_member(request, "oldObject"));
  }
  return REBAL_OK;
}

/* ---- the response ---- */

static int refusal_code(uint32_t operation) {
  return operation == REBAL_OPERATION_CREATE ? 500 : 400;
}

static int32_t refuse(struct rebali_reply *reply, uint32_t operation, const char *message, rebal_error *err) {
  reply->code = refusal_code(operation);
  rebali_buffer_clear(&reply->message);
  rebali_buffer_text(&reply->message, message);
  return reply->message.failed ? rebali_fail_memory(err) : REBAL_OK;
}

/* Computes the change made by injection. A patch of the subset that cannot be merged refuses the pod. */
static int32_t take_change(struct rebali_reply *reply, const struct rebali_pod_question *request, json_t *pod,
                           rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  json_t *injected, *patch;
  int32_t result = rebali_pod_inject(request, pod, &injected, &local);
  if (result == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  if (result != REBAL_OK) {
    return refuse(reply, request->operation, local.message, err);
  }
  result = rebali_json_diff(pod, injected, &patch, err);
  json_decref(injected);
  if (result != REBAL_OK) {
    return result;
  }
  if (json_array_size(patch) > 0 && rebali_json_write(patch, 0, &reply->patch) != REBAL_OK) {
    result = rebali_fail_memory(err); /* a difference of values that were read can be written */
  }
  json_decref(patch);
  return result;
}

static int32_t take_outcome(struct rebali_reply *reply, const struct rebali_pod_question *request, json_t *pod,
                            rebal_error *err) {
  if (!rebali_pod_refusal(request, &reply->message)) {
    return take_change(reply, request, pod, err);
  }
  reply->code = refusal_code(request->operation);
  return reply->message.failed ? rebali_fail_memory(err) : REBAL_OK;
}

static int32_t take_missing(struct rebali_reply *reply, const json_t *request, rebal_error *err) {
  reply->code = refusal_code(REBAL_OPERATION_EVICT);
  rebali_append_subject(&reply->message, "v1", "Pod", rebali_member_text(request, "name"));
  rebali_buffer_text(&reply->message, " not found");
  return reply->message.failed ? rebali_fail_memory(err) : REBAL_OK;
}

/* ---- entry points ---- */

/* If the caller gives no id, the request's unique id is used. */
static int32_t answer(struct rebali_pod_question *pod_request, const json_t *request, struct rebali_reply *reply,
                      rebal_error *err) {
  struct question question;
  int32_t result = understand(pod_request->feed->store, request, &question, err);
  if (result != REBAL_OK || question.is_missing) {
    return result != REBAL_OK ? result : take_missing(reply, request, err);
  }
  pod_request->operation = question.operation;
  if (pod_request->id_len == 0) {
    pod_request->id = rebali_member_text(request, "uid");
    pod_request->id_len = strlen(pod_request->id);
  }
  if (question.pod != NULL) {
    result = rebali_pod_admit(pod_request, question.pod, err);
    if (result == REBAL_OK) {
      result = take_outcome(reply, pod_request, question.pod, err);
    }
  }
  json_decref(question.pod);
  return result;
}

static int32_t review(struct rebali_pod_question *pod_request, const json_t *input, rebal_text *out, rebal_error *err) {
  const json_t *request = rebali_member(input, "request");
  struct rebali_buffer *output = rebali_text_output(out);
  const size_t before = output->len;
  struct rebali_reply reply = {0, REBALI_BUFFER, REBALI_BUFFER};
  int32_t result = rebali_review_check(input, err);
  if (result != REBAL_OK) {
    return result;
  }
  pod_request->namespace_ = rebali_member_text(request, "namespace");
  result = answer(pod_request, request, &reply, err);
  if (result == REBAL_OK) {
    rebali_reply_write(&reply, input, output);
  }
  rebali_buffer_dispose(&reply.message);
  rebali_buffer_dispose(&reply.patch);
  return rebali_text_settle(out, before, result, err);
}

int32_t rebal_spread_feed_review(rebal_ctx *ctx, rebal_spread_feed *feed, const rebal_pod_request *request,
                                 const rebal_time *now, const rebal_admit_opts *opts, rebal_result *result,
                                 rebal_text *out, rebal_error *err) {
  struct rebali_pod_question question = {.feed = feed, .ctx = ctx, .now = now, .opts = opts, .result = result};
  json_t *tree = NULL;
  int32_t code;
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  code = rebali_pod_question_take(&question, request, 0, review_members, &tree, err);
  if (code != REBAL_OK) {
    return code;
  }
  rebal_result_reset(result);
  code = review(&question, tree, out, err);
  json_decref(tree);
  return code;
}
