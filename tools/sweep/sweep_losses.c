/* SPDX-License-Identifier: MIT */
/* The losses of sweep: --lose, and the file of sets of clusters. */
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

const char *apply_losses(struct options *options, const char *value) {
  static const struct {
    const char *name;
    uint32_t kind;
  } kinds[] = {{"cluster", REBAL_LOSS_CLUSTER},
               {"zone", REBAL_LOSS_ZONE},
               {"region", REBAL_LOSS_REGION},
               {"provider", REBAL_LOSS_PROVIDER}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(value, kinds[i].name) == 0) {
      options->losses |= (uint32_t)1 << kinds[i].kind;
      return NULL;
    }
  }
  if (strncmp(value, "pairs=", 6) == 0 && value[6] != '\0') {
    options->pairs = value + 6;
    options->losses |= (uint32_t)1 << REBAL_LOSS_SET;
    return NULL;
  }
  return "expected cluster, zone, region, provider or pairs=FILE";
}

static int add_cluster(struct cluster_sets *sets, uint32_t cluster) {
  const size_t n = sets->offsets[sets->n];
  uint32_t *clusters = realloc(sets->clusters, (n + 1) * sizeof *clusters);
  if (clusters == NULL) {
    return 0;
  }
  sets->clusters = clusters;
  clusters[n] = cluster;
  sets->offsets[sets->n]++; /* a name takes at least a byte of a file of less than 2^32 */
  return 1;
}

static int end_set(struct cluster_sets *sets) {
  uint32_t *offsets = realloc(sets->offsets, (sets->n + 2) * sizeof *offsets);
  if (offsets == NULL) {
    return 0;
  }
  sets->offsets = offsets;
  offsets[sets->n + 1] = offsets[sets->n];
  sets->n++;
  return 1;
}

/* Reads the names of one line, separated by blanks. A line without names is ignored. */
static enum status read_line(const struct world *world, const char *line, size_t len, size_t number,
                             struct cluster_sets *sets) {
  static const char blanks[] = " \t\r";
  size_t at = 0;
  size_t n = 0;
  if (!end_set(sets)) {
    return complain_of_memory();
  }
  while (at < len) {
    size_t end = at;
    while (end < len && strchr(blanks, line[end]) == NULL) {
      end++;
    }
    if (end > at) {
      const uint32_t cluster = rebal_snapshot_find_cluster(world->snapshot, line + at, end - at);
      if (cluster == REBAL_NONE) {
        complain("rebalancectl sweep: %s:%zu: the files contain no cluster %.*s", world->options->pairs, number,
                 (int)(end - at), line + at);
        return STATUS_INPUT;
      }
      if (!add_cluster(sets, cluster)) {
        return complain_of_memory();
      }
      n++;
    }
    at = end + 1;
  }
  sets->n -= n == 0;
  return STATUS_DONE;
}

enum status cluster_sets_read(const struct world *world, struct cluster_sets *sets) {
  struct file file = {NULL, NULL, 0};
  size_t number = 0;
  size_t at = 0;
  enum status status;
  sets->offsets = calloc(1, sizeof *sets->offsets);
  if (sets->offsets == NULL) {
    return complain_of_memory();
  }
  if (world->options->pairs == NULL) {
    return STATUS_DONE;
  }
  status = file_read(world->options->pairs,
                     UINT32_MAX - 1 < world->options->max_input ? UINT32_MAX - 1 : world->options->max_input, &file);
  while (status == STATUS_DONE && at < file.len) {
    const char *newline = memchr(file.bytes + at, '\n', file.len - at);
    const size_t end = newline == NULL ? file.len : (size_t)(newline - file.bytes);
    status = read_line(world, file.bytes + at, end - at, ++number, sets);
    at = end + 1;
  }
  file_dispose(&file);
  return status;
}

void cluster_sets_free(struct cluster_sets *sets) {
  free(sets->clusters);
  free(sets->offsets);
}
