/* SPDX-License-Identifier: MIT */
/*
 * Decides whether FederatedResourceQuotas allow the clusters of a binding to be written (rebalance-karmada(7) 11). The
 * reference first checks whether any relevant field has changed. That check is not needed here: without a change, usage
 * does not change.
 */
#include "scheduler/scheduler.h"

#define MILLIS_IN_NANOS INT64_C(1000000)
#define QUANTITY_SIZE 64u /* more than the longest text of a quantity */

struct quota {
  const rebal_record *record;
  struct rebali_text name;
};

struct check {
  struct rebali_arena *scratch;
  struct rebali_resource_list deltas; /* change in use of each resource by the write; below 0: less */
  struct rebali_resource_list sums;   /* of one quota, by name: use after the write, in units */
  struct quota *quotas;               /* of the namespace, by name */
  size_t n_quotas;
  struct rebali_text namespace_;
  const rebal_compat *compat;
  uint32_t row;
  rebal_result *result;
  rebal_error *err;
};

/* One binding, before or after the write. */
struct usage {
  const rebal_bindings *bindings;
  uint32_t row;
  int64_t sign;
};

/* ---- use of a binding ---- */

static const rebal_record *requirements_of(const struct usage *usage, uint32_t column, uint32_t row) {
  return rebali_store_record(usage->bindings->set.store, rebali_store_kind(REBAL_OBJECT_REQUIREMENTS),
                             (uint32_t)rebali_bindings_i64(usage->bindings, column, row));
}

static const uint32_t *children(const struct usage *usage, uint32_t table, size_t *n) {
  return rebali_bindings_children(usage->bindings, table, usage->row, n);
}

static int32_t count_requests(struct check *check, const rebal_record *requirements, int64_t count) {
  uint32_t node = REBAL_NONE;

  while (requirements != NULL &&
         (node = rebali_record_next(requirements, 0, REBAL_REQUIREMENTS_RESOURCE_REQUEST, node)) != REBAL_NONE) {
    rebal_quantity *delta =
        rebali_resource_list_at(&check->deltas, rebali_record_field_text(requirements, node, REBAL_AMOUNT_NAME));
    rebal_quantity amount;

    if (delta == NULL) {
      return rebali_fail_memory(check->err);
    }
    rebal_record_quantity(requirements, rebali_record_get(requirements, node, REBAL_AMOUNT_QUANTITY), &amount);
    amount = rebali_quantity_multiply(&amount, count);
    (void)rebali_quantity_add(delta, &amount, delta, NULL);
  }
  return REBAL_OK;
}

/* Sums of fewer than 2^32 32-bit numbers stay below 2^63, and so does the number of targets times one of them. */
static int32_t count_usage(struct check *check, const struct usage *usage) {
  size_t n, n_components;
  const uint32_t *targets = children(usage, REBAL_TABLE_TARGET, &n);
  const uint32_t *components = children(usage, REBAL_TABLE_COMPONENT, &n_components);
  const int wraps = rebali_compat_value(check->compat, REBAL_OPTION_INT32_WRAP) != 0;
  int64_t replicas = 0;
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < n_components; i++) {
    code = count_requests(
        check, requirements_of(usage, REBAL_COMPONENT_REQUIREMENTS, components[i]),
        usage->sign * (int64_t)n * rebali_bindings_i64(usage->bindings, REBAL_COMPONENT_REPLICAS, components[i]));
  }
  for (size_t i = 0; n_components == 0 && i < n; i++) {
    const int64_t more = rebali_bindings_i64(usage->bindings, REBAL_TARGET_REPLICAS, targets[i]);

    replicas = wraps ? rebali_add_wrapping((int32_t)replicas, (int32_t)more) : replicas + more;
  }
  return code == REBAL_OK && replicas != 0
             ? count_requests(check, requirements_of(usage, REBAL_BINDING_REQUIREMENTS, usage->row),
                              usage->sign * replicas)
             : code;
}

