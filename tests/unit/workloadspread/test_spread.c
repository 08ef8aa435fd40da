/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

static const char first_state[] = "*:a=1/2|v1:a=1/2+p@1!,b=0/-1";
static const char second_state[] = "v2:a=0/3-q@2";

START_TEST(test_object) {
  rebal_builder *builder = new_builder();
  const rebal_record *record = spread_record(builder, "Deployment", "a=3,bb", first_state);
  rebal_spread *spread = NULL;
  size_t len = 99;

  ck_assert_int_eq(rebal_spread_new(NULL, record, &spread, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_record_equal(rebal_spread_object(spread), record), 1);
  ck_assert_ptr_ne(rebal_spread_object(spread), record);
  ck_assert_uint_eq(rebal_spread_subset_count(spread), 2);
  ck_assert_str_eq(rebal_spread_subset_name(spread, 1, &len), "bb");
  ck_assert_uint_eq(len, 2);
  ck_assert_str_eq(rebal_spread_subset_name(spread, 2, &len), "");
  ck_assert_uint_eq(len, 0);
  ck_assert_str_eq(rebal_spread_subset_name(NULL, 0, NULL), "");
  ck_assert_uint_eq(rebal_spread_subset_count(NULL), 0);
  ck_assert_ptr_null(rebal_spread_object(NULL));
  rebal_spread_free(spread);
  rebal_spread_free(NULL);
  rebal_builder_free(builder);
}
END_TEST

/* Facts of the workload stay, all else is the new object's. */
START_TEST(test_load) {
  rebal_spread *spread = spread_of("Deployment", "a=3,b", first_state);
  rebal_builder *builder = new_builder();

  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_REPLICAS, REBAL_NONE, 0, 9, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_spread_load(spread, spread_record(builder, "StatefulSet", "a=3", second_state), NULL),
                   REBAL_OK);
  ck_assert_str_eq(show_status(spread).text, second_state);
  ck_assert_uint_eq(rebal_spread_subset_count(spread), 1);
  ck_assert(rebali_text_equal(spread->spec.target_kind, REBALI_TEXT("StatefulSet")));
  ck_assert_int_eq(rebali_fact(spread, REBAL_SPREAD_WORKLOAD_REPLICAS), 9);
  ck_assert_int_eq(rebal_spread_load(spread, rebal_spread_object(spread), NULL), REBAL_OK); /* its own */
  ck_assert_str_eq(show_status(spread).text, second_state);
  rebal_builder_free(builder);
  rebal_spread_free(spread);
}
END_TEST

