/* SPDX-License-Identifier: MIT */
/* Pods of workloads in the store: listed, made of a template, deleted. */
#include "workloads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workloads";

/* That tell pods of one owner apart. */
#define LETTERS 5

/* ---- listed ------------------------------------------------------------------------------------------------------ */

static void read_ready(rebal_simulation *simulation, struct rebali_owned_pod *pod) {
  const struct rebali_slice conditions = rebali_field(simulation, pod->object, "status.conditions");
  struct rebali_slice item, since;
  size_t at = 0;
  while (rebali_cursor_kind(conditions) == REBALI_JSON_LIST && rebali_cursor_item(conditions, &at, &item)) {
    if (!rebali_slice_is(rebali_cursor_find(item, "type"), "\"Ready\"")) {
      continue;
    }
    pod->is_ready = rebali_slice_is(rebali_cursor_find(item, "status"), "\"True\"");
    since = rebali_cursor_find(item, "lastTransitionTime");
    if (since.len > 2) {
      (void)rebali_time_parse(since.bytes + 1, since.len - 2, &pod->ready_since, NULL);
    }
    return;
  }
}

static void read_restarts(rebal_simulation *simulation, struct rebali_owned_pod *pod) {
  const struct rebali_slice statuses = rebali_field(simulation, pod->object, "status.containerStatuses");
  struct rebali_slice item;
  size_t at = 0;
  int64_t restarts;
  while (rebali_cursor_kind(statuses) == REBALI_JSON_LIST && rebali_cursor_item(statuses, &at, &item)) {
    if (rebali_cursor_integer(rebali_cursor_find(item, "restartCount"), &restarts) && restarts > pod->restarts) {
      pod->restarts = restarts;
    }
  }
}

static int64_t ordinal_of(struct rebali_slice pod) {
  size_t digits = pod.len;
  int64_t number;
  while (digits > 0 && pod.bytes[digits - 1] >= '0' && pod.bytes[digits - 1] <= '9') {
    digits--;
  }
  return digits > 0 && pod.bytes[digits - 1] == '-' &&
                 rebali_cursor_integer((struct rebali_slice){pod.bytes + digits, pod.len - digits}, &number)
             ? number
             : -1;
}

static void read_rest(rebal_simulation *simulation, struct rebali_owned_pod *pod) {
  static const char cost[] = "metadata.annotations[\"controller.kubernetes.io/pod-deletion-cost\"]";
  struct rebali_slice text = rebali_field(simulation, pod->object, "metadata.labels[\"controller-revision-hash\"]");
  (void)snprintf(pod->revision, sizeof pod->revision, "%.*s", REBALI_SLICE(text));
  pod->cost = rebali_integer_or(simulation, pod->object, cost, 0);
  pod->has_node = rebali_field(simulation, pod->object, "spec.nodeName").len > 0;
  pod->ordinal = ordinal_of(rebali_field(simulation, pod->object, "metadata.name"));
  text = rebali_field(simulation, pod->object, "metadata.creationTimestamp");
  (void)rebali_time_parse(text.bytes, text.len, &pod->created, NULL);
  text = rebali_field(simulation, pod->object, "status.phase");
  pod->phase = rebali_slice_is(text, "Running") ? 2 : rebali_slice_is(text, "Unknown");
  pod->is_done = rebali_slice_is(text, "Succeeded") || rebali_slice_is(text, "Failed");
}

