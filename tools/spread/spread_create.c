/* SPDX-License-Identifier: MIT */
/* Pods that a workload creates, one after the other, each admitted by the WorkloadSpreads of its namespace. */
#include "spread/spread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 512

/* What new pods are made of. */
struct maker {
  struct story *story;
  uint32_t owner;                /* the workload, of a Deployment its ReplicaSet */
  const char *name, *namespace_; /* of the owner */
  int is_ordinal;                /* pods are numbered, as a StatefulSet does */
  uint64_t next;                 /* number of the next name that is tried */
  uint64_t created;
};

static const char *owner_text(const struct maker *maker, const char *path) {
  return story_text(maker->story->world, maker->owner, path);
}

static int is_taken(const struct maker *maker, const char *name) {
  return rebal_store_find(maker->story->world->store, "Pod", 3, maker->namespace_, strlen(maker->namespace_), name,
                          strlen(name)) != REBAL_NONE;
}

/* The next free name: numbered, or with five letters as the API server gives, which are counted here. */
static void make_name(struct maker *maker, char *name) {
  static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
  do {
    uint64_t number = maker->next++;
    char suffix[6] = "";
    if (maker->is_ordinal) {
      (void)snprintf(name, MAX_NAME, "%s-%" PRIu64, maker->name, number);
      continue;
    }
    for (size_t i = 5; i-- > 0; number /= sizeof letters - 1) {
      suffix[i] = letters[number % (sizeof letters - 1)];
    }
    (void)snprintf(name, MAX_NAME, "%s-%s", maker->name, suffix);
  } while (is_taken(maker, name));
}

/* What a controller adds to the template; "" is left out. */
static void write_additions(const struct maker *maker, const char *name, struct report *report) {
  char prefix[MAX_NAME];
  report_map(report, NULL);
  report_text(report, "apiVersion", "v1");
  report_text(report, "kind", "Pod");
  report_map(report, "metadata");
  if (maker->is_ordinal) {
    report_text(report, "name", name);
  } else {
    (void)snprintf(prefix, sizeof prefix, "%s-", maker->name);
    report_text(report, "generateName", prefix);
  }
  report_text(report, "namespace", maker->namespace_);
  if (owner_text(maker, "status.updateRevision")[0] != '\0') {
    report_map(report, "labels");
    report_text(report, "controller-revision-hash", owner_text(maker, "status.updateRevision"));
    report_map_end(report);
  }
  report_owner(report, maker->story->world, maker->owner);
  report_map_end(report);
  report_map_end(report);
}

static enum status make_pod(const struct maker *maker, const char *name, struct output *pod) {
  struct report additions;
  enum status status = report_open(&additions);
  if (status == STATUS_DONE) {
    write_additions(maker, name, &additions);
    status = merge(owner_text(maker, "spec.template"), &additions.text, pod);
  }
  report_close(&additions);
  return status;
}

/* Puts an admitted pod into the store, under its name. */
static enum status store_pod(const struct maker *maker, const char *name, const char *admitted) {
  const struct world *world = maker->story->world;
  rebal_error err = REBAL_ERROR_INIT;
  struct report patch;
  struct output pod;
  enum status status = output_open(&pod);
  if (status != STATUS_DONE) {
    return status;
  }
  status = report_open(&patch);
  if (status == STATUS_DONE) {
    report_map(&patch, NULL);
    report_map(&patch, "metadata");
    report_text(&patch, "name", name);
    report_map_end(&patch);
    report_map_end(&patch);
    status = merge(admitted, &patch.text, &pod);
  }
  if (status == STATUS_DONE) {
    size_t len;
    const char *bytes = rebal_text_bytes(pod.text, &len);
    status = rebal_store_apply(world->store, bytes, len, &world->options->now, &err) == REBAL_OK
                 ? STATUS_DONE
                 : complain_of_call(&err);
  }
  report_close(&patch);
  output_close(&pod);
  return status;
}

