/* SPDX-License-Identifier: MIT */
/*
 * WorkloadSpreads for the tests of this folder, in short notation.
 *
 * Subsets: names apart by ",", each with its limit after "=" and its minReplicas after ">": "a=3>1,b=30%,c".
 *
 * Status: lists apart by "|", each a version ("*": the overall list) with ":" and entries apart by ",". An entry is
 * name=replicas/missing, then "+pod@second" for creatingPods, "-pod@second" for deletingPods, "!" for the condition
 * Schedulable False and "~" for True: "*:a=2/1|v1:a=1/2+p1@90-p2@95,b=0/-1!".
 */
#ifndef TEST_SPREAD_MAKING_H
#define TEST_SPREAD_MAKING_H

#include "workloadspread/spread.h"

#include "../unit.h"

#include <stdio.h>

static inline void put_text(rebal_builder *builder, uint32_t field, const char *text) {
  rebal_builder_text(builder, field, text, strlen(text), NULL);
}

/* Copies text up to one of the characters in ends; at is moved past the copied text. */
void cut(const char **at, const char *ends, char *piece);

/* A number, or a text if it has characters other than digits. */
static inline void put_limit(rebal_builder *builder, uint32_t field, const char *limit) {
  rebal_builder_begin(builder, field, NULL);
  if (limit[0] != '\0' && strspn(limit + (limit[0] == '-'), "0123456789") == strlen(limit) - (limit[0] == '-')) {
    rebal_builder_i64(builder, REBAL_INT_OR_TEXT_NUMBER, strtoll(limit, NULL, 10), NULL);
  } else {
    put_text(builder, REBAL_INT_OR_TEXT_TEXT, limit);
  }
  rebal_builder_end(builder, NULL);
}

static inline void put_subsets(rebal_builder *builder, const char *subsets) {
  char piece[64];

  while (*subsets != '\0') {
    rebal_builder_begin(builder, REBAL_SPREAD_SPEC_SUBSETS, NULL);
    cut(&subsets, "=>,", piece);
    put_text(builder, REBAL_SUBSET_NAME, piece);
    while (*subsets == '=' || *subsets == '>') {
      const uint32_t field = *subsets++ == '=' ? REBAL_SUBSET_MAX_REPLICAS : REBAL_SUBSET_MIN_REPLICAS;

      cut(&subsets, ">,", piece);
      put_limit(builder, field, piece);
    }
    rebal_builder_end(builder, NULL);
    subsets += *subsets == ',';
  }
}

static inline void put_moment(rebal_builder *builder, uint32_t field, const char **at) {
  char piece[64];
  rebal_time since = {0, 0, 1};

  (*at)++;
  rebal_builder_begin(builder, field, NULL);
  cut(at, "@", piece);
  put_text(builder, REBAL_MOMENT_KEY, piece);
  (*at)++;
  cut(at, "+-!~,|", piece);
  since.seconds = strtoll(piece, NULL, 10);
  rebal_builder_time(builder, REBAL_MOMENT_TIME, &since, NULL);
  rebal_builder_end(builder, NULL);
}

static inline void put_condition(rebal_builder *builder, int is_false) {
  rebal_builder_begin(builder, REBAL_SUBSET_STATUS_CONDITIONS, NULL);
  put_text(builder, REBAL_CONDITION_TYPE, "Schedulable");
  put_text(builder, REBAL_CONDITION_STATUS, is_false ? "False" : "True");
  rebal_builder_end(builder, NULL);
}

