/* SPDX-License-Identifier: MIT */
/* A sweep compared with the long way: for each loss a copy of the ledger, and all bindings by rebal_schedule(). */
#include "plain.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LOSSES = 10, MOST_SETS = 4, ANY_CELL = PLAIN_BINDINGS * PLAIN_CELLS };

/* What is swept. */
struct swept {
  const struct plain_case *drawn;
  struct test_world *world;
  rebal_bindings *given;  /* with triggers */
  rebal_bindings *steady; /* without */
  rebal_ledger *ledger;
  rebal_compat *compat; /* of its own; NULL: that of the caller */
  rebal_sweep_opts opts;
  rebal_schedule_opts schedule;
  uint32_t set_clusters[MOST_SETS * 3];
  uint32_t set_offsets[MOST_SETS + 1];
  int64_t lost[PLAIN_CELLS];    /* of the loss under way, by id */
  int64_t reject[ANY_CELL];     /* the caller's and the lost ones, by binding and id */
  int64_t score[ANY_CELL];      /* the caller's with the same stride */
  int64_t present[PLAIN_CELLS]; /* of a binding: replicas by id */
  int64_t planned[PLAIN_CELLS];
  int64_t base[PLAIN_BINDINGS][PLAIN_CELLS]; /* planned without a loss; -1: not named */
  int64_t base_outcome[PLAIN_BINDINGS];
  double used[PLAIN_CELLS][PLAIN_RESOURCES];
  rebal_result *plain;
};

/* The outcome of one loss. */
struct tally {
  int64_t unplaced, missing, moved;
  size_t n_affected;
  int64_t affected[PLAIN_BINDINGS][4]; /* binding, outcome, missing, moved */
};

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* Bindings as drawn; names repeat where the mask has a bit. */
static rebal_bindings *write_bindings(struct plain_case *drawn, int steady, uint32_t repeated) {
  rebal_bindings *known = drawn->known, *own = drawn->world.bindings, *made;
  int is_fresh[PLAIN_BINDINGS];

  drawn->known = NULL;
  drawn->world.bindings = NULL;
  for (size_t i = 0; i < PLAIN_BINDINGS; i++) {
    is_fresh[i] = drawn->bindings[i].is_fresh;
    drawn->bindings[i].is_fresh = !steady && is_fresh[i];
  }
  plain_write_bindings(drawn);
  made = drawn->world.bindings;
  for (uint32_t i = 0; i < PLAIN_BINDINGS; i++) {
    drawn->bindings[i].is_fresh = is_fresh[i];
    if (repeated >> i & 1u) {
      (void)rebal_cells_set_text(rebal_bindings_cells(made), REBAL_BINDING_NAME, REBAL_NONE, i, "again", 5, NULL);
    }
  }
  (void)rebal_bindings_freeze(made, NULL);
  drawn->known = known;
  drawn->world.bindings = own;
  return made;
}

#define OWN_REQUEST "cpu=1 memory=7" /* of no binding */

static uint32_t handle_of(const struct swept *swept, const char *request) {
  return request == NULL ? REBAL_NONE : test_request_handle(swept->world, request);
}

static void draw_ledger(struct dice *dice, struct swept *swept) {
  const struct plain_case *drawn = swept->drawn;

  swept->ledger = NULL;
  if (chance(dice, 35)) {
    return;
  }
  (void)rebal_ledger_new(swept->world->fleet, NULL, &swept->ledger, NULL);
  for (uint32_t i = roll(dice, chance(dice, 70) ? 12 : 300); i > 0; i--) {
    static const char *const keys[] = {"default/b0", "default/b3", "default/b7", "default/other", "default/again"};
    const struct plain_cluster *cluster = &drawn->clusters[roll(dice, (uint32_t)drawn->n_clusters)];
    const uint32_t row = roll(dice, 2 * PLAIN_BINDINGS);
    const char *request = row < PLAIN_BINDINGS ? drawn->bindings[row].request->text : OWN_REQUEST;
    char other[24];

    (void)snprintf(other, sizeof other, "default/o%u", (unsigned)roll(dice, 300));
    if (cluster->id != REBAL_NONE) {
      const char *key = chance(dice, 70) ? other : PICK(dice, keys);

      test_charge(swept->ledger, key, cluster->id, handle_of(swept, request),
                  (int32_t)roll(dice, chance(dice, 80) ? 20 : 400));
    }
  }
}

