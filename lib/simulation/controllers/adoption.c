/* SPDX-License-Identifier: MIT */
/* A ReplicaSet adopts pods without a controller that its selector matches, and releases those it no longer matches. */
#include "simulation/controllers/controllers.h"
#include "simulation/deletion/deletion.h"

static const char name[] = "workloads";

struct claim {
  struct rebali_own *own;
  uint32_t set;
  uint64_t since; /* pods that changed later are examined */
};

static int is_matched(const struct claim *claim, uint32_t object, const char *labels) {
  struct rebali_server *server = claim->own->core->server;
  return rebali_selector_has(rebali_field(server, claim->set, "spec.selector"), rebali_field(server, object, labels));
}

/* Finds the pods of a list that the selector does or does not match. */
static int32_t find(const struct claim *claim, const struct rebali_pods *pods, int wanted, struct rebali_ids *out,
                    rebal_error *err) {
  struct rebali_server *server = claim->own->core->server;
  const char *namespace_ = rebali_namespace_of(server, claim->set);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && pods != NULL && i < pods->n; i++) {
    const struct rebali_pod *pod = &pods->list[i];
    if (pod->read > claim->since && !pod->is_gone && !pod->is_done &&
        strcmp(rebali_namespace_of(server, pod->object), namespace_) == 0 &&
        is_matched(claim, pod->object, "metadata.labels") == wanted) {
      code = rebali_ids_add(out, pod->object, err);
    }
  }
  return code;
}

/* Prints its references without the one to the ReplicaSet, which is added last if the pod is adopted. */
static void print_patch(const struct claim *claim, uint32_t pod, int is_adopted, struct rebali_buffer *out) {
  struct rebali_server *server = claim->own->core->server;
  const char *uid = rebali_field_text(server, claim->set, "metadata.uid"), *comma = "";
  const rebal_value *references = rebali_field(server, pod, "metadata.ownerReferences");
  rebali_buffer_clear(out);
  rebali_buffer_text(out, "{\"metadata\":{\"ownerReferences\":[");
  for (size_t i = 0; i < rebal_value_count(references); i++) {
    const rebal_value *reference = rebal_value_item(references, i);
    if (!rebali_reads(rebali_find(reference, "uid"), uid)) {
      rebali_buffer_text(out, comma);
      rebali_print_json(out, reference);
      comma = ",";
    }
  }
  if (is_adopted) {
    rebali_buffer_text(out, comma);
    rebali_print_reference(server, claim->set, out);
  }
  rebali_buffer_text(out, "]}}");
}

static int32_t patch(const struct claim *claim, uint32_t pod, int is_adopted, rebal_error *err) {
  struct rebali_server *server = claim->own->core->server;
  struct rebali_buffer *out = &claim->own->other;
  int32_t code;
  print_patch(claim, pod, is_adopted, out);
  code = out->failed ? rebali_fail_memory(err) : rebali_patch(server, pod, out, err);
  return code == REBAL_OK ? rebali_watch_quietly(server, pod, err) : code;
}

static int32_t adopt(const struct claim *claim, uint32_t pod, rebal_error *err) {
  const int32_t code = patch(claim, pod, 1, err);
  return code == REBAL_OK ? rebali_pod_log_add(claim->own, name, pod, "adopted", "the selector matches its labels", err)
                          : code;
}

/* Releases a pod; the log names its former owner. */
static int32_t release(const struct claim *claim, uint32_t pod, rebal_error *err) {
  const int32_t code =
      rebali_pod_log_add(claim->own, name, pod, "released", "the selector does not match its labels", err);
  return code == REBAL_OK ? patch(claim, pod, 0, err) : code;
}

static int32_t each(const struct claim *claim, const struct rebali_ids *pods,
                    int32_t (*run)(const struct claim *claim, uint32_t pod, rebal_error *err), rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < pods->n; i++) {
    code = run(claim, pods->list[i], err);
  }
  return code;
}

int32_t rebali_replica_set_claim(struct rebali_own *own, uint32_t set, rebal_error *err) {
  struct rebali_owner *owner = rebali_owner(own, set, err);
  struct claim claim = {.own = own, .set = set};
  struct rebali_ids strangers = {NULL, 0, 0}, orphans = {NULL, 0, 0};
  int32_t code = owner != NULL ? REBAL_OK : REBAL_ENOMEM;
  if (code != REBAL_OK || rebali_field(own->core->server, set, "spec.selector") == NULL) {
    return code;
  }
  claim.since = owner->claimed;
  owner->claimed = own->seen;
  /* the API refuses a template that the selector does not match: its pods would be released forever */
  if (is_matched(&claim, set, "spec.template.metadata.labels")) {
    code = find(&claim, &owner->pods, 0, &strangers, err);
  }
  if (code == REBAL_OK) {
    code = find(&claim, &own->loose, 1, &orphans, err);
  }
  if (code == REBAL_OK) {
    code = each(&claim, &strangers, release, err);
  }
  if (code == REBAL_OK) {
    code = each(&claim, &orphans, adopt, err);
  }
  if (code == REBAL_OK && strangers.n + orphans.n > 0) {
    code = rebali_own_update(own, err);
  }
  rebali_ids_dispose(&strangers);
  rebali_ids_dispose(&orphans);
  return code;
}
