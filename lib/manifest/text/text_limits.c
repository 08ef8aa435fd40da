/* SPDX-License-Identifier: MIT */
/* Default limits of a text. */
#include "manifest/manifest.h"

static const struct rebali_limits defaults = {
    .bytes = (size_t)256 * 1024 * 1024,
    .depth = 64,
    .nodes = 50000000,
    .aliases = 100000,
};

static size_t given_or(size_t given, size_t otherwise) {
  return given != 0 ? given : otherwise;
}

struct rebali_limits rebali_limits_load(const struct rebali_limits *limits) {
  struct rebali_limits loaded = defaults;
  if (limits != NULL) {
    loaded.bytes = given_or(limits->bytes, defaults.bytes);
    loaded.depth = given_or(limits->depth, defaults.depth);
    loaded.nodes = given_or(limits->nodes, defaults.nodes);
    loaded.aliases = given_or(limits->aliases, defaults.aliases);
  }
  if (loaded.depth > REBALI_DEPTH_MAX) {
    loaded.depth = REBALI_DEPTH_MAX;
  }
  return loaded;
}