static void draw_options(struct dice *dice, struct swept *swept) {
  const struct plain_case *drawn = swept->drawn;
  rebal_schedule_opts *schedule = &swept->schedule;

  *schedule = drawn->caller.opts;
  schedule->ledger = swept->ledger;
  if (chance(dice, 60)) {
    schedule->flags &= ~(uint32_t)REBAL_SCHEDULE_FLAG_SINGLE_GROUP;
  }
  swept->compat = NULL;
  if (swept->ledger != NULL && chance(dice, 70)) {
    if (drawn->caller.compat == NULL) {
      swept->compat = test_compat(REBAL_OPTION_NONE, 0);
      schedule->compat = swept->compat;
    }
    (void)rebal_compat_set(drawn->caller.compat == NULL ? swept->compat : drawn->caller.compat,
                           REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, chance(dice, 90), NULL);
  }
  memset(&swept->opts, 0, sizeof swept->opts);
  swept->opts.struct_size = (uint32_t)sizeof swept->opts;
  swept->opts.flags = REBAL_SWEEP_FLAG_BINDINGS;
  swept->opts.schedule = schedule;
  swept->opts.kinds = roll(dice, 128) & 126u;
  swept->opts.n_sets = roll(dice, MOST_SETS + 1);
  swept->opts.set_clusters = swept->set_clusters;
  swept->opts.set_offsets = swept->set_offsets;
  swept->set_offsets[0] = 0;
  for (size_t set = 0; set < MOST_SETS; set++) {
    uint32_t n = swept->set_offsets[set];

    for (uint32_t i = roll(dice, 4); i > 0; i--) {
      const uint32_t id = drawn->clusters[roll(dice, (uint32_t)drawn->n_clusters)].id;

      swept->set_clusters[n] = id;
      n += id != REBAL_NONE && id < drawn->n_clusters;
    }
    swept->set_offsets[set + 1] = n;
  }
}

/* Most bindings are placed where rebal_schedule() puts them; the ledger may hold them then. */
static void settle(struct dice *dice, struct swept *swept, struct plain_case *drawn, uint32_t repeated) {
  rebal_schedule_opts opts = swept->schedule;
  rebal_result *result = swept->world->result;
  rebal_ledger *fork = NULL;

  swept->steady = write_bindings(drawn, 1, repeated);
  if (swept->ledger != NULL && chance(dice, 50)) {
    (void)rebal_ledger_fork(swept->ledger, &fork, NULL);
    opts.ledger = fork;
  }
  if (rebal_schedule(swept->world->ctx, swept->world->snapshot, swept->steady, &opts, result, NULL) == REBAL_OK) {
    for (size_t row = 0; row < PLAIN_BINDINGS; row++) {
      if (chance(dice, 80) && rebal_result_i64(result, REBAL_DECISION_PLACED, NULL)[row] > 0) {
        plain_keep_answer(drawn, row);
      }
    }
  }
  rebal_ledger_free(fork);
  rebal_bindings_free(swept->steady);
}

/* ---- the long way ------------------------------------------------------------------------------------------------ */

