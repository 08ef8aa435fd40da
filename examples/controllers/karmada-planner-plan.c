/* SPDX-License-Identifier: MIT */
/* The request, and the plan that is made from it. */
#include "karmada-planner-plan.h"

#include <stdio.h>
#include <string.h>

#define MOST_CLUSTERS (sizeof((struct texts *)NULL)->list / sizeof((struct texts *)NULL)->list[0])

/* ---- the request ------------------------------------------------------------------------------------------------- */

/* -1: there is no such mode. */
static int32_t mode_of(const char *name) {
  static const int32_t modes[] = {REBAL_PLAN_MODE_FRESH, REBAL_PLAN_MODE_STEADY, REBAL_PLAN_MODE_LEAST};
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    if (strcmp(rebal_enum_name(REBAL_ENUM_PLAN_MODE, modes[i], NULL), name) == 0) {
      return modes[i];
    }
  }
  return -1;
}

void request_flags(struct plan_request *request, struct flag *out) {
  const struct flag flags[REQUEST_FLAGS] = {
      {"mode", "MODE", "what is wanted: fresh, steady or least (rebalance-plan(7)); default: steady", FLAG_TEXT,
       &request->mode},
      {"drain", "CLUSTER", "nothing is to be there; may be given several times", FLAG_TEXTS, &request->drained},
      {"lose", "CLUSTER", "the same, and replicas there count as lost", FLAG_TEXTS, &request->lost},
      {"due", "PERCENT", "plan only bindings of which so much would move, and that are ready", FLAG_AMOUNT,
       &request->due},
      {"tolerance", "PERCENT", "of least: how far from a fresh placement; default: 10%", FLAG_AMOUNT,
       &request->tolerance},
      {"max-moves", "NUMBER", "replicas that move in all, at most", FLAG_NUMBER, &request->max_moves},
      {"max-per-source", "NUMBER", "replicas that leave a cluster, at most", FLAG_NUMBER, &request->max_per_source},
      {"max-per-target", "NUMBER", "replicas that come to a cluster, at most", FLAG_NUMBER, &request->max_per_target},
      {"max-surge", "N|P%", "replicas of a binding above those wanted, meanwhile; default: 25%", FLAG_AMOUNT,
       &request->max_surge},
      {"max-unavailable", "N|P%", "replicas of a binding that are not ready, meanwhile; default: 25%", FLAG_AMOUNT,
       &request->max_unavailable},
      {"progress-deadline", "SECONDS", "how long replicas that come are waited for; default: 600", FLAG_SECONDS,
       &request->progress_deadline}};
  *request = (struct plan_request){.mode = "steady",
                                   .max_moves = -1,
                                   .max_per_source = -1,
                                   .max_per_target = -1,
                                   .progress_deadline = INT64_C(600) * 1000000000};
  memcpy(out, flags, sizeof flags);
}

bool request_check(const struct plan_request *request) {
  const struct amount *unavailable = &request->max_unavailable;
  const char *wrong = mode_of(request->mode) < 0        ? "--mode: expected fresh, steady or least"
                      : request->tolerance.number > 100 ? "--tolerance: expected at most 100%"
                      : unavailable->is_percent && unavailable->number > 100
                          ? "--max-unavailable: expected at most 100%"
                      : request->max_surge.is_given && unavailable->is_given && request->max_surge.number == 0 &&
                              unavailable->number == 0
                          ? "--max-surge and --max-unavailable: nothing moves where both are 0"
                          : NULL;
  if (wrong != NULL) {
    say("%s", wrong);
  }
  return wrong == NULL;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static int32_t find_clusters(const rebal_snapshot *snapshot, const struct texts *names, uint32_t *ids,
                             rebal_error *err) {
  for (size_t i = 0; i < names->n; i++) {
    ids[i] = rebal_snapshot_find_cluster(snapshot, names->list[i], strlen(names->list[i]));
    if (ids[i] == REBAL_NONE ||
        !rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, ids[i])) {
      (void)snprintf(err->message, sizeof err->message, "there is no cluster %s", names->list[i]);
      return REBAL_EINVAL;
    }
  }
  return REBAL_OK;
}

static void set_amount(const struct amount *amount, int64_t *out, uint32_t *flags, uint32_t given, uint32_t percent) {
  *out = amount->number;
  *flags |= (amount->is_given ? given : 0) | (amount->is_percent ? percent : 0);
}

