/* SPDX-License-Identifier: MIT */
/* Indexes of Indexed Jobs: each pod has one below completions, the lowest that no other pod has or had. */
#include "simulation/controllers/controllers.h"
#include "simulation/deletion/deletion.h"

#include <stdlib.h>
#include <string.h>

/* Indexes of pods, sorted. Must be disposed of. */
struct indexes {
  int64_t *list;
  size_t n, capacity;
};

int rebali_job_is_indexed(struct rebali_server *server, uint32_t job) {
  return rebali_is_kind(server, job, "Job") &&
         strcmp(rebali_field_text(server, job, "spec.completionMode"), "Indexed") == 0;
}

static int compare(const void *left, const void *right) {
  const int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;
  return (one > other) - (one < other);
}

static int has_succeeded(const struct rebali_own *own, const struct rebali_pod *pod) {
  return strcmp(rebali_field_text(own->core->server, pod->object, "status.phase"), "Succeeded") == 0;
}

/* Reads the indexes of active pods, and with with_succeeded those of succeeded ones. */
static int32_t read_indexes(struct rebali_own *own, uint32_t job, int with_succeeded, struct indexes *out,
                            rebal_error *err) {
  const struct rebali_pods *pods = rebali_pods_of(own, job);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && pods != NULL && i < pods->n; i++) {
    const struct rebali_pod *pod = &pods->list[i];
    if (!pod->is_gone && (!pod->is_done || (with_succeeded && has_succeeded(own, pod)))) {
      code = rebali_reserve_malloc(&out->list, &out->capacity, out->n + 1, sizeof *out->list, err);
      if (code == REBAL_OK) {
        out->list[out->n++] = pod->ordinal;
      }
    }
  }
  if (out->n > 1) {
    qsort(out->list, out->n, sizeof *out->list, compare);
  }
  return code;
}

int32_t rebali_indexes_look(struct rebali_own *own, uint32_t job, int *are_odd, rebal_error *err) {
  const int64_t completions = rebali_field_number(own->core->server, job, "spec.completions", 0);
  struct indexes indexes = {NULL, 0, 0};
  const int32_t code = read_indexes(own, job, 0, &indexes, err);
  *are_odd = 0;
  for (size_t i = 0; i < indexes.n; i++) {
    *are_odd |= indexes.list[i] < 0 || indexes.list[i] >= completions ||
                (i + 1 < indexes.n && indexes.list[i] == indexes.list[i + 1]);
  }
  free(indexes.list);
  return code;
}

/* Returns the end of the range of status.completedIndexes (such as 0,2-4) that holds an index, or -1. */
static int64_t find_completed(const char *text, int64_t index) {
  while (text[0] != '\0') {
    const size_t len = strcspn(text, ","), digits = strcspn(text, ",-");
    int64_t first, last;
    if (!rebali_integer_parse(rebali_text(text, digits), &first)) {
      return -1;
    }
    last = first;
    if (digits < len && !rebali_integer_parse(rebali_text(text + digits + 1, len - digits - 1), &last)) {
      return -1;
    }
    if (index >= first && index <= last) {
      return last;
    }
    text += len + (text[len] == ',');
  }
  return -1;
}

int32_t rebali_indexes_make(struct rebali_own *own, uint32_t job, int64_t n, const char *reason, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  const int64_t completions = rebali_field_number(server, job, "spec.completions", 0);
  char *completed = rebali_text_copy(rebali_field_text(server, job, "status.completedIndexes"));
  struct indexes taken = {NULL, 0, 0};
  int32_t code = completed != NULL ? read_indexes(own, job, 1, &taken, err) : rebali_fail_memory(err);
  size_t at = 0;
  for (int64_t i = 0; code == REBAL_OK && n > 0 && i < completions; i++) {
    const int64_t last = find_completed(completed, i);
    for (; at < taken.n && taken.list[at] < i; at++) {
    }
    if (last >= 0) {
      i = last < completions ? last : completions - 1;
    } else if (at == taken.n || taken.list[at] != i) {
      const struct rebali_pod_plan plan = {.owner = job, .ordinal = i, .is_indexed = 1, .reason = reason};
      code = rebali_pod_make(own, &plan, err);
      rebali_reads_release(server);
      n--;
    }
  }
  free(completed);
  free(taken.list);
  return code;
}