/* The lost clusters of a row of SWEPT. */
static size_t find_lost(struct swept *swept, const rebal_result *result, size_t row) {
  const struct plain_case *drawn = swept->drawn;
  const int64_t kind = rebal_result_i64(result, REBAL_SWEPT_KIND, NULL)[row];
  const int64_t set = rebal_result_i64(result, REBAL_SWEPT_SET, NULL)[row];
  const char *name = rebal_result_text(result, REBAL_SWEPT_NAME, row, NULL);
  size_t n = 0;

  memset(swept->lost, 0, sizeof swept->lost);
  for (uint32_t i = 0; set >= 0 && i < swept->set_offsets[set + 1] - swept->set_offsets[set]; i++) {
    swept->lost[swept->set_clusters[swept->set_offsets[set] + i]] = 1;
  }
  for (size_t i = 0; i < drawn->n_clusters; i++) {
    const struct plain_cluster *cluster = &drawn->clusters[i];
    char region[12], provider[12];

    (void)snprintf(region, sizeof region, "r%u", (unsigned)cluster->region);
    (void)snprintf(provider, sizeof provider, "p%u", (unsigned)cluster->provider);
    if (cluster->id != REBAL_NONE && cluster->is_present &&
        ((kind == REBAL_LOSS_CLUSTER && strcmp(cluster->name, name) == 0) ||
         (kind == REBAL_LOSS_REGION && cluster->region != 0 && strcmp(region, name) == 0) ||
         (kind == REBAL_LOSS_PROVIDER && cluster->provider != 0 && strcmp(provider, name) == 0) ||
         (kind == REBAL_LOSS_ZONE && cluster->zones == 1 && strcmp("z1", name) == 0))) {
      swept->lost[cluster->id] = 1;
    }
  }
  for (size_t i = 0; i < PLAIN_CELLS; i++) {
    n += swept->lost[i] != 0;
  }
  return n;
}

/* The options with the lost clusters added to those that the caller rejects. */
static rebal_schedule_opts reject_lost(struct swept *swept) {
  rebal_schedule_opts opts = swept->schedule;

  for (size_t b = 0; b < PLAIN_BINDINGS; b++) {
    for (size_t c = 0; c < PLAIN_CELLS; c++) {
      const size_t own = b * (size_t)swept->schedule.extra_stride + c;
      const size_t cell = b * PLAIN_CELLS + c;
      const int is_given = c < swept->schedule.extra_clusters;

      swept->reject[cell] = swept->lost[c] || (is_given && opts.extra_reject != NULL && opts.extra_reject[own] != 0);
      swept->score[cell] = is_given && opts.extra_score != NULL ? opts.extra_score[own] : 0;
    }
  }
  opts.extra_reject = swept->reject;
  opts.extra_score = opts.extra_score == NULL ? NULL : swept->score;
  opts.extra_clusters = PLAIN_CELLS;
  opts.extra_stride = PLAIN_CELLS;
  return opts;
}

static const char *schedule_all(struct swept *swept, const char **wrong) {
  rebal_schedule_opts opts = reject_lost(swept);
  rebal_ledger *fork = NULL;

  if (swept->ledger != NULL) {
    (void)rebal_ledger_fork(swept->ledger, &fork, NULL);
  }
  opts.ledger = fork;
  *wrong = rebal_schedule(swept->world->ctx, swept->world->snapshot, swept->steady, &opts, swept->plain,
                          &swept->world->err) == REBAL_OK
               ? NULL
               : fault("rebal_schedule: %s", swept->world->err.message);
  rebal_ledger_free(fork);
  return *wrong;
}

/* The replicas that a binding has, and those that it gets; -1: the cluster is not named. */
static int64_t read_binding(struct swept *swept, size_t row) {
  const struct plain_binding *binding = &swept->drawn->bindings[row];
  const int64_t outcome = rebal_result_i64(swept->plain, REBAL_DECISION_OUTCOME, NULL)[row];
  const size_t first = (size_t)rebal_result_i64(swept->plain, REBAL_DECISION_FIRST_PLACED, NULL)[row];
  const size_t n = (size_t)rebal_result_i64(swept->plain, REBAL_DECISION_PLACED, NULL)[row];
  const int is_placed = outcome == REBAL_OUTCOME_SCHEDULED || outcome == REBAL_OUTCOME_PARTIAL;

  for (size_t c = 0; c < PLAIN_CELLS; c++) {
    swept->present[c] = -1;
    swept->planned[c] = -1;
  }
  for (size_t i = 0; i < binding->n_targets; i++) {
    const uint32_t id = plain_target_id(swept->drawn, &binding->targets[i]);

    swept->present[id] = (swept->present[id] < 0 ? 0 : swept->present[id]) + binding->targets[i].replicas;
  }
  for (size_t i = 0; is_placed && i < n; i++) {
    const int64_t id = rebal_result_i64(swept->plain, REBAL_PLACED_CLUSTER, NULL)[first + i];
    const int64_t replicas = rebal_result_i64(swept->plain, REBAL_PLACED_REPLICAS, NULL)[first + i];

    swept->planned[id] = (swept->planned[id] < 0 ? 0 : swept->planned[id]) + (replicas > 0 ? replicas : 0);
  }
  for (size_t c = 0; !is_placed && c < PLAIN_CELLS; c++) {
    swept->planned[c] = swept->lost[c] ? -1 : swept->present[c];
  }
  return outcome;
}

