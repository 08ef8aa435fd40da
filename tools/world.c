/* SPDX-License-Identifier: MIT */
/* The objects of the files, and the bindings that follow from them. */
#include "rebalancectl.h"

#include <stdlib.h>
#include <string.h>

static int32_t open_parts(struct world *world, rebal_error *err) {
  const rebal_manifest_limits limits = input_limits(world->options->max_input);
  int32_t result = rebal_store_new(&limits, &world->store, err);
  if (result == REBAL_OK) {
    result = detector_open(world->options, world->store, &world->detector, err);
  }
  if (result == REBAL_OK) {
    result = rebal_fleet_new(NULL, &world->fleet, err);
  }
  if (result == REBAL_OK) {
    result = rebal_bindings_new(world->fleet, NULL, &world->known, err);
  }
  if (result == REBAL_OK) {
    result = rebal_bindings_new(world->fleet, NULL, &world->some, err);
  }
  if (result == REBAL_OK) {
    result = rebal_ctx_new(NULL, NULL, &world->ctx, err);
  }
  if (result == REBAL_OK) {
    result = rebal_result_new(NULL, &world->result, err);
  }
  return result == REBAL_OK ? rebal_builder_new(NULL, &world->builder, err) : result;
}

enum status world_new(struct world *world, const struct options *options) {
  rebal_error err = REBAL_ERROR_INIT;
  memset(world, 0, sizeof *world);
  world->options = options;
  world->texts = calloc(1, sizeof *world->texts);
  if (world->texts == NULL) {
    return complain_of_memory();
  }
  return open_parts(world, &err) == REBAL_OK ? STATUS_DONE : complain_of_call(&err);
}

enum status world_load(struct world *world, const struct options *options) {
  enum status status = world_new(world, options);
  if (status == STATUS_DONE) {
    status = load_files(options, world->store, &world->loaded);
  }
  return status == STATUS_DONE ? members_open(&world->members, options) : status;
}

enum status world_derive(const struct world *world, const uint32_t *objects, size_t n) {
  rebal_error err = REBAL_ERROR_INIT;
  progress("making bindings of workloads and policies");
  return rebal_detector_derive(world->detector, objects, n, &world->options->now, &err) == REBAL_OK
             ? STATUS_DONE
             : complain_of_call(&err);
}

enum status world_open(struct world *world, const struct options *options) {
  const enum status status = world_load(world, options);
  return status == STATUS_DONE ? world_derive(world, NULL, 0) : status;
}

void world_close(struct world *world) {
  rebal_builder_free(world->builder);
  rebal_result_free(world->result);
  rebal_ctx_free(world->ctx);
  rebal_bindings_free(world->some);
  rebal_bindings_free(world->known);
  rebal_snapshot_unref(world->snapshot);
  rebal_fleet_free(world->fleet);
  members_close(&world->members);
  loaded_free(&world->loaded);
  free_texts(world->texts != NULL ? *world->texts : NULL);
  free(world->texts);
  rebal_detector_free(world->detector);
  rebal_store_free(world->store);
}

enum status world_objects(const struct world *world, const char *kind, uint32_t **objects, size_t *n) {
  const size_t len = strlen(kind);
  uint32_t object = REBAL_NONE;
  *n = 0;
  *objects = malloc((rebal_store_count(world->store) + 1) * sizeof **objects);
  if (*objects == NULL) {
    return complain_of_memory();
  }
  while ((object = rebal_store_next(world->store, kind, len, object)) != REBAL_NONE) {
    (*objects)[(*n)++] = object;
  }
  return STATUS_DONE;
}

enum status world_bindings(const struct world *world, uint32_t **objects, size_t *n) {
  uint32_t *more = NULL;
  size_t n_more;
  enum status status = world_objects(world, "ClusterResourceBinding", objects, n);
  if (status == STATUS_DONE) {
    status = world_objects(world, "ResourceBinding", &more, &n_more);
  }
  if (status == STATUS_DONE) {
    memcpy(*objects + *n, more, n_more * sizeof *more); /* a list has capacity for every object of the store */
    *n += n_more;
  }
  free(more);
  return status;
}

struct kept_text {
  struct kept_text *next;
  char bytes[];
};

