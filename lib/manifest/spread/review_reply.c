/* SPDX-License-Identifier: MIT */
/* Checks AdmissionReviews and writes replies. */
#include "manifest/spread/review.h"

#include <string.h>

#define ADMISSION_GROUP "admission.k8s.io/"

int32_t rebali_review_check(const json_t *input, rebal_error *err) {
  if (strcmp(rebali_member_text(input, "kind"), "AdmissionReview") != 0 ||
      strncmp(rebali_member_text(input, "apiVersion"), ADMISSION_GROUP, sizeof ADMISSION_GROUP - 1) != 0 ||
      *rebali_member_text(rebali_member(input, "request"), "uid") == '\0') {
    return rebali_fail(err, REBAL_EPARSE, -1, "expected an AdmissionReview with a request that has a uid");
  }
  return REBAL_OK;
}

static void encode(const struct rebali_buffer *text, struct rebali_buffer *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const size_t len = text->len, encoded = (len + 2) / 3 * 4;
  const unsigned char *bytes = (const unsigned char *)text->bytes;
  char *at = rebali_buffer_reserve(out, encoded);
  for (size_t i = 0; at != NULL && i < len; i += 3) {
    const unsigned second = i + 1 < len ? bytes[i + 1] : 0;
    const unsigned third = i + 2 < len ? bytes[i + 2] : 0;
    const unsigned group = (unsigned)bytes[i] << 16 | second << 8 | third;
    *at++ = digits[group >> 18];
    *at++ = digits[group >> 12 & 63];
    *at++ = i + 1 < len ? digits[group >> 6 & 63] : '=';
    *at++ = i + 2 < len ? digits[group & 63] : '=';
  }
  if (at != NULL) {
    *at = '\0';
    out->len += encoded;
  }
}

void rebali_reply_write(const struct rebali_reply *reply, const json_t *input, struct rebali_buffer *out) {
  const char *version = rebali_member_text(input, "apiVersion");
  const char *uid = rebali_member_text(rebali_member(input, "request"), "uid");
  rebali_buffer_text(out, "{\"apiVersion\":");
  rebali_json_write_text(version, strlen(version), out);
  rebali_buffer_text(out, ",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":");
  rebali_json_write_text(uid, strlen(uid), out);
  if (reply->code != 0) {
    rebali_buffer_text(out, ",\"allowed\":false,\"status\":{\"code\":");
    rebali_buffer_append_i64(out, reply->code);
    rebali_buffer_text(out, ",\"message\":");
    rebali_json_write_text(reply->message.bytes, reply->message.len, out);
    rebali_buffer_text(out, "}}}");
    return;
  }
  rebali_buffer_text(out, ",\"allowed\":true");
  if (reply->patch.len > 0) {
    rebali_buffer_text(out, ",\"patchType\":\"JSONPatch\",\"patch\":\"");
    encode(&reply->patch, out);
    rebali_buffer_text(out, "\"");
  }
  rebali_buffer_text(out, "}}");
}
