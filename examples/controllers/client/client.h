/* SPDX-License-Identifier: MIT */
/*
 * client.h - what the example controllers share: one API server, whose objects a store follows, and to which actions
 * are sent. One thread, one loop:
 *
 *     client_open(&client, &options);
 *     client_follow(client, "apps.karmada.io/v1alpha1", "WorkloadRebalancer");
 *     while (client_turn(client, milliseconds))
 *       if (client_is_synced(client)) ... step; client_carry_out(client, result, observations);
 *     client_close(client);
 *
 * Failures are logged on standard error; what an API server does may always be tried again.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include "serve.h"

#include <rebalance/document.h>
#include <rebalance/watch.h>

#include <stdbool.h>
#include <stdint.h>

/* ---- options (options.c) ----------------------------------------------------------------------------------------- */

struct client_options {
  const char *name;          /* of the program: user agent and field manager */
  const char *kubeconfig;    /* NULL: the account of the pod it runs in */
  const char *lease;         /* NAMESPACE/NAME; NULL: every copy works */
  int64_t lease_duration_ns; /* a copy that is silent so long is replaced */
  const char *serve;         /* ADDRESS:PORT of health and metrics; NULL: none */
  int request_seconds;       /* the longest that a request may take, but for watches; 0: while it moves on */
  bool is_waited_for;        /* an API server waits for the program: it sends no action twice */
  int exit_status;           /* of a program that ends before it began */
};

/* What a flag is, and what its target points to. */
enum flag_kind {
  FLAG_SWITCH,  /* bool: given without a value */
  FLAG_TEXT,    /* const char *, of argv */
  FLAG_LEASE,   /* the same; NAMESPACE/NAME */
  FLAG_NUMBER,  /* int64_t, from 0 to 1,000,000 */
  FLAG_SECONDS, /* int64_t in nanoseconds, given as seconds such as 0.5 */
  FLAG_TEXTS,   /* struct texts: may be given several times */
  FLAG_AMOUNT,  /* struct amount: a number, or a percentage such as 25% */
};

/* Those of argv. */
struct texts {
  const char *list[16];
  size_t n;
};

struct amount {
  int64_t number; /* from 0 to 1,000,000 */
  bool is_given, is_percent;
};

struct flag {
  const char *name, *value, *help; /* value: what help calls it; "" of a switch */
  enum flag_kind kind;
  void *target; /* holds the default */
};

/*
 * Reads the command line: what all controllers take, and n flags of the program, at most 24. false: the program ends,
 * with exit_status.
 */
bool options_read(struct client_options *options, const struct flag *flags, size_t n, int argc, char **argv);
/* Appends flags as they stand now, as one would give them; numbers below 0 are not given. Returns a code. */
int32_t options_write(const struct flag *flags, size_t n, rebal_text *out);

/* ---- the connection (connection.c) ------------------------------------------------------------------------------- */

/* The API server and the credentials for it. Texts are owned; NULL means none. */
struct connection {
  char *server;                     /* https://host:port */
  char *authority;                  /* PEM: who may have signed the server's certificate */
  char *certificate, *key;          /* PEM: the client's */
  char *token;                      /* a bearer token */
  const char *kubeconfig, *context; /* where they were read; the caller's */
  int64_t read_at;                  /* milliseconds of the monotonic clock */
};

/*
 * Reads a context of a kubeconfig (NULL: its current one), or without a kubeconfig the account of the pod. Returns
 * false after it has logged why.
 */
bool connection_open(struct connection *connection, const char *kubeconfig, const char *context);
/* Certificates and tokens are rotated: reads them again when that was long ago. Keeps what cannot be read again. */
void connection_refresh(struct connection *connection, int64_t now);
void connection_close(struct connection *connection);
/* Returns whether the kubeconfig has a context of this name. */
bool kubeconfig_has(const char *kubeconfig, const char *context);
/* Returns the contents of a file, to be freed; NULL after it has logged why. */
char *read_whole_file(const char *path);

/* ---- the client (client.c) --------------------------------------------------------------------------------------- */

struct client;

