/* SPDX-License-Identifier: MIT */
/*
 * Is a result permitted? Written from the specification alone: the bounds of each write, and the conditions for no
 * write.
 */
#include "waves.h"

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

struct view {
  const struct moment *moment;
  const struct aim *aim;
  const struct sight *sight;
  const struct verdict *verdict;
  size_t b;
  int64_t from[CLUSTERS], to[CLUSTERS], z[CLUSTERS], ready[CLUSTERS], runs[CLUSTERS], next[CLUSTERS];
  int is_known[CLUSTERS];
  int64_t sum_to, sum_z, sum_ready, sum_next;
  int64_t wanted, floor;
  int is_kept; /* a task of ours keeps something, or will */
};

/* Surely ready, if the member may stop any of its surplus pods. */
static int64_t sure(const struct sight *sight, size_t c) {
  const int64_t ready = most(sight->ready[c], 0);
  const int64_t runs = most(sight->reported[c], ready);

  return least(most(ready - most(runs - sight->z[c], 0), 0), sight->z[c]);
}

static void look(struct view *view, const struct moment *moment, size_t b) {
  *view = (struct view){
      .moment = moment, .b = b, .aim = &moment->aims[b], .sight = &moment->sights[b], .verdict = &moment->verdicts[b]};
  for (size_t c = 0; c < moment->n_clusters; c++) {
    if (moment->is_lost[c]) {
      continue;
    }
    view->from[c] = moment->is_back ? view->aim->y[c] : view->aim->x[c];
    view->to[c] = moment->is_back ? view->aim->x[c] : view->aim->y[c];
    view->z[c] = view->sight->z[c];
    view->next[c] = view->verdict->is_written ? view->verdict->next[c] : view->z[c];
    view->is_kept |= view->sight->kept[c] > 0 || (view->verdict->is_written && view->verdict->kept[c] > 0);
    view->runs[c] = most(most(view->sight->reported[c], view->sight->ready[c]), 0);
    view->is_known[c] = view->sight->ready[c] != UNKNOWN;
    view->ready[c] = sure(view->sight, c);
    view->sum_to += view->to[c];
    view->sum_z += view->z[c];
    view->sum_next += view->next[c];
    view->sum_ready += view->ready[c];
  }
  view->wanted = most(view->aim->replicas, view->sum_to);
  view->floor = most(0, least(view->aim->replicas, view->sum_to) - view->aim->max_unavailable);
}

/* Units used in a cluster, whichever writes of the wave arrive. */
static int64_t taken(const struct moment *moment, size_t c) {
  int64_t sum = 0;

  for (size_t b = 0; b < moment->n_bindings; b++) {
    const struct sight *sight = &moment->sights[b];
    const int64_t next = moment->verdicts[b].is_written ? moment->verdicts[b].next[c] : 0;

    sum += moment->aims[b].need * most(most(sight->z[c], next), most(sight->reported[c], 0));
  }
  return sum;
}

static int has_capacity(const struct view *view, size_t c) {
  return view->runs[c] > view->z[c] || taken(view->moment, c) + view->aim->need <= view->moment->capacity[c];
}

/* ---- budgets ----------------------------------------------------------------------------------------------------- */

/* Replicas of a binding in a cluster, with those that a task keeps, and how many of them are surely ready. */
static int64_t there_of(const struct moment *moment, size_t b, size_t c) {
  return most(moment->sights[b].z[c], moment->sights[b].kept[c]);
}

static int64_t healthy_of(const struct moment *moment, size_t b, size_t c) {
  const struct sight *sight = &moment->sights[b];
  const int64_t there = there_of(moment, b, c), ready = most(sight->ready[c], 0);

  return moment->is_lost[c] ? 0 : least(most(ready - most(most(sight->reported[c], ready) - there, 0), 0), there);
}

