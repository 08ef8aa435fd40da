/* SPDX-License-Identifier: MIT */
/*
 * reviews.h - AdmissionReviews that a webhook answers: they wait until the program decides them between two turns of
 * its loop, and what is not decided in time is allowed or refused by --on-failure.
 */
#ifndef REVIEWS_H
#define REVIEWS_H

#include "client.h"

struct reviews {
  struct client *client;
  struct server *server;
  struct server_options options; /* address, certificate and key are set by flags */
  const char *on_failure;        /* allow or refuse */
  bool has_arrived;              /* a new one */
  uint64_t changes;              /* of the store when they were last examined */
  int64_t due;                   /* when they are examined again */
};

#define REVIEW_FLAGS 4
/* The flags that all webhooks have. */
void reviews_flags(struct reviews *reviews, struct flag flags[REVIEW_FLAGS]);
/* Takes reviews at the paths, at most 4, the last of which is NULL. Returns false after it has logged why. */
bool reviews_open(struct reviews *reviews, struct client *client, const char *const *paths);
/* Those that wait are answered with 503. */
void reviews_close(struct reviews *reviews);
/* For how long a turn of the loop may wait. */
int reviews_wait(const struct reviews *reviews);
/* Returns the number of reviews to decide, new ones or old ones again, and sets when they are due again. */
size_t reviews_take(struct reviews *reviews);
/* Answers one, and counts its outcome. status: of HTTP; 200 with an AdmissionReview, else with a text. */
void reviews_answer(struct reviews *reviews, struct request *request, unsigned status, const char *outcome,
                    const char *text, size_t len);
/* Answers those whose time is nearly over without a decision. */
void reviews_answer_late(struct reviews *reviews);
bool review_is_late(const struct request *request);

#endif
