/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#define METADATA(more) \
  "{apiVersion: apps.kruise.io/v1beta1, kind: UnitedDeployment, metadata: {name: u, namespace: ns" more "}, spec: {"
#define UNITED METADATA("")
#define TOPOLOGY(subsets) "topology: {subsets: [" subsets "]}}}"
#define OF(replicas, subsets) UNITED "replicas: " replicas ", " TOPOLOGY(subsets)
#define STRATEGY(template, subsets, adaptive)                                                                      \
  UNITED "replicas: 10, template: {" template "}, topology: {subsets: [" subsets "], scheduleStrategy: {" adaptive \
                                              "}}}}"
#define RESERVED "type: Adaptive, adaptive: {reserveUnschedulablePods: true}"
#define LIST "invalid spec.topology.subsets: "
#define AT(i, member) "invalid spec.topology.subsets[" i "]." member ": "
#define UNREADABLE(member, text, why) AT("0", member) "subset replicas (" text ") " why "\n"
#define NO_INTEGER(text, number, why) \
  UNREADABLE("replicas", text, "should be correct percentage integer: strconv.ParseInt: parsing \"" number "\": " why)
#define RANGE "should be in range [0, 100]"
#define NO_SUFFIX "only support integer value or percentage value with a suffix '%'"
#define ABOVE(sum, total) \
  LIST "sum of indicated subset replicas " sum " should not be greater than UnitedDeployment replicas " total "\n"
#define UNEQUAL(sum, total)                                                                 \
  LIST "if replicas of all subsets are provided, the sum of indicated subset replicas " sum \
       " should equal "                                                                     \
       "UnitedDeployment replicas " total "\n"
#define NOT_ALL LIST "if UnitedDeployment replicas is not provided, replicas of all subsets should be provided\n"
#define CROSSED(i) AT(i, "minReplicas") "subset[" i "].minReplicas must be less than or equal to maxReplicas\n"
#define BOTH \
  LIST "subset.Replicas and subset.MinReplicas/subset.MaxReplicas are mutually exclusive in a UnitedDeployment\n"
#define NO_TOTAL LIST "spec.replicas must be not empty if you set subset.minReplicas/maxReplicas\n"
#define NO_OPEN LIST "at least one subset.maxReplicas must be empty\n"
#define SUMS_CROSSED \
  LIST "sum of indicated subset.minReplicas should not be greater than sum of indicated subset.maxReplicas\n"
#define NO_ADAPTIVE(i)                                                           \
  "forbidden spec.topology.subsets[" i                                           \
  "].replicas: specify replicas use minReplicas/maxReplicas to enable adaptive " \
  "strategy\n"
#define STATELESS                                                                                                \
  "invalid spec.topology.scheduleStrategy: only stateless workloads (Deployment and CloneSet) are supported by " \
  "reserved rescheduling\n"
#define LABEL                                                                                                          \
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " \
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "                            \
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
#define LONG "a23456789a123456789a123456789a123456789a123456789a123456789a1234"

