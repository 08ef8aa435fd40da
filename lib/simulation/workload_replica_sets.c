/* SPDX-License-Identifier: MIT */
/* Deployments: a ReplicaSet for each template, and how one takes the place of the others. */
#include "workloads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workloads";

/* What a Deployment has and wants. */
struct rollout {
  uint32_t deployment, current; /* REBAL_NONE: no ReplicaSet has the template yet */
  struct rebali_ids sets;       /* all, the older first */
  char hash[11];
  int64_t desired, surge, unavailable;
};

/* Has it the template, under a hash of another's making? */
static int32_t has_template(rebal_simulation *simulation, const struct rollout *rollout, uint32_t set, int *out,
                            rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  const struct rebali_slice template = rebali_field(simulation, set, "spec.template");
  char hash[sizeof rollout->hash];
  struct rebali_slice plain;
  int32_t code;
  *out = 0;
  rebal_text_reset(workloads->text);
  rebal_text_reset(workloads->other);
  code = rebal_text_append(workloads->text, template.bytes, template.len, err);
  if (code == REBAL_OK) {
    code = rebali_print(workloads->other, err, "{\"metadata\":{\"labels\":{\"pod-template-hash\":null}}}");
  }
  if (code == REBAL_OK && template.len > 0) {
    code = rebali_merge_text(simulation, workloads->text, workloads->other, err);
    plain.bytes = rebal_text_bytes(workloads->text, &plain.len);
    rebali_template_hash(plain, hash);
    *out = strcmp(hash, rollout->hash) == 0;
  }
  return code;
}

static int32_t find_sets(rebal_simulation *simulation, struct rollout *rollout, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (uint32_t set = rebali_next_of(simulation, "ReplicaSet", REBAL_NONE); code == REBAL_OK && set != REBAL_NONE;
       set = rebali_next_of(simulation, "ReplicaSet", set)) {
    size_t at = rollout->sets.n;
    int is_current;
    if (!rebali_is_controlled(simulation, set, rollout->deployment)) {
      continue;
    }
    code = rebali_ids_add(&rollout->sets, set, err);
    for (; code == REBAL_OK && at > 0 && rollout->sets.list[at - 1] > set; at--) {
      rollout->sets.list[at] = rollout->sets.list[at - 1];
      rollout->sets.list[at - 1] = set;
    }
    is_current = rebali_field_is(simulation, set, "metadata.labels[\"pod-template-hash\"]", rollout->hash);
    if (code == REBAL_OK && !is_current) {
      code = has_template(simulation, rollout, set, &is_current, err);
    }
    rollout->current = is_current ? set : rollout->current;
  }
  return code;
}

/* A quarter more, rounded up, and a quarter less, rounded down; one less when both are nothing. */
static void read_limits(rebal_simulation *simulation, struct rollout *rollout) {
  const struct rebali_slice quarter = rebali_slice("25%");
  const uint32_t deployment = rollout->deployment;
  rollout->desired = rebali_integer_or(simulation, deployment, "spec.replicas", 1);
  if (rebali_field_is(simulation, deployment, "spec.strategy.type", "Recreate")) {
    rollout->unavailable = rollout->desired;
    return;
  }
  rollout->surge =
      rebali_share_of(simulation, deployment, "spec.strategy.rollingUpdate.maxSurge", quarter, rollout->desired, 1);
  rollout->unavailable = rebali_share_of(simulation, deployment, "spec.strategy.rollingUpdate.maxUnavailable", quarter,
                                         rollout->desired, 0);
  if (rollout->surge == 0 && rollout->unavailable == 0) {
    rollout->unavailable = 1;
  }
}

static int64_t replicas_of(rebal_simulation *simulation, uint32_t set) {
  return rebali_integer_or(simulation, set, "spec.replicas", 0);
}

static int64_t available_of(rebal_simulation *simulation, uint32_t set) {
  return rebali_integer_or(simulation, set, "status.availableReplicas", 0);
}

static int32_t scale(rebal_simulation *simulation, uint32_t set, int64_t replicas, const char *reason,
                     rebal_error *err) {
  rebal_text *patch = simulation->workloads->text;
  size_t len;
  const char *bytes;
  int32_t code;
  if (replicas == replicas_of(simulation, set)) {
    return REBAL_OK;
  }
  rebal_text_reset(patch);
  code = rebali_print(patch, err, "{\"spec\":{\"replicas\":%" PRId64 "}}", replicas);
  bytes = rebal_text_bytes(patch, &len);
  if (code == REBAL_OK) {
    code = rebal_store_patch(simulation->store, set, bytes, len, &simulation->now, err);
  }
  return code == REBAL_OK ? rebali_watch(simulation, set, name, reason, err) : code;
}

