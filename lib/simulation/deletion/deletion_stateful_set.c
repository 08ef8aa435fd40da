/* SPDX-License-Identifier: MIT */
/* What StatefulSets, of Kubernetes and of OpenKruise, delete in one pass: spec deletion-order 5, 6. */
#include "simulation/deletion/deletion.h"

#include <stdlib.h>
#include <string.h>

struct ordinals {
  struct rebali_deletion *pass;
  struct rebali_reserved reserved;
  int is_advanced, is_parallel;
  int64_t start, replicas, min_ready;
  int64_t end;       /* behind the last replica, reserved ones counted out */
  int64_t tolerated; /* replicas that may be unavailable before the walk stops; -1: it does not */
  int64_t first_bad; /* the first ordinal that is not up; -1: all are */
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static int read_range(const rebal_value *item, struct rebali_range *out) {
  const char *text = rebal_value_text(item, NULL), *dash = strchr(text, '-');
  if (rebali_number(item, &out->first)) {
    out->last = out->first;
    return 1;
  }
  return dash != NULL && rebali_integer_parse(rebali_text(text, (size_t)(dash - text)), &out->first) &&
         rebali_integer_parse(rebali_text(dash + 1, strlen(dash + 1)), &out->last) && out->first <= out->last;
}

int32_t rebali_reserved_read(const rebal_value *list, struct rebali_reserved *out, rebal_error *err) {
  const size_t n = rebal_value_count(list);
  *out = (struct rebali_reserved){n > 0 ? calloc(n, sizeof *out->list) : NULL, 0};
  if (n > 0 && out->list == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    if (!read_range(rebal_value_item(list, i), &out->list[i])) {
      return REBAL_OK;
    }
  }
  out->n = n;
  return REBAL_OK;
}

static const struct rebali_range *range_of(const struct rebali_reserved *reserved, int64_t ordinal) {
  for (size_t i = 0; i < reserved->n; i++) {
    if (ordinal >= reserved->list[i].first && ordinal <= reserved->list[i].last) {
      return &reserved->list[i];
    }
  }
  return NULL;
}

int64_t rebali_reserved_skip(const struct rebali_reserved *reserved, int64_t ordinal) {
  const struct rebali_range *range;
  while ((range = range_of(reserved, ordinal)) != NULL) {
    ordinal = range->last + 1;
  }
  return ordinal;
}

static int64_t skip_reserved(const struct ordinals *ordinals, int64_t ordinal) {
  return rebali_reserved_skip(&ordinals->reserved, ordinal);
}

static int is_wanted(const struct ordinals *ordinals, int64_t ordinal) {
  return ordinal >= ordinals->start && ordinal < ordinals->end && range_of(&ordinals->reserved, ordinal) == NULL;
}

static int64_t share_of(const struct ordinals *ordinals, const char *path, int64_t otherwise) {
  struct rebali_server *reader = ordinals->pass->reader;
  const uint32_t workload = ordinals->pass->workload;
  int64_t share;
  if (rebali_field(reader, workload, path) == NULL) {
    return otherwise;
  }
  share = rebali_field_share(reader, workload, path, "1", ordinals->replicas, 0);
  return share > 1 ? share : 1;
}

static int32_t read_ordinals(struct ordinals *out, rebal_error *err) {
  struct rebali_server *reader = out->pass->reader;
  const uint32_t workload = out->pass->workload;
  const char *version = rebal_store_identity(reader->store, workload, REBAL_IDENTITY_API_VERSION, NULL);
  int32_t code;
  out->is_advanced = strncmp(version, "apps.kruise.io/", 15) == 0;
  out->is_parallel = out->pass->is_parallel ||
                     strcmp(rebali_field_text(reader, workload, "spec.podManagementPolicy"), "Parallel") == 0;
  out->replicas = rebali_field_number(reader, workload, "spec.replicas", 1);
  out->start = out->is_advanced ? 0 : rebali_field_number(reader, workload, "spec.ordinals.start", 0);
  out->min_ready = rebali_field_number(
      reader, workload, out->is_advanced ? "spec.updateStrategy.rollingUpdate.minReadySeconds" : "spec.minReadySeconds",
      0);
  out->tolerated = out->is_advanced ? share_of(out, "spec.scaleStrategy.maxUnavailable", -1) : -1;
  code = rebali_reserved_read(out->is_advanced ? rebali_field(reader, workload, "spec.reserveOrdinals") : NULL,
                              &out->reserved, err);
  out->end = out->start;
  for (int64_t i = 0; i < out->replicas; i++) {
    out->end = skip_reserved(out, out->end) + 1;
  }
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

static int is_normal(const struct ordinals *ordinals, const struct rebali_leaver *pod) {
  return !ordinals->is_advanced || pod->state[0] == '\0' || strcmp(pod->state, "Normal") == 0;
}

static int is_available(const struct ordinals *ordinals, const struct rebali_leaver *pod) {
  return is_normal(ordinals, pod) && rebali_is_available(pod, &ordinals->pass->now, ordinals->min_ready, 1);
}

static int is_up(const struct ordinals *ordinals, const struct rebali_leaver *pod) {
  if (pod == NULL || pod->is_terminating) {
    return 0;
  }
  return ordinals->is_advanced ? is_normal(ordinals, pod) && pod->is_running && pod->is_ready
                               : is_available(ordinals, pod);
}

/* NULL: there is none. The pods are sorted, the highest first. */
static struct rebali_leaver *find(const struct ordinals *ordinals, int64_t ordinal) {
  const struct rebali_leavers *pods = &ordinals->pass->pods;
  size_t at;
  REBALI_BISECT(at, pods->n, pods->list[at].ordinal > ordinal);
  return at < pods->n && pods->list[at].ordinal == ordinal ? &pods->list[at] : NULL;
}

/* Of a StatefulSet of Kubernetes replicas come before others. */
static int64_t find_bad(const struct ordinals *ordinals) {
  int64_t first = -1;
  for (int64_t i = ordinals->start; first < 0 && i < ordinals->end; i++) {
    i = skip_reserved(ordinals, i);
    first = is_up(ordinals, find(ordinals, i)) ? first : i;
  }
  for (size_t i = ordinals->pass->pods.n; i-- > 0;) {
    const struct rebali_leaver *pod = &ordinals->pass->pods.list[i];
    if (!is_wanted(ordinals, pod->ordinal) && !is_up(ordinals, pod) &&
        (first < 0 || (ordinals->is_advanced && pod->ordinal < first))) {
      return pod->ordinal;
    }
  }
  return first;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static void mark(const struct ordinals *ordinals, const struct rebali_leaver *pod) {
  const int is_held = ordinals->is_advanced && !is_wanted(ordinals, pod->ordinal) && pod->is_held;
  struct rebali_deletion_row *rows = ordinals->pass->rows;
  for (size_t i = 0; i < ordinals->pass->n; i++) {
    if (rows[i].pod == pod->object) {
      rows[i].action = is_held ? REBAL_DELETION_ACTION_PREPARE : REBAL_DELETION_ACTION_DELETE;
    }
  }
}

static int32_t create(const struct ordinals *ordinals, int64_t ordinal, rebal_error *err) {
  const int32_t code = rebali_deletion_add(ordinals->pass, NULL, REBAL_DELETION_ACTION_CREATE, err);
  if (code == REBAL_OK) {
    ordinals->pass->rows[ordinals->pass->n - 1].ordinal = ordinal;
  }
  return code;
}

/* *is_ended: nothing comes after this replica; *is_spent: it is one that may be unavailable. */
static int32_t walk_one(struct ordinals *ordinals, int64_t ordinal, int *is_ended, int *is_spent, rebal_error *err) {
  const struct rebali_leaver *pod = find(ordinals, ordinal);
  *is_spent = 1;
  *is_ended = !ordinals->is_parallel;
  if (pod == NULL) {
    return create(ordinals, ordinal, err);
  }
  if (pod->is_finished && !pod->is_terminating) {
    mark(ordinals, pod);
    return REBAL_OK;
  }
  *is_spent = pod->is_terminating || !pod->is_running || !is_available(ordinals, pod);
  *is_ended &= *is_spent;
  return REBAL_OK;
}

/* *is_ended: an ordered pass has done what it does, or waits. */
static int32_t walk(struct ordinals *ordinals, int *is_ended, rebal_error *err) {
  int64_t left = ordinals->tolerated;
  int32_t code = REBAL_OK;
  *is_ended = 0;
  for (int64_t i = skip_reserved(ordinals, ordinals->start); code == REBAL_OK && !*is_ended && i < ordinals->end;
       i = skip_reserved(ordinals, i + 1)) {
    int is_spent;
    code = walk_one(ordinals, i, is_ended, &is_spent, err);
    if (left >= 0 && is_spent && --left <= 0) {
      break;
    }
  }
  return code;
}

/* Of those that are not wanted. *is_ended: an ordered pass has done what it does, or waits. */
static void condemn(const struct ordinals *ordinals, int *is_ended) {
  for (size_t i = 0; !*is_ended && i < ordinals->pass->pods.n; i++) {
    const struct rebali_leaver *pod = &ordinals->pass->pods.list[i];
    const int is_fine = pod->is_running && is_available(ordinals, pod);
    if (is_wanted(ordinals, pod->ordinal)) {
      continue;
    }
    if (!pod->is_terminating && (ordinals->is_parallel || is_fine || pod->ordinal == ordinals->first_bad)) {
      mark(ordinals, pod);
    }
    *is_ended = !ordinals->is_parallel;
  }
}

/* Replicas that are labelled so go as in an update: while few enough are unavailable. */
static void delete_specified(const struct ordinals *ordinals) {
  struct rebali_server *reader = ordinals->pass->reader;
  const uint32_t workload = ordinals->pass->workload;
  const int64_t most = share_of(ordinals, "spec.updateStrategy.rollingUpdate.maxUnavailable", 1);
  int64_t unavailable = 0;
  if (!ordinals->is_advanced ||
      strcmp(rebali_field_text(reader, workload, "spec.updateStrategy.type"), "OnDelete") == 0 ||
      rebali_is_true(rebali_field(reader, workload, "spec.updateStrategy.rollingUpdate.paused"))) {
    return;
  }
  for (int64_t i = skip_reserved(ordinals, ordinals->start); i < ordinals->end; i = skip_reserved(ordinals, i + 1)) {
    const struct rebali_leaver *pod = find(ordinals, i);
    unavailable += !is_up(ordinals, pod) || !is_available(ordinals, pod);
  }
  for (size_t i = 0; i < ordinals->pass->pods.n; i++) {
    const struct rebali_leaver *pod = &ordinals->pass->pods.list[i];
    const int is_bad = !is_up(ordinals, pod) || !is_available(ordinals, pod);
    if (pod->is_specified && !pod->is_terminating && is_wanted(ordinals, pod->ordinal) &&
        (is_bad || unavailable < most)) {
      mark(ordinals, pod);
      unavailable += !is_bad;
    }
  }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Those that are not wanted first, the highest first; pods on their way out have no row. */
static int32_t add_rows(const struct ordinals *ordinals, rebal_error *err) {
  struct rebali_deletion *pass = ordinals->pass;
  size_t n_condemned = 0;
  int32_t code = REBAL_OK;
  for (int wanted = 0; wanted < 2; wanted++) {
    for (size_t i = 0; code == REBAL_OK && i < pass->pods.n; i++) {
      const struct rebali_leaver *pod = &pass->pods.list[i];
      if (!pod->is_terminating && is_wanted(ordinals, pod->ordinal) == wanted) {
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
  struct ordinals ordinals = {.pass = pass};
  int is_ended = 0;
  int32_t code = read_ordinals(&ordinals, err);
  code = code == REBAL_OK ? rebali_leavers_read(pass, is_of_set, err) : code;
  for (size_t i = 0; i < pass->pods.n; i++) {
    struct rebali_leaver *pod = &pass->pods.list[i];
    pod->is_held = rebali_is_held(rebali_field(pass->reader, pass->workload, "spec.lifecycle.preDelete"), pod);
  }
  if (code == REBAL_OK) {
    code = rebali_leavers_sort(pass->pods.list, pass->pods.n, rebali_steps_of_ordinals, &pass->now, err);
  }
  code = code == REBAL_OK ? add_rows(&ordinals, err) : code;
  if (code == REBAL_OK) {
    ordinals.first_bad = find_bad(&ordinals);
    code = walk(&ordinals, &is_ended, err);
  }
  if (code == REBAL_OK) {
    condemn(&ordinals, &is_ended);
    if (!is_ended) {
      delete_specified(&ordinals);
    }
  }
  free(ordinals.reserved.list);
  return code;
}
