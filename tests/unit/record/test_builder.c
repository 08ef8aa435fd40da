/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

static rebal_builder *builder;

static void setup(void) {
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
}

static void teardown(void) {
  rebal_builder_free(builder);
}

static void start(uint32_t object) {
  ck_assert_int_eq(rebal_builder_start(builder, object, NULL), REBAL_OK);
}

static void text(uint32_t field, const char *value) {
  ck_assert_int_eq(rebal_builder_text(builder, field, value, strlen(value), NULL), REBAL_OK);
}

static void begin(uint32_t field) {
  ck_assert_int_eq(rebal_builder_begin(builder, field, NULL), REBAL_OK);
}

static void end(void) {
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
}

static const rebal_record *finish(void) {
  const rebal_record *record = NULL;

  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  return record;
}

/* The failure sticks: finish gives it again, with the same words. */
static void check_sticks(int32_t code, const rebal_error *err) {
  const rebal_record *record = NULL;
  rebal_error again = REBAL_ERROR_INIT;

  ck_assert_int_eq(err->code, code);
  ck_assert_int_eq(rebal_builder_end(builder, &again), code);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, &again), code);
  ck_assert_str_eq(again.message, err->message);
  ck_assert_ptr_null(record);
}

START_TEST(test_every_type) {
  const rebal_quantity half = {0, 500000000, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const rebal_time noon = {1700000000, 7, 3};
  const rebal_record *record;
  rebal_quantity quantity;
  rebal_time time;
  uint32_t node;

  start(REBAL_OBJECT_EVICTION_TASK);
  ck_assert_int_eq(rebal_builder_time(builder, REBAL_EVICTION_TASK_CREATION_TIMESTAMP, &noon, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_i64(builder, REBAL_EVICTION_TASK_SUPPRESS_DELETION, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_i64(builder, REBAL_EVICTION_TASK_REPLICAS, -5, NULL), REBAL_OK);
  record = finish();
  ck_assert_uint_eq(rebal_record_object(record), REBAL_OBJECT_EVICTION_TASK);
  node = rebal_record_next(record, 0, REBAL_EVICTION_TASK_REPLICAS, REBAL_NONE);
  ck_assert_int_eq(rebal_record_i64(record, node), -5);
  node = rebal_record_next(record, 0, REBAL_EVICTION_TASK_SUPPRESS_DELETION, REBAL_NONE);
  ck_assert_int_eq(rebal_record_i64(record, node), 1);
  node = rebal_record_next(record, 0, REBAL_EVICTION_TASK_CREATION_TIMESTAMP, REBAL_NONE);
  rebal_record_time(record, node, &time);
  ck_assert(time.seconds == 1700000000 && time.nanos == 7 && time.is_set == 1);

  start(REBAL_OBJECT_AMOUNT);
  ck_assert_int_eq(rebal_builder_quantity(builder, REBAL_AMOUNT_QUANTITY, &half, NULL), REBAL_OK);
  record = finish();
  rebal_record_quantity(record, rebal_record_next(record, 0, 0, REBAL_NONE), &quantity);
  ck_assert(quantity.units == 0 && quantity.nanos == 500000000 && quantity.format == REBAL_QUANTITY_FORMAT_DECIMAL_SI);
}
END_TEST

START_TEST(test_texts_may_hold_any_byte) {
  const rebal_record *record;
  size_t len;
  const char *read;

  start(REBAL_OBJECT_PAIR);
  ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_KEY, "a\0b", 3, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_VALUE, NULL, 0, NULL), REBAL_OK);
  record = finish();
  read = rebal_record_text(record, rebali_record_get(record, 0, REBAL_PAIR_KEY), &len);
  ck_assert_uint_eq(len, 3);
  ck_assert_mem_eq(read, "a\0b", 4);
  ck_assert_str_eq(rebal_record_text(record, rebali_record_get(record, 0, REBAL_PAIR_VALUE), &len), "");
  ck_assert_uint_eq(len, 0);
}
END_TEST

START_TEST(test_an_unset_time_is_not_written) {
  const rebal_time unset = {0, 0, 0};
  const rebal_record *record;

  start(REBAL_OBJECT_TAINT);
  ck_assert_int_eq(rebal_builder_time(builder, REBAL_TAINT_TIME_ADDED, &unset, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_time(builder, REBAL_TAINT_TIME_ADDED, &unset, NULL), REBAL_OK);
  record = finish();
  ck_assert_uint_eq(rebal_record_next(record, 0, 0, REBAL_NONE), REBAL_NONE);
}
END_TEST

START_TEST(test_wrong_fields_are_refused) {
  const rebal_time now = {1, 0, 1};
  const rebal_quantity one = {1, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  rebal_error err = REBAL_ERROR_INIT;

  start(REBAL_OBJECT_METADATA);
  ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_KEY, "x", 1, &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "key (field 257) does not belong to the open object");
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_METADATA);
  ck_assert_int_eq(rebal_builder_i64(builder, REBAL_METADATA_NAME, 1, &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "name (field 1537) is of another type");
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_METADATA);
  ck_assert_int_eq(rebal_builder_text(builder, REBAL_METADATA_GENERATION, "1", 1, &err), REBAL_EINVAL);
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_METADATA);
  ck_assert_int_eq(rebal_builder_time(builder, REBAL_METADATA_NAME, &now, &err), REBAL_EINVAL);
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_METADATA);
  ck_assert_int_eq(rebal_builder_quantity(builder, REBAL_METADATA_NAME, &one, &err), REBAL_EINVAL);
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_METADATA);
  ck_assert_int_eq(rebal_builder_begin(builder, REBAL_METADATA_NAME, &err), REBAL_EINVAL);
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_METADATA);
  ck_assert_int_eq(rebal_builder_i64(builder, 6u * 256u + 60u, 1, &err), REBAL_EUNSUPPORTED);
  ck_assert_str_eq(err.message, "no field has the number 1596");
  check_sticks(REBAL_EUNSUPPORTED, &err);
}
END_TEST

