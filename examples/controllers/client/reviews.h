/* SPDX-License-Identifier: MIT */
/*
 * reviews.h - AdmissionReviews that a webhook answers: they wait until the program decides them between two turns of
 * its loop, and what is not decided in time is allowed or refused as --on-failure says.
 */
#ifndef REVIEWS_H
#define REVIEWS_H

#include "client.h"

struct reviews {
  struct client *client;
  struct server *server;
  struct server_options options; /* address, certificate and key are set by flags */
  const char *on_failure;        /* allow or refuse */
  bool has_arrived;              /* one that nobody has looked at */
  uint64_t changes;              /* of the store when they were looked at last */
  int64_t due;                   /* when they are looked at again */
};

#define REVIEW_FLAGS 4
/* The flags that all webhooks have. */
void reviews_flags(struct reviews *reviews, struct flag flags[REVIEW_FLAGS]);
/* Takes reviews at the paths, at most 4, the last of which is NULL. false: it said why. */
bool reviews_open(struct reviews *reviews, struct client *client, const char *const *paths);
/* Those that wait are answered with 503. */
void reviews_close(struct reviews *reviews);
/* For how long a turn of the loop may wait. */
int reviews_wait(const struct reviews *reviews);
/* Are there any to decide: new ones, or old ones once more? If so, counts them and looks again later. */
size_t reviews_take(struct reviews *reviews);
/* Answers one, and counts its outcome. status: of HTTP; 200 with an AdmissionReview, else with a text. */
void reviews_answer(struct reviews *reviews, struct request *request, unsigned status, const char *outcome,
                    const char *text, size_t len);
/* Answers those whose time is nearly over without a decision. */
void reviews_answer_late(struct reviews *reviews);
bool review_is_late(const struct request *request);

#endif
