/* SPDX-License-Identifier: MIT */
/* The life of a workload in steps: pods are admitted, run and go, and the controller passes over them. */
#include "cases.h"

#include "spreads.h"

#include <stdlib.h>
#include <string.h>

struct life {
  struct conformance *run;
  struct spreads spreads;
  const json_t *template; /* of pods */
  rebal_text *text;       /* scratch */
};

/* ---- objects ---- */

static int patch(const struct life *life, uint32_t object, const rebal_time *now, json_t *changes) {
  char *text = json_dumps(changes, JSON_COMPACT);
  const int32_t code = rebal_store_patch(life->spreads.store, object, text, strlen(text), now, &life->run->err);

  free(text);
  json_decref(changes);
  return failed(life->run, code);
}

/* Every workload that there is. */
static int scale(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  static const char *const kinds[][2] = {{"Deployment", "replicas"},
                                         {"ReplicaSet", "replicas"},
                                         {"CloneSet", "replicas"},
                                         {"StatefulSet", "replicas"},
                                         {"Job", "parallelism"}};

  (void)report;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const rebal_store *store = life->spreads.store;
    const size_t len = strlen(kinds[i][0]);

    for (uint32_t object = rebal_store_next(store, kinds[i][0], len, REBAL_NONE); object != REBAL_NONE;
         object = rebal_store_next(store, kinds[i][0], len, object)) {
      const json_int_t replicas = (json_int_t)integer_at(step, "replicas", 0);

      if (patch(life, object, now, json_pack("{s:{s:I}}", "spec", kinds[i][1], replicas))) {
        return 1;
      }
    }
  }
  return 0;
}

static uint32_t find_pod(const struct life *life, const char *name) {
  const char *namespace_ = text_at(life->template, "metadata.namespace");

  return rebal_store_find(life->spreads.store, "Pod", 3, namespace_, strlen(namespace_), name, strlen(name));
}

/* ---- admission ---- */

/* Asks for one pod, whose place the status then has; life->text is what becomes of a pod that is created. */
static int admit(struct life *life, uint32_t operation, const json_t *pod, const char *id, const rebal_time *now) {
  struct conformance *run = life->run;
  char *text = json_dumps(pod, JSON_COMPACT);
  int32_t code = rebal_spread_feed_update(life->spreads.feed, &run->err);

  rebal_text_reset(life->text);
  if (code == REBAL_OK) {
    code = rebal_spread_feed_admit(
        run->ctx, life->spreads.feed,
        &(rebal_pod_request){sizeof(rebal_pod_request), operation, text, strlen(text), id, strlen(id)}, now, NULL,
        run->result, life->text, &run->err);
  }
  free(text);
  return failed(run, code) || spreads_carry_out(run, &life->spreads, now);
}

/* The subset that was chosen, "" for none. */
static const char *chosen(const struct life *life) {
  const rebal_spread *spread = rebal_spread_feed_spread(life->spreads.feed, life->spreads.object);
  const int64_t subset = rebal_result_i64(life->run->result, REBAL_ADMITTED_SUBSET, NULL)[0];

  return subset != REBAL_ABSENT ? rebal_spread_subset_name(spread, (uint32_t)subset, NULL)
                                : rebal_result_text(life->run->result, REBAL_ADMITTED_SUBSET_NAME, 0, NULL);
}

static int create_pod(struct life *life, const char *name, const rebal_time *now, json_t *placed) {
  json_t *pod = json_deep_copy(life->template), *id = json_sprintf("uid-%s", name);
  int is_broken;

  if (*text_at(pod, "metadata.generateName") == '\0') {
    (void)json_object_set_new(json_object_get(pod, "metadata"), "name", json_string(name));
  }
  is_broken = admit(life, REBAL_OPERATION_CREATE, pod, json_string_value(id), now);
  json_decref(id);
  json_decref(pod);
  pod = is_broken ? NULL : json_loads(rebal_text_bytes(life->text, NULL), 0, NULL);
  if (pod == NULL) {
    return 1;
  }
  (void)json_object_set_new(placed, name, json_string(chosen(life)));
  (void)json_object_set_new(json_object_get(pod, "metadata"), "name", json_string(name));
  (void)json_object_set_new(json_object_get(pod, "metadata"), "creationTimestamp", json_time(now));
  (void)json_object_set_new(pod, "status", json_pack("{s:s}", "phase", "Pending"));
  is_broken = spreads_load(life->run, &life->spreads, pod);
  json_decref(pod);
  return is_broken;
}

