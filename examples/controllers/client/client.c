/* SPDX-License-Identifier: MIT */
/* The loop: watches that feed a store. */
#include "exchange.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#define ABSENT_MS 10000 /* until it is looked again whether a kind is served */

static volatile sig_atomic_t is_stopping;

static void stop(int number) {
  (void)number;
  is_stopping = 1;
}

bool is_ending(void) {
  return is_stopping;
}

/* 0.2, 0.4, ... at most 30 seconds, from half of it to one and a half. */
int64_t back_off(unsigned attempts) {
  const int64_t longest = 30000, delay = attempts < 8 ? INT64_C(200) << attempts : longest;
  uint32_t dice = 0;
  (void)getrandom(&dice, sizeof dice, 0);
  return (delay < longest ? delay : longest) / 2 + (int64_t)(dice % (uint32_t)(delay < longest ? delay : longest));
}

/* ---- watches ----------------------------------------------------------------------------------------------------- */

static void say_of(const struct client *client, const char *kind, const char *text) {
  say("%s%s%s: %s", client->name, client->name[0] != '\0' ? ": " : "", kind, text);
}

static void start_follower(struct client *client, struct follower *follower) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_text_reset(client->text);
  follower->exchange.watch = follower->watch;
  count_watch(client, follower->kind);
  if (rebal_watch_request(follower->watch, client->text, &err) != REBAL_OK ||
      !exchange_start(client, &follower->exchange, rebal_text_bytes(client->text, NULL))) {
    say_of(client, follower->kind, err.message);
    exchange_finish(client, &follower->exchange);
    follower->due = now_in_milliseconds() + back_off(follower->attempts++);
  }
}

static void end_follower(struct client *client, struct follower *follower) {
  rebal_error err = REBAL_ERROR_INIT;
  const bool was_absent = follower->is_absent;
  follower->due = now_in_milliseconds();
  follower->is_absent = follower->is_optional && follower->exchange.status == 404;
  if (rebal_watch_end(follower->watch, follower->exchange.status, &err) == REBAL_OK) {
    follower->attempts = 0;
  } else if (follower->is_absent) {
    follower->due += ABSENT_MS;
    if (!was_absent) {
      say_of(client, follower->kind, "not served");
    }
  } else {
    follower->due += back_off(follower->attempts++);
    say_of(client, follower->kind, err.message);
  }
  exchange_finish(client, &follower->exchange);
}

bool client_follow_some(struct client *client, const char *api_version, const char *kind, const char *field_selector) {
  struct follower *follower = &client->followers[client->n];
  const rebal_watch_opts opts = {
      .struct_size = sizeof opts, .field_selector = field_selector, .field_selector_len = REBAL_TERMINATED};
  rebal_error err = REBAL_ERROR_INIT;
  if (client->n == MAX_WATCHES || rebal_watch_new(client->store, api_version, REBAL_TERMINATED, kind, REBAL_TERMINATED,
                                                  &opts, &follower->watch, &err) != REBAL_OK) {
    say_of(client, kind, client->n == MAX_WATCHES ? "too many kinds" : err.message);
    return false;
  }
  follower->kind = kind;
  client->n++;
  return true;
}

bool client_follow(struct client *client, const char *api_version, const char *kind) {
  return client_follow_some(client, api_version, kind, "");
}

bool client_follow_optional(struct client *client, const char *api_version, const char *kind) {
  if (!client_follow(client, api_version, kind)) {
    return false;
  }
  client->followers[client->n - 1].is_optional = true;
  return true;
}

bool follower_is_synced(const struct follower *follower) {
  return follower->is_absent || rebal_watch_is_synced(follower->watch);
}

bool client_is_synced(const struct client *client) {
  size_t i = 0;
  while (i < client->n && follower_is_synced(&client->followers[i])) {
    i++;
  }
  return i == client->n;
}

/* Not after a failure, until a request is answered again. */
static bool is_answered(const struct follower *follower) {
  long status = 0;
  if (follower->attempts > 0 && follower->exchange.easy != NULL) {
    (void)curl_easy_getinfo(follower->exchange.easy, CURLINFO_RESPONSE_CODE, &status);
  }
  return follower->attempts == 0 || status == 200;
}

