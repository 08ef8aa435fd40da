/* SPDX-License-Identifier: MIT */
/* Any text as WorkloadSpreads, UnitedDeployments and their related objects: validated, read, admitted to, passed. */
#include "law.h"

#include <rebalance/spreading.h>
#include <rebalance/watch.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A call may fail, with a reason. */
static int worked(int32_t result, const rebal_error *err) {
  law(result == REBAL_OK || (err->code == result && err->message[0] != '\0'));
  return result == REBAL_OK;
}

static const rebal_time now = {1700000000, 500000000, 1};

/* Shared by the calls for all objects of a text. */
struct world {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_snapshot *snapshot;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_builder *builder;
  rebal_text *text;
};

/* ---- examination ------------------------------------------------------------------------------------------------- */

/* Validation works for any object; each finding has its texts and its place. */
static void check_findings(rebal_findings *findings) {
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    rebal_finding_row row = {.struct_size = sizeof row};
    law(rebal_findings_read(findings, i, &row, NULL) == REBAL_OK);
    law(row.document > 0 && row.line > 0 && row.column > 0);
    law(rebal_enum_name(REBAL_ENUM_FINDING, row.code, NULL) != NULL && row.value != NULL && row.message != NULL);
  }
  rebal_findings_free(findings);
}

static void examine(struct world *world, uint32_t object) {
  const uint32_t olds[] = {REBAL_NONE, object};
  size_t len = 0;
  const char *bytes;
  law(rebal_text_new(&world->text, NULL) == REBAL_OK);
  law(rebal_store_write(world->store, object, REBAL_TEXT_FORMAT_JSON, world->text, NULL) == REBAL_OK);
  bytes = rebal_text_bytes(world->text, &len);
  for (size_t i = 0; i < 2; i++) {
    rebal_findings *findings = NULL;
    rebal_error err = REBAL_ERROR_INIT;
    if (worked(rebal_store_validate(world->store, bytes, len, olds[i], NULL, &findings, &err), &err)) {
      check_findings(findings);
    }
  }
  rebal_text_free(world->text);
}

/* ---- statuses ---------------------------------------------------------------------------------------------------- */

/* A status that is written and read again is the same, and so is that of a copy. */
static void check_status(struct world *world, const rebal_spread *spread) {
  const rebal_record *first = NULL, *again = NULL;
  rebal_builder *other = NULL;
  rebal_spread *fork = NULL;
  law(rebal_builder_new(NULL, &other, NULL) == REBAL_OK);
  law(rebal_spread_status(spread, world->builder, &first, NULL) == REBAL_OK);
  law(rebal_spread_fork(spread, &fork, NULL) == REBAL_OK);
  law(rebal_spread_status(fork, other, &again, NULL) == REBAL_OK && rebal_record_equal(first, again));
  law(rebal_spread_load_status(fork, first, NULL) == REBAL_OK);
  law(rebal_spread_status(fork, other, &again, NULL) == REBAL_OK && rebal_record_equal(first, again));
  rebal_spread_free(fork);
  rebal_builder_free(other);
}

/* ---- admission and a pass ---------------------------------------------------------------------------------------- */

static void put_text(rebal_pods *pods, uint32_t column, uint32_t row, const char *text) {
  law(rebal_cells_set_text(rebal_pods_cells(pods), column, REBAL_NONE, row, text, strlen(text), NULL) == REBAL_OK);
}

static void put_i64(rebal_pods *pods, uint32_t column, uint32_t row, int64_t value) {
  law(rebal_cells_set_i64(rebal_pods_cells(pods), column, REBAL_NONE, row, value, NULL) == REBAL_OK);
}

/* The target as the pods' owner. */
static uint32_t add_owner(rebal_pods *pods, const rebal_record *object) {
  static const struct {
    uint32_t field, column;
  } parts[] = {{REBAL_REFERENCE_API_VERSION, REBAL_OWNER_API_VERSION},
               {REBAL_REFERENCE_KIND, REBAL_OWNER_KIND},
               {REBAL_REFERENCE_NAME, REBAL_OWNER_NAME}};
  const uint32_t spec = rebal_record_next(object, 0, REBAL_WORKLOAD_SPREAD_SPEC, REBAL_NONE);
  const uint32_t target =
      spec != REBAL_NONE ? rebal_record_next(object, spec, REBAL_SPREAD_SPEC_TARGET_REF, REBAL_NONE) : REBAL_NONE;
  uint32_t row = REBAL_NONE;
  law(rebal_cells_add(rebal_pods_cells(pods), REBAL_TABLE_OWNER, REBAL_NONE, &row, 1, NULL) == REBAL_OK);
  for (size_t i = 0; target != REBAL_NONE && i < sizeof parts / sizeof parts[0]; i++) {
    const uint32_t node = rebal_record_next(object, target, parts[i].field, REBAL_NONE);
    put_text(pods, parts[i].column, row, node != REBAL_NONE ? rebal_record_text(object, node, NULL) : "");
  }
  put_i64(pods, REBAL_OWNER_STATE, row, REBAL_OWNER_STATE_EXISTS);
  return row;
}