/* ---- the ReplicaSet of a template -------------------------------------------------------------------------------- */

static int32_t write_set(rebal_simulation *simulation, uint32_t deployment, rebal_text *out, rebal_error *err) {
  int32_t code;
  rebal_text_reset(out);
  code = rebali_print(out, err, "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"metadata\":{\"labels\":");
  if (code == REBAL_OK) {
    code = rebali_print_map(simulation, deployment, "spec.template.metadata.labels", out, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, "},\"spec\":{\"replicas\":0,\"selector\":");
  }
  if (code == REBAL_OK) {
    code = rebali_print_map(simulation, deployment, "spec.selector", out, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, ",\"template\":");
  }
  if (code == REBAL_OK) {
    code = rebali_print_map(simulation, deployment, "spec.template", out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "}}") : code;
}

static int32_t write_set_own(rebal_simulation *simulation, const struct rollout *rollout, const char *set,
                             rebal_text *out, rebal_error *err) {
  const char *hash = rollout->hash;
  int32_t code;
  rebal_text_reset(out);
  code = rebali_print_text(out, err, "{\"metadata\":{\"name\":", rebali_slice(set));
  if (code == REBAL_OK) {
    code = rebali_print(out, err, ",\"namespace\":");
  }
  if (code == REBAL_OK) {
    code = rebali_quote_field(simulation, rollout->deployment, "metadata.namespace", out, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, ",\"labels\":{\"pod-template-hash\":\"%s\"},", hash);
  }
  if (code == REBAL_OK) {
    code = rebali_print_owner(simulation, rollout->deployment, out, err);
  }
  return code == REBAL_OK
             ? rebali_print(out, err,
                            "},\"spec\":{\"selector\":{\"matchLabels\":{\"pod-template-hash\":\"%s\"}},\"template\":{"
                            "\"metadata\":{\"labels\":{\"pod-template-hash\":\"%s\"}}}}}",
                            hash, hash)
             : code;
}

static int32_t put_set(rebal_simulation *simulation, struct rollout *rollout, const char *set, const char *space,
                       rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  size_t len;
  const char *bytes;
  int32_t code = write_set(simulation, rollout->deployment, workloads->text, err);
  if (code == REBAL_OK) {
    code = write_set_own(simulation, rollout, set, workloads->other, err);
  }
  if (code == REBAL_OK) {
    code = rebali_merge_text(simulation, workloads->text, workloads->other, err);
  }
  bytes = rebal_text_bytes(workloads->text, &len);
  if (code == REBAL_OK) {
    code = rebal_store_apply(simulation->store, bytes, len, &simulation->now, err);
  }
  if (code == REBAL_OK) {
    rollout->current = rebal_store_find(simulation->store, "ReplicaSet", 10, space, strlen(space), set, strlen(set));
    code = rebali_watch(simulation, rollout->current, name, "no ReplicaSet has the template", err);
  }
  return code == REBAL_OK ? rebali_ids_add(&rollout->sets, rollout->current, err) : code;
}

static int32_t make_set(rebal_simulation *simulation, struct rollout *rollout, rebal_error *err) {
  char *space = rebali_field_copy(simulation, rollout->deployment, "metadata.namespace");
  char *base = rebali_field_copy(simulation, rollout->deployment, "metadata.name");
  rebal_text *set = NULL;
  int32_t code = space != NULL && base != NULL ? rebal_text_new(&set, err) : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = rebali_print(set, err, "%s-%s", base, rollout->hash);
  }
  if (code == REBAL_OK) {
    code = put_set(simulation, rollout, rebal_text_bytes(set, NULL), space, err);
  }
  rebal_text_free(set);
  free(space);
  free(base);
  return code;
}

/* ---- one takes the place of the others --------------------------------------------------------------------------- */

static int64_t sum(rebal_simulation *simulation, const struct rollout *rollout,
                   int64_t (*of)(rebal_simulation *, uint32_t)) {
  int64_t total = 0;
  for (size_t i = 0; i < rollout->sets.n; i++) {
    total += of(simulation, rollout->sets.list[i]);
  }
  return total;
}

