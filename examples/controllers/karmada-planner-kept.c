/* SPDX-License-Identifier: MIT */
/* The ConfigMap: its plan, compressed and in base64, of which flags it was made, and what came of it. */
#include "karmada-planner-kept.h"

#include "karmada-planner-packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL_ANNOTATION "librebalance/plan-control"
#define MOST_DATA (1u << 20) /* what a ConfigMap holds: keys and values */

/* The path of the ConfigMap, or of all in its namespace. */
static void put_path(const struct kept *kept, bool is_one, char *out, size_t capacity) {
  const size_t len = strcspn(kept->name, "/");
  (void)snprintf(out, capacity, "/api/v1/namespaces/%.*s/configmaps%s", (int)len, kept->name,
                 is_one ? kept->name + len : "");
}

static void copy(const rebal_value *map, const char *key, char *out, size_t capacity) {
  (void)snprintf(out, capacity, "%s", rebal_value_text(rebal_value_member(map, key), NULL));
}

static enum control control_of(const char *word) {
  if (strcmp(word, "back") == 0) {
    return CONTROL_BACK;
  }
  if (word[0] != '\0' && strcmp(word, "stop") != 0) {
    say(CONTROL_ANNOTATION ": expected stop or back: %s is taken for stop", word);
  }
  return word[0] == '\0' ? CONTROL_GO_ON : CONTROL_STOP;
}

/* NULL: there is none that can be read. */
static rebal_plan *load_plan(const struct kept *kept, const rebal_value *encoded, rebal_fleet *fleet) {
  size_t len;
  const char *text = rebal_value_text(encoded, &len);
  const gnutls_datum_t given = {(unsigned char *)(uintptr_t)text, (unsigned)len};
  gnutls_datum_t packed = {NULL, 0}, bytes = {NULL, 0};
  rebal_error err = REBAL_ERROR_INIT;
  rebal_plan *plan = NULL;
  if (gnutls_base64_decode2(&given, &packed) != 0 || !unpack(&packed, &bytes) ||
      rebal_plan_load(fleet, NULL, bytes.data, bytes.size, &plan, &err) != REBAL_OK) {
    say("ConfigMap %s: there is no plan in it %s", kept->name, err.message);
  }
  gnutls_free(packed.data);
  gnutls_free(bytes.data);
  return plan;
}

/* Takes what the API server holds. */
static bool take(struct kept *kept, const char *body, rebal_fleet *fleet) {
  rebal_document *document = NULL;
  const rebal_value *map, *metadata, *data;
  char version[64];
  if (rebal_document_read(body, REBAL_TERMINATED, NULL, &document, NULL) != REBAL_OK) {
    return false;
  }
  map = rebal_document_value(document, "");
  metadata = rebal_value_member(map, "metadata");
  data = rebal_value_member(map, "data");
  copy(metadata, "resourceVersion", version, sizeof version);
  if (strcmp(version, kept->version) != 0) {
    kept_forget(kept);
    copy(metadata, "resourceVersion", kept->version, sizeof kept->version);
    copy(metadata, "uid", kept->uid, sizeof kept->uid);
    copy(data, "request", kept->request, sizeof kept->request);
    copy(data, "result", kept->result, sizeof kept->result);
    kept->control = control_of(
        rebal_value_text(rebal_value_member(rebal_value_member(metadata, "annotations"), CONTROL_ANNOTATION), NULL));
    if (kept->result[0] == '\0') {
      kept->plan = load_plan(kept, rebal_value_member(rebal_value_member(map, "binaryData"), "plan"), fleet);
    }
  }
  rebal_document_free(document);
  return true;
}

bool kept_read(struct kept *kept, struct client *client, rebal_fleet *fleet) {
  char path[600];
  struct answer answer;
  bool is_known;
  put_path(kept, true, path, sizeof path);
  if (!client_request(client, "GET", path, NULL, &answer)) {
    return false;
  }
  is_known = answer.status == 404 || (answer.status == 200 && take(kept, rebal_text_bytes(answer.body, NULL), fleet));
  if (answer.status == 404) {
    kept_forget(kept);
  } else if (!is_known) {
    say_refused("ConfigMap", kept->name, answer.status, rebal_text_bytes(answer.body, NULL));
  }
  rebal_text_free(answer.body);
  return is_known;
}

