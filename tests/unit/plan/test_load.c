/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "plan/saved.h"
#include "rich_plan.h"

/* ---- save and load ----------------------------------------------------------------------------------------------- */

static void assert_same_tables(const rebal_plan *left, const rebal_plan *right) {
  rebal_result *results[2];

  for (size_t i = 0; i < 2; i++) {
    ck_assert_int_eq(rebal_result_new(NULL, &results[i], NULL), REBAL_OK);
    ck_assert_int_eq(rebal_plan_read(i == 0 ? left : right, results[i], NULL), REBAL_OK);
  }
  for (uint32_t table = REBAL_TABLE_PLANNED; table <= REBAL_TABLE_CLUSTER_USE; table++) {
    uint32_t columns[64];
    size_t n_columns = 0;
    const size_t n = rebal_result_count(results[0], table);

    ck_assert_int_eq(rebal_describe_object(table, columns, 64, &n_columns, NULL), REBAL_OK);
    ck_assert_uint_eq(rebal_result_count(results[1], table), n);
    for (size_t c = 0; c < n_columns; c++) {
      const int64_t *cells = rebal_result_i64(results[0], columns[c], NULL);
      const int64_t *others = rebal_result_i64(results[1], columns[c], NULL);

      for (size_t row = 0; row < n; row++) {
        ck_assert(cells == NULL ? others == NULL : cells[row] == others[row]);
        ck_assert_pstr_eq(rebal_result_text(results[0], columns[c], row, NULL),
                          rebal_result_text(results[1], columns[c], row, NULL));
      }
    }
  }
  rebal_result_free(results[0]);
  rebal_result_free(results[1]);
}

/* Loading into the same fleet gives the same tables. */
START_TEST(test_everything_comes_back) {
  struct plan_fixture fixture;
  struct rich_bytes first, second;
  rebal_plan *loaded = NULL;
  uint64_t fingerprints[4];

  rich_open(&fixture, _i);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  first = rich_save(fixture.plan);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, first.at, first.len, &loaded, &fixture.world.err),
                   REBAL_OK);
  assert_same_tables(fixture.plan, loaded);
  rebal_plan_fingerprint(fixture.plan, &fingerprints[0], &fingerprints[1]);
  rebal_plan_fingerprint(loaded, &fingerprints[2], &fingerprints[3]);
  ck_assert_uint_eq(fingerprints[0], fingerprints[2]);
  ck_assert_uint_eq(fingerprints[1], fingerprints[3]);
  ck_assert_int_eq(loaded->now.seconds, PLAN_NOW);
  ck_assert_int_eq(loaded->progress_deadline_ns, fixture.plan->progress_deadline_ns);
  ck_assert_int_eq(loaded->mode, _i);
  ck_assert_uint_eq(loaded->n_drained, 1);
  ck_assert_uint_eq(loaded->drained[0], fixture.drained[0]);
  ck_assert_uint_eq(loaded->lost[0], fixture.lost[0]);
  ck_assert_int_eq(loaded->rows[2].cluster_scoped, 1);
  second = rich_save(loaded);
  ck_assert_uint_eq(first.len, second.len);
  ck_assert_mem_eq(first.at, second.at, first.len);
  free(first.at);
  free(second.at);
  rebal_plan_free(loaded);
  plan_close(&fixture);
}
END_TEST

/* The certificate of the mode LEAST is complete. */
START_TEST(test_the_proof_comes_back) {
  rebal_movement problem = {.struct_size = (uint32_t)sizeof problem};
  rebal_movement_answer answer = {.struct_size = (uint32_t)sizeof answer};
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1);
  struct plan_fixture fixture;
  struct rich_bytes bytes;
  rebal_ledger *ledger;
  rebal_plan *loaded = NULL;
  int64_t gap = -1;

  rich_open(&fixture, REBAL_PLAN_MODE_LEAST);
  ck_assert_int_eq(rebal_ledger_new(fixture.world.fleet, NULL, &ledger, NULL), REBAL_OK);
  fixture.schedule.ledger = ledger;
  fixture.schedule.compat = compat;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  bytes = rich_save(fixture.plan);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, bytes.at, bytes.len, &loaded, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_plan_movement(loaded, &problem, &answer, NULL), REBAL_OK);
  ck_assert_ptr_nonnull(problem.capacities);
  ck_assert_int_eq(rebal_plan_verify(fixture.world.ctx, &problem, &answer, &gap, NULL), REBAL_OK);
  ck_assert_int_eq(gap, loaded->least->gap);
  free(bytes.at);
  rebal_plan_free(loaded);
  rebal_ledger_free(ledger);
  rebal_compat_free(compat);
  plan_close(&fixture);
}
END_TEST

