/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../foundation/requirements.h"
#include "../unit.h"

static const struct {
  struct written written;
  const char *zones[MOST_VALUES];
  int matches;
} zone_matches[] = {
    {{"zone", "In", {"z1", "z2"}}, {"z3", "z2"}, 1},
    {{"zone", "In", {"z1"}}, {"z2", "z3"}, 0},
    {{"zone", "In", {"z1"}}, {NULL}, 0},
    {{"zone", "In", {NULL}}, {"z1"}, 0},
    {{"zone", "In", {"bad zone!"}}, {"bad zone!"}, 1},
    {{"zone", "NotIn", {"z1"}}, {"z2", "z1"}, 0},
    {{"zone", "NotIn", {"z1"}}, {"z2", "z3"}, 1},
    {{"zone", "NotIn", {"z1"}}, {NULL}, 1},
    {{"zone", "NotIn", {NULL}}, {"z1"}, 1},
    {{"zone", "Exists", {NULL}}, {"z1"}, 1},
    {{"zone", "Exists", {NULL}}, {NULL}, 0},
    {{"zone", "Exists", {"z9"}}, {"z1"}, 1},
    {{"zone", "DoesNotExist", {NULL}}, {"z1"}, 0},
    {{"zone", "DoesNotExist", {NULL}}, {NULL}, 1},
    {{"zone", "Gt", {"1"}}, {"2"}, 0},
    {{"zone", "Lt", {"3"}}, {"2"}, 0},
    {{"zone", "in", {"z1"}}, {"z1"}, 0},
};

START_TEST(test_matches_of_zones) {
  struct rebali_text values[MOST_VALUES];
  const struct rebali_requirement requirement = requirement_of(&zone_matches[_i].written, values);
  const rebal_record *zones;
  rebal_builder *builder;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_TEXTS, NULL), REBAL_OK);
  for (size_t i = 0; i < MOST_VALUES && zone_matches[_i].zones[i] != NULL; i++) {
    const struct rebali_text zone = text_of(zone_matches[_i].zones[i]);

    ck_assert_int_eq(rebal_builder_text(builder, REBAL_TEXTS_ITEM, zone.bytes, zone.len, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_builder_finish(builder, &zones, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_requirement_matches_zones(&requirement, zones), zone_matches[_i].matches);
  if (zone_matches[_i].zones[0] == NULL) {
    ck_assert_int_eq(rebali_requirement_matches_zones(&requirement, NULL), zone_matches[_i].matches);
  }
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(zones) {
  TCase *cases = tcase_create("zones");
  tcase_add_loop_test(cases, test_matches_of_zones, 0, (int)REBALI_COUNT(zone_matches));
  return cases;
}
