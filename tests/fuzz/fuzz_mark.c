/* SPDX-License-Identifier: MIT */
/*
 * Bytes as the annotation of a binding that is moved, which any client can write. What is not a mark counts as one of
 * another mover; a mark is written as it was read; and a step handles all of them, whatever time and phase they have.
 */
#include "law.h"
#include "plan/step/karmada.h"

#define NOW 1000000

/* A fleet with two clusters, and a plan that moves four replicas of web from a to b. */
struct world {
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_plan *plan;
  uint32_t clusters[2], placement;
  struct rebali_plan_row row;
  struct rebali_plan_cell cells[2];
};

static void intern_placement(struct world *world) {
  const rebal_record *record;

  (void)rebal_builder_start(world->builder, REBAL_OBJECT_PLACEMENT, NULL);
  (void)rebal_builder_begin(world->builder, REBAL_PLACEMENT_REPLICA_SCHEDULING, NULL);
  (void)rebal_builder_text(world->builder, REBAL_REPLICA_SCHEDULING_TYPE, "Divided", 7, NULL);
  (void)rebal_builder_end(world->builder, NULL);
  law(rebal_builder_finish(world->builder, &record, NULL) == REBAL_OK);
  law(rebal_fleet_intern(world->fleet, record, &world->placement, NULL) == REBAL_OK);
}

static void make_plan(struct world *world) {
  law(rebali_plan_new(rebali_ctx_allocator(world->ctx), rebali_snapshot_store(world->snapshot), &world->plan, NULL) ==
      REBAL_OK);
  world->row = (struct rebali_plan_row){
      .namespace_ = REBALI_TEXT("default"), .name = REBALI_TEXT("web"), .replicas = 4, .max_surge = 2, .n_cells = 2};
  for (size_t i = 0; i < 2; i++) {
    world->cells[i] = (struct rebali_plan_cell){.cluster = world->clusters[i],
                                                .present = i == 0 ? 4 : 0,
                                                .planned = i == 0 ? 0 : 4,
                                                .is_in = i == 0 ? REBALI_IN_PRESENT : REBALI_IN_PLANNED};
  }
  world->plan->now = (rebal_time){NOW, 0, 1};
  world->plan->progress_deadline_ns = 600 * REBALI_SECOND_NS;
  world->plan->inputs = (struct rebali_fingerprint){1, 2};
  world->plan->rows = &world->row;
  world->plan->n_rows = 1;
  world->plan->cells = world->cells;
  world->plan->n_cells = 2;
}

static void open_world(struct world *world) {
  law(rebal_fleet_new(NULL, &world->fleet, NULL) == REBAL_OK &&
      rebal_builder_new(NULL, &world->builder, NULL) == REBAL_OK &&
      rebal_bindings_new(world->fleet, NULL, &world->bindings, NULL) == REBAL_OK &&
      rebal_ctx_new(NULL, NULL, &world->ctx, NULL) == REBAL_OK &&
      rebal_result_new(NULL, &world->result, NULL) == REBAL_OK);
  law(rebal_fleet_add_cluster(world->fleet, "a", 1, &world->clusters[0], NULL) == REBAL_OK &&
      rebal_fleet_add_cluster(world->fleet, "b", 1, &world->clusters[1], NULL) == REBAL_OK);
  intern_placement(world);
  law(rebal_fleet_freeze(world->fleet, &world->snapshot, NULL) == REBAL_OK);
  make_plan(world);
}

static void close_world(struct world *world) {
  world->plan->rows = NULL; /* not allocated by the plan */
  world->plan->cells = NULL;
  rebal_plan_free(world->plan);
  rebal_result_free(world->result);
  rebal_ctx_free(world->ctx);
  rebal_snapshot_unref(world->snapshot);
  rebal_bindings_free(world->bindings);
  rebal_builder_free(world->builder);
  rebal_fleet_free(world->fleet);
}

/* ---- the binding ------------------------------------------------------------------------------------------------- */

static uint32_t add(struct world *world, uint32_t table, uint32_t parent) {
  uint32_t row;

  law(rebal_cells_add(rebal_bindings_cells(world->bindings), table, parent, &row, 1, NULL) == REBAL_OK);
  return row;
}
static void set(struct world *world, uint32_t column, uint32_t row, int64_t value) {
  law(rebal_cells_set_i64(rebal_bindings_cells(world->bindings), column, REBAL_NONE, row, value, NULL) == REBAL_OK);
}

/* Sets up the binding with the mark, all replicas ready in a. Returns 0 if no column can hold such a text. */
static int see(struct world *world, const char *mark, size_t len, int is_suspended) {
  rebal_cells *cells = rebal_bindings_cells(world->bindings);
  uint32_t binding, child;
  int is_held;

  rebal_bindings_reset(world->bindings);
  binding = add(world, REBAL_TABLE_BINDING, REBAL_NONE);
  is_held = rebal_cells_set_text(cells, REBAL_BINDING_PLAN_MARK, REBAL_NONE, binding, mark, len, NULL) == REBAL_OK;
  law(rebal_cells_set_text(cells, REBAL_BINDING_NAME, REBAL_NONE, binding, "web", 3, NULL) == REBAL_OK &&
      rebal_cells_set_text(cells, REBAL_BINDING_NAMESPACE, REBAL_NONE, binding, "default", 7, NULL) == REBAL_OK);
  set(world, REBAL_BINDING_REPLICAS, binding, 4);
  set(world, REBAL_BINDING_PLACEMENT, binding, world->placement);
  set(world, REBAL_BINDING_SCHEDULING_SUSPENDED, binding, is_suspended);
  child = add(world, REBAL_TABLE_TARGET, binding);
  set(world, REBAL_TARGET_CLUSTER, child, world->clusters[0]);
  set(world, REBAL_TARGET_REPLICAS, child, 4);
  child = add(world, REBAL_TABLE_STATUS_ITEM, binding);
  set(world, REBAL_STATUS_ITEM_CLUSTER, child, world->clusters[0]);
  set(world, REBAL_STATUS_ITEM_REPLICAS, child, 4);
  set(world, REBAL_STATUS_ITEM_READY_REPLICAS, child, 4);
  law(rebal_bindings_freeze(world->bindings, NULL) == REBAL_OK);
  return is_held;
}

