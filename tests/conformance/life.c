/* SPDX-License-Identifier: MIT */
/* The life of a workload in steps: pods are admitted, run and end, and the controller passes over them. */
#include "life.h"

#include "spreads.h"

#include <stdlib.h>
#include <string.h>

struct life {
  struct conformance *run;
  struct spreads spreads;
  const json_t *template; /* of pods */
  int with_versions;      /* of the status, each with its subsets */
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

/* Scales every workload that exists. */
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

static uint32_t find(const struct life *life, const char *kind, const char *name) {
  const char *namespace_ = text_at(life->template, "metadata.namespace");

  return rebal_store_find(life->spreads.store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
}

/* Calls take for the existing objects of the step's kind and names, until it fails. */
static int each_object(struct life *life, const json_t *step, const rebal_time *now,
                       int (*take)(struct life *life, const json_t *step, uint32_t object, const rebal_time *now)) {
  const json_t *name;
  size_t i;

  json_array_foreach(json_object_get(step, "names"), i, name) {
    const uint32_t object = find(life, text_at(step, "kind"), json_string_value(name));

    if (object != REBAL_NONE && take(life, step, object, now)) {
      return 1;
    }
  }
  return 0;
}

static int change_object(struct life *life, const json_t *step, uint32_t object, const rebal_time *now) {
  return patch(life, object, now, json_deep_copy(json_object_get(step, "patch")));
}

static int remove_object(struct life *life, const json_t *step, uint32_t object, const rebal_time *now) {
  (void)step;
  (void)now;
  return failed(life->run, rebal_store_remove(life->spreads.store, object, &life->run->err));
}

static int change(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  (void)report;
  return each_object(life, step, now, change_object);
}

static int remove_some(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  (void)report;
  return each_object(life, step, now, remove_object);
}

static int add(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  (void)report;
  (void)now;
  return spreads_load(life->run, &life->spreads, json_object_get(step, "objects"));
}

/* ---- admission ---- */

/* Admits one pod, which the status then counts; life->text is the admitted pod if it is created. */
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

/* The subset in the annotation of a pod, "" for none; a new reference. */
static json_t *placed_in(const json_t *pod) {
  const json_t *annotations = json_at(pod, "metadata.annotations");
  const char *text = json_string_value(json_object_get(annotations, "apps.kruise.io/matched-workloadspread"));
  json_t *place = text != NULL ? json_loads(text, 0, NULL) : NULL;
  json_t *subset = json_string(text_at(place, "subset"));

  json_decref(place);
  return subset;
}

/* A pod of the step's template without a name or with one, as the API server gets it. */
static json_t *draw_up(const struct life *life, const json_t *step, const char *name) {
  const json_t *own = json_object_get(step, "template");
  json_t *pod = json_deep_copy(own != NULL ? own : life->template);

  if (*text_at(pod, "metadata.generateName") == '\0') {
    (void)json_object_set_new(json_object_get(pod, "metadata"), "name", json_string(name));
  }
  return pod;
}

static int store_pod(struct life *life, json_t *pod, const char *name, const rebal_time *now) {
  (void)json_object_set_new(json_object_get(pod, "metadata"), "name", json_string(name));
  (void)json_object_set_new(json_object_get(pod, "metadata"), "creationTimestamp", json_time(now));
  (void)json_object_set_new(pod, "status", json_pack("{s:s}", "phase", "Pending"));
  return spreads_load(life->run, &life->spreads, pod);
}

static int create_pod(struct life *life, const json_t *step, const char *name, const rebal_time *now, json_t *placed) {
  json_t *pod = draw_up(life, step, name), *id = json_sprintf("uid-%s", name);
  int is_broken = 0;

  if (!boolean_at(step, "withoutAdmission")) {
    is_broken = admit(life, REBAL_OPERATION_CREATE, pod, json_string_value(id), now);
    json_decref(pod);
    pod = is_broken ? NULL : json_loads(rebal_text_bytes(life->text, NULL), 0, NULL);
  }
  json_decref(id);
  if (pod == NULL) {
    return 1;
  }
  (void)json_object_set_new(placed, name, placed_in(pod));
  is_broken = !boolean_at(step, "admissionOnly") && store_pod(life, pod, name, now);
  json_decref(pod);
  return is_broken;
}

static int create(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  json_t *placed = json_object();
  const json_t *name;
  size_t i;

  (void)json_object_set_new(report, "placed", placed);
  json_array_foreach(json_object_get(step, "pods"), i, name) {
    if (create_pod(life, step, json_string_value(name), now, placed)) {
      return 1;
    }
  }
  return 0;
}

static int request_deletion(struct life *life, uint32_t operation, uint32_t object, const rebal_time *now) {
  json_t *pod = spreads_read(&life->spreads, object);
  const int is_broken = admit(life, operation, pod, "", now);

  json_decref(pod);
  return is_broken;
}

static int delete_pod(struct life *life, const json_t *step, uint32_t object, const rebal_time *now) {
  const uint32_t operation = strcmp(text_at(step, "op"), "evict") == 0 ? REBAL_OPERATION_EVICT : REBAL_OPERATION_DELETE;

  return request_deletion(life, operation, object, now) ||
         (!boolean_at(step, "admissionOnly") && remove_object(life, step, object, now));
}

static int terminate_pod(struct life *life, const json_t *step, uint32_t object, const rebal_time *now) {
  (void)step;
  return request_deletion(life, REBAL_OPERATION_DELETE, object, now) ||
         patch(life, object, now, json_pack("{s:{s:o}}", "metadata", "deletionTimestamp", json_time(now)));
}

/* ---- events of pods ---- */

static int run_pod(struct life *life, const json_t *step, uint32_t object, const rebal_time *now) {
  const char *node = text_at(step, "node");

  return patch(life, object, now,
               json_pack("{s:{s:s}, s:{s:s, s:[{s:s, s:s, s:o}]}}", "spec", "nodeName", *node != '\0' ? node : "node-0",
                         "status", "phase", "Running", "conditions", "type", "Ready", "status", "True",
                         "lastTransitionTime", json_time(now)));
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

/* Calls event for the existing pods of the step, until it fails. */
static int each_pod(struct life *life, const json_t *step, const rebal_time *now, pod_event *event) {
  const json_t *name;
  size_t i;

  json_array_foreach(json_object_get(step, "pods"), i, name) {
    const uint32_t object = find(life, "Pod", json_string_value(name));

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

static int terminate_pods(struct life *life, const json_t *step, const rebal_time *now, json_t *report) {
  (void)report;
  return each_pod(life, step, now, terminate_pod);
}

/* ---- the controller ---- */

static void count(json_t *out, const char *member, const json_t *map) {
  if (json_object_size(map) > 0) {
    (void)json_object_set_new(out, member, json_integer((json_int_t)json_object_size(map)));
  }
}

/* A list of subsets of the status, as cases write it. */
static json_t *subsets_of(const json_t *statuses) {
  static const char *const members[] = {"name", "replicas", "missingReplicas"};
  json_t *list = json_array();
  const json_t *entry;
  size_t i;

  json_array_foreach(statuses, i, entry) {
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
  return list;
}

/* The lists of the status as the store has it. */
static void report_status(const struct life *life, json_t *report) {
  json_t *tree = spreads_read(&life->spreads, life->spreads.object), *versions = json_object();
  const json_t *statuses;
  const char *version;

  json_object_foreach((json_t *)(uintptr_t)json_at(tree, "status.versionedSubsetStatuses"), version, statuses) {
    (void)json_object_set_new(versions, version, subsets_of(statuses));
  }
  (void)json_object_set_new(report, "subsets", subsets_of(json_at(tree, "status.subsetStatuses")));
  if (life->with_versions) {
    (void)json_object_set(report, "versions", versions);
  }
  json_decref(versions);
  json_decref(tree);
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
    report_status(life, report);
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
} steps[] = {{"scale", scale},        {"create", create},
             {"running", start},      {"unschedulable", refuse},
             {"finish", finish},      {"delete", delete_pods},
             {"evict", delete_pods},  {"terminate", terminate_pods},
             {"change", change},      {"add", add},
             {"remove", remove_some}, {"reconcile", reconcile}};

static int take(struct life *life, const json_t *step, json_t *report) {
  const rebal_time now = time_at(step, "now");

  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    if (strcmp(steps[i].op, text_at(step, "op")) == 0) {
      return steps[i].take(life, step, &now, report);
    }
  }
  return fault(life->run, "unknown step") == NULL;
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

json_t *life_of(struct conformance *run, const json_t *input, int with_versions) {
  const json_t *spread = json_object_get(input, "workloadSpread");
  struct life life = {.run = run, .template = json_object_get(input, "podTemplate"), .with_versions = with_versions};
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