bool client_is_tried(const struct client *client) {
  bool has_failed = false;
  for (size_t i = 0; i < client->n; i++) {
    has_failed |= client->followers[i].attempts > 0;
  }
  return has_failed || client_is_synced(client);
}

bool client_is_answered(const struct client *client) {
  bool is_current = client_is_synced(client);
  for (size_t i = 0; i < client->n; i++) {
    is_current &= is_answered(&client->followers[i]);
  }
  return is_current;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* The time of an API server is used unless its response took long, as that of a watch does. */
static void note_time(const struct exchange *exchange) {
  struct curl_header *date;
  curl_off_t microseconds = 0;
  (void)curl_easy_getinfo(exchange->easy, CURLINFO_TOTAL_TIME_T, &microseconds);
  if (exchange->client == exchange->client->first && microseconds < INT64_C(3000000) &&
      curl_easy_header(exchange->easy, "Date", 0, CURLH_HEADER, -1, &date) == CURLHE_OK) {
    time_follow(curl_getdate(date->value, NULL));
  }
}

/* Marks what ended, and ends the followers' requests. */
static void take_ended(struct client *client) {
  int left;
  for (CURLMsg *message; (message = curl_multi_info_read(client->multi, &left)) != NULL;) {
    struct exchange *exchange = NULL;
    long status = 0;
    if (message->msg != CURLMSG_DONE) {
      continue;
    }
    (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&exchange);
    (void)curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    if (message->data.result != CURLE_OK && (exchange->watch == NULL || status != 200)) {
      say("%s", curl_easy_strerror(message->data.result));
      status = exchange->watch == NULL ? 0 : status;
    }
    if (message->data.result == CURLE_OPERATION_TIMEDOUT) {
      exchange_end_silence(exchange);
    }
    note_time(exchange);
    count_request(client, exchange->method != NULL ? exchange->method : "GET", (int32_t)status);
    exchange->status = (int32_t)status;
    exchange->is_done = true;
  }
}

/* Begins the requests of watches that are due. Returns when the next one is, at most the time given. */
static int64_t start_due(struct client *client, int64_t now, int64_t next) {
  for (size_t i = 0; i < client->n; i++) {
    struct follower *follower = &client->followers[i];
    if (follower->exchange.easy == NULL && follower->due <= now) {
      start_follower(client, follower);
    }
    if (follower->exchange.easy == NULL && follower->due < next) {
      next = follower->due > now ? follower->due : now;
    }
  }
  return next;
}

static void end_done(struct client *client) {
  for (size_t i = 0; i < client->n; i++) {
    if (client->followers[i].exchange.easy != NULL && client->followers[i].exchange.is_done) {
      end_follower(client, &client->followers[i]);
    }
  }
}

/* Fills in what to wait for, and returns for how long. */
static int64_t wait_for_servers(const struct client *client, struct curl_waitfd *out, unsigned *n, int64_t wait) {
  *n = 0;
  for (size_t i = 0; i < MAX_SERVERS; i++) {
    if (client->first->servers[i] != NULL) {
      out[(*n)++] = (struct curl_waitfd){server_descriptor(client->first->servers[i]), CURL_WAIT_POLLIN, 0};
      wait = server_wait(client->first->servers[i], wait);
    }
  }
  return wait;
}

void take_turn(struct client *client, int milliseconds) {
  const int64_t now = now_in_milliseconds();
  int64_t next = now + milliseconds;
  struct curl_waitfd served[MAX_SERVERS];
  unsigned n_served;
  int running;
  for (struct client *each = client->first; each != NULL; each = each->next_member) {
    next = start_due(each, now, next);
  }
  /* Requests that were begun are due, so that this does not wait. Called in between, curl_multi_perform() might end one
     that would not be noticed until the wait is over. */
  next = wait_for_servers(client, served, &n_served, next - now);
  (void)curl_multi_poll(client->multi, served, n_served, (int)next, NULL);
  (void)curl_multi_perform(client->multi, &running);
  for (size_t i = 0; i < MAX_SERVERS; i++) {
    if (client->first->servers[i] != NULL) {
      server_run(client->first->servers[i]);
    }
  }
  take_ended(client);
  for (struct client *each = client->first; each != NULL; each = each->next_member) {
    end_done(each);
  }
}

bool client_turn(struct client *client, int milliseconds) {
  if (!is_stopping) {
    take_turn(client, milliseconds);
  }
  if (client->lease.is_held) { /* also while there is nothing to do: another copy would begin to */
    (void)client_leads(client);
  }
  return !is_stopping;
}

void client_serve(struct client *client, struct server *server) {
  client->first->servers[MAX_SERVERS - 1] = server;
}

bool client_leads(struct client *client) {
  return !is_stopping && lease_is_held(client, &client->lease, now_in_milliseconds());
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* One client; NULL is fine. */
static void client_free(struct client *client) {
  if (client == NULL) {
    return;
  }
  for (size_t i = 0; i < client->n; i++) {
    exchange_finish(client, &client->followers[i].exchange);
    rebal_watch_free(client->followers[i].watch);
  }
  connection_close(&client->connection);
  rebal_text_free(client->text);
  rebal_store_free(client->store);
  free(client);
}

rebal_store *client_store(const struct client *client) {
  return client->store;
}

/* A client without a connection; first: that of the program, NULL: this is it. */
static struct client *client_new(struct client *first, const struct client_options *options) {
  struct client *client = calloc(1, sizeof *client);
  if (client == NULL || rebal_store_new(NULL, &client->store, NULL) != REBAL_OK ||
      rebal_text_new(&client->text, NULL) != REBAL_OK) {
    client_free(client);
    return NULL;
  }
  client->options = *options;
  client->first = first != NULL ? first : client;
  return client;
}

/* A connection with the number of a closed stream would get what is logged. */
static bool open_streams(void) {
  int descriptor;
  do {
    descriptor = open("/dev/null", O_RDWR);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  return descriptor >= 0 && close(descriptor) == 0;
}

bool client_open(struct client **out, const struct client_options *options) {
  const struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND}, ignore = {.sa_handler = SIG_IGN};
  struct client *client = NULL;
  if (open_streams() && curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) {
    client = client_new(NULL, options);
  }
  if (client == NULL) {
    say("%s does not start", options->name);
    return false;
  }
  lease_open(&client->lease, options->lease != NULL ? options->lease : "", options->lease_duration_ns);
  client->multi = curl_multi_init();
  if (client->multi == NULL || !connection_open(&client->connection, options->kubeconfig, NULL) ||
      !health_open(client)) {
    client_close(client);
    return false;
  }
  (void)sigaction(SIGTERM, &action, NULL);
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGPIPE, &ignore, NULL); /* libcurl does not do so for programs that handle signals */
  *out = client;
  return true;
}

bool client_open_member(struct client *client, const char *kubeconfig, const char *name, struct client **out) {
  struct client *member = client_new(client->first, &client->options);
  if (member == NULL) {
    return false;
  }
  (void)snprintf(member->name, sizeof member->name, "%s", name);
  if (!connection_open(&member->connection, kubeconfig, member->name)) {
    client_free(member);
    return false;
  }
  member->multi = client->multi;
  member->next_member = client->first->next_member;
  client->first->next_member = member;
  *out = member;
  return true;
}

void client_close_member(struct client *member) {
  struct client *before = member->first;
  while (before->next_member != member) {
    before = before->next_member;
  }
  before->next_member = member->next_member;
  client_free(member);
}

void client_close(struct client *client) {
  CURLM *multi = client->multi;
  lease_release(client, &client->lease);
  server_close(client->servers[0]);
  metrics_close(&client->metrics);
  while (client->next_member != NULL) {
    client_close_member(client->next_member);
  }
  client_free(client);
  if (multi != NULL) {
    (void)curl_multi_cleanup(multi);
  }
  curl_global_cleanup();
}