static int create(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  json_t *placed = json_object();
  const json_t *name;
  size_t i;

  (void)json_object_set_new(report, "placed", placed);
  json_array_foreach(json_object_get(step, "pods"), i, name) {
    if (create_pod(life, json_string_value(name), now, placed)) {
      return 1;
    }
  }
  return 0;
}

static int delete_pod(struct life *life, const json_t *step, uint32_t object, const rebal_time *now) {
  json_t *pod = spreads_read(&life->spreads, object);
  const int is_broken = admit(life, REBAL_OPERATION_DELETE, pod, "", now);

  json_decref(pod);
  return is_broken || (!boolean_at(step, "admissionOnly") &&
                       failed(life->run, rebal_store_remove(life->spreads.store, object, &life->run->err)));
}

/* ---- what happens to pods ---- */

static int run_pod(struct life *life, const json_t *step, uint32_t object, const rebal_time *now) {
  (void)step;
  return patch(
      life, object, now,
      json_pack("{s:{s:s}, s:{s:s, s:[{s:s, s:s, s:o}]}}", "spec", "nodeName", "node-0", "status", "phase", "Running",
                "conditions", "type", "Ready", "status", "True", "lastTransitionTime", json_time(now)));
}

static int refuse_pod(struct life *life, const json_t *step, uint32_t object, const rebal_time *now) {
  (void)step;
  return patch(life, object, now,
               json_pack("{s:{s:[{s:s, s:s, s:s, s:o}]}}", "status", "conditions", "type", "PodScheduled", "status",
                         "False", "reason", "Unschedulable", "lastTransitionTime", json_time(now)));
}

static int finish_pod(struct life *life, const json_t *step, uint32_t object, const rebal_time *now) {
  return patch(life, object, now, json_pack("{s:{s:s}}", "status", "phase", text_at(step, "phase")));
}

typedef int pod_event(struct life *life, const json_t *step, uint32_t object, const rebal_time *now);

/* Those of the step that are there. */
static int each_pod(struct life *life, const json_t *step, const rebal_time *now, pod_event *event) {
  const json_t *name;
  size_t i;

  json_array_foreach(json_object_get(step, "pods"), i, name) {
    const uint32_t object = find_pod(life, json_string_value(name));

    if (object != REBAL_NONE && event(life, step, object, now)) {
      return 1;
    }
  }
  return 0;
}

static int start(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  (void)report;
  return each_pod(life, step, now, run_pod);
}

static int refuse(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  (void)report;
  return each_pod(life, step, now, refuse_pod);
}

static int finish(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  (void)report;
  return each_pod(life, step, now, finish_pod);
}

static int delete_pods(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  (void)report;
  return each_pod(life, step, now, delete_pod);
}

/* ---- the controller ---- */

static void count(json_t *out, const char *member, const json_t *map) {
  if (json_object_size(map) > 0) {
    (void)json_object_set_new(out, member, json_integer((json_int_t)json_object_size(map)));
  }
}

/* The overall list of the status as the store has it. */
static json_t *subsets_of(const struct life *life) {
  static const char *const members[] = {"name", "replicas", "missingReplicas"};
  json_t *tree = spreads_read(&life->spreads, life->spreads.object), *list = json_array();
  const json_t *entry;
  size_t i;

  json_array_foreach(json_at(tree, "status.subsetStatuses"), i, entry) {
    const json_t *condition = json_array_get(json_object_get(entry, "conditions"), 0);
    json_t *subset = json_object();

    for (size_t j = 0; j < sizeof members / sizeof members[0]; j++) {
      (void)json_object_set(subset, members[j], json_object_get(entry, members[j]));
    }
    count(subset, "creating", json_object_get(entry, "creatingPods"));
    count(subset, "deleting", json_object_get(entry, "deletingPods"));
    if (condition != NULL) {
      (void)json_object_set(subset, "schedulable", json_object_get(condition, "status"));
    }
    (void)json_array_append_new(list, subset);
  }
  json_decref(tree);
  return list;
}