/* usages: the binding after the write and, if n is 2, before it. */
static int32_t load_deltas(struct check *check, const struct usage *usages, size_t n) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = count_usage(check, &usages[i]);
  }
  return code;
}

/* ---- quotas ---- */

static struct rebali_text metadata_of(const rebal_record *quota, uint32_t field) {
  const uint32_t metadata = rebali_record_get(quota, 0, REBAL_FEDERATED_QUOTA_METADATA);

  return rebali_record_field_text(quota, metadata, field);
}

static int compare(const void *left, const void *right, const void *context) {
  const struct quota *first = left, *second = right;

  (void)context;
  return rebali_text_compare(first->name, second->name);
}

static int32_t load_quotas(struct check *check, const rebal_record *const *records, size_t n) {
  struct quota *sorting = rebali_arena_allocate(check->scratch, n + 1, sizeof *sorting);

  check->quotas = rebali_arena_allocate(check->scratch, n + 1, sizeof *check->quotas);
  if (sorting == NULL || check->quotas == NULL) {
    return rebali_fail_memory(check->err);
  }
  for (size_t i = 0; i < n; i++) {
    if (rebali_text_equal(metadata_of(records[i], REBAL_METADATA_NAMESPACE), check->namespace_)) {
      check->quotas[check->n_quotas++] = (struct quota){records[i], metadata_of(records[i], REBAL_METADATA_NAME)};
    }
  }
  rebali_sort(check->quotas, check->n_quotas, sizeof *check->quotas, sorting, compare, NULL);
  return REBAL_OK;
}

/* ---- the vector form (rebalance-karmada(7) 6.2) ---- */

static int is_cpu(struct rebali_text name) {
  return rebali_text_equal(name, REBALI_TEXT("cpu"));
}

static int is_counted(struct rebali_text name) {
  return rebali_text_equal(name, REBALI_TEXT("pods")) || rebali_is_vector_resource(name);
}

static int64_t in_units(struct rebali_text name, const rebal_quantity *amount) {
  return is_cpu(name) ? rebali_quantity_milli(amount) : rebali_quantity_value(amount);
}

/* Bytes are formatted in binary notation, all other units in decimal. */
static rebal_quantity from_units(struct rebali_text name, int64_t units) {
  static const char hugepages[] = "hugepages-";
  const int is_bytes = rebali_text_equal(name, REBALI_TEXT("memory")) ||
                       rebali_text_equal(name, REBALI_TEXT("ephemeral-storage")) ||
                       (name.len >= sizeof hugepages - 1 && memcmp(name.bytes, hugepages, sizeof hugepages - 1) == 0);

  return is_cpu(name) ? rebali_quantity_from_nanos(rebali_wide_multiply(units, MILLIS_IN_NANOS),
                                                   REBAL_QUANTITY_FORMAT_DECIMAL_SI)
                      : (rebal_quantity){units, 0,
                                         is_bytes ? REBAL_QUANTITY_FORMAT_BINARY_SI : REBAL_QUANTITY_FORMAT_DECIMAL_SI};
}

/* ---- one quota ---- */

/* An entry of spec.overall: the node of the amount of a resource. */
struct limit {
  struct rebali_text name;
  rebal_quantity amount;
};

/* Finds the next resource of spec.overall; records keep a map sorted by name. Returns 0 at the end. */
static int next_limit(const struct quota *quota, uint32_t *node, struct limit *out) {
  const uint32_t spec = rebali_record_get(quota->record, 0, REBAL_FEDERATED_QUOTA_SPEC);

  *node = rebali_record_next(quota->record, spec, REBAL_FEDERATED_QUOTA_SPEC_OVERALL, *node);
  if (*node == REBAL_NONE) {
    return 0;
  }
  out->name = rebali_record_field_text(quota->record, *node, REBAL_AMOUNT_NAME);
  rebal_record_quantity(quota->record, rebali_record_get(quota->record, *node, REBAL_AMOUNT_QUANTITY), &out->amount);
  return 1;
}