static void count_binding(struct swept *swept, size_t row, int64_t outcome, int is_base, struct tally *tally) {
  int64_t before = 0, after = 0, left = 0, missing, moved;

  for (size_t c = 0; c < PLAIN_CELLS; c++) {
    const int64_t x = swept->present[c] > 0 ? swept->present[c] : 0;
    const int64_t y = swept->planned[c] > 0 ? swept->planned[c] : 0;

    before += x;
    after += y;
    left += x > y ? x - y : 0;
  }
  missing = swept->drawn->bindings[row].replicas - after;
  missing = missing > 0 ? missing : 0;
  moved = left - (before > after ? before - after : 0);
  tally->unplaced += outcome != REBAL_OUTCOME_SCHEDULED && outcome != REBAL_OUTCOME_PARTIAL;
  tally->missing += missing;
  tally->moved += moved;
  if (is_base) {
    swept->base_outcome[row] = outcome;
    memcpy(swept->base[row], swept->planned, sizeof swept->planned);
  } else if (outcome != swept->base_outcome[row] ||
             memcmp(swept->base[row], swept->planned, sizeof swept->planned) != 0) {
    const int64_t cells[] = {(int64_t)row, outcome, missing, moved};

    memcpy(tally->affected[tally->n_affected++], cells, sizeof cells);
  }
}

/* ---- how full ---------------------------------------------------------------------------------------------------- */

static const char *const resource_names[PLAIN_RESOURCES] = {"pods", "cpu", "memory"};

static int64_t amount_of(const struct swept *swept, uint32_t part, uint32_t cluster, size_t resource) {
  rebal_quantity quantity;

  (void)rebal_snapshot_capacity(swept->world->snapshot, part, cluster, swept->drawn->handles.resources[resource],
                                &quantity);
  return resource == PLAIN_CPU ? rebal_quantity_milli(&quantity) : rebal_quantity_value(&quantity);
}

/* What is requested by a handle. */
static const int64_t *amounts_of(const struct swept *swept, int64_t handle) {
  static const int64_t own[PLAIN_RESOURCES] = {[PLAIN_CPU] = 1000, [PLAIN_MEMORY] = 7}, none[PLAIN_RESOURCES];

  if (handle == test_request_handle(swept->world, OWN_REQUEST)) {
    return own;
  }
  for (size_t row = 0; row < PLAIN_BINDINGS; row++) {
    const struct plain_request *request = swept->drawn->bindings[row].request;

    if (request->text != NULL && handle == handle_of(swept, request->text)) {
      return request->amounts;
    }
  }
  return none;
}

