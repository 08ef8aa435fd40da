/* SPDX-License-Identifier: MIT */
/* A custom allocator, which counts the blocks in use. */
#include <rebalance/rebalance.h>

#include <stdio.h>
#include <stdlib.h>

static void *allocate(void *user_data, size_t size) {
  void *block = malloc(size);

  *(size_t *)user_data += block != NULL;
  return block;
}

static void *reallocate(void *user_data, void *block, size_t size) {
  return block == NULL ? allocate(user_data, size) : realloc(block, size);
}

static void release(void *user_data, void *block) {
  *(size_t *)user_data -= block != NULL;
  free(block);
}

int main(void) {
  size_t blocks = 0;
  const rebal_allocator memory = {(uint32_t)sizeof memory, 0, &blocks, allocate, reallocate, release};
  rebal_fleet *fleet;
  uint32_t cluster;

  if (rebal_fleet_new(&memory, &fleet, NULL) != REBAL_OK) {
    return 1;
  }
  (void)printf("add a cluster: %s\n", rebal_strerror(rebal_fleet_add_cluster(fleet, "east", 4, &cluster, NULL)));
  (void)printf("blocks in use: %s\n", blocks > 0 ? "some" : "none");
  rebal_fleet_free(fleet);
  (void)printf("blocks in use: %s\n", blocks > 0 ? "some" : "none");
  return 0;
}