/* May a budget count a binding in a cluster? */
static int budget_counts(const struct moment *moment, size_t budget, size_t b, size_t c) {
  const struct budget *rule = &moment->budgets[budget];

  return (rule->app == 0 || moment->sights[b].app == 0 || rule->app == moment->sights[b].app) &&
         (rule->cluster < 0 || rule->cluster == (int64_t)c);
}

/* Does the budget count both clusters together? */
static int is_shared(const struct moment *moment, size_t budget, size_t c, size_t d) {
  return c == d || (moment->is_over_clusters && moment->budgets[budget].cluster < 0);
}

static int64_t allowed_of(const struct moment *moment, size_t budget, size_t c) {
  const struct budget *rule = &moment->budgets[budget];
  int64_t expected = 0, healthy = 0, number;

  for (size_t b = 0; b < moment->n_bindings; b++) {
    for (size_t d = 0; moment->sights[b].app != 0 && d < moment->n_clusters; d++) {
      if (budget_counts(moment, budget, b, d) && is_shared(moment, budget, c, d)) {
        expected += moment->is_lost[d] ? moment->sights[b].raw[d] : there_of(moment, b, d);
        healthy += healthy_of(moment, b, d);
      }
    }
  }
  number = rule->is_percent ? (expected * rule->number + 99) / 100 : rule->number;
  return most(healthy - (rule->is_least ? number : most(expected - number, 0)), 0);
}

/* Replicas that the writes of earlier bindings remove, as a budget counts them together with a cluster. */
static int64_t taken_before(const struct moment *moment, size_t budget, size_t c, size_t before) {
  int64_t sum = 0;

  for (size_t b = 0; b < before; b++) {
    const struct verdict *verdict = &moment->verdicts[b];

    for (size_t d = 0; verdict->is_written && d < moment->n_clusters; d++) {
      if (!moment->is_lost[d] && budget_counts(moment, budget, b, d) && is_shared(moment, budget, c, d)) {
        sum += most(there_of(moment, b, d) - most(verdict->next[d], verdict->kept[d]), 0);
      }
    }
  }
  return sum;
}

static size_t count_budgets(const struct moment *moment, size_t b, size_t c) {
  size_t n = 0;

  for (size_t i = 0; i < moment->n_budgets; i++) {
    n += budget_counts(moment, i, b, c) != 0;
  }
  return n;
}

/* Do the budgets permit a removal in the cluster after the earlier bindings? */
static int budgets_leave(const struct moment *moment, size_t b, size_t c) {
  for (size_t i = 0; i < moment->n_budgets; i++) {
    if (budget_counts(moment, i, b, c) && taken_before(moment, i, c, b) >= allowed_of(moment, i, c)) {
      return 0;
    }
  }
  return moment->sights[b].app == 0 || count_budgets(moment, b, c) < 2;
}

static const char *check_budgets(const struct moment *moment) {
  for (size_t c = 0; c < moment->n_clusters; c++) {
    for (size_t i = 0; i < moment->n_budgets; i++) {
      const int64_t taken = taken_before(moment, i, c, moment->n_bindings);

      if (taken > 0 && taken > allowed_of(moment, i, c)) {
        return "a wave takes away more than a budget allows";
      }
    }
    for (size_t b = 0; b < moment->n_bindings; b++) {
      const struct verdict *verdict = &moment->verdicts[b];

      if (verdict->is_written && !moment->is_lost[c] && moment->sights[b].app != 0 && count_budgets(moment, b, c) > 1 &&
          there_of(moment, b, c) > most(verdict->next[c], verdict->kept[c])) {
        return "a write takes away what two budgets guard";
      }
    }
  }
  return NULL;
}

/* ---- a write ----------------------------------------------------------------------------------------------------- */

