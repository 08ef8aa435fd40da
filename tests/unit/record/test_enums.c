/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../unit.h"

#include <rebalance/detector.h>
#include <rebalance/document.h>
#include <rebalance/rebalance.h>
#include <rebalance/simulation.h>

static const struct {
  uint32_t enumeration;
  int64_t value;
  const char *name; /* NULL: there is none */
} names[] = {
    {REBAL_ENUM_QUANTITY_FORMAT, REBAL_QUANTITY_FORMAT_NONE, ""},
    {REBAL_ENUM_OUTCOME, REBAL_OUTCOME_NO_CLUSTER_FIT, "NoClusterFit"},
    {REBAL_ENUM_OUTCOME, 0, NULL},
    {REBAL_ENUM_OUTCOME, INT64_MIN, NULL},
    {REBAL_ENUM_OUTCOME, REBAL_OUTCOME_SCHEDULED + (INT64_C(1) << 32), NULL},
    {REBAL_ENUM_FILTER, REBAL_FILTER_API_ENABLEMENT, "APIEnablement"},
    {REBAL_ENUM_FILTER, REBAL_FILTER_WORKLOAD_ANTI_AFFINITY + 1, NULL},
    {REBAL_ENUM_FILTER, REBAL_FILTER_EXTRA, "Extra"},
    {REBAL_ENUM_FITS, REBAL_FITS_FAILED, "Failed"},
    {REBAL_ENUM_REPLACES, REBAL_REPLACES_TAINTS, "spec.taints"},
    {REBAL_ENUM_REPLACES, REBAL_REPLACES_TAINTS | REBAL_REPLACES_CLUSTERS, NULL},
    {REBAL_ENUM_LOG_FORMAT, REBAL_LOG_FORMAT_TABLE, "table"},
    {REBAL_ENUM_OPTION, REBAL_OPTION_INT32_WRAP, "int32-wrap"},
    {REBAL_ENUM_LEVEL, REBAL_LEVEL_KARMADA_1_19, "karmada-1.19"},
    {REBAL_ENUM_FINDING, REBAL_FINDING_UNKNOWN_MEMBER, "unknown-member"},
    {REBAL_ENUM_CODE, REBAL_OK, "success"},
    {REBAL_ENUM_CODE, REBAL_EAGAIN, "failed for now; try again later"},
    {REBAL_ENUM_CODE, 1, NULL},
    {REBAL_ENUM_LOG_FORMAT, REBAL_TEXT_FORMAT_JSON, NULL},
    {REBAL_ENUM_NONE, 0, NULL},
    {UINT16_MAX, 1, NULL},
    {UINT32_MAX, 1, NULL},
};

START_TEST(test_names) {
  size_t len = 99;
  const char *name = rebal_enum_name(names[_i].enumeration, names[_i].value, &len);

  ck_assert_pstr_eq(name, names[_i].name);
  ck_assert_uint_eq(len, name == NULL ? 0 : strlen(name));
  ck_assert_ptr_eq(rebal_enum_name(names[_i].enumeration, names[_i].value, NULL), name);
}
END_TEST

/* Codes have no CODE in their names. */
enum {
#define REBAL_CODE(name, number, text) REBAL_CODE_##name = name,
#include "rebalance/codes.def"
#undef REBAL_CODE
};

static void check_enumerator(uint32_t enumeration, int64_t value, const char *text) {
  int64_t found = INT64_MIN;

  ck_assert_str_eq(rebal_enum_name(enumeration, value, NULL), text);
  if (text[0] != '\0') {
    ck_assert_int_eq(rebal_enum_find(enumeration, text, strlen(text), &found, NULL), REBAL_OK);
    ck_assert_int_eq(found, value);
  }
}

/* Every enumerator of the list is found by the value that C gives it, and by its text. */
START_TEST(test_every_enumerator) {
#define REBAL_ENUM(name, number, form)
#define REBAL_ENUMERATOR(enumeration, name, value, text, meaning) \
  ck_assert_int_eq(REBAL_##enumeration##_##name, value);          \
  check_enumerator(REBAL_ENUM_##enumeration, value, text);
#include "rebalance/enums.def"
#undef REBAL_ENUM
#undef REBAL_ENUMERATOR
}
END_TEST

START_TEST(test_texts_that_are_not_found) {
  static const char *const unknown[] = {"", "INT32_WRAP", "int32", "int32-wrap ", "default"};
  rebal_error err = REBAL_ERROR_INIT;
  const size_t len = strlen(unknown[_i]);
  int64_t value = 7;

  ck_assert_int_eq(rebal_enum_find(REBAL_ENUM_OPTION, unknown[_i], len, &value, &err), REBAL_ENOTFOUND);
  ck_assert_int_eq(err.code, REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_enum_find(REBAL_ENUM_NONE, unknown[_i], len, &value, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_enum_find(UINT16_MAX, unknown[_i], len, &value, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(value, 7);
}
END_TEST

START_TEST(test_a_slip_is_answered_by_the_text_that_is_near) {
  static const struct {
    const char *text, *message;
    int64_t where;
  } slips[] = {
      {"int32-warp", "no enumerator has this text; did you mean \"int32-wrap\"?", REBAL_OPTION_INT32_WRAP},
      {"Strict_Eviction", "no enumerator has this text; did you mean \"strict-eviction\"?",
       REBAL_OPTION_STRICT_EVICTION},
      {"spread-replica-set", "no enumerator has this text; did you mean \"spread-replica-set-order\"?",
       REBAL_OPTION_SPREAD_REPLICA_SET_ORDER},
      {"haste", "no enumerator has this text", -1},
  };
  rebal_error err = REBAL_ERROR_INIT;
  int64_t value = 7;

  ck_assert_int_eq(rebal_enum_find(REBAL_ENUM_OPTION, slips[_i].text, strlen(slips[_i].text), &value, &err),
                   REBAL_ENOTFOUND);
  ck_assert_str_eq(err.message, slips[_i].message);
  ck_assert_int_eq(err.where, slips[_i].where);
}
END_TEST

UNIT_CASE(enums) {
  TCase *cases = tcase_create("enums");
  tcase_add_loop_test(cases, test_names, 0, REBALI_COUNT(names));
  tcase_add_test(cases, test_every_enumerator);
  tcase_add_loop_test(cases, test_texts_that_are_not_found, 0, 5);
  tcase_add_loop_test(cases, test_a_slip_is_answered_by_the_text_that_is_near, 0, 4);
  return cases;
}
