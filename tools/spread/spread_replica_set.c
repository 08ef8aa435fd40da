/* SPDX-License-Identifier: MIT */
/* The ReplicaSet that holds the pods of a Deployment's template: the one that is there, or as it would be made. */
#include "spread/spread.h"

#include <stdlib.h>
#include <string.h>

/* The template without what the Deployment's controller adds, in one notation. */
static enum status plain_template(struct story *story, uint32_t object, const char **plain) {
  static const char without[] = "{\"metadata\":{\"creationTimestamp\":null,\"labels\":{\"pod-template-hash\":null}}}";
  const char *text = text_of(story, object, "spec.template");
  struct output patch, out;
  enum status status = output_open(&patch);
  *plain = "";
  if (status != STATUS_DONE) {
    return status;
  }
  put(&patch, without);
  status = output_open(&out);
  if (status == STATUS_DONE && text[0] != '\0') {
    status = merge(text, &patch, &out);
    *plain = keep_output(story, &out);
  }
  output_close(&out);
  output_close(&patch);
  return status;
}

/* Kubernetes hashes otherwise; all that counts is that another template has another hash. */
#define HASH_LETTERS 9

static void hash_template(const char *text, char *hash) {
  static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
  uint64_t number = UINT64_C(14695981039346656037); /* FNV-1a */
  for (; *text != '\0'; text++) {
    number = (number ^ (unsigned char)*text) * UINT64_C(1099511628211);
  }
  for (size_t i = 0; i < HASH_LETTERS; i++, number /= sizeof letters - 1) {
    hash[i] = letters[number % (sizeof letters - 1)];
  }
  hash[HASH_LETTERS] = '\0';
}

/* The parts of the Deployment. */
static void write_replica_set(struct story *story, uint32_t deployment, const char *name, struct report *report) {
  const struct world *world = story->world;
  report_map(report, NULL);
  report_text(report, "apiVersion", "apps/v1");
  report_text(report, "kind", "ReplicaSet");
  report_map(report, "metadata");
  report_text(report, "name", name);
  report_text(report, "namespace", story_text(world, deployment, "metadata.namespace"));
  report_json(report, "labels", story_text(world, deployment, "spec.template.metadata.labels"));
  report_owner(report, world, deployment);
  report_map_end(report);
  report_map(report, "spec");
  report_json(report, "replicas", story_text(world, deployment, "spec.replicas"));
  report_json(report, "selector", story_text(world, deployment, "spec.selector"));
  report_json(report, "template", story_text(world, deployment, "spec.template"));
  report_map_end(report);
  report_map_end(report);
}

/* "labels" or "matchLabels" with the hash. */
static void write_hash(struct report *report, const char *key, const char *hash) {
  report_map(report, key);
  report_text(report, "pod-template-hash", hash);
  report_map_end(report);
}

/* The label of the hash, in each of the places where it tells the ReplicaSet's pods from others. */
static void write_hashes(struct report *report, const char *hash) {
  report_map(report, NULL);
  report_map(report, "metadata");
  write_hash(report, "labels", hash);
  report_map_end(report);
  report_map(report, "spec");
  report_map(report, "selector");
  write_hash(report, "matchLabels", hash);
  report_map_end(report);
  report_map(report, "template");
  report_map(report, "metadata");
  write_hash(report, "labels", hash);
  report_map_end(report);
  report_map_end(report);
  report_map_end(report);
  report_map_end(report);
}

static enum status apply_replica_set(struct story *story, uint32_t deployment, const char *name, const char *hash) {
  struct world *world = story->world;
  rebal_error err = REBAL_ERROR_INIT;
  struct report object = {.text = {NULL, 0}}, hashes = {.text = {NULL, 0}};
  struct output out = {NULL, 0};
  enum status status = report_open(&object);
  if (status == STATUS_DONE) {
    status = report_open(&hashes);
  }
  if (status == STATUS_DONE) {
    status = output_open(&out);
  }
  if (status == STATUS_DONE) {
    write_replica_set(story, deployment, name, &object);
    write_hashes(&hashes, hash);
    status =
        object.text.failed ? complain_of_memory() : merge(rebal_text_bytes(object.text.text, NULL), &hashes.text, &out);
  }
  if (status == STATUS_DONE) {
    size_t len;
    const char *bytes = rebal_text_bytes(out.text, &len);
    status = rebal_store_apply(world->store, bytes, len, &world->options->now, &err) == REBAL_OK
                 ? STATUS_DONE
                 : complain_of_call(&err);
  }
  output_close(&out);
  report_close(&hashes);
  report_close(&object);
  return status;
}

static enum status make_replica_set(struct story *story, uint32_t deployment, const char *template, uint32_t *out) {
  const char *namespace_ = text_of(story, deployment, "metadata.namespace");
  char hash[HASH_LETTERS + 1];
  const char *name;
  struct output text;
  enum status status = output_open(&text);
  if (status != STATUS_DONE) {
    return status;
  }
  hash_template(template, hash);
  put(&text, story_text(story->world, deployment, "metadata.name"));
  put(&text, "-");
  put(&text, hash);
  name = keep_output(story, &text);
  output_close(&text);
  status = apply_replica_set(story, deployment, name, hash);
  *out = rebal_store_find(story->world->store, "ReplicaSet", 10, namespace_, strlen(namespace_), name, strlen(name));
  return status;
}

enum status replica_set_of(struct story *story, uint32_t deployment, uint32_t *out) {
  const char *uid = text_of(story, deployment, "metadata.uid");
  const char *wanted, *found;
  uint32_t *objects = NULL;
  size_t n;
  enum status status = plain_template(story, deployment, &wanted);
  *out = REBAL_NONE;
  if (status == STATUS_DONE) {
    status = world_objects(story->world, "ReplicaSet", &objects, &n);
  }
  for (size_t i = 0; status == STATUS_DONE && *out == REBAL_NONE && i < n; i++) {
    if (is_owned(story, objects[i], uid)) {
      status = plain_template(story, objects[i], &found);
      *out = status == STATUS_DONE && strcmp(wanted, found) == 0 ? objects[i] : REBAL_NONE;
    }
  }
  free(objects);
  return status == STATUS_DONE && *out == REBAL_NONE ? make_replica_set(story, deployment, wanted, out) : status;
}
