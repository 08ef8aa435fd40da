/* SPDX-License-Identifier: MIT */
#include "name_forms.h"
#include "spreads.h"

#define REQUIRED(part) SUBSETS("{name: a, requiredNodeSelector: {" part "}}")
#define PREFERRED(part) SUBSETS("{name: a, preferredNodeSelector: [" part "]}")
#define TOLERATION(part) SUBSETS("{name: a, tolerations: [{key: k, operator: Exists}, {" part "}]}")
#define TERM_PATH "spec.subsets[0].requiredNodeSelector."
#define PREFERRED_PATH "spec.subsets[0].preferredNodeSelector[0]."
#define TOLERATION_PATH "spec.subsets[0].tolerations[1]."
#define TEN "0123456789"
#define LONG_BAD TEN TEN TEN TEN TEN TEN "abcd-"

static const struct admission_row rows[] = {
    {"", REQUIRED(""), ""},
    {"",
     REQUIRED("matchExpressions: [{key: a, operator: In, values: [b, '']}, {key: a, operator: DoesNotExist}, {key: "
              "a, operator: Lt, values: ['1']}], matchFields: [{key: metadata.name, operator: In, values: [n.x]}]"),
     ""},
    {"",
     REQUIRED("matchExpressions: [{key: a, operator: NotIn}, {key: a, operator: Exists, values: [b]}, {key: a, "
              "operator: Gt, values: ['1', '2']}, {key: a, operator: in}]"),
     "required " TERM_PATH "matchExpressions[0].values: must be specified when `operator` is 'In' or 'NotIn'\n"
     "forbidden " TERM_PATH
     "matchExpressions[1].values: may not be specified when `operator` is 'Exists' or 'DoesNotExist'\n"
     "required " TERM_PATH
     "matchExpressions[2].values: must be specified single value when `operator` is 'Lt' or 'Gt'\n"
     "invalid " TERM_PATH "matchExpressions[3].operator: not a valid selector operator\n"},
    {"", REQUIRED("matchExpressions: [{key: '', operator: In, values: [b, -]}]"),
     "invalid " TERM_PATH "matchExpressions[0].key: name part must be non-empty\n"
     "invalid " TERM_PATH "matchExpressions[0].key: name part must " NAME_FORM "\n"
     "invalid " TERM_PATH "matchExpressions[0].values[1]: " VALUE_FORM "\n"},
    {"",
     REQUIRED("matchFields: [{key: metadata.name, operator: In, values: [Node]}, {key: metadata.name, operator: NotIn, "
              "values: [a, b]}, {key: spec.x, operator: Exists}]"),
     "invalid " TERM_PATH "matchFields[0].values[0]: " SUBDOMAIN_FORM "\n"
     "required " TERM_PATH
     "matchFields[1].values: must be only one value when `operator` is 'In' or 'NotIn' for node field selector\n"
     "invalid " TERM_PATH "matchFields[2].operator: not a valid selector operator\n"
     "invalid " TERM_PATH "matchFields[2].key: not a valid field selector key\n"},
    /* preferred terms take values that no label has */
    {"", PREFERRED("{weight: 1, preference: {matchExpressions: [{key: a, operator: In, values: [-]}]}}, {weight: 100}"),
     ""},
    {"", PREFERRED("{weight: 0, preference: {matchExpressions: [{key: a, operator: In}]}}"),
     "invalid " PREFERRED_PATH "weight: must be in the range 1-100\n"
     "required " PREFERRED_PATH
     "preference.matchExpressions[0].values: must be specified when `operator` is 'In' or 'NotIn'\n"},
    {"", PREFERRED("{weight: 101}"), "invalid " PREFERRED_PATH "weight: must be in the range 1-100\n"},
    {"",
     SPREAD_OF("v1alpha1", "ws") TARGET "subsets: [{name: a, requiredNodeSelectorTerm: {matchFields: [{key: k, "
                                        "operator: In, values: [a]}]}, preferredNodeSelectorTerms: [{}]}]}}",
     "invalid " TERM_PATH "matchFields[0].key: not a valid field selector key\n"
     "invalid " PREFERRED_PATH "weight: must be in the range 1-100\n"},
    /* tolerations */
    {"", TOLERATION("operator: Exists"), ""},
    {"", TOLERATION("key: a, value: b, effect: NoExecute, tolerationSeconds: 5"), ""},
    {"", TOLERATION("value: b"),
     "invalid " TOLERATION_PATH
     "operator: operator must be Exists when `key` is empty, which means \"match all values and all keys\"\n"},
    {"", TOLERATION("key: -, operator: Equals, tolerationSeconds: 5, effect: Never"),
     "invalid " TOLERATION_PATH "key: name part must " NAME_FORM "\n"
     "invalid " TOLERATION_PATH "effect: effect must be 'NoExecute' when `tolerationSeconds` is set\n"
     "unsupported " TOLERATION_PATH "operator: supported values: \"Equal\", \"Exists\"\n"
     "unsupported " TOLERATION_PATH "effect: supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"\n"},
    {"", TOLERATION("key: a, operator: Equal, value: " LONG_BAD),
     "invalid " TOLERATION_PATH "operator: must be no more than 63 characters;" VALUE_FORM "\n"},
    {"", TOLERATION("key: a, operator: Exists, value: b"),
     "invalid " TOLERATION_PATH "operator: value must be empty when `operator` is 'Exists'\n"},
};

START_TEST(test_what_is_reported) {
  assert_row(&rows[_i]);
}
END_TEST

UNIT_CASE(validate_terms) {
  TCase *cases = tcase_create("validate_terms");
  tcase_add_loop_test(cases, test_what_is_reported, 0, (int)COUNT(rows));
  return cases;
}
