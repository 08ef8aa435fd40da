/* SPDX-License-Identifier: MIT */
/*
 * Every exported function survives NULL and invalid arguments, with the answer its contract promises: the calls of
 * null-calls*.def, each with and without a rebal_error. The symbol map lists the functions that must be called.
 */
#include <rebalance/rebalance.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Valid arguments of calls, and places for results. */
struct arguments {
  rebal_fleet *fleet; /* cluster 0 is m1, tainted NoExecute */
  rebal_snapshot *snapshot;
  rebal_bindings *bindings; /* frozen; one binding, whose target, task and status item name no cluster */
  rebal_bindings *open;     /* not frozen; one binding */
  rebal_fleet *other_fleet;
  rebal_snapshot *elsewhere;      /* of the other fleet, without rows */
  rebal_bindings *open_elsewhere; /* of the other fleet, without rows */
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_result *verdicts;  /* of rebal_filter() */
  rebal_result *explained; /* of rebal_schedule() with a row of explanation */
  rebal_ledger *ledger;
  rebal_ledger *foreign_ledger;
  rebal_compat *compat;
  rebal_observations *observations;
  rebal_builder *builder;
  rebal_pods *pods; /* a row of each table */
  rebal_spread *spread;
  rebal_builder *builders[4]; /* of the next four */
  const rebal_record *placement;
  const rebal_record *affinity;
  const rebal_record *rebalancer;
  const rebal_record *workload_spread;
  rebal_estimate_opts foreign_estimate_opts;
  rebal_schedule_opts foreign_schedule_opts;
  rebal_failover_opts evicting_opts;
  rebal_quantity quantity;
  rebal_time now;
  rebal_time unused_time;
  uint32_t cpu;
  uint32_t id;
  int32_t left;
  int64_t integer;
  uint64_t wide;
  size_t n;
  char buffer[8];
  const rebal_record *record;
  rebal_plan *plan;
  /* Calls that must fail leave these as they are. */
  rebal_fleet *new_fleet;
  rebal_snapshot *new_snapshot;
  rebal_bindings *new_bindings;
  rebal_plan *new_plan;
  rebal_ctx *new_ctx;
  rebal_result *new_result;
  rebal_ledger *new_ledger;
  rebal_compat *new_compat;
  rebal_observations *new_observations;
  const char *new_texts;
  const uint32_t *new_offsets;
  const rebal_time *new_times;
  rebal_builder *new_builder;
  rebal_pods *new_pods;
  rebal_spread *new_spread;
  rebal_movement problem;
  rebal_movement_answer movement;
  int64_t movement_price;
};

static const int64_t one = 1;
static const uint32_t none = REBAL_NONE;
static const uint32_t unknown = 12345;
static const int32_t single = 1;
static const int32_t negative = INT32_MIN;
static const uint32_t offsets[] = {0, 1};
static const uint32_t falling[] = {2, 1};
static const rebal_time no_time = {INT64_MIN, INT32_MIN, 1};
static const rebal_quantity no_quantity = {INT64_MIN, INT32_MAX, UINT32_MAX};
static const rebal_allocator no_allocator = {1, 0, NULL, NULL, NULL, NULL};
static const rebal_allocator empty_allocator = {(uint32_t)sizeof(rebal_allocator), 0, NULL, NULL, NULL, NULL};
static const rebal_ctx_opts no_ctx_opts = {UINT32_MAX, 0, 0, 0};
static const rebal_ctx_opts strange_ctx_opts = {(uint32_t)sizeof(rebal_ctx_opts), UINT32_MAX, 0, 0};
static const rebal_estimate_opts no_estimate_opts = {.struct_size = 1};
static const rebal_unschedulable_opts no_unschedulable_opts = {1, 0, 0};
static const rebal_place_opts no_place_opts = {1, 0, NULL, NULL};
static const rebal_schedule_opts no_schedule_opts = {.struct_size = 1};
static const rebal_move no_move = {.struct_size = 1};
static const rebal_move far_move = {
    .struct_size = (uint32_t)sizeof far_move, .binding = 99, .target = 1, .replicas = 1};
