/* SPDX-License-Identifier: MIT */
/* One pass of the controller of a workload of any store: which of its pods are deleted, in which order, and why. */
#include "simulation/deletion/deletion.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------------------------- */

int32_t rebali_deletion_add(struct rebali_deletion *pass, const struct rebali_leaver *pod, uint32_t action,
                            rebal_error *err) {
  const int32_t code = rebali_reserve_malloc(&pass->rows, &pass->capacity, pass->n + 1, sizeof *pass->rows, err);
  if (code == REBAL_OK) {
    pass->rows[pass->n++] = (struct rebali_deletion_row){
        pod != NULL ? pod->object : REBAL_NONE, REBAL_DELETION_RULE_NONE,       action, pod != NULL && pod->is_old,
        pod != NULL && pod->is_specified,       pod != NULL ? pod->ordinal : -1};
  }
  return code;
}

int32_t rebali_deletion_add_all(struct rebali_deletion *pass, const uint32_t *steps, size_t n, rebal_error *err) {
  const struct rebali_leavers *pods = &pass->pods;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
    code = rebali_deletion_add(pass, &pods->list[i], i < n ? REBAL_DELETION_ACTION_DELETE : REBAL_DELETION_ACTION_KEEP,
                               err);
    if (code == REBAL_OK && i + 1 < pods->n) {
      (void)rebali_leaver_compare(&pods->list[i], &pods->list[i + 1], steps, &pass->now, &pass->rows[pass->n - 1].rule);
    }
  }
  return code;
}

/* ---- ReplicaSets, and unknown kinds ------------------------------------------------------------------------------ */

static int is_of_replicas(struct rebali_deletion *pass, struct rebali_leaver *pod) {
  const rebal_value *spec = rebali_field(pass->reader, pass->workload, "spec");
  const rebal_value *selector = rebali_find(spec, "selector");
  const char *uid = rebali_field_text(pass->reader, pass->workload, "metadata.uid");
  const int is_set = rebali_is_kind(pass->reader, pass->workload, "ReplicaSet") && selector != NULL;
  if (!rebali_is_active(pod) || (is_set && !rebali_selector_has(selector, pod->labels))) {
    return 0;
  }
  return rebali_is_owned(pod, uid, 1) || (is_set && rebali_reference_of(pass->reader, pod->object) == NULL);
}

