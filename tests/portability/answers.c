/* SPDX-License-Identifier: MIT */
/*
 * answers [CASES]: prints the core's answers for random fleets, so that targets can be compared byte for byte: a saved
 * fleet with its bindings and ledger, decisions with their fingerprint, a saved plan with its own. Saved data is also
 * loaded and must be the same when it is saved again.
 */
#include "../laws/plans.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
  unsigned char *bytes;
  size_t len;
};

static int no(const char *what, const rebal_error *err) {
  (void)fprintf(stderr, "answers: %s: %s\n", what, err->message);
  return 0;
}

static void print_bytes(const char *what, const void *bytes, size_t len) {
  const unsigned char *at = bytes;

  (void)printf("%s %zu ", what, len);
  for (size_t i = 0; i < len; i++) {
    (void)printf("%02x", (unsigned)at[i]);
  }
  (void)printf("\n");
}

static void print_fingerprint(const char *what, uint64_t high, uint64_t low) {
  (void)printf("%s %016" PRIx64 "%016" PRIx64 "\n", what, high, low);
}

static int save(const rebal_fleet *fleet, const rebal_bindings *bindings, const rebal_ledger *ledger,
                struct bytes *saved) {
  rebal_error err = REBAL_ERROR_INIT;

  if (rebal_fleet_save(fleet, bindings, ledger, NULL, 0, &saved->len, &err) != REBAL_OK) {
    return no("the length of a saved fleet", &err);
  }
  saved->bytes = malloc(saved->len);
  return saved->bytes != NULL &&
         (rebal_fleet_save(fleet, bindings, ledger, saved->bytes, saved->len, &saved->len, &err) == REBAL_OK ||
          no("a saved fleet", &err));
}

/* Data loaded from bytes is saved as the same bytes. */
static int is_loaded(const struct bytes *saved) {
  rebal_error err = REBAL_ERROR_INIT;
  struct bytes again = {NULL, 0};
  rebal_fleet *fleet = NULL;
  rebal_bindings *bindings = NULL;
  rebal_ledger *ledger = NULL;
  int same = rebal_fleet_load(NULL, saved->bytes, saved->len, &fleet, &bindings, &ledger, &err) == REBAL_OK ||
             no("a fleet to be loaded", &err);

  same = same && save(fleet, bindings, ledger, &again) && again.len == saved->len &&
         memcmp(again.bytes, saved->bytes, again.len) == 0;
  free(again.bytes);
  rebal_ledger_free(ledger);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
  return same || no("a loaded fleet", &err);
}

static int report_fleet(const struct planned *planned) {
  struct bytes saved = {NULL, 0};
  const int is_fine = save(planned->world.fleet, planned->world.bindings, planned->ledger, &saved) && is_loaded(&saved);

  if (is_fine) {
    print_bytes("fleet", saved.bytes, saved.len);
  }
  free(saved.bytes);
  return is_fine;
}

static int report_decisions(struct planned *planned) {
  struct test_world *world = &planned->world;
  rebal_schedule_opts opts = planned->schedule;
  uint64_t high, low;

  opts.flags |= REBAL_SCHEDULE_FLAG_FINGERPRINT;
  if (rebal_schedule(world->ctx, world->snapshot, world->bindings, &opts, world->result, &world->err) != REBAL_OK ||
      rebal_result_fingerprint(world->result, &high, &low, &world->err) != REBAL_OK) {
    return no("rebal_schedule", &world->err);
  }
  for (size_t row = 0; row < rebal_result_count(world->result, REBAL_TABLE_DECISION); row++) {
    (void)printf("decision %zu %s\n", row, test_answer(world->result, world->snapshot, row));
  }
  print_fingerprint("decisions", high, low);
  return 1;
}

static int report_plan(struct planned *planned) {
  const char *wrong = make_plan(planned);
  uint64_t high, low;

  if (wrong != NULL) {
    (void)fprintf(stderr, "answers: %s\n", wrong);
    return 0;
  }
  rebal_plan_fingerprint(planned->plan, &high, &low);
  print_fingerprint("plan", high, low);
  print_bytes("plan", planned->bytes, planned->len);
  return 1;
}

static int report(uint64_t seed) {
  struct dice dice = {seed * UINT64_C(0x9e3779b97f4a7c15)};
  struct drawn_plan *plan = calloc(1, sizeof *plan);
  struct planned *planned = calloc(1, sizeof *planned);
  int is_fine = plan != NULL && planned != NULL;

  if (is_fine) {
    draw_plan(&dice, plan);
    is_fine =
        open_plan(planned, plan, NULL) && report_fleet(planned) && report_plan(planned) && report_decisions(planned);
    close_plan(planned);
  }
  free(planned);
  free(plan);
  return is_fine;
}

int main(int argc, char **argv) {
  const uint64_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;

  for (uint64_t seed = 1; seed <= cases; seed++) {
    (void)printf("case %" PRIu64 "\n", seed);
    if (!report(seed)) {
      return EXIT_FAILURE;
    }
  }
  return cases == 0 || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
