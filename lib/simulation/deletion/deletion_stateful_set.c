/* SPDX-License-Identifier: MIT */
/* What StatefulSets of Kubernetes and of OpenKruise delete in one pass: rebalance-deletion-order(7) 5, 6. */
#include "simulation/deletion/deletion.h"

#include <stdlib.h>
#include <string.h>

struct sequence {
  struct rebali_deletion *pass;
  struct rebali_ordinals ordinals;
  int is_parallel;
  int64_t min_ready;
  int64_t tolerated; /* replicas that may be unavailable before the walk stops; -1: no limit */
  int64_t first_bad; /* the first ordinal that is not up; -1: none */
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static int64_t skip(const struct sequence *sequence, int64_t ordinal) {
  return rebali_ordinals_skip(&sequence->ordinals, ordinal);
}

static int is_wanted(const struct sequence *sequence, int64_t ordinal) {
  return rebali_ordinals_want(&sequence->ordinals, ordinal);
}

static int64_t share_of(const struct sequence *sequence, const char *path, int64_t otherwise) {
  struct rebali_server *reader = sequence->pass->reader;
  const uint32_t workload = sequence->pass->workload;
  int64_t share;
  if (rebali_field(reader, workload, path) == NULL) {
    return otherwise;
  }
  share = rebali_field_share(reader, workload, path, "1", sequence->ordinals.replicas, 0);
  return share > 1 ? share : 1;
}

static int32_t read_sequence(struct sequence *out, rebal_error *err) {
  struct rebali_server *reader = out->pass->reader;
  const uint32_t workload = out->pass->workload;
  const int32_t code = rebali_ordinals_read(reader, workload, &out->ordinals, err);
  const int is_advanced = out->ordinals.is_advanced;
  out->is_parallel = out->pass->is_parallel ||
                     strcmp(rebali_field_text(reader, workload, "spec.podManagementPolicy"), "Parallel") == 0;
  if (!out->pass->is_simulated) {
    out->min_ready = rebali_field_number(
        reader, workload, is_advanced ? "spec.updateStrategy.rollingUpdate.minReadySeconds" : "spec.minReadySeconds",
        0);
  }
  out->tolerated = is_advanced ? share_of(out, "spec.scaleStrategy.maxUnavailable", -1) : -1;
  return code;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static int is_of_set(struct rebali_deletion *pass, struct rebali_leaver *pod) {
  const char *name = rebali_name_of(pass->reader, pass->workload);
  const char *dash = strrchr(pod->name, '-');
  return pod->ordinal >= 0 && (size_t)(dash - pod->name) == strlen(name) &&
         strncmp(pod->name, name, strlen(name)) == 0 &&
         rebali_is_owned(pod, rebali_field_text(pass->reader, pass->workload, "metadata.uid"), 1);
}

static int is_normal(const struct sequence *sequence, const struct rebali_leaver *pod) {
  return !sequence->ordinals.is_advanced || pod->state[0] == '\0' || strcmp(pod->state, "Normal") == 0;
}

static int is_available(const struct sequence *sequence, const struct rebali_leaver *pod) {
  return is_normal(sequence, pod) && rebali_is_available(pod, &sequence->pass->now, sequence->min_ready, 1);
}

static int is_up(const struct sequence *sequence, const struct rebali_leaver *pod) {
  if (pod == NULL || pod->is_terminating) {
    return 0;
  }
  return sequence->ordinals.is_advanced ? is_normal(sequence, pod) && pod->is_running && pod->is_ready
                                        : is_available(sequence, pod);
}

/* Returns NULL if there is none. The pods are sorted, highest first. */
static struct rebali_leaver *find(const struct sequence *sequence, int64_t ordinal) {
  const struct rebali_leavers *pods = &sequence->pass->pods;
  size_t at;
  REBALI_BISECT(at, pods->n, pods->list[at].ordinal > ordinal);
  return at < pods->n && pods->list[at].ordinal == ordinal ? &pods->list[at] : NULL;
}

/* In a StatefulSet of Kubernetes, replicas come before other pods. */
static int64_t find_bad(const struct sequence *sequence) {
  int64_t first = -1;
  for (int64_t i = sequence->ordinals.start; first < 0 && i < sequence->ordinals.end; i++) {
    i = skip(sequence, i);
    first = is_up(sequence, find(sequence, i)) ? first : i;
  }
  for (size_t i = sequence->pass->pods.n; i-- > 0;) {
    const struct rebali_leaver *pod = &sequence->pass->pods.list[i];
    if (!is_wanted(sequence, pod->ordinal) && !is_up(sequence, pod) &&
        (first < 0 || (sequence->ordinals.is_advanced && pod->ordinal < first))) {
      return pod->ordinal;
    }
  }
  return first;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static void mark(const struct sequence *sequence, const struct rebali_leaver *pod) {
  const int is_held = sequence->ordinals.is_advanced && !is_wanted(sequence, pod->ordinal) && pod->is_held;
  struct rebali_deletion_row *rows = sequence->pass->rows;
  for (size_t i = 0; i < sequence->pass->n; i++) {
    if (rows[i].pod == pod->object) {
      rows[i].action = is_held ? REBAL_DELETION_ACTION_PREPARE : REBAL_DELETION_ACTION_DELETE;
    }
  }
}

static int32_t create(const struct sequence *sequence, int64_t ordinal, rebal_error *err) {
  const int32_t code = rebali_deletion_add(sequence->pass, NULL, REBAL_DELETION_ACTION_CREATE, err);
  if (code == REBAL_OK) {
    sequence->pass->rows[sequence->pass->n - 1].ordinal = ordinal;
  }
  return code;
}

/* *is_ended: nothing comes after this replica; *is_spent: it counts as one that may be unavailable. */
static int32_t walk_one(struct sequence *sequence, int64_t ordinal, int *is_ended, int *is_spent, rebal_error *err) {
  const struct rebali_leaver *pod = find(sequence, ordinal);
  *is_spent = 1;
  *is_ended = !sequence->is_parallel;
  if (pod == NULL) {
    return create(sequence, ordinal, err);
  }
  if (pod->is_finished && !pod->is_terminating) {
    mark(sequence, pod);
    return REBAL_OK;
  }
  *is_spent = pod->is_terminating || !pod->is_running || !is_available(sequence, pod);
  *is_ended &= *is_spent;
  return REBAL_OK;
}

/* *is_ended: an ordered pass has acted, or waits. */
static int32_t walk(struct sequence *sequence, int *is_ended, rebal_error *err) {
  int64_t left = sequence->tolerated;
  int32_t code = REBAL_OK;
  *is_ended = 0;
  for (int64_t i = skip(sequence, sequence->ordinals.start);
       code == REBAL_OK && !*is_ended && i < sequence->ordinals.end; i = skip(sequence, i + 1)) {
    int is_spent;
    code = walk_one(sequence, i, is_ended, &is_spent, err);
    if (left >= 0 && is_spent && --left <= 0) {
      break;
    }
  }
  return code;
}

/* Handles pods that are not wanted. *is_ended: an ordered pass has acted, or waits. */
static void condemn(const struct sequence *sequence, int *is_ended) {
  for (size_t i = 0; !*is_ended && i < sequence->pass->pods.n; i++) {
    const struct rebali_leaver *pod = &sequence->pass->pods.list[i];
    const int is_fine = pod->is_running && is_available(sequence, pod);
    if (is_wanted(sequence, pod->ordinal)) {
      continue;
    }
    if (!pod->is_terminating && (sequence->is_parallel || is_fine || pod->ordinal == sequence->first_bad)) {
      mark(sequence, pod);
    }
    *is_ended = !sequence->is_parallel;
  }
}

/* Deletes labelled replicas as in an update: while few enough are unavailable. */
static void delete_specified(const struct sequence *sequence) {
  struct rebali_server *reader = sequence->pass->reader;
  const uint32_t workload = sequence->pass->workload;
  const int64_t most = share_of(sequence, "spec.updateStrategy.rollingUpdate.maxUnavailable", 1);
  int64_t unavailable = 0;
  if (!sequence->ordinals.is_advanced ||
      strcmp(rebali_field_text(reader, workload, "spec.updateStrategy.type"), "OnDelete") == 0 ||
      rebali_is_true(rebali_field(reader, workload, "spec.updateStrategy.rollingUpdate.paused"))) {
    return;
  }
  for (int64_t i = skip(sequence, sequence->ordinals.start); i < sequence->ordinals.end; i = skip(sequence, i + 1)) {
    const struct rebali_leaver *pod = find(sequence, i);
    unavailable += !is_up(sequence, pod) || !is_available(sequence, pod);
  }
  for (size_t i = 0; i < sequence->pass->pods.n; i++) {
    const struct rebali_leaver *pod = &sequence->pass->pods.list[i];
    const int is_bad = !is_up(sequence, pod) || !is_available(sequence, pod);
    if (pod->is_specified && !pod->is_terminating && is_wanted(sequence, pod->ordinal) &&
        (is_bad || unavailable < most)) {
      mark(sequence, pod);
      unavailable += !is_bad;
    }
  }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Adds rows: unwanted pods first, highest first. Pods that are being deleted have no row. */
static int32_t add_rows(const struct sequence *sequence, rebal_error *err) {
  struct rebali_deletion *pass = sequence->pass;
  size_t n_condemned = 0;
  int32_t code = REBAL_OK;
  for (int wanted = 0; wanted < 2; wanted++) {
    for (size_t i = 0; code == REBAL_OK && i < pass->pods.n; i++) {
      const struct rebali_leaver *pod = &pass->pods.list[i];
      if (!pod->is_terminating && is_wanted(sequence, pod->ordinal) == wanted) {
        code = rebali_deletion_add(pass, pod, REBAL_DELETION_ACTION_KEEP, err);
      }
    }
    n_condemned = wanted ? n_condemned : pass->n;
  }
  for (size_t i = 0; code == REBAL_OK && i + 1 < pass->n; i++) {
    pass->rows[i].rule = i + 1 == n_condemned ? REBAL_DELETION_RULE_NOT_WANTED : REBAL_DELETION_RULE_NUMBERED;
  }
  return code;
}

int32_t rebali_deletion_of_stateful_set(struct rebali_deletion *pass, rebal_error *err) {
  struct sequence sequence = {.pass = pass};
  int is_ended = 0;
  int32_t code = read_sequence(&sequence, err);
  code = code == REBAL_OK ? rebali_leavers_read(pass, is_of_set, err) : code;
  for (size_t i = 0; i < pass->pods.n; i++) {
    struct rebali_leaver *pod = &pass->pods.list[i];
    pod->is_held = rebali_is_held(rebali_field(pass->reader, pass->workload, "spec.lifecycle.preDelete"), pod);
  }
  if (code == REBAL_OK) {
    code = rebali_leavers_sort(pass->pods.list, pass->pods.n, rebali_steps_of_ordinals, &pass->now, err);
  }
  code = code == REBAL_OK ? add_rows(&sequence, err) : code;
  if (code == REBAL_OK) {
    sequence.first_bad = find_bad(&sequence);
    code = walk(&sequence, &is_ended, err);
  }
  if (code == REBAL_OK) {
    condemn(&sequence, &is_ended);
    if (!is_ended) {
      delete_specified(&sequence);
    }
  }
  rebali_ordinals_dispose(&sequence.ordinals);
  return code;
}
