/* SPDX-License-Identifier: MIT */
#include "rebalancer/rebalancer.h"

/* Reads a workload from a node. Missing fields are empty. */
static struct rebali_workload read_workload(const rebal_record *record, uint32_t node) {
  return (struct rebali_workload){rebali_record_field_text(record, node, REBAL_REFERENCE_API_VERSION),
                                  rebali_record_field_text(record, node, REBAL_REFERENCE_KIND),
                                  rebali_record_field_text(record, node, REBAL_REFERENCE_NAMESPACE),
                                  rebali_record_field_text(record, node, REBAL_REFERENCE_NAME)};
}

static int32_t read_spec(const rebal_record *record, struct rebali_arena *arena, struct rebali_rebalancer *out,
                         rebal_error *err) {
  const uint32_t spec = rebali_record_get(record, 0, REBAL_WORKLOAD_REBALANCER_SPEC);
  const uint32_t ttl = rebali_record_get(record, spec, REBAL_REBALANCER_SPEC_TTL_SECONDS_AFTER_FINISHED);
  uint32_t node = REBAL_NONE;
  size_t i = 0;

  out->has_ttl = ttl != REBAL_NONE;
  out->ttl_seconds = rebal_record_i64(record, ttl);
  out->n_workloads = rebali_record_count(record, spec, REBAL_REBALANCER_SPEC_WORKLOADS);
  out->workloads = rebali_arena_allocate(arena, out->n_workloads, sizeof *out->workloads);
  if (out->workloads == NULL) {
    return rebali_fail_memory(err);
  }
  while ((node = rebal_record_next(record, spec, REBAL_REBALANCER_SPEC_WORKLOADS, node)) != REBAL_NONE) {
    out->workloads[i++] = read_workload(record, node);
  }
  return REBAL_OK;
}

static int32_t read_status(const rebal_record *record, struct rebali_arena *arena, struct rebali_rebalancer_status *out,
                           rebal_error *err) {
  const uint32_t status = rebali_record_get(record, 0, REBAL_WORKLOAD_REBALANCER_STATUS);
  const uint32_t finish_time = rebali_record_get(record, status, REBAL_REBALANCER_STATUS_FINISH_TIME);
  uint32_t node = REBAL_NONE;
  size_t i = 0;

  out->generation =
      rebal_record_i64(record, rebali_record_get(record, status, REBAL_REBALANCER_STATUS_OBSERVED_GENERATION));
  rebal_record_time(record, finish_time, &out->finish_time);
  out->observed.n = rebali_record_count(record, status, REBAL_REBALANCER_STATUS_OBSERVED_WORKLOADS);
  out->observed.items = rebali_arena_allocate(arena, out->observed.n, sizeof *out->observed.items);
  if (out->observed.items == NULL) {
    return rebali_fail_memory(err);
  }
  while ((node = rebal_record_next(record, status, REBAL_REBALANCER_STATUS_OBSERVED_WORKLOADS, node)) != REBAL_NONE) {
    out->observed.items[i++] = (struct rebali_observed){
        read_workload(record, rebali_record_get(record, node, REBAL_OBSERVED_WORKLOAD_WORKLOAD)),
        rebali_record_field_text(record, node, REBAL_OBSERVED_WORKLOAD_RESULT),
        rebali_record_field_text(record, node, REBAL_OBSERVED_WORKLOAD_REASON)};
  }
  return REBAL_OK;
}

int32_t rebali_rebalancer_read(const rebal_record *record, struct rebali_arena *arena, struct rebali_rebalancer *out,
                               rebal_error *err) {
  uint32_t metadata;
  int32_t code;

  if (record == NULL || rebal_record_object(record) != REBAL_OBJECT_WORKLOAD_REBALANCER) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the record is not a WorkloadRebalancer");
  }
  metadata = rebali_record_get(record, 0, REBAL_WORKLOAD_REBALANCER_METADATA);
  out->name = rebali_record_field_text(record, metadata, REBAL_METADATA_NAME);
  out->resource_version = rebali_record_field_text(record, metadata, REBAL_METADATA_RESOURCE_VERSION);
  out->generation = rebal_record_i64(record, rebali_record_get(record, metadata, REBAL_METADATA_GENERATION));
  rebal_record_time(record, rebali_record_get(record, metadata, REBAL_METADATA_CREATION_TIMESTAMP), &out->created);
  if (!out->created.is_set) {
    return rebali_fail(err, REBAL_EINVAL, -1, "metadata.creationTimestamp is missing: it is the time of the trigger");
  }
  code = read_spec(record, arena, out, err);
  return code != REBAL_OK ? code : read_status(record, arena, &out->status, err);
}