/* Limits that are given, in their order. */
static size_t list_limits(const struct plan_request *request, rebal_limit *limits, const rebal_limit **list) {
  const struct {
    int64_t replicas;
    int32_t scope;
  } given[] = {{request->max_moves, REBAL_LIMIT_SCOPE_TOTAL},
               {request->max_per_source, REBAL_LIMIT_SCOPE_SOURCE},
               {request->max_per_target, REBAL_LIMIT_SCOPE_TARGET}};
  size_t n = 0;
  for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
    if (given[i].replicas >= 0) {
      limits[n] =
          (rebal_limit){.struct_size = sizeof limits[n], .scope = given[i].scope, .replicas = given[i].replicas};
      list[n] = &limits[n];
      n++;
    }
  }
  return n;
}

static int32_t make(const struct plan_request *request, rebal_ctx *ctx, rebal_snapshot *snapshot,
                    const rebal_bindings *bindings, rebal_plan **out, rebal_error *err) {
  const rebal_schedule_opts schedule = {.struct_size = sizeof schedule};
  const rebal_time now = time_now();
  uint32_t drained[MOST_CLUSTERS], lost[MOST_CLUSTERS];
  rebal_limit limits[3];
  const rebal_limit *list[3];
  rebal_plan_opts opts = {.struct_size = sizeof opts,
                          .mode = mode_of(request->mode),
                          .schedule = &schedule,
                          .drained = drained,
                          .n_drained = request->drained.n,
                          .lost = lost,
                          .n_lost = request->lost.n,
                          .limits = list,
                          .n_limits = list_limits(request, limits, list),
                          .tolerance = (int32_t)(10 * request->tolerance.number),
                          .flags = request->tolerance.is_given ? REBAL_PLAN_FLAG_TOLERANCE_GIVEN : 0,
                          .progress_deadline_ns = request->progress_deadline};
  int32_t code = find_clusters(snapshot, &request->drained, drained, err);
  set_amount(&request->max_surge, &opts.max_surge, &opts.flags, REBAL_PLAN_FLAG_SURGE_GIVEN,
             REBAL_PLAN_FLAG_SURGE_PERCENT);
  set_amount(&request->max_unavailable, &opts.max_unavailable, &opts.flags, REBAL_PLAN_FLAG_UNAVAILABLE_GIVEN,
             REBAL_PLAN_FLAG_UNAVAILABLE_PERCENT);
  code = code == REBAL_OK ? find_clusters(snapshot, &request->lost, lost, err) : code;
  return code == REBAL_OK ? rebal_plan_make(ctx, snapshot, bindings, &now, &opts, out, err) : code;
}

/* Keeps the objects whose drift is large enough, unless something is under way with them. */
static int32_t keep_due(const struct plan_request *request, const rebal_plan *plan, const rebal_bindings *bindings,
                        uint32_t *objects, size_t *n, rebal_error *err) {
  const int32_t permille = (int32_t)(10 * request->due.number);
  const rebal_reconsider_opts opts = {.struct_size = sizeof opts, .low = permille, .high = permille};
  const rebal_time now = time_now();
  rebal_result *result = NULL;
  size_t kept = 0;
  int32_t code = rebal_result_new(NULL, &result, err);
  code = code == REBAL_OK ? rebal_reconsider(plan, bindings, &now, &opts, result, err) : code;
  for (size_t i = 0; code == REBAL_OK && i < *n; i++) {
    if (rebal_result_i64(result, REBAL_RECONSIDERED_VERDICT, NULL)[i] == REBAL_RECONSIDER_DUE) {
      objects[kept++] = objects[i];
    }
  }
  rebal_result_free(result);
  *n = kept;
  return code;
}

int32_t bindings_feed(rebal_bindings *bindings, rebal_store *store, rebal_fleet *fleet, const uint32_t *objects,
                      size_t n, rebal_error *err) {
  int32_t code;
  rebal_bindings_reset(bindings);
  code = rebal_store_feed_bindings(store, fleet, objects, n, bindings, err);
  return code == REBAL_OK ? rebal_bindings_freeze(bindings, err) : code;
}

