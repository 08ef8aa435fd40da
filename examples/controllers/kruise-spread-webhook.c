/* SPDX-License-Identifier: MIT */
/*
 * kruise-spread-webhook: gives pods their subset when they are created, as OpenKruise's admission of WorkloadSpreads
 * does, and takes their place back when they are deleted or evicted. Refuses WorkloadSpreads and UnitedDeployments that
 * OpenKruise refuses.
 *
 *     kruise-spread-webhook --certificate FILE --key FILE [OPTION]...   (--help lists them)
 *
 * A review is answered only when the status of its WorkloadSpread is written. The request for that needs the loop, and
 * libmicrohttpd, which is in the midst of the review, cannot be entered twice: so the connection is suspended, and
 * between two turns of the loop all reviews that wait are decided one after another. Each status is then written once,
 * however many pods it records. When a status cannot be written, since another copy or the controller wrote before or
 * the API server is unreachable, its reviews wait and are decided anew, until their time is nearly over.
 *
 * Workloads are those of Kubernetes and OpenKruise; the white list of kruise-configuration is not read.
 */
#include "client/reviews.h"

#include <rebalance/rebalance.h>
#include <rebalance/spreading.h>

#include <stdlib.h>
#include <string.h>

#define OWNER_MS 1000 /* how long a pod waits for a watch to bring what owns it */

static const char pods_path[] = "/pods", validate_path[] = "/validate";

/* A review that was decided, and may be answered when its status is written. */
struct verdict {
  struct request *request;
  char *text; /* the answer; NULL: it waits */
  size_t len;
  const char *outcome;
  rebal_spread *recorded; /* whose status changed; NULL: none */
};

struct webhook {
  struct client *client;
  struct reviews reviews;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_builder *builder;
  rebal_text *text;
  rebal_fleet *fleet;
  rebal_spread_feed *feed;
  struct logged unread; /* the object that cannot be read */
};

/* ---- decisions --------------------------------------------------------------------------------------------------- */

/* The WorkloadSpread whose status the last review changed; NULL: none. */
static rebal_spread *find_recorded(const struct webhook *webhook, const struct request *request) {
  const rebal_result *result = webhook->result;
  rebal_spread *const *spreads;
  rebal_document *document = NULL;
  const char *namespace_;
  size_t n, len;
  if (rebal_result_count(result, REBAL_TABLE_ADMITTED) == 0 ||
      !rebal_result_i64(result, REBAL_ADMITTED_RECORDED, NULL)[0] ||
      rebal_document_read(request->body, request->len, NULL, &document, NULL) != REBAL_OK) {
    return NULL;
  }
  namespace_ = rebal_value_text(rebal_document_value(document, "request.namespace"), &len);
  spreads = rebal_spread_feed_namespace(webhook->feed, namespace_, len, &n);
  rebal_document_free(document);
  return spreads[rebal_result_i64(result, REBAL_ADMITTED_SPREAD, NULL)[0]];
}

/* A pod may come before the watch has brought its ReplicaSet. */
static bool waits_for_owner(const struct webhook *webhook, const struct request *request) {
  return rebal_result_count(webhook->result, REBAL_TABLE_ADMITTED) > 0 &&
         rebal_result_i64(webhook->result, REBAL_ADMITTED_OUTCOME, NULL)[0] == REBAL_ADMIT_OUTCOME_OWNER_MISSING &&
         now_in_milliseconds() - request->arrived < OWNER_MS && !review_is_late(request);
}

static const char *outcome_of(const rebal_result *result) {
  return rebal_result_count(result, REBAL_TABLE_ADMITTED) > 0
             ? rebal_enum_name(REBAL_ENUM_ADMIT_OUTCOME, rebal_result_i64(result, REBAL_ADMITTED_OUTCOME, NULL)[0],
                               NULL)
             : "Other";
}