static enum status create_pod(struct maker *maker, struct step *step, struct output *pod, struct output *admitted) {
  struct story *story = maker->story;
  char name[MAX_NAME], id[MAX_NAME + 4];
  enum status status;
  make_name(maker, name);
  (void)snprintf(id, sizeof id, "uid-%s", name);
  status = make_pod(maker, name, pod);
  if (status == STATUS_DONE) {
    status = story_admit(story, step, REBAL_OPERATION_CREATE, pod, id, admitted);
  }
  if (status != STATUS_DONE) {
    return status;
  }
  step->admitted[step->n_admitted - 1].name = keep(story, name);
  if (story->is_refused) {
    return STATUS_DONE;
  }
  maker->created++;
  return store_pod(maker, name, rebal_text_bytes(admitted->text, NULL));
}

/* One that is refused is the last one. */
static enum status create_pods(struct maker *maker, struct step *step, uint64_t n) {
  struct output pod, admitted;
  enum status status = output_open(&pod);
  if (status != STATUS_DONE) {
    return status;
  }
  status = output_open(&admitted);
  for (uint64_t i = 0; status == STATUS_DONE && i < n && (i == 0 || !maker->story->is_refused); i++) {
    rebal_text_reset(pod.text);
    rebal_text_reset(admitted.text);
    status = create_pod(maker, step, &pod, &admitted);
  }
  output_close(&admitted);
  output_close(&pod);
  return status;
}

/* ---- the nodes that the option spread-simulation asks ---- */

/* Nodes of the feed's own cluster have no pods. */
static int32_t open_nodes(struct story *story, rebal_error *err) {
  static const char cluster[] = "nodes";
  const struct world *world = story->world;
  int64_t is_simulated = 0;
  int32_t code = REBAL_OK;
  (void)rebal_compat_get(world->options->compat, REBAL_OPTION_SPREAD_SIMULATION, &is_simulated, NULL);
  if (!is_simulated || rebal_store_next(world->store, "Node", 4, REBAL_NONE) == REBAL_NONE) {
    return REBAL_OK;
  }
  if (story->nodes == REBAL_NONE) {
    code = rebal_fleet_add_cluster(world->fleet, cluster, sizeof cluster - 1, &story->nodes, err);
  }
  if (code == REBAL_OK) {
    code = rebal_store_feed_member(world->store, world->fleet, story->nodes, NULL, err);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(world->fleet, &story->room, err);
  }
  return code == REBAL_OK ? rebal_ledger_new(world->fleet, NULL, &story->promised, err) : code;
}

static void close_nodes(struct story *story) {
  rebal_snapshot_unref(story->room);
  rebal_ledger_free(story->promised);
  story->room = NULL;
  story->promised = NULL;
}

static enum status create_in_room(struct maker *maker, struct step *step, uint64_t n) {
  rebal_error err = REBAL_ERROR_INIT;
  const enum status status =
      open_nodes(maker->story, &err) == REBAL_OK ? create_pods(maker, step, n) : complain_of_call(&err);
  close_nodes(maker->story);
  return status;
}

enum status story_create(struct story *story, uint32_t object, uint64_t n) {
  struct maker maker = {.story = story};
  struct step *step;
  uint32_t workload;
  enum status status = workload_of(story, object, &workload, &maker.owner);
  if (status != STATUS_DONE) {
    return status;
  }
  if (owner_text(&maker, "spec.template")[0] == '\0') {
    return complain_of_object(story->world, workload, "spec.template", "pods are made of it, and it is not there");
  }
  maker.name = text_of(story, maker.owner, "metadata.name");
  maker.namespace_ = text_of(story, maker.owner, "metadata.namespace");
  maker.is_ordinal = is_kind(story, workload, "StatefulSet");
  step = step_begin(story, object, "");
  if (step == NULL) {
    return complain_of_memory();
  }
  status = create_in_room(&maker, step, n);
  step_count(story, step, maker.created, "created");
  return status;
}
