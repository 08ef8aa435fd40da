/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "admitting.h"

static const char before[] = "*:a=1/2|v:a=1/1,b=0/-1|w:a=0/0!,b=0/-1";

static const rebal_record *payload_of(const rebal_result *result, size_t row) {
  const rebal_record *record = rebal_result_record(result, row);

  ck_assert_uint_eq(rebal_record_object(record), REBAL_OBJECT_SPREAD_STATUS);
  return record;
}

/* One action for each spread that changed, with the versions that did; a reported change is not reported again. */
START_TEST(test_actions) {
  struct admitting world;
  rebal_spread *spreads[2] = {spread_of("Job", "a=3,b", before), spread_of("Deployment", "a=3,b", before)};

  open_admitting(&world);
  add_batch(&world, "v+p,x+q,w+r,x+s");
  ck_assert_int_eq(admit_some(&world, spreads, 2, 0, 3, 0), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ACTION), 1);
  ck_assert_int_eq(cell_of(world.result, REBAL_ACTION_KIND, 0), REBAL_ACTION_KIND_PATCH_STATUS);
  ck_assert_int_eq(cell_of(world.result, REBAL_ACTION_ORDINAL, 0), 0);
  ck_assert_int_eq(cell_of(world.result, REBAL_ACTION_ROW, 0), 1);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_NAME, 0, NULL), "ws");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_NAMESPACE, 0, NULL), "ns");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_OBJECT_KIND, 0, NULL), "WorkloadSpread");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_RESOURCE_VERSION, 0, NULL), "7");
  ck_assert_str_eq(show_record(payload_of(world.result, 0)).text, "v:a=1/0+p@100,b=0/-1|x:a=0/2+q@100,b=0/-1");
  ck_assert_int_eq(admit_some(&world, spreads, 2, 3, 1, 0), REBAL_OK);
  ck_assert_str_eq(show_record(payload_of(world.result, 0)).text, "x:a=0/1+q@100+s@100,b=0/-1");
  ck_assert_int_eq(admit_some(&world, spreads, 2, 3, 1, 0), REBAL_OK); /* already recorded */
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ACTION), 0);
  rebal_spread_free(spreads[0]);
  rebal_spread_free(spreads[1]);
  close_admitting(&world);
}
END_TEST

/* Without actions nothing is reported, and a later call reports all, even one without pods. */
START_TEST(test_no_actions) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=3,b", before);

  open_admitting(&world);
  add_batch(&world, "v+p,x+q");
  ck_assert_int_eq(admit_some(&world, &spread, 1, 0, 1, REBAL_ADMIT_FLAG_NO_ACTIONS), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ACTION), 0);
  ck_assert_str_eq(show_status(spread).text, "*:a=1/2|v:a=1/0+p@100,b=0/-1|w:a=0/0!,b=0/-1");
  ck_assert_int_eq(admit_some(&world, &spread, 1, 1, 1, 0), REBAL_OK);
  ck_assert_str_eq(show_record(payload_of(world.result, 0)).text, "v:a=1/0+p@100,b=0/-1|x:a=0/2+q@100,b=0/-1");
  ck_assert_int_eq(admit_some(&world, &spread, 1, 0, 0, 0), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ACTION), 0);
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

START_TEST(test_actions_later) {
  struct admitting world;
  rebal_spread *spreads[2] = {spread_of("Deployment", "a=3,b", before), spread_of("Deployment", "a=3,b", before)};

  open_admitting(&world);
  add_batch(&world, "v+p,x+q");
  ck_assert_int_eq(admit_some(&world, spreads, 2, 0, 1, REBAL_ADMIT_FLAG_NO_ACTIONS), REBAL_OK);
  ck_assert_int_eq(admit_some(&world, spreads, 2, 1, 1, REBAL_ADMIT_FLAG_NO_ACTIONS), REBAL_OK);
  ck_assert_int_eq(admit_some(&world, spreads, 2, 0, 0, 0), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ADMITTED), 0);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ACTION), 1);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_ACTION_ROW, NULL)[0], 0);
  ck_assert_str_eq(show_record(payload_of(world.result, 0)).text, "v:a=1/0+p@100,b=0/-1|x:a=0/2+q@100,b=0/-1");
  rebal_spread_free(spreads[0]);
  rebal_spread_free(spreads[1]);
  close_admitting(&world);
}
END_TEST

