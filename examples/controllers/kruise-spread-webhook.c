/* SPDX-License-Identifier: MIT */
/*
 * kruise-spread-webhook: gives pods their subset when they are created, as OpenKruise's admission of WorkloadSpreads
 * does, and takes their place back when they are deleted or evicted.
 *
 *     kruise-spread-webhook --certificate FILE --key FILE [OPTION]...   (--help lists them)
 *
 * A review is answered only when the status of its WorkloadSpread is written. The request for that needs the loop, and
 * libmicrohttpd, which is in the midst of the review, cannot be entered twice: so the connection is suspended, and
 * between two turns of the loop all reviews that wait are decided one after another. Each status is then written once,
 * however many pods it records. When a status cannot be written, since another copy or the controller wrote before or
 * the API server is not there, its reviews wait and are decided anew, until their time is nearly over.
 */
#include "client/client.h"

#include <rebalance/rebalance.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTIONS 1200
#define BODY ((size_t)8 << 20)
#define TIMEOUT_MS 10000 /* of an API server that does not tell */
#define OWNER_MS 1000    /* how long a pod waits for a watch to bring what owns it */
#define AGAIN_MS 100     /* what waits is decided anew that often, and when an object changed */

static const struct family reviews = {
    "kruise_spread_webhook_reviews_total", "counter", "Reviews that were answered.", {"outcome", NULL}};
static const struct family seconds = {
    "kruise_spread_webhook_review_seconds_total", "counter", "Seconds that these took.", {NULL, NULL}};
static const struct family batches = {
    "kruise_spread_webhook_batches_total", "counter", "How often reviews that waited were decided.", {NULL, NULL}};

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
  struct server *server;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_builder *builder;
  rebal_text *text;
  rebal_fleet *fleet;
  rebal_spread_feed *feed;
  struct said unread; /* the object that cannot be read */
  bool allows_on_failure;
  bool has_arrived; /* a review since the last batch */
  uint64_t changes; /* of the store at the last batch */
  int64_t due;
};

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static void answer(struct webhook *webhook, struct request *request, unsigned status, const char *outcome,
                   const char *text, size_t len) {
  struct metrics *metrics = client_metrics(webhook->client);
  metrics_add(metrics, &reviews, outcome, NULL, 1);
  metrics_add(metrics, &seconds, NULL, NULL, (double)(now_in_milliseconds() - request->arrived) / 1000);
  request_answer(request, status, status == 200 ? "application/json" : "text/plain", text, len);
}

/* Texts of a review that are repeated in its answer: without characters that JSON would escape. */
static bool is_plain(const char *text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-./";
  return text[0] != '\0' && text[strspn(text, plain)] == '\0' && strlen(text) < 100;
}

/* What --on-failure says. */
static void answer_failure(struct webhook *webhook, struct request *request) {
  static const char refusal[] =
      ",\"status\":{\"code\":500,\"message\":\"kruise-spread-webhook: the status of the "
      "WorkloadSpread could not be written in time\"}";
  rebal_document *document = NULL;
  const rebal_value *review;
  const char *version, *uid;
  char text[600];
  if (rebal_document_read(request->body, request->len, NULL, &document, NULL) != REBAL_OK) {
    answer(webhook, request, 400, "Malformed", "", 0);
    return;
  }
  review = rebal_document_value(document, "");
  version = rebal_value_text(rebal_value_member(review, "apiVersion"), NULL);
  uid = rebal_value_text(rebal_value_member(rebal_value_member(review, "request"), "uid"), NULL);
  if (is_plain(version) && is_plain(uid)) {
    (void)snprintf(
        text, sizeof text,
        "{\"apiVersion\":\"%s\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"%s\",\"allowed\":%s%s}}", version,
        uid, webhook->allows_on_failure ? "true" : "false", webhook->allows_on_failure ? "" : refusal);
    say("review %s: %s, since it was not decided in time", uid, webhook->allows_on_failure ? "allowed" : "refused");
    answer(webhook, request, 200, webhook->allows_on_failure ? "FailedOpen" : "FailedClosed", text, strlen(text));
  } else {
    answer(webhook, request, 400, "Malformed", "", 0);
  }
  rebal_document_free(document);
}

static bool is_late(const struct request *request) {
  const int64_t timeout = request->timeout > 0 ? request->timeout : TIMEOUT_MS;
  return now_in_milliseconds() - request->arrived > timeout * 3 / 4;
}

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
         now_in_milliseconds() - request->arrived < OWNER_MS && !is_late(request);
}