START_TEST(test_values_out_of_range) {
  const rebal_quantity quantities[] = {{0, 1000000000, 1}, {0, -1000000000, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 0, 4}};
  const rebal_time times[] = {{-62135596801, 0, 1}, {253402300800, 0, 1}, {0, -1, 1}, {0, 1000000000, 1}};
  rebal_error err = REBAL_ERROR_INIT;
  size_t i;

  start(REBAL_OBJECT_TARGET_CLUSTER);
  ck_assert_int_eq(rebal_builder_i64(builder, REBAL_TARGET_CLUSTER_REPLICAS, INT64_C(1) << 31, &err), REBAL_ERANGE);
  ck_assert_str_eq(err.message, "replicas (field 18434): 2147483648 is out of range");
  check_sticks(REBAL_ERANGE, &err);
  for (i = 0; i < REBALI_COUNT(quantities); i++) {
    start(REBAL_OBJECT_AMOUNT);
    ck_assert_int_eq(rebal_builder_quantity(builder, REBAL_AMOUNT_QUANTITY, &quantities[i], &err), REBAL_ERANGE);
  }
  for (i = 0; i < REBALI_COUNT(times); i++) {
    start(REBAL_OBJECT_TAINT);
    ck_assert_int_eq(rebal_builder_time(builder, REBAL_TAINT_TIME_ADDED, &times[i], &err), REBAL_ERANGE);
  }
}
END_TEST

START_TEST(test_missing_values) {
  rebal_error err = REBAL_ERROR_INIT;

  start(REBAL_OBJECT_AMOUNT);
  ck_assert_int_eq(rebal_builder_quantity(builder, REBAL_AMOUNT_QUANTITY, NULL, &err), REBAL_EINVAL);
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_TAINT);
  ck_assert_int_eq(rebal_builder_time(builder, REBAL_TAINT_TIME_ADDED, NULL, &err), REBAL_EINVAL);
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_TAINT);
  ck_assert_int_eq(rebal_builder_text(builder, REBAL_TAINT_KEY, NULL, 1, &err), REBAL_EINVAL);
  check_sticks(REBAL_EINVAL, &err);
}
END_TEST

START_TEST(test_a_text_too_long_is_not_read) {
  rebal_error err = REBAL_ERROR_INIT;

  start(REBAL_OBJECT_PAIR);
  ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_KEY, "x", (size_t)INT32_MAX + 1, &err), REBAL_ELIMIT);
  ck_assert_str_eq(err.message, "key (field 257) is too long");
  check_sticks(REBAL_ELIMIT, &err);
}
END_TEST

