/* SPDX-License-Identifier: MIT */
#include "steps.h"

/* The binding as an API server answers it, in a version. */
#define BOUND(version, rest)                                                                                \
  "{\"apiVersion\": \"work.karmada.io/v1alpha2\", \"kind\": \"ResourceBinding\", \"metadata\": {\"name\": " \
  "\"foo-deployment\", \"namespace\": \"default\", \"uid\": \"b\", \"resourceVersion\": \"" version "\"" rest "}}"
#define STATUS(reason, message) \
  "{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"reason\": \"" reason "\", \"message\": \"" message "\"}"

static void answer_to(struct run *run, size_t action, int32_t status, const char *body, int32_t code) {
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t result = rebal_store_take_answer(run->store, run->result, action, status, body,
                                                 body != NULL ? REBAL_TERMINATED : 0, run->observations, &err);
  ck_assert_msg(result == code, "%d: %s", (int)result, err.message);
}

static void answer(struct run *run, int32_t status, const char *body, int32_t code) {
  answer_to(run, 0, status, body, code);
}

static uint32_t binding_of(const struct run *run) {
  return find(run->store, "ResourceBinding", "default", "foo-deployment");
}

/* The store of a controller lacks the binding at first: answers to reads and writes are stored at once. */
START_TEST(test_a_run_by_answers) {
  struct run run = run_new(REBALANCER);
  const rebal_record *record = rebalancer(&run);
  ck_assert_int_eq(step(&run, record), REBAL_STEP_STATE_WAITING);
  ck_assert_int_eq(kind_of(&run, 0), REBAL_ACTION_KIND_READ);
  answer(&run, 200, BOUND("41", ""), REBAL_OK);
  assert_member(run.store, binding_of(&run), "metadata.resourceVersion", "41");
  ck_assert_int_eq(step(&run, record), REBAL_STEP_STATE_WAITING);
  ck_assert_int_eq(kind_of(&run, 0), REBAL_ACTION_KIND_PATCH_SPEC);
  answer(&run, 200, BOUND("42", ", \"generation\": 2"), REBAL_OK);
  assert_member(run.store, binding_of(&run), "metadata.generation", "2");
  ck_assert_int_eq(step(&run, record), REBAL_STEP_STATE_WAITING);
  ck_assert_int_eq(kind_of(&run, 0), REBAL_ACTION_KIND_PATCH_STATUS);
  answer(&run, 200, "{}", REBAL_OK); /* has no object: only the success is known */
  ck_assert_int_eq(step(&run, record), REBAL_STEP_STATE_DONE);
  run_free(&run);
}
END_TEST

/* Answers to the first READ of a run, and the result for the binding. */
static const struct {
  int32_t status;
  const char *body;
  const char *reason; /* of the workload's result; "": the run goes on with it, or is tried again */
  int64_t state;      /* after the answer */
} reads[] = {
    {404, STATUS("NotFound", "not found"), "ReferencedBindingNotFound", REBAL_STEP_STATE_WAITING},
    {404, "", "ReferencedBindingNotFound", REBAL_STEP_STATE_WAITING},
    {200, BOUND("41", ""), "", REBAL_STEP_STATE_WAITING},
};

START_TEST(test_answers_to_a_read) {
  struct run run = run_new(REBALANCER);
  const rebal_record *record = rebalancer(&run);
  (void)step(&run, record);
  answer(&run, reads[_i].status, reads[_i].body, REBAL_OK);
  ck_assert_int_eq(step(&run, record), reads[_i].state);
  if (reads[_i].reason[0] != '\0') {
    const rebal_time now = time_of(NOW);
    ck_assert_int_eq(kind_of(&run, 0), REBAL_ACTION_KIND_PATCH_STATUS);
    ck_assert_int_eq(rebal_store_carry_out(run.store, run.result, 0, &now, NULL, NULL), REBAL_OK);
    assert_member(run.store, 0, "status.observedWorkloads[0].reason", reads[_i].reason);
  } else {
    ck_assert_int_eq(kind_of(&run, 0), REBAL_ACTION_KIND_PATCH_SPEC);
  }
  run_free(&run);
}
END_TEST

/* Answers to the scheduler's write, and the condition that it sets on the binding afterwards. */
static const struct {
  int32_t status;
  const char *body, *reason, *message;
} writes[] = {
    {200, "", "Success", "Binding has been scheduled successfully."},
    {201, "", "Success", "Binding has been scheduled successfully."},
    {409, STATUS("Conflict", "it has been modified"), "SchedulerError", "it has been modified"},
    {409, "", "SchedulerError", "HTTP status 409"},
    {403, STATUS("Forbidden", "no"), "SchedulerError", "no"},
    {403, STATUS("QuotaExceeded", "too much"), "QuotaExceeded", "too much"},
    {422, STATUS("QuotaExceeded", ""), "QuotaExceeded", "HTTP status 422"},
    {429, STATUS("QuotaExceeded", "later"), "SchedulerError", "later"},
    {408, "404 page not found", "SchedulerError", "HTTP status 408"},
    {500, "{", "SchedulerError", "HTTP status 500"},
    {301, "", "SchedulerError", "HTTP status 301"},
    {0, NULL, "SchedulerError", "no answer"},
};

