/* SPDX-License-Identifier: MIT */
/* Deployments: a ReplicaSet for each template, and how a new one replaces the others. */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workloads";

/* The state of a Deployment and what it requires. */
struct rollout {
  struct rebali_own *own;
  struct rebali_server *server;
  uint32_t deployment, current; /* REBAL_NONE: no ReplicaSet has the template yet */
  struct rebali_ids sets;       /* all, oldest first */
  char hash[REBALI_HASH];
  int64_t desired, surge, unavailable;
};

static int has_label(struct rebali_server *server, uint32_t set, const char *hash) {
  return rebali_reads(rebali_find(rebali_field(server, set, "metadata.labels"), "pod-template-hash"), hash);
}

/* Tests whether a ReplicaSet has the template, under a hash made by another program. */
static int32_t has_template(const struct rollout *rollout, uint32_t set, int *out, rebal_error *err) {
  static const char label[] = "{\"metadata\":{\"labels\":{\"pod-template-hash\":null}}}";
  const rebal_value *template = rebali_field(rollout->server, set, "spec.template");
  struct rebali_buffer *text = &rollout->own->pod, *patch = &rollout->own->other;
  rebal_document *plain = NULL;
  char hash[REBALI_HASH] = "";
  int32_t code;
  *out = 0;
  if (template == NULL) {
    return REBAL_OK;
  }
  rebali_buffer_clear(text);
  rebali_buffer_clear(patch);
  rebali_print_json(text, template);
  rebali_buffer_text(patch, label);
  code = rebali_merge_text(rollout->server, text, patch, err);
  if (code == REBAL_OK) {
    code = rebal_document_read(text->bytes, text->len, rollout->server->limits, &plain, err);
  }
  if (code == REBAL_OK) {
    code = rebali_template_hash(rebal_document_value(plain, ""), hash, err);
  }
  rebal_document_free(plain);
  *out = strcmp(hash, rollout->hash) == 0;
  return code;
}

static int compare_ids(const void *left, const void *right) {
  const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
  return (one > other) - (one < other);
}

static int32_t find_sets(struct rollout *rollout, rebal_error *err) {
  struct rebali_server *server = rollout->server;
  int32_t code = REBAL_OK;
  for (uint32_t set = rebali_next_of(server, "ReplicaSet", REBAL_NONE); code == REBAL_OK && set != REBAL_NONE;
       set = rebali_next_of(server, "ReplicaSet", set)) {
    int is_current, is_orphan;
    if (rebali_controller_of(server, set, &is_orphan) != rollout->deployment) {
      continue;
    }
    code = rebali_ids_add(&rollout->sets, set, err);
    is_current = has_label(server, set, rollout->hash);
    if (code == REBAL_OK && !is_current) {
      code = has_template(rollout, set, &is_current, err);
    }
    rollout->current = is_current ? set : rollout->current;
  }
  if (rollout->sets.n > 1) {
    qsort(rollout->sets.list, rollout->sets.n, sizeof *rollout->sets.list, compare_ids);
  }
  return code;
}

static int is_recreated(const struct rollout *rollout) {
  return strcmp(rebali_field_text(rollout->server, rollout->deployment, "spec.strategy.type"), "Recreate") == 0;
}

/* Reads maxSurge and maxUnavailable; defaults: a quarter, rounded up and down. If both are 0, maxUnavailable is 1. */
static void read_limits(struct rollout *rollout) {
  struct rebali_server *server = rollout->server;
  const uint32_t deployment = rollout->deployment;
  rollout->desired = rebali_field_number(server, deployment, "spec.replicas", 1);
  if (is_recreated(rollout)) {
    rollout->unavailable = rollout->desired;
    return;
  }
  rollout->surge =
      rebali_field_share(server, deployment, "spec.strategy.rollingUpdate.maxSurge", "25%", rollout->desired, 1);
  rollout->unavailable =
      rebali_field_share(server, deployment, "spec.strategy.rollingUpdate.maxUnavailable", "25%", rollout->desired, 0);
  if (rollout->surge == 0 && rollout->unavailable == 0) {
    rollout->unavailable = 1;
  }
}

static int64_t replicas_of(struct rebali_server *server, uint32_t set) {
  return rebali_field_number(server, set, "spec.replicas", 0);
}

static int64_t available_of(struct rebali_server *server, uint32_t set) {
  return rebali_field_number(server, set, "status.availableReplicas", 0);
}