/* Returns the change of a resource, or NULL if the write does not change it. */
static const rebal_quantity *changed_by(const struct check *check, struct rebali_text name) {
  const rebal_quantity *delta = rebali_resource_list_find(&check->deltas, name);

  return delta != NULL && rebali_quantity_compare(delta, NULL) != 0 ? delta : NULL;
}

static int is_touched(const struct check *check, const struct quota *quota) {
  struct limit limit;
  uint32_t node = REBAL_NONE;

  while (next_limit(quota, &node, &limit)) {
    if (changed_by(check, limit.name) != NULL) {
      return 1;
    }
  }
  return 0;
}

static int32_t add_use(struct check *check, struct rebali_text name, const rebal_quantity *amount) {
  rebal_quantity *sum;

  if (!is_counted(name)) {
    return REBAL_OK;
  }
  sum = rebali_resource_list_at(&check->sums, name);
  if (sum == NULL) {
    return rebali_fail_memory(check->err);
  }
  sum->units = rebali_add_saturating(sum->units, in_units(name, amount));
  return REBAL_OK;
}

/* Sums the use of every resource, and the change by the write of those that the quota limits. */
static int32_t load_sums(struct check *check, const struct quota *quota) {
  const uint32_t status = rebali_record_get(quota->record, 0, REBAL_FEDERATED_QUOTA_STATUS);
  struct limit limit;
  uint32_t node = REBAL_NONE;
  int32_t code = REBAL_OK;

  rebali_resource_list_dispose(&check->sums);
  while (code == REBAL_OK &&
         (node = rebali_record_next(quota->record, status, REBAL_FEDERATED_QUOTA_STATUS_OVERALL_USED, node)) !=
             REBAL_NONE) {
    rebal_quantity used;

    rebal_record_quantity(quota->record, rebali_record_get(quota->record, node, REBAL_AMOUNT_QUANTITY), &used);
    code = add_use(check, rebali_record_field_text(quota->record, node, REBAL_AMOUNT_NAME), &used);
  }
  node = REBAL_NONE;
  while (code == REBAL_OK && next_limit(quota, &node, &limit)) {
    const rebal_quantity *change = changed_by(check, limit.name);

    code = change == NULL ? REBAL_OK : add_use(check, limit.name, change);
  }
  return code == REBAL_OK && rebali_resource_list_sort(&check->sums) != REBAL_OK ? rebali_fail_memory(check->err)
                                                                                 : code;
}

/* ---- the answer ---- */

static void append_text(struct rebali_buffer *message, struct rebali_text text) {
  rebali_buffer_append(message, text.bytes, text.len);
}

static void append_quantity(struct rebali_buffer *message, const char *before, const rebal_quantity *quantity) {
  char text[QUANTITY_SIZE];
  size_t len = 0;

  (void)rebali_quantity_format(quantity, text, sizeof text, &len, NULL);
  append_text(message, rebali_text(before, strlen(before)));
  rebali_buffer_append(message, text, len);
}

static int32_t deny(struct check *check, const struct quota *quota, const struct limit *limit,
                    const rebal_quantity *sum) {
  struct rebali_step step = {.state = REBAL_STEP_STATE_RETRY, .after_ns = REBAL_ABSENT};
  struct rebali_buffer message;
  int32_t code = REBAL_ENOMEM;

  rebali_buffer_init(&message, rebali_result_allocator(check->result));
  append_text(&message, REBALI_TEXT("FederatedResourceQuota("));
  append_text(&message, check->namespace_);
  append_text(&message, REBALI_TEXT("/"));
  append_text(&message, quota->name);
  append_text(&message, REBALI_TEXT(") exceeded for resource "));
  append_text(&message, limit->name);
  append_quantity(&message, ": requested sum ", sum);
  append_quantity(&message, ", limit ", &limit->amount);
  append_text(&message, REBALI_TEXT("."));
  if (!message.failed) {
    step.message = rebali_text(message.bytes, message.len);
    code = rebali_result_add_step(check->result, &step);
  }
  rebali_buffer_dispose(&message);
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(check->err);
}

