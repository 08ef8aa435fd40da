/* SPDX-License-Identifier: MIT */
/* The workload of a WorkloadSpread. */
#include "spread/spread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *text_of(struct story *story, uint32_t object, const char *path) {
  return story_text(story->world, object, path);
}

/* REBAL_NONE if the files do not contain it, which is reported. */
static uint32_t find_workload(struct story *story, uint32_t object) {
  const char *kind = text_of(story, object, "spec.targetRef.kind");
  const char *name = text_of(story, object, "spec.targetRef.name");
  const char *namespace_ = text_of(story, object, "metadata.namespace");
  const uint32_t workload =
      rebal_store_find(story->world->store, kind, strlen(kind), namespace_, strlen(namespace_), name, strlen(name));
  if (workload == REBAL_NONE) {
    (void)complain_of_object(story->world, object, "spec.targetRef", "the files do not contain this workload");
  }
  return workload;
}

/* An object has one owner, or two. */
#define MAX_OWNERS 16

/* The uid of an owner of an object; "" after the last one. */
static const char *owner_uid(const struct story *story, uint32_t object, size_t i) {
  char path[64];
  (void)snprintf(path, sizeof path, "metadata.ownerReferences[%zu].uid", i);
  return story_text(story->world, object, path);
}

static int compare_texts(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The uids of all owners of ReplicaSets, sorted. */
static int list_set_owners(struct story *story) {
  const rebal_store *store = story->world->store;
  uint32_t object = REBAL_NONE;
  story->set_owners = calloc(MAX_OWNERS * rebal_store_count(store) + 1, sizeof *story->set_owners);
  if (story->set_owners == NULL) {
    story->failed = 1;
    return 0;
  }
  while ((object = rebal_store_next(store, "ReplicaSet", 10, object)) != REBAL_NONE) {
    const char *uid = "-";
    for (size_t i = 0; i < MAX_OWNERS && uid[0] != '\0'; i++) {
      uid = owner_uid(story, object, i);
      story->set_owners[story->n_set_owners] = keep(story, uid);
      story->n_set_owners += uid[0] != '\0';
    }
  }
  qsort(story->set_owners, story->n_set_owners, sizeof *story->set_owners, compare_texts);
  return 1;
}

/* Does a Deployment own a ReplicaSet, by its uid? Passes do not change owners. */
static int has_replica_set(struct story *story, uint32_t deployment) {
  const char *uid = text_of(story, deployment, "metadata.uid");
  return (story->set_owners != NULL || list_set_owners(story)) &&
         bsearch(&uid, story->set_owners, story->n_set_owners, sizeof uid, compare_texts) != NULL;
}

int has_workload(struct story *story, uint32_t object) {
  uint32_t workload;
  if (story_text(story->world, object, "spec.targetRef.kind")[0] == '\0') {
    return 1; /* there is none */
  }
  workload = find_workload(story, object);
  if (workload != REBAL_NONE && is_kind(story, workload, "Deployment") && !has_replica_set(story, workload)) {
    (void)complain_of_object(story->world, workload, "metadata",
                             "the files contain no ReplicaSet owned by it, to which its pods would belong");
    return 0;
  }
  return workload != REBAL_NONE;
}

enum status workload_of(struct story *story, uint32_t object, uint32_t *workload) {
  *workload = find_workload(story, object);
  if (*workload == REBAL_NONE) {
    return STATUS_INPUT;
  }
  if (story_text(story->world, *workload, "metadata.uid")[0] == '\0') {
    return complain_of_object(story->world, *workload, "metadata.uid",
                              "is missing, but pods refer to their owner by it: set any unique value");
  }
  return STATUS_DONE;
}

int is_kind(const struct story *story, uint32_t object, const char *kind) {
  return strcmp(story_text(story->world, object, "kind"), kind) == 0;
}

void report_json(struct report *report, const char *key, const char *text) {
  if (text[0] != '\0') {
    report_verbatim(report, key, text, strlen(text));
  }
}

enum status merge(const char *text, const struct output *patch, struct output *out) {
  rebal_document *document = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  size_t len;
  const char *bytes = rebal_text_bytes(patch->text, &len);
  int32_t code = REBAL_OK;
  if (patch->failed) {
    return complain_of_memory();
  }
  code = rebal_document_read(bytes, len, NULL, &document, &err);
  if (code == REBAL_OK) {
    code = rebal_manifest_patch(text, strlen(text), NULL, document, REBAL_PATCH_MERGE, REBAL_TEXT_FORMAT_JSON,
                                out->text, &err);
  }
  rebal_document_free(document);
  return code == REBAL_OK ? STATUS_DONE : complain_of_call(&err);
}

int is_known_kind(const char *kind) {
  static const char *const kinds[] = {"Deployment", "ReplicaSet", "CloneSet", "StatefulSet", "Job"};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kind, kinds[i]) == 0) {
      return 1;
    }
  }
  return 0;
}

enum status check_replicas(struct story *story, uint32_t object) {
  const char *path = is_kind(story, object, "Job") ? "spec.parallelism" : "spec.replicas";
  return strtod(story_text(story->world, object, path), NULL) <= MOST_PODS
             ? STATUS_DONE
             : complain_of_object(story->world, object, path, PODS_EXPECTED);
}
