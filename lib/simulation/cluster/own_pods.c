/* SPDX-License-Identifier: MIT */
/* Pods of workloads as objects of the store: their owners, creation from a template, deletion. */
#include "simulation/cluster/own.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workloads";

/* Letters that distinguish pods of one owner. */
#define LETTERS 5

/* ---- owners ------------------------------------------------------------------------------------------------------ */

/* Searches the namespace, then the cluster scope, where objects of unknown kinds may be. */
uint32_t rebali_controller_of(struct rebali_server *server, uint32_t object, int *is_orphan) {
  const rebal_value *reference = rebali_reference_of(server, object);
  const char *kind = rebali_find_text(reference, "kind"), *owner = rebali_find_text(reference, "name");
  uint32_t found;
  *is_orphan = 0;
  if (reference == NULL) {
    return REBAL_NONE;
  }
  found = rebali_find_object(server, kind, rebali_namespace_of(server, object), owner);
  found = found != REBAL_NONE ? found : rebali_find_object(server, kind, "", owner);
  if (found != REBAL_NONE &&
      strcmp(rebali_field_text(server, found, "metadata.uid"), rebali_find_text(reference, "uid")) == 0) {
    return found;
  }
  *is_orphan = 1;
  return REBAL_NONE;
}

void rebali_print_reference(struct rebali_server *server, uint32_t owner, struct rebali_buffer *out) {
  rebali_buffer_text(out, "{\"apiVersion\":");
  rebali_print_text(out, rebal_store_identity(server->store, owner, REBAL_IDENTITY_API_VERSION, NULL));
  rebali_print_member(out, "kind", rebali_kind_of(server, owner));
  rebali_print_member(out, "name", rebali_name_of(server, owner));
  rebali_print_member(out, "uid", rebali_field_text(server, owner, "metadata.uid"));
  rebali_buffer_text(out, ",\"controller\":true,\"blockOwnerDeletion\":true}");
}

void rebali_print_owner(struct rebali_server *server, uint32_t owner, struct rebali_buffer *out) {
  rebali_buffer_text(out, ",\"ownerReferences\":[");
  rebali_print_reference(server, owner, out);
  rebali_buffer_text(out, "]");
}

/* ---- templates --------------------------------------------------------------------------------------------------- */

/* FNV-1a of 64 bits, in the alphabet that Kubernetes uses for hashes. */
int32_t rebali_template_hash(const rebal_value *template, char out[REBALI_HASH], rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  uint64_t hash;
  rebali_print_json(&text, template);
  hash = rebali_fnv1a64(REBALI_FNV1A64, rebali_printed(&text), text.len);
  for (size_t i = 0; i < REBALI_HASH - 1; i++) {
    out[i] = rebali_hash_letter(hash);
    hash /= REBALI_HASH_LETTERS;
  }
  out[REBALI_HASH - 1] = '\0';
  const int32_t code = text.failed ? rebali_fail_memory(err) : REBAL_OK;
  rebali_buffer_dispose(&text);
  return code;
}

/* A status older than the spec is about a former template. */
int32_t rebali_revision_remember(struct rebali_own *own, uint32_t workload, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  struct rebali_owner *owner = rebali_owner(own, workload, err);
  const rebal_value *object = rebali_object(server, workload), *status = rebali_find(object, "status");
  const char *revision = rebali_find_text(status, "updateRevision");
  const int64_t generation = rebali_number_or(rebali_find(rebali_find(object, "metadata"), "generation"), 0);
  struct rebali_buffer first = REBALI_BUFFER;
  char hash[REBALI_HASH] = "";
  int32_t code = owner != NULL ? REBAL_OK : REBAL_ENOMEM;
  if (code != REBAL_OK || owner->revision != NULL) {
    return code;
  }
  if (rebali_number_or(rebali_find(status, "observedGeneration"), generation) >= generation) {
    code = rebali_template_hash(rebali_find(rebali_find(object, "spec"), "template"), hash, err);
    rebali_buffer_format(&first, "%s%s", hash, revision);
  }
  owner->revision = code == REBAL_OK && !first.failed ? rebali_text_copy(rebali_printed(&first)) : NULL;
  rebali_buffer_dispose(&first);
  return code == REBAL_OK && owner->revision == NULL ? rebali_fail_memory(err) : code;
}