/* Returns false after it has logged why. */
bool client_open(struct client **out, const struct client_options *options);
/* It and its members. */
void client_close(struct client *client);
/*
 * The API server of a member cluster: the context of its name in a kubeconfig. Turns of the client serve members too,
 * which have stores of their own. The kubeconfig's path must outlive it. Returns false after it has logged why.
 */
bool client_open_member(struct client *client, const char *kubeconfig, const char *name, struct client **out);
void client_close_member(struct client *member);
/* The store that follows the API server; the client's. */
rebal_store *client_store(const struct client *client);
/* Lists the kind and watches it from then on. */
bool client_follow(struct client *client, const char *api_version, const char *kind);
/* The same for the objects that a field selector takes, "" for all, such as "status.phase=Pending". */
bool client_follow_some(struct client *client, const char *api_version, const char *kind, const char *field_selector);
/* The same for a kind that the API server need not have: it is listed once it is served. */
bool client_follow_optional(struct client *client, const char *api_version, const char *kind);
/* Have all its kinds been listed once, but for optional ones that are not served? */
bool client_is_synced(const struct client *client);
/* Have they, or did one of them fail? */
bool client_is_tried(const struct client *client);
/* Are they also as the API server has them, since it answers? */
bool client_is_answered(const struct client *client);
/* Waits for bytes, at most so long, and feeds them to the store. false: SIGTERM or SIGINT came. */
bool client_turn(struct client *client, int milliseconds);
/* May this copy begin with something? It holds the Lease, or there is none, and neither SIGTERM nor SIGINT came. */
bool client_leads(struct client *client);

/* Of a request. */
struct answer {
  int32_t status;   /* of HTTP; 0: none came */
  rebal_text *body; /* the caller's */
};

/* Sends one request, with JSON or (NULL) without a body, and waits for its answer. false: it could not be sent. */
bool client_request(struct client *client, const char *method, const char *path, const char *body,
                    struct answer *answer);
/* The same with another longest time than that of the options. */
bool client_request_within(struct client *client, int seconds, const char *method, const char *path, const char *body,
                           struct answer *answer);
/* Logs a request for an object that was not granted, in the words of the API server. */
void say_refused(const char *kind, const char *name, int32_t status, const char *body);
/*
 * Sends the actions of a result, those of one object one after the other, waits for the answers, and adds them to
 * observations (may be NULL). The store holds what was written. Returns REBAL_OK, the code of the call that failed, or
 * REBAL_EAGAIN when another copy holds the Lease: what was not sent is not sent any more.
 *
 * failed_rows (may be NULL): by row of the step, false but for rows none of whose actions is to be sent. Where a write
 * of a row fails it becomes true, and no further action of the row is sent: for steps that take their writes to
 * succeed.
 */
int32_t client_carry_out(struct client *client, const rebal_result *result, rebal_observations *observations,
                         bool *failed_rows);
/* How many actions of the last call were not done, but for events. */
size_t client_refused(const struct client *client);

/* ---- what a program writes itself (object.c) --------------------------------------------------------------------- */

