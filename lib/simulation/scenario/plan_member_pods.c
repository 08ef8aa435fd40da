/* SPDX-License-Identifier: MIT */
/* Which pods of a workload are deleted when it has fewer replicas, and the subsets of new pods when it has more. */
#include "simulation/deletion/deletion.h"
#include "simulation/scenario/plan_member.h"

#include <inttypes.h>
#include <string.h>

/* A workload of the copy. */
struct leaving {
  struct rebali_member_copy *copy;
  struct rebali_server *server;
  const struct rebali_member_change *change;
  struct rebali_member_rows *rows;
  uint32_t owner; /* of its pods */
};

static int32_t add(struct rebali_member_rows *rows, struct rebali_member_row row, rebal_error *err) {
  const int32_t code = rebali_reserve_malloc(&rows->list, &rows->capacity, rows->n + 1, sizeof *rows->list, err);
  if (code == REBAL_OK) {
    rows->list[rows->n++] = row;
  }
  return code;
}

static int32_t add_alike(struct rebali_member_rows *rows, uint32_t binding, uint32_t state, int64_t n,
                         rebal_error *err) {
  const struct rebali_member_row row = {binding, state, REBAL_NONE, REBAL_DELETION_RULE_NONE, REBAL_NONE, REBAL_NONE};
  int32_t code = REBAL_OK;
  for (int64_t i = 0; code == REBAL_OK && i < n; i++) {
    code = add(rows, row, err);
  }
  return code;
}

/* ---- the subset of a pod ----------------------------------------------------------------------------------------- */

/* Reads the annotation: {"name": the WorkloadSpread, "subset": ...}. */
static void find_subset(struct rebali_member_copy *copy, uint32_t pod, const rebal_value *matched,
                        struct rebali_member_row *row) {
  struct rebali_server *server = &copy->server;
  const char *subset = rebali_find_text(matched, "subset");
  const uint32_t spread =
      rebali_find_object(server, "WorkloadSpread", rebali_namespace_of(server, pod), rebali_find_text(matched, "name"));
  const rebal_value *subsets = rebali_field(server, spread, "spec.subsets");
  if (spread == REBAL_NONE) {
    return;
  }
  row->spread = rebali_member_object(copy, spread);
  for (size_t i = 0; row->subset == REBAL_NONE && i < rebal_value_count(subsets); i++) {
    row->subset = rebali_reads(rebali_find(rebal_value_item(subsets, i), "name"), subset) ? (uint32_t)i : REBAL_NONE;
  }
}

static int32_t read_subset(struct rebali_member_copy *copy, uint32_t pod, struct rebali_member_row *row,
                           rebal_error *err) {
  static const char key[] = "apps.kruise.io/matched-workloadspread";
  const char *text = rebali_find_text(rebali_field(&copy->server, pod, "metadata.annotations"), key);
  rebal_document *matched = NULL;
  rebal_error local = REBAL_ERROR_INIT;
  int32_t code;
  if (text[0] == '\0') {
    return REBAL_OK;
  }
  code = rebal_document_read(text, strlen(text), copy->server.limits, &matched, &local);
  if (code == REBAL_OK) {
    find_subset(copy, pod, rebal_document_value(matched, ""), row);
  }
  rebal_document_free(matched);
  return code == REBAL_ENOMEM ? rebali_fail_memory(err) : REBAL_OK; /* malformed annotations name no subset */
}

/* ---- how many replicas ------------------------------------------------------------------------------------------- */

static int32_t set_replicas(struct rebali_server *server, uint32_t workload, int64_t replicas, rebal_error *err) {
  const char *member = rebali_is_kind(server, workload, "Job") ? "parallelism" : "replicas";
  struct rebali_buffer patch = REBALI_BUFFER;
  int32_t code;
  rebali_buffer_format(&patch, "{\"spec\":{\"%s\":%" PRId64 "}}", member, replicas);
  code = rebali_patch(server, workload, &patch, err);
  rebali_buffer_dispose(&patch);
  return code;
}