static const rebal_counterfactual_opts no_counterfactual_opts = {.struct_size = 1};
static const rebal_sweep_opts no_sweep_opts = {.struct_size = 1};
static const rebal_sweep_opts strange_sweep_opts = {.struct_size = (uint32_t)sizeof strange_sweep_opts, .kinds = 1};
static const rebal_schedule_opts far_schedule_opts = {
    .struct_size = (uint32_t)sizeof(rebal_schedule_opts), .first_row = UINT64_MAX, .max_work = UINT64_MAX};
static const rebal_schedule_opts wild_schedule_opts = {.struct_size = (uint32_t)sizeof(rebal_schedule_opts),
                                                       .ledger_expiry = &no_time};
static const rebal_parties a_party = {(uint32_t)sizeof a_party, 0, "a", offsets, &one, 1, "", 0};
static const rebal_parties no_cluster = {(uint32_t)sizeof no_cluster, 0, NULL, NULL, NULL, 0, NULL, 0};
static const rebal_parties no_parties = {1, 0, "a", offsets, &one, 1, "", 0};
static const rebal_parties odd_parties = {(uint32_t)sizeof odd_parties, 1, "a", offsets, &one, 1, "", 0};
static const rebal_parties nameless_parties = {(uint32_t)sizeof odd_parties, 0, NULL, offsets, &one, 1, "", 0};
static const rebal_parties endless_parties = {(uint32_t)sizeof odd_parties, 0, "a", NULL, &one, 1, "", 0};
static const rebal_parties weightless_parties = {(uint32_t)sizeof odd_parties, 0, "a", offsets, NULL, 1, "", 0};
static const rebal_parties falling_parties = {(uint32_t)sizeof odd_parties, 0, "ab", falling, &one, 1, "", 0};
static const rebal_parties uidless_parties = {(uint32_t)sizeof odd_parties, 0, "a", offsets, &one, 1, NULL, 3};
static const rebal_parties far_parties = {(uint32_t)sizeof odd_parties, 0, "a", offsets, &one, UINT64_MAX, "", 0};
static const rebal_divide_opts no_divide_opts = {.struct_size = 1};
static const rebal_divide_opts odd_divide_opts = {.struct_size = (uint32_t)sizeof odd_divide_opts, .flags = 2};
static const rebal_divide_opts keep_divide_opts = {.struct_size = (uint32_t)sizeof keep_divide_opts,
                                                   .flags = REBAL_DIVIDE_FLAG_KEEP_CURRENT};
static const rebal_divide_opts both_divide_opts = {
    .struct_size = (uint32_t)sizeof both_divide_opts, .before = &single, .current = &single};
static const rebal_observation an_observation = {.struct_size = (uint32_t)sizeof an_observation, .outcome = 1};
static const rebal_observation no_observation = {.struct_size = 1, .outcome = 1};
static const rebal_observation odd_observation = {.struct_size = (uint32_t)sizeof odd_observation,
                                                  .outcome = INT32_MIN};
static const rebal_observation unread_observation = {
    .struct_size = (uint32_t)sizeof unread_observation, .outcome = 1, .resource_version_len = 1};
static const rebal_observation mute_observation = {
    .struct_size = (uint32_t)sizeof mute_observation, .outcome = 1, .message_len = 1};
static const rebal_charge no_charge = {.struct_size = 1};
static const rebal_charge far_charge = {(uint32_t)sizeof far_charge, 0, &none, &single, UINT64_MAX, NULL};
static const rebal_rebalancer_opts no_rebalancer_opts = {.struct_size = UINT32_MAX};
static const rebal_deschedule_opts no_deschedule_opts = {.struct_size = UINT32_MAX};
static const rebal_admit_opts no_admit_opts = {.struct_size = UINT32_MAX};
static const rebal_admit_opts strange_admit_opts = {
    .struct_size = (uint32_t)sizeof(rebal_admit_opts), .cluster = UINT32_MAX, .reserved0 = 1};
static const rebal_admit_opts lost_admit_opts = {
    .struct_size = (uint32_t)sizeof(rebal_admit_opts), .rows = &unknown, .n_rows = 1};
static const rebal_admit_opts many_admit_opts = {
    .struct_size = (uint32_t)sizeof(rebal_admit_opts), .rows = &unknown, .n_rows = UINT64_MAX};