static int32_t review(struct webhook *webhook, const rebal_time *now, const struct request *request, rebal_error *err) {
  const rebal_pod_request question = {.struct_size = sizeof question, .text = request->body, .text_len = request->len};
  const rebal_admit_opts opts = {.struct_size = sizeof opts, .flags = REBAL_ADMIT_FLAG_NO_ACTIONS};
  int32_t code;
  rebal_text_reset(webhook->text);
  rebal_result_reset(webhook->result);
  client_enter(webhook->client);
  code = strcmp(request->path, pods_path) == 0
             ? rebal_spread_feed_review(webhook->ctx, webhook->feed, &question, now, &opts, webhook->result,
                                        webhook->text, err)
             : rebal_store_review(client_store(webhook->client), request->body, request->len, NULL, webhook->text, err);
  client_leave(webhook->client);
  return code;
}

/* Decides one review. One that is malformed is answered at once, one without a text waits. */
static void decide(struct webhook *webhook, const rebal_time *now, struct verdict *verdict) {
  struct request *request = verdict->request;
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code = review(webhook, now, request, &err);
  if (code == REBAL_ENOMEM) {
    say("%s", rebal_strerror(code));
  } else if (code != REBAL_OK) {
    reviews_answer(&webhook->reviews, request, 400, "Malformed", err.message, strlen(err.message));
  } else if (!waits_for_owner(webhook, request)) {
    const char *text = rebal_text_bytes(webhook->text, &verdict->len);
    verdict->text = strndup(text, verdict->len);
    verdict->outcome = outcome_of(webhook->result);
    verdict->recorded = find_recorded(webhook, request);
  }
}

/* ---- statuses ---------------------------------------------------------------------------------------------------- */

/* A status that was not written is again what the API server has. Its reviews wait. */
static void take_back(struct webhook *webhook, uint32_t object, struct verdict *verdicts, size_t n) {
  rebal_spread *spread = rebal_spread_feed_spread(webhook->feed, object);
  const rebal_record *record;
  for (size_t i = 0; i < n; i++) {
    if (verdicts[i].recorded == spread) {
      free(verdicts[i].text);
      verdicts[i].text = NULL;
    }
  }
  if (rebal_store_record(client_store(webhook->client), object, webhook->builder, &record, NULL) == REBAL_OK) {
    (void)rebal_spread_load(spread, record, NULL);
  }
}

