/* SPDX-License-Identifier: MIT */
/* AdmissionReviews that wait for a decision. */
#include "reviews.h"

#include <stdio.h>
#include <string.h>

#define MAX_PATHS 4
#define CONNECTIONS 1200
#define BODY ((size_t)8 << 20)
#define TIMEOUT_MS 10000 /* if the API server does not set one */
#define AGAIN_MS 100     /* what waits is decided anew that often, and when an object changed */

static const struct family answers = {
    "librebalance_reviews_total", "counter", "AdmissionReviews that were answered.", {"path", "outcome"}};
static const struct family seconds = {
    "librebalance_review_seconds_total", "counter", "Seconds that these took.", {"path", NULL}};

void reviews_flags(struct reviews *reviews, struct flag flags[REVIEW_FLAGS]) {
  reviews->on_failure = "refuse";
  reviews->options.address = ":9443";
  flags[0] = (struct flag){"listen", "ADDRESS:PORT", "answer reviews there; default: :9443", FLAG_TEXT,
                           &reviews->options.address};
  flags[1] =
      (struct flag){"certificate", "FILE", "PEM; read again when it changes", FLAG_TEXT, &reviews->options.certificate};
  flags[2] = (struct flag){"key", "FILE", "PEM, of the certificate", FLAG_TEXT, &reviews->options.key};
  flags[3] = (struct flag){"on-failure", "allow|refuse", "what cannot be decided in time; default: refuse", FLAG_TEXT,
                           &reviews->on_failure};
}

static bool are_right(const struct reviews *reviews) {
  if (strcmp(reviews->on_failure, "allow") != 0 && strcmp(reviews->on_failure, "refuse") != 0) {
    say("--on-failure %s: expected allow or refuse", reviews->on_failure);
    return false;
  }
  if (reviews->options.certificate == NULL || reviews->options.key == NULL) {
    say("--certificate and --key are needed: API servers call webhooks by TLS only");
    return false;
  }
  return true;
}

static void note_arrival(struct request *request, void *user) {
  struct reviews *reviews = user;
  (void)request;
  reviews->has_arrived = true;
}

bool reviews_open(struct reviews *reviews, struct client *client, const char *const *paths) {
  static struct page pages[MAX_PATHS + 1];
  for (size_t i = 0; i < MAX_PATHS && paths[i] != NULL; i++) {
    pages[i] = (struct page){paths[i], true, note_arrival};
  }
  reviews->client = client;
  reviews->options.pages = pages;
  reviews->options.user = reviews;
  reviews->options.connections = CONNECTIONS;
  reviews->options.body = BODY;
  if (!are_right(reviews) || !server_open(&reviews->server, &reviews->options)) {
    return false;
  }
  client_serve(client, reviews->server);
  return true;
}

void reviews_close(struct reviews *reviews) {
  if (reviews->server != NULL) {
    client_serve(reviews->client, NULL);
    server_close(reviews->server);
  }
}

int reviews_wait(const struct reviews *reviews) {
  return server_waiting(reviews->server) != NULL ? AGAIN_MS : 1000;
}

size_t reviews_take(struct reviews *reviews) {
  const uint64_t changes = rebal_store_change_count(client_store(reviews->client));
  size_t n = 0;
  if (!reviews->has_arrived && changes == reviews->changes && now_in_milliseconds() < reviews->due) {
    return 0;
  }
  reviews->has_arrived = false;
  reviews->changes = changes;
  reviews->due = now_in_milliseconds() + AGAIN_MS;
  for (const struct request *request = server_waiting(reviews->server); request != NULL; request = request->next) {
    n++;
  }
  return n;
}

void reviews_answer(struct reviews *reviews, struct request *request, unsigned status, const char *outcome,
                    const char *text, size_t len) {
  struct metrics *metrics = client_metrics(reviews->client);
  metrics_add(metrics, &answers, request->path, outcome, 1);
  metrics_add(metrics, &seconds, request->path, NULL, (double)(now_in_milliseconds() - request->arrived) / 1000);
  request_answer(request, status, status == 200 ? "application/json" : "text/plain", text, len);
}

/* Texts of a review that are repeated in its answer: without characters that JSON would escape. */
static bool is_plain(const char *text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-./";
  return text[0] != '\0' && text[strspn(text, plain)] == '\0' && strlen(text) < 100;
}

static void answer_late(struct reviews *reviews, struct request *request) {
  static const char refusal[] = ",\"status\":{\"code\":500,\"message\":\"it could not be decided in time\"}";
  const bool is_allowed = strcmp(reviews->on_failure, "allow") == 0;
  rebal_document *document = NULL;
  const char *version = "", *uid = "";
  char text[600];
  if (rebal_document_read(request->body, request->len, NULL, &document, NULL) == REBAL_OK) {
    version = rebal_value_text(rebal_document_value(document, "apiVersion"), NULL);
    uid = rebal_value_text(rebal_document_value(document, "request.uid"), NULL);
  }
  if (is_plain(version) && is_plain(uid)) {
    (void)snprintf(
        text, sizeof text,
        "{\"apiVersion\":\"%s\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"%s\",\"allowed\":%s%s}}", version,
        uid, is_allowed ? "true" : "false", is_allowed ? "" : refusal);
    say("review %s: %s, since it was not decided in time", uid, is_allowed ? "allowed" : "refused");
    reviews_answer(reviews, request, 200, is_allowed ? "FailedOpen" : "FailedClosed", text, strlen(text));
  } else {
    reviews_answer(reviews, request, 400, "Malformed", "", 0);
  }
  rebal_document_free(document);
}

bool review_is_late(const struct request *request) {
  const int64_t timeout = request->timeout > 0 ? request->timeout : TIMEOUT_MS;
  return now_in_milliseconds() - request->arrived > timeout * 3 / 4;
}

void reviews_answer_late(struct reviews *reviews) {
  struct request *next;
  for (struct request *request = server_waiting(reviews->server); request != NULL; request = next) {
    next = request->next;
    if (review_is_late(request)) {
      answer_late(reviews, request);
    }
  }
}
