/* SPDX-License-Identifier: MIT */
/*
 * What the API server does with a new or deleted pod: sets the priority by its PriorityClass, before and after the
 * webhook of WorkloadSpreads, and writes their statuses.
 */
#include "simulation/cluster/own.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "pod-webhook";

int rebali_has_spreads(const struct rebali_own *own) {
  return rebali_next_of(own->core->server, "WorkloadSpread", REBAL_NONE) != REBAL_NONE;
}

/* ---- the priority ------------------------------------------------------------------------------------------------ */

static int32_t set_priority(struct rebali_own *own, int64_t value, rebal_error *err) {
  rebali_buffer_clear(&own->other);
  rebali_buffer_format(&own->other, "{\"spec\":{\"priority\":%" PRId64 "}}", value);
  return rebali_merge_text(own->core->server, &own->pod, &own->other, err);
}

/* Sets the number of the class, which every pod holds. */
static int32_t judge_priority(struct rebali_own *own, const rebal_value *spec, struct rebali_pod_admission *out,
                              rebal_error *err) {
  const rebal_value *stated = rebali_find(spec, "priority");
  const char *class_name = rebali_find_text(spec, "priorityClassName");
  int64_t value, number;
  if (!rebali_priority_class(own->core->server, class_name, &value)) {
    out->is_refused = 1;
    rebali_buffer_format(&out->refusal, "no PriorityClass with name %s was found", class_name);
    return REBAL_OK;
  }
  if (stated == NULL) {
    return set_priority(own, value, err);
  }
  if (!rebali_number(stated, &number) || number != value) {
    out->is_refused = 1;
    rebali_buffer_text(&out->refusal, "the integer value of priority (");
    rebali_print_value(&out->refusal, stated);
    rebali_buffer_format(&out->refusal,
                         ") must not be provided in pod spec; priority admission controller computed %" PRId64
                         " from the given PriorityClass name",
                         value);
  }
  return REBAL_OK;
}

