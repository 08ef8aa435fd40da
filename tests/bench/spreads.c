/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#include "fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION "apps.kruise.io/v1alpha1"
#define WORKLOAD "web"
#define LIMIT 1000
#define NAME_MAX_LEN 32
#define BEGINNING 1790000000 /* when the first pod was made */

static void put_text(rebal_builder *builder, uint32_t field, const char *text) {
  bench_must(rebal_builder_text(builder, field, text, strlen(text), NULL));
}

static void put_subset(rebal_builder *builder, uint32_t subset, int is_limited) {
  char name[NAME_MAX_LEN];

  (void)snprintf(name, sizeof name, "subset-%u", (unsigned)subset);
  bench_must(rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SUBSETS, NULL));
  put_text(builder, REBAL_SUBSET_NAME, name);
  if (is_limited) {
    bench_must(rebal_builder_begin(builder, REBAL_SUBSET_MAX_REPLICAS, NULL));
    bench_must(rebal_builder_i64(builder, REBAL_INT_OR_TEXT_NUMBER, LIMIT, NULL));
    bench_must(rebal_builder_end(builder, NULL));
  }
  bench_must(rebal_builder_end(builder, NULL));
}

const rebal_record *bench_spread_record(rebal_builder *builder, uint32_t subsets) {
  const rebal_record *record = NULL;

  bench_must(rebal_builder_start(builder, REBAL_OBJECT_WORKLOAD_SPREAD, NULL));
  bench_must(rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_METADATA, NULL));
  put_text(builder, REBAL_METADATA_NAME, "ws");
  put_text(builder, REBAL_METADATA_NAMESPACE, "shop");
  bench_must(rebal_builder_end(builder, NULL));
  bench_must(rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_SPEC, NULL));
  bench_must(rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_REF, NULL));
  put_text(builder, REBAL_REFERENCE_API_VERSION, API_VERSION);
  put_text(builder, REBAL_REFERENCE_KIND, "CloneSet");
  put_text(builder, REBAL_REFERENCE_NAME, WORKLOAD);
  bench_must(rebal_builder_end(builder, NULL));
  for (uint32_t i = 0; i < subsets; i++) {
    put_subset(builder, i, i + 1 < subsets);
  }
  bench_must(rebal_builder_end(builder, NULL));
  bench_must(rebal_builder_finish(builder, &record, NULL));
  return record;
}

uint32_t bench_add_owner(rebal_pods *pods) {
  static const struct {
    uint32_t column;
    const char *text;
  } cells[] = {{REBAL_OWNER_API_VERSION, API_VERSION}, {REBAL_OWNER_KIND, "CloneSet"}, {REBAL_OWNER_NAME, WORKLOAD}};
  uint32_t owner;

  bench_must(rebal_pods_add(pods, REBAL_TABLE_OWNER, 1, &owner, NULL));
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    bench_must(rebal_pods_set_text(pods, cells[i].column, owner, cells[i].text, strlen(cells[i].text), NULL));
  }
  bench_must(rebal_pods_set_i64(pods, REBAL_OWNER_STATE, owner, REBAL_OWNER_EXISTS, NULL));
  return owner;
}

/* What a column of texts is filled from: a word, and a number behind it that counts up to `turn`. */
struct words {
  uint32_t column;
  const char *word;
  uint32_t turn; /* 0: no number */
};

static void put_words(rebal_pods *pods, const uint32_t *rows, uint32_t n, const struct words *words) {
  char *const bytes = malloc((size_t)n * NAME_MAX_LEN);
  uint32_t *const offsets = malloc(((size_t)n + 1) * sizeof *offsets);
  uint32_t len = 0;

  bench_must(bytes == NULL || offsets == NULL ? REBAL_ENOMEM : REBAL_OK);
  for (uint32_t i = 0; i < n; i++) {
    offsets[i] = len;
    len += (uint32_t)(words->turn == 0
                          ? snprintf(bytes + len, NAME_MAX_LEN, "%s", words->word)
                          : snprintf(bytes + len, NAME_MAX_LEN, "%s%u", words->word, (unsigned)(i % words->turn)));
  }
  offsets[n] = len;
  bench_must(rebal_pods_put_text(pods, words->column, rows, bytes, offsets, n, NULL));
  free(bytes);
  free(offsets);
}

static void put_times(rebal_pods *pods, uint32_t column, const uint32_t *rows, uint32_t n, int64_t later) {
  rebal_time *const times = malloc(n * sizeof *times);

  bench_must(times == NULL ? REBAL_ENOMEM : REBAL_OK);
  for (uint32_t i = 0; i < n; i++) {
    times[i] = (rebal_time){BEGINNING + later + (int64_t)(i * UINT64_C(7919) % 3600), 0, 1};
  }
  bench_must(rebal_pods_put_time(pods, column, rows, times, n, NULL));
  free(times);
}

static void put_numbers(rebal_pods *pods, uint32_t column, const uint32_t *rows, uint32_t n, int64_t first,
                        uint32_t turn) {
  int64_t *const numbers = malloc(n * sizeof *numbers);

  bench_must(numbers == NULL ? REBAL_ENOMEM : REBAL_OK);
  for (uint32_t i = 0; i < n; i++) {
    numbers[i] = first + i % turn;
  }
  bench_must(rebal_pods_put_i64(pods, column, rows, numbers, n, NULL));
  free(numbers);
}

void bench_add_spread_pods(rebal_pods *pods, uint32_t owner, uint32_t subsets, uint32_t n, uint32_t *rows) {
  const struct words texts[] = {
      {REBAL_SPREAD_POD_NAME, WORKLOAD "-", n},
      {REBAL_SPREAD_POD_UID, "6c1b0c4e-0f5d-4b6a-", n},
      {REBAL_SPREAD_POD_VERSION, "web-5d7f9c6b8", 0},
      {REBAL_SPREAD_POD_MATCHED_SPREAD, "ws", 0},
      {REBAL_SPREAD_POD_MATCHED_SUBSET, "subset-", subsets},
  };

  bench_must(rebal_pods_add(pods, REBAL_TABLE_SPREAD_POD, n, rows, NULL));
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    put_words(pods, rows, n, &texts[i]);
  }
  put_numbers(pods, REBAL_SPREAD_POD_CONTROLLER, rows, n, owner, 1);
  put_numbers(pods, REBAL_SPREAD_POD_VERSION_LABEL, rows, n, REBAL_VERSION_REVISION_HASH, 1);
  put_numbers(pods, REBAL_SPREAD_POD_MATCHED_STATE, rows, n, REBAL_MATCHED_PRESENT, 1);
  put_numbers(pods, REBAL_SPREAD_POD_PHASE, rows, n, REBAL_PHASE_RUNNING, 1);
  put_numbers(pods, REBAL_SPREAD_POD_NODE, rows, n, 0, 1000);
  put_numbers(pods, REBAL_SPREAD_POD_READY, rows, n, 1, 1);
  put_times(pods, REBAL_SPREAD_POD_CREATED, rows, n, 0);
  put_times(pods, REBAL_SPREAD_POD_READY_SINCE, rows, n, 30);
}
