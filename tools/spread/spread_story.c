/* SPDX-License-Identifier: MIT */
/* Passes of the controller of a WorkloadSpread. */
#include "spread/spread.h"

#include <stdlib.h>
#include <string.h>

/* The library prefixes errors with the object: "WorkloadSpread default/shop: ". */
enum status complain_of_step(const struct story *story, const rebal_error *err) {
  struct output name;
  uint32_t object = REBAL_NONE;
  int is_reported = 0;
  if (output_open(&name) != STATUS_DONE) {
    return STATUS_INPUT;
  }
  while (!is_reported && story->files == NULL &&
         (object = rebal_store_next(story->world->store, "", 0, object)) != REBAL_NONE) {
    size_t len;
    const char *bytes;
    put_object(&name, story->world, object);
    put(&name, ": ");
    bytes = rebal_text_bytes(name.text, &len);
    is_reported = strncmp(err->message, bytes, len) == 0;
    if (is_reported) {
      (void)complain_of_object(story->world, object, err->field, err->message + len);
    }
    rebal_text_reset(name.text);
  }
  output_close(&name);
  return is_reported ? STATUS_INPUT : complain_of_call(err);
}

enum status story_open_feed(struct story *story) {
  static const char cluster[] = "cluster"; /* of the objects */
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

static int32_t call_step(struct story *story, uint32_t object, const rebal_observations *observations,
                         rebal_error *err) {
  const struct world *world = story->world;
  const rebal_spread_opts opts = {
      .struct_size = sizeof opts, .compat = world->options->compat, .observations = observations};
  const int32_t code = observations == NULL ? rebal_spread_feed_update(story->feed, err) : REBAL_OK;
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
  return call_step(story, object, NULL, &err) == REBAL_OK
             ? step_read_pass(story, step, rebal_spread_feed_spread(story->feed, object))
             : complain_of_step(story, &err);
}

/* Patches the pods. Sets *is_refused if the API server would reject the patch of the subset for one of them. */
static int32_t patch_pods(const struct story *story, rebal_observations *observations, int *is_refused,
                          rebal_error *err) {
  const struct world *world = story->world;
  const size_t n = rebal_result_count(world->result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const uint64_t before = rebal_store_change_count(world->store);
    if (result_integer(world, REBAL_ACTION_KIND, i) == REBAL_ACTION_KIND_PATCH_METADATA) {
      code = rebal_store_carry_out(world->store, world->result, i, &world->options->now, observations, err);
      *is_refused |= rebal_store_change_count(world->store) == before;
    }
  }
  return code;
}

static int32_t carry_out_rest(const struct story *story, rebal_error *err) {
  const struct world *world = story->world;
  const size_t n = rebal_result_count(world->result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (result_integer(world, REBAL_ACTION_KIND, i) != REBAL_ACTION_KIND_PATCH_METADATA) {
      code = rebal_store_carry_out(world->store, world->result, i, &world->options->now, NULL, err);
    }
  }
  return code;
}

/* The pass ends at the first pod that cannot be patched. */
static int32_t carry_out(struct story *story, uint32_t object, rebal_observations *observations, rebal_error *err) {
  int is_refused = 0;
  int32_t code = patch_pods(story, observations, &is_refused, err);
  if (code == REBAL_OK && is_refused) {
    code = call_step(story, object, observations, err);
    if (code == REBAL_OK) {
      step_read_outcome(story, &story->steps[story->n - 1]);
    }
  }
  return code == REBAL_OK ? carry_out_rest(story, err) : code;
}

enum status story_pass(struct story *story, uint32_t object, const char *title) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_observations *observations = NULL;
  const enum status status = story_look(story, object, title);
  int32_t code = status == STATUS_DONE ? rebal_observations_new(NULL, &observations, &err) : REBAL_OK;
  if (status == STATUS_DONE && code == REBAL_OK) {
    code = carry_out(story, object, observations, &err);
  }
  rebal_observations_free(observations);
  return code == REBAL_OK ? status : complain_of_call(&err);
}