START_TEST(test_one_field_set_twice) {
  rebal_error err = REBAL_ERROR_INIT;

  start(REBAL_OBJECT_PAIR);
  text(REBAL_PAIR_KEY, "a");
  ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_KEY, "a", 1, &err), REBAL_EEXIST);
  ck_assert_str_eq(err.message, "key (field 257) was set before");
  check_sticks(REBAL_EEXIST, &err);
  /* Another object of the same kind has its own. */
  start(REBAL_OBJECT_TAINTS);
  begin(REBAL_TAINTS_TAINT);
  text(REBAL_TAINT_KEY, "a");
  end();
  begin(REBAL_TAINTS_TAINT);
  text(REBAL_TAINT_KEY, "a");
  end();
  ck_assert_uint_eq(rebali_record_count(finish(), 0, REBAL_TAINTS_TAINT), 2);
}
END_TEST

START_TEST(test_start_takes_objects_only) {
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebal_builder_start(builder, REBAL_TABLE_CLUSTER, &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "no object has the number 128");
  check_sticks(REBAL_EINVAL, &err);
  ck_assert_int_eq(rebal_builder_start(builder, 0, &err), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_builder_start(builder, 109, &err), REBAL_EUNSUPPORTED);
  check_sticks(REBAL_EUNSUPPORTED, &err);
  start(REBAL_OBJECT_PAIR);
  ck_assert_ptr_nonnull(finish());
}
END_TEST

START_TEST(test_states) {
  const rebal_record *record = NULL;
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebal_builder_text(builder, REBAL_PAIR_KEY, "a", 1, &err), REBAL_ESTATE);
  ck_assert_str_eq(err.message, "no record is open");
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_ESTATE);
  start(REBAL_OBJECT_PAIR);
  ck_assert_int_eq(rebal_builder_finish(builder, NULL, NULL), REBAL_EINVAL);
  record = finish();
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_ESTATE);
  ck_assert_uint_eq(rebal_record_object(record), REBAL_OBJECT_PAIR);
  start(REBAL_OBJECT_PAIR);
  ck_assert_int_eq(rebal_builder_end(builder, &err), REBAL_ESTATE);
  check_sticks(REBAL_ESTATE, &err);
  start(REBAL_OBJECT_TAINTS);
  begin(REBAL_TAINTS_TAINT);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, &err), REBAL_ESTATE);
  ck_assert_str_eq(err.message, "1 objects are still open");
}
END_TEST

/* Affinities inside each other, the outermost one counted. */
static int32_t nest(uint32_t depth) {
  int32_t code = rebal_builder_start(builder, REBAL_OBJECT_AFFINITY, NULL);
  uint32_t i;

  for (i = 1; i < depth && code == REBAL_OK; i++) {
    code = rebal_builder_begin(builder, REBAL_AFFINITY_OVERFLOW_AFFINITIES, NULL);
  }
  for (i = 1; i < depth && code == REBAL_OK; i++) {
    code = rebal_builder_end(builder, NULL);
  }
  return code;
}

START_TEST(test_nesting_is_bounded) {
  rebal_builder *first = builder;
  const rebal_record *deep;

  ck_assert_int_eq(nest(REBALI_RECORD_DEPTH + 1), REBAL_ELIMIT);
  ck_assert_int_eq(nest(REBALI_RECORD_DEPTH), REBAL_OK);
  deep = finish();
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  start(REBAL_OBJECT_PLACEMENT);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_PLACEMENT_CLUSTER_AFFINITY, deep, 0, NULL), REBAL_ELIMIT);
  start(REBAL_OBJECT_PLACEMENT);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_PLACEMENT_CLUSTER_AFFINITY, deep, 1, NULL), REBAL_OK);
  ck_assert_uint_eq(finish()->n_nodes, REBALI_RECORD_DEPTH);
  rebal_builder_free(first);
}
END_TEST

/* A placement with two affinity groups. */
static const rebal_record *build_placement(void) {
  start(REBAL_OBJECT_PLACEMENT);
  begin(REBAL_PLACEMENT_CLUSTER_AFFINITIES);
  text(REBAL_AFFINITY_CLUSTER_NAMES, "m1");
  text(REBAL_AFFINITY_CLUSTER_NAMES, "m0");
  begin(REBAL_AFFINITY_LABEL_SELECTOR);
  begin(REBAL_LABEL_SELECTOR_MATCH_LABELS);
  text(REBAL_PAIR_VALUE, "gold");
  text(REBAL_PAIR_KEY, "tier");
  end();
  end();
  end();
  begin(REBAL_PLACEMENT_CLUSTER_AFFINITIES);
  text(REBAL_AFFINITY_AFFINITY_NAME, "backup");
  end();
  return finish();
}