static inline void put_entry(rebal_builder *builder, uint32_t field, const char **at) {
  char piece[64];

  rebal_builder_begin(builder, field, NULL);
  cut(at, "=", piece);
  put_text(builder, REBAL_SUBSET_STATUS_NAME, piece);
  (*at)++;
  cut(at, "/", piece);
  rebal_builder_i64(builder, REBAL_SUBSET_STATUS_REPLICAS, strtoll(piece, NULL, 10), NULL);
  *at += 1 + ((*at)[1] == '-');
  cut(at, "+-!~,|", piece + 1);
  piece[0] = (*at)[-(long)strlen(piece + 1) - 1] == '-' ? '-' : '0';
  rebal_builder_i64(builder, REBAL_SUBSET_STATUS_MISSING_REPLICAS, strtoll(piece, NULL, 10), NULL);
  while (**at != '\0' && strchr("+-!~", **at) != NULL) {
    if (**at == '+' || **at == '-') {
      put_moment(builder, **at == '+' ? REBAL_SUBSET_STATUS_CREATING_PODS : REBAL_SUBSET_STATUS_DELETING_PODS, at);
    } else {
      put_condition(builder, *(*at)++ == '!');
    }
  }
  rebal_builder_end(builder, NULL);
}

/* The fields of an open SPREAD_STATUS. */
static inline void put_status(rebal_builder *builder, const char *status) {
  char version[64];

  while (*status != '\0') {
    int is_overall;

    cut(&status, ":", version);
    is_overall = strcmp(version, "*") == 0;
    if (!is_overall) {
      rebal_builder_begin(builder, REBAL_SPREAD_STATUS_VERSIONS, NULL);
      put_text(builder, REBAL_VERSION_STATUS_VERSION, version);
    }
    status++;
    while (*status != '\0' && *status != '|') {
      put_entry(builder, is_overall ? REBAL_SPREAD_STATUS_SUBSETS : REBAL_VERSION_STATUS_SUBSETS, &status);
      status += *status == ',';
    }
    if (!is_overall) {
      rebal_builder_end(builder, NULL);
    }
    status += *status == '|';
  }
}

static inline const rebal_record *finish(rebal_builder *builder) {
  const rebal_record *record = NULL;

  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  return record;
}

static inline rebal_builder *new_builder(void) {
  rebal_builder *builder = NULL;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  return builder;
}

static inline const rebal_record *status_record(rebal_builder *builder, const char *status) {
  rebal_builder_start(builder, REBAL_OBJECT_SPREAD_STATUS, NULL);
  put_status(builder, status);
  return finish(builder);
}

/* ns/ws for the target apps/v1 <kind> web; what a test adds goes between these. The spec is open. */
static inline void start_spread(rebal_builder *builder, const char *kind, const char *status) {
  rebal_builder_start(builder, REBAL_OBJECT_WORKLOAD_SPREAD, NULL);
  rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_METADATA, NULL);
  put_text(builder, REBAL_METADATA_NAME, "ws");
  put_text(builder, REBAL_METADATA_NAMESPACE, "ns");
  put_text(builder, REBAL_METADATA_RESOURCE_VERSION, "7");
  rebal_builder_end(builder, NULL);
  if (status != NULL) {
    rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_STATUS, NULL);
    put_status(builder, status);
    rebal_builder_end(builder, NULL);
  }
  rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_SPEC, NULL);
  if (kind != NULL) {
    rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_REF, NULL);
    put_text(builder, REBAL_REFERENCE_API_VERSION, "apps/v1");
    put_text(builder, REBAL_REFERENCE_KIND, kind);
    put_text(builder, REBAL_REFERENCE_NAME, "web");
    rebal_builder_end(builder, NULL);
  }
}

static inline const rebal_record *spread_record(rebal_builder *builder, const char *kind, const char *subsets,
                                                const char *status) {
  start_spread(builder, kind, status);
  put_subsets(builder, subsets);
  rebal_builder_end(builder, NULL);
  return finish(builder);
}

static inline rebal_spread *spread_of(const char *kind, const char *subsets, const char *status) {
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;

  ck_assert_int_eq(rebal_spread_new(NULL, spread_record(builder, kind, subsets, status), &spread, NULL), REBAL_OK);
  rebal_builder_free(builder);
  return spread;
}

/* ---- and back ---------------------------------------------------------------------------------------------------- */

struct shown {
  char text[4096];
  size_t len;
};

