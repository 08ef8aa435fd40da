/* SPDX-License-Identifier: MIT */
/* Pods of StatefulSets: by number, one after another unless podManagementPolicy is Parallel. */
#include "workloads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workloads";

struct ordinals {
  uint32_t workload;
  struct rebali_owned_pods *pods;
  int64_t first, end, partition;
  int is_parallel;
  char revision[64];
};

static void read_ordinals(rebal_simulation *simulation, struct ordinals *out) {
  const uint32_t workload = out->workload;
  rebali_revision_of(simulation, workload, out->revision);
  out->first = rebali_integer_or(simulation, workload, "spec.ordinals.start", 0);
  out->end = out->first + rebali_integer_or(simulation, workload, "spec.replicas", 1);
  out->partition = rebali_integer_or(simulation, workload, "spec.updateStrategy.rollingUpdate.partition", 0);
  out->is_parallel = rebali_field_is(simulation, workload, "spec.podManagementPolicy", "Parallel");
  if (rebali_field_is(simulation, workload, "spec.updateStrategy.type", "OnDelete")) {
    out->partition = out->end;
  }
}

/* Numbers that spec.reserveOrdinals names are left out, and others come behind; *end follows. */
static int is_reserved(struct rebali_slice reserved, int64_t ordinal) {
  struct rebali_slice item;
  size_t at = 0;
  int64_t number;
  while (rebali_cursor_kind(reserved) == REBALI_JSON_LIST && rebali_cursor_item(reserved, &at, &item)) {
    if (rebali_cursor_integer(item, &number) && number == ordinal) {
      return 1;
    }
  }
  return 0;
}

static struct rebali_owned_pod *find(const struct ordinals *ordinals, int64_t ordinal) {
  for (size_t i = 0; i < ordinals->pods->n; i++) {
    struct rebali_owned_pod *pod = &ordinals->pods->list[i];
    if (rebali_pod_is_of(pod, ordinals->workload) && pod->ordinal == ordinal) {
      return pod;
    }
  }
  return NULL;
}

/* Those that are missing, from the first on; the next one waits until the one before it is ready. */
static int32_t fill(rebal_simulation *simulation, const struct ordinals *ordinals, struct rebali_slice reserved,
                    int *is_whole, rebal_error *err) {
  int32_t code = REBAL_OK;
  char reason[64];
  (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", ordinals->end - ordinals->first);
  *is_whole = 1;
  for (int64_t i = ordinals->first, left = ordinals->end - ordinals->first; code == REBAL_OK && left > 0; i++) {
    const struct rebali_owned_pod *pod = find(ordinals, i);
    const struct rebali_pod_plan plan = {ordinals->workload, i, 1, ordinals->revision, reason};
    if (is_reserved(reserved, i)) {
      continue;
    }
    left--;
    if (pod == NULL) {
      code = rebali_pod_make(simulation, &plan, err);
    }
    if (pod == NULL || !pod->is_ready) {
      *is_whole = 0;
      if (!ordinals->is_parallel) {
        return code;
      }
    }
  }
  return code;
}

/* Behind the last one wanted, reserved ones counted out. */
static int64_t end_of(const struct ordinals *ordinals, struct rebali_slice reserved) {
  int64_t end = ordinals->first;
  for (int64_t left = ordinals->end - ordinals->first; left > 0; end++) {
    left -= !is_reserved(reserved, end);
  }
  return end;
}

/* The highest number that is not wanted, or of a former template; NULL when there is none. */
static struct rebali_owned_pod *find_last(const struct ordinals *ordinals, struct rebali_slice reserved, int64_t end,
                                          int is_former) {
  struct rebali_owned_pod *last = NULL;
  for (size_t i = 0; i < ordinals->pods->n; i++) {
    struct rebali_owned_pod *pod = &ordinals->pods->list[i];
    const int is_wanted = pod->ordinal >= ordinals->first && pod->ordinal < end && !is_reserved(reserved, pod->ordinal);
    const int goes =
        is_former ? is_wanted && pod->ordinal >= ordinals->partition && strcmp(pod->revision, ordinals->revision) != 0
                  : !is_wanted;
    if (rebali_pod_is_of(pod, ordinals->workload) && goes && (last == NULL || pod->ordinal > last->ordinal)) {
      last = pod;
    }
  }
  return last;
}

static int32_t delete(rebal_simulation *simulation, struct rebali_owned_pod *pod, const char *reason,
                      rebal_error *err) {
  pod->is_gone = 1;
  return rebali_pod_delete(simulation, pod->object, name, reason, err);
}

static int32_t shrink(rebal_simulation *simulation, const struct ordinals *ordinals, struct rebali_slice reserved,
                      int64_t end, rebal_error *err) {
  struct rebali_owned_pod *pod = find_last(ordinals, reserved, end, 0);
  int32_t code = REBAL_OK;
  char reason[64];
  (void)snprintf(reason, sizeof reason, "%" PRId64 " wanted", ordinals->end - ordinals->first);
  for (; code == REBAL_OK && pod != NULL; pod = find_last(ordinals, reserved, end, 0)) {
    code = delete (simulation, pod, reason, err);
  }
  return code;
}

/* The reserved numbers are a copy: making a pod asks the store. */
int32_t rebali_ordinals_scale(rebal_simulation *simulation, uint32_t workload, struct rebali_owned_pods *pods,
                              rebal_error *err) {
  struct ordinals ordinals = {.workload = workload, .pods = pods};
  char *text = rebali_field_copy(simulation, workload, "spec.reserveOrdinals");
  const struct rebali_slice reserved = rebali_slice(text != NULL ? text : "");
  struct rebali_owned_pod *pod;
  int64_t end;
  int is_whole = 0;
  int32_t code = text != NULL ? REBAL_OK : rebali_fail_memory(err);
  read_ordinals(simulation, &ordinals);
  end = end_of(&ordinals, reserved);
  if (code == REBAL_OK) {
    code = fill(simulation, &ordinals, reserved, &is_whole, err);
  }
  if (code == REBAL_OK) {
    code = shrink(simulation, &ordinals, reserved, end, err);
  }
  pod = code == REBAL_OK && is_whole ? find_last(&ordinals, reserved, end, 1) : NULL;
  if (pod != NULL) {
    code = delete (simulation, pod, "its template is a former one", err);
  }
  free(text);
  return code;
}
