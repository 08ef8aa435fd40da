/* SPDX-License-Identifier: MIT */
/* rebalancectl plan: what would move if the bindings were scheduled again, and how much of it the limits allow. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

int plan_is_shown(const struct planned *planned, size_t binding) {
  return planned->world->options->plan.is_explained || plan_cell(planned, REBAL_PLANNED_DRIFT, binding) > 0 ||
         plan_cell(planned, REBAL_PLANNED_ADDED, binding) > 0 ||
         plan_cell(planned, REBAL_PLANNED_REMOVED, binding) > 0 ||
         plan_cell(planned, REBAL_PLANNED_OUTCOME, binding) != REBAL_OUTCOME_SCHEDULED;
}

int64_t plan_sum(const struct planned *planned, uint32_t column) {
  int64_t sum = 0;
  for (size_t i = 0; i < planned->n; i++) {
    const int64_t value = plan_cell(planned, column, i);
    sum = sum > INT64_MAX - value ? INT64_MAX : sum + value;
  }
  return sum;
}

void plan_put_limit(const struct planned *planned, size_t limit, struct output *out) {
  const int64_t scope = plan_cell(planned, REBAL_LIMITED_SCOPE, limit);
  const char *subject = rebal_result_text(planned->world->result, REBAL_LIMITED_SUBJECT, limit, NULL);
  if (subject[0] == '\0' && scope != REBAL_LIMIT_SCOPE_TOTAL) {
    put(out, "each ");
  }
  put(out, enum_text(REBAL_ENUM_LIMIT_SCOPE, scope));
  if (subject[0] != '\0') {
    put(out, " ");
    put(out, subject);
  }
}

void plan_put_allowed(const struct planned *planned, size_t limit, struct output *out) {
  const int64_t scope = plan_cell(planned, REBAL_LIMITED_SCOPE, limit);
  put_integer(out, plan_cell(planned, REBAL_LIMITED_REPLICAS, limit));
  if (scope == REBAL_LIMIT_SCOPE_BUDGET) {
    put(out, " or more");
  } else if (scope != REBAL_LIMIT_SCOPE_TOTAL) {
    put(out, " each");
  }
}

static int compare_uses(const void *left, const void *right) {
  const struct limit_use *one = left, *other = right;
  if (one->limit != other->limit) {
    return one->limit < other->limit ? -1 : 1;
  }
  return (one->row > other->row) - (one->row < other->row);
}

static enum status list_uses(struct planned *planned) {
  const size_t n = plan_rows(planned, REBAL_TABLE_LIMIT_USE);
  planned->uses = malloc((n + 1) * sizeof *planned->uses);
  if (planned->uses == NULL) {
    return complain_of_memory();
  }
  for (size_t row = 0; row < n; row++) {
    if (rebal_result_text(planned->world->result, REBAL_LIMIT_USE_SUBJECT, row, NULL)[0] != '\0') {
      planned->uses[planned->n_uses++] =
          (struct limit_use){(size_t)plan_cell(planned, REBAL_LIMIT_USE_LIMIT, row), row};
    }
  }
  qsort(planned->uses, planned->n_uses, sizeof *planned->uses, compare_uses);
  return STATUS_DONE;
}

/* ---- the plan ---- */

