/* SPDX-License-Identifier: MIT */
/* The replicas of one binding by cluster. */
#include "plan/whatif/whatif.h"

int32_t rebali_layout_init(struct rebali_layout *layout, struct rebali_arena *arena, size_t rows) {
  memset(layout, 0, sizeof *layout);
  layout->replicas = rebali_arena_allocate(arena, rows, sizeof *layout->replicas);
  layout->clusters = rebali_arena_allocate(arena, rows, sizeof *layout->clusters);
  if (layout->replicas == NULL || layout->clusters == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < rows; i++) {
    layout->replicas[i] = REBALI_NOT_NAMED;
  }
  return REBAL_OK;
}

void rebali_layout_clear(struct rebali_layout *layout) {
  for (size_t i = 0; i < layout->n; i++) {
    layout->replicas[layout->clusters[i]] = REBALI_NOT_NAMED;
  }
  layout->n = 0;
  layout->sum = 0;
}

void rebali_layout_add(struct rebali_layout *layout, uint32_t cluster, int64_t replicas) {
  const int64_t counted = replicas > 0 ? replicas : 0;

  if (layout->replicas[cluster] == REBALI_NOT_NAMED) {
    layout->replicas[cluster] = 0;
    layout->clusters[layout->n++] = cluster;
  }
  layout->replicas[cluster] += counted; /* fewer than 2^32 targets of 2^31 each */
  layout->sum += counted;
}

void rebali_layout_targets(struct rebali_layout *layout, const rebal_bindings *bindings, uint32_t row) {
  size_t n;
  const uint32_t *targets = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, row, &n);

  rebali_layout_clear(layout);
  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(bindings, REBAL_TARGET_CLUSTER, targets[i]);

    if (cluster != REBAL_NONE) {
      rebali_layout_add(layout, (uint32_t)cluster, rebali_bindings_i64(bindings, REBAL_TARGET_REPLICAS, targets[i]));
    }
  }
}

void rebali_layout_answer(struct rebali_layout *layout, const struct rebali_pass *pass,
                          const struct rebali_layout *present) {
  rebali_layout_clear(layout);
  if (!rebali_pass_refused(pass)) {
    for (size_t i = 0; i < pass->n_placed; i++) {
      rebali_layout_add(layout, pass->placed[i].cluster, pass->placed[i].replicas);
    }
    return;
  }
  for (size_t i = 0; i < present->n; i++) {
    const uint32_t cluster = present->clusters[i];

    if (pass->lost == NULL || !rebali_bit_get(pass->lost, cluster)) {
      rebali_layout_add(layout, cluster, present->replicas[cluster]);
    }
  }
}

int64_t rebali_layout_kept(const struct rebali_layout *before, const struct rebali_layout *after) {
  int64_t sum = 0;

  for (size_t i = 0; i < after->n; i++) {
    const uint32_t cluster = after->clusters[i];
    const int64_t least =
        before->replicas[cluster] < after->replicas[cluster] ? before->replicas[cluster] : after->replicas[cluster];

    sum += least > 0 ? least : 0;
  }
  return sum;
}

int rebali_layout_equal(const struct rebali_layout *left, const struct rebali_layout *right) {
  size_t i = 0;

  while (i < left->n && left->replicas[left->clusters[i]] == right->replicas[left->clusters[i]]) {
    i++;
  }
  return i == left->n && left->n == right->n;
}