/* Prepends a text of an object to the list; NULL if out of memory. */
static struct kept_text *read_text(const rebal_store *store, uint32_t object, const char *path) {
  struct kept_text *kept = NULL;
  rebal_text *text;
  size_t len;
  const char *bytes;
  if (rebal_text_new(&text, NULL) != REBAL_OK) {
    return NULL;
  }
  if (rebal_store_text(store, object, path, strlen(path), text, NULL) != REBAL_ENOMEM) {
    bytes = rebal_text_bytes(text, &len);
    kept = malloc(sizeof *kept + len + 1);
    if (kept != NULL) {
      memcpy(kept->bytes, bytes, len + 1);
    }
  }
  rebal_text_free(text);
  return kept;
}

const char *store_text(const rebal_store *store, uint32_t object, const char *path, struct kept_text **texts) {
  struct kept_text *kept = read_text(store, object, path);
  if (kept == NULL) {
    exit((int)complain_of_memory());
  }
  kept->next = *texts;
  *texts = kept;
  return kept->bytes;
}

void free_texts(struct kept_text *texts) {
  while (texts != NULL) {
    struct kept_text *next = texts->next;
    free(texts);
    texts = next;
  }
}

/* Reads the parts that every object has without a copy. */
static const char *identity(const struct world *world, uint32_t object, const char *path) {
  static const struct {
    const char *path;
    uint32_t part;
  } parts[] = {{"kind", REBAL_IDENTITY_KIND},
               {"apiVersion", REBAL_IDENTITY_API_VERSION},
               {"metadata.namespace", REBAL_IDENTITY_NAMESPACE},
               {"metadata.name", REBAL_IDENTITY_NAME}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (strcmp(parts[i].path, path) == 0) {
      return rebal_store_identity(world->store, object, parts[i].part, NULL);
    }
  }
  return NULL;
}

const char *world_text(const struct world *world, uint32_t object, const char *path) {
  const char *text = identity(world, object, path);
  if (text != NULL) {
    return text;
  }
  return store_text(world->store, object, path, world->texts);
}

enum status world_carry_out(const struct world *world) {
  rebal_error err = REBAL_ERROR_INIT;
  const size_t n = rebal_result_count(world->result, REBAL_TABLE_ACTION);
  for (size_t i = 0; i < n; i++) {
    if (rebal_store_carry_out(world->store, world->result, i, &world->options->now, NULL, &err) != REBAL_OK) {
      return complain_of_call(&err);
    }
  }
  return STATUS_DONE;
}

void put_object(struct output *out, const struct world *world, uint32_t object) {
  const char *namespace_ = world_text(world, object, "metadata.namespace");
  put(out, world_text(world, object, "kind"));
  put(out, " ");
  put(out, namespace_);
  put(out, namespace_[0] != '\0' ? "/" : "");
  put(out, world_text(world, object, "metadata.name"));
}

static enum status write_yaml(const struct world *world, const uint32_t *objects, size_t n, struct output *out) {
  rebal_error err = REBAL_ERROR_INIT;
  for (size_t i = 0; i < n; i++) {
    put(out, i > 0 ? "---\n" : "");
    if (rebal_store_write(world->store, objects[i], REBAL_TEXT_FORMAT_YAML, out->text, &err) != REBAL_OK) {
      return complain_of_call(&err);
    }
  }
  return STATUS_DONE;
}

struct items {
  const struct world *world;
  const uint32_t *objects;
};

static void begin_list(struct report *report, const void *user, int is_first) {
  (void)is_first;
  (void)user;
  report_map(report, NULL);
  report_text(report, "apiVersion", "v1");
  report_text(report, "kind", "List");
  report_list(report, "items");
}

static enum status write_item(struct report *report, const void *user, size_t i) {
  const struct items *items = user;
  rebal_error err = REBAL_ERROR_INIT;
  struct output item;
  enum status status = output_open(&item);
  if (status == STATUS_DONE &&
      rebal_store_write(items->world->store, items->objects[i], REBAL_TEXT_FORMAT_JSON, item.text, &err) != REBAL_OK) {
    status = complain_of_call(&err);
  }
  if (status == STATUS_DONE) {
    size_t len;
    const char *bytes = rebal_text_bytes(item.text, &len);
    report_verbatim(report, NULL, bytes, len);
  }
  output_close(&item);
  return status;
}

static enum status write_list(const struct world *world, const uint32_t *objects, size_t n, struct output *out) {
  const struct items items = {world, objects};
  const struct long_report parts = {begin_list, write_item, &items, n};
  return report_long(&parts, FORMAT_JSON, out);
}

enum status world_write(const struct world *world, const uint32_t *objects, size_t n, struct output *out) {
  if (world->options->format == FORMAT_JSON) {
    return write_list(world, objects, n, out);
  }
  return write_yaml(world, objects, n, out);
}