int32_t rebali_deletion_of_replicas(struct rebali_deletion *pass, rebal_error *err) {
  const int64_t wanted = rebali_field_number(pass->reader, pass->workload, "spec.replicas", 1);
  int32_t code = rebali_leavers_read(pass, is_of_replicas, err);
  int64_t n;
  if (code == REBAL_OK) {
    code = rebali_ranks_of_replicas(pass, err);
  }
  if (code == REBAL_OK) {
    code = rebali_leavers_sort(pass->pods.list, pass->pods.n, rebali_steps_of_replicas, &pass->now, err);
  }
  n = (int64_t)pass->pods.n - wanted;
  n = n < REBALI_DELETIONS ? n : REBALI_DELETIONS;
  return code == REBAL_OK ? rebali_deletion_add_all(pass, rebali_steps_of_replicas, n > 0 ? (size_t)n : 0, err) : code;
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

static int is_of_job(struct rebali_deletion *pass, struct rebali_leaver *pod) {
  return rebali_is_active(pod) &&
         rebali_is_owned(pod, rebali_field_text(pass->reader, pass->workload, "metadata.uid"), 1);
}

int64_t rebali_job_wanted(struct rebali_server *server, uint32_t job, int64_t active) {
  const int64_t parallel = rebali_field_number(server, job, "spec.parallelism", 1);
  const int64_t completions = rebali_field_number(server, job, "spec.completions", -1);
  const int64_t succeeded = rebali_field_number(server, job, "status.succeeded", 0);
  const int64_t left = completions > succeeded ? completions - succeeded : 0;
  if (rebali_is_true(rebali_field(server, job, "spec.suspend"))) {
    return 0;
  }
  if (completions < 0) {
    return succeeded > 0 ? active : parallel;
  }
  return left < parallel ? left : parallel;
}

/* Returns the surplus; a suspended Job deletes all pods at once. */
static int64_t surplus_of(const struct rebali_deletion *pass) {
  const int64_t active = (int64_t)pass->pods.n, wanted = rebali_job_wanted(pass->reader, pass->workload, active);
  const int64_t n = active > wanted ? active - wanted : 0;
  return n < REBALI_DELETIONS || rebali_is_true(rebali_field(pass->reader, pass->workload, "spec.suspend"))
             ? n
             : REBALI_DELETIONS;
}

static int compare_indexes(const void *left, const void *right, const void *context) {
  const int64_t one = ((const struct rebali_leaver *)left)->index, other = ((const struct rebali_leaver *)right)->index;
  (void)context;
  return (one > other) - (one < other);
}

/* Puts the *n pods first that are deleted whatever is wanted; the pods are sorted, and the rest keeps its order. */
static int32_t sort_indexed(struct rebali_deletion *pass, int64_t completions, size_t *n, rebal_error *err) {
  struct rebali_leaver *list = pass->pods.list;
  struct rebali_leaver *sorted = malloc((2 * pass->pods.n + 1) * sizeof *sorted);
  size_t kept = 0;
  *n = 0;
  if (sorted == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < pass->pods.n; i++) {
    sorted[i] = list[i];
  }
  rebali_sort(sorted, pass->pods.n, sizeof *sorted, sorted + pass->pods.n, compare_indexes, NULL);
  for (size_t i = 0; i < pass->pods.n; i++) {
    const int is_last = i + 1 == pass->pods.n || sorted[i + 1].index != sorted[i].index;
    if (sorted[i].index < 0 || sorted[i].index >= completions || !is_last) {
      list[(*n)++] = sorted[i];
    } else {
      sorted[kept++] = sorted[i];
    }
  }
  for (size_t i = 0; i < kept; i++) {
    list[*n + i] = sorted[i];
  }
  free(sorted);
  return rebali_leavers_sort(list + *n, kept, rebali_steps_of_jobs, &pass->now, err);
}

int32_t rebali_deletion_of_job(struct rebali_deletion *pass, rebal_error *err) {
  struct rebali_server *reader = pass->reader;
  const int is_indexed = strcmp(rebali_field_text(reader, pass->workload, "spec.completionMode"), "Indexed") == 0;
  const int64_t completions = rebali_field_number(reader, pass->workload, "spec.completions", 0);
  int32_t code = rebali_leavers_read(pass, is_of_job, err);
  size_t n = 0, surplus = 0;
  if (code == REBAL_OK) {
    code = rebali_leavers_sort(pass->pods.list, pass->pods.n, rebali_steps_of_jobs, &pass->now, err);
  }
  if (code == REBAL_OK && is_indexed) {
    code = sort_indexed(pass, completions, &n, err);
  }
  surplus = (size_t)surplus_of(pass);
  code = code == REBAL_OK ? rebali_deletion_add_all(pass, rebali_steps_of_jobs, n > surplus ? n : surplus, err) : code;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    pass->rows[i].rule = REBAL_DELETION_RULE_SURPLUS_INDEX;
  }
  return code;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

int32_t rebali_deletion_run(struct rebali_deletion *pass, rebal_error *err) {
  static const struct {
    const char *kind;
    int32_t (*run)(struct rebali_deletion *pass, rebal_error *err);
  } kinds[] = {{"Job", rebali_deletion_of_job},
               {"CloneSet", rebali_deletion_of_clone_set},
               {"StatefulSet", rebali_deletion_of_stateful_set}};
  size_t i = 0;
  int32_t code;
  while (i < REBALI_COUNT(kinds) && !rebali_is_kind(pass->reader, pass->workload, kinds[i].kind)) {
    i++;
  }
  code = i < REBALI_COUNT(kinds) ? kinds[i].run(pass, err) : rebali_deletion_of_replicas(pass, err);
  return pass->reader->reads.has_failed ? rebali_fail_memory(err) : code;
}

void rebali_deletion_dispose(struct rebali_deletion *pass) {
  free(pass->pods.list);
  free(pass->rows);
}

int32_t rebali_deletion_begin(struct rebali_deletion *pass, const struct rebali_server *server,
                              struct rebali_server *reader, rebal_error *err) {
  *reader = (struct rebali_server){.store = server->store};
  pass->reader = reader;
  pass->now = server->now;
  pass->is_simulated = 1;
  return rebali_deletion_run(pass, err);
}

void rebali_deletion_end(struct rebali_deletion *pass) {
  rebali_deletion_dispose(pass);
  pass->reader->store = NULL; /* owned by the server */
  rebali_server_dispose(pass->reader);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static void copy_row(const struct rebali_deletion_row *row, const rebal_deletion_rows *out, uint64_t at) {
  if (out->pods != NULL) {
    out->pods[at] = row->pod;
  }
  if (out->rules != NULL) {
    out->rules[at] = row->rule;
  }
  if (out->actions != NULL) {
    out->actions[at] = row->action;
  }
  if (out->are_old != NULL) {
    out->are_old[at] = row->is_old;
  }
  if (out->ordinals != NULL) {
    out->ordinals[at] = row->ordinal;
  }
}

static int32_t run_one(struct rebali_server *reader, uint32_t workload, const rebal_time *now, rebal_deletion_rows *out,
                       rebal_error *err) {
  struct rebali_deletion pass = {.reader = reader, .workload = workload, .now = *now};
  int32_t code = rebali_deletion_run(&pass, err);
  for (size_t i = 0; code == REBAL_OK && i < pass.n; i++, out->n++) {
    if (out->n < out->capacity) {
      copy_row(&pass.rows[i], out, out->n);
    }
  }
  rebali_deletion_dispose(&pass);
  return code;
}

/* Each ReplicaSet of a Deployment decides separately. */
static int32_t run(struct rebali_server *reader, uint32_t workload, const rebal_time *now, rebal_deletion_rows *out,
                   rebal_error *err) {
  const char *uid = rebali_field_text(reader, workload, "metadata.uid");
  int32_t code = REBAL_OK;
  if (!rebali_is_kind(reader, workload, "Deployment")) {
    return run_one(reader, workload, now, out, err);
  }
  for (uint32_t set = rebali_next_of(reader, "ReplicaSet", REBAL_NONE); code == REBAL_OK && set != REBAL_NONE;
       set = rebali_next_of(reader, "ReplicaSet", set)) {
    const struct rebali_leaver owned = {.tree = rebali_object(reader, set)};
    if (rebali_is_owned(&owned, uid, 1)) {
      code = run_one(reader, set, now, out, err);
    }
  }
  return code;
}

int32_t rebal_deletion_order(const rebal_store *store, uint32_t workload, const rebal_time *now,
                             rebal_deletion_rows *out, rebal_error *err) {
  /* The store is never written. */
  struct rebali_server reader = {.store = (rebal_store *)(uintptr_t)store};
  rebal_deletion_rows rows;
  int32_t code;
  if (store == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and out are needed");
  }
  code = rebali_options_load(&rows, sizeof rows, sizeof rows, out, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (rows.flags != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "rebal_deletion_rows.flags has to be 0");
  }
  code = rebali_clock_check(now, err);
  if (code == REBAL_OK && !rebali_exists(&reader, workload)) {
    code = rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  }
  rows.n = 0;
  code = code == REBAL_OK ? run(&reader, workload, now, &rows, err) : code;
  out->n = rows.n;
  code = rebali_reads_end(&reader, code, err);
  reader.store = NULL;
  rebali_server_dispose(&reader);
  return code;
}
