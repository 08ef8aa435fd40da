/* SPDX-License-Identifier: MIT */
/* The webhook of WorkloadSpreads: each pod that comes or goes is admitted, and the statuses are written. */
#include "workloads.h"

#include <inttypes.h>
#include <string.h>

static const char name[] = "pod-webhook";

int rebali_has_spreads(const rebal_simulation *simulation) {
  return rebali_next_of(simulation, "WorkloadSpread", REBAL_NONE) != REBAL_NONE;
}

/* ---- what the log tells ------------------------------------------------------------------------------------------ */

/* By REBAL_PASS_OVER_*. */
static const char *const reasons[] = {"",
                                      "full",
                                      "unschedulable",
                                      "without a limit that can be read",
                                      "behind its ordinals",
                                      "without a node that has room",
                                      "full of other versions",
                                      "behind one that lacks its minimum"};

static int64_t cell(const rebal_result *result, uint32_t column, size_t row) {
  size_t n = 0;
  const int64_t *cells = rebal_result_i64(result, column, &n);
  return row < n ? cells[row] : REBAL_ABSENT;
}

/* Subsets that were passed over before the one that was chosen, or all. */
static int32_t print_passed(const rebal_result *result, rebal_text *reason, rebal_error *err) {
  const size_t n = rebal_result_count(result, REBAL_TABLE_PASSED_OVER);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const int64_t why = cell(result, REBAL_PASSED_OVER_WHY, i);
    code = rebali_print(reason, err, "%s%s is %s", i > 0 ? ", " : "; ",
                        rebal_result_text(result, REBAL_PASSED_OVER_SUBSET_NAME, i, NULL),
                        why > 0 && (size_t)why < sizeof reasons / sizeof reasons[0] ? reasons[why] : "passed over");
  }
  return code;
}

static const char *subset_of(rebal_simulation *simulation, const char *space, const rebal_result *result) {
  const int64_t spread = cell(result, REBAL_ADMITTED_SPREAD, 0), subset = cell(result, REBAL_ADMITTED_SUBSET, 0);
  size_t n = 0;
  rebal_spread *const *spreads = rebal_spread_feed_namespace(simulation->workloads->feed, space, strlen(space), &n);
  return spread >= 0 && (size_t)spread < n && subset >= 0
             ? rebal_spread_subset_name(spreads[spread], (uint32_t)subset, NULL)
             : "";
}

/* What happened to a pod that came, and why. */
static int32_t tell(rebal_simulation *simulation, const char *space, struct rebali_pod_admission *out,
                    rebal_error *err) {
  const rebal_result *result = simulation->workloads->result;
  const int64_t outcome = cell(result, REBAL_ADMITTED_OUTCOME, 0);
  const char *message = rebal_result_text(result, REBAL_ADMITTED_MESSAGE, 0, NULL);
  int32_t code = REBAL_OK;
  switch (outcome) {
    case REBAL_ADMIT_OUTCOME_CHOSEN:
      code = rebali_print(out->change, err, " in subset %s", subset_of(simulation, space, result));
      break;
    case REBAL_ADMIT_OUTCOME_NO_SUBSET:
      code = rebali_print(out->change, err, " in no subset");
      break;
    case REBAL_ADMIT_OUTCOME_FORMER_SUBSET:
      code = rebali_print(out->change, err, " for the former subset %s",
                          rebal_result_text(result, REBAL_ADMITTED_SUBSET_NAME, 0, NULL));
      break;
    case REBAL_ADMIT_OUTCOME_OWNER_MISSING:
    case REBAL_ADMIT_OUTCOME_REPLICAS_UNKNOWN:
      out->is_refused = 1;
      return rebali_print(out->refusal, err, "%s",
                          outcome == REBAL_ADMIT_OUTCOME_OWNER_MISSING ? "an owner of it is missing" : message);
    default:
      return REBAL_OK;
  }
  return code == REBAL_OK ? print_passed(result, out->reason, err) : code;
}

/* ---- asked ------------------------------------------------------------------------------------------------------- */

