/* SPDX-License-Identifier: MIT */
/* AdmissionReviews about pods (admission.k8s.io), answered by a feed (spec workloadspread 3.1). */
#include "manifest/spread/spread_feed.h"

#include <string.h>

#define ADMISSION_GROUP "admission.k8s.io/"

/* ---- what is asked ---- */

/* What a request is about. */
struct question {
  json_t *pod;        /* a new reference; NULL: nothing that concerns us */
  uint32_t operation; /* REBAL_OPERATION_* */
  int is_missing;     /* the pod that is to be evicted is not there */
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

/* The pod that an Eviction names. */
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

/* ---- what is answered ---- */

static int32_t put_refusal(json_t *response, uint32_t operation, const char *message, rebal_error *err) {
  const int code = operation == REBAL_OPERATION_CREATE ? 500 : 400;
  json_t *status = json_object();
  int32_t result = rebali_put(response, "allowed", json_false(), err);
  if (result == REBAL_OK) {
    result = rebali_put(response, "status", status, err);
  } else {
    json_decref(status);
  }
  if (result == REBAL_OK) {
    result = rebali_put(status, "code", json_integer(code), err);
  }
  return result == REBAL_OK ? rebali_put_text(status, "message", message, err) : result;
}

static void encode(const char *bytes, size_t len, struct rebali_buffer *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < len; i += 3) {
    const unsigned second = i + 1 < len ? (unsigned char)bytes[i + 1] : 0;
    const unsigned third = i + 2 < len ? (unsigned char)bytes[i + 2] : 0;
    const unsigned group = (unsigned)(unsigned char)bytes[i] << 16 | second << 8 | third;
    const char four[] = {digits[group >> 18], digits[group >> 12 & 63], i + 1 < len ? digits[group >> 6 & 63] : '=',
                         i + 2 < len ? digits[group & 63] : '='};
    rebali_buffer_append(out, four, sizeof four);
  }
}

static int32_t put_patch(json_t *response, const json_t *patch, rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER, encoded = REBALI_BUFFER;
  int32_t result = rebali_json_write(patch, 0, &text);
  if (result == REBAL_OK) {
    encode(text.bytes, text.len, &encoded);
  }
  if (result != REBAL_OK || encoded.failed) {
    result = rebali_fail_memory(err); /* a difference of what was read can be written */
  } else {
    result = rebali_put_text(response, "patchType", "JSONPatch", err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_text(response, "patch", encoded.bytes, err);
  }
  rebali_buffer_dispose(&text);
  rebali_buffer_dispose(&encoded);
  return result;
}

/* The change that injection makes. A patch of the subset's that cannot be merged refuses the pod. */
static int32_t put_change(json_t *response, const struct rebali_pod_question *request, json_t *pod, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  json_t *injected, *patch;
  int32_t result = rebali_pod_inject(request, pod, &injected, &local);
  if (result == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  if (result != REBAL_OK) {
    return put_refusal(response, request->operation, local.message, err);
  }
  result = rebali_json_diff(pod, injected, &patch, err);
  json_decref(injected);
  if (result != REBAL_OK) {
    return result;
  }
  if (json_array_size(patch) > 0) {
    result = put_patch(response, patch, err);
  }
  json_decref(patch);
  return result;
}

static int32_t put_outcome(json_t *response, const struct rebali_pod_question *request, json_t *pod, rebal_error *err) {
  struct rebali_buffer refusal = REBALI_BUFFER;
  int32_t result;
  if (!rebali_pod_refusal(request, &refusal)) {
    result = put_change(response, request, pod, err);
  } else if (refusal.failed) {
    result = rebali_fail_memory(err);
  } else {
    result = put_refusal(response, request->operation, refusal.bytes, err);
  }
  rebali_buffer_dispose(&refusal);
  return result;
}

static int32_t put_missing(json_t *response, const json_t *request, rebal_error *err) {
  struct rebali_buffer message = REBALI_BUFFER;
  int32_t result;
  rebali_append_subject(&message, "v1", "Pod", rebali_member_text(request, "name"));
  rebali_buffer_text(&message, " not found");
  result = message.failed ? rebali_fail_memory(err) : put_refusal(response, REBAL_OPERATION_EVICT, message.bytes, err);
  rebali_buffer_dispose(&message);
  return result;
}

/* ---- the whole ---- */

/* An id that the caller does not give is the request's, which no other has. */
static int32_t answer(struct rebali_pod_question *pod_request, const json_t *request, json_t *response,
                      rebal_error *err) {
  struct question question;
  int32_t result = understand(pod_request->feed->store, request, &question, err);
  if (result != REBAL_OK || question.is_missing) {
    return result != REBAL_OK ? result : put_missing(response, request, err);
  }
  pod_request->operation = question.operation;
  if (pod_request->id_len == 0) {
    pod_request->id = rebali_member_text(request, "uid");
    pod_request->id_len = strlen(pod_request->id);
  }
  if (question.pod != NULL) {
    result = rebali_pod_admit(pod_request, question.pod, err);
    if (result == REBAL_OK) {
      result = put_outcome(response, pod_request, question.pod, err);
    }
  }
  json_decref(question.pod);
  return result;
}

static int32_t review(struct rebali_pod_question *pod_request, const json_t *asked, json_t **out, rebal_error *err) {
  const json_t *request = rebali_member(asked, "request");
  json_t *tree, *response;
  int32_t result;
  if (strcmp(rebali_member_text(asked, "kind"), "AdmissionReview") != 0 ||
      strncmp(rebali_member_text(asked, "apiVersion"), ADMISSION_GROUP, sizeof ADMISSION_GROUP - 1) != 0 ||
      *rebali_member_text(request, "uid") == '\0') {
    return rebali_fail(err, REBAL_EPARSE, -1, "expected an AdmissionReview with a request that has a uid");
  }
  tree = json_pack("{s:s, s:s, s:{s:s, s:b}}", "apiVersion", rebali_member_text(asked, "apiVersion"), "kind",
                   "AdmissionReview", "response", "uid", rebali_member_text(request, "uid"), "allowed", 1);
  response = rebali_member(tree, "response");
  pod_request->namespace_ = rebali_member_text(request, "namespace");
  result = tree != NULL ? answer(pod_request, request, response, err) : rebali_fail_memory(err);
  if (result != REBAL_OK) {
    json_decref(tree);
    return result;
  }
  *out = tree;
  return REBAL_OK;
}

int32_t rebal_spread_feed_review(rebal_ctx *ctx, rebal_spread_feed *feed, const rebal_pod_request *request,
                                 const rebal_time *now, const rebal_admit_opts *opts, rebal_result *result,
                                 rebal_text *out, rebal_error *err) {
  struct rebali_pod_question question = {.feed = feed, .ctx = ctx, .now = now, .opts = opts, .result = result};
  json_t *tree = NULL, *reply = NULL;
  int32_t code;
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  code = rebali_pod_question_take(&question, request, 0, &tree, err);
  if (code != REBAL_OK) {
    return code;
  }
  rebal_result_reset(result);
  code = review(&question, tree, &reply, err);
  if (code == REBAL_OK) {
    code = rebali_tree_write(reply, REBAL_TEXT_FORMAT_JSON, out, err);
    json_decref(reply);
  }
  json_decref(tree);
  return code;
}
