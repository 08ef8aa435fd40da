/* SPDX-License-Identifier: MIT */
/* What happens to the pods of a WorkloadSpread: passes of its controller, and what its workload does. */
#include "spread/spread.h"

#include <stdlib.h>
#include <string.h>

/* The library names the object in front of what is wrong: "WorkloadSpread default/shop: ". */
enum status complain_of_step(const struct story *story, const rebal_error *err) {
  struct output name;
  uint32_t object = REBAL_NONE;
  int is_told = 0;
  if (output_open(&name) != STATUS_DONE) {
    return STATUS_INPUT;
  }
  while (!is_told && story->files == NULL &&
         (object = rebal_store_next(story->world->store, "", 0, object)) != REBAL_NONE) {
    size_t len;
    const char *bytes;
    put_object(&name, story->world, object);
    put(&name, ": ");
    bytes = rebal_text_bytes(name.text, &len);
    is_told = strncmp(err->message, bytes, len) == 0;
    if (is_told) {
      (void)complain_of_object(story->world, object, err->field, err->message + len);
    }
    rebal_text_reset(name.text);
  }
  output_close(&name);
  return is_told ? STATUS_INPUT : complain_of_call(err);
}

enum status story_open_feed(struct story *story) {
  static const char cluster[] = "cluster"; /* the one that the objects are in */
  struct world *world = story->world;
  rebal_error err = REBAL_ERROR_INIT;
  rebal_spread_feed_free(story->feed);
  story->feed = NULL;
  if ((story->cluster == REBAL_NONE &&
       rebal_fleet_add_cluster(world->fleet, cluster, sizeof cluster - 1, &story->cluster, &err) != REBAL_OK) ||
      rebal_spread_feed_new(world->store, world->fleet, story->cluster, &story->feed, &err) != REBAL_OK) {
    return complain_of_step(story, &err);
  }
  return STATUS_DONE;
}

/* ---- the webhook ---- */

/* The WorkloadSpread that an answer names; that of the story where it names none. */
static const rebal_spread *admitting(const struct story *story, uint32_t object) {
  const char *namespace_ = story_text(story->world, object, "metadata.namespace");
  const int64_t index = result_integer(story->world, REBAL_ADMITTED_SPREAD, 0);
  size_t n;
  rebal_spread *const *spreads = rebal_spread_feed_namespace(story->feed, namespace_, strlen(namespace_), &n);
  return index >= 0 && (uint64_t)index < n ? spreads[index] : rebal_spread_feed_spread(story->feed, object);
}

/* The patch of the subset that was chosen cannot be merged: what was recorded stays. */
static int is_patch_fault(const struct story *story, int32_t code) {
  return (code == REBAL_EINVAL || code == REBAL_EPARSE) &&
         rebal_result_count(story->world->result, REBAL_TABLE_ADMITTED) > 0;
}

enum status story_admit(struct story *story, struct step *step, uint32_t operation, const struct output *pod,
                        const char *id, struct output *out) {
  const struct world *world = story->world;
  const rebal_admit_opts opts = {.struct_size = sizeof opts,
                                 .flags = REBAL_ADMIT_FLAG_EXPLAIN,
                                 .compat = world->options->compat,
                                 .snapshot = story->room,
                                 .ledger = story->promised,
                                 .cluster = story->nodes};
  struct admission asked = {.operation = operation, .after = "", .fault = NULL};
  rebal_error err = REBAL_ERROR_INIT;
  size_t len;
  enum status status;
  int32_t code = rebal_spread_feed_update(story->feed, &err);
  asked.before = rebal_text_bytes(pod->text, &len);
  rebal_result_reset(world->result);
  if (code == REBAL_OK) {
    code = rebal_spread_feed_admit(
        world->ctx, story->feed,
        &(rebal_pod_request){sizeof(rebal_pod_request), operation, asked.before, len, id, strlen(id)}, &story->now,
        &opts, world->result, out->text, &err);
    asked.fault = is_patch_fault(story, code) ? err.message : NULL;
  }
  if (code != REBAL_OK && asked.fault == NULL) {
    return complain_of_step(story, &err);
  }
  if (operation == REBAL_OPERATION_CREATE) {
    asked.after = rebal_text_bytes(out->text, NULL);
  }
  status = step_read_admission(story, step, admitting(story, step->object), &asked);
  return status == STATUS_DONE ? world_carry_out(world) : status;
}

/* ---- a pass of the controller ---- */

static int32_t call_step(struct story *story, uint32_t object, rebal_error *err) {
  const struct world *world = story->world;
  const rebal_spread_opts opts = {.struct_size = sizeof opts, .compat = world->options->compat};
  const int32_t code = rebal_spread_feed_update(story->feed, err);
  rebal_result_reset(world->result);
  return code == REBAL_OK
             ? rebal_spread_feed_step(world->ctx, story->feed, object, &story->now, &opts, world->result, err)
             : code;
}

enum status story_look(struct story *story, uint32_t object, const char *title) {
  rebal_error err = REBAL_ERROR_INIT;
  struct step *step = step_begin(story, object, title);
  if (step == NULL) {
    return complain_of_memory();
  }
  return call_step(story, object, &err) == REBAL_OK
             ? step_read_pass(story, step, rebal_spread_feed_spread(story->feed, object))
             : complain_of_step(story, &err);
}

enum status story_pass(struct story *story, uint32_t object, const char *title) {
  const enum status status = story_look(story, object, title);
  return status == STATUS_DONE ? world_carry_out(story->world) : status;
}

/* ---- what is asked for ---- */

/* The workload creates what is missing of its replicas, or deletes what is too many. */
static enum status settle(struct story *story, uint32_t object, uint32_t workload, uint64_t replicas) {
  struct deletions pods;
  enum status status = pods_to_delete(story, workload, &pods);
  if (status == STATUS_DONE && pods.n < replicas) {
    status = story_create(story, object, replicas - pods.n);
  } else if (status == STATUS_DONE && pods.n > replicas) {
    status = story_delete(story, object, &pods, pods.n - (size_t)replicas);
  }
  free(pods.pods);
  free(pods.rules);
  return status;
}

static enum status scale(struct story *story, uint32_t object, uint32_t workload) {
  const uint64_t replicas = story->world->options->scale;
  rebal_error err = REBAL_ERROR_INIT;
  const enum status status = workload_scale(story, workload, replicas);
  if (status == STATUS_DONE && rebal_spread_feed_update(story->feed, &err) != REBAL_OK) {
    return complain_of_step(story, &err);
  }
  return status == STATUS_DONE ? settle(story, object, workload, replicas) : status;
}

enum status story_tell(struct story *story, uint32_t object) {
  const struct options *options = story->world->options;
  uint32_t workload, owner;
  enum status status = workload_of(story, object, &workload, &owner);
  if (status == STATUS_DONE) {
    status = story_pass(story, object, "pass");
  }
  if (status == STATUS_DONE) {
    status = options->has_create ? story_create(story, object, options->create) : scale(story, object, workload);
  }
  return status == STATUS_DONE ? story_pass(story, object, "pass") : status;
}
