/* SPDX-License-Identifier: MIT */
#include "suiting.h"

struct request {
  rebal_allocator memory;
  struct pass_fixture fixture;
  struct rebali_arena arena;
  struct rebali_node_classes classes;
};

/* 150 nodes: n0, n2, ... in zone a, the others in zone b, every third with the taint t; all have another label, too. */
static void open_classes(struct request *request, const struct subset *subsets, size_t n) {
  struct pass_fixture *fixture = &request->fixture;

  pass_open(fixture, spread_with(subsets, n), 10);
  for (int i = 0; i < 150; i++) {
    char name[32];
    char labels[64];

    (void)snprintf(name, sizeof name, "n%d", i);
    (void)snprintf(labels, sizeof labels, "zone=%s other=x%d", i % 2 == 0 ? "a" : "b", i);
    pass_add_node(fixture, name, labels, i % 3 == 0 ? "t=1:NoSchedule" : NULL);
  }
  test_freeze(&fixture->world);
  ck_assert_int_eq(rebali_allocator_load(&request->memory, NULL, NULL), REBAL_OK);
  rebali_arena_init(&request->arena, &request->memory, 0);
  ck_assert_int_eq(rebali_node_classes_open(&request->classes, &fixture->spread->spec, fixture->world.snapshot,
                                            fixture->cluster, &request->arena),
                   REBAL_OK);
}

static void close_classes(struct request *request) {
  rebali_arena_dispose(&request->arena);
  pass_close(&request->fixture);
}

static const int64_t *query(struct request *request, uint32_t node, uint32_t claim) {
  const int64_t *scores = NULL;

  ck_assert_int_eq(rebali_node_classes_query(&request->classes, node, claim, &scores), REBAL_OK);
  return scores;
}

/* Labels that no term uses do not distinguish nodes, taints do. */
START_TEST(test_classes) {
  static const struct subset subsets[] = {{"a", .required = "zone=a"},
                                          {"b", .preferred = "zone=b", .weight = 7, .tolerates = "t"}};
  struct request request;
  uint32_t claim;

  open_classes(&request, subsets, 2);
  ck_assert_int_eq(rebali_node_classes_claim(&request.classes, REBAL_NONE, &claim), REBAL_OK);
  for (uint32_t node = 0; node < 150; node++) {
    const int64_t *scores = query(&request, node, claim);

    ck_assert_int_eq(scores[0], node % 2 == 0 && node % 3 != 0 ? 0 : REBAL_ABSENT);
    ck_assert_int_eq(scores[1], node % 2 == 0 ? 0 : 7);
  }
  ck_assert_uint_eq(request.classes.classes.n, 4);
  ck_assert_uint_eq(request.classes.pairs.n, 4);
  close_classes(&request);
}
END_TEST

/* Claims of pods are distinguished by requirements, and evaluated once for each class. */
START_TEST(test_claims) {
  static const struct subset subsets[] = {{"a", .required = "zone=a"}};
  struct request request;
  struct test_world *world = &request.fixture.world;
  uint32_t handles[2];
  uint32_t claims[4];

  open_classes(&request, subsets, 1);
  handles[0] = test_request_handle(world, "~t:Exists");
  handles[1] = test_request_handle(world, "?other:In:x2 ?other:In:x4");
  test_freeze(world);
  request.classes.snapshot = world->snapshot;
  ck_assert_int_eq(rebali_node_classes_claim(&request.classes, handles[0], &claims[0]), REBAL_OK);
  ck_assert_int_eq(rebali_node_classes_claim(&request.classes, REBAL_NONE, &claims[1]), REBAL_OK);
  ck_assert_int_eq(rebali_node_classes_claim(&request.classes, handles[1], &claims[2]), REBAL_OK);
  ck_assert_int_eq(rebali_node_classes_claim(&request.classes, handles[0], &claims[3]), REBAL_OK);
  ck_assert_uint_eq(claims[3], claims[0]);
  ck_assert_int_eq(query(&request, 0, claims[0])[0], 0);
  ck_assert_int_eq(query(&request, 0, claims[1])[0], REBAL_ABSENT);
  ck_assert_int_eq(query(&request, 2, claims[2])[0], 0);
  ck_assert_int_eq(query(&request, 4, claims[2])[0], 0);
  ck_assert_int_eq(query(&request, 8, claims[2])[0], REBAL_ABSENT);
  ck_assert_ptr_eq(query(&request, 4, claims[2]), query(&request, 4, claims[2]));
  close_classes(&request);
}
END_TEST

/* A name distinguishes nodes if a term uses it. */
START_TEST(test_names) {
  static const struct subset subsets[] = {{"a", .required = "metadata.name=n4"}, {"b"}};
  struct request request;
  uint32_t claim;

  open_classes(&request, subsets, 2);
  ck_assert_int_eq(rebali_node_classes_claim(&request.classes, REBAL_NONE, &claim), REBAL_OK);
  for (uint32_t node = 0; node < 150; node++) {
    ck_assert_int_eq(query(&request, node, claim)[0], node == 4 ? 0 : REBAL_ABSENT);
    ck_assert_int_eq(query(&request, node, claim)[1], node % 3 == 0 ? REBAL_ABSENT : 0);
  }
  ck_assert_uint_eq(request.classes.classes.n, 150);
  close_classes(&request);
}
END_TEST

UNIT_CASE(node_class) {
  TCase *cases = tcase_create("node_class");

  tcase_add_test(cases, test_classes);
  tcase_add_test(cases, test_claims);
  tcase_add_test(cases, test_names);
  return cases;
}
