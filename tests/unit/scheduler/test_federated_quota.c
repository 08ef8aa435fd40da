/* SPDX-License-Identifier: MIT */
/* rebalance-karmada(7) 11, rule by rule. */
#include "scheduler/scheduler.h"

#include <stdio.h>

#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "../../support/words.h"
#include "../unit.h"

#define QUOTAS 3

/* Amounts as "cpu=500m memory=1Gi"; namespace_ NULL: default, the namespace of the bindings. */
struct quota {
  const char *name;
  const char *overall;
  const char *used;
  const char *namespace_;
};

struct quotas {
  rebal_builder *builders[QUOTAS];
  const rebal_record *records[QUOTAS];
  size_t n;
};

static char text[512];

static void put_text(rebal_builder *builder, uint32_t field, const char *value) {
  (void)rebal_builder_text(builder, field, value, strlen(value), NULL); /* failures stick until finish */
}

static void put_amounts(rebal_builder *builder, uint32_t part, uint32_t field, const char *amounts) {
  struct test_word rest = test_word(amounts), name;

  (void)rebal_builder_begin(builder, part, NULL);
  while (test_next(&rest, ' ', &name)) {
    const struct test_word amount = test_cut(&name, '=');
    rebal_quantity quantity;

    ck_assert_int_eq(rebal_quantity_parse(amount.text, amount.len, &quantity, NULL), REBAL_OK);
    (void)rebal_builder_begin(builder, field, NULL);
    (void)rebal_builder_text(builder, REBAL_AMOUNT_NAME, name.text, name.len, NULL);
    (void)rebal_builder_quantity(builder, REBAL_AMOUNT_QUANTITY, &quantity, NULL);
    (void)rebal_builder_end(builder, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
}

static void open_quotas(struct quotas *quotas, const struct quota *rows) {
  for (quotas->n = 0; quotas->n < QUOTAS && rows[quotas->n].name != NULL; quotas->n++) {
    const struct quota *row = &rows[quotas->n];
    rebal_builder *builder = NULL;

    ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
    (void)rebal_builder_start(builder, REBAL_OBJECT_FEDERATED_QUOTA, NULL);
    (void)rebal_builder_begin(builder, REBAL_FEDERATED_QUOTA_METADATA, NULL);
    put_text(builder, REBAL_METADATA_NAME, row->name);
    put_text(builder, REBAL_METADATA_NAMESPACE, row->namespace_ == NULL ? "default" : row->namespace_);
    put_text(builder, REBAL_METADATA_UID, "u1");
    put_text(builder, REBAL_METADATA_RESOURCE_VERSION, "7");
    (void)rebal_builder_end(builder, NULL);
    put_amounts(builder, REBAL_FEDERATED_QUOTA_SPEC, REBAL_FEDERATED_QUOTA_SPEC_OVERALL, row->overall);
    put_amounts(builder, REBAL_FEDERATED_QUOTA_STATUS, REBAL_FEDERATED_QUOTA_STATUS_OVERALL_USED, row->used);
    quotas->builders[quotas->n] = builder;
    ck_assert_int_eq(rebal_builder_finish(builder, &quotas->records[quotas->n], NULL), REBAL_OK);
  }
}

static void close_quotas(struct quotas *quotas) {
  for (size_t i = 0; i < quotas->n; i++) {
    rebal_builder_free(quotas->builders[i]);
  }
}

/* Adds a binding whose components all have its request. */
static void add(struct test_world *world, rebal_bindings *bindings, const struct test_binding *binding) {
  (void)test_add_binding(world, bindings, binding);
  for (uint32_t i = 0; i < rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_COMPONENT, REBAL_NONE);
       i++) {
    ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_COMPONENT_REQUIREMENTS, REBAL_NONE, i,
                                         test_request_handle(world, binding->request), NULL),
                     REBAL_OK);
  }
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
}