/* Scenarios without classes skip this admission. */
static int32_t admit_priority(struct rebali_own *own, struct rebali_pod_admission *out, rebal_error *err) {
  rebal_document *pod = NULL;
  int32_t code;
  if (rebali_next_of(own->core->server, "PriorityClass", REBAL_NONE) == REBAL_NONE) {
    return REBAL_OK;
  }
  code = rebal_document_read(own->pod.bytes, own->pod.len, own->core->server->limits, &pod, err);
  if (code == REBAL_OK) {
    code = judge_priority(own, rebal_document_value(pod, "spec"), out, err);
  }
  rebal_document_free(pod);
  return code;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

/* By REBAL_PASS_OVER_*. */
static const char *const reasons[] = {"",
                                      "full",
                                      "unschedulable",
                                      "without a limit that can be read",
                                      "after its ordinals",
                                      "without a node that has capacity",
                                      "full of other versions",
                                      "after one that lacks its minimum"};

/* Prints the subsets passed over before the chosen one, or all of them. */
static void print_passed(const rebal_result *result, struct rebali_buffer *reason) {
  const size_t n = rebal_result_count(result, REBAL_TABLE_PASSED_OVER);
  for (size_t i = 0; i < n; i++) {
    const int64_t why = rebali_cell(result, REBAL_PASSED_OVER_WHY, i);
    rebali_buffer_format(reason, "%s%s is %s", i > 0 ? ", " : "; ",
                         rebal_result_text(result, REBAL_PASSED_OVER_SUBSET_NAME, i, NULL),
                         why > 0 && (size_t)why < REBALI_COUNT(reasons) ? reasons[why] : "passed over");
  }
}

const char *rebali_admitted_subset(const struct rebali_own *own, const char *namespace_) {
  const int64_t spread = rebali_cell(own->result, REBAL_ADMITTED_SPREAD, 0);
  const int64_t subset = rebali_cell(own->result, REBAL_ADMITTED_SUBSET, 0);
  size_t n = 0;
  rebal_spread *const *spreads = rebal_spread_feed_namespace(own->feed, namespace_, strlen(namespace_), &n);
  return spread >= 0 && (size_t)spread < n && subset >= 0
             ? rebal_spread_subset_name(spreads[spread], (uint32_t)subset, NULL)
             : rebal_result_text(own->result, REBAL_ADMITTED_SUBSET_NAME, 0, NULL);
}

/* Describes what happened to a new pod, and why. */
static void report(const struct rebali_own *own, const char *namespace_, struct rebali_pod_admission *out) {
  const rebal_result *result = own->result;
  switch (rebali_cell(result, REBAL_ADMITTED_OUTCOME, 0)) {
    case REBAL_ADMIT_OUTCOME_CHOSEN:
      rebali_buffer_format(&out->change, " in subset %s", rebali_admitted_subset(own, namespace_));
      break;
    case REBAL_ADMIT_OUTCOME_NO_SUBSET:
      rebali_buffer_text(&out->change, " in no subset");
      break;
    case REBAL_ADMIT_OUTCOME_FORMER_SUBSET:
      rebali_buffer_format(&out->change, " for the former subset %s", rebali_admitted_subset(own, namespace_));
      break;
    case REBAL_ADMIT_OUTCOME_OWNER_MISSING:
      out->is_refused = 1;
      rebali_buffer_text(&out->refusal, "an owner of it is missing");
      return;
    case REBAL_ADMIT_OUTCOME_REPLICAS_UNKNOWN:
      out->is_refused = 1;
      rebali_buffer_text(&out->refusal, rebal_result_text(result, REBAL_ADMITTED_MESSAGE, 0, NULL));
      return;
    default:
      return;
  }
  print_passed(result, &out->reason);
}

/* ---- the webhook ------------------------------------------------------------------------------------------------- */

/* Writes the statuses; they are logged once for all pods of a round. */
static int32_t write_statuses(struct rebali_own *own, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  const size_t n = rebal_result_count(own->result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = rebal_store_carry_out(server->store, own->result, i, &server->now, NULL, err);
  }
  return code;
}

/* Runs the webhook; out is the resulting pod. */
static int32_t review(struct rebali_own *own, uint32_t operation, const char *pod, const char *id, rebal_text *out,
                      rebal_error *err) {
  struct rebali_core *core = own->core;
  const rebal_pod_request request = {sizeof request, operation, pod, REBAL_TERMINATED, id, REBAL_TERMINATED};
  const rebal_admit_opts opts = {.struct_size = sizeof opts,
                                 .flags = REBAL_ADMIT_FLAG_EXPLAIN,
                                 .compat = core->compat,
                                 .snapshot = own->round_nodes,
                                 .ledger = own->promised,
                                 .cluster = own->nodes};
  const int32_t code = rebal_spread_feed_update(own->feed, err);
  return code == REBAL_OK
             ? rebal_spread_feed_admit(core->ctx, own->feed, &request, &core->server->now, &opts, own->result, out, err)
             : code;
}

/* A patch that cannot be merged refuses the pod, but the pod stays recorded. */
static int32_t admit_spread(struct rebali_own *own, const char *namespace_, const char *id,
                            struct rebali_pod_admission *out, rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  rebal_text *admitted = NULL;
  int32_t code = rebal_text_new(&admitted, err);
  if (code != REBAL_OK) {
    return code;
  }
  code = review(own, REBAL_OPERATION_CREATE, own->pod.bytes, id, admitted, &local);
  if ((code == REBAL_EINVAL || code == REBAL_EPARSE) && rebal_result_count(own->result, REBAL_TABLE_ADMITTED) > 0) {
    out->is_refused = 1;
    rebali_buffer_text(&out->refusal, local.message);
    code = REBAL_OK;
  } else if (code != REBAL_OK) {
    (void)rebali_fail(err, code, -1, "%s", local.message);
  } else {
    report(own, namespace_, out);
  }
  if (code == REBAL_OK && !out->is_refused) {
    rebali_buffer_clear(&own->pod);
    rebali_buffer_text(&own->pod, rebal_text_bytes(admitted, NULL));
  }
  rebal_text_free(admitted);
  return code == REBAL_OK ? write_statuses(own, err) : code;
}

int32_t rebali_own_admit(struct rebali_own *own, const char *namespace_, const char *id,
                         struct rebali_pod_admission *out, rebal_error *err) {
  int32_t code = admit_priority(own, out, err);
  if (code == REBAL_OK && !out->is_refused && rebali_has_spreads(own)) {
    code = admit_spread(own, namespace_, id, out, err);
    if (code == REBAL_OK && !out->is_refused) {
      code = admit_priority(own, out, err);
    }
  }
  return code;
}

int32_t rebali_own_admit_delete(struct rebali_own *own, uint32_t pod, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  rebal_text *text = NULL, *nothing = NULL;
  int is_orphan;
  int32_t code = REBAL_OK;
  if (!rebali_has_spreads(own) && own->admissions.most == 0) {
    return REBAL_OK;
  }
  code = rebal_text_new(&text, err);
  if (code == REBAL_OK) {
    code = rebal_text_new(&nothing, err);
  }
  if (code == REBAL_OK) {
    code = rebal_store_write(server->store, pod, REBAL_TEXT_FORMAT_JSON, text, err);
  }
  if (code == REBAL_OK) {
    rebali_admission_begin(own, REBAL_OPERATION_DELETE, rebali_controller_of(server, pod, &is_orphan),
                           rebal_text_bytes(text, NULL));
  }
  if (code == REBAL_OK && rebali_has_spreads(own)) {
    code = review(own, REBAL_OPERATION_DELETE, rebal_text_bytes(text, NULL), "", nothing, err);
    code = code == REBAL_OK ? write_statuses(own, err) : code;
  }
  rebal_text_free(text);
  rebal_text_free(nothing);
  return code == REBAL_OK
             ? rebali_admission_end(own, pod, rebali_namespace_of(server, pod), rebali_name_of(server, pod), 0, err)
             : code;
}

int32_t rebali_webhook_open(struct rebali_own *own, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  int64_t is_simulated = 0;
  int32_t code;
  (void)rebal_compat_get(own->core->compat, REBAL_OPTION_SPREAD_SIMULATION, &is_simulated, NULL);
  if (!is_simulated || !rebali_has_spreads(own) || rebali_next_of(server, "Node", REBAL_NONE) == REBAL_NONE) {
    return REBAL_OK;
  }
  code = rebal_store_feed_member(server->store, own->fleet, own->nodes, &own->nodes_feed, err);
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(own->fleet, &own->round_nodes, err);
  }
  return code == REBAL_OK ? rebal_ledger_new(own->fleet, NULL, &own->promised, err) : code;
}

void rebali_webhook_close(struct rebali_own *own) {
  rebal_snapshot_unref(own->round_nodes);
  rebal_ledger_free(own->promised);
  own->round_nodes = NULL;
  own->promised = NULL;
}

int32_t rebali_webhook_report(struct rebali_own *own, rebal_error *err) {
  return rebali_watch_all(own->core->server, name, "pods came or went", err);
}
