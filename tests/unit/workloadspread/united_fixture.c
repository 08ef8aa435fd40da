/* SPDX-License-Identifier: MIT */
#include "united_fixture.h"

#include "../unit.h"

#include <stdio.h>

static void put_value(rebal_builder *builder, uint32_t field, const char *value, size_t len) {
  const size_t digits = strspn(value, "-0123456789");

  (void)rebal_builder_begin(builder, field, NULL);
  if (digits >= len && len != 0) {
    (void)rebal_builder_i64(builder, REBAL_INT_OR_TEXT_NUMBER, strtoll(value, NULL, 10), NULL);
  } else {
    const size_t quote = len != 0 && *value == '\'' ? 1 : 0;

    (void)rebal_builder_text(builder, REBAL_INT_OR_TEXT_TEXT, value + quote, len - quote, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
}

/* "4/1-3um" */
static void read_workload(struct united_fixture *fixture, size_t i, const char *text) {
  char *end;

  fixture->states[i] = REBAL_UNITED_STATE_EXISTS;
  fixture->replicas[i] = fixture->observed[i] = (int32_t)strtol(text, &end, 10);
  fixture->ready[i] = *end == '/' ? (int32_t)strtol(end + 1, &end, 10) : 0;
  fixture->reserved[i] = *end == '-' ? (int32_t)strtol(end + 1, &end, 10) : 0;
  for (; *end == 'u' || *end == 'm'; end++) {
    fixture->states[i] |=
        *end == 'u' ? (uint32_t)REBAL_UNITED_STATE_UNSCHEDULABLE : (uint32_t)REBAL_UNITED_STATE_MARKED;
  }
}

static const char *put_subset(struct united_fixture *fixture, size_t i, const char *text) {
  static const struct {
    const char *mark;
    uint32_t field;
  } values[] = {{"=", REBAL_UNITED_SUBSET_REPLICAS},
                {">=", REBAL_UNITED_SUBSET_MIN_REPLICAS},
                {"<=", REBAL_UNITED_SUBSET_MAX_REPLICAS}};
  const size_t name_len = strcspn(text, "=<>[ ");

  (void)rebal_builder_begin(fixture->builder, REBAL_UNITED_TOPOLOGY_SUBSETS, NULL);
  (void)rebal_builder_text(fixture->builder, REBAL_UNITED_SUBSET_NAME, text, name_len, NULL);
  text += name_len;
  for (size_t j = 0; j < REBALI_COUNT(values); j++) {
    if (strncmp(text, values[j].mark, strlen(values[j].mark)) == 0) {
      const char *value = text + strlen(values[j].mark);
      const size_t len = strcspn(value, "=<>[ ");

      put_value(fixture->builder, values[j].field, value, len);
      text = value + len;
    }
  }
  (void)rebal_builder_end(fixture->builder, NULL);
  if (*text == '[') {
    read_workload(fixture, i, text + 1);
  }
  return text + strcspn(text, " ");
}

static void put_seconds(rebal_builder *builder, uint32_t field, const char *text, char **end) {
  const int64_t seconds = strtoll(text, end, 10);

  if (seconds != 0) {
    (void)rebal_builder_i64(builder, field, seconds, NULL);
  }
}

static void put_strategy(rebal_builder *builder, enum united_strategy strategy, const char *status) {
  const char *type = strategy == FIXED ? "Fixed" : "Adaptive";
  const char *seconds = strchr(status, '?');
  char *end;

  (void)rebal_builder_begin(builder, REBAL_UNITED_TOPOLOGY_SCHEDULE_STRATEGY, NULL);
  (void)rebal_builder_text(builder, REBAL_SCHEDULE_STRATEGY_TYPE, type, strlen(type), NULL);
  (void)rebal_builder_begin(builder, REBAL_SCHEDULE_STRATEGY_ADAPTIVE, NULL);
  if (seconds != NULL) {
    put_seconds(builder, REBAL_ADAPTIVE_STRATEGY_RESCHEDULE_CRITICAL_SECONDS, seconds + 1, &end);
    put_seconds(builder, REBAL_ADAPTIVE_STRATEGY_UNSCHEDULABLE_DURATION, end + 1, &end);
  }
  if (strategy == RESERVING) {
    (void)rebal_builder_i64(builder, REBAL_ADAPTIVE_STRATEGY_RESERVE_UNSCHEDULABLE_PODS, 1, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_end(builder, NULL);
}

static void put_text(rebal_builder *builder, uint32_t field, const char *text, size_t len) {
  (void)rebal_builder_text(builder, field, text, len, NULL);
}

/* "False,reschedule,-100", which ends at a space; text after the age is ignored. */
static const char *put_condition(rebal_builder *builder, uint32_t field, const char *type, const char *text) {
  const size_t status_len = strcspn(text, ", ");
  const char *reason = text + status_len + 1;
  const size_t reason_len = strcspn(reason, ", ");
  const rebal_time since = {UNITED_NOW - strtoll(reason + reason_len + 1, NULL, 10), 0, 1};

  (void)rebal_builder_begin(builder, field, NULL);
  put_text(builder, REBAL_CONDITION_TYPE, type, strlen(type));
  put_text(builder, REBAL_CONDITION_STATUS, text, status_len);
  (void)rebal_builder_time(builder, REBAL_CONDITION_LAST_TRANSITION_TIME, &since, NULL);
  put_text(builder, REBAL_CONDITION_REASON, reason, reason_len);
  put_text(builder, REBAL_CONDITION_MESSAGE, "before", 6);
  (void)rebal_builder_end(builder, NULL);
  return text + strcspn(text, " ");
}

static const char *put_entry(rebal_builder *builder, const char *text) {
  const size_t name_len = strcspn(text, "=& ");

  (void)rebal_builder_begin(builder, REBAL_UNITED_STATUS_SUBSETS, NULL);
  put_text(builder, REBAL_UNITED_SUBSET_STATUS_NAME, text, name_len);
  text += name_len;
  if (*text == '&') {
    (void)put_condition(builder, REBAL_UNITED_SUBSET_STATUS_CONDITIONS, "Other", "True,why,7");
    text++;
  }
  if (*text == '=') {
    text = put_condition(builder, REBAL_UNITED_SUBSET_STATUS_CONDITIONS, "Schedulable", text + 1);
  }
  (void)rebal_builder_end(builder, NULL);
  return text;
}

static void put_status(rebal_builder *builder, const char *text) {
  (void)rebal_builder_begin(builder, REBAL_UNITED_DEPLOYMENT_STATUS, NULL);
  (void)rebal_builder_begin(builder, REBAL_UNITED_STATUS_UPDATE_STATUS, NULL);
  put_text(builder, REBAL_UNITED_UPDATE_UPDATED_REVISION, "new", 3);
  (void)rebal_builder_end(builder, NULL);
  while (*text != '\0' && *text != '?') {
    text = *text == '!' ? put_condition(builder, REBAL_UNITED_STATUS_CONDITIONS, "Updated", text + 1)
                        : put_entry(builder, text);
    text += strspn(text, " ");
  }
  (void)rebal_builder_end(builder, NULL);
}

static void put_metadata(rebal_builder *builder) {
  (void)rebal_builder_begin(builder, REBAL_UNITED_DEPLOYMENT_METADATA, NULL);
  put_text(builder, REBAL_METADATA_NAMESPACE, "shop", 4);
  put_text(builder, REBAL_METADATA_NAME, "web", 3);
  put_text(builder, REBAL_METADATA_RESOURCE_VERSION, "7", 1);
  (void)rebal_builder_end(builder, NULL);
}

static int32_t build(struct united_fixture *fixture, const struct united_sample *sample, const char *status) {
  rebal_builder *builder = fixture->builder;
  const char *text = sample->subsets;
  size_t n = 0;

  (void)rebal_builder_start(builder, REBAL_OBJECT_UNITED_DEPLOYMENT, NULL);
  put_metadata(builder);
  (void)rebal_builder_begin(builder, REBAL_UNITED_DEPLOYMENT_SPEC, NULL);
  if (sample->replicas != REBAL_ABSENT) {
    (void)rebal_builder_i64(builder, REBAL_UNITED_SPEC_REPLICAS, sample->replicas, NULL);
  }
  (void)rebal_builder_begin(builder, REBAL_UNITED_SPEC_TOPOLOGY, NULL);
  while (*text != '\0') {
    ck_assert_uint_lt(n, UNITED_MAX);
    text = put_subset(fixture, n++, text);
    text += strspn(text, " ");
  }
  put_strategy(builder, sample->strategy, status);
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_end(builder, NULL);
  if (*status != '\0' && *status != '?') {
    put_status(builder, status);
  }
  return rebal_builder_finish(builder, &fixture->record, NULL);
}

int32_t united_new(struct united_fixture *fixture, const rebal_allocator *allocator,
                   const struct united_sample *sample) {
  return united_new_with(fixture, allocator, sample, "");
}

int32_t united_new_with(struct united_fixture *fixture, const rebal_allocator *allocator,
                        const struct united_sample *sample, const char *status) {
  int32_t code;

  memset(fixture, 0, sizeof *fixture);
  fixture->opts = (rebal_united_opts){.struct_size = (uint32_t)sizeof fixture->opts,
                                      .states = fixture->states,
                                      .replicas = fixture->replicas,
                                      .observed = fixture->observed,
                                      .ready = fixture->ready,
                                      .reserved = fixture->reserved,
                                      .n = UNITED_MAX};
  code = rebal_builder_new(allocator, &fixture->builder, NULL);
  code = code != REBAL_OK ? code : rebal_ctx_new(allocator, NULL, &fixture->ctx, NULL);
  code = code != REBAL_OK ? code : rebal_result_new(allocator, &fixture->result, NULL);
  return code != REBAL_OK ? code : build(fixture, sample, status);
}

void united_dispose(struct united_fixture *fixture) {
  rebal_result_free(fixture->result);
  rebal_ctx_free(fixture->ctx);
  rebal_builder_free(fixture->builder);
  memset(fixture, 0, sizeof *fixture);
}

const char *united_answer(struct united_fixture *fixture) {
  const int64_t *states = rebal_result_i64(fixture->result, REBAL_STEP_STATE, NULL);
  const int64_t *replicas = rebal_result_i64(fixture->result, REBAL_ALLOCATED_REPLICAS, NULL);
  const size_t n = rebal_result_count(fixture->result, REBAL_TABLE_ALLOCATED);
  size_t len = 0;

  ck_assert_uint_eq(rebal_result_count(fixture->result, REBAL_TABLE_STEP), 1);
  if (states[0] != REBAL_STEP_STATE_DONE) {
    ck_assert_int_eq(states[0], REBAL_STEP_STATE_RETRY);
    ck_assert_uint_eq(n, 0);
    return rebal_result_text(fixture->result, REBAL_STEP_MESSAGE, 0, NULL);
  }
  fixture->answer[0] = '\0';
  for (size_t i = 0; i < n; i++) {
    len += (size_t)snprintf(fixture->answer + len, sizeof fixture->answer - len, "%s%d", i == 0 ? "" : ",",
                            (int)replicas[i]);
  }
  return fixture->answer;
}

static void gives(const struct united_sample *sample) {
  struct united_fixture fixture;

  ck_assert_int_eq(united_new(&fixture, NULL, sample), REBAL_OK);
  ck_assert_int_eq(rebal_united_allocate(fixture.ctx, fixture.record, &fixture.opts, fixture.result, NULL), REBAL_OK);
  ck_assert_msg(strcmp(united_answer(&fixture), sample->answer) == 0, "%s of %d: wanted %s, got %s", sample->subsets,
                (int)sample->replicas, sample->answer, united_answer(&fixture));
  united_dispose(&fixture);
}

void united_give(const struct united_sample *samples, size_t n) {
  for (size_t i = 0; i < n; i++) {
    gives(&samples[i]);
  }
}
