/* SPDX-License-Identifier: MIT */
/*
 * Random plans carried out, each result next to an independent checker. WAVES_CASES is their number, WAVES_SEED the
 * first seed; a failure names the seed that repeats it.
 */
#include "world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t number_of(const char *name, uint64_t absent) {
  const char *text = getenv(name);
  return text == NULL ? absent : strtoull(text, NULL, 10);
}

int main(void) {
  const uint64_t first = number_of("WAVES_SEED", 1), cases = number_of("WAVES_CASES", 500);
  struct story_counts counts = {0};
  int is_bad = 0;

  for (uint64_t seed = first; seed - first < cases && !is_bad; seed++) {
    const char *fault = run_story(seed, &counts);

    if (fault != NULL) {
      (void)fprintf(stderr, "waves: %s\n", fault);
      is_bad = 1;
    }
  }
  world_close();
  (void)printf("%" PRIu64 " plans: %" PRIu64 " waves, %" PRIu64 " writes, %" PRIu64 " refused, %" PRIu64
               " bindings done, %" PRIu64 " blocked, %" PRIu64 " kept by budgets, %" PRIu64 " cycles and %" PRIu64
               " foreign changes seen\n",
               cases, counts.moments, counts.writes, counts.refused, counts.done, counts.blocked, counts.guarded,
               counts.cycles, counts.foreign);
  return is_bad;
}
