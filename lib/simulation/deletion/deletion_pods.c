/* SPDX-License-Identifier: MIT */
/* Pods of the store, with what their order depends on. */
#include "simulation/deletion/deletion.h"

#include <stdlib.h>
#include <string.h>

/* Reads a 32-bit integer without a plus sign or leading zeros; otherwise 0. */
static int32_t cost_of(const char *text) {
  const int is_formed = text[0] == '-' || (text[0] >= '1' && text[0] <= '9') || strcmp(text, "0") == 0;
  int64_t number = 0;
  return is_formed && rebali_integer_parse(rebali_text(text, strlen(text)), &number) && number >= INT32_MIN &&
                 number <= INT32_MAX
             ? (int32_t)number
             : 0;
}

/* Reads a text of digits; -1 if it is malformed or too large. */
static int64_t digits_of(const char *text) {
  int64_t number = 0;
  return text[strspn(text, "0123456789")] == '\0' && rebali_integer_parse(rebali_text(text, strlen(text)), &number) &&
                 number <= INT32_MAX
             ? number
             : -1;
}

static int is_sidecar(const rebal_value *spec, const char *name) {
  const rebal_value *containers = rebali_find(spec, "initContainers");
  for (size_t i = 0; i < rebal_value_count(containers); i++) {
    const rebal_value *container = rebal_value_item(containers, i);
    if (rebali_reads(rebali_find(container, "restartPolicy"), "Always") &&
        strcmp(rebali_find_text(container, "name"), name) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Returns the most restarts of one container; of: only sidecars of this spec, NULL: all containers. */
static int64_t restarts_of(const rebal_value *statuses, const rebal_value *of) {
  int64_t most = 0;
  for (size_t i = 0; i < rebal_value_count(statuses); i++) {
    const rebal_value *status = rebal_value_item(statuses, i);
    const int64_t restarts = rebali_number_or(rebali_find(status, "restartCount"), 0);
    if (restarts > most && (of == NULL || is_sidecar(of, rebali_find_text(status, "name")))) {
      most = restarts;
    }
  }
  return most;
}

static rebal_time time_of(const rebal_value *map, const char *key) {
  const char *text = rebali_find_text(map, key);
  rebal_time time = {0, 0, 0};
  (void)rebali_time_parse(text, strlen(text), &time, NULL);
  return time;
}

static void read_status(const rebal_value *spec, const rebal_value *status, struct rebali_leaver *pod) {
  const rebal_value *conditions = rebali_find(status, "conditions");
  const rebal_value *ready = rebali_condition_of(conditions, "Ready");
  const rebal_value *in_place = rebali_condition_of(conditions, "InPlaceUpdateReady");
  const char *phase = rebali_find_text(status, "phase");
  pod->is_running = strcmp(phase, "Running") == 0;
  pod->is_finished = strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0;
  pod->phase = pod->is_running ? 2 : strcmp(phase, "Unknown") == 0;
  pod->is_ready = rebali_reads(rebali_find(ready, "status"), "True");
  pod->ready_since = time_of(ready, "lastTransitionTime");
  pod->is_usable = (pod->state[0] == '\0' || strcmp(pod->state, "Normal") == 0) && pod->is_running && pod->is_ready &&
                   (in_place == NULL || rebali_reads(rebali_find(in_place, "status"), "True"));
  pod->restarts = restarts_of(rebali_find(status, "containerStatuses"), NULL);
  pod->sidecar_restarts = spec != NULL ? restarts_of(rebali_find(status, "initContainerStatuses"), spec) : 0;
}

int64_t rebali_index_of(const rebal_value *annotations) {
  return digits_of(rebali_find_text(annotations, "batch.kubernetes.io/job-completion-index"));
}

struct rebali_leaver rebali_leaver_read(struct rebali_server *reader, uint32_t object) {
  const rebal_value *tree = rebali_object(reader, object), *metadata = rebali_find(tree, "metadata");
  const rebal_value *annotations = rebali_find(metadata, "annotations"), *spec = rebali_find(tree, "spec");
  struct rebali_leaver pod = {.object = object, .tree = tree, .labels = rebali_find(metadata, "labels")};
  const char *dash;
  pod.name = rebali_find_text(metadata, "name");
  pod.uid = rebali_find_text(metadata, "uid");
  pod.node = rebali_find_text(spec, "nodeName");
  pod.revision = rebali_find_text(pod.labels, "controller-revision-hash");
  pod.state = rebali_find_text(pod.labels, "lifecycle.apps.kruise.io/state");
  pod.is_terminating = rebali_find_text(metadata, "deletionTimestamp")[0] != '\0';
  pod.created = time_of(metadata, "creationTimestamp");
  pod.cost = cost_of(rebali_find_text(annotations, "controller.kubernetes.io/pod-deletion-cost"));
  pod.index = rebali_index_of(annotations);
  dash = strrchr(pod.name, '-');
  pod.ordinal = dash != NULL ? digits_of(dash + 1) : -1;
  pod.is_specified = rebali_find(pod.labels, "apps.kruise.io/specified-delete") != NULL;
  read_status(spec, rebali_find(tree, "status"), &pod);
  return pod;
}

/* ---- ownership --------------------------------------------------------------------------------------------------- */

int rebali_is_owned(const struct rebali_leaver *pod, const char *uid, int is_controlled) {
  const rebal_value *owners = rebali_find(rebali_find(pod->tree, "metadata"), "ownerReferences");
  for (size_t i = 0; i < rebal_value_count(owners); i++) {
    const rebal_value *owner = rebal_value_item(owners, i);
    if ((!is_controlled || rebali_is_true(rebali_find(owner, "controller"))) &&
        rebali_reads(rebali_find(owner, "uid"), uid)) {
      return 1;
    }
  }
  return 0;
}

int rebali_is_held(const rebal_value *hook, const struct rebali_leaver *pod) {
  const rebal_value *finalizers = rebali_find(hook, "finalizersHandler"), *labels = rebali_find(hook, "labelsHandler");
  const rebal_value *held = rebali_find(rebali_find(pod->tree, "metadata"), "finalizers");
  for (size_t i = 0; i < rebal_value_count(finalizers); i++) {
    if (rebali_holds_text(held, rebal_value_text(rebal_value_item(finalizers, i), NULL))) {
      return 1;
    }
  }
  for (const char *key = rebal_value_next_key(labels, NULL); key != NULL; key = rebal_value_next_key(labels, key)) {
    const rebal_value *label = rebali_find(pod->labels, key);
    if (label != NULL && rebali_reads(rebali_find(labels, key), rebal_value_text(label, NULL))) {
      return 1;
    }
  }
  return 0;
}

int rebali_is_available(const struct rebali_leaver *pod, const rebal_time *now, int64_t seconds, int may_equal) {
  if (!pod->is_ready || seconds <= 0 || !pod->ready_since.is_set) {
    return pod->is_ready && seconds <= 0;
  }
  return rebali_time_left_ns(now, &pod->ready_since, seconds) < (may_equal ? 1 : 0);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

int32_t rebali_leavers_add(struct rebali_leavers *leavers, const struct rebali_leaver *pod, rebal_error *err) {
  const int32_t code = rebali_reserve_malloc(&leavers->list, &leavers->capacity, leavers->n + 1, sizeof *pod, err);
  if (code == REBAL_OK) {
    leavers->list[leavers->n++] = *pod;
  }
  return code;
}

static int compare_names(const void *left, const void *right) {
  return strcmp(((const struct rebali_leaver *)left)->name, ((const struct rebali_leaver *)right)->name);
}

int32_t rebali_leavers_read(struct rebali_deletion *pass, rebali_leaver_test *is_taken, rebal_error *err) {
  struct rebali_server *reader = pass->reader;
  const char *namespace_ = rebali_namespace_of(reader, pass->workload);
  int32_t code = REBAL_OK;
  for (uint32_t object = rebali_next_of(reader, "Pod", REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_of(reader, "Pod", object)) {
    struct rebali_leaver pod;
    if (strcmp(rebali_namespace_of(reader, object), namespace_) != 0) {
      continue;
    }
    pod = rebali_leaver_read(reader, object);
    code = is_taken(pass, &pod) ? rebali_leavers_add(&pass->pods, &pod, err) : REBAL_OK;
  }
  if (code == REBAL_OK && pass->pods.n > 1) {
    qsort(pass->pods.list, pass->pods.n, sizeof *pass->pods.list, compare_names);
  }
  return code;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static struct rebali_text text_of(const rebal_value *value) {
  size_t len;
  const char *bytes = rebal_value_text(value, &len);
  return rebali_text(bytes, len);
}

static int expression_has(const rebal_value *expression, const rebal_value *labels) {
  const rebal_value *label = rebali_find(labels, rebali_find_text(expression, "key"));
  const rebal_value *values = rebali_find(expression, "values");
  const int is_listed = label != NULL && rebali_holds_text(values, rebal_value_text(label, NULL));
  switch (rebali_operator_parse(text_of(rebali_find(expression, "operator")))) {
    case REBALI_OPERATOR_IN:
      return is_listed;
    case REBALI_OPERATOR_NOT_IN:
      return !is_listed && rebal_value_count(values) > 0;
    case REBALI_OPERATOR_EXISTS:
      return label != NULL && rebal_value_count(values) == 0;
    case REBALI_OPERATOR_DOES_NOT_EXIST:
      return label == NULL && rebal_value_count(values) == 0;
    default:
      return 0;
  }
}

int rebali_selector_has(const rebal_value *selector, const rebal_value *labels) {
  const rebal_value *wanted = rebali_find(selector, "matchLabels");
  const rebal_value *expressions = rebali_find(selector, "matchExpressions");
  int has = rebali_is_map(selector);
  for (const char *key = rebal_value_next_key(wanted, NULL); has && key != NULL;
       key = rebal_value_next_key(wanted, key)) {
    const rebal_value *label = rebali_find(labels, key);
    has = label != NULL && rebali_reads(rebali_find(wanted, key), rebal_value_text(label, NULL));
  }
  for (size_t i = 0; has && i < rebal_value_count(expressions); i++) {
    has = expression_has(rebal_value_item(expressions, i), labels);
  }
  return has;
}