static const rebal_failover_opts no_failover_opts = {.struct_size = UINT32_MAX};
static const rebal_failover_opts strange_failover_opts = {.struct_size = (uint32_t)sizeof(rebal_failover_opts),
                                                          .flags = UINT32_MAX};
static const rebal_cool_down_opts no_cool_down_opts = {.struct_size = UINT32_MAX};
static const rebal_cool_down_opts strange_cool_down_opts = {.struct_size = (uint32_t)sizeof(rebal_cool_down_opts),
                                                            .flags = 1};
static const rebal_cool_down_opts negative_cool_down_opts = {.struct_size = (uint32_t)sizeof(rebal_cool_down_opts),
                                                             .cool_down_ns = INT64_MIN};
static const rebal_spread_opts no_spread_opts = {.struct_size = UINT32_MAX};
static const rebal_spread_opts strange_spread_opts = {.struct_size = (uint32_t)sizeof(rebal_spread_opts), .flags = 2};
static const rebal_spread_opts far_spread_opts = {.struct_size = (uint32_t)sizeof(rebal_spread_opts),
                                                  .cluster = UINT32_MAX};
static const rebal_united_opts lost_united_opts = {
    .struct_size = (uint32_t)sizeof(rebal_united_opts), .rows = &none, .n_rows = 1};
static const rebal_united_opts no_united_opts = {.struct_size = UINT32_MAX};
static const rebal_united_opts strange_united_opts = {.struct_size = (uint32_t)sizeof(rebal_united_opts), .flags = 1};
static const rebal_united_opts far_united_opts = {.struct_size = (uint32_t)sizeof(rebal_united_opts), .n = UINT64_MAX};

static const int64_t counts[] = {0, 0};
static const uint64_t no_pairs[] = {0, 0};
static const rebal_movement a_movement = {
    .struct_size = (uint32_t)sizeof a_movement, .n_bindings = 1, .replicas = counts, .offsets = no_pairs};
static const rebal_movement no_movement = {.struct_size = 1};
static const rebal_movement far_movement = {.struct_size = (uint32_t)sizeof far_movement, .n_bindings = UINT64_MAX};
static const rebal_movement empty_movement = {.struct_size = (uint32_t)sizeof empty_movement, .n_bindings = 1};

/* Calls without which the rest means nothing. */
static void require(int32_t code, int line) {
  if (code != REBAL_OK) {
    (void)fprintf(stderr, "line %d: %s\n", line, rebal_strerror(code));
    exit(1);
  }
}
#define REQUIRE(call) require((call), __LINE__)

/* The builder with an empty record of the kind open. */
static rebal_builder *open_record(struct arguments *a, uint32_t object) {
  REQUIRE(rebal_builder_start(a->builder, object, NULL));
  return a->builder;
}

static rebal_builder *open_pair(struct arguments *a) {
  return open_record(a, REBAL_OBJECT_PAIR);
}

static rebal_builder *open_amount(struct arguments *a) {
  return open_record(a, REBAL_OBJECT_AMOUNT);
}

static rebal_builder *open_taint(struct arguments *a) {
  return open_record(a, REBAL_OBJECT_TAINT);
}

static rebal_builder *open_taints(struct arguments *a) {
  return open_record(a, REBAL_OBJECT_TAINTS);
}

/* An empty UnitedDeployment. */
static const rebal_record *a_united(struct arguments *a) {
  const rebal_record *record = NULL;

  REQUIRE(rebal_builder_finish(open_record(a, REBAL_OBJECT_UNITED_DEPLOYMENT), &record, NULL));
  return record;
}

