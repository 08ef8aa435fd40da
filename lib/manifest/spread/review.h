/* SPDX-License-Identifier: MIT */
/* lib/manifest/spread/review.h - AdmissionReviews (admission.k8s.io). */
#ifndef REBALI_MANIFEST_REVIEW_H
#define REBALI_MANIFEST_REVIEW_H

#include "manifest/manifest.h"

/* The reply to a review. */
struct rebali_reply {
  int code;                     /* of a refusal; 0: the object is allowed */
  struct rebali_buffer message; /* of a refusal */
  struct rebali_buffer patch;   /* JSON; empty: none */
};

/* REBAL_EPARSE: not an AdmissionReview with a request. */
int32_t rebali_review_check(const json_t *input, rebal_error *err);
/* Appends the AdmissionReview that answers the input. */
void rebali_reply_write(const struct rebali_reply *reply, const json_t *input, struct rebali_buffer *out);

#endif
