/* SPDX-License-Identifier: MIT */
/*
 * The fast ways of rebal_schedule() - bitsets, rankings, the best candidates only, caches that are updated - compared
 * with slow ones: a plain scheduler, the phases, and contexts without a cache.
 */
#include "../support/allocator.h"
#include "plain.h"

#include <stdio.h>
#include <string.h>

static const char *schedule(struct plain_case *drawn, rebal_ctx *ctx, const rebal_schedule_opts *opts,
                            rebal_result *result) {
  struct test_world *world = &drawn->world;
  const int32_t code = rebal_schedule(ctx, world->snapshot, world->bindings, opts, result, &world->err);

  return code == REBAL_OK ? NULL : fault("rebal_schedule: %s", world->err.message);
}

/* Rounds of bindings for one fleet, each of which is compared. The fleet changes in between. */
static const char *try_rounds(struct dice *dice, struct plain_case *drawn, int all_options, plain_compare try) {
  static char text[1024];
  const char *wrong = NULL;

  for (size_t round = 0; wrong == NULL && round < PLAIN_ROUNDS; round++) {
    plain_draw_bindings(dice, drawn);
    plain_write_bindings(drawn);
    plain_change(dice, drawn);
    plain_draw_caller(dice, drawn, all_options);
    wrong = try(dice, drawn);
    if (wrong != NULL) {
      (void)snprintf(text, sizeof text, "round %u of %u clusters: %s", (unsigned)round, (unsigned)drawn->n_clusters,
                     wrong);
      wrong = text;
    }
    for (size_t row = 0; wrong == NULL && row < PLAIN_BINDINGS; row++) {
      if (chance(dice, 60)) {
        plain_keep_answer(drawn, row);
      }
    }
    plain_close_caller(drawn);
  }
  return wrong;
}

const char *plain_try(struct dice *dice, int all_options, plain_compare try) {
  static struct plain_case drawn;
  const char *wrong;

  plain_open(dice, &drawn, all_options);
  wrong = try_rounds(dice, &drawn, all_options, try);
  plain_close(&drawn);
  return wrong;
}

/* ---- the plain scheduler ----------------------------------------------------------------------------------------- */

static const char *compare_answer(const struct plain_case *drawn, size_t row, const struct plain_answer *plain) {
  const rebal_result *result = drawn->world.result;
  const int64_t outcome = rebal_result_i64(result, REBAL_DECISION_OUTCOME, NULL)[row];
  const char *message = rebal_result_text(result, REBAL_DECISION_MESSAGE, row, NULL);
  const size_t first = (size_t)rebal_result_i64(result, REBAL_DECISION_FIRST_PLACED, NULL)[row];
  const size_t n = (size_t)rebal_result_i64(result, REBAL_DECISION_PLACED, NULL)[row];
  const int64_t *clusters = rebal_result_i64(result, REBAL_PLACED_CLUSTER, NULL);
  const int64_t *replicas = rebal_result_i64(result, REBAL_PLACED_REPLICAS, NULL);

  if (outcome != plain->outcome || (plain->message[0] != '\0' && strcmp(message, plain->message) != 0)) {
    return fault("binding %u: outcome %d \"%s\", not %d \"%s\"", (unsigned)row, (int)outcome, message,
                 (int)plain->outcome, plain->message);
  }
  for (size_t i = 0; i < n && i < plain->n; i++) {
    if (clusters[first + i] != plain->placed[i].cluster || replicas[first + i] != plain->placed[i].replicas) {
      return fault("binding %u, place %u: %d replicas in cluster %d, not %d in %d", (unsigned)row, (unsigned)i,
                   (int)replicas[first + i], (int)clusters[first + i], (int)plain->placed[i].replicas,
                   (int)plain->placed[i].cluster);
    }
  }
  return n == plain->n ? NULL : fault("binding %u: %u places, not %u", (unsigned)row, (unsigned)n, (unsigned)plain->n);
}