static size_t report_use(const rebal_result *result, size_t row, size_t len) {
  const rebal_record *use = rebal_result_record(result, row);
  uint32_t node = REBAL_NONE;

  len +=
      (size_t)snprintf(text + len, sizeof text - len, "%s:", rebal_result_text(result, REBAL_ACTION_NAME, row, NULL));
  while ((node = rebal_record_next(use, 0, REBAL_FEDERATED_QUOTA_STATUS_OVERALL_USED, node)) != REBAL_NONE) {
    char amount[64];
    size_t n;
    rebal_quantity quantity;

    rebal_record_quantity(use, rebal_record_next(use, node, REBAL_AMOUNT_QUANTITY, REBAL_NONE), &quantity);
    ck_assert_int_eq(rebal_quantity_format(&quantity, amount, sizeof amount, &n, NULL), REBAL_OK);
    len += (size_t)snprintf(text + len, sizeof text - len, " %s=%s",
                            rebal_record_text(use, rebal_record_next(use, node, REBAL_AMOUNT_NAME, REBAL_NONE), NULL),
                            amount);
  }
  return len + (size_t)snprintf(text + len, sizeof text - len, "; ");
}

/* Returns "skipped", the message of a denial, or "done " and the amounts then used: "q: cpu=1 memory=2Gi; ". */
static const char *reported(const rebal_result *result) {
  const int64_t state = rebal_result_i64(result, REBAL_STEP_STATE, NULL)[0];
  size_t len = 0;

  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_STEP), 1);
  (void)snprintf(text, sizeof text, "%s", rebal_result_text(result, REBAL_STEP_MESSAGE, 0, NULL));
  if (state == REBAL_STEP_STATE_RETRY) {
    ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ACTION), 0);
    return text;
  }
  ck_assert_str_eq(text, "");
  len += (size_t)snprintf(text, sizeof text, state == REBAL_STEP_STATE_DONE ? "done " : "skipped");
  for (size_t row = 0; row < rebal_result_count(result, REBAL_TABLE_ACTION); row++) {
    len = report_use(result, row, len);
  }
  return text;
}

/* before NULL: the binding is new. */
static int32_t check(struct test_world *world, const struct test_binding *before, const struct test_binding *after,
                     const struct quota *rows, const rebal_compat *compat) {
  rebal_federated_quota_opts opts = {.struct_size = sizeof opts, .compat = compat};
  rebal_bindings *earlier = test_new_bindings(world);
  struct quotas quotas;
  int32_t code;

  open_quotas(&quotas, rows);
  add(world, world->bindings, after);
  if (before != NULL) {
    add(world, earlier, before);
  }
  opts.before = before == NULL ? NULL : earlier;
  opts.quotas = quotas.records;
  opts.n_quotas = quotas.n;
  code = rebal_federated_quota_check(world->ctx, world->bindings, 0, &opts, world->result, NULL);
  rebal_bindings_free(earlier);
  close_quotas(&quotas);
  return code;
}

#define CPU .request = "cpu=500m"
#define ONE_OF(overall, used) \
  {                           \
    { "q", overall, used }    \
  }
#define EXCEEDED "FederatedResourceQuota(default/q) exceeded for resource "

