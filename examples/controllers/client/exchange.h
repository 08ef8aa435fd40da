/* SPDX-License-Identifier: MIT */
/* exchange.h - inside of the client: requests under way, of watches (client.c) and of others (request.c, actions.c). */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "client.h"

#include <curl/curl.h>

#define MAX_WATCHES 16
#define MAX_SERVERS 2

/* A request under way. */
struct exchange {
  struct client *client;
  CURL *easy;
  struct curl_slist *headers;
  rebal_watch *watch; /* that takes the answer; NULL: answer does */
  size_t action;      /* its place, when it is one */
  unsigned attempts;  /* of the action, that got no answer */
  int64_t due;        /* of the next one, milliseconds of the monotonic clock; 0: there is none */
  const char *method; /* of others than GET */
  rebal_text *answer;
  bool is_done;
  int32_t status; /* of HTTP; 0: no answer came */
};

/* A kind that is listed and watched. */
struct follower {
  rebal_watch *watch;
  const char *kind;
  struct exchange exchange;
  bool is_optional;
  bool is_absent;    /* it is optional, and not served */
  unsigned attempts; /* that failed one after the other */
  int64_t due;       /* milliseconds of the monotonic clock, as all here */
};

struct client {
  struct client_options options;
  char name[64]; /* of a member; "" for the API server that the program works for */
  struct connection connection;
  CURLM *multi;         /* one for all API servers of a program */
  struct client *first; /* that of the program, whose turns serve all */
  struct client *next_member;
  rebal_store *store;
  rebal_text *text; /* of a request */
  struct lease lease;
  int64_t heard_at; /* the last byte came; milliseconds of the monotonic clock */
  size_t refused;   /* actions of the last client_carry_out() */
  struct follower followers[MAX_WATCHES];
  size_t n;
  struct server *servers[MAX_SERVERS]; /* health, and the program's; these and what follows only of the first client */
  struct server_options health;
  struct metrics metrics;
  double entered_at;
};

/* Has its kind been listed once, or is it absent? */
bool follower_is_synced(const struct follower *follower);
/* Headers with one more; the same when there is no memory. */
struct curl_slist *add_header(struct curl_slist *headers, const char *name, const char *value);
/* Begins a GET of a path below the server, with the exchange's headers. false: there is no memory. */
bool exchange_start(struct client *client, struct exchange *exchange, const char *path);
/* Puts the method and the body onto a request that was started. */
void exchange_set_body(struct exchange *exchange, const char *method, const char *body, size_t len);
/* Its time is over: ends connections to its API server on which nothing came while it waited. */
void exchange_end_silence(const struct exchange *exchange);
/* Ends it, answered or not. */
void exchange_finish(struct client *client, struct exchange *exchange);
/* Milliseconds to wait after so many attempts that failed: longer with each, and not all clients the same. */
int64_t back_off(unsigned attempts);
/* Has SIGTERM or SIGINT come? */
bool is_ending(void);
/* Waits for bytes, at most so long, and takes them. */
void take_turn(struct client *client, int milliseconds);

/* ---- health.c ---- */

/* Returns false after it has logged why. */
bool health_open(struct client *client);
void count_request(struct client *client, const char *method, int32_t status);
void count_watch(struct client *client, const char *kind);
/* status: of HTTP. */
void count_action(struct client *client, int64_t kind, int32_t status);

#endif
