/* SPDX-License-Identifier: MIT */
/*
 * karmada-planner: plans what would move if bindings were scheduled again, or clusters drained, and carries it out wave
 * by wave beside Karmada's scheduler.
 *
 *     karmada-planner [OPTION]...   (--help lists them)
 *
 * The plan is kept in a ConfigMap, and nothing else: which writes are due follows from it and from what bindings hold
 * and report. So this program after its end, or another copy, goes on where it was. While a plan is carried out, flags
 * do not change it. When it is over the ConfigMap has its result instead, and another plan is made when the flags
 * have changed, at the interval of --every, or when the ConfigMap is deleted.
 *
 * A binding for which nothing could be done for --give-up-after is given up; one that is suspended for the plan, or
 * kept by a task of it, then goes back to where it was. The annotation librebalance/plan-control of the ConfigMap
 * changes what is done with the plan: "stop" writes nothing and leaves all as it is, "back" takes all bindings back.
 */
#include "karmada-planner-budgets.h"
#include "karmada-planner-kept.h"
#include "karmada-planner-plan.h"
#include "karmada-planner-waves.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define STEP_AGAIN (SECOND / 10) /* whatever changes, no earlier */

enum { LOOK, STEP, PLAN }; /* at the ConfigMap; what changed; another plan */

struct planner {
  struct client *client;
  struct plan_request request;
  rebal_text *flags; /* the same as text */
  struct kept kept;
  struct waves waves;
  int64_t every;
  bool is_dry, is_once, has_budgets;
  bool is_known; /* what the ConfigMap holds */
  bool is_ended; /* with this status */
  int status;
  rebal_fleet *fleet;
  rebal_feed *feed; /* of the Clusters */
  rebal_bindings *bindings;
  rebal_ctx *ctx;
  struct timers timers;
  int64_t stepped_at, rested_at; /* the last step; since when the plan is over, 0: it is not yet known to be */
  uint64_t seen;                 /* changes of the store */
  bool has_failed;               /* the last step */
  bool is_held;                  /* by budgets, and reported */
  enum control reported;
};

static void report(struct planner *planner, bool is_warning, const char *reason, const char *message) {
  const struct subject subject = {"ConfigMap", planner->kept.name, planner->kept.uid};
  client_report(planner->client, &subject, is_warning, reason, message);
}

static void complain(int32_t code, const rebal_error *err) {
  if (code != REBAL_OK && code != REBAL_EAGAIN) {
    say("%s: %s", rebal_strerror(code), err->message);
  }
}

static const char *const kinds[] = {"ResourceBinding", "ClusterResourceBinding"};

