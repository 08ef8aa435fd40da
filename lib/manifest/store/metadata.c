/* SPDX-License-Identifier: MIT */
/* Members of metadata that an API server sets. */
#include "manifest/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t rebali_hash_texts(uint64_t seed, const char *const *texts, size_t n) {
  uint64_t hash = REBALI_FNV1A64 ^ seed;
  for (size_t i = 0; i < n; i++) {
    hash = rebali_fnv1a64(hash, texts[i], strlen(texts[i]) + 1);
  }
  /* Names that differ only in their last character must differ in every bit: the finisher of splitmix64. */
  hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
  return hash ^ (hash >> 31);
}

/* Prints a uid that is the same in every run: from kind, namespace and name, in the form of RFC 9562 version 8. */
void rebali_uid_print(const json_t *tree, char *out, size_t capacity) {
  const json_t *metadata = rebali_member(tree, "metadata");
  const char *const texts[] = {rebali_member_text(tree, "kind"), rebali_member_text(metadata, "namespace"),
                               rebali_member_text(metadata, "name")};
  const uint64_t high = rebali_hash_texts(0, texts, 3), low = rebali_hash_texts(1, texts, 3);
  (void)snprintf(out, capacity, "%08" PRIx32 "-%04x-8%03x-%04x-%012" PRIx64, (uint32_t)(high >> 32),
                 (unsigned)(high >> 16 & 0xFFFF), (unsigned)(high & 0xFFF), (unsigned)(low >> 48 & 0x3FFF) | 0x8000U,
                 low & UINT64_C(0xFFFFFFFFFFFF));
}

int32_t rebali_metadata_create(json_t *tree, const rebal_time *now, rebal_error *err) {
  json_t *metadata = rebali_map_at(tree, "metadata");
  char uid[64];
  int32_t result = metadata != NULL ? REBAL_OK : rebali_fail_memory(err);
  rebali_uid_print(tree, uid, sizeof uid);
  if (result == REBAL_OK && *rebali_member_text(metadata, "uid") == '\0') {
    result = rebali_put_text(metadata, "uid", uid, err);
  }
  if (result == REBAL_OK && rebali_member(metadata, "creationTimestamp") == NULL) {
    result = rebali_put_time(metadata, "creationTimestamp", now, err);
  }
  if (result == REBAL_OK && rebali_member(metadata, "generation") == NULL) {
    result = rebali_put(metadata, "generation", json_integer(1), err);
  }
  if (result == REBAL_OK && *rebali_member_text(metadata, "resourceVersion") == '\0') {
    result = rebali_put_text(metadata, "resourceVersion", "1", err);
  }
  return result;
}

/*
 * Prints the next version; anything but a plain number below 10^18 restarts, since clients may only compare for
 * equality.
 */
static void print_next_version(const char *version, char *out, size_t capacity) {
  uint64_t number = 0;
  size_t len = strlen(version);
  if (len > 18 || version[strspn(version, "0123456789")] != '\0') {
    len = 0;
  }
  for (size_t i = 0; i < len; i++) {
    number = number * 10 + (uint64_t)(version[i] - '0');
  }
  (void)snprintf(out, capacity, "%" PRIu64, number + 1);
}

static int are_equal(const json_t *left, const json_t *right) {
  return left == NULL || right == NULL ? left == right : json_equal(left, right);
}

int32_t rebali_metadata_update(json_t *tree, const json_t *before, rebal_error *err) {
  json_t *metadata;
  int64_t generation;
  char version[32];
  int32_t result = REBAL_OK;
  if (json_equal(tree, before)) {
    return REBAL_OK;
  }
  metadata = rebali_map_at(tree, "metadata");
  if (metadata == NULL) {
    return rebali_fail_memory(err);
  }
  generation = json_integer_value(rebali_member(metadata, "generation"));
  if (generation < INT64_MAX && !are_equal(rebali_member(tree, "spec"), rebali_member(before, "spec"))) {
    result = rebali_put(metadata, "generation", json_integer(generation + 1), err);
  }
  print_next_version(rebali_member_text(metadata, "resourceVersion"), version, sizeof version);
  return result == REBAL_OK ? rebali_put_text(metadata, "resourceVersion", version, err) : result;
}
