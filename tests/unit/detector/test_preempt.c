/* SPDX-License-Identifier: MIT */
#include "detecting.h"

#define GATE (UINT32_C(1) << REBAL_DETECTOR_GATE_POLICY_PREEMPTION)
#define ALWAYS ", preemption: Always, priority: "

/* Who claims web after the policy b was reconciled, which is a ClusterPropagationPolicy in some rows. */
static const struct {
  const char *text;
  uint32_t gates;
  const char *kind, *pp_id, *cpp_id;
  uint32_t outcome;
} rows[] = {
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS ", priority: 1") PP("b", "", WEB_ONLY ALWAYS "2"), GATE,
     "PropagationPolicy", "id-b", "", REBAL_DETECTOR_OUTCOME_DONE},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS ", priority: 2") PP("b", "", WEB_ONLY ALWAYS "2"), GATE,
     "PropagationPolicy", "id-a", "", REBAL_DETECTOR_OUTCOME_DONE},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS ", priority: 1") PP("b", "", WEB_ONLY ALWAYS "2"), 0,
     "PropagationPolicy", "id-a", "", REBAL_DETECTOR_OUTCOME_DONE},
    /* a selector without name finds nothing */
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS ", priority: 1") PP("b", "", DEPLOYMENTS ALWAYS "2"), GATE,
     "PropagationPolicy", "id-a", "", REBAL_DETECTOR_OUTCOME_DONE},
    /* from a ClusterPropagationPolicy, whatever the priority */
    {WEB(CPP_CLAIM("a")) CPP("a", "", DEPLOYMENTS ", priority: 9") PP("b", "", WEB_ONLY ALWAYS "2"), GATE,
     "PropagationPolicy", "id-b", "", REBAL_DETECTOR_OUTCOME_DONE},
    {WEB(CPP_CLAIM("a")) CPP("a", "", DEPLOYMENTS ", priority: 1") CPP("b", "", WEB_ONLY ALWAYS "2"), GATE,
     "ClusterPropagationPolicy", "", "id-b", REBAL_DETECTOR_OUTCOME_DONE},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS) CPP("b", "", WEB_ONLY ALWAYS "2"), GATE, "ClusterPropagationPolicy",
     "id-a", "", REBAL_DETECTOR_OUTCOME_DONE},
    /* the policy that claims it is gone */
    {WEB(PP_CLAIM("a")) PP("b", "", WEB_ONLY ALWAYS "2"), GATE, "PropagationPolicy", "id-a", "",
     REBAL_DETECTOR_OUTCOME_ERROR},
    /* one being deleted is left alone */
    {WEB(", deletionTimestamp: '2026-01-01T00:00:00Z'" PP_CLAIM("a")) PP("a", "", DEPLOYMENTS)
         PP("b", "", WEB_ONLY ALWAYS "2"),
     GATE, "PropagationPolicy", "id-a", "", REBAL_DETECTOR_OUTCOME_DONE},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS)
         PP("b", "", "resourceSelectors: [{apiVersion: x.io/v1, kind: X, name: x}]" ALWAYS "2"),
     GATE, "PropagationPolicy", "id-a", "", REBAL_DETECTOR_OUTCOME_ERROR},
};

START_TEST(test_rows) {
  struct detecting in;
  detecting_open(&in, rows[_i].text, 0, rows[_i].gates);
  policy_event(&in, rows[_i].kind, "b", NULL, rows[_i].outcome);
  assert_key(&in, web_of(&in), "labels", PP_ID, rows[_i].pp_id);
  assert_key(&in, web_of(&in), "labels", CPP_ID, rows[_i].cpp_id);
  detecting_close(&in);
}
END_TEST

UNIT_CASE(preempt) {
  TCase *cases = tcase_create("preempt");
  tcase_add_loop_test(cases, test_rows, 0, (int)COUNT(rows));
  return cases;
}
