/* SPDX-License-Identifier: MIT */
#include "admitting.h"

/* Does an owner lead to apps/v1 <kind> web? */
static enum rebali_referral referral_of(struct admitting *world, const char *kind, const rebal_record *white_list,
                                        uint32_t owner, uint32_t *decided) {
  rebal_spread *spread = spread_of(kind, "a", NULL);
  const enum rebali_referral referral = rebali_spread_refers(&spread->spec, world->pods, white_list, &owner);

  rebal_spread_free(spread);
  if (decided != NULL) {
    *decided = owner;
  }
  return referral;
}

START_TEST(test_chain) {
  struct admitting world;
  uint32_t other;

  open_admitting(&world);
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, world.replica_set, NULL), REBALI_REFERS);
  ck_assert_int_eq(referral_of(&world, "Job", NULL, world.replica_set, NULL), REBALI_REFERS_NOT);
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, REBAL_NONE, NULL), REBALI_REFERS_NOT);
  /* The version of the API does not count, its group does; nor does the uid. */
  other = add_owner(world.pods, "apps/v1beta2", "Deployment", "web", REBAL_NONE);
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, other, NULL), REBALI_REFERS);
  other = add_owner(world.pods, "apps.kruise.io/v1", "Deployment", "web", REBAL_NONE);
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, other, NULL), REBALI_REFERS_NOT);
  other = add_owner(world.pods, "apps/v1", "Deployment", "web2", REBAL_NONE);
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, other, NULL), REBALI_REFERS_NOT);
  close_admitting(&world);
}
END_TEST

static const struct {
  int64_t state;
  enum rebali_referral referral;
} states[] = {{REBAL_OWNER_STATE_UNKNOWN, REBALI_REFERS_UNKNOWN},
              {REBAL_OWNER_STATE_EXISTS, REBALI_REFERS},
              {REBAL_OWNER_STATE_MISSING, REBALI_REFERS_MISSING},
              {REBAL_OWNER_STATE_FAILED, REBALI_REFERS_ERROR}};

/* The object that decided is returned. */
START_TEST(test_states) {
  struct admitting world;
  uint32_t decided = REBAL_NONE;

  open_admitting(&world);
  set_i64(world.pods, REBAL_OWNER_STATE, world.replica_set, states[_i].state);
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, world.replica_set, &decided), states[_i].referral);
  ck_assert_uint_eq(decided == world.replica_set, states[_i].referral != REBALI_REFERS);
  close_admitting(&world);
}
END_TEST

START_TEST(test_malformed) {
  struct admitting world;
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;
  uint32_t owner;

  open_admitting(&world);
  owner = add_owner(world.pods, "a/b/c", "Deployment", "web", REBAL_NONE);
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, owner, NULL), REBALI_REFERS_ERROR);
  ck_assert_int_eq(rebali_owner_is_supported(world.pods, NULL, owner), 0);
  rebal_builder_start(builder, REBAL_OBJECT_WORKLOAD_SPREAD, NULL);
  rebal_builder_begin(builder, REBAL_WORKLOAD_SPREAD_SPEC, NULL);
  rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_REF, NULL);
  put_text(builder, REBAL_REFERENCE_API_VERSION, "a/b/c");
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
  owner = world.replica_set;
  ck_assert_int_eq(rebali_spread_refers(&spread->spec, world.pods, NULL, &owner), REBALI_REFERS_ERROR);
  owner = REBAL_NONE;
  ck_assert_int_eq(rebali_spread_refers(&spread->spec, world.pods, NULL, &owner), REBALI_REFERS_NOT);
  rebal_spread_free(spread);
  rebal_builder_free(builder);
  close_admitting(&world);
}
END_TEST

