/* SPDX-License-Identifier: MIT */
/* What every controller serves: its health, and numbers about what it does. */
#include "exchange.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define MAX_CONNECTIONS 32

static const struct family requests = {
    "librebalance_requests_total", "counter", "Requests to API servers that ended.", {"method", "code"}};
static const struct family watches = {
    "librebalance_watch_requests_total", "counter", "Pages of lists and watches that were begun.", {"kind", NULL}};
static const struct family actions = {
    "librebalance_actions_total", "counter", "Actions that were sent.", {"action", "outcome"}};
static const struct family objects = {
    "librebalance_objects", "gauge", "Objects that were listed and watched.", {"kind", NULL}};
static const struct family changes = {
    "librebalance_object_changes_total", "counter", "Changes of these objects.", {NULL, NULL}};
static const struct family leads = {"librebalance_leader", "gauge", "1 if this copy works, else 0.", {NULL, NULL}};
static const struct family seconds = {
    "librebalance_library_seconds_total", "counter", "Seconds spent in librebalance.", {NULL, NULL}};

struct metrics *client_metrics(struct client *client) {
  return &client->first->metrics;
}

void count_request(struct client *client, const char *method, int32_t status) {
  char code[16];
  (void)snprintf(code, sizeof code, "%d", (int)status);
  metrics_add(client_metrics(client), &requests, method, code, 1);
}

void count_watch(struct client *client, const char *kind) {
  metrics_add(client_metrics(client), &watches, kind, NULL, 1);
}

void count_action(struct client *client, int64_t kind, int32_t status) {
  const int64_t outcome = status >= 200 && status < 300    ? REBAL_OBSERVED_DONE
                          : status == 404                  ? REBAL_OBSERVED_NOT_FOUND
                          : status == 409                  ? REBAL_OBSERVED_CONFLICT
                          : status == 408 || status == 429 ? REBAL_OBSERVED_TRANSIENT
                          : status >= 400 && status < 500  ? REBAL_OBSERVED_DENIED
                                                           : REBAL_OBSERVED_TRANSIENT;
  metrics_add(client_metrics(client), &actions, rebal_enum_name(REBAL_ENUM_ACTION_KIND, kind, NULL),
              rebal_enum_name(REBAL_ENUM_OBSERVED, outcome, NULL), 1);
}

static double now_in_seconds(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void client_enter(struct client *client) {
  client->first->entered_at = now_in_seconds();
}

void client_leave(struct client *client) {
  metrics_add(client_metrics(client), &seconds, NULL, NULL, now_in_seconds() - client->first->entered_at);
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* The loop answers, so it turns. */
static void show_health(struct request *request, void *user) {
  (void)user;
  request_answer(request, 200, "text/plain", "ok\n", 3);
}

/*
 * A copy that does not hold the Lease is ready too: it would work at once. So is one that waits for the API server of a
 * member: it works for the others.
 */
static void show_readiness(struct request *request, void *user) {
  static const char not_yet[] = "not listed yet:";
  const struct client *client = user;
  char text[1024];
  size_t len = (size_t)snprintf(text, sizeof text, "%s", not_yet);
  for (size_t i = 0; i < client->n && len < sizeof text; i++) {
    if (!follower_is_synced(&client->followers[i])) {
      len += (size_t)snprintf(text + len, sizeof text - len, " %s", client->followers[i].kind);
    }
  }
  if (len == sizeof not_yet - 1) {
    request_answer(request, 200, "text/plain", "ok\n", 3);
  } else {
    (void)snprintf(text + (len < sizeof text - 2 ? len : sizeof text - 2), 2, "\n");
    request_answer(request, 503, "text/plain", text, strlen(text));
  }
}

static size_t count_objects(const rebal_store *store, const char *kind) {
  size_t n = 0;
  for (uint32_t object = REBAL_NONE;
       (object = rebal_store_next(store, kind, REBAL_TERMINATED, object)) != REBAL_NONE;) {
    n++;
  }
  return n;
}

static void show_metrics(struct request *request, void *user) {
  struct client *client = user;
  struct metrics *metrics = client_metrics(client);
  rebal_text *text = NULL;
  double n_changes = 0;
  size_t len;
  metrics_set(metrics, &leads, NULL, NULL, client->lease.name[0] == '\0' || client->lease.is_held);
  metrics_add(metrics, &seconds, NULL, NULL, 0);
  for (struct client *each = client; each != NULL; each = each->next_member) {
    for (size_t i = 0; i < each->n; i++) {
      metrics_set(metrics, &objects, each->followers[i].kind, NULL, 0);
    }
    n_changes += (double)rebal_store_change_count(each->store);
  }
  for (struct client *each = client; each != NULL; each = each->next_member) {
    for (size_t i = 0; i < each->n; i++) {
      metrics_add(metrics, &objects, each->followers[i].kind, NULL,
                  (double)count_objects(each->store, each->followers[i].kind));
    }
  }
  metrics_set(metrics, &changes, NULL, NULL, n_changes);
  if (rebal_text_new(&text, NULL) == REBAL_OK && metrics_write(metrics, text) == REBAL_OK) {
    const char *bytes = rebal_text_bytes(text, &len);
    request_answer(request, 200, "text/plain; version=0.0.4; charset=utf-8", bytes, len);
  } else {
    request_answer(request, 500, "text/plain", "", 0);
  }
  rebal_text_free(text);
}

bool health_open(struct client *client) {
  static const struct page pages[] = {{"/healthz", false, show_health},
                                      {"/readyz", false, show_readiness},
                                      {"/metrics", false, show_metrics},
                                      {NULL, false, NULL}};
  client->health = (struct server_options){
      .address = client->options.serve, .pages = pages, .user = client, .connections = MAX_CONNECTIONS};
  return client->options.serve == NULL || (server_open(&client->servers[0], &client->health));
}