/* Writes every status that the verdicts changed, side by side. false: there is no memory. */
static bool write_statuses(struct webhook *webhook, const rebal_time *now, struct verdict *verdicts, size_t n) {
  static const char kind[] = "WorkloadSpread";
  const rebal_store *store = client_store(webhook->client);
  const size_t capacity = rebal_store_count(store) + 1;
  rebal_spread **spreads = calloc(capacity, sizeof(rebal_spread *));
  uint32_t *objects = calloc(capacity, sizeof *objects), object = REBAL_NONE, no_rows = 0;
  bool *failed = calloc(capacity, sizeof *failed), is_reported = spreads != NULL && objects != NULL && failed != NULL;
  const rebal_admit_opts opts = {.struct_size = sizeof opts, .rows = &no_rows, .n_rows = 0};
  size_t n_spreads = 0;
  while (is_reported && (object = rebal_store_next(store, kind, sizeof kind - 1, object)) != REBAL_NONE) {
    spreads[n_spreads] = rebal_spread_feed_spread(webhook->feed, object);
    objects[n_spreads] = object;
    n_spreads += spreads[n_spreads] != NULL;
  }
  is_reported =
      is_reported && rebal_spread_admit(webhook->ctx, spreads, n_spreads, rebal_spread_feed_pods(webhook->feed), now,
                                        &opts, webhook->result, NULL) == REBAL_OK;
  is_reported = is_reported && client_carry_out(webhook->client, webhook->result, NULL, failed) == REBAL_OK;
  for (size_t i = 0; i < n_spreads; i++) {
    if (failed[i] || !is_reported) {
      take_back(webhook, objects[i], verdicts, n);
    }
  }
  free(spreads);
  free(objects);
  free(failed);
  return is_reported;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* Decides reviews that wait, and answers those that do not wait any longer. */
static void decide_all(struct webhook *webhook, struct verdict *verdicts, size_t n) {
  const rebal_time now = time_now();
  bool has_recorded = false, is_written = true;
  for (size_t i = 0; i < n; i++) {
    decide(webhook, &now, &verdicts[i]);
    has_recorded |= verdicts[i].recorded != NULL;
  }
  if (has_recorded) {
    is_written = write_statuses(webhook, &now, verdicts, n);
  }
  for (size_t i = 0; i < n; i++) {
    if (verdicts[i].text != NULL && (is_written || verdicts[i].recorded == NULL)) {
      reviews_answer(&webhook->reviews, verdicts[i].request, 200, verdicts[i].outcome, verdicts[i].text,
                     verdicts[i].len);
    }
    free(verdicts[i].text);
  }
}

/* Of an object that cannot be read, the feed has what it was before. */
static bool is_up_to_date(struct webhook *webhook) {
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;
  if (!client_is_synced(webhook->client)) {
    return false;
  }
  code = rebal_spread_feed_update(webhook->feed, &err);
  log_once(&webhook->unread, err.message);
  return code != REBAL_ENOMEM;
}

static void answer_waiting(struct webhook *webhook) {
  const size_t n = reviews_take(&webhook->reviews);
  struct verdict *verdicts = n > 0 && is_up_to_date(webhook) ? calloc(n, sizeof *verdicts) : NULL;
  if (verdicts != NULL) {
    struct request *request = server_waiting(webhook->reviews.server);
    for (size_t i = 0; i < n; i++) {
      verdicts[i].request = request;
      request = request->next;
    }
    decide_all(webhook, verdicts, n);
  }
  free(verdicts);
  reviews_answer_late(&webhook->reviews);
}

static bool follow(struct client *client) {
  return client_follow(client, "apps.kruise.io/v1beta1", "WorkloadSpread") && client_follow(client, "v1", "Pod") &&
         client_follow(client, "apps/v1", "Deployment") && client_follow(client, "apps/v1", "ReplicaSet") &&
         client_follow(client, "apps/v1", "StatefulSet") && client_follow(client, "batch/v1", "Job") &&
         client_follow_optional(client, "apps.kruise.io/v1alpha1", "CloneSet") &&
         client_follow_optional(client, "apps.kruise.io/v1beta1", "StatefulSet");
}

static bool webhook_open(struct webhook *webhook, const struct client_options *options) {
  const char *const paths[] = {pods_path, validate_path, NULL};
  uint32_t cluster;
  return client_open(&webhook->client, options) && follow(webhook->client) &&
         rebal_ctx_new(NULL, NULL, &webhook->ctx, NULL) == REBAL_OK &&
         rebal_result_new(NULL, &webhook->result, NULL) == REBAL_OK &&
         rebal_builder_new(NULL, &webhook->builder, NULL) == REBAL_OK &&
         rebal_text_new(&webhook->text, NULL) == REBAL_OK && rebal_fleet_new(NULL, &webhook->fleet, NULL) == REBAL_OK &&
         rebal_fleet_add_cluster(webhook->fleet, "here", REBAL_TERMINATED, &cluster, NULL) == REBAL_OK &&
         rebal_spread_feed_new(client_store(webhook->client), webhook->fleet, cluster, &webhook->feed, NULL) ==
             REBAL_OK &&
         reviews_open(&webhook->reviews, webhook->client, paths);
}

static void webhook_close(struct webhook *webhook) {
  reviews_close(&webhook->reviews);
  rebal_spread_feed_free(webhook->feed);
  rebal_fleet_free(webhook->fleet);
  rebal_text_free(webhook->text);
  rebal_builder_free(webhook->builder);
  rebal_result_free(webhook->result);
  rebal_ctx_free(webhook->ctx);
  if (webhook->client != NULL) {
    client_close(webhook->client);
  }
}

int main(int argc, char **argv) {
  struct webhook webhook = {.client = NULL};
  struct client_options options = {.name = "kruise-spread-webhook", .request_seconds = 3, .is_waited_for = true};
  struct flag flags[REVIEW_FLAGS];
  bool is_open;
  reviews_flags(&webhook.reviews, flags);
  if (!options_read(&options, flags, REVIEW_FLAGS, argc, argv)) {
    return options.exit_status;
  }
  is_open = webhook_open(&webhook, &options);
  while (is_open && client_turn(webhook.client, reviews_wait(&webhook.reviews))) {
    answer_waiting(&webhook);
  }
  if (is_open) {
    answer_waiting(&webhook); /* what has come before the end */
  }
  webhook_close(&webhook);
  return is_open ? 0 : 1;
}
