/* SPDX-License-Identifier: MIT */
/* One WorkloadSpread: the handle. A load reads into a second set of members, which is then swapped with the first. */
#include "workloadspread/spread.h"

static int32_t check_object(const rebal_record *object, rebal_error *err) {
  return object != NULL && object->object == REBAL_OBJECT_WORKLOAD_SPREAD
             ? REBAL_OK
             : rebali_fail(err, REBAL_EINVAL, -1, "the record is not a WorkloadSpread");
}

/* On REBAL_ENOMEM the caller must free *out. */
static int32_t make(const rebal_allocator *allocator, rebal_spread **out) {
  rebal_spread *spread = rebali_allocate_zero(allocator, 1, sizeof *spread);
  uint32_t row;

  *out = spread;
  if (spread == NULL) {
    return REBAL_ENOMEM;
  }
  spread->allocator = *allocator;
  spread->facts = (struct rebali_row_set){.allocator = *allocator,
                                          .tables = &spread->fact_table,
                                          .first = REBAL_TABLE_SPREAD_WORKLOAD,
                                          .n_tables = 1,
                                          .name = "a WorkloadSpread",
                                          .moves_texts = 1};
  rebali_row_set_open(&spread->facts);
  spread->handle = (struct rebal_cells){NULL, NULL, NULL, &spread->facts, NULL};
  rebali_status_init(&spread->status, &spread->allocator);
  rebali_status_init(&spread->next_status, &spread->allocator);
  return rebali_row_set_add(&spread->facts, REBAL_TABLE_SPREAD_WORKLOAD, &row, 1, NULL);
}

rebal_cells *rebal_spread_cells(rebal_spread *spread) {
  return spread == NULL ? NULL : &spread->handle;
}

void rebal_spread_free(rebal_spread *spread) {
  rebal_allocator allocator;

  if (spread == NULL) {
    return;
  }
  allocator = spread->allocator;
  rebal_builder_free(spread->builder);
  rebali_status_dispose(&spread->status);
  rebali_status_dispose(&spread->next_status);
  rebali_spread_spec_dispose(&spread->spec, &allocator);
  rebali_spread_spec_dispose(&spread->next_spec, &allocator);
  rebali_row_set_dispose(&spread->facts);
  rebali_release(&allocator, spread);
}

static void take_next_spec(rebal_spread *spread) {
  const struct rebali_spread_spec spec = spread->spec;

  spread->spec = spread->next_spec;
  spread->next_spec = spec;
}

static void take_next_status(rebal_spread *spread) {
  const struct rebali_spread_status status = spread->status;

  spread->status = spread->next_status;
  spread->next_status = status;
}

static int32_t load(rebal_spread *spread, const rebal_record *object) {
  struct rebali_spread_spec *spec = &spread->next_spec;

  if (rebali_spread_spec_load(spec, &spread->allocator, object) != REBAL_OK ||
      rebali_status_load(&spread->next_status, spec, spec->object,
                         rebali_record_get(spec->object, 0, REBAL_WORKLOAD_SPREAD_STATUS)) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  take_next_spec(spread);
  take_next_status(spread);
  return REBAL_OK;
}

int32_t rebal_spread_new(const rebal_allocator *allocator, const rebal_record *object, rebal_spread **out,
                         rebal_error *err) {
  rebal_allocator memory;
  rebal_spread *spread = NULL;
  int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code == REBAL_OK) {
    code = out == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "out is NULL") : check_object(object, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (make(&memory, &spread) != REBAL_OK || load(spread, object) != REBAL_OK) {
    rebal_spread_free(spread);
    return rebali_fail_memory(err);
  }
  *out = spread;
  return REBAL_OK;
}

int32_t rebal_spread_load(rebal_spread *spread, const rebal_record *object, rebal_error *err) {
  if (spread == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "spread is NULL");
  }
  if (check_object(object, err) != REBAL_OK) {
    return REBAL_EINVAL;
  }
  return load(spread, object) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
}

int32_t rebali_spread_put_status(rebal_spread *spread, const rebal_record *status) {
  struct rebali_spread_status *next = &spread->next_status;

  if (status != NULL && rebali_record_keep(&spread->allocator, &next->own, &next->capacity, status) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (rebali_status_load(next, &spread->spec, status == NULL ? NULL : next->own, status == NULL ? REBAL_NONE : 0) !=
      REBAL_OK) {
    return REBAL_ENOMEM;
  }
  take_next_status(spread);
  return REBAL_OK;
}

int32_t rebal_spread_load_status(rebal_spread *spread, const rebal_record *status, rebal_error *err) {
  if (spread == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "spread is NULL");
  }
  if (status != NULL && status->object != REBAL_OBJECT_SPREAD_STATUS) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the record is not the status of a WorkloadSpread");
  }
  return rebali_spread_put_status(spread, status) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
}

int32_t rebali_spread_open_builder(rebal_spread *spread, rebal_error *err) {
  return spread->builder != NULL ? REBAL_OK : rebal_builder_new(&spread->allocator, &spread->builder, err);
}

int32_t rebal_spread_status(const rebal_spread *spread, rebal_builder *builder, const rebal_record **out,
                            rebal_error *err) {
  if (spread == NULL || builder == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "spread, builder or out is NULL");
  }
  (void)rebal_builder_start(builder, REBAL_OBJECT_SPREAD_STATUS, NULL);
  rebali_status_write(&spread->status, 1, builder);
  return rebal_builder_finish(builder, out, err);
}

/* Copies a spread. to must be new. */
static int32_t copy(rebal_spread *to, const rebal_spread *from) {
  const struct rebali_spread_status *source = &from->status;
  const rebal_record *record = NULL;

  if (rebali_spread_spec_load(&to->spec, &to->allocator, from->spec.object) != REBAL_OK ||
      rebali_row_set_copy(&to->facts, &from->facts, REBAL_TABLE_SPREAD_WORKLOAD, 0) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (source->record == from->spec.object) {
    record = to->spec.object;
  } else if (source->record != NULL) {
    if (rebali_record_keep(&to->allocator, &to->status.own, &to->status.capacity, source->record) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    record = to->status.own;
  }
  return rebali_status_copy(&to->status, source, record);
}

int32_t rebal_spread_fork(const rebal_spread *spread, rebal_spread **out, rebal_error *err) {
  rebal_spread *fork = NULL;

  if (spread == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", spread == NULL ? "spread" : "out");
  }
  if (make(&spread->allocator, &fork) != REBAL_OK || copy(fork, spread) != REBAL_OK) {
    rebal_spread_free(fork);
    return rebali_fail_memory(err);
  }
  *out = fork;
  return REBAL_OK;
}

uint32_t rebal_spread_subset_count(const rebal_spread *spread) {
  return spread == NULL ? 0 : (uint32_t)spread->spec.n_subsets;
}

const char *rebal_spread_subset_name(const rebal_spread *spread, uint32_t subset, size_t *len) {
  const struct rebali_text name =
      subset < rebal_spread_subset_count(spread) ? spread->spec.subsets[subset].name : REBALI_TEXT("");

  if (len != NULL) {
    *len = name.len;
  }
  return name.bytes;
}

const rebal_record *rebal_spread_object(const rebal_spread *spread) {
  return spread == NULL ? NULL : spread->spec.object;
}