START_TEST(test_answers_to_a_write) {
  struct run run = run_new("apiVersion: v1\nkind: List\n" BINDING SPEC("m") CLUSTERS);
  const rebal_time now = time_of(NOW);
  schedule(&run, 1);
  answer_to(&run, find_action(&run, REBAL_ACTION_KIND_PATCH_METADATA), 200, "", REBAL_OK);
  answer_to(&run, find_action(&run, REBAL_ACTION_KIND_PATCH_SPEC), writes[_i].status, writes[_i].body, REBAL_OK);
  schedule(&run, 0);
  ck_assert_int_eq(
      rebal_store_carry_out(run.store, run.result, find_action(&run, REBAL_ACTION_KIND_PATCH_STATUS), &now, NULL, NULL),
      REBAL_OK);
  assert_member(run.store, binding_of(&run), "status.conditions[1].reason", writes[_i].reason);
  assert_member(run.store, binding_of(&run), "status.conditions[1].message", writes[_i].message);
  run_free(&run);
}
END_TEST

#define FINISHED(rest)                                                                                               \
  "apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer\nmetadata: {name: demo, generation: 1, "           \
  "resourceVersion: '3', creationTimestamp: '2026-03-14T08:00:00Z'" rest                                             \
  "}\nspec: {ttlSecondsAfterFinished: 1, "                                                                           \
  "workloads: [{apiVersion: apps/v1, kind: Deployment, name: foo, namespace: default}]}\n"                           \
  "status: {finishTime: '2026-03-14T08:00:00Z', observedGeneration: 1, observedWorkloads: [{workload: {apiVersion: " \
  "apps/v1, kind: Deployment, name: foo, namespace: default}, result: Successful}]}\n"
#define GOING                                                                                                  \
  "{\"apiVersion\": \"apps.karmada.io/v1alpha1\", \"kind\": \"WorkloadRebalancer\", \"metadata\": {\"name\": " \
  "\"demo\", \"resourceVersion\": \"4\", \"deletionTimestamp\": \"" NOW "\", \"finalizers\": [\"x\"]}}"

/* A deletion is answered by a Status, by the object as it was last, or by the object that waits for its finalizers. */
START_TEST(test_answers_to_a_deletion) {
  static const struct {
    int32_t status;
    const char *body;
    size_t left;
  } deletions[] = {{200, STATUS("", ""), 0}, {202, GOING, 1}, {409, STATUS("Conflict", "changed"), 1}, {0, "", 1}};
  for (size_t i = 0; i < REBALI_COUNT(deletions); i++) {
    struct run run = run_new(FINISHED(""));
    (void)step(&run, rebalancer(&run));
    ck_assert_int_eq(kind_of(&run, 0), REBAL_ACTION_KIND_DELETE);
    answer(&run, deletions[i].status, deletions[i].body, REBAL_OK);
    ck_assert_uint_eq(rebal_store_count(run.store), deletions[i].left);
    if (deletions[i].status == 202) {
      assert_member(run.store, 0, "metadata.deletionTimestamp", NOW);
    }
    run_free(&run);
  }
}
END_TEST

/* Another object in the answer, or one without a name, is not kept. */
START_TEST(test_bodies_that_are_not_the_object) {
  static const char *const bodies[] = {
      "[]", "7",
      "{\"apiVersion\": \"v1\", \"kind\": \"ResourceBinding\", \"metadata\": {\"name\": \"foo-deployment\", "
      "\"namespace\": \"default\"}}",
      "{\"apiVersion\": \"work.karmada.io/v1alpha2\", \"kind\": \"ResourceBinding\", \"metadata\": {\"name\": "
      "\"bar\", \"namespace\": \"default\"}}",
      "{\"apiVersion\": \"work.karmada.io/v1alpha2\", \"kind\": \"ResourceBinding\", \"metadata\": {\"namespace\": "
      "\"default\"}}"};
  for (size_t i = 0; i < REBALI_COUNT(bodies); i++) {
    struct run run = run_new(REBALANCER);
    (void)step(&run, rebalancer(&run));
    answer(&run, 200, bodies[i], REBAL_OK);
    ck_assert_uint_eq(rebal_store_count(run.store), 1);
    run_free(&run);
  }
}
END_TEST