static json_t *costs_of(const struct life *life) {
  static const char path[] = "metadata.annotations[\"controller.kubernetes.io/pod-deletion-cost\"]";
  rebal_store *store = life->spreads.store;
  json_t *costs = json_object();
  rebal_text *text = NULL;

  if (rebal_text_new(&text, NULL) != REBAL_OK) {
    return costs;
  }
  for (uint32_t object = rebal_store_next(store, "Pod", 3, REBAL_NONE); object != REBAL_NONE;
       object = rebal_store_next(store, "Pod", 3, object)) {
    rebal_text_reset(text);
    if (rebal_store_text(store, object, path, sizeof path - 1, text, NULL) == REBAL_OK) {
      (void)json_object_set_new(costs, rebal_store_identity(store, object, REBAL_IDENTITY_NAME, NULL),
                                json_string(rebal_text_bytes(text, NULL)));
    }
  }
  rebal_text_free(text);
  return costs;
}

/* Names of the pods that the pass deleted, sorted. */
static json_t *deleted_of(const json_t *pods) {
  json_t *deleted = json_array();
  const char *name;
  json_t *pod;

  json_object_foreach((json_t *)(uintptr_t)pods, name, pod) {
    if (boolean_at(pod, "deleted")) {
      size_t place = 0;

      while (place < json_array_size(deleted) && strcmp(json_string_value(json_array_get(deleted, place)), name) < 0) {
        place++;
      }
      (void)json_array_insert_new(deleted, place, json_string(name));
    }
  }
  return deleted;
}

static int reconcile(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  json_t *pods = json_object(), *deleted;
  const int is_broken = spreads_reconcile(life->run, &life->spreads, now, pods);

  (void)step;
  deleted = deleted_of(pods);
  if (!is_broken) {
    (void)json_object_set_new(report, "subsets", subsets_of(life));
    (void)json_object_set_new(report, "deletionCost", costs_of(life));
    (void)spreads_report(life->run, report);
  }
  if (json_array_size(deleted) > 0) {
    (void)json_object_set(report, "deleted", deleted);
  }
  json_decref(deleted);
  json_decref(pods);
  return is_broken;
}

/* ---- steps ---- */

static const struct {
  const char *op;
  int (*take)(struct life *life, const json_t *step, const rebal_time *now, json_t *report);
} steps[] = {{"scale", scale},   {"create", create},      {"running", start},      {"unschedulable", refuse},
             {"finish", finish}, {"delete", delete_pods}, {"reconcile", reconcile}};

static int take(struct life *life, const json_t *step, json_t *report) {
  const rebal_time now = time_at(step, "now");

  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    if (strcmp(steps[i].op, text_at(step, "op")) == 0) {
      return steps[i].take(life, step, &now, report);
    }
  }
  return fault(life->run, "the step is not known") == NULL;
}

static json_t *live(struct life *life, const json_t *input) {
  json_t *reports = json_array();
  const json_t *step;
  size_t i;

  json_array_foreach(json_object_get(input, "steps"), i, step) {
    json_t *report = json_object();
    const int is_broken = take(life, step, report);

    (void)json_array_append_new(reports, report);
    if (is_broken) {
      json_decref(reports);
      return NULL;
    }
  }
  return json_pack("{s:o}", "steps", reports);
}

json_t *case_sequence(struct conformance *run, const json_t *input) {
  const json_t *spread = json_object_get(input, "workloadSpread");
  struct life life = {.run = run, .template = json_object_get(input, "podTemplate"), .text = NULL};
  json_t *outcome = NULL;

  run->orders_itself = 1;
  if (!spreads_open(run, &life.spreads) && !spreads_load(run, &life.spreads, json_object_get(input, "objects")) &&
      !spreads_load(run, &life.spreads, spread) && !failed(run, rebal_text_new(&life.text, &run->err))) {
    life.spreads.object = spreads_find(&life.spreads, spread);
    outcome = live(&life, input);
  }
  rebal_result_reset(run->result);
  rebal_text_free(life.text);
  spreads_dispose(&life.spreads);
  return outcome;
}