START_TEST(test_copies_equal_their_source) {
  const rebal_record *source = build_placement();
  rebal_builder *first = builder;
  const rebal_record *copy;
  uint32_t node = REBAL_NONE;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  start(REBAL_OBJECT_PLACEMENT);
  while ((node = rebal_record_next(source, 0, REBAL_PLACEMENT_CLUSTER_AFFINITIES, node)) != REBAL_NONE) {
    ck_assert_int_eq(rebal_builder_copy(builder, REBAL_PLACEMENT_CLUSTER_AFFINITIES, source, node, NULL), REBAL_OK);
  }
  copy = finish();
  ck_assert_int_eq(rebal_record_equal(source, copy), 1);
  ck_assert_uint_eq(rebali_record_size(copy), rebali_record_size(source));
  rebal_builder_free(first);
}
END_TEST

START_TEST(test_copies_of_records_and_values) {
  const rebal_record *source;
  const rebal_record *copy;
  rebal_builder *first = builder;
  uint32_t name;

  start(REBAL_OBJECT_REFERENCE);
  text(REBAL_REFERENCE_NAME, "web");
  text(REBAL_REFERENCE_KIND, "Deployment");
  source = finish();
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  start(REBAL_OBJECT_REBALANCER_SPEC);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_REBALANCER_SPEC_WORKLOADS, source, 0, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_REBALANCER_SPEC_WORKLOADS, source, 0, NULL), REBAL_OK);
  copy = finish();
  ck_assert_uint_eq(rebali_record_count(copy, 0, REBAL_REBALANCER_SPEC_WORKLOADS), 2);
  name = rebali_record_get(copy, rebal_record_next(copy, 0, 0, 1), REBAL_REFERENCE_NAME);
  ck_assert_str_eq(rebal_record_text(copy, name, NULL), "web");

  start(REBAL_OBJECT_TEXTS);
  name = rebali_record_get(source, 0, REBAL_REFERENCE_NAME);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_TEXTS_ITEM, source, name, NULL), REBAL_OK);
  copy = finish();
  ck_assert_str_eq(rebal_record_text(copy, 1, NULL), "web");
  ck_assert_uint_eq(rebal_record_field(copy, 1), REBAL_TEXTS_ITEM);
  rebal_builder_free(first);
}
END_TEST

START_TEST(test_copies_refused) {
  const rebal_record *source = build_placement();
  rebal_builder *first = builder;
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  start(REBAL_OBJECT_PLACEMENT);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_PLACEMENT_CLUSTER_AFFINITY, source, 0, &err), REBAL_EINVAL);
  ck_assert_str_eq(err.message, "clusterAffinity (field 7681) is of another type than the node to be copied");
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_PLACEMENT);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_PLACEMENT_CLUSTER_AFFINITY, source, 999, &err), REBAL_EINVAL);
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_PLACEMENT);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_PLACEMENT_CLUSTER_AFFINITY, NULL, 0, &err), REBAL_EINVAL);
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_METADATA);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_METADATA_GENERATION, source, 2, &err), REBAL_EINVAL);
  check_sticks(REBAL_EINVAL, &err);
  start(REBAL_OBJECT_PLACEMENT);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_PLACEMENT_CLUSTER_AFFINITY, source, 1, &err), REBAL_OK);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_PLACEMENT_CLUSTER_AFFINITY, source, 1, &err), REBAL_EEXIST);
  ck_assert_int_eq(rebal_builder_copy(builder, REBAL_PLACEMENT_CLUSTER_AFFINITIES, source, 1, &err), REBAL_EEXIST);
  rebal_builder_free(first);
}
END_TEST

