/* SPDX-License-Identifier: MIT */
/* Reads, checks and digests the caller's limits before anything is scheduled. */
#include "plan/make/limits.h"

static int32_t read_subject(struct rebali_plan_call *call, const rebal_limit *given, struct rebali_move_limit *limit,
                            size_t place) {
  const int is_cluster = limit->scope == REBAL_LIMIT_SCOPE_SOURCE || limit->scope == REBAL_LIMIT_SCOPE_TARGET;
  int32_t code = rebali_text_take(given->subject, given->subject_len, "subject", &limit->subject, call->err);

  if (code == REBAL_OK) {
    code = rebali_text_take(given->label, given->label_len, "label", &limit->label, call->err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if ((limit->scope == REBAL_LIMIT_SCOPE_LABEL) != (limit->label.len != 0)) {
    return rebali_fail(call->err, REBAL_EINVAL, (int64_t)place, "a label belongs to a limit of the scope label");
  }
  limit->has_subject = given->subject != NULL; /* "" is a subject: a namespace or a value may be empty */
  if (limit->scope == REBAL_LIMIT_SCOPE_TOTAL && limit->has_subject) {
    return rebali_fail(call->err, REBAL_EINVAL, (int64_t)place, "a limit of the scope total has no subject");
  }
  limit->cluster = REBAL_NONE;
  if (is_cluster && limit->has_subject) {
    limit->cluster = rebal_snapshot_find_cluster(call->snapshot, limit->subject.bytes, limit->subject.len);
    if (limit->cluster == REBAL_NONE) {
      return rebali_fail(call->err, REBAL_EINVAL, (int64_t)place, "a limit names cluster %.*s, which does not exist",
                         (int)limit->subject.len, limit->subject.bytes);
    }
  }
  return REBAL_OK;
}

/* Returns the nanoseconds from one time to a later one, at least 0, saturating. */
static int64_t elapsed_ns(const rebal_time *from, const rebal_time *to) {
  const int64_t left = rebali_time_left_ns(from, to, 0);

  return left < 0 ? 0 : left;
}

/* Computes the tokens at now: since tokens_at, one was added each interval, up to the burst (rebalance-plan(7) 4). */
static int32_t read_pace(struct rebali_plan_call *call, const rebal_limit *given, struct rebali_move_limit *limit,
                         size_t place) {
  const int is_one = limit->scope == REBAL_LIMIT_SCOPE_TOTAL || limit->has_subject;
  int64_t grown;
  int32_t code;

  limit->tokens = REBAL_ABSENT;
  if (given->interval_ns == 0) {
    return REBAL_OK;
  }
  if (given->interval_ns < 0 || given->tokens < 0 || given->tokens > given->replicas) {
    return rebali_fail(call->err, REBAL_ERANGE, (int64_t)place,
                       "a pace needs an interval above 0 and at most as many tokens as its burst");
  }
  if (!is_one) {
    return rebali_fail(call->err, REBAL_EINVAL, (int64_t)place, "a pace needs one subject");
  }
  limit->tokens = given->replicas;
  limit->tokens_at = *call->now;
  if (given->tokens_at == NULL || !given->tokens_at->is_set) {
    return REBAL_OK;
  }
  code = rebali_time_check(given->tokens_at, (int64_t)place, call->err);
  if (code != REBAL_OK) {
    return code;
  }
  grown = elapsed_ns(given->tokens_at, call->now) / given->interval_ns;
  if (grown < given->replicas - given->tokens) {
    limit->tokens = given->tokens + grown;
    limit->tokens_at = rebali_time_after(given->tokens_at, grown * given->interval_ns);
  }
  limit->replicas = limit->tokens;
  return REBAL_OK;
}

static int32_t read_limit(struct rebali_plan_call *call, size_t place) {
  struct rebali_move_limit *limit = &call->limits->items[place];
  rebal_limit *given = &limit->given;
  int32_t code;

  if (call->opts.limits == NULL || call->opts.limits[place] == NULL) {
    return rebali_fail(call->err, REBAL_EINVAL, (int64_t)place, "a limit is NULL");
  }
  code = rebali_options_load(given, sizeof *given, sizeof *given, call->opts.limits[place], call->err);
  if (code != REBAL_OK) {
    return code;
  }
  if (given->scope < REBAL_LIMIT_SCOPE_TOTAL || given->scope > REBAL_LIMIT_SCOPE_LABEL) {
    return rebali_fail(call->err, REBAL_EINVAL, (int64_t)place, "there is no scope %ld", (long)given->scope);
  }
  if (given->replicas < 0) {
    return rebali_fail(call->err, REBAL_ERANGE, (int64_t)place, "a limit allows a negative number of replicas");
  }
  limit->scope = given->scope;
  limit->replicas = given->replicas;
  code = read_subject(call, given, limit, place);
  return code == REBAL_OK ? read_pace(call, given, limit, place) : code;
}

static struct rebali_move_limits *new_limits(struct rebali_plan_call *call) {
  struct rebali_move_limits *limits = rebali_arena_allocate_zero(&call->arena, 1, sizeof *limits);
  const uint64_t n = call->opts.n_limits;

  if (limits == NULL || n > SIZE_MAX - call->opts.n_budgets) {
    return NULL;
  }
  limits->n = (size_t)(n + call->opts.n_budgets);
  limits->n_given = (size_t)n;
  limits->items = rebali_arena_allocate_zero(&call->arena, limits->n, sizeof *limits->items);
  limits->active = rebali_arena_allocate(&call->arena, limits->n, sizeof *limits->active);
  limits->is_lost = call->is_lost;
  return limits->items == NULL || limits->active == NULL ? NULL : limits;
}

int32_t rebali_move_limits_read(struct rebali_plan_call *call) {
  int32_t code = REBAL_OK;

  call->limits = new_limits(call);
  if (call->limits == NULL) {
    return rebali_fail_memory(call->err);
  }
  for (size_t i = 0; i < call->limits->n_given && code == REBAL_OK; i++) {
    code = read_limit(call, i);
  }
  return code == REBAL_OK ? rebali_plan_budgets_read(call) : code;
}

void rebali_limits_digest(const struct rebali_move_limits *limits, struct rebali_digest *digest) {
  static const rebal_time unset = {0, 0, 0};

  rebali_digest_u64(digest, limits->n_given);
  for (size_t i = 0; i < limits->n_given; i++) {
    const struct rebali_move_limit *limit = &limits->items[i];

    rebali_digest_u64(digest, (uint64_t)limit->scope);
    rebali_digest_u64(digest, (uint64_t)limit->has_subject);
    rebali_digest_text(digest, limit->subject);
    rebali_digest_text(digest, limit->label);
    rebali_digest_u64(digest, (uint64_t)limit->given.replicas);
    rebali_digest_u64(digest, (uint64_t)limit->given.interval_ns);
    rebali_digest_u64(digest, (uint64_t)limit->given.tokens);
    rebali_digest_time(digest, limit->given.tokens_at == NULL ? &unset : limit->given.tokens_at);
  }
  rebali_digest_u64(digest, limits->n - limits->n_given);
  for (size_t i = limits->n_given; i < limits->n; i++) {
    rebali_digest_record(digest, limits->items[i].budget->record);
  }
}