/* Loading into another fleet gives its ids, new ids for unknown names, and the same bytes. */
START_TEST(test_another_fleet) {
  struct plan_fixture fixture, other;
  struct rich_bytes first, second;
  rebal_plan *loaded = NULL;

  rich_open(&fixture, REBAL_PLAN_MODE_LEAST);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  first = rich_save(fixture.plan);
  plan_open(&other, "x=1 m3=1 m1=1");
  ck_assert_int_eq(rebal_plan_load(other.world.fleet, NULL, first.at, first.len, &loaded, NULL), REBAL_OK);
  test_freeze(&other.world);
  ck_assert_uint_eq(loaded->lost[0], test_cluster_id(&other.world, "m1"));
  ck_assert_uint_eq(loaded->drained[0], test_cluster_id(&other.world, "m4"));
  ck_assert(
      !rebal_cells_has(rebal_fleet_cells(other.world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, loaded->drained[0]));
  second = rich_save(loaded);
  ck_assert_uint_eq(first.len, second.len);
  ck_assert_mem_eq(first.at, second.at, first.len);
  ck_assert_int_eq(rebal_plan_read(loaded, other.rows, NULL), REBAL_OK);
  free(first.at);
  free(second.at);
  rebal_plan_free(loaded);
  plan_close(&fixture);
  plan_close(&other);
}
END_TEST

/* ---- what is refused --------------------------------------------------------------------------------------------- */

/* Makes a plan invalid before it is saved. */
typedef void spoil(rebal_plan *plan);

static void spoil_mode(rebal_plan *plan) {
  plan->mode = 3;
}
static void spoil_deadline(rebal_plan *plan) {
  plan->progress_deadline_ns = -1;
}
static void spoil_no_deadline(rebal_plan *plan) {
  plan->progress_deadline_ns = 0;
}
static void spoil_now(rebal_plan *plan) {
  plan->now.nanos = 2000000000;
}
static void spoil_scope(rebal_plan *plan) {
  plan->limits[1].scope = 8;
}
static void spoil_tokens(rebal_plan *plan) {
  plan->limits[0].tokens = -1;
}
static void spoil_tokens_at(rebal_plan *plan) {
  plan->limits[1].tokens_at = rich_tokens_at;
}
static void spoil_replicas(rebal_plan *plan) {
  plan->rows[0].replicas = -1;
}
static void spoil_outcome(rebal_plan *plan) {
  plan->rows[0].outcome = 0;
}
static void spoil_limited_by(rebal_plan *plan) {
  plan->rows[0].limited_by = 7;
}
static void spoil_no_limit(rebal_plan *plan) {
  plan->rows[0].limited_by = -1;
}
static void spoil_granted(rebal_plan *plan) {
  plan->rows[0].granted++;
}
static void spoil_withheld(rebal_plan *plan) {
  plan->rows[0].withheld++;
}
static void spoil_drift(rebal_plan *plan) {
  plan->rows[0].drift++;
  plan->rows[0].withheld++;
}
static void spoil_drift_left(rebal_plan *plan) {
  plan->rows[0].drift_left++;
}
static void spoil_added(rebal_plan *plan) {
  plan->rows[0].added++;
}
static void spoil_removed(rebal_plan *plan) {
  plan->rows[0].removed++;
}
static void spoil_n_cells(rebal_plan *plan) {
  plan->rows[3].n_cells++;
}
static void spoil_n_cells_less(rebal_plan *plan) {
  plan->rows[3].n_cells--;
}
static void spoil_n_moves(rebal_plan *plan) {
  plan->rows[3].n_moves++;
}
static void spoil_moves_of_no_row(rebal_plan *plan) {
  plan->moves[plan->n_moves] = plan->moves[0]; /* the array has space for it */
  plan->n_moves++;
}
static void spoil_order(rebal_plan *plan) {
  const struct rebali_plan_cell first = plan->cells[0];

  plan->cells[0] = plan->cells[1];
  plan->cells[1] = first;
}
static void spoil_ready(rebal_plan *plan) {
  plan->cells[0].ready = plan->cells[0].present + 1;
}
static void spoil_is_in(rebal_plan *plan) {
  plan->cells[0].is_in = 0;
}
static void spoil_bits(rebal_plan *plan) {
  plan->cells[0].is_in |= 8;
}
static void spoil_move(rebal_plan *plan) {
  plan->moves[0].target = plan->moves[0].source;
}
static void spoil_move_away(rebal_plan *plan) {
  plan->moves[0].target = plan->drained[0];
}
/* To m3, where the first row has m2 and m4. */
static void spoil_move_between(rebal_plan *plan) {
  struct rebali_plan_cell *last = &plan->cells[plan->rows[0].n_cells - 1];

  plan->moves[0].target = last->cluster;
  last->cluster = plan->drained[0];
}
static void spoil_move_of_none(rebal_plan *plan) {
  plan->moves[0].replicas = 0;
}
static void spoil_use(rebal_plan *plan) {
  plan->uses[0].limit = 7;
}
static void spoil_sums(rebal_plan *plan) {
  const struct rebali_plan_sum first = plan->sums[0];

  plan->sums[0] = plan->sums[1];
  plan->sums[1] = first;
}
static void spoil_sum(rebal_plan *plan) {
  plan->sums[0].moved_in++;
}
static void spoil_sum_before(rebal_plan *plan) {
  plan->sums[1].before++;
}
static void spoil_sums_lack_one(rebal_plan *plan) {
  plan->n_sums--;
}
static void spoil_least_row(rebal_plan *plan) {
  plan->least->rows[0] = 4;
}
static void spoil_least_gap(rebal_plan *plan) {
  plan->least->gap = -1;
}
static void spoil_least_weight(rebal_plan *plan) {
  static const int64_t none[64];

  plan->least->problem.weights = none;
}
static void spoil_least_cluster(rebal_plan *plan) {
  plan->least->problem.n_clusters--;
}
static void spoil_least_left_out(rebal_plan *plan) {
  plan->least = NULL;
}

#define RANGE "a number is out of its range"
#define SUMS "the sums of clusters are not those of the rows"
#define ROW "a row contradicts its clusters or moves"

static const struct {
  spoil *spoil;
  const char *message;
} spoiled[] = {
    {spoil_mode, "the mode or the deadline is out of range"},
    {spoil_deadline, "the mode or the deadline is out of range"},
    {spoil_no_deadline, "the mode or the deadline is out of range"},
    {spoil_now, NULL},
    {spoil_scope, RANGE},
    {spoil_tokens, "a limit has no such tokens"},
    {spoil_tokens_at, "a limit has no such tokens"},
    {spoil_replicas, RANGE},
    {spoil_outcome, RANGE},
    {spoil_limited_by, ROW},
    {spoil_no_limit, ROW},
    {spoil_granted, ROW},
    {spoil_withheld, ROW},
    {spoil_drift, ROW},
    {spoil_drift_left, ROW},
    {spoil_added, ROW},
    {spoil_removed, ROW},
    {spoil_n_cells, "rows have more clusters or moves than there are"},
    {spoil_n_cells_less, "there are clusters or moves of no row"},
    {spoil_n_moves, "rows have more clusters or moves than there are"},
    {spoil_moves_of_no_row, "there are clusters or moves of no row"},
    {spoil_order, ROW},
    {spoil_ready, ROW},
    {spoil_is_in, ROW},
    {spoil_bits, RANGE},
    {spoil_move, ROW},
    {spoil_move_away, ROW},
    {spoil_move_between, ROW},
    {spoil_move_of_none, RANGE},
    {spoil_use, "a limit does not exist"},
    {spoil_sums, "the clusters of sums do not ascend"},
    {spoil_sum, SUMS},
    {spoil_sum_before, SUMS},
    {spoil_sums_lack_one, SUMS},
    {spoil_least_row, RANGE},
    {spoil_least_gap, "a sum is negative"},
    {spoil_least_weight, RANGE},
    {spoil_least_cluster, "a pair is of a row of capacity that does not exist"},
    {spoil_least_left_out, "a section is missing"},
};

START_TEST(test_plans_that_no_plan_could_be) {
  struct plan_fixture fixture;
  struct rich_bytes bytes;
  rebal_plan *loaded = NULL;
  rebal_error *err = &fixture.world.err;

  rich_open(&fixture, REBAL_PLAN_MODE_LEAST);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  spoiled[_i].spoil(fixture.plan);
  bytes = rich_save(fixture.plan);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, bytes.at, bytes.len, &loaded, err), REBAL_EPARSE);
  ck_assert_int_ge(err->where, 0);
  ck_assert_int_le(err->where, (int64_t)bytes.len);
  if (spoiled[_i].message != NULL) {
    ck_assert_str_eq(err->message, spoiled[_i].message);
  }
  ck_assert_ptr_null(loaded);
  free(bytes.at);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_every_beginning_is_refused) {
  struct plan_fixture fixture;
  struct rich_bytes bytes;
  rebal_plan *loaded = NULL;

  rich_open(&fixture, REBAL_PLAN_MODE_LEAST);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  bytes = rich_save(fixture.plan);
  for (size_t len = 0; len < bytes.len; len++) {
    unsigned char *copy = malloc(len + 1); /* a copy of its own, so that reading past its end is detected */

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes.at, len);
    ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, copy, len, &loaded, NULL), REBAL_EPARSE);
    ck_assert_ptr_null(loaded);
    free(copy);
  }
  free(bytes.at);
  plan_close(&fixture);
}
END_TEST