/* Of one binding without pairs. */
static rebal_movement_answer *movement_answer(struct arguments *a) {
  a->movement =
      (rebal_movement_answer){.struct_size = (uint32_t)sizeof a->movement, .binding_prices = &a->movement_price};
  return &a->movement;
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

/* PART distinguishes the lines of one list from those of another. */
#define PASTE(part, line) call_##part##_##line
#define EXPAND(part, line) PASTE(part, line)
#define NAME_OF(line) EXPAND(PART, line)
#define CALL(function, answer, call)                                          \
  static int64_t NAME_OF(__LINE__)(struct arguments * a, rebal_error * err) { \
    (void)a;                                                                  \
    return (int64_t)(call);                                                   \
  }
#define LOOK(function, call)                                                  \
  static int64_t NAME_OF(__LINE__)(struct arguments * a, rebal_error * err) { \
    (void)a;                                                                  \
    (void)err;                                                                \
    return (int64_t)(call);                                                   \
  }
#define PART all
#include "null-calls.def"
#undef PART
#define PART cells
#include "null-calls-cells.def"
#undef PART
#define PART nodes
#include "null-calls-nodes.def"
#undef PART
#define PART failover
#include "null-calls-failover.def"
#undef PART
#define PART spread
#include "null-calls-workloadspread.def"
#undef PART
#define PART plan
#include "null-calls-plan.def"
#undef PART
#undef CALL
#undef LOOK

struct call {
  const char *file;
  const char *function;
  int line;
  int is_look;
  int64_t answer;
  int64_t (*run)(struct arguments *a, rebal_error *err);
};

static const struct call calls[] = {
#define CALL(function, answer, call) {__FILE__, #function, __LINE__, 0, answer, NAME_OF(__LINE__)},
#define LOOK(function, call) {__FILE__, #function, __LINE__, 1, 1, NAME_OF(__LINE__)},
#define PART all
#include "null-calls.def"
#undef PART
#define PART cells
#include "null-calls-cells.def"
#undef PART
#define PART nodes
#include "null-calls-nodes.def"
#undef PART
#define PART failover
#include "null-calls-failover.def"
#undef PART
#define PART spread
#include "null-calls-workloadspread.def"
#undef PART
#define PART plan
#include "null-calls-plan.def"
#undef PART
#undef CALL
#undef LOOK
};
#define N_CALLS (sizeof calls / sizeof calls[0])

/* A failing call fills the error it was given. */
static int is_error_filled(const struct call *call, const rebal_error *err) {
  if (call->is_look || call->answer == REBAL_OK) {
    return 1;
  }
  return err->code == call->answer && err->message[0] != '\0' &&
         memchr(err->message, '\0', sizeof err->message) != NULL;
}

static int run_call(struct arguments *a, const struct call *call) {
  rebal_error err = REBAL_ERROR_INIT;
  const int64_t without = call->run(a, NULL);
  const int64_t with = call->run(a, &err);

  if (without != call->answer || with != call->answer || !is_error_filled(call, &err)) {
    (void)printf("%s:%d: %s: expected %lld, got %lld and %lld (%s)\n", call->file, call->line, call->function,
                 (long long)call->answer, (long long)without, (long long)with, err.message);
    return 1;
  }
  return 0;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static const rebal_record *make_record(rebal_builder **builder, uint32_t object) {
  const rebal_record *record;

  REQUIRE(rebal_builder_new(NULL, builder, NULL));
  REQUIRE(rebal_builder_start(*builder, object, NULL));
  if (object == REBAL_OBJECT_WORKLOAD_REBALANCER) {
    const rebal_time created = {1, 0, 1};

    REQUIRE(rebal_builder_begin(*builder, REBAL_WORKLOAD_REBALANCER_METADATA, NULL));
    REQUIRE(rebal_builder_time(*builder, REBAL_METADATA_CREATION_TIMESTAMP, &created, NULL));
    REQUIRE(rebal_builder_end(*builder, NULL));
  }
  REQUIRE(rebal_builder_finish(*builder, &record, NULL));
  return record;
}

static void make_fleet(struct arguments *a) {
  const rebal_record *taints;
  uint32_t handle;

  REQUIRE(rebal_fleet_new(NULL, &a->fleet, NULL));
  REQUIRE(rebal_fleet_add_cluster(a->fleet, "m1", 2, &a->id, NULL));
  REQUIRE(rebal_fleet_resource_id(a->fleet, "cpu", 3, &a->cpu, NULL));
  REQUIRE(rebal_builder_start(a->builder, REBAL_OBJECT_TAINTS, NULL));
  REQUIRE(rebal_builder_begin(a->builder, REBAL_TAINTS_TAINT, NULL));
  REQUIRE(rebal_builder_text(a->builder, REBAL_TAINT_EFFECT, "NoExecute", 9, NULL));
  REQUIRE(rebal_builder_end(a->builder, NULL));
  REQUIRE(rebal_builder_finish(a->builder, &taints, NULL));
  REQUIRE(rebal_fleet_intern(a->fleet, taints, &handle, NULL));
  REQUIRE(rebal_cells_set_i64(rebal_fleet_cells(a->fleet), REBAL_CLUSTER_TAINTS, REBAL_NONE, 0, handle, NULL));
  REQUIRE(rebal_fleet_freeze(a->fleet, &a->snapshot, NULL));
  REQUIRE(rebal_fleet_new(NULL, &a->other_fleet, NULL));
  REQUIRE(rebal_fleet_freeze(a->other_fleet, &a->elsewhere, NULL));
}

/* A binding with one target m1, and children that name no cluster at all. */
static void fill_bindings(struct arguments *a, rebal_bindings *bindings) {
  static const uint32_t tables[] = {REBAL_TABLE_TARGET, REBAL_TABLE_TASK, REBAL_TABLE_STATUS_ITEM,
                                    REBAL_TABLE_COMPONENT, REBAL_TABLE_TARGET};
  uint32_t placement;
  uint32_t row;
  size_t i;

  REQUIRE(rebal_fleet_intern(a->fleet, a->placement, &placement, NULL));
  REQUIRE(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL));
  REQUIRE(
      rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_BINDING_PLACEMENT, REBAL_NONE, row, placement, NULL));
  REQUIRE(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_BINDING_APPLIED_PLACEMENT, REBAL_NONE, row,
                              placement, NULL));
  REQUIRE(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_BINDING_APPLIED_STATE, REBAL_NONE, row,
                              REBAL_ANNOTATION_PRESENT, NULL));
  for (i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    REQUIRE(rebal_cells_add(rebal_bindings_cells(bindings), tables[i], row, &a->id, 1, NULL));
  }
  REQUIRE(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TARGET_CLUSTER, REBAL_NONE, a->id, 0, NULL));
}

