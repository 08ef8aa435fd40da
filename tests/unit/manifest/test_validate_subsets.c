/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#define STATEFUL                                                                                                  \
  SPREAD                                                                                                          \
  "targetRef: {apiVersion: apps/v1, kind: StatefulSet, name: demo}, subsets: [{name: a, maxReplicas: 1}, {name: " \
  "b, maxReplicas: '5'}]}}"
#define EXCEEDS "the sum of all subset's maxReplicas exceeds 100% is no permitted\n"
#define BELOW                                                                                                      \
  "invalid spec.subsets[0].maxReplicas: maxReplicas sum of all subsets must equal 100% when type is specified as " \
  "percent\n"
#define NOT_VALID "maxReplicas is not valid for subset\n"

static const struct admission_row rows[] = {
    {"", SPREAD TARGET "}}", "required spec.subsets: subsets number must >= 1 in WorkloadSpread\n"},
    {"", SUBSETS(""), "required spec.subsets: subsets number must >= 1 in WorkloadSpread\n"},
    {"", SUBSETS("{name: a}, {}, {name: a}, {name: ''}"),
     "invalid spec.subsets[1].name: \ninvalid spec.subsets[2].name: duplicated subset name a\n"
     "invalid spec.subsets[3].name: \n"},
    /* limits: one type, percentages of 100 in all */
    {"", SUBSETS("{name: a, maxReplicas: 0}, {name: b, maxReplicas: 500}, {name: c}"), ""},
    {"", SUBSETS("{name: a, maxReplicas: 30%}, {name: b, maxReplicas: 70%}"), ""},
    {"", SUBSETS("{name: a, maxReplicas: 30%}, {name: b}"), ""},
    {"", SUBSETS("{name: a, maxReplicas: 30%}, {name: b, maxReplicas: 60%}"), BELOW},
    {"", SUBSETS("{name: a}, {name: b, maxReplicas: '+9%9'}"), BELOW},
    {"", SUBSETS("{name: a, maxReplicas: 1}, {name: b, maxReplicas: 5%}, {name: ''}"),
     "invalid spec.subsets[1].maxReplicas: the maxReplicas type of all subsets must be the same\n"},
    {"", STATEFUL, "invalid spec.subsets[1].maxReplicas: the maxReplicas type of all subsets must be the same\n"},
    {"",
     SPREAD "targetRef: {apiVersion: apps/v1, kind: StatefulSet, name: demo}, subsets: [{name: a, maxReplicas: '5'}]}}",
     "invalid spec.subsets[0].maxReplicas: the maxReplicas type must be Int for StatefulSet\n"},
    {"", SUBSETS("{name: a, maxReplicas: 60%}, {name: b, maxReplicas: 41%}, {}"),
     "invalid spec.subsets[1].maxReplicas: " EXCEEDS},
    {"", SUBSETS("{name: a, maxReplicas: '9223372036854775807%'}"), "invalid spec.subsets[0].maxReplicas: " EXCEEDS},
    {"", SUBSETS("{name: a, maxReplicas: '9223372036854775808%'}"), "invalid spec.subsets[0].maxReplicas: " NOT_VALID},
    {"", SUBSETS("{name: a, maxReplicas: -1}"), "invalid spec.subsets[0].maxReplicas: " NOT_VALID},
    {"", SUBSETS("{name: a, maxReplicas: '-1%'}"), "invalid spec.subsets[0].maxReplicas: " NOT_VALID},
    {"", SUBSETS("{name: a, maxReplicas: '%'}"), "invalid spec.subsets[0].maxReplicas: " NOT_VALID},
    {"", SUBSETS("{name: a, maxReplicas: '--5'}"), "invalid spec.subsets[0].maxReplicas: " NOT_VALID},
    {"", SUBSETS("{name: a, maxReplicas: '5-'}"), "invalid spec.subsets[0].maxReplicas: " NOT_VALID},
    {"", SUBSETS("{name: a, maxReplicas: ' 5'}"), "invalid spec.subsets[0].maxReplicas: " NOT_VALID},
    {"", SUBSETS("{name: a, maxReplicas: '-0'}, {name: b}"), ""},
};

START_TEST(test_what_is_reported) {
  assert_row(&rows[_i]);
}
END_TEST

UNIT_CASE(validate_subsets) {
  TCase *cases = tcase_create("validate_subsets");
  tcase_add_loop_test(cases, test_what_is_reported, 0, (int)COUNT(rows));
  return cases;
}