static int32_t scale(const struct rollout *rollout, uint32_t set, int64_t replicas, const char *reason,
                     rebal_error *err) {
  struct rebali_buffer *patch = &rollout->own->other;
  int32_t code;
  if (replicas == replicas_of(rollout->server, set)) {
    return REBAL_OK;
  }
  rebali_buffer_clear(patch);
  rebali_buffer_format(patch, "{\"spec\":{\"replicas\":%" PRId64 "}}", replicas);
  code = rebali_patch(rollout->server, set, patch, err);
  return code == REBAL_OK ? rebali_watch(rollout->server, set, name, reason, err) : code;
}

/* ---- the ReplicaSet of a template -------------------------------------------------------------------------------- */

static void print_map(struct rebali_buffer *out, const char *before, const rebal_value *map) {
  rebali_buffer_text(out, before);
  if (rebali_is_map(map)) {
    rebali_print_json(out, map);
  } else {
    rebali_buffer_text(out, "{}");
  }
}

static void print_set(const struct rollout *rollout, struct rebali_buffer *out) {
  const rebal_value *spec = rebali_field(rollout->server, rollout->deployment, "spec");
  const rebal_value *template = rebali_find(spec, "template");
  rebali_buffer_clear(out);
  print_map(out, "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"metadata\":{\"labels\":",
            rebali_find(rebali_find(template, "metadata"), "labels"));
  print_map(out, "},\"spec\":{\"replicas\":0,\"selector\":", rebali_find(spec, "selector"));
  print_map(out, ",\"template\":", template);
  rebali_buffer_text(out, "}}");
}

static void print_set_own(const struct rollout *rollout, const char *set, struct rebali_buffer *out) {
  const char *hash = rollout->hash;
  rebali_buffer_clear(out);
  rebali_buffer_text(out, "{\"metadata\":{\"name\":");
  rebali_print_text(out, set);
  rebali_print_member(out, "namespace", rebali_namespace_of(rollout->server, rollout->deployment));
  rebali_buffer_format(out, ",\"labels\":{\"pod-template-hash\":\"%s\"}", hash);
  rebali_print_owner(rollout->server, rollout->deployment, out);
  rebali_buffer_format(out,
                       "},\"spec\":{\"selector\":{\"matchLabels\":{\"pod-template-hash\":\"%s\"}},\"template\":{"
                       "\"metadata\":{\"labels\":{\"pod-template-hash\":\"%s\"}}}}}",
                       hash, hash);
}

static int32_t make_set(struct rollout *rollout, rebal_error *err) {
  struct rebali_own *own = rollout->own;
  struct rebali_buffer set = REBALI_BUFFER;
  int32_t code;
  rebali_buffer_format(&set, "%s-%s", rebali_name_of(rollout->server, rollout->deployment), rollout->hash);
  if (set.failed) {
    return rebali_fail_memory(err);
  }
  print_set(rollout, &own->pod);
  print_set_own(rollout, set.bytes, &own->other);
  code = rebali_merge_text(rollout->server, &own->pod, &own->other, err);
  if (code == REBAL_OK) {
    code = rebali_apply(rollout->server, &own->pod, err);
  }
  if (code == REBAL_OK) {
    rollout->current = rebali_find_object(rollout->server, "ReplicaSet",
                                          rebali_namespace_of(rollout->server, rollout->deployment), set.bytes);
    code = rebali_watch(rollout->server, rollout->current, name, "no ReplicaSet has the template", err);
  }
  rebali_buffer_dispose(&set);
  return code == REBAL_OK ? rebali_ids_add(&rollout->sets, rollout->current, err) : code;
}

/* ---- replacement ------------------------------------------------------------------------------------------------- */

static int64_t sum(const struct rollout *rollout, int64_t (*of)(struct rebali_server *, uint32_t)) {
  int64_t total = 0;
  for (size_t i = 0; i < rollout->sets.n; i++) {
    total += of(rollout->server, rollout->sets.list[i]);
  }
  return total;
}

static int32_t scale_current(const struct rollout *rollout, rebal_error *err) {
  const int64_t replicas = replicas_of(rollout->server, rollout->current);
  int64_t headroom = rollout->desired + rollout->surge - sum(rollout, replicas_of);
  if (replicas >= rollout->desired) {
    return scale(rollout, rollout->current, rollout->desired, "the replicas of the Deployment", err);
  }
  headroom = headroom > rollout->desired - replicas ? rollout->desired - replicas : headroom;
  return headroom > 0 ? scale(rollout, rollout->current, replicas + headroom,
                              replicas + headroom == rollout->desired ? "the replicas of the Deployment"
                                                                      : "as many as maxSurge allows beside the others",
                              err)
                      : REBAL_OK;
}

