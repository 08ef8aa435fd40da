/* SPDX-License-Identifier: MIT */
#include "explained.h"

#include "../unit.h"

#include <inttypes.h>
#include <stdio.h>

rebal_schedule_opts explain_opts(uint64_t rows) {
  return (rebal_schedule_opts){.struct_size = sizeof(rebal_schedule_opts), .explain_rows = rows};
}

/* A text that grows; a test that prints more than this is too large. */
struct reported {
  char text[65536];
  size_t len;
};

static void add(struct reported *reported, const char *text) {
  const size_t len = strlen(text);

  ck_assert_uint_lt(reported->len + len, sizeof reported->text);
  memcpy(reported->text + reported->len, text, len + 1);
  reported->len += len;
}

static void add_cell(struct reported *reported, const rebal_result *result, uint32_t column, size_t row) {
  char cell[64];
  rebal_description about = {.struct_size = sizeof about};
  size_t n;

  ck_assert_int_eq(rebal_describe(column, &about, NULL), REBAL_OK);
  (void)snprintf(cell, sizeof cell, " %u=", (unsigned)(column & 255u));
  if (about.type == REBAL_TYPE_TEXT) {
    const char *text = rebal_result_text(result, column, row, NULL);

    add(reported, text[0] == '\0' ? "" : cell);
    add(reported, text);
  } else if (about.type != REBAL_TYPE_TIME && rebal_result_i64(result, column, &n)[row] != REBAL_ABSENT) {
    add(reported, cell);
    (void)snprintf(cell, sizeof cell, "%" PRId64, rebal_result_i64(result, column, &n)[row]);
    add(reported, cell);
  }
}

const char *printed_table(const rebal_result *result, uint32_t table) {
  static struct reported reported;
  uint32_t columns[40];
  size_t n_columns;

  reported.len = 0;
  add(&reported, "");
  ck_assert_int_eq(rebal_describe_object(table, columns, 40, &n_columns, NULL), REBAL_OK);
  for (size_t row = 0; row < rebal_result_count(result, table); row++) {
    for (size_t i = 0; i < n_columns; i++) {
      add_cell(&reported, result, columns[i], row);
    }
    add(&reported, "\n");
  }
  return reported.text;
}

const char *explained_sentences(const struct test_world *world) {
  static struct reported reported;
  char sentence[1024];
  size_t len;

  reported.len = 0;
  add(&reported, "");
  for (size_t row = 0; row < rebal_result_count(world->result, REBAL_TABLE_EXPLAIN); row++) {
    ck_assert_int_eq(rebal_explain_text(world->bindings, world->result, REBAL_TABLE_EXPLAIN, row, sentence,
                                        sizeof sentence, &len, NULL),
                     REBAL_OK);
    ck_assert_uint_eq(len, strlen(sentence));
    add(&reported, sentence);
    add(&reported, "\n");
  }
  return reported.text;
}

const char *schedule_explained(const struct test_cluster *clusters, size_t n, const struct test_binding *binding,
                               const rebal_schedule_opts *opts) {
  const rebal_schedule_opts defaults = explain_opts(UINT64_MAX);
  struct test_world world;
  const char *reported;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, n, binding);
  ck_assert_int_eq(
      rebal_schedule(world.ctx, world.snapshot, world.bindings, opts == NULL ? &defaults : opts, world.result, NULL),
      REBAL_OK);
  reported = explained_sentences(&world);
  test_world_close(&world);
  return reported;
}