static const char *compare_plain(struct dice *dice, struct plain_case *drawn) {
  static struct plain_answer plain;
  const char *wrong = schedule(drawn, drawn->world.ctx, &drawn->caller.opts, drawn->world.result);

  (void)dice;
  for (size_t row = 0; wrong == NULL && row < PLAIN_BINDINGS; row++) {
    plain_schedule(drawn, row, &plain);
    wrong = compare_answer(drawn, row, &plain);
  }
  return wrong;
}

const char *law_plain_scheduler(struct dice *dice) {
  return plain_try(dice, 0, compare_plain);
}

/* ---- the phases, and a call that explains ------------------------------------------------------------------------ */

static const char *compare_phases(struct dice *dice, struct plain_case *drawn) {
  rebal_result *results[PHASES];
  rebal_schedule_opts explained = drawn->caller.opts;
  const char *wrong = schedule(drawn, drawn->world.ctx, &drawn->caller.opts, drawn->world.result);

  explained.explain_rows = 1 + roll(dice, 9);
  if (!open_results(results)) {
    wrong = "no memory";
  } else if (wrong == NULL && run_phases(&drawn->world, &drawn->caller.opts, results) != REBAL_OK) {
    wrong = fault("%s", drawn->world.err.message);
  }
  wrong = wrong == NULL ? compare_results(results[PHASES - 1], drawn->world.result) : wrong;
  wrong = wrong == NULL ? schedule(drawn, drawn->world.ctx, &explained, results[0]) : wrong;
  wrong = wrong == NULL ? compare_results(results[0], drawn->world.result) : wrong;
  close_results(results);
  return wrong;
}

const char *law_phases_look_everywhere(struct dice *dice) {
  return plain_try(dice, 1, compare_phases);
}

/* ---- caches ------------------------------------------------------------------------------------------------------ */

/* None, one entry, no limit, often short of memory; each with a ledger of its own that holds the same. */
enum { BARE, NARROW, WIDE, SHORT, CACHES };
static struct {
  rebal_ctx *ctx;
  rebal_ledger *ledger;
} caches[CACHES];
static struct test_allocator short_memory;

static void open_caches(struct dice *dice, const rebal_fleet *fleet) {
  const int has_ledger = chance(dice, 50);

  test_allocator_init(&short_memory, 0, TEST_FAIL_ONCE);
  for (size_t i = 0; i < CACHES; i++) {
    caches[i].ctx =
        test_context(i == SHORT ? &short_memory.functions : NULL, i == BARE ? REBAL_CTX_FLAG_NO_CACHE : 0, i == NARROW);
    caches[i].ledger = NULL;
    if (has_ledger) {
      (void)rebal_ledger_new(fleet, NULL, &caches[i].ledger, NULL);
    }
  }
}

static const char *close_caches(void) {
  for (size_t i = 0; i < CACHES; i++) {
    rebal_ctx_free(caches[i].ctx);
    rebal_ledger_free(caches[i].ledger);
  }
  return short_memory.live == 0 ? NULL : fault("%u blocks were not released", (unsigned)short_memory.live);
}

/* Charges and releases, and now and then a copy instead of the ledger. */
static void move_ledger(struct dice *dice, rebal_ledger **ledger, uint32_t n_rows, uint32_t requirements) {
  static const char *const keys[] = {"other/one", "other/two", "default/b0", "default/b5"};
  const rebal_time now = test_time(20 + (int64_t)roll(dice, 20));

  for (uint32_t i = roll(dice, 3); i > 0; i--) {
    const uint32_t cluster = roll(dice, n_rows);
    const char *key = PICK(dice, keys);

    test_charge(*ledger, key, cluster, requirements, (int32_t)roll(dice, 5));
  }
  if (chance(dice, 30)) {
    const char *key = PICK(dice, keys);

    (void)rebal_ledger_release(*ledger, key, strlen(key), chance(dice, 50) ? REBAL_NONE : roll(dice, n_rows), NULL);
  }
  if (chance(dice, 30)) {
    (void)rebal_ledger_expire(*ledger, &now, NULL);
  }
  if (chance(dice, 20)) {
    rebal_ledger *copy = NULL;

    (void)rebal_ledger_fork(*ledger, &copy, NULL);
    rebal_ledger_free(*ledger);
    *ledger = copy;
  }
}