/* Each changed byte gives an error, or another plan that is saved as it is. */
START_TEST(test_every_byte_that_is_wrong) {
  static const unsigned char wrongs[] = {0, 1, 0x7f, 0x80, 0xff};
  struct plan_fixture fixture, other;
  struct rich_bytes bytes, first, second;

  rich_open(&fixture, REBAL_PLAN_MODE_LEAST);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  bytes = rich_save(fixture.plan);
  plan_open(&other, "");
  for (size_t at = 0; at < bytes.len; at++) {
    const unsigned char right = bytes.at[at];

    for (size_t i = 0; i < sizeof wrongs; i++) {
      rebal_plan *plan = NULL, *again = NULL;

      bytes.at[at] = wrongs[i];
      if (rebal_plan_load(other.world.fleet, NULL, bytes.at, bytes.len, &plan, NULL) == REBAL_OK) {
        first = rich_save(plan);
        ck_assert_int_eq(rebal_plan_load(other.world.fleet, NULL, first.at, first.len, &again, NULL), REBAL_OK);
        second = rich_save(again);
        ck_assert_uint_eq(first.len, second.len);
        ck_assert_mem_eq(first.at, second.at, first.len);
        ck_assert_int_eq(rebal_plan_read(plan, other.rows, NULL), REBAL_OK);
        free(first.at);
        free(second.at);
      }
      rebal_plan_free(plan);
      rebal_plan_free(again);
    }
    bytes.at[at] = right;
  }
  free(bytes.at);
  plan_close(&fixture);
  plan_close(&other);
}
END_TEST