/* A call that fails changes nothing, not even for the pods before the bad one. */
START_TEST(test_undo) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=3,b", before);
  rebal_error err = REBAL_ERROR_INIT;
  const rebal_time now = {100, 0, 1};

  open_admitting(&world);
  add_batch(&world, "v+p,v-q@a,x+r,x+#id,x+#");
  ck_assert_int_eq(rebal_spread_admit(world.ctx, &spread, 1, world.pods, &now, NULL, world.result, &err), REBAL_EINVAL);
  ck_assert_int_eq(err.where, world.rows[4]);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ADMITTED), 0);
  ck_assert_str_eq(show_status(spread).text, before);
  ck_assert_int_eq(admit_some(&world, &spread, 1, 0, 3, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, "=0+ -0+ =0+");
  ck_assert_str_eq(show_status(spread).text, "*:a=1/2|v:a=1/1+p@100-q@100,b=0/-1|w:a=0/0!,b=0/-1|x:a=0/2+r@100,b=0/-1");
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

/* An id that came again gets its former time back. */
START_TEST(test_undo_of_a_time) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=3,b", "v:a=0/3+id@7,b=0/-1");

  open_admitting(&world);
  add_batch(&world, "v+#id,v+#");
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_EINVAL);
  ck_assert_str_eq(show_status(spread).text, "v:a=0/3+id@7,b=0/-1");
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

/* Without rows all pods are admitted, by number: a row that was removed in between is skipped. */
START_TEST(test_all_rows) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=1,b", NULL);
  const rebal_time now = {100, 0, 1};

  open_admitting(&world);
  add_batch(&world, "v+p,v+q,v+r");
  ck_assert_int_eq(
      rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &world.rows[1], 1, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_spread_admit(world.ctx, &spread, 1, world.pods, &now, NULL, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, "=0+ =1");
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_ADMITTED_POD, NULL)[1], world.rows[2]);
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