static int32_t call(struct plain_case *drawn, rebal_ctx *ctx, int is_step, const rebal_schedule_opts *opts,
                    rebal_result *result) {
  const rebal_time now = test_time(15);
  struct test_world *world = &drawn->world;

  return is_step ? rebal_scheduler_step(ctx, world->snapshot, world->bindings, &now, opts, result, &world->err)
                 : rebal_schedule(ctx, world->snapshot, world->bindings, opts, result, &world->err);
}

/* A call that runs out of memory. It must not affect the next one. */
static void call_short_of_memory(struct dice *dice, struct plain_case *drawn, int is_step,
                                 const rebal_schedule_opts *opts) {
  struct test_allocator *memory = &short_memory;
  rebal_schedule_opts other = *opts;
  rebal_ledger *copy = NULL;

  if (opts->ledger != NULL) {
    (void)rebal_ledger_fork(opts->ledger, &copy, NULL);
  }
  other.ledger = copy;
  memory->fail_at = memory->requests + 1 + roll(dice, 12);
  memory->failing = chance(dice, 50) ? TEST_FAIL_ONCE : TEST_FAIL_FROM_THEN;
  (void)call(drawn, caches[SHORT].ctx, is_step, &other, drawn->world.result);
  memory->fail_at = 0;
  rebal_ledger_free(copy);
}