static inline void show(struct shown *shown, const char *text) {
  ck_assert_uint_lt(shown->len + strlen(text), sizeof shown->text);
  memcpy(shown->text + shown->len, text, strlen(text) + 1);
  shown->len += strlen(text);
}

static inline void show_moments(struct shown *shown, const rebal_record *record, uint32_t entry, uint32_t field,
                                char sign) {
  uint32_t node = REBAL_NONE;
  char piece[100];

  while ((node = rebal_record_next(record, entry, field, node)) != REBAL_NONE) {
    const uint32_t key = rebal_record_next(record, node, REBAL_MOMENT_KEY, REBAL_NONE);
    rebal_time since;

    rebal_record_time(record, rebal_record_next(record, node, REBAL_MOMENT_TIME, REBAL_NONE), &since);
    snprintf(piece, sizeof piece, "%c%s@%lld", sign, rebal_record_text(record, key, NULL), (long long)since.seconds);
    show(shown, piece);
    ck_assert_int_eq(since.nanos, 0);
  }
}

static inline void show_entry(struct shown *shown, const rebal_record *record, uint32_t entry) {
  uint32_t node = REBAL_NONE;
  char piece[100];

  snprintf(
      piece, sizeof piece, "%s=%lld/%lld",
      rebal_record_text(record, rebal_record_next(record, entry, REBAL_SUBSET_STATUS_NAME, REBAL_NONE), NULL),
      (long long)rebal_record_i64(record, rebal_record_next(record, entry, REBAL_SUBSET_STATUS_REPLICAS, REBAL_NONE)),
      (long long)rebal_record_i64(record,
                                  rebal_record_next(record, entry, REBAL_SUBSET_STATUS_MISSING_REPLICAS, REBAL_NONE)));
  show(shown, piece);
  show_moments(shown, record, entry, REBAL_SUBSET_STATUS_CREATING_PODS, '+');
  show_moments(shown, record, entry, REBAL_SUBSET_STATUS_DELETING_PODS, '-');
  while ((node = rebal_record_next(record, entry, REBAL_SUBSET_STATUS_CONDITIONS, node)) != REBAL_NONE) {
    const uint32_t status = rebal_record_next(record, node, REBAL_CONDITION_STATUS, REBAL_NONE);

    show(shown, strcmp(rebal_record_text(record, status, NULL), "False") == 0 ? "!" : "~");
  }
}

static inline void show_list(struct shown *shown, const rebal_record *record, uint32_t node, uint32_t field,
                             const char *version) {
  uint32_t entry = REBAL_NONE;
  int n = 0;

  show(shown, shown->len == 0 ? "" : "|");
  show(shown, version);
  show(shown, ":");
  while ((entry = rebal_record_next(record, node, field, entry)) != REBAL_NONE) {
    show(shown, n++ == 0 ? "" : ",");
    show_entry(shown, record, entry);
  }
}

/* A SPREAD_STATUS as it is written above. */
static inline struct shown show_record(const rebal_record *record) {
  struct shown shown = {"", 0};
  uint32_t version = REBAL_NONE;

  if (rebal_record_next(record, 0, REBAL_SPREAD_STATUS_SUBSETS, REBAL_NONE) != REBAL_NONE) {
    show_list(&shown, record, 0, REBAL_SPREAD_STATUS_SUBSETS, "*");
  }
  while ((version = rebal_record_next(record, 0, REBAL_SPREAD_STATUS_VERSIONS, version)) != REBAL_NONE) {
    const uint32_t key = rebal_record_next(record, version, REBAL_VERSION_STATUS_VERSION, REBAL_NONE);

    show_list(&shown, record, version, REBAL_VERSION_STATUS_SUBSETS, rebal_record_text(record, key, NULL));
  }
  return shown;
}

static inline struct shown show_status(const rebal_spread *spread) {
  rebal_builder *builder = new_builder();
  const rebal_record *record = NULL;
  struct shown shown;

  ck_assert_int_eq(rebal_spread_status(spread, builder, &record, NULL), REBAL_OK);
  shown = show_record(record);
  rebal_builder_free(builder);
  return shown;
}

#endif
