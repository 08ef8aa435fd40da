/* SPDX-License-Identifier: MIT */
#include "workloadspread/united_step.h"

/* Reads the text of a subset in an array of the options, "" if it is missing. */
static int32_t take(const struct rebali_united_step *step, const char *const *texts, size_t subset,
                    struct rebali_text *out) {
  const char *text = texts != NULL && texts[subset] != NULL ? texts[subset] : "";

  return rebali_text_take(text, REBAL_TERMINATED, "text of a workload", out, step->united.err);
}

static int32_t add(struct rebali_united_step *step, struct rebali_action action, int64_t replicas) {
  int32_t code;

  (void)rebal_builder_start(step->builder, REBAL_OBJECT_SCALE_SPEC, NULL);
  (void)rebal_builder_i64(step->builder, REBAL_SCALE_SPEC_REPLICAS, replicas, NULL);
  code = rebal_builder_finish(step->builder, &action.payload, step->united.err);
  return code == REBAL_OK ? rebali_united_add_action(step, action) : code;
}

static int32_t scale(struct rebali_united_step *step, const rebal_united_opts *opts, size_t i) {
  const struct rebali_united_subset *subset = &step->united.subsets[i];
  struct rebali_action action = rebali_united_action(step, REBAL_ACTION_KIND_SCALE);
  const struct {
    const char *const *texts;
    struct rebali_text *out;
  } texts[] = {{opts->api_versions, &action.api_version},
               {opts->kinds, &action.object_kind},
               {opts->names, &action.name},
               {opts->uids, &action.uid}};
  int32_t code = REBAL_OK;

  for (size_t j = 0; code == REBAL_OK && j < REBALI_COUNT(texts); j++) {
    code = take(step, texts[j].texts, i, texts[j].out);
  }
  if (code != REBAL_OK || action.name.len == 0) {
    return code;
  }
  if (action.api_version.len == 0 || action.object_kind.len == 0) {
    return rebali_fail(step->united.err, REBAL_EINVAL, (int64_t)i, "the workload has no apiVersion or no kind");
  }
  return subset->allocated != subset->replicas ? add(step, action, subset->allocated) : REBAL_OK;
}

int32_t rebali_united_scale(struct rebali_united_step *step, const rebal_united_opts *opts) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < step->united.n && i < opts->n; i++) {
    if ((step->united.subsets[i].state & REBAL_UNITED_STATE_EXISTS) != 0) {
      code = scale(step, opts, i);
    }
  }
  return code;
}