static const char *check_write(const struct view *view) {
  int64_t after = 0;
  int adds = 0, removes = 0;

  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    const int64_t removed = most(view->z[c] - view->next[c], 0);

    if (view->moment->is_lost[c]) {
      continue;
    }
    if (view->next[c] < least(view->z[c], view->to[c]) || view->next[c] > most(view->z[c], view->to[c])) {
      return "a write leads away from the aim, or beyond it";
    }
    if (view->next[c] > view->z[c] && taken(view->moment, c) > view->moment->capacity[c] &&
        view->next[c] > view->runs[c]) {
      return "a write puts more into a cluster than its capacity";
    }
    if (removed > 0 && !view->is_known[c]) {
      return "a write takes away where it is not known what is ready";
    }
    adds |= view->next[c] > view->z[c];
    removes |= removed > 0;
    after += most(view->ready[c] - removed, 0);
  }
  if (after < least(view->floor, view->sum_ready)) {
    return "a write lets too few be ready";
  }
  if (view->sum_next < least(view->floor, view->sum_z)) {
    return "a write assigns too few";
  }
  if (view->sum_next > most(view->sum_z, view->wanted + view->aim->max_surge)) {
    return "a write assigns more than the surge allows";
  }
  return adds && removes ? "a write adds and removes" : NULL;
}

/* ---- no write ---------------------------------------------------------------------------------------------------- */

static int is_aim(const struct view *view) {
  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    if (view->z[c] != view->to[c]) {
      return 0;
    }
  }
  return 1;
}

static int could_add(const struct view *view) {
  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    if (!view->moment->is_lost[c] && view->to[c] > view->z[c] && has_capacity(view, c)) {
      return 1;
    }
  }
  return 0;
}

/* Without budgets. */
static int could_go(const struct view *view, size_t c) {
  const int64_t after = view->sum_ready - least(view->ready[c], 1);

  return view->sum_z > view->floor && view->z[c] > view->to[c] && view->is_known[c] &&
         after >= least(view->floor, view->sum_ready);
}

static int could_remove(const struct view *view) {
  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    if (could_go(view, c) && budgets_leave(view->moment, view->b, c)) {
      return 1;
    }
  }
  return 0;
}

/* Do only budgets prevent it? */
static int is_guarded(const struct view *view) {
  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    if (could_go(view, c)) {
      return (view->sum_z > view->wanted || view->aim->max_surge == 0 || !could_add(view)) && !could_remove(view);
    }
  }
  return 0;
}

static const char *check_idle(const struct view *view) {
  const int can_add = could_add(view);

  if (can_add && view->sum_z < view->wanted + view->aim->max_surge) {
    return "nothing is written although replicas can be added";
  }
  if ((view->sum_z > view->wanted || view->aim->max_surge == 0 || !can_add) && could_remove(view)) {
    return "nothing is written although replicas can be removed";
  }
  return NULL;
}

static int is_moving_there(const struct view *view, size_t c) {
  return !view->moment->is_lost[c] && (view->ready[c] < view->z[c] || view->runs[c] > view->z[c]) &&
         view->moment->now - view->sight->since[c] < DEADLINE_SECONDS;
}

/* Does a budget wait for something in progress, or did an earlier binding use it in this wave? */
static int waits_for_budget(const struct view *view) {
  const struct moment *moment = view->moment;

  for (size_t i = 0; i < moment->n_budgets; i++) {
    for (size_t c = 0; c < moment->n_clusters; c++) {
      if (!could_go(view, c) || !budget_counts(moment, i, view->b, c)) {
        continue;
      }
      for (size_t b = 0; b < moment->n_bindings; b++) {
        struct view other;

        look(&other, moment, b);
        for (size_t d = 0; moment->sights[b].app != 0 && d < moment->n_clusters; d++) {
          if (budget_counts(moment, i, b, d) && is_shared(moment, i, c, d) && is_moving_there(&other, d)) {
            return 1;
          }
        }
      }
      if (taken_before(moment, i, c, view->b) > 0) {
        return 1;
      }
    }
  }
  return 0;
}

