/* SPDX-License-Identifier: MIT */
/* What pods of the scenario's cluster did, as rows of the log: one for those that did the same, one after another. */
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

/* So many are named in a row. */
#define NAMED 3

static int is_same(const rebal_text *text, const char *bytes) {
  return strcmp(rebal_text_bytes(text, NULL), bytes) == 0;
}

static int32_t set(rebal_text *text, const char *bytes, rebal_error *err) {
  rebal_text_reset(text);
  return rebal_text_append(text, bytes, strlen(bytes), err);
}

int32_t rebali_news_tell(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_news *news = &simulation->workloads->news;
  rebal_text *change = simulation->scratch;
  int32_t code;
  if (news->n == 0) {
    return REBAL_OK;
  }
  rebal_text_reset(change);
  code = rebali_print(change, err, "%zu %s %s: %s", news->n, news->n == 1 ? "pod" : "pods",
                      rebal_text_bytes(news->change, NULL), rebal_text_bytes(news->names, NULL));
  if (code == REBAL_OK && news->n > NAMED) {
    code = rebali_print(change, err, " and %zu more", news->n - NAMED);
  }
  news->n = 0;
  return code == REBAL_OK
             ? rebali_log_append(simulation, REBAL_LOG_KIND_CHANGE, rebal_text_bytes(news->controller, NULL),
                                 rebal_text_bytes(news->object, NULL), rebal_text_bytes(change, NULL),
                                 rebal_text_bytes(news->reason, NULL), err)
             : code;
}

static int32_t begin(struct rebali_news *news, const char *controller, const char *object, const char *change,
                     const char *reason, rebal_error *err) {
  int32_t code = set(news->controller, controller, err);
  if (code == REBAL_OK) {
    code = set(news->object, object, err);
  }
  if (code == REBAL_OK) {
    code = set(news->change, change, err);
  }
  rebal_text_reset(news->names);
  return code == REBAL_OK ? set(news->reason, reason, err) : code;
}

static int32_t add(rebal_simulation *simulation, const char *controller, const char *object, const char *pod,
                   const char *change, const char *reason, rebal_error *err) {
  struct rebali_news *news = &simulation->workloads->news;
  int32_t code = REBAL_OK;
  if (news->n > 0 && !(is_same(news->controller, controller) && is_same(news->object, object) &&
                       is_same(news->change, change) && is_same(news->reason, reason))) {
    code = rebali_news_tell(simulation, err);
  }
  if (code == REBAL_OK && news->n == 0) {
    code = begin(news, controller, object, change, reason, err);
  }
  if (code == REBAL_OK && news->n < NAMED) {
    code = rebali_print(news->names, err, "%s%s", news->n > 0 ? ", " : "", pod);
  }
  news->n += code == REBAL_OK;
  return code;
}

/* Who controls a pod, as it stands in its reference, whether it is still there or not; else the pod. */
static int32_t print_controller(rebal_simulation *simulation, uint32_t pod, rebal_text *out, rebal_error *err) {
  const struct rebali_slice reference = rebali_reference_of(simulation, pod);
  char *kind, *controller = NULL;
  int32_t code = REBAL_OK;
  if (reference.len == 0) {
    kind = rebali_object_label(simulation, pod);
    code = kind != NULL ? set(out, kind, err) : rebali_fail_memory(err);
    free(kind);
    return code;
  }
  kind = rebali_cursor_copy(rebali_cursor_find(reference, "kind"));
  controller = rebali_cursor_copy(rebali_cursor_find(reference, "name"));
  rebal_text_reset(out);
  if (kind == NULL || controller == NULL) {
    code = rebali_fail_memory(err);
  } else {
    const struct rebali_slice space = rebali_field(simulation, pod, "metadata.namespace");
    code = rebali_print(out, err, "%s %.*s/%s", kind, REBALI_SLICE(space), controller);
  }
  free(kind);
  free(controller);
  return code;
}

int32_t rebali_news_add(rebal_simulation *simulation, const char *controller, uint32_t pod, const char *change,
                        const char *reason, rebal_error *err) {
  rebal_text *label = simulation->workloads->other;
  char *name = rebali_field_copy(simulation, pod, "metadata.name");
  int32_t code = name != NULL ? print_controller(simulation, pod, label, err) : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = add(simulation, controller, rebal_text_bytes(label, NULL), name, change, reason, err);
  }
  free(name);
  return code;
}
