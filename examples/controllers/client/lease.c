/* SPDX-License-Identifier: MIT */
/*
 * One of several copies works: the one that holds a Lease of coordination.k8s.io, as controllers of Kubernetes do it.
 * The clock of another copy is not used: a Lease has expired if it did not change for its duration by the clock here.
 */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Of its duration: a holder that cannot renew stops working then, before the Lease is over. */
#define RENEW_WITHIN(duration_ms) ((duration_ms) * 2 / 3)
/* Longer than this no request for it takes: a holder has time for another one. */
#define REQUEST_SECONDS(duration_ms) \
  ((duration_ms) < 3000 ? 1 : (int)((duration_ms) < 90000 ? (duration_ms) / 3000 : 30))
/* How often it is read: a waiting copy may find it released. */
#define RETRY_AFTER(duration_ms) ((duration_ms) < 15000 ? (duration_ms) * 2 / 15 : 2000)

void lease_open(struct lease *lease, const char *name, int64_t duration_ns) {
  char host[200] = "";
  uint64_t dice = 0;
  *lease = (struct lease){.seen_at = INT64_MIN / 2, .renewed_at = INT64_MIN / 2};
  lease->duration_ms = duration_ns / 1000000 > 1000 ? duration_ns / 1000000 : 1000;
  (void)snprintf(lease->name, sizeof lease->name, "%s", name);
  (void)gethostname(host, sizeof host - 1);
  (void)getrandom(&dice, sizeof dice, 0);
  (void)snprintf(lease->identity, sizeof lease->identity, "%s_%016llx", host, (unsigned long long)dice);
}

/* The path of the Lease, or of all in its namespace. */
static void put_path(const struct lease *lease, bool is_one, char *out, size_t capacity) {
  const size_t len = strcspn(lease->name, "/");
  (void)snprintf(out, capacity, "/apis/coordination.k8s.io/v1/namespaces/%.*s/leases%s", (int)len, lease->name,
                 is_one ? lease->name + len : "");
}

static void put_now(char *out, size_t capacity) {
  const rebal_time now = time_now();
  const time_t clock = (time_t)now.seconds;
  struct tm parts;
  char seconds[32];
  (void)strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", gmtime_r(&clock, &parts));
  (void)snprintf(out, capacity, "%s.%06dZ", seconds, (int)(now.nanos / 1000));
}

/* What is read of a Lease. */
struct held {
  char holder[256], version[64], acquired[64];
  int64_t transitions, seconds;
};

static void copy_text(const rebal_value *map, const char *key, char *out, size_t capacity) {
  (void)snprintf(out, capacity, "%s", rebal_value_text(rebal_value_member(map, key), NULL));
}

static bool read_lease(const char *body, struct held *held) {
  rebal_document *document = NULL;
  const rebal_value *lease, *spec;
  *held = (struct held){.seconds = 1};
  if (rebal_document_read(body, REBAL_TERMINATED, NULL, &document, NULL) != REBAL_OK) {
    return false;
  }
  lease = rebal_document_value(document, "");
  spec = rebal_value_member(lease, "spec");
  copy_text(spec, "holderIdentity", held->holder, sizeof held->holder);
  copy_text(spec, "acquireTime", held->acquired, sizeof held->acquired);
  copy_text(rebal_value_member(lease, "metadata"), "resourceVersion", held->version, sizeof held->version);
  (void)rebal_value_integer(rebal_value_member(spec, "leaseTransitions"), &held->transitions);
  (void)rebal_value_integer(rebal_value_member(spec, "leaseDurationSeconds"), &held->seconds);
  rebal_document_free(document);
  return held->version[0] != '\0';
}

static bool is_own(const struct held *held, const struct lease *lease) {
  return strcmp(held->holder, lease->identity) == 0;
}