static const struct {
  struct test_binding before; /* without request and components: the binding is new */
  struct test_binding after;
  struct quota quotas[QUOTAS + 1];
  const char *reported;
} rows[] = {
    /* 1: nothing new that counts */
    {{NULL}, {CPU}, ONE_OF("cpu=0", "cpu=0"), "skipped"},
    {{CPU, .targets = "m1=2"}, {CPU, .targets = "m2=1 m3=1"}, ONE_OF("cpu=1", "cpu=9"), "skipped"},
    {{CPU, .components = "a=1", .targets = "m1=0"},
     {CPU, .components = "a=1", .targets = "m2=0"},
     ONE_OF("cpu=0", "cpu=9"),
     "skipped"},
    /* 2: what is used */
    {{NULL}, {CPU, .targets = "m1=2 m2=1"}, ONE_OF("cpu=2", ""), "done q: cpu=1500m; "},
    {{NULL}, {CPU, .targets = "m1=2 m2=3"}, ONE_OF("cpu=2", ""), EXCEEDED "cpu: requested sum 2500m, limit 2."},
    {{NULL}, {CPU, .targets = "m1=4", .replicas = 90}, ONE_OF("cpu=2", ""), "done q: cpu=2; "},
    {{NULL}, {CPU, .components = "a=1 b=3", .targets = "m1=0 m2=0"}, ONE_OF("cpu=4", ""), "done q: cpu=4; "},
    {{NULL},
     {CPU, .components = "a=1 b=3", .targets = "m1=0 m2=0"},
     ONE_OF("cpu=3999m", ""),
     EXCEEDED "cpu: requested sum 4, limit 3999m."},
    {{NULL}, {.targets = "m1=2"}, ONE_OF("cpu=0", "cpu=9"), "skipped"},
    {{NULL}, {.request = "cpu=0", .targets = "m1=2"}, ONE_OF("cpu=0", "cpu=9"), "skipped"},
    {{NULL}, {CPU, .targets = "m1=-2"}, ONE_OF("cpu=8", "cpu=9"), "done q: cpu=8; "}, /* negative ones count too */
    {{NULL},
     {.request = "memory=8Ei", .targets = "m1=2147483647 m2=2147483647"},
     ONE_OF("memory=1", "memory=1"),
     EXCEEDED "memory: requested sum 9223372036854775807, limit 1."},
    /* 3: what is used more or less */
    {{CPU, .targets = "m1=2"}, {CPU, .targets = "m1=3"}, ONE_OF("cpu=2", "cpu=1500m"), "done q: cpu=2; "},
    {{CPU, .targets = "m1=2"},
     {CPU, .targets = "m1=3"},
     ONE_OF("cpu=2", "cpu=1501m"),
     EXCEEDED "cpu: requested sum 2001m, limit 2."},
    {{CPU, .targets = "m1=3"}, {CPU, .targets = "m1=2"}, ONE_OF("cpu=2", "cpu=2"), "done q: cpu=1500m; "},
    {{CPU, .targets = "m1=3"},
     {CPU, .targets = "m1=2"},
     ONE_OF("cpu=2", "cpu=4"),
     EXCEEDED "cpu: requested sum 3500m, limit 2."}, /* less than before may still be too much */
    {{CPU, .targets = "m1=3"}, {CPU}, ONE_OF("cpu=2", "cpu=1"), "done q:; "},
    {{CPU, .components = "a=1", .targets = "m1=0"},
     {CPU, .components = "a=1", .targets = "m1=0 m2=0"},
     ONE_OF("cpu=1", "cpu=500m"),
     "done q: cpu=1; "},
    {{.request = "cpu=1 memory=1", .targets = "m1=2"},
     {.request = "cpu=2 memory=1", .targets = "m1=1"},
     ONE_OF("cpu=2 memory=2", "cpu=2 memory=2"),
     "done q: cpu=2 memory=1; "},
    /* 4: what is limited */
    {{NULL}, {CPU, .targets = "m1=2"}, ONE_OF("", "cpu=9"), "skipped"},
    {{NULL}, {CPU, .targets = "m1=2"}, ONE_OF("memory=1", "memory=9"), "skipped"},
    {{NULL},
     {CPU, .targets = "m1=2"},
     ONE_OF("cpu=9 memory=1", "memory=9"),
     EXCEEDED "memory: requested sum 9, limit 1."},
    {{NULL}, {CPU, .targets = "m1=2"}, ONE_OF("cpu=9", "memory=9"), "done q: cpu=1 memory=9; "},
    {{NULL}, {.request = "cpu=100u", .targets = "m1=1"}, ONE_OF("cpu=1", "cpu=1u"), "done q: cpu=2m; "},
    {{NULL},
     {.request = "memory=1024", .targets = "m1=1"},
     ONE_OF("memory=4Ki", "memory=0.1"),
     "done q: memory=1025; "},
    {{NULL},
     {.request = "pods=1 ephemeral-storage=2k hugepages-2Mi=2Mi example.com/gpu=1k", .targets = "m1=1024"},
     ONE_OF("ephemeral-storage=1Gi example.com/gpu=2M hugepages-2Mi=4Gi pods=2k", ""),
     "done q: ephemeral-storage=2000Ki example.com/gpu=1024k hugepages-2Mi=2Gi pods=1024; "},
    {{NULL}, {.request = "foo=5", .targets = "m1=1"}, ONE_OF("foo=1", ""), "done q:; "}, /* not estimated */
    {{NULL}, {CPU, .targets = "m1=4"}, {{"q", "cpu=1", "", "other"}}, "skipped"},
    {{NULL}, {.key = "web", CPU, .targets = "m1=4"}, {{"q", "cpu=1", "", ""}}, "skipped"}, /* cluster scoped */
    /* the first by name */
    {{NULL},
     {.request = "memory=2 cpu=2 example.com/a=2", .targets = "m1=1"},
     ONE_OF("memory=1 example.com/a=1 cpu=1", ""),
     EXCEEDED "cpu: requested sum 2, limit 1."},
    {{NULL},
     {CPU, .targets = "m1=4"},
     {{"r", "cpu=1", ""}, {"q", "cpu=1", ""}, {"a", "cpu=2", ""}},
     EXCEEDED "cpu: requested sum 2, limit 1."},
    /* 5: all of them, or none */
    {{NULL},
     {CPU, .targets = "m1=4"},
     {{"r", "cpu=3", "cpu=1"}, {"q", "memory=1", ""}, {"a", "cpu=2", ""}},
     "done a: cpu=2; r: cpu=3; "},
};

