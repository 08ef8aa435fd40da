/* SPDX-License-Identifier: MIT */
/* The policy that the binding follows, and why it was selected. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

struct followed {
  uint32_t policy; /* REBAL_NONE: not in the files */
  uint32_t precision;
  int is_claimed;
};

/* The workload of a binding; REBAL_NONE: not in the files. */
static uint32_t find_workload(const struct world *world, uint32_t binding) {
  const char *kind = world_text(world, binding, "spec.resource.kind");
  const char *namespace_ = world_text(world, binding, "spec.resource.namespace");
  const char *name = world_text(world, binding, "spec.resource.name");
  const uint32_t found =
      rebal_store_find(world->store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
  return found != REBAL_NONE && strcmp(world_text(world, found, "apiVersion"),
                                       world_text(world, binding, "spec.resource.apiVersion")) == 0
             ? found
             : REBAL_NONE;
}

static int has_claim(const struct world *world, uint32_t workload, uint32_t policy) {
  const char *claimed = world_text(world, policy, "metadata.namespace")[0] != '\0'
                            ? "metadata.annotations[\"propagationpolicy.karmada.io/name\"]"
                            : "metadata.annotations[\"clusterpropagationpolicy.karmada.io/name\"]";
  return strcmp(world_text(world, workload, claimed), world_text(world, policy, "metadata.name")) == 0;
}

static enum status follow(const struct world *world, uint32_t binding, struct followed *followed) {
  const uint32_t workload = find_workload(world, binding);
  rebal_detector_row row = {.struct_size = sizeof row, .policy = REBAL_NONE};
  rebal_error err = REBAL_ERROR_INIT;
  *followed = (struct followed){REBAL_NONE, REBAL_PRECISION_NONE, 0};
  if (workload == REBAL_NONE) {
    return STATUS_DONE;
  }
  if (rebal_detector_look(world->detector, workload, &row, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  if (row.policy == REBAL_NONE) {
    return STATUS_DONE;
  }
  if (rebal_detector_match(world->detector, row.policy, workload, &followed->precision, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  followed->policy = row.policy;
  followed->is_claimed = has_claim(world, workload, row.policy);
  return STATUS_DONE;
}

static const char *precision_name(const struct followed *followed) {
  return rebal_enum_name(REBAL_ENUM_PRECISION, followed->precision, NULL);
}

/* Absent: 0. */
static int64_t priority_of(const struct world *world, const struct followed *followed) {
  return strtoll(world_text(world, followed->policy, "spec.priority"), NULL, 10);
}

enum status explain_put_policy(const struct world *world, uint32_t binding, struct output *line) {
  struct followed followed;
  const enum status status = follow(world, binding, &followed);
  if (status != STATUS_DONE || followed.policy == REBAL_NONE) {
    return status;
  }
  put(line, "Policy: ");
  put_object(line, world, followed.policy);
  put(line, ", priority ");
  put_integer(line, priority_of(world, &followed));
  put(line, followed.precision == REBAL_PRECISION_ALL ? ", selects " : ", selects by ");
  put(line, precision_name(&followed));
  put(line, followed.precision == REBAL_PRECISION_ALL ? " of its kind" : "");
  put(line, followed.is_claimed ? ", has claimed the workload" : "");
  return STATUS_DONE;
}

enum status explain_report_policy(const struct world *world, uint32_t binding, struct report *report) {
  struct followed followed;
  const enum status status = follow(world, binding, &followed);
  if (status != STATUS_DONE || followed.policy == REBAL_NONE) {
    return status;
  }
  report_map(report, "policy");
  report_text(report, "kind", world_text(world, followed.policy, "kind"));
  report_text(report, "namespace", world_text(world, followed.policy, "metadata.namespace"));
  report_text(report, "name", world_text(world, followed.policy, "metadata.name"));
  report_integer(report, "priority", priority_of(world, &followed));
  report_text(report, "selects", precision_name(&followed));
  report_boolean(report, "claimed", followed.is_claimed);
  report_map_end(report);
  return STATUS_DONE;
}