int32_t request_plan(const struct plan_request *request, rebal_ctx *ctx, rebal_store *store, rebal_fleet *fleet,
                     rebal_bindings *bindings, uint32_t *objects, size_t n, rebal_plan **out, rebal_error *err) {
  rebal_snapshot *snapshot = NULL;
  int32_t code = bindings_feed(bindings, store, fleet, objects, n, err);
  code = code == REBAL_OK ? rebal_fleet_freeze(fleet, &snapshot, err) : code;
  code = code == REBAL_OK ? make(request, ctx, snapshot, bindings, out, err) : code;
  if (code == REBAL_OK && request->due.number > 0) {
    code = keep_due(request, *out, bindings, objects, &n, err);
    rebal_plan_free(*out);
    *out = NULL;
    code = code == REBAL_OK ? bindings_feed(bindings, store, fleet, objects, n, err) : code;
    code = code == REBAL_OK ? make(request, ctx, snapshot, bindings, out, err) : code;
  }
  rebal_snapshot_unref(snapshot);
  return code;
}

/* ---- what it is -------------------------------------------------------------------------------------------------- */

static int64_t cell(const rebal_result *result, uint32_t column, size_t row) {
  const int64_t value = rebal_result_i64(result, column, NULL)[row];
  return value == REBAL_ABSENT ? 0 : value;
}

static void say_binding(const rebal_result *result, size_t row, rebal_fleet *fleet) {
  const size_t first = (size_t)cell(result, REBAL_PLANNED_FIRST_CLUSTER, row);
  const size_t end = first + (size_t)cell(result, REBAL_PLANNED_CLUSTERS, row);
  rebal_text *text = NULL;
  int32_t code = rebal_text_new(&text, NULL);
  for (size_t i = first; code == REBAL_OK && i < end; i++) {
    const uint32_t cluster = (uint32_t)rebal_result_i64(result, REBAL_PLANNED_CLUSTER_CLUSTER, NULL)[i];
    size_t len;
    const char *name = rebal_cells_get_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_NAME, REBAL_NONE, cluster, &len);
    code = append_format(text, "%s%.*s %lld -> %lld", i == first ? "" : ", ", (int)len, name,
                         (long long)cell(result, REBAL_PLANNED_CLUSTER_PRESENT, i),
                         (long long)cell(result, REBAL_PLANNED_CLUSTER_PLANNED, i));
  }
  if (code == REBAL_OK) {
    const char *namespace_ = rebal_result_text(result, REBAL_PLANNED_NAMESPACE, row, NULL);
    const bool is_global = namespace_[0] == '\0';
    say("%s %s%s%s: %s; replicas that move: %lld, withheld by limits: %lld %s",
        is_global ? "ClusterResourceBinding" : "ResourceBinding", namespace_, is_global ? "" : "/",
        rebal_result_text(result, REBAL_PLANNED_NAME, row, NULL), rebal_text_bytes(text, NULL),
        (long long)cell(result, REBAL_PLANNED_GRANTED, row), (long long)cell(result, REBAL_PLANNED_WITHHELD, row),
        rebal_result_text(result, REBAL_PLANNED_MESSAGE, row, NULL));
  }
  rebal_text_free(text);
}

void plan_say(const rebal_result *result, rebal_fleet *fleet) {
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_PLANNED); i++) {
    if (cell(result, REBAL_PLANNED_DRIFT, i) != 0 || cell(result, REBAL_PLANNED_ADDED, i) != 0 ||
        cell(result, REBAL_PLANNED_REMOVED, i) != 0 ||
        cell(result, REBAL_PLANNED_OUTCOME, i) != REBAL_OUTCOME_SCHEDULED) {
      say_binding(result, i, fleet);
    }
  }
}

void plan_put_sums(const rebal_result *result, const char *request, char *out, size_t capacity) {
  const size_t n = rebal_result_count(result, REBAL_TABLE_PLANNED);
  long long moved = 0, withheld = 0, unplaced = 0;
  for (size_t i = 0; i < n; i++) {
    moved += cell(result, REBAL_PLANNED_GRANTED, i);
    withheld += cell(result, REBAL_PLANNED_WITHHELD, i);
    unplaced += cell(result, REBAL_PLANNED_OUTCOME, i) != REBAL_OUTCOME_SCHEDULED;
  }
  (void)snprintf(out, capacity,
                 "%zu bindings, replicas that move: %lld, withheld by limits: %lld; bindings that cannot be placed: "
                 "%lld; requested: %s",
                 n, moved, withheld, unplaced, request);
}