START_TEST(test_what_quotas_let_through) {
  const struct test_binding *before = &rows[_i].before;
  struct test_world world;

  test_world_open(&world, NULL);
  ck_assert_int_eq(check(&world, before->request == NULL ? NULL : before, &rows[_i].after, rows[_i].quotas, NULL),
                   REBAL_OK);
  ck_assert_str_eq(reported(world.result), rows[_i].reported);
  test_world_close(&world);
}
END_TEST

static const char *answer_of(const struct test_binding *before, const struct test_binding *after,
                             const struct quota *quotas, const rebal_compat *compat) {
  struct test_world world;

  test_world_open(&world, NULL);
  ck_assert_int_eq(check(&world, before, after, quotas, compat), REBAL_OK);
  (void)reported(world.result);
  test_world_close(&world);
  return text;
}

/* Entries that the write does not change are written too; storage is not a resource of estimates. */
START_TEST(test_overall_used_is_written_whole) {
  static const struct quota quotas[] = {
      {"q", "cpu=5 storage=9Gi", "cpu=1 memory=1500m pods=0 storage=2Gi example.com/gpu=-1"}, {NULL}};
  const struct test_binding after = {.request = "cpu=1 storage=1Gi", .targets = "m1=1"};

  ck_assert_str_eq(answer_of(NULL, &after, quotas, NULL), "done q: cpu=2 memory=2; ");
}
END_TEST

START_TEST(test_a_decrease_is_rounded_away_from_zero) {
  static const struct quota quotas[] = {{"q", "cpu=1", "cpu=10m"}, {NULL}};
  const struct test_binding before = {.request = "cpu=1500u", .targets = "m1=1"};
  const struct test_binding after = {.request = "cpu=1500u", .targets = "m1=0"};
  const struct test_binding before_nano = {.request = "cpu=1n", .targets = "m1=2"};
  const struct test_binding after_nano = {.request = "cpu=1n", .targets = "m1=1"};

  ck_assert_str_eq(answer_of(&before, &after, quotas, NULL), "done q: cpu=8m; ");
  ck_assert_str_eq(answer_of(&before_nano, &after_nano, quotas, NULL), "done q: cpu=9m; ");
}
END_TEST