/* The plan in gzip, which fits beside so many bytes. */
static int32_t pack_plan(const rebal_plan *plan, size_t others, gnutls_datum_t *out, rebal_error *err) {
  size_t len = 0;
  gnutls_datum_t bytes = {NULL, 0};
  int32_t code;
  (void)rebal_plan_save(plan, NULL, 0, &len, NULL);
  bytes.data = len < UINT32_MAX ? malloc(len + 1) : NULL;
  bytes.size = (unsigned)len;
  code = bytes.data == NULL ? REBAL_ENOMEM : rebal_plan_save(plan, bytes.data, len, &len, err);
  code = code == REBAL_OK && !pack(&bytes, out) ? REBAL_ENOMEM : code;
  free(bytes.data);
  if (code == REBAL_OK && out->size + others > MOST_DATA) {
    (void)snprintf(err->message, sizeof err->message,
                   "the plan has %u bytes in gzip, and a ConfigMap holds %u: --due plans fewer bindings", out->size,
                   MOST_DATA);
    return REBAL_ELIMIT;
  }
  return code;
}

/* The plan in base64. */
static int32_t append_plan(const rebal_plan *plan, size_t others, rebal_text *out, rebal_error *err) {
  gnutls_datum_t packed = {NULL, 0}, encoded = {NULL, 0};
  int32_t code = pack_plan(plan, others, &packed, err);
  if (code == REBAL_OK && gnutls_base64_encode2(&packed, &encoded) != 0) {
    code = REBAL_ENOMEM;
  }
  code = code == REBAL_OK ? rebal_text_append(out, (const char *)encoded.data, encoded.size, err) : code;
  gnutls_free(encoded.data);
  gnutls_free(packed.data);
  return code;
}

static int32_t write_body(const struct kept *kept, const char *request, const rebal_plan *plan, const char *result,
                          rebal_text *out, rebal_error *err) {
  const bool is_present = kept->uid[0] != '\0';
  int32_t code = append_format(out,
                               "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\"%s%s%s},"
                               "\"data\":{\"request\":",
                               strchr(kept->name, '/') + 1, is_present ? ",\"resourceVersion\":\"" : "", kept->version,
                               is_present ? "\"" : "");
  code = code == REBAL_OK ? append_quoted(out, request) : code;
  if (code == REBAL_OK && plan == NULL) {
    code = append_format(out, ",\"result\":");
    code = code == REBAL_OK ? append_quoted(out, result) : code;
    return code == REBAL_OK ? append_format(out, "}}") : code;
  }
  code = code == REBAL_OK ? append_format(out, "},\"binaryData\":{\"plan\":\"") : code;
  code = code == REBAL_OK ? append_plan(plan, sizeof "requestplan" + strlen(request), out, err) : code;
  return code == REBAL_OK ? append_format(out, "\"}}") : code;
}

int32_t kept_write(const struct kept *kept, struct client *client, const char *request, const rebal_plan *plan,
                   const char *result, rebal_error *err) {
  const bool is_new = kept->uid[0] == '\0';
  rebal_text *body = NULL;
  struct answer answer = {0, NULL};
  char path[600];
  int32_t code = rebal_text_new(&body, err);
  put_path(kept, !is_new, path, sizeof path);
  code = code == REBAL_OK ? write_body(kept, request, plan, result, body, err) : code;
  if (code == REBAL_OK) {
    code = REBAL_EAGAIN;
    if (client_request(client, is_new ? "POST" : "PUT", path, rebal_text_bytes(body, NULL), &answer)) {
      code = answer.status / 100 == 2 ? REBAL_OK : REBAL_EAGAIN;
    }
    if (code != REBAL_OK && answer.status != 0) {
      say_refused("ConfigMap", kept->name, answer.status, rebal_text_bytes(answer.body, NULL));
    }
  }
  rebal_text_free(answer.body);
  rebal_text_free(body);
  return code;
}

void kept_forget(struct kept *kept) {
  rebal_plan_free(kept->plan);
  *kept = (struct kept){.name = kept->name};
}
