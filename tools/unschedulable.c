/* SPDX-License-Identifier: MIT */
/* Unschedulable replicas reported by estimators: objects of kind UnschedulableReplicas. */
#include "rebalancectl.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION "estimator.rebalance/v1"
#define KIND "UnschedulableReplicas"

struct estimator {
  char *name;
  int32_t *cells; /* by binding, then cluster */
  rebal_estimator answers;
};

/* A name in the tree of names. */
struct known {
  const char *name; /* the estimator's */
  size_t index;
};

struct estimators {
  const struct world *world;
  struct binding_names *names;
  size_t n_bindings;
  size_t n_clusters;
  struct estimator *items;
  const rebal_estimator **list;
  size_t n;
  size_t capacity;
  void *by_name; /* of struct known, for tsearch() */
};

/* An item of "answers" of an object. */
struct answer {
  uint32_t object; /* of the file */
  size_t row;      /* of its binding */
  unsigned index;
};

static int compare_names(const void *left, const void *right) {
  const struct known *one = left, *other = right;
  return strcmp(one->name, other->name);
}

/* Empties the tree; the names are the estimators' own. */
static void forget_names(struct estimators *estimators) {
  while (estimators->by_name != NULL) {
    struct known *known = *(struct known **)estimators->by_name;
    (void)tdelete(known, &estimators->by_name, compare_names);
    free(known);
  }
}

void estimators_free(struct estimators *estimators) {
  if (estimators == NULL) {
    return;
  }
  forget_names(estimators);
  for (size_t i = 0; i < estimators->n; i++) {
    free(estimators->items[i].name);
    free(estimators->items[i].cells);
  }
  names_close(estimators->names);
  free(estimators->items);
  free(estimators->list);
  free(estimators);
}

const rebal_estimator *const *estimators_list(const struct estimators *estimators, size_t *n) {
  *n = estimators->n;
  return estimators->list;
}

const char *estimator_name(const struct estimators *estimators, int64_t index) {
  return index >= 0 && (uint64_t)index < estimators->n ? estimators->items[index].name : "";
}

/* ---- estimators ---- */

static int fill(const struct estimators *estimators, struct estimator *estimator, const char *name) {
  const size_t n = estimators->n_bindings * estimators->n_clusters;
  estimator->name = strdup(name);
  estimator->cells = malloc((n + 1) * sizeof *estimator->cells);
  for (size_t i = 0; estimator->cells != NULL && i < n; i++) {
    estimator->cells[i] = REBAL_FITS_NO_OPINION;
  }
  estimator->answers = (rebal_estimator){.struct_size = sizeof estimator->answers,
                                         .fits = estimator->cells,
                                         .clusters = estimators->n_clusters,
                                         .stride = estimators->n_clusters};
  return estimator->name != NULL && estimator->cells != NULL;
}

static int add_name(struct estimators *estimators, const char *name, size_t index) {
  struct known *known = malloc(sizeof *known);
  if (known == NULL) {
    return 0;
  }
  *known = (struct known){name, index};
  if (tsearch(known, &estimators->by_name, compare_names) == NULL) {
    free(known);
    return 0;
  }
  return 1;
}

/* The estimator of a name, which is added if it is new; NULL if out of memory. */
static struct estimator *find_or_add(struct estimators *estimators, const char *name) {
  const struct known wanted = {name, 0};
  struct known *const *found = tfind(&wanted, &estimators->by_name, compare_names);
  const size_t index = estimators->n;
  struct estimator *items;
  if (found != NULL) {
    return &estimators->items[(*found)->index];
  }
  if (index == estimators->capacity) {
    items = realloc(estimators->items, (2 * index + 1) * sizeof *items);
    if (items == NULL) {
      return NULL;
    }
    estimators->items = items;
    estimators->capacity = 2 * index + 1;
  }
  items = &estimators->items[index];
  memset(items, 0, sizeof *items);
  estimators->n++;
  return fill(estimators, items, name) && add_name(estimators, items->name, index) ? items : NULL;
}

/* ---- answers ---- */

/* Text of a member of the answer; the whole answer if member is "". */
static const char *member_of(const struct estimators *estimators, const struct answer *answer, const char *member) {
  char path[64];
  (void)snprintf(path, sizeof path, "answers[%u]%s%s", answer->index, member[0] != '\0' ? "." : "", member);
  return world_text(estimators->world, answer->object, path);
}

static enum status refuse(const struct estimators *estimators, const struct answer *answer, const char *member,
                          const char *fault) {
  char path[64];
  (void)snprintf(path, sizeof path, "answers[%u]%s%s", answer->index, member[0] != '\0' ? "." : "", member);
  return complain_of_object(estimators->world, answer->object, path, fault);
}

