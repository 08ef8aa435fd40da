/* SPDX-License-Identifier: MIT */
#include "fixture.h"

static void set_text(rebal_builder *builder, uint32_t field, const char *text) {
  if (text != NULL && *text != '\0') {
    (void)rebal_builder_text(builder, field, text, strlen(text), NULL);
  }
}

static void set_time(rebal_builder *builder, uint32_t field, int64_t seconds) {
  const rebal_time time = {seconds, 0, 1};

  if (seconds != 0) {
    (void)rebal_builder_time(builder, field, &time, NULL);
  }
}

static void build_reference(rebal_builder *builder, uint32_t field, const struct sample_workload *workload) {
  (void)rebal_builder_begin(builder, field, NULL);
  set_text(builder, REBAL_REFERENCE_API_VERSION, workload->api_version);
  set_text(builder, REBAL_REFERENCE_KIND, workload->kind);
  set_text(builder, REBAL_REFERENCE_NAMESPACE, workload->namespace_);
  set_text(builder, REBAL_REFERENCE_NAME, workload->name);
  (void)rebal_builder_end(builder, NULL);
}

static void build_status(rebal_builder *builder, const struct sample *sample) {
  size_t i;

  (void)rebal_builder_begin(builder, REBAL_WORKLOAD_REBALANCER_STATUS, NULL);
  for (i = 0; i < SAMPLE_MAX && sample->observed[i].kind != NULL; i++) {
    (void)rebal_builder_begin(builder, REBAL_REBALANCER_STATUS_OBSERVED_WORKLOADS, NULL);
    build_reference(builder, REBAL_OBSERVED_WORKLOAD_WORKLOAD, &sample->observed[i]);
    set_text(builder, REBAL_OBSERVED_WORKLOAD_RESULT, sample->observed[i].result);
    set_text(builder, REBAL_OBSERVED_WORKLOAD_REASON, sample->observed[i].reason);
    (void)rebal_builder_end(builder, NULL);
  }
  (void)rebal_builder_i64(builder, REBAL_REBALANCER_STATUS_OBSERVED_GENERATION, sample->observed_generation, NULL);
  set_time(builder, REBAL_REBALANCER_STATUS_FINISH_TIME, sample->finish_time);
  (void)rebal_builder_end(builder, NULL);
}

static int32_t build_sample(struct fixture *fixture, const struct sample *sample) {
  rebal_builder *builder = fixture->builder;
  size_t i;

  (void)rebal_builder_start(builder, REBAL_OBJECT_WORKLOAD_REBALANCER, NULL);
  (void)rebal_builder_begin(builder, REBAL_WORKLOAD_REBALANCER_METADATA, NULL);
  set_text(builder, REBAL_METADATA_NAME, "demo");
  set_text(builder, REBAL_METADATA_RESOURCE_VERSION, "7");
  (void)rebal_builder_i64(builder, REBAL_METADATA_GENERATION, sample->generation, NULL);
  set_time(builder, REBAL_METADATA_CREATION_TIMESTAMP, CREATED);
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_begin(builder, REBAL_WORKLOAD_REBALANCER_SPEC, NULL);
  for (i = 0; i < SAMPLE_MAX && sample->workloads[i].kind != NULL; i++) {
    build_reference(builder, REBAL_REBALANCER_SPEC_WORKLOADS, &sample->workloads[i]);
  }
  if (sample->ttl >= 0) {
    (void)rebal_builder_i64(builder, REBAL_REBALANCER_SPEC_TTL_SECONDS_AFTER_FINISHED, sample->ttl, NULL);
  }
  (void)rebal_builder_end(builder, NULL);
  build_status(builder, sample);
  return rebal_builder_finish(builder, &fixture->rebalancer, NULL);
}

int32_t fixture_new(struct fixture *fixture, const rebal_allocator *allocator, const struct sample *sample) {
  int32_t code;

  memset(fixture, 0, sizeof *fixture);
  code = rebal_builder_new(allocator, &fixture->builder, NULL);
  code = code != REBAL_OK ? code : rebal_builder_new(allocator, &fixture->other, NULL);
  code = code != REBAL_OK ? code : rebal_ctx_new(allocator, NULL, &fixture->ctx, NULL);
  code = code != REBAL_OK ? code : rebal_result_new(allocator, &fixture->result, NULL);
  code = code != REBAL_OK ? code : rebal_observations_new(allocator, &fixture->observations, NULL);
  return code != REBAL_OK ? code : build_sample(fixture, sample);
}

void fixture_dispose(struct fixture *fixture) {
  rebal_result_free(fixture->result);
  rebal_ctx_free(fixture->ctx);
  rebal_observations_free(fixture->observations);
  rebal_builder_free(fixture->builder);
  rebal_builder_free(fixture->other);
  memset(fixture, 0, sizeof *fixture);
}

int32_t fixture_run(struct fixture *fixture, const rebal_time *now, rebal_result *result) {
  const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = fixture->observations};

  return rebal_rebalancer_step(fixture->ctx, fixture->rebalancer, now, &opts, result, NULL);
}

int32_t fixture_step(struct fixture *fixture, int64_t now) {
  const rebal_time time = {now, 0, 1};

  return fixture_run(fixture, &time, fixture->result);
}

int32_t fixture_found(struct fixture *fixture, int64_t ordinal, const char *version, int64_t triggered) {
  const rebal_record *binding;
  int32_t code;

  (void)rebal_builder_start(fixture->other, REBAL_OBJECT_BINDING, NULL);
  (void)rebal_builder_begin(fixture->other, REBAL_BINDING_METADATA, NULL);
  set_text(fixture->other, REBAL_METADATA_RESOURCE_VERSION, version);
  (void)rebal_builder_end(fixture->other, NULL);
  (void)rebal_builder_begin(fixture->other, REBAL_BINDING_SPEC, NULL);
  set_time(fixture->other, REBAL_BINDING_SPEC_RESCHEDULE_TRIGGERED_AT, triggered);
  (void)rebal_builder_end(fixture->other, NULL);
  code = rebal_builder_finish(fixture->other, &binding, NULL);
  return code == REBAL_OK ? fixture_observe_fields(fixture, ordinal, binding) : code;
}

int32_t fixture_observe_fields(struct fixture *fixture, int64_t ordinal, const rebal_record *fields) {
  const rebal_observation observation = {.struct_size = (uint32_t)sizeof observation,
                                         .outcome = REBAL_OBSERVED_DONE,
                                         .ordinal = ordinal,
                                         .fields = fields};

  return rebal_observations_add(fixture->observations, &observation, NULL);
}

int32_t fixture_observe(struct fixture *fixture, int64_t ordinal, int32_t outcome, const char *message) {
  return test_observe(fixture->observations, ordinal, outcome, message);
}

int64_t fixture_step_cell(const struct fixture *fixture, uint32_t column) {
  const int64_t *cells = rebal_result_i64(fixture->result, column, NULL);

  return cells == NULL ? -1 : cells[0];
}

size_t fixture_actions(const struct fixture *fixture) {
  return rebal_result_count(fixture->result, REBAL_TABLE_ACTION);
}

size_t fixture_action(const struct fixture *fixture, int64_t kind, int64_t ordinal) {
  const int64_t *kinds = rebal_result_i64(fixture->result, REBAL_ACTION_KIND, NULL);
  const int64_t *ordinals = rebal_result_i64(fixture->result, REBAL_ACTION_ORDINAL, NULL);
  size_t row;

  for (row = 0; row < fixture_actions(fixture); row++) {
    if (kinds[row] == kind && ordinals[row] == ordinal) {
      return row;
    }
  }
  return SIZE_MAX;
}