/* is_denied: the answer has been given. */
static int32_t judge(struct check *check, const struct quota *quota, int *is_denied) {
  struct limit limit;
  uint32_t node = REBAL_NONE;
  int32_t code = load_sums(check, quota);

  while (code == REBAL_OK && next_limit(quota, &node, &limit)) {
    const rebal_quantity *units = rebali_resource_list_find(&check->sums, limit.name);
    const rebal_quantity sum = from_units(limit.name, units == NULL ? 0 : units->units);

    if (rebali_quantity_compare(&sum, NULL) > 0 && rebali_quantity_compare(&sum, &limit.amount) > 0) {
      *is_denied = 1;
      return deny(check, quota, &limit, &sum);
    }
  }
  return code;
}

static void build_use(const struct check *check, rebal_builder *builder) {
  (void)rebal_builder_start(builder, REBAL_OBJECT_FEDERATED_QUOTA_STATUS, NULL); /* failures stick until finish */
  for (size_t i = 0; i < check->sums.n; i++) {
    const struct rebali_resource_amount *amount = &check->sums.items[i];
    const rebal_quantity sum = from_units(amount->name, amount->quantity.units);

    if (amount->quantity.units > 0) {
      (void)rebal_builder_begin(builder, REBAL_FEDERATED_QUOTA_STATUS_OVERALL_USED, NULL);
      (void)rebal_builder_text(builder, REBAL_AMOUNT_NAME, amount->name.bytes, amount->name.len, NULL);
      (void)rebal_builder_quantity(builder, REBAL_AMOUNT_QUANTITY, &sum, NULL);
      (void)rebal_builder_end(builder, NULL);
    }
  }
}

static int32_t write_use(struct check *check, const struct quota *quota, rebal_builder *builder, size_t ordinal) {
  struct rebali_action action = {.kind = REBAL_ACTION_KIND_PATCH_STATUS,
                                 .ordinal = (int64_t)ordinal,
                                 .api_version = REBALI_TEXT("policy.karmada.io/v1alpha1"),
                                 .object_kind = REBALI_TEXT("FederatedResourceQuota"),
                                 .namespace_ = check->namespace_,
                                 .name = quota->name,
                                 .uid = metadata_of(quota->record, REBAL_METADATA_UID),
                                 .resource_version = metadata_of(quota->record, REBAL_METADATA_RESOURCE_VERSION),
                                 .row = check->row,
                                 .replaces = REBAL_REPLACES_OVERALL_USED};
  int32_t code = load_sums(check, quota);

  if (code == REBAL_OK) {
    build_use(check, builder);
    code = rebal_builder_finish(builder, &action.payload, check->err);
  }
  return code != REBAL_OK                                               ? code
         : rebali_result_add_action(check->result, &action) == REBAL_OK ? REBAL_OK
                                                                        : rebali_fail_memory(check->err);
}

static int32_t let_through(struct check *check) {
  struct rebali_step step = {.state = REBAL_STEP_STATE_SKIPPED, .after_ns = REBAL_ABSENT};
  rebal_builder *builder = NULL;
  int32_t code = rebal_builder_new(rebali_result_allocator(check->result), &builder, check->err);

  for (size_t i = 0; code == REBAL_OK && i < check->n_quotas; i++) {
    if (is_touched(check, &check->quotas[i])) {
      step.state = REBAL_STEP_STATE_DONE;
      code = write_use(check, &check->quotas[i], builder, i);
    }
  }
  rebal_builder_free(builder);
  if (code == REBAL_OK && rebali_result_add_step(check->result, &step) != REBAL_OK) {
    code = rebali_fail_memory(check->err);
  }
  return code;
}