static int32_t add(rebal_simulation *simulation, uint32_t object, struct rebali_owned_pods *out, rebal_error *err) {
  struct rebali_owned_pod pod = {.object = object, .owner = REBAL_NONE};
  size_t at = out->n;
  int32_t code = rebali_make_room(&out->list, &out->capacity, out->n + 1, sizeof *out->list, err);
  if (code == REBAL_OK) {
    code = rebali_controller_of(simulation, object, &pod.owner, &pod.is_orphan, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  read_ready(simulation, &pod);
  read_restarts(simulation, &pod);
  read_rest(simulation, &pod);
  for (; at > 0 && out->list[at - 1].object > object; at--) {
    out->list[at] = out->list[at - 1];
  }
  out->list[at] = pod;
  out->n++;
  return REBAL_OK;
}

int32_t rebali_owned_pods_list(rebal_simulation *simulation, struct rebali_owned_pods *out, rebal_error *err) {
  int32_t code = REBAL_OK;
  out->n = 0;
  for (uint32_t object = rebali_next_of(simulation, "Pod", REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_of(simulation, "Pod", object)) {
    code = add(simulation, object, out, err);
  }
  return code;
}

void rebali_owned_pods_dispose(struct rebali_owned_pods *pods) {
  free(pods->list);
  *pods = (struct rebali_owned_pods){NULL, 0, 0};
}

int rebali_pod_is_of(const struct rebali_owned_pod *pod, uint32_t owner) {
  return pod->owner == owner && !pod->is_gone && !pod->is_done;
}

/* ---- made -------------------------------------------------------------------------------------------------------- */

/* The text of a template as a pod that has no name yet. */
static int32_t write_template(rebal_simulation *simulation, uint32_t owner, rebal_text *out, rebal_error *err) {
  int32_t code;
  rebal_text_reset(out);
  code = rebali_print(out, err, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":");
  if (code == REBAL_OK) {
    code = rebali_print_map(simulation, owner, "spec.template.metadata", out, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, ",\"spec\":");
  }
  if (code == REBAL_OK) {
    code = rebali_print_map(simulation, owner, "spec.template.spec", out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, ",\"status\":{\"phase\":\"Pending\"}}") : code;
}

/* aaaaa, aaaab, ... for the pods that an owner made. */
static void count_letters(uint64_t n, char *out) {
  for (size_t i = LETTERS; i-- > 0; n /= 26) {
    out[i] = (char)('a' + n % 26);
  }
  out[LETTERS] = '\0';
}

/* From malloc; NULL without memory. */
static char *name_pod(rebal_simulation *simulation, const struct rebali_pod_plan *plan) {
  struct rebali_tracked *tracked = rebali_track(simulation, plan->owner);
  char *owner = rebali_field_copy(simulation, plan->owner, "metadata.name");
  char *pod = owner != NULL && tracked != NULL ? malloc(strlen(owner) + 24) : NULL;
  char letters[LETTERS + 1];
  if (pod != NULL && plan->ordinal >= 0) {
    (void)snprintf(pod, strlen(owner) + 24, "%s-%" PRId64, owner, plan->ordinal);
  } else if (pod != NULL) {
    count_letters(tracked->pods_made++, letters);
    (void)snprintf(pod, strlen(owner) + 24, "%s-%s", owner, letters);
  }
  free(owner);
  return pod;
}

static int32_t write_labels(const struct rebali_pod_plan *plan, const char *pod, rebal_text *out, rebal_error *err) {
  int32_t code;
  if (plan->revision == NULL) {
    return REBAL_OK;
  }
  code = rebali_print_text(out, err, ",\"labels\":{\"controller-revision-hash\":", rebali_slice(plan->revision));
  if (code == REBAL_OK && plan->ordinal >= 0) {
    code = rebali_print_text(out, err, ",\"statefulset.kubernetes.io/pod-name\":", rebali_slice(pod));
  }
  return code == REBAL_OK ? rebali_print(out, err, "}") : code;
}

/* What one pod has beside its template; without its name where it gets that later. */
static int32_t write_own(rebal_simulation *simulation, const struct rebali_pod_plan *plan, const char *pod,
                         const char *space, rebal_text *out, rebal_error *err) {
  int32_t code;
  rebal_text_reset(out);
  code = rebali_print(out, err, "{\"metadata\":{\"uid\":\"pod-%" PRIu64 "\"", ++simulation->workloads->made);
  if (code == REBAL_OK) {
    code = rebali_print_text(out, err, ",\"namespace\":", rebali_slice(space));
  }
  if (code == REBAL_OK) {
    code = plan->is_named
               ? rebali_print_text(out, err, ",\"name\":", rebali_slice(pod))
               : rebali_print_text(out, err, ",\"generateName\":", (struct rebali_slice){pod, strlen(pod) - LETTERS});
  }
  if (code == REBAL_OK) {
    code = write_labels(plan, pod, out, err);
  }
  if (code == REBAL_OK) {
    code = rebali_print(out, err, ",");
  }
  if (code == REBAL_OK) {
    code = rebali_print_owner(simulation, plan->owner, out, err);
  }
  return code == REBAL_OK ? rebali_print(out, err, "}}") : code;
}

static int32_t give_name(rebal_simulation *simulation, const char *pod, rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  int32_t code;
  rebal_text_reset(workloads->other);
  code = rebali_print_text(workloads->other, err, "{\"metadata\":{\"name\":", rebali_slice(pod));
  if (code == REBAL_OK) {
    code = rebali_print(workloads->other, err, "}}");
  }
  return code == REBAL_OK ? rebali_merge_text(simulation, workloads->text, workloads->other, err) : code;
}

/* The pod stands in workloads->text. */
static int32_t put_pod(rebal_simulation *simulation, const char *pod, const char *space,
                       const struct rebali_pod_admission *admission, rebal_error *err) {
  size_t len;
  const char *bytes = rebal_text_bytes(simulation->workloads->text, &len);
  int32_t code = rebal_store_apply(simulation->store, bytes, len, &simulation->now, err);
  const uint32_t object = rebal_store_find(simulation->store, "Pod", 3, space, strlen(space), pod, strlen(pod));
  if (code == REBAL_OK) {
    code = rebali_watch_quietly(simulation, object, err);
  }
  return code == REBAL_OK ? rebali_news_add(simulation, name, object, rebal_text_bytes(admission->change, NULL),
                                            rebal_text_bytes(admission->reason, NULL), err)
                          : code;
}

/* Its owner tries again a second later, then two, and so on up to a quarter of an hour. */
static void put_off(rebal_simulation *simulation, uint32_t owner) {
  struct rebali_tracked *tracked = &simulation->tracked[owner];
  const int64_t seconds = INT64_C(1) << (tracked->attempts < 10 ? tracked->attempts : 10);
  tracked->attempts++;
  rebali_timer_set(simulation, REBALI_TIMER_OWNER, owner,
                   rebali_time_after(&simulation->now, seconds * REBALI_SECOND_NS));
}

static int32_t tell_refusal(rebal_simulation *simulation, uint32_t owner, const char *refusal, rebal_error *err) {
  char *label = rebali_object_label(simulation, owner);
  int32_t code = label != NULL ? rebali_news_tell(simulation, err) : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_NOTE, name, label, "a pod was refused", refusal, err);
  }
  put_off(simulation, owner);
  free(label);
  return code;
}

/* As the API server does it: the webhook, then what it knows itself. */
static int32_t admit(rebal_simulation *simulation, const char *pod, const char *space,
                     struct rebali_pod_admission *admission, rebal_error *err) {
  rebal_text *id = NULL;
  int32_t code = rebali_priority_admit(simulation, admission, err);
  if (code == REBAL_OK && !admission->is_refused && rebali_has_spreads(simulation)) {
    code = rebal_text_new(&id, err);
    if (code == REBAL_OK) {
      code = rebali_print(id, err, "uid-%s", pod);
    }
    if (code == REBAL_OK) {
      code = rebali_webhook_create(simulation, space, rebal_text_bytes(id, NULL), admission, err);
    }
    if (code == REBAL_OK && !admission->is_refused) {
      code = rebali_priority_admit(simulation, admission, err);
    }
  }
  rebal_text_free(id);
  return code;
}

static int32_t make_admitted(rebal_simulation *simulation, const struct rebali_pod_plan *plan, const char *pod,
                             const char *space, struct rebali_pod_admission *admission, rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  int32_t code = rebali_print(admission->change, err, "created");
  if (code == REBAL_OK) {
    code = rebali_print(admission->reason, err, "%s", plan->reason);
  }
  if (code == REBAL_OK) {
    code = write_template(simulation, plan->owner, workloads->text, err);
  }
  if (code == REBAL_OK) {
    code = write_own(simulation, plan, pod, space, workloads->other, err);
  }
  if (code == REBAL_OK) {
    code = rebali_merge_text(simulation, workloads->text, workloads->other, err);
  }
  if (code == REBAL_OK) {
    code = admit(simulation, pod, space, admission, err);
  }
  if (code != REBAL_OK || admission->is_refused) {
    return code == REBAL_OK ? tell_refusal(simulation, plan->owner, rebal_text_bytes(admission->refusal, NULL), err)
                            : code;
  }
  simulation->tracked[plan->owner].attempts = 0;
  if (!plan->is_named) {
    code = give_name(simulation, pod, err);
  }
  return code == REBAL_OK ? put_pod(simulation, pod, space, admission, err) : code;
}

static int32_t make_named(rebal_simulation *simulation, const struct rebali_pod_plan *plan, const char *pod,
                          const char *space, rebal_error *err) {
  struct rebali_pod_admission admission = {NULL, NULL, NULL, 0};
  int32_t code = rebal_text_new(&admission.change, err);
  if (code == REBAL_OK) {
    code = rebal_text_new(&admission.reason, err);
  }
  if (code == REBAL_OK) {
    code = rebal_text_new(&admission.refusal, err);
  }
  if (code == REBAL_OK) {
    code = make_admitted(simulation, plan, pod, space, &admission, err);
  }
  rebal_text_free(admission.change);
  rebal_text_free(admission.reason);
  rebal_text_free(admission.refusal);
  return code;
}

static int32_t make_one(rebal_simulation *simulation, const struct rebali_pod_plan *plan, rebal_error *err) {
  char *pod = name_pod(simulation, plan);
  const struct rebali_slice owner = rebali_field(simulation, plan->owner, "metadata.namespace");
  char *space = owner.len > 0 ? rebali_bytes_copy(owner.bytes, owner.len) : rebali_bytes_copy("default", 7);
  const int32_t code =
      pod != NULL && space != NULL ? make_named(simulation, plan, pod, space, err) : rebali_fail_memory(err);
  free(pod);
  free(space);
  return code;
}

/* One more pod; they are counted only when there may be too many. */
static int32_t count_one(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_workloads *workloads = simulation->workloads;
  const size_t limit = rebali_max_pods(simulation);
  if (workloads->most >= limit) {
    workloads->most = 0;
    for (uint32_t object = rebali_next_of(simulation, "Pod", REBAL_NONE); object != REBAL_NONE;
         object = rebali_next_of(simulation, "Pod", object)) {
      workloads->most++;
    }
  }
  if (workloads->most >= limit) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "workloads have at most %zu pods (maxPods)", limit);
  }
  workloads->most++;
  return REBAL_OK;
}

int32_t rebali_pod_make(rebal_simulation *simulation, const struct rebali_pod_plan *plan, rebal_error *err) {
  const struct rebali_tracked *tracked = rebali_track(simulation, plan->owner);
  int32_t code;
  if (tracked == NULL) {
    return rebali_fail_memory(err);
  }
  if (tracked->due[REBALI_TIMER_OWNER].is_set) {
    return REBAL_OK;
  }
  code = count_one(simulation, err);
  return code == REBAL_OK ? make_one(simulation, plan, err) : code;
}

/* ---- deleted ----------------------------------------------------------------------------------------------------- */

int32_t rebali_pod_delete(rebal_simulation *simulation, uint32_t object, const char *controller, const char *reason,
                          rebal_error *err) {
  int32_t code = rebali_news_add(simulation, controller, object, "deleted", reason, err);
  if (code == REBAL_OK && rebali_has_spreads(simulation)) {
    code = rebali_webhook_delete(simulation, object, err);
  }
  return code == REBAL_OK ? rebali_remove_quietly(simulation, object, err) : code;
}