static const char *outcome_of(const rebal_result *result) {
  return rebal_result_count(result, REBAL_TABLE_ADMITTED) > 0
             ? rebal_enum_name(REBAL_ENUM_ADMIT_OUTCOME, rebal_result_i64(result, REBAL_ADMITTED_OUTCOME, NULL)[0],
                               NULL)
             : "NotConcerned";
}

/* Decides one review. One that is malformed is answered at once, one without a text waits. */
static void decide(struct webhook *webhook, const rebal_time *now, struct verdict *verdict) {
  struct request *request = verdict->request;
  const rebal_pod_request question = {.struct_size = sizeof question, .text = request->body, .text_len = request->len};
  const rebal_admit_opts opts = {.struct_size = sizeof opts, .flags = REBAL_ADMIT_FLAG_NO_ACTIONS};
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;
  rebal_text_reset(webhook->text);
  client_enter(webhook->client);
  code = rebal_spread_feed_review(webhook->ctx, webhook->feed, &question, now, &opts, webhook->result, webhook->text,
                                  &err);
  client_leave(webhook->client);
  if (code == REBAL_EPARSE || code == REBAL_ERANGE || code == REBAL_EINVAL || code == REBAL_ELIMIT) {
    answer(webhook, request, 400, "Malformed", err.message, strlen(err.message));
    verdict->request = NULL;
  } else if (code != REBAL_OK) {
    say("%s: %s", rebal_strerror(code), err.message);
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
  bool *failed = calloc(capacity, sizeof *failed), is_told = spreads != NULL && objects != NULL && failed != NULL;
  const rebal_admit_opts opts = {.struct_size = sizeof opts, .rows = &no_rows, .n_rows = 0};
  size_t n_spreads = 0;
  while (is_told && (object = rebal_store_next(store, kind, sizeof kind - 1, object)) != REBAL_NONE) {
    spreads[n_spreads] = rebal_spread_feed_spread(webhook->feed, object);
    objects[n_spreads] = object;
    n_spreads += spreads[n_spreads] != NULL;
  }
  is_told = is_told && rebal_spread_admit(webhook->ctx, spreads, n_spreads, rebal_spread_feed_pods(webhook->feed), now,
                                          &opts, webhook->result, NULL) == REBAL_OK;
  is_told = is_told && client_carry_out(webhook->client, webhook->result, NULL, failed) == REBAL_OK;
  for (size_t i = 0; i < n_spreads; i++) {
    if (failed[i] || !is_told) {
      take_back(webhook, objects[i], verdicts, n);
    }
  }
  free(spreads);
  free(objects);
  free(failed);
  return is_told;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* Decides all reviews that wait, and answers those that do not wait any longer. */
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
      answer(webhook, verdicts[i].request, 200, verdicts[i].outcome, verdicts[i].text, verdicts[i].len);
    }
    free(verdicts[i].text);
  }
  metrics_add(client_metrics(webhook->client), &batches, NULL, NULL, 1);
}