START_TEST(test_the_sum_of_replicas_wraps_by_option) {
  static const struct quota quotas[] = {{"q", "cpu=5", "cpu=1"}, {NULL}};
  const struct test_binding after = {.request = "cpu=1", .targets = "m1=2147483647 m2=1"};
  rebal_compat *compat = NULL;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_str_eq(answer_of(NULL, &after, quotas, compat), EXCEEDED "cpu: requested sum 2147483649, limit 5.");
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_INT32_WRAP, 1, NULL), REBAL_OK);
  ck_assert_str_eq(answer_of(NULL, &after, quotas, compat), "done q:; ");
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_amounts_do_not_wrap) {
  static const struct quota quotas[] = {{"q", "memory=1Gi", "memory=5Ei"}, {NULL}};
  const struct test_binding after = {.request = "memory=4Ei", .targets = "m1=1"};

  ck_assert_str_eq(answer_of(NULL, &after, quotas, NULL),
                   EXCEEDED "memory: requested sum 9223372036854775807, limit 1Gi.");
}
END_TEST

START_TEST(test_the_first_resource_by_name_is_reported) {
  static const struct quota quotas[] = {{"q", "pods=1 memory=1 cpu=1", "pods=3 memory=3 cpu=1"}, {NULL}};
  const struct test_binding after = {.request = "pods=1", .targets = "m1=1"};
  struct test_world world;

  test_world_open(&world, NULL);
  ck_assert_int_eq(check(&world, NULL, &after, quotas, NULL), REBAL_OK);
  ck_assert_str_eq(reported(world.result), EXCEEDED "memory: requested sum 3, limit 1.");
  test_world_close(&world);
}
END_TEST

START_TEST(test_what_is_written) {
  static const struct quota quotas[] = {{"q", "cpu=9", ""}, {NULL}};
  const struct test_binding after = {CPU, .targets = "m1=2"};
  struct test_world world;

  test_world_open(&world, NULL);
  ck_assert_int_eq(check(&world, NULL, &after, quotas, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_ACTION_KIND, NULL)[0], REBAL_ACTION_KIND_PATCH_STATUS);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_ACTION_ROW, NULL)[0], 0);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_API_VERSION, 0, NULL), "policy.karmada.io/v1alpha1");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_OBJECT_KIND, 0, NULL), "FederatedResourceQuota");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_NAMESPACE, 0, NULL), "default");
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_ACTION_REPLACES, NULL)[0], REBAL_REPLACES_OVERALL_USED);
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_UID, 0, NULL), "u1");
  ck_assert_str_eq(rebal_result_text(world.result, REBAL_ACTION_RESOURCE_VERSION, 0, NULL), "7");
  test_world_close(&world);
}
END_TEST

