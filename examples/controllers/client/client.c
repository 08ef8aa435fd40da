/* SPDX-License-Identifier: MIT */
/* The loop: watches that feed a store, and requests that wait for their answers. */
#include "client.h"

#include <curl/curl.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define MAX_WATCHES 16
#define MAX_IN_FLIGHT 32
#define REQUEST_SECONDS 30L
#define SILENCE_SECONDS 150L /* an API server sends a bookmark each minute */

/* A request under way, of a watch or of an action. */
struct exchange {
  CURL *easy;
  struct curl_slist *headers;
  rebal_watch *watch; /* NULL: an action's */
  size_t action;
  rebal_text *answer; /* of an action */
  bool is_done;
  int32_t status;
};

struct follower {
  rebal_watch *watch;
  const char *kind;
  struct exchange exchange;
  unsigned attempts; /* that failed one after the other */
  int64_t due;       /* milliseconds of the monotonic clock */
};

struct client {
  struct client_options options;
  struct connection connection;
  CURLM *multi;
  rebal_store *store;
  rebal_text *text; /* of a request */
  struct lease lease;
  struct follower followers[MAX_WATCHES];
  size_t n;
};

static volatile sig_atomic_t is_stopping;

static void stop(int number) {
  (void)number;
  is_stopping = 1;
}

static int64_t now_in_milliseconds(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 0.2, 0.4, ... at most 30 seconds, from half of it to one and a half, so that not all clients come back at once. */
static int64_t back_off(unsigned attempts) {
  const int64_t longest = 30000, delay = attempts < 8 ? INT64_C(200) << attempts : longest;
  uint32_t dice = 0;
  (void)getrandom(&dice, sizeof dice, 0);
  return (delay < longest ? delay : longest) / 2 + (int64_t)(dice % (uint32_t)(delay < longest ? delay : longest));
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static size_t take_bytes(char *bytes, size_t size, size_t n, void *user) {
  struct exchange *exchange = user;
  const size_t len = size * n;
  rebal_error err = REBAL_ERROR_INIT;
  if (exchange->watch == NULL) {
    return rebal_text_append(exchange->answer, bytes, len, NULL) == REBAL_OK ? len : 0;
  }
  if (rebal_watch_feed(exchange->watch, bytes, len, &err) != REBAL_OK) {
    say("%s: %s", rebal_strerror(err.code), err.message);
  }
  return len;
}

static struct curl_slist *add_header(struct curl_slist *headers, const char *name, const char *value) {
  const size_t len = strlen(name) + strlen(value) + 3;
  char *line = malloc(len);
  struct curl_slist *longer = NULL;
  if (line != NULL) {
    (void)snprintf(line, len, "%s: %s", name, value);
    longer = curl_slist_append(headers, line);
  }
  free(line);
  return longer != NULL ? longer : headers;
}

/* A token without the white space around it, from its file where there is one. */
static struct curl_slist *add_token(struct curl_slist *headers, const struct connection *connection) {
  char *read = connection->token_file != NULL ? read_whole_file(connection->token_file) : NULL;
  const char *token = read != NULL ? read : connection->token;
  char bearer[8192];
  if (token != NULL) {
    const size_t len = strcspn(token, " \t\r\n");
    (void)snprintf(bearer, sizeof bearer, "Bearer %.*s", (int)len, token);
    headers = add_header(headers, "Authorization", bearer);
  }
  free(read);
  return headers;
}

static void set_blob(CURL *easy, CURLoption option, const char *pem) {
  struct curl_blob blob = {(void *)(uintptr_t)pem, pem != NULL ? strlen(pem) : 0, CURL_BLOB_COPY};
  if (pem != NULL) {
    (void)curl_easy_setopt(easy, option, &blob);
  }
}

/* path: below the server. false: there is no memory. */
static bool start(struct client *client, struct exchange *exchange, const char *path) {
  const struct connection *connection = &client->connection;
  char *url = malloc(strlen(connection->server) + strlen(path) + 1);
  exchange->easy = curl_easy_init();
  exchange->is_done = false;
  exchange->status = 0;
  if (url == NULL || exchange->easy == NULL) {
    free(url);
    return false;
  }
  (void)strcat(strcpy(url, connection->server), path);
  exchange->headers = add_token(add_header(exchange->headers, "Accept", "application/json"), connection);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_URL, url);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_PROTOCOLS_STR, "https");
  (void)curl_easy_setopt(exchange->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_PIPEWAIT, 1L);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_USERAGENT, client->options.name);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_HTTPHEADER, exchange->headers);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_WRITEFUNCTION, take_bytes);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_WRITEDATA, exchange);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_PRIVATE, exchange);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_NOSIGNAL, 1L);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_CONNECTTIMEOUT, 10L);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_LOW_SPEED_TIME,
                         exchange->watch != NULL ? SILENCE_SECONDS : REQUEST_SECONDS);
  set_blob(exchange->easy, CURLOPT_CAINFO_BLOB, connection->authority);
  set_blob(exchange->easy, CURLOPT_SSLCERT_BLOB, connection->certificate);
  set_blob(exchange->easy, CURLOPT_SSLKEY_BLOB, connection->key);
  free(url);
  return curl_multi_add_handle(client->multi, exchange->easy) == CURLM_OK;
}

