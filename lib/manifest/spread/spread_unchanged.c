/* SPDX-License-Identifier: MIT */
/*
 * Decides whether the patches of a WorkloadSpread's subsets leave a pod unchanged (rebalance-workloadspread(7) 4.1, the
 * patch's part of a score). Pods of one template differ in names and times, which patches seldom change: results are
 * cached by what the patches change, byte for byte.
 */
#include "manifest/schema/pod_types.h"
#include "manifest/spread/kruise.h"
#include "manifest/spread/patch_members.h"

#include <stdlib.h>
#include <string.h>

#define ANSWERS_MAX 4096u
#define BYTES_MAX ((size_t)4 << 20) /* of projections; beyond it all results are dropped too */

struct answer {
  uint64_t hash;
  size_t start, len; /* of the projection that is its key */
};

struct rebali_unchanged {
  json_t *subsets;
  size_t stride;                       /* words per result; 0: no subset has a patch */
  struct rebali_patch_members patched; /* what all patches together change */
  struct rebali_buffer projected;      /* of the requested pod */
  struct rebali_buffer kept;           /* projections of all results */
  struct answer *answers;
  uint64_t *words; /* stride words for each result */
  size_t n_answers, capacity;
  uint32_t *slots; /* twice the capacity: result + 1; 0: none */
  size_t n_merges;
};

/* ---- lifecycle ---- */

static const json_t *patch_of(const json_t *subsets, size_t subset) {
  return rebali_member(json_array_get(subsets, subset), "patch");
}

int32_t rebali_unchanged_new(const json_t *subsets, struct rebali_unchanged **out, rebal_error *err) {
  struct rebali_unchanged *unchanged = calloc(1, sizeof *unchanged);
  int32_t result = REBAL_OK;
  if (unchanged == NULL) {
    return rebali_fail_memory(err);
  }
  unchanged->subsets = json_incref((json_t *)(uintptr_t)subsets);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(subsets); i++) {
    const json_t *patch = patch_of(subsets, i);
    if (patch != NULL) {
      unchanged->stride = (json_array_size(subsets) + 63) / 64;
      result = rebali_patch_members_add(&unchanged->patched, patch, err);
    }
  }
  if (result != REBAL_OK) {
    rebali_unchanged_free(unchanged);
    return result;
  }
  *out = unchanged;
  return REBAL_OK;
}

void rebali_unchanged_free(struct rebali_unchanged *unchanged) {
  if (unchanged == NULL) {
    return;
  }
  json_decref(unchanged->subsets);
  rebali_patch_members_dispose(&unchanged->patched);
  rebali_buffer_dispose(&unchanged->projected);
  rebali_buffer_dispose(&unchanged->kept);
  free(unchanged->answers);
  free(unchanged->words);
  free(unchanged->slots);
  free(unchanged);
}

size_t rebali_unchanged_stride(const struct rebali_unchanged *unchanged) {
  return unchanged->stride;
}

size_t rebali_unchanged_merges(const struct rebali_unchanged *unchanged) {
  return unchanged->n_merges;
}

/* ---- trying each patch ---- */

static int32_t is_unchanged(json_t *pod, const json_t *patch, int *is, rebal_error *err) {
  const struct rebali_limits limits = rebali_limits_load(NULL);
  json_t *known = rebali_pod_known(patch), *patched, *typed;
  const int32_t result =
      known != NULL ? rebali_patch_tree(pod, 0, known, REBAL_PATCH_STRATEGIC, &limits, &patched, NULL) : REBAL_ENOMEM;
  *is = 0;
  json_decref(known);
  if (result != REBAL_OK) {
    return result == REBAL_ENOMEM ? rebali_fail_memory(err) : REBAL_OK;
  }
  typed = rebali_typed(patched);
  json_decref(patched);
  if (typed == NULL) {
    return rebali_fail_memory(err);
  }
  *is = rebali_pod_equal(pod, typed);
  json_decref(typed);
  return REBAL_OK;
}

static int32_t open_pod(const struct rebali_object *object, json_t **out, rebal_error *err) {
  json_t *pod = NULL;
  const int32_t result = rebali_object_open(object, &pod, err);
  if (result != REBAL_OK) {
    return result;
  }
  *out = rebali_typed(pod);
  json_decref(pod);
  return *out != NULL ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t judge(struct rebali_unchanged *unchanged, const struct rebali_object *object, uint64_t *words,
                     rebal_error *err) {
  json_t *pod = NULL;
  int32_t result = open_pod(object, &pod, err);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(unchanged->subsets); i++) {
    const json_t *patch = patch_of(unchanged->subsets, i);
    int is = 0;
    if (patch != NULL) {
      unchanged->n_merges++;
      result = is_unchanged(pod, patch, &is, err);
    }
    words[i / 64] |= (uint64_t)is << i % 64;
  }
  json_decref(pod);
  return result;
}

