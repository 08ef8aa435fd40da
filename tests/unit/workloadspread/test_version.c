/* SPDX-License-Identifier: MIT */
#include "admitting.h"

static const struct {
  const char *kind;
  int64_t label;
  const char *value;
  const char *version;
} versions[] = {
    {"ReplicaSet", REBAL_VERSION_LABEL_TEMPLATE_HASH, "a-b", "a-b"},
    {"ReplicaSet", REBAL_VERSION_LABEL_TEMPLATE_HASH, "", ""},
    {"ReplicaSet", REBAL_VERSION_LABEL_REVISION_HASH, "web-6d4b", "6d4b"},
    {"ReplicaSet", REBAL_VERSION_LABEL_REVISION_HASH, "6d4b", "6d4b"},
    {"ReplicaSet", REBAL_VERSION_LABEL_REVISION_HASH, "web-", ""},
    {"ReplicaSet", REBAL_VERSION_LABEL_NONE, "x", "versionIgnored"},
    {"replicaset", REBAL_VERSION_LABEL_TEMPLATE_HASH, "x", "x"},
    {"Deployment", REBAL_VERSION_LABEL_TEMPLATE_HASH, "x", "x"},
    {"Deployments", REBAL_VERSION_LABEL_TEMPLATE_HASH, "x", "versionIgnored"},
    {"CloneSet", REBAL_VERSION_LABEL_REVISION_HASH, "x", "versionIgnored"},
    {"Job", REBAL_VERSION_LABEL_TEMPLATE_HASH, "x", "versionIgnored"},
    {"", REBAL_VERSION_LABEL_TEMPLATE_HASH, "x", "versionIgnored"},
};

static struct rebali_text version_of(struct admitting *world, const char *kind, int64_t label, const char *value) {
  const uint32_t row = add_pod(world, value, "p");

  set_i64(world->pods, REBAL_SPREAD_POD_VERSION_LABEL, row, label);
  set_i64(world->pods, REBAL_SPREAD_POD_CONTROLLER, row, add_owner(world->pods, "apps/v1", kind, "x", REBAL_NONE));
  return rebali_pod_version(world->pods, world->compat, row);
}

START_TEST(test_versions) {
  struct admitting world;

  open_admitting(&world);
  ck_assert(rebali_text_equal(version_of(&world, versions[_i].kind, versions[_i].label, versions[_i].value),
                              rebali_text(versions[_i].version, strlen(versions[_i].version))));
  close_admitting(&world);
}
END_TEST

START_TEST(test_clone_sets) {
  struct admitting world;

  open_admitting(&world);
  ck_assert_int_eq(rebal_compat_set(world.compat, REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS, 1, NULL), REBAL_OK);
  ck_assert(
      rebali_text_equal(version_of(&world, "CloneSet", REBAL_VERSION_LABEL_REVISION_HASH, "web-1"), REBALI_TEXT("1")));
  close_admitting(&world);
}
END_TEST

START_TEST(test_owner) {
  struct admitting world;
  uint32_t row;

  open_admitting(&world);
  row = add_pod(&world, "v", "p");
  ck_assert_uint_eq(rebali_pod_owner(world.pods, row), world.replica_set);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_pods_cells(world.pods), REBAL_TABLE_OWNER, REBAL_NONE, &world.replica_set, 1, NULL),
      REBAL_OK);
  ck_assert_uint_eq(rebali_pod_owner(world.pods, row), REBAL_NONE);
  ck_assert(rebali_text_equal(rebali_pod_version(world.pods, NULL, row), REBALI_VERSION_IGNORED));
  set_i64(world.pods, REBAL_SPREAD_POD_CONTROLLER, row, -5);
  ck_assert_uint_eq(rebali_pod_owner(world.pods, row), REBAL_NONE);
  set_i64(world.pods, REBAL_SPREAD_POD_CONTROLLER, row, INT64_MAX);
  ck_assert_uint_eq(rebali_pod_owner(world.pods, row), REBAL_NONE);
  close_admitting(&world);
}
END_TEST

START_TEST(test_active) {
  static const int active[] = {1, 1, 1, 1, 0, 0};
  struct admitting world;
  uint32_t row;

  open_admitting(&world);
  row = add_pod(&world, "v", "p");
  for (int64_t phase = REBAL_POD_PHASE_OTHER; phase <= REBAL_POD_PHASE_FAILED; phase++) {
    set_i64(world.pods, REBAL_SPREAD_POD_PHASE, row, phase);
    ck_assert_int_eq(rebali_pod_is_active(world.pods, row), active[phase]);
  }
  set_i64(world.pods, REBAL_SPREAD_POD_PHASE, row, REBAL_POD_PHASE_RUNNING);
  set_i64(world.pods, REBAL_SPREAD_POD_DELETING, row, 1);
  ck_assert_int_eq(rebali_pod_is_active(world.pods, row), 0);
  close_admitting(&world);
}
END_TEST

UNIT_CASE(version) {
  TCase *cases = tcase_create("version");

  tcase_add_loop_test(cases, test_versions, 0, (int)REBALI_COUNT(versions));
  tcase_add_test(cases, test_clone_sets);
  tcase_add_test(cases, test_owner);
  tcase_add_test(cases, test_active);
  return cases;
}
