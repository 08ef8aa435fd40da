/* SPDX-License-Identifier: MIT */
/* What a CloneSet deletes in one pass: rebalance-deletion-order(7) 4. */
#include "simulation/deletion/deletion.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of pods, of both revisions and of the old one. */
struct counts {
  int64_t all, preparing, specified, unavailable;
};

struct clones {
  struct rebali_deletion *pass;
  struct counts both, old;
  struct rebali_clone_limits limits;
  int64_t surge, old_surge; /* temporarily beyond replicas */
  int64_t scale_up, scale_down, old_down;
  int64_t limit; /* pods available with 0 seconds that may be deleted in this pass */
  const rebal_value *hook;
};

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static const char *after_dash(const char *revision) {
  const char *dash = strrchr(revision, '-');
  return dash != NULL ? dash + 1 : revision;
}

static int is_new(const struct rebali_deletion *pass, const char *revision) {
  const char *current = pass->revision != NULL
                            ? pass->revision
                            : rebali_field_text(pass->reader, pass->workload, "status.updateRevision");
  return current[0] == '\0' || (revision[0] == '\0' && pass->has_unlabelled) ||
         (revision[0] != '\0' && strcmp(after_dash(revision), after_dash(current)) == 0);
}

static int is_preparing(const struct rebali_leaver *pod) {
  return strcmp(pod->state, "PreparingDelete") == 0;
}

static int is_of_clone_set(struct rebali_deletion *pass, struct rebali_leaver *pod) {
  struct rebali_server *reader = pass->reader;
  const int64_t seconds =
      pass->is_simulated ? 0 : rebali_field_number(reader, pass->workload, "spec.minReadySeconds", 0);
  if (!rebali_is_active(pod) || !rebali_is_owned(pod, rebali_field_text(reader, pass->workload, "metadata.uid"), 0)) {
    return 0;
  }
  pod->is_fit = pod->is_usable && rebali_is_available(pod, &pass->now, seconds, 0);
  pod->is_old = !is_new(pass, pod->revision);
  pod->is_specified |=
      rebali_holds_text(rebali_field(reader, pass->workload, "spec.scaleStrategy.podsToDelete"), pod->name);
  pod->is_held = rebali_is_held(rebali_field(reader, pass->workload, "spec.lifecycle.preDelete"), pod);
  return 1;
}

