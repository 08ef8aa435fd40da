/* SPDX-License-Identifier: MIT */
/* Admits one pod by the WorkloadSpreads of a feed, and injects it (rebalance-workloadspread(7) 3). */
#include "manifest/spread/spread_feed.h"

#include <string.h>

/* ---- row of a pod that may be missing in the store ---- */

static int32_t report_request(const struct rebali_pod_question *request, uint32_t row, rebal_error *err) {
  rebal_pods *pods = request->feed->pods;
  const int32_t result =
      rebal_cells_set_i64(rebal_pods_cells(pods), REBAL_SPREAD_POD_OPERATION, REBAL_NONE, row, request->operation, err);
  return result == REBAL_OK ? rebal_cells_set_text(rebal_pods_cells(pods), REBAL_SPREAD_POD_ADMISSION_ID, REBAL_NONE,
                                                   row, request->id, request->id_len, err)
                            : result;
}

/* Reads the white list as a record of the feed's builder; NULL if it is empty. */
static int32_t read_white_list(const rebal_spread_feed *feed, const rebal_record **out, rebal_error *err) {
  *out = NULL;
  return json_array_size(rebali_member(feed->white_list, "workloads")) > 0
             ? rebali_read_record(feed->builder, REBAL_OBJECT_WHITE_LIST, feed->white_list, NULL, out, err)
             : REBAL_OK;
}