START_TEST(test_missing_arguments) {
  const rebal_record *record = NULL;
  const rebal_time now = {1, 0, 1};
  const rebal_quantity one = {1, 0, 1};

  ck_assert_int_eq(rebal_builder_new(NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_start(NULL, REBAL_OBJECT_PAIR, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_text(NULL, REBAL_PAIR_KEY, "", 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_i64(NULL, REBAL_METADATA_GENERATION, 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_time(NULL, REBAL_TAINT_TIME_ADDED, &now, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_quantity(NULL, REBAL_AMOUNT_QUANTITY, &one, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_begin(NULL, REBAL_TAINTS_TAINT, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_end(NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_copy(NULL, REBAL_TAINTS_TAINT, NULL, 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_finish(NULL, &record, NULL), REBAL_EINVAL);
  rebal_builder_free(NULL);
}
END_TEST

START_TEST(test_a_broken_allocator_is_refused) {
  rebal_allocator broken = {0};
  rebal_builder *out = NULL;

  ck_assert_int_eq(rebal_builder_new(&broken, &out, NULL), REBAL_EABI);
  broken.struct_size = (uint32_t)sizeof broken;
  ck_assert_int_eq(rebal_builder_new(&broken, &out, NULL), REBAL_EINVAL);
  ck_assert_ptr_null(out);
}
END_TEST

/* Fills labels in falling order, so that sorting needs its scratch; enough of them for every array to grow. */
static int32_t fill_labels(rebal_builder *labels, const rebal_record **out) {
  int i;

  (void)rebal_builder_start(labels, REBAL_OBJECT_LABELS, NULL);
  for (i = 40; i > 0; i--) {
    char key[16];
    const int len = snprintf(key, sizeof key, "key-%02d", i);

    (void)rebal_builder_begin(labels, REBAL_LABELS_LABEL, NULL);
    (void)rebal_builder_text(labels, REBAL_PAIR_KEY, key, (size_t)len, NULL);
    (void)rebal_builder_text(labels, REBAL_PAIR_VALUE, key, (size_t)len, NULL);
    (void)rebal_builder_end(labels, NULL);
  }
  return rebal_builder_finish(labels, out, NULL);
}

static int32_t build_and_copy(const rebal_allocator *allocator, void *user_data) {
  rebal_builder *labels = NULL;
  rebal_builder *copier = NULL;
  const rebal_record *record = NULL;
  int32_t code = rebal_builder_new(allocator, &labels, NULL);

  (void)user_data;
  if (code == REBAL_OK) {
    code = rebal_builder_new(allocator, &copier, NULL);
  }
  if (code == REBAL_OK) {
    code = fill_labels(labels, &record);
  }
  if (code == REBAL_OK) {
    (void)rebal_builder_start(copier, REBAL_OBJECT_METADATA, NULL);
    (void)rebal_builder_copy(copier, REBAL_METADATA_LABELS, record, 1, NULL);
    code = rebal_builder_finish(copier, &record, NULL);
  }
  rebal_builder_free(labels);
  rebal_builder_free(copier);
  return code;
}

START_TEST(test_out_of_memory) {
  ck_assert_pstr_eq(test_torture(build_and_copy, NULL), NULL);
}
END_TEST

START_TEST(test_usable_after_out_of_memory) {
  struct test_allocator memory;
  rebal_builder *labels = NULL;
  const rebal_record *record = NULL;
  size_t failed = 0;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebal_builder_new(&memory.functions, &labels, NULL), REBAL_OK);
  /* Each try gets one request further, for what was given before is kept. */
  memory.requests = 0;
  memory.fail_at = 1;
  while (fill_labels(labels, &record) != REBAL_OK) {
    failed++;
    ck_assert_uint_lt(failed, 100);
    ck_assert_ptr_null(record);
    memory.requests = 0;
    memory.fail_at = 2;
  }
  ck_assert_uint_gt(failed, 3);
  ck_assert_uint_eq(rebali_record_count(record, 0, REBAL_LABELS_LABEL), 40);
  rebal_builder_free(labels);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

UNIT_CASE(builder) {
  TCase *cases = tcase_create("builder");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_every_type);
  tcase_add_test(cases, test_texts_may_hold_any_byte);
  tcase_add_test(cases, test_an_unset_time_is_not_written);
  tcase_add_test(cases, test_wrong_fields_are_refused);
  tcase_add_test(cases, test_values_out_of_range);
  tcase_add_test(cases, test_missing_values);
  tcase_add_test(cases, test_a_text_too_long_is_not_read);
  tcase_add_test(cases, test_one_field_set_twice);
  tcase_add_test(cases, test_start_takes_objects_only);
  tcase_add_test(cases, test_states);
  tcase_add_test(cases, test_nesting_is_bounded);
  tcase_add_test(cases, test_copies_equal_their_source);
  tcase_add_test(cases, test_copies_of_records_and_values);
  tcase_add_test(cases, test_copies_refused);
  tcase_add_test(cases, test_missing_arguments);
  tcase_add_test(cases, test_a_broken_allocator_is_refused);
  tcase_add_test(cases, test_out_of_memory);
  tcase_add_test(cases, test_usable_after_out_of_memory);
  return cases;
}