static const char *compare_caches(struct dice *dice, struct plain_case *drawn) {
  static const char *const requests[] = {NULL, "cpu=500m", "cpu=1 memory=1Gi"};
  const uint32_t requirements = test_request_handle(&drawn->world, PICK(dice, requests));
  const rebal_time expiry = test_time(20 + (int64_t)roll(dice, 20));
  rebal_schedule_opts opts = drawn->caller.opts;
  const int is_step = chance(dice, 30);
  const struct dice before = *dice;
  rebal_result *bare = NULL;
  const char *wrong = NULL;

  test_freeze(&drawn->world);
  opts.ledger_expiry = &expiry;
  (void)rebal_result_new(NULL, &bare, NULL);
  for (size_t i = 0; wrong == NULL && i < CACHES; i++) {
    *dice = before;
    opts.ledger = caches[i].ledger;
    if (opts.ledger != NULL) {
      move_ledger(dice, &caches[i].ledger,
                  rebal_cells_bound(rebal_snapshot_cells(drawn->world.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE),
                  requirements);
      opts.ledger = caches[i].ledger;
    }
    if (i == SHORT && chance(dice, 50)) {
      call_short_of_memory(dice, drawn, is_step, &opts);
    }
    if (call(drawn, caches[i].ctx, is_step, &opts, i == BARE ? bare : drawn->world.result) != REBAL_OK) {
      wrong = fault("cache %u: %s", (unsigned)i, drawn->world.err.message);
    }
    wrong = wrong == NULL && i > 0 ? compare_results(bare, drawn->world.result) : wrong;
  }
  rebal_result_free(bare);
  return wrong;
}

const char *law_brought_up_to_date(struct dice *dice) {
  static struct plain_case drawn;
  const char *wrong, *leak;

  plain_open(dice, &drawn, 1);
  open_caches(dice, drawn.world.fleet);
  wrong = try_rounds(dice, &drawn, 1, compare_caches);
  leak = close_caches();
  plain_close(&drawn);
  return wrong == NULL ? leak : wrong;
}

/* ---- ledgers ----------------------------------------------------------------------------------------------------- */

/* Pairs of ledgers that hold the same: one for contexts with a cache, one for the context without. */
#define PAIRS 3
enum { KEPT, FRESH };
static rebal_ledger *pairs[PAIRS][2];

/* Reads both ledgers, which must list the same. */
static const char *compare_ledgers(struct plain_case *drawn, rebal_ledger *const pair[2]) {
  rebal_result *other = NULL;
  const char *wrong = NULL;

  (void)rebal_result_new(NULL, &other, NULL);
  if (rebal_ledger_read(pair[FRESH], other, NULL) != REBAL_OK ||
      rebal_ledger_read(pair[KEPT], drawn->world.result, NULL) != REBAL_OK) {
    wrong = "a ledger cannot be read";
  }
  wrong = wrong == NULL ? compare_table(other, drawn->world.result, REBAL_TABLE_SPENT) : wrong;
  rebal_result_free(other);
  return wrong;
}

static void move_pair(struct dice *dice, rebal_ledger *pair[2], uint32_t n_rows, uint32_t requirements) {
  const struct dice before = *dice;

  for (size_t i = 0; i < 2; i++) {
    *dice = before;
    move_ledger(dice, &pair[i], n_rows, requirements);
  }
}

/* One pair becomes a copy of the other, possibly in the memory of the old ledgers. */
static void copy_pair(rebal_ledger *from[2], rebal_ledger *to[2]) {
  for (size_t i = 0; i < 2 && from != to; i++) {
    rebal_ledger_free(to[i]);
    to[i] = NULL;
    (void)rebal_ledger_fork(from[i], &to[i], NULL);
  }
}

static const char *take_turn(struct dice *dice, struct plain_case *drawn, rebal_ledger *pair[2]) {
  const rebal_time expiry = test_time(20 + (int64_t)roll(dice, 20));
  rebal_ctx *ctx = chance(dice, 60) ? caches[WIDE].ctx : drawn->world.ctx;
  rebal_schedule_opts opts = drawn->caller.opts;
  rebal_result *other = NULL;
  const char *wrong;

  (void)rebal_result_new(NULL, &other, NULL);
  opts.ledger_expiry = chance(dice, 50) ? &expiry : NULL;
  opts.first_row = roll(dice, PLAIN_BINDINGS);
  opts.max_work = 1 + roll(dice, 4);
  opts.ledger = pair[FRESH];
  wrong = schedule(drawn, caches[BARE].ctx, &opts, other);
  opts.ledger = pair[KEPT];
  wrong = wrong == NULL ? schedule(drawn, ctx, &opts, drawn->world.result) : wrong;
  wrong = wrong == NULL ? compare_results(other, drawn->world.result) : wrong;
  rebal_result_free(other);
  return wrong;
}

static const char *take_turns(struct dice *dice, struct plain_case *drawn) {
  static const char *const requests[] = {NULL, "cpu=500m", "cpu=1 memory=1Gi"};
  const uint32_t requirements = test_request_handle(&drawn->world, PICK(dice, requests));
  const char *wrong = NULL;

  test_freeze(&drawn->world);
  for (size_t turn = 0; wrong == NULL && turn < PLAIN_BINDINGS; turn++) {
    rebal_ledger **pair = pairs[roll(dice, PAIRS)];

    if (chance(dice, 40)) {
      move_pair(dice, pair,
                rebal_cells_bound(rebal_snapshot_cells(drawn->world.snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE),
                requirements);
    }
    if (chance(dice, 10)) {
      copy_pair(pairs[roll(dice, PAIRS)], pair);
    }
    wrong = take_turn(dice, drawn, pair);
  }
  for (size_t i = 0; wrong == NULL && i < PAIRS; i++) {
    wrong = compare_ledgers(drawn, pairs[i]);
  }
  return wrong == NULL ? schedule(drawn, drawn->world.ctx, NULL, drawn->world.result) : wrong;
}

const char *law_ledgers_in_turn(struct dice *dice) {
  static struct plain_case drawn;
  const char *wrong;

  plain_open(dice, &drawn, 1);
  open_caches(dice, drawn.world.fleet);
  for (size_t i = 0; i < 2 * PAIRS; i++) {
    (void)rebal_ledger_new(drawn.world.fleet, NULL, &pairs[i / 2][i % 2], NULL);
  }
  wrong = try_rounds(dice, &drawn, 1, take_turns);
  for (size_t i = 0; i < 2 * PAIRS; i++) {
    rebal_ledger_free(pairs[i / 2][i % 2]);
  }
  (void)close_caches();
  plain_close(&drawn);
  return wrong;
}