/* The bytes of a section: from its kind to the kind of the next one. */
static size_t section_at(struct rich_bytes bytes, uint32_t kind) {
  size_t at = 16;

  while (bytes.at[at] != kind) {
    at += 24 + bytes.at[at + 16] + 256u * bytes.at[at + 17];
  }
  return at;
}

START_TEST(test_sections_that_are_stored_twice) {
  struct plan_fixture fixture;
  struct rich_bytes bytes;

  rich_open(&fixture, REBAL_PLAN_MODE_LEAST);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  bytes = rich_save(fixture.plan);
  for (uint32_t kind = REBALI_SAVED_PLAN_PLAN; kind <= REBALI_SAVED_PLAN_LEAST; kind++) {
    const size_t first = section_at(bytes, kind);
    const size_t end = section_at(bytes, kind == REBALI_SAVED_PLAN_LEAST ? REBALI_SAVED_END : kind + 1);
    struct test_allocator memory;
    unsigned char *twice = malloc(bytes.len + end - first);
    rebal_plan *loaded = NULL;

    ck_assert_ptr_nonnull(twice);
    memcpy(twice, bytes.at, end);
    memcpy(twice + end, bytes.at + first, bytes.len - first);
    test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
    ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, &memory.functions, twice, bytes.len + end - first, &loaded,
                                     &fixture.world.err),
                     REBAL_EPARSE);
    ck_assert_str_eq(fixture.world.err.message, "a section is not in its place");
    ck_assert_uint_eq(memory.live, 0);
    free(twice);
  }
  free(bytes.at);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_other_bytes) {
  static const rebal_allocator of_no_size;
  struct plan_fixture fixture;
  unsigned char bytes[64];
  size_t len = 0;
  rebal_plan *loaded = NULL;
  rebal_error *err = &fixture.world.err;

  plan_open(&fixture, "");
  (void)rebal_fleet_save(fixture.world.fleet, NULL, NULL, bytes, sizeof bytes, &len, NULL);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, bytes, sizeof bytes, &loaded, err), REBAL_EPARSE);
  ck_assert_str_eq(err->message, "not a saved plan");
  memcpy(bytes, REBALI_SAVED_PLAN_MAGIC "\2\0\0\0\0\0\0\0", 16);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, bytes, 16, &loaded, err), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_plan_load(NULL, NULL, bytes, 16, &loaded, err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, NULL, 16, &loaded, err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, bytes, 16, NULL, err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, &of_no_size, bytes, 16, &loaded, err), REBAL_EABI);
  ck_assert_ptr_null(loaded);
  plan_close(&fixture);
}
END_TEST