/* Appends a text between quotes, as JSON has it. Returns a code. */
int32_t append_quoted(rebal_text *out, const char *text);
/* Appends formatted text; longer than 1,000 bytes it is cut. Returns a code. */
int32_t append_format(rebal_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An object that a program writes about. */
struct subject {
  const char *kind, *name; /* of apiVersion v1; NAMESPACE/NAME */
  const char *uid;
};

/* Creates an Event about an object, and logs its message. */
void client_report(struct client *client, const struct subject *subject, bool is_warning, const char *reason,
                   const char *message);

/* ---- when objects are due, and passes over them (timers.c) ------------------------------------------------------- */

struct timer {
  int64_t due; /* nanoseconds since 1970, as all here; 0: not at all */
  uint32_t failures;
};

/* By number, such as the object's in a store. All zero: none is due. */
struct timers {
  struct timer *list;
  size_t n;
};

/* By the clock of the API server, where this machine's is wrong by more than 10 seconds. */
rebal_time time_now(void);
/* The API server's clock shows this; negative: it is unknown. */
void time_follow(int64_t seconds);
/* As the timers have it. Times after the year 2261 are taken for that year. */
int64_t nanoseconds_of(const rebal_time *time);
/* Sets one, and forgets its failures. false: there is no memory. */
bool timers_set(struct timers *timers, uint32_t object, int64_t due);
/* It failed once more: it is due later, after a longer time with each failure. */
bool timers_back_off(struct timers *timers, uint32_t object);
bool timers_is_due(const struct timers *timers, uint32_t object);
/* Milliseconds until the next one is due, at most so many. What is due already waits for something else. */
int timers_wait(const struct timers *timers, int longest);
void timers_close(struct timers *timers);
/* When the actions of a result say that its step is to be called again; 0: they do not. */
int64_t wake_time(const rebal_result *result);

/* Calls a step of the library for the object, once, with what passes has. Returns its code. */
typedef int32_t step_function(void *user, uint32_t object, const rebal_time *now, rebal_error *err);

/* What passes over the objects of a store have in common. */
struct passes {
  struct client *client;
  rebal_ctx *ctx;
  rebal_result *result;             /* of the last step */
  rebal_observations *observations; /* what came of the actions of this pass */
  bool is_begun;                    /* the step was called before in this pass */
  struct timers timers;
  bool takes_all_to_succeed; /* the step ignores results of its actions: one that fails fails the pass */
};

/* false: there is no memory; passes_close() frees what there is. */
bool passes_open(struct passes *passes, struct client *client);
void passes_close(struct passes *passes);
/*
 * While this copy leads, makes a pass over each object of the kind that is due: calls the step and sends its actions
 * until it waits for nothing more. Then the object is due at the time that the step returned, or has failed.
 */
void passes_make(struct passes *passes, const char *kind, step_function *step, void *user);

/* ---- what it serves (health.c) ----------------------------------------------------------------------------------- */

/* Turns of the client serve this one too, until it is NULL. */
void client_serve(struct client *client, struct server *server);
/* The numbers of /metrics, for those of the program. */
struct metrics *client_metrics(struct client *client);
/* Before and after calls of the library that take time: what passes in between is one of the numbers. */
void client_enter(struct client *client);
void client_leave(struct client *client);

/* ---- API servers of member clusters (members.c) ------------------------------------------------------------------ */

/* What is followed in members. */
struct member_kind {
  const char *api_version, *kind, *field_selector; /* as client_follow_some() takes them */
};

/* Those of all Clusters in the store of a client that follows them. All zero but for the first four to begin with. */
struct members {
  struct client *client;
  const char *kubeconfig; /* contexts have the names of clusters */
  const struct member_kind *kinds;
  size_t n_kinds;
  struct member *list;
  size_t n;
};

/* Opens those of Clusters that came, and closes those of Clusters that went. */
void members_follow(struct members *members);
/* Is it known of each whether its API server answers? */
bool members_are_tried(const struct members *members);
/*
 * Makes what is known below each cluster of the fleet what its API server holds now, or nothing where there is no
 * context for it, or its API server does not answer. The fleet has the Clusters already.
 */
int32_t members_feed(struct members *members, rebal_fleet *fleet, rebal_error *err);
/* Before the client and the fleet. */
void members_close(struct members *members);

/* ---- one copy of several (lease.c) ------------------------------------------------------------------------------- */

struct lease {
  char name[512];     /* NAMESPACE/NAME; "": none */
  char identity[256]; /* of this copy */
  char version[64];   /* of the Lease as it was seen last */
  int64_t seen_at;    /* when that changed; milliseconds of the monotonic clock, as all here */
  int64_t duration_ms, renewed_at, due;
  bool is_held;
};

void lease_open(struct lease *lease, const char *name, int64_t duration_ns);
/* Renews it, or tries to get it, when that is due; true where there is none. */
bool lease_is_held(struct client *client, struct lease *lease, int64_t now);
/* Another copy need not wait. */
void lease_release(struct client *client, struct lease *lease);

/* ---- clock and log (log.c) --------------------------------------------------------------------------------------- */

/* Of the monotonic clock. */
int64_t now_in_milliseconds(void);
/* A line on standard error with the time. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The last text that was logged. All zero: none. */
struct logged {
  char text[256];
};

/* Logs a text unless it equals the last one; "": the condition is over. */
void log_once(struct logged *last, const char *text);

#endif