static int32_t answer(struct check *check, const struct usage *usages, size_t n, const rebal_record *const *quotas,
                      size_t n_quotas) {
  int is_denied = 0;
  int32_t code = load_deltas(check, usages, n);

  if (code == REBAL_OK) {
    code = load_quotas(check, quotas, n_quotas);
  }
  for (size_t i = 0; code == REBAL_OK && !is_denied && i < check->n_quotas; i++) {
    code = is_touched(check, &check->quotas[i]) ? judge(check, &check->quotas[i], &is_denied) : REBAL_OK;
  }
  return code != REBAL_OK || is_denied ? code : let_through(check);
}

/* ---- the call ---- */

static int32_t check_row(const rebal_bindings *bindings, uint32_t row, rebal_error *err) {
  if (bindings == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "bindings are missing");
  }
  if (!bindings->set.is_frozen) {
    return rebali_fail(err, REBAL_ESTATE, -1, "the bindings are not frozen");
  }
  return row < rebali_bindings_size(bindings)
             ? REBAL_OK
             : rebali_fail(err, REBAL_EINVAL, (int64_t)row, "there is no such binding");
}

static int32_t check_quotas(const rebal_federated_quota_opts *opts, rebal_error *err) {
  if (opts->quotas == NULL && opts->n_quotas != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "quotas are missing");
  }
  if (opts->n_quotas >= UINT32_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many quotas");
  }
  for (size_t i = 0; i < opts->n_quotas; i++) {
    if (opts->quotas[i] == NULL || rebal_record_object(opts->quotas[i]) != REBAL_OBJECT_FEDERATED_QUOTA) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "a quota is not a record of kind FEDERATED_QUOTA");
    }
  }
  return REBAL_OK;
}

static int32_t load_options(const rebal_federated_quota_opts *given, rebal_federated_quota_opts *opts,
                            rebal_error *err) {
  int32_t code = rebali_options_load(opts, sizeof *opts, sizeof(rebal_federated_quota_opts), given, err);

  if (code == REBAL_OK && (opts->flags != 0 || opts->reserved0 != 0)) {
    code = rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (code == REBAL_OK && opts->before != NULL) {
    code = check_row(opts->before, opts->before_row, err);
  }
  return code == REBAL_OK ? check_quotas(opts, err) : code;
}

int32_t rebal_federated_quota_check(rebal_ctx *ctx, const rebal_bindings *after, uint32_t row,
                                    const rebal_federated_quota_opts *opts, rebal_result *result, rebal_error *err) {
  struct check check = {.row = row, .result = result, .err = err};
  rebal_federated_quota_opts known;
  int32_t code = check_row(after, row, err);

  if (code == REBAL_OK) {
    code = load_options(opts, &known, err);
  }
  if (code == REBAL_OK) {
    code = rebali_result_begin(result, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  check.namespace_ = rebali_bindings_text(after, REBAL_BINDING_NAMESPACE, row);
  check.scratch = rebali_ctx_scratch(ctx);
  check.compat = known.compat;
  rebali_resource_list_init(&check.deltas, rebali_result_allocator(result));
  rebali_resource_list_init(&check.sums, rebali_result_allocator(result));
  /* Webhooks of cluster-scoped bindings do not check quotas. */
  code = answer(&check, (struct usage[2]){{after, row, 1}, {known.before, known.before_row, -1}},
                known.before == NULL ? 1 : 2, known.quotas,
                rebali_bindings_i64(after, REBAL_BINDING_CLUSTER_SCOPED, row) ? 0 : (size_t)known.n_quotas);
  rebali_resource_list_dispose(&check.sums);
  rebali_resource_list_dispose(&check.deltas);
  return rebali_answer_end(ctx, result, code);
}