static void make_bindings(struct arguments *a) {
  REQUIRE(rebal_bindings_new(a->fleet, NULL, &a->bindings, NULL));
  fill_bindings(a, a->bindings);
  REQUIRE(rebal_bindings_freeze(a->bindings, NULL));
  REQUIRE(rebal_bindings_new(a->fleet, NULL, &a->open, NULL));
  fill_bindings(a, a->open);
  REQUIRE(rebal_bindings_new(a->other_fleet, NULL, &a->open_elsewhere, NULL));
}

static void make_arguments(struct arguments *a) {
  const rebal_schedule_opts explaining = {.struct_size = (uint32_t)sizeof explaining, .explain_rows = 1};

  memset(a, 0, sizeof *a);
  a->now = (rebal_time){1, 0, 1};
  REQUIRE(rebal_builder_new(NULL, &a->builder, NULL));
  a->placement = make_record(&a->builders[0], REBAL_OBJECT_PLACEMENT);
  a->affinity = make_record(&a->builders[1], REBAL_OBJECT_AFFINITY);
  a->rebalancer = make_record(&a->builders[2], REBAL_OBJECT_WORKLOAD_REBALANCER);
  a->workload_spread = make_record(&a->builders[3], REBAL_OBJECT_WORKLOAD_SPREAD);
  REQUIRE(rebal_spread_new(NULL, a->workload_spread, &a->spread, NULL));
  make_fleet(a);
  make_bindings(a);
  REQUIRE(rebal_pods_new(a->fleet, NULL, &a->pods, NULL));
  REQUIRE(rebal_cells_add(rebal_pods_cells(a->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &a->id, 1, NULL));
  REQUIRE(rebal_cells_add(rebal_pods_cells(a->pods), REBAL_TABLE_OWNER, REBAL_NONE, &a->id, 1, NULL));
  REQUIRE(rebal_ctx_new(NULL, NULL, &a->ctx, NULL));
  REQUIRE(rebal_result_new(NULL, &a->result, NULL));
  REQUIRE(rebal_result_new(NULL, &a->verdicts, NULL));
  REQUIRE(rebal_filter(a->ctx, a->snapshot, a->bindings, NULL, a->verdicts, NULL));
  REQUIRE(rebal_plan_make(a->ctx, a->snapshot, a->bindings, &a->now, NULL, &a->plan, NULL));
  REQUIRE(rebal_result_new(NULL, &a->explained, NULL));
  REQUIRE(rebal_schedule(a->ctx, a->snapshot, a->bindings, &explaining, a->explained, NULL));
  REQUIRE(rebal_ledger_new(a->fleet, NULL, &a->ledger, NULL));
  REQUIRE(rebal_ledger_new(a->other_fleet, NULL, &a->foreign_ledger, NULL));
  REQUIRE(rebal_compat_new(NULL, &a->compat, NULL));
  REQUIRE(rebal_observations_new(NULL, &a->observations, NULL));
  a->foreign_estimate_opts.struct_size = (uint32_t)sizeof a->foreign_estimate_opts;
  a->foreign_estimate_opts.ledger = a->foreign_ledger;
  a->foreign_schedule_opts.struct_size = (uint32_t)sizeof a->foreign_schedule_opts;
  a->foreign_schedule_opts.ledger = a->foreign_ledger;
  a->evicting_opts.struct_size = (uint32_t)sizeof a->evicting_opts;
  a->evicting_opts.flags = REBAL_FAILOVER_FLAG_EVICT_BY_TAINT;
}

static void free_arguments(struct arguments *a) {
  size_t i;

  rebal_spread_free(a->spread);
  rebal_pods_free(a->pods);
  rebal_observations_free(a->observations);
  rebal_compat_free(a->compat);
  rebal_ledger_free(a->foreign_ledger);
  rebal_ledger_free(a->ledger);
  rebal_result_free(a->explained);
  rebal_result_free(a->verdicts);
  rebal_result_free(a->result);
  rebal_ctx_free(a->ctx);
  rebal_bindings_free(a->open_elsewhere);
  rebal_bindings_free(a->open);
  rebal_plan_free(a->plan);
  rebal_bindings_free(a->bindings);
  rebal_snapshot_unref(a->elsewhere);
  rebal_fleet_free(a->other_fleet);
  rebal_snapshot_unref(a->snapshot);
  rebal_fleet_free(a->fleet);
  for (i = 0; i < sizeof a->builders / sizeof a->builders[0]; i++) {
    rebal_builder_free(a->builders[i]);
  }
  rebal_builder_free(a->builder);
}

static int is_untouched(const struct arguments *a) {
  return a->new_fleet == NULL && a->new_snapshot == NULL && a->new_bindings == NULL && a->new_plan == NULL &&
         a->new_ctx == NULL && a->new_result == NULL && a->new_ledger == NULL && a->new_compat == NULL &&
         a->new_observations == NULL && a->new_builder == NULL && a->new_pods == NULL && a->new_spread == NULL;
}

/* ---- the symbol map ---------------------------------------------------------------------------------------------- */

static int is_listed(const char *function) {
  size_t i;

  for (i = 0; i < N_CALLS; i++) {
    if (strcmp(calls[i].function, function) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Functions of the map that nothing here calls; all of them count as one fault when the map cannot be read. */
static int count_missing(const char *top) {
  char path[4096];
  char line[256];
  int missing = 0;
  int found = 0;
  FILE *map;

  (void)snprintf(path, sizeof path, "%s/lib/librebalance.map", top);
  map = fopen(path, "r");
  while (map != NULL && fgets(line, sizeof line, map) != NULL) {
    char name[256];

    if (sscanf(line, " %255[a-z0-9_];", name) == 1 && strncmp(name, "rebal_", 6) == 0) {
      found++;
      if (!is_listed(name)) {
        (void)printf("null-calls.def: no call of %s\n", name);
        missing++;
      }
    }
  }
  if (map != NULL) {
    (void)fclose(map);
  }
  if (found == 0) {
    (void)printf("%s: no function found\n", path);
  }
  return missing + (found == 0);
}

int main(void) {
  const char *top = getenv("top_srcdir");
  struct arguments a;
  int faults = count_missing(top == NULL ? "." : top);
  size_t i;

  make_arguments(&a);
  for (i = 0; i < N_CALLS; i++) {
    faults += run_call(&a, &calls[i]);
  }
  if (!is_untouched(&a)) {
    (void)printf("a failing call wrote its output\n");
    faults++;
  }
  free_arguments(&a);
  (void)printf("%zu calls, %d faults\n", N_CALLS, faults);
  return faults == 0 ? 0 : 1;
}
