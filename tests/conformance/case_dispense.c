/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

/* The parties of a case, as rebal_divide() takes them: weights first, then earlier holders that have none. */
struct parties {
  char *names;
  uint32_t *offsets;
  int64_t *weights;
  int32_t *before;
  size_t n;
};

static size_t find(const struct parties *parties, const char *name) {
  size_t i = 0;

  for (; i < parties->n; i++) {
    const size_t len = parties->offsets[i + 1] - parties->offsets[i];

    if (len == strlen(name) && memcmp(parties->names + parties->offsets[i], name, len) == 0) {
      return i;
    }
  }
  return i;
}

static size_t add(struct parties *parties, const char *name) {
  const size_t at = find(parties, name);

  if (at == parties->n) {
    const size_t len = strlen(name);

    memcpy(parties->names + parties->offsets[at], name, len);
    parties->offsets[at + 1] = parties->offsets[at] + (uint32_t)len;
    parties->weights[at] = 0;
    parties->before[at] = INT32_MIN;
    parties->n++;
  }
  return at;
}

static size_t names_size(const json_t *list) {
  const json_t *item;
  size_t size = 0;
  size_t i;

  json_array_foreach(list, i, item) {
    size += strlen(text_at(item, "name"));
  }
  return size;
}

static int read_parties(struct parties *parties, const json_t *weights, const json_t *init) {
  const size_t most = json_array_size(weights) + json_array_size(init) + 1;
  const json_t *item;
  size_t i;

  parties->n = 0;
  parties->names = malloc(names_size(weights) + names_size(init) + 1);
  parties->offsets = calloc(most + 1, sizeof *parties->offsets);
  parties->weights = calloc(most, sizeof *parties->weights);
  parties->before = calloc(most, sizeof *parties->before);
  if (parties->names == NULL || parties->offsets == NULL || parties->weights == NULL || parties->before == NULL) {
    return 1;
  }
  json_array_foreach(weights, i, item) {
    const size_t at = add(parties, text_at(item, "name"));

    parties->weights[at] = integer_at(item, "weight", 0);
  }
  json_array_foreach(init, i, item) {
    const size_t at = add(parties, text_at(item, "name"));

    parties->before[at] = (int32_t)integer_at(item, "replicas", 0);
  }
  return 0;
}

static json_t *report(const struct parties *parties, const rebal_result *result, int32_t left) {
  size_t n = 0;
  const int64_t *party = rebal_result_i64(result, REBAL_SHARE_PARTY, &n);
  const int64_t *replicas = rebal_result_i64(result, REBAL_SHARE_REPLICAS, &n);
  json_t *clusters = json_array();
  size_t i;

  for (i = 0; i < n; i++) {
    const uint32_t from = parties->offsets[party[i]];

    (void)json_array_append_new(
        clusters, json_pack("{s:s%, s:I}", "name", parties->names + from,
                            (size_t)(parties->offsets[party[i] + 1] - from), "replicas", (json_int_t)replicas[i]));
  }
  return json_pack("{s:o, s:I}", "clusters", clusters, "left", (json_int_t)left);
}

static int32_t divide(struct conformance *run, int32_t replicas, const struct parties *parties, const char *uid,
                      int32_t *left) {
  const rebal_parties given = {
      (uint32_t)sizeof given, 0, parties->names, parties->offsets, parties->weights, parties->n, uid, strlen(uid)};
  const rebal_divide_opts opts = {.struct_size = (uint32_t)sizeof opts, .before = parties->before};

  return rebal_divide(run->ctx, replicas, &given, &opts, run->result, left, &run->err);
}

json_t *case_dispense(struct conformance *run, const json_t *input) {
  const char *uid = text_at(input, "uid");
  struct parties parties;
  json_t *outcome = NULL;
  int32_t left = 0;

  if (read_parties(&parties, json_object_get(input, "weights"), json_object_get(input, "init"))) {
    outcome = fault(run, "no memory");
  } else if (!failed(run, divide(run, (int32_t)integer_at(input, "replicas", 0), &parties, uid, &left))) {
    outcome = report(&parties, run->result, left);
  }
  free(parties.names);
  free(parties.offsets);
  free(parties.weights);
  free(parties.before);
  return outcome;
}