START_TEST(test_refused) {
  rebal_spread *spread = spread_of("Deployment", "a", first_state);
  rebal_builder *builder = new_builder();
  const rebal_record *record = NULL;
  rebal_spread *other = NULL;

  rebal_builder_start(builder, REBAL_OBJECT_SPREAD_SPEC, NULL);
  record = finish(builder);
  ck_assert_int_eq(rebal_spread_new(NULL, record, &other, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_new(NULL, NULL, &other, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_new(NULL, rebal_spread_object(spread), NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_load(spread, record, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_load(NULL, rebal_spread_object(spread), NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_load_status(spread, record, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_load_status(NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_status(NULL, builder, &record, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_status(spread, NULL, &record, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_status(spread, builder, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_fork(NULL, &other, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_fork(spread, NULL, NULL), REBAL_EINVAL);
  ck_assert_str_eq(show_status(spread).text, first_state);
  ck_assert_int_eq(rebal_spread_load_status(spread, NULL, NULL), REBAL_OK);
  ck_assert_str_eq(show_status(spread).text, "");
  rebal_builder_free(builder);
  rebal_spread_free(spread);
}
END_TEST

/* A fork has all, and what happens to one of the two does not touch the other. */
START_TEST(test_fork) {
  rebal_spread *spread = spread_of("Deployment", "a=3,b", _i == 0 ? first_state : NULL);
  rebal_spread *fork = NULL;
  rebal_builder *builder = new_builder();
  const rebal_time since = {5, 0, 1};
  uint32_t number;

  if (_i == 1) {
    ck_assert_int_eq(rebal_spread_load_status(spread, status_record(builder, first_state), NULL), REBAL_OK);
  }
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0, "v1", 2, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebali_flight_add(&spread->status, 0, 1, REBALI_DELETING, REBALI_TEXT("d"), &since), REBAL_OK);
  ck_assert_int_eq(rebali_status_make_list(&spread->status, &spread->spec, REBALI_TEXT("v3"), 1, &number), REBAL_OK);
  ck_assert_int_eq(rebal_spread_fork(spread, &fork, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_load_status(spread, NULL, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0, "x2", 2, NULL),
      REBAL_OK);
  rebal_spread_free(spread);
  ck_assert_str_eq(show_status(fork).text, "*:a=1/2|v1:a=1/2+p@1!,b=0/-1-d@5");
  ck_assert_uint_eq(rebali_flight_find(&fork->status, 0, REBALI_TEXT("d")), 1);
  ck_assert_uint_eq(rebali_status_find(&fork->status, REBALI_TEXT("v3")), number);
  ck_assert_int_eq(rebali_bit_get(fork->status.lists[0].eligible, 0), 0);
  ck_assert_int_eq(rebali_bit_get(fork->status.lists[0].eligible, 1), 1);
  ck_assert(rebali_text_equal(rebali_fact_text(fork, REBAL_SPREAD_WORKLOAD_LATEST), REBALI_TEXT("v1")));
  ck_assert_str_eq(rebal_spread_subset_name(fork, 1, NULL), "b");
  rebal_builder_free(builder);
  rebal_spread_free(fork);
}
END_TEST

/* A spread without a status has a fork without one, to which a status can be loaded. */
START_TEST(test_fork_without_status) {
  rebal_spread *spread = spread_of("Deployment", "a=3,b", first_state);
  rebal_spread *fork = NULL;
  rebal_builder *builder = new_builder();

  ck_assert_int_eq(rebal_spread_load_status(spread, NULL, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_fork(spread, &fork, NULL), REBAL_OK);
  rebal_spread_free(spread);
  ck_assert_ptr_null(fork->status.record);
  ck_assert_str_eq(show_status(fork).text, "");
  ck_assert_int_eq(rebal_spread_load_status(fork, status_record(builder, second_state), NULL), REBAL_OK);
  ck_assert_str_eq(show_status(fork).text, second_state);
  rebal_builder_free(builder);
  rebal_spread_free(fork);
}
END_TEST

/* More subsets than are scanned, with a list that is rebuilt for other replicas. */
static int32_t remake(const rebal_allocator *allocator, void *user_data) {
  static const char many[] = "a=50%,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q";
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;
  uint32_t number = REBAL_NONE;
  int32_t code = rebal_spread_new(allocator, spread_record(builder, "Deployment", many, "v:"), &spread, NULL);

  (void)user_data;
  rebal_builder_free(builder);
  if (code == REBAL_OK) {
    ck_assert_uint_eq(rebali_spread_spec_find(&spread->spec, REBALI_TEXT("q"), 0), 16);
    number = rebali_status_find(&spread->status, REBALI_TEXT("v"));
    ck_assert_uint_eq(rebali_status_list(&spread->status, number)->n, 0);
    code = rebali_status_remake_list(&spread->status, &spread->spec, number, 10);
    ck_assert_uint_eq(rebali_status_list(&spread->status, number)->n, code == REBAL_OK ? 17 : 0);
  }
  if (code == REBAL_OK) {
    ck_assert_int_eq(rebali_status_list(&spread->status, number)->entries[0].missing, 5);
    ck_assert_int_eq(rebali_status_list(&spread->status, number)->entries[16].missing, -1);
  }
  rebal_spread_free(spread);
  return code;
}

START_TEST(test_failing_memory_of_many_subsets) {
  ck_assert_pstr_eq(test_torture(remake, NULL), NULL);
}
END_TEST

/* A whole life, of which each step either happens or changes nothing. */
static int32_t live(const rebal_allocator *allocator, void *user_data) {
  rebal_builder *builder = new_builder();
  rebal_builder *answer = NULL;
  rebal_spread *spread = NULL;
  rebal_spread *fork = NULL;
  const rebal_record *status = NULL;
  int32_t code = rebal_spread_new(allocator, spread_record(builder, "Deployment", "a=3,b", first_state), &spread, NULL);

  (void)user_data;
  if (code == REBAL_OK) {
    code = rebal_cells_set_text(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0, "v1", 2, NULL);
    ck_assert_uint_eq(rebali_fact_text(spread, REBAL_SPREAD_WORKLOAD_LATEST).len, code == REBAL_OK ? 2 : 0);
  }
  if (code == REBAL_OK) {
    code = rebal_spread_load_status(spread, status_record(builder, second_state), NULL);
    ck_assert_str_eq(show_status(spread).text, code == REBAL_OK ? second_state : first_state);
  }
  if (code == REBAL_OK) {
    code = rebal_spread_load(spread, spread_record(builder, "Job", "a=3,b,c", "v1:a=0/1|v2:b=0/0|v3:c=0/1"), NULL);
    ck_assert_uint_eq(rebal_spread_subset_count(spread), code == REBAL_OK ? 3 : 2);
    ck_assert_str_eq(show_status(spread).text, code == REBAL_OK ? "v1:a=0/1|v2:b=0/0|v3:c=0/1" : second_state);
  }
  code = code == REBAL_OK ? rebal_spread_fork(spread, &fork, NULL) : code;
  code = code == REBAL_OK ? rebal_builder_new(allocator, &answer, NULL) : code;
  code = code == REBAL_OK ? rebal_spread_status(fork, answer, &status, NULL) : code;
  rebal_builder_free(answer);
  rebal_builder_free(builder);
  rebal_spread_free(fork);
  rebal_spread_free(spread);
  return code;
}

START_TEST(test_failing_memory) {
  ck_assert_pstr_eq(test_torture(live, NULL), NULL);
}
END_TEST

/* Once warm, loads take no memory. */
START_TEST(test_warm_loads) {
  struct test_allocator memory;
  rebal_builder *builder = new_builder();
  const rebal_record *record = spread_record(builder, "Deployment", "a=3,b", first_state);
  rebal_spread *spread = NULL;
  size_t requests = 0;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebal_spread_new(&memory.functions, record, &spread, NULL), REBAL_OK);
  for (size_t i = 0; i < 10; i++) {
    requests = i == 3 ? memory.requests : requests;
    ck_assert_int_eq(rebal_spread_load(spread, record, NULL), REBAL_OK);
  }
  ck_assert_uint_eq(memory.requests, requests);
  rebal_spread_free(spread);
  rebal_builder_free(builder);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_facts) {
  rebal_spread *spread = spread_of("Deployment", "a", NULL);

  ck_assert_int_eq(rebali_fact(spread, REBAL_SPREAD_WORKLOAD_REPLICAS), 0);
  ck_assert_uint_eq(rebali_fact_text(spread, REBAL_SPREAD_WORKLOAD_LATEST).len, 0);
  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_REPLICAS, REBAL_NONE, 0, 12, NULL),
      REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0, "abc", 3, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebali_fact(spread, REBAL_SPREAD_WORKLOAD_REPLICAS), 12);
  ck_assert(rebali_text_equal(rebali_fact_text(spread, REBAL_SPREAD_WORKLOAD_LATEST), REBALI_TEXT("abc")));
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0, NULL, 0, NULL),
      REBAL_OK);
  ck_assert_uint_eq(rebali_fact_text(spread, REBAL_SPREAD_WORKLOAD_LATEST).len, 0);
  rebal_spread_free(spread);
}
END_TEST

START_TEST(test_refused_facts) {
  rebal_spread *spread = spread_of("Deployment", "a", NULL);

  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_spread_cells(NULL), REBAL_SPREAD_WORKLOAD_REPLICAS, REBAL_NONE, 0, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_spread_cells(spread), REBAL_OWNER_STATE, REBAL_NONE, 0, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_spread_cells(spread), 1, REBAL_NONE, 0, 1, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_REPLICAS, REBAL_NONE, 0,
                                       INT64_C(1) << 31, NULL),
                   REBAL_ERANGE);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_spread_cells(NULL), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0, "a", 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_LATEST, REBAL_NONE, 0, NULL, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_spread_cells(spread), REBAL_SPREAD_WORKLOAD_REPLICAS, REBAL_NONE, 0, "1", 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebali_fact(spread, REBAL_SPREAD_WORKLOAD_REPLICAS), 0);
  rebal_spread_free(spread);
}
END_TEST

UNIT_CASE(spread) {
  TCase *cases = tcase_create("spread");

  tcase_add_test(cases, test_object);
  tcase_add_test(cases, test_load);
  tcase_add_test(cases, test_refused);
  tcase_add_test(cases, test_facts);
  tcase_add_test(cases, test_refused_facts);
  tcase_add_loop_test(cases, test_fork, 0, 2);
  tcase_add_test(cases, test_fork_without_status);
  tcase_add_test(cases, test_failing_memory_of_many_subsets);
  tcase_add_test(cases, test_failing_memory);
  UNIT_ADD_COUNTING(cases, test_warm_loads);
  return cases;
}