/* Drained clusters are in the order of ids, in the bytes in the order of names; no cluster occurs twice. */
START_TEST(test_several_drained_clusters) {
  struct plan_fixture fixture;
  struct rich_bytes bytes;
  rebal_plan *loaded = NULL;

  rich_open(&fixture, REBAL_PLAN_MODE_FRESH);
  plan_drain(&fixture, "m3");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  bytes = rich_save(fixture.plan);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, bytes.at, bytes.len, &loaded, NULL), REBAL_OK);
  ck_assert_uint_eq(loaded->n_drained, 2);
  ck_assert_uint_eq(loaded->drained[0], test_cluster_id(&fixture.world, "m4"));
  ck_assert_uint_eq(loaded->drained[1], test_cluster_id(&fixture.world, "m3"));
  rebal_plan_free(loaded);
  free(bytes.at);
  loaded = NULL;
  fixture.plan->drained[1] = fixture.plan->drained[0];
  bytes = rich_save(fixture.plan);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, bytes.at, bytes.len, &loaded, &fixture.world.err),
                   REBAL_EPARSE);
  ck_assert_str_eq(fixture.world.err.message, "drained or lost clusters do not ascend");
  ck_assert_ptr_null(loaded);
  free(bytes.at);
  plan_close(&fixture);
}
END_TEST

/* zz is drained and has no replicas before or after, so it has no sums. */
START_TEST(test_sums_of_a_cluster_without_replicas) {
  struct plan_fixture fixture;
  struct rich_bytes bytes;
  rebal_plan *loaded = NULL;

  rich_open(&fixture, REBAL_PLAN_MODE_FRESH);
  test_add_pods(&fixture.world, "zz=1");
  plan_drain(&fixture, "zz");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  bytes = rich_save(fixture.plan);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, bytes.at, bytes.len, &loaded, NULL), REBAL_OK);
  rebal_plan_free(loaded);
  free(bytes.at);
  loaded = NULL;
  fixture.plan->sums[fixture.plan->n_sums] = (struct rebali_plan_sum){.cluster = test_cluster_id(&fixture.world, "zz")};
  fixture.plan->n_sums++;
  bytes = rich_save(fixture.plan);
  ck_assert_int_eq(rebal_plan_load(fixture.world.fleet, NULL, bytes.at, bytes.len, &loaded, &fixture.world.err),
                   REBAL_EPARSE);
  ck_assert_str_eq(fixture.world.err.message, SUMS);
  free(bytes.at);
  plan_close(&fixture);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------------------------ */

struct loading {
  rebal_fleet *fleet;
  struct rich_bytes bytes;
};

static int32_t load_and_save(const rebal_allocator *allocator, void *user_data) {
  const struct loading *loading = user_data;
  rebal_plan *plan = NULL;
  size_t len;
  int32_t code = rebal_plan_load(loading->fleet, allocator, loading->bytes.at, loading->bytes.len, &plan, NULL);

  code = code == REBAL_OK ? rebal_plan_save(plan, NULL, 0, &len, NULL) : code;
  rebal_plan_free(plan);
  return code;
}

START_TEST(test_no_memory) {
  struct plan_fixture fixture;
  struct loading loading;

  rich_open(&fixture, REBAL_PLAN_MODE_LEAST);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  loading.fleet = fixture.world.fleet;
  loading.bytes = rich_save(fixture.plan);
  ck_assert_pstr_eq(test_torture(load_and_save, &loading), NULL);
  free(loading.bytes.at);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(load) {
  TCase *cases = tcase_create("load");

  tcase_add_loop_test(cases, test_everything_comes_back, REBAL_PLAN_MODE_FRESH, REBAL_PLAN_MODE_LEAST + 1);
  tcase_add_test(cases, test_the_proof_comes_back);
  tcase_add_test(cases, test_another_fleet);
  tcase_add_loop_test(cases, test_plans_that_no_plan_could_be, 0, sizeof spoiled / sizeof spoiled[0]);
  tcase_add_test(cases, test_every_beginning_is_refused);
  tcase_add_test(cases, test_every_byte_that_is_wrong);
  tcase_add_test(cases, test_sections_that_are_stored_twice);
  tcase_add_test(cases, test_other_bytes);
  tcase_add_test(cases, test_no_memory);
  tcase_add_test(cases, test_several_drained_clusters);
  tcase_add_test(cases, test_sums_of_a_cluster_without_replicas);
  return cases;
}