START_TEST(test_refused) {
  struct admitting world;
  rebal_spread *spread = spread_of("Deployment", "a=3,b", before);
  rebal_spread *missing = NULL;
  const rebal_time now = {100, 0, 1};
  const rebal_time never = {0, 0, 0};
  const uint32_t nowhere = 99;
  const rebal_admit_opts strange = {.struct_size = (uint32_t)sizeof strange, .flags = 4};
  const rebal_admit_opts other = {.struct_size = (uint32_t)sizeof other, .white_list = rebal_spread_object(spread)};
  const rebal_admit_opts small = {.struct_size = 4};
  const rebal_admit_opts absent = {.struct_size = (uint32_t)sizeof absent, .rows = &nowhere, .n_rows = 1};
  const rebal_admit_opts empty = {.struct_size = (uint32_t)sizeof empty, .rows = &nowhere};
  const rebal_admit_opts many = {.struct_size = (uint32_t)sizeof many, .rows = &nowhere, .n_rows = SIZE_MAX};

  open_admitting(&world);
  add_batch(&world, "v+p");
#define ADMIT(ctx, spreads, n_spreads, pods, now, opts, result) \
  rebal_spread_admit(ctx, spreads, n_spreads, pods, now, opts, result, NULL)
  ck_assert_int_eq(ADMIT(NULL, &spread, 1, world.pods, &now, NULL, world.result), REBAL_EINVAL);
  ck_assert_int_eq(ADMIT(world.ctx, NULL, 1, world.pods, &now, NULL, world.result), REBAL_EINVAL);
  ck_assert_int_eq(ADMIT(world.ctx, &missing, 1, world.pods, &now, NULL, world.result), REBAL_EINVAL);
  ck_assert_int_eq(ADMIT(world.ctx, &spread, 1, NULL, &now, NULL, world.result), REBAL_EINVAL);
  ck_assert_int_eq(ADMIT(world.ctx, &spread, 1, world.pods, &now, &absent, world.result), REBAL_ENOTFOUND);
  ck_assert_int_eq(ADMIT(world.ctx, &spread, 1, world.pods, NULL, NULL, world.result), REBAL_EINVAL);
  ck_assert_int_eq(ADMIT(world.ctx, &spread, 1, world.pods, &never, NULL, world.result), REBAL_EINVAL);
  ck_assert_int_eq(ADMIT(world.ctx, &spread, 1, world.pods, &now, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(ADMIT(world.ctx, &spread, 1, world.pods, &now, &strange, world.result), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(ADMIT(world.ctx, &spread, 1, world.pods, &now, &other, world.result), REBAL_EINVAL);
  ck_assert_int_eq(ADMIT(world.ctx, &spread, 1, world.pods, &now, &small, world.result), REBAL_EABI);
  ck_assert_int_eq(ADMIT(world.ctx, &spread, SIZE_MAX, world.pods, &now, NULL, world.result), REBAL_ELIMIT);
  ck_assert_int_eq(ADMIT(world.ctx, &spread, 1, world.pods, &now, &many, world.result), REBAL_ELIMIT);
  ck_assert_str_eq(show_status(spread).text, before);
  ck_assert_int_eq(ADMIT(world.ctx, NULL, 0, world.pods, &now, NULL, world.result), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, ".");
  ck_assert_int_eq(ADMIT(world.ctx, &spread, 1, world.pods, &now, &empty, world.result), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ADMITTED), 0);
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

/* With a white list, pods are injected for other kinds of workloads. */
START_TEST(test_white_list) {
  struct admitting world;
  rebal_builder *builder = new_builder();
  rebal_spread *spread = spread_of("Game", "a=3,b", NULL);
  rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts};
  const rebal_time now = {100, 0, 1};

  open_admitting(&world);
  world.replica_set = add_owner(world.pods, "apps/v1", "Game", "web", REBAL_NONE);
  add_batch(&world, "v+p");
  ck_assert_int_eq(admit_all(&world, spread, 0), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, ".");
  rebal_builder_start(builder, REBAL_OBJECT_WHITE_LIST, NULL);
  rebal_builder_begin(builder, REBAL_WHITE_LIST_WORKLOADS, NULL);
  put_text(builder, REBAL_WHITE_KIND_GROUP, "apps");
  put_text(builder, REBAL_WHITE_KIND_KIND, "Game");
  rebal_builder_end(builder, NULL);
  opts.white_list = finish(builder);
  ck_assert_int_eq(rebal_spread_admit(world.ctx, &spread, 1, world.pods, &now, &opts, world.result, NULL), REBAL_OK);
  ck_assert_str_eq(show_admitted(world.result).text, "=0+");
  rebal_builder_free(builder);
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

/* Pods of several versions, with everything that can be reported; the option, if any, is set. */
static int32_t admit_and_compare(const rebal_allocator *allocator, void *user_data) {
  const uint32_t *option = user_data;
  struct admitting world;
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;
  int32_t code;

  open_admitting(&world);
  if (*option != 0) {
    ck_assert_int_eq(rebal_compat_set(world.compat, *option, 1, NULL), REBAL_OK);
  }
  rebal_result_free(world.result);
  rebal_ctx_free(world.ctx);
  world.result = NULL;
  world.ctx = NULL;
  add_batch(&world, "v+p,x+#id,v-q@a,w+r,y-s@a,+t");
  code = rebal_spread_new(allocator, spread_record(builder, "Deployment", "a=3,b=2,c>1", before), &spread, NULL);
  code = code == REBAL_OK ? rebal_ctx_new(allocator, NULL, &world.ctx, NULL) : code;
  code = code == REBAL_OK ? rebal_result_new(allocator, &world.result, NULL) : code;
  if (code == REBAL_OK) {
    code = admit_all(&world, spread, REBAL_ADMIT_FLAG_EXPLAIN);
    ck_assert_int_eq(strcmp(show_status(spread).text, before) == 0, code != REBAL_OK);
    ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ADMITTED), code == REBAL_OK ? 6 : 0);
  }
  rebal_builder_free(builder);
  rebal_spread_free(spread);
  close_admitting(&world);
  return code;
}

/* All rows of the pods, which are listed first. */
static int32_t admit_every_row(const rebal_allocator *allocator, void *user_data) {
  const rebal_time now = {100, 0, 1};
  rebal_spread *spread = spread_of("Deployment", "a=3,b", before);
  struct admitting world;
  int32_t code;

  (void)user_data;
  open_admitting(&world);
  rebal_ctx_free(world.ctx);
  world.ctx = NULL;
  add_batch(&world, "v+p,x+q");
  code = rebal_ctx_new(allocator, NULL, &world.ctx, NULL);
  if (code == REBAL_OK) {
    code = rebal_spread_admit(world.ctx, &spread, 1, world.pods, &now, NULL, world.result, NULL);
    ck_assert_int_eq(strcmp(show_status(spread).text, before) == 0, code != REBAL_OK);
    ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ADMITTED), code == REBAL_OK ? 2 : 0);
  }
  rebal_spread_free(spread);
  close_admitting(&world);
  return code;
}