/* A pod with a name, one with an id, and one that goes. */
static void add_pods(rebal_pods *pods, const rebal_spread *spread, const char *name, uint32_t *rows) {
  const uint32_t owner = add_owner(pods, rebal_spread_object(spread));
  law(rebal_cells_add(rebal_pods_cells(pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, rows, 3, NULL) == REBAL_OK);
  for (size_t i = 0; i < 3; i++) {
    put_i64(pods, REBAL_SPREAD_POD_CONTROLLER, rows[i], owner);
  }
  put_text(pods, REBAL_SPREAD_POD_NAME, rows[0], "p-1");
  put_text(pods, REBAL_SPREAD_POD_ADMISSION_ID, rows[1], "id");
  put_text(pods, REBAL_SPREAD_POD_NAME, rows[2], "p-2");
  put_i64(pods, REBAL_SPREAD_POD_OPERATION, rows[2], REBAL_OPERATION_DELETE);
  put_i64(pods, REBAL_SPREAD_POD_MATCHED_STATE, rows[2], REBAL_ANNOTATION_PRESENT);
  put_text(pods, REBAL_SPREAD_POD_MATCHED_SPREAD, rows[2], name);
  put_text(pods, REBAL_SPREAD_POD_MATCHED_SUBSET, rows[2], rebal_spread_subset_name(spread, 0, NULL));
}

static void admit(struct world *world, rebal_spread *const *spreads, size_t n, const rebal_pods *pods,
                  const uint32_t *rows) {
  const rebal_admit_opts opts = {
      .struct_size = sizeof opts, .flags = REBAL_ADMIT_FLAG_EXPLAIN, .rows = rows, .n_rows = 3};
  rebal_error err = REBAL_ERROR_INIT;
  char sentence[200];
  if (worked(rebal_spread_admit(world->ctx, spreads, n, pods, &now, &opts, world->result, &err), &err)) {
    law(rebal_result_count(world->result, REBAL_TABLE_ADMITTED) <= 3);
    for (size_t i = 0; i < rebal_result_count(world->result, REBAL_TABLE_PASSED_OVER); i++) {
      (void)rebal_explain_text(NULL, world->result, REBAL_TABLE_PASSED_OVER, i, sentence, sizeof sentence, NULL, NULL);
    }
  }
}

static void pass(struct world *world, rebal_spread *spread, const rebal_pods *pods, const rebal_spread_opts *opts) {
  rebal_error err = REBAL_ERROR_INIT;
  if (worked(rebal_spread_step(world->ctx, world->snapshot, spread, pods, &now, opts, world->result, &err), &err)) {
    law(rebal_result_count(world->result, REBAL_TABLE_GROUPED) <= opts->n_rows);
  }
  check_status(world, spread);
}

/* A WorkloadSpread by itself, with pods of our own. */
static void use(struct world *world, uint32_t object) {
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  rebal_spread *spread = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  law(rebal_builder_new(NULL, &builder, NULL) == REBAL_OK);
  if (worked(rebal_store_record(world->store, object, builder, &record, &err), &err) &&
      worked(rebal_spread_new(NULL, record, &spread, &err), &err)) {
    rebal_pods *pods = NULL;
    uint32_t rows[3];
    law(rebal_pods_new(world->fleet, NULL, &pods, NULL) == REBAL_OK);
    add_pods(pods, spread, rebal_store_identity(world->store, object, REBAL_IDENTITY_NAME, NULL), rows);
    check_status(world, spread);
    admit(world, &spread, 1, pods, rows);
    check_status(world, spread);
    law(rebal_cells_set_i64(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_STATE, REBAL_NONE, 0,
                            REBAL_OWNER_STATE_EXISTS, NULL) == REBAL_OK);
    law(rebal_cells_set_i64(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_REPLICAS, REBAL_NONE, 0, 3, NULL) ==
        REBAL_OK);
    pass(world, spread, pods,
         &(rebal_spread_opts){.struct_size = sizeof(rebal_spread_opts), .rows = rows, .n_rows = 3});
    rebal_pods_free(pods);
    rebal_spread_free(spread);
  }
  rebal_builder_free(builder);
}

/* ---- whole stores ------------------------------------------------------------------------------------------------ */

static uint32_t next(const rebal_store *store, const char *kind, uint32_t previous) {
  return rebal_store_next(store, kind, strlen(kind), previous);
}

/* The pods of the text, which the feed finds, in a pass of each WorkloadSpread. */
static void pass_all(struct world *world, rebal_spread_feed *found) {
  for (uint32_t object = next(world->store, "WorkloadSpread", REBAL_NONE); object != REBAL_NONE;
       object = next(world->store, "WorkloadSpread", object)) {
    const rebal_spread *spread = rebal_spread_feed_spread(found, object);
    rebal_error err = REBAL_ERROR_INIT;
    if (worked(rebal_spread_feed_step(world->ctx, found, object, &now, NULL, world->result, &err), &err)) {
      law(rebal_result_count(world->result, REBAL_TABLE_GROUPED) <= rebal_store_count(world->store));
    }
    if (spread != NULL) {
      check_status(world, spread);
    }
  }
}

/* Every pod of the text is created and deleted once more. The admitted pod can be read. */
static void admit_all(struct world *world, rebal_spread_feed *found) {
  static const uint32_t operations[] = {REBAL_OPERATION_CREATE, REBAL_OPERATION_DELETE};
  const rebal_admit_opts opts = {.struct_size = sizeof opts};
  for (uint32_t object = next(world->store, "Pod", REBAL_NONE); object != REBAL_NONE;
       object = next(world->store, "Pod", object)) {
    for (size_t i = 0; i < 2; i++) {
      size_t len = 0;
      const char *pod;
      rebal_text *read = NULL;
      rebal_findings *findings = NULL;
      rebal_error err = REBAL_ERROR_INIT;
      law(rebal_text_new(&world->text, NULL) == REBAL_OK && rebal_text_new(&read, NULL) == REBAL_OK);
      law(rebal_store_text(world->store, object, "", 0, read, NULL) == REBAL_OK);
      pod = rebal_text_bytes(read, &len);
      if (worked(
              rebal_spread_feed_admit(world->ctx, found,
                                      &(rebal_pod_request){sizeof(rebal_pod_request), operations[i], pod, len, "id", 2},
                                      &now, &opts, world->result, world->text, &err),
              &err)) {
        pod = rebal_text_bytes(world->text, &len);
        law(len == 0 || rebal_manifest_validate(pod, len, NULL, &findings, NULL) == REBAL_OK);
        rebal_findings_free(findings);
      }
      rebal_text_free(world->text);
      rebal_text_free(read);
    }
  }
}

static void review(struct world *world, rebal_spread_feed *found, const char *bytes, size_t size) {
  const rebal_admit_opts opts = {.struct_size = sizeof opts};
  rebal_error err = REBAL_ERROR_INIT;
  law(rebal_text_new(&world->text, NULL) == REBAL_OK);
  (void)worked(rebal_spread_feed_review(world->ctx, found,
                                        &(rebal_pod_request){sizeof(rebal_pod_request), 0, bytes, size, "id", 2}, &now,
                                        &opts, world->result, world->text, &err),
               &err);
  err = (rebal_error)REBAL_ERROR_INIT;
  (void)worked(rebal_store_review(world->store, bytes, size, NULL, world->text, &err), &err);
  rebal_text_free(world->text);
}

static void feed(struct world *world, const char *bytes, size_t size) {
  rebal_spread_feed *found = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  law(rebal_spread_feed_new(world->store, world->fleet, 0, &found, NULL) == REBAL_OK);
  if (worked(rebal_spread_feed_update(found, &err), &err)) {
    admit_all(world, found);
    pass_all(world, found);
    review(world, found, bytes, size);
  }
  rebal_spread_feed_free(found);
}

static void allocate(struct world *world, uint32_t object) {
  const rebal_united_opts opts = {.struct_size = sizeof opts};
  const rebal_record *record = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  if (worked(rebal_store_record(world->store, object, world->builder, &record, &err), &err)) {
    (void)worked(rebal_united_allocate(world->ctx, record, &opts, world->result, &err), &err);
  }
}

static void examine_objects(struct world *world) {
  law(rebal_fleet_freeze(world->fleet, &world->snapshot, NULL) == REBAL_OK);
  for (uint32_t object = next(world->store, "WorkloadSpread", REBAL_NONE); object != REBAL_NONE;
       object = next(world->store, "WorkloadSpread", object)) {
    examine(world, object);
    use(world, object);
  }
  for (uint32_t object = next(world->store, "UnitedDeployment", REBAL_NONE); object != REBAL_NONE;
       object = next(world->store, "UnitedDeployment", object)) {
    examine(world, object);
    allocate(world, object);
  }
  rebal_snapshot_unref(world->snapshot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const rebal_manifest_limits limits = {sizeof limits, 32, 1 << 20, 20000, 2000};
  struct world world = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  rebal_findings *findings = NULL;
  uint32_t cluster;
  law(rebal_store_new(&limits, &world.store, NULL) == REBAL_OK);
  if (rebal_manifest_validate((const char *)data, size, &limits, &findings, NULL) == REBAL_OK) {
    check_findings(findings);
  }
  if (rebal_store_load(world.store, (const char *)data, size, NULL) == REBAL_OK) {
    law(rebal_fleet_new(NULL, &world.fleet, NULL) == REBAL_OK);
    law(rebal_fleet_add_cluster(world.fleet, "m", 1, &cluster, NULL) == REBAL_OK && cluster == 0);
    law(rebal_ctx_new(NULL, NULL, &world.ctx, NULL) == REBAL_OK);
    law(rebal_result_new(NULL, &world.result, NULL) == REBAL_OK);
    law(rebal_builder_new(NULL, &world.builder, NULL) == REBAL_OK);
    examine_objects(&world);
    feed(&world, (const char *)data, size);
    rebal_builder_free(world.builder);
    rebal_result_free(world.result);
    rebal_ctx_free(world.ctx);
    rebal_fleet_free(world.fleet);
  }
  rebal_store_free(world.store);
  return 0;
}