static const struct admission_row rows[] = {
    {"", UNITED "}}", ""},
    {"", OF("5", ""), ""},
    {"", UNITED TOPOLOGY("{name: a}"), NOT_ALL},
    {"", UNITED TOPOLOGY("{name: a, replicas: 3}"), ""},
    {"", UNITED TOPOLOGY("{name: a, replicas: 3}, {name: b}"), NOT_ALL},
    /* what cannot be read counts as 0 */
    {"", OF("5", "{name: a, replicas: -1}, {name: b}"), UNREADABLE("replicas", "-1", "should not be less than 0")},
    {"", OF("5", "{name: a, minReplicas: -2}"), UNREADABLE("minReplicas", "-2", "should not be less than 0")},
    {"", OF("5", "{name: a, maxReplicas: '5'}, {name: b}"), UNREADABLE("maxReplicas", "5", NO_SUFFIX)},
    {"", OF("5", "{name: a, replicas: ''}, {name: b}"), UNREADABLE("replicas", "", NO_SUFFIX)},
    {"", OF("5", "{name: a, replicas: '%'}, {name: b}"), NO_INTEGER("%", "", "invalid syntax")},
    {"", OF("5", "{name: a, replicas: 5%%}, {name: b}"), NO_INTEGER("5%%", "5%", "invalid syntax")},
    {"", OF("5", "{name: a, replicas: +-5%}, {name: b}"), NO_INTEGER("+-5%", "+-5", "invalid syntax")},
    {"", OF("5", "{name: a, replicas: 2147483648%}, {name: b}"),
     NO_INTEGER("2147483648%", "2147483648", "value out of range")},
    {"", OF("5", "{name: a, replicas: -2147483649%}, {name: b}"),
     NO_INTEGER("-2147483649%", "-2147483649", "value out of range")},
    {"", OF("5", "{name: a, replicas: 2147483647%}, {name: b}"), UNREADABLE("replicas", "2147483647%", RANGE)},
    {"", OF("5", "{name: a, replicas: 101%}, {name: b}"), UNREADABLE("replicas", "101%", RANGE)},
    {"", OF("5", "{name: a, replicas: -1%}, {name: b}"), UNREADABLE("replicas", "-1%", RANGE)},
    {"", OF("5", "{name: a, replicas: +40%}, {name: b}"), ""},
    {"", UNITED TOPOLOGY("{name: a, replicas: 40%}"),
     AT("0", "replicas") "subsetReplicas (40%) should not be string when unitedDeployment replicas is empty\n"},
    /* replicas: percentages are rounded half up */
    {"", OF("5", "{name: a, replicas: 3}, {name: b, replicas: 2}"), ""},
    {"", OF("5", "{name: a, replicas: 3}, {name: b, replicas: 1}"), UNEQUAL("4", "5")},
    {"", OF("5", "{name: a, replicas: 6}, {name: b}"), ABOVE("6", "5")},
    {"", OF("5", "{name: a, replicas: 50%}, {name: b, replicas: 50%}"), ABOVE("6", "5") UNEQUAL("6", "5")},
    {"", OF("10", "{name: a, replicas: 25%}, {name: b, replicas: 7}"), ""},
    /* limits: an absent maximum is a million */
    {"", OF("5", "{name: a, minReplicas: 2, maxReplicas: 4}, {name: b, minReplicas: 1}"), ""},
    {"", OF("5", "{name: a, minReplicas: 3, maxReplicas: 2}, {name: b}"), CROSSED("0")},
    {"", OF("5", "{name: b}, {name: a, minReplicas: 1000001}"), CROSSED("1")},
    {"", OF("5", "{name: a, minReplicas: 1000000}"), ""},
    {"", UNITED TOPOLOGY("{name: a, minReplicas: 1}"), NO_TOTAL},
    {"", OF("5", "{name: a, maxReplicas: 3}, {name: b, maxReplicas: 7}"), NO_OPEN},
    {"", UNITED TOPOLOGY("{name: a, minReplicas: 2, maxReplicas: 1}"), CROSSED("0") NO_TOTAL NO_OPEN SUMS_CROSSED},
    {"", UNITED TOPOLOGY("{name: a, minReplicas: 2, maxReplicas: 1, replicas: 1}"), CROSSED("0") BOTH},
    {"", OF("5", "{name: a, maxReplicas: 1}, {name: b, replicas: 9}"), BOTH},
    /* strategies */
    {"", STRATEGY("", "{name: a, replicas: 1}, {name: b}, {name: c, replicas: 2}", "type: Adaptive"),
     NO_ADAPTIVE("0") NO_ADAPTIVE("2")},
    {"", STRATEGY("", "{name: a, replicas: 1}, {name: b}", "type: Fixed"), ""},
    {"", STRATEGY("statefulSetTemplate: {}", "{name: a}", RESERVED), STATELESS},
    {"", STRATEGY("advancedStatefulSetTemplate: {}", "{name: a}", RESERVED), STATELESS},
    {"", STRATEGY("cloneSetTemplate: {}, deploymentTemplate: {}", "{name: a}", RESERVED), ""},
    {"", STRATEGY("statefulSetTemplate: {}", "{name: a}", "type: Adaptive"), ""},
    {"", STRATEGY("statefulSetTemplate: {}", "{name: a}", "adaptive: {reserveUnschedulablePods: true}"), ""},
    /* names */
    {"", OF("5", "{}, {name: a}, {name: b}, {name: a}"),
     "required spec.topology.subsets[0].name: a subset needs a name\n" AT("3", "name") "duplicated subset name a\n"},
    {"", OF("5", "{name: a.b}, {name: " LONG "}"),
     AT("0", "name") "invalid subset name " LABEL AT("1", "name") "invalid subset name must be no more than 63 "
                                                                  "characters\n"},
    {"", OF("5", "{name: _" LONG "}"),
     AT("0", "name") "invalid subset name must be no more than 63 characters, " LABEL},
    /* numbers, strategy, names */
    {"", STRATEGY("statefulSetTemplate: {}", "{replicas: 11}, {name: b}", RESERVED),
     ABOVE("11", "10") NO_ADAPTIVE("0") STATELESS "required spec.topology.subsets[0].name: a subset needs a name\n"},
};

