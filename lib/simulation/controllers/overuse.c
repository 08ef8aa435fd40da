/* SPDX-License-Identifier: MIT */
/* Clusters whose pods request more than the cluster has, which independent decisions make possible. */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns 0 if the amount is malformed. */
static rebal_quantity amount(const rebal_value *map, const char *resource, struct rebali_buffer *out) {
  rebal_quantity quantity = {0, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  if (rebali_quantity_of(rebali_find(map, resource), &quantity, NULL) == REBAL_ENOMEM) {
    out->failed = 1;
  }
  return quantity;
}

static void print_quantity(const rebal_quantity *quantity, struct rebali_buffer *out) {
  char text[80];
  size_t len;
  if (rebali_quantity_format(quantity, text, sizeof text, &len, NULL) == REBAL_OK) {
    rebali_buffer_append(out, text, len);
  }
}

/* Prints what pods request beyond what exists, such as "cpu 12 of 10": pods with a node, and pods that wait for one. */
static void print_overuse(const rebal_value *summary, const rebal_value *there, struct rebali_buffer *out) {
  const rebal_value *allocated = rebali_find(summary, "allocated"), *allocating = rebali_find(summary, "allocating");
  for (const char *key = rebal_value_next_key(there, NULL); key != NULL; key = rebal_value_next_key(there, key)) {
    const rebal_quantity have = amount(there, key, out), waiting = amount(allocating, key, out);
    rebal_quantity used = amount(allocated, key, out);
    if (rebali_quantity_add(&used, &waiting, &used, NULL) != REBAL_OK || rebali_quantity_compare(&used, &have) <= 0) {
      continue;
    }
    rebali_buffer_format(out, "%s%s ", out->len > 0 ? ", " : "", key);
    print_quantity(&used, out);
    rebali_buffer_text(out, " of ");
    rebali_print_value(out, rebali_find(there, key));
  }
}

/* Prints pods that do not fit on counted nodes. */
static void print_beyond_models(int64_t n, struct rebali_buffer *out) {
  if (n > 0) {
    rebali_buffer_format(out, "%s%" PRId64 " pod%s that no node of its resource models takes", out->len > 0 ? ", " : "",
                         n, n > 1 ? "s" : "");
  }
}

static int32_t report(struct rebali_member *member, const char *overuse, rebal_error *err) {
  struct rebali_server *server = member->members->core->server;
  const char *before = member->overuse != NULL ? member->overuse : "";
  char *now = NULL, *last = NULL;
  int32_t code = REBAL_OK;
  if (strcmp(before, overuse) == 0) {
    return REBAL_OK;
  }
  code = rebali_log_report(server, REBAL_LOG_KIND_NOTE, "members", member->object,
                           overuse[0] != '\0' ? "is used beyond its capacity" : "is within its capacity again", overuse,
                           err);
  now = rebali_text_copy(overuse);
  last = rebali_text_copy(overuse[0] != '\0' ? overuse : before);
  if (now == NULL || last == NULL) {
    free(now);
    free(last);
    return code == REBAL_OK ? rebali_fail_memory(err) : code;
  }
  free(member->overuse);
  free(member->last_overuse);
  member->overuse = now;
  member->last_overuse = last;
  return code;
}

int32_t rebali_overuse_report(struct rebali_member *member, const char *summary, rebal_error *err) {
  struct rebali_server *server = member->members->core->server;
  struct rebali_buffer overuse = REBALI_BUFFER;
  rebal_document *document = NULL;
  int32_t code = rebal_document_read(summary, REBAL_TERMINATED, NULL, &document, err);
  rebali_buffer_text(&overuse, "");
  if (code == REBAL_OK) {
    print_overuse(rebal_document_value(document, ""),
                  rebali_field(server, member->object, "status.resourceSummary.allocatable"), &overuse);
    print_beyond_models(member->beyond_models, &overuse);
    code = overuse.failed ? rebali_fail_memory(err) : report(member, overuse.bytes, err);
  }
  rebali_buffer_dispose(&overuse);
  rebal_document_free(document);
  return code;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

uint64_t rebali_overuse_count(const struct rebali_members *members) {
  uint64_t n = 0;
  for (size_t i = 0; i < members->n; i++) {
    n += members->list[i]->last_overuse != NULL;
  }
  return n;
}

void rebali_overuse_print(const struct rebali_members *members, struct rebali_buffer *out) {
  for (size_t i = 0; i < members->n; i++) {
    const struct rebali_member *member = members->list[i];
    if (member->last_overuse != NULL) {
      rebali_buffer_format(out, "%s%s (%s)", out->len > 0 ? ", " : "", member->cluster, member->last_overuse);
    }
  }
}
