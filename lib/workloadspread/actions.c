/* SPDX-License-Identifier: MIT */
/*
 * Actions of a pass: the pods, the status, then the stuck pods one by one. With observations they are given in turns,
 * as results arrive. Ordinals: a pod's place in GROUPED; the number of pods for the status; after it the stuck pods in
 * the order of deletion; after them actions that are not observed.
 */
#include "workloadspread/pass.h"

#define SPREAD_API REBALI_TEXT("apps.kruise.io/v1beta1")

/* Progress of a pass. */
struct turn {
  struct rebali_spread_pass *pass;
  const rebal_observations *observations; /* NULL: all actions at once */
  int is_waiting;
  int keeps_status;   /* the status is written: the spread gets it as the last step, after all that can fail */
  int64_t unobserved; /* the next ordinal of an event or a timer */
  uint32_t *stuck;    /* members, in the order of deletion */
  size_t n_stuck;
  struct rebali_text_numbers payloads; /* of pods */
  size_t *rows;                        /* of ACTION, by payload: the first row with this payload */
};

static int32_t fail_memory(const struct turn *turn) {
  return rebali_fail_memory(turn->pass->err);
}

int32_t rebali_pass_end(struct rebali_spread_pass *pass, int64_t state, int64_t reason, struct rebali_text message) {
  const int64_t after =
      state == REBAL_STEP_STATE_DONE && pass->soonest_ns != INT64_MAX ? pass->soonest_ns : REBAL_ABSENT;
  const struct rebali_step step = {state, reason, message, after};

  return rebali_result_add_step(pass->result, &step) == REBAL_OK ? REBAL_OK : rebali_fail_memory(pass->err);
}

static int32_t wait(const struct turn *turn) {
  return rebali_pass_end(turn->pass, REBAL_STEP_STATE_WAITING, REBAL_SPREAD_REASON_DONE, REBALI_TEXT(""));
}

static int32_t add_action(const struct turn *turn, const struct rebali_action *action) {
  return rebali_result_add_action(turn->pass->result, action) == REBAL_OK ? REBAL_OK : fail_memory(turn);
}

