/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

static struct rebali_text text_of(const char *text) {
  return rebali_text(text, strlen(text));
}

static const struct {
  const char *text;
  enum rebali_effect effect;
} effects[] = {
    {"", REBALI_EFFECT_NONE},
    {"NoSchedule", REBALI_EFFECT_NO_SCHEDULE},
    {"PreferNoSchedule", REBALI_EFFECT_PREFER_NO_SCHEDULE},
    {"NoExecute", REBALI_EFFECT_NO_EXECUTE},
    {"noexecute", REBALI_EFFECT_OTHER},
    {"NoExecuteX", REBALI_EFFECT_OTHER},
};

START_TEST(test_effects) {
  ck_assert_int_eq((int)rebali_effect_parse(text_of(effects[_i].text)), (int)effects[_i].effect);
}
END_TEST

START_TEST(test_absent_effect_is_none) {
  ck_assert_int_eq((int)rebali_effect_parse(rebali_text(NULL, 0)), (int)REBALI_EFFECT_NONE);
}
END_TEST

/* Key, operator, value, effect of the toleration; key, value, effect of the taint. */
static const struct {
  const char *toleration[4];
  const char *taint[3];
  int tolerates;
} verdicts[] = {
    {{"k", "Equal", "v", "NoExecute"}, {"k", "v", "NoExecute"}, 1},
    {{"k", "", "v", "NoExecute"}, {"k", "v", "NoExecute"}, 1},
    {{"k", "Equal", "w", "NoExecute"}, {"k", "v", "NoExecute"}, 0},
    {{"k", "Equal", "", "NoExecute"}, {"k", "v", "NoExecute"}, 0},
    {{"k", "Equal", "v", "NoSchedule"}, {"k", "v", "NoExecute"}, 0},
    {{"k", "Equal", "v", ""}, {"k", "v", "NoExecute"}, 1},
    {{"j", "Equal", "v", ""}, {"k", "v", "NoExecute"}, 0},
    {{"k", "Exists", "", ""}, {"k", "v", "NoExecute"}, 1},
    {{"k", "Exists", "w", ""}, {"k", "v", "NoExecute"}, 1},
    {{"j", "Exists", "", ""}, {"k", "v", "NoExecute"}, 0},
    {{"", "Exists", "", ""}, {"k", "v", "NoExecute"}, 1},
    {{"", "Exists", "", "NoSchedule"}, {"k", "v", "NoExecute"}, 0},
    {{"", "", "", ""}, {"k", "", "NoSchedule"}, 1}, /* {} tolerates every taint without a value */
    {{"", "", "", ""}, {"k", "v", "NoSchedule"}, 0},
    {{"", "Equal", "v", ""}, {"k", "v", "NoSchedule"}, 1},
    {{"k", "Gt", "1", ""}, {"k", "2", "NoSchedule"}, 0},
    {{"k", "Lt", "3", ""}, {"k", "2", "NoSchedule"}, 0},
    {{"k", "equal", "v", ""}, {"k", "v", "NoSchedule"}, 0},
    {{"k", "Other", "v", ""}, {"k", "v", "NoSchedule"}, 0},
};

START_TEST(test_verdicts) {
  const char *const *const from = verdicts[_i].toleration;
  struct rebali_toleration toleration = {text_of(from[0]), text_of(from[1]), text_of(from[2]), text_of(from[3]), 0, 0};
  const struct rebali_taint taint = {
      text_of(verdicts[_i].taint[0]), text_of(verdicts[_i].taint[1]), text_of(verdicts[_i].taint[2]), {0, 0, 0}};

  ck_assert_int_eq(rebali_tolerates(&toleration, &taint), verdicts[_i].tolerates);
  toleration.has_seconds = 1; /* ignored */
  ck_assert_int_eq(rebali_tolerates(&toleration, &taint), verdicts[_i].tolerates);
}
END_TEST

UNIT_CASE(toleration) {
  TCase *cases = tcase_create("toleration");
  tcase_add_loop_test(cases, test_effects, 0, (int)REBALI_COUNT(effects));
  tcase_add_test(cases, test_absent_effect_is_none);
  tcase_add_loop_test(cases, test_verdicts, 0, (int)REBALI_COUNT(verdicts));
  return cases;
}
