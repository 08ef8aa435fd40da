/* SPDX-License-Identifier: MIT */
/* Clusters without nodes in which more runs than they have: independent decisions make it possible. */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>
#include <string.h>

/* 0 where it cannot be read. */
static rebal_quantity amount(const rebal_value *map, const char *resource, struct rebali_buffer *text) {
  rebal_quantity quantity = {0, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  rebali_buffer_clear(text);
  rebali_print_value(text, rebali_find(map, resource));
  if (text->failed || rebali_quantity_parse(rebali_printed(text), text->len, &quantity, NULL) != REBAL_OK) {
    quantity = (rebal_quantity){0, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  }
  return quantity;
}

/* What is used beyond what there is, such as "cpu 12 of 10"; nothing when all fits. */
static void print_overuse(const rebal_value *used, const rebal_value *there, struct rebali_buffer *out) {
  struct rebali_buffer of = REBALI_BUFFER, have = REBALI_BUFFER;
  for (const char *key = rebal_value_next_key(there, NULL); key != NULL; key = rebal_value_next_key(there, key)) {
    const rebal_quantity one = amount(used, key, &of), other = amount(there, key, &have);
    out->failed |= of.failed || have.failed;
    if (rebali_quantity_compare(&one, &other) > 0) {
      rebali_buffer_format(out, "%s%s %s of %s", out->len > 0 ? ", " : "", key, rebali_printed(&of),
                           rebali_printed(&have));
    }
  }
  rebali_buffer_dispose(&of);
  rebali_buffer_dispose(&have);
}

static int32_t tell(struct rebali_member *member, const char *overuse, rebal_error *err) {
  struct rebali_server *server = member->members->core->server;
  const char *before = member->overuse != NULL ? member->overuse : "";
  int32_t code = REBAL_OK;
  if (strcmp(before, overuse) == 0) {
    return REBAL_OK;
  }
  code = rebali_tell(server, REBAL_LOG_KIND_NOTE, "members", member->object,
                     overuse[0] != '\0' ? "is used beyond its capacity" : "is within its capacity again", overuse, err);
  free(member->overuse);
  member->overuse = rebali_text_copy(overuse);
  return code == REBAL_OK && member->overuse == NULL ? rebali_fail_memory(err) : code;
}

int32_t rebali_overuse_tell(struct rebali_member *member, const char *amounts, rebal_error *err) {
  struct rebali_server *server = member->members->core->server;
  struct rebali_buffer overuse = REBALI_BUFFER;
  rebal_document *document = NULL;
  int32_t code = rebal_document_read(amounts, REBAL_TERMINATED, NULL, &document, err);
  rebali_buffer_text(&overuse, "");
  if (code == REBAL_OK) {
    print_overuse(rebal_document_value(document, "allocated"),
                  rebali_field(server, member->object, "status.resourceSummary.allocatable"), &overuse);
    code = overuse.failed ? rebali_fail_memory(err) : tell(member, overuse.bytes, err);
  }
  rebali_buffer_dispose(&overuse);
  rebal_document_free(document);
  return code;
}