static enum status find_clusters(const struct planned *planned, const char *option, const char *const *names, size_t n,
                                 uint32_t **ids) {
  *ids = calloc(n + 1, sizeof **ids);
  if (*ids == NULL) {
    return complain_of_memory();
  }
  for (size_t i = 0; i < n; i++) {
    (*ids)[i] = rebal_snapshot_find_cluster(planned->world->snapshot, names[i], strlen(names[i]));
    if ((*ids)[i] == REBAL_NONE ||
        !rebal_cells_has(rebal_snapshot_cells(planned->world->snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, (*ids)[i])) {
      complain("rebalancectl plan: %s %s: the files contain no such cluster", option, names[i]);
      return STATUS_INPUT;
    }
  }
  return STATUS_DONE;
}

static enum status read_inputs(struct planned *planned) {
  const struct plan_words *words = &planned->world->options->plan;
  rebal_error err = REBAL_ERROR_INIT;
  enum status status = find_clusters(planned, "--drain", words->drained, words->n_drained, &planned->drained);
  if (status == STATUS_DONE) {
    status = find_clusters(planned, "--lose", words->lost, words->n_lost, &planned->lost);
  }
  if (status == STATUS_DONE && words->has_budgets) {
    status = budgets_read(planned->world, &planned->budgets);
  }
  if (status == STATUS_DONE && planned->world->options->has_ledger &&
      rebal_ledger_new(planned->world->fleet, NULL, &planned->ledger, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  return status;
}

static enum status make(struct planned *planned) {
  const struct world *world = planned->world;
  const struct plan_words *words = &world->options->plan;
  const rebal_schedule_opts schedule = {.struct_size = sizeof schedule,
                                        .flags = world->members.n > 0 ? REBAL_SCHEDULE_FLAG_NODES : 0,
                                        .compat = world->options->compat,
                                        .ledger = planned->ledger,
                                        .known = world->known};
  const rebal_limit *limits[3];
  rebal_plan_opts opts = words->opts;
  rebal_error err = REBAL_ERROR_INIT;
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    if (words->has_limit[i]) {
      limits[opts.n_limits++] = &words->limits[i];
    }
  }
  opts.struct_size = sizeof opts;
  opts.schedule = &schedule;
  opts.drained = planned->drained;
  opts.n_drained = words->n_drained;
  opts.lost = planned->lost;
  opts.n_lost = words->n_lost;
  opts.limits = limits;
  opts.budgets = planned->budgets.records;
  opts.n_budgets = planned->budgets.n;
  progress("planning %zu bindings", planned->n);
  return rebal_plan_make(world->ctx, world->snapshot, world->chosen, &world->options->now, &opts, &planned->plan,
                         &err) == REBAL_OK &&
                 rebal_plan_read(planned->plan, world->result, &err) == REBAL_OK
             ? STATUS_DONE
             : complain_of_call(&err);
}

static enum status verify(struct planned *planned) {
  rebal_movement problem = {.struct_size = sizeof problem};
  rebal_movement_answer answer = {.struct_size = sizeof answer};
  rebal_error err = REBAL_ERROR_INIT;
  return rebal_plan_movement(planned->plan, &problem, &answer, &err) == REBAL_OK &&
                 rebal_plan_verify(planned->world->ctx, &problem, &answer, &planned->gap, &err) == REBAL_OK
             ? STATUS_DONE
             : complain_of_call(&err);
}

/* ---- output ---- */

static enum status append_page(const void *user, struct output *out) {
  return plan_write_page(user, out);
}

static enum status write_answer(const struct planned *planned, struct output *out) {
  const struct options *options = planned->world->options;
  enum status status =
      options->format == FORMAT_TABLE ? plan_write_table(planned, out) : plan_write_report(planned, out);
  if (status == STATUS_DONE && options->html != NULL) {
    status = html_save(options, append_page, planned);
  }
  for (size_t i = 0; status == STATUS_DONE && i < planned->n; i++) {
    if (plan_cell(planned, REBAL_PLANNED_OUTCOME, i) != REBAL_OUTCOME_SCHEDULED) {
      status = STATUS_CANNOT;
    }
  }
  return status == STATUS_DONE && planned->waves.n_ends > 0 ? STATUS_CANNOT : status;
}

static enum status run(struct planned *planned, struct output *out) {
  enum status status = some_bindings(planned->world, &planned->objects, &planned->n);
  if (status == STATUS_DONE) {
    status = world_feed(planned->world, planned->objects, planned->n);
  }
  if (status == STATUS_DONE) {
    status = read_inputs(planned);
  }
  if (status == STATUS_DONE) {
    status = make(planned);
  }
  if (status == STATUS_DONE) {
    status = list_uses(planned);
  }
  if (status == STATUS_DONE && planned->world->options->plan.is_verified) {
    status = verify(planned);
  }
  if (status == STATUS_DONE) {
    status = plan_read_members(planned);
  }
  if (status == STATUS_DONE && planned->world->options->plan.has_waves) {
    status = waves_play(planned, &planned->waves);
  }
  return status == STATUS_DONE ? write_answer(planned, out) : status;
}

enum status plan_run(const struct options *options, struct output *out) {
  struct world world;
  struct planned planned = {.world = &world};
  enum status status = world_open(&world, options);
  if (status == STATUS_DONE) {
    status = run(&planned, out);
  }
  waves_free(&planned.waves);
  rebal_plan_free(planned.plan);
  rebal_ledger_free(planned.ledger);
  budgets_free(&planned.budgets);
  free(planned.drained);
  free(planned.lost);
  free(planned.objects);
  free(planned.replicas);
  free(planned.uses);
  world_close(&world);
  return status;
}