/* ---- answers ---- */

static void put_in_slot(struct rebali_unchanged *unchanged, size_t answer) {
  const size_t mask = unchanged->capacity * 2 - 1;
  size_t slot = (size_t)unchanged->answers[answer].hash & mask;
  while (unchanged->slots[slot] != 0) {
    slot = (slot + 1) & mask;
  }
  unchanged->slots[slot] = (uint32_t)answer + 1;
}

static int32_t grow(struct rebali_unchanged *unchanged, rebal_error *err) {
  const size_t capacity = unchanged->capacity > 0 ? unchanged->capacity * 2 : 16;
  struct answer *answers = realloc(unchanged->answers, capacity * sizeof *answers);
  uint64_t *words = answers != NULL ? realloc(unchanged->words, capacity * unchanged->stride * sizeof *words) : NULL;
  uint32_t *slots = words != NULL ? calloc(capacity * 2, sizeof *slots) : NULL;
  unchanged->answers = answers != NULL ? answers : unchanged->answers;
  unchanged->words = words != NULL ? words : unchanged->words;
  if (slots == NULL) {
    return rebali_fail_memory(err);
  }
  free(unchanged->slots);
  unchanged->slots = slots;
  unchanged->capacity = capacity;
  for (size_t i = 0; i < unchanged->n_answers; i++) {
    put_in_slot(unchanged, i);
  }
  return REBAL_OK;
}

/* Reserves memory for one more result. */
static int32_t reserve_space(struct rebali_unchanged *unchanged, rebal_error *err) {
  if (unchanged->n_answers == ANSWERS_MAX || unchanged->kept.len > BYTES_MAX) {
    unchanged->n_answers = 0;
    rebali_buffer_clear(&unchanged->kept);
    memset(unchanged->slots, 0, unchanged->capacity * 2 * sizeof *unchanged->slots);
  }
  return unchanged->n_answers == unchanged->capacity ? grow(unchanged, err) : REBAL_OK;
}

/* Returns the cached words of the current projection; NULL: none. */
static const uint64_t *find(const struct rebali_unchanged *unchanged, uint64_t hash) {
  const struct rebali_buffer *projected = &unchanged->projected;
  const size_t mask = unchanged->capacity * 2 - 1;
  if (unchanged->capacity == 0) {
    return NULL;
  }
  for (size_t slot = (size_t)hash & mask; unchanged->slots[slot] != 0; slot = (slot + 1) & mask) {
    const size_t i = unchanged->slots[slot] - 1;
    const struct answer *answer = &unchanged->answers[i];
    if (answer->hash == hash && answer->len == projected->len &&
        memcmp(unchanged->kept.bytes + answer->start, projected->bytes, answer->len) == 0) {
      return unchanged->words + i * unchanged->stride;
    }
  }
  return NULL;
}

/* Keeps the words that follow those of all results. */
static int32_t keep(struct rebali_unchanged *unchanged, uint64_t hash, rebal_error *err) {
  const size_t start = unchanged->kept.len, i = unchanged->n_answers;
  rebali_buffer_append(&unchanged->kept, unchanged->projected.bytes, unchanged->projected.len);
  if (unchanged->kept.failed) {
    unchanged->kept.failed = 0;
    return rebali_fail_memory(err);
  }
  unchanged->answers[i] = (struct answer){hash, start, unchanged->projected.len};
  unchanged->n_answers++;
  put_in_slot(unchanged, i);
  return REBAL_OK;
}

int32_t rebali_unchanged_pod(struct rebali_unchanged *unchanged, const struct rebali_object *pod,
                             const uint64_t **words, rebal_error *err) {
  struct rebali_buffer *projected = &unchanged->projected;
  const char *text;
  uint64_t *judged, hash;
  int32_t result;
  if (unchanged->stride == 0) {
    *words = NULL;
    return REBAL_OK;
  }
  rebali_buffer_clear(projected);
  rebali_buffer_append(projected, "", 0);
  rebali_patch_members_project(&unchanged->patched, pod->text, projected);
  if (projected->failed) {
    return rebali_fail_memory(err);
  }
  text = projected->bytes;
  hash = rebali_hash_texts(0, &text, 1);
  *words = find(unchanged, hash);
  if (*words != NULL) {
    return REBAL_OK;
  }
  result = reserve_space(unchanged, err);
  judged = result == REBAL_OK ? unchanged->words + unchanged->n_answers * unchanged->stride : NULL;
  if (result == REBAL_OK) {
    memset(judged, 0, unchanged->stride * sizeof *judged);
    result = judge(unchanged, pod, judged, err);
  }
  if (result == REBAL_OK) {
    result = keep(unchanged, hash, err);
  }
  *words = judged;
  return result;
}