/* Reviews whose time is nearly over are answered without a decision. */
static void answer_late(struct webhook *webhook) {
  struct request *next;
  for (struct request *request = server_waiting(webhook->server); request != NULL; request = next) {
    next = request->next;
    if (is_late(request)) {
      answer_failure(webhook, request);
    }
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
  say_once(&webhook->unread, err.message);
  return code != REBAL_ENOMEM;
}

static void answer_waiting(struct webhook *webhook) {
  struct verdict *verdicts;
  size_t n = 0;
  webhook->has_arrived = false;
  webhook->changes = rebal_store_change_count(client_store(webhook->client));
  webhook->due = now_in_milliseconds() + AGAIN_MS;
  for (const struct request *request = server_waiting(webhook->server); request != NULL; request = request->next) {
    n++;
  }
  verdicts = n > 0 && is_up_to_date(webhook) ? calloc(n, sizeof *verdicts) : NULL;
  if (verdicts != NULL) {
    n = 0;
    for (struct request *request = server_waiting(webhook->server); request != NULL; request = request->next) {
      verdicts[n++].request = request;
    }
    decide_all(webhook, verdicts, n);
  }
  free(verdicts);
  answer_late(webhook);
}

static bool is_due(const struct webhook *webhook) {
  return server_waiting(webhook->server) != NULL &&
         (webhook->has_arrived || now_in_milliseconds() >= webhook->due ||
          webhook->changes != rebal_store_change_count(client_store(webhook->client)));
}

static void note_arrival(struct request *request, void *user) {
  struct webhook *webhook = user;
  (void)request;
  webhook->has_arrived = true;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

static bool follow(struct client *client) {
  return client_follow(client, "apps.kruise.io/v1beta1", "WorkloadSpread") && client_follow(client, "v1", "Pod") &&
         client_follow(client, "apps/v1", "Deployment") && client_follow(client, "apps/v1", "ReplicaSet") &&
         client_follow(client, "apps/v1", "StatefulSet") && client_follow(client, "batch/v1", "Job") &&
         client_follow_optional(client, "apps.kruise.io/v1alpha1", "CloneSet") &&
         client_follow_optional(client, "apps.kruise.io/v1beta1", "StatefulSet");
}

static bool webhook_open(struct webhook *webhook, const struct client_options *options,
                         const struct server_options *server) {
  uint32_t cluster;
  if (!client_open(&webhook->client, options) || !follow(webhook->client) ||
      rebal_ctx_new(NULL, NULL, &webhook->ctx, NULL) != REBAL_OK ||
      rebal_result_new(NULL, &webhook->result, NULL) != REBAL_OK ||
      rebal_builder_new(NULL, &webhook->builder, NULL) != REBAL_OK ||
      rebal_text_new(&webhook->text, NULL) != REBAL_OK || rebal_fleet_new(NULL, &webhook->fleet, NULL) != REBAL_OK ||
      rebal_fleet_add_cluster(webhook->fleet, "here", REBAL_TERMINATED, &cluster, NULL) != REBAL_OK ||
      rebal_spread_feed_new(client_store(webhook->client), webhook->fleet, cluster, &webhook->feed, NULL) != REBAL_OK ||
      !server_open(&webhook->server, server)) {
    return false;
  }
  client_serve(webhook->client, webhook->server);
  return true;
}

static void webhook_close(struct webhook *webhook) {
  if (webhook->server != NULL) {
    client_serve(webhook->client, NULL);
    server_close(webhook->server);
  }
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

static bool read_options(struct webhook *webhook, struct client_options *options, struct server_options *server,
                         int argc, char **argv) {
  const char *on_failure = "refuse";
  const struct flag flags[] = {
      {"listen", "ADDRESS:PORT", "answer reviews there; default: :9443", FLAG_TEXT, &server->address},
      {"certificate", "FILE", "PEM; read again when it changes", FLAG_TEXT, &server->certificate},
      {"key", "FILE", "PEM, of the certificate", FLAG_TEXT, &server->key},
      {"on-failure", "allow|refuse", "pods whose WorkloadSpread cannot be written; default: refuse", FLAG_TEXT,
       &on_failure}};
  if (!options_read(options, flags, sizeof flags / sizeof flags[0], argc, argv)) {
    return false;
  }
  options->exit_status = EXIT_FAILURE;
  webhook->allows_on_failure = strcmp(on_failure, "allow") == 0;
  if (!webhook->allows_on_failure && strcmp(on_failure, "refuse") != 0) {
    (void)fprintf(stderr, "%s: --on-failure %s: expected allow or refuse\n", options->name, on_failure);
    return false;
  }
  if (server->certificate == NULL || server->key == NULL) {
    (void)fprintf(stderr, "%s: --certificate and --key are needed: API servers call webhooks by TLS only\n",
                  options->name);
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  static const struct page pages[] = {{"/pods", true, note_arrival}, {NULL, false, NULL}};
  struct webhook webhook = {.client = NULL};
  struct client_options options = {.name = "kruise-spread-webhook", .request_seconds = 3};
  struct server_options server = {
      .address = ":9443", .pages = pages, .user = &webhook, .connections = CONNECTIONS, .body = BODY};
  bool is_open;
  if (!read_options(&webhook, &options, &server, argc, argv)) {
    return options.exit_status;
  }
  is_open = webhook_open(&webhook, &options, &server);
  while (is_open && client_turn(webhook.client, server_waiting(webhook.server) != NULL ? AGAIN_MS : 1000)) {
    if (is_due(&webhook)) {
      answer_waiting(&webhook);
    }
  }
  if (is_open) {
    answer_waiting(&webhook); /* what has come before the end is decided */
  }
  webhook_close(&webhook);
  return is_open ? 0 : 1;
}