/* Completes the caller's options for the pod in a row; uses the feed's white list if they have none. */
static int32_t complete(const struct rebali_pod_question *request, const uint32_t *row, rebal_admit_opts *own,
                        rebal_error *err) {
  const rebal_record *white_list;
  int32_t result = rebali_options_load(own, sizeof *own, sizeof *own, request->opts, err);
  if (result == REBAL_OK && own->rows != NULL) {
    result = rebali_fail(err, REBAL_EINVAL, -1, "the options have rows of their own");
  }
  if (result == REBAL_OK) {
    result = read_white_list(request->feed, &white_list, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  own->struct_size = (uint32_t)sizeof *own;
  own->white_list = own->white_list != NULL ? own->white_list : white_list;
  own->rows = row;
  own->n_rows = 1;
  return result;
}

static int32_t admit_row(const struct rebali_pod_question *request, const char *namespace_, uint32_t row,
                         const json_t *pod, rebal_error *err) {
  rebal_spread_feed *feed = request->feed;
  struct rebali_simulated simulated;
  rebal_admit_opts own;
  const rebal_admit_opts *opts = &own;
  rebal_spread *const *spreads;
  size_t n;
  int32_t result = report_request(request, row, err);
  if (result == REBAL_OK) {
    result = complete(request, &row, &own, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  spreads = rebal_spread_feed_namespace(feed, namespace_, strlen(namespace_), &n);
  result = rebali_simulated_open(request, spreads, n, row, pod, &opts, &simulated, err);
  if (result == REBAL_OK) {
    result = rebal_spread_admit(request->ctx, spreads, n, feed->pods, request->now, opts, request->result, err);
  }
  rebali_simulated_close(&simulated);
  return result;
}

static const char *namespace_of(const struct rebali_pod_question *request, const json_t *pod) {
  const char *name = rebali_member_text(rebali_member(pod, "metadata"), "namespace");
  name = *name != '\0' || request->namespace_ == NULL ? name : request->namespace_;
  return *name != '\0' ? name : REBALI_DEFAULT_NAMESPACE;
}

int32_t rebali_pod_admit(const struct rebali_pod_question *request, const json_t *pod, rebal_error *err) {
  const char *namespace_ = namespace_of(request, pod);
  uint32_t row;
  int32_t result;
  if (!rebali_is_map(pod)) {
    return rebali_fail(err, REBAL_EPARSE, -1, "expected a map");
  }
  result = rebali_feed_pod_row(request->feed, namespace_, pod, &row, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = admit_row(request, namespace_, row, pod, err);
  (void)rebal_cells_remove(rebal_pods_cells(request->feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &row, 1, NULL);
  return result;
}

/* ---- results ---- */

static int64_t cell(const rebal_result *result, uint32_t column) {
  size_t n;
  const int64_t *cells = rebal_result_i64(result, column, &n);
  return n > 0 ? cells[0] : REBAL_ABSENT;
}

int64_t rebali_pod_outcome(const struct rebali_pod_question *request) {
  return cell(request->result, REBAL_ADMITTED_OUTCOME);
}

int rebali_pod_refusal(const struct rebali_pod_question *request, struct rebali_buffer *out) {
  const rebal_pods *pods = request->feed->pods;
  const uint32_t owner = (uint32_t)cell(request->result, REBAL_ADMITTED_OWNER);
  switch (rebali_pod_outcome(request)) {
    case REBAL_ADMIT_OUTCOME_OWNER_MISSING:
      rebali_append_subject(
          out, rebal_cells_get_text(rebal_pods_const_cells(pods), REBAL_OWNER_API_VERSION, REBAL_NONE, owner, NULL),
          rebal_cells_get_text(rebal_pods_const_cells(pods), REBAL_OWNER_KIND, REBAL_NONE, owner, NULL),
          rebal_cells_get_text(rebal_pods_const_cells(pods), REBAL_OWNER_NAME, REBAL_NONE, owner, NULL));
      rebali_buffer_text(out, " not found");
      return 1;
    case REBAL_ADMIT_OUTCOME_REPLICAS_UNKNOWN:
      rebali_buffer_text(out, rebal_result_text(request->result, REBAL_ADMITTED_MESSAGE, 0, NULL));
      return 1;
    default:
      return 0;
  }
}

/*
 * Checks that the injected pod is still a pod. As in the reference, it must be decodable. What a subset adds besides a
 * patch is, as it was read with its WorkloadSpread.
 */
static int32_t read_injected(const struct rebali_pod_question *request, const char *namespace_, int is_patched,
                             const json_t *pod, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  uint32_t row;
  int32_t result = rebali_object_check(pod, NULL, &local);
  if (result == REBAL_OK && is_patched) {
    result = rebali_feed_pod_row(request->feed, namespace_, pod, &row, &local);
    if (result == REBAL_OK) {
      (void)rebal_cells_remove(rebal_pods_cells(request->feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &row, 1,
                               NULL);
    }
  }
  if (result == REBAL_OK) {
    return REBAL_OK;
  }
  return result == REBAL_ENOMEM
             ? rebali_fail_memory(err)
             : rebali_fail(err, result, -1, "%s%s%s", local.field, local.field[0] != '\0' ? ": " : "", local.message);
}

int32_t rebali_pod_inject(const struct rebali_pod_question *request, json_t *pod, json_t **out, rebal_error *err) {
  const char *namespace_ = namespace_of(request, pod);
  const int64_t by_id = cell(request->result, REBAL_ADMITTED_BY_ID);
  const uint32_t subset = (uint32_t)cell(request->result, REBAL_ADMITTED_SUBSET);
  rebal_spread *const *spreads;
  const rebal_spread *spread;
  size_t n;
  int32_t result;
  if (request->operation != REBAL_OPERATION_CREATE || rebali_pod_outcome(request) != REBAL_ADMIT_OUTCOME_CHOSEN) {
    *out = json_incref(pod);
    return REBAL_OK;
  }
  spreads = rebal_spread_feed_namespace(request->feed, namespace_, strlen(namespace_), &n);
  spread = spreads[cell(request->result, REBAL_ADMITTED_SPREAD)];
  result = rebali_inject_subset(spread, subset, request->id, by_id == 1 ? request->id_len : 0, pod, out, err);
  if (result == REBAL_OK) {
    result = read_injected(request, namespace_, rebali_subset_has_patch(spread, subset), *out, err);
    if (result != REBAL_OK) {
      json_decref(*out);
    }
  }
  return result;
}

/* ---- text ---- */

/* The pod was readable: if it does not fit the subset, the subset is at fault. */
static int32_t inject(const struct rebali_pod_question *request, json_t *pod, json_t **out, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  const int32_t result = rebali_pod_inject(request, pod, out, &local);
  if (result == REBAL_OK) {
    return result;
  }
  if (result == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  (void)rebali_fail(err, REBAL_EINVAL, -1, "%s", local.message);
  rebali_fail_field(err, local.field);
  return REBAL_EINVAL;
}

static int32_t admit_and_write(const struct rebali_pod_question *request, json_t *pod, rebal_text *out,
                               rebal_error *err) {
  struct rebali_buffer refusal = REBALI_BUFFER;
  json_t *injected;
  int is_refused;
  int32_t result = rebali_pod_admit(request, pod, err);
  if (result != REBAL_OK) {
    return result;
  }
  is_refused = rebali_pod_refusal(request, &refusal);
  rebali_buffer_dispose(&refusal);
  if (is_refused || request->operation != REBAL_OPERATION_CREATE) {
    return REBAL_OK;
  }
  result = inject(request, pod, &injected, err);
  if (result == REBAL_OK) {
    result = rebali_tree_write(injected, REBAL_TEXT_FORMAT_JSON, out, err);
    json_decref(injected);
  }
  return result;
}

/* A patch may reach every member, and so may a pod that is injected to compute its requirements. */
static int32_t read_document(const struct rebali_pod_question *question, const char *text, size_t len,
                             const struct rebali_wanted *wanted, json_t **tree, rebal_error *err) {
  const struct rebali_limits *limits = &question->feed->store->limits;
  if (wanted != NULL && question->feed->n_patching == 0 &&
      rebali_text_read_wanted(text, len, limits, wanted, tree) == REBAL_OK) {
    return REBAL_OK;
  }
  return rebali_document_tree(text, len, limits, tree, err);
}

int32_t rebali_pod_question_take(struct rebali_pod_question *question, const rebal_pod_request *request,
                                 uint32_t last_operation, const struct rebali_wanted *wanted, json_t **tree,
                                 rebal_error *err) {
  rebal_pod_request known;
  int32_t code;
  if (question->feed == NULL || question->ctx == NULL || request == NULL || question->now == NULL ||
      !question->now->is_set || question->result == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "ctx, feed, request, now and result are needed");
  }
  code = rebali_options_load(&known, sizeof known, sizeof known, request, err);
  if (code == REBAL_OK && known.operation > last_operation) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "request: operation %lu is not one of this call",
                       (unsigned long)known.operation);
  }
  if (code != REBAL_OK) {
    return code;
  }
  question->operation = known.operation;
  question->id = known.id;
  question->id_len = rebali_text_len(known.id_len);
  code = rebali_take_id(&question->id, &question->id_len, err);
  if (code == REBAL_OK) {
    const char *text = known.text;
    size_t len = rebali_text_len(known.text_len);
    code = rebali_take_stream(&text, &len, "text", err);
    if (code == REBAL_OK) {
      code = read_document(question, text, len, wanted, tree, err);
    }
  }
  return code;
}

int32_t rebal_spread_feed_admit(rebal_ctx *ctx, rebal_spread_feed *feed, const rebal_pod_request *request,
                                const rebal_time *now, const rebal_admit_opts *opts, rebal_result *result,
                                rebal_text *out, rebal_error *err) {
  struct rebali_pod_question question = {.feed = feed, .ctx = ctx, .now = now, .opts = opts, .result = result};
  json_t *tree = NULL;
  int32_t code;
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  code = rebali_pod_question_take(&question, request, REBAL_OPERATION_EVICT, NULL, &tree, err);
  if (code != REBAL_OK) {
    return code;
  }
  code = admit_and_write(&question, tree, out, err);
  json_decref(tree);
  return code;
}