static int32_t scale_current(rebal_simulation *simulation, const struct rollout *rollout, rebal_error *err) {
  const int64_t replicas = replicas_of(simulation, rollout->current);
  int64_t room = rollout->desired + rollout->surge - sum(simulation, rollout, replicas_of);
  if (replicas >= rollout->desired) {
    return scale(simulation, rollout->current, rollout->desired, "the Deployment wants so many", err);
  }
  room = room > rollout->desired - replicas ? rollout->desired - replicas : room;
  return room > 0 ? scale(simulation, rollout->current, replicas + room,
                          replicas + room == rollout->desired ? "the Deployment wants so many"
                                                              : "so many may be there beside the others",
                          err)
                  : REBAL_OK;
}

/* At most so many of the others go: those that are not available first, whatever their ReplicaSet. */
static int32_t scale_others(rebal_simulation *simulation, const struct rollout *rollout, int only_unavailable,
                            int64_t most, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && most > 0 && i < rollout->sets.n; i++) {
    const uint32_t set = rollout->sets.list[i];
    const int64_t replicas = replicas_of(simulation, set);
    int64_t less = only_unavailable ? replicas - available_of(simulation, set) : replicas;
    if (set == rollout->current || less <= 0) {
      continue;
    }
    less = less < most ? less : most;
    most -= less;
    code = scale(simulation, set, replicas - less,
                 only_unavailable ? "pods of former templates that are not available go first"
                                  : "so many are available beyond the fewest that have to be",
                 err);
  }
  return code;
}

static int32_t roll(rebal_simulation *simulation, const struct rollout *rollout, rebal_error *err) {
  const int64_t fewest = rollout->desired - rollout->unavailable;
  const int64_t coming = replicas_of(simulation, rollout->current) - available_of(simulation, rollout->current);
  const int64_t most = sum(simulation, rollout, replicas_of) - fewest - (coming > 0 ? coming : 0);
  const int32_t code = scale_others(simulation, rollout, 1, most, err);
  return code == REBAL_OK ? scale_others(simulation, rollout, 0,
                                         sum(simulation, rollout, available_of) - fewest < most
                                             ? sum(simulation, rollout, available_of) - fewest
                                             : most,
                                         err)
                          : code;
}

static int has_pods(rebal_simulation *simulation, const struct rollout *rollout) {
  for (size_t i = 0; i < rollout->sets.n; i++) {
    const uint32_t set = rollout->sets.list[i];
    if (set != rollout->current &&
        replicas_of(simulation, set) + rebali_integer_or(simulation, set, "status.replicas", 0) > 0) {
      return 1;
    }
  }
  return 0;
}

/* Recreate: the others go before the first pod of the template comes. */
static int32_t recreate(rebal_simulation *simulation, struct rollout *rollout, rebal_error *err) {
  int32_t code = scale_others(simulation, rollout, 0, INT64_MAX, err);
  if (code != REBAL_OK || has_pods(simulation, rollout)) {
    return code;
  }
  if (rollout->current == REBAL_NONE) {
    code = make_set(simulation, rollout, err);
  }
  return code == REBAL_OK ? scale_current(simulation, rollout, err) : code;
}

static int32_t update(rebal_simulation *simulation, struct rollout *rollout, rebal_error *err) {
  int32_t code = rollout->current == REBAL_NONE ? make_set(simulation, rollout, err) : REBAL_OK;
  if (code == REBAL_OK) {
    code = scale_current(simulation, rollout, err);
  }
  return code == REBAL_OK ? roll(simulation, rollout, err) : code;
}

int32_t rebali_deployment_run(rebal_simulation *simulation, uint32_t deployment, rebal_error *err) {
  struct rollout rollout = {.deployment = deployment, .current = REBAL_NONE};
  int32_t code;
  if (rebali_field_is(simulation, deployment, "spec.paused", "true")) {
    return REBAL_OK;
  }
  rebali_template_hash(rebali_field(simulation, deployment, "spec.template"), rollout.hash);
  read_limits(simulation, &rollout);
  code = find_sets(simulation, &rollout, err);
  if (code == REBAL_OK) {
    code = rebali_field_is(simulation, deployment, "spec.strategy.type", "Recreate")
               ? recreate(simulation, &rollout, err)
               : update(simulation, &rollout, err);
  }
  rebali_ids_dispose(&rollout.sets);
  return code;
}
