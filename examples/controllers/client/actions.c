/* SPDX-License-Identifier: MIT */
/* Actions of a result, sent side by side. */
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

#define MAX_IN_FLIGHT 32
#define MAX_ATTEMPTS 8 /* about a minute in all */

/* Actions under way; those of one object go one after the other. */
struct sending {
  struct client *client;
  const rebal_result *result;
  rebal_observations *observations;
  struct exchange slots[MAX_IN_FLIGHT];
  bool *failed_rows;
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

static void say_refused_action(const struct sending *sending, size_t action, int32_t status, const char *body) {
  say_refused(rebal_result_text(sending->result, REBAL_ACTION_OBJECT_KIND, action, NULL),
              rebal_result_text(sending->result, REBAL_ACTION_NAME, action, NULL), status, body);
}

/* What came of an action. */
static void take_answer(struct sending *sending, size_t action, int32_t status, const rebal_text *answer) {
  struct client *client = sending->client;
  const int64_t kind = rebal_result_i64(sending->result, REBAL_ACTION_KIND, NULL)[action];
  size_t len = 0;
  const char *body = answer != NULL ? rebal_text_bytes(answer, &len) : NULL;
  int32_t code;
  client_enter(client);
  code = rebal_store_take_answer(client->store, sending->result, action, status, body, len, sending->observations,
                                 &sending->err);
  client_leave(client);
  count_action(client, kind, status);
  client->refused += kind != REBAL_ACTION_KIND_EVENT && status / 100 != 2;
  if (sending->failed_rows != NULL && kind != REBAL_ACTION_KIND_EVENT && status / 100 != 2) {
    sending->failed_rows[rebal_result_i64(sending->result, REBAL_ACTION_ROW, NULL)[action]] = true;
  }
  if (status >= 400 && status != 404 && status != 409) {
    say_refused_action(sending, action, status, body);
  }
  note(sending, code);
}

static bool is_scale(const struct sending *sending, size_t action) {
  return rebal_result_i64(sending->result, REBAL_ACTION_KIND, NULL)[action] == REBAL_ACTION_KIND_SCALE;
}

/* Has an earlier action failed, of its row, or any before a workload is scaled? */
static bool is_given_up(const struct sending *sending, size_t action) {
  return (is_scale(sending, action) && sending->client->refused > 0) ||
         (sending->failed_rows != NULL &&
          sending->failed_rows[rebal_result_i64(sending->result, REBAL_ACTION_ROW, NULL)[action]]);
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

static bool is_of_one_row(const rebal_result *result, size_t left, size_t right) {
  const int64_t *rows = rebal_result_i64(result, REBAL_ACTION_ROW, NULL);
  return rows[left] == rows[right];
}

/*
 * A slot for the action; NULL: it waits for one, for another action of its object, for one of its row that may fail,
 * or, when it scales, for all that do not.
 */
static struct exchange *slot_for(struct sending *sending, size_t action) {
  struct exchange *free_slot = NULL;
  for (size_t i = 0; i < MAX_IN_FLIGHT; i++) {
    struct exchange *slot = &sending->slots[i];
    if (slot->easy == NULL && slot->due == 0) {
      free_slot = slot;
    } else if (is_of_one_object(sending->result, slot->action, action) ||
               (sending->failed_rows != NULL && is_of_one_row(sending->result, slot->action, action)) ||
               (is_scale(sending, action) && !is_scale(sending, slot->action))) {
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
  client_enter(client);
  code =
      rebal_store_render_action(client->store, sending->result, action, &opts, client->text, &request, &sending->err);
  client_leave(client);
  if (code == REBAL_ENOTFOUND) { /* a watch has removed the object */
    take_answer(sending, action, 404, NULL);
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
  if (sending->code != REBAL_OK || !exchange_start(client, slot, request.path)) {
    exchange_finish(client, slot);
    note(sending, REBAL_ENOMEM);
    return;
  }
  exchange_set_body(slot, request.method, request.body, (size_t)request.body_len);
}

/*
 * Did the API server, or what is before it, not get to the action? Without an answer it may have been carried out: then
 * it changes nothing the second time. 401: the credentials are being rotated. 429 without a time is of a
 * PodDisruptionBudget.
 */
static bool is_unanswered(const struct exchange *slot) {
  curl_off_t seconds = 0;
  (void)curl_easy_getinfo(slot->easy, CURLINFO_RETRY_AFTER, &seconds);
  return slot->status == 0 || slot->status == 401 || (slot->status >= 502 && slot->status <= 504) ||
         (slot->status == 429 && seconds > 0);
}

static void end_attempt(struct sending *sending, struct exchange *slot, int64_t now) {
  const unsigned most = sending->client->options.is_waited_for ? 0 : MAX_ATTEMPTS;
  const bool is_again = slot->attempts < most && is_unanswered(slot);
  exchange_finish(sending->client, slot);
  if (is_again) {
    if (slot->status != 0) {
      say_refused_action(sending, slot->action, slot->status, rebal_text_bytes(slot->answer, NULL));
    }
    slot->due = now + back_off(slot->attempts++);
  } else {
    take_answer(sending, slot->action, slot->status, slot->answer);
  }
}

/* Sends it once more, or gives it up. */
static void try_again(struct sending *sending, struct exchange *slot) {
  slot->due = 0;
  if (sending->code != REBAL_OK || is_ending()) {
    take_answer(sending, slot->action, 0, NULL);
  } else {
    send_action(sending, slot, slot->action);
  }
}

/* Takes what came, and sends again what is due. Returns how many actions are under way, *wait: until when at most. */
static size_t take_answers(struct sending *sending, int64_t *wait) {
  const int64_t now = now_in_milliseconds();
  size_t in_flight = 0;
  *wait = 1000;
  for (size_t i = 0; i < MAX_IN_FLIGHT; i++) {
    struct exchange *slot = &sending->slots[i];
    if (slot->easy != NULL && slot->is_done) {
      end_attempt(sending, slot, now);
    }
    if (slot->due != 0 && (slot->due <= now || sending->code != REBAL_OK || is_ending())) {
      try_again(sending, slot);
    }
    if (slot->due != 0 && slot->due - now < *wait) {
      *wait = slot->due - now;
    }
    in_flight += slot->easy != NULL || slot->due != 0;
  }
  return in_flight;
}

static void send_all(struct sending *sending) {
  const size_t n = rebal_result_count(sending->result, REBAL_TABLE_ACTION);
  size_t first = 0, in_flight = 0;
  int64_t wait;
  while ((first < n && sending->code == REBAL_OK) || in_flight > 0) {
    if (!lease_is_held(sending->client, &sending->client->lease, now_in_milliseconds())) {
      sending->code = REBAL_EAGAIN;
    }
    for (size_t i = first; i < n && i < first + 4 * MAX_IN_FLIGHT && sending->code == REBAL_OK; i++) {
      struct exchange *slot = sending->is_sent[i] ? NULL : slot_for(sending, i);
      if (slot != NULL) {
        sending->is_sent[i] = true;
        if (!is_given_up(sending, i)) {
          slot->attempts = 0;
          send_action(sending, slot, i);
        }
      }
    }
    while (first < n && sending->is_sent[first]) {
      first++;
    }
    in_flight = take_answers(sending, &wait);
    if (in_flight > 0) {
      take_turn(sending->client, (int)wait);
      in_flight = take_answers(sending, &wait);
    }
  }
}

int32_t client_carry_out(struct client *client, const rebal_result *result, rebal_observations *observations,
                         bool *failed_rows) {
  struct sending sending = {.client = client,
                            .result = result,
                            .observations = observations,
                            .failed_rows = failed_rows,
                            .err = REBAL_ERROR_INIT};
  sending.is_sent = calloc(rebal_result_count(result, REBAL_TABLE_ACTION) + 1, sizeof *sending.is_sent);
  client->refused = 0;
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

size_t client_refused(const struct client *client) {
  return client->refused;
}