/* Sixteen steps up, not seventeen; and a circle ends. */
START_TEST(test_long_chain) {
  struct admitting world;
  uint32_t owner;

  open_admitting(&world);
  owner = world.replica_set; /* one step below the Deployment */
  for (int i = 1; i < 16; i++) {
    owner = add_owner(world.pods, "apps/v1", "ReplicaSet", "r", owner);
  }
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, owner, NULL), REBALI_REFERS);
  owner = add_owner(world.pods, "apps/v1", "ReplicaSet", "r", owner);
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, owner, NULL), REBALI_REFERS_ERROR);
  set_i64(world.pods, REBAL_OWNER_CONTROLLER, world.replica_set, owner);
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, owner, NULL), REBALI_REFERS_ERROR);
  close_admitting(&world);
}
END_TEST

/* A chain ends where a number is not a row, whatever its low bits are. */
START_TEST(test_end_of_chain) {
  const int64_t numbers[] = {REBAL_ABSENT, -1, REBAL_NONE, INT64_C(1) << 32, INT64_MAX, 99};
  struct admitting world;
  uint32_t owner, deployment;

  open_admitting(&world);
  deployment = (uint32_t)rebali_pods_i64(world.pods, REBAL_OWNER_CONTROLLER, world.replica_set);
  ck_assert_uint_eq(deployment, 0);
  owner = add_owner(world.pods, "apps/v1", "ReplicaSet", "r", deployment);
  ck_assert_int_eq(referral_of(&world, "Deployment", NULL, owner, NULL), REBALI_REFERS);
  for (size_t i = 0; i < REBALI_COUNT(numbers); i++) {
    set_i64(world.pods, REBAL_OWNER_CONTROLLER, owner, numbers[i]);
    ck_assert_int_eq(referral_of(&world, "Deployment", NULL, owner, NULL), REBALI_REFERS_NOT);
  }
  close_admitting(&world);
}
END_TEST

static void put_kind(rebal_builder *builder, const char *group, const char *kind) {
  put_text(builder, REBAL_WHITE_KIND_GROUP, group);
  put_text(builder, REBAL_WHITE_KIND_KIND, kind);
}

static const struct {
  const char *api_version;
  const char *kind;
  int is_supported;
  int is_listed;
} kinds[] = {{"apps/v1", "Deployment", 1, 1},
             {"apps/v1", "ReplicaSet", 1, 1},
             {"apps/v1", "StatefulSet", 1, 1},
             {"apps.kruise.io/v1alpha1", "StatefulSet", 1, 1},
             {"apps.kruise.io/v1alpha1", "CloneSet", 1, 1},
             {"batch/v1", "Job", 1, 1},
             {"apps/v1", "Job", 0, 0},
             {"v1", "Deployment", 0, 0},
             {"x.io/v1", "Game", 0, 1},
             {"x.io/v7", "Part", 0, 1},
             {"x.io/v1", "Other", 0, 0}};

/* The built-in kinds, those of the white list, and the kinds of their resources. */
START_TEST(test_kinds) {
  struct admitting world;
  rebal_builder *builder = new_builder();
  const rebal_record *white_list;
  uint32_t owner;

  open_admitting(&world);
  rebal_builder_start(builder, REBAL_OBJECT_WHITE_LIST, NULL);
  rebal_builder_begin(builder, REBAL_WHITE_LIST_WORKLOADS, NULL);
  put_kind(builder, "x.io", "Game");
  rebal_builder_begin(builder, REBAL_WHITE_KIND_SUB_RESOURCES, NULL);
  put_kind(builder, "x.io", "Part");
  rebal_builder_end(builder, NULL);
  rebal_builder_end(builder, NULL);
  white_list = finish(builder);
  owner = add_owner(world.pods, kinds[_i].api_version, kinds[_i].kind, "x", world.replica_set);
  ck_assert_int_eq(rebali_owner_is_supported(world.pods, NULL, owner), kinds[_i].is_supported);
  ck_assert_int_eq(rebali_owner_is_supported(world.pods, white_list, owner), kinds[_i].is_listed);
  ck_assert_int_eq(referral_of(&world, "Deployment", white_list, owner, NULL),
                   kinds[_i].is_listed ? REBALI_REFERS : REBALI_REFERS_NOT);
  rebal_builder_free(builder);
  close_admitting(&world);
}
END_TEST