/* The number of replicas, or the failure of the estimator. */
static int read_cell(const struct estimators *estimators, const struct answer *answer, int32_t *cell) {
  const int has_failed = strcmp(member_of(estimators, answer, "failed"), "true") == 0;
  const char *text = member_of(estimators, answer, "replicas");
  const size_t len = strlen(text);
  if (len == 0 || has_failed) {
    *cell = REBAL_FITS_FAILED;
    return len == 0 && has_failed;
  }
  if (len > 10 || strspn(text, "0123456789") != len || strtoll(text, NULL, 10) > INT32_MAX) {
    return 0;
  }
  *cell = (int32_t)strtoll(text, NULL, 10);
  return 1;
}

static enum status read_answer(struct estimators *estimators, const struct answer *answer) {
  const char *cluster = member_of(estimators, answer, "cluster");
  const uint32_t id = rebal_snapshot_find_cluster(estimators->world->snapshot, cluster, strlen(cluster));
  const char *name;
  struct estimator *estimator;
  int32_t cell, *before;
  if (id == REBAL_NONE) {
    return refuse(estimators, answer, "cluster", "cluster does not exist");
  }
  if (!read_cell(estimators, answer, &cell)) {
    return refuse(estimators, answer, "replicas", "expected a number from 0 to 2147483647, or failed: true");
  }
  name = member_of(estimators, answer, "estimator");
  estimator = find_or_add(estimators, name[0] != '\0' ? name : "estimator");
  if (estimator == NULL) {
    return complain_of_memory();
  }
  before = &estimator->cells[answer->row * estimators->n_clusters + id];
  if (*before != REBAL_FITS_NO_OPINION) {
    return refuse(estimators, answer, "", "the estimator already has an answer for this cluster");
  }
  *before = cell;
  return STATUS_DONE;
}

/* ---- objects ---- */

/* The row of the binding that has the name of the object, or whose workload has it. */
static enum status find_row(const struct estimators *estimators, uint32_t object, size_t *row) {
  struct output word;
  enum status status = output_open(&word);
  if (status != STATUS_DONE) {
    return status;
  }
  put(&word, world_text(estimators->world, object, "metadata.namespace"));
  put(&word, rebal_text_bytes(word.text, NULL)[0] != '\0' ? "/" : "");
  put(&word, world_text(estimators->world, object, "metadata.name"));
  status = word.failed ? complain_of_memory()
                       : named_binding(estimators->names, rebal_text_bytes(word.text, NULL), object, row);
  output_close(&word);
  return status;
}

static enum status read_object(struct estimators *estimators, uint32_t object) {
  struct answer answer = {object, 0, 0};
  enum status status;
  if (strcmp(world_text(estimators->world, object, "apiVersion"), API_VERSION) != 0) {
    return complain_of_object(estimators->world, object, "apiVersion", "expected " API_VERSION);
  }
  status = find_row(estimators, object, &answer.row);
  if (status == STATUS_DONE && member_of(estimators, &answer, "")[0] == '\0') {
    return complain_of_object(estimators->world, object, "answers", "is missing or empty");
  }
  for (; status == STATUS_DONE && member_of(estimators, &answer, "")[0] != '\0'; answer.index++) {
    status = read_answer(estimators, &answer);
  }
  return status;
}

static enum status list(struct estimators *estimators) {
  estimators->list = malloc((estimators->n + 1) * sizeof *estimators->list);
  for (size_t i = 0; estimators->list != NULL && i < estimators->n; i++) {
    estimators->list[i] = &estimators->items[i].answers;
  }
  return estimators->list != NULL ? STATUS_DONE : complain_of_memory();
}

enum status estimators_read(const struct world *world, const uint32_t *objects, size_t n, struct estimators **out) {
  struct estimators *estimators = calloc(1, sizeof *estimators);
  uint32_t *given = NULL;
  size_t n_given = 0;
  enum status status = estimators != NULL ? world_objects(world, KIND, &given, &n_given) : complain_of_memory();
  *out = estimators;
  if (status == STATUS_DONE) {
    estimators->world = world;
    estimators->n_bindings = n;
    estimators->n_clusters = rebal_cells_bound(rebal_snapshot_cells(world->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE);
  }
  if (status == STATUS_DONE) {
    status = names_open(world, objects, n, &estimators->names);
  }
  for (size_t i = 0; status == STATUS_DONE && i < n_given; i++) {
    status = read_object(estimators, given[i]);
  }
  free(given);
  return status == STATUS_DONE ? list(estimators) : status;
}
