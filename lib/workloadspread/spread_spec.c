/* SPDX-License-Identifier: MIT */
/* Compiles a WorkloadSpread. */
#include "workloadspread/spread.h"

#define FEW_SUBSETS 16u /* up to this number they are scanned */
#define KEEPS_METADATA REBALI_TEXT("workloadspread.kruise.io/ignore-patch-existing-pods-metadata")

int32_t rebali_record_keep(const rebal_allocator *allocator, rebal_record **copy, size_t *capacity,
                           const rebal_record *record) {
  const size_t size = rebali_record_size(record);

  if (rebali_reserve(allocator, copy, capacity, size, 1) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  memcpy(*copy, record, size);
  return REBAL_OK;
}

int rebali_api_group(struct rebali_text api_version, struct rebali_text *group) {
  const char *slash = api_version.len == 0 ? NULL : memchr(api_version.bytes, '/', api_version.len);
  const size_t before = slash == NULL ? 0 : (size_t)(slash - api_version.bytes);

  *group = slash == NULL ? REBALI_TEXT("") : rebali_text(api_version.bytes, before);
  return slash == NULL || memchr(slash + 1, '/', api_version.len - before - 1) == NULL;
}

/* Returns the value of the last annotation with that key; each occurs once. */
static struct rebali_text annotation(const rebal_record *record, uint32_t metadata, struct rebali_text key) {
  uint32_t pair = REBAL_NONE;

  while ((pair = rebali_record_next(record, metadata, REBAL_METADATA_ANNOTATIONS, pair)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_field_text(record, pair, REBAL_PAIR_KEY), key)) {
      return rebali_record_field_text(record, pair, REBAL_PAIR_VALUE);
    }
  }
  return REBALI_TEXT("");
}

static int is_true(struct rebali_text text) {
  static const char yes[] = "true";
  size_t i = 0;

  while (i < text.len && i + 1 < sizeof yes && ((unsigned char)text.bytes[i] | 0x20u) == (unsigned char)yes[i]) {
    i++;
  }
  return i == text.len && i + 1 == sizeof yes;
}

static void read_metadata(struct rebali_spread_spec *spec) {
  const rebal_record *record = spec->object;
  const uint32_t metadata = rebali_record_get(record, 0, REBAL_WORKLOAD_SPREAD_METADATA);

  spec->name = rebali_record_field_text(record, metadata, REBAL_METADATA_NAME);
  spec->namespace_ = rebali_record_field_text(record, metadata, REBAL_METADATA_NAMESPACE);
  spec->resource_version = rebali_record_field_text(record, metadata, REBAL_METADATA_RESOURCE_VERSION);
  spec->is_deleting = rebali_record_get(record, metadata, REBAL_METADATA_DELETION_TIMESTAMP) != REBAL_NONE;
  spec->keeps_metadata = is_true(annotation(record, metadata, KEEPS_METADATA));
}

static void read_target(struct rebali_spread_spec *spec, uint32_t target) {
  const struct rebali_text api_version = rebali_record_field_text(spec->object, target, REBAL_REFERENCE_API_VERSION);

  spec->has_target = target != REBAL_NONE;
  spec->target_is_malformed = !rebali_api_group(api_version, &spec->target_group);
  spec->target_kind = rebali_record_field_text(spec->object, target, REBAL_REFERENCE_KIND);
  spec->target_name = rebali_record_field_text(spec->object, target, REBAL_REFERENCE_NAME);
  spec->is_stateful_set = rebali_text_equal(spec->target_kind, REBALI_TEXT("StatefulSet"));
}

static void read_filter(struct rebali_spread_spec *spec, uint32_t filter) {
  spec->filter = filter;
  spec->selector = rebali_record_get(spec->object, filter, REBAL_TARGET_FILTER_SELECTOR);
  spec->selector_fails = spec->selector != REBAL_NONE && !rebali_label_selector_valid(spec->object, spec->selector);
}

static void read_strategy(struct rebali_spread_spec *spec, uint32_t strategy) {
  const rebal_record *record = spec->object;
  const uint32_t adaptive = rebali_record_get(record, strategy, REBAL_SCHEDULE_STRATEGY_ADAPTIVE);
  const uint32_t seconds = rebali_record_get(record, adaptive, REBAL_ADAPTIVE_STRATEGY_RESCHEDULE_CRITICAL_SECONDS);
  const uint32_t disables = rebali_record_get(record, adaptive, REBAL_ADAPTIVE_STRATEGY_DISABLE_SIMULATION);
  const int is_adaptive = rebali_text_equal(rebali_record_field_text(record, strategy, REBAL_SCHEDULE_STRATEGY_TYPE),
                                            REBALI_TEXT("Adaptive"));

  spec->critical_seconds = is_adaptive ? rebal_record_i64(record, seconds) : 0;
  spec->simulates = is_adaptive && rebal_record_i64(record, disables) == 0;
}