START_TEST(test_failing_memory_for_all_rows) {
  ck_assert_pstr_eq(test_torture(admit_every_row, NULL), NULL);
}
END_TEST

START_TEST(test_failing_memory) {
  uint32_t option = _i == 0 ? 0 : REBAL_OPTION_SPREAD_MIN_REPLICAS;
  ck_assert_pstr_eq(test_torture(admit_and_compare, &option), NULL);
}
END_TEST

/* Once warm, a pod and a load of the status need no memory. */
START_TEST(test_warm) {
  struct test_allocator memory;
  struct admitting world;
  rebal_builder *builder = new_builder();
  rebal_builder *other = new_builder();
  const rebal_record *status = status_record(other, before);
  rebal_spread *spread = NULL;
  size_t requests = 0;

  open_admitting(&world);
  rebal_result_free(world.result);
  rebal_ctx_free(world.ctx);
  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebal_result_new(&memory.functions, &world.result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(&memory.functions, NULL, &world.ctx, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_spread_new(&memory.functions, spread_record(builder, "Deployment", "a=3,b", before), &spread, NULL),
      REBAL_OK);
  add_batch(&world, "v+p,x+q,v-r@a,x+#id");
  for (size_t i = 0; i < 10; i++) {
    requests = i == 5 ? memory.requests : requests;
    ck_assert_int_eq(rebal_spread_load_status(spread, status, NULL), REBAL_OK);
    ck_assert_int_eq(admit_all(&world, spread, REBAL_ADMIT_FLAG_NO_ACTIONS), REBAL_OK);
  }
  ck_assert_uint_eq(memory.requests, requests);
  rebal_builder_free(other);
  rebal_builder_free(builder);
  rebal_spread_free(spread);
  close_admitting(&world);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

UNIT_CASE(admit) {
  TCase *cases = tcase_create("admit");

  tcase_add_test(cases, test_actions);
  tcase_add_test(cases, test_no_actions);
  tcase_add_test(cases, test_actions_later);
  tcase_add_test(cases, test_undo);
  tcase_add_test(cases, test_undo_of_a_time);
  tcase_add_test(cases, test_all_rows);
  tcase_add_test(cases, test_refused);
  tcase_add_test(cases, test_white_list);
  tcase_add_loop_test(cases, test_failing_memory, 0, 2);
  tcase_add_test(cases, test_failing_memory_for_all_rows);
  UNIT_ADD_COUNTING(cases, test_warm);
  return cases;
}