int32_t rebali_revision_of(struct rebali_own *own, uint32_t workload, struct rebali_revision *out, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  const struct rebali_owner *owner = rebali_row_find(&own->owners, workload);
  char hash[REBALI_HASH];
  const int32_t code = rebali_template_hash(rebali_field(server, workload, "spec.template"), hash, err);
  const int is_first = owner != NULL && owner->revision != NULL && strncmp(owner->revision, hash, REBALI_HASH - 1) == 0;
  const char *stated = is_first ? owner->revision + REBALI_HASH - 1 : "";
  out->has_unlabelled = is_first && stated[0] == '\0';
  if (stated[0] != '\0') {
    (void)snprintf(out->text, sizeof out->text, "%s", stated);
  } else {
    (void)snprintf(out->text, sizeof out->text, "%.52s-%s", rebali_name_of(server, workload), hash);
  }
  return code;
}

int rebali_revision_has(const struct rebali_revision *revision, const struct rebali_pod *pod) {
  return revision->text[0] == '\0' || strcmp(pod->revision, revision->text) == 0 ||
         (revision->has_unlabelled && pod->revision[0] == '\0');
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void print_map(struct rebali_buffer *out, const rebal_value *map) {
  if (rebali_is_map(map)) {
    rebali_print_json(out, map);
  } else {
    rebali_buffer_text(out, "{}");
  }
}

/* Prints a template as a pod without a name. */
static void print_template(struct rebali_buffer *out, const rebal_value *template) {
  rebali_buffer_clear(out);
  rebali_buffer_text(out, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":");
  print_map(out, rebali_find(template, "metadata"));
  rebali_buffer_text(out, ",\"spec\":");
  print_map(out, rebali_find(template, "spec"));
  rebali_buffer_text(out, ",\"status\":{\"phase\":\"Pending\"}}");
}

/* Prints the name of the owner, the number before the letters, and aaaaa, aaaab, ... */
static void print_counted(const char *owner, const struct rebali_pod_plan *plan, uint64_t n,
                          struct rebali_buffer *out) {
  char letters[LETTERS + 1] = "";
  for (size_t i = LETTERS; i-- > 0; n /= 26) {
    letters[i] = (char)('a' + n % 26);
  }
  rebali_buffer_clear(out);
  rebali_buffer_format(out, "%s-", owner);
  if (plan->is_indexed) {
    rebali_buffer_format(out, "%" PRId64 "-", plan->ordinal);
  }
  rebali_buffer_text(out, letters);
}

/* Names a pod by its owner and a number, or by the next letters that no pod of the scenario has. */
static int32_t name_pod(struct rebali_own *own, const struct rebali_pod_plan *plan, const char *namespace_,
                        struct rebali_buffer *out, rebal_error *err) {
  const struct rebali_server *server = own->core->server;
  const char *owner_name = rebali_name_of(server, plan->owner);
  struct rebali_owner *owner = rebali_owner(own, plan->owner, err);
  if (owner == NULL) {
    return REBAL_ENOMEM;
  }
  if (plan->ordinal >= 0 && !plan->is_indexed) {
    rebali_buffer_format(out, "%s-%" PRId64, owner_name, plan->ordinal);
  } else {
    do {
      print_counted(owner_name, plan, owner->named++, out);
    } while (!out->failed && rebali_find_object(server, "Pod", namespace_, out->bytes) != REBAL_NONE);
  }
  return out->failed ? rebali_fail_memory(err) : REBAL_OK;
}

/* Prints what a pod has besides its template; without its name if that is given later. */
static void print_own(struct rebali_own *own, const struct rebali_pod_plan *plan, const char *pod,
                      const char *namespace_, struct rebali_buffer *out) {
  rebali_buffer_clear(out);
  rebali_buffer_format(out, "{\"metadata\":{\"uid\":\"pod-%" PRIu64 "\"", ++own->made);
  rebali_print_member(out, "namespace", namespace_);
  if (plan->is_named) {
    rebali_print_member(out, "name", pod);
  } else {
    char *base = rebali_text_copy(pod);
    if (base != NULL) {
      base[strlen(pod) - LETTERS] = '\0';
      rebali_print_member(out, "generateName", base);
    }
    out->failed |= base == NULL;
    free(base);
  }
  if (plan->is_indexed) {
    static const char key[] = "batch.kubernetes.io/job-completion-index";
    rebali_buffer_format(out, ",\"labels\":{\"%s\":\"%" PRId64 "\"},\"annotations\":{\"%s\":\"%" PRId64 "\"}", key,
                         plan->ordinal, key, plan->ordinal);
  }
  if (plan->revision != NULL) {
    rebali_buffer_text(out, ",\"labels\":{\"controller-revision-hash\":");
    rebali_print_text(out, plan->revision);
    if (plan->ordinal >= 0) {
      rebali_print_member(out, "statefulset.kubernetes.io/pod-name", pod);
    }
    rebali_buffer_text(out, "}");
  }
  rebali_print_owner(own->core->server, plan->owner, out);
  rebali_buffer_text(out, "}}");
}

static int32_t give_name(struct rebali_own *own, const char *pod, rebal_error *err) {
  rebali_buffer_clear(&own->other);
  rebali_buffer_text(&own->other, "{\"metadata\":{\"name\":");
  rebali_print_text(&own->other, pod);
  rebali_buffer_text(&own->other, "}}");
  return rebali_merge_text(own->core->server, &own->pod, &own->other, err);
}

/* Applies the pod in own->pod. */
static int32_t put_pod(struct rebali_own *own, const char *pod, const char *namespace_,
                       const struct rebali_pod_admission *admission, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  int32_t code = rebali_apply(server, &own->pod, err);
  const uint32_t object = rebali_find_object(server, "Pod", namespace_, pod);
  if (code == REBAL_OK) {
    code = rebali_admission_end(own, object, namespace_, pod, 0, err);
  }
  if (code == REBAL_OK) {
    code = rebali_watch_quietly(server, object, err);
  }
  return code == REBAL_OK ? rebali_pod_log_add(own, name, object, rebali_printed(&admission->change),
                                               rebali_printed(&admission->reason), err)
                          : code;
}

/* Lets the owner retry after one second, then two, and so on up to a quarter of an hour. */
static int32_t put_off(struct rebali_own *own, uint32_t object, rebal_error *err) {
  struct rebali_owner *owner = rebali_row_find(&own->owners, object);
  const int64_t seconds = INT64_C(1) << (owner->attempts < 10 ? owner->attempts : 10);
  owner->attempts++;
  return rebali_timer_set(&own->retries, object, rebali_time_after(&own->core->server->now, seconds * REBALI_SECOND_NS),
                          err);
}

static int32_t report_refused(struct rebali_own *own, uint32_t owner, const char *pod, const char *namespace_,
                              const char *refusal, rebal_error *err) {
  int32_t code;
  rebali_admission_set(own, REBALI_ADMISSION_MESSAGE, refusal);
  code = rebali_admission_end(own, REBAL_NONE, namespace_, pod, 1, err);
  if (code == REBAL_OK) {
    code = rebali_pod_log_report(own, err);
  }
  if (code == REBAL_OK) {
    code = rebali_log_report(own->core->server, REBAL_LOG_KIND_NOTE, name, owner, "a pod was refused", refusal, err);
  }
  return code == REBAL_OK ? put_off(own, owner, err) : code;
}

static int32_t make_admitted(struct rebali_own *own, const struct rebali_pod_plan *plan, const char *pod,
                             const char *namespace_, struct rebali_pod_admission *admission, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  char *id = malloc(strlen(pod) + 5);
  int32_t code = id != NULL ? REBAL_OK : rebali_fail_memory(err);
  rebali_buffer_text(&admission->change, "created");
  rebali_buffer_text(&admission->reason, plan->reason);
  print_template(&own->pod, rebali_field(server, plan->owner, "spec.template"));
  print_own(own, plan, pod, namespace_, &own->other);
  if (code == REBAL_OK) {
    code = rebali_merge_text(server, &own->pod, &own->other, err);
  }
  if (code == REBAL_OK) {
    (void)snprintf(id, strlen(pod) + 5, "uid-%s", pod);
    rebali_admission_begin(own, REBAL_OPERATION_CREATE, plan->owner, own->pod.bytes);
    code = rebali_own_admit(own, namespace_, id, admission, err);
  }
  free(id);
  if (code == REBAL_OK && (admission->change.failed || admission->reason.failed || admission->refusal.failed)) {
    code = rebali_fail_memory(err);
  }
  if (code != REBAL_OK || admission->is_refused) {
    return code == REBAL_OK
               ? report_refused(own, plan->owner, pod, namespace_, rebali_printed(&admission->refusal), err)
               : code;
  }
  rebali_admission_set(own, REBALI_ADMISSION_AFTER, own->pod.bytes);
  ((struct rebali_owner *)rebali_row_find(&own->owners, plan->owner))->attempts = 0;
  if (!plan->is_named) {
    code = give_name(own, pod, err);
  }
  return code == REBAL_OK ? put_pod(own, pod, namespace_, admission, err) : code;
}

static int32_t make_one(struct rebali_own *own, const struct rebali_pod_plan *plan, rebal_error *err) {
  struct rebali_pod_admission admission = {REBALI_BUFFER, REBALI_BUFFER, REBALI_BUFFER, 0};
  const char *namespace_ = rebali_namespace_of(own->core->server, plan->owner);
  struct rebali_buffer pod = REBALI_BUFFER;
  int32_t code;
  namespace_ = namespace_[0] != '\0' ? namespace_ : "default";
  code = name_pod(own, plan, namespace_, &pod, err);
  if (code == REBAL_OK) {
    code = make_admitted(own, plan, pod.bytes, namespace_, &admission, err);
  }
  rebali_buffer_dispose(&pod);
  rebali_buffer_dispose(&admission.change);
  rebali_buffer_dispose(&admission.reason);
  rebali_buffer_dispose(&admission.refusal);
  return code;
}

/* Counts the pods; called only if there may be too many. */
static size_t count_pods(const struct rebali_server *server) {
  size_t n = 0;
  for (uint32_t object = rebali_next_of(server, "Pod", REBAL_NONE); object != REBAL_NONE;
       object = rebali_next_of(server, "Pod", object)) {
    n++;
  }
  return n;
}

int32_t rebali_pod_make(struct rebali_own *own, const struct rebali_pod_plan *plan, rebal_error *err) {
  if (rebali_timer_of(&own->retries, plan->owner).is_set) {
    return REBAL_OK;
  }
  if (own->most >= own->max_pods) {
    own->most = count_pods(own->core->server);
  }
  if (own->most >= own->max_pods) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "workloads have at most %zu pods (maxPods)", own->max_pods);
  }
  own->most++;
  return make_one(own, plan, err);
}

/* ---- deletion ---------------------------------------------------------------------------------------------------- */

int32_t rebali_pod_delete(struct rebali_own *own, uint32_t object, const char *controller, const char *reason,
                          rebal_error *err) {
  struct rebali_pod *pod = rebali_own_pod(own, object);
  int32_t code;
  if (pod != NULL) {
    pod->is_gone = 1;
  }
  code = rebali_pod_log_add(own, controller, object, "deleted", reason, err);
  if (code == REBAL_OK) {
    code = rebali_own_admit_delete(own, object, err);
  }
  return code == REBAL_OK ? rebali_remove_quietly(own->core->server, object, err) : code;
}