/* Returns the observation of an action, or NULL if there is none yet or the caller gives none. */
static const struct rebali_observation *observed(const struct turn *turn, int64_t ordinal) {
  return rebali_observation_find(turn->observations, ordinal);
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static struct rebali_action spread_action(const struct turn *turn, int64_t kind, int64_t ordinal) {
  const struct rebali_spread_spec *spec = &turn->pass->spread->spec;

  return (struct rebali_action){.kind = kind,
                                .ordinal = ordinal,
                                .api_version = SPREAD_API,
                                .object_kind = REBALI_TEXT("WorkloadSpread"),
                                .namespace_ = spec->namespace_,
                                .name = spec->name,
                                .row = REBAL_ABSENT};
}

/* Returns an action on any pod. */
static struct rebali_action pod_action(const struct turn *turn, int64_t kind) {
  return (struct rebali_action){.kind = kind,
                                .api_version = REBALI_TEXT("v1"),
                                .object_kind = REBALI_TEXT("Pod"),
                                .namespace_ = turn->pass->spread->spec.namespace_,
                                .row = REBAL_ABSENT};
}

static struct rebali_text name_of(const struct turn *turn, const struct rebali_grouped *member) {
  return rebali_pods_text(turn->pass->pods, REBAL_SPREAD_POD_NAME, member->row);
}

static void put_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static int32_t add_events(struct turn *turn) {
  struct rebali_spread_pass *pass = turn->pass;
  int32_t code = REBAL_OK;

  for (const struct rebali_spread_event *event = pass->events; event != NULL && code == REBAL_OK; event = event->next) {
    struct rebali_action action = spread_action(turn, REBAL_ACTION_KIND_EVENT, turn->unobserved++);

    (void)rebal_builder_start(pass->builder, REBAL_OBJECT_EVENT, NULL);
    put_text(pass->builder, REBAL_EVENT_TYPE, event->is_warning ? REBALI_TEXT("Warning") : REBALI_TEXT("Normal"));
    put_text(pass->builder, REBAL_EVENT_REASON, event->reason);
    put_text(pass->builder, REBAL_EVENT_MESSAGE, event->message);
    code = rebal_builder_finish(pass->builder, &action.payload, pass->err);
    if (code == REBAL_OK) {
      code = add_action(turn, &action);
    }
  }
  pass->events = NULL;
  pass->last_event = &pass->events;
  return code;
}

static struct rebali_text subset_name(const struct rebali_spread_pass *pass, uint32_t subset) {
  return subset == REBAL_NONE ? REBALI_TEXT("kruise.io/workloadspread-fake-subset-name")
                              : pass->spread->spec.subsets[subset].name;
}

/* Ends the pass after a failure, with an event of its own. */
static int32_t fail_with(struct turn *turn, struct rebali_text event, const struct rebali_text *parts, size_t n,
                         int64_t reason, struct rebali_text message) {
  struct rebali_spread_pass *pass = turn->pass;
  int32_t code;

  pass->events = NULL;
  pass->last_event = &pass->events;
  if (n != 0 && rebali_pass_event(pass, 1, event, parts, n) != REBAL_OK) {
    return fail_memory(turn);
  }
  code = add_events(turn);
  return code == REBAL_OK ? rebali_pass_end(pass, REBAL_STEP_STATE_RETRY, reason, message) : code;
}

static int32_t fail_pod(struct turn *turn, const struct rebali_grouped *member, struct rebali_text message) {
  const struct rebali_spread_pass *pass = turn->pass;
  const struct rebali_spread_spec *spec = &pass->spread->spec;
  char digits[24];
  const struct rebali_text parts[] = {REBALI_TEXT("WorkloadSpread "),
                                      spec->namespace_,
                                      REBALI_TEXT("/"),
                                      spec->name,
                                      REBALI_TEXT(" failed to patch deletion-cost annotation to "),
                                      rebali_cost_text(member->cost, digits),
                                      REBALI_TEXT(" for Pod "),
                                      spec->namespace_,
                                      REBALI_TEXT("/"),
                                      rebali_pods_text(pass->pods, REBAL_SPREAD_POD_NAME, member->row),
                                      REBALI_TEXT(" in subset "),
                                      subset_name(pass, member->subset)};

  return fail_with(turn, REBALI_TEXT("PatchPodDeletionCostFailed"), parts,
                   (member->changes & REBAL_CHANGES_COST) != 0 ? REBALI_COUNT(parts) : 0,
                   REBAL_SPREAD_REASON_POD_FAILED, message);
}

static int32_t fail_delete(struct turn *turn, const struct rebali_grouped *member, struct rebali_text message) {
  const struct rebali_spread_pass *pass = turn->pass;
  const struct rebali_spread_spec *spec = &pass->spread->spec;
  const struct rebali_text parts[] = {REBALI_TEXT("Failed to delete unschedulabe Pod "),
                                      spec->namespace_,
                                      REBALI_TEXT("/"),
                                      rebali_pods_text(pass->pods, REBAL_SPREAD_POD_NAME, member->row),
                                      REBALI_TEXT(" in Subset "),
                                      subset_name(pass, member->subset),
                                      REBALI_TEXT(" of WorkloadSpread "),
                                      spec->namespace_,
                                      REBALI_TEXT("/"),
                                      spec->name};

  return fail_with(turn, REBALI_TEXT("DeletePodFailed"), parts, REBALI_COUNT(parts), REBAL_SPREAD_REASON_DELETE_FAILED,
                   message);
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/* Patch of a pod. Payloads are compared by its bytes, so no byte may be uninitialized. */
struct patch {
  int64_t cost;    /* REBAL_ABSENT: unchanged */
  uint64_t subset; /* REBAL_NONE: unchanged */
};

static int32_t build_patch(const struct turn *turn, const struct patch *patch, const rebal_record **out) {
  const struct rebali_spread_pass *pass = turn->pass;
  const struct rebali_spread_spec *spec = &pass->spread->spec;
  rebal_builder *builder = pass->builder;
  char digits[24];

  (void)rebal_builder_start(builder, REBAL_OBJECT_POD_PATCH, NULL);
  if (patch->subset != REBAL_NONE) {
    const struct rebali_subset *subset = &spec->subsets[patch->subset];

    put_text(builder, REBAL_POD_PATCH_SPREAD, spec->name);
    put_text(builder, REBAL_POD_PATCH_SUBSET, subset->name);
    if (subset->patch != REBAL_NONE && !spec->keeps_metadata) {
      (void)rebal_builder_copy(builder, REBAL_POD_PATCH_SUBSET_PATCH, spec->object, subset->patch, NULL);
    }
  }
  if (patch->cost != REBAL_ABSENT) {
    put_text(builder, REBAL_POD_PATCH_DELETION_COST, rebali_cost_text(patch->cost, digits));
  }
  return rebal_builder_finish(builder, out, pass->err);
}

/* Sets the payload of a row. Rows with the same patch share the payload of the first. */
static int32_t put_patch(struct turn *turn, size_t row, const struct patch *patch) {
  struct rebali_spread_pass *pass = turn->pass;
  struct rebali_text key = rebali_text((const char *)patch, sizeof *patch);
  uint32_t number = rebali_text_numbers_find(&turn->payloads, key);
  const rebal_record *payload;
  int32_t code;

  if (number != REBAL_NONE) {
    return rebali_result_share_record(pass->result, row, turn->rows[number]) == REBAL_OK ? REBAL_OK : fail_memory(turn);
  }
  code = build_patch(turn, patch, &payload);
  if (code != REBAL_OK) {
    return code;
  }
  key = rebali_arena_text(pass->arena, key);
  if (key.bytes == NULL || rebali_text_numbers_add(&turn->payloads, key, &number) != REBAL_OK ||
      rebali_result_set_record(pass->result, row, payload) != REBAL_OK) {
    return fail_memory(turn);
  }
  turn->rows[number] = row;
  return REBAL_OK;
}

/* Writes the patch of one pod into a row of ACTION that already has the fields common to all pods. */
static int32_t patch_pod(struct turn *turn, size_t row, size_t place) {
  const struct rebali_grouped *member = &turn->pass->members[place];
  struct rebali_table *table = rebali_result_table(turn->pass->result, REBAL_TABLE_ACTION);
  const struct patch patch = {(member->changes & REBAL_CHANGES_COST) != 0 ? member->cost : REBAL_ABSENT,
                              (member->changes & REBAL_CHANGES_SUBSET) != 0 ? member->subset : REBAL_NONE};

  *rebali_table_integers(table, REBAL_ACTION_ORDINAL, row) = (int64_t)place;
  *rebali_table_integers(table, REBAL_ACTION_ROW, row) = member->row;
  if (rebali_table_set_text(table, REBAL_ACTION_NAME, row, name_of(turn, member)) != REBAL_OK) {
    return fail_memory(turn);
  }
  return put_patch(turn, row, &patch);
}

static int is_to_be_patched(const struct turn *turn, size_t place) {
  return turn->pass->members[place].changes != 0 && observed(turn, (int64_t)place) == NULL;
}

/* Adds the patches of all pods at once. */
static int32_t add_patches(struct turn *turn) {
  const struct rebali_spread_pass *pass = turn->pass;
  const struct rebali_action action = pod_action(turn, REBAL_ACTION_KIND_PATCH_METADATA);
  size_t n = 0;
  size_t row;

  for (size_t i = 0; i < pass->n; i++) {
    n += (size_t)is_to_be_patched(turn, i);
  }
  if (n == 0) {
    return REBAL_OK;
  }
  turn->is_waiting = turn->observations != NULL;
  turn->payloads = rebali_text_numbers(pass->arena);
  turn->rows = rebali_arena_allocate(pass->arena, n, sizeof *turn->rows);
  if (turn->rows == NULL || rebali_result_add_actions(pass->result, &action, n, &row) != REBAL_OK) {
    return fail_memory(turn);
  }
  for (size_t i = 0; i < pass->n; i++) {
    const int32_t code = is_to_be_patched(turn, i) ? patch_pod(turn, row++, i) : REBAL_OK;

    if (code != REBAL_OK) {
      return code;
    }
  }
  return REBAL_OK;
}

/* ended: a pod could not be patched, and the pass has ended. */
static int32_t patch_pods(struct turn *turn, int *ended) {
  const struct rebali_spread_pass *pass = turn->pass;

  if ((pass->opts.flags & REBAL_SPREAD_FLAG_NO_POD_ACTIONS) != 0) {
    return REBAL_OK;
  }
  for (size_t i = 0; turn->observations != NULL && i < pass->n; i++) {
    const struct rebali_grouped *member = &pass->members[i];
    const struct rebali_observation *seen = member->changes == 0 ? NULL : observed(turn, (int64_t)i);

    if (seen != NULL && seen->outcome != REBAL_OBSERVED_DONE) {
      *ended = 1;
      return fail_pod(turn, member, seen->message);
    }
  }
  return add_patches(turn);
}

/* ---- the status -------------------------------------------------------------------------------------------------- */

/* Makes the new status the status of the spread. */
static int32_t keep_status(const struct turn *turn) {
  struct rebali_spread_pass *pass = turn->pass;
  const rebal_record *record;
  const int32_t code = rebali_pass_build_status(pass, 0, pass->builder, &record);

  if (code != REBAL_OK) {
    return code;
  }
  return rebali_spread_put_status(pass->spread, record) == REBAL_OK ? REBAL_OK : fail_memory(turn);
}

static int32_t write_status(struct turn *turn) {
  struct rebali_spread_pass *pass = turn->pass;
  struct rebali_action action = spread_action(turn, REBAL_ACTION_KIND_PATCH_STATUS, (int64_t)pass->n);
  int32_t code = add_events(turn);

  if (code == REBAL_OK) {
    code = rebali_pass_build_status(pass, 1, pass->builder, &action.payload);
  }
  if (code != REBAL_OK) {
    return code;
  }
  action.resource_version = pass->spread->spec.resource_version;
  action.replaces = REBAL_REPLACES_SUBSET_STATUSES;
  turn->is_waiting = turn->observations != NULL;
  turn->keeps_status = turn->observations == NULL;
  return add_action(turn, &action);
}

static int32_t settle_status(struct turn *turn, int *ended) {
  struct rebali_spread_pass *pass = turn->pass;
  const struct rebali_observation *seen = observed(turn, (int64_t)pass->n);

  if (!rebali_pass_differs(pass)) {
    return REBAL_OK;
  }
  if (seen == NULL) {
    return write_status(turn);
  }
  if (seen->outcome == REBAL_OBSERVED_DONE) {
    turn->keeps_status = 1;
    return REBAL_OK;
  }
  *ended = 1;
  return fail_with(turn, REBALI_TEXT(""), NULL, 0, REBAL_SPREAD_REASON_STATUS_FAILED, seen->message);
}

/* ---- stuck pods -------------------------------------------------------------------------------------------------- */

/* Finds the stuck pods, ordered by subset, then version. */
static int32_t find_stuck(struct turn *turn) {
  const struct rebali_spread_pass *pass = turn->pass;
  size_t n = 0;

  for (uint32_t i = 0; i < rebali_pass_subsets(pass); i++) {
    n += pass->totals[i].stuck;
  }
  turn->stuck = rebali_arena_allocate(pass->arena, n, sizeof *turn->stuck);
  if (turn->stuck == NULL) {
    return fail_memory(turn);
  }
  for (uint32_t i = 0; i < rebali_pass_subsets(pass); i++) {
    for (uint32_t version = 0; pass->totals[i].stuck != 0 && version < pass->versions.n; version++) {
      const size_t bucket = rebali_pass_bucket(pass, version, i);

      for (size_t at = pass->first[bucket]; at < pass->first[bucket + 1]; at++) {
        if (pass->members[at].is_stuck) {
          turn->stuck[turn->n_stuck++] = (uint32_t)at;
        }
      }
    }
  }
  return REBAL_OK;
}

static int32_t delete_stuck(struct turn *turn, int *ended) {
  const struct rebali_spread_pass *pass = turn->pass;

  for (size_t i = 0; i < turn->n_stuck && !turn->is_waiting; i++) {
    const struct rebali_grouped *member = &pass->members[turn->stuck[i]];
    struct rebali_action action = pod_action(turn, REBAL_ACTION_KIND_DELETE);
    const struct rebali_observation *seen = observed(turn, (int64_t)(pass->n + 1 + i));

    if (seen != NULL && seen->outcome != REBAL_OBSERVED_DONE) {
      *ended = 1;
      return fail_delete(turn, member, seen->message);
    }
    if (seen == NULL) {
      action.ordinal = (int64_t)(pass->n + 1 + i);
      action.row = member->row;
      action.name = name_of(turn, member);
      action.uid = rebali_pods_text(pass->pods, REBAL_SPREAD_POD_UID, member->row);
      turn->is_waiting = turn->observations != NULL;
      if (add_action(turn, &action) != REBAL_OK) {
        return REBAL_ENOMEM;
      }
    }
  }
  return REBAL_OK;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

static int32_t finish(struct turn *turn) {
  struct rebali_spread_pass *pass = turn->pass;
  struct rebali_action wake = spread_action(turn, REBAL_ACTION_KIND_WAKE, turn->unobserved++);

  if (pass->soonest_ns != INT64_MAX) {
    wake.not_before = rebali_time_after(&pass->now, pass->soonest_ns);
    if (add_action(turn, &wake) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return rebali_pass_end(pass, REBAL_STEP_STATE_DONE, REBAL_SPREAD_REASON_DONE, REBALI_TEXT(""));
}

static struct rebali_text no_latest(const struct rebali_spread_pass *pass) {
  const struct rebali_spread_spec *spec = &pass->spread->spec;
  const struct rebali_text parts[] = {
      spec->target_kind, REBALI_TEXT("."), spec->target_group, REBALI_TEXT(" \""),
      spec->namespace_,  REBALI_TEXT("/"), spec->target_name,  REBALI_TEXT(" latest version\" not found")};

  return rebali_pass_join(pass->arena, parts, REBALI_COUNT(parts));
}

int32_t rebali_pass_act(struct rebali_spread_pass *pass) {
  struct turn turn = {.pass = pass, .observations = pass->opts.observations};
  int ended = 0;
  int32_t code = pass->lacks_latest ? REBAL_OK : find_stuck(&turn);

  turn.unobserved = (int64_t)(pass->n + 1 + turn.n_stuck);
  if (code == REBAL_OK) {
    code = patch_pods(&turn, &ended);
  }
  if (code == REBAL_OK && !ended && !turn.is_waiting && pass->lacks_latest) {
    const struct rebali_text message = no_latest(pass);

    return message.bytes == NULL
               ? rebali_fail_memory(pass->err)
               : rebali_pass_end(pass, REBAL_STEP_STATE_RETRY, REBAL_SPREAD_REASON_NO_LATEST, message);
  }
  if (code == REBAL_OK && !ended && !turn.is_waiting) {
    code = settle_status(&turn, &ended);
  }
  if (code == REBAL_OK && !ended && !turn.is_waiting) {
    code = delete_stuck(&turn, &ended);
  }
  if (code == REBAL_OK && !ended) {
    code = turn.is_waiting ? wait(&turn) : finish(&turn);
  }
  return code == REBAL_OK && turn.keeps_status ? keep_status(&turn) : code;
}