/* A spread for pods with tier=<value>; NULL: its filter has no selector. */
static rebal_spread *filtering(const char *key, const char *value) {
  rebal_builder *builder = new_builder();
  rebal_spread *spread = NULL;

  start_spread(builder, "Deployment", NULL);
  rebal_builder_begin(builder, REBAL_SPREAD_SPEC_TARGET_FILTER, NULL);
  if (value != NULL) {
    rebal_builder_begin(builder, REBAL_TARGET_FILTER_SELECTOR, NULL);
    rebal_builder_begin(builder, REBAL_LABEL_SELECTOR_MATCH_LABELS, NULL);
    put_text(builder, REBAL_PAIR_KEY, key);
    put_text(builder, REBAL_PAIR_VALUE, value);
    rebal_builder_end(builder, NULL);
    rebal_builder_end(builder, NULL);
  }
  rebal_builder_end(builder, NULL);
  put_subsets(builder, "a");
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_spread_new(NULL, finish(builder), &spread, NULL), REBAL_OK);
  rebal_builder_free(builder);
  return spread;
}

/* The labels {tier: web}. */
static uint32_t intern_labels(rebal_fleet *fleet) {
  rebal_builder *builder = new_builder();
  uint32_t handle = REBAL_NONE;

  rebal_builder_start(builder, REBAL_OBJECT_LABELS, NULL);
  rebal_builder_begin(builder, REBAL_LABELS_LABEL, NULL);
  put_text(builder, REBAL_PAIR_KEY, "tier");
  put_text(builder, REBAL_PAIR_VALUE, "web");
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_fleet_intern(fleet, finish(builder), &handle, NULL), REBAL_OK);
  rebal_builder_free(builder);
  return handle;
}

static const struct {
  const char *key;
  const char *value;
  int bare[2];     /* selects a pod without labels: by the controller, at admission */
  int labelled[2]; /* with tier=web */
} filters[] = {{"tier", "web", {0, 0}, {1, 1}},
               {"tier", "db", {0, 0}, {0, 0}},
               {"tier", NULL, {1, 0}, {1, 0}},
               {"a b", "web", {0, 0}, {0, 0}}};

START_TEST(test_filters) {
  struct admitting world;
  rebal_spread *spread = filtering(filters[_i].key, filters[_i].value);
  uint32_t bare;
  uint32_t labelled;

  open_admitting(&world);
  bare = add_pod(&world, "v", "p");
  labelled = add_pod(&world, "v", "q");
  set_i64(world.pods, REBAL_SPREAD_POD_LABELS, labelled, intern_labels(world.fleet));
  for (int at_admission = 0; at_admission < 2; at_admission++) {
    ck_assert_int_eq(rebali_spread_selects(&spread->spec, world.pods, bare, at_admission),
                     filters[_i].bare[at_admission]);
    ck_assert_int_eq(rebali_spread_selects(&spread->spec, world.pods, labelled, at_admission),
                     filters[_i].labelled[at_admission]);
  }
  rebal_spread_free(spread);
  spread = spread_of("Deployment", "a", NULL);
  ck_assert_int_eq(rebali_spread_selects(&spread->spec, world.pods, bare, 1), 1);
  rebal_spread_free(spread);
  close_admitting(&world);
}
END_TEST

UNIT_CASE(owners) {
  TCase *cases = tcase_create("owners");

  tcase_add_test(cases, test_chain);
  tcase_add_loop_test(cases, test_states, 0, (int)REBALI_COUNT(states));
  tcase_add_test(cases, test_malformed);
  tcase_add_test(cases, test_long_chain);
  tcase_add_test(cases, test_end_of_chain);
  tcase_add_loop_test(cases, test_kinds, 0, (int)REBALI_COUNT(kinds));
  tcase_add_loop_test(cases, test_filters, 0, (int)REBALI_COUNT(filters));
  return cases;
}