/* Doubles represent the numbers of these fleets exactly, but not those of fleets with odd amounts. */
static void begin_use(struct swept *swept) {
  const struct plain_case *drawn = swept->drawn;
  size_t n = 0;

  for (size_t i = 0; i < drawn->n_clusters; i++) {
    for (size_t r = 0; drawn->clusters[i].id != REBAL_NONE && r < PLAIN_RESOURCES; r++) {
      const uint32_t id = drawn->clusters[i].id;

      swept->used[id][r] = (double)amount_of(swept, REBAL_CAPACITY_ALLOCATED, id, r);
    }
  }
  if (swept->ledger != NULL && rebal_ledger_read(swept->ledger, swept->plain, NULL) == REBAL_OK) {
    n = rebal_result_count(swept->plain, REBAL_TABLE_SPENT);
  }
  for (size_t i = 0; i < n; i++) {
    const int64_t id = rebal_result_i64(swept->plain, REBAL_SPENT_CLUSTER, NULL)[i];
    const double replicas = (double)rebal_result_i64(swept->plain, REBAL_SPENT_REPLICAS, NULL)[i];
    const int64_t *amounts = amounts_of(swept, rebal_result_i64(swept->plain, REBAL_SPENT_REQUIREMENTS, NULL)[i]);

    swept->used[id][PLAIN_PODS] += replicas;
    swept->used[id][PLAIN_CPU] += replicas * (double)amounts[PLAIN_CPU];
    swept->used[id][PLAIN_MEMORY] += replicas * (double)amounts[PLAIN_MEMORY];
  }
}

static void add_use(struct swept *swept, size_t row) {
  const struct plain_request *request = swept->drawn->bindings[row].request;

  for (size_t c = 0; c < PLAIN_CELLS; c++) {
    const int64_t x = swept->present[c] > 0 ? swept->present[c] : 0;
    const int64_t y = swept->planned[c] > 0 ? swept->planned[c] : 0;

    swept->used[c][PLAIN_PODS] += (double)(y - x);
    swept->used[c][PLAIN_CPU] += (double)((y - x) * request->amounts[PLAIN_CPU]);
    swept->used[c][PLAIN_MEMORY] += (double)((y - x) * request->amounts[PLAIN_MEMORY]);
  }
}

static int64_t permille_of(const struct swept *swept, uint32_t id, size_t resource, int64_t all) {
  const int64_t used = swept->used[id][resource] > 0 ? (int64_t)swept->used[id][resource] : 0;

  return (used * 1000 + all - 1) / all;
}

