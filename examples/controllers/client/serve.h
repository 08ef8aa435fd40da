/* SPDX-License-Identifier: MIT */
/*
 * serve.h - HTTP that a controller serves, and the numbers among it.
 *
 * A server has no thread: the loop that has it waits for server_descriptor() and calls server_run(). A handler must not
 * call the loop, since libmicrohttpd cannot be entered twice: it answers at once, or leaves the request among those of
 * server_waiting(), and the program answers it between two turns of its loop.
 */
#ifndef SERVE_H
#define SERVE_H

#include <rebalance/manifest.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- numbers (metrics.c) ----------------------------------------------------------------------------------------- */

/* Numbers that differ in the values of at most two labels. */
struct family {
  const char *name, *type, *help; /* type: counter or gauge */
  const char *labels[2];
};

/* All zero: none yet. */
struct metrics {
  struct series *first;
};

/* Adds to a number, which begins as 0. The family must outlive it; values are NULL where it has no labels. */
void metrics_add(struct metrics *metrics, const struct family *family, const char *first, const char *second,
                 double amount);
void metrics_set(struct metrics *metrics, const struct family *family, const char *first, const char *second,
                 double value);
/* Appends all of them in Prometheus's text format 0.0.4. */
int32_t metrics_write(const struct metrics *metrics, rebal_text *out);
void metrics_close(struct metrics *metrics);

/* ---- a server (serve.c) ------------------------------------------------------------------------------------------ */

struct server;

/* A request that has come completely. */
struct request {
  const char *path;
  const char *body;
  size_t len;
  int64_t arrived;      /* milliseconds of the monotonic clock */
  int64_t timeout;      /* milliseconds, that the client gives itself by ?timeout=10s; 0: unknown */
  struct request *next; /* of those that wait */
};

struct page {
  const char *path;
  bool has_body; /* it takes POST, others GET and HEAD */
  void (*handle)(struct request *request, void *user);
};

struct server_options {
  const char *address;           /* ADDRESS:PORT; without ADDRESS: all */
  const char *certificate, *key; /* PEM files, read again when they change; NULL: without TLS */
  const struct page *pages;      /* the last has no path */
  void *user;                    /* of handlers */
  unsigned connections;          /* at the same time; more wait */
  size_t body;                   /* bytes; longer ones are refused */
};

/* Returns false after it has logged why. options must outlive the server. */
bool server_open(struct server **out, const struct server_options *options);
/* Requests that wait are answered with 503. NULL is fine. */
void server_close(struct server *server);
/* Readable when server_run() has something to do. */
int server_descriptor(const struct server *server);
/* After how many milliseconds it has something to do all the same; at most those given. */
int64_t server_wait(const struct server *server, int64_t milliseconds);
void server_run(struct server *server);
/* The requests that no handler has answered, the oldest first; NULL: none. */
struct request *server_waiting(const struct server *server);
/* Answers a request, which then is no more. The text is copied. */
void request_answer(struct request *request, unsigned status, const char *content_type, const char *text, size_t len);

#endif