/* Returns the next ReplicaSet that a Deployment controls. */
static uint32_t next_set(struct rebali_server *server, uint32_t deployment, uint32_t previous) {
  uint32_t set = previous;
  int is_orphan;
  do {
    set = rebali_next_of(server, "ReplicaSet", set);
  } while (set != REBAL_NONE &&
           (strcmp(rebali_namespace_of(server, set), rebali_namespace_of(server, deployment)) != 0 ||
            rebali_controller_of(server, set, &is_orphan) != deployment));
  return set;
}

/* Called with the pods of each owner; for a Deployment these are its ReplicaSets. */
typedef int32_t (*visit)(void *user, struct rebali_deletion *pass, rebal_error *err);

static int32_t run_pass(struct rebali_server *server, uint32_t owner, visit each, void *user, rebal_error *err) {
  struct rebali_deletion pass = {.reader = server, .workload = owner, .now = server->now};
  int32_t code = rebali_deletion_run(&pass, err);
  if (code == REBAL_OK) {
    code = each(user, &pass, err);
  }
  rebali_deletion_dispose(&pass);
  rebali_reads_release(server);
  return code;
}

static int32_t each_owner(struct rebali_server *server, uint32_t workload, visit each, void *user, rebal_error *err) {
  int32_t code = REBAL_OK;
  if (!rebali_is_kind(server, workload, "Deployment")) {
    return run_pass(server, workload, each, user, err);
  }
  for (uint32_t set = next_set(server, workload, REBAL_NONE); code == REBAL_OK && set != REBAL_NONE;
       set = next_set(server, workload, set)) {
    code = run_pass(server, set, each, user, err);
  }
  return code;
}

/* Returns the only ReplicaSet of a Deployment that requires pods; REBAL_NONE if none or several do. */
static uint32_t only_set(struct rebali_server *server, uint32_t deployment) {
  uint32_t found = REBAL_NONE;
  for (uint32_t set = next_set(server, deployment, REBAL_NONE); set != REBAL_NONE;
       set = next_set(server, deployment, set)) {
    if (rebali_field_number(server, set, "spec.replicas", 1) <= 0) {
      continue;
    }
    if (found != REBAL_NONE) {
      return REBAL_NONE;
    }
    found = set;
  }
  return found;
}

/* ---- deleted pods ------------------------------------------------------------------------------------------------ */

static int32_t note(const struct leaving *leaving, const struct rebali_deletion_row *pod, uint32_t rule,
                    rebal_error *err) {
  struct rebali_member_row row = {
      leaving->change->binding, REBAL_MEMBER_REPLICA_LEAVES, REBAL_NONE, rule, REBAL_NONE, REBAL_NONE};
  const int32_t code = read_subset(leaving->copy, pod->pod, &row, err);
  row.pod = rebali_member_object(leaving->copy, pod->pod);
  return code == REBAL_OK ? add(leaving->rows, row, err) : code;
}

static int32_t note_all(void *user, struct rebali_deletion *pass, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < pass->n; i++) {
    if (pass->rows[i].pod != REBAL_NONE) {
      code = note(user, &pass->rows[i], REBAL_DELETION_RULE_NONE, err);
    }
  }
  return code;
}

/* Notes pods in the order of their numbers; no pod waits for another. */
static int32_t note_numbered(void *user, struct rebali_deletion *pass, rebal_error *err) {
  const struct leaving *leaving = user;
  struct rebali_ordinals ordinals = {0};
  int32_t code = rebali_ordinals_read(leaving->server, leaving->owner, &ordinals, err);
  for (size_t i = 0; code == REBAL_OK && i < pass->n; i++) {
    if (pass->rows[i].pod != REBAL_NONE && !rebali_ordinals_want(&ordinals, pass->rows[i].ordinal)) {
      code = note(leaving, &pass->rows[i], pass->rows[i].rule, err);
    }
  }
  rebali_ordinals_dispose(&ordinals);
  return code;
}