START_TEST(test_arguments) {
  const struct test_binding binding = {CPU};
  const rebal_record *nothing = NULL, *other = NULL;
  const rebal_federated_quota_opts no_size = {0}, odd = {.struct_size = sizeof odd, .reserved0 = 1},
                                   flagged = {.struct_size = sizeof flagged, .flags = 1};
  struct test_world world;
  rebal_bindings *open;

  test_world_open(&world, NULL);
  open = test_new_bindings(&world);
  add(&world, world.bindings, &binding);
#define OPTIONS(before, row, quotas, n) \
  &(rebal_federated_quota_opts){sizeof(rebal_federated_quota_opts), 0, before, quotas, n, row, 0, NULL}
#define QUERY(before, row, after, quotas, n, result) \
  rebal_federated_quota_check(world.ctx, after, row, OPTIONS(before, row, quotas, n), result, NULL)
  ck_assert_int_eq(QUERY(NULL, 0, NULL, NULL, 0, world.result), REBAL_EINVAL);
  ck_assert_int_eq(QUERY(NULL, 0, open, NULL, 0, world.result), REBAL_ESTATE);
  ck_assert_int_eq(QUERY(open, 0, world.bindings, NULL, 0, world.result), REBAL_ESTATE);
  ck_assert_int_eq(QUERY(NULL, 1, world.bindings, NULL, 0, world.result), REBAL_EINVAL);
  ck_assert_int_eq(QUERY(NULL, 0, world.bindings, NULL, 1, world.result), REBAL_EINVAL);
  ck_assert_int_eq(QUERY(NULL, 0, world.bindings, &nothing, 1, world.result), REBAL_EINVAL);
  ck_assert_int_eq(rebal_builder_start(world.builder, REBAL_OBJECT_TAINTS, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(world.builder, &other, NULL), REBAL_OK);
  ck_assert_int_eq(QUERY(NULL, 0, world.bindings, &other, 1, world.result), REBAL_EINVAL);
  ck_assert_int_eq(QUERY(NULL, 0, world.bindings, NULL, 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(QUERY(world.bindings, 0, world.bindings, NULL, 0, world.result), REBAL_OK);
#undef QUERY
  ck_assert_int_eq(rebal_federated_quota_check(NULL, world.bindings, 0, NULL, world.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_federated_quota_check(world.ctx, world.bindings, 0, &no_size, world.result, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_federated_quota_check(world.ctx, world.bindings, 0, &odd, world.result, NULL),
                   REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_federated_quota_check(world.ctx, world.bindings, 0, &flagged, world.result, NULL),
                   REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_federated_quota_check(world.ctx, world.bindings, 0, NULL, world.result, NULL), REBAL_OK);
  rebal_bindings_free(open);
  test_world_close(&world);
}
END_TEST

/* user_data: the limits of the quota. */
static int32_t story(const rebal_allocator *allocator, void *user_data) {
  const struct quota quotas[] = {{"q", user_data, "cpu=1"}, {"other", "cpu=9", ""}, {NULL}};
  const struct test_binding before = {CPU, .targets = "m1=1"}, after = {CPU, .targets = "m1=4"};
  struct test_world world;
  rebal_result *result = NULL;
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_result_new(allocator, &result, NULL);

  if (code == REBAL_OK) {
    code = rebal_ctx_new(allocator, NULL, &ctx, NULL);
  }
  if (code != REBAL_OK) {
    rebal_result_free(result);
    return code;
  }
  test_world_open(&world, NULL);
  rebal_result_free(world.result);
  rebal_ctx_free(world.ctx);
  world.result = result;
  world.ctx = ctx;
  code = check(&world, &before, &after, quotas, NULL);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_STEP), code == REBAL_OK);
  test_world_close(&world);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  static char enough[] = "cpu=9", too_little[] = "cpu=1";
  ck_assert_pstr_eq(test_torture(story, _i == 0 ? enough : too_little), NULL);
}
END_TEST

UNIT_CASE(federated_quota) {
  TCase *tcase = tcase_create("federated_quota");

  tcase_add_loop_test(tcase, test_what_quotas_let_through, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(tcase, test_overall_used_is_written_whole);
  tcase_add_test(tcase, test_a_decrease_is_rounded_away_from_zero);
  tcase_add_test(tcase, test_the_sum_of_replicas_wraps_by_option);
  tcase_add_test(tcase, test_amounts_do_not_wrap);
  tcase_add_test(tcase, test_the_first_resource_by_name_is_reported);
  tcase_add_test(tcase, test_what_is_written);
  tcase_add_test(tcase, test_arguments);
  tcase_add_loop_test(tcase, test_no_memory_is_an_answer, 0, 2);
  return tcase;
}