/* Creates or replaces the Lease; of what was read the version is a precondition. */
static bool write_lease(struct client *client, const struct lease *lease, const struct held *held, const char *holder) {
  const bool is_new = held->version[0] == '\0', is_ours = is_own(held, lease);
  const char *name = strchr(lease->name, '/') + 1;
  char path[600], body[2000], now[64];
  struct answer answer;
  bool is_done;
  put_path(lease, !is_new, path, sizeof path);
  put_now(now, sizeof now);
  (void)snprintf(body, sizeof body,
                 "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"%s\"%s%s%s},"
                 "\"spec\":{\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":%d,\"acquireTime\":\"%s\","
                 "\"renewTime\":\"%s\",\"leaseTransitions\":%lld}}",
                 name, is_new ? "" : ",\"resourceVersion\":\"", held->version, is_new ? "" : "\"", holder,
                 holder[0] != '\0' ? (int)((lease->duration_ms + 999) / 1000) : 1,
                 is_ours && held->acquired[0] != '\0' ? held->acquired : now, now,
                 (long long)(held->transitions + (!is_new && !is_ours)));
  if (!client_request_within(client, REQUEST_SECONDS(lease->duration_ms), is_new ? "POST" : "PUT", path, body,
                             &answer)) {
    return false;
  }
  is_done = answer.status == 200 || answer.status == 201;
  if (!is_done && answer.status != 409) {
    say_refused("Lease", lease->name, answer.status, rebal_text_bytes(answer.body, NULL));
  }
  rebal_text_free(answer.body);
  return is_done;
}

/* Reads the Lease. false: the API server does not answer; a missing Lease has no version. */
static bool get_lease(struct client *client, const struct lease *lease, struct held *held) {
  char path[600];
  struct answer answer;
  bool is_known;
  put_path(lease, true, path, sizeof path);
  *held = (struct held){.seconds = 1};
  if (!client_request_within(client, REQUEST_SECONDS(lease->duration_ms), "GET", path, NULL, &answer)) {
    return false;
  }
  is_known = answer.status == 404 || (answer.status == 200 && read_lease(rebal_text_bytes(answer.body, NULL), held));
  if (!is_known) {
    say_refused("Lease", lease->name, answer.status, rebal_text_bytes(answer.body, NULL));
  }
  rebal_text_free(answer.body);
  return is_known;
}

/* Takes or renews the Lease where it is free, ours, or over. */
static bool try_to_hold(struct client *client, struct lease *lease, int64_t now) {
  struct held held;
  if (!get_lease(client, lease, &held)) {
    return false;
  }
  if (strcmp(held.version, lease->version) != 0) {
    (void)snprintf(lease->version, sizeof lease->version, "%s", held.version);
    lease->seen_at = now;
  }
  lease->is_held &= is_own(&held, lease);
  if (held.holder[0] != '\0' && !is_own(&held, lease) && now - lease->seen_at < held.seconds * 1000) {
    return false;
  }
  return write_lease(client, lease, &held, lease->identity);
}

bool lease_is_held(struct client *client, struct lease *lease, int64_t now) {
  const bool was_held = lease->is_held;
  if (lease->name[0] == '\0') {
    return true;
  }
  if (now >= lease->due) {
    lease->due = now + RETRY_AFTER(lease->duration_ms);
    if (try_to_hold(client, lease, now)) {
      lease->renewed_at = now;
      lease->is_held = true;
    }
    now = now_in_milliseconds(); /* the answer may have come late */
  }
  lease->is_held &= now - lease->renewed_at < RENEW_WITHIN(lease->duration_ms);
  if (lease->is_held != was_held) {
    say("Lease %s: %s", lease->name, lease->is_held ? "held" : "lost");
  }
  return lease->is_held;
}

void lease_release(struct client *client, struct lease *lease) {
  struct held held;
  if (lease->is_held && get_lease(client, lease, &held) && is_own(&held, lease)) {
    (void)write_lease(client, lease, &held, "");
  }
  lease->is_held = false;
}