/* Removes at most this many pods of the other ReplicaSets, unavailable ones first. */
static int32_t scale_others(const struct rollout *rollout, int only_unavailable, int64_t most, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && most > 0 && i < rollout->sets.n; i++) {
    const uint32_t set = rollout->sets.list[i];
    const int64_t replicas = replicas_of(rollout->server, set);
    int64_t less = only_unavailable ? replicas - available_of(rollout->server, set) : replicas;
    if (set == rollout->current || less <= 0) {
      continue;
    }
    less = less < most ? less : most;
    most -= less;
    code = scale(rollout, set, replicas - less,
                 only_unavailable ? "unavailable pods of former templates are removed first"
                                  : "as many as are available above the minimum",
                 err);
  }
  return code;
}

static int32_t roll(const struct rollout *rollout, rebal_error *err) {
  const int64_t fewest = rollout->desired - rollout->unavailable;
  const int64_t coming =
      replicas_of(rollout->server, rollout->current) - available_of(rollout->server, rollout->current);
  const int64_t most = sum(rollout, replicas_of) - fewest - (coming > 0 ? coming : 0);
  const int32_t code = scale_others(rollout, 1, most, err);
  const int64_t spare = sum(rollout, available_of) - fewest;
  return code == REBAL_OK ? scale_others(rollout, 0, spare < most ? spare : most, err) : code;
}

static int has_pods(const struct rollout *rollout) {
  for (size_t i = 0; i < rollout->sets.n; i++) {
    const uint32_t set = rollout->sets.list[i];
    if (set != rollout->current &&
        replicas_of(rollout->server, set) + rebali_field_number(rollout->server, set, "status.replicas", 0) > 0) {
      return 1;
    }
  }
  return 0;
}

/* Recreate: all old pods are removed before the first pod of the template is created. */
static int32_t recreate(struct rollout *rollout, rebal_error *err) {
  int32_t code = scale_others(rollout, 0, INT64_MAX, err);
  if (code != REBAL_OK || has_pods(rollout)) {
    return code;
  }
  if (rollout->current == REBAL_NONE) {
    code = make_set(rollout, err);
  }
  return code == REBAL_OK ? scale_current(rollout, err) : code;
}

static int32_t update(struct rollout *rollout, rebal_error *err) {
  int32_t code = rollout->current == REBAL_NONE ? make_set(rollout, err) : REBAL_OK;
  if (code == REBAL_OK) {
    code = scale_current(rollout, err);
  }
  return code == REBAL_OK ? roll(rollout, err) : code;
}

/* Must be disposed of, also after an error. */
static int32_t read_rollout(struct rebali_own *own, uint32_t deployment, struct rollout *out, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  int32_t code;
  *out = (struct rollout){.own = own, .server = server, .deployment = deployment, .current = REBAL_NONE};
  code = rebali_template_hash(rebali_field(server, deployment, "spec.template"), out->hash, err);
  read_limits(out);
  return code == REBAL_OK ? find_sets(out, err) : code;
}

int32_t rebali_deployment_set(struct rebali_own *own, uint32_t deployment, uint32_t *out, rebal_error *err) {
  struct rollout rollout;
  int32_t code = read_rollout(own, deployment, &rollout, err);
  if (code == REBAL_OK && rollout.current == REBAL_NONE) {
    code = make_set(&rollout, err);
  }
  *out = rollout.current;
  rebali_ids_dispose(&rollout.sets);
  return code;
}

int32_t rebali_deployment_run(struct rebali_own *own, uint32_t deployment, rebal_error *err) {
  struct rollout rollout;
  int32_t code;
  if (rebali_is_true(rebali_field(own->core->server, deployment, "spec.paused"))) {
    return REBAL_OK;
  }
  code = read_rollout(own, deployment, &rollout, err);
  if (code == REBAL_OK) {
    code = is_recreated(&rollout) ? recreate(&rollout, err) : update(&rollout, err);
  }
  rebali_ids_dispose(&rollout.sets);
  return code;
}

int32_t rebali_deployment_report(struct rebali_own *own, uint32_t deployment, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  struct rebali_pod_counts counts = {0, 0, 0, NULL};
  char hash[REBALI_HASH] = "";
  const int32_t code = rebali_template_hash(rebali_field(server, deployment, "spec.template"), hash, err);
  for (uint32_t set = rebali_next_of(server, "ReplicaSet", REBAL_NONE); set != REBAL_NONE;
       set = rebali_next_of(server, "ReplicaSet", set)) {
    int is_orphan;
    if (rebali_controller_of(server, set, &is_orphan) == deployment) {
      const int64_t replicas = rebali_field_number(server, set, "status.replicas", 0);
      counts.replicas += replicas;
      counts.ready += rebali_field_number(server, set, "status.readyReplicas", 0);
      counts.updated += has_label(server, set, hash) ? replicas : 0;
    }
  }
  return code == REBAL_OK ? rebali_counts_write(own, deployment, &counts, err) : code;
}