static int is_under_way(const struct view *view) {
  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    if (is_moving_there(view, c)) {
      return 1;
    }
  }
  return 0;
}

/* Must the binding leave the cluster, or does the cluster still run what left? */
static int leaves(const struct view *view, size_t c) {
  const int is_followed = view->sight->is_present || view->verdict->state == REBAL_WAVE_STATE_MOVING;

  return (is_followed && view->z[c] > view->to[c]) || view->runs[c] > view->z[c];
}

/* Does another binding in progress leave a cluster that this one waits for? */
static int waits_for_another(const struct view *view) {
  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    for (size_t b = 0; view->to[c] > view->z[c] && b < view->moment->n_bindings; b++) {
      struct view other;

      look(&other, view->moment, b);
      if (other.aim != view->aim && ((leaves(&other, c) && (other.verdict->state == REBAL_WAVE_STATE_MOVING ||
                                                            other.verdict->state == REBAL_WAVE_STATE_WAITING)) ||
                                     (other.runs[c] > other.z[c] && is_moving_there(&other, c)))) {
        return 1;
      }
    }
  }
  return 0;
}

static const char *check_reason(const struct view *view) {
  const int64_t c = view->verdict->cluster;

  switch (view->verdict->reason) {
    case REBAL_WAVE_REASON_READY:
      return is_aim(view) && c >= 0 && view->ready[c] < view->z[c] ? NULL
                                                                   : "the cluster is ready, or more is to be done";
    case REBAL_WAVE_REASON_FLOOR:
      return !is_aim(view) && (c < 0 || view->ready[c] < view->z[c]) ? NULL : "it is not the floor";
    case REBAL_WAVE_REASON_CAPACITY:
      return c >= 0 && view->to[c] > view->z[c] && !could_add(view) ? NULL : "the cluster is not full";
    case REBAL_WAVE_REASON_BUDGET:
      return c >= 0 && could_go(view, (size_t)c) && is_guarded(view) ? NULL : "it is not the budget";
    case REBAL_WAVE_REASON_UNKNOWN:
      return c >= 0 && view->z[c] > view->to[c] && !view->is_known[c] ? NULL : "it is known what is ready";
    default:
      return "a reason that there is not";
  }
}

static const char *check_stop(const struct view *view) {
  const int may_wait = is_under_way(view) ||
                       (view->verdict->reason == REBAL_WAVE_REASON_CAPACITY && waits_for_another(view)) ||
                       (view->verdict->reason == REBAL_WAVE_REASON_BUDGET && waits_for_budget(view));
  const char *fault = check_idle(view);

  if (fault == NULL) {
    fault = check_reason(view);
  }
  if (fault == NULL && is_guarded(view) && view->verdict->reason != REBAL_WAVE_REASON_BUDGET) {
    fault = "it is the budget";
  }
  if (fault == NULL && (view->verdict->state == REBAL_WAVE_STATE_WAITING) != may_wait) {
    fault = may_wait ? "it is blocked although something is under way" : "it waits for nothing";
  }
  return fault;
}

/* Is it on its way back to a placement with a lost cluster? Then it stays as it is. */
static int is_cut_off(const struct view *view) {
  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    if (view->moment->is_back && view->moment->is_lost[c] && view->aim->x[c] > 0) {
      return 1;
    }
  }
  return 0;
}

static const char *check_cut_off(const struct view *view) {
  return view->verdict->state == REBAL_WAVE_STATE_BLOCKED && view->verdict->reason == REBAL_WAVE_REASON_NO_CLUSTER
             ? NULL
             : "it goes back to a lost cluster";
}