static const char *check_fullest(const struct swept *swept, const rebal_result *result, size_t row) {
  static const size_t by_name[] = {PLAIN_CPU, PLAIN_MEMORY, PLAIN_PODS};
  const struct plain_case *drawn = swept->drawn;
  const struct plain_cluster *best = NULL;
  const char *resource = "";
  int64_t most = 0;

  for (size_t i = 0; i < drawn->n_clusters; i++) {
    const struct plain_cluster *cluster = &drawn->clusters[i];

    if (cluster->id == REBAL_NONE || !cluster->is_present || !cluster->has_summary || swept->lost[cluster->id]) {
      continue;
    }
    for (size_t r = 0; r < PLAIN_RESOURCES; r++) {
      const int64_t all = amount_of(swept, REBAL_CAPACITY_ALLOCATABLE, cluster->id, by_name[r]);
      const int64_t permille = all > 0 ? permille_of(swept, cluster->id, by_name[r], all) : -1;

      if (permille >= 0 && (best == NULL || permille > most ||
                            (permille == most && best != cluster && strcmp(cluster->name, best->name) < 0))) {
        best = cluster;
        resource = resource_names[by_name[r]];
        most = permille;
      }
    }
  }
  if (rebal_result_i64(result, REBAL_SWEPT_FULLEST, NULL)[row] != (best == NULL ? REBAL_ABSENT : (int64_t)best->id) ||
      rebal_result_i64(result, REBAL_SWEPT_FULL, NULL)[row] != most ||
      strcmp(rebal_result_text(result, REBAL_SWEPT_RESOURCE, row, NULL), resource) != 0) {
    return fault("row %u: %lld of %s, not %lld of %s in %s", (unsigned)row,
                 (long long)rebal_result_i64(result, REBAL_SWEPT_FULL, NULL)[row],
                 rebal_result_text(result, REBAL_SWEPT_RESOURCE, row, NULL), (long long)most, resource,
                 best == NULL ? "no cluster" : best->name);
  }
  return NULL;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* All bindings with the clusters in swept->lost. */
static const char *tally_loss(struct swept *swept, int is_base, struct tally *tally) {
  const char *wrong;

  memset(tally, 0, sizeof *tally);
  begin_use(swept);
  if (schedule_all(swept, &wrong) != NULL) {
    return wrong;
  }
  for (size_t row = 0; row < PLAIN_BINDINGS; row++) {
    const int64_t outcome = read_binding(swept, row);

    count_binding(swept, row, outcome, is_base, tally);
    add_use(swept, row);
  }
  return NULL;
}

static const char *check_affected(const rebal_result *result, const struct tally *tally, int64_t loss, size_t *at) {
  const uint32_t columns[] = {REBAL_AFFECTED_BINDING, REBAL_AFFECTED_OUTCOME, REBAL_AFFECTED_MISSING,
                              REBAL_AFFECTED_MOVED};
  const size_t n = rebal_result_count(result, REBAL_TABLE_AFFECTED);

  for (size_t i = 0; i < tally->n_affected; i++, (*at)++) {
    if (*at >= n || rebal_result_i64(result, REBAL_AFFECTED_LOSS, NULL)[*at] != loss) {
      return fault("loss %lld: binding %lld is affected, too", (long long)loss, (long long)tally->affected[i][0]);
    }
    for (size_t c = 0; c < 4; c++) {
      if (rebal_result_i64(result, columns[c], NULL)[*at] != tally->affected[i][c]) {
        return fault("loss %lld: cell %u of an affected binding is %lld, not %lld", (long long)loss, (unsigned)c,
                     (long long)rebal_result_i64(result, columns[c], NULL)[*at], (long long)tally->affected[i][c]);
      }
    }
  }
  return *at < n && rebal_result_i64(result, REBAL_AFFECTED_LOSS, NULL)[*at] == loss
             ? fault("loss %lld: binding %lld is not affected", (long long)loss,
                     (long long)rebal_result_i64(result, REBAL_AFFECTED_BINDING, NULL)[*at])
             : NULL;
}

static const char *check_loss(struct swept *swept, const rebal_result *result, size_t row, size_t *at) {
  static struct tally tally;
  const int64_t loss = rebal_result_i64(result, REBAL_SWEPT_LOSS, NULL)[row];
  const size_t n = find_lost(swept, result, row);
  const char *wrong = tally_loss(swept, 0, &tally);

  if (wrong == NULL && (rebal_result_i64(result, REBAL_SWEPT_CLUSTERS, NULL)[row] != (int64_t)n ||
                        rebal_result_i64(result, REBAL_SWEPT_UNPLACED, NULL)[row] != tally.unplaced ||
                        rebal_result_i64(result, REBAL_SWEPT_MISSING, NULL)[row] != tally.missing ||
                        rebal_result_i64(result, REBAL_SWEPT_MOVED, NULL)[row] != tally.moved)) {
    wrong = fault("loss %lld of %u clusters: %lld unplaced, %lld missing, %lld moved, not %lld, %lld, %lld",
                  (long long)loss, (unsigned)n, (long long)rebal_result_i64(result, REBAL_SWEPT_UNPLACED, NULL)[row],
                  (long long)rebal_result_i64(result, REBAL_SWEPT_MISSING, NULL)[row],
                  (long long)rebal_result_i64(result, REBAL_SWEPT_MOVED, NULL)[row], (long long)tally.unplaced,
                  (long long)tally.missing, (long long)tally.moved);
  }
  wrong = wrong == NULL ? check_affected(result, &tally, loss, at) : wrong;
  return wrong == NULL && !swept->drawn->has_odd_amounts ? check_fullest(swept, result, row) : wrong;
}

/* Two calls, one after the other, equal one. */
static const char *check_parts(struct swept *swept, struct dice *dice, const rebal_result *whole) {
  static const uint32_t columns[] = {REBAL_SWEPT_LOSS, REBAL_SWEPT_UNPLACED, REBAL_SWEPT_MISSING, REBAL_SWEPT_MOVED,
                                     REBAL_SWEPT_FULL, REBAL_SWEPT_FULLEST,  REBAL_SWEPT_DECIDED, REBAL_SWEPT_KIND};
  const size_t n = rebal_result_count(whole, REBAL_TABLE_SWEPT);
  const size_t cut = n < 2 ? 0 : 1 + roll(dice, (uint32_t)n - 1);
  rebal_sweep_opts opts = swept->opts;
  size_t n_part;

  if (cut == 0) {
    return NULL;
  }
  opts.first_loss += cut;
  opts.max_work = n - cut;
  if (rebal_sweep(swept->world->ctx, swept->world->snapshot, swept->given, &opts, swept->plain, &swept->world->err) !=
      REBAL_OK) {
    return fault("rebal_sweep: %s", swept->world->err.message);
  }
  n_part = rebal_result_count(swept->plain, REBAL_TABLE_SWEPT);
  for (size_t i = 0; i < n_part; i++) {
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
      if (rebal_result_i64(swept->plain, columns[c], NULL)[i] != rebal_result_i64(whole, columns[c], NULL)[cut + i]) {
        return fault("the part from %u on differs in row %u", (unsigned)cut, (unsigned)i);
      }
    }
  }
  return n_part == n - cut ? NULL : fault("a part has %u rows, not %u", (unsigned)n_part, (unsigned)(n - cut));
}