static void finish(struct client *client, struct exchange *exchange) {
  if (exchange->easy != NULL) {
    (void)curl_multi_remove_handle(client->multi, exchange->easy);
    curl_easy_cleanup(exchange->easy);
  }
  curl_slist_free_all(exchange->headers);
  exchange->easy = NULL;
  exchange->headers = NULL;
}

/* ---- watches ----------------------------------------------------------------------------------------------------- */

static void start_follower(struct client *client, struct follower *follower) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_text_reset(client->text);
  follower->exchange.watch = follower->watch;
  if (rebal_watch_request(follower->watch, client->text, &err) != REBAL_OK ||
      !start(client, &follower->exchange, rebal_text_bytes(client->text, NULL))) {
    say("%s: %s", follower->kind, err.message);
    finish(client, &follower->exchange);
    follower->due = now_in_milliseconds() + back_off(follower->attempts++);
  }
}

static void end_follower(struct client *client, struct follower *follower) {
  rebal_error err = REBAL_ERROR_INIT;
  follower->due = now_in_milliseconds();
  if (rebal_watch_end(follower->watch, follower->exchange.status, &err) == REBAL_OK) {
    follower->attempts = 0;
  } else {
    follower->due += back_off(follower->attempts++);
    say("%s: %s", follower->kind, err.message);
  }
  finish(client, &follower->exchange);
}

bool client_follow(struct client *client, const char *api_version, const char *kind) {
  struct follower *follower = &client->followers[client->n];
  rebal_error err = REBAL_ERROR_INIT;
  if (client->n == MAX_WATCHES || rebal_watch_new(client->store, api_version, REBAL_TERMINATED, kind, REBAL_TERMINATED,
                                                  NULL, &follower->watch, &err) != REBAL_OK) {
    say("%s: %s", kind, client->n == MAX_WATCHES ? "too many kinds" : err.message);
    return false;
  }
  follower->kind = kind;
  client->n++;
  return true;
}

bool client_is_synced(const struct client *client) {
  size_t i = 0;
  while (i < client->n && rebal_watch_is_synced(client->followers[i].watch)) {
    i++;
  }
  return i == client->n;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

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
    exchange->status = (int32_t)status;
    exchange->is_done = true;
  }
}

static void turn(struct client *client, int milliseconds) {
  const int64_t now = now_in_milliseconds();
  int64_t wait = milliseconds;
  int running;
  for (size_t i = 0; i < client->n; i++) {
    struct follower *follower = &client->followers[i];
    if (follower->exchange.easy == NULL && follower->due <= now) {
      start_follower(client, follower);
    }
    if (follower->exchange.easy == NULL && follower->due - now < wait) {
      wait = follower->due > now ? follower->due - now : 0;
    }
  }
  (void)curl_multi_perform(client->multi, &running);
  (void)curl_multi_poll(client->multi, NULL, 0, (int)wait, NULL);
  (void)curl_multi_perform(client->multi, &running);
  take_ended(client);
  for (size_t i = 0; i < client->n; i++) {
    if (client->followers[i].exchange.easy != NULL && client->followers[i].exchange.is_done) {
      end_follower(client, &client->followers[i]);
    }
  }
}

