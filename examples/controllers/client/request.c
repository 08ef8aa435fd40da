/* SPDX-License-Identifier: MIT */
/* Requests to an API server. */
#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_SECONDS 30L
#define MAX_SOCKETS 4096
#define SILENCE_SECONDS 150L /* an API server sends a bookmark each minute */

/* ---- connections that fell silent -------------------------------------------------------------------------------- */

/*
 * To which client's API server a socket leads; of libcurl's sockets only. A connection may be dead without a sign, and
 * libcurl lets all requests share it until the system gives it up, which takes a quarter of an hour.
 */
static const struct client *owners[MAX_SOCKETS];

static int note_opening(void *user, curl_socket_t descriptor, curlsocktype purpose) {
  (void)purpose;
  if (descriptor >= 0 && descriptor < MAX_SOCKETS) {
    owners[descriptor] = user;
  }
  return CURL_SOCKOPT_OK;
}

static int note_closing(void *user, curl_socket_t descriptor) {
  (void)user;
  if (descriptor >= 0 && descriptor < MAX_SOCKETS) {
    owners[descriptor] = NULL;
  }
  return close(descriptor);
}

/* Watches on these connections end, too, and begin anew. */
void exchange_end_silence(const struct exchange *exchange) {
  curl_off_t microseconds = 0;
  (void)curl_easy_getinfo(exchange->easy, CURLINFO_TOTAL_TIME_T, &microseconds);
  for (int i = 0; i < MAX_SOCKETS; i++) {
    if (owners[i] == exchange->client && exchange->client->heard_at < now_in_milliseconds() - microseconds / 1000) {
      (void)shutdown(i, SHUT_RDWR);
    }
  }
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static size_t take_bytes(char *bytes, size_t size, size_t n, void *user) {
  struct exchange *exchange = user;
  const size_t len = size * n;
  rebal_error err = REBAL_ERROR_INIT;
  exchange->client->heard_at = now_in_milliseconds();
  if (exchange->watch == NULL) {
    return rebal_text_append(exchange->answer, bytes, len, NULL) == REBAL_OK ? len : 0;
  }
  client_enter(exchange->client);
  if (rebal_watch_feed(exchange->watch, bytes, len, &err) != REBAL_OK) {
    say("%s: %s", rebal_strerror(err.code), err.message);
  }
  client_leave(exchange->client);
  return len;
}

struct curl_slist *add_header(struct curl_slist *headers, const char *name, const char *value) {
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

/* The token without the white space around it. */
static struct curl_slist *add_token(struct curl_slist *headers, const char *token) {
  const size_t len = token != NULL ? strcspn(token, " \t\r\n") : 0;
  char *bearer = len > 0 ? malloc(len + sizeof "Bearer ") : NULL;
  if (bearer != NULL) {
    (void)snprintf(bearer, len + sizeof "Bearer ", "Bearer %.*s", (int)len, token);
    headers = add_header(headers, "Authorization", bearer);
  }
  free(bearer);
  return headers;
}

static void set_blob(CURL *easy, CURLoption option, const char *pem) {
  struct curl_blob blob = {(void *)(uintptr_t)pem, pem != NULL ? strlen(pem) : 0, CURL_BLOB_COPY};
  if (pem != NULL) {
    (void)curl_easy_setopt(easy, option, &blob);
  }
}

bool exchange_start(struct client *client, struct exchange *exchange, const char *path) {
  const struct connection *connection = &client->connection;
  char *url;
  connection_refresh(&client->connection, now_in_milliseconds());
  url = malloc(strlen(connection->server) + strlen(path) + 1);
  exchange->easy = curl_easy_init();
  exchange->client = client;
  exchange->method = NULL;
  exchange->is_done = false;
  exchange->status = 0;
  if (url == NULL || exchange->easy == NULL) {
    free(url);
    return false;
  }
  (void)strcat(strcpy(url, connection->server), path);
  exchange->headers = add_token(add_header(exchange->headers, "Accept", "application/json"), connection->token);
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
  (void)curl_easy_setopt(exchange->easy, CURLOPT_SOCKOPTFUNCTION, note_opening);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_SOCKOPTDATA, client);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_CLOSESOCKETFUNCTION, note_closing);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_CONNECTTIMEOUT, 10L);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_LOW_SPEED_TIME,
                         exchange->watch != NULL ? SILENCE_SECONDS : REQUEST_SECONDS);
  (void)curl_easy_setopt(exchange->easy, CURLOPT_TIMEOUT,
                         exchange->watch != NULL ? 0L : (long)client->options.request_seconds);
  set_blob(exchange->easy, CURLOPT_CAINFO_BLOB, connection->authority);
  if (connection->authority != NULL) { /* libcurl would trust those of the system, too */
    (void)curl_easy_setopt(exchange->easy, CURLOPT_CAPATH, NULL);
  }
  set_blob(exchange->easy, CURLOPT_SSLCERT_BLOB, connection->certificate);
  set_blob(exchange->easy, CURLOPT_SSLKEY_BLOB, connection->key);
  free(url);
  return curl_multi_add_handle(client->multi, exchange->easy) == CURLM_OK;
}

void exchange_finish(struct client *client, struct exchange *exchange) {
  if (exchange->easy != NULL) {
    (void)curl_multi_remove_handle(client->multi, exchange->easy);
    curl_easy_cleanup(exchange->easy);
  }
  curl_slist_free_all(exchange->headers);
  exchange->easy = NULL;
  exchange->headers = NULL;
}

void exchange_set_body(struct exchange *exchange, const char *method, const char *body, size_t len) {
  exchange->method = method;
  (void)curl_easy_setopt(exchange->easy, CURLOPT_CUSTOMREQUEST, method);
  if (len > 0) {
    (void)curl_easy_setopt(exchange->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
    (void)curl_easy_setopt(exchange->easy, CURLOPT_COPYPOSTFIELDS, body);
  }
}

bool client_request_within(struct client *client, int seconds, const char *method, const char *path, const char *body,
                           struct answer *answer) {
  struct exchange exchange = {.headers = body != NULL ? add_header(NULL, "Content-Type", "application/json") : NULL};
  bool is_started = rebal_text_new(&exchange.answer, NULL) == REBAL_OK && exchange_start(client, &exchange, path);
  if (is_started) {
    exchange_set_body(&exchange, method, body, body != NULL ? strlen(body) : 0);
    (void)curl_easy_setopt(exchange.easy, CURLOPT_TIMEOUT, (long)seconds);
  }
  while (is_started && !exchange.is_done) {
    take_turn(client, 1000);
  }
  exchange_finish(client, &exchange);
  *answer = (struct answer){exchange.status, exchange.answer};
  if (!is_started) {
    rebal_text_free(exchange.answer);
  }
  return is_started;
}

bool client_request(struct client *client, const char *method, const char *path, const char *body,
                    struct answer *answer) {
  return client_request_within(client, client->options.request_seconds, method, path, body, answer);
}

void say_refused(const char *kind, const char *name, int32_t status, const char *body) {
  rebal_document *document = NULL;
  const char *message = "";
  if (rebal_document_read(body, REBAL_TERMINATED, NULL, &document, NULL) == REBAL_OK) {
    message = rebal_value_text(rebal_value_member(rebal_document_value(document, ""), "message"), NULL);
  }
  say("%s %s: %d %s", kind, name, (int)status, message);
  rebal_document_free(document);
}