static const char *sweep(struct swept *swept, struct dice *dice) {
  struct test_world *world = swept->world;
  rebal_result *result = world->result;
  uint64_t n_losses;
  size_t at = 0;
  const char *wrong = NULL;

  if (rebal_sweep_count(world->ctx, world->snapshot, &swept->opts, &n_losses, &world->err) != REBAL_OK) {
    return fault("rebal_sweep_count: %s", world->err.message);
  }
  swept->opts.first_loss = roll(dice, (uint32_t)n_losses + 1);
  swept->opts.max_work = MOST_LOSSES;
  if (rebal_sweep(world->ctx, world->snapshot, swept->given, &swept->opts, result, &world->err) != REBAL_OK) {
    return fault("rebal_sweep: %s", world->err.message);
  }
  memset(swept->lost, 0, sizeof swept->lost);
  wrong = tally_loss(swept, 1, &(struct tally){0});
  for (size_t row = 0; row < rebal_result_count(result, REBAL_TABLE_SWEPT) && wrong == NULL; row++) {
    wrong = check_loss(swept, result, row, &at);
  }
  return wrong == NULL ? check_parts(swept, dice, result) : wrong;
}

static const char *compare_sweep(struct dice *dice, struct plain_case *drawn) {
  static struct swept swept;
  const uint32_t repeated = chance(dice, 20) ? roll(dice, 1u << PLAIN_BINDINGS) : 0;
  const char *wrong;

  swept.drawn = drawn;
  swept.world = &drawn->world;
  draw_ledger(dice, &swept);
  draw_options(dice, &swept);
  if (chance(dice, 50)) {
    settle(dice, &swept, drawn, repeated);
  }
  swept.given = write_bindings(drawn, 0, repeated);
  swept.steady = write_bindings(drawn, 1, repeated);
  if (rebal_result_new(NULL, &swept.plain, NULL) != REBAL_OK) {
    return "no memory";
  }
  wrong = sweep(&swept, dice);
  if (wrong == NULL && rebal_schedule(drawn->world.ctx, drawn->world.snapshot, drawn->world.bindings,
                                      &drawn->caller.opts, drawn->world.result, &drawn->world.err) != REBAL_OK) {
    wrong = fault("rebal_schedule: %s", drawn->world.err.message);
  }
  rebal_result_free(swept.plain);
  rebal_ledger_free(swept.ledger);
  rebal_compat_free(swept.compat);
  rebal_bindings_free(swept.given);
  rebal_bindings_free(swept.steady);
  return wrong;
}

const char *law_sweep(struct dice *dice) {
  return plain_try(dice, (int)roll(dice, 4), compare_sweep);
}