static void add(struct counts *counts, const struct rebali_leaver *pod) {
  counts->all++;
  if (is_preparing(pod)) {
    counts->preparing++;
  } else if (pod->is_specified) {
    counts->specified++;
  } else {
    counts->unavailable += !pod->is_fit;
  }
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static int64_t smaller(int64_t left, int64_t right) {
  return left < right ? left : right;
}

static int64_t larger(int64_t left, int64_t right) {
  return left > right ? left : right;
}

static int64_t size_of(int64_t number) {
  return number < 0 ? -number : number;
}

/* Percentages are rounded up, but reach all replicas only at 100%. */
static int64_t partition_of(struct rebali_server *reader, uint32_t workload, const char *path, int64_t replicas) {
  const char *text = rebali_field_text(reader, workload, path);
  int64_t partition = rebali_field_share(reader, workload, path, "0", replicas, 1);
  if (text[0] != '\0' && partition == replicas && replicas > 1 && strcmp(text, "100%") != 0) {
    partition--;
  }
  return smaller(partition, replicas);
}

/* In version v1alpha1 these members are in updateStrategy itself. */
void rebali_clone_limits_read(struct rebali_server *reader, uint32_t workload, int is_simulated,
                              struct rebali_clone_limits *out) {
  static const char *const paths[2][4] = {
      {"spec.updateStrategy.rollingUpdate.partition", "spec.updateStrategy.rollingUpdate.maxSurge",
       "spec.updateStrategy.rollingUpdate.maxUnavailable", "spec.updateStrategy.rollingUpdate.paused"},
      {"spec.updateStrategy.partition", "spec.updateStrategy.maxSurge", "spec.updateStrategy.maxUnavailable",
       "spec.updateStrategy.paused"}};
  const int has_rolling = rebali_is_map(rebali_field(reader, workload, "spec.updateStrategy.rollingUpdate"));
  const int is_flat = !has_rolling && (rebali_field(reader, workload, "spec.updateStrategy.partition") != NULL ||
                                       rebali_field(reader, workload, "spec.updateStrategy.maxSurge") != NULL ||
                                       rebali_field(reader, workload, "spec.updateStrategy.maxUnavailable") != NULL);
  const char *const *path = paths[is_flat];
  out->replicas = rebali_field_number(reader, workload, "spec.replicas", 1);
  out->partition = partition_of(reader, workload, path[0], out->replicas);
  out->is_paused = rebali_is_true(rebali_field(reader, workload, path[3]));
  out->max_surge = out->is_paused ? 0 : rebali_field_share(reader, workload, path[1], "0", out->replicas, 1);
  out->max_unavailable = rebali_field_share(reader, workload, path[2], "20%", out->replicas,
                                            out->max_surge == 0 && (has_rolling || is_flat || is_simulated));
}

static void find_surge(struct clones *clones) {
  const struct counts *both = &clones->both, *old = &clones->old;
  const int64_t bad = both->preparing + both->unavailable, new_specified = both->specified - old->specified;
  const int64_t old_diff = larger(old->all - old->preparing - clones->limits.partition, 0);
  const int64_t new_diff = smaller(
      both->all - old->all - (both->preparing - old->preparing) - (clones->limits.replicas - clones->limits.partition),
      0);
  const int64_t of_updates = old_diff > 0 && new_diff < 0 ? smaller(old_diff, size_of(new_diff)) : 0;
  int64_t of_deletions = 0;
  if (clones->limits.max_surge == 0) {
    return;
  }
  if (both->specified > 0) {
    of_deletions = smaller(larger(bad + both->specified - clones->limits.max_unavailable, 0), both->specified);
  }
  /* If there are surplus pods, they are old: updates create none of the old revision. */
  clones->old_surge = of_updates > of_deletions ? 0 : larger(of_deletions - new_specified, 0);
  clones->surge = smaller(larger(of_updates, of_deletions), clones->limits.max_surge);
  clones->old_surge = smaller(clones->old_surge, clones->surge);
}

static void find_numbers(struct clones *clones) {
  struct rebali_server *reader = clones->pass->reader;
  const struct counts *both = &clones->both, *old = &clones->old;
  const int64_t bad = both->preparing + both->unavailable;
  int64_t total = both->all, n_old = old->all;
  find_surge(clones);
  if (rebali_is_true(rebali_field(reader, clones->pass->workload, "spec.scaleStrategy.excludePreparingDelete"))) {
    total -= both->preparing;
    n_old -= old->preparing;
  }
  clones->scale_up = clones->limits.replicas + clones->surge - total;
  clones->scale_down = larger(total - both->specified - (clones->limits.replicas + clones->surge), 0);
  clones->old_down =
      clones->scale_down > 0 ? larger(n_old - old->specified - (clones->limits.partition + clones->old_surge), 0) : 0;
  clones->limit = larger(clones->limits.max_unavailable + both->all - clones->limits.replicas - bad, 0);
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

/* Returns the row of a pod; pods are in the order of rows, old ones first. */
static struct rebali_deletion_row *row_of(const struct clones *clones, const struct rebali_leaver *pod) {
  return &clones->pass->rows[pod - clones->pass->pods.list];
}

/* Deletes one more pod unless the limit is reached. */
static int delete(struct clones *clones, const struct rebali_leaver *pod) {
  struct rebali_deletion_row *row = row_of(clones, pod);
  if (pod->is_usable && clones->limit == 0) {
    return 0;
  }
  clones->limit -= pod->is_usable;
  row->action = pod->is_held ? REBAL_DELETION_ACTION_PREPARE : REBAL_DELETION_ACTION_DELETE;
  return 1;
}

static int compare_places(const void *left, const void *right, const void *context) {
  (void)context;
  return strcmp((*(struct rebali_leaver *const *)left)->name, (*(struct rebali_leaver *const *)right)->name);
}

/* Lists pods in the order of names, which is assumed for the list of the reference. */
static struct rebali_leaver **by_name(const struct clones *clones, rebal_error *err) {
  const struct rebali_leavers *pods = &clones->pass->pods;
  struct rebali_leaver **places = malloc((2 * pods->n + 1) * sizeof *places);
  if (places == NULL) {
    (void)rebali_fail_memory(err);
    return NULL;
  }
  for (size_t i = 0; i < pods->n; i++) {
    places[i] = &pods->list[i];
  }
  rebali_sort(places, pods->n, sizeof *places, places + pods->n, compare_places, NULL);
  return places;
}

static int restore(const struct clones *clones, struct rebali_leaver *const *places) {
  const size_t n = clones->pass->pods.n;
  int64_t left = clones->limits.replicas - clones->both.all;
  int is_done = 0;
  for (size_t i = 0; i < n; i++) {
    left += places[i]->is_specified || is_preparing(places[i]);
  }
  if (rebali_is_true(rebali_find(clones->hook, "markPodNotReady"))) {
    return 0;
  }
  for (size_t i = 0; i < n && left > 0; i++) {
    if (is_preparing(places[i]) && !places[i]->is_specified) {
      row_of(clones, places[i])->action = REBAL_DELETION_ACTION_RESTORE;
      is_done = 1;
      left--;
    }
  }
  return is_done;
}

static int32_t create(const struct clones *clones, rebal_error *err) {
  struct rebali_server *reader = clones->pass->reader;
  static const char path[] = "spec.scaleStrategy.maxUnavailable";
  int64_t n = clones->scale_up;
  int32_t code = REBAL_OK;
  if (rebali_field(reader, clones->pass->workload, path) != NULL) {
    const int64_t most = rebali_field_share(reader, clones->pass->workload, path, "0", clones->limits.replicas, 1);
    n = smaller(n, larger(most - clones->both.unavailable, 0));
  }
  for (; code == REBAL_OK && n > 0; n--) {
    code = rebali_deletion_add(clones->pass, NULL, REBAL_DELETION_ACTION_CREATE, err);
  }
  return code;
}

static int delete_prepared(const struct clones *clones) {
  int is_done = 0;
  for (size_t i = 0; i < clones->pass->pods.n; i++) {
    const struct rebali_leaver *pod = &clones->pass->pods.list[i];
    if (is_preparing(pod) && !pod->is_held) {
      row_of(clones, pod)->action = REBAL_DELETION_ACTION_DELETE;
      is_done = 1;
    }
  }
  return is_done;
}

static int delete_specified(struct clones *clones, struct rebali_leaver *const *places) {
  int is_done = 0;
  for (size_t i = 0; i < clones->pass->pods.n; i++) {
    if (places[i]->is_specified && !is_preparing(places[i])) {
      is_done |= delete (clones, places[i]);
    }
  }
  return is_done;
}

/* Deletes n pods of a list from first on. If the limit spares one, no later pod is deleted instead. */
static void delete_first(struct clones *clones, size_t first, size_t end, int64_t n) {
  for (size_t i = first; i < end && n > 0; i++, n--) {
    (void)delete (clones, &clones->pass->pods.list[i]);
  }
}

static void shrink(struct clones *clones) {
  const size_t n_old = (size_t)clones->old.all, n = clones->pass->pods.n;
  const int64_t old_down = smaller(clones->old_down, clones->scale_down);
  if (clones->both.preparing == 0 && clones->both.specified == 0) {
    delete_first(clones, 0, n_old, old_down);
    delete_first(clones, n_old, n, clones->scale_down - old_down);
  }
}

static int32_t act(struct clones *clones, rebal_error *err) {
  struct rebali_leaver **places = by_name(clones, err);
  int32_t code = places != NULL ? REBAL_OK : REBAL_ENOMEM;
  if (code == REBAL_OK && !restore(clones, places)) {
    if (clones->scale_up > 0) {
      code = create(clones, err);
    } else if (!delete_prepared(clones) && !delete_specified(clones, places)) {
      shrink(clones);
    }
  }
  free(places);
  return code;
}

/* ---- their order ------------------------------------------------------------------------------------------------- */

/* Moves old pods to the front; each list is ranked and sorted separately. */
static int32_t sort(const struct clones *clones, rebal_error *err) {
  struct rebali_deletion *pass = clones->pass;
  struct rebali_leaver *list = pass->pods.list;
  const size_t n_old = (size_t)clones->old.all;
  const size_t bounds[3] = {0, n_old, pass->pods.n};
  size_t front = 0;
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < pass->pods.n; i++) {
    if (list[i].is_old) {
      const struct rebali_leaver pod = list[i];
      memmove(&list[front + 1], &list[front], (i - front) * sizeof *list);
      list[front++] = pod;
    }
  }
  for (size_t i = 0; code == REBAL_OK && i < 2; i++) {
    struct rebali_leaver *first = list + bounds[i];
    const size_t n = bounds[i + 1] - bounds[i];
    code = n > 0 ? rebali_ranks_of_clones(pass, first, n, err) : REBAL_OK;
    code = code == REBAL_OK && n > 0 ? rebali_leavers_sort(first, n, rebali_steps_of_clones, &pass->now, err) : code;
  }
  return code;
}

int32_t rebali_deletion_of_clone_set(struct rebali_deletion *pass, rebal_error *err) {
  struct clones clones = {.pass = pass};
  int32_t code = rebali_leavers_read(pass, is_of_clone_set, err);
  for (size_t i = 0; i < pass->pods.n; i++) {
    add(&clones.both, &pass->pods.list[i]);
    if (pass->pods.list[i].is_old) {
      add(&clones.old, &pass->pods.list[i]);
    }
  }
  if (code == REBAL_OK) {
    code = sort(&clones, err);
  }
  if (code == REBAL_OK) {
    code = rebali_deletion_add_all(pass, rebali_steps_of_clones, 0, err);
  }
  if (code == REBAL_OK && clones.old.all > 0 && clones.old.all < clones.both.all) {
    pass->rows[clones.old.all - 1].rule = REBAL_DELETION_RULE_OLD_REVISION;
  }
  if (code == REBAL_OK) {
    rebali_clone_limits_read(pass->reader, pass->workload, pass->is_simulated, &clones.limits);
    clones.hook = rebali_field(pass->reader, pass->workload, "spec.lifecycle.preDelete");
    find_numbers(&clones);
    code = act(&clones, err);
  }
  return code;
}
