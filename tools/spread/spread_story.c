/* SPDX-License-Identifier: MIT */
/* What happens to the pods of a WorkloadSpread: passes of its controller. */
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