bool client_turn(struct client *client, int milliseconds) {
  if (!is_stopping) {
    turn(client, milliseconds);
  }
  return !is_stopping;
}

bool client_leads(struct client *client) {
  return lease_is_held(client, &client->lease, now_in_milliseconds());
}

/* Puts the method and the body onto a request that was started. */
static void set_body(struct exchange *exchange, const char *method, const char *body, size_t len) {
  (void)curl_easy_setopt(exchange->easy, CURLOPT_CUSTOMREQUEST, method);
  if (len > 0) {
    (void)curl_easy_setopt(exchange->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
    (void)curl_easy_setopt(exchange->easy, CURLOPT_COPYPOSTFIELDS, body);
  }
}

bool client_request(struct client *client, const char *method, const char *path, const char *body,
                    struct answer *answer) {
  struct exchange exchange = {.headers = body != NULL ? add_header(NULL, "Content-Type", "application/json") : NULL};
  bool is_started = rebal_text_new(&exchange.answer, NULL) == REBAL_OK && start(client, &exchange, path);
  if (is_started) {
    set_body(&exchange, method, body, body != NULL ? strlen(body) : 0);
  }
  while (is_started && !exchange.is_done) {
    turn(client, 1000);
  }
  finish(client, &exchange);
  *answer = (struct answer){exchange.status, exchange.answer};
  if (!is_started) {
    rebal_text_free(exchange.answer);
  }
  return is_started;
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

/* Actions under way; those of one object go one after the other. */
struct sending {
  struct client *client;
  const rebal_result *result;
  rebal_observations *observations;
  struct exchange slots[MAX_IN_FLIGHT];
  bool *is_sent; /* by action */
  int32_t code;  /* the first failure */
  rebal_error err;
};

static void note(struct sending *sending, int32_t code) {
  if (code != REBAL_OK && sending->code == REBAL_OK) {
    sending->code = code;
    say("%s: %s", rebal_strerror(code), sending->err.message);
  }
}

static bool is_of_one_object(const rebal_result *result, size_t left, size_t right) {
  static const uint32_t columns[] = {REBAL_ACTION_OBJECT_KIND, REBAL_ACTION_NAMESPACE, REBAL_ACTION_NAME};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
    if (strcmp(rebal_result_text(result, columns[i], left, NULL), rebal_result_text(result, columns[i], right, NULL)) !=
        0) {
      return false;
    }
  }
  return true;
}

/* A slot for the action; NULL: it waits for one, or for another action of its object. */
static struct exchange *slot_for(struct sending *sending, size_t action) {
  struct exchange *free_slot = NULL;
  for (size_t i = 0; i < MAX_IN_FLIGHT; i++) {
    struct exchange *slot = &sending->slots[i];
    if (slot->easy == NULL) {
      free_slot = slot;
    } else if (is_of_one_object(sending->result, slot->action, action)) {
      return NULL;
    }
  }
  return free_slot;
}

static void send_action(struct sending *sending, struct exchange *slot, size_t action) {
  struct client *client = sending->client;
  const char *name = client->options.name;
  const rebal_render_opts opts = {sizeof opts, REBAL_TEXT_FORMAT_JSON, name, REBAL_TERMINATED};
  rebal_request request = {.struct_size = sizeof request};
  int32_t code;
  rebal_text_reset(client->text);
  code =
      rebal_store_render_action(client->store, sending->result, action, &opts, client->text, &request, &sending->err);
  if (code == REBAL_ENOTFOUND) { /* a watch has removed the object */
    note(sending, rebal_store_take_answer(client->store, sending->result, action, 404, NULL, 0, sending->observations,
                                          &sending->err));
    return;
  }
  if (code != REBAL_OK || request.method[0] == '\0') {
    note(sending, code);
    return;
  }
  slot->action = action;
  slot->watch = NULL;
  if (slot->answer == NULL) {
    note(sending, rebal_text_new(&slot->answer, &sending->err));
  } else {
    rebal_text_reset(slot->answer);
  }
  slot->headers = request.content_type[0] != '\0' ? add_header(NULL, "Content-Type", request.content_type) : NULL;
  if (sending->code != REBAL_OK || !start(client, slot, request.path)) {
    finish(client, slot);
    note(sending, REBAL_ENOMEM);
    return;
  }
  set_body(slot, request.method, request.body, (size_t)request.body_len);
}

static size_t take_answers(struct sending *sending) {
  struct client *client = sending->client;
  size_t in_flight = 0;
  for (size_t i = 0; i < MAX_IN_FLIGHT; i++) {
    struct exchange *slot = &sending->slots[i];
    if (slot->easy != NULL && slot->is_done) {
      size_t len;
      const char *body = rebal_text_bytes(slot->answer, &len);
      note(sending, rebal_store_take_answer(client->store, sending->result, slot->action, slot->status, body, len,
                                            sending->observations, &sending->err));
      finish(client, slot);
    }
    in_flight += slot->easy != NULL;
  }
  return in_flight;
}

static void send_all(struct sending *sending) {
  const size_t n = rebal_result_count(sending->result, REBAL_TABLE_ACTION);
  size_t first = 0, in_flight = 0;
  while ((first < n && sending->code == REBAL_OK) || in_flight > 0) {
    for (size_t i = first; i < n && i < first + 4 * MAX_IN_FLIGHT && sending->code == REBAL_OK; i++) {
      struct exchange *slot = sending->is_sent[i] ? NULL : slot_for(sending, i);
      if (slot != NULL) {
        sending->is_sent[i] = true;
        send_action(sending, slot, i);
      }
    }
    while (first < n && sending->is_sent[first]) {
      first++;
    }
    in_flight = take_answers(sending);
    if (in_flight > 0) {
      turn(sending->client, 1000);
      in_flight = take_answers(sending);
    }
  }
}

int32_t client_carry_out(struct client *client, const rebal_result *result, rebal_observations *observations) {
  struct sending sending = {.client = client, .result = result, .observations = observations, .err = REBAL_ERROR_INIT};
  sending.is_sent = calloc(rebal_result_count(result, REBAL_TABLE_ACTION) + 1, sizeof *sending.is_sent);
  if (sending.is_sent == NULL) {
    return REBAL_ENOMEM;
  }
  send_all(&sending);
  for (size_t i = 0; i < MAX_IN_FLIGHT; i++) {
    rebal_text_free(sending.slots[i].answer);
  }
  free(sending.is_sent);
  return sending.code;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

rebal_store *client_store(const struct client *client) {
  return client->store;
}

bool client_open(struct client **out, const struct client_options *options) {
  const struct sigaction action = {.sa_handler = stop};
  struct client *client = calloc(1, sizeof *client);
  if (client == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    free(client);
    return false;
  }
  client->options = *options;
  lease_open(&client->lease, options->lease != NULL ? options->lease : "");
  client->multi = curl_multi_init();
  *out = client;
  if (client->multi == NULL || rebal_store_new(NULL, &client->store, NULL) != REBAL_OK ||
      rebal_text_new(&client->text, NULL) != REBAL_OK || !connection_open(&client->connection, options->kubeconfig)) {
    client_close(client);
    *out = NULL;
    return false;
  }
  (void)sigaction(SIGTERM, &action, NULL);
  (void)sigaction(SIGINT, &action, NULL);
  return true;
}

void client_close(struct client *client) {
  lease_release(client, &client->lease);
  for (size_t i = 0; i < client->n; i++) {
    finish(client, &client->followers[i].exchange);
    rebal_watch_free(client->followers[i].watch);
  }
  connection_close(&client->connection);
  rebal_text_free(client->text);
  rebal_store_free(client->store);
  if (client->multi != NULL) {
    (void)curl_multi_cleanup(client->multi);
  }
  curl_global_cleanup();
  free(client);
}