/* All bindings; NULL: there is no memory. */
static uint32_t *list_bindings(const struct planner *planner, size_t *n) {
  const rebal_store *store = client_store(planner->client);
  uint32_t *list = malloc((rebal_store_count(store) + 1) * sizeof *list);
  *n = 0;
  for (size_t i = 0; list != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
    uint32_t object = REBAL_NONE;
    while ((object = rebal_store_next(store, kinds[i], strlen(kinds[i]), object)) != REBAL_NONE) {
      list[(*n)++] = object;
    }
  }
  return list;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* The plan for all bindings as they are now. */
static int32_t make(struct planner *planner, rebal_plan **out, rebal_error *err) {
  size_t n;
  uint32_t *objects = list_bindings(planner, &n);
  int32_t code = objects != NULL ? REBAL_OK : REBAL_ENOMEM;
  client_enter(planner->client);
  if (code == REBAL_OK) {
    code = rebal_store_feed_clusters(client_store(planner->client), planner->fleet, &planner->feed, err);
  }
  if (code == REBAL_OK) {
    code = request_plan(&planner->request, planner->ctx, client_store(planner->client), planner->fleet,
                        planner->bindings, objects, n, out, err);
  }
  client_leave(planner->client);
  free(objects);
  return code;
}

/* Makes a plan and keeps it, or with --dry-run only logs it. */
static void begin(struct planner *planner) {
  const char *request = rebal_text_bytes(planner->flags, NULL);
  char text[400] = "";
  rebal_error err = REBAL_ERROR_INIT;
  rebal_plan *plan = NULL;
  int32_t code = make(planner, &plan, &err);
  code = code == REBAL_OK ? rebal_plan_read(plan, planner->waves.result, &err) : code;
  if (code == REBAL_OK) {
    plan_put_sums(planner->waves.result, request, text, sizeof text);
  }
  if (code == REBAL_OK && planner->is_dry) {
    plan_say(planner->waves.result, planner->fleet);
    say("%s", text);
  } else if (code == REBAL_OK) {
    code = kept_write(&planner->kept, planner->client, request, plan, "", &err);
    if (code == REBAL_OK && !kept_read(&planner->kept, planner->client, planner->fleet)) {
      code = REBAL_EAGAIN;
    }
  }
  rebal_plan_free(plan);
  if (code == REBAL_ELIMIT) {
    report(planner, true, "PlanTooLarge", err.message);
  } else {
    complain(code, &err);
  }
  if (code != REBAL_OK) {
    (void)timers_back_off(&planner->timers, PLAN);
  } else {
    (void)timers_set(&planner->timers, PLAN, 1);
    (void)timers_set(&planner->timers, STEP, 1);
    planner->rested_at = 0;
    if (!planner->is_dry) {
      report(planner, false, "PlanMade", text);
    }
  }
  planner->is_ended = planner->is_dry;
  planner->status = code != REBAL_OK;
}

/* The plan is over: the ConfigMap gets its result. */
static int32_t end(struct planner *planner, rebal_error *err) {
  const struct waves *waves = &planner->waves;
  const bool is_good = waves->n_stuck == 0;
  char text[200];
  int32_t code;
  (void)snprintf(text, sizeof text, "%s: %zu bindings %s, %zu given up", is_good ? "done" : "not all", waves->n_done,
                 planner->kept.control == CONTROL_BACK ? "as before the plan" : "as planned", waves->n_stuck);
  code = kept_write(&planner->kept, planner->client, planner->kept.request, NULL, text, err);
  if (code != REBAL_OK || !kept_read(&planner->kept, planner->client, planner->fleet)) {
    return code != REBAL_OK ? code : REBAL_EAGAIN;
  }
  report(planner, !is_good, is_good ? "PlanDone" : "PlanEnded", text);
  planner->reported = CONTROL_GO_ON; /* the ConfigMap has no annotation any more */
  return REBAL_OK;
}

/* A plan is over: is another one due? */
static bool is_another_due(struct planner *planner) {
  const rebal_time now = time_now();
  const char *request = rebal_text_bytes(planner->flags, NULL);
  if (strncmp(request, planner->kept.request, sizeof planner->kept.request - 1) != 0) {
    return true;
  }
  if (planner->rested_at == 0) {
    planner->rested_at = nanoseconds_of(&now);
  }
  return planner->every > 0 && nanoseconds_of(&now) - planner->rested_at >= planner->every;
}

/* ---- its waves --------------------------------------------------------------------------------------------------- */

static void report_wave(struct planner *planner) {
  static const struct family waves_sent = {
      "librebalance_plan_waves_total", "counter", "Waves of plans that were sent.", {NULL}};
  const struct waves *waves = &planner->waves;
  char text[400];
  if (waves->n_written == 0) {
    return;
  }
  (void)snprintf(text, sizeof text,
                 "%zu bindings written, replicas that come: %" PRId64 ", that go: %" PRId64
                 "; changed by someone else: %zu; of %zu bindings %zu are %s, %zu are given up",
                 waves->n_written, waves->n_added, waves->n_removed, waves->n_foreign, waves->n_moved, waves->n_done,
                 planner->kept.control == CONTROL_BACK ? "as before the plan" : "as planned", waves->n_stuck);
  metrics_add(client_metrics(planner->client), &waves_sent, NULL, NULL, 1);
  report(planner, false, "PlanWave", text);
}

/* Those that need an operator. */
static void report_caught(struct planner *planner) {
  char text[100];
  if (planner->waves.n_caught > 0) {
    (void)snprintf(text, sizeof text, "%zu bindings can go neither on nor back, and stay as they are",
                   planner->waves.n_caught);
    report(planner, true, "PlanStuck", text);
  }
}

/* When budgets begin to hold some. */
static void report_held(struct planner *planner) {
  const bool is_held = planner->waves.n_held > 0;
  char text[100];
  if (is_held && !planner->is_held) {
    (void)snprintf(text, sizeof text, "%s: %zu bindings wait for PodDisruptionBudgets",
                   rebal_enum_name(REBAL_ENUM_WAVE_REASON, REBAL_WAVE_REASON_BUDGET, NULL), planner->waves.n_held);
    report(planner, false, "PlanHeld", text);
  }
  planner->is_held = is_held;
}

static void count_bindings(struct planner *planner) {
  static const struct family bindings = {"librebalance_plan_bindings", "gauge", "Bindings of the plan.", {"state"}};
  const struct waves *waves = &planner->waves;
  struct metrics *metrics = client_metrics(planner->client);
  metrics_set(metrics, &bindings, "done", NULL, (double)waves->n_done);
  metrics_set(metrics, &bindings, "given-up", NULL, (double)waves->n_stuck);
  metrics_set(metrics, &bindings, "left", NULL, (double)(waves->n_moved - waves->n_done - waves->n_stuck));
}

static int32_t step(struct planner *planner, rebal_error *err) {
  struct waves *waves = &planner->waves;
  size_t n;
  uint32_t *objects = list_bindings(planner, &n);
  rebal_store *store = client_store(planner->client);
  int32_t code = objects != NULL ? REBAL_OK : REBAL_ENOMEM;
  client_enter(planner->client);
  code = code == REBAL_OK ? rebal_store_feed_clusters(store, planner->fleet, &planner->feed, err) : code;
  code = code == REBAL_OK ? bindings_feed(planner->bindings, store, planner->fleet, objects, n, err) : code;
  client_leave(planner->client);
  free(objects);
  waves->n_written = waves->n_foreign = waves->n_caught = 0;
  waves->n_added = waves->n_removed = 0;
  code = code == REBAL_OK ? waves_send(waves, planner->kept.plan, planner->kept.control == CONTROL_BACK, err) : code;
  report_wave(planner);
  report_caught(planner);
  report_held(planner);
  count_bindings(planner);
  return code == REBAL_OK && waves->n_left == 0 ? end(planner, err) : code;
}

/* Carries the plan on when something changed, or what it waits for is due. */
static void carry_on(struct planner *planner) {
  const uint64_t changes = rebal_store_change_count(client_store(planner->client));
  const rebal_time now = time_now();
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code;
  if (planner->reported != planner->kept.control) {
    planner->reported = planner->kept.control;
    report(planner, false, "PlanControl",
           planner->reported == CONTROL_STOP   ? "stopped: nothing is written"
           : planner->reported == CONTROL_BACK ? "all bindings go back to where they were"
                                               : "goes on");
    (void)timers_set(&planner->timers, STEP, 1);
  }
  if (!planner->has_failed && planner->seen != changes) {
    (void)timers_set(&planner->timers, STEP, planner->stepped_at + STEP_AGAIN);
  }
  if (planner->reported == CONTROL_STOP || !timers_is_due(&planner->timers, STEP)) {
    return;
  }
  planner->seen = changes;
  planner->stepped_at = nanoseconds_of(&now);
  code = step(planner, &err);
  planner->has_failed = code != REBAL_OK;
  if (planner->has_failed) {
    complain(code, &err);
    (void)timers_back_off(&planner->timers, STEP);
  } else {
    (void)timers_set(&planner->timers, STEP, planner->waves.wake);
  }
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* Reads the ConfigMap when that is due. Returns false if its content is unknown. */
static bool look(struct planner *planner) {
  const rebal_time now = time_now();
  if (!timers_is_due(&planner->timers, LOOK)) {
    return planner->is_known;
  }
  planner->is_known = kept_read(&planner->kept, planner->client, planner->fleet);
  if (planner->is_known) {
    (void)timers_set(&planner->timers, LOOK, nanoseconds_of(&now) + SECOND);
  } else {
    (void)timers_back_off(&planner->timers, LOOK);
  }
  return planner->is_known;
}

static void run(struct planner *planner) {
  const struct kept *kept = &planner->kept;
  if (!client_leads(planner->client)) {
    (void)timers_set(&planner->timers, LOOK, 1); /* others write it now */
    planner->is_known = false;
    return;
  }
  if (!planner->is_dry && !look(planner)) {
    return;
  }
  if (planner->is_dry || kept->uid[0] == '\0' || (kept->result[0] != '\0' && is_another_due(planner))) {
    if (timers_is_due(&planner->timers, PLAN)) {
      begin(planner);
    }
  } else if (kept->plan != NULL) {
    carry_on(planner);
  }
  if (planner->is_once && kept->result[0] != '\0' && !is_another_due(planner)) {
    planner->is_ended = true;
    planner->status = strncmp(kept->result, "done", 4) != 0;
  }
}

static bool planner_open(struct planner *planner, const struct client_options *options) {
  if (!client_open(&planner->client, options)) {
    return false;
  }
  planner->waves.client = planner->client;
  if (!client_follow(planner->client, "cluster.karmada.io/v1alpha1", "Cluster") ||
      !client_follow(planner->client, "work.karmada.io/v1alpha2", kinds[0]) ||
      !client_follow(planner->client, "work.karmada.io/v1alpha2", kinds[1]) ||
      (planner->has_budgets && !budgets_follow(planner->client)) ||
      rebal_fleet_new(NULL, &planner->fleet, NULL) != REBAL_OK ||
      rebal_bindings_new(planner->fleet, NULL, &planner->bindings, NULL) != REBAL_OK ||
      rebal_ctx_new(NULL, NULL, &planner->ctx, NULL) != REBAL_OK ||
      rebal_result_new(NULL, &planner->waves.result, NULL) != REBAL_OK) {
    return false;
  }
  planner->waves.ctx = planner->ctx;
  planner->waves.fleet = planner->fleet;
  planner->waves.bindings = planner->bindings;
  return timers_set(&planner->timers, LOOK, 1) && timers_set(&planner->timers, PLAN, 1) &&
         timers_set(&planner->timers, STEP, 1);
}

static void planner_close(struct planner *planner) {
  timers_close(&planner->timers);
  kept_forget(&planner->kept);
  waves_close(&planner->waves);
  rebal_text_free(planner->flags);
  rebal_result_free(planner->waves.result);
  rebal_ctx_free(planner->ctx);
  rebal_bindings_free(planner->bindings);
  rebal_feed_free(planner->feed);
  rebal_fleet_free(planner->fleet);
  if (planner->client != NULL) {
    client_close(planner->client);
  }
}

/* Reads the flags; the first of them are the request. Returns false if the program must end. */
static bool read_flags(struct planner *planner, struct client_options *options, int argc, char **argv) {
  struct plan_request *request = &planner->request;
  const struct flag others[] = {
      {"plan", "NAMESPACE/NAME", "ConfigMap that keeps the plan; default: karmada-system/karmada-plan", FLAG_LEASE,
       &planner->kept.name},
      {"interval", "SECONDS", "from wave to wave; default: 1", FLAG_SECONDS, &planner->waves.interval},
      {"give-up-after", "SECONDS", "a binding for which nothing could be done so long; default: 600", FLAG_SECONDS,
       &planner->waves.give_up_after},
      {"every", "SECONDS", "make another plan so long after one is over; default: never", FLAG_SECONDS,
       &planner->every},
      {"pdb", "", "PodDisruptionBudgets hold waves back", FLAG_SWITCH, &planner->has_budgets},
      {"take-over", "", "remove what plans that are no longer carried out left on bindings", FLAG_SWITCH,
       &planner->waves.takes_over},
      {"once", "", "end when the plan is over: with 1 if bindings were given up", FLAG_SWITCH, &planner->is_once},
      {"dry-run", "", "log the plan and end; nothing is written", FLAG_SWITCH, &planner->is_dry}};
  const size_t n_others = sizeof others / sizeof others[0];
  struct flag flags[REQUEST_FLAGS + sizeof others / sizeof others[0]];
  request_flags(request, flags);
  memcpy(flags + REQUEST_FLAGS, others, sizeof others);
  if (!options_read(options, flags, REQUEST_FLAGS + n_others, argc, argv)) {
    return false;
  }
  options->lease = planner->is_dry ? NULL : options->lease;
  options->exit_status = 1;
  return request_check(request) && rebal_text_new(&planner->flags, NULL) == REBAL_OK &&
         options_write(flags, REQUEST_FLAGS, planner->flags) == REBAL_OK;
}

int main(int argc, char **argv) {
  struct client_options options = {.name = "karmada-planner"};
  static struct planner planner = {.kept.name = "karmada-system/karmada-plan",
                                   .waves = {.interval = SECOND, .give_up_after = 600 * SECOND}};
  bool is_open;
  if (!read_flags(&planner, &options, argc, argv)) {
    return options.exit_status;
  }
  is_open = planner_open(&planner, &options);
  while (is_open && !planner.is_ended && client_turn(planner.client, timers_wait(&planner.timers, 1000))) {
    if (client_is_synced(planner.client)) {
      run(&planner);
    }
  }
  planner_close(&planner);
  return is_open ? planner.status : 1;
}