/* Subsets with the same name stay in order. */
static int compare_names(const void *left, const void *right, const void *context) {
  const struct rebali_subset *subsets = context;

  return rebali_text_compare(subsets[*(const uint32_t *)left].name, subsets[*(const uint32_t *)right].name);
}

static uint32_t search(const struct rebali_spread_spec *spec, struct rebali_text name) {
  size_t at;

  REBALI_BISECT(at, spec->n_subsets, rebali_text_compare(spec->subsets[spec->by_name[at]].name, name) < 0);
  return at < spec->n_subsets && rebali_text_equal(spec->subsets[spec->by_name[at]].name, name) ? spec->by_name[at]
                                                                                                : REBAL_NONE;
}

uint32_t rebali_spread_spec_find(const struct rebali_spread_spec *spec, struct rebali_text name, size_t likely) {
  uint32_t i = 0;

  if (likely < spec->n_subsets && spec->subsets[likely].bucket == likely &&
      rebali_text_equal(spec->subsets[likely].name, name)) {
    return (uint32_t)likely;
  }
  if (spec->n_subsets > FEW_SUBSETS) {
    return search(spec, name);
  }
  while (i < spec->n_subsets && !rebali_text_equal(spec->subsets[i].name, name)) {
    i++;
  }
  return i < spec->n_subsets ? i : REBAL_NONE;
}

static void read_subset(struct rebali_spread_spec *spec, uint32_t node) {
  const rebal_record *record = spec->object;
  struct rebali_subset *subset = &spec->subsets[spec->n_subsets];

  subset->name = rebali_record_field_text(record, node, REBAL_SUBSET_NAME);
  subset->maximum = rebali_limit_read(record, rebali_record_get(record, node, REBAL_SUBSET_MAX_REPLICAS));
  subset->minimum = rebali_limit_read(record, rebali_record_get(record, node, REBAL_SUBSET_MIN_REPLICAS));
  subset->node = node;
  subset->required = rebali_record_get(record, node, REBAL_SUBSET_REQUIRED_NODE_SELECTOR);
  subset->patch = rebali_record_get(record, node, REBAL_SUBSET_PATCH);
  spec->has_percent |= subset->maximum.ends_in_percent;
  spec->n_subsets++;
}

/* Sets the buckets of all subsets, which must have been read, by name. */
static int32_t find_buckets(struct rebali_spread_spec *spec, const rebal_allocator *allocator) {
  if (spec->n_subsets > FEW_SUBSETS) {
    if (rebali_reserve(allocator, &spec->by_name, &spec->names_capacity, 2 * spec->n_subsets, sizeof *spec->by_name) !=
        REBAL_OK) {
      return REBAL_ENOMEM;
    }
    for (uint32_t i = 0; i < spec->n_subsets; i++) {
      spec->by_name[i] = i;
    }
    rebali_sort(spec->by_name, spec->n_subsets, sizeof *spec->by_name, spec->by_name + spec->n_subsets, compare_names,
                spec->subsets);
  }
  for (size_t i = 0; i < spec->n_subsets; i++) {
    spec->subsets[i].bucket = rebali_spread_spec_find(spec, spec->subsets[i].name, SIZE_MAX);
  }
  return REBAL_OK;
}

static int32_t read_subsets(struct rebali_spread_spec *spec, const rebal_allocator *allocator, uint32_t node) {
  const size_t n = rebali_record_count(spec->object, node, REBAL_SPREAD_SPEC_SUBSETS);
  uint32_t child = REBAL_NONE;

  spec->n_subsets = 0;
  spec->has_percent = 0;
  if (rebali_reserve(allocator, &spec->subsets, &spec->subsets_capacity, n, sizeof *spec->subsets) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  while ((child = rebali_record_next(spec->object, node, REBAL_SPREAD_SPEC_SUBSETS, child)) != REBAL_NONE) {
    read_subset(spec, child);
  }
  spec->takes_all = n == 1 && !spec->subsets[0].maximum.is_present;
  return find_buckets(spec, allocator);
}

int32_t rebali_spread_spec_load(struct rebali_spread_spec *spec, const rebal_allocator *allocator,
                                const rebal_record *object) {
  uint32_t node;

  if (rebali_record_keep(allocator, &spec->object, &spec->capacity, object) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  node = rebali_record_get(spec->object, 0, REBAL_WORKLOAD_SPREAD_SPEC);
  read_metadata(spec);
  read_target(spec, rebali_record_get(spec->object, node, REBAL_SPREAD_SPEC_TARGET_REF));
  read_filter(spec, rebali_record_get(spec->object, node, REBAL_SPREAD_SPEC_TARGET_FILTER));
  read_strategy(spec, rebali_record_get(spec->object, node, REBAL_SPREAD_SPEC_SCHEDULE_STRATEGY));
  return read_subsets(spec, allocator, node);
}

void rebali_spread_spec_dispose(struct rebali_spread_spec *spec, const rebal_allocator *allocator) {
  rebali_release(allocator, spec->subsets);
  rebali_release(allocator, spec->by_name);
  rebali_release(allocator, spec->object);
}