/* The statuses are told of once for all pods of a round. */
static int32_t write_statuses(rebal_simulation *simulation, rebal_error *err) {
  const rebal_result *result = simulation->workloads->result;
  const size_t n = rebal_result_count(result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = rebal_store_carry_out(simulation->store, result, i, &simulation->now, NULL, err);
  }
  return code;
}

static int32_t ask(rebal_simulation *simulation, uint32_t operation, const rebal_text *pod, const char *id,
                   rebal_text *out, rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  const rebal_admit_opts opts = {.struct_size = sizeof opts,
                                 .flags = REBAL_ADMIT_FLAG_EXPLAIN,
                                 .compat = simulation->opts.compat,
                                 .snapshot = workloads->room,
                                 .ledger = workloads->promised,
                                 .cluster = workloads->nodes};
  size_t len;
  const char *bytes = rebal_text_bytes(pod, &len);
  int32_t code = rebal_spread_feed_update(workloads->feed, err);
  rebal_text_reset(out);
  return code == REBAL_OK ? rebal_spread_feed_admit(
                                simulation->ctx, workloads->feed,
                                &(rebal_pod_request){sizeof(rebal_pod_request), operation, bytes, len, id, strlen(id)},
                                &simulation->now, &opts, workloads->result, out, err)
                          : code;
}

/* A patch that cannot be merged refuses the pod, which stays recorded. */
int32_t rebali_webhook_create(rebal_simulation *simulation, const char *space, const char *id,
                              struct rebali_pod_admission *out, rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  rebal_error local = REBAL_ERROR_INIT;
  size_t len;
  const char *bytes;
  int32_t code = ask(simulation, REBAL_OPERATION_CREATE, workloads->text, id, workloads->other, &local);
  if (code == REBAL_EINVAL) {
    out->is_refused = 1;
    code = rebali_print(out->refusal, err, "%s", local.message);
  } else if (code != REBAL_OK) {
    return rebali_fail(err, code, -1, "%s", local.message);
  } else {
    code = tell(simulation, space, out, err);
  }
  if (code == REBAL_OK && !out->is_refused) {
    rebal_text_reset(workloads->text);
    bytes = rebal_text_bytes(workloads->other, &len);
    code = rebal_text_append(workloads->text, bytes, len, err);
  }
  return code == REBAL_OK ? write_statuses(simulation, err) : code;
}

int32_t rebali_webhook_delete(rebal_simulation *simulation, uint32_t pod, rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  int32_t code;
  rebal_text_reset(workloads->text);
  code = rebal_store_write(simulation->store, pod, REBAL_TEXT_FORMAT_JSON, workloads->text, err);
  if (code == REBAL_OK) {
    code = ask(simulation, REBAL_OPERATION_DELETE, workloads->text, "", workloads->other, err);
  }
  return code == REBAL_OK ? write_statuses(simulation, err) : code;
}

int32_t rebali_webhook_open(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  int64_t is_simulated = 0;
  int32_t code;
  (void)rebal_compat_get(simulation->opts.compat, REBAL_OPTION_SPREAD_SIMULATION, &is_simulated, NULL);
  if (!is_simulated || !rebali_has_spreads(simulation) ||
      rebali_next_of(simulation, "Node", REBAL_NONE) == REBAL_NONE) {
    return REBAL_OK;
  }
  code = rebal_store_feed_member(simulation->store, workloads->fleet, workloads->nodes, &workloads->nodes_feed, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(workloads->fleet, &workloads->room, err);
  }
  return code == REBAL_OK ? rebal_ledger_new(workloads->fleet, NULL, &workloads->promised, err) : code;
}

void rebali_webhook_close(struct rebali_workloads *workloads) {
  rebal_snapshot_unref(workloads->room);
  rebal_ledger_free(workloads->promised);
  workloads->room = NULL;
  workloads->promised = NULL;
}

int32_t rebali_webhook_tell(rebal_simulation *simulation, rebal_error *err) {
  return rebali_watch_all(simulation, name, "pods came or went", err);
}