START_TEST(test_what_is_reported) {
  assert_row(&rows[_i]);
}
END_TEST

/* ---- updates ---- */

#define KNOWN METADATA(", resourceVersion: '7'") "replicas: 5, "
#define ON(key) "nodeSelectorTerm: {matchExpressions: [{key: " key ", operator: Exists}]}"
#define CHANGED(i, member) "forbidden spec.topology.subsets[" i "]." member ": may not be changed in an update\n"
#define OLD KNOWN TOPOLOGY("{name: a, " ON("x") "}, {name: b, tolerations: [{operator: Exists}]}")

static const struct admission_row updates[] = {
    {OLD, OLD, ""},
    /* subsets are the same by their names */
    {OLD, KNOWN TOPOLOGY("{name: b, tolerations: [{operator: Exists}]}, {name: a, " ON("x") ", maxReplicas: 2}"), ""},
    {OLD, KNOWN TOPOLOGY("{name: c, " ON("y") "}, {name: a, " ON("y") "}, {name: b}"),
     CHANGED("1", "nodeSelectorTerm") CHANGED("2", "tolerations")},
    {OLD, KNOWN TOPOLOGY("{name: a, tolerations: []}"), CHANGED("0", "nodeSelectorTerm") CHANGED("0", "tolerations")},
    {OLD, METADATA("") "replicas: 5, " TOPOLOGY("{name: a, replicas: 6, " ON("x") "}, {name: c}"),
     ABOVE("6", "5") "invalid metadata.resourceVersion: must be specified for an update\n"},
};

START_TEST(test_updates) {
  rebal_store *store = store_of(updates[_i].objects);
  assert_stated(store, updates[_i].text, find(store, "UnitedDeployment", "ns", "u"), updates[_i].stated);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_what_the_api_server_cannot_read) {
  static const char text[] = OF("5", "{name: a, replicas: 2147483648}");
  rebal_store *store = store_new();
  rebal_findings *findings = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_store_validate(store, text, sizeof text - 1, REBAL_NONE, NULL, &findings, &err), REBAL_ERANGE);
  ck_assert_str_eq(err.field, "spec.topology.subsets[0].replicas");
  rebal_store_free(store);
}
END_TEST

/* Both functions report the same findings. */
START_TEST(test_a_text_is_examined_alike) {
  static const char text[] = OF("5", "{name: a, maxReplicas: 1}, {name: b, replicas: 9}");
  rebal_findings *findings = NULL;
  char *stated;
  ck_assert_int_eq(rebal_manifest_validate(text, sizeof text - 1, NULL, &findings, NULL), REBAL_OK);
  stated = findings_text(findings);
  ck_assert_str_eq(stated, BOTH);
  free(stated);
  rebal_findings_free(findings);
}
END_TEST

UNIT_CASE(validate_united) {
  TCase *cases = tcase_create("validate_united");
  tcase_add_loop_test(cases, test_what_is_reported, 0, (int)COUNT(rows));
  tcase_add_loop_test(cases, test_updates, 0, (int)COUNT(updates));
  tcase_add_test(cases, test_what_the_api_server_cannot_read);
  tcase_add_test(cases, test_a_text_is_examined_alike);
  return cases;
}