static int64_t cell(const struct world *world, uint32_t column) {
  size_t n;
  const int64_t *cells = rebal_result_i64(world->result, column, &n);

  law(n == 1);
  return cells[0];
}

static int64_t step(struct world *world, uint32_t flags) {
  const rebal_time now = {NOW, 0, 1};
  const rebal_plan_step_opts opts = {.struct_size = (uint32_t)sizeof opts,
                                     .flags = flags | REBAL_PLAN_STEP_FLAG_ANY_CAPACITY,
                                     .dialect = REBAL_PLAN_DIALECT_KARMADA};

  law(rebal_plan_step(world->ctx, world->snapshot, world->bindings, world->plan, &now, &opts, world->result, NULL) ==
      REBAL_OK);
  return cell(world, REBAL_WAVE_STATE);
}

/* The only write removes the mark, and our suspension with it. */
static void expect_release(struct world *world, uint32_t flags) {
  law(step(world, flags) == REBAL_WAVE_STATE_MOVING && cell(world, REBAL_WAVE_FOREIGN) == 1);
  law((cell(world, REBAL_ACTION_REPLACES) & ~(int64_t)REBAL_REPLACES_SCHEDULING_SUSPENSION) ==
      REBAL_REPLACES_PLAN_MARK);
}

/* ---- the laws ---------------------------------------------------------------------------------------------------- */

static int is_same(const struct rebali_mark *one, const struct rebali_mark *other) {
  return one->is_present == other->is_present && one->phase == other->phase && one->plan.high == other->plan.high &&
         one->plan.low == other->plan.low && one->digest == other->digest &&
         rebali_time_compare(&one->time, &other->time) == 0;
}

/* Writes a mark as text. It must be read as the same. */
static void write_mark(const struct world *world, const struct rebali_mark *mark, struct rebali_buffer *out) {
  struct rebali_mark again;

  rebali_buffer_init(out, rebali_ctx_allocator(world->ctx));
  rebali_mark_write(mark, out);
  law(!out->failed);
  rebali_mark_read(rebali_text(out->bytes, out->len), &again);
  law(is_same(mark, &again));
}

/* The digest of the binding with a suspension: that of the mark that suspends it. */
static uint64_t find_digest(struct world *world) {
  const rebal_record *record;
  struct rebali_mark mark;
  uint32_t pair;

  law(see(world, "", 0, 0) && step(world, 0) == REBAL_WAVE_STATE_MOVING);
  record = rebal_result_record(world->result, 0);
  pair = rebali_record_get(record, rebali_record_get(record, 0, REBAL_BINDING_METADATA), REBAL_METADATA_ANNOTATIONS);
  rebali_mark_read(rebali_record_field_text(record, pair, REBAL_PAIR_VALUE), &mark);
  law(mark.phase == REBALI_PHASE_SUSPENDED);
  return mark.digest;
}

/* The phase and time of a mark as if this plan had written them, with the right digest and with another one. */
static void check_ours(struct world *world, const struct rebali_mark *read) {
  struct rebali_mark ours = *read;
  struct rebali_buffer text;
  int64_t state;

  ours.plan = world->plan->inputs;
  ours.digest = find_digest(world);
  write_mark(world, &ours, &text);
  law(see(world, text.bytes, text.len, 1));
  state = step(world, 0);
  law(cell(world, REBAL_WAVE_FOREIGN) == 0 && state >= REBAL_WAVE_STATE_MOVING && state <= REBAL_WAVE_STATE_NOT_NOW);
  law(cell(world, REBAL_WAVE_REASON) != REBAL_WAVE_REASON_SETTLING ||
      (cell(world, REBAL_WAVE_AFTER_NS) > 0 && cell(world, REBAL_WAVE_AFTER_NS) <= 3 * REBALI_SECOND_NS / 2));
  rebali_buffer_dispose(&text);
  ours.digest ^= 1;
  write_mark(world, &ours, &text);
  law(see(world, text.bytes, text.len, 1));
  expect_release(world, 0);
  rebali_buffer_dispose(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct world world = {0};
  struct rebali_mark mark;

  rebali_mark_read(rebali_text((const char *)data, size), &mark);
  law(mark.is_present == (size > 0) && mark.phase <= REBALI_PHASE_DRAIN);
  open_world(&world);
  if (mark.phase != REBALI_PHASE_NONE) {
    check_ours(&world, &mark);
  } else if (size > 0 && see(&world, (const char *)data, size, 1)) {
    law(step(&world, 0) == REBAL_WAVE_STATE_NOT_NOW && cell(&world, REBAL_WAVE_REASON) == REBAL_WAVE_REASON_MARKED);
    expect_release(&world, REBAL_PLAN_STEP_FLAG_TAKE_OVER);
    law((cell(&world, REBAL_ACTION_REPLACES) & REBAL_REPLACES_SCHEDULING_SUSPENSION) == 0); /* it is not ours */
  }
  close_world(&world);
  return 0;
}