static int is_going(const struct rebali_deletion_row *row) {
  return row->pod != REBAL_NONE &&
         (row->action == REBAL_DELETION_ACTION_DELETE || row->action == REBAL_DELETION_ACTION_PREPARE);
}

/*
 * Notes what no later pass would delete either, for example because a pass waits for unavailable pods, in the order of
 * the pass.
 */
static int32_t note_rest(const struct leaving *leaving, const struct rebali_deletion *pass, rebal_error *err) {
  int64_t more = -leaving->change->after;
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < pass->n; i++) {
    more += pass->rows[i].pod != REBAL_NONE;
  }
  for (size_t i = 0; code == REBAL_OK && more > 0 && i < pass->n; i++) {
    if (pass->rows[i].pod != REBAL_NONE) {
      code = note(leaving, &pass->rows[i], pass->rows[i].rule, err);
      more--;
    }
  }
  return code;
}

/* Notes the pods of one pass and removes them from the copy; all remaining ones if the pass has none. */
static int32_t note_pass(void *user, struct rebali_deletion *pass, rebal_error *err) {
  const struct leaving *leaving = user;
  const size_t before = leaving->rows->n;
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < pass->n; i++) {
    if (is_going(&pass->rows[i])) {
      code = note(leaving, &pass->rows[i], pass->rows[i].rule, err);
    }
  }
  if (code == REBAL_OK && leaving->rows->n == before && !rebali_is_kind(leaving->server, leaving->owner, "Job")) {
    return note_rest(leaving, pass, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < pass->n; i++) {
    code = is_going(&pass->rows[i]) ? rebal_store_remove(leaving->server->store, pass->rows[i].pod, err) : REBAL_OK;
  }
  return code;
}

/* Runs pass after pass, as controllers do: a ReplicaSet continues after 500 pods. */
static int32_t note_passes(struct leaving *leaving, rebal_error *err) {
  size_t pods, before;
  int32_t code;
  do {
    before = leaving->rows->n;
    pods = rebal_store_count(leaving->server->store);
    code = run_pass(leaving->server, leaving->owner, note_pass, leaving, err);
  } while (code == REBAL_OK && leaving->rows->n > before && rebal_store_count(leaving->server->store) < pods);
  return code;
}

static int32_t note_leaving(struct leaving *leaving, uint32_t workload, rebal_error *err) {
  struct rebali_server *server = leaving->server;
  int32_t code;
  if (workload == REBAL_NONE) {
    return REBAL_OK;
  }
  if (leaving->change->after == 0) {
    return each_owner(server, workload, note_all, leaving, err);
  }
  leaving->owner = rebali_is_kind(server, workload, "Deployment") ? only_set(server, workload) : workload;
  if (leaving->owner == REBAL_NONE) {
    return REBAL_OK;
  }
  code = set_replicas(server, leaving->owner, leaving->change->after, err);
  if (code != REBAL_OK) {
    return code;
  }
  return rebali_is_kind(server, leaving->owner, "StatefulSet")
             ? run_pass(server, leaving->owner, note_numbered, leaving, err)
             : note_passes(leaving, err);
}

int32_t rebali_member_leave(struct rebali_member_copy *copy, uint32_t workload,
                            const struct rebali_member_change *change, struct rebali_member_rows *rows,
                            rebal_error *err) {
  struct leaving leaving = {copy, &copy->server, change, rows, REBAL_NONE};
  const size_t first = rows->n, n = (size_t)(change->before - change->after);
  int32_t code = note_leaving(&leaving, workload, err);
  const size_t found = code == REBAL_OK ? rows->n - first : 0;
  if (found > n) { /* the first ones are deleted without the plan, too: the member runs more than it should */
    memmove(rows->list + first, rows->list + first + (found - n), n * sizeof *rows->list);
    rows->n = first + n;
  }
  return code == REBAL_OK && found < n
             ? add_alike(rows, change->binding, REBAL_MEMBER_REPLICA_LEAVES_UNKNOWN, (int64_t)(n - found), err)
             : code;
}