START_TEST(test_broken_answers) {
  struct run run = run_new(REBALANCER);
  ck_assert_int_eq(rebal_store_take_answer(run.store, run.result, 0, 200, "", 0, NULL, NULL), REBAL_EINVAL);
  (void)step(&run, rebalancer(&run));
  ck_assert_int_eq(rebal_store_take_answer(NULL, run.result, 0, 200, "", 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_take_answer(run.store, NULL, 0, 200, "", 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_take_answer(run.store, run.result, 0, -1, "", 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_take_answer(run.store, run.result, 0, 200, "", 0, NULL, NULL), REBAL_OK);
  answer(&run, 404, "", REBAL_OK);
  answer(&run, 404, "", REBAL_EEXIST);
  run_free(&run);
}
END_TEST

#define EVENT(version, rest) "{\"type\": \"MODIFIED\", \"object\": " BOUND(version, rest) "}\n"

/* Events from before a write do not undo it, and later events count. */
START_TEST(test_events_after_a_write) {
  struct run run = run_new(REBALANCER);
  rebal_text *path = NULL;
  rebal_watch *watch = NULL;
  static const char list[] = "{\"metadata\": {\"resourceVersion\": \"40\"}, \"items\": []}";
  static const struct {
    const char *event, *version;
  } events[] = {{EVENT("41", ""), "43"},
                {EVENT("42", ", \"generation\": 2"), "43"},
                {EVENT("44", ""), "44"},
                {EVENT("42", ""), "42"},
                {EVENT("x", ""), "x"}};
  ck_assert_int_eq(rebal_text_new(&path, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_watch_new(run.store, "work.karmada.io/v1alpha2", REBAL_TERMINATED, "ResourceBinding",
                                   REBAL_TERMINATED, NULL, &watch, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_watch_request(watch, path, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_watch_feed(watch, list, sizeof list - 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_watch_end(watch, 200, NULL), REBAL_OK);
  (void)step(&run, rebalancer(&run));
  answer(&run, 200, BOUND("43", ""), REBAL_OK);
  ck_assert_int_eq(rebal_watch_request(watch, path, NULL), REBAL_OK);
  for (size_t i = 0; i < REBALI_COUNT(events); i++) {
    ck_assert_int_eq(rebal_watch_feed(watch, events[i].event, REBAL_TERMINATED, NULL), REBAL_OK);
    assert_member(run.store, binding_of(&run), "metadata.resourceVersion", events[i].version);
  }
  rebal_watch_free(watch);
  rebal_text_free(path);
  run_free(&run);
}
END_TEST

/* A watch may be faster than the answer: its later version stays. */
START_TEST(test_answers_after_an_event) {
  static const struct {
    const char *known, *kept;
  } cases[] = {{BOUND("44", ""), "44"}, {BOUND("43", ""), "43"}, {BOUND("9", ""), "43"}, {BOUND("x", ""), "43"}};
  for (size_t i = 0; i < REBALI_COUNT(cases); i++) {
    struct run run = run_new(REBALANCER);
    (void)step(&run, rebalancer(&run));
    ck_assert_int_eq(rebal_store_put(run.store, cases[i].known, strlen(cases[i].known), NULL), REBAL_OK);
    answer(&run, 200, BOUND("43", ""), REBAL_OK);
    assert_member(run.store, binding_of(&run), "metadata.resourceVersion", cases[i].kept);
    run_free(&run);
  }
}
END_TEST

/* An object that a watch reported as deleted does not return with the answer to an earlier patch. */
START_TEST(test_answers_after_a_deletion) {
  struct run run = run_new("apiVersion: v1\nkind: List\n" BINDING SPEC("m") CLUSTERS);
  schedule(&run, 1);
  ck_assert_int_eq(rebal_store_remove(run.store, binding_of(&run), NULL), REBAL_OK);
  answer_to(&run, find_action(&run, REBAL_ACTION_KIND_PATCH_SPEC), 200, BOUND("43", ""), REBAL_OK);
  ck_assert_uint_eq(binding_of(&run), REBAL_NONE);
  run_free(&run);
}
END_TEST

UNIT_CASE(answer) {
  TCase *cases = tcase_create("answer");
  tcase_add_test(cases, test_a_run_by_answers);
  tcase_add_loop_test(cases, test_answers_to_a_read, 0, (int)REBALI_COUNT(reads));
  tcase_add_loop_test(cases, test_answers_to_a_write, 0, (int)REBALI_COUNT(writes));
  tcase_add_test(cases, test_answers_to_a_deletion);
  tcase_add_test(cases, test_bodies_that_are_not_the_object);
  tcase_add_test(cases, test_events_after_a_write);
  tcase_add_test(cases, test_answers_after_an_event);
  tcase_add_test(cases, test_answers_after_a_deletion);
  tcase_add_test(cases, test_broken_answers);
  return cases;
}
