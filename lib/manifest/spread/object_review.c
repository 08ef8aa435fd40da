/* SPDX-License-Identifier: MIT */
/*
 * Answers AdmissionReviews about WorkloadSpreads and UnitedDeployments against a store (rebalance-workloadspread(7) 8).
 */
#include "manifest/patch/document.h"
#include "manifest/spread/review.h"
#include "manifest/validate/validate.h"

#include <rebalance/watch.h>

#include <string.h>

/* As in OpenKruise's answers (8.1). */
#define REFUSAL_CODE 400

static int is_examined(const json_t *request) {
  const json_t *resource = rebali_member(request, "resource");
  const char *plural = rebali_member_text(resource, "resource"), *operation = rebali_member_text(request, "operation");
  return strcmp(rebali_member_text(resource, "group"), "apps.kruise.io") == 0 &&
         (strcmp(plural, "workloadspreads") == 0 || strcmp(plural, "uniteddeployments") == 0) &&
         *rebali_member_text(request, "subResource") == '\0' &&
         (strcmp(operation, "CREATE") == 0 || strcmp(operation, "UPDATE") == 0);
}

/* Appends <path>: <cause>[: <value>][: <message>]. */
static void append_finding(const rebal_finding_row *row, struct rebali_buffer *out) {
  static const char *const causes[] = {"",          "Required value", "Invalid value", "Unsupported value",
                                       "Forbidden", "Internal error"};
  rebali_buffer_append(out, row->path, (size_t)row->path_len);
  rebali_buffer_text(out, ": ");
  rebali_buffer_text(out, causes[row->cause]);
  if (row->value_len > 0) {
    rebali_buffer_text(out, ": ");
    rebali_buffer_append(out, row->value, (size_t)row->value_len);
  }
  if (row->message_len > 0) {
    rebali_buffer_text(out, ": ");
    rebali_buffer_append(out, row->message, (size_t)row->message_len);
  }
}

static int is_repeated(const rebal_findings *findings, size_t at, const rebal_finding_row *row) {
  for (size_t i = 0; i < at; i++) {
    rebal_finding_row other = {.struct_size = sizeof other};
    (void)rebal_findings_read(findings, i, &other, NULL);
    if (other.cause == row->cause && strcmp(other.path, row->path) == 0 && strcmp(other.value, row->value) == 0 &&
        strcmp(other.message, row->message) == 0) {
      return 1;
    }
  }
  return 0;
}

/* A single finding is written as it is, several as a list; duplicates are written once. */
static void take_findings(struct rebali_reply *reply, const rebal_findings *findings) {
  size_t n = 0;
  struct rebali_buffer list = REBALI_BUFFER;
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    rebal_finding_row row = {.struct_size = sizeof row};
    (void)rebal_findings_read(findings, i, &row, NULL);
    if (row.severity == REBAL_SEVERITY_ERROR && !is_repeated(findings, i, &row)) {
      rebali_buffer_text(&list, n > 0 ? ", " : "");
      append_finding(&row, &list);
      n++;
    }
  }
  rebali_buffer_text(&reply->message, n > 1 ? "[" : "");
  rebali_buffer_append(&reply->message, list.bytes, list.len);
  rebali_buffer_text(&reply->message, n > 1 ? "]" : "");
  reply->message.failed |= list.failed;
  reply->code = n > 0 ? REFUSAL_CODE : 0;
  rebali_buffer_dispose(&list);
}

/* An object of a request has the namespace of the request. */
static int32_t complete(const json_t *request, json_t *tree, rebal_error *err) {
  json_t *metadata = rebali_member(tree, "metadata");
  const char *namespace_ = rebali_member_text(request, "namespace");
  if (rebali_is_map(metadata) && *namespace_ != '\0' && *rebali_member_text(metadata, "namespace") == '\0' &&
      json_object_set_new(metadata, "namespace", json_string(namespace_)) != 0) {
    return rebali_fail_memory(err);
  }
  return REBAL_OK;
}

/* An object that cannot be read is refused. */
static int32_t examine(rebal_store *store, const json_t *request, int is_patient, struct rebali_reply *reply,
                       rebal_error *err) {
  json_t *tree = rebali_member(request, "object"), *old = rebali_member(request, "oldObject");
  rebal_findings *findings = NULL;
  rebal_error local = REBAL_ERROR_INIT;
  int32_t result = complete(request, tree, err);
  uint32_t own;
  if (result != REBAL_OK) {
    return result;
  }
  own = rebali_store_find_text(store, json_string_value(rebali_member(tree, "apiVersion")),
                               rebali_member_text(tree, "kind"),
                               rebali_member_text(rebali_member(tree, "metadata"), "namespace"),
                               rebali_member_text(rebali_member(tree, "metadata"), "name"));
  result = rebali_store_examine(store, tree, rebali_is_map(old) ? old : NULL, own, is_patient, &findings, &local);
  if (result == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  if (result == REBAL_OK) {
    take_findings(reply, findings);
  } else {
    reply->code = REFUSAL_CODE;
    rebali_buffer_text(&reply->message, local.field);
    rebali_buffer_text(&reply->message, local.field[0] != '\0' ? ": " : "");
    rebali_buffer_text(&reply->message, local.message);
  }
  rebal_findings_free(findings);
  return reply->message.failed ? rebali_fail_memory(err) : REBAL_OK;
}

static int32_t review(rebal_store *store, const json_t *input, int is_patient, rebal_text *out, rebal_error *err) {
  const json_t *request = rebali_member(input, "request");
  struct rebali_buffer *output = rebali_text_output(out);
  const size_t before = output->len;
  struct rebali_reply reply = {0, REBALI_BUFFER, REBALI_BUFFER};
  int32_t result = rebali_review_check(input, err);
  if (result == REBAL_OK && is_examined(request)) {
    result = examine(store, request, is_patient, &reply, err);
  }
  if (result == REBAL_OK) {
    rebali_reply_write(&reply, input, output);
  }
  rebali_buffer_dispose(&reply.message);
  return rebali_text_settle(out, before, result, err);
}

int32_t rebal_store_review(rebal_store *store, const char *text, size_t len, const rebal_compat *compat,
                           rebal_text *out, rebal_error *err) {
  json_t *tree = NULL;
  int32_t result;
  if (store == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and out are needed");
  }
  result = rebali_take_stream(&text, &len, "text", err);
  if (result == REBAL_OK) {
    result = rebali_document_tree(text, len, &store->limits, &tree, err);
  }
  if (result == REBAL_OK) {
    result = review(store, tree, rebali_is_patient(compat), out, err);
  }
  json_decref(tree);
  return result;
}