static const char *check_binding(const struct view *view) {
  const int64_t state = view->verdict->state;
  int is_ready = 1, is_between = 1;

  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    is_ready &= view->ready[c] == view->to[c];
    is_between &= view->moment->is_lost[c] ||
                  (view->z[c] >= least(view->from[c], view->to[c]) && view->z[c] <= most(view->from[c], view->to[c]));
  }
  if (!view->sight->is_present) {
    return view->verdict->is_written || state == REBAL_WAVE_STATE_DONE ? "another binding is written" : NULL;
  }
  if (view->verdict->is_foreign == is_between) {
    return "FOREIGN is wrong";
  }
  if ((state == REBAL_WAVE_STATE_MOVING) != view->verdict->is_written) {
    return "MOVING is wrong";
  }
  if (is_cut_off(view)) {
    return check_cut_off(view);
  }
  if ((state == REBAL_WAVE_STATE_DONE) != (is_aim(view) && is_ready)) {
    return "DONE is wrong";
  }
  return state == REBAL_WAVE_STATE_MOVING ? check_write(view)
         : state == REBAL_WAVE_STATE_DONE ? NULL
                                          : check_stop(view);
}

/* ---- bindings that block each other ------------------------------------------------------------------------------ */

static int is_kept_out(const struct view *view) {
  return view->sight->is_present && view->verdict->state == REBAL_WAVE_STATE_BLOCKED &&
         view->verdict->reason == REBAL_WAVE_REASON_CAPACITY;
}

static const char *check_cycles(const struct moment *moment) {
  int reaches[BINDINGS][BINDINGS] = {{0}};

  for (size_t a = 0; a < moment->n_bindings; a++) {
    for (size_t b = 0; b < moment->n_bindings; b++) {
      struct view one, other;

      look(&one, moment, a);
      look(&other, moment, b);
      for (size_t c = 0; a != b && is_kept_out(&one) && is_kept_out(&other) && c < moment->n_clusters; c++) {
        reaches[a][b] |= one.to[c] > one.z[c] && !has_capacity(&one, c) && leaves(&other, c);
      }
    }
  }
  for (size_t k = 0; k < moment->n_bindings; k++) {
    for (size_t a = 0; a < moment->n_bindings; a++) {
      for (size_t b = 0; b < moment->n_bindings; b++) {
        reaches[a][b] |= reaches[a][k] && reaches[k][b];
      }
    }
  }
  for (size_t a = 0; a < moment->n_bindings; a++) {
    int64_t first = REBAL_ABSENT;

    for (size_t b = moment->n_bindings; b-- > 0;) {
      first = a != b && reaches[a][b] && reaches[b][a] ? (int64_t)b : first;
    }
    first = first == REBAL_ABSENT || first < (int64_t)a ? first : (int64_t)a;
    if (moment->verdicts[a].cycle != first) {
      return "CYCLE is wrong";
    }
  }
  return NULL;
}

/* ---- next to Karmada --------------------------------------------------------------------------------------------- */

/* Replicas that a task keeps count as assigned until the task ends. */
static void count_kept(struct view *view) {
  view->sum_z = view->sum_next = view->sum_ready = 0;
  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    const struct sight *sight = view->sight;

    if (view->moment->is_lost[c]) {
      continue;
    }
    view->z[c] = most(sight->z[c], sight->kept[c]);
    view->next[c] = view->verdict->is_written ? most(view->verdict->next[c], view->verdict->kept[c]) : view->z[c];
    view->ready[c] = least(most(most(sight->ready[c], 0) - most(view->runs[c] - view->z[c], 0), 0), view->z[c]);
    view->sum_z += view->z[c];
    view->sum_next += view->next[c];
    view->sum_ready += view->ready[c];
  }
}

