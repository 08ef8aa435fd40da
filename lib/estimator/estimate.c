/* SPDX-License-Identifier: MIT */
/* Public functions: estimate one requirement, or a set of components, on every cluster of a snapshot. */
#include "estimator/fast/fits.h"
#include "estimator/node.h"

#include <stddef.h>

#define FIRST_OPTS_SIZE sizeof(rebal_estimate_opts)

/* What a call estimates: replicas of one requirement, or sets of components. */
struct question {
  const struct rebali_component *components;
  size_t n_components;
  int is_set;
};

/* Adds a row for each cluster, by name. */
static int32_t add_rows(const rebal_snapshot *snapshot, rebal_result *result, struct rebali_table **table,
                        const uint32_t **clusters, uint32_t *n) {
  size_t first;

  *table = rebali_result_table(result, REBAL_TABLE_ESTIMATE);
  *clusters = rebali_snapshot_by_name(snapshot, n);
  if (rebali_table_add(*table, *n, &first) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (uint32_t i = 0; i < *n; i++) {
    if (rebali_table_set_i64(*table, REBAL_ESTIMATE_CLUSTER, first + i, (*clusters)[i]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

static int32_t fill(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct question *question,
                    const rebal_estimate_opts *opts, rebal_result *result, rebal_error *err) {
  struct rebali_table *table;
  const uint32_t *clusters;
  uint32_t n_clusters;
  struct rebali_fits fits;
  const int32_t code = question->is_set
                           ? rebali_estimate_sets(ctx, snapshot, question->components, question->n_components,
                                                  opts->compat, opts->ledger, &fits, err)
                           : rebali_estimate_rows(ctx, snapshot, question->components->requirements, opts->compat,
                                                  opts->ledger, &fits, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (rebali_fits_all(&fits) != REBAL_OK || add_rows(snapshot, result, &table, &clusters, &n_clusters) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (uint32_t i = 0; i < n_clusters; i++) {
    if (rebali_table_set_i64(table, REBAL_ESTIMATE_REPLICAS, i, fits.replicas[clusters[i]]) != REBAL_OK) {
      return rebali_fail_memory(err);
    }
  }
  return REBAL_OK;
}

static int32_t fill_by_nodes(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct question *question,
                             const rebal_estimate_opts *opts, rebal_result *result, rebal_error *err) {
  struct rebali_table *table;
  const uint32_t *clusters;
  uint32_t n_clusters;
  struct rebali_node_answers answers;
  const struct rebali_node_request request = {question->components, question->n_components, question->is_set,
                                              rebali_text(opts->namespace_, (size_t)opts->namespace_len)};
  const int32_t code = rebali_node_estimate(ctx, snapshot, &request, opts->compat, opts->ledger, &answers, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (add_rows(snapshot, result, &table, &clusters, &n_clusters) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (uint32_t i = 0; i < n_clusters; i++) {
    int32_t answer;

    if (rebali_node_answer(&answers, clusters[i], &answer) != REBAL_OK) {
      return rebali_fail_memory(err);
    }
    *rebali_table_integers(table, REBAL_ESTIMATE_REPLICAS, i) = answer;
  }
  return REBAL_OK;
}

/* Checks the options and sets the length of a text that is passed without one. */
static int32_t check_opts(const rebal_snapshot *snapshot, rebal_estimate_opts *opts, rebal_error *err) {
  struct rebali_text text;
  int32_t code;

  if (snapshot == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "snapshot is NULL");
  }
  if ((opts->flags & ~(uint32_t)(REBAL_ESTIMATE_FLAG_FINGERPRINT | REBAL_ESTIMATE_FLAG_NODES)) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  code = rebali_text_take(opts->namespace_, opts->namespace_len, "namespace_", &text, err);
  if (code != REBAL_OK) {
    return code;
  }
  opts->namespace_len = text.len;
  if (opts->ledger != NULL && rebali_ledger_fleet(opts->ledger) != rebali_snapshot_fleet(snapshot)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "ledger and snapshot are of different fleets");
  }
  return REBAL_OK;
}

static int32_t check_components(const rebal_snapshot *snapshot, const uint32_t *requirements, const int32_t *replicas,
                                size_t n, rebal_error *err) {
  if (n != 0 && (requirements == NULL || replicas == NULL)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", requirements == NULL ? "requirements" : "replicas");
  }
  for (size_t i = 0; i < n; i++) {
    if (requirements[i] != REBAL_NONE &&
        rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, requirements[i]) == NULL) {
      return rebali_fail(err, REBAL_EINVAL, (int64_t)i, "the snapshot has no requirements with handle %lu",
                         (unsigned long)requirements[i]);
    }
    if (replicas[i] < 0) {
      return rebali_fail(err, REBAL_ERANGE, (int64_t)i, "replicas are negative");
    }
  }
  return REBAL_OK;
}

/* Adds the fingerprint of the call's inputs except the snapshot. */
static void sign(const rebal_snapshot *snapshot, const struct question *question, const rebal_estimate_opts *opts,
                 rebal_result *result) {
  struct rebali_digest digest;

  rebali_digest_begin(&digest, 0, 0);
  rebali_digest_text(&digest, question->is_set ? REBALI_TEXT("rebal_estimate_sets") : REBALI_TEXT("rebal_estimate"));
  rebali_digest_compat(&digest, opts->compat);
  rebali_digest_fingerprint(&digest, rebali_ledger_fingerprint(opts->ledger));
  if ((opts->flags & REBAL_ESTIMATE_FLAG_NODES) != 0) {
    rebali_digest_text(&digest, REBALI_TEXT("nodes"));
    rebali_digest_text(&digest, rebali_text(opts->namespace_, (size_t)opts->namespace_len));
  }
  rebali_digest_u64(&digest, question->n_components);
  for (size_t i = 0; i < question->n_components; i++) {
    rebali_digest_record(
        &digest, rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, question->components[i].requirements));
    rebali_digest_u64(&digest, (uint64_t)question->components[i].replicas);
  }
  rebali_result_sign(
      result, rebali_digest_end(&digest), snapshot,
      (opts->flags & REBAL_ESTIMATE_FLAG_NODES) != 0 ? rebali_snapshot_fingerprint : rebali_clusters_fingerprint);
}

/* Copies the inputs into components, in memory of the call, and estimates them. */
static int32_t answer(rebal_ctx *ctx, rebal_snapshot *snapshot, const uint32_t *requirements, const int32_t *replicas,
                      struct question *question, const rebal_estimate_opts *opts, rebal_result *result,
                      rebal_error *err) {
  struct rebali_component *components =
      rebali_arena_allocate(rebali_ctx_scratch(ctx), question->n_components, sizeof *components);

  if (components == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < question->n_components; i++) {
    components[i] = (struct rebali_component){requirements[i], replicas[i]};
  }
  question->components = components;
  if ((opts->flags & REBAL_ESTIMATE_FLAG_FINGERPRINT) != 0) {
    sign(snapshot, question, opts, result);
  }
  return (opts->flags & REBAL_ESTIMATE_FLAG_NODES) != 0 ? fill_by_nodes(ctx, snapshot, question, opts, result, err)
                                                        : fill(ctx, snapshot, question, opts, result, err);
}

static int32_t estimate(rebal_ctx *ctx, rebal_snapshot *snapshot, const uint32_t *requirements, const int32_t *replicas,
                        struct question *question, const rebal_estimate_opts *opts, rebal_result *result,
                        rebal_error *err) {
  rebal_estimate_opts known;
  int32_t code = rebali_options_load(&known, sizeof known, FIRST_OPTS_SIZE, opts, err);

  if (code == REBAL_OK) {
    code = check_opts(snapshot, &known, err);
  }
  if (code == REBAL_OK) {
    code = check_components(snapshot, requirements, replicas, question->n_components, err);
  }
  if (code == REBAL_OK) {
    code = rebali_answer_begin(ctx, snapshot, result, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  code = answer(ctx, snapshot, requirements, replicas, question, &known, result, err);
  return rebali_answer_end(ctx, result, code);
}

int32_t rebal_estimate(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements, const rebal_estimate_opts *opts,
                       rebal_result *result, rebal_error *err) {
  const int32_t one = 1;

  return estimate(ctx, snapshot, &requirements, &one, &(struct question){NULL, 1, 0}, opts, result, err);
}

int32_t rebal_estimate_sets(rebal_ctx *ctx, rebal_snapshot *snapshot, const uint32_t *requirements,
                            const int32_t *replicas, size_t n, const rebal_estimate_opts *opts, rebal_result *result,
                            rebal_error *err) {
  return estimate(ctx, snapshot, requirements, replicas, &(struct question){NULL, n, 1}, opts, result, err);
}