/* ---- new pods ---------------------------------------------------------------------------------------------------- */

static int32_t count_pods(void *user, struct rebali_deletion *pass, rebal_error *err) {
  const int is_numbered = rebali_is_kind(pass->reader, pass->workload, "StatefulSet");
  struct rebali_ordinals ordinals = {0};
  int64_t *n = user;
  const int32_t code = is_numbered ? rebali_ordinals_read(pass->reader, pass->workload, &ordinals, err) : REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < pass->n; i++) {
    *n += pass->rows[i].pod != REBAL_NONE && (!is_numbered || rebali_ordinals_want(&ordinals, pass->rows[i].ordinal));
  }
  rebali_ordinals_dispose(&ordinals);
  return code;
}

static uint32_t state_of(const struct rebali_admission_row *admitted) {
  return admitted->is_refused                                  ? REBAL_MEMBER_REPLICA_REFUSED
         : admitted->outcome == REBAL_ADMIT_OUTCOME_CHOSEN     ? REBAL_MEMBER_REPLICA_IN_SUBSET
         : admitted->outcome == REBAL_ADMIT_OUTCOME_LEFT_ALONE ? REBAL_MEMBER_REPLICA_NO_SPREAD
                                                               : REBAL_MEMBER_REPLICA_NO_SUBSET;
}

/* Notes the new pods, except the first ones, which replace other missing pods. */
static int32_t note_admitted(struct rebali_member_copy *copy, uint32_t binding, size_t first, int64_t n,
                             struct rebali_member_rows *rows, rebal_error *err) {
  struct rebali_admissions *admissions = &copy->own.admissions;
  int32_t code = REBAL_OK;
  for (size_t i = first; code == REBAL_OK && n > 0 && i < admissions->n; i++, n--) {
    struct rebali_member_row row = {
        binding, state_of(&admissions->rows[i]), REBAL_NONE, REBAL_DELETION_RULE_NONE, REBAL_NONE, REBAL_NONE};
    if (row.state == REBAL_MEMBER_REPLICA_IN_SUBSET) {
      code = read_subset(copy, admissions->rows[i].pod, &row, err);
    }
    code = code == REBAL_OK ? add(rows, row, err) : code;
    rebali_reads_release(&copy->server);
  }
  admissions->n = 0;
  rebali_buffer_clear(&admissions->text);
  return code == REBAL_OK ? add_alike(rows, binding, REBAL_MEMBER_REPLICA_WAITS, n, err) : code;
}

int32_t rebali_member_arrive(struct rebali_member_copy *copy, uint32_t workload,
                             const struct rebali_member_change *change, struct rebali_member_rows *rows,
                             rebal_error *err) {
  struct rebali_server *server = &copy->server;
  const int64_t n = change->after - change->before;
  int64_t running = 0, created = 0;
  int32_t code;
  if (workload == REBAL_NONE || !rebali_is_map(rebali_field(server, workload, "spec.template"))) {
    return add_alike(rows, change->binding, REBAL_MEMBER_REPLICA_UNKNOWN, n, err);
  }
  code = rebali_revision_remember(&copy->own, workload, err);
  if (code == REBAL_OK) {
    code = set_replicas(server, workload, change->after, err);
  }
  if (code == REBAL_OK) {
    code = each_owner(server, workload, count_pods, &running, err);
  }
  created = change->after > running ? change->after - running : 0;
  if (code == REBAL_OK) {
    code = rebali_workload_create(&copy->own, workload, created, err);
  }
  if (code == REBAL_OK && created < n) {
    code = add_alike(rows, change->binding, REBAL_MEMBER_REPLICA_RUNS, n - created, err);
  }
  return code == REBAL_OK ? note_admitted(copy, change->binding, created > n ? (size_t)(created - n) : 0,
                                          created < n ? created : n, rows, err)
                          : code;
}