static const char *check_karmada_write(const struct view *given) {
  struct view view = *given;
  int64_t sum = 0, after = 0;
  int moves = 0;

  count_kept(&view);
  for (size_t c = 0; c < view.moment->n_clusters; c++) {
    const int64_t removed = most(view.z[c] - view.next[c], 0);

    sum += view.verdict->next[c];
    moves |= !view.moment->is_lost[c] && view.sight->z[c] != view.verdict->next[c];
    if (view.moment->is_lost[c]) {
      continue;
    }
    if (view.next[c] > view.z[c] && view.next[c] > view.runs[c] && taken(view.moment, c) > view.moment->capacity[c]) {
      return "a write puts more into a cluster than its capacity";
    }
    if (given->next[c] < least(given->z[c], given->to[c]) || given->next[c] > most(given->z[c], given->to[c])) {
      return "a write leads away from the aim, or beyond it";
    }
    if (removed > 0 && !view.is_known[c] && view.sight->kept[c] == 0) {
      return "a write takes away where it is not known what is ready";
    }
    after += most(view.ready[c] - removed, 0);
  }
  if (after < least(view.floor, view.sum_ready)) {
    return "a write lets too few be ready";
  }
  if (view.sum_next > most(view.sum_z, view.wanted + view.aim->max_surge)) {
    return "a write assigns more than the surge allows";
  }
  if (!view.sight->is_marked &&
      (view.sight->is_suspended || view.sight->is_triggered || view.sight->sum != view.aim->replicas)) {
    return "a write begins where Karmada would undo it";
  }
  if (moves && !view.verdict->is_suspended && sum != view.aim->replicas) {
    return "a write leaves a sum that Karmada would put right";
  }
  return view.verdict->is_suspended && !view.sight->is_suspended && view.verdict->mark[0] == '\0'
             ? "a suspension is left without a mark"
             : NULL;
}

/* Waits for the scheduler, or for something that the plan does not control. */
static int is_held_up(const struct verdict *verdict) {
  return verdict->state == REBAL_WAVE_STATE_NOT_NOW || verdict->reason == REBAL_WAVE_REASON_SETTLING;
}

/* Capacity is reserved for a binding whose scheduling is being suspended, which no number shows. */
static int may_be_reserved(const struct view *view) {
  for (size_t b = 0; b < view->moment->n_bindings; b++) {
    if (view->moment->verdicts[b].is_suspended && !view->moment->sights[b].is_suspended) {
      return view->verdict->reason == REBAL_WAVE_REASON_CAPACITY || view->verdict->reason == REBAL_WAVE_REASON_BUDGET;
    }
  }
  return 0;
}

static const char *check_karmada_binding(const struct view *view) {
  const int64_t state = view->verdict->state;
  int is_ready = 1;

  for (size_t c = 0; c < view->moment->n_clusters; c++) {
    is_ready &= view->ready[c] == view->to[c];
  }
  if (!view->sight->is_present && !view->sight->is_marked) {
    return view->verdict->is_written || state == REBAL_WAVE_STATE_DONE ? "another binding is written" : NULL;
  }
  if ((state == REBAL_WAVE_STATE_MOVING) != view->verdict->is_written) {
    return "MOVING is wrong";
  }
  if (is_cut_off(view) && !view->sight->is_marked && !is_held_up(view->verdict)) {
    return check_cut_off(view);
  }
  if (state == REBAL_WAVE_STATE_DONE) {
    return is_aim(view) && is_ready && !view->sight->is_marked ? NULL : "DONE is wrong";
  }
  if (state == REBAL_WAVE_STATE_MOVING) {
    return view->sight->is_present ? check_karmada_write(view) : NULL;
  }
  return is_held_up(view->verdict) || view->is_kept || !view->sight->is_present || may_be_reserved(view)
             ? NULL
             : check_stop(view);
}

const char *check_moment(const struct moment *moment) {
  for (size_t b = 0; b < moment->n_bindings; b++) {
    struct view view;
    const char *fault;

    look(&view, moment, b);
    fault = moment->is_karmada ? check_karmada_binding(&view) : check_binding(&view);
    if (fault != NULL) {
      return fault;
    }
  }
  if (!moment->is_karmada && check_cycles(moment) != NULL) {
    return check_cycles(moment);
  }
  return check_budgets(moment);
}
